"""Charts: what they hold is what the rows say, counted by hand; all are drawn without a browser or a network."""

from __future__ import annotations

import datetime
import io
import json
import math
from collections import Counter
from html import escape

import altair
import duckdb
import pytest
import vl_convert
from PIL import Image

import rankmetrics_sql as rm
from rankmetrics_sql import charts
from rankmetrics_sql.charts import colours
from rankmetrics_sql.charts.precision_recall import interpolated

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
    title = chart.to_dict()["title"]
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
    | {"effect_size_ci_upper": effect + 0.1, "significant": sure, "n_queries": 9}
    for run, effect, sure in (("a", -0.2, 1), ("b", 0.3, 1), ("c", 0.05, 0))
]
QUERIES = [{"run_id": "x", "query_id": number, "ap": number / 10} for number in range(11)]
POINTS = [
    {"run_id": "x", "query_id": query, "x": x, "y": y}
    for query, own in (("1", [(0.5, 1.0), (1.0, 0.5)]), ("2", [(0.25, 0.25)]))
    for x, y in own
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
}


def test_all_charts_are_here():
    assert set(ALL) == set(charts.__all__) - {"svg"}


@pytest.mark.parametrize("name", ALL)
def test_a_chart_is_drawn_offline_and_says_what_it_is(name):
    chart = ALL[name]()
    picture = drawn(chart)
    assert picture.width > 300
    assert len(picture.getcolors(1 << 24)) > 20
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
}


@pytest.mark.parametrize("name", ONE)
def test_a_chart_of_one_is_drawn(name):
    assert len(drawn(ONE[name]()).getcolors(1 << 24)) > 20


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_names_are_text_whatever_they_are(text):
    """They are values of rows, never names of fields or expressions."""
    made = [
        charts.curve(curve_rows(text, "y"), metric="ap"),
        charts.segments(summary((text, 0.5, 3), ("de", 0.25, 3))),
        charts.differences(pairs((text, 0.5, 0.25), ("2", 0.25, 1.0))),
        charts.against(pairs((text, 0.5, 0.25), ("2", 0.25, 1.0))),
        charts.beads(moves((text, 1, 2, "down", 1.0), query=text)),
        charts.distribution([{"run_id": text, "query_id": 1, "ap": 0.5}], ["ap"]),
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
        "evaluation": rm.evaluate(RUNS, QRELS, ["ndcg@10", "num_rel_ret"]),
        "comparison": rm.compare(old, new, QRELS, ["ndcg@10", "ap"], baseline="sim"),
        "movements": rm.movements(old, new, QRELS, baseline="sim", k=5),
        "curve": rm.curve(RUNS, QRELS, "ap", at=[1, 10]),
        "recall": rm.curve(RUNS, QRELS, "iprec", along="recall"),
        "points": rm.curve(RUNS, QRELS, "pr_curve"),
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
    assert said(chart) == ["ap by market, 3 to 5 queries in each", "Lines are intervals."]
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


@pytest.mark.parametrize(
    ("better", "expected"),
    [("higher", ["worse", "better", "not certain"]), ("lower", ["better", "worse", "not certain"])],
)
def test_effects_say_what_is_better(better, expected):
    chart = charts.effects(EFFECTS, {"ap": better})
    assert [row["series"] for row in rows_of(chart, "point")] == expected
    assert said(chart)[0] == "Difference from old in ap, 9 queries"


@pytest.mark.parametrize(
    ("better", "sentence"), [("higher", "Better on 1, worse on 2"), ("lower", "Better on 2, worse on 1")]
)
def test_differences_are_ordered_and_counted(better, sentence):
    chart = charts.differences(pairs(("a", 0.5, 0.25), ("b", 0.0, 1.0), ("c", 0.5, 0.5), ("d", 1.0, 0.0)), better)
    assert said(chart) == ["new less old in ap, 4 queries", f"{sentence}, the same on 1."]
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
        "new less old in ap, 10,000 queries",
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
        "new less old in ap, by market: +0.6250",
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
            "There is no chart 'distributon' of this result. Did you mean 'distribution'?",
        ),
        (
            "evaluation",
            {"kind": "over_time"},
            "There is no chart 'over_time' of this result. Valid: segments, distribution.",
        ),
        ("evaluation", {"kind": 3}, "There is no chart 3 of this result"),
        ("evaluation", {"metric": "ndcg@1"}, "metric='ndcg@1' is not in this result. Did you mean 'ndcg@10'?"),
        ("comparison", {"run": "t6"}, "run='t6' is not in this result."),
        ("comparison", {"metric": "app"}, "metric='app' is not in this result. Did you mean 'ap'?"),
        ("movements", {"query": "999"}, "query_id='999' is not in this result."),
        ("curve", {"kind": "precision_recall"}, "There is no chart 'precision_recall'"),
    ],
)
def test_what_is_not_there_is_said(results, which, given, message):
    with pytest.raises(rm.UsageError) as error:
        results[which].plot(**given)
    assert message in str(error.value)


def test_without_altair_its_installation_is_named(results, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    with pytest.raises(rm.UsageError, match=r"pip install 'rankmetrics_sql\[plot\]'"):
        results["evaluation"].plot()


def test_notebooks_get_a_chart_of_many_rows():
    """Altair refuses more than 5,000 rows of its own; what is drawn here is fewer, and within the chart."""
    many = pairs(*((number, 0.5, (number % 97) / 97) for number in range(20_000)))
    for chart in (charts.differences(many), charts.against(many)):
        assert chart._repr_mimebundle_()
        assert sum(len(own) for _, own in values(chart)) < 2_000
