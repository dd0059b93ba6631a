"""Equal scores: each order by name, and the expected, best and worst value over all of them, against enumeration."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics

from ..conftest import per_query, value
from ..everything import examples, seeds
from ..oracles import brute
from .test_oracles import as_text, drawn_params

EXPECTING = [name for name, metric in metrics().items() if "ties" in metric.params and name in brute.METRICS]
TIED = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}}

SCORES = st.sampled_from([0.0, 0.5, 1.0])
RUNS = st.dictionaries(
    st.sampled_from("xyz"), st.dictionaries(st.sampled_from("abcdef"), SCORES, min_size=1), min_size=1
)
GRADES = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([-1, 0, 1, 2, 3, 0.5]), min_size=1)


@examples(40)
@given(run=RUNS, grades=GRADES, data=st.data(), unjudged=st.sampled_from(["nonrelevant", "drop", "relevant", 2]))
def test_expected_is_the_mean_over_all_orders(run, grades, data, unjudged):
    qrels = dict.fromkeys(run, grades)
    calls = {}
    for name in EXPECTING:
        params = drawn_params(data.draw, name)
        if params.get("ap_denominator") == "retrieved_relevant":
            del params["ap_denominator"]
        calls[as_text(name, params)] = (name, params)
    found = per_query(run, qrels, list(calls), ties="expected", unjudged=unjudged)
    for text, (name, params) in calls.items():
        expected = brute.per_query(run, qrels, name, params, ties="expected", unjudged=unjudged)
        assert {query: values[text] for query, values in found.items()} == pytest.approx(expected, abs=1e-9), text


@pytest.mark.parametrize("strategy", ["window", "count"])
@pytest.mark.parametrize("seed", seeds(8))
def test_best_and_worst_are_the_extremes_over_all_orders(seed, strategy):
    rng = random.Random(seed)
    items = "abcdef"
    run = {"q": {item: rng.choice([1.0, 2.0]) for item in items}}
    qrels = {"q": {item: rng.choice([0, 0, 1, 2]) for item in rng.sample(items + "gh", 5)}}
    wanted = {
        "p@3": ("p", {"k": 3}),
        "r@2": ("r", {"k": 2}),
        "rr": ("rr", {}),
        "ap": ("ap", {}),
        "ndcg@4": ("ndcg", {"k": 4}),
    }
    best, worst = (per_query(run, qrels, list(wanted), ties=ties, strategy=strategy)["q"] for ties in ("best", "worst"))
    for text, (name, params) in wanted.items():
        judged = list(qrels["q"].values())
        every = [
            brute.METRICS[name]([qrels["q"].get(item) for item in order], judged, **params)
            for order in brute.orders(run["q"])
        ]
        assert best[text] == pytest.approx(max(every), abs=1e-12)
        assert worst[text] == pytest.approx(min(every), abs=1e-12)


@pytest.mark.parametrize(
    ("ties", "rr"), [("item_desc", 1 / 2), ("item_asc", 1 / 2), ("best", 1), ("worst", 1 / 3), ("expected", 11 / 18)]
)
def test_one_relevant_item_among_three_equal_scores(ties, rr):
    assert value(TIED, {"q": ["b"]}, "rr", ties=ties) == pytest.approx(rr, abs=1e-12)


def test_best_and_worst_before_unjudged_items_are_dropped():
    run, qrels = {"q": {"a": 1.0, "b": 1.0, "u": 1.0, "c": 1.0}}, {"q": {"a": 0, "b": 1, "c": 0}}
    found = [value(run, qrels, "rr", ties=ties, unjudged="drop") for ties in ("best", "worst")]
    assert found == pytest.approx([1, 1 / 3])


@pytest.mark.parametrize("name", ["err", "bpref"])
def test_metrics_without_an_expected_value_say_so(name):
    with pytest.raises(rm.UsageError, match=f"{name} has no expected value over ties"):
        rm.evaluate(TIED, {"q": ["b"]}, [name], ties="expected")


def test_counts_do_not_mind_expected_ties():
    assert value(TIED, {"q": ["b"]}, "num_rel", ties="expected") == 1


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("ap(ap_denominator=retrieved_relevant)", {}, "no closed form for ap_denominator"),
        ("rr", {"depth": 2}, "ties=expected and depth exclude each other"),
    ],
)
def test_what_has_no_closed_form_is_refused(metric, options, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.evaluate(TIED, {"q": ["b"]}, [metric], ties="expected", **options)


class TestInputOrder:
    """ties=input, where the input has an order."""

    @pytest.mark.parametrize(("item", "rr"), [("b", 1), ("a", 1 / 2), ("c", 1 / 3)])
    @pytest.mark.parametrize("strategy", ["window", "count"])
    def test_of_a_dictionary(self, item, rr, strategy):
        run = {"q": {"b": 1.0, "a": 1.0, "c": 1.0}}
        assert value(run, {"q": [item]}, "rr", ties="input", strategy=strategy) == pytest.approx(rr)

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("x.run", "q 0 b 9 1.0 t\nq 0 a 8 1.0 t\n"),
            ("x.csv", "query_id,item_id,score\nq,b,1\nq,a,1\n"),
            ("x.jsonl", '{"query_id":"q","item_id":"b","score":1}\n{"query_id":"q","item_id":"a","score":1}\n'),
        ],
    )
    def test_of_a_file(self, tmp_path, name, text):
        (tmp_path / name).write_text(text)
        assert value(tmp_path / name, {"q": ["b"]}, "rr", ties="input") == 1

    def test_of_a_long_file(self, tmp_path):
        lines = [f"q 0 d{number} 0 1.0 t\n" for number in random.Random(1).sample(range(300_000), 300_000)]
        (tmp_path / "x.run").write_text("".join(lines))
        item = lines[250_000].split()[2]
        assert value(tmp_path / "x.run", {"q": [item]}, "rr", ties="input") == pytest.approx(1 / 250_001, rel=1e-12)

    def test_of_a_data_frame(self):
        import pandas as pd

        frame = pd.DataFrame({"query_id": ["q", "q"], "item_id": ["b", "a"], "score": [1.0, 1.0]})
        assert value(frame, {"q": ["b"]}, "rr", ties="input") == 1

    def test_a_table_has_none(self):
        import duckdb

        with duckdb.connect() as connection:
            connection.execute("CREATE TABLE runs AS SELECT 'q' AS query_id, 'a' AS item_id, 1.0 AS score")
            with pytest.raises(rm.UsageError, match="ties=input: runs has scores, but no order"):
                rm.evaluate("runs", {"q": ["a"]}, ["rr"], ties="input", connection=connection)

    @pytest.mark.parametrize("column", ["position", "rank", "place"])
    def test_positions_are_one(self, column):
        """A table of positions needs no other order, as a data frame of them does not: c stands third."""
        import duckdb

        columns = {"position": column} if column == "place" else {}
        with duckdb.connect() as connection:
            connection.execute(f"CREATE TABLE runs ({column} INT, query_id TEXT, item_id TEXT)")
            connection.execute("INSERT INTO runs VALUES (3, 'q', 'c'), (1, 'q', 'b'), (2, 'q', 'a')")
            given = {"columns": columns, "connection": connection}
            assert value("runs", {"q": ["c"]}, "rr", ties="input", **given) == pytest.approx(1 / 3)
            ndcg = value("SELECT * FROM runs", {"q": ["c"]}, "ndcg@3", profile="rectools", **given)
        assert ndcg == pytest.approx((1 / math.log2(4)) / (1 + 1 / math.log2(3) + 1 / math.log2(4)))

    def test_does_not_go_with_a_rank_column(self):
        with pytest.raises(rm.UsageError, match="ties=rank and ties=input exclude each other"):
            rm.evaluate(TIED, {"q": ["a"]}, ["rr(ties=rank)", "rr(ties=input)"], columns={"position": "score"})


def test_each_metric_may_have_its_own_order():
    found = per_query(TIED, {"q": ["a"]}, ["rr", "rr(ties=item_asc)", "rr(ties=expected)", "p(ties=best)@1"])["q"]
    assert found == pytest.approx(
        {"rr": 1 / 3, "rr(ties=item_asc)": 1, "rr(ties=expected)": 11 / 18, "p(ties=best)@1": 1}
    )
