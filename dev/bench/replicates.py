"""Replicates of an experiment out of real values: what ``dev.bench.coverage`` asks the statements about.

A replicate is a sample of real queries, drawn with replacement. All of them stand in one table, as statements of level
``values`` leave it, and the number of a replicate is a group: so one statement computes the intervals and p-values of
them all.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import rankmetrics_sql as rm

ROOT = Path(__file__).parents[2]
DEMO = Path(rm.__file__).parent / "demo"
MOVIELENS = ROOT / "tests" / "data" / "movielens"
RUNS = ("baseline", "candidate")
MAIN = ("ndcg@10", "ap", "rr")
FAMILY = (*MAIN, "p@10", "recall@50")
GEOMETRIC = "gm_map"
LEAST = 1e-5  # of a geometric mean
GAIN = 0.4  # of the few queries that win, where few change
IN_CLUSTER = 5  # queries, about
ALIKE = 0.5  # the share of a cluster's queries that take its own pair; two of them are alike in a quarter of all cases

Connection = duckdb.DuckDBPyConnection
Numbers = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class Real:
    """The values of two runs: ``values[run, metric, query]``."""

    name: str
    metrics: tuple[str, ...]
    values: Numbers

    def of(self, metric: str) -> Numbers:
        """Of one metric: ``[run, query]``."""
        return self.values[:, self.metrics.index(metric)]


@dataclass(frozen=True)
class Draw:
    """How replicates are drawn.

    Attributes:
        name: what it is called, and what its random numbers follow from.
        metrics: whose values are drawn.
        arms: whether each run has queries of its own.
        exchanged: whether chance says of which run a value is: then the runs do not differ.
        clusters: ``equal`` or ``unequal`` in size, or none.
        equal_means: whether queries are drawn so often that both means are equal, whatever the distributions.
    """

    name: str
    metrics: tuple[str, ...] = MAIN
    arms: bool = False
    exchanged: bool = False
    clusters: str | None = None
    equal_means: bool = False


def trec_covid() -> Real:
    """Two runs of TREC-COVID's second round, 35 topics."""
    runs = dict(zip(RUNS, (DEMO / "covidex.sim.run.gz", DEMO / "covidex.t5.run.gz"), strict=True))
    return evaluated("TREC-COVID", runs, DEMO / "qrels.txt", "query_id")


def movielens() -> Real:
    """Two recommenders, 80 users."""
    runs = dict(zip(RUNS, (MOVIELENS / "popularity.csv.gz", MOVIELENS / "itemknn.csv.gz"), strict=True))
    columns = {"query_id": "user_id", "relevance": "rating"}
    return evaluated("MovieLens", runs, MOVIELENS / "ratings.csv.gz", "user_id", columns=columns, rel=4)


def one_sided(touched: int, winning: int) -> Real:
    """One query of so many is touched, and of those one of so many gains; all others lose as much together.

    Args:
        touched: one query of how many changes.
        winning: one change of how many is a gain.
    """
    loss = GAIN / (winning - 1)
    changes = np.zeros(touched * winning)
    changes[:winning] = [GAIN, *[-loss] * (winning - 1)]
    baseline = np.full(len(changes), (1 - GAIN + loss) / 2)
    share = f"{100 / touched:g} % of queries change, {100 / winning:g} % of those gain"
    return Real(share, ("ap",), np.array([baseline, baseline + changes])[:, None, :])


def evaluated(name: str, runs: dict[str, Path], qrels: Path, query: str, **arguments: Any) -> Real:
    """The values of both runs, whose queries are the same."""
    metrics = (*FAMILY, GEOMETRIC)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)  # popularity has ties, which are no matter here
        result = rm.evaluate({run: str(path) for run, path in runs.items()}, str(qrels), metrics, **arguments)
    found = sorted(result.per_query.dicts(), key=lambda row: (row["run_id"], row[query]))
    values = [[[row[metric] for row in found if row["run_id"] == run] for metric in metrics] for run in RUNS]
    return Real(name, metrics, np.array(values, dtype=float))


def weights(real: Real, draw: Draw) -> Numbers:
    """How likely each query is drawn: all alike, or as little unlike as makes the means of both runs equal."""
    differences = np.array([real.of(metric)[1] - real.of(metric)[0] for metric in draw.metrics]).T
    tilt = np.zeros(differences.shape[1])
    likely = np.full(len(differences), 1 / len(differences))
    for _ in range(50 if draw.equal_means else 0):
        mean = likely @ differences
        spread = (differences - mean).T @ ((differences - mean) * likely[:, None])
        tilt -= np.linalg.solve(spread, mean)
        grown = np.exp(differences @ tilt)
        likely = grown / grown.sum()
    return likely


def truths(real: Real, draw: Draw) -> list[tuple[str, float, float, float]]:
    """Of each metric what intervals should hold: the candidate's value, the effect and the relative effect."""
    likely, found = weights(real, draw), []
    for metric in draw.metrics:
        values = real.of(metric)
        baseline, candidate = values @ likely
        if metric == GEOMETRIC:
            baseline, candidate = np.exp(np.log(np.maximum(values, LEAST)) @ likely)
        effect, relative = (0, 0) if draw.exchanged else (candidate - baseline, candidate / baseline - 1)
        found.append((metric, float(candidate), float(effect), float(relative)))
    return found


