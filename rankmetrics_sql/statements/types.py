"""Types of columns in DuckDB's words: what their numbers may be."""

from __future__ import annotations

import re
from typing import Any

from ..dialects.names import unquoted

_DIGITS = 15  # two decimals of so many digits are never the same double

# Types whose values are told apart as they are, and not by the bytes of their text.
_NO_TEXT = r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL.*|DATE|TIME.*|BOOLEAN"


def is_no_text(type_: str) -> bool:
    """Whether values of this type of DuckDB are told apart as they are, and not by the bytes of their text."""
    return re.fullmatch(_NO_TEXT, type_) is not None


def is_float(type_: str) -> bool:
    """Whether a column of this type of a database may hold NaN; a decimal without a length may in PostgreSQL."""
    return re.fullmatch(r"FLOAT|DOUBLE|REAL|DECIMAL", type_) is not None


def is_beyond_doubles(type_: str) -> bool:
    """Whether numbers of this type of DuckDB, whole or decimal, are not all told apart as doubles."""
    decimal = re.match(r"DECIMAL(?:\((\d+))?", type_)
    if decimal is not None:
        return decimal[1] is None or int(decimal[1]) > _DIGITS
    return type_ in ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT")


def exact_columns(relation: Any) -> list[str]:
    """The columns of a relation that items are sorted by as they are, because doubles would make ties of them.

    Of a relation whose types are not known there is none: statements sort its items by the double, then by the column.
    """
    named = [unquoted(relation.columns[meaning]) for meaning in ("score", "position") if relation.columns.get(meaning)]
    if relation.database is not None and relation.database.dialect.dynamic_types:
        return named  # a check refuses text there, and numbers of any kind are compared by their values
    return [name for name in named if is_beyond_doubles((relation.types or {}).get(name, ""))]
