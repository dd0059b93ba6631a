"""Types of columns: times as numbers since 1970, lists, and the numbers and booleans in text files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from ..dialects import Expression, with_columns
from ..dialects.names import quoted, unquoted
from ..engines import Engine, is_engine
from ..errors import DatabaseError, DatabaseTimeoutError, DataError, advise, advise_columns, shortened
from ..relation import EXPRESSION, NUMBERS, TIME, Relation
from ..templates import macros
from .ids import is_number

# Units since 1970 by the lowest number that looks like one, with how many microseconds each has, and DuckDB's function.
_UNITS = (
    (1e17, "nanoseconds", " / 1000", "MAKE_TIMESTAMP_NS({})"),
    (1e14, "microseconds", "", "MAKE_TIMESTAMP({})"),
    (1e11, "milliseconds", " * 1000", "EPOCH_MS({})"),
    (1e8, "seconds", " * 1000000", "TO_TIMESTAMP({})"),
)


def refuse_numbers(relation: Relation, column: str, *, named: str = "columns") -> None:
    """Refuse a column of numbers where a time is needed.

    Args:
        relation: whose column.
        column: as statements write it.
        named: how the user names it: in ``columns=``, or by the ``rule`` of a source.
    """
    name = unquoted(column, relation.dialect)
    type_ = (relation.types or {}).get(name, "")
    if not is_number(type_) or relation.database is None:
        return
    shown = relation.shown(name)
    begin = f"time (column {shown!r}) is {type_}, not a time."
    largest = _largest(relation, column)
    unit = next((found for found in _UNITS if largest is not None and largest >= found[0]), None)
    if unit is None:
        raise relation.error(f"{begin} Pass a column of timestamps, or SQL that makes one of it.")
    _, unit_name, scale, function = unit
    of_dialect = macros(relation.dialect.name)
    moment = (
        function.format(shown)
        if relation.dialect.canonical
        else of_dialect["rm_moment_of_microseconds"](f"{shown}{scale}")
    )
    how = advise("columns", "time", moment) if named == "columns" else advise("rule", "time", moment)
    raise relation.error(f"{begin} {largest:.0f} looks like {unit_name} since 1970. Pass {how}.")


def _largest(relation: Relation, column: str) -> float | None:
    if not is_engine(relation.database):
        return None
    try:
        _, [(largest,)] = relation.database.run(f"SELECT MAX({column}) FROM {relation.sql} u")
    except DatabaseError:
        return None
    return None if largest is None else float(largest)


# Whether a value is one of a type, in DuckDB, the first type that all values of a column are. A leading zero makes a
# code of a number, and DuckDB reads 1_0 as 10. A moment with a time zone stays text.
_IS_CODE = r"contains({0}, '_') OR regexp_matches({0}, '^\s*[+-]?0[0-9]')"
_NUMBER = f"NOT ({_IS_CODE}) AND TRY_CAST({{0}} AS DOUBLE) IS NOT NULL"
_BOOLEAN = "LEN({0}) IN (4, 5) AND LOWER({0}) IN ('true', 'false')"
_DAY = r"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}"
_TYPES = {
    "BOOLEAN": _BOOLEAN,
    "BIGINT": rf"{_NUMBER} AND regexp_full_match({{0}}, '[+-]?[0-9]+') AND TRY_CAST({{0}} AS BIGINT) IS NOT NULL",
    "DOUBLE": _NUMBER,
    "DATE": rf"regexp_full_match({{0}}, '{_DAY}') AND TRY_CAST({{0}} AS DATE) IS NOT NULL",
    "TIMESTAMP": rf"regexp_full_match({{0}}, '{_DAY}[ T][0-9:.]+') AND TRY_CAST({{0}} AS TIMESTAMP) IS NOT NULL",
}
_LIST = r"(?is).*\]|(?:array|list|large_list|fixed_size_list|large_list_view|list_view)\b.*"
_AS_NUMBER = "CASE LOWER({0}) WHEN 'true' THEN '1' WHEN 'false' THEN '0' ELSE {0} END"

# What names nothing; in other columns only what stays the same text is read as a value.
_OF_VALUES = (*NUMBERS, TIME, "rating", "predicted", "dwell", "clicked")
_FEW = 4  # columns, of which each set is tried as text


def is_list(type_: str) -> bool:
    """Return whether a type, in DuckDB's words or the database's own, is one of lists or arrays."""
    return re.fullmatch(_LIST, type_) is not None


class _Found(NamedTuple):
    """A column of text.

    Attributes:
        type: the type of all its values; None if they are text.
        is_exact: whether the values of that type are the same text again.
        word: a value that is not a number, where others are.
    """

    type: str | None
    is_exact: bool
    word: str | None


def typed_sql(relation: Relation, meaning: str, found: Expression) -> str:
    """Return the SQL of an expression over a file's row, in which columns have the types of their values.

    Args:
        relation: the file, or anything else, whose columns have types of their own.
        meaning: what the expression is.
        found: the expression.
    """
    database = relation.database
    columns = {name: relation.find(name) for name in found.reads} if relation.is_text else {}
    texts = {name: column for name, column in columns.items() if column and _type(relation, column) == "VARCHAR"}
    if not texts or not is_engine(database):
        return found.sql
    types_by_text = dict(zip(texts, _look_at(database, relation, list(texts.values())), strict=True))
    is_value = meaning in _OF_VALUES
    types = {name: one.type for name, one in types_by_text.items() if one.type and (is_value or one.is_exact)}
    words = {name: one.word for name, one in types_by_text.items() if one.word is not None and is_value}
    for some in _sets(list(types)):
        casts = {name: f"CAST({quoted(str(texts[name]))} AS {types[name]})" for name in some}
        sql = with_columns(found.sql, casts, relation.dialect)
        if _runs(database, relation, sql, is_sure=not words):
            return sql
    if words:
        raise _mixed(relation, meaning, found, words)
    return found.sql


def _type(relation: Relation, column: str) -> str | None:
    return (relation.types or {}).get(column)


def _sets(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Return all of them, then all but one, and so on to none, which functions of text may want."""
    if len(names) > _FEW:
        yield from (names, [])
        return
    for size in range(len(names), -1, -1):
        yield from combinations(names, size)


