"""Values of NumPy, PyTorch, PyArrow, pandas and Polars as Python's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

LISTS = ("tolist", "to_list", "to_pylist")  # of NumPy, pandas, PyTorch; of Polars; of PyArrow
IDS = {int, float, str}
_PLAIN = {*IDS, bool, type(None)}


def is_array(value: Any) -> bool:
    """Whether it is an array or a Series, rather than a list, one value or a table."""
    if isinstance(value, type) or hasattr(type(value), "columns") or getattr(value, "ndim", 1) == 0:
        return False
    return any(hasattr(value, method) for method in LISTS)


def plain_value(value: Any) -> Any:
    """A value of Python's own for one of NumPy's, PyTorch's, PyArrow's or pandas'."""
    if type(value) in _PLAIN or is_array(value):
        return value
    if type(value).__name__ == "NAType":
        return None
    for method in ("item", "as_py"):
        if hasattr(value, method):
            own = getattr(value, method)()
            # NumPy's 80 bits have no plain value
            return float(own) if type(own).__name__ == "longdouble" else own
    return value


def plain_values(values: Sequence[Any]) -> list[Any]:
    """Values of Python's own types, which most are already."""
    others = set(map(type, values)) - _PLAIN
    return [plain_value(value) if type(value) in others else value for value in values] if others else list(values)
