"""Charts of the contribution of each group of queries to the difference of two means."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

from ..databases.answers import Record
from .drawing import (
    LABEL_LIMIT,
    STEP,
    WIDTH,
    alt,
    data,
    groups_between,
    is_number,
    names_of,
    nothing,
    titled,
)
from .rows import with_columns

MOST_GROUPS = 30
_TERMS = {"ranking": "#0072B2", "mix": "#E69F00", "entered_or_left": "#CC79A7"}
_SAID = {"entered_or_left": "entered or left"}


@with_columns(
    "run", "baseline_run", "metric", "n_baseline", "n_candidate", "ranking", "mix", "entered_or_left", "contribution"
)
def contributions(rows: Sequence[Record]) -> Any:
    """The contribution of each group, the greatest gain first, as the sum of its terms.

    Args:
        rows: those of ``Decomposition.summary`` of one candidate and one metric: ``run``, ``baseline_run``, groups,
            ``metric``, ``n_baseline``, ``n_candidate``, ``ranking``, ``mix``, ``entered_or_left``, ``contribution``.

    Returns:
        A bar for each group, in parts; a line marks their sum. Of many groups those that contribute most.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    known = [row for row in rows if is_number(row["contribution"])]
    if not known:
        return nothing("Contributions", "No group contributes to a difference.")
    first = known[0]
    groups = groups_between(first, ("run", "baseline_run"), "metric")
    shown = heapq.nlargest(MOST_GROUPS, known, key=lambda row: abs(row["contribution"]))
    shown.sort(key=lambda row: -row["contribution"])
    total = sum(row["contribution"] for row in known)
    numbers = [sum(row[name] or 0 for row in known) for name in ("n_baseline", "n_candidate")]
    title = f"{first['run']} minus {first['baseline_run']} in {first['metric']}, by {', '.join(groups)}: {total:+.4f}"
    notes = [
        f"{numbers[0]:,} queries of {first['baseline_run']}, {numbers[1]:,} of {first['run']}. Lines mark the sums.",
        f"The {len(shown)} of {len(known):,} groups that contribute most." if len(shown) < len(known) else "",
    ]
    return titled(_draw_contributions(shown, groups, first["metric"]), title, notes)


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
