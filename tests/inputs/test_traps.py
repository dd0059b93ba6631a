"""Inputs that once gave a wrong number, or harmed something of the user's."""

from __future__ import annotations

import ast
import gc
import json
import math
import os
import random
import re
import sys
import warnings

import duckdb
import numpy as np
import pandas as pd
import pytest

import rankmetrics_sql as rm

from ..conftest import QRELS, RUN, per_query, quietly, value

NAN = float("nan")


@pytest.fixture
def connection():
    with duckdb.connect() as con:
        con.execute("CREATE TABLE runs AS SELECT 'q' AS query_id, 'a' AS item_id, 1.0 AS score")
        yield con


@pytest.mark.parametrize(
    "qrels", [{"q": {"a": 1}}, pd.DataFrame({"query_id": ["q"], "item_id": ["a"], "relevance": [1]})]
)
def test_a_transaction_of_the_user_survives(connection, qrels):
    connection.execute("BEGIN")
    connection.execute("INSERT INTO runs VALUES ('q', 'b', 2)")
    result = quietly(rm.evaluate, "runs", qrels, ["rr"], connection=connection)
    with pytest.raises(rm.DataError, match="no such table"):
        rm.evaluate("nosuch", qrels, ["rr"], connection=connection)
    del result
    gc.collect()
    connection.execute("COMMIT")
    assert connection.execute("SELECT COUNT(*) FROM runs").fetchall() == [(2,)]


def test_settings_of_the_users_connection_are_the_users(connection):
    with pytest.raises(rm.UsageError, match="have no effect on a connection of yours"):
        rm.evaluate("runs", {"q": {"a": 1}}, ["rr"], connection=rm.connect(connection, threads=1))


def test_output_follows_links_and_leaves_pipes_alone(tmp_path, cli):
    (tmp_path / "x.run").write_text("q Q0 a 1 2.0 t\n")
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "target.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "target.csv")
    arguments = ("evaluate", tmp_path / "x.run", "--qrels", tmp_path / "qrels", "-m", "rr", "--output")
    assert cli(*arguments, tmp_path / "link.csv").exit_code == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "target.csv").read_text().startswith("run_id,metric")
    assert cli(*arguments, "/dev/null").exit_code == 0
    assert not os.path.isfile("/dev/null")  # noqa: PTH113


