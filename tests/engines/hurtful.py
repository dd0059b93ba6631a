"""Tables made to hurt: every way in which two engines may see other rows, another order or another number.

Ids that differ in case, in Unicode's forms, in trailing spaces, that are empty or look like numbers; equal scores,
scores that differ beyond 32 bits, the largest and the smallest there are, and none; grades below zero, between whole
numbers and missing; queries that one side lacks, lists of one item, and one list of 10,000.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

QUERIES = (
    "q001", "Q001", "caf\u00e9", "cafe\u0301", "end", "end ", "", "\uff21", "\U0001f600", "10", "9", "1e1", "o'clock",
    "tied", "numbers", "single", "none", "ungraded", "lost",
)  # fmt: skip
ITEMS = (
    "a", "A", "a ", " a", "", "\u00e9", "e\u0301", "\uff21", "\U0001f600", "9", "10", "010", "1e1", 'x"y', "x,y", "d'9",
    "\u00df", "ss", "Z", "_", "b-c", "%", "\\",
)  # fmt: skip
LONG, LONG_LENGTH = "long", 10_000
MARKETS = ("de", "DE", None)
SCORES = (0.1, 0.3, 0.3, 1.0, 2.5, -1.0)
# Beyond 32 bits: neighbours in 64, the largest numbers, the smallest.
NUMBERS = (0.1, 0.1 + 1e-9, 0.1 - 1e-12, 1e308, 1.7e308, -1e308, 5e-324, 1e-320, 0.0, -5e-324)
SESSIONS = (3.0, 0.5, None, 0.0)
GRADES = (-2.0, 0.0, 0.0, 0.5, 1.0, 1.0, 2.0, 3.0, None)


@dataclass(frozen=True)
class Table:
    """Columns with their kind (text, double or bigint), and rows."""

    columns: Mapping[str, str]
    rows: Sequence[tuple[Any, ...]]


def tables() -> dict[str, Table]:
    """All tables by name."""
    ids = {"query_id": "text", "item_id": "text"}
    score, grade = {"score": "double"}, {"relevance": "double"}
    return {
        "runs": Table(ids | score, list(_run(1))),
        "other_runs": Table(ids | score, list(_run(2))),
        "ranked_runs": Table(ids | score | {"place": "bigint"}, list(_ranked(1))),
        "ranked_other_runs": Table(ids | score | {"place": "bigint"}, list(_ranked(2))),
        "reference_run": Table(ids | grade, list(_ranks(2))),
        "long_runs": Table(ids | score, list(_run(8, (LONG, *QUERIES[:4])))),
        "systems": Table(
            {"run_id": "text"} | ids | score,
            [(name, *row) for name, seed in (("new", 1), ("New", 2), ("old", 3)) for row in _run(seed)],
        ),
        "labels": Table(ids | grade | {"market": "text"}, list(_judgments(QUERIES))),
        "long_labels": Table(ids | grade | {"market": "text"}, list(_judgments((LONG, *QUERIES[:5])))),
        "intents": Table(ids | {"intent": "text"} | grade, list(_intents())),
        "impressions": Table(ids | {"place": "bigint"} | score | grade | {"known": "bigint"}, list(_impressions())),
        "clicks": Table({"query_id": "bigint", "item_id": "bigint"} | score | grade, list(_clicks())),
        "catalogue": Table({"item_id": "text", "popularity": "double", "category": "text"}, list(_catalogue())),
        "chosen": Table(
            {"query_id": "text", "segment": "text", "sessions": "double"},
            [(query, query[:1], SESSIONS[number % 4]) for number, query in enumerate(QUERIES[::2])],
        ),
    }


@cache
def _items(query: str) -> tuple[str, ...]:
    return tuple(f"n{number}" for number in range(LONG_LENGTH)) if query == LONG else ITEMS


def _run(seed: int, queries: Sequence[str] = (*QUERIES[:-1], "unasked")) -> Iterator[tuple[str, str, float | None]]:
    """Query, item and score; one judged query has no results, and one is not judged."""
    rng = random.Random(seed)
    for query in queries:
        items = rng.sample(_items(query), LONG_LENGTH if query == LONG else 1 if query == "single" else 12)
        for number, item in enumerate(items):
            yield query, item, _score(query, number, rng)


def _ranks(seed: int) -> Iterator[tuple[str, str, float]]:
    """Query, item and 1 over its place in a run, of one without results for a query."""
    places: dict[str, int] = {}
    for query, item, _ in _run(seed, QUERIES[2:]):
        places[query] = places.get(query, 0) + 1
        yield query, item, 1 / places[query]


def _ranked(seed: int) -> Iterator[tuple[str, str, float | None, int]]:
    """A run, and a place for each item of a query, with gaps and in no order of the scores."""
    rng = random.Random(seed)
    lists: dict[str, list[tuple[str, float | None]]] = {}
    for query, item, score in _run(seed):
        lists.setdefault(query, []).append((item, score))
    for query, rows in lists.items():
        for (item, score), place in zip(rows, rng.sample(range(1, 2 * len(rows)), len(rows)), strict=True):
            yield query, item, score, place


def _score(query: str, number: int, rng: random.Random) -> float | None:
    if query == "tied":
        return 0.5
    if query == "numbers":
        return NUMBERS[number % len(NUMBERS)]
    if query == "end" and number % 3 == 0:
        return None
    return rng.randrange(2000) / 8 if query == LONG else rng.choice(SCORES)


def _judgments(queries: Sequence[str]) -> Iterator[tuple[str, str, float | None, str | None]]:
    """Query, item, grade and market; one query has nothing relevant, one has no grade at all."""
    rng = random.Random(4)
    for number, query in enumerate(queries):
        grades = {"none": (0.0, -1.0), "ungraded": (None,), "single": (2.0,)}.get(query, GRADES)
        items = _items(query) if query == "single" else rng.sample(_items(query), 40 if query == LONG else 14)
        for item in items:
            yield query, item, rng.choice(grades), MARKETS[number % len(MARKETS)]


def _intents() -> Iterator[tuple[str, str, str, float | None]]:
    """Query, item, subtopic and grade."""
    rng = random.Random(5)
    for query in QUERIES[:-4]:
        for item in rng.sample(ITEMS, 10):
            for intent in rng.sample(("x", "X", "y"), rng.randint(1, 3)):
                yield query, item, intent, rng.choice((0.0, 0.0, 1.0, 1.0, 2.0, None))


def _catalogue() -> Iterator[tuple[str, float | None, str | None]]:
    """Item, popularity and category, several or none of an item; it lacks items that are shown, and has others."""
    rng = random.Random(9)
    for item in (*ITEMS[3:], "never shown"):
        popularity = rng.choice((None, 0.0, 0.125, 0.3, 1.0))
        for category in rng.sample(("x", "X", "\u00e9", "e\u0301", "y "), rng.randint(0, 3)) or [None]:
            yield item, popularity, category


def _impressions() -> Iterator[tuple[str, str, int, float, float | None, int]]:
    """Query, item, place with gaps, score, label and the number of relevant items that are known."""
    rng = random.Random(6)
    for query in QUERIES[:-1]:
        items = rng.sample(ITEMS, 1 if query == "single" else rng.randint(2, 15))
        labels = [rng.choice(GRADES) for _ in items]
        known = sum(label is not None and label >= 1 for label in labels) + rng.randint(0, 3)
        places = sorted(rng.sample(range(1, 30), len(items)))
        for item, label, place in zip(items, labels, places, strict=True):
            yield query, item, place, rng.choice(SCORES), label, known


def _clicks() -> Iterator[tuple[int, int, float, float | None]]:
    """Ids that are numbers: 9 comes after 10 in the order of their bytes."""
    rng = random.Random(7)
    for query in (9, 10, 100, 2**53 + 1, -3):
        for item in rng.sample((1, 2, 9, 10, 11, 100, 19, 2**62, -1), 8):
            yield query, item, rng.choice((1.0, 2.0)), rng.choice((0.0, 1.0, 2.0, None))
