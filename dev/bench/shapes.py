"""Five metrics in one statement on the three shapes, in every engine: ``python -m dev.bench.engines --shapes``.

Each engine gets the same Parquet files by its own way of loading many rows, a share of the queries where it is slow.
What counts is the ratio to the floor of ``engines.py``. Floor and metrics are measured in turn, and the best of each
counts. The numbers have to be DuckDB's.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import duckdb
from rich.console import Console

import rankmetrics_sql as rm
from tests.statements import Case

from ..engines import Columns, Engine, start
from .engines import ANALYZE, FIVE, FLOOR, Contest, Timing, change, contestants, keep, kept, ratios, report
from .generate import SHAPES, Shape, write
from .page import machine
from .tables import write_section
from .timings import METRICS

NAME = "engines"  # of its markers
CASE = Case(METRICS, "summary")
TABLES: tuple[tuple[str, Columns], ...] = (
    ("runs", {"query_id": "text", "item_id": "text", "score": "double"}),
    ("labels", {"query_id": "text", "item_id": "text", "relevance": "bigint"}),
)
# One query of so many is measured, where an engine would take long for all; Trino takes rows as text only.
SHARE = {"duckdb": 1, "trino": 100}
USUAL = 10
MOST = 3  # times the floor: what is over has its reason told
EQUAL = 1e-9


def share(shape: Shape, engine: str, divisor: int | None) -> Shape:
    """The first queries of a shape; at least a hundred."""
    number = max(100, shape.n_queries // (divisor or SHARE.get(engine, USUAL)))
    if number >= shape.n_queries:
        return shape
    return replace(shape, name=f"{shape.name}, {number:,} queries", n_queries=number)


@contextmanager
def as_text(file: Path) -> Iterator[Path]:
    """A file of Parquet as tab-separated text that every user of this machine may read, as servers are."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        target = Path(folder, "rows.tsv")
        duckdb.execute(f"COPY (FROM '{file}') TO '{target}' (DELIMITER '\t', HEADER false)")
        target.chmod(0o644)
        yield target


def rows_of(file: Path) -> list[tuple[object, ...]]:
    """The rows of a file."""
    return duckdb.execute(f"FROM '{file}'").fetchall()


def into_postgres(engine: Engine, table: str, columns: Columns, file: Path) -> None:
    """COPY."""
    engine.load(table, columns, [])
    with as_text(file) as text:
        engine.run(f"COPY {table} FROM '{text}'")


def into_mariadb(engine: Engine, table: str, columns: Columns, file: Path) -> None:
    """LOAD DATA; ids short enough for a key of its own."""
    engine.load(table, columns, [])
    engine.run(f"ALTER TABLE {table} MODIFY query_id VARCHAR(64), MODIFY item_id VARCHAR(64)")
    with as_text(file) as text:
        engine.run(f"LOAD DATA INFILE '{text}' INTO TABLE {table}")


def into_clickhouse(engine: Engine, table: str, columns: Columns, file: Path) -> None:
    """The function that reads files."""
    engine.load(table, columns, [])
    engine.connection.command(f"INSERT INTO {table} SELECT * FROM file('{file}', Parquet)")


def into_datafusion(engine: Engine, table: str, columns: Columns, file: Path) -> None:
    """A table in memory, out of a registered file."""
    engine.connection.register_parquet(f"file_of_{table}", str(file))
    engine.connection.sql(f"CREATE OR REPLACE TABLE {table} AS SELECT * FROM file_of_{table}").collect()
    engine.connection.deregister_table(f"file_of_{table}")


def into_spark(engine: Engine, table: str, columns: Columns, file: Path) -> None:
    """Parquet is what its tables are."""
    engine.fetch(f"DROP TABLE IF EXISTS {table}")
    engine.fetch(f"CREATE TABLE {table} USING PARQUET AS SELECT * FROM parquet.`{file}`")


def into_duckdb(engine: Engine, table: str, columns: Columns, file: Path) -> None:
    """From the file."""
    engine.run(f"CREATE OR REPLACE TABLE {table} AS FROM '{file}'")


def by_driver(engine: Engine, table: str, columns: Columns, file: Path) -> None:
    """What the tests do: the driver's executemany, or rows as text."""
    engine.load(table, columns, rows_of(file))


INTO: Mapping[str, Callable[[Engine, str, Columns, Path], None]] = {
    "duckdb": into_duckdb,
    "postgres-15": into_postgres,
    "mariadb": into_mariadb,
    "sqlite": by_driver,
    "clickhouse": into_clickhouse,
    "datafusion": into_datafusion,
    "spark": into_spark,
    "spark-cluster": into_spark,
    "trino": by_driver,
}


