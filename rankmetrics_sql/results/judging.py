"""The result that lists what to judge next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import html
from .base import SaveResult, Storable, SummaryHtml
from .tables import Table, aligned_rows


@dataclass(frozen=True)
class NextJudgments(SummaryHtml, Storable):
    """Unjudged items by how far their grade can move the difference between runs.

    Attributes:
        summary: a row per query and item, the greatest influence first.

            - the query: under the name of the user's column.
            - ``query_text``, ``item_text``: with ``texts=``.
            - ``item_id``: the item.
            - the ranks: a column for each run, such as ``old_rank``; None where the item is not within the cutoff. A
              table of the database has ``rank_1``, ``rank_2`` and so on instead, in the order of the runs.
            - ``influence``: how far the grade can move the mean difference.
        ranges: a row per candidate.

            - ``run``, ``baseline_run``, ``metric``: what is compared.
            - ``effect_size``: the mean difference now.
            - ``effect_low``, ``effect_high``: the least and greatest difference that grades of all unjudged items can
              still lead to, as ``compare`` has them with ``unjudged="bounds"``.
            - ``n_queries``: the queries compared.
        sql: the text of the statement, exactly as it ran.
        notes: what the list means, such as why it is empty.
        warnings: what may make a number mean less than it seems.
    """

    summary: Table
    ranges: list[dict[str, Any]]
    sql: str
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _save: SaveResult | None = field(default=None, repr=False, compare=False)

    def _html(self) -> str:
        rows: Sequence[Mapping[str, Any]] = self.ranges
        grids = [html.grid_of([*rows[0]], [[*row.values()] for row in rows]), self.summary._grid()]
        return html.page(grids, [*self.warnings, *self.notes])

    def __repr__(self) -> str:
        return "\n\n".join([aligned_rows(self.ranges), repr(self.summary), *self.notes])
