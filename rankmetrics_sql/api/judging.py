"""List what to judge next: the unjudged items that can move a comparison most."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, Unpack

from ..definitions.known import known_options
from ..definitions.resolution import Choices, ResolvedMetric, refuse, resolve_metrics
from ..errors import UsageError, shortened
from ..pipeline.judging import next_judgments
from ..results.judging import NextJudgments
from ..sources import Source
from .keywords import Common, make_request, options_of, prepared, public
from .runs import choices_of_scores, metrics_second, runs_of_pairs


@public("connection", "columns", "query_list", "profile", "input_format")
def judge_next(
    runs: Any, qrels: Any = None, metric: str = "", *, n: int = 100, texts: Any = None, **common: Unpack[Common]
) -> NextJudgments:
    """Lists the unjudged items whose grades can move the difference between runs most.

    An item is listed if it is within the cutoff of any run and has no judgment. Its influence is how far its grade, 0
    or the highest, moves the mean difference between a candidate and the first run. All other unjudged items count as
    not relevant, and the ideal ranking of nDCG and the number of relevant items are those with the new judgment. Of
    several candidates the greatest influence counts. The mean is that of ``compare``: over the queries in which both
    runs have a value. A query that it leaves out, as one without any judgment, has no items in the list.

    Args:
        runs: two or more runs, ``{name: run}``, the baseline first; or one table whose runs a column tells apart, named
            by ``columns={"run_id": "model"}``. Then runs are in alphabetical order.
        qrels: judgments.
        metric: one metric string: ``p``, ``r``, ``cg``, ``dcg``, ``ndcg``, ``rbp``, ``rr`` or ``success``, with options
            as ``compare`` takes them with ``unjudged="bounds"``.
        n: how many items to list at most.
        texts: a table, file, SELECT or data frame, or a list of them, with the texts of queries (columns ``query_id``
            and ``query_text``) or items (``item_id`` and ``item_text``), or with both. If an id has several texts, the
            first in alphabetical order counts.
        options: as in ``evaluate``, and ``max_grade``, the highest grade of the scale. By default it is the highest
            judged grade, and at least ``rel``.

    Returns:
        A row per query and item, the greatest influence first, and the range of each difference now.

    Raises:
        UsageError: an unknown metric, option or value, a metric that is not a sum over ranks, or fewer than two runs.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> runs = {"old": {"q1": ["a", "b"], "q2": ["c"]}, "new": {"q1": ["b", "a"], "q2": ["d"]}}
        >>> found = rm.judge_next(runs, {"q1": {"a": 1}, "q2": {"c": 1}}, "p@1")
        >>> [(row["query_id"], row["item_id"], row["new_rank"], row["influence"]) for row in found.summary.dicts()]
        [('q1', 'b', 1, 0.5), ('q2', 'd', 1, 0.5)]
        >>> found.ranges[0]["effect_low"], found.ranges[0]["effect_high"]
        (-1.0, 0.0)
    """
    check_n(n)
    runs_by_name, first = runs_of_pairs("judge_next", runs, common.get("columns"))
    if isinstance(runs, Source) and runs.is_labelled:
        raise UsageError(
            f"{runs.label}: judge_next needs judgments that all runs share, and these rows carry their own. Pass the"
            " runs as a table, and the judgments as qrels."
        )
    qrels, metric = metrics_second(runs_by_name, qrels, metric, "metric")
    refuse_of_tests(options_of(common))
    choices = choices_of_scores(common, runs_by_name, qrels)
    metrics = [metric_to_judge(metric, choices)]
    request = make_request(common, metrics, choices, level="compare", baseline=first, is_of_pairs=True)
    with prepared(request, runs_by_name, qrels, common.get("connection")) as evaluation:
        return next_judgments(evaluation, int(n), texts)


def check_n(n: Any) -> None:
    """Raise if it is not a number of items."""
    if not isinstance(n, Integral) or isinstance(n, bool) or not 1 <= int(n) < 2**31:
        raise UsageError(f"n takes a whole number of at least 1, not {shortened(n)}.")


def metric_to_judge(metric: Any, choices: Choices) -> ResolvedMetric:
    """Return the metric, with the range that its unjudged items leave."""
    resolved = resolve_metrics(metric, choices, compared=True)
    if len(resolved) != 1:
        raise UsageError(f"judge_next takes one metric, not {len(resolved)}. Pass a single metric such as 'ndcg@10'.")
    refuse("judge_next", resolved[0].facts)
    return resolved[0].choosing({}, {"unjudged": "bounds"})


def refuse_of_tests(options: Mapping[str, Any]) -> None:
    """Raise for options about tests and intervals, which a list of items does not have."""
    for name in options:
        option = known_options().get(name)
        if option is not None and option["scope"] == "comparison" and name != "max_grade":
            raise UsageError(f"{name} works only with compare(). judge_next tests nothing. Omit {name}.")
