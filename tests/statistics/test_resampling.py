"""The bootstrap and randomisation: a twin that draws the same numbers, and scipy within what chance leaves."""

from __future__ import annotations

import random
import warnings
from functools import cache, partial
from itertools import product

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from scipy import stats
from sqlglot import exp

import rankmetrics_sql as rm

from ..conftest import fill, quietly
from ..everything import each_once, seeds
from .test_compare import METRICS, judged, run_of, values_of

PRIME, MOST = 2**31 - 1, 1000


def drawn(first):
    state = first % PRIME
    for _ in range(3):
        state = (state * state + state * 48271 + 12345) % PRIME
    return state


def scrambled(seed):
    """What a seed adds: seeds whose distance is the step of a replicate would share their draws."""
    return drawn(seed) if seed else 0


def units_of(names, seed):
    """Of each query the bucket that is drawn with it."""
    order = sorted(set(names), key=lambda name: name.encode())
    places = {name: place for place, name in enumerate(order, start=1)}
    if len(order) <= MOST:
        return np.array([places[name] - 1 for name in names]), len(order)
    return np.array([drawn(places[name] * 998244353 + scrambled(seed)) % MOST for name in names]), MOST


def replicates(test, n_units, resamples, seed):
    """How often each replicate counts each unit: a row for each replicate."""
    found = np.zeros((resamples, n_units))
    for replicate in range(1, resamples + 1):
        for place in range(1, n_units + 1):
            number = drawn(replicate * 1000003 + place * 998244353 + scrambled(seed))
            if test == "bootstrap":
                found[replicate - 1, number % n_units] += 1
            else:
                found[replicate - 1, place - 1] = 1 if number < 2**30 else -1
    return found


def ends_of(replicates, found, influences, beyond, method):
    """Of an interval, of percentiles or BCa (Efron 1987)."""
    if method == "percentile":
        return np.quantile(replicates, [beyond, 1 - beyond])
    close = 1e-12 * np.abs([*replicates, found]).max()
    below = (replicates < found - close).mean() + (np.abs(replicates - found) <= close).mean() / 2
    least = 0.5 / len(replicates)
    bias = stats.norm.ppf(np.clip(below, least, 1 - least))
    points = bias + stats.norm.ppf([beyond, 1 - beyond])
    spread = (influences**2).sum() ** 1.5
    acceleration = (influences**3).sum() / spread / 6 if spread else 0
    slowed = 1 - acceleration * points
    shares = np.where(slowed > 0, stats.norm.cdf(bias + points / np.where(slowed > 0, slowed, 1)), points > 0)
    return np.quantile(replicates, shares)


def touching(ends, alternative, resamples):
    """The smallest alpha whose interval excludes 0, by halving; no less than so many replicates know."""

    def excludes(alpha):
        lower, upper = ends(alpha / 2 if alternative == "two_sided" else alpha)
        return (alternative != "less" and lower > 1e-12) or (alternative != "greater" and upper < -1e-12)

    low, high = (2 if alternative == "two_sided" else 1) / (resamples + 1), 1.0
    if excludes(low):
        return low
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if excludes(middle) else (middle, high)
    return high


def added_up(names, values):
    """What the values of each unit come to."""
    return np.array([values[np.array(names) == name].sum() for name in sorted(set(names))])


def studentised(differences, names):
    """The mean in its errors where queries of one name belong together, without the factor that all signs share."""
    mean = differences.mean()
    error = (added_up(names, differences - mean) ** 2).sum() ** 0.5 / len(differences)
    return mean / (mean**2 + error**2) ** 0.5 if abs(mean) > 1e-12 else 0.0


