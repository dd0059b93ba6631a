"""What a comparison says, beside scipy's t tests and corrections written from their papers."""

from __future__ import annotations

import math
import random
import warnings
from functools import partial

import duckdb
import numpy as np
import pytest
from scipy import stats

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics

from ..conftest import fill, quietly
from ..everything import each_once, mostly_long, seeds

METRICS = ["ndcg@5", "rr", "ap"]
CORRECTIONS = ["holm", "bonferroni", "bh", "by", "none"]


def judged(rng, n_queries):
    return {f"q{number}": {f"d{item}": rng.choice([0, 1, 1, 2]) for item in range(6)} for number in range(n_queries)}


def run_of(rng, qrels):
    return {query: {item: rng.random() for item in items} for query, items in qrels.items()}


def values_of(run, qrels):
    rows = quietly(rm.evaluate, run, {query: qrels[query] for query in run}, METRICS).per_query.dicts()
    return {metric: np.array([row[metric] for row in rows]) for metric in METRICS}


def pair(seed, sizes=(3, 12, 50, 300)):
    """The generator, judgments, two runs and the values of both."""
    rng = random.Random(seed)
    qrels = judged(rng, rng.choice(sizes))
    ours, theirs = run_of(rng, qrels), run_of(rng, qrels)
    return rng, qrels, ours, theirs, values_of(ours, qrels), values_of(theirs, qrels)


def asked(rng):
    """A comparison's options, and the probability beyond each end of its interval."""
    level, alternative = rng.choice([0.95, 0.9, 0.99, 0.8, 0.5]), rng.choice(["two_sided", "greater", "less"])
    options = {"confidence_level": level, "alternative": alternative, "correction": rng.choice(CORRECTIONS)}
    return options, (1 - level) / (2 if alternative == "two_sided" else 1)


def close(number):
    return None if number is None or not math.isfinite(number) else pytest.approx(number, rel=1e-9, abs=1e-13)


def is_constant(values):
    """Whether they have no spread but that of rounding: scipy says nothing of those, and a test of their own does."""
    return values.std() < 1e-12


def effect_interval(row):
    return row["effect_size_ci_lower"], row["effect_size_ci_upper"]


def relative_interval(row):
    found = (row["rel_effect_size_ci_lower"], row["rel_effect_size_ci_upper"])
    return tuple(None if end is None else end + 1 for end in found)


def ends(found, level, effect, error):
    """scipy's interval; an end near 0 is what is left of numbers as large as the error and the width."""
    bounds = found.confidence_interval(level)
    scale = error + max(abs(end - effect) for end in bounds if math.isfinite(end))
    return tuple(pytest.approx(end, rel=0, abs=1e-9 * scale) if math.isfinite(end) else None for end in bounds)


def relative_ends(ratio, reach, alternative):
    return (
        None if alternative == "less" else pytest.approx(ratio * math.exp(-reach), rel=1e-9 * max(1, reach)),
        None if alternative == "greater" else pytest.approx(ratio * math.exp(reach), rel=1e-9 * max(1, reach)),
    )


def corrected(values, correction):
    """The p-values as the papers correct them, one after the other."""
    m, order = len(values), sorted(range(len(values)), key=values.__getitem__)
    harmonic = sum(1 / place for place in range(1, m + 1)) if correction == "by" else 1
    found, running = [0.0] * m, 0.0 if correction == "holm" else 1.0
    if correction in ("none", "bonferroni"):
        return [min(1, value * (m if correction == "bonferroni" else 1)) for value in values]
    for place, number in enumerate(order if correction == "holm" else order[::-1]):
        if correction == "holm":
            running = max(running, values[number] * (m - place))
        else:
            running = min(running, values[number] * m / (m - place) * harmonic)
        found[number] = min(1, running)
    return found


