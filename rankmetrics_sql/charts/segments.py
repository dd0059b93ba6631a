"""Charts of values of runs and groups, or of the effects of a comparison, as points with intervals."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..definitions import verdicts
from ..rows import Record
from .drawing import (
    BETTER,
    GREY,
    LABEL_LIMIT,
    MOST_SERIES,
    OTHER,
    SAME,
    STEP,
    WIDTH,
    WORSE,
    alt,
    below_each_other,
    by_series,
    data,
    days_of,
    distinct,
    groups_between,
    is_number,
    name_of,
    nothing,
    segment_of,
    shaped,
    titled,
    with_columns,
    write_count,
)

MOST_ROWS = 40  # of a dot plot


@with_columns("metric", "value", "n_queries")
def segments(rows: Sequence[Record]) -> Any:
    """Values of groups of queries, or of runs where there are no groups: days in their order, others the highest first.

    Args:
        rows: the rows of ``Result.summary``: ``run_id`` where there are several, groups, ``metric``, ``value``,
            ``n_queries``, and where there are, ``ci_lower`` and ``ci_upper``.

    Returns:
        For each metric a point for each group and run, with its interval; of many groups, those with the most queries.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    valued = [row for row in rows if is_number(row["value"])]
    if not valued:
        return nothing("Values", "There is no value to draw.")
    groups = groups_between(valued[0], ("run_id",), "metric")
    has_runs = groups and "run_id" in valued[0]
    values = [
        {
            "label": segment_of(row, groups) if groups else name_of(row.get("run_id", row["metric"])),
            "series": name_of(row["run_id"]) if has_runs else "",
            "metric": row["metric"],
            "value": row["value"],
            "lower": row.get("ci_lower"),
            "upper": row.get("ci_upper"),
            "n": row["n_queries"],
        }
        for row in valued
    ]
    metrics, labels = distinct(row["metric"] for row in values), distinct(row["label"] for row in values)
    runs = distinct(row["series"] for row in values)
    days = _by_day(valued, values, groups, ())
    labels_drawn = _largest(values, labels, days)
    what = f" by {', '.join(name for name in groups if name != 'breakdown')}" if groups else ""
    notes = [
        _intervals(values),
        _left_out(labels_drawn, labels, days),
        f"The first {MOST_SERIES} of {len(runs):,} runs." if len(runs) > MOST_SERIES else "",
    ]
    rows_drawn = [row for row in values if row["label"] in labels_drawn and row["series"] in set(runs[:MOST_SERIES])]
    charts = [
        _dots(
            [row for row in rows_drawn if row["metric"] == metric],
            metric,
            runs[:MOST_SERIES],
            days,
            of_runs=not groups,
        )
        for metric in metrics
    ]
    title = f"{', '.join(metrics)}{what}, {write_count(row['n'] for row in rows_drawn)}{' in each' if groups else ''}"
    return titled(below_each_other(charts), title, notes)


