"""How statements reach the databases: each kind of connection to the engines that run here, each method.

Of Snowflake, BigQuery, Redshift and Databricks there are only stand-ins, with what their clients' documentation says.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sqlite3
import sys
import threading
import time
import types
import warnings
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from typing import Any

import pytest

from dev.engines.plugin import package
from rankmetrics_sql import drivers
from rankmetrics_sql.drivers import cancel, duckdb_connection, open_url, recognise
from rankmetrics_sql.drivers.problems import message
from rankmetrics_sql.drivers.values import duckdb_type
from rankmetrics_sql.errors import DatabaseError, DataError, UsageError
from rankmetrics_sql.version import __version__

OURS = f"rankmetrics/{__version__} python"  # how a connection of ours introduces itself
LABELS = {"application": "rankmetrics", "version": __version__.replace(".", "-"), "command": "python"}
SQLITE_SLOW = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT COUNT(*) FROM r"

# What hurts: tabs aside, everything that ids have, and what drivers, shells and Python take for a parameter.
TEXTS = [
    "q001",
    "Q001",
    "é",
    "e\u0301",
    "Ａ",
    "😀",
    "a ",
    "",
    "it's",
    "100%s %(x)s %%",
    ":x ?",
    "{y} $1",
    "a\\n",
    "007",
]
NUMBERS = [0.1, None, 1e308, 5e-324, -2.0]
ROWS = [(text, NUMBERS[place % len(NUMBERS)], place) for place, text in enumerate(TEXTS)]


@dataclass(frozen=True)
class Kind:
    """What the tests must know of an engine."""

    dialect: str
    create: str
    types: dict[str, str]
    slow: str
    running: Callable[[Any], Any]


def listed(sql: str) -> Callable[[Any], Any]:
    return lambda engine: engine.fetch(sql)[1]


KINDS = {
    "sqlite": Kind(
        "sqlite", "CREATE TABLE {} (a TEXT, b REAL, c INTEGER)", {"a": "TEXT", "b": "REAL", "c": "INTEGER"},
        SQLITE_SLOW, lambda _: [],
    ),
    "postgres-15": Kind(
        "postgres", "CREATE TABLE {} (a TEXT, b FLOAT8, c BIGINT)", {"a": "TEXT", "b": "FLOAT8", "c": "BIGINT"},
        "SELECT pg_sleep(300)",
        listed("SELECT query FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
               " AND backend_type = 'client backend'"),
    ),
    "mariadb": Kind(
        "mysql", "CREATE TABLE {} (a VARCHAR(99), b DOUBLE, c BIGINT)",
        {"a": "VARCHAR(99)", "b": "DOUBLE", "c": "BIGINT"},
        "SELECT SLEEP(300)",
        listed("SELECT info FROM information_schema.processlist"
               " WHERE info LIKE '%SLEEP(300)%' AND info NOT LIKE '%LIKE%'"),
    ),
    "clickhouse": Kind(
        "clickhouse", "CREATE TABLE {} (a String, b Nullable(Float64), c Int64) ENGINE = MergeTree ORDER BY tuple()",
        {"a": "String", "b": "Nullable(Float64)", "c": "Int64"},
        "SELECT SUM(SQRT(number)) FROM numbers(1000000000000)",
        listed("SELECT query FROM system.processes WHERE query LIKE '%numbers%' AND query NOT LIKE '%processes%'"),
    ),
    "spark": Kind(
        "spark", "CREATE TABLE {} (a STRING, b DOUBLE, c BIGINT)", {"a": "STRING", "b": "DOUBLE", "c": "BIGINT"},
        "SELECT SUM(SQRT(a.i * b.i * c.i)) FROM (SELECT EXPLODE(SEQUENCE(1, 9999)) AS i) a"
        " CROSS JOIN (SELECT EXPLODE(SEQUENCE(1, 9999)) AS i FROM hurtful) b"
        " CROSS JOIN (SELECT EXPLODE(SEQUENCE(1, 9999)) AS i FROM hurtful) c",
        lambda engine: engine.connection.sparkContext.statusTracker().getActiveJobsIds(),
    ),
    "trino": Kind(
        "trino", "CREATE TABLE {} (a VARCHAR, b DOUBLE, c BIGINT)", {"a": "VARCHAR", "b": "DOUBLE", "c": "BIGINT"},
        "SELECT SUM(SQRT(a.i * b.i * c.i)) FROM UNNEST(SEQUENCE(1, 9999)) AS a (i)"
        " CROSS JOIN UNNEST(SEQUENCE(1, 9999)) AS b (i) CROSS JOIN UNNEST(SEQUENCE(1, 9999)) AS c (i)",
        listed("SELECT query FROM system.runtime.queries WHERE state = 'RUNNING' AND query LIKE '%SQRT%'"
               " AND query NOT LIKE '%runtime%'"),
    ),
}  # fmt: skip


# Ways to be connected: an engine of the tests to a connection.


@contextlib.contextmanager
def native(engine: Any) -> Iterator[Any]:
    yield engine.connection


@contextlib.contextmanager
def alchemy_engine(engine: Any) -> Iterator[Any]:
    sqlalchemy = package("sqlalchemy")
    made = sqlalchemy.create_engine(engine.url)
    yield made
    made.dispose()


@contextlib.contextmanager
def alchemy_connection(engine: Any) -> Iterator[Any]:
    with alchemy_engine(engine) as made, made.connect() as connection:
        yield connection


@contextlib.contextmanager
def psycopg_in_transactions(engine: Any) -> Iterator[Any]:
    psycopg = package("psycopg")
    with contextlib.closing(psycopg.connect(libpq(engine))) as connection:
        yield connection


@contextlib.contextmanager
def sqlite_in_transactions(engine: Any) -> Iterator[Any]:
    with contextlib.closing(sqlite3.connect(engine.url.removeprefix("sqlite:///"))) as connection:
        yield connection


@contextlib.contextmanager
def pymysql_in_transactions(engine: Any) -> Iterator[Any]:
    pymysql = package("pymysql")
    known = engine.connection
    with contextlib.closing(pymysql.connect(host=known.host, port=known.port, user="root", database="tests")) as made:
        yield made


@contextlib.contextmanager
def adbc_postgres(engine: Any) -> Iterator[Any]:
    dbapi = package("adbc_driver_postgresql.dbapi")
    with dbapi.connect(libpq(engine)) as connection:
        yield connection


@contextlib.contextmanager
def adbc_postgres_autocommit(engine: Any) -> Iterator[Any]:
    dbapi = package("adbc_driver_postgresql.dbapi")
    with dbapi.connect(libpq(engine), autocommit=True) as connection:
        yield connection


@contextlib.contextmanager
def adbc_sqlite(engine: Any) -> Iterator[Any]:
    dbapi = package("adbc_driver_sqlite.dbapi")
    with dbapi.connect(engine.url.removeprefix("sqlite:///"), autocommit=True) as connection:
        yield connection


@contextlib.contextmanager
def chdb_session(engine: Any) -> Iterator[Any]:
    session_of = package("chdb.session")
    with contextlib.closing(session_of.Session()) as session:  # of the same data: one process, one engine
        yield session


@contextlib.contextmanager
def ibis_backend(engine: Any) -> Iterator[Any]:
    ibis = package("ibis")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        backend = ibis.connect(engine.url.replace("+psycopg", ""))
    yield backend
    backend.disconnect()


def libpq(engine: Any) -> str:
    return str(engine.url.replace("+psycopg", ""))


WAYS = [
    *(("sqlite", way) for way in (native, alchemy_engine, alchemy_connection, adbc_sqlite, ibis_backend)),
    *(("postgres-15", way) for way in (native, psycopg_in_transactions, alchemy_engine, alchemy_connection)),
    *(("postgres-15", way) for way in (adbc_postgres, adbc_postgres_autocommit, ibis_backend)),
    *(("mariadb", way) for way in (native, pymysql_in_transactions, alchemy_engine, alchemy_connection)),
    *(("clickhouse", way) for way in (native, chdb_session)),
    ("spark", native),
    *(("trino", way) for way in (native, alchemy_engine, alchemy_connection)),
]


@dataclass
class Place:
    """A driver, and the engine behind it."""

    engine: Any
    kind: Kind
    driver: Any
    way: Any


def parameter(name, way):
    """A way, which is long where it takes a package; it is where an engine does."""
    marks = [] if way is native else [pytest.mark.long]
    return pytest.param((name, way), marks=marks, id=f"{name}-{way.__name__}")


@pytest.fixture(params=[parameter(*way) for way in WAYS])
def place(request, start_engine):
    name, way = request.param
    engine = start_engine(name)
    load(engine)
    with way(engine) as connection:
        driver = recognise(connection)
        yield Place(engine, KINDS[name], driver, way)
        driver.close()


def load(engine: Any) -> None:
    if not getattr(engine, "has_hurtful", False):
        engine.load("hurtful", {"a": "text", "b": "double", "c": "bigint"}, ROWS)
        engine.has_hurtful = True


def gone(running: Callable[[], Any]) -> bool:
    """Whether nothing runs any more, soon."""
    end = time.monotonic() + 15
    while running() and time.monotonic() < end:
        time.sleep(0.2)
    return not running()


def test_values_and_marks_of_parameters_come_back_unchanged(place):
    names, rows = place.driver.fetch("SELECT a, b, c, '%s %% :x ? {y} %(z)s' AS d FROM hurtful")
    assert names == ["a", "b", "c", "d"]
    assert sorted(rows, key=lambda row: row[2]) == [(*row, "%s %% :x ? {y} %(z)s") for row in ROWS]
    assert {type(value) for row in rows for value in row} == {str, float, int, type(None)}
    assert place.driver.dialect.name == place.kind.dialect


def test_no_rows_have_names_too(place):
    assert place.driver.fetch("SELECT a, c FROM hurtful WHERE c < 0") == (["a", "c"], [])


def test_columns_are_described_in_the_words_of_duckdb(place):
    expected = {"a": "VARCHAR", "b": "DOUBLE", "c": "BIGINT"}
    assert place.driver.describe("hurtful") == expected
    assert place.driver.describe("(SELECT a AS x, b AS y FROM hurtful) q") == {"x": "VARCHAR", "y": "DOUBLE"}


def test_a_table_is_there_or_not(place):
    assert place.driver.has_table("hurtful")
    assert not place.driver.has_table("no_such_table")
    assert not place.driver.has_table("no_such_schema.hurtful")
    assert place.driver.fetch("SELECT COUNT(*) FROM hurtful")[1] == [(len(ROWS),)]


def test_batches_are_arrow_and_hold_every_row(place):
    batches = list(place.driver.batches("SELECT a, b, c FROM hurtful", 5))
    found = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    assert sorted(found, key=lambda row: row[2]) == ROWS
    assert len({batch.schema for batch in batches}) == 1
    assert [str(type_) for type_ in batches[0].schema.types] == ["string", "double", "int64"]


def test_batches_of_no_rows_name_the_columns(place):
    [batch] = place.driver.batches("SELECT a, b FROM hurtful WHERE c < 0", 5)
    assert (batch.schema.names, batch.num_rows) == (["a", "b"], 0)


def test_a_stream_that_is_left_does_not_block_the_connection(place):
    stream = place.driver.batches("SELECT a, b, c FROM hurtful", 1)
    next(stream)
    stream.close()
    assert place.driver.fetch("SELECT COUNT(*) FROM hurtful")[1] == [(len(ROWS),)]


def test_a_table_is_made_filled_and_dropped(place):
    rows = [*ROWS, *((f"id{number}", number / 3, number) for number in range(1000))]
    place.driver.execute(place.kind.create.format("made_here"))
    try:
        place.driver.insert("made_here", place.kind.types, iter(rows))
        found = place.driver.fetch("SELECT a, b, c FROM made_here")[1]
        assert sorted(found, key=repr) == sorted(rows, key=repr)
        if place.way is not alchemy_connection:  # whose transaction is the user's to commit
            assert place.engine.fetch("SELECT COUNT(*) FROM made_here")[1] == [(len(rows),)]
    finally:
        place.driver.execute("DROP TABLE made_here")
    assert not place.driver.has_table("made_here")


@pytest.mark.long
@pytest.mark.parametrize("rows", [[("ends \0 early", 1.0)], [("x", 1.0)] * 3_000_000], ids=["refused", "too long"])
def test_an_upload_that_fails_leaves_no_row_and_a_connection_that_works(start_engine, rows):
    engine = start_engine("postgres-15")
    driver = recognise(engine.connection)
    driver.execute("CREATE TABLE filled (a TEXT, b FLOAT8)")
    try:
        driver.timeout = 0.3
        with pytest.raises(DatabaseError, match=r"^(invalid byte sequence|cancelled after 0.3 s, the timeout$)"):
            driver.insert("filled", {"a": "TEXT", "b": "DOUBLE PRECISION"}, iter(rows))
        assert driver.fetch("SELECT COUNT(*) FROM filled")[1] == [(0,)]
        driver.insert("filled", {"a": "TEXT", "b": "DOUBLE PRECISION"}, [("x", None)])
        assert driver.fetch("SELECT * FROM filled")[1] == [("x", None)]
    finally:
        driver.execute("DROP TABLE filled")


def test_an_error_is_one_line_has_the_statement_and_breaks_nothing(place):
    sql = "SELECT no_such_column FROM hurtful"
    with pytest.raises(DatabaseError, match="no_such_column") as caught:
        place.driver.fetch(sql)
    assert caught.value.sql == sql
    assert "\n" not in str(caught.value)
    assert "Background on this error" not in str(caught.value)
    assert "log_comment" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert place.driver.fetch("SELECT COUNT(*) FROM hurtful")[1] == [(len(ROWS),)]


def test_a_statement_that_takes_too_long_is_cancelled_on_the_server(place):
    if place.way is adbc_sqlite:
        pytest.xfail("never: this driver has no way to cancel")
    place.driver.timeout = 2
    start = time.monotonic()
    with pytest.raises(DatabaseError, match=r"^cancelled after 2 s, the timeout$") as caught:
        place.driver.fetch(place.kind.slow)
    assert 2 <= time.monotonic() - start < 2 + cancel.LOCAL_PATIENCE
    assert caught.value.sql == place.kind.slow
    assert gone(lambda: place.kind.running(place.engine))
    place.driver.timeout = 60
    assert place.driver.fetch("SELECT COUNT(*) FROM hurtful")[1] == [(len(ROWS),)]


def test_another_thread_can_cancel(place):
    if place.way is adbc_sqlite:
        pytest.xfail("never: this driver has no way to cancel")
    place.driver.timeout = 120
    start = time.monotonic()

    def ask() -> None:
        time.sleep(1)  # until the statement has begun; on a busy machine Spark plans it for longer, and says so
        while place.kind.dialect == "spark" and time.monotonic() - start < 60 and not place.kind.running(place.engine):
            time.sleep(0.1)
        place.driver.cancel()

    other = threading.Thread(target=ask)
    other.start()
    with pytest.raises(DatabaseError, match=r"(?i)cancel|interrupt"):
        place.driver.fetch(place.kind.slow)
    other.join()
    assert time.monotonic() - start < 60
    assert gone(lambda: place.kind.running(place.engine))


def test_what_would_be_read_is_estimated(place):
    found = place.driver.estimate("SELECT a, b FROM hurtful")
    if place.kind.dialect == "sqlite":
        assert found is None
        return
    assert "hurtful" in found.text or place.kind.dialect == "spark"
    if place.kind.dialect == "spark":
        assert found.bytes > 0
    else:
        assert found.rows > 0
    assert (found.bytes is None) == (place.kind.dialect in ("mysql", "clickhouse"))


def test_all_statements_or_none(place):
    good, bad = place.kind.create.format("of_two"), "CREATE TABL of_three (a INT)"
    with pytest.raises(DatabaseError) as caught:
        place.driver.atomically([good, bad])
    assert caught.value.sql == bad
    there = place.driver.has_table("of_two")
    if there:
        place.driver.execute("DROP TABLE of_two")
    assert there == (place.kind.dialect not in ("sqlite", "postgres"))


# Transactions of the user's.


@pytest.fixture(params=["postgres-15"])
def postgres(request, start_engine):
    engine = start_engine(request.param)
    load(engine)
    return engine


def test_an_open_transaction_stays_open_and_whole(postgres):
    with psycopg_in_transactions(postgres) as connection:
        connection.execute("CREATE TABLE pending AS SELECT 1 AS x")
        driver = recognise(connection)
        assert not driver.has_table("no_such_table")
        with pytest.raises(DatabaseError):
            driver.fetch("SELECT 1 / 0")
        driver.execute("INSERT INTO pending VALUES (2)")
        list(driver.batches("SELECT x FROM pending", 1))
        assert driver.fetch("SELECT COUNT(*) FROM pending")[1] == [(2,)]
        connection.rollback()
        assert not driver.has_table("pending")


def test_adbc_does_not_commit_what_the_user_wrote(postgres):
    with adbc_postgres(postgres) as connection:
        driver = recognise(connection)
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE pending AS SELECT 1 AS x")
        driver.execute("INSERT INTO pending VALUES (2)")
        assert driver.fetch("SELECT COUNT(*) FROM pending")[1] == [(2,)]
        connection.rollback()
        assert not driver.has_table("pending")


def test_reading_leaves_no_transaction_behind(postgres):
    with psycopg_in_transactions(postgres) as connection:
        driver = recognise(connection)
        driver.fetch("SELECT 1")
        driver.describe("hurtful")
        assert connection.info.transaction_status == 0


def test_sqlalchemy_keeps_its_transaction(postgres):
    sqlalchemy = package("sqlalchemy")
    with alchemy_connection(postgres) as connection:
        connection.execute(sqlalchemy.text("CREATE TABLE pending (x INT)"))
        driver = recognise(connection)
        driver.execute("INSERT INTO pending VALUES (2)")
        driver.close()
        assert connection.in_transaction()
        connection.rollback()
        assert not recognise(connection).has_table("pending")


def test_sqlite_keeps_a_transaction_too():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x)")
    connection.execute("INSERT INTO t VALUES (1)")
    driver = recognise(connection)
    driver.execute("INSERT INTO t VALUES (2)")
    assert not driver.has_table("u")
    assert connection.in_transaction
    connection.rollback()
    assert driver.fetch("SELECT COUNT(*) FROM t")[1] == [(0,)]


def test_sqlite_undoes_what_failed_and_nothing_else():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE old (x)")
    connection.execute("INSERT INTO old VALUES (1)")
    driver = recognise(connection)
    with pytest.raises(DatabaseError, match="no such table: nowhere"):
        driver.atomically(["DROP TABLE old", "CREATE TABLE old AS SELECT * FROM nowhere"])
    assert connection.in_transaction
    assert driver.fetch("SELECT x FROM old") == (["x"], [(1,)])


@pytest.mark.parametrize("name", ["sqlite", "postgres-15"])
@pytest.mark.parametrize("first", ["SELECT 1", "INSERT INTO written VALUES (0)"])
def test_what_the_user_writes_beside_a_stream_stays(start_engine, name, first):
    engine = start_engine(name)
    load(engine)
    way = psycopg_in_transactions if name == "postgres-15" else sqlite_in_transactions
    engine.run("CREATE TABLE written (x INT)")
    try:
        with way(engine) as connection:
            if first != "SELECT 1":
                connection.execute(first)
            stream = recognise(connection).batches("SELECT a FROM hurtful ORDER BY c", 1)
            next(stream)
            connection.execute("INSERT INTO written VALUES (1)")
            stream.close()
            connection.commit()
        assert (1,) in recognise(engine.connection).fetch("SELECT x FROM written")[1]
    finally:
        recognise(engine.connection).execute("DROP TABLE written")


def test_other_statements_and_streams_beside_a_stream(postgres):
    for way in (native, psycopg_in_transactions):
        with way(postgres) as connection:
            driver = recognise(connection)
            streams = [driver.batches("SELECT c FROM hurtful ORDER BY c", 5) for _ in range(2)]
            found = []
            for batches in zip(*streams, strict=True):
                assert driver.fetch("SELECT 1")[1] == [(1,)]
                assert connection.info.transaction_status == 0
                found += [row["c"] for row in batches[0].to_pylist()]
                assert batches[0] == batches[1]
            assert found == list(range(len(ROWS)))
            assert driver.fetch("SELECT COUNT(*) FROM pg_cursors")[1] == [(0,)]


def test_threads_share_a_connection(postgres):
    with psycopg_in_transactions(postgres) as connection:
        recognise(connection).execute("CREATE TABLE shared (x INT)")
        errors = []

        def work(number: int) -> None:
            driver = recognise(connection)
            try:
                for _ in range(20):
                    driver.execute(f"INSERT INTO shared VALUES ({number})")
                    driver.fetch("SELECT 1")
            except DatabaseError as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert recognise(connection).fetch("SELECT COUNT(*) FROM shared")[1] == [(80,)]
        recognise(connection).execute("DROP TABLE shared")


@pytest.mark.parametrize("factory", ["dict_row", "scalar_row", "namedtuple_row"])
def test_rows_are_tuples_whatever_a_psycopg_connection_makes_of_them(postgres, factory):
    rows = package("psycopg.rows")
    with psycopg_in_transactions(postgres) as connection:
        connection.row_factory = getattr(rows, factory)
        driver = recognise(connection)
        assert [type(row) for row in driver.fetch("SELECT 1 AS x, 2 AS x")[1]] == [tuple]
        assert driver.describe("hurtful") == {"a": "VARCHAR", "b": "DOUBLE", "c": "BIGINT"}
        assert sum(batch.num_rows for batch in driver.batches("SELECT a FROM hurtful", 5)) == len(ROWS)
        assert driver.estimate("SELECT a FROM hurtful").rows > 0


@pytest.mark.long
def test_rows_are_tuples_whatever_a_pymysql_connection_makes_of_them(start_engine):
    cursors = package("pymysql.cursors")
    engine = start_engine("mariadb")
    load(engine)
    with pymysql_in_transactions(engine) as connection:
        connection.cursorclass = cursors.DictCursor
        driver = recognise(connection)
        assert driver.fetch("SELECT 1 AS x, 2 AS y")[1] == [(1, 2)]
        assert driver.describe("hurtful") == {"a": "VARCHAR", "b": "DOUBLE", "c": "BIGINT"}


def test_rows_are_tuples_whatever_a_sqlite_connection_makes_of_them():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t AS SELECT 1 AS x, 'a' AS y")
    connection.row_factory = lambda cursor, row: {
        column[0]: value for column, value in zip(cursor.description, row, strict=True)
    }
    driver = recognise(connection)
    assert driver.fetch("SELECT x, y FROM t") == (["x", "y"], [(1, "a")])
    assert driver.describe("t") == {"x": "BIGINT", "y": "VARCHAR"}


@pytest.mark.parametrize(
    "statement",
    ["SELECT 1; DROP TABLE {0}", "ANALYZE SELECT 1", "DELETE FROM {0}", "SELECT * INTO {0}2 FROM {0}", "{0}"],
)
def test_only_one_query_is_estimated(postgres, statement):
    import duckdb

    from rankmetrics_sql import estimate

    postgres.run("CREATE TABLE kept AS SELECT 1 AS x")
    local = duckdb.connect()
    local.execute("CREATE TABLE kept AS SELECT 1 AS x")
    try:
        for connection in (postgres.connection, local):
            with pytest.raises(UsageError, match=r"one SELECT or WITH|would change|Cannot parse the query"):
                estimate(statement.format("kept"), connection=connection)
        assert recognise(postgres.connection).fetch("SELECT x FROM kept")[1] == [(1,)]
        assert local.execute("SELECT x FROM kept").fetchall() == [(1,)]
    finally:
        postgres.run("DROP TABLE kept")


@pytest.mark.parametrize("way", [adbc_postgres, adbc_postgres_autocommit])
def test_adbc_loads_a_temporary_table(postgres, way):
    with way(postgres) as connection:
        driver = recognise(connection)
        driver.execute("CREATE TEMPORARY TABLE passing (x BIGINT)")
        driver.insert("passing", {"x": "BIGINT"}, [(1,), (2,)])
        assert driver.fetch("SELECT x FROM passing ORDER BY x")[1] == [(1,), (2,)]
        driver.execute("DROP TABLE passing")


@pytest.mark.long
def test_mysql_would_commit_a_transaction_so_it_is_refused(start_engine):
    engine = start_engine("mariadb")
    with pymysql_in_transactions(engine) as connection:
        recognise(connection).execute("CREATE TABLE pending (x INT)")
        connection.cursor().execute("INSERT INTO pending VALUES (1)")
        with pytest.raises(DatabaseError, match="would commit the open transaction"):
            recognise(connection).execute("CREATE TABLE other (x INT)")
        connection.rollback()
        assert recognise(connection).fetch("SELECT COUNT(*) FROM pending")[1] == [(0,)]
        recognise(connection).execute("DROP TABLE pending")


def test_a_user_connection_is_never_closed(postgres):
    with psycopg_in_transactions(postgres) as connection:
        recognise(connection).close()
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_what_may_not_be_read_is_not_missing(postgres):
    postgres.run("CREATE TABLE locked (x INT)")
    postgres.run("CREATE ROLE nobody_special LOGIN")
    try:
        driver = open_url(libpq(postgres).replace("tests@", "nobody_special@"))
        with contextlib.closing(driver), pytest.raises(DatabaseError, match="permission denied"):
            driver.has_table("locked")
    finally:
        postgres.run("DROP TABLE locked")
        postgres.run("DROP ROLE nobody_special")


# Ctrl-C.


@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize("name", ["sqlite", "postgres-15"])
def test_ctrl_c_cancels(start_engine, name):
    engine = start_engine(name)
    driver = open_url(engine.url)
    threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        driver.fetch(KINDS[name].slow)
    assert time.monotonic() - start < 1 + cancel.LOCAL_PATIENCE
    assert gone(lambda: KINDS[name].running(engine))
    assert driver.fetch("SELECT 1")[1] == [(1,)]
    driver.close()


def test_a_progress_handler_of_the_user_s_stays_where_there_is_no_timeout():
    called = []
    connection = sqlite3.connect(":memory:")
    connection.set_progress_handler(lambda: called.append(1) and None, 1)
    recognise(connection).fetch("SELECT 1")
    called.clear()
    connection.execute("SELECT 1")
    assert called


def test_a_database_that_does_not_confirm_is_named_so(monkeypatch):
    monkeypatch.setattr(cancel, "_LAST_PATIENCE", 0.01)
    release = threading.Event()
    with pytest.raises(DatabaseError, match=r"0.1 s, the timeout, .* so the statement may still be running there"):
        cancel.run(release.wait, lambda: None, 0.1, "SELECT 1", patience=0.2)
    release.set()


def test_a_timeout_of_the_driver_itself_is_its_own_error():
    def call() -> None:
        raise TimeoutError("of the network")

    with pytest.raises(TimeoutError, match="of the network"):
        cancel.run(call, lambda: None, 60, "")


def test_a_statement_runs_in_another_thread_than_its_caller():
    """So that its caller can cancel it."""
    assert cancel.run(threading.get_ident, lambda: None) != threading.get_ident()


def test_a_statement_does_not_wait_for_one_that_never_comes_back(monkeypatch):
    monkeypatch.setattr(cancel, "_LAST_PATIENCE", 0.01)
    release, ended = threading.Event(), threading.Event()
    with pytest.raises(DatabaseError, match="the timeout"):
        cancel.run(lambda: release.wait() and ended.set(), lambda: None, 0.01, "SELECT 1", patience=0.01)
    assert cancel.run(lambda: "answered", lambda: None) == "answered"
    assert not ended.is_set()
    release.set()
    assert ended.wait(10)


def test_an_idle_thread_keeps_nothing_of_its_last_statement():
    """A file stays locked as long as its connection is known."""

    class Connection:
        def ask(self) -> None:
            raise ValueError("refused")

    asked, refused = Connection(), Connection()
    assert cancel.run(lambda known=asked: known is not None, lambda: None)
    with pytest.raises(ValueError, match="refused"):
        cancel.run(refused.ask, lambda: None)
    kept = [weakref.ref(asked), weakref.ref(refused)]
    del asked, refused
    gc.collect()
    assert [reference() for reference in kept] == [None, None]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_has_threads_of_its_own():
    cancel.run(lambda: None, lambda: None)
    child = os.fork()
    if not child:
        answer = 1
        with contextlib.suppress(BaseException):
            answer = cancel.run(lambda: 7, lambda: None, 5)
        os._exit(answer)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


# URLs.


@pytest.mark.parametrize("name", ["sqlite", "postgres-15", "mariadb"])
def test_a_url_reads_only_unless_told(start_engine, name):
    engine = start_engine(name)
    load(engine)
    create = KINDS[name].create.format("by_url")
    with contextlib.closing(open_url(engine.url)) as driver:
        assert driver.fetch("SELECT COUNT(*) FROM hurtful")[1] == [(len(ROWS),)]
        for statement in (create, "INSERT INTO hurtful VALUES ('x', 1, 1)", "DROP TABLE hurtful"):
            with pytest.raises(DatabaseError, match=r"(?i)read.?only"):
                driver.execute(statement)
    with contextlib.closing(open_url(engine.url, writable=True)) as driver:
        driver.execute(create)
    assert recognise(engine.connection).has_table("by_url")
    recognise(engine.connection).execute("DROP TABLE by_url")


@pytest.mark.long
@pytest.mark.parametrize("writable", [False, True])
def test_a_session_of_postgresql_compiles_nothing(start_engine, writable):
    with contextlib.closing(open_url(start_engine("postgres-15").url, writable=writable)) as driver:
        assert driver.fetch("SHOW jit")[1] == [("off",)]


@pytest.mark.long
def test_a_url_of_trino(start_engine):
    engine = start_engine("trino")
    load(engine)
    with contextlib.closing(open_url(engine.url, "athena")) as driver:
        assert driver.dialect.name == "athena"
        assert driver.fetch("SELECT COUNT(*) FROM hurtful")[1] == [(len(ROWS),)]


@pytest.mark.long
def test_a_url_of_clickhouse_reads_only(start_engine, monkeypatch):
    """The server is chdb, which no URL reaches: the client's function is asked what it was told."""
    start_engine("clickhouse")
    clickhouse_connect = package("clickhouse_connect")
    told = {}
    real = clickhouse_connect.get_client

    def get_client(*, settings, **options):
        told.update(options)
        return real(interface="chdb", settings=settings)

    monkeypatch.setattr(clickhouse_connect, "get_client", get_client)
    with contextlib.closing(open_url("clickhouse://me:s%40cret@there:8443/db?secure=true")) as driver:
        assert driver.fetch("SELECT 1")[1] == [(1,)]
        with pytest.raises(DatabaseError, match=r"(?i)readonly"):
            driver.execute("CREATE TABLE by_url (x Int64) ENGINE = Memory")
        assert repr(driver) == "<clickhouse://me@there:8443/db>"
    assert told == {
        "host": "there", "port": 8443, "username": "me", "password": "s@cret", "database": "db", "secure": "true",
        "client_name": OURS,
    }  # fmt: skip


