"""How a text spreads over workers, in Spark and in Trino: ``python -m dev.bench.spread``, with one worker and with two.

Each worker is a Java machine of its own. What counts is not the seconds of one machine but what the engine says of each
task: how the time of a stage is divided among them, and what goes from one stage to another. Spark reads the files of
``dev.bench.scale``; Trino has the same rows in its memory, so that fewer are asked for there. ``--rows 1e6`` is a
first look.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import rankmetrics_sql as rm

from ..engines import spark, trino
from ..engines.install import place_of
from ..engines.servers import free_port, workplace
from . import scale
from .tables import on_page, on_screen

METRICS = scale.METRICS
CASES = ("all rows", "half of the rows are one query's")
PARTITIONS = 16  # of what Spark shuffles, before it puts small ones together
HEAD = (
    "engine",
    "case",
    "rows",
    "workers",
    "seconds",
    "stages",
    "tasks",
    "MB passed on",
    "slowest task",
    "busiest worker",
)
Question = tuple[str, scale.Case, int]  # the engine, what it is asked, of how many workers


@dataclass(frozen=True)
class Task:
    """What an engine says of one task.

    Attributes:
        stage: that it belongs to.
        worker: that ran it.
        duration: in milliseconds.
        written: bytes that it left for other stages.
    """

    stage: str
    worker: str
    duration: float
    written: int


@dataclass(frozen=True)
class Spread:
    """How a statement was spread.

    Attributes:
        seconds: by the clock.
        tasks: that it was divided into.
    """

    seconds: float
    tasks: Sequence[Task]

    @property
    def stages(self) -> Mapping[str, Sequence[float]]:
        """The durations of the tasks of each stage."""
        durations = defaultdict(list)
        for task in self.tasks:
            durations[task.stage].append(task.duration)
        return durations

    @property
    def passed_on(self) -> int:
        """Bytes that stages left for others."""
        return sum(task.written for task in self.tasks)

    @property
    def slowest(self) -> float:
        """The slowest task of the stage that took most, over the mean of its tasks: 1 is evenly divided."""
        longest = max(self.stages.values(), key=sum)
        return max(longest) / max(1, statistics.fmean(longest))

    @property
    def busiest(self) -> float:
        """The share of the tasks' time that the busiest worker had; with two, half is the least."""
        of_worker: dict[str, float] = defaultdict(float)
        for task in self.tasks:
            of_worker[task.worker] += task.duration
        return max(of_worker.values()) / max(1, sum(of_worker.values()))


def in_spark(case: scale.Case, data: Path, n_workers: int) -> Spread:
    """The means of the metrics, out of files."""
    port = free_port()
    settings = spark.EXECUTOR | {
        "spark.executor.extraJavaOptions": "",  # with both compilers of Java, which tests do without
        "spark.sql.shuffle.partitions": str(PARTITIONS),
        "spark.ui.enabled": "true",
        "spark.ui.port": str(port),
    }
    with (
        spark.cluster(n_workers) as master,
        workplace("spark") as folder,
        spark.session(folder, settings | {"spark.master": master}) as session,
    ):
        for name, file in zip(("run", "qrels"), case.files(data), strict=True):
            session.read.parquet(str(file)).createOrReplaceTempView(name)
        before = {task.stage for task in tasks_of_spark(port)}  # the types of the files' columns are read
        start = time.perf_counter()
        session.sql(text("spark")).collect()
        seconds = time.perf_counter() - start
        return Spread(seconds, [task for task in tasks_of_spark(port) if task.stage not in before])


def tasks_of_spark(port: int) -> Iterator[Task]:
    """What the pages of a session say."""
    address = f"http://127.0.0.1:{port}/api/v1/applications"
    [session] = fetched(address)
    for stage in fetched(f"{address}/{session['id']}/stages?status=complete&details=true"):
        for task in stage["tasks"].values():
            written = task["taskMetrics"]["shuffleWriteMetrics"]["bytesWritten"]
            yield Task(str(stage["stageId"]), task["executorId"], task["duration"], written)


def fetched(address: str) -> Any:
    """JSON from an address."""
    with urllib.request.urlopen(address, timeout=60) as answer:
        return json.load(answer)


