"""Evaluations that run inside a database: the numbers of DuckDB, nothing left behind, nothing given away."""

from __future__ import annotations

import ast
import datetime
import decimal
import gc
import os
import re
import signal
import sqlite3
import threading
import time

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

import rankmetrics_sql as rm
from dev.engines.plugin import package
from rankmetrics_sql.dialects import check_dialect
from rankmetrics_sql.dialects.names import quote_name, quoted, table_name
from rankmetrics_sql.drivers import recognise
from rankmetrics_sql.drivers.base import Estimate
from rankmetrics_sql.drivers.cancel import LOCAL_PATIENCE as PATIENCE
from rankmetrics_sql.engines.duckdb import sessions
from rankmetrics_sql.engines.warehouse import Warehouse
from rankmetrics_sql.errors import RankmetricsError

from ..conftest import fill, quietly, random_data
from ..everything import each_once

NAMES = ["sqlite", "postgres-15", "mariadb", "clickhouse", "postgres-18", "trino", "spark"]
METRICS = ["ndcg@10", "ap", "rr@5", "p@5", "r@100", "rbp(p=0.8)", "bpref", "num_rel", "ap(rel=2)"]
MARKETS = ["no", "se", "dk"]

RUN, QRELS = random_data(7, n_queries=24)
OTHER = {query: {item: -score for item, score in items.items()} for query, items in RUN.items()}


def market(query):
    return MARKETS[sum(map(ord, query)) % 3]


def triples(nested):
    return [(query, item, value) for query, items in nested.items() for item, value in items.items()]


def positions(nested):
    for query, items in nested.items():
        for place, item in enumerate(sorted(items, key=lambda item: (-items[item], item)), start=1):
            yield query, item, place, QRELS.get(query, {}).get(item)


TEXT, DOUBLE, BIGINT = "text", "double", "bigint"
IDS = {"query_id": TEXT, "item_id": TEXT}
TABLES = {
    "runs": (IDS | {"score": DOUBLE}, triples(RUN)),
    "others": (IDS | {"score": DOUBLE}, triples(OTHER)),
    "labels": (
        IDS | {"relevance": BIGINT, "market": TEXT},
        [(query, item, grade, market(query)) for query, item, grade in triples(QRELS)],
    ),
    "systems": (
        {"system": TEXT} | IDS | {"score": DOUBLE},
        [(name, *row) for name, run in (("old", RUN), ("new", OTHER)) for row in triples(run)],
    ),
    "labelled": (IDS | {"place": BIGINT, "relevance": BIGINT}, list(positions(RUN))),
    "sessions": (
        {"who": TEXT, "visit": TEXT, "item_id": TEXT, "score": DOUBLE},
        [(query[0], query[1:], item, score) for query, item, score in triples(RUN)],
    ),
    "session_labels": (
        {"who": TEXT, "visit": TEXT, "item_id": TEXT, "relevance": BIGINT},
        [(query[0], query[1:], item, grade) for query, item, grade in triples(QRELS)],
    ),
    "chosen": ({"query_id": TEXT}, [(query,) for query in list(QRELS)[:9]]),
}


@pytest.fixture(scope="module")
def here():
    """A DuckDB with the same tables."""
    types = {TEXT: "VARCHAR", DOUBLE: "DOUBLE", BIGINT: "BIGINT"}
    with duckdb.connect() as connection:
        for name, (columns, rows) in TABLES.items():
            described = ", ".join(f"{column} {types[type_]}" for column, type_ in columns.items())
            connection.execute(f"CREATE TABLE {name} ({described})")
            fill(connection, name, rows)
        yield connection


@pytest.fixture(scope="module")
def there(start_engine):
    """Name to engine with the tables."""
    loaded = {}

    def engine(name):
        if name not in loaded:
            started = start_engine(name)
            for table, (columns, rows) in TABLES.items():
                started.load(table, columns, rows)
            loaded[name] = started
        return loaded[name]

    return engine


def tables_of(connection):
    """What is in a database of SQLite."""
    return {
        row[0] for row in connection.execute("SELECT name FROM sqlite_master UNION SELECT name FROM temp.sqlite_master")
    }


@pytest.fixture
def lite():
    """SQLite with two small tables."""
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(
            """
            CREATE TABLE runs (query_id TEXT, item_id TEXT, score REAL);
            INSERT INTO runs VALUES ('x', 'a', 2), ('x', 'b', 1), ('y', 'a', 1);
            CREATE TABLE labels (query_id TEXT, item_id TEXT, relevance INTEGER);
            INSERT INTO labels VALUES ('x', 'b', 1), ('y', 'a', 1);
            """
        )
    yield connection
    connection.close()


@pytest.fixture
def lite_file(tmp_path, lite):
    """The same in a file."""
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        lite.backup(connection)
    connection.close()
    return path


def plain(row):
    return {name: value for name, value in row.items() if not isinstance(value, float)}


class Close(float):
    """A number that equals others within 1e-12."""

    def __eq__(self, other):
        return isinstance(other, float) and abs(self - other) <= 1e-12 * max(1, abs(self))

    __hash__ = float.__hash__


def close(row):
    """The row with numbers that may be off by rounding."""
    return tuple(Close(value) if isinstance(value, float) else value for value in row)


def assert_same(found, expected):
    """The same rows in whatever order, values within 1e-12, of the same types."""

    def key(row):
        return str(sorted(plain(row).items(), key=str))

    assert found.columns == expected.columns
    found, expected = sorted(found.dicts(), key=key), sorted(expected.dicts(), key=key)
    assert [close(row.values()) for row in expected] == [tuple(row.values()) for row in found]
    types = [[[type(value) for value in row.values()] for row in rows] for rows in (found, expected)]
    assert types[0] == types[1]


TEXTS = (
    "SELECT item_id, 'An item' AS item_text FROM runs WHERE score > 0",
    "SELECT query_id, 'What is it?' AS query_text FROM labels",
)
CASES = {
    "evaluate": lambda **there: rm.evaluate("runs", "labels", METRICS, **there),
    "by group": lambda **there: rm.evaluate("runs", "labels", ["ap", "rr"], by="market", **there),
    "two runs": lambda **there: rm.evaluate({"b": "runs", "a": "others"}, "labels", ["ap", "p@3"], **there),
    "a column of runs": lambda **there: rm.evaluate(
        "systems", "labels", ["ap", "rr"], columns={"run_id": "system"}, **there
    ),
    "several query columns": lambda **there: rm.evaluate(
        "sessions", "session_labels", ["ndcg", "rr"], columns={"query_id": ["who", "visit"]}, **there
    ),
    "a query list": lambda **there: rm.evaluate("runs", "labels", ["ap"], query_list="chosen", **there),
    "SQL text": lambda **there: rm.evaluate(
        "SELECT * FROM runs WHERE score > 0", "WITH x AS (SELECT * FROM labels) SELECT * FROM x", ["ap"], **there
    ),
    "labelled": lambda **there: rm.labelled("labelled", ["ndcg@5", "ap"], columns={"position": "place"}, **there),
    "counting": lambda **there: rm.evaluate("runs", "labels", ["ap", "ndcg@10"], strategy="count", **there),
    "judged rows checked": lambda **there: rm.evaluate("runs", "labels", ["ap"], check="judged", **there),
    "curve": lambda **there: rm.curve("runs", "labels", "p", at=[1, 5, 10], **there),
    "points": lambda **there: rm.curve("runs", "labels", "pr_curve", **there),
    "compare": lambda **there: rm.compare("runs", {"new": "others"}, "labels", ["ap", "rr"], **there),
    "decompose": lambda **there: rm.decompose("runs", {"new": "others"}, "labels", ["ap", "rr"], by="market", **there),
    "movements": lambda **there: rm.movements("runs", {"new": "others"}, "labels", k=5, **there),
    "judge next": lambda **there: rm.judge_next({"old": "runs", "new": "others"}, "labels", "ndcg@5", n=20, **there),
    "judge next with texts": lambda **there: rm.judge_next(
        {"old": "runs", "new": "others"}, "labels", "rr", texts=TEXTS, **there
    ),
    "judge next by a share": lambda **there: rm.judge_next(
        "systems", "labels", "r@5", columns={"run_id": "system"}, no_relevant=1, **there
    ),
}


