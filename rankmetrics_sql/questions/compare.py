"""The question whether runs differ from a baseline: by how much, and whether that is more than chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Unpack

from ..definitions.resolution import ResolvedMetric, resolve_metrics
from ..errors import UsageError, nearest, shortened
from ..pipeline.comparison import comparison
from ..pipeline.request import Request
from ..results.comparison import Comparison
from .common import GROUPS, INPUTS, Common, Keywords
from .question import question
from .reporting import reporting
from .runs import compared, defaults_of, refuse_of_summaries


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
        run: the baseline, as in ``evaluate``; or a source that has all runs, such as the arms of a log.
        candidates: ``{name: run}``, a list of files or tables, or one run; each may be a source such as ``lists()``.
            Behind a source that has all runs come the metrics; behind runs that bring their judgments, too.
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
    given = compared("compare", run, candidates, qrels, metrics, baseline)
    choices = asked.choices(defaults_of(given.runs, asked.profile) | given.design)
    resolved = resolve_metrics(given.metrics, choices)
    request = Request(resolved, choices, "compare", given.baseline, limits=limits_of(limits, resolved))
    prepare = partial(asked.prepared, request, given.runs, given.qrels, asked.reads(covariate=covariate))
    with prepare() as prepared:
        result = comparison(prepared, shares)
    return reporting(result, prepared, prepare, asked, given.runs, baseline=given.baseline, shares=shares)


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
            raise UsageError(f"limits: {name!r} is none of the metrics. {nearest(str(name), labels.values())}")
        is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
        if not is_number or not 0 <= limit < math.inf:
            raise UsageError(f"limits: the loss of {name} must be a number of at least 0, not {shortened(limit)}.")
        found[labels[str(name).lower()]] = float(limit)
    return found
