"""A metric along one of its parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import html, plots
from .mixins import Leave, ShownBySummary, Storable
from .tables import Table, n_not_shown


@dataclass(frozen=True)
class Curve(ShownBySummary, Storable):
    """A curve, as long tables.

    Attributes:
        summary: its average over queries, a row per point: ``run_id``, groups, ``x``, ``y``, ``n_queries``; None for a
            curve whose points each list has of its own.
        per_query: a row per query and point: ``run_id``, the query, ``x``, ``y``; computed when it is first looked at.
        sql: the text of the statement, exactly as it ran.
        warnings: what may make a number mean less than it seems.
        metric: the metric as typed.
        along: the parameter that x is.
    """

    summary: Table | None
    per_query: Table
    sql: str
    warnings: list[str] = field(default_factory=list)
    _leave: Leave | None = field(default=None, repr=False, compare=False)
    metric: str = ""
    along: str = "k"
    _is_judged: bool = field(default=False, repr=False, compare=False)

    @plots.choosing
    def plot(self, kind: str | None = None) -> Any:
        """A chart of the curve.

        Args:
            kind: ``curve``, natural along k; ``precision_recall``, natural along recall and of precision-recall points;
                ``judged_share`` of the metric ``judged``.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: there is no such chart of this result, or Altair is not installed.
        """
        return plots.curve_chart(self.summary, self.per_query, self.metric, self.along, kind, is_judged=self._is_judged)

    def _html(self) -> str:
        table = self.summary or self.per_query
        return html.page([table._grid()], self.warnings, n_not_shown(table))

    def __repr__(self) -> str:
        return repr(self.summary or self.per_query)
