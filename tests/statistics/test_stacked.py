"""What relations know of a query is stacked and grouped: who is scored, in which group, with which types."""

from __future__ import annotations

import itertools
import random

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics

from ..conftest import fill, quietly
from ..everything import mostly_long, seeds
from ..oracles import brute


@pytest.fixture
def con():
    with duckdb.connect() as connection:
        yield connection


def table(con, name, columns, rows):
    con.execute(f"CREATE TABLE {name} ({columns})")
    fill(con, name, rows)


@pytest.mark.parametrize("seed", seeds(20))
@pytest.mark.parametrize("queries", ["judged", "judged_retrieved", "retrieved", "judged_relevant"])
def test_a_labelled_table_beside_judgments_of_other_queries(con, seed, queries):
    """The labels decide what is a hit, the judgments which queries count and how much is relevant."""
    rng = random.Random(seed)
    items = "abcdef"
    labels = {q: {item: rng.choice([0, 1, 2]) for item in rng.sample(items, 4)} for q in rng.sample("uvwxyz", 4)}
    judged = {q: {item: rng.choice([0, 1, 2]) for item in rng.sample(items, 3)} for q in rng.sample("uvwxyz", 4)}
    scores = {q: {item: rng.random() for item in labels[q]} for q in labels}
    rows = [(q, item, scores[q][item], grade) for q in labels for item, grade in labels[q].items()]
    table(con, "lab", "query_id TEXT, item_id TEXT, score DOUBLE, relevance DOUBLE", rows)
    rows = [(q, item, grade) for q in judged for item, grade in judged[q].items()]
    table(con, "qrels", "query_id TEXT, item_id TEXT, relevance DOUBLE", rows)
    text = rm.sql(["p@2", "r@3", "num_rel"], labelled="lab", qrels="qrels", level="per_query", queries=queries)
    expected = {}
    for q in brute.universe(scores, judged, queries):
        grades = [labels[q][item] for item in brute.ranked(scores[q])] if q in labels else []
        truth = list(judged.get(q, {}).values())
        expected[q] = tuple(
            brute.value(name, grades, truth, params)
            for name, params in (("p", {"k": 2}), ("r", {"k": 3}), ("num_rel", {}))
        )
    found = {q: values for q, *values in con.execute(text).fetchall()}
    assert found == {q: pytest.approx(values) for q, values in expected.items()}


METRICS = {"rr": {}, "alpha_ndcg@3": {"columns": {"subtopic": "subtopic"}}, "num_ret": {}}
SIDES = {"run": "market", "qrels": "size", "query_list": "shelf"}


@pytest.mark.parametrize("metric", mostly_long(METRICS, "alpha_ndcg@3"))
@pytest.mark.parametrize("sides", [some for n in (1, 2, 3) for some in itertools.permutations(SIDES, n)])
@pytest.mark.parametrize("several", [False, True])
def test_groups_of_any_relation_keep_their_types(con, metric, sides, several):
    table(
        con,
        "run",
        "query_id TEXT, item_id TEXT, score DOUBLE, market TEXT",
        [("q", "a", 1, "north"), ("r", "a", 1, None), ("s", "b", 1, "south")],
    )
    table(
        con,
        "qrels",
        "query_id TEXT, item_id TEXT, subtopic TEXT, relevance INT, size DOUBLE",
        [("q", "a", "t", 1, 2.5), ("q", "b", "u", 1, 2.5), ("r", "b", "t", 1, 7), ("s", "b", "t", 1, None)],
    )
    table(con, "queries", "query_id TEXT, shelf DATE", [("q", "2026-01-02"), ("r", None), ("s", "2026-01-03")])
    runs = {"one": "run", "two": "run"} if several else "run"
    by = [f"{side}.{SIDES[side]}" for side in sides]
    given = dict(METRICS[metric])
    if metric != "alpha_ndcg@3":
        con.execute("DELETE FROM qrels WHERE subtopic = 'u'")
    text = rm.sql([metric], run=runs, qrels="qrels", query_list="queries", level="per_query", by=by, **given)
    known = {
        "q": {"market": "north", "size": 2.5, "shelf": "2026-01-02"},
        "r": {"market": None, "size": 7, "shelf": None},
        "s": {"market": "south", "size": None, "shelf": "2026-01-03"},
    }
    rows = con.execute(text).fetchall()
    assert len(rows) == 3 * (1 + several)
    for row in rows:
        query, *groups = row[several : several + 1 + len(sides)]
        assert [None if group is None else str(group) for group in groups] == [
            None if known[query][SIDES[side]] is None else str(float(found) if side == "qrels" else found)
            for side in sides
            for found in [known[query][SIDES[side]]]
        ]


def test_part_of_an_item_is_no_item(con):
    con.execute("CREATE TABLE lab AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS score, 1 AS relevance, 2.5 AS known")
    text = rm.sql(["num_rel", "r@5"], labelled="lab", columns={"n_relevant": "known"}, level="per_query")
    assert con.execute(text).fetchall() == [("q", 2, 0.5)]


