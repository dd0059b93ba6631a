"""Exact p-values of few pairs, beside scipy's: binomial, signed ranks with and without ties, all patterns of signs."""

from __future__ import annotations

import random
from itertools import product

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import each_once, seeds
from .test_compare import METRICS, corrected, judged, run_of, values_of

ALTERNATIVES = ["two_sided", "greater", "less"]
MOST = {"sign": 1000, "wilcoxon": 50}


def compared(effects, **given):
    """The rows of a comparison whose pairs differ by such numbers: a metric for each list of them."""
    metrics = [f"p@{number}" for number in range(1, len(effects) + 1)]
    rows = [
        (run, f"q{query:04}", number, metric, float(0.5 if run == "old" else 0.5 + difference))
        for number, (metric, differences) in enumerate(zip(metrics, effects, strict=True), start=1)
        for query, difference in enumerate(differences)
        for run in ("old", "new")
    ]
    with duckdb.connect() as connection:
        stored = pd.DataFrame(rows, columns=["run_id", "query_id", "metric_number", "metric", "value"])
        connection.register("stored", stored)
        runs = {"old": "runs", "new": "others"}
        text = rm.sql(metrics, runs, "judged", level="compare", baseline="old", values="stored", **given)
        found = connection.execute(text).df().to_dict("records")
    by_metric = {row["metric"]: row for row in found}
    return [by_metric[metric] for metric in metrics]


def signs(differences, alternative):
    """The binomial test of scipy."""
    higher, lower = (differences > 0).sum(), (differences < 0).sum()
    return stats.binomtest(int(higher), int(higher + lower), alternative=alternative.replace("_", "-")).pvalue


def ranked(differences, alternative):
    """scipy's without ties; else a twin that counts the patterns of each sum, adding rank after rank, in integers."""
    differences = differences[differences != 0]
    sizes = np.abs(differences)
    if len(set(sizes)) == len(sizes):
        given = {"method": "exact", "correction": False, "alternative": alternative.replace("_", "-")}
        return stats.wilcoxon(differences, **given).pvalue
    doubled = (2 * stats.rankdata(sizes)).astype(int)
    n_patterns = [1]
    for rank in doubled:
        longer = n_patterns + [0] * rank
        n_patterns = [n + (longer[place - rank] if place >= rank else 0) for place, n in enumerate(longer)]
    higher = int(doubled[differences > 0].sum())
    above, below = sum(n_patterns[higher:]), sum(n_patterns[: higher + 1])
    found = {"greater": above, "less": below, "two_sided": 2 * min(above, below)}[alternative]
    return min(1, found / 2 ** len(doubled))


def permuted(differences, alternative):
    """scipy's test of ranks by all patterns of signs, or as many as there are."""
    differences = differences[differences != 0]
    places = stats.rankdata(np.abs(differences))
    found = stats.permutation_test(
        (np.sign(differences) * places,),
        np.sum,
        permutation_type="samples",
        n_resamples=np.inf,
        alternative=alternative.replace("_", "-"),
    )
    return found.pvalue


def drawn(rng, n, kind):
    """Differences: that tie, without ties, or all of one sign; exact numbers, so that no rounding decides."""
    if kind == "tied":
        return [rng.choice([-3, -2, -1, 0, 0, 1, 1, 2, 4]) / 8 for _ in range(n)]
    sizes = rng.sample(range(1, 5 * n + 5), n)
    return [size / 64 * (1 if kind == "rising" else rng.choice([-1, 1, 1])) for size in sizes]


def effects_of(rng, sizes):
    return [drawn(rng, n, kind) for n in sizes for kind in ("tied", "apart", "rising")]


def wanted(test, differences, alternative):
    differences = np.array(differences)
    n = int((differences != 0).sum())
    if n == 0:
        return 1, "exact"
    if n <= MOST[test]:
        return {"sign": signs, "wilcoxon": ranked}[test](differences, alternative), "exact"
    if test == "wilcoxon":
        given = {"method": "asymptotic", "correction": False, "alternative": alternative.replace("_", "-")}
        return stats.wilcoxon(differences[differences != 0], **given).pvalue, "normal"
    score = ((differences > 0).sum() - (differences < 0).sum()) / n**0.5
    return {"two_sided": 2 * stats.norm.sf(abs(score)), "greater": stats.norm.sf(score), "less": stats.norm.cdf(score)}[
        alternative
    ], "normal"


