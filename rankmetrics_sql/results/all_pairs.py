"""The result of comparing all pairs of runs, and its tables: a row per pair, or runs with letters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import Any

from ..definitions.verdicts import BETTER, DOWNWARD, FELL, ROSE, UPWARD, WORSE
from ..rows import Record
from . import chart_kinds, html
from .base import SummaryHtml
from .comparison_tables import sentences, title_of, verdicts
from .comparison_text import capitalised, reasons_of
from .comparison_text import describe_test as report_of
from .formats import cell_of, lay_out
from .numbers import best_of, format_value, number_of_queries
from .summary_rows import groups_of
from .tables import MOST_SHOWN, Table, n_not_shown
from .text_tables import Block, Cell, Grid, Screen, paragraph

_Values = Mapping[str, Mapping[str, Any]]


def text(
    records: Sequence[Record],
    options: Mapping[str, Any],
    form: str,
    better: Mapping[str, str],
    counts: Collection[str] = (),
    most: int | None = None,
    screen: Screen | None = None,
) -> str:
    """Return the table and how it was tested; markdown and latex have a row per run where each run has one value."""
    if form != "table":
        values = _values(records)
        grid = (
            differences(records, options, better, counts)
            if values is None
            else _runs(records, values, options, better, counts)
        )
        return lay_out(grid, form)
    first_records = records[:most]
    rest = (
        f"{len(records) - len(first_records)} more pairs are not shown; " if len(first_records) < len(records) else ""
    )
    grid = replace(differences(first_records, options, better, counts), caption="")
    below = [rest + describe_test(records, options), " ".join(reasons_of(records))]
    return lay_out(grid, form, screen) + "".join(
        f"{paragraph(paragraph_text, screen)}\n" for paragraph_text in below if paragraph_text
    )


def differences(
    records: Sequence[Record], options: Mapping[str, Any], better: Mapping[str, str], counts: Collection[str] = ()
) -> Grid:
    """Return a row for each pair and metric, with how they were tested below."""
    described = {**options, "correction": "tukey", "interval_level": "corrected"}
    return verdicts(records, described, better, counts, sentences(describe_test(records, options), reasons_of(records)))


# Which pairs have no p-value: by permutations those too of which some have other queries than others.
_UNKNOWN = {
    True: "none where pairs have not the same queries, or fewer than two",
    False: "none of a pair without two queries or without any variance",
}


def describe_test(records: Sequence[Record], options: Mapping[str, Any]) -> str:
    """Return one line on what was tested, and how."""
    is_drawn = options["test"] == "randomisation"
    pairs = len({(record["run"], record["baseline_run"]) for record in records})
    what = "randomised Tukey's test" if is_drawn else "Tukey's test"
    unknown = any(record["pvalue_adj"] is None for record in records)
    return ", ".join(
        [
            f"{what} of runs paired by query",
            *([f"{options['resamples']:,} permutations"] if is_drawn else []),
            *(["intervals of the studentised range"] if is_drawn else []),
            "p and intervals hold for " + ("the pair" if pairs == 1 else f"all {pairs:,} pairs of a metric together"),
            *([_UNKNOWN[is_drawn]] if unknown else []),
            number_of_queries(records),
            f"* p at most {1 - float(options['confidence_level']):.4g}",
        ]
    )


def draw_tests(
    records: Sequence[Record],
    options: Mapping[str, Any],
    form: str,
    better: Mapping[str, str],
    counts: Collection[str] = (),
    screen: Screen | None = None,
) -> str:
    """Return the table of all pairs that ``compare_all`` tested one by one."""
    grid = letters(records, options, better, counts)
    if form != "table":
        return lay_out(grid, form)
    return f"{lay_out(replace(_on_the_line(grid), caption=''), form, screen)}{paragraph(grid.caption, screen)}\n"


def letters(
    records: Sequence[Record], options: Mapping[str, Any], better: Mapping[str, str], counts: Collection[str] = ()
) -> Grid:
    """Return the value of each run and metric, with letters, or a row for each pair if runs have several values."""
    how = capitalised(report_of(records, options))
    metrics = list(dict.fromkeys(record["metric"] for record in records))
    groups: dict[tuple[tuple[str, Any], ...], list[Record]] = {}
    for record in records:
        groups.setdefault(tuple((name, record[name]) for name in groups_of(records)), []).append(record)
    blocks = []
    for key, members in groups.items():
        values = _values(members)
        if values is None:
            return verdicts(records, options, better, counts, sentences(how, reasons_of(records)))
        rows = _rows_of_runs(members, _in_order(values, metrics, options["all_pairs"]), better, counts)
        blocks.append(Block(title_of(key, members) if key else "", rows))
    return Grid(["", "run", *metrics], blocks, _caption(records, metrics, better, how), n_keys=2)


def _in_order(values: _Values, metrics: Sequence[str], runs: Sequence[str]) -> _Values:
    """Return the values of each metric for all runs, with None where a run has none."""
    return {metric: {run: values.get(metric, {}).get(run) for run in runs} for metric in metrics}


def _on_the_line(grid: Grid) -> Grid:
    """Return the grid with the letters behind the values, for formats without superscripts."""
    blocks = [
        Block(title, [[cell._replace(text=f"{cell.text} {cell.above}".rstrip()) for cell in row] for row in rows])
        for title, rows in grid.blocks
    ]
    return replace(grid, blocks=blocks)


def _values(records: Sequence[Record]) -> _Values | None:
    """Return the value of each run by the metric, or None if pairs have different queries and so several values."""
    by_metric: dict[str, dict[str, Any]] = {}
    for record in records:
        by_run = by_metric.setdefault(record["metric"], {})
        for run, side in (("baseline_run", "baseline"), ("run", "candidate")):
            if format_value(by_run.setdefault(record[run], record[side])) != format_value(record[side]):
                return None
    return by_metric


def _runs(
    records: Sequence[Record],
    values: _Values,
    options: Mapping[str, Any],
    better: Mapping[str, str],
    counts: Collection[str],
) -> Grid:
    """Return the value of each run and metric, with the letters of the runs that it beats."""
    rows = _rows_of_runs(records, values, better, counts)
    caption = _caption(records, [*values], better, describe_test(records, options))
    return Grid(["", "run", *values], [Block("", rows)], caption, n_keys=2)


def _rows_of_runs(
    records: Sequence[Record], values: _Values, better: Mapping[str, str], counts: Collection[str]
) -> list[list[Cell]]:
    runs = list(next(iter(values.values())))
    letters_of_runs = dict(zip(runs, map(_letter, range(len(runs))), strict=True))
    between = "" if len(runs) <= len(ascii_lowercase) else ","
    rows = [[Cell(letters_of_runs[run]), Cell(run)] for run in runs]
    for metric, by_run in values.items():
        best = best_of([*by_run.values()], better.get(metric, "higher"), metric in counts)
        beaten = _beaten([record for record in records if record["metric"] == metric], better)
        for place, (row, run) in enumerate(zip(rows, runs, strict=True)):
            above = between.join(letters_of_runs[other] for other in runs if other in beaten.get(run, ()))
            cell = cell_of(by_run[run], metric in counts, is_best=place in best)
            row.append(cell._replace(is_number=False, above=above))  # to the left, so that letters move no digit
    return rows


def _caption(records: Sequence[Record], metrics: Sequence[str], better: Mapping[str, str], how: str) -> str:
    """Explain the letters and the test."""
    lowest = [metric for metric in metrics if better.get(metric) == "lower"]
    bold = "best values in bold" + (f" (the lowest of {', '.join(lowest)})" if lowest else "")
    tests = {str(record.get("test")) for record in records} & _BEATEN.keys()
    what = _BEATEN[min(tests)] if tests else "that a value is significantly better than"
    lines = [f"Letters name the runs {what}, {bold}. {how.replace('* p at most', 'p at most')}.", *reasons_of(records)]
    return " ".join(lines)


def _letter(place: int) -> str:
    """Return the letter of a place: a to z, then aa, ab and so on."""
    before, last = divmod(place, len(ascii_lowercase))
    return (_letter(before - 1) if before else "") + ascii_lowercase[last]


# What a letter says of a run where it is not the mean that was tested.
_BEATEN = {
    "sign": "with which significantly more queries do worse",
    "wilcoxon": "from which signed ranks significantly lean towards the better",
}


def _beaten(records: Sequence[Record], better: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the runs that each run significantly beats, by what was tested."""
    beaten: dict[str, set[str]] = {}
    for record in records:
        winner = _winner(record["verdict"], better.get(record["metric"]) == "lower")
        if winner is not None:
            pair = record["run"], record["baseline_run"]
            above, below = pair if winner == "candidate" else reversed(pair)
            beaten.setdefault(above, set()).add(below)
    return beaten


