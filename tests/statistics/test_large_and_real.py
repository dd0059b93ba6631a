"""Comparisons beside scipy and statsmodels: of two values to a million, and of real runs.

Values that are near each other, skewed, mostly 0, tied or all alike stand in a table, as statements of level ``values``
leave them. Real are two systems of TREC-COVID by topic, and two recommenders of MovieLens by user.
"""

from __future__ import annotations

import math
from functools import cache

import duckdb
import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

import rankmetrics_sql as rm
from dev.bench.replicates import FAMILY, movielens, trec_covid

from ..everything import each_once
from .test_clusters import robust
from .test_compare import corrected

KINDS = ("near a half", "skewed", "sparse", "ties")
SIZES = [2, 3, 1_000, pytest.param(10**6, marks=pytest.mark.long)]
SIZED = [*each_once(KINDS, SIZES[:3]), *(pytest.param(kind, 10**6, marks=pytest.mark.long) for kind in KINDS)]


@cache
def drawn(kind, n):
    """Values of two runs for the same queries; of whatever kind the second is a little higher."""
    rng = np.random.default_rng([n, KINDS.index(kind)])
    if kind == "near a half":
        first = 0.5 + 1e-4 * rng.exponential(size=n)
        return first, first + 1e-6 * rng.standard_exponential(n) - 5e-7
    if kind == "skewed":
        first = rng.exponential(size=n) ** 3
        return first, first * rng.uniform(0.5, 1.6, n)
    if kind == "sparse":
        return tuple(rng.choice([0, 0.5, 1], n, p=[1 - 3 * share, 2 * share, share]) + 1e-3 for share in (0.02, 0.021))
    return tuple(np.round(rng.beta(2, 5 - 0.1 * run, n), 1) + 0.1 for run in (0, 1))


def asked(values, n_clusters=None, level="compare", **options):
    """What the statement says of values of two runs that are stored."""
    n = len(values[0])
    columns = {"run": np.repeat([0, 1], n), "query": np.tile(np.arange(n), 2), "value": np.concatenate(values)}
    with duckdb.connect() as connection:
        connection.register("numbers", columns)
        connection.execute(
            f"""CREATE TABLE stored AS
            SELECT 'r' || run AS run_id, query AS query_id, query % {n_clusters or n} AS group_1,
                1 AS metric_number, 'ap' AS metric, value
            FROM numbers {"WHERE run = 1" if level == "summary" else ""}"""
        )
        of_clusters = {"cluster": "qrels.user_id"} if n_clusters else {}
        known = {"values": "stored", "level": level, "header": False, **of_clusters, **options}
        text = rm.sql("ap", "runs" if level == "summary" else {"r0": "old", "r1": "new"}, "judged", **known)
        found = connection.execute(text)
        return dict(zip([column[0] for column in found.description], found.fetchone(), strict=True))


def ends(row, name="effect_size_ci_"):
    return [row[f"{name}lower"], row[f"{name}upper"]]


def near(interval, error):
    """Both ends, to 1e-9 of the error that they are made of."""
    return [pytest.approx(end, abs=1e-9 * (abs(end) + error)) for end in interval]


@pytest.mark.parametrize(("kind", "n"), SIZED)
def test_pairs_arms_and_means(n, kind):
    first, second = drawn(kind, n)
    row, found = asked((first, second)), stats.ttest_rel(second, first)
    if (second - first).std() > 0:
        assert [row["statistic"], row["pvalue"]] == pytest.approx([found.statistic, found.pvalue], rel=1e-9)
        assert ends(row) == near(found.confidence_interval(), row["standard_error"])
    if first.std() + second.std() > 1e-12:
        row, found = asked((first, second), design="unpaired"), stats.ttest_ind(second, first, equal_var=False)
        # what the sums of n values that are not centred leave of a mean, in errors of the difference
        lost = 1e-16 * math.sqrt(n) * second.mean() / row["standard_error"]
        assert row["statistic"] == pytest.approx(found.statistic, rel=1e-9, abs=lost)
        assert row["pvalue"] == pytest.approx(found.pvalue, rel=1e-9 + 2 * lost * (1 + abs(found.statistic)))
        assert ends(row) == near(found.confidence_interval(), row["standard_error"] * (1 + lost * 1e9))
    row, error = asked((first, second), level="summary", interval="t"), second.std(ddof=1) / math.sqrt(n)
    assert row["standard_error"] == pytest.approx(error, rel=1e-9, abs=1e-15)
    reach = stats.t.ppf(0.975, n - 1) * error
    assert ends(row, "ci_") == near([second.mean() - reach, second.mean() + reach], error)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", SIZES[2:])
