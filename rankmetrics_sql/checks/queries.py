"""Checks of what the inputs state about each query: groups, weight and covariate must agree in all its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..dialects.names import unquoted
from ..errors import DataError
from ..inputs.expressions import PERIOD
from ..statements.relation import COVARIATE, WEIGHT, Relation
from .ask import Asker, double, is_nan
from .words import row_text, row_texts

# What a number of a query is, in words and as a condition.
_WANTED: Mapping[str, tuple[str, str]] = {
    WEIGHT: ("a number of at least 0", "{0} >= 0 AND {0} <= 1.7976931348623157e308"),
    COVARIATE: ("a number between -1e100 and 1e100", "ABS({0}) <= 1e100"),
}


def check_queries(asker: Asker) -> None:
    """Refuses a query with two groups, weights or covariates, and weights and covariates that are no such number.

    Args:
        asker: asks about the inputs.

    Raises:
        DataError: there is such a query, or such a number.
    """
    together = asker.compares and asker.query.options["design"] == "paired"
    sides = _sides(asker)
    for group in asker.query.groups:
        _check_one_value(asker, sides[group.relation], group.column, together=together)
    for meaning in _WANTED:
        for relations in sides.values():
            said = [(checked, checked.columns[meaning]) for checked in relations if checked.columns.get(meaning)]
            for checked, column in said:
                _check_number(asker, checked, meaning, column)
            if said:
                _check_one_value(asker, relations, said[0][1], together=together)


def _sides(asker: Asker) -> dict[str, Sequence[Relation]]:
    """The relations that may say something of a query."""
    one_of_each = {"qrels": asker.query.qrels, "query_list": asker.query.query_list}
    return {"run": asker.query.runs} | {side: [found] if found else [] for side, found in one_of_each.items()}


def _check_number(asker: Asker, checked: Relation, meaning: str, column: str) -> None:
    wanted, condition = _WANTED[meaning]
    number = double(column)
    unusable = f"NOT {is_nan(number)} AND NOT ({condition.format(number)})"  # NaN is NULL, a number that is not known
    if rows := asker.rows_where(checked, column, f"s.{column} IS NOT NULL AND {unusable}"):
        name = checked.shown(unquoted(column))
        raise checked.refuse(f"a {meaning} (column {name!r}) is {wanted}: {row_texts(rows)}.")


def _check_one_value(asker: Asker, relations: Sequence[Relation], column: str, *, together: bool) -> None:
    """All rows of a list say the same of it; together, those of all relations."""
    for side in [relations] if together else [[relation] for relation in relations]:
        if len(side) == 1 and column in side[0].same_in_query:
            continue
        if rows := asker.some("groups", side, column, together):
            *query, lowest, highest = rows[0]
            labels = " and ".join(relation.label for relation in side)
            if unquoted(column) == PERIOD:
                how = _how_to_take_the_first(asker, side[0])
                raise DataError(f"{labels}: query {row_text(query)} is in two periods, {lowest} and {highest}. {how}")
            raise DataError(
                f"{labels}: query {row_text(query)} has two values in {unquoted(column)}: {lowest!r} and {highest!r}."
            )


def _how_to_take_the_first(asker: Asker, relation: Relation) -> str:
    """What to write in a SELECT so that a query of a log has its first time alone."""
    source = asker.sources.get(relation.name)
    if source is None or source.time is None:
        return "A query has one time."
    keys = ", ".join(relation.texts_of("query_id"))
    first = f"MIN({source.time}) OVER (PARTITION BY {keys}) AS {source.time}"
    return f"To take its first time, pass a SELECT of the table with {first}."