# MariaDB joins the two in a nested loop without an index, for minutes; nothing but strategy=count asks for that.
PAIRS = [(name, case) for name in NAMES for case in CASES if (name, case) != ("mariadb", "counting")]


@pytest.mark.parametrize(("name", "case"), PAIRS)
def test_values_are_those_of_duckdb(here, there, name, case):
    found = quietly(CASES[case], connection=there(name).connection)
    expected = quietly(CASES[case], connection=here)
    for table in ("summary", "per_query"):
        if getattr(expected, table, None) is not None:
            assert_same(getattr(found, table), getattr(expected, table))
    assert found.warnings == expected.warnings


@pytest.mark.parametrize("name", NAMES)
def test_explanations_are_those_of_duckdb(here, there, name):
    arguments = {"profile": "quepid", "against": "trec_eval"}
    found, expected = (
        quietly(rm.explain, "runs", "labels", "ndcg@10", connection=connection, **arguments)
        for connection in (there(name).connection, here)
    )
    assert found.value == pytest.approx(expected.value, abs=1e-12)
    assert [choice["choice"] for choice in found.choices] == [choice["choice"] for choice in expected.choices]


@pytest.mark.parametrize("name", NAMES)
def test_the_statement_is_the_text_that_ran(there, name):
    engine = there(name)
    result = quietly(rm.evaluate, "runs", "labels", ["ap", "rr"], connection=engine.connection, check="none")
    rows = [tuple(row) for row in engine.fetch(result.sql)[1]]
    assert rows == [close(row) for row in result.summary.fetchall()]


@pytest.mark.parametrize("name", NAMES)
def test_arrow_batches_hold_the_same_rows(there, name):
    arguments = ("runs", "labels", ["ap", "num_rel"])
    result = quietly(rm.evaluate, *arguments, connection=there(name).connection)
    batches = list(result.per_query.batches(5))
    assert len(batches) > 1
    assert all(isinstance(batch, pa.RecordBatch) for batch in batches)
    rows = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    assert rows == [close(row) for row in result.per_query.fetchall()]


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
def test_faults_are_seen_in_batches_too(lite, name):
    connection = lite
    if name == "duckdb":
        connection = duckdb.connect()
        connection.execute("CREATE TABLE runs AS SELECT 'x' AS query_id, 'a' AS item_id, 1.0 AS score")
        connection.execute("CREATE TABLE labels AS SELECT 'x' AS query_id, 'a' AS item_id, 1 AS relevance")
    result = quietly(rm.evaluate, "runs", "labels", ["rr"], connection=connection, check="judged")
    connection.execute("INSERT INTO runs SELECT * FROM runs")
    with pytest.raises(rm.DataError, match="runs: duplicate item in a query"):
        list(result.per_query.batches())


def test_the_reader_of_batches_has_time(here):
    """A timeout is for the statement and for each batch, not for what is done with them."""
    result = quietly(rm.connect(here, timeout=1.5).evaluate, "runs", "labels", ["ap"])
    batches = result.per_query.batches(3)
    first = next(batches)
    time.sleep(1.8)
    assert first.num_rows + sum(batch.num_rows for batch in batches) == len(result.per_query.fetchall())


def test_batches_of_nothing_but_a_number_of_rows(lite):
    result = quietly(rm.evaluate, "runs", "labels", ["rr"], connection=lite)
    for size in (0, 1_000_001, "5"):
        with pytest.raises(rm.UsageError, match=f"size takes a number of rows, at most 1,000,000, not {size!r}"):
            result.per_query.batches(size)
    assert [batch.num_rows for batch in result.per_query.batches(1_000_000)] == [2]


def test_arrow_tables_have_the_runs_in_their_order(here):
    runs = {"z": "runs", "a": "others"}
    result = quietly(rm.evaluate, runs, "labels", ["ap"], connection=here)
    found = [tuple(row.values()) for row in result.per_query.arrow().to_pylist()]
    assert found == result.per_query.fetchall()
    assert found[0][0] == "z"


@pytest.mark.long
@pytest.mark.parametrize(("type_", "end"), [("numeric(20, 0)", ""), ("numeric(21, 1)", ".0"), ("numeric", "")])
def test_long_numbers_stay_the_ids_that_they_are(there, type_, end):
    """As doubles the two would be one."""
    ids = ["12345678901234567890", "12345678901234567891"]
    table = (
        f"SELECT CAST(n AS {type_}) AS query_id, 'a' AS item_id, 1 AS {{}} FROM (VALUES ({ids[0]}), ({ids[1]})) v(n)"
    )
    result = quietly(
        rm.evaluate,
        table.format("score"),
        table.format("relevance"),
        ["rr"],
        connection=there("postgres-15").connection,
    )
    expected = [(name + end, 1.0) for name in ids]
    batches = [tuple(row.values()) for batch in result.per_query.batches(1) for row in batch.to_pylist()]
    assert batches == expected
    assert [(str(name), value) for name, value in result.per_query.fetchall()] == expected
    assert [(str(row["query_id"]), row["rr"]) for row in result.per_query.arrow().to_pylist()] == expected


# Bad input: what it says in DuckDB


BAD = {
    "duplicates": ("SELECT * FROM runs UNION ALL SELECT * FROM runs", "labels", {}),
    "a missing score": ("SELECT query_id, item_id, NULLIF(score, 0.25) AS score FROM runs", "labels", {}),
    "a missing id": ("SELECT query_id, NULLIF(item_id, 'n7') AS item_id, score FROM runs", "labels", {}),
    "no such table": ("nosuch", "labels", {}),
    "no such column": ("runs", "labels", {"columns": {"item_id": "itemid"}}),
    "no such group": ("runs", "labels", {"by": "nosuch"}),
    "no common query": (
        "SELECT 'zz' AS query_id, item_id, MAX(score) AS score FROM runs GROUP BY item_id",
        "labels",
        {},
    ),
    "two values of a group": (
        "runs",
        "SELECT query_id, item_id, relevance, CASE WHEN relevance > 0 THEN 'a' ELSE 'b' END AS market FROM labels",
        {"by": "market"},
    ),
    "ids of two types": ("SELECT 1 AS query_id, item_id, score FROM runs", "labels", {}),
    "an unknown query list": ("runs", "labels", {"query_list": "SELECT 'zz' AS query_id"}),
    "a changing statement": ("WITH x AS (DELETE FROM runs RETURNING *) SELECT * FROM x", "labels", {}),
}


@pytest.mark.parametrize("name", NAMES[:4])
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named_as_in_duckdb(here, there, name, case):
    """But for the query that is the example: which is the first is a question of the engine's collation."""
    run, qrels, options = BAD[case]
    messages = []
    for connection in (there(name).connection, here):
        with pytest.raises(RankmetricsError) as error:
            quietly(rm.evaluate, run, qrels, ["ap"], connection=connection, **options)
        messages.append(
            re.sub(r"query '\w+'", "query X", re.split(r"\(query, item|; (?:cast one|columns=)", str(error.value))[0])
            .replace("INTEGER", "BIGINT")
            .split(": ")[:3]
        )
    assert messages[0] == messages[1]


