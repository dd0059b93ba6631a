"""What sqlglot does not know of the dialects: one small rule for each way in which they would give another number.

Every rule changes a tree of DuckDB's text in place, before sqlglot writes it. The templates of ``sql/macros/compat`` do
the same for dbt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

# Whose doubles have an underflow error instead of 0.
_UNDERFLOWING = ("postgres", "redshift")

# What says whether a number is NaN where no function does: it equals itself there, or does not exist at all.
_NAN_EQUALS_ITSELF = ("datafusion", "postgres", "redshift", "snowflake")
WITHOUT_NAN = ("mysql", "sqlite", "tsql", "fabric", "oracle", "teradata")

# How text is ordered by its bytes where the default is a language's order.
_BYTE_COLLATIONS = {"postgres": '"C"', "sqlite": "BINARY", "tsql": "Latin1_General_100_BIN2_UTF8"}

# Whose windows know ROWS only.
_WITHOUT_RANGE = ("redshift", "teradata")

# A text in UTF-8, whatever the column's own character set.
_UTF8 = "CHAR CHARACTER SET utf8mb4"

# Our names of the columns that are compared with each other, and come back in the result.
_KEY = re.compile(r"run_id|query_id(_\d+)?|item_id|subtopic|group_\d+")


def make_portable(tree: Any, dialect: str, keys: Collection[str] | None = None) -> None:
    """Changes a statement so that its translation gives the same numbers.

    Args:
        tree: the statement, parsed as DuckDB's.
        dialect: what it is to be written in.
        keys: the user's columns whose text is compared; None for all that name queries, items, runs and groups.
    """
    _without_hints(tree)
    _without_order_of_addition(tree)
    _nulls_where_they_stand(tree)
    _collations(tree, dialect)
    _compare_by_bytes(tree, dialect, keys)
    _order_by_bytes(tree, dialect)
    for rule in (_logarithms, _powers, _power_by_name, _nan, _fingerprints, _named_columns, _frames):
        rule(tree, dialect)


def _without_hints(tree: Any) -> None:
    """Hints are for DuckDB's optimizer."""
    from sqlglot import exp

    for cte in tree.find_all(exp.CTE):
        cte.set("materialized", None)


def _without_order_of_addition(tree: Any) -> None:
    """An order within AVG or SUM is for DuckDB's threads; few others take one."""
    from sqlglot import exp

    for aggregate in tree.find_all(exp.Avg, exp.Sum):
        if isinstance(aggregate.this, exp.Order):
            aggregate.set("this", aggregate.this.this)


def _nulls_where_they_stand(tree: Any) -> None:
    """Keys without a NULL need no word about NULLs, which some dialects only know as a detour."""
    from sqlglot import exp

    for key in tree.find_all(exp.Ordered):
        if not key.args.get("desc"):
            key.set("nulls_first", True)


def _logarithms(tree: Any, _dialect: str) -> None:
    """LOG2 of a double is missing, or of another type, in several engines."""
    from sqlglot import exp

    for log in _inside_out(tree, exp.Log):
        if log.expression is not None:
            two = exp.cast(exp.Literal.number(2), "double")
            log.replace(exp.paren(exp.Div(this=exp.Ln(this=log.expression), expression=exp.Ln(this=two))))


def _powers(tree: Any, dialect: str) -> None:
    """A power that is too small for a double is 0, or about 0."""
    from sqlglot import exp

    if dialect not in _UNDERFLOWING:
        return
    for power in _inside_out(tree, exp.Pow):
        base, exponent = power.this, power.expression
        if isinstance(exponent, exp.Literal) or _is_whole(base):
            continue
        nothing = exp.func("NULLIF", base.copy(), exp.Literal.number(0))
        logarithm = exp.Mul(this=exp.paren(exponent.copy()), expression=exp.Ln(this=nothing))
        tiny = exp.LT(this=logarithm, expression=exp.Literal.number(-700))
        power.replace(exp.Case(ifs=[exp.If(this=tiny, true=exp.Literal.number(0))], default=power.copy()))
    for power in _inside_out(tree, exp.Exp):
        if not isinstance(power.this, exp.Avg | exp.Case):
            power.set("this", exp.Greatest(this=power.this.copy(), expressions=[exp.Literal.number(-700)]))


def _power_by_name(tree: Any, dialect: str) -> None:
    """POWER, as every manual has it: ibis makes sqlglot write POW for PostgreSQL and its relatives."""
    from sqlglot import exp

    if dialect == "teradata":  # has an operator, which sqlglot takes
        return
    for power in _inside_out(tree, exp.Pow):
        power.replace(exp.Anonymous(this="POWER", expressions=[power.this, power.expression]))


def _is_whole(base: Any) -> bool:
    """Whether a base is 2, as in gains: its powers are large rather than small."""
    from sqlglot import exp

    value = base.this if isinstance(base, exp.Cast) else base
    return isinstance(value, exp.Literal) and value.is_int


def _nan(tree: Any, dialect: str) -> None:
    from sqlglot import exp

    for test in _inside_out(tree, exp.IsNan):
        if dialect in _NAN_EQUALS_ITSELF:
            test.replace(exp.EQ(this=test.this, expression=exp.cast(exp.Literal.string("NaN"), "double")))
        elif dialect in WITHOUT_NAN:
            test.replace(exp.NEQ(this=test.this, expression=test.this.copy()))


