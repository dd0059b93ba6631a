"""SQL for DuckDB that several modules write, and how its plans and errors are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...dialects.names import literal

# Whether a column's collation ignores case, accents, or how an accent is encoded.
IS_COLLATED = (
    "COALESCE({0}, 'a') = 'A' OR COALESCE({0}, 'a') = 'á'"
    " OR COALESCE({0}, '\N{LATIN SMALL LETTER E WITH ACUTE}') = 'e\N{COMBINING ACUTE ACCENT}'"
)


def collations(relation: str, columns: Iterable[str], condition: str) -> str:
    """Return a query for one row: whether a condition holds for each column. It reads no row of the relation."""
    conditions = ", ".join(f"({condition.format(f's.{column}')})" for column in columns)
    no_rows = f"(SELECT * FROM {relation} AS t WHERE 1 = 0)"
    return f"SELECT {conditions} FROM (SELECT 1 AS one) AS d LEFT JOIN {no_rows} AS s ON 1 = 1"


def file_literal(path: Path) -> str:
    """Return a file's name as SQL, with the characters escaped that DuckDB would read as a pattern."""
    return literal("".join(f"[{mark}]" if mark in "*?[" else mark for mark in str(path)))


def unnest(columns: Mapping[str, Sequence[Any]]) -> tuple[str, list[Any]]:
    """Return a query over Python lists of one length, and its parameters."""
    names = ", ".join(f"unnest(${number}) AS {name}" for number, name in enumerate(columns, start=1))
    return f"SELECT {names}", list(columns.values())


def in_catalogue(parts: Sequence[str]) -> str:
    """Return a query that has a row if there is a table, view or registered frame of a name, given by its parts.

    Unlike a query over the table, it cannot fail, which would abort the user's transaction.
    """
    columns = ("table_catalog", "table_schema", "table_name")[-len(parts) :]
    pairs = zip(columns, parts, strict=False)
    conditions = " AND ".join(f"LOWER({column}) = {literal(part.lower())}" for column, part in pairs)
    if len(parts) == 2:  # DuckDB reads a.b as catalog and table too
        catalog, table = (literal(part.lower()) for part in parts)
        conditions += f" OR (LOWER(table_catalog) = {catalog} AND LOWER(table_name) = {table})"
    if len(parts) == 1:  # attached databases are not searched
        conditions += " AND table_catalog IN (CURRENT_DATABASE(), 'temp', 'system')"
        conditions += " AND table_schema IN (SELECT UNNEST(CURRENT_SCHEMAS(true)))"
    return f"SELECT 1 FROM information_schema.tables WHERE {conditions} LIMIT 1"


def rows_read(plan: Sequence[Mapping[str, Any]]) -> int:
    """Return the sum of the estimates at the leaves of a plan."""
    return sum(
        rows_read(node["children"]) if node.get("children") else int(node["extra_info"].get("Estimated Cardinality", 0))
        for node in plan
    )


def first_line(error: BaseException) -> str:
    """Return the message of an error in one line, with the hint that follows it."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    if "CSV Error on Line" in lines[0] and len(lines) > 2:
        return f"{lines[0]}: {lines[2]}"
    return " ".join(lines[:2]) if len(lines) > 1 and lines[1].startswith("Did you mean") else lines[0]
