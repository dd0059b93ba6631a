"""Queries whose values depend on how items of equal scores are ordered are counted, against all orders."""

from __future__ import annotations

import random
import re
import warnings
from functools import partial
from itertools import islice, permutations

import numpy as np
import pandas as pd
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics

from ..everything import each_once
from ..oracles import brute

SAID = "with equal scores whose order decides values"
CASES = {
    "p@2": ("p", {"k": 2}),
    "r@3": ("r", {"k": 3}),
    "success@2": ("success", {"k": 2}),
    "success@3": ("success", {"k": 3}),
    "rr": ("rr", {}),
    "rr@2": ("rr", {"k": 2}),
    "p": ("p", {}),
    "p(rel=2)@1": ("p", {"k": 1, "rel": 2}),
    "ap": ("ap", {}),
    "ap@2": ("ap", {"k": 2}),
    "ndcg": ("ndcg", {}),
    "ndcg@2": ("ndcg", {"k": 2}),
    "ndcg(gain=binary)@3": ("ndcg", {"k": 3, "gain": "binary"}),
    "cg@2": ("cg", {"k": 2}),
}


def told(call, *args, **given):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call(*args, **given)
    return result, [str(one.message) for one in caught if SAID in str(one.message)]


def number_said(messages):
    """How many queries the warning names; 0 without one."""
    if not messages:
        return 0
    [message] = messages
    return int(re.search(r"(\d+) quer(y|ies) " + SAID, message)[1])


def decided(run, qrels, name, params):
    """The queries of which two orders of equal scores have different values."""
    found = set()
    for query, items in run.items():
        judged = qrels.get(query, {})
        values = {
            round(brute.METRICS[name]([judged.get(item) for item in order], [*judged.values()], **params), 12)
            for order in brute.orders(items)
        }
        found |= {query} if judged and len(values) > 1 else set()
    return found


def random_lists(seed, n_queries=12):
    chance = random.Random(seed)
    scores = [0.1, 0.1 + 1e-12, 0.2, 0.3]
    run = {f"q{n}": {item: chance.choice(scores) for item in "abcde"[: chance.randint(1, 5)]} for n in range(n_queries)}
    qrels = {
        query: {item: chance.choice([0, 0, 1, 2]) for item in chance.sample("abcdez", chance.randint(1, 5))}
        for query in islice(run, n_queries - 2)
    }
    return run, qrels


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("metric", CASES)
def test_each_query_whose_value_depends_on_ties(metric, seed):
    run, qrels = random_lists(seed)
    expected = decided(run, qrels, *CASES[metric])
    _, messages = told(rm.evaluate, run, qrels, metric)
    assert number_said(messages) == len(expected)


@pytest.mark.parametrize(
    ("metrics", "options", "seed"),
    each_once(
        [["rr", "p@2"], ["ndcg@2", "p"], ["success@2", "r@3", "cg@2"]],
        [{}, {"ties": "item_asc"}, {"score_type": "float32"}, {"check": "full"}, {"queries": "judged_relevant"}],
        range(4),
    ),
)
def test_queries_are_counted_once_for_all_metrics(metrics, options, seed):
    run, qrels = random_lists(seed)
    seen = run
    if options.get("score_type") == "float32":
        seen = {query: {item: np.float32(score) for item, score in items.items()} for query, items in run.items()}
    expected = set().union(*(decided(seen, qrels, *CASES[metric]) for metric in metrics))
    if "queries" in options:
        expected &= {query for query, items in qrels.items() if max(items.values()) >= 1}
    _, messages = told(rm.evaluate, run, qrels, metrics, **options)
    assert number_said(messages) == len(expected)
    assert all(f"(ties={options.get('ties', 'item_desc')})" in message for message in messages)


WHAT_DECIDES = {
    "any": lambda top: any((grade or 0) >= 1 for grade in top),
    "first": lambda top: [(grade or 0) >= 1 for grade in top].index(True) if any(top) else None,
    "cutoff": lambda top: sorted(top, key=str),
    "all": list,
}


def test_what_headers_say_of_the_order():
    """The least of it from which all values at a cutoff follow, over all orders of two lists."""
    for name, metric in metrics().items():
        if name in brute.METRICS and metric.takes_k and metric.reads_ranks:
            assert (name, metric.reads_order) == (name, next(filter(partial(follows, name), WHAT_DECIDES)))


def follows(name, word):
    """Whether all values of a metric follow from what a word says of the order."""
    away = {key: value for key, value in {"k": 3, "max_rel": 2, "T": 1.5}.items() if key in metrics()[name].params}
    values = {}
    for grades in ([2, 1, 0, None], [1, 1, 0, 0]):
        judged = [*(grade for grade in grades if grade is not None), 1]
        for order in permutations(grades):
            decisive = str(grades), str(WHAT_DECIDES[word](order[:3]))
            values.setdefault(decisive, set()).add(brute.METRICS[name]([*order], judged, **away))
    return all(len(found) == 1 for found in values.values())


@pytest.mark.parametrize("seed", range(3))
def test_items_that_stand_twice_and_runs_of_one_table_are_counted_by_query(seed):
    runs = {name: random_lists(seed * 2 + number)[0] for number, name in enumerate("ab")}
    qrels = random_lists(seed)[1]
    expected = set().union(*(decided(run, qrels, "rr", {}) for run in runs.values()))
    rows = [
        (name, query, item, value)
        for name, run in runs.items()
        for query, items in run.items()
        for item, score in items.items()
        for value in (score, score - 1, score - 1)
    ]
    table = pd.DataFrame(rows, columns=["system", "query_id", "item_id", "score"])
    given = {"columns": {"run_id": "system"}, "duplicates": "first"}
    assert number_said(told(rm.evaluate, table, qrels, "rr", **given)[1]) == len(expected)


