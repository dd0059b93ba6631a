"""Databricks's, which is Spark's."""

from dataclasses import replace

from .spark import DIALECT as SPARK

DIALECT = replace(
    SPARK,
    name="databricks",
    vendors=("databricks",),
    reached_as="spark",
    parent="spark",
    or_replace_table=True,
    swap=None,
)
