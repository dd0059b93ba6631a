"""The question why two profiles differ.

One statement has the metric of both, and that of the second with each choice of the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from ..definitions.choices import Choices, resolve_options
from ..definitions.parameters import Value
from ..definitions.refusals import refuse
from ..definitions.resolution import ResolvedMetric, resolve
from ..errors import UsageError
from ..pipeline.request import Request
from ..pipeline.scores import score
from ..results.explanation import Explanation
from ..results.values import Result
from .common import CommonBesideProfile, Keywords
from .question import question
from .runs import metrics_second

_HERE, _THERE = "value_here", "value_there"


@question("connection", "columns", "query_list", "input_format")
def explain(
    run: Any,
    qrels: Any = None,
    metric: str = "",
    *,
    profile: str,
    against: str = "trec_eval",
    **common: Unpack[CommonBesideProfile],
) -> Explanation:
    """Explains why two profiles give a metric different values: which options differ, and the effect of each alone.

    Args:
        run: one run, as in ``evaluate``.
        qrels: judgments.
        metric: one metric string that names the same metric in both profiles.
        profile: the profile to explain.
        against: the profile to compare with.
        options: options that both sides share.

    Raises:
        UsageError: an unknown metric, option, profile or value, or two different metrics.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> run, qrels = {"q1": {"a": 1.0, "b": 1.0}}, {"q1": {"a": 1, "b": 0}}
        >>> found = rm.explain(run, qrels, "ndcg@2", profile="scikit-learn", check="none")
        >>> round(found.value, 4), round(found.against_value, 4)
        (0.8155, 0.6309)
    """
    asked = Keywords(common)
    qrels, metric = metrics_second(run, qrels, metric, "metric")
    both = Question(metric, profile, against, asked.options)
    with asked.prepared(Request(both.metrics, both.choices), run, qrels) as prepared:
        runs = prepared.query.runs
        if len(runs) > 1 or runs[0].columns.get("run_id"):
            raise UsageError("explain takes one run. Pass a single run, not several.")
        return both.answer(score(prepared))


class Question:
    """One metric under two profiles, and what to compute to tell them apart."""

    def __init__(self, text: str, profile: str, against: str, options: Mapping[str, Any]) -> None:
        here, there = (resolve(text, resolve_options(options, name)) for name in (profile, against))
        if here.name != there.name:
            raise UsageError(
                f"Metric {text!r} is {here.name} in profile {profile} and {there.name} in {against};"
                " name ours, so that one metric is compared."
            )
        for metric in (here, there):
            refuse("explanation", metric.facts)
        self._text, self._profile, self._against = text, profile, against
        self._here, self._there = _named(here, _HERE), _named(there, _THERE)
        self.choices: Choices = resolve_options(options)
        self.differing = _differences(here, there)
        self._alone = {name: _with_choice(self._there, here, name) for name in self.differing}

    @property
    def metrics(self) -> Sequence[ResolvedMetric]:
        """The evaluation to explain."""
        return [self._here, self._there, *(metric for metric in self._alone.values() if metric is not None)]

    def answer(self, result: Result) -> Explanation:
        """The explanation that the result of an evaluation of these metrics gives."""
        values = {row["metric"]: row["value"] for row in result.summary.dicts()}
        here, there = values[_HERE], values[_THERE]
        choices = [self._choice(name, *shown, values, there) for name, shown in self.differing.items()]
        alone = [choice["difference"] for choice in choices]
        together = None if None in (here, there, *alone) else here - there - sum(alone)
        queries = [self._query(row) for row in result.per_query.dicts()]
        queries.sort(key=lambda row: -abs(row["difference"] or 0))
        return Explanation(
            self._text,
            self._profile,
            self._against,
            here,
            there,
            choices,
            together,
            queries,
            result.sql,
            result.warnings,
        )

    def _choice(self, name: str, here: Value, there: Value, values: Mapping[str, Any], base: Any) -> dict[str, Any]:
        value = values.get(_label(name))
        shown = {self._profile: _shown(here), self._against: _shown(there)}
        return {"choice": name, **shown, "value": value, "difference": _difference(value, base)}

    def _query(self, row: Mapping[str, Any]) -> dict[str, Any]:
        known = {_HERE, _THERE, *map(_label, self.differing)}
        keys = {name: value for name, value in row.items() if name not in known}
        moves = {name: abs(_difference(row.get(_label(name)), row[_THERE]) or 0) for name in self.differing}
        mostly = max(moves, key=lambda name: moves[name]) if any(moves.values()) else None
        values = {self._profile: row[_HERE], self._against: row[_THERE]}
        return {**keys, **values, "difference": _difference(row[_HERE], row[_THERE]), "mostly": mostly}


def _named(metric: ResolvedMetric, label: str) -> ResolvedMetric:
    return replace(metric, label=label, column=label)


def _label(choice: str) -> str:
    return f"with_{choice}"


def _differences(here: ResolvedMetric, there: ResolvedMetric) -> dict[str, tuple[Any, Any]]:
    """The choices that the two make differently, each with both values."""
    sides = [{**metric.params, **metric.ranking, **_aggregates(metric)} for metric in (here, there)]
    names = {**sides[0], **sides[1]}
    pairs = {name: (sides[0].get(name, "declared"), sides[1].get(name, "declared")) for name in names}
    return {name: (one, other) for name, (one, other) in pairs.items() if one != other}


def _aggregates(metric: ResolvedMetric) -> dict[str, Any]:
    """How values are brought together, where that does not follow from the metric's other choices."""
    declared = metric.choosing({}, {}, "declared").aggregate
    return {} if metric.aggregate == declared else {"aggregate": metric.aggregate}


def _with_choice(there: ResolvedMetric, here: ResolvedMetric, name: str) -> ResolvedMetric | None:
    """The second metric with one choice of the first, or None where that contradicts its other choices."""
    params, ranking = ({name: had[name]} if name in had else {} for had in (here.params, here.ranking))
    asked = here.aggregate if name == "aggregate" else _aggregates(there).get("aggregate", "declared")
    try:
        return _named(there.choosing(params, ranking, str(asked)), _label(name))
    except UsageError:
        return None


def _difference(value: float | None, base: float | None) -> float | None:
    return None if value is None or base is None else value - base


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)
