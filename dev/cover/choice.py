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

OWN = "duckdb"  # the dialect that is looked at first, whose text is no translation
ROADS = ("sqlglot", "dbt")
FIXED = 5000  # what a statement costs beside its text, in characters
# Of 10,000 items: the size of the data decides no branch.
TOO_LARGE = {"long_list", "long_list_counted"}
Ways = frozenset[tuple[str, Branch]]  # branches, each with the dialect whose text takes it


@dataclass(frozen=True, eq=False)
class Chosen:
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
        """How long the text is, of about the road's."""
        return len(self.case.by_sqlglot(OWN))


def dialects(road: str) -> list[str]:
    """Those whose text any engine runs, our own first."""
    found = dict.fromkeys(dialect for one in ENGINES.values() for dialect in (*one.dialects, *one.proxies))
    return [dialect for dialect in found if road == "sqlglot" or dialect not in WITHOUT_DBT]


def candidates() -> dict[str, Case]:
    """Every statement that the tests know, by name."""
    return {name: case for name, case in (cases() | alone()).items() if name not in TOO_LARGE}


@contextmanager
def looking() -> Iterator[Tell]:
    """While it lasts, what tells the ways that a statement takes in some dialects."""
    known: dict[tuple[Chosen, str], frozenset[Branch]] = {}

    with noting() as taken_by, patch.object(Plan, "translated", lambda _query, sql, _keys=None, **_: sql):

        def taken(chosen: Chosen, dialect: str) -> frozenset[Branch]:
            if (key := (chosen, dialect)) not in known:
                write = chosen.case.by_sqlglot if chosen.road == "sqlglot" else chosen.case.by_dbt
                try:
                    known[key] = taken_by(lambda: write(dialect))
                except UsageError:
                    known[key] = frozenset()
            return known[key]

        def ways(chosen: Chosen, spoken: Iterable[str]) -> Ways:
            return frozenset((dialect, branch) for dialect in spoken for branch in taken(chosen, dialect))

        yield ways


Tell = Callable[[Chosen, Iterable[str]], Ways]


class Choice:
    """The statements of one road."""

    def __init__(self, road: str, ways: Tell, taken: Ways = frozenset()) -> None:
        """What tells the ways of a statement, and which of them are taken elsewhere."""
        self.road, self.ways, self.taken = road, ways, taken
        every = (Chosen(name, case, road) for name, case in candidates().items())
        self.known = [one for one in every if road == "sqlglot" or one.case.in_dbt is not None]

    @property
    def all(self) -> Ways:
        """All ways that any statement takes."""
        return self._all(self.known, dialects(self.road))

    def made(self) -> list[Chosen]:
        """Statements for our own dialect without metrics that bring nothing, and whatever others need beside them."""
        chosen = self._thinned(self._greedy([], [OWN]), [OWN])
        more = self._greedy(chosen, dialects(self.road))[len(chosen) :]
        return merged([*chosen, *self._thinned(more, dialects(self.road), self._all(chosen, dialects(self.road)))])

    def _greedy(self, chosen: list[Chosen], spoken: list[str]) -> list[Chosen]:
        wanted = {one: self.ways(one, spoken) for one in self.known}
        left = set(frozenset().union(*wanted.values()) - self.taken - self._all(chosen, spoken))
        while left:
            best = max(self.known, key=lambda one: (len(wanted[one] & left) / (one.length + FIXED), one.name))
            chosen = [*chosen, best]
            left -= wanted[best]
        return chosen

    def _all(self, chosen: Iterable[Chosen], spoken: list[str]) -> Ways:
        return frozenset().union(*(self.ways(one, spoken) for one in chosen))

    def _thinned(self, chosen: list[Chosen], spoken: list[str], taken: Ways = frozenset()) -> list[Chosen]:
        """The same without statements and metrics that the others make up for, the longest first."""
        for one in sorted(chosen, key=lambda one: one.length, reverse=True):
            rest = [other for other in chosen if other is not one]
            needed = self.ways(one, spoken) - self._all(rest, spoken) - self.taken - taken
            thin = self._thin(one, needed, spoken)
            chosen = rest if thin is None else [*rest, thin]
        return chosen

    def _thin(self, one: Chosen, needed: Ways, spoken: list[str]) -> Chosen | None:
        if not needed:
            return None
        metrics, size = list(one.case.metrics), max(len(one.case.metrics) // 2, 1)
        while size:
            place = 0
            while place < len(metrics) > 1:
                fewer = [*metrics[:place], *metrics[place + size :]]
                shorter = replace(one, case=replace(one.case, metrics=fewer))
                if fewer and needed <= self.ways(shorter, spoken):
                    one, metrics = shorter, fewer
                else:
                    place += size
            size //= 2
        return one


def merged(chosen: Iterable[Chosen]) -> list[Chosen]:
    """Statements of one case as one."""
    found: dict[str, Chosen] = {}
    for one in chosen:
        before = found[one.name].case.metrics if one.name in found else []
        metrics = [*before, *(text for text in one.case.metrics if text not in before)]  # one may be named twice
        found[one.name] = replace(one, case=replace(one.case, metrics=metrics))
    return list(found.values())
