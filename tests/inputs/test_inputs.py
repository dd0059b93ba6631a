"""Everything that can stand for a run, judgments or a labelled table."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import sys

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmetrics_sql as rm

from ..conftest import DEMO, QRELS, RUN, fill, per_query, quietly, value
from ..everything import each_once

NAMES = ("query_id", "item_id", "score")
ROWS = [("q", "a", 3.0), ("q", "b", 2.0), ("q", "c", 1.0)]
GRADES = [("q", "b", 1), ("q", "c", 2), ("q", "d", 1)]
EXPECTED = {"rr": 0.5, "p@2": 0.5, "r": 2 / 3}


@pytest.fixture
def connection():
    with duckdb.connect() as con:
        con.execute("CREATE TABLE runs(query_id VARCHAR, item_id VARCHAR, score DOUBLE)")
        fill(con, "runs", ROWS)
        con.execute('CREATE TABLE "my ""labels"" é;"(query_id VARCHAR, item_id VARCHAR, relevance INTEGER)')
        fill(con, '"my ""labels"" é;"', GRADES)
        yield con


def frame(kind, rows, names):
    table = pd.DataFrame(rows, columns=names)
    return {
        "pandas": lambda: table,
        "polars": lambda: pl.from_pandas(table),
        "arrow": lambda: pa.Table.from_pandas(table),
        "duckdb": lambda: None,
    }[kind]()


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_frames(kind):
    run, qrels = (
        frame(kind, ROWS, ["query_id", "item_id", "score"]),
        frame(kind, GRADES, ["query_id", "item_id", "relevance"]),
    )
    assert per_query(run, qrels, list(EXPECTED))["q"] == pytest.approx(EXPECTED)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_results_convert(kind):
    result = rm.evaluate(RUN, QRELS, ["rr"])
    converted = {"pandas": result.summary.df, "polars": result.summary.pl, "arrow": result.summary.arrow}[kind]()
    rows = {
        "pandas": lambda: converted.to_dict("records"),
        "polars": lambda: converted.to_dicts(),
        "arrow": lambda: converted.to_pylist(),
    }[kind]()
    assert rows == [{"metric": "rr", "value": 0.5, "n_queries": 1}]
    assert result.summary.fetchall() == [("rr", 0.5, 1)]


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        (RUN, QRELS),
        ({"q": ["a", "b", "c"]}, {"q": {"b": 1, "c": 2, "d": 1}}),
        ([["a", "b", "c"]], [{"b", "c", "d"}]),
        ([("a", "b", "c")], [{"b": 1, "c": 2, "d": 1}]),
    ],
)
def test_python_objects(run, qrels):
    [found] = per_query(run, qrels, list(EXPECTED)).values()
    assert found == pytest.approx(EXPECTED)


def test_tables_and_queries_in_a_connection(connection):
    labels = 'my "labels" é;'
    assert value("runs", labels, "rr", connection=connection) == 0.5
    assert (
        value("main.runs", f'SELECT * FROM "{labels.replace(chr(34), chr(34) * 2)}"', "rr", connection=connection)
        == 0.5
    )
    assert value("WITH x AS (SELECT * FROM runs) SELECT * FROM x -- done", labels, "rr", connection=connection) == 0.5
    assert value(connection.sql("FROM runs"), labels, "rr", connection=connection) == 0.5


def test_a_connection_is_left_as_it_was(connection):
    before = connection.execute(
        "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views()"
    ).fetchall()
    result = quietly(
        rm.evaluate, pd.DataFrame(ROWS, columns=["query_id", "item_id", "score"]), QRELS, ["rr"], connection=connection
    )
    assert len(result.per_query) == 1
    del result
    assert (
        connection.execute(
            "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views()"
        ).fetchall()
        == before
    )


def test_statement_is_the_text_that_ran(connection):
    result = quietly(rm.evaluate, "runs", 'my "labels" é;', ["rr"], connection=connection, check="none")
    assert connection.execute(result.sql).fetchall() == result.summary.fetchall()
    assert connection.execute(result.per_query.sql).fetchall() == result.per_query.fetchall()


FILES = {
    "x.run": "q Q0 a 1 3 t\n\n# a comment\nq\tQ0\tb\t2  2.0 t more fields\r\n  q Q0 c 3 1 t\n",
    "x.csv": "query_id,item_id,score\nq,a,3\nq,b,2\nq,c,1\n",
    "x.tsv": "query_id\titem_id\tscore\nq\ta\t3\nq\tb\t2\nq\tc\t1\n",
    "x.jsonl": "\n".join(json.dumps(dict(zip(NAMES, row, strict=True))) for row in ROWS),
    "x.json": json.dumps([dict(zip(NAMES, row, strict=True)) for row in ROWS]),
}


@pytest.mark.parametrize(("name", "compression"), each_once(FILES, ["", ".gz", ".zst"]))
def test_files(tmp_path, name, compression):
    path = tmp_path / (name + compression)
    data = FILES[name].encode()
    path.write_bytes(
        {"": lambda: data, ".gz": lambda: gzip.compress(data), ".zst": lambda: zstd().compress(data)}[compression]()
    )
    if compression != ".gz":
        assert per_query(path, QRELS, list(EXPECTED))["q"] == pytest.approx(EXPECTED)
    if compression != ".zst":
        found = per_query(str(path), QRELS, list(EXPECTED), connection=duckdb.connect())
        assert found["q"] == pytest.approx(EXPECTED)


def zstd():
    if sys.version_info >= (3, 14):
        from compression import zstd as module
    else:
        from backports import zstd as module
    return module


def test_parquet_and_the_format_by_name(tmp_path):
    con = duckdb.connect()
    path = tmp_path / "run of 'O''Brien'.parquet"
    con.sql("SELECT 'q' AS query_id, UNNEST(['a', 'b', 'c']) AS item_id, UNNEST([3, 2, 1]) AS score").write_parquet(
        str(path)
    )
    shutil.copy(path, tmp_path / "noname")
    assert value(path, QRELS, "rr") == 0.5
    assert value(tmp_path / "noname", QRELS, "rr", input_format="parquet") == 0.5


def test_ids_in_files_are_text(tmp_path):
    (tmp_path / "x.csv").write_text("query_id,item_id,score\n001,01,2\n001,1,1\n")
    (tmp_path / "q.txt").write_text("001 0 1 1\n")
    assert per_query(tmp_path / "x.csv", tmp_path / "q.txt", ["rr"]) == {"001": {"rr": 0.5}}


def test_number_ids_in_parquet_meet_text_ids(tmp_path):
    duckdb.sql("SELECT 7 AS query_id, UNNEST([9, 10]) AS item_id, 1.0 AS score").write_parquet(
        str(tmp_path / "x.parquet")
    )
    (tmp_path / "q.txt").write_text("7 0 9 1\n")
    assert per_query(tmp_path / "x.parquet", tmp_path / "q.txt", ["rr"]) == {"7": {"rr": 1}}


def test_a_hash_inside_an_id_is_no_comment(tmp_path):
    (tmp_path / "x.run").write_text("q Q0 a#1 1 2 t\n")
    assert value(tmp_path / "x.run", {"q": ["a#1"]}, "rr") == 1


def test_several_runs_keep_their_order_and_names():
    result = quietly(rm.evaluate, {"z": RUN, "a": {"q": {"b": 1.0}}}, QRELS, ["rr", "p@1"])
    assert result.summary.fetchall() == [("z", "rr", 0.5, 1), ("z", "p@1", 0, 1), ("a", "rr", 1, 1), ("a", "p@1", 1, 1)]
    assert [row[:2] for row in result.per_query.fetchall()] == [("z", "q"), ("a", "q")]


def test_a_run_without_results_for_a_query_scores_0_there():
    run = {"full": {"x": ["a"], "y": ["a"]}, "half": {"x": ["a"]}}
    result = quietly(rm.evaluate, run, {"x": ["a"], "y": ["a"]}, ["rr"])
    assert result.summary.fetchall() == [("full", "rr", 1, 2), ("half", "rr", 0.5, 2)]


def test_a_column_can_name_the_run(connection):
    table = "SELECT 'one' AS system, * FROM runs UNION ALL SELECT 'two', query_id, item_id, -score FROM runs"
    result = quietly(rm.evaluate, table, 'my "labels" é;', ["rr"], connection=connection, columns={"run_id": "system"})
    assert sorted(result.summary.fetchall()) == [("one", "rr", 0.5, 1), ("two", "rr", 1, 1)]


def test_columns_by_relation_and_in_any_case():
    run = pd.DataFrame(ROWS, columns=["Query_ID", "doc", "points"])
    qrels = pd.DataFrame(GRADES, columns=["query_id", "document", "relevance"])
    assert value(run, qrels, "rr", columns={"item_id": "doc", "qrels.item_id": "document", "score": "points"}) == 0.5


def test_a_query_named_by_two_columns():
    run = pd.DataFrame(
        [("u1", "s1", "a", 1.0), ("u1", "s2", "a", 1.0)], columns=["user", "session", "item_id", "score"]
    )
    qrels = pd.DataFrame(
        [("u1", "s1", "a", 1), ("u1", "s2", "b", 1)], columns=["user", "session", "item_id", "relevance"]
    )
    result = quietly(rm.evaluate, run, qrels, ["rr"], columns={"query_id": ["user", "session"]})
    assert result.per_query.dicts() == [
        {"user": "u1", "session": "s1", "rr": 1},
        {"user": "u1", "session": "s2", "rr": 0},
    ]


@pytest.mark.parametrize("side", ["run", "qrels", "queries"])
def test_groups_from_each_relation(side):
    market = {"x": "no", "y": "se", "z": "no"}
    run = pd.DataFrame(
        [(query, "a", 1.0, market[query]) for query in "xyz"], columns=["query_id", "item_id", "score", "market"]
    )
    qrels = pd.DataFrame(
        [("x", "a", 1, "no"), ("y", "a", 0, "se"), ("z", "b", 1, "no")],
        columns=["query_id", "item_id", "relevance", "market"],
    )
    listed = pd.DataFrame(market.items(), columns=["query_id", "market"])
    if side != "run":
        run = run.drop(columns="market")
    if side != "qrels":
        qrels = qrels.drop(columns="market")
    result = quietly(rm.evaluate, run, qrels, ["rr"], by="market", query_list=listed if side == "queries" else None)
    assert result.summary.fetchall() == [("no", "rr", 0.5, 2), ("se", "rr", 0, 1)]


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("market", [("listed", "rr", 0.5, 2)]),
        ("query_list.market", [("listed", "rr", 0.5, 2)]),
        ("qrels.market", [("judged", "rr", 0.5, 2)]),
        ("run.market", [("given", "rr", 0.5, 2)]),
        ('run."market"', [("given", "rr", 0.5, 2)]),
        ("run.colour", [("dotted", "rr", 0.5, 2)]),
        (["run.market", "day"], [("given", 1, "rr", 1, 1), ("given", 2, "rr", 0, 1)]),
    ],
)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_groups_say_their_relation(by, groups, elsewhere):
    given = {"query_id": ["x", "y"], "item_id": ["a", "a"], "score": [1.0, 1.0], "day": [1, 2]}
    run = pd.DataFrame({**given, "market": "given", "colour": "plain", "run.colour": "dotted"})
    judged = {"query_id": ["x", "y"], "item_id": ["a", "a"], "relevance": [1, 0], "market": "judged"}
    listed = pd.DataFrame({"query_id": ["x", "y"], "market": "listed"})
    place = rm.connect(sqlite3.connect(":memory:"), materialize="temp") if elsewhere else rm.connect()
    result = quietly(place.evaluate, run, pd.DataFrame(judged), ["rr"], by=by, query_list=listed)
    assert result.summary.fetchall() == groups


def test_a_group_that_is_not_where_it_is_said_to_be():
    with pytest.raises(rm.DataError, match=r"by: no column 'qrels\.market' in the query list"):
        rm.evaluate(LABELLED.assign(score=1.0, market="x"), LABELLED, ["rr"], by="qrels.market")


@pytest.mark.parametrize("content", ["x\ny\n", "x some words of the topic\n\n# comment\ny\n"])
def test_query_list(tmp_path, content):
    (tmp_path / "queries.txt").write_text(content)
    qrels = {query: ["a"] for query in "xyz"}
    assert set(per_query({"x": ["a"], "z": ["a"]}, qrels, ["rr"], query_list=tmp_path / "queries.txt")) == {"x", "y"}
    assert set(per_query({"x": ["a"], "z": ["a"]}, qrels, ["rr"], query_list=["x", "y"])) == {"x", "y"}


LABELLED = pd.DataFrame(
    [("q", "a", 1, 0), ("q", "b", 2, 1), ("q", "c", 3, None), ("q", "d", 4, 1)],
    columns=["query_id", "item_id", "position", "relevance"],
)


def test_labelled_table_has_its_own_ideal():
    result = rm.labelled(LABELLED, ["r", "ap", "judged", "ndcg@2"])
    assert result["r"] == 1
    assert result["ap"] == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert result["judged"] == pytest.approx(3 / 4)


def test_labelled_table_with_a_column_of_relevant_items():
    result = rm.labelled(LABELLED.assign(n_relevant=5), ["r", "ap", "idcg", "num_rel"])
    other = rm.labelled(LABELLED, ["r", "idcg"], qrels={"q": {"b": 1, "d": 1, "x": 1, "y": 1, "z": 1}})
    assert result["r"] == pytest.approx(2 / 5)
    assert result["ap"] == pytest.approx((1 / 2 + 2 / 4) / 5)
    assert result["num_rel"] == 5
    assert result["idcg"] == pytest.approx(other["idcg"], abs=1e-12)
    assert other["r"] == pytest.approx(2 / 5)


@pytest.mark.parametrize("strategy", ["window", "count"])
def test_labelled_table_in_both_strategies(strategy):
    assert rm.labelled(LABELLED, ["ap"], strategy=strategy)["ap"] == pytest.approx((1 / 2 + 2 / 4) / 2)


def test_labelled_table_with_several_systems_and_scores():
    table = pd.DataFrame(
        [(s, "q", i, x, g) for s, x in (("up", 1), ("down", -1)) for i, x, g in (("a", x, 1), ("b", 2 * x, 0))],
        columns=["system", "query_id", "item_id", "score", "relevance"],
    )
    result = rm.labelled(table, ["rr"], columns={"run_id": "system"})
    assert sorted(result.summary.fetchall()) == [("down", "rr", 1, 1), ("up", "rr", 0.5, 1)]


def test_real_runs_have_their_published_figures():
    metrics = ["nDCG@10", "P@5", "Bpref", "AP", "RR"]
    result = quietly(
        rm.evaluate, [DEMO / "covidex.t5.run.gz", DEMO / "covidex.sim.run.gz"], DEMO / "qrels.txt", metrics
    )
    published = [0.6250, 0.7314, 0.4876, 0.2880, 0.8534, 0.3254, 0.3829, 0.4546, 0.1567, 0.5705]
    assert [row["value"] for row in result.summary.dicts()] == pytest.approx(published, abs=5e-5)


def test_compare_pairs_queries():
    baseline = {"x": ["a"], "y": ["b", "a"], "z": ["b"]}
    better = {"x": ["a"], "y": ["a", "b"], "z": ["b", "a"]}
    result = quietly(rm.compare, baseline, {"better": better}, {query: ["a"] for query in "xyz"}, ["rr"])
    differences = [0, 1 / 2, 1 / 2]
    mean = sum(differences) / 3
    error = (sum((difference - mean) ** 2 for difference in differences) / 2 / 3) ** 0.5
    [row] = result.summary.dicts()
    wanted = {
        "run": "better", "baseline_run": "baseline", "metric": "rr", "baseline": pytest.approx(1 / 2),
        "candidate": pytest.approx((1 + 1 + 1 / 2) / 3),
        "effect_size": pytest.approx(mean), "rel_effect_size": pytest.approx(mean / (1 / 2)),
        "n_higher": 2, "n_ties": 1, "n_lower": 0, "standard_error": pytest.approx(error), "n_queries": 3,
        "n_left_out": 0, "prob_superiority": pytest.approx((2 + 1 / 2) / 3),
    }  # fmt: skip
    assert {name: row[name] for name in wanted} == wanted


def test_comparison_by_group():
    qrels = pd.DataFrame(
        [("x", "a", 1, "no"), ("y", "a", 1, None)], columns=["query_id", "item_id", "relevance", "market"]
    )
    result = quietly(
        rm.compare, {"x": ["b", "a"], "y": ["a"]}, {"new": {"x": ["a"], "y": ["b", "a"]}}, qrels, ["rr"], by="market"
    )
    rows = {
        row["market"]: (row["effect_size"], row["standard_error"], row["n_queries"]) for row in result.summary.dicts()
    }
    assert rows == {"no": (0.5, None, 1), None: (-0.5, None, 1)}


def test_a_warning_is_about_the_line_of_the_user():
    run, qrels = {"q": ["a"], "z": ["a"]}, {"q": ["a"]}
    for call in (rm.evaluate, rm.connect().evaluate):
        with pytest.warns(rm.RankmetricsWarning, match="1 query without judgments") as caught:
            call(run, qrels, "rr")
        assert {warning.filename for warning in caught} == {__file__}


# What a JSON file may hold as one object, as Python takes it.
OBJECTS = {
    "scores": ({"q": {"a": 3, "b": 2.5, "c": 1}, "p": {"c": 1}}, {"q": {"b": 1, "c": 2, "d": 1}, "p": {"c": 1}}),
    "lists": ({"q": ["a", "b", "c"], "p": ["c"]}, {"q": ["b", "c"], "p": []}),
    "null": ({"q": {"a": 3, "b": 2}}, {"q": {"a": None, "b": 1}}),
    "subtopics": ({"q": ["a", "b"]}, {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}}}),
    "letters": ({'caf\u00e9 "x"': {"a\nb": 1}}, {'caf\u00e9 "x"': {"a\nb": 1}}),
}


@pytest.mark.parametrize("ending", [".json", ".json.gz"])
@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_in_a_file_is_what_it_is_in_python(tmp_path, cli, name, ending):
    metric = "alpha_ndcg" if name == "subtopics" else "ndcg"
    run, qrels = OBJECTS[name]
    paths = [tmp_path / f"{part}{ending}" for part in ("run", "qrels")]
    for path, held in zip(paths, (run, qrels), strict=True):
        text = json.dumps(held, indent=1)
        path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    expected = {query: pytest.approx(values) for query, values in per_query(run, qrels, [metric]).items()}
    assert per_query(*paths, [metric]) == expected
    assert per_query(run, paths[1], [metric]) == expected
    done = cli("evaluate", paths[0], "--qrels", paths[1], "-m", metric, "-q", "--format", "json")
    assert {row["query_id"]: {metric: row["value"]} for row in json.loads(done.stdout)} == expected


def test_ids_in_an_object_of_a_file_are_text(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"1": [7, 8]}')
    assert per_query(path, {"1": ["8"]}, ["rr"]) == {"1": {"rr": 0.5}}


def test_the_catalogue_of_a_file_may_be_an_object(tmp_path):
    path = tmp_path / "items.json"
    items = {"a": ["x"], "b": ["x", "y"], "c": []}
    path.write_text(json.dumps(items))
    given = {"run": {"q": ["a", "b"]}, "metrics": "distinct_categories@2"}
    assert quietly(rm.evaluate, items=path, **given)["distinct_categories@2"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"q": {"a": 1},\n"q": {"b": 1}}', r"x\.json: an object has the key 'q' twice"),
        ('{"q": {"a": 1, "a": 2}}', r"x\.json: an object has the key 'a' twice"),
        ('{"q": {"a": 1},\n "p": {"a" 1}}', r"x\.json, line 2: cannot be read as json: Expecting ':' delimiter"),
        ('{"q": 3}', r"x\.json: query 'q' must have a list or a mapping, not int: 3"),
        ('{"query_id": "q", "item_id": "a"}', r"x\.json: query 'query_id' must have a list or a mapping, not str: 'q'"),
        ('{"q": [["a"]]}', r"x\.json: an id of query 'q' must be text or a number, not \['a'\]"),
        ('{"q": {"a": "high"}}', r"x\.json: score is not a number: \('q', 'a', 'high'\)"),
        ('{"bm25": {"q": {"a": 1}}}', r"x\.json: a file holds one run, .*, but this one holds runs by name \('bm25'\)"),
        ("{}", r"x\.json: there are no rows"),
    ],
)
def test_an_object_in_a_file_that_is_no_run(tmp_path, text, message):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(rm.DataError, match=message):
        quietly(rm.evaluate, path, QRELS, "rr")
