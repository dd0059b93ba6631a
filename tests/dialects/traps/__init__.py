"""Traps that can be seen in the text of a statement: a rule for each, with a text that it must find."""

from __future__ import annotations

from . import everywhere, of_dialects
from .reading import Statement
from .trap import Trap

__all__ = ["TRAPS", "Statement", "Trap", "fallen_into"]

TRAPS: tuple[Trap, ...] = (*everywhere.TRAPS, *of_dialects.TRAPS)


def fallen_into(text: str, dialect: str, *, is_whole: bool = True) -> list[str]:
    """What is wrong with a text, and where.

    Args:
        text: one statement, without a semicolon at its end.
        dialect: the dialect that it is written in.
        is_whole: whether it is a statement as it is printed, and no piece of one.
    """
    statement = Statement(text, dialect)
    traps = [trap for trap in TRAPS if dialect in trap.dialects and (is_whole or not trap.of_whole)]
    return [f"{trap.what}: {found}" for trap in traps for found in trap.find(statement)]
