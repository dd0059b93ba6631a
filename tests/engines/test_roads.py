"""A statement that is written and an evaluation take the same columns, where they can be looked up or are named."""

from __future__ import annotations

import itertools
import re
import sqlite3

import duckdb
import pytest

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import each_once, mostly_long, one_in

SIDES = ("run", "qrels", "query_list")
PRESENT = [sides for count in (1, 2, 3) for sides in itertools.combinations(SIDES, count)]
SPELLINGS = ["market", *(f"{side}.market" for side in SIDES)]
NUMBERS = {"run": "score", "qrels": "relevance", "query_list": None}
CONNECT = {"duckdb": duckdb.connect, "sqlite": lambda: sqlite3.connect(":memory:")}


def shop(dialect, present):
    """Three tables, some of which have a column of the market, each with a value of its own."""
    connection = CONNECT[dialect]()
    for side, number in NUMBERS.items():
        columns = ["'q' AS query_id", *([f"'a' AS item_id, 1 AS {number}"] if number else [])]
        columns += [f"'of the {side}' AS market"] if side in present else []
        connection.execute(f"CREATE TABLE {side}_here AS SELECT {', '.join(columns)}")
    return connection


def asked(call):
    try:
        return quietly(call)
    except rm.RankmetricsError as error:
        return type(error)


@pytest.mark.parametrize(("dialect", "by"), [*(("duckdb", by) for by in SPELLINGS), ("sqlite", "market")])
@pytest.mark.parametrize("present", one_in(3, PRESENT), ids="+".join)
@pytest.mark.parametrize("listed", mostly_long([False, True], True), ids=["all", "listed"])
def test_both_roads_group_by_the_same_column(dialect, present, by, listed):
    connection = shop(dialect, present)
    given = {"by": by, "query_list": "query_list_here" if listed else None}

    def evaluated():
        found = rm.evaluate("run_here", "qrels_here", ["rr"], connection=connection, **given)
        return [row[0] for row in found.summary.fetchall()]

    def written(**where):
        text = rm.sql("rr", "run_here", "qrels_here", dialect=dialect, **given, **where)
        return [row[0] for row in connection.execute(text).fetchall()]

    there = [side for side in ("query_list", "qrels", "run") if side in present and (listed or side != "query_list")]
    wanted = [side for side in there if by in ("market", f"{side}.market")]
    no_list = by == "query_list.market" and not listed  # which is said without a look at any column
    expected = [f"of the {wanted[0]}"] if wanted else rm.UsageError if no_list else rm.DataError
    assert asked(evaluated) == expected
    assert asked(lambda: written(connection=connection)) == expected
    try:  # without a connection, what is assumed may not be there, but is never another column
        assert asked(written) in (expected, rm.DataError)
    except (duckdb.Error, sqlite3.Error):
        assumed = by.partition(".")[0] if "." in by else "query_list" if listed else "qrels"
        assert assumed not in there


ORDERS = {
    "score": ("score", {}),
    "position": ("position", {}),
    "rank": ("rank", {}),
    "place": ("place", {"position": "place"}),
    "score, position": ("score", {}),
    "position, score": ("score", {}),
    "score, place": ("place", {"position": "place"}),
}


@pytest.mark.parametrize(("dialect", "order"), each_once(CONNECT, ORDERS))
@pytest.mark.parametrize("kind", mostly_long(["table", "query", "labelled"], "table"))
def test_both_roads_order_by_the_same_column(dialect, kind, order):
    first, columns = ORDERS[order]
    connection = CONNECT[dialect]()
    values = {name: (1, 2) if (name == "score") == (first == "score") else (2, 1) for name in order.split(", ")}
    if first != "score":  # b is first by the column that counts
        values[first] = (2, 1)
    rows = (
        f"SELECT 'q' AS query_id, '{item}' AS item_id, {int(item == 'b')} AS relevance, "
        + ", ".join(f'{pair[place]} AS "{name}"' for name, pair in values.items())
        for place, item in enumerate("ab")
    )
    connection.execute(f"CREATE TABLE runs AS {' UNION ALL '.join(rows)}")
    connection.execute("CREATE TABLE labels AS SELECT query_id, item_id, relevance FROM runs")
    run = "SELECT * FROM runs" if kind == "query" else "runs"
    inputs = {"labelled": run} if kind == "labelled" else {"run": run, "qrels": "labels"}
    text = rm.sql("rr", **inputs, connection=connection, columns=columns, level="per_query")
    assert "assumed" not in text
    assert connection.execute(text).fetchall() == [("q", 1.0)]
    if kind == "labelled":
        result = quietly(rm.labelled, run, ["rr"], connection=connection, columns=columns)
    else:
        result = quietly(rm.evaluate, run, "labels", ["rr"], connection=connection, columns=columns)
    assert result["rr"] == 1