@pytest.mark.parametrize("seed", seeds(40, 2))
def test_pairs_are_tested_as_scipy_does(seed):
    rng = random.Random(seed)
    qrels = judged(rng, rng.choice([2, 3, 4, 5, 7, 12, 50, 300]))
    baseline, candidates = run_of(rng, qrels), {name: run_of(rng, qrels) for name in "bc"}
    options, beyond = asked(rng)
    rows = quietly(rm.compare, baseline, candidates, qrels, METRICS, **options).summary.dicts()
    values = {name: values_of(run, qrels) for name, run in {"a": baseline, **candidates}.items()}
    assert [row["pvalue_adj"] for row in rows] == pytest.approx(
        corrected([row["pvalue"] for row in rows], options["correction"]), abs=1e-12
    )
    for row in rows:
        assert row["significant"] == int(row["pvalue_adj"] <= 1 - options["confidence_level"])
        ours, theirs = values["a"][row["metric"]], values[row["run"]][row["metric"]]
        if is_constant(theirs - ours):
            continue
        found = stats.ttest_rel(theirs, ours, alternative=options["alternative"].replace("_", "-"))
        assert row["statistic"] == close(found.statistic)
        assert row["pvalue"] == close(found.pvalue)
        assert effect_interval(row) == ends(
            found, options["confidence_level"], (theirs - ours).mean(), stats.sem(theirs - ours)
        )
        ratios = theirs / theirs.mean() - ours / ours.mean()
        reach = stats.t.ppf(1 - beyond, len(ours) - 1) * ratios.std(ddof=1) / math.sqrt(len(ours))
        assert relative_interval(row) == relative_ends(theirs.mean() / ours.mean(), reach, options["alternative"])
        assert row["std_effect_size"] == close((theirs - ours).mean() / (theirs - ours).std(ddof=1))


@pytest.mark.filterwarnings("ignore:Precision loss")  # scipy's, where an arm has one value
@pytest.mark.parametrize("seed", seeds(40, 2))
def test_arms_are_tested_as_welch_does(seed):
    rng = random.Random(seed)
    qrels = judged(rng, rng.choice([8, 12, 50, 300]))
    queries = list(qrels)
    cut = rng.randint(4, len(queries) - 4)
    ours, theirs = run_of(rng, {q: qrels[q] for q in queries[:cut]}), run_of(rng, {q: qrels[q] for q in queries[cut:]})
    options, beyond = asked(rng)
    universe = {"design": "unpaired", "queries": "judged_retrieved"}
    values = values_of(ours, qrels), values_of(theirs, qrels)
    for row in quietly(rm.compare, ours, {"b": theirs}, qrels, METRICS, **universe, **options).summary.dicts():
        first, second = (arm[row["metric"]] for arm in values)
        if is_constant(first) and is_constant(second):
            continue
        found = stats.ttest_ind(second, first, equal_var=False, alternative=options["alternative"].replace("_", "-"))
        assert row["pvalue"] == close(found.pvalue)
        assert effect_interval(row) == ends(
            found, options["confidence_level"], second.mean() - first.mean(), stats.sem(second) + stats.sem(first)
        )
        variances = [arm.var(ddof=1) / len(arm) / arm.mean() ** 2 for arm in (first, second)]
        parts = [part**2 / (len(arm) - 1) for part, arm in zip(variances, (first, second), strict=True)]
        reach = stats.t.ppf(1 - beyond, sum(variances) ** 2 / sum(parts)) * math.sqrt(sum(variances))
        assert relative_interval(row) == relative_ends(second.mean() / first.mean(), reach, options["alternative"])
        assert row["n_queries"] == len(queries)
        assert (row["n_higher"], row["n_ties"], row["n_lower"], row["prob_superiority"]) == (None, None, None, None)


