"""DB-API connections of which nothing is special."""

from __future__ import annotations

from .base import Through
from .dbapi import DbApi


class Athena(DbApi):
    """By pyathena."""

    modules = ("pyathena",)
    vendor = "athena"
    schemes = ("awsathena",)
    through = (Through("rest", "pyathena", '"pyathena[sqlalchemy]"'),)


class Oracle(DbApi):
    """By oracledb."""

    modules = ("oracledb",)
    vendor = "oracle"
    schemes = ("oracle",)
    through = (Through("oracledb", "oracledb", "sqlalchemy oracledb"),)


class SqlServer(DbApi):
    """By pymssql, or by pyodbc, whose connections may be to anything else."""

    modules = ("pymssql",)
    vendor = "mssql"
    schemes = ("mssql",)
    through = (Through("pyodbc", "pyodbc", "sqlalchemy pyodbc"),)
