"""The drivers, and the choice of one for a connection. A new one is a file, and its name in ``DRIVERS``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...dialects import Dialect
from ...dialects.registry import find_by_vendor, reached_as
from ...errors import UsageError
from .adbc import Adbc, AdbcPostgres, AdbcSQLite
from .base import Driver
from .bigquery import BigQuery
from .classes import is_dbapi, names_of
from .clickhouse import Chdb, ClickHouse
from .databricks import Databricks
from .dbapi import DbApi
from .mysql import MySQL
from .others import Athena, Oracle, SqlServer
from .postgres import Postgres
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
