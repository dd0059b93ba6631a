"""Tables for people before they are laid out: cells in rows, rows in blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
        turns: whether columns may as well be rows: it has values, and not words.
    """

    header: Sequence[str]
    blocks: Sequence[Block]
    caption: str = ""
    n_keys: int = 1
    turns: bool = False

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers."""
        rows = [row for block in self.blocks for row in block.rows]
        return [any(row[place].is_number for row in rows) for place in range(len(self.header))]

    def of_columns(self, places: Sequence[int]) -> Grid:
        """Return the grid with only some of its columns."""
        blocks = [Block(title, [[row[place] for place in places] for row in rows]) for title, rows in self.blocks]
        return replace(self, header=[self.header[place] for place in places], blocks=blocks)

    def turned(self) -> Grid | None:
        """Its columns as rows; None where its blocks have rows of different things."""
        firsts = [[row[0].text for row in block.rows] for block in self.blocks]
        if not self.turns or not firsts or any(first != firsts[0] for first in firsts):
            return None
        blocks = [Block(title, [*_turned(self.header, rows)]) for title, rows in self.blocks]
        return replace(self, header=[self.header[0], *firsts[0]], blocks=blocks)

    def headed(self, places: Sequence[int]) -> Grid:
        """A block for the rows that have the same in some columns, with that as its title instead of the columns."""
        kept = [place for place in range(len(self.header)) if place not in places]
        found: dict[str, list[list[Cell]]] = {}
        for row in (row for block in self.blocks for row in block.rows):
            title = ", ".join(f"{self.header[place]}: {row[place].text}" for place in places)
            found.setdefault(title, []).append([row[place] for place in kept])
        header = [self.header[place] for place in kept]
        return replace(
            self, header=header, blocks=[*map(Block, found, found.values())], n_keys=self.n_keys - len(places)
        )


def _turned(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Iterator[list[Cell]]:
    for place in range(1, len(header)):
        yield [Cell(header[place]), *(row[place] for row in rows)]


BREAKS = r"[\x00-\x1f\x7f\x85\u2028\u2029]"


def on_one_line(text: str) -> str:
    """The text with line breaks, tabs and the like written as Python does, where a line must stay one."""
    return re.sub(BREAKS, lambda found: found[0].encode("unicode_escape").decode(), text)


def written(grid: Grid) -> Grid:
    """Return the grid with texts that a terminal takes, each on one line."""
    blocks = [Block(on_one_line(title), [*map(_written, rows)]) for title, rows in grid.blocks]
    return replace(grid, header=[*map(on_one_line, grid.header)], blocks=blocks, caption=on_one_line(grid.caption))


def _written(row: Iterable[Cell]) -> list[Cell]:
    return [cell._replace(text=on_one_line(cell.text)) for cell in row]
