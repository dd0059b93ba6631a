"""A verdict follows from what was asked: a twin of the grammar, and all that says one, of few queries and of many."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from itertools import product

import duckdb
import pandas
import pytest
from scipy import stats

import rankmetrics_sql as rm
from rankmetrics_sql import charts
from rankmetrics_sql.definitions.resolution import resolve_metrics, resolve_options
from rankmetrics_sql.report.sentences import describe_segments
from rankmetrics_sql.report.sentences import verdict as sentences
from rankmetrics_sql.results.comparison_tables import comparison, verdicts
from rankmetrics_sql.results.gates import read_gates
from rankmetrics_sql.results.summary_rows import groups_of
from rankmetrics_sql.templates import macros

from ..charts.test_charts import rows_of
from ..conftest import quietly
from ..everything import one_in, seeds
from ..oracles.rare import shares_of_level, unbounded
from ..report.test_report import Page

BETTER = {"ap": "higher", "p@2": "higher", "fallout@2": "lower", "gm_map": "higher", "p(aggregate=max)@2": "higher"}
WIDTHS = {"ap": 1, "p@2": 1, "fallout@2": 1}  # how far a mean may change
TESTS = {
    "paired": ["t", "wilcoxon", "sign", "randomisation", "bootstrap", "sequential"],
    "unpaired": ["t", "mann_whitney", "brunner_munzel", "bootstrap"],
}
# What a sentence says of each verdict, and of no other, beginning with the longest.
SAID = {
    "equivalent within": " differ by less than ",
    "not worse": " is not worse than ",
    "not better": " is not better than ",
    "better": " is better than ",
    "worse": " is worse than ",
    "no difference": " have the same ",
    "too few queries": "Too few ",
    "no test": "There is no test of ",
    "not shown": "It is not shown that ",
    "more queries": " rose in ",
    "signed ranks": "The signed ranks of ",
    "distributions": "The distributions of ",
    "likelier": " with a probability of ",
    "inconclusive": "inconclusive",
}
NOTHING_SHOWN = ("inconclusive", "not shown", "no difference", "too few queries", "no test")


def leaning(differences):
    """What the ranks of differences with their signs come to; differences of rounding are none."""
    own = [round(value, 12) for value in differences if round(value, 12)]
    return sum(rank if value > 0 else -rank for rank, value in zip(stats.rankdata([*map(abs, own)]), own, strict=True))


def ranked(row, test, lower, ranks):
    """What each significant test of ranks says."""
    if test == "mann_whitney":
        return "distributions differ"
    rose, above = (row["n_higher"] or 0) - (row["n_lower"] or 0), row["prob_superiority"] - 0.5
    side, words = {
        "sign": (rose, ("more queries rose", "more queries fell")),
        "wilcoxon": (ranks, ("signed ranks lean upward", "signed ranks lean downward")),
        "brunner_munzel": (-above if lower else above, ("likelier above", "likelier below")),
    }[test]
    return words[0] if side > 0 else words[1] if side < 0 else "inconclusive"


def twin(row, options, units, ranks=0, rare=False):
    """The verdict out of the table: by what was asked, the p-value, the direction, who differs and what may be rare."""
    lower = BETTER[row["metric"]] == "lower"
    if units < 6:
        return "no difference" if units == 0 and row["n_queries"] >= 6 else "too few queries"
    if row["pvalue_adj"] is None:
        return "no test"
    is_significant = row["pvalue_adj"] <= round(1 - options["confidence_level"], 12)
    margin, side = options.get("margin"), options["alternative"]
    if margin and is_significant and rare:
        return "not shown"
    if side == "equivalence":
        return f"equivalent within {margin:g}" if is_significant else "not shown"
    if margin:
        than = "worse" if (side == "greater") != lower else "better"
        return f"not {than} by {margin:g}" if is_significant else "not shown"
    if not is_significant:
        return "inconclusive"
    if options["test"] in ("sign", "wilcoxon", "mann_whitney", "brunner_munzel"):
        return ranked(row, options["test"], lower, ranks)
    effect = row["effect_size"]
    if effect == 0 or (side == "greater" and effect < 0) or (side == "less" and effect > 0):
        return "inconclusive"
    return "better" if (effect > 0) != lower else "worse"


def data(seed, n, share=None, shift=None):
    """Runs of n queries, or of n to 2 n in arms, that differ in all, some or no queries, up or down."""
    chance = random.Random(seed)
    share = chance.choice([0.0, 0.3, 1.0]) if share is None else share
    shift = chance.choice([-1.0, 0.0, 1.0]) if shift is None else shift
    qrels = {f"q{i}": {f"d{j}": int(chance.random() < 0.4) for j in range(6)} | {"d0": 1} for i in range(3 * n)}
    old = {q: {d: grade * 0.5 + chance.random() for d, grade in items.items()} for q, items in qrels.items()}
    new = {
        q: {d: score + shift * qrels[q][d] + chance.random() * 0.2 for d, score in items.items()}
        if chance.random() < share
        else items
        for q, items in old.items()
    }
    return qrels, old, new, [*qrels]


def asked(chance):
    design = chance.choice(["paired", "paired", "unpaired"])
    options = {"design": design, "test": chance.choice(TESTS[design]), "alternative": "two_sided"}
    options |= {"confidence_level": chance.choice([0.95, 0.6]), "correction": chance.choice(["holm", "bh", "none"])}
    if options["test"] != "sequential":
        options["alternative"] = chance.choice(["two_sided", "greater", "less"])
    if options["alternative"] != "two_sided" and options["test"] == "t":
        options["margin"] = chance.choice([0, 0.02, 0.5])
        if options["margin"] and chance.random() < 0.5:
            options["alternative"] = "equivalence"
    return options


def compared(options, qrels, old, new, queries, n):
    given = dict(options) | {"resamples": 100}
    if given["test"] == "sequential":
        given |= {"test": "t", "sequential": 50}
    if options["design"] == "unpaired":
        old = {q: old[q] for q in queries[:n]}
        new = {q: new[q] for q in queries[n : n + n + n % 3]}
        given["queries"] = "judged_retrieved"
    else:
        old, new = ({q: run[q] for q in queries[:n]} for run in (old, new))
        qrels = {q: qrels[q] for q in queries[:n]}
    metrics = [metric for metric in BETTER if not (options.get("margin") and metric == "gm_map")]  # which has none
    return quietly(rm.compare, old, {"b": new}, qrels, metrics, **given), (len(old), len(new))


def check_sentence(row, options, better):
    """The report's sentence about a row says its verdict, and what no other verdict has."""
    [sentence] = sentences([row], options, better, ())
    word = next(word for word in SAID if row["verdict"].startswith(word))
    said = sentence.text.partition(": ")[0]
    # what is not shown, or not known, is named by the question that was asked
    is_open = word in ("not shown", "inconclusive", "too few queries", "no test")
    others = [text for other, text in SAID.items() if other != word and text in said]
    assert SAID[word] in said, (sentence, row)
    assert not others or is_open, (sentence, row)
    assert (sentence.kind == "uncertain") == (row["verdict"] in NOTHING_SHOWN or word == "not better"), (sentence, row)
    assert (sentence.kind == "worse") == (word == "worse"), (sentence, row)
    assert (sentence.kind == "better") == (word in ("better", "not worse")), (sentence, row)
    return sentence.text


