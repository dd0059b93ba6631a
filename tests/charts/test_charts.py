"""Charts: what they hold is what the rows say, counted by hand; all are drawn without a browser or a network."""

from __future__ import annotations

import contextlib
import datetime
import io
import json
import math
import random
from collections import Counter
from html import escape

import altair
import duckdb
import pytest
import vl_convert
from PIL import Image

import rankmetrics_sql as rm
from rankmetrics_sql import charts
from rankmetrics_sql.charts import drawing as colours
from rankmetrics_sql.charts.curves import interpolated
from rankmetrics_sql.charts.segments import MOST_ROWS

from ..conftest import quietly
from ..everything import one_in

HOSTILE = ["<script>alert(1)</script>", "a.b[0]", "datum.x == 'y'", 'q"\\\n\t', "[]", "null", "", "日本", "x" * 300]


def values(chart):
    """The rows that a chart holds, of each of its layers."""
    found = []

    def visit(node, held):
        """Layers that share their rows have them from the chart that they are of."""
        held = node.get("data", {}).get("values", held)
        if "mark" in node:
            found.append((node["mark"]["type"], held))
        for part in (*node.get("layer", []), *node.get("vconcat", [])):
            visit(part, held)

    with altair.data_transformers.enable(consolidate_datasets=False):
        visit(chart.to_dict(), None)
    return found


def rows_of(chart, mark):
    return next(own for name, own in values(chart) if name == mark)


def said(chart):
    """The title and the notes below it."""
    title = chart.to_dict(validate=False)["title"]  # whose parts are validated where its rows are read, or it is drawn
    return [title["text"], *title.get("subtitle", [])]


def drawn(chart):
    """The picture, which is drawn by vl-convert in this process."""
    return Image.open(io.BytesIO(vl_convert.vegalite_to_png(chart.to_json()))).convert("RGB")


def curve_rows(*runs, at=(1, 5, 10), y=0.5):
    return [{"run_id": run, "x": float(x), "y": y, "n_queries": 7} for run in runs for x in at]


def pairs(*given, metric="ap", name="query_id"):
    """Rows of a comparison per query."""
    return [
        {
            "run": "new",
            "baseline_run": "old",
            name: query,
            "metric": metric,
            "baseline": old,
            "candidate": new,
            "difference": None if new is None else new - old,
            "contribution": None if new is None else (new - old) / len(given),
        }
        for query, old, new in given
    ]


def summary(*given, **more):
    """Rows of a summary, each of a market, a value and a number of queries."""
    return [
        {"market": market, "metric": "ap", "value": value, "n_queries": n, "standard_error": 0.1}
        | {"ci_lower": None if value is None else value - 0.25, "ci_upper": None if value is None else value + 0.25}
        | more
        for market, value, n in given
    ]


def moves(*given, query="q1"):
    return [
        {
            "run": "new",
            "baseline_run": "old",
            "query_id": query,
            "item_id": item,
            "baseline_rank": before,
            "candidate_rank": after,
            "movement": kind,
            "relevance": grade,
        }
        for item, before, after, kind, grade in given
    ]


def by_period(*given):
    return [
        {
            "period": day,
            "metric": "ap",
            "value": value,
            "n_queries": 3,
            "ci_lower": value - 0.1,
            "ci_upper": value + 0.1,
        }
        for day, value in given
    ]


