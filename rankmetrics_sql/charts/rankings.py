"""Charts of single queries: rankings as beads, and the values of two runs against each other."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..rows import Record
from .drawing import (
    BETTER,
    SAME,
    WIDTH,
    WORSE,
    alt,
    data,
    distinct,
    groups_between,
    is_number,
    name_of,
    names_of,
    nothing,
    of_grades,
    require_columns,
    titled,
    with_columns,
    write_count,
)

Lanes = Sequence[tuple[str, str]]

MOST_RANKS = 100
_LANE = 70  # pixels between the rankings
_HATCHED = (
    "M-1,0 A1,1 0 1 1 1,0 A1,1 0 1 1 -1,0 ZM-0.94,0.34 L0.34,-0.94 M-0.707,0.707 L0.707,-0.707 M-0.34,0.94 L0.94,-0.34"
)
_UNJUDGED = "not judged"


@with_columns("run", "baseline_run", "item_id", "baseline_rank", "candidate_rank", "movement", "relevance")
def beads(rows: Sequence[Record], query: str = "query_id", grades: Sequence[float] = ()) -> Any:
    """Draw the ranks of items of one query in two rankings.

    Args:
        rows: the rows of ``Movements.summary`` of one candidate and one query: ``run``, ``baseline_run``, the query,
            ``item_id``, ``baseline_rank``, ``candidate_rank``, ``movement``, ``relevance``.
        query: the name of the query's column.
        grades: the grades of the judgments, so that a colour means the same in several charts; by default those that
            are drawn.

    Returns:
        Beads in the colours of their grades, hatched where nobody judged the item, and a line from where an item stood
        to where it stands; the first ranks, where there are many.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    require_columns("charts.beads", rows, [query])
    ranked = [row for row in rows if row["baseline_rank"] is not None or row["candidate_rank"] is not None]
    if not ranked:
        return nothing("Two rankings of one query", "Neither run has items for this query.")
    first = ranked[0]
    runs = [f"{name_of(first['baseline_run'])}", f"{name_of(first['run'])}"]
    depth = max(max(row["baseline_rank"] or 0, row["candidate_rank"] or 0) for row in ranked)
    moved = [(word, sum(row["movement"] == kind for row in ranked)) for kind, word in _KINDS.items()]
    n_ranks = min(depth, MOST_RANKS)
    title = f"Query {name_of(first[query])}: the first {n_ranks} of {runs[0]} and {runs[1]}"
    notes = [
        "; ".join(f"{number} {word}" for word, number in moved if number) + ".",
        f"The first {MOST_RANKS} of {depth:,} ranks." if depth > MOST_RANKS else "",
    ]
    lanes = [*zip(runs, ("baseline_rank", "candidate_rank"), strict=True)]
    return _titled(ranked, lanes, n_ranks, title, notes, grades)


