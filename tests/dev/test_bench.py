"""The benchmark itself, on a shape small enough to run with the tests; no time is asserted."""

from __future__ import annotations

import argparse
import hashlib
import math
import re
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

import rankmetrics_sql as rm
from dev.bench import (
    agreement,
    checks,
    claims,
    coverage,
    engines,
    logs,
    many,
    page,
    pairs,
    questions,
    replicates,
    scale,
    shapes,
    situations,
    spread,
    tables,
)
from dev.bench.__main__ import TINY, TooLong, check_agreement, command, left_out, measure, parse_output, report
from dev.bench.generate import SHAPES, write, write_texts
from dev.bench.timings import ALWAYS, Timing
from dev.engines import start
from dev.site import figures

ROOT = Path(__file__).parents[2]
TOOLS = (*ALWAYS, "by_hand", "pytrec_eval", "ir_measures")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench")
    write(TINY, path)
    write_texts(TINY, path)
    return path


def test_the_same_files_every_time(folder, tmp_path):
    write(TINY, tmp_path)
    digests = [
        [hashlib.sha256(file.read_bytes()).hexdigest() for file in TINY.files(place)] for place in (folder, tmp_path)
    ]
    assert digests[0] == digests[1]


@pytest.fixture(scope="module")
def timings(folder):
    return {tool: measure(tool, command(tool, TINY, folder)) for tool in TOOLS}


@pytest.mark.long
def test_everybody_computes_the_same(timings):
    check_agreement(TINY, timings)
    assert {tool for tool, timing in timings.items() if len(timing.values) != 5} == {
        "floor",
        "group_by",
        "rankmetrics cutoffs",
    }
    again = {tool for tool, timing in timings.items() if timing.second is not None}
    assert again == {"rankmetrics_tables", "rankmetrics_parquet", "by_hand", "pytrec_eval", "ir_measures"}
    assert report(TINY, timings).row_count == len(TOOLS) + len(again)
    wrong = timings | {"pytrec_eval": Timing(1, 1, {"AP": 0.5})}
    with pytest.raises(SystemExit, match=r"pytrec_eval gets AP = 0\.5"):
        check_agreement(TINY, wrong)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
def test_many_runs_and_many_metrics(folder):
    assert many.growth((1, 2), times=1).row_count == 2
    assert many.at_once([TINY], folder, times=1).row_count == 1


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
def test_what_checks_cost(folder):
    """With grades that are not relevant, too, which are there."""
    assert checks.report([TINY], folder, times=1).row_count == 2
    lower = checks.qrels_of(TINY, folder)[checks.LOWER]
    assert duckdb.execute(f"SELECT MIN(relevance) FROM '{lower}'").fetchall() == [(0,)]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
def test_logs_and_lists_agree_with_what_is_written_by_hand(folder):
    found = [logs.of_log(pairs.Log(200, 5, 4), 1), logs.of_lists(TINY, folder, 1)]
    assert [list(measured.seconds) for measured in found] == [list(logs.OF_LOG), list(logs.OF_LISTS)]
    told = figures.tables(logs.section(found))
    assert [len(rows) for rows in told.values()] == [len(logs.OF_LOG), len(logs.OF_LISTS)]
    assert all(rows[0][-2:] == ["1.00", "1.00"] for rows in told.values())
    assert not logs.agree([("a", 0.5)], [("a", 0.6)])


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
def test_pairs_agree(folder):
    small = list(pairs.pairs(TINY, pairs.Log(300, 5, 4), folder, TINY, 300))
    results = [pairs.measure(pair, 1) for pair in small]
    assert pairs.report(results).row_count == len(small) == 5
    assert pairs.section(results, 1).count("\n| ") == 6
    with pytest.raises(SystemExit, match="the numbers are not those of"):
        pairs.measure(replace(small[1], ours=lambda connection: [("nDCG@10", 0.5, 20)] * 3), 1)


@pytest.mark.long
def test_the_page_names_who_is_faster(timings):
    def written(seconds, second):
        ours = Timing(seconds, 1, timings["rankmetrics"].values)
        tables = replace(timings["rankmetrics_tables"], second=second)
        changed = timings | {"rankmetrics": ours, "rankmetrics_tables": tables}
        return page.tools_part(
            {TINY: changed}, 1, {"rankmetrics": "rankmetrics evaluate"}, [("spark", "tiny", "too few")], ["## More"]
        )

    slow, fast, once = written(99, 99), written(0.001, 0), written(0.001, 99)
    assert "pytrec_eval takes" in slow
    assert "pytrec_eval takes" not in fast
    assert "pytrec_eval, second evaluation takes" in once
    assert "pytrec_eval takes" not in once
    for text in ("\n## tiny: ", "## More", "- tiny: spark, too few"):
        assert slow.count(text) == 1
    assert slow.partition("\n## tiny: ")[2].count("| rankmetrics check=judged |") == 1


