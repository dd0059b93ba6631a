"""The items within the first k of lists: what makes a ranking so far, and the statement that lists them."""

from __future__ import annotations

from ..definitions.choices import Choices
from ..definitions.refusals import refuse
from ..errors import DataError, UsageError, shortened
from ..results.movements import Movements
from ..statements.query import MOVEMENTS
from ..statements.templates import macros
from .running import Statements, ready


def metric_of_movements(k: int, choices: Choices) -> str:
    """What stands in place of a metric: it makes a ranking as far as the first k, whose items are looked at.

    Raises:
        UsageError: there is no such k, or items have no ranks by these choices.
    """
    is_count = isinstance(k, int) and not isinstance(k, bool) and k >= 1
    if is_count and k >= 2**63:
        raise UsageError(f"movements: k={shortened(k)} is more than a list can have.")
    refuse("movements", {"k": k, "is_count": is_count, "ties": choices["ties"], "aggregate": choices["aggregate"]})
    return str(macros()["rm_movement_metric"](k))


def listed(statements: Statements) -> Movements:
    """Runs the statement of movements.

    Raises:
        DataError: there are no lists, or an input is malformed.
        DatabaseError: the database refused the statement.
    """
    text = statements.query.text(MOVEMENTS)
    columns, rows = statements.rows(text)
    if not rows:
        raise DataError("No run has results for any of the queries to show.")
    return Movements(ready(text, columns, rows), text)
