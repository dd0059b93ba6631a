"""What a string is, in Python and on the command line: an existing file, else SQL text, else a table."""

from __future__ import annotations

import string

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmetrics_sql as rm
from rankmetrics_sql.dialects.names import looks_like_query
from rankmetrics_sql.inputs.strings import kind_of, run_name, split_named

from ..conftest import quietly
from ..everything import examples, one_in

RUN = "query_id,item_id,score\nq,{first},2\nq,{second},1\n"
QRELS = "query_id,item_id,relevance\nq,b,1\n"
LONG = " -- " + "x" * 5000
ROWS = "SELECT 'q' AS query_id, 'b' AS item_id, 1 AS {column} WHERE 1=1"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files whose names could be taken for something else; each has the relevant item second."""
    monkeypatch.chdir(tmp_path)
    for name in ("run.csv", "select.csv", "with b.csv", "select-1.csv", "a=b.csv", "SELECT (1).csv", "x.y.csv"):
        (tmp_path / name).write_text(RUN.format(first="a", second="b"))
    (tmp_path / "qrels.csv").write_text(QRELS)
    with duckdb.connect("shop.duckdb") as connection:  # the tables have it first
        connection.execute(f"CREATE TABLE runs AS {ROWS.format(column='score')}")
        connection.execute("CREATE TABLE selected AS FROM runs")
        connection.execute('CREATE TABLE "with me" AS FROM runs')
        connection.execute("CREATE TABLE \"run.csv\" AS SELECT 'q' AS query_id, 'no file' AS item_id, 1 AS score")
        connection.execute(f"CREATE TABLE labels AS {ROWS.format(column='relevance')}")
    return tmp_path


# A string, the same as an argument of the command line, the value, and whether it is of the database.
STRINGS = [
    ("run.csv", "run.csv", 0.5, False),
    ("select.csv", "select.csv", 0.5, False),
    ("with b.csv", "with b.csv", 0.5, False),
    ("select-1.csv", "select-1.csv", 0.5, False),
    ("a=b.csv", "a=b.csv", 0.5, False),
    ("SELECT (1).csv", "SELECT (1).csv", 0.5, False),
    ("run.csv", "with_rerank=run.csv", 0.5, False),
    ("run.csv", "selected=run.csv", 0.5, False),
    ("run.csv", "with the best=run.csv", 0.5, False),
    ("select.csv", "select=select.csv", 0.5, False),
    ("a=b.csv", "x=a=b.csv", 0.5, False),
    (ROWS.format(column="score"), ROWS.format(column="score"), 1, False),
    (ROWS.format(column="score") + LONG, ROWS.format(column="score") + LONG, 1, False),
    (ROWS.format(column="score") + LONG, "name=" + ROWS.format(column="score") + LONG, 1, False),
    ("/* a */ (SELECT * FROM 'run.csv')", "/* a */ (SELECT * FROM 'run.csv')", 0.5, False),
    ("WITH x AS (FROM 'run.csv') SELECT * FROM x", "WITH x AS (FROM 'run.csv') SELECT * FROM x", 0.5, False),
    ("runs", "runs", 1, True),
    ("main.runs", "NAME=main.runs", 1, True),
    ("selected", "with_this=selected", 1, True),
    ('"with me"', '"with me"', 1, True),
    ("SELECT * FROM runs" + LONG, "x=SELECT * FROM runs" + LONG, 1, True),
]


@pytest.mark.parametrize("string", one_in(3, STRINGS), ids=range(len(STRINGS)))
def test_python_and_the_command_line_understand_a_string_alike(folder, cli, string):
    text, argument, expected, stored = string
    place = {"connection": "shop.duckdb"} if stored else {}
    flags = ["--database", "shop.duckdb"] if stored else []
    assert quietly(rm.evaluate, text, "qrels.csv", ["rr"], **place)["rr"] == expected
    result = cli("evaluate", argument, "--qrels", "qrels.csv", "-m", "rr", "--format", "csv", *flags)
    assert result.exit_code == 0, result.stderr
    assert float(result.stdout.splitlines()[1].split(",")[2]) == expected
    labelled = f"SELECT *, item_id = 'b' AS relevance FROM ({ROWS.format(column='score')})"
    long = cli("evaluate", "--labelled", labelled + LONG, "-m", "rr", *flags)
    assert long.exit_code == 0, long.stderr
    judged = cli("evaluate", argument, "--qrels", ROWS.format(column="relevance") + LONG, "-m", "rr", *flags)
    assert judged.exit_code == 0, judged.stderr


@pytest.mark.parametrize("text", ["nothing", "a" * 300, "no.such.csv", "with-2.csv", "\udcff", "x\0y", "."])
def test_what_is_nothing_is_said_to_be_nothing(folder, cli, text):
    with pytest.raises(rm.RankmetricsError, match=r"no such file|is a folder|not UTF-8") as refused:
        rm.evaluate(text, "qrels.csv", ["rr"])
    result = cli("evaluate", text, "--qrels", "qrels.csv", "-m", "rr")
    assert (result.exit_code, result.stderr) == (1, f"rankmetrics: {refused.value}\n".replace("\udcff", "\\udcff"))


def test_a_table_that_we_loaded_is_no_table_of_the_users(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x").write_text("q Q0 a 1 1 t\n")
    with pytest.raises(rm.DataError, match="x: no such file"):
        rm.evaluate("sub/x", "x", ["rr"])


WORDS = st.sampled_from(["select", "with", "WITH", "Select", "selected", "with_x", "x", "1", "from", "file"])
MARKS = st.sampled_from(["", " ", "=", "_", "-", ".", "/", "(", "*", "\n", "/* c */", "-- c\n", "'", '"'])


@examples(200)
@given(parts=st.lists(st.tuples(MARKS, WORDS), max_size=6), tail=st.text(string.printable, max_size=400))
def test_any_string_is_something(parts, tail):
    text = "".join(mark + word for mark, word in parts) + tail
    kind = kind_of(text)
    assert kind == ("query" if looks_like_query(text) else "table")
    name, rest = split_named(text)
    assert text == (rest if name is None else f"{name}={rest}")
    if kind == "query":  # nothing is cut off a query, and its name is none of its words
        assert (name, run_name(text)) == (None, "query")


def test_many_comments_are_read_quickly():
    assert not looks_like_query("/**/" * 5000 + "x")
    assert looks_like_query("/**/" * 5000 + "SELECT 1")


@pytest.mark.parametrize(
    "text",
    [
        "FROM '{}'", "from '{}' t", "FROM read_parquet('{}')", "FROM '{}' SELECT *", "FROM '{}' WHERE score > 0",
        "-- all\nFROM '{}';", "(FROM '{}')", "FROM (FROM '{}')",
    ],
)  # fmt: skip
@pytest.mark.parametrize("own", [True, False], ids=["here", "connection"])
def test_a_query_may_begin_with_from(tmp_path, cli, text, own):
    """As DuckDB has it: what SELECT * FROM gives of all files of a pattern."""
    for number, item in enumerate("ab"):
        rows = duckdb.sql(f"SELECT 'q' AS query_id, '{item}' AS item_id, {2.0 - number} AS score")
        rows.write_parquet(str(tmp_path / f"{number}.parquet"))
    query = text.format(tmp_path / "*.parquet")
    given = {} if own else {"connection": duckdb.connect()}
    assert rm.evaluate(query, {"q": {"b": 1}}, "rr", **given)["rr"] == 1 / 2
    judged = tmp_path / "judged.csv"
    judged.write_text("query_id,item_id,relevance\nq,b,1\n")
    found = cli("evaluate", f"old={query}", "--qrels", f"FROM '{judged}'", "-m", "rr", "--format", "csv")
    assert found.stdout.splitlines()[1:] == ["old,rr,0.5,1"], found.stderr
