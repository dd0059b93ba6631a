"""Statements over what was shown: the rows of a log, or a table with a row for each item of a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..databases import Engine
from ..errors import UsageError
from ..inputs.expressions import column_or_expression
from ..inputs.reader import Reader
from ..inputs.sources import Rows, rows_of, typed
from ..results.tables import Table
from ..statements.relation import Relation
from ..templates import macros
from .place import opened

_NUMBERS = ("position", "relevance", "clicked")

# What the rows of a source are called.
_OF_ROWS = {"item": "item_id", "position": "position", "relevance": "relevance"}

Check = Callable[[Engine, str, Mapping[str, Any]], None]


def table_of(
    connection: Any,
    rows: Any,
    macro: str,
    columns: Mapping[str, Any],
    settings: Mapping[str, Any],
    check: Check | None = None,
    request: str | None = None,
) -> Table:
    """The answer of a statement over rows, fetched while they are there.

    Args:
        connection: as in ``evaluate``.
        rows: a log, or a table.
        macro: the name of the statement's macro.
        columns: columns of the table by the argument that they are, without None; a log says its own.
        settings: the other arguments.
        check: looks at the rows afterwards: where they are, what stands behind FROM, and the columns as written.
        request: the argument that names the request, where the macro has one: a log knows its own.

    Raises:
        UsageError: the rows are those of no log.
        DataError: a column is missing.
    """
    with opened(connection) as engine:
        names = {argument: given for argument, given in columns.items() if given is not None}
        relation = _relation(engine, rows, names, request)
        place = relation.database or engine
        written = {f"{argument}_column": _written(relation, argument, given) for argument, given in names.items()}
        source = f"{relation.sql} u" if relation.sql.startswith("(") else relation.sql
        text = str(macros(place.dialect.name)[macro](source, **written, **settings))
        table = Table(lambda: text, place.run)
        table.fetchall()
        if check is not None:
            check(place, source, written)
        return table


def _relation(engine: Engine, rows: Any, names: dict[str, Any], request: str | None) -> Relation:
    """The rows where a statement can read them; names the columns of a log."""
    if not isinstance(rows, Rows):
        return Reader(engine).one(rows, "source")
    for argument in names.keys() & _OF_ROWS.keys():
        names[argument] = _OF_ROWS[argument]
    others = [name for argument, given in names.items() if argument not in _OF_ROWS for name in _listed(given)]
    known, found = rows_of(rows, engine, [name for name in others if name not in _OF_ROWS.values()])
    if "labelled" not in found:
        raise UsageError(
            f"{rows.label} is no log of impressions and clicks. Pass events(...) or another log with requests."
        )
    if request is not None:
        names.setdefault(request, known.meanings((known.place or engine).dialect)["query_id"])
    return found["labelled"]


def _listed(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else [*given]


def _written(relation: Relation, argument: str, given: str | Sequence[str]) -> Any:
    """Columns as statements write them."""
    found = [column_or_expression(relation, argument, name, relation.dialect) for name in _listed(given)]
    if argument in _NUMBERS:
        found = [typed(relation, argument, text, "DOUBLE") for text in found]
    return found[0] if isinstance(given, str) else found