def expected(test, ours, theirs, names, alternative, level, resamples=100, seed=0, bootstrap_interval="percentile"):
    """The p-value and what the bootstrap says of the effect and of the ratio."""
    units, n_units = units_of(names, seed)
    times = replicates(test, n_units, resamples, seed)[:, units]
    differences = theirs - ours
    effect = differences.mean()
    effects = times @ differences / (times.sum(axis=1) if test == "bootstrap" else len(units))
    if test == "randomisation" and len(set(names)) < len(names):
        effect, *effects = (studentised(sign * differences, names) for sign in (np.ones(len(names)), *times))
        effects = np.array(effects)
    close = 1e-12 * max(abs(effect), np.abs(effects).max())
    as_far = {
        "two_sided": np.abs(effects) >= abs(effect) - close,
        "greater": effects >= effect - close,
        "less": effects <= effect + close,
    }[alternative]
    beyond = (1 - level) / (2 if alternative == "two_sided" else 1)
    found = {"pvalue": (1 + as_far.sum()) / (resamples + 1)}
    if test == "bootstrap":
        moved = added_up(names, differences - effect)
        ends = partial(ends_of, effects, effect, moved, method=bootstrap_interval)
        found["pvalue"] = touching(ends, alternative, resamples)
        differing = len(set(names)) if len(set(names)) < len(names) else np.count_nonzero(differences)
        least = (2 if alternative == "two_sided" else 1) / 2.0**differing  # what the signs of so many allow
        found["pvalue"] = max(found["pvalue"], least if differing else 0)
        found["error"] = effects.std(ddof=1)
        found["ends"] = ends(beyond)
        ratio, ratios = theirs.mean() / ours.mean(), times @ theirs / (times @ ours)
        moved = added_up(names, theirs - ratio * ours)
        found["relative"] = ends_of(ratios, ratio, moved, beyond, bootstrap_interval) - 1
        if np.ptp(effects) <= close < abs(effect):  # all units differ by the same, which says nothing of their spread
            found |= {"pvalue": None, "ends": (None, None), "relative": (None, None)}
    return found


def shown(ends, alternative):
    lower, upper = (end if end is None else pytest.approx(end, rel=1e-9, abs=1e-12) for end in ends)
    return {"two_sided": [lower, upper], "greater": [lower, None], "less": [None, upper]}[alternative]


def check(rows, test, values, names, asked):
    for row in rows:
        ours, theirs = (arm[row["metric"]] for arm in values)
        wanted = expected(test, ours, theirs, names, **asked)
        pvalue = wanted["pvalue"] if wanted["pvalue"] is None else pytest.approx(wanted["pvalue"], rel=1e-9)
        assert (row["test"], row["pvalue"]) == (test, pvalue), (row, asked)
        if test == "bootstrap":
            assert row["standard_error"] == pytest.approx(wanted["error"], rel=1e-9)
            ends = [row["effect_size_ci_lower"], row["effect_size_ci_upper"]]
            assert ends == shown(wanted["ends"], asked["alternative"])
            relative = [row["rel_effect_size_ci_lower"], row["rel_effect_size_ci_upper"]]
            assert relative == shown(wanted["relative"], asked["alternative"])


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
@pytest.mark.parametrize("seed", seeds(12, 3))
def test_the_twin_draws_the_same(seed, test):
    rng = random.Random(seed)
    qrels = judged(rng, rng.choice([4, 7, 50]))
    ours, theirs = run_of(rng, qrels), run_of(rng, qrels)
    asked = {"alternative": ["two_sided", "greater", "less"][seed % 3], "seed": rng.choice([0, 1, 999_999_999])}
    asked |= {"level": rng.choice([0.95, 0.8]), "resamples": rng.choice([100, 150])}
    asked |= {"bootstrap_interval": "bca"} if test == "bootstrap" and seed % 4 > 1 else {}
    names, given = sorted(qrels), {}
    if seed % 2:
        users = {query: rng.choice(["a", "b", "ü", "Z", "z"]) for query in names}
        given = {"query_list": pd.DataFrame({"query_id": names, "who": list(users.values())}), "cluster": "who"}
        names = list(users.values())
    values = values_of(ours, qrels), values_of(theirs, qrels)
    options = {"exact": "never"} | {name: value for name, value in asked.items() if name != "level"}
    found = quietly(
        *(rm.compare, ours, {"b": theirs}, qrels, METRICS),
        test=test,
        confidence_level=asked["level"],
        **options,
        **given,
    )
    check(found.summary.dicts(), test, values, names, asked)


