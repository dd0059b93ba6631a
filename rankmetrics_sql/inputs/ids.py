"""Which ids can be equal: ids of one type, or text under any type name; in files all ids are text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from ..dialects import Dialect
from ..dialects.names import unquoted
from ..errors import DataError
from ..relation import Relation

TEXT = ("VARCHAR", "CHAR", "ENUM", "JSON")
INTEGERS = (
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
)
UNKNOWN = '"NULL"'  # the type of a column without a single value

# The type of a field within the type of a structure.
_FIELD = r'(?<![A-Za-z0-9_])("?{}"?) [A-Z]+(?:\([0-9, ]*\))?(?=[,)])'


def family(type_: str) -> str:
    """Return the family of types that values of this type are compared in."""
    if type_ in INTEGERS:
        return "integer"
    return "text" if type_.startswith(TEXT) else type_


def comparable(one: str, other: str) -> bool:
    """Return whether values of two types are equal when they look equal."""
    return family(one) == family(other) or UNKNOWN in (one, other)


def unify_ids(relations: Sequence[Relation]) -> list[Relation]:
    """Relations whose columns have meanings; ids of files keep their types where all others can equal them."""
    typed = [_with_own_types(relation) for relation in relations]
    for meaning in ("query_id", "item_id"):
        types = [relation.types_of(meaning) for relation in typed if relation.columns.get(meaning)]
        if not all(len(columns) == len(types[0]) and all(map(comparable, columns, types[0])) for columns in types[1:]):
            return list(relations)
    return typed


def _with_own_types(relation: Relation) -> Relation:
    """A file with the types of its ids: whole numbers, or text; names of runs and subtopics are text.

    It is a Parquet file, or ids of it are computed, such as ``CAST(item_id AS BIGINT)``.
    """
    is_computed = any(unquoted(name) in relation.expressions for name in _ids(relation))
    if not (relation.text_ids and (relation.own_types or is_computed)):
        return relation
    typed = replace(relation, text_ids=False)
    ids, names = (
        {family(type_) for meaning in meanings if typed.columns.get(meaning) for type_ in typed.types_of(meaning)}
        for meanings in (("query_id", "item_id"), ("run_id", "subtopic"))
    )
    return typed if ids <= {"integer", "text"} and names <= {"text"} else relation


def _ids(relation: Relation) -> list[str]:
    """Return the columns that name queries and items."""
    item = relation.columns.get("item_id")
    return [*relation.columns.get("query_id", ()), *([item] if item else [])]


def different(meaning: str, types: Sequence[Sequence[str]], labels: Sequence[str], remedy: str) -> DataError:
    """An error about ids of two relations that could not be equal.

    Args:
        meaning: what they name.
        types: the types of both.
        labels: what the relations are called.
        remedy: what to do about it.
    """
    ours, theirs = (", ".join(names) for names in types)
    return DataError(
        f"{meaning} is {ours} in {labels[0]} and {theirs} in {labels[1]}; {remedy}. Ids in files are text."
    )


def is_number(type_: str) -> bool:
    """Return whether values of a type, in DuckDB's words, are numbers, whole or not."""
    return type_ in INTEGERS or type_.startswith(("DOUBLE", "FLOAT", "DECIMAL"))


def common_type(types: Iterable[str]) -> str:
    """Return the type that ids of some types are compared in: text, but for numbers, of which 20 and 20.0 are one."""
    return "DOUBLE" if all(map(is_number, types)) else "VARCHAR"


def cast_in_query(dialect: Dialect, types: Iterable[str] = ("VARCHAR",)) -> str:
    """Return how to cast an id in a query that replaces a table, as messages write it.

    Args:
        dialect: whose SQL.
        types: the types of the ids on both sides.
    """
    common = common_type(types)
    how = f"as in SELECT * REPLACE (CAST(... AS {common}) AS ...)" if dialect.canonical else "in a query"
    return f"the one that is no {common}, {how}" if common == "DOUBLE" else f"one of them, {how}"


def retype_ids(name: str, type_: str, ids: Collection[str]) -> str:
    """DuckDB's type of a column with its ids as text: of the column itself, of a list, or of fields of structures.

    Args:
        name: what the column is called.
        type_: its type.
        ids: the names of ids, of columns or fields.
    """
    if name.lower() in ids:
        return "VARCHAR[]" if type_.endswith("[]") else "VARCHAR"
    for field in ids:
        type_ = re.sub(_FIELD.format(re.escape(field)), r"\1 VARCHAR", type_, flags=re.IGNORECASE)
    return type_
