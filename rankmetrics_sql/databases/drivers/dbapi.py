"""Any DB-API connection (PEP 249), and what is special about those of PostgreSQL, MySQL and SQLite.

Statements go through a cursor without parameters, which leaves their ``%`` and ``:`` alone.
"""

from __future__ import annotations

import contextlib
import copy
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ...dialects import Dialect
from ...dialects.names import in_quotes
from ...errors import DatabaseError, RankmetricsError
from .. import cancel
from .base import Answer
from .connected import Connected
from .problems import is_missing, refusal
from .values import UNKNOWN, Batches, duckdb_type, plain_rows

T = TypeVar("T")

SAVEPOINT = "rankmetrics_savepoint"
_PARAMETERS = 900  # of one statement: SQLite was once built for 999
_MARKERS = {"qmark": "?", "format": "%s", "pyformat": "%s"}


class DbApi(Connected):
    """A DB-API connection of whatever database.

    Where the driver does not say whether a transaction is open (mysqlclient, pyodbc ...), a user's connection is
    neither committed nor rolled back, as DB-API has it; ours is committed.

    Cancelling needs a ``cancel`` of the cursor or the connection; without one, only the waiting ends.
    """

    def __init__(
        self,
        connection: Any,
        dialect: Dialect,
        label: str,
        *,
        close: Callable[[], None] | None = None,
        another: Callable[[], Any] | None = None,
        in_transaction: Callable[[], bool] | None = None,
        secrets: Sequence[str] = (),
    ) -> None:
        """Wraps a connection.

        Args:
            connection: the user's or ours.
            dialect: what to write statements in.
            label: what to call it.
            close: gives it up, if it is ours.
            another: opens a second connection to the same server.
            in_transaction: whether the user has a transaction open which the connection does not know of yet.
            secrets: what to keep out of messages.
        """
        super().__init__(label, close=close, secrets=secrets)
        self.connection = connection
        self.dialect = dialect
        self._another = another
        self._in_transaction = in_transaction or (lambda: False)
        self._running: Any = None

    # What families of drivers change.

    @property
    def has_savepoints(self) -> bool:
        """Whether what failed in a transaction of the user's is undone by one, and nothing else."""
        return self.dialect.savepoints

    def in_transaction(self) -> bool | None:
        """Whether a transaction is open; None if the driver does not say."""
        found = getattr(self.connection, "in_transaction", None)
        return found if isinstance(found, bool) else None

    def cursor(self) -> Any:
        """A cursor for a statement without parameters."""
        return self.connection.cursor()

    def streaming_cursor(self) -> Any:
        """A cursor that leaves rows on the server until they are fetched, where there is one."""
        return self.cursor()

    def type_words(self, description: Sequence[Sequence[Any]]) -> list[str]:
        """The types of a cursor's columns in DuckDB's words."""
        return [_type_word(column[1]) for column in description]

    def marker(self, number: int) -> str:  # noqa: ARG002 - some drivers count them
        """What stands for a parameter."""
        return _MARKERS.get(self._module_attribute("paramstyle"), "?")

    def stop(self) -> None:
        """Cancels the running statement on the server."""
        for owner, name in ((self._running, "cancel"), (self.connection, "cancel")):
            if callable(getattr(owner, name, None)):
                getattr(owner, name)()
                return

    def begin(self) -> None:
        """Starts a transaction where the connection would not do so by itself."""

    def end(self, word: str) -> None:
        """Ends a transaction of ours: ``commit`` or ``rollback``."""
        if callable(getattr(self.connection, word, None)):
            getattr(self.connection, word)()

    # The interface.

    def fetch(self, sql: str) -> Answer:
        """See ``Driver.fetch``."""
        return self._fetched(sql, self.cursor)

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """See ``Driver.batches``."""
        with contextlib.ExitStack() as stack:

            def start() -> Any:
                stack.enter_context(self._reading())
                return stack.enter_context(self._ran(self.streaming_cursor, sql))

            def more() -> list[tuple[Any, ...]]:
                return plain_rows(cursor.fetchmany(size))

            cursor = self._translated(start, sql)
            rows = self._translated(more, sql)
            described = cursor.description or ()
            maker = Batches([column[0] for column in described], self.type_words(described))
            yield maker.batch(rows)
            while rows := self._translated(more, sql):
                yield maker.batch(rows)

    def execute(self, sql: str) -> None:
        """See ``Driver.execute``."""

        def call() -> None:
            with self._writing(), self._ran(self.cursor, sql):
                pass

        self._translated(call, sql)

    def atomically(self, statements: Sequence[str]) -> None:
        """See ``Driver.atomically``."""
        if not self.dialect.transactional_ddl:
            super().atomically(statements)
            return
        current = [""]

        def call() -> None:
            with self._writing(begin=True):
                for sql in statements:
                    current[0] = sql
                    with self._ran(self.cursor, sql):
                        pass

        try:
            self.watched(call, "")
        except Exception as error:  # noqa: BLE001 - drivers raise whatever they like
            raise refusal(error, current[0], self._secrets) from None

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """See ``Driver.insert``."""
        remaining = iter(rows)
        into = f"INSERT INTO {table} ({', '.join(columns)}) VALUES "

        def call() -> None:
            with self._writing(begin=True), contextlib.closing(self.cursor()) as cursor:
                while chunk := list(islice(remaining, max(1, _PARAMETERS // len(columns)))):
                    self._running = cursor
                    cursor.execute(into + self._places(len(chunk), len(columns)), [x for row in chunk for x in row])

        self._translated(call, into)

    def describe(self, relation: str) -> dict[str, str]:
        """See ``Driver.describe``."""
        sql = f"SELECT * FROM {relation} WHERE 1 = 0"

        def call() -> dict[str, str]:
            with self._reading(), self._ran(self.cursor, sql) as cursor:
                described = list(cursor.description)
                cursor.fetchall()
                return dict(zip([column[0] for column in described], self.type_words(described), strict=True))

        return self._translated(call, sql)

    def has_table(self, relation: str) -> bool:
        """See ``Driver.has_table``."""
        sql = f"SELECT 1 FROM {relation} WHERE 1 = 0"

        def call() -> bool:
            try:
                with self._reading(), self._ran(self.cursor, sql) as cursor:
                    cursor.fetchall()
            except Exception as error:
                if is_missing(error):
                    return False
                raise
            return True

        return self._translated(call, sql)

    def cancel(self) -> None:
        """See ``Driver.cancel``."""
        if self._running is not None:
            self.stop()

    # How it is done.

    def _fetched(self, sql: str, make: Callable[[], Any]) -> Answer:
        def call() -> Answer:
            with self._reading(), self._ran(make, sql) as cursor:
                return [column[0] for column in cursor.description or ()], plain_rows(cursor.fetchall())

        return self._translated(call, sql)

    @contextlib.contextmanager
    def _ran(self, make: Callable[[], Any], sql: str) -> Iterator[Any]:
        with contextlib.closing(make()) as cursor:
            self._running = cursor
            try:
                cursor.execute(sql)
                yield cursor
            finally:
                self._running = None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Leaves no transaction open that was not open before, and none broken."""
        before = self.in_transaction()
        with self._savepoint(before):
            try:
                yield
            finally:
                if before is False and self.in_transaction():
                    self.end("rollback")

    @contextlib.contextmanager
    def _writing(self, *, begin: bool = False) -> Iterator[None]:
        """Commits, unless a transaction of the user's is open."""
        before = self.in_transaction()
        ours = self._close is not None if before is None else not before
        ours = ours and not self._in_transaction()
        if begin and before is False:
            self.begin()
        with self._savepoint(before):
            try:
                yield
            except BaseException:
                if ours:
                    self.end("rollback")
                raise
            if ours:
                self.end("commit")

    @contextlib.contextmanager
    def _savepoint(self, before: bool | None) -> Iterator[None]:
        if not (before and self.has_savepoints):
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

    def _places(self, n_rows: int, n_columns: int) -> str:
        rows = (range(row * n_columns + 1, (row + 1) * n_columns + 1) for row in range(n_rows))
        return ", ".join(f"({', '.join(map(self.marker, numbers))})" for numbers in rows)

    def _module_attribute(self, name: str) -> Any:
        """What the driver's module says of itself, such as ``paramstyle``."""
        loaded = (sys.modules.get(module) for module in modules_of(self.connection))
        return next((getattr(module, name) for module in loaded if hasattr(module, name)), None)


def modules_of(thing: Any) -> Iterator[str]:
    """The modules of an object's classes, each with the packages that it is in."""
    for type_ in type(thing).__mro__:
        parts = type_.__module__.split(".")
        yield from (".".join(parts[:length]) for length in range(len(parts), 0, -1))


def _type_word(code: Any) -> str:
    """A type as a cursor's description has it: a name, a class, or nothing that can be read."""
    if isinstance(code, str):
        return duckdb_type(code)
    return duckdb_type(code.__name__) if isinstance(code, type) else UNKNOWN


_LOCKS: WeakKeyDictionary[Any, threading.Lock] = WeakKeyDictionary()  # of connections that threads may share
_LOCKING = threading.Lock()


def _lock(connection: Any) -> threading.Lock:
    with _LOCKING:
        return _LOCKS.setdefault(connection, threading.Lock())


class Postgres(DbApi):
    """psycopg, psycopg2 and pg8000; Redshift has no savepoints: there an error breaks a transaction that was open.

    Threads may share a connection: it has one transaction, so each statement waits for the one before it.
    """

    def in_transaction(self) -> bool | None:
        """As libpq says; whether it is broken is of no matter."""
        status = getattr(getattr(self.connection, "info", None), "transaction_status", None)
        return super().in_transaction() if status is None else int(status) != 0

    def cursor(self) -> Any:
        """One whose rows are tuples, whatever the user's own are."""
        return self.connection.cursor(**self._tuples())

    def _tuples(self) -> dict[str, Any]:
        modules = set(modules_of(self.connection))
        if "psycopg" in modules:
            return {"row_factory": sys.modules["psycopg.rows"].tuple_row}
        if "psycopg2" in modules:
            return {"cursor_factory": sys.modules["psycopg2.extensions"].cursor}
        return {}

    def streaming_cursor(self) -> Any:
        """A cursor of the server's, which outlives the transaction that made it."""
        return self.connection.cursor(name=f"rankmetrics_{os.urandom(8).hex()}", withhold=True, **self._tuples())

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """See ``Driver.batches``; the server keeps the rows, and no transaction of ours is open between two batches."""
        if not (self.dialect.held_cursors and hasattr(self.connection, "info")):
            yield from super().batches(sql, size)
            return
        cursor, described, words, rows = self._translated(lambda: self._held(sql, size), sql)

        def more() -> list[tuple[Any, ...]]:
            with self._reading(), self._as_running(cursor):
                return plain_rows(cursor.fetchmany(size))

        def close() -> None:
            with self._reading():
                cursor.close()

        try:
            maker = Batches([column[0] for column in described], words)
            yield maker.batch(rows)
            while rows := self._translated(more, sql):
                yield maker.batch(rows)
        finally:
            with contextlib.suppress(RankmetricsError):  # gone with a transaction of the user's, or the connection
                self._translated(close, sql)

    def _held(self, sql: str, size: int) -> tuple[Any, list[Any], list[str], list[tuple[Any, ...]]]:
        """A cursor of the server's, the description and types of its columns, and its first rows."""
        with self._writing(), contextlib.ExitStack() as stack:
            cursor = stack.enter_context(contextlib.closing(self.streaming_cursor()))
            with self._as_running(cursor):
                cursor.execute(sql)
                rows = plain_rows(cursor.fetchmany(size))
            described = list(cursor.description or ())
            words = self.type_words(described)
            stack.pop_all()  # it stays open
        return cursor, described, words, rows

    @contextlib.contextmanager
    def _as_running(self, cursor: Any) -> Iterator[None]:
        self._running = cursor
        try:
            yield
        finally:
            self._running = None

    def watched(self, call: Callable[[], T], sql: str) -> T:
        """One statement at a time."""
        lock = _lock(self.connection)

        def alone() -> T:
            if not lock.acquire(timeout=-1 if self.timeout is None else self.timeout):
                raise cancel.cancelled(self.timeout or 0, sql)
            try:
                return call()
            finally:
                lock.release()

        return super().watched(alone, sql)

    def stop(self) -> None:
        """The way of psycopg 3.2 is encrypted like the connection."""
        getattr(self.connection, "cancel_safe", self.connection.cancel)()

    def begin(self) -> None:
        """Only where every statement commits itself."""
        if getattr(self.connection, "autocommit", False):
            self._command("BEGIN")

    def end(self, word: str) -> None:
        """In psycopg2, ``commit`` does nothing where every statement commits itself."""
        if not getattr(self.connection, "autocommit", False):
            super().end(word)
        elif self.in_transaction():
            self._command(word.upper())

    def type_words(self, description: Sequence[Sequence[Any]]) -> list[str]:
        """By the numbers of types; the server knows the names of those that users made."""
        numbers = sorted({int(column[1]) for column in description})
        asked = f"SELECT oid, format_type(oid, NULL) FROM pg_type WHERE oid IN ({', '.join(map(str, numbers))})"
        with contextlib.closing(self.cursor()) as cursor:
            cursor.execute(asked)
            names = {int(oid): str(name) for oid, name in cursor.fetchall()}
        return [duckdb_type(names.get(int(column[1]), "unknown")) for column in description]


_MYSQL_TYPES = {
    **dict.fromkeys((0, 246), "DECIMAL"),
    **dict.fromkeys((1, 2, 3, 8, 9, 13), "BIGINT"),
    **dict.fromkeys((4, 5), "DOUBLE"),
    **dict.fromkeys((15, 247, 248, 249, 250, 251, 252, 253, 254), "VARCHAR"),
    **dict.fromkeys((7, 12, 17, 18), "TIMESTAMP"),
    **dict.fromkeys((10, 14), "DATE"),
    6: UNKNOWN,
    11: "TIME",
    16: "BIT",
    245: "JSON",
    255: "GEOMETRY",
}
_IN_TRANSACTION = 1  # bit of the status that a server sends with each answer
_COMMITTING = ("create", "drop", "alter", "rename", "truncate")


class MySQL(DbApi):
    """pymysql, mysqlclient and mysql.connector, for MySQL and MariaDB.

    Cancelling needs a second connection: SQLAlchemy's engine or our own URL gives it, and pymysql's connection.
    """

    def in_transaction(self) -> bool | None:
        """As the server said last; mysqlclient does not tell."""
        status = getattr(self.connection, "server_status", None)
        return bool(status & _IN_TRANSACTION) if isinstance(status, int) else super().in_transaction()

    def cursor(self) -> Any:
        """One whose rows are tuples, whatever the user's own are."""
        return self._cursor("Cursor")

    def streaming_cursor(self) -> Any:
        """A cursor that does not fetch everything at once."""
        return self._cursor("SSCursor")

    def _cursor(self, name: str) -> Any:
        module = type(self.connection).__module__.split(".")[0]
        cursors = sys.modules.get(f"{module}.cursors") if module in ("pymysql", "MySQLdb") else None
        return self.connection.cursor(getattr(cursors, name)) if cursors else self.connection.cursor()

    def type_words(self, description: Sequence[Sequence[Any]]) -> list[str]:
        """By the numbers of MySQL's protocol."""
        return [_MYSQL_TYPES.get(int(column[1]), UNKNOWN) for column in description]

    def execute(self, sql: str) -> None:
        """See ``Driver.execute``."""
        words = sql.lower().split(maxsplit=2)[:2]
        if words[0] in _COMMITTING and "temporary" not in words and (self.in_transaction() or self._in_transaction()):
            raise DatabaseError(
                f"{words[0].upper()} would commit the transaction that is open on this connection, as MySQL has it;"
                " commit it or roll it back first",
                sql,
            )
        super().execute(sql)

    def stop(self) -> None:
        """KILL QUERY over a second connection."""
        with contextlib.closing(self._second()) as second, contextlib.closing(second.cursor()) as cursor:
            cursor.execute(f"KILL QUERY {self._number()}")

    def _number(self) -> int:
        if hasattr(self.connection, "thread_id"):
            return int(self.connection.thread_id())
        return int(self.connection.connection_id)

    def _second(self) -> Any:
        if self._another:
            return self._another()
        second = copy.copy(self.connection)  # with all its settings, whatever they are in this version of pymysql
        second._sock = second._rfile = None
        second.connect()
        return second


class SQLite(DbApi):
    """Python's sqlite3, whose connections belong to the thread that opened them.

    A statement with a timeout replaces the connection's progress handler, which nobody can read, and removes it. So
    a user's connection has one only then: Ctrl-C comes after the statement where there is no timeout. SQLite itself
    rolls a transaction back when a statement in it that writes is stopped.
    """

    _asked = False  # for the end of a statement, by ``cancel``

    def begin(self) -> None:
        """Else CREATE and DROP are not part of one."""
        self.connection.execute("BEGIN")

    def cursor(self) -> Any:
        """One whose rows are tuples, whatever the user's own are."""
        cursor = self.connection.cursor()
        cursor.row_factory = None
        return cursor

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Opens no transaction; one that is open afterwards is the user's."""
        yield

    def type_words(self, description: Sequence[Sequence[Any]]) -> list[str]:
        """SQLite does not tell: its columns have no types."""
        return [UNKNOWN for _ in description]

    def describe(self, relation: str) -> dict[str, str]:
        """See ``Driver.describe``; values have types, so the first thousand rows tell."""
        return sqlite_types(list(super().describe(relation)), relation, self.fetch)

    def stop(self) -> None:
        """Another thread may ask for it."""
        self._asked = True
        self.connection.interrupt()

    def watched(self, call: Callable[[], T], sql: str) -> T:
        """In this thread."""
        opened_here = self._close is not None and self._another is None
        if self.timeout is None and not opened_here:
            return call()
        self._asked = False
        try:
            return cancel.run_with_progress(call, self.connection, self.timeout, sql)
        except KeyboardInterrupt:
            if self._asked:
                raise DatabaseError("cancelled", sql) from None
            raise


_SQLITE_ROWS = 1000
_SQLITE_TYPES = (UNKNOWN, "BIGINT", "DOUBLE", "BLOB", "VARCHAR")  # what is mixed counts as the last one found


def sqlite_types(names: Sequence[str], relation: str, fetch: Callable[[str], Answer]) -> dict[str, str]:
    """The types of a relation's columns by its first rows.

    Args:
        names: of the columns.
        relation: what can stand behind FROM.
        fetch: runs a query.
    """
    kinds = ", ".join(map(_sqlite_kind, names))
    row = fetch(f"SELECT {kinds} FROM (SELECT * FROM {relation} LIMIT {_SQLITE_ROWS})")[1][0]
    return {name: _SQLITE_TYPES[kind or 0] for name, kind in zip(names, row, strict=True)}


def _sqlite_kind(name: str) -> str:
    column = in_quotes(name)
    return (
        f"MAX(CASE typeof({column}) WHEN 'text' THEN 4 WHEN 'blob' THEN 3 WHEN 'real' THEN 2"
        " WHEN 'integer' THEN 1 ELSE 0 END)"
    )
