"""Items that moved between the lists of runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import plots
from .mixins import Leave, ShownBySummary, Storable
from .tables import Table


@dataclass(frozen=True)
class Movements(ShownBySummary, Storable):
    """Items that entered, left or moved between the lists of runs and those of a baseline.

    Attributes:
        summary: a row per candidate, query and item: ``run`` (the candidate), ``baseline_run``, the query under the
            name of the user's column, ``item_id``, ``baseline_rank`` and ``candidate_rank``, None where the item is not
            within the first k, ``movement`` (``entered``, ``left``, ``up``, ``down`` or ``same``), and ``relevance``,
            None where the item is not judged.
        sql: the text of the statement, exactly as it ran.
        warnings: what may make a row mean less than it seems.
    """

    summary: Table
    sql: str
    warnings: list[str] = field(default_factory=list)
    _leave: Leave | None = field(default=None, repr=False, compare=False)

    @plots.choosing
    def plot(self, kind: str | None = None, *, run: str | None = None, query: Any = None) -> Any:
        """A chart of the movements.

        Args:
            kind: ``beads``, both rankings of one query, which is natural; ``judged_share`` by rank, of all queries.
            run: the candidate, by default the first.
            query: the query of the beads, by default the one in which most items moved.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: there is no such chart, run or query of this result, or Altair is not installed.
        """
        return plots.movement_chart(self.summary, kind, run, query)

    def __repr__(self) -> str:
        return repr(self.summary)
