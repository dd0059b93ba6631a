"""On which connection to DuckDB a statement runs: one of ours in memory, one to a file, or the user's.

Statements run on a cursor of the user's connection where they can: it reads the same tables, and what we load or set
there is gone with it. Some things only the connection itself sees. ``user_session`` chooses:

| the user's connection | statements run on |
|---|---|
| has no open transaction and no state of its own | a cursor |
| has temporary objects, variables or settings, or an open transaction | the connection; we remove what we load |
| is fetching a result, DuckDB 2 | a cursor, with a warning that it misses temporary tables and uncommitted rows |
| is fetching a result, DuckDB 1, which our first statement ends | as if it were not fetching, with a warning |

A ``Session`` is a connection for some statements. A ``Place`` holds one, or opens one for the moment.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ... import progress
from ...drivers import cancel
from ...drivers.problems import hide_credentials
from ...errors import DatabaseError, DatabaseTimeoutError, DataError, RankmetricsWarning, UsageError, advise
from .text import first_line

T = TypeVar("T")

# The number of the transaction as a column's name, which is known once the query is bound. Nothing runs, so a result
# that the user is fetching goes on.
_TRANSACTION_NUMBER = """FROM query('SELECT 1 AS "transaction_' || TXID_CURRENT() || '"')"""

# The columns of statements that are not queries.
_COMMAND_COLUMNS = ("Count", "Success")

# A query with a row if the connection has anything, beside settings, that its cursors do not have.
_STATE_QUERY = """
SELECT name FROM duckdb_variables()
UNION ALL SELECT table_name FROM duckdb_tables() WHERE temporary
UNION ALL SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal
UNION ALL SELECT sequence_name FROM duckdb_sequences() WHERE temporary
UNION ALL SELECT type_name FROM duckdb_types() WHERE database_name = 'temp' AND NOT internal
UNION ALL SELECT function_name FROM duckdb_functions() WHERE database_name = 'temp' AND NOT internal
LIMIT 1
"""

# Without the progress bar, which connections have in a notebook, and cursors do not.
_SETTINGS = "SELECT name, value FROM duckdb_settings() WHERE name NOT LIKE '%progress_bar%' ORDER BY name"

# How DuckDB says that it cannot write a temporary file, and where it writes them.
_NO_SPACE = r"(?i)failed to offload data block|duckdb_temp_.*no space left on device"
_TEMPORARY_FILES = "SELECT CURRENT_SETTING('temp_directory'), CURRENT_SETTING('max_temp_directory_size')"
_UNBOUNDED = "90%"  # the beginning of the default, by which other programs soon find the disk full

# Connections without state of their own, with the number of the last transaction that was ours. To find out takes some
# 100 ms, longer than a small evaluation, and each call with a user's connection would pay it. Everything that changes a
# connection is a transaction, and a database numbers its transactions: if the next one has the next number, nobody has
# run anything since, and the connection is as it was.
_WITHOUT_STATE: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


class Session:
    """A connection for some statements.

    Attributes:
        connection: DuckDB's connection or cursor.
        give_back: what to do with the connection at the end.
        shared: whether it is the user's connection itself, from which everything that we load must be removed.
        in_transaction: whether the user has a transaction open on it.
        n_queries: how many statements have run on it, each in a transaction of its own unless ``in_transaction``.
    """

    def __init__(
        self,
        connection: Any,
        give_back: Callable[[], None],
        shared: bool = False,
        in_transaction: bool = False,
        lock: threading.Lock | None = None,
    ) -> None:
        self.connection = connection
        self.give_back = give_back
        self.shared = shared
        self.in_transaction = in_transaction
        self.n_queries = 0
        self._origin: tuple[Any, int] | None = None
        self._lock = lock or threading.Lock()
        self._running = False

    def close(self) -> None:
        """Give the connection back; remember that it has no state unless somebody else ran something meanwhile."""
        import duckdb

        if self._origin is not None:
            connection, first = self._origin
            with contextlib.suppress(duckdb.Error):
                last = _transaction_number(self.connection)
                if last - first - 1 == self.n_queries:
                    _WITHOUT_STATE[connection] = last
        self.give_back()

    def rows(self, text: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Run a statement; return the names of its columns, and its rows."""
        if self.shared:  # a relation has its result for itself, and what it cannot be bound to aborts no transaction
            relation = self.connection.sql(text)
            return ([], []) if relation is None else (list(relation.columns), relation.fetchall())
        cursor = self.connection.execute(text)
        self.n_queries += 1
        return [column[0] for column in cursor.description or []], cursor.fetchall()

    def types(self, text: str) -> dict[str, str]:
        """Return the columns of a query and their types; it is bound, and does not run."""
        relation = self.connection.sql(text)
        self.n_queries += 1
        return dict(zip(relation.columns, map(str, relation.types), strict=True))

    def execute(self, text: str, parameters: Sequence[Any] | None = None) -> None:
        """Run a statement without rows."""
        if self.shared:
            self.connection.sql(text, params=parameters)
        else:
            self.connection.execute(text, parameters)
            self.n_queries += 1

    def register(self, name: str, frame: Any) -> None:
        """Make a frame readable by a name, which DuckDB does in two transactions."""
        self.connection.register(name, frame)
        self.n_queries += 2

    def ask(self, call: Callable[[], T], timeout: float | None, text: str) -> T:
        """Make a call to DuckDB that Ctrl-C and the timeout can stop, while no other thread of ours has the connection.

        DuckDB looks for Ctrl-C by itself only between tasks, and not at all while the thread that waits works on one.
        """
        import duckdb

        def locked() -> T:
            with cancel.hold_lock(self._lock, timeout, text):
                self._running = True
                try:
                    return call()
                finally:
                    self._running = False

        try:
            return cancel.run(locked, self._stop, timeout, text, self._progress)
        except (DatabaseError, duckdb.Error, RuntimeError, OSError) as error:
            hint = " Your transaction is aborted, because DuckDB has no savepoints. Run ROLLBACK."
            message = str(error) if isinstance(error, DatabaseError) else first_line(error)
            if re.search(_NO_SPACE, message):
                message = self._out_of_space()
            kind = DatabaseTimeoutError if isinstance(error, DatabaseTimeoutError) else DatabaseError
            raise kind(message + (hint if self.is_aborted() else ""), text) from None

    def _stop(self) -> None:
        """Interrupt the statement, unless another thread's is still running."""
        if self._running:
            self.connection.interrupt()

    def _out_of_space(self) -> str:
        """Return the message that the folder of temporary files is full."""
        folder, limit = "the folder of temporary files", "the disk"
        with contextlib.suppress(Exception), self._lock:  # an aborted transaction says nothing
            [(folder, limit)] = self.connection.sql(_TEMPORARY_FILES).fetchall()
        return (
            f"no space for temporary files: {folder} may take {limit} (max_temp_directory_size). Free space on that"
            f" disk, or score some of the queries at a time: {advise('argument', 'partitions', 20)}."
        )

    def _progress(self) -> float:
        """Return how many percent are done, below 0 if DuckDB does not say."""
        return float(self.connection.query_progress()) if hasattr(self.connection, "query_progress") else -1

    def is_aborted(self) -> bool:
        """Whether an error has ended the user's transaction: DuckDB has no savepoints."""
        if not self.in_transaction:
            return False
        try:
            with self._lock:
                self.connection.sql("SELECT 1").fetchall()
        except Exception as error:  # noqa: BLE001 - DuckDB is imported with the first connection
            return type(error).__name__ == "TransactionException"
        return False


