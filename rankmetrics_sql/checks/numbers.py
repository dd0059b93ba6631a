"""Columns that must hold numbers: text, NULL and NaN in them, and what to type in the dialect of the database."""

from __future__ import annotations

from ..dialects import Dialect, data_type, in_dialect
from ..dialects.names import literal, unquoted
from ..errors import advise_columns
from ..inputs.ids import INTEGERS, TEXT, UNKNOWN
from ..relation import OF_QUERIES, Relation
from .inspector import InputInspector, count_of, double, is_nan, is_unusable, leave_out, row_texts

_NUMBERS = (*INTEGERS, "FLOAT", "DOUBLE", "DECIMAL", "BOOLEAN")


def check_numbers(inspector: InputInspector, relation: Relation) -> None:
    """Check the columns of a relation that must hold numbers."""
    for meaning, column in relation.numbers.items():
        _check_number(inspector, relation, meaning, column)


def _check_number(inspector: InputInspector, relation: Relation, meaning: str, column: str) -> None:
    database, name = relation.database, unquoted(column)
    type_ = (relation.types or {}).get(name, "DOUBLE")
    if database is None or (type_.startswith((*_NUMBERS, UNKNOWN)) and database.is_number(type_)):
        if database is not None and database.dialect.dynamic_types:
            _refuse_where(inspector, relation, meaning, f"typeof(s.{column}) IN ('text', 'blob')")
        return
    if not type_.startswith(TEXT) or not database.tries_casts:
        advice = "" if database.tries_casts else _advise_cast(inspector, relation, meaning, type_)
        place = f"column {relation.shown(name)!r}" if name not in relation.expressions else relation.shown(name)
        raise relation.error(f"{meaning} ({place}) is {type_}, not a number.{advice}")
    # DuckDB reads 1_0 as 10
    number = f"CASE WHEN NOT contains(s.{column}, '_') THEN TRY_CAST(s.{column} AS DOUBLE) END"
    _refuse_where(inspector, relation, meaning, f"s.{column} IS NOT NULL AND {number} IS NULL")


def _refuse_where(inspector: InputInspector, relation: Relation, meaning: str, condition: str) -> None:
    """Show the rows whose value is not a number."""
    if rows := inspector.rows_where(relation, relation.numbers[meaning], condition):
        advice = _read_words(inspector, relation, condition, rows[0][-1]) if meaning == "relevance" else ""
        raise relation.error(f"{meaning} is not a number: {row_texts(rows)}.{advice}")


def _read_words(inspector: InputInspector, relation: Relation, condition: str, word: object) -> str:
    """Return what to type where grades are words: a grade for each, or, of words beside numbers, that they are unknown.

    Args:
        inspector: runs the checks.
        relation: whose grades.
        condition: SQL over a row ``s`` that is true of a word.
        word: one of them.
    """
    if not isinstance(word, str):
        return ""
    column = relation.numbers["relevance"]
    [grade] = relation.texts_of("relevance")
    words = inspector.values_where(relation, column, condition)
    numbers = inspector.values_where(relation, column, f"s.{column} IS NOT NULL AND NOT ({condition})")
    key = relation.key("relevance")
    is_canonical = relation.dialect.canonical
    n_truths = sum(spelling.lower() in ("true", "false") for spelling in words)
    if n_truths:
        return _read_truth(relation, grade, has_others=bool(numbers) or n_truths < len(words))
    if not numbers:
        grades = " ".join(f"WHEN {literal(spelling)} THEN GRADE" for spelling in words)
        return f" Say the grade of each word: {advise_columns({key: f'CASE {grade} {grades} END'})}."
    if len(words) == 1:
        unknown = f"NULLIF({grade}, {literal(words[0])})"
    elif is_canonical:
        unknown = f"TRY_CAST({grade} AS DOUBLE)"
    else:
        unknown = f"CASE WHEN TYPEOF({grade}) IN ('integer', 'real') THEN {grade} END"
    return f" To leave such items unjudged, pass {advise_columns({key: unknown})}."


