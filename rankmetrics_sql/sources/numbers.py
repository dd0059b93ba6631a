"""Numbers per query from elsewhere, such as a rating or a latency, in place of metrics: each column is one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..definitions.resolution import Choices, ResolvedMetric, resolve
from ..dialects.names import literal, quoted
from ..engines import is_engine
from ..errors import DataError, UsageError, nearest, shortened
from ..inputs.ids import family
from ..relation import Relation
from ..templates import macros
from .base import Labelled

# The columns of the list that stands in place of a query's row: each number is the grade of an item, at its own rank.
_ITEM, _RANK, _GRADE = "rankmetrics_item", "rankmetrics_rank", "rankmetrics_grade"


@dataclass(frozen=True)
class Values(Labelled):
    """A table with a row for each query and columns of numbers, as ``values()`` takes it.

    Attributes:
        names: the columns with the numbers.
        better: whether ``higher`` or ``lower`` numbers are better, by column.
    """

    names: Sequence[str] = ()
    better: Mapping[str, str] = field(default_factory=dict)
    label: str = "values"

    @property
    def runs_by(self) -> str | None:
        """See ``Source``."""
        return "arm="

    @property
    def design(self) -> dict[str, Any]:
        """Each arm has queries of its own."""
        return {"design": "unpaired"}

    @property
    def options(self) -> dict[str, Any]:
        """Return the options that have another default here: the rank of a number says which one it is."""
        return {"position": "given"}

    @property
    def _queries(self) -> list[str]:
        """Return the columns that name a query."""
        named = self.columns["query_id"]
        return [named] if isinstance(named, str) else list(named)

    def metrics(self, texts: str | Iterable[str], choices: Choices) -> list[ResolvedMetric]:
        """Return the metric of each column, or of those that are named."""
        wanted = [texts] if isinstance(texts, str) else list(texts)
        for name in wanted:
            if name not in self.names:
                raise UsageError(f"values: {shortened(name)} is not one of values=. {nearest(str(name), self.names)}")
        return [self._metric(name, choices) for name in wanted or self.names]

    def _metric(self, name: str, choices: Choices) -> ResolvedMetric:
        rank = self.names.index(name) + 1
        column = name if macros()["rm_is_name"](name) else f"value_{rank}"
        metric = resolve(str(macros()["rm_metric_of_number"](rank)), choices)
        return replace(metric, label=name, column=column, better=self.better.get(name, "higher"))

    def stacked(self, table: Relation) -> Relation:
        """Return the table with a row for each query and number, whose other columns stay."""
        for name in (*self._queries, *([self.runs] if self.runs else [])):
            self._find(table, name)
        columns = [self._column(table, name) for name in self.names]
        parts = [
            f"SELECT t.*, {literal(name)} AS {_ITEM}, {rank} AS {_RANK}, {column} AS {_GRADE} FROM {table.sql} t"
            for rank, (name, column) in enumerate(zip(self.names, columns, strict=True), start=1)
        ]
        types = None
        if table.types is not None:
            type_ = "VARCHAR" if table.text_ids else "DOUBLE"  # texts of a file are read as grades of files are
            types = {**table.types, _ITEM: "VARCHAR", _RANK: "INTEGER", _GRADE: type_}
        return replace(table, sql=f"({' UNION ALL '.join(parts)})", types=types, is_query=True)

    def _column(self, table: Relation, name: str) -> str:
        """Return a column of numbers as statements write it; raise unless the table has it, with numbers."""
        found = self._find(table, name)
        type_ = (table.types or {}).get(found)
        if type_ is not None and family(type_) in ("text", "date") and not table.text_ids:
            raise DataError(f"{table.label}: column {name!r} is {type_}; expected numbers. Cast it in a query.")
        column = quoted(found, table.dialect)
        return f"CAST(t.{column} AS VARCHAR)" if table.text_ids else f"t.{column}"

    def _find(self, table: Relation, name: str) -> str:
        """Return the name of a column as the table has it; raise unless it has one."""
        if table.types is None:
            return name
        found = table.find(name)
        if found is None:
            raise DataError(f"{table.label}: there is no column {name!r}. {nearest(name, [*table.types])}")
        return found

    def check(self, table: Relation) -> None:
        """Raise if a query has several rows."""
        if not is_engine(table.database):
            return
        keys = ", ".join(quoted(self._find(table, name), table.dialect) for name in self._queries)
        twice = f"SELECT {keys} FROM {table.sql} t GROUP BY {keys} HAVING COUNT(*) > 1"
        ((number,),) = table.database.run(f"SELECT COUNT(*) FROM ({twice}) k")[1]
        if number:
            raise DataError(
                f"{table.label}: {number:,} {'query has' if number == 1 else 'queries have'} several rows; expected one"
                f" for each value of {', '.join(self._queries)}. Group them in a query."
            )


def values(
    table: Any,
    query: str | Sequence[str] = "query_id",
    values: Sequence[str] = (),
    *,
    arm: str | None = None,
    better: Mapping[str, str] | None = None,
) -> Values:
    """Describes a table with a row for each query and columns of numbers, such as ratings, latencies or costs.

    Each column is a metric under its own name: its mean over the queries that have one. ``evaluate`` and ``compare``
    take no metrics then, or the names of some columns. Groups, weights, clusters and covariates are columns of the
    table, too.

    Args:
        table: one row per query: a table, file, SQL text or data frame.
        query: the column with the id of the query, or a list of columns.
        values: the columns with the numbers. NULL is no value; a number may be negative.
        arm: the column with the arm of the experiment, of which each query has one.
        better: whether ``higher`` or ``lower`` numbers are better, by column: ``{"latency": "lower"}``. Higher ones by
            default.

    Raises:
        UsageError: no column is named, or one twice.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> table = "SELECT * FROM (VALUES (1, 4.5, 120), (2, 3.5, 80)) t (chat, csat, latency)"
        >>> result = rm.evaluate(rm.values(table, "chat", ["csat", "latency"], better={"latency": "lower"}))
        >>> result["csat"], result["latency"]
        (4.0, 100.0)
    """
    names = [values] if isinstance(values, str) else list(values)
    if not names:
        raise UsageError("values: no column is named. Pass those with the numbers, such as values=['csat'].")
    if len({name.lower() for name in names}) < len(names):
        raise UsageError("values: a column is named twice. Name each once.")
    directions = dict(better or {})
    for name, direction in directions.items():
        if name not in names:
            raise UsageError(f"better: {shortened(name)} is not one of values=. {nearest(str(name), names)}")
        if direction not in ("higher", "lower"):
            raise UsageError(f"better: {name} is higher or lower, not {shortened(direction)}.")
    columns = {"query_id": query, "item_id": _ITEM, "position": _RANK, "relevance": _GRADE}
    columns |= {} if arm is None else {"run_id": arm}
    return Values(table, None, columns, names=names, better=directions)
