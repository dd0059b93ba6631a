"""Compute a metric at several values of a parameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from ..definitions.resolution import Choices, ResolvedMetric, resolve_curve
from ..errors import UsageError, shortened
from ..pipeline.execute import Evaluation, computed_table, refuse_empty
from ..pipeline.findings import check_scored, unweighted, warn
from ..results.evaluation import Curve
from .keywords import GROUPS, INPUTS, Common, make_request, prepared, public
from .runs import choices_of_scores, metrics_second

# The recall levels of trec_eval's iprec_at_recall; cutoffs that people ask for.
_ALONG: Mapping[str, Sequence[float]] = {
    "recall": [level / 10 for level in range(11)],
    "k": [1, 2, 3, 5, 10, 20, 50, 100],
}


@public("connection", "columns", *GROUPS, "weight", *INPUTS)
def curve(
    run: Any,
    qrels: Any = None,
    metric: str = "",
    *,
    along: str = "k",
    at: Sequence[float] | None = None,
    **common: Unpack[Common],
) -> Curve:
    """Computes a metric at several values of one parameter, or a curve such as ``pr_curve``.

    Args:
        run: one or more runs, as in ``evaluate``.
        qrels: judgments.
        metric: a metric string: ``ap`` along ``k``, ``iprec`` along ``recall``, or ``pr_curve``.
        along: the parameter on the x axis.
        at: values of x; common cutoffs, or the eleven recall levels, by default.
        weight: a column with a number for each query, as in ``evaluate``: y is then a weighted mean.

    Raises:
        UsageError: an unknown metric, parameter, option or value.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> curve = rm.curve({"q1": ["a", "b", "c", "d"]}, {"q1": ["a", "c"]}, "p", at=[1, 2, 4])
        >>> [(row["x"], row["y"]) for row in curve.summary.dicts()]
        [(1.0, 1.0), (2.0, 0.5), (4.0, 0.5)]
    """
    qrels, metric = metrics_second(run, qrels, metric, "metric")
    choices = choices_of_scores(common, run, qrels)
    resolved = metrics_along(metric, along, at, choices)
    request = make_request(common, resolved, choices, level="curve")
    with prepared(request, run, qrels, common.get("connection")) as evaluation:
        typed = resolved[0].label.removesuffix(f" {along}={resolved[0].x}")
        is_judged = resolved[0].name == "judged"
        given = points(evaluation)
        return replace(given, metric=typed, along=along, _is_judged=is_judged, _run_name=evaluation.run_name)


def metrics_along(
    metrics: str | Iterable[str], along: str, at: Sequence[float] | None, choices: Choices
) -> list[ResolvedMetric]:
    """Resolve the metric of a curve at each of its points, or the one that has points of its own."""
    texts = [metrics] if isinstance(metrics, str) else list(metrics)
    if len(texts) != 1:
        raise UsageError("A curve shows one metric. Pass one metric string.")
    if (at is not None and not isinstance(at, Iterable)) or isinstance(at, str) or getattr(at, "shape", None) == ():
        raise UsageError(f"at takes a list of numbers, not {shortened(at)}.")
    return resolve_curve(texts[0], along, _ALONG.get(along, ()) if at is None else list(at), choices)


def points(evaluation: Evaluation) -> Curve:
    """Run the average of a curve; its values per query are computed when they are read."""
    first = evaluation.request.metrics[0]
    if first.shape == "curve":
        evaluation = replace(evaluation, plan=replace(evaluation.plan, check="none"))
        table = evaluation.table("points")
        refuse_empty(table.fetchall(), evaluation.run_names, f"no query has a point of {first.label}.")
        return Curve(None, table, table.sql, warn(evaluation.warnings), evaluation.saver({"per_query": "points"}))
    text = evaluation.plan.text("curve")
    columns, rows = evaluation.run_raw(text)
    notes = [*evaluation.warnings, *unweighted(columns, rows)]
    columns, rows = evaluation.accept(columns, rows)
    notes += check_scored(evaluation, columns, rows, evaluation.run_names)
    per_query = evaluation.table("curve_per_query")
    save = evaluation.saver({"summary": "curve", "per_query": "curve_per_query"})
    return Curve(computed_table(text, columns, rows), per_query, evaluation.text_to_show("curve"), warn(notes), save)
