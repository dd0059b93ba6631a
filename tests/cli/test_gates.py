"""Conditions that fail a comparison on the command line."""

from __future__ import annotations

import json
import random
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.multitest import multipletests

import rankmetrics_sql as rm
from rankmetrics_sql.api.compare import compare_by_gates
from rankmetrics_sql.definitions.resolution import resolve_metrics, resolve_options
from rankmetrics_sql.results.gates import read_gates

from ..conftest import quietly
from ..everything import one_in, seeds
from ..oracles.rare import ENOUGH, shares_of_level, unbounded


@pytest.fixture
def runs(tmp_path):
    """A good run, a bad one, one a little worse than the good one, and judgments of two markets."""
    rng = random.Random(3)
    files = {name: tmp_path / f"{name}.csv" for name in ("good", "bad", "near", "qrels")}
    lines = {name: ["query_id,item_id,score"] for name in ("good", "bad", "near")}
    lines["qrels"] = ["query_id,item_id,relevance,market"]
    for query in range(40):
        for item in range(6):
            grade, noise = int(rng.random() < 0.4), rng.random()
            lines["qrels"].append(f"q{query},i{item},{grade},{'de' if query % 2 else 'fr'}")
            for name, weight in (("good", 0.8), ("near", 0.75), ("bad", 0.0)):
                lines[name].append(f"q{query},i{item},{weight * grade + noise}")
    for name, file in files.items():
        file.write_text("\n".join(lines[name]) + "\n")
    return {name: str(file) for name, file in files.items()}


def fails(cli, runs, names, *conditions, metrics=("ap", "rr"), extra=(), option="--fail-if"):
    arguments = [part for metric in metrics for part in ("-m", metric)]
    arguments += [part for condition in conditions for part in (option, condition)]
    return cli("compare", *(runs[name] for name in names), "--qrels", runs["qrels"], *arguments, *extra)


def test_the_effect_is_compared_with_a_number(cli, runs):
    effect = quietly(rm.compare, runs["good"], {"bad": runs["bad"]}, runs["qrels"], ["ap"]).summary.dicts()[0][
        "effect_size"
    ]
    assert effect < -0.1
    for condition, code in {
        f"ap < {effect + 1e-6}": 3, f"ap < {effect - 1e-6}": 0, f"AP <= {effect!r}": 3, f"ap<{effect!r}": 0,
        f"ap > {effect - 1e-6}": 3, f"ap >= {effect + 1e-6}": 0, "ap > 0": 0,
    }.items():  # fmt: skip
        assert fails(cli, runs, ("good", "bad"), condition).exit_code == code, condition


def test_worse_is_what_a_test_says(cli, runs):
    found = fails(cli, runs, ("good", "bad"), "ap worse", "rr worse by 0.05", "ap < -0.9")
    assert found.exit_code == 3
    assert found.stdout.splitlines()[0].split()[0] == "metric"  # the result stands there
    lines = [line for line in found.stderr.splitlines() if "fails" in line]
    assert lines[0].startswith("rankmetrics: fails: ap worse: bad differs from good by -0.")
    assert re.search(r" by -0\.\d+, p [-\d.e]+ after correction\.$", lines[0])
    assert [line.split(": ")[2] for line in lines] == ["ap worse", "rr worse by 0.05"]
    assert fails(cli, runs, ("bad", "good"), "ap worse", "rr worse").exit_code == 0
    near = quietly(rm.compare, runs["good"], {"near": runs["near"]}, runs["qrels"], ["ap"]).summary.dicts()[0]
    assert (near["effect_size"] < 0, near["significant"]) == (True, 0)
    assert fails(cli, runs, ("good", "near"), "ap worse", metrics=["ap"]).exit_code == 0
    assert fails(cli, runs, ("good", "bad"), "ap worse by 0.9").exit_code == 0


