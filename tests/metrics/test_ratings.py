"""Errors of predicted ratings over several users, which the examples of one list cannot show."""

from __future__ import annotations

import math
import random
from math import sqrt
from statistics import fmean

import duckdb
import pytest

import rankmetrics_sql as rm

from ..conftest import fill, quietly
from ..everything import seeds

# User, item, rating, prediction, market: a user without a prediction, one without a rating, one with neither.
RATED = [
    ("u", "a", 5, 4.5, "de"), ("u", "b", 2, 3.0, "de"), ("u", "c", None, 9.0, "de"), ("u", "d", 4, None, "de"),
    ("v", "a", 4, 0.0, "fr"), ("w", "a", 3, None, "fr"), ("x", "a", None, None, "fr"), ("y", "a", None, 1.0, "fr"),
]  # fmt: skip
ERRORS = ["mae", "rmse", "rating_bias", "prediction_coverage"]


@pytest.fixture
def rated():
    """A connection with the table ``rated``."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE rated (user_id TEXT, item_id TEXT, rating INTEGER, predicted DOUBLE, market TEXT)"
        )
        fill(connection, "rated", RATED)
        yield connection


def values(connection, metrics, **options):
    """Group and metric to value and number of users, those without a value too."""
    found = quietly(rm.evaluate, rm.ratings("rated"), metrics, connection=connection, **options).summary.dicts()
    numbers = ("value", "n_queries", "n_left_out")
    return {
        tuple(value for name, value in row.items() if name not in numbers): (
            row["value"],
            row["n_queries"] + row.get("n_left_out", 0),
        )
        for row in found
    }


@pytest.mark.parametrize(
    ("options", "expected", "n_users"),
    [
        ({}, [5.5 / 3, sqrt(17.25 / 3), -3.5 / 3, 3 / 5], 3),
        ({"aggregate": "mean"}, [(0.75 + 4) / 2, (sqrt(0.625) + 4) / 2, (0.25 - 4) / 2, (2 / 3 + 1 + 0) / 3], 3),
        # what nobody rated counts as rated with 0, or with the mean of the user's ratings, if there is one
        ({"impute": 0}, [15.5 / 5, sqrt((17.25 + 81 + 1) / 5), (-3.5 + 9 + 1) / 5, 5 / 8], 5),
        (
            {"impute": "mean"},
            [(5.5 + 9 - 11 / 3) / 4, sqrt((17.25 + (9 - 11 / 3) ** 2) / 4), (-3.5 + 9 - 11 / 3) / 4, 4 / 6],
            5,
        ),
        # an assumed grade is no rating, whose error nobody knows
        ({"unjudged": 0}, [5.5 / 3, sqrt(17.25 / 3), -3.5 / 3, 3 / 5], 3),
        # the first of u has no rating
        ({"depth": 2}, [4.5 / 2, sqrt(16.25 / 2), -4.5 / 2, 2 / 5], 3),
        ({"judgments": "retrieved"}, [5.5 / 3, sqrt(17.25 / 3), -3.5 / 3, 1], 3),
        ({"queries": "retrieved"}, [5.5 / 3, sqrt(17.25 / 3), -3.5 / 3, 3 / 4], 3),
    ],
)
def test_of_all_users_together(rated, options, expected, n_users):
    found = values(rated, ERRORS, **options)
    assert [value for value, _ in found.values()] == pytest.approx(expected, abs=1e-12)
    assert {number for _, number in found.values()} == {n_users}


def test_users_without_a_prediction(rated):
    asked = ["mae", "mae(no_prediction=skip)", "prediction_coverage", "rmse(aggregate=mean)"]
    assert values(rated, asked, by=["market"]) == {
        ("de", "mae"): (0.75, 1),
        ("de", "mae(no_prediction=skip)"): (0.75, 1),
        ("de", "prediction_coverage"): (pytest.approx(2 / 3), 1),
        ("de", "rmse(aggregate=mean)"): (pytest.approx(sqrt(0.625)), 1),
        ("fr", "mae"): (4, 2),
        ("fr", "mae(no_prediction=skip)"): (4, 1),
        ("fr", "prediction_coverage"): (1 / 2, 2),
        ("fr", "rmse(aggregate=mean)"): (4, 2),
    }
    rated.execute("DELETE FROM rated WHERE user_id = 'u'")
    rated.execute("UPDATE rated SET predicted = NULL WHERE user_id = 'v'")
    rated.execute("INSERT INTO rated VALUES ('v', 'b', NULL, 2, 'fr')")
    assert values(rated, asked) == {
        ("mae",): (None, 2),
        ("mae(no_prediction=skip)",): (None, 0),
        ("prediction_coverage",): (0, 2),
        ("rmse(aggregate=mean)",): (None, 2),
    }


@pytest.mark.parametrize(("predicted", "mae"), [("COALESCE(predicted, 0)", 12.5 / 5), ("rating", 0)])
def test_a_prediction_is_sql_over_the_row(rated, predicted, mae):
    source = rm.ratings("rated", predicted=predicted)
    assert quietly(rm.evaluate, source, "mae", connection=rated)["mae"] == pytest.approx(mae)


def test_rated_items_without_a_prediction_were_not_found(rated):
    """P@n, R@n, F1@n, AP and nDCG of the ratings: u's list is c, a, b, and d is missing."""
    asked = ["p(rel=4)@2", "r(rel=4)@2", "f1(rel=4)@2", "map(rel=4)", "ndcg(gain=binary, rel=4)"]
    found = quietly(rm.evaluate, rm.ratings("rated"), asked, connection=rated).per_query.dicts()[0]
    ndcg = found.pop("ndcg(gain=binary, rel=4)")
    assert found == {"user_id": "u", "p(rel=4)@2": 1 / 2, "r(rel=4)@2": 1 / 2, "f1(rel=4)@2": 0.5, "map(rel=4)": 0.25}
    binary = quietly(rm.evaluate, rm.ratings("rated", threshold=4), ["p@2", "r@2", "ap", "ndcg"], connection=rated)
    assert next(iter(binary.per_query)) == ("u", 1 / 2, 1 / 2, 0.25, ndcg)


