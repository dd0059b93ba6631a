"""What equal scores decide: of which items of one score another order would give a metric another value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..definitions.resolution import ResolvedMetric
from ..plan import Plan
from ..templates import macros
from .inspector import InputInspector, counting

_BY_ID = ("item_asc", "item_desc")


def ordered_by_id(plan: Plan) -> list[ResolvedMetric]:
    """Return the metrics that may have other values where ids order the items of one score."""
    return [metric for metric in plan.metrics if _values_of(plan, metric) is not None]


def ties_of(plan: Plan) -> dict[str, Any] | None:
    """What templates ask of the items of one score, as ``rm_tied_lists`` takes it; None where no order decides."""
    deciding = [(metric, values) for metric in plan.metrics if (values := _values_of(plan, metric)) is not None]
    if plan.options["position"] == "given" or not deciding:
        return None
    values = list(dict.fromkeys(value for _, deciding_values in deciding for value in deciding_values))
    conditions = [
        _condition(plan, metric, [values.index(value) + 1 for value in deciding_values])
        for metric, deciding_values in deciding
    ]
    rounds = all(metric.ranking["score_type"] == "float32" for metric, _ in deciding)
    return {
        "score": str(macros()["rm_rounded_to_float32"]("r.score")) if rounds else "r.score",
        "values": values,
        "conditions": list(dict.fromkeys(conditions)),
    }


def queries_of_ties(inspector: InputInspector) -> list[dict[str, Any]]:
    """What says of which queries equal scores matter, as ``counting`` has it.

    Where they decide only beside a judged item, judgments need not be read once more to find judged queries. Of runs
    that are compared by their common queries the other runs say which these are.
    """
    plan = inspector.plan
    are_judged = all(_values_of(plan, metric) for metric in ordered_by_id(plan))
    are_known = are_judged and plan.query_list is None and plan.options["queries"] != "judged_relevant"
    among = [] if are_known else counting(inspector)
    by_common = plan.options["queries"] in ("judged_retrieved", "retrieved") and plan.options["design"] == "paired"
    if inspector.compares and by_common and len(plan.runs) > 1:
        baseline = next((run for run in plan.runs if run.name == plan.baseline), plan.runs[0])
        compared = plan.runs if len(plan.runs) == len(("one", "other")) else [baseline]
        among = [*among, *({"input": run, "condition": None} for run in compared)]
    return among


def _values_of(plan: Plan, metric: ResolvedMetric) -> list[str] | None:
    """What a metric makes of a ``grade``, in SQL: items that agree in it may change places. None if all may."""
    if not metric.reads_ranks or metric.ranking["ties"] not in _BY_ID:
        return None
    if not metric.reads_judgments:
        return []
    if plan.qrels is None and not plan.runs[0].columns.get("relevance"):
        return None
    is_judged = "CASE WHEN grade IS NULL THEN 0 ELSE 1 END"
    if not metric.known["reads_grades"]:
        return [is_judged]
    if metric.ranking["unjudged"] == "drop":
        return ["grade"]
    if metric.ranking["unjudged"] != "nonrelevant" or any("nonrelevant" in need for need in metric.needs):
        return [is_judged, "grade"]
    if metric.params.get("gain", "binary") == "binary" and "rel" in metric.params:
        rel = macros()["rm_number"](float(str(metric.params["rel"])))
        return [f"CASE WHEN grade >= {rel} THEN 1 ELSE 0 END"]
    return ["CASE WHEN grade > 0 THEN grade ELSE 0 END"]


def _condition(plan: Plan, metric: ResolvedMetric, numbers: Sequence[int]) -> str:
    """Return whether the order of a group of equal scores decides a metric, in SQL; values have numbers."""
    order = metric.known["reads_order"] if numbers else "cutoff"
    cutoffs = [int(str(k)) for k in (metric.params.get("k"), plan.options["depth"]) if k is not None]
    if order in ("cutoff", "any") and not cutoffs:
        return "1 = 0"
    parts = [f"({' OR '.join(f'lowest_{number} < highest_{number}' for number in numbers)})"] if numbers else []
    if cutoffs and metric.ranking["unjudged"] != "drop":  # after which an item stands higher than it is counted here
        parts.append(f"n_above < {min(cutoffs)}")
        parts += [f"n_above + n_items > {min(cutoffs)}"] if order in ("cutoff", "any") else []
    if order in ("first", "any") and len(numbers) == 1:
        parts.append(f"(before_{numbers[0]} IS NULL OR before_{numbers[0]} = 0)")
        if order == "any":  # else one of the relevant items is within the cutoff in every order
            parts.append(f"n_items - total_{numbers[0]} >= {min(cutoffs)} - n_above")
    return " AND ".join(parts) or "n_items > 1"
