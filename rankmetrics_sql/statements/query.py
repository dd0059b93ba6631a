"""Everything that decides the text of a statement."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..definitions.choices import ResolvedMetric
from ..definitions.metric_strings import Value
from ..dialects import CANONICAL, Dialect, in_dialect
from ..errors import UsageError
from .relation import Relation
from .templates import macros

# The columns of a result beside those of runs, queries, groups and metrics.
_RESULT_COLUMNS = {
    "evaluation": ("metric", "value", "metric_value", "n_queries", "n_faults", "n_ties_cut"),
    "compare": (
        *("metric", "baseline", "candidate", "difference", "n_higher", "n_ties", "n_lower"),
        *("standard_error", "n_queries"),
    ),
    "curve": ("x", "y", "n_queries", "n_faults", "n_ties_cut"),
}
CURVES = ("curve", "curve_per_query", "points")


@dataclass(frozen=True)
class Group:
    """A column to break the summary down by.

    Attributes:
        label: the column's name in the result, quoted.
        column: its name in the relation, quoted.
        relation: ``run``, ``qrels`` or ``query_list``.
    """

    label: str
    column: str
    relation: str


@dataclass(frozen=True)
class Query:
    """Everything that decides the text of a statement."""

    runs: Sequence[Relation]
    metrics: Sequence[ResolvedMetric]
    options: Mapping[str, Value | None]
    qrels: Relation | None = None
    query_list: Relation | None = None
    groups: Sequence[Group] = ()
    baseline: str | None = None
    check: str = "none"
    strategy: str = field(default="window")
    dialect: Dialect = CANONICAL

    @property
    def relations(self) -> list[Relation]:
        """All that is read."""
        return [*self.runs, *(relation for relation in (self.qrels, self.query_list) if relation is not None)]

    @property
    def query_labels(self) -> list[str]:
        """Output names of the query columns: the user's, where several name a query together."""
        names = list(self.runs[0].columns["query_id"])
        return names if len(names) > 1 else ["query_id"]

    def text(self, level: str) -> str:
        """The statement as it runs: in the dialect of its database."""
        return self.translated(self.sql(level))

    def translated(self, sql: str, keys: Collection[str] | None = None) -> str:
        """A statement of the canonical text over these relations, in their dialect.

        Args:
            sql: the statement.
            keys: the user's columns whose text is compared; None for all that name queries, items, runs and groups.
        """
        stand_ins = {relation.stand_in: relation.sql for relation in self.relations if relation.stand_in}
        return in_dialect(sql, self.dialect, stand_ins, keys)

    def sql(self, level: str) -> str:
        """The statement in DuckDB's dialect, with a plain name in place of each relation of another.

        Args:
            level: ``per_query``, ``summary``, ``compare``, ``curve``, ``curve_per_query`` or ``points``.
        """
        return str(macros()["rm_query"](self._plan(level)))

    def _plan(self, level: str) -> dict[str, Any]:
        groups = [
            {
                "name": f"group_{number}",
                "label": group.label,
                "column": group.column,
                "relation": _side(group),
            }
            for number, group in enumerate(self.groups, start=1)
        ]
        return {
            "level": level,
            "runs": [run.as_template() for run in self.runs],
            "qrels": None if self.qrels is None else self.qrels.as_template(),
            "selected": None if self.query_list is None else self.query_list.as_template(),
            "metrics": [_metric_as_template(metric) for metric in self.metrics],
            "options": dict(self.options) | {"strategy": self.strategy},
            "groups": groups,
            "query_labels": self.query_labels,
            "check": self.check,
            "baseline": self.baseline,
            "recurses": self.dialect.windowed_recursion,
        }


def _side(group: Group) -> str:
    """What the templates call the relation of a group."""
    return "selected" if group.relation == "query_list" else group.relation