def test_what_trec_eval_prints():
    printed = "map                   \tall\t0.1234\nrecip_rank            \tall\t0.5000\n"
    assert parse_output("trec_eval", printed) == ({"AP": 0.1234, "RR": 0.5}, None)


def test_a_process_ends_at_the_limit():
    with pytest.raises(TooLong):
        measure("floor", [sys.executable, "-c", "import time; time.sleep(60)"], limit=0.2)


def test_spark_is_for_large_data():
    assert [tool for tool in ("spark", "by_hand") if left_out(tool, TINY)] == ["spark"]


@pytest.mark.long
@pytest.mark.parametrize(
    "case",
    [
        scale.Case("copies", TINY, copies=3),
        scale.Case("hot", TINY, hot=True, n_judged=9, arguments=("--partitions", "2")),
    ],
    ids=lambda case: case.name,
)
def test_many_rows(case, folder):
    program = scale.command(case, folder)
    n_rows, n_judged, n_hot = duckdb.execute(
        f"SELECT COUNT(*), (SELECT COUNT(*) FROM '{program[4]}'), COUNT(*) FILTER (query_id = 'q0') FROM '{program[2]}'"
    ).fetchone()
    tiny = duckdb.execute(f"SELECT COUNT(*) FROM '{TINY.files(folder)[1]}'").fetchone()[0]
    assert n_rows == case.n_rows
    assert (n_judged, n_hot) == ((tiny + 9, 1050) if case.hot else (3 * tiny, 0))
    cost = scale.measure(program)
    assert cost.seconds > 0
    assert cost.peak > 10_000_000
    costs = {case: cost}
    assert scale.report(costs).row_count == 1
    assert scale.section(costs).count(f"| {case.n_rows:,} |") == 1


def test_how_a_statement_spreads():
    """The slowest task is one of the stage that took most; workers are compared over all stages."""
    scan = [spread.Task("scan", "a", 450, 300), spread.Task("scan", "b", 400, 400)]
    join = [spread.Task("join", worker, duration, 20) for worker, duration in (("a", 200), ("a", 100), ("b", 600))]
    found = spread.Spread(2.5, [*scan, *join])
    assert set(found.stages) == {"scan", "join"}
    assert found.passed_on == 760
    assert found.slowest == 2
    assert found.busiest == pytest.approx(1000 / 1750)
    case = scale.Case("all rows", TINY)
    shown = spread.section({("Spark", case, 2): found})
    assert f"| Spark | all rows | {case.n_rows:,} | 2 | 2.5 | 2 | 5 | 0.0 | 2.0 x the mean | 57% |" in shown
    assert spread.report({("Spark", case, 2): found}).row_count == 1


def test_the_three_shapes():
    assert [(shape.name, shape.n_queries, shape.n_items, shape.n_judgments) for shape in SHAPES] == [
        ("sparse", 6_980, 1_000, 2),
        ("dense", 200, 1_000, 300),
        ("recommender", 500_000, 20, 10),
    ]


@pytest.mark.long
def test_every_metric_in_engines(tmp_path):
    """A table with a row for each metric; what is measured is kept, and not measured again."""
    options = argparse.Namespace(
        engine=["duckdb", "sqlite"],
        metric=["ndcg", "alpha_dcg@10", "pr_curve", "nnrbp"],
        users=30,
        analyzed=None,
        limit=60,
        results=tmp_path / "results",
    )
    timings = engines.compete(options)
    answered = {(timing.engine, timing.name, timing.qrels): timing.seconds is not None for timing in timings}
    rows = {"ndcg@10": "labels", "alpha_dcg@10": "intents", "pr_curve@10": "labels", "nnrbp": "intents"}
    wanted = {
        (engine, *row)
        for engine in options.engine
        for row in [*rows.items(), *((engines.FLOOR, qrels) for qrels in ("labels", "intents"))]
    }
    assert answered == {key: key[:2] != ("sqlite", "nnrbp") for key in wanted}  # which no recursion of its can do
    assert engines.compete(options) == timings
    assert engines.report(timings).row_count == len(rows) + 2