@pytest.mark.parametrize(("alternative", "test"), each_once(ALTERNATIVES, list(MOST)))
def test_few_pairs_have_exact_values(test, alternative):
    """Of all sizes up to 12, of those around the limit, and one within; from one query on."""
    rng = random.Random(f"{test} {alternative}")
    effects = effects_of(rng, [*range(1, 13), 30, MOST[test] - 1, MOST[test], MOST[test] + 1])
    effects += [[0.0] * 4, [0.0], [0.25, *[0.0] * 30]]
    for row, differences in zip(compared(effects, test=test, alternative=alternative), effects, strict=True):
        pvalue, method = wanted(test, differences, alternative)
        assert (row["test"], row["method"]) == (test, method)
        assert row["pvalue"] == pytest.approx(pvalue, rel=1e-9, abs=0), differences


@pytest.mark.parametrize("seed", seeds(12, 3))
def test_tied_ranks_are_those_of_all_patterns(seed):
    rng, alternative = random.Random(seed), ALTERNATIVES[seed % 3]
    effects = [[*drawn(rng, rng.randint(3, 14), "tied"), 0.5] for _ in range(6)]
    for row, differences in zip(compared(effects, test="wilcoxon", alternative=alternative), effects, strict=True):
        found = permuted(np.array(differences), alternative)
        assert row["pvalue"] == pytest.approx(found, rel=1e-9)


def test_the_least_of_fifty_ranks_is_one_pattern():
    """2^-50 by cosines, whose sum is near 1: only the count of patterns, a whole number, knows it."""
    rising = [(number + 1) / 64 for number in range(50)]
    for alternative, least in {"two_sided": 2**-49, "greater": 2**-50, "less": 1}.items():
        [row] = compared([rising], test="wilcoxon", alternative=alternative)
        assert row["pvalue"] == least


def test_equal_pairs_have_a_probability_of_one_exactly():
    for test in MOST:
        [row] = compared([[0.0] * 5], test=test)
        assert (row["pvalue"], row["pvalue_adj"], row["significant"], row["method"]) == (1, 1, 0, "exact")


@pytest.mark.parametrize(("test", "correction"), each_once(list(MOST), ["holm", "bonferroni", "bh", "by", "none"]))
def test_a_family_is_corrected_over_exact_values(test, correction):
    """And its intervals are at the level of the correction, as with other tests."""
    effects = effects_of(random.Random(7), [5, 9, 20])
    rows = compared(effects, test=test, correction=correction)
    exact = [wanted(test, differences, "two_sided")[0] for differences in effects]
    assert [row["pvalue_adj"] for row in rows] == pytest.approx(corrected(exact, correction), rel=1e-9)
    if correction != "none":
        levelled = compared(effects, test=test, correction=correction, interval_level="corrected")
        assert [row["pvalue_adj"] for row in levelled] == pytest.approx(corrected(exact, correction), rel=1e-9)


@pytest.mark.parametrize("test", list(MOST))
def test_never_is_the_normal_distribution(test):
    effects = effects_of(random.Random(8), [6, 20])
    for row in compared(effects, test=test, exact="never"):
        assert "method" not in row
    normal = compared(effects, test=test, exact="never")
    exact = compared(effects, test=test)
    assert all(one["pvalue"] != other["pvalue"] for one, other in zip(normal, exact, strict=True) if one["pvalue"] < 1)


def all_signs(differences, alternative):
    """The exact test of scipy: of the mean, over all patterns of signs."""
    found = stats.permutation_test(
        (np.array(differences),),
        np.mean,
        permutation_type="samples",
        n_resamples=np.inf,
        alternative=alternative.replace("_", "-"),
    )
    return found.pvalue


@pytest.mark.parametrize(("alternative", "resamples"), each_once(ALTERNATIVES, [100, 1000, 1024, 5000]))
def test_all_patterns_of_few_signs(resamples, alternative):
    """Each effect by how many pairs it has itself: up to the limit exactly, beyond by draws."""
    rng = random.Random(f"{resamples} {alternative}")
    most = resamples.bit_length() - 1
    sizes = [2, 3, most - 1, most, most + 1]
    effects = [*effects_of(rng, sizes), [0.0] * 3]
    given = {"test": "randomisation", "resamples": resamples, "alternative": alternative}
    for row, differences in zip(compared(effects, **given), effects, strict=True):
        if len(differences) > most:
            assert row["method"] == "draws"
            assert row["pvalue"] * (resamples + 1) == pytest.approx(round(row["pvalue"] * (resamples + 1)))
            continue
        assert row["method"] == "exact"
        assert row["pvalue"] == pytest.approx(all_signs(differences, alternative), rel=1e-9), differences