@pytest.mark.parametrize("other", ["bad", "near"])
def test_a_margin_is_what_is_tested_against(cli, runs, other):
    """Worse by more than it, or not worse, by scipy's t test about it; one side at half of what the table has."""
    found = quietly(rm.compare, runs["good"], {"x": runs[other]}, runs["qrels"], ["ap"])
    differences = [row["difference"] for row in found.per_query.dicts()]
    n_changed = sum(difference != 0 for difference in differences)
    for margin in (0, 0.001, 0.02, 0.1, 0.15, 0.2, 0.3):
        lower, upper = (
            stats.ttest_1samp(differences, -margin, alternative=side).pvalue for side in ("less", "greater")
        )
        by = f" by {margin}" if margin else ""
        expected = [f"ap worse{by}"] if lower <= 0.025 else []
        is_bounded = not margin or unbounded(differences, margin, "greater") <= 0.025
        expected += [] if upper <= 0.025 and is_bounded else [f"ap not worse{by}"]
        if n_changed < 6 and not margin:
            expected = ["ap not worse"]
        unless = ("--fail-unless", f"ap not worse{by}")
        done = fails(cli, runs, ("good", other), f"ap worse{by}", metrics=["ap"], extra=unless)
        failed = [line.split(": ")[2] for line in done.stderr.splitlines() if ": fails: " in line]
        assert failed == expected, margin
        assert done.exit_code == (3 if expected else 0)


def test_runs_that_are_alike_are_not_worse_by_a_margin(cli, runs):
    """By one that is larger than what so many unchanged queries leave open; without one, no query says anything."""
    alike = runs | {"copy": f"copy={runs['good']}"}
    for condition, code in (("ap not worse by 0.15", 0), ("ap not worse by 0.01", 3), ("ap not worse", 3)):
        assert fails(cli, alike, ("good", "copy"), condition, option="--fail-unless").exit_code == code
    assert fails(cli, alike, ("good", "copy"), "ap worse", "rr worse by 0.01").exit_code == 0


def test_what_the_table_asks_moves_no_condition(cli, runs):
    """One is about its own margin and side; the test and the level are those of the comparison."""
    for settings in (["alternative=greater"], ["alternative=less", "margin=0.5"], ["power=0.9"], ["correction=bh"]):
        extra = [part for setting in settings for part in ("--set", setting)]
        assert fails(cli, runs, ("good", "bad"), "ap worse by 0.05", extra=extra).exit_code == 3, settings
        assert fails(cli, runs, ("bad", "good"), "ap worse by 0.05", extra=extra).exit_code == 0, settings
    assert fails(cli, runs, ("good", "near"), "ap worse", extra=("--set", "confidence_level=0.3")).exit_code == 0
    refused = fails(cli, runs, ("good", "bad"), "ap worse", extra=("--set", "test=sign"))
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "test=sign compares queries" in refused.stderr


def test_conditions_are_corrected_together(cli, runs):
    """And metrics without one count for nothing."""
    [alone] = [line for line in fails(cli, runs, ("good", "bad"), "ap worse").stderr.splitlines() if "fails" in line]
    both = fails(cli, runs, ("good", "bad"), "ap worse", "rr worse", extra=("--set", "correction=bonferroni"))
    pvalues = [float(re.search(r", p ([-\d.e]+) after", line)[1]) for line in [alone, both.stderr] if "fails" in line]
    assert pvalues[1] == pytest.approx(2 * pvalues[0], rel=1e-3)


def test_a_number_is_compared_exactly(cli, tmp_path):
    """P@4 falls by 1/4 in every second query, and by none in the others: by 1/8, which no rounding touches."""
    names, files = ("good", "bad"), {}
    for name in names:
        lines = [f"q{query} Q0 {'n' if name == 'bad' and query % 2 and not place else 'r'}{place} 1 {9 - place} x\n"
                 for query in range(40) for place in range(4)]  # fmt: skip
        files[name] = tmp_path / f"{name}.run"
        files[name].write_text("".join(lines))
    (tmp_path / "qrels").write_text("".join(f"q{query} 0 r{place} 1\n" for query in range(40) for place in range(4)))
    runs = {name: str(file) for name, file in files.items()} | {"qrels": str(tmp_path / "qrels")}
    for condition, code in (("p@4 < -0.125", 0), ("p@4 <= -0.125", 3)):
        assert fails(cli, runs, names, condition, metrics=["p@4"]).exit_code == code, condition
        unless = fails(cli, runs, names, condition, metrics=["p@4"], option="--fail-unless")
        assert unless.exit_code == 3 - code, condition


