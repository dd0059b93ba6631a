"""Choose the driver for a connection or a URL. A new driver is a file, and its name in ``DRIVERS``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from ..dialects import CANONICAL, Dialect, check_dialect
from ..dialects.known import find_by_vendor, reached_as
from ..errors import DatabaseError, RankmetricsError, UsageError, nearest
from ..optional import optional
from .adbc import Adbc, AdbcPostgres, AdbcSQLite
from .addresses import Address, read
from .base import Driver, Through, is_a, is_dbapi, names_of, type_name
from .bigquery import BigQuery
from .clickhouse import Chdb, ClickHouse
from .databricks import Databricks
from .dbapi import DbApi
from .mysql import MySQL
from .others import Athena, Oracle, SqlServer
from .postgres import Postgres
from .problems import message
from .redshift import Redshift
from .snowflake import Snowflake
from .spark import Spark
from .sqlite import SQLite
from .trino import Trino

DRIVERS: tuple[type[Driver], ...] = (
    *(Postgres, MySQL, SQLite, Snowflake, BigQuery, Redshift, Databricks, Trino, ClickHouse, Chdb),
    *(Spark, Athena, Oracle, SqlServer, Adbc),
)

_OF_MODULES: Mapping[str, type[Driver]] = {name: driver for driver in DRIVERS for name in driver.modules}
SCHEMES: Mapping[str, type[Driver]] = {name: driver for driver in DRIVERS for name in driver.schemes}

# Connections that more than one database speaks through, where one of them is special.
_SPECIAL: Mapping[tuple[type[Driver], str], type[Driver]] = {
    (Adbc, "postgres"): AdbcPostgres,
    (Adbc, "sqlite"): AdbcSQLite,
}


def driver_of(connection: Any) -> type[Driver] | None:
    """Return the driver of connections of this class; None if it is no connection."""
    among = (name for name in names_of(connection) if name in _OF_MODULES and (":" in name or is_dbapi(connection)))
    found = next(among, None)
    if found is not None:
        return _OF_MODULES[found]
    return DbApi if is_dbapi(connection) else None


def wrap(
    connection: Any,
    dialect: Dialect | None,
    called: str = "",
    *,
    label: str | None = None,
    close: Callable[[], None] | None = None,
    **known: Any,
) -> Driver:
    """A driver on a connection.

    Args:
        connection: the user's or ours.
        dialect: the user's choice.
        called: what SQLAlchemy calls the database, where it knows better than the connection.
        label: what to call it.
        close: gives the connection up, if it is ours; at once where there is no driver for it.
        known: what else there is to know, see ``Driver``.

    Raises:
        UsageError: the dialect contradicts the connection, or nobody tells it.
    """
    family = driver_of(connection) or DbApi
    what = label or family.label_of(connection)
    try:
        found = find_by_vendor(called) or find_by_vendor(family.database(connection))
        spoken = agree_on_dialect(found, dialect, what)
    except BaseException:
        if close:
            close()
        raise
    driver = _SPECIAL.get((family, spoken.name), family)
    return driver(family.within(connection), spoken, what, close=close, **known)


def agree_on_dialect(found: Dialect | None, given: Dialect | None, what: str) -> Dialect:
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
            raise UsageError(f"{what} does not show which database it is connected to. Pass dialect=.")
        return given
    accepted = (found, *reached_as(found))
    if given is None or given in accepted:
        return given or found
    expected = " or ".join(map(str, accepted))
    raise UsageError(f"dialect={given} contradicts the connection: {what} takes {expected}. Omit dialect.")


def is_engine(thing: Any) -> bool:
    """Whether it is SQLAlchemy's Engine."""
    return is_a(thing, "sqlalchemy.engine", "Engine")


def is_connection(thing: Any) -> bool:
    """Whether it is SQLAlchemy's Connection."""
    return is_a(thing, "sqlalchemy.engine", "Connection")


def out_of_session(thing: Any) -> Any:
    """The connection of SQLAlchemy's session, in whose transaction it is; anything else as it is."""
    is_session = is_a(thing, "sqlalchemy.orm", "Session") or is_a(thing, "sqlalchemy.orm", "scoped_session")
    return thing.connection() if is_session else thing


def from_engine(
    engine: Any, dialect: Dialect | None, *, label: str | None = None, secrets: Sequence[str] = ()
) -> Driver:
    """A driver for SQLAlchemy's Engine: on one connection of its pool, which ``close`` gives back.

    Args:
        engine: the user's or ours.
        dialect: the user's choice.
        label: what to call it.
        secrets: what to keep out of messages.

    Raises:
        DatabaseError: it cannot connect.
        UsageError: the dialect contradicts it.
    """
    label = label or f"SQLAlchemy engine ({engine.dialect.name})"
    secrets = [*secrets, str(engine.url.password or "")]
    try:
        pooled = engine.raw_connection()
    except Exception as error:  # noqa: BLE001 - drivers raise whatever they like
        raise DatabaseError(f"{label}: cannot connect: {message(error, secrets)}") from None
    return wrap(
        pooled.dbapi_connection,
        dialect,
        engine.dialect.name,
        label=label,
        secrets=secrets,
        close=pooled.close,
        another=engine.raw_connection,
    )


