"""The dbt package in dbt: the text that it compiles is the one Python renders, and what it builds has Python's numbers.

The environments are installed by ``python -m dev.dbt_envs install``.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from contextlib import nullcontext, suppress
from functools import cache

import duckdb
import pytest
import sqlglot

from dev import dbt_envs
from dev.dbt_envs import project
from dev.engines import postgres
from rankmetrics_sql.definitions.catalogue import metrics
from rankmetrics_sql.definitions.profiles import profiles
from rankmetrics_sql.errors import UsageError
from rankmetrics_sql.root import sql_root
from rankmetrics_sql.templates import Macros, macros

from ..everything import mostly_long

# The adapters that each can compile for without a warehouse. dbt 2 has no Trino, and its Spark wants a server.
COMPILED = {
    "dbt-1.8": ("duckdb", "postgres"),
    "dbt-1": ("duckdb", "postgres", "clickhouse", "trino", "spark"),
    "dbt-2": ("duckdb", "postgres", "clickhouse", "redshift", "snowflake", "bigquery", "databricks"),
}
TARGETS = sorted({target for targets in COMPILED.values() for target in targets})
OFFLINE = {
    "dbt-1.8": ("--no-introspect", "--no-populate-cache"),
    "dbt-1": ("--no-introspect", "--no-populate-cache"),
    "dbt-2": ("--no-introspect", "--static-analysis", "off"),
}
BUILT = (("dbt-1.8", "duckdb"), ("dbt-1", "duckdb"), ("dbt-2", "duckdb"), ("dbt-1", "postgres"), ("dbt-1", "spark"))


# Identity: macro and arguments, by the name of a model.
MANY = [*project.every_metric(), *project.CHOICES]
REQUEST = {"request": ["shop", "search"]}
LOG = {"impressions": "shown", "events": "done", "columns": REQUEST}
BY_USER = {"attribution": "user", "columns": REQUEST | {"time": "moment", "user": "buyer"}, "within": 1800}
CASES = {
    "per_query": ("per_query", {"relation": "runs", "metrics": ["ndcg@10"], "qrels": "labels"}),
    "one_metric": ("per_query", {"relation": "runs", "metrics": "nDCG@10", "qrels": "labels"}),
    "every_metric": ("per_query", {"relation": "runs", "metrics": MANY, "qrels": "labels"}),
    "every_summary": ("summary", {"relation": "runs", "metrics": MANY, "qrels": "labels"}),
    "float32": ("per_query", {"relation": "runs", "metrics": ["ap", project.FLOAT32], "qrels": "labels"}),
    "diverse": (
        "summary",
        {
            "relation": "runs",
            "metrics": list(project.diverse_metrics()),
            "qrels": "labels",
            "columns": {"subtopic": "intent"},
        },
    ),
    "endless": ("summary", {"relation": "r", "metrics": ["nnrbp"], "qrels": "q", "columns": {"subtopic": "intent"}}),
    "labelled": ("per_query", {"relation": "judged", "metrics": ["ap@10", "p@5"], "by": ["market", "day"]}),
    "n_relevant": ("summary", {"relation": "judged", "metrics": ["ap"], "columns": {"n_relevant": "n"}}),
    "named": (
        "summary",
        {
            "relation": "(select * from shop.events) dbt_subquery",
            "metrics": ["rr@10", "ap"],
            "qrels": "shop.labels",
            "options": {"ties": "rank", "no_relevant": "skip", "queries": "retrieved"},
            "columns": {
                "query": ["shop", "session"],
                "item": "doc",
                "score": "points",
                "position": "place",
                "relevance": "grade",
                "run": "system",
                "qrels.item": "product",
            },
            "by": "run.market",
            "query_list": "chosen",
        },
    ),
    "computed": (
        "summary",
        {
            "relation": "runs",
            "metrics": ["rr@10", "ap"],
            "qrels": "labels",
            "columns": {
                "query": ["shop", "coalesce(session, 'none')"],
                "relevance": "case when stars >= 4 then 1 else 0 end",
            },
        },
    ),
    "totals": (
        "summary",
        {
            "relation": "runs",
            "metrics": ["ap", "rr(aggregate=median)", "ap(no_relevant=skip)"],
            "qrels": "labels",
            "by": ["market", "run.device", "app", "day"],
            "rollup": True,
            "min_queries": 30,
        },
    ),
    "some_totals": (
        "summary",
        {
            "relation": "runs",
            "metrics": ["ap"],
            "qrels": "labels",
            "by": ["market", "run.device"],
            "rollup": [["run.device"], "market", []],
        },
    ),
    "periods": (
        "summary",
        {
            "relation": "runs",
            "metrics": ["ap"],
            "qrels": "labels",
            "columns": {"run.time": "seen_at"},
            "period": "week",
            "by": "market",
            "rollup": [["period"]],
        },
    ),
    "sums": ("sums", {"relation": "runs", "metrics": ["ap", "gm_map", "p@5"], "qrels": "labels", "by": "market"}),
    "positions": (
        "per_query",
        {"relation": "runs", "metrics": ["rr"], "qrels": "q", "columns": {"score": None, "position": "place"}},
    ),
    "compare": ("compare", {"candidate": "new", "baseline": "old", "metrics": ["ndcg@10", "ap"], "qrels": "labels"}),
    "compare_groups": (
        "compare",
        {
            "relation": "new",
            "baseline": "old",
            "metrics": ["num_rel_ret", "gm_map"],
            "qrels": "q",
            "by": "market",
        },
    ),
    "decompose": (
        "decompose",
        {
            "relation": "runs",
            "baseline": "old",
            "metrics": ["ndcg@10", "ap"],
            "qrels": "labels",
            "columns": {"run": "arm"},
            "by": ["market", "run.device"],
            "options": {"queries": "judged_retrieved"},
        },
    ),
    "movements": (
        "movements",
        {
            "relation": "new",
            "baseline": "old",
            "k": 5,
            "qrels": "labels",
            "query_list": "some",
            "options": {"ties": "item_asc"},
        },
    ),
    "to_judge": (
        "judge_next",
        {
            "candidate": "new",
            "baseline": "old",
            "metric": "ndcg@5",
            "n": 20,
            "qrels": "labels",
            "columns": {"query": ["shop", "asked"]},
            "options": {"max_grade": 3},
        },
    ),
    "judged": ("judged", {"relation": "runs", "metrics": ["rr@10", "err@5", "ndcg@3"], "qrels": "labels"}),
    "log": (
        "from_events",
        LOG | {"context": ["market"], "columns": REQUEST | {"application": "app"}, "requests": "clicked"},
    ),
    "log_of_users": (
        "from_events",
        LOG | BY_USER | {"grade": "sum", "grades": {"click": 1, "purchase": 2.5}, "half_life": 600},
    ),
    "log_quality": ("quality_of_events", LOG | BY_USER),
    "log_of_actions": (
        "from_events",
        LOG
        | {"types": ["click", "Add to cart"], "grade": "sum", "requests": "clicked", "context": [{"group": "market"}]}
        | {"columns": REQUEST | {"time": "moment", "value": "price * 2"}},
    ),
    "log_of_counts": (
        "from_events",
        LOG | BY_USER | {"types": "purchase", "amounts": False, "seconds": False},
    ),
    "quality_of_actions": ("quality_of_events", LOG | BY_USER | {"types": ["purchase"]}),
    "actions_of_ubi": (
        "from_ubi",
        {"queries": "asked", "events": "events", "types": ["purchase"], "columns": {"value": "worth"}},
    ),
    "actions_of_snowplow": ("from_snowplow", {"interactions": "interactions", "types": ["click", "purchase"]}),
    "actions_of_segment": (
        "from_segment",
        {"viewed": "viewed", "clicked": "clicked", "ordered": "orders", "types": ["purchase"]},
    ),
    "actions_of_ga4": ("from_ga4", {"events": "exported", "types": ["click"], "value": "item_revenue_in_usd"}),
    "numbers_of_actions": (
        "compare",
        {
            "relation": "r",
            "metrics": ["amount", "conversion@5", "amount_per_click(click=click)", "time_to_first_click"],
            "columns": {"run": "arm", "position": "position", "amount_purchase": "revenue"},
            "baseline": "old",
            "options": {"position": "given", "design": "unpaired"},
        },
    ),
    "log_of_all_requests": (
        "from_events",
        LOG | {"requests": "logged", "queries": "asked", "context": ["arm"], "queries_context": ["arm", "market"]},
    ),
    "log_with_propensities": ("from_events", LOG | {"propensity": {1: 1, 2: 0.5}}),
    "log_with_a_propensity": ("from_events", LOG | {"columns": REQUEST | {"propensity": "p / 2"}}),
    "propensities": ("propensities", {"relation": "rows", "columns": {"query": ["shop", "asked"]}}),
    "propensities_pivot_one": ("propensities", {"relation": "rows", "method": "pivot_one", "rel": 2}),
    "coec": ("coec", {"relation": "rows", "by": ["asked", "item_id"]}),
    "ctr_by_position": ("ctr_by_position", {"relation": "rows"}),
    "worst_queries": (
        "worst_queries",
        {
            "relation": "rows",
            "by": "asked",
            "columns": {"user": "buyer", "time": "at"},
            "period": "week",
            "order": "mrr",
        },
    ),
    "log_of_two_texts": (
        "from_events",
        LOG
        | {"requests": "logged", "queries": "asked", "context": [{"group": "text"}]}
        | {"queries_context": [{"group": "text"}]},
    ),
    "judgments_of_clicks": (
        "judgments_from_clicks",
        {
            "relation": "rows",
            "by": ["market", "asked"],
            "columns": {"request": ["shop", "search"], "item": "sku"},
            "group": "page",
            "prior": 2.5,
            "grades": 4,
            "normalise": ["lower", "trim"],
        },
    ),
    "judgments_of_clicks_by_thresholds": (
        "judgments_from_clicks",
        {"relation": "rows", "model": "cascade", "no_click": "none", "min_impressions": 5, "grades": [0.02, 0.1]},
    ),
    "judgments_of_click_rates": (
        "judgments_from_clicks",
        {"relation": "rows", "by": "asked", "model": "ctr", "prior": 0, "columns": {"position": None}},
    ),
    "judgments_of_expected_clicks": ("judgments_from_clicks", {"relation": "rows", "by": "asked", "model": "coec"}),
    "team_draft": ("team_draft_credit", {"relation": "rows", "teams": ["A", "B"], "columns": {"user": "buyer"}}),
    "team_draft_preference": (
        "team_draft_preference",
        {"relation": "rows", "teams": ["A", "B"], "columns": {"user": "buyer"}, "confidence_level": 0.9},
    ),
    "weighted": (
        "summary",
        {
            "relation": "r",
            "metrics": ["ips_ndcg@5", "ips"],
            "qrels": "q",
            "columns": {"propensity": "p", "target": "t / 2"},
        },
    ),
    "ubi": ("from_ubi", {"queries": "asked", "events": "events", "mapping": "json"}),
    "ubi_hits": (
        "quality_of_ubi",
        {"queries": "asked", "events": "events", "impressions": "hits", "within": 60, "where": "agent <> 'bot'"},
    ),
    "typing_of_ubi": ("from_ubi", {"queries": "asked", "events": "events", "collapse": "typing", "collapse_within": 5}),
    "typing_of_snowplow": (
        "from_snowplow",
        {"interactions": "interactions", "columns": {"text": "terms"}, "collapse": "typing"},
    ),
    "typing_of_segment": (
        "quality_of_segment",
        {"viewed": "viewed", "clicked": "clicked", "columns": {"text": "terms"}, "collapse": "typing"},
    ),
    "typing_of_ga4": ("from_ga4", {"events": "exported", "mapping": "json", "collapse": "typing"}),
    "typing_of_ga4_by_a_column": (
        "from_ga4",
        {"events": "exported", "columns": {"text": "LOWER(term)"}, "collapse": "typing"},
    ),
    "ubi_flat": ("from_ubi", {"queries": "asked", "events": "events", "mapping": "flat", "requests": "logged"}),
    "snowplow": ("from_snowplow", {"interactions": "interactions", "where": "agent = 'a' OR agent = 'b'"}),
    "segment": ("quality_of_segment", {"viewed": "viewed", "clicked": "clicked", "where": "NOT is_bot"}),
    "ga4": ("from_ga4", {"events": "exported", "context": "device", "where": "NOT is_bot"}),
    "lists": ("from_lists", {"relation": "recs", "columns": {"items": "items", "query": ["shop", "buyer"]}}),
    "lists_of_groups": (
        "from_lists",
        {"relation": "recs", "columns": {"items": "items"}, "context": "market", "empty_lists": True},
    ),
    "empty_lists": (
        "summary",
        {"relation": "r", "metrics": "rr", "columns": {"run": "arm"}, "by": "market", "empty_lists": True},
    ),
    "liked": ("judgments_from_lists", {"relation": "recs", "columns": {"relevant": "liked"}, "context": ["market"]}),
    "lists_quality": ("quality_of_lists", {"relation": "recs", "columns": {"items": "items", "relevant": "liked"}}),
    "spans": (
        "from_spans",
        {"relation": "traces", "context": ["trace_id", "session"], "columns": {"query": "question"}, "order": "score"},
    ),
    "spans_of_opentelemetry": (
        "from_spans",
        {"relation": "traces", "convention": "opentelemetry", "item": "metadata.source", "empty_lists": True},
    ),
    "spans_quality": ("quality_of_spans", {"relation": "traces", "order": "score", "fields": {"agent": "agent.name"}}),
    "ratings": ("from_ratings", {"relation": "rated", "threshold": 4}),
    "rated": (
        "judgments_from_ratings",
        {"relation": "rated", "columns": {"user": ["shop", "buyer"]}, "context": "market"},
    ),
    "reference": ("judgments_from_run", {"relation": "other", "columns": {"query": ["shop", "asked"]}}),
    "consensus_of_judges": (
        "consensus",
        {"relation": "grades", "rule": "majority", "ties": "drop", "min_judges": 2, "columns": {"item": "doc"}},
    ),
    "reference_by_position": (
        "judgments_from_run",
        {"relation": "other", "columns": {"position": "place"}, "context": "day"},
    ),
    "ratings_quality": ("quality_of_ratings", {"relation": "rated", "columns": {"user": "buyer"}}),
    **{
        f"profile_{name.replace('-', '_')}": (
            "summary",
            {
                "relation": "runs",
                "metrics": ["ndcg@10", "ap", "rr", "p@5", "r@100"],
                "qrels": "labels",
                "profile": name,
                "options": {"ties": "item_asc", "score_type": "double"},
            },
        )
        for name in profiles()
    },
}
EXPRESSIONS = {
    f"metric_{metric.name}": {"k": 7} if metric.takes_k else {}
    for metric in metrics().values()
    if metric.shape == "value"
}
NAMES = [*CASES, "expressions"]


def text_of(name, call):
    """A case, its macros called by a function of their name and arguments."""
    if name == "expressions":
        return "SELECT\n" + ",\n".join(f"{call(macro, given)} AS {macro}" for macro, given in EXPRESSIONS.items())
    return call(*CASES[name])


@cache
def rendered(target):
    """Each case as Python renders it; what the dialect cannot express is left out."""
    found = {}
    for name in NAMES:
        with suppress(UsageError):
            found[name] = text_of(name, lambda macro, given: macros(target)[macro](**given))
    return found


def jinja(macro, arguments):
    given = ", ".join(f"{name}={project.literal(value)}" for name, value in arguments.items())
    return "{{ rankmetrics_sql." + macro + "(" + given + ") }}"


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """The text of every case as an environment compiles it for a target."""
    places = {}

    def compiled(environment, target):
        place = places.get(environment) or tmp_path_factory.mktemp(environment)
        if environment not in places:
            project.write_frame(place)
            dbt_envs.run(environment, place, "deps")
            places[environment] = place
        for folder in ("models", "target/compiled"):
            shutil.rmtree(place / folder, ignore_errors=True)
        (place / "models").mkdir()
        for name in rendered(target):
            (place / "models" / f"{name}.sql").write_text(text_of(name, jinja), encoding="utf-8")
        done = dbt_envs.run(environment, place, "compile", *OFFLINE[environment], target=target)
        assert done.status == 0, done.output
        return dbt_envs.compiled(place)

    return compiled


@pytest.mark.long
@pytest.mark.parametrize(("environment", "target"), [(name, it) for name, them in COMPILED.items() for it in them])
def test_dbt_compiles_the_text_that_python_renders(texts, environment, target):
    found, wanted = texts(environment, target), rendered(target)
    assert found.keys() == wanted.keys()
    assert [name for name in wanted if found[name] != wanted[name]] == []


@pytest.mark.parametrize("target", mostly_long(TARGETS, "bigquery"))
def test_little_is_refused(target):
    """Without floats of 32 bits, without a recursion that has window functions, and without periods."""
    lacking = {"float32"} if target in ("bigquery", "snowflake") else set()
    lacking |= set() if target in ("duckdb", "postgres") else {"endless"}
    lacking |= set() if macros(target)["rm_period"]("t", "day", "UTC") else {"periods"}
    assert set(NAMES) - rendered(target).keys() == lacking


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_the_text_parses_in_its_dialect(target):
    for text in rendered(target).values():
        sqlglot.parse_one(text, read=target)


# Builds: what stands in the tables afterwards.
def rows(target, place, port, name, columns):
    """A table as a warehouse holds it."""
    listed = ", ".join(columns)
    if target == "postgres":
        copy = f"COPY (SELECT {listed} FROM proof.{name}) TO STDOUT (FORMAT csv)"
        command = [
            postgres.programs() / "psql",
            "-XqAt",
            "-h",
            "127.0.0.1",
            "-p",
            port,
            "-U",
            postgres.USER,
            "-c",
            copy,
        ]
        done = subprocess.run([*map(str, command), "postgres"], capture_output=True, text=True, check=True)
        return list(csv.reader(io.StringIO(done.stdout)))
    file = place / "proof.duckdb"
    source = name if target == "duckdb" else f"read_parquet('{place}/spark-warehouse/{name}/*.parquet')"
    with duckdb.connect(str(file) if target == "duckdb" else ":memory:", read_only=target == "duckdb") as connection:
        return connection.execute(f"SELECT {listed} FROM {source}").fetchall()


def as_numbers(keys, rows):
    """Key to numbers; NULL is None however it is written."""
    size = len(keys)
    return {tuple(row[:size]): [None if x in (None, "") else float(x) for x in row[size:]] for row in rows}


def differences(found, wanted, tolerance=1e-12, relative=True):
    """The keys whose numbers differ."""

    def same(one, other):
        if one is None or other is None:
            return one is other
        return abs(one - other) <= tolerance * (max(1, abs(other)) if relative else 1)

    assert found.keys() == wanted.keys()
    return [key for key in wanted if not all(map(same, found[key], wanted[key]))]


@pytest.mark.long
@pytest.mark.parametrize(("environment", "target"), BUILT)
def test_a_project_builds_with_the_numbers_of_python(tmp_path, environment, target):
    # Spark takes half a minute for each of the largest models
    left_out = ["figures"] if target == "spark" else []
    with postgres.server() if target == "postgres" else nullcontext(5432) as port:
        wanted = project.write(tmp_path, target, environment=environment, port=port)
        assert dbt_envs.run(environment, tmp_path, "deps").status == 0
        exclusion = [f"--exclude={' '.join(left_out)}"] if left_out else []
        done = dbt_envs.run(environment, tmp_path, "build", *exclusion, target=target)
        assert done.status == 0, done.output
        assert len(done.of("pass")) == len(wanted) + 2 - len(left_out)
        for name, (keys, numbers, expected) in wanted.items():
            if name not in left_out:
                found = as_numbers(keys, rows(target, tmp_path, port, name, [*keys, *numbers]))
                assert len(found) > 1
                assert differences(found, as_numbers(keys, expected), relative=target != "duckdb") == [], name


@pytest.mark.long
def test_sqlmesh_builds_it_too(tmp_path):
    wanted = project.write(tmp_path, environment="sqlmesh", names=project.FEW)
    (tmp_path / "dbt_packages").mkdir()  # SQLMesh installs no packages
    (tmp_path / "dbt_packages" / "rankmetrics_sql").symlink_to(sql_root())
    done = dbt_envs.run("sqlmesh", tmp_path, "plan", "--auto-apply", "--no-prompts")
    assert done.status == 0, done.output
    for name, (keys, numbers, expected) in wanted.items():
        found = as_numbers(keys, rows("duckdb", tmp_path, 0, name, [*keys, *numbers]))
        assert differences(found, as_numbers(keys, expected), relative=False) == [], name


# Mutations: a file of the package, what stands there and what to put instead.
MUTATIONS = {
    "ties": ("core/10_ranked.sql", "options.ties != 'item_asc'", "options.ties == 'item_asc'"),
    "ascending": ("core/10_ranked.sql", "' DESC NULLS LAST' if key.descending", "' ASC NULLS LAST' if key.descending"),
    "rank_from_2": ("core/10_ranked.sql", "\nROW_NUMBER() OVER (", "\n1 + ROW_NUMBER() OVER ("),
    "lost_query": ("core/19_per_query.sql", "rm_of_a_query(plan),", "rm_of_a_query(plan) ~ ' AND rnk > 0',"),
    "cutoff": ("metrics/shared/hits.sql", "'rnk <= ' ~ k", "'rnk < ' ~ k"),
    "threshold": ("metrics/shared/hits.sql", "'relevance >= '", "'relevance > '"),
    "total": ("statistics/03_totals.sql", "'AVG(' if aggregate == 'mean'", "'MAX(' if aggregate == 'mean'"),
    "missing_grades": ("inputs/05_qrels.sql", "columns.relevance }} IS NOT NULL", "columns.relevance }} > 1"),
    "other_queries": ("core/10_ranked.sql", "PARTITION BY {{ pass.plan.row_keys | join(', ') }}\n", "\n"),
    "sides": (
        "statistics/05_logarithms.sql",
        "'candidate_value - baseline_value'",
        "'baseline_value - candidate_value'",
    ),
    "logarithm": ("compat/rm_log2.sql", "'LOG2('", "'LN('"),
}


def mutated(place, changes):
    """A copy of the package with changes: file, old, new."""
    shutil.copytree(sql_root(), place)
    for file, old, new in changes:
        text = (place / "macros" / file).read_text(encoding="utf-8")
        assert old in text, f"{file} has no {old}"
        (place / "macros" / file).write_text(text.replace(old, new), encoding="utf-8")
    return place


def test_what_mutations_change_is_there():
    """Known without dbt, so that a template that has moved on is missed where it has."""
    texts = {file: (sql_root() / "macros" / file).read_text(encoding="utf-8") for file, _, _ in MUTATIONS.values()}
    assert [name for name, (file, old, _) in MUTATIONS.items() if old not in texts[file]] == []


def built(place, package, names=()):
    """What came of the project with a package."""
    project.write(place, package=package, environment="dbt-2", names=names)
    assert dbt_envs.run("dbt-2", place, "deps").status == 0
    return dbt_envs.run("dbt-2", place, "build")


@pytest.mark.long
@pytest.mark.parametrize("name", [None, *MUTATIONS])
def test_a_mutation_fails_a_test(tmp_path, name):
    package = mutated(tmp_path / "sql", [MUTATIONS[name]] if name else [])
    done = built(tmp_path / "project", package, (*project.FEW, "dcg@5"))
    assert done.of("error") == [], done.output
    assert done.of("pass"), done.output
    assert bool(done.of("fail")) == (name is not None)


# What is done to the text of every metric's own macros, all at once.
KINDS = {
    "rank": (r"(?<![\w.'])rnk(?!\w)", "(rnk + 1)"),
    "cutoff": (r"(\{%-? macro metric_\w+\(\s*k=none[^)]*\) -?%\})", r"\1{%- set k = none if k is none else k + 1 -%}"),
    "threshold": (r" >= ", " > "),
    "quotient": (r" / ", " * "),
    "ratio": (r"\brm_ratio\(", "rm_ratio('1 + ' ~ "),
    "sign": (r" - (?=[\w(])", " + "),
    "aggregate": (r"\bMAX\(", "COUNT("),
    "constant": (r"return\('1'\)", "return('2')"),
    "none": (r"$^", ""),
}
EQUIVALENT = {"threshold": {"of_bpm"}}  # a trifle that it adds for rounding stands between >= and >


@cache
def as_they_are():
    """The statements of the models in ``write_each``."""
    return {model: text(macros("duckdb"), names) for model, names in project.each().items()}


CHANGED = {}  # models by the kind of mutation


def mutated_metrics(place, kind):
    """A copy of the package with every metric changed, and which of the models in ``write_each`` that touches."""
    package = mutated(place, [])
    for metric in metrics().values():
        file = package / "macros" / metric.path.relative_to(sql_root() / "macros")
        header, mark, body = file.read_text(encoding="utf-8").partition("-#}")
        file.write_text(header + mark + re.sub(*KINDS[kind], body), encoding="utf-8")
    if kind not in CHANGED:
        after = Macros([package / "macros"], "duckdb")
        CHANGED[kind] = {model for model, names in project.each().items() if as_they_are()[model] != text(after, names)}
    return package, CHANGED[kind]


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_a_mutation_of_any_metric_fails_its_test(tmp_path, kind):
    package, changed = mutated_metrics(tmp_path / "sql", kind)
    project.write_each(tmp_path / "project", package)
    assert dbt_envs.run("dbt-2", tmp_path / "project", "deps").status == 0
    done = dbt_envs.run("dbt-2", tmp_path / "project", "build")
    broken = {*done.of("error"), *(name.removesuffix("_as_in_python") for name in done.of("fail"))}
    assert broken == changed - EQUIVALENT.get(kind, set())
    assert bool(broken) == (kind != "none")


@pytest.mark.long
def test_every_metric_is_mutated(tmp_path):
    changed = [mutated_metrics(tmp_path / kind, kind)[1] - EQUIVALENT.get(kind, set()) for kind in KINDS]
    assert set.union(*changed) == set(project.each())


def text(namespace, names):
    """The statement of some metrics by a namespace of macros; the refusal where that fails."""
    try:
        return namespace["per_query"]("runs", names, qrels="labels")
    except (UsageError, TypeError) as refusal:
        return repr(refusal)
