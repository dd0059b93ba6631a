"""Weights, clusters of both arms, logarithms and all pairs, each beside the others: twins by the formulas."""

from __future__ import annotations

import math
import random

import duckdb
import numpy as np
import pytest
from scipy import stats

import rankmetrics_sql as rm

from ..conftest import fill, quietly

METRICS = ["ap", "rr", "fallout@2", "gm_map"]


@pytest.fixture(scope="module")
def shop():
    """Requests of two arms; most users come to both, some queries have no weight, and some weigh nothing."""
    chance = random.Random(7)
    shown, judged, queries = [], [], []
    for number in range(60):
        arm, user = ("old", "new")[number % 2], chance.choice([f"u{i}" for i in range(14)])
        query, bias = f"q{number:02}", int(user[1:]) % 5
        weight = None if number == 11 else chance.choice([0, 1, 2.5, 4])
        queries.append((query, arm, user, weight))
        for item in range(6):
            judged.append((query, f"d{item}", int(chance.random() < 0.25) | (item == bias)))
            shown.append((query, f"d{item}", chance.random() + 0.3 * (item == bias) * (arm == "new"), arm))
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE shown (query_id TEXT, item_id TEXT, score DOUBLE, arm TEXT)")
        connection.execute("CREATE TABLE judged (query_id TEXT, item_id TEXT, relevance DOUBLE)")
        connection.execute("CREATE TABLE queries (query_id TEXT, arm TEXT, user_id TEXT, weight DOUBLE)")
        for table, rows in (("shown", shown), ("judged", judged), ("queries", queries)):
            fill(connection, table, rows)
        yield connection


def values_of(shop, metric):
    """For each arm: values, weights and users of its queries."""
    name = "ap" if metric == "gm_map" else metric
    found = quietly(rm.evaluate, "shown", "judged", [name], connection=shop, queries="judged_retrieved")
    value = {row["query_id"]: row[name] for row in found.per_query.dicts()}
    if metric == "gm_map":
        value = {query: math.log(max(one, 1e-5)) for query, one in value.items()}
    rows = shop.execute("SELECT * FROM queries ORDER BY query_id").fetchall()
    return {
        wanted: [(value[query], weight, user) for query, arm, user, weight in rows if arm == wanted]
        for wanted in ("old", "new")
    }


def twin(arms, *, weighted, clustered):
    """The difference of both means, its variance and degrees of freedom, by the formulas for users in both arms."""
    parts = {}
    for arm, rows in arms.items():
        known = [(value, weight if weighted else 1.0, user) for value, weight, user in rows]
        known = [row for row in known if row[1]]
        values, weights = np.array([row[0] for row in known]), np.array([row[1] for row in known])
        mean = float((values * weights).sum() / weights.sum())
        scores = weights * (values - mean)
        if not clustered:  # each query is one
            known = [(value, weight, (arm, place)) for place, (value, weight, _) in enumerate(known)]
        sums, shares = {}, {}
        for score, weight, (_, _, user) in zip(scores, weights, known, strict=True):
            sums[user] = sums.get(user, 0) + score
            shares[user] = shares.get(user, 0) + weight / weights.sum()
        variance = sum(sums[user] ** 2 / (1 - shares[user]) for user in sums) / weights.sum() ** 2
        first = sum(p * p for p in shares.values())
        second = sum(p * p / (1 - p) for p in shares.values()) ** 2
        third = sum((p * p / (1 - p)) ** 2 for p in shares.values())
        scaled = {user: one / weights.sum() / math.sqrt(1 - shares[user]) for user, one in sums.items()}
        parts[arm] = (mean, variance, 1 / (first + second - third), scaled, shares)
    (mean0, var0, df0, e0, p0), (mean1, var1, df1, e1, p1) = parts["old"], parts["new"]
    both = e0.keys() & e1.keys()
    variance = var0 + var1 - 2 * sum(e0[user] * e1[user] for user in both)
    q = {user: p0[user] * p1[user] / math.sqrt((1 - p0[user]) * (1 - p1[user])) for user in both}
    shared = sum(p0[user] * p1[user] for user in both) + sum(q.values()) ** 2 - sum(one**2 for one in q.values())
    degrees = (var0 + var1) ** 2 / (var1**2 / df1 + var0**2 / df0 + 2 * var0 * var1 * shared)
    return mean1 - mean0, variance, degrees


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_arms(shop, weighted, clustered):
    given = {"design": "unpaired", "correction": "none", "queries": "judged_retrieved", "connection": shop}
    arms = {arm: f"SELECT * FROM shown WHERE arm = '{arm}'" for arm in ("old", "new")}
    given |= {"cluster": "user_id"} if clustered else {}
    given |= {"weight": "weight"} if weighted else {}
    found = quietly(rm.compare, arms["old"], {"new": arms["new"]}, "judged", METRICS, query_list="queries", **given)
    for row in found.summary.dicts():
        effect, variance, degrees = twin(values_of(shop, row["metric"]), weighted=weighted, clustered=clustered)
        error, point = math.sqrt(variance), stats.t.ppf(0.975, degrees)
        assert row["pvalue"] == pytest.approx(2 * stats.t.sf(abs(effect) / error, degrees), rel=1e-8)
        if row["metric"] != "gm_map":
            assert row["effect_size"] == pytest.approx(effect, rel=1e-9)
            assert row["standard_error"] == pytest.approx(error, rel=1e-9)
            assert row["effect_size_ci_lower"] == pytest.approx(effect - point * error, rel=1e-8)
        else:
            assert row["rel_effect_size"] == pytest.approx(math.expm1(effect), rel=1e-9)
            ends = (math.expm1(effect - point * error), math.expm1(effect + point * error))
            assert row["rel_effect_size_ci_lower"] == pytest.approx(ends[0], rel=1e-8)
            assert row["rel_effect_size_ci_upper"] == pytest.approx(ends[1], rel=1e-8)
            assert row["effect_size"] == pytest.approx(row["candidate"] - row["baseline"], rel=1e-9)


@pytest.mark.parametrize("cluster", [None, "user_id"])
def test_all_pairs_by_weight(shop, cluster):
    """Each pair is what ``compare`` says of its two runs."""
    runs = {
        name: f"SELECT query_id, item_id, score + {shift} * (hash(item_id || '{name}') % 97) / 97 AS score FROM shown"
        for name, shift in (("a", 0), ("b", 0.3), ("c", 0.6))
    }
    given = {"connection": shop, "query_list": "queries", "weight": "weight", "correction": "none"}
    given |= {"cluster": cluster} if cluster else {}
    found = quietly(rm.compare_all, runs, "judged", METRICS, **given).summary.dicts()
    assert len(found) == 3 * len(METRICS)
    apart = {
        (row["baseline_run"], row["run"], row["metric"]): row
        for first, second in sorted({(row["baseline_run"], row["run"]) for row in found})
        for row in quietly(
            rm.compare, runs[first], {second: runs[second]}, "judged", METRICS, baseline=first, **given
        ).summary.dicts()
    }
    for row in found:
        alone = apart[row["baseline_run"], row["run"], row["metric"]]
        for name in ("effect_size", "standard_error", "pvalue", "rel_effect_size_ci_lower", "n_units"):
            assert row[name] == pytest.approx(alone[name], rel=1e-10), (row["metric"], name)
        assert row["verdict"] == alone["verdict"]
