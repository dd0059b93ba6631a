"""Charts of how values are distributed over queries, counted in bins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..rows import Record
from .drawing import (
    WIDTH,
    alt,
    below_each_other,
    by_series,
    data,
    distinct,
    is_number,
    name_of,
    nothing,
    require_columns,
    titled,
    with_columns,
    write_count,
)

BINS = 20
_MOST_RUNS = 8


@with_columns()
def distribution(rows: Sequence[Record], metrics: Sequence[str]) -> Any:
    """Histograms of the values of queries.

    Args:
        rows: the rows of ``Result.per_query``: ``run_id`` where there are several, the query, groups, and a column for
            each metric.
        metrics: the names of the columns to draw.

    Returns:
        For each metric and run the number of queries in each of twenty bins, and their mean as a line. Queries without
        a value are counted in the title.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    require_columns("charts.distribution", rows, metrics)
    runs = distinct(name_of(row.get("run_id", "")) for row in rows)
    values: dict[tuple[str, str], list[float]] = {(metric, run): [] for metric in metrics for run in runs}
    for row in rows:
        run = name_of(row.get("run_id", ""))
        for metric in metrics:
            if is_number(row[metric]):
                values[metric, run].append(row[metric])
    by_run = {key: numbers for key, numbers in values.items() if numbers}
    title = f"Distribution of {', '.join(metrics)} over queries"
    if not by_run:
        return nothing(title, "No query has a value.")
    runs_drawn = runs[:_MOST_RUNS]
    without = len(rows) * len(metrics) - sum(map(len, by_run.values()))
    notes = [
        f"{write_count([without], 'value is', 'values are')} missing." if without else "",
        f"The first {len(runs_drawn)} of {len(runs):,} runs." if len(runs_drawn) < len(runs) else "",
        "Lines are means.",
    ]
    charts = [
        _draw_distributions(
            {run: by_run[metric, run] for run in runs_drawn if (metric, run) in by_run}, metric, runs_drawn
        )
        for metric in metrics
    ]
    title = f"{title.removesuffix(' over queries')}, {write_count(len(numbers) for numbers in by_run.values())}"
    return titled(below_each_other(charts), title, notes)


def _draw_distributions(values: Mapping[str, Sequence[float]], metric: str, runs: Sequence[str]) -> Any:
    charts = [_histogram(numbers, run, metric, _limits(values), runs) for run, numbers in values.items()]
    return charts[0] if len(charts) == 1 else alt().vconcat(*charts, spacing=8)


def _limits(values: Mapping[str, Sequence[float]]) -> tuple[float, float]:
    """Return the ends of the bins: 0 to 1 if that range holds all values, as for most metrics."""
    low, high = min(map(min, values.values())), max(map(max, values.values()))
    if low >= 0 and high <= 1:
        return 0, 1
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _histogram(of_run: Sequence[float], run: str, metric: str, limits: tuple[float, float], runs: Sequence[str]) -> Any:
    a = alt()
    low, width = limits[0], (limits[1] - limits[0]) / BINS
    numbers = [0] * BINS
    for value in of_run:
        # the last bin is closed, and an edge belongs to the bin above in spite of rounding
        numbers[min(BINS - 1, int((value - low) / width + 1e-9))] += 1
    bars = [
        {"series": run, "from": low + place * width, "to": low + (place + 1) * width, "n": number}
        for place, number in enumerate(numbers)
    ]
    scale = a.Scale(domain=list(limits), nice=False)
    x = a.X("from:Q", title=metric, scale=scale, bin="binned", axis=a.Axis(grid=False))
    y = a.Y("n:Q", title=["queries", run] if run else "queries", axis=a.Axis(tickMinStep=1, tickCount=4))
    tip = [a.Tooltip("from:Q", format=".4~f"), a.Tooltip("to:Q", format=".4~f"), a.Tooltip("n:Q", title="queries")]
    columns = (
        a.Chart(data(bars))
        .mark_bar(binSpacing=1, orient="vertical")
        .encode(x=x, x2="to:Q", y=y, color=by_series(runs), tooltip=tip)
    )
    middle = a.Chart(data([{"mean": sum(of_run) / len(of_run)}])).mark_rule(
        color="black", strokeDash=[4, 3], strokeWidth=2
    )
    mean = middle.encode(x=a.X("mean:Q", title=metric, scale=scale), tooltip=[a.Tooltip("mean:Q", format=".4f")])
    return a.layer(columns, mean).properties(width=WIDTH, height=130 if len(runs) > 1 else 200)