BAD_LABELLED = {
    "a place that two items share": ("SELECT query_id, item_id, 1 AS position, relevance FROM labelled", None, "ap"),
    "a place below 1": ("SELECT query_id, item_id, place - 1 AS position, relevance FROM labelled", None, "ap"),
    "a missing place": ("SELECT query_id, item_id, NULLIF(place, 2) AS position, relevance FROM labelled", None, "ap"),
    "labels that differ": (
        "SELECT query_id, item_id, place AS position, relevance + 1 AS relevance FROM labelled",
        "labels",
        "ap",
    ),
    "too few relevant items": (
        "SELECT query_id, item_id, place AS position, relevance, 0 AS n_relevant FROM labelled",
        None,
        "ap",
    ),
    "a grade beyond the scale": (
        "SELECT query_id, item_id, place AS position, relevance FROM labelled",
        None,
        "err(err_max=1)",
    ),
}


@pytest.mark.parametrize("name", NAMES[:4])
@pytest.mark.parametrize("case", BAD_LABELLED)
def test_bad_labelled_tables_are_named_as_in_duckdb(here, there, name, case):
    table, qrels, metric = BAD_LABELLED[case]
    options = {"position": "given"} if "place" in case else {}
    messages = []
    for connection in (there(name).connection, here):
        with pytest.raises(rm.DataError) as error:
            quietly(rm.labelled, table, [metric], qrels=qrels, connection=connection, **options)
        messages.append(re.split(r"[(:,]|of query|'\w+'", str(error.value))[:2])
    assert messages[0] == messages[1]


@pytest.mark.parametrize("name", NAMES[:4])
def test_warnings_of_several_runs_are_those_of_duckdb(here, there, name):
    """Statements count the rows, and the judged queries, of all runs together."""
    runs = {"a": "SELECT * FROM runs", "b": "SELECT * FROM others WHERE score > 0", "c": "runs"}
    judged = "SELECT * FROM labels WHERE market <> 'se'"
    said = [
        quietly(rm.evaluate, runs, judged, ["p@5"], connection=connection, check="full").warnings
        for connection in (there(name).connection, here)
    ]
    assert said[0] == said[1]
    unjudged = [text for text in said[1] if "without judgments" in text]
    assert (len(unjudged), sum("'b' query" in text and "without results" in text for text in said[1])) == (3, 1)


@pytest.mark.parametrize("name", NAMES[:4])
def test_queries_without_relevant_items_are_refused_as_in_duckdb(here, there, name):
    messages = []
    for connection in (there(name).connection, here):
        with pytest.raises(RankmetricsError) as error:
            quietly(rm.evaluate, "runs", "labels", ["ap"], connection=connection, no_relevant="error")
        messages.append(str(error.value).split("(no_relevant")[0])
    if name in ("sqlite", "mariadb"):  # they have no NaN
        assert "no_relevant=error needs NaN" in str(messages[0])
    else:
        assert messages[0] == messages[1]


@pytest.mark.parametrize(("table", "column"), [("runs", "score"), ("labels", "relevance")])
@pytest.mark.parametrize("value", ["'none'", "x'00'"])
@pytest.mark.parametrize("check", ["full", "none"])
def test_text_behind_many_numbers_is_no_number_in_sqlite(lite, table, column, value, check):
    """Any row of SQLite may have a value of another type, which a cast to a number makes 0."""
    rows = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) SELECT 'x', 'n' || i, -i FROM n"
    lite.execute(f"INSERT INTO {table} {rows}")
    lite.execute(f"INSERT INTO {table} VALUES ('y', 'odd', {value})")
    with pytest.raises(rm.DataError, match=rf"^{table}: {column} is not a number: \('y', 'odd', "):
        quietly(rm.evaluate, "runs", "labels", ["rr"], connection=lite, check=check)


@pytest.mark.long
def test_columns_that_differ_in_case_only(there):
    """The first of them is as good a score as the second: neither is taken."""
    connection = there("postgres-15").connection
    run = 'SELECT query_id, item_id, -score AS "SCORE", score AS "Score" FROM runs'
    with pytest.raises(rm.DataError, match=r"columns 'SCORE' and 'Score' differ only in case. Name one: col"):
        quietly(rm.evaluate, run, "labels", ["ap"], connection=connection)
    found = quietly(rm.evaluate, run, "labels", ["ap"], columns={"score": "Score"}, connection=connection)
    assert found["ap"] == Close(quietly(rm.evaluate, "runs", "labels", ["ap"], connection=connection)["ap"])
    others = 'SELECT *, 1 AS "Rank", 2 AS "RANK" FROM runs'  # not asked for
    assert quietly(rm.evaluate, others, "labels", ["ap"], connection=connection)["ap"] == Close(found["ap"])


def test_advice_on_ids_of_two_types_is_in_the_dialect(lite, here):
    run = "SELECT 1 AS query_id, item_id, MAX(score) AS score FROM runs GROUP BY item_id"
    labels = "SELECT '1' AS query_id, item_id, MAX(relevance) AS relevance FROM labels GROUP BY item_id"
    for connection in (lite, here):
        with pytest.raises(rm.DataError, match=r"columns=.* compares them as text") as refused:
            rm.evaluate(run, labels, "num_rel_ret", connection=connection)
        typed = columns_of(str(refused.value))
        found = quietly(rm.evaluate, run, labels, "num_rel_ret", connection=connection, columns=typed)
        alike = quietly(rm.evaluate, run.replace("1 AS q", "'1' AS q"), labels, "num_rel_ret", connection=connection)
        assert found["num_rel_ret"] == alike["num_rel_ret"] > 0


def columns_of(said):
    """What a message says to type."""
    return ast.literal_eval(re.search(r"columns=(\{.*?\})", said)[1])


@pytest.mark.long
@pytest.mark.parametrize(
    ("run", "qrels", "said", "alike"),
    [
        (
            "SELECT query_id, item_id, CAST(score AS TEXT) AS points FROM runs",
            "labels",
            "score (column 'points') is VARCHAR, not a number. If it holds numbers, pass columns=",
            ("runs", "labels"),
        ),
        (
            "runs",
            "SELECT query_id, item_id, relevance > 0 AS relevance FROM labels",
            "relevance (column 'relevance') is BOOLEAN, not a number. If it holds numbers, pass columns=",
            ("runs", "SELECT query_id, item_id, CASE WHEN relevance > 0 THEN 1 ELSE 0 END AS relevance FROM labels"),
        ),
        (
            "runs",
            "SELECT query_id, item_id, CASE relevance WHEN 0 THEN float 'NaN' ELSE relevance END AS relevance"
            " FROM labels",
            "is NaN, which is not a number",
            ("runs", "SELECT * FROM labels WHERE relevance <> 0"),
        ),
    ],
)
def test_what_a_message_on_numbers_says_to_type_there(there, run, qrels, said, alike):
    """In the types of PostgreSQL; the column of a score may have another name."""
    asked = {"metrics": ["ap"], "connection": there("postgres-15").connection}
    named = {"columns": {"score": "points"}} if "points" in run else {}
    with pytest.raises(rm.DataError) as error:
        rm.evaluate(run, qrels, **asked, **named)
    assert said in str(error.value)
    found = quietly(rm.evaluate, run, qrels, **asked, columns=columns_of(str(error.value)))
    assert found["ap"] == Close(quietly(rm.evaluate, *alike, **asked)["ap"])


