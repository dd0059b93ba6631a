"""Methods that results share: HTML in notebooks, tables in a database, and reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import UsageError, shortened
from ..rows import Replace
from . import html
from .tables import Table, aligned_rows, n_not_shown

SaveResult = Callable[[str, str, str, Replace], None]

WriteReport = Callable[[Path, str | None], None]


class SummaryHtml(html.NotebookHtml):
    """A result that notebooks show as its summary and its warnings."""

    summary: Table | None
    warnings: list[str]

    def _shown(self) -> Table | None:
        """Return what people see: the summary, under names that say more to them."""
        return self.summary

    def _html(self) -> str:
        table = self._shown()
        if table is None:
            return html.page([], self.warnings)
        return html.page([table._grid()], self.warnings, n_not_shown(table))


class TablesHtml(html.NotebookHtml):
    """A result of several lists of rows."""

    warnings: list[str]

    def _row_lists(self) -> list[Sequence[Mapping[str, Any]]]:
        raise NotImplementedError

    def _html(self) -> str:
        tables = [table for table in self._row_lists() if table]
        rows = [[[*row.values()] for row in table] for table in tables]
        grids = [html.grid_of([*table[0]], cells) for table, cells in zip(tables, rows, strict=True)]
        return html.page(grids, self.warnings)

    def __repr__(self) -> str:
        return "\n\n".join(aligned_rows(table) for table in self._row_lists() if table)


class Storable:
    """A result that can be stored in the database that computed it."""

    _save: SaveResult | None

    def create_table(self, name: str, level: str = "summary", replace: Replace = False) -> None:
        """Run the statement once more and store its rows in a table of the database: every row or none.

        Args:
            name: the table's name, such as ``schema.name``.
            level: ``summary`` or ``per_query``.
            replace: whether the rows of a table of that name are replaced. The table keeps its grants, indexes and
                comment where the database can do that. ``"recreate"`` drops it and creates it anew, with the columns
                of the result.

        Raises:
            UsageError: the name is taken, the table to replace has other columns, or an input is no table or query
                of that database.
            DatabaseError: the database refused; a table that was there is as it was.
        """
        self._save_as("table", name, level, replace)

    def create_view(self, name: str, level: str = "summary", replace: bool = False) -> None:
        """Leaves the statement in the database, as a view over the tables that it reads.

        Args:
            name: the view's name, such as ``schema.name``.
            level: ``summary`` or ``per_query``.
            replace: whether a view of that name is replaced.

        Raises:
            UsageError: the name is taken, or an input is no table or query of that database.
            DatabaseError: the database refused; a view that was there is as it was.
        """
        self._save_as("view", name, level, replace)

    def _save_as(self, kind: str, name: str, level: str, replace: Replace) -> None:
        if self._save is None:
            raise UsageError("This result was not computed in a database.")
        is_recreated = kind == "table" and isinstance(replace, str) and replace == "recreate"
        if not (isinstance(name, str) and isinstance(level, str) and (isinstance(replace, bool) or is_recreated)):
            arguments = ", ".join(map(shortened, (name, level, replace)))
            values = 'True, False or "recreate"' if kind == "table" else "True or False"
            raise UsageError(f"A {kind} needs a name and a level as text, and replace= as {values}, not {arguments}.")
        self._save(kind, name, level, replace)


class Reportable:
    """A result that can write a page about itself and its inputs."""

    _report: WriteReport | None

    def report(self, path: str | Path, *, title: str | None = None) -> None:
        """Writes one file of HTML that needs no network: verdict, numbers, charts, segments, queries, quality, SQL.

        The inputs are read once for all that is on it: files and objects as they were read for the result, tables of a
        database once more, as they are then. Of several runs the first is the baseline that the others are compared
        with.

        Args:
            path: the file, which is written whole or not at all.
            title: the title of the page; by default it names the runs.

        Raises:
            UsageError: Altair or vl-convert-python is not installed, or the result is of no evaluation.
            DataError: the file cannot be written, or an input is not there any more.
        """
        if not isinstance(path, str | Path):
            raise UsageError(f"path takes the name of a file, not {shortened(path)}.")
        if str(path) in ("", "."):
            raise UsageError("path is empty. Pass the name of a file, such as report.html.")
        if title is not None and not (isinstance(title, str) and title.strip()):
            raise UsageError(f"title takes the title of the page as text, not {shortened(title)}.")
        if self._report is None:
            raise UsageError("This result has no report. Call report() on the result of evaluate or compare.")
        self._report(Path(path), title)
