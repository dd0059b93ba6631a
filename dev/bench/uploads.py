"""Times how files come into databases: ``python -m dev.bench.uploads [--rows 1e6] [--engine postgres-15 ...]``.

A run in a CSV file is stored by ``--materialize``: read, sent, and written. Beside it in PostgreSQL psql stores the
same file by ``\\copy``, in turn. Each figure is the best of three.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb

import rankmetrics_sql as rm
from dev.engines import Engine, start
from rankmetrics_sql.engines.warehouse import Warehouse

ENGINES = {"postgres-15": "temp", "sqlite": "temp", "mariadb": "tests", "clickhouse": "default"}
TIMES = 3


def write_run(file: Path, rows: int) -> None:
    """Write a run with lists of a hundred items."""
    duckdb.sql(
        f"COPY (SELECT 'q' || (i // 100) AS query_id, 'item' || HASH(i) % 1000000 AS item_id, RANDOM() AS score"
        f" FROM RANGE({rows}) r(i)) TO '{file}' (HEADER)"
    )


def upload(engine: Engine, file: Path) -> float:
    """Return the seconds from the beginning of an evaluation until the file is stored."""
    ends: list[float] = []

    def timed(*arguments: Any) -> str:
        name = store(*arguments)
        ends.append(time.monotonic())
        return name

    store, begin = Warehouse.upload, time.monotonic()
    with warnings.catch_warnings(), mock.patch.object(Warehouse, "upload", timed):
        warnings.simplefilter("ignore")
        place = rm.connect(engine.connection, materialize=ENGINES[engine.name])
        rm.evaluate(file, "labels", "rr", connection=place, check="none")
    return ends[0] - begin


def copy(engine: Engine, file: Path) -> float:
    """Return the seconds of psql's ``\\copy`` into a new table."""
    url = str(engine.url).replace("+psycopg", "")
    statements = (
        "DROP TABLE IF EXISTS copied; CREATE TABLE copied (query_id TEXT, item_id TEXT, score FLOAT8)",
        f"\\copy copied from '{file}' csv header",
    )
    for statement in statements:
        begin = time.monotonic()
        subprocess.run(["psql", "--quiet", url, "--command", statement], check=True)
    return time.monotonic() - begin


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e6, help="rows of the file (default: 1e6)")
    parser.add_argument("--engine", nargs="*", choices=[*ENGINES], default=[*ENGINES], help="default: all of them")
    arguments = parser.parse_args()
    print("| engine | upload, s | \\copy, s |\n|---|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.csv"
        write_run(file, int(arguments.rows))
        for name in arguments.engine:
            with start(name) as engine:
                engine.load(
                    "labels", {"query_id": "text", "item_id": "text", "relevance": "bigint"}, [("q1", "item1", 1)]
                )
                has_copy = name.startswith("postgres") and shutil.which("psql")
                pairs = [(upload(engine, file), copy(engine, file) if has_copy else None) for _ in range(TIMES)]
                ours, theirs = min(pair[0] for pair in pairs), min((pair[1] for pair in pairs if pair[1]), default=None)
                print(f"| {name} | {ours:.2f} | {'' if theirs is None else f'{theirs:.2f}'} |", flush=True)


if __name__ == "__main__":
    main()
