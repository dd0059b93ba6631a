"""What a call that takes long is doing: a line in a terminal or a notebook, which goes away when the call ends."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, Protocol

from .drivers import cancel

PATIENCE = 2.0  # seconds before there is a line

_step: ContextVar[str] = ContextVar("step", default="")


@contextlib.contextmanager
def doing(step: str) -> Iterator[None]:
    """Name the step of a call that its statements belong to meanwhile, such as ``checking the inputs``."""
    token = _step.set(step)
    try:
        yield
    finally:
        _step.reset(token)


@contextlib.contextmanager
def shown(is_wanted: bool) -> Iterator[None]:
    """Show the progress of the statements that run meanwhile, where a person can see it and no caller shows it.

    Several threads cannot share a line, so only the main one has it.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not (is_wanted and is_main and is_seen()) or cancel.watcher.get() is not None:
        yield
        return
    line = _Line()
    token = cancel.watcher.set(line.look)
    try:
        yield
    finally:
        cancel.watcher.reset(token)
        line.clear()


def is_seen() -> bool:
    """Whether a person sees what is written: in a terminal or a notebook."""
    return bool(sys.stderr and sys.stderr.isatty()) or "ipykernel" in sys.modules


class _Display(Protocol):
    """A line that changes, of rich's or of a notebook."""

    def start(self) -> None: ...
    def update(self, text: str) -> None: ...
    def stop(self) -> None: ...


class _Line:
    """The line of one call."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._percent = 0.0  # of the statement
        self._display: _Display | None = None

    def look(self, percent: float | None) -> None:
        """Write how far a statement is, in percent, below 0 where that is unknown; None where it has ended.

        DuckDB counts what it has read of its tables, so the time that is left does not follow from it.
        """
        if percent is None:
            self._percent = 0.0
            self.clear()
            return
        self._percent = max(self._percent, percent)
        seconds = time.monotonic() - self._begun
        if seconds < PATIENCE:
            return
        share = f", {self._percent:.0f} %" if self._percent >= 1 else ""
        if self._display is None:
            self._display = _new_display()
            self._display.start()
        self._display.update(f"rankmetrics: {seconds:.0f} s, {_step.get() or 'running a statement'}{share}")

    def clear(self) -> None:
        """Take the line away, so that warnings and results stand alone."""
        if self._display is not None:
            self._display.stop()
            self._display = None


def _new_display() -> _Display:
    from rich.console import Console

    console = Console(stderr=True)
    return _NotebookLine() if console.is_jupyter else console.status("", spinner="line")


class _NotebookLine:
    """A line in the output of a notebook's cell; rich would want ipywidgets for one."""

    def start(self) -> None:
        from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

        self._handle: Any = display({"text/plain": ""}, raw=True, display_id=True)  # type: ignore[no-untyped-call, unused-ignore]

    def update(self, text: str) -> None:
        self._handle.update({"text/plain": text}, raw=True)

    def stop(self) -> None:
        self.update("")