@pytest.mark.parametrize("other", ["bad", "good=2"])
def test_what_became_of_conditions_is_a_file(cli, runs, tmp_path, other):
    """One for each, whatever is in its text; written whether they fail or not."""
    file = tmp_path / "gates.xml"
    conditions = ["ap worse", "rr < -0.9", "ap <= 5 "]
    names = ("good", "bad") if other == "bad" else ("bad", "good")
    found = fails(cli, runs, names, *conditions, extra=("--junit", str(file)))
    assert found.exit_code == 3
    suite = ET.parse(file).getroot()
    cases = {case.get("name"): case for case in suite}
    assert list(cases) == [f"--fail-if {condition}" for condition in conditions]
    said = [line.removeprefix("rankmetrics: fails: ") for line in found.stderr.splitlines() if "fails" in line]
    assert [failure.text for failure in suite.iter("failure")] == said
    n_failed = 2 if other == "bad" else 1
    assert (suite.get("tests"), suite.get("failures"), len(said)) == ("3", str(n_failed), n_failed)
    assert (
        cli(
            "evaluate", runs["good"], "--qrels", runs["qrels"], "-m", "ap", "--fail-if", "ap < 0", "--junit", file
        ).exit_code
        == 0
    )
    assert ET.parse(file).getroot().get("failures") == "0"


def test_a_value_is_compared_with_a_number(cli, runs):
    """Of each run and group, whatever is shown."""
    asked = ["evaluate", runs["good"], runs["bad"], "--qrels", runs["qrels"], "-m", "ap", "-m", "rr"]
    values = {row["run_id"]: row["value"] for row in quietly(
        rm.evaluate, {name: runs[name] for name in ("good", "bad")}, runs["qrels"], "ap").summary.dicts()}  # fmt: skip
    between = (values["good"] + values["bad"]) / 2
    found = cli(*asked, "--fail-if", f"ap < {between}", "--fail-if", "rr > 1")
    assert (found.exit_code, len(found.stdout.splitlines())) == (3, 4)
    said = f"rankmetrics: fails: ap < {between}: bad is {values['bad']:.4g}."
    assert [line for line in found.stderr.splitlines() if "fails" in line] == [said]
    assert cli(*asked, "--fail-if", f"ap < {values['bad']!r}").exit_code == 0
    assert cli(*asked, "--fail-if", f"AP <= {values['bad']!r}", "-q").exit_code == 3
    groups = cli(*asked[:2], *asked[3:], "--by", "market", "--fail-if", "ap >= 0")
    assert "good (market=de) is 0." in groups.stderr
    wrong = cli(*asked, "--fail-if", "ap worse")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert (
        "cannot understand 'ap worse'. METRIC < NUMBER (also <=, >, >=) compares the value with a number."
        in wrong.stderr
    )


def test_any_candidate_and_any_group_fails(cli, runs):
    found = fails(cli, runs, ("good", "near", "bad"), "ap worse", extra=("--by", "market", "--format", "csv"))
    lines = [line for line in found.stderr.splitlines() if "fails" in line]
    assert found.exit_code == 3
    assert all(": bad (market=" in line for line in lines)
    assert len(found.stdout.splitlines()) == 1 + 2 * 2 * 2


def test_worse_of_a_metric_that_is_better_lower(cli, runs):
    for names, code in ((("good", "bad"), 3), (("bad", "good"), 0)):
        assert fails(cli, runs, names, "fallout@2 worse", metrics=["fallout@2"]).exit_code == code


@pytest.mark.parametrize(("n", "verdict", "code"), [(5, "too few queries", 3), (6, "no difference", 0)])
def test_equal_runs_are_not_worse_from_six_queries_on(cli, tmp_path, n, verdict, code):
    """And the table says as much: what it calls too few is too few for the condition, too."""
    run, qrels = tmp_path / "run.csv", tmp_path / "qrels.csv"
    run.write_text("query_id,item_id,score\n" + "".join(f"q{query},x,1\n" for query in range(n)))
    qrels.write_text("query_id,item_id\n" + "".join(f"q{query},x\n" for query in range(n)))
    given = ["compare", f"a={run}", f"b={run}", "--qrels", str(qrels), "-m", "rr"]
    found = cli(*given, "--fail-unless", "rr not worse by 0.5")
    assert (found.exit_code, verdict in found.stdout) == (code, True)
    found = cli(*given, "--fail-unless", "rr not worse by 0.4")  # 0.6^6 is above 0.025
    assert (found.exit_code, "of 6 unchanged queries up to 45 % may change" in found.stderr) == (3, n == 6)
    unlimited = cli(*given, "--fail-unless", "rr not worse")
    assert (unlimited.exit_code, f": {verdict}, p 1 after" in unlimited.stderr) == (3, True)