def test_an_error_is_that_of_a_rating(rated):
    source = rm.ratings("rated", threshold=4)
    assert quietly(rm.evaluate, source, "prediction_coverage", connection=rated)["prediction_coverage"] == 3 / 5
    with pytest.raises(
        rm.UsageError, match="'rmse': a rating error needs ratings, and threshold=4 reduces them to 0 and 1"
    ):
        rm.evaluate(source, ["ndcg", "rmse"], connection=rated)
    with pytest.raises(rm.UsageError, match="'mae': a rating error needs ratings"):
        rm.sql("mae", source)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: rm.evaluate({"q": ["a", "b"]}, {"q": {"a": 1}}, "rating_bias"),
        lambda: rm.sql("rating_bias", "runs", "labels", columns={"position": "place"}),
        lambda: rm.sql("rating_bias", rm.lists("recs", relevant="liked")),
    ],
)
def test_positions_are_no_predictions(ask):
    with pytest.raises(
        rm.UsageError, match="'rating_bias': the score is the predicted rating, but the run has only pos"
    ):
        ask()


def test_what_is_no_number(rated):
    rated.execute("INSERT INTO rated VALUES ('z', 'a', 3, 'NaN', 'de')")
    with pytest.raises(rm.DataError, match="NaN"):
        values(rated, ["mae"])
    rated.execute("UPDATE rated SET predicted = 1, rating = NULL WHERE user_id = 'z'")
    assert values(rated, ["mae"]) == {("mae",): (pytest.approx(5.5 / 3), 3)}


def test_two_predictions_of_one_item(rated):
    rated.execute("INSERT INTO rated VALUES ('u', 'a', 5, 1, 'de')")
    with pytest.raises(rm.DataError, match="'a'"):
        values(rated, ["mae"])


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("by", [[], ["market"]])
def test_random_ratings(rated, seed, by):
    """Ties, gaps and ratings below 0, on both roads."""
    chance = random.Random(seed)
    rated.execute("DELETE FROM rated")
    rows = [
        (user, item, chance.choice([None, -2, 0, 1.5, 5]), chance.choice([None, 0.5, 0.5, 3.25, -1e6]), user % 2)
        for user in range(12)
        for item in range(chance.randrange(1, 9))
    ]
    rated.execute("CREATE OR REPLACE TABLE rated (user_id INT, item_id INT, rating REAL, predicted DOUBLE, market INT)")
    fill(rated, "rated", rows)
    expected = {}
    for market in {row[4] if by else None for row in rows if row[2] is not None}:
        there = [row for row in rows if row[2] is not None and market in (None, row[4])]
        errors = [predicted - rating for _, _, rating, predicted, _ in there if predicted is not None]
        figures = [fmean(map(abs, errors)), sqrt(fmean(error**2 for error in errors)), fmean(errors)]
        figures.append(len(errors) / len(there))
        key = (market,) if by else ()
        expected |= {
            (*key, name): pytest.approx(figure, rel=1e-12) for name, figure in zip(ERRORS, figures, strict=True)
        }
    assert {key: value for key, (value, _) in values(rated, ERRORS, by=by).items()} == expected
    printed = rated.execute(rm.sql(ERRORS, rm.ratings("rated"), by=by, connection=rated)).fetchall()
    assert {tuple(row[:-3]): row[-3] for row in printed} == expected


def test_users_are_compared_by_their_own_errors():
    """The error of all users together and the mean of theirs; which of them rise is asked of their own alone."""
    runs = {"old": {"q": {"a": 3.0}, "r": {"a": 1.0}}, "new": {"q": {"a": 4.0}, "r": {"a": 2.5}}}
    qrels = {"q": {"a": 5}, "r": {"a": 1}}
    with pytest.raises(rm.UsageError, match=r"test=sign needs a value for each query.*Take test=t, or aggregate=mean"):
        rm.compare(runs["old"], runs["new"], qrels, ["rmse"], test="sign")
    [row] = quietly(rm.compare, runs["old"], runs["new"], qrels, ["rmse"]).summary.dicts()
    assert (row["baseline"], row["candidate"]) == pytest.approx((sqrt(4 / 2), sqrt((1 + 1.5**2) / 2)), rel=1e-12)
    assert (row["n_queries"], row["n_higher"], row["n_ties"], row["n_lower"]) == (2, None, None, None)
    found = quietly(rm.compare, runs["old"], runs["new"], qrels, ["rmse(aggregate=mean)"]).summary.dicts()
    assert [(row["baseline"], row["candidate"], row["n_higher"], row["n_lower"]) for row in found] == [(1, 1.25, 1, 1)]


