"""The searches that lose most, on every road and in every schema of logs, beside a twin in plain Python."""

from __future__ import annotations

import json
import math
import random
import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from statistics import NormalDist, fmean, pvariance
from typing import Any

import duckdb
import pytest
from scipy.stats import binomtest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import mostly_long, seeds
from .test_sources import moment_in

# The templates know the points of the normal distribution to 2e-8.
NEAR = {"rel": 1e-7, "abs": 1e-9}
START = datetime(2026, 5, 29, 22)  # a Friday: the log has two weeks and two months
WITHIN = 300


@dataclass
class Log:
    """What was shown and clicked: requests of one user and moment each, but for the faults of a log.

    Attributes:
        shown: request, item, position, user, moment, text, arm.
        clicked: request, item, user, moment, type of action.
        asked: the table of all requests: request, user, moment, text, arm.
    """

    shown: list[tuple[Any, ...]] = field(default_factory=list)
    clicked: list[tuple[Any, ...]] = field(default_factory=list)
    asked: list[tuple[Any, ...]] = field(default_factory=list)


def random_log(seed: int, *, one_text: bool = False) -> Log:
    """Return a log with gaps in positions, repeated rows, clicks on what was not shown, a bot, and texts of many kinds.

    Args:
        seed: of what is drawn.
        one_text: whether all rows of a request have its text, as in schemas that have it once in each event.
    """
    draw, log = random.Random(seed), Log()
    moments: dict[str, float] = defaultdict(float)
    for number in range(120):
        user = "bot" if number % 4 == 0 else draw.choice("uvwxyz")
        moments[user] += draw.choice([1, 200, 299, 300, 301, 4000, 90_000])
        request, moment = f"r{number}", START + timedelta(seconds=moments[user])
        text, arm = draw.choice(["lamp", "Lamp ", "lamp", "sofa", "desk", None, "rug"]), draw.choice("AB")
        log.asked.append((request, user, moment, text, arm))
        if draw.random() < 0.05:
            log.asked.append((request, user, moment, "sofa", arm))
        if draw.random() < 0.1:
            continue  # it showed nothing
        for item, place in zip(draw.sample("abcdefgh", 5), sorted(draw.sample(range(1, 9), 5)), strict=True):
            other = draw.choice([None, "lamp", "desk"]) if draw.random() < 0.03 and not one_text else text
            row = (request, item, None if draw.random() < 0.05 else place, user, moment, other, arm)
            log.shown += [row] * draw.choice([1, 1, 1, 2])
            if draw.random() < 0.05:
                log.shown.append((*row[:2], place + 3, *row[3:]))
            if draw.random() < 0.6 / place + (text == "sofa") * 0.2:
                click = (request, item, user, moment + timedelta(seconds=draw.choice([0, 5, 60, -60])))
                log.clicked += [(*click, draw.choice(["click", "click", "scroll"]))] * draw.choice([1, 2])
        log.clicked.append((request, "lost", user, moment, "click"))
    return log


@dataclass
class Request:
    """What is known of a request.

    Attributes:
        user: who asked.
        moment: when.
        texts: what all its rows say that was asked for.
        arms: likewise.
        places: the position of each item.
        clicked: the items that were clicked.
    """

    user: Any = None
    moment: Any = None
    texts: set[Any] = field(default_factory=set)
    arms: set[Any] = field(default_factory=set)
    places: dict[str, int] = field(default_factory=dict)
    clicked: set[str] = field(default_factory=set)

    def values(self, by, normalise):
        """The values of each column, without NULL."""
        texts = {text.strip().lower() if normalise and text else text for text in self.texts}
        return [{"text": texts, "arm": self.arms}[name] - {None} for name in by]


