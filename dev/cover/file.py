"""Write the covering set into its file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.engines.covering import FILE

from .choice import Candidate
from .options import Statement, default, written

HEADER = """\
# The covering set, written by python -m dev.cover write; tests/engines has it executed in every engine.
# branches: statements of tests/statements.py with so few metrics that every branch of a template is still taken that
# any of them takes. dbt: those that are needed beside them for what only dbt's text takes. pairs: statements in which
# every pair of values of sql/options.toml stands that may stand together.
"""


def write(branches: Iterable[Candidate], dbt: Iterable[Candidate], pairs: Iterable[Statement]) -> None:
    """Write all of it."""
    parts = [HEADER, _branches("branches", branches), _branches("dbt", dbt), *map(_pairs, pairs)]
    FILE.write_text("\n".join(parts), encoding="utf-8")


def extend(pairs: Iterable[Statement]) -> None:
    """Append statements for pairs."""
    with FILE.open("a", encoding="utf-8") as file:
        file.write("".join(f"\n{_pairs(statement)}" for statement in pairs))


def _branches(kind: str, statements: Iterable[Candidate]) -> str:
    lines = (
        f"{json.dumps(candidate.name)} = {_list(candidate.case.metrics)}"
        for candidate in sorted(statements, key=lambda s: s.name)
    )
    return "\n".join([f"[{kind}]", *lines, ""])


def _pairs(statement: Statement) -> str:
    metrics = [written(metric, metric_options) for metric, metric_options in statement.rows]
    given = ", ".join(f"{name} = {json.dumps(value)}" for name, value in _short(statement.given).items())
    lines = [
        "[[pairs]]",
        f"level = {json.dumps(statement.level)}",
        f"given = {{ {given} }}",
        f"metrics = {_list(metrics)}",
    ]
    return "\n".join([*lines, ""])


def _short(option_values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in option_values.items() if value != default(name)}


def _list(texts: Iterable[str]) -> str:
    inside = ",\n".join(f"    {json.dumps(text, ensure_ascii=False)}" for text in texts)
    return f"[\n{inside},\n]" if inside else "[]"
