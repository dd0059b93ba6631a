"""DuckDB: runs statements, describes relations, reads files and Python objects. Knows nothing of metrics.

DuckDB itself is imported with the first connection, so that help and version come at once.
"""

from __future__ import annotations

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
        self.own = connection is None
        self._error = duckdb.Error
        settings = {"threads": threads, "memory_limit": memory_limit}
        try:
            self.connection = duckdb.connect() if connection is None else connection
            for name, value in settings.items():
                if value is not None:
                    self.connection.execute(f"SET {name} = {literal(str(value))}")
        except duckdb.Error as error:
            raise UsageError(_first_line(error)) from None
        self._numbers = itertools.count(1)

    @classmethod
    def open(cls, url: str, **settings: Any) -> DuckDB:
        """Opens a database file, for reading only.

        Args:
            url: a path, or ``duckdb:///path``.
            settings: ``threads`` and ``memory_limit``.
        """
        scheme, separator, rest = url.partition("://")
        if separator and scheme != "duckdb":
            raise UsageError(f"{scheme}:// is not supported yet; --database takes a DuckDB file or duckdb:///PATH.")
        path = Path(rest.removeprefix("/") if separator else url)
        if separator and rest.startswith("//"):
            path = Path(rest[1:])
        if not path.is_file():
            raise DataError(f"{path}: no such database file.")
        import duckdb

        try:
            return cls(duckdb.connect(str(path), read_only=True), **settings)
        except duckdb.Error as error:
            raise DataError(f"{path}: {_first_line(error)}") from None

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
        except self._error as error:
            raise DatabaseError(_first_line(error), sql) from None

    def describe(self, relation: str) -> dict[str, str]:
        """The columns of a relation and their types."""
        return {row[0]: row[1] for row in self.fetch(f"DESCRIBE SELECT * FROM {relation}")[1]}

    def has_table(self, name: str) -> bool:
        """Whether there is a table, view or registered frame of that name."""
        try:
            self.describe(name)
        except DatabaseError:
            return False
        return True

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
        except self._error as error:
            raise DatabaseError(_first_line(error), select) from None
        return name

    def register(self, label: str, frame: Any) -> str:
        """Makes a pandas, Polars or Arrow table, or a DuckDB relation, readable by name.

        Raises:
            UsageError: DuckDB cannot read such an object.
        """
        name = self._free_name(label)
        try:
            self.connection.register(name.strip('"'), frame)
        except (self._error, ImportError) as error:
            raise UsageError(f"Cannot read {type(frame).__name__} as a table: {_first_line(error)}") from None
        return name

    def forget(self, names: Sequence[str]) -> None:
        """Removes what ``load`` and ``register`` left in the user's session; our own ends by itself."""
        for name in () if self.own else names:
            for kind in ("VIEW", "TABLE"):
                try:
                    self.connection.execute(f"DROP {kind} IF EXISTS {name}")
                except self._error:
                    continue

    def _free_name(self, label: str) -> str:
        quoted = '"' + label.replace('"', "") + '"'
        if self.own and not self.has_table(quoted):
            return quoted
        return f'"rankmetrics_{next(self._numbers)}_{id(self)}"'


def literal(text: str) -> str:
    """A string as SQL."""
    return "'" + text.replace("'", "''") + "'"


def unnest(columns: Mapping[str, Sequence[Any]]) -> tuple[str, list[Any]]:
    """A query over Python lists of one length, and its parameters."""
    names = ", ".join(f"unnest(${number}) AS {name}" for number, name in enumerate(columns, start=1))
    return f"SELECT {names}", list(columns.values())


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return " ".join(lines[:2]) if len(lines) > 1 and lines[1].startswith("Did you mean") else lines[0]
