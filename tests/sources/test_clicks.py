"""Metrics of clicks over several requests of an impression log, which the examples of one list cannot show."""

from __future__ import annotations

import pytest

import rankmetrics_sql as rm

from ..conftest import quietly

# A request with two clicks, one with none, and one whose second item was shown far down and has no grade.
LOG = """
    SELECT * FROM (
        VALUES
            ('a', 'p', 1, 0, 'de'), ('a', 'q', 2, 1, 'de'), ('a', 'r', 3, 0, 'de'), ('a', 's', 4, 1, 'de'),
            ('b', 'p', 1, 0, 'fr'), ('b', 'q', 2, 0, 'fr'),
            ('c', 'q', 2, 1, 'de'), ('c', 'r', 9, NULL, 'de')
    ) AS t (query_id, item_id, position, relevance, market)
"""
OF_CLICKS = ["ctr", "ctr_pooled", "clicks", "abandonment", "mean_click_position", "mrr_clicks"]


def summary(metrics, log=LOG, **options):
    """Metric, or group and metric, to its value and the number of requests."""
    found = quietly(rm.labelled, log, metrics, **options).summary.dicts()
    by = options.get("by", [])
    return {(*(row[name] for name in by), row["metric"]): (row["value"], row["n_queries"]) for row in found}


def test_over_requests():
    expected = [(2 / 4 + 1 / 2) / 3, 3 / 8, (2 + 1) / 3, 1 / 3, ((2 + 4) / 2 + 1) / 2, ((1 / 2 + 1 / 4) / 2 + 1) / 2]
    found = summary(OF_CLICKS)
    assert [value for value, _ in found.values()] == pytest.approx(expected)
    assert [n_queries for _, n_queries in found.values()] == [3, 3, 3, 3, 2, 2]  # one has no click, so no position


@pytest.mark.parametrize(
    ("options", "of_requests", "pooled"),
    [
        ({}, (1 / 3 + 0 + 1 / 2) / 3, 2 / (3 + 2 + 2)),
        ({"position": "given"}, (1 / 3 + 0 + 1) / 3, 2 / (3 + 2 + 1)),
        ({"position": "given", "depth": 2}, (1 / 2 + 0 + 1) / 3, 2 / (2 + 2 + 1)),
        ({"unjudged": "drop"}, (1 / 3 + 0 + 1) / 3, 2 / (3 + 2 + 1)),
        ({"depth": 2}, (1 / 2 + 0 + 1 / 2) / 3, 2 / (2 + 2 + 2)),
    ],
)
def test_what_was_shown_within_a_cutoff(options, of_requests, pooled):
    found = summary(["ctr@3", "ctr_pooled@3"], **options)
    assert [value for value, _ in found.values()] == pytest.approx([of_requests, pooled])


def test_of_groups():
    found = summary(["ctr_pooled@3", "last_click_position", "last_click_position(no_click=skip)"], by=["market"])
    assert found == {
        ("de", "ctr_pooled@3"): (pytest.approx(2 / 5), 2),
        ("de", "last_click_position"): ((4 + 1) / 2, 2),
        ("de", "last_click_position(no_click=skip)"): ((4 + 1) / 2, 2),
        ("fr", "ctr_pooled@3"): (0, 1),
        ("fr", "last_click_position"): (None, 0),
        ("fr", "last_click_position(no_click=skip)"): (None, 0),
    }


def test_a_request_without_grades_counts_where_every_list_does():
    log = f"{LOG} UNION ALL SELECT 'd', 'p', 1, NULL, 'de'"
    assert summary(["ctr_pooled@3"], log) == {("ctr_pooled@3",): (pytest.approx(2 / 7), 3)}
    assert summary(["ctr_pooled@3"], log, queries="retrieved") == {("ctr_pooled@3",): (pytest.approx(2 / 8), 4)}


@pytest.mark.parametrize(
    ("metric", "dense", "given"),
    [
        # of c's two items, at places 2 and 9, one is within the first three places
        ("p(precision_denominator=min_k_retrieved)@3", 1 / 2, 1),
        ("f(precision_denominator=min_k_retrieved)@3", 2 / 3, 1),
        ("judged(precision_denominator=min_k_retrieved)@3", 1 / 2, 1),
        ("unj@3", 1 / 3, 0),
        ("p(precision_denominator=min_k_retrieved)", 1 / 2, 1 / 2),
        ("p(precision_denominator=min_k_retrieved)@9", 1 / 2, 1 / 2),
        ("p(precision_denominator=min_k_retrieved)@1", 1, 0),
    ],
)
def test_places_of_a_list_with_gaps(metric, dense, given):
    log = f"SELECT * FROM ({LOG}) AS rows WHERE query_id = 'c'"
    for position, expected in {"dense": dense, "given": given}.items():
        found = quietly(rm.labelled, log, [metric], position=position)
        assert found.per_query.fetchall() == [("c", pytest.approx(expected))], position