@pytest.mark.parametrize(
    ("test", "given"),
    [("bootstrap", {}), ("bootstrap", {"bootstrap_interval": "bca"}), ("randomisation", {})],
)
def test_many_queries_are_drawn_in_buckets(test, given):
    rng = random.Random(5)
    qrels = {f"q{number}": {"x": 1, "y": rng.choice([0, 1])} for number in range(1100)}
    ours, theirs = run_of(rng, qrels), run_of(rng, qrels)
    values = values_of(ours, qrels), values_of(theirs, qrels)
    options = {"test": test, "resamples": 100, "seed": 3, **given}
    rows = quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, **options).summary.dicts()
    asked = {"alternative": "two_sided", "level": 0.95, "seed": 3, **given}
    check(rows, test, values, sorted(qrels), asked)
    if test == "bootstrap":
        for row in rows:  # 1,000 buckets and 100 replicates leave 2 % and 7 % of the error to chance
            differences = values[1][row["metric"]] - values[0][row["metric"]]
            assert row["standard_error"] == pytest.approx(stats.sem(differences), rel=0.3)


def test_randomisation_is_that_of_scipy_within_chance():
    """Both draw 20,000 signs, scipy's p is twice a share: three standard errors of the difference."""
    rng = random.Random(11)
    qrels = judged(rng, 20)
    ours, theirs = run_of(rng, qrels), run_of(rng, qrels)
    rows = quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, test="randomisation", resamples=20_000)
    values = values_of(ours, qrels), values_of(theirs, qrels)
    for row in rows.summary.dicts():
        differences = values[1][row["metric"]] - values[0][row["metric"]]
        found = stats.permutation_test(
            (differences,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(1)
        )
        chance = ((found.pvalue * (1 - found.pvalue) + found.pvalue * (2 - found.pvalue)) / 20_000) ** 0.5
        assert row["pvalue"] == pytest.approx(found.pvalue, abs=3 * chance)


def test_the_bootstrap_is_that_of_scipy_within_chance():
    rng = random.Random(12)
    qrels = judged(rng, 40)
    ours, theirs = run_of(rng, qrels), run_of(rng, qrels)
    rows = quietly(rm.compare, ours, {"b": theirs}, qrels, ["ndcg@5", "ap"], test="bootstrap", resamples=20_000)
    values = values_of(ours, qrels), values_of(theirs, qrels)
    for row in rows.summary.dicts():
        differences = values[1][row["metric"]] - values[0][row["metric"]]
        found = stats.bootstrap(
            (differences,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
        )
        assert row["standard_error"] == pytest.approx(found.standard_error, rel=0.03)  # each is known to .5 %
        close = 0.08 * found.standard_error  # of a quantile at .025 each is known to 2 % of the error
        assert row["effect_size_ci_lower"] == pytest.approx(found.confidence_interval.low, abs=close)
        assert row["effect_size_ci_upper"] == pytest.approx(found.confidence_interval.high, abs=close)


def skewed(rng, n):
    """Values of queries, judgments and a run whose cumulated gain they are, far more above their mean than below it."""
    values = [round(rng.gammavariate(0.5, 2), 3) for _ in range(n)]
    qrels = {f"q{number:03}": {"x": value} for number, value in enumerate(values)}
    return np.array(values), qrels, {query: ["x"] for query in qrels}


def test_bca_is_that_of_scipy_within_chance():
    """Of the mean of skewed values and the ratio of two: 20,000 draws each, whose bias and quantiles chance moves."""
    rng = random.Random(13)
    values, qrels, run = skewed(rng, 40)
    given = {"interval": "bootstrap", "resamples": 20_000}
    [row] = quietly(rm.evaluate, run, qrels, "cg@1", bootstrap_interval="bca", **given).summary.dicts()
    [other] = quietly(rm.evaluate, run, qrels, "cg@1", **given).summary.dicts()
    asked = {"n_resamples": 20_000, "method": "BCa", "rng": np.random.default_rng(1)}
    found = stats.bootstrap((values,), np.mean, **asked)
    # z0 is known to 1.25 / sqrt(B), which counts twice, and a quantile at .025 to 2 % of the error: 4 of both of these
    close = 0.16 * found.standard_error
    assert row["ci_lower"] == pytest.approx(found.confidence_interval.low, abs=close)
    assert row["ci_upper"] == pytest.approx(found.confidence_interval.high, abs=close)
    assert row["ci_upper"] - other["ci_upper"] > 2 * close
    theirs = {query: {"x": grades["x"] + rng.random()} for query, grades in qrels.items()}
    both = {query: {"x": grades["x"], "y": theirs[query]["x"]} for query, grades in qrels.items()}
    other_run = {query: ["y"] for query in both}
    options = {"test": "bootstrap", "bootstrap_interval": "bca", "resamples": 20_000}
    [row] = quietly(rm.compare, run, {"b": other_run}, both, "cg@1", **options).summary.dicts()
    pair = values, np.array([grades["x"] for grades in theirs.values()])
    found = stats.bootstrap(pair, lambda a, b, axis: b.mean(axis=axis) / a.mean(axis=axis) - 1, paired=True, **asked)
    close = 0.16 * found.standard_error
    assert row["rel_effect_size_ci_lower"] == pytest.approx(found.confidence_interval.low, abs=close)
    assert row["rel_effect_size_ci_upper"] == pytest.approx(
        found.confidence_interval.high, abs=2 * close
    )  # sparse there


CORRECTING = [f"rankmetrics_{name}" for name in ("ordered", "biased", "corrected_shares", "resampled")]


@cache
def stages_that_correct(level):
    """The stages that make ends of replicates, in front of what reads them."""
    options = {"interval": "bootstrap", "bootstrap_interval": "bca", "confidence_level": level}
    text = rm.sql("rr", "none", "none", values="stored", level="summary", header=False, **options)
    stages = {
        stage.alias: stage.this.sql("duckdb") for stage in sqlglot.parse_one(text, read="duckdb").find_all(exp.CTE)
    }
    return ", ".join(f"{name} AS ({stages[name]})" for name in CORRECTING)


def corrected(replicates, found, acceleration, level):
    """The ends that the statement makes of replicates that are given."""
    with duckdb.connect() as connection:
        rows = [(1, 0, found, acceleration)] + [
            (1, place, value, None) for place, value in enumerate(replicates, start=1)
        ]
        columns = "effect_number INT, replicate INT, effect DOUBLE, effect_acceleration DOUBLE"
        connection.execute(f"CREATE TABLE rankmetrics_replicates ({columns})")
        fill(connection, "rankmetrics_replicates", rows)
        ends = f"SELECT drawn_lower, drawn_upper FROM {CORRECTING[-1]}"
        [row] = connection.execute(f"WITH {stages_that_correct(level)} {ends}").fetchall()
    return list(row)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.99999])
