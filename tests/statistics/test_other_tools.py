"""Comparisons beside tools that test: tea-tasting, GrowthBook's gbstats, arch's bootstrap, and ranx.

The values of each query are the grade of its only item, so that what the tools get is what they compare. One process of
each tool answers all questions.
"""

from __future__ import annotations

import math
import random

import pandas as pd
import pytest
from scipy import stats

import rankmetrics_sql as rm
from dev import tools

from ..conftest import quietly

ALTERNATIVES = ["two_sided", "greater", "less"]
LEVELS = [0.95, 0.8, 0.99]
SEEDS = range(9)

# Resamples of ours and of theirs, of a chance of their own each.
RESAMPLES = 10_000


def arms(seed):
    """Values of two arms that differ in size, mean and spread; all are above 0, so that there is a ratio."""
    rng = random.Random(seed)
    sizes = rng.choice([(8, 5), (40, 60), (300, 500)])
    return [
        [rng.gammavariate(shape, 1) + 0.1 for _ in range(size)]
        for shape, size in zip((2, rng.choice([2, 2.5, 4])), sizes, strict=True)
    ]


def earlier(values, seed):
    """Values of the same queries before: alike, but for those of new ones, which are none."""
    rng = random.Random(seed)
    return [[rng.choice([0.0, value * 0.8 + rng.gauss(0, 1), 2.5]) for value in arm] for arm in values]


def compared(values, before=None, weights=None, **options):
    """The comparison of arms whose queries have these values, and had others before, or of pairs; or by weights."""
    of_pairs = options.get("design") != "unpaired"
    names = [[f"q{number}" if of_pairs else f"{arm}{number}" for number in range(len(values[arm]))] for arm in (0, 1)]
    qrels = {}
    for arm in (0, 1):
        for query, value in zip(names[arm], values[arm], strict=True):
            qrels.setdefault(query, {})[f"i{arm}"] = value
    runs = [{query: [f"i{arm}"] for query in names[arm]} for arm in (0, 1)]
    given = {"queries": "judged_retrieved", **options}
    if before is not None:
        known = {"query_id": [*names[0], *names[1]], "before": [*before[0], *before[1]]}
        given |= {"query_list": pd.DataFrame(known), "covariate": "before"}
    if weights is not None:
        given |= {"query_list": given["query_list"].assign(visits=[*weights[0], *weights[1]]), "weight": "visits"}
    [row] = quietly(rm.compare, runs[0], {"b": runs[1]}, qrels, "cg@1", **given).summary.dicts()
    return row


def ends_of(row, what):
    return [row[f"{what}_ci_{end}"] for end in ("lower", "upper")]


def finite(ends):
    return [None if end is None or not math.isfinite(end) else pytest.approx(end, rel=1e-8, abs=1e-10) for end in ends]


