"""How a translated statement is laid out: stages apart from each other, and what fits on a line on one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

WIDTH = 120  # of a line, beside what it is indented by
SHORT_COLUMN = 40  # of a column that may share its line with others; rm_lines has the same number

# Sqlglot's, which only one module imports: a generator, and a node of a tree.
_Generator = Any
_Node = Any

# What stands on one line if it fits.
_SHORT = ("Paren", "Where", "Group", "Order", "Join")


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
        ours = {exp.With: self._with, exp.Select: self._select, exp.Case: self._case, exp.Values: self._rows}
        generator._dispatch = {**self._writers, **{getattr(exp, name): self._short for name in _SHORT}, **ours}

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
        """A row of constants or a small SELECT on a line; otherwise short columns share lines."""
        if all(_is_constant(column) for column in expression.expressions):
            return self._short(generator, expression, 2 * WIDTH)
        small = not expression.args.get("joins") and len(expression.expressions) < 3 and not expression.ctes
        return self._short(generator, expression) if small else self._with_shared_lines(generator, expression)

    def _with_shared_lines(self, generator: _Generator, expression: _Node) -> str:
        """A SELECT whose columns are written first, so that several may stand on a line."""
        columns = expression.expressions
        lines = share_lines([generator.sql(column) for column in columns])
        return self._of_lines(generator, expression, lines)

    def _rows(self, generator: _Generator, expression: _Node) -> str:
        """VALUES, with as many rows on a line as fit."""
        rows = [f"({', '.join(generator.sql(value) for value in row.expressions)})" for row in expression.expressions]
        return self._of_lines(generator, expression, share_lines(rows, WIDTH))

    def _of_lines(self, generator: _Generator, expression: _Node, lines: list[str]) -> str:
        """What is written where its expressions are lines that are written already."""
        from sqlglot import exp

        own = expression.expressions
        expression.set("expressions", [exp.Var(this=line) for line in lines])
        text = self._theirs(generator, expression)
        expression.set("expressions", own)
        return text

    def _case(self, generator: _Generator, expression: _Node) -> str:
        """CASE on a line if it fits, otherwise with a line for each branch."""
        line = self._on_a_line(generator, expression)
        if line is not None:
            return line
        begin = f"CASE {generator.sql(expression, 'this')}".rstrip()
        branches = [f"WHEN {generator.sql(e, 'this')} THEN {generator.sql(e, 'true')}" for e in expression.args["ifs"]]
        default = generator.sql(expression, "default")
        lines = [begin, *branches, *([f"ELSE {default}"] if default else []), "END"]
        return str(generator.indent("\n".join(lines), skip_first=True, skip_last=True))

    def _short(self, generator: _Generator, expression: _Node, width: int = WIDTH) -> str:
        """What is written, on one line if it fits; what begins with a space is a clause, and begins a line."""
        line = self._on_a_line(generator, expression, width)
        if line is None:
            return self._theirs(generator, expression)
        return f"\n{line[1:]}" if line.startswith(" ") else line

    def _on_a_line(self, generator: _Generator, expression: _Node, width: int = WIDTH) -> str | None:
        if not generator.pretty:
            return self._theirs(generator, expression)
        generator.pretty = False
        line = self._theirs(generator, expression)
        generator.pretty = True
        return line if max(map(len, line.split(generator.SENTINEL_LINE_BREAK))) <= width else None

    def _theirs(self, generator: _Generator, expression: _Node) -> str:
        return str(self._writers[type(expression)](generator, expression))


def share_lines(columns: Sequence[str], longest: int = SHORT_COLUMN) -> list[str]:
    """Joins the texts of columns that are no longer than that to lines, in their order."""
    lines: list[str] = []
    is_open = False
    for column in columns:
        is_short = len(column) <= longest and "\n" not in column
        if is_open and is_short and len(lines[-1]) + len(column) + 2 <= WIDTH:
            lines[-1] += f", {column}"
        else:
            lines.append(column)
        is_open = is_short
    return lines


def _is_constant(column: _Node) -> bool:
    """Whether a column is a number, a text or NULL, with or without a type."""
    from sqlglot import exp

    value = column.unalias()
    return isinstance(value.this if isinstance(value, exp.Cast) else value, exp.Literal | exp.Null)
