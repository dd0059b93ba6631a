"""Every pair of runs at once: by the residual of queries and systems, and of two runs the paired t; by permutations.

Permutations are all enumerated here; drawn ones are within what chance leaves, five errors of Monte Carlo.
"""

from __future__ import annotations

import random
from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy import stats

import rankmetrics_sql as rm

from .conftest import quietly
from .everything import seeds
from .test_compare import METRICS, judged, run_of, values_of

RESAMPLES = 20_000


@pytest.mark.parametrize("seed", seeds(12, 3))
def test_all_pairs_are_tested_by_one_spread(seed):
    rng = random.Random(seed)
    qrels = judged(rng, rng.choice([2, 3, 12, 50]))
    runs = {name: run_of(rng, qrels) for name in "abcde"[: rng.choice([2, 3, 5])]}
    level = rng.choice([0.95, 0.8])
    found = quietly(rm.tukey, runs, qrels, METRICS, confidence_level=level)
    values = {name: values_of(run, qrels) for name, run in runs.items()}
    assert len(found.sql) == len(runs) - 1
    assert [(row["metric"], row["baseline_run"], row["run"]) for row in found.summary] == [
        (metric, *pair) for metric in METRICS for pair in combinations(runs, 2)
    ]
    for row in found.summary:
        table = np.array([values[name][row["metric"]] for name in runs])
        k, n = table.shape
        rest = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
        degrees = (k - 1) * (n - 1)
        error = np.sqrt((rest**2).sum() / degrees / n)
        effect = (values[row["run"]][row["metric"]] - values[row["baseline_run"]][row["metric"]]).mean()
        if error < 1e-12:
            continue
        assert row["effect_size"] == pytest.approx(effect, abs=1e-12)
        assert row["standard_error"] == pytest.approx(error, rel=1e-9)
        assert row["pvalue_adj"] == pytest.approx(stats.studentized_range.sf(abs(effect) / error, k, degrees), rel=1e-6)
        reach = stats.studentized_range.ppf(level, k, degrees) * error
        ends = [row["effect_size_ci_lower"], row["effect_size_ci_upper"]]
        assert ends == pytest.approx([effect - reach, effect + reach], rel=1e-6, abs=1e-9)
        assert row["significant"] == int(row["pvalue_adj"] <= 1 - level)
        assert row["n_queries"] == n


def test_of_two_runs_it_is_the_paired_t():
    rng = random.Random(4)
    qrels = judged(rng, 30)
    runs = {name: run_of(rng, qrels) for name in "ab"}
    pairs = quietly(rm.tukey, runs, qrels, METRICS).summary
    plain = quietly(rm.compare, runs["a"], {"b": runs["b"]}, qrels, METRICS, baseline="a").summary.dicts()
    for one, other in zip(pairs, plain, strict=True):
        assert one["pvalue_adj"] == pytest.approx(other["pvalue"], rel=1e-6)
        assert one["effect_size_ci_lower"] == pytest.approx(other["effect_size_ci_lower"], abs=1e-6)


def test_equal_runs_and_certain_differences():
    qrels = {query: {"x": 1} for query in "abc"}
    right, wrong = {query: ["x"] for query in qrels}, {query: ["y", "x"] for query in qrels}
    found = quietly(rm.tukey, {"one": right, "same": right, "other": wrong}, qrels, "rr").summary
    assert [(row["effect_size"], row["pvalue_adj"]) for row in found] == [(0, 1), (-0.5, 0), (-0.5, 0)]


def test_one_query_says_nothing_of_spread():
    found = quietly(rm.tukey, {"one": {"a": ["x"]}, "other": {"a": ["y", "x"]}}, {"a": {"x": 1}}, "rr").summary
    assert [(row["effect_size"], row["standard_error"], row["pvalue_adj"]) for row in found] == [(-0.5, None, None)]


def exactly(table):
    """The share of all permutations whose range is as far as each difference, by the pair."""
    ranges = np.array([np.ptp(np.mean(chosen, axis=0)) for chosen in product(*map(permutations, table))])
    means = table.mean(axis=0)
    pairs = combinations(range(table.shape[1]), 2)
    return {(one, other): (ranges >= abs(means[other] - means[one]) - 1e-12).mean() for one, other in pairs}


def near(share):
    """A share of drawn permutations."""
    return pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / RESAMPLES) + 1 / RESAMPLES)