MOVED = moves(("a", 1, 2, "down", 2.0), ("b", 2, None, "left", None), ("c", None, 1, "entered", 0.0))
DAYS = [(datetime.date(2026, 1, day), day / 10) for day in (1, 2, 3)]
PARTS = [
    {"run": "new", "baseline_run": "old", "market": market, "metric": "ap", "n_baseline": 2, "n_candidate": 3}
    | {"ranking": ranking, "mix": mix, "entered_or_left": 0.0, "contribution": ranking + mix}
    for market, ranking, mix in (("de", -0.25, 0.125), (None, 0.5, 0.25))
]
EFFECTS = [
    {"run": run, "baseline_run": "old", "metric": "ap", "effect_size": effect, "effect_size_ci_lower": effect - 0.1}
    | {"effect_size_ci_upper": effect + 0.1, "verdict": verdict, "n_queries": 9}
    for run, effect, verdict in (("a", -0.2, "worse"), ("b", 0.3, "better"), ("c", 0.05, "inconclusive"))
]
RANKED = [
    {"run_id": "x", "query_id": "q1", "item_id": item, "rank": rank, "relevance": grade}
    for item, rank, grade in (("a", 1, 2.0), ("b", 2, None), ("c", 3, 0.0))
]
SYSTEMS = [
    {
        "metric": "ap",
        "run_id": "x",
        "asked": 0.5,
        "asked_rank": 2,
        "low": 0.25,
        "high": 0.75,
        "worst": 0.5,
        "best": 0.625,
    }
    | {"n_queries": 7},
    {
        "metric": "ap",
        "run_id": "y",
        "asked": 0.75,
        "asked_rank": 1,
        "low": None,
        "high": None,
        "worst": 0.75,
        "best": 1.0,
    }
    | {"n_queries": 7},
]
GRADES = [{"grade_a": a, "grade_b": b, "n_pairs": n} for a, b, n in ((0.0, 0.0, 6), (0.0, 1.0, 2), (1.0, 1.0, 3))]
JUDGED = {"n_both": 11, "n_only_a": 1, "n_only_b": 2, "observed": 9 / 11, "kappa": 0.6071, "binary_kappa": 0.6071}
JUDGED |= {"quadratic_kappa": None}
BY_BOTH = [
    {"metric": "ap", "run_id": run, "a": a, "a_rank": i, "b": b, "b_rank": j, "a_n_queries": 7, "b_n_queries": 9}
    for run, a, i, b, j in (("x", 0.25, 2, 0.5, 1), ("y", 0.5, 1, 0.125, 2))
]
QUERIES = [{"run_id": "x", "query_id": number, "ap": number / 10} for number in range(11)]
POINTS = [
    {"run_id": "x", "query_id": query, "x": x, "y": y}
    for query, own in (("1", [(0.5, 1.0), (1.0, 0.5)]), ("2", [(0.25, 0.25)]))
    for x, y in own
]
POSITIONS = [
    {"arm": arm, "position": place, "impressions": 9, "ctr": 1 / place, "ci_lower": 0.2, "ci_upper": 1.0}
    for arm in "AB"
    for place in (1, 2)
]
LOST = [
    {"text": text, "requests": 9, "lost_clicks": lost, "lost_lower": lost - 2, "lost_upper": lost + 2}
    for text, lost in (("lamp", 3.0), ("sofa", 1.0))
]
ALL = {
    "curve": lambda: charts.curve(curve_rows("x", "y"), "ap"),
    "judged_share": lambda: charts.judged_share(curve_rows("x", "y")),
    "precision_recall": lambda: charts.precision_recall(POINTS),
    "over_time": lambda: charts.over_time(by_period(*DAYS)),
    "segments": lambda: charts.segments(summary(("de", 0.25, 3), ("fr", 0.5, 4))),
    "effects": lambda: charts.effects(EFFECTS),
    "differences": lambda: charts.differences(pairs(("1", 0.5, 0.25), ("2", 0.25, 1.0))),
    "against": lambda: charts.against(pairs(("1", 0.5, 0.25), ("2", 0.25, 1.0))),
    "contributions": lambda: charts.contributions(PARTS),
    "beads": lambda: charts.beads(MOVED),
    "distribution": lambda: charts.distribution(QUERIES, ["ap"]),
    "histogram": lambda: charts.histogram(pairs(("1", 0.5, 0.25), ("2", 0.25, 1.0))),
    "ranking": lambda: charts.ranking(RANKED),
    "ranges": lambda: charts.ranges(SYSTEMS),
    "orders": lambda: charts.orders(BY_BOTH),
    "confusion": lambda: charts.confusion(GRADES, JUDGED),
    "positions": lambda: charts.positions(POSITIONS),
    "lost": lambda: charts.lost(LOST, ["text"]),
}


def test_all_charts_are_here():
    assert set(ALL) == set(charts.__all__) - {"svg"}


@pytest.mark.parametrize("name", one_in(2, ALL))
def test_a_chart_is_drawn_offline_and_says_what_it_is(name):
    chart = ALL[name]()
    picture = drawn(chart)
    assert picture.width > (100 if name == "confusion" else 300)
    assert picture.getcolors(20) is None  # more than 20
    spec = chart.to_dict()
    assert spec["description"].startswith(spec["title"]["text"])
    assert vl_convert.vegalite_to_vega(chart.to_json())["description"] == spec["description"]
    assert f'role="img" aria-label="{escape(spec["description"])}"' in charts.svg(chart)
    assert "http" not in json.dumps({key: value for key, value in spec.items() if key != "$schema"})


@pytest.mark.parametrize("name", ALL)
def test_a_chart_has_no_settings_so_that_it_may_stand_beside_others(name):
    """Altair refuses to put charts together that have settings of their own."""
    assert altair.hconcat(ALL[name](), ALL[name]()).to_dict()["hconcat"]


