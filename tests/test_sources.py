"""Lists, event logs and ratings in place of a run and judgments: the same rows as a twin in Python finds."""

from __future__ import annotations

import random
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.errors import DataError, UsageError

from .conftest import quietly
from .everything import seeds

START = datetime(2026, 1, 1)  # noqa: DTZ001 - logs have no time zone
GRADES = {"click": 1, "cart": 2, "purchase": 3}
NAMES = {"request": "request", "item": "item", "position": "place", "type": "what", "time": "moment", "user": "who"}
SHOWN = ("request", "item", "place", "who", "moment", "app")
DONE = ("request", "item", "what", "who", "moment")


def random_log(seed: int) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Impressions and events with all that can be wrong with them."""
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
    done = [
        (some("abcdefghz"), some("pqrst"), some(("click", "cart", "purchase", "scroll")), some("uvw"), moment())
        for _ in range(80)
    ]
    return shown, done


def first_reason(*checks: tuple[bool, str]) -> str | None:
    """The first that applies."""
    return next((reason for applies, reason in checks if applies), None)


def twin(shown: Any, done: Any, by_user: bool, within: float | None, grade: str, base: Any, requests: str) -> Any:
    """The rows to score by request and item, and how many rows of both inputs were used or not, as the rules say."""
    lowest: dict[str, int] = {}
    for _, _, place, _, _, app in shown:
        if place is not None:
            lowest[app or ""] = min(lowest.get(app or "", 9), place)
    quality: Counter[tuple[str, str]] = Counter()
    places: dict[tuple[str, str], int] = {}
    times: dict[tuple[str, str], list[datetime]] = {}
    users: dict[tuple[str, str], list[str]] = {}
    for request, item, place, user, at, app in shown:
        own = base if base != "auto" else (0 if lowest.get(app or "", 9) <= 0 else 1)
        reason = first_reason(
            (request is None, "no request"),
            (item is None, "no item"),
            (place is None, "no position"),
            (place is not None and place < own, "position below the base"),
            ((request, item) in places, "repeated impression"),
        )
        quality["impressions", reason or "used"] += 1
        if reason in (None, "repeated impression"):
            key = (request, item)
            places[key] = min(places.get(key, 99), place - own + 1)
            times.setdefault(key, []).extend([at] if at else [])
            users.setdefault(key, []).extend([user] if user else [])
    seen = {key: (min(times[key], default=None), min(users[key], default=None)) for key in places}
    credited: dict[tuple[str, str, str], int] = {}
    for request, item, what, user, at in done:
        key, shown_at = (request, item), None
        if by_user and None not in (user, item, at):
            before = [
                (-(when - START).total_seconds(), one)
                for one, (when, who) in seen.items()
                if one[1] == item and who == user and when is not None and when <= at
            ]
            key = min(before)[1] if before else (None, item)
        if key in seen:
            shown_at = seen[key][0]
        needs_time = by_user or within is not None
        late = None if shown_at is None or at is None else (at - shown_at).total_seconds()
        reason = first_reason(
            (what not in GRADES, "other action"),
            ((user if by_user else request) is None, "no user" if by_user else "no request"),
            (item is None, "no item"),
            (needs_time and at is None, "no time"),
            (key not in seen, "not shown"),
            (within is not None and late is None, "shown at no time"),
            (within is not None and late is not None and late < 0, "before it was shown"),
            (within is not None and late is not None and late > (within or 0), "too late"),
            ((*key, what) in credited, "repeated action"),
        )
        quality["events", reason or "used"] += 1
        if reason is None:
            credited[(*key, what)] = GRADES[what]
    rows = {}
    for (request, item), place in places.items():
        grades = [number for (*key, _), number in credited.items() if key == [request, item]]
        rows[request, item] = (place, (max(grades) if grade == "highest" else sum(grades)) if grades else 0)
    if requests == "clicked":
        clicked = {request for request, _, _ in credited}
        rows = {key: row for key, row in rows.items() if key[0] in clicked}
    return rows, quality


@pytest.fixture
def logged(request: pytest.FixtureRequest):
    """A connection with a random log, and the log."""
    shown, done = random_log(request.param)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE shown ({', '.join(f'{name} TEXT' for name in SHOWN)})")
        connection.execute("ALTER TABLE shown ALTER place TYPE INTEGER; ALTER TABLE shown ALTER moment TYPE TIMESTAMP")
        connection.executemany("INSERT INTO shown VALUES (?, ?, ?, ?, ?, ?)", shown)
        connection.execute("CREATE TABLE done (request TEXT, item TEXT, what TEXT, who TEXT, moment TIMESTAMP)")
        connection.executemany("INSERT INTO done VALUES (?, ?, ?, ?, ?)", done)
        yield connection, shown, done


@pytest.mark.parametrize("logged", seeds(30, 1), indirect=True)
@pytest.mark.parametrize("within", [None, 0, 600])
@pytest.mark.parametrize("attribution", ["request", "user"])
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
        rows, quality = twin(shown, done, attribution == "user", within, grade, base, requests)
        if not rows:
            continue
        result = quietly(rm.evaluate, log, ["cg", "num_ret", "p@1"], connection=connection)
        by_request = {name: [row for (request, _), row in rows.items() if request == name] for name, _ in rows}
        assert {name: values[:2] for name, *values in result.per_query} == {
            name: [sum(grade for _, grade in found), len(found)] for name, found in by_request.items()
        }
        assert {tuple(row[:2]): row[2] for row in result.data_quality} == dict(quality)
        assert sum(row[2] for row in result.data_quality) == len(shown) + len(done)
        unique = [name for name, found in by_request.items() if len({place for place, _ in found}) == len(found)]
        firsts = {name: values[2] for name, *values in result.per_query}
        for name in unique:
            assert firsts[name] == float(min(by_request[name])[1] >= 1)


SMALL_SHOWN = [("a", "x", 0), ("a", "y", 1), ("b", "x", 0), ("b", "z", 1)]
SMALL_DONE = [("a", "y", "click"), ("b", "x", "click"), ("b", "x", "click")]


@pytest.fixture
def small():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE shown (request TEXT, item TEXT, place INTEGER)")
        connection.executemany("INSERT INTO shown VALUES (?, ?, ?)", SMALL_SHOWN)
        connection.execute("CREATE TABLE done (request TEXT, item TEXT, what TEXT)")
        connection.executemany("INSERT INTO done VALUES (?, ?, ?)", SMALL_DONE)
        yield connection


SIMPLE = {name: NAMES[name] for name in ("request", "item", "position", "type")}


def test_the_first_number_of_a_log(small):
    log = rm.events("shown", "done", **SIMPLE)
    assert rm.evaluate(log, "rr", connection=small)["rr"] == (1 / 2 + 1) / 2
    assert rm.sql("rr", log, header=False).count("rankmetrics_shown AS (") == 1
    text = rm.sql("rr", log)
    assert small.execute(text).fetchall() == [("rr", 0.75, 2)]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"grades": {}}, "grades maps types of events"),
        ({"grades": {"click": 0}}, "no number above 0"),
        ({"grade": "lowest"}, "grade is one of highest, sum, not lowest"),
        ({"attribution": "session"}, "attribution is one of"),
        ({"attribution": "user"}, "needs the column of the time"),
        ({"attribution": "user", "time": "moment"}, "needs the column of the user"),
        ({"within": 60}, "within needs the column of the time"),
        ({"within": "soon", "time": "moment"}, "'30 minutes'"),
        ({"within": -1, "time": "moment"}, "within is a number of seconds"),
        ({"position_base": 2}, "position_base is one of"),
        ({"requests": "logged"}, "requests is one of"),
        ({"event_columns": {"place": "x"}}, "is none of request, item, time, user, type"),
    ],
)
def test_rules_that_cannot_be_meant(rules, said):
    with pytest.raises(UsageError, match=said):
        rm.events("shown", "done", **SIMPLE, **rules)


def test_a_column_that_is_not_there(small):
    log = rm.events("shown", "done", **(SIMPLE | {"item": "itme"}))
    with pytest.raises(DataError, match="shown: no column 'itme' for item.*Did you mean 'item'"):
        rm.evaluate(log, "rr", connection=small)


def test_what_is_said_once(small):
    log = rm.events("shown", "done", **SIMPLE)
    with pytest.raises(UsageError, match="columns are said there"):
        rm.evaluate(log, "rr", columns={"item_id": "item"}, connection=small)
    with pytest.raises(UsageError, match="judgments of its own"):
        rm.evaluate(log, {"a": ["x"]}, ["rr"], connection=small)


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
        connection.executemany("INSERT INTO recs VALUES (?, ?, ?, ?)", LISTS)
        yield connection


def test_lists_of_items(recommended):
    result = quietly(
        rm.evaluate, rm.lists("recs", "who", "items", "liked"), ["rr", "r@3", "p@1"], connection=recommended
    )
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
    with pytest.raises(DataError, match="market.*VARCHAR, no list"):
        rm.evaluate(rm.lists("recs", "who", "market", "liked"), ["rr"], connection=recommended)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_lists_in_frames(kind):
    library = pytest.importorskip(kind)
    columns = {"query_id": [1, 2], "items": [["a", "b"], ["c"]], "liked": [["b"], ["x"]]}
    frame = library.table(columns) if kind == "pyarrow" else library.DataFrame(columns)
    assert rm.evaluate(rm.lists(frame, relevant="liked"), ["rr"])["rr"] == 0.25


RATINGS = [("u", "a", 5, 0.9), ("u", "b", 2, 0.8), ("u", "c", None, 0.95), ("u", "d", 4, None), ("v", "a", 4, 0.1)]


@pytest.mark.parametrize(
    ("threshold", "values"), [(None, {"u": [5, 1.0], "v": [4, 1.0]}), (4.5, {"u": [1, 1], "v": [0, 0]})]
)
def test_ratings(threshold, values):
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE rated (user_id TEXT, item_id TEXT, rating INTEGER, predicted DOUBLE)")
        connection.executemany("INSERT INTO rated VALUES (?, ?, ?, ?)", RATINGS)
        source = rm.ratings("rated", threshold=threshold)
        result = quietly(
            rm.evaluate, source, ["cg@2", "p@2(rel=4)" if threshold is None else "p@2"], connection=connection
        )
        # of u, c is first and not rated, a second, b third; d has no prediction
        assert {name: list(found) for name, *found in result.per_query} == {
            name: [gain, hits / 2] for name, (gain, hits) in values.items()
        }
        assert list(result.data_quality) == [
            ("ratings", "no prediction", 1),
            ("ratings", "used", 3),
            ("ratings", "used, not rated", 1),
        ]
    with pytest.raises(UsageError, match="threshold is a number"):
        rm.ratings("rated", threshold="4")
