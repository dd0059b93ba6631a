"""Click-through by position, a line for each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..databases.answers import Record
from .colours import MOST_SERIES, by_series, shaped
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

MOST_POSITIONS = 50


@with_columns("position", "impressions", "ctr", "ci_lower", "ci_upper")
def positions(rows: Sequence[Record]) -> Any:
    """Draw how often items are clicked at each position.

    Args:
        rows: those of ``rm.ctr_by_position``: groups, ``position``, ``impressions``, ``ctr`` and the ends of intervals.

    Returns:
        A line with intervals for each group; an empty chart that says so where nothing was shown.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    points = [row for row in rows if is_number(row["ctr"]) and is_number(row["position"])]
    if not points:
        return nothing("Click-through by position", "Nothing was shown.")
    groups = groups_between(points[0], (), "position")
    named = [(names_of(row, groups) if groups else "ctr", row) for row in points]
    names, places = distinct(name for name, _ in named), sorted({row["position"] for row in points})
    shown, kept = names[:MOST_SERIES], set(places[:MOST_POSITIONS])
    values = [
        {
            "series": name,
            **{column: row[column] for column in ("position", "impressions", "ctr", "ci_lower", "ci_upper")},
        }
        for name, row in named
        if name in set(shown) and row["position"] in kept
    ]
    notes = [
        f"The first {len(shown)} of {len(names):,} lines." if len(shown) < len(names) else "",
        f"The first {len(kept)} of {len(places):,} positions." if len(kept) < len(places) else "",
    ]
    total = write_count([sum(row["impressions"] for row in points)], "impression", "impressions")
    details = f"A line for each of: {', '.join(shown)}" if len(shown) > 1 else ""
    return titled(_draw_positions(values, shown), f"Click-through by position, {total}", notes, details)


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
