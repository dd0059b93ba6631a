"""A small set of statements that takes every branch that any statement takes, in each dialect and on both roads.

Statements are chosen greedily by what they take that none has yet, for the length of their text, and then lose the
metrics without which all is taken still.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from unittest.mock import patch

from dev.engines import ENGINES
from rankmetrics_sql.errors import UsageError
from rankmetrics_sql.plan import Plan
from tests.engines import WITHOUT_DBT
from tests.statements import Case, alone, cases

from .branches import Branch, noting

OWN = "duckdb"  # the first dialect, whose text is not a translation
ROADS = ("sqlglot", "dbt")
FIXED = 5000  # the cost of a statement beside its text, in characters
# Of 10,000 items: the size of the data decides no branch.
TOO_LARGE = {"long_list", "long_list_counted"}
Ways = frozenset[tuple[str, Branch]]  # branches, each with the dialect whose text takes it


@dataclass(frozen=True, eq=False)
class Candidate:
    """A statement, and the road that writes it.

    Attributes:
        name: the case that it is of.
        case: the case, perhaps with fewer metrics.
        road: ``sqlglot`` or ``dbt``.
    """

    name: str
    case: Case
    road: str

    @cached_property
    def length(self) -> int:
        """The length of the text, about the same on both roads."""
        return len(self.case.by_sqlglot(OWN))


def dialects(road: str) -> list[str]:
    """Return the dialects whose text any engine runs, our own first."""
    names = dict.fromkeys(dialect for engine in ENGINES.values() for dialect in (*engine.dialects, *engine.proxies))
    return [dialect for dialect in names if road == "sqlglot" or dialect not in WITHOUT_DBT]


def candidates() -> dict[str, Case]:
    """Return every statement of the tests, by name."""
    return {name: case for name, case in (cases() | alone()).items() if name not in TOO_LARGE}


@contextmanager
def recording() -> Iterator[FindWays]:
    """Yield a function that returns the ways that a statement takes in some dialects."""
    branches_by_key: dict[tuple[Candidate, str], frozenset[Branch]] = {}

    with noting() as taken_by, patch.object(Plan, "translated", lambda _query, sql, _keys=None, **_: sql):

        def branches_of(candidate: Candidate, dialect: str) -> frozenset[Branch]:
            if (key := (candidate, dialect)) not in branches_by_key:
                write = candidate.case.by_sqlglot if candidate.road == "sqlglot" else candidate.case.by_dbt
                try:
                    branches_by_key[key] = taken_by(lambda: write(dialect))
                except UsageError:
                    branches_by_key[key] = frozenset()
            return branches_by_key[key]

        def ways(candidate: Candidate, names: Iterable[str]) -> Ways:
            return frozenset((dialect, branch) for dialect in names for branch in branches_of(candidate, dialect))

        yield ways


FindWays = Callable[[Candidate, Iterable[str]], Ways]


class Choice:
    """The statements of one road."""

    def __init__(self, road: str, ways: FindWays, taken_ways: Ways = frozenset()) -> None:
        """Take the function from a statement to its ways, and the ways that are taken elsewhere."""
        self.road, self.ways, self.taken_ways = road, ways, taken_ways
        candidates_of_road = (Candidate(name, case, road) for name, case in candidates().items())
        self.candidates = [
            candidate for candidate in candidates_of_road if road == "sqlglot" or candidate.case.in_dbt is not None
        ]

    @property
    def all(self) -> Ways:
        """The ways that any statement takes."""
        return self._ways_of(self.candidates, dialects(self.road))

    def choose(self) -> list[Candidate]:
        """Choose statements for our own dialect, without needless metrics, and what other dialects need besides."""
        chosen = self._drop_needless(self._choose_greedily([], [OWN]), [OWN])
        more = self._choose_greedily(chosen, dialects(self.road))[len(chosen) :]
        return merge(
            [*chosen, *self._drop_needless(more, dialects(self.road), self._ways_of(chosen, dialects(self.road)))]
        )

    def _choose_greedily(self, chosen: list[Candidate], names: list[str]) -> list[Candidate]:
        ways_by_candidate = {candidate: self.ways(candidate, names) for candidate in self.candidates}
        missing_ways = set(
            frozenset().union(*ways_by_candidate.values()) - self.taken_ways - self._ways_of(chosen, names)
        )
        while missing_ways:
            best = max(
                self.candidates,
                key=lambda candidate: (
                    len(ways_by_candidate[candidate] & missing_ways) / (candidate.length + FIXED),
                    candidate.name,
                ),
            )
            chosen = [*chosen, best]
            missing_ways -= ways_by_candidate[best]
        return chosen

    def _ways_of(self, chosen: Iterable[Candidate], names: list[str]) -> Ways:
        return frozenset().union(*(self.ways(candidate, names) for candidate in chosen))

    def _drop_needless(self, chosen: list[Candidate], names: list[str], taken: Ways = frozenset()) -> list[Candidate]:
        """Drop the statements and metrics whose ways the others take too, the longest statements first."""
        for candidate in sorted(chosen, key=lambda candidate: candidate.length, reverse=True):
            rest = [other for other in chosen if other is not candidate]
            needed_ways = self.ways(candidate, names) - self._ways_of(rest, names) - self.taken_ways - taken
            smaller = self._drop_metrics(candidate, needed_ways, names)
            chosen = rest if smaller is None else [*rest, smaller]
        return chosen

    def _drop_metrics(self, candidate: Candidate, needed_ways: Ways, names: list[str]) -> Candidate | None:
        if not needed_ways:
            return None
        metrics, size = list(candidate.case.metrics), max(len(candidate.case.metrics) // 2, 1)
        while size:
            place = 0
            while place < len(metrics) > 1:
                fewer = [*metrics[:place], *metrics[place + size :]]
                shorter = replace(candidate, case=replace(candidate.case, metrics=fewer))
                if fewer and needed_ways <= self.ways(shorter, names):
                    candidate, metrics = shorter, fewer
                else:
                    place += size
            size //= 2
        return candidate


def merge(chosen: Iterable[Candidate]) -> list[Candidate]:
    """Merge the statements of each case into one."""
    merged: dict[str, Candidate] = {}
    for candidate in chosen:
        earlier = merged[candidate.name].case.metrics if candidate.name in merged else []
        metrics = [
            *earlier,
            *(text for text in candidate.case.metrics if text not in earlier),
        ]  # one may be named twice
        merged[candidate.name] = replace(candidate, case=replace(candidate.case, metrics=metrics))
    return list(merged.values())
