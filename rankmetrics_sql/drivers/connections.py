"""Choose the driver for a connection or a URL, by the table of families."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

from ..dialects import CANONICAL, Dialect, check_dialect
from ..dialects.known import find_by_vendor, reached_as
from ..errors import DatabaseError, RankmetricsError, UsageError, nearest
from ..optional import optional
from .addresses import Address, read
from .base import Driver, Package, is_a, type_name
from .families import OTHER, SCHEMES, driver_class, family_of
from .problems import message


def wrap(
    connection: Any,
    dialect: Dialect | None,
    vendor: str = "",
    *,
    label: str | None = None,
    close: Callable[[], None] | None = None,
    **details: Any,
) -> Driver:
    """Return a driver on a connection.

    Args:
        connection: the user's or ours.
        dialect: the user's choice.
        vendor: what SQLAlchemy calls the database, where it knows better than the connection.
        label: what to call it.
        close: gives the connection up, if it is ours; at once where the dialect is refused.
        details: other arguments of ``Driver``.

    Raises:
        UsageError: the dialect contradicts the connection, or is unknown.
    """
    family = family_of(connection) or OTHER
    what = label or family.driver.label_of(connection)
    try:
        database = find_by_vendor(vendor) or find_by_vendor(family.driver.database(connection) or family.vendor)
        spoken = agree_on_dialect(database, dialect, what)
    except BaseException:
        if close:
            close()
        raise
    driver = driver_class(family, spoken.name)
    return driver(family, driver.within(connection), spoken, what, close=close, **details)


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


def _is_alchemy_engine(thing: Any) -> bool:
    """Whether it is SQLAlchemy's Engine."""
    return is_a(thing, "sqlalchemy.engine", "Engine")


def _is_alchemy_connection(thing: Any) -> bool:
    """Whether it is SQLAlchemy's Connection."""
    return is_a(thing, "sqlalchemy.engine", "Connection")


def _out_of_session(thing: Any) -> Any:
    """The connection of SQLAlchemy's session, in whose transaction it is; anything else as it is."""
    is_session = is_a(thing, "sqlalchemy.orm", "Session") or is_a(thing, "sqlalchemy.orm", "scoped_session")
    return thing.connection() if is_session else thing


def _from_alchemy_engine(
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


def _from_alchemy_connection(connection: Any, dialect: Dialect | None) -> Driver:
    """A driver for SQLAlchemy's Connection, which has a transaction open from the first statement on, or before."""
    return wrap(
        connection.connection.dbapi_connection,
        dialect,
        connection.dialect.name,
        label=f"SQLAlchemy connection ({connection.dialect.name})",
        another=connection.engine.raw_connection,
        in_transaction=connection.in_transaction,
    )


def _open_address(address: Address, packages: Sequence[Package], dialect: Dialect | None) -> Driver:
    """Return a driver on an engine of our own, by the package that the URL names or the first that is installed."""
    package = _package(address, packages)
    name = f"{address.scheme}+{package.name}" if package.name else address.scheme
    missing = package.missing(name)
    names = [choice.name for choice in packages if choice.name]
    if names and package not in packages:
        missing += f". {nearest(package.name, names)}"
    alchemy = optional("sqlalchemy", missing)
    url = f"{name}://{address.url.partition('://')[2]}"
    try:
        engine = alchemy.create_engine(url, poolclass=alchemy.pool.NullPool)
    except (ImportError, alchemy.exc.NoSuchModuleError):
        raise UsageError(missing) from None
    return _from_alchemy_engine(engine, dialect, label=address.label, secrets=address.secrets)


def _package(address: Address, packages: Sequence[Package]) -> Package:
    if address.package:
        named = (package for package in packages if package.name == address.package)
        return next(named, Package(address.package, "", f"sqlalchemy {address.package}"))
    installed = (package for package in packages if find_spec(package.module.partition(".")[0]))
    return next(installed, packages[0])


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
    connection = _out_of_session(connection)
    if _is_alchemy_engine(connection):
        return _from_alchemy_engine(connection, spoken)
    if _is_alchemy_connection(connection):
        return _from_alchemy_connection(connection, spoken)
    if is_a(connection, "ibis.backends", "BaseBackend"):
        return _from_ibis(connection, spoken)
    if family_of(connection) is None:
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
    connection = _out_of_session(connection)
    if _is_alchemy_engine(connection) and find_by_vendor(connection.dialect.name) is CANONICAL:
        with contextlib.closing(connection.raw_connection()) as raw:
            return _unwrapped(raw.dbapi_connection).cursor()  # of our own: the pool's goes to other threads
    if _is_alchemy_connection(connection) and find_by_vendor(connection.dialect.name) is CANONICAL:
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
        writable: whether something is to be left in the database; else the connection is read-only if possible.

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
    connection = family.driver.open(family, address, writable=writable)
    if connection is not None:
        secrets = address.secrets
        return wrap(connection, dialect, address.scheme, label=address.label, close=connection.close, secrets=secrets)
    driver = _open_address(address, family.packages, dialect)
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
