"""Athena's, which is Trino's; there is no renaming of tables."""

from dataclasses import replace

from .trino import DIALECT as TRINO

DIALECT = replace(
    TRINO,
    name="athena",
    executed=False,
    vendors=("athena", "awsathena"),
    reached_as="trino",
    sqlglot="trino",
    swap=None,
)