@pytest.mark.parametrize("name", ["run[1].run", "r*.run", "r?n1.run", "score=5.run"])
def test_file_names_are_not_patterns(tmp_path, name):
    (tmp_path / "run1.run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    (tmp_path / name).write_text("q Q0 b 1 2 t\nq Q0 a 2 1 t\n")
    assert value(tmp_path / name, {"q": ["a"]}, "rr") == 0.5


def test_folder_names_are_not_columns(tmp_path):
    folder = tmp_path / "score=5"
    folder.mkdir()
    (folder / "x.csv").write_text("query_id,item_id,score\nq,b,2\nq,a,1\n")
    duckdb.sql(f"FROM read_csv('{folder}/x.csv', hive_partitioning = false)").write_parquet(str(folder / "x.parquet"))
    for name in ("x.csv", "x.parquet"):
        assert value(folder / name, {"q": ["a"]}, "rr") == 0.5


@pytest.mark.parametrize(
    "item",
    ["2020-01-01T00:00:00Z", "2020-1-1", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "12345678901234567890123", "007"],
)
def test_ids_in_json_stay_as_they_are(tmp_path, item):
    (tmp_path / "x.jsonl").write_text(
        "\n".join(json.dumps({"query_id": "q", "item_id": i, "score": s}) for i, s in ((7, 2), (item, 1)))
    )
    assert value(tmp_path / "x.jsonl", {"q": [item]}, "rr") == 0.5


def test_compare_with_check_judged_checks():
    bad = pd.DataFrame([("q", "b", 1.0), ("q", "b", 0.5)], columns=["query_id", "item_id", "score"])
    with pytest.raises(rm.DataError, match="duplicate item"):
        quietly(rm.compare, bad, {"new": RUN}, QRELS, ["rr"], check="judged")


def test_compare_adds_up_what_evaluate_adds_up():
    result = quietly(
        rm.compare,
        {"x": ["a"], "y": ["b"]},
        {"new": {"x": ["a"], "y": ["a"]}},
        {"x": ["a"], "y": ["a"]},
        ["rr", "num_rel_ret"],
    )
    assert [(row["baseline"], row["candidate"], row["effect_size"]) for row in result.summary.dicts()] == [
        (0.5, 1, 0.5),
        (1, 2, 1),
    ]


def test_maps_that_look_alike_are_two():
    metrics = ["cg(gain={1:2.3,4:5})", "dcg(gain={1.2:3,4:5})"]
    together = per_query({"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 4}}, metrics)["q"]
    alone = [value({"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 4}}, metric) for metric in metrics]
    assert list(together.values()) == pytest.approx(alone)


@pytest.mark.parametrize(
    ("run", "qrels", "message"),
    [
        ({"q": {"b": 1.0}, "p": ["y", "x"]}, QRELS, "some have lists"),
        ({"q": {"a", "b"}}, QRELS, "must have a list or a mapping, not set"),
        ({"q": [("a", 0.9)]}, QRELS, "an id of query 'q' must be text or a number"),
        ([["a", None]], [["a"]], "an id of query 0 must be text or a number, not None"),
        ({1: [1.0]}, {1: {1.0, NAN}}, "^qrels: an id of query 1 must be text or a number, not nan"),
        ({1: {NAN: 1, 1.0: 2}}, {1: {1.0: 1}}, "^run: an id of query 1 must be text or a number, not nan"),
        (np.array([[1.0, NAN]]), [[1.0]], "^run: an id of query 0 must be text or a number, not nan"),
        ({1.0: ["a"]}, {1.0: ["a"], NAN: ["a"]}, "^qrels: an id must be text or a number, not nan"),
        ({1: ["a"]}, {1: {"a": {NAN: 1}}}, "^qrels: an id of query 1 must be text or a number, not nan"),
        ([["b"], ["c"]], [["a", "a", "b"], []], "duplicate item"),
        (RUN, {"q": {"b": float("inf")}}, "not a finite number"),
        (RUN, {"q": {"b": 2000}}, "not a finite number"),
        ((row for row in [1]), QRELS, "cannot read a generator"),
    ],
)
def test_python_objects_that_cannot_be_meant(run, qrels, message):
    with pytest.raises(rm.RankmetricsError, match=message):
        quietly(rm.evaluate, run, qrels, ["ndcg(gain=exp2)"])


def test_rows_without_an_id_are_left_out_as_the_message_says():
    held_out = pd.DataFrame({"uid": ["q", "q", None], "movie": ["b", None, "b"]})
    columns = {"qrels.query": "uid", "qrels.item": "movie", "relevance": "1"}
    con = duckdb.connect()
    con.execute("CREATE TABLE held_out AS FROM held_out")
    with pytest.raises(rm.DataError, match=r"held_out: 2 .* \(uid, movie, relevance\): \('q', None, 1\), ") as of_table:
        quietly(rm.evaluate, RUN, "held_out", "rr", columns=columns, connection=con)
    with pytest.raises(rm.DataError, match=r"qrels: 2 missing ids") as of_frame:
        quietly(rm.evaluate, RUN, held_out, "rr", columns=columns)
    where = re.search(r"out: (WHERE uid IS NOT NULL AND movie .*)\.$", str(of_table.value))[1]
    lacking = ast.literal_eval(re.search(r"dropna\(subset=(.*?)\) in pandas\.$", str(of_frame.value))[1])
    full = f"SELECT * FROM held_out {where}", held_out.dropna(subset=lacking)
    assert [value(RUN, one, "rr", columns=columns, connection=con) for one in full] == [
        value(RUN, {"q": ["b"]}, "rr")
    ] * 2


def test_labels_by_item_are_not_lists_of_grades():
    with pytest.raises(rm.UsageError, match="must have a list, not dict"):
        rm.labelled({"q": {101: 1, 102: 0}}, ["ndcg"])


@pytest.mark.parametrize("metric", ["num_rel(rel=-1)", "cg(gain={-1:5})", "judged", "idcg(gain={-1:5})"])
def test_a_query_without_judged_items_gains_nothing(metric):
    assert per_query([["b"], ["c"]], [["b"], []], [metric])[1] == {metric: 0}


def test_numpy_ids_are_numbers():
    import numpy as np

    assert value({np.int64(1): {np.int64(2): np.float64(1.0)}}, {1: {2: 1}}, "rr") == 1


def test_ties_by_rank_need_a_rank(tmp_path):
    (tmp_path / "x.run").write_text("q Q0 a x 1 t\nq Q0 b 2 1 t\n")
    assert value(tmp_path / "x.run", {"q": ["a"]}, "rr") == 0.5
    with pytest.raises(rm.DataError, match=r"every row needs a position: .'q', 'a', None."):
        rm.evaluate(tmp_path / "x.run", {"q": ["a"]}, ["rr"], ties="rank")


@pytest.mark.parametrize("columns", [{"score": "bm25"}, {"run.item_id": "document"}, {"run_id": "document"}])
def test_a_column_that_only_the_other_side_has_is_missed(columns):
    run = pd.DataFrame({"query_id": ["q"], "item_id": ["a"], "score": [1.0]})
    qrels = pd.DataFrame({"query_id": ["q"], "item_id": ["a"], "relevance": [1], "bm25": [1.0], "document": ["a"]})
    with pytest.raises(rm.DataError, match="no column"):
        rm.evaluate(run, qrels, ["rr"], columns=columns)


def test_a_column_with_quotes_in_its_name():
    run = pd.DataFrame({"query_id": ["q", "q"], "item_id": ["a", "b"], '"score"': [2.0, 1.0], "score": [1.0, 2.0]})
    assert value(run, {"q": ["a"]}, "rr") == 0.5
    assert value(run, {"q": ["a"]}, "rr", columns={"score": '"""score"""'}) == 1


def test_a_query_without_a_grade_is_told():
    run = {"x": {"a": 1.0}, "y": {"a": 1.0}}
    qrels = pd.DataFrame({"query_id": ["x", "y"], "item_id": ["a", "a"], "relevance": [None, 1]})
    with pytest.warns(rm.RankmetricsWarning, match="results for 1 query without judgments are ignored"):
        assert rm.evaluate(run, qrels, ["rr"]).summary.fetchall() == [("rr", 1.0, 1)]
    assert rm.evaluate(run, qrels, ["rr"], impute=1).summary.fetchall() == [("rr", 1.0, 2)]
    ungraded = pd.DataFrame({"query_id": ["x"], "item_id": ["a"], "relevance": pd.Series([None], dtype="Int64")})
    with pytest.raises(
        rm.DataError, match=r"none of its queries has a judgment .* A NULL grade does not count as a judgment"
    ):
        rm.evaluate(run, ungraded, ["rr"])


@pytest.mark.parametrize(
    ("query_list", "message"),
    [
        (["nope"], "none of its queries is in qrels"),
        ([1], "query_id is INTEGER in list of queries and VARCHAR in qrels"),
        (pd.DataFrame({"query_id": ["q", "q"], "market": ["x", "y"]}), "query 'q' has two values in market"),
    ],
)
def test_bad_query_lists(query_list, message):
    by = "market" if hasattr(query_list, "columns") else ()
    with pytest.raises(rm.DataError, match=message):
        rm.evaluate(RUN, QRELS, ["rr"], query_list=query_list, by=by)


def test_a_query_list_that_knows_more_is_mentioned():
    with pytest.warns(rm.RankmetricsWarning, match="list of queries: 1 query not in qrels"):
        assert rm.evaluate(RUN, QRELS, ["rr"], query_list=["q", "p"])["rr"] == 0.5


@pytest.mark.parametrize(
    ("n_listed", "by", "warned"),
    [
        (2, "market", ["list of queries: 3 queries of qrels left out, because the list lacks them."]),
        (4, "market", ["list of queries: 1 query of qrels left out, because the list lacks them."]),
        (5, "market", []),
        (2, "qrels.topic", []),
        (2, (), []),
    ],
)
def test_a_list_of_groups_that_lacks_judged_queries(n_listed, by, warned):
    """A list without groups chooses queries, so those that it leaves out are meant."""
    rows = [{"query_id": f"q{n}", "item_id": "a", "relevance": 1, "topic": n % 2} for n in range(5)]
    users = [{"query_id": f"q{n}", "market": "x"} for n in range(n_listed)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = {row["query_id"]: ["a"] for row in rows}
        found = rm.evaluate(run, pd.DataFrame(rows), "rr", by=by, query_list=pd.DataFrame(users), ties="item_asc")
    assert [str(one.message) for one in caught if "left out" in str(one.message)] == warned
    assert sum(row["n_queries"] for row in found.summary.dicts()) == n_listed


def test_a_list_of_queries_may_have_a_name_of_its_own():
    """A source hands its name of queries on, so the error names the key of the list."""
    lists = rm.lists(pd.DataFrame({"customer": ["c"], "skus": [["a"]]}), query="customer", items="skus")
    bought = pd.DataFrame({"customer": ["c"], "item_id": ["a"]})
    users = pd.DataFrame({"cust_id": ["c"], "country": ["DE"]})
    given = {"by": "country", "query_list": users}
    columns = {"qrels.query": "customer"}
    with pytest.raises(rm.DataError, match=r"Pass columns=\{'query_list\.query_id': NAME\}\.$"):
        rm.evaluate(lists, bought, "rr", columns=columns, **given)
    found = rm.evaluate(lists, bought, "rr", columns={**columns, "query_list.query_id": "cust_id"}, **given)
    assert found.summary.dicts()[0]["country"] == "DE"


RESULTS = {"a": ["q", "p", "z"], "b": ["q", "p"], "c": ["q", "p"], "d": ["q"], "e": ["p", "x"], "f": ["p", "x", "y"]}


@pytest.mark.parametrize("as_table", [False, True])
@pytest.mark.parametrize("query_list", [None, ["q", "z", "x"]])
def test_each_run_lacks_results_of_its_own(as_table, query_list):
    """Whether a column names the runs or a mapping, and whether a query list chooses among the judged queries."""
    judged = ["q", "p", "z"]
    rows = [(run, query, "i", 1.0) for run, queries in RESULTS.items() for query in queries]
    runs = {run: {query: ["i"] for query in queries} for run, queries in RESULTS.items()}
    given = {"columns": {"run_id": "run_id"}} if as_table else {}
    if as_table:
        runs = pd.DataFrame(rows, columns=["run_id", "query_id", "item_id", "score"])
    found = quietly(rm.evaluate, runs, {query: ["i"] for query in judged}, "rr", query_list=query_list, **given)
    of_list = "" if query_list is None else " of the query list"
    lacking = {run: len({*judged} & {*(query_list or judged)} - {*queries}) for run, queries in RESULTS.items()}
    assert [*lacking.values()] == ([0, 1, 1, 2, 2, 2] if query_list is None else [0, 1, 1, 1, 2, 2])
    told = {}
    for text in found.warnings:
        if one := re.fullmatch(rf"runs? (.+): (\d) judged quer\w+{of_list} without results; each scores 0\.", text):
            told |= dict.fromkeys(re.findall("'(.)'", one[1]), int(one[2]))
    assert told == {run: count for run, count in lacking.items() if count}


@pytest.mark.parametrize(
    ("ours", "theirs", "what"),
    [("7", "007", "leading zeros"), ("ab", "AB", "case"), ("b", "0B", "leading zeros and case")],
)
@pytest.mark.parametrize("n_alike", [0, 1])
def test_ids_that_differ_in_zeros_or_case_are_named(ours, theirs, what, n_alike):
    """Also where some other item matches, but the values are nearly 0; in a comparison, too."""
    run = {f"q{number}": [ours] for number in range(250)} | {f"same{number}": ["x"] for number in range(n_alike)}
    judged = {query: [theirs if items == [ours] else "x"] for query, items in run.items()}
    wanted = f"Ids of items differ only in {what}, such as {ours!r} in run and {theirs!r} in qrels. Write them alike."
    assert wanted in " ".join(quietly(rm.evaluate, run, judged, "rr").warnings)
    compared = " ".join(quietly(rm.compare, {"a": judged, "b": run}, judged, "rr").warnings)
    assert wanted.replace(" in run ", " in run 'b' ") in compared
    assert "in run 'a'" not in compared


def test_no_judged_item_is_mentioned():
    with pytest.warns(
        rm.RankmetricsWarning, match="No retrieved item is judged. Items of run: 'a', 'b'; of qrels: 'A'"
    ):
        assert rm.evaluate({"q": ["a", "b"]}, {"q": ["A"]}, ["rr"])["rr"] == 0


@pytest.mark.parametrize("check", ["auto", "none"])
@pytest.mark.parametrize(
    "compare", [rm.compare_all, lambda runs, *given, **chosen: rm.compare(runs["old"], runs, *given, **chosen)]
)
def test_a_comparison_mentions_a_run_without_a_judged_item(compare, check):
    runs = {"new": {"q": ["A"]}, "old": {"q": ["a"]}, "other": {"q": ["b", "a"]}}
    with pytest.warns(rm.RankmetricsWarning) as caught:
        compare(runs, {"q": ["a"]}, "rr", check=check)
    said = [str(one.message) for one in caught if "No retrieved item" in str(one.message)]
    assert said == [
        "No retrieved item is judged. Items of run 'new': 'A'; of qrels: 'a'. Ids of items differ only in case, such"
        " as 'A' in run 'new' and 'a' in qrels. Write them alike."
    ]


def test_whole_numbers_in_floating_point_of_a_parquet_file_get_a_cast(tmp_path):
    run, qrels = str(tmp_path / "run.parquet"), str(tmp_path / "qrels.parquet")
    duckdb.sql("SELECT range AS query_id, 1 AS item_id, 1.5 AS score FROM range(3)").write_parquet(run)
    duckdb.sql("SELECT range AS query_id, 1.0::DOUBLE AS item_id, 1 AS relevance FROM range(3)").write_parquet(qrels)
    with pytest.warns(rm.RankmetricsWarning, match="No retrieved item is judged") as caught:
        assert rm.evaluate(run, qrels, "rr")["rr"] == 0
    columns = ast.literal_eval(re.search(r"numbers; columns=(\{.*?\}) reads 1.0 as 1", str(caught[-1].message))[1])
    assert columns == {"qrels.item_id": "CAST(item_id AS BIGINT)"}
    assert rm.evaluate(run, qrels, "rr", columns=columns)["rr"] == 1
    # Floating-point numbers with a fraction, and whole numbers that are others
    duckdb.sql("SELECT range AS query_id, range + 0.5::DOUBLE AS item_id, 1 AS relevance FROM range(3)").write_parquet(
        qrels
    )
    with pytest.warns(rm.RankmetricsWarning, match=r"differ in type or spelling\?$"):
        rm.evaluate(run, qrels, "rr")
    duckdb.sql("SELECT range + 7.0::DOUBLE AS query_id, 1 AS item_id, 1 AS relevance FROM range(3)").write_parquet(
        qrels
    )
    with pytest.raises(rm.DataError, match=r"none of its queries .* differ in type or spelling\? A NULL"):
        rm.evaluate(run, qrels, "rr")
    duckdb.sql("SELECT range + 0::DOUBLE AS query_id, 1 AS item_id, 1 AS relevance FROM range(3)").write_parquet(qrels)
    with pytest.raises(
        rm.DataError, match=r"none of its queries .*columns=\{'qrels.query_id': 'CAST\(query_id AS BIGINT\)'\}"
    ):
        rm.evaluate(run, qrels, "rr")


def test_nobody_left_to_score():
    with pytest.raises(rm.DataError, match="No query is left to score with queries=judged_relevant"):
        rm.evaluate({"q": ["a"]}, {"q": {"a": 0}}, ["rr"], queries="judged_relevant")


@pytest.mark.parametrize("line", ["q Q0 a 1 1_0 t", "q Q0 a 1 ١ t"])
def test_numbers_that_are_none(tmp_path, line):
    (tmp_path / "x.run").write_text(line + "\n")
    with pytest.raises(rm.DataError, match="line 1: score is"):
        rm.evaluate(tmp_path / "x.run", {"q": ["a"]}, ["rr"])


def test_a_run_is_not_taken_for_judgments(tmp_path):
    (tmp_path / "x.run").write_text("q Q0 a 1 2.0 t\n")
    with pytest.raises(rm.DataError, match="line 1: 6 fields where 4 are expected"):
        rm.evaluate(tmp_path / "x.run", tmp_path / "x.run", ["rr"])


def refused_line(lines, role):
    """The first line that is no judgment or no result, as the source of trec_eval reads them, and why.

    Of a result, too, the fields of which stand one place too far, which trec_eval reads.
    """
    for number, line in enumerate(lines, start=1):
        found, n_expected = line.split(), 4 if role == "qrels" else 6
        if len(found) < n_expected or (role == "qrels" and len(found) > n_expected):
            return number, f"{len(found)} fields where {n_expected} are expected"
        numbers = [field.lstrip("-").replace(".", "").isdigit() for field in found]
        if not numbers[3 if role == "qrels" else 4]:
            return number, "not a number"
        if len(found) > n_expected and not numbers[3] and numbers[5]:
            return number, "White space separates fields"
    return None


@pytest.mark.parametrize("role", ["run", "qrels"])
def test_lines_of_any_number_of_fields(tmp_path, role):
    """What stands behind the tag of a run counts for nothing; a line with more than a grade is no judgment."""
    rng, path, seen = random.Random(4), tmp_path / f"x.{role}", set()
    for _ in range(60):
        n_usual = 4 if role == "qrels" else 6
        lines = []
        for number in range(rng.randint(1, 4)):
            fields = ["q", "0", f"d{number}", *rng.choices(["1", "2.5", "-1", "x", "n1"], (8, 4, 1, 1, 1), k=5)]
            lines.append(rng.choice([" ", "\t"]).join(fields[: rng.choice([n_usual] * 6 + [3, 5, 7])]))
        path.write_text("\n".join(lines) + "\n")
        items = [f"d{number}" for number in range(len(lines))]
        grades = {item: number for number, item in enumerate(items, start=1)}
        inputs = (path, {"q": grades}) if role == "run" else ({"q": items}, path)
        refused = refused_line(lines, role)
        seen.add(refused[1] if refused else None)
        if refused:
            with pytest.raises(rm.DataError, match=f"line {refused[0]}: .*{refused[1]}"):
                rm.evaluate(*inputs, ["dcg"], ties="input")
            continue
        numbers = [float(line.split()[4 if role == "run" else 3]) for line in lines]
        gains = numbers
        if role == "run":
            gains = [number + 1 for number in sorted(range(len(lines)), key=lambda number: -numbers[number])]
        expected = sum(max(gain, 0) / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
        assert quietly(value, *inputs, "dcg", ties="input", queries="judged") == pytest.approx(expected)
    assert len(seen) == 5


@pytest.mark.parametrize("white", ["\t", "  ", " \t", "\x0b", "\x0c ", "\t\t"])
def test_any_white_space_separates(tmp_path, white):
    lines = []
    for query, margin in (("q", ""), ("r", " "), ("s", "\t")):
        lines.append(margin + white.join([query, "Q0", "a\x1fb", "1", "2.0", "t"]) + margin)
        lines.append(margin + white.join([query, "Q0", "c", "2", "1.0", "t", "more"]) + margin)
    for order in (lines, lines[2:] + lines[:2]):  # a margin at the beginning of the file, too
        (tmp_path / "x.run").write_text("\ufeff" + "\n".join(order) + "\n \t\n")
        found = per_query(tmp_path / "x.run", {query: ["a\x1fb"] for query in "qrs"}, ["rr", "num_ret"])
        assert found == {query: {"rr": 1, "num_ret": 2} for query in "qrs"}


def test_a_compressed_file_without_its_ending(tmp_path):
    (tmp_path / "x.run").write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(rm.DataError, match=r"its name must end in \.gz"):
        rm.evaluate(tmp_path / "x.run", QRELS, ["rr"])


@pytest.mark.skipif(sys.platform == "win32", reason="file names are text there")
def test_a_file_name_that_is_not_text(tmp_path):
    path = os.fsdecode(os.fsencode(str(tmp_path)) + b"/x\xff.run")
    with open(path, "w") as file:  # noqa: PTH123
        file.write("q Q0 a 1 2.0 t\n")
    with pytest.raises(rm.DataError, match="not UTF-8"):
        rm.evaluate(path, QRELS, ["rr"])


@pytest.mark.parametrize("name", ["order", "Select", "user", "table"])
def test_tables_called_as_reserved_words(connection, name):
    connection.execute(f'CREATE TABLE "{name}" AS FROM runs')
    assert value(name, {"q": ["a"]}, "rr", connection=connection) == 1


def test_a_query_with_a_comment_behind_its_semicolon(connection):
    assert value("SELECT * FROM runs; -- done", {"q": ["a"]}, "rr", connection=connection) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"metrics": None},
        {"metrics": 5},
        {"by": 5},
        {"by": [5]},
        {"profile": 5},
        {"columns": "a=b"},
        {"columns": {"item_id": 5}},
    ],
)
def test_arguments_of_other_types(arguments):
    with pytest.raises(rm.UsageError):
        rm.evaluate(RUN, QRELS, **({"metrics": ["rr"]} | arguments))


@pytest.mark.parametrize("metric", ["ap@" + "9" * 5000, "ap_" + "9" * 5000])
def test_a_cutoff_beyond_reason(metric):
    with pytest.raises(rm.UsageError, match="whole number"):
        rm.evaluate(RUN, QRELS, [metric])


def test_query_columns_called_as_results():
    frame = pd.DataFrame({"shop": ["q"], "metric": ["x"], "item_id": ["a"], "score": [1.0], "relevance": [1]})
    with pytest.raises(rm.UsageError, match="two columns called 'metric'"):
        rm.evaluate(frame, frame, ["rr"], columns={"query_id": ["shop", "metric"]})


def test_streams_are_read(tmp_path, cli):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "events.csv").write_text("query_id,item_id,position,relevance\nq,a,1,1\n")
    labelled = cli(
        "evaluate",
        "--labelled",
        "-",
        "--input-format",
        "csv",
        "-m",
        "rr",
        "--format",
        "csv",
        stdin=(tmp_path / "events.csv").read_bytes(),
    )
    assert labelled.stdout == "run_id,metric,value,n_queries\n-,rr,1.0,1\n"
    empty = cli("evaluate", "-", "--qrels", tmp_path / "qrels", "-m", "rr", stdin=b"")
    assert (empty.exit_code, empty.stderr) == (1, "rankmetrics: standard input: is empty.\n")


def test_counts_are_printed_as_counts(tmp_path, cli):
    (tmp_path / "x.run").write_text("q Q0 a 1 2.0 t\n")
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    result = cli(
        "evaluate", tmp_path / "x.run", "--qrels", tmp_path / "qrels", "-m", "num_rel", "-m", "cg@5", "--format", "trec"
    )
    assert [line.split()[-1] for line in result.stdout.splitlines()] == ["x", "1", "1.0000"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--labelled", "a", "--labelled", "b"], "takes one table"),
        (["a.run", "--qrels", "b", "--by", "c", "--format", "trec"], "cannot hold the groups"),
    ],
)
def test_command_lines_that_lose_something(cli, arguments, message):
    result = cli("evaluate", *arguments, "-m", "rr")
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_quotes_and_comments_are_not_guessed(tmp_path, suffix):
    separator = "," if suffix == "csv" else "\t"
    items = ["'a", "b'", "#c", *(f"i{number}" for number in range(25_000)), '5" disk', "x,y"]
    table = pd.DataFrame({"query_id": "q", "item_id": items, "score": range(len(items), 0, -1)})
    table.to_csv(tmp_path / f"x.{suffix}", sep=separator, index=False)
    found = per_query(tmp_path / f"x.{suffix}", {"q": ["#c", '5" disk', "x,y"]}, ["num_ret", "num_rel_ret", "rr"])
    assert found["q"] == pytest.approx({"num_ret": len(items), "num_rel_ret": 3, "rr": 1 / 3})


def test_named_runs_have_no_second_name():
    table = pd.DataFrame(
        [(s, "q", i, 1.0) for s in "xy" for i in "ab"], columns=["sys", "query_id", "item_id", "score"]
    )
    with pytest.raises(rm.UsageError, match="The runs already have names"):
        rm.evaluate({"one": table, "two": table}, QRELS, ["rr"], columns={"run_id": "sys"})
    with pytest.raises(rm.UsageError, match="The runs already have names"):
        rm.sql(["rr"], {"one": "a", "two": "b"}, "labels", columns={"run_id": "sys"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"position": "given"}, "needs positions"),
        ({"position": "given", "strategy": "count", "columns": {"position": "p"}}, "strategy=count"),
        ({"position": "given", "unjudged": "drop", "columns": {"position": "p"}}, "unjudged=drop"),
        ({"labelled": "other"}, "exclude each other"),
    ],
)
def test_written_statements_refuse_the_same_contradictions(options, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.sql(["rr"], "runs", "labels", **options)


def test_one_group_is_one_column():
    assert "market AS group_1" in rm.sql(["rr"], "runs", "labels", by="market")


def test_both_strategies_are_written_with_bytes_in_order():
    assert rm.sql(["rr"], "runs", "labels", dialect="postgres", strategy="count").count('COLLATE "C"') == 2


def test_quoted_columns_of_a_dialect_stay_quoted():
    text = rm.sql(["rr"], "runs", "labels", dialect="bigquery", columns={"item_id": "`my col`"})
    assert "s.`my col` AS item_id" in text


def test_labels_that_contradict_the_judgments():
    table = pd.DataFrame({"query_id": "q", "item_id": ["a", "b"], "position": [1, 2], "relevance": [0, 1]})
    with pytest.raises(rm.DataError, match=r"labels differ from qrels .* .'q', 'b', 1.0, 2.0."):
        rm.labelled(table, ["r"], qrels={"q": {"b": 2}})
    with pytest.raises(rm.DataError, match=r"labels differ from qrels .* .'q', 'b', 1.0, None."):
        rm.labelled(table, ["r"], qrels={"q": {"a": 0}})
    assert rm.labelled(table, ["r"], qrels={"q": {"b": 1, "zz": 1}})["r"] == 0.5


@pytest.mark.parametrize("strategy", ["window", "count"])
@pytest.mark.parametrize("check", ["judged", "full"])
def test_a_grade_that_is_no_number(strategy, check):
    grades = duckdb.sql(
        "SELECT 'q' AS query_id, UNNEST(['a', 'b']) AS item_id, UNNEST(['NaN'::DOUBLE, 1]) AS relevance"
    )
    with pytest.raises(rm.DataError, match=r"the grade of an item is NaN, which is not a number: .'q', 'a', nan."):
        quietly(rm.evaluate, {"q": ["a", "b"]}, grades.to_arrow_table(), ["rr"], check=check, strategy=strategy)


def test_a_volatile_query_runs_once(connection):
    connection.execute(
        "CREATE TABLE many AS SELECT 'q' AS query_id, 'i' || i AS item_id, 1.0 AS score FROM RANGE(1000) t(i)"
    )
    connection.execute("CREATE TABLE labels AS SELECT query_id, item_id, 1 AS relevance FROM many")
    runs = {"all": "many", "some": "SELECT * FROM many WHERE random() < 0.5"}
    result = quietly(rm.evaluate, runs, "labels", ["p"], connection=connection, check="none")
    assert [row["value"] for row in result.summary.dicts()] == [1, 1]


def test_a_pending_result_of_the_user_outlives_ours(connection):
    result = quietly(
        rm.evaluate,
        "runs",
        pd.DataFrame({"query_id": ["q"], "item_id": ["a"], "relevance": [1]}),
        ["rr"],
        connection=connection,
    )
    connection.execute("SELECT 42")
    assert len(result.per_query) == 1
    del result
    gc.collect()
    assert connection.fetchall() == [(42,)]


def test_names_that_are_equal_as_text():
    with pytest.raises(rm.UsageError, match="Two runs are called '1'"):
        rm.evaluate({1: RUN, "1": RUN}, QRELS, ["rr"])
    with pytest.raises(rm.UsageError, match="Two candidates have the same name"):
        rm.compare(RUN, {1: RUN, "1": RUN}, QRELS, ["rr"])


def test_a_candidate_may_be_a_plain_run():
    [row] = quietly(rm.compare, RUN, {"q": {"b": 1.0}}, QRELS, ["rr"]).summary.dicts()
    assert (row["run"], row["baseline"], row["candidate"]) == ("candidate", 0.5, 1)


def test_keys_of_json_are_no_paths(tmp_path):
    (tmp_path / "x.jsonl").write_text(
        '{"$schema": 1, "query_id": "q", "item_id": "a", "score": 1, "/g": "x", "a\\"b": 2}\n'
    )
    result = quietly(rm.evaluate, tmp_path / "x.jsonl", {"q": ["a"]}, ["rr"], by="/g")
    assert result.summary.fetchall() == [("x", "rr", 1, 1)]


def test_a_group_that_one_run_lacks():
    with pytest.raises(rm.DataError, match="no column 'sys'"):
        rm.evaluate(
            {"a": pd.DataFrame({"query_id": ["q"], "item_id": ["a"], "score": [1.0], "sys": ["x"]}), "b": RUN},
            QRELS,
            ["rr"],
            by="sys",
        )


def test_tables_of_attached_databases_need_their_catalog(connection):
    connection.execute("ATTACH ':memory:' AS other")
    connection.execute("CREATE TABLE other.main.x AS FROM runs")
    connection.execute("BEGIN")
    with pytest.raises(rm.DataError, match="no such table"):
        rm.evaluate("x", {"q": {"a": 1}}, ["rr"], connection=connection)
    assert value("other.x", {"q": {"a": 1}}, "rr", connection=connection) == 1
    connection.execute("COMMIT")


def test_formats_by_the_name_of_the_output(tmp_path, cli):
    (tmp_path / "x.run").write_text("q Q0 a 1 2.0 t\n")
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    arguments = ("evaluate", tmp_path / "x.run", "--qrels", tmp_path / "qrels", "-m", "rr", "--output")
    assert cli(*arguments, tmp_path / "out.jsonl").exit_code == 0
    assert json.loads((tmp_path / "out.jsonl").read_text())["value"] == 1
    result = cli(*arguments, tmp_path / "out.parquet")
    assert result.exit_code == 2
    assert "'.parquet' is not the ending of a format" in result.stderr
    result = cli(*arguments, tmp_path / "values.svg")
    assert result.exit_code == 2
    assert "Draw one in Python: result.plot().save('values.svg')." in result.stderr
