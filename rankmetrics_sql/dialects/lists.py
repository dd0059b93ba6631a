"""Columns of lists: which they are, and how each dialect makes a row of every element."""

from __future__ import annotations

import re

_LIST = re.compile(
    r".*\]|(?:array|list|large_list|fixed_size_list|large_list_view|list_view)\b.*", re.IGNORECASE | re.DOTALL
)

_ORDINALITY = (
    "SELECT t.query_id, u.item_id, u.position FROM {table} AS t"
    " CROSS JOIN UNNEST(t.{column}) WITH ORDINALITY AS u (item_id, position)"
)
_EXPLODED = (
    "SELECT query_id, item_id, place + 1 AS position FROM {table} LATERAL VIEW POSEXPLODE({column}) u AS place, item_id"
)
_UNNESTING = {
    "athena": _ORDINALITY,
    "bigquery": "SELECT query_id, item_id, place + 1 AS position FROM {table}, UNNEST({column}) AS item_id"
    " WITH OFFSET AS place",
    "clickhouse": "SELECT query_id, item_id, position FROM {table} ARRAY JOIN {column} AS item_id,"
    " arrayEnumerate({column}) AS position",
    "databricks": _EXPLODED,
    "datafusion": "SELECT query_id, UNNEST({column}) AS item_id,"
    " UNNEST(RANGE(1, CAST(ARRAY_LENGTH({column}) AS BIGINT) + 1)) AS position FROM {table}",
    "duckdb": "SELECT query_id, UNNEST({column}) AS item_id, GENERATE_SUBSCRIPTS({column}, 1) AS position FROM {table}",
    "hive": _EXPLODED,
    "postgres": _ORDINALITY,
    "presto": _ORDINALITY,
    "redshift": "SELECT t.query_id, u AS item_id, place + 1 AS position FROM {table} AS t, t.{column} AS u AT place",
    "snowflake": "SELECT t.query_id, u.value AS item_id, u.index + 1 AS position FROM {table} AS t,"
    " LATERAL FLATTEN(input => t.{column}) AS u",
    "spark": _EXPLODED,
    "trino": _ORDINALITY,
}


def is_list(type_: str) -> bool:
    """Whether a type, in DuckDB's words or the database's own, is one of lists or arrays."""
    return _LIST.fullmatch(type_) is not None


def unnesting(table: str, column: str, dialect: str) -> str | None:
    """A query that makes a row of every element of a column of item ids, or None where the dialect has no known one."""
    text = _UNNESTING.get(dialect)
    return None if text is None else text.format(table=table, column=column)
