"""A warning where fewer than half of the items that come first are judged."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pandas as pd
import pytest

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import one_in, seeds


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


def shares(runs, qrels, k, queries="judged"):
    """Of each run the judged items in the first k places, of all that stand there, of its scored queries."""
    for name, lists in runs.items():
        scored = {
            "judged": set(qrels),
            "judged_retrieved": set(qrels) & set(lists),
            "judged_relevant": {query for query, items in qrels.items() if max(items.values()) >= 1},
            "retrieved": set(lists),
        }[queries]
        first = [(query, item) for query, items in lists.items() if query in scored for item in items[:k]]
        yield name, sum(item in qrels.get(query, {}) for query, item in first), len(first)


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


@pytest.mark.parametrize("queries", one_in(2, ["judged", "judged_retrieved", "judged_relevant", "retrieved"]))
@pytest.mark.parametrize("seed", seeds(12, 1))
def test_a_page_says_the_share_once_of_scored_queries(seed, queries, tmp_path):
    """The line of a report, its warning and the rows of a table of runs: one number, whatever is scored."""
    runs, qrels = random_lists(seed)
    for query in ("q3", "q5", "q6"):
        qrels[query] = dict.fromkeys(qrels[query], 0)
    found = {name: (judged, there) for name, judged, there in shares(runs, qrels, 3, queries) if there}
    result = quietly(rm.evaluate, runs, qrels, ["p@3", "ap"], queries=queries)
    assert result.judged_first() == (pytest.approx({name: n / there for name, (n, there) in found.items()}), 3)
    assert said(result) == {name: (100 * n // there, 3) for name, (n, there) in found.items() if 2 * n < there}
    rows = [
        (name, query, item, place)
        for name, lists in runs.items()
        for query, items in lists.items()
        for place, item in enumerate(items, 1)
    ]
    table = pd.DataFrame(rows, columns=["run_id", "query_id", "item_id", "position"])
    columns = {"run_id": "run_id"}
    by_column = quietly(rm.evaluate, table, qrels, "p@3", queries=queries, columns=columns)
    assert by_column.judged_first() == result.judged_first()
    page = Path(tmp_path, "page.html")
    quietly(result.report, page)
    text = page.read_text()
    for name, (n, there) in found.items():
        assert f"Of the top 3 items, {100 * n // there} % are judged in {name}." in text
    assert set(re.findall(r"(\d+) % of the top 3", text)) == {str(share) for share, _ in said(result).values()}


def test_where_unjudged_items_are_known_to_be_the_rule():
    """Ratings below rel are judgments; but a source holds all that there are, and who says nonrelevant means it."""
    run = {f"q{n}": [f"d{i}" for i in range(10)] for n in range(4)}
    qrels = {query: {"d0": 5, "d9": 1} for query in run}
    assert said(quietly(rm.evaluate, run, qrels, "p(rel=4)@10")) == {None: (20, 10)}
    assert said(quietly(rm.evaluate, run, qrels, "p(rel=4)@10", unjudged="nonrelevant")) == {}
    assert said(quietly(rm.evaluate, run, qrels, "p(rel=4, unjudged=nonrelevant)@10")) == {}
    both = ["p(rel=4, unjudged=nonrelevant)@10", "r(rel=4)@10"]
    assert said(quietly(rm.evaluate, run, qrels, both)) == {None: (20, 10)}
    rows = [
        (query, item, -place, qrels[query].get(item))
        for query, items in run.items()
        for place, item in enumerate(items)
    ]
    rated = pd.DataFrame(rows, columns=["user", "item", "score", "rating"])
    source = rm.ratings(rated, user="user", item="item", rating="rating", predicted="score")
    assert said(quietly(rm.evaluate, source, None, "p(rel=4)@10")) == {}
    labelled = rated.rename(columns={"user": "query_id", "item": "item_id", "rating": "relevance"})
    assert said(quietly(rm.labelled, labelled, "p(rel=4)@10")) == {}
    lists = rm.lists(pd.DataFrame({"user": [*run], "items": [*run.values()]}), query="user", items="items")
    assert said(quietly(rm.evaluate, lists, qrels, "p(rel=4)@10")) == {None: (20, 10)}


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
        (["bpref", "num_rel"], {}),  # one leaves unjudged items alone, and one the ranks
        ("p@10", {"check": "none"}),
    ):
        assert said(quietly(rm.evaluate, run, qrels, metrics, **options)) == {}


@pytest.mark.parametrize("metrics", [["ap"], ["rr", "bpref"], ["ndcg(unjudged=nonrelevant)", "rprec"]], ids=str)
@pytest.mark.parametrize("seed", seeds(8, 1))
def test_without_a_cutoff_the_first_ten_count(seed, metrics):
    runs, qrels = random_lists(seed)
    for options, k in (({}, 10), ({"depth": 4}, 4), ({"depth": 50}, 10)):
        few = {name: (100 * judged // there, k) for name, judged, there in shares(runs, qrels, k) if 2 * judged < there}
        result = quietly(rm.evaluate, runs, qrels, metrics, **options)
        assert said(result) == few
        assert result.judged_first() == (
            pytest.approx({name: judged / there for name, judged, there in shares(runs, qrels, k)}),
            k,
        )
        compared = quietly(rm.compare, runs, qrels, metrics[:1], queries="judged_retrieved", **options)
        both = set(runs["a"]) & set(runs["b"])
        lists = {name: {query: run[query] for query in run if query in both} for name, run in runs.items()}
        wanted = [judged / there for _, judged, there in shares(lists, qrels, k)]
        [row] = compared.summary.dicts()
        assert [row["judged_baseline"], row["judged_candidate"]] == pytest.approx(wanted)


@pytest.mark.parametrize("rule", ["null", "skip"])
def test_queries_without_a_value_are_scored(rule):
    """Their places count: of nine queries, six have no relevant item, and so no value."""
    run = {f"q{n}": [f"d{i}" for i in range(10)] for n in range(9)}
    qrels = {query: {f"d{i}": int(n % 3 == 0) if i else 0 for i in range(4)} for n, query in enumerate(run)}
    result = quietly(rm.evaluate, run, qrels, "ndcg@10", no_relevant=rule)
    assert result.summary.dicts()[0]["n_queries"] == 3
    assert said(result) == {None: (40, 10)}
