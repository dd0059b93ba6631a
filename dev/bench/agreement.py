"""How often the intervals of ``rm.agreement`` hold the truth: a section of ``dev.bench.coverage``.

Replicates are queries drawn with replacement from many that three judges grade; the truth is what all of them give.
"""

from __future__ import annotations

import warnings
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd
from rich.table import Table

import rankmetrics_sql as rm
from rankmetrics_sql.results.sensitivity import Agreement

from .cells import Cell, error_of, marks
from .replicates import Connection
from .tables import on_page, on_screen

NAME = "agreement"
SIZES = (10, 30, 100)
THINNED = 8  # one replicate of how many, because each is a call
QUERIES, ITEMS, JUDGES = 2_000, 10, ("a", "b", "c")
KAPPAS = ("kappa", "linear_kappa", "quadratic_kappa")
HEADING = ["", "judges", *(f"{size} queries" for size in SIZES)]
HEAD = """`python -m dev.bench.coverage --section agreement --write docs/coverage.md` writes this table (seed {seed},
{n:,} replicates, chance ±{error:.1f}). Bold: {n_bold} of {n_cells} cells. Italic: {n_italic}."""


@dataclass(frozen=True)
class Situation:
    """What three judges say of a query.

    Attributes:
        name: as the page says it.
        highest: the highest grade.
        relevance: the least and the greatest mean of a query's grades, as a share of the highest.
        agreement: the least and the greatest share of a query's items that a judge grades as they deserve; the others
            by chance.
        judged: the share of the items that a judge grades.
    """

    name: str
    highest: int
    relevance: tuple[float, float]
    agreement: tuple[float, float]
    judged: float


SITUATIONS = (
    Situation("grades 0 to 3, 85 % judged", 3, (0, 1), (0.3, 0.95), 0.85),
    Situation("one item in ten relevant", 1, (0, 0.2), (0.6, 1), 1),
    Situation("alike by chance only", 2, (0.2, 0.6), (0, 0), 1),
)


@dataclass(frozen=True)
class Share(Cell):
    """How many intervals of a measure hold the truth."""

    situation: str
    measure: str
    size: int
    hits: int
    n_known: int
    n: int


def graded(situation: Situation, random: np.random.Generator, n_queries: int = QUERIES) -> pd.DataFrame:
    """What the judges say of all queries."""
    shape = (n_queries, ITEMS)
    ends = situation.relevance, situation.agreement
    relevance, agreement = (random.uniform(*both, n_queries)[:, None] for both in ends)
    deserved = random.binomial(situation.highest, relevance, shape)
    queries, items = np.indices(shape)
    frames = []
    for judge in JUDGES:
        chance = random.binomial(situation.highest, relevance, shape)
        grades = np.where(random.random(shape) < agreement, deserved, chance)
        is_judged = random.random(shape) < situation.judged
        columns = {"pick": queries[is_judged], "item_id": items[is_judged], "relevance": grades[is_judged]}
        frames.append(pd.DataFrame(columns).assign(judge=judge))
    return pd.concat(frames, ignore_index=True)


def measured(found: Agreement) -> Iterator[tuple[str, float, float | None, float | None]]:
    """Each measure with the ends of its interval; the kappas are those of the first two judges."""
    for name in KAPPAS:
        pair = found.pairs[0]
        yield name, pair[name], pair[f"{name}_ci_lower"], pair[f"{name}_ci_upper"]
    for row in found.overall:
        if row["value"] is not None:
            yield row["measure"], row["value"], row["ci_lower"], row["ci_upper"]


def agreed(connection: Connection, queries: str) -> list[tuple[str, float, float | None, float | None]]:
    """What ``rm.agreement`` says of some queries: a statement with their numbers, each of which may come again."""
    connection.execute(f"CREATE OR REPLACE TABLE drawn AS SELECT * FROM ({queries}) AS d JOIN grades AS g USING (pick)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)
        return [*measured(rm.agreement("drawn", judge="judge", connection=connection, check="none"))]


def counted(
    connection: Connection, situation: Situation, size: int, replicates: int, random: np.random.Generator
) -> Iterator[Share]:
    """How often each interval holds the truth, of replicates with so many queries."""
    every = "SELECT DISTINCT pick, pick AS query_id FROM grades"
    truths = {name: value for name, value, *_ in agreed(connection, every)}
    picks = random.integers(QUERIES, size=(replicates, size))
    hits: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for of_replicate in picks:
        rows = ", ".join(f"({pick}, {number})" for number, pick in enumerate(of_replicate))
        for name, _, lower, upper in agreed(connection, f"SELECT * FROM (VALUES {rows}) AS t(pick, query_id)"):
            if lower is not None and upper is not None:
                known[name] += 1
                hits[name] += lower <= truths[name] <= upper
    for name in truths:
        yield Share(situation.name, name, size, hits[name], known[name], replicates)


def shares(
    replicates: int, seed: int, chosen: Sequence[Situation] = SITUATIONS, sizes: Sequence[int] = SIZES
) -> list[Share]:
    """Count in all situations."""
    found = []
    for situation in chosen:
        random = np.random.default_rng([seed, zlib.crc32(situation.name.encode())])
        with duckdb.connect() as connection:
            frame = graded(situation, random)
            connection.register("frame", frame)
            connection.execute("CREATE TABLE grades AS FROM frame")
            for size in sizes:
                found += counted(connection, situation, size, replicates, random)
    return found


def rows(found: Sequence[Share]) -> list[list[str]]:
    """The rows of the table: each measure in each situation."""
    cells: Mapping[tuple[str, str, int], Share] = {(one.measure, one.situation, one.size): one for one in found}
    keys = dict.fromkeys((measure, situation) for measure, situation, _ in sorted(cells, key=_place))
    return [[*key, *(str(cells[*key, size]) for size in SIZES if (*key, size) in cells)] for key in keys]


def _place(key: tuple[str, str, int]) -> tuple[int, int]:
    names = [*KAPPAS, "alpha_nominal", "alpha_ordinal", "alpha_interval", "ac1", "ac2", "fleiss_kappa"]
    return names.index(key[0]), [situation.name for situation in SITUATIONS].index(key[1])


def section(found: Sequence[Share], replicates: int, seed: int) -> str:
    """Return the section of the page."""
    error = 100 * error_of(replicates)
    head = HEAD.format(seed=seed, n=replicates, error=error, n_cells=len(found), **marks(found))
    return "\n".join([head, "", *on_page(HEADING, rows(found), n_words=2)])


def answered(replicates: int, seed: int) -> tuple[list[Table], str]:
    """The table on the screen, and the section of the page."""
    found = shares(replicates // THINNED, seed)
    return [on_screen("Agreement", HEADING, rows(found), n_words=2)], section(found, replicates // THINNED, seed)
