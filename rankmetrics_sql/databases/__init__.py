"""Where statements run: DuckDB, or a database that a driver reaches."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

from ..dialects import check_dialect
from ..errors import UsageError, shortened
from .duckdb import DuckDB, Row

if TYPE_CHECKING:
    from .answers import Estimate


_LONGEST = 2_000_000  # seconds: some servers count milliseconds in 32 bits


class Engine(Protocol):
    """Where an evaluation runs. Statements are DuckDB's; ``text`` gives them as they run.

    Attributes:
        own: whether it is our own DuckDB, which holds nothing of the user's.
        dialect: whose SQL it runs.
        recurses: whether recursion may have window functions.
        counts_judgments: whether strategy=auto looks at the judgments.
        tries_casts: whether text that is no number can be told from text that is one.
        has_nan: whether a double can be NaN.
    """

    own: bool
    dialect: str
    recurses: bool
    counts_judgments: bool
    tries_casts: bool
    has_nan: bool

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...

    @property
    def takes_files(self) -> bool:
        """Whether files and Python objects can be read."""

    @property
    def stores_queries(self) -> bool:
        """Whether a query of the user's runs once and is stored, rather than being read several times."""

    @property
    def visiting(self) -> bool:
        """Whether something is in the user's session that ``forget`` is to remove."""

    def table(self, text: str) -> str | None:
        """A table of the user's as it stands in statements, or None where there is no such table."""

    def query(self, text: str) -> str:
        """A query of the user's as it stands in statements."""

    def query_columns(self, text: str, described: Sequence[str]) -> list[str]:
        """What the columns of a query of the user's are called, some of which may be described by other names."""

    def local(self, label: str) -> DuckDB:
        """The DuckDB that reads files and Python objects."""

    def take(self, kind: str, local: DuckDB, select: str) -> str:
        """What a query in that DuckDB gives, as it stands in statements."""

    def column(self, name: str) -> str:
        """A column of that very name in statements."""

    def describe(self, relation: str) -> dict[str, str]:
        """The columns of a relation as it stands in statements, and their types."""

    def collated(self, relation: str, types: Mapping[str, str]) -> list[str]:
        """Those of the columns of a relation in which texts of different bytes can be equal."""

    def is_number(self, type_: str) -> bool:
        """Whether a column of the type, which is one of DuckDB's for numbers, can be cast to a double."""

    def text(self, sql: str) -> str:
        """A statement as it runs."""

    def run(self, text: str) -> tuple[list[str], list[Row]]:
        """Runs what ``text`` gave: the names of its columns, and its rows."""

    def batches(self, text: str, size: int) -> Generator[Any, None, None]:
        """Runs what ``text`` gave; its rows come as Arrow record batches."""

    def fetch(self, sql: str, keys: Collection[str] | None = None) -> tuple[list[str], list[Row]]:
        """Runs a statement in DuckDB's dialect over the user's columns, of which keys are compared by their bytes."""

    def single(self, sql: str, keys: Collection[str] | None = None) -> Row:
        """The one row of such a statement."""

    def as_numbers(self, rows: Sequence[Row], types: Mapping[int, type]) -> Sequence[Row]:
        """The rows with floats or integers in some places."""

    def estimate(self, text: str) -> Estimate | None:
        """What the engine says that a statement would read."""

    def create(self, kind: str, name: str, text: str, *, replace: bool) -> None:
        """Leaves the result of what ``text`` gave in the database, whole or not at all."""

    def change(self, statements: Sequence[str]) -> None:
        """Runs statements of the database's own that change it, all or none of them where it can."""


def open_engine(
    connection: Any = None,
    database: str | None = None,
    dialect: str | None = None,
    materialize: str | None = None,
    timeout: float | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> Engine:
    """The engine of an evaluation.

    Args:
        connection: what the user has: a connection, an engine, a session, a client.
        database: or the URL of a database, or a DuckDB file, to be opened for reading.
        dialect: whose SQL it speaks, where that cannot be recognised.
        materialize: the schema where inputs may be stored, or ``temp`` for temporary tables.
        timeout: the seconds that a statement may take.
        threads: of our own DuckDB.
        memory_limit: of our own DuckDB.

    Raises:
        UsageError: the arguments contradict each other, or nothing is known of such a connection.
        DataError: the database file is missing.
        DatabaseError: the database cannot be reached.
    """
    dialect = check_dialect(dialect) if dialect is not None else None
    _check_limits(connection, database, materialize, timeout)
    within = _duckdb_within(connection)
    if within is None and (connection is not None or not _is_duckdb(database)):
        _check_duckdb_only(threads, memory_limit)
        return _warehouse(connection, database, dialect, materialize, timeout)
    if dialect not in (None, "duckdb"):
        raise UsageError(f"dialect={dialect}: this is DuckDB. For {dialect} give connection= or database=.")
    settings: dict[str, Any] = {"threads": threads, "memory_limit": memory_limit, "timeout": timeout}
    settings["stores_queries"] = materialize is not None
    return DuckDB(within, file=database, **settings)


def _duckdb_within(connection: Any) -> Any:
    """The DuckDB connection that it is or wraps, else None; DuckDB itself is imported with the first connection."""
    if connection is None or type(connection).__name__ == "DuckDBPyConnection":
        return connection
    from .drivers import duckdb_connection

    return duckdb_connection(connection)


def _is_duckdb(url: str | None) -> bool:
    return url is None or "://" not in url or url.startswith("duckdb:")


def _warehouse(
    connection: Any, database: str | None, dialect: str | None, materialize: str | None, timeout: float | None
) -> Engine:
    from .drivers import Driver, open_url, recognise
    from .warehouse import Warehouse

    def connect(writable: bool) -> Driver:
        return recognise(connection, dialect) if database is None else open_url(database, dialect, writable=writable)

    return Warehouse(connect, materialize=materialize, timeout=timeout)


def _check_limits(connection: Any, database: Any, materialize: Any, timeout: Any) -> None:
    if connection is not None and database is not None:
        raise UsageError("connection and database exclude each other: a URL makes a connection of its own.")
    if database is not None and not isinstance(database, str):
        raise UsageError(f"database is a URL or a DuckDB file, not a {type(database).__name__}.")
    if materialize is not None and not isinstance(materialize, str):
        raise UsageError(f"materialize names a schema, or says temp; not {shortened(materialize)}.")
    is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if timeout is not None and not (is_number and 0 < timeout <= _LONGEST):
        raise UsageError(f"timeout is a number of seconds above 0 and at most {_LONGEST:,}, not {shortened(timeout)}.")


def _check_duckdb_only(threads: int | None, memory_limit: str | None) -> None:
    if threads is not None or memory_limit is not None:
        raise UsageError("threads and memory_limit are for our own DuckDB; a warehouse has settings of its own.")
