"""Check the inputs of a plan, and choose its ranking strategy by their sizes: sort whole lists, or count."""

from __future__ import annotations

from dataclasses import replace

from ..checks import InputInspector, check_always, check_fully, sizes
from ..checks.rows import is_ours
from ..engines import Engine
from ..errors import UsageError
from ..plan import Plan
from .execute import Evaluation
from .request import Request


def check_plan(database: Engine, request: Request, plan: Plan) -> Evaluation:
    """Check the inputs of a plan; return what runs it, with its strategy and warnings."""
    _refuse_marks(database, request)
    inspector = InputInspector(database, replace(plan, check=str(plan.options["check"])), level=request.level)
    plan, warnings, check = _check_inputs(inspector)
    plan = _choose_strategy(plan, inspector)
    return Evaluation(request, database, plan, inspector, [*plan.notes, *warnings], check)


def _refuse_marks(database: Engine, request: Request) -> None:
    """Raise if queries without relevant items are to be named, but the database has no NaN to mark them."""
    if not database.dialect.has_nan and any(metric.params.get("no_relevant") == "error" for metric in request.metrics):
        raise UsageError(f"no_relevant=error needs NaN, which {database.dialect} does not have. Take null or skip.")


def _check_inputs(inspector: InputInspector) -> tuple[Plan, list[str], str]:
    """Check the inputs; return the plan, whose statements count the other faults, warnings, and what was checked."""
    plan, check = inspector.plan, inspector.plan.check
    warnings = check_always(inspector)
    plan = replace(plan, groups_checked=True)
    if check in ("auto", "full"):
        rows = check_fully(inspector, exact=check == "full")
        warnings += rows.warnings
        check = "share" if rows.is_share else "full"
    else:
        part = "only retrieved items with a judgment are" if check == "judged" else "nothing is"
        warnings.append(f"check={check}: {part} checked for duplicates and bad scores.")
    if not plan.has_weight and all(is_ours(plan, relation) for relation in plan.relations):
        return replace(plan, check="none"), warnings, check
    if check == "share":
        is_clean = all(relation.facts.clean for relation in plan.relations) and not plan.has_weight
        return replace(plan, check="none" if is_clean else "judged"), warnings, check
    return replace(plan, check=check), warnings, check


# Counting compares each judged item of a list with all of the list; sorting does not care how many are judged, but for
# how much of the list it is asked. Up to _FACTOR * n ** _POWER judged items in a list of n, counting is faster, or at
# most 1.15 times slower, and up to a share ** _CUT of that where only a share of the list is sorted (measured for lists
# of 10 to 10,000 items with 0.1 to 300 judged ones). Where so few as _HARDLY_ANY are asked for, nobody looks.
# Where a query has more than _MANY judgments, the average list may not be the one that takes the time. Where there are
# few rows in all, either takes less than a closer look would.
_FACTOR, _POWER, _CUT = 1.7, 0.3, 0.7
_HARDLY_ANY, _MANY = 0.6, 50

# To find the score of the k-th item of each list of n costs more than it saves to sort, where n is not this much more
# (measured for k = 10: lists of 5 and 10 items by a third, lists of 20 are 1.1 times faster, lists of 40 1.5 times).
_WORTH_CUTTING = 1.5


def _choose_strategy(plan: Plan, inspector: InputInspector) -> Plan:
    """Return the plan, whose inputs have been checked, with the strategy that suits their sizes."""
    plan = replace(plan, strategy=_strategy(plan, inspector))
    return replace(plan, ranks_all=_ranks_all(plan, inspector))


def _strategy(plan: Plan, inspector: InputInspector) -> str:
    """Return the strategy of the option; for ``auto`` counting, if lists of a table or file have few judged items."""
    strategy = str(plan.options["strategy"])
    if plan.options["position"] == "given":
        return "window"
    if strategy != "auto":
        return strategy
    is_query = plan.qrels is None or any(relation.is_query for relation in (*plan.runs, plan.qrels))
    if is_query or not inspector.database.counts_judgments:
        return "window"
    n_items = sizes.items_per_list(inspector)
    depth = plan.sorted_depth
    share = 1.0 if depth is None else min(1.0, depth / n_items)
    few = _FACTOR * n_items**_POWER * share**_CUT
    n_judged = sizes.judgments_per_query(inspector)
    if sizes.has_few_rows(inspector):
        return "window" if n_judged > few else "count"
    if n_judged > few > _HARDLY_ANY:
        n_judged = sizes.judged_per_list(inspector)
    if n_judged > few:
        return "window"
    return "window" if sizes.most_judgments(inspector) > _MANY and n_judged * sizes.skew(inspector) > few else "count"


def _ranks_all(plan: Plan, inspector: InputInspector) -> bool:
    """Check whether the lists of a large table are so short that cutting them costs more than it saves."""
    is_known = inspector.database.counts_judgments and not plan.runs[0].is_query and plan.strategy == "window"
    if not is_known or not sizes.has_many_rows(inspector):
        return False
    depth = plan.sorted_depth
    return depth is not None and sizes.items_per_list(inspector) < _WORTH_CUTTING * depth
