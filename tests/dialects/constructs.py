"""Every construct of the statements that are written for dialects that are only rendered, once, in DuckDB's text.

A grammar has no memory: what it reads in one place it reads in another. So of all statements there is only what is new,
names and numbers aside, and of that the few SELECTs in which every way stands that nodes of a tree are put together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from rankmetrics_sql.dialects import check_dialect, translation, transpile

from ..golden import text
from ..statements import Case, cases

CONDITION = exp.Predicate | exp.Connector | exp.Not
STANDS_FOR_ALL = "tsql"  # the templates write the same for all dialects that are only rendered, as a test says


def statements() -> Mapping[str, Case]:
    """The statements whose constructs are read, by name."""
    return cases()


@cache
def canonical() -> Mapping[str, str]:
    """The text of every statement before it is translated for a dialect without recursion, by its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(translation, "transpile", lambda sql, *_, **__: sql)
        return {name: case.by_sqlglot(STANDS_FOR_ALL) for name, case in statements().items()}


@cache
def parsed() -> list[exp.Expr]:
    """The same as trees."""
    return [sqlglot.parse_one(sql, read="duckdb") for sql in canonical().values()]


@cache
def all_selects() -> tuple[exp.Select, ...]:
    """What is new in each SELECT."""
    reduced = Reduced()
    return tuple(select for tree in parsed() for select in reduced.selects(tree))


@cache
def corpus() -> list[str]:
    """The SELECTs that hold every construct, the one that brings most for its length first."""
    features = {select.sql("duckdb"): set(ways(select)) for select in all_selects()}
    left = set().union(*features.values())
    chosen = []
    while left:
        best = max(features, key=lambda sql: len(features[sql] & left) / (200 + len(sql)))
        chosen.append(best)
        left -= features[best]
    return chosen


@cache
def translated(dialect: str) -> list[str]:
    """The corpus and one whole statement in a dialect; doubles where it refuses float32."""
    known = check_dialect(dialect)
    kept = corpus() if known.float32 else [sql.replace(" AS REAL)", " AS DOUBLE)") for sql in corpus()]
    return [*(transpile(sql, known, {}) for sql in kept), text("summary", dialect).rstrip().removesuffix(";")]


def ways(tree: exp.Expr) -> Iterator[tuple[Any, ...]]:
    """How the nodes of a tree are put together: each in its parent and grandparent, and what each has."""
    for node in tree.walk():
        line = [node, node.parent, node.parent and node.parent.parent]
        yield tuple((_kind(one), one.arg_key) for one in line if one is not None)
        yield (_kind(node), *sorted(name for name, part in node.args.items() if part not in (None, False, [])))
        for name, part in node.args.items():
            if name != "this" and isinstance(part, str | bool):
                yield _kind(node), name, part


def _kind(node: exp.Expr) -> str:
    """The class of a node; a type, a function and a literal are more than that."""
    if isinstance(node, exp.DataType):
        return node.sql()
    if isinstance(node, exp.Anonymous):
        return f"function {node.name.upper()}"
    if isinstance(node, exp.Literal):
        return "text" if node.is_string else "number"
    return type(node).__name__


class Reduced:
    """Statements cut down to what is new in them: names and numbers aside, nothing stands twice."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._seen: set[object] = set()
        self._kept: set[object] = set()

    def selects(self, tree: exp.Expr) -> Iterator[exp.Select]:
        """The SELECTs of a statement as far as they are new."""
        for select in list(tree.find_all(exp.Select)):
            alone = select.copy()
            alone.set("with_", None)
            if self._is_new(alone):
                short = self._shortened(alone)
                columns = {self._shape(column): column for column in reversed(short.expressions)}
                short.set("expressions", list(columns.values()))
                if (shape := self._shape(short)) not in self._kept:
                    self._kept.add(shape)
                    yield short

    def _is_new(self, node: Any) -> bool:
        shape = self._shape(node)
        new = shape not in self._seen
        self._seen.add(shape)
        return new

    def _shape(self, node: Any) -> Any:
        """A number for all nodes that differ in names and numbers only."""
        if isinstance(node, list):
            return tuple(map(self._shape, node))
        if not isinstance(node, exp.Expression):
            return node
        if isinstance(node, exp.Column | exp.Identifier):
            shape = "name"
        elif isinstance(node, exp.Literal):
            shape = ("literal", node.is_string)
        elif isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal):
            shape = "number"
        else:
            parts = ((name, self._shape(part)) for name, part in sorted(node.args.items()) if part not in (None, []))
            shape = (type(node).__name__, *parts)
        return self._numbers.setdefault(shape, len(self._numbers))

    def _shortened(self, node: Any) -> Any:
        """The node with a plain column, or a plain condition, for every expression that has been seen."""
        is_value = isinstance(node, exp.Case | exp.Func | exp.Paren | exp.Binary | exp.Window)
        if is_value and not isinstance(node, exp.If) and not self._is_new(node):
            seen = exp.column("seen")
            return exp.EQ(this=seen, expression=seen.copy()) if isinstance(node, CONDITION) else seen
        for name, part in list(node.args.items()):
            if isinstance(node, exp.Window) and name == "this":  # a plain column is no function
                self._shortened(part)
            elif isinstance(part, list):
                node.set(name, [self._shortened(each) if isinstance(each, exp.Expression) else each for each in part])
            elif isinstance(part, exp.Expression):
                node.set(name, self._shortened(part))
        return node
