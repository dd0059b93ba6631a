"""The queries that changed most, or have the lowest values."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..results.comparison import Comparison
from ..results.evaluation import Result
from ..results.numbers import format_difference, format_value
from .tables import MOST_ROWS, Column, PageTable, shown

MANY = 10_000  # rows; of more queries the table has the ones that changed most
_DRAWN = 4  # pairs of runs, metric by metric, that have charts of their own

Pair = tuple[str, str]


@dataclass(frozen=True)
class Changes:
    """The differences of single queries.

    Attributes:
        grid: the table.
        drawn: the rows of the first pairs of candidate and metric, as ``Comparison.per_query`` has them.
        most_changed: the names of the queries, as tuples of their columns, that changed most in the first pair.
        keys: the columns that name a query.
        is_cut: whether the table has the largest only.
    """

    grid: PageTable
    drawn: dict[Pair, list[dict[str, Any]]] = field(default_factory=dict)
    most_changed: Sequence[tuple[Any, ...]] = ()
    keys: Sequence[str] = ()
    is_cut: bool = False


@dataclass(frozen=True)
class Worst:
    """The queries with the worst values.

    Attributes:
        grid: the table.
        rows: the rows of all queries, for charts.
        names: the queries, as tuples of their columns, that are worst in the first metric.
        keys: the columns that name a query.
    """

    grid: PageTable
    rows: Sequence[dict[str, Any]]
    names: Sequence[tuple[Any, ...]]
    keys: Sequence[str]


def changes(comparison: Comparison, n_lists: int) -> Changes | None:
    """Return the queries that changed; None if the runs are not paired.

    Args:
        comparison: without groups.
        n_lists: how many of the most changed queries are named.
    """
    if comparison.per_query is None:
        return None
    columns = comparison.per_query.columns
    keys = columns[2 : columns.index("metric")]
    at = {name: place for place, name in enumerate(columns)}
    metric, difference = at["metric"], at["difference"]
    pairs: dict[Pair, list[tuple[Any, ...]]] = {}
    for row in comparison.per_query:
        if row[difference] is not None:
            pairs.setdefault((row[0], row[metric]), []).append(row)
    n_rows = sum(map(len, pairs.values()))
    most = n_rows if n_rows <= MANY else MOST_ROWS // max(1, len(pairs))
    rows = []
    for (run, name), of_run in pairs.items():
        is_count = name in comparison.counts
        largest = heapq.nlargest(most, of_run, key=lambda row: abs(row[difference]))
        rows += [
            [
                (", ".join(map(shown, row[2:metric])), None),
                *((shown(run), None), (shown(name), None)),
                *((format_value(row[at[side]], is_count), row[at[side]]) for side in ("baseline", "candidate")),
                (format_difference(row[difference]), row[difference]),
            ]
            for row in largest
        ]
    rows.sort(key=lambda row: -abs(row[5][1]))
    is_cut = len(rows) < n_rows
    below = "all of them" if len(pairs) <= _DRAWN else f"all of the first {_DRAWN} runs and metrics"
    note = f"The {len(rows):,} largest of {n_rows:,} changes. The histograms below count {below}." if is_cut else ""
    first = next(iter(pairs.values()), [])
    lists = heapq.nlargest(n_lists, first, key=lambda row: abs(row[difference]))
    return Changes(
        PageTable("queries", "Queries by how much they changed", _OF_CHANGES, rows, note),
        {pair: [_readable(columns, row, keys) for row in of_run] for pair, of_run in [*pairs.items()][:_DRAWN]},
        [row[2:metric] for row in lists if row[difference]],
        keys,
        is_cut,
    )


_OF_CHANGES = [
    *(Column("query"), Column("run"), Column("metric"), Column("baseline", True), Column("candidate", True)),
    Column("difference", True),
]


def _readable(columns: Sequence[str], row: Sequence[Any], keys: Sequence[str]) -> dict[str, Any]:
    record = dict(zip(columns, row, strict=True))
    return record | {name: shown(record[name]) for name in ("run", "baseline_run", "metric", *keys)}


def worst(result: Result, n_lists: int) -> Worst:
    """Return the queries with the worst values."""
    columns, rows = result.per_query.columns, result.per_query.fetchall()
    first = next(place for place, name in enumerate(columns) if name in result.metrics)
    begin = int(columns[0] == "run_id")
    keyed: list[tuple[Any, ...]] = []
    cells = []
    most = max(1, (MANY if len(rows) * len(result.metrics) <= MANY else MOST_ROWS) // max(1, len(result.metrics)))
    for place, metric in enumerate(columns[first:], start=first):
        sign = -1 if result.better.get(metric) == "lower" else 1
        scored = [row for row in rows if row[place] is not None]
        lowest = heapq.nsmallest(most, scored, key=lambda row, at=place, sign=sign: sign * row[at])  # type: ignore[misc]
        if place == first:
            keyed = [row[begin:first] for row in lowest if not begin or row[0] == rows[0][0]][:n_lists]
        for row in lowest:
            name = (", ".join(map(shown, row[:first])), None)
            cells.append([name, (shown(metric), None), (format_value(row[place], metric in result.counts), row[place])])
    number = len(rows) * len(result.metrics)
    note = f"The {len(cells):,} worst of {number:,} values. The charts below count all." if len(cells) < number else ""
    grid = PageTable("queries", "Queries with the worst values", _OF_VALUES, cells, note)
    return Worst(grid, [dict(zip(columns, row, strict=True)) for row in rows], keyed, columns[begin:first])


_OF_VALUES = [Column("query"), Column("metric"), Column("value", True)]