def test_redshift_text_on_postgres(postgres):
    with contextlib.closing(open_url(postgres.url, "redshift")) as driver:
        assert driver.dialect.name == "redshift"
        assert len(list(driver.batches("SELECT a FROM hurtful", 5))) == 3


@pytest.mark.long
@pytest.mark.parametrize(
    ("client", "url", "expected"),
    [
        (
            "psycopg",
            "postgresql://me:s3cret@127.0.0.1:1/db",
            "postgresql://me@127.0.0.1:1/db: cannot connect: .*refused",
        ),
        ("pymysql", "mysql://me:s3cret@127.0.0.1:1/db", "mysql://me@127.0.0.1:1/db: cannot connect: Can't connect"),
        (
            "clickhouse_connect",
            "clickhouse://me:s3cret@127.0.0.1:1/db?token=s3cret",
            "clickhouse://me@127.0.0.1:1/db: c",
        ),
        ("trino", "trino://me:s3cret@127.0.0.1:1/db", "trino://me@127.0.0.1:1/db: cannot connect: "),
    ],
)
def test_a_server_that_does_not_answer_is_named_without_the_password(client, url, expected):
    for name in ("sqlalchemy", client):
        package(name)
    with pytest.raises(DatabaseError, match=f"^{expected}") as caught:
        open_url(url)
    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("sqlite:////no/such/file.db", r"^/no/such/file.db: no such database file"),
        ("postgresql://me:s3cret@host:99x/db", r"^Cannot read the postgresql:// URL. Write postgresql://user"),
        ("postgrsql://me:s3cret@host/db", r"^Unknown database postgrsql://. Did you mean 'postgresql'\?"),
        ("rubbish", "a DuckDB file or a URL such as postgresql://"),
        ("redshift+foo://me:s3cret@host/db", r"redshift.foo:// needs a package .* Valid: redshift_connector, psycopg2"),
        ("postgresql+asyncpg://me:s3cret@host/db", r"pip install sqlalchemy asyncpg"),
    ],
)
def test_bad_urls_say_what_is_wrong_and_no_password(url, expected):
    with pytest.raises((UsageError, DataError, DatabaseError), match=expected) as caught:
        open_url(url)
    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.long