@pytest.mark.parametrize("degrees", mostly_long([1, 2, 3, 4, 5, 10, 30, 100, 1000, 10**5], 1, 4, 1000))
@pytest.mark.parametrize("level", mostly_long([0.5, 0.9, 0.95, 0.99, 0.999], 0.95))
def test_the_distribution_of_t(degrees, level):
    """Differences 1 and -1 in turn, moved: whatever their number, any statistic."""
    n = degrees + 1
    for statistic in (0.001, 0.3, 1, 2.2, 7, 30):
        noise = np.array([1.0, -1.0] * (n // 2) + [0.0] * (n % 2))
        differences = (noise + statistic * noise.std(ddof=1) / math.sqrt(n)) / 100
        with duckdb.connect() as con:
            values = np.concatenate([np.full(n, 0.5), 0.5 + differences])
            con.execute("CREATE TABLE stored (run_id TEXT, query_id INT, metric_number INT, metric TEXT, value DOUBLE)")
            con.register(
                "numbers", {"run_id": np.repeat(["a", "b"], n), "query_id": np.tile(np.arange(n), 2), "v": values}
            )
            con.execute("INSERT INTO stored SELECT run_id, query_id, 1, 'rr', v FROM numbers")
            con.execute(
                "CREATE VIEW values_of AS SELECT *, 1 AS n_first, 1 AS n_first_judged, 1 AS lowest_grade FROM stored"
            )
            text = rm.sql(
                ["rr"],
                {"a": "x", "b": "y"},
                "z",
                level="compare",
                values="values_of",
                confidence_level=level,
                header=False,
            )
            row = dict(zip([column[0] for column in con.execute(text).description], con.fetchone(), strict=True))
        measured = values[n:] - 0.5
        found = stats.ttest_1samp(measured, 0)
        assert row["pvalue"] == pytest.approx(found.pvalue, rel=2e-9)
        assert row["effect_size_ci_lower"] == pytest.approx(found.confidence_interval(level).low, rel=2e-9, abs=1e-12)


def compared(ours, theirs, **options):
    qrels = {query: {"a": 1} for query in {**ours, **theirs}}
    run, other = ({q: ["a"] if hit else ["b", "a"] for q, hit in given.items()} for given in (ours, theirs))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)
        [row] = rm.compare(run, {"other": other}, qrels, ["rr"], **options).summary.dicts()
    return row


def test_equal_inputs_differ_by_nothing():
    row = compared({"x": 1, "y": 0}, {"x": 1, "y": 0})
    assert (row["effect_size"], row["pvalue"], row["statistic"], row["significant"]) == (0, 1, None, 0)
    assert (row["effect_size_ci_lower"], row["effect_size_ci_upper"]) == (0, 0)


def rising(n, first="ba"):
    """Judgments, and runs of which the second is better on every query, by as much on all but the first."""
    names = [f"q{number}" for number in range(n)]
    old = {name: list("ba") for name in names} | {"q0": list(first)}
    return old, {"new": {name: list("ab") for name in names}}, {name: {"a": 1} for name in names}


@pytest.mark.parametrize(
    ("given", "n", "alternative"),
    each_once(
        [{}, {"test": "bootstrap"}, {"design": "unpaired"}, {"interval_level": "corrected"}],
        [2, 4, 40],
        ["two_sided", "greater", "less"],
    ),
)
def test_equal_differences_do_not_say_how_far_they_spread(given, n, alternative):
    """No number of them gives a p-value; what the warning advises is typed, and has one."""
    with warnings.catch_warnings(record=True) as caught:  # arms of the same queries are warned of, too
        warnings.simplefilter("always")
        [row] = rm.compare(*rising(n), "rr", alternative=alternative, **given).summary.dicts()
    assert (row["effect_size"], row["standard_error"]) == (0.5, 0)
    unknown = ["pvalue", "pvalue_adj", "significant", "statistic", "std_effect_size"]
    unknown += [f"{which}_ci_{end}" for which in ("effect_size", "rel_effect_size") for end in ("lower", "upper")]
    assert {row[name] for name in unknown} == {None}
    [told] = {str(one.message) for one in caught if "no variance" in str(one.message)}
    advised = told.rpartition("test=")[2].split()[0]
    design = {"design": given["design"]} if "design" in given else {}
    [row] = quietly(rm.compare, *rising(n), "rr", test=advised, alternative=alternative, **design).summary.dicts()
    assert row["pvalue"] is not None


@pytest.mark.parametrize(
    ("n", "given", "alternative"),
    each_once([1, 2, 4, 9], [{"test": "sign"}, {"test": "randomisation"}], ["two_sided", "greater", "less"]),
)
def test_the_signs_of_equal_differences_have_a_p_value(n, given, alternative):
    [row] = quietly(rm.compare, *rising(n), "rr", alternative=alternative, **given).summary.dicts()
    wanted = stats.binomtest(n, n, alternative=alternative.replace("_", "-")).pvalue
    assert row["pvalue"] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("alternative", "sides"), [("two_sided", 2), ("greater", 1)])