@pytest.mark.long
def test_shapes_in_engines(tmp_path):
    """What is measured is kept, and the page says what is over the floor; DuckDB and SQLite agree, or there is none."""
    options = argparse.Namespace(
        engine=["duckdb", "sqlite"],
        shape=["dense"],
        analyzed=None,
        divisor=1000,
        limit=60,
        repeat=1,
        data=tmp_path,
        results=tmp_path / "results",
    )
    timings = shapes.compete(options)
    names = [(timing.engine, timing.name, timing.qrels) for timing in timings]
    data = "dense, 100 queries"
    assert names == [(engine, name, data) for engine in options.engine for name in (engines.FLOOR, engines.FIVE)]
    assert shapes.compete(options) == timings
    slow = [timings[0], replace(timings[1], seconds=timings[0].seconds * 5)]
    assert f"- duckdb, {data}: not looked into yet." in shapes.engines_part(slow, 1)
    assert f"| duckdb | {data} | " in shapes.engines_part(slow, 1)
    fast = [timings[0], replace(timings[1], seconds=timings[0].seconds)]
    assert "No engine takes over 3 × its floor." in shapes.engines_part(fast, 1)


def test_what_does_not_end_is_reported():
    with start("sqlite") as engine:
        engines.fill(engine, 2000, analyzed=True)
        late = engines.Contest(engine, "sqlite", limit=0.001).metric("ap@10")
    assert (late.seconds, late.note) == (None, "> 0.001")
    assert engines.over([late]) == ["ap@10 in sqlite"]


def test_a_ratio_is_to_the_floor_measured_about_then():
    def timing(name, seconds, session=1):
        return engines.Timing(session, "duckdb", name, "labels", seconds)

    floors = [timing(engines.FLOOR, seconds) for seconds in (1, 2, 3, 100)]
    timings = [*floors[:2], timing("ap", 10), floors[2], timing("rr", None), floors[3], timing("p", 9, session=2)]
    assert engines.ratios(timings) == {("ap", "duckdb"): 5}
    assert engines.over(timings) == ["ap in duckdb"]


@pytest.fixture(scope="module")
def shares():
    """Of what must hold, by what is asked: the same numbers in every run."""
    labels = {
        "t, runs alike": "t",
        "t, unequal clusters ignored": "ignored",
        "paired difference": "held",
        "paired difference, relative": "relative",
        "t: a test rejects, runs alike": "t, looked at",
        "sequential: a test rejects, runs alike": "sequential, looked at",
        "no correction": "five",
        "holm": "holm",
        "paired difference, bootstrap": "held by draws",
        "bootstrap of arms, runs alike": "bootstrap",
        "randomisation, runs alike": "randomisation",
    }
    asked = [question for question in coverage.questions() if question.label in labels]
    found = coverage.simulated(asked, [replicates.trec_covid()], [50], replicates=400, seed=1)
    return {(labels[share.question.label], share.metric): share for share in found}


def test_intervals_and_tests_keep_their_word(shares):
    for share in shares.values():
        assert 0 <= share.hits <= share.n_known <= share.n == 400 // share.question.part.thinned
    for metric in replicates.MAIN:
        error = 3 * math.sqrt(0.05 * 0.95 / 400)
        assert shares["t", metric].value == pytest.approx(0.05, abs=error)
        assert shares["held", metric].value == pytest.approx(0.95, abs=error)
        assert shares["relative", metric].value == pytest.approx(0.95, abs=error)
        assert shares["ignored", metric].value > 0.15


def test_what_is_drawn_again_keeps_its_word(shares):
    error = 3.5 * math.sqrt(0.05 * 0.95 / 80)
    for metric in replicates.MAIN:
        assert shares["held by draws", metric].value == pytest.approx(0.95, abs=error)
        for test in ("bootstrap", "randomisation"):
            assert shares[test, metric].value == pytest.approx(0.05, abs=error)


def test_looks_and_families_need_something_of_their_own(shares):
    assert shares["t, looked at", "ap"].value > 0.1 > shares["sequential, looked at", "ap"].value
    assert shares["five", "any"].value > shares["holm", "any"].value
    assert shares["holm", "any"].value < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)


