"""Redshift's, which was PostgreSQL's once. Of the manual; most of its text runs in PostgreSQL."""

from dataclasses import replace

from ..rules.clauses import frames_of_rows
from ..rules.numbers import without_underflow
from ..rules.text import typed_texts
from . import postgres

DIALECT = replace(
    postgres.DIALECT,
    name="redshift",
    values=False,
    executed=False,
    also_called=(),
    vendors=("redshift",),
    reached_as="postgres",
    parent="postgres",
    nan_as_null=True,
    text_type="VARCHAR(65535)",
    byte_collation=None,
    column_collation=None,
    rules=(without_underflow, frames_of_rows, typed_texts),
    windowed_recursion=False,
    unnesting="SELECT t.query_id, u AS item_id, place + 1 AS position FROM {table} AS t, t.{column} AS u AT place",
    views=postgres.VIEWS,
    read_only=None,
    savepoints=False,
    held_cursors=False,
    explain="EXPLAIN",
    read_plan=None,
)