@pytest.mark.parametrize("found", [-9, -0.3, 0, 0.4, 9])
@pytest.mark.parametrize("acceleration", [0, 0.05, -0.16])
def test_any_bias_and_acceleration(acceleration, found, level):
    """Also where all replicates are on one side, and where the correction has a pole before the end."""
    values = [value for value in np.random.default_rng(3).normal(size=200).round(1) if value or found]
    least = 0.5 / len(values)
    below = np.mean([(value < found) + (abs(value - found) < 1e-9) / 2 for value in values])
    bias = stats.norm.ppf(np.clip(below, least, 1 - least))
    points = bias + stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])
    slowed = 1 - acceleration * points
    shares = np.where(slowed > 0, stats.norm.cdf(bias + points / np.where(slowed > 0, slowed, 1)), points > 0)
    wanted = np.quantile(values, shares)
    assert corrected(values, found, acceleration, level) == pytest.approx(list(wanted), rel=1e-9, abs=1e-12)


def test_replicates_without_spread_or_value():
    assert corrected([0.3] * 100, 0.3, 0, 0.95) == pytest.approx([0.3, 0.3], rel=1e-12)
    assert corrected([0.1 + 0.2, 0.3] * 50, 0.3, 0.1, 0.95) == pytest.approx([0.3, 0.3], rel=1e-12)
    assert corrected([None] * 100, 0.3, 0, 0.95) == [None, None]
    assert corrected([0.1, 0.2], None, None, 0.95) == [None, None]


