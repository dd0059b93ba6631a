"""Charts of values along a cutoff or parameter, positions, or time, and of precision along recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..rows import Record
from .drawing import (
    HEIGHT,
    MOST_SERIES,
    WIDTH,
    alt,
    below_each_other,
    by_series,
    dashed,
    data,
    distinct,
    groups_between,
    is_number,
    name_of,
    names_of,
    nothing,
    require_columns,
    segment_of,
    shaped,
    titled,
    with_columns,
    write_count,
)

MOST_POINTS = 200  # of a line


@with_columns("x", "y", "n_queries")
def curve(rows: Sequence[Record], metric: str = "metric", along: str = "k") -> Any:
    """A metric along a parameter.

    Args:
        rows: the rows of ``Curve.summary``: ``run_id`` where there are several, groups, ``x``, ``y``, ``n_queries``.
        metric: what y is.
        along: what x is.

    Returns:
        A line for each run and group; an empty chart that says so where no point has a value.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    return _lines(rows, f"{metric} by {along}", metric, along)


@with_columns("x", "y", "n_queries")
def judged_share(rows: Sequence[Record], along: str = "k") -> Any:
    """Draw the share of shown items that is judged.

    Args:
        rows: the rows of ``rm.curve(..., "judged")``, or of a share for each rank.
        along: what x is: ``k`` where y is the share of the first k items, ``rank`` where y is the share at one rank.

    Returns:
        A line for each run and group, from 0 % to 100 %.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    what = "Judged share of the first k items" if along == "k" else f"Judged share by {along}"
    return _lines(rows, what, "judged", along, is_share=True)


def _lines(rows: Sequence[Record], what: str, metric: str, along: str, is_share: bool = False) -> Any:
    points = [row for row in rows if is_number(row["y"]) and is_number(row["x"])]
    if not points:
        return nothing(what, "There are no points to draw.")
    groups = groups_between(points[0], (), "x")
    labelled = [(names_of(row, groups) if groups else metric, row) for row in points]
    names = distinct(name for name, _ in labelled)
    names_drawn, places = names[:MOST_SERIES], sorted({row["x"] for row in points})
    positions_drawn = set(_evenly(places))
    values = [
        {"series": name, "x": row["x"], "y": row["y"], "n": row["n_queries"]}
        for name, row in labelled
        if row["x"] in positions_drawn and name in set(names_drawn)
    ]
    notes = [
        f"The first {len(names_drawn)} of {len(names):,} lines." if len(names_drawn) < len(names) else "",
        f"{len(positions_drawn)} of {len(places):,} points of each line." if len(positions_drawn) < len(places) else "",
    ]
    title = f"{what}, {write_count(row['n_queries'] for row in points)}"
    chart = _draw_curves(values, names_drawn, sorted(positions_drawn), metric, along, is_share)
    return titled(chart, title, notes, f"A line for each of: {', '.join(names_drawn)}" if len(names_drawn) > 1 else "")


def _draw_curves(values: Sequence[Record], names: Sequence[str], places: Sequence[float], *axes: Any) -> Any:
    metric, along, is_share = axes
    a = alt()
    wide = places[0] > 0 and places[-1] / places[0] >= 30
    ticks = {"values": list(places)} if len(places) <= 12 else {}
    scale = a.Scale(type="log", nice=False) if wide else a.Scale(nice=False, zero=False)
    if len(places) == 1:
        scale, ticks = a.Scale(zero=False), {"values": list(places)}
    x = a.X("x:Q", title=along, scale=scale, axis=a.Axis(grid=False, format="~g", labelOverlap=True, **ticks))
    axis = a.Axis(format="%") if is_share else a.Axis(format="~g")
    y = a.Y("y:Q", title=metric, axis=axis, scale=a.Scale(domain=[0, 1]) if is_share else a.Scale(zero=True))
    tip = [
        a.Tooltip("series:N", title="run"),
        a.Tooltip("x:Q", title=along),
        a.Tooltip("y:Q", title="value", format=".4f"),
        a.Tooltip("n:Q", title="queries"),
    ]
    base = a.Chart(data(values)).encode(x=x, y=y, color=by_series(names), tooltip=tip)
    layers = [base.mark_line(clip=False).encode(strokeDash=dashed(names))]
    if len(places) <= 25:
        layers.append(base.mark_point(filled=True, size=45, opacity=1).encode(shape=shaped(names)))
    return a.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _evenly(places: Sequence[float]) -> list[float]:
    """Return at most so many places, evenly spread, with the first and the last."""
    if len(places) <= MOST_POINTS:
        return list(places)
    last = len(places) - 1
    return [places[round(last * number / (MOST_POINTS - 1))] for number in range(MOST_POINTS)]


MOST_POSITIONS = 50


@with_columns("position", "impressions", "ctr", "ci_lower", "ci_upper")
def positions(rows: Sequence[Record]) -> Any:
    """Draw how often items are clicked at each position.

    Args:
        rows: the rows of ``rm.ctr_by_position``: groups, ``position``, ``impressions``, ``ctr``, ends of intervals.

    Returns:
        A line with intervals for each group; an empty chart that says so where nothing was shown.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    points = [row for row in rows if is_number(row["ctr"]) and is_number(row["position"])]
    if not points:
        return nothing("Click-through by position", "Nothing was shown.")
    groups = groups_between(points[0], (), "position")
    labelled = [(names_of(row, groups) if groups else "ctr", row) for row in points]
    names, places = distinct(name for name, _ in labelled), sorted({row["position"] for row in points})
    names_drawn, positions_drawn = names[:MOST_SERIES], set(places[:MOST_POSITIONS])
    values = [
        {
            "series": name,
            **{column: row[column] for column in ("position", "impressions", "ctr", "ci_lower", "ci_upper")},
        }
        for name, row in labelled
        if name in set(names_drawn) and row["position"] in positions_drawn
    ]
    notes = [
        f"The first {len(names_drawn)} of {len(names):,} lines." if len(names_drawn) < len(names) else "",
        f"The first {len(positions_drawn)} of {len(places):,} positions." if len(positions_drawn) < len(places) else "",
    ]
    total = write_count([sum(row["impressions"] for row in points)], "impression", "impressions")
    details = f"A line for each of: {', '.join(names_drawn)}" if len(names_drawn) > 1 else ""
    return titled(_draw_positions(values, names_drawn), f"Click-through by position, {total}", notes, details)


