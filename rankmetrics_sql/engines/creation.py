"""The statements that leave a query's result in a database, by dialect: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..dialects import Dialect, tables_read
from ..dialects.dialect import Swap
from ..dialects.names import is_quoted, literal, looks_like_query, quote_name, split_name, table_name, unquoted
from ..errors import DatabaseError, UsageError, advise

Rows = Sequence[tuple[Any, ...]]

# How databases say that what is to be replaced is a table and no view, or the other way round.
_OF_OTHER_KIND = (
    r"(?:is not a?|use drop) ?(?:base )?(?:table|view)|a (?:table|view) with that name exists|table already exists"
    r"|is of type (?:table|view)|expect_(?:table|view)_not"
)


def check_target(name: str, dialect: Dialect) -> str:
    """The name of a table or view to be created.

    Raises:
        UsageError: if it is not a name.
    """
    if not isinstance(name, str) or looks_like_query(name) or not _is_name(name.strip(), dialect):
        raise UsageError(f"Pass the name of a table or view, such as 'schema.name', not {name!r}.")
    return table_name(name, dialect)


def _is_name(name: str, dialect: Dialect) -> bool:
    dangling = not is_quoted(name, dialect) and name.strip(".") != name
    return bool(re.search(r"\w", name)) and not dangling and ";" not in unquoted(name, dialect)


def check_not_read(name: str, query: str, dialect: Dialect, fetch: Callable[[str], Rows]) -> None:
    """Refuses to replace what the query reads, through views of views too.

    Args:
        name: of the table or view to be replaced.
        query: the statement that is to give its rows.
        dialect: of both.
        fetch: gives the rows of a query in the database.

    Raises:
        UsageError: the query reads it, by that name or with more or fewer schemas before it.
        DatabaseError: the database does not say what its views read.
    """
    target = [unquoted(part, dialect).lower() for part in split_name(name, dialect)]
    definitions = _definitions(dialect, fetch)
    waiting, seen = [query], set()
    while waiting:
        for read in tables_read(waiting.pop(), dialect):
            common = min(len(target), len(read))
            if target[-common:] == read[-common:]:
                raise UsageError(
                    f"{name} is an input of the statement, so the result cannot replace it. Pass another name."
                )
            if read[-1] not in seen:
                seen.add(read[-1])
                waiting += definitions(read)


def _definitions(dialect: Dialect, fetch: Callable[[str], Rows]) -> Callable[[Sequence[str]], list[str]]:
    """Return a query for the definitions of all views that a name may mean, in any schema."""
    if dialect.describes_views:
        return lambda read: _described(read, dialect, fetch)
    found: dict[str, list[str]] = {}
    for view, text in views(dialect, fetch):
        found.setdefault(view.lower(), []).append(text)
    return lambda read: found.get(read[-1], [])


def views(dialect: Dialect, fetch: Callable[[str], Rows]) -> list[tuple[str, str]]:
    """The names and queries of all views, where the engine lists them."""
    return [] if dialect.views is None else [(str(view), str(text)) for view, text in fetch(dialect.views)]


def _described(read: Sequence[str], dialect: Dialect, fetch: Callable[[str], Rows]) -> list[str]:
    name = ".".join(quote_name(part, dialect) for part in read)
    try:
        rows = fetch(f"DESCRIBE TABLE EXTENDED {name}")
    except DatabaseError:  # a stage of the statement, and no table
        return []
    return [str(row[1]) for row in rows if row[0] == "View Text"]


def other_kind(name: str, kind: str) -> UsageError:
    """The error of a table that a view would replace, or the other way round."""
    return UsageError(f"{name} is not a {kind}, and a {kind} can replace only a {kind}. Pass another name.")


@contextlib.contextmanager
def replacing(name: str, kind: str) -> Iterator[None]:
    """Statements that a database refuses because what they replace is a table and no view, or the other way round."""
    try:
        yield
    except DatabaseError as error:
        if re.search(_OF_OTHER_KIND, str(error), re.IGNORECASE):
            raise other_kind(name, kind) from None
        raise


def is_view_query(name: str, dialect: Dialect) -> str | None:
    """The query whether a view has the name; None where the database itself refuses to replace another kind."""
    if not dialect.replaces_other_kinds:
        return None
    *schema, table = (literal(unquoted(part, dialect), dialect) for part in split_name(name, dialect))
    return (
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_type LIKE '%VIEW'"
        f" AND table_schema = {schema[-1] if schema else 'DATABASE()'} AND table_name = {table}"
    )


def name_taken(name: str) -> UsageError:
    """The error of a name that is taken."""
    return UsageError(f"{name} already exists. To replace it, pass {advise('argument', 'replace', True)}.")


class Creation(NamedTuple):
    """The statements to run in order, and the statements that clean up if one fails."""

    statements: list[str]
    undo: list[str]


def creation(kind: str, name: str, query: str, dialect: Dialect, *, replace: bool) -> Creation:
    """The statements that create a table or a view.

    Args:
        kind: ``table`` or ``view``.
        name: its name in the dialect.
        query: the statement that gives its rows.
        dialect: the dialect.
        replace: whether something of that name and kind is there and is to go.

    Raises:
        UsageError: the dialect has no way to do that safely.
    """
    return (
        Creation(_view(name, query, dialect, replace), []) if kind == "view" else _table(name, query, dialect, replace)
    )


def create_table(name: str, query: str, dialect: Dialect, *, temporary: bool = False) -> str:
    """The statement that stores a query's result."""
    if not dialect.create_table_as:
        raise UsageError(f"{dialect} has no CREATE TABLE AS. Use create_view.")
    return f"{_head(name, temporary)}{_storage(dialect, temporary)} AS\n{query}"


