"""A small dbt project that uses the package in every way, over data made to hurt; and what Python says of them.

Ids differ in case, in Unicode's forms, in trailing spaces; scores are tied; items are unjudged, judgments unretrieved.
No id has an apostrophe: dbt-spark does not quote it in seeds.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics
from rankmetrics_sql.root import sql_root
from tests.conftest import quietly

from ..engines.postgres import USER

QUERIES = (
    "q001", "Q001", "caf\u00e9", "cafe\u0301", "end", "end ", "\uff21", "\U0001f600", "q10", "q9", "none", "lost"
)  # fmt: skip
ITEMS = (
    "a", "A", "a ", " a", "\u00e9", "e\u0301", "\uff21", "\U0001f600", "9", "10", 'x"y', "x,y", "\u00df", "ss", "Z",
    "_", "b-c",
)  # fmt: skip
SYSTEMS = ("new", "old")
MARKETS = ("de", "DE", "us")

# Metrics that need a ranking of their own, or whose value is not that of every query.
CHOICES = (
    "ndcg(gain=exp2)@5",
    "ndcg(gain={1:3,2:9})@5",
    "ap(ties=item_asc)",
    "p(ties=expected)@3",
    "ndcg(ties=best)@3",
    "ndcg(ties=worst)@3",
    "rr(unjudged=drop)",
    "p(unjudged=mean)@5",
    "ap(queries=retrieved)",
    "r(depth=2)",
    "ap(rel=2,no_relevant=skip)",
    "ndcg(rel=2,gain=binary,zero_ideal=null)@3",
)
FLOAT32 = "rr(score_type=float32)"
FEW = ("ndcg@5", "ap", "rr(ties=item_asc)", "p@2")
RECORDED = ("P_5", "map", "nDCG@10", "recip_rank")  # as trec_eval and ir_measures write them

TEXTS = (
    *("system", "query_id", "item_id", "market", "metric", "run_id", "run", "baseline_run", "test"),
    *("alternative", "correction", "verdict", "reason"),
)
TEXT = {"postgres": "text", "spark": "string"}  # else varchar
DOUBLE = {"postgres": "double precision"}  # else double

Table = tuple[Sequence[str], Sequence[str], Sequence[Sequence[Any]]]  # names of keys, names of the others, rows


@cache
def every_metric() -> tuple[str, ...]:
    """All that give a number from grades of items: of whole lists, and of the first three places."""
    found = []
    for metric in metrics().values():
        if metric.of_grades:
            found += [metric.name, f"{metric.name}@3"] if metric.takes_k else [metric.name]
    return tuple(found)


@cache
def diverse_metrics() -> tuple[str, ...]:
    """All that need subtopics and have a cutoff."""
    return tuple(f"{metric.name}@4" for metric in metrics().values() if "subtopics" in metric.needs and metric.takes_k)


@cache
def runs() -> Sequence[tuple[str, str, str, float]]:
    """System, query, item and score; few distinct scores, and a query that nobody asked for."""
    rng, rows = random.Random(4), []
    for system in SYSTEMS:
        for query in (*QUERIES[:-1], "unasked"):
            items = rng.sample(ITEMS, rng.randint(3, len(ITEMS)))
            rows += [(system, query, item, rng.choice((0.1, 0.3, 0.3, 1.0, 2.5, -1.0))) for item in items]
    return rows


@cache
def labels() -> Sequence[tuple[str, str, int | None, str]]:
    """Query, item, grade and market; some grades are missing, one query has nothing relevant, one has no answer."""
    rng, rows = random.Random(5), []
    for number, query in enumerate(QUERIES):
        items = rng.sample(ITEMS, rng.randint(4, 12))
        grades = (0,) if query == "none" else (0, 0, 1, 1, 2, 3, None)
        rows += [(query, item, rng.choice(grades), MARKETS[number % len(MARKETS)]) for item in items]
    return rows


LABELLED = """
select r.system, r.query_id, r.item_id, r.score, l.relevance
from {runs} r left join {labels} l on l.query_id = r.query_id and l.item_id = r.item_id
where r.system = 'new'
"""
SUBTOPICS = """
select query_id, item_id, 'x' as subtopic, relevance from {labels}
union all
select query_id, item_id, 'y' as subtopic, case when relevance = 1 then 0 when relevance >= 0 then 1 end as relevance
from {labels}
"""
HOOK = """
{% macro default__rankmetrics_custom_metric(name, k) %}
{%- if name == 'best_grade' -%}
{{ return('MAX(CASE WHEN rnk <= ' ~ k ~ ' THEN relevance ELSE 0 END)') }}
{%- endif -%}
{{ return(none) }}
{% endmacro %}
"""
# The rows that one side lacks, or whose numbers differ. SQLMesh makes file names of arguments: keep them short.
MATCHES = """
{% test as_in_python(model, table, wanted, column_name=none) %}
{%- set columns = columns_of()[table] -%}
{%- set same = [] -%}
{%- for key in columns.by -%}{%- do same.append('m.' ~ key ~ ' = e.' ~ key) -%}{%- endfor -%}
{%- set wrong = ['m.' ~ columns.by[0] ~ ' is null', 'e.' ~ columns.by[0] ~ ' is null'] -%}
{%- for name in columns.numbers -%}
    {%- set found = 'm.' ~ name -%}
    {%- set size = 'case when abs(e.' ~ name ~ ') > 1 then abs(e.' ~ name ~ ') else 1 end' -%}
    {%- do wrong.append('abs(' ~ found ~ ' - e.' ~ name ~ ') > 1e-12 * ' ~ size) -%}
    {%- do wrong.append('(' ~ found ~ ' is null and e.' ~ name ~ ' is not null)') -%}
    {%- do wrong.append('(' ~ found ~ ' is not null and e.' ~ name ~ ' is null)') -%}
{%- endfor -%}
select m.{{ columns.by[0] }} as found, e.{{ columns.by[0] }} as wanted
from (select * from {{ model }}) m
full outer join {{ wanted }} e on {{ same | join(' and ') }}
where {{ wrong | join('\n    or ') }}
{% endtest %}
"""
SQLMESH = """from pathlib import Path

