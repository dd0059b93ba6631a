"""The generic tests of the dbt package, in dbt on DuckDB: what passes, warns and fails, and the rows that tell why."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
import yaml
from scipy import stats

from dev.dbt_envs import run
from rankmetrics_sql.errors import UsageError
from rankmetrics_sql.root import sql_root
from rankmetrics_sql.templates import macros

VERSIONS = [pytest.param(name, marks=pytest.mark.long) for name in ("dbt-1.8", "dbt-1", "dbt-2")]
ADAPTERS = {"clickhouse", "databricks", "duckdb", "postgres", "redshift", "snowflake", "spark", "trino", "bigquery"}
TESTS = sorted(
    path.stem for path in (sql_root() / "macros" / "tests").glob("*.sql") if not path.stem.startswith("shared")
)

# Reciprocal ranks: q1 1, q2 1/2 (us), q3 1/3 (eu); before, 1 for all three.
RESULTS = """(values
    ('q1', 'a', 9, 1, 1, 'us'), ('q1', 'b', 8, 2, 0, 'us'),
    ('q2', 'a', 9, 1, 0, 'us'), ('q2', 'b', 8, 2, 1, 'us'),
    ('q3', 'a', 9, 1, 0, 'eu'), ('q3', 'b', 8, 2, 0, 'eu'), ('q3', 'c', 7, 3, 1, 'eu')
) as t(query_id, item_id, score, place, relevance, market)"""

# Sixty queries, of which 40 are in the one arm and 20 in the other; each has two rows, and one is in none.
ARMS = """(
    select q as query_id, case when q = 60 then null when q < 40 then 'old' else 'new' end as arm,
        case when q < 30 or q >= 50 then 'de' else 'fr' end as market
    from range(61) as r(q), range(2) as s(i)
) as t"""

# The same queries six times.
MANY = f"""(
    select q.* replace (query_id || n as query_id)
    from {RESULTS.replace(" as t(", " as q(")} cross join range(6) as r(n)
)"""

# A year of days would show no more: 0.5 and 0.7 in turn, then a drop to 0.3 in the eu alone.
BY_ARM = {"columns": {"arm": "arm"}}
DAYS = """(
    select date '2026-01-01' + cast(d as integer) as day, market, 20 as n_queries,
        case when d = 8 and market = 'eu' then 0.3 when d % 2 = 0 then 0.5 else 0.7 end as rr
    from range(9) as r(d), (values ('eu'), ('us')) as m(market)
)"""

MODELS = {
    "results": f"select * from {RESULTS}",
    "results_untested": f"select * from {RESULTS}",  # dbt skips what depends on a model whose tests fail
    "results_before": f"select query_id, item_id, relevance as score, relevance, market from {RESULTS}",
    "results_renamed": f"""select query_id as "Query", item_id as doc, place, relevance as grade from {RESULTS}""",
    "judgments": f"select query_id, item_id, relevance, market from {RESULTS} where query_id <> 'q3'"
    " union all select 'q4', 'z', 2, 'us'",
    "arms": f"select * from {ARMS}",
    "catalogue": "select * from (values ('a'), ('b'), ('c'), ('d')) as t(item_id)",
    "per_query": "{{ rankmetrics_sql.per_query(ref('results_untested'), ['rr'], by='market') }}",
    "daily": f"select * from {DAYS} as t",
    "daily_lost": f"select * from {DAYS} as t where not (day = date '2026-01-09' and market = 'eu')",
    "daily_twice": f"select * from {DAYS} as t union all select * from {DAYS} as u",
    "daily_flat": "select date '2026-01-01' + d::int as day, 0.5 - (d = 4)::int * 1e-14 as rr from range(5) as r(d)",
    "run_broken": """select * from (values
        ('q1', 'a', 3.0, 1), ('q1', 'a', 2.0, 2), ('q1', 'b', null, 4), ('q1', 'c', 'nan'::double, 5),
        ('q2', 'a', 1.0, 2), ('q2', 'b', 0.5, 2), ('q2', null, 0.2, 3), ('q3', 'a', 1.0, null)
    ) as t(query_id, item_id, score, place)""",
    "qrels_broken": """select * from (values
        ('q1', 'a', 1.0), ('q1', 'a', 0.0), (null, 'b', 1.0), ('q1', 'c', null), ('q1', 'd', 'nan'::double),
        ('q1', 'e', 7.0)
    ) as t(query_id, item_id, relevance)""",
    "groups_mixed": """select * from (values
        ('q1', 'a', 1, 'us'), ('q1', 'b', 2, 'eu'), ('q2', 'a', 1, 'us'), ('q2', 'b', 1, null), ('q3', 'a', 1, null),
        ('q3', 'b', 1, null), (null, 'a', 1, 'us'), (null, 'a', 2, 'eu')
    ) as t(query_id, item_id, place, market)""",
    "comparison": """select * from (values
        ('new', 'rr', 'better'), ('new', 'ap', 'too few queries'), ('other', 'rr', 'no baseline'),
        ('other', 'ap', null), ('third', 'rr', 'no test'), ('third', 'ap', 'no common query')
    ) as t(run, metric, verdict)""",
    "comparison_renamed": """select * from (values ('a', 'rr', 'inconclusive'), ('b', 'rr', 'no baseline'))
        as t(system, measure, said)""",
    "compared_with_nothing": """select * from (
        {{ rankmetrics_sql.compare(
            relation=ref('systems'), columns={'run': 'system'}, baseline='odl', metrics='rr',
            qrels=ref('results_untested')
        ) }}
    ) as compared""",
    "systems": f"select *, 'old' as system from {RESULTS} union all select *, 'new' as system from {RESULTS}",
    "groups_null": "select 'q' as query_id, cast(null as varchar) as market from range(2)",
    "results_of_many": f"select * from {MANY} as t",
    "results_of_many_before": f"select query_id, item_id, relevance as score, relevance, market from {MANY} as t",
    "results_of_many_worst": f"select query_id, item_id, 1 - relevance as score, relevance, market from {MANY} as t",
    "results_worst": f"select query_id, item_id, 1 - relevance as score, relevance, market from {RESULTS}",
}


@dataclass(frozen=True)
class Case:
    """A test on a model, and what dbt must say of it; each stored row has at least the values of one of the rows."""

    name: str
    test: str
    model: str
    status: str
    arguments: dict[str, Any]
    rows: tuple[dict[str, Any], ...] = ()
    config: dict[str, Any] | None = None
    column: str | None = None

    @property
    def failures(self):
        """What dbt counts: the rows that broke."""
        return len(self.rows)


def computed(value):
    """A value of the file of cases; "=1/3" is arithmetic."""
    if isinstance(value, dict):
        return {key: computed(item) for key, item in value.items()}
    return eval(value[1:], {"sqrt": math.sqrt}) if isinstance(value, str) and value.startswith("=") else value


def read_cases():
    for group in yaml.safe_load((Path(__file__).parent / "generic_tests.yml").read_text()):
        for entry in group["cases"]:
            arguments = computed(group["arguments"] | entry.get("arguments", {}))
            rows = tuple(computed(row) for row in entry.get("rows", []))
            own = {"model": group["model"]} | entry | {"arguments": arguments, "rows": rows}
            yield Case(test=group["test"], **own)


CASES = list(read_cases())


def test_entry(case, nested):
    """A test as a project's YAML has it; dbt before 1.10.5 has its arguments beside its name."""
    arguments = {"arguments": case.arguments} if nested else case.arguments
    config = {"store_failures": True, **(case.config or {})}
    return {f"rankmetrics_sql.{case.test}": {"name": case.name, "config": config, **arguments}}


