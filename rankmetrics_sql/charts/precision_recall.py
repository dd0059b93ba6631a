"""Precision at the eleven levels of recall: a thin line for each query, a thick one for their mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..databases.answers import Record
from .colours import by_series, dashed, shaped
from .drawing import (
    HEIGHT,
    WIDTH,
    alt,
    data,
    distinct,
    groups_between,
    is_number,
    name_of,
    nothing,
    titled,
    write_count,
)
from .rows import require_columns, with_columns

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
    queries = {key: interpolated(own) for key, own in lists.items()}
    runs = distinct(run for run, _ in queries)
    means, numbers = _given(mean) if mean else _means(queries, runs)
    lines = _lines_of(queries, runs)
    drawn = sum(len(own) for own in lines.values())
    title = f"Precision by recall, eleven points, {write_count(numbers)}"
    which = f" ({drawn} of {len(queries):,} are shown)" if drawn < len(queries) else ""
    said = f"Runs: {', '.join(runs)}" if len(runs) > 1 else ""
    return titled(_draw_lines(lines, means, runs), title, [f"Thick lines are means, thin ones queries{which}."], said)


def interpolated(points: Points) -> list[float]:
    """The highest precision at each of the eleven levels of recall or beyond; 0 where recall does not get there."""
    found, best, rest = [], 0.0, sorted(points)
    for level in reversed(_LEVELS):
        while rest and rest[-1][0] >= level - _NEAR:
            best = max(best, rest.pop()[1])
        found.append(best)
    return found[::-1]


_Lines = dict[tuple[str, tuple[Any, ...]], list[float]]


def _means(queries: _Lines, runs: Sequence[str]) -> tuple[dict[str, list[float]], list[int]]:
    of_runs: dict[str, list[list[float]]] = {run: [] for run in runs}
    for (run, _), line in queries.items():
        of_runs[run].append(line)
    means = {run: [sum(level) / len(own) for level in zip(*own, strict=True)] for run, own in of_runs.items()}
    return means, [len(own) for own in of_runs.values()]


def _given(mean: Sequence[Record]) -> tuple[dict[str, list[float]], list[int]]:
    by_run: dict[str, dict[float, float]] = {}
    for row in mean:
        by_run.setdefault(name_of(row.get("run_id", "mean")), {})[round(row["x"], 9)] = row["y"]
    means = {run: [own[level] for level in sorted(own)] for run, own in by_run.items()}
    return means, [row["n_queries"] for row in mean]


def _lines_of(queries: _Lines, runs: Sequence[str]) -> dict[str, _Lines]:
    """The queries that have a line: of many, some of each run at equal distances."""
    lines: dict[str, _Lines] = {}
    for run in runs:
        own = [key for key in queries if key[0] == run]
        step = max(1, -(-len(own) * len(runs) // MOST_QUERIES))
        lines[run] = {key: queries[key] for key in own[::step]}
    return lines


def _draw_lines(lines: dict[str, _Lines], means: dict[str, list[float]], runs: Sequence[str]) -> Any:
    a = alt()
    thin = [
        {"series": run, "query": ", ".join(map(name_of, key)), "line": f"{place} {number}", "x": x, "y": y}
        for place, (run, own) in enumerate(lines.items())
        for number, ((_, key), line) in enumerate(own.items())
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