def test_a_wrong_password_is_not_shown(start_engine):
    engine = start_engine("mariadb")
    url = f"mysql://somebody:s3%40cret@127.0.0.1:{engine.connection.port}/tests"
    with pytest.raises(DatabaseError, match=r"Access denied for user 'somebody'.*using password: YES") as caught:
        open_url(url)
    assert "s3" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("duckdb://u:s3cr3t@h/d", "duckdb://***@h/d"),
        ("md:?motherduck_token=s3cr3t", "md:***"),
        ("host=h user=u password=s3cr3t", "***"),
        ("host=h user=u password=a@s3cr3t", "***"),
        ("Server=h;Password=s3cr3t;", "***"),
        ("Server=h;pwd=s3@s3cr3t", "***"),
        ("postgresql:/t:s3cr3t@h/p", "postgresql:/***@h/p"),
        ("postgresql//t:s3cr3t@h/p", "postgresql//***@h/p"),
        ("ducklake:postgres:host=h password=a@s3cr3t", "ducklake:***"),
        ("duckdb://h/d?password=a@s3cr3t", "duckdb://***"),
        ("no such file.db", "no such file.db"),
    ],
)
def test_what_is_no_file_is_named_without_credentials(text, shown):
    from rankmetrics_sql import estimate

    with pytest.raises(DataError) as caught:
        estimate("SELECT 1", connection=text)
    assert str(caught.value).startswith(f"{shown}: no such database file.")
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://t:a@s3cr3t@127.0.0.1:1/p",
        "postgresql://t:s3cr3t@ss/w@h",
        "postgresql://t:1/s3cr3t@h/p",
        "postgresql://t:1?s3cr3t@h/p",
        "mysql://t:1#s3cr3t@h/p",
        "trino://t:s3cr3t/x@h/p",
    ],
)
def test_a_password_that_is_not_escaped_is_refused(url):
    with pytest.raises(UsageError, match=r"Cannot read the .* with %40 for @, %2F for /") as caught:
        open_url(url)
    assert "s3cr3t" not in str(caught.value)


