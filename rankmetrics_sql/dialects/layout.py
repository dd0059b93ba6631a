"""How a translated statement is laid out: stages apart from each other, and what fits on a line on one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WIDTH = 100  # of a line, beside what it is indented by

# Sqlglot's, which only one module imports: a generator, and a node of a tree.
_Generator = Any
_Node = Any

# What stands on one line if it fits.
_SHORT = ("Case", "Paren", "Where", "Group", "Order", "Join")


class Layout:
    """Our layout, put between a generator of sqlglot and its own writers.

    Not as a subclass, which the compiled generators of sqlglot[c] cannot have, but in the table by which a generator
    finds the writer of a node.
    """

    def __init__(self, generator: _Generator, *, empty_lines: bool, comments: Mapping[str, str]) -> None:
        """Changes the generator.

        Args:
            generator: of the dialect, pretty.
            empty_lines: whether an empty line may stand between two stages.
            comments: what stands on a line of its own above a stage, by its name.
        """
        from sqlglot import exp

        self._gap = "\n\n" if empty_lines else "\n"
        self._comments = comments
        self._writers = dict(generator._dispatch)
        ours = {exp.With: self._with, exp.Select: self._select, **{getattr(exp, name): self._short for name in _SHORT}}
        generator._dispatch = {**self._writers, **ours}

    def _with(self, generator: _Generator, expression: _Node) -> str:
        """The stages, each apart from the next; within a stage an empty line would be indented."""
        statement = expression.parent
        apart = self._gap[1:] if statement is None or statement.parent is None else ""
        recursive = "RECURSIVE " if generator.CTE_RECURSIVE_KEYWORD_REQUIRED and expression.recursive else ""
        stages = f",{self._gap}".join(self._stage(generator, stage) for stage in expression.expressions)
        keyword = f"WITH {recursive}"
        return f"{keyword.rstrip()}\n{stages}{apart}" if stages.startswith("--") else f"{keyword}{stages}{apart}"

    def _stage(self, generator: _Generator, stage: _Node) -> str:
        """A stage below the comment that says what it is."""
        about = self._comments.get(stage.alias)
        return generator.sql(stage) if about is None else f"-- {about}\n{generator.sql(stage)}"

    def _select(self, generator: _Generator, expression: _Node) -> str:
        """A row of constants or a small SELECT on a line; one that joins or has several columns has a line for each."""
        if all(_is_constant(column) for column in expression.expressions):
            return self._short(generator, expression, 2 * WIDTH)
        small = not expression.args.get("joins") and len(expression.expressions) < 3 and not expression.ctes
        return (self._short if small else self._theirs)(generator, expression)

    def _short(self, generator: _Generator, expression: _Node, width: int = WIDTH) -> str:
        """What is written, on one line if it fits; what begins with a space is a clause, and begins a line."""
        if not generator.pretty:
            return self._theirs(generator, expression)
        generator.pretty = False
        line = self._theirs(generator, expression)
        generator.pretty = True
        if max(map(len, line.split(generator.SENTINEL_LINE_BREAK))) > width:
            return self._theirs(generator, expression)
        return f"\n{line[1:]}" if line.startswith(" ") else line

    def _theirs(self, generator: _Generator, expression: _Node) -> str:
        return str(self._writers[type(expression)](generator, expression))


def _is_constant(column: _Node) -> bool:
    """Whether a column is a number, a text or NULL, with or without a type."""
    from sqlglot import exp

    value = column.unalias()
    return isinstance(value.this if isinstance(value, exp.Cast) else value, exp.Literal | exp.Null)