@pytest.mark.parametrize(("n_runs", "n_queries"), [(2, 2), (2, 7), (3, 2), (3, 4), (4, 3), (5, 2)])
def test_permutations_are_drawn_out_of_all(n_runs, n_queries):
    rng = random.Random(n_runs * 10 + n_queries)
    qrels = judged(rng, n_queries)
    runs = {name: run_of(rng, qrels) for name in "abcde"[:n_runs]}
    given = {"test": "randomisation", "resamples": RESAMPLES, "seed": 3, "confidence_level": 0.8}
    found = quietly(rm.tukey, runs, qrels, METRICS, **given)
    plain = quietly(rm.tukey, runs, qrels, METRICS, confidence_level=0.8).summary
    values = {name: values_of(run, qrels) for name, run in runs.items()}
    assert len(found.sql) == n_runs
    shares = {metric: exactly(np.array([values[name][metric] for name in runs]).T) for metric in METRICS}
    names = list(runs)
    for row, other in zip(found.summary, plain, strict=True):
        share = shares[row["metric"]][names.index(row["baseline_run"]), names.index(row["run"])]
        assert row["pvalue_adj"] == near(share)
        assert row["significant"] == int(row["pvalue_adj"] <= 1 - 0.8)
        said = row.keys() - {"pvalue_adj", "significant", "test"}
        assert (row["test"], {name: row[name] for name in said}) == (
            "randomised_tukey",
            {name: other[name] for name in said},
        )


@pytest.mark.parametrize("seed", seeds(6, 2))
def test_of_two_runs_it_is_the_randomisation_test(seed):
    rng = random.Random(seed)
    qrels = judged(rng, 9)
    runs = {name: run_of(rng, qrels) for name in "ab"}
    first, second = (values_of(run, qrels) for run in runs.values())
    given = {"test": "randomisation", "resamples": RESAMPLES, "seed": seed}
    for row in quietly(rm.tukey, runs, qrels, METRICS, **given).summary:
        pair = second[row["metric"]], first[row["metric"]]
        exact = stats.permutation_test(pair, lambda x, y: np.mean(x - y), permutation_type="samples", vectorized=False)
        assert row["pvalue_adj"] == near(exact.pvalue)


def test_a_seed_draws_the_same_however_much_is_drawn_at_once(monkeypatch):
    rng = random.Random(1)
    qrels = judged(rng, 12)
    runs = {name: run_of(rng, qrels) for name in "abc"}

    def drawn(**given):
        rows = quietly(rm.tukey, runs, qrels, METRICS, test="randomisation", **given).summary
        return [row["pvalue_adj"] for row in rows]

    first = drawn(resamples=150, seed=1)
    assert all(value * 151 == pytest.approx(round(value * 151)) for value in first)
    assert first != drawn(resamples=150, seed=2)
    monkeypatch.setattr("rankmetrics_sql.evaluation.tukey._BLOCK", 12 * 3 * 7)
    assert first == drawn(resamples=150, seed=1)


def test_what_permutations_say_without_spread_or_without_the_same_queries():
    qrels = {query: {"x": 1} for query in "abc"}
    right, wrong = {query: ["x"] for query in qrels}, {query: ["y", "x"] for query in qrels}
    found = quietly(rm.tukey, {"one": right, "same": right}, qrels, "rr", test="randomisation").summary
    assert [(row["effect_size"], row["pvalue_adj"]) for row in found] == [(0, 1)]
    runs = {"one": right, "two": {"a": ["y", "x"], "b": ["x"]}, "three": wrong}
    found = quietly(rm.tukey, runs, qrels, "rr", test="randomisation", queries="judged_retrieved").summary
    assert [(row["pvalue_adj"], row["significant"]) for row in found] == [(None, None)] * 3


def test_pairs_with_as_many_queries_that_are_others():
    """Each pair shares a query, and no query is of all three."""
    qrels = {query: {"x": 1} for query in "abc"}
    runs = {"one": "ab", "two": "bc", "three": "ca"}
    lists = {name: {query: ["x"] if query != name[0] else ["y", "x"] for query in of} for name, of in runs.items()}
    found = quietly(rm.tukey, lists, qrels, "rr", test="randomisation", queries="judged_retrieved").summary
    assert [row["pvalue_adj"] for row in found] == [None] * 3


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ({"a": {"q": ["x"]}}, {}, "two or more runs"),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"design": "unpaired"}, r"design is of compare\(\)"),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"test": "sign"}, r"test=sign is of compare\(\); .* t and randomis"),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"test": "randomization"}, "Did you mean 'randomisation'"),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"resamples": 99}, "tukey: resamples cannot be 99"),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"seed": -1}, "seed cannot be -1"),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"confidence": 0.9}, "confidence_level"),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"confidence_level": 2}, "confidence_level cannot be 2"),
    ],
)
def test_what_it_cannot_be_asked(runs, options, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.tukey(runs, {"q": {"x": 1}}, "rr", **options)


def test_without_scipy(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy.stats", None)
    with pytest.raises(rm.UsageError, match=r"tukey needs SciPy: pip install 'rankmetrics-sql\[stats\]'"):
        rm.tukey({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"q": {"x": 1}}, "rr")