def check(found, options, sizes, charted):
    """Each row by itself, in each of the places; in a chart, which takes longest, only the metrics that are charted."""
    rows = found.summary.dicts()
    asked_for = {**options, **found.options}
    grid = verdicts(rows, asked_for, found.better)
    place = grid.header.index("verdict")
    differences = {}
    if options["design"] == "paired":
        for row in found.per_query.dicts():
            differences.setdefault(row["metric"], []).append(row["difference"])
    shares = shares_of_level(rows, options["correction"])
    for row, cells, share in zip(rows, grid.blocks[0].rows, shares, strict=True):
        own, margin = differences.get(row["metric"], []), options.get("margin")
        units = sum(value != 0 for value in own) if own and not margin else min(sizes)
        assert row["n_units"] == units
        claim, width = share * (1 - options["confidence_level"]), WIDTHS.get(row["metric"])
        rare = bool(margin and own) and unbounded(own, margin, options["alternative"], width) > claim
        expected = twin(row, options, units, leaning(own), rare)
        assert row["verdict"] == expected, (row, options)
        assert cells[-1].is_marked == (expected not in NOTHING_SHOWN)
        check_sentence(row, asked_for, found.better)
        if row["effect_size"] is None:
            continue
        if row["metric"] in charted:
            [dot] = {point["series"] for point in rows_of(charts.effects([row]), "point")}
            assert dot == expected
        assert cells[place].text == expected or expected.split()[0] in ("more", "likelier")
        latex = comparison([row], asked_for, "latex", found.better)
        assert (r"$^{*}$" in latex) == (expected not in NOTHING_SHOWN)


