"""Opens the database that a URL names, for reading only where the database can be told so.

SQLite, Snowflake, BigQuery, Databricks, Redshift and ClickHouse are opened by their own packages; PostgreSQL, MySQL,
Trino and whatever else SQLAlchemy knows through its engine. Nothing is created.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from ...dialects import Dialect, check_dialect
from ...dialects.registry import of_vendor
from ...errors import DatabaseError, DataError, RankmetricsError, UsageError, nearest
from ...optional import optional
from .base import Driver
from .bigquery import BigQuery
from .clickhouse import ClickHouse
from .problems import message, without_credentials
from .recognition import chosen, from_dbapi, from_engine

# Each scheme, and in which package's terms a URL of it is read.
_SCHEMES = (
    *("postgresql", "mysql", "mariadb", "sqlite", "snowflake", "bigquery", "redshift", "databricks", "trino"),
    *("clickhouse", "duckdb"),
)
_ALIASES = {"postgres": "postgresql", "clickhouses": "clickhouse", "clickhousedb": "clickhouse"}

# What SQLAlchemy talks through: by preference, its name for a driver, the module, and what to install.
_THROUGH: dict[str, tuple[tuple[str, str, str], ...]] = {
    "postgresql": (
        ("psycopg", "psycopg", 'sqlalchemy "psycopg[binary]"'),
        ("psycopg2", "psycopg2", "sqlalchemy psycopg2-binary"),
        ("pg8000", "pg8000", "sqlalchemy pg8000"),
    ),
    "mysql": (
        ("pymysql", "pymysql", "sqlalchemy pymysql"),
        ("mysqldb", "MySQLdb", "sqlalchemy mysqlclient"),
        ("mysqlconnector", "mysql.connector", "sqlalchemy mysql-connector-python"),
    ),
    "trino": (("", "trino", '"trino[sqlalchemy]"'),),
    "mssql": (("pyodbc", "pyodbc", "sqlalchemy pyodbc"),),
    "oracle": (("oracledb", "oracledb", "sqlalchemy oracledb"),),
    "awsathena": (("rest", "pyathena", '"pyathena[sqlalchemy]"'),),
}
_THROUGH["mariadb"] = _THROUGH["mysql"]

_SECRET = re.compile(r"pass|pwd|token|secret|key|credential", re.IGNORECASE)


@dataclass(frozen=True)
class Address:
    """A URL in parts.

    Attributes:
        url: the whole.
        scheme: the database's name.
        through: the driver's name, which may follow it.
        host: the host, or the account or project.
        port: the port, if there is one.
        user: the user, if there is one.
        password: the password, if there is one.
        path: what follows the host, without the first slash.
        options: what follows the question mark.
    """

    url: str = field(repr=False)
    scheme: str
    through: str
    host: str
    port: int | None
    user: str | None
    password: str | None = field(repr=False)
    path: str
    options: Mapping[str, str] = field(repr=False)

    @property
    def dialect(self) -> Dialect | None:
        """What such a database speaks."""
        return of_vendor(self.scheme)

    @property
    def label(self) -> str:
        """The URL without password and options."""
        user = f"{self.user}@" if self.user else ""
        port = f":{self.port}" if self.port else ""
        return f"{self.scheme}://{user}{self.host}{port}/{self.path}"

    @property
    def secrets(self) -> list[str]:
        """What must not be shown, in both spellings."""
        found = [self.password or "", *(value for name, value in self.options.items() if _SECRET.search(name))]
        return sorted({*found, *map(quote, found)} - {""}, key=len, reverse=True)


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
    address = read(url)
    spoken = None if dialect is None else check_dialect(dialect)
    if address.dialect is not None and address.dialect.canonical:
        raise UsageError("duckdb:// needs no driver.")
    opener = _OPENERS.get(address.scheme, _open_alchemy)
    try:
        return opener(address, spoken, writable)
    except RankmetricsError:
        raise
    except Exception as error:  # noqa: BLE001 - packages raise whatever they like
        raise DatabaseError(f"{address.label}: cannot connect: {message(error, address.secrets)}") from None


def read(url: str) -> Address:
    """A URL in parts.

    Raises:
        UsageError: it is none, or names no database that we know of.
    """
    scheme, separator, _ = url.partition("://")
    name, _, through = scheme.lower().partition("+")
    name = _ALIASES.get(name, name)
    if not separator or not re.fullmatch(r"[A-Za-z][\w+.:-]*", scheme):
        raise UsageError("--database takes a DuckDB file or a URL such as postgresql://user@host/database.")
    if name not in _SCHEMES and not (of_vendor(name) and find_spec("sqlalchemy")):
        raise UsageError(f"Unknown database {without_credentials(f'{scheme}://')}. {nearest(name, _SCHEMES)}")
    try:
        parts = urlsplit(url)
        _check_marks(parts)
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        user, password = (None if text is None else unquote(text) for text in (parts.username, parts.password))
        path = unquote(parts.path).removeprefix("/")
        return Address(url, name, through, parts.hostname or "", parts.port, user, password, path, options)
    except ValueError:
        raise UsageError(
            f"The {name}:// URL cannot be read: expected {name}://user:password@host:port/database, with %40 for @,"
            " %2F for / and %3A for : in the password."
        ) from None


def _check_marks(parts: SplitResult) -> None:
    """A password with ``@``, ``/``, ``?`` or ``#`` in it as they are would be cut there, and shown as host or path.

    Raises:
        ValueError: there is an ``@`` where none belongs.
    """
    beyond = parts.path + parts.query.partition("=")[0] + parts.fragment
    if parts.netloc and (parts.netloc.count("@") > 1 or "@" in beyond):
        raise ValueError("a mark that must be written with %")


def _module(name: str, packages: str, scheme: str) -> Any:
    """What a scheme needs.

    Raises:
        UsageError: it is not installed.
    """
    return optional(name, f"{scheme}:// needs a package that is not installed: pip install {packages}")


def _open_sqlite(address: Address, dialect: Dialect | None, writable: bool) -> Driver:
    """Never made: a file that is not there is a misspelt one."""
    path = address.path
    if not path or path == ":memory:":
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        return from_dbapi(connection, dialect, label="sqlite://", close=connection.close)
    if not Path(path).is_file():
        raise DataError(f"{path}: no such database file.")
    mode = "rw" if writable else "ro"
    connection = sqlite3.connect(f"file:{quote(path)}?mode={mode}", uri=True, check_same_thread=False)
    connection.execute("SELECT COUNT(*) FROM sqlite_master")  # only now is the file read
    return from_dbapi(connection, dialect, label=address.label, close=connection.close)


def _open_snowflake(address: Address, dialect: Dialect | None, _writable: bool) -> Driver:
    """snowflake://user:password@account/database/schema?warehouse=...&role=..."""
    package = _module("snowflake.connector", "snowflake-connector-python", "snowflake")
    database, _, schema = address.path.partition("/")
    known = {"account": address.host, "user": address.user, "password": address.password}
    known |= {"database": database, "schema": schema, **address.options}
    connection = package.connect(**{name: value for name, value in known.items() if value})
    return _own(connection, address, dialect)


