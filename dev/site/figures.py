"""docs/performance.md: the main figures, cut from the page that the benchmarks write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
DETAILS = DOCS / "performance_details.md"
Rows = list[list[str]]
# Processes of the details, and their names on the page.
COLD = {
    "rankmetrics": "rankmetrics_sql",
    "by_hand": "SQL by hand",
    "trec_eval": "trec_eval",
    "pytrec_eval": "pytrec_eval",
    "ranx": "ranx",
    "ir_measures": "ir_measures",
}
AGAIN = ", second evaluation"
WARM = {"rankmetrics_tables" + AGAIN: "rankmetrics_sql"} | {
    name + AGAIN: title for name, title in COLD.items() if name not in ("rankmetrics", "trec_eval")
}
LOGS = "From a click log, and from lists"
PAIRS = "What warehouses hold"
ENGINES = "In other engines"
PAGE = """# Performance

How fast is rankmetrics_sql beside other tools, and in your engine? Compare ratios, because the seconds belong to one
machine with two cores. [Performance in detail](performance_details.md) has the machine, the versions, each command, and
the cases where other tools are faster. `python -m dev.bench` measures again.

![{title}](pictures/speed.svg)

## From two files to five metrics

Seconds of a whole process, start-up included. The data:

{shapes}

{cold}

## From tables that are loaded

Seconds of a second evaluation in the same process. trec_eval always reads files.

{warm}

{logs}{pairs}## {engines_heading}

One statement computes five metrics. Each figure is a multiple of the engine's *floor*, which ranks the rows of each
query and joins the judgments. *analysed* means with table statistics. The details have
[the seconds](performance_details.md#in-other-engines).

{engines}
"""


def page() -> str:
    """Return the page."""
    parts = [heading.partition(":") for heading in shapes()]
    return PAGE.format(
        title="Seconds of a whole process with each tool",
        shapes="\n".join(f"- *{name}*:{size}" for name, _, size in parts),
        cold=compare_tools(COLD),
        warm=compare_tools(WARM),
        logs=logs(),
        pairs=pairs(),
        engines=engines(),
        engines_heading=ENGINES,
    )


def shapes() -> list[str]:
    """Return the heading of each shape that was measured."""
    return [heading for heading in details() if " queries × " in heading]


def seconds(heading: str, names: Mapping[str, str]) -> dict[str, float]:
    """Return the seconds of those processes that were measured, by name, in their order."""
    seconds_by_name = {row[0]: float(row[1]) for row in details()[heading]}
    return {name: seconds_by_name[name] for name in names if name in seconds_by_name}


def compare_tools(names: Mapping[str, str]) -> str:
    """Return a table with a row for each shape and a column for each tool."""
    rows = []
    for shape in shapes():
        times = seconds(shape, names)
        rows.append([shape.partition(":")[0], *(f"{times[name]:.2f}" if name in times else "" for name in names)])
    return table(["data", *names.values()], rows)


def logs() -> str:
    """Return the section of logs and of lists, with ratios to the first way of each; "" if they were not measured."""
    tables_by_heading = {
        heading: rows for heading, rows in details().items() if re.search(r"impressions and|lists of", heading)
    }
    parts = [
        f"{heading}:\n\n{table(['', 'seconds', 'ratio'], [[name, time, ratio] for name, time, _, ratio, _ in rows])}"
        for heading, rows in tables_by_heading.items()
    ]
    about = "*Python* calls `rm.evaluate`, and *text* runs the statement of `rm.sql`."
    return f"## {LOGS}\n\n{about}\n\n" + "\n\n".join(parts) + "\n\n" if parts else ""


def pairs() -> str:
    """Return the section of what warehouses hold; "" if it was not measured."""
    rows = [[name, plain, *times[:3]] for name, plain, *times in details().get(PAIRS, [])]
    head = ["ours", "beside", "beside, seconds", "ours, seconds", "ratio"]
    return f"## {PAIRS}\n\nBoth from DuckDB's tables in one process.\n\n{table(head, rows)}\n\n" if rows else ""


def engines() -> str:
    """Return a table with a row for each engine, and the factor of each shape."""
    factors: dict[str, dict[str, str]] = {}
    for engine, data, *_, factor in details()[ENGINES]:
        factors.setdefault(engine, {})[data.partition(",")[0]] = factor
    columns = list(next(iter(factors.values())))
    return table(
        ["engine", *columns],
        [[engine, *(by_shape[column] for column in columns)] for engine, by_shape in factors.items()],
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table with numbers at the right."""
    texts = sum(not re.fullmatch(r"[\d.]*", cell) for cell in rows[0])
    lines = [head, ["---"] * texts + ["---:"] * (len(head) - texts), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


@cache
def details() -> dict[str, Rows]:
    """Return the tables of the details by heading."""
    return tables(DETAILS.read_text(encoding="utf-8"))


def tables(text: str) -> dict[str, Rows]:
    """Return the rows of each table of a page, by the heading above it."""
    return {heading: rows for heading, rows in _tables(text) if rows}


def _tables(text: str) -> Iterator[tuple[str, Rows]]:
    for part in re.split(r"^#+ ", text, flags=re.MULTILINE):
        lines = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("|")]
        yield part.partition("\n")[0], lines[2:]
