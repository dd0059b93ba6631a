"""What an evaluation gives back: tables that convert to whatever the analyst works with, and the SQL that made them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..errors import UsageError, shortened
from ..optional import optional, pyarrow
from . import arrow, grids, html, layouts, pairs, plots, report

Row = tuple[Any, ...]
Leave = Callable[[str, str, str, bool], None]
WriteReport = Callable[[Path], None]

_LARGEST_BATCH = 1_000_000
_MOST_SHOWN = 20  # rows


class Table(html.Shown):
    """The rows of one statement, which is written and run when it is first asked for."""

    def __init__(
        self,
        render: Callable[[], str],
        run: Callable[[str], tuple[Sequence[str], Sequence[Row]]],
        stream: Callable[[str, int], Iterator[Any]] | None = None,
        order: Sequence[str] = (),
    ) -> None:
        """Prepares to run a statement.

        Args:
            render: writes it.
            run: gives its columns and rows.
            stream: gives its rows as Arrow record batches of about a size, without making rows of Python.
            order: the runs in their order, where there are several.
        """
        self._render = render
        self._run = run
        self._stream = stream
        self._order = order
        self._result: tuple[list[str], list[Row]] | None = None

    @cached_property
    def sql(self) -> str:
        """The text of the statement."""
        return self._render()

    def _fetched(self) -> tuple[list[str], list[Row]]:
        if self._result is None:
            columns, rows = self._run(self.sql)
            self._result = list(columns), list(rows)
        return self._result

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._fetched()[0]

    def fetchall(self) -> list[Row]:
        """The rows as tuples."""
        return self._fetched()[1]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.fetchall())

    def __len__(self) -> int:
        return len(self.fetchall())

    def dicts(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        return [dict(zip(self.columns, row, strict=True)) for row in self]

    def df(self) -> Any:
        """The rows as a pandas DataFrame."""
        pandas = optional("pandas", "pandas is not installed: pip install pandas.")
        return pandas.DataFrame.from_records(self.fetchall(), columns=self.columns)

    def pl(self) -> Any:
        """The rows as a Polars DataFrame."""
        polars = optional("polars", "Polars is not installed: pip install polars.")
        return polars.DataFrame(self.fetchall(), schema=self.columns, orient="row", infer_schema_length=None)

    def batches(self, size: int = 100_000) -> Iterator[Any]:
        """The rows as Arrow record batches, as they come from the database: sorted by run and query, never all at once.

        Nothing else can run on the connection until the last one has been taken.

        Args:
            size: about how many rows a batch has, at most a million.

        Raises:
            UsageError: the size is none.
            DataError: a row is at fault; batches before it have been given.
        """
        if not isinstance(size, int) or not 1 <= size <= _LARGEST_BATCH:
            raise UsageError(f"size is a number of rows, not {shortened(size)}; at most {_LARGEST_BATCH:,}.")
        pyarrow()  # else the error would come with the first batch
        if self._result is not None or self._stream is None:
            return iter(arrow.table(self.columns, self.fetchall()).to_batches(size))
        return self._stream(self.sql, size)

    def arrow(self) -> Any:
        """The rows as a PyArrow table."""
        streams = self._result is None and self._stream is not None
        found = arrow.together(self.batches()) if streams else None
        if found is None:
            return arrow.table(self.columns, self.fetchall())
        return arrow.in_order(found, self._order) if len(self._order) > 1 else found

    def __repr__(self) -> str:
        more = [f"... {len(self) - _MOST_SHOWN} more rows"] if len(self) > _MOST_SHOWN else []
        return "\n".join([_aligned(self.columns, self.fetchall()[:_MOST_SHOWN]), *more])

    def _grid(self) -> grids.Grid:
        return html.grid_of(self.columns, self.fetchall()[: html.MOST_ROWS])

    def _html(self) -> str:
        return html.page([self._grid()], more=_more(self))


def _more(table: Table) -> int:
    """How many rows are not shown."""
    return max(0, len(table) - html.MOST_ROWS)


def _aligned(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows below the names of their columns, numbers to the right."""
    return layouts.lay_out(html.grid_of(columns, rows), "table").rstrip("\n")


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