@pytest.mark.long
def test_rows_without_a_score_are_left_out_there(there):
    run = "SELECT query_id, item_id, CASE score WHEN 0.5 THEN NULL WHEN 1 THEN 'NaN' ELSE score END AS score FROM runs"
    asked = {"metrics": ["ap"], "connection": there("postgres-15").connection}
    with pytest.raises(rm.DataError, match="with a NULL or NaN score") as error:
        rm.evaluate(run, "labels", **asked)
    condition = re.search(r"Leave such rows out: (WHERE .*)\.$", str(error.value))[1]
    assert "NaN" in condition
    found = quietly(rm.evaluate, f"SELECT * FROM ({run}) AS u {condition}", "labels", **asked)
    without = "SELECT * FROM runs WHERE score NOT IN (0.5, 1)"
    assert found["ap"] == Close(quietly(rm.evaluate, without, "labels", **asked)["ap"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"place": object()}, "connection is object; it must be a DuckDB connection"),
        ({"place": 1}, "connection is int; it must be a DuckDB connection"),
        ({"place": "nosuch://x"}, "nosuch"),
        ({"dialect": "postgres"}, "dialect=postgres, but this is DuckDB"),
        ({"dialect": "postgers"}, "Did you mean 'postgres'"),
        ({"timeout": 0}, "timeout is a number of seconds above 0 and at most 2,000,000, not 0"),
        ({"timeout": "1"}, "timeout is a number of seconds above 0 and at most 2,000,000, not '1'"),
        ({"materialize": 1}, "materialize takes the name of a schema, or temp, not 1"),
    ],
)
def test_bad_connections(arguments, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.connect(**arguments)


@pytest.mark.parametrize("name", ["dialect", "materialize", "memory_limit", "threads", "timeout"])
def test_what_is_said_of_the_place_is_said_there(name, lite):
    with pytest.raises(
        rm.UsageError, match=rf"{name} belongs to the connection\. Pass connection=connect\(PLACE, {name}="
    ):
        rm.evaluate("runs", "labels", ["ap"], connection=lite, **{name: 1})


def test_a_database_is_used_again_and_again(lite, lite_file, here):
    """With all that is said of it, and what was opened is given back at the end."""
    for place in (lite, here, f"sqlite:///{lite_file}"):
        expected = quietly(rm.evaluate, "runs", "labels", ["ap"], connection=place)["ap"]
        with rm.connect(place, timeout=60) as database:
            assert [quietly(database.evaluate, "runs", "labels", ["ap"])["ap"] for _ in range(3)] == [expected] * 3
            assert (
                quietly(database.compare, "runs", {"same": "runs"}, "labels", ["ap"]).summary.dicts()[0]["n_ties"] > 0
            )
            result = quietly(rm.evaluate, "runs", "labels", ["ap"], connection=database)
            assert "ap" in database.sql(["ap"], "runs", "labels")
            assert database.dialect in repr(database).lower() or database.dialect == "sqlite"
        assert len(result.per_query) > 1  # opened once more for that
        with pytest.raises(rm.UsageError, match="evaluate: connection= is the database itself here"):
            database.evaluate("runs", "labels", ["ap"], connection=place)


def test_our_own_database_keeps_nothing_of_an_evaluation():
    with rm.connect(threads=1, memory_limit="1GB") as database:
        for _ in range(2):
            result = quietly(database.evaluate, {"q": ["a"]}, {"q": ["a"]}, ["ap"])
            assert (result["ap"], len(result.per_query)) == (1, 1)


def test_settings_of_a_warehouse_are_its_own(lite):
    with pytest.raises(rm.UsageError, match="threads and memory_limit work only with DuckDB"):
        rm.evaluate("runs", "labels", ["ap"], connection=rm.connect(lite, threads=1))


# Kinds of connections


@pytest.mark.long
def test_sqlite_by_every_road(lite, lite_file):
    sqlalchemy = package("sqlalchemy")
    engine = sqlalchemy.create_engine(f"sqlite:///{lite_file}")
    with engine.connect() as connection:
        for given in ({"connection": lite}, {"connection": engine}, {"connection": connection}):
            assert quietly(rm.evaluate, "runs", "labels", ["rr"], **given)["rr"] == 0.75
    engine.dispose()
    assert quietly(rm.evaluate, "runs", "labels", ["rr"], connection=f"sqlite:///{lite_file}")["rr"] == 0.75


@pytest.mark.long
@pytest.mark.parametrize("url", ["sqlite://", "duckdb:///:memory:"])
def test_sessions_of_sqlalchemy(url):
    sqlalchemy, orm = package("sqlalchemy"), package("sqlalchemy.orm")
    engine = sqlalchemy.create_engine(url)
    with orm.Session(engine) as session:
        for statement in (
            "CREATE TABLE runs AS SELECT 'x' AS query_id, 'a' AS item_id, 1.0 AS score",
            "INSERT INTO runs VALUES ('x', 'b', 2.0)",  # neither is committed: only the session sees it
            "CREATE TABLE labels AS SELECT 'x' AS query_id, 'a' AS item_id, 1 AS relevance",
        ):
            session.execute(sqlalchemy.text(statement))
        result = rm.evaluate("runs", "labels", ["rr"], connection=session)
        assert result["rr"] == 0.5
        result.create_table("quality")
        assert session.in_transaction()
        assert session.execute(sqlalchemy.text("SELECT value FROM quality")).fetchall() == [(0.5,)]
        session.rollback()
    engine.dispose()


@pytest.mark.long
def test_an_engine_of_sqlalchemy_keeps_its_pool(tmp_path):
    """DuckDB has a connection of ours beside the pool's, which other threads use meanwhile."""
    engine = package("sqlalchemy").create_engine(f"duckdb:///{tmp_path / 'shop.duckdb'}")
    with engine.connect() as connection:
        for statement in (
            "CREATE TABLE runs AS SELECT 'x' AS query_id, 'a' AS item_id, 1.0 AS score",
            "CREATE TABLE labels AS SELECT 'x' AS query_id, 'a' AS item_id, 1 AS relevance",
        ):
            connection.exec_driver_sql(statement)
        connection.commit()
    result = rm.evaluate("runs", "labels", ["rr"], connection=engine)
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TEMP TABLE labels AS SELECT 'x' AS query_id, 'b' AS item_id, 1 AS relevance")
        assert result.per_query.fetchall() == [("x", 1.0)]
    engine.dispose()


@pytest.mark.long
def test_what_contradicts_its_dialect_is_closed(there):
    url, watcher = there("postgres-15").url, there("postgres-15").connection
    counting = "SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
    before = watcher.execute(counting).fetchone()
    with pytest.raises(rm.UsageError, match="dialect=mysql contradicts the connection") as kept:
        rm.evaluate("runs", "labels", ["rr"], connection=rm.connect(url, dialect="mysql"))
    assert kept.value.__traceback__ is not None  # which holds whatever was left open
    for _ in range(50):
        if (after := watcher.execute(counting).fetchone()) == before:
            break
        time.sleep(0.1)
    assert after == before


@pytest.mark.long
def test_a_url_is_text_or_sqlalchemys():
    url = package("sqlalchemy").make_url("postgresql://me:secret@localhost:1/shop")
    for given in (url, url.render_as_string(hide_password=False)):
        with pytest.raises(rm.DatabaseError, match="cannot connect") as error:
            rm.evaluate("runs", "labels", ["rr"], connection=given)
        assert "secret" not in str(error.value)


@pytest.mark.parametrize("name", ["postgres-15", "mariadb", "trino"])
def test_urls(there, here, name):
    engine = there(name)
    found = quietly(rm.evaluate, "runs", "labels", ["ap"], connection=engine.url)
    assert found["ap"] == pytest.approx(
        quietly(rm.evaluate, "runs", "labels", ["ap"], connection=here)["ap"], abs=1e-12
    )


@pytest.mark.long
@pytest.mark.parametrize("case", ["evaluate", "compare", "judged rows checked"])
def test_adbc_has_its_own_decimals(there, here, case):
    adbc = package("adbc_driver_postgresql.dbapi")
    with adbc.connect(there("postgres-15").url.replace("+psycopg", "")) as connection:
        found, expected = (quietly(CASES[case], connection=one) for one in (connection, here))
        assert_same(found.summary, expected.summary)
        if case != "compare":
            assert [tuple(row.values()) for row in found.per_query.arrow().to_pylist()] == found.per_query.fetchall()
            assert_same(found.per_query, expected.per_query)


@pytest.mark.long
def test_redshift_is_said(there, here):
    connection = there("postgres-15").connection
    found = quietly(rm.evaluate, "runs", "labels", ["ap"], connection=rm.connect(connection, dialect="redshift"))
    usual = quietly(rm.evaluate, "runs", "labels", ["ap"], connection=connection)
    assert "AS VARCHAR(65535))" in found.sql
    assert "VARCHAR" not in usual.sql
    assert_same(found.summary, quietly(rm.evaluate, "runs", "labels", ["ap"], connection=here).summary)


@pytest.mark.long
def test_a_duckdb_in_a_wrapper_is_duckdb(here):
    ibis = package("ibis")
    backend = ibis.duckdb.from_connection(here)
    found = quietly(rm.evaluate, "runs", "labels", ["ap"], connection=backend)
    assert found.sql == quietly(rm.evaluate, "runs", "labels", ["ap"], connection=here).sql


@pytest.mark.long
def test_names_of_any_case_in_postgresql(there):
    engine = there("postgres-15")
    for statement in (
        'DROP TABLE IF EXISTS "My Runs"',
        'CREATE TABLE "My Runs" ("QueryId" TEXT, "Doc-Id" TEXT, "Score" FLOAT, "user" TEXT)',
        """INSERT INTO "My Runs" VALUES ('x', 'a', 2, 'u'), ('x', 'b', 1, 'u')""",
        'DROP TABLE IF EXISTS "Labels"',
        'CREATE TABLE "Labels" ("QueryId" TEXT, "Doc-Id" TEXT, relevance INT, "Market" TEXT)',
        """INSERT INTO "Labels" VALUES ('x', 'b', 1, 'no')""",
    ):
        engine.run(statement)
    names = {"query_id": "QueryId", "item_id": '"Doc-Id"', "score": "Score"}
    arguments = ('"My Runs"', 'public."Labels"', ["rr"])
    result = rm.evaluate(*arguments, columns=names, by="Market", connection=engine.connection)
    assert result.summary.dicts() == [{"Market": "no", "metric": "rr", "value": 0.5, "n_queries": 1}]
    result = rm.evaluate(*arguments, columns=names, by="user", connection=engine.connection)
    assert result.summary.columns[0] == "user"


SQLITE_WORDS = """
    abort action add after all alter always analyze and as asc attach autoincrement before begin between by
    cascade case cast check collate column commit conflict constraint create cross current current_date
    current_time current_timestamp database default deferrable deferred delete desc detach distinct do drop each
    else end escape except exclude exclusive exists explain fail filter first following for foreign from full
    generated glob group groups having if ignore immediate in index indexed initially inner insert instead
    intersect into is isnull join key last left like limit match materialized natural no not nothing notnull null
    nulls of offset on or order others outer over partition plan pragma preceding primary query raise range
    recursive references regexp reindex release rename replace restrict returning right rollback row rows
    savepoint select set table temp temporary then ties to transaction trigger unbounded union unique update using
    vacuum values view virtual when where window with without
"""
WORDS = {
    "duckdb": "SELECT keyword_name FROM duckdb_keywords()",
    "mariadb": "SELECT word FROM information_schema.keywords WHERE word REGEXP '^[A-Z]'",
    "postgres-15": "SELECT word FROM pg_get_keywords()",
    "sqlite": None,
}


@pytest.mark.parametrize("name", WORDS)
def test_words_of_the_engine_are_names_too(there, here, name):
    """By the engine's own list of words, each as a column and as a table."""
    connection = here if name == "duckdb" else there(name).connection
    fetch = (
        (lambda sql: (None, connection.execute(sql).fetchall())) if name == "duckdb" else recognise(connection).fetch
    )
    dialect = check_dialect({"postgres-15": "postgres"}.get(name, name))
    words = [row[0].lower() for row in fetch(WORDS[name])[1]] if WORDS[name] else SQLITE_WORDS.split()
    assert len(words) > 100
    for word in words:
        column = quoted(word, dialect)
        assert fetch(f"SELECT s.{column} FROM (SELECT 1 AS {quote_name(word, dialect)}) AS s")[1] == [(1,)]
        stage = f"WITH {quote_name(word, dialect)} AS (SELECT 1 AS x)"
        assert fetch(f"{stage} SELECT x FROM {table_name(word, dialect)} AS s")[1] == [(1,)]


def test_a_column_that_is_a_word_of_the_engine(lite):
    lite.executescript("""
        CREATE TABLE "transaction" (query_id TEXT, "index" TEXT, score REAL, "add" TEXT);
        INSERT INTO "transaction" VALUES ('x', 'a', 2, 'm'), ('x', 'b', 1, 'm');
    """)
    columns = {"run.item_id": "index"}
    found = quietly(rm.evaluate, "transaction", "labels", ["rr"], connection=lite, columns=columns, by="add")
    assert ("m", "rr", 0.5, 1) in found.summary.fetchall()


# Nothing is written unless it is asked for


def test_files_and_objects_need_materialize(lite, tmp_path):
    (tmp_path / "run.csv").write_text("query_id,item_id,score\nx,b,1\n")
    frame = pd.DataFrame({"query_id": ["x"], "item_id": ["b"], "score": [1.0]})
    for run in (tmp_path / "run.csv", str(tmp_path / "run.csv"), frame, {"x": {"b": 1.0}}):
        with pytest.raises(rm.UsageError, match="pass materialize= with a schema"):
            rm.evaluate(run, "labels", ["rr"], connection=lite)


def test_a_table_comes_before_a_file_of_its_name(lite, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").write_text("x Q0 b 1 1 t\n")
    assert quietly(rm.evaluate, "runs", "labels", ["rr"], connection=lite)["rr"] == 0.75


@pytest.mark.parametrize("materialize", ["temp", "main"])
def test_what_is_stored_is_used_and_dropped(lite, tmp_path, materialize):
    made = []
    lite.set_trace_callback(lambda statement: made.append(statement) if "CREATE" in statement else None)
    (tmp_path / "run.csv").write_text("query_id,item_id,score\nx,a,2\nx,b,1e0\n")
    before = tables_of(lite)
    for run in (tmp_path / "run.csv", {"x": {"a": 2.0, "b": 1.0}}, {"x": ["a", "b"]}, "SELECT * FROM runs"):
        result = quietly(rm.evaluate, run, "labels", ["rr"], connection=rm.connect(lite, materialize=materialize))
        assert result["rr"] == (0.25 if run != "SELECT * FROM runs" else 0.75)
        assert len(result.per_query) == 2
        assert tables_of(lite) == before
    assert len(made) == 4
    assert all(("TEMPORARY" in statement) == (materialize == "temp") for statement in made)


@pytest.mark.parametrize("name", NAMES[:4])
def test_inputs_that_are_stored_there(there, here, name):
    schema = {"sqlite": "main", "postgres-15": "public", "mariadb": "tests", "clickhouse": "default"}[name]
    frame = pd.DataFrame(
        [(query, item, score, datetime.date(2024, 5, 1), True) for query, item, score in triples(RUN)],
        columns=["query_id", "item_id", "score", "day", "flag"],
    )
    found = quietly(
        rm.evaluate,
        frame,
        QRELS,
        METRICS,
        by=["day"],
        connection=rm.connect(there(name).connection, materialize=schema),
    )
    expected = quietly(rm.evaluate, frame, QRELS, METRICS, by=["day"])
    rows, others = (sorted((str(row[0]), *row[1:]) for row in one.summary.fetchall()) for one in (found, expected))
    assert rows == [close(row) for row in others]


def test_decimal_ids_stay_apart_when_they_are_stored(lite):
    ids = [decimal.Decimal(f"1234567890123456789012345678.{end}") for end in range(1, 4)]
    run = pd.DataFrame({"query_id": "x", "item_id": ids, "score": [3.0, 2.0, 1.0]})
    qrels = pd.DataFrame({"query_id": "x", "item_id": ids[2:], "relevance": 1})
    found = quietly(rm.evaluate, run, qrels, ["rr"], connection=rm.connect(lite, materialize="temp"))
    assert found["rr"] == pytest.approx(1 / 3, abs=1e-12)


def test_what_could_not_be_dropped_is_named(lite):
    lite.set_authorizer(
        lambda action, *_: sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_DROP_TABLE else sqlite3.SQLITE_OK
    )
    with pytest.warns(
        rm.RankmetricsWarning, match=r"rankmetrics_\w+ may be left in .*: not authorized\. List what is left: "
    ) as caught:
        rm.evaluate({"x": ["b"], "y": ["a"]}, "labels", ["rr"], connection=rm.connect(lite, materialize="main"))
    lite.set_authorizer(None)
    left = {row[0] for row in lite.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rankmetrics_%'")}
    assert left == {re.search(r"rankmetrics_\w+", str(warning.message))[0] for warning in caught}


def test_what_is_stored_is_dropped_when_something_fails(lite):
    before = tables_of(lite)
    with pytest.raises(rm.DataError, match="duplicate"):
        rm.evaluate(
            pd.DataFrame([("x", "a", 1.0)] * 2, columns=["query_id", "item_id", "score"]),
            "labels",
            ["rr"],
            connection=rm.connect(lite, materialize="main"),
        )
    assert tables_of(lite) == before


@pytest.mark.long
def test_no_temporary_tables_where_there_are_none(there):
    with pytest.raises(rm.UsageError, match="mysql has no temporary tables that a statement can read twice"):
        rm.evaluate("runs", "labels", ["ap"], connection=rm.connect(there("mariadb").connection, materialize="temp"))


def test_a_query_of_the_users_runs_once_when_it_is_stored(here):
    text = "SELECT query_id, item_id, random() AS score FROM runs"
    result = quietly(rm.evaluate, text, "labels", ["ap"], connection=rm.connect(here, materialize="temp"))
    values = [row[1] for row in result.per_query.fetchall()]
    assert result["ap"] == pytest.approx(sum(values) / len(values), abs=1e-12)
    assert here.execute("SELECT COUNT(*) FROM duckdb_tables() WHERE temporary").fetchall() == [(0,)]


@pytest.mark.parametrize("materialize", ["temp", "main"])
def test_what_is_stored_is_dropped_on_ctrl_c(lite, monkeypatch, materialize):
    before = tables_of(lite)
    seen = []

    def interrupted(*_):
        seen.append(tables_of(lite) - before)
        raise KeyboardInterrupt

    monkeypatch.setattr(Warehouse, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rm.evaluate({"x": {"a": 1.0}}, "labels", ["rr"], connection=rm.connect(lite, materialize=materialize))
    assert [len(names) for names in seen] == [1]
    assert tables_of(lite) == before


@pytest.mark.long
def test_results_do_not_use_up_a_pool(lite_file):
    sqlalchemy = package("sqlalchemy")
    engine = sqlalchemy.create_engine(f"sqlite:///{lite_file}", pool_size=1, max_overflow=0, pool_timeout=1)
    results = [quietly(rm.evaluate, "runs", "labels", ["rr"], connection=engine) for _ in range(3)]
    assert [len(result.per_query) for result in results] == [2, 2, 2]
    assert engine.pool.checkedout() == 0
    engine.dispose()


# Time


SLOW = (
    "SELECT a.query_id, b.item_id, a.score + b.score + c.score + d.score AS score"
    " FROM systems AS a, systems AS b, systems AS c, systems AS d"
)


@pytest.mark.parametrize("name", ["duckdb", "sqlite", "postgres-15", "mariadb"])
def test_a_statement_that_takes_too_long_is_cancelled(there, here, name):
    connection = here if name == "duckdb" else there(name).connection
    begin = time.monotonic()
    with pytest.raises(rm.DatabaseError, match=r"cancelled after 0.5 s") as error:
        rm.evaluate(SLOW, "labels", ["ap"], connection=rm.connect(connection, timeout=0.5))
    assert time.monotonic() - begin < 15
    assert "d.score" in error.value.sql
    assert quietly(rm.evaluate, "runs", "labels", ["ap"], connection=rm.connect(connection, timeout=60))["ap"] > 0


@pytest.mark.long
def test_a_timeout_holds_for_every_statement(there):
    """Even for a look at a table's columns, which waits while somebody else has the table locked."""
    url = there("postgres-15").url
    psycopg = package("psycopg")
    quietly(rm.evaluate, "runs", "labels", ["ap"], connection=url).create_table("to_be_locked")
    with psycopg.connect(url.replace("+psycopg", "")) as other:
        other.execute("LOCK TABLE labels, to_be_locked IN ACCESS EXCLUSIVE MODE")
        begin = time.monotonic()
        with pytest.raises(rm.DatabaseError, match=r"^cancelled after 0.5 s, the timeout$"):
            rm.evaluate("runs", "labels", ["ap"], connection=rm.connect(url, timeout=0.5))
        result = quietly(
            rm.evaluate,
            "runs",
            "runs",
            ["num_ret"],
            connection=rm.connect(url, timeout=5),
            columns={"qrels.relevance": "score"},
        )
        with pytest.raises(rm.DatabaseError, match=r"^cancelled after 5 s, the timeout$"):
            result.create_table("to_be_locked", replace=True)
        assert time.monotonic() - begin < 5.5 + 2 * PATIENCE
    there("postgres-15").run("DROP TABLE to_be_locked")


@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_is_one_in_duckdb_too(here, threads):
    slow = """
        WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5000000)
        SELECT 'x' AS query_id, CAST(MAX(n) AS VARCHAR) AS item_id, 1.0 AS score FROM r
    """  # the recursion is one task, and DuckDB itself looks for Ctrl-C between tasks
    here.execute(f"SET threads = {threads}")
    quietly(rm.evaluate, "SELECT * FROM runs", "labels", ["ap"], connection=here)  # Ctrl-C must not meet an import
    for _ in range(4):  # which thread of DuckDB's takes the task is a matter of luck
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            rm.evaluate(slow, "labels", ["ap"], connection=here)
        assert time.monotonic() - begin < 0.2 + PATIENCE
    assert quietly(rm.evaluate, "runs", "labels", ["ap"], connection=here).summary.fetchall()


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_is_one_before_the_first_statement(here, monkeypatch):
    monkeypatch.setattr(
        sessions, "_STATE_QUERY", "SELECT SUM(a * b) FROM range(1000000) AS x(a), range(1000000) AS y(b)"
    )
    here.execute("SELECT 1").fetchall()  # or it is known to have nothing of its own
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        rm.evaluate("runs", "labels", ["ap"], connection=here)


# What is left in the database


@pytest.mark.parametrize("name", ["duckdb", *NAMES])
@pytest.mark.parametrize("kind", ["table", "view"])
def test_results_are_left_in_the_database(here, there, name, kind):
    connection, fetch = (here, lambda sql: (None, here.execute(sql).fetchall()))
    if name != "duckdb":
        connection, fetch = there(name).connection, there(name).fetch
    result = quietly(rm.evaluate, "runs", "labels", ["ap", "rr"], connection=connection)
    leave = getattr(result, f"create_{kind}")
    target = f"kept_{kind}"
    leave(target)
    rows = fetch(f"SELECT metric, value, n_queries FROM {target} ORDER BY metric")[1]
    assert rows == [close(row) for row in sorted(result.summary.fetchall())]
    with pytest.raises(rm.UsageError, match=f"{target} already exists"):
        leave(target)
    leave(target, "per_query", replace="recreate" if kind == "table" else True)
    rows = fetch(f"SELECT query_id, ap, rr FROM {target}")[1]
    assert sorted(rows) == [close(row) for row in sorted(result.per_query.fetchall())]
    execute(connection, there, name, f"DROP {kind} {target}")


def execute(connection, there, name, statement):
    if name == "duckdb":
        connection.execute(statement)
    elif name == "clickhouse":
        connection.command(statement)
    elif name == "spark":
        connection.sql(statement)
    else:
        there(name).run(statement)


@pytest.mark.parametrize("name", ["duckdb", "sqlite", "postgres-15", "mariadb", "clickhouse"])
def test_a_table_stays_as_it_was_when_its_replacement_fails(here, there, name):
    connection = here if name == "duckdb" else there(name).connection
    result = quietly(rm.evaluate, "others", "labels", ["ap"], connection=connection)
    result.create_table("kept_before")
    engine = " ENGINE = Memory" if name == "clickhouse" else ""
    execute(connection, there, name, f"CREATE TABLE others_2{engine} AS SELECT * FROM others")
    failing = quietly(rm.evaluate, "others_2", "labels", ["ap"], connection=connection)
    execute(connection, there, name, "DROP TABLE others_2")
    with pytest.raises(rm.DatabaseError):
        failing.create_table("kept_before", replace=True)
    fetch = (lambda sql: here.execute(sql).fetchall()) if name == "duckdb" else (lambda sql: there(name).fetch(sql)[1])
    assert fetch("SELECT metric, value, n_queries FROM kept_before") == [
        close(row) for row in result.summary.fetchall()
    ]
    execute(connection, there, name, "DROP TABLE kept_before")


def test_only_tables_of_the_database_make_a_table(lite, here):
    for connection, options in ((lite, {"materialize": "temp"}), (here, {})):
        place = rm.connect(connection, **options)
        result = quietly(rm.evaluate, {"x": {"a": 1.0}}, {"x": ["a"]}, ["rr"], connection=place)
        with pytest.raises(rm.UsageError, match="run, qrels: a table in the database can read only its tables"):
            result.create_table("kept")
    with pytest.raises(rm.UsageError, match="Pass it as connection="):
        quietly(rm.evaluate, {"x": {"a": 1.0}}, {"x": ["a"]}, ["rr"]).create_view("kept")


@pytest.mark.parametrize(
    ("name", "run"),
    each_once(["duckdb", "sqlite", "postgres-15"], ["others", "SELECT * FROM (SELECT * FROM others) x"]),
)
def test_no_input_is_replaced(here, there, name, run):
    connection = here if name == "duckdb" else there(name).connection
    result = quietly(rm.evaluate, run, "labels", ["ap"], connection=connection)
    schema = {"duckdb": "main.", "sqlite": "main.", "postgres-15": ""}[name]
    for target in ("others", "OTHERS", f"{schema}labels", '"labels"'):
        with pytest.raises(rm.UsageError, match="is an input of the statement"):
            result.create_table(target, replace=True)
    assert quietly(rm.evaluate, run, "labels", ["ap"], connection=connection)["ap"] == Close(result["ap"])


VIEWS = {"ids": "SELECT * FROM source", "more_ids": "SELECT * FROM ids x", "most_ids": "SELECT * FROM more_ids"}


@pytest.mark.parametrize("name", ["duckdb", *NAMES])
def test_nothing_that_a_view_reads_is_replaced(here, there, name):
    connection = here if name == "duckdb" else there(name).connection
    engine = " ENGINE = Memory" if name == "clickhouse" else ""
    execute(connection, there, name, f"CREATE TABLE source{engine} AS SELECT * FROM others")
    for view, text in VIEWS.items():
        execute(connection, there, name, f"CREATE VIEW {view} AS {text}")
    for run in ("ids", "most_ids", "SELECT * FROM most_ids"):
        result = quietly(rm.evaluate, run, "labels", ["ap"], connection=connection)
        kinds = [("table", "source"), ("view", "ids")] + [("view", "more_ids")] * ("most" in run)
        for kind, target in kinds:
            with pytest.raises(rm.UsageError, match=f"{target} is an input of the statement"):
                getattr(result, f"create_{kind}")(target, replace=True)
        assert quietly(rm.evaluate, run, "labels", ["ap"], connection=connection)["ap"] == Close(result["ap"])
    result.create_table("beside", replace=True)
    result.create_table("beside", replace=True)
    for dropped in (*(f"VIEW {view}" for view in reversed(VIEWS)), "TABLE source", "TABLE beside"):
        execute(connection, there, name, f"DROP {dropped}")


def test_nothing_that_a_macro_reads_is_replaced(here):
    here.execute("CREATE TABLE source AS FROM others; CREATE MACRO all_of(x) AS TABLE SELECT * FROM source WHERE 1 = x")
    result = quietly(rm.evaluate, "SELECT * FROM all_of(1)", "labels", ["ap"], connection=here)
    with pytest.raises(rm.UsageError, match="source is an input of the statement"):
        result.create_table("source", replace=True)
    here.execute("DROP MACRO TABLE all_of; DROP TABLE source")


@pytest.mark.parametrize("name", ["duckdb", *NAMES])
def test_a_view_replaces_views_only(there, here, name):
    connection = here if name == "duckdb" else there(name).connection
    result = quietly(rm.evaluate, "runs", "labels", ["ap"], connection=connection)
    result.create_table("of_a_kind")
    with pytest.raises(rm.UsageError, match="of_a_kind is not a view, and a view can replace only"):
        result.create_view("of_a_kind", replace=True)
    result.create_table("of_a_kind", replace=True)
    run = connection.execute if name == "duckdb" else recognise(connection).execute
    run("DROP TABLE of_a_kind")
    result.create_view("of_a_kind")
    with pytest.raises(rm.UsageError, match="of_a_kind is not a table, and a table can replace only"):
        result.create_table("of_a_kind", replace=True)
    result.create_view("of_a_kind", replace=True)
    run("DROP VIEW of_a_kind")


STEPS = [("mariadb", 2), ("clickhouse", 2), ("trino", 3), ("spark", 3)]  # until the old table may go


@pytest.mark.parametrize(("name", "step"), [(name, step) for name, steps in STEPS for step in range(steps)])
def test_a_table_stays_when_a_step_of_its_replacement_fails(there, monkeypatch, name, step):
    driver = recognise(there(name).connection)
    old, new = (quietly(rm.evaluate, "runs", "labels", [m], connection=there(name).connection) for m in ("ap", "rr"))
    old.create_table("kept")
    execute, asked = type(driver).execute, []

    def failing(self, sql):
        asked.append(sql)
        if len(asked) == step + 1:
            raise rm.DatabaseError("the connection is gone", sql)
        execute(self, sql)

    monkeypatch.setattr(type(driver), "execute", failing)
    with pytest.raises(rm.DatabaseError, match="the connection is gone"):
        new.create_table("kept", replace="recreate")
    monkeypatch.undo()
    assert driver.fetch("SELECT metric FROM kept")[1] == [("ap",)]
    new.create_table("kept", replace="recreate")
    assert driver.fetch("SELECT metric FROM kept")[1] == [("rr",)]
    driver.execute("DROP TABLE kept")


@pytest.mark.parametrize(("name", "schema"), [("mariadb", "`tests`"), ("clickhouse", "`default`")])
def test_a_view_of_an_odd_name_is_not_replaced(there, name, schema):
    result = quietly(rm.evaluate, "runs", "labels", ["ap"], connection=there(name).connection)
    target = f"{schema}.`it's odd`"
    result.create_view(target)
    with pytest.raises(rm.UsageError, match="is not a table"):
        result.create_table(target, replace=True)
    recognise(there(name).connection).execute(f"DROP VIEW {target}")


@pytest.mark.parametrize("name", ["", ".", "main.", " ", "SELECT 1", "a; DROP TABLE runs"])
def test_names_that_are_none(lite, name):
    result = quietly(rm.evaluate, "runs", "labels", ["rr"], connection=lite)
    with pytest.raises(rm.UsageError, match="Pass the name of a table or view"):
        result.create_table(name)
    with pytest.raises(rm.UsageError, match=r"Unknown level .sumary. of this result\. Did you mean"):
        result.create_table("x", "sumary")


def test_comparisons_and_curves_are_left_too(lite):
    quietly(rm.compare, "runs", {"new": "runs"}, "labels", ["rr"], connection=lite).create_table("compared")
    quietly(rm.curve, "runs", "labels", "p", at=[1, 2], connection=lite).create_view("curved", "per_query")
    assert lite.execute("SELECT run, metric, effect_size FROM compared").fetchall() == [("new", "rr", 0)]
    assert lite.execute("SELECT COUNT(*) FROM curved").fetchall() == [(4,)]


# The command line


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_into(cli, lite_file, tmp_path, kind):
    url = f"sqlite:///{lite_file}"
    if kind == "duckdb":
        url = str(tmp_path / "shop.duckdb")
        with duckdb.connect(url) as connection:
            connection.execute("CREATE TABLE runs AS SELECT 'x' AS query_id, 'a' AS item_id, 1.0 AS score")
            connection.execute("CREATE TABLE labels AS SELECT 'x' AS query_id, 'a' AS item_id, 1 AS relevance")
    arguments = ("evaluate", "runs", "--qrels", "labels", "-m", "rr", "--database", url)
    assert cli(*arguments, "--into", "kept").exit_code == 0
    assert "kept already exists" in cli(*arguments, "--into", "kept").stderr
    gc.collect()  # the error's traceback has a connection, which a process of its own would have closed
    assert "pass --recreate" in cli(*arguments, "--into", "kept", "--replace", "--per-query").stderr
    gc.collect()
    replaced = cli(*arguments, "--into", "kept", "--recreate", "--per-query")
    assert (replaced.exit_code, replaced.stderr) == (0, "")
    with sqlite3.connect(lite_file) if kind == "sqlite" else duckdb.connect(url) as connection:
        rows = connection.execute("SELECT query_id, rr FROM kept ORDER BY query_id").fetchall()
    connection.close()
    assert rows == ([("x", 0.5), ("y", 1.0)] if kind == "sqlite" else [("x", 1.0)])


def test_no_table_is_left_where_the_output_has_no_folder(cli, lite_file, tmp_path):
    arguments = ("evaluate", "runs", "--qrels", "labels", "-m", "rr", "--database", f"sqlite:///{lite_file}")
    found = cli(*arguments, "--into", "kept", "--output", tmp_path / "nosuch" / "x.csv")
    assert found.exit_code == 1
    assert f"the folder {tmp_path / 'nosuch'} does not exist" in found.stderr
    with sqlite3.connect(lite_file) as connection:
        assert tables_of(connection) == {"runs", "labels"}
    connection.close()


def test_every_command_takes_a_database(cli, lite_file, tmp_path):
    url = f"sqlite:///{lite_file}"
    (tmp_path / "new.csv").write_text("query_id,item_id,score\nx,b,1\ny,a,1\n")
    common = ("--qrels", "labels", "--database", url, "--timeout", "60")
    commands = [
        ("evaluate", "runs", *common, "-m", "rr", "--format", "csv"),
        ("evaluate", tmp_path / "new.csv", *common, "-m", "rr", "--format", "csv", "--materialize", "temp"),
        ("compare", "runs", "SELECT * FROM runs", *common, "-m", "rr", "--format", "csv", "--into", "compared"),
        ("curve", "runs", *common, "-m", "p", "--at", "1,2", "--format", "csv", "--into", "curved", "--per-query"),
        ("explain", "runs", *common, "-m", "ndcg@1", "--profile", "quepid"),
    ]
    outputs = []
    for command in commands:
        result = cli(*command)
        assert result.exit_code == 0, result.stderr
        outputs.append(result.stdout.splitlines())
    assert outputs[0][1] == "runs,rr,0.75,2"
    assert outputs[1][1] == "new,rr,1.0,2"
    assert outputs[2][1].startswith("query,runs,rr,0.75,0.75,0.0,")
    assert outputs[3][1:] == ["runs,1.0,0.5,2", "runs,2.0,0.5,2"]
    assert "trec_eval" in outputs[4][0]
    with sqlite3.connect(lite_file) as connection:
        names = tables_of(connection)
    connection.close()
    assert names == {"runs", "labels", "compared", "curved"}


def test_a_url_only_reads(cli, lite_file):
    before = lite_file.read_bytes()
    result = cli("evaluate", "runs", "--qrels", "labels", "-m", "rr", "--database", f"sqlite:///{lite_file}")
    assert result.exit_code == 0
    assert lite_file.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--into", "kept"], "--into has no effect without a database"),
        (["--dialect", "postgres"], "--dialect has no effect without a database"),
        (["--materialize", "temp"], "--materialize has no effect without a database"),
        (["--replace", "--database", "x"], "--replace has no effect without --into"),
        (["--recreate", "--database", "x"], "--recreate has no effect without --into"),
        (["--database", "postgers://u:secret@h/d"], "postgers"),
    ],
)
def test_options_of_the_command_line_that_do_not_fit(cli, options, message):
    result = cli("evaluate", "a", "--qrels", "b", "-m", "ap", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "secret" not in result.stderr
    assert len(result.stderr.splitlines()) < 3


@pytest.mark.long
def test_credentials_are_told_to_nobody(cli, there):
    url = there("postgres-15").url.replace("tests@", "nobody:se-cret@")
    result = cli("evaluate", "runs", "--qrels", "labels", "-m", "ap", "--database", url, "--verbose")
    assert result.exit_code in (1, 2)
    assert "se-cret" not in result.output + result.stderr
    assert len(result.stderr.splitlines()) < 4
    with pytest.raises(RankmetricsError) as error:
        rm.evaluate("runs", "labels", ["ap"], connection=url)
    assert "se-cret" not in str(error.value) + repr(error.value)
    assert error.value.__cause__ is None


@pytest.mark.long
def test_a_password_that_is_right_is_not_told_either(there, capfd):
    url = there("postgres-15").url.replace("tests@", "tests:se-cret@")
    with pytest.warns(rm.RankmetricsWarning) as warned:
        result = rm.evaluate("runs", "labels", ["ap"], connection=url)
    with pytest.raises(rm.UsageError) as error:
        rm.evaluate({"x": {"a": 1.0}}, "labels", ["ap"], connection=url)
    said = [repr(result), repr(vars(result)), result.sql, str(error.value), *(str(one.message) for one in warned)]
    assert "se-cret" not in "".join([*said, *capfd.readouterr()])


# Estimates


@pytest.mark.parametrize("name", ["postgres-15", "mariadb", "duckdb"])
def test_estimates_run_nothing(there, here, name):
    dialect = {"postgres-15": "postgres", "mariadb": "mysql", "duckdb": "duckdb"}[name]
    text = rm.sql(["ap"], "runs", "labels", dialect=dialect)
    found = rm.estimate(text, connection=here if name == "duckdb" else there(name).connection)
    assert found.rows is not None
    assert found.rows > 0
    assert found.text
    assert repr(found) == f"Estimate(rows={found.rows}, bytes={found.bytes})"  # not the plan, which may be long


@pytest.mark.long
def test_estimates_of_the_command_line(cli, there, lite_file):
    arguments = ("sql", "-m", "ap", "--run", "runs", "--qrels", "labels", "--estimate", "--database")
    result = cli(*arguments, there("postgres-15").url)
    assert result.exit_code == 0
    assert "rows" in result.stdout
    assert "This database gives no estimates" in cli(*arguments, f"sqlite:///{lite_file}").stderr
    assert "--estimate asks the database" in cli(*arguments[:-1]).stderr


def test_an_estimate_without_numbers_is_printed_as_it_is(cli, lite_file, monkeypatch):
    monkeypatch.setattr("rankmetrics_sql.estimate", lambda *_, **__: Estimate(None, None, "Seq Scan\n  on runs"))
    arguments = ("sql", "-m", "ap", "--run", "runs", "--qrels", "labels", "--estimate", "--database")
    assert cli(*arguments, f"sqlite:///{lite_file}").stdout == "Seq Scan\n  on runs\n"


def test_an_estimate_needs_a_database():
    with pytest.raises(rm.UsageError, match="An estimate comes from the database"):
        rm.estimate("SELECT 1")
