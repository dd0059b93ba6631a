"""The agreement of two sets of judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import plots
from .mixins import ShownByTables


@dataclass(frozen=True, repr=False)
class Agreement(ShownByTables):
    """How two sets of judgments, a and b, agree.

    Attributes:
        judgments: ``n_both``, how many items of queries both judge, ``n_only_a`` and ``n_only_b``; of those that both
            do, ``observed``, the share with the same grade, and ``kappa``, Cohen's kappa of the grades (-1 to 1, 0 for
            what chance gives); ``binary_observed`` and ``binary_kappa`` of being relevant, from ``rel`` upwards;
            ``quadratic_kappa``, where a disagreement weighs as the square of how far the grades are apart. A kappa is
            None where both know one grade only, the same.
        grades: a row per pair of grades: ``grade_a``, ``grade_b``, ``n_pairs``.
        values: a row per metric and system: ``metric``, ``run_id``, the value and the rank by each: ``a``, ``a_rank``,
            ``b``, ``b_rank``; ``a_n_queries`` and ``b_n_queries`` are how many each value is of.
        agreement: a row per metric: ``tau``, Kendall's tau-b of the order of the systems by a and by b, and ``n_runs``;
            None where fewer than two systems have values, or all have the same.
        sql: the texts of the statements, exactly as they ran: the counts, and the values by each.
        warnings: what may make a number mean less than it seems.
    """

    judgments: dict[str, Any]
    grades: list[dict[str, Any]]
    values: list[dict[str, Any]]
    agreement: list[dict[str, Any]]
    sql: list[str]
    warnings: list[str] = field(default_factory=list)

    @plots.choosing
    def plot(self, kind: str | None = None, *, metric: str | None = None) -> Any:
        """A chart of how the judgments agree.

        Args:
            kind: ``confusion``, how many items have which grades, which is natural; ``orders``, the systems by both.
            metric: of ``orders``, as it was asked for, by default all.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: there is no such chart, or no such metric of this result, or Altair is not installed.
        """
        return plots.agreement_chart(self.grades, self.judgments, self.values, self.agreement, kind, metric)

    def _shown(self) -> list[Sequence[Mapping[str, Any]]]:
        return [[self.judgments], self.values, self.agreement]
