"""The arm and the groups of a request of a log: it has one of each, whatever its impressions say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...databases import Engine
from ...dialects import Dialect
from ...dialects.names import unquoted
from ...errors import DataError
from ..strings import kind_of
from .base import Rows
from .columns import IDS


def roles_of(source: Rows, groups: Collection[str], dialect: Dialect) -> dict[str, str]:
    """Return the columns that have one value in each request, and whether each holds the arm or a group.

    Args:
        source: the description; of what is no log nothing is said.
        groups: the columns that groups are made of.
        dialect: whose SQL.
    """
    if source.log is None:
        return {}
    arms, others = (source.context(names, dialect)["context"] for names in ([source.arm or ""], [*groups]))
    return dict.fromkeys(others, "group") | dict.fromkeys(arms, "arm")


def with_roles(
    context: Mapping[str, Sequence[str]], roles: Mapping[str, str]
) -> dict[str, Sequence[str | Mapping[str, str]]]:
    """Return the columns to hand on, with the role of each that has one value in a request."""
    return {**context, "context": [{roles[name]: name} if name in roles else name for name in context["context"]]}


def check_one_value(source: Rows, column: str, role: str, place: Engine) -> None:
    """Refuse requests with two arms or groups, even if each item is logged once in either.

    Args:
        source: a log.
        column: of its impressions, as it is written.
        role: ``arm`` or ``group``.
        place: the database.

    Raises:
        DataError: there is such a request.
    """
    if source.log is None:
        return
    asked = replace(source.log, select="rm_select_two_arms")
    _, found = place.run(source.text(asked, place.dialect, {"context": [{"arm": column}]}))
    if not found:
        return
    *request, one, other = found[0]
    have = "1 request has" if len(found) == 1 else f"{len(found):,} requests have"
    raise DataError(
        f"{source.label}: {have} impressions of two {role}s ({unquoted(column, place.dialect)}), such as request"
        f" {' '.join(map(str, request))} of {one!r} and {other!r}. A request has one {role}."
        f" {_how_to_leave_out(source, column)}"
    )


def _how_to_leave_out(source: Rows, column: str) -> str:
    """Return the query that leaves out such requests, if the caller can type the name of their table."""
    name, table = next(iter(source.relations.items()))
    keys = source.column(source.query) if isinstance(source.query, str) else source.query
    also = " Leave them out of queries=, too: there they would count as having shown nothing."
    also = also if source.knows_requests else ""
    if not isinstance(table, str | Path) or not isinstance(keys, str):
        return f"Leave these requests out of {name}.{also}"
    read = _read(
        str(table), [named for argument, (side, named) in source.columns.items() if side == name and argument in IDS]
    )
    two = f"SELECT {keys} FROM {read} WHERE {keys} IS NOT NULL GROUP BY {keys} HAVING MIN({column}) <> MAX({column})"
    return f"To leave them out, pass this in place of {table}: SELECT * FROM {read} WHERE {keys} NOT IN ({two}).{also}"


def _read(table: str, ids: Sequence[Any]) -> str:
    """A table, file or query behind FROM; ids in files that say no types are text, as everywhere."""
    kind = kind_of(table)
    if kind == "table":
        return table
    if kind == "query":
        return f"({table}) t"
    types = ", ".join(f"'{name}': 'VARCHAR'" for name in dict.fromkeys(ids) if isinstance(name, str))
    return f"read_csv('{table}', types={{{types}}})" if ".csv" in table or ".tsv" in table else f"'{table}'"
