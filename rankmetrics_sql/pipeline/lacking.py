"""Why no query of a run has a value of a metric: what is asked when a result would be empty."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..definitions.known import known_metrics
from ..definitions.resolution import ResolvedMetric, resolve
from ..remedies import advise
from .prepare import Evaluation

# Options that may leave a query without a value, and what they take it to lack.
_OF_QUERIES = {"no_relevant": "item with a grade of at least {rel}", "zero_ideal": "item with a gain"}

# What else may leave queries of a log without a value.
SHARED_POSITIONS = " Rankings with two items at one position have no value. position=dense numbers the items."

_SHOWN = 3  # metrics that a message names


class Summed(NamedTuple):
    """A row of a summary: the value of a metric for a run, and of how many queries."""

    value: float | None
    n_queries: int


Summary = Mapping[tuple[str | None, str], Summed]


def without_values(
    evaluation: Evaluation, labels: Collection[str] | None = None, names: Collection[str | None] = ()
) -> dict[str, list[str]]:
    """Say which metrics have no value in which run, and why; nothing of runs without a query to score.

    Args:
        evaluation: what was asked for.
        labels: the metrics to speak of; all by default.
        names: the runs to speak of; all by default.

    Returns:
        The metrics by what is said of them.
    """
    wanted = [metric for metric in evaluation.query.metrics if labels is None or metric.label in labels]
    facts = [_fact(evaluation, _counting("n_retrieved"))]
    if any(metric.reads_judgments for metric in wanted):
        facts += [_fact(evaluation, _relevant(rel)) for rel in dict.fromkeys(map(_rel_of, wanted))]
    found, counts = (_summary(evaluation, metrics) for metrics in (wanted, facts))
    runs = [run for run, label in counts if label == facts[0].label and counts[run, label].n_queries]
    runs = [run for run in runs if run in names] if names else runs
    alike: dict[tuple[str, tuple[str | None, ...]], list[str]] = {}
    for metric in wanted:
        reasons: dict[str, list[str | None]] = {}
        for run in runs:
            summed = found.get((run, metric.label))
            if summed is None or summed.value is None:
                reasons.setdefault(_reason(evaluation, metric, run, counts), []).append(run)
        for reason, lacking in reasons.items():
            alike.setdefault((reason, tuple(lacking)), []).append(metric.label)
    return {_said(names, lacking, reason): names for (reason, lacking), names in alike.items()}


def _said(names: Sequence[str], runs: Sequence[str | None], reason: str) -> str:
    """What is said of metrics without a value in some runs."""
    more = f" and {len(names) - _SHOWN:,} more metrics" if len(names) > _SHOWN else ""
    where = "" if None in runs else f" in {' and '.join(map(str, runs))}"
    return f"{', '.join(names[:_SHOWN])}{more} {'have' if names[1:] else 'has'} no value{where}: {reason}"


def _reason(evaluation: Evaluation, metric: ResolvedMetric, run: str | None, counts: Summary) -> str:
    n_queries, rel = counts[run, _counting("n_retrieved")].n_queries, _rel_of(metric)
    none_has = "its only query has no" if n_queries == 1 else f"none of {n_queries:,} queries has an"
    relevant = counts.get((run, _relevant(rel)))
    option = next((name for name in _OF_QUERIES if metric.params.get(name) in ("null", "skip")), None)
    if option is not None and relevant is not None and not relevant.value:
        is_its_own = metric.params[option] != evaluation.request.choices.options.get(option)
        how = f"Write {option}=0 in the metric" if is_its_own else f"Pass {advise('option', option, 0)}"
        does = "leaves such queries out" if metric.params[option] == "skip" else "gives such queries no value"
        what = _OF_QUERIES[option].format(rel=rel)
        return f"{none_has} {what}, and {option}={metric.params[option]} {does}. {how} to count each as 0."
    shared = SHARED_POSITIONS if evaluation.query.options["position"] == "given" else ""
    return f"it is NULL for {'its only query' if n_queries == 1 else f'each of {n_queries:,} queries'}.{shared}"


def _rel_of(metric: ResolvedMetric) -> object:
    return metric.params.get("rel", 1)


def _relevant(rel: object) -> str:
    return f"{_counting('n_relevant')}(rel={rel})"


def _counting(need: str) -> str:
    """The metric that adds a shared column up over the queries."""
    return next(
        name for name, metric in known_metrics().items() if metric["aggregate"] == "sum" and metric["needs"] == [need]
    )


def _fact(evaluation: Evaluation, text: str) -> ResolvedMetric:
    return resolve(text, evaluation.request.choices)


def _summary(evaluation: Evaluation, metrics: Sequence[ResolvedMetric]) -> Summary:
    """The values of metrics by run, over all queries, whatever was asked for beside them."""
    plain = replace(
        evaluation.query,
        metrics=metrics,
        groups=(),
        rollup=False,
        min_queries=None,
        has_cluster=False,
        all_pairs=False,
        limits=None,
        stored_values=None,
        check="none",
    )
    columns, rows = replace(evaluation.statements, query=plain).ran(plain.text("summary"))
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    return {(row.get("run_id"), row["metric"]): Summed(row["value"], row["n_queries"]) for row in named}
