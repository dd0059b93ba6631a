"""A warning where fewer than half of the items that come first are judged."""

from __future__ import annotations

import random
import re

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.checks import sizes

from .conftest import quietly
from .everything import seeds


def random_lists(seed: int):
    """Lists of 1 to 12 items, and judgments of some of their items, of queries that one side may lack."""
    chance = random.Random(seed)
    share = chance.random()
    runs = {
        name: {
            f"q{n}": chance.sample([f"d{i}" for i in range(20)], chance.randint(1, 12)) for n in range(9) if n != skip
        }
        for name, skip in (("a", 1), ("b", 2))
    }
    qrels = {
        f"q{n}": {f"d{i}": chance.randint(0, 2) for i in range(20) if chance.random() < share} | {"x": 1}
        for n in range(8)
    }
    return runs, qrels


def shares(runs, qrels, k):
    """Of each run the judged items in the first k places, of all that stand there, of its judged queries."""
    for name, lists in runs.items():
        first = [(query, item) for query, items in lists.items() if query in qrels for item in items[:k]]
        yield name, sum(item in qrels[query] for query, item in first), len(first)


def said(result):
    """The share that each run's warning names."""
    pattern = r"(?:(\w+): )?only (\d+) % of the top (\d+) items are judged. The others count as not relevant, so values"
    found = [re.match(pattern, text) for text in result.warnings]
    return {match[1]: (int(match[2]), int(match[3])) for match in found if match}


@pytest.mark.parametrize("options", [{}, {"check": "judged"}, {"depth": 2}, {"strategy": "count"}], ids=str)
@pytest.mark.parametrize("seed", seeds(20, 2))
def test_the_share_is_that_of_a_twin(seed, options):
    runs, qrels = random_lists(seed)
    metrics = ["ndcg@5", "p@3", "r@10"]  # the first cutoff is looked at
    k = options.get("depth", 3)
    expected = {
        name: (100 * judged // there, k) for name, judged, there in shares(runs, qrels, k) if 2 * judged < there
    }
    assert said(quietly(rm.evaluate, runs, qrels, metrics, **options)) == expected
    alone = quietly(rm.evaluate, runs["a"], qrels, metrics, **options)
    assert said(alone) == ({None: expected["a"]} if "a" in expected else {})
    by = quietly(rm.evaluate, runs["a"], qrels, metrics, query_list=[*qrels], **options)
    assert said(by) == said(alone)


def test_of_listed_queries_only():
    runs, qrels = random_lists(3)
    some = {query: runs["a"][query] for query in ("q3", "q4")}
    [(_, judged, there)] = shares({"a": some}, qrels, 3)
    found = said(quietly(rm.evaluate, runs["a"], qrels, "p@3", query_list=list(some)))
    assert found == ({None: (100 * judged // there, 3)} if 2 * judged < there else {})


def test_half_of_short_lists_is_not_few():
    run = {f"q{n}": [f"d{i}" for i in range(4)] for n in range(4)}
    for judged, expected in ((2, {}), (1, {None: (25, 10)})):
        qrels = {query: {f"d{i}": int(i == 0) for i in range(4 - judged, 4)} | {"other": 1} for query in run}
        assert said(quietly(rm.evaluate, run, qrels, "p@10")) == expected


def test_where_it_is_not_said():
    run = {f"q{n}": [f"d{i}" for i in range(10)] for n in range(4)}
    qrels = {query: {"d0": 1, "d9": 0} for query in run}
    assert said(quietly(rm.evaluate, run, qrels, "p@10")) == {None: (20, 10)}
    assert said(quietly(rm.evaluate, run, qrels, "p@100")) == {None: (20, 100)}
    assert said(quietly(rm.evaluate, run, qrels, "p(rel=2)@10")) == {None: (20, 10)}
    assert said(quietly(rm.evaluate, run, qrels, "p@2")) == {}  # half of them
    assert said(quietly(rm.evaluate, run, {query: ["d0", "d9"] for query in run}, "p@10")) == {}  # what is relevant
    for metrics, options in (
        ("p@101", {}),
        ("p@10", {"unjudged": "drop"}),
        ("p@10", {"unjudged": "bounds"}),
        ("ap", {}),
        ("p@10", {"check": "none"}),
    ):
        assert said(quietly(rm.evaluate, run, qrels, metrics, **options)) == {}


def test_of_many_rows_the_places_are_counted_roughly(monkeypatch):
    monkeypatch.setattr(sizes, "EXACT_ROWS", 10)
    run = {f"q{n}": [f"d{i}" for i in range(10)] for n in range(4)}
    qrels = {query: {"d0": 1, "d9": 0} for query in run}
    assert said(quietly(rm.evaluate, run, qrels, "p@10", check="judged")) == {None: (20, 10)}
