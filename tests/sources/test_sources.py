"""Lists, event logs and ratings in place of a run and judgments: the same rows as a twin in Python finds."""

from __future__ import annotations

import gzip
import json
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations, product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
import sqlglot
from click.testing import CliRunner

import rankmetrics_sql as rm
from dev.engines import ENGINES
from rankmetrics_sql.cli import main
from rankmetrics_sql.dialects import check_dialect
from rankmetrics_sql.dialects.names import quote_name
from rankmetrics_sql.engines import Unconnected
from rankmetrics_sql.errors import DataError, UsageError
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..everything import each_once, seeds

START = datetime(2026, 1, 1)
GRADES = {"click": 1, "cart": 2, "purchase": 3}
NAMES = {"request": "request", "item": "item", "position": "place", "type": "what", "time": "moment", "user": "who"}
SHOWN = ("request", "item", "place", "who", "moment", "app")
DONE = ("request", "item", "what", "who", "moment")


def random_log(seed: int, *, begins: bool = True) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Impressions and events with all that can be wrong with them; each request begins where its application does."""
    chance = random.Random(seed)

    def some(values: str, missing: float = 0.05) -> str | None:
        return None if chance.random() < missing else chance.choice(values)

    def moment() -> datetime | None:
        return None if chance.random() < 0.05 else START + timedelta(minutes=chance.randrange(60))

    requests = {name: (some("uvw"), moment()) for name in "abcdefgh"}
    shown = []
    for _ in range(60):
        request = some("abcdefgh")
        user, at = requests.get(str(request), (None, None))
        place = None if chance.random() < 0.05 else chance.randrange(-1 if chance.random() < 0.1 else 0, 6)
        app = some("XY", 0.2)
        shown.append((request, some("pqrst"), place if app != "X" or place is None else place + 1, user, at, app))
    for request, app in sorted({(str(row[0]), str(row[-1])) for row in shown if begins and row[0]}):
        user, at = requests[request]
        shown.append((request, chance.choice("pqrst"), 0, user, at, None if app == "None" else app))
    done = [
        (some("abcdefghz"), some("pqrst"), some(("click", "cart", "purchase", "scroll")), some("uvw"), moment())
        for _ in range(80)
    ]
    return shown, done


def first_reason(*checks: tuple[bool, str]) -> str | None:
    """The first that applies."""
    return next((reason for applies, reason in checks if applies), None)


@dataclass(frozen=True)
class Rules:
    """How a log is read."""

    by_user: bool
    within: float | None
    grade: str = "highest"
    base: Any = "auto"
    requests: str = "all"
    half_life: float | None = None
    min_dwell: float | None = None

    @property
    def timed(self) -> bool:
        """Whether it matters when something was shown."""
        return (self.within, self.half_life) != (None, None)


def stayed(moment: datetime | None) -> int | None:
    """How long a visitor stayed: any number that the row determines."""
    return None if moment is None else moment.minute % 7 * 10


class Twin:
    """What a log comes to, row by row as the rules say: places and grades, and how many rows were used or not."""

    def __init__(self, shown: Any, done: Any, rules: Rules) -> None:
        self.rules = rules
        self.quality: Counter[tuple[str, str]] = Counter()
        self.places: dict[tuple[str, str], int] = {}
        self.times: dict[tuple[str, str], list[datetime]] = {}
        self.users: dict[tuple[str, str], list[str]] = {}
        self.credited: dict[tuple[str, str, str], float] = {}
        zero = {row[-1] or "" for row in shown if row[2] == 0}
        for row in shown:
            base = 0 if (row[-1] or "") in zero else 1
            self.quality["impressions", self._see(*row[:-1], base if rules.base == "auto" else rules.base)] += 1
        self.firsts = {
            key: (min(self.times[key], default=None), min(self.users[key], default=None)) for key in self.times
        }
        for row in done:
            self.quality["events", self._credit(*row)] += 1

    def _see(self, request: Any, item: Any, place: Any, user: Any, moment: Any, base: int) -> str:
        reason = first_reason(
            (request is None, "no request"),
            (item is None, "no item"),
            (place is None, "no position"),
            (place is not None and place < 0, "negative position"),
            (place is not None and place < base, "position below the base"),
        )
        if reason is not None:
            return reason
        key = (request, item)
        repeated = key in self.places
        self.places[key] = min(self.places.get(key, 99), place - base + 1)
        self.times.setdefault(key, []).extend([moment] if moment else [])
        self.users.setdefault(key, []).extend([user] if user else [])
        return "repeated impression" if repeated else "used"

    def _about(self, request: Any, item: Any, user: Any, moment: Any) -> Any:
        """The request and item that an action is about, and when that was shown."""
        if self.rules.by_user:
            before = [
                (START - when, key)
                for key, (when, who) in self.firsts.items()
                if key[1] == item and who == user and None not in (user, when, moment) and when <= moment
            ]
            request = min(before)[1][0] if before else None
        return (request, item), self.firsts.get((request, item), (None, None))[0]

    def _credit(self, request: Any, item: Any, what: Any, user: Any, moment: Any) -> str:
        by_user, within, timed = self.rules.by_user, self.rules.within, self.rules.timed
        stay, enough = stayed(moment), self.rules.min_dwell
        key, shown_at = self._about(request, item, user, moment)
        late = None if shown_at is None or moment is None else (moment - shown_at).total_seconds()
        reason = first_reason(
            (what not in GRADES, "other action"),
            ((user if by_user else request) is None, "no user" if by_user else "no request"),
            (item is None, "no item"),
            ((by_user or timed) and moment is None, "no time"),
            (enough is not None and stay is not None and stay < (enough or 0), "stayed too briefly"),
            (key not in self.places, "not shown"),
            (timed and late is None, "shown at no time"),
            (timed and late is not None and late < 0, "before it was shown"),
            (within is not None and late is not None and late > (within or 0), "too late"),
        )
        if reason is not None:
            return reason
        before = self.credited.get((*key, what))
        decayed = GRADES[what] * (0.5 ** ((late or 0) / self.rules.half_life) if self.rules.half_life else 1)
        self.credited[(*key, what)] = max(decayed, before or 0)
        return "used" if before is None else "repeated action"

    def rows(self) -> dict[str, list[tuple[int, float]]]:
        """Place and grade of each item, by request."""
        together = max if self.rules.grade == "highest" else sum
        clicked = {request for request, _, _ in self.credited}
        found: dict[str, list[tuple[int, float]]] = {}
        for (request, item), place in self.places.items():
            grades = [grade for (*key, _), grade in self.credited.items() if key == [request, item]]
            if self.rules.requests == "all" or request in clicked:
                found.setdefault(request, []).append((place, together([0, *grades])))
        return found


@pytest.fixture
def logged(request: pytest.FixtureRequest):
    """A connection with a random log, and the log."""
    shown, done = random_log(request.param)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE shown ({', '.join(f'{name} TEXT' for name in SHOWN)})")
        connection.execute("ALTER TABLE shown ALTER place TYPE INTEGER; ALTER TABLE shown ALTER moment TYPE TIMESTAMP")
        fill(connection, "shown", shown)
        connection.execute("CREATE TABLE done (request TEXT, item TEXT, what TEXT, who TEXT, moment TIMESTAMP)")
        fill(connection, "done", done)
        yield connection, shown, done


@pytest.mark.parametrize(("within", "attribution"), each_once([None, 0, 600], ["request", "user"]))
@pytest.mark.parametrize("logged", seeds(12, 1), indirect=True)
def test_a_log_gives_what_its_twin_finds(logged, attribution, within):
    connection, shown, done = logged
    for grade, base, requests, app in [
        ("highest", "auto", "all", "app"),
        ("sum", 1, "all", None),
        ("highest", 0, "clicked", None),
        ("sum", "auto", "clicked", "app"),
    ]:
        rules = {"grade": grade, "position_base": base, "requests": requests, "within": within}
        log = rm.events("shown", "done", **NAMES, grades=GRADES, attribution=attribution, application=app, **rules)
        one_app = [(*row[:-1], row[-1] if app else None) for row in shown]
        expected = Twin(one_app, done, Rules(attribution == "user", within, grade, base, requests))
        if not expected.rows():
            continue
        result = quietly(rm.evaluate, log, ["cg", "num_ret", "p@1"], connection=connection)
        assert {name: values[:2] for name, *values in result.per_query} == {
            name: [sum(number for _, number in found), len(found)] for name, found in expected.rows().items()
        }
        assert {tuple(row[:2]): row[2] for row in result.data_quality} == dict(expected.quality)
        assert sum(row[2] for row in result.data_quality) == len(shown) + len(done)
        for name, *values in result.per_query:
            places = [place for place, _ in expected.rows()[name]]
            clicked = any(place == 1 and number >= 1 for place, number in expected.rows()[name])
            assert values[2] == (float(clicked) if len(set(places)) == len(places) else None)


RULES = {
    "attribution": ["request", "user"],
    "grade": ["highest", "sum"],
    "position_base": ["auto", 0, 1],
    "requests": ["all", "clicked", "logged"],
    "within": [None, 0, 600],
    "half_life": [None, 600],
    "min_dwell": [None, 20],
    "application": [None, "app"],
}


def rules_of_a_log() -> list[Any]:
    """Every choice of rules beside every other: a few that have each pair of values, and all of them, which is long."""
    every = [dict(zip(RULES, values, strict=True)) for values in product(*RULES.values())]
    lacking = {pair for rules in every for pair in combinations(rules.items(), 2)}
    chosen = []
    while lacking:
        chosen.append(max(every, key=lambda rules: len(lacking.intersection(combinations(rules.items(), 2)))))
        lacking -= set(combinations(chosen[-1].items(), 2))
    return [
        pytest.param(rules, id="-".join(map(str, rules.values())), marks=[] if rules in chosen else pytest.mark.long)
        for rules in every
    ]


@pytest.mark.parametrize("rules", rules_of_a_log())
@pytest.mark.parametrize("logged", [3], indirect=True)
def test_every_rule_beside_every_other(logged, rules):
    connection, shown, done = logged
    known = {"attribution": rules["attribution"], "grade": rules["grade"], "requests": rules["requests"]}
    given = {name: rules[name] for name in ("within", "half_life", "min_dwell", "position_base", "application")}
    dwell = {} if rules["min_dwell"] is None else {"dwell": "MINUTE(moment) % 7 * 10"}
    if rules["requests"] == "logged":
        connection.execute("CREATE TABLE asked AS SELECT unnest(['a', 'b', 'y', 'z', NULL]) AS request")
        dwell |= {"queries": "asked"}
    log = rm.events("shown", "done", **NAMES, grades=GRADES, **known, **given, **dwell)
    one_app = [(*row[:-1], row[-1] if rules["application"] else None) for row in shown]
    own = {name: rules[name] for name in ("within", "grade", "half_life", "min_dwell")}
    of_twin = "clicked" if rules["requests"] == "clicked" else "all"
    twin = Twin(
        one_app, done, Rules(rules["attribution"] == "user", base=rules["position_base"], requests=of_twin, **own)
    )
    expected = twin.rows()
    if rules["requests"] == "logged":
        expected = {**{key: [] for key in "abyz"}, **expected}
    if not expected:
        with pytest.raises(DataError):
            quietly(rm.evaluate, log, ["cg"], connection=connection)
        return
    result = quietly(rm.evaluate, log, ["cg", "num_ret"], connection=connection)
    assert {name: values for name, *values in result.per_query} == {
        name: [pytest.approx(sum(grade for _, grade in found), abs=1e-12), len(found)]
        for name, found in expected.items()
    }
    assert {tuple(row[:2]): row[2] for row in result.data_quality} == dict(twin.quality)


@pytest.mark.parametrize("logged", seeds(8, 1), indirect=True)
@pytest.mark.parametrize("attribution", ["request", "user"])
@pytest.mark.parametrize(
    ("half_life", "min_dwell", "within", "grade"),
    [(600, None, None, "sum"), ("10 minutes", 20, 1200, "highest"), (None, 0, None, "sum"), (45, 60, None, "highest")],
)
def test_grades_that_fade_and_short_stays(logged, attribution, half_life, min_dwell, within, grade):
    connection, shown, done = logged
    rules = {"half_life": half_life, "within": within, "grade": grade, "attribution": attribution}
    if min_dwell is not None:
        rules |= {"min_dwell": min_dwell, "dwell": "MINUTE(moment) % 7 * 10"}
    log = rm.events("shown", "done", **NAMES, grades=GRADES, application="app", **rules)
    seconds = 600 if half_life == "10 minutes" else half_life
    twin = Rules(attribution == "user", within, grade, half_life=seconds, min_dwell=min_dwell)
    expected = Twin(shown, done, twin)
    result = quietly(rm.evaluate, log, ["cg"], connection=connection)
    assert dict(result.per_query.fetchall()) == {
        name: pytest.approx(sum(number for _, number in found), abs=1e-12) for name, found in expected.rows().items()
    }
    assert {tuple(row[:2]): row[2] for row in result.data_quality} == dict(expected.quality)


def test_half_of_a_grade():
    """At once it is whole, after one half-life half, after two a quarter; a stay of exactly enough is enough."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE shown AS SELECT item AS request, item, 1 AS place, TIMESTAMP '2026-01-01' AS moment"
            " FROM (VALUES ('now'), ('day'), ('days'), ('early')) AS rows(item)"
        )
        connection.execute(
            "CREATE TABLE done AS SELECT item AS request, item, 'click' AS what, moment::TIMESTAMP AS moment, stay"
            " FROM (VALUES ('now', '2026-01-01', 30), ('day', '2026-01-02', 29), ('days', '2026-01-03', NULL),"
            " ('early', '2025-12-31', 30)) AS rows(item, moment, stay)"
        )
        names = {name: NAMES[name] for name in ("request", "item", "position", "type", "time")}
        log = rm.events("shown", "done", **names, half_life="1 day")
        found = dict(rm.evaluate(log, "cg", connection=connection).per_query.fetchall())
        assert found == {"now": 1, "day": 0.5, "days": 0.25, "early": 0}
        log = rm.events("shown", "done", **names, dwell="stay", min_dwell="0.5 minutes")
        found = dict(rm.evaluate(log, "cg", connection=connection).per_query.fetchall())
        assert found == {"now": 1, "day": 0, "days": 1, "early": 1}
        connection.execute("ALTER TABLE done ALTER stay TYPE VARCHAR")
        with pytest.raises(DataError, match=r"done: dwell \(column 'stay'\) is VARCHAR, not a number"):
            rm.evaluate(log, "cg", connection=connection)


