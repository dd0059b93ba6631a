"""A score that is NaN is ordered as one that is NULL: last."""

from __future__ import annotations

import math
import random
import re
from typing import Any

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.dialects import check_dialect
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import each_once, mostly_long, seeds

SCORES = (None, math.nan, math.nan, -1e30, -1.0, 0.0, 0.5, 1.0, 1e30)
METRICS = ["rr", "ap", "p@2", "num_ret"]
# Of the engines that run text, those whose doubles can be NaN and which order it as NULL.
ORDERED = [
    *("duckdb", "duckdb-1", "postgres-15", "postgres-18", "clickhouse", "datafusion", "googlesql", "spark", "trino")
]
# How those that take no NaN from outside make one of the number that stands for it.
STANDS = 12345.0
READ = "SELECT query_id, item_id, CASE WHEN score = 12345 THEN CAST('NaN' AS {}) ELSE score END AS score FROM raw"
MADE = {"googlesql": READ.format("FLOAT64"), "trino": READ.format("DOUBLE")}


def made(seed: int) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Lists with ties, NULL and NaN, and the items that are relevant."""
    chance = random.Random(seed)
    lists = {f"q{number}": chance.sample("abcdefghij", chance.randint(1, 10)) for number in range(12)}
    runs = [(query, item, chance.choice(SCORES)) for query, items in lists.items() for item in items]
    return runs, [(query, item, 1.0) for query in lists for item in chance.sample("abcdefghij", 3)]


def expected(runs: Any, labels: Any, *, nan_first: bool = False) -> dict[str, list[float]]:
    """The metrics by their formulas; what has no score is last, and of equal scores the last id is first."""
    relevant: dict[str, set[str]] = {}
    for query, item, _ in labels:
        relevant.setdefault(query, set()).add(item)

    def place(score: float | None) -> tuple[int, float]:
        is_nan = score is not None and math.isnan(score)
        return (2 if nan_first else 0, 0) if is_nan else (0, 0) if score is None else (1, score)

    found = {}
    for query in sorted({query for query, *_ in runs}):
        rows = sorted(((place(score), item) for of, item, score in runs if of == query), reverse=True)
        ranks = [rank for rank, (_, item) in enumerate(rows, 1) if item in relevant[query]]
        precisions = [n / rank for n, rank in enumerate(ranks, 1)]
        found[query] = [
            *(1 / min(ranks, default=math.inf), sum(precisions) / len(relevant[query])),
            *(sum(rank <= 2 for rank in ranks) / 2, len(rows)),
        ]
    return found


def loaded(engine: Any, seed: int) -> tuple[Any, Any]:
    runs, labels = made(seed)
    columns = {"query_id": "text", "item_id": "text", "score": "double"}
    engine.load("runs", columns, runs) if engine.name not in MADE else engine.load("raw", columns, in_numbers(runs))
    engine.load("labels", {"query_id": "text", "item_id": "text", "relevance": "double"}, labels)
    return runs, labels


def in_numbers(runs: Any) -> Any:
    return [(*ids, STANDS if score is not None and math.isnan(score) else score) for *ids, score in runs]


def texts(dialect: str, road: str, run: str = "runs", **options: Any) -> str:
    if road == "sql":
        return rm.sql(METRICS, run, "labels", dialect=dialect, level="per_query", **options)
    relation = f"({run}) AS u" if run.startswith("SELECT") else run
    given = {"relation": relation, "metrics": METRICS, "qrels": "labels", "options": options}
    return str(macros(dialect)["per_query"](**given))


@pytest.mark.parametrize("seed", seeds(6))
@pytest.mark.parametrize("engine", mostly_long(ORDERED, "duckdb"), indirect=True)
def test_nan_is_last_in_text(engine, seed):
    runs, labels = loaded(engine, seed)
    wanted = expected(runs, labels)
    assert wanted != expected(runs, labels, nan_first=True)
    dialect = engine.dialects[0]
    for road in ("sql", "dbt") if dialect != "datafusion" else ("sql",):  # of which dbt has no adapter
        for options in ({}, {"strategy": "count"}, {"score_type": "float32"}, {"ties": "worst"}):
            if "score_type" in options and not check_dialect(dialect).float32:
                continue
            rows = engine.fetch(texts(dialect, road, MADE.get(engine.name, "runs"), **options))[1]
            values = {str(query): [float(number) for number in numbers] for query, *numbers in rows}
            if options == {"ties": "worst"}:
                assert values.keys() == wanted.keys()
                assert all(value[0] <= wanted[query][0] + 1e-12 for query, value in values.items())
            else:
                assert values == {query: pytest.approx(value, abs=1e-12) for query, value in wanted.items()}


@pytest.mark.parametrize(("ties", "seed"), each_once(["expected", "best", "worst", "item_asc"], range(4)))
def test_nan_and_null_are_one(ties, seed):
    """With every rule for ties, a run has the values of the run with NULL in the place of NaN."""
    runs, labels = made(seed)
    with duckdb.connect() as connection:
        for name, rows in (("runs", runs), ("labels", labels)):
            connection.execute(f"CREATE TABLE {name} (query_id TEXT, item_id TEXT, score DOUBLE)")
            connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
        connection.execute("ALTER TABLE labels RENAME score TO relevance")
        text = rm.sql(["rr", "ap", "ndcg@3"], "runs", "labels", ties=ties, level="per_query")
        found = connection.execute(text).fetchall()
        connection.execute("UPDATE runs SET score = NULL WHERE ISNAN(score)")
        assert connection.execute(text).fetchall() == found


@pytest.mark.parametrize("check", ["none", "judged"])
def test_unchecked_evaluations_have_nan_last(check):
    """Where nobody looks, a NaN is last; where the judged items are looked at, one of theirs is refused."""
    run = {"q": {"a": math.nan, "b": 1.0, "c": 0.5}}
    assert quietly(rm.evaluate, run, {"q": {"b": 1}}, "rr", check=check)["rr"] == 1
    if check == "none":
        assert quietly(rm.evaluate, run, {"q": {"a": 1}}, "rr", check=check)["rr"] == 1 / 3
    else:
        with pytest.raises(rm.DataError, match="NULL or NaN score"):
            rm.evaluate(run, {"q": {"a": 1}}, "rr", check=check)


@pytest.mark.parametrize("engine", ["postgres-15"], indirect=True)
def test_an_index_on_scores_leaves_each_list_to_be_sorted(engine):
    """What is computed from a score is not in its order, so only queries are presorted; docs/dba.md has a better."""
    numbers = "FROM generate_series(1, 40000) AS s(i)"
    engine.run(
        f"CREATE TABLE long AS SELECT 'q' || i / 100 AS query_id, 'd' || i AS item_id, random() AS score {numbers}"
    )
    engine.run("CREATE TABLE known AS SELECT query_id, item_id, 1.0 AS relevance FROM long WHERE score < 0.1")
    engine.run("CREATE INDEX long_by_score ON long (query_id, score DESC NULLS LAST)")
    engine.run("ANALYZE long")
    engine.run("ANALYZE known")
    engine.run("SET enable_seqscan = off")
    text = rm.sql("ndcg", "long", "known", dialect="postgres")
    plan = "\n".join(line for (line,) in engine.fetch(f"EXPLAIN {text}")[1])
    engine.run("RESET enable_seqscan")
    assert "long_by_score" in plan
    assert re.search(r"Presorted Key: \S*query_id$", plan, re.MULTILINE)


@pytest.mark.parametrize("road", ["text", "dbt"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"test": "sign"},
        {"test": "wilcoxon"},
        {"test": "bootstrap", "resamples": 100},
        {"test": "randomisation", "resamples": 100},
        {"design": "unpaired"},
        {"design": "unpaired", "test": "mann_whitney"},
    ],
    ids=str,
)
def test_a_comparison_with_a_nan_grade_is_not_known(road, options):
    """In DuckDB and PostgreSQL NaN equals itself, so that two NaN means would differ by nothing."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE old AS SELECT q AS query_id, 'i' || i AS item_id, 1 / i AS score"
            " FROM range(1, 13) t(q), range(1, 5) u(i);"
            "CREATE TABLE new AS SELECT * REPLACE (IF(query_id % 2 = 0, 1 - score, score) AS score) FROM old;"
            "CREATE TABLE labels AS SELECT query_id, item_id, IF(query_id = 3 AND item_id = 'i2', 'nan'::DOUBLE,"
            " CAST(item_id = 'i' || (1 + query_id % 4) AS INT)) AS relevance FROM old"
        )
        if road == "text":
            text = rm.sql(["ndcg@3", "dcg@3", "rr"], {"old": "old", "new": "new"}, "labels", level="compare", **options)
        else:
            given = {"baseline": "old", "candidate": "new", "metrics": ["ndcg@3", "dcg@3", "rr"], "qrels": "labels"}
            text = macros("duckdb")["compare"](**given, options=options)
        rows = connection.execute(text)
        columns = [column[0] for column in rows.description]
        found = {row["metric"]: row for row in (dict(zip(columns, row, strict=True)) for row in rows.fetchall())}
        names = ["baseline", "candidate", "effect_size", "standard_error", "pvalue", "pvalue_adj", "significant"]
        for metric in ("ndcg@3", "dcg@3"):
            assert [found[metric][name] for name in names] == [None] * len(names)
            assert found[metric]["verdict"] == "no test"
        assert None not in [found["rr"][name] for name in ("baseline", "candidate", "effect_size", "pvalue")]
        with pytest.raises(rm.DataError, match="the grade of an item is NaN"):
            rm.compare("old", "new", "labels", "ndcg@3", connection=connection, **options)