def create_empty_table(name: str, columns: Mapping[str, str], dialect: Dialect, *, temporary: bool = False) -> str:
    """The statement that makes room for rows.

    Args:
        name: the table's name.
        columns: their names and types, all as the dialect writes them.
        dialect: the dialect.
        temporary: whether the table is the session's.
    """
    definition = ", ".join(f"{column} {type_}" for column, type_ in columns.items())
    return f"{_head(name, temporary)} ({definition}){_storage(dialect, temporary)}"


def _head(name: str, temporary: bool) -> str:
    return f"CREATE {'TEMPORARY ' if temporary else ''}TABLE {name}"


def _storage(dialect: Dialect, temporary: bool) -> str:
    return dialect.temporary_storage if temporary else dialect.table_storage


def drop_table(name: str) -> str:
    """The statement that removes a table that may be gone already."""
    return f"DROP TABLE IF EXISTS {name}"


def _view(name: str, query: str, dialect: Dialect, replace: bool) -> list[str]:
    if not replace:
        return [f"CREATE VIEW {name} AS\n{query}"]
    if dialect.transactional_ddl:
        return [f"DROP VIEW IF EXISTS {name}", f"CREATE VIEW {name} AS\n{query}"]
    return [f"{dialect.replace_view} {name} AS\n{query}"]


def _table(name: str, query: str, dialect: Dialect, replace: bool) -> Creation:
    if dialect.swap is not None:
        return _swapped(name, query, dialect, dialect.swap, replace)
    create = create_table(name, query, dialect)
    if not replace:
        return Creation([create], [])
    if dialect.transactional_ddl:
        return Creation([drop_table(name), create], [])
    if dialect.or_replace_table:
        return Creation([create.replace("CREATE TABLE", "CREATE OR REPLACE TABLE", 1)], [])
    raise UsageError(f"{dialect} cannot replace a table in one step. Drop {name} first.")


def _swapped(name: str, query: str, dialect: Dialect, swap: Swap, replace: bool) -> Creation:
    """The new table is built beside the old one, which goes only when the new one has its name."""
    new, old = (".".join([*split_name(name, dialect)[:-1], f"rankmetrics_{os.urandom(4).hex()}"]) for _ in range(2))

    def named(statements: Sequence[str]) -> list[str]:
        return [statement.format(new=new, old=old, name=name) for statement in statements]

    undo = named(swap.undo) if replace else []
    statements = named(swap.instead if replace else swap.first)
    return Creation([create_table(new, query, dialect), *statements], [*undo, drop_table(new)])