def cluster_numbers(random: np.random.Generator, draw: Draw, shape: tuple[int, int]) -> Numbers:
    """The cluster of each query; every query is one by itself where there are none."""
    queries = np.broadcast_to(np.arange(shape[1]), shape)
    if draw.clusters is None:
        return queries
    if draw.clusters == "equal":
        return queries // IN_CLUSTER
    # As with users: of ten the busiest has a third of the queries.
    return np.floor(random.random(shape) ** 2 * max(2, shape[1] // IN_CLUSTER)).astype(int)


def drawn_of(random: np.random.Generator, real: Real, draw: Draw, shape: tuple[int, int]) -> tuple[Numbers, Numbers]:
    """Real queries, and of which run their values are."""
    likely = weights(real, draw)
    sources = random.integers(len(RUNS), size=shape) if draw.exchanged else np.zeros(shape, dtype=int)
    return random.choice(len(likely), shape, p=likely), sources


def columns_of(real: Real, draw: Draw, shape: tuple[int, int], seed: int) -> dict[str, Numbers]:
    """A row per run, replicate and query: which real query it is, and of which run its value is."""
    named = zlib.crc32(f"{real.name}, {draw.name}, {shape[1]}".encode())
    random = np.random.default_rng([seed, named])
    clusters = cluster_numbers(random, draw, shape)
    takes_own_of_cluster = random.random(shape) < (ALIKE if draw.clusters else 0)
    picks, sources = [], []
    for run in range(len(RUNS)):
        if run == 0 or draw.arms:
            of_query, of_cluster = (drawn_of(random, real, draw, shape) for _ in range(2))
        pick, source = (
            np.where(takes_own_of_cluster, np.take_along_axis(cluster, clusters, axis=1), query)
            for cluster, query in zip(of_cluster, of_query, strict=True)
        )
        picks.append(pick)
        sources.append((source + run) % len(RUNS))  # a pair is exchanged as a whole
    both = {
        "replicate": np.broadcast_to(np.arange(shape[0])[:, None], shape),
        "query_number": np.broadcast_to(np.arange(shape[1]), shape),
        "cluster_number": clusters,
    }
    own = {"run": [np.full(shape, run) for run in range(len(RUNS))], "pick": picks, "source": sources}
    columns = {name: [numbers] * len(RUNS) for name, numbers in both.items()} | own
    return {name: np.concatenate([part.ravel() for part in parts]) for name, parts in columns.items()}


def fill(connection: Connection, real: Real, draw: Draw, shape: tuple[int, int], seed: int) -> None:
    """The tables ``stored``, as level ``values`` leaves it, and ``truths``; so many replicates of so many queries."""
    rows = [
        (run, pick, number, metric, float(value))
        for run in range(len(RUNS))
        for number, metric in enumerate(draw.metrics, start=1)
        for pick, value in enumerate(real.of(metric)[run])
    ]
    insert(connection, "real", "source INT, pick INT, metric_number INT, metric TEXT, value DOUBLE", rows)
    insert(connection, "truths", "metric TEXT, value DOUBLE, effect DOUBLE, relative DOUBLE", truths(real, draw))
    connection.register("draws", columns_of(real, draw, shape, seed))
    # A query has one id in all replicates together: pairs are found by it alone.
    connection.execute(
        f"""CREATE OR REPLACE TABLE stored AS
        SELECT
            CASE d.run WHEN 0 THEN '{RUNS[0]}' ELSE '{RUNS[1]}' END AS run_id,
            d.replicate * {shape[1]} + d.query_number AS query_id,
            d.replicate AS group_1,
            d.cluster_number AS group_2,
            r.metric_number,
            r.metric,
            r.value,
            d.query_number
        FROM draws AS d
        JOIN real AS r ON r.source = d.source AND r.pick = d.pick"""
    )
    connection.unregister("draws")


def insert(connection: Connection, table: str, columns: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """A small table anew."""
    connection.execute(f"CREATE OR REPLACE TABLE {table} ({columns})")
    connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def statement(
    draw: Draw, *, replicates: int | None = None, look: int | None = None, cluster: bool = False, **options: Any
) -> str:
    """The statement that answers for all replicates, or the first; of the first queries of each, if a look is given."""
    level = "summary" if "interval" in options else "compare"
    rows = [f"query_number < {look}"] if look else []
    rows += [f"group_1 < {replicates}"] if replicates else []
    rows += [f"run_id = '{RUNS[1]}'"] if level == "summary" else []
    values = f"SELECT * FROM stored WHERE {' AND '.join(rows)}" if rows else "stored"
    known: dict[str, Any] = {"values": values, "level": level, "by": ["run.replicate"], "header": False}
    known |= {"baseline": RUNS[0]} if level == "compare" else {}
    known |= {"cluster": "run.cluster"} if cluster else {}
    return rm.sql(draw.metrics, dict.fromkeys(RUNS, "none"), "none", **known, **options)
