"""A run that names queries and items by text, judgments by whole numbers: '007' and 7 are one where a text is run."""

from __future__ import annotations

import ast
import random
import re
import sqlite3
from contextlib import closing

import duckdb
import pandas as pd
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


UPLOADED = [("q1", 1, 3.0), ("q1", 2, 2.0), ("q2", 7, 1.0)]


@pytest.fixture
def warehouse():
    """SQLite with judgments whose items are numbers, the same as text, and the statements that it gets."""
    with closing(sqlite3.connect(":memory:", check_same_thread=False)) as connection:
        connection.execute("CREATE TABLE numbers (query_id TEXT, item_id INTEGER, relevance INTEGER)")
        connection.executemany("INSERT INTO numbers VALUES (?, ?, 1)", [row[:2] for row in UPLOADED])
        connection.execute(
            "CREATE TABLE texts AS SELECT query_id, CAST(item_id AS TEXT) AS item_id, 1 AS relevance FROM numbers"
        )
        statements = []
        connection.set_trace_callback(statements.append)
        yield rm.connect(connection, materialize="temp"), statements


@pytest.mark.parametrize(
    ("is_file", "labels", "other_side"),
    [
        (True, "numbers", {"run.item_id": "CAST(item_id AS BIGINT)"}),
        (False, "texts", {"qrels.item_id": "CAST(item_id AS INTEGER)"}),
    ],
    ids=["file", "frame"],
)
def test_types_are_compared_before_an_upload_and_either_side_can_be_cast(
    warehouse, tmp_path, is_file, labels, other_side
):
    connection, statements = warehouse
    run = frame = pd.DataFrame(UPLOADED, columns=["query_id", "item_id", "score"])
    if is_file:
        run = tmp_path / "run.csv"
        frame.to_csv(run, index=False)
    with pytest.raises(
        rm.DataError, match=r"^item_id is .* compares them as text\. Ids in files are text\.$"
    ) as refused:
        rm.evaluate(run, labels, "num_rel_ret", connection=connection)
    assert not [sql for sql in statements if sql.startswith(("CREATE", "INSERT"))]
    said = ast.literal_eval(re.search(r"columns=(\{.*?\}) compares", str(refused.value))[1])
    assert said.keys() != other_side.keys()
    for columns in (said, other_side):
        found = quietly(rm.evaluate, run, labels, "num_rel_ret", connection=connection, columns=columns)
        assert found["num_rel_ret"] == 3


def test_a_cast_of_one_side_beside_text_stays_text(tmp_path):
    """As that of 007, which is 7 in the judgments."""
    for name, item, value in (("run", "007", "score"), ("qrels", "7", "relevance")):
        (tmp_path / name).with_suffix(".csv").write_text(f"query_id,item_id,{value}\nq,{item},1\n")
    inputs = [tmp_path / "run.csv", tmp_path / "qrels.csv"]
    columns = {"run.item_id": "CAST(item_id AS BIGINT)"}
    assert quietly(rm.evaluate, *inputs, "num_rel_ret", columns=columns)["num_rel_ret"] == 1
