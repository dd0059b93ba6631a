"""check=auto: full for small tables, and for large ones what is cheap beside the evaluation."""

from __future__ import annotations

import contextlib
import warnings
from itertools import product

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.checks import sizes
from rankmetrics_sql.drivers import cancel

from ..conftest import quietly
from ..everything import each_once, mostly_long

ROWS = 1_000
JUDGED = {f"q{query}": {"d0": 1} for query in range(10)}


@pytest.fixture
def warehouse(monkeypatch):
    """A run of ten queries and a thousand items each, of which one is judged; a tenth is few for the checks."""
    monkeypatch.setattr(sizes, "EXACT_ROWS", 10 * ROWS - 1)
    monkeypatch.setattr(sizes, "_SOME_LISTS", 2)
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE runs AS SELECT 'q' || q AS query_id, 'd' || d AS item_id, -d::DOUBLE AS score"
            f" FROM range(10) AS queries(q), range({ROWS}) AS items(d)"
        )
        connection.execute("CREATE TABLE labels AS SELECT DISTINCT query_id, 'd0' AS item_id, 1 AS relevance FROM runs")
        yield connection


def evaluated(connection, metric="rr", **options):
    return quietly(rm.evaluate, "runs", "labels", [metric], connection=connection, **options)


def test_the_result_says_what_was_checked(warehouse, monkeypatch):
    assert evaluated(warehouse).check == "share"
    assert evaluated(warehouse)["rr"] == 1
    assert [evaluated(warehouse, check=check).check for check in ("full", "judged", "none")] == [
        "full",
        "judged",
        "none",
    ]
    monkeypatch.setattr(sizes, "EXACT_ROWS", 10 * ROWS)
    assert evaluated(warehouse).check == "full"


@pytest.mark.parametrize("metric", ["rr", "rr@10"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("INSERT INTO runs VALUES ('q3', 'd0', -5)", "duplicate item in a query .*q3., .d0., 2"),
        ("INSERT INTO runs SELECT query_id, item_id, score - 0.5 FROM runs WHERE query_id = 'q3'", "duplicate item"),
        ("UPDATE runs SET score = NULL WHERE query_id = 'q3' AND item_id = 'd77'", "1 row with a NULL or NaN score"),
        ("UPDATE runs SET score = 'nan' WHERE query_id = 'q3' AND item_id = 'd0'", "1 row with a NULL or NaN score"),
        ("UPDATE runs SET item_id = NULL WHERE query_id = 'q3' AND item_id = 'd77'", "1 missing id"),
        ("INSERT INTO labels SELECT * FROM labels WHERE query_id = 'q3'", "duplicate item"),
    ],
    ids=["judged duplicate", "fan-out of a query", "NULL anywhere", "NaN", "missing id", "duplicate judgment"],
)
def test_what_a_share_finds(warehouse, metric, change, message):
    warehouse.execute(change)
    with pytest.raises(rm.DataError, match=message):
        evaluated(warehouse, metric)


FAULTS = {
    "judged duplicate": ("INSERT INTO NAME VALUES ('q3', 'd0', -5)", "NAME: duplicate item in a query .*q3., .d0., 2"),
    "NaN": ("UPDATE NAME SET score = 'nan' WHERE query_id = 'q3' AND item_id = 'd0'", "NAME: 1 row with a NULL or NaN"),
    "duplicate judgment": ("INSERT INTO labels SELECT * FROM labels WHERE query_id = 'q3'", "labels: duplicate item"),
}


OTHERS = "CREATE TABLE others AS SELECT query_id, item_id, score + hash(query_id) % 7 AS score FROM runs"
COMPARISONS = [{}, {"design": "unpaired"}, {"interval_level": "corrected"}, {"check": "judged"}]


@pytest.mark.parametrize("options", COMPARISONS)
def test_counting_faults_changes_no_comparison(warehouse, options):
    """In the statement that compares, without a look at all rows before."""
    warehouse.execute(OTHERS)
    found = compared(warehouse, **options)
    assert "n_faults" not in found.summary.columns
    assert "n_faults" in found.sql
    assert found.summary.fetchall() == compared(warehouse, **{**options, "check": "none"}).summary.fetchall()


@pytest.mark.parametrize(("options", "fault", "of"), each_once(COMPARISONS, FAULTS, ["runs", "others"]))
def test_a_comparison_counts_the_faults_of_baseline_and_candidates(warehouse, of, fault, options):
    change, message = FAULTS[fault]
    warehouse.execute(OTHERS)
    warehouse.execute(change.replace("NAME", of))
    with pytest.raises(rm.DataError, match=message.replace("NAME", of)):
        compared(warehouse, **options)


def test_a_comparison_without_a_row_says_what_is_wrong(warehouse):
    """Nothing counts faults where there is no row to do so on."""
    warehouse.execute("CREATE TABLE others AS FROM runs; UPDATE others SET query_id = 'p' || query_id")
    options = {"check": "judged", "queries": "judged_retrieved", "design": "unpaired"}
    with pytest.raises(rm.DataError, match="others: none of its queries has a judgment"):
        compared(warehouse, **options)
    warehouse.execute("INSERT INTO runs VALUES ('q3', 'd0', -5)")
    with pytest.raises(rm.DataError, match="runs: duplicate item in a query"):
        compared(warehouse, **options)


def compared(connection, **options):
    return quietly(rm.compare, "runs", ["others"], "labels", ["rr", "p@5"], connection=connection, **options)


