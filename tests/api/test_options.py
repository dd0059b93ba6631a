"""Every option away from its default, with numbers derived by hand; test_oracles covers their mixture."""

from __future__ import annotations

from math import log, log2

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import options

from ..conftest import per_query, quietly, random_data, value
from ..everything import mostly_long

TIED = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
TWO_QUERIES = {"both": {"a": 1}, "unjudged": {"a": 1}}
JUDGED = {"both": {"a": 1}, "missing": {"a": 1}, "nothing": {"a": 0}}


@pytest.mark.parametrize(("ties", "rr"), [("item_desc", 1 / 3), ("item_asc", 1)])
def test_ties_by_item(ties, rr):
    assert value(TIED, {"q": ["a"]}, "rr", ties=ties) == pytest.approx(rr)


@pytest.mark.parametrize(("relevant", "rr"), [("Z", 1 / 4), ("a", 1 / 3), ("é", 1 / 2), ("😀", 1)])
def test_ties_are_broken_by_bytes(relevant, rr):
    assert value({"q": dict.fromkeys(["Z", "a", "é", "😀"], 1)}, {"q": [relevant]}, "rr") == pytest.approx(rr)


def test_number_ids_are_tied_by_their_text():
    assert value({1: {9: 1.0, 10: 1.0}}, {1: [9]}, "rr") == 1


@pytest.mark.parametrize("strategy", ["window", "count"])
def test_ties_by_a_rank_column(tmp_path, strategy):
    (tmp_path / "x.run").write_text("q Q0 a 2 1.0 t\nq Q0 b 1 1.0 t\nq Q0 c 3 0.5 t\n")
    found = {item: value(tmp_path / "x.run", {"q": [item]}, "rr", ties="rank", strategy=strategy) for item in "abc"}
    assert found == pytest.approx({"a": 1 / 2, "b": 1, "c": 1 / 3})


@pytest.mark.parametrize(
    ("queries", "mean", "n_queries"),
    [("judged", 1 / 3, 3), ("judged_retrieved", 1, 1), ("retrieved", 1 / 2, 2), ("judged_relevant", 1 / 2, 2)],
)
def test_query_universe(queries, mean, n_queries):
    with pytest.warns(rm.RankmetricsWarning):
        [row] = rm.evaluate(TWO_QUERIES, JUDGED, ["rr"], queries=queries).summary.dicts()
    assert row == {"metric": "rr", "value": pytest.approx(mean), "n_queries": n_queries}


def test_judged_relevant_obeys_the_threshold():
    assert set(
        per_query({"x": {"a": 1}}, {"x": {"a": 1}, "y": {"a": 2}}, ["rr"], queries="judged_relevant", rel=2)
    ) == {"y"}


@pytest.mark.parametrize(("unjudged", "rr", "num_ret"), [("nonrelevant", 1 / 3, 4), ("drop", 1 / 2, 2)])
def test_unjudged_items(unjudged, rr, num_ret):
    run, qrels = {"q": ["u1", "non", "rel", "u2"]}, {"q": {"rel": 1, "non": 0}}
    assert per_query(run, qrels, ["rr", "num_ret"], unjudged=unjudged)["q"] == pytest.approx(
        {"rr": rr, "num_ret": num_ret}
    )


def test_a_query_whose_items_are_all_dropped_is_still_retrieved():
    run, qrels = {"q": ["a"], "only_unjudged": ["u"]}, {"q": ["a"], "only_unjudged": ["a"]}
    assert per_query(run, qrels, ["num_ret"], unjudged="drop", queries="retrieved") == {
        "q": {"num_ret": 1},
        "only_unjudged": {"num_ret": 0},
    }


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (None, {"r": 1, "num_ret": 3, "p": 1 / 3}),
        (2, {"r": 0, "num_ret": 2, "p": 0}),
        (3, {"r": 1, "num_ret": 3, "p": 1 / 3}),
    ],
)
@pytest.mark.parametrize("strategy", ["window", "count"])
def test_depth_cuts_before_anything_else(depth, expected, strategy):
    assert per_query({"q": ["x", "y", "a"]}, {"q": ["a"]}, ["r", "num_ret", "p"], depth=depth, strategy=strategy)[
        "q"
    ] == pytest.approx(expected)