@pytest.mark.parametrize("n", [2, 3, 5, 8, 14])
def test_a_bootstrap_knows_no_more_than_signs(n, alternative, sides):
    """Not with thousands of replicates of a few queries that all rise, one of them more than the others.

    Nor more than the replicates do, on each side.
    """
    runs = rising(n, "cba")
    [row] = quietly(rm.compare, *runs, "rr", alternative=alternative, test="bootstrap", resamples=2000).summary.dicts()
    assert row["n_higher"] == n
    assert row["pvalue"] == pytest.approx(max(sides / 2**n, sides / 2001), rel=1e-12)


def test_one_query_says_nothing_of_chance():
    row = compared({"x": 0}, {"x": 1})
    assert row["effect_size"] == 0.5
    unknown = ("standard_error", "pvalue", "pvalue_adj", "significant", "effect_size_ci_lower", "std_effect_size")
    assert {row[name] for name in unknown} == {None}


def test_an_end_that_no_double_holds_is_not_known():
    row = compared({"x": 1, "y": 0}, {"x": 0, "y": 1}, confidence_level=0.99999)
    assert (row["rel_effect_size_ci_lower"], row["rel_effect_size_ci_upper"]) == (-1, None)
    assert math.isfinite(row["effect_size_ci_upper"])


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_metric_without_a_test_is_not_corrected(correction):
    """Of a greatest value no error is known, whatever the others of the family say."""
    rng = random.Random(5)
    qrels = judged(rng, 60)
    best = {query: {item: grade + rng.random() for item, grade in items.items()} for query, items in qrels.items()}
    metrics = ["p(aggregate=max)@3", "ap", "rr"]
    found = quietly(rm.compare, run_of(rng, qrels), {"best": best}, qrels, metrics, correction=correction)
    without, *tested = found.summary.dicts()
    assert (without["pvalue"], without["pvalue_adj"], without["significant"]) == (None, None, None)
    values = [row["pvalue"] for row in tested]
    assert [row["pvalue_adj"] for row in tested] == pytest.approx(corrected(values, correction), abs=1e-12)
    assert [row["significant"] for row in tested] == [1, 1]


@pytest.mark.parametrize(
    "name", sorted(name for name, one in metrics().items() if not one.reads_ranks and not one.reads_items)
)
def test_a_metric_that_reads_no_ranks_is_compared_alone(name):
    """Its means are those of each run, though nothing else in the statement has ranks; no judged share is counted."""
    rng = random.Random(5)
    grades = {f"q{n}": {item: rng.randrange(6) for item in "abcd"} for n in range(9)}
    runs = [{query: {item: rng.random() * 5 for item in "abce"} for query in grades} for _ in range(2)]
    if name == "zero_results":
        runs[0]["q0"] = {}
    [row] = quietly(rm.compare, runs[0], {"new": runs[1]}, grades, [name]).summary.dicts()
    apart = [quietly(rm.evaluate, run, grades, [name])[name] for run in runs]
    assert [row["baseline"], row["candidate"]] == pytest.approx(apart)
    assert row["judged_baseline"] is None


