"""DB-API connections of which nothing is special."""

from __future__ import annotations

from .base import Through
from .dbapi import DbApi


class Athena(DbApi):
    """Amazon Athena through pyathena."""

    modules = ("pyathena",)
    vendor = "athena"
    schemes = ("awsathena",)
    through = (Through("rest", "pyathena", '"pyathena[sqlalchemy]"'),)


class Oracle(DbApi):
    """Oracle through oracledb."""

    modules = ("oracledb",)
    vendor = "oracle"
    schemes = ("oracle",)
    through = (Through("oracledb", "oracledb", "sqlalchemy oracledb"),)


class SqlServer(DbApi):
    """SQL Server through pymssql, or through pyodbc, whose connections may lead to other databases, too."""

    modules = ("pymssql",)
    vendor = "mssql"
    schemes = ("mssql",)
    through = (Through("pyodbc", "pyodbc", "sqlalchemy pyodbc"),)