@pytest.mark.long
def test_types_that_nobody_did(small):
    """A grade of a type that no event has is a warning; types without a grade are counted."""
    log = rm.events("shown", "done", **SIMPLE, grades={"click": 1, "clik": 2, "buy": 3}, position_base=0)
    with pytest.warns(
        rm.RankmetricsWarning, match="no event has the type 'clik' or 'buy', which has a grade. There is click.$"
    ):
        rm.evaluate(log, "rr", connection=small)
    small.execute("INSERT INTO done VALUES ('a', 'y', 'skroll'), ('a', 'y', NULL)")
    known = rm.evaluate(rm.events("shown", "done", **SIMPLE, position_base=0), "rr", connection=small)
    assert known.warnings == []
    assert ("events", "other action", 2) in list(known.data_quality)
    small.execute("DELETE FROM done")
    with pytest.warns(
        rm.RankmetricsWarning, match="no event has the type 'click', which has a grade. No event has a type."
    ):
        rm.evaluate(rm.events("shown", "done", **SIMPLE, position_base=0), "rr", connection=small)


SMALL_SHOWN = [("a", "x", 0), ("a", "y", 1), ("b", "x", 0), ("b", "z", 1)]
SMALL_DONE = [("a", "y", "click"), ("b", "x", "click"), ("b", "x", "click")]


@pytest.fixture
def small():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE shown (request TEXT, item TEXT, place INTEGER)")
        fill(connection, "shown", SMALL_SHOWN)
        connection.execute("CREATE TABLE done (request TEXT, item TEXT, what TEXT)")
        fill(connection, "done", SMALL_DONE)
        yield connection


SIMPLE = {name: NAMES[name] for name in ("request", "item", "position", "type")}


def test_the_first_number_of_a_log(small):
    log = rm.events("shown", "done", **SIMPLE)
    assert quietly(rm.evaluate, log, "rr", connection=small)["rr"] == (1 / 2 + 1) / 2
    assert rm.sql("rr", log, header=False).count("rankmetrics_requests AS (") == 1
    assert rm.sql("ctr", log, header=False).count("rankmetrics_shown_items AS (") == 1
    text = rm.sql("rr", log)
    assert small.execute(text).fetchall() == [("rr", 0.75, 2)]


def test_requests_that_were_logged(small):
    small.execute("CREATE TABLE asked AS FROM (VALUES ('a'), ('c'), (NULL), ('c')) AS rows(request)")
    log = rm.events("shown", "done", **SIMPLE, requests="logged", queries="asked")
    result = quietly(rm.evaluate, log, ["rr", "num_ret"], connection=small)
    assert list(result.per_query) == [("a", 0.5, 2.0), ("b", 1.0, 2.0), ("c", 0.0, 0.0)]
    assert [value for _, value, _ in small.execute(rm.sql("rr", log)).fetchall()] == [0.5]


def test_where_positions_begin(small):
    log = rm.events("shown", "done", **SIMPLE)
    with pytest.warns(rm.RankmetricsWarning, match="positions begin at 0 .position_base=auto"):
        rm.evaluate(log, "rr", connection=small)
    for base in (0, 1):
        result = quietly(rm.evaluate, rm.events("shown", "done", **SIMPLE, position_base=base), "rr", connection=small)
        assert not [warning for warning in result.warnings if "begin" in warning]
    small.execute("UPDATE shown SET place = place + 1")
    assert not [warning for warning in rm.evaluate(log, "rr", connection=small).warnings if "begin" in warning]


@pytest.mark.parametrize("n_later", [0, 1, 2, 3])
def test_two_bases_in_one_log_are_refused(tmp_path, n_later):
    """Where more than a tenth of the requests of what begins at 0 has nothing there; what the message says, works."""
    path = tmp_path / "log.duckdb"
    with duckdb.connect(str(path)) as place:
        place.execute(f"""
            CREATE TABLE shown AS SELECT q AS request, 'i' || i AS item, i + (q < {n_later})::INTEGER AS place,
                CASE WHEN q < {n_later} THEN 'one' ELSE 'zero' END AS app FROM range(20) AS a(q), range(3) AS b(i);
            INSERT INTO shown VALUES (0, 'none', -1, 'one'), (NULL, 'x', 1, 'one'), (99, NULL, 1, 'one');
            CREATE TABLE done AS SELECT q AS request, 'i0' AS item, 'click' AS what FROM range(20) AS a(q);
        """)
        if n_later <= 2:
            result = quietly(rm.evaluate, rm.events("shown", "done", **SIMPLE), "rr", connection=place)
            assert result["rr"] == pytest.approx((20 - n_later / 2) / 20, abs=1e-12)
        else:
            with pytest.raises(DataError, match=r"3 of 20 requests have nothing at position 0") as refused:
                rm.evaluate(rm.events("shown", "done", **SIMPLE), "rr", connection=place)
            assert re.findall(r"(\w+=\w+)", str(refused.value)) == [
                "position_base=auto", "application=NAME", "position_base=0", "position_base=1",
            ]  # fmt: skip
        for rules, found in (({"application": "app"}, 1), ({"position_base": 0}, (20 - n_later / 2) / 20)):
            log = rm.events("shown", "done", **SIMPLE, **rules)
            result = quietly(rm.evaluate, log, "rr", connection=place)
            assert result["rr"] == pytest.approx(found, abs=1e-12)
            assert ("impressions", "negative position", 1) in result.data_quality.fetchall()
        text = rm.sql((), rm.events("shown", "done", **SIMPLE), level="data_quality")
        later = [row for row in place.execute(text).fetchall() if row[0] == "requests"]
        assert later == ([("requests", "nothing at position 0", n_later)] if n_later else [])
    given = [item for name, column in SIMPLE.items() for item in ("--rule", f"{name}={column}")]
    call = ["evaluate", "--events", "shown", "done", *given, "-m", "rr", "--database", str(path)]
    refused = CliRunner().invoke(main, call)
    assert (refused.exit_code != 0) == (n_later > 2)
    for rule in re.findall(r"--rule (\w+=\w+)", refused.output):
        assert CliRunner().invoke(main, [*call, "--rule", rule.replace("NAME", "app")]).exit_code == 0


@pytest.mark.parametrize("logged", seeds(12, 1), indirect=True)
def test_logs_are_refused_where_the_twin_counts_too_many(logged):
    """Random logs, of which some requests lost what stood first."""
    connection, shown, _ = logged
    for lost in "", "a", "abc":
        connection.execute("DELETE FROM shown WHERE list_contains(?, request) AND place = 0", [list(lost)])
        rows = [row for row in shown if not (row[2] == 0 and row[0] in set(lost))]
        for app in None, "app":
            first: dict[Any, int] = {}
            for request, item, place, *_, name in rows:
                if None not in (request, item, place) and place >= 0:
                    key = (name or "" if app else "", request)
                    first[key] = min(place, first.get(key, place))
            zero = {name or "" if app else "" for *_, name in [row for row in rows if row[2] == 0]}
            places = {one: [place for (name, _), place in first.items() if name == one] for one in zero}
            is_refused = any(10 * sum(map(bool, found)) > len(found) for found in places.values())
            log = rm.events("shown", "done", **NAMES, grades=GRADES, application=app)
            if is_refused:
                with pytest.raises(DataError, match="nothing at position 0"):
                    quietly(rm.evaluate, log, "cg", connection=connection)
            else:
                quietly(rm.evaluate, log, "cg", connection=connection)


def test_curves_and_explanations(small):
    log = rm.events("shown", "done", **SIMPLE)
    curve = quietly(rm.curve, log, "p", at=[1, 2], connection=small)
    assert list(curve.summary) == [(1.0, 0.5, 2), (2.0, 0.5, 2)]
    found = quietly(rm.explain, log, "rr", profile="ranx", connection=small)
    assert (found.value, found.against_value) == (0.75, 0.75)


