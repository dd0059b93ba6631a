"""Write the report: one file of HTML that needs no network."""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..errors import DataError, RankmetricsWarning
from ..results.files import write
from ..version import __version__
from .contents import Page, need_drawing
from .gathering import PageRequest, gather
from .tables import PageTable

_FOR_ROWS = 1_500_000  # bytes of a page for the rows of tables
_MOST_SQL = 100_000  # characters of a statement


def check_page(path: Path) -> None:
    """Raise unless a page can be drawn and written, before anything is computed."""
    need_drawing()
    if not path.parent.is_dir():
        raise DataError(f"{path}: the folder {path.parent} does not exist. Create it, or pass another path.")
    if path.is_dir():
        raise DataError(f"{path} is a folder. Pass a file, such as {path / 'report.html'}.")


def write_page(path: Path, request: PageRequest) -> None:
    """Write a page about runs, whole or not at all, with its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankmetricsWarning)
        page = gather(request)
    write(render(page), path)


def render(page: Page) -> str:
    """Return the page as HTML."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    folder = files(__package__)
    environment = Environment(
        loader=PackageLoader(str(__package__)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = _fitting(page)
    return environment.get_template("page.html.j2").render(
        page=page,
        version=__version__,
        data={grid.name: _rows(grid) for grid in page.all_grids if grid.is_long},
        statements=[(title, *_cut(text)) for title, text in page.statements],
        style=(folder / "templates" / "page.css").read_text(encoding="utf-8"),
        program=(folder / "templates" / "page.js").read_text(encoding="utf-8"),
        tables=(folder / "vendor" / "dataTables.min.js").read_text(encoding="utf-8"),
        notice=(folder / "NOTICE").read_text(encoding="utf-8"),
    )


def _cut(statement: str) -> tuple[str, str]:
    """Return a statement, or a part of it with a note if it is too long for the page."""
    if len(statement) <= _MOST_SQL:
        return statement, ""
    return statement[:_MOST_SQL], f"The first {_MOST_SQL:,} of {len(statement):,} characters; rankmetrics sql has all."


def _rows(grid: PageTable) -> list[Any]:
    """Return each cell as text, and as the number that it is sorted by."""
    return [[text if value is None else {"t": text, "n": value} for text, value in row] for row in grid.rows]


def _fitting(page: Page) -> Page:
    """Return the page with its longest tables cut to the size limit."""
    grids = page.all_grids
    sizes = {grid.name: len(json.dumps(_rows(grid), ensure_ascii=False).encode()) for grid in grids if grid.is_long}
    if sum(sizes.values()) <= _FOR_ROWS:
        return page
    fair = _FOR_ROWS // len(sizes)
    small = sum(size for size in sizes.values() if size <= fair)
    large = [name for name, size in sizes.items() if size > fair]
    room = (_FOR_ROWS - small) // len(large)
    shares = {name: room / sizes[name] for name in large if sizes[name] > room}
    return dataclasses.replace(
        page,
        grids=_shortened(page.grids, shares),
        segments=_shortened(page.segments, shares),
        agreement=_shortened(page.agreement, shares),
        changes=page.changes and _shortened([page.changes], shares)[0],
    )


def _shortened(grids: Sequence[PageTable], shares: dict[str, float]) -> list[PageTable]:
    parts = []
    for grid in grids:
        number = int(len(grid.rows) * shares.get(grid.name, 1))
        note = f"{grid.note} The first {number:,} of {len(grid.rows):,} rows, as a page has room for.".strip()
        parts.append(replace(grid, rows=grid.rows[:number], note=note) if grid.name in shares else grid)
    return parts
