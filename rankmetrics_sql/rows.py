"""The answers of a database: rows, and estimates of what a statement would read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Row = tuple[Any, ...]
Record = Mapping[str, Any]  # a row by the names of its columns
Answer = tuple[list[str], list[Row]]  # names of columns, rows

Replace = bool | Literal["recreate"]  # a table that is there: refuse, replace its rows, or drop it and create it anew


@dataclass(frozen=True)
class Estimate:
    """The rows and bytes that an engine expects to read for a statement, before it runs.

    Attributes:
        rows: how many rows it would read; None if the engine gives no number.
        bytes: how many bytes it would read; None if the engine gives no number.
        text: the answer of the engine, such as its plan, which may be long, so that printing leaves it out.
    """

    rows: int | None
    bytes: int | None
    text: str = field(repr=False)