def _runs(database: Engine, relation: Relation, sql: str, *, is_sure: bool) -> bool:
    """Return whether DuckDB takes an expression; and, where a column has words beside numbers, all of its values."""
    try:
        database.describe(f"(SELECT {sql} AS x FROM {relation.sql} AS s)")
        if not is_sure:
            database.run(f"SELECT COUNT(x) FROM (SELECT {sql} AS x FROM {relation.sql} AS s) AS t")
    except DatabaseTimeoutError:
        raise
    except DatabaseError:
        return False
    return True


def _mixed(relation: Relation, meaning: str, expression: Expression, words: Mapping[str, str | None]) -> DataError:
    """Return an error that names a value that is not a number, and how to leave such values out."""
    casts = {name: f"TRY_CAST({name} AS DOUBLE)" for name in words}
    advice = advise_columns({relation.key(meaning): with_columns(expression.sql, casts, relation.dialect)})
    name, word = next(iter(words.items()))
    return relation.error(
        f"cannot compute {shortened(expression.sql)}, because column {name!r} is text: {word!r} is not a number."
        f" {advice} reads such values as NULL."
    )


def _look_at(database: Engine, relation: Relation, columns: Sequence[str]) -> list[_Found]:
    """What columns of text are, by all of their values."""
    queries = []
    for column in map(quoted, columns):
        tests = [test.format(column) for test in _TYPES.values()]
        same = (f"CAST(TRY_CAST({column} AS {type_}) AS VARCHAR) = {column}" for type_ in _TYPES)
        queries += [f"COUNT({column})", f"MIN(CASE WHEN NOT ({_NUMBER.format(column)}) THEN {column} END)"]
        queries += [f"COUNT(CASE WHEN {test} THEN 1 END)" for test in (*tests, *same)]
    _, [row] = database.run(f"SELECT {', '.join(queries)} FROM {relation.sql} AS s")
    size = 2 + 2 * len(_TYPES)
    return [_found(row[start : start + size]) for start in range(0, len(row), size)]


def _found(row: Sequence[object]) -> _Found:
    n_values, word, *counts = row
    of_types = dict(zip(_TYPES, zip(counts[: len(_TYPES)], counts[len(_TYPES) :], strict=True), strict=True))
    type_ = next((type_ for type_, (n_of_type, _) in of_types.items() if n_of_type == n_values and n_values), None)
    is_mixed = type_ is None and bool(of_types["DOUBLE"][0])
    return _Found(type_, type_ is not None and of_types[type_][1] == n_values, str(word) if is_mixed else None)


def read_booleans(relation: Relation, by_meaning: Mapping[str, list[str]]) -> tuple[Relation, dict[str, list[str]]]:
    """Return the relation of a file with True and False as the grades 1 and 0, and its columns by meaning.

    Args:
        relation: what was read.
        by_meaning: its columns, as statements write them, by what they mean.
    """
    columns = dict(by_meaning)
    column = next(iter(columns.get("relevance", ())), None)
    column_name = next(
        (column_name for column_name in relation.types or () if relation.column(column_name) == column), None
    )
    if column is None or column_name is None or not relation.is_text or _type(relation, column_name) != "VARCHAR":
        return relation, columns
    name = EXPRESSION.format("relevance")
    text = relation.typed_expressions.get(column_name, relation.expressions.get(column_name, column))
    number = booleans_as_numbers(relation, text)
    if number == text:
        return relation, columns
    changed = replace(
        relation,
        expressions={**relation.expressions, name: relation.shown(column_name)},
        typed_expressions={**relation.typed_expressions, name: number},
        types={**(relation.types or {}), name: "VARCHAR"},
    )
    return changed, {**columns, "relevance": [changed.column(name)]}


def booleans_as_numbers(relation: Relation, text: str) -> str:
    """Return SQL of a file's text, in which True is 1 and False 0, as in Python; as it is if it has neither."""
    if not is_engine(relation.database):
        return text
    query = f"SELECT 1 FROM {relation.sql} AS s WHERE {_BOOLEAN.format(f'({text})')} LIMIT 1"
    return _AS_NUMBER.format(text) if relation.database.run(query)[1] else text
