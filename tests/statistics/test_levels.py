"""Intervals at the level of a correction, beside scipy's quantiles and the corrections of statsmodels."""

from __future__ import annotations

import math
import random

import pytest
from scipy import optimize, stats
from statsmodels.stats.multitest import multipletests

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import each_once, seeds
from .test_compare import METRICS, judged, run_of

NAMES = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh", "by": "fdr_by"}


def shares(pvalues, alpha, correction):
    """What part of alpha each interval of a family has, by the paper."""
    m = len(pvalues)
    if correction in ("holm", "bonferroni"):
        return 1 / m
    rejected = max(1, multipletests(pvalues, alpha, NAMES[correction])[0].sum())
    return rejected / m / (sum(1 / place for place in range(1, m + 1)) if correction == "by" else 1)


@pytest.mark.parametrize(("family", "correction"), each_once(["all", "metric", "group"], NAMES))
@pytest.mark.parametrize("seed", seeds(12, 1))
def test_the_ends_are_at_the_level_of_the_family(seed, correction, family):
    rng = random.Random(seed)
    qrels = judged(rng, rng.choice([2, 3, 4, 5, 12, 60]))
    best = {query: {item: grade + rng.random() / 2 for item, grade in items.items()} for query, items in qrels.items()}
    candidates = {"b": run_of(rng, qrels), "c": best}
    level, alternative = rng.choice([0.95, 0.8, 0.99999]), rng.choice(["two_sided", "greater", "less"])
    given = {"correction": correction, "family": family, "confidence_level": level, "alternative": alternative}
    given |= {"design": rng.choice(["paired", "unpaired"]), "power": 0.8}
    baseline = run_of(rng, qrels)
    asked = (rm.compare, baseline, candidates, qrels, METRICS)
    rows = quietly(*asked, interval_level="corrected", **given).summary.dicts()
    plain = quietly(*asked, **given).summary.dicts()
    for row, other in zip(rows, plain, strict=True):
        own = [one["pvalue"] for one in plain if family != "metric" or one["metric"] == row["metric"]]
        beyond = (1 - level) * shares(own, 1 - level, correction) / (2 if alternative == "two_sided" else 1)
        assert row["pvalue_adj"] == pytest.approx(other["pvalue_adj"], rel=1e-12, abs=1e-300)
        assert row["significant"] == other["significant"]
        known = "greater" if alternative == "greater" else "less"
        end = f"_ci_{'lower' if known == 'greater' else 'upper'}"
        if not other["standard_error"]:
            continue
        degrees = degrees_of(other, level, alternative, end)
        wanted = stats.t.isf(beyond, degrees) * row["standard_error"]
        assert abs(row["effect_size" + end] - row["effect_size"]) == pytest.approx(wanted, rel=1e-5)
        if given["design"] == "paired":
            least = wanted + stats.t.ppf(0.8, degrees) * row["standard_error"]
            assert row["min_detectable_effect"] == pytest.approx(least, rel=1e-5)
        relative = [one["rel_effect_size" + end] for one in (row, other)]
        if None in relative or min(relative) < -0.999:  # of the logarithm too few digits are left
            continue
        at, nominal, own = (
            math.log1p(value)
            for value in (row["rel_effect_size" + end], other["rel_effect_size" + end], row["rel_effect_size"])
        )
        if given["design"] == "paired":
            ratio = stats.t.isf(beyond, degrees) / stats.t.isf(beyond_of(level, alternative), degrees)
            assert (at - own) / (nominal - own) == pytest.approx(ratio, rel=1e-5)


def beyond_of(level, alternative):
    return (1 - level) / (2 if alternative == "two_sided" else 1)


def degrees_of(row, level, alternative, end):
    """Those that the nominal interval has: of pairs n - 1, of arms what the p-value says."""
    if row["n_higher"] is not None:
        return row["n_queries"] - 1
    reach = abs(row["effect_size" + end] - row["effect_size"]) / row["standard_error"]
    beyond = beyond_of(level, alternative)
    return optimize.brentq(lambda degrees: stats.t.isf(beyond, degrees) - reach, 0.9, row["n_queries"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"correction": "none"}, "and correction=none corrects nothing"),
        ({"test": "bootstrap"}, "needs Student's t"),
        ({"sequential": 100}, "needs Student's t"),
    ],
)
def test_what_has_no_such_level_is_refused(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.sql("ap", {"a": "r", "b": "s"}, "judged", level="compare", interval_level="corrected", **given)


def test_one_effect_has_the_nominal_level():
    rng = random.Random(3)
    qrels = judged(rng, 20)
    asked = (rm.compare, run_of(rng, qrels), {"b": run_of(rng, qrels)}, qrels, "ap")
    [row], [other] = (quietly(*asked, interval_level=level).summary.dicts() for level in ("corrected", "nominal"))
    assert row["effect_size_ci_lower"] == pytest.approx(other["effect_size_ci_lower"], rel=1e-9)
    assert "p and intervals corrected over 1 test" in repr(quietly(*asked, interval_level="corrected"))
