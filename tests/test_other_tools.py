"""Comparisons beside tools for experiments: tea-tasting, GrowthBook's gbstats, and arch's bootstrap.

The values of each query are the grade of its only item, so that what the tools get is what they compare. One process of
each tool answers all questions.
"""

from __future__ import annotations

import math
import random

import pytest
from scipy import stats

import rankmetrics_sql as rm

from . import tools
from .conftest import quietly

ALTERNATIVES = ["two_sided", "greater", "less"]
LEVELS = [0.95, 0.8, 0.99]
SEEDS = range(9)

# Resamples of ours and of theirs, of a chance of their own each.
RESAMPLES = 10_000


def arms(seed):
    """Values of two arms that differ in size, mean and spread; all are above 0, so that there is a ratio."""
    rng = random.Random(seed)
    sizes = rng.choice([(8, 5), (40, 60), (300, 500)])
    return [
        [rng.gammavariate(shape, 1) + 0.1 for _ in range(size)]
        for shape, size in zip((2, rng.choice([2, 2.5, 4])), sizes, strict=True)
    ]


def compared(values, **options):
    """The comparison of arms whose queries have these values, or of pairs."""
    of_pairs = options.get("design") != "unpaired"
    names = [[f"q{number}" if of_pairs else f"{arm}{number}" for number in range(len(values[arm]))] for arm in (0, 1)]
    qrels = {}
    for arm in (0, 1):
        for query, value in zip(names[arm], values[arm], strict=True):
            qrels.setdefault(query, {})[f"i{arm}"] = value
    runs = [{query: [f"i{arm}"] for query in names[arm]} for arm in (0, 1)]
    given = {"queries": "judged_retrieved", **options}
    [row] = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", **given).summary.dicts()
    return row


def ends_of(row, what):
    return [row[f"{what}_ci_{end}"] for end in ("lower", "upper")]


def finite(ends):
    return [None if end is None or not math.isfinite(end) else pytest.approx(end, rel=1e-8, abs=1e-10) for end in ends]


@pytest.mark.long
def test_arms_are_those_of_tea_tasting():
    asked = [{"alternative": ALTERNATIVES[seed % 3], "confidence_level": LEVELS[seed // 3]} for seed in SEEDS]
    questions = [dict(zip(("control", "treatment"), arms(seed), strict=True)) | asked[seed] for seed in SEEDS]
    for seed, found in zip(SEEDS, tools.answer("tea-tasting", questions), strict=True):
        row = compared(arms(seed), design="unpaired", **asked[seed])
        names = ("effect_size", "rel_effect_size", "statistic", "pvalue")
        assert {name: row[name] for name in names} == pytest.approx({name: found[name] for name in names}, rel=1e-8)
        for what in ("effect_size", "rel_effect_size"):
            assert ends_of(row, what) == finite(ends_of(found, what))


@pytest.mark.long
def test_arms_and_sequences_are_those_of_growthbook():
    """Its relative intervals are of the ratio and not of its logarithm, so that these are not the same."""
    asked = [{"confidence_level": LEVELS[seed // 3], "sequential": [None, 5000, 100][seed % 3]} for seed in SEEDS]
    questions = [dict(zip(("control", "treatment"), arms(seed), strict=True)) | asked[seed] for seed in SEEDS]
    for seed, found in zip(SEEDS, tools.answer("gbstats", questions), strict=True):
        given = {"sequential": asked[seed]["sequential"]} if asked[seed]["sequential"] else {}
        row = compared(arms(seed), design="unpaired", confidence_level=asked[seed]["confidence_level"], **given)
        assert row["effect_size"] == pytest.approx(found["absolute"]["effect"], rel=1e-9)
        assert row["rel_effect_size"] == pytest.approx(found["relative"]["effect"], rel=1e-9)
        assert ends_of(row, "effect_size") == pytest.approx(found["absolute"]["ends"], rel=1e-8)
        assert row["pvalue"] == pytest.approx(found["absolute"]["pvalue"], rel=1e-7, abs=1e-14)


@pytest.mark.long
def test_the_bootstrap_is_that_of_arch():
    """Both draw: each end is a quantile of a distribution near the normal, within four errors of Monte Carlo."""
    questions, values = [], []
    for seed in (1, 2, 4):
        rng = random.Random(seed)
        first = [rng.gammavariate(2, 1) + 0.5 for _ in range(60)]
        values.append((first, [value + rng.gauss(0.2, 0.6) for value in first]))
        level = LEVELS[seed % 2]
        questions.append(
            {"control": first, "treatment": values[-1][1], "confidence_level": level}
            | {"resamples": RESAMPLES, "seed": seed}
        )
    for question, pair, found in zip(questions, values, tools.answer("arch", questions), strict=True):
        level = question["confidence_level"]
        row = compared(pair, test="bootstrap", resamples=RESAMPLES, seed=5, confidence_level=level)
        # the error of a quantile of both, sqrt(p (1 - p) / B) over the density of the normal distribution there
        beyond = (1 - level) / 2
        error = math.sqrt(2 * beyond * (1 - beyond) / RESAMPLES) / stats.norm.pdf(stats.norm.ppf(beyond))
        assert ends_of(row, "effect_size") == pytest.approx(found["effect"], abs=4 * error * row["standard_error"])
        of_ratio = (found["relative"][1] - found["relative"][0]) / 2 / stats.norm.isf(beyond)
        assert ends_of(row, "rel_effect_size") == pytest.approx(found["relative"], abs=4 * error * of_ratio)
        assert row["standard_error"] == pytest.approx(found["error"], rel=4 * math.sqrt(2 / (2 * RESAMPLES)))
