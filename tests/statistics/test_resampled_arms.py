"""The bootstrap and randomisation of arms: a twin that draws the same numbers, enumeration, and scipy within chance."""

from __future__ import annotations

import itertools
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
from ..everything import each_once, seeds
from .test_resampling import MOST, drawn, scrambled, shown, touching

TESTS = ["bootstrap", "randomisation"]
FOR_REPLICATE, FOR_PLACE, FOR_ARM = 1000003, 998244353, 472882027


def arms_of(rng, sizes, *, grades=(0, 1, 2, 3)):
    """Runs of one item each, whose grade is the value of the query: {run: {query: value}}."""
    return {
        name: {f"{name}{number}": rng.choice(grades) + rng.choice([0, 0.5]) for number in range(size)}
        for name, size in sizes.items()
    }


def compared(arms, baseline="baseline", **options):
    """Rows by candidate: the arms against one of them."""
    qrels = {query: {"x": value} for arm in arms.values() for query, value in arm.items()}
    runs = {name: {query: ["x"] for query in arm} for name, arm in arms.items()}
    others = {name: run for name, run in runs.items() if name != baseline}
    given = {"queries": "judged_retrieved", "design": "unpaired", "correction": "none", **options}
    rows = quietly(rm.compare, runs[baseline], others, qrels, "cg@1", **given).summary.dicts()
    return {row["run"]: row for row in rows}


class Arm:
    """The twin of an arm: its values in the units or buckets that are drawn, numbered as in every engine.

    Where a unit is in several arms, everyone are those of all arms, which are drawn together.
    """

    def __init__(self, number, values, names, n_buckets, seed, everyone=None):
        order = sorted(set(names if everyone is None else everyone), key=lambda name: name.encode())
        number = number if everyone is None else 1
        places = {name: place for place, name in enumerate(order, start=1)}
        self.n_units, self.number, self.seed = len(order), number, scrambled(seed)
        self.n_buckets = n_buckets(len(order))
        if self.n_buckets == len(order):
            own = np.array([places[name] - 1 for name in names])
        else:
            firsts = [places[name] * FOR_PLACE + number * FOR_ARM + scrambled(seed) for name in names]
            own = np.array([drawn(first) % self.n_buckets for first in firsts])
        self.own, self.values, self.names = own, np.asarray(values, dtype=float), list(names)
        self.totals = np.bincount(own, weights=values, minlength=self.n_buckets)
        self.sizes = np.bincount(own, minlength=self.n_buckets).astype(float)
        # A bucket that nothing falls into is not there.

    def numbers(self, replicate):
        firsts = [replicate * FOR_REPLICATE + place * FOR_PLACE for place in range(1, self.n_buckets + 1)]
        return [drawn(first + self.number * FOR_ARM + self.seed) for first in firsts]


def by_bootstrap(arms, resamples):
    found = []
    for replicate in range(1, resamples + 1):
        means = []
        for arm in arms:
            times = np.bincount([number % arm.n_buckets for number in arm.numbers(replicate)], minlength=arm.n_buckets)
            n = times @ arm.sizes
            means.append(times @ arm.totals / n if n else np.nan)  # nobody of the arm
        found.append(means)
    return np.array(found)


def by_exchange(arms, resamples):
    """Welch's t where as many buckets as the candidate has, those with the least numbers, are its own."""
    candidate = arms[1]
    pooled = sorted(arms, key=lambda arm: arm.number)
    places = np.concatenate([arm.own + sum(other.n_buckets for other in pooled[:i]) for i, arm in enumerate(pooled)])
    values = np.concatenate([arm.values for arm in pooled])
    names = np.array([f"{arm.number} {name}" for arm in pooled for name in arm.names])
    found = []
    for replicate in range(1, resamples + 1):
        numbers = [number for arm in pooled for number in arm.numbers(replicate)]
        order = sorted(range(len(numbers)), key=lambda place: (numbers[place], place))
        own = np.isin(places, order[: candidate.n_buckets])
        found.append(welch((values[~own], names[~own]), (values[own], names[own])))
    return np.array(found)


def mean_and_variance(values, names):
    """Of the mean, from what the values of each unit are away from it in sum; of one unit it is not known, and none."""
    mean = values.mean()
    _, places = np.unique(names, return_inverse=True)
    away = np.bincount(places, weights=values - mean)
    return mean, (away**2).sum() / len(values) ** 2 * len(away) / (len(away) - 1) if len(away) > 1 else 0


def welch(baseline, candidate):
    """The difference of both means in its errors; what rounding leaves of either is nothing."""
    (old, of_old), (new, of_new) = mean_and_variance(*baseline), mean_and_variance(*candidate)
    difference, error = new - old, (of_old + of_new) ** 0.5
    if abs(difference) < 1e-12:
        return 0.0
    return difference / error if error > 1e-12 else np.copysign(np.inf, difference)


