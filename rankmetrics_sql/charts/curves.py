"""A metric along its cutoff or another parameter, a line for each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..databases.answers import Record
from .colours import MOST_SERIES, by_series, dashed, shaped
from .drawing import (
    HEIGHT,
    WIDTH,
    alt,
    data,
    distinct,
    groups_between,
    is_number,
    names_of,
    nothing,
    titled,
    write_count,
)
from .rows import with_columns

MOST_POINTS = 200  # of a line


@with_columns("x", "y", "n_queries")
def curve(rows: Sequence[Record], metric: str = "metric", along: str = "k") -> Any:
    """A metric along a parameter.

    Args:
        rows: those of ``Curve.summary``: ``run_id`` where there are several, groups, ``x``, ``y``, ``n_queries``.
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
        rows: as of ``curve``: those of ``rm.curve(..., "judged")``, or of a share for each rank.
        along: what x is: ``k`` where y is the share of the first k items, ``rank`` where it is that of one rank.

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
    named = [(names_of(row, groups) if groups else metric, row) for row in points]
    names = distinct(name for name, _ in named)
    shown, places = names[:MOST_SERIES], sorted({row["x"] for row in points})
    kept = set(_evenly(places))
    values = [
        {"series": name, "x": row["x"], "y": row["y"], "n": row["n_queries"]}
        for name, row in named
        if row["x"] in kept and name in set(shown)
    ]
    notes = [
        f"The first {len(shown)} of {len(names):,} lines." if len(shown) < len(names) else "",
        f"{len(kept)} of {len(places):,} points of each line." if len(kept) < len(places) else "",
    ]
    title = f"{what}, {write_count(row['n_queries'] for row in points)}"
    chart = _draw_curves(values, shown, sorted(kept), metric, along, is_share)
    return titled(chart, title, notes, f"A line for each of: {', '.join(shown)}" if len(shown) > 1 else "")


def _draw_curves(values: Sequence[Record], names: Sequence[str], places: Sequence[float], *axes: Any) -> Any:
    metric, along, is_share = axes
    a = alt()
    wide = places[0] > 0 and places[-1] / places[0] >= 30
    ticks = {"values": list(places)} if len(places) <= 12 else {}
    scale = a.Scale(type="log", nice=False) if wide else a.Scale(nice=False, zero=False)
    if len(places) == 1:
        scale, ticks = a.Scale(zero=False), {"values": list(places)}
    x = a.X("x:Q", title=along, scale=scale, axis=a.Axis(grid=False, format="~g", labelOverlap=True, **ticks))
    written = a.Axis(format="%") if is_share else a.Axis(format="~g")
    y = a.Y("y:Q", title=metric, axis=written, scale=a.Scale(domain=[0, 1]) if is_share else a.Scale(zero=True))
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
    """At most so many of the places, the first and the last among them."""
    if len(places) <= MOST_POINTS:
        return list(places)
    last = len(places) - 1
    return [places[round(last * number / (MOST_POINTS - 1))] for number in range(MOST_POINTS)]
