"""Whether effects differ between groups: Welch's F as statsmodels has it, of arms and clusters by the formula."""

from __future__ import annotations

import json
import random

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.oneway import anova_oneway

import rankmetrics_sql as rm
from rankmetrics_sql.results.power import f_tail

from ..conftest import quietly
from ..everything import seeds
from .test_compare import judged, run_of

METRICS = ["rr", "ndcg@3"]


def values_of(run, qrels):
    """The values by the metric, in the alphabetical order of the queries."""
    rows = {row["query_id"]: row for row in quietly(rm.evaluate, run, qrels, METRICS).per_query.dicts()}
    return {metric: np.array([rows[query][metric] for query in sorted(qrels)]) for metric in METRICS}


def test_the_tail_of_f_is_that_of_scipy():
    rng = random.Random(1)
    for _ in range(500):
        df1, df2, statistic = rng.choice([1, 2, 9, 50]), 10 ** rng.uniform(0.3, 5), 10 ** rng.uniform(-3, 2.5)
        expected = stats.f.sf(statistic, df1, df2)
        assert f_tail(statistic, df1, df2) == pytest.approx(expected, rel=1e-7, abs=1e-250)
    assert f_tail(0, 2, 9) == 1


def welch(effects, errors, degrees):
    """The F of Welch (1951), its degrees of freedom, p-value, and Cochran's Q."""
    effects, weights, k = np.array(effects), np.array(errors) ** -2.0, len(effects)
    mean = (weights * effects).sum() / weights.sum()
    q = (weights * (effects - mean) ** 2).sum()
    spread = ((1 - weights / weights.sum()) ** 2 / degrees).sum()
    statistic = q / (k - 1) / (1 + 2 * (k - 2) / (k**2 - 1) * spread)
    df2 = (k**2 - 1) / (3 * spread)
    return [statistic, k - 1, df2, stats.f.sf(statistic, k - 1, df2), q]


def found_of(row):
    return [row[name] for name in ("statistic", "df1", "df2", "pvalue", "q")]


@pytest.mark.parametrize("seed", seeds(8, 2))
def test_pairs_are_those_of_statsmodels(seed):
    """Groups of fewer than six queries that differ are left out and counted."""
    rng = random.Random(seed)
    qrels = judged(rng, rng.choice([60, 150]))
    old, new = run_of(rng, qrels), {name: run_of(rng, qrels) for name in ("new", "other")}
    markets = {query: rng.choice("aaabbbccd") for query in sorted(qrels)}
    listed = pd.DataFrame({"query_id": list(markets), "market": list(markets.values())})
    margin = {"margin": 0.01, "alternative": "greater"} if seed % 2 else {}
    found = quietly(rm.compare, old, new, qrels, METRICS, query_list=listed, by="market", **margin)
    rows = found.heterogeneity.dicts()
    assert [(row["run"], row["metric"]) for row in rows] == [(run, metric) for run in new for metric in METRICS]
    before, names = values_of(old, qrels), np.array([markets[query] for query in sorted(qrels)])
    for row in rows:
        away = values_of(new[row["run"]], qrels)[row["metric"]] - before[row["metric"]]
        groups = [away[names == name] for name in sorted({*names})]
        kept = [group for group in groups if (abs(group) > 1e-12).sum() >= 6]
        assert (row["n_groups"], row["n_left_out"]) == (len(kept), len(groups) - len(kept))
        assert row["reason"] == (None if len(kept) > 1 else "fewer than two groups have 6 queries that differ")
        if row["reason"] is not None:
            assert found_of(row) == [None] * 5
            continue
        expected = anova_oneway(kept, use_var="unequal")
        assert [row["statistic"], row["df1"], row["df2"], row["pvalue"]] == pytest.approx(
            [expected.statistic, *expected.df, expected.pvalue], rel=1e-7
        )
        errors = [group.std(ddof=1) / np.sqrt(len(group)) for group in kept]
        q = welch([group.mean() for group in kept], errors, [len(group) - 1 for group in kept])[-1]
        assert row["q"] == pytest.approx(q, rel=1e-7)
        assert row["i_squared"] == pytest.approx(max(0, (q - len(kept) + 1) / q), rel=1e-7, abs=1e-12)
    tested = [row for row in rows if row["pvalue"] is not None]
    corrected = multipletests([row["pvalue"] for row in tested], method="holm")[1]
    assert [row["pvalue_adj"] for row in tested] == pytest.approx(corrected)


@pytest.mark.parametrize("seed", seeds(4, 1))
def test_arms_have_the_degrees_of_welch(seed):
    rng = random.Random(seed)
    qrels = judged(rng, 120)
    run = run_of(rng, qrels)
    sides = {query: (rng.choice("abc"), rng.choice(["old", "new", "new"])) for query in sorted(qrels)}
    listed = pd.DataFrame({"query_id": list(sides), "market": [market for market, _ in sides.values()]})
    arms = {arm: {query: run[query] for query in run if sides[query][1] == arm} for arm in ("old", "new")}
    given = {"design": "unpaired", "queries": "judged_retrieved", "query_list": listed, "by": "market"}
    found = quietly(rm.compare, arms["old"], {"new": arms["new"]}, qrels, METRICS, **given)
    values = values_of(run, qrels)
    for row in found.heterogeneity.dicts():
        facts = []
        for market in "abc":
            own, other = (
                np.array(
                    [
                        value
                        for query, value in zip(sorted(qrels), values[row["metric"]], strict=True)
                        if query in run and sides[query] == (market, arm)
                    ]
                )
                for arm in ("new", "old")
            )
            test = stats.ttest_ind(own, other, equal_var=False)
            effect = own.mean() - other.mean()
            facts.append((effect, effect / test.statistic, test.df))
        assert found_of(row) == pytest.approx(welch(*map(np.array, zip(*facts, strict=True))), rel=1e-7)


