"""Rules about clauses and aggregates that a dialect lacks, or reads in another way."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..dialect import Dialect
from .nodes import inside_out


def keep_useful_hints(tree: Any, dialect: Dialect) -> None:
    """Drop the hints to the optimizer where the dialect has none, or where they cannot let a filter pass.

    A stage that is read twice is stored, and a filter stops there. PostgreSQL then plans better with stored inputs:
    it takes a join of two tables, of which it has statistics, for fewer rows than there are.
    """
    from sqlglot import exp

    ctes = list(tree.find_all(exp.CTE))
    n_readings = Counter(table.name for table in tree.find_all(exp.Table))
    is_stored = any(
        n_readings[cte.alias] > 1 and cte.args.get("materialized") is not False and cte.this.find(exp.Table)
        for cte in ctes
    )
    if dialect.cte_hints and not is_stored:
        return
    for cte in ctes:
        cte.set("materialized", None)


def drop_order_of_addition(tree: Any, _dialect: Dialect) -> None:
    """Drop orders within AVG and SUM, and compensated sums, which are for DuckDB's threads; few engines have them."""
    from sqlglot import exp

    for aggregate in tree.find_all(exp.Avg, exp.Sum):
        if isinstance(aggregate.this, exp.Order):
            aggregate.set("this", aggregate.this.this)
    for call in inside_out(tree, exp.Anonymous):
        if call.name.upper() == "FSUM":
            call.replace(exp.Sum(this=call.expressions[0]))


def rows_as_selects(tree: Any, dialect: Dialect) -> None:
    """Write rows of numbers as SELECT, where VALUES cannot name columns, or is something else."""
    from sqlglot import exp

    if dialect.values:
        return
    for values in inside_out(tree, exp.Values):
        names = [column.name for column in values.args["alias"].columns]
        rows = [
            exp.select(*(exp.alias_(exp.cast(number, "double"), name) for name, number in zip(names, row, strict=True)))
            for row in (value.expressions for value in values.expressions)
        ]
        values.replace(exp.union(*rows, distinct=False, copy=False).subquery(values.alias, copy=False))


def nulls_where_they_stand(tree: Any, _dialect: Dialect) -> None:
    """Write no NULLS LAST for keys, which have no NULL: some dialects have it only as a detour."""
    from sqlglot import exp

    for key in tree.find_all(exp.Ordered):
        if not key.args.get("desc"):
            key.set("nulls_first", True)


def named_columns(tree: Any, _dialect: Dialect) -> None:
    """Name the columns of joins, whose names would else include their relation."""
    from sqlglot import exp

    for select in tree.find_all(exp.Select):
        columns = [
            exp.alias_(column, column.name)
            if isinstance(column, exp.Column) and column.table and not column.is_star
            else column
            for column in select.expressions
        ]
        select.set("expressions", columns)


def frames_left_out(tree: Any, _dialect: Dialect) -> None:
    """Leave out the frame that is the default: PostgreSQL counts rows along with RANK where both windows are alike."""
    from sqlglot import exp

    for frame in list(tree.find_all(exp.WindowSpec)):
        if _ends_with_equals(frame):
            frame.pop()


def _ends_with_equals(frame: Any) -> bool:
    """Whether a frame has the rows down to a row and its equals."""
    return bool(frame.sql() == "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")


def frames_of_rows(tree: Any, _dialect: Dialect) -> None:
    """Count the rows down to a row and its equals without RANGE: all rows but those before it in reverse."""
    from sqlglot import exp

    for window in inside_out(tree, exp.Window):
        frame = window.args.get("spec")
        if frame is None or not _ends_with_equals(frame):
            continue
        partition, order = window.args["partition_by"], window.args["order"].copy()
        for key in order.expressions:
            key.set("desc", not key.args.get("desc"))
            key.set("nulls_first", not key.args.get("nulls_first"))
        count = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[key.copy() for key in partition])
        rank = exp.Window(this=exp.Anonymous(this="RANK"), partition_by=[key.copy() for key in partition], order=order)
        one_more = exp.Add(this=count, expression=exp.Literal.number(1))
        window.replace(exp.paren(exp.Sub(this=one_more, expression=rank)))


def select_from_something(tree: Any, dialect: Dialect) -> None:
    """Add FROM to a SELECT without one, where the dialect demands it."""
    import sqlglot
    from sqlglot import exp

    if dialect.nothing is None:
        return
    for select in list(tree.find_all(exp.Select)):
        if select.args.get("from_") is None:
            select.set("from_", sqlglot.parse_one(f"SELECT 1 FROM {dialect.nothing}").args["from_"])


def kth_of_array(tree: Any, _dialect: Dialect) -> None:
    """Take the k-th greatest number of a group, or the k-th least, out of the sorted array of all but NaN."""
    from sqlglot import exp

    def call(name: str, *arguments: Any) -> Any:
        return exp.Anonymous(this=name, expressions=[argument.copy() for argument in arguments])

    for element in inside_out(tree, exp.Anonymous):
        if element.name.upper() != "LIST_EXTRACT":
            continue
        aggregate, k = element.expressions
        numbers = call("groupArrayIf", aggregate.this, exp.Not(this=exp.IsNan(this=aggregate.this.copy())))
        sort = "arrayPartialReverseSort" if isinstance(aggregate, exp.Max) else "arrayPartialSort"
        element.replace(call("arrayElementOrNull", call(sort, k, numbers), k))


def no_nulls_outside_windows(tree: Any, _dialect: Dialect) -> None:
    """Leave out NULLS FIRST and LAST, which Vertica's ORDER BY Clause lacks and its Window Order Clause has."""
    from sqlglot import exp

    for order in tree.find_all(exp.Order):
        if not isinstance(order.parent, exp.Window):
            for key in order.expressions:
                key.set("nulls_first", bool(key.args.get("desc")))  # as PostgreSQL does without a word