@pytest.mark.parametrize("queries", ["judged", "judged_retrieved"])
@pytest.mark.parametrize("seed", range(3))
def test_of_a_comparison_only_queries_that_are_compared(seed, queries):
    old, qrels = random_lists(seed)
    new = {query: {item: -place for place, item in enumerate("edcba")} for query in islice(old, 4, None)}
    expected = decided(old, qrels, "ap", {}) & (set(new) if queries == "judged_retrieved" else set(old))
    _, messages = told(rm.compare, {"old": old, "new": new}, qrels, "ap", queries=queries)
    assert number_said(messages) == len(expected)
    assert all(message.startswith("run 'old': ") for message in messages)


def test_eight_equal_scores_above_the_cutoff():
    """Its reciprocal rank is what ids make it, and the mean over all orders is what is said to be asked for."""
    run, qrels = {"q": dict.fromkeys("abcdefgh", 0.5)}, {"q": {"f": 1}}
    result, [message] = told(rm.evaluate, run, qrels, "mrr@10")
    assert result["mrr@10"] == pytest.approx(1 / 3)
    assert message.startswith(f"run: 1 query {SAID}.")
    name, remedy = re.search(r"(ties)=(expected)", message).groups()
    result, messages = told(rm.evaluate, run, qrels, "mrr@10", **{name: remedy})
    assert result["mrr@10"] == pytest.approx(sum(1 / rank for rank in range(1, 9)) / 8)
    assert messages == []


@pytest.mark.parametrize(
    ("metrics", "options"),
    [("err@5", {}), ("bpref", {}), ("ap(ap_denominator=retrieved_relevant)", {}), ("rr", {"depth": 3}), ("p@2", {})],
)
def test_the_remedy_works_for_the_metrics_that_are_asked_for(metrics, options):
    run, qrels = {"q": dict.fromkeys("abcdefgh", 0.5)}, {"q": {"f": 1, "a": 0, "c": 0}}
    _, [message] = told(rm.evaluate, run, qrels, metrics, **options)
    orders = re.findall(r"ties=(\w+)", message)[1:]
    assert orders == (["expected"] if metrics == "p@2" else ["best", "worst"])
    for order in orders:
        assert told(rm.evaluate, run, qrels, metrics, ties=order, **options)[1] == []


@pytest.mark.parametrize(
    "given",
    [
        {"check": "none"},
        {"ties": "worst"},
        {"metrics": ["num_ret", "num_rel"]},
        {"run": {"q": {"a": 4, "b": 3, "c": 2, "d": 1}}},
        {"qrels": {"q": dict.fromkeys("abcd", 1)}},
        {"qrels": {"q": {"a": 0, "z": 1}}, "metrics": ["ndcg", "ap"]},
        {"run": {"q": {"d": 9, **dict.fromkeys("abc", 1)}}, "metrics": ["rr"], "qrels": {"q": {"d": 1, "a": 1}}},
        {"run": {"q": {"a": 9, **dict.fromkeys("bcd", 1)}}, "metrics": ["p@1"]},
        {"run": {"q": list("abcd")}},
    ],
)
def test_where_ties_say_nothing(given):
    asked = {"run": {"q": dict.fromkeys("abcd", 0.5)}, "qrels": {"q": {"d": 1}}, "metrics": ["rr"], **given}
    assert told(rm.evaluate, asked.pop("run"), asked.pop("qrels"), asked.pop("metrics"), **asked)[1] == []


def test_without_judgments_a_tie_across_a_cutoff_decides_what_counts():
    run, items = {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}, ["a", "b", "c", "d"]
    for k, expected in {1: 0, 2: 1, 3: 0}.items():
        _, messages = told(rm.evaluate, run, None, f"catalogue_coverage@{k}", items=pd.DataFrame({"item_id": items}))
        assert number_said(messages) == expected


@pytest.mark.parametrize("seed", range(2))
def test_of_many_rows_a_share_of_the_lists_is_looked_at(monkeypatch, seed):
    run, qrels = random_lists(seed, 200)
    expected = len(decided(run, qrels, "rr", {}))
    monkeypatch.setattr("rankmetrics_sql.checks.ties.CHEAP_ROWS", 10)
    monkeypatch.setattr("rankmetrics_sql.checks.sizes.CHEAP_ROWS", 10)
    _, [message] = told(rm.evaluate, run, qrels, "rr")
    share = int(re.match(r"run: in 1 of (\d+) lists, ", message)[1])
    assert share == 10
    assert 0 < number_said([message]) < expected / 4
    assert number_said(told(rm.evaluate, run, qrels, "rr", check="full")[1]) == expected


@pytest.mark.parametrize("name", ["sqlite", pytest.param("postgres-15", marks=pytest.mark.long)])
def test_of_labelled_tables_and_in_other_databases(start_engine, name):
    engine = start_engine(name)
    rows = [("q", "a", 0.5, 0), ("q", "b", 0.5, 1), ("r", "a", 0.5, 1), ("r", "b", 0.4, 0), ("s", "a", 1.0, None)]
    engine.load("labelled", {"query_id": "text", "item_id": "text", "score": "double", "relevance": "bigint"}, rows)
    _, [message] = told(rm.labelled, "labelled", "rr", connection=engine.connection)
    assert message.startswith(f"labelled: 1 query {SAID}.")
