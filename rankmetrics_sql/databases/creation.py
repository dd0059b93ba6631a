"""The statements that leave a query's result in a database, by dialect: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..dialects import tables_read
from ..dialects.names import in_quotes, is_quoted, looks_like_query, split_name, table_name, unquoted
from ..errors import DatabaseError, UsageError

Rows = Sequence[tuple[Any, ...]]

# All statements of a creation are one transaction there.
_TRANSACTIONAL = ("postgres", "redshift", "sqlite")

# One statement replaces a table at once.
_REPLACES_TABLES = ("bigquery", "databricks", "duckdb", "snowflake")

# A new table is built under another name, so that nobody sees half of it; it is then renamed.
_RENAMES = ("clickhouse", "mysql", "presto", "spark", "trino")

# A table replaces a view, or a view a table, without a word: so one asks before.
_REPLACES_OTHER_KINDS = ("clickhouse", "mysql")

# How the others say so.
_OF_OTHER_KIND = (
    r"(?:is not a?|use drop) ?(?:base )?(?:table|view)|a (?:table|view) with that name exists|table already exists"
    r"|is of type (?:table|view)|expect_(?:table|view)_not"
)

# The names and queries of all views. PostgreSQL and SQLite drop nothing that a view then lacks, but do
# not say so as clearly.
_PG_VIEWS = "SELECT viewname, definition FROM pg_views"
_STANDARD_VIEWS = "SELECT table_name, view_definition FROM information_schema.views"
_VIEWS = {
    "athena": _STANDARD_VIEWS,
    "clickhouse": "SELECT name, as_select FROM system.tables WHERE engine LIKE '%View'",
    "duckdb": (
        "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal"
        " UNION ALL SELECT function_name, macro_definition FROM duckdb_functions() WHERE function_type = 'table_macro'"
    ),
    "mysql": _STANDARD_VIEWS,
    "postgres": f"{_PG_VIEWS} UNION ALL SELECT matviewname, definition FROM pg_matviews",
    "presto": _STANDARD_VIEWS,
    "redshift": _PG_VIEWS,
    "snowflake": _STANDARD_VIEWS,
    "sqlite": (
        "SELECT name, sql FROM sqlite_master WHERE type = 'view'"
        " UNION ALL SELECT name, sql FROM sqlite_temp_master WHERE type = 'view'"
    ),
    "trino": _STANDARD_VIEWS,
}

# These say it of one at a time.
_DESCRIBES_VIEWS = ("databricks", "spark")

# A statement reads a temporary table as often as it likes. MySQL's may read it once only.
TEMPORARY = ("clickhouse", "duckdb", "postgres", "redshift", "snowflake", "sqlite")


def check_target(name: str, dialect: str) -> str:
    """The name of a table or view to be created.

    Raises:
        UsageError: it is no name.
    """
    if not isinstance(name, str) or looks_like_query(name) or not _is_name(name.strip(), dialect):
        raise UsageError(f"The name of a table or view is expected, such as 'schema.name', not {name!r}.")
    return table_name(name, dialect)


def _is_name(name: str, dialect: str) -> bool:
    dangling = not is_quoted(name, dialect) and name.strip(".") != name
    return bool(re.search(r"\w", name)) and not dangling and ";" not in unquoted(name, dialect)


def check_not_read(name: str, query: str, dialect: str, fetch: Callable[[str], Rows]) -> None:
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
                raise UsageError(f"{name} is read by the statement and cannot be replaced with its result.")
            if read[-1] not in seen:
                seen.add(read[-1])
                waiting += definitions(read)


def _definitions(dialect: str, fetch: Callable[[str], Rows]) -> Callable[[Sequence[str]], list[str]]:
    """What gives the queries of the views that a name may mean, in whatever schema."""
    if dialect in _DESCRIBES_VIEWS:
        return lambda read: _described(read, dialect, fetch)
    found: dict[str, list[str]] = {}
    for view, text in views(dialect, fetch):
        found.setdefault(view.lower(), []).append(text)
    return lambda read: found.get(read[-1], [])


def views(dialect: str, fetch: Callable[[str], Rows]) -> list[tuple[str, str]]:
    """The names and queries of all views, where the engine lists them."""
    return [(str(view), str(text)) for view, text in fetch(_VIEWS[dialect])] if dialect in _VIEWS else []


def _described(read: Sequence[str], dialect: str, fetch: Callable[[str], Rows]) -> list[str]:
    name = ".".join(in_quotes(part, dialect) for part in read)
    try:
        rows = fetch(f"DESCRIBE TABLE EXTENDED {name}")
    except DatabaseError:  # a stage of the statement, and no table
        return []
    return [str(row[1]) for row in rows if row[0] == "View Text"]


def other_kind(name: str, kind: str) -> UsageError:
    """The error of a table that a view would replace, or the other way round."""
    return UsageError(f"{name}: what has that name is no {kind}, and only a {kind} is replaced with a {kind}.")


@contextlib.contextmanager
def replacing(name: str, kind: str) -> Iterator[None]:
    """Statements that a database refuses because what they replace is a table and no view, or the other way round."""
    try:
        yield
    except DatabaseError as error:
        if re.search(_OF_OTHER_KIND, str(error), re.IGNORECASE):
            raise other_kind(name, kind) from None
        raise


def is_view_query(name: str, dialect: str) -> str | None:
    """The query whether a view has the name; None where the database itself refuses to replace another kind."""
    if dialect not in _REPLACES_OTHER_KINDS:
        return None
    *schema, table = (_text(unquoted(part, dialect)) for part in split_name(name, dialect))
    return (
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_type LIKE '%VIEW'"
        f" AND table_schema = {schema[-1] if schema else 'DATABASE()'} AND table_name = {table}"
    )


def _text(value: str) -> str:
    """A text where a backslash stands for itself only behind another."""
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def name_taken(name: str) -> UsageError:
    """The error of a name that is taken."""
    return UsageError(f"{name}: there is a table or view of that name already; replace=True (--replace) lets it go.")


@dataclass(frozen=True)
class Creation:
    """What to run, in this order, and what to run when one of it fails."""

    statements: list[str]
    undo: list[str]


def creation(kind: str, name: str, query: str, dialect: str, *, replace: bool) -> Creation:
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


def create_table(name: str, query: str, dialect: str, *, temporary: bool = False) -> str:
    """The statement that stores a query's result."""
    if dialect == "tsql":
        raise UsageError("SQL Server has no CREATE TABLE AS; take create_view.")
    return f"{_head(name, temporary)}{_engine(dialect, temporary)} AS\n{query}"


