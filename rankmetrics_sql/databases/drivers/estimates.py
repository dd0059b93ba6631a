"""What the databases say that a statement would read, asked in the way of each."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...dialects import subquery
from ..answers import Answer, Estimate

Numbers = tuple[float | None, float | None]  # rows, bytes


def estimate(dialect: str, sql: str, fetch: Callable[[str], Answer]) -> Estimate | None:
    """What the database expects of a statement; None where it says nothing.

    Args:
        dialect: whose way of asking to take.
        sql: the statement, which is not run.
        fetch: runs the question.

    Raises:
        UsageError: it is not one query.
    """
    if dialect not in _WAYS:
        return None
    question, read = _WAYS[dialect]
    subquery(sql, dialect)  # refuses all but one query: what follows a semicolon would run
    answer = fetch(f"{question} {sql}")
    rows, size = read(answer)
    return Estimate(_whole(rows), _whole(size), _text(answer))


def _whole(number: float | None) -> int | None:
    return round(number) if number is not None and math.isfinite(number) else None


def _text(answer: Answer) -> str:
    return "\n".join("\t".join(map(_shown, row)) for row in answer[1])


def _shown(value: Any) -> str:
    return json.dumps(value) if isinstance(value, list | dict) else "" if value is None else str(value)


def _json(answer: Answer) -> Any:
    value = answer[1][0][0]
    return json.loads(value) if isinstance(value, str) else value


def _sum(numbers: Iterable[float | None]) -> float | None:
    """None if there is nothing to add up, or something unknown."""
    found = list(numbers)
    return None if not found or None in found else sum(number for number in found if number is not None)


def _postgres(answer: Answer) -> Numbers:
    """The scans of tables, each with its rows and their width."""
    scans = [node for node in _nodes(_json(answer)) if "Relation Name" in node]
    return _sum(scan["Plan Rows"] for scan in scans), _sum(scan["Plan Rows"] * scan["Plan Width"] for scan in scans)


def _nodes(plan: Any) -> Iterator[dict[str, Any]]:
    if isinstance(plan, list):
        for part in plan:
            yield from _nodes(part)
    elif isinstance(plan, dict):
        yield plan
        yield from _nodes([plan.get("Plan"), plan.get("Plans")])


def _redshift(answer: Answer) -> Numbers:
    """Lines such as ``XN Seq Scan on sales  (cost=0.00..87.98 rows=8798 width=17)``."""
    scans = re.findall(r"Scan on .*?rows=(\d+) width=(\d+)", _text(answer))
    return _sum(float(rows) for rows, _ in scans), _sum(float(rows) * float(width) for rows, width in scans)


def _mysql(answer: Answer) -> Numbers:
    """A row per table; those in angle brackets are results of other rows."""
    names, rows = answer
    places = {name.lower(): place for place, name in enumerate(names)}
    tables = [row for row in rows if row[places["table"]] and not str(row[places["table"]]).startswith("<")]
    return _sum(float(row[places["rows"]] or 0) for row in tables), None


def _trino(answer: Answer) -> Numbers:
    """Tables with estimates, which are the text NaN where the connector has no statistics."""
    tables = [table.get("estimate", {}) for table in _json(answer).get("inputTableColumnInfos", [])]
    rows, sizes = ([_number(table.get(name)) for table in tables] for name in ("outputRowCount", "outputSizeInBytes"))
    return _sum(rows), _sum(sizes)


def _number(value: Any) -> float | None:
    number = float("nan") if value is None else float(value)
    return number if math.isfinite(number) else None


def _clickhouse(answer: Answer) -> Numbers:
    """A row per table: database, table, parts, rows, marks; only for tables of the MergeTree family."""
    return _sum(float(row[3]) for row in answer[1]), None


_UNITS = {unit: 1024**power for power, unit in enumerate(("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))}
_STATISTICS = re.compile(
    r"^[\s:+|-]*(\w+).*Statistics\(sizeInBytes=([\d.E+]+) (\w+)(?:, rowCount=([\d.E+]+))?", re.MULTILINE
)


def _spark(answer: Answer) -> Numbers:
    """The leaves of the optimized plan: relations, with 8 EiB where nothing is known."""
    plan = _text(answer).split("== Physical Plan ==")[0]
    lines = plan.splitlines()
    found = [
        (float(match[2]) * _UNITS[match[3]], float(match[4]) if match[4] else None)
        for line, after in zip(lines, [*lines[1:], ""], strict=True)
        if (match := _STATISTICS.match(line)) and _depth(after) <= _depth(line)
    ]
    sizes = [size if size < _UNITS["EiB"] else None for size, _ in found]
    return _sum(rows for _, rows in found), _sum(sizes)


def _depth(line: str) -> int:
    """How deep in the tree a line of a plan stands."""
    return len(line) - len(line.lstrip(" :+-|"))


def _snowflake(answer: Answer) -> Numbers:
    """The bytes of the partitions that are left after pruning."""
    return None, _number(_json(answer).get("GlobalStats", {}).get("bytesAssigned"))


_WAYS: dict[str, tuple[str, Callable[[Answer], Numbers]]] = {
    "athena": ("EXPLAIN (TYPE IO, FORMAT JSON)", _trino),
    "clickhouse": ("EXPLAIN ESTIMATE", _clickhouse),
    "databricks": ("EXPLAIN COST", _spark),
    "mysql": ("EXPLAIN", _mysql),
    "postgres": ("EXPLAIN (FORMAT JSON)", _postgres),
    "redshift": ("EXPLAIN", _redshift),
    "snowflake": ("EXPLAIN USING JSON", _snowflake),
    "spark": ("EXPLAIN COST", _spark),
    "trino": ("EXPLAIN (TYPE IO, FORMAT JSON)", _trino),
}