def test_depth_comes_before_unjudged_items_are_dropped():
    found = per_query({"q": ["u", "v", "a"]}, {"q": ["a"]}, ["rr", "num_ret"], depth=2, unjudged="drop")
    assert found["q"] == {"rr": 0, "num_ret": 0}


@pytest.mark.parametrize(("position", "rr"), [("dense", 1 / 2), ("given", 1 / 7)])
def test_positions_with_gaps(tmp_path, position, rr):
    (tmp_path / "clicks.csv").write_text("query_id,item_id,position,relevance\nq,a,3,0\nq,b,7,1\n")
    result = quietly(rm.labelled, tmp_path / "clicks.csv", ["rr"], position=position)
    assert any("1 query with gaps in the positions" in warning for warning in result.warnings) == (position == "dense")
    assert result["rr"] == pytest.approx(rr)


def test_equal_positions_are_no_gaps(tmp_path):
    (tmp_path / "clicks.csv").write_text("query_id,item_id,position,relevance\nq,a,1,0\nq,b,1,1\nr,a,2,1\n")
    result = quietly(rm.labelled, tmp_path / "clicks.csv", ["rr"])
    about = [warning.split(": ")[1] for warning in result.warnings if "positions" in warning]
    assert about[0] == "1 query with equal positions, which item ids order."
    assert about[1].startswith("1 query with gaps")


@pytest.mark.parametrize(("rel", "expected"), [(1, 1 / 2), (2, 1 / 3), (0.5, 1), (4, 0)])
def test_relevance_threshold(rel, expected):
    assert value({"q": ["a", "b", "c"]}, {"q": {"a": 0.5, "b": 1, "c": 3}}, "rr", rel=rel) == pytest.approx(expected)


def test_a_metrics_own_parameter_overrides_the_option():
    found = per_query({"q": ["a", "b"]}, {"q": {"a": 1, "b": 2}}, ["rr", "rr(rel=1)"], rel=2)
    assert found["q"] == {"rr": 0.5, "rr(rel=1)": 1}


@pytest.mark.parametrize(
    ("denominator", "expected"),
    [
        ("relevant", (1 + 2 / 3) / 5),
        ("min_relevant_k", (1 + 2 / 3) / 3),
        ("retrieved_relevant", (1 + 2 / 3) / 2),
        ("k", (1 + 2 / 3) / 3),
    ],
)
def test_ap_denominator(denominator, expected):
    """The list of definitions.md b.2: [rel, non, rel], k = 3, R = 5."""
    found = value({"q": ["a", "x", "b"]}, {"q": ["a", "b", "c", "d", "e"]}, "ap@3", ap_denominator=denominator)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("err_max", "expected"), [(4, 3 / 16), (2, 3 / 4)])
def test_err_max(err_max, expected):
    assert value({"q": ["a"]}, {"q": {"a": 2}}, "err", err_max=err_max) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("gain", "expected"), [("linear", 3), ("exp2", 7), ("binary", 1), ({3: 10}, 10), ("{3:10}", 10)]
)
def test_gain(gain, expected):
    assert value({"q": ["a"]}, {"q": {"a": 3}}, "dcg", gain=gain) == expected


@pytest.mark.parametrize("check", ["judged", "none"])
def test_check_says_what_it_leaves_out(check):
    with pytest.warns(rm.RankmetricsWarning, match=f"check={check}"):
        assert rm.evaluate({"q": ["a"]}, {"q": ["a"]}, ["rr"], check=check)["rr"] == 1


def test_profile_is_a_set_of_options():
    assert value({"q": ["a"]}, {"q": ["a"]}, "rr", profile="trec_eval") == 1


