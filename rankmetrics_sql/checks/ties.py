"""Equal scores, where item ids decide which of the items is above, and so what a value is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import UsageError
from ..plan import MOVEMENTS, Plan
from ..relation import Relation
from .inspector import InputInspector, count_of
from .orders import ordered_by_id, queries_of_ties, ties_of
from .sizes import CHEAP_ROWS, most_rows, sample, share_of_few

_REMEDIES = (
    (("expected",), "ties=expected gives the mean over all orders."),
    (("best", "worst"), "ties=best and ties=worst show the range."),
)


def warn_of_ties(inspector: InputInspector, *, exact: bool) -> Iterator[str]:
    """Yield a warning where ids order the items of one score, and another order would give a metric another value.

    Args:
        inspector: runs the checks.
        exact: whether all lists of a large run are looked at, and not a share, which only DuckDB finds fast.
    """
    plan, ties = inspector.plan, ties_of(inspector.plan)
    runs = [run for run in plan.runs if run.value == "score"]
    if ties is None or not runs or inspector.level == MOVEMENTS:  # which shows items, and no value
        return
    is_whole = [exact or most_rows(inspector, run) <= CHEAP_ROWS for run in runs]
    whole = [run for run, is_one in zip(runs, is_whole, strict=True) if is_one]
    counts = [f"{run.label}: {count_of(count, 'query')}" for run, count in _in_all(inspector, whole, ties)]
    for run, is_one in zip(runs, is_whole, strict=True):
        if is_one or not inspector.is_canonical:
            continue
        share = share_of_few(inspector, run)
        if n_tied := sample(inspector, run, share).n_tied:
            counts.append(f"{run.label}: {f'in 1 of {share} lists, ' if share > 1 else ''}{count_of(n_tied, 'query')}")
    if counts:
        orders = "/".join(sorted({str(metric.ranking["ties"]) for metric in ordered_by_id(plan)}))
        yield (
            f"{'; '.join(counts)} with equal scores whose order decides values. Item ids order them (ties={orders})."
            f"{_remedy(plan)}"
        )


def _in_all(
    inspector: InputInspector, runs: Sequence[Relation], ties: Mapping[str, Any]
) -> Iterator[tuple[Relation, int]]:
    """Each run in all of whose lists such queries were found, and how many."""
    if runs:
        is_repeated = inspector.plan.options["duplicates"] != "error"
        for place, n_queries in inspector.rows(
            "tied", runs, inspector.plan.qrels, ties, queries_of_ties(inspector), is_repeated
        ):
            yield runs[int(place) - 1], int(n_queries)


def _remedy(plan: Plan) -> str:
    """Return the orders of ties that no rule refuses for these metrics, and what they give."""
    for orders, what in _REMEDIES:
        if all(_goes_with(plan, order) for order in orders):
            return f" {what}"
    return ""


def _goes_with(plan: Plan, order: str) -> bool:
    try:
        for metric in plan.metrics:
            plan.assuming(metric, {"ties": order})
    except UsageError:
        return False
    return True
