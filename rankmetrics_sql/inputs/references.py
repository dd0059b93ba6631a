"""What stands in place of judgments: ranks of another run, one judge of several, their consensus, and references.

A reference loads itself, as the estimates of a click model do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..dialects import Dialect
from ..dialects.names import literal
from ..errors import DataError, UsageError, nearest, shortened
from ..relation import Relation
from ..rows import Row
from ..templates import macros
from .expressions import column_or_expression, repeated

# Runs a statement and returns its rows.
Ask = Callable[[str], Sequence[Row]]


def _from(relation: Relation) -> str:
    """Return a relation as it stands behind FROM."""
    return f"{relation.sql} u" if relation.sql.startswith("(") else relation.sql


class Reference:
    """Judgments that load themselves: a lazy description, like a source."""

    def load(self, reader: Any, role: str) -> Relation:
        """Return the judgments where a reader reads."""
        raise NotImplementedError


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

    given_as = "run"
    label = "ranks"

    @property
    def given(self) -> Any:
        """What the judgments are made of."""
        return self.run

    def check(self, run: Relation, dialect: Dialect, ask: Ask) -> None:
        """Find nothing wrong: the last of two equal items has a rank of its own."""

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
        return str(macros(dialect.name)["judgments_from_run"](relation=_from(run), columns=columns))

    def _order(self, run: Relation) -> tuple[str, str]:
        """Return the order of the run and the name of its column: the scores, or positions if it has no scores."""
        if self.position is not None:
            return "position", self.position
        only_positions = run.is_known and run.find("score") is None and run.find("position") is not None
        return ("position", "position") if self.score is None and only_positions else ("score", self.score or "score")


@dataclass(frozen=True)
class Consensus:
    """One set of judgments of the grades of several judges: a lazy description, like a source.

    Attributes:
        qrels: the grades, as evaluations take them.
        judge: the column of the judge.
        columns: those of query, item and relevance.
        arguments: of the macro ``consensus``.
    """

    qrels: Any
    judge: str
    columns: Mapping[str, Any]
    arguments: Mapping[str, Any]

    given_as = "qrels"
    label = "consensus"

    @property
    def given(self) -> Any:
        """What the judgments are made of."""
        return self.qrels

    def check(self, grades: Relation, dialect: Dialect, ask: Ask) -> None:
        """Raise if a judge grades an item twice."""
        columns = self._columns(grades, dialect)
        keys = [*columns["query_id"], columns["item_id"], column_or_expression(grades, "judge", self.judge, dialect)]
        twice = repeated(f"{grades.sql} u", keys)
        ((n_twice,),) = ask(f"SELECT COUNT(*) FROM ({twice}) t")
        if n_twice:
            first = ask(f"SELECT MIN(key_0) FROM ({twice}) t")[0][0]
            some = "1 item has" if n_twice == 1 else f"{n_twice:,} items have"
            raise DataError(f"{grades.label}: {some} two grades of one judge, first in query {first}.")

    def text(self, grades: Relation, dialect: Dialect) -> str:
        """Return the judgments as a query."""
        columns = self._columns(grades, dialect)
        return str(macros(dialect.name)["consensus"](relation=_from(grades), columns=columns, **self.arguments))

    def _columns(self, grades: Relation, dialect: Dialect) -> dict[str, Any]:
        def column(meaning: str, name: str) -> str:
            return column_or_expression(grades, meaning, name, dialect)

        queries = self.columns["query_id"]
        return {
            "query_id": [column("query", name) for name in ([queries] if isinstance(queries, str) else queries)],
            "item_id": column("item", self.columns["item_id"]),
            "relevance": column("relevance", self.columns["relevance"]),
        }


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


def consensus(
    qrels: Any,
    judge: str = "judge",
    rule: str = "median",
    *,
    ties: str = "lowest",
    min_judges: int = 1,
    columns: Mapping[str, Any] | None = None,
) -> Consensus:
    """Makes one set of judgments of the grades of several judges.

    It goes wherever judgments go. Beside the grade, ``n_judges`` is how many grades the item has, and ``agreement`` the
    share of their pairs that are equal; a statement that is printed has them as columns. A NULL or NaN is no grade.

    Args:
        qrels: the grades, as in ``evaluate``: a row for each query, item and judge.
        judge: the column of the judge.
        rule: ``majority``, the most frequent grade; ``median``, of an even number the mean of the middle two; ``mean``,
            ``lowest`` or ``highest``.
        ties: of ``majority``, where several grades are most frequent: ``lowest`` or ``highest`` of them, or ``drop``
            the item.
        min_judges: items with fewer grades are left out.
        columns: the names of the columns of ``query_id``, ``item_id`` and ``relevance``.

    Raises:
        UsageError: an unknown rule, value or column name.
        DataError: a judge grades an item twice; when the judgments are read.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> import pandas as pd
        >>> rows = [("q", "a", "gpt", 2), ("q", "a", "claude", 1), ("q", "a", "people", 2), ("q", "b", "gpt", 0)]
        >>> grades = pd.DataFrame(rows, columns=["query_id", "item_id", "judge", "relevance"])
        >>> rm.evaluate({"q": ["a", "b"]}, rm.consensus(grades, rule="majority"), "cg@1")["cg@1"]
        2.0
    """
    for name, value, known in (("rule", rule, RULES), ("ties", ties, TIES)):
        if value not in known:
            raise UsageError(f"consensus: {name} is {', '.join(known[:-1])} or {known[-1]}, not {shortened(value)}.")
    if not isinstance(min_judges, int) or isinstance(min_judges, bool) or min_judges < 1:
        raise UsageError(f"consensus: min_judges is a whole number from 1 on, not {shortened(min_judges)}.")
    if not isinstance(judge, str):
        raise UsageError(f"consensus: judge is the name of a column, not {shortened(judge)}.")
    usual = {"query_id": "query_id", "item_id": "item_id", "relevance": "relevance"}
    named = {_MEANINGS.get(str(name), str(name)): column for name, column in (columns or {}).items()}
    unknown = next((name for name in named if name not in usual), None)
    if unknown is not None:
        raise UsageError(f"consensus: unknown column {unknown!r}. {nearest(unknown, usual)}")
    return Consensus(qrels, judge, usual | named, {"rule": rule, "ties": ties, "min_judges": min_judges})


RULES = ("majority", "median", "mean", "lowest", "highest")
TIES = ("lowest", "highest", "drop")
_MEANINGS = {"query": "query_id", "item": "item_id"}


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
