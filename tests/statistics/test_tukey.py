"""Every pair of runs at once: by the range of as many runs, and of two runs the paired t; by permutations.

Permutations are all enumerated here; drawn ones are within what chance leaves, five errors of Monte Carlo.
"""

from __future__ import annotations

import json
import random
import re
from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy import stats

import rankmetrics_sql as rm
from rankmetrics_sql.results import all_pairs

from ..conftest import DEMO, quietly
from ..everything import mostly_long, seeds
from .test_compare import METRICS, judged, run_of, values_of

RESAMPLES = 20_000


@pytest.mark.parametrize("seed", seeds(12, 1))
def test_each_pair_is_tested_by_its_own_spread(seed):
    """Against the studentised range of as many runs as there are, with numpy and SciPy."""
    rng = random.Random(seed)
    qrels = judged(rng, rng.choice([2, 3, 12, 50]))
    runs = {name: run_of(rng, qrels) for name in "abcde"[: rng.choice([2, 3, 5])]}
    level = rng.choice([0.95, 0.8])
    found = quietly(rm.tukey, runs, qrels, METRICS, confidence_level=level)
    values = {name: values_of(run, qrels) for name, run in runs.items()}
    assert len(found.sql) == len(runs) - 1
    assert [(row["metric"], row["baseline_run"], row["run"]) for row in found.summary.dicts()] == [
        (metric, *pair) for metric in METRICS for pair in combinations(runs, 2)
    ]
    for row in found.summary.dicts():
        away = values[row["run"]][row["metric"]] - values[row["baseline_run"]][row["metric"]]
        n, k = len(away), len(runs)
        effect, error = away.mean(), away.std(ddof=1) / np.sqrt(n)
        assert row["effect_size"] == pytest.approx(effect, abs=1e-12)
        assert row["standard_error"] == pytest.approx(error, rel=1e-9, abs=1e-12)
        if error < 1e-12:
            assert (row["pvalue_adj"], row["statistic"]) == (None if abs(effect) > 1e-12 else 1, None)
            continue
        statistic = np.sqrt(2) * abs(effect) / error
        assert row["statistic"] == pytest.approx(statistic, rel=1e-9, abs=1e-12)
        assert row["pvalue_adj"] == pytest.approx(stats.studentized_range.sf(statistic, k, n - 1), rel=1e-6)
        reach = stats.studentized_range.ppf(level, k, n - 1) * error / np.sqrt(2)
        ends = [row["effect_size_ci_lower"], row["effect_size_ci_upper"]]
        assert ends == pytest.approx([effect - reach, effect + reach], rel=1e-6, abs=1e-9)
        assert row["significant"] == int(row["pvalue_adj"] <= 1 - level)
        assert row["n_queries"] == n


def test_the_summary_is_a_table_like_others():
    """The class of the summary of compare, whose columns it has as far as all pairs have them, in that order."""
    rng = random.Random(3)
    qrels = judged(rng, 12)
    runs = {name: run_of(rng, qrels) for name in "abc"}
    found, other = (
        quietly(rm.tukey, runs, qrels, METRICS),
        quietly(rm.compare, runs["a"], {"b": runs["b"]}, qrels, METRICS),
    )
    assert type(found.summary) is type(other.summary)
    names = found.summary.columns
    assert names == [name for name in other.summary.columns if name in names]
    rows = found.summary.dicts()
    assert len(found.summary) == len(rows) == 3 * len(METRICS)
    assert [*found.summary] == found.summary.fetchall() == [tuple(row.values()) for row in rows]
    assert found.summary.df().to_dict("records") == found.summary.pl().to_dicts() == rows
    assert found.summary.arrow().to_pylist() == rows
    assert {(row["confidence_level"], row["alternative"], row["correction"]) for row in rows} == {
        (0.95, "two_sided", "tukey")
    }
    assert found.summary.sql == ";\n\n".join(found.sql)
    assert repr(found.summary).splitlines()[0].split() == names