def _open_databricks(address: Address, dialect: Dialect | None, _writable: bool) -> Driver:
    """databricks://token:dapi...@host?http_path=...&catalog=...&schema=..."""
    package = _module("databricks.sql", "databricks-sql-connector", "databricks")
    connection = package.connect(server_hostname=address.host, access_token=address.password, **dict(address.options))
    return _own(connection, address, dialect)


def _open_redshift(address: Address, dialect: Dialect | None, _writable: bool) -> Driver:
    """redshift://user:password@host:5439/database; redshift+psycopg2:// goes through psycopg2."""
    names = {"": "redshift_connector", "redshift_connector": "redshift_connector", "psycopg2": "psycopg2"}
    if address.through not in names:
        raise UsageError(
            f"redshift+{address.through}:// is not understood. {nearest(address.through, filter(None, names))}"
        )
    package = _module(names[address.through], names[address.through], "redshift")

    def connect() -> Any:
        return package.connect(
            host=address.host,
            port=address.port or 5439,
            user=address.user,
            password=address.password,
            database=address.path,
            **address.options,
        )

    return _own(connect(), address, dialect or check_dialect("redshift"), another=connect)


def _own(connection: Any, address: Address, dialect: Dialect | None, **wrapping: Any) -> Driver:
    return from_dbapi(
        connection, dialect, label=address.label, close=connection.close, secrets=address.secrets, **wrapping
    )


