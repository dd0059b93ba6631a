"""Results as HTML for notebooks: tables with everything escaped, and one note for all warnings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from .formats import cell_of
from .text_tables import Block, Cell, Grid, on_one_line

MOST_ROWS = 20  # of a table
_RIGHT = ' style="text-align: right; font-variant-numeric: tabular-nums"'
_LEFT = ' style="text-align: left"'


def grid_of(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Grid:
    """Return rows as a grid."""
    return Grid(columns, [Block("", [[*map(cell_of, row)] for row in rows])])


def catalogue_of(entries: Mapping[str, Mapping[str, Any]]) -> Grid:
    """Return a row for each entry of a catalogue, with the keys that have short values."""
    names = list(dict.fromkeys(name for entry in entries.values() for name, value in entry.items() if _is_short(value)))
    names = [name for name in names if name != "name"]
    rows = [[name, *(entry.get(key, "") for key in names)] for name, entry in entries.items()]
    return Grid(["name", *names], [Block("", [[_plain(value) for value in row] for row in rows])])


def entry_of(entry: Mapping[str, Any]) -> Grid:
    """Return one entry as a table, with a row for each of its keys."""
    return Grid(["", ""], [Block("", [[_plain(name), _plain(value)] for name, value in entry.items()])])


def page(grids: Iterable[Grid], warnings: Sequence[str] = (), more: int = 0) -> str:
    """Return tables below each other, with the number of rows left out and a note of warnings."""
    rest = f"<p>{more:,} more {'row' if more == 1 else 'rows'}.</p>" if more else ""
    return f"<div>{''.join(map(_table, grids))}{rest}{_note(warnings)}</div>"


def _is_short(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def _plain(value: Any) -> Cell:
    """Return a value of the catalogue as a cell: unrounded, lists joined by commas."""
    if isinstance(value, Mapping):
        return Cell("; ".join(f"{name}: {_plain(part).text}" for name, part in value.items()))
    if isinstance(value, list | tuple):
        return Cell(", ".join(_plain(part).text for part in value))
    return Cell("-" if value is None else str(value), is_number=isinstance(value, int | float))


def _text(text: str) -> str:
    return escape(on_one_line(text))


def _table(grid: Grid) -> str:
    numeric = grid.numeric
    head = "".join(f"<th{_side(right)}>{_text(name)}</th>" for name, right in zip(grid.header, numeric, strict=True))
    head_html = f"<thead><tr>{head}</tr></thead>" if any(grid.header) else ""
    rows = []
    for block in grid.blocks:
        if block.title:
            rows.append(f'<tr><th colspan="{len(grid.header)}"{_LEFT}>{_text(block.title)}</th></tr>')
        rows += [_row(row, numeric) for row in block.rows]
    caption = " ".join(filter(None, [_full(grid.caption), _on_bold(grid)]))
    below = f'<caption style="caption-side: bottom; text-align: left">{_text(caption)}</caption>' if caption else ""
    return f"<table>{below}{head_html}<tbody>{''.join(rows)}</tbody></table>"


def _full(caption: str) -> str:
    return f"{caption}." if caption and not caption.endswith(".") else caption


def _on_bold(grid: Grid) -> str:
    """Return what is bold, unless the caption says so."""
    has_bold = any(cell.is_best for block in grid.blocks for row in block.rows for cell in row)
    return "The better value is bold." if has_bold and "bold" not in grid.caption else ""


def _row(row: Sequence[Cell], numeric: Sequence[bool]) -> str:
    cells = (f"<td{_side(right)}>{_cell(cell)}</td>" for cell, right in zip(row, numeric, strict=True))
    return f"<tr>{''.join(cells)}</tr>"


def _cell(cell: Cell) -> str:
    text = _text(cell.text) + ("*" if cell.is_marked else "")
    above = f"<sup>{_text(cell.above)}</sup>" if cell.above else ""
    return (f"<strong>{text}</strong>" if cell.is_best else text) + above


def _side(is_right: bool) -> str:
    return _RIGHT if is_right else _LEFT


def _note(warnings: Sequence[str]) -> str:
    if not warnings:
        return ""
    number = f"{len(warnings)} warnings" if len(warnings) > 1 else "1 warning"
    items = "".join(f"<li>{_text(warning)}</li>" for warning in warnings)
    return f"<details><summary>{number}</summary><ul>{items}</ul></details>"


class NotebookHtml:
    """A result that notebooks show as HTML: Jupyter and VS Code ask for ``_repr_html_``, marimo for ``_mime_``."""

    def _html(self) -> str:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return self._html()

    def _mime_(self) -> tuple[str, str]:
        return "text/html", self._html()


class Entry(NotebookHtml, dict[str, Any]):
    """One entry of a catalogue."""

    def _html(self) -> str:
        return page([entry_of(self)])


class Catalogue(NotebookHtml, dict[str, dict[str, Any]]):
    """Entries by their names: a dictionary, which notebooks show as a table."""

    def __init__(self, entries: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__({name: Entry(entry) for name, entry in entries.items()})

    def _html(self) -> str:
        return page([catalogue_of(self)])