def _draw_positions(values: Sequence[Record], names: Sequence[str]) -> Any:
    a = alt()
    tip = [a.Tooltip(f"{name}:{kind}") for name, kind in (("series", "N"), ("position", "Q"), ("impressions", "Q"))]
    tip += [a.Tooltip(f"{name}:Q", format=".4f") for name in ("ctr", "ci_lower", "ci_upper")]
    x = a.X("position:Q", title="position", axis=a.Axis(grid=False, tickMinStep=1), scale=a.Scale(zero=False))
    y = a.Y("ctr:Q", title="click-through rate", axis=a.Axis(format="~%"), scale=a.Scale(zero=True))
    base = a.Chart(data(values)).encode(x=x, color=by_series(names), tooltip=tip)
    interval = base.mark_rule(opacity=0.5).encode(y=a.Y("ci_lower:Q", title="click-through rate"), y2="ci_upper:Q")
    line = base.mark_line(clip=False).encode(y=y)
    point = base.mark_point(filled=True, size=45, opacity=1).encode(y=y, shape=shaped(names))
    return a.layer(interval, line, point).properties(width=WIDTH, height=HEIGHT)


MOST_PERIODS = 400


@with_columns("period", "metric", "value", "n_queries")
def over_time(rows: Sequence[Record]) -> Any:
    """Values by period.

    Args:
        rows: the rows of ``Result.summary`` with ``period=``: ``run_id``, groups, ``period``, ``metric``, ``value``,
            ``n_queries``, and where there are, ``ci_lower`` and ``ci_upper``.

    Returns:
        For each metric a line for each run and group, the last periods where there are many; bands are intervals.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    valued = [row for row in rows if is_number(row["value"]) and row["period"] is not None]
    if not valued:
        return nothing("Values by period", "No period has a value to draw.")
    periods = sorted({str(row["period"]) for row in valued})
    periods_drawn = set(periods[-MOST_PERIODS:])
    metrics = distinct(row["metric"] for row in valued)
    without = sum(row["period"] is None for row in rows)
    notes = [
        "Bands are intervals." if any(is_number(row.get("ci_lower")) for row in valued) else "",
        f"The last {len(periods_drawn)} of {len(periods):,} periods." if len(periods_drawn) < len(periods) else "",
        f"{write_count([without], 'value', 'values')} without a period {'is' if without == 1 else 'are'} not shown."
        if without
        else "",
    ]
    rows_drawn = [row for row in valued if str(row["period"]) in periods_drawn]
    names = distinct(_name(row) for row in rows_drawn)
    notes.append(f"The first {MOST_SERIES} of {len(names):,} lines." if len(names) > MOST_SERIES else "")
    names = names[:MOST_SERIES]
    charts = [
        _draw_periods([row for row in rows_drawn if row["metric"] == metric], metric, names) for metric in metrics
    ]
    numbers = write_count(row["n_queries"] for row in rows_drawn)
    description = (
        f"{', '.join(metrics)} by period, {numbers} in each" if len(periods) > 1 else f"{', '.join(metrics)}, {numbers}"
    )
    return titled(below_each_other(charts), description, notes, f"From {min(periods_drawn)} to {max(periods_drawn)}")


def _name(row: Record) -> str:
    groups = groups_between(row, ("period",), "metric")
    return segment_of(row, groups) if groups else row["metric"]


def _draw_periods(rows: Sequence[Record], metric: str, names: Sequence[str]) -> Any:
    a = alt()
    values = [
        {
            "series": name,
            "period": str(row["period"]),
            "value": row["value"],
            "n": row["n_queries"],
            "lower": row.get("ci_lower"),
            "upper": row.get("ci_upper"),
        }
        for row in rows
        if (name := _name(row)) in set(names)
    ]
    lone = len({value["period"] for value in values}) == 1
    # the scale is UTC's: a day without a time would be the day before west of Greenwich
    ticks = {"values": [values[0]["period"]]} if lone and values else {}
    scale = a.Scale(type="utc")
    x = a.X("period:T", title=None, scale=scale, axis=a.Axis(grid=False, format="%d %b %Y", labelOverlap=True, **ticks))
    y = a.Y("value:Q", title=metric, scale=a.Scale(zero=False))
    tip = [
        a.Tooltip("series:N", title="run"),
        a.Tooltip("period:N", title="period"),
        a.Tooltip("value:Q", format=".4f"),
        a.Tooltip("lower:Q", format=".4f"),
        a.Tooltip("upper:Q", format=".4f"),
        a.Tooltip("n:Q", title="queries"),
    ]
    base = a.Chart(data(values)).encode(x=x, color=by_series(names), tooltip=tip)
    bounded = [value for value in values if is_number(value["lower"]) and is_number(value["upper"])]
    layers = []
    if bounded:
        ends = a.Chart(data(bounded)).encode(
            x=x, color=by_series(names), y=a.Y("lower:Q", title=metric, scale=a.Scale(zero=False)), y2="upper:Q"
        )
        layers.append(ends.mark_rule(opacity=0.7) if lone else ends.mark_area(opacity=0.18))
    layers.append(base.mark_line().encode(y=y))
    layers.append(base.mark_point(filled=True, size=40, opacity=1).encode(y=y, shape=shaped(names)))
    return a.layer(*layers).properties(width=WIDTH, height=HEIGHT - 80)


MOST_QUERIES = 60  # that have a line, of all runs together
_LEVELS = [level / 10 for level in range(11)]
_NEAR = 1e-9  # a level that recall reaches but for rounding

Points = list[tuple[float, float]]


@with_columns("x", "y")
def precision_recall(rows: Sequence[Record], mean: Sequence[Record] | None = None) -> Any:
    """Precision along recall.

    Args:
        rows: the points of each query, as ``Curve.per_query`` has them: ``run_id`` where there are several, the query,
            groups, ``x`` (recall) and ``y`` (precision). Points at other recalls than the eleven levels are
            interpolated: at a level stands the highest precision at that recall or a higher one, or else 0.
        mean: the rows of ``Curve.summary`` of ``iprec`` along ``recall``, where there are; otherwise the means of the
            queries that have points are drawn.

    Returns:
        A line for each query, and one for the mean of each run; of many queries, lines for some.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    require_columns("charts.precision_recall", mean or [], ["x", "y", "n_queries"], "mean")
    points = [row for row in rows if is_number(row["x"]) and is_number(row["y"])]
    if not points:
        return nothing("Precision by recall", "No query has a point to draw.")
    lists: dict[tuple[str, tuple[Any, ...]], Points] = {}
    keys = groups_between(points[0], ("run_id",), "x")
    for row in points:
        lists.setdefault((name_of(row.get("run_id", "mean")), tuple(row[key] for key in keys)), []).append(
            (row["x"], row["y"])
        )
    queries = {key: interpolated(points_of_query) for key, points_of_query in lists.items()}
    runs = distinct(run for run, _ in queries)
    means, numbers = _given(mean) if mean else _means(queries, runs)
    lines = _lines_of(queries, runs)
    n_points = sum(len(points_of_query) for points_of_query in lines.values())
    title = f"Precision by recall, eleven points, {write_count(numbers)}"
    which = f" ({n_points} of {len(queries):,} are shown)" if n_points < len(queries) else ""
    runs_text = f"Runs: {', '.join(runs)}" if len(runs) > 1 else ""
    return titled(
        _draw_lines(lines, means, runs), title, [f"Thick lines are means, thin ones queries{which}."], runs_text
    )


