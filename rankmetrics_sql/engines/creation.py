"""The statements that store a query's result in a database, by dialect: whole or not at all."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..dialects import Dialect, tables_read
from ..dialects.dialect import Swap
from ..dialects.names import is_quoted, literal, looks_like_query, quote_name, quoted, split_name, table_name, unquoted
from ..errors import DatabaseError, UsageError, advise
from ..rows import Replace
from .stored_names import old_name, stored_name

RECREATE: Replace = "recreate"

Rows = Sequence[tuple[Any, ...]]

# How databases refuse to replace a table by a view, or the other way round.
_OF_OTHER_KIND = (
    r"(?:is not(?: an?)?|use drop) ?(?:base )?(?:table|view)|a (?:table|view) with that name exists"
    r"|table already exists|is of type (?:table|view)|expect_(?:table|view)_not|because it is a view"
    r"|only delete from base table"
)


def check_target(name: str, dialect: Dialect) -> str:
    """Return the name of a table or view to be created, as SQL; raise UsageError if it is not a name."""
    if not isinstance(name, str) or looks_like_query(name) or not _is_name(name.strip(), dialect):
        raise UsageError(f"Pass the name of a table or view, such as 'schema.name', not {name!r}.")
    return table_name(name, dialect)


def _is_name(name: str, dialect: Dialect) -> bool:
    has_outer_dot = not is_quoted(name, dialect) and name.strip(".") != name
    return bool(re.search(r"\w", name)) and not has_outer_dot and ";" not in unquoted(name, dialect)


def check_not_read(name: str, query: str, dialect: Dialect, fetch: Callable[[str], Rows]) -> None:
    """Raise UsageError if the query reads the table or view that it is to replace, through views of views too.

    It may read it by that name or with more or fewer schemas before it. ``fetch`` returns the rows of a query.
    """
    target = [unquoted(part, dialect).lower() for part in split_name(name, dialect)]
    definitions = _find_view_queries(dialect, fetch)
    queries, view_names = [query], set()
    while queries:
        for table in tables_read(queries.pop(), dialect):
            common = min(len(target), len(table))
            if target[-common:] == table[-common:]:
                raise UsageError(
                    f"{name} is an input of the statement, so the result cannot replace it. Pass another name."
                )
            if table[-1] not in view_names:
                view_names.add(table[-1])
                queries += definitions(table)


def _find_view_queries(dialect: Dialect, fetch: Callable[[str], Rows]) -> Callable[[Sequence[str]], list[str]]:
    """Return a function from a table's name to the queries of all views that it may mean, in any schema."""
    if dialect.describes_views:
        return lambda table: _view_queries(table, dialect, fetch)
    queries: dict[str, list[str]] = {}
    for view, text in views(dialect, fetch):
        queries.setdefault(view.lower(), []).append(text)
    return lambda table: queries.get(table[-1], [])


def views(dialect: Dialect, fetch: Callable[[str], Rows]) -> list[tuple[str, str]]:
    """Return the names and queries of all views, where the engine lists them."""
    return [] if dialect.views is None else [(str(view), str(text)) for view, text in fetch(dialect.views)]


def _view_queries(table: Sequence[str], dialect: Dialect, fetch: Callable[[str], Rows]) -> list[str]:
    name = ".".join(quote_name(part, dialect) for part in table)
    try:
        rows = fetch(f"DESCRIBE TABLE EXTENDED {name}")
    except DatabaseError:  # a stage of the statement, not a table
        return []
    return [str(row[1]) for row in rows if row[0] == "View Text"]


def other_kind(name: str, kind: str) -> UsageError:
    """Return the error of a table that a view would replace, or the other way round."""
    return UsageError(f"{name} is not a {kind}, and a {kind} can replace only a {kind}. Pass another name.")


@contextlib.contextmanager
def replacing(name: str, kind: str) -> Iterator[None]:
    """Raise UsageError where a database refuses to replace a table by a view, or the other way round."""
    try:
        yield
    except DatabaseError as error:
        if re.search(_OF_OTHER_KIND, str(error), re.IGNORECASE):
            raise other_kind(name, kind) from None
        raise


