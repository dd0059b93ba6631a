"""The time of a log that is SQL over the row: a column of its relations, so that it can be handed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...statements.relation import Relation
from ..expressions import column_or_expression, computing, expression, lacking_columns


def with_moment(
    read: Mapping[str, Relation], name: str | None, moment: str | None, *, queries: bool
) -> dict[str, Relation]:
    """The relations, those that have what the time reads with a column for it.

    Args:
        read: the relations of a source; the first has what was shown.
        name: what the column is called.
        moment: SQL over the row; None where the time is a column of the user's.
        queries: whether there is a table of all requests.

    Raises:
        DataError: none of them has what it reads, or the database refuses it.
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
    found = {}
    for side in having if read[first].is_known else [first]:
        relation = computing(read[side], {name: moment})
        found[side] = replace(relation, sql=relation.with_expressions, expressions={})
    return {**read, **found}
