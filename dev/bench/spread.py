"""How a text spreads over the workers of a Spark cluster: ``python -m dev.bench.spread``, with one worker and with two.

The files are those of ``dev.bench.scale``; each worker is a Java machine with one core. What counts is not the seconds
of one machine but what Spark says of each stage: how its time is divided among tasks and workers, and what goes from
one worker to another. ``--rows 1e6`` is a first look.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import rankmetrics_sql as rm

from ..engines.servers import free_port, workplace
from ..engines.spark import EXECUTOR, cluster, session
from . import scale

METRICS = scale.METRICS
CASES = ("all rows", "half of the rows are one query's")
PARTITIONS = 16  # of what is shuffled, before Spark puts small ones together
HEAD = ("case", "rows", "workers", "seconds", "stages", "tasks", "MB shuffled", "slowest task", "busiest worker")
Json = Any  # as Spark's pages say it


@dataclass(frozen=True)
class Spread:
    """What Spark says of one statement.

    Attributes:
        seconds: by the clock.
        n_stages: that ran.
        n_tasks: of them all.
        shuffled: bytes that stages left for others.
        slowest: seconds of the slowest task of the longest stage after a shuffle, over the median of its tasks.
        busiest: the share of the tasks' time that the busiest worker had; with two, half is the least.
    """

    seconds: float
    n_stages: int
    n_tasks: int
    shuffled: int
    slowest: float
    busiest: float


@dataclass(frozen=True)
class Pages:
    """What Spark says of a session.

    Attributes:
        port: of its web pages on this machine.
    """

    port: int

    def ask(self, path: str) -> Json:
        """The answer under an address, below that of the session."""
        address = f"http://127.0.0.1:{self.port}/api/v1/applications"
        return fetched(f"{address}/{fetched(address)[0]['id']}/{path}")

    def stages(self) -> list[Json]:
        """The stages that ran to their end, with the times of their tasks."""
        return list(self.ask("stages?status=complete&details=true"))


def fetched(address: str) -> Json:
    """JSON from an address."""
    with urllib.request.urlopen(address, timeout=60) as answer:
        return json.load(answer)


def spread_of(stages: Sequence[Json], seconds: float) -> Spread:
    """The figures of a statement, out of what its stages say."""
    of_worker: dict[str, float] = {}
    for stage in stages:
        for task in stage["tasks"].values():
            of_worker[task["executorId"]] = of_worker.get(task["executorId"], 0) + task["duration"]
    after_shuffles = [stage for stage in stages if stage["shuffleReadBytes"]]
    longest = max(after_shuffles or stages, key=lambda stage: stage["executorRunTime"])
    durations = [task["duration"] for task in longest["tasks"].values()]
    return Spread(
        seconds,
        len(stages),
        sum(len(stage["tasks"]) for stage in stages),
        sum(stage["shuffleWriteBytes"] for stage in stages),
        max(durations) / max(1, statistics.median(durations)),
        max(of_worker.values()) / max(1, sum(of_worker.values())),
    )


def measure(case: scale.Case, data: Path, n_workers: int) -> Spread:
    """Ask the means of the metrics of a session with so many workers."""
    run, qrels = case.files(data)
    port = free_port()
    settings = EXECUTOR | {
        "spark.executor.extraJavaOptions": "",  # with both compilers of Java, which tests do without
        "spark.sql.shuffle.partitions": str(PARTITIONS),
        "spark.ui.enabled": "true",
        "spark.ui.port": str(port),
    }
    text = rm.sql(METRICS, "run", "qrels", dialect="spark", header=False)
    with (
        cluster(n_workers) as master,
        workplace("spark") as folder,
        session(folder, settings | {"spark.master": master}) as spark,
    ):
        for name, file in {"run": run, "qrels": qrels}.items():
            spark.read.parquet(str(file)).createOrReplaceTempView(name)
        pages = Pages(port)
        before = {stage["stageId"] for stage in pages.stages()}  # reading the files' columns is one
        start = time.perf_counter()
        spark.sql(text).collect()
        seconds = time.perf_counter() - start
        return spread_of([stage for stage in pages.stages() if stage["stageId"] not in before], seconds)


def rows(found: Mapping[tuple[scale.Case, int], Spread]) -> Iterator[tuple[str, ...]]:
    """What is shown of each."""
    for (case, n_workers), spread in found.items():
        yield (
            case.name,
            f"{case.n_rows:,}",
            str(n_workers),
            f"{spread.seconds:.0f}",
            str(spread.n_stages),
            str(spread.n_tasks),
            f"{spread.shuffled / 1e6:,.1f}",
            f"{spread.slowest:.1f} x the median",
            f"{spread.busiest:.0%}",
        )


def report(found: Mapping[tuple[scale.Case, int], Spread]) -> Table:
    """All on the screen."""
    table = Table(title=f"{', '.join(METRICS)} in Spark")
    for number, name in enumerate(HEAD):
        table.add_column(name, justify="right" if number else "left")
    for row in rows(found):
        table.add_row(*row)
    return table


def section(found: Mapping[tuple[scale.Case, int], Spread]) -> str:
    """All as a part of the page."""
    head = [f"| {' | '.join(HEAD)} |", "|---|" + "---:|" * (len(HEAD) - 1)]
    lines = [f"| {' | '.join(row)} |" for row in rows(found)]
    return "\n".join(["## Over several workers", "", *head, *lines, ""])


def main() -> None:
    """Measure each case with each number of workers, and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=scale.HERE / "data", help="where the Parquet files are kept")
    parser.add_argument("--rows", type=float, default=1e8, help="of each run")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="how many there are, each in turn")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the part of the page to this file")
    options = parser.parse_args()
    found = {}
    for case in scale.cases(int(options.rows)):
        if case.name in CASES:
            for n_workers in options.workers:
                found[case, n_workers] = measure(case, options.data, n_workers)
    Console(width=160).print(report(found))
    if options.markdown:
        options.markdown.write_text(section(found), encoding="utf-8")


if __name__ == "__main__":
    main()