def floor(sizes, alternative, n_shared=0):
    """The share of the ways to share the units out that are as far apart as any; units of both have two ways each."""
    ways = math.comb(sum(sizes) - 2 * n_shared, sizes[0] - n_shared) * 2**n_shared
    return (2 if alternative == "two_sided" else 1) / ways


def expected(test, values, names, numbers, *, alternative, level, resamples, seed, largest, everyone=None):
    """The same as rm.compare, of a baseline and a candidate; largest is how many units the greatest candidate has."""
    n_both = len(set(names[0])) + largest
    n_buckets = {
        "bootstrap": lambda n: min(n, MOST),
        "randomisation": lambda n: n if n_both <= MOST else int(np.floor(MOST * n / n_both + 0.5)),
    }[test]
    arms = [
        Arm(number, own, name, n_buckets, seed, everyone)
        for number, own, name in zip(numbers, values, names, strict=True)
    ]
    effect = np.mean(values[1]) - np.mean(values[0])
    if test == "bootstrap":
        means = by_bootstrap(arms, resamples)
        means = means[~np.isnan(means).any(axis=1)]
        effects = means[:, 1] - means[:, 0]
    else:
        effects = by_exchange(arms, resamples)
    if test == "randomisation":
        effect = welch(*((np.asarray(own), np.array(name)) for own, name in zip(values, names, strict=True)))
    close = 1e-9 * (1 + (abs(effect) if np.isfinite(effect) else 0))
    as_far = {
        "two_sided": np.abs(effects) >= abs(effect) - close,
        "greater": effects >= effect - close,
        "less": effects <= effect + close,
    }[alternative]
    found = {"pvalue": (1 + as_far.sum()) / (len(effects) + 1)}
    if test == "bootstrap":
        beyond = (1 - level) / (2 if alternative == "two_sided" else 1)
        found["error"] = effects.std(ddof=1)
        touched = touching(lambda share: np.quantile(effects, [share, 1 - share]), alternative, len(effects))
        least = floor([len(set(name)) for name in names], alternative, len(set(names[0]) & set(names[1])))
        found["pvalue"] = max(touched, least)
        found["ends"] = np.quantile(effects, [beyond, 1 - beyond])
        found["relative"] = np.quantile(means[:, 1] / means[:, 0], [beyond, 1 - beyond]) - 1
    return found


def check(test, rows, arms, names, asked):
    order = sorted(arms, key=str.encode)
    largest = max(len(set(names[name])) for name in arms if name != "baseline")
    everyone = set().union(*names.values())
    everyone = everyone if len(everyone) < sum(len(set(own)) for own in names.values()) else None
    for name, row in rows.items():
        wanted = expected(
            test,
            [np.array(list(arms[arm].values())) for arm in ("baseline", name)],
            [names[arm] for arm in ("baseline", name)],
            [order.index(arm) + 1 for arm in ("baseline", name)],
            largest=largest,
            everyone=everyone,
            **asked,
        )
        assert (row["test"], row["pvalue"]) == (test, pytest.approx(wanted["pvalue"], rel=1e-9))
        if test == "bootstrap":
            assert row["standard_error"] == pytest.approx(wanted["error"], rel=1e-12)
            ends = [row["effect_size_ci_lower"], row["effect_size_ci_upper"]]
            assert ends == shown(wanted["ends"], asked["alternative"])
            relative = [row["rel_effect_size_ci_lower"], row["rel_effect_size_ci_upper"]]
            assert relative == shown(wanted["relative"], asked["alternative"])


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("seed", seeds(12, 3))
def test_the_twin_draws_the_same(seed, test):
    """Of one and two candidates, of queries and of clusters; names in an order that is that of their bytes."""
    rng = random.Random(seed)
    sizes = {"baseline": rng.choice([3, 8, 40]), "new": rng.choice([2, 9, 60])} | ({"Ab": 12} if seed % 3 else {})
    arms = arms_of(rng, sizes, grades=(1, 2, 3))
    asked = {"alternative": ["two_sided", "greater", "less"][seed % 3], "seed": rng.choice([0, 1, 999_999_999])}
    asked |= {"level": rng.choice([0.95, 0.8]), "resamples": rng.choice([100, 150])}
    names, given = {name: list(arm) for name, arm in arms.items()}, {}
    if seed % 2:
        is_shared = test == "bootstrap" and seed % 4 == 1
        names = {
            name: [rng.choice(["a", "b", "ü", "Z", "z"]) + ("" if is_shared else name) for _ in arm]
            for name, arm in arms.items()
        }
        rows = [(query, who) for name, arm in arms.items() for query, who in zip(arm, names[name], strict=True)]
        given = {"query_list": pd.DataFrame(rows, columns=["query_id", "who"]), "cluster": "who"}
    options = {name: value for name, value in asked.items() if name != "level"}
    rows = compared(arms, test=test, confidence_level=asked["level"], **options, **given)
    assert len(rows) == len(arms) - 1
    check(test, rows, arms, names, asked)