GRADED = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "u": 1.0}}
GRADES = {"q": {"a": 1, "b": 0, "c": 3, "m": 2}}  # u is not judged, m not retrieved


@pytest.mark.parametrize(
    ("discount", "expected"),
    [
        ("log2", 1 / log2(2) + 3 / log2(4)),
        ("ln", 1 / log(2) + 3 / log(4)),
        ("none", 1 + 3),
        ("zipf", 1 + 3 / 3),
        ("log2_rank", 1 + 3 / log2(3)),
        (10, log(10) / log(2) + 3 * log(10) / log(4)),
    ],
)
@pytest.mark.parametrize("ties", ["item_desc", "expected"])
def test_discount(discount, expected, ties):
    assert value(GRADED, GRADES, "dcg@3", discount=discount, ties=ties) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("ideal_depth", "ideal"),
    [
        ("min_k", 3 + 2 / log2(3)),
        ("uncut", 3 + 2 / log2(3) + 1 / log2(4)),
        ("present", 3 + 1 / log2(3)),
        ("all_relevant", 1 + 1 / log2(3)),
        ("min_k_retrieved", 3 + 2 / log2(3)),
    ],
)
def test_ideal_depth(ideal_depth, ideal):
    found = per_query(GRADED, GRADES, ["idcg@2", "ndcg@2"], ideal_depth=ideal_depth)["q"]
    assert found == pytest.approx({"idcg@2": ideal, "ndcg@2": 1 / ideal}, abs=1e-12)


@pytest.mark.parametrize(("ideal_depth", "expected"), [("min_k_retrieved", 1), ("all_relevant", 1 / (1 + 1 / log2(3)))])
def test_ideal_depth_of_a_short_list(ideal_depth, expected):
    found = value({"q": ["a"]}, {"q": ["a", "b", "c"]}, "ndcg@2", ideal_depth=ideal_depth)
    assert found == pytest.approx(expected, abs=1e-12)


def test_ideal_of_k_relevant_places_needs_a_cutoff():
    with pytest.raises(rm.UsageError, match="ideal_depth=all_relevant needs a cutoff, such as ndcg@10"):
        rm.evaluate(GRADED, GRADES, ["ndcg"], ideal_depth="all_relevant")


@pytest.mark.parametrize(
    ("no_relevant", "mean", "n_queries"), [(0, 1 / 2, 2), (1, 1, 2), ("null", 1, 1), ("skip", 1, 1)]
)
def test_queries_without_relevant_items(no_relevant, mean, n_queries):
    run, qrels = {"x": ["a"], "y": ["a"]}, {"x": {"a": 1}, "y": {"a": 0}}
    asked = ["ap", "rr", "p@1", "r", "ndcg", "success@1", "f", "rprec", "bpref"]
    found = quietly(rm.evaluate, run, qrels, asked, no_relevant=no_relevant).summary.dicts()
    assert [row["metric"] for row in found] == asked
    for row in found:
        assert (row["value"], row["n_queries"]) == (pytest.approx(mean), n_queries), row["metric"]
        assert row.get("n_left_out") == (1 if no_relevant == "null" else None)  # skipped queries are not counted


def test_queries_without_relevant_items_can_be_refused():
    run, qrels = {"x": ["a"], "y": ["a"]}, {"x": {"a": 1}, "y": {"a": 0}}
    with pytest.raises(rm.DataError, match=r"ap: 1 query has no relevant item \(no_relevant=error\): y"):
        quietly(rm.evaluate, run, qrels, ["ap"], no_relevant="error")
    assert value({"x": ["a"]}, {"x": {"a": 1}}, "ap", no_relevant="error") == 1
    with pytest.raises(rm.UsageError, match="no_relevant=error needs an evaluation"):
        rm.sql(["ap"], "runs", "labels", no_relevant="error")