SIZES = [1, 2, 3, 4, 5, 6, 7, 12, 40]


def drawn_sizes():
    """Sizes with two seeds each by default; with one where there are too few queries, as 1 and 5 have too."""
    for seed, n in product(range(40), SIZES):
        is_short = seed < (1 if n in (2, 3, 4) else 2)
        yield pytest.param(seed, n, marks=[] if is_short else pytest.mark.long)


@pytest.mark.parametrize(("seed", "n"), list(drawn_sizes()))
def test_of_comparisons(seed, n):
    chance = random.Random(1000 * n + seed)
    for charted in ([random.Random(seed).choice([*BETTER])], []):
        options = asked(chance)
        found, sizes = compared(options, *data(chance.random(), n), n)
        check(found, options, sizes, charted)


def test_every_verdict_is_met():
    """What the table has is not only what chance happens to ask."""
    met = Counter()
    kinds = [
        ("t", "two_sided", 0),
        ("t", "greater", 0.1),
        ("t", "less", 0.1),
        ("t", "equivalence", 0.9),
        ("sign", "two_sided", 0),
        ("wilcoxon", "two_sided", 0),
    ]
    of_arms = ("mann_whitney", "brunner_munzel")
    for (test, side, margin), shift in product([*kinds, *((test, "two_sided", 0) for test in of_arms)], (-1.0, 1.0)):
        options = {"design": "unpaired" if test in of_arms else "paired", "test": test, "alternative": side}
        options |= {"margin": margin} if margin else {}
        options |= {"confidence_level": 0.9, "correction": "none"}
        found, sizes = compared(options, *data(1, 30, 1.0, shift), 30)
        new = [row["metric"] for row in found.summary.dicts() if row["verdict"] not in met]
        check(found, options, sizes, charted=new)
        met.update(row["verdict"] for row in found.summary.dicts())
    paired = {"design": "paired", "test": "t", "alternative": "two_sided", "correction": "none"}
    for n, share, given in ((5, 1.0, options), (30, 1.0, options), (6, 0.0, paired)):
        found, _ = compared(given, *data(1, n, share, 0.0), n)
        met.update(row["verdict"] for row in found.summary.dicts())
    words = {"better", "worse", "inconclusive", "no difference", "too few queries", "no test"}
    words |= {"not shown", "not worse by 0.1"}
    words |= {
        "equivalent within 0.9",
        "not better by 0.1",
        "more queries rose",
        "more queries fell",
        "signed ranks lean upward",
        "signed ranks lean downward",
        "distributions differ",
        "likelier above",
        "likelier below",
    }
    assert words - set(met) == set()


def limits_by_hand(found, limits, level):
    """Each metric against its limit, two-sided by scipy, Holm's correction by hand: worse, not worse or neither."""
    differences = {name: [] for name in limits}
    for row in found.per_query.dicts():
        if row["metric"] in limits:
            sign = -1 if BETTER[row["metric"]] == "lower" else 1
            differences[row["metric"]].append(sign * row["difference"])
    alike = {name for name, values in differences.items() if max(map(abs, values)) <= 1e-12}  # then it is certain
    pvalues = {name: pvalue_by_hand(values, limits[name], name in alike) for name, values in differences.items()}
    worst, expected = 0.0, dict.fromkeys(limits, "no test")
    known = sorted((name for name in limits if pvalues[name] is not None), key=lambda name: pvalues[name])
    for place, name in enumerate(known):
        worst = min(1.0, max(worst, pvalues[name] * (len(known) - place)))
        side = "worse" if sum(differences[name]) + limits[name] * len(differences[name]) < 0 else "not worse"
        expected[name] = side if worst <= 1 - level + 1e-12 else "inconclusive"
        claim = (1 - level) / 2 / (len(known) - place)
        if side == "not worse" and limits[name] and unbounded(differences[name], limits[name], "greater") > claim:
            expected[name] = "inconclusive"
    for name, values in differences.items():
        n_units = len(values) if limits[name] else sum(abs(value) > 1e-12 for value in values)
        if n_units < 6:
            is_none = name in alike and not limits[name] and len(values) >= 6
            expected[name] = "no difference" if is_none else "too few queries"
    return expected


