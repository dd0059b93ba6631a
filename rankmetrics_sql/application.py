"""The name by which a connection that we open tells a database who opened it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from .version import __version__

_command: ContextVar[str] = ContextVar("command", default="python")


def application_name() -> str:
    """Return ``rankmetrics/VERSION COMMAND``; the command is ``python`` unless ``as_command`` names another."""
    return f"rankmetrics/{__version__} {_command.get()}"


@contextlib.contextmanager
def as_command(name: str) -> Iterator[None]:
    """Have connections name a command of the command line."""
    token = _command.set(name)
    try:
        yield
    finally:
        _command.reset(token)