@pytest.mark.parametrize(
    ("condition", "code", "message"),
    [
        ("ndcg worse", 2, "'ndcg' is not one of the metrics"),
        ("app < 1", 2, "Did you mean 'ap'?"),
        ("ap is bad", 2, "cannot understand 'ap is bad'. METRIC < NUMBER"),
        ("ap < much", 2, "'much' is not a number"),
        ("ap < nan", 2, "'nan' is not a number"),
        ("ap worse by -1", 2, "a margin is at least 0"),
        ("ap better by -1", 2, "a margin is at least 0"),
        ("ap not better", 2, "cannot understand 'ap not better'. METRIC < NUMBER"),
        ("ap(aggregate=max) better by 0.1", 1, "no test says whether bad is better (40 queries)"),
        ("gm_map better by 0.1", 2, "geometric means are compared by their ratio, but a margin is a difference"),
        ("ap(aggregate=max) worse", 1, "no test says whether bad is worse (40 queries)"),
        ("gm_map worse by 0.1", 2, "geometric means are compared by their ratio"),
    ],
)
def test_what_cannot_be_asked(cli, runs, condition, code, message):
    found = fails(cli, runs, ("good", "bad"), condition, metrics=["ap", "gm_map", "ap(aggregate=max)"])
    assert (found.exit_code, message in found.stderr) == (code, True), found.stderr


def test_pairs_have_no_shares(cli, runs):
    files = [runs["good"], runs["bad"], "--qrels", runs["qrels"]]
    assert "shares= needs arms" in cli("compare", *files, "-m", "ap", "--shares", "good=1,bad=1").stderr


@pytest.mark.parametrize("condition", [("--fail-unless", "ap not worse by 0.01"), ("--fail-if", "ap < -0.5")])
def test_a_run_without_a_judged_item_fails_every_condition(cli, runs, condition):
    """Item ids of the judgments are padded, so that all values are 0 and nothing differs."""
    judged = Path(runs["qrels"])
    judged.write_text(re.sub(r",i(\d)", r",i0\1", judged.read_text()))
    found = fails(cli, runs, ("good", "near"), condition[1], option=condition[0])
    assert found.exit_code == 3
    for name in ("good", "near"):
        assert f"fails: {condition[1]}: {name} retrieved no judged item, so its value means nothing." in found.stderr
    assert "no difference" in found.stdout


def test_each_condition_is_a_test_of_its_own(cli, runs):
    """Several margins of one metric, too; those that ask the same count once in the correction."""
    found = fails(cli, runs, ("good", "bad"), "ap worse", "ap worse by 0.9", extra=("--fail-unless", "ap not worse"))
    failed = [line.split(": ")[2] for line in found.stderr.splitlines() if ": fails: " in line]
    assert (found.exit_code, failed) == (3, ["ap worse", "ap not worse"])
    assert fails(cli, runs, ("good", "bad"), "ap worse by 0.1", "ap worse by 0.10").exit_code == 3
    texts = ["AP worse", "ap not worse by 0", "ap better", "ap better by 0.1", "ap worse by 0.1", "rr better by 0.1"]
    metrics = resolve_metrics(["ap", "rr"], resolve_options({}, None))
    gates = read_gates([("--fail-if", text) for text in texts], metrics)
    assert [gate.test for gate in gates] == ["ap", "ap", "ap", "ap [2]", "ap [3]", "rr"]


class Values(NamedTuple):
    """A value of each query of a run or arm, and its user; all users of one have as many queries."""

    values: np.ndarray
    users: np.ndarray

    @property
    def of_users(self):
        return [self.values[self.users == who].mean() for who in np.unique(self.users)]


def drawn(seed, is_paired):
    """Both runs, or arms."""
    rng = np.random.default_rng(seed)
    size = rng.choice([1, 3])
    old, new = (np.repeat(np.arange(n), size) for n in rng.choice([8, 20, 40], 2))
    first = Values(1 + rng.random(old.max() + 1)[old] + rng.choice([0, 0.5, 1], len(old)), old)
    if is_paired:
        return first, Values(first.values + rng.choice([0, 0.2, 0.5, 1], len(old)), old)
    new += 100  # other users
    return first, Values(1.4 + rng.random(new.max() + 1)[new] + rng.choice([0, 0.5, 1, 2], len(new)), new)


