"""The items within the first k of lists: what makes a ranking so far, and the statement that lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..definitions.resolution import Choices, raise_refusal
from ..errors import DataError, UsageError, shortened
from ..plan import MOVEMENTS
from ..templates import macros
from .running import Statements, ready

if TYPE_CHECKING:
    from ..results.explanation import Movements


def metric_of_movements(k: int, choices: Choices) -> str:
    """Return the metric that stands for movements: it ranks the first k items.

    Raises:
        UsageError: there is no such k, or items have no ranks by these choices.
    """
    if isinstance(k, int) and k >= 2**63:
        raise UsageError(f"movements: k={shortened(k)} is too large.")
    raise_refusal(macros()["rm_movements_refusal"](k, choices.options))
    return str(macros()["rm_movement_metric"](k))


def listed(statements: Statements) -> Movements:
    """Runs the statement of movements.

    Raises:
        DataError: there are no lists, or an input is malformed.
        DatabaseError: the database refused the statement.
    """
    from ..results.explanation import Movements

    text = statements.plan.text(MOVEMENTS)
    columns, rows = statements.rows(text)
    if not rows:
        raise DataError("No run has results for any of the queries to show.")
    return Movements(ready(text, columns, rows), statements.shown(MOVEMENTS))
