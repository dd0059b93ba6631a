"""What a database answers: rows, and what it says that it would read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Row = tuple[Any, ...]
Answer = tuple[list[str], list[Row]]  # names of columns, rows


@dataclass(frozen=True)
class Estimate:
    """What an engine expects of a statement that it has not run.

    Attributes:
        rows: how many rows it would read, if it says so.
        bytes: how many bytes it would read, if it says so.
        text: what it said.
    """

    rows: int | None
    bytes: int | None
    text: str
