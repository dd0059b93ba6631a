"""Geometric means compared by t in logarithms: beside scipy, with clusters, covariates, groups, and on every road."""

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

from ..conftest import DEMO, quietly
from ..everything import seeds
from .test_clusters import robust, users_of
from .test_compare import close, judged, run_of

METRICS = ("gm_map", "gm_bpref", "ndcg(aggregate=geometric)@2")
ARMS = {"design": "unpaired", "queries": "judged_retrieved"}
LEAST = 1e-5  # of what is less


def asked(rng):
    return {
        "alternative": rng.choice(["two_sided", "greater", "less"]),
        "confidence_level": rng.choice([0.95, 0.8]),
        "correction": "none",
    }


def logarithms(run, qrels):
    """Of the values of each metric over the queries of a run, some of which are 0."""
    rows = quietly(rm.evaluate, run, {query: qrels[query] for query in run}, METRICS).per_query.dicts()
    return {metric: np.log(np.maximum([row[metric] for row in rows], LEAST)) for metric in METRICS}


def drawn(seed, n_queries=None):
    rng = random.Random(seed)
    qrels = judged(rng, n_queries or rng.choice([3, 12, 60]))
    ours = run_of(rng, qrels)
    gain = seed % 2  # whether the candidate knows what is relevant
    theirs = {
        q: {item: score + 0.3 * rng.random() + gain * qrels[q][item] for item, score in items.items()}
        for q, items in ours.items()
    }
    return rng, qrels, ours, theirs


def check(row, before, after, tested, options):
    """A row beside what scipy says of the mean difference of logarithms, which is not 0."""
    level, alternative = options["confidence_level"], options["alternative"]
    difference = after.mean() - before.mean()
    assert (row["baseline"], row["candidate"]) == pytest.approx((math.exp(before.mean()), math.exp(after.mean())))
    assert row["effect_size"] == pytest.approx(row["candidate"] - row["baseline"], rel=1e-9, abs=1e-14)
    assert (row["statistic"], row["pvalue"]) == pytest.approx((tested.statistic, tested.pvalue), rel=1e-9)
    assert row["rel_effect_size"] == pytest.approx(math.expm1(difference), rel=1e-9)
    ends = tested.confidence_interval(level)
    for side, end in (("lower", ends.low), ("upper", ends.high)):
        known = math.isfinite(end)
        assert row[f"rel_effect_size_ci_{side}"] == (pytest.approx(math.expm1(end), rel=1e-8) if known else None)
        scaled = end * row["effect_size"] / difference
        assert row[f"effect_size_ci_{side}"] == (pytest.approx(scaled, rel=1e-8, abs=1e-13) if known else None)
    assert row["statistic"] == pytest.approx(row["effect_size"] / row["standard_error"], rel=1e-9)
    shown = {"two_sided": ("better", "worse"), "greater": ("better",), "less": ("worse",)}[alternative]
    verdict = "better" if difference > 0 else "worse"
    is_shown = tested.pvalue <= round(1 - level, 12) and verdict in shown
    assert row["verdict"] == ("too few queries" if row["n_units"] < 6 else verdict if is_shown else "inconclusive")


@pytest.mark.parametrize("seed", seeds(20, 5))
def test_pairs_beside_scipy(seed):
    rng, qrels, ours, theirs = drawn(seed)
    options = asked(rng)
    before, after = (logarithms(run, qrels) for run in (ours, theirs))
    found = quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, **options)
    for row in found.summary.dicts():
        first, second = before[row["metric"]], after[row["metric"]]
        changes = second - first
        if np.ptp(changes) < 1e-12:
            assert row["effect_size"] == close(row["candidate"] - row["baseline"])
            assert (row["pvalue"] in (0.5, 1)) == (abs(changes[0]) < 1e-12)
            continue
        check(
            row,
            first,
            second,
            stats.ttest_rel(second, first, alternative=options["alternative"].replace("_", "-")),
            options,
        )
        assert row["std_effect_size"] == pytest.approx(changes.mean() / changes.std(ddof=1), rel=1e-9)
    assert {row["contribution"] for row in found.per_query.dicts()} == {None}


