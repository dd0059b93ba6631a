"""Tables as text: cells, rows and blocks, fitted to the width of a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import NamedTuple


class Cell(NamedTuple):
    """One cell of a table for people.

    Attributes:
        text: before it is escaped.
        is_number: whether its column is aligned to the right.
        is_best: whether it is bold, where that can be.
        is_marked: whether it has the mark of what is significant.
        above: letters above the line, where that can be.
        is_small: whether it is in small type, where that can be.
    """

    text: str
    is_number: bool = False
    is_best: bool = False
    is_marked: bool = False
    above: str = ""
    is_small: bool = False


class Block(NamedTuple):
    """Rows that belong together, under a title unless that is empty."""

    title: str
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Grid:
    """A table for people, before it is laid out.

    Attributes:
        header: the names of the columns.
        blocks: its rows.
        caption: a sentence about it, or nothing.
        n_keys: how many columns, the first ones, say what a row is of.
        can_transpose: whether columns may as well be rows: it has values, and not words.
    """

    header: Sequence[str]
    blocks: Sequence[Block]
    caption: str = ""
    n_keys: int = 1
    can_transpose: bool = False

    @property
    def numeric(self) -> list[bool]:
        """Return which columns hold numbers."""
        rows = [row for block in self.blocks for row in block.rows]
        return [any(row[place].is_number for row in rows) for place in range(len(self.header))]

    def select_columns(self, places: Sequence[int]) -> Grid:
        """Return the grid with only some of its columns."""
        blocks = [Block(title, [[row[place] for place in places] for row in rows]) for title, rows in self.blocks]
        return replace(self, header=[self.header[place] for place in places], blocks=blocks)

    def transposed(self) -> Grid | None:
        """Return the grid with columns as rows, or None if blocks have different rows."""
        firsts = [[row[0].text for row in block.rows] for block in self.blocks]
        if not self.can_transpose or not firsts or any(first != firsts[0] for first in firsts):
            return None
        blocks = [Block(title, [*_transposed_rows(self.header, rows)]) for title, rows in self.blocks]
        return replace(self, header=[self.header[0], *firsts[0]], blocks=blocks)

    def grouped_by(self, places: Sequence[int]) -> Grid:
        """Return the grid grouped by some columns, whose values become titles of blocks."""
        places_left = [place for place in range(len(self.header)) if place not in places]
        groups: dict[str, list[list[Cell]]] = {}
        for row in (row for block in self.blocks for row in block.rows):
            title = ", ".join(f"{self.header[place]}: {row[place].text}" for place in places)
            groups.setdefault(title, []).append([row[place] for place in places_left])
        header = [self.header[place] for place in places_left]
        return replace(
            self, header=header, blocks=[*map(Block, groups, groups.values())], n_keys=self.n_keys - len(places)
        )


def _transposed_rows(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Iterator[list[Cell]]:
    for place in range(1, len(header)):
        yield [Cell(header[place]), *(row[place] for row in rows)]


BREAKS = r"[\x00-\x1f\x7f\x85\u2028\u2029]"


def on_one_line(text: str) -> str:
    """Return the text with line breaks, tabs and other control characters escaped as in Python."""
    return re.sub(BREAKS, lambda found: found[0].encode("unicode_escape").decode(), text)


def _escape_grid(grid: Grid) -> Grid:
    """Return the grid with control characters escaped."""
    blocks = [Block(on_one_line(title), [*map(_escape_row, rows)]) for title, rows in grid.blocks]
    return replace(grid, header=[*map(on_one_line, grid.header)], blocks=blocks, caption=on_one_line(grid.caption))


def _escape_row(row: Iterable[Cell]) -> list[Cell]:
    return [cell._replace(text=on_one_line(cell.text)) for cell in row]


_GAP = 3  # characters between the columns of a table
_INDENT = 2
_READABLE = 16  # columns: text that is folded to less is better on lines of its own


class Screen(NamedTuple):
    """The terminal that a table is for.

    Attributes:
        width: its columns.
        is_styled: whether it shows what is bold.
    """

    width: int
    is_styled: bool = False


def draw_table(grid: Grid, screen: Screen | None = None) -> str:
    """Return a table as text, fitted to the screen: transposed, folded, split, or at last a line per value."""
    grid = _escape_grid(grid)
    if screen is None or _width(grid) <= screen.width:
        return _draw_grid(grid, screen)
    transposed = grid.transposed()
    if transposed is not None and _width(transposed) <= screen.width:
        return _draw_grid(transposed, screen)
    widths = _folded_widths(grid, screen.width)
    if widths:
        return _draw_grid(grid, screen, widths)
    parts = _parts(grid, screen.width)
    if parts:
        return "\n".join(_draw_grid(part, screen) for part in parts)
    return _listed(grid, screen)


def paragraph(text: str, screen: Screen | None, indent: str = "") -> str:
    """Return text folded at words to the width of the screen; ``indent`` begins all lines but the first."""
    if screen is None:
        return text
    folded = []
    for line in text.split("\n"):
        margin = line[: len(line) - len(line.lstrip(" "))] + indent
        folded += _words(line, screen.width, margin) if text_width(line) > screen.width else [line]
    return "\n".join(folded)


def _words(line: str, width: int, margin: str) -> list[str]:
    """Return a line folded at words and beside wide characters; a longer word has a line of its own."""
    text = line.lstrip(" ")
    first = line[: len(line) - len(text)]
    if text.isascii() or all(text_width(mark) == 1 for mark in text):
        fold = textwrap.TextWrapper(width, first, margin, break_long_words=False, break_on_hyphens=False)
        return fold.wrap(text)
    lines, current = [], first
    for piece in _pieces(text):
        if text_width(current + piece.rstrip()) > width and current.strip():
            lines.append(current.rstrip())
            current = margin + piece.lstrip()
        else:
            current += piece
    return [*lines, current.rstrip()]


def _pieces(text: str) -> list[str]:
    """Return the pieces of a line that folding keeps whole: words, spaces, and wide characters."""
    pieces: list[str] = []
    kind = None
    for mark in text:
        columns = text_width(mark)
        mark_kind = "space" if mark.isspace() else "wide" if columns == 2 else "word"
        if pieces and (not columns or (mark_kind == kind and mark_kind != "wide")):
            pieces[-1] += mark
        else:
            pieces.append(mark)
            kind = mark_kind
    return pieces


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _cells(grid: Grid, place: int) -> list[Cell]:
    return [row[place] for block in grid.blocks for row in block.rows]


def _width(grid: Grid) -> int:
    return sum(_natural(grid)) + _GAP * (len(grid.header) - 1)


def _natural(grid: Grid) -> list[int]:
    """Return the width that each column needs; titles of blocks stand in the first."""
    widths = []
    for place, name in enumerate(grid.header):
        cells = _cells(grid, place)
        titles = [block.title for block in grid.blocks] if place == 0 else []
        marked = any(cell.is_marked for cell in cells)
        texts = [name, *titles, *(cell.text for cell in cells)]
        width = max(map(text_width, (cell.text for cell in cells)), default=0) + marked
        widths.append(max(width, *map(text_width, texts)))
    return widths


def _folded_widths(grid: Grid, width: int) -> list[int]:
    """Return widths that fold texts between words and leave numbers whole; empty if no widths fit."""
    natural = _natural(grid)
    least = list(natural)
    for place, is_number in enumerate(grid.numeric):
        if not is_number and not (place == 0 and any(block.title for block in grid.blocks)):
            texts = [grid.header[place], *(cell.text for cell in _cells(grid, place))]
            longest = max((text_width(word) for text in texts for word in text.split()), default=0)
            least[place] = min(natural[place], max(_READABLE, longest))
    room = width - _GAP * (len(natural) - 1)
    for most in range(max(natural), 0, -1):
        widths = [max(low, min(high, most)) for low, high in zip(least, natural, strict=True)]
        if sum(widths) <= room:
            return widths
    return []


def _parts(grid: Grid, width: int) -> list[Grid]:
    """Split a table into tables that fit, each with the columns that name its rows; none if a column is too wide."""
    keys = list(range(grid.n_keys))
    parts: list[list[int]] = []
    for place in range(grid.n_keys, len(grid.header)):
        if not parts or _width(grid.select_columns([*keys, *parts[-1], place])) > width:
            parts.append([])
        parts[-1].append(place)
    grids = [grid.select_columns([*keys, *columns]) for columns in parts]
    return grids if all(_width(part) <= width for part in grids) else []


def _listed(grid: Grid, screen: Screen) -> str:
    """Return a line for each value behind its column's name, or two lines where both are too long."""
    return "\n".join(_listed_lines(grid, screen))


