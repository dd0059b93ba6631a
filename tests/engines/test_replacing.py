"""``replace=True`` replaces the rows of a table, and keeps what hangs on it; ``replace="recreate"`` does not."""

from __future__ import annotations

import subprocess
import sys
import threading

import duckdb
import pytest

import rankmetrics_sql as rm
from dev.engines.plugin import package
from rankmetrics_sql.dialects import check_dialect
from rankmetrics_sql.drivers import recognise
from rankmetrics_sql.engines.refill import Access, can_refill, refill

from ..conftest import quietly

TABLES = (
    "CREATE TABLE ranked (query_id {text}, item_id {text}, score {double})",
    "INSERT INTO ranked VALUES ('x', 'a', 2), ('x', 'b', 1), ('y', 'b', 3)",
    "CREATE TABLE graded (query_id {text}, item_id {text}, relevance INT)",
    "INSERT INTO graded VALUES ('x', 'b', 1), ('y', 'b', 1)",
    "CREATE TABLE kept (n_queries BIGINT, metric {text}, value {double})",
    "INSERT INTO kept VALUES (7, 'old', 0.25)",
    "CREATE INDEX kept_metric ON kept (metric)",
)
COMMENTS = {
    "duckdb": "COMMENT ON TABLE kept IS 'of the dashboard'",
    "postgres-15": "COMMENT ON TABLE kept IS 'of the dashboard'",
    "mariadb": "ALTER TABLE kept COMMENT = 'of the dashboard'",
}
# How each engine tells the comment and the indexes of the table.
TOLD = {
    "duckdb": "SELECT comment, (SELECT MIN(index_name) FROM duckdb_indexes()) FROM duckdb_tables()"
    " WHERE table_name = 'kept'",
    "sqlite": "SELECT NULL, name FROM sqlite_master WHERE type = 'index'",
    "postgres-15": "SELECT obj_description('kept'::regclass), indexname FROM pg_indexes WHERE tablename = 'kept'",
    "mariadb": "SELECT table_comment, MIN(index_name) FROM information_schema.tables"
    " JOIN information_schema.statistics USING (table_schema, table_name) WHERE table_name = 'kept'",
}
NAMES = ["duckdb", "sqlite", "postgres-15", "mariadb"]


class Place:
    """A database with the tables."""

    def __init__(self, name, connection, run, fetch):
        self.name, self.connection, self.run, self.fetch = name, connection, run, fetch
        double = "DOUBLE" if name in ("duckdb", "mariadb") else "DOUBLE PRECISION"
        for table in ("kept", "ranked", "graded"):
            run(f"DROP TABLE IF EXISTS {table}")
        for statement in TABLES:
            run(statement.format(text="VARCHAR(50)", double=double))
        if name in COMMENTS:
            run(COMMENTS[name])

    def rows(self, table="kept", columns="metric, value, n_queries"):
        return self.fetch(f"SELECT {columns} FROM {table}")

    def result(self, metric="rr"):
        return quietly(rm.evaluate, "ranked", "graded", [metric], connection=self.connection, check="none")


@pytest.fixture
def place(request, start_engine):
    name = request.param
    if name == "duckdb":
        with duckdb.connect(config={"threads": "1"}) as connection:
            yield Place(name, connection, connection.execute, lambda sql: connection.execute(sql).fetchall())
        return
    engine = start_engine(name)
    yield Place(name, engine.connection, engine.run, lambda sql: [tuple(row) for row in engine.fetch(sql)[1]])
    for table in ("kept", "ranked", "graded"):
        engine.run(f"DROP TABLE IF EXISTS {table}")


@pytest.mark.parametrize("place", NAMES, indirect=True)
def test_the_table_keeps_its_index_and_comment(place):
    """The order of its columns does not matter."""
    place.result().create_table("kept", replace=True)
    assert place.rows() == [("rr", 0.75, 2)]
    assert place.fetch(TOLD[place.name]) == [("of the dashboard" if place.name in COMMENTS else None, "kept_metric")]


