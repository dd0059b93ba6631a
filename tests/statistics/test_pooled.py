"""Errors of values that all queries have together, by the delta method, beside the formula in numpy.

The influence of a query on a ratio of sums is (p1 - R * p2) / mean(p2); on the root of one that over twice the root; on
the F of averages what its gradient says.
"""

from __future__ import annotations

import math
import random

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import seeds
from .test_clusters import robust

METRICS = ["ctr_pooled@3", "rmse", "mae", "rating_bias", "arp", "f(f_beta=of_averages, beta=2, k=3)", "ap"]


def judged(rng, queries):
    """Grades of items, of which a list shows some, or none."""
    return {query: {f"d{item}": rng.choice([0, 0, 1, 2]) for item in range(7)} | {"d7": 1} for query in queries}


def run_of(rng, qrels, spread=1.0, least=0):
    shown = {query: rng.sample(list(grades), rng.randint(least, 6)) for query, grades in qrels.items()}
    return {query: {item: spread * rng.random() for item in items} for query, items in shown.items()}


def parts_of(run, qrels):
    """Of each metric the sums of every query, by rank of the greatest score, and what the totals and influences are."""
    found = {name: [] for name in METRICS}
    for query, grades in qrels.items():
        shown = sorted(run.get(query, {}).items(), key=lambda pair: -pair[1])
        errors = [score - grades[item] for item, score in shown]
        gains = [grades[item] for item, _ in shown]
        hits = sum(gain > 0 for gain in gains[:3])
        relevant = sum(grade > 0 for grade in grades.values())
        precisions = [sum(gain > 0 for gain in gains[: r + 1]) / (r + 1) for r, gain in enumerate(gains) if gain > 0]
        for name, pair in zip(
            METRICS,
            (
                (hits, len(gains[:3])),
                (math.fsum(error**2 for error in errors), len(errors)),
                (math.fsum(map(abs, errors)), len(errors)),
                (math.fsum(errors), len(errors)),
                (sum(gain * (rank + 1) for rank, gain in enumerate(gains)), sum(gains)),
                (hits / 3, hits / relevant),
                (sum(precisions) / relevant, 1),
            ),
            strict=True,
        ):
            found[name].append(pair)
    return {name: np.array(rows, dtype=float) for name, rows in found.items()}


def influences(name, parts):
    """The value of all queries together, and how far each query moves it."""
    one, other = parts[:, 0], parts[:, 1]
    if name.startswith("f("):
        p, r = one.mean(), other.mean()
        below = (4 * p + r) ** 2
        slopes = [5 * r * r / below, 5 * 4 * p * p / below] if below else [0, 0]
        return 5 * p * r / (4 * p + r) if below else 0.0, slopes[0] * (one - p) + slopes[1] * (other - r)
    ratio = one.sum() / other.sum()
    moved = (one - ratio * other) / other.mean()
    if name != "rmse":
        return ratio, moved
    return math.sqrt(ratio), moved / (2 * math.sqrt(ratio))


def error_of(moved, clusters=None):
    n = len(moved)
    if clusters is None:
        return moved.std(ddof=1) / math.sqrt(n), n - 1
    found = robust(moved, clusters)
    return found.error, found.degrees


def users_of(rng, queries):
    return {query: f"u{rng.randrange(5)}" for query in queries} | dict(zip(queries, ("u0", "u1"), strict=False))


def listed(users):
    return pd.DataFrame({"query_id": list(users), "user_id": list(users.values())})


