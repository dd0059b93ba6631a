"""The question where a difference between two means comes from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

from ..checks.arms import check_arms
from ..checks.overlap import warn_of_few_scored_alike
from ..definitions.resolution import resolve_metrics
from ..pipeline.findings import metrics_without_rows, refuse_unscored, warn
from ..pipeline.prepare import Evaluation
from ..pipeline.request import Request
from ..pipeline.running import ready
from ..results.decomposition import Decomposition
from .common import GROUPS, INPUTS, Common, Keywords
from .question import question
from .runs import defaults_of_scores, refuse_of_summaries, resolve_runs


@question("connection", "columns", *GROUPS, *INPUTS, refuse=refuse_of_summaries)
def decompose(
    run: Any,
    candidates: Any = None,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    baseline: str | None = None,
    **common: Unpack[Common],
) -> Decomposition:
    """Shows which segments of queries a difference between two means comes from.

    A mean over all queries is the mean of the segments, weighted by their shares of the queries with a value. So the
    difference of two means is a sum over the segments of two terms. The ranking term is the change of the mean times
    the mean of both shares. The mix term is the change of the share times the mean of both means. If the runs answer
    the same queries, the mix does not change, and each segment contributes its share of the effect that ``compare``
    finds. A segment of only one run has a term of its own: its share times its mean, with the sign of its effect on the
    difference. Source: E. M. Kitagawa, Components of a Difference Between Two Rates, 1955.

    To compare two periods, pass them as two runs, each scored on its own queries: ``decompose("SELECT * FROM shown
    WHERE month = '2026-09'", {"october": "SELECT * FROM shown WHERE month = '2026-10'"}, qrels, "ndcg@10", by="market",
    queries="judged_retrieved")``. Or a column of one labelled table tells them apart: ``decompose(labelled("shown",
    columns={"run_id": "month"}), "ndcg@10", by="market", baseline="2026-09")``.

    Args:
        run: the baseline, as in ``compare``; or a source that has all runs.
        candidates: as in ``compare``.
        qrels: judgments.
        metrics: metric strings, of metrics that are means over queries.
        by: the columns of the segments, as in ``evaluate``; these or ``period`` are required.
        baseline: what to call the baseline, as in ``compare``; of a source, the run that the others are compared with.
        options: as in ``evaluate``. By default each run is scored on every judged query, and has 0 where it retrieved
            nothing; with ``queries="judged_retrieved"`` on those that it has results for.

    Returns:
        A row per candidate, metric and group, the greatest contributions first; a group in which neither run has a
        value has none.

    Raises:
        UsageError: an unknown metric, option or value, no groups, or a metric that is no mean.
        DataError: an input is missing, malformed or contradicts itself; or the runs share no query that both are scored
            on.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rows = [("q1", "a", 1, "de"), ("q2", "a", 1, "fr")]
        >>> values = ", ".join(map(str, rows))
        >>> qrels = f"SELECT * FROM (VALUES {values}) t (query_id, item_id, relevance, market)"
        >>> old, new = {"q1": ["b", "a"], "q2": ["a"]}, {"q1": ["a"], "q2": ["a"]}
        >>> found = rm.decompose(old, {"new": new}, qrels, "rr", by="market")
        >>> [(row["market"], row["contribution"]) for row in found.summary.dicts()]
        [('de', 0.25), ('fr', 0.0)]
    """
    asked = Keywords(common)
    given = resolve_runs("decompose", run, candidates, qrels, metrics, baseline, asked.columns)
    choices = asked.choices(defaults_of_scores(given.runs, given.qrels, asked.profile) | given.design)
    request = Request(resolve_metrics(given.metrics, choices), choices, "decompose", baseline=given.baseline)
    with asked.prepared(request, given.runs, given.qrels) as prepared:
        return decomposition(prepared)


def decomposition(evaluation: Evaluation) -> Decomposition:
    """Runs the decomposition."""
    asker, query, baseline = evaluation.asker, evaluation.query, str(evaluation.query.baseline)
    statements = evaluation.checked_before()
    are_scored_alike = query.options["queries"] in ("judged", "judged_relevant") and query.runs[0].name is not None
    found = [*evaluation.warnings, *(warn_of_few_scored_alike(asker, baseline) if are_scored_alike else ())]
    text = statements.query.text("decompose")
    columns, rows = statements.rows(text)
    if not rows:
        check_arms(asker, baseline)
    found += refuse_unscored(evaluation, rows, [name for name in statements.runs if name != baseline])
    found += metrics_without_rows(evaluation, columns, rows)
    leave = statements.leaver({"summary": "decompose"})
    return Decomposition(ready(text, columns, rows), statements.shown("decompose"), warn(found), leave)
