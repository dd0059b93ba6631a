"""Searches that are typed letter by letter are one request: beside a twin in plain Python, on every road."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from datetime import datetime, timedelta
from itertools import pairwise

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import seeds
from .test_sources import moment_in

START = datetime(2026, 5, 29, 22)
NAMES = {"user": "visitor", "time": "moment", "text": "text"}
COLUMNS = {"request_id": "VARCHAR", "item_id": "VARCHAR", "position": "BIGINT"}
COLUMNS |= {"visitor": "VARCHAR", "moment": "TIMESTAMP", "text": "VARCHAR"}


def random_log(seed):
    """What was shown, the requests that were clicked in, and all requests; some showed nothing."""
    draw, shown, clicked, asked = random.Random(seed), [], [], []
    for user in ["u", "v", None]:
        moment, text = START, ""
        for number in range(40):
            moment += timedelta(seconds=draw.choice([0, 1, 9, 10, 11, 60]))
            text = draw.choice(
                [text + draw.choice("ab"), text + draw.choice("ab"), text, text[:-1], draw.choice("ab%_")]
            )
            request = f"{user}{number:02}"
            said = draw.choice([text] * 9 + [None])
            at = draw.choice([moment] * 19 + [None])
            asked.append((request, user, at, said))
            for place, item in enumerate(draw.sample("xyz", draw.randrange(4)), 1):
                shown.append((request, item, place, user, at, said))
                if draw.random() < 0.4:
                    clicked.append((request, item, "click"))
    return shown, clicked, asked


def typed(requests, within):
    """The requests after which their user typed further: requests are (id, user, time, text)."""
    of_users = defaultdict(list)
    for request, user, moment, text in requests:
        if user is not None and moment is not None:
            of_users[user].append((moment, request, text))
    found = set()
    for searches in of_users.values():
        searches.sort(key=lambda search: search[:2])
        for (moment, request, text), (later, _, longer) in pairwise(searches):
            is_soon = (later - moment).total_seconds() <= within
            if is_soon and text is not None and longer is not None and longer.startswith(text):
                found.add(request)
    return found


def expected(log, within, logged):
    """The reciprocal rank of each request, and what became of the impressions."""
    shown, clicked, asked = log
    facts = asked if logged else sorted({(row[0], *row[3:]) for row in shown}, key=str)
    gone = typed(facts, within)
    places = {(request, item): place for request, item, place, *_ in shown}
    first = defaultdict(float)
    for request, item, _ in clicked:
        first[request] = max(first[request], 1 / places[request, item])
    requests = {row[0] for row in shown} | ({row[0] for row in asked} if logged else set())
    rows = [row for row in shown if row[0] in gone]
    counts = {"typed further": len(rows), "used": len(shown) - len(rows)}
    return {request: first[request] for request in requests - gone}, {key: n for key, n in counts.items() if n}


@pytest.fixture
def load():
    with duckdb.connect() as connection:

        def tables(log):
            for name, columns, rows in zip(("shown", "done", "asked"), _TABLES, log, strict=True):
                types = ", ".join(f"{column} {type_}" for column, type_ in columns.items())
                connection.execute(f"CREATE OR REPLACE TABLE {name} ({types})")
                connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)
            return connection

        yield tables


_DONE = {"request_id": "VARCHAR", "item_id": "VARCHAR", "event_type": "VARCHAR"}
_ASKED = {name: type_ for name, type_ in COLUMNS.items() if name not in ("item_id", "position")}
_TABLES = (COLUMNS, _DONE, _ASKED)


@pytest.mark.parametrize("seed", seeds(8, 1))
@pytest.mark.parametrize("logged", [False, True])
def test_what_is_typed_further_is_one_request(load, seed, logged):
    log = random_log(seed)
    connection = load(log)
    more = {"requests": "logged", "queries": "asked"} if logged else {}
    for within, given in ((10, {}), (9, {"collapse_within": "9 seconds"})):
        values, counts = expected(log, within, logged)
        assert counts["typed further"] > 5
        source = rm.events("shown", "done", **NAMES, collapse="typing", **given, **more)
        for options in ({}, {"position": "dense"}):  # the road of few rows, and that of all
            result = quietly(rm.evaluate, source, "rr", connection=connection, **options)
            assert dict(result.per_query.fetchall()) == pytest.approx(values)
            found = {reason: n for side, reason, n in result.data_quality if side == "impressions"}
            assert found == counts
            assert not [text for text in result.warnings if "queries" in text]
        asked = {"collapse": "typing", "collapse_within": within} | more
        rows = macros()["from_events"]("shown", "done", columns=NAMES, **asked)
        requests = {row[0] for row in connection.execute(f"SELECT DISTINCT request_id FROM ({rows}) r").fetchall()}
        assert requests == values.keys()
        counted = connection.execute(macros()["quality_of_events"]("shown", "done", columns=NAMES, **asked)).fetchall()
        assert {reason: n for side, reason, n in counted if side == "impressions"} == counts


def test_by_hand(load, tmp_path, cli):
    """l, la and lamp are one search with the list of lamp; 11 seconds later or in capitals it is another."""
    searches = [("r1", "l", 0), ("r2", "la", 10), ("r3", "lamp", 20), ("r4", "lamps", 31), ("r5", "lAmps", 32)]
    shown = [(r, r, 1, "u", START + timedelta(seconds=s), text) for r, text, s in searches]
    shown += [("n1", "i", 1, None, START, "a"), ("n2", "i", 1, None, START, "ab")]
    connection = load((shown, [("r1", "r1", "click"), ("r3", "r3", "click")], [("r1", "u", START, "l")]))
    source = rm.events("shown", "done", **NAMES, collapse="typing")
    result = quietly(rm.evaluate, source, "rr", connection=connection)
    assert dict(result.per_query.fetchall()) == {"r3": 1, "r4": 0, "r5": 0, "n1": 0, "n2": 0}
    assert ("events", "not shown", 1) in [tuple(row) for row in result.data_quality]
    for name in ("shown", "done"):
        connection.execute(f"COPY {name} TO '{tmp_path / name}.csv'")
    rules = [f"{name}={column}" for name, column in NAMES.items()] + ["collapse=typing", "collapse_within=11"]
    files = ["--events", tmp_path / "shown.csv", tmp_path / "done.csv"]
    printed = cli("evaluate", *files, *(f"--rule={rule}" for rule in rules), "-m", "rr", "--format", "csv")
    assert printed.stdout.splitlines()[1].split(",")[1:] == ["rr", "0.0", "4"]  # r3 is typed further now, too


@pytest.mark.parametrize(
    ("given", "message", "typed"),
    [
        ({"collapse": "typed"}, "collapse is typing, not 'typed'", {"collapse": "typing"}),
        (NAMES | {"collapse": "typing", "user": None}, "column of the user. Pass user=NAME", {"user": "visitor"}),
        (NAMES | {"text": "asked"}, "no column 'asked' for text", {"text": "text"}),
        ({"collapse_within": 5}, "collapse_within has no effect without collapse='typing'. Pass it", NAMES),
        (NAMES | {"collapse": "typing", "collapse_within": "soon"}, "collapse_within takes a number of seconds", None),
        (NAMES | {"collapse": "typing", "text": "asked"}, "no column 'asked' for text", {"text": "text"}),
    ],
)
def test_what_cannot_collapse(load, given, message, typed):
    connection = load(random_log(1))
    with pytest.raises((rm.UsageError, rm.DataError), match=message):
        quietly(rm.evaluate, rm.events("shown", "done", **given), "rr", connection=connection)
    if message.startswith("column of the user"):
        told = "collapse=typing needs the column of the user. Name it: columns={'user': ...}."
        with pytest.raises(rm.UsageError, match=re.escape(told)):
            macros()["from_events"]("shown", "done", columns=NAMES | {"user": None}, collapse="typing")
        assert "rankmetrics_typed" in macros()["from_events"]("shown", "done", columns=NAMES, collapse="typing")
    if typed is not None:
        log = rm.events("shown", "done", **NAMES | given | {"collapse": "typing"} | typed)
        assert quietly(rm.evaluate, log, "rr", connection=connection)["rr"] > 0


@pytest.mark.long
@pytest.mark.parametrize("name", ["clickhouse", "datafusion", "googlesql", "mariadb", "postgres-15", "sqlite", "trino"])
def test_in_every_engine(start_engine, name):
    engine, log = start_engine(name), random_log(2)
    shown = [(*row[:3], row[3], None if row[4] is None else str(row[4]), row[5]) for row in log[0]]
    types = {name: "bigint" if type_ == "BIGINT" else "text" for name, type_ in COLUMNS.items()}
    engine.load("shown", types, shown)
    engine.load("done", dict.fromkeys(_DONE, "text"), log[1])
    table = f"(SELECT s.*, {moment_in(engine)} AS asked FROM shown s) AS u"
    given = {"columns": NAMES | {"time": "asked"}, "collapse": "typing"}
    names, rows = engine.fetch(macros(engine.dialects[0])["from_events"](table, "done", **given))
    found = {row[[name.lower() for name in names].index("request_id")] for row in rows}
    values, counts = expected(log, 10, False)
    assert found == values.keys()
    _, counted = engine.fetch(macros(engine.dialects[0])["quality_of_events"](table, "done", **given))
    assert {reason: n for side, reason, n in counted if side == "impressions"} == counts