@pytest.mark.parametrize("seed", seeds(20, 5))
def test_arms_beside_scipy(seed):
    rng, qrels, ours, theirs = drawn(seed, 30)
    options, queries, cut = asked(rng), list(qrels), rng.randint(3, 27)
    one, other = {query: ours[query] for query in queries[:cut]}, {query: theirs[query] for query in queries[cut:]}
    before, after = (logarithms(run, qrels) for run in (one, other))
    given = {**ARMS, **options}
    for row in quietly(rm.compare, one, {"b": other}, qrels, METRICS, **given).summary.dicts():
        first, second = before[row["metric"]], after[row["metric"]]
        side = options["alternative"].replace("_", "-")
        check(row, first, second, stats.ttest_ind(second, first, equal_var=False, alternative=side), options)
        spread = math.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
        assert row["std_effect_size"] == pytest.approx((second.mean() - first.mean()) / spread, rel=1e-9)


@pytest.mark.parametrize("design", ["paired", "unpaired"])
@pytest.mark.parametrize("seed", seeds(6, 2))
def test_clusters(seed, design):
    """The error of logarithms by CR2, and the degrees of freedom that it has."""
    rng, qrels, ours, theirs = drawn(seed, 40)
    users = users_of(rng, qrels, 8)
    frame = pd.DataFrame({"query_id": list(users), "user": list(users.values())}).dropna()
    qrels, ours, theirs = ({query: rows[query] for query in frame["query_id"]} for rows in (qrels, ours, theirs))
    given = {"query_list": frame, "cluster": "user"}
    if design == "unpaired":
        one = {query: ours[query] for query in ours if users[query] < "u4"}
        ours, theirs, given = one, {query: theirs[query] for query in theirs if query not in one}, given | ARMS
    of = [[users[query] for query in sorted(run)] for run in (ours, theirs)]
    before, after = (logarithms({query: run[query] for query in sorted(run)}, qrels) for run in (ours, theirs))
    for row in quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, **given).summary.dicts():
        first, second = before[row["metric"]], after[row["metric"]]
        if design == "paired":
            found = robust(second - first, of[0])
            difference, error, degrees = found.mean, found.error, found.degrees
        else:
            arms = [robust(values, own) for values, own in zip((first, second), of, strict=True)]
            difference, error = arms[1].mean - arms[0].mean, math.hypot(*(arm.error for arm in arms))
            degrees = error**4 / sum(arm.error**4 / arm.degrees for arm in arms)
        assert row["statistic"] == pytest.approx(difference / error, rel=1e-8)
        assert row["pvalue"] == pytest.approx(2 * stats.t.sf(abs(difference / error), degrees), rel=1e-7)
        end = math.expm1(difference + error * stats.t.ppf(0.975, degrees))
        assert row["rel_effect_size_ci_upper"] == pytest.approx(end, rel=1e-7)


def test_a_difference_says_what_its_ratio_says():
    """Both intervals leave out nothing where p is small, whatever the level of the means is."""
    said = set()
    for seed in range(6):
        _, qrels, ours, theirs = drawn(seed, 20)
        exchanged = {"correction": "none", "baseline": "b"}
        back = quietly(rm.compare, theirs, {"a": ours}, qrels, METRICS, **exchanged).summary.dicts()
        for row in quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, correction="none").summary.dicts():
            for name in ("effect_size", "rel_effect_size"):
                lower, upper = row[f"{name}_ci_lower"], row[f"{name}_ci_upper"]
                assert (lower > 0 or upper < 0) == bool(row["significant"])
            said.add(row["significant"])
            [other] = [each for each in back if each["metric"] == row["metric"]]
            assert other["effect_size_ci_lower"] == pytest.approx(-row["effect_size_ci_upper"], rel=1e-9, abs=1e-13)
    assert said == {0, 1}


