"""What else a comparison is asked: a margin, a power, and intervals that hold at any time."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy import optimize, stats

import rankmetrics_sql as rm
from rankmetrics_sql.report.sentences import verdict

from ..conftest import quietly
from ..everything import one_in, seeds
from .test_compare import METRICS, judged, pair, run_of


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("seed", seeds(10, 1))
def test_not_worse_by_a_margin(seed, alternative):
    """The t test of scipy against an effect that is worse by the margin; the interval stays that of the effect."""
    rng, qrels, ours, theirs, *_ = pair(seed)
    margin = rng.choice([0, 0.01, 0.2])
    null, metrics = (-margin, METRICS) if alternative == "greater" else (margin, ["fallout@3", "unj@2"])
    given = {"margin": margin, "alternative": alternative}
    rows = quietly(rm.compare, ours, {"b": theirs}, qrels, metrics, **given).summary.dicts()
    plain = quietly(rm.compare, ours, {"b": theirs}, qrels, metrics, alternative=alternative).summary.dicts()
    shared = {query: qrels[query] for query in ours if query in theirs}
    values = [quietly(rm.evaluate, run, shared, metrics).per_query.dicts() for run in (ours, theirs)]
    for row, other in zip(rows, plain, strict=True):
        before, after = (np.array([query[row["metric"]] for query in own]) for own in values)
        if np.ptp(after - before) == 0:  # certain, without a statistic
            assert (row["statistic"], row["pvalue"]) == (None, 0 if margin else 1)
            continue
        found = stats.ttest_1samp(after - before, null, alternative=alternative)
        assert (row["statistic"], row["pvalue"]) == pytest.approx((found.statistic, found.pvalue), rel=1e-9)
        assert row["effect_size_ci_lower"] == pytest.approx(other["effect_size_ci_lower"], abs=1e-12)


def test_what_is_equal_is_not_worse():
    """Without any spread: certainly not worse by a margin, and by none it cannot be told."""
    run, qrels = {"a": ["x"], "b": ["x"]}, {"a": {"x": 1}, "b": {"x": 1}}
    for margin, wanted in ((0.01, (0, 1)), (0, (1, 0))):
        given = {"margin": margin, "alternative": "greater"}
        [row] = quietly(rm.compare, run, {"same": run}, qrels, "rr", **given).summary.dicts()
        assert (row["pvalue"], row["significant"]) == wanted


@pytest.mark.parametrize("alternative", ["two_sided", "greater"])
@pytest.mark.parametrize("seed", seeds(10))
def test_power_is_the_sum_of_two_quantiles(seed, alternative):
    rng, qrels, ours, theirs, *values = pair(20 + seed)
    level, power = rng.choice([0.95, 0.8]), rng.choice([0.8, 0.9, 0.51])
    given = {"power": power, "confidence_level": level, "alternative": alternative}
    for row in quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, **given).summary.dicts():
        differences = values[1][row["metric"]] - values[0][row["metric"]]
        degrees = len(differences) - 1
        beyond = (1 - level) / (2 if alternative == "two_sided" else 1) / len(METRICS)  # at Holm's first step
        least = (stats.t.ppf(1 - beyond, degrees) + stats.t.ppf(power, degrees)) * stats.sem(differences)
        assert row["min_detectable_effect"] == (pytest.approx(least, rel=1e-5) if row["n_units"] >= 6 else None)


@pytest.mark.parametrize(("test", "design"), [("wilcoxon", "paired"), ("sign", "paired"), ("mann_whitney", "unpaired")])
def test_no_formula_holds_for_ranks(test, design):
    _, qrels, ours, theirs, *_ = pair(20)
    [row] = quietly(rm.compare, ours, {"b": theirs}, qrels, "ap", power=0.8, test=test, design=design).summary.dicts()
    assert (row["min_detectable_effect"], row["n_queries_needed"]) == (None, None)


def test_no_number_of_queries_finds_no_effect():
    run, qrels = {"a": ["x"], "b": ["y", "x"]}, {"a": {"x": 1}, "b": {"x": 1}}
    [row] = quietly(rm.compare, run, {"same": run}, qrels, "rr", power=0.8).summary.dicts()
    assert (row["min_detectable_effect"], row["n_queries_needed"]) == (None, None)


@pytest.mark.parametrize("level", [0.5, 0.999, 0.99999])
@pytest.mark.parametrize("n_queries", one_in(2, [2, 3, 4, 5, 8, 300]))
def test_the_ends_of_far_levels(n_queries, level):
    """Few queries have the longest tails, at the last level and power allowed."""
    rng = random.Random(n_queries)
    qrels = judged(rng, n_queries)
    ours, theirs = run_of(rng, qrels), run_of(rng, qrels)
    given = {"confidence_level": level, "power": max(level, 0.51)}
    [row] = quietly(rm.compare, ours, {"b": theirs}, qrels, "ap", **given).summary.dicts()
    reach = stats.t.ppf((1 + level) / 2, n_queries - 1) * row["standard_error"]
    assert row["effect_size"] - row["effect_size_ci_lower"] == pytest.approx(reach, rel=1e-9)
    least = reach + stats.t.ppf(given["power"], n_queries - 1) * row["standard_error"]
    assert row["min_detectable_effect"] == (pytest.approx(least, rel=1e-9) if row["n_units"] >= 6 else None)


def half_width(error, n, level, tuning):
    """GrowthBook's, as its documentation writes it."""
    alpha = 1 - level
    rho = math.sqrt((-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / tuning)
    inside = 2 * (n * rho**2 + 1) / (n**2 * rho**2) * math.log(math.sqrt(n * rho**2 + 1) / alpha)
    return error * math.sqrt(n) * math.sqrt(inside)


@pytest.mark.parametrize("design", ["paired", "unpaired"])
@pytest.mark.parametrize("seed", seeds(10, 1))
def test_intervals_that_hold_at_any_time(seed, design):
    rng, qrels, ours, theirs, *_ = pair(60 + seed)
    level, tuning = rng.choice([0.95, 0.8]), rng.choice([1, 100, 5000])
    given = {"confidence_level": level, "design": design}
    rows = quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, sequential=tuning, **given).summary.dicts()
    plain = quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, **given).summary.dicts()
    for row, other in zip(rows, plain, strict=True):
        n, error, effect = row["n_queries"], other["standard_error"], other["effect_size"]
        reach = half_width(error, n, level, tuning)
        assert row["test"] == "sequential"
        ends = [row["effect_size_ci_lower"], row["effect_size_ci_upper"]]
        assert ends == pytest.approx([effect - reach, effect + reach], rel=1e-9, abs=1e-12)
        relative = math.log(row["rel_effect_size_ci_upper"] + 1) - math.log(row["rel_effect_size"] + 1)
        assert relative / math.log((row["rel_effect_size"] + 1) / (row["rel_effect_size_ci_lower"] + 1)) == (
            pytest.approx(1, rel=1e-8)
        )
        assert row["significant"] in (0, 1)


