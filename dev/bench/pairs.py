"""What warehouses hold, each beside something plainer: ``python -m dev.bench.pairs [--markdown]``.

Totals beside the groups alone, columns of arrays beside the long table, a log of impressions beside the bare join of
its two tables, runs compared beside the same runs evaluated, the bootstrap of five metrics beside SciPy's of one. Both
of a pair run in DuckDB, from its tables, in turn; the best of each counts, and the ratio of the two. The numbers of a
pair have to agree.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import stats

import rankmetrics_sql as rm

from .generate import SHAPES, Shape, random_number, write
from .tables import on_page, on_screen

HERE = Path(__file__).parent
USERS = next(shape for shape in SHAPES if shape.name == "recommender")
RETRIEVED = next(shape for shape in SHAPES if shape.name == "sparse")
METRICS = ("nDCG@10", "RR@10", "R@10")
COMPARED = ("nDCG@10", "AP", "RR", "P@10", "R@100", "nDCG", "Bpref", "RBP", "Rprec", "Success@5")
DRAWN = ("nDCG@10", "AP", "RR", "P@10", "R@100")
N_DRAWN = 100_000
RUNS = tuple(f"run{number}" for number in range(5))
COLUMNS = ("what", "beside", "beside, seconds", "seconds", "ratio", "goal")
EXACT = 1e-12

Rows = list[tuple[Any, ...]]
Connection = duckdb.DuckDBPyConnection


@dataclass(frozen=True)
class Log:
    """How many requests a log has, items shown for each, and how many of so many of those are clicked."""

    n_requests: int
    n_items: int
    n_per_click: int


LOG = Log(500_000, 10, 10)


@dataclass(frozen=True)
class Pair:
    """Two ways to something, and what the second may take of the first.

    Attributes:
        name: what is measured.
        beside: what it is held against.
        tables: makes what both read.
        plain: the first; gives its rows.
        ours: the second.
        goal: how often the time of the first it may take.
        agree: whether their rows are those of the same question.
    """

    name: str
    beside: str
    tables: Callable[[Connection], None]
    plain: Callable[[Connection], Rows]
    ours: Callable[[Connection], Rows]
    goal: float
    agree: Callable[[Rows, Rows], bool]


def by_segments(connection: Connection, *, rollup: bool) -> Rows:
    """Three metrics by market and device, a column of the users each."""
    options: dict[str, Any] = {"by": ["market", "device"], "query_list": "users", "rollup": rollup}
    return rm.evaluate("run", "qrels", METRICS, connection=connection, **options).summary.fetchall()


def holds_groups(plain: Rows, ours: Rows) -> bool:
    """The rows of all columns are those without totals; of the total are as many queries."""
    group_rows = [row[1:] for row in ours if row[0] == "market, device"]
    totals = {sum(row[-1] for row in ours if row[:1] == (name,)) for name in ("total", "market", "device")}
    return same(plain, group_rows) and totals == {sum(row[-1] for row in plain)}


def same(first: Rows, second: Rows) -> bool:
    """The same rows but for the last digits of numbers."""
    cells = [pair for rows in zip(first, second, strict=True) for pair in zip(*rows, strict=True)]
    return all(abs(a - b) <= EXACT if isinstance(a, float) else a == b for a, b in cells)


def with_users(connection: Connection, shape: Shape, folder: Path) -> None:
    """The recommender's lists and judgments, with a table of the users and one of arrays."""
    write(shape, folder)
    for table, file in zip(("run", "qrels"), shape.files(folder), strict=True):
        connection.execute(f"CREATE TABLE {table} AS FROM '{file}'")
    number = random_number("CAST(query_id[2:] AS BIGINT)")
    connection.execute(
        f"""CREATE TABLE users AS
        SELECT query_id, 'm' || MOD({number}, 6) AS market, 'd' || MOD({number} // 7, 3) AS device
        FROM (SELECT DISTINCT query_id FROM run)"""
    )
    connection.execute(
        """CREATE TABLE arrays AS
        SELECT query_id, items, relevant
        FROM (SELECT query_id, LIST(item_id ORDER BY score DESC, item_id DESC) AS items FROM run GROUP BY query_id)
        JOIN (SELECT query_id, LIST(item_id) AS relevant FROM qrels GROUP BY query_id) USING (query_id)"""
    )
    connection.execute(
        """CREATE TABLE places AS
        SELECT query_id, UNNEST(items) AS item_id, GENERATE_SUBSCRIPTS(items, 1) AS position FROM arrays"""
    )
    connection.execute("CREATE TABLE relevant AS SELECT query_id, item_id, 1 AS relevance FROM qrels")


def from_long(connection: Connection) -> Rows:
    """A row per item, with its place."""
    return rm.evaluate("places", "relevant", METRICS, connection=connection).summary.fetchall()


