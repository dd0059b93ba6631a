"""The text in every dialect is the one that was reviewed; after a wanted change: ``python -m tests.golden``."""

from __future__ import annotations

import contextlib
import itertools
import re
import sqlite3

import duckdb
import jinja2
import pytest
import sqlglot
from click.testing import CliRunner

import rankmetrics_sql as rm
from rankmetrics_sql.cli import main
from rankmetrics_sql.dialects import check_dialect, translation
from rankmetrics_sql.dialects.translation import sqlglot_dialect
from rankmetrics_sql.pipeline import header as statements

from ..everything import mostly_long
from ..golden import CASES, DIALECTS, HERE, cases_of, files, reviewed, shared, text, told_as
from .known import tree_of

UNCHECKED = statements.comment(statements.UNCHECKED)
FILES = sorted(HERE.rglob("*.sql"))
WITH_FILES = sorted({path.parent.name for path in FILES})


@pytest.mark.parametrize("dialect", mostly_long(DIALECTS, "duckdb", "postgres", "bigquery", "snowflake", "clickhouse"))
def test_texts_are_the_reviewed_ones(dialect):
    """Where another dialect's file holds a text, nothing but the name in the header differs."""
    for case in cases_of(dialect):
        assert text(case, dialect) == reviewed(case, dialect), "after a wanted change run: python -m tests.golden"


def test_files_are_there_once():
    kept = {path: told_as(path.read_text(), dialect, "any") for path, _, dialect in files()}
    assert set(FILES) == kept.keys()
    assert len(set(kept.values())) == len(kept), "two files hold one text: python -m tests.golden"
    told = {(case, dialect) for dialect, cases in shared().items() for case in cases}
    assert {(case, dialect) for dialect in DIALECTS for case in cases_of(dialect)} >= told


def test_a_name_in_the_header_is_all_that_shared_texts_may_differ_in():
    one, other = (f"-- rankmetrics_sql 1, compare for {name}, written by us\nSELECT 'trino'" for name in ("trino", "x"))
    assert told_as(one, "trino", "x") == other
    assert told_as(one, "trino", "x") != other.replace("SELECT 'trino'", "SELECT 'x'")


COMMANDS = ("duckdb", "postgres", "oracle")


@pytest.mark.parametrize(
    "dialects", [COMMANDS, pytest.param(sorted({*DIALECTS} - {*COMMANDS}), marks=pytest.mark.long)], ids=["few", "all"]
)
def test_the_command_prints_what_python_returns(dialects):
    arguments = ["sql", "--run", "shop.runs", "--qrels", "shop.labels"]
    arguments += [word for metric in CASES["summary"]["metrics"] for word in ("-m", metric)]
    for dialect in dialects:
        assert CliRunner().invoke(main, [*arguments, "--dialect", dialect]).stdout == text("summary", dialect)


@pytest.mark.parametrize("dialect", mostly_long([name for name in WITH_FILES if name != "duckdb"], "tsql"))
def test_our_layout_changes_no_word(monkeypatch, dialect):
    theirs = sqlglot_dialect(check_dialect(dialect))
    monkeypatch.setattr(translation, "_writer", lambda _, __: theirs.generator_class(dialect=theirs, pretty=True))
    for path, case, of in files():
        if of == dialect:
            written = rm.sql(dialect=dialect, **CASES[case]) + check_dialect(dialect).end
            assert words(path.read_text(), dialect) == words(written, dialect)


def words(statement, dialect):
    return [
        (token.token_type, token.text)
        for token in sqlglot.tokenize(statement, read=sqlglot_dialect(check_dialect(dialect)))
    ]


@pytest.mark.parametrize("dialect", WITH_FILES)
def test_a_person_can_read_it(dialect):
    for path in (HERE / dialect).iterdir():
        lines = path.read_text().splitlines()
        assert all(line == line.rstrip() and "\t" not in line for line in lines)
        assert max(len(line) - len(line.lstrip()) for line in lines) <= 44
        assert lines[0].startswith(f"-- rankmetrics_sql {rm.__version__}, ")