def test_text_before_a_url_is_not_repeated():
    with pytest.raises(UsageError, match="takes a DuckDB file or a URL") as caught:
        open_url("password=s3cr3t postgresql://h/d")
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.long
def test_a_sqlalchemy_engine_that_cannot_connect():
    sqlalchemy, _ = package("sqlalchemy"), package("psycopg")
    engine = sqlalchemy.create_engine("postgresql+psycopg://me:s3cr3t@127.0.0.1:1/db")
    with pytest.raises(DatabaseError, match=r"SQLAlchemy engine \(postgresql\): cannot connect: .*refused") as caught:
        recognise(engine)
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize(
    ("scheme", "module", "package"),
    [
        ("snowflake", "sqlalchemy", "snowflake-sqlalchemy"),
        ("bigquery", "google.cloud.bigquery", "google-cloud-bigquery"),
        ("redshift", "sqlalchemy", "sqlalchemy-redshift redshift_connector"),
        ("databricks", "sqlalchemy", "databricks-sqlalchemy"),
        ("clickhouse", "clickhouse_connect", "clickhouse-connect"),
        ("postgresql", "sqlalchemy", 'sqlalchemy "psycopg'),
    ],
)
def test_a_missing_package_is_named_with_the_command(monkeypatch, scheme, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=f"pip install {package}"):
        open_url(f"{scheme}://me:s3cret@host/db")


