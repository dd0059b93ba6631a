"""Everything that decides the text of a statement."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..definitions.catalogue import options
from ..definitions.metric_strings import Value
from ..definitions.refusals import refuse
from ..definitions.resolution import ResolvedMetric
from ..dialects import CANONICAL, Dialect, in_dialect
from .relation import COVARIATE, WEIGHT, Relation
from .templates import macros

CURVES = ("curve", "curve_per_query", "points")
MOVEMENTS = "movements"
COMPARISONS = ("compare", "compare_per_query", "decompose", MOVEMENTS)

# When else a metric is looked at, by the result.
_OF_RESULT = {"compare": "comparison", "decompose": "decomposition", "sums": "sums"}

# What is made with the weights of queries.
_WEIGHED = ("summary", "curve", "sums", "values", "compare", "compare_per_query")

# What has use for clusters beside intervals.
_CLUSTERED = ("sums", "values", "compare", "compare_per_query")

# Options of comparisons that say what is asked: nothing else has use for them.
OF_COMPARISONS = ("test", "design", "margin", "power", "sequential")

# What is made with a covariate.
_ADJUSTED = ("sums", "values", "compare")


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
    """Everything that decides the text of a statement. Values that were stored are read instead of the inputs.

    Of a rollup, sets have groups by their labels. Where there is a cluster, it is the last group. Where all pairs are
    compared, runs have names.
    """

    runs: Sequence[Relation]
    metrics: Sequence[ResolvedMetric]
    options: Mapping[str, Value | None]
    qrels: Relation | None = None
    query_list: Relation | None = None
    items: Relation | None = None
    groups: Sequence[Group] = ()
    rollup: bool | Sequence[Sequence[str]] = False
    min_queries: int | None = None
    has_cluster: bool = False
    baseline: str | None = None
    all_pairs: bool = False
    limits: Mapping[str, float] | None = None
    stored_values: Relation | None = None
    check: str = "none"
    strategy: str = field(default="window")
    ranks_all: bool = False
    dialect: Dialect = CANONICAL

    @property
    def relations(self) -> list[Relation]:
        """All that is read."""
        others = (self.qrels, self.query_list, self.items)
        return [*self.runs, *(relation for relation in others if relation is not None)]

    @property
    def has_weight(self) -> bool:
        """Whether queries have weights."""
        return any(relation.columns.get(WEIGHT) for relation in self.relations)

    @property
    def has_covariate(self) -> bool:
        """Whether effects are adjusted by a number of each query."""
        return any(relation.columns.get(COVARIATE) for relation in self.relations)

    def options_of(self, scope: str) -> dict[str, Value | None]:
        """The choices of a scope, by name."""
        return {name: self.options[name] for name, option in options().items() if option.scope == scope}

    @property
    def lasting(self) -> Query:
        """The same of what is there when the evaluation is over: rows that were stored for it are made again."""
        if not any(relation.lasting for relation in (*self.runs, self.qrels) if relation is not None):
            return self
        again = [
            replace(run, sql=run.lasting, is_query=True, lasting=None) if run.lasting else run for run in self.runs
        ]
        qrels = self.qrels
        if qrels is not None and qrels.lasting:
            qrels = replace(qrels, sql=qrels.lasting, is_query=True, lasting=None)
        return replace(self, runs=again, qrels=qrels)

    @property
    def cutoffs(self) -> list[int]:
        """Those of all metrics, in their order; none where positions are given, which cannot tie there."""
        if self.options["position"] == "given":
            return []
        return sorted({int(str(metric.params["k"])) for metric in self.metrics if metric.params.get("k")})

    @property
    def query_labels(self) -> list[str]:
        """The names of the query's columns in results: those that the user's run has."""
        return self.runs[0].query_labels

    def text(self, level: str) -> str:
        """The statement as it runs: in the dialect of its database."""
        return self.translated(self.sql(level))

    def translated(self, sql: str, keys: Collection[str] | None = None) -> str:
        """A statement of the canonical text over these relations, in their dialect.

        Args:
            sql: the statement.
            keys: the user's columns whose text is compared; None for all that name queries, items, runs and groups.
        """
        known = [*self.relations, *([self.stored_values] if self.stored_values else [])]
        stand_ins = {name: text for relation in known for name, text in relation.stand_ins.items()}
        return in_dialect(sql, self.dialect, stand_ins, keys)

    @property
    def sorted_depth(self) -> int | None:
        """How many items of a list its summary sorts: what reaches the cutoffs of all its metrics; None for all."""
        depth = macros()["rm_sorted_depth"](self._request("summary"))
        return None if depth is None else int(depth)

    def sql(self, level: str) -> str:
        """The statement in DuckDB's dialect, with a plain name in place of each relation of another.

        Args:
            level: ``per_query``, ``summary``, ``sums``, ``compare``, ``compare_per_query``, ``decompose``,
                ``movements``, ``values``, ``curve``, ``curve_per_query`` or ``points``.
        """
        return str(macros()["rm_query"](self._request(level)))

    def _request(self, level: str) -> dict[str, Any]:
        groups = [
            {
                "name": f"group_{number}",
                "label": group.label,
                "column": group.column,
                "relation": group.relation,
            }
            for number, group in enumerate(self.groups, start=1)
        ]
        return {
            "level": level,
            "runs": [run.as_template() for run in self.runs],
            "qrels": None if self.qrels is None else self.qrels.as_template(),
            "query_list": None if self.query_list is None else self.query_list.as_template(),
            "catalogue": None if self.items is None else self.items.as_template(),
            "metrics": [_metric_as_template(metric) for metric in self.metrics],
            "options": dict(self.options) | {"strategy": self.strategy},
            "groups": groups,
            "has_cluster": self.has_cluster,
            "rollup": self._sets,
            "min_queries": self.min_queries,
            "query_labels": self.query_labels,
            "check": self.check,
            "baseline": self.baseline,
            "all_pairs": self.all_pairs,
            "limits": self.limits,
            "shown": ["interval", "pvalue"],
            "stored_values": None if self.stored_values is None else self.stored_values.as_template()["relation"],
            "recurses": self.dialect.windowed_recursion,
            "ranks_all": self.ranks_all,
            "selects_kth": self._selects_kth,
            "sums_greatest": self.dialect.sums_greatest,
            "counts_bits": self.dialect.counts_bits,
        }

    @property
    def _sets(self) -> bool | list[list[str]]:
        """The sets of groups that totals are wanted of, each by the names that stand in statements."""
        if isinstance(self.rollup, bool):
            return self.rollup
        names = {group.label: f"group_{number}" for number, group in enumerate(self.groups, start=1)}
        return [[names.get(label, label) for label in labels] for labels in self.rollup]

    @property
    def _selects_kth(self) -> bool:
        """Whether the k-th score of a list is asked for, which reads the run once more."""
        queries = any(run.is_query for run in self.runs)
        return self.dialect.selects_kth and (self.dialect.stores_ctes or not queries)


def refuse_query(query: Query, level: str) -> None:
    """Refuses inputs that contradict each other or the choices, and columns that would stand twice in the result.

    Args:
        query: what is to be written.
        level: what kind of statement, as ``Query.sql`` knows them; the summary's also for values per query beside it.

    Raises:
        UsageError: a rule of ``sql/refusals.toml`` is met.
    """
    own = {name: name for name in (*_OF_RESULT, MOVEMENTS)}
    results = {**dict.fromkeys(COMPARISONS, "compare"), **dict.fromkeys(CURVES, "curve"), **own}
    result = results.get(level, "evaluation")
    for metric in query.metrics:
        refuse_inputs(query, metric)
    asked: dict[str, Any] = {"has_cluster": query.has_cluster, "has_covariate": query.has_covariate}
    asked["has_weight"] = query.has_weight
    asked["has_limits"] = query.limits is not None
    asked["greatest_limit"] = max((query.limits or {}).values(), default=0)
    tested = query.options_of("comparison") | asked if result == "compare" else {}
    for metric in query.metrics if result in _OF_RESULT else ():
        refuse(_OF_RESULT[result], metric.facts | tested | {"limit": (query.limits or {}).get(metric.label, 0)})
    for metric in query.metrics if query.has_weight else ():
        refuse("weighted", metric.facts)
    for metric in query.metrics if level == "values" else ():
        refuse("values", metric.facts)
    refuse("breakdown", _breakdown_facts(query, level))
    if result == "compare":
        refuse("tested", tested)
    names = [name for metric in query.metrics for name in (metric.column, metric.label)]
    taken = [name.lower() for name in names] if result == "evaluation" else []
    queries = [] if level in _OF_RESULT else query.query_labels
    for label in [*queries, *(group.label for group in query.groups)]:
        column = label.strip('"`')
        facts = {"column": column, "result": result, "is_taken": column.lower() in taken}
        facts |= {"has_rollup": query.rollup is not False, "has_weight": query.has_weight}
        facts["has_covariate"] = query.has_covariate
        refuse("column", facts | {name: query.options[name] for name in ("interval", "test")})
        taken.append(column.lower())


def refuse_inputs(query: Query, metric: ResolvedMetric) -> None:
    """Refuses a metric that the inputs of a query do not go with.

    Args:
        query: what the inputs are, and the other metrics.
        metric: one with a value for each of its choices.

    Raises:
        UsageError: a rule of ``sql/refusals.toml`` is met.
    """
    refuse("inputs", metric.facts | _input_facts(query, metric))


def _input_facts(query: Query, metric: ResolvedMetric) -> dict[str, Any]:
    """What a refusal may be about of the inputs, and of a metric that is computed from them."""
    columns = [run.columns for run in query.runs]
    scored = {bool(run.get("score")) for run in columns}
    rel = query.options["rel"]
    return {
        **query.options_of("evaluation"),
        "is_labelled": any(run.get("relevance") for run in columns),
        "has_scores": "some" if len(scored) > 1 else "all" if True in scored else "none",
        "has_position": any(run.get("position") for run in columns),
        "has_n_relevant": any(run.get("n_relevant") for run in columns),
        "has_judgments": query.qrels is not None or any(run.get("relevance") for run in columns),
        "has_items": query.items is not None,
        "has_popularity": query.items is not None and bool(query.items.columns.get("popularity")),
        "has_categories": query.items is not None and bool(query.items.columns.get("category")),
        "has_subtopics": query.qrels is not None and bool(query.qrels.columns.get("subtopic")),
        "has_own_rel": metric.params.get("rel", rel) != rel,
        "all_ties": [other.ranking["ties"] for other in query.metrics],
        "is_named_twice": any(run.name is not None and run.columns.get("run_id") for run in query.runs),
        "recurses": query.dialect.windowed_recursion,
    }


def _breakdown_facts(query: Query, level: str) -> dict[str, Any]:
    """What a refusal may be about of the groups."""
    labels = [group.label for group in query.groups]
    sets = [] if isinstance(query.rollup, bool) else query.rollup
    has_intervals = query.options["interval"] not in (None, "none")
    return {
        "has_groups": bool(labels),
        "groups": ", ".join(label.strip('"`') for label in labels),
        "is_summary": level == "summary",
        "has_rollup": query.rollup is not False,
        "unknown": next((label for columns in sets for label in columns if label not in labels), None),
        "min_queries": query.min_queries,
        "is_count": query.min_queries is not None and query.min_queries >= 1,
        "has_weight": query.has_weight,
        "is_weighed": level in _WEIGHED,
        "has_covariate": query.has_covariate,
        "is_adjusted": level in _ADJUSTED,
        "is_sums": level == "sums",
        "has_cluster": query.has_cluster,
        "is_clustered": level in _CLUSTERED or (level == "summary" and has_intervals),
        "is_decomposition": level == "decompose",
        "is_movements": level == MOVEMENTS,
        "is_curve": level in CURVES,
        **{name: query.options[name] for name in OF_COMPARISONS},
        "interval": query.options["interval"],
        "bootstrap_interval": query.options["bootstrap_interval"],
        "is_one_run": level not in (*_OF_RESULT, *COMPARISONS, *CURVES),
    }


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
        "of_lists": metric.of_lists,
        "skips": resolved.skips,
        "has_columns": metric.has_columns,
        "has_relation": metric.has_relation,
        "has_parts": metric.has_parts,
        "shape": metric.shape,
        "better": metric.better,
        "reads_ranks": metric.reads_ranks,
        "divides_by_judgments": metric.divides_by_judgments,
        "reads_judgments": metric.reads_judgments,
    }
