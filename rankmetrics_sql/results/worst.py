"""The searches that lose most, and what is not listed of the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import advise
from . import chart_kinds, html
from .base import SaveResult
from .evaluation import StorableTable
from .tables import Table, n_not_shown

MIN_REQUESTS = 20  # groups with fewer are not listed by default
LISTED, BEYOND, FEW, TWO = "listed", "beyond n", "few requests", "two values"
_COUNTS = ("requests", "impressions", "clicks", "expected_clicks", "lost_clicks")


@dataclass(frozen=True)
class Part:
    """A row of the statement: a group that is listed, or all groups that are not for one reason.

    Attributes:
        reason: ``listed``, or why they are not.
        n_groups: how many groups it is.
        values: the values of the group.
        numbers: the other columns.
    """

    reason: str
    n_groups: int
    values: Sequence[Any]
    numbers: Sequence[Any]


class Worst(StorableTable):
    """A row for each group of requests that is listed, from the one that loses most for sure.

    Attributes:
        warnings: what is left out, and what may make a number mean less than it seems.
    """

    def __init__(
        self, text: str, columns: Sequence[str], parts: Sequence[Part], n_by: int, save: SaveResult | None
    ) -> None:
        """Take the statement, its columns and rows, how many columns name a group, and the function that stores it."""
        super().__init__(
            text, columns, [(*part.values, *part.numbers) for part in parts if part.reason == LISTED], save
        )
        self._parts = parts
        self._n_by = n_by
        self.warnings: list[str] = []

    @cached_property
    def totals(self) -> Table:
        """How many groups, requests, impressions and clicks are listed, and how many are not, by reason.

        The last row, ``log``, is the sum: the whole log.
        """
        rows: list[tuple[Any, ...]] = []
        for reason in (LISTED, BEYOND, FEW, TWO):
            parts = [part for part in self._parts if part.reason == reason]
            n_groups = 0 if reason == TWO else sum(part.n_groups for part in parts)
            rows.append((reason, n_groups, *(self._sum(name, parts) for name in _COUNTS)))
        rows.append(("log", *(sum(column) for column in [*zip(*rows, strict=True)][1:])))
        return Table(lambda: self.sql, lambda _: (["part", "n_groups", *_COUNTS], rows))

    def total(self, name: str) -> float:
        """Return a count of the whole log."""
        return float(self._sum(name, self._parts))

    def _sum(self, name: str, parts: Sequence[Part]) -> Any:
        place = self.columns.index(name) - self._n_by
        return sum((part.numbers[place] or 0 for part in parts), 0)

    def notes(self, by: Sequence[str], min_requests: int) -> list[str]:
        """Return what to know about the rows that are not listed."""
        names = " and ".join(by)
        counts = {row["part"]: row for row in self.totals.dicts()}
        notes = []
        if n_two := int(counts[TWO]["requests"]):
            have = "1 request has two values" if n_two == 1 else f"{n_two:,} requests have two values"
            notes.append(f"{have} of {names} and {'is' if n_two == 1 else 'are'} left out.")
        if not len(self) and counts[FEW]["n_groups"]:
            notes.append(
                f"No value of {names} has {min_requests:,} requests, so nothing is listed. Pass a lower number:"
                f" {advise('argument', 'min_requests', 1)}."
            )
        return notes

    def notes_on_columns(self) -> list[str]:
        """Return what to know about columns that are left out."""
        missing = [name for name in ("users", "n_reformulated") if name not in self.columns]
        if not missing:
            return []
        how = "the user" if missing == ["users"] else "the user and the time of requests"
        known = [advise("argument", "user", "NAME")] if "users" in missing else []
        known += [advise("argument", "time", "NAME")] if "n_reformulated" in missing else []
        return [f"{' and '.join(missing)}: left out, because they need {how}. Pass {' and '.join(known)}."]

    @property
    def summary_line(self) -> str:
        """What the rows are of all, in a sentence."""
        counts = {row["part"]: row for row in self.totals.dicts()}
        others = [
            f"{counts[reason]['n_groups']:,} {why}"
            for reason, why in ((BEYOND, "beyond n"), (FEW, "with too few requests"))
            if counts[reason]["n_groups"]
        ]
        others += [f"{counts[TWO]['requests']:,} requests with two values"] if counts[TWO]["requests"] else []
        listed = f"{len(self):,} groups with {counts[LISTED]['requests']:,} of {counts['log']['requests']:,} requests."
        return f"{listed} Not listed: {', '.join(others)}." if others else listed

    @chart_kinds.check_arguments
    def plot(self) -> Any:
        """Draws the lost clicks of each group as bars, with their intervals; with a metric, what it loses.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: Altair is not installed.
        """
        from .. import charts

        return charts.lost(self.dicts(), self.columns[: self._n_by])

    def _html(self) -> str:
        return html.page([self._grid()], self.warnings, n_not_shown(self))

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{self.summary_line}"
