"""The errors that users see, each a readable line or two, and the nearest valid name for a misspelt one.

RankmetricsError
├── UsageError       the request is wrong: an unknown metric, option, file type ... (exit code 2)
├── DataError        a file or table is not what it must be (exit code 1)
└── DatabaseError    the database refused; carries the statement that failed (exit code 1)
    └── DatabaseTimeoutError    the time is over (exit code 4)
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, Literal

__all__ = ["DataError", "DatabaseError", "DatabaseTimeoutError", "RankmetricsError", "RankmetricsWarning", "UsageError"]


class RankmetricsError(Exception):
    """Base of every error that this package raises on purpose."""

    exit_code = 1


class UsageError(RankmetricsError, ValueError):
    """The request cannot be understood: a name, a value or a combination of options."""

    exit_code = 2


class DataError(RankmetricsError, ValueError):
    """The input is missing, malformed or contradicts itself."""


class DatabaseError(RankmetricsError):
    """The database refused a statement.

    Attributes:
        sql: the statement.
        details: the whole text of the driver's error, of which the message is the first line.
    """

    def __init__(self, message: str, sql: str = "", details: str = "") -> None:
        super().__init__(message)
        self.sql = sql
        self.details = details


class DatabaseTimeoutError(DatabaseError):
    """A statement took longer than ``timeout=``, or the server did not answer at all."""

    exit_code = 4


class RankmetricsWarning(UserWarning):
    """Something about the input that may make a number mean less than it seems."""


_LISTED = 60  # names that a message lists, where none is near


def nearest(name: str, valid: Iterable[str], shown_names: Iterable[str] | None = None) -> str:
    """Return the end of an error message: the nearest valid name, or else every valid name.

    Args:
        name: what the user wrote.
        valid: the names that would have been understood.
        shown_names: those to list where none is near; by default all.
    """
    import difflib  # takes longer than what needs no hint

    names = list(dict.fromkeys(valid))
    by_lower = {candidate.lower(): candidate for candidate in names}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {by_lower[close[0]]!r}?"
    names = names if shown_names is None else list(shown_names)
    if len(names) > _LISTED:
        return f"There are {len(names)}, from {names[0]} to {names[-1]}."
    return f"Valid: {', '.join(names)}." if names else ""


def shortened(value: Any) -> str:
    """Return the user's value for a message: on one line, and cut if it is long."""
    try:
        text = repr(" ".join(value.split())) if isinstance(value, str) else " ".join(repr(value).split())
    except ValueError:  # whole numbers of thousands of digits
        text = f"a very long {type(value).__name__}"
    return text if len(text) <= 70 else f"{text[:67]}..."


Kind = Literal["argument", "columns", "option", "rule"]
Speaker = Callable[[Kind, Mapping[str, Any]], str]

_PLACEHOLDER = r"[A-Z]+"  # the user puts a name of their own there


def advise(kind: Kind, name: str, value: Any) -> str:
    """Return what the user types to give something a value: in Python, unless ``advise_in`` says otherwise.

    Args:
        kind: an argument of the function, a column in ``columns=``, an option, or an argument of a source.
        name: the argument, the option, or the meaning of the column.
        value: what to give it; capitals, such as NAME, stand for a name of the user's.
    """
    return _speaker.get()(kind, {name: value})


def advise_columns(columns: Mapping[str, Any]) -> str:
    """Return what the user types to name columns by their meanings."""
    return _speaker.get()("columns", columns)


@contextlib.contextmanager
def advise_in(speaker: Speaker) -> Iterator[None]:
    """Have messages say what to type in another language than Python, such as the command line's."""
    token = _speaker.set(speaker)
    try:
        yield
    finally:
        _speaker.reset(token)


def _in_python(kind: Kind, values: Mapping[str, Any]) -> str:
    if kind == "columns":
        return f"columns={_literal(values)}"
    return " and ".join(f"{name}={value if kind == 'option' else _literal(value)}" for name, value in values.items())


def _literal(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {_literal(one)}' for key, one in value.items())}}}"
    return value if isinstance(value, str) and re.fullmatch(_PLACEHOLDER, value) else repr(value)


_speaker: ContextVar[Speaker] = ContextVar("speaker", default=_in_python)
