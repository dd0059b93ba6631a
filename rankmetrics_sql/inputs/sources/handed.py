"""The columns that a log hands on beside its own: whether it has them, and whether they can be handed on."""

from __future__ import annotations

from collections.abc import Sequence

from ...dialects.names import unquoted
from ...errors import DataError, UsageError
from ...remedies import advise
from ...statements.relation import Relation
from ...templates import macros
from ..expressions import expression, no_column


def check_column(name: str, argument: str, tables: Sequence[Relation]) -> None:
    """Refuses a column that no table of a log has.

    Args:
        name: the column, as the user writes it.
        argument: what names it.
        tables: the impressions, and the table of all requests if there is one.

    Raises:
        DataError: it is not there.
    """
    if expression(tables[0], name) is not None:
        return  # SQL over the row is refused as such
    how = ""
    if len(tables) == 1 and argument != "arm":
        how = (
            f" If another table has it for each request, pass {advise('rule', 'requests', 'logged')}"
            f" and {advise('rule', 'queries', 'TABLE')}."
        )
    raise DataError(f"{no_column(name, argument, tables)}{how}")


def check_handed_on(label: str, name: str, argument: str, written: str, order: str, table: Relation) -> None:
    """Refuses SQL over the row, which has no name in the rows, and a name that the rows need.

    Args:
        label: what the source is called.
        name: the column, as the user writes it.
        argument: what names it.
        written: the column as statements write it.
        order: what orders the items of the rows.
        table: whose row it is of.

    Raises:
        UsageError: it is one of these.
    """
    if not macros()["rm_is_column"](written):
        own = argument if argument in ("arm", "cluster", "weight") else "segment"
        new = f"new_{own}" if table.is_known and table.has(own) else own
        raise UsageError(
            f"{label}: {argument}= takes the name of a column, and {name!r} is SQL. Compute the column in a SELECT in"
            f" place of the table, as in SELECT *, {name} AS {new} FROM ..., and pass its name."
        )
    if unquoted(written, table.dialect).lower() in ("item_id", "relevance", order):
        raise UsageError(f"{label}: its rows already have a column {name!r}. Rename yours in a query.")
