"""Statements for DuckDB, and what it says."""

from __future__ import annotations

import contextlib
import os
import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ...dialects.names import literal
from ...drivers import cancel
from ...drivers.problems import hide_credentials
from ...errors import DatabaseError, DataError, RankmetricsWarning, UsageError

# Texts that some collation holds equal: in spite of case, of an accent, of how an accent is written.
IS_COLLATED = (
    "COALESCE({0}, 'a') = 'A' OR COALESCE({0}, 'a') = 'á'"
    " OR COALESCE({0}, '\N{LATIN SMALL LETTER E WITH ACUTE}') = 'e\N{COMBINING ACUTE ACCENT}'"
)


def collations(relation: str, columns: Iterable[str], condition: str) -> str:
    """A query of one row that says of columns whether a condition holds for them; it reads no row of theirs."""
    conditions = ", ".join(f"({condition.format(f's.{column}')})" for column in columns)
    nothing = f"(SELECT * FROM {relation} AS t WHERE 1 = 0)"
    return f"SELECT {conditions} FROM (SELECT 1 AS one) AS d LEFT JOIN {nothing} AS s ON 1 = 1"


def file_literal(path: Path) -> str:
    """A file's name as SQL, where DuckDB would take some characters for a pattern of names."""
    return literal("".join(f"[{mark}]" if mark in "*?[" else mark for mark in str(path)))


def unnest(columns: Mapping[str, Sequence[Any]]) -> tuple[str, list[Any]]:
    """A query over Python lists of one length, and its parameters."""
    names = ", ".join(f"unnest(${number}) AS {name}" for number, name in enumerate(columns, start=1))
    return f"SELECT {names}", list(columns.values())


def in_catalogue(parts: Sequence[str]) -> str:
    """A query of one row where there is a table, view or registered frame of that name; asking fails no transaction.

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
    return f"SELECT 1 FROM information_schema.tables WHERE {conditions} LIMIT 1"


def rows_read(plan: Sequence[Mapping[str, Any]]) -> int:
    """The estimates of the leaves of a plan."""
    return sum(
        rows_read(node["children"]) if node.get("children") else int(node["extra_info"].get("Estimated Cardinality", 0))
        for node in plan
    )


def first_line(error: BaseException) -> str:
    """Return the message of an error in one line."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    if "CSV Error on Line" in lines[0] and len(lines) > 2:
        return f"{lines[0]}: {lines[2]}"
    return " ".join(lines[:2]) if len(lines) > 1 and lines[1].startswith("Did you mean") else lines[0]


T = TypeVar("T")

# The number of the transaction becomes a column's name: to bind that is enough to know it, and running nothing leaves a
# result that is being fetched as it is.
_TRANSACTION = """FROM query('SELECT 1 AS "transaction_' || TXID_CURRENT() || '"')"""

# The columns of what is no query.
_OF_COMMANDS = ("Count", "Success")

# What a connection can have that no cursor of it has.
_OF_ITS_OWN = """
SELECT name FROM duckdb_variables()
UNION ALL SELECT table_name FROM duckdb_tables() WHERE temporary
UNION ALL SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal
UNION ALL SELECT sequence_name FROM duckdb_sequences() WHERE temporary
UNION ALL SELECT type_name FROM duckdb_types() WHERE database_name = 'temp' AND NOT internal
UNION ALL SELECT function_name FROM duckdb_functions() WHERE database_name = 'temp' AND NOT internal
LIMIT 1
"""

# In a notebook DuckDB gives connections a progress bar, and cursors none.
_SETTINGS = "SELECT name, value FROM duckdb_settings() WHERE name NOT LIKE '%progress_bar%' ORDER BY name"

# The last transaction of ours on a cursor of a connection that has nothing of its own. Finding that out takes longer
# than a small evaluation. Whatever changes a connection is a transaction, and transactions of a database are numbered:
# if the next one has the next number, nobody has run anything since, and the connection is as it was.
_PLAIN: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


