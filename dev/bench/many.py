"""Times many runs and many metrics in one statement: ``python -m dev.bench.many [--runs 50,100,200]``.

What counts is how the time grows: in proportion to the runs, and far less with the metrics, since all of them come out
of one ranking. The runs are of TREC's size: 50 queries with about 1,000 items each. Times are the processor's, because
no machine is idle.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics

from .generate import SEED, SHAPES, Shape, write
from .tables import on_screen

FIVE = ("nDCG@10", "AP", "RR", "P@10", "R@100")
TEN = (*FIVE, "nDCG", "Bpref", "RBP", "Rprec", "Success@5")
HERE = Path(__file__).parent
OF_SHAPES = ("dense", "sparse")
N_QUERIES, POOL, N_JUDGMENTS = 50, 2_000, 300
IDS = "'q' || q AS query_id, 'd' || MOD(q * 7919 + slot * 104729, 8841823) AS item_id"


def graded_metrics() -> list[str]:
    """Return the metrics of grades; metrics of subtopics need other judgments."""
    return [m.name for m in metrics().values() if m.of_grades]


def with_runs(n_runs: int) -> duckdb.DuckDBPyConnection:
    """Return the tables of runs, each with about half of the items of a query, in an order of its own."""
    score = f"HASH(run, q, slot, {SEED})"
    connection = duckdb.connect()
    connection.execute(
        f"""CREATE TABLE run AS
        SELECT 'run' || run AS run_id, {IDS}, CAST({score} AS DOUBLE) AS score
        FROM RANGE({n_runs}) AS runs(run), RANGE({N_QUERIES}) AS queries(q), RANGE({POOL}) AS items(slot)
        WHERE MOD({score}, 2) = 0"""
    )
    connection.execute(
        f"""CREATE TABLE qrels AS
        SELECT {IDS}, MOD(HASH(q, slot), 4) AS relevance
        FROM RANGE({N_QUERIES}) AS queries(q), RANGE({N_JUDGMENTS}) AS items(slot)"""
    )
    return connection


def with_shape(shape: Shape, folder: Path) -> duckdb.DuckDBPyConnection:
    """Return the tables of one of the benchmark's shapes, with one run."""
    write(shape, folder)
    connection = duckdb.connect()
    for table, file in zip(("run", "qrels"), shape.files(folder), strict=True):
        connection.execute(f"CREATE TABLE {table} AS FROM '{file}'")
    return connection


def seconds(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], times: int, columns: Mapping[str, str] | None = None
) -> float:
    """Return the least processor time of an evaluation."""
    durations = []
    for _ in range(times):
        begin = time.process_time()
        rm.evaluate("run", "qrels", names, connection=connection, columns=columns)
        durations.append(time.process_time() - begin)
    return min(durations)


def growth(runs: Sequence[int], times: int) -> Table:
    """Time ten metrics of more and more runs; the last column is 1 where time is proportional to their number."""
    table_rows, first_per_run = [], None
    for n_runs in runs:
        with with_runs(n_runs) as connection:
            rows = connection.sql("SELECT COUNT(*) FROM run").fetchall()[0][0]
            duration = seconds(connection, TEN, times, {"run_id": "run_id"})
        per_run = duration / n_runs
        first_per_run = first_per_run or per_run
        table_rows.append(
            (f"{n_runs:,}", f"{rows:,}", f"{duration:.2f}", f"{1000 * per_run:.1f}", f"{per_run / first_per_run:.2f}")
        )
    head = ("runs", "rows", "seconds", "milliseconds per run", "times the first's")
    return on_screen(f"{len(TEN)} metrics, one statement", head, table_rows, n_words=0)


def at_once(shapes: Sequence[Shape], folder: Path, times: int) -> Table:
    """Time all metrics beside five."""
    names, table_rows = graded_metrics(), []
    for shape in shapes:
        with with_shape(shape, folder) as connection:
            five, all_metrics = (seconds(connection, chosen, times) for chosen in (FIVE, names))
        table_rows.append((shape.name, f"{five:.2f}", f"{all_metrics:.2f}", f"{all_metrics / five:.1f}"))
    title = f"{len(names)} metrics at once beside {', '.join(FIVE)}"
    return on_screen(title, ("data", "five, seconds", "all, seconds", "ratio"), table_rows)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", default="50,100,200", help="numbers of runs (default %(default)s)")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where the Parquet files are kept")
    parser.add_argument("--times", type=int, default=3, help="how often each is measured; the best counts")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", rm.RankmetricsWarning)
    console = Console()
    console.print(growth([int(number) for number in arguments.runs.split(",")], arguments.times))
    console.print(at_once([shape for shape in SHAPES if shape.name in OF_SHAPES], arguments.data, arguments.times))


if __name__ == "__main__":
    main()