@pytest.mark.parametrize(
    ("denominator", "expected"), [("k", 1 / 5), ("min_k_retrieved", 1 / 2), ("min_k_relevant", 1 / 3)]
)
def test_precision_denominator(denominator, expected):
    found = value({"q": ["a", "x"]}, {"q": ["a", "b", "c"]}, "p@5", precision_denominator=denominator)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(("rbp_gain", "expected"), [("binary", 0.5), ("scaled", 0.5 * 2 / 4), ("raw", 0.5 * 2)])
def test_rbp_gain(rbp_gain, expected):
    assert value({"q": ["a"]}, {"q": {"a": 2, "b": 4}}, "rbp(p=0.5)", rbp_gain=rbp_gain) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("f_beta", "expected"),
    [
        # x: P = 1/2, R = 1; y: P = 1/2, R = 1/4
        ("squared", (5 * 0.5 / (4 * 0.5 + 1) + 5 * 0.125 / (4 * 0.5 + 0.25)) / 2),
        ("plain", (3 * 0.5 / (2 * 0.5 + 1) + 3 * 0.125 / (2 * 0.5 + 0.25)) / 2),
        ("of_averages", 5 * 0.5 * 0.625 / (4 * 0.5 + 0.625)),
    ],
)
def test_f_beta(f_beta, expected):
    run, qrels = {"x": ["a", "n"], "y": ["a", "n"]}, {"x": ["a"], "y": ["a", "b", "c", "d"]}
    assert value(run, qrels, "f(beta=2)@2", f_beta=f_beta) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        ("declared", 7 / 12),
        ("mean", 7 / 12),
        ("median", 1 / 2),
        ("sum", 7 / 4),
        ("min", 1 / 4),
        ("max", 1),
        ("geometric", (1 / 8) ** (1 / 3)),
    ],
)
def test_aggregate(aggregate, expected):
    run = {"x": ["a"], "y": ["n", "a"], "z": ["n", "m", "o", "a"]}
    assert value(run, {query: ["a"] for query in run}, "rr", aggregate=aggregate) == pytest.approx(expected, abs=1e-12)


def test_median_of_an_even_number_of_queries_and_by_group(tmp_path):
    run = {f"q{place}": ["n"] * 0 + [f"n{number}" for number in range(place)] + ["a"] for place in range(4)}
    qrels = tmp_path / "qrels.csv"
    rows = [f"q{place},a,1,{'even' if place % 2 == 0 else 'odd'}" for place in range(4)]
    qrels.write_text("\n".join(["query_id,item_id,relevance,market", *rows]))
    assert value(run, qrels, "rr(aggregate=median)") == pytest.approx((1 / 2 + 1 / 3) / 2)
    result = quietly(rm.evaluate, run, qrels, ["rr(aggregate=median)"], by="market")
    assert [row["value"] for row in result.summary.dicts()] == pytest.approx([(1 + 1 / 3) / 2, (1 / 2 + 1 / 4) / 2])


def test_geometric_mean_takes_its_floor_for_0():
    found = value({"x": ["a"], "y": ["n"]}, {"x": ["a"], "y": ["a"]}, "ap", aggregate="geometric")
    assert found == pytest.approx(1e-5**0.5, rel=1e-12)


@pytest.mark.parametrize(("score_type", "rr"), [("double", 1 / 2), ("float32", 1)])
@pytest.mark.parametrize("strategy", ["window", "count"])
def test_scores_that_differ_beyond_float32(score_type, rr, strategy):
    """The run of definitions.md b.13."""
    run = {"q": {"z": 0.5, "a": 0.50000000001}}
    assert value(run, {"q": ["z"]}, "rr", score_type=score_type, strategy=strategy) == rr


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "sqlite"])
def test_warehouses_without_float32_say_so(dialect):
    with pytest.raises(rm.UsageError, match=f"{dialect} has no 32-bit floats"):
        rm.sql(["rr"], "runs", "labels", dialect=dialect, score_type="float32")