def from_connection(connection: Any, dialect: Dialect | None) -> Driver:
    """A driver for SQLAlchemy's Connection, which has a transaction open from the first statement on, or before."""
    return wrap(
        connection.connection.dbapi_connection,
        dialect,
        connection.dialect.name,
        label=f"SQLAlchemy connection ({connection.dialect.name})",
        another=connection.engine.raw_connection,
        in_transaction=connection.in_transaction,
    )


def open_address(address: Address, choices: Sequence[Through], dialect: Dialect | None) -> Driver:
    """A driver on an engine of our own.

    Args:
        address: of the database.
        choices: what SQLAlchemy may take, by preference.
        dialect: the user's choice.

    Raises:
        UsageError: a package is missing.
        DatabaseError: it cannot connect.
    """
    through = _through(address, choices)
    name = f"{address.scheme}+{through.name}" if through.name else address.scheme
    missing = through.missing(name)
    known = [choice.name for choice in choices if choice.name]
    if known and through not in choices:
        missing += f". {nearest(through.name, known)}"
    alchemy = optional("sqlalchemy", missing)
    url = f"{name}://{address.url.partition('://')[2]}"
    try:
        engine = alchemy.create_engine(url, poolclass=alchemy.pool.NullPool)
    except (ImportError, alchemy.exc.NoSuchModuleError):
        raise UsageError(missing) from None
    return from_engine(engine, dialect, label=address.label, secrets=address.secrets)


def _through(address: Address, choices: Sequence[Through]) -> Through:
    """The package that the URL names, else the first that is installed."""
    if address.through:
        named = (choice for choice in choices if choice.name == address.through)
        return next(named, Through(address.through, "", f"sqlalchemy {address.through}"))
    installed = (choice for choice in choices if find_spec(choice.module.partition(".")[0]))
    return next(installed, choices[0])


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
    connection = out_of_session(connection)
    if is_engine(connection):
        return from_engine(connection, spoken)
    if is_connection(connection):
        return from_connection(connection, spoken)
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
    connection = out_of_session(connection)
    if is_engine(connection) and find_by_vendor(connection.dialect.name) is CANONICAL:
        with contextlib.closing(connection.raw_connection()) as raw:
            return _unwrapped(raw.dbapi_connection).cursor()  # of our own: the pool's goes to other threads
    if is_connection(connection) and find_by_vendor(connection.dialect.name) is CANONICAL:
        return _unwrapped(connection.connection.dbapi_connection)
    return None


def _unwrapped(connection: Any) -> Any:
    """Return the DuckDB connection that one of duckdb_engine's wraps."""
    return next((value for value in vars(connection).values() if duckdb_connection(value) is value), None)


def open_url(url: str, dialect: Dialect | str | None = None, *, writable: bool = False) -> Driver:
    """A driver on a connection of our own.

    Args:
        url: as SQLAlchemy writes them: ``postgresql://user:password@host/database``.
        dialect: what to write statements in, where the database is not what the URL says.
        writable: whether something is to be left in the database; else it is told to refuse that, if it can be.

    Raises:
        UsageError: the URL is not one, its database is unknown, or a package is missing.
        DatabaseError: the database cannot be reached, or lets nobody in.
        DataError: there is no such file.
    """
    address = read(url, [*SCHEMES, CANONICAL.name])
    spoken = None if dialect is None else check_dialect(dialect)
    if address.scheme not in SCHEMES:
        raise UsageError(f"{address.scheme}:// needs no driver.")
    try:
        return _opened(address, spoken, writable)
    except RankmetricsError:
        raise
    except Exception as error:  # noqa: BLE001 - packages raise whatever they like
        raise DatabaseError(f"{address.label}: cannot connect: {message(error, address.secrets)}") from None


def _opened(address: Address, dialect: Dialect | None, writable: bool) -> Driver:
    family = SCHEMES[address.scheme]
    connection = family.open(address, writable=writable)
    if connection is not None:
        known = {"label": address.label, "close": connection.close, "secrets": address.secrets}
        return wrap(connection, dialect, address.scheme, **known)
    driver = open_address(address, family.through, dialect)
    _prepare(driver, find_by_vendor(address.scheme), writable)
    return driver


def _prepare(driver: Driver, found: Dialect | None, writable: bool) -> None:
    """Set up the session that was opened, by the words of its database."""
    if found is None:
        return
    if found.session_setting is not None:
        with contextlib.suppress(DatabaseError):  # a version without the setting does without it
            driver.execute(found.session_setting)
    if found.read_only is not None and not writable:
        driver.execute(found.read_only)
