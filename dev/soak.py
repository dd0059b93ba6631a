"""``python -m dev.soak``: ten thousand evaluations and comparisons in one process; the exit status is 1 if it grows.

Every second call compares two runs. Memory, threads and open files are those that Linux counts.
"""

from __future__ import annotations

import argparse
import gc
import resource
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import duckdb

import rankmetrics_sql as rm

METRICS = ["ndcg@10", "rr", "ap"]
GROWTH = 12  # megabytes by which two tenths of the calls may differ
LOOKS = 10  # in each tenth: the database in memory is small when it has just been opened anew, and larger later
_TABLES = (
    "CREATE TABLE {} AS SELECT 'q' || q AS query_id, 'i' || (i * 7 + q * {}) % 100 AS item_id, 1 / (i + 1) AS score"
    " FROM RANGE(20) AS queries(q), RANGE(20) AS items(i)"
)


class Size(NamedTuple):
    """What a process has.

    Attributes:
        calls: the calls that it has made.
        memory: its resident megabytes.
        threads: its threads.
        files: its open files.
    """

    calls: int
    memory: float
    threads: float
    files: float


def soak(calls: int) -> Iterator[Size]:
    """Evaluate and compare so often; yield the size of the process after each tenth, the medians of several looks."""
    sizes: list[Size] = []
    warnings.simplefilter("ignore")
    with duckdb.connect() as connection:
        for name, step in (("run", 1), ("other", 3)):
            connection.execute(_TABLES.format(name, step))
        connection.execute("CREATE TABLE qrels AS SELECT query_id, item_id, 1 AS relevance FROM run WHERE score < 0.2")
        run, other, qrels = (connection.table(name).df() for name in ("run", "other", "qrels"))
        for call in range(1, calls + 1):
            if call % 2:
                rm.evaluate(run, qrels, METRICS).summary.fetchall()
            else:
                rm.compare(run, other, qrels, METRICS).summary.fetchall()
            if call % max(1, calls // 10 // LOOKS) == 0:
                sizes.append(size(call))
            if len(sizes) == LOOKS:
                yield Size(call, *(median(column) for column in list(zip(*sizes, strict=True))[1:]))
                sizes = []


def size(calls: int) -> Size:
    """Return the size of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    threads, files = (len([*Path("/proc/self", kind).iterdir()]) for kind in ("task", "fd"))
    return Size(calls, pages * resource.getpagesize() / 2**20, threads, files)


def growth(first: Size, last: Size) -> list[str]:
    """Return in words what has grown."""
    counts = [(name, getattr(first, name), getattr(last, name)) for name in ("threads", "files")]
    grown = [f"{name}: {before}, then {after}" for name, before, after in counts if after > before]
    if last.memory > first.memory + GROWTH:
        grown.append(f"memory: {first.memory:.0f} MB, then {last.memory:.0f} MB")
    return grown


def main() -> int:
    """Print the sizes, and what has grown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000, help="evaluations and comparisons (default: 10000)")
    sizes = []
    print("| calls | memory, MB | threads | open files |\n|---:|---:|---:|---:|")
    for one in soak(parser.parse_args().calls):
        sizes.append(one)
        print(f"| {one.calls:,} | {one.memory:.0f} | {one.threads:g} | {one.files:g} |", flush=True)
    grown = growth(sizes[1], sizes[-1])  # the first tenth imports and warms up
    print("\n" + ("; ".join(grown) or "nothing has grown"))
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