def check(row, effect, error, degrees, level):
    reach = stats.t.ppf((1 + level) / 2, degrees) * error
    assert row["effect_size"] == pytest.approx(effect, rel=1e-9, abs=1e-12)
    assert row["standard_error"] == pytest.approx(error, rel=1e-9)
    assert row["pvalue"] == pytest.approx(2 * stats.t.sf(abs(effect) / error, degrees), rel=1e-8)
    ends = [row["effect_size_ci_lower"], row["effect_size_ci_upper"]]
    assert ends == pytest.approx([effect - reach, effect + reach], rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("seed", seeds(12, 2))
def test_intervals(seed):
    rng = random.Random(seed)
    qrels = judged(rng, [f"q{number}" for number in range(rng.choice([4, 30, 200]))])
    run = run_of(rng, qrels)
    run["q0"] = {"d7": 0.5}
    users = users_of(rng, list(qrels))
    clustered = seed % 2
    given = {"query_list": listed(users), "cluster": "user_id"} if clustered else {"queries": "judged"}
    found = quietly(rm.evaluate, run, qrels, METRICS, interval="t", confidence_level=0.9, **given)
    for row, (name, parts) in zip(found.summary.dicts(), parts_of(run, qrels).items(), strict=True):
        value, moved = influences(name, parts)
        error, degrees = error_of(moved, [users[query] for query in qrels] if clustered else None)
        reach = stats.t.ppf(0.95, degrees) * error
        assert (row["value"], row["standard_error"]) == pytest.approx((value, error), rel=1e-9)
        assert [row["ci_lower"], row["ci_upper"]] == pytest.approx([value - reach, value + reach], rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("seed", seeds(12, 2))
def test_pairs(seed):
    rng = random.Random(seed)
    qrels = judged(rng, [f"q{number}" for number in range(rng.choice([5, 40, 200]))])
    runs = [run_of(rng, qrels, spread) for spread in (1, 2, 1)]
    for run in runs:
        run["q0"] = {"d7": rng.random()}
    users = users_of(rng, list(qrels))
    clustered = seed % 2
    given = {"query_list": listed(users), "cluster": "user_id"} if clustered else {"queries": "judged"}
    candidates = {"b": runs[1], "c": runs[2]}
    rows = quietly(rm.compare, runs[0], candidates, qrels, METRICS, confidence_level=0.8, **given).summary.dicts()
    ours = parts_of(runs[0], qrels)
    for row in rows:
        base, from_base = influences(row["metric"], ours[row["metric"]])
        value, moved = influences(row["metric"], parts_of(candidates[row["run"]], qrels)[row["metric"]])
        clusters = [users[query] for query in qrels] if clustered else None
        assert (row["baseline"], row["candidate"]) == pytest.approx((base, value), rel=1e-9)
        check(row, value - base, *error_of(moved - from_base, clusters), 0.8)
        error, degrees = error_of(moved / value - from_base / base, clusters)
        reach = stats.t.ppf(0.9, degrees) * error
        if base > 0 and value > 0 and reach < 500:
            ends = [value / base * math.exp(sign * reach) - 1 for sign in (-1, 1)]
            relative = [row["rel_effect_size_ci_lower"], row["rel_effect_size_ci_upper"]]
            assert relative == pytest.approx(ends, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("seed", seeds(12))
def test_arms(seed):
    rng = random.Random(seed)
    qrels = judged(rng, [f"q{number}" for number in range(rng.choice([12, 90]))])
    names = list(qrels)
    cut = rng.randint(5, len(names) - 5)
    arms = [{query: qrels[query] for query in some} for some in (names[:cut], names[cut:])]
    runs = [run_of(rng, arm, spread, 1) for arm, spread in zip(arms, (1, 2), strict=True)]
    given = {"design": "unpaired", "queries": "judged_retrieved", "confidence_level": 0.9}
    for row in quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, METRICS, **given).summary.dicts():
        both = [influences(row["metric"], parts_of(*pair)[row["metric"]]) for pair in zip(runs, arms, strict=True)]
        (base, one), (value, other) = [(value, error_of(moved)) for value, moved in both]
        variances = [one[0] ** 2, other[0] ** 2]
        parts = variances[0] ** 2 / one[1] + variances[1] ** 2 / other[1]
        check(row, value - base, math.sqrt(sum(variances)), sum(variances) ** 2 / parts, 0.9)
        assert (row["n_higher"], row["prob_superiority"]) == (None, None)


def test_groups_and_totals():
    """A group is as its queries alone, and the total as without groups."""
    rng = random.Random(5)
    qrels = judged(rng, [f"q{number}" for number in range(30)])
    run, users = run_of(rng, qrels), users_of(rng, list(qrels))
    given = {"interval": "t", "queries": "judged"}
    found = quietly(
        rm.evaluate, run, qrels, METRICS, query_list=listed(users), by=["user_id"], rollup=True, **given
    ).summary.dicts()
    for user in (*sorted(set(users.values())), None):
        some = {query: grades for query, grades in qrels.items() if user in (None, users[query])}
        alone = quietly(rm.evaluate, run, some, METRICS, **given).summary.dicts()
        own = [row for row in found if row["user_id"] == user]
        for row, expected in zip(own, alone, strict=True):
            names = ("value", "n_queries", "standard_error", "ci_lower", "ci_upper")
            assert [row[name] for name in names] == pytest.approx([expected[name] for name in names], rel=1e-9)


RATIOS = ["ctr_pooled@3", "rmse", "mae", "rating_bias"]


def moved_by(name, parts):
    """How far each query moves the value, by weighing it a little more and a little less: no formula of ours."""

    def value(weights):
        ratio = (weights * parts[:, 0]).sum() / (weights * parts[:, 1]).sum()
        return math.sqrt(ratio) if name == "rmse" else ratio

    n, step = len(parts), 1e-4
    sides = [[value(1 + sign * step * (np.arange(n) == query)) for query in range(n)] for sign in (1, -1)]
    return value(np.ones(n)), n * (np.array(sides[0]) - np.array(sides[1])) / (2 * step)


def in_market(market, users, *tables):
    """What of tables by query is of the users of a market."""
    kept = [query for query, user in users.items() if MARKETS[user] == market]
    return [{query: table[query] for query in kept if query in table} for table in tables]


MARKETS = {f"u{number}": "de" if number % 4 < 2 else "se" for number in range(12)}


def asked_about(users):
    return pd.DataFrame(
        {"query_id": [*users], "user_id": [*users.values()], "market": [MARKETS[user] for user in users.values()]}
    )


def by_student(effect, error, degrees, options, is_lower_better):
    """P-value and ends by Student's t: two-sided, or of one side and against a margin or a limit."""
    level, side = options.get("confidence_level", 0.95), options.get("alternative", "two_sided")
    away = effect + {"two_sided": 0, "greater": 1, "less": -1}[side] * options.get("margin", 0)
    if "limit" in options:
        away = effect + (-1 if is_lower_better else 1) * options["limit"]
    if side == "two_sided":
        reach = stats.t.ppf((1 + level) / 2, degrees) * error
        return 2 * stats.t.sf(abs(away) / error, degrees), [effect - reach, effect + reach]
    reach = stats.t.ppf(level, degrees) * error
    if side == "greater":
        return stats.t.sf(away / error, degrees), [effect - reach, None]
    return stats.t.cdf(away / error, degrees), [None, effect + reach]


CROSSED = {
    "groups": {"by": "market", "confidence_level": 0.8},
    "groups of clusters": {"by": "market", "cluster": "user_id"},
    "a margin of clusters": {"cluster": "user_id", "margin": 0.05, "alternative": "less", "confidence_level": 0.9},
    "a margin in groups": {"by": "market", "margin": 0.05, "alternative": "greater"},
    "limits of clusters in groups": {"by": "market", "cluster": "user_id", "limits": dict.fromkeys(RATIOS, 0.2)},
}


@pytest.mark.parametrize("design", ["paired", "unpaired"])
@pytest.mark.parametrize("name", CROSSED)
def test_ratios_in_groups_of_clusters_and_within_margins(name, design):
    """Beside finite differences: of pairs, and of arms with users of their own; users have 2 to 8 queries."""
    rng, options = random.Random(len(name)), CROSSED[name]
    numbers = [number for number in range(96) if number % 12 < 8 or number < 24]
    qrels = judged(rng, [f"q{number}" for number in numbers])
    users = {f"q{number}": f"u{number % 12}" for number in numbers}
    of_arm = [set([*qrels][arm::2]) if design == "unpaired" else set(qrels) for arm in (0, 1)]
    runs = [
        {query: items for query, items in run_of(rng, qrels, spread, 1).items() if query in own}
        for spread, own in zip((1, 2), of_arm, strict=True)
    ]
    given = {"query_list": asked_about(users), "design": design, "correction": "none", **options}
    given |= {"queries": "judged_retrieved"} if design == "unpaired" else {}
    rows = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, RATIOS, **given).summary.dicts()
    assert len(rows) == len(RATIOS) * (2 if "by" in options else 1)
    for row in rows:
        tables = [*runs, qrels]
        if "by" in options:
            tables = in_market(row["market"], users, *tables)
        label = row["metric"]
        truths = [{query: tables[2][query] for query in run} for run in tables[:2]]
        found = [moved_by(label, parts_of(run, truth)[label]) for run, truth in zip(tables[:2], truths, strict=True)]
        owners = [[users[query] for query in truth] for truth in truths]
        error, degrees = (error_of_arms if design == "unpaired" else error_of_pairs)(
            [moved for _, moved in found], owners, is_clustered="cluster" in options
        )
        effect = found[1][0] - found[0][0]
        asked = options | ({"limit": 0.2} if "limits" in options else {})
        pvalue, ends = by_student(effect, error, degrees, asked, label in ("rmse", "mae"))
        assert row["effect_size"] == pytest.approx(effect, rel=1e-9, abs=1e-12)
        assert row["standard_error"] == pytest.approx(error, rel=1e-6)
        assert row["pvalue"] == pytest.approx(pvalue, rel=1e-5)
        for end, side in zip(ends, ("lower", "upper"), strict=True):
            assert row[f"effect_size_ci_{side}"] == (None if end is None else pytest.approx(end, rel=1e-5, abs=1e-7))


def error_of_pairs(moved, owners, *, is_clustered):
    return error_of(moved[1] - moved[0], owners[0] if is_clustered else None)


def error_of_arms(moved, owners, *, is_clustered):
    """Welch's and Satterthwaite's, of arms with users of their own."""
    both = [error_of(one, own if is_clustered else None) for one, own in zip(moved, owners, strict=True)]
    variances = [error**2 for error, _ in both]
    total = sum(variances)
    degrees = total**2 / sum(variance**2 / degrees for variance, (_, degrees) in zip(variances, both, strict=True))
    return math.sqrt(total), degrees


def test_queries_of_both_only():
    """Sums are of the queries that both runs have, and what is left out is said."""
    rng = random.Random(6)
    qrels = judged(rng, [f"q{number}" for number in range(20)])
    ours, theirs = run_of(rng, qrels, least=1), run_of(rng, qrels, least=1)
    for query in ("q1", "q2"):
        del ours[query]
    del theirs["q3"]
    kept = {query: grades for query, grades in qrels.items() if query not in ("q1", "q2", "q3")}
    given = {"queries": "judged_retrieved"}
    [row] = quietly(rm.compare, ours, {"b": theirs}, qrels, "ctr_pooled@3", **given).summary.dicts()
    [alone] = quietly(rm.compare, ours, {"b": theirs}, kept, "ctr_pooled@3", **given).summary.dicts()
    assert row["n_left_out"] == 3
    assert {**row, "n_left_out": 0} == pytest.approx({**alone})


@pytest.mark.parametrize("design", ["paired", "unpaired"])
def test_nothing_differs(design):
    rng = random.Random(7)
    qrels = judged(rng, [f"q{number}" for number in range(20)])
    run = run_of(rng, qrels)
    given = {"design": design, "queries": "judged"}
    for row in quietly(rm.compare, run, {"b": run}, qrels, METRICS, **given).summary.dicts():
        assert (row["effect_size"], row["pvalue"]) == (0, 1)


def test_few_queries_and_no_spread():
    """One query has no error; where each has the same share the error is 0; nothing shown is 0, as it is defined."""
    qrels = {f"q{number}": {"a": 1, "b": 0} for number in range(3)}
    shown = {query: {"a": 2, "b": 1} for query in qrels}
    [one] = quietly(rm.evaluate, {"q0": shown["q0"]}, {"q0": qrels["q0"]}, "ctr_pooled", interval="t").summary.dicts()
    assert (one["value"], one["standard_error"], one["ci_lower"]) == (0.5, None, None)
    [same] = quietly(rm.evaluate, shown, qrels, "ctr_pooled", interval="t").summary.dicts()
    assert (same["value"], same["standard_error"], same["ci_lower"]) == (0.5, 0, 0.5)
    given = {"query_list": listed({"q0": "u", "q1": "v", "q2": "v"}), "by": ["user_id"]}
    first = {"q0": shown["q0"]}
    _, none = quietly(rm.evaluate, first, qrels, "ctr_pooled", interval="t", **given).summary.dicts()
    assert (none["value"], none["standard_error"]) == (0, 0)
    *_, row = quietly(rm.compare, shown, {"b": first}, qrels, "ctr_pooled", **given).summary.dicts()
    assert (row["candidate"], row["effect_size"], row["pvalue"]) == (0, -0.5, None)


def test_without_an_error():
    """The effective sample size is no ratio of two sums: it has a value, and no error."""
    rows = [("q1", "a", 1, 0.5, 0.9), ("q1", "b", 0, 0.25, 0.1), ("q2", "a", 1, 0.5, 0.2), ("q2", "b", 1, 1, 1)]
    frame = pd.DataFrame(rows, columns=["query_id", "item_id", "relevance", "propensity", "target"])
    frame["score"] = [2, 1, 2, 1]
    columns = {name: name for name in ("propensity", "target", "score", "relevance")}
    found = quietly(rm.labelled, frame, ["ess", "snips"], columns=columns, interval="t").summary.dicts()
    assert [row["standard_error"] is None for row in found] == [True, False]


def test_a_covariate_adjusts_no_geometric_mean_and_a_warning_says_so():
    rng = random.Random(8)
    qrels = judged(rng, [f"q{number}" for number in range(40)])
    runs = [run_of(rng, {query: qrels[query] for query in [*qrels][arm::2]}, least=1) for arm in (0, 1)]
    before = pd.DataFrame({"query_id": [*qrels], "before": [rng.random() for _ in qrels]})
    given = {"design": "unpaired", "queries": "judged_retrieved", "query_list": before}
    metrics = ["gm_map", "ctr_pooled@3"]
    plain = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, metrics, **given)
    found = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, metrics, covariate="before", **given)
    said = "gm_map: a covariate adjusts only means and ratios of sums, so this effect is not adjusted."
    assert (said in found.warnings, said in plain.warnings) == (True, False)
    assert not any(text.startswith("ctr_pooled@3: a covariate") for text in found.warnings)
    names = ("effect_size", "standard_error", "pvalue")
    geometric, ratios = zip(plain.summary.dicts(), found.summary.dicts(), strict=True)
    assert [geometric[0][name] for name in names] == [geometric[1][name] for name in names]
    assert ratios[0]["standard_error"] != ratios[1]["standard_error"]
    assert geometric[1]["variance_reduction"] is None


def test_refused():
    with pytest.raises(
        rm.UsageError, match=r"test=bootstrap needs a value for each query.*Take test=t, or aggregate=mean"
    ):
        rm.compare({"q": ["a"]}, {"b": {"q": ["a"]}}, {"q": {"a": 1}}, "ctr_pooled", test="bootstrap")