def from_arrays(connection: Connection) -> Rows:
    """A row per user, with two lists."""
    lists = rm.lists("arrays", items="items", relevant="relevant")
    return rm.evaluate(lists, METRICS, connection=connection).summary.fetchall()


def with_log(connection: Connection, log: Log) -> None:
    """Impressions of twelve weeks in six markets, and clicks on some of them."""
    number = random_number("r * 1009 + p")
    connection.execute(
        f"""CREATE TABLE impressions AS
        SELECT
            'r' || r AS request_id,
            'i' || MOD({number}, 100000) * {log.n_items} + p AS item_id,
            p AS position,
            'm' || MOD(r, 6) AS market,
            TIMESTAMP '2024-01-01' + TO_SECONDS(MOD(r * 7919, 7257600)) AS shown_at
        FROM RANGE({log.n_requests}) AS requests(r), RANGE(1, {log.n_items} + 1) AS places(p)"""
    )
    clicked = f"MOD({random_number('CAST(request_id[2:] AS BIGINT) * 31 + position')}, {log.n_per_click}) = 0"
    connection.execute(
        f"""CREATE TABLE clicks AS
        SELECT request_id, item_id, 'click' AS event_type, shown_at + TO_SECONDS(30) AS done_at
        FROM impressions WHERE {clicked}"""
    )


def joined(connection: Connection) -> Rows:
    """The bare join of impressions and clicks, counted by market and week."""
    return connection.execute(
        """SELECT i.market, CAST(DATE_TRUNC('week', i.shown_at) AS DATE), COUNT(*), COUNT(c.item_id)
        FROM impressions AS i LEFT JOIN clicks AS c ON c.request_id = i.request_id AND c.item_id = i.item_id
        GROUP BY ALL ORDER BY ALL"""
    ).fetchall()


def from_log(connection: Connection) -> Rows:
    """NDCG by market and week."""
    log = rm.events("impressions", "clicks", time="shown_at", event_columns={"time": "done_at"})
    options: dict[str, Any] = {"by": ["market"], "period": "week", "connection": connection}
    return rm.evaluate(log, ["nDCG@10"], **options).summary.fetchall()


def counts_agree(plain: Rows, ours: Rows, log: Log) -> bool:
    """As many requests in each market and week."""
    return [row[:3] for row in plain] == [(row[0], row[1], row[-1] * log.n_items) for row in ours]


def with_runs(connection: Connection, shape: Shape, folder: Path) -> None:
    """The lists of a shape in the orders of five runs, a table each, and its judgments."""
    write(shape, folder)
    run, qrels = shape.files(folder)
    connection.execute(f"CREATE TABLE qrels AS FROM '{qrels}'")
    for number, name in enumerate(RUNS, start=1):
        score = random_number(f"CAST(query_id[2:] AS BIGINT) * 31 + CAST(item_id[2:] AS BIGINT) * {number}")
        connection.execute(f"CREATE TABLE {name} AS SELECT query_id, item_id, {score} AS score FROM '{run}'")


def evaluated(connection: Connection) -> Rows:
    """The means of the five runs."""
    runs = {name: name for name in RUNS}
    return rm.evaluate(runs, "qrels", COMPARED, connection=connection).summary.fetchall()


def compared(connection: Connection) -> Rows:
    """Four of them compared with the first, each metric by an interval and a paired t test."""
    candidates = {name: name for name in RUNS[1:]}
    return rm.compare(RUNS[0], candidates, "qrels", COMPARED, connection=connection).summary.fetchall()


def means_agree(plain: Rows, ours: Rows) -> bool:
    """Both sides of each comparison are the means of the runs."""
    means = {(run, metric): value for run, metric, value, _ in plain}
    expected = [(means[RUNS[0], metric], means[run, metric]) for run in RUNS[1:] for metric in COMPARED]
    return same(expected, [row[3:5] for row in ours])


def with_values(connection: Connection, n_queries: int) -> None:
    """Values of five metrics of so many queries, as statements of level ``values`` leave them."""
    names = ", ".join(f"({place}, '{name}')" for place, name in enumerate(DRAWN, start=1))
    number = random_number("q * 31 + metric_number")
    connection.execute(
        f"""CREATE TABLE stored AS
        SELECT 'q' || q AS query_id, metric_number, metric, {number} / 2147483648 AS value
        FROM RANGE({n_queries}) AS queries(q), (VALUES {names}) AS metrics(metric_number, metric)"""
    )


def drawn_by_scipy(connection: Connection) -> Rows:
    """The interval of the first of them, by percentiles of 1,000 replicates."""
    values = connection.execute("SELECT value FROM stored WHERE metric_number = 1").fetchnumpy()["value"]
    options = {"n_resamples": 1_000, "method": "percentile", "batch": 50}
    result = stats.bootstrap((values,), np.mean, **options)
    return [(DRAWN[0], values.mean(), result.standard_error, *result.confidence_interval)]


