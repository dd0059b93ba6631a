"""Where every metric has a cutoff, engines stop numbering a list there: seen in their plans, and not in the numbers."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.checks import sizes
from rankmetrics_sql.definitions import catalogue
from rankmetrics_sql.dialects.known import check_dialect
from rankmetrics_sql.plan import Plan

from ..conftest import quietly
from ..everything import mostly_long, seeds

IDS = {"query_id": "text", "item_id": "text"}
# What says so: PostgreSQL ends a window at its run condition, Spark keeps the first of each group before it sorts all,
# ClickHouse sorts what reaches the k-th score.
LIMITED = {
    "postgres": r"Run Condition: \(row_number\(\) OVER .* <= 10\)",
    "spark": r"WindowGroupLimit \[query_id.*\], \[score.*\], row_number\(\), 10",
    "clickhouse": r"Sort description: query_id ASC, .*score.*\n.*Filter .*\n.* >= arrayElementOrNull\(.*Sort\(10, ",
}


def planned(engine, metric):
    """What an engine makes of the statement of a metric."""
    engine.load("runs", IDS | {"score": "double"}, [("q1", "a", 0.5), ("q1", "b", 0.4), ("q2", "a", 0.3)])
    engine.load("labels", IDS | {"relevance": "double"}, [("q1", "a", 1.0), ("q2", "b", 1.0)])
    text = rm.sql(metric, "runs", "labels", dialect=engine.dialects[0], header=False)
    return "\n".join(str(row[0]) for row in engine.fetch(f"EXPLAIN {text}")[1])


@pytest.mark.parametrize("name", ["postgres-18", "spark", "clickhouse"])
@pytest.mark.parametrize(("metric", "limited"), [("ndcg@10", True), ("ndcg", False)])
def test_the_window_ends_at_the_cutoff(start_engine, name, metric, limited):
    engine = start_engine(name)
    plan = planned(engine, metric)
    assert bool(re.search(LIMITED[engine.dialects[0]], plan)) == limited, plan


@pytest.mark.parametrize(
    ("dialect", "run", "selected"),
    [
        ("duckdb", "runs", True),
        ("duckdb", "SELECT query_id, item_id, random() AS score FROM runs", True),
        ("clickhouse", "runs", True),
        ("clickhouse", "SELECT query_id, item_id, rand() AS score FROM runs", False),
        ("trino", "runs", False),
        ("bigquery", "runs", False),
    ],
)
def test_a_query_runs_once(dialect, run, selected):
    """The k-th score is of the same rows that are compared with it, or is not asked for."""
    assert ("rankmetrics_kth_scores" in rm.sql("p@10", run, "labels", dialect=dialect)) == selected


def numbered(metric: str, **options: object) -> list[int]:
    """How many rows each ROW_NUMBER of a statement in DuckDB sees, of the run and of the judgments."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE runs AS SELECT q AS query_id, i AS item_id, hash(q * 1000 + i) % 1000 AS score"
            " FROM range(50) AS queries(q), range(1000) AS items(i)"
        )
        judged = "SELECT query_id, item_id, 1 AS relevance FROM runs WHERE item_id < 3"
        connection.execute(f"CREATE TABLE labels AS {judged}")
        text = rm.sql(metric, "runs", "labels", header=False, **options)
        [[_, plan]] = connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {text}").fetchall()
    return [step["intermediate_rows"] for step in steps(json.loads(plan)["operator"]) if "WINDOW" in step["type"]]


