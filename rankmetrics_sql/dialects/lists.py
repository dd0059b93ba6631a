"""Columns of lists: which they are, and how a dialect makes a row of every element."""

from __future__ import annotations

import re

from .dialect import Dialect

_LIST = r"(?is).*\]|(?:array|list|large_list|fixed_size_list|large_list_view|list_view)\b.*"


def is_list(type_: str) -> bool:
    """Whether a type, in DuckDB's words or the database's own, is one of lists or arrays."""
    return re.fullmatch(_LIST, type_) is not None


def unnesting(table: str, column: str, dialect: Dialect) -> str | None:
    """A query that makes a row of every element of a column of item ids, or None where the dialect has no known one."""
    return None if dialect.unnesting is None else dialect.unnesting.format(table=table, column=column)
