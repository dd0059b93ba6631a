"""A connection of DuckDB's that is the user's stays as it was; a file is given back."""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import warnings

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.engines.duckdb import sessions
from rankmetrics_sql.engines.duckdb.engine import DuckDB

from ..conftest import quietly
from ..everything import mostly_long

TABLES = """
CREATE TABLE runs (query_id VARCHAR, item_id VARCHAR, score DOUBLE);
INSERT INTO runs VALUES ('x', 'a', 2), ('x', 'b', 1), ('y', 'a', 1);
CREATE TABLE labels (query_id VARCHAR, item_id VARCHAR, relevance INTEGER);
INSERT INTO labels VALUES ('x', 'b', 1), ('y', 'a', 1);
CREATE TABLE numbers AS SELECT range AS i FROM range(100_000);
"""
OWN = """
SELECT table_name FROM duckdb_tables() WHERE temporary
UNION ALL SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal
"""  # what a connection has for itself
NOTHING_SHARED = {"x": {"z": 1.0}}, {"y": ["z"]}


@pytest.fixture
def con():
    with duckdb.connect() as connection:
        connection.execute(TABLES)
        yield connection


def evaluate(connection, run="runs", qrels="labels", **options):
    return quietly(rm.evaluate, run, qrels, ["rr"], connection=connection, **options)


def own(connection):
    return sorted(name for (name,) in connection.sql(OWN).fetchall())


# What the evaluations of these tests read, beside the tables.
INPUTS = {
    "tables": ("runs", "labels"),
    "queries": ("SELECT * FROM runs", "SELECT * FROM labels"),
    "objects": ({"x": ["a", "b"], "y": ["a"]}, {"x": ["b"], "y": ["a"]}),
    "both": ("runs", {"x": ["b"], "y": ["a"]}),
}


