"""Results whose reports may go wrong, and what each must say: little data, none, much of it, and other roads to it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import duckdb
import pandas

import rankmetrics_sql as rm

from ..conftest import quietly


def runs_of(n_queries: int, names: tuple[str, ...] = ("old", "new"), seed: int = 1) -> tuple[Any, Any]:
    """Runs that order items by chance, and judgments of most of them."""
    rng = random.Random(seed)
    qrels = {f"q{number}": {f"d{item}": rng.choice([0, 1, 2]) for item in range(4)} for number in range(n_queries)}
    return {
        name: {query: {item: rng.random() for item in [*own, "u"]} for query, own in qrels.items()} for name in names
    }, qrels


def _labelled() -> Any:
    rng = random.Random(3)
    rows = [
        {
            "query_id": f"q{number}",
            "item_id": f"d{item}",
            "score": rng.random(),
            "relevance": rng.choice([None, 0, 1, 2]),
        }
        for number in range(30)
        for item in range(5)
    ]
    return rm.evaluate(rm.labelled(pandas.DataFrame(rows)), metrics=["ndcg@5", "rr"])


def _arms() -> Any:
    shop = duckdb.connect()
    shop.execute("""
        CREATE TABLE impressions AS
        SELECT 'r' || n::VARCHAR AS request, 'i' || p::VARCHAR AS item, p AS position, ['old', 'new'][n % 2 + 1] AS arm
        FROM range(60) AS t(n), range(1, 6) AS u(p);
        CREATE TABLE events AS
        SELECT 'r' || n::VARCHAR AS request, 'i' || (1 + n * n % 5)::VARCHAR AS item, 'click' AS event_type
        FROM range(0, 60, 2) AS t(n) UNION ALL SELECT 'r1', 'i1', 'scroll'
    """)
    log = rm.events("impressions", "events", request="request", item="item", arm="arm")
    return rm.compare(log, metrics=["ndcg@5", "rr"], baseline="old", connection=shop)


def _searches() -> Any:
    rng = random.Random(7)
    texts = [
        None,
        "sofa",
        "Sofa",
        "lamp",
        "<b>desk</b>",
        "x" * 300,
        *(f"a search of many words, {n}" for n in range(9)),
    ]
    shown = [(n, item, item, "AB"[n % 2], texts[n % len(texts)]) for n in range(600) for item in range(1, 4)]
    columns = ["request_id", "item_id", "position", "arm", "query_text"]
    clicked = [(n, item, "click") for n, item, *_, text in shown if rng.random() < (0.1 if text == "sofa" else 0.4)]
    tables = pandas.DataFrame(shown, columns=columns), pandas.DataFrame(clicked, columns=[*columns[:2], "event_type"])
    return rm.compare(rm.events(*tables, arm="arm", text="query_text"), metrics=["ctr@3", "rr"], baseline="A")


def _of_nothing() -> Any:
    runs, qrels = runs_of(5)
    nothing = {query: dict.fromkeys(items, 0) for query, items in qrels.items()}
    return rm.evaluate(runs, nothing, ["ndcg", "ap"], zero_ideal="null")


def _segments() -> Any:
    runs, qrels = runs_of(12)
    data = [{"query_id": query, "market": [None, "de", ""][number % 3]} for number, query in enumerate(qrels)]
    return rm.evaluate(runs, qrels, ["ap"], by="market", query_list=pandas.DataFrame(data))


def _judged() -> Any:
    runs, qrels = runs_of(30)
    rng = random.Random(5)
    grades = [
        {"query_id": query, "item_id": item, "judge": judge, "relevance": max(0, grade - rng.choice([0, 0, 1]))}
        for query, items in qrels.items()
        for item, grade in items.items()
        for judge in ("a model with a long name", "<b>people</b>", "another model", "rules")
    ]
    return rm.compare(runs, pandas.DataFrame(grades), ["ndcg@5", "ap"], judge="judge")


def _evaluated(n_queries: int, metrics: list[str], names: tuple[str, ...] = ("old", "new")) -> Any:
    runs, qrels = runs_of(n_queries, names)
    return rm.evaluate(runs if len(names) > 1 else runs[names[0]], qrels, metrics)


# For each report the result that it is of, and what its page says.
REPORTS: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "a labelled table": (_labelled, ["Queries with the worst values", "Lists of the worst queries"]),
    "a log with arms": (_arms, ["Rows that were used or set aside", "other action"]),
    "a log with search texts": (_searches, ["sofa loses clicks most clearly", "All arms count together"]),
    "no value": (_of_nothing, ["No query has a value for ndcg."]),
    "one query": (
        lambda: _evaluated(1, ["ap"]),
        ["Too few queries changed (0 of 1) to say whether new is better or worse than old in ap: both values"],
    ),
    "one run of one query": (lambda: _evaluated(1, ["ap"], ("only",)), ["ap is ", "Lists of the worst queries"]),
    "500 metrics": (
        lambda: _evaluated(12, [f"ndcg@{k}" for k in range(1, 501)]),
        ["500 differences from the baseline", "Charts show the first 4 of 500 metrics"],
    ),
    "ten runs": (
        lambda: _evaluated(40, ["ndcg@5", "ap"], tuple(f"run{n}" for n in range(10))),
        ["9 runs against run0"],
    ),
    "segments of NULL": (_segments, ["(NULL)", "(empty)", "Values in segments"]),
    "four judges": (_judged, ["Agreement of the judges", "of 4 judges", "who agree least", "Gwet's AC1"]),
    "12,000 queries": (
        lambda: _evaluated(12_000, ["rr"]),
        ["The 5,000 largest of 12,000 changes. The histograms below count all of them."],
    ),
    "12,000 queries of one run": (
        lambda: _evaluated(12_000, ["rr"], ("only",)),
        ["The 5,000 worst of 12,000 values. The charts below count all.", "Lists of the worst queries"],
    ),
}


def written(name: str, folder: Any) -> Any:
    """The page of a report, in a folder."""
    path = folder / f"{name.replace(' ', '_').replace(',', '')}.html"
    quietly(quietly(REPORTS[name][0]).report, path)
    return path
