"""Open the database of an evaluation: one that stays open, or one for a single call."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Self

from .. import progress
from ..dialects import Dialect, check_dialect
from ..engines import Engine, connect


class OpenDatabase:
    """A database that stays open for several evaluations. It closes what it opened itself."""

    def __init__(self, place: Any = None, **settings: Any) -> None:
        """See ``connect``."""
        self._settings = settings
        self._held: Engine | None = connect(place, **settings)
        self._is_ours = place is None

    @property
    def _engine(self) -> Engine:
        """Return the engine; a new DuckDB of our own if an evaluation took the last one."""
        self._held = self._held or connect(**self._settings)
        return self._held

    @property
    def dialect(self) -> str:
        """The dialect of its SQL."""
        return self._engine.dialect.name

    def close(self) -> None:
        """Close what it opened itself, never a connection of yours."""
        if self._held is not None:
            self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._engine)[1:-1]})"

    def _next_engine(self) -> Engine:
        """Return the engine for the next evaluation; each gets a DuckDB of its own for what it loads."""
        engine = self._engine
        if self._is_ours:
            self._held = None
        return engine


@contextlib.contextmanager
def opened(connection: Any) -> Iterator[Engine]:
    """Yield the engine of an evaluation; what is no database yet is opened for this call."""
    if isinstance(connection, OpenDatabase):
        connected = connection._next_engine()
        with progress.shown(connected.progress), connected as engine:
            yield engine
        return
    with contextlib.closing(connect(connection)) as connected, progress.shown(connected.progress), connected as engine:
        yield engine


def dialect_of(named: str | None, engine: Engine | None) -> Dialect | None:
    """Return the dialect to write: the one that is named, or that of the database, if there is one."""
    if named is not None:
        return check_dialect(named)
    return None if engine is None else engine.dialect
