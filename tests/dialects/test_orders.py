"""The same data give the same digits: every order is total and said in full, whatever threads and settings do."""

from __future__ import annotations

import random
import re

import duckdb
import pandas as pd
import pytest
import sqlglot
from sqlglot import exp

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import one_in, seeds
from ..statements import cases

CASES = cases()

# Each is unique in its list, query or table: what a window is sorted by ends in one of them.
UNIQUE = {
    "metric_number": "an effect is of a run, a group and a metric",
    "place": "that of a p-value in its family",
    "own_bucket": "what a bucket of an effect comes to is one row",
    "rnk": "the place of an item in its list",
    "first_rnk": "the same",
    "item_id": "an item stands once in a list",
    "list_position": "a number of the table of numbers",
    "n_changes": "each effect meets each number of changes once",
    "ideal_rnk": "a place of the ideal ranking",
    "n_above": "one row for each group of equal scores",
    "is_item": "after rnk: the item at a rank, or the place of the ideal ranking",
    "is_step": "after rnk: an item, or a step",
}
# Rows that these leave unordered are alike in all that is read of them.
ALIKE = {
    "relevance": "a judgment's place in the ideal ranking: equal grades have equal gains",
    "ideal_gain": "the same",
    "weighted_gain": "the same",
    "effect": "replicates of equal value are alike in what quantiles read",
    "ratio": "the same",
    "size": "of equal values the place of one is read, which a cap does not tell apart",
    "size_number": "of a running count its greatest among equals is read",
    "n_lists": "an item's place by how many lists have it: equal numbers are worth the same in any order",
}
COUNTING = (exp.Rank, exp.DenseRank, exp.Count)  # equal rows get the same number


def name_of(key):
    """The column that a key of an order is about, whatever is cast or computed around it."""
    columns = list(key.find_all(exp.Column))
    return columns[-1].name if columns else key.sql()


@pytest.fixture(scope="module", params=one_in(3, CASES))
def tree(request):
    """A statement as a tree; pytest runs all tests of one before it makes the next."""
    case = CASES[request.param]
    what = {"run": case.run} if case.qrels else {"labelled": case.run}
    text = rm.sql(list(case.metrics), qrels=case.qrels, level=case.level, **what, **case.given)
    return sqlglot.parse_one(text, read="duckdb")


def test_every_window_is_sorted_by_a_total_order(tree):
    for window in tree.find_all(exp.Window):
        order = window.args.get("order")
        if order is None or isinstance(window.this, COUNTING):
            continue
        if window.parent.alias_or_name == "value_number":  # for a median: the middle of equal values is that value
            continue
        last = order.expressions[-1]
        known = name_of(last) in UNIQUE | ALIKE or last.find(exp.Case)  # a gain by a map: as relevance
        assert known, f"{name_of(last)} leaves rows unordered: {window.sql()}"


# BigQuery partitions by no double, and no two doubles should be taken for equal by chance.
NO_DOUBLES = re.compile(
    r"run_id|query_id(_\d+)?|item_id|subtopic|group_\d+|metric_number|breakdown(_number)?|in_catalogue|n_above|grade_number"
    r"|is_known|differs|size_number|effect_number|question_number|candidate_arm|arm|group_number|replicate"
    r"|baseline_run|unit_of_all"
)


def test_every_window_is_about_keys(tree):
    for window in tree.find_all(exp.Window):
        for key in window.args.get("partition_by") or ():
            assert NO_DOUBLES.fullmatch(name_of(key)), window.sql()


def test_every_order_is_said_in_full(tree):
    for key in tree.find_all(exp.Ordered):
        assert key.args.get("desc") is not None, f"a setting of the session decides: {key.parent.sql()}"


def noisy(seed, n_queries=200):
    """A run and judgments with many equal scores and grades."""
    rng = random.Random(seed)
    items = [f"d{number}" for number in range(40)]
    run = [(f"q{q}", item, rng.choice([1, 2, 2.5])) for q in range(n_queries) for item in rng.sample(items, 15)]
    qrels = [(f"q{q}", item, rng.choice([0, 0, 1, 2, 3])) for q in range(n_queries) for item in rng.sample(items, 8)]
    return run, qrels


CHOICES = {
    "ties": ["item_desc", "item_asc", "best", "worst"],
    "unjudged": ["nonrelevant", "relevant", "mean", "median", 0, 2],
    "depth": [None, 2, 7],
    "judgments": ["all", "given", "retrieved"],
    "queries": ["judged", "retrieved", "judged_relevant"],
    "strategy": ["window", "count"],
}
METRICS = [
    "ap",
    "ap(rel=0)",
    "ndcg@5",
    "ndcg(ideal_depth=present)@7",
    "rr",
    "p@5",
    "r@5",
    "bpref",
    "err@10",
    "rbp",
    "g",
]


def asked_of_shuffled_tables(rows, order, metrics, **choices):
    """The values per query, from tables whose rows come in some order, by some number of threads."""
    with duckdb.connect(config={"threads": 1 + order}) as con:
        for name, value in (("run", "score"), ("qrels", "relevance")):
            shuffled = pd.DataFrame(random.Random(order).sample(rows[name], len(rows[name])))
            shuffled.columns = ["query_id", "item_id", value]
            con.execute(f"CREATE TABLE {name} AS SELECT * FROM shuffled")
        try:
            return quietly(rm.evaluate, "run", "qrels", metrics, connection=con, **choices).per_query.fetchall()
        except rm.UsageError as error:
            return str(error)