def counted(labels, real, sizes, replicates, part):
    asked = [question for question in questions.questions() if question.part == part and question.label in labels]
    found = coverage.simulated(asked, [real], sizes, replicates, seed=1)
    return {(share.question.label, share.metric if part.bins else share.size): share for share in found}


def test_fewer_than_six_queries_are_never_called_better():
    labels = ("t rejects, ap", "t: better or worse, ap", "bootstrap rejects, ap", "bootstrap: better or worse, ap")
    found = counted(labels, replicates.trec_covid(), [3, 5, 8], 400, questions.FEW_ERRORS)
    assert {found["t: better or worse, ap", size].hits for size in (3, 5)} == {0}
    assert {found["bootstrap rejects, ap", size].hits for size in (3, 5)} == {0}
    assert all(found["t rejects, ap", size].hits for size in (3, 5))
    assert all(found[label, 8].hits for label in labels)


def test_rare_gains_deceive_t_and_are_warned_of():
    real = replicates.one_sided(10, 5)
    values = real.of("ap")
    assert (values[1] - values[0]).sum() == pytest.approx(0, abs=1e-12)
    assert sorted({round(change, 9) for change in values[1] - values[0]}) == [-0.1, 0, 0.4]
    labels = ("t rejects", "better or worse", "better or worse, not warned of")
    found = counted(labels, real, [50, 1000], 400, questions.ONE_SIDED)
    assert found["t rejects", 50].value == pytest.approx(0.215, abs=3 * math.sqrt(0.215 * 0.785 / 400))
    assert 0 < found["better or worse", 50].hits < found["t rejects", 50].hits
    assert found["better or worse, not warned of", 50].hits == 0
    assert found["better or worse, not warned of", 1000].hits == found["better or worse", 1000].hits > 0


def test_the_page_knows_when_compare_warns():
    """Of a baseline of 0.5: so many queries rise by 0.1, and the others do not change."""
    for risen, size in ((6, 100), (9, 10), (49, 98), (49, 99), (50, 200)):
        judged = {f"q{number}": {"x": 1, "y": 1} for number in range(size)}
        old = {query: ["x", "-"] for query in judged}
        new = {query: ["x", "y"] if number < risen - 1 else ["x"] for number, query in enumerate(judged)}
        new |= {f"q{number}": ["y", "-", "x"] for number in range(risen - 1, risen)}  # one spreads
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rm.RankmetricsWarning)
            found = rm.compare(old, {"new": new}, judged, "ap")
        told = any(word in text for text in found.warnings for word in ("queries changed", "fewer than 10"))
        with duckdb.connect() as connection:
            connection.register("answers", found.summary.arrow())
            asked = connection.execute(
                f"SELECT a.verdict, {questions.ASKED['claims without a warning']} FROM answers AS a"
            )
            assert asked.fetchone() == ("better", not told), (risen, size)


def test_a_bin_has_the_replicates_of_all_numbers_of_queries():
    question = next(one for one in questions.questions() if one.part == questions.ONE_SIDED_CHANGED)
    found = [
        coverage.Share(question, "x", *numbers)
        for numbers in ((50, "6 to 9", 3, 10, 10), (100, "6 to 9", 1, 30, 30), (100, "20 to 49", 2, 2, 2))
    ]
    heading, rows = coverage.rows_of(found, questions.ONE_SIDED_CHANGED)
    assert heading == ["", "data", "6 to 9", "20 to 49"]
    assert rows == [["t rejects", "x", "10.0", "**100.0**"]]


def test_the_page_marks_what_is_off():
    fine, bold, italic = (
        coverage.Share(next(coverage.questions()), "MovieLens", 50, "ap", hits, 1000, 1200) for hits in (950, 900, 990)
    )
    assert [str(share) for share in (fine, bold, italic)] == ["95.0 of 83", "**90.0** of 83", "*99.0* of 83"]
    text = coverage.section("coverage", [bold], 2000, 1)
    assert "| mean | MovieLens | **90.0** of 83 |" in text
    page = "before\n<!-- coverage -->\n{}\n<!-- /coverage -->\nafter\n"
    assert tables.rewritten(page.format("old"), "coverage", text) == page.format(text)
    with pytest.raises(SystemExit, match="has no"):
        tables.rewritten(page, "resampling", text)


