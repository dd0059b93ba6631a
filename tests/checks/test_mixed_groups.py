"""A query whose rows name two values of a group: Python refuses it, and a statement gives it no value."""

from __future__ import annotations

import random
from collections import defaultdict
from statistics import fmean

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly, random_data
from ..everything import seeds
from ..oracles import brute

METRICS = {"ndcg@5": ("ndcg", {"k": 5}), "rr": ("rr", {}), "ap": ("ap", {}), "p@5": ("p", {"k": 5})}
SIDES = ("run", "qrels", "query_list")


def market_of(rng, own, is_mixed, number):
    """The market on a row of a query: one row in each list of a mixed query has another; some rows name none."""
    if is_mixed and number == 0:
        return "zz"
    return own if number == 1 or rng.random() < 0.8 else None


def drawn(seed):
    """Tables in DuckDB, and of each query its values, its market, and the sides that name two of them."""
    rng = random.Random(seed)
    run, qrels = random_data(seed)
    run = {query: items for query, items in run.items() if len(items) > 1}
    qrels = {query: items for query, items in qrels.items() if len(items) > 1}
    queries = sorted({*run, *qrels})
    markets = {query: rng.choice(["de", "fr"]) for query in queries}
    there = {"run": run, "qrels": qrels, "query_list": queries}
    mixed = {query: {side for side in SIDES if rng.random() < 0.2 and query in there[side]} for query in queries}
    connection = duckdb.connect()
    connection.execute("CREATE TABLE run (query_id TEXT, item_id TEXT, score DOUBLE, market TEXT)")
    connection.execute("CREATE TABLE qrels (query_id TEXT, item_id TEXT, relevance DOUBLE, market TEXT)")
    connection.execute("CREATE TABLE listed (query_id TEXT, market TEXT)")
    for side, table, rows in (("run", "run", run), ("qrels", "qrels", qrels)):
        fill(
            connection,
            table,
            [
                (query, item, value, market_of(rng, markets[query], side in mixed[query], number))
                for query in rows
                for number, (item, value) in enumerate(rows[query].items())
            ],
        )
    listed = [(query, markets[query]) for query in queries]
    fill(connection, "listed", listed + [(query, "zz") for query in queries if "query_list" in mixed[query]])
    values = {}
    for query in qrels:
        items = run.get(query, {})
        grades = [qrels[query].get(item) for item in brute.ranked(items)]
        truth = list(qrels[query].values())
        values[query] = [brute.value(name, grades, truth, params) for name, params in METRICS.values()]
    return connection, values, markets, mixed


def written(connection, level, by, **given):
    text = rm.sql([*METRICS], "run", "qrels", query_list="listed", level=level, by=by, **given)
    cursor = connection.execute(text)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def sides_of(seed):
    rng = random.Random(seed)
    return rng.sample(SIDES, rng.randint(1, 3))


def expected_values(values, mixed, sides):
    return {query: [None] * len(METRICS) if mixed[query] & {*sides} else own for query, own in values.items()}


@pytest.mark.parametrize("seed", seeds(12, 3))
def test_values_beside_the_formulas(seed):
    connection, values, _, mixed = drawn(seed)
    sides = sides_of(seed)
    by = [f"{side}.market" for side in sides]
    expected = expected_values(values, mixed, sides)
    assert any(own[0] is None for own in expected.values())
    for query, own in expected.items():
        expected[query] = [None if value is None else pytest.approx(value, abs=1e-12) for value in own]
    aliases = {f"{side}.market": f"{side}.market" for side in sides}
    if len(sides) > 1:  # two columns of one name
        connection.execute("ALTER TABLE run RENAME market TO app")
        connection.execute("ALTER TABLE listed RENAME market TO shelf")
        aliases = {"run.market": "run.app", "qrels.market": "qrels.market", "query_list.market": "query_list.shelf"}
    by = [aliases[name] for name in by]
    columns = ["ndcg_at_5", "rr", "ap", "p_at_5"]
    rows = written(connection, "per_query", by)
    assert {row["query_id"]: [row[name] for name in columns] for row in rows} == expected
    long = defaultdict(dict)
    for row in written(connection, "values", by):
        long[row["query_id"]][row["metric"]] = row["value"]
    assert {query: [own[metric] for metric in METRICS] for query, own in long.items()} == expected
    with pytest.raises(rm.DataError, match="has two values in"):
        quietly(rm.evaluate, "run", "qrels", [*METRICS], connection=connection, query_list="listed", by=by)


