"""Conditions that fail a comparison: ``ndcg@10 < -0.01``, ``ap worse``, ``ap worse by 0.005``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..definitions.resolution import ResolvedMetric
from ..definitions.verdicts import WORSE, verdict
from ..errors import DataError, UsageError, nearest, shortened

Record = Mapping[str, Any]

_COMPARED = re.compile(r"(?P<metric>.+?)\s*(?P<operator><=|>=|<|>)\s*(?P<number>\S+)")
_WORSE = re.compile(r"(?P<metric>.+?)\s+worse(?:\s+by\s+(?P<number>\S+))?", re.IGNORECASE)
_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_FORMS = "METRIC < NUMBER (also <=, >, >=) compares the effect, METRIC worse [by MARGIN] asks whether it is significant"


@dataclass(frozen=True)
class Gate:
    """A condition that no candidate may meet.

    Attributes:
        text: as the user typed it.
        metric: the label of the metric.
        meets: whether a row of ``Comparison.summary``, which has an effect, meets it.
        tests: whether it asks for significance.
    """

    text: str
    metric: str
    meets: Callable[[Record], bool]
    tests: bool

    def failures(self, records: Sequence[Record]) -> list[str]:
        """A line for each candidate and group that meets the condition.

        Args:
            records: the rows of ``Comparison.summary``.

        Raises:
            DataError: there is no effect to look at, or nothing is known of its significance.
        """
        own = [record for record in records if record["metric"] == self.metric]
        if not own:
            raise DataError(f"--fail-if {self.text!r}: no candidate has a value of {self.metric} to compare.")
        found = []
        for record in own:
            effect, is_significant, where = record["effect_size"], record["significant"], _where(record)
            if effect is None:
                raise DataError(f"--fail-if {self.text!r}: {where} has no effect.")
            if self.tests and is_significant is None:
                raise DataError(
                    f"--fail-if {self.text!r}: of {where} nothing says whether it is significant"
                    f" ({record['n_queries']} queries)."
                )
            if self.meets(record):
                level = f", p {record['pvalue_adj']:.4g} after correction" if self.tests else ""
                found.append(f"{self.text}: {where} differs from {record['baseline_run']} by {effect:+.4g}{level}.")
        return found


def read_gate(text: str, metrics: Sequence[ResolvedMetric], options: Mapping[str, Any]) -> Gate:
    """A condition out of its text.

    Args:
        text: as the user typed it.
        metrics: those that are asked for.
        options: those of the comparison.

    Raises:
        UsageError: it is none, its metric is not asked for, or the test cannot find what it asks.
    """
    compared, worse = _COMPARED.fullmatch(text.strip()), _WORSE.fullmatch(text.strip())
    found = compared or worse
    if found is None:
        raise UsageError(f"--fail-if: cannot understand {shortened(text)}. {_FORMS}.")
    metric = _metric(found["metric"], metrics)
    number = _number(found["number"], text)
    if compared is not None:
        holds = _OPERATORS[found["operator"]]
        return Gate(text, metric.label, lambda record: holds(record["effect_size"], number), tests=False)
    better, alternative = {metric.label: metric.metric.better}, options["alternative"]
    is_higher = metric.metric.better == "higher"
    if alternative == ("greater" if is_higher else "less"):
        raise UsageError(f"--fail-if {text!r}: alternative={alternative} never finds that {metric.label} is worse.")
    if number < 0:
        raise UsageError(f"--fail-if {text!r}: a margin is at least 0.")

    def is_worse(record: Record) -> bool:
        """Whether the table says so, and by more than the number."""
        return verdict(record, options, better) == WORSE and abs(record["effect_size"]) > number

    return Gate(text, metric.label, is_worse, tests=True)


def _metric(name: str, metrics: Sequence[ResolvedMetric]) -> ResolvedMetric:
    labels = {metric.label.lower(): metric for metric in metrics}
    if name.lower() not in labels:
        asked = [metric.label for metric in metrics]
        raise UsageError(f"--fail-if: {name!r} is none of the metrics that are asked for. {nearest(name, asked)}")
    return labels[name.lower()]


def _number(given: str | None, text: str) -> float:
    try:
        number = float(given or 0)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"--fail-if {text!r}: {given!r} is no number.")
    return number


def _where(record: Record) -> str:
    """The candidate, and the group that a row is of."""
    names = list(record)
    groups = names[names.index("baseline_run") + 1 : names.index("metric")]
    said = ", ".join(f"{name}={record[name]}" for name in groups)
    return f"{record['run']} ({said})" if said else str(record["run"])
