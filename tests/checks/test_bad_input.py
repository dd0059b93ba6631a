"""Whatever is wrong, the user reads where and what in a line or two, and gets no number."""

from __future__ import annotations

import gzip
import json
import random
import re

import duckdb
import pandas as pd
import pytest

import rankmetrics_sql as rm

from ..conftest import DEMO, QRELS, RUN, quietly

GOOD_RUN, GOOD_QRELS = "q Q0 a 1 2.0 t\nq Q0 b 2 1.0 t\n", "q 0 a 1\nq 0 c 1\n"


def files(tmp_path, run=GOOD_RUN, qrels=GOOD_QRELS):
    paths = tmp_path / "x.run", tmp_path / "x.qrels"
    for path, content in zip(paths, (run, qrels), strict=True):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return paths


BAD_FILES = {
    "missing field": ({"run": "q Q0 a 1 2.0 t\nq Q0 b 2 1.0\n"}, "x.run, line 2: 5 fields where 6 are expected"),
    "line numbers count comments, blank lines and CRLF": (
        {"run": "# c\n\r\nq Q0 a 1 2.0 t\r\nq Q0 b\n"},
        "x.run, line 4: 3 fields",
    ),
    "score that is no number": ({"run": "q Q0 a 1 high t\n"}, "x.run, line 1: score is 'high', not a number"),
    "score NaN": ({"run": "q Q0 a 1 nan t\nq Q0 b 1 1 t\n"}, "x.run: 1 row with a NULL or NaN score: ('q', 'a', nan)"),
    "grade that is no number": ({"qrels": "q 0 a 1\nq 0 b x\n"}, "x.qrels, line 2: relevance is 'x', not a number"),
    "qrels with missing field": ({"qrels": "q 0 a 1\nq a 1\n"}, "x.qrels, line 2: 3 fields where 4 are expected"),
    "judgments with a method and a probability": (
        {"qrels": "q a 1 0 0.5\nq c 0 1 0.1\n"},
        "x.qrels, line 1: 5 fields where 4 are expected (query_id iteration item_id relevance): 'q a 1 0 0.5'",
    ),
    "item with a blank": (
        {"run": "q Q0 a b 1 2.0 t\n"},
        "x.run, line 1: rank is 'b', not a number: 'q Q0 a b 1 2.0 t'. White space separates fields, so an id has none",
    ),
    "duplicate in run": (
        {"run": GOOD_RUN + "q Q0 a 3 0.5 t\n"},
        "x.run: duplicate item in a query (query, item, rows): ('q', 'a', 2)",
    ),
    "duplicate in qrels": (
        {"qrels": GOOD_QRELS + "q 0 c 1\n"},
        "x.qrels: duplicate item in a query (query, item, rows): ('q', 'c', 2)",
    ),
    "empty run": ({"run": ""}, "x.run: the file is empty"),
    "empty qrels": ({"qrels": ""}, "x.qrels: the file is empty"),
    "only comments": ({"run": "# nothing\n\n"}, "x.run: the file holds no rows"),
    "no common query": ({"run": "1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n"}, "none of its queries has a judgment in"),
    "not text": ({"run": b"\xff\xfe\x00\x01\n"}, "x.run"),
}