def test_of_two_runs_it_is_the_paired_t():
    rng = random.Random(4)
    qrels = judged(rng, 30)
    runs = {name: run_of(rng, qrels) for name in "ab"}
    pairs = quietly(rm.tukey, runs, qrels, METRICS).summary.dicts()
    plain = quietly(rm.compare, runs["a"], {"b": runs["b"]}, qrels, METRICS, baseline="a").summary.dicts()
    for one, other in zip(pairs, plain, strict=True):
        assert one["pvalue_adj"] == pytest.approx(other["pvalue"], rel=1e-6)
        assert one["effect_size_ci_lower"] == pytest.approx(other["effect_size_ci_lower"], abs=1e-6)


def test_equal_runs_and_certain_differences():
    qrels = {query: {"x": 1} for query in "abc"}
    right, wrong = {query: ["x"] for query in qrels}, {query: ["y", "x"] for query in qrels}
    found = quietly(rm.tukey, {"one": right, "same": right, "other": wrong}, qrels, "rr").summary.dicts()
    assert [(row["effect_size"], row["pvalue_adj"]) for row in found] == [(0, 1), (-0.5, None), (-0.5, None)]


def test_one_query_says_nothing_of_spread():
    asked = {"one": {"a": ["x"]}, "other": {"a": ["y", "x"]}}, {"a": {"x": 1}}, "rr"
    assert "none of a pair without two queries or without any variance" in repr(quietly(rm.tukey, *asked))
    found = quietly(rm.tukey, *asked).summary.dicts()
    assert [(row["effect_size"], row["standard_error"], row["pvalue_adj"]) for row in found] == [(-0.5, None, None)]


def sizes_of_t(tables):
    """The size of t of each pair of columns, without end where all differences are equal; tables may be many."""
    one, other = np.triu_indices(tables.shape[-1], 1)
    away = tables[..., other] - tables[..., one]
    means, errors = abs(away.mean(axis=-2)), away.std(axis=-2, ddof=1) / np.sqrt(tables.shape[-2])
    unequal = np.divide(means, errors, out=np.full(means.shape, np.inf), where=errors > 1e-9)
    return np.where(means < 1e-12, 0, unequal)


def exactly(table):
    """The share of all permutations whose largest t is as far as that of each pair."""
    largest = sizes_of_t(np.array([*product(*map(permutations, table))])).max(axis=1)
    pairs = combinations(range(table.shape[1]), 2)
    return {pair: (largest >= size * (1 - 1e-9)).mean() for pair, size in zip(pairs, sizes_of_t(table), strict=True)}


def near(share):
    """A share of drawn permutations."""
    return pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / RESAMPLES) + 1 / RESAMPLES)


@pytest.mark.parametrize("size", mostly_long([(2, 2), (2, 7), (3, 2), (3, 4), (4, 3), (5, 2)], (2, 2), (3, 4)))
def test_permutations_are_drawn_out_of_all(size):
    n_runs, n_queries = size
    rng = random.Random(n_runs * 10 + n_queries)
    qrels = judged(rng, n_queries)
    runs = {name: run_of(rng, qrels) for name in "abcde"[:n_runs]}
    given = {"test": "randomisation", "resamples": RESAMPLES, "seed": 3, "confidence_level": 0.8}
    found = quietly(rm.tukey, runs, qrels, METRICS, **given)
    plain = quietly(rm.tukey, runs, qrels, METRICS, confidence_level=0.8).summary.dicts()
    values = {name: values_of(run, qrels) for name, run in runs.items()}
    assert len(found.sql) == n_runs
    shares = {metric: exactly(np.array([values[name][metric] for name in runs]).T) for metric in METRICS}
    names = list(runs)
    for row, other in zip(found.summary.dicts(), plain, strict=True):
        share = shares[row["metric"]][names.index(row["baseline_run"]), names.index(row["run"])]
        assert row["pvalue_adj"] == near(share)
        assert row["significant"] == int(row["pvalue_adj"] <= 1 - 0.8)
        said = row.keys() - {"pvalue_adj", "significant", "test"}
        assert (row["test"], {name: row[name] for name in said}) == (
            "randomised_tukey",
            {name: other[name] for name in said},
        )


@pytest.mark.parametrize("seed", seeds(6))
def test_of_two_runs_it_is_the_randomisation_test(seed):
    rng = random.Random(seed)
    qrels = judged(rng, 9)
    runs = {name: run_of(rng, qrels) for name in "ab"}
    first, second = (values_of(run, qrels) for run in runs.values())
    given = {"test": "randomisation", "resamples": RESAMPLES, "seed": seed}
    for row in quietly(rm.tukey, runs, qrels, METRICS, **given).summary.dicts():
        pair = second[row["metric"]], first[row["metric"]]
        exact = stats.permutation_test(pair, lambda x, y: np.mean(x - y), permutation_type="samples", vectorized=False)
        assert row["pvalue_adj"] == near(exact.pvalue)


