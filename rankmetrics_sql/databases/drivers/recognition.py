"""Which driver a user's connection takes, by its class alone: nothing is imported that is not there."""

from __future__ import annotations

import contextlib
from typing import Any

from ...dialects import check_dialect
from ...errors import UsageError
from . import alchemy
from .base import Driver
from .families import driver_of, wrap
from .kinds import is_a, type_name
from .vendors import DIALECTS, chosen

ACCEPTED = (
    "a DuckDB connection; a SQLAlchemy engine, connection or session; a DB-API connection (sqlite3, psycopg, pymysql,"
    " trino.dbapi, snowflake.connector, google.cloud.bigquery, databricks.sql, redshift_connector ...);"
    " an ADBC connection; a SparkSession; a chdb or clickhouse_connect client; an ibis backend"
)


def recognise(connection: Any, dialect: str | None = None) -> Driver:
    """A driver for a user's connection.

    Args:
        connection: see ``ACCEPTED``, but for DuckDB's.
        dialect: what to write statements in, where the connection does not tell or the database is not what it seems.

    Raises:
        UsageError: there is no driver for it, its dialect is unknown, or it contradicts the one that is given.
    """
    if dialect is not None:
        dialect = check_dialect(dialect)
    if duckdb_connection(connection) is not None:
        raise UsageError("connection is DuckDB's, which needs no driver.")
    if isinstance(connection, str) or is_a(connection, "sqlalchemy.engine", "URL"):
        raise UsageError(f"connection is {type_name(connection)}; the URL of a database is opened by connect().")
    connection = alchemy.out_of_session(connection)
    if alchemy.is_engine(connection):
        return alchemy.from_engine(connection, dialect)
    if alchemy.is_connection(connection):
        return alchemy.from_connection(connection, dialect)
    if is_a(connection, "ibis.backends", "BaseBackend"):
        return _from_ibis(connection, dialect)
    if driver_of(connection) is None:
        raise UsageError(f"connection is {type_name(connection)}; it must be {ACCEPTED}.")
    return wrap(connection, dialect)


def _from_ibis(backend: Any, dialect: str | None) -> Driver:
    """By what the backend itself talks through."""
    inner = next((getattr(backend, name) for name in ("con", "client", "_session") if hasattr(backend, name)), None)
    if backend.name not in DIALECTS or inner is None:
        raise UsageError(
            f"connection is ibis's backend for {backend.name}, which is none of those that are understood."
        )
    return recognise(inner, chosen(DIALECTS[backend.name], dialect, f"ibis's backend for {backend.name}"))


def duckdb_connection(connection: Any) -> Any | None:
    """DuckDB's own connection, where it is one or where SQLAlchemy or ibis wraps it; else None."""
    if any(is_a(connection, module, "DuckDBPyConnection") for module in ("duckdb", "_duckdb")):
        return connection
    if is_a(connection, "ibis.backends.duckdb", "Backend"):
        return connection.con
    connection = alchemy.out_of_session(connection)
    if alchemy.is_engine(connection) and connection.dialect.name == "duckdb":
        with contextlib.closing(connection.raw_connection()) as raw:
            return _unwrapped(raw.dbapi_connection).cursor()  # of our own: the pool's goes to other threads
    if alchemy.is_connection(connection) and connection.dialect.name == "duckdb":
        return _unwrapped(connection.connection.dbapi_connection)
    return None


def _unwrapped(connection: Any) -> Any:
    """What duckdb_engine's connections wrap."""
    return next((value for value in vars(connection).values() if duckdb_connection(value) is value), None)