class _Of(html.Shown):
    """A result whose summary, and what is to be known of it, notebooks show."""

    summary: Table | None
    warnings: list[str]

    def _html(self) -> str:
        if self.summary is None:
            return html.page([], self.warnings)
        return html.page([self.summary._grid()], self.warnings, _more(self.summary))


class _Tables(html.Shown):
    """A result of several lists of rows."""

    warnings: list[str]

    def _shown(self) -> list[Sequence[Mapping[str, Any]]]:
        raise NotImplementedError

    def _html(self) -> str:
        tables = [table for table in self._shown() if table]
        rows = [[[*row.values()] for row in table] for table in tables]
        grids = [html.grid_of([*table[0]], own) for table, own in zip(tables, rows, strict=True)]
        return html.page(grids, self.warnings)

    def __repr__(self) -> str:
        return "\n\n".join(_lines(table) for table in self._shown() if table)


class _Leaving:
    """What leaves a result in the database that it was computed in."""

    _leave: Leave | None

    def create_table(self, name: str, level: str = "summary", replace: bool = False) -> None:
        """Runs the statement once more, and leaves its rows in a table of the database: all of them or nothing.

        Args:
            name: the table's name, such as ``schema.name``.
            level: ``summary`` or ``per_query``.
            replace: whether a table of that name is replaced.

        Raises:
            UsageError: the name is taken, or an input is no table or query of that database.
            DatabaseError: the database refused; a table that was there is as it was.
        """
        self._leave_as("table", name, level, replace)

    def create_view(self, name: str, level: str = "summary", replace: bool = False) -> None:
        """Leaves the statement in the database, as a view over the tables that it reads.

        Args:
            name: the view's name, such as ``schema.name``.
            level: ``summary`` or ``per_query``.
            replace: whether a view of that name is replaced.

        Raises:
            UsageError: the name is taken, or an input is no table or query of that database.
            DatabaseError: the database refused; a view that was there is as it was.
        """
        self._leave_as("view", name, level, replace)

    def _leave_as(self, kind: str, name: str, level: str, replace: bool) -> None:
        if self._leave is None:
            raise UsageError("This result was not computed in a database.")
        if not (isinstance(name, str) and isinstance(level, str) and isinstance(replace, bool)):
            given = ", ".join(map(shortened, (name, level, replace)))
            raise UsageError(f"A name, a level and whether to replace is text, text and True or False; not {given}.")
        self._leave(kind, name, level, replace)


class _Reporting:
    """What writes a page about a result and what can be asked of the same inputs."""

    _report: WriteReport | None

    def report(self, path: str | Path) -> None:
        """Writes one file of HTML that needs no network: verdict, numbers, charts, segments, queries, quality, SQL.

        The inputs are read once for all that is on it: files and objects as they were read for the result, tables of a
        database once more, as they are then. Of several runs the first is the baseline that the others are compared
        with.

        Args:
            path: the file, which is written whole or not at all.

        Raises:
            UsageError: Altair or vl-convert-python is not installed, or the result is of no evaluation.
            DataError: the file cannot be written, or an input is not there any more.
        """
        if not isinstance(path, str | Path):
            raise UsageError(f"path is the name of a file, not {shortened(path)}.")
        if str(path) in ("", "."):
            raise UsageError("path is the name of a file, such as report.html; it is empty.")
        if self._report is None:
            raise UsageError("This result is not of an evaluation or a comparison, which a report is about.")
        self._report(Path(path))


