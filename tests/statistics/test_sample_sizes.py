"""How many queries an effect needs: a twin that counts up by scipy's quantiles, and the power of statsmodels."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats
from statsmodels.stats.power import TTestIndPower, TTestPower

import rankmetrics_sql as rm

from ..conftest import quietly
from .test_clusters import robust

MIDDLE = 50.0
SIDES = {"two_sided": "two-sided", "greater": "larger", "less": "smaller"}


def twin(units, degrees, lost, share, tail, power):
    """The smallest whole n with n >= (t + t)^2 R, counted up; None below what the formula is good for.

    ``units`` have ``degrees`` of freedom, ``lost`` to means; ``share`` is the error in effects.
    """
    per_unit, square = (degrees + lost) / units, units * share**2
    # No point of t is nearer than that of the normal distribution.
    first = max(2, math.floor((stats.norm.isf(tail) + stats.norm.ppf(power)) ** 2 * square))
    n = first + np.arange(400)
    with np.errstate(invalid="ignore"):
        points = stats.t.isf(tail, n * per_unit - lost) + stats.t.ppf(power, n * per_unit - lost)
        smallest = int(n[n >= points**2 * square][0])
    return smallest if smallest * per_unit - lost >= 4 - 1e-6 and smallest > lost else None


@cache
def groups_of(seed=1, many=40):
    """Differences of so many groups, few or many queries each, with large and small effects either way."""
    rng = np.random.default_rng(seed)
    found = {}
    for number in range(many):
        effect = np.exp(rng.uniform(np.log(0.15), np.log(15))) * rng.choice([-1, 1])
        found[f"g{number:02}"] = effect + rng.standard_normal(rng.integers(4, 50))
    return found


def queries_of(groups):
    return [
        (f"{group}q{number}", value, group) for group, values in groups.items() for number, value in enumerate(values)
    ]


def compared(groups, users=None, **given):
    """The rows of a comparison whose differences are those of the groups, by group."""
    queries = queries_of(groups)
    frame = pd.DataFrame({"query_id": [name for name, *_ in queries], "market": [group for *_, group in queries]})
    if users is not None:
        frame["user_id"] = users
        given["cluster"] = "query_list.user_id"
    qrels = {name: {"x": MIDDLE, "y": MIDDLE + value} for name, value, _ in queries}
    runs = [{name: [item] for name in qrels} for item in "xy"]
    by = {"by": "market"} if len(groups) > 1 else {}
    found = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", query_list=frame, **by, **given)
    return found.summary.dicts()


def tail_of(options, n_tests):
    """The probability beyond each point that a correction asks of the first effect."""
    alpha = 1 - options.get("confidence_level", 0.95)
    tail = alpha / 2 if options.get("alternative", "two_sided") == "two_sided" else alpha
    correction = options.get("correction", "holm")
    if correction == "none":
        return tail
    return tail / n_tests / (sum(1 / place for place in range(1, n_tests + 1)) if correction == "by" else 1)


def towards(options, effect):
    """How far an effect is from what is tested, towards the side that is; negative if on the other."""
    margin = options.get("margin", 0)
    return {"two_sided": abs(effect), "greater": effect + margin, "less": margin - effect}[
        options.get("alternative", "two_sided")
    ]


OPTIONS = [
    {"power": 0.8},
    {"power": 0.9, "alternative": "greater", "correction": "bonferroni"},
    {"power": 0.99, "alternative": "less", "correction": "none"},
    {"power": 0.51, "correction": "by", "confidence_level": 0.9},
    {"power": 0.8, "correction": "by", "interval_level": "corrected"},
    {"power": 0.8, "correction": "bh", "interval_level": "corrected", "confidence_level": 0.99, "family": "group"},
    {"power": 0.95, "correction": "bh", "family": "metric", "confidence_level": 0.8},
    {"power": 0.8, "alternative": "greater", "margin": 0.3, "interval_level": "corrected"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_pairs_need_what_counting_finds(options):
    """And within two of statsmodels' noncentral t, within one inside the bounds that the documentation says."""
    rows = compared(groups_of(), **options)
    n_tests = 1 if options.get("family") == "group" else len(rows)
    tail, power = tail_of(options, n_tests), options["power"]
    numbers = []
    for row in rows:
        values = groups_of()[row["market"]]
        away, spread = towards(options, values.mean()), values.std(ddof=1)
        share = stats.sem(values) / away
        wanted = twin(len(values), len(values) - 1, 1, share, tail, power) if away > 0 else None
        assert row["n_queries_needed"] == wanted, row["market"]
        numbers.append(wanted)
        if wanted is None or wanted > 2000:
            continue
        off = 1 if 0.00025 <= tail <= 0.05 and power <= 0.95 else 2
        found = [
            TTestPower().power(away / spread, n, tail, alternative="larger") for n in (wanted - 1 - off, wanted + off)
        ]
        assert found[0] < power <= found[1]
    assert None in numbers
    assert sum(number is not None for number in numbers) > 10


