"""Choose the driver for a connection or a URL, by the table of families."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

from ..dialects import CANONICAL, Dialect, check_dialect
from ..dialects.known import find_by_vendor, reached_as
from ..errors import DatabaseError, DatabaseTimeoutError, RankmetricsError, UsageError, nearest
from ..optional import optional
from . import cancel, sockets
from .addresses import Address, parse_url
from .base import Driver, Package, is_a, type_name
from .families import OTHER, SCHEMES, driver_class, family_of
from .problems import message

_CONNECT_TIMEOUT = 30  # seconds, for packages whose own default is no limit


def wrap(
    connection: Any,
    dialect: Dialect | None,
    vendor: str = "",
    *,
    label: str | None = None,
    path: str | None = None,
    close: Callable[[], None] | None = None,
    **details: Any,
) -> Driver:
    """Return a driver on a connection; raise UsageError if the dialect contradicts it, or is unknown.

    Args:
        connection: the user's or ours.
        dialect: the user's choice.
        vendor: SQLAlchemy's name of the database, where it knows better than the connection.
        label: the name of the connection in messages.
        path: the database in a URL.
        close: closes the connection, if it is ours; at once where the dialect is refused.
        details: other arguments of ``Driver``.
    """
    family = family_of(connection) or OTHER
    label = label or family.driver.label_of(connection)
    try:
        database = find_by_vendor(vendor) or find_by_vendor(family.driver.database(connection) or family.vendor)
        dialect = agree_on_dialect(database, dialect, label)
    except BaseException:
        if close:
            close()
        raise
    driver = driver_class(family, dialect.name)
    name = driver.name_of(path or "") or None
    return driver(family, driver.within(connection), dialect, label, name=name, close=close, **details)


def agree_on_dialect(database: Dialect | None, choice: Dialect | None, label: str) -> Dialect:
    """Return the dialect to write: the database's, or the user's choice; raise UsageError if they contradict."""
    if database is None:
        if choice is None:
            raise UsageError(f"{label} does not show which database it is connected to. Pass dialect=.")
        return choice
    accepted = (database, *reached_as(database))
    if choice is None or choice in accepted:
        return choice or database
    expected = " or ".join(map(str, accepted))
    raise UsageError(f"dialect={choice} contradicts the connection: {label} takes {expected}. Omit dialect.")


def _is_alchemy_engine(thing: Any) -> bool:
    """Whether it is SQLAlchemy's Engine."""
    return is_a(thing, "sqlalchemy.engine", "Engine")


def _is_alchemy_connection(thing: Any) -> bool:
    """Whether it is SQLAlchemy's Connection."""
    return is_a(thing, "sqlalchemy.engine", "Connection")


def _out_of_session(thing: Any) -> Any:
    """Return the connection of SQLAlchemy's session, with its transaction; anything else as it is."""
    is_session = is_a(thing, "sqlalchemy.orm", "Session") or is_a(thing, "sqlalchemy.orm", "scoped_session")
    return thing.connection() if is_session else thing


def _from_alchemy_engine(
    engine: Any,
    dialect: Dialect | None,
    *,
    label: str | None = None,
    secrets: Sequence[str] = (),
    connect: Callable[[Callable[[], Any]], Any] = lambda call: call(),
) -> Driver:
    """Return a driver on a connection of the pool of SQLAlchemy's Engine, which ``close`` gives back.

    The engine is the user's or ours, the dialect the user's choice; messages do not show the secrets. ``connect`` makes
    the call that connects.
    """
    label = label or f"SQLAlchemy engine ({engine.dialect.name})"
    secrets = [*secrets, str(engine.url.password or "")]
    try:
        pooled = connect(engine.raw_connection)
    except RankmetricsError:
        raise
    except Exception as error:  # noqa: BLE001 - drivers raise whatever they like
        raise DatabaseError(f"{label}: cannot connect: {message(error, secrets)}") from None
    return wrap(
        pooled.dbapi_connection,
        dialect,
        engine.dialect.name,
        label=label,
        path=engine.url.database,
        secrets=secrets,
        close=pooled.close,
        discard=pooled.invalidate,
        open_second=engine.raw_connection,
    )


