"""The text of the statements: what is printed runs, what is translated parses, and the templates obey dbt's rules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp

import rankmetrics_sql as rm
from dev.engines.plugin import package
from rankmetrics_sql.definitions.catalogue import metrics
from rankmetrics_sql.dialects import check_dialect
from rankmetrics_sql.templates import macros

from .. import golden
from ..conftest import quietly, random_data
from ..everything import mostly_long
from .known import EXECUTED, RENDERED, tree_of

ALL_METRICS = [
    f"{metric.name}@10" if metric.takes_k else metric.name for metric in metrics().values() if metric.of_grades
]


@pytest.fixture(scope="module")
def warehouse():
    import pandas as pd

    run, qrels = random_data(1)
    with duckdb.connect() as connection:
        frames = {
            "runs": pd.DataFrame(
                [(q, i, s) for q, items in run.items() for i, s in items.items()],
                columns=["query_id", "item_id", "score"],
            ),
            "labels": pd.DataFrame(
                [(q, i, float(g)) for q, items in qrels.items() for i, g in items.items()],
                columns=["query_id", "item_id", "relevance"],
            ),
        }
        for name, frame in frames.items():
            connection.register("frame", frame)
            connection.execute(f"CREATE TABLE {name} AS FROM frame")
        yield connection


@pytest.mark.parametrize("level", ["summary", "per_query"])
def test_printed_text_gives_the_same_numbers(warehouse, level):
    text = rm.sql(ALL_METRICS, "runs", "labels", level=level)
    result = quietly(rm.evaluate, "runs", "labels", ALL_METRICS, connection=warehouse)
    expected = {"summary": result.summary, "per_query": result.per_query}[level].fetchall()
    for found, wanted in zip(warehouse.execute(text).fetchall(), expected, strict=True):
        assert found == pytest.approx(wanted, abs=1e-12)


def test_without_a_query_there_is_no_value(warehouse):
    """Of all queries together, sums of nothing are no 0."""
    pooled = [name for name, metric in metrics().items() if metric.has_parts and not metric.reads_beside]
    assert "arp" in pooled
    text = rm.sql([*pooled, "rr", "f(f_beta=of_averages)@5"], "runs", "SELECT * FROM labels WHERE false")
    assert {row[1:] for row in warehouse.execute(text).fetchall()} == {(None, 0, 0)}


def test_compare_is_printed_too(warehouse):
    text = rm.sql(
        ["ap"], {"one": "runs", "two": "SELECT query_id, item_id, -score AS score FROM runs"}, "labels", level="compare"
    )
    [row] = warehouse.execute(text).fetchall()
    assert row[:3] == ("two", "one", "ap")


@pytest.mark.parametrize("dialect", [*EXECUTED, *RENDERED])
@pytest.mark.parametrize("level", mostly_long(["summary", "per_query"], "summary"))
@pytest.mark.parametrize("wanted", [["ndcg@10"], pytest.param(ALL_METRICS, marks=pytest.mark.long)], ids=["one", "all"])
def test_every_dialect_parses(dialect, level, wanted):
    text = rm.sql(
        wanted,
        'shop."Runs"' if check_dialect(dialect).quotes != "``" else "shop.`Runs`",
        "labels",
        dialect=dialect,
        level=level,
    )
    tree = tree_of(text, dialect)
    names = {table.name for table in tree.find_all(exp.Table) if not table.name.lower().startswith("rankmetrics_")}
    assert names - {"DUAL"} == {"Runs", "labels"}


@pytest.mark.parametrize(
    ("dialect", "wanted"),
    [
        ("duckdb", "LOG2(rnk + 1)"),
        ("postgres", "LN(2)"),
        ("bigquery", "LN(CAST(2 AS FLOAT64))"),
    ],
)
def test_logarithms(dialect, wanted):
    assert wanted in rm.sql(["dcg@10"], "runs", "labels", dialect=dialect)


def test_postgres_orders_ids_by_bytes():
    assert 'CAST(item_id AS TEXT) COLLATE "C" DESC' in rm.sql(["rr"], "runs", "labels", dialect="postgres")


@pytest.mark.parametrize(
    "table", ["weird name; DROP TABLE x", 'quo"ted', "ünï.cödé", "a.b.c", '"already quoted"', "x'y"]
)
def test_names_are_data(table):
    text = rm.sql(["rr"], table, "labels")
    [run] = [cte for cte in sqlglot.parse_one(text, read="duckdb").ctes if cte.alias == "rankmetrics_run"]
    found = run.find(exp.Table)
    assert ".".join(part.name for part in found.parts) == table.strip('"')


@pytest.mark.parametrize(
    ("run", "metric", "stages"),
    [
        ("runs", "rr", ["run", "qrels", "ranked", "rows"]),
        ("runs", "ndcg", ["run", "qrels", "ranked", "ideal", "rows"]),
        ("runs", "ap", ["run", "qrels", "ranked", "matched", "judged", "rows"]),
        ("SELECT * FROM runs", "rr", ["run_source", "run", "qrels", "ranked", "rows"]),
    ],
)
def test_what_only_renames_is_no_stage(run, metric, stages):
    tree = sqlglot.parse_one(rm.sql([metric], run, "labels", level="per_query"), read="duckdb")
    assert [cte.alias.removeprefix("rankmetrics_") for cte in tree.ctes] == stages


@pytest.mark.parametrize("metric", ["judged@2", "rr", "p@2"])
def test_a_judged_query_without_results_counts_as_0_in_groups_of_the_run(metric):
    text = rm.sql([metric], "runs", "labels", level="summary", by=["run.market"])
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE runs AS SELECT 'a' AS query_id, 'i' AS item_id, 1.0 AS score, 'm' AS market")
        connection.execute(
            "CREATE TABLE labels AS FROM (VALUES ('a', 'i', 1), ('b', 'i', 1)) AS t(query_id, item_id, relevance)"
        )
        found = {row[0]: row[2:4] for row in connection.sql(text).fetchall()}
    assert found[None] == (0.0, 1)


def test_names_are_data_when_run(warehouse):
    name = "a table; DROP TABLE runs; --\"'"
    warehouse.execute(f"""CREATE VIEW "{name.replace('"', '""')}" AS FROM runs""")
    found, expected = (
        quietly(rm.evaluate, run, "labels", ["rr"], connection=warehouse)["rr"] for run in (name, "runs")
    )
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_stage_name_has_one_text():
    stage = {"name": "rankmetrics_x", "sql": "SELECT 1 AS a", "about": "the one", "hint": None}
    assert macros()["rm_with"]([stage, {**stage}]) == "WITH\n-- the one\nrankmetrics_x AS (\n    SELECT 1 AS a\n)"
    with pytest.raises(rm.UsageError, match="rankmetrics_x and differ:\nSELECT 1 AS a\n\nSELECT 2 AS a"):
        macros()["rm_with"]([stage, {**stage, "sql": "SELECT 2 AS a"}])


