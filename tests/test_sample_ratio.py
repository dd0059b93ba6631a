"""Arms that have not as many queries as the design gives them: scipy's test of the counts."""

from __future__ import annotations

import re
import warnings

import duckdb
import pandas as pd
import pytest
from scipy import stats

import rankmetrics_sql as rm

from .conftest import quietly
from .everything import each_once

JUDGED = {f"q{number}": {"x": 1} for number in range(2_000)}
QUERIES = list(JUDGED)


def arms(*sizes):
    """Runs of queries of their own, which have ends that differ."""
    found, first = {}, 0
    for name, size in zip("abc", sizes, strict=False):
        queries = QUERIES[first : first + size]
        found[name] = {query: ["x"] if place % 3 else ["y", "x"] for place, query in enumerate(queries)}
        first += size
    return found


def warned(runs, **given):
    """What is said of the sample ratio."""
    runs = dict(runs)
    options = {"design": "unpaired", "queries": "judged_retrieved", "baseline": "a", **given}
    found = quietly(rm.compare, runs.pop("a"), runs, JUDGED, "rr", **options)
    return [text for text in found.warnings if "chance did not" in text]


@pytest.mark.parametrize(
    ("sizes", "shares"),
    each_once(
        [(500, 399), (500, 400), (500, 401), (200, 150), (300, 300, 399), (5, 0.2)],
        [None, {"a": 5, "b": 4}, {"a": 0.9, "b": 0.1}],
    ),
)
def test_it_warns_where_scipy_says_so(sizes, shares):
    sizes = tuple(max(1, int(size)) for size in sizes)
    if shares is not None and len(sizes) > 2:
        shares = {**shares, "c": 1}
    weights = list(shares.values()) if shares else [1] * len(sizes)
    wanted = [sum(sizes) * weight / sum(weights) for weight in weights]
    pvalue = stats.chisquare(sizes, wanted).pvalue
    said = warned(arms(*sizes), shares=shares)
    assert len(said) == int(pvalue < 0.001)
    if said:
        numbers = [f"{size:,} in {name}" for name, size in zip("abc", sizes, strict=False)]
        assert " and ".join(numbers) in said[0]
        assert " and ".join(f"{number:,.0f}" for number in wanted) in said[0]
        assert float(re.search(r"p = (\S+)\)", said[0])[1]) == pytest.approx(pvalue, rel=0.06)


@pytest.mark.parametrize("where", ["query_list", "run", "qrels"])
def test_of_clusters_the_clusters_are_counted(where):
    """As many queries in each arm; those of one are of ten users, those of the other of a hundred."""
    queries = QUERIES[:400]
    frame = pd.DataFrame({"query_id": queries, "item_id": "x", "score": 1.0, "relevance": 1})
    frame["who"] = [f"u{number % 10}" if number < 200 else f"v{number % 100}" for number in range(400)]
    first, second = frame[:200], frame[200:]
    run = ["query_id", "item_id", "score", *(["who"] if where == "run" else [])]
    qrels = frame[["query_id", "item_id", "relevance", *(["who"] if where == "qrels" else [])]]
    listed = frame[["query_id", "who"]] if where == "query_list" else None
    given = {"design": "unpaired", "queries": "judged_retrieved", "query_list": listed, "baseline": "a"}
    even = quietly(rm.compare, first[run], {"b": second[run]}, qrels, "rr", shares={"a": 1, "b": 1.0}, **given)
    assert not any("chance did not" in text for text in even.warnings)
    found = quietly(rm.compare, first[run], {"b": second[run]}, qrels, "rr", cluster="who", **given)
    said = "The arms have clusters that chance did not share out: 10 in a and 100 in b, where 55 and 55 are expected"
    assert any(text.startswith(said) for text in found.warnings)


def test_only_queries_of_the_list_are_counted():
    runs = arms(500, 300)
    assert warned(runs)
    assert not warned(runs, query_list=QUERIES[200:800])


def test_arms_of_a_column():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE shown AS SELECT i AS request_id, 'x' || p AS item_id, p AS position,"
            " CASE WHEN i % 3 = 0 THEN 'new' ELSE 'control' END AS arm FROM range(600) r(i), range(1, 3) s(p)"
        )
        connection.execute(
            "CREATE TABLE clicks AS SELECT i AS request_id, 'x' || (1 + i % 2) AS item_id, 'click' AS event_type"
            " FROM range(600) r(i)"
        )
        log = rm.events("shown", "clicks", arm="arm")
        with pytest.warns(rm.RankmetricsWarning, match="400 in control and 200 in new, where 300 and 300"):
            rm.compare(log, "rr", baseline="control", connection=connection)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rm.compare(log, "rr", baseline="control", connection=connection, shares={"control": 2, "new": 1})


def test_nothing_is_said_where_nothing_is_checked():
    assert not warned(arms(500, 300), check="none")
    assert warned(arms(500, 300), check="none", shares={"a": 1, "b": 1})
    assert not warned(arms(500, 500))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"shares": {"a": 1, "bb": 1}}, "shares: the arm 'b' has none|there is no arm called 'bb'"),
        ({"shares": {"a": 1, "b": 1, "control": 1e-6}}, "there is no arm called 'control'"),
        ({"shares": {"a": 1, "b": 1, "c": 1}}, "shares: there is no arm called 'c'"),
        ({"shares": {"a": 1}}, "shares is the share of each of two arms or more"),
        ({"shares": {"a": 1, "b": 0}}, "shares is the share of each of two arms or more"),
        ({"shares": {"a": 1, "b": True}}, "shares is the share of each of two arms or more"),
        ({"shares": 0.5}, "shares is the share of each of two arms or more"),
        ({"shares": {"a": 1, "b": 1}, "design": "paired", "queries": "judged"}, "shares= is of arms"),
    ],
)
def test_shares_that_are_none(given, message):
    with pytest.raises(rm.UsageError, match=message):
        warned(arms(50, 50), **given)
