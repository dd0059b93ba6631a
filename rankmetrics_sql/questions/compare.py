"""The question whether runs differ from a baseline: by how much, and whether that is more than chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from ..checks import ratios
from ..checks.arms import check_arms, sample_ratios
from ..checks.overlap import warn_of_few_pairs
from ..checks.rows import check_rows
from ..definitions.resolution import ResolvedMetric, resolve_metrics
from ..errors import UsageError, nearest, shortened
from ..inputs.sources import Source
from ..pipeline.findings import (
    better_of,
    check_scored,
    counts_of,
    metrics_without_rows,
    unweighted,
    warn,
)
from ..pipeline.prepare import Evaluation
from ..pipeline.request import Request
from ..pipeline.running import Statements, ready
from ..results.result import Comparison
from .common import GROUPS, INPUTS, Common, Keywords
from .question import question
from .reporting import reporting
from .runs import baseline_first, defaults_of, design_of, metrics_second, refuse_of_summaries
from .tested import refuse_exchange, warnings_of_tests


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
    **common: Unpack[Common],
) -> Comparison:
    """Compares runs with a baseline: by how much, with its interval, and whether it is more than chance.

    Runs are paired by query (Student's t test). The arms of an experiment were asked queries of their own
    (``design="unpaired"``, Welch's t test); those of a source that has them are compared with
    ``compare(source, metrics, baseline="control")``.

    Args:
        run: the baseline, as in ``evaluate``; or a source with arms.
        candidates: ``{name: run}``, a list of files or tables, or one run; behind a source come the metrics.
        qrels: judgments.
        metrics: metric strings.
        baseline: what to call the baseline, by default the name of its file or table, or ``baseline``; of a source, the
            arm that the others are compared with.
        weight: a column with a number for each query, as in ``evaluate``: with ``test="t"`` the means are weighted ones
            over the queries with a value, and the effect is Σ weight · difference / Σ weight, of arms the difference of
            both means; errors are by the delta method. A query whose weight is NULL weighs nothing, which is warned of;
            a negative weight is refused. Counts of queries, ``prob_superiority`` and sums stay what they are, and sums
            have no error. ``std_effect_size`` is in weighted standard deviations.
        cluster: a column such as the user, found as ``by`` finds columns, whose queries may be alike: errors are then
            those of its values (CR2, with the degrees of freedom of uneven clusters; of arms as Welch's), and there
            are the columns ``n_clusters`` and ``largest_cluster_share``, of the queries or of those of an arm. A value
            in both arms is one cluster. A query whose column is NULL is a cluster by itself.
        covariate: of arms (``design="unpaired"``, ``test="t"``), a column with a number for each query that was known
            before they differed, such as its value in an earlier period, found as ``by`` finds columns (CUPED; Deng et
            al. 2013). Of means, the effect, its error and all that follows are those of y - theta (x - mean of x), with
            theta = cov(y, x) / var(x) over the queries of both arms, as tea-tasting has it; ``baseline`` and
            ``candidate`` stay what was measured, ``std_effect_size`` is in their standard deviations. There is a column
            ``variance_reduction``. A query whose covariate is NULL, such as a new one, has 0 (GrowthBook).
        shares: of arms, how the units were to be shared out, as ``{"control": 0.9, "new": 0.1}``; by default equally.
            ``notes`` state how many queries, or clusters, each arm has, and how probable that is by chance
            (chi-squared). Below .001, in total or corrected in a group, is a warning: then the arms differ in more than
            what they were given. What is in several arms is left out of the counts; an arm without a query counts 0.
        limits: by how much metrics may be worse, ``{"ndcg@10": 0.01}``, at least 0: then each of these metrics, and no
            other, is tested against a loss of so much in place of no difference, on both sides, and ``verdict`` is
            ``worse``, ``not worse`` or ``not clear``. The p-values are corrected over these tests. A rank test says
            nothing about that.
        options: as in ``evaluate``, and those of comparisons: ``design``, ``test``, ``confidence_level``,
            ``alternative``, ``margin``, ``power``, ``sequential``, ``correction``, ``family``,
            ``interval_level``.

    Returns:
        A row per candidate and metric.

    Raises:
        UsageError: an unknown metric, option or value.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    asked = Keywords(common)
    if isinstance(run, Source):
        qrels, metrics = metrics_second(run, qrels if qrels is not None else candidates, metrics)
    choices = asked.choices(defaults_of(run, asked.profile) | design_of(run, baseline))
    runs, first = baseline_first(run, candidates, baseline)
    resolved = resolve_metrics(metrics, choices)
    request = Request(resolved, choices, "compare", first, limits=limits_of(limits, resolved))
    with asked.prepared(request, runs, qrels, asked.reads(covariate=covariate)) as prepared:
        result = comparison(prepared, shares)
    said = {**asked.given, "covariate": covariate, "shares": shares, "limits": limits, "baseline": first}
    return reporting(result, runs, qrels, metrics, said)


def limits_of(limits: Mapping[str, float] | None, metrics: Sequence[ResolvedMetric]) -> dict[str, float] | None:
    """The limits by the labels of their metrics.

    Raises:
        UsageError: one is of no metric that is asked for, or is no number at least 0.
    """
    if limits is None:
        return None
    if not isinstance(limits, Mapping) or not limits:
        raise UsageError(f"limits: {shortened(limits)} names no metric. Pass {{'ndcg@10': 0.01}}, for example.")
    labels = {metric.label.lower(): metric.label for metric in metrics}
    found = {}
    for name, limit in limits.items():
        if str(name).lower() not in labels:
            raise UsageError(f"limits: {name!r} is none of the metrics. {nearest(str(name), labels.values())}")
        is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
        if not is_number or not 0 <= limit < math.inf:
            raise UsageError(f"limits: {shortened(limit)} of {name} is no number at least 0.")
        found[labels[str(name).lower()]] = float(limit)
    return found


def comparison(evaluation: Evaluation, shares: Mapping[str, float] | None = None) -> Comparison:
    """Runs the comparison.

    Args:
        evaluation: what is asked for.
        shares: how many of the units each arm was meant to have, or None for equally many.

    Raises:
        UsageError: there are no arms, or others than those of shares.
        DataError: an input is malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    query, asker, baseline = evaluation.query, evaluation.asker, str(evaluation.query.baseline)
    has_arms = query.options["design"] == "unpaired"
    if shares is not None and not has_arms:
        raise UsageError("shares= is of arms, which have queries of their own: design=unpaired.")
    is_paired = query.options["design"] == "paired" and query.runs[0].name is not None
    found = [*evaluation.warnings, *(warn_of_few_pairs(asker, baseline) if is_paired else ())]
    notes: list[str] = []
    if has_arms and (shares is not None or query.options["check"] in ("auto", "full")):
        notes, mismatches = _sample_ratio(evaluation, shares)
        found += mismatches
    statements = _counting(evaluation)
    text = statements.query.text("compare")
    columns, rows = statements.ran(text)
    found += unweighted(columns, rows)
    columns, rows = statements.accepted(columns, rows)
    if not rows:
        if query.check == "judged":
            check_rows(asker, exact=True)
        warn(found)
        check_arms(asker, baseline)
    refuse_exchange(evaluation, columns, rows)
    found += check_scored(evaluation, columns, rows, [name for name in statements.runs if name != baseline])
    lacking = metrics_without_rows(evaluation, columns, rows)
    found += [f"{label}: no query has a value in both runs." for label in lacking]
    found += warnings_of_tests(evaluation, columns, rows)
    levels, per_query = {"summary": "compare"}, None
    if query.options["design"] == "paired":
        plain = replace(evaluation.statements, query=replace(query, check="none"))
        levels, per_query = {**levels, "per_query": "compare_per_query"}, plain.table("compare_per_query")
    metrics = evaluation.request.metrics
    return Comparison(
        ready(text, columns, rows),
        text,
        warn(found),
        statements.leaver(levels),
        _asked(evaluation),
        per_query,
        better_of(metrics),
        counts_of(metrics),
        notes=notes,
    )


def _counting(evaluation: Evaluation) -> Statements:
    """The statements, which count faults where rows are not checked yet, and a lack of weights where anything is."""
    query = evaluation.query
    if query.check == "judged" or (query.has_weight and query.check != "none"):
        return replace(evaluation.statements, query=replace(query, check="judged"))
    return replace(evaluation.statements, query=replace(query, check="none"))


def _asked(evaluation: Evaluation) -> dict[str, Any]:
    """What was asked of the comparison, as its result says it."""
    request = evaluation.request
    reads = evaluation.reads
    own: dict[str, Any] = {"weight": reads.weight, "cluster": reads.cluster, "covariate": reads.covariate}
    own["limits"] = request.limits
    own["all_pairs"] = [*evaluation.statements.runs] if request.all_pairs else None
    given = {name: value for name, value in own.items() if value is not None}
    return evaluation.query.options_of("comparison") | given


def _sample_ratio(evaluation: Evaluation, shares: Mapping[str, float] | None) -> tuple[list[str], list[str]]:
    """What is said of the sample ratio of arms below the comparison, and what is warned of."""
    query, cluster = evaluation.query, evaluation.reads.cluster
    found = sample_ratios(evaluation.asker, shares)
    if not found:
        return [], []
    order = dict.fromkeys([str(query.baseline), *(run.name for run in query.runs if run.name is not None)])
    return [ratios.said(found, [*order], cluster, shares)], [*ratios.warned(found, cluster)]