@pytest.mark.parametrize("options", [OPTIONS[0], OPTIONS[1], OPTIONS[4]], ids=str)
def test_arms_keep_their_ratio(options):
    """Counted are whole queries of the smaller arm; where arms are alike, within one in each of statsmodels."""
    rng = np.random.default_rng(3)
    for sizes, spread in (((12, 12), 1), ((30, 30), 1), ((9, 36), 1), ((40, 10), 3), ((25, 26), 0.3)):
        arms = [rng.standard_normal(sizes[0]), 0.8 + spread * rng.standard_normal(sizes[1])]
        qrels = {f"{arm}{n}": {"x": MIDDLE + value} for arm in (0, 1) for n, value in enumerate(arms[arm])}
        runs = [{name: ["x"] for name in qrels if name.startswith(arm)} for arm in "01"]
        given = {"design": "unpaired", "queries": "judged_retrieved", **options}
        [row] = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", **given).summary.dicts()
        found = stats.ttest_ind(arms[1], arms[0], equal_var=False)
        share, tail = 1 / found.statistic, tail_of(options, 1)
        least = twin(min(sizes), found.df, 2, share, tail, options["power"])
        assert row["n_queries_needed"] == math.ceil(least * sum(sizes) / min(sizes) - 1e-6)
        if sizes[0] == sizes[1]:
            effect = found.statistic * math.sqrt(2 / sizes[0])
            sides = [TTestIndPower().power(effect, least + off, tail, alternative="larger") for off in (-2, 1)]
            assert sides[0] < options["power"] <= sides[1]


@pytest.mark.parametrize("sizes", [(4,) * 9, (1, 2, 3, 4, 5, 6, 7), (30, 1, 1, 2, 3, 1, 2)])
def test_clusters_are_counted_whole(sizes):
    """Of very uneven ones some numbers are stepped over: half of what adds a degree of freedom at most."""
    rng = np.random.default_rng(sum(sizes))
    users = np.repeat(np.arange(len(sizes)), sizes)
    for effect in (0.3, 0.7, 1.2):
        values = effect + 0.3 * rng.standard_normal(len(sizes))[users] + rng.standard_normal(sum(sizes))
        [row] = compared({"all": values}, users=[f"u{user}" for user in users], power=0.8)
        known = robust(values, users)
        wanted = twin(len(sizes), known.degrees, 1, known.error / known.mean, 0.025, 0.8)
        queries, stride = sum(sizes) / len(sizes), math.ceil(len(sizes) / (2 * (known.degrees + 1)))
        assert row["n_clusters"] == len(sizes)
        if wanted is None:
            assert row["n_queries_needed"] is None
            continue
        wanted = [math.ceil((wanted + step) * queries - 1e-6) for step in range(stride)]
        assert row["n_queries_needed"] in wanted
        assert isinstance(row["n_queries_needed"], int)


DESIGNS = {
    "weighted pairs": {"weight": "query_list.sessions"},
    "weighted clusters": {"weight": "query_list.sessions", "cluster": "query_list.user_id"},
    "adjusted arms": {"design": "unpaired", "covariate": "query_list.sessions"},
    "arms of clusters": {"design": "unpaired", "cluster": "query_list.user_id"},
    "a bootstrap": {"test": "bootstrap", "resamples": 100, "seed": 1},
    "replicates": {"test": "randomisation", "resamples": 100, "seed": 1},
    "a loss allowed": {"limits": {"cg@1": 0.2}},
}


