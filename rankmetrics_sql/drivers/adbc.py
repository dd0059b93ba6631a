"""ADBC connections (adbc_driver_manager.dbapi), whose results are Arrow."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ..dialects.names import literal, split_name, unquoted
from ..optional import pyarrow
from ..rows import Estimate
from .base import estimate
from .dbapi import DbApi
from .sqlite import sqlite_types
from .values import arrow_type, empty_batch, slices

_ROWS = 100_000  # in a load


class Adbc(DbApi):
    """An ADBC connection.

    Unless it was opened with ``autocommit``, the driver has a transaction open all the time. Where the database does
    not show whether anything was written in it, the user has to commit it.

    Drivers that cannot cancel (SQLite's) go on; only the waiting ends.
    """

    has_savepoints = False  # no driver can roll back to one after an error

    @classmethod
    def database(cls, connection: Any) -> str:
        """Return the database that the driver is made for, or is connected to."""
        return _vendor(connection).lower()

    @classmethod
    def label_of(cls, connection: Any) -> str:
        return f"the ADBC connection ({_vendor(connection) or 'of an unknown vendor'})"

    def in_transaction(self) -> bool | None:
        """Whether the user wrote something and did not commit it, or may have."""
        return not self.connection._autocommit

    def begin(self) -> None:
        """Begin where every statement would commit itself."""
        if self.connection._autocommit:
            self._command("BEGIN")

    def end(self, word: str) -> None:
        """End by a statement under autocommit, if ``begin`` was called."""
        if not self.connection._autocommit:
            super().end(word)
            return
        with contextlib.suppress(Exception):
            self._command(word.upper())

    def type_words(self, description: Sequence[Sequence[Any]]) -> list[str]:
        """Name the types, which are Arrow's."""
        return [arrow_type(column[1]) for column in description]

    def stop(self) -> None:
        """Cancel the statement and the connection, because drivers have one or the other."""
        for cancel in (self._running_cursor.adbc_cancel, self.connection.adbc_cancel):
            with contextlib.suppress(Exception):
                cancel()

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        with contextlib.ExitStack() as stack:

            def start() -> Any:
                stack.enter_context(self._reading())
                return stack.enter_context(self._execute(self.cursor, sql)).fetch_record_batch()

            reader = self._translate_errors(start, sql)
            batch = self._translate_errors(lambda: next(reader, None), sql) or empty_batch(reader.schema)
            while batch is not None:
                yield from slices(batch, size)
                batch = self._translate_errors(lambda: next(reader, None), sql)

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """Send the rows as Arrow, because each driver has its own kind of parameter."""
        *schema, name = (unquoted(part, self.dialect) for part in split_name(table, self.dialect))
        options = {"db_schema_name": schema[-1]} if schema else self._ingest_options(table)
        names, remaining = [unquoted(column, self.dialect) for column in columns], iter(rows)

        def call() -> None:
            with self._writing(), contextlib.closing(self.cursor()) as cursor:
                while chunk := list(islice(remaining, _ROWS)):
                    arrays = [pyarrow().array(column) for column in zip(*chunk, strict=True)]
                    data = pyarrow().table(arrays, names=names)
                    cursor.adbc_ingest(name, data, mode="append", **options)

        self._translate_errors(call, f"INSERT INTO {table}")

    def _ingest_options(self, table: str) -> dict[str, Any]:  # noqa: ARG002 - a subclass needs it
        """Return the arguments by which the driver finds a table without a schema."""
        return {}


class AdbcPostgres(Adbc):
    """PostgreSQL, which shows whether anything was written in the transaction that is always open.

    An error breaks the transaction.
    """

    def in_transaction(self) -> bool | None:
        """Whether the user wrote something and did not commit it."""
        if self.connection._autocommit:
            return False
        try:
            with contextlib.closing(self.connection.cursor()) as cursor:
                cursor.execute("SELECT txid_current_if_assigned() IS NOT NULL")
                return bool(cursor.fetchone()[0])
        except Exception:  # noqa: BLE001 - it is broken, so it is open
            return True

    def has_table(self, relation: str) -> bool:
        """Whether there is such a table; this query cannot fail."""
        return bool(self.fetch(f"SELECT to_regclass({literal(relation)}) IS NOT NULL")[1][0][0])

    def estimate(self, sql: str) -> Estimate | None:
        """Estimate without COPY, in which the driver wraps queries, and which takes no EXPLAIN."""

        def make_cursor() -> Any:
            cursor = self.cursor()
            cursor.adbc_statement.set_options(**{"adbc.postgresql.use_copy": False})
            return cursor

        return estimate(self.dialect, sql, lambda query: self._fetch(query, make_cursor))

    def _ingest_options(self, table: str) -> dict[str, Any]:
        """Mark a temporary table, which is in another schema than the one in which the driver looks."""
        sql = f"SELECT 1 FROM pg_class WHERE oid = to_regclass({literal(table)}) AND relpersistence = 't'"
        return {"temporary": True} if self.fetch(sql)[1] else {}


class AdbcSQLite(Adbc):
    """SQLite's columns have no types, and the driver guesses by the first rows."""

    def describe(self, relation: str) -> dict[str, str]:
        return sqlite_types(list(super().describe(relation)), relation, self.fetch)


def _vendor(connection: Any) -> str:
    return str(connection.adbc_get_info().get("vendor_name", ""))
