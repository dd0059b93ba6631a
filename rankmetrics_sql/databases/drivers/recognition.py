"""Which driver a connection takes, by the module and the name of its class: nothing is imported that is not there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from ...dialects import CANONICAL, Dialect, check_dialect
from ...dialects.registry import of_vendor, reached_as
from ...errors import DatabaseError, UsageError
from . import dbapi, warehouses
from .adbc import ADBC, Adbc
from .base import Driver
from .bigquery import BigQuery
from .clickhouse import Chdb, ClickHouse
from .problems import message
from .spark import Spark

ACCEPTED = (
    "a DuckDB connection; a SQLAlchemy engine, connection or session; a DB-API connection (sqlite3, psycopg, pymysql,"
    " trino.dbapi, snowflake.connector, google.cloud.bigquery, databricks.sql, redshift_connector ...);"
    " an ADBC connection; a SparkSession; a chdb or clickhouse_connect client; an ibis backend"
)

# Modules of DB-API connections: the longest prefix counts.
_DBAPI: dict[str, tuple[type[dbapi.DbApi], str | None]] = {
    "MySQLdb": (dbapi.MySQL, "mysql"),
    "mysql.connector": (dbapi.MySQL, "mysql"),
    "oracledb": (dbapi.DbApi, "oracle"),
    "pg8000": (dbapi.Postgres, "postgres"),
    "psycopg": (dbapi.Postgres, "postgres"),
    "psycopg2": (dbapi.Postgres, "postgres"),
    "pyathena": (dbapi.DbApi, "athena"),
    "pymssql": (dbapi.DbApi, "tsql"),
    "pymysql": (dbapi.MySQL, "mysql"),
    "redshift_connector": (warehouses.Redshift, "redshift"),
    "snowflake.connector": (warehouses.Snowflake, "snowflake"),
    "sqlite3": (dbapi.SQLite, "sqlite"),
    "trino": (warehouses.Trino, "trino"),
    "databricks.sql": (warehouses.Databricks, "databricks"),
}


def recognise(connection: Any, dialect: Dialect | str | None = None, *, writable: bool = False) -> Driver:  # noqa: ARG001
    """A driver for a user's connection.

    Args:
        connection: see ``ACCEPTED``, but for DuckDB's.
        dialect: what to write statements in, where the connection does not tell or the database is not what it seems.
        writable: of no effect on a user's connection, whose rights are what they are.

    Raises:
        UsageError: there is no driver for it, its dialect is unknown, or it contradicts the one that is given.
    """
    spoken = None if dialect is None else check_dialect(dialect)
    if duckdb_connection(connection) is not None:
        raise UsageError("connection is DuckDB's, which needs no driver.")
    if isinstance(connection, str) or is_a(connection, "sqlalchemy.engine", "URL"):
        raise UsageError(f"connection is {type_name(connection)}; the URL of a database is opened by connect().")
    connection = _out_of_session(connection)
    for fits, wrap in _KINDS:
        if fits(connection):
            return wrap(connection, spoken)
    if is_dbapi(connection):
        return from_dbapi(connection, spoken)
    raise UsageError(f"connection is {type_name(connection)}; it must be {ACCEPTED}.")


def duckdb_connection(connection: Any) -> Any | None:
    """DuckDB's own connection, where it is one or where SQLAlchemy or ibis wraps it; else None."""
    if is_a(connection, "duckdb", "DuckDBPyConnection") or is_a(connection, "_duckdb", "DuckDBPyConnection"):
        return connection
    if is_a(connection, "ibis.backends.duckdb", "Backend"):
        return connection.con
    connection = _out_of_session(connection)
    if is_alchemy(connection) and _alchemy_dialect(connection) is CANONICAL:
        if is_a(connection, "sqlalchemy.engine", "Engine"):
            with contextlib.closing(connection.raw_connection()) as raw:
                return _unwrapped(raw.dbapi_connection).cursor()  # of our own: the pool's goes to other threads
        return _unwrapped(connection.connection.dbapi_connection)
    return None