def drawn_here(connection: Connection) -> Rows:
    """The intervals of all five."""
    options: dict[str, Any] = {"values": "stored", "level": "summary", "interval": "bootstrap", "header": False}
    rows = connection.execute(rm.sql(DRAWN, "none", "none", **options)).fetchall()
    return [(row[0], row[1], *row[3:6]) for row in rows]


def ends_agree(plain: Rows, ours: Rows) -> bool:
    """The same mean; each error is known to 2 % by 1,000 replicates and by buckets, and each end to 8 % of it."""
    [(_, mean, error, *ends)], (_, our_mean, our_error, *our_ends) = plain, ours[0]
    close = [abs(a - b) <= 0.4 * error for a, b in zip(ends, our_ends, strict=True)]
    return abs(mean - our_mean) <= EXACT and abs(our_error / error - 1) <= 0.2 and all(close)


def pairs(
    users: Shape, log: Log, folder: Path, retrieved: Shape = RETRIEVED, n_queries: int = N_DRAWN
) -> Iterator[Pair]:
    """All that is measured."""

    def lists(connection: Connection) -> None:
        with_users(connection, users, folder)

    yield Pair(
        f"{users.n_queries:,} lists of {users.n_items} by market and device, with all totals",
        "without totals",
        lists,
        lambda connection: by_segments(connection, rollup=False),
        lambda connection: by_segments(connection, rollup=True),
        1.5,
        holds_groups,
    )
    yield Pair("the same lists as arrays", "a row per item", lists, from_long, from_arrays, 2, same)
    yield Pair(
        f"{log.n_requests * log.n_items:,} impressions and their clicks to nDCG@10 by market and week",
        "the bare join of the two, counted",
        lambda connection: with_log(connection, log),
        joined,
        from_log,
        3,
        lambda plain, ours: counts_agree(plain, ours, log),
    )
    yield Pair(
        f"{len(RUNS)} runs compared, {retrieved.n_queries:,} lists of {retrieved.n_items:,}, {len(COMPARED)} metrics",
        "the same runs evaluated",
        lambda connection: with_runs(connection, retrieved, folder),
        evaluated,
        compared,
        1.3,
        means_agree,
    )
    yield Pair(
        f"bootstrap of {len(DRAWN)} metrics over {n_queries:,} queries, 1,000 replicates",
        "SciPy's of one of them",
        lambda connection: with_values(connection, n_queries),
        drawn_by_scipy,
        drawn_here,
        0.25,
        ends_agree,
    )


@dataclass(frozen=True)
class Result:
    """The seconds of both of a pair."""

    pair: Pair
    plain: float
    ours: float

    @property
    def cells(self) -> tuple[str, ...]:
        """What is shown of it."""
        ratio = f"{self.ours / self.plain:.2f}"
        return self.pair.name, self.pair.beside, f"{self.plain:.2f}", f"{self.ours:.2f}", ratio, f"{self.pair.goal:g}"


def measure(pair: Pair, times: int) -> Result:
    """Both in turn; the best of each."""
    with duckdb.connect() as connection:
        pair.tables(connection)
        if not pair.agree(pair.plain(connection), pair.ours(connection)):
            raise SystemExit(f"{pair.name}: the numbers are not those of {pair.beside}")
        durations = [(seconds(pair.plain, connection), seconds(pair.ours, connection)) for _ in range(times)]
    return Result(pair, *(min(column) for column in zip(*durations, strict=True)))


def seconds(question: Callable[[Connection], Rows], connection: Connection) -> float:
    """What an answer takes."""
    begin = time.perf_counter()
    question(connection)
    return time.perf_counter() - begin


def section(results: Sequence[Result], times: int) -> str:
    """The pairs as a part of the page."""
    lines = on_page(COLUMNS, (result.cells for result in results), n_words=2)
    about = f"From DuckDB's tables, in one process: the best of {times}, both in turn. *goal* is what the ratio may be."
    return "\n".join(["## What warehouses hold", "", about, "", *lines, ""])


def measured(folder: Path, times: int) -> list[Result]:
    """All pairs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)
        return [measure(pair, times) for pair in pairs(USERS, LOG, folder)]


def report(results: Sequence[Result]) -> Table:
    """The pairs on the screen."""
    return on_screen("What warehouses hold", COLUMNS, (result.cells for result in results), n_words=2)


def main() -> None:
    """Measures each pair and prints them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where the Parquet files are kept")
    parser.add_argument("--times", type=int, default=5, help="how often each is measured; the best counts")
    parser.add_argument("--markdown", action="store_true", help="print the part of the page instead of a table")
    options = parser.parse_args()
    results = measured(options.data, options.times)
    if options.markdown:
        print(section(results, options.times))
    else:
        Console(width=160).print(report(results))


if __name__ == "__main__":
    main()