@pytest.mark.parametrize(("change", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_files(tmp_path, cli, change, message):
    run, qrels = files(tmp_path, **change)
    result = cli("evaluate", run, "--qrels", qrels, "-m", "ndcg@10")
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) <= 2


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("own", [True, False], ids=["here", "connection"])
def test_a_line_with_other_fields_than_the_header(tmp_path, suffix, delimiter, own):
    """Wherever it stands, and whether a field lacks or is too many; a delimiter in quotes is no delimiter."""
    if suffix == ".tsv" and delimiter != "\t":
        return
    chance = random.Random(suffix + delimiter)
    for n_rows in (1, 5, 300, 30_000) if own else (1, 5, 300):  # there DuckDB says it of later lines, on reading
        at, is_long, quoted = chance.randint(1, n_rows), chance.random() < 0.5, f'"d{delimiter}"'
        rows = [["q", quoted if row == 0 else f"d{row}", str(row)] for row in range(n_rows)]
        rows[at - 1] = [*rows[at - 1], "x"] if is_long else rows[at - 1][:2]
        lines = [delimiter.join(row) for row in (["query_id", "item_id", "score"], *rows)]
        data = ("\n".join(lines) + "\n").encode()
        path = tmp_path / f"x{suffix}"
        path.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
        given = {} if own else {"connection": duckdb.connect()}
        with pytest.raises(rm.DataError, match=f"line {at + 1}: {4 if is_long else 2} fields where 3 are expected"):
            rm.evaluate(path, {"q": ["d1"]}, "rr", **given)


def test_two_ids_of_each_side_are_shown(tmp_path, cli):
    run, qrels = files(tmp_path, run="1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n3 Q0 a 1 2 t\n")
    assert "Queries here: '1', '2'; judged: 'q'." in cli("evaluate", run, "--qrels", qrels, "-m", "ap").stderr


@pytest.mark.parametrize("check", ["judged", "none"])
def test_no_common_query_is_found_without_the_full_check(tmp_path, cli, check):
    run, qrels = files(tmp_path, run="1 Q0 a 1 2 t\n")
    result = cli("evaluate", run, "--qrels", qrels, "-m", "ap", "--set", f"check={check}")
    assert result.exit_code == 1
    assert "none of its queries has a judgment" in result.stderr


@pytest.mark.parametrize("strategy", ["window", "count"])
@pytest.mark.parametrize("bad", ["q Q0 a 3 0.5 t\n", "q Q0 c 3 nan t\n"], ids=["duplicate", "NaN"])
@pytest.mark.parametrize("level", [[], ["--per-query"]], ids=["summary", "per query"])
def test_check_judged_finds_faults_of_judged_items(tmp_path, cli, bad, strategy, level):
    run, qrels = files(tmp_path, run=GOOD_RUN + bad)
    result = cli(
        "evaluate", run, "--qrels", qrels, "-m", "ap", "--set", "check=judged", "--set", f"strategy={strategy}", *level
    )
    assert (result.exit_code, result.stdout) == (1, "")
    assert "x.run: " in result.stderr


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:-6],
        lambda data: data[:99] + bytes([data[99] ^ 255]) + data[100:],
    ],
)
@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_damaged_compressed_files(tmp_path, cli, damage, suffix):
    from ..inputs.test_inputs import zstd

    data = "".join(f"q Q0 d{number} 1 {1 / (number + 1)} t\n" for number in range(5000)).encode()
    path = tmp_path / f"x.run{suffix}"
    path.write_bytes(
        damage(
            gzip.compress(data)
            if suffix == ".gz"
            else zstd().compress(data, options={zstd().CompressionParameter.checksum_flag: 1})
        )
    )
    result = cli("evaluate", path, "--qrels", files(tmp_path)[1], "-m", "ap")
    assert result.exit_code == 1
    assert "truncated or corrupt" in result.stderr


def test_missing_files(tmp_path, cli):
    run, qrels = files(tmp_path)
    assert "nope.run: no such file" in cli("evaluate", tmp_path / "nope.run", "--qrels", qrels, "-m", "ap").stderr
    assert "nope: no such file" in cli("evaluate", run, "--qrels", tmp_path / "nope", "-m", "ap").stderr
    assert "is a folder" in cli("evaluate", tmp_path, "--qrels", qrels, "-m", "ap").stderr
    assert (
        "no such file" in cli("evaluate", run, "--qrels", qrels, "-m", "ap", "--query-list", tmp_path / "nope").stderr
    )
    assert (
        "no such database file"
        in cli("evaluate", run, "--qrels", qrels, "-m", "ap", "--database", tmp_path / "nope.duckdb").stderr
    )


