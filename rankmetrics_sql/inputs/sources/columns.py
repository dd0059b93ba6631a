"""The values that columns of a source must hold: ids, numbers, times, lists."""

from __future__ import annotations

from ...dialects.lists import is_list
from ...dialects.names import unquoted
from ...statements.relation import Relation
from ..found_types import booleans_as_numbers

IDS = (
    *("request_column", "query_column", "item_column", "user_column", "items_column", "relevant_column"),
    *("event_request_column", "event_item_column", "event_user_column"),
)
TIMES = ("time_column", "event_time_column")
# What arguments that are no ids are, where text would be compared as text.
TYPED = {
    **dict.fromkeys(
        ("position_column", "rating_column", "predicted_column", "dwell_column", "propensity_column"), "DOUBLE"
    ),
    **dict.fromkeys(TIMES, "TIMESTAMP"),
}
_KINDS = {"DOUBLE": "a number", "TIMESTAMP": "a time"}


def check_list(relation: Relation, meaning: str, column: str) -> None:
    """A column of one item is none of lists; JSON and expressions are the database's to judge.

    Raises:
        DataError: it is none.
    """
    name = unquoted(column, relation.dialect)
    type_ = (relation.types or {}).get(name)
    if type_ is not None and relation.dialect.canonical and not is_list(type_):
        raise relation.refuse(f"{meaning} (column {relation.shown(name)!r}) is {type_}, no list.")


def typed(relation: Relation, meaning: str, column: str, wanted: str) -> str:
    """A column as a number or a time: text files have nothing but text, and SQLite no other times.

    Raises:
        DataError: it is text in a table.
    """
    name = unquoted(column, relation.dialect)
    if not (relation.types or {}).get(name, "").startswith("VARCHAR"):
        return column
    if relation.text_ids:
        return f"CAST({booleans_as_numbers(relation, column) if wanted == 'DOUBLE' else column} AS {wanted})"
    if wanted == "TIMESTAMP" and not relation.dialect.canonical:
        return column
    own = relation.shown(name)
    raise relation.refuse(
        f"{meaning} (column {own!r}) is VARCHAR, not {_KINDS[wanted]}; CAST({own} AS {wanted}) is one."
    )
