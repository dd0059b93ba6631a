"""Table, chart, report, letters and gates call a difference the same: what a row says of its metric, in a word."""

from __future__ import annotations

import random

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql import charts
from rankmetrics_sql.definitions.choices import resolve_options
from rankmetrics_sql.definitions.resolution import resolve_metrics
from rankmetrics_sql.report.words import verdict as sentences
from rankmetrics_sql.results.gates import read_gate
from rankmetrics_sql.results.report import verdicts

from .conftest import quietly
from .everything import seeds
from .test_charts import rows_of
from .test_verdicts import effect

HIGHER, LOWER = ["ap", "ndcg@3", "num_rel_ret@2"], ["fallout@2", "unj@2"]
TESTS = {
    "paired": ["t", "wilcoxon", "sign", "randomisation", "bootstrap"],
    "unpaired": ["t", "mann_whitney", "bootstrap"],
}
KINDS = {"not worse": "better", "same": "uncertain", "-": "uncertain"}


def word(row, options, lower):
    """What is significant has the effect's side; with a margin it is not worse, and better where 0 is outside."""
    effect_size, low, high = row["effect_size"], row["effect_size_ci_lower"], row["effect_size_ci_upper"]
    if effect_size is None:
        return "-"
    if effect_size == 0:
        return "same"
    is_better = effect_size < 0 if lower else effect_size > 0
    if row["significant"] != 1:
        return "uncertain"
    if options["margin"]:
        beyond = (low or 0) > 0 or (high or 0) < 0
        return "better" if beyond and is_better else "not worse"
    if options["alternative"] == ("greater" if effect_size < 0 else "less"):
        return "uncertain"
    return "better" if is_better else "worse"


def gate(row, label, metric, options):
    """Whether the condition that it is worse fires; and why it cannot be asked."""
    try:
        return bool(read_gate(f"{label} worse", [metric], options).failures([row])), ""
    except (rm.UsageError, rm.DataError) as error:
        return False, str(error)


def check(rows, options, better):
    """Each row by itself, in each of the places."""
    metrics = {metric.label: metric for metric in resolve_metrics(list(better), resolve_options({}, None))}
    grid = verdicts(rows, options, better)
    place = grid.header.index("")
    for row, cells in zip(rows, grid.blocks[0].rows, strict=True):
        label, said = row["metric"], cells[place].text
        assert said == word(row, options, better[label] == "lower")
        if row["effect_size"] is not None:
            [dot] = {point["series"] for point in rows_of(charts.effects([row], better, options), "point")}
            assert dot == said
        [sentence] = sentences([row], options, better, ())
        assert sentence.kind == KINDS.get(said, said)
        if said in ("better", "worse", "not worse"):
            assert f" is {said} " in sentence.text
        fires, refusal = gate(row, label, metrics[label], options)
        assert said in ("-", "same", "uncertain") or "nothing says whether it is significant" not in refusal
        assert fires == (said == "worse"), refusal


def asked(rng):
    design = rng.choice(["paired", "paired", "unpaired"])
    options = {"design": design, "test": rng.choice(TESTS[design]), "confidence_level": rng.choice([0.95, 0.6])}
    options |= {"correction": rng.choice(["holm", "bh", "none"]), "family": rng.choice(["all", "metric"])}
    side = rng.choice(["two_sided", "greater", "less"])
    options |= {"alternative": side, "margin": None, "resamples": 100}
    metrics = HIGHER + LOWER
    if side != "two_sided" and options["test"] == "t" and rng.random() < 0.5:
        options["margin"], metrics = rng.choice([0.02, 0.5]), HIGHER if side == "greater" else LOWER
    return options, metrics


@pytest.mark.parametrize("seed", seeds(80, 4))
def test_of_comparisons(seed):
    rng = random.Random(seed)
    options, metrics = asked(rng)
    size, shift = rng.choice([1, 2, 4, 6, 30]), rng.choice([-0.6, 0, 0.6])
    qrels = {f"q{n}": {f"d{item}": rng.choice([0, 0, 1]) for item in range(5)} for n in range(2 * size)}

    def run(own, by):
        return {q: {item: by * grade + rng.random() for item, grade in qrels[q].items()} for q in own}

    queries = list(qrels)
    first, second = (queries[:size], queries[size:]) if options["design"] == "unpaired" else (queries, queries)
    universe = {"queries": "judged_retrieved"} if options["design"] == "unpaired" else {}
    given = {name: value for name, value in options.items() if value is not None}
    found = quietly(
        rm.compare, run(first, 0.6), {"b": run(second, 0.6 + shift), "c": run(second, 0.6)}, qrels, metrics,
        **universe, **given,
    )  # fmt: skip
    assert {found.better[metric] for metric in metrics if metric in LOWER} <= {"lower"}
    check(found.summary.dicts(), {**options, **found.options}, found.better)


@pytest.mark.parametrize("seed", seeds(12, 2))
def test_of_rows_that_chance_makes(seed):
    """Also those that hardly any data have: of ranks, significance on the one side and an effect on the other."""
    rng = random.Random(seed)
    better = {"ap": "higher", "fallout@2": "lower"}
    for _ in range(20):
        alternative = rng.choice(["two_sided", "greater", "less"])
        margin = rng.choice([None, 0.1]) if alternative != "two_sided" else None
        options = {"design": "paired", "confidence_level": 0.95, "correction": "holm", "family": "all"}
        options |= {"alternative": alternative, "margin": margin}
        row = effect(
            metric=rng.choice(list(better)),
            candidate=rng.choice([0.5, 0.25, 0.55, 0.75]),
            pvalue=rng.choice([0.01, 0.5]),
        )
        if rng.random() < 0.3:
            row |= dict.fromkeys(rng.choice([["significant", "pvalue", "pvalue_adj"], ["effect_size_ci_lower"]]))
        if rng.random() < 0.1:
            row |= dict.fromkeys(["effect_size", "rel_effect_size", "significant"])
        check([row], options, better)


@pytest.mark.parametrize("metric", ["fallout@2", "ap"])
def test_of_all_pairs(metric):
    """The chart of Tukey's test, and the letters of the runs that a value is better than."""
    rng = random.Random(2)
    qrels = {f"q{n}": {f"d{item}": rng.choice([0, 0, 1]) for item in range(5)} for n in range(40)}
    runs = {
        name: {q: {item: by * grade + rng.random() for item, grade in own.items()} for q, own in qrels.items()}
        for name, by in {"bad": -1, "middle": 0, "good": 1}.items()
    }
    found = quietly(rm.tukey, runs, qrels, metric)
    words = {}
    for row in found.summary:
        words[row["run"], row["baseline_run"]] = word(
            row, {"margin": None, "alternative": "two_sided"}, metric in LOWER
        )
    dots = {row["label"]: row["series"] for row in rows_of(found.plot(), "point")}
    assert dots == {f"{run} against {other}": said for (run, other), said in words.items()}
    assert "worse" in words.values() or "better" in words.values()
    assert words["good", "bad"] == "better"
