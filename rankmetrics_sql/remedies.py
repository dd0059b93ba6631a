"""Write the advice of messages: an argument in Python, or its counterpart elsewhere, such as an option."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, Literal

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


def advise_columns(named: Mapping[str, Any]) -> str:
    """Return what the user types to name columns by their meanings."""
    return _speaker.get()("columns", named)


@contextlib.contextmanager
def advise_in(speaker: Speaker) -> Iterator[None]:
    """Have messages say what to type in another language than Python, such as the command line's."""
    token = _speaker.set(speaker)
    try:
        yield
    finally:
        _speaker.reset(token)


def _in_python(kind: Kind, given: Mapping[str, Any]) -> str:
    if kind == "columns":
        return f"columns={_literal(given)}"
    return " and ".join(f"{name}={value if kind == 'option' else _literal(value)}" for name, value in given.items())


def _literal(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {_literal(one)}' for key, one in value.items())}}}"
    return value if isinstance(value, str) and re.fullmatch(_PLACEHOLDER, value) else repr(value)


_speaker: ContextVar[Speaker] = ContextVar("speaker", default=_in_python)