FRAMES = {
    "missing column": (
        {"item_id": ["a"], "scores": [1.0], "query_id": ["q"]},
        {},
        "no column 'score' for score. Columns: item_id, scores, query_id. Did you mean 'scores'?",
    ),
    "misspelt map": (
        {"query_id": ["q"], "doc_id": ["a"], "score": [1.0]},
        {"columns": {"item_id": "docid"}},
        "no column 'docid'",
    ),
    "NULL query": (
        {"query_id": [None, "q"], "item_id": ["a", "b"], "score": [1.0, 2.0]},
        {},
        "1 missing id of queries or items (query_id, item_id, score): (None, 'a', 1.0)",
    ),
    "NULL item": (
        {"query_id": ["q", "q"], "item_id": ["a", None], "score": [1.0, 2.0]},
        {},
        "1 missing id of queries or items (query_id, item_id, score): ('q', None, 2.0)",
    ),
    "NULL score": (
        {"query_id": ["q", "q"], "item_id": ["a", "b"], "score": [1.0, None]},
        {},
        "1 row with a NULL or NaN score: ('q', 'b'",
    ),
    "score as text": (
        {"query_id": ["q", "q"], "item_id": ["a", "b"], "score": ["1", "x"]},
        {},
        "score is not a number: ('q', 'b', 'x')",
    ),
    "score as a date": (
        {"query_id": ["q"], "item_id": ["a"], "score": [pd.Timestamp("2026-01-01")]},
        {},
        "not a number",
    ),
    "other id types": (
        {"query_id": [1], "item_id": ["a"], "score": [1.0]},
        {},
        "query_id is BIGINT in run and VARCHAR in qrels",
    ),
    "two values in a group": (
        {"query_id": ["q", "q"], "item_id": ["a", "b"], "score": [1.0, 2.0], "by_me": ["x", "y"]},
        {"by": "by_me"},
        "query 'q' has two values in by_me: 'x' and 'y'",
    ),
    "unknown group": (
        {"query_id": ["q"], "item_id": ["a"], "score": [1.0], "market": ["x"]},
        {"by": "markt"},
        "by: no column 'markt' in the query list, the judgments or all runs. Did you mean 'market'?",
    ),
    "no rows": ({"query_id": [], "item_id": [], "score": []}, {}, "there are no rows"),
}


@pytest.mark.parametrize(("columns", "options", "message"), FRAMES.values(), ids=FRAMES)
def test_bad_tables(columns, options, message):
    run = pd.DataFrame(columns).astype({"query_id": object, "item_id": object} if not columns["query_id"] else {})
    with pytest.raises(rm.DataError) as error:
        rm.evaluate(run, QRELS, ["rr"], **options)
    assert message in str(error.value)


USAGE = {
    "unknown metric": (["ndgc@10"], {}, "Unknown metric 'ndgc@10'. Did you mean 'ndcg@10'?"),
    "no metric": ([], {}, "No metric given"),
    "k of 0": (["ndcg@0"], {}, "the cutoff must be a whole number of at least 1, not '0'"),
    "negative k": (["ndcg@-1"], {}, "not '-1'"),
    "k that is no number": (["ndcg@ten"], {}, "not 'ten'"),
    "k as parameter": (["ndcg(k=0)"], {}, "k cannot be 0. Expected a whole number of at least 1."),
    "k twice": (["ndcg_cut_10@5"], {}, "gives its cutoff twice"),
    "k where there is none": (["bpref@10"], {}, "bpref has no cutoff"),
    "unknown parameter": (["ap(rell=2)"], {}, "ap has no parameter 'rell'. Did you mean 'rel'?"),
    "parameter of the evaluation": (["ap(position=given)"], {}, "position applies to the whole evaluation"),
    "parameter twice": (["ap(rel=1,rel=2)"], {}, "rel is given twice"),
    "parameter out of range": (["rbp(p=1)"], {}, "p cannot be 1. Expected a number above 0 and below 1."),
    "bad gain": (["ndcg(gain=exp)"], {}, "gain cannot be 'exp'. Did you mean 'exp2'?"),
    "bad map": (["ndcg(gain={1:x})"], {}, "'{1:x}' is not a map of grades to gains"),
    "SQL in a metric": (["ap; DROP TABLE runs"], {}, "is not of the form"),
    "comment in a metric": (["ap(rel=1 -- x)"], {}, "rel cannot be '1 -- x'"),
    "SQL in a value": (["rr(rel=1) UNION SELECT 1"], {}, "is not of the form"),
    "collision": (["ndcg@10", "ndcg_cut_10"], {}, "have the same column ndcg_at_10"),
    "denominator without k": (["ap(ap_denominator=k)"], {}, "ap_denominator=k needs a cutoff"),
    "unknown option": (["ap"], {"tie": "rank"}, "Unknown option 'tie'. Did you mean 'ties'?"),
    "unknown value": (["ap"], {"ties": "item_decs"}, "ties cannot be 'item_decs'. Did you mean 'item_desc'?"),
    "unknown profile": (["ap"], {"profile": "trec_evl"}, "Unknown profile 'trec_evl'. Did you mean 'trec_eval'?"),
    "depth of 0": (["ap"], {"depth": 0}, "depth cannot be 0. Expected a whole number of at least 1."),
    "threshold that is no number": (["ap"], {"rel": "high"}, "rel cannot be 'high'. Expected a number."),
    "threshold NaN": (["ap"], {"rel": float("nan")}, "rel cannot be nan"),
    "positions of scores": (["ap"], {"position": "given"}, "position=given needs positions"),
    "SQL in a column map": (["ap"], {"columns": {"item_id": "x; DROP TABLE y"}}, "must be a column name"),
    "unknown meaning": (
        ["ap"],
        {"columns": {"itemid": "x"}},
        "columns: unknown column 'itemid'. Did you mean 'item_id'?",
    ),
    "group called like a result": (["ap"], {"by": "score2"}, "by: no column"),
    "connection": (
        ["ap"],
        {"connection": "not one"},
        "not one: no such database file.",
    ),
}