def test_a_few_queries_have_ends_by_bca_or_none():
    """One query has none; two, or equal ones, have some."""
    for values, is_known in (
        ([1], False),
        ([0, 0, 0], True),
        ([0.3, 0.3, 0.3], True),
        ([0, 1], True),
        ([0, 0, 1], True),
    ):
        qrels = {f"q{number}": {"x": value} for number, value in enumerate(values)}
        given = {"interval": "bootstrap", "bootstrap_interval": "bca", "queries": "judged_retrieved"}
        [row] = quietly(rm.evaluate, {query: ["x"] for query in qrels}, qrels, "cg@1", **given).summary.dicts()
        if not is_known:
            assert (row["ci_lower"], row["ci_upper"]) == (None, None)
        else:
            assert min(values) - 1e-12 <= row["ci_lower"] <= row["ci_upper"] <= max(values) + 1e-12


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_sums_and_geometric_means(test):
    """A sum is as many means as there are queries; what is no mean has no replicates."""
    rng = random.Random(2)
    qrels = judged(rng, 30)
    runs = run_of(rng, qrels), {"b": run_of(rng, qrels)}
    options = {"test": test, "resamples": 100}
    geometric, total = quietly(rm.compare, *runs, qrels, ["gm_map", "num_rel_ret(depth=3)"], **options).summary.dicts()
    [mean] = quietly(rm.compare, *runs, qrels, "p(depth=3)@3", **options).summary.dicts()
    assert [geometric[name] for name in ("pvalue", "standard_error", "effect_size_ci_lower")] == [None] * 3
    assert total["pvalue"] == mean["pvalue"]
    for name in ("effect_size", "standard_error", "effect_size_ci_lower", "effect_size_ci_upper"):
        assert total[name] == pytest.approx(mean[name] * 3 * 30, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("seed", seeds(8, 4))
def test_intervals_of_a_summary(seed, method):
    """Of each group and of all queries: means, geometric ones in logarithms, sums; by weights and clusters."""
    rng = random.Random(200 + seed)
    qrels = judged(rng, rng.choice([7, 40]))
    names = sorted(qrels)
    markets = [rng.choice(["de", None]) for _ in names]
    frame = pd.DataFrame({"query_id": names, "market": markets})
    frame["who"] = [rng.choice("abcde") for _ in names] if seed % 2 else names
    frame["sessions"] = [rng.choice([1, 2, 5]) for _ in names] if seed % 4 > 1 else 1
    given = {"query_list": frame, "by": "market", "rollup": True, "interval": "bootstrap", "resamples": 100}
    given["bootstrap_interval"] = method
    given |= ({"cluster": "who"} if seed % 2 else {}) | ({"weight": "sessions"} if seed % 4 > 1 else {})
    result = quietly(rm.evaluate, run_of(rng, qrels), qrels, ["ap", "gm_map", "num_rel_ret"], **given)
    per_query = {row["query_id"]: row for row in result.per_query.dicts()}
    for row in result.summary.dicts():
        own = np.array([row["breakdown"] == "total" or market == row["market"] for market in markets])
        numbers, n_units = units_of(list(frame["who"][own]), 0)
        times = replicates("bootstrap", n_units, 100, 0)[:, numbers]
        values = np.array([per_query[name][row["metric"]] for name in np.array(names)[own]])
        values = np.log(np.maximum(values, 1e-5)) if row["metric"] == "gm_map" else values
        weights = np.array(frame["sessions"][own], dtype=float)
        counted = times * weights
        n = int(own.sum())
        if n < 2 or (row["metric"] == "num_rel_ret" and "weight" in given):
            assert row["ci_lower"] is None
            continue
        sums = counted.sum(axis=1)
        means = (counted @ values)[sums > 0] / sums[sums > 0]
        size = n if row["metric"] == "num_rel_ret" else 1
        mean = weights @ values / weights.sum()
        moved = added_up(list(frame["who"][own]), weights * (values - mean))
        ends = ends_of(means, mean, moved, 0.025, method) * size
        ends = np.exp(ends) if row["metric"] == "gm_map" else ends
        assert [row["ci_lower"], row["ci_upper"]] == pytest.approx(list(ends), rel=1e-9)
        scale = row["value"] if row["metric"] == "gm_map" else size
        assert row["standard_error"] == pytest.approx(means.std(ddof=1) * scale, rel=1e-9)


ALONE = {
    "values": {"interval": "bootstrap"},
    "pairs": {"test": "bootstrap", "bootstrap_interval": "bca"},
    "pairs by signs": {"test": "randomisation"},
    "arms": {"test": "bootstrap", "design": "unpaired"},
    "arms by exchange": {"test": "randomisation", "design": "unpaired"},
}


SIZES = [(9, 40, 25), (1_100, 40)]  # of few queries, and of buckets


@pytest.mark.parametrize(("road", "data"), each_once(ALONE, list(product(SIZES, [False, True]))))
def test_a_group_is_drawn_as_if_it_were_alone(road, data):
    """Groups of few queries and of buckets, one of which has a query of nobody; a total is drawn as without groups."""
    sizes, has_clusters = data
    given = {**ALONE[road], "resamples": 100, "seed": 4}
    rng = random.Random(sum(sizes))
    rows = [
        (f"q{rng.randrange(10**6)}-{n}", market, f"u{rng.randrange(size // 3 + 3)}" if n else None)
        for market, size in zip(["de", None, "fr"], sizes, strict=False)
        for n in range(size)
    ]
    frame = pd.DataFrame(rows, columns=["query_id", "market", "who"])
    qrels = {query: {"x": rng.choice([0, 1, 2]), "y": rng.choice([0, 1])} for query in frame.query_id}
    run, other = ({query: [item] for query in qrels} for item in "xy")
    if "design" in given:  # an arm that one of the groups lacks comes before the others
        names = list(frame.query_id)
        of_arm = {
            name: "bbcac"[place % 5] if market == "de" else "ac"[place % 2]
            for place, (name, market) in enumerate(zip(names, frame.market, strict=True))
        }
        if given["test"] == "randomisation":
            frame["who"] += frame.query_id.map(of_arm)
        run, *others = ({name: ["x"] for name in names if of_arm[name] == arm} for arm in "cba")
        given |= {"queries": "judged_retrieved", "baseline": "c"}
        others = dict(zip("ba", others, strict=True))
    given |= {"cluster": "who"} if has_clusters else {}

    def found(frame, **asked):
        kept = set(frame.query_id)
        judgments = {query: items for query, items in qrels.items() if query in kept}
        asked |= {"query_list": frame, **given}
        if road == "values":
            return quietly(rm.evaluate, run, judgments, ["cg@1", "rr"], **asked).summary.dicts()
        if "design" not in given:
            runs = run, {"b": other}
        else:
            own = {
                name: {q: items for q, items in arm.items() if q in kept} for name, arm in {"c": run, **others}.items()
            }
            own = {name: arm for name, arm in own.items() if arm}
            runs = own.pop("c"), own
        return quietly(rm.compare, *runs, judgments, ["cg@1", "rr"], **asked, correction="none").summary.dicts()

    by_group = found(frame, by="market", **({"rollup": True} if road == "values" else {}))
    markets = {row["market"] for row in by_group if row.get("breakdown") != "total"}
    assert len(markets) == len(sizes)
    known = [row["pvalue" if "pvalue" in row else "ci_lower"] is not None for row in by_group]
    assert sum(known) > len(known) / 2
    wanted = {"total": found(frame)} if road == "values" else {}
    for market in markets:
        wanted[market] = found(frame[frame.market.isna() if market is None else frame.market == market])
    for market, alone in wanted.items():
        is_total = market == "total"
        grouped = [
            row
            for row in by_group
            if (row.get("breakdown") == "total") == is_total and (is_total or row["market"] == market)
        ]
        assert len(grouped) == len(alone)
        for row, one in zip(grouped, alone, strict=True):
            assert {name: row[name] for name in one} == {
                name: pytest.approx(value, rel=1e-12, abs=1e-15) if isinstance(value, float) else value
                for name, value in one.items()
            }


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_equal_runs_have_a_probability_of_one(test):
    run, qrels = {"a": ["x"], "b": ["y", "x"]}, {"a": {"x": 1}, "b": {"x": 1}}
    [row] = quietly(rm.compare, run, {"same": run}, qrels, "rr", test=test).summary.dicts()
    assert (row["effect_size"], row["pvalue"], row["significant"]) == (0, 1, 0)


@pytest.mark.parametrize(("ranks", "n"), each_once([(3, 2), (7, 3), (10, 6)], [7, 40, 1_500]))
def test_what_rounding_leaves_of_equal_values_is_nothing(ranks, n):
    """Differences of 1/10 - 1/6 are the same in every query, and their draws differ in the last digit."""
    qrels = {f"q{number}": {"x": 1} for number in range(n)}
    old, new = ({query: [*map(str, range(rank - 1)), "x"] for query in qrels} for rank in ranks)
    given = {"test": "bootstrap", "resamples": 100}
    [row] = quietly(rm.compare, old, {"new": new}, qrels, "rr", **given).summary.dicts()
    undefined = ("statistic", "pvalue", "significant", "effect_size_ci_lower", "effect_size_ci_upper")
    assert [row["standard_error"], *(row[name] for name in undefined), row["verdict"]] == [0, *[None] * 5, "no test"]
    [value] = quietly(rm.evaluate, new, qrels, "rr", interval="bootstrap", resamples=100).summary.dicts()
    assert value["standard_error"] == 0
    arms = [{f"{name}{query}": items for query, items in run.items()} for name, run in (("a", old), ("b", new))]
    judged_arms = {name: {"x": 1} for run in arms for name in run}
    given |= {"design": "unpaired", "queries": "judged_retrieved"}
    [row] = quietly(rm.compare, arms[0], {"new": arms[1]}, judged_arms, "rr", **given).summary.dicts()
    assert [row["standard_error"], *(row[name] for name in undefined), row["verdict"]] == [0, *[None] * 5, "no test"]


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_seeds_share_no_draws(test):
    """At whatever distance: 1,000,003 is what a replicate adds, 998,244,353 what a bucket does."""
    rng = random.Random(2)
    qrels = judged(rng, 40)
    ours, theirs = run_of(rng, qrels), run_of(rng, qrels)

    def found(seed):
        asked = {"test": test, "seed": seed, "resamples": 100, "exact": "never", "correction": "none"}
        row = quietly(rm.compare, ours, {"b": theirs}, qrels, "ap", **asked).summary.dicts()[0]
        return row["standard_error"] if test == "bootstrap" else row["pvalue"]

    first = [found(seed) for seed in range(1, 5)]
    for distance in (1, 1_000_003, 998_244_353 - 1_000_003):
        other = [found(seed + distance) for seed in range(1, 5)]
        moved = [abs(one - another) / one for one, another in zip(first, other, strict=True)]
        assert sum(moved) / len(moved) > 0.03, distance


def test_another_seed_draws_other_numbers_and_the_same_the_same():
    rng = random.Random(1)
    qrels = judged(rng, 30)
    ours, theirs = run_of(rng, qrels), run_of(rng, qrels)
    found = [
        quietly(rm.compare, ours, {"b": theirs}, qrels, "ap", test="bootstrap", seed=seed).summary.dicts()[0]
        for seed in (0, 1, 0)
    ]
    errors = [row["standard_error"] for row in found]
    assert errors[0] == pytest.approx(errors[2], rel=1e-12)
    assert abs(errors[0] - errors[1]) > 1e-6


def test_text_and_python_say_the_same():
    rng = random.Random(4)
    qrels = judged(rng, 12)
    with duckdb.connect() as connection:
        for name, run in (("old", run_of(rng, qrels)), ("new", run_of(rng, qrels))):
            rows = [(query, item, score) for query, items in run.items() for item, score in items.items()]
            connection.execute(f"CREATE TABLE {name} (query_id VARCHAR, item_id VARCHAR, score DOUBLE)")
            fill(connection, name, rows)
        rows = [(query, item, grade) for query, items in qrels.items() for item, grade in items.items()]
        connection.execute("CREATE TABLE judged (query_id VARCHAR, item_id VARCHAR, relevance INTEGER)")
        fill(connection, "judged", rows)
        given = {"test": "bootstrap", "seed": 5}
        runs = {"old": "old", "new": "new"}
        text = connection.execute(rm.sql("ap", runs, "judged", level="compare", **given)).fetchall()
        found = quietly(rm.compare, "old", {"new": "new"}, "judged", "ap", connection=connection, **given)
        [one], [other] = text, found.summary.fetchall()
        assert one[:4] == other[:4]
        assert list(one[4:10]) == pytest.approx(list(other[4:10]), rel=1e-12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"test": "wilcoxon", "design": "unpaired"}, "test=wilcoxon needs pairs"),
        ({"test": "bootstrap", "resamples": 99}, "resamples cannot be 99"),
        ({"test": "bootstrap", "resamples": 100_001}, "resamples cannot be 100001"),
        ({"test": "bootstrap", "seed": -1}, "seed cannot be -1"),
        (
            {"test": "randomisation", "bootstrap_interval": "bca"},
            "bootstrap_interval=bca needs .* test=bootstrap. With",
        ),
        (
            {"test": "bootstrap", "bootstrap_interval": "bca", "design": "unpaired"},
            "bootstrap_interval=bca works with pairs",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.sql("ap", {"a": "runs", "b": "others"}, "judged", level="compare", **given)


def test_what_a_summary_has_no_use_for_is_refused():
    for given in ({"level": "summary"}, {"level": "summary", "interval": "t"}, {"level": "per_query"}):
        with pytest.raises(rm.UsageError, match=r"bootstrap_interval=bca needs .*interval=bootstrap"):
            rm.sql("ap", "run", "judged", bootstrap_interval="bca", **given)


def drawn_effects(rng, design):
    """Rows of a comparison by the bootstrap, each of another metric: of random values, many of which are equal."""
    sizes = [(rng.randint(7, 40), rng.randint(7, 40)) for _ in range(40)]
    rows = []
    for number, (n, m) in enumerate(sizes, start=1):
        levels, shift, tail = rng.choice([2, 3, 50]), rng.choice([0, 0.3, -0.6]), rng.choice([1, 4])
        for run, moved in (("old", 0), ("new", shift)):
            own = n if run == "old" or design == "paired" else m
            values = [round((rng.random() ** tail + moved) * levels) / levels for _ in range(own)]
            where = "" if design == "paired" else run
            rows += [(run, f"{where}{q}", number, f"p@{number}", value) for q, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["run_id", "query_id", "metric_number", "metric", "value"])


@pytest.mark.parametrize("kind", ["percentile", "bca", "arms"])
@pytest.mark.parametrize("seed", seeds(12, 1))
def test_an_effect_is_significant_where_its_interval_leaves_out_nothing(seed, kind):
    """At any level, of both sides and of one: what is significant and what its interval excludes is the same."""
    rng = random.Random(f"{seed} {kind}")
    given = {"design": "unpaired"} if kind == "arms" else {"bootstrap_interval": kind}
    given |= {"test": "bootstrap", "resamples": 100, "correction": "none", "seed": seed}
    stored = drawn_effects(rng, given.get("design", "paired"))
    metrics = list(dict.fromkeys(stored["metric"]))
    found = 0
    with duckdb.connect() as connection:
        connection.register("stored", stored)
        for level, alternative in product([0.95, 0.6], ["two_sided", "greater", "less"]):
            own = given | {"confidence_level": level, "alternative": alternative}
            runs = {"old": "runs", "new": "others"}
            text = rm.sql(metrics, runs, "judged", level="compare", baseline="old", values="stored", **own)
            for row in connection.execute(text).df().to_dict("records"):
                lower, upper = row["effect_size_ci_lower"], row["effect_size_ci_upper"]
                excludes = lower > 0 or upper < 0
                if row["verdict"] == "too few queries":  # whose p-value is not below what their signs allow
                    assert excludes or not row["significant"]
                    continue
                assert bool(row["significant"]) == excludes, (row, own)
                found += excludes
    assert 40 < found < 200


@pytest.mark.parametrize(("n", "is_said"), [(9, False), (10, True), (49, True), (50, False)])
def test_a_bootstrap_of_fewer_than_fifty_that_claims_is_warned_of(n, is_said):
    """Not of fewer than ten, where another warning speaks, nor without a claim; t, which is advised, has none."""
    run, qrels = {f"q{i}": ["x", "a"] for i in range(n)}, {f"q{i}": {"a": 1, "b": 1} for i in range(n)}
    better = {query: ["a", "b"] if query != "q0" else ["a", "x"] for query in run}
    for other, given, is_wanted in ((better, {}, is_said), (better, {"test": "t"}, False), (run, {}, False)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", rm.RankmetricsWarning)
            asked = {"test": "bootstrap", "resamples": 100} | given
            [row] = rm.compare(run, other, qrels, "ap", **asked).summary.dicts()
        assert row["verdict"] == ("better" if other is better else "no difference")
        assert any("test=bootstrap rejects too often" in str(one.message) for one in caught) == is_wanted
