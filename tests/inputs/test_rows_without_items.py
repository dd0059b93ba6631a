"""A graded row without an item is not relevant, whoever reads it: Python, the text of ``rm.sql``, and dbt's macros."""

from __future__ import annotations

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import quietly

RUN = [(1, "a", 3), (1, None, 2), (1, "b", 1), (2, "c", 1)]
QRELS = [(1, "b", 1), (1, None, 2), (2, "c", 1), (2, None, 1), (3, "x", 1), (3, None, 0), (4, None, 0), (5, None, 1)]
LABELLED = [(1, "a", 3, 0), (1, None, 2, 1), (1, "b", 1, 1), (2, "c", 1, 1)]
METRICS = ["rr", "r", "ap", "ndcg", "num_rel", "p@2"]
# Item b is at rank 3 and the only relevant one of query 1, c at rank 1 of query 2, and 3 has no list. Query 4 is judged
# and has no relevant item; of 5 nothing is known.
OF_1 = {"rr": 1 / 3, "r": 1, "ap": 1 / 3, "ndcg": 1 / 2, "num_rel": 1, "p@2": 0}
OF_2 = {"rr": 1, "r": 1, "ap": 1, "ndcg": 1, "num_rel": 1, "p@2": 1 / 2}
OF_3 = {"rr": 0, "r": 0, "ap": 0, "ndcg": 0, "num_rel": 1, "p@2": 0}
OF_4 = dict.fromkeys(METRICS, 0)


@pytest.fixture(scope="module")
def place():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE runs (query_id INT, item_id TEXT, score INT)")
        connection.execute("CREATE TABLE labels (query_id INT, item_id TEXT, relevance INT)")
        connection.execute("CREATE TABLE shown (query_id INT, item_id TEXT, score INT, relevance INT)")
        for table, rows in (("runs", RUN), ("labels", QRELS), ("shown", LABELLED)):
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        yield connection


def python(place, labelled, options):
    given = ("shown",) if labelled else ("runs", "labels")
    ask = rm.labelled if labelled else rm.evaluate
    return quietly(ask, *given, METRICS, connection=place, check="none", **options).per_query.fetchall()


def text(place, labelled, options):
    given = {"labelled": "shown"} if labelled else {"run": "runs", "qrels": "labels"}
    return place.execute(rm.sql(METRICS, **given, level="per_query", **options)).fetchall()


def dbt(place, labelled, options):
    given = {"relation": "shown"} if labelled else {"relation": "runs", "qrels": "labels"}
    return place.execute(macros("duckdb")["per_query"](**given, metrics=METRICS, options=options)).fetchall()


@pytest.mark.parametrize("strategy", ["window", "count"])
@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize("road", [python, text, dbt])
def test_a_grade_of_no_item_is_of_nothing(place, road, labelled, strategy):
    found = {
        query: dict(zip(METRICS, values, strict=True))
        for query, *values in road(place, labelled, {"strategy": strategy})
    }
    expected = {1: OF_1, 2: OF_2} | ({} if labelled else {3: OF_3, 4: OF_4})
    assert found.keys() == expected.keys()
    for query, values in expected.items():
        assert found[query] == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize("road", [python, text, dbt])
def test_nor_is_one_that_is_imputed(place, road):
    """Every item has a grade, so that nothing but the row without an item is left out."""
    for labelled in (False, True):
        found = {
            query: dict(zip(METRICS, values, strict=True)) for query, *values in road(place, labelled, {"impute": 1})
        }
        assert [found[1][name] for name in ("num_rel", "rr")] == [1, 1 / 3]
