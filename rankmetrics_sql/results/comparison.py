"""The result of comparing runs with a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import UsageError, shortened
from . import all_pairs, chart_kinds, comparison_tables, html
from .base import Reportable, SaveResult, Storable, SummaryHtml, WriteReport
from .tables import MOST_SHOWN, Table, n_not_shown


@dataclass(frozen=True)
class Comparison(SummaryHtml, Storable, Reportable):
    """Runs compared with a baseline, query by query.

    Attributes:
        summary: a row per candidate and metric, and per group, if there are groups. What is undefined is None.

            - ``run``, ``baseline_run``: the candidate and the baseline.
            - the groups: under the names of the columns of ``by=``.
            - ``metric``: the metric as typed.
            - ``baseline``, ``candidate``: their values.
            - ``effect_size``: candidate less baseline; with a covariate or strata the adjusted effect, which is no
              longer the difference of both values.
            - ``effect_size_ci_lower``, ``effect_size_ci_upper``: the interval of the effect. An end is None where
              ``alternative`` leaves that side open and the other end is there (the upper one of ``greater``, the lower
              one of ``less``); else None is unknown.
            - ``rel_effect_size``, ``rel_effect_size_ci_lower``, ``rel_effect_size_ci_upper``: the effect as a share of
              the baseline; its interval is that of the logarithm of the ratio.
            - ``standard_error``: of the effect.
            - ``test``: as asked for, or ``sequential``.
            - ``statistic``, ``pvalue``: of the test.
            - ``pvalue_adj``: the p-value corrected for the number of tests.
            - ``significant``: 1 where the corrected p-value is at most 1 - confidence_level, else 0.
            - ``verdict``: ``better``, ``worse``, ``inconclusive``, ``no difference``, ``too few queries``, ``no test``
              and the others of docs/comparing.md.
            - ``reason``: why the verdict may rest on less than it seems, reasons joined by ``; ``; or None.
            - ``std_effect_size``: the effect in standard deviations of the differences.
            - ``prob_superiority``: the share of queries where the candidate is better; a tie is half a query.
            - ``n_queries``: the queries with a value.
            - ``n_higher``, ``n_ties``, ``n_lower``: those of them where the candidate is higher, equal, lower.
            - ``n_left_out``: the queries without a value.
            - ``n_units``: the queries (or clusters) that differ; of arms those of the smaller one.
            - ``judged_baseline``, ``judged_candidate``: the judged share of the items within the lowest cutoff (10
              without one), over all compared queries. None of a metric that reads no judgments, and with
              ``unjudged=drop``.
            - ``confidence_level``, ``alternative``, ``correction``, ``margin``: how it was tested.
            - ``cap``: with ``cap=``: the amount that larger values count as.
            - ``n_clusters``, ``largest_cluster_share``: with ``cluster=``.
            - ``largest_weight_share``: with ``weight=``.
            - ``degrees_of_freedom``: with groups, where they are not those of n queries.
            - ``min_detectable_effect``: with ``power=``: the effect that so many queries find with that chance.
            - ``n_queries_needed``: with ``power=``: how many queries find an effect as large as the one seen, at the
              level of the correction. For the least effect that matters, that number times (effect_size / that
              effect)²; with a margin ((effect_size + margin) / (that effect + margin))².
            - ``effect_low``, ``effect_high``: with ``unjudged="bounds"``: the least and the greatest effect if each
              unjudged item within the cutoff had grade 0 or the highest, the same in both runs.
            - ``method``: of pairs by sign, ranks or randomisation: how the p-value was found, ``exact``, ``normal`` or
              ``draws``.
            - ``variance_reduction``: the share of the effect's variance that a covariate or strata take away.
            - ``n_strata``, ``n_outside_strata``: with ``strata=``: how many are in both arms, and the queries in
              others, which are left out.
        sql: the text of the statement, exactly as it ran.
        warnings: what may make a number mean less than it seems.
        options: how it was tested: ``design``, ``test``, ``confidence_level``, ``alternative``, ``correction``,
            ``family`` and the others of comparisons; ``cluster``, ``covariate`` and ``strata``, where there is one;
            ``all_pairs``, the runs in their order, where all pairs are compared.
        per_query: a row per candidate, metric and query, those that differ most first; computed when it is first looked
            at. None of unpaired runs.

            - ``run``, ``baseline_run``: the candidate and the baseline.
            - the query: under the name of the user's column.
            - the groups: as in ``summary``.
            - ``metric``: the metric as typed.
            - ``baseline``, ``candidate``: both values.
            - ``difference``: candidate less baseline.
            - ``contribution``: to the effect, which is the sum of them, of a mean or a sum; None of others.
        better: for each metric as typed, whether ``higher`` or ``lower`` values are better.
        counts: the metrics whose values are counts, summed over the queries.
        notes: sentences below the table: of arms the sample ratio, unless ``check=none``; with groups whether the
            effect differs between them, with ``judge=`` how many judges have each verdict.
        unjudged: the runs that retrieved no judged item, so that their values say nothing; a warning shows ids.
        heterogeneity: whether the effects differ between the groups, a row for each candidate and metric; None without
            groups, and with ``judge=``. It is Welch's F test (1951) over the effects and standard errors of the groups.

            - ``run``, ``baseline_run``, ``metric``: what is tested.
            - ``statistic``, ``df1``, ``df2``, ``pvalue``: of the F test.
            - ``pvalue_adj``: corrected over the rows (Holm).
            - ``n_groups``: the groups that are tested.
            - ``n_left_out``: the groups without a standard error, or with fewer than six units that differ (of arms, in
              the smaller arm).
            - ``q``, ``i_squared``: Cochran's Q, and the share of it that chance does not explain.
            - ``reason``: why a row has no test, such as clusters in several groups.
    """

    summary: Table
    sql: str
    warnings: list[str] = field(default_factory=list)
    _save: SaveResult | None = field(default=None, repr=False, compare=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    per_query: Table | None = None
    better: dict[str, str] = field(default_factory=dict)
    counts: frozenset[str] = frozenset()
    _report: WriteReport | None = field(default=None, repr=False, compare=False)
    notes: list[str] = field(default_factory=list)
    unjudged: list[str] = field(default_factory=list)
    heterogeneity: Table | None = None

    @chart_kinds.check_arguments
    def plot(self, kind: str | None = None, *, metric: str | None = None, run: str | None = None) -> Any:
        """A chart of the comparison.

        Args:
            kind: ``differences`` by query, natural where runs are paired; ``histogram`` of them; ``against``, both
                values of each query; ``effects`` with their intervals, natural otherwise.
            metric: the metric as it was asked for, by default the first; of ``effects`` all.
            run: the candidate, by default the first; of ``effects`` all.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: there is no such chart, metric or run of this result, or Altair is not installed.
        """
        per_query = None if self.options.get("all_pairs") else self.per_query
        return chart_kinds.comparison_chart(self.summary.dicts(), per_query, self.better, kind, metric, run)

    def to_latex(self, *, intervals: bool = True) -> str:
        """The table of a paper: runs by metrics, as booktabs has it, with ``*`` where something is shown.

        Of all pairs it has the letters of the runs that a value is significantly better than.

        Args:
            intervals: whether the confidence interval of each difference from the baseline stands below the value; of
                all pairs there is none.

        Raises:
            UsageError: intervals is neither True nor False.
        """
        if not isinstance(intervals, bool):
            raise UsageError(f"intervals must be True or False, not {shortened(intervals)}.")
        return self._as_text("latex", intervals=intervals)

    def to_markdown(self) -> str:
        """The table that a comparison shows, for a pull request: a row for each difference, with its interval."""
        return self._as_text("markdown")

    def _as_text(self, form: str, **more: Any) -> str:
        settings = {"better": self.better, "counts": self.counts, "notes": self.notes, **more}
        if self.options.get("all_pairs"):
            return all_pairs.draw_tests(self.summary.dicts(), self.options, form, self.better, self.counts)
        return comparison_tables.comparison(self.summary.dicts(), self.options, form, **settings)

    def _html(self) -> str:
        if self.options.get("all_pairs"):
            grid = all_pairs.letters(self.summary.dicts(), self.options, self.better, self.counts)
            return html.page([grid], self.warnings)
        records = self.summary.dicts()[: html.MOST_ROWS]
        if not self.options or not records:
            return super()._html()
        grid = comparison_tables.verdicts(records, self.options, self.better, self.counts, notes=self.notes)
        return html.page([grid], self.warnings, n_not_shown(self.summary))

    def __repr__(self) -> str:
        if not self.options:
            return repr(self.summary)
        return self._as_text("table", most=MOST_SHOWN).rstrip("\n")