from sqlmesh.dbt.loader import sqlmesh_config

config = sqlmesh_config(Path(__file__).parent)
"""


def call(macro: str, arguments: str, metrics: Sequence[str]) -> str:
    """The Jinja that calls a public macro."""
    return "{{ rankmetrics_sql." + macro + "(" + arguments.format(metrics=literal(list(metrics))) + ") }}"


def literal(value: Any) -> str:
    """A value as Jinja writes it: as Python does, but for None and the booleans."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(literal, value)) + "]"
    return repr(value)


def models(names: Sequence[str], diverse: Sequence[str]) -> dict[str, str]:
    """The models of the project."""
    new = "ref('run_new'), metrics={metrics}, qrels=ref('labels')"
    view = "{{{{ config(materialized='view') }}}}"
    given = {"runs": "{{ ref('runs') }}", "labels": "{{ ref('labels') }}"}
    expressions = "{{ rankmetrics_sql.metric_rr(k=10) }} as rr, {{ rankmetrics_sql.metric_p(k=2) }} as p_at_2"
    sources = {f"run_{system}": f"\nselect * from {{runs}} where system = '{system}'" for system in SYSTEMS}
    sources |= {"labelled_run": LABELLED, "subtopics": SUBTOPICS}
    return {
        **{name: (view + text).format(**given) for name, text in sources.items()},
        "queries": call("per_query", new, names),
        "figures": call("summary", new, names),
        "diverse": call(
            "per_query",
            "ref('run_new'), {metrics}, qrels=ref('subtopics'), columns={{'subtopic': 'subtopic'}}",
            diverse,
        ),
        "markets": call(
            "summary", "ref('runs'), {metrics}, qrels=ref('labels'), columns={{'run': 'system'}}, by='market'", FEW
        ),
        "recorded": call("per_query", new + ", profile='trec_eval9', options={{'queries': 'judged'}}", RECORDED),
        "comparison": call(
            "compare",
            "baseline=ref('run_old'), candidate=ref('run_new'), metrics={metrics}, qrels=ref('labels')",
            FEW,
        ),
        "labelled": call("per_query", "ref('labelled_run'), {metrics}", FEW),
        "custom": call("per_query", new, ("best_grade@2", "rr")),
        "expressions": "select query_id, "
        + expressions
        + "\nfrom ("
        + call("judged", new, ("rr@10", "p@2"))
        + ") as j\ngroup by query_id",
    }


@cache
def expected(names: Sequence[str], diverse: Sequence[str]) -> Mapping[str, Table]:
    """For each model that computes something: its table by Python."""
    with duckdb.connect() as connection:
        connection.execute("create table runs (system text, query_id text, item_id text, score double)")
        connection.executemany("insert into runs values (?, ?, ?, ?)", runs())
        connection.execute("create table labels (query_id text, item_id text, relevance integer, market text)")
        connection.executemany("insert into labels values (?, ?, ?, ?)", labels())
        return dict(tables(connection, names, diverse))