def test_without_a_connection_the_header_says_what_was_assumed(cli):
    text = rm.sql("rr", "a", "b", query_list="c", by="market", columns={"item_id": "doc", "qrels.query_id": "topic"})
    assert (
        "-- assumed columns run.query_id, run.score, qrels.relevance, query_list.query_id, query_list.market\n" in text
    )
    assert "-- assumed columns qrels.relevance, qrels.market\n" in rm.sql(
        "rr", "a", "b", by="market", columns={"query_id": "topic", "item_id": "doc", "position": "place"}
    )
    named = cli("sql", "-m", "rr", "--labelled", "t", "--position", "place", "--columns", "query_id=a,item_id=b").stdout
    assert "-- assumed columns run.relevance\n" in named
    assert "place" in named
    assert not re.search(r"\bscore\b", named)


def test_what_is_not_there_is_said_before_the_statement_is_written():
    connection = shop("duckdb", ["run"])
    with pytest.raises(rm.DataError, match="nothing: no such table"):
        rm.sql("rr", "nothing", "qrels_here", connection=connection)
    with pytest.raises(rm.DataError, match=r"no column 'relevance' for relevance\. Columns: query_id, item_id, score"):
        rm.sql("rr", "run_here", "run_here", connection=connection)
    with pytest.raises(rm.DataError, match=r"no column 'scor' for score\. .*Did you mean 'score'"):
        rm.sql("rr", "run_here", "qrels_here", connection=connection, columns={"score": "scor"})


def test_the_command_line_looks_columns_up_too(tmp_path, cli):
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute("CREATE TABLE runs AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS position, 'no' AS market")
        connection.execute("CREATE TABLE labels AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS relevance")
        connection.execute("CREATE TABLE listed AS SELECT 'q' AS query_id")
    arguments = ["-m", "rr", "--run", "runs", "--qrels", "labels", "--query-list", "listed", "--by", "market"]
    result = cli("sql", *arguments, "--database", tmp_path / "x.duckdb")
    assert result.exit_code == 0, result.stderr
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        assert connection.execute(result.stdout).fetchall() == [("no", "rr", 1.0, 1, 0)]