@pytest.mark.long
def test_a_share_holds_whole_lists(warehouse, monkeypatch):
    """So that a duplicate is found in the share that its list is in, whatever its rows hold besides."""
    monkeypatch.setattr(sizes, "SHARE", 4)
    warehouse.execute("INSERT INTO runs SELECT 'q' || q, 'd0', 1 FROM range(10, 50) AS queries(q)")
    found: dict[int, list[tuple[int, bool]]] = {}
    for query, item in product(range(1, 40), (5, 900)):
        warehouse.execute(f"INSERT INTO runs VALUES ('q{query}', 'd{item}', 0.5), ('q{query}', 'd{item}', 0.4)")
        try:
            evaluated(warehouse)
        except rm.DataError as error:
            said = f"('q{query}', 'd{item}', {3 if query < 10 else 2})"
            found.setdefault(query, []).append((item, said in str(error)))
        warehouse.execute("DELETE FROM runs WHERE score > 0 AND score < 1")
    assert 3 < len(found) < 20
    assert all(items == [(5, True), (900, True)] for items in found.values())


@pytest.mark.parametrize(("n_queries", "share"), [(1, 1), (39, 1), (50, 2), (5000, 64)])
def test_a_share_is_of_some_lists_at_least(n_queries, share):
    """A few long lists are all looked at."""
    rows = f"SELECT q % {n_queries} AS query_id, q AS item_id, 1 AS score FROM range({sizes.EXACT_ROWS + 1}) AS t(q)"
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE runs AS {rows}")
        labels = "SELECT query_id, MIN(item_id) AS item_id, 1 AS relevance FROM runs GROUP BY 1"
        connection.execute(f"CREATE TABLE labels AS {labels}")
        result = evaluated(connection, "p@5")
    [said] = [text for text in result.warnings if "whose order decides" in text]
    assert result.check == ("full" if share == 1 else "share")
    assert ("in 1 of " in said) == (n_queries >= 40)


def test_a_small_run_beside_many_judgments_is_looked_at_whole(warehouse):
    warehouse.execute("INSERT INTO labels SELECT 'p' || l, 'd1', 1 FROM range(10000) AS t(l)")
    warehouse.execute("CREATE TABLE few AS SELECT * FROM runs WHERE query_id = 'q1' AND score > -10")
    warehouse.execute("UPDATE few SET score = -4 WHERE item_id = 'd5'")
    warehouse.execute("INSERT INTO labels VALUES ('q1', 'd5', 1)")
    result = quietly(rm.evaluate, "few", "labels", ["p@5"], connection=warehouse)
    assert result.check == "share"
    assert any(text.startswith("few: 1 query with equal scores") for text in result.warnings)
    warehouse.execute("INSERT INTO few VALUES ('q1', 'd7', -20)")
    with pytest.raises(rm.DataError, match=r"duplicate item in a query .*\('q1', 'd7', 2\)"):
        quietly(rm.evaluate, "few", "labels", ["p@5"], connection=warehouse)


@contextlib.contextmanager
def listening():
    """A list that has the statements which run meanwhile."""
    found: list[str] = []
    token = cancel.listener.set(lambda sql, _seconds: found.append(sql))
    try:
        yield found
    finally:
        cancel.listener.reset(token)


def test_one_more_run_is_one_more_table_to_load():
    """All checks look at all runs together; beside the load, its columns are looked up."""
    numbers = []
    for names in ("a", "ab", "abcd"):
        with listening() as found:
            rm.evaluate({name: {"q": {"x": 2.0, "y": 1.0}} for name in names}, {"q": {"x": 1, "y": 0}}, ["p@1", "ap"])
        numbers.append(len(found))
    assert (numbers[1] - numbers[0], numbers[2] - numbers[0]) == (2, 6)


@pytest.mark.parametrize(("few", "looked"), [(ROWS * 10, 0), (ROWS * 10 - 1, 1)])
def test_nobody_looks_at_few_rows_to_choose_a_strategy(warehouse, monkeypatch, few, looked):
    """It would take longer than the statement."""
    monkeypatch.setattr(sizes, "EXACT_ROWS", 10 * ROWS)
    monkeypatch.setattr(sizes, "_FEW_ROWS", few)
    warehouse.execute("INSERT INTO labels SELECT query_id, item_id, 1 FROM runs WHERE score < 0 AND score > -40")
    with listening() as found:
        assert evaluated(warehouse)["rr"] == 1
    assert sum("n_judged" in sql and "rankmetrics_share" in sql for sql in found) == looked


@pytest.mark.parametrize("others", mostly_long([0, 200], 0))
@pytest.mark.parametrize(
    ("places", "equal", "gaps"),
    [
        ([1, 2, 3], 0, 0),
        ([1, 1, 3], 1, 0),
        ([1, 2, 4], 0, 1),
        ([0, 1, 2], 0, 1),
        ([2, 2, 3, 3, 5, 5, 8, 8], 1, 0),  # as many, as large together and in squares as 1 to 8
        ([1.0, 2.5, 3.0], 0, 0),  # in order, and as far as there are items
        (list(range(1, 71)), 0, 0),
        ([*range(1, 70), 69], 1, 0),
        ([*range(1, 50), 51], 0, 1),
    ],
)
def test_positions_that_are_not_all_places(places, equal, gaps, others):
    """Beside other lists, so that lists are short on average or long."""
    rows = [("q", f"i{number}", place) for number, place in enumerate(places)]
    rows += [(f"o{number}", item, place) for number in range(others) for place, item in enumerate("ab", 1)]
    run = pd.DataFrame(rows, columns=["query_id", "item_id", "position"])
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        rm.evaluate(run, {"q": {"i0": 1}}, ["rr"])
    said = " ".join(str(warning.message) for warning in found)
    assert ("with equal positions" in said, "with gaps in the positions" in said) == (bool(equal), bool(gaps))