def answered(old, new, is_paired, texts, **options):
    """The rows that conditions are read from, and which of these hold; a value is the gain of the item of a list."""
    sides = {"a": old} if is_paired else {"a": old, "b": new}
    names = {arm: [f"{arm}{n}" for n in range(len(side.values))] for arm, side in sides.items()}
    item, queries = ("y", names["a"]) if is_paired else ("x", names["b"])
    qrels = {query: {} for own in names.values() for query in own}
    for of_item, own, side in (("x", names["a"], old), (item, queries, new)):
        for query, value in zip(own, side.values, strict=True):
            qrels[query][of_item] = value
    users = [f"u{who}" for side in sides.values() for who in side.users]
    runs = {query: ["x"] for query in names["a"]}, {"new": {query: [item] for query in queries}}
    design = {} if is_paired else {"design": "unpaired", "queries": "judged_retrieved"}
    gates = read_gates([("--fail-if", text) for text in texts], resolve_metrics(["cg@1"], resolve_options({}, None)))
    listed = pandas.DataFrame({"query_id": [*qrels], "who": users})
    if "traffic" in options:
        listed["traffic"] = options.pop("traffic")[: len(qrels)]
    given = {"query_list": listed, **design, **options}
    rows = quietly(compare_by_gates, *runs, qrels, gates, baseline="old", **given)
    return rows, [not all(check.passed for check in gate.checks(rows)) for gate in gates]


def above_by_hand(old, new, is_paired, is_clustered):
    """The p-value of a mean of new values above that of the old; of users with equally many by their means."""
    if is_paired and is_clustered:
        groups = {"cov_type": "cluster", "cov_kwds": {"groups": old.users}, "use_t": True}
        fitted = OLS(new.values - old.values, np.ones(len(old.values))).fit(**groups)
        return stats.t.sf(fitted.tvalues[0], len(np.unique(old.users)) - 1)
    if is_paired:
        return stats.ttest_rel(new.values, old.values, alternative="greater").pvalue
    sides = [side.of_users if is_clustered else side.values for side in (new, old)]
    return stats.ttest_ind(*sides, equal_var=False, alternative="greater").pvalue


@pytest.mark.parametrize("is_clustered", [False, True])
@pytest.mark.parametrize("is_paired", [True, False])
@pytest.mark.parametrize("seed", seeds(12, 3))
def test_a_gain_is_tested_on_its_side(seed, is_paired, is_clustered):
    """By t tests of others on shifted values, Holm's correction included, beside conditions of other kinds."""
    old, new = drawn(seed, is_paired)
    effect = new.values.mean() - old.values.mean()
    gains = {f"{amount:g}": old.values + amount for amount in (round(effect * part, 3) for part in (0.3, 0.7, 1.2))}
    shares = [round(100 * effect / old.values.mean() * part, 2) for part in (0.4, 0.8)]
    gains |= {f"{share:g}%": old.values * (1 + share / 100) for share in shares}
    losses = {"": old.values, " by 0.1": old.values - 0.1, " by 4 %": old.values * 0.96}
    texts = [f"cg@1 better by {gain}" for gain in gains]
    texts += [f"cg@1 {word}{loss}" for loss in losses for word in ("worse", "not worse")]
    rows, held = answered(old, new, is_paired, texts, **({"cluster": "who"} if is_clustered else {}))
    limits = [old._replace(values=values) for values in [*gains.values(), *losses.values()]]
    above = [above_by_hand(limit, new, is_paired, is_clustered) for limit in limits]
    both = [min(2 * pvalue, 1) for pvalue in above[: len(gains)]]
    both += [2 * min(pvalue, 1 - pvalue) for pvalue in above[len(gains) :]]
    expected = multipletests(both, method="holm")[1]
    assert [row["pvalue_adj"] for row in rows] == pytest.approx(list(expected), rel=1e-7, abs=1e-12)
    is_shown = [pvalue <= 0.05 for pvalue in expected]
    words = [f"better by {gain}" if shown else "not shown" for gain, shown in zip(gains, is_shown[:-3], strict=True)]
    unchanged = n_changed(old, new, is_clustered) < ENOUGH if is_paired else False
    levels = [share * 0.025 for share in shares_of_level(rows, "holm")]
    for loss, limit, shown, level in zip(losses, limits[-3:], is_shown[-3:], levels[-3:], strict=True):
        is_worse = new.values.mean() < limit.values.mean()
        may_be_rare = bool(loss) and not is_worse and unchanged and above[-3] > level
        words.append("inconclusive" if not shown or may_be_rare else "worse" if is_worse else "not worse")
    assert [row["verdict"] for row in rows] == words
    expect_held = [word.startswith("better") for word in words[: len(gains)]]
    assert held == expect_held + [word == side for word in words[-3:] for side in ("worse", "not worse")]


