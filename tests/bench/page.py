"""The page of figures, docs/performance.md: written by the benchmark, and by nobody else."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from .generate import Shape

if TYPE_CHECKING:
    from .__main__ import Timing

Timings = Mapping[str, "Timing"]

HEAD = """# Performance

Written by `python -m tests.bench --write docs/performance.md`. Ratios are what is worth quoting; seconds are those of
one machine:

{machine}

Every figure is a whole process, start-up included, from two Parquet files to five numbers (nDCG@10, AP, RR, P@10,
R@100): the best of {repeat} runs. All tools agree on the numbers to 1e-6, or there is no page. The *floor* is the least
that any SQL must do, in DuckDB: join run and judgments, and count per query; *group_by* finds duplicates by GROUP BY
and HAVING. *rankmetrics* is what happens without options. *rankmetrics cutoffs* asks for nDCG@10, RR@10, P@10 and R@10
instead: where every metric has a cutoff, only items that reach it are ranked.
"""


def page(results: Mapping[Shape, Timings], repeat: int) -> str:
    """The page.

    Args:
        results: what was measured, by tool, of each shape.
        repeat: the runs of which each figure is the best.
    """
    parts = [HEAD.format(machine=machine(), repeat=repeat)]
    for shape, timings in results.items():
        parts += [section(shape, timings)]
    lost = [line for shape, timings in results.items() for line in losses(shape, timings)]
    parts.append("\n".join(["## Where others are faster", "", *(lost or ["Nowhere in what is measured here."]), ""]))
    return "\n".join(parts)


def machine() -> str:
    """The machine and the versions, as a list."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    tools = {name: version(name) for name in ("rankmetrics_sql", "pytrec_eval-terrier", "ir-measures", "ranx")}
    versions = {"Python": platform.python_version(), "DuckDB": duckdb.__version__} | tools
    return "\n".join(
        [
            f"- {processor()}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()}",
            "- " + ", ".join(f"{name} {number}" for name, number in versions.items() if number),
        ]
    )


def processor() -> str:
    """What Linux calls it; elsewhere the kind."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def version(package: str) -> str | None:
    """Of what is installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def section(shape: Shape, timings: Timings) -> str:
    """One shape: a table and a chart."""
    floor, default = timings["floor"].seconds, timings["rankmetrics"].seconds
    rows = [
        (
            tool,
            f"{timing.seconds:.2f}",
            f"{timing.peak / 1e6:.0f}",
            f"{timing.seconds / floor:.2f}",
            f"{timing.seconds / default:.2f}",
        )
        for tool, timing in timings.items()
    ]
    for tool, seconds in second_evaluations(timings).items():
        rows.append((tool, f"{seconds:.2f}", "", f"{seconds / floor:.2f}", f"{seconds / default:.2f}"))
    table = ["| process | seconds | peak MB | × floor | × rankmetrics |", "|---|---:|---:|---:|---:|"]
    table += [f"| {' | '.join(row)} |" for row in rows]
    names = ", ".join(f'"{tool}"' for tool in timings)
    bars = ", ".join(f"{timing.seconds / floor:.2f}" for timing in timings.values())
    chart = ["```mermaid", "xychart-beta horizontal", f'    title "{shape.name}: times the floor"']
    chart += [f"    x-axis [{names}]", f"    bar [{bars}]", "```"]
    size = f"{shape.n_queries:,} queries × {shape.n_items:,} items, {shape.n_judgments} judgments each"
    title = f"## {shape.name}: {size}"
    return "\n".join([title, "", *table, "", *chart, ""])


def second_evaluations(timings: Timings) -> dict[str, float]:
    """What a tool takes for the same once more in the same process, where it compiles itself in the first."""
    return {
        f"{tool}, second evaluation": timing.output["second"]
        for tool, timing in timings.items()
        if isinstance(timing.output, dict) and "second" in timing.output
    }


def losses(shape: Shape, timings: Timings) -> list[str]:
    """Whoever is faster than we are by default."""
    ours = timings["rankmetrics"].seconds
    others = {tool: timings[tool].seconds for tool in ("pytrec_eval", "ir_measures", "ranx") if tool in timings}
    return [
        f"- {shape.name}: {tool} takes {seconds:.2f} s, rankmetrics {ours:.2f} s."
        for tool, seconds in {**others, **second_evaluations(timings)}.items()
        if seconds < ours
    ]
