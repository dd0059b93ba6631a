"""Every option away from its default, with numbers derived by hand; test_oracles covers their mixture."""

from __future__ import annotations

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.catalogue import options

from .conftest import per_query, quietly, value

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
    }
    assert set(options()) == tested