@pytest.mark.long
@pytest.mark.parametrize("is_adjusted", [False, True])
def test_arms_are_those_of_tea_tasting(is_adjusted):
    """Of means that a covariate adjusts, ours are those measured; its ratio is our relative effect."""
    asked = [{"alternative": ALTERNATIVES[seed % 3], "confidence_level": LEVELS[seed // 3]} for seed in SEEDS]
    asked = [each | _adjusted(seed, is_adjusted) for seed, each in zip(SEEDS, asked, strict=True)]
    questions = [dict(zip(("control", "treatment"), arms(seed), strict=True)) | asked[seed] for seed in SEEDS]
    for seed, found in zip(SEEDS, tools.answer("tea-tasting", questions), strict=True):
        row = compared(arms(seed), design="unpaired", **asked[seed])
        assert ("variance_reduction" in row) == is_adjusted
        names = ("effect_size", "rel_effect_size", "statistic", "pvalue")
        assert {name: row[name] for name in names} == pytest.approx({name: found[name] for name in names}, rel=1e-8)
        for what in ("effect_size", "rel_effect_size"):
            assert ends_of(row, what) == finite(ends_of(found, what))


def clicked_of_shown(seed):
    """Of the requests of two arms how many items were clicked, and how many shown."""
    rng = random.Random(seed)
    sizes = rng.choice([(8, 5), (40, 60), (300, 500)])
    shown = [[rng.randint(1, 5) for _ in range(size)] + [4] for size in sizes]
    return [[(rng.randint(0, n), n) if n < 4 else (rng.randint(1, n), n) for n in arm] for arm in shown]


@pytest.mark.long
def test_ratios_of_arms_are_those_of_tea_tasting():
    asked = [{"alternative": ALTERNATIVES[seed % 3], "confidence_level": LEVELS[seed // 3]} for seed in SEEDS]
    both = [clicked_of_shown(seed) for seed in SEEDS]
    questions = [
        dict(zip(("control", "treatment"), pair, strict=True)) | options
        for pair, options in zip(both, asked, strict=True)
    ]
    for pair, options, found in zip(both, asked, tools.answer("tea-tasting", questions), strict=True):
        rows = [
            (arm, f"{arm}{q}", f"i{item}", -item, int(item < clicked))
            for arm, values in zip("ab", pair, strict=True)
            for q, (clicked, shown) in enumerate(values)
            for item in range(shown)
        ]
        log = pd.DataFrame(rows, columns=["run_id", "query_id", "item_id", "score", "relevance"])
        columns = {"run_id": "run_id", "score": "score", "relevance": "relevance"}
        given = {"baseline": "a", "design": "unpaired", **options}
        [row] = quietly(rm.compare, rm.labelled(log, columns=columns), ["ctr_pooled"], **given).summary.dicts()
        names = ("effect_size", "rel_effect_size", "statistic", "pvalue")
        assert {name: row[name] for name in names} == pytest.approx({name: found[name] for name in names}, rel=1e-9)
        for what in ("effect_size", "rel_effect_size"):
            assert ends_of(row, what) == finite(ends_of(found, what))


@pytest.mark.long
def test_adjusted_weighted_means_are_those_of_tea_tasting():
    """A weighted mean is SUM(w y) / SUM(w), and so is that of the covariate; errors are of other estimators."""
    questions, asked = [], []
    for seed in SEEDS:
        rng, values = random.Random(seed), arms(seed)
        before, weights = earlier(values, seed), [[rng.choice([0.5, 1, 7]) for _ in arm] for arm in values]
        pairs = [
            [[(w * y, w) for w, y in zip(own, arm, strict=True)] for own, arm in zip(weights, column, strict=True)]
            for column in (values, before)
        ]
        questions.append({"control": pairs[0][0], "treatment": pairs[0][1], "before": pairs[1]})
        questions[-1] |= {"alternative": "two_sided", "confidence_level": 0.95}
        asked.append({"values": values, "before": before, "weights": weights})
    for own, found in zip(asked, tools.answer("tea-tasting", questions), strict=True):
        row = compared(**own, design="unpaired")
        names = ("effect_size", "rel_effect_size")
        assert {name: row[name] for name in names} == pytest.approx({name: found[name] for name in names}, rel=1e-9)


def _adjusted(seed, is_adjusted):
    return {"before": earlier(arms(seed), seed)} if is_adjusted else {}


@pytest.mark.long
@pytest.mark.parametrize("is_adjusted", [False, True])
def test_arms_and_sequences_are_those_of_growthbook(is_adjusted):
    """Its relative intervals are of the ratio and not of its logarithm, so that these are not the same.

    Where it adjusts effects by a covariate, the relative one is a share of the baseline as it was measured, where ours
    is one of the adjusted baseline, as tea-tasting has it.
    """
    asked = [{"confidence_level": LEVELS[seed // 3], "sequential": [None, 5000, 100][seed % 3]} for seed in SEEDS]
    asked = [each | _adjusted(seed, is_adjusted) for seed, each in zip(SEEDS, asked, strict=True)]
    questions = [dict(zip(("control", "treatment"), arms(seed), strict=True)) | asked[seed] for seed in SEEDS]
    for seed, found in zip(SEEDS, tools.answer("gbstats", questions), strict=True):
        given = {name: value for name, value in asked[seed].items() if value is not None}
        row = compared(arms(seed), design="unpaired", **given)
        assert row["effect_size"] == pytest.approx(found["absolute"]["effect"], rel=1e-9)
        relative = row["effect_size"] / row["baseline"] if is_adjusted else row["rel_effect_size"]
        assert relative == pytest.approx(found["relative"]["effect"], rel=1e-9)
        assert ends_of(row, "effect_size") == pytest.approx(found["absolute"]["ends"], rel=1e-8)
        assert row["pvalue"] == pytest.approx(found["absolute"]["pvalue"], rel=1e-7, abs=1e-14)


@pytest.mark.long
def test_growthbook_finds_the_same_effect_in_a_table_of_requests():
    """Sums by user of the table that docs/platforms.md describes: means and ratios over requests, clustered by user."""
    rng = random.Random(11)
    shown, clicked = [], []
    for number in range(3000):
        user = rng.randrange(700)
        request = {"request_id": f"r{number}", "user_id": f"u{user}", "arm": ["old", "new"][user % 2]}
        for position in range(1, rng.randint(2, 7)):
            shown.append(request | {"item_id": f"i{position}", "position": position})
            if rng.random() < (0.1 + 0.02 * (user % 2)) * (1 + user % 3):
                clicked.append({**request, "item_id": f"i{position}", "event_type": "click"})
    log = rm.events(pd.DataFrame(shown), pd.DataFrame(clicked)[["request_id", "item_id", "event_type"]], arm="arm")
    table = quietly(rm.evaluate, log, ["mrr", "clicks", "num_ret"], by="user_id").per_query.df()
    by_user = table.assign(requests=1).groupby(["run_id", "user_id"]).sum(numeric_only=True).reset_index()
    compared_metrics = {"mrr": ("mrr", "requests"), "ctr_pooled": ("clicks", "num_ret")}
    found = quietly(rm.compare, log, [*compared_metrics], baseline="old", cluster="user_id", correction="none")
    questions = [
        {
            side: by_user[by_user.run_id == arm][[*parts]].astype(float).to_numpy().tolist()
            for side, arm in (("control", "old"), ("treatment", "new"))
        }
        | {"confidence_level": 0.95, "sequential": None}
        for parts in compared_metrics.values()
    ]
    for row, theirs in zip(found.summary.dicts(), tools.answer("gbstats", questions), strict=True):
        assert row["effect_size"] == pytest.approx(theirs["absolute"]["effect"], rel=1e-9)
        # CR2 corrects the standard error for the number of users, the delta method does not
        widths = [ends[1] - ends[0] for ends in (ends_of(row, "effect_size"), theirs["absolute"]["ends"])]
        assert 1 < widths[0] / widths[1] < 1.01


@pytest.mark.long
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_the_bootstrap_is_that_of_arch(method):
    """Both draw: each end is a quantile of a distribution near the normal, within four errors of Monte Carlo.

    BCa has those of the bias too, sqrt(pi / 2 / B), which moves an end twice.
    """
    questions, values = [], []
    for seed in (1, 2, 4):
        rng = random.Random(seed)
        first = [rng.gammavariate(2, 1) + 0.5 for _ in range(60)]
        values.append((first, [max(0.0, value + rng.gauss(0.2, 0.6)) for value in first]))  # a gain is never below 0
        level = LEVELS[seed % 2]
        questions.append(
            {"control": first, "treatment": values[-1][1], "confidence_level": level}
            | {"resamples": RESAMPLES, "seed": seed, "method": method}
        )
    for question, pair, found in zip(questions, values, tools.answer("arch", questions), strict=True):
        level = question["confidence_level"]
        given = {"test": "bootstrap", "bootstrap_interval": method, "resamples": RESAMPLES, "seed": 5}
        row = compared(pair, confidence_level=level, **given)
        # the error of a quantile of both, sqrt(p (1 - p) / B) over the density of the normal distribution there
        beyond = (1 - level) / 2
        error = math.sqrt(2 * beyond * (1 - beyond) / RESAMPLES) / stats.norm.pdf(stats.norm.ppf(beyond))
        error += 2 * math.sqrt(2 * math.pi / 2 / RESAMPLES) if method == "bca" else 0
        assert ends_of(row, "effect_size") == pytest.approx(found["effect"], abs=4 * error * row["standard_error"])
        of_ratio = (found["relative"][1] - found["relative"][0]) / 2 / stats.norm.isf(beyond)
        assert ends_of(row, "rel_effect_size") == pytest.approx(found["relative"], abs=4 * error * of_ratio)
        assert row["standard_error"] == pytest.approx(found["error"], rel=4 * math.sqrt(2 / (2 * RESAMPLES)))


@pytest.mark.long
def test_letters_are_those_of_ranx():
    """Of all pairs, without a correction, which ranx has none of; it has letters of fewer than six queries, too."""
    questions, rng = [], random.Random(8)
    for n_queries, level in ((12, 0.95), (40, 0.8), (40, 0.99)):
        qrels = {f"q{n}": {f"d{item}": rng.choice([0, 0, 1, 2]) for item in range(8)} for n in range(n_queries)}
        runs = {
            name: {q: {item: rng.random() + weight * grade for item, grade in qrels[q].items()} for q in qrels}
            for name, weight in (("one", 0.0), ("two", 0.3), ("three", 0.8), ("four", 0.9))
        }
        questions.append({"runs": runs, "qrels": qrels, "metrics": ["map", "mrr"], "level": level})
    for question, found in zip(questions, tools.answer("ranx", questions), strict=True):
        runs, level = question["runs"], question["level"]
        given = {"correction": "none", "confidence_level": level}
        rows = quietly(rm.compare_all, runs, question["qrels"], ["ap", "rr"], **given).summary.dicts()
        for metric, theirs in (("ap", found["map"]), ("rr", found["mrr"])):
            ours = {name: set() for name in runs}
            for row in rows:
                if row["metric"] == metric and row["pvalue"] <= 1 - level:
                    pair = row["run"], row["baseline_run"]
                    above, below = pair if row["effect_size"] > 0 else reversed(pair)
                    ours[above].add(below)
                    word = "better" if row["effect_size"] > 0 else "worse"
                    assert row["verdict"] == (word if row["n_units"] >= 6 else "too few queries")
            assert ours == {name: set(others) for name, others in theirs.items()}
        assert any(found["map"].values())


@pytest.mark.long
def test_pairs_are_those_of_ranx():
    """Both draw the signs: shares of a chance of their own, within four errors of Monte Carlo."""
    questions, rng = [], random.Random(5)
    for size in (5, 20, 150):
        first = [rng.gammavariate(2, 1) for _ in range(size)]
        second = [abs(value + rng.gauss(0.25, 1)) for value in first]
        questions.append({"control": first, "treatment": second, "resamples": RESAMPLES})
    for question, found in zip(questions, tools.answer("ranx", questions), strict=True):
        pair = question["control"], question["treatment"]
        assert compared(pair)["pvalue"] == pytest.approx(found["t"], rel=1e-9)
        ours = compared(pair, test="randomisation", resamples=RESAMPLES, seed=2)["pvalue"]
        error = math.sqrt(2 * ours * (1 - ours) / RESAMPLES)
        assert ours == pytest.approx(found["randomisation"], abs=4 * error + 1 / RESAMPLES)