@pytest.mark.parametrize(("metrics", "options", "message"), USAGE.values(), ids=USAGE)
def test_bad_requests(metrics, options, message):
    with pytest.raises(rm.RankmetricsError) as error:
        rm.evaluate(RUN, QRELS, metrics, **options)
    assert message in str(error.value)


@pytest.mark.parametrize("grade", [5, 4.5])
def test_a_grade_beyond_the_scale_of_err(grade):
    with pytest.raises(rm.DataError, match=f"highest grade is {grade}, beyond err_max = 4"):
        rm.evaluate({"q": ["a"]}, {"q": {"a": grade}}, ["err"])
    assert rm.evaluate({"q": ["a"]}, {"q": {"a": grade}}, ["err(err_max=5)"])["err(err_max=5)"] > 0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("q", "a", 1, 2), ("q", "b", 0, 3)], "n_relevant of query 'q' is 2.0 to 3.0"),
        ([("q", "a", 1, 1), ("q", "b", 1, 1)], "with 2 relevant rows present"),
        ([("q", "a", 1, None)], "n_relevant of query 'q'"),
        ([("q", "a", 1, 200_000)], "at most 100,000 beyond"),
    ],
)
def test_contradicting_numbers_of_relevant_items(rows, message):
    table = pd.DataFrame(rows, columns=["query_id", "item_id", "relevance", "n_relevant"]).assign(
        position=range(1, len(rows) + 1)
    )
    with pytest.raises(rm.DataError, match=message):
        rm.labelled(table, ["ap"])


@pytest.mark.parametrize(
    ("positions", "message"), [([1, 1], "but some repeat"), ([0, 1], "at least 1"), ([1.5, 2], "whole number")]
)
def test_bad_given_positions(positions, message):
    table = pd.DataFrame({"query_id": "q", "item_id": ["a", "b"], "position": positions, "relevance": 1})
    with pytest.raises(rm.DataError, match=message):
        rm.labelled(table, ["ap"], position="given")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("DELETE FROM x", "no such file"),
        ("SELECT 1; DROP TABLE x", "Expected one SELECT"),
        ("WITH y AS (DELETE FROM x RETURNING *) SELECT * FROM y", "would change data"),
        ("SELECT FROM WHERE", "Cannot parse"),
    ],
)
def test_statements_that_change_something_are_refused(run, message):
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE x AS SELECT 1 AS query_id")
        with pytest.raises(rm.RankmetricsError, match=message):
            rm.evaluate(run, QRELS, ["ap"], connection=connection)
        assert connection.execute("SELECT COUNT(*) FROM x").fetchall() == [(1,)]


def test_a_database_error_carries_its_sql():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE VIEW broken AS"
            " SELECT 'q' AS query_id, 'b' AS item_id, CASE WHEN error('boom') IS NULL THEN 1.0 END AS score"
        )
        with pytest.raises(rm.DatabaseError, match="boom") as error:
            quietly(rm.evaluate, "broken", QRELS, ["ap"], connection=connection, check="none")
        assert "broken" in error.value.sql


def test_output_is_whole_or_untouched(tmp_path, cli, monkeypatch):
    run, qrels = files(tmp_path)
    output = tmp_path / "out.json"
    output.write_text("old")
    arguments = ("evaluate", run, "--qrels", qrels, "-m", "ap", "--format", "json", "--output", output)
    monkeypatch.setattr(
        "pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    result = cli(*arguments)
    assert (result.exit_code, output.read_text()) == (1, "old")
    assert "No space left" in result.stderr
    monkeypatch.undo()
    assert cli(*arguments).exit_code == 0
    assert json.loads(output.read_text())[0]["value"] == 0.5
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "x.qrels", "x.run"]


def test_output_into_a_missing_folder(tmp_path, cli):
    run, qrels = files(tmp_path)
    result = cli("evaluate", run, "--qrels", qrels, "-m", "ap", "--output", tmp_path / "no" / "out")
    assert (result.exit_code, result.exception.__class__) == (1, SystemExit)
    assert "cannot be written" in result.stderr