@pytest.mark.parametrize("seed", seeds(40, 2))
def test_any_order_of_rows_and_any_number_of_threads_give_the_same_values(seed):
    rng = random.Random(seed)
    chosen = {name: rng.choice(values) for name, values in CHOICES.items()}
    metrics = rng.sample(METRICS, 4)
    rows = dict(zip(("run", "qrels"), noisy(seed), strict=True))
    first, *others = [asked_of_shuffled_tables(rows, order, metrics, **chosen) for order in range(3)]
    for other in others:
        if isinstance(first, str):
            assert other == first
            continue
        for row, again in zip(first, other, strict=True):
            assert row[0] == again[0]
            assert row[1:] == pytest.approx(again[1:], abs=1e-12), (chosen, row[0])


def test_settings_of_the_session_change_no_order():
    found = []
    for settings in ([], ["SET default_order = 'DESC'", "SET default_null_order = 'NULLS_FIRST'"]):
        with duckdb.connect() as con:
            con.execute("CREATE TABLE run AS SELECT range % 7 AS query_id, range AS item_id, 1 AS score FROM range(50)")
            con.execute(
                "CREATE TABLE qrels AS SELECT range % 7 AS query_id, range AS item_id, 1 AS relevance FROM range(90)"
            )
            con.execute("ALTER TABLE qrels ADD COLUMN market TEXT")
            con.execute("UPDATE qrels SET market = query_id % 3 WHERE query_id > 1")
            for setting in settings:
                con.execute(setting)
            result = quietly(rm.evaluate, "run", "qrels", METRICS, connection=con, by="market")
            compared = quietly(rm.compare, "run", {"again": "run"}, "qrels", METRICS, connection=con, by="market")
            found.append((result.summary.fetchall(), result.per_query.fetchall(), compared.summary.fetchall()))
    assert found[0] == found[1]


def test_totals_have_the_same_digits_whatever_the_threads():
    """50,000 queries: enough for several threads; their sum in any order would differ from the thirteenth digit on."""
    found = set()
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE labelled AS SELECT q AS query_id, i AS item_id, (q * 7919 + i * 104729) % 1013 AS score,"
            " (q * 31 + i * 17) % 5 // 4 AS relevance FROM range(50000) AS a(q), range(8) AS b(i)"
        )
        for threads in (1, 2, 4, 4):
            con.execute(f"SET threads = {threads}")
            wanted = ["rr", "ap", "gm_map", "num_rel_ret", "arp", "amr", "f(f_beta=of_averages)"]
            text = rm.sql(wanted, labelled="labelled")
            found.add(tuple(con.execute(text).fetchall()))
    assert len(found) == 1


COMPARED = {
    "t": {},
    "clusters": {"cluster": "session"},
    "arms": {"design": "unpaired"},
    "a covariate of clusters": {"design": "unpaired", "cluster": "session", "covariate": "before"},
    "bootstrap": {"test": "bootstrap", "resamples": 100},
}


@pytest.mark.parametrize("asked", ["t", *(pytest.param(name, marks=pytest.mark.long) for name in [*COMPARED][1:])])
def test_a_comparison_has_the_same_digits_every_time(asked):
    """From stored values, so many that several threads read them, in another order each time."""
    if asked == "bootstrap" and int(duckdb.__version__.partition(".")[0]) < 2:
        pytest.skip("FSUM of DuckDB 1 depends on the order")
    stored = (
        "CREATE TABLE stored AS SELECT run_id, query_id, metric_number, metric,"
        " 1 / (1 + hash(run_id, query_id) % 97) AS value, query_id % 3001 AS group_1,"
        " hash(query_id) % 1000 / 7 AS covariate FROM range(65000) AS a(query_id),"
        " (VALUES ('old'), ('new')) AS b(run_id), (VALUES (1, 'ndcg')) AS c(metric_number, metric)"
    )
    runs = {"old": "old", "new": "new"}
    text = rm.sql("ndcg", runs, "qrels", values="stored", level="compare", **COMPARED[asked])
    found = set()
    with duckdb.connect(config={"threads": 4}) as con:
        con.execute(stored)
        for _ in range(10):
            found.add(tuple(con.execute(text).fetchall()))
    assert len(found) == 1


@pytest.mark.parametrize("metric", METRICS)
def test_a_run_compared_with_itself_differs_by_nothing_at_all(metric):
    run, qrels = noisy(1, 60)
    tables = {"run": run, "again": random.Random(2).sample(run, len(run))}
    frames = {name: pd.DataFrame(rows, columns=["query_id", "item_id", "score"]) for name, rows in tables.items()}
    judgments = pd.DataFrame(qrels, columns=["query_id", "item_id", "relevance"])
    compared = quietly(rm.compare, frames["run"], {"again": frames["again"]}, judgments, [metric])
    row = dict(zip(compared.summary.columns, compared.summary.fetchall()[0], strict=True))
    assert (row["effect_size"], row["n_ties"], row["standard_error"], row["pvalue"]) == (0, 60, 0, 1)