def _out_of_session(thing: Any) -> Any:
    """The connection of SQLAlchemy's session, in whose transaction it is; anything else as it is."""
    is_session = is_a(thing, "sqlalchemy.orm", "Session") or is_a(thing, "sqlalchemy.orm", "scoped_session")
    return thing.connection() if is_session else thing


def _unwrapped(connection: Any) -> Any:
    """What duckdb_engine's connections wrap."""
    return next((value for value in vars(connection).values() if duckdb_connection(value) is value), None)


def is_a(thing: Any, module: str, name: str | None = None) -> bool:
    """Whether a class of that name, in the module or below it, is among the classes of the object."""
    return any(
        (type_.__module__ + ".").startswith(module + ".") and name in (None, type_.__name__)
        for type_ in type(thing).__mro__
    )


def is_alchemy(thing: Any) -> bool:
    """Whether it is SQLAlchemy's Engine or Connection."""
    return is_a(thing, "sqlalchemy.engine", "Engine") or is_a(thing, "sqlalchemy.engine", "Connection")


def is_dbapi(thing: Any) -> bool:
    """Whether it has what PEP 249 asks of a connection."""
    return not isinstance(thing, type) and all(callable(getattr(thing, name, None)) for name in ("cursor", "close"))


def type_name(thing: Any) -> str:
    """What to call the kind of an object."""
    type_ = type(thing)
    return type_.__name__ if type_.__module__ == "builtins" else f"{type_.__module__.split('.')[0]}'s {type_.__name__}"


def chosen(found: Dialect | str | None, given: Dialect | None, what: str) -> Dialect:
    """The dialect to write.

    Args:
        found: the one that the connection tells.
        given: the user's.
        what: the connection, for the error.

    Raises:
        UsageError: neither is known, or they contradict each other.
    """
    if found is None:
        if given is None:
            raise UsageError(f"{what} does not tell which database it is connected to; say it with dialect=.")
        return given
    accepted = (check_dialect(found), *reached_as(check_dialect(found)))
    if given is None:
        return accepted[0]
    if given in accepted:
        return given
    expected = " or ".join(map(str, accepted))
    raise UsageError(f"dialect={given} contradicts the connection: {what} takes {expected}.")


def from_dbapi(connection: Any, dialect: Dialect | None, found: Dialect | None = None, **wrapping: Any) -> Driver:
    """A driver for a DB-API connection.

    Args:
        connection: the driver's own.
        dialect: the user's choice.
        found: the database, where something tells it better than the driver's module.
        wrapping: see ``DbApi``.
    """
    what = wrapping.pop("label", None) or f"the {type_name(connection)}"
    if is_a(connection, "clickhouse_connect.dbapi"):
        chosen("clickhouse", dialect, what)
        return ClickHouse(connection.client, what, close=wrapping.get("close"), secrets=wrapping.get("secrets", ()))
    if is_a(connection, "google.cloud.bigquery.dbapi"):
        chosen("bigquery", dialect, what)
        return BigQuery(connection._client, what, close=wrapping.get("close"))
    driver, known = _family(connection)
    return driver(connection, chosen(found or known, dialect, what), what, **wrapping)


def _family(connection: Any) -> tuple[type[dbapi.DbApi], str | None]:
    found = (_DBAPI[module] for module in dbapi.modules_of(connection) if module in _DBAPI)
    return next(found, (dbapi.DbApi, None))


def from_engine(engine: Any, dialect: Dialect | None, *, label: str | None = None, **wrapping: Any) -> Driver:
    """A driver for SQLAlchemy's Engine: on one connection of its pool, which ``close`` gives back.

    Args:
        engine: the user's or ours.
        dialect: the user's choice.
        label: what to call it.
        wrapping: see ``DbApi``.
    """
    label = label or f"SQLAlchemy engine ({engine.dialect.name})"
    secrets = [*wrapping.pop("secrets", ()), str(engine.url.password or "")]
    try:
        pooled = engine.raw_connection()
    except Exception as error:  # noqa: BLE001 - drivers raise whatever they like
        raise DatabaseError(f"{label}: cannot connect: {message(error, secrets)}") from None
    with contextlib.ExitStack() as stack:  # gives it back where the dialect is none of its
        stack.callback(pooled.close)
        driver = from_dbapi(
            pooled.dbapi_connection,
            dialect,
            _alchemy_dialect(engine),
            label=label,
            secrets=secrets,
            close=pooled.close,
            another=engine.raw_connection,
            **wrapping,
        )
        stack.pop_all()
    return driver