def _fingerprints(tree: Any, dialect: str) -> None:
    """HASH of several columns becomes their texts, each after its length, so that no two rows have the same."""
    from sqlglot import exp

    for function in _inside_out(tree, exp.Anonymous):
        if function.name.upper() != "HASH":
            continue
        parts: list[Any] = []
        for column in function.expressions:
            text = _bytes_of(column) if dialect == "mysql" else exp.cast(column, "varchar")
            length = exp.cast(exp.Length(this=text.copy()), "varchar")
            parts += [length, exp.Literal.string(":"), text]
        joined = parts[0]
        for part in parts[1:]:
            joined = exp.DPipe(this=joined, expression=part, safe=True)
        function.replace(joined)


def _named_columns(tree: Any, dialect: str) -> None:
    """A column of a join keeps its relation as a part of its name, unless it is given one."""
    from sqlglot import exp

    if dialect != "clickhouse":
        return
    for select in tree.find_all(exp.Select):
        named = [
            exp.alias_(one, one.name) if isinstance(one, exp.Column) and one.table else one
            for one in select.expressions
        ]
        select.set("expressions", named)


def _frames(tree: Any, dialect: str) -> None:
    """The rows down to a row and its equals are all rows without those that come before in the opposite order."""
    from sqlglot import exp

    if dialect not in _WITHOUT_RANGE:
        return
    for window in _inside_out(tree, exp.Window):
        frame = window.args.get("spec")
        if frame is None or frame.args.get("kind") != "RANGE":
            continue
        partition, order = window.args["partition_by"], window.args["order"].copy()
        for key in order.expressions:
            key.set("desc", not key.args.get("desc"))
            key.set("nulls_first", not key.args.get("nulls_first"))
        count = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[key.copy() for key in partition])
        rank = exp.Window(this=exp.Anonymous(this="RANK"), partition_by=[key.copy() for key in partition], order=order)
        one_more = exp.Add(this=count, expression=exp.Literal.number(1))
        window.replace(exp.paren(exp.Sub(this=one_more, expression=rank)))


def _collations(tree: Any, dialect: str) -> None:
    """A column that is known to need the order of bytes has DuckDB's word for that."""
    from sqlglot import exp

    for collated in _inside_out(tree, exp.Collate):
        if dialect in _BYTE_COLLATIONS:
            collated.set("expression", exp.Var(this=_BYTE_COLLATIONS[dialect]))
        else:
            collated.replace(collated.this)


def _compare_by_bytes(tree: Any, dialect: str, keys: Collection[str] | None) -> None:
    """Where text is equal in spite of case, accents or trailing spaces, ids are compared as bytes and shown as text."""
    from sqlglot import exp

    if dialect not in ("mysql", "sqlite", "teradata", "tsql"):
        return
    wrapped = set()
    for column in _inside_out(tree, exp.Column):
        alias = column.parent.alias if isinstance(column.parent, exp.Alias) else ""
        is_key = bool(_KEY.fullmatch(alias)) if keys is None else column.name in keys
        if column.table == "s" and is_key:
            wrapped.add(alias)
            column.replace(_as_key(column.copy(), dialect))
    for literal in _inside_out(tree, exp.Literal):
        if literal.is_string and isinstance(literal.parent, exp.Alias) and literal.parent.alias == "run_id":
            wrapped.add("run_id")
            literal.replace(_as_key(literal.copy(), dialect))
    if dialect == "mysql" and tree.args.get("with_"):
        tree.set("expressions", [_shown(column, wrapped) for column in tree.expressions])


def _as_key(value: Any, dialect: str) -> Any:
    from sqlglot import exp

    if dialect == "mysql":
        return _bytes_of(value)
    if dialect == "sqlite":  # any value takes a collation here, and a number stays one
        return exp.Collate(this=value, expression=exp.Var(this=_BYTE_COLLATIONS[dialect]))
    text = exp.cast(value, "varchar")
    if dialect not in _BYTE_COLLATIONS:  # a type says it instead
        return text
    return exp.Collate(this=text, expression=exp.Var(this=_BYTE_COLLATIONS[dialect]))


def _bytes_of(value: Any) -> Any:
    """The bytes of a text, the same for one text in two character sets."""
    from sqlglot import exp

    return exp.cast(_in_utf8(value), "binary")


def _in_utf8(value: Any) -> Any:
    from sqlglot import exp

    return exp.Cast(this=value, to=exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=_UTF8))


def _shown(column: Any, keys: Iterable[str]) -> Any:
    """A column of the result; a key is text again."""
    from sqlglot import exp

    if column.unalias().name not in keys:
        return column
    return exp.alias_(_in_utf8(column.unalias().copy()), column.alias_or_name)


def _order_by_bytes(tree: Any, dialect: str) -> None:
    """Where text has a language's order, ids that break ties have that of their bytes."""
    from sqlglot import exp

    for node in tree.find_all(exp.Ordered, exp.GT, exp.LT):
        for side in ("this", "expression"):
            key = node.args.get(side)
            if isinstance(key, exp.Cast) and key.is_type("varchar", "text"):
                node.set(side, _ordered_by_bytes(key, dialect))


def _ordered_by_bytes(key: Any, dialect: str) -> Any:
    from sqlglot import exp

    if dialect == "mysql":
        return exp.cast(key.this, "binary")
    if dialect in _BYTE_COLLATIONS:
        return exp.Collate(this=key, expression=exp.Var(this=_BYTE_COLLATIONS[dialect]))
    return key


def _inside_out(tree: Any, kind: Any) -> list[Any]:
    """The nodes of a kind, the innermost first, so that one can be replaced without losing another."""
    return list(tree.find_all(kind))[::-1]