@pytest.mark.parametrize("place", NAMES, indirect=True)
def test_other_columns_are_refused(place):
    result = place.result()
    with pytest.raises(rm.UsageError) as refusal:
        result.create_table("kept", "per_query", replace=True)
    comment = "comment and " if place.name in COMMENTS else ""
    assert str(refusal.value) == (
        "kept has other columns than the result: it lacks query_id and rr; the result lacks n_queries, metric and"
        f" value. To create it anew without its {comment}index kept_metric, pass replace='recreate'."
    )
    assert place.rows() == [("old", 0.25, 7)]
    result.create_table("kept", "per_query", replace="recreate")
    assert sorted(place.rows(columns="query_id, rr")) == [("x", 0.5), ("y", 1.0)]


@pytest.mark.parametrize("place", ["duckdb", "postgres-15", "mariadb"], indirect=True)
def test_other_types_are_refused(place):
    """A share of 0.75 in a column of whole numbers would be 1. Numbers that are whole may have any width."""
    result = place.result()
    for type_ in ("INT", "DOUBLE PRECISION"):
        place.run("DROP TABLE kept")
        place.run(f"CREATE TABLE kept (metric VARCHAR(9), value {type_}, n_queries INT)")
        if type_ == "INT":
            message = (
                r"than the result: value is (INTEGER|BIGINT) there and DOUBLE in the result\. To create it anew, pass"
            )
            with pytest.raises(rm.UsageError, match=message):
                result.create_table("kept", replace=True)
    result.create_table("kept", replace=True)
    assert place.rows() == [("rr", 0.75, 2)]


@pytest.mark.parametrize("place", NAMES, indirect=True)
def test_the_old_rows_stay_when_the_new_ones_fail(place):
    """The table takes no such value, which shows only when the old rows are deleted."""
    place.run("DROP TABLE kept")
    text = "VARCHAR(50)"
    place.run(f"CREATE TABLE kept (metric {text} CHECK (metric = 'old'), value DOUBLE PRECISION, n_queries BIGINT)")
    place.run("INSERT INTO kept VALUES ('old', 0.25, 7)")
    with pytest.raises(rm.DatabaseError):
        place.result().create_table("kept", replace=True)
    assert place.rows() == [("old", 0.25, 7)]


@pytest.mark.parametrize("place", ["postgres-15", "mariadb"], indirect=True)
def test_a_transaction_of_the_users_has_all_or_nothing(place):
    """What they wrote in it stays theirs to commit, also where the new rows fail."""
    driver = recognise(place.connection)
    result = place.result()
    with place.connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("INSERT INTO graded VALUES ('z', 'b', 1)")
        result.create_table("kept", replace=True)
        assert driver.in_transaction()
        cursor.execute("ROLLBACK")
        assert place.rows() == [("old", 0.25, 7)]
        cursor.execute("ALTER TABLE kept ADD CONSTRAINT only_old CHECK (metric = 'old')")
        cursor.execute("BEGIN")
        with pytest.raises(rm.DatabaseError):
            result.create_table("kept", replace=True)
        assert driver.in_transaction()
        cursor.execute("COMMIT")
    assert place.rows() == [("old", 0.25, 7)]


@pytest.mark.parametrize("place", ["mariadb"], indirect=True)
def test_a_table_without_transactions_is_swapped(place):
    place.run("ALTER TABLE kept ENGINE = MyISAM")
    place.result().create_table("kept", "per_query", replace=True)
    assert sorted(place.rows(columns="query_id, rr")) == [("x", 0.5), ("y", 1.0)]


@pytest.mark.parametrize("place", ["postgres-15", "mariadb"], indirect=True)
def test_rows_behind_a_view_stay(place):
    """Both could change them."""
    place.run("CREATE VIEW shown AS SELECT * FROM kept")
    try:
        for level in ("summary", "per_query"):
            with pytest.raises(rm.UsageError, match="shown is not a table"):
                place.result().create_table("shown", level, replace=True)
    finally:
        place.run("DROP VIEW shown")
    assert place.rows() == [("old", 0.25, 7)]