@pytest.mark.parametrize("seed", seeds(12, 1))
@pytest.mark.parametrize("side", SIDES)
def test_means_are_of_the_others(seed, side):
    """It is left out as a query without a value is, and counted; in a total, too."""
    connection, values, markets, mixed = drawn(seed)
    expected = expected_values(values, mixed, [side])
    rows = written(connection, "summary", f"{side}.market", rollup=True)
    numbers = ("value", "n_queries", "n_left_out")
    totals = {row["metric"]: tuple(row[name] for name in numbers) for row in rows if row["breakdown"] == "total"}
    for number, metric in enumerate(METRICS):
        known = [own[number] for own in expected.values() if own[number] is not None]
        assert totals[metric] == (
            pytest.approx(fmean(known), abs=1e-12),
            len(known),
            len(values) - len(known),
        )
        for market in ("de", "fr"):
            of_market = [own[number] for query, own in expected.items() if markets[query] == market]
            [row] = [row for row in rows if row["market"] == market and row["metric"] == metric]
            shown = [value for value in of_market if value is not None]
            if side != "run":  # by the run, a query without a list is of no market
                assert row["value"] == (pytest.approx(fmean(shown), abs=1e-12) if shown else None)
    for row in written(connection, "sums", f"{side}.market"):
        if row["market"] == "zz":
            assert (row["users"], row["main_sum"]) == (0, 0)


OTHERS = {
    "plain": {},
    "clusters": {"cluster": "query_list.person"},
    "weights": {"weight": "query_list.traffic"},
    "period": {"period": "day", "columns": {"time": "query_list.asked"}},
}


@pytest.mark.parametrize("seed", seeds(6, 1))
@pytest.mark.parametrize("other", OTHERS)
def test_comparisons_are_of_the_others(seed, other):
    """What a comparison says of the other queries is what it says where the mixed ones are not there."""
    rng = random.Random(seed)
    connection, _, markets, mixed = drawn(seed)
    connection.execute("ALTER TABLE listed ADD COLUMN person TEXT; ALTER TABLE listed ADD COLUMN traffic DOUBLE")
    connection.execute("ALTER TABLE listed ADD COLUMN asked TIMESTAMP")
    for number, query in enumerate(markets):
        facts = [f"p{number % 6}", rng.randint(1, 9), f"2026-01-0{number % 2 + 1} 12:00:00", query]
        connection.execute("UPDATE listed SET person = ?, traffic = ?, asked = ? WHERE query_id = ?", facts)
    connection.execute("CREATE TABLE other AS SELECT query_id, item_id, -score AS score, market FROM run")
    given = {"query_list": "listed", "by": "query_list.market", "level": "compare", **OTHERS[other]}
    text = rm.sql([*METRICS], {"a": "run", "b": "other"}, "qrels", correction="none", **given)
    found = by_key(connection, text)
    gone = [query for query in markets if "query_list" in mixed[query]]
    for table in ("run", "other", "qrels", "listed"):
        connection.execute(f"DELETE FROM {table} WHERE query_id IN (SELECT UNNEST(?))", [gone])
    expected = by_key(connection, text)
    assert gone
    assert expected
    for key, row in expected.items():
        assert found[key].pop("n_left_out") >= row.pop("n_left_out")  # which are those
        for name, value in row.items():
            close = pytest.approx(value, rel=1e-9, abs=1e-12) if isinstance(value, float) else value
            assert found[key][name] == close, (key, name)