def test_queries_of_one_run_only_are_left_out():
    row = compared({"x": 0, "y": 1, "z": 1}, {"x": 1, "y": 1, "w": 1}, queries="judged_retrieved")
    assert (row["n_queries"], row["n_left_out"]) == (2, 2)


@pytest.mark.parametrize(("family", "sizes"), [("all", {8}), ("metric", {4}), ("group", {4})])
def test_families(family, sizes):
    rng = random.Random(1)
    qrels = judged(rng, 40)
    with duckdb.connect() as con:
        con.execute("CREATE TABLE qrels (query_id TEXT, item_id TEXT, relevance INT, market TEXT)")
        rows = [(q, item, grade, "ab"[int(q[1:]) % 2]) for q, items in qrels.items() for item, grade in items.items()]
        fill(con, "qrels", rows)
        given = {"family": family, "correction": "bonferroni", "by": "market", "connection": con}
        best = {query: {item: grade + rng.random() for item, grade in items.items()} for query, items in qrels.items()}
        runs = [run_of(rng, qrels), best, best]
        found = quietly(
            rm.compare, runs[0], {"b": runs[1], "c": runs[2]}, "qrels", ["rr", "ap"], **given
        ).summary.dicts()
    ratios = {round(row["pvalue_adj"] / row["pvalue"]) for row in found if row["pvalue_adj"] < 1}
    assert ratios == sizes
    assert len(found) == 8


@pytest.fixture
def shop():
    """Requests of three arms, clicked more often in the second."""
    rng = random.Random(7)
    with duckdb.connect() as con:
        con.execute("CREATE TABLE shown (request_id INT, item_id TEXT, position INT, arm TEXT)")
        con.execute("CREATE TABLE events (request_id INT, item_id TEXT, event_type TEXT)")
        for request in range(90):
            arm = rng.choice(["control", "new", "old"])
            fill(con, "shown", [(request, f"i{p}", p, arm) for p in (1, 2, 3)])
            clicked = [f"i{p}" for p in (1, 2, 3) if rng.random() < (0.5 if arm == "new" else 0.3)]
            for item in clicked:
                con.execute("INSERT INTO events VALUES (?, ?, 'click')", [request, item])
        yield con


def test_arms_of_a_log(shop):
    log = rm.events("shown", "events", arm="arm")
    found = rm.compare(log, ["rr", "p@1"], baseline="control", connection=shop).summary.dicts()
    assert [(row["run"], row["metric"]) for row in found] == [(a, m) for a in ("new", "old") for m in ("rr", "p@1")]
    rows = rm.evaluate(log, ["rr"], connection=shop).per_query.dicts()
    values = {arm: [row["rr"] for row in rows if row["run_id"] == arm] for arm in ("control", "new")}
    assert found[0]["pvalue"] == close(stats.ttest_ind(values["new"], values["control"], equal_var=False).pvalue)
    text = rm.sql(["rr", "p@1"], log, level="compare", baseline="control", connection=shop)
    assert [row[:2] for row in shop.execute(text).fetchall()] == [("new", "control")] * 2 + [("old", "control")] * 2


@pytest.mark.parametrize(
    ("arm", "given", "error", "said"),
    [
        ("arm", {"baseline": "contrl"}, rm.DataError, "Did you mean 'control'"),
        (
            "arm",
            {},
            rm.UsageError,
            "to compare with: baseline=NAME. The arms: 'control', 'new', 'old'.",
        ),
        (None, {"baseline": "control"}, rm.UsageError, "compare needs arms"),
    ],
)
def test_arms_that_are_not_there(shop, arm, given, error, said):
    with pytest.raises(error, match=said):
        rm.compare(rm.events("shown", "events", arm=arm), ["rr"], connection=shop, **given)


