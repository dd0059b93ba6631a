"""The differences of a comparison, counted: all queries are in it, however many there are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..databases.answers import Record
from .colours import BETTER, GREY, WORSE
from .drawing import HEIGHT, WIDTH, alt, data, is_number, less, nothing, titled
from .rows import with_columns

BINS = 20  # on each side of 0


@with_columns("run", "baseline_run", "metric", "difference")
def histogram(rows: Sequence[Record], better: str = "higher") -> Any:
    """Draw how many queries gain or lose how much.

    Args:
        rows: as of ``differences``.
        better: whether ``higher`` or ``lower`` values are better.

    Returns:
        The number of queries in each of twenty bins on either side of 0, and the mean difference as a line. Queries
        without a difference are no bar, which would dwarf the others: their number stands below the title.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    known = [row for row in rows if is_number(row["difference"])]
    if not known:
        return nothing("Differences by query", "No query has a value in both runs.")
    sign = -1 if better == "lower" else 1
    title, note = less(known, sign)
    largest = max(abs(row["difference"]) for row in known)
    if not largest:
        return nothing(title, "All queries have the same value in both runs.")
    mean = math.fsum(row["difference"] for row in known) / len(known)
    notes = [note, f"The line is the mean, {mean:+.4f}; queries that are the same are in no bar."]
    return titled(_draw_bars(_counted(known, largest / BINS, sign), mean, largest, known[0]["metric"]), title, notes)


def _counted(rows: Sequence[Record], width: float, sign: int) -> list[Record]:
    """The bins that hold queries; an edge belongs to the bin nearer to 0, in spite of rounding."""
    numbers: dict[int, int] = {}
    for row in rows:
        steps = row["difference"] / width
        place = math.ceil(abs(steps) - 1e-9) or 1
        if steps:
            numbers[place if steps > 0 else -place] = numbers.get(place if steps > 0 else -place, 0) + 1
    return [
        {
            "from": (place - 1 if place > 0 else place) * width,
            "to": (place if place > 0 else place + 1) * width,
            "n": number,
            "change": "better" if sign * place > 0 else "worse",
        }
        for place, number in sorted(numbers.items())
    ]


def _draw_bars(bars: Sequence[Record], mean: float, largest: float, metric: str) -> Any:
    a = alt()
    title = f"difference in {metric}"
    x = a.X("from:Q", title=title, scale=a.Scale(domain=[-largest, largest], nice=False), bin="binned")
    y = a.Y("n:Q", title="queries", axis=a.Axis(tickMinStep=1))
    colour = a.Color("change:N", title=None, scale=a.Scale(domain=["better", "worse"], range=[BETTER, WORSE]))
    tip = [a.Tooltip("from:Q", format=".4~f"), a.Tooltip("to:Q", format=".4~f"), a.Tooltip("n:Q", title="queries")]
    columns = a.Chart(data(bars)).mark_bar(binSpacing=1, orient="vertical")
    columns = columns.encode(x=x, x2="to:Q", y=y, color=colour, tooltip=tip)
    zero, middle = (a.Chart(data([{"at": place}])).encode(x=a.X("at:Q", title=title)) for place in (0, mean))
    rules = [zero.mark_rule(color=GREY), middle.mark_rule(color="black", strokeDash=[4, 3], strokeWidth=2)]
    return a.layer(columns, *rules).properties(width=WIDTH, height=HEIGHT - 80)
