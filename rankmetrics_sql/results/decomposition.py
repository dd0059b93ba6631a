"""Where the differences between runs come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import plots
from .mixins import Leave, ShownBySummary, Storable
from .tables import Table


@dataclass(frozen=True)
class Decomposition(ShownBySummary, Storable):
    """Where the differences between runs and a baseline come from.

    Attributes:
        summary: a row per candidate, metric and group, the greatest contributions first: ``run`` (the candidate),
            ``baseline_run``, groups, ``metric``; the means ``baseline`` and ``candidate`` of the group, None where the
            run has no value there; ``n_baseline`` and ``n_candidate``, the queries with a value; ``ranking``, ``mix``
            and ``entered_or_left``, whose sum is the ``contribution``. Contributions add up to the difference of the
            means over all queries with a value.
        sql: the text of the statement, exactly as it ran.
        warnings: what may make a number mean less than it seems.
    """

    summary: Table
    sql: str
    warnings: list[str] = field(default_factory=list)
    _leave: Leave | None = field(default=None, repr=False, compare=False)

    @plots.choosing
    def plot(self, kind: str | None = None, *, metric: str | None = None, run: str | None = None) -> Any:
        """A chart of what each group contributes.

        Args:
            kind: ``contributions``.
            metric: the metric as it was asked for, by default the first.
            run: the candidate, by default the first.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: there is no such chart, metric or run of this result, or Altair is not installed.
        """
        return plots.decomposition_chart(self.summary.dicts(), kind, metric, run)

    def __repr__(self) -> str:
        return repr(self.summary)
