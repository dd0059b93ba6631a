"""SQLite by Python's sqlite3."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from ..dialects.names import quote_name
from ..errors import DatabaseError, DataError
from ..rows import Answer
from . import cancel
from .addresses import Address
from .base import Family
from .dbapi import DbApi
from .values import UNKNOWN

T = TypeVar("T")

_STEPS = 100_000  # between two looks at the clock: a millisecond or so


class SQLite(DbApi):
    """A connection of Python's sqlite3, which belongs to the thread that opened it.

    A statement with a timeout replaces the connection's progress handler, which nobody can read, and removes it. So
    a user's connection has one only then: Ctrl-C comes after the statement where there is no timeout. SQLite itself
    rolls a transaction back when a statement in it that writes is stopped.
    """

    _is_cancelled = False  # by ``cancel``, rather than by Ctrl-C

    @classmethod
    def open(cls, family: Family, address: Address, *, writable: bool) -> Any:  # noqa: ARG003 - part of Python
        """Open a file without SQLAlchemy, which would create a file whose name is misspelt."""
        path = address.path
        if not path or path == ":memory:":
            return sqlite3.connect(":memory:", check_same_thread=False)
        if not Path(path).is_file():
            raise DataError(f"{path}: no such database file.")
        mode = "rw" if writable else "ro"
        connection = sqlite3.connect(f"file:{quote(path)}?mode={mode}", uri=True, check_same_thread=False)
        connection.execute("SELECT COUNT(*) FROM sqlite_master")  # only now is the file read
        return connection

    @classmethod
    def name_of(cls, path: str) -> str:
        """Return the name of the file, without its folder."""
        return Path(path).name

    def begin(self) -> None:
        """Begin a transaction that CREATE and DROP are part of, too."""
        self.connection.execute("BEGIN")

    def cursor(self) -> Any:
        """Return a cursor whose rows are tuples, whatever the connection's default is."""
        cursor = self.connection.cursor()
        cursor.row_factory = None
        return cursor

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Do nothing: reading opens no transaction."""
        yield

    def type_words(self, description: Sequence[Sequence[Any]]) -> list[str]:
        """Return unknown types: SQLite's columns have none."""
        return [UNKNOWN for _ in description]

    def describe(self, relation: str) -> dict[str, str]:
        """Return the types of the values in the first thousand rows."""
        return sqlite_types(list(super().describe(relation)), relation, self.fetch)

    def stop(self) -> None:
        """Interrupt the statement, from another thread."""
        self._is_cancelled = True
        self.connection.interrupt()

    def watched(self, call: Callable[[], T], sql: str) -> T:
        """Run a statement in this thread."""
        is_ours = self._close is not None and self._open_second is None
        if self.timeout is None and not is_ours:
            return call()
        self._is_cancelled = False
        try:
            return _with_progress(call, self.connection, self.timeout, sql)
        except KeyboardInterrupt:
            if self._is_cancelled:
                raise DatabaseError("cancelled", sql) from None
            raise


_SQLITE_ROWS = 1000
_SQLITE_TYPES = (UNKNOWN, "BIGINT", "DOUBLE", "BLOB", "VARCHAR")  # mixed columns count as the last type


def sqlite_types(names: Sequence[str], relation: str, fetch: Callable[[str], Answer]) -> dict[str, str]:
    """Return the types of a relation's columns by its first rows; ``fetch`` runs a query."""
    storages = ", ".join(map(_storage, names))
    row = fetch(f"SELECT {storages} FROM (SELECT * FROM {relation} LIMIT {_SQLITE_ROWS})")[1][0]
    return {name: _SQLITE_TYPES[storage or 0] for name, storage in zip(names, row, strict=True)}


def _storage(name: str) -> str:
    column = quote_name(name)
    return (
        f"MAX(CASE typeof({column}) WHEN 'text' THEN 4 WHEN 'blob' THEN 3 WHEN 'real' THEN 2"
        " WHEN 'integer' THEN 1 ELSE 0 END)"
    )


def _with_progress(call: Callable[[], T], connection: Any, timeout: float | None = None, sql: str = "") -> T:
    """Run a statement in this thread, with a progress handler that looks at the clock between its steps.

    Raise KeyboardInterrupt after Ctrl-C, DatabaseError when the time is over.
    """
    end = None if timeout is None else time.monotonic() + timeout
    errors: list[BaseException] = []

    def check_time() -> int:
        try:
            if end is not None and time.monotonic() > end:
                errors.append(cancel.cancelled(timeout or 0, sql))
        except KeyboardInterrupt as interrupt:
            errors.append(interrupt)
        return len(errors)

    connection.set_progress_handler(check_time, _STEPS)
    try:
        return call()
    except sqlite3.OperationalError as error:
        if errors:
            raise errors[0] from None
        if error.args == ("interrupted",) and threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt from None  # it came while the handler was being called
        raise
    finally:
        connection.set_progress_handler(None, 0)