def test_clusters(n, kind):
    first, second = drawn(kind, n)
    clusters = 37
    row, found = asked((first, second), clusters), robust(second - first, np.arange(n) % clusters)
    assert row["n_clusters"] == clusters
    assert [row["standard_error"], row["pvalue"]] == pytest.approx([found.error, found.pvalue], rel=1e-9)
    assert ends(row) == near(found.ends(0.95), row["standard_error"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", SIZES[2:])
def test_ranks(n, kind):
    first, second = drawn(kind, n)
    difference = np.round(second - first, 12)
    wanted = stats.wilcoxon(difference, zero_method="wilcox", correction=False, method="approx").pvalue
    assert asked((first, second), test="wilcoxon")["pvalue"] == pytest.approx(wanted, rel=1e-8)
    wanted = stats.mannwhitneyu(np.round(second, 12), np.round(first, 12), method="asymptotic").pvalue
    row = asked((first, second), test="mann_whitney", design="unpaired")
    assert row["pvalue"] == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize("n", SIZES)
def test_all_differences_alike(n):
    """Rounding leaves no spread, so that there is no p-value, whatever their number."""
    first = drawn("near a half", n)[0]
    row = asked((first, first + 0.25))
    assert (row["standard_error"], row["pvalue"], row["n_higher"]) == (0, None, n)
    assert row["effect_size"] == pytest.approx(0.25, rel=1e-12)
    row = asked((first, first))
    assert (row["effect_size"], row["pvalue"], row["n_ties"]) == (0, 1, n)


@cache
def real(name):
    """Values of both runs by metric, and the comparison of them."""
    data = {"TREC-COVID": trec_covid, "MovieLens": movielens}[name]()
    return {metric: data.of(metric) for metric in FAMILY}


@pytest.mark.parametrize(("metric", "name"), each_once(FAMILY, ["TREC-COVID", "MovieLens"]))
def test_real_runs(name, metric):
    first, second = real(name)[metric]
    row, found = asked((first, second)), stats.ttest_rel(second, first)
    assert [row["statistic"], row["pvalue"]] == pytest.approx([found.statistic, found.pvalue], rel=1e-9)
    assert ends(row) == near(found.confidence_interval(), row["standard_error"])
    counts = [int((np.sign(np.round(second - first, 12)) == sign).sum()) for sign in (1, 0, -1)]
    assert [row["n_higher"], row["n_ties"], row["n_lower"]] == counts
    row, found = asked((first, second), 7), robust(second - first, np.arange(len(first)) % 7)
    assert [row["standard_error"], row["pvalue"]] == pytest.approx([found.error, found.pvalue], rel=1e-9)
    wanted = stats.wilcoxon(np.round(second - first, 12), zero_method="wilcox", correction=False, method="approx")
    assert asked((first, second), test="wilcoxon", exact="never")["pvalue"] == pytest.approx(wanted.pvalue, rel=1e-8)


@pytest.mark.parametrize(
    ("correction", "theirs"), [("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh"), ("by", "fdr_by")]
)
def test_corrections_are_those_of_statsmodels(correction, theirs):
    """The p-values of all metrics on both data; what compare corrects is held to the same papers elsewhere."""
    values = [stats.ttest_rel(*real(name)[metric]).pvalue for name in ("TREC-COVID", "MovieLens") for metric in FAMILY]
    assert corrected(values, correction) == pytest.approx(multipletests(values, method=theirs)[1], rel=1e-12)


@pytest.mark.parametrize("n", [10, 35, 50, 500])
@pytest.mark.parametrize("alternative", ["two_sided", "greater"])
def test_power_is_nearly_that_of_the_noncentral_t(n, alternative):
    """Two quantiles of t in place of the noncentral t that statsmodels solves: apart by less the more queries."""
    first, second = drawn("skewed", n)
    row = asked((first, second), power=0.8, alternative=alternative)
    deviation = (second - first).std(ddof=1)
    theirs = {"alpha": 0.05, "alternative": {"two_sided": "two-sided", "greater": "larger"}[alternative]}
    power = TTestPower().power(row["min_detectable_effect"] / deviation, n, **theirs)
    assert power == pytest.approx(0.8, abs=0.35 / n + 1e-4)
    if n >= 50:
        needed = TTestPower().solve_power(row["effect_size"] / deviation, power=0.8, **theirs)
        assert row["n_queries_needed"] == pytest.approx(needed, rel=2 / n, abs=2)