def test_a_stage_says_what_it_is():
    """Every stage is made by one macro, which takes no other; dev.check holds what they say to words."""
    with pytest.raises(rm.DataError, match="'about' was not provided"):
        macros()["rm_cte"]("rankmetrics_x", "SELECT 1 AS a")
    for about in ("", None, "one\ntwo", " one"):
        with pytest.raises(rm.UsageError, match="rankmetrics_x does not say what it is"):
            macros()["rm_cte"]("rankmetrics_x", "SELECT 1 AS a", about)


def test_a_metric_cannot_take_the_name_of_another_stage(monkeypatch):
    rm.sql("rr", "run", "qrels")  # so that the file of the macro is compiled, which would put it back
    taken = {"name": "rankmetrics_ranked", "columns": [], "ctes": []}
    taken["ctes"] = [macros()["rm_cte"](taken["name"], "SELECT 1 AS a", "the one")]
    monkeypatch.setattr(macros().functions, "rm_relations", lambda _pass: [taken])
    with pytest.raises(rm.UsageError, match="called rankmetrics_ranked and differ"):
        rm.sql("rr", "run", "qrels")


def test_a_column_of_judged_has_one_meaning(monkeypatch):
    rm.sql("err@5", "run", "qrels")
    monkeypatch.setattr(macros().functions, "rm_metric_columns", lambda _metric, _window: [{"name": "rnk", "sql": "1"}])
    with pytest.raises(rm.UsageError, match="called rnk and differ"):
        rm.sql("err@5", "run", "qrels")


