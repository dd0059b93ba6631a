"""Compute how the ranking of systems changes with unjudged items and ties: each metric in every scenario at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Unpack

from ..definitions.known import known_options
from ..definitions.resolution import ResolvedMetric, distinct, resolve_metrics
from ..errors import UsageError
from ..pipeline.execute import Evaluation
from ..pipeline.scores import score
from ..plan import Plan
from ..results.sensitivity import Sensitivity
from .keywords import INPUTS, Common, make_request, prepared, public
from .ranks import ranked, scipy_stats, signed, tau
from .runs import choices_of_scores, metrics_second

ASKED = "asked"

# What each scenario assumes of what is not known.
SCENARIOS: Mapping[str, Mapping[str, str]] = {
    "low": {"unjudged": "nonrelevant"},
    "high": {"unjudged": "relevant"},
    "worst": {"ties": "worst"},
    "expected": {"ties": "expected"},
    "best": {"ties": "best"},
}

# The two scenarios whose values are compared: the worse of one run with the better of the other.
_ENDS = {"despite_unjudged": ("low", "high"), "despite_ties": ("worst", "best")}

Values = Mapping[tuple[str, str], Any]


@dataclass(frozen=True)
class _Metric:
    """A metric in all scenarios.

    Attributes:
        asked: as it was asked for.
        scenarios: what to compute in each; the metric as asked if it changes nothing, None if it cannot be computed.
        reason: why it has none in some.
    """

    asked: ResolvedMetric
    scenarios: Mapping[str, ResolvedMetric | None]
    reason: str | None

    @property
    def notes(self) -> list[str]:
        """Return notes about scenarios that a metric has no form for."""
        uncomputed = [name for name, metric in self.scenarios.items() if metric is None]
        return [f"{self.asked.label}: no value for {', '.join(uncomputed)}. {self.reason}"] if uncomputed else []


@public("connection", "columns", *INPUTS)
def sensitivity(
    runs: Any, qrels: Any = None, metrics: str | Iterable[str] = (), **common: Unpack[Common]
) -> Sensitivity:
    """Shows how the ranking of runs changes with unjudged items and ties.

    Each metric is computed as requested, with no and with every unjudged item relevant, and with ties in the worst,
    expected and best order. The rankings of the runs are compared by Kendall's tau-b (Kendall
    1945, Biometrika), which needs SciPy. Equal values, within rounding, have the same rank.

    Args:
        runs: the runs, as in ``evaluate``.
        qrels: judgments.
        metrics: metric strings.
        options: the options as requested. Each scenario changes only its own option. ``unjudged=bounds`` has no effect.

    Returns:
        The values and ranks of the runs in each scenario, the agreement of the rankings, and which runs stay ahead of
        which.

    Raises:
        UsageError: an unknown metric, option or value, or SciPy is not installed.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> runs = {"old": {"q1": ["a", "b"]}, "new": {"q1": ["x", "a"]}}
        >>> new = rm.sensitivity(runs, {"q1": ["a"]}, "rr").values[1]
        >>> new["asked"], new["high"]
        (0.5, 1.0)
    """
    qrels, metrics = metrics_second(runs, qrels, metrics)
    scipy_stats("sensitivity")
    choices = choices_of_scores(drop_bounds(common), runs, qrels)
    request = make_request(common, resolve_metrics(metrics, choices), choices, reads_all=True)
    with prepared(request, runs, qrels, common.get("connection")) as evaluation:
        return run_scenarios(evaluation)


def drop_bounds(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options without ``unjudged=bounds``, which a sensitivity analysis includes anyway."""
    return {name: value for name, value in options.items() if (name, value) != ("unjudged", "bounds")}


def run_scenarios(evaluation: Evaluation) -> Sensitivity:
    """Run every metric of an evaluation in every scenario."""
    plan = evaluation.plan
    metrics = [_metric_in_scenarios(metric, plan) for metric in plan.metrics]
    to_score = distinct(list({scored.label: scored for metric in metrics for scored in _computed(metric)}.values()))
    request = evaluation.request._replace(metrics=to_score)
    notes = [*evaluation.warnings, *(note for metric in metrics for note in metric.notes)]
    scored = score(replace(evaluation, request=request, plan=replace(plan, metrics=to_score), warnings=notes))
    rows = {(str(row.get("run_id", "run")), row["metric"]): row for row in scored.summary.dicts()}
    values = {key: row["value"] for key, row in rows.items()}
    numbers = {key: row["n_queries"] for key, row in rows.items()}
    tables = [_table(metric, values, numbers) for metric in metrics]
    return Sensitivity(
        [row for table in tables for row in table],
        [_agreement(metric, table) for metric, table in zip(metrics, tables, strict=True)],
        [row for metric, table in zip(metrics, tables, strict=True) for row in _certain(metric, table)],
        scored.sql,
        scored.warnings,
    )