def test_gaps_of_repeated_impressions_are_said_to_be_such():
    place = duckdb.connect()
    rows = "(VALUES ('q', 'a', 1), ('q', 'a', 2), ('q', 'b', 3)) AS rows(request_id, item_id, position)"
    place.execute(f"CREATE TABLE shown AS FROM {rows}")
    place.execute("CREATE TABLE done AS SELECT 'q' AS request_id, 'b' AS item_id, 'click' AS event_type")
    as_seen = quietly(rm.evaluate, rm.events("shown", "done"), "rr", connection=place)
    assert (as_seen["rr"], list(as_seen.warnings)) == (1 / 3, [])
    log = quietly(rm.evaluate, rm.events("shown", "done"), "rr", connection=place, position="dense")
    assert (log["rr"], ("impressions", "repeated impression", 1) in log.data_quality.fetchall()) == (1 / 2, True)
    said = "position=given keeps them. Some gaps may come from repeated impressions that were removed (data_quality)."
    assert [text.endswith(said) for text in log.warnings] == [True]
    once = "SELECT request_id AS query_id, item_id, position, 1 AS relevance FROM shown WHERE position <> 2"
    assert [text.endswith("keeps them.") for text in quietly(rm.labelled, once, "rr", connection=place).warnings] == [
        True
    ]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"grades": {}}, "grades maps types of events"),
        ({"grades": "click"}, "grades maps types of events"),
        ({"grades": ["click"]}, "grades maps types of events"),
        ({"grades": {"click": 0}}, "no number above 0"),
        ({"grade": "lowest"}, "grade is one of highest, sum, not 'lowest'"),
        ({"attribution": "session"}, "attribution is one of"),
        ({"attribution": "user"}, "needs the column of the time"),
        ({"attribution": "user", "time": "moment"}, "needs the column of the user"),
        ({"within": 60}, "within needs the column of the time"),
        ({"within": "soon", "time": "moment"}, "'30 minutes'"),
        ({"within": -1, "time": "moment"}, "within is a number of seconds"),
        ({"half_life": 60}, "half_life needs the column of the time"),
        ({"half_life": 0, "time": "moment"}, "half_life is a number of seconds"),
        ({"half_life": "long", "time": "moment"}, "half_life takes a number of seconds, or text such as '30 minutes'"),
        ({"min_dwell": 30}, "min_dwell and the column of the dwell time go together"),
        ({"dwell": "stay"}, "min_dwell and the column of the dwell time go together"),
        ({"dwell": "stay", "min_dwell": -1}, "min_dwell is a number of seconds"),
        ({"position_base": 2}, "position_base is one of"),
        ({"requests": "answered"}, "requests is one of"),
        ({"requests": "logged"}, "requests=logged needs queries="),
        ({"queries": "asked"}, "requests=logged needs queries="),
        ({"event_columns": {"place": "x"}}, "Expected one of request, item, time, user, type"),
    ],
)
def test_rules_that_cannot_be_meant(rules, said):
    with pytest.raises(UsageError, match=said):
        rm.events("shown", "done", **SIMPLE, **rules)


def test_a_column_that_is_not_there(small):
    log = rm.events("shown", "done", **(SIMPLE | {"item": "itme"}))
    with pytest.raises(DataError, match=r"shown: no column 'itme' for item.*Did you mean 'item'"):
        rm.evaluate(log, "rr", connection=small)


def test_inputs_that_are_none(small):
    for given in ([1], {"a": ["x"]}):
        with pytest.raises(UsageError, match="impressions takes a table, a file, SQL text or a data frame"):
            rm.evaluate(rm.events(given, "done", **SIMPLE), "rr", connection=small)
    small.execute("CREATE TABLE texts AS SELECT request, item, CAST(place AS VARCHAR) AS place FROM shown")
    with pytest.raises(DataError, match=r"texts: position \(column 'place'\) is VARCHAR, not a number"):
        rm.evaluate(rm.events("texts", "done", **SIMPLE), "rr", connection=small)
    numbers = rm.events("texts", "done", **(SIMPLE | {"position": "CAST(place AS INTEGER)"}))
    assert quietly(rm.evaluate, numbers, "rr", connection=small)["rr"] == 0.75
    with pytest.raises(UsageError, match="compare needs arms"):
        rm.compare(rm.events("shown", "done", **SIMPLE), "rr", baseline="a", connection=small)


def test_arms(small):
    small.execute("CREATE TABLE armed AS SELECT *, CASE request WHEN 'a' THEN 'old' ELSE 'new' END AS arm FROM shown")
    log = rm.events("armed", "done", **SIMPLE, arm="arm")
    result = quietly(rm.evaluate, log, "rr", connection=small)
    assert list(result.summary) == [("new", "rr", 1.0, 1), ("old", "rr", 0.5, 1)]
    small.execute("UPDATE armed SET arm = 'new' WHERE item = 'x'")
    with pytest.raises(DataError, match=r"events: 1 request has impressions of two arms \(arm\), such as request a of"):
        rm.evaluate(log, "rr", connection=small)


def test_what_is_said_once(small):
    log = rm.events("shown", "done", **SIMPLE)
    with pytest.raises(UsageError, match="columns= has no effect on a source"):
        rm.evaluate(log, "rr", columns={"item_id": "item"}, connection=small)
    with pytest.raises(UsageError, match="has its own judgments"):
        rm.evaluate(log, {"a": ["x"]}, ["rr"], connection=small)


def test_rows_that_are_set_aside():
    """Positions below the base, repeated, NULL; actions on what was not shown, or of a request without impressions."""
    shown = [("a", "x", 1), ("a", "y", 2), ("a", "y", 3), ("a", "z", None), ("b", "x", 0), ("b", "y", 1), ("b", "y", 1)]
    done = [("a", "y", "click"), ("a", "z", "click"), ("b", "x", "click"), ("b", "y", "click"), ("c", "x", "click")]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE shown (request TEXT, item TEXT, place INTEGER)")
        fill(connection, "shown", shown)
        connection.execute("CREATE TABLE done (request TEXT, item TEXT, what TEXT)")
        fill(connection, "done", done)
        for base, values, quality in [
            (
                1,
                {"a": 0.5, "b": 1.0},
                {"no position": 1, "position below the base": 1, "repeated impression": 2, "used": 3},
            ),
            (0, {"a": 1 / 3, "b": 1.0}, {"no position": 1, "repeated impression": 2, "used": 4}),
        ]:
            log = rm.events("shown", "done", **SIMPLE, position_base=base)
            result = quietly(rm.evaluate, log, "rr", connection=connection)
            assert dict(result.per_query.fetchall()) == values
            assert {row[1]: row[2] for row in result.data_quality if row[0] == "impressions"} == quality
            n_lost = 3 if base else 2  # of z and c; where x stood at 0, that is no position from 1 on
            assert {row[1]: row[2] for row in result.data_quality if row[0] == "events"} == {
                "not shown": n_lost,
                "used": len(done) - n_lost,
            }
        connection.execute("UPDATE shown SET place = NULL")
        with pytest.raises(DataError, match="there are no rows"):
            quietly(rm.evaluate, log, "rr", connection=connection)


def test_times_with_and_without_a_zone(small):
    """Whether an action came in time would be for the session's zone to say."""
    small.execute("ALTER TABLE shown ADD COLUMN moment TIMESTAMP DEFAULT TIMESTAMP '2026-01-01 00:00:00'")
    small.execute("ALTER TABLE done ADD COLUMN moment TIMESTAMPTZ DEFAULT TIMESTAMPTZ '2026-01-01 00:00:30+00'")
    names = SIMPLE | {"time": "moment"}
    for rules in ({"within": 60}, {"half_life": 60}):
        with pytest.raises(
            DataError, match=r"shown: time \(column 'moment'\) has no time zone, but .* of done has one"
        ):
            rm.evaluate(rm.events("shown", "done", **names, **rules), "rr", connection=small)
    with pytest.raises(DataError, match="has no time zone"):
        rm.sql("rr", rm.events("shown", "done", **names, within=60), connection=small)
    assert quietly(rm.evaluate, rm.events("shown", "done", **names), "rr", connection=small)["rr"] == 0.75
    small.execute("SET TimeZone = 'Asia/Tokyo'")
    of_utc = names | {"time": "timezone('UTC', moment)", "event_columns": {"time": "moment"}}
    for within, value in ((30, 0.75), (29, 0.0)):
        log = rm.events("shown", "done", **of_utc, within=within)
        assert quietly(rm.evaluate, log, "rr", connection=small)["rr"] == value
    small.execute("ALTER TABLE done ALTER moment TYPE VARCHAR")
    with pytest.raises(
        DataError, match=r"done: time \(column 'moment'\) is VARCHAR, not a time; CAST\(moment AS TIMEST"
    ):
        rm.evaluate(rm.events("shown", "done", **names, within=60), "rr", connection=small)


def test_a_request_in_two_segments(small, recommended):
    small.execute("CREATE TABLE told AS SELECT *, CASE item WHEN 'x' THEN 'de' ELSE 'fr' END AS market FROM shown")
    with pytest.raises(DataError, match=r"2 requests have impressions of two groups \(market\).* a of 'de' and 'fr'"):
        quietly(rm.evaluate, rm.events("told", "done", **SIMPLE), "rr", by="market", connection=small)
    recommended.execute("INSERT INTO recs VALUES ('u', 'eu', ['z'], ['z'])")
    with pytest.raises(DataError, match=r"1 query has several rows, each with a list: u\."):
        quietly(rm.evaluate, rm.lists("recs", "who", "items", "liked"), "rr", by="market", connection=recommended)


LABELLED = {"query_id": "request", "item_id": "item", "position": "place", "relevance": "CASE WHEN hit THEN 2 END"}


def test_a_labelled_table_is_a_source(small):
    """The description, scored by whatever takes one, is what ``labelled`` gives with metrics."""
    small.execute("CREATE TABLE seen AS SELECT *, item = 'y' OR request = 'b' AS hit, 'de' AS market FROM shown")
    labelled = rm.labelled("seen", columns=LABELLED)
    known = quietly(rm.labelled, "seen", ["rr", "ap"], columns=LABELLED, by="market", connection=small)
    found = quietly(rm.evaluate, labelled, ["rr", "ap"], by="market", connection=small)
    assert list(found.per_query) == list(known.per_query) == [("a", "de", 0.5, 0.5), ("b", "de", 1.0, 1.0)]
    assert list(found.summary) == list(known.summary) == [("de", "rr", 0.75, 2), ("de", "ap", 0.75, 2)]
    assert list(quietly(rm.curve, labelled, "p", at=[1, 2], connection=small).summary) == [(1, 0.5, 2), (2, 0.75, 2)]
    explained = quietly(rm.explain, labelled, "rr", profile="quepid", connection=small)
    assert (explained.value, explained.against_value) == (0.75, 0.75)
    text = rm.sql("rr", labelled)
    assert text == rm.sql("rr", labelled="seen", columns=LABELLED)
    assert small.execute(text).fetchall() == [("rr", 0.75, 2)]
    assert quietly(rm.evaluate, rm.labelled([[0, 1], [1]]), "rr")["rr"] == 0.75
    assert quietly(rm.evaluate, rm.labelled([[0, 1]], qrels={0: {2: 1, 9: 1}}), "r")["r"] == 0.5


