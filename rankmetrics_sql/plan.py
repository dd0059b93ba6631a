"""Plans: relations bound and options resolved, of which statements are rendered."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .definitions.known import Value, known_options
from .definitions.resolution import ResolvedMetric, raise_refusal, refuse
from .dialects import CANONICAL, Dialect, in_dialect
from .inputs.columns import ColumnSpec, Group, GroupOrder
from .relation import WEIGHT, Relation, is_no_text
from .templates import macros

if TYPE_CHECKING:
    from .results.tables import Table
    from .sources import Rows

CURVES = ("curve", "curve_per_query", "points")
MOVEMENTS = "movements"
JUDGE_NEXT = "judge_next"
COMPARISONS = ("compare", "compare_per_query", "decompose", MOVEMENTS)

# Options of comparisons that say what is asked: nothing else has use for them.
OF_COMPARISONS = ("test", "design", "margin", "power", "sequential")


@dataclass(frozen=True)
class Plan:
    """A request over its inputs: relations bound, options resolved; everything that decides the text of a statement.

    Attributes:
        qrels: the judgments; those of the model, if ``human_qrels`` has those of people for some of the queries.
        spec: the columns and groups that the caller names, under the names that they have in the relations.
        groups: what the result is broken down by; the last is the cluster or the stratum, if there is one.
        rollup: whether there are totals of every set of groups, or the sets, by the labels of groups.
        group_order: how the groups of a summary are ordered, and how many it keeps.
        names_of_pairs: the names of the runs of one table, if all pairs of them are compared.
        stored_values: the values of queries, which are then read instead of the inputs.
        groups_checked: whether it is known that no query is in two groups.
        texts: texts of queries and items, for a list of what to judge next.
        n_items: how many items such a list has.
        judge: the label of the judge, which is the last column of each query, in a verdict for each judge.
        counts_left_out: whether a comparison has the number of rows that ``min_queries`` leaves out.
        tells_of_tails: whether the result has the column that a warning of heavy tails reads.
        notes: warnings about sources.
        quality: counts the rows of the sources that are used or not; None without a source.
        sources: the sources that the rows are from, by the names of their runs; None for one in place of all runs.
    """

    runs: Sequence[Relation]
    metrics: Sequence[ResolvedMetric]
    options: Mapping[str, Value | None]
    qrels: Relation | None = None
    human_qrels: Relation | None = None
    query_list: Relation | None = None
    items: Relation | None = None
    spec: ColumnSpec = field(default_factory=ColumnSpec)
    groups: Sequence[Group] = ()
    rollup: bool | Sequence[Sequence[str]] = False
    min_queries: int | None = None
    group_order: GroupOrder | None = None
    has_cluster: bool = False
    has_strata: bool = False
    baseline: str | None = None
    all_pairs: bool = False
    names_of_pairs: Sequence[str] = ()
    limits: Mapping[str, float] | None = None
    relative_limits: Sequence[str] = ()
    caps: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    stored_values: Relation | None = None
    check: str = "none"
    groups_checked: bool = False
    tells_of_tails: bool = False
    texts: Sequence[Relation] = ()
    n_items: int = 0
    judge: str | None = None
    counts_left_out: bool = False
    strategy: str = field(default="window")
    ranks_all: bool = False
    dialect: Dialect = CANONICAL
    notes: Sequence[str] = ()
    quality: Table | None = None
    sources: Mapping[str | None, Rows] = field(default_factory=dict)
    _texts_of_levels: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def shown_groups(self) -> Sequence[Group]:
        """Return the groups that the result is broken down by, without the cluster or stratum."""
        return self.groups[: len(self.groups) - self.has_cluster - self.has_strata]

    @property
    def judgments(self) -> list[Relation]:
        """Return the judgments, of people too if those of a model predict them."""
        return [relation for relation in (self.qrels, self.human_qrels) if relation is not None]

    @property
    def relations(self) -> list[Relation]:
        """Return all relations that statements read."""
        other_inputs = (*self.judgments, self.query_list, self.items, *self.texts)
        return [*self.runs, *(relation for relation in other_inputs if relation is not None)]

    @property
    def has_weight(self) -> bool:
        """Check whether queries have weights."""
        return any(relation.columns.get(WEIGHT) for relation in self.relations)

    def options_of(self, scope: str) -> dict[str, Value | None]:
        """Return the options of a scope, by name."""
        return {name: self.options[name] for name, option in known_options().items() if option["scope"] == scope}

    @property
    def without_temp_tables(self) -> Plan:
        """Return the plan that still runs when the evaluation is over: without temporary tables, if it can."""
        permanent = [one for one in (*self.runs, *self.judgments) if one.permanent_sql]
        return self.from_source if all(one.is_permanent for one in permanent) else self

    @property
    def from_source(self) -> Plan:
        """Return the plan with the statements behind temporary tables in place of these tables."""
        if not any(relation.permanent_sql for relation in (*self.runs, *self.judgments)):
            return self
        qrels, human_qrels = (one and _from_source(one) for one in (self.qrels, self.human_qrels))
        return replace(self, runs=[*map(_from_source, self.runs)], qrels=qrels, human_qrels=human_qrels)

    @property
    def first_items(self) -> int:
        """Return how many items of a list count for the warning of few judged items."""
        return int(macros()["rm_first_items"]([metric.as_template() for metric in self.metrics]))

    @property
    def query_labels(self) -> list[str]:
        """Return the names of the query columns in results, as the user's run has them."""
        labels = self.runs[0].query_labels
        return labels if self.judge is None else [*labels[:-1], self.judge]

    def text(self, level: str, *, of_view: bool = False) -> str:
        """Return the statement in the dialect of its database; for a view without an order."""
        if of_view:
            return self.translated(self.sql(level, ordered=False), quotes_results=False)
        if level not in self._texts_of_levels:  # what runs is shown, too
            self._texts_of_levels[level] = self.translated(self.sql(level))
        return self._texts_of_levels[level]

    def translated(self, sql: str, keys: Collection[str] | None = None, *, quotes_results: bool = True) -> str:
        """Translate a statement over these relations into their dialect.

        Args:
            sql: the statement in the canonical dialect.
            keys: the user's columns whose text is compared; None for all that name queries, items, runs and groups.
            quotes_results: as for ``transpile``.
        """
        bound = [*self.relations, *([self.stored_values] if self.stored_values else [])]
        stand_ins = {name: text for relation in bound for name, text in relation.stand_ins.items()}
        return in_dialect(sql, self.dialect, stand_ins, keys, self._texts, quotes_results=quotes_results)

    @property
    def _texts(self) -> dict[str, bool]:
        """Return which columns of the inputs are text, if all columns of the name agree."""
        are_text: dict[str, set[bool]] = {}
        for relation in self.relations:
            for name, type_ in (relation.types or {}).items():
                are_text.setdefault(name, set()).add(not is_no_text(type_))
        return {name: is_text.pop() for name, is_text in are_text.items() if len(is_text) == 1}

    @property
    def sorted_depth(self) -> int | None:
        """Return how many items of each list the summary sorts, by the cutoffs of its metrics; None for all."""
        depth = macros()["rm_sorted_depth"](self._request("summary"))
        return None if depth is None else int(depth)

    def sql(self, level: str, *, ordered: bool = True) -> str:
        """Return the statement in DuckDB's dialect; relations of other dialects have plain names in it.

        Args:
            ordered: whether its rows have an order; the rows of a view do not.
            level: ``per_query``, ``summary``, ``sums``, ``compare``, ``compare_per_query``, ``decompose``,
                ``movements``, ``values``, ``curve``, ``curve_per_query``, ``points`` or ``judge_next``.
        """
        return str(macros()["rm_query"](self._request(level), ordered))

    def refuse(self, level: str) -> None:
        """Raise if a rule of ``sql/refusals.toml`` is met: inputs or options contradict each other, columns repeat."""
        raise_refusal(macros()["rm_request_refusal"](self._request(level), False))

    def refuse_metric(self, metric: ResolvedMetric) -> None:
        """Raise if a metric that is not in the plan contradicts the inputs."""
        refuse("inputs", macros()["rm_input_facts"](self._request("summary"), metric.as_template()))

    def assuming(self, metric: ResolvedMetric, choices: Mapping[str, Value | None]) -> ResolvedMetric:
        """Return a metric with other values of ranking options, or raise if it has no such form."""
        accepted = {option: value for option, value in choices.items() if option in metric.params}
        changed = metric.choosing(accepted, choices)
        self.refuse_metric(changed)
        return changed

    def _shows_nothing(self, level: str) -> bool:
        """Check whether a row reports that there is nothing to compare; with a connection, a check reports it."""
        return level == "compare" and not (self.runs[0].is_known or self.all_pairs)

    def _shown(self, level: str) -> list[str]:
        more = {"nothing": self._shows_nothing(level), "tails": self.tells_of_tails}
        more["left_out"] = self.counts_left_out and self.min_queries is not None
        return ["interval", "pvalue", *(name for name, is_shown in more.items() if is_shown)]

    def _request(self, level: str) -> dict[str, Any]:
        values_relation = self.stored_values
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
            "runs": [run.as_template() | ({} if self._sorts_alike else {"exact": []}) for run in self.runs],
            "qrels": None if self.qrels is None else self.qrels.as_template(),
            "human_qrels": None if self.human_qrels is None else self.human_qrels.as_template(),
            "query_list": None if self.query_list is None else self.query_list.as_template(),
            "catalogue": None if self.items is None else self.items.as_template(),
            "metrics": [metric.as_template() for metric in self.metrics],
            "options": dict(self.options) | {"strategy": self.strategy},
            "groups": groups,
            "has_cluster": self.has_cluster,
            "has_strata": self.has_strata,
            "rollup": self._sets,
            "min_queries": self.min_queries,
            "group_order": self._group_order,
            "query_labels": self.query_labels,
            "check": self.check,
            "groups_checked": self.groups_checked,
            "baseline": self.baseline,
            "all_pairs": self.all_pairs,
            "names_of_pairs": (self.names_of_pairs or [run.name for run in self.runs]) if self.all_pairs else [],
            "limits": self.limits,
            "relative_limits": [*self.relative_limits],
            "caps": dict(self.caps),
            "shown": self._shown(level),
            "judging": self._judging if level == JUDGE_NEXT else None,
            "stored_values": None if values_relation is None else values_relation.as_template()["relation"],
            "stored_basis": values_relation is not None and values_relation.is_known and values_relation.has("n_first"),
            "recurses": self.dialect.windowed_recursion,
            "without_float32": None if self.dialect.float32 else str(self.dialect),
            "ranks_all": self.ranks_all,
            "selects_kth": self._selects_kth,
            "sums_greatest": self.dialect.sums_greatest,
            "counts_bits": self.dialect.counts_bits,
        }

    @property
    def _group_order(self) -> dict[str, Any] | None:
        """Return the order of the groups, with the number that its metric has in statements."""
        if self.group_order is None:
            return None
        label, labels = self.group_order.metric, [metric.label for metric in self.metrics]
        number = None if label is None else labels.index(label) + 1
        return {"metric_number": number, "descending": self.group_order.descending, "limit": self.group_order.limit}

    @property
    def _judging(self) -> dict[str, Any]:
        """Return how many items to judge are listed, beside their ranks in which runs, and with which texts."""
        names = self.names_of_pairs or [str(run.name) for run in self.runs]
        return {"names": [*names], "n": self.n_items, "texts": [relation.as_template() for relation in self.texts]}

    @property
    def _sorts_alike(self) -> bool:
        """Check whether all runs are sorted by numbers of one type; a union of several types is one of doubles."""
        types = [run.types_of(run.value) for run in self.runs]
        return all(types_of_run == types[0] for types_of_run in types)

    @property
    def _sets(self) -> bool | list[list[str]]:
        """Return the sets of groups to make totals of, by the names that groups have in statements."""
        if isinstance(self.rollup, bool):
            return self.rollup
        names = {group.label: f"group_{number}" for number, group in enumerate(self.groups, start=1)}
        return [[names.get(label, label) for label in labels] for labels in self.rollup]

    @property
    def _selects_kth(self) -> bool:
        """Check whether the k-th score of each list is computed first, which reads the run once more."""
        queries = any(run.is_query for run in self.runs)
        return self.dialect.selects_kth and (self.dialect.stores_ctes or not queries)


def _from_source(relation: Relation) -> Relation:
    """Return a relation with the statement behind its temporary table in place of this table."""
    if not relation.permanent_sql:
        return relation
    return replace(relation, sql=relation.permanent_sql, is_query=True, permanent_sql=None)
