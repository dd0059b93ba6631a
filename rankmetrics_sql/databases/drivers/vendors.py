"""What others call the databases, and the dialect to write for each."""

from __future__ import annotations

from ...errors import UsageError

# SQLAlchemy's, ibis's and ADBC's names.
DIALECTS = {
    "athena": "athena",
    "awsathena": "athena",
    "bigquery": "bigquery",
    "clickhouse": "clickhouse",
    "clickhousedb": "clickhouse",
    "databricks": "databricks",
    "duckdb": "duckdb",
    "mariadb": "mysql",
    "mssql": "tsql",
    "mysql": "mysql",
    "oracle": "oracle",
    "postgres": "postgres",
    "postgresql": "postgres",
    "pyspark": "spark",
    "redshift": "redshift",
    "snowflake": "snowflake",
    "sqlite": "sqlite",
    "trino": "trino",
}

# What may be written for a database that calls itself something else.
_ALSO = {
    "postgres": ("redshift",),
    "spark": ("databricks",),
    "trino": ("athena",),
    "tsql": ("fabric",),
}


def chosen(found: str | None, given: str | None, what: str) -> str:
    """The dialect to write.

    Args:
        found: the one that the connection tells.
        given: the user's.
        what: the connection, for the error.

    Raises:
        UsageError: neither is known, or they contradict each other.
    """
    if found is None and given is None:
        raise UsageError(f"{what} does not tell which database it is connected to; say it with dialect=.")
    if given is None or found is None or given == found or given in _ALSO.get(found, ()):
        return given or found or ""
    expected = " or ".join([found, *_ALSO.get(found, ())])
    raise UsageError(f"dialect={given} contradicts the connection: {what} takes {expected}.")
