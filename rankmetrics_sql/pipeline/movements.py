"""List the items that entered, left or moved within the first k of each list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..definitions.resolution import Choices, raise_refusal
from ..errors import DataError, UsageError, shortened
from ..plan import MOVEMENTS
from ..templates import macros
from .execute import Evaluation, computed_table

if TYPE_CHECKING:
    from ..results.explanation import Movements


def metric_of_movements(k: int, choices: Choices) -> str:
    """Return the metric whose ranking of the first k items movements need; raise if items have no ranks."""
    if isinstance(k, int) and k >= 2**63:
        raise UsageError(f"movements: k={shortened(k)} is too large.")
    raise_refusal(macros()["rm_movements_refusal"](k, choices.options))
    return str(macros()["rm_movement_metric"](k))


def list_movements(evaluation: Evaluation) -> Movements:
    """Run the statement of movements."""
    from ..results.explanation import Movements

    text = evaluation.plan.text(MOVEMENTS)
    columns, rows = evaluation.run(text)
    if not rows:
        raise DataError("No run has results for any of the queries to show.")
    return Movements(computed_table(text, columns, rows), evaluation.text_to_show(MOVEMENTS))