def tables(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], diverse: Sequence[str]
) -> Iterator[tuple[str, Table]]:
    """The tables of ``expected``, one after the other."""
    new, old = (f"select * from runs where system = '{system}'" for system in SYSTEMS)

    def evaluate(names: Sequence[str], run: str = new, qrels: str = "labels", **others: Any) -> rm.Result:
        return quietly(rm.evaluate, run, qrels, names, connection=connection, **others)

    every = evaluate(names)
    yield "queries", table(every.per_query, "query_id", **every.metrics)
    yield "figures", table(every.summary, "metric")
    of_subtopics = evaluate(diverse, qrels=SUBTOPICS.format(labels="labels"))
    yield "diverse", table(of_subtopics.per_query, "query_id", **of_subtopics.metrics)
    markets = evaluate(FEW, "runs", columns={"run_id": "system"}, by=["market"])
    yield "markets", table(markets.summary, "run_id", "market", "metric")
    recorded = evaluate(RECORDED, profile="trec_eval9", queries="judged")
    yield "recorded", table(recorded.per_query, "query_id", **recorded.metrics)
    pairs = quietly(rm.compare, old, {"candidate": new}, "labels", FEW, baseline="baseline", connection=connection)
    words = ("verdict", "reason", "alternative", "correction")
    yield "comparison", table(pairs.summary, "run", "baseline_run", "metric", "test", *words)
    labelled = LABELLED.format(runs="runs", labels="labels")
    graded = quietly(rm.labelled, labelled, FEW, connection=connection)
    yield "labelled", table(graded.per_query, "query_id", **graded.metrics)
    first = evaluate(["rr"]).per_query.fetchall()
    own = [(query, best_grade(query, 2), rr) for query, rr in first]
    yield "custom", (["query_id"], ["best_grade_at_2", "rr"], own)
    expressions = evaluate(["rr@10", "p@2"])
    yield "expressions", table(expressions.per_query, "query_id", **expressions.metrics | {"rr@10": "rr"})


def table(result: Any, *keys: str, **renamed: str) -> Table:
    """A result with its key columns first, under the names that dbt gives."""
    columns = [renamed.get(name, name) for name in result.columns]
    numbers = [name for name in columns if name not in keys]
    order = [columns.index(name) for name in (*keys, *numbers)]
    return keys, numbers, [tuple(row[place] for place in order) for row in result.fetchall()]


def best_grade(query: str, k: int) -> float:
    """The project's own metric, in Python."""
    scores = {item: score for system, other, item, score in runs() if (system, other) == ("new", query)}
    found = sorted(scores, key=lambda item: (scores[item], item.encode()), reverse=True)[:k]
    grades = [grade for other, item, grade, _ in labels() if other == query and item in found and grade is not None]
    return float(max(grades, default=0))


def write(
    place: Path,
    target: str = "duckdb",
    *,
    environment: str = "dbt-1",
    package: Path | None = None,
    port: int = 5432,
    names: Sequence[str] = (),
) -> Mapping[str, Table]:
    """Write the project with its profiles and data; what its models must hold.

    ``package`` is the folder of the package if it is another than ours, ``port`` that of PostgreSQL, ``names`` are the
    metrics of the largest models if they are not all.
    """
    names, diverse = (tuple(names), diverse_metrics()[:1]) if names else (everything(), diverse_metrics())
    wanted = expected(names, diverse)
    write_parts(place, target, environment, wanted, models(names, diverse), runs(), package, port)
    return wanted


def write_parts(
    place: Path,
    target: str,
    environment: str,
    wanted: Mapping[str, Table],
    texts: Mapping[str, str],
    found: Sequence[Sequence[Any]],
    package: Path | None = None,
    port: int = 5432,
) -> None:
    """Write a project of models and what they must hold, over our judgments and the rows of runs."""
    seeds: dict[str, Table] = {
        "runs": (("system", "query_id", "item_id"), ("score",), found),
        "labels": (("query_id", "item_id"), ("relevance", "market"), labels()),
        **{f"expected_{name}": rows for name, rows in wanted.items()},
    }
    columns = {name: {"by": list(keys), "numbers": list(numbers)} for name, (keys, numbers, _) in wanted.items()}
    write_frame(place, settings(seeds, target, environment), package, port)
    files: dict[str, Any] = {
        "macros/hook.sql": HOOK,
        "macros/columns_of.sql": f"{{% macro columns_of() %}}{{{{ return({literal(columns)}) }}}}{{% endmacro %}}\n",
        "tests/generic/as_in_python.sql": MATCHES,
        "models/models.yml": {"version": 2, "models": described(wanted, environment)},
        **{f"models/{name}.sql": text for name, text in texts.items()},
        **{f"seeds/{name}.csv": as_csv((*keys, *numbers), rows) for name, (keys, numbers, rows) in seeds.items()},
    }
    if environment == "sqlmesh":
        files["config.py"] = SQLMESH
    write_files(place, files)


