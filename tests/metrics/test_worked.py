"""Numbers from the texts that this package answers to, each derivable by hand."""

from __future__ import annotations

from math import log2

import pytest

import rankmetrics_sql as rm

from ..conftest import per_query, value

ITEMS = [1, 2, 3, 4]


def test_mean_reciprocal_rank_of_lists():
    result = rm.evaluate(
        recommendation_lists=[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]],
        relevance_lists=[[2], [5, 6], [11]],
        metrics=["mrr"],
    )
    assert result["mrr"] == pytest.approx((1 / 2 + 1 + 1 / 3) / 3, abs=1e-12)


@pytest.mark.parametrize(
    ("relevant", "ndcg", "ap"), [({1, 2}, 1, 1), ({1, 3}, 0.919721, 0.833333), ({1, 4}, 0.877215, 0.75)]
)
def test_one_list_and_two_relevant_items(relevant, ndcg, ap):
    found = per_query([ITEMS], [relevant], ["rr", "ndcg", "ap"])[0]
    assert found == pytest.approx({"rr": 1, "ndcg": ndcg, "ap": ap}, abs=5e-7)


def test_reciprocal_rank_at_5_of_two_lists():
    run, truth = {"x": list("ABCLYUFZ"), "y": list("NXYBM")}, {"x": set("BCKZ"), "y": set("BE")}
    found = per_query(run, truth, ["rr@5"])
    assert {query: values["rr@5"] for query, values in found.items()} == {"x": 0.5, "y": 0.25}
    assert value(run, truth, "rr@5") == 0.375


def test_an_empty_list_scores_0():
    found = per_query([[1], []], [[1], [1]], ["rr@5", "p@5", "ndcg", "ap"])
    assert set(found[1].values()) == {0.0}


def test_a_query_without_relevant_items_scores_0_and_counts():
    assert value([[1], [2]], [[1], []], "rr") == 0.5


def test_k_beyond_the_list_means_the_whole_list():
    assert value({"x": list("ABCLYUFZ")}, {"x": set("Z")}, "rr@100") == 1 / 8


def test_exponential_gain_of_graded_lists():
    gain = {"gain": "exp2"}
    first = rm.labelled([[2, 3, 0, 1, 2]], ["dcg", "idcg", "ndcg"], **gain)
    assert [first["dcg"], first["idcg"], first["ndcg"]] == pytest.approx([9.007743, 10.823466, 0.832242], abs=5e-7)
    three = rm.labelled([[2, 3, 0, 1, 2], [1, 2, 1, 1, 0], [3, 3, 2, 1, 1]], ["ndcg"], **gain)
    assert three["ndcg"] == pytest.approx(0.890142, abs=5e-7)


def test_average_precision_of_a_graded_list():
    assert rm.labelled([[2, 3, 0, 1, 2]], ["ap"])["ap"] == pytest.approx((1 + 1 + 3 / 4 + 4 / 5) / 4, abs=1e-12)


def test_three_searches():
    found = rm.labelled([[1, 0, 0], [0, 0, 0], [0, 0, 0, 1]], ["mrr"])
    assert found["mrr"] == pytest.approx((1 + 0 + 1 / 4) / 3, abs=1e-12)


def test_missing_places_count_as_grade_0():
    found = value({"q": ["a"]}, {"q": ["a", "b", "c", "d", "e"]}, "ndcg@10")
    assert found == pytest.approx(1 / (1 + 1 / log2(3) + 1 / 2 + 1 / log2(5) + 1 / log2(6)), abs=1e-12)


@pytest.mark.parametrize(
    ("zero_ideal", "mean", "n_queries"), [(0, 0.5, 2), (1, 1.0, 2), ("null", 1.0, 1), ("skip", 1.0, 1)]
)
def test_ndcg_without_a_relevant_item(zero_ideal, mean, n_queries):
    result = rm.evaluate(
        {"x": {"a": 1}, "y": {"b": 1}}, {"x": {"a": 1}, "y": {"b": 0}}, ["ndcg"], zero_ideal=zero_ideal
    )
    left_out = {"n_left_out": 1} if zero_ideal == "null" else {}
    assert result.summary.dicts() == [{"metric": "ndcg", "value": mean, "n_queries": n_queries, **left_out}]
