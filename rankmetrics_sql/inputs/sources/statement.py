"""The description of a statement that a source is read by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    """A macro of the templates, and those arguments of the source that are its own.

    Attributes:
        macro: its name.
        arguments: those of the source that it takes.
        select: the macro that makes the statement of what it returns, where that is a log.
    """

    macro: str
    arguments: Sequence[str]
    select: str | None = None