def test_a_password_in_a_driver_s_message_is_hidden():
    error = RuntimeError("no route to postgresql://me:s3cret@host/db, password=s3cret, token: 'abc'")
    assert message(error) == "no route to postgresql://***@host/db, password=***, token: ***"
    assert message(RuntimeError("said hunter2"), ["hunter2"]) == "said ***"


def test_what_depends_on_what_is_dropped_is_named():
    """As PostgreSQL says it, below the message."""
    said = (
        "cannot drop function f(regclass) because other objects depend on it\nDETAIL:  view quality depends on"
        " function f(regclass)\nmaterialized view shop.kept depends on view quality\nHINT:  Use DROP ... CASCADE"
    )
    assert message(RuntimeError(said)) == (
        "cannot drop function f(regclass) because other objects depend on it: view quality, materialized view"
        " shop.kept. Drop what depends on it first, and make it again afterwards:"
        " DROP MATERIALIZED VIEW shop.kept; DROP VIEW quality;"
    )


# What is recognised.


@pytest.mark.parametrize("thing", [3, None, [], object()])
def test_other_things_are_refused_with_what_is_accepted(thing):
    with pytest.raises(UsageError, match="SQLAlchemy engine, connection or session; a DB-API connection"):
        recognise(thing)


def test_a_url_is_refused_with_where_it_goes():
    with pytest.raises(UsageError, match="To open a URL, call connect") as caught:
        recognise("postgresql://me:s3cret@host/db")
    assert "s3cret" not in str(caught.value)


