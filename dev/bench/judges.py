"""How often intervals of prediction-powered values hold: ``python -m dev.bench.judges [--write docs/judges.md]``.

Values of queries are drawn with those that a judge predicts. The statement of the package reads them as stored values,
with a group for each replicate. Counted is how often its interval of 95 % holds the mean, and how wide it is beside
that of the human values alone.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
from rich.console import Console

import rankmetrics_sql as rm

from .tables import on_page, on_screen, write_section

SEED = 0.2026
REPLICATES = 1_000
N_OTHERS = 1_000
SIZES = (10, 20, 50, 100, 500)

# A value, as SQL over uniform numbers u and v that are drawn for it.
VALUES = {
    "nDCG": "(u + v) / 2",
    "reciprocal rank": "CASE WHEN v < 0.3 THEN 0 ELSE 1 / (1 + FLOOR(LN(u) / LN(0.65))) END",
    "difference": "CASE WHEN v < 0.5 THEN 0 ELSE 0.02 + 0.2 * SQRT(-2 * LN(u)) * COS(6.283185307 * v * 2) END",
}
# What a judge says of a value y, where z is that of another query and w is uniform.
JUDGES = {
    "perfect": "y",
    "biased": "0.2 + 0.6 * y + 0.2 * w",
    "right in 60 %": "CASE WHEN w < 0.6 THEN y ELSE z END",
    "useless": "z",
}
HEAD = ["value", "n", "people alone", *JUDGES]


def fill(connection: duckdb.DuckDBPyConnection, value: str, judge: str, n_human: int, n_others: int) -> None:
    """Draw the values of all replicates as the table ``drawn``, which statements read as stored values."""
    other = re.sub(r"\bv\b", "r", re.sub(r"\bu\b", "q", value))
    connection.execute(f"""
        CREATE OR REPLACE TABLE drawn AS
        SELECT query_id, group_1, 1 AS metric_number, 'rr' AS metric,
            CASE WHEN query_id < {n_human} THEN y END AS value, {judge} AS predicted, y
        FROM (
            SELECT query_id, group_1, CAST({value} AS DOUBLE) AS y, CAST({other} AS DOUBLE) AS z, w
            FROM (
                SELECT i.range AS query_id, g.range AS group_1, 1 - RANDOM() AS u, RANDOM() AS v,
                    1 - RANDOM() AS q, RANDOM() AS r, RANDOM() AS w
                FROM range({REPLICATES}) AS g, range({n_human + n_others}) AS i
            )
        )""")


def answers(connection: duckdb.DuckDBPyConnection, text: str, truth: float) -> tuple[float, float]:
    """Return how often intervals hold the truth, and how wide they are in the mean."""
    row = connection.execute(
        f"SELECT AVG(CASE WHEN {truth} BETWEEN ci_lower AND ci_upper THEN 1 ELSE 0 END), AVG(ci_upper - ci_lower)"
        f" FROM ({text})"
    ).fetchone()
    assert row is not None
    return float(row[0]), float(row[1])


def rows(connection: duckdb.DuckDBPyConnection) -> Iterator[list[str]]:
    """Yield a row for each value and size: coverage, and the width beside that of people alone."""
    given = {"values": "drawn", "by": "qrels.replicate", "header": False, "comments": False}
    powered = rm.sql(["rr"], "runs", "people", predicted_qrels="model", **given)
    alone = rm.sql(["rr"], "runs", "people", interval="t", **given)
    for name, value in VALUES.items():
        connection.execute(f"SELECT SETSEED({SEED})")
        fill(connection, value, "y", 5_000, 0)
        [truth] = connection.execute("SELECT AVG(y) FROM drawn").fetchone() or [0.0]
        for n_human in SIZES:
            cells: list[str] = []
            for judge in JUDGES.values():
                fill(connection, value, judge, n_human, N_OTHERS)
                covered, width = answers(connection, powered, truth)
                of_people = answers(connection, alone, truth)
                if not cells:
                    cells.append(f"{100 * of_people[0]:.1f}")
                cells.append(f"{100 * covered:.1f} ({width / of_people[1]:.2f})")
            yield [name, str(n_human), *cells]


def main() -> None:
    """Print the table, or write it to a page between its markers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", type=Path, help="the page with the markers")
    arguments = parser.parse_args()
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")  # else a seed does not fix what is drawn
        counted = list(rows(connection))
    if arguments.write is None:
        Console().print(on_screen("How often intervals of 95 % hold", HEAD, counted))
        return
    write_section(arguments.write, "judges", "\n".join(on_page(HEAD, counted)))


if __name__ == "__main__":
    main()