def _open_bigquery(address: Address, dialect: Dialect | None, _writable: bool) -> Driver:
    """bigquery://project/dataset?location=...&credentials_path=..."""
    package = _module("google.cloud.bigquery", "google-cloud-bigquery", "bigquery")
    config = {}
    if address.path:
        dataset = address.path if "." in address.path else f"{address.host}.{address.path}"
        config["default_query_job_config"] = package.QueryJobConfig(default_dataset=dataset)
    config |= {"project": address.host or None, "location": address.options.get("location")}
    key = address.options.get("credentials_path")
    client = package.Client.from_service_account_json(key, **config) if key else package.Client(**config)
    chosen("bigquery", dialect, "the URL")
    return BigQuery(client, address.label, close=client.close)


def _open_clickhouse(address: Address, dialect: Dialect | None, writable: bool) -> Driver:
    """clickhouse://user:password@host:8123/database; clickhouses:// or ``secure=true`` for TLS."""
    if address.through not in ("", "connect", "http", "https"):
        return _open_alchemy(address, dialect, writable)
    package = _module("clickhouse_connect", "clickhouse-connect", "clickhouse")
    secure = address.through == "https" or address.url.startswith("clickhouses://")
    known = {"host": address.host, "port": address.port, "username": address.user, "password": address.password}
    known |= {"database": address.path, "secure": secure, **address.options}
    settings = {} if writable else {"readonly": 2}  # 2: settings may be set, all but this one
    client = package.get_client(**{name: value for name, value in known.items() if value}, settings=settings)
    chosen("clickhouse", dialect, "the URL")
    return ClickHouse(client, address.label, close=client.close, secrets=address.secrets)


def _open_alchemy(address: Address, dialect: Dialect | None, writable: bool) -> Driver:
    through, packages = _through(address)
    alchemy = _module("sqlalchemy", packages, address.scheme)
    name = f"{address.scheme}+{through}" if through else address.scheme
    url = f"{name}://{address.url.partition('://')[2]}"
    try:
        engine = alchemy.create_engine(url, poolclass=alchemy.pool.NullPool)
    except (ImportError, alchemy.exc.NoSuchModuleError):
        raise UsageError(f"{name}:// needs a package that is not installed: pip install {packages}") from None
    driver = from_engine(engine, dialect, label=address.label, secrets=address.secrets)
    if address.dialect is not None and address.dialect.read_only is not None and not writable:
        driver.execute(address.dialect.read_only)
    return driver


def _through(address: Address) -> tuple[str, str]:
    """The driver that SQLAlchemy is to take: the one that is named, else the first that is installed."""
    choices = _THROUGH.get(
        address.scheme, ((address.through, "sqlalchemy", f"sqlalchemy sqlalchemy-{address.scheme}"),)
    )
    if address.through:
        packages = next(
            (packages for name, _, packages in choices if name == address.through), f"sqlalchemy {address.through}"
        )
        return address.through, packages
    installed = (choice for choice in choices if find_spec(choice[1].partition(".")[0]))
    name, _, packages = next(installed, choices[0])
    return name, packages


_OPENERS: dict[str, Callable[[Address, Dialect | None, bool], Driver]] = {
    "bigquery": _open_bigquery,
    "clickhouse": _open_clickhouse,
    "databricks": _open_databricks,
    "redshift": _open_redshift,
    "snowflake": _open_snowflake,
    "sqlite": _open_sqlite,
}
