"""What the covering set leaves of all statements, for engines in which all would take too long.

Such an engine answers the covering set, and as many of the other statements as have what it lacks: a metric, a level,
an input, a value of an option. Where a metric obeys a value a template has a branch, and the covering set has those.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..statements import Case

Fact = tuple[str, ...]
_METRIC = re.compile(r"([a-z]\w*)(?:\(([^)]*)\))?")


def facts(case: Case) -> set[Fact]:
    """What a statement shows an engine by having it."""
    found: set[Fact] = {("level", case.level), ("qrels", str(case.qrels)), ("runs", _kind_of(case.run))}
    found |= {("argument", name, str(value)) for name, value in case.given.items()}
    for text in case.metrics:
        match = _METRIC.match(text.lower())
        assert match, text
        found.add(("metric", match[1]))
        found |= {
            ("argument", *map(str.strip, choice.split("=", 1))) for choice in (match[2] or "").split(",") if choice
        }
    return found


def _kind_of(run: Any) -> str:
    return f"{len(run)} by name" if isinstance(run, Mapping) else str(run)


def leftover(candidates: Mapping[str, Case], answered: Iterable[Case]) -> list[str]:
    """The names of statements that together have what those that are answered lack: most for its length first.

    Args:
        candidates: all statements that the engine can be asked, by name.
        answered: those that it is asked anyway.
    """
    known = {fact for case in answered for fact in facts(case)}
    new = {name: facts(case) - known for name, case in candidates.items()}
    left, chosen = set().union(*new.values()), []
    while left:
        best = max(new, key=lambda name: len(new[name] & left) / (10 + len(candidates[name].metrics)))
        chosen.append(best)
        left -= new[best]
    return chosen
