"""The layout of translated statements: empty lines between stages, and one line for what fits on one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WIDTH = 112  # of a line, beside what it is indented by; the templates' rm_fits has the same number
INNER = 100  # of an expression that has others around it
SHORT = 40  # of a column that may share its line with others; the templates' rm_is_small has the same number

# Sqlglot's, which only one module imports: a generator, and a node of a tree.
_Generator = Any
_Node = Any

# What stands on one line if it fits.
_SHORT = ("Where", "Group", "Order", "Join")

# What has the brackets of its one argument around it, however many lines that has.
_AROUND = ("Avg", "Count", "Max", "Min", "Sum")


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
        self._known: dict[tuple[int, bool], tuple[_Node, str]] = {}
        self._writers = dict(generator._dispatch)
        ours = {
            exp.With: self._with,
            exp.Select: self._select,
            exp.Union: self._union,
            exp.Values: self._rows,
            exp.Case: self._case,
            exp.Paren: self._inner,
            exp.Window: self._window,
            **{getattr(exp, name): self._short for name in _SHORT},
            **{getattr(exp, name): self._around for name in _AROUND},
        }
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
        """A row of constants or a small SELECT on a line; else its columns behind SELECT, or on lines of their own."""
        if all(_is_constant(column) for column in expression.expressions):
            return self._short(generator, expression, 2 * WIDTH)
        columns = [generator.sql(column) for column in expression.expressions]
        few = len(columns) < 3 or all(_is_short(column) for column in columns)
        small = few and not expression.args.get("joins") and not expression.ctes
        text = (self._short if small else self._theirs)(generator, expression)
        written = "\n" + generator.indent(",\n".join(columns))
        return text.replace(str(written), self._columns(generator, columns), 1)

    def _columns(self, generator: _Generator, columns: list[str]) -> str:
        """Return the columns behind SELECT; the generator writes a line for each."""
        line = f" {', '.join(columns)}"
        if len(line) + len("SELECT") <= WIDTH and "\n" not in line and generator.SENTINEL_LINE_BREAK not in line:
            return line
        filled = ",\n".join(share_lines(columns))
        return f"\n{generator.indent(filled)}"

    def _rows(self, generator: _Generator, expression: _Node) -> str:
        """VALUES, with as many rows on a line as fit."""
        from sqlglot import exp

        own = expression.expressions
        rows = [f"({', '.join(generator.sql(value) for value in row.expressions)})" for row in own]
        expression.set("expressions", [exp.Var(this=line) for line in share_lines(rows, WIDTH)])
        text = self._written(generator, expression)
        expression.set("expressions", own)
        return text

    def _union(self, generator: _Generator, expression: _Node) -> str:
        """Rows of constants, a line for each; selects, each below the other."""
        text = self._theirs(generator, expression)
        constant = all(_is_constant(column) for select in _selects(expression) for column in select.expressions)
        return text.replace("\nUNION ALL\n", "\nUNION ALL ") if constant else text

    def _case(self, generator: _Generator, expression: _Node) -> str:
        """On one line if it fits, else with a line for each branch that does."""
        lines: list[str] = []
        for line in self._inner(generator, expression).split("\n"):
            beside = line.startswith("    THEN ") and lines[-1].startswith("    WHEN ")
            if beside and len(lines[-1]) + len(line) - len("   ") <= INNER:
                lines[-1] += line[len("   ") :]
            else:
                lines.append(line)
        return "\n".join(lines)

    def _window(self, generator: _Generator, expression: _Node) -> str:
        """On one line if it fits, else with what stands in its brackets on one, or on a line for each clause."""
        text = self._inner(generator, expression)
        first, *clauses = text.split("\n")
        inside = " ".join(clause.strip() for clause in clauses[:-1])
        flat = all(clause.startswith("    ") and clause[4] != " " for clause in clauses[:-1])
        if not clauses or not flat or not first.endswith("OVER (") or clauses[-1] != ")" or len(inside) > INNER + 4:
            return text
        return f"{first}\n    {inside}\n)"

    def _around(self, generator: _Generator, expression: _Node) -> str:
        """An aggregate of an expression over several lines, without lines for its brackets."""
        text = self._theirs(generator, expression)
        first, *lines = text.split("\n")
        if not lines or not first.endswith("(") or lines[-1] != ")":
            return text
        return first + "\n".join(line.removeprefix("    ") for line in lines[:-1]) + ")"

    def _inner(self, generator: _Generator, expression: _Node) -> str:
        """Return an expression that has others around it, on one line if it fits."""
        return self._short(generator, expression, INNER)

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
        """What the generator writes, on one line or on several; each once, however many nodes around it ask."""
        key = id(expression), generator.pretty
        if key not in self._known:
            self._known[key] = expression, self._written(generator, expression)  # the node stays, and so does its id
        return self._known[key][1]

    def _written(self, generator: _Generator, expression: _Node) -> str:
        writer = self._writers.get(type(expression))  # a function that is called what it is everywhere has none
        return str(writer(generator, expression) if writer else generator.function_fallback_sql(expression))


def _selects(union: _Node) -> Iterator[_Node]:
    """The selects that a union, which may be one of unions, has one below the other."""
    for side in (union.left, union.right):
        yield from _selects(side) if hasattr(side, "left") else (side,)


def share_lines(columns: Sequence[str], longest: int = SHORT) -> list[str]:
    """Lines of columns: those that are no longer than that side by side, as many as fit, and any other alone."""
    lines: list[str] = []
    is_open = False
    for column in columns:
        is_short = _is_short(column, longest)
        if is_open and is_short and len(lines[-1]) + len(column) + 2 <= WIDTH:
            lines[-1] += f", {column}"
        else:
            lines.append(column)
        is_open = is_short
    return lines


def _is_short(column: str, longest: int = SHORT) -> bool:
    return len(column) <= longest and "\n" not in column


def _is_constant(column: _Node) -> bool:
    """Whether a column is a number, a text or NULL, with or without a type."""
    from sqlglot import exp

    value = column.unalias()
    return isinstance(value.this if isinstance(value, exp.Cast) else value, exp.Literal | exp.Null)
