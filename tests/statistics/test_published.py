"""Figures that others have published, to all of their digits, from the values that they published with them.

The scores of three systems on twenty topics are table 5.1 of Tetsuya Sakai's book on the evaluation of information
access (Corona 2015); elinor, a library in Rust (github.com/kampersanda/elinor), has them in ``test-data/sakai-book``
and prints in its README what is here. Of its own sample, ``test-data/sample`` with eight queries, the README of its
command line has the rest. Randomised p-values there are shares of 10,000 draws, whose ties rounding decides: published
is something between the share that is beyond the observed difference and the share that is as far. Its bootstrap draws
the statistic of t and ours the difference, so that they have other p-values, as have Tukey's tests, which share one
spread there; ranx's table of five models comes from
runs that are not published with it, so that ranx itself is asked (``test_other_tools.py``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations

import pytest

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import mostly_long

DRAWS = 10_000
BOOK = {
    "1": (70, 30, 20, 60, 40, 40, 0, 70, 10, 30, 50, 40, 0, 60, 50, 30, 10, 50, 20, 10),
    "2": (50, 10, 0, 20, 40, 30, 0, 50, 30, 30, 40, 40, 10, 40, 20, 10, 10, 60, 30, 20),
    "3": (0, 0, 20, 10, 30, 30, 10, 20, 40, 40, 40, 30, 30, 20, 20, 20, 10, 50, 40, 30),
}  # in hundredths
NDCG = {
    "1": (0.66967181649423, 0.8597186998521972, 0.6199062332840657, 0.66967181649423, 1, 0.9502344167898356, 1),
    "2": (0, 0.38009376671593426, 0.6199062332840657, 0, 1, 0.23981246656813146, 1),
    "3": (0.4796249331362629, 0.4796249331362629, 0.38009376671593426, 1, 0.5, 0.8597186998521972, 0),
}  # the eighth is one of the others
SAMPLE = {
    "precision@3": {
        "1": [value / 3 for value in (2, 2, 2, 2, 1, 2, 1, 2)],
        "2": [value / 3 for value in (0, 1, 2, 0, 1, 1, 1, 1)],
        "3": [value / 3 for value in (1, 1, 1, 2, 1, 2, 0, 2)],
    },
    "ap": {
        "1": [value / 12 for value in (7, 12, 7, 7, 12, 10, 12, 12)],
        "2": [value / 12 for value in (0, 6, 7, 0, 12, 3, 12, 3)],
        "3": [value / 12 for value in (3, 3, 2, 12, 4, 12, 0, 7)],
    },
    "rr": {
        "1": [value / 6 for value in (3, 6, 3, 3, 6, 6, 6, 6)],
        "2": [value / 6 for value in (0, 6, 3, 0, 6, 3, 6, 3)],
        "3": [value / 6 for value in (3, 3, 2, 6, 2, 6, 0, 3)],
    },
    "ndcg@3": {
        "1": [*NDCG["1"], NDCG["1"][1]],
        "2": [*NDCG["2"], 0.4796249331362629],
        "3": [*NDCG["3"], NDCG["1"][0]],
    },
}
DATA: Mapping[str, Mapping[str, Sequence[float]]] = {
    "book": {name: [value / 100 for value in values] for name, values in BOOK.items()},
    **SAMPLE,
}
# The mean of the differences of systems 1 and 2, their variance, effect size, statistic, p-value and margin of error.
PAIRED = {
    "book": (0.0750, 0.0251, 0.4731, 2.1158, 0.0478, 0.0742),
    "precision@3": (0.2917, 0.0774, 1.0485, 2.9656, 0.0209, 0.2326),
    "ap": (0.3750, 0.1012, 1.1789, 3.3343, 0.0125, 0.2659),
    "rr": (0.2500, 0.0714, 0.9354, 2.6458, 0.0331, 0.2234),
    "ndcg@3": (0.3637, 0.1026, 1.1356, 3.2119, 0.0148, 0.2677),
}
# The variance of the residuals of queries and systems, and the effect sizes of 1 and 2, 1 and 3, 2 and 3.
RESIDUAL = {
    "book": (0.0219, 0.5070, 0.6760, 0.1690),
    "precision@3": (0.0390, 1.4765, 0.8437, -0.6328),
    "ap": (0.1349, 1.0209, 1.0209, 0),
    "rr": (0.1250, 0.7071, 0.8250, 0.1179),
    "ndcg@3": (0.1104, 1.0946, 0.8504, -0.2443),
}
# Fisher's p-value of systems 1 and 2.
RANDOMISED = {"book": 0.0482, "precision@3": 0.0649, "ap": 0.0645, "rr": 0.1226, "ndcg@3": 0.0627}
# That of every pair of the three.


def digits(value):
    """A figure of four decimals."""
    return pytest.approx(value, abs=0.5001e-4)


def inputs(name):
    """A run of each system, and judgments by which the value of a query is the grade of its only item."""
    systems = DATA[name]
    queries = [f"q{number}" for number in range(len(systems["1"]))]
    qrels = {
        query: {system: values[number] for system, values in systems.items()} for number, query in enumerate(queries)
    }
    return {system: {query: [system] for query in queries} for system in systems}, qrels


def compared(name, **options):
    runs, qrels = inputs(name)
    [row] = quietly(rm.compare, runs["2"], {"1": runs["1"]}, qrels, "cg@1", **options).summary.dicts()
    return row


def shares(name, systems):
    """Of all permutations how many have a range as far as each pair's difference, and how many one beyond."""
    scale = 10**6
    values = [[round(value * scale) for value in DATA[name][system]] for system in systems]
    sums = Counter({(0,) * len(values): 1})
    for query in zip(*values, strict=True):
        grown = Counter()
        for so_far, ways in sums.items():
            for order in permutations(query):
                grown[tuple(map(sum, zip(so_far, order, strict=True)))] += ways
        sums = grown
    ranges = Counter()
    for totals, ways in sums.items():
        ranges[max(totals) - min(totals)] += ways
    n = sum(ranges.values())
    near = scale // 10**4  # of values that are rounded
    for one, other in combinations(values, 2):
        found = abs(sum(one) - sum(other))
        yield tuple(sum(ways for reach, ways in ranges.items() if reach >= found + end) / n for end in (-near, near))