def test_what_a_description_cannot_say(small):
    with pytest.raises(UsageError, match=r"no metric given.*pass by, connection to what scores"):
        rm.labelled("shown", connection=small, by="market")
    with pytest.raises(UsageError, match=r"no metric given.*pass ties to what scores"):
        rm.labelled("shown", ties="item_asc")
    with pytest.raises(UsageError, match="No metric given"):
        rm.labelled("shown", [], connection=small)
    labelled = rm.labelled("shown")
    with pytest.raises(UsageError, match="labelled: columns= has no effect on a source"):
        rm.evaluate(labelled, "rr", columns={"item_id": "item"}, connection=small)
    with pytest.raises(UsageError, match="labelled: a source has its own judgments"):
        rm.evaluate(labelled, "done", ["rr"], connection=small)
    with pytest.raises(
        UsageError, match=r"labelled: compare needs arms\. Name their column with columns=\{'run_id': \.\.\.\}\."
    ):
        rm.compare(labelled, "rr", connection=small)
    with pytest.raises(UsageError, match="labelled: its rows carry the judgments of their own queries"):
        rm.compare(labelled, {"other": "shown"}, "done", "rr", connection=small)


def test_time_in_words():
    for words, seconds in [("30 minutes", 1800), ("1 hour", 3600), ("0.5 days", 43200), ("7 seconds", 7)]:
        assert rm.events("shown", "done", **NAMES, within=words).settings["within"] == seconds


LISTS = [
    ("u", "us", ["a", "b", None, "a", "c"], ["c", "a", "a", None]),
    ("v", "eu", ["b"], []),
    ("w", "eu", [], ["q"]),
    ("x", None, None, ["q"]),
    ("y", "us", ["a"], None),
    (None, "us", ["k"], ["k"]),
]


@pytest.fixture
def recommended():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE recs (who TEXT, market TEXT, items TEXT[], liked TEXT[])")
        fill(connection, "recs", LISTS)
        yield connection


def test_lists_of_items(recommended):
    result = quietly(
        rm.evaluate, rm.lists("recs", "who", "items", "liked"), ["rr", "r@3", "p@1"], connection=recommended
    )
    assert not [warning for warning in result.warnings if "positions" in warning]
    # of u, c stands third among a, b, c: what is NULL or named again takes no place; y has no judgment
    assert list(result.per_query) == [
        ("u", 1.0, 1.0, 1.0),
        ("v", 0.0, 0.0, 0.0),
        ("w", 0.0, 0.0, 0.0),
        ("x", 0.0, 0.0, 0.0),
    ]
    assert list(result.data_quality) == [
        ("items", "no item", 1),
        ("items", "no list", 1),
        ("items", "no query", 1),
        ("items", "repeated item", 1),
        ("items", "used", 5),
        ("relevant", "no item", 1),
        ("relevant", "no list", 1),
        ("relevant", "no query", 1),
        ("relevant", "repeated item", 1),
        ("relevant", "used", 4),
    ]


@pytest.mark.parametrize("seed", seeds(8))
def test_items_of_random_lists(seed):
    """Repeated items, NULLs, empty, missing and long lists, several lists of a query, and groups that are NULL."""
    chance = random.Random(seed)

    def some(values: Any, missing: float = 0.1) -> Any:
        return None if chance.random() < missing else chance.choice(values)

    def some_list() -> list[int | None] | None:
        longest = 130 if chance.random() < 0.2 else 6
        items = [some(range(longest), 0.05) for _ in range(chance.randrange(longest))]
        return None if chance.random() < 0.1 else items

    rows = [(some("abcdefghijkl"), some([1, 2]), some("xy", 0.2), some_list(), some_list()) for _ in range(30)]
    places: dict[tuple[Any, ...], int] = {}
    grades: dict[tuple[Any, ...], int] = {}
    for who, shop, market, items, liked in rows:
        if who is None or shop is None:
            continue
        for place, item in enumerate(items or [], start=1):
            if item is not None:
                key = (who, shop, market, item)
                places[key] = min(places.get(key, place), place)
        grades |= {(who, shop, market, item): 1 for item in liked or [] if item is not None}
        grades |= {(who, shop, market, None): 0} if liked == [] else {}
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE recs (who TEXT, shop BIGINT, market TEXT, items BIGINT[], liked BIGINT[])")
        fill(connection, "recs", rows)
        for relation in ("recs", "(SELECT * FROM recs) u"):
            of_query = {"context": ["market"], "columns": {"query": ["who", "shop"], "items": "items"}}
            text = str(macros()["from_lists"](relation, **of_query))
            assert sorted(connection.execute(text).fetchall(), key=str) == sorted(
                [(*key, place) for key, place in places.items()], key=str
            )
            of_query["columns"] = {"query": ["who", "shop"], "relevant": "liked"}
            text = str(macros()["judgments_from_lists"](relation, **of_query))
            assert sorted(connection.execute(text).fetchall(), key=str) == sorted(
                [(*key, grade) for key, grade in grades.items()], key=str
            )


def test_lists_by_market(recommended):
    lists = rm.lists("recs", "who", "items", "liked")
    result = quietly(rm.evaluate, lists, ["rr"], by=["market"], connection=recommended)
    assert list(result.summary) == [(None, "rr", 0.0, 1), ("eu", "rr", 0.0, 2), ("us", "rr", 1.0, 1)]


def test_lists_with_judgments_elsewhere(recommended):
    lists = rm.lists("recs", "who")
    result = quietly(rm.evaluate, lists, {"u": {"c": 2}, "v": {"b": 1}}, ["rr"], connection=recommended)
    assert dict(result.per_query.fetchall()) == {"u": 1 / 3, "v": 1.0}
    with pytest.raises(UsageError, match="No qrels given"):
        rm.evaluate(lists, ["rr"], connection=recommended)


def test_a_column_without_lists(recommended):
    with pytest.raises(DataError, match=r"market.*VARCHAR, no list"):
        rm.evaluate(rm.lists("recs", "who", "market", "liked"), ["rr"], connection=recommended)


FRAMES = {"query_id": [1, 2, 3, 4], "items": [["a", "b"], ["c"], [], None], "liked": [["b"], ["x"], ["y"], []]}


def frame_of(kind):
    """The lists as a data frame keeps them: lists of its own, of Python's, arrays, or tuples."""
    if kind in ("polars", "pyarrow"):
        library = pytest.importorskip(kind)
        return library.table(FRAMES) if kind == "pyarrow" else library.DataFrame(FRAMES)
    pandas = pytest.importorskip("pandas")
    if kind == "pandas-arrow":
        return pytest.importorskip("pyarrow").table(FRAMES).to_pandas(types_mapper=pandas.ArrowDtype)
    make = {"pandas": list, "numpy": np.array, "numpy-object": lambda row: np.array(row, dtype=object)}[kind]
    lists = {name: [None if row is None else make(row) for row in FRAMES[name]] for name in ("items", "liked")}
    return pandas.DataFrame({"query_id": FRAMES["query_id"]} | lists)


@pytest.mark.parametrize("kind", ["pandas", "pandas-arrow", "numpy", "numpy-object", "polars", "pyarrow"])
def test_lists_in_frames(kind):
    """An empty list of items retrieves nothing, and of relevant ones nothing is relevant."""
    frame = frame_of(kind)
    result = quietly(rm.evaluate, rm.lists(frame, relevant="liked"), ["rr"])
    assert dict(result.per_query.fetchall()) == {1: 0.5, 2: 0.0, 3: 0.0, 4: 0.0}
    judgments = {1: {"a": 0, "b": 1}, 2: {"c": 1}}
    assert quietly(rm.evaluate, rm.lists(frame), judgments, ["rr"])["rr"] == 0.75


def test_lists_with_judgments_in_a_table(recommended):
    """Relevant items in rows, or in lists of another table by way of SQL."""
    recommended.execute(
        "CREATE TABLE judged AS FROM (VALUES ('u', 'c', 1), ('v', 'b', 2)) AS rows(query_id, item_id, relevance)"
    )
    found = quietly(rm.evaluate, rm.lists("recs", "who"), "judged", ["rr"], connection=recommended)
    assert dict(found.per_query.fetchall()) == {"u": 1 / 3, "v": 1.0}
    recommended.execute("CREATE TABLE others AS FROM (VALUES ('u', ['c']), ('v', ['b'])) AS rows(buyer, bought)")
    rows = "SELECT buyer AS query_id, UNNEST(bought) AS item_id, 1 AS relevance FROM others"
    found = quietly(rm.evaluate, rm.lists("recs", "who"), rows, ["rr"], connection=recommended)
    assert dict(found.per_query.fetchall()) == {"u": 1 / 3, "v": 1.0}


RATINGS = [("u", "a", 5, 0.9), ("u", "b", 2, 0.8), ("u", "c", None, 0.95), ("u", "d", 4, None), ("v", "a", 4, 0.1)]


@pytest.mark.parametrize(
    ("threshold", "values"), [(None, {"u": [5, 1.0], "v": [4, 1.0]}), (4.5, {"u": [1, 1], "v": [0, 0]})]
)
def test_ratings(threshold, values):
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE rated (user_id TEXT, item_id TEXT, rating INTEGER, predicted DOUBLE)")
        fill(connection, "rated", RATINGS)
        source = rm.ratings("rated", threshold=threshold)
        result = quietly(
            rm.evaluate, source, ["cg@2", "p(rel=4)@2" if threshold is None else "p@2"], connection=connection
        )
        # of u, c is first and not rated, a second, b third; d has no prediction, so the list lacks it
        assert {name: list(found) for name, *found in result.per_query} == {
            name: [gain, hits / 2] for name, (gain, hits) in values.items()
        }
        assert list(result.data_quality) == [
            ("ratings", "used", 3),
            ("ratings", "used, not predicted", 1),
            ("ratings", "used, not rated", 1),
        ]
    with pytest.raises(UsageError, match="threshold is a number"):
        rm.ratings("rated", threshold="4")


UBI = Path(__file__).parents[1] / "data" / "ubi" / "ubi_queries_events.ndjson.gz"


@pytest.fixture(scope="module")
def ubi():
    """OpenSearch's sample, as tables and as lists of Python."""
    with duckdb.connect() as connection:
        read = f"read_json('{UBI}', format='newline_delimited', sample_size=-1, union_by_name=true)"
        connection.execute(f"CREATE TABLE sample AS FROM {read} WHERE query_id IS NOT NULL OR action_name IS NOT NULL")
        connection.execute("CREATE TABLE ubi_events AS FROM sample WHERE action_name IS NOT NULL")
        connection.execute("CREATE TABLE ubi_queries AS FROM sample WHERE action_name IS NULL")
        yield connection


@pytest.fixture(scope="module")
def sample():
    """The events of the sample, read by Python."""
    with gzip.open(UBI, "rt", encoding="utf-8") as lines:
        return [event for event in map(json.loads, lines) if event.get("action_name")]