EMPTY = {
    "curve": lambda: charts.curve([]),
    "positions": lambda: charts.positions([]),
    "lost": lambda: charts.lost([], ["text"]),
    "curve of NULL": lambda: charts.curve(curve_rows("x", y=None)),
    "curve of NaN": lambda: charts.curve(curve_rows("x", y=math.nan)),
    "judged_share": lambda: charts.judged_share([]),
    "precision_recall": lambda: charts.precision_recall([]),
    "over_time": lambda: charts.over_time([]),
    "over_time of NULL": lambda: charts.over_time(by_period((None, 0.5))),
    "segments": lambda: charts.segments([]),
    "segments of NULL": lambda: charts.segments(summary(("de", None, 0))),
    "effects": lambda: charts.effects([]),
    "differences": lambda: charts.differences([]),
    "differences of NULL": lambda: charts.differences(pairs(("1", 0.5, None))),
    "against": lambda: charts.against(pairs(("1", 0.5, None))),
    "contributions": lambda: charts.contributions([]),
    "beads": lambda: charts.beads([]),
    "distribution": lambda: charts.distribution([], ["ap"]),
    "distribution of NULL": lambda: charts.distribution([{"query_id": 1, "ap": None}], ["ap"]),
    "histogram": lambda: charts.histogram([]),
    "histogram of NULL": lambda: charts.histogram(pairs(("1", 0.5, None))),
    "histogram of the same": lambda: charts.histogram(pairs(("1", 0.5, 0.5))),
    "ranking": lambda: charts.ranking([]),
    "ranges": lambda: charts.ranges([]),
    "ranges of NULL": lambda: charts.ranges([SYSTEMS[0] | {"asked": None}]),
    "orders": lambda: charts.orders([]),
    "confusion": lambda: charts.confusion([], JUDGED | {"n_both": 0, "kappa": None}),
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_chart_of_nothing_says_so(name):
    chart = EMPTY[name]()
    [(mark, [row])] = values(chart)
    assert mark == "text"
    assert row["why"].endswith(".")
    assert row["why"] in chart.to_dict()["description"]
    assert drawn(chart).width > 300


ONE = {
    "curve": lambda: charts.curve(curve_rows("x", at=[10])),
    "precision_recall": lambda: charts.precision_recall(POINTS[:1]),
    "over_time": lambda: charts.over_time(by_period(DAYS[0])),
    "segments": lambda: charts.segments(summary((None, 0.5, 1))),
    "effects": lambda: charts.effects(EFFECTS[:1]),
    "differences": lambda: charts.differences(pairs(("1", 0.5, 0.5))),
    "against": lambda: charts.against(pairs(("1", 0.0, 0.0))),
    "contributions": lambda: charts.contributions(PARTS[:1]),
    "beads": lambda: charts.beads(moves(("a", 1, None, "left", None))),
    "distribution": lambda: charts.distribution([{"query_id": 1, "ap": 3.5}], ["ap"]),
    "histogram": lambda: charts.histogram(pairs(("1", 0.5, 0.25))),
    "ranking": lambda: charts.ranking(RANKED[:1]),
    "ranges": lambda: charts.ranges([SYSTEMS[0] | {"worst": None, "best": None}]),
    "orders": lambda: charts.orders([BY_BOTH[0] | {"b": None, "b_rank": None}]),
    "confusion": lambda: charts.confusion(GRADES[:1], JUDGED | {"kappa": None}),
}


@pytest.mark.parametrize("name", ONE)
def test_a_chart_of_one_is_drawn(name):
    assert drawn(ONE[name]()).getcolors(20) is None


@pytest.mark.parametrize("text", one_in(3, HOSTILE), ids=range(len(HOSTILE)))
def test_names_are_text_whatever_they_are(text):
    """They are values of rows, never names of fields or expressions."""
    made = [
        charts.curve(curve_rows(text, "y"), metric="ap"),
        charts.segments(summary((text, 0.5, 3), ("de", 0.25, 3))),
        charts.differences(pairs((text, 0.5, 0.25), ("2", 0.25, 1.0))),
        charts.against(pairs((text, 0.5, 0.25), ("2", 0.25, 1.0))),
        charts.beads(moves((text, 1, 2, "down", 1.0), query=text)),
        charts.distribution([{"run_id": text, "query_id": 1, "ap": 0.5}], ["ap"]),
        charts.ranking([row | {"run_id": text} for row in RANKED]),
        charts.ranges([SYSTEMS[0] | {"run_id": text}, SYSTEMS[1]]),
        charts.orders([BY_BOTH[0] | {"run_id": text}, BY_BOTH[1]]),
    ]
    assert drawn(altair.vconcat(*made)).height > 600
    for chart in made:
        assert text in [value for _, own in values(chart) for row in own for value in row.values()]


def test_a_curve_holds_the_points_of_each_run():
    chart = charts.curve(curve_rows("x", at=[1, 10]) + curve_rows("y", at=[1], y=None), "ap", along="k")
    assert said(chart) == ["ap by k, 7 queries"]
    assert rows_of(chart, "line") == [
        {"series": "x", "x": 1.0, "y": 0.5, "n": 7},
        {"series": "x", "x": 10.0, "y": 0.5, "n": 7},
    ]


def test_a_curve_of_many_points_keeps_some_and_says_so():
    chart = charts.curve(curve_rows("x", at=range(1, 10_002)))
    assert said(chart) == ["metric by k, 7 queries", "200 of 10,001 points of each line."]
    shown = rows_of(chart, "line")
    assert len(shown) == 200
    assert (shown[0]["x"], shown[-1]["x"]) == (1.0, 10_001.0)


def test_a_curve_of_many_runs_keeps_the_first():
    names = [f"run {number}" for number in range(40)]
    chart = charts.curve(curve_rows(*names))
    assert said(chart)[1] == "The first 28 of 40 lines."
    assert {row["series"] for row in rows_of(chart, "line")} == set(names[:28])


def test_precision_is_interpolated_by_hand():
    """At recall r the highest precision at r or beyond; 0 beyond the last point."""
    assert interpolated([(0.5, 1.0), (1.0, 0.5)]) == [1.0] * 6 + [0.5] * 5
    assert interpolated([(0.25, 0.25), (0.75, 0.5)]) == [0.5] * 8 + [0.0] * 3
    assert interpolated([(0.1 + 0.2, 1.0)]) == [1.0] * 4 + [0.0] * 7
    chart = charts.precision_recall(POINTS)
    thick = [row["y"] for mark, own in values(chart) if mark == "point" for row in own]
    assert thick == [(1 + 0.25) / 2] * 3 + [1 / 2] * 3 + [0.5 / 2] * 5
    assert said(chart)[0] == "Precision by recall, eleven points, 2 queries"


DEMO = "rankmetrics_sql/demo/"
RUNS = {"sim": f"{DEMO}covidex.sim.run.gz", "t5": f"{DEMO}covidex.t5.run.gz"}
QRELS = f"{DEMO}qrels.txt"


@pytest.fixture(scope="module")
def results():
    old, new = RUNS["sim"], {"t5": RUNS["t5"]}
    return {
        "evaluation": quietly(rm.evaluate, RUNS, QRELS, ["ndcg@10", "num_rel_ret"]),
        "comparison": quietly(rm.compare, old, new, QRELS, ["ndcg@10", "ap"], baseline="sim"),
        "movements": quietly(rm.movements, old, new, QRELS, baseline="sim", k=5),
        "curve": quietly(rm.curve, RUNS, QRELS, "ap", at=[1, 10]),
        "recall": quietly(rm.curve, RUNS, QRELS, "iprec", along="recall"),
        "points": quietly(rm.curve, RUNS, QRELS, "pr_curve"),
    }


def test_the_mean_line_is_the_one_that_is_given(results):
    """Levels of precision-recall points are at least trec_eval's, whose level is at the nearest whole item."""
    given = [row[2] for row in results["recall"].summary]
    chart = results["recall"].plot()
    thick = [row["y"] for mark, own in values(chart) if mark == "point" for row in own]
    assert thick == given
    of_points = [row["y"] for mark, own in values(results["points"].plot()) if mark == "point" for row in own]
    assert all(abs(one - other) < 0.03 for one, other in zip(thick, of_points, strict=True))
    assert (of_points[0], of_points[10]) == (pytest.approx(given[0]), pytest.approx(given[10]))
    assert len({row["line"] for row in rows_of(chart, "line")}) == 36
    assert said(chart) == [
        "Precision by recall, eleven points, 35 queries",
        "Thick lines are means, thin ones queries (36 of 70 are shown).",
    ]


def test_time_holds_days_and_bands():
    chart = charts.over_time(by_period(*DAYS, (None, 0.9)))
    assert said(chart) == [
        "ap by period, 3 queries in each",
        "Bands are intervals.",
        "1 value without a period is not shown.",
    ]
    assert [(row["period"], row["value"]) for row in rows_of(chart, "line")] == [
        ("2026-01-01", 0.1),
        ("2026-01-02", 0.2),
        ("2026-01-03", 0.3),
    ]
    assert [(row["lower"], row["upper"]) for row in rows_of(chart, "area")] == [
        (value - 0.1, value + 0.1) for _, value in DAYS
    ]
    assert chart.to_dict()["description"].endswith("From 2026-01-01 to 2026-01-03.")


def test_segments_are_ordered_and_null_is_one():
    chart = charts.segments(summary(("de", 0.25, 3), (None, 0.75, 5), ("fr", 0.5, 4)))
    assert said(chart) == ["ap by market, 3 to 5 queries in each", "Lines: confidence intervals."]
    assert rows_of(chart, "rule")[0] == {
        "label": "de",
        "series": "",
        "metric": "ap",
        "value": 0.25,
        "lower": 0.0,
        "upper": 0.5,
        "n": 3,
    }
    assert chart.to_dict()["layer"][0]["encoding"]["y"]["sort"] == ["(NULL)", "fr", "de"]


def test_of_many_segments_those_with_the_most_queries_are_shown():
    chart = charts.segments(summary(*((f"m{number}", 0.5, number) for number in range(1, 101))))
    assert said(chart)[-1] == "The 40 of 100 with the most queries."
    assert {row["label"] for row in rows_of(chart, "point")} == {f"m{number}" for number in range(61, 101)}


def test_effects_have_the_sign_of_their_verdict():
    shown = [*EFFECTS, EFFECTS[0] | {"run": "d", "verdict": "not worse by 0.3"}]
    chart = charts.effects([row | {"confidence_level": 0.9} for row in shown])
    assert [row["series"] for row in rows_of(chart, "point")] == ["worse", "better", "inconclusive", "not worse by 0.3"]
    assert said(chart) == ["Difference from old in ap, 9 queries", "Lines: 90 % confidence intervals."]


def test_an_open_interval_reaches_the_edge_of_the_chart():
    ends = ((-0.1, math.inf), (None, 0.2), (-0.3, 0.3), (None, None))
    names = ("effect_size_ci_lower", "effect_size_ci_upper")
    rows = [EFFECTS[0] | {"run": f"r{n}", **dict(zip(names, both, strict=True))} for n, both in enumerate(ends)]
    layers = [layer for layer in charts.effects(rows).to_dict()["layer"] if layer["mark"]["type"] == "rule"]
    drawn = [
        (layer["encoding"]["x"]["field"], layer["encoding"]["x2"]) for layer in layers if "x2" in layer["encoding"]
    ]
    assert drawn == [("lower", {"field": "upper"}), ("lower", {"value": "width"}), ("upper", {"value": 0})]


@pytest.mark.parametrize(
    ("better", "sentence"), [("higher", "Better on 1, worse on 2"), ("lower", "Better on 2, worse on 1")]
)
def test_differences_are_ordered_and_counted(better, sentence):
    chart = charts.differences(pairs(("a", 0.5, 0.25), ("b", 0.0, 1.0), ("c", 0.5, 0.5), ("d", 1.0, 0.0)), better)
    assert said(chart) == ["new minus old in ap, 4 queries", f"{sentence}, the same on 1."]
    assert [(row["query"], row["difference"]) for row in rows_of(chart, "bar")] == [
        ("b", 1.0),
        ("c", 0.0),
        ("a", -0.25),
        ("d", -1.0),
    ]


def test_of_many_differences_the_largest_are_shown_and_the_outermost_named():
    """Differences of 1/n, with every sign, so that the largest are the first."""
    many = [(f"q{number}", 0.0, (-1) ** number / number) for number in range(1, 10_001)]
    chart = charts.differences(pairs(*many))
    assert said(chart) == [
        "new minus old in ap, 10,000 queries",
        "Better on 5,000, worse on 5,000, the same on 0.",
        "The 200 queries that differ most are shown.",
    ]
    assert {row["query"] for row in rows_of(chart, "bar")} == {f"q{number}" for number in range(1, 201)}
    named = [row["label"] for mark, own in values(chart) if mark == "text" for row in own]
    assert named == ["q2, q4, q6", "q1, q3, q5"]


def test_a_against_b_holds_both_values_and_the_contribution():
    chart = charts.against(pairs(("a", 0.5, 0.25), ("b", 0.0, 1.0)))
    assert said(chart)[0] == "ap of new against old, 2 queries"
    assert said(chart)[2] == "Contributions add up to +0.3750."
    found = [(row["query"], row["x"], row["y"], row["contribution"], row["change"]) for row in rows_of(chart, "point")]
    assert found == [("a", 0.5, 0.25, -0.125, "worse"), ("b", 0.0, 1.0, 0.5, "better")]


def test_many_points_are_counted_in_places():
    chart = charts.against(pairs(*((number, number % 10 / 10, 1.0) for number in range(2_000))))
    cells = rows_of(chart, "rect")
    assert [row["n"] for row in cells] == [200] * 10
    assert [round(row["x"], 9) for row in cells] == [round(number / 10, 9) for number in range(10)]
    assert said(chart)[2] == "2,000 queries are counted in places of 30 by 30."


def test_contributions_are_parts_and_their_sums():
    chart = charts.contributions(PARTS)
    assert said(chart)[:2] == [
        "new minus old in ap, by market: +0.6250",
        "4 queries of old, 6 of new. Lines mark the sums.",
    ]
    assert [(row["group"], row["term"], row["value"]) for row in rows_of(chart, "bar")] == [
        ("(NULL)", "ranking", 0.5),
        ("(NULL)", "mix", 0.25),
        ("de", "ranking", -0.25),
        ("de", "mix", 0.125),
    ]
    assert [row["sum"] for row in rows_of(chart, "tick")] == [0.75, -0.125]


def test_beads_stand_in_both_rankings():
    chart = charts.beads(MOVED)
    assert said(chart) == ["Query q1: the first 2 of old and new", "1 entered; 1 left; 1 moved down."]
    assert {(row["run"], row["rank"], row["item"], row["grade"]) for row in rows_of(chart, "point")} == {
        ("old", 1, "a", "grade 2"),
        ("old", 2, "b", "not judged"),
        ("new", 1, "c", "grade 0"),
        ("new", 2, "a", "grade 2"),
    }
    assert rows_of(chart, "rule") == [{"x": 1, "x2": 2, "y": 0, "y2": 1}]


def test_grades_are_grey_up_to_0_and_darker_the_higher():
    found = colours.of_grades([-1, 0, 1, 2, 3])
    light = [sum(int(colour[place : place + 2], 16) for place in (1, 3, 5)) for colour in found]
    assert found[:2] == [colours.NOT_RELEVANT] * 2
    assert light[2:] == sorted(light[2:], reverse=True)
    assert len(set(found[2:])) == 3


def test_a_distribution_counts_edges_upwards():
    """0, 0.1 ... 1 in bins of 0.05: each at the beginning of a bin, 1 in the last one, which is closed."""
    chart = charts.distribution([*QUERIES, {"run_id": "x", "query_id": 12, "ap": None}], ["ap"])
    assert said(chart) == ["Distribution of ap, 11 queries", "1 value is missing.", "Lines are means."]
    bins = rows_of(chart, "bar")
    assert [place for place, row in enumerate(bins) if row["n"]] == [*range(0, 20, 2), 19]
    assert sum(row["n"] for row in bins) == 11
    assert rows_of(chart, "rule")[0]["mean"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("better", "changes"), [("higher", ["worse", "better", "better"]), ("lower", ["better", "worse", "worse"])]
)
def test_a_histogram_counts_on_either_side_of_0(better, changes):
    """Twenty bins on each side of the largest; an edge belongs to the bin nearer to 0, and no change to none."""
    given = [("a", 1.0, 0.9), ("b", 0.0, 0.05), ("c", 0.0, 1.0), ("d", 0.0, 1.0), ("e", 0.5, 0.5), ("f", 0.5, None)]
    chart = charts.histogram(pairs(*given), better)
    bars = rows_of(chart, "bar")
    assert [(round(row["from"], 9), round(row["to"], 9), row["n"]) for row in bars] == [
        (-0.1, -0.05, 1),
        (0.0, 0.05, 1),
        (0.95, 1.0, 2),
    ]
    assert [row["change"] for row in bars] == changes
    ups, downs = (3, 1) if better == "higher" else (1, 3)
    assert said(chart)[0] == "new minus old in ap, 5 queries"
    assert said(chart)[1] == f"Better on {ups}, worse on {downs}, the same on 1."
    assert said(chart)[2].startswith("The line is the mean, +0.3900")


def test_one_ranking_stands_in_one_line():
    chart = charts.ranking([*RANKED, RANKED[0] | {"rank": 500}])
    assert [(row["item"], row["rank"], row["grade"]) for row in rows_of(chart, "point")] == [
        *(("a", 1, "grade 2"), ("b", 2, "not judged"), ("c", 3, "grade 0")),
    ]
    assert {row["lane"] for row in rows_of(chart, "point")} == {0}
    assert said(chart) == [
        "Query q1: the first 100 of x",
        *("2 items with a grade above 0; 1 not judged.", "The first 100 of 500 ranks."),
    ]


def test_values_lie_in_ranges_and_the_best_is_above():
    chart = charts.ranges(SYSTEMS)
    bands = [own for mark, own in values(chart) if mark == "bar"]
    assert [[(row["run"], row["from"], row["to"]) for row in own] for own in bands] == [
        [("x", 0.25, 0.75)],
        [("y", 0.75, 1.0), ("x", 0.5, 0.625)],
    ]
    assert [(row["run"], row["value"]) for row in rows_of(chart, "point")] == [("y", 0.75), ("x", 0.5)]
    assert said(chart) == [
        "ap with its range, 2 systems, 7 queries",
        "Points are the values with your options.",
    ]
    lacking = charts.ranges([row | {"low": None} for row in SYSTEMS])
    assert "ap has no range over unjudged items." in said(lacking)
    many = [SYSTEMS[0] | {"run_id": f"x{number}", "asked_rank": number} for number in range(50)]
    assert [row["run"] for row in rows_of(charts.ranges(many), "point")] == [f"x{number}" for number in range(40)]
    assert "The best 40 of 50 systems." in said(charts.ranges(many))


def test_systems_by_both_judgments():
    chart = charts.orders(BY_BOTH, [{"metric": "ap", "tau": -1.0, "n_runs": 2}])
    assert {(row["run"], row["judgments"]): row["value"] for row in rows_of(chart, "point")} == {
        (row["run_id"], side): row[side] for row in BY_BOTH for side in "ab"
    }
    assert said(chart) == [
        "ap by the judgments a and b, 2 systems, 7 to 9 queries",
        "Kendall's tau of the order in ap is -1.000.",
    ]


def test_grades_of_two_judgments_are_a_matrix():
    chart = charts.confusion(GRADES, JUDGED)
    assert [(row["a"], row["b"], row["n"]) for row in rows_of(chart, "rect")] == [
        *(("0", "0", 6), ("0", "1", 2), ("1", "1", 3)),
    ]
    assert said(chart) == [
        "Grades by the judgments a and b, kappa 0.607, 11 items",
        "The same grade: 81.8 %. Kappa 0.607 of being relevant, undefined with squared weights.",
        "Only in a: 1 item; only in b: 2 items.",
    ]
    assert "0 and 1: 2" in chart.to_dict()["description"]
    many = [{"grade_a": float(grade), "grade_b": float(grade), "n_pairs": 1 + (grade > 9)} for grade in range(30)]
    assert len(rows_of(charts.confusion(many, JUDGED), "rect")) == 20
    assert "The 20 most frequent of 30 grades." in said(charts.confusion(many, JUDGED))


def test_the_charts_of_sensitivity_and_agreement():
    found = quietly(rm.sensitivity, RUNS, QRELS, ["P@10", "rr"])
    [points] = [own for mark, own in values(found.plot(metric="rr")) if mark == "point"]
    assert points == [
        {"run": row["run_id"], "value": row["asked"]}
        for row in sorted((row for row in found.values if row["metric"] == "rr"), key=lambda row: row["asked_rank"])
    ]
    assert said(found.plot())[0] == "P@10, rr with its range, 2 systems, 35 queries"
    agreed = quietly(rm.agreement, QRELS, QRELS, RUNS, ["rr"])
    assert sum(row["n"] for row in rows_of(agreed.plot(), "rect")) == agreed.judgments["n_both"]
    assert "kappa 1.000" in said(agreed.plot())[0]
    assert said(agreed.plot("orders"))[0] == "rr by the judgments a and b, 2 systems, 35 queries"
    assert {row["value"] for row in rows_of(agreed.plot("orders"), "point")} == {row["a"] for row in agreed.values}
    without = rm.agreement(QRELS, QRELS)
    assert rows_of(without.plot("orders"), "text")[0]["why"] == "There are no values of systems to draw."
    for one in (found, agreed):
        assert one._mime_() == ("text/html", one._repr_html_())
        assert "<table>" in one._repr_html_()


def test_the_charts_of_an_evaluation(results):
    found = results["evaluation"]
    points = [row for mark, own in values(found.plot()) if mark == "point" for row in own]
    expected = {(row["run_id"], row["metric"]): row["value"] for row in found.summary.dicts()}
    assert {(row["label"], row["metric"]): row["value"] for row in points} == expected
    chart = found.plot("distribution", metric="nDCG@10")
    counts = [[row["n"] for row in own] for mark, own in values(chart) if mark == "bar"]
    by_hand = Counter((run, min(19, int(value * 20))) for run, _, value, _ in found.per_query)
    assert counts == [[by_hand[run, place] for place in range(20)] for run in RUNS]


def test_the_charts_of_a_comparison(results):
    found = results["comparison"]
    own = [row for row in found.per_query.dicts() if row["metric"] == "ap"]
    chart = found.plot(metric="AP")
    assert Counter(row["difference"] for row in rows_of(chart, "bar")) == Counter(row["difference"] for row in own)
    assert {(row["query"], row["x"]) for row in rows_of(found.plot("against", metric="ap"), "point")} == {
        (row["query_id"], row["baseline"]) for row in own
    }
    bars = rows_of(found.plot("histogram", metric="ap"), "bar")
    assert sum(row["n"] for row in bars) == sum(row["difference"] != 0 for row in own)
    effects = [row["value"] for mark, own in values(found.plot("effects")) if mark == "point" for row in own]
    assert effects == [row["effect_size"] for row in found.summary.dicts()]


def test_the_charts_of_movements(results):
    found = results["movements"]
    chart = found.plot(query="1")
    rows = [row for row in found.summary.dicts() if row["query_id"] == "1"]
    expected = {(row["item_id"], row["candidate_rank"]) for row in rows if row["candidate_rank"] is not None}
    assert {(row["item"], row["rank"]) for row in rows_of(chart, "point") if row["run"] == "t5"} == expected
    judged = rm.curve(RUNS, QRELS, "judged", at=[1]).summary.fetchall()
    shares = {row["series"]: row["y"] for row in rows_of(found.plot("judged_share"), "line") if row["x"] == 1}
    assert shares == {run: pytest.approx(share) for run, _, share, _ in judged}


@pytest.mark.parametrize("metric", ["judged", "judged_share", "judged(rel=2)", "ndcg", "ap", "p", "success"])
def test_only_what_is_judged_is_drawn_as_judged(metric):
    """The shares by hand: of the first k of each list, how many have a grade. Any other metric is refused."""
    chance = random.Random(metric)
    lists = {name: {f"q{n}": chance.sample("abcdefgh", chance.randint(3, 8)) for n in range(6)} for name in "xy"}
    grades = {
        f"q{n}": {item: chance.randint(0, 2) for item in chance.sample("abcdefgh", 4)} | {"z": 1} for n in range(6)
    }
    found = quietly(rm.curve, lists, grades, metric, at=[1, 3, 10])
    if not metric.startswith("judged"):
        with pytest.raises(rm.UsageError, match="which is no judged share"):
            found.plot("judged_share")
        return
    expected = {
        (name, k): sum(item in grades[query] for query, own in run.items() for item in own[:k]) / (k * len(run))
        for name, run in lists.items()
        for k in (1, 3, 10)
    }
    drawn = {(row["series"], row["x"]): row["y"] for row in rows_of(found.plot("judged_share"), "line")}
    assert drawn == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(6))
