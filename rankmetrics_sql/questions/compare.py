"""The question whether runs differ from a baseline: by how much, and whether that is more than chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from ..databases.answers import Record
from ..definitions.choices import Choices
from ..definitions.refusals import ask
from ..definitions.resolution import ResolvedMetric, resolve_metrics
from ..errors import UsageError, nearest, shortened
from ..pipeline.comparison import comparison
from ..pipeline.request import Request
from ..results.comparison import Comparison
from .common import GROUPS, INPUTS, Common, Keywords
from .question import question
from .reporting import reporting
from .runs import Compared, defaults_of_scores, refuse_of_summaries, resolve_runs

if TYPE_CHECKING:
    from ..results.gates import Gate


@question("connection", "columns", *GROUPS, "weight", "cluster", *INPUTS, refuse=refuse_of_summaries)
def compare(
    run: Any,
    candidates: Any = None,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    baseline: str | None = None,
    covariate: str | None = None,
    shares: Mapping[str, float] | None = None,
    limits: Mapping[str, float] | None = None,
    cap: Mapping[str, float | str] | None = None,
    **common: Unpack[Common],
) -> Comparison:
    """Tests whether runs, or the arms of an experiment, differ from a baseline, and by how much.

    Runs are paired by query and tested with Student's t test. The arms of an experiment answered different queries:
    ``design="unpaired"`` tests them with Welch's t test. For a log with arms, call
    ``compare(source, metrics, baseline="control")``.

    Args:
        run: the baseline, as in ``evaluate``; or all runs, as ``{name: run}`` with the baseline first, or as a source
            such as a log with arms.
        candidates: ``{name: run}``, a list of files or tables, or one run; each may be a source such as ``lists()``.
            After all runs, pass the judgments or the metrics here. After runs that bring their judgments, the metrics.
        qrels: judgments. Metrics without judgments need none, as in ``evaluate``.
        metrics: metric strings.
        baseline: the name of the baseline; by default that of its file or table, or ``baseline``. For all runs in one
            argument, the run or arm to compare the others with.
        weight: a column with the weight of each query, as in ``evaluate``. With ``test="t"`` the means are weighted
            over the queries with a value. The effect is Σ weight · difference / Σ weight, for arms the difference of
            both weighted means; each query is a cluster (CR2, Bell & McCaffrey 2002), and ``largest_weight_share`` is
            the share of the largest weight. ``n_units`` is (Σ weight)² / Σ weight², rounded down. A query whose weight
            is NULL or 0 has no weight, and a warning counts such queries; a negative weight is an error. Counts of
            queries, ``prob_superiority`` and sums ignore the weights, and sums have no standard error.
            ``std_effect_size`` is in weighted standard deviations.
        cluster: a column such as the user whose queries may be alike, looked up like ``by``. Standard errors are then
            clustered by its values (CR2, with the degrees of freedom of uneven clusters; for arms as in Welch's test).
            The columns ``n_clusters`` and ``largest_cluster_share`` are of all queries, or of those of an arm. A value
            in both arms is one cluster. A query whose column is NULL is a cluster of its own.
        covariate: for arms (``design="unpaired"``, ``test="t"``), a column with a number for each query from before the
            experiment, such as its value in an earlier period, looked up like ``by`` (CUPED; Deng et al. 2013). The
            effect of a mean, its standard error and all that follows use y - theta (x - mean of x), with
            theta = cov(y, x) / var(x) over the queries of both arms, as in tea-tasting. ``baseline`` and ``candidate``
            stay as measured, and ``std_effect_size`` is in their standard deviations. A column ``variance_reduction``
            is added. A query whose covariate is NULL, such as a new one, has 0 (as in GrowthBook).
        shares: for arms, the planned traffic, such as ``{"control": 0.9, "new": 0.1}``; equal by default. ``notes``
            state the number of queries, or clusters, of each arm, and how probable it is by chance (chi-squared). Below
            .001, in total or corrected in a group, a warning says so: the assignment was not random then. Queries in
            several arms are not counted; an arm without a query counts 0. With ``cluster=`` its values are counted, and
            without it the users of a log that names them (``user=``), where some have several requests.
        limits: by how much each metric may get worse, ``{"ndcg@10": 0.01}``, at least 0. Only these metrics are then
            tested, on both sides, against that loss instead of against no difference. ``verdict`` is ``worse``, ``not
            worse`` or ``inconclusive``, and the p-values are corrected over these tests. Rank tests do not support
            limits.
        cap: for metrics without an upper bound, the amount that a query's value counts as at most: ``{"cg@1": 40}``, or
            ``{"cg@1": "99%"}`` for the smallest value with that share of the positive ones at or below it, over all
            runs or arms and groups together. Of a ratio of sums its numerator is capped. A column ``cap`` has the
            amount.
        options: as in ``evaluate``, and those of comparisons: ``design``, ``test``, ``confidence_level``,
            ``alternative``, ``margin``, ``power``, ``sequential``, ``correction``, ``family``,
            ``interval_level``.

    Returns:
        A row for each candidate and metric.

    Raises:
        UsageError: an unknown metric, option or value.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> old = {f"q{n}": ["b", "a"] if n % 2 else ["c", "b", "a"] for n in range(12)}
        >>> new = {query: ["a", "b"] for query in old}
        >>> qrels = {query: ["a"] for query in old}
        >>> row = rm.compare(old, {"new": new}, qrels, "rr").summary.dicts()[0]
        >>> round(row["effect_size"], 4), row["n_queries"], row["verdict"]
        (0.5833, 12, 'better')
    """
    asked = Keywords(common)
    given, choices, resolved = _resolved(asked, run, candidates, qrels, metrics, baseline)
    limited, caps = limits_of(limits, resolved), caps_of(cap, resolved)
    request = Request(resolved, choices, "compare", given.baseline, limits=limited, caps=caps)
    prepare = partial(asked.prepared, request, given.runs, given.qrels, asked.reads(covariate=covariate))
    with prepare() as prepared:
        result = comparison(prepared, shares)
    return reporting(result, prepared, prepare, asked, given.runs, baseline=given.baseline, shares=shares)


def compare_by_gates(
    run: Any,
    candidates: Any,
    qrels: Any,
    gates: Sequence[Gate],
    *,
    baseline: str | None = None,
    covariate: str | None = None,
    cap: Mapping[str, float | str] | None = None,
    **common: Unpack[Common],
) -> list[Record]:
    """Test each limit of conditions, all in one family.

    Args:
        run: as in ``compare``, like all that is not named here.
        candidates: the same.
        qrels: the same.
        gates: conditions that ask a test.
        baseline: as in ``compare``.
        covariate: the same.
        cap: the same; those of metrics that no condition tests have no use.

    Returns:
        A row for each candidate, group and test, whose metric is the test of a condition.
    """
    asked = Keywords(common)
    labels = [*dict.fromkeys(gate.metric for gate in gates)]
    given, choices, found = _resolved(asked, run, candidates, qrels, labels, baseline)
    resolved = {metric.label: metric for metric in found}
    tests = {gate.test: gate for gate in gates}
    metrics = [_named(resolved[gate.metric], name, number) for number, (name, gate) in enumerate(tests.items())]
    limits = {name: float(gate.limit or 0) for name, gate in tests.items()}
    known = {label.lower() for label in resolved}
    capped = caps_of({name: one for name, one in (cap or {}).items() if name.lower() in known} or None, found)
    caps = {name: capped[gate.metric] for name, gate in tests.items() if gate.metric in capped}
    shares = [name for name, gate in tests.items() if gate.is_share]
    request = Request(metrics, choices, "compare", given.baseline, limits=limits, caps=caps, relative_limits=shares)
    with asked.prepared(request, given.runs, given.qrels, asked.reads(covariate=covariate)) as prepared:
        return [*comparison(prepared).summary.dicts()]


def _resolved(
    asked: Keywords, run: Any, candidates: Any, qrels: Any, metrics: Any, baseline: str | None
) -> tuple[Compared, Choices, list[ResolvedMetric]]:
    """The inputs of a comparison, a value for every option, and the metrics."""
    given = resolve_runs("compare", run, candidates, qrels, metrics, baseline, asked.columns)
    choices = asked.choices(defaults_of_scores(given.runs, given.qrels, asked.profile) | given.design)
    return given, choices, resolve_metrics(given.metrics, choices, compared=True)


def _named(metric: ResolvedMetric, test: str, number: int) -> ResolvedMetric:
    """The metric under the name of one of its tests."""
    return metric if metric.label == test else replace(metric, label=test, column=f"{metric.column}_test_{number}")


def limits_of(limits: Mapping[str, float] | None, metrics: Sequence[ResolvedMetric]) -> dict[str, float] | None:
    """The limits by the labels of their metrics.

    Raises:
        UsageError: one is of no metric that is asked for, or is no number at least 0.
    """
    if limits is None:
        return None
    if not isinstance(limits, Mapping) or not limits:
        raise UsageError(
            f"limits: {shortened(limits)} names no metric. Pass a loss for each metric, such as {{'ndcg@10': 0.01}}."
        )
    labels = {metric.label.lower(): metric.label for metric in metrics}
    found = {}
    for name, limit in limits.items():
        if str(name).lower() not in labels:
            raise UsageError(f"limits: {name!r} is not one of the metrics. {nearest(str(name), labels.values())}")
        is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
        if not is_number or not 0 <= limit < math.inf:
            raise UsageError(f"limits: the loss of {name} must be a number of at least 0, not {shortened(limit)}.")
        found[labels[str(name).lower()]] = float(limit)
    return found


def caps_of(caps: Mapping[str, float | str] | None, metrics: Sequence[ResolvedMetric]) -> dict[str, Any]:
    """The caps by the labels of their metrics, each an ``amount`` or a ``share`` of the positive values.

    Raises:
        UsageError: one is of no metric that is asked for, or of one with an upper bound, or is no amount.
    """
    if caps is None:
        return {}
    found: dict[str, Any] = ask("rm_caps_by_label", caps, [metric.as_template() for metric in metrics])
    return found