def test_a_dialect_that_contradicts_is_refused():
    with pytest.raises(UsageError, match=r"dialect=postgres contradicts the connection: .* takes sqlite"):
        recognise(sqlite3.connect(":memory:"), "postgres")
    with pytest.raises(UsageError, match=r"Unknown dialect 'sqlit'. Did you mean 'sqlite'\?"):
        recognise(sqlite3.connect(":memory:"), "sqlit")


def test_a_connection_that_does_not_tell_needs_the_dialect():
    odbc = standing_in("pyodbc", Connection=FakeConnection)
    with pytest.raises(UsageError, match="Pass dialect="):
        recognise(odbc.Connection())
    assert recognise(odbc.Connection(), "tsql").dialect.name == "tsql"


@pytest.mark.long
def test_duckdb_is_found_in_what_wraps_it():
    import duckdb

    ibis, sqlalchemy, _ = package("ibis"), package("sqlalchemy"), package("duckdb_engine")
    own = duckdb.connect()
    assert duckdb_connection(own) is own
    assert type(duckdb_connection(ibis.duckdb.connect())) is type(own)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine = sqlalchemy.create_engine("duckdb:///:memory:")
        assert type(duckdb_connection(engine)) is type(own)
        with engine.connect() as connection:
            assert type(duckdb_connection(connection)) is type(own)
    assert duckdb_connection(sqlite3.connect(":memory:")) is None
    with pytest.raises(UsageError, match="needs no driver"):
        recognise(own)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("character varying", "VARCHAR"),
        ("Nullable(LowCardinality(String))", "VARCHAR"), ("double precision", "DOUBLE"),
        ("Nullable(Float32)", "DOUBLE"),
        ("UInt64", "BIGINT"), ("decimal(38,0)", "BIGINT"), ("Decimal(18, 2)", "DECIMAL"),
        ("NUMERIC", "DECIMAL"), ("timestamp with time zone", "TIMESTAMP"), ("timestamp(3)", "TIMESTAMP"),
        ("STRING", "VARCHAR"), ("FLOAT64", "DOUBLE"), ("mood", "MOOD"), ("Array(String)", "ARRAY(STRING)"),
        ("boolean", "BOOLEAN"), ("date", "DATE"), ("large_string", "VARCHAR"), ("decimal128(10, 3)", "DECIMAL"),
    ],
)  # fmt: skip
def test_types_in_the_words_of_duckdb(word, expected):
    assert duckdb_type(word) == expected


def test_a_type_of_the_user_keeps_its_name(postgres):
    postgres.run("CREATE TYPE mood AS ENUM ('ok')")
    try:
        driver = recognise(postgres.connection)
        assert driver.describe("(SELECT 'ok'::mood AS m, 1.5::numeric AS n) q") == {"m": "MOOD", "n": "DECIMAL"}
        assert driver.fetch("SELECT 1.5::numeric, 3::numeric, 'é'::bytea, 7::smallint")[1] == [(1.5, 3, "é", 7)]
    finally:
        postgres.run("DROP TYPE mood")