def test_the_header_names_what_is_not_the_default():
    written = rm.sql(
        ["ndcg@10", "ap"], "a", "b", profile="ranx", ties="item_asc", gain="exp2", rel=1, level="per_query"
    )
    assert written.splitlines()[:10] == [
        f"-- rankmetrics_sql {rm.__version__}, per_query for duckdb, written by rankmetrics sql or rm.sql",
        "-- metrics ndcg@10, ap",
        "-- profile ranx",
        "-- options gain=exp2, ties=item_asc",
        "-- tables run=a, qrels=b",
        "-- assumed columns run.query_id, run.item_id, run.score, qrels.query_id, qrels.item_id, qrels.relevance",
        *UNCHECKED.splitlines(),
        "-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM a GROUP BY query_id, item_id HAVING COUNT(*) > 1",
        "-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM b GROUP BY query_id, item_id HAVING COUNT(*) > 1",
        "WITH",
    ]


def test_the_header_names_the_losses_that_are_allowed():
    asked = {"run": {"old": "a", "new": "b"}, "qrels": "c", "level": "compare"}
    limits = {"NDCG@10": 0.0125, "ap": 0}
    written = rm.sql(["nDCG@10", "ap", "rr"], limits=limits, **asked).splitlines()
    assert written[:4] == [
        f"-- rankmetrics_sql {rm.__version__}, compare for duckdb, written by rankmetrics sql or rm.sql",
        "-- metrics nDCG@10, ap, rr",
        "-- limits nDCG@10=0.0125, ap=0",
        "-- tables old=a, new=b, qrels=c",
    ]
    assert "limits" not in rm.sql("ap", **asked)


def test_the_header_says_that_nothing_is_checked_where_nothing_is():
    log = rm.events("impressions", "events", request="query_id", item="item_id")
    assert UNCHECKED not in rm.sql("rr", log)  # the statement counts an impression once
    assert UNCHECKED in rm.sql("rr", labelled="shown")
    assert UNCHECKED not in rm.sql("rr", "a", "b", header=False)


def test_the_header_is_a_comment_whatever_a_metric_string_holds():
    metric = "ndcg( gain = {1:3,\n2:9} )@10"
    written = rm.sql([metric] + [f"p@{k}" for k in range(1, 60)], "a", "b", dialect="mysql")
    head = written[: written.index("WITH\n")].splitlines()
    assert all(line.startswith("-- ") and len(line) <= 120 for line in head)
    assert "-- metrics ndcg( gain = (1=3, 2=9) )@10, p@1" in head[1]
    assert rm.sql([metric], "a", "b", header=False, dialect="mysql").startswith("WITH\n")
    assert rm.sql([metric], "a", "b", comments=False, dialect="mysql").startswith("WITH rankmetrics_")


# What would end the comment, or is read in one by some driver, console or template.
HURTFUL = (
    "\n",
    "\r\n",
    "\u2028",
    "\x85",
    ";",
    "'",
    '"',
    "`",
    "?",
    "%",
    ":x",
    "{{ x }}",
    "{% x %}",
    "${x}",
    "&x",
    "\\",
    "/*",
    "*/",
)


@pytest.mark.parametrize("mark", HURTFUL)
def test_the_header_holds_nothing_that_is_read_in_comments(mark):
    name = f'"a{mark.replace(chr(34), chr(34) * 2)}b"'
    says = f"CASE WHEN stars > 3 THEN 1 ELSE {name} END"
    written = rm.sql("rr", {"old": f"s.{name}", "new": "t"}, "q", level="compare", columns={"relevance": says})
    head, _, code = written.partition("WITH\n")
    assert head.splitlines()[0].startswith("-- rankmetrics_sql ")
    bare = re.sub(r"""(["'`])([^"'`]*)\1""", r"\2", head)  # quotes are in pairs, or left out
    assert all(re.fullmatch(r"-- +[\w .,()=<>/@*+-]+", line) for line in bare.split("\n")[:-1])
    assert not re.search(r"/\*|\*/", head)
    assert name in code