def interpolated(points: Points) -> list[float]:
    """Return the highest precision at each of the eleven levels of recall or beyond."""
    best_from_right, best, rest = [], 0.0, sorted(points)
    for level in reversed(_LEVELS):
        while rest and rest[-1][0] >= level - _NEAR:
            best = max(best, rest.pop()[1])
        best_from_right.append(best)
    return best_from_right[::-1]


_Lines = dict[tuple[str, tuple[Any, ...]], list[float]]


def _means(queries: _Lines, runs: Sequence[str]) -> tuple[dict[str, list[float]], list[int]]:
    of_runs: dict[str, list[list[float]]] = {run: [] for run in runs}
    for (run, _), line in queries.items():
        of_runs[run].append(line)
    means = {run: [sum(level) / len(lists) for level in zip(*lists, strict=True)] for run, lists in of_runs.items()}
    return means, [len(lists) for lists in of_runs.values()]


def _given(mean: Sequence[Record]) -> tuple[dict[str, list[float]], list[int]]:
    by_run: dict[str, dict[float, float]] = {}
    for row in mean:
        by_run.setdefault(name_of(row.get("run_id", "mean")), {})[round(row["x"], 9)] = row["y"]
    means = {run: [levels[level] for level in sorted(levels)] for run, levels in by_run.items()}
    return means, [row["n_queries"] for row in mean]


