"""Every pair of runs, each tested by itself: beside ``compare`` of two, and p-values corrected by statsmodels."""

from __future__ import annotations

import itertools
import json
import math
import random
import re
import sqlite3
import warnings

import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import each_once, mostly_long

METRICS = ["ap", "rr", "fallout@3"]
BETTER = {"ap": "higher", "rr": "higher", "fallout@3": "lower"}
NAMES = ("z", "m", "a_", "k")  # neither in the order of the alphabet, nor of how good they are
METHODS = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh", "by": "fdr_by"}


def data(seed, n_queries=24):
    """Judgments, whose queries have a market and a user, and four runs that are good in this order: z, k, m, a_."""
    chance = random.Random(seed)
    rows = [("query_id", "item_id", "relevance", "market", "user_id")]
    judged = {}
    for number in range(n_queries):
        judged[f"q{number}"] = {f"d{item}": int(chance.random() < 0.4) for item in range(7)}
        market, user = "de" if number % 3 else "se", f"u{number // 2}"
        rows += [(f"q{number}", item, grade, market, user) for item, grade in judged[f"q{number}"].items()]
    weights = dict(zip(NAMES, (0, 0.5, 1, 0.1), strict=True))
    runs = {
        name: {
            query: {item: chance.random() + weight * grade for item, grade in items.items()}
            for query, items in judged.items()
        }
        for name, weight in weights.items()
    }
    return runs, judged, rows


@pytest.fixture(scope="module")
def tables():
    import pandas as pd

    runs, judged, rows = data(1)
    return runs, judged, pd.DataFrame(rows[1:], columns=rows[0])


# What a row says of the correction, which is that of all pairs; all else is that of the two runs.
OF_CORRECTION = ("pvalue_adj", "significant", "verdict", "correction")
CASES = {
    "t": {},
    "t by market": {"by": "market", "confidence_level": 0.8, "power": 0.8},
    "t of clusters": {"cluster": "user_id"},
    "wilcoxon": {"test": "wilcoxon"},
    "sign of a market": {"test": "sign", "by": "market", "exact": "never"},
    "randomisation": {"test": "randomisation", "resamples": 200, "seed": 4},
    "randomised clusters": {"test": "randomisation", "resamples": 200, "cluster": "user_id", "confidence_level": 0.9},
    "bootstrap": {"test": "bootstrap", "resamples": 200, "bootstrap_interval": "bca"},
    "bootstrapped clusters": {"test": "bootstrap", "resamples": 200, "cluster": "user_id", "by": "market"},
    "sequential": {"sequential": 100},
}


@pytest.mark.parametrize("case", mostly_long(list(CASES), "t by market", "wilcoxon", "bootstrap"))
def test_each_pair_is_that_of_compare(tables, case):
    runs, _, qrels = tables
    options = CASES[case]
    found = quietly(rm.compare_all, runs, qrels, METRICS, correction="none", **options).summary.dicts()
    keys = [name for name in ("run", "baseline_run", "market", "metric") if name in found[0]]
    by_key = {tuple(row[key] for key in keys): row for row in found}
    assert len(by_key) == len(found) == 6 * len(METRICS) * (2 if "by" in options else 1)
    for first, second in itertools.combinations(NAMES, 2):
        alone = quietly(
            rm.compare,
            runs[first],
            {second: runs[second]},
            qrels,
            METRICS,
            baseline=first,
            correction="none",
            **options,
        )
        for row in alone.summary.dicts():
            own = by_key[tuple(row[key] for key in keys)]
            assert own.keys() == row.keys()
            for name, value in row.items():
                known = value if not isinstance(value, float) else pytest.approx(value, rel=1e-9, abs=1e-12)
                assert own[name] == known, (first, second, name)