class Twin:
    """The requests of a log, and what they lose."""

    def __init__(self, log: Log, *, by_user: bool = False, logged: bool = False) -> None:
        self.requests: dict[str, Request] = defaultdict(Request)
        for request, item, place, user, moment, text, arm in log.shown:
            if place is not None:
                found = self.requests[request]
                found.user, found.moment = user, moment
                found.texts.add(text)
                found.arms.add(arm)
                found.places[item] = min(place, found.places.get(item, place))
        for request, user, moment, text, arm in log.asked if logged else ():
            found = self.requests[request]
            found.user, found.moment = user, moment
            found.texts.add(text)
            found.arms.add(arm)
        for request, item, user, moment, what in log.clicked:
            credited = self._last(user, item, moment) if by_user else request
            if what == "click" and credited in self.requests and item in self.requests[credited].places:
                self.requests[credited].clicked.add(item)

    def _last(self, user, item, moment):
        seen = [
            (request.moment, name)
            for name, request in self.requests.items()
            if request.user == user and item in request.places and request.moment <= moment
        ]
        last = max(seen, default=(None, None))
        return last[1] if seen and (moment - last[0]).total_seconds() <= 1800 else None

    @cached_property
    def rates(self):
        """The share of the impressions at each position that were clicked."""
        clicks = defaultdict(list)
        for request in self.requests.values():
            for item, place in request.places.items():
                clicks[place].append(item in request.clicked)
        return {place: fmean(values) for place, values in clicks.items()}

    @cached_property
    def moments(self):
        """All times at which each user searched."""
        found = defaultdict(set)
        for request in self.requests.values():
            found[request.user].add(request.moment)
        return found

    def reformulated(self, request):
        after = [moment for moment in self.moments[request.user] if moment > request.moment]
        return not request.clicked and bool(after) and (min(after) - request.moment).total_seconds() <= WITHIN

    def groups(self, by, normalise=False):
        """The requests of each value; those of two values below None."""
        found = defaultdict(list)
        for request in self.requests.values():
            values = request.values(by, normalise)
            two = any(len(one) > 1 for one in values)
            found[None if two else tuple(next(iter(one), None) for one in values)].append(request)
        return found

    def row(self, requests, level, metric=None):
        """All numbers of a group."""
        rates, z = self.rates, NormalDist().inv_cdf((1 + level) / 2)
        at = [rates[place] for request in requests for place in request.places.values()]
        clicks = sum(len(request.clicked) for request in requests)
        lost, reach = sum(at) - clicks, z * math.sqrt(sum(p * (1 - p) for p in at))
        row = {
            "requests": len(requests),
            "users": len({request.user for request in requests}),
            "share_without_results": fmean(not request.places for request in requests),
            "impressions": len(at),
            "clicks": clicks,
            "expected_clicks": sum(at),
            "lost_clicks": lost,
            "lost_lower": lost - reach,
            "lost_upper": lost + reach,
            "ctr": clicks / len(at) if at else None,
            "mrr": fmean(map(reciprocal, requests)),
            "n_reformulated": sum(map(self.reformulated, requests)),
        }
        ends = binomtest(clicks, len(at)).proportion_ci(level, "wilson") if at else (None, None)
        row |= {"ci_lower": ends[0], "ci_upper": ends[1]}
        if metric is not None:
            row |= self.lost_of(requests, metric, z)
        return row

    def lost_of(self, requests, metric, z):
        """What is lost of a metric, of which more is better."""
        every = [metric(request) for request in self.requests.values()]
        values = [metric(request) for request in requests]
        lost, reach = sum(fmean(every) - value for value in values), z * math.sqrt(len(values) * pvariance(every))
        names = ("metric_value", "metric_lost", "metric_lost_lower", "metric_lost_upper")
        return dict(zip(names, (fmean(values), lost, lost - reach, lost + reach), strict=True))

    def periods(self, requests, period):
        """The last two periods of the log, and what is lost in each."""

        def first(day):
            day = day.date()
            return {"day": day, "week": day - timedelta(days=day.weekday()), "month": day.replace(day=1)}[period]

        last, before = sorted({first(request.moment) for request in self.requests.values()}, reverse=True)[:2]
        rates, found = self.rates, {"period": last, "period_before": before}
        trend = []
        for name, day in (("lost_in_period", last), ("lost_before", before)):
            mine = [request for request in requests if first(request.moment) == day]
            at = [rates[place] for request in mine for place in request.places.values()]
            lost = sum(at) - sum(len(request.clicked) for request in mine)
            found[name] = lost if at else None
            trend.append(lost / len(at) if at else None)
        return found | {"trend": None if None in trend else trend[0] - trend[1]}


def reciprocal(request):
    return max((1 / request.places[item] for item in request.clicked), default=0)