INFINITE = {
    "old": [("1", 1.0), ("2", 3.0), ("3", 2.0), ("4", 5.0)],
    "new": [("1", math.inf), ("2", 4.0), ("3", 2.5), ("4", -math.inf)],
    "third": [("1", math.inf), ("2", 4.0), ("3", 2.25), ("4", 3.0)],
}
OF_CHANCE = ("effect_size", "rel_effect_size", "standard_error", "statistic", "pvalue", "pvalue_adj", "std_effect_size")
OF_ENDS = ("effect_size_ci_lower", "effect_size_ci_upper", "rel_effect_size_ci_lower", "rel_effect_size_ci_upper")


@pytest.fixture
def infinite():
    connection = duckdb.connect()
    for name, rows in {**INFINITE, "grades": [("1", 1.0), ("2", 3.0), ("3", 2.0), ("4", 3.0)]}.items():
        value = "relevance" if name == "grades" else "score"
        connection.execute(f"CREATE TABLE {name} (query_id TEXT, item_id TEXT, {value} DOUBLE)")
        fill(connection, name, [(query, "x", value) for query, value in rows])
    return connection


@pytest.mark.parametrize(
    ("metrics", "options"),
    [
        (["rmse", "mae", "mae(aggregate=mean)"], {}),
        (["rmse", "mae", "mae(aggregate=mean)"], {"design": "unpaired"}),
        (["rmse", "mae(aggregate=mean)"], {"sequential": 10}),
        (["rmse", "mae(aggregate=mean)"], {"power": 0.8}),
        (["mae(aggregate=mean)"], {"test": "bootstrap", "resamples": 100}),
        (["mae(aggregate=mean)"], {"test": "wilcoxon"}),
        (["mae(aggregate=mean)"], {"design": "unpaired", "test": "mann_whitney"}),
    ],
    ids=repr,
)
def test_a_statement_knows_no_effect_of_infinite_predictions(infinite, metrics, options):
    """A statement cannot refuse them: what they make is unknown, and what they do not touch is as without them."""
    runs = {"old": "old", "new": "new", "third": "third"}
    metrics = [*metrics, "ndcg@10"]
    found = infinite.execute(rm.sql(metrics, runs, "grades", level="compare", baseline="old", **options))
    names = [column[0] for column in found.description]
    for row in (dict(zip(names, values, strict=True)) for values in found.fetchall()):
        assert not [name for name, value in row.items() if isinstance(value, float) and not math.isfinite(value)]
        if row["metric"] == "ndcg@10":
            assert (row["effect_size"], row["pvalue"]) == (0, 1)
        else:
            assert {row[name] for name in (*OF_CHANCE, *OF_ENDS, "significant", "n_higher", "candidate")} == {None}
            assert row["baseline"] == pytest.approx(sqrt(1) if row["metric"] == "rmse" else 0.5)


@pytest.mark.parametrize("interval", ["t", "bootstrap"])
def test_a_statement_knows_no_interval_of_infinite_predictions(infinite, interval):
    metrics = ["mae(aggregate=mean)"] if interval == "bootstrap" else ["rmse", "mae", "mae(aggregate=mean)"]
    found = infinite.execute(rm.sql(metrics, "new", "grades", interval=interval))
    names = [column[0] for column in found.description]
    for row in (dict(zip(names, values, strict=True)) for values in found.fetchall()):
        assert (row["value"], row["standard_error"], row["ci_lower"], row["ci_upper"]) == (math.inf, None, None, None)


def test_an_evaluation_refuses_infinite_predictions(infinite):
    message = r"new: rmse reads the score, so scores must be between -1e100 and 1e100: \('1', 'x', inf\), "
    for ask in (
        lambda: rm.evaluate("new", "grades", ["ndcg", "rmse"], connection=infinite),
        lambda: rm.compare("old", {"new": "new"}, "grades", ["ndcg", "rmse"], connection=infinite),
    ):
        with pytest.raises(rm.DataError, match=message):
            ask()
    quietly(rm.evaluate, "new", "grades", ["ndcg"], connection=infinite)


def test_what_is_not_finite_is_named_by_its_run_and_metric():
    old, new = {"q": {"b": 1.0}}, {"new": {"q": {"b": 2.0}}}
    message = r"not a finite number; are scores, grades or parameters too large\? \(run new, baseline_run baseline, "
    with pytest.raises(rm.DataError, match=message + r"metric dcg\(gain=exp2\), baseline inf\)$"):
        quietly(rm.compare, old, new, {"q": {"b": 2000}}, ["dcg(gain=exp2)"])
