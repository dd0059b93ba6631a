"""Rules about numbers: they are doubles, and a power too small for a double is 0."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..dialect import Dialect
from .nodes import inside_out, type_named


def write_logarithms(tree: Any, dialect: Dialect) -> None:
    """Write LOG2 as a quotient of LN: several engines lack it, or give another type.

    The quotient is marked as a double, so that neither it nor what it divides gets a cast.
    """
    from sqlglot import exp

    for log in inside_out(tree, exp.Log):
        if log.expression is not None:
            two = exp.Literal.number(2) if dialect.logarithms_of_whole else exp.cast(exp.Literal.number(2), "double")
            quotient = exp.Div(this=exp.Ln(this=log.expression), expression=exp.Ln(this=two), typed=True)
            double = exp.paren(quotient)
            double.type = exp.DType.DOUBLE
            log.replace(double)


def guard_underflow(tree: Any, _dialect: Dialect) -> None:
    """Write powers so that one that is too small for a double is 0, or about 0, and not an error."""
    from sqlglot import exp

    for power in inside_out(tree, exp.Pow):
        base, exponent = power.this, power.expression
        if isinstance(exponent.this if isinstance(exponent, exp.Neg) else exponent, exp.Literal) or _is_whole(base):
            continue
        positive = exp.func("NULLIF", base.copy(), exp.Literal.number(0))
        logarithm = exp.Mul(this=exp.paren(exponent.copy()), expression=exp.Ln(this=positive))
        is_tiny = exp.LT(this=logarithm, expression=exp.Literal.number(-700))
        power.replace(exp.Case(ifs=[exp.If(this=is_tiny, true=exp.Literal.number(0))], default=power.copy()))
    for power in inside_out(tree, exp.Exp):
        if not isinstance(power.this, exp.Avg | exp.Case):
            power.set("this", exp.Greatest(this=power.this.copy(), expressions=[exp.Literal.number(-700)]))


def _is_whole(base: Any) -> bool:
    """Whether a base is 2, as in gains: its powers are large rather than small."""
    from sqlglot import exp

    value = base.this if isinstance(base, exp.Cast) else base
    return isinstance(value, exp.Literal) and value.is_int


def power_by_name(tree: Any, dialect: Dialect) -> None:
    """Write POWER, as every manual has it: ibis makes sqlglot write POW for PostgreSQL and its relatives."""
    from sqlglot import exp

    if dialect.power_function:
        for power in inside_out(tree, exp.Pow):
            power.replace(exp.Anonymous(this="POWER", expressions=[power.this, power.expression]))


def translate_nan(tree: Any, dialect: Dialect) -> None:
    """Write tests for NaN as the dialect has them: a function, a comparison, or none."""
    from sqlglot import exp

    for null_if in inside_out(tree, exp.Nullif):
        if _is_nan(null_if.expression) and (dialect.nan == "none" or not dialect.nan_as_null):
            null_if.replace(null_if.this)
        elif _is_nan(null_if.expression) and dialect.nan == "function":
            null_for_nan = exp.If(this=exp.IsNan(this=null_if.this), true=exp.null())
            null_if.replace(exp.Case(ifs=[null_for_nan], default=null_if.this.copy()))
    for case in inside_out(tree, exp.Case):
        if _is_unless_nan(case) and (dialect.nan == "none" or not dialect.nan_as_null):
            case.replace(case.args["ifs"][0].args["true"])
    for test in inside_out(tree, exp.IsNan):
        if dialect.nan == "equal":
            test.replace(exp.EQ(this=test.this, expression=exp.cast(exp.Literal.string("NaN"), "double")))
        elif dialect.nan == "none":
            test.replace(exp.NEQ(this=test.this, expression=test.this.copy()))


def nan_is_unequal(tree: Any, _dialect: Dialect) -> None:
    """Test for NaN by Vertica's Numeric Expressions: every comparison with a NaN is false, even with itself."""
    from sqlglot import exp

    for test in inside_out(tree, exp.IsNan):
        test.replace(exp.Not(this=exp.paren(exp.EQ(this=test.this, expression=test.this.copy()))))