def ubi_rows(events: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """What happened and the fields that matter, as the sample nests them."""
    for event in events:
        about = event.get("event_attributes") or {}
        item = (about.get("object") or {}).get("object_id")
        place = (about.get("position") or {}).get("ordinal")
        yield event["action_name"], (event.get("query_id"), item, place, event.get("application"))


def log_of_ubi(sample: Any) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """What was shown, and what was done, as a twin takes them."""
    rows = list(ubi_rows(sample))
    shown = [
        (request, item, place, None, None, app)
        for action, (request, item, place, app) in rows
        if action == "impression"
    ]
    return shown, [
        (request, item, action, None, None) for action, (request, item, *_) in rows if action != "impression"
    ]


def test_the_sample_of_ubi(ubi, sample):
    """Positions begin at 0 in one application and at 1 in another; clicks are repeated, or about nothing shown."""
    shown, done = log_of_ubi(sample)
    expected = Twin(shown, done, Rules(False, None))
    result = quietly(rm.evaluate, rm.ubi("ubi_queries", "ubi_events"), ["rr", "cg"], by="application", connection=ubi)
    assert {str(query): cg for query, _, _, cg in result.per_query} == {
        query: sum(grade > 0 for _, grade in found) for query, found in expected.rows().items()
    }
    quality = {(row[0], row[1]): row[2] for row in result.data_quality}
    clicks_only = Twin(
        shown, [row if row[2] == "click" else (*row[:2], "other", *row[3:]) for row in done], Rules(False, None)
    )
    assert quality == dict(clicks_only.quality)
    assert sum(quality.values()) == len(shown) + len(done)


def test_the_sample_as_it_comes(ubi):
    """One file in the form of OpenSearch's bulk interface, once or twice, and its tables: the same rows."""
    tables = quietly(rm.evaluate, rm.ubi("ubi_queries", "ubi_events"), ["rr"], connection=ubi)
    for source in (rm.ubi(UBI), rm.ubi(str(UBI), UBI)):
        found = quietly(rm.evaluate, source, ["rr"])
        assert list(found.per_query) == [(str(query), value) for query, value in tables.per_query]
        assert list(found.data_quality) == list(tables.data_quality)
    logged = quietly(rm.evaluate, rm.ubi(UBI, requests="logged"), ["rr"], connection=ubi)
    asked = "SELECT query_id FROM ubi_queries UNION SELECT query_id FROM ubi_events WHERE action_name = 'impression'"
    assert [(len(logged.per_query),)] == ubi.execute(f"SELECT COUNT(*) FROM ({asked})").fetchall()
    command = ["evaluate", "--ubi", str(UBI), str(UBI), "-m", "rr", "--quality", "--format", "csv"]
    lines = CliRunner().invoke(main, command).stdout.splitlines()[1:]
    assert lines == [",".join(map(str, row)) for row in tables.data_quality]


DOCUMENTS = [
    {"index": {"_index": "ubi_queries"}},
    {"query_id": "1", "query_response_hit_ids": ["b", "a"], "timestamp": "2026-01-01T00:00:00Z"},
    {"index": {"_index": "ubi_events"}},
    {"action_name": "impression", "query_id": "1", "timestamp": "2026-01-01T00:00:00.000Z", "item": "a", "place": 0},
    {"action_name": "impression", "query_id": "1", "timestamp": "2026-01-01T01:00:00+01:00", "item": "b", "place": 1},
    {"action_name": "click", "query_id": "1", "timestamp": 1767225660000, "item": "b", "place": None},
    {"action_name": "click", "query_id": "1", "timestamp": "2026-01-01T00:01:00.001", "item": "a", "place": None},
    {"action_name": None, "query_id": "1", "timestamp": "soon", "item": None, "place": None},
]


def nested(document, flat):
    """The document with its item and place as UBI has them, in structures or in keys with dots."""
    if "item" not in document:
        return document
    item, place = document["item"], document["place"]
    about = {"event_attributes": {"object": {"object_id": item}, "position": {"ordinal": place}}}
    names = {"event_attributes.object.object_id": item, "event_attributes.position.ordinal": place}
    known = {key: value for key, value in document.items() if key not in ("item", "place")}
    return known | (names if flat else about) | {"application": "x"}


@pytest.mark.parametrize(("ending", "flat"), [("ndjson", False), ("json", False), ("ndjson", True)])
def test_documents_in_files(tmp_path, flat, ending):
    """Moments with and without a zone and in milliseconds; the second click is a thousandth of a second too late."""
    documents = [nested(document, flat) for document in DOCUMENTS]

    def write(name, rows):
        path = tmp_path / f"{name}.{ending}"
        path.write_text(json.dumps(rows) if ending == "json" else "\n".join(map(json.dumps, rows)))
        return path

    both = write("both", documents)
    queries, events = write("queries", documents[:2]), write("events", documents[2:])
    for given in ((both,), (both, both), (queries, events)):
        found = quietly(rm.evaluate, rm.ubi(*given, within=60), ["rr", "cg"])
        assert list(found.per_query) == [("1", 0.5, 1.0)]
        reasons = [("other action", 1), ("too late", 1), ("used", 1)]
        assert list(found.data_quality) == [("events", *row) for row in reasons] + [("impressions", "used", 2)]
        hits = quietly(rm.evaluate, rm.ubi(*given, impressions="hits"), ["rr", "cg", "num_ret"])
        assert list(hits.per_query) == [("1", 1.0, 2.0, 2.0)]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE documents AS SELECT '1' AS query_id, 'click' AS action_name")
        with pytest.raises(
            UsageError, match=r"ubi: documents is one table, and UBI has two.*or a file that contains both"
        ):
            rm.evaluate(rm.ubi("documents"), "rr", connection=connection)


def test_lists_of_hits(ubi):
    """The highest click of a query, of the hits that it was answered with, some queries several times."""
    clicked = rm.ubi("ubi_queries", "ubi_events", impressions="hits", requests="clicked")
    result = quietly(rm.evaluate, clicked, ["rr"], connection=ubi)
    queries = ubi.execute("SELECT query_id, query_response_hit_ids FROM ubi_queries").fetchall()
    object_id = "CAST(event_attributes AS JSON) ->> '$.object.object_id'"
    clicks = ubi.execute(f"SELECT query_id, {object_id} FROM ubi_events WHERE action_name = 'click'").fetchall()
    lowest: dict[Any, dict[str, int]] = {}
    for query, hits in queries:
        places = lowest.setdefault(query, {})
        for place, item in enumerate(hits or [], start=1):
            places[item] = min(places.get(item, place), place)
    expected = {}
    for query, places in lowest.items():
        ranks = [places[item] for name, item in clicks if name == query and item in places]
        if ranks:
            expected[query] = 1 / min(ranks)
    assert dict(result.per_query.fetchall()) == pytest.approx(expected, abs=1e-12)


COMMAND = ["evaluate", "-m", "rr", "--format", "csv", "--database"]


@pytest.fixture
def shop(tmp_path):
    """A file of DuckDB with a log, lists and ratings."""
    file = str(tmp_path / "shop.duckdb")
    with duckdb.connect(file) as connection:
        connection.execute("CREATE TABLE shown (request TEXT, item TEXT, place INTEGER)")
        fill(connection, "shown", SMALL_SHOWN)
        connection.execute("CREATE TABLE done (request TEXT, item TEXT, what TEXT)")
        fill(connection, "done", SMALL_DONE)
        connection.execute("CREATE TABLE recs AS SELECT 1 AS query_id, ['a', 'b'] AS items, ['b'] AS liked")
        connection.execute("CREATE TABLE rated AS SELECT 1 AS user_id, 'a' AS item_id, 3 AS rating, 0.5 AS predicted")
    return file


LOG = ["--events", "shown", "done", "--rule", "request=request", "--rule", "item=item", "--rule", "position=place"]


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ([*LOG, "--rule", "type=what"], ["run_id,metric,value,n_queries", "events,rr,0.75,2"]),
        (
            [*LOG, "--rule", "type=what", "--rule", "grades=cart:2"],
            ["run_id,metric,value,n_queries", "events,rr,0.0,2"],
        ),
        (
            [*LOG[:3], "--rule", "request=request,item=item,position=place", "--rule", "grades=cart:2,x:1,type=what"],
            ["run_id,metric,value,n_queries", "events,rr,0.0,2"],
        ),
        (
            [*LOG, "--rule", "type=what", "--quality"],
            ["input,reason,n_rows", "events,repeated action,1", "events,used,2", "impressions,used,4"],
        ),
        (["--lists", "recs", "--rule", "relevant=liked"], ["run_id,metric,value,n_queries", "lists,rr,0.5,1"]),
        (["--ratings", "rated", "--rule", "threshold=4"], ["run_id,metric,value,n_queries", "ratings,rr,0.0,1"]),
    ],
)
def test_sources_on_the_command_line(shop, arguments, lines):
    found = CliRunner().invoke(main, [*COMMAND, shop, *arguments])
    assert (found.exit_code, found.stdout.splitlines()) == (0, lines), found.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (
            ["--lists", "recs", "--rule", "relevent=liked"],
            2,
            "--lists has no rule 'relevent'. Did you mean 'relevant'?",
        ),
        ([*LOG, "--rule", "type=what,arn=x"], 2, "--events has no rule 'arn'. Did you mean 'arm'?"),
        ([*LOG, "--rule", "period=day"], 2, "--events has no rule 'period'. Pass --period day."),
        (["--lists", "recs", "--rule", "relevant"], 2, "--rule takes NAME=VALUE, such as arm=variant, not 'relevant'."),
        (
            ["--lists", "recs", "--rule", "items=items", "--rule", "items=liked"],
            2,
            "--rule gives items two values. Pass one.",
        ),
        (["--lists", "recs"], 2, "No qrels given"),
        (["--lists", "recs", "--ratings", "rated"], 2, "--lists and --ratings exclude each other. Pass one of them."),
        (
            ["more", "--events", "shown", "done"],
            2,
            "--events takes IMPRESSIONS EVENTS for each run, not more besides. Omit the rest.",
        ),
        (["shown", "--qrels", "done", "--quality"], 2, "--rule and --quality need a log. Pass one, too: --events"),
        ([*LOG, "--rule", "grades=click"], 2, "--rule grades takes NAME:VALUE"),
        ([*LOG, "--rule", "grades=click:much"], 2, "no number above 0"),
        ([*LOG, "--rule", "type=whut"], 1, "done: no column 'whut' for type"),
    ],
)
def test_sources_misspelt(shop, arguments, code, said):
    found = CliRunner().invoke(main, [*COMMAND, shop, *arguments])
    assert (found.exit_code, found.stdout) == (code, "")
    assert said in found.stderr


