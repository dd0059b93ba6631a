"""Loads query results and Python objects into DuckDB for as long as an evaluation takes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from ...errors import DatabaseError, RankmetricsWarning, UsageError
from .places import Place
from .sessions import Session
from .text import first_line


class Loading:
    """Everything that was loaded at a place. Our session ends with it; a user's connection gets it removed."""

    def __init__(self, place: Place, timeout: float | None) -> None:
        """Nothing so far.

        Args:
            place: where.
            timeout: the seconds that each statement may take.
        """
        self._place = place
        self._timeout = timeout
        self._left: list[_Loaded] = []
        self.objects: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._left)

    def holds(self, name: str) -> bool:
        """Whether something is loaded by a quoted name, in any case."""
        return any(loaded.name.lower() == name.lower() for loaded in self._left)

    def table(self, name: str, select: str, parameters: Sequence[Any] | None) -> None:
        """Stores the result of a query under a quoted name; one with parameters holds an object of Python's."""
        self.objects += [name] if parameters else []
        self._keep(_Loaded("TABLE", name, f"CREATE TEMP TABLE {name} AS {select}", parameters))

    def frame(self, name: str, frame: Any) -> None:
        """Makes a pandas, Polars or Arrow table, or a DuckDB relation, readable by a quoted name.

        Raises:
            UsageError: DuckDB cannot read such an object.
        """
        self.objects.append(name)
        is_relation = type(frame).__name__ == "DuckDBPyRelation"
        try:
            if is_relation:  # it is of one connection, which has no cursor that could read it
                self._move()
            self._keep(_Loaded("VIEW", name, frame))
        except (DatabaseError, ImportError) as error:
            hint = " Give its connection with connection=." if is_relation else ""
            raise UsageError(f"Cannot read {type(frame).__name__} as a table: {first_line(error)}{hint}") from None

    def _keep(self, loaded: _Loaded) -> None:
        """Remembers it before it is there, so that it goes whatever happens."""
        self._left.append(loaded)
        with self._place.session() as session:
            self._put(loaded, session)

    def _put(self, loaded: _Loaded, session: Session) -> None:
        session.ask(partial(loaded.put, session), self._timeout, str(loaded.content))

    def _move(self) -> None:
        """From a cursor of the user's connection to the connection itself."""
        session = self._place.move()
        if session is not None:
            for loaded in self._left:
                self._put(loaded, session)

    def forget(self) -> None:
        """Removes all of it from the user's connection; what is ours keeps it until it ends."""
        if self._place.own:
            return
        left, self._left = self._left, []
        session = self._place.held
        if session is None or not session.shared or session.is_aborted():  # ROLLBACK takes what is in a transaction
            return
        for loaded in left:
            try:
                session.ask(partial(loaded.drop, session), self._timeout, "")
            except DatabaseError as error:
                message = (
                    f"{loaded.name} could not be dropped from the connection: {first_line(error)} Drop it yourself."
                )
                warnings.warn(message, RankmetricsWarning, stacklevel=2)


class _Loaded(NamedTuple):
    """Something that is in a session.

    Attributes:
        kind: ``TABLE`` or ``VIEW``.
        name: its name, quoted.
        content: the statement that makes the table, or the frame that the view shows.
        parameters: of the statement.
    """

    kind: str
    name: str
    content: Any
    parameters: Sequence[Any] | None = None

    def put(self, session: Session) -> None:
        if self.kind == "TABLE":
            session.execute(self.content, self.parameters)
        else:
            session.register(self.name.strip('"'), self.content)

    def drop(self, session: Session) -> None:
        if self.kind == "TABLE":
            session.execute(f"DROP TABLE IF EXISTS {self.name}")
        else:
            session.connection.unregister(self.name.strip('"'))