def _listed_lines(grid: Grid, screen: Screen) -> Iterator[str]:
    for block in grid.blocks:
        if block.title:
            yield from _words(block.title, screen.width, "")
        for row in block.rows:
            yield from _names_and_values(grid.header, row, screen)
            yield ""


def _names_and_values(header: Sequence[str], row: Sequence[Cell], screen: Screen) -> Iterator[str]:
    names = max(map(text_width, header))
    for name, cell in zip(header, row, strict=True):
        text = cell.text + "*" * cell.is_marked
        if names + 1 + text_width(text) <= screen.width:
            yield f"{name}{' ' * (names - text_width(name))} {_styled(text, cell, screen)}".strip()
        else:
            yield from [name] if name else []
            margin = " " * _INDENT
            yield from (_styled(line, cell, screen) for line in _words(margin + text, screen.width, margin))


def _styled(text: str, cell: Cell, screen: Screen | None) -> str:
    is_bold = text and cell.is_best and screen is not None and screen.is_styled
    return f"\x1b[1m{text}\x1b[0m" if is_bold else text


def _draw_grid(grid: Grid, screen: Screen | None, widths: Sequence[int] = ()) -> str:
    """Return the table as lines, with the given column widths or else the needed ones."""
    columns = [_column(grid, place) for place in range(len(grid.header))]
    widths = widths or [max(text_width(cell.text) for cell in column) for column in columns]
    header, *rows = ([*map(_lines, row, widths)] for row in zip(*columns, strict=True))
    height = max(map(len, header), default=0)
    header = [[Cell("")] * (height - len(lines)) + lines for lines in header]  # names end above the rule
    rule = "\u2500" * (sum(widths) + _GAP * (len(widths) - 1))
    text = [*_joined(header, widths, screen), rule, *(line for row in rows for line in _joined(row, widths, screen))]
    return "\n".join([*filter(None, text), *([paragraph(grid.caption, screen)] if grid.caption else []), ""])