# The words around the figures, by page and section.
WORDS = {
    ("performance_details", page.NAME): [page.HEAD],
    ("performance_details", shapes.NAME): [shapes.HEAD],
    ("coverage", claims.NAME): [claims.HEAD],
    ("coverage", agreement.NAME): [agreement.HEAD],
} | {
    ("coverage", name): [
        coverage.HEAD if name == "coverage" else coverage.HEAD_OF_OTHERS,
        *(f"### {part.title}\n\n{part.about}\n" for part in section.parts),
    ]
    for name, section in questions.SECTIONS.items()
}


@pytest.mark.parametrize(("name", "section"), WORDS)
def test_a_page_has_the_words_of_its_writers(name, section):
    """A word that is changed on the page alone would be lost when the figures are written again."""
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    text = text.partition(f"<!-- {section} -->")[2].partition(f"<!-- /{section} -->")[0]
    words = [between for written in WORDS[name, section] for between in re.split(r"{[^}]*}", written)]
    assert [between for between in words if between.strip() not in text] == []


@pytest.mark.parametrize("clusters", ["equal", "unequal"])
def test_replicates_are_drawn_as_said(clusters):
    """Means stay those of the real values; two queries of a cluster are alike in a quarter of all cases."""
    real = replicates.trec_covid()
    draw = replicates.Draw("tried", clusters=clusters, equal_means=True)
    with duckdb.connect() as connection:
        replicates.fill(connection, real, draw, (400, 50), 1)
        means = connection.execute("SELECT AVG(value) FROM stored WHERE metric = 'ap' GROUP BY run_id").fetchall()
        alike, apart = (
            connection.execute(
                f"""SELECT AVG(CAST(a.value = b.value AS INT))
                FROM stored AS a JOIN stored AS b USING (run_id, group_1, metric)
                WHERE a.query_id < b.query_id AND metric = 'ndcg@10' AND a.group_2 {compared} b.group_2"""
            ).fetchone()[0]
            for compared in ("=", "<>")
        )
    truth = replicates.truths(real, draw)[1]
    assert truth[2] == pytest.approx(0, abs=1e-12)
    assert [mean for (mean,) in means] == pytest.approx([truth[1]] * 2, abs=0.01)
    assert (alike - apart) / (1 - apart) == pytest.approx(0.25, abs=0.02)


def test_false_claims_are_counted_and_true_ones_too(monkeypatch):
    """Of runs that differ nearly all claims are made; of six equal queries none is; a warning is one about the test."""

    monkeypatch.setattr(claims, "LOOKED_AT", 2)

    def apart(random, n):
        return situations.Values(random.normal(5, 1, (n, 8)), random.normal(9, 1, (n, 8)))

    tests = {"t": {}, "sign": {"test": "sign"}}
    found = claims.claims(12, 1, [situations.Situation("apart", apart, tests)])
    assert [(one.test, one.n_false, one.n) for one in found] == [("t", 12, 12), ("sign", found[1].n_false, 12)]
    assert [one.n_warned for one in found] == [one.n_looked_at for one in found]  # fewer than ten queries
    equal = next(one for one in situations.situations() if one.name.startswith("6 queries"))
    assert {one.n_false for one in claims.claims(12, 1, [equal])} == {0}
    arms = next(one for one in situations.situations() if one.arms)
    few = situations.Situation("arms", arms.draw, {"t": {}}, arms=True)
    [one] = claims.claims(40, 1, [few])
    assert (one.n, one.n_false <= 8, one.n_warned) == (40, True, 0)  # 80 and 20 are as planned
    text = claims.section([claims.Count("x", "t", 9, 100, 0, 9), claims.Count("x", "u", 9, 100, 9, 9)], 100, 1)
    assert "| x | t | **9.0** | 0 |" in text
    assert "| x | u | 9.0 | 100 |" in text
    assert "7 % without a warning: 1 of 2." in text


def test_intervals_of_agreement_are_counted():
    """Judges who agree by chance: most intervals hold the truth, and the table has a row for each measure."""
    chosen = [one for one in agreement.SITUATIONS if one.agreement == (0, 0)]
    found = agreement.shares(6, 1, chosen, (30,))
    assert {one.measure for one in found} >= {*agreement.KAPPAS, "alpha_ordinal", "ac2", "fleiss_kappa"}
    assert all(one.n_known == one.n == 6 and one.hits >= 3 for one in found)
    share = agreement.Share("alike by chance only", "kappa", 30, 170, 200, 200)
    assert (share.off, str(share)) == (1, "**85.0**")
    assert "| kappa | alike by chance only | **85.0** |" in agreement.section([share], 200, 1)
