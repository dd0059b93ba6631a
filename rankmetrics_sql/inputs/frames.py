"""Data frames as a database reads them: with the types that their values had before pandas changed them."""

from __future__ import annotations

from typing import Any

from .plain import is_array

_EXACT = {"float64": 2**53, "float32": 2**24}  # beyond, two whole numbers may be one floating-point number


def text_arrays_to_lists(frame: Any) -> Any:
    """A pandas table with lists in place of NumPy's arrays of text, which DuckDB does not know; any other as it is."""
    if not hasattr(type(frame), "assign"):
        return frame
    lists = {}
    for name, column in frame.items():
        first = next((value for value in column if value is not None), None) if column.dtype == object else None
        if getattr(getattr(first, "dtype", None), "kind", "") == "U":
            lists[name] = [value.tolist() if is_array(value) else value for value in column]
    return frame.assign(**lists) if lists else frame


def restore_whole_numbers(frame: Any) -> Any:
    """Return a pandas table with whole numbers in columns that only a missing value made floating-point.

    A column with a number so large that its type cannot tell it from the next stays as it is. So no two ids become one.
    Anything else is returned as it is.
    """
    if not hasattr(type(frame), "assign"):
        return frame
    whole = {
        name: column.astype("Int64")
        for name, column in frame.items()
        if isinstance(name, str) and _lacks_values_only(column)
    }
    return frame.assign(**whole) if whole else frame


def _lacks_values_only(column: Any) -> bool:
    """Whether a column of pandas has missing values, and whole numbers else."""
    limit = _EXACT.get(str(getattr(column, "dtype", "")))
    if limit is None or not column.hasnans:
        return False
    known = column.dropna()
    return bool(len(known)) and bool((known % 1 == 0).all()) and bool((known.abs() < limit).all())
