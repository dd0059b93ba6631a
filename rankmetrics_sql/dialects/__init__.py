"""Dialects of SQL: a record of each, its names, and translation by sqlglot.

A new dialect is a new record in ``known.py``.
"""

from __future__ import annotations

from .dialect import Dialect
from .expressions import Expression, expression_of, with_columns
from .known import CANONICAL, all_dialects, check_dialect
from .translation import data_type, in_dialect, relation, reread, subquery, tables_read, transpile, unordered

__all__ = [
    "CANONICAL",
    "Dialect",
    "Expression",
    "all_dialects",
    "check_dialect",
    "data_type",
    "expression_of",
    "in_dialect",
    "relation",
    "reread",
    "subquery",
    "tables_read",
    "transpile",
    "unordered",
    "with_columns",
]