def n_changed(old, new, is_clustered):
    """How many queries, or users, of pairs changed."""
    has_changed = new.values != old.values
    return len(np.unique(old.users[has_changed])) if is_clustered else has_changed.sum()


@pytest.mark.parametrize("is_paired", [True, False])
@pytest.mark.parametrize(
    "options",
    one_in(
        2, [{}, {"cluster": "who"}, {"weight": "traffic"}, {"cluster": "who", "weight": "traffic"}, {"sequential": 30}]
    ),
    ids=str,
)
def test_a_share_of_the_baseline_is_a_loss_of_what_is_as_large(options, is_paired):
    """What is tested is no difference from a baseline whose values are so many times as large, whoever is alike."""
    rng = np.random.default_rng(5)
    users = rng.integers(0, 12, 60)
    old = Values(1 + rng.random(60) + users / 12, users)
    new = Values(old.values * rng.choice([0.9, 1, 1.1, 1.5], 60), users if is_paired else rng.integers(0, 12, 60))
    asked = {**options, "traffic": rng.integers(1, 9, 120), "correction": "none"}
    texts = ["cg@1 worse by 5%", "cg@1 better by 5%", "cg@1 better by 20%"]
    rows, _ = answered(old, new, is_paired, texts, **asked)
    for row, times in zip(rows, (0.95, 1.05, 1.2), strict=True):
        [plain], _ = answered(old._replace(values=old.values * times), new, is_paired, ["cg@1 worse"], **asked)
        is_below = times > 1 and plain["effect_size"] < 0
        assert row["pvalue"] == (1 if is_below else pytest.approx(plain["pvalue"], rel=1e-9))
        assert row["statistic"] == pytest.approx(plain["statistic"], rel=1e-9)
        assert (row["baseline"], row["candidate"]) == (rows[0]["baseline"], plain["candidate"])


def test_a_share_of_a_baseline_that_is_not_positive():
    """No row has a value for a test to be of."""
    users = np.arange(12)
    old, new = Values(np.zeros(12), users), Values(np.arange(12.0), users)
    said = "cg@1 of old is 0, and a margin in % needs a baseline above 0. Pass a margin without %."
    for text in ("cg@1 worse by 5%", "cg@1 better by 5%"):
        with pytest.raises(rm.DataError, match=re.escape(said)):
            answered(old, new, True, [text])
    asked = {"traffic": users.repeat(2), "covariate": "traffic"}
    with pytest.raises(rm.UsageError, match="and covariate= adjusts it"):
        answered(new, new, False, ["cg@1 worse by 5%"], **asked)
    assert answered(old, new, True, ["cg@1 worse by 0.05", "cg@1 better by 0.05", "cg@1 better by 0%"])[1] == [
        False, True, True,
    ]  # fmt: skip


def test_rare_changes_and_a_share_of_the_baseline(cli, runs):
    """As with a margin in the units of the metric, which is that share of the value of the baseline."""
    for other in ("near", "good=2"):
        given = {"x": runs[other] if other == "near" else runs["good"]}
        rows = quietly(rm.compare, runs["good"], given, runs["qrels"], ["ap"]).per_query.dicts()
        old, new = (np.array([row[side] for row in rows]) for side in ("baseline", "candidate"))
        met = set()
        for percent in (1, 5, 12, 15, 20, 30, 60):
            limit = old * (1 - percent / 100)
            bound = unbounded([*(new - old)], percent / 100 * old.mean(), "greater")
            is_shown = stats.ttest_rel(new, limit, alternative="greater").pvalue <= 0.025 and bound <= 0.025
            text, file = f"ap not worse by {percent}%", f"x={given['x']}"
            done = fails(cli, runs | {"x": file}, ("good", "x"), text, metrics=["ap"], option="--fail-unless")
            assert done.exit_code == (0 if is_shown else 3), percent
            met.add(bool(is_shown))
        assert met == {True, False}