def _from_alchemy_connection(connection: Any, dialect: Dialect | None) -> Driver:
    """Return a driver for SQLAlchemy's Connection, which has a transaction open from the first statement on."""
    return wrap(
        connection.connection.dbapi_connection,
        dialect,
        connection.dialect.name,
        label=f"SQLAlchemy connection ({connection.dialect.name})",
        path=connection.engine.url.database,
        open_second=connection.engine.raw_connection,
        in_transaction=connection.in_transaction,
    )


def _open_address(
    address: Address, packages: Sequence[Package], dialect: Dialect | None, timeout: float | None
) -> Driver:
    """Return a driver on an engine of our own, by the package that the URL names or the first that is installed.

    Its connections are not reset when they are given back, because they are closed then.
    """
    package = _choose_package(address, packages)
    name = f"{address.scheme}+{package.name}" if package.name else address.scheme
    missing = package.missing(name)
    names = [choice.name for choice in packages if choice.name]
    if names and package not in packages:
        missing += f". {nearest(package.name, names)}"
    alchemy = optional("sqlalchemy", missing)
    url = f"{name}://{address.url.partition('://')[2]}"
    limit = package.connect_timeout
    arguments = package.introduction(address)
    if limit and limit not in address.options:
        arguments[limit] = _CONNECT_TIMEOUT
    pool = {"poolclass": alchemy.pool.NullPool, "pool_reset_on_return": None}
    try:
        engine = alchemy.create_engine(url, connect_args=arguments, **pool)
    except (ImportError, alchemy.exc.NoSuchModuleError):
        raise UsageError(missing) from None
    return _from_alchemy_engine(
        engine,
        dialect,
        label=address.label,
        secrets=address.secrets,
        connect=lambda call: cancel.connect(call, timeout),
    )


def _choose_package(address: Address, packages: Sequence[Package]) -> Package:
    if address.package:
        by_name = {package.name: package for package in reversed(packages)}
        return by_name.get(address.package) or Package(address.package, "", f"sqlalchemy {address.package}")
    installed = (package for package in packages if find_spec(package.module.partition(".")[0]))
    return next(installed, packages[0])


ACCEPTED = (
    "a DuckDB connection; a SQLAlchemy engine, connection or session; a DB-API connection (sqlite3, psycopg, pymysql,"
    " trino.dbapi, snowflake.connector, google.cloud.bigquery, databricks.sql, redshift_connector ...);"
    " an ADBC connection; a SparkSession; a chdb or clickhouse_connect client; an ibis backend"
)


def recognise(connection: Any, dialect: Dialect | str | None = None) -> Driver:
    """Return the driver for a user's connection, which is one of ``ACCEPTED`` but for DuckDB's.

    Raise UsageError if there is no driver for it, or if the dialect is unknown or contradicts it. The dialect is needed
    where the connection does not show it, or the database is not what it seems.
    """
    choice = None if dialect is None else check_dialect(dialect)
    if duckdb_connection(connection) is not None:
        raise UsageError("connection is DuckDB's, which needs no driver.")
    if isinstance(connection, str) or is_a(connection, "sqlalchemy.engine", "URL"):
        raise UsageError(f"connection is {type_name(connection)}. To open a URL, call connect().")
    connection = _out_of_session(connection)
    if _is_alchemy_engine(connection):
        return _from_alchemy_engine(connection, choice)
    if _is_alchemy_connection(connection):
        return _from_alchemy_connection(connection, choice)
    if is_a(connection, "ibis.backends", "BaseBackend"):
        return _from_ibis(connection, choice)
    if family_of(connection) is None:
        raise UsageError(f"connection is {type_name(connection)}; it must be {ACCEPTED}.")
    return wrap(connection, choice)