def pvalue_by_hand(values, limit, is_alike):
    if is_alike:
        return 0.0 if limit else 1.0
    if len(values) < 2 or max(values) - min(values) <= 1e-9:
        return None
    return stats.ttest_1samp([value + limit for value in values], 0).pvalue


@pytest.mark.parametrize("n", [2, 5, 6, 9, 40])
@pytest.mark.parametrize("seed", seeds(20, 3))
def test_limits_are_tested_on_both_sides(seed, n):
    """And what the conditions of the command line make of them."""
    chance = random.Random(100 * n + seed)
    qrels, old, new, queries = data(chance.random(), n)
    old, new = ({q: run[q] for q in queries[:n]} for run in (old, new))
    qrels = {q: qrels[q] for q in queries[:n]}
    limits = {"ap": chance.choice([0, 0.05, 0.3]), "fallout@2": chance.choice([0, 0.1, 0.5])}
    level = chance.choice([0.95, 0.7])
    found = quietly(
        rm.compare, old, {"b": new}, qrels, ["ap", "p@2", "fallout@2"], limits=limits, confidence_level=level
    )
    rows = found.summary.dicts()
    said = {row["metric"]: row["verdict"] for row in rows}
    assert said.pop("p@2") in (
        "no test",
        "no difference",
        "too few queries",
    )  # it has no limit, and counts in no correction
    assert said == limits_by_hand(found, limits, level)
    metrics = resolve_metrics(list(limits), resolve_options({}, None))
    for name, verdict in said.items():
        by = f" by {limits[name]}" if limits[name] else ""
        [row] = (row for row in rows if row["metric"] == name)
        text = check_sentence(row, found.options, BETTER)
        assert (f" by more than {limits[name]:g}" in text) == (
            verdict not in ("no test", "no difference") and limits[name] > 0
        )
        conditions = [("--fail-if", f"{name} worse{by}"), ("--fail-unless", f"{name} not worse{by}")]
        fails, requires = read_gates(conditions, metrics)
        if verdict != "no test":
            assert (fails.outcome(rows).word == "failed") == (verdict == "worse")
        else:
            with pytest.raises(rm.DataError, match="no test says whether b is worse"):
                fails.checks(rows)
        assert (requires.outcome(rows).word == "failed") == (verdict != "not worse")


@pytest.mark.parametrize("seed", seeds(20, 3))
@pytest.mark.parametrize("test", ["t", "bootstrap", "randomisation"])
def test_a_condition_without_a_margin_fails_where_the_table_says_worse(seed, test):
    chance = random.Random(seed)
    options = {"test": test, "correction": chance.choice(["holm", "bonferroni", "bh", "none"]), "resamples": 200}
    qrels, old, new, _ = data(chance.random(), 8)
    metrics = ["ap", "p@2", "fallout@2"]
    table = quietly(rm.compare, old, {"b": new}, qrels, metrics, **options).summary.dicts()
    tested = quietly(rm.compare, old, {"b": new}, qrels, metrics, limits=dict.fromkeys(metrics, 0), **options)
    words = {"better": "not worse"}
    assert [row["verdict"] for row in tested.summary.dicts()] == [
        words.get(row["verdict"], row["verdict"]) for row in table
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "wilcoxon"}, "test=wilcoxon compares queries"),
        ({"alternative": "greater"}, "Leave alternative=greater out"),
        ({"alternative": "greater", "margin": 0.1}, "Leave margin=0.1 and alternative=greater out"),
        (
            {"test": "bootstrap"},
            "A limit of 0.5 is tested by t alone, and not by test=bootstrap",
        ),
        ({"limits": {"app": 0}}, "limits: 'app' is not one of the metrics. Did you mean 'ap'?"),
        ({"limits": {"ap": -1}}, "limits: the loss of ap must be a number of at least 0, not -1"),
        ({"limits": {"ap": "much"}}, "limits: the loss of ap must be a number of at least 0, not 'much'"),
        ({"limits": {}}, "limits: {} names no metric"),
    ],
)
def test_limits_that_cannot_be_asked(options, message):
    run, qrels = {"q": ["a", "b"]}, {"q": ["b"]}
    with pytest.raises(rm.UsageError, match=message.replace("{}", r"\{\}")):
        rm.compare(run, {"b": run}, qrels, ["ap"], **{"limits": {"ap": 0.5}, **options})


