"""Which queries count."""

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
