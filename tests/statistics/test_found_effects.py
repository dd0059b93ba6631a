"""The sentence below a comparison about what size of effect it finds: scipy's quantiles, and statsmodels' power."""

from __future__ import annotations

import math
import random
import re
from decimal import ROUND_CEILING, Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats
from statsmodels.stats.power import TTestPower

import rankmetrics_sql as rm
from rankmetrics_sql.results.power import describe_power

from ..conftest import quietly
from ..everything import seeds
from ..results.test_verdicts import OPTIONS, effect
from .test_clusters import listed, users_of
from .test_compare import METRICS, judged, pair, run_of, values_of

FOUND = {"two_sided": "a difference", "greater": "a rise", "less": "a fall"}
SIDES = {"two_sided": "two-sided", "greater": "larger", "less": "smaller"}


def below(found):
    """What stands below a comparison about it, or nothing."""
    text = repr(found).splitlines()[-1]
    return (
        text[: text.index(" Sample ratio")]
        if " Sample ratio" in text
        else text
        if "is found" in text or "is shown" in text
        else ""
    )


def sizes(text):
    """The sizes by metric, of a sentence about several."""
    return {metric: float(size.replace(",", "")) for size, metric in re.findall(r"([-+\d.,]+) \(([^)]+)\)", text)}


def two_digits(size):
    """Rounded up, so that no smaller effect is promised."""
    number = Decimal(size * (1 - 1e-7))
    return float(number.quantize(Decimal(1).scaleb(number.adjusted() - 1), rounding=ROUND_CEILING))


def asked(rng):
    options = {"confidence_level": rng.choice([0.95, 0.8]), "alternative": rng.choice(list(FOUND))}
    options |= {"correction": rng.choice(["holm", "none"])}
    return options | rng.choice([{}, {}, {"power": 0.9}]) | rng.choice([{}, {}, {"test": "randomisation"}])


def quantiles(options, degrees, n_tests=1):
    """Of the level at Holm's first step, and of the power."""
    divisor = (2 if options["alternative"] == "two_sided" else 1) * (1 if options["correction"] == "none" else n_tests)
    return stats.t.ppf([1 - (1 - options["confidence_level"]) / divisor, options.get("power", 0.8)], degrees)


@pytest.mark.parametrize("seed", seeds(40, 2))
def test_pairs_find_what_statsmodels_says(seed):
    rng, qrels, ours, theirs, *values = pair(seed, sizes=(12, 50, 300))
    options = asked(rng)
    text = below(quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, resamples=100, **options))
    often = "90 % of the time" if "power" in options else "80 % of the time"
    assert text.startswith(f"With {len(qrels)} queries, {FOUND[options['alternative']]} of ")
    assert text.endswith(f" or more is found {often}.")
    found = sizes(text)
    differs = {metric: np.count_nonzero(values[1][metric] != values[0][metric]) for metric in METRICS}
    assert [*found] == [metric for metric in METRICS if differs[metric] > 5]
    for metric, size in found.items():
        differences = values[1][metric] - values[0][metric]
        points = quantiles(options, len(differences) - 1, len(METRICS))
        assert size == pytest.approx(two_digits(points.sum() * stats.sem(differences)), rel=1e-9)
        sign = -1 if options["alternative"] == "less" else 1
        given = {"nobs": len(differences), "alpha": 1 - options["confidence_level"]}
        given["alpha"] /= 1 if options["correction"] == "none" else len(METRICS)
        given["alternative"] = SIDES[options["alternative"]]
        shares = [
            TTestPower().power(sign * share * size / differences.std(ddof=1), **given) for share in (1.02, 1, 0.88)
        ]
        wanted = options.get("power", 0.8)
        assert shares[0] > wanted > shares[2]
        assert shares[1] > wanted - 0.01


@pytest.mark.parametrize("seed", seeds(40, 2))
def test_arms_find_what_both_spreads_say(seed):
    """With the degrees of freedom of Welch, and the noncentral t of these."""
    rng = random.Random(seed)
    qrels = judged(rng, rng.choice([20, 50, 300]))
    queries = list(qrels)
    cut = rng.randint(8, len(queries) - 8)
    runs = [run_of(rng, {query: qrels[query] for query in own}) for own in (queries[:cut], queries[cut:])]
    options = asked(rng)
    given = {"design": "unpaired", "queries": "judged_retrieved", "resamples": 100}
    found = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, METRICS, **given, **options)
    values = [values_of(run, qrels) for run in runs]
    text = below(found)
    assert text.startswith(f"With {len(queries)} queries, {FOUND[options['alternative']]} of ")
    for metric, size in sizes(text).items():
        variances = [own[metric].var(ddof=1) / len(own[metric]) for own in values]
        parts = [v**2 / (len(own[metric]) - 1) for v, own in zip(variances, values, strict=True)]
        degrees, error = sum(variances) ** 2 / sum(parts), math.sqrt(sum(variances))
        points = quantiles(options, degrees, len(METRICS))
        last_digit = 10.0 ** (math.floor(math.log10(size)) - 1)
        assert size == pytest.approx(two_digits(points.sum() * error), abs=1.01 * last_digit)
        assert stats.nct.sf(points[0], degrees, size / error) > options.get("power", 0.8) - 0.01
        assert stats.nct.sf(points[0], degrees, 0.88 * size / error) < options.get("power", 0.8)
    assert set(sizes(text)) == set(METRICS)


