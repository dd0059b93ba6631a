"""Which driver a user's connection takes, by its class alone: nothing is imported that is not there."""

from __future__ import annotations

import contextlib
from typing import Any

from ...dialects import CANONICAL, Dialect, check_dialect
from ...dialects.registry import find_by_vendor
from ...errors import UsageError
from . import alchemy
from .base import Driver
from .classes import is_a, type_name
from .families import agree_on_dialect, driver_of, wrap

ACCEPTED = (
    "a DuckDB connection; a SQLAlchemy engine, connection or session; a DB-API connection (sqlite3, psycopg, pymysql,"
    " trino.dbapi, snowflake.connector, google.cloud.bigquery, databricks.sql, redshift_connector ...);"
    " an ADBC connection; a SparkSession; a chdb or clickhouse_connect client; an ibis backend"
)


def recognise(connection: Any, dialect: Dialect | str | None = None) -> Driver:
    """A driver for a user's connection.

    Args:
        connection: see ``ACCEPTED``, but for DuckDB's.
        dialect: what to write statements in, where the connection does not tell or the database is not what it seems.

    Raises:
        UsageError: there is no driver for it, its dialect is unknown, or it contradicts the one that is given.
    """
    spoken = None if dialect is None else check_dialect(dialect)
    if duckdb_connection(connection) is not None:
        raise UsageError("connection is DuckDB's, which needs no driver.")
    if isinstance(connection, str) or is_a(connection, "sqlalchemy.engine", "URL"):
        raise UsageError(f"connection is {type_name(connection)}. To open a URL, call connect().")
    connection = alchemy.out_of_session(connection)
    if alchemy.is_engine(connection):
        return alchemy.from_engine(connection, spoken)
    if alchemy.is_connection(connection):
        return alchemy.from_connection(connection, spoken)
    if is_a(connection, "ibis.backends", "BaseBackend"):
        return _from_ibis(connection, spoken)
    if driver_of(connection) is None:
        raise UsageError(f"connection is {type_name(connection)}; it must be {ACCEPTED}.")
    return wrap(connection, spoken)


def _from_ibis(backend: Any, dialect: Dialect | None) -> Driver:
    """By what the backend itself talks through."""
    inner = next((getattr(backend, name) for name in ("con", "client", "_session") if hasattr(backend, name)), None)
    found = find_by_vendor(backend.name)
    if found is None or inner is None:
        raise UsageError(
            f"connection is ibis's backend for {backend.name}, which is not supported. Pass one of: {ACCEPTED}."
        )
    return recognise(inner, agree_on_dialect(found, dialect, f"ibis's backend for {backend.name}"))


def duckdb_connection(connection: Any) -> Any | None:
    """DuckDB's own connection, where it is one or where SQLAlchemy or ibis wraps it; else None."""
    if any(is_a(connection, module, "DuckDBPyConnection") for module in ("duckdb", "_duckdb")):
        return connection
    if is_a(connection, "ibis.backends.duckdb", "Backend"):
        return connection.con
    connection = alchemy.out_of_session(connection)
    if alchemy.is_engine(connection) and find_by_vendor(connection.dialect.name) is CANONICAL:
        with contextlib.closing(connection.raw_connection()) as raw:
            return _unwrapped(raw.dbapi_connection).cursor()  # of our own: the pool's goes to other threads
    if alchemy.is_connection(connection) and find_by_vendor(connection.dialect.name) is CANONICAL:
        return _unwrapped(connection.connection.dbapi_connection)
    return None


def _unwrapped(connection: Any) -> Any:
    """Return the DuckDB connection that one of duckdb_engine's wraps."""
    return next((value for value in vars(connection).values() if duckdb_connection(value) is value), None)
