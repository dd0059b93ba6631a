"""Casts that a division does not need: where one side is a double, engines divide doubles anyway."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..dialect import Dialect


def mark_quotients(tree: Any, _dialect: Dialect) -> None:
    """Mark the divisions of doubles, which sqlglot then writes without a cast."""
    from sqlglot import exp

    stages = {stage.alias for stage in tree.ctes}
    doubles = _double_columns(tree, stages)
    for quotient in tree.find_all(exp.Div):
        select = quotient.parent_select
        known = doubles if select is not None and _reads_stages(select, stages) else ()
        if _is_double(quotient.left, known) or _is_double(quotient.right, known):
            quotient.set("typed", True)


def _double_columns(tree: Any, stages: Collection[str]) -> set[str]:
    """Return the names of columns that are doubles wherever they stand.

    All are, until one is made of something else, directly or by another that is not; the columns of the user's tables
    are of any type.
    """
    from sqlglot import exp

    made: dict[str, list[tuple[Any, bool]]] = {}
    for select in tree.find_all(exp.Select):
        of_stages = _reads_stages(select, stages)
        for column in select.expressions:
            if isinstance(column, exp.Alias | exp.Column) and not isinstance(column.unalias(), exp.Null):
                made.setdefault(column.alias_or_name, []).append((column.unalias(), of_stages))
    doubles: set[str] = set()
    found = set(made)
    while found != doubles:
        doubles = found
        found = {
            name
            for name in doubles
            if all(_is_double(value, doubles if of_stages else ()) for value, of_stages in made[name])
        }
    return doubles


def _reads_stages(select: Any, stages: Collection[str]) -> bool:
    """Whether a SELECT reads nothing but stages, and subqueries of them."""
    from sqlglot import exp

    sources = [source.this for source in (select.args.get("from_"), *select.args.get("joins", ())) if source]
    tables = [one for one in sources if not isinstance(one, exp.Subquery)]
    return all(isinstance(one, exp.Table) and one.name in stages for one in tables)


def _is_double(node: Any, doubles: Collection[str]) -> bool:
    """Whether a value is a double in every engine: by its cast, or by what it is computed from."""
    from sqlglot import exp

    if isinstance(node, exp.Cast):
        return bool(node.is_type(exp.DType.DOUBLE))
    if isinstance(node, exp.Column):
        return node.name in doubles
    if isinstance(node, exp.Div):
        return True
    if isinstance(node, exp.Anonymous):
        return node.name.upper() == "POWER" and _is_double(node.expressions[0], doubles)
    if isinstance(node, exp.Add | exp.Sub | exp.Mul):
        return _is_double(node.left, doubles) or _is_double(node.right, doubles)
    if isinstance(node, exp.Greatest):
        return any(_is_double(one, doubles) for one in (node.this, *node.expressions))
    if isinstance(node, exp.Case):
        values = [*(branch.args["true"] for branch in node.args["ifs"]), node.args.get("default")]
        others = [one for one in values if one not in (None, exp.null(), exp.Literal.number(0))]
        return bool(others) and all(_is_double(one, doubles) for one in others)
    aggregates = exp.Max | exp.Min | exp.Sum | exp.Avg | exp.Window
    functions = exp.Paren | exp.Neg | exp.Abs | exp.Exp | exp.Ln | exp.Sqrt | exp.Pow | exp.Nullif
    return isinstance(node, aggregates | functions) and _is_double(node.this, doubles)
