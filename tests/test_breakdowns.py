"""Totals of a summary: every level is what it is by itself, and says which it is."""

from __future__ import annotations

import math
import random
import statistics
import warnings
from itertools import chain, combinations

import duckdb
import pytest

import rankmetrics_sql as rm

from .conftest import QRELS, RUN, quietly, random_data
from .everything import seeds

METRICS = ("ndcg@5", "ap", "num_rel", "rr(aggregate=median)", "ap(aggregate=median)@5", "gm_map", "p(aggregate=max)@5")
METRICS += ("f(f_beta=of_averages)", "ap(no_relevant=skip)", "rr(no_relevant=null)", "r(queries=retrieved)@5")
COLUMNS = {"market": "query_list.market", "device": "qrels.device", "app": "run.app"}
SEGMENTS = (None, "de", "fr", "")


def tables(seed, systems=("a",)):
    """A run, judgments and a list of queries, each with a segment for each query; it may be NULL."""
    rng = random.Random(seed)
    run, qrels = random_data(seed)
    segments = {query: [rng.choice(SEGMENTS) for _ in COLUMNS] for query in {**run, **qrels}}
    connection = duckdb.connect()
    connection.execute("CREATE TABLE run (system TEXT, query_id TEXT, item_id TEXT, score DOUBLE, app TEXT)")
    connection.execute("CREATE TABLE qrels (query_id TEXT, item_id TEXT, relevance INTEGER, device TEXT)")
    connection.execute("CREATE TABLE listed (query_id TEXT, market TEXT)")
    for name in systems:
        rows = [(name, q, item, s * rng.choice([1, -1]), segments[q][2]) for q in run for item, s in run[q].items()]
        connection.executemany("INSERT INTO run VALUES (?, ?, ?, ?, ?)", rows)
    judged = [(q, item, grade, segments[q][1]) for q in qrels for item, grade in qrels[q].items()]
    connection.executemany("INSERT INTO qrels VALUES (?, ?, ?, ?)", judged)
    connection.executemany("INSERT INTO listed VALUES (?, ?)", [(q, both[0]) for q, both in segments.items()])
    return connection


def subsets(names):
    return list(chain.from_iterable(combinations(names, size) for size in range(len(names) + 1)))


def named(columns):
    return ", ".join(columns) or "total"


def without(row, *names):
    return {name: value for name, value in row.items() if name not in names}


def check_same(rows, expected):
    """The same rows in the same order; the last digit may be that of another order of addition."""
    assert len(rows) == len(expected)
    for row, wanted in zip(rows, expected, strict=True):
        close = None if wanted["value"] is None else pytest.approx(wanted["value"], rel=1e-12, abs=1e-12)
        assert row == wanted | {"value": close}


def asked(connection, names, metrics, **given):
    by = [COLUMNS[name] for name in names]
    return rm.evaluate("run", "qrels", metrics, connection=connection, query_list="listed", by=by, **given)


def drawn(seed):
    """Names of columns, metrics and other arguments."""
    rng = random.Random(seed)
    names = rng.sample(list(COLUMNS), rng.randint(1, 3))
    metrics = rng.sample(METRICS, rng.randint(1, 5))
    systems = rng.choice([("a",), ("b", "a")])
    given = {"columns": {"run_id": "system"}} if len(systems) > 1 else {}
    given |= rng.choice([{}, {"queries": "judged_retrieved"}, {"unjudged": "drop"}, {"check": "none"}])
    return tables(seed, systems), names, metrics, given


@pytest.mark.parametrize("seed", seeds(8))
def test_a_level_is_what_it_is_by_itself(seed):
    connection, names, metrics, given = drawn(seed)
    rows = quietly(asked, connection, names, metrics, rollup=True, **given).summary.dicts()
    assert list(dict.fromkeys(row["breakdown"] for row in rows if row.get("run_id", "a") == "a")) == [
        named(columns) for columns in subsets(names)
    ]
    for columns in subsets(names):
        own = [row for row in rows if row["breakdown"] == named(columns)]
        assert all(row[name] is None for row in own for name in set(names) - set(columns))
        alone = quietly(asked, connection, columns, metrics, **given).summary.dicts()
        check_same([without(row, "breakdown", *names) for row in own], [without(row, *names) for row in alone])
        assert [[row[name] for name in columns] for row in own] == [[row[name] for name in columns] for row in alone]