def in_errors(frame, signs):
    """The mean difference in its errors by clusters, each with a sign."""
    signed = frame["difference"] * frame["who"].map(signs)
    away = (signed - signed.mean()).groupby(frame["who"]).sum()
    return signed.mean() / (away**2).sum() ** 0.5


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_rounding_makes_no_sum_of_signs_greater(alternative):
    """Sums that are 0 but for rounding are equal: whole numbers, whose signs are counted, and the same in tenths."""
    rng = random.Random(alternative)
    effects = [[rng.choice([-3, -2, -1, 1, 2, 3]) for _ in range(rng.randint(5, 9))] for _ in range(30)]
    given = {"test": "randomisation", "alternative": alternative}
    for row, whole in zip(compared([[n / 10 for n in own] for own in effects], **given), effects, strict=True):
        sums = np.array([np.dot(pattern, whole) for pattern in product([1, -1], repeat=len(whole))])
        found = {"two_sided": abs(sums) >= abs(sum(whole)), "greater": sums >= sum(whole), "less": sums <= sum(whole)}
        assert row["pvalue"] == pytest.approx(found[alternative].mean(), rel=1e-12), whole


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_all_patterns_of_clusters_and_groups(alternative):
    """Signs are of whole clusters, and a group has those of its own, whose numbers have gaps."""
    rng = random.Random(alternative)
    qrels = judged(rng, 60)
    names = sorted(qrels)
    ours, theirs = run_of(rng, qrels), run_of(rng, qrels)
    frame = pd.DataFrame({"query_id": names, "who": [rng.choice("abcdefghijklmnop") for _ in names]})
    frame["market"] = ["de" if who < "f" else "at" if who < "j" else None for who in frame["who"]]
    given = {"query_list": frame, "by": "market", "cluster": "who", "alternative": alternative, "resamples": 100}
    rows = quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, test="randomisation", **given).summary.dicts()
    values = values_of(ours, qrels), values_of(theirs, qrels)
    assert {row["market"]: row["method"] for row in rows} == {"de": "exact", "at": "exact", None: "draws"}
    for row in rows:
        if row["market"] is None:
            continue
        frame["difference"] = values[1][row["metric"]] - values[0][row["metric"]]
        own = frame[frame["market"] == row["market"]]
        signs = product([1, -1], repeat=own["who"].nunique())
        effects = [in_errors(own, dict(zip(sorted(set(own["who"])), pattern, strict=True))) for pattern in signs]
        observed, effects = effects[0], np.array(effects)
        found = {
            "two_sided": np.abs(effects) >= abs(observed) - 1e-9,
            "greater": effects >= observed - 1e-9,
            "less": effects <= observed + 1e-9,
        }[alternative]
        assert row["pvalue"] == pytest.approx(found.mean(), rel=1e-12)


def test_a_large_comparison_draws():
    """Of 1,000 queries and more each shares a bucket with others, whose signs are one."""
    differences = [0.25, -0.5, 0.125]
    rows = compared([differences, drawn(random.Random(1), 1000, "apart")], test="randomisation", resamples=100)
    assert [row["method"] for row in rows] == ["draws", "draws"]


def test_what_has_no_p_value_has_no_method():
    rng = random.Random(3)
    qrels = judged(rng, 4)
    runs = run_of(rng, qrels), {"b": run_of(rng, qrels)}
    [row] = quietly(rm.compare, *runs, qrels, "gm_map", test="randomisation").summary.dicts()
    assert (row["pvalue"], row["method"]) == (None, None)


def test_a_group_called_method():
    given = {"level": "compare", "by": ["method"]}
    assert "method" in rm.sql("ap", {"a": "runs", "b": "others"}, "judged", **given)
    with pytest.raises(rm.UsageError, match="two columns called 'method'"):
        rm.sql("ap", {"a": "runs", "b": "others"}, "judged", test="sign", **given)
