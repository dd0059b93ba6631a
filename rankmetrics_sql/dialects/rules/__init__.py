"""Rules for what sqlglot does not know about dialects: one for each way in which they would give another number.

Every rule changes a tree of DuckDB's text in place, before sqlglot writes it, and takes what it needs to know from the
record of the dialect. Here is their order: what every dialect needs, and what one needs for itself in between. The
templates of ``sql/macros/compat`` do the same for dbt.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..dialect import Dialect, Rule
from .numbers import mark_quotients, name_types, power_by_name, translate_nan, write_logarithms
from .statements import (
    drop_order_of_addition,
    keep_useful_hints,
    nulls_where_they_stand,
    rows_as_selects,
    select_from_something,
)
from .text import add_collations, mark_keys, write_fingerprints

_BEFORE: tuple[Rule, ...] = (
    rows_as_selects, keep_useful_hints, drop_order_of_addition, nulls_where_they_stand,
    add_collations, write_logarithms, translate_nan,
)  # fmt: skip
_AFTER: tuple[Rule, ...] = (write_fingerprints, power_by_name, mark_quotients, name_types, select_from_something)


def make_portable(
    tree: Any, dialect: Dialect, keys: Collection[str] | None = None, texts: Mapping[str, bool] | None = None
) -> None:
    """Changes a statement so that its translation gives the same numbers.

    Args:
        tree: the statement, parsed as DuckDB's.
        dialect: what it is to be written in.
        keys: the user's columns whose text is compared; None for all that name queries, items, runs and groups.
        texts: whether the user's columns are text, of those whose type is known.
    """
    for rule in _BEFORE:
        rule(tree, dialect)
    mark_keys(tree, keys, texts or {})
    for rule in (*dialect.rules, *_AFTER):
        rule(tree, dialect)