def test_of_clusters_there_are_as_many_as_users():
    rng = random.Random(4)
    qrels = judged(rng, 60)
    users = users_of(rng, qrels, 9)
    given = {"query_list": listed(users), "cluster": "user_id"}
    found = quietly(rm.compare, run_of(rng, qrels), {"b": run_of(rng, qrels)}, qrels, "ap", **given)
    [row] = found.summary.dicts()
    reach = (row["effect_size_ci_upper"] - row["effect_size"]) / row["standard_error"]
    degrees = optimize.brentq(lambda number: stats.t.ppf(0.975, number) - reach, 1, 1000)
    assert degrees < row["n_clusters"] - 1
    size = quantiles(OPTIONS, degrees).sum()
    text = f"{two_digits(size * row['standard_error']):.12g}"
    assert re.fullmatch(rf"With 60 queries, a difference of {text}0? or more is found 80 % of the time\.", below(found))


def test_groups_and_many_metrics_are_ranges():
    rng = random.Random(6)
    qrels = judged(rng, 80)
    frame = {"query_id": list(qrels), "market": ["de" if n < 50 else "fr" for n in range(80)]}
    runs = run_of(rng, qrels), {"b": run_of(rng, qrels)}
    found = quietly(rm.compare, *runs, qrels, "ap", query_list=pd.DataFrame(frame), by="market")
    per = [
        two_digits(quantiles(OPTIONS, row["n_queries"] - 1, 2).sum() * row["standard_error"])
        for row in found.summary.dicts()
    ]
    [(low, high)] = re.findall(r"With 30 to 50 queries, a difference of ([\d.]+) to ([\d.]+) or more", below(found))
    assert [float(low), float(high)] == pytest.approx(sorted(per))
    metrics = ["ap", "rr", "ndcg@5", "p@2", "recall@2", "num_rel_ret@2"]
    found = quietly(rm.compare, *runs, qrels, metrics)
    rows = [row for row in found.summary.dicts() if row["metric"] != "num_rel_ret@2"]
    least, greatest = (pick(rows, key=lambda row: row["standard_error"])["metric"] for pick in (min, max))
    assert list(sizes(below(found))) == [least, greatest]
    assert f" ({least}) to " in below(found)


@pytest.mark.parametrize(("alternative", "metric"), [("greater", "ap"), ("less", "fallout@3")])
def test_with_a_margin_it_is_what_is_shown_to_be_no_worse(alternative, metric):
    _, qrels, ours, theirs, *_ = pair(5, sizes=(50,))
    options = {"margin": 0.05, "alternative": alternative}
    text = below(quietly(rm.compare, ours, {"b": theirs}, qrels, metric, **options))
    side = "lower" if alternative == "greater" else "higher"
    start = "With 50 queries, a candidate that differs by "
    assert start in text
    end = f" is shown to be not {side} by more than 0.05 80 % of the time."
    size = float(text.partition(start)[2].removesuffix(end))
    first, second = (
        np.array([row[metric] for row in quietly(rm.evaluate, run, qrels, metric).per_query.dicts()])
        for run in (ours, theirs)
    )
    least = quantiles({**OPTIONS, **options}, 49).sum() * stats.sem(second - first) - 0.05
    wanted = least if alternative == "greater" else -least
    assert size == pytest.approx(wanted, rel=0.1)
    assert (size - wanted) * (1 if alternative == "greater" else -1) >= -1e-12


@pytest.mark.parametrize(
    "given",
    [
        {"test": "sign"},
        {"test": "wilcoxon"},
        {"standard_error": 0.0},
        {"standard_error": None},
        {"pvalue": None},
        {"n_higher": 3, "n_lower": 2},
        {"n_queries": 5},
        {"effect_size_ci_lower": None, "effect_size_ci_upper": None},
    ],
)
def test_nothing_is_said_of_what_is_not_known(given):
    row = effect(standard_error=0.05, n_higher=9, n_lower=4)
    assert describe_power([row], OPTIONS) == "With 20 queries, a difference of 0.15 or more is found 80 % of the time."
    assert describe_power([{**row, **given}], OPTIONS) == ""
    other = {**effect("c", "ap", standard_error=0.05, n_higher=9, n_lower=4), "n_queries": 30}
    alone = {**OPTIONS, "correction": "none"}
    assert describe_power([{**row, **given}, other], alone).startswith("With 30 queries, a difference of 0.15 or more")


def test_equal_differences_and_few_queries_find_nothing_that_could_be_named():
    run, qrels = {f"q{n}": ["x"] for n in range(9)}, {f"q{n}": {"x": 1} for n in range(9)}
    worse = {query: ["y", "x"] for query in run}
    assert " find " not in repr(quietly(rm.compare, run, {"b": worse}, qrels, "rr"))
    few = {query: ["y", "x"] if query < "q4" else ["x"] for query in run}
    assert " find " not in repr(quietly(rm.compare, run, {"b": few}, qrels, "rr"))


def test_the_power_that_was_asked_for_agrees_with_its_column():
    _, qrels, ours, theirs, *_ = pair(7, sizes=(50,))
    found = quietly(rm.compare, ours, {"b": theirs}, qrels, "ap", power=0.9)
    [row] = found.summary.dicts()
    text = f"{two_digits(row['min_detectable_effect']):.12g}"
    assert re.fullmatch(rf"With 50 queries, a difference of {text}0? or more is found 90 % of the time\.", below(found))
