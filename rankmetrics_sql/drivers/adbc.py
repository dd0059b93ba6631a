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

_ROWS = 100_000  # of one load


class Adbc(DbApi):
    """An ADBC connection.

    Unless it was opened with ``autocommit``, the driver has a transaction open all the time. Where the database does
    not tell whether anything was written in it, it is the user's to commit.

    Drivers that cannot cancel (SQLite's) go on; only the waiting ends.
    """

    has_savepoints = False  # no driver lets anybody go back to one after an error

    @classmethod
    def database(cls, connection: Any) -> str:
        """The driver names the database that it is made for, or that it found."""
        return _vendor(connection).lower()

    @classmethod
    def label_of(cls, connection: Any) -> str:
        return f"the ADBC connection ({_vendor(connection) or 'of an unknown vendor'})"

    def in_transaction(self) -> bool | None:
        """Whether the user wrote something and did not commit it, or may have."""
        return not self.connection._autocommit

    def begin(self) -> None:
        """Where every statement commits itself."""
        if self.connection._autocommit:
            self._command("BEGIN")

    def end(self, word: str) -> None:
        """Commit what ``begin`` began, if every statement commits itself."""
        if not self.connection._autocommit:
            super().end(word)
            return
        with contextlib.suppress(Exception):
            self._command(word.upper())

    def type_words(self, description: Sequence[Sequence[Any]]) -> list[str]:
        """Arrow's types."""
        return [arrow_type(column[1]) for column in description]

    def stop(self) -> None:
        """The statement, and the connection, because drivers have one or the other."""
        for cancel in (self._running.adbc_cancel, self.connection.adbc_cancel):
            with contextlib.suppress(Exception):
                cancel()

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        with contextlib.ExitStack() as stack:

            def start() -> Any:
                stack.enter_context(self._reading())
                return stack.enter_context(self._ran(self.cursor, sql)).fetch_record_batch()

            reader = self._translated(start, sql)
            batch = self._translated(lambda: next(reader, None), sql) or empty_batch(reader.schema)
            while batch is not None:
                yield from slices(batch, size)
                batch = self._translated(lambda: next(reader, None), sql)

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """As Arrow, because each driver has its own kind of parameter."""
        *schema, name = (unquoted(part, self.dialect) for part in split_name(table, self.dialect))
        places = {"db_schema_name": schema[-1]} if schema else self._place(table)
        names, remaining = [unquoted(column, self.dialect) for column in columns], iter(rows)

        def call() -> None:
            with self._writing(), contextlib.closing(self.cursor()) as cursor:
                while chunk := list(islice(remaining, _ROWS)):
                    arrays = [pyarrow().array(column) for column in zip(*chunk, strict=True)]
                    data = pyarrow().table(arrays, names=names)
                    cursor.adbc_ingest(name, data, mode="append", **places)

        self._translated(call, f"INSERT INTO {table}")

    def _place(self, table: str) -> dict[str, Any]:  # noqa: ARG002 - for subclasses
        """Where the driver is to look for a table without a schema."""
        return {}


class AdbcPostgres(Adbc):
    """PostgreSQL tells whether anything was written in the transaction that is always open.

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
        """Ask PostgreSQL in a way that raises no error."""
        return bool(self.fetch(f"SELECT to_regclass({literal(relation)}) IS NOT NULL")[1][0][0])

    def estimate(self, sql: str) -> Estimate | None:
        """The driver wraps queries in COPY, which takes no EXPLAIN."""

        def cursor() -> Any:
            made = self.cursor()
            made.adbc_statement.set_options(**{"adbc.postgresql.use_copy": False})
            return made

        return estimate(self.dialect, sql, lambda question: self._fetched(question, cursor))

    def _place(self, table: str) -> dict[str, Any]:
        """A temporary table is in a schema of its own, and the driver looks in the one that is first."""
        found = f"SELECT 1 FROM pg_class WHERE oid = to_regclass({literal(table)}) AND relpersistence = 't'"
        return {"temporary": True} if self.fetch(found)[1] else {}


class AdbcSQLite(Adbc):
    """SQLite's columns have no types, and the driver guesses by the first rows."""

    def describe(self, relation: str) -> dict[str, str]:
        return sqlite_types(list(super().describe(relation)), relation, self.fetch)


def _vendor(connection: Any) -> str:
    return str(connection.adbc_get_info().get("vendor_name", ""))
