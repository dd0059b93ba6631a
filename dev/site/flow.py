"""The picture of docs/stages.md: the tables of a statement's stages, and which are made of which."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from . import stages

# The column and row of each table.
PLACES: Mapping[str, tuple[int, int]] = {
    "run": (0, 0),
    "ranked": (1, 0),
    "qrels": (0, 1),
    "rows": (1, 1),
    "per_query": (2, 1),
    "": (3, 1),
}
TITLES = {"": "the summary"}
# Stages that are read by way of a stage that is not drawn.
BY_WAY_OF = {"per_query": "values"}
# Short names of columns.
SHORT = {
    "query_id": "query",
    "item_id": "item",
    "relevance": "grade",
    "gain_linear": "gain",
    "ideal_dcg_linear_at_3": "ideal",
    "n_queries": "n",
    "ndcg_at_3": "ndcg@3",
}
_LETTER, _SPACE, _LINE, _STEP, _TOP, _GAP = 6, 12, 16, 224, 8, 164
_STYLE = (
    "text{font:11px sans-serif;fill:#333}.t{font-weight:bold}.h{fill:#666}"
    ".box{fill:#f3f5f8;stroke:#9aa5b1}.edge{stroke:#3b6ea5;stroke-width:1.5;fill:none;marker-end:url(#end)}"
)


@dataclass(frozen=True)
class _Table:
    """A table in the picture."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def x(self) -> int:
        return 8 + PLACES[self.name][0] * _STEP

    @property
    def y(self) -> int:
        return _TOP + PLACES[self.name][1] * _GAP

    @property
    def lines(self) -> list[tuple[str, ...]]:
        """Return the header, with short names, and the rows."""
        return [tuple(SHORT.get(column, column) for column in self.columns), *self.rows]

    @property
    def edges(self) -> list[int]:
        """Return where each column begins, and the last one ends: a column is as wide as its longest cell."""
        widths = (_SPACE + _LETTER * max(map(len, column)) for column in zip(*self.lines, strict=True))
        return [*accumulate(widths, initial=0)]

    @property
    def width(self) -> int:
        return self.edges[-1]

    @property
    def height(self) -> int:
        return 24 + _LINE * len(self.lines)


def flow() -> str:
    """Return the picture."""
    contents = stages.contents()
    tables = {name: _Table(name, columns, rows) for name, (_, columns, rows) in contents.items() if name in PLACES}
    width = max(table.x + table.width for table in tables.values()) + 8
    height = max(table.y + table.height for table in tables.values()) + 8
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>The tables of a statement, and which are made of which</title>",
        f"<style>{_STYLE}</style>",
        '<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0L8,4L0,8z" fill="#3b6ea5"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for name, table in tables.items():
        sources = re.findall(r"rankmetrics_(\w+)", contents[name][0])
        lines += _edges(
            table, [tables[other] for other in tables if other in sources or BY_WAY_OF.get(other) in sources]
        )
    for table in tables.values():
        lines += _table(table)
    return "\n".join([*lines, "</svg>", ""])


def _edges(table: _Table, sources: list[_Table]) -> Iterator[str]:
    for source in sources:
        if source.y == table.y:
            begin = (source.x + source.width, source.y + 12)
            end = (table.x - 2, table.y + 12)
        else:
            is_down = source.y < table.y
            begin = (source.x + source.width // 2, source.y + (source.height if is_down else 0))
            end = (table.x + table.width // 2, table.y - 2 if is_down else table.y + table.height + 2)
        yield f'<line class="edge" x1="{begin[0]}" y1="{begin[1]}" x2="{end[0]}" y2="{end[1]}"/>'


def _table(table: _Table) -> Iterator[str]:
    yield f'<rect class="box" x="{table.x}" y="{table.y}" width="{table.width}" height="{table.height}" rx="3"/>'
    yield f'<text class="t" x="{table.x + 6}" y="{table.y + 15}">{TITLES.get(table.name, table.name)}</text>'
    for line, cells in enumerate(table.lines):
        kind = ' class="h"' if line == 0 else ""
        for edge, cell in zip(table.edges, cells, strict=False):
            yield f'<text{kind} x="{table.x + 6 + edge}" y="{table.y + 32 + line * _LINE}">{cell}</text>'
