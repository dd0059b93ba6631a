"""Arrays, Series and NumPy's values in place of lists and numbers."""

from __future__ import annotations

import array

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.engines.duckdb.engine import DuckDB
from rankmetrics_sql.inputs.reader import Reader

from ..conftest import per_query, quietly
from ..everything import mostly_long

LISTS = {
    "numpy": np.array,
    "objects": lambda items: np.array(items, dtype=object),
    "pandas": pd.Series,
    "nullable": lambda items: pd.Series(items).convert_dtypes(),
    "index": lambda items: pd.Index(items),
    "categories": lambda items: pd.Categorical(items),
    "polars": pl.Series,
    "arrow": pa.array,
    "chunked": lambda items: pa.chunked_array([items]),
}
NUMBERS = [
    *(np.float16, np.float32, np.float64, np.longdouble, np.int8, np.uint64, np.array, pa.scalar, float, int),
    lambda number: pl.Series([number])[0],
    lambda number: pd.Series([number], dtype="Int64")[0],
]


@pytest.mark.parametrize("make", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("items", mostly_long([["a", "b", "c"], [7, 8, 9]], [7, 8, 9]), ids=["text", "numbers"])
def test_lists_of_items(make, items):
    run, judged = make(items), make(items[1:2])
    expected = {"rr": 1 / 2, "p@2": 1 / 2}
    assert per_query({"q": run}, {"q": judged}, list(expected)) == {"q": expected}
    assert per_query([run], [judged], list(expected)) == {0: expected}
    assert per_query({"q": tuple(items)}, {"q": set(judged)}, list(expected)) == {"q": expected}
    assert quietly(rm.evaluate, {"x": {"q": run}, "y": [run]}["x"], {"q": judged}, ["rr"])["rr"] == 1 / 2
    named = quietly(rm.evaluate, {"x": [run], "y": [make(items[::-1])]}, [judged], ["rr", "p@1"])
    assert [row[2] for row in named.summary.fetchall()] == [1 / 2, 0, 1 / 2, 0]


def test_arrays_of_two_dimensions_and_series_of_lists():
    lists, judged = [["a", "b"], ["c", "d"]], [["b"], ["c"]]
    queries = pd.Series(lists, index=["x", "y"])
    assert per_query(np.array(lists), np.array(judged), ["rr"]) == {0: {"rr": 1 / 2}, 1: {"rr": 1}}
    assert per_query(pl.Series(lists), pa.array(judged), ["rr"]) == {0: {"rr": 1 / 2}, 1: {"rr": 1}}
    assert per_query(queries, {"x": ["b"], "y": ["c"]}, ["rr"]) == {"x": {"rr": 1 / 2}, "y": {"rr": 1}}
    found = quietly(rm.evaluate, {"one": queries, "two": {"x": np.array(["b"])}}, {"x": ["b"], "y": ["c"]}, ["rr"])
    assert [row[:3] for row in found.summary.fetchall()] == [("one", "rr", 3 / 4), ("two", "rr", 1 / 2)]
    with pytest.raises(rm.UsageError, match="contains a query twice"):
        rm.evaluate(pd.Series(lists, index=["x", "x"]), judged, ["rr"])


@pytest.mark.parametrize("number", NUMBERS)
def test_scores_and_grades(number):
    run = {"q": {"a": number(2), "b": number(1), np.str_("c"): number(3)}}
    assert per_query(run, {"q": {"a": number(1)}}, ["rr"]) == {"q": {"rr": 1 / 2}}
    assert per_query(run, {np.str_("q"): {"b": {"t": number(1)}}}, ["rr"]) == {"q": {"rr": 1 / 3}}


GRADES = {
    "numpy": np.array([[0, 1], [2, 0]]),
    "floats": [np.array([0.0, 1.0]), np.array([2.0, 0.0])],
    "series": pd.Series([[0, 1], [2, 0]]),
    "column": pd.DataFrame({"grades": [np.array([0, 1]), np.array([2, 0])]})["grades"],
    "polars": {"x": pl.Series([0, 1]), "y": pl.Series([2, None])},
    "missing": {"x": pd.Series([pd.NA, 1], dtype="Int64", index=["i", "j"]), "y": array.array("d", [2, 0])},
}


@pytest.mark.parametrize("data", GRADES.values(), ids=GRADES)
def test_lists_of_grades(data):
    assert quietly(rm.labelled, data, ["rr"])["rr"] == 3 / 4


@pytest.mark.parametrize("queries", [np.array(["x"]), pd.Series(["x"], index=["i"]), pl.Series(["x"])])
def test_lists_of_queries(queries):
    assert set(per_query({"x": ["a"], "y": ["a"]}, {"x": ["a"], "y": ["a"]}, ["rr"], query_list=queries)) == {"x"}


def test_comparisons_of_arrays():
    result = quietly(rm.compare, np.array([["a", "b"]]), {"new": np.array([["b", "a"]])}, [["b"]], ["rr"])
    assert [row["effect_size"] for row in result.summary.dicts()] == [1 / 2]
    assert quietly(rm.compare, [["a", "b"]], np.array([["b", "a"]]), [["b"]], ["rr"]).summary.dicts()[0]["run"]


@pytest.mark.parametrize("series", [pd.Series({"a": 0.5, "b": 0.7}), pd.Series({101: 1, 102: 0})])
def test_a_series_that_may_be_items_or_numbers_is_refused(series):
    with pytest.raises(rm.UsageError, match=r"run: a Series with an index .* \.tolist\(\) or \.to_dict\(\)"):
        rm.evaluate({"q": series}, {"q": ["a"]}, ["rr"])
    with pytest.raises(rm.UsageError, match=r"qrels: a Series with an index"):
        rm.evaluate({"q": ["a"]}, {"q": series}, ["rr"])


@pytest.mark.parametrize("item", [np.array([1, 2]), pd.NA, np.bytes_(b"a"), pd.Series([1])])
def test_what_is_no_id(item):
    with pytest.raises(rm.UsageError, match=r"must be text or a number|must have a list"):
        rm.evaluate({"q": [item, "b"]}, {"q": ["a"]}, ["rr"])


@pytest.mark.parametrize("role", ["run", "qrels"])
def test_the_size_that_is_known_is_the_one_that_duckdb_counts(role):
    value = {f"q{n}": {f"d{i}": float(i) for i in range(n)} for n in range(4)}  # the first one is empty
    engine = DuckDB()
    relation = Reader(engine).one(value, role)
    (counted,) = engine.run(f"SELECT COUNT(item_id), COUNT(DISTINCT query_id) FROM {relation.sql}")[1]
    assert relation.facts.size == counted
