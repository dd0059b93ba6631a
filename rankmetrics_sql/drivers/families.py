"""The table of databases that a driver reaches: a row for each. A small new database is one more row.

A row names the modules of connections, the vendor, the schemes of URLs and the packages that open them. ``DbApi`` sends
statements to whatever has a DB-API connection; functions of the row say what is different there (see ``Family``). Only
where that is not enough is there a class, in a file of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from .adbc import Adbc, AdbcPostgres, AdbcSQLite
from .base import Driver, Family, Package, is_dbapi, names_of
from .bigquery import BigQuery
from .clickhouse import Chdb, ClickHouse
from .dbapi import DbApi
from .mysql import MySQL
from .postgres import Postgres, Redshift
from .spark import Spark
from .sqlite import SQLite

# Types by their numbers in the descriptions of snowflake.connector's cursors.
_SNOWFLAKE_TYPES = tuple(
    """NUMBER DOUBLE VARCHAR DATE TIMESTAMP VARIANT TIMESTAMP TIMESTAMP TIMESTAMP OBJECT ARRAY BINARY TIME BOOLEAN
    GEOGRAPHY GEOMETRY VECTOR MAP FILE""".split()  # noqa: SIM905 - a list of words reads better as words
)


def _snowflake_type(column: Sequence[Any]) -> str:
    """Return a column's type; a number without a scale is whole."""
    number, scale = int(column[1]), column[5]
    word = _SNOWFLAKE_TYPES[number] if number < len(_SNOWFLAKE_TYPES) else "UNKNOWN"
    if word == "NUMBER":
        return "DECIMAL" if scale else "BIGINT"
    return word


def _cancel_in_snowflake(connection: Any, running: Any) -> None:
    """Cancel by the query's id, or by the session while the id is not known yet."""
    query = getattr(running, "sfqid", None)
    with contextlib.closing(connection.cursor()) as cursor:
        if query:
            cursor.execute(f"SELECT SYSTEM$CANCEL_QUERY('{query}')")
        else:
            cursor.execute(f"SELECT SYSTEM$CANCEL_ALL_QUERIES({connection.session_id})")


_LIBPQ = "fallback_application_name"  # the URL and PGAPPNAME come first