def write_frame(place: Path, more: Mapping[str, Any] | None = None, package: Path | None = None, port: int = 0) -> None:
    """Write what every project needs: its settings and profiles, and where the package is."""
    named = {"name": "proof", "version": "1.0", "config-version": 2, "profile": "proof"}
    package = package or sql_root()
    files = {
        "dbt_project.yml": {**named, "flags": {"send_anonymous_usage_stats": False}, **(more or {})},
        "packages.yml": {"packages": [{"local": str(package)}]},
        "profiles.yml": profiles(port),
    }
    write_files(place, files)


def write_files(place: Path, files: Mapping[str, Any]) -> None:
    """Write texts as they are and mappings as JSON, which is YAML."""
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content, indent=1)
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8", newline="")


@cache
def everything() -> tuple[str, ...]:
    """The metrics of the largest models."""
    return (*every_metric(), *CHOICES, FLOAT32)


def described(wanted: Iterable[str], environment: str) -> list[dict[str, Any]]:
    """The models in YAML with the tests of their numbers, and with two of the package's."""

    def test(kind: str, name: str, **arguments: Any) -> dict[str, Any]:
        # before 1.10.5 dbt knows arguments only flat, and dbt 2 refuses that
        given = arguments if environment == "dbt-1.8" else {"arguments": arguments} if arguments else {}
        return {kind: {"name": name, **given}}

    found = [
        {
            "name": name,
            "data_tests": [
                test("as_in_python", f"{name}_as_in_python", table=name, wanted=f"ref('expected_{name}')"),
            ],
        }
        for name in wanted
    ]
    if "queries" not in wanted:
        return found
    above = {"metrics": ["rr"], "qrels": "ref('labels')", "error_below": 0.25}
    shape = test("rankmetrics_sql.run_is_valid", "run_new_is_valid")
    value = test("rankmetrics_sql.metric_above", "run_new_is_good", **above)
    return [*found, {"name": "run_new", "data_tests": [shape, value]}]


def settings(seeds: Mapping[str, Table], target: str, environment: str) -> dict[str, Any]:
    """What ``dbt_project.yml`` says of models and seeds: ids are text, whatever they look like."""

    def type_of(column: str) -> str:
        if column in TEXTS:
            return TEXT.get(target, "varchar")
        return DOUBLE.get(target, "double")

    started = {"+start": "2026-01-01"} if environment == "sqlmesh" else {}
    types = {
        name: {"+column_types": {column: type_of(column) for column in (*keys, *numbers)}}
        for name, (keys, numbers, _) in seeds.items()
    }
    return {"models": {**started, "proof": {"+materialized": "table"}}, "seeds": {"proof": types}}


def profiles(port: int) -> dict[str, Any]:
    """``profiles.yml``: DuckDB and Spark in the project's folder, PostgreSQL at a port, others only to compile for."""
    login = {"host": "127.0.0.1", "user": "dbt", "password": "none", "schema": "proof", "threads": 1}
    spark = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1"}
    outputs = {
        "duckdb": {"path": "proof.duckdb", "threads": 1},
        "postgres": login | {"user": USER, "port": port, "dbname": "postgres"},
        "spark": login | {"method": "session", "schema": "default", "server_side_parameters": spark},
        "redshift": login | {"port": 5439, "dbname": "proof"},
        "clickhouse": login | {"port": 8123},
        "trino": login | {"method": "none", "port": 8080, "database": "proof"},
        "snowflake": login | {"account": "a", "database": "d", "warehouse": "w", "role": "r"},
        "bigquery": {"method": "oauth", "project": "p", "dataset": "d", "threads": 1},
        "databricks": login | {"http_path": "/p", "token": "t", "catalog": "c"},
    }
    return {"proof": {"target": "duckdb", "outputs": {name: {"type": name, **it} for name, it in outputs.items()}}}


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as a seed; floats as Python writes them, which is exact."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(["" if value is None else value for value in row] for row in rows)
    return text.getvalue()


def each() -> dict[str, list[str]]:
    """A model for every metric: its metric strings by its name."""
    asked: dict[str, list[str]] = {}
    for name in every_metric():
        asked.setdefault(f"of_{name.split('@')[0]}", []).append(name)
    return asked


def write_each(place: Path, package: Path) -> None:
    """Write a project with a model and a test for every metric."""
    keys, numbers, rows = expected(every_metric(), diverse_metrics())["queries"]
    wanted: dict[str, Table] = {}
    for model, names in each().items():
        places = [every_metric().index(name) for name in names]
        values = [(*row[: len(keys)], *(row[len(keys) + place] for place in places)) for row in rows]
        wanted[model] = (keys, [numbers[place] for place in places], values)
    arguments = "ref('runs'), {metrics}, qrels=ref('labels')"
    texts = {model: call("per_query", arguments, names) for model, names in each().items()}
    write_parts(place, "duckdb", "dbt-2", wanted, texts, [row for row in runs() if row[0] == "new"], package)
