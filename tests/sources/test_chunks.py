"""Chunks of documents, scored as documents: an expression for the item, and duplicates=first, on every road."""

from __future__ import annotations

import duckdb
import pytest

import rankmetrics_sql as rm

CHUNKS = [
    *[("q", "a#1", 1), ("q", "a#2", 2), ("q", "b#9", 3), ("q", "c", 4)],
    *[("r", "d#1", 2), ("r", "e#1", 1), ("r", "d#2", 3), ("r", "e#2", 4), ("r", "f#1", 5)],
]
GRADES = [("q", "b", 1), ("q", "c", 2), ("r", "f", 1)]
ITEM = "SPLIT_PART(chunk, '#', 1)"


def brute():
    """The reciprocal rank, and the number of documents, of each question: chunks in order, each document once."""
    found = {}
    for question in ("q", "r"):
        order = [
            chunk.partition("#")[0] for asked, chunk, _ in sorted(CHUNKS, key=lambda row: row[2]) if asked == question
        ]
        documents = list(dict.fromkeys(order))
        relevant = {document for asked, document, _ in GRADES if asked == question}
        found[question] = (
            1 / next(rank for rank, document in enumerate(documents, 1) if document in relevant),
            len(documents),
        )
    return found


@pytest.fixture
def shop(tmp_path):
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE chunks (question TEXT, chunk TEXT, place INTEGER, score DOUBLE)")
        connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?)", [(*row, 1 / row[2]) for row in CHUNKS])
        connection.execute("CREATE TABLE grades (question TEXT, document TEXT, grade INTEGER)")
        connection.executemany("INSERT INTO grades VALUES (?, ?, ?)", GRADES)
        for table in ("chunks", "grades"):
            for ending in ("parquet", "csv"):
                connection.execute(f"COPY {table} TO '{tmp_path / table}.{ending}'")
        yield connection


@pytest.mark.parametrize("order", ["score", "position"])
def test_documents_count_once_on_every_road(order, shop, tmp_path, cli):
    by = {"score": "score"} if order == "score" else {"position": "place"}
    columns = {"query": "question", "run.item": ITEM, "qrels.item": "document", "relevance": "grade", **by}
    metrics, given = ["rr", "num_ret"], {"columns": columns, "duplicates": "first"}
    found = rm.evaluate("chunks", "grades", metrics, connection=shop, **given)
    assert {query: tuple(values) for query, *values in found.per_query} == brute()
    text = rm.sql(metrics, "chunks", "grades", level="per_query", **given)
    assert {query: tuple(values) for query, *values in shop.execute(text).fetchall()} == brute()
    named = ",".join(f"{name}={column}" for name, column in columns.items() if "(" not in column)
    for ending in ("parquet", "csv"):
        files = (f"{tmp_path / 'chunks'}.{ending}", "--qrels", f"{tmp_path / 'grades'}.{ending}")
        options = ("--columns", named, "--columns", f"run.item={ITEM}", "--set", "duplicates=first")
        shown = cli("evaluate", *files, *options, "-m", "rr", "-m", "num_ret", "-q", "--format", "csv").stdout
        rows = [line.split(",") for line in shown.splitlines()[1:]]
        values = {(query, metric): float(value) for _, query, metric, value in rows}
        for query, expected in brute().items():
            assert (values[query, "rr"], values[query, "num_ret"]) == pytest.approx(expected)