@pytest.mark.parametrize(("correction", "family"), each_once(METHODS, ["all", "metric", "group"]))
def test_p_values_are_corrected_over_all_pairs(tables, correction, family):
    """By statsmodels, of scipy's p-values; a verdict has to be significant after that."""
    runs, judged, qrels = tables
    options = {"by": "market", "correction": correction, "family": family, "confidence_level": 0.9}
    found = quietly(rm.compare_all, runs, qrels, METRICS, **options).summary.dicts()
    values = {}
    for row in quietly(rm.evaluate, runs, judged, METRICS).per_query.dicts():
        market = "de" if int(row["query_id"][1:]) % 3 else "se"
        for metric in METRICS:
            values.setdefault((row["run_id"], market, metric), {})[row["query_id"]] = row[metric]
    families = {}
    for first, second in itertools.combinations(NAMES, 2):
        for market, metric in itertools.product(("de", "se"), METRICS):
            own = [[values[name, market, metric][query] for query in sorted(values[name, market, metric])]
                   for name in (second, first)]  # fmt: skip
            key = {"all": (), "metric": metric, "group": market}[family]
            pvalue = stats.ttest_rel(*own).pvalue
            families.setdefault(key, {})[second, first, market, metric] = pvalue
    expected = {}
    for pvalues in families.values():
        known = {key: pvalue for key, pvalue in pvalues.items() if not math.isnan(pvalue)}
        corrected = multipletests([*known.values()], method=METHODS[correction])[1]
        expected |= dict(zip(known, corrected, strict=True))
    assert len(found) == 36
    for row in found:
        own = expected[row["run"], row["baseline_run"], row["market"], row["metric"]]
        assert row["pvalue_adj"] == pytest.approx(own, rel=1e-8)
        is_better = (row["effect_size"] > 0) == (BETTER[row["metric"]] == "higher")
        word = "inconclusive" if own > 0.1 else "better" if is_better else "worse"
        assert row["verdict"] == ("too few queries" if row["n_units"] < 6 else word)
    assert {row["verdict"] for row in found} >= {"better", "worse", "inconclusive"}


def test_intervals_are_at_the_level_of_all_pairs(tables):
    """Those of Bonferroni hold together: each is scipy's at 1 - 0.05 / 18."""
    runs, judged, _ = tables
    given = {"correction": "bonferroni", "interval_level": "corrected"}
    found = quietly(rm.compare_all, runs, judged, METRICS, **given)
    values = {
        (row["run_id"], metric, row["query_id"]): row[metric]
        for row in quietly(rm.evaluate, runs, judged, METRICS).per_query.dicts()
        for metric in METRICS
    }
    for row in found.summary.dicts():
        own = [
            values[row["run"], row["metric"], query] - values[row["baseline_run"], row["metric"], query]
            for query in judged
        ]
        low, high = stats.ttest_1samp(own, 0).confidence_interval(1 - 0.05 / 18)
        ends = [row["effect_size_ci_lower"], row["effect_size_ci_upper"]]
        assert ends == pytest.approx([low, high], rel=1e-8, abs=1e-10)


def beaten_by_hand(rows, metric, market=None):
    """The runs that each is better than: by verdicts on the mean, or which more queries do worse with."""
    found = {name: set() for name in NAMES}
    for row in rows:
        if row["metric"] == metric and row.get("market") == market:
            rises = {"better": BETTER[metric] == "higher", "worse": BETTER[metric] == "lower"}
            rises |= {"more queries rose": True, "more queries fell": False}
            rises |= {"signed ranks lean upward": True, "signed ranks lean downward": False}
            if row["verdict"] in rises:
                is_candidate = rises[row["verdict"]] == (BETTER[metric] == "higher")
                pair = row["run"], row["baseline_run"]
                above, below = pair if is_candidate else reversed(pair)
                found[above].add(below)
    return found