def own_session(connection: Any) -> Session:
    """Return a session on a connection that we opened."""
    if progress.is_seen():
        connection.execute("SET enable_progress_bar = true")  # else it does not count
        connection.execute("SET enable_progress_bar_print = false")
    return Session(connection, connection.close)


def _bound_temporary_files(connection: Any, place: Path) -> None:
    """Let temporary files take half of the free space of their disk, unless somebody has chosen another limit."""
    [(_, limit)] = connection.sql(_TEMPORARY_FILES).fetchall()
    if str(limit).startswith(_UNBOUNDED):
        free = shutil.disk_usage(place).free
        connection.execute(f"SET max_temp_directory_size = '{free // 2}B'")


def user_session(connection: Any, *, itself: bool = False) -> Session:
    """Return a session on a cursor of the user's connection or on ``itself``, as the table at the top says."""
    lock = cancel.lock_of(connection)
    with lock:
        number = _transaction_number(connection)
        is_busy = number == _transaction_number(connection)
        is_fetching = is_busy and _is_being_fetched(connection)
        if is_fetching and not itself:
            _warn("so a cursor of it runs the query. The cursor does not see temporary tables or uncommitted rows")
        elif is_busy and not _is_busy(connection):
            is_busy = False
            if connection.description[0][0] not in _COMMAND_COLUMNS:
                _warn("and DuckDB 1 ended that fetch to run our query. Pass connection.cursor()")
        if not itself and is_fetching:
            return _on_cursor(connection)
        if not itself and not is_busy:
            is_untouched = _WITHOUT_STATE.pop(connection, None) == number - 1
            if is_untouched or cancel.run(lambda: not _has_state(connection), connection.interrupt):
                return _on_cursor(connection, has_state=False)
        _check_collation(connection)
    return Session(connection, lambda: None, shared=True, in_transaction=is_busy and not is_fetching, lock=lock)


