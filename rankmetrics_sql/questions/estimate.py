"""The question what a statement would read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .place import opened
from .question import question

if TYPE_CHECKING:
    from ..databases.answers import Estimate


@question()
def estimate(statement: str, *, connection: Any = None) -> Estimate | None:
    """What a database says that a statement would read. The statement is planned there, and not run.

    Args:
        statement: its text, such as ``sql`` gives it in the database's dialect.
        connection: as in ``evaluate``.

    Returns:
        The rows and bytes to be read, None where the database does not say, and its own words; None where it says
        nothing at all.

    Raises:
        UsageError: there is no connection, or nothing is known of it, or the statement is not one query.
        DatabaseError: the database refused the statement.
    """
    if connection is None:
        raise UsageError("An estimate comes from the database. Pass connection=.")
    with opened(connection) as engine:
        return engine.estimate(statement)
