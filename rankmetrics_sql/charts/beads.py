"""One or two rankings of one query, a bead for each item: where it stands in each, and how relevant it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..databases.answers import Record
from .colours import of_grades
from .drawing import WIDTH, alt, data, distinct, is_number, name_of, nothing, titled, write_count
from .rows import require_columns, with_columns

Lanes = Sequence[tuple[str, str]]

MOST_RANKS = 100
_LANE = 70  # pixels between the rankings
_HATCHED = (
    "M-1,0 A1,1 0 1 1 1,0 A1,1 0 1 1 -1,0 ZM-0.94,0.34 L0.34,-0.94 M-0.707,0.707 L0.707,-0.707 M-0.34,0.94 L0.94,-0.34"
)
_UNJUDGED = "not judged"


@with_columns("run", "baseline_run", "item_id", "baseline_rank", "candidate_rank", "movement", "relevance")
def beads(rows: Sequence[Record], query: str = "query_id") -> Any:
    """Draw the ranks of items of one query in two rankings.

    Args:
        rows: those of ``Movements.summary`` of one candidate and one query: ``run``, ``baseline_run``, the query,
            ``item_id``, ``baseline_rank``, ``candidate_rank``, ``movement``, ``relevance``.
        query: the name of the query's column.

    Returns:
        Beads in the colours of their grades, hatched where nobody judged the item, and a line from where an item stood
        to where it stands; the first ranks, where there are many.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    require_columns("charts.beads", rows, [query])
    known = [row for row in rows if row["baseline_rank"] is not None or row["candidate_rank"] is not None]
    if not known:
        return nothing("Two rankings of one query", "Neither run has items for this query.")
    first = known[0]
    runs = [f"{name_of(first['baseline_run'])}", f"{name_of(first['run'])}"]
    depth = max(max(row["baseline_rank"] or 0, row["candidate_rank"] or 0) for row in known)
    moved = [(said, sum(row["movement"] == kind for row in known)) for kind, said in _KINDS.items()]
    shown = min(depth, MOST_RANKS)
    title = f"Query {name_of(first[query])}: the first {shown} of {runs[0]} and {runs[1]}"
    notes = [
        "; ".join(f"{number} {said}" for said, number in moved if number) + ".",
        f"The first {MOST_RANKS} of {depth:,} ranks." if depth > MOST_RANKS else "",
    ]
    lanes = [*zip(runs, ("baseline_rank", "candidate_rank"), strict=True)]
    return _titled(known, lanes, shown, title, notes)


@with_columns("run_id", "item_id", "rank", "relevance")
def ranking(rows: Sequence[Record], query: str = "query_id") -> Any:
    """Draw the ranks of items of one query in one ranking.

    Args:
        rows: one of each item: ``run_id``, the query, ``item_id``, ``rank`` and ``relevance``, None where nobody judged
            the item.
        query: the name of the query's column.

    Returns:
        Beads as of ``beads``, in one line.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    require_columns("charts.ranking", rows, [query])
    known = [row for row in rows if row["rank"] is not None]
    if not known:
        return nothing("The ranking of a query", "The run has no items for this query.")
    run, depth = name_of(known[0]["run_id"]), max(row["rank"] for row in known)
    shown = min(depth, MOST_RANKS)
    title = f"Query {name_of(known[0][query])}: the first {shown} of {run}"
    judged = [row["relevance"] for row in known if is_number(row["relevance"])]
    notes = [
        f"{write_count([sum(grade > 0 for grade in judged)], 'item', 'items')} with a grade above 0; "
        f"{len(known) - len(judged):,} not judged.",
        f"The first {MOST_RANKS} of {depth:,} ranks." if depth > MOST_RANKS else "",
    ]
    return _titled(known, [(run, "rank")], shown, title, notes)


def _titled(known: Sequence[Record], lanes: Lanes, shown: int, title: str, notes: Sequence[str]) -> Any:
    """The chart of one or two rankings.

    Args:
        known: a row for each item.
        lanes: each run, from above, with the column of its ranks.
        shown: how many ranks are drawn.
        title: of the chart.
        notes: below it.
    """
    grades = sorted({row["relevance"] for row in known if is_number(row["relevance"])})
    unjudged = any(not is_number(row["relevance"]) for row in known)
    kinds = [*(f"grade {grade:g}" for grade in grades), *([_UNJUDGED] if unjudged else [])]
    said = f"Beads are coloured by {', '.join(kinds)}; {write_count([len(known)], 'item', 'items')}"
    return titled(_draw_beads(known, lanes, kinds, of_grades(grades), shown), title, notes, said)


_KINDS = {"entered": "entered", "left": "left", "up": "moved up", "down": "moved down", "same": "stayed"}


def _draw_beads(rows: Sequence[Record], lanes: Lanes, kinds: Sequence[str], colours: Sequence[str], shown: int) -> Any:
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
        if row[rank] is not None and row[rank] <= shown
    ]
    places = [[row[rank] for _, rank in lanes] for row in rows]
    lines = [
        {"x": own[0], "x2": own[-1], "y": 0, "y2": 1}
        for own in places
        if len(own) > 1 and None not in own and max(own) <= shown
    ]
    scale = a.Scale(domain=[0.4, shown + 0.6], nice=False)
    ticks = distinct([1, *range(5, shown + 1, 5 if shown <= 50 else 10)]) if shown > 10 else list(range(1, shown + 1))
    x = a.X("rank:Q", title="rank", scale=scale, axis=a.Axis(values=ticks, grid=False, format="d"))
    beside = a.Scale(domain=[-0.35, len(lanes) - 0.65], reverse=True, nice=False)
    y = a.Y("lane:Q", title=None, scale=beside, axis=None)
    inked = a.Scale(domain=list(kinds), range=[*colours, "#ffffff"][: len(kinds)])
    shapes = a.Scale(domain=list(kinds), range=[_HATCHED if kind == _UNJUDGED else "circle" for kind in kinds])
    lined = a.Scale(domain=list(kinds), range=["#555555"] * len(kinds))  # else the legend has no lines
    tip = ["item:N", "run:N", "rank:Q", "grade:N", *(["movement:N"] if len(lanes) > 1 else [])]
    size = 230 if shown <= 30 else 100 if shown <= 60 else 40
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
        x=a.X("x:Q", title="rank", scale=scale), x2="x2:Q", y=a.Y("y:Q", title=None, scale=beside, axis=None), y2="y2:Q"
    )
    named = [{"lane": lane, "run": run} for lane, (run, _) in enumerate(lanes)]
    names = a.Chart(data(named)).mark_text(align="right", dx=-10, limit=150, fontSize=12)
    names = names.encode(x=a.value(0), y=y, text="run:N")
    return a.layer(between, dots, names).properties(width=WIDTH, height=len(lanes) * _LANE)