def test_runs_without_a_common_query_name_the_design():
    with pytest.raises(rm.DataError, match="design=unpaired"):
        rm.compare({"x": ["a"]}, {"b": {"y": ["a"]}}, {"x": ["a"], "y": ["a"]}, ["rr"])


def test_systems_of_one_table_are_paired(shop):
    shop.execute(
        "CREATE TABLE lists AS SELECT 'old' AS system, 1 AS query_id, 'a' AS item_id, 1 AS score, 1 AS relevance"
    )
    shop.execute("INSERT INTO lists VALUES ('old', 1, 'b', 2, 0), ('new', 1, 'a', 3, 1), ('new', 2, 'a', 3, 1)")
    table = rm.labelled("lists", columns={"run_id": "system"})
    with pytest.warns(rm.RankmetricsWarning, match="need two queries"):
        [row] = rm.compare(table, ["rr"], baseline="old", connection=shop).summary.dicts()
    assert (row["run"], row["baseline_run"], row["effect_size"]) == ("new", "old", 0.5)
    assert (row["n_queries"], row["n_higher"], row["n_left_out"]) == (1, 1, 1)
    text = rm.sql(["rr"], table, level="compare", baseline="old", connection=shop)
    assert shop.execute(text).fetchone()[:6] == ("new", "old", "rr", 0.5, 1, 0.5)
    with pytest.raises(rm.UsageError, match="compare needs arms"):
        rm.compare(rm.labelled("lists"), ["rr"], baseline="old", connection=shop)


@pytest.mark.parametrize("by", [(), ("market",)])
def test_contributions_of_queries_add_up(by):
    rng = random.Random(11)
    qrels = judged(rng, 30)
    runs = {name: run_of(rng, qrels) for name in "abc"}
    rows = [(q, item, grade, "xy"[int(q[1:]) % 2]) for q, items in qrels.items() for item, grade in items.items()]
    metrics = ["ap", "rr", "num_rel_ret@3", "gm_map"]
    with duckdb.connect() as con:
        con.execute("CREATE TABLE qrels (query_id TEXT, item_id TEXT, relevance INT, market TEXT)")
        fill(con, "qrels", rows)
        others = {name: runs[name] for name in "bc"}
        found = quietly(rm.compare, runs["a"], others, "qrels", metrics, by=by, connection=con, baseline="a")
        alone = {name: quietly(rm.evaluate, run, qrels, metrics).per_query.dicts() for name, run in runs.items()}
        pairs = found.per_query.dicts()
    values = {
        (name, row["query_id"], metric): row[metric] for name, own in alone.items() for row in own for metric in metrics
    }
    assert len(pairs) == 2 * 30 * 4
    for row in pairs:
        ours, theirs = (values[name, row["query_id"], row["metric"]] for name in ("a", row["run"]))
        assert (row["baseline"], row["candidate"]) == pytest.approx((ours, theirs), abs=1e-12)
        assert row["difference"] == pytest.approx(theirs - ours, abs=1e-12)
    keys = ("run", "metric", *by)
    for effect in found.summary.dicts():
        own = [row for row in pairs if all(row[key] == effect[key] for key in keys)]
        sizes = [
            abs(row["difference"]) for row in pairs if (row["run"], row["metric"]) == (effect["run"], effect["metric"])
        ]
        assert sizes == sorted(sizes, reverse=True)
        if effect["metric"] == "gm_map":
            assert {row["contribution"] for row in own} == {None}
        else:
            assert sum(row["contribution"] for row in own) == pytest.approx(effect["effect_size"], abs=1e-12)


