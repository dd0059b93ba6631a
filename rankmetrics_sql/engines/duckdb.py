"""DuckDB: runs statements, describes relations, reads files and Python objects. Knows nothing of metrics.

DuckDB itself is imported with the first connection, so that help and version come at once.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import DatabaseError, DataError, UsageError

Row = tuple[Any, ...]


class DuckDB:
    """A connection to DuckDB, the user's or our own in memory.

    Attributes:
        connection: the DuckDB connection.
        own: whether the connection is ours, to load files into.
    """

    def __init__(self, connection: Any = None, *, threads: int | None = None, memory_limit: str | None = None) -> None:
        """Wraps a connection.

        Args:
            connection: a DuckDB connection, or None for a new one in memory.
            threads: how many threads DuckDB may use.
            memory_limit: such as ``"4GB"``; beyond it DuckDB writes to disk.

        Raises:
            UsageError: the connection is no DuckDB connection, or a setting is refused.
        """
        import duckdb

        if connection is not None and not isinstance(connection, duckdb.DuckDBPyConnection):
            raise UsageError(f"connection must be a DuckDB connection, not {type(connection).__name__}.")
        if connection is not None and (threads is not None or memory_limit is not None):
            raise UsageError("threads and memory_limit are for our own DuckDB; set them on your connection yourself.")
        self.own = connection is None
        self._error = duckdb.Error
        config = _config(threads=threads, memory_limit=memory_limit)
        try:
            self.connection = duckdb.connect(config=config) if connection is None else connection
        except duckdb.Error as error:
            raise UsageError(_first_line(error)) from None
        self._numbers = itertools.count(1)
        self._left: list[tuple[str, str]] = []

    def __enter__(self) -> DuckDB:
        return self

    def __exit__(self, *_error: object) -> None:
        self.forget()

    @classmethod
    def open(cls, url: str, **settings: Any) -> DuckDB:
        """Opens a database file, for reading only.

        Args:
            url: a path, or ``duckdb:///path``.
            settings: ``threads`` and ``memory_limit``, where they are not None.
        """
        scheme, separator, rest = url.partition("://")
        if separator and scheme != "duckdb":
            raise UsageError(f"{scheme}:// is not supported yet; --database takes a DuckDB file or duckdb:///PATH.")
        path = Path(rest.removeprefix("/") if separator else url)
        if not path.is_file():
            raise DataError(f"{path}: no such database file.")
        import duckdb

        try:
            return cls(duckdb.connect(str(path), read_only=True, config=_config(**settings)))
        except duckdb.Error as error:
            raise DataError(f"{path}: cannot be opened as a DuckDB database: {_first_line(error)}") from None

    def fetch(self, sql: str) -> tuple[list[str], list[Row]]:
        """Runs a statement.

        Returns:
            The names of its columns, and its rows.

        Raises:
            DatabaseError: DuckDB refused it.
        """
        try:
            cursor = self.connection.execute(sql)
            return [column[0] for column in cursor.description or []], cursor.fetchall()
        except (self._error, RuntimeError) as error:
            raise DatabaseError(_first_line(error), sql) from None

    def describe(self, relation: str) -> dict[str, str]:
        """The columns of a relation and their types."""
        return {row[0]: row[1] for row in self.fetch(f"DESCRIBE SELECT * FROM {relation}")[1]}

    def has_table(self, parts: Sequence[str]) -> bool:
        """Whether there is a table, view or registered frame of that name; asking fails no transaction.

        Args:
            parts: the name, or schema and name, or catalog, schema and name.
        """
        columns = ("table_catalog", "table_schema", "table_name")[-len(parts) :]
        pairs = zip(columns, parts, strict=False)
        conditions = " AND ".join(f"LOWER({column}) = {literal(part.lower())}" for column, part in pairs)
        if len(parts) == 2:  # DuckDB reads a.b as catalog and table too
            catalog, table = (literal(part.lower()) for part in parts)
            conditions += f" OR (LOWER(table_catalog) = {catalog} AND LOWER(table_name) = {table})"
        if len(parts) == 1:  # attached databases are not searched
            conditions += " AND table_catalog IN (CURRENT_DATABASE(), 'temp', 'system')"
            conditions += " AND table_schema IN (SELECT UNNEST(CURRENT_SCHEMAS(true)))"
        return bool(self.fetch(f"SELECT 1 FROM information_schema.tables WHERE {conditions} LIMIT 1")[1])

    def single(self, sql: str) -> Row:
        """The one row of a statement."""
        return self.fetch(sql)[1][0]

    def estimate(self, relation: str, columns: Sequence[str]) -> Row:
        """The number of rows, and about how many different values the columns have."""
        return self.single(f"SELECT COUNT(*), APPROX_COUNT_DISTINCT(HASH({', '.join(columns)})) FROM {relation}")

    def load(self, label: str, select: str, parameters: Sequence[Any] | None = None) -> str:
        """Stores the result of a query for this session.

        Args:
            label: what to call the table, where that is free.
            select: the query.
            parameters: values for its ``$1``, ``$2`` ...

        Returns:
            The table's quoted name.
        """
        name = self._free_name(label)
        try:
            self.connection.execute(f"CREATE TEMP TABLE {name} AS {select}", parameters)
        except (self._error, RuntimeError) as error:
            raise DatabaseError(_first_line(error), select) from None
        self._left.append(("TABLE", name))
        return name

    def register(self, label: str, frame: Any) -> str:
        """Makes a pandas, Polars or Arrow table, or a DuckDB relation, readable by name.

        Raises:
            UsageError: DuckDB cannot read such an object.
        """
        name = self._free_name(label)
        try:
            self.connection.register(name.strip('"'), frame)
        except (self._error, ImportError, RuntimeError) as error:
            hint = " Give its connection with connection=." if type(frame).__name__ == "DuckDBPyRelation" else ""
            raise UsageError(f"Cannot read {type(frame).__name__} as a table: {_first_line(error)}{hint}") from None
        self._left.append(("VIEW", name))
        return name

    @property
    def visiting(self) -> bool:
        """Whether ``load`` or ``register`` left something in the user's session, which ``forget`` is to remove."""
        return bool(self._left) and not self.own

    def forget(self) -> None:
        """Removes what ``load`` and ``register`` left in the user's session; our own ends by itself."""
        left, self._left = self._left, []
        for kind, name in () if self.own else left:
            with contextlib.suppress(self._error):
                self.connection.execute(f"DROP {kind} IF EXISTS {name}")

    def _free_name(self, label: str) -> str:
        plain = label.replace('"', "")
        if self.own and not self.has_table([plain]):
            return quoted(plain)
        return f'"rankmetrics_{next(self._numbers)}_{id(self)}"'


def _config(**settings: Any) -> dict[str, Any]:
    return {name: str(value) for name, value in settings.items() if value is not None}


def literal(text: str) -> str:
    """A string as SQL."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A name as an identifier, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def file_literal(path: Path) -> str:
    """A file's name as SQL, where DuckDB would take some characters for a pattern of names."""
    return literal("".join(f"[{mark}]" if mark in "*?[" else mark for mark in str(path)))


def unnest(columns: Mapping[str, Sequence[Any]]) -> tuple[str, list[Any]]:
    """A query over Python lists of one length, and its parameters."""
    names = ", ".join(f"unnest(${number}) AS {name}" for number, name in enumerate(columns, start=1))
    return f"SELECT {names}", list(columns.values())


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    if "CSV Error on Line" in lines[0] and len(lines) > 2:
        return f"{lines[0]}: {lines[2]}"
    return " ".join(lines[:2]) if len(lines) > 1 and lines[1].startswith("Did you mean") else lines[0]
