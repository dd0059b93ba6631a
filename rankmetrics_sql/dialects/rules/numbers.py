"""Numbers are doubles, and what is too small for one is 0."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..dialect import Dialect
from .nodes import inside_out, type_named


def write_logarithms(tree: Any, dialect: Dialect) -> None:
    """LOG2 of a double is missing, or of another type, in several engines.

    The quotient is a double, and so is what is divided by it: neither needs a cast.
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
    """A power that is too small for a double is 0, or about 0, and no error."""
    from sqlglot import exp

    for power in inside_out(tree, exp.Pow):
        base, exponent = power.this, power.expression
        if isinstance(exponent.this if isinstance(exponent, exp.Neg) else exponent, exp.Literal) or _is_whole(base):
            continue
        nothing = exp.func("NULLIF", base.copy(), exp.Literal.number(0))
        logarithm = exp.Mul(this=exp.paren(exponent.copy()), expression=exp.Ln(this=nothing))
        tiny = exp.LT(this=logarithm, expression=exp.Literal.number(-700))
        power.replace(exp.Case(ifs=[exp.If(this=tiny, true=exp.Literal.number(0))], default=power.copy()))
    for power in inside_out(tree, exp.Exp):
        if not isinstance(power.this, exp.Avg | exp.Case):
            power.set("this", exp.Greatest(this=power.this.copy(), expressions=[exp.Literal.number(-700)]))


def _is_whole(base: Any) -> bool:
    """Whether a base is 2, as in gains: its powers are large rather than small."""
    from sqlglot import exp

    value = base.this if isinstance(base, exp.Cast) else base
    return isinstance(value, exp.Literal) and value.is_int


def power_by_name(tree: Any, dialect: Dialect) -> None:
    """POWER, as every manual has it: ibis makes sqlglot write POW for PostgreSQL and its relatives."""
    from sqlglot import exp

    if dialect.power_function:
        for power in inside_out(tree, exp.Pow):
            power.replace(exp.Anonymous(this="POWER", expressions=[power.this, power.expression]))


def translate_nan(tree: Any, dialect: Dialect) -> None:
    """Where no function says whether a number is NaN, it equals itself, or does not exist at all."""
    from sqlglot import exp

    for known in inside_out(tree, exp.Nullif):
        if _is_nan(known.expression) and (dialect.nan == "none" or not dialect.nan_as_null):
            known.replace(known.this)
        elif _is_nan(known.expression) and dialect.nan == "function":
            nothing = exp.If(this=exp.IsNan(this=known.this), true=exp.null())
            known.replace(exp.Case(ifs=[nothing], default=known.this.copy()))
    for guarded in inside_out(tree, exp.Case):
        if _is_unless_nan(guarded) and (dialect.nan == "none" or not dialect.nan_as_null):
            guarded.replace(guarded.args["ifs"][0].args["true"])
    for test in inside_out(tree, exp.IsNan):
        if dialect.nan == "equal":
            test.replace(exp.EQ(this=test.this, expression=exp.cast(exp.Literal.string("NaN"), "double")))
        elif dialect.nan == "none":
            test.replace(exp.NEQ(this=test.this, expression=test.this.copy()))


def nan_is_unequal(tree: Any, _dialect: Dialect) -> None:
    """Vertica's Numeric Expressions: every comparison with a NaN is false, even with itself."""
    from sqlglot import exp

    for test in inside_out(tree, exp.IsNan):
        test.replace(exp.Not(this=exp.paren(exp.EQ(this=test.this, expression=test.this.copy()))))


def _is_unless_nan(value: Any) -> bool:
    """Whether it is nothing but a value that is NULL where another is NaN."""
    from sqlglot import exp

    [first, *others] = value.args["ifs"]
    is_guard = isinstance(first.this, exp.Not) and isinstance(first.this.this, exp.IsNan)
    return is_guard and not others and value.args.get("default") is None


def _is_nan(value: Any) -> bool:
    from sqlglot import exp

    return isinstance(value, exp.Cast) and isinstance(value.this, exp.Literal) and value.this.this == "NaN"


def name_types(tree: Any, dialect: Dialect) -> None:
    """Casts name the types of the manual."""
    from sqlglot import exp

    texts, doubles, floats = (exp.DType.VARCHAR, exp.DType.TEXT), (exp.DType.DOUBLE,), (exp.DType.FLOAT,)
    named = ((texts, dialect.text_type), (doubles, dialect.double_type), (floats, dialect.float32_type))
    for types, name in named:
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
