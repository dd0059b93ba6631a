"""Numbers of the actions of a type beside the ranking: amounts, conversions, counts and times, as a twin finds them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import fmean, median
from typing import Any

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm
from dev.engines import ENGINES
from rankmetrics_sql.errors import DataError, UsageError
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..everything import each_once, seeds
from .test_sources import MOMENT

START = datetime(2026, 1, 1)
TYPES = ("click", "purchase", "Add to cart", "scroll")
METRICS = (
    *("amount", "amount@2", "amount(type=Add to cart)", "conversion", "conversion@1", "conversion(type=Add to cart)"),
    *("actions(type=click)", "actions(type=purchase)@2", "clicks(type=purchase)", "ctr(type=purchase)"),
    *("ctr(type=Add to cart)@2", "abandonment(type=purchase)", "abandonment(type=purchase)@1"),
    *("time_to_first_click", "time_to_first_click(type=purchase)@2", "clicks", "rr"),
)
POOLED = ("amount_per_click", "conversion_per_click", "amount_per_click(click=click)@2", "ctr_pooled(type=purchase)")


@dataclass(frozen=True)
class Shown:
    """An impression."""

    request: str | None
    item: str | None
    place: int | None
    user: str | None
    moment: datetime | None
    arm: str
    market: str
    is_bot: bool


@dataclass(frozen=True)
class Done:
    """An action."""

    request: str | None
    item: str | None
    what: str | None
    user: str | None
    moment: datetime | None
    worth: float | None


def messy_log(seed: int) -> tuple[list[Shown], list[Done]]:
    """Requests of one moment each or of two, with repeated and NULL values, bots, refunds and actions of no request."""
    chance = random.Random(seed)

    def some(values: Sequence[Any], missing: float = 0.05) -> Any:
        return None if chance.random() < missing else chance.choice(values)

    shown, done = [], []
    for number in range(14):
        request, user = f"r{number}", some("uvw", 0.1)
        began = START + timedelta(minutes=chance.randrange(50))
        arm, market, is_bot = chance.choice("AB"), chance.choice(["de", "fr"]), chance.random() < 0.15
        for place, item in enumerate(chance.sample("pqrst", chance.randrange(1, 5)), start=1):
            moment = some([began, began + timedelta(seconds=20)])
            shown += [Shown(some([request]), some([item]), some([place]), user, moment, arm, market, is_bot)]
            shown += [shown[-1]] if chance.random() < 0.1 else []
    for _ in range(90):
        moment = some([START + timedelta(minutes=chance.randrange(60), seconds=chance.randrange(60))])
        worth = some([None, -5.5, 0.0, 3.25, 20.0, 1000.0])
        action = Done(some([f"r{n}" for n in range(16)]), some("pqrst"), some(TYPES), some("uvw"), moment, worth)
        done += [action] * (2 if chance.random() < 0.2 else 1)
    return shown, done


@dataclass(frozen=True)
class Items:
    """What a request showed: the place of each item, and the actions credited to it."""

    places: Mapping[str, int]
    actions: Mapping[str, Sequence[Done]]
    began: datetime | None

    def within(self, k: int | None, *types: str) -> list[Done]:
        """The actions of some types on the first items."""
        kept = [item for item, place in self.places.items() if k is None or place <= k]
        return [one for item in kept for one in self.actions[item] if one.what in types]

    def touched(self, k: int | None, *types: str) -> int:
        """On how many of the first items there are such actions."""
        return len({one.item for one in self.within(k, *types)})

    def shown(self, k: int | None) -> int:
        """How many items there are."""
        return sum(k is None or place <= k for place in self.places.values())


def requests_of(
    shown: Sequence[Shown], done: Sequence[Done], *, by_user: bool, within: float | None
) -> dict[str, Items]:
    """The twin of the source: each request with its items and what was credited to them."""
    kept = [one for one in shown if not one.is_bot and None not in (one.request, one.item, one.place)]
    places: dict[str, dict[str, int]] = {}
    firsts: dict[tuple[str, str], datetime | None] = {}
    users: dict[tuple[str, str], str | None] = {}
    for one in kept:
        of_request = places.setdefault(str(one.request), {})
        of_request[str(one.item)] = min(of_request.get(str(one.item), 99), int(one.place or 0))
        key = (str(one.request), str(one.item))
        moments = [moment for moment in (firsts.get(key), one.moment) if moment is not None]
        firsts[key], users[key] = min(moments, default=None), one.user
    credited: dict[tuple[str, str], list[Done]] = {key: [] for key in firsts}
    for action in done:
        key = (str(action.request), str(action.item))
        if by_user:
            seen = [
                (START - moment, request)
                for (request, item), moment in firsts.items()
                if item == action.item and users[request, item] == action.user is not None
                if moment is not None and action.moment is not None and moment <= action.moment
            ]
            key = (min(seen)[1] if seen else "", str(action.item))
        if key not in credited:
            continue
        moment = firsts[key]
        if within is not None and (
            moment is None or action.moment is None or not 0 <= (action.moment - moment).total_seconds() <= within
        ):
            continue
        credited[key].append(action)
    return {
        request: Items(
            items,
            {item: credited[request, item] for item in items},
            min((moment for (one, _), moment in firsts.items() if one == request and moment), default=None),
        )
        for request, items in places.items()
    }


def seconds(items: Items, k: int | None, what: str) -> float | None:
    """How soon the first such action was."""
    passed = [
        (one.moment - items.began).total_seconds()
        for one in items.within(k, what)
        if one.moment is not None and items.began is not None and one.moment >= items.began
    ]
    return min(passed, default=None)


def total(actions: Sequence[Done]) -> float:
    """What actions are worth together."""
    return sum(one.worth or 0 for one in actions)


def values(items: Items) -> list[float | None]:
    """Those of METRICS for one request; a click has a grade, and no other action."""
    clicked = [place for item, place in items.places.items() if any(x.what == "click" for x in items.actions[item])]
    return [
        total(items.within(None, "purchase")),
        total(items.within(2, "purchase")),
        total(items.within(None, "Add to cart")),
        float(bool(items.within(None, "purchase"))),
        float(bool(items.within(1, "purchase"))),
        float(bool(items.within(None, "Add to cart"))),
        len(items.within(None, "click")),
        len(items.within(2, "purchase")),
        items.touched(None, "purchase"),
        items.touched(None, "purchase") / items.shown(None),
        items.touched(2, "Add to cart") / items.shown(2) if items.shown(2) else 0,
        float(not items.within(None, "purchase")),
        float(not items.within(1, "purchase")),
        seconds(items, None, "click"),
        seconds(items, 2, "purchase"),
        len(clicked),
        1 / min(clicked) if clicked else 0,
    ]


def pooled(requests: Sequence[Items]) -> list[float]:
    """Those of POOLED for requests together."""

    def ratio(above: float, below: float) -> float:
        return above / below if below else 0

    sums = [sum(column) for column in zip(*(map(_parts, requests)), strict=True)]
    return [ratio(sums[0], sums[1]), ratio(sums[2], sums[1]), ratio(sums[3], sums[4]), ratio(sums[5], sums[6])]


def _parts(items: Items) -> list[float]:
    return [
        total(items.within(None, "purchase")),
        items.touched(None, "click"),
        bool(items.within(None, "purchase")),
        total(items.within(2, "purchase")),
        items.touched(2, "click"),
        items.touched(None, "purchase"),
        items.shown(None),
    ]


SHOWN = "request TEXT, item TEXT, place INTEGER, who TEXT, moment TIMESTAMP, arm TEXT, market TEXT, is_bot BOOLEAN"
DONE = "request TEXT, item TEXT, what TEXT, who TEXT, moment TIMESTAMP, worth DOUBLE"
NAMES = {"request": "request", "item": "item", "position": "place", "type": "what", "time": "moment", "user": "who"}


def rows_of(records: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Records as rows."""
    return [tuple(vars(one).values()) for one in records]


