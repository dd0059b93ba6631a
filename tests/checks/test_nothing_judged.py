"""Gates of dbt and the command line where nothing that a run retrieved is judged: whatever is asked, they fail."""

from __future__ import annotations

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..everything import each_once

METRICS = ["ndcg@5", "fallout@5", "rbp_residual"]
QUERIES = range(8)
RUNS = {
    "good": [(f"q{q}", f"d{i}", 9 - i) for q in QUERIES for i in range(6)],
    "bad": [(f"q{q}", f"d{i}", i) for q in QUERIES for i in range(6)],
    "strange": [(f"q{q}", f"D{i}", 9 - i) for q in QUERIES for i in range(6)],
    "elsewhere": [(f"Q{q}", f"d{i}", 9 - i) for q in QUERIES for i in range(6)],
}
QRELS = [(f"q{q}", f"d{i}", int(i % 3 == q % 2)) for q in QUERIES for i in range(6)]


def is_judged(run):
    """The twin: whether a row of the run names a query and an item of a judgment."""
    return bool({row[:2] for row in RUNS[run]} & {row[:2] for row in QRELS})


@pytest.fixture(scope="module")
def place():
    with duckdb.connect() as connection:
        for name, rows in RUNS.items():
            connection.execute(f"CREATE TABLE {name} (query_id TEXT, item_id TEXT, score INT)")
            fill(connection, name, rows)
            connection.execute(
                f"CREATE VIEW {name}_labelled AS SELECT query_id, item_id, score, relevance"
                f" FROM {name} LEFT JOIN qrels USING (query_id, item_id)"
                if name != "good"
                else "CREATE TABLE qrels (query_id TEXT, item_id TEXT, relevance INT)"
            )
            if name == "good":
                fill(connection, "qrels", QRELS)
                connection.execute(
                    "CREATE VIEW good_labelled AS SELECT * FROM good LEFT JOIN qrels USING (query_id, item_id)"
                )
        both = " UNION ALL ".join(f"SELECT '{name}' AS system, * FROM {name}" for name in RUNS)
        connection.execute(f"CREATE VIEW together AS {both}")
        yield connection


def broken(connection, test, *arguments, **given):
    """The rows that a generic test returns, by their columns."""
    cursor = connection.execute(macros("duckdb")[f"test_{test}"](*arguments, **given))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


LENIENT = [
    {"error_drop": 1},
    {"warn_drop": 1},
    {"margin": 0.5},
    {"margin": 0.9, "fail_unless_shown": True},
    {"error_drop": 1, "relative": True, "min_queries": 99},
    {"error_drop": 1, "z": 3},
]


@pytest.mark.parametrize(("model", "baseline"), each_once(RUNS, RUNS))
def test_not_worse(place, model, baseline):
    """Of no limit and no metric does it depend, nor on how few queries there are."""
    for given in LENIENT:
        rows = broken(place, "metric_not_worse_than", model, METRICS, baseline=baseline, qrels="qrels", **given)
        found = [row["metric"] for row in rows if "judged" in str(row["reason"]) and row["severity_level"] == 2]
        assert sorted(found) == ([] if is_judged(model) and is_judged(baseline) else sorted(METRICS)), given


@pytest.mark.parametrize("model", RUNS)
@pytest.mark.parametrize("options", [{}, {"unjudged": "relevant"}, {"unjudged": "drop"}, {"queries": "retrieved"}])
def test_above(place, model, options):
    for given in ({"error_below": -1}, {"warn_below": -1}, {"warn_below": -1, "min_queries": 99}):
        rows = broken(place, "metric_above", model, METRICS, qrels="qrels", options=options, **given)
        found = [row["metric"] for row in rows if row["reason"] == "no retrieved item is judged"]
        assert sorted(found) == ([] if is_judged(model) else sorted(METRICS))
        assert all(row["severity_level"] == 2 for row in rows if row["reason"] is not None)
    [*rows] = broken(place, "judged_share_above", model, warn_below=0, qrels="qrels")
    assert [row["severity_level"] for row in rows] == ([] if is_judged(model) else [2])


@pytest.mark.parametrize("column", ["system", "upper(system)"])
def test_each_run_of_a_table_by_itself(place, column):
    rows = broken(place, "metric_above", "together", ["ndcg"], warn_below=-1, qrels="qrels", columns={"run": column})
    assert {row["run_id"].lower() for row in rows if row["reason"]} == {name for name in RUNS if not is_judged(name)}


@pytest.mark.parametrize("model", RUNS)
def test_a_table_with_its_own_labels(place, model):
    given = {"options": {"queries": "retrieved"}}
    rows = broken(place, "metric_above", f"{model}_labelled", ["ndcg"], error_below=-1, **given)
    assert [row["reason"] for row in rows] == ([] if is_judged(model) else ["no retrieved item is judged"])
    given["baseline"] = "good_labelled"
    rows = broken(place, "metric_not_worse_than", f"{model}_labelled", ["ndcg"], error_drop=2, **given)
    assert [row["reason"] for row in rows] == ([] if is_judged(model) else ["no retrieved item is judged"])


def test_what_reads_no_judgment_needs_none(place):
    columns = {"relevance": None}
    assert broken(place, "metric_above", "strange", ["personalisation@5"], error_below=-1, qrels="qrels") == []
    assert broken(place, "metric_above", "strange", ["personalisation@5"], error_below=-1, columns=columns) == []


@pytest.mark.parametrize("model", RUNS)
def test_overlap(place, model):
    common = {row[0] for row in RUNS[model]} & {row[0] for row in QRELS}
    rows = broken(place, "queries_overlap", model, qrels="qrels", warn_below=0)
    assert [row["severity_level"] for row in rows] == ([] if common else [2, 2])


@pytest.mark.parametrize(
    ("metrics", "options", "model"),
    each_once(
        [["fallout@5"], ["ndcg@5"], ["rbp_residual"], METRICS],
        [{}, {"unjudged": "relevant"}, {"unjudged": "drop"}],
        ["good", "strange"],
    ),
)
def test_python_knows_such_runs(place, metrics, options, model):
    """Also by metrics whose least value is the best, and by those that give unjudged items a grade."""
    found = quietly(rm.evaluate, model, "qrels", metrics, connection=place, **options)
    assert list(found.unjudged) == ([] if is_judged(model) else ["run"])
    compared = quietly(rm.compare, "good", {"other": model}, "qrels", metrics, connection=place, **options)
    assert list(compared.unjudged) == ([] if is_judged(model) else ["other"])