@pytest.mark.parametrize("seed", seeds(4))
def test_counts_add_up_to_the_total(seed):
    names = drawn(seed)[1]
    connection = tables(seed)
    rows = quietly(asked, connection, names, ["ap", "num_q"], rollup=True).summary.dicts()
    totals = {row["metric"]: row["n_queries"] for row in rows if row["breakdown"] == "total"}
    for columns in subsets(names):
        own = [row for row in rows if row["breakdown"] == named(columns)]
        for metric, total in totals.items():
            assert sum(row["n_queries"] for row in own if row["metric"] == metric) == total


@pytest.mark.parametrize("seed", seeds(4))
def test_some_sets_in_the_order_given(seed):
    connection, names, metrics, given = drawn(seed)
    rng = random.Random(seed)
    sets = rng.sample(subsets(names), rng.randint(1, 2 ** len(names)))
    every = quietly(asked, connection, names, metrics, rollup=True, **given).summary.dicts()
    rollup = [[COLUMNS[name] for name in rng.sample(columns, len(columns))] for columns in sets]
    some = quietly(asked, connection, names, metrics, rollup=rollup, **given).summary.dicts()
    expected = sorted(
        (row for row in every if row["breakdown"] in map(named, sets)),
        key=lambda row: (row.get("run_id", ""), list(map(named, sets)).index(row["breakdown"])),
    )
    check_same(some, expected)