def _read_truth(relation: Relation, column: str, *, has_others: bool) -> str:
    """Return what to type where grades are the words True and False, perhaps beside numbers."""
    cast = f"TRY_CAST({column} AS DOUBLE)" if relation.dialect.canonical else _cast(column, "DOUBLE", relation.dialect)
    otherwise = f" ELSE {cast}" if has_others else ""
    truth = f"CASE LOWER({column}) WHEN 'true' THEN 1 WHEN 'false' THEN 0{otherwise} END"
    return f" To read True as 1 and False as 0, pass {advise_columns({relation.key('relevance'): truth})}."


def refuse_values(inspector: InputInspector, checked: Relation, count: int) -> None:
    """Refuse rows without a number in the column that no row may lack.

    A judgment without a grade does not count; a run's rows need a score or position.

    Args:
        inspector: runs the checks.
        checked: a run, or judgments.
        count: of how many rows that is so.
    """
    if any(checked is judged for judged in inspector.plan.judgments):
        refuse_grades(inspector, checked)
        return
    column = checked.columns[checked.value]
    if rows := inspector.rows_where(checked, column, is_unusable(double(column))):
        [value] = checked.texts_of(checked.value)
        has_nan = inspector.rows_where(checked, column, f"s.{column} IS NOT NULL AND {is_nan(double(column))}")
        advice = leave_out(checked, [value], _is_no_nan(value, inspector.database.dialect) if has_nan else "")
        raise checked.error(f"{count_of(count, 'row')} with a NULL or NaN {checked.value}: {row_texts(rows)}.{advice}")


def refuse_grades(inspector: InputInspector, judged: Relation) -> None:
    """Refuse NaN as a grade: an item that is not judged has NULL."""
    column = judged.columns["relevance"]
    if rows := inspector.rows_where(judged, column, f"s.{column} IS NOT NULL AND {is_nan(double(column))}"):
        [grade] = judged.texts_of("relevance")
        nan_as_null = advise_columns({judged.key("relevance"): _nan_as_null(grade, inspector.database.dialect)})
        raise judged.error(
            f"the grade of an item is NaN, which is not a number: {row_texts(rows)}. For an unjudged item"
            f" write NULL (None in Python), or pass {nan_as_null} to read NaN as NULL."
        )


def _advise_cast(inspector: InputInspector, relation: Relation, meaning: str, type_: str) -> str:
    """Return what to type where numbers are text; a weight takes no SQL over a row, so its cast stands in a query."""
    if relation.facts.clean or meaning in OF_QUERIES or not type_.startswith((*TEXT, "BOOLEAN")):
        return " Cast it in a query."
    [name] = relation.texts_of(meaning)
    if meaning == "relevance" and type_.startswith(TEXT):
        column = relation.numbers[meaning]
        is_truth = f"LOWER(s.{column}) IN ('true', 'false')"
        if inspector.values_where(relation, column, is_truth):
            other_values = inspector.values_where(relation, column, f"s.{column} IS NOT NULL AND NOT ({is_truth})")
            return _read_truth(relation, name, has_others=bool(other_values))
    cast = _cast(name, "DOUBLE" if type_.startswith(TEXT) else "INTEGER", relation.dialect)
    return f" If it holds numbers, pass {advise_columns({relation.key(meaning): cast})}."


def _cast(text: str, type_: str, dialect: Dialect) -> str:
    """Return SQL of the user's row as one of DuckDB's types, in the dialect."""
    return f"CAST({text} AS {type_ if dialect.canonical else data_type(type_, dialect)})"


def _nan_as_null(text: str, dialect: Dialect) -> str:
    """Return SQL of the user's row as a double that is NULL where it is NaN, in the dialect."""
    number = _cast(text, "DOUBLE", dialect)
    if _nan_equals_itself(dialect):
        return f"NULLIF({number}, 'NaN')"
    return f"CASE WHEN {_is_no_nan(text, dialect)} THEN {number} END"


def _is_no_nan(text: str, dialect: Dialect) -> str:
    """Return the condition that a number of the user's row is not NaN, in the dialect."""
    number = _cast(text, "DOUBLE", dialect)
    if _nan_equals_itself(dialect):
        return f"{number} <> 'NaN'"
    statement = in_dialect("SELECT NOT ISNAN(number)", dialect, {"number": number}, quotes_results=False)
    return " ".join(statement.split()).removeprefix("SELECT ")


def _nan_equals_itself(dialect: Dialect) -> bool:
    return dialect.canonical or dialect.nan == "equal"