@dataclass(frozen=True)
class Result(_Of, _Leaving, _Reporting):
    """One evaluation.

    Attributes:
        summary: a row per metric (and run and group): ``run_id``, groups, ``metric``, ``value``, ``n_queries``.
        per_query: a row per query (and run): ``run_id``, the query under the name of the user's column, and a column
            for each metric as typed; computed when it is first looked at, so from the tables as they are then (a file
            of DuckDB's is opened once more for that).
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
        data_quality: of a source such as ``events()``, a row per ``input`` and ``reason`` with the ``n_rows`` that were
            used or set aside; they add up to the rows that were read. None for other inputs.
    """

    summary: Table
    per_query: Table
    sql: str
    warnings: list[str] = field(default_factory=list)
    metrics: dict[str, str] = field(default_factory=dict)
    counts: frozenset[str] = frozenset()
    trec_eval: dict[str, str] = field(default_factory=dict)
    _leave: Leave | None = field(default=None, repr=False, compare=False)
    _asked_as: Callable[[Any], str | None] | None = field(default=None, repr=False, compare=False)
    check: str = "full"
    data_quality: Table | None = None
    better: dict[str, str] = field(default_factory=dict)
    _report: WriteReport | None = field(default=None, repr=False, compare=False)

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
            raise KeyError(f"{shortened(metric)} was not asked for; there are {', '.join(self.metrics)}")
        if len(values) != 1:
            raise KeyError(f"{metric!r} has {len(values)} values in this result; see result.summary")
        return None if values[0] is None else float(values[0])

    @plots.choosing
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
        return plots.of_result(self, kind, metric)

    def __repr__(self) -> str:
        return repr(self.summary)