def fill(engine: Engine, shape: Shape, folder: Path) -> None:
    """The two tables of a shape."""
    write(shape, folder)
    for (table, columns), file in zip(TABLES, shape.files(folder), strict=True):
        INTO[engine.name](engine, table, columns, file.absolute())


def expected(shape: Shape, folder: Path) -> dict[str, float]:
    """What DuckDB says about the files."""
    result = rm.evaluate(*map(str, shape.files(folder)), list(METRICS))
    return {metric: result[metric] for metric in METRICS}


def check(engine: Engine, shape: Shape, folder: Path) -> None:
    """Refuses times of an engine that computes something else."""
    right = expected(shape, folder)
    for metric, value, _ in engine.fetch(CASE.by_sqlglot(engine.dialects[0]))[1]:
        if abs(value - right[metric]) > EQUAL:
            raise SystemExit(f"{engine.name}, {shape.name}: {metric} is {value}, in DuckDB {right[metric]}")


def measure(contest: Contest, engine: Engine, shape: Shape, options: argparse.Namespace) -> list[Timing]:
    """The floor and the five metrics, each the best of several in turn."""
    warm = contest.case(FIVE, CASE, shape.name)
    if warm.seconds is None:
        return [warm]
    check(engine, shape, options.data)
    pairs = [(contest.floor("labels", shape.name), contest.case(FIVE, CASE, shape.name)) for _ in range(options.repeat)]
    return [min(timings, key=lambda timing: timing.seconds or options.limit) for timings in zip(*pairs, strict=True)]


def compete(options: argparse.Namespace) -> list[Timing]:
    """All that is wanted and not yet measured, engine by engine."""
    timings = kept(options.results)
    for name, analyzed in contestants(options.engine, options.analyzed, [*INTO]):
        label = f"{name} analysed" if analyzed else name
        done = {timing.qrels for timing in timings if timing.engine == label}
        shapes = [
            share(shape, name, options.divisor) for shape in SHAPES if shape.name in (options.shape or shape.name)
        ]
        if left := [shape for shape in shapes if shape.name not in done]:
            with start(name) as engine:
                contest = Contest(engine, label, options.limit)
                for shape in left:
                    fill(engine, shape, options.data)
                    for table, _ in TABLES if analyzed else ():
                        change(engine, ANALYZE[name].format(table))
                    timings += [keep(timing, options.results) for timing in measure(contest, engine, shape, options)]
                    if contest.busy:
                        break
    return timings


HEAD = """## In other engines

`python -m dev.bench.engines --shapes --write docs/performance_details.md` writes this part of the page. It was
measured on

{machine}

One statement computes {five}. Compare the ratio to the *floor* of the same engine. The floor
numbers the rows of the run within each query, and joins them with the judgments. Each figure is the best of {repeat},
floor and metrics in turn. A slower engine gets only the first queries. All engines agree with DuckDB to {equal:g}, or
nothing is written. *analysed* means with the statistics that an engine keeps of its tables.
"""
# Why an engine takes long for a shape, as its plan shows; for what is over MOST.
REASONS: Mapping[tuple[str, str], str] = {}


def engines_part(timings: Sequence[Timing], repeat: int) -> str:
    """The part between its markers."""
    ratios_by_cell = ratios(timings)
    floors = {(timing.engine, timing.qrels): timing.seconds for timing in timings if timing.name == FLOOR}
    lines, reasons = ["| engine | data | floor, seconds | metrics, seconds | × floor |", "|---|---|---:|---:|---:|"], []
    for timing in timings:
        if timing.name == FLOOR:
            continue
        ratio = ratios_by_cell.get((f"{timing.name}, {timing.qrels}", timing.engine))
        floor = floors.get((timing.engine, timing.qrels))
        cells = [f"{value:.2f}" if value is not None else timing.note for value in (floor, timing.seconds, ratio)]
        lines.append(f"| {' | '.join([timing.engine, timing.qrels, *cells])} |")
        if ratio is None or ratio > MOST:
            shape = timing.qrels.partition(",")[0]
            reason = REASONS.get((timing.engine, shape), "not looked into yet")
            reasons.append(f"- {timing.engine}, {timing.qrels}: {reason}.")
    head = HEAD.format(machine=machine(), five=", ".join(METRICS), repeat=repeat, equal=EQUAL)
    over = [f"Over {MOST} × the floor:", "", *reasons] if reasons else [f"No engine takes over {MOST} × its floor."]
    return "\n".join([head, *lines, "", *over])


def main(options: argparse.Namespace) -> None:
    """Measures, prints the table and writes the part of the page."""
    timings = compete(options)
    Console(width=200).print(report(timings))
    if options.write is not None:
        write_section(options.write, NAME, engines_part(timings, options.repeat))