def check(found, twin, by, *, level=0.95, normalise=False, least=1, period=None, metric=None, n=1000):
    """Compares rows by their values, their order, and the totals."""
    groups = twin.groups(by, normalise)
    listed = {values: requests for values, requests in groups.items() if values and len(requests) >= least}
    rows = [{name.lower(): value for name, value in row.items()} for row in found.dicts()]
    assert len(rows) == min(n, len(listed))
    for row in rows:
        values = tuple(row.pop(name) for name in found.columns[: len(by)])
        wanted = twin.row(listed[values], level, metric)
        wanted |= twin.periods(listed[values], period) if period else {}
        for name, value in row.items():
            is_number = isinstance(wanted[name], int | float)
            assert value == (pytest.approx(wanted[name], **NEAR) if is_number else wanted[name]), (values, name)
    lower = "metric_lost_lower" if metric else "lost_lower"
    lowest = sorted((twin.row(requests, level, metric)[lower] for requests in listed.values()), reverse=True)
    assert [row[lower] for row in rows] == pytest.approx(lowest[:n], **NEAR)
    if hasattr(found, "totals"):
        check_totals(found, twin, groups, least)


def check_totals(found, twin, groups, least):
    """Compares the totals with the log, which is counted by itself."""
    totals = {part["part"]: part for part in found.totals.dicts()}
    few = [requests for values, requests in groups.items() if values and len(requests) < least]
    assert totals["few requests"]["n_groups"] == len(few)
    assert totals["few requests"]["requests"] == sum(map(len, few))
    assert totals["two values"]["requests"] == len(groups.get(None, ()))
    assert totals["log"]["requests"] == len(twin.requests)
    assert totals["log"]["impressions"] == sum(len(request.places) for request in twin.requests.values())
    assert totals["log"]["clicks"] == sum(len(request.clicked) for request in twin.requests.values())
    assert totals["log"]["expected_clicks"] == pytest.approx(totals["log"]["clicks"])
    assert totals["log"]["lost_clicks"] == pytest.approx(0, abs=1e-9)


def sql_of(value: Any) -> str:
    if value is None:
        return "NULL"
    return (
        f"TIMESTAMP '{value}'"
        if isinstance(value, datetime)
        else f"'{value}'"
        if isinstance(value, str)
        else str(value)
    )


def table(connection: Any, name: str, columns: str, rows: list[tuple[Any, ...]]) -> None:
    values = ", ".join(f"({', '.join(map(sql_of, row))})" for row in rows)
    connection.execute(f"CREATE TABLE {name} AS FROM (VALUES {values}) AS t({columns})")


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def load(connection, log):
    """The log as three tables."""
    table(connection, "shown", "request_id, item_id, position, visitor, moment, text, arm", log.shown)
    table(connection, "done", "request_id, item_id, visitor, moment, event_type", log.clicked)
    table(connection, "asked", "request_id, visitor, moment, text, arm", log.asked)


KNOWN = {"user": "visitor", "time": "moment"}


@pytest.mark.parametrize("seed", seeds(6, 1))
@pytest.mark.parametrize("logged", mostly_long([False, True], True))
def test_a_log_loses_what_its_twin_loses(connection, seed, logged):
    log = random_log(seed)
    load(connection, log)
    twin = Twin(log, logged=logged)
    more = {"requests": "logged", "queries": "asked"} if logged else {}
    source = rm.events("shown", "done", **KNOWN, **more)
    given = {"connection": connection, "min_requests": 1}
    check(quietly(rm.worst, source, "text", n=1000, **given), twin, ["text"])
    check(
        quietly(rm.worst, source, ["text", "arm"], n=2, period="week", **given),
        twin,
        ["text", "arm"],
        n=2,
        period="week",
    )
    found = quietly(rm.worst, source, "text", normalise="lower, trim", confidence_level=0.8, **given)
    check(found, twin, ["text"], normalise=True, level=0.8)
    given["min_requests"] = 15
    check(quietly(rm.worst, source, "text", order="mrr", **given), twin, ["text"], least=15, metric=reciprocal)