def _computed(metric: _Metric) -> Iterator[ResolvedMetric]:
    yield metric.asked
    yield from (computed for computed in metric.scenarios.values() if computed is not None)


def _metric_in_scenarios(metric: ResolvedMetric, plan: Plan) -> _Metric:
    in_scenario: dict[str, ResolvedMetric | None] = {}
    reason = None
    for name, assumed in SCENARIOS.items():
        try:
            in_scenario[name] = _in_scenario(metric, name, assumed, plan)
        except UsageError as error:
            in_scenario[name], reason = None, reason or str(error)
    return _Metric(metric, in_scenario, reason)


def _in_scenario(metric: ResolvedMetric, name: str, assumed: Mapping[str, str], plan: Plan) -> ResolvedMetric:
    """Return the metric under an assumption, under a name of its own; unchanged if it makes no difference."""
    if not _matters(metric, assumed):
        return metric
    if "unjudged" in assumed and metric.about_judgments:
        raise UsageError(f"{metric.name} describes the judgments, so assumed grades have no meaning.")
    choices: dict[str, Any] = dict(assumed)
    if "unjudged" in assumed:  # it is about items that are dropped
        choices["negative_grades"] = known_options()["negative_grades"]["default"]
    if all(metric.ranking[option] == value for option, value in choices.items()):
        return metric
    changed = plan.assuming(metric, choices)
    return replace(changed, label=f"{metric.label} {name}", column=f"{metric.column}_{name}")


def _matters(metric: ResolvedMetric, assumed: Mapping[str, str]) -> bool:
    """Check whether an assumption can change a metric."""
    if "unjudged" in assumed:
        return metric.reads_judgments
    return metric.reads_ranks or metric.ranking["depth"] is not None


def _table(metric: _Metric, values: Values, numbers: Values) -> list[dict[str, Any]]:
    """Return a row for each system: its value and rank in each scenario, and its number of queries."""
    runs = list(dict.fromkeys(run for run, _ in values))
    columns = {
        name: {run: None if resolved is None else values.get((run, resolved.label)) for run in runs}
        for name, resolved in {ASKED: metric.asked, **metric.scenarios}.items()
    }
    label = metric.asked.label
    rows = ranked(label, metric.asked.better, columns)
    return [row | {"n_queries": numbers.get((row["run_id"], label))} for row in rows]


def _agreement(metric: _Metric, table: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Compare the order of the systems as asked with the order in each scenario."""
    places = {name: [row[f"{name}_rank"] for row in table] for name in (ASKED, *SCENARIOS)}
    alike = {name: tau(places[ASKED], places[name]) for name in SCENARIOS}
    return {"metric": metric.asked.label, **alike, "n_runs": sum(place is not None for place in places[ASKED])}


def _certain(metric: _Metric, table: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield for each pair of systems, the better first, whether it stays above for every value of what is unknown."""
    better = metric.asked.better
    ranked_rows = sorted((row for row in table if row[ASKED] is not None), key=lambda row: int(row[f"{ASKED}_rank"]))
    for above, below in combinations(ranked_rows, 2):
        if above[f"{ASKED}_rank"] == below[f"{ASKED}_rank"]:
            continue  # neither is above the other
        stays = {name: _stays(above, below, ends, better) for name, ends in _ENDS.items()}
        yield {"metric": metric.asked.label, "above": above["run_id"], "below": below["run_id"], **stays}


def _stays(above: Mapping[str, Any], below: Mapping[str, Any], ends: Sequence[str], better: str) -> bool | None:
    """Check whether the least value of one is above the greatest of the other."""
    if any(row[end] is None for row in (above, below) for end in ends):
        return None
    least = min(signed(above[end], better) for end in ends)
    greatest = max(signed(below[end], better) for end in ends)
    return least > greatest
