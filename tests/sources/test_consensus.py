"""One set of judgments of several judges: each rule beside Python's statistics, on every road."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from itertools import permutations, product
from statistics import fmean, median

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import seeds

RULES = ("majority", "median", "mean", "lowest", "highest")
CHOICES = [
    *((rule, {}) for rule in RULES),
    ("majority", {"ties": "highest"}),
    ("majority", {"ties": "drop"}),
    ("median", {"min_judges": 2}),
    ("majority", {"ties": "drop", "min_judges": 3}),
]


def graded(seed):
    """Rows of four judges, of whom each leaves items out; a grade may be NULL or NaN."""
    rng = random.Random(seed)
    rows = []
    for query, item, judge in product("xyz", "abcde", ("gpt", "claude", "mini", "people")):
        if rng.random() < 0.7:
            rows.append((query, item, judge, rng.choice([0, 0, 1, 1, 2, 3, -1, 0.5, None, math.nan])))
    return rows


def frame(rows):
    return pd.DataFrame(rows, columns=["query_id", "item_id", "judge", "relevance"]).astype({"relevance": object})


def by_hand(rows, rule, ties="lowest", min_judges=1):
    items = defaultdict(list)
    for query, item, _, grade in rows:
        if grade is not None and not math.isnan(grade):
            items[query, item].append(float(grade))
    found = {}
    for key, grades in items.items():
        counts = Counter(grades)
        most = [grade for grade, n in counts.items() if n == max(counts.values())]
        if len(grades) < min_judges or (rule == "majority" and ties == "drop" and len(most) > 1):
            continue
        grade = {
            "majority": max(most) if ties == "highest" else min(most),
            "median": median(grades),
            "mean": fmean(grades),
            "lowest": min(grades),
            "highest": max(grades),
        }[rule]
        pairs = [float(a == b) for a, b in permutations(grades, 2)]
        found[key] = (grade, len(grades), fmean(pairs) if pairs else None)
    return found


def load(connection, rows):
    connection.execute("CREATE TABLE grades (query_id VARCHAR, item_id VARCHAR, judge VARCHAR, relevance DOUBLE)")
    connection.executemany("INSERT INTO grades VALUES (?, ?, ?, ?)", rows)


@pytest.mark.parametrize(("rule", "keywords"), CHOICES)
@pytest.mark.parametrize("seed", seeds(4))
def test_by_hand(seed, rule, keywords):
    rows = graded(seed)
    with duckdb.connect() as connection:
        load(connection, rows)
        found = connection.execute(str(macros("duckdb")["consensus"]("grades", rule=rule, **keywords))).fetchall()
    expected = by_hand(rows, rule, **keywords)
    assert {(query, item): values for query, item, *values in found} == {
        key: pytest.approx(list(values), abs=1e-12) if None not in values else list(values)
        for key, values in expected.items()
    }


def judgments(rows, rule, **keywords):
    qrels = defaultdict(dict)
    for (query, item), (grade, _, _) in by_hand(rows, rule, **keywords).items():
        qrels[query][item] = grade
    return dict(qrels)


ORDERS = {"x": "abcde", "y": "cadbe", "z": "eb"}
RUN = {query: {item: -place for place, item in enumerate(items)} for query, items in ORDERS.items()}
METRICS = ["ndcg@3", "rr", "ap", "p@2"]


def test_it_goes_wherever_judgments_go():
    rows = graded(5)
    table = frame(rows)
    expected = quietly(rm.evaluate, RUN, judgments(rows, "median"), METRICS).summary.dicts()
    assert quietly(rm.evaluate, RUN, rm.consensus(table), METRICS).summary.dicts() == expected
    other = {query: dict(reversed(items.items())) for query, items in RUN.items()}
    compared = quietly(rm.compare, RUN, {"new": other}, rm.consensus(table, rule="lowest"), METRICS, test="sign")
    plain = quietly(rm.compare, RUN, {"new": other}, judgments(rows, "lowest"), METRICS, test="sign")
    assert compared.summary.dicts() == plain.summary.dicts()
    with duckdb.connect() as connection:
        load(connection, rows)
        connection.execute("CREATE TABLE runs AS SELECT 'x' AS query_id, 'a' AS item_id, 1.0 AS score")
        given = rm.consensus("grades", rule="highest", min_judges=2)
        text = rm.sql("rr", "runs", given)
        expected = quietly(rm.evaluate, {"x": {"a": 1}}, judgments(rows, "highest", min_judges=2), "rr")
        rows_expected = [(row["metric"], row["value"], row["n_queries"]) for row in expected.summary.dicts()]
        assert connection.execute(text).fetchall() == rows_expected
        query = rm.consensus("SELECT * FROM grades WHERE judge <> 'none'", rule="highest", min_judges=2)
        assert quietly(rm.evaluate, "runs", query, "rr", connection=connection)["rr"] == expected["rr"]
        stored = quietly(rm.evaluate, "runs", given, "rr", connection=connection)
        stored.create_view("quality")
        assert connection.execute("SELECT value FROM quality").fetchall() == [(expected["rr"],)]


def test_columns_of_other_names_and_queries_of_two():
    rows = [("de", 1, "a", "j1", 2), ("de", 1, "a", "j2", 1), ("fr", 1, "a", "j1", 0), ("fr", 1, "b", "j1", 1)]
    table = pd.DataFrame(rows, columns=["market", "question", "doc", "by whom", "stars"])
    given = rm.consensus(
        table,
        judge="by whom",
        rule="mean",
        columns={"query": ["market", "question"], "item": "doc", "relevance": "stars * 2"},
    )
    runs = pd.DataFrame([("de", 1, "a", 1.0), ("fr", 1, "a", 1.0)], columns=["market", "question", "item_id", "score"])
    found = quietly(rm.evaluate, runs, given, "cg", columns={"query_id": ["market", "question"]})
    assert found.per_query.fetchall() == [("de", 1, 3.0), ("fr", 1, 0.0)]


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"rule": "mode"}, rm.UsageError, "rule is majority, median, mean, lowest or highest, not 'mode'"),
        ({"ties": "first"}, rm.UsageError, "ties is lowest, highest or drop, not 'first'"),
        ({"min_judges": 0}, rm.UsageError, "min_judges is a whole number from 1 on, not 0"),
        ({"judge": 3}, rm.UsageError, "judge is the name of a column, not 3"),
        ({"columns": {"iten": "doc"}}, rm.UsageError, r"unknown column 'iten'.*item_id"),
        ({"judge": "juge"}, rm.DataError, "no column 'juge'"),
        ({}, rm.DataError, "2 items have two grades of one judge, first in query x"),
    ],
)
def test_bad_input(keywords, error, message):
    twice = frame([("x", "a", "j", 1), ("x", "a", "j", 2), ("y", "a", "j", 1), ("y", "a", "j", 1), ("x", "b", "j", 1)])
    with pytest.raises(error, match=message):
        rm.evaluate(RUN, rm.consensus(twice, **keywords), "rr")


def test_bad_arguments_of_the_macro():
    for arguments, message in (
        ({"rule": "mode"}, "rule is majority, median, mean, lowest or highest, not 'mode'"),
        ({"ties": "first"}, "ties is lowest, highest or drop, not 'first'"),
        ({"min_judges": 0}, "min_judges is a whole number from 1 on, not 0"),
    ):
        with pytest.raises(rm.UsageError, match=message):
            macros()["consensus"]("grades", **arguments)


def test_on_the_command_line(cli, tmp_path):
    rows = [row for row in graded(3) if row[3] is not None and not math.isnan(row[3])]
    frame(rows).rename(columns={"judge": "who", "relevance": "stars"}).to_csv(tmp_path / "grades.csv", index=False)
    lines = [f"{q} Q0 {i} 1 {s} t" for q, items in RUN.items() for i, s in items.items()]
    (tmp_path / "run.txt").write_text("\n".join(lines))
    asked = ["evaluate", tmp_path / "run.txt", "--qrels", tmp_path / "grades.csv", "-m", "ndcg@3", "--format", "csv"]
    columns = ["--columns", "relevance=stars"]
    found = cli(*asked, "--judge", "who", "--consensus", "majority", *columns)
    expected = quietly(rm.evaluate, RUN, judgments(rows, "majority"), "ndcg@3")["ndcg@3"]
    assert float(found.stdout.splitlines()[1].split(",")[2]) == pytest.approx(expected, abs=1e-12), found.output
    failed = cli(*asked, "--judge", "who", *columns)
    assert (failed.exit_code, "--judge has no effect without --consensus" in failed.stderr) == (2, True)
    failed = cli("evaluate", tmp_path / "run.txt", "-m", "ndcg@3", "--consensus", "mean")
    assert (failed.exit_code, "--consensus has no effect without --qrels" in failed.stderr) == (2, True)
    both = [tmp_path / "run.txt", f"new={tmp_path / 'run.txt'}"]
    compared = cli("compare", *both, *asked[2:6], "--judge", "who", "--consensus", "mean", *columns)
    assert compared.exit_code == 0, compared.output


@pytest.mark.long
def test_a_report_of_a_consensus(cli, tmp_path):
    compared = quietly(rm.compare, RUN, {"new": RUN}, rm.consensus(frame(graded(5))), METRICS)
    compared.report(tmp_path / "report.html")
    assert "ndcg@3" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.long
@pytest.mark.parametrize("name", ["clickhouse", "mariadb", "postgres-15", "spark", "sqlite", "trino"])
def test_in_every_engine(start_engine, name):
    engine = start_engine(name)
    rows = [row for row in graded(8) if row[3] is None or not math.isnan(row[3])]
    types = {"query_id": "text", "item_id": "text", "judge": "text", "relevance": "double"}
    engine.load("grades_to_settle", types, [(q, i, j, None if g is None else float(g)) for q, i, j, g in rows])
    engine.load(
        "run_to_settle",
        {"query_id": "text", "item_id": "text", "score": "double"},
        [(q, i, float(s)) for q, items in RUN.items() for i, s in items.items()],
    )
    for rule, keywords in CHOICES:
        given = rm.consensus("grades_to_settle", rule=rule, **keywords)
        found = quietly(rm.evaluate, "run_to_settle", given, METRICS, connection=engine.connection)
        expected = quietly(rm.evaluate, RUN, judgments(rows, rule, **keywords), METRICS)
        for metric in METRICS:
            assert found[metric] == pytest.approx(expected[metric], rel=1e-9), (rule, metric)
