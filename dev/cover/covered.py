"""The pairs of option values in the covering set, as the package resolves the options of its statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any
from unittest.mock import patch

from rankmetrics_sql.plan import Plan
from tests.engines.covering import OF_DOUBLES, covering
from tests.statements import Case

from .options import SYNONYMS, Pair, default, obeyed

FROM_LABELS = ("aggregate", "unjudged", "negative_grades")
CHOSEN = {name: one for name, one in covering().items() if not name.endswith(OF_DOUBLES)}


def covered_pairs() -> set[Pair]:
    """Return the pairs in the statements for pairs."""
    return {
        frozenset(pair)
        for statement in CHOSEN.values()
        if statement.kind == "pairs"
        for option_values in resolved(statement.case, statement.case.level)
        for pair in combinations(option_values.items(), 2)
    }


def resolved(case: Case, level: str) -> Iterator[dict[str, Any]]:
    """Yield the values of all options of each metric, as the package resolves them."""
    plans: list[Plan] = []
    with patch.object(Plan, "text", lambda plan, _level, **_: plans.append(plan) or ""):
        case.by_sqlglot("duckdb")
    [plan] = plans
    for metric in plan.metrics:
        option_values: dict[str, Any] = {**plan.options, **metric.params, **metric.ranking}
        for name in FROM_LABELS:  # values that others are made of, as bounds are of nonrelevant and relevant
            match = re.search(rf"\b{name}=(\w+)", metric.label)
            option_values[name] = match[1] if match else plan.options[name]
        yield {name: _as_written(name, option_values[name]) for name in obeyed(level, metric.name)}


def _as_written(name: str, value: Any) -> Any:
    if name == "unjudged" and value == "2":
        return 2
    if isinstance(value, dict):
        return "{" + ",".join(f"{grade}:{gain}" for grade, gain in value.items()) + "}"
    return default(name) if (name, value) in SYNONYMS else value
