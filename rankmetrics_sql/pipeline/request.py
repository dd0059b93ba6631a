"""Requests: what is asked for, independent of the inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..definitions.resolution import Choices, ResolvedMetric
from ..inputs.columns import MetricRequirements
from ..templates import macros


class Request(NamedTuple):
    """What is asked for, independent of the inputs.

    Attributes:
        metrics: those that are computed, with a value for every choice.
        choices: the options.
        level: what kind of result: ``summary``, ``per_query``, ``compare``, ``curve`` ... as ``Plan.sql`` knows them.
        baseline: the run that others are compared with.
        all_pairs: whether each run is compared with those before it instead.
        limits: by how much each metric, by its label, may be worse, where a comparison is to say whether it is; below 0
            by how much it has to be better.
        caps: the amount, or share of the positive values, above which values of a metric count as that, by its label.
        reads_all: whether all items of a log are read, though these metrics need only those that are relevant.
        is_of_pairs: whether the names of the runs of one table are looked up, of which the first is the baseline.
        relative_limits: the labels of the limits that are shares of the baseline's value.
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

    @property
    def requirements(self) -> MetricRequirements:
        """The shared columns that the metrics need."""
        columns = {need for metric in self.metrics for need in metric.needs}
        return MetricRequirements(columns, {metric.ranking["ties"] for metric in self.metrics}, self._relevant_alone)

    @property
    def _relevant_alone(self) -> bool:
        if self.reads_all:
            return False
        metrics = [metric.as_template() for metric in self.metrics]
        return bool(macros()["rm_relevant_rows_are_enough"](self.level, metrics, dict(self.choices.options)))
