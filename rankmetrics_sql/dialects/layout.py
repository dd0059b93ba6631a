"""The layout of translated statements: empty lines between stages, and one line for what fits on one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

LINE = 120  # of a line of the statement, with its indentation; the templates' rm_fits has the same number
WIDTH = LINE - 8  # of a line of a stage, beside what it is indented by
ROWS = 6  # of VALUES on a line, as in the templates' rm_rows_of_numbers
SHORT = (LINE - 4) // 2  # of a column that may share its line with others, as in the templates' rm_is_small

# Classes of sqlglot, which only one module imports: a generator, and a node of a tree.
_Generator = Any
_Node = Any

# Clauses that are on one line if they fit.
_CLAUSES = ("Where", "Group", "Having", "Order", "Join")

# Aggregates with their brackets directly around their argument, however many lines that has.
_AGGREGATES = ("Avg", "Count", "Max", "Min", "Sum")

# Functions with their brackets beside those of an argument of several lines.
_FUNCTIONS = ("Cast", "Exp", "Ln", "Sqrt")


class Layout:
    """Our layout, put between a generator of sqlglot and its own writers.

    Not as a subclass, which the compiled generators of sqlglot[c] cannot have, but in the table by which a generator
    finds the writer of a node.
    """

    def __init__(self, generator: _Generator, *, empty_lines: bool, comments: Mapping[str, str]) -> None:
        """Change a pretty generator; each comment is above the stage of that name."""
        from sqlglot import exp

        self._gap = "\n\n" if empty_lines else "\n"
        self._comments = comments
        self._cache: dict[tuple[int, bool], tuple[_Node, str]] = {}
        self._writers = dict(generator._dispatch)
        writers = {
            exp.With: self._with,
            exp.Select: self._select,
            exp.Union: self._union,
            exp.Values: self._rows,
            exp.Case: self._case,
            exp.Paren: self._beside,
            exp.Window: self._window,
            **{getattr(exp, name): self._short for name in _CLAUSES},
            **{getattr(exp, name): self._around for name in _AGGREGATES},
            **{getattr(exp, name): self._beside for name in _FUNCTIONS},
        }
        generator._dispatch = {**self._writers, **writers}

    def _with(self, generator: _Generator, expression: _Node) -> str:
        """Return the stages with empty lines between them; within a stage an empty line would be indented."""
        statement = expression.parent
        gap = self._gap[1:] if statement is None or statement.parent is None else ""
        recursive = "RECURSIVE " if generator.CTE_RECURSIVE_KEYWORD_REQUIRED and expression.recursive else ""
        stages = f",{self._gap}".join(self._stage(generator, stage) for stage in expression.expressions)
        keyword = f"WITH {recursive}"
        return f"{keyword.rstrip()}\n{stages}{gap}" if stages.startswith("--") else f"{keyword}{stages}{gap}"

    def _stage(self, generator: _Generator, stage: _Node) -> str:
        """Return a stage below its comment."""
        about = self._comments.get(stage.alias)
        return generator.sql(stage) if about is None else f"-- {about}\n{generator.sql(stage)}"

    def _select(self, generator: _Generator, expression: _Node) -> str:
        """Return a row of constants or a small SELECT on a line; else its columns behind SELECT, or on lines below."""
        if all(_is_constant(column) for column in expression.expressions):
            return self._short(generator, expression, 2 * WIDTH)
        columns = [generator.sql(column) for column in expression.expressions]
        is_narrow = len(columns) < 3 or all(_is_short(column) for column in columns)
        is_small = is_narrow and not expression.args.get("joins") and not expression.ctes
        text = (self._short if is_small else self._sqlglot_text)(generator, expression)
        sqlglot_columns = "\n" + generator.indent(",\n".join(columns))
        return text.replace(str(sqlglot_columns), self._columns(generator, columns, LINE - _indentation(expression)), 1)

    def _columns(self, generator: _Generator, columns: list[str], width: int) -> str:
        """Return the columns behind SELECT; the generator writes a line for each."""
        line = f" {', '.join(columns)}"
        if len(line) + len("SELECT") <= width and "\n" not in line and generator.SENTINEL_LINE_BREAK not in line:
            return line
        filled = ",\n".join(share_lines(columns, width - 4))
        return f"\n{generator.indent(filled)}"

    def _rows(self, generator: _Generator, expression: _Node) -> str:
        """Return VALUES, with several rows of constants on a line."""
        from sqlglot import exp

        tuples = expression.expressions
        rows = [f"({', '.join(generator.sql(value) for value in row.expressions)})" for row in tuples]
        lines = [", ".join(rows[start : start + ROWS]) for start in range(0, len(rows), ROWS)]
        expression.set("expressions", [exp.Var(this=line) for line in lines])
        text = self._write(generator, expression)
        expression.set("expressions", tuples)
        return text

    def _union(self, generator: _Generator, expression: _Node) -> str:
        """Return rows of constants on one line if they fit, else a line for each; selects, each below the other."""
        is_constant = all(_is_constant(column) for select in _selects(expression) for column in select.expressions)
        if not is_constant:
            return self._sqlglot_text(generator, expression)
        return self._short(generator, expression).replace("\nUNION ALL\n", "\nUNION ALL ")

    def _case(self, generator: _Generator, expression: _Node) -> str:
        """Return CASE on one line if it fits, else with a line for each branch, the only one behind CASE."""
        sqlglot_lines = self._short(generator, expression).split("\n")
        if len(expression.args["ifs"]) == 1 and expression.args.get("default") is None and len(sqlglot_lines) > 3:
            return "\n".join(_join_condition(sqlglot_lines))
        lines: list[str] = []
        for line in sqlglot_lines:
            may_join = line.startswith("    THEN ") and lines[-1].startswith("    WHEN ")
            if may_join and len(lines[-1]) + len(line) - len("   ") <= WIDTH:
                lines[-1] += line[len("   ") :]
            else:
                lines.append(line)
        return "\n".join(lines)

    def _window(self, generator: _Generator, expression: _Node) -> str:
        """Return a window on one line if it fits, else with its clauses on one, or on a line each."""
        text = self._short(generator, expression)
        if "\n" not in text and len(text) > WIDTH:
            function, _, inside = text.partition(" OVER (")
            return f"{function} OVER (\n    {inside[:-1]}\n)"
        first, *clauses = text.split("\n")
        inside = " ".join(clause.strip() for clause in clauses[:-1])
        is_flat = all(clause.startswith("    ") and clause[4] != " " for clause in clauses[:-1])
        if not clauses or not is_flat or not first.endswith("OVER (") or clauses[-1] != ")" or len(inside) > WIDTH:
            return text
        return f"{first}\n    {inside}\n)"

    def _around(self, generator: _Generator, expression: _Node) -> str:
        """Return an aggregate of an expression over several lines, without lines for its brackets."""
        text = self._sqlglot_text(generator, expression)
        first, *lines = text.split("\n")
        if not lines or not first.endswith("(") or lines[-1] != ")":
            return text
        return first + "\n".join(line.removeprefix("    ") for line in lines[:-1]) + ")"

    def _beside(self, generator: _Generator, expression: _Node) -> str:
        """Return brackets around an expression, beside its own brackets if it has lines within these."""
        text = self._short(generator, expression)
        first, *lines = text.split("\n")
        inside = [line.removeprefix("    ") for line in lines[:-1]]
        if not lines or not first.endswith("(") or not lines[-1].startswith(")"):
            return text
        if len(inside) == 1 and expression.key != "paren":
            return first + inside[0] + lines[-1]  # as long as it is, it reads no better on three lines
        is_nested = len(inside) > 2 and inside[0].endswith("(") and inside[-1].startswith(")")
        if not is_nested or any(line[0] != " " for line in inside[1:-1]):
            return text
        return "\n".join([first + inside[0], *inside[1:-1], inside[-1] + lines[-1]])

    def _short(self, generator: _Generator, expression: _Node, width: int = WIDTH) -> str:
        """Return a node on one line if it fits; a clause, which begins with a space, begins a line."""
        if not generator.pretty:
            return self._sqlglot_text(generator, expression)
        generator.pretty = False
        line = self._sqlglot_text(generator, expression)
        generator.pretty = True
        if max(map(len, line.split(generator.SENTINEL_LINE_BREAK))) > width:
            return self._sqlglot_text(generator, expression)
        return f"\n{line[1:]}" if line.startswith(" ") else line

    def _sqlglot_text(self, generator: _Generator, expression: _Node) -> str:
        """Return what the generator writes, on one line or several, once for each node and form."""
        key = id(expression), generator.pretty
        if key not in self._cache:
            self._cache[key] = expression, self._write(generator, expression)  # the node stays, and so does its id
        return self._cache[key][1]

    def _write(self, generator: _Generator, expression: _Node) -> str:
        """Return what sqlglot's own writer of a node writes."""
        writer = self._writers.get(type(expression))  # a function of the same name in all dialects has none
        return str(writer(generator, expression) if writer else generator.function_fallback_sql(expression))


