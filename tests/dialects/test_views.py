"""``shape="view"``: text that stands behind CREATE VIEW, in engines and by an independent reading."""

from __future__ import annotations

import math
from itertools import product

import duckdb
import pytest
from click.testing import CliRunner
from sqlglot import exp

import rankmetrics_sql as rm
from rankmetrics_sql.cli import main
from rankmetrics_sql.dialects import check_dialect
from rankmetrics_sql.dialects.names import is_reserved
from rankmetrics_sql.dialects.translation import transpile

from ..conftest import quietly
from ..everything import each_once, mostly_long
from ..golden import DIALECTS
from .known import tree_of

LEVELS = ("summary", "sums", "per_query", "values", "compare", "compare_per_query", "decompose", "movements")
LEVELS += ("curve", "curve_per_query", "points")
ROWS = {
    "ra": ["'q1', 'a', 3.0", "'q1', 'b', 2.0", "'q2', 'a', 1.0", "'Q2', 'b', 1.0"],
    "rb": ["'q1', 'b', 3.0", "'q1', 'a', 2.0", "'q2', 'b', 1.0", "'Q2', 'b', 1.0"],
    "q": ["'q1', 'a', 1.0", "'q1', 'c', 2.0", "'q2', 'a', 1.0", "'Q2', 'b', 1.0"],
}


def written(level, **given):
    """A text of the level, over two runs where it compares some."""
    runs = {"a": "ra", "b": "rb"} if level in ("compare", "compare_per_query", "decompose", "movements") else "ra"
    metrics = (
        [] if level == "movements" else ["pr_curve"] if level == "points" else ["p"] if "curve" in level else ["rr"]
    )
    given |= {"by": "run.market"} if level == "decompose" else {}
    return rm.sql(metrics, runs, "q", level=level, **given)


# Those whose names differ most; each level in one of them is not long.
FIRST = ("duckdb", "oracle", "redshift", "snowflake", "tsql")


@pytest.mark.parametrize(
    ("level", "dialect"),
    [
        *each_once(LEVELS, FIRST),
        *(pytest.param(*pair, marks=pytest.mark.long) for pair in product(LEVELS, sorted({*DIALECTS} - {*FIRST}))),
    ],
)
def test_nothing_that_a_view_refuses(level, dialect):
    known = check_dialect(dialect)
    try:
        statement = written(level, dialect=dialect)
    except rm.UsageError:
        pytest.skip("what the dialect cannot express")
    text = written(level, dialect=dialect, shape="view")
    assert not text.endswith(";")
    tree, ordered = (tree_of(sql, dialect) for sql in (text, statement))
    assert tree.args.get("order") is None
    assert [column.alias_or_name.lower() for column in tree.expressions] == [
        column.alias_or_name.lower() for column in ordered.expressions
    ]
    quotes = [column.args["alias"] for column in tree.expressions if isinstance(column, exp.Alias)]
    assert all(not name.quoted or is_reserved(name.name, known) for name in quotes)
    comments = [line for line in text.splitlines() if line.startswith("-- ")]
    assert comments[0].startswith(f"-- rankmetrics_sql {rm.__version__}, {level}")
    assert not any(line.startswith(("-- tables", "-- The tables", "-- SELECT")) for line in comments)


@pytest.mark.parametrize(
    ("dialect", "by", "name", "ours"),
    [
        *[("oracle", "size", '"SIZE"', "value"), ("snowflake", "size", "size", "value")],
        *[("tsql", "size", "size", "value"), ("exasol", "month", '"MONTH"', '"value"')],
        ("doris", "month", "`month`", "`value`"),
    ],
)
def test_names_that_are_reserved(dialect, by, name, ours):
    """Those of the user as they are without quotes, and ours."""
    text = rm.sql("rr", "r", "q", dialect=dialect, by=by, shape="view")
    assert f"v.group_1 AS {name}," in text
    assert f"AVG(v.{ours}) AS {ours}," in text
    named = rm.sql("rr", "r", "q", dialect="snowflake", by='"Size"', shape="view")
    assert 'v.group_1 AS "Size",' in named