@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize("fetched", [0, 5_000])
def test_a_result_that_is_being_fetched_goes_on(con, inputs, fetched):
    con.execute("SELECT i FROM numbers ORDER BY i")
    first = con.fetchmany(fetched)
    with pytest.warns(rm.RankmetricsWarning, match="You are fetching a result from this connection, so a cursor"):
        result = rm.evaluate(*INPUTS[inputs], ["rr"], connection=con)
    assert result["rr"] == 0.75
    with contextlib.suppress(rm.DataError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rm.evaluate(*NOTHING_SHARED, ["rr"], connection=con)
    assert [i for (i,) in first + con.fetchall()] == list(range(100_000))


def test_nothing_is_warned_of_where_nothing_is_being_fetched(con):
    con.execute("SELECT 1").fetchall()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rm.evaluate("runs", "labels", ["rr"], connection=con)["rr"] == 0.75


OF_ITS_OWN = {
    "a temporary table": "CREATE TEMP TABLE labels AS SELECT 'x' AS query_id, 'a' AS item_id, 1 AS relevance",
    "a temporary view": "CREATE TEMP VIEW labels AS SELECT 'x' AS query_id, 'a' AS item_id, 1 AS relevance",
    "a schema": "CREATE SCHEMA s; CREATE TABLE s.labels AS SELECT 'x' AS query_id, 'a' AS item_id, 1 AS relevance;"
    "CREATE TABLE s.runs AS FROM main.runs; USE s",
    "a transaction": "BEGIN; DELETE FROM labels; INSERT INTO labels VALUES ('x', 'a', 1)",
    "a table of a transaction": "BEGIN; DROP TABLE labels;"
    "CREATE TABLE labels AS SELECT 'x' AS query_id, 'a' AS item_id, 1 AS relevance",
    "a frame": None,
}


@pytest.mark.parametrize("name", OF_ITS_OWN)
def test_what_only_the_connection_has_is_read(con, name):
    assert evaluate(con)["rr"] == 0.75  # the connection is plain, and known to be
    if OF_ITS_OWN[name] is None:
        con.register("labels", con.sql("SELECT 'x' AS query_id, 'a' AS item_id, 1 AS relevance"))
    else:
        con.execute(OF_ITS_OWN[name])
    before = own(con)
    result = evaluate(con)
    assert (result["rr"], result.per_query.fetchall()) == (1.0, [("x", 1.0)])
    assert evaluate(con, {"x": ["b", "a"]})["rr"] == 0.5
    assert own(con) == before


def count_looks(monkeypatch):
    """A list that grows whenever a connection is searched for what is its own."""
    looks, look = [], sessions._has_state
    monkeypatch.setattr(sessions, "_has_state", lambda connection: looks.append(1) or look(connection))
    return looks


def test_a_connection_that_nobody_has_touched_is_searched_once(con, monkeypatch):
    looks = count_looks(monkeypatch)
    result = evaluate(con)
    assert result.per_query.fetchall() == [("x", 0.5), ("y", 1.0)]
    assert evaluate(con)["rr"] == 0.75
    assert len(looks) == 1


def test_what_is_loaded_for_an_evaluation_touches_no_connection(con, monkeypatch):
    looks = count_looks(monkeypatch)
    frame = pytest.importorskip("pyarrow").table({"query_id": ["x"], "item_id": ["b"], "relevance": [1]})
    for qrels in ({"x": {"b": 1}}, frame, {"x": {"b": 1}}):
        assert evaluate(con, qrels=qrels)["rr"] == 0.5
    assert len(looks) == 1


TOUCHES = {
    "a statement": lambda con: con.execute("SELECT 1").fetchall(),
    "a variable": lambda con: con.execute("SET VARIABLE x = 1"),
    "a setting": lambda con: con.execute("SET SESSION default_null_order = 'nulls_first'"),
    "a macro": lambda con: con.execute("CREATE TEMP MACRO twice(x) AS 2 * x"),
    "a type": lambda con: con.execute("CREATE TEMP TYPE mood AS ENUM ('sad', 'ok')"),
    "a sequence": lambda con: con.execute("CREATE TEMP SEQUENCE numbering"),
    "a frame": lambda con: con.register("frame", con.sql("SELECT 1 AS one")),
    "a statement on a cursor": lambda con: con.cursor().execute("SELECT 1").fetchall(),
    "a setting of the database": lambda con: con.cursor().execute("SET GLOBAL default_null_order = 'nulls_first'"),
}


@pytest.mark.parametrize("name", TOUCHES)
def test_a_connection_that_was_touched_is_searched_again(con, monkeypatch, name):
    evaluate(con)
    looks = count_looks(monkeypatch)
    TOUCHES[name](con)
    assert evaluate(con)["rr"] == 0.75
    assert len(looks) == 1


def test_what_runs_during_an_evaluation_is_noticed(con, monkeypatch):
    """Another thread makes a table of the connection's own while our session is open."""
    evaluate(con)
    looks = count_looks(monkeypatch)
    session = sessions.user_session(con)
    con.execute("CREATE TEMP TABLE labels AS SELECT 'x' AS query_id, 'a' AS item_id, 1 AS relevance")
    session.rows("SELECT 1")
    session.close()
    assert evaluate(con)["rr"] == 1.0
    assert len(looks) == 1


def test_relations_of_the_connection_are_read_beside_objects(con):
    for run, qrels in (
        ({"x": ["b"], "y": ["a"]}, con.sql("FROM labels")),
        (con.sql("FROM labels").select("query_id, item_id, 1 AS score"), {"x": ["b"], "y": ["a"]}),
    ):
        assert evaluate(con, run, qrels)["rr"] == 1.0
    assert own(con) == []


# Errors that are ours, and errors that are DuckDB's while it looks at a statement.
REFUSED = {
    "an unknown table": lambda con: evaluate(con, "nowhere"),
    "an unknown column": lambda con: evaluate(con, "SELECT nothing FROM runs"),
    "no score": lambda con: evaluate(con, "SELECT query_id, item_id FROM runs"),
    "text for numbers": lambda con: evaluate(con, "SELECT query_id, item_id, 'much' AS score FROM runs"),
    "duplicates": lambda con: evaluate(con, "FROM runs UNION ALL FROM runs".replace("FROM", "SELECT * FROM")),
    "no common query": lambda con: evaluate(con, *NOTHING_SHARED),
    "an unknown option": lambda con: evaluate(con, tise="worst"),
    "a name that is taken": lambda con: evaluate(con).create_table("runs"),
}


@pytest.mark.parametrize("refused", REFUSED)
def test_an_open_transaction_survives_what_we_refuse(con, refused):
    con.execute("BEGIN; INSERT INTO numbers VALUES (-1)")
    with pytest.raises(rm.RankmetricsError):
        REFUSED[refused](con)
    assert con.execute("SELECT COUNT(*) FROM numbers").fetchall() == [(100_001,)]
    con.execute("ROLLBACK")
    assert con.execute("SELECT COUNT(*) FROM numbers").fetchall() == [(100_000,)]


def test_an_error_that_ends_the_transaction_says_so(con):
    con.execute("BEGIN; INSERT INTO numbers VALUES (-1)")
    with pytest.raises(rm.DatabaseError, match="Your transaction is aborted, because DuckDB has no savepoints"):
        evaluate(con, "SELECT query_id, item_id, error('no') AS score FROM runs")
    con.execute("ROLLBACK")
    with pytest.raises(rm.DatabaseError) as caught:
        evaluate(con, "SELECT query_id, item_id, error('no') AS score FROM runs")
    assert "transaction" not in str(caught.value)


def test_a_transaction_that_is_aborted_already_is_told(con):
    con.execute("BEGIN")
    with pytest.raises(duckdb.Error):
        con.execute("SELECT error('no')").fetchall()
    with pytest.raises(rm.DatabaseError, match="aborted"):
        evaluate(con)


def test_a_closed_connection_is_told():
    con = duckdb.connect()
    con.close()
    with pytest.raises(rm.DatabaseError, match="already"):
        evaluate(con)


@pytest.mark.parametrize(
    "state", mostly_long(["nothing of its own", "a temporary table", "a transaction"], "a transaction")
)
def test_threads_share_a_connection_and_leave_nothing_behind(con, state):
    con.execute(
        {"a temporary table": "CREATE TEMP TABLE mine AS SELECT 1 AS x", "a transaction": "BEGIN"}.get(state, "")
    )
    before, wrong, arrow = own(con), [], pytest.importorskip("pyarrow")
    labels = arrow.table({"query_id": ["x", "y"], "item_id": ["b", "a"], "relevance": [1, 1]})

    def work(seed):
        chance = random.Random(seed)
        for _ in range(6):
            try:
                inputs = chance.choice([*INPUTS.values(), ("runs", labels), NOTHING_SHARED])
                found = rm.evaluate(*inputs, ["rr"], connection=con, check="none")["rr"]
                wrong.extend([found] * (found != 0.75))
            except rm.DataError:  # of NOTHING_SHARED
                wrong.extend(["refused"] * (inputs is not NOTHING_SHARED))
            except BaseException as error:  # noqa: BLE001 - the test names it
                wrong.append(error)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)
        threads = [threading.Thread(target=work, args=[seed]) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []
    assert own(con) == before


FORKS = """
import multiprocessing, threading
import rankmetrics_sql as rm

def asked(first):
    relevant = ["c"] if first == "b" else ["a"]
    return rm.evaluate({"q": {first: 2.0, "c": 1.0}}, {"q": relevant}, ["rr"], check="none")["rr"]

own = [asked("a")]
with multiprocessing.get_context("fork").Pool(2) as pool:
    own += pool.map(asked, "ab" * 4)
threads = [threading.Thread(target=lambda: own.extend(map(asked, "ab" * 4))) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(own.count(1.0), own.count(0.5))
"""


def test_forks_and_threads_without_a_connection_each_see_their_own():
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["21", "20"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLES)
    return path


@pytest.mark.parametrize("inputs", INPUTS)
def test_a_file_is_given_back_and_results_are_still_to_be_had(file, inputs):
    result = quietly(rm.evaluate, *INPUTS[inputs], ["rr"], connection=str(file))
    with duckdb.connect(str(file)) as writer:
        writer.execute("INSERT INTO runs VALUES ('z', 'a', 1)")
    assert result.per_query.fetchall() == [("x", 0.5), ("y", 1.0)]
    with duckdb.connect(str(file)) as writer:
        writer.execute("DELETE FROM runs WHERE query_id = 'z'")


WRONG = {
    "an unknown table": ("nowhere", "labels"),
    "no score": ("SELECT query_id, item_id FROM runs", "labels"),
    "an error": ("SELECT query_id, item_id, error('no') AS score FROM runs", "labels"),
    "no common query": NOTHING_SHARED,
}


@pytest.mark.parametrize("refused", WRONG)
def test_a_file_is_given_back_after_errors(file, refused):
    with pytest.raises(rm.RankmetricsError) as caught:
        quietly(rm.evaluate, *WRONG[refused], ["rr"], connection=str(file))
    duckdb.connect(str(file)).close()
    assert caught.value.__traceback__  # which keeps what it passed through


def test_a_stream_that_is_left_gives_the_file_back(file):
    pytest.importorskip("pyarrow")
    result = quietly(rm.evaluate, "runs", "labels", ["rr"], connection=str(file))
    batches = result.per_query.batches(1)
    next(batches)
    batches.close()
    del batches
    gc.collect()
    duckdb.connect(str(file)).close()


def test_a_table_is_left_in_a_file(file):
    result = quietly(rm.evaluate, "runs", "labels", ["rr"], connection=str(file))
    result.create_table("kept")
    with duckdb.connect(str(file)) as writer:
        assert writer.sql("SELECT metric, value FROM kept").fetchall() == [("rr", 0.75)]
    with pytest.raises(rm.UsageError, match="already"):
        result.create_table("kept")
    duckdb.connect(str(file)).close()


def test_a_progress_bar_as_in_a_notebook_is_nothing_of_its_own():
    with duckdb.connect() as con:
        con.execute("SET enable_progress_bar = true")
        con.execute("SET enable_progress_bar_print = false")
        assert not sessions._has_state(con)
        con.execute("CREATE TEMP TABLE mine AS SELECT 1 AS x")
        assert sessions._has_state(con)


def test_types_are_those_that_duckdb_describes(con):
    con.execute("CREATE TYPE mood AS ENUM ('sad', 'ok')")
    values = "1::UTINYINT a, 'x' b, 1.5::DECIMAL(9, 4) c, [1] d, {'e f': 1} e, 'ok'::mood f, NOW() g, [1, 2]::INT[2] h"
    expected = {name: type_ for name, type_, *_ in con.execute(f"DESCRIBE SELECT {values}").fetchall()}
    with DuckDB(con) as engine:
        assert engine.describe(f"(SELECT {values})") == expected


SPILLING = """
CREATE TABLE runs AS SELECT 'q' || (i % 3000) AS query_id, 'item' || i AS item_id, HASH(i) / 1e9 AS score
    FROM RANGE(300_000) r(i);
CREATE TABLE labels AS SELECT query_id, item_id, 1 AS relevance FROM runs WHERE HASH(item_id) % 10 = 0;
SET memory_limit = '30MB';
SET threads = 1;
"""


@pytest.mark.long
def test_temporary_files_beyond_their_limit_are_an_error_that_says_what_to_type(tmp_path):
    folder = tmp_path / "spilled"
    with duckdb.connect() as connection:
        connection.execute(SPILLING + f"SET temp_directory = '{folder}'; SET max_temp_directory_size = '1MB'")
        with pytest.raises(
            rm.DatabaseError, match=rf"^no space for temporary files: {folder} may take 976.5 KiB"
        ) as said:
            quietly(rm.evaluate, "runs", "labels", "ndcg", connection=connection, check="none")
        number = int(re.search(r"partitions=(\d+)\.$", str(said.value))[1])
        found = quietly(rm.evaluate, "runs", "labels", "ndcg", connection=connection, check="none", partitions=number)
    assert 0 < found["ndcg"] < 1
    assert not folder.exists() or not [*folder.iterdir()]


def test_temporary_files_of_our_own_are_bounded_and_the_users_limit_stays(file, tmp_path):
    limits = "SELECT CURRENT_SETTING('max_temp_directory_size')"
    for engine in (DuckDB(), DuckDB(threads=1), DuckDB(file=str(file))):
        with engine:
            amount, unit = engine.single(limits)[0].split()
            free = shutil.disk_usage(tmp_path).free
            assert unit.endswith("iB")
            assert float(amount) * 1024 ** "KMGT".index(unit[0]) * 1024 < 0.6 * free
    with duckdb.connect(str(file)) as connection:
        connection.execute("SET max_temp_directory_size = '5GB'")
        with DuckDB(connection) as engine:
            assert engine.single(limits) == ("4.6 GiB",)


@pytest.mark.long
@pytest.mark.skipif(shutil.which("mount") is None or os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_leaves_no_half_of_a_file(tmp_path):
    file, disk = tmp_path / "run.csv", tmp_path / "disk"
    file.write_text("query_id,item_id,score,relevance\n" + "".join(f"q{query},i,1,1\n" for query in range(5000)))
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        (disk / "out.csv").write_text("old")
        arguments = ["evaluate", "--labelled", file, "-m", "rr", "--per-query", "-o", disk / "out.csv"]
        done = subprocess.run(
            [sys.executable, "-m", "rankmetrics_sql", *map(str, arguments)], capture_output=True, text=True, check=False
        )
        assert (done.returncode, [path.name for path in disk.iterdir()]) == (1, ["out.csv"])
        assert done.stderr.endswith(f"{disk / 'out.csv'}: cannot be written: No space left on device.\n")
        assert (disk / "out.csv").read_text() == "old"
    finally:
        subprocess.run(["umount", disk], check=True)


def test_the_database_in_memory_is_renewed_now_and_then(monkeypatch):
    """With each statement DuckDB keeps more memory, until the database is closed."""
    opened = []
    monkeypatch.setattr(duckdb, "connect", lambda *_args, connect=duckdb.connect: opened.append(1) or connect())
    monkeypatch.setattr(sessions, "_SHARED_SESSIONS", 2)
    monkeypatch.setattr(sessions, "_sessions", itertools.count())
    sessions._shared_database.cache_clear()
    engines = [DuckDB() for _ in range(5)]
    assert len(opened) == 3
    assert [engine.single("SELECT 1") for engine in engines] == [(1,)] * 5
    sessions._shared_database.cache_clear()
