"""docs/performance.md: what people ask of the figures, cut from the pages that the benchmarks write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
DETAILS, ENGINES = DOCS / "performance_details.md", DOCS / "performance_engines.md"
Rows = list[list[str]]
# Processes of the details, and what the page calls them.
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
PAGE = """# Performance

Quote the ratios: the seconds belong to one machine with two cores.
[All figures](performance_details.md) name the machine, the versions and each command.
`python -m dev.bench` repeats them.

![{title}](pictures/speed.svg)

## From two files to five metrics

Seconds of a whole process, start-up included. {shapes}

{cold}

## From tables that are loaded

Seconds of a second evaluation in the same process. trec_eval always reads files.

{warm}

{logs}{pairs}## In other engines

One statement computes five metrics. Each figure is a multiple of the engine's *floor*:
rank the rows of each query and join the judgments. [Details](performance_engines.md).

{engines}
"""


def page() -> str:
    """All of it."""
    shapes = [heading for heading in details() if " queries × " in heading]
    return PAGE.format(
        title="Seconds of a whole process with each tool",
        shapes=" ".join(f"*{name}* has{size}." for name, _, size in (shape.partition(":") for shape in shapes)),
        cold=beside(shapes, COLD),
        warm=beside(shapes, WARM),
        logs=logs(),
        pairs=pairs(),
        engines=engines(),
    )


def seconds(heading: str, names: Mapping[str, str]) -> dict[str, float]:
    """The seconds of some processes, by name, in their order; without those that were left out."""
    found = {row[0]: float(row[1]) for row in details()[heading]}
    return {name: found[name] for name in names if name in found}


def beside(shapes: Sequence[str], names: Mapping[str, str]) -> str:
    """A table with a row for each shape and a column for each tool."""
    rows = []
    for shape in shapes:
        found = seconds(shape, names)
        rows.append([shape.partition(":")[0], *(f"{found[name]:.2f}" if name in found else "" for name in names)])
    return table(["data", *names.values()], rows)


def logs() -> str:
    """The section of logs and of lists, beside the first way of each; nothing where they were not measured."""
    found = {heading: rows for heading, rows in details().items() if re.search(r"impressions and|lists of", heading)}
    parts = [
        f"{heading}:\n\n{table(['', 'seconds', 'ratio'], [[what, clock, ratio] for what, clock, _, ratio, _ in rows])}"
        for heading, rows in found.items()
    ]
    return f"## {LOGS}\n\n" + "\n\n".join(parts) + "\n\n" if parts else ""


def pairs() -> str:
    """The section of what warehouses hold; nothing where it was not measured."""
    rows = [[what, plain, *times[:3]] for what, plain, *times in details().get(PAIRS, [])]
    head = ["ours", "beside", "beside, seconds", "ours, seconds", "ratio"]
    return f"## {PAIRS}\n\nBoth from DuckDB's tables in one process.\n\n{table(head, rows)}\n\n" if rows else ""


def engines() -> str:
    """A row for each engine, with the factor of each shape."""
    (rows,) = tables(ENGINES.read_text(encoding="utf-8")).values()
    found: dict[str, dict[str, str]] = {}
    for engine, data, *_, factor in rows:
        found.setdefault(engine, {})[data.partition(",")[0]] = factor
    shapes = list(next(iter(found.values())))
    return table(["engine", *shapes], [[engine, *(each[shape] for shape in shapes)] for engine, each in found.items()])


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose numbers stand at the right."""
    texts = sum(not re.fullmatch(r"[\d.]*", cell) for cell in rows[0])
    lines = [head, ["---"] * texts + ["---:"] * (len(head) - texts), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


@cache
def details() -> dict[str, Rows]:
    """The tables of the details by heading."""
    return tables(DETAILS.read_text(encoding="utf-8"))


def tables(text: str) -> dict[str, Rows]:
    """The rows of each table of a page, by the heading above it."""
    return {heading: rows for heading, rows in _tables(text) if rows}


def _tables(text: str) -> Iterator[tuple[str, Rows]]:
    for part in re.split(r"^#+ ", text, flags=re.MULTILINE):
        lines = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("|")]
        yield part.partition("\n")[0], lines[2:]