def by_key(connection, text):
    """The rows of a comparison, by what they are about."""
    cursor = connection.execute(text)
    names = [column[0] for column in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return {tuple(row.get(name) for name in ("run", "market", "period", "metric")): row for row in rows}


@pytest.mark.parametrize("side", ["run", "qrels"])
def test_rows_that_are_left_out_later_name_a_group_too(side):
    """Of a repeated row, and of the subtopics of an item, one stays."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE r AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS score, x AS market, 1 AS n"
                           " FROM (VALUES ('de'), ('fr')) AS t(x)")  # fmt: skip
        connection.execute("CREATE TABLE j AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS relevance, x AS market,"
                           " x AS topic FROM (VALUES ('de'), ('fr')) AS t(x)")  # fmt: skip
        kept = {"run": {"duplicates": "first"}, "qrels": {"duplicate_judgments": "highest"}}[side]
        text = rm.sql("rr", "r", "j", by=f"{side}.market", level="per_query", **kept)
        assert connection.execute(text).fetchall() == [("q", "de", None)]
        if side == "qrels":
            columns = {"qrels.subtopic": "topic"}
            text = rm.sql(["rr", "alpha_ndcg"], "r", "j", by="market", level="per_query", columns=columns)
            assert connection.execute(text).fetchall() == [("q", "de", None, None)]


@pytest.mark.parametrize("seed", seeds(6, 1))
def test_dbt_agrees(seed):
    connection, values, _, mixed = drawn(seed)
    arguments = {"qrels": "qrels", "by": "qrels.market"}
    text = str(macros()["per_query"]("run", [*METRICS], **arguments))
    found = {row[0]: list(row[2:]) for row in connection.execute(text).fetchall()}
    expected = expected_values(values, mixed, ["qrels"])
    assert found == {
        query: [None if value is None else pytest.approx(value, abs=1e-12) for value in own]
        for query, own in expected.items()
    }


def test_one_of_two_runs_names_two():
    """Runs whose queries are paired have to agree."""
    with duckdb.connect() as connection:
        for run, market in (("a", "de"), ("b", "fr")):
            connection.execute(
                f"CREATE TABLE {run} AS SELECT 'q' || n AS query_id, 'i' AS item_id, 1 AS score,"
                f" CASE WHEN n < 2 THEN '{market}' ELSE 'de' END AS market FROM range(4) AS t(n)"
            )
        connection.execute("CREATE TABLE j AS SELECT DISTINCT query_id, item_id, 1 AS relevance FROM a")
        asked = {"by": "run.market", "level": "compare_per_query"}
        rows = connection.sql(rm.sql("rr", {"a": "a", "b": "b"}, "j", **asked))
        wanted = [rows.columns.index(name) for name in ("query_id", "baseline", "candidate")]
        assert {tuple(row[place] for place in wanted) for row in rows.fetchall()} == {("q2", 1, 1), ("q3", 1, 1)}


@pytest.mark.parametrize("queries", ["judged", "judged_relevant"])
@pytest.mark.parametrize("level", ["summary", "sums", "per_query", "compare"])
def test_a_judged_query_without_results_scores_0_in_the_group_that_no_run_names(level, queries):
    """What one relation does not know of a query is no second value of its group."""
    with duckdb.connect() as con:
        con.execute("CREATE TABLE shown AS SELECT 'q1' AS query_id, 'a' AS item_id, 1.0 AS score, 'de' AS market")
        con.execute("CREATE TABLE labels AS SELECT unnest(['q1', 'q2']) AS query_id, 'a' AS item_id, 1 AS relevance")
        runs = {"old": "shown", "new": "shown"} if level == "compare" else "shown"
        asked = {"by": "run.market", "queries": queries, "level": level}
        asked |= {"baseline": "old"} if level == "compare" else {}
        rows = con.sql(rm.sql(["rr", "judged@1"], runs, "labels", **asked)).pl().to_dicts()
    [lost] = [row for row in rows if row["market"] is None and row.get("metric", "rr") == "rr"]
    found = {"summary": "value", "sums": "main_sum", "per_query": "rr", "compare": "candidate"}[level]
    assert lost[found] == 0
