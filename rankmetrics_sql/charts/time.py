"""A metric over time, with the band of its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..databases.answers import Record
from .colours import MOST_SERIES, by_series, shaped
from .drawing import (
    HEIGHT,
    WIDTH,
    alt,
    below_each_other,
    data,
    distinct,
    groups_between,
    is_number,
    nothing,
    segment_of,
    titled,
    write_count,
)
from .rows import with_columns

MOST_PERIODS = 400


@with_columns("period", "metric", "value", "n_queries")
def over_time(rows: Sequence[Record]) -> Any:
    """Values by period.

    Args:
        rows: those of ``Result.summary`` with ``period=``: ``run_id``, groups, ``period``, ``metric``, ``value``,
            ``n_queries``, and where there are, ``ci_lower`` and ``ci_upper``.

    Returns:
        For each metric a line for each run and group, the last periods where there are many; bands are intervals.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    known = [row for row in rows if is_number(row["value"]) and row["period"] is not None]
    if not known:
        return nothing("Values by period", "No period has a value to draw.")
    periods = sorted({str(row["period"]) for row in known})
    shown = set(periods[-MOST_PERIODS:])
    metrics = distinct(row["metric"] for row in known)
    without = sum(row["period"] is None for row in rows)
    notes = [
        "Bands are intervals." if any(is_number(row.get("ci_lower")) for row in known) else "",
        f"The last {len(shown)} of {len(periods):,} periods." if len(shown) < len(periods) else "",
        f"{write_count([without], 'value', 'values')} without a period {'is' if without == 1 else 'are'} not shown."
        if without
        else "",
    ]
    kept = [row for row in known if str(row["period"]) in shown]
    names = distinct(_name(row) for row in kept)
    notes.append(f"The first {MOST_SERIES} of {len(names):,} lines." if len(names) > MOST_SERIES else "")
    names = names[:MOST_SERIES]
    charts = [_draw_periods([row for row in kept if row["metric"] == metric], metric, names) for metric in metrics]
    numbers = write_count(row["n_queries"] for row in kept)
    said = (
        f"{', '.join(metrics)} by period, {numbers} in each" if len(periods) > 1 else f"{', '.join(metrics)}, {numbers}"
    )
    return titled(below_each_other(charts), said, notes, f"From {min(shown)} to {max(shown)}")


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
