"""One tool on one shape, as a process of its own: ``contestants.py TOOL RUN QRELS`` prints its figures as JSON.

The figures are ``values``, in the order of METRICS or by the name of the metric, and ``second``: the seconds of one
evaluation more from what is loaded. The second of all is in the same process as the first, after it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

METRICS = {
    "rankmetrics": ["nDCG@10", "AP", "RR", "P@10", "R@100"],
    "pytrec_eval": ["ndcg_cut_10", "map", "recip_rank", "P_10", "recall_100"],
    "ranx": ["ndcg@10", "map", "mrr", "precision@10", "recall@100"],
}
Figures = dict[str, Any]

BY_HAND = """WITH ranked AS (
    SELECT query_id, item_id, ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY score DESC, item_id DESC) AS rnk
    FROM '{run}'
),
hits AS (
    SELECT query_id, rnk, relevance,
        ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY rnk) AS n_so_far
    FROM ranked JOIN '{qrels}' USING (query_id, item_id)
    WHERE relevance > 0
),
ideal AS (
    SELECT query_id, relevance, ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY relevance DESC) AS rnk
    FROM '{qrels}'
    WHERE relevance > 0
),
judged AS (
    SELECT query_id, COUNT(*) AS n_relevant, SUM(relevance / LOG2(rnk + 1)) FILTER (WHERE rnk <= 10) AS idcg
    FROM ideal
    GROUP BY query_id
),
per_query AS (
    SELECT query_id,
        SUM(relevance / LOG2(rnk + 1)) FILTER (WHERE rnk <= 10) AS dcg,
        SUM(n_so_far / rnk) AS precisions,
        1 / MIN(rnk) AS rr,
        COUNT(*) FILTER (WHERE rnk <= 10) AS n_10,
        COUNT(*) FILTER (WHERE rnk <= 100) AS n_100
    FROM hits
    GROUP BY query_id
)
SELECT AVG(COALESCE(dcg / idcg, 0)), AVG(COALESCE(precisions / n_relevant, 0)), AVG(COALESCE(rr, 0)),
    AVG(COALESCE(n_10, 0) / 10), AVG(COALESCE(n_100, 0) / n_relevant)