PRODUCTS = """
    CREATE TABLE interactions AS FROM (VALUES
        ('e1', 'list_view', 'a', 1, 'v', TIMESTAMP '2026-01-01 00:00:00', 'shop', 'x'),
        ('e1', 'list_view', 'b', 2, 'v', TIMESTAMP '2026-01-01 00:00:00', 'shop', 'x'),
        ('e2', 'list_click', 'b', NULL, 'v', TIMESTAMP '2026-01-01 00:29:59', 'shop', 'x'),
        ('e3', 'list_view', 'b', 1, 'v', TIMESTAMP '2026-01-01 01:00:00', 'shop', 'x'),
        ('e4', 'add_to_cart', 'b', NULL, 'v', TIMESTAMP '2026-01-01 01:00:01', 'shop', 'x'),
        ('e5', 'list_click', 'b', NULL, 'w', TIMESTAMP '2026-01-01 01:00:01', 'shop', 'x'),
        ('e6', NULL, 'b', NULL, 'v', NULL, 'shop', 'x')
    ) AS rows(
        event_id, ecommerce_action_type, product_id, product_list_position, domain_userid, derived_tstamp, app_id,
        market
    );
    CREATE TABLE viewed AS FROM (VALUES
        ('w1', 'v', TIMESTAMP '2026-01-01 00:00:00', [
            {'product_id': 'a', 'position': 1}, {'product_id': 'b', 'position': 2}], 'x'),
        ('w2', 'w', TIMESTAMP '2026-01-01 00:00:00', [{'product_id': 'a', 'position': 1}], 'x')
    ) AS rows(id, anonymous_id, "timestamp", products, market);
    CREATE TABLE clicked AS FROM (VALUES
        ('c1', 'v', TIMESTAMP '2026-01-01 00:00:30', 'b'), ('c2', 'u', TIMESTAMP '2026-01-01 00:00:30', 'b'),
        ('c3', 'w', TIMESTAMP '2026-01-01 00:30:01', 'a')
    ) AS rows(id, anonymous_id, "timestamp", product_id);
    CREATE TABLE export AS FROM (VALUES
        ('view_item_list', 1767225600000000, 'v', [
            {'item_id': 'a', 'item_list_id': 'home', 'item_list_name': 'Home', 'item_list_index': '0'},
            {'item_id': 'b', 'item_list_id': 'home', 'item_list_name': 'Home', 'item_list_index': '1'}], 'x'),
        ('view_item_list', 1767225601000000, 'v', [
            {'item_id': 'b', 'item_list_id': NULL, 'item_list_name': 'Other', 'item_list_index': '0'}], 'x'),
        ('select_item', 1767225630000000, 'v', [
            {'item_id': 'b', 'item_list_id': 'home', 'item_list_name': 'Home', 'item_list_index': '1'}], 'x'),
        ('purchase', 1767225640000000, 'v', [
            {'item_id': 'b', 'item_list_id': NULL, 'item_list_name': NULL, 'item_list_index': NULL}], 'x'),
        ('page_view', 1767225600000000, 'v', [], 'x')
    ) AS rows(event_name, event_timestamp, user_pseudo_id, items, market)
"""


@pytest.mark.parametrize(
    ("source", "values", "quality"),
    [
        (
            rm.snowplow("interactions"),
            [(("e1",), 0.5), (("e3",), 0.0)],
            {"not shown": 1, "other action": 2, "used": 1},
        ),
        (
            rm.snowplow("interactions", grades={"add_to_cart": 2, "list_click": 1}, within="29 minutes"),
            [(("e1",), 0.0), (("e3",), 1.0)],
            {"not shown": 1, "other action": 1, "too late": 1, "used": 1},
        ),
        (rm.segment("viewed", "clicked"), [(("w1",), 0.5), (("w2",), 0.0)], {"not shown": 1, "too late": 1, "used": 1}),
        (
            rm.ga4("export", grades={"select_item": 1, "purchase": 3}),
            [(("v", datetime(2026, 1, 1), "home"), 0.5), (("v", datetime(2026, 1, 1, 0, 0, 1), "Other"), 0.0)],
            {"not shown": 1, "used": 1},
        ),
    ],
    ids=["snowplow", "snowplow-rules", "segment", "ga4"],
)
def test_named_schemas(source, values, quality):
    with duckdb.connect() as connection:
        connection.execute(PRODUCTS)
        result = quietly(rm.evaluate, source, "rr", connection=connection)
        assert [(tuple(query), value) for *query, value in result.per_query] == values
        assert {row[1]: row[2] for row in result.data_quality if row[0] == "events"} == quality
        by_market = quietly(rm.evaluate, source, "rr", by="market", connection=connection)
        assert [row[0] for row in by_market.summary] == ["x"]


CHANCES = {1: 1, 2: 0.25}


def weighted_rrs(twin: Twin) -> dict[str, float]:
    """Of each request the place of the first click over its rank; of items at one place the last name comes first."""
    clicked = {key[:2] for key in twin.credited}
    shown: dict[str, list[tuple[str, int]]] = {}
    for (request, item), place in sorted(twin.places.items(), key=lambda found: found[0], reverse=True):
        shown.setdefault(request, []).append((item, place))
    found = {}
    for request, items in shown.items():
        ranked = enumerate(sorted(items, key=lambda row: row[1]), 1)
        found[request] = next((place / rank for rank, (item, place) in ranked if (request, item) in clicked), 0.0)
    return found


@pytest.mark.parametrize(
    ("schema", "inputs", "seconds"),
    [
        (rm.snowplow, ["interactions"], 1799),
        (rm.segment, ["viewed", "clicked"], 30),
        (rm.ga4, ["export"], 30),
    ],
)
def test_named_schemas_with_propensities_and_half_lives(schema, inputs, seconds):
    """The one click is on the second item of the first list; the other list has none."""
    with duckdb.connect() as connection:
        connection.execute(PRODUCTS)
        found = quietly(rm.evaluate, schema(*inputs, propensity=CHANCES), ["rr", "ips_rr"], connection=connection)
        assert [tuple(row[-2:]) for row in found.per_query] == [(0.5, 0.5 / 0.25), (0.0, 0.0)]
        faded = quietly(rm.evaluate, schema(*inputs, half_life="1 minute"), "cg@5", connection=connection)
        assert [row[-1] for row in faded.per_query] == pytest.approx([0.5 ** (seconds / 60), 0], abs=1e-12)
        text = rm.sql(["ips_rr"], schema(*inputs, propensity=CHANCES, half_life=60))
        assert text.count("POWER(") == 1
        assert "propensity" in text
    with pytest.raises(rm.UsageError, match=r"takes a number for each position, as .* not 'p'"):
        schema(*inputs, propensity="p")
    with pytest.raises(rm.UsageError, match="position 2 has 0, which is no number above 0"):
        schema(*inputs, propensity={1: 1, 2: 0})
    with pytest.raises(rm.UsageError, match="half_life takes a number of seconds, or text such as"):
        schema(*inputs, half_life="soon")


def test_ubi_with_propensities_and_half_lives(ubi, sample):
    """Pages of the sample leave places out, so the first click's place, 1 over its propensity, is not its rank."""
    expected = Twin(*log_of_ubi(sample), Rules(False, None))
    chances = {place: 1 / place for place in range(1, 101)}
    log = rm.ubi("ubi_queries", "ubi_events", propensity=chances)
    weighted = quietly(rm.evaluate, log, "ips_rr", connection=ubi, position="dense")
    found = {str(row[0]): row[1] for row in weighted.per_query}
    assert found == pytest.approx(weighted_rrs(expected), abs=1e-12)
    assert len(set(found.values())) > 3
    faded = quietly(rm.evaluate, rm.ubi(UBI, half_life=1), ["cg"])
    whole = quietly(rm.evaluate, rm.ubi(UBI), ["cg"])
    pairs = list(zip([row[1] for row in faded.per_query], [row[1] for row in whole.per_query], strict=True))
    assert all(less <= more for less, more in pairs)
    assert any(0 < less < more for less, more in pairs)
    with pytest.raises(rm.UsageError, match="a request without an impression has no propensity"):
        rm.ubi("ubi_queries", "ubi_events", requests="logged", propensity=chances)


# In every engine: what a text is as a timestamp there, and a query with two lists, where there are lists.
TEXTS = {"request": "text", "item": "text", "place": "bigint", "who": "text", "moment": "text", "app": "text"}
MOMENT = {
    "sqlite": "moment",
    "mysql": "CAST(moment AS DATETIME(6))",
    "clickhouse": "toDateTime64OrNull(moment, 6)",
    "": "CAST(moment AS TIMESTAMP)",
}
ARRAYS = "SELECT 1 AS query_id, {0}'a', 'b', 'a'{1} AS items, {0}'b', 'c'{1} AS liked"
ARRAY_OF = {
    "duckdb": "[]",
    "postgres": ("ARRAY[", "]"),
    "bigquery": "[]",
    "clickhouse": "[]",
    "spark": ("ARRAY(", ")"),
    "trino": ("ARRAY[", "]"),
    "sqlite": ("JSON_ARRAY(", ")"),
    "mysql": ("JSON_ARRAY(", ")"),
}


@pytest.fixture
def logging(request, start_engine):
    """An engine with a random log."""
    engine = start_engine(request.param)
    shown, done = random_log(1)
    texts = [tuple(None if value is None else str(value) for value in row) for row in shown]
    engine.load("shown", TEXTS, [(*row[:2], None if row[2] is None else int(row[2]), *row[3:]) for row in texts])
    columns = dict.fromkeys(DONE, "text")
    engine.load("done", columns, [tuple(None if value is None else str(value) for value in row) for row in done])
    return engine, shown, done


@pytest.mark.parametrize("logging", sorted(ENGINES), indirect=True)
def test_a_log_in_every_engine(logging):
    engine, shown, done = logging
    dialect = engine.dialects[0]
    names = NAMES | {"time": MOMENT.get(dialect, MOMENT[""]), "application": "app"}
    for attribution, within, grade, half_life in [
        ("request", None, "sum", None),
        ("request", 600, "highest", 450),
        ("user", 900, "sum", None),
    ]:
        rules = {"attribution": attribution, "within": within, "grade": grade, "half_life": half_life}
        log = rm.events("shown", "done", **names, grades=GRADES, **rules)
        expected = Twin(shown, done, Rules(attribution == "user", within, grade, half_life=half_life))
        text = rm.sql(["cg", "num_ret", "ctr"], log, dialect=dialect, level="per_query")
        assert {name: tuple(values) for name, *values in engine.fetch(text)[1]} == {
            name: (
                pytest.approx(sum(number for _, number in found), abs=1e-12),
                len(found),
                pytest.approx(sum(number >= 1 for _, number in found) / len(found), abs=1e-12),
            )
            for name, found in expected.rows().items()
        }
        quality = log.looked_up(Unconnected(check_dialect(dialect)))
        counted = engine.fetch(quality.text(log.quality, check_dialect(dialect)))[1]
        assert {tuple(row[:2]): row[2] for row in counted} == dict(expected.quality)


@pytest.mark.parametrize("logging", sorted(ENGINES.keys() - {"datafusion"}), indirect=True)
def test_lists_in_every_engine(logging):
    engine, _, _ = logging
    dialect = engine.dialects[0]
    text = rm.sql(["rr", "r@2"], rm.lists(ARRAYS.format(*ARRAY_OF[dialect]), relevant="liked"), dialect=dialect)
    assert [tuple(row)[:2] for row in engine.fetch(text)[1]] == [("rr", 0.5), ("r@2", 0.5)]
    given = ARRAYS.format(*ARRAY_OF[dialect])
    of_models = " UNION ALL ".join(f"SELECT '{model}' AS model, t.* FROM ({given}) t" for model in "xy")
    for runs in (
        rm.lists(of_models, relevant="liked", run="model"),
        {model: rm.lists(given, relevant="liked") for model in "xy"},
    ):
        rows = engine.fetch(rm.sql(["rr"], runs, dialect=dialect))[1]
        assert [tuple(row)[:3] for row in rows] == [("x", "rr", 0.5), ("y", "rr", 0.5)]