@pytest.mark.parametrize(
    "options", [{}, {"unjudged": "drop", "depth": 3}, {"strategy": "count"}, {"queries": "retrieved"}]
)
def test_statements_keep_to_the_portable_subset(options):
    lists_alone = "queries" in options  # where no query is without a result
    asked = [metric for metric in ALL_METRICS if not (lists_alone and metric == "zero_results")]
    tree = sqlglot.parse_one(rm.sql(asked, {"a": "x", "b": "y"}, "labels", by=["market"], **options), read="duckdb")
    assert not list(tree.find_all(exp.Filter, exp.Qualify, exp.Intersect))
    assert not [
        literal
        for literal in tree.find_all(exp.Literal)
        if not literal.is_string and not literal.is_int and not isinstance(literal.parent, exp.Cast)
    ]
    assert not [join for join in tree.find_all(exp.Join) if join.args.get("using")]
    assert not [star for star in tree.find_all(exp.Star) if not star.find_ancestor(exp.Count)]
    assert all(cte.alias.startswith("rankmetrics_") for cte in tree.ctes)


# Like ibis, which defines dialects of its own, and so takes their names, and changes those of sqlglot.
OTHER_LIBRARY = """
import sqlglot
from sqlglot.dialects import Databricks, MySQL, Oracle, Postgres, Trino
class Exasol(Postgres): pass
for dialect in (Databricks, MySQL, Oracle, Postgres, Trino):
    dialect.generator_class.TRANSFORMS[sqlglot.exp.Pow] = sqlglot.dialects.dialect.rename_func("pow")
Oracle.NULL_ORDERING = "nulls_are_large"
"""


@pytest.mark.long
@pytest.mark.parametrize("first", [OTHER_LIBRARY, "import ibis.backends.sql.dialects"])
def test_another_library_that_uses_sqlglot_changes_nothing(first):
    if "ibis" in first:
        package("ibis")
    code = f"""
{first}
from tests import golden
changed = [str(path) for path, case, dialect in golden.files() if golden.text(case, dialect) != path.read_text()]
print(len(list(golden.files())), *changed)
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], check=False, cwd=root, capture_output=True, text=True)
    assert done.stdout.split() == [str(len(list(golden.files())))], done.stderr


def test_a_file_is_quoted(tmp_path, monkeypatch):
    """DuckDB in Python takes shown.csv for a variable called csv, where there is one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shown.csv").write_text("request_id,item_id,position\nr,a,1\n")
    (tmp_path / "done.csv").write_text("request_id,item_id,event_type\nr,a,click\n")
    csv = duckdb.sql("SELECT 'r' AS request_id, 'a' AS item_id, 7 AS position, 'scroll' AS event_type")
    assert duckdb.sql(rm.sql("mrr", rm.events("shown.csv", "done.csv"))).fetchall() == [("mrr", 1.0, 1)]
    assert csv.fetchall()
    assert "FROM a.csv" in rm.sql("rr", "a.csv", "b", dialect="postgres")


def test_a_header_says_what_its_engine_needs():
    texts = {dialect: rm.sql("rr", "r", "q", dialect=dialect) for dialect in ("postgres", "redshift", "duckdb", "tsql")}
    assert [name for name, text in texts.items() if "\n-- SET jit = off;\n" in text] == ["postgres"]
    assert [name for name, text in texts.items() if "text, dates or whole numbers" in text] == ["tsql"]


def test_the_stages_of_a_log_stand_at_the_top_in_t_sql():
    """T-SQL has no WITH inside another statement."""
    text = rm.sql("ctr@10", rm.events("shown", "clicked", arm="arm"), dialect="tsql")
    assert text.count("WITH\n") == 1
    assert text.index("\nrankmetrics_shown_items AS (") < text.index("\nrankmetrics_run_source AS (")
    log = rm.events("shown", "clicked", propensity="chance")
    with pytest.raises(rm.UsageError, match="two stages would be called rankmetrics_placed"):
        rm.sql("p@5", log, dialect="tsql", position="dense", ties="best")
