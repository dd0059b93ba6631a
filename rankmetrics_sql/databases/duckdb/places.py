"""The places where DuckDB runs statements: our own memory, a file, or a user's connection."""

from __future__ import annotations

import contextlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import DatabaseError, DataError, UsageError
from ..problems import hide_credentials
from .sessions import Session, of_user, ours
from .text import first_line


class Place(ABC):
    """Holds a session, or opens one for the moment.

    Attributes:
        own: whether it holds nothing of the user's.
        held: the session that is held.
        label: what to call it.
    """

    own = False
    label = "DuckDB"
    held: Session | None = None

    @abstractmethod
    def _open(self) -> Session:
        """A session for reading."""

    def hold(self) -> None:
        """Opens a session that stays."""
        self.held = self.held or self._open()

    def release(self) -> None:
        """Gives back what is held."""
        held, self.held = self.held, None
        if held is not None:
            held.close()

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        """The session that is held, or one for the moment."""
        if self.held is not None:
            yield self.held
            return
        with contextlib.closing(self._open()) as session:
            yield session

    @contextlib.contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that may write."""
        with self.session() as session:
            yield session

    def move(self) -> Session | None:
        """Where only the user's connection itself will do: a session on it, if another one was held so far."""
        return None


_ATTACHED = ("md", "motherduck", "ducklake", "quack")  # what DuckDB opens by such a prefix, no file


@cache
def _shared(_process: int) -> Any:
    """The database in memory of this process, which takes longer to open than a small evaluation does.

    What one cursor of it loads is temporary, so that no other sees it. A fork has none of its threads, and opens anew.
    """
    import duckdb

    return duckdb.connect()


class Memory(Place):
    """Our own in memory. Its session stays, for what is loaded into it."""

    own = True
    label = "DuckDB in memory"

    def __init__(self, config: dict[str, Any]) -> None:
        """Opens it.

        Args:
            config: DuckDB's settings.

        Raises:
            UsageError: a setting is refused.
        """
        import duckdb

        try:
            self.held = ours(duckdb.connect(config=config) if config else _shared(os.getpid()).cursor())
        except duckdb.Error as error:
            raise UsageError(first_line(error)) from None

    def _open(self) -> Session:
        raise AssertionError("its session is always held")

    def release(self) -> None:
        pass


class File(Place):
    """A database file, for reading only until something is to be left in it."""

    def __init__(self, url: str, config: dict[str, Any]) -> None:
        """Finds it.

        Args:
            url: a path, or ``duckdb:///path``.
            config: DuckDB's settings.

        Raises:
            DataError: there is no such file.
        """
        self.label = hide_credentials(url)
        self._path = Path(url.partition("://")[2].removeprefix("/") if "://" in url else url)
        self._config = config
        try:
            is_file = self._path.is_file()
        except (OSError, ValueError):  # too long, or with a character that no name has
            is_file = False
        scheme = self.label.partition(":")[0]
        if not is_file and scheme in _ATTACHED:
            raise DataError(
                f"{self.label}: no such database file. For a database that DuckDB attaches, pass"
                f" connection=duckdb.connect('{scheme}:...')."
            )
        if not is_file:
            raise DataError(f"{self._path if self.label == url else self.label}: no such database file.")

    def _open(self) -> Session:
        return self._connect(read_only=True)

    def _connect(self, *, read_only: bool) -> Session:
        import duckdb

        try:
            return ours(duckdb.connect(str(self._path), read_only=read_only, config=self._config))
        except duckdb.Error as error:
            how = "as a DuckDB database" if read_only else "for writing"
            raise DataError(f"{self._path}: cannot be opened {how}: {first_line(error)}") from None

    @contextlib.contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that may write; a file can have no other meanwhile."""
        was_held = self.held is not None
        self.release()
        with contextlib.closing(self._connect(read_only=False)) as session:
            yield session
        if was_held:
            self.hold()


class Connection(Place):
    """A connection of the user's: a cursor of it, or the connection itself where a cursor will not do."""

    def __init__(self, connection: Any) -> None:
        """Remembers it.

        Args:
            connection: DuckDB's.
        """
        self._connection = connection

    def _open(self, *, itself: bool = False) -> Session:
        import duckdb

        try:
            return of_user(self._connection, itself=itself)
        except duckdb.Error as error:  # it is closed
            raise DatabaseError(first_line(error)) from None

    def move(self) -> Session | None:
        if self.held is None or self.held.shared:
            return None
        self.release()
        self.held = self._open(itself=True)
        return self.held