CLI_USAGE = {
    "unknown command": (["evalute"], "Did you mean 'evaluate'?"),
    "no run": (["evaluate", "-m", "ap"], "RUN is missing"),
    "no qrels": (["evaluate", "x.run", "-m", "ap"], "--qrels is missing"),
    "unknown metric": (["metrics", "ndgc"], "Did you mean 'ndcg'?"),
    "unknown profile": (["profiles", "trec"], "Did you mean 'trec_eval'?"),
    "unknown dialect": (
        ["sql", "-m", "ap", "--run", "a", "--qrels", "b", "--dialect", "snowflak"],
        "Did you mean 'snowflake'?",
    ),
    "set without value": (["evaluate", "a", "--qrels", "b", "-m", "ap", "--set", "ties"], "--set takes OPTION=VALUE"),
    "unknown set": (["evaluate", "a", "--qrels", "b", "-m", "ap", "--set", "tie=rank"], "Did you mean 'ties'?"),
    "columns without value": (
        ["evaluate", "a", "--qrels", "b", "-m", "ap", "--columns", "item_id"],
        "--columns takes NAME=COLUMN",
    ),
    "unknown input format": (
        ["evaluate", str(DEMO / "qrels.txt"), "--qrels", "b", "-m", "ap", "--input-format", "parket"],
        "Did you mean 'parquet'?",
    ),
    "a URL we do not have": (
        ["evaluate", "a", "--qrels", "b", "-m", "ap", "--database", "firebird://u:secret@h/d"],
        "firebird",
    ),
    "standard input twice": (["evaluate", "-", "--qrels", "-", "-m", "ap"], "which can be read only once"),
    "two runs of one name": (["evaluate", "a=x", "a=y", "--qrels", "b", "-m", "ap"], "Two runs are called 'a'"),
}


@pytest.mark.parametrize(("arguments", "message"), CLI_USAGE.values(), ids=CLI_USAGE)
def test_bad_command_lines(cli, arguments, message):
    result = cli(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "secret" not in result.stderr


@pytest.mark.parametrize(
    ("run", "qrels", "warning"),
    [
        ({"x": ["a"]}, {"x": ["a"], "y": ["a"]}, "1 judged query without results; each scores 0"),
        ({"x": ["a"], "y": ["a"]}, {"x": ["a"]}, "results for 1 query without judgments are ignored"),
        (
            {"x": {"a": 1.0, "b": 1.0, "c": 1.0}},
            {"x": ["a"]},
            "1 query with equal scores whose order decides values. Item ids order them .ties=item_desc.",
        ),
    ],
)
def test_warnings(run, qrels, warning):
    with pytest.warns(rm.RankmetricsWarning, match=warning):
        result = rm.evaluate(run, qrels, ["p@2"])
    assert any(re.search(warning, message) for message in result.warnings)


@pytest.mark.parametrize("strategy", ["window", "count"])
@pytest.mark.parametrize(("k", "warned"), [(1, False), (2, True), (3, False), (4, False)])
def test_ties_are_cut_only_inside_a_group(strategy, k, warned):
    run, qrels = {"q": {"first": 2.0, "b": 1.0, "c": 1.0, "last": 0.5}}, {"q": ["b"]}
    assert bool(quietly(rm.evaluate, run, qrels, [f"p@{k}"], strategy=strategy).warnings) == warned


def test_labelled_queries_without_a_label_are_mentioned():
    table = pd.DataFrame({"query_id": ["x", "y"], "item_id": "a", "position": 1, "relevance": [1, None]})
    with pytest.warns(rm.RankmetricsWarning, match="1 query without a label ignored"):
        assert rm.labelled(table, ["rr"])["rr"] == 1
    assert rm.labelled(table, ["rr"], queries="retrieved")["rr"] == 0.5


def test_advice_names_no_column_of_ours():
    """A grade that is computed has no name that people could type."""
    judged = "SELECT 'q' AS query_id, 'a' AS item_id, g FROM (VALUES ('1'), ('2')) AS t(g)"
    with pytest.raises(rm.DataError, match="takes the highest grade") as problem:
        rm.evaluate({"q": ["a"]}, judged, "rr", columns={"qrels.relevance": "CAST(g AS DOUBLE)"})
    assert "rankmetrics_" not in str(problem.value)
