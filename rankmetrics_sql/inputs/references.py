"""What stands in place of judgments: another run, whose ranks metrics compare with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..dialects import Dialect
from ..errors import UsageError
from ..statements.relation import Relation
from ..templates import macros
from .expressions import column_or_expression


@dataclass(frozen=True)
class Ranks:
    """The ranks of a run as judgments: a lazy description, like a source.

    Attributes:
        run: the run, as evaluations take it.
        query: its columns that name a query.
        item: that of the item.
        score: the one that it is ordered by, the highest first, if that is said.
        position: the one that it is ordered by, the lowest first, if that is said.
    """

    run: Any
    query: str | Sequence[str]
    item: str
    score: str | None
    position: str | None

    def text(self, run: Relation, dialect: Dialect) -> str:
        """The judgments as a query.

        Args:
            run: where the rows of the run are.
            dialect: of that database.

        Raises:
            DataError: there is no such column.
        """

        def column(meaning: str, name: str) -> str:
            return column_or_expression(run, meaning, name, dialect)

        queries = [self.query] if isinstance(self.query, str) else self.query
        order, name = self._order(run)
        arguments = {
            "query_column": [column("query", name) for name in queries],
            "item_column": column("item", self.item),
            f"{order}_column": column(order, name),
        }
        relation = f"{run.sql} u" if run.sql.startswith("(") else run.sql
        return str(macros(dialect.name)["judgments_from_run"](relation=relation, **arguments))

    def _order(self, run: Relation) -> tuple[str, str]:
        """What the run is ordered by, and the name of that column: its scores, unless it has positions only."""
        if self.position is not None:
            return "position", self.position
        only_positions = run.is_known and run.find("score") is None and run.find("position") is not None
        return ("position", "position") if self.score is None and only_positions else ("score", self.score or "score")


def ranks(
    run: Any,
    query: str | Sequence[str] = "query_id",
    item: str = "item_id",
    score: str | None = None,
    position: str | None = None,
) -> Ranks:
    """Another run in place of judgments, for metrics that compare two rankings: ``jaccard@10``, ``rbo``.

    The grade of an item is 1 over its rank in that run. Items of equal scores are in the order of the bytes of their
    names, the last first, as ``ties="item_desc"`` has it. Rows without a score or position are left out.

    Args:
        run: a run as ``evaluate`` takes it; one.
        query: what names a query: a column, SQL over the row, or a list of columns.
        item: what names an item.
        score: what the run is ordered by, the highest first; by default ``score``, or ``position`` where it has that
            only.
        position: what it is ordered by instead, the lowest first.

    Raises:
        UsageError: both are said.
    """
    if score is not None and position is not None:
        raise UsageError("ranks: the run has both a score and a position. Name one of them.")
    return Ranks(run, query, item, score, position)