test_entry.__test__ = False


def schema(cases, nested):
    models = []
    for name in MODELS:
        mine = [case for case in cases if case.model == name]
        columns = [
            {"name": column, "data_tests": [test_entry(case, nested) for case in mine if case.column == column]}
            for column in sorted({case.column for case in mine if case.column is not None})
        ]
        tests = [test_entry(case, nested) for case in mine if case.column is None]
        models.append({"name": name, "data_tests": tests, "columns": columns})
    return {"version": 2, "models": models}


def write_project(folder, cases, version):
    """A project with every model and test, and the package beside it; JSON is YAML."""
    models = folder / "models"
    models.mkdir()
    profile = {"type": "duckdb", "path": str(folder / "warehouse.duckdb"), "threads": 2}
    project = {"name": "tried", "version": "1.0", "config-version": 2, "profile": "tried"}
    project["models"] = {"+materialized": "table"}
    if version != "dbt-1.8":
        project["flags"] = {"validate_macro_args": True}
    files = {
        "dbt_project.yml": project,
        "profiles.yml": {"tried": {"target": "duckdb", "outputs": {"duckdb": profile}}},
        "packages.yml": {"packages": [{"local": str(sql_root())}]},
        "models/schema.yml": schema(cases, nested=version != "dbt-1.8"),
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=1))
    for name, text in MODELS.items():
        (models / f"{name}.sql").write_text(text)


