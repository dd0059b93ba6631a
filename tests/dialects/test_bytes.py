"""Ids are compared by their bytes, whatever the collation of the columns that they stand in."""

from __future__ import annotations

import contextlib
import itertools
import random
import sqlite3

import duckdb
import pytest
import sqlglot

import rankmetrics_sql as rm
from rankmetrics_sql.drivers import recognise

from ..conftest import quietly
from ..everything import mostly_long
from ..statements import Case

# Equal to one collation or another: in spite of case, accents, the way that an accent is written, or spaces at the end.
ITEMS = ["a", "A", "á", "Á", "a\u0301", "a ", "A ", "ß", "ss", "b"]
QUERIES = ["q", "Q", "é", "e\u0301", "q "]
MARKETS = ["us", "US"]


def by_hand(run, qrels):
    """Query to average precision: items by score and then by the bytes of their ids, both from the highest."""
    found = {}
    for query, judged in qrels.items():
        order = sorted(run.get(query, {}).items(), key=lambda pair: (pair[1], pair[0].encode()), reverse=True)
        ranks = [rank for rank, (item, _) in enumerate(order, 1) if judged.get(item, 0) > 0]
        n_relevant = sum(grade > 0 for grade in judged.values())
        found[query] = sum(n / rank for n, rank in enumerate(ranks, 1)) / n_relevant if n_relevant else 0.0
    return found


def made_up(seed):
    """A run and judgments; every query is in both, so that the result is about ids and nothing else."""
    chance = random.Random(seed)
    run = {q: {i: chance.choice([1.0, 2.0]) for i in chance.sample(ITEMS, 7)} for q in QUERIES}
    return run, {q: {i: chance.choice([0, 1]) for i in chance.sample(ITEMS, 6)} for q in QUERIES}


def rows(run, qrels):
    """The rows of two tables; the market is a column of the judgments."""
    market = dict(zip(QUERIES, itertools.cycle(MARKETS), strict=False))
    retrieved = [(q, i, score) for q, items in run.items() for i, score in items.items()]
    return retrieved, [(q, i, grade, market[q]) for q, items in qrels.items() for i, grade in items.items()]


@contextlib.contextmanager
def tables(execute, insert, text, run_collation, qrels_collation, data):
    """Tables with ids of these collations."""
    for table in ("collated_run", "collated_qrels", "collated_list"):
        execute(f"DROP TABLE IF EXISTS {table}")
    ids = [f"query_id {text} {{0}}, item_id {text} {{0}}".format(one) for one in (run_collation, qrels_collation)]
    execute(f"CREATE TABLE collated_run ({ids[0]}, score DOUBLE PRECISION)")
    execute(f"CREATE TABLE collated_qrels ({ids[1]}, relevance INTEGER, market {text} {qrels_collation})")
    execute(f"CREATE TABLE collated_list (query_id {text} {run_collation})")
    for table, content in zip(
        ("collated_run", "collated_qrels", "collated_list"), [*rows(*data), [("Q",)]], strict=True
    ):
        insert(table, content)
    yield


def assert_by_bytes(connection, data):
    """All that is asked of the connection is as by hand: values, queries, groups, and no row is a duplicate."""
    expected = by_hand(*data)
    result = quietly(rm.evaluate, "collated_run", "collated_qrels", ["ap", "num_q"], by="market", connection=connection)
    assert {row["query_id"]: pytest.approx(row["ap"]) for row in result.per_query.dicts()} == expected
    groups = {row["market"]: row["n_queries"] for row in result.summary.dicts() if row["metric"] == "ap"}
    assert groups == {"us": 3, "US": 2}
    select = [f"SELECT * FROM {table} x" for table in ("collated_run", "collated_qrels")]
    two = {"b": select[0], "B": "collated_run"}
    compared = quietly(rm.compare, select[0], {"B": "collated_run"}, select[1], ["ap"], connection=connection)
    assert compared.summary.dicts()[0]["n_ties"] == len(QUERIES)
    both = quietly(rm.evaluate, two, select[1], ["ap"], connection=connection)
    assert [row["run_id"] for row in both.summary.dicts()] == ["b", "B"]
    listed = {"connection": connection, "query_list": "collated_list"}
    one = quietly(rm.evaluate, "collated_run", "collated_qrels", ["ap"], **listed)
    assert one["ap"] == pytest.approx(expected["Q"])


def inserts(connection, mark):
    def insert(table, content):
        marks = ", ".join(mark for _ in content[0])
        with contextlib.closing(connection.cursor()) as cursor:
            cursor.executemany(f"INSERT INTO {table} VALUES ({marks})", content)

    return insert


def pairs(*collations):
    """Each for the run and the judgments, the plain one too."""
    return [pair for pair in itertools.product(("", *collations), repeat=2) if any(pair)]


IN_DUCKDB = pairs("COLLATE NOCASE", "COLLATE NOACCENT.NOCASE", "COLLATE NFC")


