"""Where statements run: DuckDB, or a database that a driver reaches."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from ..dialects import Dialect, check_dialect
from ..errors import UsageError, shortened
from .duckdb import DuckDB, Row
from .unconnected import Unconnected as Unconnected

if TYPE_CHECKING:
    from .answers import Estimate


_LONGEST = 2_000_000  # seconds: some servers count milliseconds in 32 bits


class Engine(Protocol):
    """Where an evaluation runs. In a ``with`` block it is held; what was loaded goes at its end.

    Attributes:
        own: whether it is our own DuckDB, which holds nothing of the user's.
        dialect: whose SQL it runs.
        counts_judgments: whether strategy=auto looks at the judgments.
        tries_casts: whether text that is no number can be told from text that is one.
        is_connected: whether statements run, rather than being only written.
    """

    own: bool
    dialect: Dialect
    counts_judgments: bool
    tries_casts: bool
    is_connected: bool

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...

    def close(self) -> None:
        """Gives back what we opened; asked once more, we open it for that."""

    @property
    def knows_columns(self) -> bool:
        """Whether ``describe`` can say what columns a relation has."""

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
        """A table of the user's as SQL, or None where there is no such table."""

    def query(self, text: str) -> str:
        """A query of the user's as SQL."""

    def query_columns(self, text: str, described: Sequence[str]) -> list[str]:
        """What the columns of a query of the user's are called, some of which may be described by other names."""

    def local(self, label: str) -> DuckDB:
        """The DuckDB that reads files and Python objects."""

    def take(self, role: str, local: DuckDB, select: str) -> str:
        """What a query in that DuckDB gives, as it stands in statements."""

    def store(self, role: str, text: str) -> str | None:
        """Stores the rows of a statement for as long as the evaluation takes; None where nothing may be stored."""

    def column(self, name: str) -> str:
        """A column of that very name in statements."""

    def describe(self, relation: str) -> dict[str, str]:
        """The columns of a relation as it stands in statements, and their types."""

    def collated(self, relation: str, types: Mapping[str, str]) -> list[str]:
        """Those of the columns of a relation in which texts of different bytes can be equal."""

    def is_number(self, type_: str) -> bool:
        """Whether a column of the type, which is one of DuckDB's for numbers, can be cast to a double."""

    def run(self, text: str) -> tuple[list[str], list[Row]]:
        """Runs a statement of its own dialect: the names of its columns, and its rows."""

    def batches(self, text: str, size: int) -> Generator[Any, None, None]:
        """Runs a statement; its rows come as Arrow record batches."""

    def as_numbers(self, rows: Sequence[Row], types: Mapping[int, type]) -> Sequence[Row]:
        """The rows with floats or integers in some places."""

    def estimate(self, text: str) -> Estimate | None:
        """What the engine says that a statement would read."""

    def create(self, kind: str, name: str, text: str, *, replace: bool) -> None:
        """Leaves the result of a statement in the database, whole or not at all."""

    def change(self, statements: Sequence[str]) -> None:
        """Runs statements of the database's own that change it, all or none of them where it can."""


def connect(
    place: Any = None,
    *,
    dialect: str | None = None,
    materialize: str | None = None,
    timeout: float | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> Engine:
    """Where statements run.

    Args:
        place: what the user has: a connection, an engine, a session, a client; the URL of a database or a DuckDB file,
            to be opened for reading; None for a new DuckDB in memory.
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
    spoken = check_dialect(dialect) if dialect is not None else None
    _check_limits(materialize, timeout)
    if hasattr(place, "render_as_string"):  # SQLAlchemy's URL, whose text has stars for the password
        place = place.render_as_string(hide_password=False)
    url = str(place) if isinstance(place, str | Path) else None
    within = None if url is not None else _duckdb_within(place)
    if within is None and place is not None and not _is_duckdb(url):
        _check_duckdb_only(threads, memory_limit)
        return _warehouse(place, url, spoken, materialize, timeout)
    if spoken is not None and not spoken.canonical:
        raise UsageError(f"dialect={spoken}: this is DuckDB. For {spoken} give its connection or URL.")
    settings: dict[str, Any] = {"threads": threads, "memory_limit": memory_limit, "timeout": timeout}
    settings["stores_queries"] = materialize is not None
    return DuckDB(within, file=url, **settings)


def _duckdb_within(connection: Any) -> Any:
    """The DuckDB connection that it is or wraps, else None; DuckDB itself is imported with the first connection."""
    if connection is None or type(connection).__name__ == "DuckDBPyConnection":
        return connection
    from .drivers import duckdb_connection

    return duckdb_connection(connection)


def _is_duckdb(url: str | None) -> bool:
    return url is not None and ("://" not in url or url.startswith("duckdb:"))


def _warehouse(
    connection: Any, url: str | None, dialect: Dialect | None, materialize: str | None, timeout: float | None
) -> Engine:
    from .drivers import Driver, open_url, recognise
    from .warehouse import Warehouse

    def connector(writable: bool) -> Driver:
        return recognise(connection, dialect) if url is None else open_url(url, dialect, writable=writable)

    return Warehouse(connector, materialize=materialize, timeout=timeout)


def _check_limits(materialize: Any, timeout: Any) -> None:
    if materialize is not None and not isinstance(materialize, str):
        raise UsageError(f"materialize names a schema, or says temp; not {shortened(materialize)}.")
    is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if timeout is not None and not (is_number and 0 < timeout <= _LONGEST):
        raise UsageError(f"timeout is a number of seconds above 0 and at most {_LONGEST:,}, not {shortened(timeout)}.")


def _check_duckdb_only(threads: int | None, memory_limit: str | None) -> None:
    if threads is not None or memory_limit is not None:
        raise UsageError("threads and memory_limit are for our own DuckDB; a warehouse has settings of its own.")
