"""Tests of ranks, by the normal distribution: scipy's, of differences and values that tie as ours do."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import seeds
from .test_compare import METRICS, close, judged, pair, run_of, values_of

ALTERNATIVES = ["two_sided", "greater", "less"]


def tied(values):
    """Numbers that differ by the rounding of their sums are equal."""
    return np.round(values, 12)


@pytest.mark.parametrize("seed", seeds(24, 3))
def test_wilcoxon_is_that_of_scipy(seed):
    alternative = ALTERNATIVES[seed % 3]
    _, qrels, ours, theirs, *values = pair(seed, [2, 3, 7, 50, 300])
    given = {"test": "wilcoxon", "alternative": alternative, "exact": "never"}
    for row in quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, **given).summary.dicts():
        differences = tied(values[1][row["metric"]] - values[0][row["metric"]])
        assert row["test"] == "wilcoxon"
        if not differences.any():
            assert row["pvalue"] == 1
            continue
        asked = {"zero_method": "wilcox", "correction": False, "method": "asymptotic"}
        found = stats.wilcoxon(differences, alternative=alternative.replace("_", "-"), **asked)
        assert row["statistic"] == found.statistic
        assert row["pvalue"] == pytest.approx(found.pvalue, rel=1e-9)


@pytest.mark.parametrize("seed", seeds(12, 3))
def test_signs_are_those_of_mcnemar(seed):
    """Of two sides it is McNemar's test of the counts, without correction; of one, half of that or the rest."""
    alternative = ALTERNATIVES[seed % 3]
    _, qrels, ours, theirs, *_ = pair(40 + seed, [3, 7, 50, 300])
    given = {"test": "sign", "alternative": alternative, "exact": "never"}
    for row in quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, **given).summary.dicts():
        higher, lower = row["n_higher"], row["n_lower"]
        assert row["statistic"] == higher
        wanted = mcnemar([[0, higher], [lower, 0]], exact=False, correction=False).pvalue if higher + lower else 1
        if alternative != "two_sided" and higher + lower:
            agrees = higher > lower if alternative == "greater" else higher < lower
            wanted = wanted / 2 if agrees else 1 - wanted / 2
        assert row["pvalue"] == pytest.approx(wanted, rel=1e-9)


def arms_by_ranks(test, seed, alternative):
    """Each of two candidates against the baseline, whose values tie with those of both: rows and values of arms."""
    rng = random.Random(80 + seed)
    qrels = judged(rng, rng.choice([12, 50, 300]))
    queries = sorted(qrels)
    cuts = sorted(rng.sample(range(2, len(queries) - 2), 2))
    arms = dict(zip("abc", (queries[: cuts[0]], queries[cuts[0] : cuts[1]], queries[cuts[1] :]), strict=True))
    runs = {name: run_of(rng, {query: qrels[query] for query in arm}) for name, arm in arms.items()}
    given = {"test": test, "alternative": alternative, "design": "unpaired", "queries": "judged_retrieved"}
    values = {name: values_of(run, qrels) for name, run in runs.items()}
    candidates = {name: runs[name] for name in "bc"}
    for row in quietly(rm.compare, runs["a"], candidates, qrels, METRICS, baseline="a", **given).summary.dicts():
        yield row, *(tied(values[name][row["metric"]]) for name in ("a", row["run"]))


@pytest.mark.parametrize("seed", seeds(24, 3))
def test_arms_are_those_of_mann_and_whitney(seed):
    alternative = ALTERNATIVES[seed % 3]
    for row, first, second in arms_by_ranks("mann_whitney", seed, alternative):
        if len({*first, *second}) == 1:
            assert row["pvalue"] == 1
            continue
        asked = {"use_continuity": True, "method": "asymptotic"}
        found = stats.mannwhitneyu(second, first, alternative=alternative.replace("_", "-"), **asked)
        assert row["statistic"] == found.statistic
        assert row["pvalue"] == pytest.approx(found.pvalue, rel=1e-9)
        assert row["prob_superiority"] == pytest.approx(found.statistic / len(first) / len(second))