def test_days_stand_in_their_order(seed):
    """As dates, times or text, alone or beside other groups and runs; what are no days stand by their values."""
    chance = random.Random(seed)
    first = datetime.date(2023, 12, 20) + datetime.timedelta(chance.randint(0, 300))
    days = [first + datetime.timedelta(number) for number in range(chance.choice([3, 15, 60]))]
    form = chance.choice([lambda day: day, str, lambda day: datetime.datetime(day.year, day.month, day.day, 7)])
    markets = chance.choice([[], ["de", "fr"]])
    rows = [
        {"run_id": "x", "day": form(day)}
        | ({"market": market} if market else {})
        | {"metric": "ap", "value": chance.random(), "effect_size": chance.gauss(0, 1), "verdict": "inconclusive"}
        | {"n_queries": chance.randint(5, 9), "run": "x", "baseline_run": "y"}
        for day in days
        for market in markets or [None]
    ]
    order = [row for market in markets or [None] for row in rows if row.get("market") == market]
    kept = [*map(form, days[-(MOST_ROWS // max(1, len(markets))) :])]
    chance.shuffle(rows)
    runs = {"run": "x", "baseline_run": "y"}
    effects = [runs | {name: value for name, value in row.items() if name not in (*runs, "run_id")} for row in rows]
    for chart, lead in ((charts.segments(rows), []), (charts.effects(effects), ["x"])):
        names = [", ".join([*lead, *label_of(row, markets)]) for row in order if row["day"] in kept]
        assert order_of(chart) == names
    others = [{**row, "day": f"w{row['day']}"} for row in rows]
    highest = sorted(others, key=lambda row: -row["value"])
    if len(rows) <= MOST_ROWS:
        assert order_of(charts.segments(others)) == [", ".join(label_of(row, markets)) for row in highest]


def label_of(row, markets):
    return [str(row["day"]), *([row["market"]] if markets else [])]


def order_of(chart):
    """The names beside the axis, from above."""
    found = chart.to_dict(validate=False)
    layer = found["layer"][-1]
    return layer["encoding"]["y"]["sort"]


def test_the_charts_of_curves(results):
    chart = results["curve"].plot()
    assert said(chart) == ["ap by k, 35 queries"]
    assert [(row["series"], row["x"], row["y"]) for row in rows_of(chart, "line")] == [
        row[:3] for row in results["curve"].summary
    ]
    assert results["points"].plot().to_dict()["title"]["text"].startswith("Precision by recall")


def test_periods_are_drawn_over_time_and_groups_as_segments():
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE log AS SELECT query_id, 'd' AS item_id, 1 AS position, query_id % 2 AS relevance,"
        " DATE '2026-01-01' + query_id::INTEGER AS day, ['de', NULL][query_id % 2 + 1] AS market"
        " FROM range(20) AS t(query_id)"
    )
    over = rm.labelled("log", ["rr"], columns={"time": "day"}, period="week", interval="t", connection=connection)
    assert [row["value"] for row in rows_of(over.plot(), "line")] == [row["value"] for row in over.summary.dicts()]
    grouped = rm.labelled("log", ["rr"], by="market", connection=connection)
    points = {row["label"]: row["value"] for row in rows_of(grouped.plot(), "point")}
    assert points == {"de": 0.0, "(NULL)": 1.0}


@pytest.mark.parametrize(
    ("which", "given", "message"),
    [
        (
            "evaluation",
            {"kind": "distributon"},
            "This result has no chart 'distributon'. Did you mean 'distribution'?",
        ),
        (
            "evaluation",
            {"kind": "over_time"},
            "This result has no chart 'over_time'. Valid: segments, distribution.",
        ),
        ("evaluation", {"kind": 3}, "This result has no chart 3"),
        ("evaluation", {"metric": "ndcg@1"}, "metric='ndcg@1' is not in this result. Did you mean 'ndcg@10'?"),
        ("comparison", {"run": "t6"}, "run='t6' is not in this result."),
        ("comparison", {"metric": "app"}, "metric='app' is not in this result. Did you mean 'ap'?"),
        ("movements", {"query": "999"}, "query_id='999' is not in this result."),
        ("curve", {"kind": "precision_recall"}, "This result has no chart 'precision_recall'"),
        ("curve", {"kind": "judged_share"}, 'Pass the metric judged: rm.curve(run, qrels, "judged").'),
        ("recall", {"kind": "judged_share"}, "curve of iprec, which is no judged share"),
    ],
)
def test_what_is_not_there_is_said(results, which, given, message):
    with pytest.raises(rm.UsageError) as error:
        results[which].plot(**given)
    assert message in str(error.value)


def test_without_altair_its_installation_is_named(results, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    with pytest.raises(rm.UsageError, match=r"pip install '\.\[plot\]' in a clone"):
        results["evaluation"].plot()


def test_notebooks_get_a_chart_of_many_rows():
    """Altair refuses more than 5,000 rows of its own; what is drawn here is fewer, and within the chart."""
    many = pairs(*((number, 0.5, (number % 97) / 97) for number in range(6_000)))
    for chart in (charts.differences(many), charts.histogram(many), charts.against(many)):
        assert chart._repr_mimebundle_()
        assert sum(len(own) for _, own in values(chart)) < 2_000


FOREIGN = {
    "curve": charts.curve,
    "judged_share": charts.judged_share,
    "precision_recall": charts.precision_recall,
    "over_time": charts.over_time,
    "segments": charts.segments,
    "effects": charts.effects,
    "differences": charts.differences,
    "against": charts.against,
    "contributions": charts.contributions,
    "beads": charts.beads,
    "distribution": lambda rows: charts.distribution(rows, ["ap"]),
    "histogram": charts.histogram,
    "ranking": charts.ranking,
    "ranges": charts.ranges,
    "orders": charts.orders,
    "confusion": lambda rows: charts.confusion(rows, JUDGED),
}
OF_ROWS = {
    "precision_recall": POINTS,
    "over_time": by_period(*DAYS),
    "segments": summary(("de", 0.25, 3)),
    "effects": EFFECTS,
    "differences": pairs(("1", 0.5, 0.25)),
    "against": pairs(("1", 0.5, 0.25)),
    "contributions": PARTS,
    "beads": MOVED,
    "distribution": QUERIES,
    "histogram": pairs(("1", 0.5, 0.25)),
    "ranking": RANKED,
    "ranges": SYSTEMS,
    "orders": BY_BOTH,
    "confusion": GRADES,
}


@pytest.mark.parametrize("rows", [None, 5, "text", {"a": 1}, [1], [None], [["ap", 1]]], ids=repr)
@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_no_rows_is_refused(name, rows):
    with pytest.raises(rm.UsageError, match=rf"^charts\.{name}: rows are a list of dictionaries.*; not "):
        FOREIGN[name](rows)


@pytest.mark.parametrize("name", FOREIGN)
def test_rows_of_nothing_are_refused(name):
    with pytest.raises(rm.UsageError, match=rf"^charts\.{name}: rows need the column '\w+'; row 1 has no columns\.$"):
        FOREIGN[name]([{}])


@pytest.mark.parametrize("name", OF_ROWS)
def test_a_column_less_draws_a_chart_or_is_refused(name):
    """Whatever else is missing, a chart does not end in an error of Python."""
    FOREIGN[name](OF_ROWS[name])
    for column in OF_ROWS[name][0]:
        rows = [{key: value for key, value in row.items() if key != column} for row in OF_ROWS[name]]
        with contextlib.suppress(rm.UsageError):
            FOREIGN[name](rows)


def test_the_nearest_column_is_named_and_what_is_there():
    rows = [{**row, "base_line": row["baseline"]} for row in pairs(("1", 0.5, 0.25))]
    rows = [{key: value for key, value in row.items() if key != "baseline"} for row in rows]
    with pytest.raises(rm.UsageError) as refused:
        charts.differences(rows=rows)
    assert str(refused.value).startswith("charts.differences: rows need the column 'baseline'; row 1 has run, ")
    assert str(refused.value).endswith("Did you mean 'base_line'?")
    with pytest.raises(rm.UsageError, match="judgments need the column 'observed'"):
        charts.confusion(GRADES, {"n_both": 1, "n_only_a": 0, "n_only_b": 0})
    with pytest.raises(rm.UsageError, match="mean need the column 'n_queries'"):
        charts.precision_recall(POINTS, [{"x": 1, "y": 1}])


@pytest.mark.parametrize(
    ("which", "given", "message"),
    [
        (
            "comparison",
            {"query": "1"},
            "plot: a Comparison cannot be filtered by query=. Valid: kind=, metric= and run=.",
        ),
        ("evaluation", {"run": "t5"}, "plot: a Result cannot be filtered by run=. Valid: kind= and metric=."),
        (
            "movements",
            {"metric": "ap"},
            "plot: a Movements cannot be filtered by metric=. Valid: kind=, run= and query=.",
        ),
        ("curve", {"metric": "ap"}, "plot: a Curve cannot be filtered by metric=. Valid: kind=."),
        (
            "movements",
            {"kind": "judged_share", "query": "1"},
            "plot: query= works only with plot('beads'). 'judged_share'",
        ),
    ],
)
def test_what_a_result_does_not_choose_by_is_said(results, which, given, message):
    with pytest.raises(rm.UsageError) as error:
        results[which].plot(**given)
    assert message in str(error.value)


def test_judgments_have_no_metric():
    found = rm.agreement(QRELS, QRELS)
    for kind in (None, "confusion"):
        with pytest.raises(
            rm.UsageError, match=r"plot: metric= works only with plot\('orders'\)\. 'confusion' shows everything"
        ):
            found.plot(kind, metric="ap")