def check_inputs(
    options: Mapping[str, Value | None], metrics: Sequence[ResolvedMetric], runs: Sequence[Relation]
) -> None:
    """Refuses options and runs that contradict each other.

    Raises:
        UsageError: they do.
    """
    scored = [bool(run.columns.get("score")) for run in runs]
    given = options["position"] == "given"
    ties = {metric.ranking["ties"] for metric in metrics}
    contradictions = {
        "Some runs have scores and some have positions only; name a position for all: columns={'position': ...}.": (
            any(scored) and not all(scored)
        ),
        "position=given needs a run with positions instead of scores; name them: columns={'position': ...}.": (
            given and any(scored)
        ),
        "position=given keeps the places that strategy=count would find.": given and options["strategy"] == "count",
        "position=given keeps the gaps that unjudged=drop would close.": (
            given and any(metric.ranking["unjudged"] == "drop" for metric in metrics)
        ),
        f"position=given has no equal scores that ties={'/'.join(sorted(map(str, ties)))} could order.": (
            given and not ties <= {"item_desc", "item_asc"}
        ),
        "n_relevant says how many items are relevant for one threshold; set rel for all metrics, not for one.": (
            any(run.columns.get("n_relevant") for run in runs)
            and any(metric.params.get("rel", options["rel"]) != options["rel"] for metric in metrics)
        ),
        "ties=rank and ties=input exclude each other: a run has one column of places.": {"rank", "input"} <= ties,
        "Runs have names already; a run_id column tells the systems of one table apart.": any(
            run.name is not None and run.columns.get("run_id") for run in runs
        ),
    }
    for message, holds in contradictions.items():
        if holds:
            raise UsageError(message)


def check_comparable(metrics: Sequence[ResolvedMetric]) -> None:
    """Refuses metrics that a comparison cannot bring together out of pairs of queries.

    Raises:
        UsageError: there is one.
    """
    for metric in metrics:
        if metric.aggregate in ("median", "parts"):
            how = "its median" if metric.aggregate == "median" else "a value of all queries together"
            raise UsageError(
                f"Metric {metric.label!r}: compare pairs queries, and {how} is not made of pairs; take aggregate=mean."
            )


def check_subtopics(metrics: Sequence[ResolvedMetric], runs: Sequence[Relation], qrels: Relation | None) -> None:
    """Refuses metrics of subtopics where nothing says what they are, or where a choice has no meaning for them.

    Raises:
        UsageError: there are no subtopics, or no one grade of an item.
    """
    labelled = any(run.columns.get("relevance") for run in runs)
    known = qrels is not None and bool(qrels.columns.get("subtopic"))
    if labelled and known:
        raise UsageError("A labelled table has one grade an item; judgments by subtopic go with a run.")
    for metric in metrics:
        if "subtopics" not in metric.needs:
            continue
        contradictions = {
            "a labelled table has no subtopics; score a run against qrels that have.": labelled,
            "the qrels must say for which subtopic an item is judged; name the column: columns={'subtopic': ...}.": (
                not known
            ),
            "an unjudged item has no subtopic to be relevant to; take unjudged=nonrelevant or unjudged=drop.": (
                metric.ranking["unjudged"] not in ("nonrelevant", "drop")
            ),
            f"ties={metric.ranking['ties']} needs one grade an item.": metric.ranking["ties"] in ("best", "worst"),
            "judgments=retrieved is not for subtopics; take judgments=all.": metric.ranking["judgments"] != "all",
        }
        for message, holds in contradictions.items():
            if holds:
                raise UsageError(f"Metric {metric.label!r}: {message}")


def check_names(query: Query, level: str) -> None:
    """Refuses groups and query columns that would stand twice in the result.

    Args:
        query: what is to be written.
        level: ``evaluation`` for a summary and values per query, ``compare`` or ``curve``.

    Raises:
        UsageError: a column is called as another column of the result.
    """
    labels = query.query_labels if len(query.query_labels) > 1 else []
    taken = ["run", "run_id", *_RESULT_COLUMNS[level]]
    taken += [metric.column for metric in query.metrics] if level == "evaluation" else []
    taken += [] if labels else query.query_labels
    for name in (label.strip('"`') for label in [*labels, *(group.label for group in query.groups)]):
        if name.lower() in taken:
            raise UsageError(f"A column called {name!r} would stand twice in the result; rename it in a query.")
        taken.append(name.lower())


def _metric_as_template(resolved: ResolvedMetric) -> dict[str, Any]:
    metric = resolved.metric
    return {
        "name": metric.name,
        "label": resolved.label,
        "column": resolved.column,
        "params": dict(resolved.params),
        "x": resolved.x,
        "ranking": dict(resolved.ranking),
        "needs": resolved.needs,
        "aggregate": resolved.aggregate,
        "skips": resolved.skips,
        "has_columns": metric.has_columns,
        "has_relation": metric.has_relation,
        "has_parts": metric.has_parts,
    }
