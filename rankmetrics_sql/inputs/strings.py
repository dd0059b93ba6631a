"""Interprets a user's string: as an existing file, else as SQL text, else as the name of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from ..dialects import CANONICAL, subquery
from ..dialects.names import looks_like_query, split_name, strip_semicolon, unquoted
from ..errors import UsageError
from .files import stem

Kind = Literal["file", "query", "table"]

# Backticks and double quotes are both quotes, where the dialect does not matter.
_ANY = replace(CANONICAL, name="any", quotes="``")


def kind_of(text: str) -> Kind:
    """Return the kind of a string, in Python and on the command line alike.

    Text that begins as a SELECT or WITH statement does is one, even where it cannot be parsed: what is wrong with it
    is of more use than that no table is called so.
    """
    if is_file(text):
        return "file"
    return "query" if looks_like_query(text) else "table"


def is_file(text: str | Path) -> bool:
    """Return whether there is such a file, which may be a stream."""
    return _is_there(text, lambda path: path.exists() and not path.is_dir())


def is_stream(text: str | Path) -> bool:
    """Return whether there is such a file, which can be read once only."""
    return _is_there(text, lambda path: path.is_fifo() or path.is_char_device())


def is_folder(text: str | Path) -> bool:
    """Return whether there is such a folder."""
    return _is_there(text, Path.is_dir)


def _is_there(text: str | Path, look: Callable[[Path], bool]) -> bool:
    """Return whether the file exists; a text too long for a name does not."""
    try:
        return look(Path(text))
    except (OSError, ValueError):
        return False


def run_name(value: str | Path) -> str:
    """A file's stem, or the last part of a table name."""
    text = str(value)
    if isinstance(value, Path) or kind_of(text) == "file":
        return stem(text)
    return "query" if looks_like_query(text) else unquoted(split_name(strip_semicolon(text), _ANY)[-1], _ANY)


def split_named(text: str) -> tuple[str | None, str]:
    """``NAME=RUN`` as name and run; no name where there is none, as in a file or query with = in it."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or is_file(text) or is_folder(text):
        return None, text
    if looks_like_query(text) and not (is_file(value) and not _is_statement(text)):
        return None, text
    return name, value


def _is_statement(text: str) -> bool:
    try:
        subquery(text)
    except UsageError:
        return False
    return True
