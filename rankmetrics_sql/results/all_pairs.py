"""Every pair of systems, tested together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import html, pairs, plots
from .mixins import ShownBySummary
from .tables import MOST_SHOWN, Table, n_not_shown


@dataclass(frozen=True)
class AllPairs(ShownBySummary):
    """Every pair of systems, tested together.

    Attributes:
        summary: a row per metric and pair: ``run``, ``baseline_run``, ``metric``, their values ``candidate`` and
            ``baseline``, ``effect_size`` with the ends of its interval, ``effect_size_ci_lower`` and
            ``effect_size_ci_upper``, its ``standard_error``, ``test`` (``tukey`` or ``randomised_tukey``),
            ``statistic``, sqrt(2) times the size of t, ``pvalue_adj``, which holds for all pairs of the metric
            together, ``significant`` (1 or 0), ``verdict``, ``reason`` (as of a comparison) and ``n_queries``;
            ``confidence_level``, ``alternative`` (``two_sided``) and ``correction`` (``tukey``) say how it was tested.
            What is undefined is None, as of a pair whose differences are all equal; permutations say nothing of a
            metric for which the pairs have not all the same queries. The interval is of the studentised range,
            whatever the p-value is from.
        sql: the texts of the statements, exactly as they ran.
        warnings: what may make a number mean less than it seems.
        options: how it was tested: ``test``, ``confidence_level``, and ``resamples`` of permutations.
        better: for each metric as typed, whether ``higher`` or ``lower`` values are better.
        counts: the metrics whose values are counts.
    """

    summary: Table
    sql: list[str]
    warnings: list[str] = field(default_factory=list)
    options: Mapping[str, Any] = field(default_factory=dict)
    better: dict[str, str] = field(default_factory=dict)
    counts: frozenset[str] = frozenset()

    @plots.choosing
    def plot(self, kind: str | None = None, *, metric: str | None = None) -> Any:
        """A chart of the differences of all pairs.

        Args:
            kind: ``effects``.
            metric: the metric as it was asked for, by default all.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: there is no such chart, or no such metric of this result, or Altair is not installed.
        """
        return plots.of_pairs(self.summary.dicts(), kind, metric)

    def to_latex(self) -> str:
        """The table of a paper: a row for each run, with the letters of the runs that a value is better than."""
        return pairs.text(self.summary.dicts(), self.options, "latex", self.better, self.counts)

    def to_markdown(self) -> str:
        """The same for a pull request."""
        return pairs.text(self.summary.dicts(), self.options, "markdown", self.better, self.counts)

    def _html(self) -> str:
        if not self.options:
            return super()._html()
        shown = self.summary.dicts()[: html.MOST_ROWS]
        grid = pairs.differences(shown, self.options, self.better, self.counts)
        return html.page([grid], self.warnings, n_not_shown(self.summary))

    def __repr__(self) -> str:
        if not self.options:
            return repr(self.summary)
        records = self.summary.dicts()
        return pairs.text(records, self.options, "table", self.better, self.counts, MOST_SHOWN).rstrip("\n")