def _from_connection(connection: Any, dialect: Dialect | None) -> Driver:
    """SQLAlchemy has a transaction open from the first statement on, or before."""
    return from_dbapi(
        connection.connection.dbapi_connection,
        dialect,
        _alchemy_dialect(connection),
        label=f"SQLAlchemy connection ({connection.dialect.name})",
        another=connection.engine.raw_connection,
        in_transaction=connection.in_transaction,
    )


def _alchemy_dialect(owner: Any) -> Dialect | None:
    return of_vendor(owner.dialect.name)


def _from_adbc(connection: Any, dialect: Dialect | None) -> Driver:
    """The driver names the database that it is made for, or that it found."""
    vendor = str(connection.adbc_get_info().get("vendor_name", ""))
    what = f"the ADBC connection ({vendor or 'of an unknown vendor'})"
    spoken = chosen(of_vendor(vendor), dialect, what)
    return ADBC.get(spoken.name, Adbc)(connection, spoken, what)


def _from_bigquery(thing: Any, dialect: Dialect | None) -> Driver:
    what = f"the {type_name(thing)}"
    chosen("bigquery", dialect, what)
    return BigQuery(thing, what)


def _from_clickhouse(thing: Any, dialect: Dialect | None) -> Driver:
    what = f"the {type_name(thing)}"
    chosen("clickhouse", dialect, what)
    return ClickHouse(thing, what)


def _from_chdb(thing: Any, dialect: Dialect | None) -> Driver:
    what = f"the {type_name(thing)}"
    chosen("clickhouse", dialect, what)
    return Chdb(thing._conn if is_a(thing, "chdb.dbapi") else thing, what)


def _from_spark(session: Any, dialect: Dialect | None) -> Driver:
    """Databricks tells its version in a setting of its own."""
    databricks = check_dialect("databricks")
    here = databricks.name in str(session.version).lower() or session.conf.get(_DATABRICKS, None) is not None
    what = "the SparkSession"
    return Spark(session, chosen(databricks if here else "spark", dialect, what), what)


_DATABRICKS = "spark.databricks.clusterUsageTags.sparkVersion"


def _from_ibis(backend: Any, dialect: Dialect | None) -> Driver:
    """By what the backend itself talks through."""
    inner = next((getattr(backend, name) for name in ("con", "client", "_session") if hasattr(backend, name)), None)
    found = of_vendor(backend.name)
    if found is None or inner is None:
        raise UsageError(
            f"connection is ibis's backend for {backend.name}, which is none of those that are understood."
        )
    return recognise(inner, chosen(found, dialect, f"ibis's backend for {backend.name}"))


# Kinds of connections that are more than a DB-API connection, or less: what tells them, and what wraps them.
_KINDS: list[tuple[Callable[[Any], bool], Callable[[Any, Dialect | None], Driver]]] = [
    (lambda thing: is_a(thing, "sqlalchemy.engine", "Engine"), from_engine),
    (lambda thing: is_a(thing, "sqlalchemy.engine", "Connection"), _from_connection),
    (lambda thing: is_a(thing, "adbc_driver_manager", "Connection"), _from_adbc),
    (lambda thing: is_a(thing, "google.cloud.bigquery", "Client"), _from_bigquery),
    (lambda thing: is_a(thing, "clickhouse_connect.driver", "Client"), _from_clickhouse),
    (lambda thing: is_a(thing, "chdb", "Session") or is_a(thing, "chdb", "Connection"), _from_chdb),
    (lambda thing: is_a(thing, "pyspark.sql", "SparkSession"), _from_spark),
    (lambda thing: is_a(thing, "ibis.backends", "BaseBackend"), _from_ibis),
]