@pytest.mark.parametrize("names", [("bad", "good"), ("good", "bad"), ("good", "near")])
def test_a_gain_is_in_the_direction_of_the_metric(cli, runs, names):
    """By scipy, of pairs, for a metric of each direction; a level is halved, as for a loss."""
    metrics = ["ap", "fallout@2"]
    found = quietly(rm.compare, runs[names[0]], {"x": runs[names[1]]}, runs["qrels"], metrics)
    for metric, sign in (("ap", 1), ("fallout@2", -1)):
        rows = [row for row in found.per_query.dicts() if row["metric"] == metric]
        old, new = (np.array([row[side] for row in rows]) for side in ("baseline", "candidate"))
        for margin in ("0.001", "0.1", "0.2", "5%", "20%"):
            limit = old * (1 + sign * float(margin[:-1]) / 100) if "%" in margin else old + sign * float(margin)
            is_shown = stats.ttest_1samp(sign * (new - limit), 0, alternative="greater").pvalue <= 0.025
            is_shown &= np.count_nonzero(new - old) >= 6
            done = fails(cli, runs, names, f"{metric} better by {margin}", metrics=metrics, option="--fail-unless")
            assert done.exit_code == (0 if is_shown else 3), (metric, margin)


def test_conditions_are_about_capped_values():
    """As the comparison is, whether a condition is tested once or twice; caps of other metrics have no use."""
    old = Values(np.arange(30.0) % 3, np.arange(30))
    new = Values(np.minimum(old.values + np.arange(30) % 2, 1.5), old.users)
    texts = ["cg@1 better by 0.05", "cg@1 worse by 0.01"]
    wild = new._replace(values=np.where(new.values == 1.5, 1000, new.values))
    plain, _ = answered(old._replace(values=np.minimum(old.values, 1.5)), new, True, texts)
    capped, _ = answered(old, wild, True, texts, cap={"CG@1": 1.5, "dcg": 3})
    assert plain[0]["effect_size"] == pytest.approx(0.25)
    names = ("metric", "effect_size", "pvalue_adj", "verdict")
    assert [[row[name] for name in names] for row in capped] == [[row[name] for name in names] for row in plain]


def test_few_queries_and_equal_ones_show_no_gain():
    """Six that changed are enough, as without a margin, and those that did not are not proof of anything."""
    same = Values(np.arange(12.0), np.arange(12))
    rows, held = answered(same, same, True, ["cg@1 better by 0.01"])
    assert ([row["verdict"] for row in rows], held) == (["no difference"], [False])
    for n_changed, word in ((5, "too few queries"), (6, "better by 0.01")):
        changes = np.where(np.arange(12) < n_changed, 1 + same.values / 8, 0)
        rows, held = answered(same, same._replace(values=same.values + changes), True, ["cg@1 better by 0.01"])
        assert ([row["verdict"] for row in rows], held) == ([word], [n_changed == 6])


def test_nothing_to_look_at():
    [ap] = resolve_metrics(["ap"], resolve_options({}, None))
    [worse, below] = read_gates([("--fail-if", "ap worse"), ("--fail-if", "ap < 1")], [ap])
    with pytest.raises(rm.DataError, match="ap has no value"):
        worse.checks([])
    row = {"run": "b", "baseline_run": "a", "metric": "ap", "effect_size": None, "verdict": "no test", "n_queries": 0}
    with pytest.raises(rm.DataError, match="b has no value"):
        below.checks([row])


