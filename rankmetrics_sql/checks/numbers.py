"""Columns that must hold numbers."""

from __future__ import annotations

from ..dialects.names import unquoted
from ..inputs.ids import INTEGERS, TEXT, UNKNOWN
from ..statements.relation import Relation
from .ask import Asker
from .words import row_texts

_NUMBERS = (*INTEGERS, "FLOAT", "DOUBLE", "DECIMAL", "BOOLEAN")


def check_numbers(asker: Asker, relation: Relation) -> None:
    """Looks at the columns of a relation that must hold numbers.

    Raises:
        DataError: one of them holds something else.
    """
    for meaning, column in relation.numbers.items():
        _check_number(asker, relation, meaning, column)


def _check_number(asker: Asker, relation: Relation, meaning: str, column: str) -> None:
    database, name = relation.database, unquoted(column)
    type_ = (relation.types or {}).get(name, "DOUBLE")
    if database is None or (type_.startswith((*_NUMBERS, UNKNOWN)) and database.is_number(type_)):
        if database is not None and database.dialect.dynamic_types:
            _refuse_where(asker, relation, meaning, f"typeof(s.{column}) IN ('text', 'blob')")
        return
    if not type_.startswith(TEXT) or not database.tries_casts:
        advice = "" if database.tries_casts else "; cast it in a query"
        own = f"column {relation.shown(name)!r}" if name not in relation.expressions else relation.shown(name)
        raise relation.refuse(f"{meaning} ({own}) is {type_}, not a number{advice}.")
    # DuckDB reads 1_0 as 10
    number = f"CASE WHEN NOT contains(s.{column}, '_') THEN TRY_CAST(s.{column} AS DOUBLE) END"
    _refuse_where(asker, relation, meaning, f"s.{column} IS NOT NULL AND {number} IS NULL")


def _refuse_where(asker: Asker, relation: Relation, meaning: str, condition: str) -> None:
    """Shows rows whose value is no number, if there are such."""
    if rows := asker.rows_where(relation, relation.numbers[meaning], condition):
        raise relation.refuse(f"{meaning} is not a number: {row_texts(rows)}.")