@with_columns("run_id", "item_id", "rank", "relevance")
def ranking(rows: Sequence[Record], query: str = "query_id", grades: Sequence[float] = ()) -> Any:
    """Draw the ranks of items of one query in one ranking.

    Args:
        rows: one of each item: ``run_id``, the query, ``item_id``, ``rank`` and ``relevance``, None where nobody judged
            the item.
        query: the name of the query's column.
        grades: as of ``beads``.

    Returns:
        Beads as of ``beads``, in one line.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    require_columns("charts.ranking", rows, [query])
    ranked = [row for row in rows if row["rank"] is not None]
    if not ranked:
        return nothing("The ranking of a query", "The run has no items for this query.")
    run, depth = name_of(ranked[0]["run_id"]), max(row["rank"] for row in ranked)
    n_ranks = min(depth, MOST_RANKS)
    title = f"Query {name_of(ranked[0][query])}: the first {n_ranks} of {run}"
    judged = [row["relevance"] for row in ranked if is_number(row["relevance"])]
    notes = [
        f"{write_count([sum(grade > 0 for grade in judged)], 'item', 'items')} with a grade above 0; "
        f"{len(ranked) - len(judged):,} not judged.",
        f"The first {MOST_RANKS} of {depth:,} ranks." if depth > MOST_RANKS else "",
    ]
    return _titled(ranked, [(run, "rank")], n_ranks, title, notes, grades)


def _titled(
    ranked: Sequence[Record],
    lanes: Lanes,
    n_ranks: int,
    title: str,
    notes: Sequence[str],
    known_grades: Sequence[float],
) -> Any:
    """Return the chart of one or two rankings with its title."""
    grades = sorted({*known_grades, *(row["relevance"] for row in ranked if is_number(row["relevance"]))})
    unjudged = any(not is_number(row["relevance"]) for row in ranked)
    kinds = [*(f"grade {grade:g}" for grade in grades), *([_UNJUDGED] if unjudged else [])]
    description = f"Beads are coloured by {', '.join(kinds)}; {write_count([len(ranked)], 'item', 'items')}"
    return titled(_draw_beads(ranked, lanes, kinds, of_grades(grades), n_ranks), title, notes, description)


_KINDS = {"entered": "entered", "left": "left", "up": "moved up", "down": "moved down", "same": "stayed"}


def _draw_beads(
    rows: Sequence[Record], lanes: Lanes, kinds: Sequence[str], colours: Sequence[str], n_ranks: int
) -> Any:
    a = alt()
    values = [
        {
            "lane": lane,
            "rank": row[rank],
            "item": name_of(row["item_id"]),
            "grade": f"grade {row['relevance']:g}" if is_number(row["relevance"]) else _UNJUDGED,
            "run": run,
            "movement": row.get("movement"),
        }
        for row in rows
        for lane, (run, rank) in enumerate(lanes)
        if row[rank] is not None and row[rank] <= n_ranks
    ]
    places = [[row[rank] for _, rank in lanes] for row in rows]
    lines = [
        {"x": place[0], "x2": place[-1], "y": 0, "y2": 1}
        for place in places
        if len(place) > 1 and None not in place and max(place) <= n_ranks
    ]
    scale = a.Scale(domain=[0.4, n_ranks + 0.6], nice=False)
    ticks = (
        distinct([1, *range(5, n_ranks + 1, 5 if n_ranks <= 50 else 10)])
        if n_ranks > 10
        else list(range(1, n_ranks + 1))
    )
    x = a.X("rank:Q", title="rank", scale=scale, axis=a.Axis(values=ticks, grid=False, format="d"))
    lane_scale = a.Scale(domain=[-0.35, len(lanes) - 0.65], reverse=True, nice=False)
    y = a.Y("lane:Q", title=None, scale=lane_scale, axis=None)
    inked = a.Scale(domain=list(kinds), range=[*colours, "#ffffff"][: len(kinds)])
    shapes = a.Scale(domain=list(kinds), range=[_HATCHED if kind == _UNJUDGED else "circle" for kind in kinds])
    lined = a.Scale(domain=list(kinds), range=["#555555"] * len(kinds))  # else the legend has no lines
    tip = ["item:N", "run:N", "rank:Q", "grade:N", *(["movement:N"] if len(lanes) > 1 else [])]
    size = 230 if n_ranks <= 30 else 100 if n_ranks <= 60 else 40
    legend = a.Legend(symbolSize=150, symbolStrokeWidth=1)
    dots = a.Chart(data(values)).mark_point(filled=False, size=size, opacity=1, strokeWidth=1)
    dots = dots.encode(
        x=x,
        y=y,
        fill=a.Fill("grade:N", title=None, scale=inked, legend=legend),
        shape=a.Shape("grade:N", title=None, scale=shapes, legend=legend),
        stroke=a.Stroke("grade:N", title=None, scale=lined, legend=legend),
        tooltip=tip,
    )
    between = a.Chart(data(lines)).mark_rule(color="#999", strokeWidth=1.2)
    between = between.encode(
        x=a.X("x:Q", title="rank", scale=scale),
        x2="x2:Q",
        y=a.Y("y:Q", title=None, scale=lane_scale, axis=None),
        y2="y2:Q",
    )
    lane_names = [{"lane": lane, "run": run} for lane, (run, _) in enumerate(lanes)]
    names = a.Chart(data(lane_names)).mark_text(align="right", dx=-10, limit=150, fontSize=12)
    names = names.encode(x=a.value(0), y=y, text="run:N")
    return a.layer(between, dots, names).properties(width=WIDTH, height=len(lanes) * _LANE)


MOST_POINTS = 1_000
_SIDE = 380  # pixels
_BINS = 30  # in each direction
_LABELLED = 5


@with_columns("run", "baseline_run", "metric", "baseline", "candidate", "difference")
def against(rows: Sequence[Record], better: str = "higher") -> Any:
    """The values of the baseline and of the candidate.

    Args:
        rows: rows of ``Comparison.per_query`` of one candidate and one metric: ``run``, ``baseline_run``, the query,
            groups, ``metric``, ``baseline``, ``candidate``, ``difference``, ``contribution``.
        better: whether ``higher`` or ``lower`` values are better.

    Returns:
        A point for each query, the greater the more it contributes to the difference of the means; of many queries how
        many there are in each place.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    valued = [row for row in rows if is_number(row["baseline"]) and is_number(row["candidate"])]
    if not valued:
        return nothing("A against B", "No query has a value in both runs.")
    first = valued[0]
    total = sum(row["contribution"] for row in valued if is_number(row.get("contribution")))
    low = min(0.0, *(min(row["baseline"], row["candidate"]) for row in valued))
    high = max(max(row["baseline"], row["candidate"]) for row in valued)
    ends = (low, high if high > low else low + 1)
    title = f"{first['metric']} of {first['run']} against {first['baseline_run']}, {write_count([len(valued)])}"
    above = f"{first['run']} is higher above the diagonal."
    if len(valued) > MOST_POINTS:
        note = f"{len(valued):,} queries are counted in places of {_BINS} by {_BINS}."
        return titled(_counted(valued, ends), title, [above, note])
    note = f"Contributions add up to {total:+.4f}." if any(is_number(row.get("contribution")) for row in valued) else ""
    return titled(_points(valued, ends, -1 if better == "lower" else 1), title, [above, note])


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
    labels = _named([values[place] for place in furthest if values[place]["change"] != "same"])
    labelled = a.Chart(data(labels)).mark_text(align="left", dx=9, limit=120)
    layers = [_diagonal(ends), points, labelled.encode(x=x, y=y, text="label:N")]
    return a.layer(*layers).properties(width=_SIDE, height=_SIDE)


def _named(furthest: Sequence[Record]) -> list[Record]:
    """Return the ids to write; queries with the same values share a line."""
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
    """Return the bin of a value; the last one is closed, and an edge belongs to the bin above in spite of rounding."""
    return min(_BINS - 1, int((value - low) / width + 1e-9))
