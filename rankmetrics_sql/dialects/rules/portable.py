"""The rules in their order: what every dialect needs, and what one needs for itself in between."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..dialect import Dialect, Rule
from .clauses import (
    drop_order_of_addition,
    nulls_where_they_stand,
    rows_as_selects,
    select_from_something,
    useful_hints,
)
from .doubles import quotients
from .numbers import logarithms, nan, power_by_name, types
from .text import collations, fingerprints, mark_keys

_BEFORE: tuple[Rule, ...] = (
    rows_as_selects, useful_hints, drop_order_of_addition, nulls_where_they_stand, collations, logarithms, nan,
)  # fmt: skip
_AFTER: tuple[Rule, ...] = (fingerprints, power_by_name, quotients, types, select_from_something)


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
