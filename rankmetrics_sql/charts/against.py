"""A against B: the values of both runs, query by query, and what each contributes to the difference."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..databases.answers import Record
from .colours import BETTER, SAME, WORSE
from .drawing import alt, data, groups_between, is_number, names_of, nothing, titled, write_count
from .rows import with_columns

MOST_POINTS = 1_000
_SIDE = 380  # pixels
_BINS = 30  # in each direction
_LABELLED = 5


@with_columns("run", "baseline_run", "metric", "baseline", "candidate", "difference")
def against(rows: Sequence[Record], better: str = "higher") -> Any:
    """The values of the baseline and of the candidate.

    Args:
        rows: those of ``Comparison.per_query`` of one candidate and one metric: ``run``, ``baseline_run``, the query,
            groups, ``metric``, ``baseline``, ``candidate``, ``difference``, ``contribution``.
        better: whether ``higher`` or ``lower`` values are better.

    Returns:
        A point for each query, the greater the more it contributes to the difference of the means; of many queries how
        many there are in each place.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    known = [row for row in rows if is_number(row["baseline"]) and is_number(row["candidate"])]
    if not known:
        return nothing("A against B", "No query has a value in both runs.")
    first = known[0]
    total = sum(row["contribution"] for row in known if is_number(row.get("contribution")))
    low = min(0.0, *(min(row["baseline"], row["candidate"]) for row in known))
    high = max(max(row["baseline"], row["candidate"]) for row in known)
    ends = (low, high if high > low else low + 1)
    title = f"{first['metric']} of {first['run']} against {first['baseline_run']}, {write_count([len(known)])}"
    above = f"{first['run']} is higher above the diagonal."
    if len(known) > MOST_POINTS:
        note = f"{len(known):,} queries are counted in places of {_BINS} by {_BINS}."
        return titled(_counted(known, ends), title, [above, note])
    note = f"Contributions add up to {total:+.4f}." if any(is_number(row.get("contribution")) for row in known) else ""
    return titled(_points(known, ends, -1 if better == "lower" else 1), title, [above, note])


def _axes(first: Record, ends: tuple[float, float]) -> tuple[Any, Any]:
    a = alt()
    scale = a.Scale(domain=list(ends), nice=True)
    return (
        a.X("x:Q", title=str(first["baseline_run"]), scale=scale),
        a.Y("y:Q", title=str(first["run"]), scale=scale),
    )


def _diagonal(ends: tuple[float, float]) -> Any:
    line = alt().Chart(data([{"x": end, "y": end} for end in ends])).mark_line(color="black", strokeDash=[4, 3])
    return line.encode(x="x:Q", y="y:Q")


def _points(rows: Sequence[Record], ends: tuple[float, float], sign: int) -> Any:
    a, first = alt(), rows[0]
    keys = groups_between(first, ("run", "baseline_run"), "metric")[:1]
    furthest = heapq.nlargest(_LABELLED, range(len(rows)), key=lambda place: abs(rows[place]["difference"] or 0))
    values = [
        {
            "x": row["baseline"],
            "y": row["candidate"],
            "query": names_of(row, keys),
            "contribution": row.get("contribution"),
            "size": abs(row["contribution"]) if is_number(row.get("contribution")) else 0,
            "change": "better" if sign * gain > 0 else "worse" if sign * gain < 0 else "same",
        }
        for row in rows
        for gain in [row["candidate"] - row["baseline"]]
    ]
    x, y = _axes(first, ends)
    changes = ["better", "worse", "same"]
    colour = a.Color("change:N", title=None, scale=a.Scale(domain=changes, range=[BETTER, WORSE, SAME]))
    shape = a.Shape(
        "change:N", title=None, scale=a.Scale(domain=changes, range=["triangle-up", "triangle-down", "circle"])
    )
    tip = [
        a.Tooltip("query:N"),
        a.Tooltip("x:Q", title="baseline", format=".4f"),
        a.Tooltip("y:Q", title="candidate", format=".4f"),
        a.Tooltip("contribution:Q", format="+.4f"),
    ]
    size = a.Size("size:Q", title="contribution", scale=a.Scale(range=[30, 260]), legend=None)
    base = a.Chart(data(values)).encode(x=x, y=y, tooltip=tip)
    points = base.mark_point(filled=True, opacity=0.75).encode(color=colour, shape=shape, size=size)
    named = _named([values[place] for place in furthest if values[place]["change"] != "same"])
    labelled = a.Chart(data(named)).mark_text(align="left", dx=9, limit=120)
    layers = [_diagonal(ends), points, labelled.encode(x=x, y=y, text="label:N")]
    return a.layer(*layers).properties(width=_SIDE, height=_SIDE)


def _named(furthest: Sequence[Record]) -> list[Record]:
    """The ids to write; those of queries with the same values stand in one line."""
    places: dict[tuple[float, float], list[str]] = {}
    for value in furthest:
        places.setdefault((value["x"], value["y"]), []).append(value["query"])
    return [{"x": x, "y": y, "label": ", ".join(names)} for (x, y), names in places.items()]


def _counted(rows: Sequence[Record], ends: tuple[float, float]) -> Any:
    a = alt()
    low, width = ends[0], (ends[1] - ends[0]) / _BINS
    numbers = Counter((_bin(row["baseline"], low, width), _bin(row["candidate"], low, width)) for row in rows)
    values = [
        {"x": low + i * width, "x2": low + (i + 1) * width, "y": low + j * width, "y2": low + (j + 1) * width, "n": n}
        for (i, j), n in sorted(numbers.items())
    ]
    x, y = _axes(rows[0], ends)
    scale = a.Scale(scheme="viridis", reverse=True, type="log" if len(set(numbers.values())) > 1 else "linear")
    colour = a.Color("n:Q", title="queries", scale=scale, legend=a.Legend(format="~s", tickCount=4))
    cells = a.Chart(data(values)).mark_rect().encode(x=x, x2="x2:Q", y=y, y2="y2:Q", color=colour, tooltip=["n:Q"])
    return a.layer(cells, _diagonal(ends)).properties(width=_SIDE, height=_SIDE)


def _bin(value: float, low: float, width: float) -> int:
    """The place of a value; the last one is closed, and an edge belongs to the place above in spite of rounding."""
    return min(_BINS - 1, int((value - low) / width + 1e-9))