@pytest.mark.parametrize("pair", mostly_long(IN_DUCKDB, *filter(all, IN_DUCKDB)), ids=" and ".join)
def test_in_duckdb(pair):
    run, qrels = pair
    data = made_up(f"{run} {qrels}")
    with duckdb.connect() as con, tables(con.execute, inserts(con, "?"), "VARCHAR", run, qrels, data):
        assert_by_bytes(con, data)


def test_in_duckdb_with_another_collation_for_everything():
    data = made_up("default")
    with duckdb.connect() as con:
        con.execute("SET default_collation = 'nocase'")
        with tables(con.execute, inserts(con, "?"), "VARCHAR", "", "", data):
            assert_by_bytes(con, data)
            assert con.sql("SELECT 'a' = 'A'").fetchall() == [(True,)]
            con.execute("CREATE TEMP TABLE mine AS SELECT 1 AS x")
            with pytest.raises(rm.UsageError, match="default_collation of this connection is nocase"):
                assert_by_bytes(con, data)


IN_SQLITE = pairs("COLLATE NOCASE", "COLLATE RTRIM")


@pytest.mark.parametrize("pair", mostly_long(IN_SQLITE, *filter(all, IN_SQLITE)), ids=" and ".join)
def test_in_sqlite(pair):
    run, qrels = pair
    data = made_up(f"{run} {qrels}")
    con = sqlite3.connect(":memory:")
    with contextlib.closing(con), tables(con.execute, inserts(con, "?"), "TEXT", run, qrels, data):
        assert_by_bytes(con, data)
        in_dbt = "per_query", {"relation": "collated_run"}
        case = Case(["ap"], "per_query", run="collated_run", qrels="collated_qrels", in_dbt=in_dbt)
        for text in (case.by_sqlglot("sqlite"), case.by_dbt("sqlite")):
            assert {query: pytest.approx(ap) for query, ap in con.execute(text)} == by_hand(*data)


@pytest.mark.parametrize("name", ["postgres-15", "postgres-18"])
def test_in_postgresql(start_engine, name):
    con = start_engine(name).connection
    con.prepare_threshold = None  # it would remember the types of tables that are made anew
    with contextlib.suppress(Exception):
        con.execute("CREATE COLLATION blunt (provider = icu, locale = 'und-u-ks-level1', deterministic = false)")
    other = recognise(con).fetch("SELECT collname FROM pg_collation WHERE collname LIKE 'de%' AND collprovider = 'i'")
    assert other[1]
    for run, qrels in pairs("COLLATE blunt", f'COLLATE "{other[1][0][0]}"'):
        data = made_up(f"{run} {qrels}")
        with tables(con.execute, inserts(con, "%s"), "TEXT", run, qrels, data):
            assert_by_bytes(con, data)


@pytest.mark.long
def test_in_mariadb(start_engine):
    con = start_engine("mariadb").connection
    driver = recognise(con)
    for run, qrels in [("", ""), ("COLLATE utf8mb4_unicode_ci", "COLLATE utf8mb4_bin")]:
        data = made_up(run)
        with tables(driver.execute, inserts(con, "%s"), "VARCHAR(99) CHARACTER SET utf8mb4", run, qrels, data):
            assert_by_bytes(con, data)


@pytest.mark.parametrize("check", ["full", "judged"])
def test_equal_bytes_are_duplicates_all_the_same(check):
    with duckdb.connect() as con:
        for table, column in (("runs", "score"), ("labels", "relevance")):
            con.execute(f"CREATE TABLE {table} (query_id VARCHAR COLLATE NOCASE, item_id VARCHAR, {column} DOUBLE)")
        con.execute("INSERT INTO runs VALUES ('q', 'a', 1), ('Q', 'a', 1), ('q', 'a', 2)")
        con.execute("INSERT INTO labels VALUES ('q', 'a', 1)")
        with pytest.raises(rm.DataError, match=r"duplicate item in a query \(query, item, rows\): \('q', 'a', 2\)\."):
            quietly(rm.evaluate, "runs", "labels", ["ap"], connection=con, check=check)


@pytest.mark.parametrize(
    ("level", "keys"),
    [
        ("per_query", {"run_id", "query_id"}),
        ("summary", {"run_id"}),
        ("compare", {"run", "reason"}),  # the baseline is a text itself
    ],
)
def test_numbers_stay_numbers_in_mysql(level, keys):
    """Ids are bytes there until they are selected last. They are text again, as is a text that has one in it."""
    of_level = {"baseline": "a"} if level == "compare" else {}
    text = rm.sql(["ndcg@10", "rr"], {"a": "one", "b": "other"}, "labels", level=level, dialect="mysql", **of_level)
    selected = sqlglot.parse_one(text, read="mysql").expressions
    cast = [one for one in selected if one.unalias().sql("mysql").endswith(" AS CHAR CHARACTER SET utf8mb4)")]
    assert {one.alias_or_name for one in cast} == keys
