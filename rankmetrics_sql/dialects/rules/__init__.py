"""Rules for what sqlglot does not know about dialects: one for each way in which numbers would differ.

A rule changes a tree of DuckDB's text in place, before sqlglot writes it, by what the record of the dialect says. Here
is their order: the rules for every dialect, with the dialect's own in between. The templates of ``sql/macros/compat``
do the same for dbt.
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
    """Change a statement so that its translation gives the same numbers.

    Args:
        tree: the statement, parsed as DuckDB's.
        dialect: the dialect of the translation.
        keys: the user's columns whose text is compared; None for all that name queries, items, runs and groups.
        texts: whether a user's column is text, where its type is known.
    """
    for rule in _BEFORE:
        rule(tree, dialect)
    mark_keys(tree, keys, texts or {})
    for rule in (*dialect.rules, *_AFTER):
        rule(tree, dialect)
