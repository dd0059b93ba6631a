"""where= of a log, on every road, beside a twin that filters the impressions in a query of its own."""

from __future__ import annotations

import json
import random

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly

NAMES = {"request": "search", "item": "sku", "position": "slot", "time": "moment", "user": "visitor"}
CONDITION = "agent NOT IN ('bot', 'crawler') AND slot < 4"


@pytest.fixture
def log():
    """Impressions of people and bots; some agents are unknown, which no condition is true of."""
    draw = random.Random(7)
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE shown (search TEXT, sku TEXT, slot INT, arm TEXT, visitor TEXT, agent TEXT, moment TIMESTAMP)"
    )
    connection.execute("CREATE TABLE done (search TEXT, sku TEXT, event_type TEXT, visitor TEXT, moment TIMESTAMP)")
    shown, done = [], []
    for number in range(90):
        agent, visitor = draw.choice(["person", "person", "bot", "crawler", None]), f"v{draw.randrange(20)}"
        for slot in range(1, draw.randrange(3, 7)):
            at = f"2026-05-0{1 + number % 9} 10:00:00"
            shown.append((f"s{number}", f"i{slot}", slot, "AB"[number % 2], visitor, agent, at))
            if draw.random() < 0.35:
                done.append((f"s{number}", f"i{slot}", "click", visitor, at))
    fill(connection, "shown", shown)
    fill(connection, "done", done)
    return connection


RULES = {
    "plain": ({}, {}),
    "by user": ({"attribution": "user", "within": 60}, {}),
    "clicked": ({"requests": "clicked", "half_life": 3600}, {"by": "agent"}),
    "periods": ({"position_base": 1}, {"period": "week", "min_queries": 2}),
}
METRICS = ["mrr@3", "ctr@2", "ndcg(gain=exp2)@5"]


@pytest.mark.parametrize("rules", RULES)
def test_a_condition_is_a_filter_of_the_impressions(log, rules):
    given, asked = RULES[rules]
    filtered = rm.events(f"SELECT * FROM shown WHERE {CONDITION}", "done", **NAMES, **given)
    source = rm.events("shown", "done", **NAMES, **given, where=CONDITION)
    found, wanted = (quietly(rm.evaluate, one, METRICS, connection=log, **asked) for one in (source, filtered))
    assert found.summary.fetchall() == wanted.summary.fetchall() != []
    assert found.data_quality.fetchall() == wanted.data_quality.fetchall()
    everyone = quietly(rm.evaluate, rm.events("shown", "done", **NAMES, **given), METRICS, connection=log, **asked)
    assert found.summary.fetchall() != everyone.summary.fetchall()
    printed = [log.execute(rm.sql(METRICS, one, connection=log, **asked)).fetchall() for one in (source, filtered)]
    assert printed[0] == printed[1] != []


def test_arms_without_bots(log):
    """The sample ratio counts the users whose impressions are kept."""
    given = {**NAMES, "arm": "arm"}
    filtered = "SELECT * FROM shown WHERE agent = 'person'"
    sources = rm.events("shown", "done", **given, where="agent = 'person'"), rm.events(filtered, "done", **given)
    compared = [quietly(rm.compare, one, METRICS[:2], baseline="A", connection=log) for one in sources]
    assert compared[0].summary.fetchall() == compared[1].summary.fetchall()
    assert compared[0].notes == compared[1].notes != []


def test_dbt_and_the_command_line(log, tmp_path, cli):
    columns = {name: column for name, column in NAMES.items() if name not in ("time", "user")}
    kept = rm.events(f"SELECT * FROM shown WHERE {CONDITION}", "done", **columns)
    wanted = quietly(rm.evaluate, kept, METRICS, connection=log)
    rows = macros()["from_events"]("shown", "done", columns=columns, where=CONDITION)
    named = {"columns": {"query": "search", "position": "position"}, "options": {"position": "given"}}
    text = macros()["summary"](f"({rows})", METRICS, **named)
    assert sorted(log.execute(text).fetchall()) == sorted(log.execute(wanted.sql).fetchall())
    quality = macros()["quality_of_events"]("shown", "done", columns=columns, where=CONDITION)
    assert sorted(log.execute(quality).fetchall()) == sorted(wanted.data_quality.fetchall())
    for name in ("shown", "done"):
        log.execute(f"COPY {name} TO '{tmp_path / name}.csv'")
    files = ["--events", tmp_path / "shown.csv", tmp_path / "done.csv"]
    rules = ["--rule", "request=search,item=sku,position=slot"]
    rules += ["--rule", "where=agent NOT IN ('bot', 'crawler') AND CAST(slot AS INT) < 4"]
    metrics = [part for name in METRICS for part in ("-m", name)]
    done = cli("evaluate", *files, *rules, *metrics, "--format", "json")
    assert done.exit_code == 0, done.stderr
    assert [row["value"] for row in json.loads(done.stdout)] == [row[1] for row in wanted.summary.fetchall()]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("agnt = 'bot'", "no column 'agnt'"),
        ("", "where takes SQL over a row of the impressions"),
        (3, "where takes SQL over a row of the impressions"),
        ("slot < 4)", "closes nothing"),
        ("slot < (SELECT 3)", "select reads more than the row"),
    ],
)
def test_conditions_that_are_none(log, where, message):
    with pytest.raises(rm.RankmetricsError, match=message):
        quietly(rm.evaluate, rm.events("shown", "done", **NAMES, where=where), "rr", connection=log)


def test_a_table_of_all_requests_has_them_too(log):
    given = {"requests": "logged", "request": "search", "item": "sku", "position": "slot"}
    message = (
        r"requests=logged would count their requests as empty\. Pass queries .*: SELECT \* FROM \.\.\. WHERE agent"
    )
    with pytest.raises(rm.UsageError, match=message):
        rm.events("shown", "done", queries="asked", where="agent = 'person'", **given)
    with pytest.raises(rm.UsageError, match=message):
        macros()["from_events"]("shown", "done", requests="logged", queries="asked", where="agent = 'person'")
    log.execute("CREATE TABLE asked AS SELECT DISTINCT search, agent FROM shown")
    log.execute("INSERT INTO asked VALUES ('t1', 'person'), ('t2', 'bot')")
    shown, asked = (f"SELECT * FROM {table} WHERE agent = 'person'" for table in ("shown", "asked"))
    found = quietly(rm.evaluate, rm.events(shown, "done", queries=asked, **given), "zero_results", connection=log)
    [(people,)] = log.execute("SELECT COUNT(DISTINCT search) FROM shown WHERE agent = 'person'").fetchall()
    assert found["zero_results"] == pytest.approx(1 / (people + 1))