@pytest.mark.parametrize(
    ("test", "sizes"), each_once(TESTS, [{"baseline": 900, "new": 200}, {"baseline": 60, "new": 1300}])
)
def test_many_queries_are_drawn_in_buckets(test, sizes):
    rng = random.Random(5)
    arms = arms_of(rng, sizes)
    asked = {"alternative": "two_sided", "level": 0.95, "seed": 3, "resamples": 100}
    rows = compared(arms, test=test, resamples=100, seed=3)
    check(test, rows, arms, {name: list(arm) for name, arm in arms.items()}, asked)


def test_a_small_arm_beside_many_queries_is_not_randomised():
    """Fewer than ten of a thousand buckets would be its own; the bootstrap draws of each arm by itself."""
    rng = random.Random(6)
    arms = arms_of(rng, {"baseline": 1200, "new": 5, "more": 300})
    rows = compared(arms, test="randomisation", resamples=100)
    assert (rows["new"]["pvalue"], rows["new"]["significant"]) == (None, None)
    assert 0 < rows["more"]["pvalue"] <= 1
    turned = compared(arms, baseline="baseline", test="bootstrap", resamples=100)
    assert all(0 < row["pvalue"] <= 1 for row in turned.values())


@pytest.mark.parametrize("alternative", ["two_sided", "greater", "less"])
def test_few_queries_are_exchanged_in_every_way(alternative):
    """The share of all ways that say as much is known by counting them; what is drawn is within chance of it."""
    arms = {
        "baseline": dict(zip(["o1", "o2", "o3", "o4"], [0.5, 1.0, 2.0, 1.5], strict=True)),
        "new": {"n1": 2.5, "n2": 1.75, "n3": 3.0},
    }
    pooled = np.array([*arms["baseline"].values(), *arms["new"].values()])
    found = stats.ttest_ind(pooled[4:], pooled[:4], equal_var=False).statistic
    every = []
    for own in itertools.combinations(range(7), 3):
        others = [place for place in range(7) if place not in own]
        every.append(stats.ttest_ind(pooled[list(own)], pooled[others], equal_var=False).statistic)
    every = np.array(every)
    as_far = {
        "two_sided": np.abs(every) >= abs(found) - 1e-12,
        "greater": every >= found - 1e-12,
        "less": every <= found + 1e-12,
    }[alternative]
    row = compared(arms, test="randomisation", alternative=alternative, resamples=20_000)["new"]
    share = as_far.mean()
    assert row["pvalue"] == pytest.approx(share, abs=4 * (share * (1 - share) / 20_000) ** 0.5 + 1e-4)


def test_both_are_those_of_scipy_within_chance():
    rng = random.Random(7)
    arms = arms_of(rng, {"baseline": 40, "new": 25})
    old, new = (np.array(list(arms[name].values())) for name in ("baseline", "new"))

    def difference(x, y, axis=-1):
        return np.mean(y, axis=axis) - np.mean(x, axis=axis)

    given = {"n_resamples": 20_000, "rng": np.random.default_rng(1)}

    def welch_of(x, y, axis=-1):
        return stats.ttest_ind(y, x, axis=axis, equal_var=False).statistic

    theirs = stats.permutation_test((old, new), welch_of, alternative="greater", vectorized=True, **given)
    ours = compared(arms, test="randomisation", alternative="greater", resamples=20_000)["new"]
    share = theirs.pvalue
    assert ours["pvalue"] == pytest.approx(share, abs=4 * (2 * share * (1 - share) / 20_000) ** 0.5)
    drawn_again = stats.bootstrap((old, new), difference, method="percentile", **given)
    ours = compared(arms, test="bootstrap", resamples=20_000)["new"]
    error = drawn_again.standard_error
    assert ours["standard_error"] == pytest.approx(error, rel=0.03)  # each is known to .5 %
    ends = drawn_again.confidence_interval
    assert ours["effect_size_ci_lower"] == pytest.approx(ends.low, abs=0.08 * error)  # each to 2 % of the error
    assert ours["effect_size_ci_upper"] == pytest.approx(ends.high, abs=0.08 * error)