def error(share):
    """Four errors of Monte Carlo."""
    return 4 * math.sqrt(share * (1 - share) / DRAWS) + 1 / DRAWS


@pytest.mark.parametrize("name", PAIRED)
def test_pairs(name):
    row = compared(name)
    mean, variance, effect, statistic, pvalue, margin = map(digits, PAIRED[name])
    assert row["effect_size"] == mean
    assert row["standard_error"] ** 2 * row["n_queries"] == variance
    assert row["std_effect_size"] == effect
    assert row["statistic"] == statistic
    assert row["pvalue"] == pvalue
    assert (row["effect_size_ci_upper"] - row["effect_size_ci_lower"]) / 2 == margin


@pytest.mark.parametrize("name", RESIDUAL)
def test_residuals_of_three_systems(name):
    """The residual that is published is half the mean variance of the pairs, each of which is tested by its own."""
    runs, qrels = inputs(name)
    variance, *effects = map(digits, RESIDUAL[name])
    found = quietly(rm.tukey, runs, qrels, "cg@1").summary.dicts()
    own = sum(row["standard_error"] ** 2 * row["n_queries"] for row in found) / len(found) / 2
    assert own == variance
    for row, effect in zip(found, effects, strict=True):
        assert -row["effect_size"] / math.sqrt(own) == effect


@pytest.mark.parametrize("name", mostly_long(RANDOMISED, "book", "ap"))
def test_randomisation(name):
    [(as_far, beyond)] = shares(name, "12")
    found = compared(name, test="randomisation", resamples=DRAWS, seed=1)["pvalue"]
    assert found == pytest.approx(as_far, abs=error(as_far))
    assert beyond - error(beyond) <= RANDOMISED[name] <= as_far + error(as_far)
