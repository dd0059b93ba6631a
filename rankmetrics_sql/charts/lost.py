"""A chart of the searches that lose most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..rows import Record
from .drawing import (
    GREY,
    LABEL_LIMIT,
    STEP,
    WIDTH,
    WORSE,
    alt,
    data,
    is_number,
    nothing,
    segment_of,
    titled,
    with_columns,
)

MOST_BARS = 40


@with_columns("requests", "lost_clicks", "lost_lower", "lost_upper")
def lost(rows: Sequence[Record], by: Sequence[str]) -> Any:
    """Draw what searches lose, as bars with intervals, in the order of the rows.

    Args:
        rows: the rows of ``rm.worst``: the columns of ``by``, ``requests``, ``lost_clicks``, ``lost_lower`` and
            ``lost_upper``, and where a metric orders, ``metric_lost`` and its ends in their place.
        by: the columns that name a group.

    Returns:
        A bar for each row, grey where its interval contains 0; an empty chart that says so without rows.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    columns = ("lost_clicks", "lost_lower", "lost_upper")
    if rows and "metric_lost" in rows[0]:
        columns = ("metric_lost", "metric_lost_lower", "metric_lost_upper")
    title = "Lost clicks" if columns[0] == "lost_clicks" else "What is lost of the metric"
    drawn = [row for row in rows if is_number(row[columns[0]])][:MOST_BARS]
    if not drawn:
        return nothing(title, "No group is listed.")
    values = [
        {
            "label": segment_of(row, by),
            "lost": row[columns[0]],
            "lower": row[columns[1]],
            "upper": row[columns[2]],
            "requests": row["requests"],
        }
        for row in drawn
    ]
    notes = [f"The first {len(drawn)} of {len(rows):,} rows." if len(drawn) < len(rows) else ""]
    return titled(_bars(values, title.lower()), f"{title} by {', '.join(by)}", notes)


def _bars(values: Sequence[Record], title: str) -> Any:
    a = alt()
    labels = [row["label"] for row in values]
    tip = [a.Tooltip("label:N"), a.Tooltip("requests:Q")]
    tip += [a.Tooltip(f"{name}:Q", format=".2f") for name in ("lost", "lower", "upper")]
    y = a.Y("label:N", title=None, sort=labels, axis=a.Axis(labelLimit=LABEL_LIMIT))
    base = a.Chart(data(values)).encode(y=y, tooltip=tip)
    color = a.condition(a.datum.lower > 0, a.value(WORSE), a.value(GREY))
    bar = base.mark_bar(opacity=0.75).encode(x=a.X("lost:Q", title=title), color=color)
    interval = base.mark_rule().encode(x=a.X("lower:Q", title=title), x2="upper:Q")
    return a.layer(bar, interval).properties(width=WIDTH, height=a.Step(STEP))
