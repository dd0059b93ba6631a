"""Tables that a column is said to be of: ``impressions.item_id``, ``queries.searched_at``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...dialects import CANONICAL
from ..groups import split_side
from ..strings import kind_of


def own_names(tables: Mapping[str, Any]) -> dict[str, str]:
    """The names of tables in a database, with what each is for: a column can be said to be of either."""
    return {table: place for place, table in tables.items() if isinstance(table, str) and kind_of(table) == "table"}


def of_table(tables: Mapping[str, Any], place: str, given: Any, *, also_of_queries: bool = False) -> tuple[str, Any]:
    """The table that a column, or each of a list, is of, and its name there.

    Args:
        tables: the tables of a log, by what they are for.
        place: what the argument is of.
        given: the column or columns, or SQL over the row, which stays as it is.
        also_of_queries: whether it may be of the table of all requests instead.
    """
    if isinstance(given, list | tuple):
        return place, [of_table(tables, place, one)[1] for one in given]
    if not isinstance(given, str):
        return place, given
    places = [place, *(["queries"] if also_of_queries and "queries" in tables else [])]
    known = own_names({name: tables[name] for name in places}) | {name: name for name in places}
    side, rest = split_side(given, CANONICAL, known)
    return (known[side], rest) if side else (place, given)
