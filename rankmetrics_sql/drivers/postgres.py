"""PostgreSQL by psycopg, psycopg2 and pg8000; Redshift by redshift_connector."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import SimpleNamespace
from typing import Any, TypeVar

from ..errors import RankmetricsError
from . import cancel
from .base import modules_of
from .dbapi import DbApi
from .values import Batches, duckdb_type, plain_rows

T = TypeVar("T")

_COPIED_ROWS = 1000  # that are written as text at a time
_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})  # of COPY's text


class Postgres(DbApi):
    """Threads may share a connection: it has one transaction, so each statement waits for the one before it.

    Redshift has no savepoints: there an error breaks a transaction that was open.
    """

    _is_cancelled = False

    def in_transaction(self) -> bool | None:
        """Return whether libpq has a transaction open, broken or not."""
        status = getattr(getattr(self.connection, "info", None), "transaction_status", None)
        return super().in_transaction() if status is None else int(status) != 0

    def cursor(self) -> Any:
        """Return a cursor whose rows are tuples, whatever the connection's default is."""
        return self.connection.cursor(**self._cursor_options())

    def _cursor_options(self) -> dict[str, Any]:
        """Return the arguments of a cursor whose rows are tuples."""
        modules = set(modules_of(self.connection))
        if "psycopg" in modules:
            return {"row_factory": sys.modules["psycopg.rows"].tuple_row}
        if "psycopg2" in modules:
            return {"cursor_factory": sys.modules["psycopg2.extensions"].cursor}
        return {}

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """Yield batches of rows that the server keeps; no transaction of ours is open between two of them."""
        if not (self.dialect.held_cursors and hasattr(self.connection, "info")):  # pg8000's cursors are all alike
            yield from super().batches(sql, size)
            return
        cursor, description, types, rows = self._translate_errors(lambda: self._open_held_cursor(sql, size), sql)

        def fetch_more() -> list[tuple[Any, ...]]:
            with self._reading(), self._as_running(cursor):
                return plain_rows(cursor.fetchmany(size))

        def close() -> None:
            with self._reading():
                cursor.close()

        try:
            maker = Batches([column[0] for column in description], types)
            yield maker.batch(rows)
            while rows := self._translate_errors(fetch_more, sql):
                yield maker.batch(rows)
        finally:
            with contextlib.suppress(RankmetricsError):  # gone with a transaction of the user's, or the connection
                self._translate_errors(close, sql)

    def _open_held_cursor(self, sql: str, size: int) -> tuple[Any, list[Any], list[str], list[tuple[Any, ...]]]:
        """Return a cursor that outlives its transaction, its columns' description and types, and its first rows."""
        with self._writing(), contextlib.ExitStack() as stack:
            name = f"rankmetrics_{os.urandom(8).hex()}"
            cursor = self.connection.cursor(name=name, withhold=True, **self._cursor_options())
            stack.enter_context(contextlib.closing(cursor))
            with self._as_running(cursor):
                cursor.execute(sql)
                rows = plain_rows(cursor.fetchmany(size))
            description = list(cursor.description or ())
            types = self.type_words(description)
            stack.pop_all()  # it stays open
        return cursor, description, types, rows

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """Send the rows by COPY, which takes a twentieth of the time of INSERT."""
        if not self.dialect.copies_rows:
            super().insert(table, columns, rows)
            return
        sql = f"COPY {table} ({', '.join(columns)}) FROM STDIN"

        def call() -> None:
            with self._writing(begin=True), contextlib.closing(self.cursor()) as cursor, self._as_running(cursor):
                _copy(cursor, sql, list(columns.values()), self._until_cancelled(rows))

        self._translate_errors(call, sql)

    def _until_cancelled(self, rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
        """Yield rows until ``stop``: a server that has cancelled COPY still reads what is sent."""
        self._is_cancelled = False
        for row in rows:
            if self._is_cancelled:
                raise InterruptedError("cancelled")
            yield row

    def watched(self, call: Callable[[], T], sql: str) -> T:
        """Run one statement at a time."""

        def locked() -> T:
            with cancel.hold_lock(cancel.lock_of(self.connection), self.timeout, sql):
                return call()

        return super().watched(locked, sql)

    def stop(self) -> None:
        """Cancel; psycopg 3.2 does it over an encrypted connection if this one is."""
        self._is_cancelled = True
        getattr(self.connection, "cancel_safe", self.connection.cancel)()

    def begin(self) -> None:
        """Begin where every statement would commit itself."""
        if getattr(self.connection, "autocommit", False):
            self._command("BEGIN")

    def end(self, word: str) -> None:
        """End by a statement under autocommit, where psycopg2's ``commit`` does nothing."""
        if not getattr(self.connection, "autocommit", False):
            super().end(word)
        elif self.in_transaction():
            self._command(word.upper())

    def type_words(self, description: Sequence[Sequence[Any]]) -> list[str]:
        """Name the types by their numbers; ask the server for types that users created."""
        numbers = sorted({int(column[1]) for column in description})
        sql = f"SELECT oid, format_type(oid, NULL) FROM pg_type WHERE oid IN ({', '.join(map(str, numbers))})"
        with contextlib.closing(self.cursor()) as cursor:
            cursor.execute(sql)
            names = {int(oid): str(name) for oid, name in cursor.fetchall()}
        return [duckdb_type(names.get(int(column[1]), "unknown")) for column in description]


def _copy(cursor: Any, sql: str, types: Sequence[str], rows: Iterator[Sequence[Any]]) -> None:
    """Run COPY with rows from here; each package has its own way to send them."""
    if hasattr(cursor, "copy"):  # psycopg
        with cursor.copy(f"{sql} (FORMAT BINARY)") as copy:
            copy.set_types([type_.lower() for type_ in types])
            for row in rows:
                copy.write_row(row)
        return
    lines = ("\t".join(map(_text, row)) + "\n" for row in rows)
    texts = iter(lambda: "".join(islice(lines, _COPIED_ROWS)), "")
    if hasattr(cursor, "copy_expert"):  # psycopg2, which reads a file
        cursor.copy_expert(sql, SimpleNamespace(read=lambda _size: next(texts, "")))
    else:
        cursor.execute(sql, stream=texts)


def _text(value: Any) -> str:
    """Return a value in the text format of COPY."""
    if value is None:
        return r"\N"
    return value.translate(_ESCAPES) if isinstance(value, str) else str(value)


class Redshift(Postgres):
    """A connection that has no way to cancel; a second one to the same server can."""

    def cursor(self) -> Any:
        """Return a cursor with ``?`` for parameters, because the default would read every ``%`` as one."""
        cursor = super().cursor()
        cursor.paramstyle = "qmark"
        return cursor

    def marker(self, number: int) -> str:  # noqa: ARG002 - all are alike
        """Return the cursor's placeholder."""
        return "?"

    def stop(self) -> None:
        """Send CANCEL over a second connection."""
        if self._open_second is None:
            return
        with contextlib.closing(self._open_second()) as second, contextlib.closing(second.cursor()) as cursor:
            cursor.execute(f"CANCEL {self.process}")

    @property
    def process(self) -> int:
        """Return the server's number for this connection, which it sends at the start, with a key."""
        return int.from_bytes(self.connection._backend_key_data[:4], "big")