def test_a_seed_draws_the_same_however_much_is_drawn_at_once(monkeypatch):
    rng = random.Random(1)
    qrels = judged(rng, 12)
    runs = {name: run_of(rng, qrels) for name in "abc"}

    def drawn(**given):
        rows = quietly(rm.tukey, runs, qrels, METRICS[0], test="randomisation", **given).summary.dicts()
        return [row["pvalue_adj"] for row in rows]

    first = drawn(resamples=150, seed=1)
    assert all(value * 151 == pytest.approx(round(value * 151)) for value in first)
    assert first != drawn(resamples=150, seed=2)
    monkeypatch.setattr("rankmetrics_sql.api.compare._BLOCK", 12 * 3 * 7)
    assert first == drawn(resamples=150, seed=1)


def test_what_permutations_say_without_spread_or_without_the_same_queries():
    qrels = {query: {"x": 1} for query in "abc"}
    right, wrong = {query: ["x"] for query in qrels}, {query: ["y", "x"] for query in qrels}
    found = quietly(rm.tukey, {"one": right, "same": right}, qrels, "rr", test="randomisation").summary.dicts()
    assert [(row["effect_size"], row["pvalue_adj"]) for row in found] == [(0, 1)]
    runs = {"one": right, "two": {"a": ["y", "x"], "b": ["x"]}, "three": wrong}
    found = quietly(rm.tukey, runs, qrels, "rr", test="randomisation", queries="judged_retrieved").summary.dicts()
    assert [(row["pvalue_adj"], row["significant"]) for row in found] == [(None, None)] * 3