@pytest.mark.parametrize("metric", ["fallout@2", "ap"])
def test_of_all_pairs(metric):
    """The chart of Tukey's test, its table, and the letters of the runs that a value is better than."""
    rng = random.Random(2)
    qrels = {f"q{n}": {f"d{item}": rng.choice([0, 0, 1]) for item in range(5)} for n in range(40)}
    runs = {
        name: {q: {item: by * grade + rng.random() for item, grade in own.items()} for q, own in qrels.items()}
        for name, by in {"bad": -1, "middle": 0, "good": 1}.items()
    }
    found = quietly(rm.tukey, runs, qrels, metric)
    words = {}
    for row in found.summary.dicts():
        side = "better" if (row["effect_size"] > 0) == (BETTER[metric] == "higher") else "worse"
        words[row["run"], row["baseline_run"]] = side if row["pvalue_adj"] <= 0.05 else "inconclusive"
    assert {(row["run"], row["baseline_run"]): row["verdict"] for row in found.summary.dicts()} == words
    dots = {row["label"]: row["series"] for row in rows_of(found.plot(), "point")}
    assert dots == {f"{run} against {other}": said for (run, other), said in words.items()}
    assert words["good", "bad"] == "better"


def test_few_queries_of_all_pairs():
    runs = {
        name: {f"q{n}": [f"d{(n + shift) % 5}" for n in range(4)] for n in range(4)} for shift, name in enumerate("abc")
    }
    qrels = {f"q{n}": {"d1": 1} for n in range(4)}
    assert {row["verdict"] for row in quietly(rm.tukey, runs, qrels, "rr").summary.dicts()} == {"too few queries"}


@pytest.mark.parametrize(
    ("n", "n_users", "verdict"),
    [(5, None, "too few queries"), (6, None, "no difference"), (12, 5, "too few queries"), (12, 6, "no difference")],
)
def test_equal_runs_on_every_road(n, n_users, verdict):
    """Six queries, or clusters, none of which differs, are no difference; fewer are too few to say so."""
    place = duckdb.connect()
    users = f"'u' || (range % {n_users or n}) AS who"
    ids = "'q' || range AS query_id, 'x' AS item_id"
    place.execute(f"CREATE TABLE old AS SELECT {ids}, 1.0 AS score FROM range({n})")
    place.execute(f"CREATE TABLE judged AS SELECT {ids}, 1 AS relevance, {users} FROM range({n})")
    place.execute("CREATE TABLE new AS FROM old")
    given = {"cluster": "who"} if n_users else {}
    in_python = quietly(rm.compare, {"old": "old", "new": "new"}, "judged", "rr", connection=place, **given)
    text = rm.sql("rr", {"old": "old", "new": "new"}, "judged", level="compare", **given)
    in_dbt = macros("duckdb")["compare"](relation="new", baseline="old", metrics=["rr"], qrels="judged", **given)
    for row in (in_python.summary.dicts()[0], *(place.sql(one).df().iloc[0] for one in (text, in_dbt))):
        assert (row["verdict"], row["pvalue"], row["effect_size"]) == (verdict, 1, 0)
        assert (row["effect_size_ci_lower"], row["effect_size_ci_upper"], row["n_units"]) == (0, 0, 0)


# What a comparison may be asked with, and how: each alone and crossed by chance.
KINDS = {
    "weight": {"weight": "importance"},
    "limits": {"limits": {"ap": 0.02, "fallout@2": 0.05}},
    "cluster": {"cluster": "who"},
    "by": {"by": "market"},
    "period": {"period": "week", "columns": {"time": "day"}},
    "bounds": {"unjudged": "bounds"},
    "arms": {"design": "unpaired"},
    "margin": {"margin": 0.05, "alternative": "equivalence"},
    "ranks": {"test": "wilcoxon"},
}
CROSSED = [
    *([kind] for kind in KINDS),
    *(["weight", "by"], ["weight", "cluster", "limits"], ["cluster", "by"], ["limits", "by"], ["cluster", "arms"]),
    *(["period", "limits"], ["period", "by", "cluster"], ["margin", "weight"], ["ranks", "by"], ["arms", "weight"]),
]


