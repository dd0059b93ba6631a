"""The question which items entered, left or moved within the first k of each query."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

from ..checks.arms import check_arms
from ..definitions.resolution import resolve_metrics
from ..errors import UsageError
from ..pipeline.findings import warn
from ..pipeline.movements import listed, metric_of_movements
from ..pipeline.prepare import Evaluation
from ..pipeline.request import Request
from ..results.movements import Movements
from ..statements.query import MOVEMENTS
from .common import Common, Keywords
from .question import question
from .runs import defaults_of, refuse_of_summaries, resolve_runs


@question("connection", "columns", "query_list", "profile", "input_format", refuse=refuse_of_summaries)
def movements(
    run: Any,
    candidates: Any = None,
    qrels: Any = None,
    *,
    k: int = 10,
    query: Any = None,
    baseline: str | None = None,
    **common: Unpack[Common],
) -> Movements:
    """Lists the items that entered, left or moved in the top k of each query.

    Args:
        run: the baseline, as in ``compare``; or a source whose runs answered the same queries, such as
            ``lists(table, run="model")`` or ``labelled(table, columns={"run_id": ...})``.
        candidates: as in ``compare``.
        qrels: judgments, for the column ``relevance``. They do not filter queries or items.
        k: the cutoff, at least 1.
        query: a query, or a list of them, to show; by default all queries with results in a run.
        baseline: what to call the baseline, as in ``compare``; for one table, the run to compare the others with.
        query_list: the queries to show as a table, file or SELECT, in place of ``query``.
        options: as in ``evaluate``; options about the order, such as ``ties``, decide the ranks.

    Returns:
        A row per candidate, query and item that is within the first k of either list: the candidate's list in its
        order, then what left it.

    Raises:
        UsageError: an unknown option or value, or an order that gives no item one rank (``ties="expected"``).
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> found = rm.movements({"q1": ["a", "b", "c"]}, {"new": {"q1": ["b", "d", "a"]}}, k=2)
        >>> [(row["item_id"], row["movement"]) for row in found.summary.dicts()]
        [('b', 'up'), ('d', 'entered'), ('a', 'left')]
    """
    asked = Keywords(common)
    query_list = asked.given.get("query_list")
    if query is not None and query_list is not None:
        raise UsageError(
            "query and query_list exclude each other, because both select the queries to show. Pass one of them."
        )
    if isinstance(query, list | tuple) and not query:
        raise UsageError("query is an empty list. Name a query, or omit query= for all.")
    shown = query_list if query is None else query if isinstance(query, list | tuple) else [query]
    given = resolve_runs(MOVEMENTS, run, candidates, qrels, None, baseline, asked.columns)
    choices = asked.choices(defaults_of(given.runs, asked.profile, judged=False) | given.design)
    metrics = resolve_metrics(metric_of_movements(k, choices), choices)
    request = Request(metrics, choices, MOVEMENTS, baseline=given.baseline)
    with asked.prepared(request, given.runs, given.qrels, query_list=shown) as prepared:
        return _moved(prepared)


def _moved(evaluation: Evaluation) -> Movements:
    """Return the movements, with their warnings."""
    statements = evaluation.checked_before()
    check_arms(evaluation.asker, str(evaluation.query.baseline))
    found, leave = listed(statements), statements.leaver({"summary": MOVEMENTS})
    return replace(found, warnings=warn([*evaluation.warnings]), _leave=leave)
