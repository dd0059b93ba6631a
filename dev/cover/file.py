"""Writes the covering set into its file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.engines.covering import FILE

from .choice import Chosen
from .options import Asked, default, written

HEADER = """\
# The covering set, written by python -m dev.cover write; tests/engines has it executed in every engine.
# branches: statements of tests/statements.py with so few metrics that every branch of a template is still taken that
# any of them takes. dbt: those that are needed beside them for what only dbt's text takes. pairs: statements in which
# every pair of values of sql/options.toml stands that may stand together.
"""


def write(branches: Iterable[Chosen], dbt: Iterable[Chosen], pairs: Iterable[Asked]) -> None:
    """Write all of it."""
    parts = [HEADER, _chosen("branches", branches), _chosen("dbt", dbt), *map(_asked, pairs)]
    FILE.write_text("\n".join(parts), encoding="utf-8")


def extend(pairs: Iterable[Asked]) -> None:
    """Write more statements for pairs behind what is there."""
    with FILE.open("a", encoding="utf-8") as file:
        file.write("".join(f"\n{_asked(asked)}" for asked in pairs))


def _chosen(kind: str, statements: Iterable[Chosen]) -> str:
    lines = (f"{json.dumps(one.name)} = {_list(one.case.metrics)}" for one in sorted(statements, key=lambda s: s.name))
    return "\n".join([f"[{kind}]", *lines, ""])


def _asked(asked: Asked) -> str:
    metrics = [written(metric, own) for metric, own in asked.rows]
    given = ", ".join(f"{name} = {json.dumps(value)}" for name, value in _short(asked.given).items())
    lines = ["[[pairs]]", f"level = {json.dumps(asked.level)}", f"given = {{ {given} }}", f"metrics = {_list(metrics)}"]
    return "\n".join([*lines, ""])


def _short(chosen: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in chosen.items() if value != default(name)}


def _list(texts: Iterable[str]) -> str:
    inside = ",\n".join(f"    {json.dumps(text, ensure_ascii=False)}" for text in texts)
    return f"[\n{inside},\n]" if inside else "[]"
