"""Any DB-API connection (PEP 249). Its family's row of the table in ``families`` says what differs.

Statements go through a cursor without parameters, which leaves their ``%`` and ``:`` alone.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from ..rows import Answer
from .base import Driver, modules_of
from .problems import is_missing
from .values import UNKNOWN, Batches, duckdb_type, plain_rows, slices

SAVEPOINT = "rankmetrics_savepoint"
_ROWS = 10_000  # that ``executemany`` gets at a time
_PARAMETERS = 900  # in a statement: old versions of SQLite take 999
_PARAMSTYLES = {"qmark": "?", "format": "%s", "pyformat": "%s", "numeric": ":{}"}


class DbApi(Driver):
    """A DB-API connection of any database.

    Some clients do not show whether a transaction is open (mysqlclient, pyodbc ...). There a user's connection is
    neither committed nor rolled back, as in DB-API itself. Ours is committed.

    Cancelling needs a ``cancel`` of the cursor or the connection; without one, only the waiting ends.
    """

    _running_cursor: Any = None

    # What differs between clients.

    @property
    def has_savepoints(self) -> bool:
        """Whether a savepoint undoes a failed statement in the user's transaction, and only that."""
        return self.dialect.savepoints

    def in_transaction(self) -> bool | None:
        """Whether a transaction is open; None if the driver does not say."""
        if self.family.in_transaction:
            return self.family.in_transaction(self.connection)
        state = getattr(self.connection, "in_transaction", None)
        return state if isinstance(state, bool) else None

    def cursor(self) -> Any:
        """Return a cursor for a statement without parameters."""
        return self.connection.cursor()

    def streaming_cursor(self) -> Any:
        """Return a cursor that leaves rows on the server until they are fetched, where there is one."""
        return self.cursor()

    def type_words(self, description: Sequence[Sequence[Any]]) -> list[str]:
        """Return the types of a cursor's columns in DuckDB's words."""
        return [*map(self.family.type_word or _type_word, description)]

    def marker(self, number: int) -> str:
        """Return the placeholder of a parameter, by the module's ``paramstyle``, which a user may have set."""
        return _PARAMSTYLES.get(self._module_attribute("paramstyle"), "?").format(number)

    def stop(self) -> None:
        """Cancel the running statement on the server."""
        if self.family.cancel:
            self.family.cancel(self.connection, self._running_cursor)
            return
        for owner, name in ((self._running_cursor, "cancel"), (self.connection, "cancel")):
            if callable(getattr(owner, name, None)):
                getattr(owner, name)()
                return

    def begin(self) -> None:
        """Start a transaction where the connection would not do so by itself."""

    def end(self, word: str) -> None:
        """End a transaction of ours: ``commit`` or ``rollback``."""
        is_idle = self.family.in_transaction is not None and not self.in_transaction()  # some fail without one
        if not is_idle and callable(getattr(self.connection, word, None)):
            getattr(self.connection, word)()

    # Statements.

    def fetch(self, sql: str) -> Answer:
        return self._fetch(sql, self.cursor)

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        with contextlib.ExitStack() as stack:

            def start() -> Any:
                stack.enter_context(self._reading())
                return stack.enter_context(self._execute(self.streaming_cursor, sql))

            def fetch_more() -> list[tuple[Any, ...]]:
                return plain_rows(cursor.fetchmany(size))

            cursor = self._translate_errors(start, sql)
            if self.family.fetch_arrow:
                yield from self._arrow(partial(self.family.fetch_arrow, cursor, size), sql, size)
                return
            rows = self._translate_errors(fetch_more, sql)
            description = cursor.description or ()
            maker = Batches([column[0] for column in description], self.type_words(description))
            yield maker.batch(rows)
            while rows := self._translate_errors(fetch_more, sql):
                yield maker.batch(rows)

    def execute(self, sql: str) -> None:
        def call() -> None:
            with self._writing(), self._execute(self.cursor, sql):
                pass

        self._translate_errors(call, sql)

    @property
    def has_transactions(self) -> bool:
        return self.is_ours or self.in_transaction() is not None

    def atomically(self, statements: Sequence[str], *, only_rows: bool = False) -> None:
        if not (self.dialect.transactional_ddl or only_rows):
            super().atomically(statements)
            return
        current = [""]

        def call() -> None:
            with self._writing(begin=True):
                for sql in statements:
                    current[0] = sql
                    with self._execute(self.cursor, sql):
                        pass

        try:
            self.watched(call, "")
        except Exception as error:  # noqa: BLE001 - drivers raise whatever they like
            raise self._refusal(error, current[0]) from None

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        remaining, width = iter(rows), len(columns)
        size = _ROWS if self.family.executemany else max(1, _PARAMETERS // width)
        into = f"INSERT INTO {table} ({', '.join(columns)}) VALUES "

        def call() -> None:
            with self._writing(begin=True), contextlib.closing(self.cursor()) as cursor, self._as_running(cursor):
                while chunk := list(islice(remaining, size)):
                    if self.family.executemany:
                        cursor.executemany(into + self._markers(1, width), chunk)
                    else:
                        values = [value for row in chunk for value in row]
                        cursor.execute(into + self._markers(len(chunk), width), values)

        self._translate_errors(call, into)

    def describe(self, relation: str) -> dict[str, str]:
        sql = f"SELECT * FROM {relation} WHERE 1 = 0"

        def call() -> dict[str, str]:
            with self._reading(), self._execute(self.cursor, sql) as cursor:
                description = list(cursor.description)
                cursor.fetchall()
                return dict(zip([column[0] for column in description], self.type_words(description), strict=True))

        return self._translate_errors(call, sql)

    def has_table(self, relation: str) -> bool:
        sql = f"SELECT 1 FROM {relation} WHERE 1 = 0"

        def call() -> bool:
            try:
                with self._reading(), self._execute(self.cursor, sql) as cursor:
                    cursor.fetchall()
            except Exception as error:
                if is_missing(error):
                    return False
                raise
            return True

        return self._translate_errors(call, sql)

    def cancel(self) -> None:
        if self._running_cursor is not None:
            self.stop()

    # Cursors and transactions.

    def _arrow(self, fetch_more: Callable[[], Any], sql: str, size: int) -> Iterator[Any]:
        table = self._translate_errors(fetch_more, sql)
        yield from slices(table, size)
        while (table := self._translate_errors(fetch_more, sql)).num_rows:
            yield from slices(table, size)

    def _fetch(self, sql: str, make_cursor: Callable[[], Any]) -> Answer:
        def call() -> Answer:
            with self._reading(), self._execute(make_cursor, sql) as cursor:
                return [column[0] for column in cursor.description or ()], plain_rows(cursor.fetchall())

        return self._translate_errors(call, sql)

    @contextlib.contextmanager
    def _execute(self, make_cursor: Callable[[], Any], sql: str) -> Iterator[Any]:
        with contextlib.closing(make_cursor()) as cursor, self._as_running(cursor):
            cursor.execute(sql)
            yield cursor

    @contextlib.contextmanager
    def _as_running(self, cursor: Any) -> Iterator[None]:
        """Hold the cursor that ``cancel`` stops."""
        self._running_cursor = cursor
        try:
            yield
        finally:
            self._running_cursor = None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Leave no transaction open that was not open before, and none broken."""
        was_open = self.in_transaction()
        with self._savepoint(was_open):
            try:
                yield
            except BaseException:
                with contextlib.suppress(Exception):  # the first error says more
                    self._end_if_open(was_open)
                raise
            self._end_if_open(was_open)

    def _end_if_open(self, was_open: bool | None) -> None:
        """Roll back a transaction that reading has opened."""
        if was_open is False and self.in_transaction():
            self.end("rollback")

    @contextlib.contextmanager
    def _writing(self, *, begin: bool = False) -> Iterator[None]:
        """Commit, unless a transaction of the user's is open."""
        was_open = self.in_transaction()
        is_ours = self.is_ours if was_open is None else not was_open
        is_ours = is_ours and not self._in_transaction()
        if begin and was_open is False:
            self.begin()
        with self._savepoint(was_open):
            try:
                yield
            except BaseException:
                if is_ours:
                    with contextlib.suppress(Exception):  # the first error says more
                        self.end("rollback")
                raise
            if is_ours:
                self.end("commit")

    @contextlib.contextmanager
    def _savepoint(self, is_open: bool | None) -> Iterator[None]:
        if not (is_open and self.has_savepoints):
            yield
            return
        self._command(f"SAVEPOINT {SAVEPOINT}")
        try:
            yield
        except GeneratorExit:  # no error: somebody stopped reading, and may have written meanwhile
            self._command(f"RELEASE SAVEPOINT {SAVEPOINT}")
            raise
        except BaseException:
            with contextlib.suppress(Exception):  # the first error says more, and may have ended the transaction
                self._command(f"ROLLBACK TO SAVEPOINT {SAVEPOINT}")
                self._command(f"RELEASE SAVEPOINT {SAVEPOINT}")
            raise
        self._command(f"RELEASE SAVEPOINT {SAVEPOINT}")

    def _command(self, sql: str) -> None:
        with contextlib.closing(self.connection.cursor()) as cursor:
            cursor.execute(sql)

    def _markers(self, n_rows: int, n_columns: int) -> str:
        rows = (range(row * n_columns + 1, (row + 1) * n_columns + 1) for row in range(n_rows))
        return ", ".join(f"({', '.join(map(self.marker, numbers))})" for numbers in rows)

    def _module_attribute(self, name: str) -> Any:
        """Return an attribute of the driver's module, such as ``paramstyle``."""
        loaded = (sys.modules.get(module) for module in modules_of(self.connection))
        return next((getattr(module, name) for module in loaded if hasattr(module, name)), None)


def _type_word(column: Sequence[Any]) -> str:
    """Return the type of a column that a cursor describes by a name or by a class."""
    code = column[1]
    if isinstance(code, str):
        return duckdb_type(code)
    return duckdb_type(code.__name__) if isinstance(code, type) else UNKNOWN
