"""Hive's."""

from ..dialect import Dialect

DIALECT = Dialect(
    name="hive",
    quotes="``",
    names_in_double_quotes=False,
    dollars=False,
    nan_as_null=False,
    unnesting=(
        "SELECT query_id, item_id, place + 1 AS position FROM {table}"
        " LATERAL VIEW POSEXPLODE({column}) u AS place, item_id"
    ),
)
