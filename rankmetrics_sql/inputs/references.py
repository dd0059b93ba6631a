"""What stands in place of judgments: the ranks of another run, or one judge of a table of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..dialects import Dialect
from ..dialects.names import literal
from ..errors import UsageError
from ..relation import Relation
from ..templates import macros
from .expressions import column_or_expression


@dataclass(frozen=True)
class Ranks:
    """The ranks of a run as judgments: a lazy description, like a source.

    Attributes:
        run: the run, as evaluations take it.
        query: its columns that name a query.
        item: the column of the item.
        score: the column that orders it, highest first, if given.
        position: the column that orders it, lowest first, if given.
    """

    run: Any
    query: str | Sequence[str]
    item: str
    score: str | None
    position: str | None

    def text(self, run: Relation, dialect: Dialect) -> str:
        """Return the judgments as a query."""

        def column(meaning: str, name: str) -> str:
            return column_or_expression(run, meaning, name, dialect)

        queries = [self.query] if isinstance(self.query, str) else self.query
        order, name = self._order(run)
        columns = {
            "query": [column("query", name) for name in queries],
            "item": column("item", self.item),
            order: column(order, name),
        }
        relation = f"{run.sql} u" if run.sql.startswith("(") else run.sql
        return str(macros(dialect.name)["judgments_from_run"](relation=relation, columns=columns))

    def _order(self, run: Relation) -> tuple[str, str]:
        """Return the order of the run and the name of its column: the scores, or positions if it has no scores."""
        if self.position is not None:
            return "position", self.position
        only_positions = run.is_known and run.find("score") is None and run.find("position") is not None
        return ("position", "position") if self.score is None and only_positions else ("score", self.score or "score")


@dataclass(frozen=True)
class OfJudge:
    """The judgments of one judge in a table of several: a lazy description, like a source.

    Attributes:
        qrels: the table, as evaluations take it.
        column: its column that names the judge, or SQL over the row.
        judge: the value of that column.
    """

    qrels: Any
    column: str
    judge: Any

    def text(self, table: Relation, dialect: Dialect) -> str:
        """Return the rows of the judge as a query."""
        value = literal(self.judge, dialect) if isinstance(self.judge, str) else str(self.judge)
        column = column_or_expression(table, "judge", self.column, dialect)
        return f"SELECT * FROM {table.sql} u WHERE {column} = {value}"


def ranks(
    run: Any,
    query: str | Sequence[str] = "query_id",
    item: str = "item_id",
    score: str | None = None,
    position: str | None = None,
) -> Ranks:
    """Makes judgments of another run, for metrics that compare two rankings: ``jaccard@10``, ``rbo``.

    The grade of an item is 1 divided by its rank in that run. Ties are ordered by item id, descending
    (``ties="item_desc"``). Rows without a score or position are left out.

    Args:
        run: one run, as in ``evaluate``.
        query: the column with the id of the query, SQL over the row, or a list of columns.
        item: the column with the id of the item.
        score: the column that orders the run, highest first; ``score`` by default, or ``position`` if there is no
            score.
        position: the column that orders it instead, lowest first.

    Raises:
        UsageError: both score and position are named.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> old, new = {"q1": ["a", "b", "c"]}, {"q1": ["b", "a", "d"]}
        >>> rm.evaluate(new, rm.ranks(old), "jaccard@3")["jaccard@3"]
        0.5
    """
    if score is not None and position is not None:
        raise UsageError("ranks: the run has both a score and a position. Name one of them.")
    return Ranks(run, query, item, score, position)
