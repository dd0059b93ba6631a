"""Two one-sided tests of equivalence: beside statsmodels, as the greater of both p-values, and on every road."""

from __future__ import annotations

import json
import random

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

import rankmetrics_sql as rm
from rankmetrics_sql import charts
from rankmetrics_sql.report.sentences import verdict

from ..charts.test_charts import said as shown
from ..conftest import DEMO, quietly
from ..everything import each_once, seeds
from .test_compare import METRICS, judged, pair, run_of, values_of

CORRECTIONS = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh", "by": "fdr_by"}
SIDES = ("greater", "less")


def asked(rng):
    return {
        "alternative": "equivalence",
        "margin": rng.choice([0.001, 0.05, 0.2, 1.5]),
        "confidence_level": rng.choice([0.95, 0.8, 0.5]),
        "correction": rng.choice([*CORRECTIONS]),
    }


def check(rows, expected, options):
    """Rows beside (p, the statistic of the nearer end, the ends of the interval), which scipy and statsmodels give."""
    adjusted = multipletests([p for p, *_ in expected], method=CORRECTIONS[options["correction"]])[1]
    for row, (p, statistic, ends), corrected in zip(rows, expected, adjusted, strict=True):
        told = pytest.approx(statistic, rel=1e-8, abs=1e-13) if np.isfinite(statistic) else None
        assert row["statistic"] == told
        assert (row["pvalue"], row["pvalue_adj"]) == pytest.approx((p, corrected), rel=1e-8, abs=1e-13)
        assert (row["effect_size_ci_lower"], row["effect_size_ci_upper"]) == pytest.approx(ends, abs=1e-9)
        is_shown = corrected <= round(1 - options["confidence_level"], 12)
        words = f"equivalent within {options['margin']:g}" if is_shown else "not shown"
        assert row["verdict"] == (words if row["n_units"] >= 6 else "too few queries")


@pytest.mark.parametrize("seed", seeds(20, 4))
def test_pairs_beside_statsmodels(seed):
    rng, qrels, ours, theirs, *values = pair(seed)
    options = asked(rng)
    rows = quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, **options).summary.dicts()
    expected = []
    for row in rows:
        before, after = (own[row["metric"]] for own in values)
        margin = options["margin"]
        with np.errstate(divide="ignore"):  # where no query changed
            p, (lower, *_), (upper, *_) = ttost_paired(after, before, -margin, margin)
        changes = after - before
        reach = stats.t.ppf(options["confidence_level"], len(changes) - 1) * stats.sem(changes)
        expected.append((p, min(lower, -upper), (changes.mean() - reach, changes.mean() + reach)))
        assert row["n_units"] == len(changes)  # of a margin those speak, too, that did not change
    check(rows, expected, options)


@pytest.mark.parametrize("seed", seeds(20, 4))
def test_arms_beside_statsmodels(seed):
    rng, qrels, ours, theirs, *_ = pair(seed, sizes=(12, 50, 300))
    options = asked(rng)
    queries = list(qrels)
    cut = rng.randint(3, len(queries) - 3)
    runs = [{query: run[query] for query in own} for run, own in ((ours, queries[:cut]), (theirs, queries[cut:]))]
    arms = {"design": "unpaired", "queries": "judged_retrieved"}
    rows = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, METRICS, **arms, **options).summary.dicts()
    before, after = (values_of(run, qrels) for run in runs)
    expected = []
    for row in rows:
        metric, margin = row["metric"], options["margin"]
        p, (lower, _, degrees), (upper, *_) = ttost_ind(after[metric], before[metric], -margin, margin, "unequal")
        reach = stats.t.ppf(options["confidence_level"], degrees) * row["standard_error"]
        effect = after[metric].mean() - before[metric].mean()
        expected.append((p, min(lower, -upper), (effect - reach, effect + reach)))
    check(rows, expected, options)


CROSSED = {
    "less is better": {"metrics": ["fallout@3"]},
    "clusters": {"cluster": "user"},
    "groups": {"by": "market", "family": "group"},
    "sums": {"metrics": ["num_rel_ret@3"]},
    "arms": {"design": "unpaired", "cluster": "user"},
    "covariate": {"design": "unpaired", "covariate": "before", "by": "market"},
    "levels": {"interval_level": "corrected", "correction": "bonferroni"},
    "levels of arms": {"interval_level": "corrected", "correction": "bonferroni", "design": "unpaired"},
}


