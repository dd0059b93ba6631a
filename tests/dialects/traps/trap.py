"""What a trap is: a rule over a text, and a text that it must find."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..known import EXECUTED, RENDERED
from .reading import Brackets, Column, Item, Select, Statement, Window, shown, word, words

Find = Callable[[Statement], Iterable[str]]
TRANSLATED = tuple(dialect for dialect in (*EXECUTED, *RENDERED) if dialect != "duckdb")

_FUNCTIONS_OF_DOUBLES = {"LN", "LOG", "SQRT", "EXP", "POWER"}
_DOUBLES = {"DOUBLE", "PRECISION", "REAL", "FLOAT", "FLOAT64", "BINARY_DOUBLE", "BINARY_FLOAT"}
_OPERATORS = {"+", "-", "*", "/"}
_COMPARISONS = {"=", "<", ">", "<=", ">=", "<>", "!=", "AND", "OR", "NOT", "IN", "LIKE", "BETWEEN"}


@dataclass(frozen=True)
class Trap:
    """A text that a dialect refuses, or reads in another way than DuckDB.

    Attributes:
        what: what is wrong with it there.
        dialects: those that it concerns.
        find: the places in a statement that have it.
        samples: statements that have it.
        of_whole: whether it is looked for in whole statements only, not in pieces of them.
    """

    what: str
    dialects: tuple[str, ...]
    find: Find
    samples: tuple[str, ...]
    of_whole: bool = False


def pattern(expression: str, flags: int = 0) -> Find:
    """What matches in the code, where every text in quotes is one word."""
    return lambda statement: (found.group() for found in re.finditer(expression, statement.bare, flags))


def call(*names: str) -> Find:
    """Calls of functions."""
    return pattern(rf"\b({'|'.join(names)})\s*\(", re.IGNORECASE)


def in_code(expression: str) -> Find:
    """What matches in the code, texts in quotes included."""
    return lambda statement: (found.group() for found in re.finditer(expression, statement.code, re.MULTILINE))


def in_text(expression: str) -> Find:
    """What matches in the whole text, comments included."""
    return lambda statement: (found.group() for found in re.finditer(expression, statement.text))


def ordered_inside(statement: Statement) -> Iterable[str]:
    """ORDER BY of a SELECT in brackets."""
    for select in statement.selects:
        if select.inside is not statement.brackets[0] and select.is_ordered:
            yield shown(select.items[-4:])


def reads_nothing(statement: Statement) -> Iterable[str]:
    """A SELECT without FROM."""
    return (shown(select.items) for select in statement.selects if not select.reads_something)


def aggregate_without_frame(statement: Statement) -> Iterable[str]:
    """A window of an aggregate with an order that does not say how far it reaches."""
    for brackets in statement.brackets:
        if brackets.follows("OVER") and word(brackets.before[0]) in {"SUM", "COUNT", "AVG", "MIN", "MAX"}:
            known = words(brackets.items)
            if "ORDER" in known and not {"ROWS", "RANGE"} & {*known}:
                yield shown(brackets.items)


def sorted_by_a_start(statement: Statement) -> Iterable[str]:
    """Windows of several partitions, one sorted by the start of what two others are sorted by that differ."""
    for select in statement.selects:
        for one in select.windows:
            longer = [other for other in select.windows if other != one and _begins(other, one)]
            for a, b in itertools.combinations(longer, 2):
                differ = not _begins(a, b) and not _begins(b, a)
                if differ and len({window.partition for window in (one, a, b)}) > 1:
                    yield ", ".join(one.sorting)


def _begins(longer: Window, shorter: Window) -> bool:
    return longer.sorting[: len(shorter.sorting)] == shorter.sorting


# Rows of numbers behind FROM, and the names of what stands in them.
_ROWS = re.compile(r"\bVALUES\s((?:\s*\([^()]*\),?)+)\s*\)?\s*AS (\w+)\s*\(([^()]*)\)")


def uncast_number(statement: Statement) -> Iterable[str]:
    """A number with a point that is no double, but for rows of numbers, of which uncast_rows knows more."""
    number = r"(?<!CAST\()(?<!CAST\(-)(?<![\w.])(\d+\.\d+(e[+-]?\d+)?|\d+e[+-]?\d+)\b"
    return (found.group() for found in re.finditer(number, _ROWS.sub("", statement.bare)))


def uncast_rows(statement: Statement) -> Iterable[str]:
    """A column of rows of numbers that nothing makes a double."""
    for _, table, names in _ROWS.findall(statement.bare):
        for name in names.split(","):
            column = f"{table}.{name.strip()}"
            read = re.findall(rf"(CAST\()?\b{re.escape(column)}\b", statement.bare)
            if not read or "" in read:
                yield column


def untyped_text(statement: Statement) -> Iterable[str]:
    """A text that is a column of a stage as it stands, with nothing that gives it a type."""
    for select in statement.selects:
        if select.inside is not statement.brackets[0]:
            yield from (shown(column.items) for column in select.columns if column.tokens == ["'t'"])


def unnamed_capitals(statement: Statement) -> Iterable[str]:
    """A column of the result without quotes around its name."""
    results = [select for select in statement.selects if select.inside is statement.brackets[0]]
    for column in results[-1].columns:
        if column.tokens != ["*"] and not (column.alias or column.tokens[-1]).startswith('"'):
            yield shown(column.items)


def quoted_here_only(statement: Statement) -> Iterable[str]:
    """A name in quotes in a stage that stands in one without."""
    inside = {token for brackets in statement.brackets[1:] for token in brackets.items if isinstance(token, str)}
    return (name for name in sorted(inside) if name.startswith('"') and name.strip('"') in inside)


def untreated_key(statement: Statement) -> Iterable[str]:
    """An id of the user's that is taken as it is."""
    for select in statement.selects:
        stages = [name for name in words(select.items) if name.startswith("RANKMETRICS_")]
        if all(name.endswith("SOURCE") for name in stages):
            for column in select.columns:
                is_key = re.fullmatch(r"(query|item|run)_id\w*|group_\d+", column.alias or column.tokens[-1])
                if is_key and column.tokens[:2] == ["s", "."] and len(column.tokens) == 3:
                    yield shown(column.items)