def test_a_column_of_sqlite_is_what_its_values_are():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a INTEGER, b, c, d TEXT)")
    assert recognise(connection).describe("t") == dict.fromkeys("abcd", '"NULL"')
    connection.execute("INSERT INTO t VALUES (1, 2.5, NULL, 3), (2, 1, NULL, 'x')")
    assert recognise(connection).describe("t") == {"a": "BIGINT", "b": "DOUBLE", "c": '"NULL"', "d": "VARCHAR"}


# Stand-ins for clients of warehouses that cannot be reached from here.


class FakeCursor:
    """Answers every statement alike."""

    answer: Any = ([("A", 2, None, None, None, None), ("N", 0, None, None, 38, 2), ("I", 0, None, None, 38, 0)], [])

    def __init__(self, connection):
        self.connection = connection
        self.description = None

    def execute(self, sql, parameters=None):
        self.connection.statements.append(sql if parameters is None else (sql, list(parameters)))
        self.description, self.rows = self.answer

    def executemany(self, sql, rows):
        self.connection.statements.append((sql, list(rows)))

    def fetchall(self):
        return self.rows

    def close(self):
        pass


class FakeConnection:
    cursors = FakeCursor

    def __init__(self, **told):
        self.told, self.statements, self.ended = told, [], []

    def cursor(self):
        return self.cursors(self)

    def close(self):
        self.ended.append("close")

    def commit(self):
        self.ended.append("commit")

    def rollback(self):
        self.ended.append("rollback")


def standing_in(name: str, **content: Any) -> Any:
    """A module of that name, and its classes as if they were defined there."""
    module = types.ModuleType(name)
    for key, value in content.items():
        made = type(value.__name__, (value,), {"__module__": name}) if isinstance(value, type) else value
        setattr(module, key, made)
    return module


def by_alchemy(monkeypatch: Any, name: str, module: Any) -> None:
    """SQLAlchemy's dialect of a client, which hands it what stands in a URL."""
    default, dialects = package("sqlalchemy.engine.default"), package("sqlalchemy.dialects")

    class Dialect(default.DefaultDialect):
        def create_connect_args(self, url):
            return [], url.translate_connect_args() | dict(url.query)

        def initialize(self, connection):
            pass

        def do_rollback(self, connection):
            pass

    Dialect.name = name.partition(".")[0]
    Dialect.import_dbapi = classmethod(lambda _: module)
    monkeypatch.setitem(dialects.registry.impls, name, lambda: Dialect)


@pytest.mark.parametrize("name", ["psycopg2", "pg8000"])
def test_rows_are_copied_as_text_that_postgres_reads_back(monkeypatch, name):
    """The escapes of COPY's text format, as PostgreSQL's manual lists them."""
    copied = []

    class Cursor(FakeCursor):
        def execute(self, sql, parameters=None, stream=()):
            copied.append((sql, "".join(stream)))

        if name == "psycopg2":

            def copy_expert(self, sql, file):
                copied.append((sql, "".join(iter(lambda: file.read(8192), ""))))

    class Connection(FakeConnection):
        cursors = Cursor
        cancel = None

        def cursor(self, **_options):
            return super().cursor()

    monkeypatch.setitem(sys.modules, "psycopg2.extensions", types.SimpleNamespace(cursor=None))
    driver = recognise(standing_in(name, Connection=Connection).Connection())
    rows = [("a\tb\\c\nd\re", 0.1), ("", None), (None, float("inf")), ("\\N", 5e-324)] + [("x", 1.0)] * 2000
    driver.insert("t", {"a": "TEXT", "b": "DOUBLE PRECISION"}, iter(rows))
    text = "a\\tb\\\\c\\nd\\re\t0.1\n\t\\N\n\\N\tinf\n\\\\N\t5e-324\n" + "x\t1.0\n" * 2000
    assert copied == [("COPY t (a, b) FROM STDIN", text)]


@pytest.fixture
def snowflake(monkeypatch):
    class SnowflakeConnection(FakeConnection):
        session_id = 17

    module = standing_in("snowflake.connector", Connection=SnowflakeConnection, paramstyle="pyformat")
    module.connect = lambda **told: module.Connection(**told)
    monkeypatch.setitem(sys.modules, "snowflake.connector", module)
    monkeypatch.setitem(sys.modules, "snowflake", types.ModuleType("snowflake"))
    sys.modules["snowflake"].__spec__ = ModuleSpec("snowflake", None)
    return module


@pytest.mark.long
def test_stand_in_for_snowflake(snowflake, monkeypatch):
    by_alchemy(monkeypatch, "snowflake", snowflake)
    driver = open_url("snowflake://me:s3cret@account/db/schema?warehouse=wh&role=r")
    told = {"host": "account", "username": "me", "password": "s3cret", "database": "db/schema"}
    tag = {"session_parameters": {"QUERY_TAG": OURS}}
    assert driver.connection.told == {**told, "warehouse": "wh", "role": "r", **tag}
    assert (driver.dialect.name, repr(driver)) == ("snowflake", "<snowflake://me@account/db/schema>")
    assert driver.describe("t") == {"A": "VARCHAR", "N": "DECIMAL", "I": "BIGINT"}
    driver.insert("t", {"a": "VARCHAR", "b": "DOUBLE"}, [("x", 1.0), ("y", None)])
    assert driver.connection.statements[-1] == ("INSERT INTO t (a, b) VALUES (%s, %s)", [("x", 1.0), ("y", None)])
    driver.close()
    assert driver.connection.ended == ["commit", "close"]


def test_stand_in_for_snowflake_cancels_by_query_or_session(snowflake):
    connection = snowflake.Connection()
    driver = recognise(connection)
    driver._running_cursor = types.SimpleNamespace(sfqid="01-ab")
    driver.cancel()
    driver._running_cursor = types.SimpleNamespace(sfqid=None)
    driver.cancel()
    assert connection.statements == ["SELECT SYSTEM$CANCEL_QUERY('01-ab')", "SELECT SYSTEM$CANCEL_ALL_QUERIES(17)"]


@pytest.mark.long
def test_stand_in_for_snowflake_shows_its_plan(snowflake, monkeypatch):
    plan = "GlobalStats:\n    partitionsTotal=9\n    partitionsAssigned=2\n    bytesAssigned=4096"
    monkeypatch.setattr(snowflake.Connection, "cursors", type("C", (FakeCursor,), {"answer": ([("p", 2)], [(plan,)])}))
    connection = snowflake.Connection()
    found = recognise(connection).estimate("SELECT 1")
    assert (found.rows, found.bytes, found.text) == (None, None, plan)
    assert connection.statements == ["EXPLAIN USING TEXT SELECT 1"]


