"""Write the benchmark's Parquet files: three shapes of data, the same on every machine.

Items are picked and scored by arithmetic on their numbers, so that a shape is a query and needs no memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb

SEED = 20260


@dataclass(frozen=True)
class Shape:
    """How many queries, retrieved items and judgments a query, and the size of the pool that both are drawn from.

    The larger the pool, the fewer judged items are retrieved: ``n_items * n_judgments / pool`` a query.
    """

    name: str
    n_queries: int
    n_items: int
    n_judgments: int
    pool: int

    def files(self, folder: Path) -> tuple[Path, Path]:
        """Return the paths of run and qrels."""
        return folder / f"{self.name}.run.parquet", folder / f"{self.name}.qrels.parquet"

    def texts(self, folder: Path) -> tuple[Path, Path]:
        """Return the paths of run and qrels in TREC's formats."""
        return folder / f"{self.name}.run.txt", folder / f"{self.name}.qrels.txt"


SHAPES = (
    # as MS MARCO passage ranking
    Shape("sparse", 6_980, 1_000, 2, 1_250),
    # as TREC test collections, pooled deeply
    Shape("dense", 200, 1_000, 300, 1_500),
    # one hit in a list of 20, as real recommenders have: on MovieLens latest-small 1.3 to 1.7 with 33 judgments a user
    Shape("recommender", 500_000, 20, 10, 200),
)

_RANDOM = "MOD(CAST({} AS HUGEINT) * 2862933555777941757 + 3037000493, 2147483647)"


def random_number(expression: str) -> str:
    """Return SQL for a pseudo-random number below 2**31."""
    mixed = _RANDOM.format(_RANDOM.format(f"(({expression}) + {SEED})"))
    return f"CAST({mixed} AS BIGINT)"


def write(shape: Shape, folder: Path) -> None:
    """Write the two files of a shape, unless they exist."""
    run, qrels = shape.files(folder)
    if run.exists() and qrels.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    item = f"'d' || MOD(q * 7919 + slot * 104729, {max(8_841_823, shape.pool)})"
    score = f"CAST({random_number('q * 1000003 + slot')} AS DOUBLE) / 1000"
    slot = random_number("q * 977 + j * 31337 + 5")
    connection = duckdb.connect()
    connection.execute(
        f"""COPY (
            SELECT 'q' || q AS query_id, {item} AS item_id, {score} AS score
            FROM RANGE({shape.n_queries}) AS queries(q), RANGE({shape.n_items}) AS items(slot)
        ) TO '{run}'"""
    )
    connection.execute(
        f"""COPY (
            SELECT 'q' || q AS query_id, {item} AS item_id, 1 + MOD(slot, 3) AS relevance
            FROM (
                SELECT DISTINCT q, MOD({slot}, {shape.pool}) AS slot
                FROM RANGE({shape.n_queries}) AS queries(q), RANGE({shape.n_judgments}) AS judgments(j)
            )
            ORDER BY q, slot
        ) TO '{qrels}'"""
    )


def write_texts(shape: Shape, folder: Path) -> None:
    """Write the two files in TREC's formats, unless they exist."""
    columns = (
        "query_id, 'Q0' AS q0, item_id, 1 AS rnk, score, 'run' AS run_id",
        "query_id, 0 AS zero, item_id, relevance",
    )
    for source, target, select_list in zip(shape.files(folder), shape.texts(folder), columns, strict=True):
        if not target.exists():
            duckdb.connect().execute(
                f"COPY (SELECT {select_list} FROM '{source}') TO '{target}' (DELIMITER ' ', HEADER false)"
            )
