"""One tool on one shape, as a process of its own: ``contestants.py TOOL RUN QRELS`` prints its figures as JSON."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

METRICS = {
    "pytrec_eval": ["ndcg_cut_10", "map", "recip_rank", "P_10", "recall_100"],
    "ir_measures": ["nDCG@10", "AP", "RR", "P@10", "R@100"],
    "ranx": ["ndcg@10", "map", "mrr", "precision@10", "recall@100"],
}


def floor(run: str, qrels: str) -> dict[str, Any]:
    """The least that any SQL must do: join run and judgments, and count per query."""
    import duckdb

    sql = f"""SELECT AVG(n), COUNT(*) FROM (
        SELECT query_id, COUNT(*) AS n FROM '{run}' AS r JOIN '{qrels}' AS q USING (query_id, item_id) GROUP BY query_id
    )"""
    return {"values": duckdb.sql(sql).fetchall()}


def group_by(run: str, _qrels: str) -> dict[str, Any]:
    """What finding duplicates costs in plain SQL."""
    import duckdb

    sql = f"SELECT query_id, item_id, COUNT(*) FROM '{run}' GROUP BY query_id, item_id HAVING COUNT(*) > 1"
    return {"values": duckdb.sql(sql).fetchall()}


def pytrec_eval(run: str, qrels: str) -> dict[str, Any]:
    """pytrec_eval, from Parquet by way of dictionaries."""
    import pytrec_eval as tool

    judgments = {
        query: {item: int(grade) for item, grade in items.items()}
        for query, items in _nested(qrels, "relevance").items()
    }
    evaluator = tool.RelevanceEvaluator(judgments, {"ndcg_cut.10", "map", "recip_rank", "P.10", "recall.100"})
    per_query = evaluator.evaluate(_nested(run, "score"))
    return {
        "values": [
            sum(values[name] for values in per_query.values()) / len(judgments) for name in METRICS["pytrec_eval"]
        ]
    }


def ir_measures(run: str, qrels: str) -> dict[str, Any]:
    """ir_measures, from data frames."""
    import ir_measures as tool
    import pandas

    frames = [pandas.read_parquet(path).rename(columns={"item_id": "doc_id"}) for path in (qrels, run)]
    measures = [tool.parse_measure(name) for name in METRICS["ir_measures"]]
    found = tool.calc_aggregate(measures, *frames)
    return {"values": [found[measure] for measure in measures]}


def ranx(run: str, qrels: str) -> dict[str, Any]:
    """ranx, from Parquet; its compiler works during the first evaluation, so a second one is timed too."""
    import pandas
    from ranx import Qrels, Run, evaluate

    columns = {"q_id_col": "query_id", "doc_id_col": "item_id"}
    text = {"query_id": object, "item_id": object}
    judged = Qrels.from_df(
        pandas.read_parquet(qrels).astype(text | {"relevance": "int64"}), score_col="relevance", **columns
    )
    retrieved = Run.from_df(pandas.read_parquet(run).astype(text), score_col="score", **columns)
    evaluate(judged, retrieved, METRICS["ranx"], make_comparable=True)
    start = time.perf_counter()
    found = evaluate(judged, retrieved, METRICS["ranx"], make_comparable=True)
    return {"values": [float(found[name]) for name in METRICS["ranx"]], "second": time.perf_counter() - start}


def _nested(path: str, value: str) -> dict[str, dict[str, Any]]:
    import duckdb

    columns = duckdb.sql(f"SELECT query_id, item_id, {value} FROM '{path}'").fetchnumpy()
    nested: dict[str, dict[str, Any]] = {}
    for query, item, number in zip(columns["query_id"], columns["item_id"], columns[value].tolist(), strict=True):
        nested.setdefault(query, {})[item] = number
    return nested


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](sys.argv[2], sys.argv[3])))