@pytest.mark.parametrize("command", ["evaluate", "compare", "curve", "explain", "sql"])
def test_position_says_what_orders_a_run(tmp_path, monkeypatch, cli, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text("query_id,item_id,score,place\nq,a,2,2\nq,b,1,1\n")
    (tmp_path / "q.csv").write_text("query_id,item_id,relevance\nq,b,1\n")
    inputs = {
        "compare": ["x.csv", "y=x.csv", "--qrels", "q.csv"],
        "explain": ["x.csv", "--qrels", "q.csv", "--profile", "ranx"],
        "sql": ["--run", "x", "--qrels", "q"],
    }
    arguments = [
        command,
        *inputs.get(command, ["x.csv", "--qrels", "q.csv"]),
        "-m",
        "rr@5" if command != "curve" else "rr",
    ]
    named, mapped = (cli(*arguments, *by) for by in (["--position", "place"], ["--columns", "position=place"]))
    assert (named.exit_code, named.stdout, named.stderr) == (0, mapped.stdout, mapped.stderr)
    assert named.stdout != cli(*arguments).stdout or command == "explain"
    twice = cli(*arguments, "--position", "place", "--columns", "run.position=place")
    assert twice.exit_code == 2
    assert "--position and --columns both name the column that orders the run" in twice.stderr


@pytest.fixture
def prototypes():
    """The same tables and log in DuckDB and in SQLite, with names that need quotes in some dialects only."""
    connections = {dialect: connect() for dialect, connect in CONNECT.items()}
    for connection in connections.values():
        connection.execute('CREATE TABLE shown (query_id VARCHAR, doc VARCHAR, score DOUBLE, "Market Place" VARCHAR)')
        connection.execute('CREATE TABLE graded (query_id VARCHAR, doc VARCHAR, relevance DOUBLE, "order" VARCHAR)')
        connection.execute("CREATE TABLE seen (request VARCHAR, item VARCHAR, place INTEGER, arm VARCHAR)")
        connection.execute("CREATE TABLE clicked (request VARCHAR, item VARCHAR, event_type VARCHAR)")
        rows = ", ".join(
            f"('q{q}', '{d}', {(q * i) % 7}, '{'ab'[q % 2]}')" for q in range(9) for i, d in enumerate("xyz")
        )
        connection.execute(f"INSERT INTO shown VALUES {rows}")
        connection.execute('INSERT INTO graded SELECT query_id, doc, score / 3, "Market Place" FROM shown')
        connection.execute('INSERT INTO seen SELECT query_id, doc, 1 + score, "Market Place" FROM shown')
        connection.execute("INSERT INTO clicked SELECT request, item, 'click' FROM seen WHERE place % 3 = 1")
    return connections


PRINTED = {
    "groups": (("ndcg@2", "shown", "graded"), {"by": ["Market Place", "qrels.order"], "columns": {"item_id": "doc"}}),
    "query": (
        ("rr(rel=2)", "SELECT query_id, doc AS item_id, -score AS score FROM shown", "graded"),
        {"columns": {"qrels.item_id": "doc"}, "level": "per_query", "ties": "item_asc"},
    ),
    "expression": (
        ("ap@3", "shown", "graded"),
        {"columns": {"item_id": "doc", "score": "score * -2"}, "no_relevant": "null"},
    ),
    "log": (
        ("mrr@5", rm.events("seen", "clicked", request="request", item="item", position="place", arm="arm")),
        {"level": "compare", "baseline": "a", "confidence_level": 0.9},
    ),
}


@pytest.mark.parametrize("asked_for", PRINTED)
def test_columns_are_looked_up_in_a_prototype(prototypes, asked_for):
    """The text for another database is that which its own connection gives, and has its values."""
    arguments, keywords = PRINTED[asked_for]
    texts = [
        rm.sql(*arguments, **keywords, connection=prototypes[lookup], dialect="sqlite", header=False)
        for lookup in ("duckdb", "sqlite")
    ]
    rows = [prototypes["sqlite"].execute(text).fetchall() for text in texts]
    assert rows[0] == rows[1] != []


@pytest.mark.parametrize("dialect", ["snowflake", "bigquery", "tsql"])
def test_a_prototype_knows_the_columns_of_a_warehouse(prototypes, dialect):
    quote = {"bigquery": "`{}`", "tsql": "[{}]"}.get(dialect, '"{}"').format("Market Place")
    table = {"bigquery": "`shown`", "tsql": "[shown]"}.get(dialect, "shown")
    given = {"columns": {"item_id": "doc"}, "connection": prototypes["duckdb"], "dialect": dialect}
    assert f"s.{quote}" in rm.sql("rr", table, "graded", by="market place", **given)
    with pytest.raises(rm.DataError, match=r"no column 'markt'.*Market Place"):
        rm.sql("rr", f"SELECT * FROM {table}", "graded", by="markt", **given)
    with pytest.raises(rm.DataError, match="nowhere"):
        rm.sql("rr", "nowhere", "graded", **given)


def test_what_a_prototype_cannot_read_is_said(prototypes):
    given = {"connection": prototypes["duckdb"], "columns": {"item_id": "doc"}}
    query = "SELECT * FROM shown AT (OFFSET => -60)"
    message = r"The columns of .*OFFSET => -60.* cannot be looked up in duckdb: Parser Error"
    with pytest.raises(rm.DatabaseError, match=message):
        rm.sql("rr", query, "graded", dialect="snowflake", **given)
    with pytest.raises(rm.UsageError, match=r"dialect=snowflake: the database of connection= speaks duckdb"):
        rm.install("p", connection=prototypes["duckdb"], dialect="snowflake")


def test_a_prototype_on_the_command_line(cli, tmp_path):
    place = tmp_path / "prototype.duckdb"
    with duckdb.connect(place) as connection:
        connection.execute("CREATE TABLE shown AS SELECT 'q' AS query_id, 'a' AS doc, 1 AS score, 'x' AS market")
        connection.execute("CREATE TABLE graded AS SELECT 'q' AS query_id, 'a' AS doc, 1 AS relevance")
    asked_for = ["sql", "-m", "rr", "--run", "shown", "--qrels", "graded", "--columns", "item_id=doc", "--by", "market"]
    there = ["--database", place, "--dialect", "snowflake"]
    printed = cli(*asked_for, *there)
    assert printed.exit_code == 0
    assert "s.market AS group_1" in printed.stdout
    assert "summary for snowflake" in printed.stdout
    assert "no column 'nowhere'" in cli(*asked_for[:-1], "nowhere", *there).stderr
    refused = cli(*asked_for, *there, "--estimate")
    assert refused.exit_code == 2
    assert "the database, which speaks duckdb. Omit --dialect." in refused.stderr