def brunner_munzel(first, second, alternative):
    """The statistic and p-value of scipy's, and of arms that do not overlap those of counting."""
    above = np.mean([(x < y) + (x == y) / 2 for x in first for y in second])
    if above in (0, 1):
        towards = {"two_sided": True, "greater": above == 1, "less": above == 0}[alternative]
        ways = math.comb(len(first) + len(second), len(first))
        return None, (2 if alternative == "two_sided" else 1) / ways if towards else 1
    if len({*first, *second}) == 1 or min(len(first), len(second)) == 1:
        return None, 1 if above == 0.5 else None
    other = {"two_sided": "two-sided", "greater": "less", "less": "greater"}[alternative]  # scipy's first is ours above
    found = stats.brunnermunzel(first, second, alternative=other)
    return found.statistic, found.pvalue


@pytest.mark.parametrize("seed", seeds(24, 3))
def test_arms_are_those_of_brunner_and_munzel(seed):
    """Random arms with ties, and what is cut of these so that some do not overlap, or are all equal."""
    alternative = ALTERNATIVES[seed % 3]
    for row, first, second in arms_by_ranks("brunner_munzel", seed, alternative):
        statistic, pvalue = brunner_munzel(first, second, alternative)
        assert (row["statistic"], row["pvalue"]) == (close(statistic), close(pvalue))
    rng = random.Random(seed)
    for _ in range(6):
        n, levels, shift = rng.randint(2, 60), rng.choice([1, 2, 5]), rng.choice([0, 1, 5, -5])
        old = {f"a{i}": rng.randrange(levels) + 5 for i in range(n)}
        new = {f"b{i}": rng.randrange(levels) + 5 + shift for i in range(rng.randint(2, 60))}
        qrels = {query: {"x": 1} for query in (*old, *new)}
        runs = [{query: [*map(str, range(place)), "x"] for query, place in arm.items()} for arm in (old, new)]
        given = {
            "test": "brunner_munzel",
            "alternative": alternative,
            "design": "unpaired",
            "queries": "judged_retrieved",
        }
        [row] = quietly(rm.compare, runs[0], {"new": runs[1]}, qrels, "rr", **given).summary.dicts()
        statistic, pvalue = brunner_munzel(
            *([1 / (place + 1) for place in arm.values()] for arm in (old, new)), alternative
        )
        assert (row["statistic"], row["pvalue"]) == (close(statistic), close(pvalue))


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_equal_runs_have_a_probability_of_one(test):
    run, qrels = {"a": ["x"], "b": ["y", "x"]}, {"a": {"x": 1}, "b": {"x": 1}}
    [row] = quietly(rm.compare, run, {"same": run}, qrels, "rr", test=test).summary.dicts()
    assert (row["effect_size"], row["pvalue"], row["significant"]) == (0, 1, 0)


def test_far_scores_are_not_nothing():
    """1,200 queries of which all are higher: the normal distribution still has a number for it, down to 1e-300."""
    queries = {f"q{number}": {"x": 1} for number in range(1200)}
    old, new = (dict.fromkeys(queries, items) for items in (["y", "x"], ["x"]))
    [row] = quietly(rm.compare, old, {"new": new}, queries, "rr", test="sign").summary.dicts()
    assert row["pvalue"] == pytest.approx(2 * stats.norm.sf(1200**0.5), rel=1e-9)


def test_ranks_of_many_queries_are_warned_of():
    queries = {f"q{number}": {"x": 1} for number in range(1001)}
    old, new = ({query: ["y", "x"] if number % 3 else ["x"] for number, query in enumerate(queries)} for _ in "ab")
    new |= {f"q{number}": ["x"] for number in range(20)}
    with pytest.warns(rm.RankmetricsWarning, match="test=wilcoxon over 1,001 queries finds differences"):
        rm.compare(old, {"new": new}, queries, "rr", test="wilcoxon")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"test": "mann_whitney"}, "test=mann_whitney needs arms"),
        ({"test": "brunner_munzel"}, "test=brunner_munzel needs arms"),
        ({"test": "brunner_munzel", "design": "unpaired", "cluster": "user"}, "test=brunner_munzel counts each query"),
        ({"test": "sign", "design": "unpaired"}, "test=sign needs pairs"),
        ({"test": "wilcoxon", "cluster": "user"}, "test=wilcoxon counts each query on its own"),
        ({"test": "wilcoxn"}, "Did you mean 'wilcoxon'"),
    ],
)
def test_what_does_not_go_together_is_refused(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.sql("ap", {"a": "runs", "b": "others"}, "judged", level="compare", **given)