@with_columns("run", "baseline_run", "metric", "effect_size", "verdict", "n_queries")
def effects(rows: Sequence[Record]) -> Any:
    """Differences from the baseline with their intervals.

    Args:
        rows: rows of ``Comparison.summary``: ``run``, ``baseline_run``, groups, ``metric``, ``effect_size`` with the
            ends of its interval, ``verdict``, ``n_queries``, and where they are known ``confidence_level`` and
            ``alternative``.

    Returns:
        For each metric a point for each candidate and group: days in their order, others the greatest difference first.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    valued = [row for row in rows if is_number(row["effect_size"])]
    if not valued:
        return nothing("Differences", "No difference is known.")
    groups = groups_between(valued[0], ("run", "baseline_run"), "metric")
    several = len({row["baseline_run"] for row in valued}) > 1
    values = [
        {
            "label": ", ".join([_against(row, several), *(name_of(row[name]) for name in groups)]),
            "series": row["verdict"],
            "metric": row["metric"],
            "value": row["effect_size"],
            "lower": row.get("effect_size_ci_lower"),
            "upper": row.get("effect_size_ci_upper"),
            "n": row["n_queries"],
        }
        for row in valued
    ]
    metrics, labels = distinct(row["metric"] for row in values), distinct(row["label"] for row in values)
    days = _by_day(valued, values, groups, ("run", "baseline_run"))
    labels_drawn = _largest(values, labels, days)
    rows_drawn = [row for row in values if row["label"] in labels_drawn]
    names = distinct([*_ALWAYS, *(row["series"] for row in rows_drawn)])
    charts = [
        _dots([row for row in rows_drawn if row["metric"] == metric], metric, names, days, at_zero=True)
        for metric in metrics
    ]
    base = "another run" if several else name_of(valued[0]["baseline_run"])
    title = f"Difference from {base} in {', '.join(metrics)}, {write_count(row['n'] for row in rows_drawn)}"
    note = _left_out(labels_drawn, labels, days)
    level = f"{100 * verdicts.interval_level(valued[0]):g} % " if "confidence_level" in valued[0] else ""
    return titled(below_each_other(charts), title, [_intervals(values, level), note])


_TICKS = 6  # of which labels such as 0.0125 fit beside each other

# The colour and the shape of each verdict.
_SIGNS = {
    verdicts.BETTER: (BETTER, "triangle-up"),
    verdicts.WORSE: (WORSE, "triangle-down"),
    verdicts.NO_DIFFERENCE: (SAME, "diamond"),
    verdicts.TOO_FEW: (SAME, "cross"),
    verdicts.NO_TEST: (SAME, "square"),
}
_ALWAYS = (verdicts.BETTER, verdicts.WORSE, verdicts.INCONCLUSIVE)  # in the legend


def _sign(verdict: str) -> tuple[str, str]:
    if verdict.startswith(verdicts.NOT_WORSE):
        return BETTER, "circle"
    return _SIGNS.get(verdict, (OTHER if verdicts.is_shown(verdict) else SAME, "circle"))


def _against(row: Record, several: bool) -> str:
    return f"{name_of(row['run'])} against {name_of(row['baseline_run'])}" if several else name_of(row["run"])


def _intervals(values: Sequence[Record], level: str = "") -> str:
    has_intervals = any(is_number(row["lower"]) or is_number(row["upper"]) for row in values)
    return f"Lines: {level}confidence intervals." if has_intervals else ""


def _by_day(
    rows: Sequence[Record], values: Sequence[Record], groups: Sequence[str], runs: Sequence[str]
) -> dict[str, tuple[list[str], list[str]]]:
    """Split each label into its day and the rest; empty if no group is a day."""
    days = days_of(rows, groups)
    other_groups = [*runs, *(name for name in groups if name not in days)]
    if not days:
        return {}
    return {
        value["label"]: ([name_of(row[name]) for name in other_groups], [name_of(row[name]) for name in days])
        for row, value in zip(rows, values, strict=True)
    }


def _largest(
    values: Sequence[Record], labels: Sequence[str], days: Mapping[str, tuple[list[str], list[str]]]
) -> set[str]:
    """Return the labels to draw: if there are many, the latest days or those with the most queries."""
    if len(labels) <= MOST_ROWS:
        return set(labels)
    if days:
        return set(heapq.nlargest(MOST_ROWS, labels, key=lambda label: days[label][1]))
    queries: dict[str, int] = {}
    for row in values:
        queries[row["label"]] = max(queries.get(row["label"], 0), row["n"] or 0)
    return set(heapq.nlargest(MOST_ROWS, queries, key=lambda label: queries[label]))


def _left_out(labels_drawn: Collection[str], labels: Sequence[str], days: Collection[str]) -> str:
    if len(labels_drawn) == len(labels):
        return ""
    return (
        f"The {len(labels_drawn)} latest of {len(labels):,}."
        if days
        else (f"The {len(labels_drawn)} of {len(labels):,} with the most queries.")
    )


def _dots(
    rows: Sequence[Record],
    metric: str,
    names: Sequence[str],
    days: Mapping[str, tuple[list[str], list[str]]],
    at_zero: bool = False,
    of_runs: bool = False,
) -> Any:
    """Return points with intervals: days and runs in their order, other groups by the value of the first run."""
    a = alt()
    highest: dict[str, float] = {}
    for row in rows:
        highest.setdefault(row["label"], row["value"])
    order = [*highest] if of_runs else sorted(highest, key=lambda label: days[label] if days else -highest[label])
    title = f"difference in {metric}" if at_zero else metric
    lanes = [name for name in names if any(row["series"] == name for row in rows)]
    axis = a.Axis(labelLimit=LABEL_LIMIT, grid=True, gridDash=[1, 3], ticks=False, domain=False)
    y = a.Y("label:N", sort=order, title=None, axis=axis)
    offset = {} if at_zero or len(lanes) < 2 else {"yOffset": a.YOffset("series:N", sort=lanes)}
    colour = _by_sign(names) if at_zero else by_series(names)
    scale, ticks = a.Scale(zero=at_zero, padding=12), a.Axis(tickCount=_TICKS)
    tip = [
        a.Tooltip("label:N", title="of"),
        *([a.Tooltip("series:N", title="run")] if offset else []),
        a.Tooltip("value:Q", format=".4f"),
        a.Tooltip("lower:Q", format=".4f"),
        a.Tooltip("upper:Q", format=".4f"),
        a.Tooltip("n:Q", title="queries"),
    ]
    base = a.Chart(data(rows)).encode(y=y, color=colour, tooltip=tip, **offset)
    layers = [a.Chart(data([{"zero": 0}])).mark_rule(color=GREY).encode(x="zero:Q")] if at_zero else []
    for bounded, end, other in _by_ends(rows):
        ends = a.Chart(data(bounded)).mark_rule(strokeWidth=2)
        layers.append(
            ends.encode(y=y, color=colour, x=a.X(end, title=title, scale=scale, axis=ticks), x2=other, **offset)
        )
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=a.X("value:Q", title=title, scale=scale, axis=ticks)
    )
    layers.append(points.encode(shape=_signed(names) if at_zero else shaped(names)))
    # rows with several runs are as much higher
    height = max(2, len(order)) * STEP * max(1, len(lanes) * 0.75 if offset else 1)
    return a.layer(*layers).properties(width=WIDTH, height=height)


def _by_ends(rows: Sequence[Record]) -> Iterator[tuple[list[Record], str, Any]]:
    """Yield the rows with an interval, by which ends are known: an open end is the edge of the chart."""
    known: dict[tuple[bool, bool], list[Record]] = {}
    for row in rows:
        known.setdefault((is_number(row["lower"]), is_number(row["upper"])), []).append(row)
    sides = {(True, True): ("lower:Q", "upper:Q"), (True, False): ("lower:Q", alt().value("width"))}
    sides[False, True] = ("upper:Q", alt().value(0))
    yield from ((known[ends], *encodings) for ends, encodings in sides.items() if ends in known)


def _by_sign(names: Sequence[str]) -> Any:
    scale = alt().Scale(domain=list(names), range=[_sign(name)[0] for name in names])
    return alt().Color("series:N", title=None, scale=scale)


def _signed(names: Sequence[str]) -> Any:
    scale = alt().Scale(domain=list(names), range=[_sign(name)[1] for name in names])
    return alt().Shape("series:N", title=None, scale=scale)