def _lines_of(queries: _Lines, runs: Sequence[str]) -> dict[str, _Lines]:
    """Return the queries to draw: if there are many, some of each run at equal distances."""
    lines: dict[str, _Lines] = {}
    for run in runs:
        keys = [key for key in queries if key[0] == run]
        step = max(1, -(-len(keys) * len(runs) // MOST_QUERIES))
        lines[run] = {key: queries[key] for key in keys[::step]}
    return lines


def _draw_lines(lines: dict[str, _Lines], means: dict[str, list[float]], runs: Sequence[str]) -> Any:
    a = alt()
    thin = [
        {"series": run, "query": ", ".join(map(name_of, key)), "line": f"{place} {number}", "x": x, "y": y}
        for place, (run, of_run) in enumerate(lines.items())
        for number, ((_, key), line) in enumerate(of_run.items())
        for x, y in zip(_LEVELS, line, strict=True)
    ]
    thick = [
        {"series": run, "x": x, "y": y}
        for run, line in means.items()
        for x, y in zip(_LEVELS, line, strict=len(line) == len(_LEVELS))
    ]
    x = a.X("x:Q", title="recall", scale=a.Scale(domain=[0, 1]), axis=a.Axis(values=_LEVELS, grid=False))
    y = a.Y("y:Q", title="precision", scale=a.Scale(domain=[0, 1]))
    colour, value = by_series(runs), a.Tooltip("y:Q", title="precision", format=".4f")
    tip = [a.Tooltip("series:N", title="run"), a.Tooltip("x:Q", title="recall"), value]
    behind = a.Chart(data(thin)).mark_line(strokeWidth=1, opacity=0.22)
    behind = behind.encode(x=x, y=y, color=colour, detail="line:N", tooltip=[a.Tooltip("query:N"), *tip])
    before = a.Chart(data(thick)).encode(x=x, y=y, color=colour, tooltip=tip)
    line = before.mark_line(strokeWidth=3).encode(strokeDash=dashed(runs))
    dots = before.mark_point(filled=True, size=55, opacity=1).encode(shape=shaped(runs))
    return a.layer(behind, line, dots).properties(width=WIDTH, height=HEIGHT)
