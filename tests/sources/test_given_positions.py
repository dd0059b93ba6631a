"""Positions of a log as people saw them: gaps stay, and of two items at one position nothing is counted twice."""

from __future__ import annotations

import random
from collections import defaultdict

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics

from ..conftest import fill, quietly
from ..everything import seeds

# Those whose value follows from single places, or from none, as the headers have them; others count on each place.
OF_ONE_PLACE = {"rr", "success@3", "abandonment@3", "first_click_position", "last_click_position", "mrr_clicks"}
OF_NO_PLACE = {"p", "r", "f", "clicks", "ctr", "cg", "num_rel_ret", "num_ret", "set_ap"}
OF_PLACES = {
    "p@3",
    "r@3",
    "f@3",
    "ndcg@3",
    "ndcg",
    "ap",
    "ap@3",
    "ctr@3",
    "clicks@3",
    "rbp",
    "err",
    "bpref",
    "auc",
    "dcg",
}


def random_log(seed: int, shares: bool) -> tuple[list[tuple[str, str, int, str]], list[tuple[str, str, str]]]:
    """Requests with gaps, and if wanted with items at one position; and clicks."""
    chance = random.Random(seed)
    shown, done = [], []
    for number in range(40):
        places = chance.choices(range(1, 7), k=4) if shares and number % 3 else chance.sample(range(1, 9), 4)
        for item, place in zip("abcd", places, strict=True):
            shown.append((f"r{number}", item, place, "new" if number % 2 else "old"))
            if chance.random() < 0.4:
                done.append((f"r{number}", item, "click"))
    return shown, done


@pytest.fixture
def place():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE shown (request_id TEXT, item_id TEXT, position INTEGER, arm TEXT)")
        connection.execute("CREATE TABLE done (request_id TEXT, item_id TEXT, event_type TEXT)")
        yield connection


def placed(shown, done):
    """Of each request the position and the click of each item."""
    clicked = set(map(tuple, (row[:2] for row in done)))
    found = defaultdict(list)
    for request, item, position, _ in shown:
        found[request].append((position, (request, item) in clicked))
    return found


def shares(rows):
    return len({position for position, _ in rows}) < len(rows)


def twin(name: str, rows: list[tuple[int, bool]]) -> float | None:
    """A value from the formula, over positions as they are."""
    hits = [position for position, is_clicked in rows if is_clicked]
    within = [position for position in hits if position <= 3]
    own = not shares(rows)
    return {
        "rr": 1 / min(hits) if hits else 0.0,
        "success@3": float(bool(within)),
        "first_click_position": float(min(hits)) if hits else None,
        "mrr_clicks": sum(1 / position for position in hits) / len(hits) if hits else None,
        "p": len(hits) / len(rows),
        "clicks": float(len(hits)),
        "p@3": len(within) / 3 if own else None,
        "clicks@3": float(len(within)) if own else None,
    }[name]


TWINS = ["rr", "success@3", "first_click_position", "mrr_clicks", "p", "clicks", "p@3", "clicks@3"]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("seed", seeds(12, 2))
def test_positions_are_what_people_saw(place, seed, shared):
    shown, done = random_log(seed, shared)
    fill(place, "shown", shown)
    fill(place, "done", done)
    log = rm.events("shown", "done")
    result = quietly(rm.evaluate, log, TWINS, connection=place)
    rows = placed(shown, done)
    expected = {request: [twin(name, found) for name in TWINS] for request, found in rows.items()}
    assert {name: values for name, *values in result.per_query} == {
        name: [None if value is None else pytest.approx(value, abs=1e-12) for value in values]
        for name, values in expected.items()
    }
    by_hand = """
        SELECT AVG(rr) FROM (
            SELECT s.request_id, COALESCE(1 / MIN(CASE WHEN d.item_id IS NOT NULL THEN s.position END), 0) AS rr
            FROM shown s LEFT JOIN done d ON d.request_id = s.request_id AND d.item_id = s.item_id
            GROUP BY s.request_id
        )"""
    assert result["rr"] == pytest.approx(place.execute(by_hand).fetchall()[0][0], abs=1e-12)
    n_shared = sum(map(shares, rows.values()))
    counts = {row["metric"]: row["n_queries"] for row in result.summary.dicts()}
    assert counts == {
        name: sum(own[number] is not None for own in expected.values()) for number, name in enumerate(TWINS)
    }
    said = [text for text in result.warnings if "two items at one position" in text]
    assert len(said) == bool(n_shared)
    assert all(f"{n_shared} quer" in text and "position=dense numbers the items" in text for text in said)
    text = rm.sql(TWINS, log, level="per_query", connection=place)
    written = {name: values for name, *values in place.execute(text).fetchall()}
    assert written == {name: pytest.approx(values, abs=1e-12) for name, *values in result.per_query}


