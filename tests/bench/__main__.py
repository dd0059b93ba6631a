"""Times this package beside others on the same files: ``python -m tests.bench`` (needs the extra ``bench``).

Every contestant is a whole process, so that start-up counts. Figures are the best of a few runs, one after the
other on the same machine; ratios are what is worth quoting.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from .generate import SHAPES, Shape, write
from .page import page

HERE = Path(__file__).parent
OURS = ("rankmetrics", "rankmetrics check=judged", "rankmetrics check=full", "rankmetrics cutoffs")
ALWAYS = ("floor", "group_by", *OURS)
OTHERS = ("pytrec_eval", "ir_measures", "ranx")
METRICS = ("nDCG@10", "AP", "RR", "P@10", "R@100")
CUTOFFS = ("nDCG@10", "RR@10", "P@10", "R@10")


@dataclass(frozen=True)
class Timing:
    """Wall time in seconds, peak memory in bytes, and what the process printed."""

    seconds: float
    peak: int
    output: Any


def command(tool: str, run: Path, qrels: Path) -> list[str]:
    """The process to time."""
    if not tool.startswith("rankmetrics"):
        return [sys.executable, str(HERE / "contestants.py"), tool, str(run), str(qrels)]
    asked = CUTOFFS if tool.endswith("cutoffs") else METRICS
    metrics = [part for metric in asked for part in ("-m", metric)]
    choices = [part for word in tool.split() if "=" in word for part in ("--set", word)]
    program = [str(Path(sys.executable).parent / "rankmetrics"), "evaluate", str(run), "--qrels", str(qrels)]
    return [*program, *metrics, *choices, "--format", "json"]


def measure(arguments: Sequence[str]) -> Timing:
    """Runs a process to its end."""
    start = time.perf_counter()
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)} failed with exit code {process.returncode}")
    return Timing(seconds, usage.ru_maxrss * 1024, json.loads(output))


def best(arguments: Sequence[str], repeat: int) -> Timing:
    """The fastest of a few runs; one that takes long is not repeated."""
    timings = [measure(arguments)]
    while len(timings) < repeat and timings[0].seconds < 20:
        timings.append(measure(arguments))
    return min(timings, key=lambda timing: timing.seconds)


def check_agreement(shape: Shape, timings: dict[str, Timing]) -> None:
    """Refuses to publish times of tools that compute different things."""
    ours = [row["value"] for row in timings["rankmetrics"].output]
    for tool in OTHERS:
        if tool in timings:
            theirs = timings[tool].output["values"]
            if any(abs(a - b) > 1e-6 for a, b in zip(ours, theirs, strict=True)):
                raise SystemExit(f"{shape.name}: {tool} gets {theirs}, we get {ours}")


def report(shape: Shape, timings: dict[str, Timing]) -> Table:
    """One table per shape."""
    title = f"{shape.name}: {shape.n_queries:,} queries x {shape.n_items:,} items, {shape.n_judgments} judgments"
    table = Table("process", title=title)
    for name in ("seconds", "peak MB", "x floor", "x ours"):
        table.add_column(name, justify="right")
    floor, ours = timings["floor"].seconds, timings["rankmetrics"].seconds
    for tool, timing in timings.items():
        table.add_row(
            tool,
            f"{timing.seconds:.2f}",
            f"{timing.peak / 1e6:.0f}",
            f"{timing.seconds / floor:.2f}",
            f"{timing.seconds / ours:.2f}",
        )
        if tool == "ranx":
            second = timing.output["second"]
            table.add_row("ranx, second evaluate", f"{second:.2f}", "", f"{second / floor:.2f}", f"{second / ours:.2f}")
    return table


def main() -> None:
    """Generates what is missing, runs everything, prints a table per shape."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where the Parquet files are kept")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--shape", action="append", choices=[shape.name for shape in SHAPES])
    parser.add_argument("--tool", action="append", choices=OTHERS, help="besides the floor, GROUP BY and ours")
    parser.add_argument("--write", type=Path, help="the page to write, docs/performance.md")
    options = parser.parse_args()
    tools = [*ALWAYS, *(options.tool if options.tool is not None else OTHERS)]
    results = {}
    for shape in SHAPES:
        if options.shape is None or shape.name in options.shape:
            write(shape, options.data)
            timings = {tool: best(command(tool, *shape.files(options.data)), options.repeat) for tool in tools}
            check_agreement(shape, timings)
            Console().print(report(shape, timings))
            results[shape] = timings
    if options.write is not None:
        options.write.write_text(page(results, options.repeat), encoding="utf-8")


if __name__ == "__main__":
    main()
