"""The databases that run statements: DuckDB, or any that a driver reaches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..dialects import Dialect, check_dialect
from ..errors import UsageError, shortened
from .engine import Catalog as Catalog
from .engine import Engine as Engine
from .engine import is_engine as is_engine
from .unconnected import Unconnected as Unconnected

_LONGEST_TIMEOUT = 2_000_000  # seconds: some servers count milliseconds in 32 bits


def connect(
    place: Any = None,
    *,
    dialect: str | None = None,
    materialize: str | None = None,
    timeout: float | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    progress: bool = True,
) -> Engine:
    """Return the engine that runs statements.

    Args:
        place: what the user has: a connection, an engine, a session, a client; the URL of a database or a DuckDB file,
            to be opened for reading; None for a new DuckDB in memory.
        dialect: the dialect of the database, where that cannot be recognised.
        materialize: the schema where inputs may be stored, or ``temp`` for temporary tables.
        timeout: the seconds that a statement may take.
        threads: of our own DuckDB.
        memory_limit: of our own DuckDB.
        progress: whether a slow statement may show how far it is.

    Raises:
        UsageError: the arguments contradict each other, or there is no driver for such a connection.
        DataError: the database file is missing.
        DatabaseError: the database cannot be reached.
    """
    choice = check_dialect(dialect) if dialect is not None else None
    _check_limits(materialize, timeout)
    if hasattr(place, "render_as_string"):  # SQLAlchemy's URL, whose text has stars for the password
        place = place.render_as_string(hide_password=False)
    url = str(place) if isinstance(place, str | Path) else None
    connection = None if url is not None else _duckdb_connection(place)
    if connection is None and place is not None and not _is_duckdb(url):
        _check_duckdb_only(threads, memory_limit)
        return _warehouse(place, url, choice, materialize, timeout, progress=progress)
    if choice is not None and not choice.canonical:
        raise UsageError(f"dialect={choice}, but this is DuckDB. For {choice} pass its connection or URL.")
    from .duckdb.engine import DuckDB

    settings: dict[str, Any] = {"threads": threads, "memory_limit": memory_limit, "timeout": timeout}
    settings |= {"stores_queries": materialize is not None, "progress": progress}
    return DuckDB(connection, file=url, **settings)


def _duckdb_connection(connection: Any) -> Any:
    """Return the DuckDB connection that this is or wraps, else None, without importing DuckDB for other connections."""
    if connection is None or type(connection).__name__ == "DuckDBPyConnection":
        return connection
    from ..drivers import duckdb_connection

    return duckdb_connection(connection)


def _is_duckdb(url: str | None) -> bool:
    return url is not None and ("://" not in url or url.startswith("duckdb:"))


def _warehouse(
    connection: Any,
    url: str | None,
    dialect: Dialect | None,
    materialize: str | None,
    timeout: float | None,
    *,
    progress: bool,
) -> Engine:
    from ..drivers import Driver, open_url, recognise
    from .warehouse import Warehouse

    def connector(writable: bool, limit: float | None) -> Driver:
        if url is None:
            return recognise(connection, dialect)
        return open_url(url, dialect, writable=writable, timeout=limit)

    return Warehouse(connector, materialize=materialize, timeout=timeout, progress=progress)


def _check_limits(materialize: Any, timeout: Any) -> None:
    if materialize is not None and not isinstance(materialize, str):
        raise UsageError(f"materialize takes the name of a schema, or temp, not {shortened(materialize)}.")
    is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if timeout is not None and not (is_number and 0 < timeout <= _LONGEST_TIMEOUT):
        raise UsageError(
            f"timeout is a number of seconds above 0 and at most {_LONGEST_TIMEOUT:,}, not {shortened(timeout)}."
        )


def _check_duckdb_only(threads: int | None, memory_limit: str | None) -> None:
    if threads is not None or memory_limit is not None:
        raise UsageError(
            "threads and memory_limit work only with DuckDB. Set them in the warehouse, and omit them here."
        )