@pytest.mark.parametrize("seed", seeds(4, 1))
def test_dbt_computes_what_python_does(connection, seed):
    log = random_log(seed)
    load(connection, log)
    render, given = macros(), {"min_requests": 3, "period": "month"}
    rows = render["from_events"](
        "shown", "done", context=[{"group": "text"}, "visitor", "moment"], requests="logged", queries="asked",
        queries_context=[{"group": "text"}, "visitor", "moment"],
    )  # fmt: skip
    text = render["worst_queries"](f"({rows}) AS r", "text", columns=KNOWN, empty_lists=True, **given)
    source = rm.events("shown", "done", **KNOWN, requests="logged", queries="asked")
    found = quietly(rm.worst, source, "text", connection=connection, **given)
    assert [(row[0], pytest.approx(row[1:10])) for row in connection.execute(text).fetchall()] == [
        (row[0], row[1:10]) for row in found.fetchall()
    ]
    assert [(row[0], pytest.approx(row[1:10])) for row in connection.execute(found.sql).fetchall()] == [
        (row[0], row[1:10]) for row in found.fetchall()
    ]
    found.create_table("worst_now")
    assert connection.execute("SELECT COUNT(*) FROM worst_now").fetchall() == [(len(found),)]


def ubi_log(connection, log):
    """The log in UBI's two tables, whose events have attributes of structures."""
    begin = (
        "SELECT * REPLACE ({'object': {'object_id': item_id}, 'position': {'ordinal': position}} AS event_attributes)"
    )
    shown = [(None, *row, "impression") for row in log.shown]
    done = [
        (None, request, item, None, user, moment, None, None, what) for request, item, user, moment, what in log.clicked
    ]
    names = "event_attributes, query_id, item_id, position, client_id, timestamp, text, arm, action_name"
    table(connection, "flat", names, shown + done)
    connection.execute(f"CREATE TABLE ubi_events AS {begin} FROM flat")
    table(connection, "ubi_queries", "query_id, client_id, timestamp, text, arm", log.asked)
    return rm.ubi("ubi_queries", "ubi_events"), rm.ubi("ubi_queries", "ubi_events", requests="logged")


def by_request(log):
    found = defaultdict(list)
    for row in log.shown:
        found[row[0]].append(row)
    return found.values()


def listed(rows, names):
    return (
        "["
        + ", ".join(
            "{" + ", ".join(f"'{name}': {sql_of(value)}" for name, value in zip(names, row, strict=True)) + "}"
            for row in rows
        )
        + "]"
    )


def ga4_log(connection, log):
    """The log as Google's export: an event for each request, and one for each click."""

    def micros(moment):
        return int((moment - datetime(1970, 1, 1)).total_seconds() * 1_000_000)

    names, rows = ("item_id", "item_list_id", "item_list_name", "item_list_index"), []
    for shown in by_request(log):
        _, _, _, user, moment, text, arm = shown[0]
        items = [(item, "home", "Home", None if place is None else str(place)) for _, item, place, *_ in shown]
        rows.append(("view_item_list", micros(moment), user, text, arm, items))
    for _, item, user, moment, what in log.clicked:
        event = "select_item" if what == "click" else what
        rows.append((event, micros(moment), user, None, None, [(item, "home", "Home", None)]))
    values = ", ".join(f"({', '.join(map(sql_of, row[:-1]))}, {listed(row[-1], names)})" for row in rows)
    columns = "event_name, event_timestamp, user_pseudo_id, text, arm, items"
    connection.execute(f"CREATE TABLE export AS FROM (VALUES {values}) AS t({columns})")
    return rm.ga4("export")


def segment_log(connection, log):
    """The log as Segment's two tables."""
    rows = []
    for shown in by_request(log):
        request, _, _, user, moment, text, arm = shown[0]
        products = listed([(item, place) for _, item, place, *_ in shown], ("product_id", "position"))
        rows.append(f"({', '.join(map(sql_of, (request, user, moment, text, arm)))}, {products})")
    columns = 'id, anonymous_id, "timestamp", text, arm, products'
    connection.execute(f"CREATE TABLE viewed AS FROM (VALUES {', '.join(rows)}) AS t({columns})")
    clicks = [
        (f"c{n}", user, moment, item) for n, (_, item, user, moment, what) in enumerate(log.clicked) if what == "click"
    ]
    table(connection, "clicked", 'id, anonymous_id, "timestamp", product_id', clicks)
    return rm.segment("viewed", "clicked")