@pytest.mark.parametrize("kinds", one_in(4, CROSSED), ids="-".join)
def test_a_page_says_what_its_rows_say(kinds, tmp_path, undrawn):
    """The report of a comparison asks for no other: tables have its verdicts, and sentences follow from them."""
    chance = random.Random(f"{kinds}")
    qrels, old, new, queries = data(chance.random(), 40, 0.9, chance.choice([-1.0, 1.0]))
    arms = "arms" in kinds
    n = chance.choice([8, 40])
    old = {q: old[q] for q in queries[:n]}
    new = {q: new[q] for q in (queries[n : 2 * n] if arms else queries[:n])}
    asked = [*old] + [q for q in new if q not in old]
    frame = pandas.DataFrame(
        {"query_id": query, "importance": chance.choice([1, 2, 5]), "who": chance.randrange(chance.choice([3, 12]))}
        | {"market": chance.choice(["de", "fr"]), "day": datetime.date(2024, 3, 4 + 7 * chance.randrange(2))}
        for query in asked
    )
    given = {"queries": "judged_retrieved" if arms else "judged", "query_list": frame}
    for kind in kinds:
        given |= KINDS[kind]
    metrics = ["ap", "fallout@2"] if "bounds" not in kinds else ["p@2", "ndcg@4"]
    own = {q: qrels[q] for q in asked}
    found = quietly(rm.compare, old, {"b": new}, own, metrics, **given)
    quietly(found.report, tmp_path / "report.html")
    shown = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    rows = found.summary.dicts()
    is_grouped = bool({"by", "period"} & {*kinds})
    if is_grouped:
        check_table(shown, "segment-differences", rows)
        said = describe_segments(rows, groups_of(rows), found.counts)
        check_segments(rows, said)
        assert all(sentence.text in shown.text for sentence in said)
        given = {name: value for name, value in given.items() if name not in ("by", "period", "columns")}
        found = quietly(rm.compare, old, {"b": new}, own, metrics, **given)
        rows = found.summary.dicts()
    check_table(shown, "differences", rows)
    for row in rows:
        text = check_sentence(row, found.options, found.better)
        assert text.partition(";")[0].rstrip(".") in shown.text
        if row["verdict"] == "too few queries" and "cluster" in kinds:
            assert "Too few values of who" in text
        if "cluster" not in kinds:
            assert "Too few values" not in text


def check_table(page, name, rows):
    header, *cells = page.tables[name]
    assert [row[header.index("metric")] for row in cells] == [row["metric"] for row in rows]
    for row, own in zip(rows, cells, strict=True):
        verdict = own[header.index("verdict")]
        assert verdict == row["verdict"] or row["verdict"].startswith(("more", "likelier"))


def check_segments(rows, sentences):
    """A segment that is better and worse is the one to look at; its sentence has each verdict of its rows."""
    segments = {}
    for row in rows:
        segments.setdefault(tuple(row[name] for name in groups_of(rows)), []).append(row)
    for (_, own), sentence in zip(segments.items(), sentences, strict=True):
        words = [row["verdict"] for row in own]
        assert (sentence.kind == "mixed") == ({"better", "worse"} <= {*words})
        assert sentence.kind != "note"
        assert all(f"{row['verdict']} in {row['metric']}" in sentence.text for row in own)


def test_a_segment_that_is_better_and_worse_is_never_left_out():
    """Of a hundred segments those are told of that say something, the contradictions first."""
    chance = random.Random(1)
    words = ["inconclusive"] * 8 + ["better", "worse"]
    rows = [
        {"run": "b", "market": market, "metric": metric, "verdict": chance.choice(words), "effect_size": None}
        for market in range(100)
        for metric in ("ap", "rr")
    ]
    by_market = {market: {row["verdict"] for row in rows if row["market"] == market} for market in range(100)}
    mixed = [market for market, found in by_market.items() if {"better", "worse"} <= found]
    worse = [market for market, found in by_market.items() if "worse" in found and market not in mixed]
    said = describe_segments(rows, ["market"], ())
    told = [int(sentence.text.partition(",")[0].partition(":")[0].split()[1]) for sentence in said[:-1]]
    assert mixed
    assert told == sorted([*mixed, *worse][:12])
    assert [sentence.kind for sentence in said[:-1]].count("mixed") == len(mixed)
    assert said[-1].text == "88 more segments are in the table below."
