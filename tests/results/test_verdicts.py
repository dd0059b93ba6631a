"""What people see of a comparison: verdicts in the terminal and notebooks, tables of systems by metrics for papers."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt
from scipy import stats

import rankmetrics_sql as rm
from rankmetrics_sql.results import formats
from rankmetrics_sql.results.comparison_tables import comparison
from rankmetrics_sql.results.comparison_text import describe_test as how_tested
from rankmetrics_sql.results.numbers import best_of
from rankmetrics_sql.results.summary_rows import best_records

from ..conftest import DEMO, quietly

OPTIONS = {
    "design": "paired",
    "confidence_level": 0.95,
    "alternative": "two_sided",
    "correction": "holm",
    "family": "all",
}
HOSTILE = r"a_b & 100% #1 {x} ~^\ $ *|<b>"


def effect(run="new", metric="rr", baseline=0.5, candidate=0.75, pvalue=0.01, **more):
    """A row of Comparison.summary; its interval is 0.1 to each side."""
    difference = candidate - baseline
    return {
        "run": run,
        "baseline_run": "old",
        **more.pop("groups", {}),
        "metric": metric,
        "baseline": baseline,
        "candidate": candidate,
        "effect_size": difference,
        "effect_size_ci_lower": difference - 0.1,
        "effect_size_ci_upper": difference + 0.1,
        "rel_effect_size": difference / baseline,
        "rel_effect_size_ci_lower": difference / baseline - 0.2,
        "rel_effect_size_ci_upper": difference / baseline + 0.2,
        "test": "t",
        "pvalue": pvalue,
        "pvalue_adj": pvalue,
        "significant": int(pvalue <= 0.05),
        "verdict": "inconclusive" if pvalue > 0.05 or not difference else "better" if difference > 0 else "worse",
        "n_queries": 20,
        "n_higher": 12,
        "n_ties": 1,
        "n_lower": 7,
        "n_left_out": 0,
        "n_units": 19,
        "alternative": "two_sided",
        **more,
    }


UNKNOWN = dict.fromkeys(
    [name for name in effect() if name.startswith(("effect", "rel_", "pvalue"))] + ["significant", "n_left_out"]
) | {"verdict": "no test"}


def verdicts(*records, better=None, counts=(), **options):
    lines = comparison(records, OPTIONS | options, better=better, counts=counts).splitlines()
    return [re.split(r" {2,}", line.strip()) for line in [lines[0], *lines[2:-1]]], lines[-1]


def latex(*records, better=None, counts=(), intervals=False, **options):
    """The rows of a LaTeX table, each as its cells, rules as strings, and its caption."""
    given = {"better": better, "counts": counts, "intervals": intervals}
    lines = comparison(records, OPTIONS | options, "latex", **given).splitlines()
    inside = lines[next(n for n, line in enumerate(lines) if line.startswith(r"\begin{tabular}")) + 1 :]
    rows = [re.split(r"(?<!\\) & ", line[:-3]) if line.endswith(r" \\") else line for line in inside]
    [caption] = [line for line in lines if line.startswith(r"\caption{")]
    return rows[: rows.index(r"\end{tabular}")], caption, lines


def test_a_verdict_says_both_values_and_what_they_mean():
    [header, row], said = verdicts(effect())
    names = ["metric", "baseline", "candidate", "difference", "95% interval", "verdict", "relative", "its interval"]
    names += ["corrected p"]
    assert header == names
    assert row == ["rr", "old 0.5000", "new 0.7500", "+0.2500", "[0.1500, 0.3500]", "better", "+50.0%",
                   "[+30.0%, +70.0%]", "0.0100*"]  # fmt: skip
    assert said == "paired t test, two-sided, p corrected over 1 test (Holm), 20 queries, * p at most 0.05"


@pytest.mark.parametrize(
    ("row", "said", "marked"),
    [
        ({"verdict": "better"}, "better", True),
        ({"verdict": "inconclusive"}, "inconclusive", False),
        ({"verdict": "too few queries"}, "too few queries", False),
        ({"verdict": "no test"}, "no test", False),
        ({"verdict": "not worse by 0.01"}, "not worse by 0.01", True),
        ({"verdict": "not shown"}, "not shown", False),
        ({"verdict": "more queries rose", "n_higher": 1200, "n_queries": 1500}, "1,200 of 1,500 rose", True),
        ({"verdict": "more queries fell"}, "7 of 20 fell", True),
        ({"verdict": "signed ranks lean upward"}, "signed ranks lean upward", True),
        ({"verdict": "distributions differ"}, "distributions differ", True),
        ({"verdict": "likelier above", "prob_superiority": 0.625}, "likelier above (0.62)", True),
        ({"verdict": "likelier below", "prob_superiority": 0.375}, "likelier below (0.38)", True),
    ],
)
def test_the_verdict_stands_there_and_what_is_shown_has_a_mark(row, said, marked):
    """Whatever the p-value is: one of few queries may be small."""
    for pvalue in (0.01, 0.5):
        [_, found], _ = verdicts(effect(pvalue=pvalue, **row))
        assert (found[5], found[-1].endswith("*")) == (said, marked)


def test_a_probability_is_that_of_a_higher_value_whichever_is_better():
    row = effect(verdict="likelier above", prob_superiority=0.375)
    [_, found], _ = verdicts(row, better={"rr": "lower"})
    assert found[5] == "likelier above (0.62)"


def test_numbers_end_below_each_other_whatever_their_length_and_mark():
    records = [
        effect(candidate=0.75, pvalue=0.00001),
        effect(run="longer", metric="dcg", baseline=10.0, candidate=8.0, pvalue=0.5),
        effect(run="宽名", metric="num_rel", baseline=120.0, candidate=130.0, pvalue=0.5),
    ]
    lines = comparison(records, OPTIONS, counts={"num_rel"}).splitlines()
    rows = [lines[2], lines[3], lines[4].replace("宽名", "wide")]  # a character of two columns each
    for ends in (("+0.2500", "-2.0000", "+10"), ("+50.0%", "-20.0%", "+8.3%"), ("<0.0001", "0.5000", "0.5000")):
        assert len({row.rindex(text) + len(text) for row, text in zip(rows, ends, strict=True)}) == 1, ends
    for ends in (("old  0.5000", "old 10.0000", "old     120"), ("new    0.7500", "longer 8.0000", "wide      130")):
        assert len({row.index(text) for row, text in zip(rows, ends, strict=True)}) == 1, ends


def test_a_table_that_would_be_too_wide_lacks_the_intervals_of_relative_changes():
    for run, is_there in (("n", True), ("n" * 60, False)):
        text = comparison([effect(run=run)], OPTIONS)
        assert ("its interval" in text, "[+30.0%, +70.0%]" in text) == (is_there, is_there)
        assert f"{run} 0.7500" in text
    assert "its interval" not in comparison([effect() | UNKNOWN], OPTIONS)


def test_an_interval_may_be_open_to_one_side():
    upper, lower = (
        {f"{name}_ci_{end}": None for name in ("effect_size", "rel_effect_size")} for end in ("upper", "lower")
    )
    records = effect(**upper, alternative="greater"), effect(**lower, alternative="less")
    [_, above, below], _ = verdicts(*records, alternative="greater")
    assert (above[4], above[7]) == ("[0.1500, inf)", "[+30.0%, inf)")
    assert (below[4], below[7]) == ("(-inf, 0.3500]", "(-100%, +70.0%]")


@pytest.mark.parametrize("form", formats.FOR_PEOPLE)
@pytest.mark.parametrize("absent", [False, True])
def test_what_is_not_known_is_a_dash(form, absent):
    record = effect(groups={"market": None}) | UNKNOWN
    if absent:
        record = {name: value for name, value in record.items() if name not in UNKNOWN or name == "verdict"}
    text = comparison([record], OPTIONS, form)
    assert "None" not in text
    assert "nan" not in text
    if form == "table":
        assert re.split(r" {2,}", text.splitlines()[2].strip()) == [
            "-", "rr", "old 0.5000", "new 0.7500", "-", "-", "no test", "-", "-"
        ]  # fmt: skip
    elif form == "latex":
        assert "market: -, 20 queries" in text


@pytest.mark.parametrize("form", formats.FOR_PEOPLE)
def test_values_may_be_unknown_too(form):
    record = effect() | UNKNOWN | {"baseline": None, "candidate": None}
    text = comparison([record, effect(metric="ap")], OPTIONS, form)
    assert "None" not in text
    assert comparison([], OPTIONS, form) == "Nothing was compared.\n"


@pytest.mark.parametrize(
    ("test", "options", "said"),
    [
        ("t", {}, "paired t test, two-sided, p corrected over all 2 tests (Holm)"),
        ("t", {"design": "unpaired"}, "Welch's t test, two-sided"),
        ("wilcoxon", {"alternative": "greater"}, "Wilcoxon signed-rank test, one-sided (candidate greater)"),
        ("mann_whitney", {"alternative": "less"}, "Mann-Whitney U test, one-sided (candidate less"),
        ("brunner_munzel", {}, "Brunner-Munzel test, two-sided"),
        ("randomisation", {"correction": "none"}, "randomisation test, two-sided, p not corrected, 20 queries"),
        ("bootstrap", {"correction": "by", "family": "metric"}, "within each metric (Benjamini-Yekutieli)"),
        ("sign", {"correction": "bonferroni", "family": "group"}, "sign test, two-sided, p corrected within each g"),
        ("sequential", {"cluster": "user_id", "margin": 0.01}, "two-sided, margin 0.01, clusters by user_id, p corr"),
        ("t", {"confidence_level": 0.99}, "* p at most 0.01"),
        ("of_tomorrow", {}, "of_tomorrow, two-sided"),
    ],
)  # fmt: skip
def test_what_was_tested_is_named(test, options, said):
    assert said in how_tested([effect(test=test), effect(test=test, metric="ap")], OPTIONS | options)


def test_what_was_tested_counts_p_values_and_queries():
    records = [
        effect(),
        effect(metric="gm_map", pvalue=0.5) | UNKNOWN,
        effect(metric="ap", n_queries=1500, n_left_out=3),
    ]
    said = how_tested(records, OPTIONS)
    assert "over all 2 tests (Holm), 20 to 1,500 queries (3 left out)" in said  # nothing was tested of gm_map
    assert "and" not in how_tested([effect(), effect() | UNKNOWN | {"test": None}], OPTIONS)
    both = how_tested([effect(), effect(test="sign")], OPTIONS)
    assert both.startswith("paired t test and sign test, ")


def test_latex_has_systems_by_metrics_the_best_in_bold():
    rows, caption, lines = latex(
        effect("b", "rr", 0.5, 0.75),
        effect("b", "fallout", 0.25, 0.125, pvalue=0.5),
        effect("c", "rr", 0.5, 0.25),
        effect("c", "fallout", 0.25, 0.5),
        better={"rr": "higher", "fallout": "lower"},
    )
    mark = r"\rlap{$^{*}$}"
    assert rows == [
        r"\toprule",
        ["run", "rr", "fallout"],
        r"\midrule",
        ["old", "0.5000", "0.2500"],
        ["b", r"\textbf{0.7500}" + mark, r"\textbf{0.1250}"],
        ["c", "0.2500" + mark, "0.5000" + mark],
        r"\bottomrule",
    ]
    assert lines[:3] == [r"% \usepackage{booktabs}", r"\begin{table}", r"\centering"]
    assert lines[-2:] == [r"\end{tabular}", r"\end{table}"]
    assert caption == (
        r"\caption{Baseline old, best values in bold (the lowest of fallout). Paired t test, two-sided, "
        r"p corrected over all 4 tests (Holm), 20 queries, {*} p at most 0.05.}"
    )


def test_values_that_read_the_same_are_all_the_best():
    rows, _, _ = latex(effect("b", candidate=0.50001), effect("c", candidate=0.25), effect("d", candidate=0.5))
    assert [row[1].startswith(r"\textbf{0.5000}") for row in rows[3:-1]] == [True, True, False, True]
    assert best_of([0.5, None, float("nan")], "higher") == set()
    assert best_of([3.4, 3.2, None], "lower", is_count=True) == {0, 1}


def test_latex_has_a_block_for_each_group():
    groups = [{"market": "de", "lang": "a_b"}, {"market": None, "lang": "en"}]
    records = [
        effect(run, "rr", baseline, candidate, groups=group, n_queries=n)
        for run, candidates in (("b", (0.75, 0.5)), ("c", (0.25, 0.875)))
        for group, baseline, candidate, n in zip(groups, (0.5, 0.625), candidates, (12, 8), strict=True)
    ]
    rows, _, _ = latex(*records)
    assert [row for row in rows if isinstance(row, str)] == [r"\toprule", r"\midrule", r"\midrule", r"\bottomrule"]
    assert [row[0] for row in rows if isinstance(row, list)] == [
        "run",
        r"\multicolumn{2}{l}{market: de, lang: a\_b, 12 queries}", "old", "b", "c",
        r"\multicolumn{2}{l}{market: -, lang: en, 8 queries}", "old", "b", "c",
    ]  # fmt: skip
    assert [row[0] for row in rows if r"\textbf" in row[-1]] == ["b", "c"]


def test_baselines_over_other_queries_have_blocks_of_their_own():
    """A candidate that lacks queries is compared over the others, where the baseline has another value."""
    rows, _, _ = latex(effect("b", baseline=0.5, n_queries=9), effect("c", baseline=0.25, candidate=0.125, n_queries=1))
    assert [row for row in rows if isinstance(row, list)][1:] == [
        [r"\multicolumn{2}{l}{run: b, 9 queries}"], ["old", "0.5000"], ["b", r"\textbf{0.7500}\rlap{$^{*}$}"],
        [r"\multicolumn{2}{l}{run: c, 1 query}"], ["old", r"\textbf{0.2500}"], ["c", r"0.1250\rlap{$^{*}$}"],
    ]  # fmt: skip


SMALL = r"{{\footnotesize {}}}".format


def test_latex_has_the_intervals_of_differences_below_the_values():
    """Of each candidate and group; none below the baseline, and no row where no interval is known."""
    open_ends = [{f"effect_size_ci_{end}": None} for end in ("lower", "upper")]
    rows, caption, _ = latex(
        effect("b", candidate=0.25, groups={"market": "de"}),
        effect("b", "num_rel", 120.0, 130.0, groups={"market": "de"}) | {"effect_size_ci_lower": -1.2},
        effect("c", groups={"market": "de"}) | UNKNOWN,
        effect("c", "num_rel", 120.0, 90.0, groups={"market": "de"}) | UNKNOWN,
        effect("b", groups={"market": "se"}) | open_ends[0] | {"effect_size_ci_upper": -1e-5, "alternative": "less"},
        effect("c", groups={"market": "se"}, verdict="too few queries") | open_ends[1] | {"alternative": "greater"},
        effect("c", "num_rel", 120.0, 90.0, groups={"market": "se"}) | UNKNOWN,
        counts={"num_rel"},
        intervals=True,
        alternative="greater",
        confidence_level=0.9,
        interval_level="corrected",
    )
    assert [row for row in rows if isinstance(row, list)][1:] == [
        [r"\multicolumn{3}{l}{market: de, 20 queries}"],
        ["old", "0.5000", "120"],
        ["b", r"0.2500\rlap{$^{*}$}", r"\textbf{130}\rlap{$^{*}$}"],
        ["", SMALL("{[}$-$0.3500, $-$0.1500]"), SMALL("{[}$-$1, 10]")],
        ["c", r"\textbf{0.7500}", "90"],
        [r"\multicolumn{3}{l}{market: se, 20 queries}"],
        ["old", "0.5000", r"\textbf{120}"],
        ["b", r"\textbf{0.7500}\rlap{$^{*}$}", "-"],
        ["", SMALL(r"($-$$\infty$, 0.0000]"), SMALL("-")],
        ["c", r"\textbf{0.7500}", "90"],
        ["", SMALL(r"{[}0.1500, $\infty$)"), SMALL("-")],
    ]
    said = (
        r" Below a value is the corrected 90\% interval of its difference from the baseline. Paired t test, one-sided"
    )
    assert said in caption
    for records, intervals in (([effect()], False), ([effect() | UNKNOWN], True)):
        rows, caption, _ = latex(*records, intervals=intervals)
        assert (len(rows), "interval" in caption) == (6, False)


def test_intervals_in_latex_are_those_of_scipy(cli, tmp_path):
    """Through Python and the command line, with two candidates, one of which lacks a query and a metric."""
    chance = random.Random(4)
    judged = {f"q{n}": {f"d{item}": int(chance.random() < 0.4) for item in range(8)} for n in range(12)}
    runs = {
        name: {query: {item: chance.random() for item in items} for query, items in judged.items()} for name in "abc"
    }
    found = quietly(rm.compare, runs["a"], {"b_": runs["b"], "c": runs["c"]}, judged, ["ap", "gm_map"], baseline="a")
    lines = found.to_latex().splitlines()
    values = {name: {} for name in ("b_", "c")}
    for row in found.per_query.dicts():
        values[row["run"]].setdefault(row["metric"], []).append((row["candidate"], row["baseline"]))
    for name, own in values.items():
        differences = [new - old for new, old in own["ap"]]
        ends = [stats.ttest_1samp(differences, 0).confidence_interval(0.95)]
        logarithms = np.log(np.maximum(own["gm_map"], 1e-5))
        ratio, (new, old) = np.subtract(*logarithms.T), np.exp(logarithms.mean(axis=0))
        of_ratio = stats.ttest_1samp(ratio, 0).confidence_interval(0.95)
        ends.append([end * (new - old) / ratio.mean() for end in of_ratio])
        place = next(place for place, line in enumerate(lines) if line.startswith(name.replace("_", r"\_") + " & "))
        shown = [SMALL(f"{{[}}{low:.4f}, {high:.4f}]".replace("-", "$-$")) for low, high in ends]
        assert lines[place + 1] == rf" & {shown[0]} & {shown[1]} \\"
    assert r"\footnotesize" not in found.to_latex(intervals=False)
    with pytest.raises(rm.UsageError, match="intervals must be True or False, not 'no'"):
        found.to_latex(intervals="no")
    for name, run in runs.items():
        lines = [f"{query},{item},{score!r}" for query, items in run.items() for item, score in items.items()]
        (tmp_path / f"{name}.csv").write_text("\n".join(["query_id,item_id,score", *lines]))
    judgments = [f"{query},{item},{grade}" for query, items in judged.items() for item, grade in items.items()]
    (tmp_path / "qrels.csv").write_text("\n".join(["query_id,item_id,relevance", *judgments]))
    asked = ["compare", tmp_path / "a.csv", f"b_={tmp_path / 'b.csv'}", tmp_path / "c.csv"]
    asked += ["--qrels", tmp_path / "qrels.csv", "-m", "ap", "-m", "gm_map"]
    assert cli(*asked, "--format", "latex").stdout == found.to_latex()
    assert cli(*asked, "--format", "latex", "--no-intervals").stdout == found.to_latex(intervals=False)
    assert cli(*asked, "--format", "markdown").stdout == found.to_markdown()


@pytest.mark.parametrize("groups", [{}, {HOSTILE: HOSTILE}])
def test_hostile_names_are_escaped_in_latex(groups):
    records = [effect(HOSTILE, metric, groups=groups, baseline_run=HOSTILE) for metric in (HOSTILE, "rr")]
    rows, caption, lines = latex(*records, intervals=True)
    assert rows.pop(-2) == ["", *[r"{\footnotesize {[}0.1500, 0.3500]}"] * 2]
    escaped = r"a\_b \& 100\% \#1 \{x\} \textasciitilde{}\textasciicircum{}\textbackslash{} \$ "
    escaped += r"{*}\textbar{}\textless{}b\textgreater{}"
    assert [row[0] for row in rows if isinstance(row, list)][-2:] == [escaped, escaped]
    assert {len(row) for row in rows if isinstance(row, list)} - {3} == ({1} if groups else set())
    assert escaped in caption
    for line in lines[1:]:
        bare = re.sub(r"\\[{}]", "", line)
        assert bare.count("{") == bare.count("}")
        assert all(before == "\\" for before, mark in pairwise(f" {line}") if mark in "#%")


def test_markdown_is_the_table_of_verdicts():
    """What a pull request shows: a row for each difference, with how it was tested below."""
    records = [
        effect(HOSTILE, "rr", groups={"market": "<de>"}),
        effect("c", "rr", candidate=0.25, groups={"market": "<de>"}, verdict="too few queries"),
    ]
    text = comparison(records, OPTIONS, "markdown", notes=["A note."])
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    cells = [token for token in tokens if token.type == "inline"]
    shown = ["".join(part.content for part in token.children) for token in cells]
    header = ["market", "metric", "baseline", "candidate", "difference", "95% interval", "verdict", "relative"]
    header += ["its interval", "corrected p"]
    assert shown[:10] == header
    assert shown[10:20] == [
        "<de>", "rr", "old 0.5000", f"{HOSTILE} 0.7500", "+0.2500", "[0.1500, 0.3500]", "better", "+50.0%",
        "[+30.0%, +70.0%]", "0.0100*",
    ]  # fmt: skip
    assert (shown[26], shown[29]) == ("too few queries", "0.0100")
    said = "paired t test, two-sided, p corrected over all 2 tests (Holm), 20 queries, * p at most 0.05. A note."
    assert shown[30] == said
    assert "strong_open" in {part.type for part in cells[13].children}


def values(*runs, metric="rr", **more):
    return [{"run_id": run, **more, "metric": metric, "value": value, "n_queries": 2} for run, value in runs]


def test_the_best_run_of_a_summary():
    records = values(("a", 0.5), ("b", 0.75), ("c", 0.75)) + values(("a", 0.5), ("b", 0.75), ("c", None), metric="f")
    best = best_records(records, {"rr": "higher", "f": "lower"})
    assert best == {1, 2, 3}
    rows = [line for line in formats.render(records, "latex", best=best).splitlines() if line.endswith(r" \\")]
    assert rows == [
        r"run\_id & rr & f & n\_queries \\",
        r"a & 0.5000 & \textbf{0.5000} & 2 \\",
        r"b & \textbf{0.7500} & 0.7500 & 2 \\",
        r"c & \textbf{0.7500} & - & 2 \\",
    ]
    assert "| b | **0.7500** | 0.7500 | 2 |" in formats.render(records, "markdown", best=best)
    assert best_records(values(("a", 0.5)), {}) == set()
    groups = values(("a", 0.5), ("b", 0.25), market="de") + values(("a", 0.125), ("b", 0.25), market=None)
    assert best_records(groups, {}) == {0, 3}


@pytest.fixture
def files(tmp_path):
    """The judged item first for old, second for new: reciprocal ranks of 1 and 1/2, fallout@1 of 0 and 1."""
    for name, items in {"old": "ab", "new": "ba"}.items():
        lines = [f"{query},{item},{-place}" for query in "xy" for place, item in enumerate(items)]
        (tmp_path / f"{name}.csv").write_text("query_id,item_id,score\n" + "\n".join(lines) + "\n")
    (tmp_path / "qrels.csv").write_text("query_id,item_id,relevance\nx,a,1\nx,b,0\ny,a,1\ny,b,0\n")
    return [str(tmp_path / f"{name}.csv") for name in ("old", "new")], str(tmp_path / "qrels.csv")


def test_the_commands_know_which_values_are_better(cli, files):
    runs, qrels = files
    asked = [*runs, "--qrels", qrels, "-m", "rr", "-m", "fallout@1", "--format", "latex"]
    for command in ("compare", "evaluate"):
        found = cli(command, *asked).stdout
        assert r"old & \textbf{1.0000} & \textbf{0.0000}" in found
        assert r"new & 0.5000" in found
    assert r"\textbf{1.0000} & [" not in cli("evaluate", *asked, "--set", "interval=t", "--per-query").stdout
    assert r"old & rr & \textbf{1.0000} & {[}1.0000, 1.0000]" in cli("evaluate", *asked, "--set", "interval=t").stdout
    assert r"\textbf" not in cli("evaluate", *asked[1:]).stdout
    assert r"\textbf" not in cli("evaluate", *asked, "--per-query").stdout


def test_a_file_has_the_whole_verdict(cli, files, tmp_path):
    runs, qrels = files
    asked = ["compare", *runs, "--qrels", qrels, "-m", "rr"]
    shown = cli(*asked).stdout
    assert cli(*asked, "--output", tmp_path / "x.txt").stdout == ""
    assert (tmp_path / "x.txt").read_text() == shown
    cli(*asked, "--output", tmp_path / "x.tex")
    assert (tmp_path / "x.tex").read_text() == cli(*asked, "--format", "latex").stdout


def test_programs_read_what_is_undefined_as_nothing(cli, files, tmp_path):
    """Of one query no error is known; everything else is there, with all digits."""
    runs, _ = files
    (tmp_path / "one.csv").write_text("query_id,item_id,relevance\nx,a,1\n")
    asked = ["compare", *runs, "--qrels", str(tmp_path / "one.csv"), "-m", "rr", "--format"]
    [row] = json.loads(cli(*asked, "json").stdout)
    [same] = csv.DictReader(io.StringIO(cli(*asked, "csv").stdout))
    unknown = {
        "standard_error", "statistic", "pvalue", "pvalue_adj", "significant", "std_effect_size", "effect_size_ci_lower",
        "effect_size_ci_upper", "rel_effect_size_ci_lower", "rel_effect_size_ci_upper", "reason",
    }  # fmt: skip
    assert {name for name, value in row.items() if value is None} == unknown
    assert {name for name, value in same.items() if value == ""} == unknown
    assert list(same) == list(row)
    assert (row["run"], row["baseline_run"], row["effect_size"], row["rel_effect_size"]) == ("new", "old", -0.5, -0.5)
    assert set(row) <= set(re.findall(r"``(\w+)``", rm.Comparison.__doc__)) | {
        "rel_effect_size_ci_lower",
        "rel_effect_size_ci_upper",
    }
    shown = cli(*asked, "table").stdout.splitlines()[2]
    assert re.split(r" {2,}", shown) == [
        "rr",
        "old 1.0000",
        "new 0.5000",
        "-0.5000",
        "-",
        "too few queries",
        "-50.0%",
        "-",
    ]


def test_a_notebook_shows_the_verdict():
    found = quietly(
        rm.compare,
        DEMO / "covidex.t5.run.gz",
        DEMO / "covidex.sim.run.gz",
        DEMO / "qrels.txt",
        ["fallout@5", "num_rel_ret@5"],
    )
    assert found.better == {"fallout@5": "lower", "num_rel_ret@5": "higher"}
    assert found.counts == {"num_rel_ret@5"}
    lines = repr(found).splitlines()
    assert re.split(r" {3,}", lines[2])[5:6] == ["worse"]
    assert "covidex.t5    128" in lines[3]  # P@5, 0.7314, of 5 items of each of 35 queries
    assert lines[-2].startswith("paired t test, two-sided, p corrected over all 2 tests (Holm), 35 queries")
    reason = "52 % of covidex.sim is judged against 100 % of covidex.t5."
    assert lines[-1].startswith(f"{reason} With 35 queries, a difference of ")
    assert len(found.summary.columns) > 20


def test_a_notebook_shows_some_of_many():
    run, qrels = {"x": ["a"], "y": ["a"]}, {"x": {"a": 1}, "y": {"a": 1}}
    found = quietly(rm.compare, run, {f"run{n}": run for n in range(23)}, qrels, ["rr"])
    lines = repr(found).splitlines()
    assert len(lines) == 2 + 20 + 1
    assert lines[-1].startswith("3 more rows are not shown; paired t test, two-sided, p corrected over all 23 tests")
    assert repr(rm.Comparison(found.summary, "")) == repr(found.summary)


def test_a_sum_of_shares_has_decimals():
    """Only what headers add up are counts, such as those of retrieved items."""
    run, qrels = {"x": ["a", "b"], "y": ["b", "a"]}, {"x": {"a": 1}, "y": {"a": 1}}
    found = quietly(rm.compare, run, {"b": run}, qrels, ["rr(aggregate=sum)", "num_rel_ret"])
    assert found.counts == {"num_rel_ret"}
    assert [line.split()[2] for line in repr(found).splitlines()[2:4]] == ["1.5000", "2"]


def test_what_has_no_error_by_its_aggregate_says_so():
    run, qrels = {"x": ["a"], "y": ["b", "a"]}, {"x": {"a": 1}, "y": {"a": 1}}
    wanted = "rr(aggregate=max): no interval and no p-value, because no test compares differences with aggregate=max."
    assert wanted in quietly(rm.compare, run, {"b": run}, qrels, ["rr(aggregate=max)"]).warnings
    drawn = quietly(rm.compare, run, {"b": run}, qrels, ["gm_map"], test="bootstrap").warnings
    assert "gm_map: no interval and no p-value, because no test compares differences with aggregate=geometric." in drawn
    arms = quietly(rm.compare, run, {"b": run}, qrels, "rr(aggregate=sum)", design="unpaired").warnings
    assert [text for text in arms if "take two" in text] == []
    assert any(text.endswith("no test compares arms with aggregate=sum.") for text in arms)


def test_an_interval_that_excludes_0_beside_inconclusive_is_explained():
    """Only there, by the intervals themselves; not where these are corrected, too, or nothing is."""
    counts = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        qrels = {f"q{number}": {"x": 50.0, "y": 50.0 + rng.normal(0.4, 1)} for number in range(30)}
        groups = pd.DataFrame({"query_id": [*qrels], "market": [number % 4 for number in range(30)]})
        runs = [{query: [item] for query in qrels} for item in "xy"]
        for options in ({}, {"correction": "none"}, {"interval_level": "corrected", "correction": "bonferroni"}):
            found = quietly(rm.compare, *runs, qrels, "cg@1", query_list=groups, by="market", **options)
            number = sum(
                row["verdict"] == "inconclusive"
                and (row["effect_size_ci_lower"] > 0 or row["effect_size_ci_upper"] < 0)
                for row in found.summary.dicts()
            )
            counts.add(number)
            said = f"{number} intervals exclude" if number > 1 else "1 interval excludes"
            sentence = f"{said} 0 beside inconclusive: p is corrected for all tests, and intervals are not. For one"
            assert (sentence in " ".join(repr(found).split())) == bool(number)
            assert ("beside inconclusive" in repr(found)) == bool(number)
    assert {0, 1} <= counts
