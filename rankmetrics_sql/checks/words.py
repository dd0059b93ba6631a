"""Words that several checks need: rows for people, and counts with their noun."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dialects.names import unquoted
from ..statements.relation import Relation


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


def leave_out(checked: Relation, columns: Sequence[str], also: str = "") -> str:
    """Return how to leave out the rows that lack a value in some columns, in SQL or of a data frame.

    Args:
        checked: whose rows.
        columns: SQL of its row that is NULL there.
        also: a further condition of the rows that stay, in SQL; pandas drops NaN as it drops None.
    """
    if checked.stays or checked.text_ids or not set(columns).isdisjoint(checked.expressions.values()):
        conditions = [f"{column} IS NOT NULL" for column in columns] + ([also] if also else [])
        return f" Leave such rows out: WHERE {' AND '.join(conditions)}."
    return f" Leave such rows out: .dropna(subset={list(map(unquoted, columns))}) in pandas."
