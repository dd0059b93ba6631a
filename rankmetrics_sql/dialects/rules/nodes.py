"""Functions over nodes that several rules use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def inside_out(tree: Any, class_: Any) -> list[Any]:
    """Return the nodes of a class, the innermost first, so that one can be replaced without losing another."""
    return list(tree.find_all(class_))[::-1]


def type_named(name: str) -> Any:
    """Return a type that sqlglot writes by this name."""
    from sqlglot import exp

    return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=name)


def collated(value: Any, collation: str) -> Any:
    """Return a value with a collation."""
    from sqlglot import exp

    return exp.Collate(this=value, expression=exp.Var(this=collation))


def cast_to_text(value: Any) -> Any:
    """Return a cast to text, whose type gets the dialect's name later."""
    from sqlglot import exp

    return exp.cast(value, "varchar")


def is_text(node: Any) -> bool:
    """Whether a node is a cast to text."""
    from sqlglot import exp

    return isinstance(node, exp.Cast) and bool(node.is_type(exp.DType.VARCHAR, exp.DType.TEXT))


def ordered_texts(tree: Any) -> Iterator[tuple[Any, str, Any]]:
    """Yield the casts to text that are ordered or compared: the node, which of its sides, and the cast."""
    from sqlglot import exp

    for node in tree.find_all(exp.Ordered, exp.GT, exp.LT):
        for side in ("this", "expression"):
            if is_text(node.args.get(side)):
                yield node, side, node.args[side]