class Session:
    """A connection for some statements.

    Attributes:
        connection: DuckDB's connection or cursor.
        give_back: what to do with the connection at the end.
        shared: whether it is the user's own, on which nothing may be left.
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
        self._plain: tuple[Any, int] | None = None
        self._lock = lock or threading.Lock()
        self._running = False

    def close(self) -> None:
        """Give the connection back; remember that it is plain unless somebody else ran something meanwhile."""
        import duckdb

        if self._plain is not None:
            connection, begin = self._plain
            with contextlib.suppress(duckdb.Error):
                end = _transaction(self.connection)
                if end - begin - 1 == self.n_queries:
                    _PLAIN[connection] = end
        self.give_back()

    def rows(self, text: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The names of a statement's columns, and its rows."""
        if self.shared:  # a relation has its result for itself, and what it cannot be bound to aborts no transaction
            relation = self.connection.sql(text)
            return ([], []) if relation is None else (list(relation.columns), relation.fetchall())
        cursor = self.connection.execute(text)
        self.n_queries += 1
        return [column[0] for column in cursor.description or []], cursor.fetchall()

    def types(self, text: str) -> dict[str, str]:
        """The names of a query's columns, and their types; it is bound, and does not run."""
        relation = self.connection.sql(text)
        self.n_queries += 1
        return dict(zip(relation.columns, map(str, relation.types), strict=True))

    def execute(self, text: str, parameters: Sequence[Any] | None = None) -> None:
        """Runs a statement without rows."""
        if self.shared:
            self.connection.sql(text, params=parameters)
        else:
            self.connection.execute(text, parameters)
            self.n_queries += 1

    def register(self, name: str, frame: Any) -> None:
        """Makes a frame readable by a name, which DuckDB does in two transactions."""
        self.connection.register(name, frame)
        self.n_queries += 2

    def ask(self, call: Callable[[], T], timeout: float | None, text: str) -> T:
        """Runs a call that Ctrl-C and the timeout can stop, while no other thread of ours has the connection.

        DuckDB looks for Ctrl-C by itself only between tasks, and not at all while the thread that waits works on one.

        Args:
            call: asks DuckDB something.
            timeout: the seconds that it may take.
            text: the statement.

        Raises:
            DatabaseError: DuckDB refused it, or it took too long.
        """
        import duckdb

        def alone() -> T:
            with cancel.alone(self._lock, timeout, text):
                self._running = True
                try:
                    return call()
                finally:
                    self._running = False

        try:
            return cancel.run(alone, self._stop, timeout, text, self._progress)
        except (DatabaseError, duckdb.Error, RuntimeError, OSError) as error:
            aborted = " Your transaction is aborted, because DuckDB has no savepoints. Run ROLLBACK."
            said = str(error) if isinstance(error, DatabaseError) else first_line(error)
            raise DatabaseError(said + (aborted if self.is_aborted() else ""), text) from None

    def _stop(self) -> None:
        """Interrupts the statement, unless it is still another thread's."""
        if self._running:
            self.connection.interrupt()

    def _progress(self) -> float:
        """The percents that are done, below 0 where DuckDB does not say."""
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


def ours(connection: Any) -> Session:
    """A session on a connection that we opened."""
    if cancel.watcher.get() is not None:
        connection.execute("SET enable_progress_bar = true")  # else it does not count
        connection.execute("SET enable_progress_bar_print = false")
    return Session(connection, connection.close)


def of_user(connection: Any, *, itself: bool = False) -> Session:
    """A session on a cursor of the user's connection where that sees the same, else on the connection.

    Args:
        connection: the user's.
        itself: whether no cursor will do.

    Warns:
        RankmetricsWarning: a result is being fetched, so that only a cursor is left.
    """
    lock = cancel.lock_of(connection)
    with lock:
        number = _transaction(connection)
        busy = number == _transaction(connection)
        unfinished = busy and _is_being_fetched(connection)
        if unfinished and not itself:
            _warn("so a cursor of it runs the query. The cursor does not see temporary tables or uncommitted rows")
        elif busy and not _is_busy(connection):
            busy = False
            if connection.description[0][0] not in _OF_COMMANDS:
                _warn("and DuckDB 1 ended that fetch to run our query. Pass connection.cursor()")
        if not itself and unfinished:
            return _on_cursor(connection)
        if not itself and not busy:
            is_untouched = _PLAIN.pop(connection, None) == number - 1
            if is_untouched or cancel.run(lambda: _has_nothing_of_its_own(connection), connection.interrupt):
                return _on_cursor(connection, is_plain=True)
        _check_collation(connection)
    return Session(connection, lambda: None, shared=True, in_transaction=busy and not unfinished, lock=lock)


def _on_cursor(connection: Any, *, is_plain: bool = False) -> Session:
    """A session on a cursor of the user's connection, which has nothing of its own if it is plain."""
    cursor = connection.cursor()
    cursor.execute("SET SESSION default_collation = 'binary'")
    session = ours(cursor)
    if is_plain:
        session._plain = (connection, _transaction(cursor))
    return session


def _is_busy(connection: Any) -> bool:
    """Whether a transaction is open or a result unfinished: else each statement is in a transaction of its own."""
    return _transaction(connection) == _transaction(connection)


def _warn(consequence: str) -> None:
    message = f"You are fetching a result from this connection, {consequence}. Fetch the whole result first."
    warnings.warn(message, RankmetricsWarning, stacklevel=2)


def _check_collation(connection: Any) -> None:
    """Refuses a connection to which all texts of ours are equal in spite of case or accents.

    Raises:
        UsageError: its default collation is not that of bytes.
    """
    [(collation,)] = connection.sql("SELECT CURRENT_SETTING('default_collation')").fetchall()
    if collation.lower() not in ("", "binary"):
        raise UsageError(
            f"default_collation of this connection is {collation}, by which ids that differ are equal."
            " RESET default_collation first, or leave nothing temporary and no transaction open: then a cursor will do."
        )


