"""What a statement and a page say of a source: its tables, columns and rules, and how its rows were used."""

from __future__ import annotations

import html
import re
import shlex

import duckdb
import pytest

import rankmetrics_sql as rm

from ..conftest import quietly

ARGUMENTS = {
    "request": "search",
    "item": "sku",
    "arm": "arm",
    "time": "moment",
    "within": "30 minutes",
    "grades": {"click": 1, "buy": 2.5},
}
COMMAND = ["--events", "shown", "done", *(f"--rule={name}={ARGUMENTS[name]}" for name in ("request", "item", "arm"))]
COMMAND += ["--rule=time=moment", "--rule=within=30 minutes", "--rule=grades=click:1,buy:2.5"]


@pytest.fixture
def shop(tmp_path):
    """A file of DuckDB with a log of two arms and lists of two models."""
    file = str(tmp_path / "shop.duckdb")
    with duckdb.connect(file) as connection:
        connection.execute(
            "CREATE TABLE shown AS SELECT 's' || s AS search, 'i' || i AS sku, i AS position, TIMESTAMP '2026-03-01' AS"
            " moment, CASE WHEN s < 20 THEN 'old' ELSE 'new' END AS arm FROM range(40) a(s), range(1, 4) b(i);"
            "CREATE TABLE done AS SELECT search, sku, 'click' AS event_type, moment FROM shown"
            " WHERE position = 1 + hash(search) % 4;"
            "INSERT INTO done VALUES ('s1', 'lost', 'click', TIMESTAMP '2026-03-01')"
        )
    return file


def test_a_header_names_tables_columns_and_rules(cli):
    log = rm.events("shown", "done", **ARGUMENTS)
    for text in (rm.sql("mrr", log), cli("sql", *COMMAND, "-m", "mrr").stdout):
        said = " ".join(line.removeprefix("--").strip() for line in text.split("WITH")[0].splitlines())
        assert "tables impressions=shown, events=done" in said
        assert "impressions.request=search, impressions.item=sku" in said
        assert "impressions.arm=arm" in said
        assert "rules grades=(click=1, buy=2.5), grade=highest, attribution=request, within=1800," in said
        assert "assumed" not in said
    two = {"a": rm.lists("x", "who", run=None, relevant="liked"), "b": rm.lists("y", "uid")}
    said = rm.sql("mrr", two).split("WITH")[0]
    assert "-- tables a.relation=x, b.relation=y" in said
    assert "a.relation.query=who" in said
    beside = rm.sql("mrr", rm.lists("x", run="model"), "labels").split("WITH")[0]
    assert "-- tables relation=x, qrels=labels" in beside
    assert "relation.run=model" in beside
    assert "qrels.relevance" in beside.split("assumed columns")[1]


def test_the_statement_of_data_quality_counts_as_the_result_does(shop, cli):
    log = rm.events("shown", "done", **ARGUMENTS)
    with duckdb.connect(shop) as connection:
        counted = quietly(rm.evaluate, log, "mrr", connection=connection).data_quality.fetchall()
        for given in ({}, {"connection": connection}, {"header": False}, {"comments": False}):
            assert connection.execute(rm.sql((), log, level="data_quality", **given)).fetchall() == counted
        text = cli("sql", *COMMAND, "--level", "data_quality").stdout
        assert connection.execute(text).fetchall() == counted
    assert ("events", "not shown", 1) in [tuple(row) for row in counted]
    assert text.startswith("-- rankmetrics_sql")
    assert "within=1800" in text


def test_a_page_says_the_rules_and_the_design(shop, cli, tmp_path, undrawn):
    page = tmp_path / "page.html"
    said = cli("report", *COMMAND, "-m", "mrr", "--database", shop, "-o", page)
    assert said.exit_code == 0, said.stderr
    text = page.read_text(encoding="utf-8")
    assert "<dt>rules</dt><dd>grades=(click=1, buy=2.5), grade=highest" in text
    assert "<dt>tables</dt><dd>impressions=shown, events=done</dd>" in text
    chosen = text.split("Chosen otherwise than by default:")[1].split("</dl>")[0]
    assert "design = unpaired" in chosen
    assert "position = given" in chosen


def test_a_long_table_says_how_to_see_the_rest(shop):
    with duckdb.connect(shop) as connection:
        table = quietly(rm.evaluate, rm.events("shown", "done", **ARGUMENTS), "mrr", connection=connection).per_query
        assert repr(table).endswith(f"... {len(table) - 20} more rows; fetchall() returns all")


