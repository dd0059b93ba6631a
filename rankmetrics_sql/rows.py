"""The answers of a database: rows, and estimates of what a statement would read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Row = tuple[Any, ...]
Record = Mapping[str, Any]  # a row by the names of its columns
Answer = tuple[list[str], list[Row]]  # names of columns, rows

Replace = bool | Literal["recreate"]  # a table that is there: refuse, replace its rows, or drop it and create it anew


@dataclass(frozen=True)
class Estimate:
    """The rows and bytes that an engine expects to read for a statement, before it runs.

    Attributes:
        rows: how many rows it would read, if it says so.
        bytes: how many bytes it would read, if it says so.
        text: what it said.
    """

    rows: int | None
    bytes: int | None
    text: str
