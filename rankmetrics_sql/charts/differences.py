"""Charts of the differences of a comparison: by query, in bins, and by groups of queries."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import Any

from ..rows import Record
from .drawing import (
    BETTER,
    GREY,
    HEIGHT,
    LABEL_LIMIT,
    SAME,
    STEP,
    WIDTH,
    WORSE,
    alt,
    data,
    groups_between,
    is_number,
    less,
    names_of,
    nothing,
    titled,
    with_columns,
)

MOST_BARS = 200
_LABELLED = 3  # at each end
_WITH_IDS = 40  # bars that have the id of their query below
_LONGEST_ID = 90  # pixels


@with_columns("run", "baseline_run", "metric", "baseline", "candidate", "difference")
def differences(rows: Sequence[Record], better: str = "higher") -> Any:
    """Draw what each query gains or loses, the greatest gain first.

    Args:
        rows: rows of ``Comparison.per_query`` of one candidate and one metric: ``run``, ``baseline_run``, the query,
            groups, ``metric``, ``baseline``, ``candidate``, ``difference``.
        better: whether ``higher`` or ``lower`` values are better.

    Returns:
        A bar for each query, the outermost with their ids; of many queries the ones that differ most.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    valued = [row for row in rows if is_number(row["difference"])]
    if not valued:
        return nothing("Differences by query", "No query has a value in both runs.")
    first, sign = valued[0], -1 if better == "lower" else 1
    drawn = (
        valued
        if len(valued) <= MOST_BARS
        else heapq.nlargest(MOST_BARS, valued, key=lambda row: abs(row["difference"]))
    )
    drawn = sorted(drawn, key=lambda row: -row["difference"])
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
        for place, row in enumerate(drawn)
    ]
    title, note = less(valued, sign)
    notes = [
        note,
        f"The {MOST_BARS} queries that differ most are shown." if len(drawn) < len(valued) else "",
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
    """Return the ids as text, below the bars; a scale of ids would merge equal texts."""
    a = alt()
    values = [{"place": place, "query": name} for place, name in names.items()]
    text = a.Chart(data(values)).mark_text(
        angle=270, align="right", baseline="middle", fontSize=10, limit=_LONGEST_ID, dx=-4
    )
    return text.encode(x=x, y=a.value(HEIGHT), text="query:N")


def _outermost(values: Sequence[Record], sign: int, x: Any, y: Any) -> Any:
    """Return the ids at one end as one line beyond its bar, because single labels would overlap."""
    of_sign = [value for value in values if sign * value["difference"] > 0]
    labels = [{**of_sign[0], "label": ", ".join(value["query"] for value in of_sign)}] if of_sign else []
    align = "left" if sign > 0 else "right"
    text = alt().Chart(data(labels)).mark_text(align=align, baseline="middle", dy=-8 * sign, limit=320, fontSize=11)
    return text.encode(x=x, y=y, text="label:N")


BINS = 20  # on each side of 0


@with_columns("run", "baseline_run", "metric", "difference")
def histogram(rows: Sequence[Record], better: str = "higher") -> Any:
    """Draw how many queries gain or lose how much.

    Args:
        rows: as of ``differences``.
        better: whether ``higher`` or ``lower`` values are better.

    Returns:
        The number of queries in each of twenty bins on either side of 0, and the mean difference as a line. Queries
        without a difference have no bar, which would dwarf the others: the subtitle says how many there are.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    valued = [row for row in rows if is_number(row["difference"])]
    if not valued:
        return nothing("Differences by query", "No query has a value in both runs.")
    sign = -1 if better == "lower" else 1
    title, note = less(valued, sign)
    largest = max(abs(row["difference"]) for row in valued)
    if not largest:
        return nothing(title, "All queries have the same value in both runs.")
    mean = math.fsum(row["difference"] for row in valued) / len(valued)
    notes = [note, f"The line is the mean, {mean:+.4f}; queries that are the same are in no bar."]
    return titled(_draw_bars(_counted(valued, largest / BINS, sign), mean, largest, valued[0]["metric"]), title, notes)


def _counted(rows: Sequence[Record], width: float, sign: int) -> list[Record]:
    """Return the bins that hold queries; an edge belongs to the bin nearer to 0, in spite of rounding."""
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


MOST_GROUPS = 30
_TERMS = {"ranking": "#0072B2", "mix": "#E69F00", "entered_or_left": "#CC79A7"}
_SAID = {"entered_or_left": "entered or left"}


@with_columns(
    "run", "baseline_run", "metric", "n_baseline", "n_candidate", "ranking", "mix", "entered_or_left", "contribution"
)
def contributions(rows: Sequence[Record]) -> Any:
    """The contribution of each group, the greatest gain first, as the sum of its terms.

    Args:
        rows: the rows of ``Decomposition.summary`` of one candidate and one metric: ``run``, ``baseline_run``, groups,
            ``metric``, ``n_baseline``, ``n_candidate``, ``ranking``, ``mix``, ``entered_or_left``, ``contribution``.

    Returns:
        A bar for each group, in parts; a line marks their sum. Of many groups the ones that contribute most.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    valued = [row for row in rows if is_number(row["contribution"])]
    if not valued:
        return nothing("Contributions", "No group contributes to a difference.")
    first = valued[0]
    groups = groups_between(first, ("run", "baseline_run"), "metric")
    largest = heapq.nlargest(MOST_GROUPS, valued, key=lambda row: abs(row["contribution"]))
    largest.sort(key=lambda row: -row["contribution"])
    total = sum(row["contribution"] for row in valued)
    numbers = [sum(row[name] or 0 for row in valued) for name in ("n_baseline", "n_candidate")]
    title = f"{first['run']} minus {first['baseline_run']} in {first['metric']}, by {', '.join(groups)}: {total:+.4f}"
    notes = [
        f"{numbers[0]:,} queries of {first['baseline_run']}, {numbers[1]:,} of {first['run']}. Lines mark the sums.",
        f"The {len(largest)} of {len(valued):,} groups that contribute most." if len(largest) < len(valued) else "",
    ]
    return titled(_draw_contributions(largest, groups, first["metric"]), title, notes)


def _draw_contributions(rows: Sequence[Record], groups: Sequence[str], metric: str) -> Any:
    a = alt()
    labels = [names_of(row, groups) for row in rows]
    parts = [
        {"group": label, "term": _SAID.get(term, term), "value": row[term], "sum": row["contribution"]}
        for label, row in zip(labels, rows, strict=True)
        for term in _TERMS
        if row[term]
    ]
    sums = [{"group": label, "sum": row["contribution"]} for label, row in zip(labels, rows, strict=True)]
    y = a.Y("group:N", sort=labels, title=None, axis=a.Axis(labelLimit=LABEL_LIMIT, ticks=False, domain=False))
    scale = a.Scale(domain=[_SAID.get(term, term) for term in _TERMS], range=list(_TERMS.values()))
    title = f"contribution to the difference in {metric}"
    tip = [
        a.Tooltip("group:N"),
        a.Tooltip("term:N"),
        a.Tooltip("value:Q", format="+.4f"),
        a.Tooltip("sum:Q", format="+.4f"),
    ]
    bars = (
        a.Chart(data(parts))
        .mark_bar()
        .encode(
            y=y,
            x=a.X("value:Q", title=title, stack=True),
            color=a.Color("term:N", title=None, scale=scale),
            tooltip=tip,
        )
    )
    ticks = a.Chart(data(sums)).mark_tick(color="black", thickness=3, size=18)
    zero = a.Chart(data([{"zero": 0}])).mark_rule(color="#555").encode(x="zero:Q")
    layers = [bars, zero, ticks.encode(y=y, x=a.X("sum:Q", title=title))]
    return a.layer(*layers).properties(width=WIDTH, height=max(2, len(rows)) * STEP)
