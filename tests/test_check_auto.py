"""check=auto: full for small tables, and for large ones what is cheap beside the evaluation."""

from __future__ import annotations

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.evaluation import checks

from .conftest import quietly

ROWS = 1_000
JUDGED = {f"q{query}": {"d0": 1} for query in range(10)}


@pytest.fixture
def warehouse(monkeypatch):
    """A run of ten queries and a thousand items each, of which one is judged; a tenth is few for the checks."""
    monkeypatch.setattr(checks, "EXACT_ROWS", 10 * ROWS - 1)
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
    monkeypatch.setattr(checks, "EXACT_ROWS", 10 * ROWS)
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


def test_a_share_holds_all_copies_of_a_key_or_none(warehouse, monkeypatch):
    """So that a duplicate is found in the share that its key is in, whatever its rows hold besides."""
    monkeypatch.setattr(checks, "SHARE", 4)
    found = []
    for item in range(1, 41):
        warehouse.execute(f"INSERT INTO runs VALUES ('q1', 'd{item}', 0.5)")
        try:
            evaluated(warehouse)
        except rm.DataError as error:
            found.append(f"('q1', 'd{item}', 2)" in str(error))
        warehouse.execute(f"DELETE FROM runs WHERE query_id = 'q1' AND item_id = 'd{item}' AND score = 0.5")
    assert 1 < len(found) < 25
    assert all(found)


@pytest.mark.parametrize("options", [{}, {"score_type": "float32"}, {"ties": "best"}])
def test_scores_that_tie_at_a_cutoff_are_found_in_a_share_of_the_lists(warehouse, monkeypatch, options):
    monkeypatch.setattr(checks, "SHARE", 2)
    near = 1e-9 if "score_type" in options else 0  # less than 32 bits hold
    warehouse.execute(f"UPDATE runs SET score = -4 - {near} WHERE item_id = 'd5'")
    for k, wanted in {4: False, 5: True, 6: False}.items():
        said = [text for text in evaluated(warehouse, f"p@{k}", **options).warnings if "equal scores" in text]
        assert len(said) == wanted
        assert all("of 1 list in 2, " in text and f"both sides of a cutoff ({k})" in text for text in said)
