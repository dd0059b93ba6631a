"""Names of columns in the file, frame or query that they come from, if DuckDB has to rename them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

# DuckDB and SQLite call the second of two columns that are alike, case aside, name_1 or name:1.
_RENAMED = r"(?s)(.*)[_:]\d+"


def own_names(described: Collection[str], read: Callable[[], Sequence[str] | None]) -> Mapping[str, str]:
    """Return the original names of columns that have other names in statements.

    Args:
        described: their names in statements, in order.
        read: gives their own names in the same order, or None where they cannot be known; it is only called if some
            column may have been renamed.
    """
    if not any(_base(name, described) for name in described):
        return {}
    names = read()
    if names is None or len(names) != len(described):
        names = [_base(name, described) or name for name in described]
    return {name: own for name, own in zip(described, names, strict=True) if own and own != name}


def _base(name: str, others: Collection[str]) -> str | None:
    """The name that it had, if it looks as if it had been renamed."""
    match = re.fullmatch(_RENAMED, name)
    return match[1] if match and match[1].lower() in map(str.lower, others) else None


def frame_columns(frame: Any) -> list[str] | None:
    """The names of the columns of a pandas, Polars or Arrow table, or of a DuckDB relation; None of anything else."""
    if hasattr(type(frame), "collect_schema"):  # of Polars, where .schema and .columns of a LazyFrame warn
        return list(frame.collect_schema().names())
    names = getattr(getattr(frame, "schema", None), "names", None)
    if names is not None:
        return list(names)
    columns = getattr(frame, "columns", None)
    return None if columns is None else [str(name) for name in columns]
