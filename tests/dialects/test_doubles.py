"""Divisions without a cast: what is taken for a double is one, as DuckDB says of every stage, and nothing else is."""

from __future__ import annotations

import duckdb
import pytest
import sqlglot
from sqlglot import exp

import rankmetrics_sql as rm
from rankmetrics_sql.dialects import check_dialect, transpile
from rankmetrics_sql.dialects.rules.numbers import _double_columns

METRICS = ["ndcg@10", "ap", "num_rel_ret"]
ARMS = {"run": {"a": "run", "b": "run"}, "qrels": "qrels", "level": "compare", "baseline": "a"}
CLUSTERS = {"query_list": "groups", "cluster": "person"}
STATEMENTS = {
    "pairs": ARMS | CLUSTERS,
    "arms": ARMS | {"design": "unpaired", "test": "mann_whitney"},
    "ranks": ARMS | {"test": "wilcoxon", "interval_level": "corrected"},
    "summary": {"run": "run", "qrels": "qrels", "interval": "t", "ties": "expected"},
}


@pytest.fixture(scope="module")
def tables():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE run (query_id TEXT, item_id TEXT, score DOUBLE)")
        connection.execute("CREATE TABLE qrels (query_id TEXT, item_id TEXT, relevance INTEGER)")
        connection.execute("CREATE TABLE groups (query_id TEXT, person TEXT)")
        yield connection


@pytest.mark.parametrize("name", STATEMENTS)
def test_what_is_taken_for_a_double_is_one(tables, name):
    tree = sqlglot.parse_one(rm.sql(METRICS, **STATEMENTS[name]), read="duckdb")
    stages = [stage.alias for stage in tree.ctes]
    doubles = _double_columns(tree, stages)
    assert {"rnk", "relevance"} <= doubles
    whole = exp.select("*").from_(", ".join(stages)).limit(0).sql("duckdb")
    statement = f"{tree.args['with_'].sql('duckdb')} {whole}"
    types = {name: str(kind) for name, kind, *_ in tables.execute(statement).description if name in doubles}
    assert {name: kind for name, kind in types.items() if kind != "DOUBLE"} == {}


@pytest.mark.parametrize(
    ("sql", "has_cast"),
    [
        ("SELECT a / b AS c FROM t", True),
        ("WITH s AS (SELECT a FROM t) SELECT a / 2 AS c FROM s", True),
        ("WITH s AS (SELECT COUNT(*) AS n FROM t), r AS (SELECT n AS m FROM s) SELECT m / 2 AS c FROM r", True),
        ("WITH s AS (SELECT CAST(a AS DOUBLE) AS a FROM t), r AS (SELECT a FROM t) SELECT a / 2 AS c FROM r", True),
        ("WITH s AS (SELECT CASE WHEN a THEN 1 ELSE CAST(b AS DOUBLE) END AS b FROM t) SELECT b / 2 AS c FROM s", True),
        (
            "WITH s AS (SELECT CAST(a AS DOUBLE) AS b FROM t), r AS (SELECT MAX(b) AS b FROM s) SELECT b / 2 FROM r",
            False,
        ),
    ],
)
def test_other_numbers_keep_their_cast(sql, has_cast):
    assert ("DOUBLE PRECISION) / " in transpile(sql, check_dialect("postgres"), {})) is has_cast