@pytest.fixture
def messy(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A connection with a messy log, and the log."""
    shown, done = messy_log(request.param)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE shown ({SHOWN}); CREATE TABLE done ({DONE})")
        fill(connection, "shown", rows_of(shown))
        fill(connection, "done", rows_of(done))
        yield connection, shown, done


def shared(items: Items) -> bool:
    """Whether two items are at one position, so that what counts items has no value."""
    return len(set(items.places.values())) < len(items.places)


def counts_places(name: str) -> bool:
    """Whether a metric counts the items within a cutoff."""
    return "@" in name and not name.startswith(("conversion", "abandonment", "time"))


@pytest.mark.parametrize(("attribution", "within"), each_once(["request", "user"], [None, 1200]))
@pytest.mark.parametrize("messy", seeds(12, 1), indirect=True)
def test_a_log_gives_what_its_twin_finds(messy, attribution, within):
    connection, shown, done = messy
    log = rm.events("shown", "done", **NAMES, value="worth", where="NOT is_bot", attribution=attribution, within=within)
    expected = requests_of(shown, done, by_user=attribution == "user", within=within)
    result = quietly(rm.evaluate, log, [*METRICS, *POOLED], connection=connection)
    found = {request: row for request, *row in result.per_query}
    assert found.keys() == expected.keys()
    for request, items in expected.items():
        for name, own, theirs in zip(METRICS, found[request], values(items), strict=False):
            if not (counts_places(name) and shared(items)):
                assert own == pytest.approx(theirs, abs=1e-9), (request, name)
    summary = {name: value for name, value, *_ in result.summary}
    assert [summary[name] for name in POOLED] == pytest.approx(pooled([*expected.values()]), abs=1e-9)


@pytest.mark.parametrize("grade", ["highest", "sum"])
@pytest.mark.parametrize("messy", seeds(4, 1), indirect=True)
def test_grades_change_no_number(messy, grade):
    """Whatever grades, half-lives and sums make of actions: those of a type are counted. The ranking stays, too."""
    connection, shown, done = messy
    given = {**NAMES, "where": "NOT is_bot", "grades": {"click": 1, "Add to cart": 2}, "grade": grade}
    log = rm.events("shown", "done", **given, value="worth", half_life=60, within=1200)
    asked = ["amount", "actions(type=click)", "cg"]
    expected = requests_of(shown, done, by_user=False, within=1200)
    found = {request: row for request, *row in quietly(rm.evaluate, log, asked, connection=connection).per_query}
    assert {request: row[:2] for request, row in found.items()} == {
        request: pytest.approx([total(items.within(None, "purchase")), len(items.within(None, "click"))])
        for request, items in expected.items()
    }
    alone = quietly(rm.evaluate, log, "cg", connection=connection)
    assert dict(alone.per_query.fetchall()) == pytest.approx({request: row[2] for request, row in found.items()})


@pytest.mark.parametrize("messy", seeds(4, 1), indirect=True)
def test_requests_that_count(messy):
    """Those without an impression are 0 where they are logged; which were clicked, grades say alone."""
    connection, shown, done = messy
    connection.execute("CREATE TABLE asked AS SELECT DISTINCT request FROM shown UNION SELECT 'empty'")
    asked = ["amount", "conversion", "abandonment(type=purchase)", "time_to_first_click"]
    given = {**NAMES, "value": "worth"}
    every = [Shown(*[*vars(one).values()][:-1], is_bot=False) for one in shown]
    expected = requests_of(every, done, by_user=False, within=None)
    logged = rm.events("shown", "done", **given, requests="logged", queries="asked")
    found = {request: row for request, *row in quietly(rm.evaluate, logged, asked, connection=connection).per_query}
    assert found["empty"] == [0, 0, 1, None]
    assert {request: row[0] for request, row in found.items() if request in expected} == {
        request: total(items.within(None, "purchase")) for request, items in expected.items()
    }
    clicked = rm.events("shown", "done", **given, requests="clicked")
    names = {row[0] for row in quietly(rm.evaluate, clicked, asked, connection=connection).per_query}
    assert names == {request for request, items in expected.items() if items.within(None, "click")}


@pytest.mark.parametrize("messy", [3, pytest.param(4, marks=pytest.mark.thorough)], indirect=True)
def test_arms_and_groups(messy):
    """Welch's test of amounts, and the delta method for amounts per click, by pandas and by formula."""
    connection, shown, done = messy
    log = rm.events("shown", "done", **NAMES, value="worth", where="NOT is_bot", arm="arm")
    expected = requests_of(shown, done, by_user=False, within=None)
    arms = {one.request: one.arm for one in shown}
    markets = {one.request: one.market for one in shown}
    frame = pd.DataFrame(
        [(arms[request], markets[request], *_parts(items)[:2]) for request, items in expected.items()],
        columns=["arm", "market", "amount", "clicks"],
    )
    compared = quietly(rm.compare, log, metrics=["amount", "amount_per_click"], baseline="A", connection=connection)
    rows = {row["metric"]: row for row in compared.summary.df().to_dict("records")}
    means, variances, counts = (frame.groupby("arm")["amount"].agg(how) for how in ("mean", "var", "size"))
    assert rows["amount"]["effect_size"] == pytest.approx(means["B"] - means["A"])
    assert rows["amount"]["standard_error"] == pytest.approx((variances / counts).sum() ** 0.5)
    sums = frame.groupby("arm")[["amount", "clicks"]].sum()
    ratios = sums["amount"] / sums["clicks"]
    frame["linear"] = (frame["amount"] - frame["arm"].map(ratios) * frame["clicks"]) / frame["arm"].map(
        frame.groupby("arm")["clicks"].mean()
    )
    error = (frame.groupby("arm")["linear"].var() / counts).sum() ** 0.5
    assert rows["amount_per_click"]["effect_size"] == pytest.approx(ratios["B"] - ratios["A"])
    assert rows["amount_per_click"]["standard_error"] == pytest.approx(error)
    capped = quietly(rm.compare, log, metrics=["amount"], baseline="A", cap={"amount": 25}, connection=connection)
    means = frame["amount"].clip(upper=25).groupby(frame["arm"]).mean()
    assert capped.summary.df()["effect_size"][0] == pytest.approx(means["B"] - means["A"])
    one = rm.events("shown", "done", **NAMES, value="worth", where="NOT is_bot")
    by_market = quietly(
        rm.evaluate, one, ["amount", "time_to_first_click(aggregate=median)"], by="market", connection=connection
    )
    found = {(row[0], row[1]): row[2] for row in by_market.summary}
    for market in ("de", "fr"):
        there = [items for request, items in expected.items() if markets[request] == market]
        assert found[market, "amount"] == pytest.approx(fmean(total(items.within(None, "purchase")) for items in there))
        times = [time for items in there if (time := seconds(items, None, "click")) is not None]
        assert found[market, "time_to_first_click(aggregate=median)"] == (
            pytest.approx(median(times)) if times else None
        )


def of_users(shown: Sequence[Shown]) -> list[Shown]:
    """Impressions whose arm and market are those of their user, so that a request has one."""
    known = {"u": ("A", "de"), "v": ("B", "de"), "w": ("B", "fr"), None: ("A", "fr")}
    return [replace(one, arm=known[one.user][0], market=known[one.user][1]) for one in shown]


def as_ubi(connection: Any, shown: Sequence[Shown], done: Sequence[Done]) -> Any:
    """One table of events, impressions among them; actions name their request."""
    connection.execute(
        "CREATE TABLE ubi_events (query_id TEXT, action_name TEXT,"
        " event_attributes STRUCT(object STRUCT(object_id TEXT), position STRUCT(ordinal INTEGER)),"
        " timestamp TIMESTAMP, arm TEXT, market TEXT, is_bot BOOLEAN, worth DOUBLE)"
    )

    def about(item: Any, place: Any = None) -> dict[str, Any]:
        return {"object": {"object_id": item}, "position": {"ordinal": place}}

    rows: list[tuple[Any, ...]] = [
        (x.request, "impression", about(x.item, x.place), x.moment, x.arm, x.market, x.is_bot, None) for x in shown
    ]
    rows += [(x.request, x.what, about(x.item), x.moment, None, None, None, x.worth) for x in done]
    fill(connection, "ubi_events", rows)
    connection.execute("CREATE TABLE ubi_queries AS SELECT DISTINCT query_id FROM ubi_events")
    return rm.ubi("ubi_queries", "ubi_events", value="worth", position_base=1, within=1800, **COMMON)


COMMON = {"where": "NOT is_bot", "arm": "arm"}
SNOWPLOW = {"click": "list_click", "purchase": "transaction"}


def as_snowplow(connection: Any, shown: Sequence[Shown], done: Sequence[Done]) -> Any:
    """One table of interactions; two of something are worth twice its price."""
    connection.execute(
        "CREATE TABLE interactions (event_id TEXT, ecommerce_action_type TEXT, product_id TEXT,"
        " product_list_position INTEGER, domain_userid TEXT, derived_tstamp TIMESTAMP, app_id TEXT, arm TEXT,"
        " market TEXT, is_bot BOOLEAN, product_price DECIMAL(9, 3), product_quantity INTEGER)"
    )
    rows: list[tuple[Any, ...]] = [
        (x.request, "list_view", x.item, x.place, x.user, x.moment, "web", x.arm, x.market, x.is_bot, 99, None)
        for x in shown
    ]
    for number, x in enumerate(done):
        price, quantity = (x.worth, None) if x.worth is None or number % 2 else (x.worth / 2, 2)
        what = SNOWPLOW.get(str(x.what), x.what)
        rows.append((f"e{number}", what, x.item, None, x.user, x.moment, "web", None, None, None, price, quantity))
    fill(connection, "interactions", rows)
    return rm.snowplow("interactions", position_base=1, **COMMON)


def as_segment(connection: Any, shown: Sequence[Shown], done: Sequence[Done]) -> Any:
    """Views, clicks, and orders of one product each."""
    product = "STRUCT(product_id TEXT, position INTEGER, price DOUBLE, quantity INTEGER)[]"
    connection.execute(
        f'CREATE TABLE viewed (id TEXT, anonymous_id TEXT, "timestamp" TIMESTAMP, products {product}, arm TEXT,'
        ' market TEXT, is_bot BOOLEAN); CREATE TABLE clicked (id TEXT, anonymous_id TEXT, "timestamp" TIMESTAMP,'
        f' product_id TEXT); CREATE TABLE ordered (id TEXT, anonymous_id TEXT, "timestamp" TIMESTAMP,'
        f" products {product})"
    )

    def products(item: Any, place: Any = None, price: Any = None, quantity: Any = None) -> list[dict[str, Any]]:
        return [{"product_id": item, "position": place, "price": price, "quantity": quantity}]

    viewed = [(x.request, x.user, x.moment, products(x.item, x.place), x.arm, x.market, x.is_bot) for x in shown]
    fill(connection, "viewed", viewed)
    fill(connection, "clicked", [("c", x.user, x.moment, x.item) for x in done if x.what == "click"])
    orders = [x for x in done if x.what == "purchase"]
    halves = [products(x.item, None, x.worth and x.worth / 4, 4) for x in orders]
    fill(connection, "ordered", [("o", x.user, x.moment, one) for x, one in zip(orders, halves, strict=True)])
    return rm.segment("viewed", "clicked", ordered="ordered", position_base=1, **COMMON)


def as_ga4(connection: Any, shown: Sequence[Shown], done: Sequence[Done]) -> Any:
    """The export: a request is what a visitor saw at one moment in a list."""
    item = "STRUCT(item_id TEXT, item_list_id TEXT, item_list_name TEXT, item_list_index TEXT, item_revenue DOUBLE)[]"
    connection.execute(
        f"CREATE TABLE export (event_name TEXT, event_timestamp BIGINT, user_pseudo_id TEXT, items {item}, arm TEXT,"
        " market TEXT, is_bot BOOLEAN)"
    )

    def items(name: Any, place: Any = None, worth: Any = None) -> list[dict[str, Any]]:
        index = None if place is None else str(place)
        return [
            {
                "item_id": name,
                "item_list_id": "home",
                "item_list_name": "Home",
                "item_list_index": index,
                "item_revenue": worth,
            }
        ]

    def microseconds(moment: datetime | None) -> int | None:
        return None if moment is None else int((moment - datetime(1970, 1, 1)).total_seconds() * 1_000_000)

    rows: list[tuple[Any, ...]] = [
        ("view_item_list", microseconds(x.moment), x.user, items(x.item, x.place), x.arm, x.market, x.is_bot)
        for x in shown
    ]
    names = {"click": "select_item", None: "page_view"}
    rows += [
        (names.get(x.what, x.what), microseconds(x.moment), x.user, items(x.item, None, x.worth), None, None, None)
        for x in done
    ]
    fill(connection, "export", rows)
    return rm.ga4("export", position_base=1, **COMMON)


def named_by_moment(shown: Sequence[Shown]) -> list[Shown]:
    """Impressions as GA4 has their requests."""
    return [
        replace(one, request=None if None in (one.user, one.moment) else f"{one.user} {one.moment} home")
        for one in shown
    ]


@pytest.mark.parametrize(
    "schema", [as_ga4, *(pytest.param(one, marks=pytest.mark.thorough) for one in (as_ubi, as_snowplow, as_segment))]
)
@pytest.mark.parametrize("messy", seeds(6, 1), indirect=True)
def test_named_schemas_give_what_their_twin_finds(messy, schema):
    connection, shown, done = messy
    shown = of_users(shown)
    named = named_by_moment(shown) if schema is as_ga4 else shown
    expected = requests_of(named, done, by_user=schema is not as_ubi, within=1800)
    lacks = "Add to cart" if schema is as_segment else "nothing"
    metrics = [name for name in METRICS if lacks not in name]
    source = schema(connection, shown, done)
    result = quietly(rm.evaluate, source, [*metrics, *POOLED], connection=connection)
    n_keys = 4 if schema is as_ga4 else 2
    found = {" ".join(map(str, row[1:n_keys])): row[n_keys:] for row in result.per_query}
    assert found.keys() == expected.keys()
    for request, items in expected.items():
        of_twin = [value for name, value in zip(METRICS, values(items), strict=True) if name in metrics]
        for name, own, theirs in zip(metrics, found[request], of_twin, strict=False):
            if not (counts_places(name) and shared(items)):
                assert own == pytest.approx(theirs, abs=1e-9), (request, name)
    arms = {one.request: one.arm for one in named if one.request in expected}
    summary = {(arm, name): value for arm, name, value, *_ in result.summary}
    for arm in set(arms.values()):
        there = [items for request, items in expected.items() if arms[request] == arm]
        assert [summary[arm, name] for name in POOLED] == pytest.approx(pooled(there), abs=1e-9)
    markets = {one.request: one.market for one in named if one.request in expected}
    by_market = quietly(rm.evaluate, source, "amount", by="market", connection=connection)
    assert {(row[0], row[1]): row[3] for row in by_market.summary} == {
        (arm, market): pytest.approx(
            fmean(total(items.within(None, "purchase")) for request, items in expected.items() if in_both(request))
        )
        for arm in set(arms.values())
        for market in set(markets.values())
        for in_both in [lambda request, one=arm, other=market: (arms[request], markets[request]) == (one, other)]
        if any(map(in_both, expected))
    }


@pytest.fixture
def small() -> Iterator[Any]:
    """A log of two requests: one with a purchase of two currencies, and one without an action."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE shown AS FROM (VALUES ('r1', 'a', 1), ('r1', 'b', 2), ('r2', 'a', 1))"
            " rows(request_id, item_id, position); ALTER TABLE shown ADD COLUMN moment TIMESTAMP DEFAULT '2026-01-01'"
        )
        connection.execute(
            "CREATE TABLE done AS FROM (VALUES ('r1', 'a', 'purchase', 10, 'EUR'), ('r1', 'b', 'purchase', 5, 'USD'),"
            " ('r9', 'a', 'purchase', 7, 'GBP'), ('r1', 'b', 'Purchase', 1, 'EUR'))"
            " rows(request_id, item_id, event_type, price, currency);"
            " ALTER TABLE done ADD COLUMN moment TIMESTAMP DEFAULT '2026-01-01 00:00:09'"
        )
        yield connection


def test_a_type_keeps_its_case(small):
    """Types that differ in case alone are two; metrics of both would share a column."""
    log = rm.events("shown", "done", value="price")
    assert quietly(rm.evaluate, log, "amount", connection=small)["amount"] == 15 / 2
    assert quietly(rm.evaluate, log, "amount(type=Purchase)", connection=small)["amount(type=Purchase)"] == 1 / 2
    with pytest.raises(UsageError, match="the types 'Purchase' and 'purchase' would share the column amount_purchase"):
        rm.evaluate(log, ["amount", "amount@1", "amount(type=Purchase)@1"], connection=small)
    with pytest.raises(UsageError, match="'購入' has no letter from a to z and no digit"):
        rm.evaluate(log, "amount(type=購入)", connection=small)


def test_two_currencies(small):
    """They cannot be added; those of other types, or of no request of the log, do not matter."""
    log = rm.events("shown", "done", value="price", currency="currency")
    with pytest.raises(DataError, match=r"the values have two currencies \(currency\), such as 'EUR' and 'USD'"):
        rm.evaluate(log, "amount", connection=small)
    assert quietly(rm.evaluate, log, ["amount(type=Purchase)", "rr"], connection=small)["amount(type=Purchase)"] == 0.5
    assert quietly(rm.evaluate, log, "conversion", connection=small)["conversion"] == 0.5
    euros = "SELECT * FROM done WHERE currency = 'EUR'"
    log = rm.events("shown", euros, value="price", currency="currency")
    assert quietly(rm.evaluate, log, "amount", connection=small)["amount"] == 5


@pytest.mark.parametrize(
    ("metric", "given", "said", "right", "more"),
    [
        (
            "amount",
            {},
            r"adds up values of actions, which a column of the events has.*value=NAME",
            "",
            {"value": "price"},
        ),
        ("amount", {"value": "prize"}, "no column 'prize'", "", {"value": "price"}),
        (
            "time_to_first_click",
            {},
            "needs the time .* Name the column of both: time=NAME",
            "time_to_first_click(type=purchase)",
            {"time": "moment"},
        ),
        (
            "rr",
            {"currency": "currency"},
            r"the currency of the values. Name these, too: value=NAME",
            "",
            {"value": "price"},
        ),
        ("ctr(type=purchase,ties=expected)", {}, "for the actions of a type.*omit ties", "ctr(type=purchase)", {}),
    ],
)
def test_what_a_log_lacks(small, metric, given, said, right, more):
    with pytest.raises((UsageError, DataError), match=said):
        rm.evaluate(rm.events("shown", "done", **given), metric, connection=small)
    assert quietly(
        rm.evaluate, rm.events("shown", "done", **{**given, **more}), right or metric, connection=small
    ).summary


def test_orders_of_segment(small):
    """Purchases are in a table of their own, which has the currency."""
    small.execute(
        "CREATE TABLE viewed AS SELECT 'v' AS id, 'u' AS anonymous_id, TIMESTAMP '2026-01-01' AS \"timestamp\","
        " [{'product_id': 'a', 'position': 1, 'price': 5, 'quantity': 2}] AS products;"
        "CREATE TABLE clicked AS SELECT *, 'a' AS product_id FROM viewed;"
        "CREATE TABLE ordered AS SELECT *, 'EUR' AS currency FROM viewed UNION ALL SELECT *, 'USD' FROM viewed"
    )
    with pytest.raises(
        UsageError, match=r"'amount' adds up values of actions, which a table has\. Name it: ordered=TABLE"
    ):
        rm.evaluate(rm.segment("viewed", "clicked"), "amount", connection=small)
    with pytest.raises(UsageError, match=r"currency= is a column of the orders\. Pass these, too: ordered=TABLE"):
        rm.segment("viewed", "clicked", currency="currency")
    with pytest.raises(DataError, match="two currencies"):
        rm.evaluate(rm.segment("viewed", "clicked", ordered="ordered", currency="currency"), "amount", connection=small)
    both = quietly(rm.evaluate, rm.segment("viewed", "clicked", ordered="ordered"), "amount", connection=small)
    assert both["amount"] == 5 * 2 + 5 * 2


def test_types_that_nobody_did(small):
    log = rm.events("shown", "done", grades={"purchase": 1})
    warning = r"no event has the type 'buy', so metrics of this type are 0 .*There are .* 'amount\(type=\w+\)'\.$"
    with pytest.warns(rm.RankmetricsWarning, match=warning):
        assert rm.evaluate(log, "conversion(type=buy)", connection=small)["conversion(type=buy)"] == 0


def test_other_inputs_have_no_actions(small):
    """Lists have none; a table with the column has what it takes, under any name."""
    with pytest.raises(UsageError, match=r"'amount' counts actions of a log, and lists\(\) has none.*amount_purchase"):
        rm.evaluate(rm.lists("SELECT 1 AS query_id, ['a'] AS items", relevant="items"), "amount", connection=small)
    rows = "SELECT 1 AS query_id, 'a' AS item_id, 1 AS position, 0 AS relevance, 4 AS amount_purchase, 8 AS worth"
    assert quietly(rm.evaluate, rm.labelled(rows), "amount", connection=small)["amount"] == 4
    named = rm.labelled(rows, columns={"amount_purchase": "worth"})
    assert quietly(rm.evaluate, named, "amount", connection=small)["amount"] == 8
    with pytest.raises(DataError, match="no column 'amount_cart'"):
        rm.evaluate(rm.labelled(rows), "amount(type=cart)", connection=small)


IN_DBT = {
    as_ubi: (
        *("from_ubi", {"queries": "ubi_queries", "events": "ubi_events", "within": 1800}),
        *({"columns": {"value": "worth"}}, ["query_id"]),
    ),
    as_snowplow: ("from_snowplow", {"interactions": "interactions"}, {}, ["event_id"]),
    as_segment: ("from_segment", {"viewed": "viewed", "clicked": "clicked", "ordered": "ordered"}, {}, ["view_id"]),
    as_ga4: ("from_ga4", {"events": "export"}, {}, ["visitor", "moment", "list_id"]),
    None: (
        *("from_events", {"impressions": "shown", "events": "done", "attribution": "user", "within": 1800}),
        *({"columns": {**NAMES, "value": "worth"}}, ["request"]),
    ),
}


@pytest.mark.parametrize(
    "schema", [None, *(pytest.param(one, marks=pytest.mark.thorough) for one in IN_DBT if one is not None)]
)
@pytest.mark.parametrize("messy", [1], indirect=True)
def test_macros_of_dbt_give_the_numbers_of_python(messy, schema):
    """Its rows are a table, which a summary reads. Without values, or without times, it has the other numbers."""
    connection, shown, done = messy
    macro, tables, more, keys = IN_DBT[schema]
    types = ["click", "purchase"] + (["Add to cart"] if schema in (None, as_ubi) else [])
    metrics = [name for name in (*METRICS, *POOLED) if "type=Add" not in name or "Add to cart" in types]
    source = (
        rm.events("shown", "done", **NAMES, value="worth", attribution="user", within=1800, **COMMON, position_base=1)
        if schema is None
        else schema(connection, of_users(shown), done)
    )
    expected = quietly(rm.evaluate, source, metrics, connection=connection)
    given = {**tables, "position_base": 1, "where": "NOT is_bot", "context": {"arm": "arm"}, "types": types}
    connection.execute(f"CREATE TABLE counted AS {macros()[macro](**given, **more)}")
    columns = {"query": keys, "position": "position", "run": "arm"}
    asked = {"columns": columns, "options": {"position": "given"}}
    text = macros()["summary"](relation="counted", metrics=metrics, **asked)
    found = {(arm, name): value for arm, name, value, *_ in connection.execute(text).fetchall()}
    wanted = {(arm, name): value for arm, name, value, *_ in expected.summary}
    assert found == pytest.approx(wanted, abs=1e-9, nan_ok=True)
    fewer = macros()[macro](**given, **more, amounts=False, seconds=False)
    names = [name for name, *_ in connection.execute(f"DESCRIBE {fewer}").fetchall()]
    assert [name for name in names if name.startswith(("amount_", "seconds_"))] == []
    assert {"actions_click", "actions_purchase"} < {*names}


@pytest.mark.parametrize("engine", sorted(ENGINES), indirect=True)
def test_actions_in_every_engine(engine):
    """Credited by request and by user, with amounts, counts and times."""
    dialect = engine.dialects[0]
    shown, done = messy_log(5)
    text = dict.fromkeys(("request", "item", "who", "moment"), "text")
    engine.load(
        "shown",
        text | {"place": "bigint"},
        [(x.request, x.item, x.user, None if x.moment is None else str(x.moment), x.place) for x in shown],
    )
    engine.load(
        "done",
        {**text, "what": "text", "worth": "double"},
        [(x.request, x.item, x.user, None if x.moment is None else str(x.moment), x.what, x.worth) for x in done],
    )
    every = [replace(one, is_bot=False) for one in shown]
    names = NAMES | {"time": MOMENT.get(dialect, MOMENT[""])}
    metrics = [name for name in METRICS if not counts_places(name)]
    for attribution, grade in (("request", "sum"), ("user", "highest")):
        log = rm.events("shown", "done", **names, value="worth", attribution=attribution, grade=grade, position_base=1)
        expected = requests_of(every, done, by_user=attribution == "user", within=None)
        text_of = rm.sql(metrics, log, dialect=dialect, level="per_query")
        found = {request: row for request, *row in engine.fetch(text_of)[1]}
        assert found.keys() == expected.keys()
        for request, items in expected.items():
            wanted = [one for name, one in zip(METRICS, values(items), strict=True) if name in metrics]
            for name, own, theirs in zip(metrics, found[request], wanted, strict=True):
                assert own == pytest.approx(theirs, abs=1e-3 if "time" in name else 1e-9), (request, name)
        pooled_text = rm.sql(POOLED[:2], log, dialect=dialect)
        assert [row[1] for row in engine.fetch(pooled_text)[1]] == pytest.approx(pooled([*expected.values()])[:2])