# What visitors saw and did: views with the fields of what they list, then actions.
PRODUCT = ("product_id", "position", "price", "quantity")
VIEWED = [
    ("w1", "v", 0, [("a", "1", "3", None), ("b", "2", "4.5", None)]),
    ("w2", "w", 0, [("a", "1", "3", None)]),
    ("w3", "w", 0, []),
]
ORDERED = [
    ("o1", "v", 60, [("b", None, "4.5", "2"), ("a", None, "3", None)]),
    ("o2", "u", 60, [("a", None, "3", None)]),
]
CLICKED = [("c1", "v", 30, "b"), ("c2", "u", 30, "b"), ("c3", "w", 1801, "a")]
ITEM = ("item_id", "item_list_id", "item_list_name", "item_list_index", "item_revenue")
EXPORT = [
    ("view_item_list", 0, [("a", "home", "Home", "0", None), ("b", "home", "Home", "1", None)]),
    ("view_item_list", 1, [("b", None, "Other", "0", None), ("c", "(not set)", "Other", "(not set)", None)]),
    ("select_item", 30, [("b", "home", "Home", "1", None)]),
    ("purchase", 40, [("b", "(not set)", None, None, "99")]),
    ("refund", 50, [("b", "home", "Home", None, "-12"), ("a", "home", "Home", None, None)]),
    ("page_view", 41, []),
]
INTERACTIONS = [
    ("e1", "list_view", "a", 1, "v", 0),
    ("e1", "list_view", "b", 2, "v", 0),
    ("e2", "list_click", "b", None, "v", 1799),
    ("e3", "list_view", "b", 1, "v", 3600),
    ("e4", "add_to_cart", "b", None, "v", 3601),
    ("e5", "list_click", "b", None, "w", 3601),
]
PRICES = {"e2": (5.0, None), "e4": (2.5, 3)}  # and quantities


def text_of(value, type_):
    """A text in SQL, which may be NULL."""
    return f"CAST(NULL AS {type_})" if value is None else f"'{value}'"


def listed(dialect, names, rows):
    """A list of structures in SQL, where there are such lists; their fields are text."""
    type_ = {"bigquery": "STRING", "spark": "STRING", "clickhouse": "Nullable(String)"}.get(dialect, "VARCHAR")
    texts = [[text_of(value, type_) for value in row] for row in rows]
    fields = ", ".join(f"{name} {type_}" for name in names)
    rest = [", ".join(row) for row in texts]
    named = [list(zip(names, row, strict=True)) for row in texts]
    if dialect == "duckdb":
        structures = [f"{{{', '.join(f'{name}: {text}' for name, text in row)}}}" for row in named]
        return f"CAST([{', '.join(structures)}] AS STRUCT({fields})[])"
    if dialect == "clickhouse":
        return f"CAST([{', '.join(f'({row})' for row in rest)}] AS Array(Tuple({fields})))"
    if dialect == "trino":
        return f"CAST(ARRAY[{', '.join(f'ROW({row})' for row in rest)}] AS ARRAY(ROW({fields})))"
    if dialect == "bigquery":
        structures = [f"STRUCT({', '.join(f'{text} AS {name}' for name, text in row)})" for row in named]
        return f"ARRAY<STRUCT<{fields}>>[{', '.join(structures)}]"
    structures = [
        f"NAMED_STRUCT({', '.join(f'{chr(39)}{name}{chr(39)}, {text}' for name, text in row)})" for row in named
    ]
    return f"CAST(ARRAY({', '.join(structures)}) AS ARRAY<STRUCT<{fields.replace(' ', ': ')}>>)".replace(",: ", ", ")


def at(seconds):
    """A moment as text."""
    return str(START + timedelta(seconds=seconds))


def moment_in(engine):
    """The column ``moment`` of text as a timestamp."""
    return MOMENT.get(engine.dialects[0], MOMENT[""])


def viewed_in(engine, mapping, views=VIEWED, table="view_rows"):
    """Segment's views, or orders, as SQL text over what an engine can be given."""
    when, name = moment_in(engine), quote_name("timestamp", check_dialect(engine.dialects[0]))
    rows = [(view, user, at(moment), products) for view, user, moment, products in views]
    if mapping == "json":
        kept = [(*row, as_json(PRODUCT, products)) for *row, products in rows]
        engine.load(table, dict.fromkeys(("id", "anonymous_id", "moment", "products"), "text"), kept)
        return f"SELECT id, anonymous_id, products, {when} AS {name} FROM {table}"
    lists = [(*row, listed(engine.dialects[0], PRODUCT, products)) for *row, products in rows]
    return " UNION ALL ".join(
        f"SELECT id, anonymous_id, products, {when} AS {name} FROM (SELECT '{view}' AS id, '{user}' AS anonymous_id,"
        f" '{moment}' AS moment, {products} AS products) AS v"
        for view, user, moment, products in lists
    )


def clicked_in(engine):
    """Segment's clicks, likewise."""
    rows = [(event, user, at(moment), item) for event, user, moment, item in CLICKED]
    engine.load("click_rows", dict.fromkeys(("id", "anonymous_id", "moment", "product_id"), "text"), rows)
    name = quote_name("timestamp", check_dialect(engine.dialects[0]))
    return f"SELECT id, anonymous_id, product_id, {moment_in(engine)} AS {name} FROM click_rows"


def export_in(engine, mapping):
    """Google's export, likewise."""
    rows = [(event, 1767225600000000 + moment * 1000000, items) for event, moment, items in EXPORT]
    if mapping == "json":
        kept = [("v", event, as_json(ITEM, items), moment) for event, moment, items in rows]
        types = dict.fromkeys(("user_pseudo_id", "event_name", "items"), "text")
        engine.load("export", types | {"event_timestamp": "bigint"}, kept)
        return "export"
    return " UNION ALL ".join(
        f"SELECT '{event}' AS event_name, 'v' AS user_pseudo_id, {moment} AS event_timestamp,"
        f" {listed(engine.dialects[0], ITEM, items)} AS items"
        for event, moment, items in rows
    )


def interactions_in(engine):
    """Snowplow's table, likewise."""
    text = dict.fromkeys(("event_id", "ecommerce_action_type", "product_id", "domain_userid", "moment"), "text")
    rows = [
        (event, what, item, user, at(moment), place, *PRICES.get(event, (None, None)))
        for event, what, item, place, user, moment in INTERACTIONS
    ]
    numbers = {"product_list_position": "bigint", "product_price": "double", "product_quantity": "bigint"}
    engine.load("product_rows", text | numbers, rows)
    return (
        "SELECT event_id, ecommerce_action_type, product_id, domain_userid, product_list_position, 'shop' AS app_id,"
        " product_price, product_quantity,"
        f" {moment_in(engine)} AS derived_tstamp FROM product_rows"
    )


def as_json(names, rows):
    """A list of objects."""
    return json.dumps([dict(zip(names, row, strict=True)) for row in rows])


@pytest.mark.parametrize("dialect", ["snowflake", "redshift", "databricks", "athena"])
@pytest.mark.parametrize("mapping", ["struct", "json"])
def test_named_schemas_are_read_elsewhere(dialect, mapping):
    for source in (rm.ga4("export", mapping=mapping), rm.segment("viewed", "clicked", mapping=mapping)):
        assert isinstance(sqlglot.parse_one(rm.sql("rr", source, dialect=dialect), read=dialect), sqlglot.exp.Query)


def test_how_a_list_of_products_is_kept():
    """It is found out from the type of the column."""
    with duckdb.connect() as connection:
        connection.execute(PRODUCTS)
        structures = quietly(rm.evaluate, rm.segment("viewed", "clicked"), "rr", connection=connection)
        for type_ in ("JSON", "VARCHAR"):
            connection.execute(
                "CREATE OR REPLACE TABLE as_json AS"
                f" SELECT * REPLACE (CAST(CAST(products AS JSON) AS {type_}) AS products) FROM viewed"
            )
            found = quietly(rm.evaluate, rm.segment("as_json", "clicked"), "rr", connection=connection)
            assert list(found.per_query) == list(structures.per_query) == [("w1", 0.5), ("w2", 0.0)]
        with pytest.raises(UsageError, match="mapping is struct or json, not 'text'"):
            rm.evaluate(rm.segment("as_json", "clicked", mapping="text"), "rr", connection=connection)


# Each once, with lists of JSON, and of structures where there are such; in those that take seconds to plan a statement
# each schema is read in one of the two.
QUICK = ("clickhouse", "duckdb", "duckdb-1", "googlesql", "mariadb", "postgres-15", "postgres-18", "sqlite")
HAS_STRUCTURES = ("clickhouse", "duckdb", "googlesql")


@pytest.mark.parametrize(
    ("engine", "of_products", "of_items"),
    [
        *((name, "json", "json") for name in QUICK),
        *((name, "struct", "struct") for name in HAS_STRUCTURES),
        ("spark", "json", "struct"),
        ("trino", "struct", "json"),
    ],
    indirect=["engine"],
)
def test_named_schemas_in_every_engine(engine, of_products, of_items):
    dialect = check_dialect(engine.dialects[0])
    segment = rm.segment(viewed_in(engine, of_products), clicked_in(engine), mapping=of_products)
    ga4 = rm.ga4(export_in(engine, of_items), grades={"select_item": 1, "purchase": 3}, mapping=of_items)
    snowplow = rm.snowplow(interactions_in(engine))
    for source, events, impressions in [
        (segment, {"not shown": 1, "too late": 1, "used": 1}, {"used": 3}),
        (ga4, {"not shown": 1, "other action": 2, "used": 1}, {"no position": 1, "used": 3}),
        (snowplow, {"not shown": 1, "other action": 1, "used": 1}, {"used": 3}),
    ]:
        if engine.name in QUICK or source is not snowplow:  # the same statement as for any log
            assert engine.fetch(rm.sql("rr", source, dialect=dialect.name))[1] == [("rr", 0.25, 2)]
        if engine.name in QUICK:
            counted = engine.fetch(source.looked_up(Unconnected(dialect)).text(source.quality, dialect))[1]
            assert {row[1]: row[2] for row in counted if row[0] == "events"} == events
            assert {row[1]: row[2] for row in counted if row[0] == "impressions"} == impressions


# Of requests that were shown something, how many do it, and what that is worth together.
OF_TYPES = {
    "segment": {"amount": 12, "conversion": 1, "actions(type=purchase)": 2, "time_to_first_click(type=purchase)": 60},
    "ga4": {"amount(type=refund)": -12, "conversion": 0, "time_to_first_click": 30, "actions(type=refund)": 2},
    "snowplow": {"amount(type=click)": 5, "amount(type=add_to_cart)": 7.5, "time_to_first_click(type=add_to_cart)": 1},
}


