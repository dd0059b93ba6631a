"""Every pair of runs at once: by the residual of queries and systems, and of two runs the paired t."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import rankmetrics_sql as rm

from .conftest import quietly
from .everything import seeds
from .test_compare import METRICS, judged, run_of, values_of


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


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ({"a": {"q": ["x"]}}, {}, "two or more runs"),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"design": "unpaired"}, r"design is of compare\(\)"),
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
