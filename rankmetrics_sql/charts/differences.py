"""The differences of a comparison, query by query."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

from ..databases.answers import Record
from .colours import BETTER, GREY, SAME, WORSE
from .drawing import HEIGHT, WIDTH, alt, data, groups_between, is_number, less, names_of, nothing, titled
from .rows import with_columns

MOST_BARS = 200
_LABELLED = 3  # at each end
_WITH_IDS = 40  # bars that have the id of their query below
_LONGEST_ID = 90  # pixels


@with_columns("run", "baseline_run", "metric", "baseline", "candidate", "difference")
def differences(rows: Sequence[Record], better: str = "higher") -> Any:
    """Draw what each query gains or loses, the greatest gain first.

    Args:
        rows: those of ``Comparison.per_query`` of one candidate and one metric: ``run``, ``baseline_run``, the query,
            groups, ``metric``, ``baseline``, ``candidate``, ``difference``.
        better: whether ``higher`` or ``lower`` values are better.

    Returns:
        A bar for each query, the outermost with their ids; of many queries those that differ most.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    known = [row for row in rows if is_number(row["difference"])]
    if not known:
        return nothing("Differences by query", "No query has a value in both runs.")
    first, sign = known[0], -1 if better == "lower" else 1
    shown = (
        known if len(known) <= MOST_BARS else heapq.nlargest(MOST_BARS, known, key=lambda row: abs(row["difference"]))
    )
    shown = sorted(shown, key=lambda row: -row["difference"])
    keys = groups_between(first, ("run", "baseline_run"), "metric")[:1]
    values = [
        {
            "place": place,
            "query": names_of(row, keys),
            "difference": row["difference"],
            "baseline": row["baseline"],
            "candidate": row["candidate"],
            "change": _change(sign * row["difference"]),
        }
        for place, row in enumerate(shown)
    ]
    title, note = less(known, sign)
    notes = [
        note,
        f"The {MOST_BARS} queries that differ most are shown." if len(shown) < len(known) else "",
    ]
    return titled(_draw_differences(values, first["metric"]), title, notes)


def _change(gain: float) -> str:
    return "better" if gain > 0 else "worse" if gain < 0 else "same"


def _draw_differences(values: Sequence[Record], metric: str) -> Any:
    a = alt()
    few = len(values) <= _WITH_IDS
    names = {value["place"]: value["query"] for value in values}
    changes = a.Scale(domain=["better", "worse", "same"], range=[BETTER, WORSE, SAME])
    room = 12 + min(_LONGEST_ID, 7 * max(map(len, names.values()))) if few else 6
    ids = a.Axis(labels=False, ticks=False, domain=False, titlePadding=room)
    x = a.X("place:O", title="query, the greatest difference first", axis=ids)
    scale = a.Scale() if few else a.Scale(padding=18)  # pixels, for the ids beyond the bars
    y = a.Y("difference:Q", title=f"difference in {metric}", scale=scale)
    tip = [
        a.Tooltip("query:N"),
        *(a.Tooltip(f"{name}:Q", format=".4f") for name in ("baseline", "candidate", "difference")),
    ]
    base = a.Chart(data(values)).encode(x=x, tooltip=tip)
    bars = base.mark_bar().encode(y=y, color=a.Color("change:N", title=None, scale=changes))
    zero = a.Chart(data([{"zero": 0}])).mark_rule(color=GREY).encode(y=a.Y("zero:Q", title=f"difference in {metric}"))
    layers = [bars, zero]
    if not few:
        layers += [_outermost(values[:_LABELLED], 1, x, y), _outermost(values[: -_LABELLED - 1 : -1], -1, x, y)]
    else:
        layers.append(_ids_below(names, x))
    return a.layer(*layers).properties(width=max(WIDTH, 3 * len(values)), height=HEIGHT)


def _ids_below(names: dict[int, str], x: Any) -> Any:
    """The ids as text, which a scale of ids would merge where two read alike."""
    a = alt()
    values = [{"place": place, "query": name} for place, name in names.items()]
    text = a.Chart(data(values)).mark_text(
        angle=270, align="right", baseline="middle", fontSize=10, limit=_LONGEST_ID, dx=-4
    )
    return text.encode(x=x, y=a.value(HEIGHT), text="query:N")


def _outermost(values: Sequence[Record], sign: int, x: Any, y: Any) -> Any:
    """The ids of the queries at one end, in one line beyond its bar: one each, they would lie on each other."""
    own = [value for value in values if sign * value["difference"] > 0]
    said = [{**own[0], "label": ", ".join(value["query"] for value in own)}] if own else []
    align = "left" if sign > 0 else "right"
    text = alt().Chart(data(said)).mark_text(align=align, baseline="middle", dy=-8 * sign, limit=320, fontSize=11)
    return text.encode(x=x, y=y, text="label:N")
