"""SQL over the row of a relation: what computes a column, of which columns, and of which type."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..dialects import Dialect, Expression, expression_of
from ..dialects.names import identifier, is_quoted, quote_canonically, quote_name, split_name, unquoted
from ..errors import DatabaseError, DataError, UsageError, advise, nearest, shortened
from ..relation import EXPRESSION, Relation, is_no_text
from ..templates import macros
from .types import refuse_numbers, typed_sql

# The column of periods.
PERIOD = EXPRESSION.format("period")

# Arguments that name a column themselves, so that no other argument says which one is meant.
_OF_GROUPS = ("by", "cluster", "strata", "weight", "covariate")

# The moment that a text says, such as the one of a file; a cast to TIMESTAMP would not look at an offset.
_OF_TEXT = (
    r"CASE WHEN REGEXP_MATCHES({0}, ':\d\d.*[+-]\d\d') THEN CAST({0} AS TIMESTAMPTZ)"
    " ELSE CAST({0} AS TIMESTAMP) AT TIME ZONE 'UTC' END"
)


def repeated(table: str, keys: Sequence[str], beside: Sequence[str] = ()) -> str:
    """Return a query of the keys that stand in several rows, where none of them is NULL: ``key_0``, ``key_1`` ...

    Args:
        table: what stands behind FROM.
        keys: SQL over a row.
        beside: more SQL over a row, of which rows count as several only if they agree on it; here NULL is a value.
    """
    names = [f"key_{number}" for number in range(len(keys))]
    others = [f"beside_{number}" for number in range(len(beside))]
    named = ", ".join(f"{sql} AS {name}" for sql, name in zip([*keys, *beside], [*names, *others], strict=True))
    known = " AND ".join(f"{name} IS NOT NULL" for name in names)
    grouped = ", ".join([*names, *others])
    return (
        f"SELECT {', '.join(names)} FROM (SELECT {named} FROM {table}) k WHERE {known}"
        f" GROUP BY {grouped} HAVING COUNT(*) > 1"
    )


def add_period(relation: Relation, time: str, period: str, zone: str) -> Relation:
    """Return the relation with a column ``PERIOD``: the first day of the period that a time is in.

    Args:
        relation: what has its meanings.
        time: the column with the time, as statements write it.
        period: ``day``, ``week`` or ``month``.
        zone: the name of a time zone.
    """
    text = macros(relation.dialect.name)["rm_period"](time_of_period(relation, time), period, zone)
    return computing(relation, {**relation.expressions, PERIOD: str(text)})


def time_of_period(relation: Relation, time: str) -> str:
    """Return the SQL of a time that a period is made of; raise if it is a number."""
    refuse_numbers(relation, time, named="rule" if relation.is_ours else "columns")
    column = quote_name(unquoted(time), relation.dialect) if is_quoted(time) else time
    is_text = relation.dialect.canonical and _type_of(relation, time) == "VARCHAR"
    return _OF_TEXT.format(column) if is_text else column


def _type_of(relation: Relation, sql: str) -> str | None:
    """Return the type of a column or a field of one; None where it cannot be known, or is one of SQL over the row."""
    type_ = (relation.types or {}).get(unquoted(sql))
    if type_ is not None or relation.types is None or relation.database is None or not has_column(relation, sql):
        return type_
    return relation.database.describe(f"(SELECT {sql} AS x FROM {relation.sql} AS s)")["x"]


def computing(relation: Relation, expressions: Mapping[str, str]) -> Relation:
    """Return the relation with expressions, whose types its database says."""
    new = [name for name in expressions if name not in relation.expressions]
    used = [name for name in new if relation.is_known and relation.has(name)]
    if used:
        raise relation.error(f"a column is called {used[0]!r}, a name that the statement needs. Rename it in a query.")
    extended = replace(relation, expressions=expressions)
    if relation.types is None or relation.database is None:
        return extended
    try:
        types = relation.database.describe(extended.with_expressions)
    except DatabaseError as error:
        texts = "; ".join(map(shortened, expressions.values()))
        raise relation.error(f"cannot compute {texts}: {error}") from None
    spelt = {name.lower(): name for name in types}
    computed = {spelt[name]: types[spelt[name]] for name in expressions}
    collated = relation.database.collated(extended.with_expressions, computed)
    return replace(
        extended,
        types={**relation.types, **computed},
        expressions={spelt[name]: text for name, text in expressions.items()},
        collated=[*relation.collated, *collated],
    )


def expression(relation: Relation, text: str) -> Expression | None:
    """Return the expression that a text computes from a row; None if it is, or must be, the name of a column."""
    if relation.is_known and relation.has(relation.bare(text)):
        return None
    parsed = expression_of(text, relation.dialect)
    if parsed is not None and parsed.is_path and not (relation.is_known and relation.has(parsed.reads[0])):
        return None
    return parsed


def lacking_columns(relation: Relation, expression: Expression) -> list[str]:
    """Return the columns that an expression reads and the relation has not, and a field that its column has not."""
    missing = [name for name in expression.reads if not relation.has(name)]
    if missing or not expression.is_path:
        return missing
    _, *fields = split_name(expression.sql, relation.dialect)
    type_ = (relation.types or {}).get(str(relation.find(expression.reads[0])), "")
    type_words = re.findall(r'"[^"]+"|\w+', type_.lower())
    is_there = all({name, f'"{name}"'} & {*type_words} for name in (relation.bare(field).lower() for field in fields))
    is_lacking = type_.upper().startswith("STRUCT") or type_ == "VARCHAR" or is_no_text(type_)
    return [expression.sql] if is_lacking and not is_there else []


def has_column(relation: Relation, text: str) -> bool:
    """Return whether a relation has a column, or the column that a field is of, as ``source`` of ``source.seg``."""
    if relation.has(relation.bare(text)):
        return True
    try:
        parsed = expression(relation, text)
    except UsageError:  # no SQL, so the name of a column that another relation may have
        return False
    return parsed is not None and parsed.is_path and not lacking_columns(relation, parsed)


def column_or_expression(relation: Relation, meaning: str, text: str, dialect: Dialect) -> str:
    """Return a text, a column or an expression over the row, as statements of the dialect write it."""
    if not relation.is_known:
        computed = expression_of(text, dialect)
        if computed is None and not dialect.canonical:
            return identifier(text, dialect)
        is_name = computed is None or computed.is_path
        return quote_canonically(text, dialect) if is_name and dialect.canonical else text
    name = relation.find(relation.bare(text))
    if name is not None:
        return identifier(relation.column(name), dialect)
    computed = expression(relation, text)
    missing = [text] if computed is None else lacking_columns(relation, computed)
    if computed is None or missing:
        raise no_column(missing[0], meaning, [relation], shortened(text) if computed else "")
    return typed_sql(relation, meaning, computed)


def no_column(name: str, meaning: str, relations: Sequence[Relation], expression: str = "") -> DataError:
    """Return an error that says which columns there are, and the nearest.

    Args:
        name: the column that is not there.
        meaning: what it is for.
        relations: where it was looked for.
        expression: the SQL that reads it.
    """
    columns = list(dict.fromkeys(column for relation in relations for column in relation.source_columns))
    bare = relations[0].bare(name)
    hint = nearest(bare, columns)
    suggestion = f" {hint}" if hint.startswith("Did you mean") else ""
    labels = ", ".join(relation.label for relation in relations)
    remedy = ""
    if relations[0].role == "source" and not expression:
        of_both = meaning in ("request", "item", "time", "user")
        of_events = f", or for the events {advise('rule', 'event_columns', {meaning: 'NAME'})}" if of_both else ""
        remedy = f" Pass {advise('rule', meaning, 'NAME')}{of_events}." if meaning not in _OF_GROUPS else ""
        if meaning == "queries":
            remedy = f" Pass {advise('rule', 'queries', f'SELECT NAME AS {bare}, * FROM {relations[0].label}')}."
    elif (bare == meaning or relations[0].side == "query_list") and not expression:
        key = relations[0].key(meaning)
        remedy = f" Pass {advise('columns', key, 'NAME')}."
    if bare == meaning == "relevance" and relations[0].role == "qrels" and not expression:
        remedy += f" If every row is a relevant item, pass {advise('columns', 'qrels.relevance', '1')}."
    if bare == meaning == "score" and not expression:
        remedy += f" If the run has positions, pass {advise('columns', 'position', 'NAME')}."
    purpose = f"{meaning} ({expression})" if expression else meaning
    return DataError(f"{labels}: no column {bare!r} for {purpose}. Columns: {', '.join(columns)}.{suggestion}{remedy}")