def _lines(cell: Cell, width: int) -> list[Cell]:
    """Return a cell as lines within the width of its column."""
    if text_width(cell.text) <= width:
        return [cell]
    return [cell._replace(text=line) for line in _words(cell.text, width, "")]


def _joined(row: Sequence[Sequence[Cell]], widths: Sequence[int], screen: Screen | None) -> Iterator[str]:
    """Yield the lines of a row, as many as its highest cell has."""
    for cells in zip_longest(*row, fillvalue=Cell("")):
        parts = [
            _styled(cell.text, cell, screen) + " " * (width - text_width(cell.text))
            for cell, width in zip(cells, widths, strict=True)
        ]
        yield (" " * _GAP).join(parts).rstrip()


def _column(grid: Grid, place: int) -> list[Cell]:
    """Return header and cells of a column, with marks; numbers are aligned."""
    is_marked = any(cell.is_marked for cell in _cells(grid, place))
    column = [Cell(grid.header[place])]
    for block in grid.blocks:
        column += [Cell(block.title * (place == 0))] if block.title else []
        for row in block.rows:
            cell = row[place]
            column.append(cell._replace(text=cell.text + ("*" if cell.is_marked else " " * is_marked)))
    if not grid.numeric[place]:
        return column
    width = max(text_width(cell.text) for cell in column)
    return [cell._replace(text=" " * (width - text_width(cell.text)) + cell.text) for cell in column]
