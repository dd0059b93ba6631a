"""A small set of statements in which every pair of option values stands, found greedily and by a fixed seed.

First come statements for the pairs of what holds for a whole statement; then each gets metrics, with options that a
metric has for itself, until the other pairs stand somewhere too. A metric more costs little where its ranking is there.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .options import ASKED, LEVELS, Asked, Pair, default, obeyed, of_row, of_statement, possible, values, written

SEED = 5
TRIES = 8  # what is made before the best of it is taken
RANKED = ("ties", "score_type", "queries", "unjudged", "negative_grades", "judgments", "depth")
STAGES = 60  # of a statement at most: MariaDB takes 64, and some are in its text only
METRICS = 16  # of a statement at most
NAME = 48  # characters of a metric string: PostgreSQL's names of columns have 63, with what is put before and after
WORTH = 0.03  # of a value: one for a new pair, a little for what may become one
COST = {True: 1, False: 4}  # of a metric, whether its ranking is there or not


class Search:
    """The pairs that no statement has yet."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self.found: list[Asked] = []
        self.left = set(pairs)
        self.chance = random.Random(SEED)
        self._count()

    def _count(self) -> None:
        self.lacks = Counter(value for pair in self.left for value in pair)

    def statements(self) -> list[Asked]:
        """Statements until no pair is left."""
        wholes = {frozenset(pair) for level in LEVELS for pair in _both(of_statement(level))}
        while left := sorted((pair for pair in self.left if _names(pair) in wholes), key=_in_order):
            tried = [self._whole(possible()[self.chance.choice(left)]) for _ in range(TRIES)]
            self._settle(max(tried, key=lambda asked: len(asked.pairs() & self.left)))
        while self.left:
            self._give_room(self.chance.choice(sorted(self.left, key=_in_order)))
        return self.found

    def _settle(self, asked: Asked) -> None:
        self.found.append(asked)
        self.left -= asked.pairs()
        self._count()

    def _whole(self, start: Asked) -> Asked:
        """A statement of one metric around a pair."""
        asked = _copy(start)
        self._fill(asked, asked.given, of_statement(asked.level))
        metric, own = asked.rows[0]
        self._fill(asked, own, of_row(metric), len(metric) + 1000)
        return Asked(asked.level, asked.given | own, [(metric, {})])

    def _give_room(self, pair: Pair) -> None:
        """Have a pair stand in one of the statements, as another metric; or in one of its own."""
        rows = [(asked, row) for asked in self._hosts(pair) for row in self._rows(asked, pair)]
        rows.sort(key=lambda found: self._worth(*found), reverse=True)
        found = next(((asked, row) for asked, row in rows if _beside(asked, row).n_stages() <= STAGES), None)
        if found is None:
            self._settle(self._whole(possible()[pair]))
            return
        asked, row = found
        asked.rows.extend(row.rows)
        self.left -= row.pairs()
        self._count()

    def _worth(self, asked: Asked, row: Asked) -> float:
        there = _ranking(row.rows[0][1]) in [_ranking(own) for _, own in asked.rows]
        return len(row.pairs() & self.left) / COST[there]

    def _hosts(self, pair: Pair) -> list[Asked]:
        """Statements that take a metric more, and have of the pair what holds for a whole statement."""
        found = [asked for asked in self.found if len(asked.rows) < METRICS and _holds(asked, pair)]
        return self.chance.sample(found, min(TRIES, len(found)))

    def _rows(self, asked: Asked, pair: Pair) -> Iterator[Asked]:
        """Metrics beside those of a statement by which the pair stands in it."""
        whole = of_statement(asked.level)
        wanted = {name: value for name, value in pair if name not in whole}
        able = [metric for metric in ASKED if wanted.keys() <= set(obeyed(asked.level, metric))]
        own = {name: value for name, value in wanted.items() if value != asked.given.get(name, default(name))}
        rankings = [_ranking(others) for _, others in asked.rows]
        for metric in self.chance.sample(able, min(2, len(able))):
            for ranking in [*rankings[:1], *rankings[-1:], None]:
                row = Asked(asked.level, asked.given, [(metric, {**(ranking or {}), **own})])
                is_other = ranking is not None and _ranking(row.rows[0][1]) != ranking
                if is_other or row.is_refused() or len(written(*row.rows[0])) > NAME:
                    continue
                names = [name for name in of_row(metric) if ranking is None or name not in RANKED]
                self._fill(row, row.rows[0][1], [name for name in names if name not in wanted])
                if pair in row.pairs():
                    yield row

    def _fill(self, asked: Asked, chosen: dict[str, Any], names: Sequence[str], longest: int = NAME) -> None:
        """Give the options that have no value yet the one that makes most new pairs, if the package takes it."""
        [(metric, own)] = asked.rows
        known = obeyed(asked.level, metric)
        for name in self.chance.sample(names, len(names)):
            if name in chosen or name not in known:
                continue
            there = asked.given.get(name, default(name))
            gains = [(self._gain(asked, name, value), number) for number, value in enumerate(values(name))]
            for gain, number in sorted(gains, reverse=True):
                value = values(name)[number]
                if value == there or gain < WORTH:
                    break
                chosen[name] = value
                if not asked.is_refused() and len(written(metric, own)) <= longest:
                    break
                del chosen[name]

    def _gain(self, asked: Asked, name: str, value: Any) -> float:
        """The new pairs that a value makes, and a little for those that it may make with what is chosen later."""
        [(metric, own)] = asked.rows
        known = obeyed(asked.level, metric)
        given = {other: chosen for other, chosen in asked.given.items() if other in known}
        others = {other: default(other) for other in known} | given | own
        pairs = (frozenset([(name, value), (other, chosen)]) for other, chosen in others.items() if other != name)
        new = sum(pair in self.left for pair in pairs)
        return new + min(self.lacks[name, value], 50) / 50 + self.chance.random() / 100


