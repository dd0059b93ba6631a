"""Times ``rankmetrics evaluate`` on many rows: ``python -m dev.bench.scale``, ``--rows 1e9`` for as many.

Files are written by DuckDB from arithmetic and kept; those of 10^9 rows take 15 GB. Ids are text, as search engines
write them. Each case is one process, start-up included, run in an empty folder, whose growth is what it spilled.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table

from .generate import Shape, write
from .tables import on_page, on_screen

HERE = Path(__file__).parent
METRICS = ("nDCG@10", "AP", "RR", "P@10", "R@100")
LIST = 1_000
COLUMNS = ("case", "rows", "seconds", "µs a row", "peak MB", "spilled MB")


@dataclass(frozen=True)
class Case:
    """What is evaluated.

    Attributes:
        name: what makes it hard.
        shape: its files.
        copies: how often they are repeated, with queries of other names.
        hot: whether the first query has as many rows more as all have together.
        n_judged: how many of those are judged.
        arguments: of the command, beside the files and metrics.
    """

    name: str
    shape: Shape
    copies: int = 1
    hot: bool = False
    n_judged: int = 0
    arguments: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """The number of rows of the run."""
        return self.shape.n_queries * self.shape.n_items * self.copies * (2 if self.hot else 1)

    def files(self, folder: Path) -> tuple[Path, Path]:
        """Return the paths of run and qrels, which are written unless they exist."""
        write(self.shape, folder)
        run, qrels = self.shape.files(folder)
        if self.hot:
            return add_hot_query(run), add_judgments(run, qrels, self.n_judged)
        return copy_queries(run, self.copies), copy_queries(qrels, self.copies)


@dataclass(frozen=True)
class Cost:
    """Seconds of wall time, peak memory and the most that stood in temporary files, in bytes."""

    seconds: float
    peak: int
    spilled: int


def sparse(n_rows: int) -> Shape:
    """Return a shape of lists of a thousand, of which two items are judged, as in MS MARCO."""
    return Shape(f"sparse_{n_rows}", n_rows // LIST, LIST, 2, 1_250)


def cases(n_rows: int) -> Iterator[Case]:
    """Yield the cases: a tenth of the rows and all of them, then hard cases with fewer rows."""
    tenth = sparse(n_rows // 10)
    yield Case("a tenth of the rows", tenth)
    yield Case("all rows", tenth, copies=10)
    yield Case("in 8 partitions", tenth, copies=10, arguments=("--partitions", "8"))
    yield Case("windows", tenth, arguments=("--set", "strategy=window", "--memory-limit", "300MB"))
    yield Case("half of the rows are one query's", sparse(n_rows // 20), hot=True)
    yield Case("and it has 1,000 judgments", sparse(n_rows // 20), hot=True, n_judged=1_000)
    yield Case("lists of two", Shape(f"pairs_{n_rows // 5}", n_rows // 10, 2, 2, 4))


def copy_queries(file: Path, copies: int) -> Path:
    """Copy the rows of a file under other queries, which is cheaper than to compute new rows."""
    if copies == 1:
        return file
    copies_sql = (
        f"SELECT query_id || '_{copy}' AS query_id, * EXCLUDE query_id FROM '{file}'" for copy in range(copies)
    )
    return write_query(file.with_name(f"{copies}_{file.name}"), " UNION ALL ".join(copies_sql))


MORE = "SELECT 'q0' AS query_id, query_id || item_id AS item_id"


def add_hot_query(run: Path) -> Path:
    """Double a run with rows of its first query: copies of all rows, each item under a new name."""
    return write_query(run.with_name(f"hot_{run.name}"), f"FROM '{run}' UNION ALL {MORE}, score FROM '{run}'")


def add_judgments(run: Path, qrels: Path, n_judged: int) -> Path:
    """Add judgments for some of the rows of the first query."""
    share = f"{MORE}, 1 AS relevance FROM '{run}' ORDER BY HASH(query_id, item_id) LIMIT {n_judged}"
    return write_query(qrels.with_name(f"hot_{n_judged}_{qrels.name}"), f"FROM '{qrels}' UNION ALL (FROM ({share}))")


def write_query(file: Path, query: str) -> Path:
    """Write the result of a query to a file, unless it exists."""
    if not file.exists():
        with duckdb.connect(config={"preserve_insertion_order": "false", "memory_limit": "4GB"}) as connection:
            connection.execute("SET enable_progress_bar = false")
            connection.execute(f"COPY ({query}) TO '{file}'")
    return file


def command(case: Case, folder: Path) -> list[str]:
    """Return the command of the process to measure."""
    run, qrels = case.files(folder)
    metrics = [part for metric in METRICS for part in ("-m", metric)]
    program = [str(Path(sys.executable).parent / "rankmetrics"), "evaluate", str(run), "--qrels", str(qrels)]
    return [*program, *metrics, "--format", "json", *case.arguments]


def measure(arguments: Sequence[str]) -> Cost:
    """Run a process to its end, and watch the size of its folder."""
    spilled = 0
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, cwd=folder)
        ended_pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        while not ended_pid:
            spilled = max(spilled, size(Path(folder)))
            time.sleep(0.02)
            ended_pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)} failed with exit code {process.returncode}")
    return Cost(seconds, usage.ru_maxrss * 1024, spilled)


def size(folder: Path) -> int:
    """Return the size of all files in a folder, without files that are deleted meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            total += path.stat().st_blocks * 512
    return total


def rows(costs: Mapping[Case, Cost]) -> list[tuple[str, ...]]:
    """Return the table row of each case."""
    return [
        (
            " ".join((case.name, *case.arguments)),
            f"{case.n_rows:,}",
            f"{cost.seconds:.1f}",
            f"{cost.seconds / case.n_rows * 1e6:.3f}",
            f"{cost.peak / 1e6:,.0f}",
            f"{cost.spilled / 1e6:,.0f}",
        )
        for case, cost in costs.items()
    ]


def section(costs: Mapping[Case, Cost]) -> str:
    """Return the section of the page."""
    return "\n".join(["## Many rows", "", *on_page(COLUMNS, rows(costs)), ""])


def report(costs: Mapping[Case, Cost]) -> Table:
    """Return the table for the screen."""
    return on_screen("rankmetrics evaluate", COLUMNS, rows(costs))


def main() -> None:
    """Write missing files, measure each case, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where the Parquet files are kept")
    parser.add_argument("--rows", type=float, default=1e8, help="of the largest run")
    parser.add_argument("--case", action="append", metavar="WORD", help="the cases with this in their name")
    parser.add_argument("--memory-limit", metavar="SIZE", help="of every case that has none of its own")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the part of the page to this file")
    options = parser.parse_args()
    chosen_cases = [
        case for case in cases(int(options.rows)) if any(word in case.name for word in options.case or [""])
    ]
    limit = ["--memory-limit", options.memory_limit] if options.memory_limit else []
    costs = {}
    for case in chosen_cases:
        with ProcessPoolExecutor(
            1, get_context("spawn")
        ) as pool:  # what a process has used counts as its children's too
            program = pool.submit(command, case, options.data).result()
        costs[case] = measure([*program[:2], *limit, *program[2:]])  # the last of an option counts
    Console().print(report(costs))
    if options.markdown:
        options.markdown.write_text(section(costs), encoding="utf-8")


if __name__ == "__main__":
    main()
