"""The statement of a source, and the columns of the user's tables that its rows keep: arms, groups, clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..dialects import Dialect
from ..dialects.names import unquoted
from ..errors import DataError, UsageError, advise
from ..inputs.expressions import column_or_expression, computing, expression, has_column, lacking_columns, no_column
from ..relation import Relation
from ..templates import macros


@dataclass(frozen=True)
class Statement:
    """A macro of the templates, and the arguments of the source that it takes.

    Attributes:
        macro: its name.
        arguments: the names of its arguments.
        select: the macro that makes a statement of the log that the first macro returns.
    """

    macro: str
    arguments: Sequence[str]
    select: str | None = None


def add_time_column(
    read: Mapping[str, Relation], name: str | None, moment: str | None, *, queries: bool
) -> dict[str, Relation]:
    """Return the relations with a column for a time that is SQL over the row.

    Args:
        read: the relations of a source; the first has what was shown.
        name: what the column is called.
        moment: SQL over the row; None where the time is a column of the user's.
        queries: whether there is a table of all requests.
    """
    if name is None or moment is None:
        return dict(read)
    first = next(iter(read))
    having = []
    for side in (first, *(["queries"] if queries else [])):
        computed = expression(read[side], moment)
        if computed is not None and not lacking_columns(read[side], computed):
            having.append(side)
    if not having:
        column_or_expression(read[first], "time", moment, read[first].dialect)
    columns = {}
    for side in having if read[first].is_known else [first]:
        relation = computing(read[side], {name: moment})
        columns[side] = replace(relation, sql=relation.with_expressions, expressions={})
    return {**read, **columns}


def add_fields(
    read: Mapping[str, Relation], fields: Mapping[str, str] | None
) -> tuple[dict[str, Relation], dict[str, str]]:
    """Return the relations with the columns that the statement makes of attributes, and these columns.

    A column of the table comes before a field of that name.

    Args:
        read: the relations of a source; the first has the attributes.
        fields: the attributes by the names of their columns.
    """
    first, relation = next(iter(read.items()))
    if relation.types is None:
        return dict(read), dict(fields or {})
    made = {name: attribute for name, attribute in (fields or {}).items() if not relation.has(name)}
    return {**read, first: replace(relation, types={**relation.types, **dict.fromkeys(made, "VARCHAR")})}, made


def keep_rows(read: Mapping[str, Relation], where: str | None, of_actions: str | None) -> dict[str, Relation]:
    """Return the relations of a source, the first with only the impressions for which a condition is true.

    ``of_actions`` is SQL that is true of the rows of that relation that are no impressions, if it has any.
    """
    if where is None:
        return dict(read)
    first, relation = next(iter(read.items()))
    condition = column_or_expression(relation, "where", where, relation.dialect)
    condition = condition if of_actions is None else f"{of_actions} OR ({condition})"
    return {**read, first: replace(relation, sql=f"(SELECT * FROM {relation.sql} s WHERE {condition})")}


class RowLayout(NamedTuple):
    """The names that the rows of a source use.

    Attributes:
        label: the name of the source in messages.
        order: the column that orders items.
        keys: the columns that name a query, as statements write them.
        log: the statement that describes the log, if the source is a log.
        columns: the user's columns by their meanings.
    """

    label: str
    order: str
    keys: Sequence[str]
    log: Statement | None
    columns: Mapping[str, str]


def context_columns(
    by: Sequence[str],
    sides: Mapping[str, Relation],
    names_by_argument: Mapping[str, tuple[str, str]],
    rows: RowLayout,
    dialect: Dialect,
) -> dict[str, list[str]]:
    """Return the user's columns that the rows keep, as statements write them, by the argument that takes them.

    Args:
        by: the columns that an evaluation names.
        sides: the relations that may have them, by the argument of their columns.
        names_by_argument: as ``Rows.wanted``.
        rows: what the rows are.
        dialect: whose SQL.
    """
    texts_by_argument: dict[str, list[str]] = {argument: [] for argument in sides}
    for name in dict.fromkeys(filter(None, by)):
        argument, side = names_by_argument.get(name, ("by", ""))
        having = [side] if side else [key for key, relation in sides.items() if has_column(relation, name)]
        if not having and rows.log is not None:
            check_column(name, argument, list(sides.values()), rows.columns)
        for key in having or ["context"]:
            text = column_or_expression(sides[key], argument, name, dialect)
            check_context_column(rows.label, name, argument, text, rows.order, sides[key])
            if text in rows.keys:
                continue
            _check_alone(rows.label, argument, name, [*rows.keys, *texts_by_argument[key]], text)
            texts_by_argument[key].append(text)
    return texts_by_argument


def name_in_rows(column: str, tables: Sequence[Relation], keys: Sequence[str], dialect: Dialect) -> str:
    """Return the name in the rows of a column that they keep; of a field, its last part.

    Args:
        column: as the user writes it.
        tables: the tables of the source.
        keys: the columns that name a query, as statements write them.
        dialect: whose SQL.
    """
    table = next((one for one in tables if has_column(one, column)), None)
    if table is None or not table.is_known or table.find(table.bare(column)) is not None:
        return column
    text = column_or_expression(table, "by", column, dialect)
    labels = macros()["rm_query_labels"](keys)
    return str(labels[keys.index(text)] if text in keys else macros()["rm_last_part"](text))


def _check_alone(label: str, argument: str, name: str, other_names: Sequence[str], text: str) -> None:
    """Refuse a field of a column that has the name of another column of the rows, or the reverse."""
    part = macros()["rm_last_part"]
    same = [other for other in other_names if str(part(other)).lower() == str(part(text)).lower() and other != text]
    if same and {part(same[0]), part(text)} != {same[0], text}:
        raise UsageError(
            f"{label}: {argument}: {name!r} and {same[0]!r} would be two columns called {part(text)!r}. Compute one"
            f" under another name in a SELECT in place of the table, as in SELECT *, {name} AS my_column FROM ..."
        )


def check_column(
    name: str, argument: str, tables: Sequence[Relation], columns: Mapping[str, str] | None = None
) -> None:
    """Refuse a column that no table of a log has.

    Args:
        name: the column, as the user writes it.
        argument: what names it.
        tables: the impressions, and the table of all requests if there is one.
        columns: the user's columns by their meanings, one of which may have been passed in place of its column.
    """
    if expression(tables[0], name) is not None:
        return  # SQL over the row is refused as such
    how = ""
    meant = (columns or {}).get(name)
    if meant is not None and any(has_column(table, meant) for table in tables):
        how = f" The {name} of this log is the column {meant!r}. Pass {advise('argument', argument, meant)}."
    elif len(tables) == 1 and argument != "arm":
        how = (
            f" If another table has it for each request, pass {advise('rule', 'requests', 'logged')}"
            f" and {advise('rule', 'queries', 'TABLE')}."
        )
    raise DataError(f"{no_column(name, argument, tables)}{how}")


def check_context_column(label: str, name: str, argument: str, text: str, order: str, table: Relation) -> None:
    """Refuse SQL over the row, which has no name in the rows, and a name that the rows need.

    Args:
        label: the name of the source in messages.
        name: the column, as the user writes it.
        argument: what names it.
        text: the column as statements write it.
        order: what orders the items of the rows.
        table: whose row it is of.
    """
    if not macros()["rm_is_column"](text):
        argument_name = argument if argument in ("arm", "cluster", "weight") else "segment"
        new = f"new_{argument_name}" if table.is_known and table.has(argument_name) else argument_name
        raise UsageError(
            f"{label}: {argument}= takes the name of a column, and {name!r} is SQL. Compute the column in a SELECT in"
            f" place of the table, as in SELECT *, {name} AS {new} FROM ..., and pass its name."
        )
    if unquoted(macros()["rm_last_part"](text), table.dialect).lower() in ("item_id", "relevance", order):
        raise UsageError(f"{label}: its rows already have a column {name!r}. Rename yours in a query.")