def _is_unless_nan(value: Any) -> bool:
    """Whether a CASE is a value that is NULL where another value is NaN."""
    from sqlglot import exp

    [first, *rest] = value.args["ifs"]
    is_guard = isinstance(first.this, exp.Not) and isinstance(first.this.this, exp.IsNan)
    return is_guard and not rest and value.args.get("default") is None


def _is_nan(value: Any) -> bool:
    from sqlglot import exp

    return isinstance(value, exp.Cast) and isinstance(value.this, exp.Literal) and value.this.this == "NaN"


def name_types(tree: Any, dialect: Dialect) -> None:
    """Name the types of casts as the dialect's manual does."""
    from sqlglot import exp

    texts, doubles, floats = (exp.DType.VARCHAR, exp.DType.TEXT), (exp.DType.DOUBLE,), (exp.DType.FLOAT,)
    names = ((texts, dialect.text_type), (doubles, dialect.double_type), (floats, dialect.float32_type))
    for types, name in names:
        if name is not None:
            for cast in tree.find_all(exp.Cast):
                if cast.is_type(*types):
                    cast.set("to", type_named(name))


def mark_quotients(tree: Any, _dialect: Dialect) -> None:
    """Mark the divisions of doubles, which sqlglot then writes without a cast."""
    from sqlglot import exp

    stages = {stage.alias for stage in tree.ctes}
    doubles = _double_columns(tree, stages)
    for quotient in tree.find_all(exp.Div):
        select = quotient.parent_select
        columns = doubles if select is not None and _reads_stages(select, stages) else ()
        if _is_double(quotient.left, columns) or _is_double(quotient.right, columns):
            quotient.set("typed", True)


def _double_columns(tree: Any, stages: Collection[str]) -> set[str]:
    """Return the names of columns that are doubles in every SELECT.

    Begin with all, and remove columns that are made of anything else until none is left to remove; the columns of the
    user's tables are of any type.
    """
    from sqlglot import exp

    values_by_name: dict[str, list[tuple[Any, bool]]] = {}
    for select in tree.find_all(exp.Select):
        reads_stages = _reads_stages(select, stages)
        for column in select.expressions:
            if isinstance(column, exp.Alias | exp.Column) and not isinstance(column.unalias(), exp.Null):
                values_by_name.setdefault(column.alias_or_name, []).append((column.unalias(), reads_stages))
    doubles: set[str] = set()
    remaining = set(values_by_name)
    while remaining != doubles:
        doubles = remaining
        remaining = {
            name
            for name in doubles
            if all(_is_double(value, doubles if reads_stages else ()) for value, reads_stages in values_by_name[name])
        }
    return doubles


def _reads_stages(select: Any, stages: Collection[str]) -> bool:
    """Whether a SELECT reads only stages, and subqueries of them."""
    from sqlglot import exp

    sources = [source.this for source in (select.args.get("from_"), *select.args.get("joins", ())) if source]
    tables = [table for table in sources if not isinstance(table, exp.Subquery)]
    return all(isinstance(table, exp.Table) and table.name in stages for table in tables)


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
        return any(_is_double(value, doubles) for value in (node.this, *node.expressions))
    if isinstance(node, exp.Case):
        values = [*(branch.args["true"] for branch in node.args["ifs"]), node.args.get("default")]
        numbers = [value for value in values if value not in (None, exp.null(), exp.Literal.number(0))]
        return bool(numbers) and all(_is_double(value, doubles) for value in numbers)
    aggregates = exp.Max | exp.Min | exp.Sum | exp.Avg | exp.Window
    functions = exp.Paren | exp.Neg | exp.Abs | exp.Exp | exp.Ln | exp.Sqrt | exp.Pow | exp.Nullif
    return isinstance(node, aggregates | functions) and _is_double(node.this, doubles)