@pytest.mark.parametrize("strategy", ["window", "count"])
@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("labelled", [False, True])
def test_a_row_without_a_query_belongs_to_none(con, strategy, listed, labelled):
    con.execute(
        "CREATE TABLE run AS SELECT UNNEST(['q', NULL]) AS query_id, 'a' AS item_id, 1 AS score, 1 AS relevance"
    )
    con.execute("CREATE TABLE qrels AS SELECT query_id, item_id, relevance FROM run")
    con.execute("CREATE TABLE chosen AS SELECT query_id FROM run")
    what = {"labelled": "run"} if labelled else {"run": "run", "qrels": "qrels"}
    chosen = {"query_list": "chosen"} if listed else {}
    text = rm.sql(["p@1", "num_ret"], **what, **chosen, level="per_query", strategy=strategy)
    assert con.execute(text).fetchall() == [("q", 1, 1)]


@pytest.mark.parametrize("ties", ["item_desc", "item_asc", "best", "worst"])
@pytest.mark.parametrize("column", ["score", "position"])
@pytest.mark.parametrize("seed", seeds(5))
def test_counting_puts_missing_values_where_sorting_does(con, ties, column, seed):
    rng = random.Random(seed)
    run = [("q", item, rng.choice([None, None, 1, 2])) for item in "abcdefgh"]
    table(con, "run", f"query_id TEXT, item_id TEXT, {column} DOUBLE", run)
    table(con, "qrels", "query_id TEXT, item_id TEXT, relevance INT", [("q", i, rng.choice([0, 1])) for i in "abcxyz"])
    found = [
        con.execute(
            rm.sql(
                ["ap", "rr", "p@2", "num_rel_ret@4"],
                run="run",
                qrels="qrels",
                columns={column: column},
                level="per_query",
                ties=ties,
                strategy=strategy,
            )
        ).fetchall()
        for strategy in ("window", "count")
    ]
    assert found[0][0] == pytest.approx(found[1][0])


def test_two_runs_of_other_types_keep_their_groups(con):
    con.execute("CREATE TABLE one AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS score, 1 AS market")
    con.execute("CREATE TABLE two AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS score, 2.5 AS market")
    con.execute("CREATE TABLE qrels AS SELECT 'q' AS query_id, 'a' AS item_id, 't' AS subtopic, 1 AS relevance")
    given = {"by": ["run.market"], "columns": {"subtopic": "subtopic"}, "level": "per_query"}
    text = rm.sql(["alpha_ndcg@1"], run={"A": "one", "B": "two"}, qrels="qrels", **given)
    assert [float(row[2]) for row in con.execute(text).fetchall()] == [1, 2.5]


def test_judgments_of_other_queries_beside_labels_change_no_summary(con):
    con.execute("CREATE TABLE lab AS SELECT UNNEST(['q', 'z']) AS query_id, 'a' AS item_id, 1 AS score")
    con.execute("ALTER TABLE lab ADD COLUMN relevance INT")
    con.execute("UPDATE lab SET relevance = CASE query_id WHEN 'q' THEN 1 ELSE 0 END")
    con.execute("CREATE TABLE qrels AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS relevance")
    result = quietly(rm.labelled, "lab", ["p@1", "num_q"], qrels="qrels", connection=con)
    assert result.summary.fetchall() == [("p@1", 1.0, 1), ("num_q", 1.0, 1)]


GRADED = [
    name
    for name, metric in metrics().items()
    if metric.shape == "value" and metric.reads_judgments and not metric.reads_items
]


@pytest.mark.parametrize("subtopics", [False, True])
def test_no_grade_takes_a_query_out_of_the_mean(con, subtopics):
    """Printed SQL cannot refuse a grade that no metric is made for; it must not forget the query either."""
    con.execute("CREATE TABLE run AS SELECT UNNEST(['q', 'r', 's']) AS query_id, 'a' AS item_id, 1 AS score")
    con.execute(
        "CREATE TABLE qrels AS SELECT query_id, item_id, 't' AS subtopic, 1 AS propensity, 1 AS target FROM run"
    )
    beside = {name for metric in metrics().values() for name in metric.reads_beside}
    for name in {"relevance", *beside} - {"subtopic", "propensity", "target"}:
        con.execute(f"ALTER TABLE qrels ADD COLUMN {name} DOUBLE DEFAULT 1")
    con.execute("UPDATE qrels SET relevance = CASE query_id WHEN 'q' THEN 9 WHEN 'r' THEN -3 ELSE 0.25 END")
    given = {"columns": {"subtopic": "subtopic"}} if subtopics else {}
    chosen = [metrics()[name] for name in GRADED if ("subtopics" in metrics()[name].needs) == subtopics]
    # where a query without a click has no value, every grade is a click
    asked = [
        f"{metric.name}(rel=-3)" if {"no_click", "rel"} <= metric.params.keys() else metric.name for metric in chosen
    ]
    found = con.execute(rm.sql(asked, run="run", qrels="qrels", level="per_query", **given))
    rows = [dict(zip([None, *asked], row, strict=True)) for row in found.fetchall()]
    assert len(rows) == 3
    assert [(row[None], metric) for row in rows for metric in asked if row[metric] is None] == []


def test_a_text_that_compares_runs_of_a_column_names_the_baseline():
    given = {"run": "runs", "qrels": "labels", "level": "compare", "columns": {"run": "run"}}
    with pytest.raises(rm.UsageError, match="Name the run to compare with: baseline=NAME"):
        rm.sql("rr", **given)
    assert "'old'" in rm.sql("rr", **given, baseline="old")
