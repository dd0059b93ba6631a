"""Queries scored part by part: the same as all at once, whatever brings the values together."""

from __future__ import annotations

import random
import sqlite3
import warnings

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner

import rankmetrics_sql as rm
from rankmetrics_sql.cli import main
from rankmetrics_sql.definitions.catalogue import metrics

from ..conftest import fill
from ..everything import mostly_long

# of every way to bring values together: mean, sum, geometric, median, parts; and two rankings
METRICS = ("nDCG@5", "AP", "num_rel_ret", "gm_map", "num_q", "rr(ties=item_asc)", "ndcg(no_relevant=skip)@5", "arp")


def drawn(n_queries, seed=1):
    """A run and judgments: some queries have only one of the two, some are tied, some have no relevant item."""
    draw = random.Random(seed)
    run = {
        f"q{query}": {f"d{draw.randrange(30)}": draw.randrange(8) for _ in range(12)}
        for query in range(n_queries)
        if draw.random() < 0.8
    }
    qrels = {
        f"q{query}": {f"d{draw.randrange(30)}": draw.randrange(-1, 3) for _ in range(6)}
        for query in range(n_queries)
        if draw.random() < 0.8
    }
    return run, qrels


def both(*inputs, function=rm.evaluate, partitions=5, **arguments):
    """In one part and in several."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)
        return function(*inputs, **arguments), function(*inputs, partitions=partitions, **arguments)


def check_same(whole, parts):
    """To the last digit: values are added up in the order of the queries."""
    assert parts.summary.columns == whole.summary.columns
    assert parts.summary.fetchall() == whole.summary.fetchall() != []
    assert parts.per_query.columns == whole.per_query.columns
    assert parts.per_query.fetchall() == whole.per_query.fetchall() != []
    assert parts.warnings == whole.warnings


@pytest.mark.parametrize("partitions", mostly_long([1, 2, 5, 100], 1, 5))
def test_every_aggregate(partitions):
    whole, parts = both(*drawn(40), METRICS, partitions=partitions)
    check_same(whole, parts)
    assert ("UNION ALL SELECT * FROM" in parts.sql) == (partitions > 1)


@pytest.mark.parametrize("aggregate", ["mean", "median", "geometric", "sum", "min", "max"])
def test_an_aggregate_that_is_asked_for(aggregate):
    check_same(*both(*drawn(41), ["AP", "P@3"], aggregate=aggregate))


NO_MEANS = sorted(name for name, facts in rm.metrics().items() if facts["aggregate"] not in ("mean", "lists"))


@pytest.mark.parametrize("metric", mostly_long(NO_MEANS, *NO_MEANS[::4]))
def test_a_metric_that_is_no_mean(metric):
    text = next(text for text in (metric, f"{metric}@5") if accepted(text))
    run, qrels = drawn(30)
    names = ("query_id", "item_id", "relevance", "propensity", "target")
    rows = [
        (query, item, grade, 1 / (2 + grade), 0.25) for query, items in qrels.items() for item, grade in items.items()
    ]
    judged = pd.DataFrame(rows, columns=names)
    for name in metrics()[metric].reads_beside:
        judged[name] = judged.get(name, judged.relevance.abs())
    check_same(*both(run, judged, [text]))


def accepted(text):
    try:
        rm.sql(text, "run", "qrels")
    except rm.UsageError:
        return False
    return True


@pytest.mark.parametrize("queries", ["judged", "judged_retrieved", "retrieved", "judged_relevant"])
def test_the_queries_that_count(queries):
    check_same(*both(*drawn(30), ["AP", "num_q"], queries=queries))


def test_several_runs():
    """A run that answers one query scores 0 for the others, in whatever part they are."""
    run, qrels = drawn(30)
    few = dict([next(iter((query, run[query]) for query in run if query in qrels))])
    check_same(*both({"all": run, "few": few}, qrels, METRICS))


def test_several_runs_in_a_column():
    run, qrels = drawn(30)
    few = next(query for query in run if query in qrels)
    rows = [("all", query, item, score) for query, items in run.items() for item, score in items.items()]
    rows += [("few", *row[1:]) for row in rows if row[1] == few]
    connection = tables(rows, [(query, item, grade) for query in qrels for item, grade in qrels[query].items()])
    check_same(*both("run", "qrels", METRICS, connection=connection, columns={"run_id": "system"}))


def tables(run, qrels, type_="VARCHAR", connect=duckdb.connect):
    """A connection with a run, judgments and a market for each query."""
    connection = connect(":memory:")
    connection.execute("CREATE TABLE run (system VARCHAR, query_id VARCHAR, item_id VARCHAR, score INTEGER)")
    fill(connection, "run", run)
    connection.execute(f"CREATE TABLE qrels (query_id {type_}, item_id VARCHAR, relevance INTEGER)")
    fill(connection, "qrels", qrels)
    return connection


def test_groups_and_a_list_of_queries():
    run, qrels = drawn(40)
    listed = {"query_id": [f"q{query}" for query in range(5, 35)], "market": ["de", "fr", None] * 10}
    whole, parts = both(run, qrels, METRICS, by=["market"], query_list=arrow(listed))
    check_same(whole, parts)
    assert {row[0] for row in parts.summary} == {"de", "fr", None}


def arrow(columns):
    return pytest.importorskip("pyarrow").table(columns)


def test_a_labelled_table():
    run, _ = drawn(30)
    draw = random.Random(5)
    rows = {"query_id": [], "item_id": [], "score": [], "relevance": []}
    for query, items in run.items():
        for item, score in items.items():
            for name, value in zip(rows, (query, item, score, draw.choice([None, 0, 1, 2])), strict=True):
                rows[name].append(value)
    check_same(*both(arrow(rows), ["nDCG@5", "AP", "gm_map"], function=rm.labelled))


def test_a_query_that_two_columns_name():
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE run AS SELECT q // 5 AS u, q % 5 AS s, q + i AS item_id, i AS score"
        " FROM RANGE(-20, 20) AS a(q), RANGE(6) AS b(i)"
    )
    connection.execute(
        "CREATE TABLE qrels AS SELECT CAST(q // 5 AS INTEGER) AS u, CAST(q % 5 AS TINYINT) AS s,"
        " q + 3 * i AS item_id, i AS relevance FROM RANGE(-20, 20) AS a(q), RANGE(3) AS b(i)"
    )
    check_same(*both("run", "qrels", METRICS, connection=connection, columns={"query_id": ["u", "s"]}))


@pytest.mark.parametrize("types", [("BIGINT", "TINYINT"), ("DOUBLE", "DOUBLE"), ("HUGEINT", "INTEGER")])
def test_a_query_is_one_whatever_its_type(types):
    """Where equal numbers had two hashes, a run and its judgments would part."""
    ours, theirs = types
    connection = duckdb.connect()
    zero = "CASE WHEN q = 0 THEN -CAST(0 AS DOUBLE) ELSE q END" if ours == "DOUBLE" else "q"
    connection.execute(
        f"CREATE TABLE run AS SELECT CAST({zero} AS {ours}) AS query_id, 'a' AS item_id, 1 AS score"
        " FROM RANGE(-20, 20) AS t(q)"
    )
    connection.execute(
        f"CREATE TABLE qrels AS SELECT CAST(q AS {theirs}) AS query_id, 'a' AS item_id, 1 AS relevance"
        " FROM RANGE(-20, 20) AS t(q)"
    )
    result = rm.evaluate("run", "qrels", "rr", connection=connection, partitions=7)
    assert result.summary.fetchall() == [("rr", 1.0, 40)]


def test_a_query_computed_by_sql():
    run, qrels = drawn(20)
    rows = [(None, f"{query} ", item, score) for query, items in run.items() for item, score in items.items()]
    connection = tables(rows, [(query, item, grade) for query in qrels for item, grade in qrels[query].items()])
    check_same(*both("run", "qrels", METRICS, connection=connection, columns={"run.query_id": "TRIM(query_id)"}))


def test_ids_in_files_are_text(tmp_path):
    """A number in one file and text in the other."""
    duckdb.execute(
        f"COPY (SELECT q AS query_id, i AS item_id, i AS score FROM RANGE(20) AS a(q), RANGE(4) AS b(i))"
        f" TO '{tmp_path}/run.parquet'"
    )
    duckdb.execute(
        f"COPY (SELECT '' || q AS query_id, '3' AS item_id, 1 AS relevance FROM RANGE(20) AS a(q))"
        f" TO '{tmp_path}/qrels.parquet'"
    )
    files = [tmp_path / "run.parquet", tmp_path / "qrels.parquet"]
    check_same(*both(*files, ["rr"], partitions=3))
    arguments = ["evaluate", *map(str, files), "--format", "csv", "-m", "rr", "--partitions", "3"]
    arguments.insert(2, "--qrels")
    assert CliRunner().invoke(main, arguments).stdout.splitlines()[1] == "run,rr,1.0,20"


@pytest.mark.parametrize("fault", ["duplicate", "query", "score"])
def test_faults_are_seen(fault):
    """In whatever part they are, by the checks that one part has."""
    rows = [("", f"q{query}", f"d{item}", item) for query in range(20) for item in range(3)]
    wrong = {"duplicate": ("", "q7", "d1", 9), "query": ("", None, "d1", 1), "score": ("", "q7", "d8", None)}[fault]
    connection = tables([*rows, wrong], [(f"q{query}", "d1", 1) for query in range(20)])
    said = []
    for partitions in (1, 4):
        for check in ("full", "judged") if fault == "duplicate" else ("full",):
            with pytest.raises(rm.DataError) as caught:
                rm.evaluate("run", "qrels", "ap", connection=connection, partitions=partitions, check=check)
            said.append(str(caught.value))
    assert len(set(said)) == 1


def test_queries_without_an_id_are_none():
    """check=none looks at nothing, and a row without a query belongs to none."""
    rows = [("", query, "d1", 1) for query in ("q1", "q2", None)]
    connection = tables(rows, [("q1", "d1", 1), ("q2", "d2", 1), (None, "d1", 1)])
    check_same(*both("run", "qrels", ["rr"], connection=connection, check="none"))


def test_nothing_stays_in_the_connection():
    connection = tables([("", "q1", "d1", 1)], [("q1", "d1", 1)])
    before = connection.execute("FROM duckdb_tables()").fetchall()
    result = rm.evaluate("run", "qrels", "rr", connection=connection, partitions=3)
    assert connection.execute("FROM duckdb_tables()").fetchall() == before
    assert result.per_query.fetchall() == [("q1", 1.0)]
    with pytest.raises(rm.UsageError, match="A table needs one statement"):
        result.create_table("kept")


@pytest.mark.parametrize("partitions", [0, -1, 1.5, "2", True, None])
def test_a_number_of_parts(partitions):
    with pytest.raises(rm.UsageError, match="partitions is a whole number of at least 1"):
        rm.evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, "rr", partitions=partitions)


def test_refusals():
    with pytest.raises(rm.UsageError, match="Unknown"):
        rm.compare({"q": {"d": 1}}, {"q": {"d": 1}}, {"q": {"d": 1}}, "rr", partitions=2)
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE run AS SELECT 'q' AS query_id, 'd' AS item_id, 1 AS score, 1 AS relevance")
        with pytest.raises(rm.UsageError, match=r"partitions= works only in DuckDB.*sql\(values=TABLE\)"):
            rm.evaluate("run", "run", "rr", connection=connection, partitions=2)
    connection.close()
    base = ["evaluate", "run", "--qrels", "q", "-m", "rr", "--partitions"]
    for last in (["0"], ["2", "--into", "t", "--database", "x.duckdb"]):
        assert CliRunner().invoke(main, [*base, *last]).exit_code == 2


def by_hand(connection, run, qrels, metrics, level, dialect, **arguments):
    """A table of values, filled with the queries of one remainder after the other; and what is made of it."""
    for part in range(3):
        of = f"CAST(SUBSTR(query_id, 2) AS INTEGER) % 3 = {part}"
        there = {"run": f"SELECT * FROM {run} WHERE {of}", "qrels": f"SELECT * FROM {qrels} WHERE {of}"}
        text = rm.sql(metrics, **there, level="values", dialect=dialect, **arguments)
        connection.execute(f"INSERT INTO stored {text}" if part else f"CREATE TABLE stored AS {text}")
    text = rm.sql(metrics, run, qrels, values="stored", level=level, dialect=dialect, **arguments)
    return connection.execute(text).fetchall()


@pytest.mark.parametrize(("dialect", "connect"), [("duckdb", duckdb.connect), ("sqlite", sqlite3.connect)])
@pytest.mark.parametrize("level", ["summary", "per_query"])
def test_by_statements(dialect, connect, level):
    run, qrels = drawn(30)
    rows = [("", query, item, score) for query, items in run.items() for item, score in items.items()]
    judged = [(query, item, grade) for query in qrels for item, grade in qrels[query].items()]
    connection = tables(rows, judged, connect=connect)
    metrics = ["ndcg@5", "gm_map", "num_rel", "ap"]
    whole, _ = both(run, qrels, metrics, partitions=1)
    found = by_hand(connection, "run", "qrels", metrics, level, dialect)
    wanted = getattr(whole, level).fetchall()
    assert [row[0] for row in found] == [row[0] for row in wanted]
    assert [row[1:] for row in found] == [pytest.approx(row[1:], abs=1e-12) for row in wanted]
    connection.close()


def test_what_statements_of_values_are_not_for():
    with pytest.raises(rm.UsageError, match="not with level=curve"):
        rm.sql("ap", "run", "qrels", level="curve", values="stored")
    with pytest.raises(rm.UsageError, match="not with level=values"):
        rm.sql("ap", "run", "qrels", level="values", values="stored")
    with pytest.raises(rm.UsageError, match="table of values must be a table name"):
        rm.sql("ap", "run", "qrels", values=3)
