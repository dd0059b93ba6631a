"""The covering set: the statements of ``covering.toml``, which ``python -m dev.cover write`` chooses.

They take every branch of the templates that any statement takes, and have every pair of option values that may stand
together. ``tests/engines/test_covering.py`` asserts both.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from dev.cover.options import as_case
from rankmetrics_sql.dialects import check_dialect

from ..statements import Case, alone, cases

FILE = Path(__file__).with_name("covering.toml")
# What a dialect may lack, and what is asked of it instead, so that the other pairs of the statement are left.
FLOAT32, DOUBLE = "score_type=float32", "score_type=double"
OF_DOUBLES = ":doubles"
RECURSIVE = {"nnrbp"}  # metrics that need a recursion with window functions


@dataclass(frozen=True, eq=False)
class Covering:
    """A statement of the set.

    Attributes:
        case: the statement.
        kind: ``branches``, ``dbt`` (branches that only dbt's road takes) or ``pairs``.
    """

    case: Case
    kind: str


@cache
def covering() -> dict[str, Covering]:
    """All of them by name."""
    found = dict(_read())
    found |= dict(of_new_metrics(found.values()))
    doubles = {name + OF_DOUBLES: _of_doubles(one) for name, one in found.items() if _has_floats(one.case)}
    return found | doubles


def _has_floats(case: Case) -> bool:
    return FLOAT32 in str(case.metrics) or case.given.get("score_type") == "float32"


def _of_doubles(one: Covering) -> Covering:
    metrics = [text.replace(FLOAT32, DOUBLE) for text in one.case.metrics]
    given = {name: "double" if name == "score_type" else value for name, value in one.case.given.items()}
    return replace(one, case=replace(one.case, metrics=metrics, given=given))


def names(dialect: str, slow: bool) -> Iterator[tuple[str, str]]:
    """The statements that a dialect's text is executed of, each with a road.

    Args:
        dialect: whose text it is.
        slow: whether the engine takes seconds to plan one: pairs and the other road are for those that do not, but for
            what only dbt's text takes.
    """
    known = check_dialect(dialect)
    for name, one in covering().items():
        if name.endswith(OF_DOUBLES) or (not known.windowed_recursion and RECURSIVE.intersection(one.case.metrics)):
            continue
        suited = name if known.float32 or name + OF_DOUBLES not in covering() else name + OF_DOUBLES
        if one.kind != "dbt" and not (slow and one.kind == "pairs"):
            yield suited, "sqlglot"
        if one.case.in_dbt is not None and (one.kind == "dbt" or not slow):
            yield suited, "dbt"


def _read() -> Iterator[tuple[str, Covering]]:
    chosen = tomllib.loads(FILE.read_text(encoding="utf-8"))
    known = cases() | alone()
    for kind in ("branches", "dbt"):
        for name, metrics in chosen[kind].items():
            yield f"{kind}:{name}", Covering(replace(known[name], metrics=metrics), kind)
    for number, pairs in enumerate(chosen["pairs"], start=1):
        case = as_case(pairs["level"], pairs["given"], pairs["metrics"])
        yield f"pairs:{number}", Covering(case, "pairs")


def of_new_metrics(chosen: Iterable[Covering]) -> Iterator[tuple[str, Covering]]:
    """Yield a statement for each metric that was added after the set was chosen."""
    named = {text.partition("@")[0].partition("(")[0] for one in chosen for text in one.case.metrics}
    for text, case in alone().items():
        if text.partition("@")[0].partition("(")[0] not in named:
            yield f"new:{text}", Covering(case, "branches")