def test_arms_of_a_log(cli, tmp_path):
    rows = [f"r{n},i{p},{p},{'new' if n % 2 else 'old'}" for n in range(60) for p in (1, 2, 3)]
    (tmp_path / "shown.csv").write_text("request_id,item_id,position,arm\n" + "\n".join(rows) + "\n")
    clicks = [f"r{n},i{3 if n % 2 and n % 5 else 1},click" for n in range(60)]
    (tmp_path / "events.csv").write_text("request_id,item_id,event_type\n" + "\n".join(clicks) + "\n")
    log = ["--events", str(tmp_path / "shown.csv"), str(tmp_path / "events.csv"), "--rule", "arm=arm"]
    found = cli("compare", *log, "--baseline", "old", "-m", "rr", "--fail-if", "rr worse")
    assert found.exit_code == 3
    assert "rr worse: new differs from old by -0." in found.stderr
    assert "Welch's t test" in found.stdout
    assert cli("compare", *log, "--baseline", "new", "-m", "rr", "--fail-if", "rr worse").exit_code == 0
    assert "Name the arm" in cli("compare", *log, "-m", "rr").stderr
    of_arms = ["compare", *log, "--baseline", "old", "-m", "rr", "--shares"]
    assert cli(*of_arms, "old=0.5,new=0.5").exit_code == 0
    uneven = cli(*of_arms, "old=0.9, new=0.1")
    assert (uneven.exit_code, "30 queries in new, 30 in old, 6 and 54 expected" in uneven.stderr) == (0, True)
    lost = cli(*of_arms, "old=0.5,new=0.5,lost=0.5")
    assert (
        lost.exit_code,
        "mismatch: 0 queries in lost, 30 in new, 30 in old, 20 expected in each" in lost.stderr,
    ) == (0, True)
    assert "Sample ratio 30 : 0 : 30, by design 0.5 : 0.5 : 0.5, arm sizes not as planned (p < .0001)." in lost.stdout
    for shares, message in (
        ("old=0.5,nwe=0.5", "the arm new has queries but no share. There are shares of nwe, old"),
        ("old=0.5,new", "--shares takes ARM=SHARE,... with shares above 0, such as control=0.9,new=0.1, not 'new'"),
        ("old=0.5,new=0", "such as control=0.9,new=0.1, not 'new=0'"),
        ("old=1,old=1", "gives old two shares"),
        ("old=1", "shares is the share of each of two arms or more"),
    ):
        refused = cli(*of_arms, shares)
        assert refused.exit_code == 2
        assert message in refused.stderr
    assert "not x.csv besides" in cli("compare", "x.csv", *log, "--baseline", "old", "-m", "rr").stderr
    assert "--baseline names an arm" in cli("compare", "x", "y", "--qrels", "z", "--baseline", "x", "-m", "rr").stderr


def test_losses_are_allowed_on_the_command_line(cli, runs):
    """As in Python, whatever a condition allows; a metric may hold commas and equals signs."""
    limits = {"ap": 0.02, "ndcg(gain=exp2, discount=log2)@5": 1}  # which no change exceeds
    asked = runs["good"], {"bad": runs["bad"]}, runs["qrels"], [*limits, "rr"]
    rows = quietly(rm.compare, *asked, limits=limits).summary.dicts()
    assert [row["verdict"] for row in rows] == ["worse", "not worse", "no test"]
    texts = ["--limits", "ap=0.02, ndcg(gain=exp2, discount=log2)@5=1"]
    once = fails(cli, runs, ("good", "bad"), metrics=asked[3], extra=[*texts, "--format", "json"])
    assert [row["verdict"] for row in json.loads(once.stdout)] == [row["verdict"] for row in rows]
    assert [row["pvalue_adj"] for row in json.loads(once.stdout)] == [row["pvalue_adj"] for row in rows]
    asked_too = fails(cli, runs, ("good", "bad"), "ap worse by 0.9", metrics=asked[3], extra=texts)
    assert asked_too.exit_code == 0
    assert "against losses of 0.02 (ap), 1 (ndcg(gain=exp2, discount=log2)@5)" in asked_too.stdout

    given = {"run": {"old": "runs", "new": "others"}, "qrels": "judged", "level": "compare"}
    tables = ["--run", "old=runs", "--run", "new=others", "--qrels", "judged", "--level", "compare"]
    several = ["--limits", "ap=0.02", "--limits", "ndcg(gain=exp2, discount=log2)@5=1"]
    metrics = [part for metric in asked[3] for part in ("-m", metric)]
    assert cli("sql", *metrics, *tables, *several).stdout == rm.sql(asked[3], limits=limits, **given) + ";\n"


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["ap"], "--limits takes METRIC=LOSS,..., such as ap=0.01, not 'ap'."),
        (["ap=much"], "not 'ap=much'"),
        (["ap=0.1", "ap=0.2"], "--limits gives ap two losses"),
        (["ap=-0.1"], "limits: the loss of ap must be a number of at least 0, not -0.1."),
        (["map=0.1"], "limits: 'map' is not one of the metrics"),
    ],
)
def test_what_is_no_loss(cli, texts, said):
    tables = ["--run", "old=runs", "--run", "new=others", "--qrels", "judged", "--level", "compare"]
    found = cli("sql", "-m", "ap", *tables, *(part for text in texts for part in ("--limits", text)))
    assert (found.exit_code, said in found.stderr) == (2, True), found.stderr
