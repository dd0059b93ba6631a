"""Linear intervals of relative effects: the delta method of GrowthBook, of pairs, arms, clusters and covariates."""

from __future__ import annotations

import json
import math
import random

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import seeds
from .test_clusters import ARMS, clusters_of, difference, listed, robust, users_of

LINEAR = {"relative_interval": "linear", "correction": "none"}


def experiment(rng, n, paired, grades=(0, 1, 3)):
    """Two runs whose cumulated gain is a grade: their values by query, judgments and runs."""
    names = [f"q{number:03}" for number in range(n)]
    arms = [names, names] if paired else [names[: n // 3], names[n // 3 :]]
    values = [{query: rng.choice(grades) + (0.25 if who else 1) for query in arm} for who, arm in enumerate(arms)]
    qrels = {query: {str(who): own[query] for who, own in enumerate(values) if query in own} for query in names}
    runs = [{query: [str(who)] for query in own} for who, own in enumerate(values)]
    return values, qrels, runs


def compared(runs, qrels, **given):
    return quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", **LINEAR, **given).summary.dicts()


def ends(row):
    return [row["rel_effect_size_ci_lower"], row["rel_effect_size_ci_upper"]]


def expected(ratio, error, degrees, level=0.95, alternative="two_sided"):
    point = stats.t.isf((1 - level) / (2 if alternative == "two_sided" else 1), degrees)
    lower, upper = (pytest.approx(ratio - 1 + sign * point * error, rel=1e-8, abs=1e-9) for sign in (-1, 1))
    return [None if alternative == "less" else lower, None if alternative == "greater" else upper]


def growthbook(one, other):
    """As gbstats writes the variance of a relative difference of independent means, with Welch's degrees."""
    baseline, candidate = one.mean(), other.mean()
    own = other.var(ddof=1) / len(other) / baseline**2
    of_baseline = one.var(ddof=1) / len(one) * candidate**2 / baseline**4
    degrees = (own + of_baseline) ** 2 / (own**2 / (len(other) - 1) + of_baseline**2 / (len(one) - 1))
    return candidate / baseline, math.sqrt(own + of_baseline), degrees


@pytest.mark.parametrize("seed", seeds(20, 3))
def test_arms_are_those_of_growthbook(seed):
    rng = random.Random(seed)
    values, qrels, runs = experiment(rng, rng.choice([9, 40]), paired=False)
    asked = {"level": rng.choice([0.95, 0.8]), "alternative": ["two_sided", "greater", "less"][seed % 3]}
    given = {"confidence_level": asked["level"], "alternative": asked["alternative"]}
    [row] = compared(runs, qrels, design="unpaired", queries="judged_retrieved", **given)
    arms = [np.array([*own.values()]) for own in values]
    assert ends(row) == expected(*growthbook(*arms), **asked)


@pytest.mark.parametrize("seed", seeds(20, 3))
@pytest.mark.parametrize("has_clusters", [False, True])
def test_pairs_and_their_clusters(seed, has_clusters):
    """The error is that of the mean of (candidate - ratio * baseline) / mean of the baseline."""
    rng = random.Random(seed)
    values, qrels, runs = experiment(rng, rng.choice([7, 40]), paired=True)
    users = users_of(rng, qrels, 5) if has_clusters else {query: query for query in qrels}
    given = {"query_list": listed(users), "cluster": "user_id"} if has_clusters else {}
    [row] = compared(runs, qrels, **given)
    one, other = (np.array([*own.values()]) for own in values)
    ratio = other.mean() / one.mean()
    found = robust((other - ratio * one) / one.mean(), clusters_of(users).values())
    assert ends(row) == expected(ratio, found.error, found.degrees)
    [plain] = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", **given).summary.dicts()
    assert {name: row[name] for name in row if "rel_" not in name} == {
        name: "none" if name == "correction" else plain[name] for name in plain if "rel_" not in name
    }


@pytest.mark.parametrize("seed", seeds(8, 2))
def test_clusters_of_both_arms(seed):
    rng = random.Random(seed)
    values, qrels, runs = experiment(rng, 40, paired=False)
    users = users_of(rng, qrels, 6)
    given = {"query_list": listed(users), "cluster": "user_id", **ARMS}
    [row] = quietly(
        rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", relative_interval="linear", **given
    ).summary.dicts()
    one, other = (np.array([*own.values()]) for own in values)
    ratio, clusters = other.mean() / one.mean(), clusters_of(users)
    of_arms = [[clusters[query] for query in own] for own in values]
    found = difference([one * ratio / one.mean(), other / one.mean()], of_arms)
    assert ends(row) == expected(ratio, found.error, found.degrees)


def test_a_covariate_and_groups():
    """Of the values that the covariate leaves, in each group."""
    rng = random.Random(4)
    values, qrels, runs = experiment(rng, 60, paired=False)
    both = values[0] | values[1]
    before = {query: value + rng.choice([-1, 0, 1]) for query, value in both.items()}
    frame = pd.DataFrame({"query_id": [*both], "before": [*before.values()]})
    frame["market"] = [rng.choice(["de", "fr"]) for _ in both]
    given = {"query_list": frame, "covariate": "before", "by": "market", "design": "unpaired"}
    rows = compared(runs, qrels, queries="judged_retrieved", **given)
    assert [row["market"] for row in rows] == ["de", "fr"]
    for row in rows:
        names = set(frame.query_id[frame.market == row["market"]])
        arms = [[query for query in own if query in names] for own in values]
        x = np.array([before[query] for arm in arms for query in arm])
        y = np.array([both[query] for arm in arms for query in arm])
        theta = np.cov(x, y)[0, 1] / x.var(ddof=1)
        adjusted = y - theta * (x - x.mean())
        assert ends(row) == expected(*growthbook(adjusted[: len(arms[0])], adjusted[len(arms[0]) :]))


def test_a_candidate_of_nothing_has_one():
    """The logarithm of 0 is none; the ratio is -100 %, for certain."""
    qrels = {f"q{number}": {"x": number % 3 + 1, "y": 0} for number in range(8)}
    runs = [{query: [item] for query in qrels} for item in "xy"]
    [row] = compared(runs, qrels)
    assert (row["rel_effect_size"], *ends(row)) == (-1, -1, -1)
    [row] = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1").summary.dicts()
    assert ends(row) == [None, None]
    [row] = compared(runs[::-1], qrels)  # and of a baseline of nothing nothing is known
    assert (row["rel_effect_size"], *ends(row)) == (None, None, None)


@pytest.mark.parametrize("options", [{"sequential": 50}, {"interval_level": "corrected", "correction": "bonferroni"}])
def test_both_forms_reach_as_far(options):
    """On its own scale each is the ratio's error times the same point: to the first order one is the other."""
    rng = random.Random(5)
    _, qrels, runs = experiment(rng, 4000, paired=True, grades=(2, 3))
    asked = {"correction": "none", **options}
    found = [
        quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", relative_interval=form, **asked).summary.dicts()[0]
        for form in ("linear", "log")
    ]
    ratio = found[0]["rel_effect_size"] + 1
    linear = [(end + 1 - ratio) / ratio for end in ends(found[0])]
    assert linear == pytest.approx([math.log((end + 1) / ratio) for end in ends(found[1])], rel=1e-6)


def test_all_roads_say_the_same(cli, tmp_path):
    rng = random.Random(6)
    _, qrels, runs = experiment(rng, 20, paired=True)
    [row] = compared(runs, qrels)
    for name, run in zip("ab", runs, strict=True):
        frame = pd.DataFrame([(query, item, 1.0) for query, [item] in run.items()])
        frame.to_csv(tmp_path / f"{name}.csv", index=False, header=["query_id", "item_id", "score"])
    judged = pd.DataFrame([(query, item, grade) for query, own in qrels.items() for item, grade in own.items()])
    judged.to_csv(tmp_path / "qrels.csv", index=False, header=["query_id", "item_id", "relevance"])
    asked = ["compare", tmp_path / "a.csv", tmp_path / "b.csv", "--qrels", tmp_path / "qrels.csv", "-m", "cg@1"]
    asked += ["--set", "relative_interval=linear", "--set", "correction=none"]
    [said] = json.loads(cli(*asked, "--format", "json").stdout)
    assert ends(said) == pytest.approx(ends(row), rel=1e-12)
    assert "linear relative intervals" in cli(*asked).stdout
    with duckdb.connect() as connection:
        for name in ("a", "b", "qrels"):
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM '{tmp_path / name}.csv'")
        text = rm.sql("cg@1", {"baseline": "a", "b": "b"}, "qrels", level="compare", **LINEAR)
        [written] = connection.execute(text).df().to_dict("records")
    assert ends(written) == pytest.approx(ends(row), rel=1e-12)


def test_draws_have_no_form():
    with pytest.raises(rm.UsageError, match=r"relative_interval=linear needs Student's t\. test=bootstrap"):
        rm.sql("ap", {"a": "a", "b": "b"}, "judged", level="compare", test="bootstrap", relative_interval="linear")
