"""Intervals of heavy tails: who is warned of them, beside a twin over the values, and when they are right without."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import seeds

METRIC = "cg@1"


class Revenue:
    """Values of queries, or of arms that have queries of their own, which spread by chance more or less."""

    def __init__(self, seed, paired):
        self.rng = rng = np.random.default_rng(seed)
        n = int(rng.choice([15, 30, 60, 150]))
        self.sigma = rng.choice([0.3, 1.0, 1.7])
        self.values = [np.round(rng.lognormal(0, self.sigma, n) * (rng.random(n) < 0.5) + 0.01, 6) for _ in "ab"]
        names = [[f"{'' if paired else arm}{number}" for number in range(n)] for arm in "ab"]
        self.runs = [
            pd.DataFrame({"query_id": own, "item_id": item, "score": 1.0})
            for own, item in zip(names, "xy", strict=True)
        ]
        both = [run.assign(relevance=own) for run, own in zip(self.runs, self.values, strict=True)]
        self.qrels = pd.concat(both)[["query_id", "item_id", "relevance"]]
        self.users = [rng.choice(list("abcdefghijklmnopqrstuvwxyz"), n) for _ in "ab"]
        ids = np.concatenate(names)
        self.queries = pd.DataFrame({"query_id": ids, "user": np.concatenate(self.users)}).drop_duplicates("query_id")


def share_of_largest(values, users=None):
    """Of the squared deviations; of clusters those that CR2 adds up."""
    deviations = values - values.mean()
    if users is None:
        squares = deviations**2
    else:
        shares = [np.mean(users == user) for user in sorted(set(users))]
        sums = [deviations[users == user].sum() for user in sorted(set(users))]
        squares = np.array([e**2 / (1 - p) for e, p in zip(sums, shares, strict=True)])
    return squares.max() / squares.sum()


def told(found):
    """What a warning says of the variance, in percent."""
    said = [re.search(r"one (query|value of user) has (\d+)% of the variance", text) for text in found.warnings]
    return [int(match[2]) for match in said if match]


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("design", ["paired", "unpaired", "mean"])
@pytest.mark.parametrize("seed", seeds(40, 2))
def test_who_is_warned(seed, design, clustered):
    data = Revenue(seed, design == "paired")
    given = {"cluster": "user", "query_list": data.queries} if clustered else {}
    given["queries"] = "judged_retrieved"
    users = data.users if clustered and design != "paired" else [None, None]
    shares = [share_of_largest(*own) for own in zip(data.values, users, strict=True)]
    if design == "mean":
        found = quietly(rm.evaluate, data.runs[0], data.qrels, METRIC, interval="t", **given)
        most, least, n = shares[0], 1 / 4, len(data.values[0])
        units = len(set(users[0])) if clustered else n
        is_enough = units >= 20
    else:
        found = quietly(rm.compare, data.runs[0], {"b": data.runs[1]}, data.qrels, METRIC, design=design, **given)
        most, least = max(shares), 1 / 3
        n_arms = 1 if design == "paired" else 2
        known = data.users[:n_arms]
        units = len(set(np.concatenate(known))) if clustered else n_arms * len(data.values[0])
        is_enough = units >= 20 * n_arms
    assert "largest_spread" not in found.summary.columns
    assert told(found) == ([pytest.approx(100 * most, abs=0.51)] if is_enough and most > least else [])


def test_ordinary_metrics_and_the_demo_are_silent():
    demo = "rankmetrics_sql/demo/"
    runs = [demo + "covidex.t5.run.gz", {"sim": demo + "covidex.sim.run.gz"}]
    metrics = ["ndcg@10", "ap", "p@10", "r@1000"]
    found = quietly(rm.compare, *runs, demo + "qrels.txt", metrics)
    assert not told(found)
    assert not told(quietly(rm.compare, *runs, demo + "qrels.txt", metrics, design="unpaired"))
    assert not told(quietly(rm.evaluate, runs[0], demo + "qrels.txt", metrics, interval="t"))
    assert not told(quietly(rm.evaluate, runs[0], demo + "qrels.txt", ["gm_map"], interval="t"))  # logarithms


def test_nothing_is_said_where_nothing_is_checked_or_nothing_spreads():
    data = Revenue(3, paired=True)
    data.sigma, data.values = 2, [np.full(30, 0.1)] * 2
    alike = {str(number): {"x": 0.1} for number in range(30)}
    run = {query: ["x"] for query in alike}
    for found in (
        quietly(rm.compare, run, {"b": run}, alike, METRIC),
        quietly(rm.evaluate, run, alike, METRIC, interval="t"),
        quietly(rm.evaluate, data.runs[0], data.qrels, METRIC, interval="t", check="none"),
    ):
        assert not told(found)