def _selects(union: _Node) -> Iterator[_Node]:
    """Yield the selects of a union, and of the unions in it."""
    for side in (union.left, union.right):
        yield from _selects(side) if hasattr(side, "left") else (side,)


def share_lines(columns: Sequence[str], width: int = WIDTH) -> list[str]:
    """Return lines of columns: short ones side by side, as many as fit, and any other alone."""
    lines: list[str] = []
    is_open = False
    for column in columns:
        is_short = _is_short(column)
        if is_open and is_short and len(lines[-1]) + len(column) + 2 <= width:
            lines[-1] += f", {column}"
        else:
            lines.append(column)
        is_open = is_short
    return lines


def _join_condition(lines: list[str]) -> list[str]:
    """Return the lines of CASE and its only branch with the condition behind CASE, if that is on one line."""
    case, condition, value, *rest, end = lines
    if not value.startswith("    THEN "):
        return lines
    begin = f"{case} {condition.strip()} THEN"
    value = value.removeprefix("    THEN ")
    if rest:
        return [f"{begin} {value}", *(line.removeprefix("    ") for line in rest[:-1]), f"{rest[-1].strip()} {end}"]
    return [begin, f"    {value}", end]


def _indentation(select: _Node) -> int:
    """Return how far a SELECT is indented: four places within each stage or subquery."""
    indentation = 0
    while select := select.parent:
        indentation += 4 if select.key in ("cte", "subquery") else 0
    return indentation


def _is_short(column: str) -> bool:
    return len(column) <= SHORT and "\n" not in column


def _is_constant(column: _Node) -> bool:
    """Whether a column is a number, a text or NULL, with or without a type."""
    from sqlglot import exp

    value = column.unalias()
    return isinstance(value.this if isinstance(value, exp.Cast) else value, exp.Literal | exp.Null)