@pytest.mark.parametrize("seed", seeds(60, 4))
def test_a_bootstrap_knows_no_more_than_the_ways_to_share_units_out(seed):
    """Arms far apart: no replicate is as far, and p is that of the number of ways, or of replicates if that is more."""
    rng = random.Random(seed)
    sizes = [rng.choice([2, 3, 4, 5, 6, 8, 11, 40]), rng.choice([2, 3, 4, 5, 7, 9, 300])]
    rng.shuffle(sizes)
    alternative, resamples = rng.choice(["two_sided", "greater"]), rng.choice([100, 1000, 3000])
    given, per = {}, rng.choice([1, 1, 3])
    arms = {
        name: {f"{name}{n}": start + n % 2 for n in range(size * per)}
        for name, size, start in zip(("baseline", "new"), sizes, (1, 100), strict=True)
    }
    if per > 1:
        rows = [(query, query[: len(name)] + str(n // per)) for name in arms for n, query in enumerate(arms[name])]
        given = {"query_list": pd.DataFrame(rows, columns=["query_id", "who"]), "cluster": "who"}
    row = compared(arms, test="bootstrap", alternative=alternative, resamples=resamples, **given)["new"]
    least = (2 if alternative == "two_sided" else 1) / (resamples + 1)
    assert row["pvalue"] == pytest.approx(max(least, floor(sizes, alternative)), rel=1e-12)


@pytest.mark.parametrize("test", TESTS)
def test_what_has_no_spread_or_no_error(test):
    alike = {"baseline": {"o1": 1, "o2": 1}, "new": {"n1": 1, "n2": 1, "n3": 1}}
    row = compared(alike, test=test)["new"]
    assert (row["effect_size"], row["pvalue"], row["significant"]) == (0, 1, 0)
    single = {"baseline": {"o1": 1, "o2": 3}, "new": {"n1": 2}}
    row = compared(single, test=test)["new"]
    assert [row[name] for name in ("pvalue", "standard_error", "effect_size_ci_lower")] == [None] * 3


@pytest.mark.parametrize("test", TESTS)
def test_the_arms_of_a_log(test):
    """A source with arms is unpaired by itself, and its requests are what is drawn."""
    rng = random.Random(3)
    values, shown, done = {"control": {}, "new": {}}, [], []
    for arm, number in itertools.product(values, range(15)):
        request = f"{arm}{number}"
        shown += [(request, item, place, arm) for place, item in enumerate("xyz", start=1)]
        clicked = rng.choice([1, 2, 3, None] if arm == "control" else [1, 1, 2])
        done += [(request, "xyz"[clicked - 1], "click")] if clicked else []
        values[arm][request] = 1 / clicked if clicked else 0
    shown = pd.DataFrame(shown, columns=["request", "item", "position", "arm"])
    done = pd.DataFrame(done, columns=["request", "item", "type"])
    log = rm.events(shown, done, request="request", item="item", position="position", type="type", arm="arm")
    given = {"test": test, "resamples": 100, "correction": "none", "seed": 4}
    [found] = quietly(rm.compare, log, "rr", baseline="control", **given).summary.dicts()
    arms = {"baseline": values["control"], "new": values["new"]}
    asked = {"alternative": "two_sided", "level": 0.95, "seed": 4, "resamples": 100}
    check(test, {"new": found}, arms, {name: list(arm) for name, arm in arms.items()}, asked)


@pytest.mark.parametrize("test", TESTS)
def test_text_and_command_line_say_the_same(test, tmp_path, cli):
    rng = random.Random(8)
    arms = arms_of(rng, {"baseline": 12, "new": 9})
    frames = {
        "judged": pd.DataFrame(
            [(query, "x", value) for arm in arms.values() for query, value in arm.items()],
            columns=["query_id", "item_id", "relevance"],
        )
    }
    for name, arm in arms.items():
        frames[name] = pd.DataFrame([(query, "x", 1.0) for query in arm], columns=["query_id", "item_id", "score"])
    found = compared(arms, test=test, resamples=100, seed=5)["new"]
    own = {"test": test, "resamples": 100, "seed": 5}
    given = {**own, "design": "unpaired", "correction": "none", "queries": "judged_retrieved"}
    with duckdb.connect() as connection:
        for name, frame in frames.items():
            connection.register(name, frame)
            connection.execute(f"COPY {name} TO '{tmp_path / name}.csv'")
        runs = {"baseline": "baseline", "new": "new"}
        [text] = connection.execute(rm.sql("cg@1", runs, "judged", level="compare", **given)).df().to_dict("records")
    options = [part for name, value in given.items() for part in ("--set", f"{name}={value}")]
    files = [str(tmp_path / f"{name}.csv") for name in ("baseline", "new")]
    asked = ["compare", *files, "--qrels", str(tmp_path / "judged.csv"), "-m", "cg@1", *options, "--format", "json"]
    [said] = json.loads(cli(*asked).stdout)
    for name in ("pvalue", "standard_error", "effect_size_ci_lower", "rel_effect_size_ci_upper"):
        assert text[name] == pytest.approx(found[name], rel=1e-12)
        assert said[name] == pytest.approx(found[name], rel=1e-12)
