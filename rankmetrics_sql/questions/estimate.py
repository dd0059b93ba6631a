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
    """Asks the database how much a statement would read. The database plans the statement and does not run it.

    Args:
        statement: its text, such as ``sql`` returns in the dialect of the database.
        connection: as in ``evaluate``.

    Returns:
        The rows and bytes that it would read, each None if the database gives no such number, and the text of its
        answer. None if the database gives no estimate at all.

    Raises:
        UsageError: there is no connection, or nothing is known of it, or the statement is not one query.
        DatabaseError: the database refused the statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rm.estimate("SELECT * FROM range(100)", connection=rm.connect()).rows
        100
    """
    if connection is None:
        raise UsageError("An estimate comes from the database. Pass connection=.")
    with opened(connection) as engine:
        return engine.estimate(statement)