def shadowed(statement: Statement) -> Iterable[str]:
    """A column by the name of another that is read elsewhere in the same SELECT."""
    for select in statement.selects:
        columns = select.columns
        for place, column in enumerate(columns):
            others = [item for other in (*columns[:place], *columns[place + 1 :]) for item in other.items]
            if _is_other(column) and _reads([*others, *_condition(select)], column.alias):
                yield str(column.alias)


def _is_other(column: Column) -> bool:
    """Whether a name is given to anything but the column that has it, or a cast of that."""
    tokens = column.tokens
    return column.alias is not None and tokens[:3] != ["CAST", "(", column.alias] and column.alias != tokens[-1]


def _condition(select: Select) -> list[Item]:
    """What stands behind WHERE, without the order."""
    known = words(select.items)
    start = known.index("WHERE") if "WHERE" in known else len(known)
    ends = (known.index(clause) for clause in ("GROUP", "ORDER") if clause in known[start:])
    return list(select.items[start : min(ends, default=len(known))])


def _reads(items: Iterable[Item], name: str | None) -> bool:
    """Whether a column is read without the name of its table; what another SELECT reads does not count."""
    before = ""
    for item in items:
        if isinstance(item, str):
            if item == name and before != ".":
                return True
            before = item
        elif not item.starts_with("SELECT") and _reads(item.items, name):
            return True
    return False


def captured(statement: Statement) -> Iterable[str]:
    """A stage by the name of a column."""
    columns = {column.alias for select in statement.selects for column in select.columns}
    return (stage for stage in statement.stages if stage in columns)


def condition_as_value(statement: Statement) -> Iterable[str]:
    """A comparison where a number is wanted: in a function, or as a column."""
    functions = {"SUM", "AVG", "MAX", "MIN", "COALESCE", "CAST", "COUNT"}
    for brackets in statement.brackets:
        if brackets.follows(*functions) and _COMPARISONS & {*_outside_case(brackets.items)}:
            yield shown(brackets.items)
    for select in statement.selects:
        for column in select.columns:
            if _COMPARISONS & {*_outside_case(column.items)}:
                yield shown(column.items)


def _outside_case(items: Iterable[Item]) -> list[str]:
    """The words at this depth that are in no CASE, which is where conditions belong."""
    depth, kept = 0, []
    for item in map(word, items):
        depth += {"CASE": 1, "END": -1}.get(item, 0)
        kept += [item] if depth == 0 else []
    return kept


def whole_division(statement: Statement) -> Iterable[str]:
    """A division of which neither side is made a double, in a SELECT that reads the user's tables.

    Which columns of stages are doubles DuckDB knows, and test_doubles asks it.
    """
    stages = re.findall(r"(\w+)\W* AS (?:NOT )?(?:MATERIALIZED )?\(\s*SELECT\b", statement.bare)
    for select in statement.selects:
        kinds = words(select.items)
        read = [select.items[place + 1] for place, kind in enumerate(kinds) if kind in ("FROM", "JOIN")]
        if not all(one.starts_with("SELECT") if isinstance(one, Brackets) else one in stages for one in read):
            yield from _whole_divisions(select.items)


def _whole_divisions(items: Sequence[Item]) -> Iterator[str]:
    """Those of a SELECT, at any depth up to another."""
    for place, item in enumerate(items):
        sides = (items[max(0, place - 2) : place], items[place + 1 : place + 3])
        if item == "/" and not any(map(_is_double, sides)):
            yield shown([*sides[0], "/", *sides[1]])
        if isinstance(item, Brackets) and not item.starts_with("SELECT"):
            yield from _whole_divisions(item.items)


def _is_double(side: Sequence[Item]) -> bool:
    """Whether a side is a cast to double, a function that gives one, or a quotient in brackets that begins with one."""
    if side and isinstance(side[0], Brackets):
        items = side[0].items
        return len(items) > 2 and items[2] == "/" and _is_double(items[:2])
    if len(side) != 2 or not isinstance(side[1], Brackets):
        return False
    return word(side[0]) in _FUNCTIONS_OF_DOUBLES or (word(side[0]) == "CAST" and word(side[1].items[-1]) in _DOUBLES)


def average_of_whole_numbers(statement: Statement) -> Iterable[str]:
    """AVG of numbers that are written in the statement, none of them a double."""
    for brackets in statement.brackets:
        if brackets.follows("AVG"):
            values = list(_values_of_case(words(brackets.items)))
            if values and all(item.isdigit() or item in _OPERATORS for value in values for item in value):
                yield shown(brackets.items)


def _values_of_case(known: list[str]) -> Iterator[list[str]]:
    """What stands behind each THEN and ELSE, up to what ends it."""
    value: list[str] | None = None
    for item in [*known, "END"]:
        if item in ("WHEN", "THEN", "ELSE", "END"):
            if value is not None:
                yield value
            value = [] if item in ("THEN", "ELSE") else None
        elif value is not None:
            value.append(item)