@pytest.mark.parametrize(
    ("unjudged", "cg"),
    [("nonrelevant", 4), ("relevant", 5), ("drop", 4), (0, 4), (2.5, 6.5), ("mean", 5.5), ("median", 5.5)],
)
def test_assumed_grades(unjudged, cg):
    assert value(GRADED, GRADES, "cg", unjudged=unjudged) == pytest.approx(cg)


@pytest.mark.parametrize(("grade", "num_rel"), [(2, 4), (0, 3)])
def test_an_assumed_grade_counts_as_judged_so_but_is_no_judgment(grade, num_rel):
    found = per_query(GRADED, GRADES, ["judged", "num_rel", "r"], unjudged=grade)["q"]
    assert found == pytest.approx({"judged": 3 / 4, "num_rel": num_rel, "r": (2 + (grade > 0)) / num_rel})


def test_judgments_that_are_given_leave_assumed_grades_out():
    run, given = {"q": ["u", "a"]}, {"unjudged": 1, "judgments": "given"}
    assert per_query(run, {"q": {"a": 1}}, ["num_rel", "p"], **given)["q"] == {"num_rel": 1, "p": 1}
    assert per_query(run, {"q": {"a": 0}}, ["rr", "rr(no_relevant=1)"], **given)["q"] == {
        "rr": 0,
        "rr(no_relevant=1)": 1,
    }
    for metric in ("r", "ap", "f", "p(precision_denominator=min_k_relevant)@2"):
        with pytest.raises(rm.UsageError, match="Take judgments=all or unjudged=nonrelevant"):
            per_query(run, {"q": {"a": 1}}, [metric], **given)


@pytest.mark.parametrize("strategy", ["window", "count"])
def test_the_grade_1_and_relevant_are_the_same_assumption(strategy):
    run, qrels = random_data(21)
    asked = ["r", "ap", "f", "ndcg", "rprec", "set_ap", "rr"]
    by_grade, by_word = (
        per_query(run, qrels, asked, unjudged=unjudged, strategy=strategy) for unjudged in (1, "relevant")
    )
    assert by_grade.keys() == by_word.keys()
    for query, values in by_grade.items():
        assert values == pytest.approx(by_word[query], abs=1e-12), query
        assert set(values) == set(asked)
        assert all(0 <= value <= 1 for value in values.values()), query


def test_unjudged_items_that_count_as_relevant_are_relevant_items():
    assert per_query(GRADED, GRADES, ["r", "num_rel"], unjudged="relevant")["q"] == {"r": 3 / 4, "num_rel": 4}


@pytest.mark.parametrize(
    ("judgments", "expected"),
    [
        ("all", {"r": 2 / 3, "ndcg": (1 + 3 / log2(4)) / (3 + 2 / log2(3) + 1 / log2(4)), "num_rel": 3}),
        ("retrieved", {"r": 1, "ndcg": (1 + 3 / log2(4)) / (3 + 1 / log2(3)), "num_rel": 2}),
    ],
)
@pytest.mark.parametrize("strategy", ["window", "count"])
def test_judgments_of_retrieved_items_only(judgments, expected, strategy):
    found = per_query(GRADED, GRADES, list(expected), judgments=judgments, strategy=strategy)
    assert found["q"] == pytest.approx(expected, abs=1e-12)


def test_judgments_of_retrieved_items_keep_every_query_and_run():
    runs = {"one": {"q": ["a"], "r": ["x"]}, "two": {"q": ["b"]}}
    qrels = {"q": ["a", "b"], "r": ["a"], "s": ["a"]}
    rows = quietly(rm.evaluate, runs, qrels, ["r", "num_rel"], judgments="retrieved").summary.fetchall()
    assert rows == [("one", "r", 1 / 3, 3), ("one", "num_rel", 1, 3), ("two", "r", 1 / 3, 3), ("two", "num_rel", 1, 3)]