@pytest.mark.parametrize("effect", [0.1, 0.5])
def test_the_p_value_is_the_level_at_which_an_interval_ends_at_nothing(effect):
    """Of a sequence tuned for .95: the level is sought for which its half-width is the effect."""
    n, tuning = 400, 300
    rng = np.random.default_rng(5)
    grades = 50 + effect + rng.normal(0, 3, n)
    qrels = {f"q{number}": {"x": float(grade), "y": 50.0} for number, grade in enumerate(grades)}
    ours, theirs = ({query: [item] for query in qrels} for item in "yx")
    given = {"sequential": tuning, "correction": "none"}
    [row] = quietly(rm.compare, ours, {"b": theirs}, qrels, "cg@1", **given).summary.dicts()
    chance = 1 - 0.95
    rho = math.sqrt((-2 * math.log(chance) + math.log(1 - 2 * math.log(chance))) / tuning)

    def missing(logarithm):
        inside = 2 * (n * rho**2 + 1) / (n**2 * rho**2) * (math.log(math.sqrt(n * rho**2 + 1)) - logarithm)
        return stats.sem(grades) * math.sqrt(n * inside) - abs(grades.mean() - 50)

    wanted = math.exp(optimize.brentq(missing, -400, math.log(math.sqrt(n * rho**2 + 1))))
    assert row["pvalue"] == pytest.approx(min(1, wanted), rel=1e-6)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"margin": 0.1}, "margin=0.1 needs a side: alternative=greater tests whether the effect is above -0.1"),
        ({"margin": -0.1, "alternative": "greater"}, "margin cannot be -0.1"),
        ({"margin": 0.1, "alternative": "greater", "test": "sign"}, "margin=0.1 is tested by t alone"),
        ({"power": 0.5}, "power cannot be 0.5"),
        ({"power": 1}, "power cannot be 1"),
        ({"power": 0.999999999}, "Expected a number at most 0.99999 and above 0.5"),
        ({"confidence_level": 0.9999999999999999}, "Expected a number at most 0.99999 and above 0"),
        ({"confidence_level": 0.3, "alternative": "greater"}, "Pass a level of at least 0.5"),
        ({"sequential": True}, "sequential cannot be True"),
        ({"sequential": 0}, "sequential cannot be 0"),
        ({"sequential": 100, "alternative": "less"}, "which are two-sided"),
        ({"sequential": 100, "power": 0.8}, "Omit alternative, test and power"),
    ],
)
def test_what_does_not_go_together_is_refused(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.sql("ap", {"a": "runs", "b": "others"}, "judged", level="compare", **given)


def test_a_verdict_by_a_margin_says_not_worse():
    run, qrels = {f"q{n}": ["a", "b"] for n in range(9)}, {f"q{n}": {"a": 1} for n in range(9)}
    other = {name: ["b", "a"] if name > "q2" else items for name, items in run.items()}
    asked = {"margin": 0.9, "alternative": "greater"}
    found = quietly(rm.compare, run, {"b": other}, qrels, "rr", **asked)
    assert "* not lower by more than 0.9, p at most 0.05" in repr(found)
    claim = "b is not worse than baseline in rr by more than "
    for margin, words in ((0.95, claim), (0.001, f"It is not shown that {claim}")):
        found = quietly(rm.compare, run, {"b": other}, qrels, "rr", **asked | {"margin": margin})
        [sentence] = verdict(found.summary.dicts(), found.options, found.better, found.counts)
        assert sentence.text.startswith(f"{words}{margin}: 0.3333 lower ")
        assert ("better" in sentence.text, sentence.kind) == (False, "better" if margin == 0.95 else "uncertain")