def test_what_a_log_says_to_type_works_on_the_command_line(tmp_path, cli):
    """Each rule is typed as the message before has it, with the names of a log in which nothing is called as usual."""
    file = str(tmp_path / "log.duckdb")
    with duckdb.connect(file) as connection:
        connection.execute(
            "CREATE TABLE shown AS FROM (VALUES ('s1', 1, 1), ('s1', 2, 2), ('s2', 1, 1)) AS t(search, sku, place);"
            "CREATE TABLE taps AS FROM (VALUES ('s1', '2', 'tap')) AS t(search, sku, what);"
            "CREATE TABLE asked AS FROM (VALUES ('s1'), ('s2'), ('s3'), ('s4')) AS t(sid)"
        )
    names = {"request": "search", "item": "sku", "position": "place", "type": "what", "queries": "sid"}
    rules, values = {}, {}
    for metric, n_refused in (("mrr", 6), ("zero_results", 2)):
        for _ in range(n_refused):
            given = [part for name, value in rules.items() for part in ("--rule", f"{name}={value}")]
            done = cli("evaluate", "--events", "shown", "taps", *given, "-m", metric, "--database", file)
            advised = re.search(r"(--rule .*?)(?:\.|$)", done.stderr.replace("\n", " ").strip())
            assert advised, done.stderr
            for rule in re.findall(r"--rule (\"[^\"]*\"|[^ ,]+)", advised[1]):
                name, _, value = shlex.split(rule)[0].partition("=")
                if name != "event_columns":
                    rules[name] = value.replace("NAME", names.get(name, "")).replace("TABLE", "asked")
        given = [part for name, value in rules.items() for part in ("--rule", f"{name}={value}")]
        done = cli("evaluate", "--events", "shown", "taps", *given, "-m", metric, "--database", file, "--format", "csv")
        assert (done.exit_code, done.stderr) == (0, "")
        values[metric] = float(done.stdout.splitlines()[1].split(",")[2])
    assert values == {"mrr": 0.25, "zero_results": 0.5}  # s1: rank 2; s2: nothing. s3 and s4 showed nothing.


LISTS = (
    "SELECT 'u' || u AS who, ['a', 'b'] AS items, ['b'] AS liked, 'm' || m AS model FROM range(12) t(u), range(2) s(m)"
)
ASKED = {
    "evaluate": lambda log, lists, at: rm.evaluate(log, "mrr", **at),
    "compare": lambda log, lists, at: rm.compare(log, "mrr", baseline="old", **at),
    "compare of lists": lambda log, lists, at: rm.compare(lists, "mrr", baseline="m0", **at),
    "decompose": lambda log, lists, at: rm.decompose(log, metrics="mrr", by="market", baseline="old", **at),
    "movements": lambda log, lists, at: rm.movements(lists, k=1, baseline="m0", **at),
    "curve": lambda log, lists, at: rm.curve(log, "ndcg", at=[1, 3], **at),
}


@pytest.mark.parametrize("asked", ASKED)
def test_the_text_that_is_shown_runs_by_itself(shop, asked, tmp_path):
    """In the database of the log, with nothing of the call that showed it."""
    log = rm.events("SELECT *, search[2:2] AS market FROM shown", "done", **ARGUMENTS)
    with duckdb.connect(shop) as connection:
        connection.execute(f"CREATE OR REPLACE TABLE recs AS {LISTS}")
        lists = rm.lists("recs", "who", "items", "liked", run="model")
        found = quietly(ASKED[asked], log, lists, {"connection": connection})
        assert "loaded for this call" not in found.sql
        with duckdb.connect(shop).cursor() as other:
            assert other.execute(found.sql).fetchall()
        if asked == "compare":
            found.report(tmp_path / "page.html")
            page = html.unescape((tmp_path / "page.html").read_text(encoding="utf-8"))
            texts = [text for text in re.findall(r"<code>(.*?)</code>", page, re.DOTALL) if "WITH" in text]
            assert len(texts) >= 2
            for text in texts:
                assert connection.execute(text).fetchall()


def test_a_text_names_the_python_objects_that_were_loaded(shop):
    with duckdb.connect(shop) as connection:
        shown, done = connection.table("shown").df(), connection.table("done").df()
        for at in ({}, {"connection": connection}):
            found = quietly(rm.compare, rm.events(shown, done, **ARGUMENTS), "mrr", baseline="old", **at)
            said = "is a Python object that was loaded for this call only"
            named = re.findall(rf"^-- (\S+) {said}$", found.sql, re.MULTILINE)
            assert len(named) == 2
            assert all(f"FROM {name}" in found.sql for name in named)
