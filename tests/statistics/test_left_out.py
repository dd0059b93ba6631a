"""A mean is of the queries that it counts: the others are counted beside it, or skipped where that was asked for."""

from __future__ import annotations

import random
from collections import defaultdict

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import seeds

# One number per query, of grades alone or of a catalogue.
PLAIN = [
    name
    for name, metric in metrics().items()
    if metric.shape == "value" and not (metric.reads_beside or metric.reads_reference or metric.of_lists)
    if not any(parameter.required for parameter in metric.params.values())
]
NULLS = [
    f"{name}({parameter}=null)"
    for name in PLAIN
    for parameter, known in metrics()[name].params.items()
    if "null" in known.values
]
SKIPS = [
    text.replace("=null", "=skip")
    for text in NULLS
    if "skip" in metrics()[text.partition("(")[0]].params[text.partition("(")[2].partition("=")[0]].values
]


def drawn(seed):
    """Queries without results, without relevant items, without judgments below, of a single item or of none."""
    rng = random.Random(seed)
    items = "abcdef"
    qrels = {f"q{number}": {item: rng.choice([0, 0, 1, 2]) for item in rng.sample(items, rng.randint(1, 4))}
             for number in range(12)}  # fmt: skip
    run = {query: {item: rng.random() for item in rng.sample(items, rng.choice([0, 1, 3]))} for query in qrels}
    return run, qrels, {item: [rng.choice("xyz")] for item in items[:4]}


@pytest.mark.parametrize("seed", seeds(6, 1))
def test_a_mean_is_of_the_queries_that_it_counts(seed):
    run, qrels, categories = drawn(seed)
    items = pd.DataFrame(
        [(item, share / 8, category) for share, (item, [category]) in enumerate(categories.items())],
        columns=["item_id", "popularity", "category"],
    )
    asked = [*PLAIN, *NULLS, *SKIPS]
    found = quietly(rm.evaluate, run, qrels, asked, items=items, check="none")
    values = defaultdict(list)
    for row in found.per_query.dicts():
        for metric in asked:
            values[metric].append(row[metric])
    for row in found.summary.dicts():
        name, metric = row["metric"].partition("(")[0], row["metric"]
        known = [value for value in values[metric] if value is not None]
        assert row["n_queries"] == len(known), metric
        assert row["n_left_out"] == (0 if metric in SKIPS else len(qrels) - len(known)), metric
        if metrics()[name].aggregate in ("mean", "sum") and "aggregate" not in metric and known:
            total = row["value"] * (row["n_queries"] if metrics()[name].aggregate == "mean" else 1)
            assert total == pytest.approx(sum(known), abs=1e-9), metric
        if len(known) < len(qrels) and metric in PLAIN:
            assert metrics()[name].lacks_values or "null" in {
                known.default for known in metrics()[name].params.values()
            }


def test_a_column_is_there_only_where_a_query_may_lack_a_value():
    run, qrels, _ = drawn(0)
    for asked, columns in (
        ({"metrics": ["ndcg", "rr"]}, ["metric", "value", "n_queries"]),
        ({"metrics": ["ndcg(zero_ideal=null)", "rr"]}, ["metric", "value", "n_queries", "n_left_out"]),
        ({"metrics": ["ndcg(zero_ideal=skip)", "rr"]}, ["metric", "value", "n_queries"]),
    ):
        assert quietly(rm.evaluate, run, qrels, **asked).summary.columns == columns


ROWS = [  # request, item, position, grade, day: two requests cross midnight
    *(("r1", "a", 1, 1, 1), ("r1", "b", 2, 0, 1), ("r2", "a", 1, 0, 1), ("r2", "b", 2, 1, 2)),
    *(("r3", "a", 1, 0, 2), ("r3", "b", 2, 1, 2), ("r4", "a", 1, 0, 2), ("r4", "b", 2, 1, 3)),
]


def written(_place):
    return rm.sql(["rr"], labelled="shown", columns={"time": "ts"}, period="day")


def built(_place):
    columns = {"query": "query_id", "item": "item_id", "time": "ts"}
    return macros("duckdb")["summary"](relation="shown", metrics=["rr"], columns=columns, period="day")


@pytest.mark.parametrize("text", [written, built])
def test_a_request_in_two_periods_is_left_out_and_counted(text):
    """Its first day counts it; Python, which sees the rows, refuses them."""
    place = duckdb.connect()
    place.execute("CREATE TABLE shown (query_id TEXT, item_id TEXT, score INT, relevance INT, ts TIMESTAMP)")
    place.executemany(
        "INSERT INTO shown VALUES (?, ?, ?, ?, ?)",
        [(query, item, -rank, grade, f"2026-01-0{day} 00:00:01") for query, item, rank, grade, day in ROWS],
    )
    rows = place.execute(text(place)).fetchall()
    assert [(day.day, *numbers) for day, *numbers in sorted(rows)] == [(1, "rr", 1, 1, 1), (2, "rr", 1 / 2, 1, 1)]
    with pytest.raises(rm.DataError, match="is in two periods"):
        rm.labelled("shown", ["rr"], connection=place, columns={"time": "ts"}, period="day")


def test_people_read_how_many_queries_each_mean_is_of(cli, tmp_path):
    (tmp_path / "run.txt").write_text("q1 0 a 1 2 x\nq2 0 a 1 2 x\n")
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 0\nq3 0 c 1\n")
    asked = ["evaluate", str(tmp_path / "run.txt"), "--qrels", str(tmp_path / "qrels.txt")]
    metrics = ["-m", "rr", "-m", "ap(no_relevant=null)", "-m", "ndcg"]
    shown = cli(*asked, *metrics, "--format", "markdown").stdout.splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in shown if line.startswith("|")]
    assert cells[0][-3:] == [
        "n_queries (rr, ndcg)",
        "n_queries (ap(no_relevant=null))",
        "n_left_out (ap(no_relevant=null))",
    ]
    assert cells[-1][-3:] == ["3", "2", "1"]
    plain = cli(*asked, "-m", "rr", "-m", "ndcg", "--format", "markdown").stdout.splitlines()[0]
    assert plain.count("n_queries") == 1
    assert "n_left_out" not in plain