FROM judged LEFT JOIN per_query USING (query_id)"""


def floor(run: str, qrels: str) -> Figures:
    """Do the least that any SQL must do: join run and judgments, and count per query."""
    import duckdb

    sql = f"""SELECT AVG(n), COUNT(*) FROM (
        SELECT query_id, COUNT(*) AS n FROM '{run}' AS r JOIN '{qrels}' AS q USING (query_id, item_id) GROUP BY query_id
    )"""
    duckdb.sql(sql).fetchall()
    return {}


def group_by(run: str, _qrels: str) -> Figures:
    """Find duplicates in plain SQL."""
    import duckdb

    sql = f"SELECT query_id, item_id, COUNT(*) FROM '{run}' GROUP BY query_id, item_id HAVING COUNT(*) > 1"
    duckdb.sql(sql).fetchall()
    return {}


def by_hand(run: str, qrels: str) -> Figures:
    """Compute the metrics as an analyst writes them for these files: no duplicates, no NULLs, every query judged."""
    import duckdb

    return twice(lambda: duckdb.sql(BY_HAND.format(run=run, qrels=qrels)).fetchall()[0])


def rankmetrics_tables(run: str, qrels: str) -> Figures:
    """Run this package in Python, from tables of DuckDB."""
    import duckdb

    connection = duckdb.connect()
    for name, file in (("run", run), ("qrels", qrels)):
        connection.execute(f"CREATE TABLE {name} AS FROM '{file}'")
    return in_python("run", "qrels", connection)


def rankmetrics_parquet(run: str, qrels: str) -> Figures:
    """Run this package in Python, from the files."""
    import duckdb

    return in_python(run, qrels, duckdb.connect())


def in_python(run: str, qrels: str, connection: Any) -> Figures:
    """Call the API twice."""
    import rankmetrics_sql as rm

    def once() -> list[float]:
        result = rm.evaluate(run, qrels, METRICS["rankmetrics"], connection=connection)
        return [result[name] for name in METRICS["rankmetrics"]]

    return twice(once)


def pytrec_eval(run: str, qrels: str) -> Figures:
    """Run pytrec_eval, from Parquet by way of dictionaries."""
    import pytrec_eval as tool

    judgments = {
        query: {item: int(grade) for item, grade in items.items()}
        for query, items in _nested(qrels, "relevance").items()
    }
    retrieved = _nested(run, "score")
    evaluator = tool.RelevanceEvaluator(judgments, {"ndcg_cut.10", "map", "recip_rank", "P.10", "recall.100"})

    def once() -> list[float]:
        per_query = evaluator.evaluate(retrieved).values()
        return [sum(values[name] for values in per_query) / len(judgments) for name in METRICS["pytrec_eval"]]

    return twice(once)


def ir_measures(run: str, qrels: str) -> Figures:
    """Run ir_measures, from data frames."""
    import ir_measures as tool
    import pandas

    frames = [pandas.read_parquet(path).rename(columns={"item_id": "doc_id"}) for path in (qrels, run)]
    measures = [tool.parse_measure(name) for name in METRICS["rankmetrics"]]

    def once() -> list[float]:
        means = tool.calc_aggregate(measures, *frames)
        return [means[measure] for measure in measures]

    return twice(once)


def ranx(run: str, qrels: str) -> Figures:
    """Run ranx, from Parquet; it compiles during the first evaluation."""
    import pandas
    from ranx import Qrels, Run, evaluate

    columns = {"q_id_col": "query_id", "doc_id_col": "item_id"}
    text = {"query_id": object, "item_id": object}
    judged = Qrels.from_df(
        pandas.read_parquet(qrels).astype(text | {"relevance": "int64"}), score_col="relevance", **columns
    )
    retrieved = Run.from_df(pandas.read_parquet(run).astype(text), score_col="score", **columns)

    def once() -> list[float]:
        means = evaluate(judged, retrieved, METRICS["ranx"], make_comparable=True)
        return [float(means[name]) for name in METRICS["ranx"]]

    return twice(once)


def spark(run: str, qrels: str) -> Figures:
    """Run RankingMetrics of Spark, from Parquet by way of lists; it has three of the metrics as we define them."""
    from pyspark import SparkContext
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import SparkSession

    settings = {"spark.driver.memory": "4g", "spark.ui.enabled": "false", "spark.log.level": "ERROR"}
    builder = SparkSession.builder.master("local[*]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.read.parquet(run).createOrReplaceTempView("run")
    session.read.parquet(qrels).createOrReplaceTempView("qrels")
    lists = session.sql(
        """SELECT COALESCE(r.items, ARRAY()) AS items, q.labels FROM (
            SELECT query_id, COLLECT_LIST(item_id) AS labels FROM qrels WHERE relevance > 0 GROUP BY query_id
        ) AS q LEFT JOIN (
            SELECT query_id, TRANSFORM(
                SORT_ARRAY(COLLECT_LIST(STRUCT(score, item_id)), false), listed -> listed.item_id
            ) AS items
            FROM run GROUP BY query_id
        ) AS r ON r.query_id = q.query_id"""
    )
    pairs = lists.rdd.map(tuple).cache()

    def once() -> dict[str, float]:
        metrics = RankingMetrics(pairs)
        return {"AP": metrics.meanAveragePrecision, "P@10": metrics.precisionAt(10), "R@100": metrics.recallAt(100)}

    figures = twice(once)
    machine = SparkContext._gateway.proc
    session.stop()
    SparkContext._gateway.shutdown()
    machine.stdin.close()
    machine.wait()  # so that its memory counts
    return figures


def twice(evaluate: Callable[[], Sequence[float] | dict[str, float]]) -> Figures:
    """Return the values, and the seconds of a second evaluation."""
    values = evaluate()
    start = time.perf_counter()
    evaluate()
    second = time.perf_counter() - start
    values_by_metric = values if isinstance(values, dict) else dict(zip(METRICS["rankmetrics"], values, strict=True))
    return {"values": values_by_metric, "second": second}


def _nested(path: str, value: str) -> dict[str, dict[str, Any]]:
    import duckdb

    columns = duckdb.sql(f"SELECT query_id, item_id, {value} FROM '{path}'").fetchnumpy()
    nested: dict[str, dict[str, Any]] = {}
    for query, item, number in zip(columns["query_id"], columns["item_id"], columns[value].tolist(), strict=True):
        nested.setdefault(query, {})[item] = number
    return nested


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](sys.argv[2], sys.argv[3])))
