"""Read answers to EXPLAIN: how many rows and bytes a statement would read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from .dialect import Answer, Numbers


def join_plan(answer: Answer) -> str:
    """Return the answer as text."""
    return "\n".join("\t".join(map(_text, row)) for row in answer[1])


def _text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, list | dict) else "" if value is None else str(value)


def _json(answer: Answer) -> Any:
    value = answer[1][0][0]
    return json.loads(value) if isinstance(value, str) else value


def _sum(numbers: Iterable[float | None]) -> float | None:
    """Return the sum; None if there are no numbers, or an unknown one."""
    values = list(numbers)
    return None if not values or None in values else sum(number for number in values if number is not None)


def postgres(answer: Answer) -> Numbers:
    """Sum the scans of tables, each with its rows and their width."""
    scans = [node for node in _nodes(_json(answer)) if "Relation Name" in node]
    return _sum(scan["Plan Rows"] for scan in scans), _sum(scan["Plan Rows"] * scan["Plan Width"] for scan in scans)


def _nodes(plan: Any) -> Iterator[dict[str, Any]]:
    if isinstance(plan, list):
        for part in plan:
            yield from _nodes(part)
    elif isinstance(plan, dict):
        yield plan
        yield from _nodes([plan.get("Plan"), plan.get("Plans")])


def mysql(answer: Answer) -> Numbers:
    """Sum the rows of the answer, one per table; tables in angle brackets are results of other rows."""
    names, rows = answer
    places = {name.lower(): place for place, name in enumerate(names)}
    tables = [row for row in rows if row[places["table"]] and not str(row[places["table"]]).startswith("<")]
    return _sum(float(row[places["rows"]] or 0) for row in tables), None


def trino(answer: Answer) -> Numbers:
    """Sum the estimates of tables, which are the text NaN where the connector has no statistics."""
    tables = [table.get("estimate", {}) for table in _json(answer).get("inputTableColumnInfos", [])]
    rows, sizes = ([_number(table.get(name)) for table in tables] for name in ("outputRowCount", "outputSizeInBytes"))
    return _sum(rows), _sum(sizes)


def _number(value: Any) -> float | None:
    number = float("nan") if value is None else float(value)
    return number if math.isfinite(number) else None


def clickhouse(answer: Answer) -> Numbers:
    """Sum the rows of the answer: database, table, parts, rows, marks; only for tables of the MergeTree family."""
    return _sum(float(row[3]) for row in answer[1]), None


_UNITS = {unit: 1024**power for power, unit in enumerate(("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))}
_STATISTICS = r"(?m)^[\s:+|-]*(\w+).*Statistics\(sizeInBytes=([\d.E+]+) (\w+)(?:, rowCount=([\d.E+]+))?"


def spark(answer: Answer) -> Numbers:
    """Sum the leaves of the optimized plan: relations, with 8 EiB where their size is unknown."""
    plan = join_plan(answer).split("== Physical Plan ==")[0]
    lines = plan.splitlines()
    leaves = [
        (float(match[2]) * _UNITS[match[3]], float(match[4]) if match[4] else None)
        for line, next_line in zip(lines, [*lines[1:], ""], strict=True)
        if (match := re.match(_STATISTICS, line)) and _depth(next_line) <= _depth(line)
    ]
    sizes = [size if size < _UNITS["EiB"] else None for size, _ in leaves]
    return _sum(rows for _, rows in leaves), _sum(sizes)


def _depth(line: str) -> int:
    """Return how deep in the tree a line of a plan is."""
    return len(line) - len(line.lstrip(" :+-|"))
