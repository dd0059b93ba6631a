"""The results on uncertainty: how values depend on unjudged items, ties, and who judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import chart_kinds
from .base import TablesHtml
from .summary_rows import with_ends


@dataclass(frozen=True, repr=False)
class Sensitivity(TablesHtml):
    """How values and the order of systems change with what is unknown: unjudged items, and the order of ties.

    Attributes:
        values: a row per metric and system: of each scenario the value, and the rank of the system, 1 for the best.
            None where the metric has no form for the scenario; a warning names it.

            - ``metric``, ``run_id``: the metric and the system.
            - ``asked``, ``asked_rank``: with the options as they are.
            - ``low``, ``low_rank``, ``high``, ``high_rank``: as if none and as if all unjudged items were relevant, the
              two of ``unjudged=bounds``.
            - ``worst``, ``worst_rank``, ``expected``, ``expected_rank``, ``best``, ``best_rank``: with that order of
              items with equal scores.
            - ``n_queries``: the queries behind the value as asked.
        agreement: a row per metric.

            - ``metric``: the metric.
            - the scenarios: a column for each, with Kendall's tau-b of the order of the systems as asked and in the
              scenario; None where fewer than two systems have values, or all have the same.
            - ``n_runs``: the systems.
        certain: a row per metric and pair of systems of different ranks.

            - ``metric``: the metric.
            - ``above``, ``below``: the systems, by rank.
            - ``despite_unjudged``: whether the one's worse value of low and high is better than the other's better one.
            - ``despite_ties``: the same of the worst and the best order.

            Of metrics whose ideal ranking or number of relevant items is made of the judgments (nDCG, AP, recall),
            other relevance of the unjudged items may give values beyond low and high.
        sql: the text of the statement, exactly as it ran.
        warnings: what may make a number mean less than it seems.
    """

    values: list[dict[str, Any]]
    agreement: list[dict[str, Any]]
    certain: list[dict[str, Any]]
    sql: str
    warnings: list[str] = field(default_factory=list)

    @chart_kinds.check_arguments
    def plot(self, kind: str | None = None, *, metric: str | None = None) -> Any:
        """A chart of the values of the systems, with the ranges in which they lie.

        Args:
            kind: ``ranges``.
            metric: the metric as it was asked for, by default all.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: there is no such chart, or no such metric of this result, or Altair is not installed.
        """
        return chart_kinds.sensitivity_chart(self.values, kind, metric)

    def _row_lists(self) -> list[Sequence[Mapping[str, Any]]]:
        return [self.values, self.agreement, self.certain]


@dataclass(frozen=True, repr=False)
class Agreement(TablesHtml):
    """How judges agree: two sets of judgments, a and b, or several by name.

    Attributes:
        judgments: of two sets, the row of ``pairs`` without intervals; empty for several judges.
        grades: a row per pair of grades.

            - ``judge_a``, ``judge_b``: for several judges, the two.
            - ``grade_a``, ``grade_b``: the grades.
            - ``n_pairs``: the items that have them.
        values: a row per metric and system. For several judges, their names stand in place of a and b.

            - ``metric``, ``run_id``: the metric and the system.
            - ``a``, ``a_rank``, ``b``, ``b_rank``: the value and the rank by each judge.
            - ``a_n_queries``, ``b_n_queries``: the queries behind each value.
        agreement: a row per metric and two judges.

            - ``metric``: the metric.
            - ``tau``: Kendall's tau-b of the order of the systems by each judge; None where fewer than two systems have
              values, or all have the same.
            - ``n_runs``: the systems.
        sql: the texts of the statements, exactly as they ran: the counts, the errors, and the values by each judge.
        warnings: what may make a number mean less than it seems.
        pairs: a row for each two judges.

            - ``judge_a``, ``judge_b``: the two.
            - ``n_both``, ``n_only_a``, ``n_only_b``: how many items both judge, or only one.
            - ``observed``: the share of the items of both with the same grade.
            - ``kappa``, ``linear_kappa``, ``quadratic_kappa``: Cohen's kappa (-1 to 1, 0 for what chance gives) where a
              disagreement weighs 1, how far the grades are apart, or the square of that. None where both know one grade
              only, the same.
            - the intervals: of each kappa, such as ``kappa_ci_lower`` and ``kappa_ci_upper``; None of one query, or of
              queries that do not differ.
            - ``binary_observed``, ``binary_kappa``: of being relevant, from ``rel`` upwards.
        overall: a row for each measure of all judges together.

            - ``measure``: Krippendorff's ``alpha_nominal``, ``alpha_ordinal`` and ``alpha_interval``, Gwet's ``ac1``
              and, with squared distances, ``ac2``, and ``fleiss_kappa``.
            - ``value``, ``ci_lower``, ``ci_upper``: the measure; ``fleiss_kappa`` is None unless all items have as many
              judges.
            - ``n_items``: the items with two judges or more.
            - ``n_queries``: the queries of these items.
        judges: a row for each judge.

            - ``judge``: the judge.
            - ``n_items``, ``mean_grade``: how many items the judge grades, and the mean grade.
            - the shares: of each grade, such as ``share_of_0``.
            - ``observed_with_others``: how often another judge of the same item gives the same grade.
    """

    judgments: dict[str, Any]
    grades: list[dict[str, Any]]
    values: list[dict[str, Any]]
    agreement: list[dict[str, Any]]
    sql: list[str]
    warnings: list[str] = field(default_factory=list)
    pairs: list[dict[str, Any]] = field(default_factory=list)
    overall: list[dict[str, Any]] = field(default_factory=list)
    judges: list[dict[str, Any]] = field(default_factory=list)

    @chart_kinds.check_arguments
    def plot(self, kind: str | None = None, *, metric: str | None = None, judges: Sequence[str] | None = None) -> Any:
        """A chart of how two judges agree.

        Args:
            kind: ``confusion``, how many items have which grades, which is natural; ``orders``, the systems by both.
            metric: of ``orders``, as it was asked for, by default all.
            judges: the names of two judges, by default the first two.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: there is no such chart, or no such metric of this result, or Altair is not installed.
        """
        return chart_kinds.agreement_chart(self, kind, metric, judges)

    def _row_lists(self) -> list[Sequence[Mapping[str, Any]]]:
        return [with_ends(self.pairs), with_ends(self.overall), self.judges, self.values, self.agreement]