def _transaction(connection: Any) -> int:
    """The number of the transaction that a statement would be in."""
    return int(connection.sql(_TRANSACTION).columns[0].rpartition("_")[2])


def _is_being_fetched(connection: Any) -> bool:
    """Whether a result of the connection's may have rows left. DuckDB 1 does not say so, and ends a long one."""
    try:
        connection.sql("SELECT 1").fetchall()
    except Exception as error:
        if type(error).__name__ != "ResourceInUseException":
            raise
        return True
    return False


def _has_nothing_of_its_own(connection: Any) -> bool:
    if connection.sql(_OF_ITS_OWN).fetchall():
        return False
    with contextlib.closing(connection.cursor()) as cursor:
        return bool(connection.sql(_SETTINGS).fetchall() == cursor.sql(_SETTINGS).fetchall())


class Place(ABC):
    """Holds a session, or opens one for the moment.

    Attributes:
        own: whether it holds nothing of the user's.
        held: the session that is held.
        label: what to call it.
    """

    own = False
    label = "DuckDB"
    held: Session | None = None

    @abstractmethod
    def _open(self) -> Session:
        """A session for reading."""

    def hold(self) -> None:
        """Opens a session that stays."""
        self.held = self.held or self._open()

    def release(self) -> None:
        """Gives back what is held."""
        held, self.held = self.held, None
        if held is not None:
            held.close()

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        """The session that is held, or one for the moment."""
        if self.held is not None:
            yield self.held
            return
        with contextlib.closing(self._open()) as session:
            yield session

    @contextlib.contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that may write."""
        with self.session() as session:
            yield session

    def move(self) -> Session | None:
        """Where only the user's connection itself will do: a session on it, if another one was held so far."""
        return None


_ATTACHED = ("md", "motherduck", "ducklake", "quack")  # what DuckDB opens by such a prefix, no file


@cache
def _shared(_process: int) -> Any:
    """The database in memory of this process, which takes longer to open than a small evaluation does.

    What one cursor of it loads is temporary, so that no other sees it. A fork has none of its threads, and opens anew.
    """
    import duckdb

    return duckdb.connect()


class Memory(Place):
    """Our own in memory. Its session stays, for what is loaded into it."""

    own = True
    label = "DuckDB in memory"

    def __init__(self, config: dict[str, Any]) -> None:
        """Opens it.

        Args:
            config: DuckDB's settings.

        Raises:
            UsageError: a setting is refused.
        """
        import duckdb

        try:
            self.held = ours(duckdb.connect(config=config) if config else _shared(os.getpid()).cursor())
        except duckdb.Error as error:
            raise UsageError(first_line(error)) from None

    def _open(self) -> Session:
        raise AssertionError("its session is always held")

    def release(self) -> None:
        pass


class File(Place):
    """A database file, for reading only until something is to be left in it."""

    def __init__(self, url: str, config: dict[str, Any]) -> None:
        """Finds it.

        Args:
            url: a path, or ``duckdb:///path``.
            config: DuckDB's settings.

        Raises:
            DataError: there is no such file.
        """
        self.label = hide_credentials(url)
        self._path = Path(url.partition("://")[2].removeprefix("/") if "://" in url else url)
        self._config = config
        try:
            is_file = self._path.is_file()
        except (OSError, ValueError):  # too long, or with a character that no name has
            is_file = False
        scheme = self.label.partition(":")[0]
        if not is_file and scheme in _ATTACHED:
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
            return ours(duckdb.connect(str(self._path), read_only=read_only, config=self._config))
        except duckdb.Error as error:
            how = "as a DuckDB database" if read_only else "for writing"
            raise DataError(f"{self._path}: cannot be opened {how}: {first_line(error)}") from None

    @contextlib.contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that may write; a file can have no other meanwhile."""
        was_held = self.held is not None
        self.release()
        with contextlib.closing(self._connect(read_only=False)) as session:
            yield session
        if was_held:
            self.hold()


class Connection(Place):
    """A connection of the user's: a cursor of it, or the connection itself where a cursor will not do."""

    def __init__(self, connection: Any) -> None:
        """Remembers it.

        Args:
            connection: DuckDB's.
        """
        self._connection = connection

    def _open(self, *, itself: bool = False) -> Session:
        import duckdb

        try:
            return of_user(self._connection, itself=itself)
        except duckdb.Error as error:  # it is closed
            raise DatabaseError(first_line(error)) from None

    def move(self) -> Session | None:
        if self.held is None or self.held.shared:
            return None
        self.release()
        self.held = self._open(itself=True)
        return self.held