def create_empty_table(name: str, columns: Mapping[str, str], dialect: str, *, temporary: bool = False) -> str:
    """The statement that makes room for rows.

    Args:
        name: the table's name.
        columns: their names and types, all as the dialect writes them.
        dialect: the dialect.
        temporary: whether the table is the session's.
    """
    definition = ", ".join(f"{column} {type_}" for column, type_ in columns.items())
    return f"{_head(name, temporary)} ({definition}){_engine(dialect, temporary)}"


def _head(name: str, temporary: bool) -> str:
    return f"CREATE {'TEMPORARY ' if temporary else ''}TABLE {name}"


def _engine(dialect: str, temporary: bool) -> str:
    if dialect != "clickhouse":
        return ""
    return " ENGINE = Memory" if temporary else " ENGINE = MergeTree ORDER BY tuple()"


def drop_table(name: str) -> str:
    """The statement that removes a table that may be gone already."""
    return f"DROP TABLE IF EXISTS {name}"


def _view(name: str, query: str, dialect: str, replace: bool) -> list[str]:
    if not replace:
        return [f"CREATE VIEW {name} AS\n{query}"]
    if dialect in _TRANSACTIONAL:
        return [f"DROP VIEW IF EXISTS {name}", f"CREATE VIEW {name} AS\n{query}"]
    return [f"CREATE OR {'ALTER' if dialect in ('tsql', 'fabric') else 'REPLACE'} VIEW {name} AS\n{query}"]


def _table(name: str, query: str, dialect: str, replace: bool) -> Creation:
    if dialect in _RENAMES:
        return _swapped(name, query, dialect, replace)
    create = create_table(name, query, dialect)
    if not replace:
        return Creation([create], [])
    if dialect in _TRANSACTIONAL:
        return Creation([drop_table(name), create], [])
    if dialect in _REPLACES_TABLES:
        return Creation([create.replace("CREATE TABLE", "CREATE OR REPLACE TABLE", 1)], [])
    raise UsageError(f"{dialect} cannot replace a table in one step; drop {name} first.")


def _swapped(name: str, query: str, dialect: str, replace: bool) -> Creation:
    """The new table is built beside the old one, which goes only when the new one has its name."""
    new, old = (".".join([*split_name(name, dialect)[:-1], f"rankmetrics_{os.urandom(4).hex()}"]) for _ in range(2))
    build, drop_new, drop_old = create_table(new, query, dialect), drop_table(new), drop_table(old)
    if dialect == "clickhouse":
        swap = [f"EXCHANGE TABLES {new} AND {name}", drop_new] if replace else [f"RENAME TABLE {new} TO {name}"]
        return Creation([build, *swap], [drop_new])
    if dialect == "mysql":
        both = f"{name} TO {old}, " if replace else ""
        swap = [f"RENAME TABLE {both}{new} TO {name}", *([drop_old] if replace else [])]
        return Creation([build, *swap], [drop_new])
    give = f"ALTER TABLE {new} RENAME TO {name}"
    if not replace:
        return Creation([build, give], [drop_new])
    take, give_back = f"ALTER TABLE {name} RENAME TO {old}", f"ALTER TABLE {old} RENAME TO {name}"
    return Creation([build, take, give, drop_old], [give_back, drop_new])