@pytest.mark.parametrize("name", mostly_long(["duckdb", "sqlite", "postgres-15"], "duckdb", "sqlite"))
def test_rows_of_views(start_engine, name):
    """Under names that need quotes, and those of runs and groups."""
    engine = start_engine(name)
    names = {"ra": "score", "rb": "score", "q": "relevance"}
    columns = {"query_id": '"order"', "item_id": '"Odd name"'}
    for table, rows in ROWS.items():
        engine.run(f"DROP TABLE IF EXISTS {table}")
        engine.run(
            f'CREATE TABLE {table} ("order" VARCHAR(9), "Odd name" VARCHAR(9), {names[table]} DOUBLE PRECISION,'
            ' "group" VARCHAR(9))'
        )
        engine.run(f"INSERT INTO {table} VALUES {', '.join(f'({row}, LOWER({row[:4]}))' for row in rows)}")
    runs = {"a": "ra", "b": "rb"}
    asked = {"columns": columns, "by": 'qrels."group"', "dialect": name.partition("-")[0]}
    with duckdb.connect() as connection:
        for table, rows in ROWS.items():
            connection.execute(
                f'CREATE TABLE {table} ("order" TEXT, "Odd name" TEXT, {names[table]} DOUBLE, "group" TEXT)'
            )
            connection.execute(f"INSERT INTO {table} VALUES {', '.join(f'({row}, LOWER({row[:4]}))' for row in rows)}")
        there = {"columns": {"query_id": "order", "item_id": "Odd name"}, "by": "qrels.group", "connection": connection}
        result = quietly(rm.evaluate, runs, "q", ["rr", "ndcg@10", "ap"], **there)
        expected = {
            "summary": [(*row, 0) for row in result.summary.fetchall()],
            "per_query": result.per_query.fetchall(),
        }
    for level, rows in expected.items():
        text = rm.sql(["rr", "ndcg@10", "ap"], runs, "q", level=level, shape="view", **asked)
        engine.run("DROP VIEW IF EXISTS v")
        engine.run(f"CREATE VIEW v AS {text}")
        found = engine.fetch("SELECT * FROM v")[1]
        assert sorted(map(rounded, found), key=str) == sorted(map(rounded, rows), key=str)
        engine.run("DROP VIEW v")


def rounded(row):
    return tuple(round(value, 12) if isinstance(value, float) and not math.isnan(value) else value for value in row)


def test_ids_in_sql_server():
    """A column that is text has a collation alone; one that is a number has none; of others a text is made."""
    statement = "WITH s AS (SELECT s.q AS query_id FROM t AS s) SELECT query_id FROM s"
    found = {
        kind: transpile(statement, check_dialect("tsql"), {}, None, texts)
        for kind, texts in (("number", {"q": False}), ("text", {"q": True}), ("unknown", {}))
    }
    assert "s.q AS query_id" in found["number"]
    assert "SELECT s.q COLLATE Latin1_General_100_BIN2_UTF8 AS query_id" in found["text"]
    assert "CAST(s.q AS NVARCHAR(4000)) COLLATE Latin1_General_100_BIN2_UTF8 AS query_id" in found["unknown"]


def test_the_command():
    arguments = ["sql", "--run", "r", "--qrels", "q", "-m", "rr", "--dialect"]
    print_of = lambda *more: CliRunner().invoke(main, [*arguments, *more])  # noqa: E731
    assert print_of("duckdb", "--for", "view").stdout == rm.sql("rr", "r", "q", shape="view") + "\n"
    assert print_of("duckdb").stdout.endswith(";\n")
    assert not print_of("oracle").stdout.rstrip().endswith(";")
    assert "--estimate cannot estimate a view" in print_of("duckdb", "--for", "view", "--estimate").output
    assert "'view'" in print_of("duckdb", "--for", "table").output


def test_other_shapes_are_refused():
    with pytest.raises(rm.UsageError, match=r"Unknown shape 'veiw'\. Did you mean 'view'"):
        rm.sql("rr", "r", "q", shape="veiw")