@pytest.mark.parametrize("seed", seeds(6, 1))
def test_nothing_passes_its_range_and_no_id_decides(place, seed):
    """Metrics of shared places give the same whatever the items are called, all others no value."""
    shown, done = random_log(seed, True)
    names = sorted(OF_ONE_PLACE | OF_NO_PLACE | OF_PLACES)
    found = []
    for renamed in ({}, dict(zip("abcd", "dcba", strict=True))):
        place.execute("DELETE FROM shown; DELETE FROM done")
        fill(place, "shown", [(row[0], renamed.get(row[1], row[1]), *row[2:]) for row in shown])
        fill(place, "done", [(row[0], renamed.get(row[1], row[1]), row[2]) for row in done])
        found.append(quietly(rm.evaluate, rm.events("shown", "done"), names, connection=place).per_query.fetchall())
    assert found[0] == found[1]
    shared = {request for request, rows in placed(shown, done).items() if shares(rows)}
    ranges = {name: metrics()[name.partition("@")[0]].range for name in names}
    for request, *values in found[0]:
        for name, value in zip(names, values, strict=True):
            if request in shared:
                assert (value is None) == (name in OF_PLACES) or name.endswith("clicks") or "position" in name
            if value is not None and ranges[name] is not None:
                assert ranges[name][0] <= value <= ranges[name][1], (name, request)


def test_arms_are_compared_without_what_has_no_value(place):
    shown, done = random_log(5, True)
    fill(place, "shown", shown)
    fill(place, "done", done)
    found = quietly(
        rm.compare, rm.events("shown", "done", arm="arm"), None, None, ["rr", "p@3"], baseline="old", connection=place
    )
    rows = placed(shown, done)
    of_arm = {request: arm for request, _, _, arm in shown}
    means = {
        (name, arm): [twin(name, rows[request]) for request in rows if of_arm[request] == arm]
        for name in ("rr", "p@3")
        for arm in ("old", "new")
    }
    known = {key: [value for value in values if value is not None] for key, values in means.items()}
    for row in found.summary.dicts():
        new, old = known[row["metric"], "new"], known[row["metric"], "old"]
        assert row["effect_size"] == pytest.approx(sum(new) / len(new) - sum(old) / len(old), abs=1e-12)
        assert row["n_queries"] == len(new) + len(old)


def test_points_of_a_curve_leave_such_lists_out(place):
    shown, done = random_log(7, True)
    fill(place, "shown", shown)
    fill(place, "done", done)
    points = quietly(rm.curve, rm.events("shown", "done"), "pr_curve", connection=place).per_query
    rows = placed(shown, done)
    hits = {request: sorted(position for position, clicked in found if clicked) for request, found in rows.items()}
    expected = [
        (request, pytest.approx(n / len(places)), pytest.approx(n / position))
        for request, places in sorted(hits.items())
        if not shares(rows[request])
        for n, position in enumerate(places, 1)
    ]
    assert sorted(map(tuple, points)) == expected


@pytest.mark.parametrize("position", [3, 62, 63, 64, 500])
def test_shared_positions_far_down(place, position):
    """Positions are bits of one number up to 62, where DuckDB looks for two that are the same."""
    places = sorted({1, 2, 61, 62, 63, 64, 100, 500})
    fill(place, "shown", [("q", f"i{number}", number, "") for number in places] + [("q", "x", position, "")])
    fill(place, "done", [("q", "i2", "click")])
    result = quietly(rm.evaluate, rm.events("shown", "done"), ["p@2", "rr"], connection=place)
    alone = position not in places
    assert [tuple(row) for row in result.per_query] == [("q", 0.5 if alone else None, 0.5)]


def test_a_profile_numbers_lists_as_its_tool_does(place):
    fill(place, "shown", [("q", "a", 2, ""), ("q", "b", 5, "")])
    fill(place, "done", [("q", "b", "click")])
    log = rm.events("shown", "done")

    def rr(**options):
        return quietly(rm.evaluate, log, "rr", connection=place, **options)["rr"]

    assert (rr(), rr(position="dense"), rr(profile="trec_eval")) == (1 / 5, 1 / 2, 1 / 2)
    assert rr(profile="trec_eval", position="given") == 1 / 5
    for options in ({"ties": "expected"}, {"unjudged": "drop"}, {"strategy": "count"}):
        with pytest.raises(rm.UsageError, match="pass position=dense"):
            rr(**options)
        assert rr(**options, position="dense") == 1 / 2


def test_labelled_tables_stay_as_they_are(place):
    place.execute(
        "CREATE TABLE t AS FROM (VALUES ('q', 'a', 2, 0), ('q', 'b', 5, 1))"
        " AS r(query_id, item_id, position, relevance)"
    )
    assert quietly(rm.labelled, "t", "rr", connection=place)["rr"] == 1 / 2
    place.execute("INSERT INTO t VALUES ('q', 'c', 5, 1)")
    with pytest.raises(rm.DataError, match="needs each position once in a query"):
        rm.labelled("t", "rr", connection=place, position="given")
    text = rm.sql(["p@5", "rr"], labelled="t", level="per_query", connection=place, position="given")
    assert place.execute(text).fetchall() == [("q", None, 1 / 5)]