def _from_ibis(backend: Any, dialect: Dialect | None) -> Driver:
    """Return the driver for the client that an ibis backend wraps."""
    client = next((getattr(backend, name) for name in ("con", "client", "_session") if hasattr(backend, name)), None)
    database = find_by_vendor(backend.name)
    if database is None or client is None:
        raise UsageError(
            f"connection is ibis's backend for {backend.name}, which is not supported. Pass one of: {ACCEPTED}."
        )
    return recognise(client, agree_on_dialect(database, dialect, f"ibis's backend for {backend.name}"))


def duckdb_connection(connection: Any) -> Any | None:
    """Return DuckDB's own connection: this one, or the one that SQLAlchemy or ibis wraps; else None."""
    if any(is_a(connection, module, "DuckDBPyConnection") for module in ("duckdb", "_duckdb")):
        return connection
    if is_a(connection, "ibis.backends.duckdb", "Backend"):
        return connection.con
    connection = _out_of_session(connection)
    if _is_alchemy_engine(connection) and find_by_vendor(connection.dialect.name) is CANONICAL:
        with contextlib.closing(connection.raw_connection()) as raw:
            return _unwrap(raw.dbapi_connection).cursor()  # other threads may get the pool's connection
    if _is_alchemy_connection(connection) and find_by_vendor(connection.dialect.name) is CANONICAL:
        return _unwrap(connection.connection.dbapi_connection)
    return None


def _unwrap(connection: Any) -> Any:
    """Return the DuckDB connection that a connection of duckdb_engine wraps."""
    return next((value for value in vars(connection).values() if duckdb_connection(value) is value), None)


def open_url(
    url: str, dialect: Dialect | str | None = None, *, writable: bool = False, timeout: float | None = None
) -> Driver:
    """Open a URL, and return the driver on that connection.

    Args:
        url: as SQLAlchemy writes them: ``postgresql://user:password@host/database``.
        dialect: what to write statements in, where the database is not what the URL says.
        writable: whether the session may write; otherwise the database is set to refuse it, if it can.
        timeout: the seconds that connecting, and then each statement, may take.

    Raises:
        UsageError: it is not a URL, its database is unknown, or a package is missing.
        DatabaseError: the database cannot be reached, or refuses the user.
        DataError: there is no such file.
    """
    address = parse_url(url, [*SCHEMES, CANONICAL.name])
    choice = None if dialect is None else check_dialect(dialect)
    if address.scheme not in SCHEMES:
        raise UsageError(f"{address.scheme}:// needs no driver.")
    try:
        return _open(address, choice, writable, timeout)
    except DatabaseTimeoutError as error:
        raise DatabaseTimeoutError(f"{address.label}: {error}", error.sql) from None
    except RankmetricsError:
        raise
    except Exception as error:  # noqa: BLE001 - packages raise whatever they like
        raise DatabaseError(f"{address.label}: cannot connect: {message(error, address.secrets)}") from None


def _open(address: Address, dialect: Dialect | None, writable: bool, timeout: float | None) -> Driver:
    family = SCHEMES[address.scheme]
    connection = cancel.connect(lambda: family.driver.open(family, address, writable=writable), timeout)
    if connection is not None:
        details = {"path": address.path, "close": connection.close, "secrets": address.secrets}
        return wrap(connection, dialect, address.scheme, label=address.label, **details)
    driver = _open_address(address, family.packages, dialect, timeout)
    driver.timeout = timeout
    sockets.keep_alive(driver.connection)
    try:
        _prepare(driver, find_by_vendor(address.scheme), address.application, writable=writable)
    except BaseException:
        driver.close()
        raise
    return driver


def _prepare(driver: Driver, database: Dialect | None, application: str, *, writable: bool) -> None:
    """Set up the session that was opened, by the statements of its dialect."""
    if database is None:
        return
    for setting in database.session_settings:
        with contextlib.suppress(DatabaseError):
            driver.execute(setting.format(application=application))
    if database.read_only is not None and not writable:
        driver.execute(database.read_only)