def snowplow_log(connection, log):
    """The log as Snowplow's table of interactions."""
    shown = [
        (request, "list_view", item, place, user, moment, "app", text, arm)
        for request, item, place, user, moment, text, arm in log.shown
    ]
    clicks = [
        (f"c{n}", "list_click" if what == "click" else what, item, None, user, moment, "app", None, None)
        for n, (_, item, user, moment, what) in enumerate(log.clicked)
    ]
    names = "event_id, ecommerce_action_type, product_id, product_list_position, domain_userid, derived_tstamp, app_id"
    table(connection, "interactions", f"{names}, text, arm", shown + clicks)
    return rm.snowplow("interactions")


@pytest.mark.parametrize("seed", seeds(4, 1))
@pytest.mark.parametrize("schema", mostly_long(["ubi", "ubi-logged", "ga4", "segment", "snowplow"], "ga4"))
def test_every_schema_loses_what_its_twin_loses(connection, schema, seed):
    log = random_log(seed, one_text=schema in ("ga4", "segment"))
    by_user = not schema.startswith("ubi")
    sources = {"ga4": ga4_log, "segment": segment_log, "snowplow": snowplow_log}
    source = sources[schema](connection, log) if by_user else ubi_log(connection, log)[schema == "ubi-logged"]
    twin = Twin(log, by_user=by_user, logged=schema == "ubi-logged")
    period = {"period": "day"} if schema != "ga4" else {}
    for by in (["text"], ["text", "arm"]):
        found = quietly(rm.worst, source, by, min_requests=1, n=1000, connection=connection, **period)
        check(found, twin, by, **period)
        assert {"users", "n_reformulated"} <= {*found.columns}
    if not by_user:
        return
    with_arm = {"ga4": rm.ga4, "segment": rm.segment, "snowplow": rm.snowplow}[schema]
    found = quietly(
        rm.worst, with_arm(*source.relations.values(), arm="arm"), "arm", min_requests=1, connection=connection
    )
    check(found, twin, ["arm"])


def test_amounts_change_nothing(connection):
    """The rows of a log with values have more columns, those of requests with two texts, too."""
    log = random_log(1)
    load(connection, log)
    connection.execute("ALTER TABLE done ADD COLUMN paid DOUBLE DEFAULT 2")
    source = rm.events("shown", "done", **KNOWN, requests="logged", queries="asked", value="paid")
    found = quietly(rm.worst, source, "text", min_requests=1, connection=connection)
    assert found.totals.dicts()[3]["requests"] > 0
    check(found, Twin(log, logged=True), ["text"])


@pytest.mark.long
def test_the_sample_of_ubi():
    """Seven requests of OpenSearch's sample have two texts in the table of queries, two of them in the events."""
    sample = Path(__file__).parents[1] / "data" / "ubi" / "ubi_queries_events.ndjson.gz"
    found = quietly(rm.worst, rm.ubi(sample, requests="logged"), "user_query", min_requests=3)
    assert found.warnings[0] == "7 requests have two values of user_query and are left out."
    assert found.totals.dicts()[-1]["requests"] == 290
    assert len(found) == 22


@pytest.fixture
def small(connection):
    """Four requests of two users; the last impression has no position."""
    connection.execute("""
        CREATE TABLE seen AS FROM (VALUES
            ('r1', 'i1', 1, 1, 'lamp', 'u', TIMESTAMP '2026-05-04 10:00:00'),
            ('r1', 'i2', 2, 0, 'lamp', 'u', TIMESTAMP '2026-05-04 10:00:00'),
            ('r2', 'i1', 1, 0, 'sofa', 'u', TIMESTAMP '2026-05-04 10:01:00'),
            ('r3', 'i1', 1, 0, 'sofa', 'u', TIMESTAMP '2026-05-04 10:03:00'),
            ('r4', 'i1', 1, 1, 'Sofa', 'v', TIMESTAMP '2026-05-04 10:03:00'),
            ('r4', 'i2', NULL, 0, 'Sofa', 'v', TIMESTAMP '2026-05-04 10:03:00')
        ) AS t(request_id, item_id, position, relevance, query_text, visitor, moment)
    """)
    return connection