QUOTED = {
    "run": 'search."SearchResultLog"',
    "qrels": '"Judgments"',
    "columns": {"qrels.relevance": "CASE grade WHEN 'Exact' THEN 2 WHEN 'it''s {{x}} :a ? %s; near' THEN 1 ELSE 0 END"},
}


def test_the_header_shows_the_quotes_of_what_runs():
    head = rm.sql("rr", **QUOTED).partition("WITH\n")[0]
    assert '-- tables run=search."SearchResultLog", qrels="Judgments"' in head
    assert "qrels.relevance=CASE grade WHEN 'Exact' THEN 2 WHEN 'it''s ((x)) _a _ _s_ near' THEN 1 ELSE 0" in head
    assert "a'b" not in rm.sql("rr", '"a\'b"', "q").partition("WITH\n")[0]  # a text begins there, for some readers


def test_drivers_take_a_header_with_quotes():
    """Those that read parameters themselves find none in it, in pairs of quotes or between them."""
    columns = {"qrels.relevance": "CASE grade WHEN 'Exact' THEN 2 ELSE 0 END", "query_id": '"Query? :a"'}
    written = rm.sql("rr", '"Runs"', '"Judgments"', columns=columns)
    head, _, _ = written.partition("WITH\n")
    assert "'Exact'" in head
    assert "query_id=Query_ _a" in head
    assert not re.search(r"(?<![:\w\\]):\w", head)  # as SQLAlchemy finds them
    assert jinja2.Template(head).render() == head.rstrip("\n")
    assert head % () == head
    database = duckdb.connect()
    database.execute("""CREATE TABLE "Runs" AS SELECT 'q' AS "Query? :a", 'x' AS item_id, 1.0 AS score""")
    database.execute("""CREATE TABLE "Judgments" AS SELECT 'q' AS "Query? :a", 'x' AS item_id, 'Exact' AS grade""")
    assert [row[1] for row in database.execute(written).fetchall()] == [1.0]
    with contextlib.closing(sqlite3.connect(":memory:")) as other:
        assert other.execute(f"{head}SELECT 1").fetchall() == [(1,)]


def stages(statement, dialect):
    """Every stage of a statement with the lines above it that are comments."""
    lines = [line.strip() for line in statement.split("\n")]
    for stage in tree_of(statement, dialect).find_all(sqlglot.exp.CTE):
        [place] = [
            place
            for place, line in enumerate(lines)
            if re.match(rf"(WITH (RECURSIVE )?)?{re.escape(stage.alias)}(\(.*\))? AS ", line)
        ]
        above = lines[:place][::-1]
        yield stage.alias, list(itertools.takewhile(lambda line: line.startswith("--"), above))


@pytest.mark.parametrize("dialect", mostly_long(WITH_FILES, "duckdb", "oracle"))
def test_every_stage_of_a_golden_statement_says_what_it_is(dialect):
    for path in (HERE / dialect).iterdir():
        says_what_it_is(path.read_text(), dialect)


@pytest.mark.parametrize("dialect", mostly_long(WITH_FILES, "duckdb", "postgres"))
def test_without_comments_a_statement_has_the_same_words(dialect):
    for case in cases_of(dialect):
        bare = rm.sql(dialect=dialect, **{**CASES[case], "comments": False, "header": False})
        assert [line for line in bare.splitlines() if line.lstrip().startswith("--")] == []
        assert words(bare, dialect) == words(text(case, dialect).rstrip().rstrip(";"), dialect)


def says_what_it_is(statement, dialect):
    found = list(stages(statement, dialect))
    assert found
    for name, comments in found:
        assert len(comments) == 1, name
        assert re.fullmatch(r"-- [a-z][\w ,()=-]+", comments[0])