def _on_cursor(connection: Any, *, has_state: bool = True) -> Session:
    """Return a session on a cursor of the user's connection."""
    cursor = connection.cursor()
    cursor.execute("SET SESSION default_collation = 'binary'")
    session = own_session(cursor)
    if not has_state:
        session._origin = (connection, _transaction_number(cursor))
    return session


def _is_busy(connection: Any) -> bool:
    """Whether a transaction is open or a result unfinished: else each statement is in a transaction of its own."""
    return _transaction_number(connection) == _transaction_number(connection)


def _warn(consequence: str) -> None:
    message = f"You are fetching a result from this connection, {consequence}. Fetch the whole result first."
    warnings.warn(message, RankmetricsWarning, stacklevel=2)


def _check_collation(connection: Any) -> None:
    """Raise if the default collation of a connection ignores case or accents, by which ids that differ are equal."""
    [(collation,)] = connection.sql("SELECT CURRENT_SETTING('default_collation')").fetchall()
    if collation.lower() not in ("", "binary"):
        raise UsageError(
            f"default_collation of this connection is {collation}, by which ids that differ are equal."
            " RESET default_collation first, or leave nothing temporary and no transaction open: then a cursor will do."
        )


def _transaction_number(connection: Any) -> int:
    """Return the number of the transaction that the next statement would be in."""
    return int(connection.sql(_TRANSACTION_NUMBER).columns[0].rpartition("_")[2])


def _is_being_fetched(connection: Any) -> bool:
    """Whether a result of the connection's may have rows left. DuckDB 1 does not say so, and ends a long one."""
    try:
        connection.sql("SELECT 1").fetchall()
    except Exception as error:
        if type(error).__name__ != "ResourceInUseException":
            raise
        return True
    return False


def _has_state(connection: Any) -> bool:
    """Whether a connection has temporary objects, variables or settings, which no cursor of it has."""
    if connection.sql(_STATE_QUERY).fetchall():
        return True
    with contextlib.closing(connection.cursor()) as cursor:
        return bool(connection.sql(_SETTINGS).fetchall() != cursor.sql(_SETTINGS).fetchall())


class Place(ABC):
    """Holds a session, or opens one for the moment.

    Attributes:
        is_ours: whether the database is ours alone.
        held_session: the session that is held, if any.
        label: its name in messages.
        name: its name for readers, if it is a file that we opened.
    """

    is_ours = False
    label = "DuckDB"
    name: str | None = None
    held_session: Session | None = None

    @abstractmethod
    def _open(self) -> Session:
        """Open a session for reading."""

    def hold(self) -> None:
        """Open a session that stays."""
        self.held_session = self.held_session or self._open()

    def release(self) -> None:
        """Close the session that is held."""
        session, self.held_session = self.held_session, None
        if session is not None:
            session.close()

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        """Yield the session that is held, or one for the moment."""
        if self.held_session is not None:
            yield self.held_session
            return
        with contextlib.closing(self._open()) as session:
            yield session

    @contextlib.contextmanager
    def writing(self) -> Iterator[Session]:
        """Yield a session that may write."""
        with self.session() as session:
            yield session

    def move(self) -> Session | None:
        """Move from a cursor to the user's connection itself; return the new session, or None if nothing changed."""
        return None