def about(query: str | None, name: str, dialect: Dialect) -> str | None:
    """Return a dialect's query about a table or view of a name; None if the dialect has none."""
    if query is None:
        return None
    *schema, table = (literal(unquoted(part, dialect), dialect) for part in split_name(name, dialect))
    schema_sql = schema[-1] if schema else dialect.current_schema
    return query.format(name=literal(name, dialect), table=table, schema=schema_sql)


def name_taken(name: str) -> UsageError:
    """Return the error of a name that is taken."""
    return UsageError(f"{name} already exists. To replace it, pass {advise('argument', 'replace', True)}.")


class Creation(NamedTuple):
    """How to create a table or view.

    Attributes:
        statements: what to run, in this order.
        undo: what cleans up if one of them fails.
        tables: the tables that are left if that fails, too.
        only_rows: whether they change the rows of a table and nothing else, so that they can be a transaction.
    """

    statements: list[str]
    undo: Sequence[str] = ()
    tables: Sequence[str] = ()
    only_rows: bool = False


def creation(kind: str, name: str, query: str, dialect: Dialect, *, replace: bool) -> Creation:
    """Return the statements that create a ``table`` or ``view`` of a query's rows, in place of the old one or not.

    Raise UsageError if the dialect has no way to do that safely.
    """
    return Creation(_view(name, query, dialect, replace)) if kind == "view" else _table(name, query, dialect, replace)


def create_table(name: str, query: str, dialect: Dialect, *, temporary: bool = False) -> str:
    """Return the statement that stores a query's result."""
    if not dialect.create_table_as:
        raise UsageError(f"{dialect} has no CREATE TABLE AS. Use create_view.")
    return f"{_head(name, temporary)}{_storage(dialect, temporary)} AS\n{query}"


def create_empty_table(name: str, columns: Mapping[str, str], dialect: Dialect, *, temporary: bool = False) -> str:
    """Return the statement that creates a table of columns, whose names and types are as the dialect writes them."""
    definition = ", ".join(f"{column} {type_}" for column, type_ in columns.items())
    return f"{_head(name, temporary)} ({definition}){_storage(dialect, temporary)}"


def _head(name: str, temporary: bool) -> str:
    return f"CREATE {'TEMPORARY ' if temporary else ''}TABLE {name}"


def _storage(dialect: Dialect, temporary: bool) -> str:
    return dialect.temporary_storage if temporary else dialect.table_storage


def drop_table(name: str) -> str:
    """Return the statement that drops a table, if it is there."""
    return f"DROP TABLE IF EXISTS {name}"


def _view(name: str, query: str, dialect: Dialect, replace: bool) -> list[str]:
    if not replace:
        return [f"CREATE VIEW {name} AS\n{query}"]
    if dialect.transactional_ddl:
        return [f"DROP VIEW IF EXISTS {name}", f"CREATE VIEW {name} AS\n{query}"]
    return [f"{dialect.replace_view} {name} AS\n{query}"]


def _table(name: str, query: str, dialect: Dialect, replace: bool) -> Creation:
    if dialect.swap is not None:
        return _swap(name, query, dialect, dialect.swap, replace)
    create = create_table(name, query, dialect)
    if not replace:
        return Creation([create])
    if dialect.transactional_ddl:
        return Creation([drop_table(name), create])
    if dialect.or_replace_table:
        return Creation([create.replace("CREATE TABLE", "CREATE OR REPLACE TABLE", 1)])
    raise UsageError(f"{dialect} cannot replace a table in one step. Drop {name} first.")


def _swap(name: str, query: str, dialect: Dialect, swap: Swap, replace: bool) -> Creation:
    """Build the new table beside the old one, which is dropped only when the new one has its name."""
    *schema, table = split_name(name, dialect)
    old_table = quoted(old_name(unquoted(table, dialect)), dialect)
    new, old = (".".join([*schema, part]) for part in (stored_name(), old_table))

    def with_names(statements: Sequence[str]) -> list[str]:
        return [statement.format(new=new, old=old, name=name) for statement in statements]

    undo = with_names(swap.undo) if replace else []
    statements = with_names(swap.instead if replace else swap.first)
    tables = [new, old] if replace else [new]
    return Creation([create_table(new, query, dialect), *statements], [*undo, drop_table(new)], tables)