@pytest.mark.parametrize("design", DESIGNS)
def test_of_every_design_the_error_and_its_degrees_count(design):
    """Both are of the row: the degrees out of an interval of t, which is as wide as they say."""
    rng = np.random.default_rng(9)
    given, users = DESIGNS[design], np.repeat(np.arange(8), 5)
    names = [f"q{number}" for number in range(40)]
    sessions = rng.integers(1, 9, 40)
    frame = pd.DataFrame({"query_id": names, "user_id": [f"u{user}" for user in users], "sessions": sessions})
    values = MIDDLE + rng.standard_normal(40) + 0.2 * sessions
    qrels = {
        name: {"x": value - 0.5 - 0.2 * rng.random(), "y": value} for name, value in zip(names, values, strict=True)
    }
    is_paired = given.get("design") != "unpaired"
    runs = [{name: [item] for name in (names if is_paired else names[place::2])} for place, item in enumerate("xy")]
    universe = {} if is_paired else {"queries": "judged_retrieved"}
    [row] = quietly(
        rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", query_list=frame, power=0.9, **universe, **given
    ).summary.dicts()
    error, effect = row["standard_error"], row["effect_size"] + given.get("limits", {}).get("cg@1", 0)
    points = row["min_detectable_effect"] / error
    degrees = optimize.brentq(lambda nu: stats.t.isf(0.025, nu) + stats.t.ppf(0.9, nu) - points, 1, 10**4)
    units = row["n_clusters"] if "cluster" in given and is_paired else row["n_queries"] if is_paired else row["n_units"]
    wanted = twin(units, degrees, 1 if is_paired else 2, error / effect, 0.025, 0.9)
    queries = None if wanted is None else math.ceil(wanted * row["n_queries"] / units - 1e-6)
    assert row["n_queries_needed"] == queries


@pytest.mark.parametrize(
    ("options", "is_known"),
    [
        ({"power": 0.99}, True),
        ({"power": 0.991}, False),
        ({"power": 0.8, "confidence_level": 0.9998}, True),
        ({"power": 0.8, "confidence_level": 0.99979, "alternative": "greater"}, True),
        ({"power": 0.8, "confidence_level": 0.9997999, "alternative": "greater"}, True),
        ({"power": 0.8, "confidence_level": 0.99991, "alternative": "greater"}, False),
        ({"power": 0.8, "confidence_level": 0.99981}, False),
    ],
    ids=str,
)
def test_beyond_the_bounds_nothing_is_known(options, is_known):
    [row] = compared({"all": 0.5 + np.random.default_rng(2).standard_normal(20)}, **options)
    assert (row["n_queries_needed"] is not None) == is_known
    assert row["min_detectable_effect"] > 0


def test_a_small_effect_needs_many():
    """A number that an iteration by doubles would lose the units of."""
    values = np.random.default_rng(4).standard_normal(30)
    for effect in (1e-2, 1e-3):
        shifted = values - values.mean() + effect
        [row] = compared({"all": shifted}, power=0.8)
        wanted = twin(30, 29, 1, stats.sem(shifted) / shifted.mean(), 0.025, 0.8)
        assert row["n_queries_needed"] == pytest.approx(wanted, rel=1e-9)
        assert wanted > 10**4


@pytest.mark.parametrize(
    "options", [{}, {"margin": 0.3, "alternative": "greater"}, {"margin": 0.3, "alternative": "less"}]
)
def test_the_number_for_another_effect_follows_from_that_of_the_one_seen(options):
    """As the page on planning says: times ((effect_size + margin) / (that effect + margin))^2; without one alike."""
    groups = {f"g{number}": rows for number, (_, rows) in enumerate(groups_of(3, 30).items()) if len(rows) > 8}
    sign = -1 if options.get("alternative") == "less" else 1
    n_checked = 0
    for row in compared(groups, power=0.8, correction="none", **options):
        margin, seen = options.get("margin", 0), sign * row["effect_size"]
        if row["n_queries_needed"] is None or (options and seen + margin < 0):
            continue
        seen = abs(seen) if not options else seen
        other = seen / 3
        deviation = row["standard_error"] * np.sqrt(row["n_queries"])
        distance = (other + margin) / deviation
        exact = TTestPower().solve_power(
            distance, alpha=0.05, power=0.8, alternative="larger" if options else "two-sided"
        )
        planned = row["n_queries_needed"] * ((seen + margin) / (other + margin)) ** 2
        # As points of t are for the number before, of 5 queries or more, and numbers are whole.
        assert 0.95 * exact <= planned <= exact * (1 + 4 / row["n_queries_needed"]) + 2
        n_checked += 1
    assert n_checked >= 3
