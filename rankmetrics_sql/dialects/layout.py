"""How a translated statement is laid out: stages apart from each other, and what fits on a line on one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

WIDTH = 100  # of a line, beside what it is indented by

_Generator: Any = object  # of sqlglot, which only one module imports


class Layout(_Generator):  # type: ignore[misc]
    """Goes before a generator of sqlglot among the bases of a class."""

    pretty: bool
    gap = "\n\n"  # between two stages

    def with_sql(self, expression: Any) -> str:
        """The stages, each apart from the next; within a stage an empty line would be indented."""
        statement = expression.parent
        apart = self.gap[1:] if statement is None or statement.parent is None else ""
        recursive = "RECURSIVE " if self.CTE_RECURSIVE_KEYWORD_REQUIRED and expression.recursive else ""
        stages = f",{self.gap}".join(self.sql(stage) for stage in expression.expressions)
        return f"WITH {recursive}{stages}{apart}"

    def select_sql(self, expression: Any) -> str:
        """A small SELECT on a line; one that joins or has several columns has a line for each."""
        small = not expression.args.get("joins") and len(expression.expressions) < 3
        write = super().select_sql
        return self._on_a_line(write, expression) if small and not expression.ctes else str(write(expression))

    def case_sql(self, expression: Any) -> str:
        """CASE."""
        return self._on_a_line(super().case_sql, expression)

    def paren_sql(self, expression: Any) -> str:
        """Brackets."""
        return self._on_a_line(super().paren_sql, expression)

    def where_sql(self, expression: Any) -> str:
        """WHERE."""
        return self._on_a_line(super().where_sql, expression)

    def group_sql(self, expression: Any) -> str:
        """GROUP BY."""
        return self._on_a_line(super().group_sql, expression)

    def order_sql(self, expression: Any, flat: bool = False) -> str:
        """ORDER BY, of a statement or of a window."""
        write = super().order_sql
        return str(write(expression, flat)) if flat else self._on_a_line(write, expression)

    def join_sql(self, expression: Any, *rest: Any) -> str:
        """A join and its condition."""
        write = super().join_sql
        return self._on_a_line(lambda join: write(join, *rest), expression)

    def _on_a_line(self, write: Callable[[Any], str], expression: Any) -> str:
        """What is written, on one line if it fits; what begins with a space is a clause, and begins a line."""
        if not self.pretty:
            return write(expression)
        self.pretty = False
        line = write(expression)
        self.pretty = True
        if max(map(len, line.split(self.SENTINEL_LINE_BREAK))) > WIDTH:
            return write(expression)
        return f"\n{line[1:]}" if line.startswith(" ") else line