def test_pairs_of_runs_that_share_some_queries():
    ours, theirs = {"x": ["a"], "y": ["b", "a"]}, {"y": ["a"], "z": ["a"]}
    qrels = {query: {"a": 1} for query in "xyz"}
    found = quietly(rm.compare, ours, {"b": theirs}, qrels, ["rr"], queries="judged_retrieved")
    assert found.per_query.fetchall() == [("b", "baseline", "y", "rr", 0.5, 1.0, 0.5, 0.5)]


def test_arms_have_no_pairs(shop):
    log = rm.events("shown", "events", arm="arm")
    assert rm.compare(log, ["rr"], baseline="control", connection=shop).per_query is None
    with pytest.raises(rm.UsageError, match="design=unpaired has no pairs of values"):
        rm.sql(["rr"], log, level="compare_per_query", baseline="control", connection=shop)


def test_pairs_on_the_command_line_and_in_a_table(tmp_path, cli):
    for name, items in {"old": "b,a", "new": "a,b"}.items():
        lines = [f"q,{item},{-place}" for place, item in enumerate(items.split(","))]
        (tmp_path / f"{name}.csv").write_text("query_id,item_id,score\n" + "\n".join(lines) + "\n")
    (tmp_path / "qrels.csv").write_text("query_id,item_id,relevance\nq,a,1\n")
    files = [str(tmp_path / f"{name}.csv") for name in ("old", "new", "qrels")]
    asked = ["compare", *files[:2], "--qrels", files[2], "-m", "rr", "--per-query", "--format", "csv"]
    header, row = cli(*asked).stdout.splitlines()
    assert header == "run,baseline_run,query_id,metric,baseline,candidate,difference,contribution"
    assert row == "new,old,q,rr,0.5,1.0,0.5,0.5"
    assert cli(*asked, "--fail-if", "rr > 0.4").exit_code == 3
    with duckdb.connect() as con:
        for name, file in zip(("old", "new", "qrels"), files, strict=True):
            con.execute(f"CREATE TABLE {name} AS FROM '{file}'")
        quietly(rm.compare, "old", "new", "qrels", ["rr"], connection=con).create_table("pairs", level="per_query")
        assert con.execute("SELECT query_id, contribution FROM pairs").fetchall() == [("q", 0.5)]


LISTS = {
    "old": {"q1": ["b", "a"], "q2": ["b"]},
    "new": {"q1": ["a"], "q2": ["c", "b"]},
    "third": {"q1": ["c"], "q2": ["b"]},
}
RELEVANT = {"q1": ["a"], "q2": ["b"]}


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")  # two queries are few
@pytest.mark.parametrize("baseline", [None, "old", "new"])
def test_all_runs_may_be_the_first_argument(baseline):
    """The first is the baseline unless another is named."""
    first = baseline or "old"
    others = {name: run for name, run in LISTS.items() if name != first}
    for question in (
        partial(rm.compare, metrics=["rr", "ap"]),
        partial(rm.decompose, metrics="rr", by="query_id"),
        rm.movements,
    ):
        together = question(LISTS, RELEVANT, baseline=baseline)
        assert together.summary.dicts() == question(LISTS[first], others, RELEVANT, baseline=first).summary.dicts()
    assert rm.compare(LISTS, RELEVANT, "rr").summary.dicts()[0]["effect_size"] == pytest.approx((1 + 1 / 2) / 2 - 3 / 4)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: rm.compare(LISTS, RELEVANT, "rr", baseline="newer"), "no run called 'newer'. Did you mean 'new'"),
        (lambda: rm.compare(LISTS, {"x": LISTS["old"]}, RELEVANT, "rr"), "already has all runs. Omit the candidates"),
        (lambda: rm.movements(LISTS, {"x": LISTS["old"]}, RELEVANT), "already has all runs. Omit the candidates"),
        (lambda: rm.compare({"old": LISTS["old"]}, RELEVANT, "rr"), "There is no candidate"),
    ],
)
def test_what_cannot_stand_behind_all_runs(ask, said):
    with pytest.raises(rm.UsageError, match=said):
        ask()
