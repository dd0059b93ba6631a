"""Lays rows out for people and programs: terminal tables, CSV, JSON, Markdown, LaTeX and trec_eval's lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from ..databases.answers import Record
from .files import FOR_PEOPLE
from .grids import Block, Cell, Grid, on_one_line
from .markup import latex, markdown
from .numbers import (
    format_value,
)
from .programs import as_csv, as_json, as_jsonl, as_trec, finite
from .records import header_of
from .screens import Screen, draw_table, text_width


def render(
    records: Sequence[Record],
    form: str,
    pivot: str | None = "metric",
    counts: Collection[str] = (),
    names: Mapping[str, str] | None = None,
    best: Collection[int] = (),
    screen: Screen | None = None,
) -> str:
    """The records in a format.

    Args:
        records: rows with the same keys in the same order.
        form: one of ``files.FORMATS``.
        pivot: for tables that people read, the key whose values become columns of ``value``; None keeps the rows.
        counts: metrics whose values are counts, which people read without decimals.
        names: what trec_eval calls the metrics, for its format.
        best: the places of the records whose values are bold, where that can be.
        screen: the terminal that a table is for.
    """
    if form in FOR_PEOPLE:
        return lay_out(_shaped(records, pivot, counts, best, has_headings=screen is not None), form, screen)
    return as_trec(records, counts, names or {}) if form == "trec" else _WRITERS[form](records)


def tables(found: Mapping[str, Sequence[Record]], form: str, screen: Screen | None = None) -> str:
    """Several tables in a format.

    Args:
        found: the rows of each by its name; tables without rows are left out where people read them.
        form: ``table``, ``markdown`` or ``latex``, one below the other; ``json``, one object; ``jsonl``, the name of
            the table in each row; ``csv``, the first table.
        screen: the terminal that tables are for.
    """
    if form in FOR_PEOPLE:
        return "\n".join(render(records, form, None, screen=screen) for records in found.values() if records)
    if form == "json":
        shown = {name: [finite(record) for record in records] for name, records in found.items()}
        return json.dumps(shown, ensure_ascii=False, indent=1, default=str) + "\n"
    if form == "jsonl":
        return as_jsonl([{"table": name, **record} for name, records in found.items() for record in records])
    return render(next(iter(found.values())), form, None)


def lay_out(grid: Grid, form: str, screen: Screen | None = None) -> str:
    """A table in one of the formats that people read; in a terminal, if it is for one."""
    return draw_table(grid, screen) if form == "table" else _LAYOUTS[form](grid)


def cell_of(value: Any, is_count: bool = False, *, is_best: bool = False, is_marked: bool = False) -> Cell:
    """A value as people read it."""
    return Cell(format_value(value, is_count), isinstance(value, int | float), is_best, is_marked)


def beside(texts: Sequence[str], numbers: Sequence[str]) -> list[str]:
    """Texts and a number behind each, both below each other."""
    names = list(map(on_one_line, texts))
    left, right = max(map(text_width, names), default=0), max(map(len, numbers), default=0)
    return [
        name + " " * (left - text_width(name)) + " " + number.rjust(right)
        for name, number in zip(names, numbers, strict=True)
    ]


def _shaped(
    records: Sequence[Record], pivot: str | None, counts: Collection[str], best: Collection[int], *, has_headings: bool
) -> Grid:
    """A row for each record, or a column per metric where records hold one value each."""
    if pivot is not None and records:
        grid = _pivoted(records, pivot, counts, best)
        return _under_headings(grid) if has_headings else grid
    rows = [
        [cell_of(value, name in counts, is_best=name == "value" and place in best) for name, value in record.items()]
        for place, record in enumerate(records)
    ]
    return Grid(header_of(records), [Block("", rows)])


def _under_headings(grid: Grid) -> Grid:
    """Runs below the group of queries that they share, where there are several of both."""
    keys = {tuple(cell.text for cell in row[1 : grid.n_keys]) for row in grid.blocks[0].rows}
    runs = {row[0].text for row in grid.blocks[0].rows}
    several = grid.header[0] == "run_id" and len(runs) > 1 and len(keys) > 1
    return grid.headed(range(1, grid.n_keys)) if several else grid


def _pivoted(records: Sequence[Record], pivot: str, counts: Collection[str], best: Collection[int]) -> Grid:
    metrics = list(dict.fromkeys(record[pivot] for record in records))
    keys = [key for key in records[0] if key not in (pivot, "value", *_NUMBERS)]
    by_key: dict[tuple[Any, ...], dict[str, tuple[Record, Cell]]] = {}
    for place, record in enumerate(records):
        key, metric = tuple(record[name] for name in keys), record[pivot]
        cell = cell_of(record["value"], metric in counts, is_best=place in best)
        by_key.setdefault(key, {})[metric] = record, cell
    lines = list(by_key.values())
    numbers = [column for name in _NUMBERS if name in records[0] for column in _numbers(lines, name, metrics)]
    rows = [
        [
            *map(cell_of, key),
            *(line[metric][1] if metric in line else cell_of(None) for metric in metrics),
            *(cell_of(column[place]) for _, column in numbers),
        ]
        for place, (key, line) in enumerate(by_key.items())
    ]
    header = [*keys, *metrics, *(name for name, _ in numbers)]
    return Grid(header, [Block("", rows)], n_keys=len(keys), turns=True)


def _numbers(
    lines: Sequence[Mapping[str, tuple[Record, Cell]]], name: str, metrics: Sequence[str]
) -> Iterator[tuple[str, list[int | None]]]:
    """Columns of how many queries the values of each line are of: one for the metrics that agree in every line."""
    alike: dict[tuple[int | None, ...], list[str]] = {}
    for metric in metrics:
        column = tuple(line[metric][0][name] if metric in line else None for line in lines)
        alike.setdefault(column, []).append(metric)
    for column, agreeing in alike.items():
        if name == "n_queries" or any(column):
            yield name if len(alike) == 1 else f"{name} ({', '.join(agreeing)})", [*column]


_NUMBERS = ("n_queries", "n_left_out")  # nobody needs to read that none is left out

_LAYOUTS: Mapping[str, Callable[[Grid], str]] = {"markdown": markdown, "latex": latex}

_WRITERS: Mapping[str, Callable[[Sequence[Record]], str]] = {"csv": as_csv, "json": as_json, "jsonl": as_jsonl}