def steps(plan: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for step in plan:
        yield step
        yield from steps(step.get("children", []))


@pytest.mark.parametrize(
    ("metric", "options", "whole"),
    [
        ("p@10", {}, False),
        ("rr", {"depth": 10}, False),
        ("p@100", {}, False),
        ("p@101", {}, True),  # more scores than an aggregate should hold for every list
        ("rr", {}, True),
        ("p@10", {"precision_denominator": "min_k_retrieved"}, False),
        ("p@10", {"unjudged": "drop"}, True),
        ("p@10", {"judgments": "retrieved"}, True),
        ("p@10", {"ties": "expected"}, False),
    ],
)
def test_duckdb_sorts_only_what_reaches_the_cutoff(metric, options, whole):
    most = max(numbered(metric, **options))
    assert (most == 50_000) == whole


@pytest.mark.parametrize(
    ("metric", "n_items", "n_judged", "n_missed", "counted"),
    [
        ("ap", 50, 2, 0, True),
        ("ap", 50, 5, 0, True),  # 1.7 * 50 ** 0.3 = 5.5
        ("ap", 50, 6, 0, False),
        ("ap", 50, 5, 45, True),  # what is judged and not retrieved costs nothing
        ("ap", 5, 2, 0, True),
        ("ap", 5, 3, 0, False),
        ("ap@10", 50, 1, 0, True),  # ten items of a list have to be sorted: up to 5.5 * (10 / 50) ** 0.7 = 1.8
        ("ap@10", 50, 2, 0, False),
        ("ap(k=10)", 50, 2, 0, False),
        ("ap@10", 50, 1, 9, True),
        ("ap@1", 50, 1, 0, False),  # 0.4
        ("r@101", 50, 2, 0, True),
    ],
)
def test_lists_with_few_judged_items_are_counted(metric, n_items, n_judged, n_missed, counted):
    run = {f"q{query}": {f"d{item}": -item for item in range(n_items)} for query in range(100)}
    judged = [*range(n_judged), *range(1000, 1000 + n_missed)]
    result = quietly(rm.evaluate, run, {query: {f"d{item}": 1 for item in judged} for query in run}, [metric])
    assert ("rankmetrics_found" in result.sql) == counted


@pytest.mark.parametrize(
    ("n_items", "n_judged", "counted"),
    [
        (2000, 60, False),  # 120,000 comparisons of 121,000 are this list's
        (2000, 50, True),  # so few are compared in no time, however long the list
        (5, 60, True),  # most of its judgments meet nothing
    ],
)
def test_one_long_list_with_many_judged_items_is_not_counted(n_items, n_judged, counted):
    run = {f"q{query}": {f"d{item}": -item for item in range(5)} for query in range(200)}
    qrels = {query: {"d1": 1} for query in run}
    run["hot"] = {f"d{item}": -item for item in range(n_items)}
    qrels["hot"] = {f"d{item}": 1 for item in range(n_judged)}
    result = quietly(rm.evaluate, run, qrels, ["ap"])
    assert ("rankmetrics_found" in result.sql) == counted


SCORES = (None, 0.5, 1.0, 2.0, math.inf, -1e300, math.nan)
PLACES = (None, 1.0, 2.0, 3.0, math.inf, math.nan)
ASKED = (
    (["ndcg@3", "p@5"], {}),
    (["ndcg@3", "p@5"], {"columns": {"position": "place"}}),
    (["rr@2", "p@4"], {"columns": {"score": "score", "position": "place"}, "ties": "rank"}),
    (["ndcg@3"], {"ties": "best"}),
    (["ndcg@3"], {"ties": "worst"}),
    (["rr@2"], {"ties": "expected"}),
    (["ap@10"], {"ties": "item_asc"}),
    (["p@1"], {"score_type": "float32"}),
)


def ranked_at_random(seed: int) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The rows of a run and of judgments: lists shorter and longer than the cutoffs, with ties, NULL and NaN."""
    rng = random.Random(seed)
    lists = {f"q{query}": rng.choice([1, 2, 5, 30, 300]) for query in range(rng.choice([1, 3, 20]))}
    runs = [
        (query, f"d{item}", rng.choice([*SCORES, rng.random()]), rng.choice([*PLACES, float(item + 1)]))
        for query, length in lists.items()
        for item in range(length)
    ]
    judged = [(query, item, float(rng.randrange(4))) for query, item, *_ in runs if rng.random() < 0.5]
    return runs, [*judged, ("q0", "missed", 1.0)]


@pytest.mark.parametrize("seed", seeds(12))
@pytest.mark.parametrize("name", mostly_long(["duckdb", "clickhouse", "datafusion"], "duckdb"))
def test_no_rewrite_changes_a_number(monkeypatch, start_engine, name, seed):
    """By the k-th score, by rank, and with a metric beside them that looks at every rank, so that nothing is cut."""
    engine = start_engine(name)
    runs, labels = ranked_at_random(seed)
    engine.load("runs", IDS | {"score": "double", "place": "double"}, runs)
    engine.load("labels", IDS | {"relevance": "double"}, labels)
    request = Plan._request
    for metrics, options in ASKED:
        given = {"level": "per_query", "header": False, "dialect": name} | options
        found = []
        for selects_kth in (True, False) if check_dialect(name).selects_kth else (False,):
            monkeypatch.setattr(Plan, "_request", lambda *of, kth=selects_kth: request(*of) | {"selects_kth": kth})
            cut, whole = (rm.sql(asked, "runs", "labels", **given) for asked in (metrics, [*metrics, "ap"]))
            assert ("kth_scores" in cut, "kth_scores" in whole) == (selects_kth, False)
            found += [engine.fetch(cut)[1], engine.fetch(whole)[1]]
            if name == "duckdb":  # which makes an aggregate of a filtered window: its 1.5 had errors
                engine.fetch("SET disabled_optimizers = 'top_n,top_n_window_elimination'")
                found.append(engine.fetch(cut)[1])
                engine.fetch("RESET disabled_optimizers")
        wanted, *others = ({row[0]: row[1 : len(metrics) + 1] for row in sorted(rows)} for rows in found)
        for other in others:
            assert other.keys() == wanted.keys()
            for query, values in wanted.items():
                assert other[query] == pytest.approx(values, abs=1e-12), (metrics, options, query)


@cache
def cut_metrics():
    """Every metric with a cutoff, as it is and with each value of its parameters and options."""
    found = []
    for metric in catalogue.metrics().values():
        if not (metric.takes_k and metric.of_grades):
            continue
        values = {name: param.values for name, param in metric.params.items()}
        values |= {name: catalogue.options()[name].values for name in metric.options}
        pairs = [
            f"{name}={value}"
            for name, every in values.items()
            for value in every
            if name != "ties" and value != "error"
        ]
        found += [
            f"{metric.name}(k=3{''.join(f',{pair}' for pair in some)})" for some in ([], *([pair] for pair in pairs))
        ]
    return found


@pytest.mark.long
@pytest.mark.parametrize("selects_kth", [True, False])
def test_counting_which_sees_whole_lists_gives_the_same(monkeypatch, selects_kth):
    request = Plan._request
    monkeypatch.setattr(Plan, "_request", lambda *of: request(*of) | {"selects_kth": selects_kth})
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE runs AS SELECT 'q' || q AS query_id, 'd' || i AS item_id, hash(q * 100 + i) % 9 AS score"
            " FROM range(12) AS queries(q), range(15) AS items(i) WHERE i < 2 + q"
        )
        connection.execute(
            "CREATE TABLE labels AS SELECT query_id, item_id, hash(item_id, query_id) % 4 AS relevance FROM runs"
            " WHERE hash(query_id, item_id) % 3 > 0 UNION ALL SELECT query_id, 'missed', 3 FROM runs GROUP BY query_id"
        )
        assert len(cut_metrics()) > 100
        cut = 0
        for metric in cut_metrics():
            given = {"level": "per_query", "header": False}
            given |= {} if "collection_size" in metric or "err_max" in metric else {"err_max": 4}
            texts = [rm.sql([metric], "runs", "labels", strategy=plan, **given) for plan in ("window", "count")]
            cut += ("kth_scores" if selects_kth else "p.place <= 3") in texts[0]
            ours, theirs = (connection.execute(text).fetchall() for text in texts)
            assert [row[0] for row in ours] == [row[0] for row in theirs]
            assert [row[1] for row in ours] == pytest.approx([row[1] for row in theirs], abs=1e-12), metric
        assert cut > len(cut_metrics()) / 2


GAINS = ("", ",gain=exp2", ",gain=binary", ",gain={1:2,2:-3,3:0.5}", ",gain={-1:4}", ",discount=zipf", ",discount=none")
IDEALS = [f"{name}(k={k}{more})" for name in ("ndcg", "idcg") for k in (1, 3, 100, 101) for more in GAINS]


UNSUMMED = ("ndcg", "ndcg(k=3,ideal_depth=uncut)", "ndcg(k=3,ideal_depth=all_relevant)")


@pytest.fixture(scope="module")
def graded():
    """Grades below 0, equal ones, fractions; queries without one, with fewer judgments than any cutoff, with more."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE labels AS SELECT 'q' || q AS query_id, 'd' || i AS item_id,"
            " hash(q * 500 + i) % 7 / 2.0 - 1 AS relevance"
            " FROM range(9) AS queries(q), range(150) AS items(i) WHERE i < q * q * 2"
        )
        connection.execute("INSERT INTO labels VALUES ('q0', 'd1', 0), ('q1', 'd9', NULL), ('only', 'd1', -1)")
        connection.execute("CREATE TABLE runs AS SELECT query_id, item_id, hash(item_id) % 90 AS score FROM labels")
        yield connection