@pytest.mark.parametrize("place", ["postgres-15"], indirect=True)
def test_grants_and_views_stay(place):
    place.run("CREATE ROLE dashboard")
    place.run("GRANT SELECT ON kept TO dashboard")
    place.run("CREATE VIEW shown AS SELECT metric FROM kept")
    try:
        place.result().create_table("kept", replace=True)
        assert place.fetch("SELECT has_table_privilege('dashboard', 'kept', 'SELECT')") == [(True,)]
        assert place.rows("shown", "metric") == [("rr",)]
        with pytest.raises(rm.UsageError, match="comment, grants to dashboard, index kept_metric and view shown, pass"):
            place.result().create_table("kept", "per_query", replace=True)
        with pytest.raises(rm.DatabaseError, match="view shown"):
            place.result().create_table("kept", "per_query", replace="recreate")
    finally:
        for statement in ("DROP VIEW shown", "DROP OWNED BY dashboard", "DROP ROLE dashboard"):
            place.run(statement)


@pytest.mark.parametrize("place", ["postgres-15", "mariadb"], indirect=True)
def test_two_jobs_at_once_leave_the_rows_of_one(place, start_engine):
    """The second waits for the first: else neither would see the rows of the other, and both would stay."""
    url = start_engine(place.name).url
    results = [quietly(rm.evaluate, "ranked", "graded", [metric], connection=url) for metric in ("rr", "ap")]
    for _ in range(5):
        jobs = [threading.Thread(target=result.create_table, args=("kept", "summary", True)) for result in results]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        assert place.rows(columns="n_queries") == [(2,)]


@pytest.mark.long
@pytest.mark.parametrize("place", ["postgres-15"], indirect=True)
def test_a_second_job_waits_for_the_first(place, start_engine):
    url = start_engine(place.name).url
    result = quietly(rm.evaluate, "ranked", "graded", ["rr"], connection=rm.connect(url, timeout=1))
    with package("psycopg").connect(url.replace("+psycopg", "")) as other:
        other.execute("LOCK TABLE kept IN SHARE ROW EXCLUSIVE MODE")
        with pytest.raises(rm.DatabaseTimeoutError):
            result.create_table("kept", replace=True)
        assert other.execute("SELECT metric FROM kept").fetchall() == [("old",)]


@pytest.mark.parametrize("place", ["postgres-15", "mariadb"], indirect=True)
@pytest.mark.parametrize("option", ["--replace", "--recreate"])
def test_four_processes_at_once_create_a_table(place, start_engine, option):
    place.run("DROP TABLE kept")
    command = [sys.executable, "-m", "rankmetrics_sql", "evaluate", "ranked", "--qrels", "graded", "-m", "rr"]
    command += ["--database", start_engine(place.name).url, "--into", "kept", option]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    ends = [(process.communicate()[1], process.returncode) for process in processes]
    assert ends == [("", 0)] * 4
    assert place.rows() == [("rr", 0.75, 2)]


TO_KEEP = {
    "snowflake": ['INSERT OVERWRITE INTO shop.kept ("VALUE", "METRIC")\nSELECT 1'],
    "bigquery": [
        "BEGIN TRANSACTION;\nDELETE FROM shop.kept WHERE TRUE;\nINSERT INTO shop.kept (`VALUE`, `METRIC`)\nSELECT 1;\n"
        "COMMIT TRANSACTION"
    ],
    "redshift": ["LOCK shop.kept", "DELETE FROM shop.kept", 'INSERT INTO shop.kept ("VALUE", "METRIC")\nSELECT 1'],
}


@pytest.mark.parametrize("name", TO_KEEP)
def test_what_is_said_to_engines_that_are_not_at_hand(name):
    """Columns are found by their names as the engine finds them, in the order of the result."""
    columns = {"shop.kept": ["METRIC", "VALUE"], "(SELECT 1)": ["VALUE", "METRIC"]}
    place = Access(check_dialect(name), lambda text: dict.fromkeys(columns[text], "VARCHAR"), lambda _: [], print)
    assert can_refill("shop.kept", place, transactions=True)
    assert can_refill("shop.kept", place, transactions=False) == (len(TO_KEEP[name]) == 1)
    assert refill("kept", "shop.kept", "SELECT 1", place).statements == TO_KEEP[name]
    columns["shop.kept"].append("loaded")
    with pytest.raises(rm.UsageError, match="anew without its grants, indexes and comment, pass replace='recreate'"):
        refill("kept", "shop.kept", "SELECT 1", place)
