"""Which queries count: those that have a value, of two runs that are compared, and of how many items."""

from __future__ import annotations

from typing import Any

from ..templates import macros
from .ask import Asker


def counting(asker: Asker) -> list[dict[str, Any]]:
    """The relations that say which queries count, each with the condition for its rows."""
    query = asker.query
    universe = query.options["queries"]
    among: list[dict[str, Any]] = [{"input": query.query_list, "condition": None}] if query.query_list else []
    if universe == "retrieved" or query.qrels is None:
        return among
    condition = "r.relevance IS NOT NULL" if query.options["impute"] is None else None
    if universe == "judged_relevant":
        rel = query.options["rel"]
        lowest = min(float(str(metric.params.get("rel", rel))) for metric in query.metrics)
        condition = f"r.relevance >= {macros()['rm_number'](lowest)}"
    return [*among, {"input": query.qrels, "condition": condition}]


def comparing(asker: Asker, *, judged: bool) -> list[dict[str, Any]]:
    """The same; of runs that are compared by their common queries, what says which these are, too.

    Args:
        asker: asks about the inputs.
        judged: whether only judged queries are looked at anyway, so that judgments need not be read to find them.
    """
    query = asker.query
    are_known = judged and query.query_list is None and query.options["queries"] != "judged_relevant"
    among = [] if are_known else counting(asker)
    by_common = query.options["queries"] in ("judged_retrieved", "retrieved") and query.options["design"] == "paired"
    if asker.compares and by_common and len(query.runs) > 1:
        baseline = next((run for run in query.runs if run.name == query.baseline), query.runs[0])
        others = query.runs if len(query.runs) == len(("one", "other")) else [baseline]
        among = [*among, *({"input": run, "condition": None} for run in others)]
    return among