def test_a_table_by_hand(small):
    """Half of the impressions at position 1 were clicked, and none at position 2: sofa expects 1 click and has none."""
    found = quietly(
        rm.worst, "seen", "query_text", user="visitor", time="moment", within="2 minutes", min_requests=1,
        connection=small, period="day",
    )  # fmt: skip
    rows = {row["query_text"]: row for row in found.dicts()}
    assert [row["query_text"] for row in found.dicts()] == ["sofa", "Sofa", "lamp"]  # Sofa before lamp: by its text
    assert [rows[text]["lost_clicks"] for text in ("sofa", "Sofa", "lamp")] == [1, -0.5, -0.5]
    assert rows["sofa"]["lost_lower"] == pytest.approx(1 - 1.959964 * math.sqrt(2 * 0.25), rel=1e-6)
    assert [rows[text]["n_reformulated"] for text in ("sofa", "Sofa", "lamp")] == [1, 0, 0]
    assert [rows[text]["users"] for text in ("sofa", "lamp")] == [1, 1]
    assert [(row["period"].day, row["period_before"], row["trend"]) for row in rows.values()] == [(4, None, None)] * 3
    assert found.warnings == [
        "1 value of query_text would fall together with others, which differ in case or outer spaces alone. To count"
        " them as one, pass normalise='lower, trim'.",
        "1 impressions without a position are left out.",
    ]
    assert repr(found).endswith("3 groups with 4 of 4 requests.")
    assert found.plot().to_dict()["title"]["text"] == "Lost clicks by query_text"


def test_normalised_texts_are_one(small):
    found = quietly(rm.worst, "seen", "query_text", normalise="lower", min_requests=1, connection=small)
    assert {row[0]: row[1] for row in found.fetchall()} == {"lamp": 1, "sofa": 3}
    assert not [text for text in found.warnings if "fall together" in text]


@pytest.mark.long
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"min_requests": 5}, r"No value of query_text has 5 requests, so nothing is listed\. .* min_requests=1"),
        ({"user": "visitor"}, r"n_reformulated: left out, because they need the user and the time .* time=NAME"),
        ({}, r"users and n_reformulated: left out, .* Pass user=NAME and time=NAME"),
        ({"user": "visitor", "time": "moment"}, "1 value of query_text would fall together .* normalise='lower, trim'"),
    ],
)
def test_what_is_left_out_is_said_with_what_to_type(small, given, message):
    found = quietly(rm.worst, "seen", "query_text", connection=small, **({"min_requests": 1} | given))
    assert [text for text in found.warnings if re.search(message, text)]
    typed = {"user": "visitor", "time": "moment", "min_requests": 1, "normalise": "lower, trim"}
    again = quietly(rm.worst, "seen", "query_text", connection=small, **typed)
    assert not [text for text in again.warnings if re.search(message, text)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"order": "mrrr"}, "Unknown metric 'mrrr'"),
        ({"order": "ctr_pooled"}, "order: ctr_pooled is not the mean of values of requests"),
        ({"n": 0}, "n is a whole number from 1, not 0"),
        ({"min_requests": 1.5}, "min_requests is a whole number from 1, not 1.5"),
        ({"normalise": "stem"}, "normalise is lower, trim or both, not 'stem'"),
        ({"by": "item_id", "normalise": "lower"}, None),
        ({"by": "position", "normalise": "lower"}, "normalise takes texts, and by= names 'position', which is INTEGER"),
        ({"within": "soon"}, "within takes a number of seconds, or text such as '30 minutes'"),
        ({"confidence_level": 1}, "confidence_level"),
        ({"by": []}, "by names no column, such as query_text"),
        ({"by": "asked"}, "no column 'asked' for by"),
        ({"user": "who"}, "no column 'who' for user"),
    ],
)
def test_what_cannot_be_meant_is_refused(small, given, message):
    asked = {"by": "query_text", "connection": small, "min_requests": 1} | given
    if message is None:
        assert quietly(rm.worst, "seen", **asked).fetchall()
        return
    with pytest.raises((rm.UsageError, rm.DataError), match=message):
        quietly(rm.worst, "seen", **asked)