# The rows of generate.py in Trino's words, but for the scores, which are spread in another way.
ITEM = "'d' || CAST(MOD(q * 7919 + {slot} * 104729, 8841823) AS VARCHAR)"
MIXED = "MOD({} * 1103515245 + 12345, 2147483647)"
QUERIES = "UNNEST(SEQUENCE(0, {n_tens})) AS tens (t) CROSS JOIN UNNEST(SEQUENCE(0, 9)) AS ones (o)"
RUN = """CREATE TABLE run AS
SELECT 'q' || CAST(q AS VARCHAR) AS query_id, {item} AS item_id, CAST({score} AS DOUBLE) AS score
FROM (SELECT 10 * t + o AS q FROM {queries}) CROSS JOIN UNNEST(SEQUENCE(0, {n_items} - 1)) AS items (slot)"""
QRELS = """CREATE TABLE qrels AS
SELECT DISTINCT 'q' || CAST(q AS VARCHAR) AS query_id, {item} AS item_id, 1 AS relevance
FROM (SELECT 10 * t + o AS q FROM {queries}) CROSS JOIN UNNEST(SEQUENCE(1, {n_judgments})) AS judgments (j)"""
HOT = """INSERT INTO run
SELECT 'q0', query_id || item_id, score FROM run"""
TASKS = """SELECT stage_id, node_id, split_cpu_time_ms, output_bytes
FROM system.runtime.tasks WHERE query_id = '{}'"""


def statements(case: scale.Case) -> Iterator[str]:
    """What makes the tables of a case in Trino."""
    shape = case.shape
    queries = QUERIES.format(n_tens=max(1, shape.n_queries * case.copies // 10) - 1)
    score = MIXED.format("(q * 1000003 + slot)")
    yield RUN.format(item=ITEM.format(slot="slot"), score=score, queries=queries, n_items=shape.n_items)
    slot = f"MOD({MIXED.format('(q * 977 + j * 31337)')}, {shape.pool})"
    yield QRELS.format(item=ITEM.format(slot=slot), queries=queries, n_judgments=shape.n_judgments)
    if case.hot:
        yield HOT


def in_trino(case: scale.Case, _: Path, n_workers: int) -> Spread:
    """The means of the metrics, out of tables in memory."""
    place = place_of(trino.Trino.name)
    if place is None:
        raise SystemExit("Trino is not installed: python -m dev.engines install trino")
    with (
        trino.server(place, n_workers) as port,
        closing(trino.connect(port)) as connection,
        closing(connection.cursor()) as cursor,
    ):
        for sql in statements(case):
            cursor.execute(sql).fetchall()
        start = time.perf_counter()
        cursor.execute(text("trino")).fetchall()
        seconds = time.perf_counter() - start
        rows = cursor.execute(TASKS.format(cursor.query_id)).fetchall()
        return Spread(seconds, [Task(*row) for row in rows])


# What each engine is asked, and how many of the rows it gets.
ENGINES: Mapping[str, tuple[Callable[[scale.Case, Path, int], Spread], float]] = {
    "Spark": (in_spark, 1),
    "Trino": (in_trino, 0.1),
}


def text(dialect: str) -> str:
    """The statement that is asked."""
    return rm.sql(METRICS, "run", "qrels", dialect=dialect, header=False)


def rows(spreads: Mapping[Question, Spread]) -> Iterator[tuple[str, ...]]:
    """What is shown of each."""
    for (engine, case, n_workers), spread in spreads.items():
        yield (
            engine,
            case.name,
            f"{case.n_rows:,}",
            str(n_workers),
            f"{spread.seconds:.1f}",
            str(len(spread.stages)),
            str(len(spread.tasks)),
            f"{spread.passed_on / 1e6:,.1f}",
            f"{spread.slowest:.1f} x the mean",
            f"{spread.busiest:.0%}",
        )


def report(spreads: Mapping[Question, Spread]) -> Table:
    """All on the screen."""
    return on_screen(", ".join(METRICS), HEAD, rows(spreads), n_words=2)


def section(spreads: Mapping[Question, Spread]) -> str:
    """All as a part of the page."""
    return "\n".join(["## Over several workers", "", *on_page(HEAD, rows(spreads), n_words=2), ""])


def main() -> None:
    """Measure each case with each number of workers, and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=scale.HERE / "data", help="where the Parquet files are kept")
    parser.add_argument("--rows", type=float, default=1e8, help="of each run; Trino gets a tenth")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="how many there are, each in turn")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="one of them")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the part of the page to this file")
    options = parser.parse_args()
    spreads = {}
    for engine in options.engine or ENGINES:
        ask, share = ENGINES[engine]
        for case in scale.cases(int(options.rows * share)):
            if case.name in CASES:
                for n_workers in options.workers:
                    spreads[engine, case, n_workers] = ask(case, options.data, n_workers)
    Console(width=180).print(report(spreads))
    if options.markdown:
        options.markdown.write_text(section(spreads), encoding="utf-8")


if __name__ == "__main__":
    main()