def test_pairs_with_as_many_queries_that_are_others():
    """Each pair shares a query, and no query is of all three."""
    qrels = {query: {"x": 1} for query in "abc"}
    runs = {"one": "ab", "two": "bc", "three": "ca"}
    lists = {name: {query: ["x"] if query != name[0] else ["y", "x"] for query in of} for name, of in runs.items()}
    found = quietly(rm.tukey, lists, qrels, "rr", test="randomisation", queries="judged_retrieved").summary.dicts()
    assert [row["pvalue_adj"] for row in found] == [None] * 3


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ({"a": {"q": ["x"]}}, {}, "two or more runs"),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"design": "unpaired"}, r"design works only with compare\(\)"),
        (
            {"a": {"q": ["x"]}, "b": {"q": ["y"]}},
            {"test": "sign"},
            r"test=sign works only with compare\(\)\. For all pairs of runs at once there are t and randomis",
        ),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"test": "randomization"}, "Did you mean 'randomisation'"),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"resamples": 99}, "tukey: resamples cannot be 99"),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"seed": -1}, "seed cannot be -1"),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"confidence": 0.9}, "confidence_level"),
        ({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"confidence_level": 2}, "confidence_level cannot be 2"),
    ],
)
def test_what_it_cannot_be_asked(runs, options, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.tukey(runs, {"q": {"x": 1}}, "rr", **options)


def test_without_scipy(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy.stats", None)
    with pytest.raises(rm.UsageError, match=r"tukey needs SciPy: pip install '\.\[stats\]' in a clone"):
        rm.tukey({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, {"q": {"x": 1}}, "rr")


DEMO_RUNS = [DEMO / "covidex.t5.run.gz", DEMO / "covidex.sim.run.gz"]
DEMO_QRELS = ["--qrels", DEMO / "qrels.txt"]


@pytest.mark.parametrize("given", [{"confidence_level": 0.8}, {"test": "randomisation", "resamples": 200, "seed": 3}])
def test_on_the_command_line(cli, given):
    settings = [text for name, value in given.items() for text in ("--set", f"{name}={value}")]
    shown = cli("tukey", *DEMO_RUNS, *DEMO_QRELS, "-m", "P@5", "--format", "json", *settings)
    assert shown.exit_code == 0, shown.stderr
    named = {"covidex.t5": DEMO_RUNS[0], "covidex.sim": DEMO_RUNS[1]}
    expected = quietly(rm.tukey, named, DEMO / "qrels.txt", "P@5", **given).summary.dicts()
    assert json.loads(shown.stdout) == [*map(pytest.approx, expected)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([DEMO_RUNS[0], *DEMO_QRELS, "-m", "P@5"], "RUN is missing. Try: rankmetrics tukey"),
        ([*DEMO_RUNS, "-m", "P@5"], "--qrels is missing"),
        ([*DEMO_RUNS, *DEMO_QRELS, "-m", "P@5", "--format", "trec"], "--format trec cannot hold pairs of runs"),
        ([*DEMO_RUNS, *DEMO_QRELS, "-m", "P@5", "--set", "test=sign"], "test=sign works only with compare()"),
    ],
)
def test_what_the_command_line_cannot_ask(cli, arguments, said):
    found = cli("tukey", *arguments)
    assert found.exit_code == 2
    assert said in found.stderr


SYSTEMS = {
    "high": {query: ["x"] for query in "abcdef"},
    "mid": {query: ["y", "x"] if query in "abcde" else ["x"] for query in "abcdef"},
    "low_1": {query: ["y", "z", "w", "x"] if query > "a" else ["y", "z", "w", "v", "x"] for query in "abcdef"},
}


def test_people_read_pairs_as_they_read_comparisons():
    found = quietly(rm.tukey, SYSTEMS, {query: {"x": 1} for query in "abcdef"}, "rr")
    lines = repr(found).splitlines()
    assert re.split(r" {2,}", lines[0].strip())[:4] == ["metric", "baseline", "candidate", "difference"]
    assert re.split(r" {2,}", lines[3].strip())[:4] == ["rr", "high 1.0000", "low_1 0.2417", "-0.7583"]
    assert lines[3].endswith("<0.0001*")
    assert lines[-1] == (
        "Tukey's test of runs paired by query, p and intervals hold for all 3 pairs of a metric together, 6 queries, "
        "* p at most 0.05"
    )
    assert max(map(len, lines[:-1])) <= 110  # of 120
    assert "<td" in found._repr_html_()
    assert "studentised" not in found._repr_html_()


def test_papers_have_the_letters_of_what_is_beaten(tmp_path, cli):
    """Of high and mid five queries differ, which are too few."""
    qrels = {query: {"x": 1} for query in "abcdef"}
    found = quietly(rm.tukey, SYSTEMS, qrels, ["rr", "first_click_position"])
    text = all_pairs.text(found.summary.dicts(), found.options, "markdown", found.better, found.counts)
    assert [line.split(" | ")[:3] for line in text.splitlines()[2:5]] == [
        ["| a", "high", "**1.0000**<sup>c</sup>"],
        ["| b", "mid", "0.5833<sup>c</sup>"],
        ["| c", "low_1", "0.2417"],
    ]
    assert "| **1.0000**<sup>c</sup> |" in text  # the lowest position
    assert "(the lowest of first_click_position)" in text
    latex = all_pairs.text(found.summary.dicts(), found.options, "latex", found.better, found.counts)
    assert r"a & high & \textbf{1.0000}\textsuperscript{c} &" in latex
    assert r"c & low\_1 & 0.2417 &" in latex
    assert r"\caption{Letters name the runs that a value is significantly better than" in latex


def test_runs_with_several_values_are_shown_in_pairs():
    runs = {"one": SYSTEMS["high"], "two": {"a": ["y", "x"], "b": ["x"]}, "three": SYSTEMS["mid"]}
    found = quietly(rm.tukey, runs, {query: {"x": 1} for query in "abcdef"}, "rr", queries="judged_retrieved")
    assert None not in {row["pvalue_adj"] for row in found.summary.dicts()}  # each pair is of its own queries
    text = all_pairs.text(found.summary.dicts(), found.options, "markdown", found.better)
    assert text.splitlines()[0].startswith("| metric | baseline | candidate | difference |")
    assert "none of a pair" not in text


def test_letters_go_on_after_z():
    assert [all_pairs._letter(place) for place in (0, 25, 26, 51, 52, 701, 702)] == [
        "a",
        "z",
        "aa",
        "az",
        "ba",
        "zz",
        "aaa",
    ]
