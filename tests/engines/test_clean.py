"""What a killed evaluation leaves in a database is found by its name, and nothing else is."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.api.clean import find_tables
from rankmetrics_sql.dialects import check_dialect
from rankmetrics_sql.engines.creation import creation
from rankmetrics_sql.engines.stored_names import Leftover, old_name, read_name, stored_name

ROOT = Path(__file__).parents[2]
STORED = "rankmetrics_20260301093000_1a2b3c4d_runs_1"
OTHERS = (
    *("rankmetrics_ndcg", "rankmetrics_20260301093000_1a2b3c4", "rankmetrics_20261301093000_1a2b3c4d_runs_1"),
    *("my_rankmetrics_20260301093000_1a2b3c4d_runs_1", f"{STORED}_copy", "rankmetrics_1a2b3c4d_runs_1"),
    *("rankmetrics_20260301093000_1a2b3c4d_runs", "_rankmetrics_old_20260301093000_1a2b3c4d"),
)
OLD = "daily_rankmetrics_old_20260301093000_1a2b3c4d"
CREATED = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def test_names_say_when_they_were_made():
    begin = datetime.now(UTC).replace(microsecond=0)
    for name in (stored_name(), f"{stored_name()}_query_list_12", old_name("daily")):
        leftover = read_name(name)
        assert leftover is not None
        assert begin <= leftover.created <= datetime.now(UTC)
    assert read_name(STORED) == Leftover(CREATED)
    assert read_name(STORED.upper()) == Leftover(CREATED)  # as Snowflake lists it
    assert read_name(OLD) == Leftover(CREATED, "daily")


@pytest.mark.parametrize("name", OTHERS)
def test_other_names_are_not_ours(name):
    assert read_name(name) is None


@pytest.mark.parametrize("length", [1, 22, 23, 24, 64])
def test_the_name_of_an_old_table_fits_and_is_whole_or_cut(length):
    table = ("daily_scores" * 9)[:length]
    name = old_name(table)
    leftover = read_name(name)
    assert len(name) <= 63
    assert table.startswith(leftover.table)
    assert leftover.is_cut or leftover.table == table


@pytest.mark.parametrize("dialect", ["spark", "trino", "mysql"])
def test_an_old_table_that_is_renamed_has_its_name(dialect):
    plan = creation("table", "shop.daily", "SELECT 1 AS x", check_dialect(dialect), replace=True)
    words = {word for text in plan.statements for word in text.replace(",", " ").split()}
    [old] = {word for word in words if "_old_" in word}
    assert old.startswith("shop.daily_rankmetrics_old_")
    assert read_name(old.removeprefix("shop.")).table == "daily"
    [new] = {word for word in words if word.startswith("shop.rankmetrics_")}
    assert read_name(new.removeprefix("shop.")).table is None


@pytest.fixture
def lite(tmp_path):
    import sqlite3

    path = tmp_path / "left.db"
    recent = f"rankmetrics_{datetime.now(UTC) - timedelta(hours=5):%Y%m%d%H%M%S}_1a2b3c4d_values_2"
    connection = sqlite3.connect(path)
    for name in (STORED, recent, OLD, *OTHERS):
        connection.execute(f"CREATE TABLE {name} (x INTEGER)")
    connection.commit()
    yield connection, f"sqlite:///{path}", recent
    connection.close()


def names_in(connection):
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}


def test_listing_changes_nothing(lite):
    connection, url, recent = lite
    before = names_in(connection)
    rows = rm.clean(connection=url).dicts()
    assert {row["table"]: row["statement"] for row in rows} == {
        f"main.{STORED}": f"DROP TABLE IF EXISTS main.{STORED}",
        f"main.{recent}": f"DROP TABLE IF EXISTS main.{recent}",
        f"main.{OLD}": f"ALTER TABLE main.{OLD} RENAME TO main.daily",
    }
    assert [row["created"] for row in rows if row["table"] == f"main.{STORED}"] == ["2026-03-01 09:30:00"]
    assert not any(row["dropped"] for row in rows)
    assert names_in(connection) == before


@pytest.mark.parametrize(("options", "takes_recent"), [({}, False), ({"older_than": 0.2}, True)])
def test_dropping_takes_what_is_old_enough_and_no_old_table(lite, options, takes_recent):
    connection, url, recent = lite
    before = names_in(connection)
    rows = rm.connect(url).clean(drop=True, **options).dicts()
    gone = {STORED, recent} if takes_recent else {STORED}
    assert names_in(connection) == before - gone
    assert {row["table"] for row in rows if row["dropped"]} == {f"main.{name}" for name in gone}


def test_the_command_lists_and_drops(lite, cli):
    connection, url, recent = lite
    shown = cli("clean", "--database", url, "--format", "csv")
    assert shown.exit_code == 0
    assert [line.split(",")[0] for line in shown.stdout.splitlines()] == [
        *("table", f"main.{OLD}", f"main.{STORED}", f"main.{recent}"),
    ]
    assert cli("clean", "--database", url, "--drop", "--older-than", "0", "--timeout", "60").exit_code == 0
    assert {STORED, recent}.isdisjoint(names_in(connection))
    connection.execute(f"DROP TABLE {OLD}")
    connection.commit()
    empty = cli("clean", "--database", url)
    assert (empty.exit_code, empty.stdout, empty.stderr) == (0, "", "No table is left.\n")


def test_a_schema_limits_the_search(lite):
    _, url, _ = lite
    assert len(rm.clean(connection=url, schema="main")) == 3
    assert len(rm.clean(connection=url, schema="other")) == 0


def test_a_database_that_lists_one_schema_asks_for_it():
    asked = []

    class Engine:
        dialect = check_dialect("spark")

        def run(self, text):
            asked.append(text)
            return ["namespace", "tableName", "isTemporary"], [("shop", STORED, False), ("shop", "sales", False)]

    with pytest.raises(rm.UsageError, match=r"^spark lists the tables of one schema\. Pass schema=NAME\.$"):
        list(find_tables(Engine(), None))
    assert [table.name for table in find_tables(Engine(), "shop")] == [f"shop.{STORED}"]
    assert asked == ["SHOW TABLES IN shop"]


def test_what_is_refused():
    with pytest.raises(rm.UsageError, match=r"^clean looks for tables in a database\. Pass connection=\.$"):
        rm.clean()
    with pytest.raises(rm.UsageError, match="older_than is a number of days, 0 or more, not -1"):
        rm.clean(connection=rm.connect(), older_than=-1)


def test_a_table_that_cannot_be_dropped_is_named(lite):
    import sqlite3

    connection, _, _ = lite
    connection.set_authorizer(
        lambda action, *_: sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_DROP_TABLE else sqlite3.SQLITE_OK
    )
    with pytest.warns(rm.RankmetricsWarning, match=rf"main\.{STORED} could not be dropped: not authorized"):
        rows = rm.clean(connection=connection, drop=True).dicts()
    connection.set_authorizer(None)
    assert not any(row["dropped"] for row in rows)
    assert STORED in names_in(connection)


# After SIGKILL.

KILLED = """
CREATE TABLE found AS SELECT 'q1' AS query_id, 'i1' AS item_id, 1.0::float8 AS score;
CREATE VIEW slow_found AS SELECT query_id, item_id, score + length(pg_sleep(60)::text) AS score FROM found;
CREATE SCHEMA "Kept here"
"""


@pytest.mark.long
def test_what_a_killed_command_leaves_is_found_and_dropped(start_engine, tmp_path):
    """The server ends the statement by itself when it notices that nobody waits for it."""
    engine = start_engine("postgres-15")
    engine.run(KILLED)
    labels = tmp_path / "labels.csv"
    labels.write_text("query_id,item_id,relevance\nq1,i1,1\n")
    words = ["evaluate", "slow_found", "--qrels", str(labels), "-m", "rr", "--database", engine.url]
    command = [sys.executable, "-m", "rankmetrics_sql", *words, "--materialize", '"Kept here"']
    active = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        wait_until(lambda: engine.fetch(active)[1])
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    [row] = rm.clean(connection=engine.url).dicts()
    assert row["table"].startswith('"Kept here".rankmetrics_')
    assert not row["dropped"]
    wait_until(lambda: not engine.fetch(active)[1])  # it reads the table until then
    assert [found["dropped"] for found in rm.clean(connection=engine.url, drop=True).dicts()] == [False]
    assert [found["dropped"] for found in rm.clean(connection=engine.url, drop=True, older_than=0).dicts()] == [True]
    assert rm.clean(connection=engine.url).dicts() == []


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.long
def test_the_old_table_of_an_interrupted_replacement_gets_its_name_back(start_engine):
    engine = start_engine("mariadb")
    plan = creation("table", "daily_figures", "SELECT 2 AS x", check_dialect("mysql"), replace=True)
    engine.run("CREATE TABLE daily_figures AS SELECT 1 AS x")
    for statement in plan.statements[:2]:  # killed before the last, which drops the old table
        engine.run(statement)
    [row] = rm.clean(connection=engine.url, drop=True, older_than=0).dicts()
    assert not row["dropped"]
    engine.run("DROP TABLE daily_figures")
    engine.run(row["statement"])
    assert engine.fetch("SELECT x FROM daily_figures")[1] == [(1,)]
    assert rm.clean(connection=engine.url).dicts() == []
    engine.run("DROP TABLE daily_figures")