@pytest.mark.parametrize("is_shared", [False, True])
def test_clusters_are_in_one_group_or_nothing_is_tested(is_shared):
    """Of clusters that are alike in size the F is that of their means. The columns are of two inputs."""
    rng = random.Random(5)
    qrels = judged(rng, 96)
    old, new = run_of(rng, qrels), run_of(rng, qrels)
    queries = sorted(qrels)
    users = [f"u{place % 24}" for place in range(96)]
    markets = ["abc"[place % 3] for place in range(96)]
    if is_shared:
        markets[0], markets[25] = "b", "c"  # of u0 and u1
    listed = pd.DataFrame({"query_id": queries, "user": users})
    rows = [
        {"query_id": query, "item_id": item, "relevance": grade, "market": market}
        for query, market in zip(queries, markets, strict=True)
        for item, grade in qrels[query].items()
    ]
    given = {"query_list": listed, "by": "market", "cluster": "user"}
    found = quietly(rm.compare, old, {"new": new}, pd.DataFrame(rows), METRICS, **given)
    before, after = values_of(old, qrels), values_of(new, qrels)
    for row in found.heterogeneity.dicts():
        if is_shared:
            assert (row["pvalue"], row["reason"]) == (None, "2 values of user are in several groups")
            continue
        frame = pd.DataFrame({"user": users, "market": markets, "away": after[row["metric"]] - before[row["metric"]]})
        of_users = frame.groupby(["market", "user"], as_index=False)["away"]
        means, moved = of_users.mean(), of_users.agg(lambda away: (abs(away) > 1e-12).any())
        kept = [
            means.loc[own.index, "away"] for _, own in moved.groupby("market") if own["away"].sum() >= 6
        ]  # of six users with a query that changed
        assert row["n_groups"] == len(kept)
        expected = anova_oneway(kept, use_var="unequal")
        assert [row["statistic"], row["df2"], row["pvalue"]] == pytest.approx(
            [expected.statistic, expected.df[1], expected.pvalue], rel=1e-7
        )
    assert ("is not tested" in found.notes[-1]) == is_shared


LISTS = {f"q{number}": ["a", "b", "c"] for number in range(48)}
TRUTH = {query: {"a": 1} for query in LISTS}


def moved(query, number):
    """A gain in one half of the queries, a loss in the other, of a size that varies."""
    return ["b", "a", "c"] if number % 3 else ["b", "c", "a"]


SIDES = [
    {query: LISTS[query] if (number < 24) == first else moved(query, number) for number, query in enumerate(LISTS)}
    for first in (True, False)
]
MARKETS = pd.DataFrame({"query_id": list(LISTS), "market": ["x"] * 24 + ["y"] * 24, "one": "only"})


def test_people_read_it_below_the_table(cli, tmp_path):
    found = quietly(rm.compare, SIDES[0], {"new": SIDES[1]}, TRUTH, "rr", query_list=MARKETS, by="market")
    said = "The effect differs between values of market (p < 0.0001, Welch's F test of 2 groups)."
    assert found.notes == [said]
    assert said in repr(found).replace("\n", " ")
    assert said.replace("<", "\\textless{}") in found.to_latex() or said in found.to_markdown()
    for name, run in zip(("old", "new"), SIDES, strict=True):
        (tmp_path / f"{name}.json").write_text(json.dumps(run))
    (tmp_path / "qrels.json").write_text(json.dumps(TRUTH))
    MARKETS.to_csv(tmp_path / "markets.csv", index=False)
    asked = [tmp_path / "old.json", tmp_path / "new.json", "--qrels", tmp_path / "qrels.json", "-m", "rr"]
    asked += ["--query-list", tmp_path / "markets.csv", "--by", "market"]
    assert said in " ".join(cli("compare", *asked).stdout.split())
    shown = cli("compare", *asked, "--heterogeneity", "--format", "json")
    assert json.loads(shown.stdout) == [{**row, "baseline_run": "old"} for row in found.heterogeneity.dicts()]
    refused = cli("compare", *asked[:-2], "--heterogeneity")
    assert (refused.exit_code, "Add --by COLUMN" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("metric", "given", "reason", "said"),
    [
        ("rr", {"by": "one"}, "there is one group", False),
        ("num_rel_ret", {}, "a sum is larger in a group of more queries", True),
        ("rr", {"sequential": 100}, "it holds on one day only, and sequential= looks on all", True),
        ("success@3", {}, "fewer than two groups have 6 queries that differ", True),
        ("rr", {"by": ["market", "one"]}, None, True),
        ("rr", {"test": "wilcoxon"}, None, True),
    ],
)
def test_what_is_not_tested_says_why(metric, given, reason, said):
    asked = {"by": "market", "query_list": MARKETS, **given}
    found = quietly(rm.compare, SIDES[0], {"new": SIDES[1]}, TRUTH, metric, **asked)
    [row] = found.heterogeneity.dicts()
    assert (row["reason"], row["pvalue"] is None) == (reason, reason is not None)
    assert bool(found.notes) == said
    assert quietly(rm.compare, SIDES[0], {"new": SIDES[1]}, TRUTH, metric).heterogeneity is None
