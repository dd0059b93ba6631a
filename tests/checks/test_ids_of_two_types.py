"""A run that names queries and items by text, judgments by whole numbers: '007' and 7 are one where a text is run."""

from __future__ import annotations

import random
import re

import duckdb
import pytest

import rankmetrics_sql as rm

from ..conftest import fill, quietly
from ..everything import seeds
from ..oracles import brute

METRICS = ("ndcg", "ndcg@3", "rr", "ap", "p@2", "r@3")


def lists(seed: int):
    """Runs with ties and scores that are NULL, a query that is not judged, and judgments of one without a list."""
    chance = random.Random(seed)
    items = [f"{number:03}" for number in range(12)]
    run = {
        f"{query:03}": {item: chance.choice([None, 1.0, 2.0, 3.0]) for item in chance.sample(items, 8)}
        for query in range(1, 6)
    }
    qrels = {
        f"{query:03}": {item: chance.randrange(-1, 4) for item in chance.sample(items, 5)} for query in range(2, 8)
    }
    return run, qrels


@pytest.mark.parametrize("strategy", ["window", "count"])
@pytest.mark.parametrize("seed", seeds(6, 2))
def test_a_query_named_by_both_types_is_one(seed, strategy):
    run, qrels = lists(seed)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE runs (query_id TEXT, item_id TEXT, score DOUBLE)")
        connection.execute("CREATE TABLE labels (query_id INTEGER, item_id INTEGER, relevance INTEGER)")
        rows = [(query, item, score) for query, scores in run.items() for item, score in scores.items()]
        fill(connection, "runs", [*rows, (None, "003", 4.0)])
        fill(
            connection,
            "labels",
            [(int(q), int(item), grade) for q, of_q in qrels.items() for item, grade in of_q.items()],
        )
        text = rm.sql(METRICS, "runs", "labels", level="per_query", strategy=strategy)
        found = {f"{query:03}": values for query, *values in connection.execute(text).fetchall()}
    last = {q: {item: -1.0 if score is None else score for item, score in of_q.items()} for q, of_q in run.items()}
    for place, metric in enumerate(METRICS):
        name, _, k = metric.partition("@")
        expected = brute.per_query(last, qrels, name, {"k": int(k)} if k else {})
        assert {query: values[place] for query, values in found.items()} == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "types", [("BIGINT", "DOUBLE"), ("DOUBLE", "BIGINT"), ("INTEGER", "FLOAT"), ("BIGINT", "DECIMAL(9, 2)")]
)
@pytest.mark.parametrize("meaning", ["item_id", "query_id"])
@pytest.mark.parametrize("other", ["20", "20.5", "NULL"])
def test_the_cast_of_numbers_works_when_typed(types, meaning, other):
    """Those that are not whole have no text in common with those that are: 20 and 20.0."""
    with duckdb.connect() as connection:
        for table, type_, last in (("runs", types[0], "score"), ("labels", types[1], "relevance")):
            ids = {"query_id": "1", "item_id": "1", meaning: f"CAST(i AS {type_})"}
            more = (
                f" UNION ALL SELECT * REPLACE (CAST({other} AS {type_}) AS {meaning}) FROM {{}}" if "." in other else ""
            )
            connection.execute(
                f"CREATE TABLE {table} AS SELECT {ids['query_id']} AS query_id, {ids['item_id']} AS item_id,"
                f" 1 AS {last} FROM range(20, 22) r(i)"
            )
            if more and type_ not in ("BIGINT", "INTEGER"):
                connection.execute(f"INSERT INTO {table} {more[11:].format(f'(FROM {table} LIMIT 1)')}")
        with pytest.raises(rm.DataError) as refused:
            rm.evaluate("runs", "labels", "rr", connection=connection)
        columns = eval(re.search(r"columns=(\{.*?\}) compares", str(refused.value))[1])
        found = quietly(rm.evaluate, "runs", "labels", ["num_rel_ret"], connection=connection, columns=columns)
        assert found["num_rel_ret"] == 2