@pytest.mark.long
def test_stand_in_for_redshift(monkeypatch):
    class RedshiftConnection(FakeConnection):
        in_transaction = False
        _backend_key_data = (4711).to_bytes(4, "big") + b"key!"

    module = standing_in("redshift_connector", Connection=RedshiftConnection, paramstyle="format")
    opened = []

    def connect(**told):
        opened.append(module.Connection(**told))
        return opened[-1]

    module.connect = connect
    monkeypatch.setitem(sys.modules, "redshift_connector", module)
    module.__spec__ = ModuleSpec("redshift_connector", None)
    by_alchemy(monkeypatch, "redshift.redshift_connector", module)
    plan = [("XN Hash Join (cost=0 rows=9 width=1)",), ("  ->  XN Seq Scan on t  (cost=0.00..8.8 rows=1000 width=17)",)]
    monkeypatch.setattr(module.Connection, "cursors", type("C", (FakeCursor,), {"answer": ([("p", 25)], plan)}))
    driver = open_url("redshift://me:s3cret@cluster/dev")
    assert driver.dialect.name == "redshift"
    told = {"host": "cluster", "username": "me", "password": "s3cret", "database": "dev"}
    assert opened[0].told == {**told, "application_name": OURS}
    found = driver.estimate("SELECT 1")
    assert (found.rows, found.bytes, found.text) == (None, None, "\n".join(line for (line,) in plan))
    assert driver.cursor().paramstyle == "qmark"  # else each % would be read as a parameter's
    driver._running_cursor = object()
    driver.cancel()
    assert opened[1].statements == ["CANCEL 4711"]
    assert opened[1].ended == ["close"]


@pytest.mark.long
def test_stand_in_for_databricks(monkeypatch):
    import pyarrow

    class Cursor(FakeCursor):
        answer = ([("a", "string"), ("b", "double"), ("c", "decimal")], [])

        def execute(self, sql, parameters=None):
            super().execute(sql, parameters)
            table = pyarrow.table({"a": ["x", "y", "z"]})
            self.parts = [table.slice(0, 2), table.slice(2), table.slice(3)]

        def fetchmany_arrow(self, size):
            return self.parts.pop(0)

        def cancel(self):
            self.connection.statements.append("cancelled")

    class DatabricksConnection(FakeConnection):
        cursors = Cursor

    module = standing_in("databricks.sql", Connection=DatabricksConnection, paramstyle="named")
    module.connect = lambda **told: module.Connection(**told)
    monkeypatch.setitem(sys.modules, "databricks.sql", module)
    monkeypatch.setitem(sys.modules, "databricks", types.ModuleType("databricks"))
    sys.modules["databricks"].__spec__ = ModuleSpec("databricks", None)
    by_alchemy(monkeypatch, "databricks", module)
    driver = open_url("databricks://token:s3cret@host?http_path=/sql/1&catalog=main&schema=s")
    told = {"host": "host", "username": "token", "password": "s3cret", "http_path": "/sql/1"}
    assert driver.connection.told == {**told, "catalog": "main", "schema": "s", "user_agent_entry": OURS}
    assert driver.describe("t") == {"a": "VARCHAR", "b": "DOUBLE", "c": "DECIMAL"}
    assert [batch.num_rows for batch in driver.batches("SELECT a FROM t", 2)] == [2, 1]
    driver.insert("t", {"a": "STRING"}, [("x",)])
    assert driver.connection.statements[-1] == ("INSERT INTO t (a) VALUES (?)", ["x"])
    driver._running_cursor = driver.connection.cursor()
    driver.cancel()
    assert driver.connection.statements[-1] == "cancelled"
    assert driver.connection.ended == []


class FakeJob:
    """A query of BigQuery's: rows are mappings that have ``values``."""

    total_bytes_processed = 2048

    def __init__(self, sql, config):
        self.sql, self.config, self.cancelled = sql, config, threading.Event()
        self.schema = [types.SimpleNamespace(name="a", field_type="STRING"),
                       types.SimpleNamespace(name="b", field_type="FLOAT64")]  # fmt: skip

    def result(self):
        if "slow" in self.sql:
            self.cancelled.wait(60)
            raise RuntimeError("499 Job execution was cancelled: Job p:US.1")
        return FakeRows(self.schema)

    def cancel(self):
        self.cancelled.set()


class FakeRows:
    def __init__(self, schema):
        self.schema = schema

    def __iter__(self):
        return iter([types.SimpleNamespace(values=lambda: ("x", 1.0))])

    def to_arrow_iterable(self):
        import pyarrow

        return iter([pyarrow.RecordBatch.from_pydict({"a": ["x", "y", "z"], "b": [1.0, 2.0, None]})])


@pytest.fixture
def bigquery(monkeypatch):
    class Client:
        def __init__(self, **told):
            self.told, self.jobs, self.closed = told, [], False

        def query(self, sql, job_config=None):
            if "nowhere" in sql:
                raise LookupError("404 Not found: Table p:d.nowhere was not found in location US\n\nJob ID: 1")
            self.jobs.append(FakeJob(sql, job_config))
            return self.jobs[-1]

        def close(self):
            self.closed = True

    module = standing_in("google.cloud.bigquery", Client=Client)
    module.Client.__module__ = "google.cloud.bigquery.client"
    module.QueryJobConfig = lambda **options: options
    module.ScalarQueryParameter = lambda name, type_, value: (name, type_, value)
    for name in ("google", "google.cloud"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "google.cloud.bigquery", module)
    return module


def test_stand_in_for_bigquery(bigquery):
    driver = open_url("bigquery://project/dataset?location=EU")
    assert driver.connection.told == {
        "default_query_job_config": {"default_dataset": "project.dataset", "labels": LABELS},
        "project": "project", "location": "EU",
    }  # fmt: skip
    assert driver.fetch("SELECT 1") == (["a", "b"], [("x", 1.0)])
    assert driver.describe("t") == {"a": "VARCHAR", "b": "DOUBLE"}
    assert driver.has_table("t")
    assert not driver.has_table("`p.d.nowhere`")
    assert [batch.num_rows for batch in driver.batches("SELECT 1", 2)] == [2, 1]
    driver.insert("t", {"a": "STRING", "b": "FLOAT64"}, [("x", None)])
    job = driver.connection.jobs[-1]
    assert job.sql == "INSERT INTO t (a, b) VALUES (?, ?)"
    assert job.config == {"query_parameters": [(None, "STRING", "x"), (None, "FLOAT64", None)]}
    driver.close()
    assert driver.connection.closed


def test_stand_in_for_bigquery_tries_without_running(bigquery):
    driver = recognise(bigquery.Client())
    assert driver.estimate("SELECT 1").bytes == 2048
    assert driver.connection.jobs[-1].config == {"dry_run": True, "use_query_cache": False}


def test_stand_in_for_bigquery_cancels_its_job(bigquery):
    driver = recognise(bigquery.Client())
    driver.timeout = 0.2
    with pytest.raises(DatabaseError, match=r"^cancelled after 0.2 s, the timeout$"):
        driver.fetch("SELECT slow")
    assert driver.connection.jobs[-1].cancelled.is_set()


def test_public_names_are_those_that_others_import():
    assert {"recognise", "open_url", "duckdb_connection", "Driver", "Estimate"} <= set(drivers.__all__)