@pytest.mark.parametrize(
    "options", [{}, {"test": "sign"}, {"test": "wilcoxon"}, {"by": "market", "confidence_level": 0.8}]
)
def test_letters_name_the_runs_that_a_value_is_better_than(tables, options):
    """In the terminal, Markdown, LaTeX and HTML; runs in the order in which they were given."""
    runs, _, qrels = tables
    found = quietly(rm.compare_all, runs, qrels, METRICS, **options)
    rows = found.summary.dicts()
    markets = ["de", "se"] if "by" in options else [None]
    letters = dict(zip(NAMES, "abcd", strict=True))
    values = {}
    for row in rows:
        for run, side in (("run", "candidate"), ("baseline_run", "baseline")):
            values[row[run], row["metric"], row.get("market")] = row[side]
    shown = {
        "table": [re.split(r" {2,}", line.strip()) for line in repr(found).splitlines()[2:-1]],
        "markdown": [line.strip("| ").split(" | ") for line in found.to_markdown().splitlines()[2:] if "|" in line],
        "latex": [line[:-3].split(" & ") for line in found.to_latex().splitlines() if line.endswith(r" \\")][1:],
        "html": [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", found._repr_html_())],
    }
    written = {
        "table": "{} {}".format,
        "markdown": "{}<sup>{}</sup>".format,
        "latex": r"{}\textsuperscript{{{}}}".format,
        "html": "{}<sup>{}</sup>".format,
    }
    some = 0
    for form, lines in shown.items():
        own = [line for line in lines if len(line) == 5]
        for line, (market, name) in zip(own[-4 * len(markets) :], itertools.product(markets, NAMES), strict=True):
            for metric, cell in zip(METRICS, line[2:], strict=True):
                beaten = beaten_by_hand(rows, metric, market)[name]
                marks = "".join(letters[other] for other in NAMES if other in beaten)
                value = f"{values[name, metric, market]:.4f}"
                plain = re.sub(r"\\textbf\{([\d.]+)\}|\*\*([\d.]+)\*\*|<strong>([\d.]+)</strong>", r"\1\2\3", cell)
                assert plain == (written[form](value, marks) if marks else value), (form, name, metric)
                some += bool(marks)
    assert some
    what = {
        None: "that a value is significantly better than",
        "sign": "with which significantly more queries do worse",
        "wilcoxon": "from which signed ranks significantly lean towards the better",
    }[options.get("test")]
    for text in (repr(found), found.to_latex(), found.to_markdown(), found._repr_html_()):
        assert f"Letters name the runs {what}" in text
        assert f"corrected over all {18 * len(markets)} tests (Holm)" in text


def test_few_queries_have_no_letter():
    """Five queries, of which each rises by a value of its own: p is small, and the verdict too few queries."""
    judged = {f"q{n}": {"x": 1, **{f"y{k}": 0 for k in range(n)}} for n in range(9, 14)}
    old = {query: [*(f"y{k}" for k in range(n)), "x"] for n, query in enumerate(judged, start=9)}
    found = quietly(rm.compare_all, {"old": old, "new": {query: ["x"] for query in judged}}, judged, "rr")
    [row] = found.summary.dicts()
    assert (row["pvalue"] < 1e-5, row["verdict"]) == (True, "too few queries")
    assert "<sup>" not in found.to_markdown()
    assert "superscript" not in found.to_latex()


def test_runs_over_other_queries_have_a_row_for_each_pair(tables):
    """A value of a run is then none of its own; counts of queries say what was compared."""
    runs, judged, _ = tables
    some = {name: dict([*run.items()][place:]) for place, (name, run) in enumerate(runs.items())}
    found = quietly(rm.compare_all, some, judged, "ap", queries="judged_retrieved")
    rows = {(row["run"], row["baseline_run"]): row for row in found.summary.dicts()}
    assert {pair: row["n_queries"] for pair, row in rows.items()} == {
        (second, first): 24 - NAMES.index(second) for first, second in itertools.combinations(NAMES, 2)
    }
    assert {pair: row["n_left_out"] for pair, row in rows.items()} == {
        (second, first): NAMES.index(second) - NAMES.index(first) for first, second in itertools.combinations(NAMES, 2)
    }
    assert "| metric | baseline | candidate |" in found.to_markdown()
    assert "k " in repr(found)


def test_runs_without_a_common_query_are_told(tables):
    """The first run shares queries with both of the others; a table has the pairs that there are."""
    runs, judged, _ = tables
    queries = [*judged]
    some = {
        "all": runs["z"],
        "first": {query: runs["m"][query] for query in queries[:10]},
        "last": {query: runs["k"][query] for query in queries[10:]},
    }
    found = quietly(rm.compare_all, some, judged, "ap", queries="judged_retrieved")
    assert {(row["run"], row["baseline_run"]) for row in found.summary.dicts()} == {("first", "all"), ("last", "all")}
    assert "first and last have no query in common, so they are not compared." in found.warnings
    assert "last" in repr(found)


def test_a_database_compares_all_pairs_too(tables):
    runs, judged, _ = tables
    with rm.connect() as database:
        found = quietly(database.compare_all, runs, judged, "ap")
        assert len(found.summary) == 6


def test_values_of_all_queries_together(tables):
    """Ratios, and a geometric mean, which has no error: each as in compare."""
    runs, judged, _ = tables
    metrics = ["ctr_pooled@3", "gm_map"]
    found = {(row["run"], row["baseline_run"], row["metric"]): row for row in
             quietly(rm.compare_all, runs, judged, metrics, correction="none").summary.dicts()}  # fmt: skip
    for first, second in itertools.combinations(NAMES, 2):
        alone = quietly(
            rm.compare, runs[first], {second: runs[second]}, judged, metrics, baseline=first, correction="none"
        )
        for row in alone.summary.dicts():
            own = found[second, first, row["metric"]]
            for name in ("effect_size", "standard_error", "pvalue", "rel_effect_size_ci_lower", "n_units"):
                assert own[name] == (None if row[name] is None else pytest.approx(row[name], rel=1e-9, abs=1e-12))
            assert own["verdict"] == row["verdict"]


@pytest.fixture
def files(tmp_path, tables):
    runs, judged, _ = tables
    for name, run in runs.items():
        lines = [f"{query},{item},{score!r}" for query, items in run.items() for item, score in items.items()]
        (tmp_path / f"{name}.csv").write_text("\n".join(["query_id,item_id,score", *lines]))
    lines = [f"{query},{item},{grade}" for query, items in judged.items() for item, grade in items.items()]
    (tmp_path / "qrels.csv").write_text("\n".join(["query_id,item_id,relevance", *lines]))
    return [*(str(tmp_path / f"{name}.csv") for name in NAMES), "--qrels", str(tmp_path / "qrels.csv")]


def test_the_command_line_compares_all_pairs(cli, tables, files):
    runs, judged, _ = tables
    found = quietly(rm.compare_all, runs, judged, METRICS, correction="bh")
    metrics = [part for metric in METRICS for part in ("-m", metric)]
    asked = ["compare", "--all-pairs", *files, *metrics, "--set", "correction=bh"]
    assert cli(*asked).stdout.splitlines()[:6] == repr(found).splitlines()[:6]
    assert cli(*asked, "--format", "latex").stdout == found.to_latex()
    assert cli(*asked, "--format", "markdown").stdout == found.to_markdown()
    rows = json.loads(cli(*asked, "--format", "json").stdout)
    assert [(row["run"], row["baseline_run"], row["metric"], row["verdict"]) for row in rows] == [
        (row["run"], row["baseline_run"], row["metric"], row["verdict"]) for row in found.summary.dicts()
    ]
    lines = cli(*asked, "--per-query", "--format", "csv").stdout.splitlines()
    assert len(lines) == 1 + 6 * 24 * len(METRICS)
    assert len(found.per_query.dicts()) == 6 * 24 * len(METRICS)
    for wrong in (["--fail-if", "ap worse"], ["--limits", "ap=0.1"], ["--shares", "a=1,b=1"], ["--covariate", "x"]):
        refused = cli(*asked, *wrong)
        assert (refused.exit_code, "--all-pairs has no baseline" in refused.stderr) == (2, True), wrong
    arms = ["compare", "--all-pairs", "--events", "log.csv", "--columns", "request=r,item=i", "--rule", "arm=a"]
    assert cli(*arms, "--baseline", "old", "-m", "ctr").exit_code == 2


def test_the_text_is_that_which_runs(cli, tables):
    """One statement, which evaluates each run once."""
    import duckdb
    import pandas as pd

    runs, _, qrels = tables
    with duckdb.connect() as connection:
        for name, run in runs.items():
            rows = [(query, item, score) for query, items in run.items() for item, score in items.items()]
            connection.register("frame", pd.DataFrame(rows, columns=["query_id", "item_id", "score"]))
            connection.execute(f"CREATE TABLE run_{name} AS SELECT * FROM frame")
        connection.register("frame", qrels)
        connection.execute("CREATE TABLE judged AS SELECT * FROM frame")
        named = {name: f"run_{name}" for name in NAMES}
        text = rm.sql(METRICS, named, "judged", level="compare", all_pairs=True, family="metric")
        found = connection.execute(text)
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        asked = [part for name, table in named.items() for part in ("--run", f"{name}={table}")]
        asked += [part for metric in METRICS for part in ("-m", metric)]
        asked += ["--qrels", "judged", "--level", "compare", "--all-pairs", "--set", "family=metric"]
        assert cli("sql", *asked).stdout == text + ";\n"
        assert quietly(rm.compare_all, named, "judged", METRICS, connection=connection, family="metric").sql
    for name in NAMES:
        assert len(re.findall(rf"FROM run_{name}\b", text.partition("WITH")[2])) == 1
    assert "compare of all pairs for duckdb" in text.splitlines()[0]
    expected = quietly(rm.compare_all, runs, qrels, METRICS, family="metric").summary.dicts()
    key = lambda row: (row["run"], row["baseline_run"], row["metric"])  # noqa: E731
    for row, other in zip(sorted(rows, key=key), sorted(expected, key=key), strict=True):
        assert key(row) == key(other)
        assert row["pvalue_adj"] == pytest.approx(other["pvalue_adj"], rel=1e-9)
        assert row["verdict"] == other["verdict"]


def test_a_chart_has_the_effects_of_all_pairs(tables):
    runs, judged, _ = tables
    found = quietly(rm.compare_all, runs, judged, "ap")
    assert found.plot().to_dict()
    with pytest.raises(rm.UsageError):
        found.plot("differences")


@pytest.mark.parametrize(
    ("runs", "options", "said"),
    [
        ({"a": {"q": ["x"]}}, {}, "Pass them as {name: run}"),
        ({"a": {"q": ["x"]}, "b": {"q": ["x"]}}, {"design": "unpaired"}, "Take design=paired"),
        ({"a": {"q": ["x"]}, "b": {"q": ["x"]}}, {"alternative": "less"}, "Take alternative=two_sided"),
        ({"a": {"q": ["x"]}, "b": {"q": ["x"]}}, {"alternative": "greater", "margin": 0.1}, "alternative=two_sided"),
        ({"a": {"q": ["x"]}, "b": {"q": ["x"]}}, {"limits": {"rr": 0.1}}, "limits"),
        ({"a": {"q": ["x"]}, "b": {"q": ["x"]}}, {"baseline": "a"}, "baseline"),
    ],
)
def test_what_has_a_side_is_refused(runs, options, said):
    with pytest.raises(rm.UsageError, match=re.escape(said)):
        rm.compare_all(runs, {"q": {"x": 1}}, "rr", **options)


@pytest.mark.parametrize(
    "given",
    [
        {"level": "summary"},
        {"level": "compare", "limits": {"rr": 0.1}},
        {"level": "compare", "baseline": "b"},
    ],
)
def test_a_text_of_all_pairs_has_no_baseline(given):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(rm.UsageError, match="all_pairs= has no baseline"):
            rm.sql("rr", {"a": "one", "b": "two"}, "judged", all_pairs=True, **given)


def one_table(form, tables, folder):
    """The runs of a table that a column tells apart, the judgments, and what ``compare_all`` is told of them."""
    import duckdb
    import pandas as pd

    runs, judged, _ = tables
    rows = [
        (name, query, item, score) for name in runs for query in runs[name] for item, score in runs[name][query].items()
    ]
    frame = pd.DataFrame(rows, columns=["model", "query_id", "item_id", "score"])
    if form == "frame":
        return frame, judged, {"columns": {"run_id": "model"}}
    if form == "sqlite":
        connection = sqlite3.connect(":memory:")
        frame.to_sql("runs", connection, index=False)
        graded = [(query, item, grade) for query, items in judged.items() for item, grade in items.items()]
        pd.DataFrame(graded, columns=["query_id", "item_id", "relevance"]).to_sql("qrels", connection, index=False)
        return "runs", "qrels", {"columns": {"run_id": "model"}, "connection": connection}
    if form == "file":
        frame.to_csv(folder / "runs.csv", index=False)
        return folder / "runs.csv", judged, {"columns": {"run_id": "model"}}
    connection = duckdb.connect()
    relevant = [(query, [item for item, grade in items.items() if grade]) for query, items in judged.items()]
    graded = pd.DataFrame(relevant, columns=["query_id", "relevant"])
    listed = "LIST(item_id ORDER BY score DESC) AS items"
    connection.execute(f"CREATE TABLE lists AS SELECT model, query_id, {listed} FROM frame GROUP BY ALL")
    connection.execute("CREATE TABLE judged AS SELECT l.*, g.relevant FROM lists l JOIN graded g USING (query_id)")
    if form == "lists":
        return rm.lists("judged", run="model", relevant="relevant"), None, {"connection": connection}
    connection.execute("CREATE TABLE qrels AS SELECT query_id, UNNEST(relevant) AS item_id, 1 AS relevance FROM graded")
    return rm.lists("judged", run="model"), "qrels", {"connection": connection}


@pytest.mark.parametrize(
    ("form", "question"),
    each_once(["frame", "file", "sqlite", "lists", "lists beside judgments"], ["compare_all", "tukey"]),
)
def test_runs_that_a_column_tells_apart(tables, form, question, tmp_path):
    runs, judged, _ = tables
    asked = getattr(rm, question)
    run, qrels, given = one_table(form, tables, tmp_path)
    found = quietly(lambda: asked(run, qrels, metrics=["ap", "rr"], **given))
    named = quietly(lambda: asked({name: runs[name] for name in sorted(runs)}, judged, metrics=["ap", "rr"]))
    assert len(named.summary.dicts()) == 2 * len(list(itertools.combinations(NAMES, 2)))
    of_basis = ("judged_baseline", "judged_candidate", "reason")  # an item may stand beside no judgment of lists
    for one, other in zip(found.summary.dicts(), named.summary.dicts(), strict=True):
        for name in set(other) - set(of_basis):
            is_number = isinstance(other[name], float)
            assert one[name] == (pytest.approx(other[name], rel=1e-9, abs=1e-12) if is_number else other[name]), name


def test_the_command_line_takes_a_column_of_runs(cli, tables, files, tmp_path):
    path, _, _ = one_table("file", tables, tmp_path)
    *each, option, qrels = files
    of_all = ["-m", "ap,rr", "--all-pairs", "--format", "json", option, qrels]
    one = cli("compare", path, "--columns", "run_id=model", *of_all)
    each = cli("compare", *sorted(each), *of_all)
    assert one.exit_code == each.exit_code == 0, one.stderr
    told = [
        [(row["baseline_run"], row["run"], row["metric"]) for row in json.loads(found.stdout)] for found in (one, each)
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize("question", ["compare_all", "tukey"])
def test_runs_that_nothing_tells_apart(tables, question, tmp_path):
    path, judged, given = one_table("file", tables, tmp_path)
    with pytest.raises(rm.UsageError, match="needs two or more runs") as refused:
        getattr(rm, question)(path, judged, "ap")
    [advised] = re.findall(r"columns=(\{.*?\})", str(refused.value))
    columns = eval(advised.replace("NAME", "'model'"))
    assert quietly(lambda: getattr(rm, question)(path, judged, "ap", columns=columns)).summary.dicts()
    source, _, given = one_table("lists", tables, tmp_path)
    with pytest.raises(rm.UsageError, match=r"needs two or more runs.*run=NAME"):
        getattr(rm, question)(rm.lists("judged", relevant="relevant"), metrics="ap", **given)
    log = rm.events("shown", "done", arm="arm")
    with pytest.raises(rm.UsageError, match="each arm of a log has its own"):
        getattr(rm, question)(log, metrics="rr")
    with pytest.raises(rm.UsageError, match="Pass a query for each run, without that column"):
        rm.sql("ap", "runs", "qrels", level="compare", all_pairs=True, columns={"run_id": "model"})
    of_each = {name: f"SELECT * FROM runs WHERE model = '{name}'" for name in NAMES}
    assert "baseline_run" in rm.sql("ap", of_each, "qrels", level="compare", all_pairs=True)
    one = f"SELECT * FROM {source.relations['relation']} WHERE model = 'z'"
    with pytest.raises(rm.UsageError, match=r"column model of .* names 1"):
        getattr(rm, question)(rm.lists(one, run="model", relevant="relevant"), metrics="ap", **given)