@pytest.mark.parametrize("metric", [*IDEALS, *UNSUMMED])
def test_an_ideal_is_the_same_sorted_or_not(metric, graded):
    texts = [
        rm.sql([metric], "runs", "labels", level="per_query", header=False),
        rm.sql([metric], "runs", "labels", level="per_query", header=False, dialect="postgres"),
    ]
    ours, sorted_ = (graded.execute(text).fetchall() for text in texts)
    assert ("LIST_SUM" in texts[0]) == ("k=101" not in metric and metric not in UNSUMMED)
    assert "LIST_SUM" not in texts[1]
    assert [row[0] for row in ours] == [row[0] for row in sorted_]
    assert [row[1] for row in ours] == pytest.approx([row[1] for row in sorted_], abs=1e-12)


@pytest.mark.parametrize(("n_items", "many", "cut"), [(14, True, False), (15, True, True), (14, False, True)])
def test_short_lists_of_a_large_table_are_not_cut(n_items, many, cut, monkeypatch):
    monkeypatch.setattr(sizes, "EXACT_ROWS", 20 * n_items - many)
    run = {f"q{query}": {f"d{item}": -item for item in range(n_items)} for query in range(20)}
    qrels = {query: {f"d{item}": item % 2 for item in range(n_items)} for query in run}
    result = quietly(rm.evaluate, run, qrels, ["ap@10"])
    assert ("rankmetrics_kth_scores" in result.sql) == cut
    assert result["ap@10"] == pytest.approx(sum(i / (2 * i) for i in range(1, 6)) / (n_items // 2), abs=1e-12)
