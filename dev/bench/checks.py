"""What checks and warnings cost: ``python -m dev.bench.checks``, on every shape, and with grades below ``rel``, too.

The same evaluation with nothing checked, with the judged items checked, and as it is by default. What is asked beside
the statement is to take at most a fifth of it. Times are the processor's, because no machine is idle.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table

import rankmetrics_sql as rm

from .generate import SHAPES, Shape, write
from .many import FIVE, HERE
from .tables import on_screen

CHECKS = ("none", "judged", "auto")  # "judged" counts faults in the statement itself, as "auto" does with many rows
LOWER = "grades below rel"


def qrels_of(shape: Shape, folder: Path) -> dict[str, str]:
    """Return the judgments of a shape, and a copy with grades one lower, of which some are then 0."""
    _, qrels = shape.files(folder)
    lower = folder / f"{shape.name}.lower.parquet"
    if not lower.exists():
        duckdb.execute(f"COPY (SELECT * REPLACE (relevance - 1 AS relevance) FROM '{qrels}') TO '{lower}'")
    return {"": str(qrels), LOWER: str(lower)}


def seconds(run: str, qrels: str, times: int) -> dict[str, float]:
    """Return the least processor time of an evaluation with each choice; they take turns, under the same load."""
    times_by_check: dict[str, list[float]] = {check: [] for check in CHECKS}
    for _ in range(times):
        for check, durations in times_by_check.items():
            begin = time.process_time()
            rm.evaluate(run, qrels, FIVE, check=check)
            durations.append(time.process_time() - begin)
    return {check: min(durations) for check, durations in times_by_check.items()}


def report(shapes: Sequence[Shape], folder: Path, times: int) -> Table:
    """Return a table of shapes and kinds of grades; the last column is the share that checks add."""
    rows = []
    for shape in shapes:
        write(shape, folder)
        for grades, qrels in qrels_of(shape, folder).items():
            seconds_by_check = seconds(str(shape.files(folder)[0]), qrels, times)
            added = seconds_by_check["auto"] / seconds_by_check["judged"] - 1
            rows.append(
                (
                    f"{shape.name} {grades}".strip(),
                    *(f"{seconds_by_check[check]:.2f}" for check in CHECKS),
                    f"{added:+.0%}",
                )
            )
    head = ("shape", *(f"check={check}" for check in CHECKS), "auto beside judged")
    return on_screen("Seconds of the processor", head, rows)


def main() -> None:
    """Time every shape and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where the files are kept")
    parser.add_argument("--repeat", type=int, default=4)
    options = parser.parse_args()
    warnings.simplefilter("ignore", rm.RankmetricsWarning)
    Console().print(report(SHAPES, options.data, options.repeat))


if __name__ == "__main__":
    main()