@pytest.mark.parametrize(
    ("engine", "of_products", "of_items"),
    [*((name, "json", "json") for name in QUICK), *((name, "struct", "struct") for name in HAS_STRUCTURES)],
    indirect=["engine"],
)
def test_actions_of_named_schemas_in_every_engine(engine, of_products, of_items):
    viewed = viewed_in(engine, of_products), clicked_in(engine)
    ordered = viewed_in(engine, of_products, ORDERED, "order_rows")
    sources = {
        "segment": rm.segment(*viewed, ordered=ordered, mapping=of_products),
        "ga4": rm.ga4(export_in(engine, of_items), mapping=of_items),
        "snowplow": rm.snowplow(interactions_in(engine)),
    }
    for name, source in sources.items():
        rows = engine.fetch(rm.sql([*OF_TYPES[name]], source, dialect=engine.dialects[0]))[1]
        found = {metric: value if "time" in metric else value * n for metric, value, n, *_ in rows}
        assert found == pytest.approx(OF_TYPES[name], abs=1e-3), name


@pytest.mark.parametrize("logging", ["postgres-15", "sqlite", "mariadb", "clickhouse"], indirect=True)
def test_ubi_as_json_in_other_engines(logging):
    """What UBI keeps of an event, in a column of JSON."""
    engine, _, _ = logging
    about = '{{"object": {{"object_id": "{}"}}, "position": {{"ordinal": {}}}}}'
    rows = [("q", "impression", about.format("a", 0), "shop"), ("q", "impression", about.format("b", 1), "shop")]
    rows += [("q", "click", about.format("b", 1), "shop"), ("q", "scroll", "{}", "shop")]
    columns = dict.fromkeys(("query_id", "action_name", "event_attributes", "application"), "text")
    engine.load("ubi_events", columns, rows)
    engine.load("ubi_queries", {"query_id": "text"}, [("q",)])
    source = rm.ubi("ubi_queries", "ubi_events", mapping="json")
    text = rm.sql("rr", source, dialect=engine.dialects[0])
    assert [tuple(row) for row in engine.fetch(text)[1]] == [("rr", 0.5, 1)]


def test_groups_of_a_log(small):
    """Days in a time zone, totals beside them, and arms: the impressions' own columns, which nobody has to hand on."""
    small.execute(
        "CREATE TABLE timed AS SELECT *, 'de' AS market, CASE request WHEN 'a' THEN 'old' ELSE 'new' END AS arm,"
        " CASE request WHEN 'a' THEN TIMESTAMPTZ '2026-03-01 23:30:00+00' ELSE '2026-03-02 12:00:00+00' END AS ts"
        " FROM shown"
    )
    log = rm.events("timed", "done", **SIMPLE, time="ts")
    days = quietly(rm.evaluate, log, "rr", by="market", period="day", timezone="UTC", connection=small)
    assert [(market, str(day), rr) for market, day, _, rr, _ in days.summary] == [
        ("de", "2026-03-01", 0.5),
        ("de", "2026-03-02", 1.0),
    ]
    here = quietly(rm.evaluate, log, "rr", period="day", timezone="Europe/Berlin", connection=small)
    assert [(str(day), rr, n) for day, _, rr, n in here.summary] == [("2026-03-02", 0.75, 2)]
    weeks = quietly(rm.evaluate, log, "rr", by="market", period="week", timezone="UTC", rollup=True, connection=small)
    assert {row[0]: row[-1] for row in weeks.summary if row[0] in ("total", "market")} == {"total": 2, "market": 2}
    arms = rm.events("timed", "done", **SIMPLE, time="ts", arm="arm")
    found = quietly(rm.evaluate, arms, "rr", period="month", timezone="UTC", connection=small)
    assert [(arm, str(month), rr) for arm, month, _, rr, _ in found.summary] == [
        ("new", "2026-03-01", 1.0),
        ("old", "2026-03-01", 0.5),
    ]
    with pytest.raises(UsageError, match="two columns called 'request'"):
        rm.evaluate(log, "rr", by="request", connection=small)
    for named, expression in (("by", "upper(market)"), ("arm", "CASE WHEN arm = 'old' THEN 'old' ELSE 'new' END")):
        asked = (rm.events("timed", "done", **SIMPLE, arm=expression), ()) if named == "arm" else (log, expression)
        with pytest.raises(UsageError, match=rf"events: {named}= takes the name of a column, and .* is SQL") as refused:
            rm.evaluate(asked[0], "rr", by=asked[1], connection=small)
        select, name = re.search(r"(SELECT \*, .* AS (\w+) FROM) \.\.\.", str(refused.value)).groups()
        log_of_select = rm.events(f"{select} timed", "done", **SIMPLE, **({"arm": name} if named == "arm" else {}))
        by = () if named == "arm" else name
        assert len(quietly(rm.evaluate, log_of_select, "rr", by=by, connection=small).summary.fetchall()) >= 1


@pytest.mark.parametrize(
    ("by", "options"),
    each_once(
        [["market"], ["run.market"], ["market", "arm"]],
        [{}, {"rollup": [["market"], []]}, {"period": "week", "min_queries": 1}],
    ),
)
def test_groups_of_logged_requests(small, by, options):
    """The table of requests has no market, and says so where there is a connection: groups are the impressions'."""
    small.execute(
        "CREATE TABLE timed AS SELECT *, 'de' AS market, CASE request WHEN 'a' THEN 'old' ELSE 'new' END AS arm,"
        " TIMESTAMP '2026-03-01 23:30:00' AS ts FROM shown; CREATE TABLE asked AS SELECT 'a' AS request"
    )
    log = rm.events("timed", "done", **SIMPLE, time="ts", requests="logged", queries="asked")
    found = quietly(rm.evaluate, log, "rr", connection=small, by=by, **options).summary.fetchall()
    assert found
    # Nobody has looked at the rows of a text: a request in two groups would be left out.
    counted = [(*row, 0) for row in found]
    assert small.execute(rm.sql("rr", log, by=by, connection=small, **options)).fetchall() == counted


@pytest.mark.parametrize("column", ["position", "ITEM_ID", "relevance"])
@pytest.mark.parametrize("road", ["evaluate", "sql", "sql there"])
def test_a_group_is_called_as_nothing_else_in_the_rows(small, column, road):
    small.execute("CREATE TABLE odd AS SELECT *, 1 AS position, 2 AS item_id, 3 AS relevance FROM shown")
    log = rm.events("odd", "done", **SIMPLE)
    given = {} if road == "sql" else {"connection": small}
    with pytest.raises(UsageError, match=f"events: its rows already have a column '{column}'. Rename yours"):
        (rm.evaluate if road == "evaluate" else lambda source, metrics, **to: rm.sql(metrics, source, **to))(
            log, "rr", by=[column], **given
        )


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "mysql", "bigquery", "snowflake"])
@pytest.mark.parametrize("table", ["Rated Films", 'SELECT * FROM "Rated Films"'])
def test_names_that_need_quotes(dialect, table):
    if dialect in ("mysql", "bigquery") and table.startswith("SELECT"):
        table = table.replace('"', "`")
    source = rm.ratings(table, user="User Id", item="item", rating="order", predicted='"group"')
    text = rm.sql(["mae", "rr"], source, by=["select"], dialect=dialect)
    if dialect in ("duckdb", "sqlite"):
        with closing(duckdb.connect() if dialect == "duckdb" else sqlite3.connect(":memory:")) as connection:
            columns = '"User Id" TEXT, item TEXT, "order" REAL, "group" REAL, "select" TEXT'
            connection.execute(f'CREATE TABLE "Rated Films" ({columns})')
            rows = [("u", "a", 5, 4.5, "de"), ("u", "b", 2, 3, "de"), ("v", "a", 4, None, "fr")]
            fill(connection, '"Rated Films"', rows)
            expected = [
                *(("de", "mae", 0.75, 1, 0), ("de", "rr", 1, 1, 0)),
                *(("fr", "mae", None, 0, 1), ("fr", "rr", 0, 1, 0)),
            ]
            assert list(connection.execute(text).fetchall()) == expected
            found = quietly(rm.evaluate, source, ["mae", "rr"], by=["select"], connection=connection)
            assert found.summary.fetchall() == expected
    own = check_dialect(dialect)
    assert f"s.{quote_name('User Id', own)} IS NOT NULL" in source.looked_up(Unconnected(own)).text(
        source.parts["run"], own
    )


def test_text_files_have_numbers_and_times(tmp_path, cli):
    """Nothing in a CSV file says what is a number, and 10 would come before 9."""
    shown = ["request_id,item_id,position,moment"]
    shown += [f"r,i{place},{place},2026-01-01 00:00:{place:02}" for place in range(1, 13)]
    (tmp_path / "shown.csv").write_text("\n".join(shown) + "\n")
    events = [
        "request_id,item_id,event_type,moment",
        "r,i10,click,2026-01-01 00:00:40",
        "r,i2,click,2026-01-01 00:02:00",
    ]
    (tmp_path / "events.csv").write_text("\n".join(events) + "\n")
    files = (tmp_path / "shown.csv", tmp_path / "events.csv")
    assert rm.evaluate(rm.events(*files), ["rr"])["rr"] == 1 / 2
    assert rm.evaluate(rm.events(*files, time="moment", within=60), ["rr"])["rr"] == 1 / 10
    asked = [
        "--events",
        *map(str, files),
        "--rule",
        "time=moment",
        "--rule",
        "within=60",
        "-m",
        "rr",
        "--format",
        "csv",
    ]
    assert cli("evaluate", *asked).stdout.splitlines()[1:] == ["events,rr,0.1,1"]
    (tmp_path / "shown.csv").write_text("request_id,item_id,position\nr,a,first\n")
    with pytest.raises(rm.RankmetricsError, match="first"):
        rm.evaluate(rm.events(*files), ["rr"])


def test_judgments_beside_lists_may_have_columns_of_other_names():
    pandas = pytest.importorskip("pandas")
    lists = pandas.DataFrame({"uid": ["a", "b"], "rec_list": [["x", "y"], ["y", "z"]]})
    held_out = pandas.DataFrame({"user": ["a", "b"], "movie_id": ["y", "y"], "weight": [1, 2]})
    source = rm.lists(lists, query="uid", items="rec_list")
    named = {"qrels.query_id": "user", "qrels.item_id": "movie_id", "qrels.relevance": "weight"}
    assert rm.evaluate(source, held_out, "rr", columns=named)["rr"] == (1 / 2 + 1) / 2
    text = rm.sql("rr", run=rm.lists("recs", query="uid", items="rec_list"), qrels="held", columns=named)
    assert "s.movie_id AS item_id" in text
    with pytest.raises(UsageError, match=r"\(query_id\).*For the input beside it, write qrels.query_id"):
        rm.evaluate(source, held_out, "rr", columns={"query_id": "user"})
    with pytest.raises(rm.DataError, match=r"no column 'stars' for qrels.relevance"):
        rm.evaluate(source, held_out, "rr", columns=named | {"qrels.relevance": "stars"})


@pytest.mark.parametrize(("schema", "tables"), [("snowplow", ["ia"]), ("segment", ["v", "c"]), ("ga4", ["e"])])
def test_no_limit_of_time_is_none(schema, tables):
    texts = [rm.sql("rr", getattr(rm, schema)(*tables, **given)) for given in ({}, {"within": 60}, {"within": None})]
    assert ["a.done_at >= i.shown_at" in text for text in texts] == [True, True, False]
    assert ["<= 1800" in text for text in texts] == [True, False, False]
    assert "<= 60\n" in texts[1]
