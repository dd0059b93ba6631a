"""With check=full, queries whose values depend on how items of equal scores are ordered are counted."""

from __future__ import annotations

import random
import re
import warnings

import numpy as np
import pytest

import rankmetrics_sql as rm

from .everything import each_once

SAID = "with ties between items of different grades"


def told(call, *args, **given):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call(*args, **given)
    return result, [str(one.message) for one in caught if SAID in str(one.message)]


def tied(run, qrels, depth, of_float32):
    """How many lists have items of one score, one of them judged and not all alike, that begin within the depth."""
    number = np.float32 if of_float32 else float
    n_lists = 0
    for query, items in run.items():
        groups: dict[float, list[str]] = {}
        for item, score in items.items():
            groups.setdefault(number(score), []).append(item)
        above, found = 0, False
        for score in sorted(groups, reverse=True):
            grades = [qrels.get(query, {}).get(item) for item in groups[score]]
            found |= (depth is None or above < depth) and set(grades) != {None} and len(set(grades)) > 1
            above += len(grades)
        n_lists += found
    return n_lists


@pytest.mark.parametrize(
    ("metrics", "options", "seed"),
    each_once(
        [["rr"], ["p@2"], ["ndcg@1", "p@3"], ["ap", "p@1"]],
        [{}, {"ties": "item_asc"}, {"score_type": "float32"}],
        range(6),
    ),
)
def test_how_many_queries_depend_on_ties(metrics, options, seed):
    chance = random.Random(seed)
    scores = [0.1, 0.1 + 1e-12, 0.2, 0.3, 0.4]
    run = {f"q{n}": {item: chance.choice(scores) for item in "abcdef"[: chance.randint(1, 6)]} for n in range(20)}
    qrels = {query: {item: chance.choice([0, 0, 1, 2]) for item in chance.sample("abcdefz", 4)} for query in run}
    depths = {"rr": None, "ap": None}
    asked = [depths.get(metric, metric.rpartition("@")[2]) for metric in metrics]
    depth = None if None in asked else max(map(int, asked))
    _, messages = told(rm.evaluate, run, qrels, metrics, check="full", **options)
    expected = tied(run, qrels, depth, options.get("score_type") == "float32")
    assert expected
    who = "1 query" if expected == 1 else f"{expected} queries"
    where = "" if depth is None else f" within the first {depth}"
    [message] = messages
    assert message.startswith(f"run: {who} {SAID}{where}, which item ids order")
    assert f"(ties={options.get('ties', 'item_desc')})" in message


def test_a_constant_scorer_and_what_to_do(tmp_path, cli):
    """Its reciprocal rank is 1 where ids make it so, and the mean over all orders is what is said to be asked for."""
    run = {"q": dict.fromkeys("abcd", 0.5)}
    result, [message] = told(rm.evaluate, run, {"q": {"d": 1}}, "rr", check="full")
    assert result["rr"] == 1
    name, remedy = re.search(r"(ties)=(expected)", message).groups()
    result, messages = told(rm.evaluate, run, {"q": {"d": 1}}, "rr", check="full", **{name: remedy})
    assert (result["rr"], messages) == (pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4), [])
    (tmp_path / "x.run").write_text("".join(f"q Q0 {item} {rank} 0.5 t\n" for rank, item in enumerate("abcd", 1)))
    (tmp_path / "q.txt").write_text("q 0 d 1\n")
    asked = ["evaluate", tmp_path / "x.run", "--qrels", tmp_path / "q.txt", "-m", "rr", "--set", "check=full"]
    assert SAID in " ".join(cli(*asked).stderr.split())
    assert SAID not in " ".join(cli(*asked, "--set", f"{name}={remedy}").stderr.split())


@pytest.mark.parametrize(
    "given",
    [
        {"check": "auto"},
        {"check": "full", "ties": "worst"},
        {"check": "full", "metrics": ["num_ret", "num_rel"]},
        {"check": "full", "run": {"q": {"a": 4, "b": 3, "c": 2, "d": 1}}},
        {"check": "full", "qrels": {"q": dict.fromkeys("abcd", 1)}},
        {"check": "full", "run": {"q": {"a": 9, **dict.fromkeys("bcd", 1)}}, "metrics": ["p@1"]},
        {"check": "full", "run": {"q": list("abcd")}},
    ],
)
def test_where_ties_say_nothing(given):
    asked = {"run": {"q": dict.fromkeys("abcd", 0.5)}, "qrels": {"q": {"d": 1}}, "metrics": ["rr"], **given}
    assert told(rm.evaluate, asked.pop("run"), asked.pop("qrels"), asked.pop("metrics"), **asked)[1] == []


def test_of_labelled_tables_and_in_other_databases(start_engine):
    engine = start_engine("sqlite")
    rows = [("q", "a", 0.5, 0), ("q", "b", 0.5, 1), ("r", "a", 0.5, 1), ("r", "b", 0.4, 0), ("s", "a", 1.0, None)]
    engine.load("labelled", {"query_id": "text", "item_id": "text", "score": "double", "relevance": "bigint"}, rows)
    _, [message] = told(rm.labelled, "labelled", "rr", connection=engine.connection, check="full")
    assert message.startswith(f"labelled: 1 query {SAID}, which item ids order")
