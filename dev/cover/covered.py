"""The pairs of option values that the set has as it is written down, told by how the package resolves them."""

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

MADE_ELSE = ("aggregate", "unjudged", "negative_grades")
CHOSEN = {name: one for name, one in covering().items() if not name.endswith(OF_DOUBLES)}


def pairs_there() -> set[Pair]:
    """The pairs that stand in the statements for pairs."""
    return {
        frozenset(pair)
        for one in CHOSEN.values()
        if one.kind == "pairs"
        for chosen in resolved(one.case, one.case.level)
        for pair in combinations(chosen.items(), 2)
    }


def resolved(case: Case, level: str) -> Iterator[dict[str, Any]]:
    """The values of all options of each metric, as the package resolves them, and not as the set was written."""
    heard: list[Plan] = []
    with patch.object(Plan, "text", lambda query, _level, **_: heard.append(query) or ""):
        case.by_sqlglot("duckdb")
    [query] = heard
    for metric in query.metrics:
        own: dict[str, Any] = {**query.options, **metric.params, **metric.ranking}
        for name in MADE_ELSE:  # what a value is made of, as nonrelevant and relevant of bounds
            said = re.search(rf"\b{name}=(\w+)", metric.label)
            own[name] = said[1] if said else query.options[name]
        yield {name: _as_written(name, own[name]) for name in obeyed(level, metric.name)}


def _as_written(name: str, value: Any) -> Any:
    if name == "unjudged" and value == "2":
        return 2
    if isinstance(value, dict):
        return "{" + ",".join(f"{grade}:{gain}" for grade, gain in value.items()) + "}"
    return default(name) if (name, value) in SYNONYMS else value