@pytest.mark.parametrize("seed", seeds(4))
@pytest.mark.parametrize("rollup", [True, False])
def test_small_groups_are_left_out_and_counted(seed, rollup):
    connection, names, metrics, given = drawn(seed)
    every = quietly(asked, connection, names, metrics, rollup=rollup, **given).summary.dicts()
    wanted = sorted(row["n_queries"] for row in every)[len(every) // 2]
    large = [row for row in every if row["n_queries"] >= wanted or row.get("breakdown") == "total"]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = asked(connection, names, metrics, rollup=rollup, min_queries=wanted, **given)
    check_same(found.summary.dicts(), large)
    n_left_out = len(every) - len(large)
    if n_left_out and given.get("check") != "none":
        some = f"min_queries={wanted}: {n_left_out} row"
        assert any(str(each.message).startswith(some) for each in said)
    assert len(found.per_query) == len(quietly(asked, connection, names, metrics, **given).per_query)


def test_all_groups_may_be_too_small():
    connection = tables(1)
    with pytest.raises(rm.DataError, match="fewer than min_queries=1000"):
        quietly(asked, connection, ["market"], ["ap"], min_queries=1000)
    [row] = quietly(asked, connection, ["market"], ["ap"], min_queries=1000, rollup=True).summary.dicts()
    assert row["breakdown"] == "total"


def test_ties_across_a_cutoff_are_counted_once():
    """Not once for every set of groups."""
    connection = tables(3)
    alone, together = (quietly(asked, connection, ["market"], ["p@5"], rollup=rollup) for rollup in (False, True))
    assert [text for text in alone.warnings if "cutoff" in text]
    assert alone.warnings == together.warnings


def test_a_rollup_is_left_in_the_database_and_made_of_stored_values():
    connection = tables(5)
    result = quietly(asked, connection, ["market", "device"], ["ap", "rr"], rollup=True, min_queries=2)
    result.create_table("kept")
    assert connection.execute("SELECT * FROM kept ORDER BY ALL").fetchall() == sorted(
        result.summary.fetchall(), key=lambda row: [(value is None, value) for value in row]
    )
    parts = quietly(asked, connection, ["market", "device"], ["ap", "rr"], rollup=True, min_queries=2, partitions=3)
    check_same(parts.summary.dicts(), result.summary.dicts())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rollup": True}, "rollup adds rows for fewer groups, and there are none; name columns: by="),
        ({"min_queries": 3}, "min_queries leaves out groups, and there are none; name columns: by="),
        ({"by": "market", "rollup": [["markt"]]}, "rollup: markt is none of the columns to break down by, .* market"),
        ({"by": "market", "rollup": "market"}, "rollup is True, False or a list of lists of columns, not 'market'"),
        ({"by": "market", "rollup": [1]}, "rollup is a column name or a list of them, not 1"),
        ({"by": "market", "min_queries": 0}, "min_queries is a whole number of at least 1, not 0"),
        ({"by": "breakdown", "rollup": True}, "'breakdown' would stand twice"),
        ({"by": "total", "rollup": True}, "'total' would stand twice"),
        ({"by": "market", "rollup": True, "level": "per_query"}, "rollup is for a summary"),
        ({"by": "market", "rollup": True, "level": "sums"}, "rollup is for a summary"),
        ({"by": "users", "level": "sums"}, "'users' would stand twice"),
        ({"by": "market", "min_queries": 2, "level": "values"}, "min_queries is for a summary"),
        ({"by": "market", "rollup": True, "level": "compare", "run": {"a": "x", "b": "y"}}, "rollup is for a summary"),
    ],
)
def test_what_contradicts_itself_is_refused(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.sql("ap", **{"run": "runs", "qrels": "labels"} | given)


def sums(connection, metrics, by=(), **given):
    """The columns that add up, by run, groups and metric."""
    text = rm.sql(
        metrics, "run", "qrels", level="sums", by=list(by), query_list="listed", connection=connection, **given
    )
    rows = connection.execute(text).fetchall()
    return {row[:-3]: row[-3:] for row in rows}


ADDING_UP = ("ndcg@5", "ap(no_relevant=skip)", "rr(no_relevant=null)", "num_rel", "p@5", "gm_map")


@pytest.mark.parametrize("seed", seeds(6))
def test_sums_of_groups_are_those_of_the_whole(seed):
    names = drawn(seed)[1]
    connection = tables(seed, ("a", "b"))
    columns = {"run_id": "system"}
    whole = sums(connection, ADDING_UP, columns=columns)
    parts = sums(connection, ADDING_UP, [COLUMNS[name] for name in names], columns=columns)
    assert len(whole) == 2 * len(ADDING_UP)
    for (run, metric), expected in whole.items():
        own = [found for key, found in parts.items() if (key[0], key[-1]) == (run, metric)]
        assert [math.fsum(column) for column in zip(*own, strict=True)] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", seeds(6))
def test_mean_and_variance_follow_from_sums(seed):
    connection = tables(seed)
    result = quietly(asked, connection, [], ADDING_UP)
    values = {name: [row[name] for row in result.per_query.dicts() if row[name] is not None] for name in ADDING_UP}
    values["gm_map"] = [math.log(max(each, 1e-5)) for each in values["gm_map"]]
    for (metric,), (users, total, squares) in sums(connection, ADDING_UP).items():
        assert users == len(values[metric])
        assert total / users == pytest.approx(statistics.fmean(values[metric]), rel=1e-12)
        variance = (squares - total * total / users) / (users - 1)
        assert variance == pytest.approx(statistics.variance(values[metric]), rel=1e-12, abs=1e-12)
    for row in result.summary.dicts():
        users, total, _ = sums(connection, ADDING_UP)[row["metric"],]
        expected = {"num_rel": total, "gm_map": math.exp(total / users)}.get(row["metric"], total / users)
        assert row["value"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", ["ap(aggregate=median)", "ap(aggregate=max)", "f(f_beta=of_averages)"])
def test_what_is_not_made_of_sums_has_none(metric):
    with pytest.raises(rm.UsageError, match="not made of sums over queries"):
        rm.sql(metric, "runs", "labels", level="sums")


def test_nothing_is_asked_of_groups_that_are_not_there():
    with pytest.raises(rm.UsageError, match="name columns"):
        rm.evaluate(RUN, QRELS, ["ap"], rollup=True)