@pytest.mark.parametrize(
    ("given", "message", "typed"),
    [
        ({"period": "week"}, r"period needs a column with the time\. Pass time=NAME\.", {"time": "moment"}),
        (
            {"position": "CAST(NULL AS INTEGER)"},
            r"seen: no row has an item and a position, .* Name the column: position=NAME\.",
            {"position": "position"},
        ),
    ],
)
def test_what_is_missing_is_named_as_it_is_typed(small, given, message, typed):
    asked = {"by": "query_text", "connection": small, "min_requests": 1} | given
    with pytest.raises((rm.UsageError, rm.DataError), match=message):
        quietly(rm.worst, "seen", **asked)
    assert quietly(rm.worst, "seen", **asked | typed).fetchall()


def test_a_log_without_positions_is_refused(small):
    small.execute("CREATE TABLE shown AS SELECT request_id, item_id, NULL::INT AS position, query_text FROM seen")
    small.execute(
        "CREATE TABLE done AS SELECT request_id, item_id, 'click' AS event_type FROM seen WHERE relevance = 1"
    )
    with pytest.raises(rm.DataError, match="events: no row has an item and a position"):
        quietly(rm.worst, rm.events("shown", "done"), "query_text", connection=small)


def test_on_the_command_line(small, tmp_path, cli):
    small.execute(f"COPY seen TO '{tmp_path / 'seen.csv'}'")
    asked = ["worst", tmp_path / "seen.csv", "--by", "query_text", "--columns", "user=visitor,time=moment", "-n", "2"]
    asked += ["--min-requests", "1", "--within", "60", "--period", "day", "--normalise", "lower, trim"]
    printed = cli(*asked, "--format", "json")
    assert printed.exit_code == 0, printed.stderr
    found = quietly(
        rm.worst, "seen", "query_text", user="visitor", time="moment", n=2, min_requests=1, within=60, period="day",
        normalise="lower, trim", connection=small,
    )  # fmt: skip
    rows = json.loads(printed.stdout)
    assert [row["query_text"] for row in rows] == [row["query_text"] for row in found.dicts()]
    assert [row["lost_clicks"] for row in rows] == pytest.approx([row["lost_clicks"] for row in found.dicts()])
    assert "2 groups with 4 of 4 requests." in printed.stderr
    nothing = cli("worst", tmp_path / "seen.csv", "--by", "query_text", "--normalise", "lower, trim")
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert "No value of query_text has 20 requests, so nothing is listed" in nothing.stderr


@pytest.mark.long
@pytest.mark.parametrize("name", ["clickhouse", "datafusion", "googlesql", "mariadb", "postgres-15", "sqlite", "trino"])
def test_in_every_engine(start_engine, name):
    """Each engine computes what the twin does, with the statement that dbt renders and a metric that orders."""
    engine, log = start_engine(name), random_log(3)
    log.shown = [row for row in log.shown if row[5] != "Lamp "]  # MySQL compares it as lamp
    twin, rows = Twin(log), []
    twin.requests = {request: known for request, known in twin.requests.items() if len(known.texts - {None}) < 2}
    for request, known in twin.requests.items():
        text = next(iter(known.texts - {None}), None)
        for item, place in known.places.items():
            rows.append((request, item, text, known.user, str(known.moment), place, float(item in known.clicked)))
    texts = dict.fromkeys(("request_id", "item_id", "query_text", "visitor", "moment"), "text")
    engine.load("seen", texts | {"position": "bigint", "relevance": "double"}, rows)
    table = f"(SELECT s.*, {moment_in(engine)} AS asked FROM seen s) AS r"
    render = macros(engine.dialects[0])
    for given in ({}, {"order": "mrr"}, {"totals": True, "n": 2}):
        text = render["worst_queries"](
            table, "query_text", columns={"user": "visitor", "time": "asked"}, min_requests=1, **given
        )
        names, fetched = engine.fetch(text)
        names = [name.lower() for name in names]
        groups = twin.groups(["text"])
        metric = reciprocal if "order" in given else None
        assert len(fetched) == (3 if "n" in given else len(groups))
        for row in fetched:
            found = dict(zip(names, row, strict=True))
            if found.pop("part", "listed") != "listed":
                continue
            found.pop("n_values", None)
            wanted = twin.row(groups[(found.pop("query_text"),)], 0.95, metric)
            assert {column: float(value) for column, value in found.items()} == {
                column: pytest.approx(wanted[column], **NEAR) for column in found
            }