def _winner(verdict: str, is_lower_better: bool) -> str | None:
    """Return the side of a pair that a verdict favours, if any."""
    if verdict in (ROSE, FELL, UPWARD, DOWNWARD):
        return "candidate" if (verdict in (ROSE, UPWARD)) != is_lower_better else "baseline"
    return {BETTER: "candidate", WORSE: "baseline"}.get(verdict)


@dataclass(frozen=True)
class AllPairs(SummaryHtml):
    """Every pair of systems, tested together.

    Attributes:
        summary: a row per metric and pair. What is undefined is None, as of a pair whose differences are all equal;
            permutations say nothing of a metric for which the pairs have not all the same queries.

            - ``run``, ``baseline_run``: the pair.
            - ``metric``: the metric as typed.
            - ``candidate``, ``baseline``: their values.
            - ``effect_size``, ``effect_size_ci_lower``, ``effect_size_ci_upper``: the difference, with the interval of
              the studentised range, whatever the p-value is from.
            - ``standard_error``: of the effect.
            - ``test``: ``tukey`` or ``randomised_tukey``.
            - ``statistic``: sqrt(2) times the size of t.
            - ``pvalue_adj``: holds for all pairs of the metric together.
            - ``significant``, ``verdict``, ``reason``, ``n_queries``: as of a comparison.
            - ``confidence_level``, ``alternative``, ``correction``: how it was tested: ``two_sided``, ``tukey``.
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

    @chart_kinds.check_arguments
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
        return chart_kinds.all_pairs_chart(self.summary.dicts(), kind, metric)

    def to_latex(self) -> str:
        """The table of a paper: a row for each run, with the letters of the runs that a value is better than."""
        return text(self.summary.dicts(), self.options, "latex", self.better, self.counts)

    def to_markdown(self) -> str:
        """The same for a pull request."""
        return text(self.summary.dicts(), self.options, "markdown", self.better, self.counts)

    def _html(self) -> str:
        if not self.options:
            return super()._html()
        records = self.summary.dicts()[: html.MOST_ROWS]
        grid = differences(records, self.options, self.better, self.counts)
        return html.page([grid], self.warnings, n_not_shown(self.summary))

    def __repr__(self) -> str:
        if not self.options:
            return repr(self.summary)
        records = self.summary.dicts()
        return text(records, self.options, "table", self.better, self.counts, MOST_SHOWN).rstrip("\n")