def test_what_is_equal_does_not_differ():
    _, qrels, ours, _ = drawn(1, 12)
    for row in quietly(rm.compare, ours, {"b": ours}, qrels, METRICS).summary.dicts():
        assert (row["effect_size"], row["pvalue"], row["rel_effect_size"], row["n_units"]) == (0, 1, 0, 0)
    one, other = ({query: ours[query] for query in own} for own in (["q0"], ["q1"]))
    [row] = quietly(rm.compare, one, {"b": other}, qrels, "gm_map", **ARMS).summary.dicts()
    assert (row["standard_error"], row["pvalue"]) == (None, None)
    said = quietly(rm.compare, one, {"b": other}, qrels, "gm_map", **ARMS).warnings
    assert "gm_map: no interval and no p-value, because both need two queries in each arm." in said


def test_small_differences_keep_their_digits():
    """Means that differ in the tenth digit, of 2,000 queries: as far as both logarithms are known."""
    with duckdb.connect() as con:
        con.execute("CREATE TABLE labels AS SELECT range AS query_id, 'a' AS item_id, 1 AS relevance FROM range(2000)")
        con.execute("CREATE TABLE old AS SELECT range AS query_id, 'a' AS item_id, 1 AS score FROM range(2000)")
        con.execute("CREATE TABLE new AS SELECT * FROM old UNION ALL SELECT 1, 'b', 2")
        given = {"connection": con, "metrics": "ap(aggregate=geometric)"}
        [row] = quietly(rm.compare, "old", "new", "labels", **given).summary.dicts()
    difference = -math.log(2) / 2000
    assert row["effect_size"] == pytest.approx(math.expm1(difference), rel=1e-11)
    assert row["rel_effect_size"] == pytest.approx(math.expm1(difference), rel=1e-11)
    assert row["statistic"] == pytest.approx(-1, rel=1e-9)


def test_nothing_else_is_asked_of_them():
    statement = ("gm_map", {"a": "runs", "b": "others"}, "judged")
    message = "geometric means are compared by their ratio, but a margin is a difference of means"
    for given in (
        {"margin": 0.1, "alternative": "greater"},
        {"margin": 0.1, "alternative": "equivalence"},
        {"margin": 0.1, "alternative": "less", "design": "unpaired"},
    ):
        with pytest.raises(rm.UsageError, match=message):
            rm.sql(*statement, level="compare", **given)
    _, qrels, ours, theirs = drawn(1, 12)
    with pytest.raises(rm.UsageError, match=message):
        rm.compare(ours, {"b": theirs}, qrels, ["ap", "gm_map"], limits={"gm_map": 0.01})
    ap, mean = quietly(
        rm.compare, ours, {"b": theirs}, qrels, ["ap", "gm_map"], limits={"gm_map": 0, "ap": 0.1}
    ).summary.dicts()
    assert (ap["metric"], mean["verdict"] in ("worse", "not worse", "inconclusive")) == ("ap", True)
    for test in ("bootstrap", "randomisation"):
        [row] = quietly(rm.compare, ours, {"b": theirs}, qrels, "gm_map", test=test, resamples=100).summary.dicts()
        assert (row["pvalue"], row["standard_error"]) == (None, None)


def test_every_road_has_them(cli):
    runs = [f"{DEMO}/covidex.t5.run.gz", f"{DEMO}/covidex.sim.run.gz", "--qrels", f"{DEMO}/qrels.txt"]
    asked = ["compare", *runs, "-m", "gm_map", "--format"]
    [row] = json.loads(cli(*asked, "json").stdout)
    assert row["verdict"] == "worse"
    for form in ("table", "markdown", "csv"):
        assert "worse" in cli(*asked, form).stdout
    assert "$^{*}$" in cli(*asked, "latex").stdout
    assert cli(*asked, "csv", "--fail-if", "gm_map worse").exit_code == 3