@dataclass(frozen=True)
class Built:
    """What a version of dbt said of every test: on empty relations, and on those with rows, which it stored."""

    folder: Path
    output: str
    empty: dict[str, Any]
    results: dict[str, Any]
    rows: dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module", params=VERSIONS)
def version(request):
    return request.param


@pytest.fixture(scope="module")
def built(version, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dbt")
    write_project(folder, CASES, version)
    assert run(version, folder, "deps").status == 0
    empty = run(version, folder, "build", "--empty")
    full = run(version, folder, "build")
    judged = [name for name, result in full.results.items() if result["status"] in ("pass", "warn", "fail")]
    with duckdb.connect(str(folder / "warehouse.duckdb"), read_only=True) as connection:
        rows = {name: stored_rows(connection, name) for name in judged}
    return Built(folder, empty.output + full.output, dict(empty.results), dict(full.results), rows)


def stored_rows(connection, name):
    cursor = connection.execute(f"from main_dbt_test__audit.{name}")
    columns = [column[0] for column in cursor.description]
    assert len(set(columns)) == len(columns)
    return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def is_as_wanted(row, wanted):
    return all(
        row[name] == (pytest.approx(value, abs=1e-12) if isinstance(value, float) else value)
        for name, value in wanted.items()
    )


def test_every_test_is_tried():
    assert {case.test for case in CASES} == set(TESTS)
    for test in TESTS:
        assert {case.status for case in CASES if case.test == test} == {"pass", "warn", "fail"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_status_and_rows(built, case):
    result = built.results[case.name]
    assert (result["status"], result["failures"]) == (case.status, case.failures), result
    rows = built.rows[case.name]
    assert len(rows) == len(case.rows), rows
    for wanted in case.rows:
        assert [row for row in rows if is_as_wanted(row, wanted)], (wanted, rows)


def test_all_pass_on_empty_relations(built):
    assert {case.name: built.empty[case.name]["status"] for case in CASES} == {case.name: "pass" for case in CASES}


def test_dbt_accepts_the_documentation(built):
    assert "does not match the jinja definition" not in built.output
    assert "has an invalid type" not in built.output
    entries = json.loads((built.folder / "target" / "manifest.json").read_text())["macros"]
    ours = {name.split(".")[2]: entry for name, entry in entries.items() if name.startswith("macro.rankmetrics_sql.")}
    shown = {name for name, entry in ours.items() if entry.get("docs", {}).get("show", True)}
    assert shown == described()
    assert all(ours[name]["description"] for name in shown)


def described():
    """The macros that the documentation shows; dev.check holds their arguments against the templates."""
    return {
        entry["name"]
        for path in sorted((sql_root() / "macros").rglob("*.yml"))
        for entry in yaml.safe_load(path.read_text())["macros"]
        if entry.get("docs", {}).get("show", True)
    }


def test_misuse_is_refused_by_dbt_too(version, tmp_path):
    wrong = ["rrr@5", "rr ap(k=3)", "ndcg@x", "hits_3", "ap_cut(rel=2)", "zzz"]
    said = (
        *("give at least one of error_below, warn_below.", "Did you mean 'rr@5'?", "a list: ['rr', 'ap(k=3)']."),
        *("at least 1, not 'x'.", "(success@3); say which.", "Did you mean 'map_cut(rel=2)@10'?", "There are "),
    )
    found = ""
    for number, arguments in enumerate(({"metrics": ["rr"]}, {"metrics": wrong, "error_below": 1})):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_project(folder, [Case("nothing", "metric_above", "results", "fail", arguments)], version)
        run(version, folder, "deps")
        done = run(version, folder, "compile")
        assert done.status != 0
        found += done.output
    assert "rankmetrics_sql: metric_above: give" in found
    unwrapped = " ".join(found.split())
    assert [one for one in said if one not in unwrapped] == []


@pytest.mark.parametrize(
    ("test", "arguments", "message"),
    [
        ("metric_above", {"metrics": "rr"}, "metric_above: give at least one of error_below, warn_below."),
        ("metric_above", {"metrics": "rrr", "error_below": 1}, "Unknown metric 'rrr'. Did you mean 'rr'?"),
        ("metric_above", {"metrics": "rr", "error_below": "a lot"}, "error_below must be a number, not 'a lot'."),
        ("metric_above", {"metrics": "rr", "warn_below": {"ap": 1}}, "warn_below: there is no 'ap'. Valid: rr."),
        (
            "metric_above",
            {"metrics": "rr", "error_below": 1, "options": {"tie": "x"}},
            "Unknown option 'tie'. Did you mean 'ties'?",
        ),
        ("metric_not_worse_than", {"metrics": "rr", "baseline": "b", "z": "two"}, "z must be a number, not 'two'."),
        ("sample_ratio_is_even", {}, "name the column of the arm: columns={'arm': ...}."),
        ("sample_ratio_is_even", {**BY_ARM, "shares": {"a": 1}}, "shares maps two arms or more"),
        (
            "sample_ratio_is_even",
            {**BY_ARM, "shares": {"a": 1, "b": 0}},
            "shares: b has 0, no number above 0.",
        ),
        ("sample_ratio_is_even", {**BY_ARM, "warn_below": "few"}, "warn_below must be a number, not 'few'."),
        ("metric_not_worse_than", {"metrics": "rr", "baseline": "b", "margin": -1}, "margin is at least 0"),
        (
            "metric_not_worse_than",
            {"metrics": "rr", "baseline": "b", "margin": "two"},
            "margin must be a number, not 'two'",
        ),
        (
            "metric_not_worse_than",
            {"metrics": "p@1", "baseline": "b", "margin": 0.1, "relative": True, "options": {"unjudged": "bounds"}},
            "unjudged=bounds gives the range of a difference, and relative also needs that of the baseline; leave",
        ),
        (
            "metric_not_worse_than",
            {"metrics": "rr", "baseline": "b", "margin": 0.1, "options": {"test": "sign"}},
            "test=sign compares queries, but limits= allows a loss of the mean",
        ),
        (
            "metric_not_worse_than",
            {"metrics": "rr", "baseline": "b", "error_drop": 0.1, "fail_unless_shown": True},
            "fail_unless_shown needs margin, by how much a metric may be worse: margin: 0.01.",
        ),
        (
            "metric_not_worse_than",
            {"metrics": "rr", "baseline": "b", "margin": 0.1, "fail_unless_shown": "yes"},
            "fail_unless_shown is true or false, not 'yes'.",
        ),
        ("metric_not_worse_than", {"metrics": "rr", "baseline": "b", "margin": {"ap": 1}}, "margin: there is no 'ap'"),
        ("metric_not_worse_than", {"metrics": "rr", "baseline": "b", "confidence_level": 2}, "confidence_level"),
        (
            "metric_not_worse_than",
            {"metrics": "rr(aggregate=median)", "baseline": "b"},
            "a comparison needs means or sums",
        ),
        ("metric_in_range", {"column_name": "rr"}, "give at least one of min_value, max_value, warn_min_value"),
        ("metric_in_range", {"min_value": 0}, "give at least one of column_name."),
        ("metric_stable", {}, "give at least one of error_drop, warn_drop, error_z, warn_z."),
        ("metric_stable", {"error_drop": 1, "better": "more"}, "better cannot be 'more'. Valid: higher, lower."),
        ("metric_stable", {"error_drop": 1, "min_queries": 5}, "Name it: columns={'n_queries': ...}."),
        ("run_is_valid", {"ignore": ["gaps"]}, "ignore: there is no 'gaps'. Valid: no_rows, null_id, duplicate, "),
        ("qrels_are_valid", {"warn_on": "gap"}, "warn_on: there is no 'gap'. Valid: no_rows, null_id, duplicate, "),
        ("qrels_are_valid", {"grades": ["good"]}, "grades must be a number, not 'good'."),
        ("groups_are_of_queries", {"by": []}, "by: name at least one column."),
        ("groups_are_of_queries", {"by": "g", "ignore": "null"}, "ignore: there is no 'null'. Valid: two_values, "),
        ("queries_overlap", {"qrels": "q"}, "give at least one of error_below, warn_below."),
        ("judged_share_above", {"qrels": "q"}, "judged_share_above: give at least one of error_below, warn_below."),
    ],
)
def test_misuse(test, arguments, message):
    with pytest.raises(UsageError) as refused:
        macros()[f"test_{test}"]("results", **arguments)
    assert str(refused.value).startswith("rankmetrics_sql: ")
    assert message in str(refused.value)


def test_thresholds_may_be_text():
    sql = macros()["test_metric_above"]("results", metrics="rr", error_below=" 0.5 ", warn_below="1e-3")
    assert "CAST( 0.5  AS DOUBLE) AS error_below" in sql
    assert "CAST(1e-3 AS DOUBLE) AS warn_below" in sql


@pytest.mark.long
@pytest.mark.parametrize("adapter", sorted(ADAPTERS))
def test_texts_parse_in_every_dialect(adapter):
    for case in CASES:
        text = macros(adapter)[f"test_{case.test}"](case.model, **{"column_name": case.column} | without_jinja(case))
        assert sqlglot.parse_one(text, read=adapter).expressions


def without_jinja(case):
    return {
        name: "judgments" if name in ("qrels", "baseline") else 1 if "{{" in str(value) else value
        for name, value in case.arguments.items()
    }


@pytest.mark.parametrize("n_arms", [2, 3, 6, 13])
@pytest.mark.parametrize("spread", [3, 40, 150])
def test_the_chance_of_a_ratio_is_that_of_scipy(n_arms, spread):
    """To 1e-9 where anybody would look twice, and to 1e-6 near 1."""
    counts = [1000 + (arm * arm * 7) % spread for arm in range(n_arms)]
    rows = ", ".join(f"({arm}, {n})" for arm, n in enumerate(counts))
    text = macros("duckdb")["test_sample_ratio_is_even"]("units", **BY_ARM, error_below=2)
    with duckdb.connect() as connection:
        counted = f"(VALUES {rows}) AS c(arm, n), range(2000) AS r(i)"
        connection.execute(f"CREATE TABLE units AS SELECT arm * 10000 + i AS query_id, arm FROM {counted} WHERE i < n")
        found = connection.execute(text).fetchall()
    statistic, pvalue = stats.chisquare(counts)
    assert sorted(int(row[0]) for row in found) == list(range(n_arms))
    for row in found:
        assert row[4] == pytest.approx(statistic, rel=1e-12)
        assert row[5] == pytest.approx(pvalue, rel=1e-9 if pvalue < 0.5 else 1e-6)


def test_the_ratio_of_groups_leaves_out_what_is_in_several_arms():
    """Of three markets one has none of the new arm; 25 queries of it are in both, in another market too."""
    text = macros("duckdb")["test_sample_ratio_is_even"](
        "units", **BY_ARM, error_below=2, by=["market"], shares={"old": 2, "new": 1, "lost": 1}
    )
    rows = [(n, "old" if n % 3 else "new", "de" if n % 2 else "fr") for n in range(900)]
    rows += [(n, "old", None) for n in range(900, 1000)]
    rows += [(n, arm, market) for n in range(1000, 1025) for arm, market in (("old", None), ("new", "fr"))]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE units (query_id INTEGER, arm TEXT, market TEXT)")
        connection.executemany("INSERT INTO units VALUES (?, ?, ?)", rows)
        found = connection.execute(text).fetchall()
    counts = {"de": (300, 150, 0), "fr": (300, 150, 0), None: (100, 0, 0)}
    assert len(found) == 9
    for market, arm, n, expected, n_several, statistic, pvalue, *_ in found:
        own = counts[market]
        wanted = [sum(own) / 2, sum(own) / 4, sum(own) / 4]
        place = ["old", "new", "lost"].index(arm)
        known = stats.chisquare(own, wanted)
        assert (n, expected, n_several) == (own[place], wanted[place], 0 if market == "de" else 25)
        assert statistic == pytest.approx(known.statistic, rel=1e-12)
        assert pvalue == pytest.approx(min(1, 3 * known.pvalue), rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("name", ["clickhouse", "datafusion", "googlesql", "mariadb", "postgres-15", "sqlite", "trino"])
def test_the_chance_of_a_ratio_in_every_engine(start_engine, name):
    engine = start_engine(name)
    rows = [(number, "old" if number % 5 < 3 else "new") for number in range(500)] + [(500, None)]
    engine.load("units", {"query_id": "bigint", "arm": "text"}, rows)
    render = macros(engine.dialects[0])["test_sample_ratio_is_even"]
    _, pvalue = stats.chisquare([300, 200])
    found = engine.fetch(render("units", **BY_ARM))[1]
    assert {row[0]: row[5] for row in found} == {arm: pytest.approx(pvalue, rel=1e-9) for arm in ("old", "new")}
    designed = engine.fetch(render("units", **BY_ARM, shares={"old": 3, "new": 2}, error_below=2))[1]
    assert [row[5] for row in designed] == [pytest.approx(1, abs=1e-9)] * 2
    unknown = engine.fetch(render("units", **BY_ARM, shares={"old": 1, "x": 1}))[1]
    assert {row[0]: row[5] for row in unknown} == dict.fromkeys(("old", "new", "x"))