@dataclass(frozen=True)
class Comparison(_Of, _Leaving, _Reporting):
    """Runs compared with a baseline, query by query.

    Attributes:
        summary: a row per candidate and metric: ``run`` (the candidate), ``baseline_run``, groups, ``metric``, the
            values ``baseline`` and ``candidate``; ``effect_size``, their difference, with the ends of its interval,
            ``effect_size_ci_lower`` and ``effect_size_ci_upper``; ``rel_effect_size``, its share of the baseline, with
            those of its own, of the logarithm of the ratio; ``standard_error`` of the effect; ``test`` (as asked for,
            or ``sequential``), ``statistic``, ``pvalue``, ``pvalue_adj`` as corrected for how many there are,
            ``significant`` (1 or 0); ``verdict``, what follows from that: ``better``, ``worse``, ``not clear``,
            ``too few queries``, ``no test`` and the others of docs/comparing.md; ``std_effect_size``, the effect in
            standard deviations of the differences; ``prob_superiority``, the share of queries where the candidate is
            better, a tie being half a query; ``n_queries`` that have a value, ``n_higher``, ``n_ties``, ``n_lower`` of
            them, ``n_left_out``, and ``n_units``, the queries (or clusters) that differ, of arms those of the smaller
            one. ``confidence_level``, ``alternative``, ``correction`` and ``margin`` say how it was tested. Where
            they are asked for: ``n_clusters`` and ``largest_cluster_share``, ``min_detectable_effect``,
            ``n_queries_needed``, how many queries find an effect as large as the one seen at the level of the
            correction (plan with the least effect that matters instead: the number grows with the square of the effect
            seen divided by it); of pairs by sign, ranks or randomisation ``method``, how the p-value was found:
            ``exact``, ``normal`` or ``draws``; and ``variance_reduction``, the share of the effect's variance that a
            covariate takes away: the effect and all that follows are then adjusted, and no longer the difference of
            both values. What is undefined is None. An end of an interval that is None is open where ``alternative``
            leaves that side open and the other end is there (the upper one of ``greater``, the lower one of ``less``):
            it is infinite, or -1 of a relative effect. Any other that is None is unknown.
        sql: the text of the statement, exactly as it ran.
        warnings: what may make a number mean less than it seems.
        options: how it was tested: ``design``, ``test``, ``confidence_level``, ``alternative``, ``correction``,
            ``family`` and the others of comparisons; ``cluster`` and ``covariate``, where there is one; ``all_pairs``,
            the runs in their order, where all pairs are compared.
        per_query: both values of each query, those that differ most first: ``run``, ``baseline_run``, the query,
            groups, ``metric``, ``baseline``, ``candidate``, their ``difference`` and its ``contribution`` to the
            effect, which is the sum of them (of a mean or a sum; None of others); computed when it is first looked at.
            None of unpaired runs.
        better: for each metric as typed, whether ``higher`` or ``lower`` values are better.
        counts: the metrics whose values are counts, summed over the queries.
        notes: sentences below the table: of arms the sample ratio, unless ``check=none``.
    """

    summary: Table
    sql: str
    warnings: list[str] = field(default_factory=list)
    _leave: Leave | None = field(default=None, repr=False, compare=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    per_query: Table | None = None
    better: dict[str, str] = field(default_factory=dict)
    counts: frozenset[str] = frozenset()
    _report: WriteReport | None = field(default=None, repr=False, compare=False)
    notes: list[str] = field(default_factory=list)

    @plots.choosing
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
        return plots.of_comparison(self, kind, metric, run)

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
            raise UsageError(f"intervals is True or False, not {shortened(intervals)}.")
        return self._as_text("latex", intervals=intervals)

    def to_markdown(self) -> str:
        """The table that a comparison shows, for a pull request: a row for each difference, with its interval."""
        return self._as_text("markdown")

    def _as_text(self, form: str, **more: Any) -> str:
        shown = {"better": self.better, "counts": self.counts, "notes": self.notes, **more}
        if self.options.get("all_pairs"):
            return pairs.compared(self.summary.dicts(), self.options, form, self.better, self.counts)
        return report.comparison(self.summary.dicts(), self.options, form, **shown)

    def _html(self) -> str:
        if self.options.get("all_pairs"):
            grid = pairs.letters(self.summary.dicts(), self.options, self.better, self.counts)
            return html.page([grid], self.warnings)
        records = self.summary.dicts()[: html.MOST_ROWS]
        if not self.options or not records:
            return super()._html()
        grid = report.verdicts(records, self.options, self.better, self.counts, notes=self.notes)
        return html.page([grid], self.warnings, _more(self.summary))

    def __repr__(self) -> str:
        if not self.options:
            return repr(self.summary)
        return self._as_text("table", most=_MOST_SHOWN).rstrip("\n")


@dataclass(frozen=True)
class Decomposition(_Of, _Leaving):
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
        return plots.of_decomposition(self, kind, metric, run)

    def __repr__(self) -> str:
        return repr(self.summary)


@dataclass(frozen=True)
class Movements(_Of, _Leaving):
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
        return plots.of_movements(self, kind, run, query)

    def __repr__(self) -> str:
        return repr(self.summary)


@dataclass(frozen=True)
class Curve(_Of, _Leaving):
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

    @plots.choosing
    def plot(self, kind: str | None = None) -> Any:
        """A chart of the curve.

        Args:
            kind: ``curve``, natural along k; ``precision_recall``, natural along recall and of precision-recall points;
                ``judged_share`` of a metric that is one.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: there is no such chart of this result, or Altair is not installed.
        """
        return plots.of_curve(self, kind)

    def _html(self) -> str:
        table = self.summary or self.per_query
        return html.page([table._grid()], self.warnings, _more(table))

    def __repr__(self) -> str:
        return repr(self.summary or self.per_query)


@dataclass(frozen=True)
class Explanation(_Tables):
    """Why two profiles give one metric two values.

    Attributes:
        metric: the metric as typed.
        profile: the name of the first profile.
        against: the name of the second.
        value: the metric's value with the first.
        against_value: its value with the second.
        choices: for each choice that differs: ``choice``, its value in each profile, ``value`` of the metric with the
            second profile and only this choice of the first (None where that is a contradiction), and ``difference``
            from the second profile's value.
        together: what the choices do together beyond the sum of what each does alone.
        queries: the queries by how far they move: the query, both values, ``difference``, and ``mostly``, the
            choice that alone moves the query most.
        sql: the statement behind the values, exactly as it ran.
        warnings: what may make a number mean less than it seems.
    """

    metric: str
    profile: str
    against: str
    value: float | None
    against_value: float | None
    choices: list[dict[str, Any]]
    together: float | None
    queries: list[dict[str, Any]]
    sql: str
    warnings: list[str] = field(default_factory=list)

    def _shown(self) -> list[Sequence[Mapping[str, Any]]]:
        values = {"metric": self.metric, self.profile: self.value, self.against: self.against_value}
        return [[values], self.choices, self.queries[: html.MOST_ROWS]]

    def __repr__(self) -> str:
        lines = [f"{self.metric}: {_cell(self.value)} by {self.profile}, {_cell(self.against_value)} by {self.against}"]
        return "\n".join([*lines, *([_lines(self.choices)] if self.choices else [])])


@dataclass(frozen=True, repr=False)
class AllPairs(_Of):
    """Every pair of systems, tested together.

    Attributes:
        summary: a row per metric and pair: ``run``, ``baseline_run``, ``metric``, their values ``candidate`` and
            ``baseline``, ``effect_size`` with the ends of its interval, ``effect_size_ci_lower`` and
            ``effect_size_ci_upper``, its ``standard_error`` by the spread that all pairs share, ``test`` (``tukey`` or
            ``randomised_tukey``), ``statistic``, the effect in errors of a mean, of which that of a difference is
            sqrt(2), ``pvalue_adj``, which holds for all pairs of the metric together, ``significant`` (1 or 0),
            ``verdict`` and ``n_queries``; ``confidence_level``, ``alternative`` (``two_sided``) and ``correction``
            (``tukey``) say how it was tested. What is undefined is None: of a metric for which the pairs have not all
            the same queries, nothing is known. The interval is of the studentised range, whatever the p-value is from.
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
        return plots.of_pairs(self, kind, metric)

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
        return html.page([grid], self.warnings, _more(self.summary))

    def __repr__(self) -> str:
        if not self.options:
            return repr(self.summary)
        records = self.summary.dicts()
        return pairs.text(records, self.options, "table", self.better, self.counts, _MOST_SHOWN).rstrip("\n")


@dataclass(frozen=True, repr=False)
class Sensitivity(_Tables):
    """How values and the order of systems move under what is not known: unjudged items, and the order of equal scores.

    Attributes:
        values: a row per metric and system: ``metric``, ``run_id``, and of each scenario the value and the rank of the
            system, 1 for the best: ``asked`` and ``asked_rank`` with the options as they are; ``low``, ``low_rank`` and
            ``high``, ``high_rank`` as if none and as if all unjudged items were relevant (the two of
            ``unjudged=bounds``); ``worst``, ``expected`` and ``best`` order of items with equal scores. None where the
            metric has no form for that, which a warning says. ``n_queries`` is how many the value as asked is of.
        agreement: a row per metric: Kendall's tau-b of the order of the systems as asked and in each scenario, under
            its name, and ``n_runs``; None where fewer than two systems have values, or all have the same.
        certain: a row per metric and pair of systems of different ranks: ``metric``, ``above`` and ``below``, by rank;
            ``despite_unjudged``, whether the one's worse value of low and high is better than the other's better one;
            ``despite_ties``, the same of the worst and the best order. Of metrics whose ideal ranking or number of
            relevant items is made of the judgments (nDCG, AP, recall), other relevance of the unjudged items may give
            values beyond low and high.
        sql: the text of the statement, exactly as it ran.
        warnings: what may make a number mean less than it seems.
    """

    values: list[dict[str, Any]]
    agreement: list[dict[str, Any]]
    certain: list[dict[str, Any]]
    sql: str
    warnings: list[str] = field(default_factory=list)

    @plots.choosing
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
        return plots.of_sensitivity(self, kind, metric)

    def _shown(self) -> list[Sequence[Mapping[str, Any]]]:
        return [self.values, self.agreement, self.certain]


@dataclass(frozen=True, repr=False)
class Agreement(_Tables):
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
        return plots.of_agreement(self, kind, metric)

    def _shown(self) -> list[Sequence[Mapping[str, Any]]]:
        return [[self.judgments], self.values, self.agreement]


def _lines(table: Sequence[Mapping[str, Any]]) -> str:
    """The rows below the names of their columns."""
    return _aligned([*table[0]], [[*row.values()] for row in table])