@pytest.mark.parametrize(("what", "size"), each_once(CROSSED, [0.001, 0.02, 0.2]))
def test_it_is_shown_where_the_interval_lies_inside(what, size):
    """And p is the greater of those of both sides, the interval what each leaves open, whatever else is asked."""
    rng = random.Random(len(what))
    qrels = judged(rng, 60)
    facts = {"user": [], "market": [], "before": []}
    for _ in qrels:
        for name, value in zip(facts, (rng.choice("uvwxyz"), rng.choice("de"), rng.random()), strict=True):
            facts[name].append(value)
    ours = {query: dict(items) for query, items in run_of(rng, qrels).items()}
    near = {query: {item: score + 0.1 * rng.random() for item, score in items.items()} for query, items in ours.items()}
    margin = size * (60 if what == "sums" else 1)
    given = {"margin": margin, "correction": "none", "confidence_level": 0.9} | CROSSED[what]
    given |= {"query_list": pd.DataFrame({"query_id": [*qrels], **facts})}
    given |= {"metrics": given.get("metrics", METRICS), "qrels": qrels, "candidates": {"b": near}}
    rows = quietly(rm.compare, ours, alternative="equivalence", **given).summary.dicts()
    sides = [quietly(rm.compare, ours, alternative=side, **given).summary.dicts() for side in SIDES]
    for row, above, below in zip(rows, *sides, strict=True):
        ends = row["effect_size_ci_lower"], row["effect_size_ci_upper"]
        assert row["pvalue"] == pytest.approx(max(above["pvalue"], below["pvalue"]), rel=1e-9)
        if "interval_level" not in given:
            assert ends == pytest.approx((above["effect_size_ci_lower"], below["effect_size_ci_upper"]), rel=1e-9)
            for end, one in (("lower", above), ("upper", below)):
                name = f"rel_effect_size_ci_{end}"
                assert row[name] == (None if one[name] is None else pytest.approx(one[name], rel=1e-9))
        is_inside = -margin < ends[0] and ends[1] < margin
        is_claim = is_inside and not (row["reason"] or "").endswith(
            "rare changes may be missed"
        )  # test_rare_changes.py
        assert row["verdict"] == (f"equivalent within {margin:g}" if is_claim else "not shown")
        assert size > 0.001 or not is_inside
        assert size < 0.2 or is_inside


def test_what_is_equal_is_equivalent():
    """Certainly so, as it is not worse; one query says nothing."""
    for n, words, p in (
        (300, "equivalent within 0.01", 0),
        (297, "not shown", 0),
        (5, "too few queries", 0),
        (1, "too few queries", None),
    ):
        run, qrels = {f"q{q}": ["x"] for q in range(n)}, {f"q{q}": {"x": 1} for q in range(n)}
        given = {"margin": 0.01, "alternative": "equivalence"}
        [row] = quietly(rm.compare, run, {"same": run}, qrels, "rr", **given).summary.dicts()
        assert (row["verdict"], row["pvalue"]) == (words, p)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "alternative=equivalence tests whether two runs differ by less than a margin. Pass the largest"),
        (
            {"margin": 0.1, "test": "wilcoxon"},
            "and not by test=wilcoxon",
        ),
        ({"margin": 0.1, "test": "bootstrap"}, "and not by test=bootstrap"),
        ({"margin": 0.1, "test": "mann_whitney", "design": "unpaired"}, "and not by test=mann_whitney"),
        ({"margin": 0.1, "sequential": 100}, "which are two-sided. Omit alternative, test and power"),
        ({"margin": 0.1, "power": 0.8}, "power=0.8 plans to find a difference"),
        ({"margin": 0.1, "confidence_level": 0.4}, "Pass a level of at least 0.5"),
    ],
)
def test_what_does_not_go_together_is_refused(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.sql("ap", {"a": "runs", "b": "others"}, "judged", level="compare", alternative="equivalence", **given)


def test_every_road_says_so(cli):
    runs = [f"{DEMO}/covidex.t5.run.gz", f"{DEMO}/covidex.sim.run.gz", "--qrels", f"{DEMO}/qrels.txt", "-m", "ap"]
    for margin, words, sentence in (
        ("1", "equivalent within 1", "covidex.sim and covidex.t5 differ by less than 1 in ap: 0.1313 lower "),
        (
            "0.1",
            "not shown",
            "It is not shown that covidex.sim and covidex.t5 differ by less than 0.1 in ap: 0.1313 lower ",
        ),
    ):
        asked = ["compare", *runs, "--set", "alternative=equivalence", "--set", f"margin={margin}", "--format"]
        [row] = json.loads(cli(*asked, "json").stdout)
        assert (row["verdict"], row["alternative"], row["margin"]) == (words, "equivalence", float(margin))
        table = cli(*asked, "table").stdout
        assert "90% interval" in table
        assert words in table
        assert f"two one-sided tests (equivalence), margin {margin}" in " ".join(table.split())
        assert words in cli(*asked, "markdown").stdout
        assert ("$^{*}$" in cli(*asked, "latex").stdout) == (words != "not shown")
        options = {"confidence_level": 0.95, "correction": "holm", "alternative": "equivalence"}
        [said] = verdict([row], options, {}, ())
        assert said.text.startswith(sentence)
        assert "90 % interval" in said.text
        assert "Lines: 90 % confidence intervals." in str(shown(charts.effects([row])))


def test_what_is_found_is_a_margin():
    """Both tests reject four times in five where there is no difference: by simulation of normal differences."""
    _, qrels, ours, theirs, *values = pair(5, sizes=(50,))
    found = quietly(rm.compare, ours, {"b": theirs}, qrels, "ap", margin=0.1, alternative="equivalence")
    text = " ".join(repr(found).split())
    [_, margin] = text.split("With 50 queries, equivalence within ")
    assert margin.endswith(" or more is shown 80 % of the time, if there is no difference.")
    size = float(margin.split()[0])
    spread = (values[1]["ap"] - values[0]["ap"]).std(ddof=1)
    drawn = np.random.default_rng(3).normal(0, spread, (20_000, 50))
    error = stats.sem(drawn, axis=1)
    reach = np.abs(drawn.mean(axis=1)) + stats.t.ppf(0.95, 49) * error
    assert (reach < size).mean() > 0.79
    assert (reach < 0.9 * size).mean() < 0.8
