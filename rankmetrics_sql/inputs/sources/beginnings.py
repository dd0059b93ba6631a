"""Where the positions of a log begin: two apps that count from 0 and from 1 must not be read as one."""

from __future__ import annotations

from dataclasses import replace

from ...databases import Engine
from ...errors import DataError
from ...remedies import advise
from .base import Rows

_MOST_LATER = 0.1  # of the requests, those whose first item is not logged


def check_beginnings(source: Rows, place: Engine) -> None:
    """Refuses a log whose positions are found to begin at 0, though many requests have nothing there.

    Args:
        source: one whose relations have been looked at.
        place: where they are.

    Raises:
        DataError: it is such a log.
    """
    if source.log is None or not place.is_connected:
        return
    asks_for_zero, beginnings = (
        source.text(replace(source.log, select=select), place.dialect)
        for select in ("rm_select_zero_place", "rm_select_beginnings")
    )
    if not asks_for_zero or not place.run(asks_for_zero)[1][0][0]:
        return
    for application, n_requests, n_later in place.run(beginnings)[1]:
        if n_later > _MOST_LATER * n_requests:
            of_one = f" of application {application!r}" if application else ""
            raise DataError(
                f"{source.label}: {n_later:,} of {n_requests:,} requests{of_one} have nothing at position 0, where"
                f" position_base=auto begins to count. {_how(source)}"
            )


def _how(source: Rows) -> str:
    """What to type: which application counts from where, or where all do."""
    base = f"{advise('rule', 'position_base', 0)} or {advise('rule', 'position_base', 1)}"
    if source.columns.get("application_column", ("", "named"))[1] is None:
        return f"Name the column of the application, {advise('rule', 'application', 'NAME')}, or the base, {base}."
    return f"Name the base: {base}."