def test_bounds_stand_beside_the_value():
    result = quietly(rm.evaluate, GRADED, GRADES, ["p@4", "rr(rel=2)"], unjudged="bounds")
    assert [(row["metric"], row["value"]) for row in result.summary.dicts()] == [
        ("p@4", 2 / 4), ("p@4 low", 2 / 4), ("p@4 high", 3 / 4),
        ("rr(rel=2)", 1 / 3), ("rr(rel=2) low", 1 / 3), ("rr(rel=2) high", 1 / 3),
    ]  # fmt: skip
    assert result.per_query.columns[1:4] == ["p@4", "p@4 low", "p@4 high"]


def test_bounds_of_two_runs_have_judgments_of_their_own():
    runs = {"one": {"q": ["u", "a"]}, "two": {"q": ["a", "b"]}}
    rows = quietly(rm.evaluate, runs, GRADES, ["r@2"], unjudged="bounds").summary.dicts()
    assert [row["value"] for row in rows] == pytest.approx([1 / 3, 1 / 3, 2 / 4, 1 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize(
    ("impute", "num_rel", "cg"), [("none", 2, 6), (0, 2, 6), (3, 3, 9), ("mean", 3, 8), ("median", 3, 8)]
)
def test_missing_grades(impute, num_rel, cg, tmp_path):
    run, qrels = {"q": ["a", "b", "c"]}, tmp_path / "qrels.csv"
    qrels.write_text("query_id,item_id,relevance\nq,a,\nq,b,2\nq,c,4\nq,d,0\n")
    assert per_query(run, qrels, ["num_rel", "cg"], impute=impute)["q"] == {"num_rel": num_rel, "cg": cg}


@pytest.mark.parametrize(("impute", "cg"), [("none", 4), (1, 5), ("mean", 4 + 4 / 3), ("median", 5)])
def test_missing_labels(impute, cg):
    assert quietly(rm.labelled, [[None, 1, 3, 0]], ["cg"], impute=impute)["cg"] == pytest.approx(cg)


def test_a_metrics_own_threshold_chooses_its_queries():
    run, qrels = {"a": ["x"], "b": ["x"]}, {"a": {"x": 2}, "b": {"x": 1}}
    own = quietly(rm.evaluate, run, qrels, ["p(rel=2,queries=judged_relevant)@1", "p@1"]).summary.fetchall()
    assert own == [("p(rel=2,queries=judged_relevant)@1", 1, 1), ("p@1", 1, 2)]


def test_no_relevant_error_is_about_the_metric_alone():
    run, qrels = {"q1": {"a": 1.0}}, {"q1": {"a": 1}, "q3": {"z": 1}}
    found = per_query(run, qrels, ["p(no_relevant=error,queries=judged_retrieved)", "ap"])
    assert found["q1"]["p(no_relevant=error,queries=judged_retrieved)"] == 1
    with pytest.raises(rm.UsageError, match=r"not for a curve\. Take null or skip"):
        rm.curve(run, qrels, "p(no_relevant=error)", at=[1])


def test_no_value_without_a_query():
    rows = quietly(rm.evaluate, {"q": ["a"]}, {"q": {"a": 0}}, ["f(f_beta=of_averages,no_relevant=skip)", "num_q"])
    assert rows.summary.fetchall()[0] == ("f(f_beta=of_averages,no_relevant=skip)", None, 0)


def test_none_is_the_default_and_the_word_none_a_value():
    gains = {"q": {"a": 3}}
    assert value({"q": ["x", "a"]}, gains, "dcg", discount=None) == pytest.approx(3 / log2(3))
    assert value({"q": ["x", "a"]}, gains, "dcg", discount="none") == 3


def test_numbers_of_numpy_are_numbers():
    import numpy as np

    assert value({"q": ["a", "b"]}, {"q": {"a": 1, "b": 2}}, "rr", rel=np.int64(2)) == 0.5
    assert len(rm.curve({"q": ["a"]}, {"q": ["a"]}, "p", at=np.array([1, 2]).tolist()).summary) == 2


@pytest.mark.parametrize("huge", [10**400, float("inf"), float("nan")])
def test_numbers_beyond_a_double_are_refused(huge):
    with pytest.raises(rm.UsageError, match="rel cannot be"):
        rm.evaluate({"q": ["a"]}, {"q": ["a"]}, ["rr"], rel=huge)


def test_two_maps_of_gains_are_two_columns():
    maps = ["ndcg(gain={1.2:3.4})@5", "ndcg(gain={1:2,3:4})@5"]
    assert len(quietly(rm.evaluate, {"q": ["a"]}, {"q": ["a"]}, maps).metrics) == 2


@pytest.mark.parametrize(("function", "name"), [("curve", "x"), ("compare", "effect_size"), ("evaluate", "value")])
def test_groups_cannot_have_the_name_of_a_column_of_the_result(function, name):
    import pandas as pd

    qrels = pd.DataFrame({"query_id": ["q"], "item_id": ["a"], "relevance": [1], name: ["g"]})
    run = {"q": ["a"]}
    arguments = {"compare": (run, {"other": run}, qrels, "p"), "curve": (run, qrels, "p")}.get(
        function, (run, qrels, "p")
    )
    with pytest.raises(rm.UsageError, match=f"two columns called '{name}'"):
        getattr(rm, function)(*arguments, by=name)


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("rr", {"ties": "item_asc"}), ("p@1", {"depth": 1}), ("cg", {"unjudged": "drop"}),
        ("num_ret", {"unjudged": "drop"}),
        ("rr", {"queries": "retrieved"}), ("rr", {"score_type": "float32"}), ("ndcg@2", {"gain": "exp2"}),
        ("ndcg@2", {"ideal_depth": "present"}), ("rr", {"aggregate": "max"}), ("ap", {"unjudged": "relevant"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("strategy", mostly_long(["window", "count"], "window"))
def test_an_option_of_one_metric_is_the_option_of_all(metric, options, strategy):
    """Alone or beside another ranking, a metric has the same value and the same number of queries."""
    run, qrels = random_data(11)
    name, at, k = metric.partition("@")
    own = f"{name}({','.join(f'{key}={item}' for key, item in options.items())}){at}{k}"
    beside = quietly(rm.evaluate, run, qrels, ["ap(ties=worst)", own, "r@3"], strategy=strategy).summary.dicts()[1]
    alone = quietly(rm.evaluate, run, qrels, [metric], strategy=strategy, **options).summary.dicts()[0]
    assert (beside["value"], beside["n_queries"]) == (pytest.approx(alone["value"], abs=1e-12), alone["n_queries"])


def test_no_option_is_forgotten_here():
    tested = {
        "rel",
        "gain",
        "zero_ideal",
        "ap_denominator",
        "err_max",
        "ties",
        "position",
        "queries",
        "unjudged",
        "depth",
        "check",
        "strategy",
        "interval",
        "discount",
        "ideal_depth",
        "no_relevant",
        "precision_denominator",
        "rbp_gain",
        "iprec_rounding",  # in test_trec_eval
        "f_beta",
        "collection_size",  # in test_oracles
        "aggregate",
        "score_type",
        "impute",
        "judgments",
        "negative_grades",  # in test_oracles
        *("design", "confidence_level", "alternative", "correction", "family"),  # in test_compare
        "test",  # in test_rank_tests and test_resampling
        *("resamples", "seed", "bootstrap_interval"),  # in test_resampling
        *("margin", "power", "sequential"),  # in test_decisions
        "max_grade",  # in test_effect_ranges
        "interval_level",  # in test_levels
        "relative_interval",  # in test_relative_intervals
        "exact",  # in test_exact
        *("duplicates", "duplicate_judgments"),  # in test_repeated_items
    }
    assert set(options()) == tested
