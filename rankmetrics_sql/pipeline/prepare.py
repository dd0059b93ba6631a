"""Prepare an evaluation: load its inputs, plan, check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from ..engines import Engine
from ..plan import Plan
from ..progress import doing
from ..relation import Relation
from .check import check_plan
from .execute import Evaluation
from .load import load_inputs
from .planning import make_plan
from .request import Request

# Receives each line about the plan, once the inputs are checked.
planner: ContextVar[Callable[[str], None] | None] = ContextVar("planner", default=None)


def prepare(database: Engine, request: Request, run: Any, qrels: Any) -> Evaluation:
    """Load and check the inputs of a request, and plan its statements.

    Args:
        database: where they run.
        request: what was asked for.
        run: the run or runs, or a source.
        qrels: the judgments.
    """
    with doing("reading the inputs"):
        inputs = load_inputs(database, request, run, qrels)
        plan = make_plan(database, request, inputs)
    evaluation = check_plan(database, request, plan)
    tell = planner.get()
    if tell is not None:
        for line in _describe(evaluation.plan, evaluation.check):
            tell(line)
    return evaluation


def _describe(plan: Plan, check: str) -> Iterator[str]:
    """Describe a plan in two lines for --verbose."""
    counts = ((len(plan.runs), "run"), (len(plan.metrics), "metric"))
    parts = " and ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts)
    yield f"{parts} in one statement, strategy={plan.strategy}; input checked: {check}"
    yield "; ".join(f"{relation.label}: {_place(relation)}" for relation in plan.relations)


def _place(relation: Relation) -> str:
    """Describe where statements read a relation."""
    if relation.is_permanent:
        return "your query" if relation.is_query else "your table"
    return "read directly" if relation.sql.startswith(("(", "read_")) else "loaded"
