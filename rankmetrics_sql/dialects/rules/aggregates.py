"""Aggregates that other dialects write in their own way."""

from __future__ import annotations

from typing import Any

from ..dialect import Dialect
from .nodes import inside_out


def kth_of_array(tree: Any, _dialect: Dialect) -> None:
    """The k-th greatest number of a group, or the k-th least, is an element of the array of all; a NaN is no number."""
    from sqlglot import exp

    def call(name: str, *arguments: Any) -> Any:
        return exp.Anonymous(this=name, expressions=[argument.copy() for argument in arguments])

    for element in inside_out(tree, exp.Anonymous):
        if element.name.upper() != "LIST_EXTRACT":
            continue
        kept, k = element.expressions
        numbers = call("groupArrayIf", kept.this, exp.Not(this=exp.IsNan(this=kept.this.copy())))
        sort = "arrayPartialReverseSort" if isinstance(kept, exp.Max) else "arrayPartialSort"
        element.replace(call("arrayElementOrNull", call(sort, k, numbers), k))
