"""The part of all tools in docs/performance_details.md: written by the benchmark, and by nobody else."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb

from ..tools import HERE as TOOLS
from ..tools import requirements
from .generate import Shape
from .tables import on_page
from .timings import EXACT, TOLERANCE, Timings, losses, rows

HERE = Path(__file__).parent
NAME = "tools"  # of its markers
PACKAGES = ("rankmetrics_sql", "pytrec_eval-terrier", "ir-measures", "ranx")
# In environments of their own: whose requirements name what.
ELSEWHERE = {"pyspark": (TOOLS, "spark", "pyspark=="), "jtreceval": (HERE, "trec_eval", ":jtreceval:")}
HEAD = """## Beside other tools

`python -m dev.bench --write docs/performance_details.md` writes this part of the page. It was measured on

{machine}

Each figure is a whole process, start-up included, and the best of {repeat} runs. The process reads two files and
computes nDCG@10, AP, RR, P@10 and R@100. A *second evaluation* does so once more in the same process, from the data
that it has loaded. The seconds of the process leave it out. The tools agree on the numbers to {exact:g}, or nothing is
written.

| process | what it does |
|---|---|
| floor | the least that any SQL must do, in DuckDB: it joins run and judgments, and counts per query |
| group_by | finds duplicates by GROUP BY and HAVING |
| rankmetrics | the command line without options |
| rankmetrics check=judged | the same, but checks only the judged items |
| rankmetrics check=full | the same, but checks everything |
| rankmetrics cutoffs | the same for nDCG@10, RR@10, P@10 and R@10, so it ranks only items that reach the cutoff |
| rankmetrics text | the same from TREC's text files |
| rankmetrics_tables | Python, from tables of DuckDB |
| rankmetrics_parquet | Python, from the files |
| by_hand | the statement that an analyst writes for files without any surprise |
| trec_eval | its own program, from TREC's text files; it prints four decimals, so it need agree only to {printed:g} |
| spark | `RankingMetrics` of Spark's mllib on all cores, if there are rows enough; AP, P@10 and R@100 only |

Spark has no RR, and its nDCG has another gain.
"""


def tools_part(
    results: Mapping[Shape, Timings],
    repeat: int,
    commands: Mapping[str, str],
    absent: Sequence[tuple[str, str, str]] = (),
    further: Sequence[str] = (),
) -> str:
    """Return the part between its markers.

    Args:
        results: what was measured, by tool, of each shape.
        repeat: the runs of which each figure is the best.
        commands: how each tool is called.
        absent: the tools that were left out, of which shape, and why.
        further: more sections, of other benchmarks.
    """
    losses_by_shape = [f"- {shape.name}: {line}" for shape, timings in results.items() for line in losses(timings)]
    parts = [
        HEAD.format(machine=machine(), repeat=repeat, exact=EXACT, printed=TOLERANCE["trec_eval"]),
        *(section(shape, timings) for shape, timings in results.items()),
        *further,
        list_section("Where others are faster", losses_by_shape or ["Nowhere in what is measured here."]),
        list_section("What ran", ["```", *(f"{tool:<24} {text}" for tool, text in commands.items()), "```"]),
    ]
    if absent:
        parts.append(
            list_section("What is left out", [f"- {shape}: {tool}, {reason}" for tool, shape, reason in absent])
        )
    return "\n".join(parts).strip()


def required_version(home: Path, name: str, before: str) -> str:
    """Return the version in a file of requirements, behind ``before``."""
    text = requirements(name, home).read_text(encoding="utf-8")
    return re.split(r"[\s:]", text.partition(before)[2], maxsplit=1)[0]


def list_section(heading: str, lines: Sequence[str]) -> str:
    """Return a section of lines."""
    return "\n".join([f"## {heading}", "", *lines, ""])


def machine() -> str:
    """Return the machine and the versions, as a list."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    tools = {name: version(name) for name in PACKAGES}
    other_tools = {name: required_version(*where) for name, where in ELSEWHERE.items()}
    versions = {"Python": platform.python_version(), "DuckDB": duckdb.__version__} | tools | other_tools
    return "\n".join(
        [
            f"- {processor()}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()}",
            "- " + ", ".join(f"{name} {number}" for name, number in versions.items() if number),
        ]
    )


def processor() -> str:
    """Return the name of the processor in Linux, elsewhere its kind."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def version(package: str) -> str | None:
    """Return the version of a package, if it is installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def section(shape: Shape, timings: Timings) -> str:
    """Return the section of a shape."""
    table = on_page(("process", "seconds", "peak MB", "× floor", "× rankmetrics"), rows(timings))
    return "\n".join([f"## {title(shape)}", "", *table, ""])


def title(shape: Shape) -> str:
    """Return the name and size of a shape."""
    size = f"{shape.n_queries:,} queries × {shape.n_items:,} items, {shape.n_judgments} judgments each"
    return f"{shape.name}: {size}"
