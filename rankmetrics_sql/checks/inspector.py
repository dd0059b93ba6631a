"""The inspector, which runs the statements of the checks, and the words that several checks use in messages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from ..dialects.names import unquoted
from ..engines import Engine
from ..plan import Plan
from ..progress import doing
from ..relation import Relation
from ..sources import Rows
from ..templates import macros


def row_text(row: Sequence[Any]) -> str:
    """Return one row: its value, or its values in parentheses."""
    return repr(row[0]) if len(row) == 1 else "(" + ", ".join(map(repr, row)) + ")"


def row_texts(rows: Sequence[Sequence[Any]]) -> str:
    """Return some rows, one after the other."""
    return ", ".join(map(row_text, rows))


def count_of(number: int, noun: str) -> str:
    """Return a number and its noun: ``1 query``, ``2,500 queries``."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"


def leave_out(checked: Relation, columns: Sequence[str], also: str = "") -> str:
    """Return how to leave out the rows that lack a value in some columns, in SQL or of a data frame.

    Args:
        checked: whose rows.
        columns: SQL of its row that is NULL there.
        also: a further condition of the rows that stay, in SQL; pandas drops NaN as it drops None.
    """
    if checked.is_permanent or checked.text_ids or not set(columns).isdisjoint(checked.expressions.values()):
        conditions = [f"{column} IS NOT NULL" for column in columns] + ([also] if also else [])
        return f" Leave such rows out: WHERE {' AND '.join(conditions)}."
    return f" Leave such rows out: .dropna(subset={list(map(unquoted, columns))}) in pandas."


Row = tuple[Any, ...]
Fact = TypeVar("Fact")

_SHOWN = 3  # rows in a message
_SHOWN_IDS = 2


class Counts(NamedTuple):
    """Counts over all rows of a relation.

    Attributes:
        n_rows: rows.
        n_lacking_ids: missing ids.
        n_unusable: rows without a usable value.
        highest: the highest grade.
        lowest: the lowest grade.
        n_distinct: different ids of rows, where they were counted; else rows.
    """

    n_rows: int
    n_lacking_ids: int
    n_unusable: int
    highest: float | None
    lowest: float | None
    n_distinct: int


class Known(Generic[Fact]):
    """A cache of facts by the identity of relations, which it keeps alive."""

    def __init__(self) -> None:
        self._facts: dict[int, tuple[Relation, Fact]] = {}

    def __setitem__(self, relation: Relation, fact: Fact) -> None:
        self._facts[id(relation)] = relation, fact

    def get(self, relation: Relation) -> Fact | None:
        """Return the fact; None if there is none."""
        facts = self._facts.get(id(relation))
        return facts[1] if facts else None


