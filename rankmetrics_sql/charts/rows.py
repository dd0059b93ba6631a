"""Looks at the rows of a chart before it is drawn: any tool may have made them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from ..errors import UsageError, nearest, shortened
from ..optional import of_plots

F = TypeVar("F", bound=Callable[..., Any])


def with_columns(*needed: str) -> Callable[[F], F]:
    """Refuse input of a chart that does not consist of rows with these columns.

    Args:
        needed: the names of the columns that every row has.
    """

    def of(function: F) -> F:
        @functools.wraps(function)
        def checked(rows: Any, *args: Any, **kwargs: Any) -> Any:
            require_columns(f"charts.{function.__name__}", rows, needed)
            with _unvalidated():
                return function(rows, *args, **kwargs)

        return cast(F, checked)

    return of


def _unvalidated() -> Any:
    """While it lasts, Altair takes each part of a chart as it is: the whole is validated when it is shown or saved.

    To validate the parts too takes longer than everything else about a chart.
    """
    return of_plots("altair.utils.schemapi", "Altair").debug_mode(False)


def require_columns(chart: str, rows: Any, needed: Sequence[str], name: str = "rows") -> None:
    """Refuses what is no rows, or rows without a column.

    Args:
        chart: what needs them.
        rows: what was given.
        needed: the names of the columns.
        name: what the argument is called.

    Raises:
        UsageError: they are no rows, or one of them has not one of the columns.
    """
    if not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
        raise UsageError(
            f"{chart}: {name} are a list of dictionaries, such as result.summary.dicts(); not {shortened(rows)}."
        )
    for number, row in enumerate(rows, start=1):
        for column in needed:
            if column not in row:
                raise UsageError(f"{chart}: {name} need the column {column!r}; {_there(number, row, column)}")


def _there(number: int, row: Mapping[Any, Any], lacking: str) -> str:
    """Return the names that a row has, and the one that the caller may have meant."""
    names = [str(name) for name in row]
    if not names:
        return f"row {number} has no columns."
    near = nearest(lacking, names, ())
    return f"row {number} has {shortened(', '.join(names))[1:-1]}." + (f" {near}" if near else "")