def _copy(asked: Asked) -> Asked:
    return Asked(asked.level, dict(asked.given), [(metric, dict(own)) for metric, own in asked.rows])


def _beside(asked: Asked, row: Asked) -> Asked:
    return Asked(asked.level, asked.given, [*asked.rows, *row.rows])


def _both(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    return ((one, other) for one in names for other in names if one < other)


def _names(pair: Pair) -> frozenset[str]:
    return frozenset(name for name, _ in pair)


def _holds(asked: Asked, pair: Pair) -> bool:
    whole = of_statement(asked.level)
    own = {name for name, _ in pair if name not in whole}
    given = {name: default(name) for name in whole} | asked.given
    known = any(own <= set(obeyed(asked.level, metric)) for metric in ASKED)
    return known and all(given[name] == value for name, value in pair if name in whole)


def _ranking(own: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in own.items() if name in RANKED}


def _in_order(pair: Pair) -> list[str]:
    return sorted(map(repr, pair))


def statements(there: Iterable[Pair] = ()) -> list[Asked]:
    """Statements in which every pair that may stand together does, but for those that stand elsewhere."""
    return needed(Search(possible().keys() - set(there)).statements())


def needed(found: Sequence[Asked]) -> list[Asked]:
    """The same without metrics whose pairs all stand elsewhere, those of small statements first."""
    pairs = [[Asked(asked.level, asked.given, [row]).pairs() for row in asked.rows] for asked in found]
    times = Counter(pair for rows in pairs for row in rows for pair in row)
    kept: list[list[tuple[str, dict[str, Any]]]] = [[] for _ in found]
    for number in sorted(range(len(found)), key=lambda number: len(found[number].rows)):
        for row, own in zip(found[number].rows, pairs[number], strict=True):
            if all(times[pair] > 1 for pair in own):
                times.subtract(own)
            else:
                kept[number].append(row)
    return [Asked(asked.level, asked.given, rows) for asked, rows in zip(found, kept, strict=True) if rows]
