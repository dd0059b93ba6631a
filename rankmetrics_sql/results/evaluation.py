"""The results of an evaluation: values, curves, and click-through rates by position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import shortened
from ..rows import Row
from . import chart_kinds
from .base import Reportable, SaveResult, Storable, SummaryHtml, WriteReport
from .tables import Table, renamed


@dataclass(frozen=True)
class Result(SummaryHtml, Storable, Reportable):
    """One evaluation.

    Attributes:
        summary: a row per metric, and per run and group, if there are several.

            - ``run_id``: the run, of several.
            - the groups: under the names of the columns of ``by=``, and ``period``.
            - ``breakdown``: with ``rollup=`` the groups of the row; ``total`` if there are none.
            - ``metric``: the metric as typed.
            - ``value``: the mean over the queries, or what else the metric takes of them.
            - ``n_queries``: the queries with a value, so that an unweighted mean times ``n_queries`` is the sum of the
              values.
            - ``n_left_out``: the queries without one, None in ``per_query``, where a metric can have such; a skipped
              query is in neither.
            - ``sum_of_weights``: of the queries with a value, with ``weight=``.
            - ``standard_error``, ``ci_lower``, ``ci_upper``: of the mean, with ``interval=``.
            - ``n_clusters``, ``largest_cluster_share``: with ``cluster=``.
        per_query: a row per query, and per run, if there are several. It is computed when it is first looked at, from
            the tables as they are then; a file of DuckDB's is opened once more for that.

            - ``run_id``: the run, of several.
            - the query: under the name of the user's column.
            - the groups: as in ``summary``.
            - the metrics: a column for each metric as typed.
        sql: the text of the statement behind ``summary``, exactly as it ran; of a source, whose rows DuckDB stores for
            the evaluation, with their select in their place.
        warnings: what may make a number mean less than it seems.
        metrics: for each metric as typed, its column in SQL, so in the tables and views that ``create_table`` and
            ``create_view`` leave.
        counts: the metrics whose values are counts, summed over the queries.
        trec_eval: for each metric as typed, what trec_eval calls it; the same where it has no name of its own for that.
        check: what was checked before: ``full``, ``judged`` or ``none`` as of the option; ``share`` where check=auto
            looked for duplicates in a share of the rows.
        better: for each metric as typed, whether ``higher`` or ``lower`` values are better.
        data_quality: what became of the rows of a source such as ``events()``; None for other inputs. The rows add up
            to those that were read.

            - ``input``: the table.
            - ``reason``: ``used``, or why rows were set aside.
            - ``n_rows``: how many.
        judged_first: computes for each run the share of judged items among those within the lowest cutoff, of all
            scored queries, and that cutoff; no share where judged items were not counted.
        unjudged: the runs that retrieved no judged item, so that their values say nothing; a warning shows ids. A
            single run is called ``run``.
    """

    summary: Table
    per_query: Table
    sql: str
    warnings: list[str] = field(default_factory=list)
    metrics: dict[str, str] = field(default_factory=dict)
    counts: frozenset[str] = frozenset()
    trec_eval: dict[str, str] = field(default_factory=dict)
    _save: SaveResult | None = field(default=None, repr=False, compare=False)
    _asked_as: Callable[[Any], str | None] | None = field(default=None, repr=False, compare=False)
    check: str = "full"
    data_quality: Table | None = None
    better: dict[str, str] = field(default_factory=dict)
    judged_first: Callable[[], tuple[dict[str, float], int]] | None = field(default=None, repr=False, compare=False)
    unjudged: list[str] = field(default_factory=list)
    _report: WriteReport | None = field(default=None, repr=False, compare=False)
    _run_name: str = field(default="run_id", repr=False, compare=False)

    def __getitem__(self, metric: str) -> float | None:
        """The value of a metric, where one run was scored as a whole.

        Args:
            metric: the metric as it was asked for, or in another spelling: ``"nDCG@10"`` for ``"ndcg_cut_10"``.

        Returns:
            The value, or None where the summary has none, such as over no query.

        Raises:
            KeyError: no such metric was asked for, or there is more than one value.
        """
        label = metric if self._asked_as is None else self._asked_as(metric)
        values = [row["value"] for row in self.summary.dicts() if row["metric"] == label]
        if label not in self.metrics:
            raise KeyError(f"{shortened(metric)} is not in this result, which has {', '.join(self.metrics)}")
        if len(values) != 1:
            raise KeyError(f"{metric!r} has {len(values)} values in this result. Read result.summary")
        return None if values[0] is None else float(values[0])

    @chart_kinds.check_arguments
    def plot(self, kind: str | None = None, *, metric: str | None = None) -> Any:
        """A chart of the values.

        Args:
            kind: ``over_time``, natural with ``period=``; else ``segments``; ``distribution`` over the queries.
            metric: the metric as it was asked for, by default all.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: there is no such chart, or no such metric of this result, or Altair is not installed.
        """
        return chart_kinds.evaluation_chart(self.summary, self.per_query, [*self.metrics], kind, metric)

    def _shown(self) -> Table:
        return renamed(self.summary, {"run_id": self._run_name})

    def __repr__(self) -> str:
        return repr(self._shown())


@dataclass(frozen=True)
class Curve(SummaryHtml, Storable):
    """A curve, as long tables.

    Attributes:
        summary: the curve's average over queries, a row per point; None for a curve whose points each list has of its
            own.

            - ``run_id``: the run, of several.
            - the groups: under the names of the columns of ``by=``.
            - ``x``, ``y``: the value of the parameter, and of the metric there.
            - ``n_queries``: the queries with a value.
        per_query: a row per query and point; computed when it is first looked at.

            - ``run_id``: the run, of several.
            - the query: under the name of the user's column.
            - ``x``, ``y``: as in ``summary``.
        sql: the text of the statement, exactly as it ran.
        warnings: what may make a number mean less than it seems.
        metric: the metric as typed.
        along: the parameter that x is.
    """

    summary: Table | None
    per_query: Table
    sql: str
    warnings: list[str] = field(default_factory=list)
    _save: SaveResult | None = field(default=None, repr=False, compare=False)
    metric: str = ""
    along: str = "k"
    _is_judged: bool = field(default=False, repr=False, compare=False)
    _run_name: str = field(default="run_id", repr=False, compare=False)

    @chart_kinds.check_arguments
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
        return chart_kinds.curve_chart(
            self.summary, self.per_query, self.metric, self.along, kind, is_judged=self._is_judged
        )

    def for_people(self, table: Table) -> Table:
        """Return ``summary`` or ``per_query`` with the names of the parameter and the metric, and whole cutoffs."""
        runs = {"run_id": self._run_name}
        if self.summary is None:
            return renamed(table, runs | {"x": "recall", "y": "precision"})
        return renamed(table, runs | {"x": self.along, "y": self.metric}, "x" if self.along == "k" else "")

    def _shown(self) -> Table:
        return self.for_people(self.summary or self.per_query)

    def __repr__(self) -> str:
        return repr(self._shown())


class StorableTable(Storable, Table):
    """The rows of one statement, which the database can keep."""

    def __init__(self, text: str, columns: Sequence[str], rows: Sequence[Row], save: SaveResult | None) -> None:
        """Take the statement, what it returned, and the function that stores it."""
        super().__init__(lambda: text, lambda _: (columns, rows))
        self._save = save

    def with_rows(self, rows: Sequence[Row]) -> StorableTable:
        """Return the table with the rows in other types of Python; what is stored stays the same."""
        return StorableTable(self.sql, self.columns, rows, self._save)


class Positions(StorableTable):
    """A row for each group and position, with the share of its impressions that were clicked."""

    @chart_kinds.check_arguments
    def plot(self) -> Any:
        """Draws the click-through rate by position, with its intervals.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: Altair is not installed.
        """
        from .. import charts

        return charts.positions(self.dicts())
