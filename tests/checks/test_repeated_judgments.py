"""Judgments that stand twice, where no check refuses them: of an item, and subtopic, the highest grade counts."""

from __future__ import annotations

import math
import random

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..everything import seeds

SUBTOPICS = ["alpha_ndcg@5", "subtopic_recall@5", "err_ia@5", "ndcg@5"]


def highest(rows, keys):
    """The twin: of the rows with equal keys the one of the highest grade, which is the last value."""
    found = {}
    for row in rows:
        key = row[:keys]
        found[key] = max(found.get(key, row), row, key=lambda one: one[-1])
    return list(found.values())


def random_judgments(seed):
    chance = random.Random(seed)
    run = [(f"q{q}", f"d{i}", chance.random()) for q in range(4) for i in chance.sample(range(12), 8)]
    judged = [
        (f"q{q}", f"d{chance.randrange(12)}", f"s{chance.randrange(3)}", chance.randrange(-1, 4))
        for q in range(4)
        for _ in range(20)
    ]
    return run, judged


@pytest.fixture(params=seeds(6, 1))
def place(request: pytest.FixtureRequest):
    run, judged = random_judgments(request.param)
    plain = [(query, item, grade) for query, item, _, grade in judged]
    with duckdb.connect() as connection:
        tables = {
            "run": ("score DOUBLE", run),
            "twice": ("relevance INT", plain),
            "once": ("relevance INT", highest(plain, 2)),
            "served_twice": ("subtopic TEXT, relevance INT", judged + judged[::2]),
            "served_once": ("subtopic TEXT, relevance INT", highest(judged, 3)),
        }
        for name, (columns, rows) in tables.items():
            connection.execute(f"CREATE TABLE {name} (query_id TEXT, item_id TEXT, {columns})")
            fill(connection, name, rows)
        for name in ("twice", "once"):
            connection.execute(
                f"CREATE VIEW {name}_labelled AS SELECT query_id, item_id, relevance,"
                " RANK() OVER (PARTITION BY query_id ORDER BY hash(item_id)) AS position,"
                f" 20 AS n_relevant FROM {name}"
            )
        yield connection


def every_metric() -> list[str]:
    return [f"{name}@3" if metric.takes_k else name for name, metric in metrics().items() if metric.of_grades]


def per_query(connection, names, *inputs, **given):
    text = rm.sql(names, *inputs, level="per_query", **given)
    return {query: list(found) for query, *found in connection.sql(text).fetchall()}


def assert_alike(found, wanted):
    assert found
    assert found == {query: pytest.approx(values, abs=1e-12, nan_ok=True) for query, values in wanted.items()}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"strategy": "count", "ideal_depth": "uncut"},
        {"unjudged": "mean", "gain": "exp2"},
        {"queries": "judged_relevant", "rel": 2},
        {"judgments": "retrieved"},
        {"unjudged": "drop", "negative_grades": "unjudged"},
    ],
)
def test_a_repeated_judgment_counts_once(place, options):
    """So that every metric has the value that it has without it."""
    names = every_metric() if not options.get("ideal_depth") else ["ndcg@3", "r@3", "ap"]
    assert_alike(*(per_query(place, names, "run", name, **options) for name in ("twice", "once")))


@pytest.mark.parametrize("names", [SUBTOPICS, ["ndcg@5", "r@5"]])
def test_of_subtopics_too(place, names):
    columns = {"qrels.subtopic": "subtopic"}
    assert_alike(*(per_query(place, names, "run", name, columns=columns) for name in ("served_twice", "served_once")))


@pytest.mark.parametrize("names", [["num_rel", "idcg@3"], ["num_rel", "idcg@3", "num_nonrel_judged_ret"], ["idcg"]])
@pytest.mark.parametrize("given", [{}, {"n_relevant": "n_relevant"}])
def test_what_a_labelled_table_holds_of_relevant_items_does_not_grow(place, names, given):
    """Some metrics need all items apart, and most only those with a grade above 0."""
    columns = {"position": "position", **given}
    assert_alike(*(per_query(place, names, labelled=f"{name}_labelled", columns=columns) for name in ("twice", "once")))


def test_a_perfect_ranking_is_perfect_by_hand_and_in_dbt():
    """1 of 1, where a repeated judgment counted twice in the ideal: (1 + 1/log2(3)) of (1 + 1/log2(3) + 1/log2(4))."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE run AS FROM (VALUES ('q','a',3), ('q','b',2)) t(query_id, item_id, score)")
        judged = "('q','a',1), ('q','a',1), ('q','b',1)"
        connection.execute(f"CREATE TABLE qrels AS FROM (VALUES {judged}) t(query_id, item_id, relevance)")
        for text in (
            rm.sql(["ndcg@3", "idcg@3", "r@3", "ap", "num_rel"], "run", "qrels", level="per_query"),
            macros("duckdb")["per_query"]("run", ["ndcg@3", "idcg@3", "r@3", "ap", "num_rel"], qrels="qrels"),
        ):
            [(_, *found)] = connection.sql(text).fetchall()
            assert found == pytest.approx([1, 1 + 1 / math.log2(3), 1, 1, 2], abs=1e-12)


def test_two_judgments_of_one_item_may_say_two_groups():
    """Such a query is of neither, though of each item one row is left."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE run AS FROM (VALUES ('q','a',3), ('p','a',2)) t(query_id, item_id, score)")
        judged = "('q','a',1,'de'), ('q','a',1,'fr'), ('p','a',1,'de'), ('p','a',2,'de')"
        connection.execute(f"CREATE TABLE qrels AS FROM (VALUES {judged}) t(query_id, item_id, relevance, market)")
        found = per_query(connection, ["ndcg"], "run", "qrels", by="market")
        assert {query: values[-1] for query, values in found.items()} == {"q": None, "p": 1.0}


def test_python_groups_nothing_that_it_has_checked(place):
    """Its check refuses what stands twice, so that its statement need not look."""
    for check, groups in (("full", False), ("judged", False), ("none", True)):
        text = quietly(rm.evaluate, "run", "once", ["ndcg@3"], connection=place, check=check).sql
        assert ("MAX(CAST(s.relevance" in text) == groups, check
    with pytest.raises(rm.DataError, match="duplicate item in a query"):
        rm.evaluate("run", "twice", ["ndcg@3"], connection=place)