class InputInspector:
    """Run the statements of the checks on the inputs of a plan.

    Attributes:
        database: where the inputs are.
        plan: what is to be computed from them.
        sizes: the known numbers of rows and lists of relations.
        counts: the known counts over all rows of relations.
        level: the statement that will run, as in ``Plan.text``.
    """

    def __init__(
        self,
        database: Engine,
        plan: Plan,
        *,
        level: str = "summary",
    ) -> None:
        self.database = database
        self.plan = plan
        self.level = level
        self._keys = {name for relation in plan.relations for name in relation.keys}
        self.sizes: Known[tuple[int, int]] = Known()
        self.counts: Known[Counts] = Known()
        self._known: dict[tuple[Any, ...], Row] = {}

    def with_plan(self, plan: Plan, *, level: str = "") -> InputInspector:
        """Return an inspector of another plan over the same relations, with the same cache."""
        inspector = InputInspector(self.database, plan, level=level or self.level)
        inspector.sizes, inspector.counts, inspector._known = self.sizes, self.counts, self._known
        return inspector

    @property
    def sources(self) -> Mapping[str | None, Rows]:
        """Return the sources that runs were made of, by the name of the run; None is the one in place of all."""
        return self.plan.sources

    @property
    def compares(self) -> bool:
        """Return whether runs are compared; paired runs must agree on the groups and weight of each query."""
        return self.level == "compare"

    @property
    def judged_inputs(self) -> list[Relation]:
        """Return the runs, and the judgments if there are any."""
        return [*self.plan.runs, *self.plan.judgments]

    @property
    def is_canonical(self) -> bool:
        """Return whether the database is DuckDB, in which checks may use functions that other databases lack."""
        return self.database.dialect.canonical

    def text(self, check: str, *arguments: Any) -> str:
        """Return the statement of a check, in the dialect of the database.

        Args:
            check: the name of a template, without ``rm_check_``.
            arguments: what the template takes; relations stand for the mappings that templates read.
        """
        return self.plan.translated(_render(check, arguments))

    def rows(self, check: str, *arguments: Any) -> list[Row]:
        """Return all rows of a check, as ``text`` takes it."""
        return self._run(_render(check, arguments))

    def row(self, check: str, *arguments: Any) -> Row:
        """Return the row of a check that has exactly one."""
        return self.rows(check, *arguments)[0]

    def row_once(self, check: str, relation: Relation, *arguments: Any) -> Row:
        """Return the row of a check, and remember it in case the relation is asked about again."""
        key = (check, id(relation), *(id(one) if isinstance(one, Relation) else repr(one) for one in arguments))
        if key not in self._known:
            self._known[key] = self.row(check, relation, *arguments)
        return self._known[key]

    def some(self, check: str, *arguments: Any) -> list[Row]:
        """Return the first rows of a check, for a message."""
        return self._run(f"{_render(check, arguments)}\nLIMIT {_SHOWN}")

    def rows_where(self, relation: Relation, column: str, condition: str) -> list[Row]:
        """Return the first rows, as the user has them, for which a condition is true.

        Args:
            relation: whose rows.
            column: shown beside the ids of each row.
            condition: SQL over a row ``s``.
        """
        return self._run(f"{_render('rows', (relation, column, condition))}\nLIMIT {_SHOWN}", self._keys)

    def values_where(self, relation: Relation, column: str, condition: str) -> list[str]:
        """Return the first values of a column, each once, for which a condition over a row ``s`` is true."""
        rows = macros()["rm_computed"](relation.as_template())
        text = f"SELECT DISTINCT s.{column} FROM {rows} AS s WHERE {condition} ORDER BY s.{column} LIMIT {_SHOWN}"
        return [str(value) for (value,) in self._run(text, self._keys)]

    def two_values(self, relation: Relation, column: str) -> tuple[Any, Any] | None:
        """Return the least and the greatest value of a column, where these are two."""
        [(least, greatest)] = self._run(f"SELECT MIN(s.{column}), MAX(s.{column}) FROM {relation.sql} s")
        return None if least == greatest else (least, greatest)

    def ids(self, relation: Relation, meaning: str = "query_id") -> str:
        """Return the first queries or items of a relation, for a message."""
        names = query_keys(relation) if meaning == "query_id" else [meaning]
        return row_texts(self._run(f"{_render('ids', (relation, names))}\nLIMIT {_SHOWN_IDS}"))

    def count_lists(self, relation: Relation, condition: str, keys: list[str] | None = None) -> int:
        """Return the number of lists whose rows satisfy a condition.

        Args:
            relation: whose rows ``r``.
            condition: SQL with aggregates over a list.
            keys: the columns that name a group of rows; by default those that name a list.
        """
        return int(self.row("count", relation, list_keys(relation) if keys is None else keys, condition)[0])

    def _run(self, sql: str, keys: Collection[str] | None = None) -> list[Row]:
        """Run a statement in which keys are compared by their bytes: the package's columns, or these of the user."""
        with doing("checking the inputs"):
            return self.database.run(self.plan.translated(sql, keys))[1]


def inspect_one(database: Engine, relation: Relation) -> InputInspector:
    """Return an inspector of a relation that is not part of a plan yet."""
    return InputInspector(database, Plan(runs=[], metrics=[], options={}, qrels=relation, dialect=database.dialect))


def query_keys(relation: Relation) -> list[str]:
    """Return the names of the columns that name a query."""
    return list(macros()["rm_query_keys"](relation.columns["query_id"]))


def list_keys(relation: Relation) -> list[str]:
    """Return the names of the columns that name a list: of a run, and a query."""
    return list(macros()["rm_list_keys"](relation.as_template()))


def double(column: str) -> str:
    """Return a column of a user's row ``s`` as a double."""
    return f"CAST(s.{column} AS DOUBLE)"


def is_nan(number: str) -> str:
    """Return whether a number is NaN, in SQL."""
    return str(macros()["rm_is_nan"](number))


def is_unusable(number: str) -> str:
    """Return whether a number is NULL or NaN, in SQL."""
    return str(macros()["rm_unusable"](number))


def _render(check: str, arguments: tuple[Any, ...]) -> str:
    return str(macros()[f"rm_check_{check}"](*map(_as_template, arguments)))


def _as_template(argument: Any) -> Any:
    """Return an argument with each relation in it as a template takes it."""
    if isinstance(argument, Relation):
        return argument.as_template()
    if isinstance(argument, Mapping):
        return {name: _as_template(value) for name, value in argument.items()}
    if isinstance(argument, list | tuple):
        return [_as_template(value) for value in argument]
    return argument


def counting(inspector: InputInspector) -> list[dict[str, Any]]:
    """Return the relations that say which queries count, each with the condition for its rows."""
    plan = inspector.plan
    universe = plan.options["queries"]
    among: list[dict[str, Any]] = [{"input": plan.query_list, "condition": None}] if plan.query_list else []
    if universe == "retrieved" or plan.qrels is None:
        return among
    condition = "r.relevance IS NOT NULL" if plan.options["impute"] is None else None
    if universe == "judged_relevant":
        rel = plan.options["rel"]
        lowest = min(float(str(metric.params.get("rel", rel))) for metric in plan.metrics)
        condition = f"r.relevance >= {macros()['rm_number'](lowest)}"
    return [*among, {"input": plan.qrels, "condition": condition}]