FAMILIES: tuple[Family, ...] = (
    Family(
        driver=Postgres,
        modules=("psycopg", "psycopg2", "pg8000"),
        vendor="postgresql",
        schemes=("postgresql",),
        packages=(
            Package("psycopg", "psycopg", 'sqlalchemy "psycopg[binary]"', "connect_timeout", _LIBPQ),
            Package("psycopg2", "psycopg2", "sqlalchemy psycopg2-binary", "connect_timeout", _LIBPQ),
            Package("pg8000", "pg8000", "sqlalchemy pg8000", application="application_name"),
        ),
    ),
    Family(
        driver=MySQL,
        modules=("MySQLdb", "mysql.connector", "pymysql"),
        vendor="mysql",
        schemes=("mysql", "mariadb"),
        packages=(
            Package("pymysql", "pymysql", "sqlalchemy pymysql", application="program_name"),
            Package("mysqldb", "MySQLdb", "sqlalchemy mysqlclient", "connect_timeout"),
            Package(
                "mysqlconnector",
                "mysql.connector",
                "sqlalchemy mysql-connector-python",
                application="conn_attrs.program_name",
            ),
        ),
        executemany=True,
    ),
    Family(driver=SQLite, modules=("sqlite3",), vendor="sqlite", schemes=("sqlite",), executemany=True),
    Family(
        driver=DbApi,
        modules=("snowflake.connector",),
        vendor="snowflake",
        schemes=("snowflake",),
        packages=(Package("", "snowflake", "snowflake-sqlalchemy", application="session_parameters.QUERY_TAG"),),
        type_word=_snowflake_type,
        cancel=_cancel_in_snowflake,
        executemany=True,
    ),
    Family(
        driver=BigQuery,
        modules=("google.cloud.bigquery:Client", "google.cloud.bigquery.dbapi"),
        vendor="bigquery",
        schemes=("bigquery",),
        packages=(Package("", "google.cloud.bigquery", "google-cloud-bigquery"),),
    ),
    Family(
        driver=Redshift,
        modules=("redshift_connector",),
        vendor="redshift",
        schemes=("redshift",),
        packages=(
            Package(
                "redshift_connector",
                "redshift_connector",
                "sqlalchemy-redshift redshift_connector",
                application="application_name",
            ),
            Package("psycopg2", "psycopg2", "sqlalchemy-redshift psycopg2-binary", "connect_timeout", _LIBPQ),
        ),
    ),
    Family(
        driver=DbApi,
        modules=("databricks.sql",),
        vendor="databricks",
        schemes=("databricks",),
        packages=(Package("", "databricks", "databricks-sqlalchemy", application="user_agent_entry"),),
        in_transaction=lambda _connection: False,  # every statement commits itself
        fetch_arrow=lambda cursor, size: cursor.fetchmany_arrow(size),
    ),
    Family(
        driver=DbApi,
        modules=("trino",),
        vendor="trino",
        schemes=("trino",),
        packages=(Package("", "trino", '"trino[sqlalchemy]"', application="source"),),
        in_transaction=lambda connection: connection.transaction is not None,
    ),
    Family(
        driver=ClickHouse,
        modules=("clickhouse_connect.driver:Client", "clickhouse_connect.dbapi"),
        vendor="clickhouse",
        schemes=("clickhouse",),
        packages=(Package("connect", "clickhouse_connect", "clickhouse-connect", application="client_name"),),
    ),
    Family(driver=Chdb, modules=("chdb:Session", "chdb:Connection"), vendor="clickhouse"),
    Family(driver=Spark, modules=("pyspark.sql:SparkSession",)),  # its vendor may be Databricks
    Family(
        driver=DbApi,
        modules=("pyathena",),
        vendor="athena",
        schemes=("awsathena",),
        packages=(Package("rest", "pyathena", '"pyathena[sqlalchemy]"'),),
    ),
    Family(
        driver=DbApi,
        modules=("oracledb",),
        vendor="oracle",
        schemes=("oracle",),
        packages=(Package("oracledb", "oracledb", "sqlalchemy oracledb"),),
    ),
    Family(
        driver=DbApi,
        modules=("pymssql",),  # connections of pyodbc may lead to other databases, too
        vendor="mssql",
        schemes=("mssql",),
        packages=(Package("pyodbc", "pyodbc", "sqlalchemy pyodbc", application="APP"),),
    ),
    Family(driver=Adbc, modules=("adbc_driver_manager:Connection",)),  # the connection names its vendor
)

OTHER = Family(driver=DbApi)  # a DB-API connection that no row names

SCHEMES: Mapping[str, Family] = {scheme: family for family in FAMILIES for scheme in family.schemes}
_MODULES: Mapping[str, Family] = {module: family for family in FAMILIES for module in family.modules}

# Connections that lead to several databases, some of which need a class of their own.
_BY_DIALECT: Mapping[tuple[type[Driver], str], type[Driver]] = {
    (Adbc, "postgres"): AdbcPostgres,
    (Adbc, "sqlite"): AdbcSQLite,
}


def family_of(connection: Any) -> Family | None:
    """Return the family of a connection by its classes; None if it is not a connection."""
    modules = (name for name in names_of(connection) if name in _MODULES and (":" in name or is_dbapi(connection)))
    module = next(modules, None)
    if module is not None:
        return _MODULES[module]
    return OTHER if is_dbapi(connection) else None


def driver_class(family: Family, dialect: str) -> type[Driver]:
    """Return the class that drives connections of a family to databases of a dialect."""
    return _BY_DIALECT.get((family.driver, dialect), family.driver)
