"""Requests: everything that the caller asked for, but the runs and judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..definitions.resolution import Choices, ResolvedMetric, ask
from ..inputs.columns import ColumnSpec, GroupOrder, MetricRequirements
from ..templates import macros


class Request(NamedTuple):
    """What was asked for, resolved; the runs and judgments to compute it from are passed beside it.

    Attributes:
        metrics: the metrics to compute, with a value for every choice.
        choices: the options.
        level: the kind of result: ``summary``, ``per_query``, ``compare``, ``curve`` ... as in ``Plan.sql``.
        baseline: the run that others are compared with.
        all_pairs: whether each run is compared with those before it instead.
        limits: by how much each metric, by its label, may be worse, where a comparison is to say whether it is; below 0
            by how much it has to be better.
        caps: the amount, or share of the positive values, above which values of a metric count as that, by its label.
        reads_all: whether all items of a log are read, even if these metrics need only the relevant ones.
        is_of_pairs: whether the names of the runs of one table are looked up, of which the first is the baseline.
        relative_limits: the labels of the limits that are shares of the baseline's value.
        spec: the columns and groups that the caller names.
        group_order: how the groups of a summary are ordered, and how many it keeps.
        query_list: the queries to score, in any form of an input.
        items: the catalogue of items, likewise.
        predicted_qrels: the judgments of a model for all queries, likewise, where the judgments are those of people for
            some.
        input_format: the format of all files, or None to go by their names.
    """

    metrics: Sequence[ResolvedMetric]
    choices: Choices
    level: str = "summary"
    baseline: str | None = None
    all_pairs: bool = False
    limits: Mapping[str, float] | None = None
    caps: Mapping[str, Mapping[str, float | None]] = {}
    reads_all: bool = False
    is_of_pairs: bool = False
    relative_limits: Sequence[str] = ()
    spec: ColumnSpec = ColumnSpec()
    group_order: GroupOrder | None = None
    query_list: Any = None
    items: Any = None
    predicted_qrels: Any = None
    input_format: str | None = None

    @property
    def requirements(self) -> MetricRequirements:
        """Return the inputs that the metrics need besides a run and judgments."""
        columns = {column for metric in self.metrics for column in metric.needs}
        ties = {metric.ranking["ties"] for metric in self.metrics}
        metrics = [metric.as_template() for metric in self.metrics]
        history = bool(macros()["rm_read_history_alone"](metrics))
        carried, actions = ask("rm_carried", metrics), ask("rm_action_columns", metrics)
        return MetricRequirements(columns, ties, carried, actions, self._needs_relevant_rows_only(metrics), history)

    def _needs_relevant_rows_only(self, metrics: Sequence[Mapping[str, Any]]) -> bool:
        if self.reads_all:
            return False
        return bool(macros()["rm_relevant_rows_are_enough"](self.level, metrics, dict(self.choices.options)))
