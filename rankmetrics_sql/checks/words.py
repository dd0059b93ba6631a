"""Words that several checks need: rows for people, and counts with their noun."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def row_text(row: Sequence[Any]) -> str:
    """One row: its value, or its values in parentheses."""
    return repr(row[0]) if len(row) == 1 else "(" + ", ".join(map(repr, row)) + ")"


def row_texts(rows: Sequence[Sequence[Any]]) -> str:
    """Some rows, one after the other."""
    return ", ".join(map(row_text, rows))


def counted(number: int, noun: str) -> str:
    """A number and its noun: ``1 query``, ``2,500 queries``."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"