_ATTACHED_SCHEMES = ("md", "motherduck", "ducklake", "quack")  # prefixes of what DuckDB attaches, not files


# The sessions of a database in memory. DuckDB keeps more memory with each statement, 30 MB after some thousands, and
# gives it back when the database is closed.
_SHARED_SESSIONS = 100
_sessions = itertools.count()


def _shared_cursor() -> Any:
    """Return a cursor of this process's database in memory, which takes longer to open than a small evaluation does.

    What a cursor loads is temporary, so that no other cursor sees it.
    """
    return _shared_database(os.getpid())(next(_sessions) // _SHARED_SESSIONS).cursor()


@cache
def _shared_database(_process: int) -> Callable[[int], Any]:
    """Return what opens a process's database, and drops the one of the number before.

    A fork lacks the threads of its parent's, so it opens another one. It keeps that of its parent: closing it would
    wait for them.
    """

    @lru_cache(maxsize=1)
    def opened(_number: int) -> Any:
        import duckdb

        connection = duckdb.connect()
        _bound_temporary_files(connection, Path())
        return connection

    return opened


class Memory(Place):
    """A database of our own in memory. Its session stays, for what is loaded into it."""

    is_ours = True
    label = "DuckDB in memory"

    def __init__(self, config: dict[str, Any]) -> None:
        """Open it with settings of DuckDB."""
        import duckdb

        try:
            if config:
                connection = duckdb.connect(config=config)
                _bound_temporary_files(connection, Path())
            else:
                connection = _shared_cursor()
            self.held_session = own_session(connection)
        except duckdb.Error as error:
            raise UsageError(first_line(error)) from None

    def _open(self) -> Session:
        raise AssertionError("its session is always held")

    def release(self) -> None:
        pass


class File(Place):
    """A database file, opened for reading only unless a statement writes."""

    def __init__(self, url: str, config: dict[str, Any]) -> None:
        """Find the file by a path or ``duckdb:///path``; it is opened later, with settings of DuckDB."""
        self.label = hide_credentials(url)
        self._path = Path(url.partition("://")[2].removeprefix("/") if "://" in url else url)
        self._config = config
        self.name = self._path.name
        try:
            is_file = self._path.is_file()
        except (OSError, ValueError):  # too long, or with a character that no name has
            is_file = False
        scheme = self.label.partition(":")[0]
        if not is_file and scheme in _ATTACHED_SCHEMES:
            raise DataError(
                f"{self.label}: no such database file. For a database that DuckDB attaches, pass"
                f" connection=duckdb.connect('{scheme}:...')."
            )
        if not is_file:
            raise DataError(f"{self._path if self.label == url else self.label}: no such database file.")

    def _open(self) -> Session:
        return self._connect(read_only=True)

    def _connect(self, *, read_only: bool) -> Session:
        import duckdb

        try:
            connection = duckdb.connect(str(self._path), read_only=read_only, config=self._config)
            _bound_temporary_files(connection, self._path.parent)
            return own_session(connection)
        except duckdb.Error as error:
            purpose = "as a DuckDB database" if read_only else "for writing"
            raise DataError(f"{self._path}: cannot be opened {purpose}: {first_line(error)}") from None

    @contextlib.contextmanager
    def writing(self) -> Iterator[Session]:
        """Yield a session that may write; a file can have no other meanwhile."""
        was_held = self.held_session is not None
        self.release()
        with contextlib.closing(self._connect(read_only=False)) as session:
            yield session
        if was_held:
            self.hold()


class Connection(Place):
    """A connection of the user's: a cursor of it, or the connection itself where a cursor will not do."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def _open(self, *, itself: bool = False) -> Session:
        import duckdb

        try:
            return user_session(self._connection, itself=itself)
        except duckdb.Error as error:  # it is closed
            raise DatabaseError(first_line(error)) from None

    def move(self) -> Session | None:
        if self.held_session is None or self.held_session.shared:
            return None
        self.release()
        self.held_session = self._open(itself=True)
        return self.held_session
