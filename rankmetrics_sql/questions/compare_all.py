"""The question which of several runs differ, each pair tested by itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

from ..definitions.resolution import resolve_metrics
from ..pipeline.comparison import comparison
from ..pipeline.request import Request
from ..results.comparison import Comparison
from .common import GROUPS, INPUTS, Common, Keywords
from .question import question
from .runs import defaults_of_scores, metrics_second, refuse_of_summaries, runs_of_pairs


@question("connection", "columns", *GROUPS, "weight", "cluster", *INPUTS, refuse=refuse_of_summaries)
def compare_all(
    runs: Any, qrels: Any = None, metrics: str | Iterable[str] = (), **common: Unpack[Common]
) -> Comparison:
    """Tests every pair of runs as ``compare`` does, and corrects the p-values over all pairs.

    Each pair is tested on its own, in one statement. ``tukey`` tests all pairs of a metric together. As in papers, the
    table has a row for each run, with the letters of the runs that it is significantly better than.

    Args:
        runs: two or more runs, as in ``evaluate``; or one table whose runs a column tells apart, named by
            ``columns={"run_id": "model"}``, or ``lists(..., run="model")``. Then runs are in alphabetical order.
        qrels: judgments.
        metrics: metric strings.
        weight: as in ``compare``.
        cluster: as in ``compare``.
        options: as in ``compare``; tests have two sides, and runs are paired by query.

    Returns:
        A row per pair and metric, whose ``baseline_run`` is the run that comes first in ``runs``.

    Raises:
        UsageError: an unknown metric, option or value, or fewer than two runs.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> queries = [f"q{n}" for n in range(12)]
        >>> first = {query: ["b", "a"] if n % 2 else ["c", "b", "a"] for n, query in enumerate(queries)}
        >>> runs = {"a": first, "b": first, "c": {query: ["a"] for query in queries}}
        >>> found = rm.compare_all(runs, {query: ["a"] for query in queries}, "rr", check="none")
        >>> [(row["baseline_run"], row["run"], row["significant"]) for row in found.summary.dicts()]
        [('a', 'b', 0), ('a', 'c', 1), ('b', 'c', 1)]
    """
    asked = Keywords(common)
    named, first = runs_of_pairs("compare_all", runs, asked.given.get("columns"))
    qrels, metrics = metrics_second(named, qrels, metrics)
    choices = asked.choices(defaults_of_scores(named, qrels, asked.profile))
    resolved = resolve_metrics(metrics, choices, compared=True)
    request = Request(resolved, choices, "compare", baseline=first, all_pairs=True)
    with asked.prepared(request, named, qrels) as prepared:
        return comparison(prepared)
