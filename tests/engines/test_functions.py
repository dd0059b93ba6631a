"""Functions inside a database: each gives what ``evaluate`` gives, for every cutoff and whatever a table is called."""

from __future__ import annotations

import random
import re

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics

from ..conftest import fill, quietly
from ..everything import mostly_long

DIALECTS = ("duckdb", "postgres", "bigquery")
EXECUTED = ("duckdb", "postgres-15", "postgres-18")
OLDER = "duckdb-1"  # to which only the printed script goes
METRICS = {
    name: metric
    for name, metric in metrics().items()
    if metric.shape == "value" and metric.reads_judgments and not (metric.reads_items or metric.reads_reference)
}
CUTOFFS = (None, 1, 3, 10, 25, 100)  # lists have 25 items at most
QUERIES = ("q1", "Q1", "é", "it's", "single")

# Columns called as the parameters of the functions, which must not be taken for them.
RUN_COLUMNS = {"query_id": "text", "item_id": "text", "score": "double", "k": "bigint", "qrels": "text"}
QRELS_COLUMNS = {
    "query_id": "text",
    "item_id": "text",
    "relevance": "double",
    "runs": "text",
    "propensity": "double",
    "target": "double",
}
ACTIONS = sorted({name for metric in metrics().values() for name in metric.reads_beside} - {"subtopic", *QRELS_COLUMNS})
QRELS_COLUMNS |= dict.fromkeys(ACTIONS, "double")
TOPICS_COLUMNS = {"query_id": "text", "item_id": "text", "subtopic": "text", "relevance": "double"}


def _run(seed=5):
    """Lists with few distinct scores, so that many are tied, and one of a query that nobody judged."""
    rng = random.Random(seed)
    lengths = dict(zip(QUERIES, (25, 12, 7, 25, 1), strict=True))
    rows = [(query, f"d{n}", rng.randrange(6) / 2, 2, "x") for query, length in lengths.items() for n in range(length)]
    return [*rows, ("extra", "d1", 1.0, 2, "x")]


def _qrels(seed=6):
    """Grades of which some are missing or negative, for items that are not all retrieved; one query has no run."""
    rng = random.Random(seed)
    rows = [
        (query, f"d{n}", rng.choice([None, -1.0, 0.0, 1.0, 2.0, 3.0]), "x", 1 / (1 + n), 0.5, *_actions(n))
        for query in QUERIES
        for n in rng.sample(range(35), 16)
    ]
    return [*rows, ("missing", "d1", 1.0, "x", 1.0, 0.5, *_actions(1))]


def _actions(n):
    """Numbers of actions and what they are worth, some 0."""
    return [float(n * place % 4) for place, _ in enumerate(ACTIONS, start=1)]


def _topics(seed=7):
    rng = random.Random(seed)
    return [
        (query, f"d{n}", f"s{topic}", float(rng.choice([0, 1, 1, 2])))
        for query in QUERIES
        for n in rng.sample(range(35), 10)
        for topic in range(rng.randint(1, 3))
    ]


def _text(metric, k):
    return metric if k is None else f"{metric}@{k}"


def _judgments(metric):
    return "topics" if "subtopics" in METRICS[metric].needs else "labels"


@pytest.fixture(scope="module")
def expected():
    """Metric string to query to value, as ``evaluate`` has it."""
    found = {}
    columns = {"subtopic": "subtopic"}
    run = {query: {} for query, *_ in _run()}
    for query, item, score, *_ in _run():
        run[query][item] = score
    con = duckdb.connect()
    con.execute(f"CREATE TABLE labels ({', '.join(map(' '.join, QRELS_COLUMNS.items()))})")
    fill(con, "labels", _qrels())
    con.execute("CREATE TABLE topics (query_id TEXT, item_id TEXT, subtopic TEXT, relevance DOUBLE)")
    fill(con, "topics", _topics())
    for table in ("labels", "topics"):
        for k in CUTOFFS:
            wanted = [name for name, m in METRICS.items() if _judgments(name) == table and (k is None or m.takes_k)]
            texts = [_text(name, k) for name in wanted]
            given = {"columns": columns} if table == "topics" else {}
            result = quietly(rm.evaluate, run, table, texts, connection=con, **given)
            rows = result.per_query.dicts()
            found |= {text: {row["query_id"]: row[text] for row in rows} for text in texts}
    return found


@pytest.fixture(scope="module")
def installed(start_engine):
    """Name to an engine with the tables and every function."""
    ready = {}

    def engine(name):
        if name not in ready:
            ready[name] = start_engine(name)
            ready[name].load("runs", RUN_COLUMNS, _run())
            ready[name].load("labels", QRELS_COLUMNS, _qrels())
            ready[name].load("topics", TOPICS_COLUMNS, _topics())
            if name == OLDER:
                ready[name].fetch(rm.install(dialect="duckdb"))
            else:
                rm.install(connection=ready[name].connection)
        return ready[name]

    return engine


def _assert_same(rows, expected):
    found = dict(rows)
    assert len(found) == len(rows)
    assert found.keys() == expected.keys()
    for query, value in expected.items():
        if value is None:
            assert found[query] is None
        else:
            assert found[query] == pytest.approx(value, abs=1e-12 * max(1, abs(value)), rel=0), query


@pytest.mark.parametrize("name", [*EXECUTED, OLDER])
@pytest.mark.parametrize("metric", mostly_long(METRICS, *list(METRICS)[::12]))
def test_a_function_gives_what_evaluate_gives(installed, expected, name, metric):
    engine = installed(name)
    for k in CUTOFFS if METRICS[metric].takes_k else (None,):
        arguments = f"'runs', '{_judgments(metric)}'" + ("" if k is None else f", {k}")
        columns, rows = engine.fetch(f"SELECT * FROM rankmetrics_{metric}({arguments})")
        assert columns == ["query_id", "value"]
        _assert_same(rows, expected[_text(metric, k)])


@pytest.mark.parametrize("name", EXECUTED)
def test_a_function_stands_in_a_larger_query(installed, expected, name):
    call = "rankmetrics_ap('runs', 'labels', 3)"
    [[mean]] = installed(name).fetch(f"SELECT AVG(value) FROM {call} WHERE query_id <> 'missing'")[1]
    values = [value for query, value in expected["ap@3"].items() if query != "missing"]
    assert mean == pytest.approx(sum(values) / len(values), abs=1e-12)


@pytest.mark.parametrize("name", EXECUTED)
@pytest.mark.parametrize("k", ["0", "-1"])
def test_a_wrong_cutoff_is_an_error(installed, name, k):
    for metric in ("ndcg", "p"):
        with pytest.raises(Exception, match="k must be a whole number of at least 1"):
            installed(name).fetch(f"SELECT * FROM rankmetrics_{metric}('runs', 'labels', {k})")


@pytest.mark.parametrize("name", EXECUTED[1:])
def test_no_cutoff_may_be_written_as_null(installed, expected, name):
    _assert_same(installed(name).fetch("SELECT * FROM rankmetrics_p('runs', 'labels', NULL)")[1], expected["p"])


@pytest.mark.parametrize("k", ["NULL", "2.5"])
def test_duckdb_says_that_a_cutoff_is_wrong(installed, k):
    with pytest.raises(Exception, match="k must be a whole number of at least 1"):
        installed("duckdb").fetch(f"SELECT * FROM rankmetrics_p('runs', 'labels', {k})")


@pytest.mark.parametrize("name", EXECUTED)
@pytest.mark.parametrize(
    ("table", "argument"),
    [
        ('"My runs"', "'\"My runs\"'"),
        ('"semi;colon -- \'"', "'\"semi;colon -- ''\"'"),
        ('"%1$s"', "'\"%1$s\"'"),
        ('odd."$query$"', "'odd.\"$query$\"'"),
        ("odd.runs", "'odd.runs'"),
    ],
)
def test_a_table_has_any_name_and_any_schema(installed, expected, name, table, argument):
    engine = installed(name)
    engine.run("CREATE SCHEMA IF NOT EXISTS odd")
    engine.run(f"DROP TABLE IF EXISTS {table}")
    engine.run(f"CREATE TABLE {table} AS SELECT * FROM runs")
    try:
        rows = engine.fetch(f"SELECT * FROM rankmetrics_ndcg({argument}, 'labels', 3)")[1]
    finally:
        engine.run(f"DROP TABLE {table}")
    _assert_same(rows, expected["ndcg@3"])


@pytest.mark.parametrize("name", EXECUTED)
@pytest.mark.parametrize(
    "argument",
    ["runs; DROP TABLE victim", "runs) AS x; DROP TABLE victim; --", "(SELECT * FROM runs)", "runs AS r", "no_such"],
)
def test_a_name_that_is_no_table_runs_nothing(installed, name, argument):
    engine = installed(name)
    engine.load("victim", {"query_id": "text"}, [("q",)])
    for call in (f"'{argument}', 'labels', 3", f"'runs', '{argument}', 3"):
        with pytest.raises(Exception, match=r"(?i)does not exist|invalid name syntax|syntax error"):
            engine.fetch(f"SELECT * FROM rankmetrics_ndcg({call})")
    assert engine.fetch("SELECT COUNT(*) FROM victim")[1] == [(1,)]


@pytest.mark.parametrize("name", EXECUTED)
def test_functions_are_replaced_and_removed(installed, name):
    engine = installed(name)
    engine.run("CREATE SCHEMA IF NOT EXISTS odd")
    given = {"connection": engine.connection, "schema": "odd"}
    rm.install(["rr", "ap@2"], **given)
    first = engine.fetch("SELECT * FROM odd.rankmetrics_rr('runs', 'labels', 1)")[1]
    rm.install("rr", rel=3, **given)
    assert engine.fetch("SELECT * FROM odd.rankmetrics_rr('runs', 'labels', 1)")[1] != first
    assert engine.fetch("SELECT * FROM odd.rankmetrics_ap_at_2('runs', 'labels')")[1]
    rm.install(["rr", "ap@2"], remove=True, **given)
    rm.install(["rr", "ap@2"], remove=True, **given)
    for call in ("odd.rankmetrics_rr('runs', 'labels', 1)", "odd.rankmetrics_ap_at_2('runs', 'labels')"):
        with pytest.raises(Exception, match="does not exist"):
            engine.fetch(f"SELECT * FROM {call}")


@pytest.mark.parametrize(("name", "dialect"), [("duckdb", "duckdb"), ("postgres-15", "postgres")])
def test_the_printed_script_runs_as_a_whole(installed, expected, name, dialect):
    engine = installed(name)
    engine.run("CREATE SCHEMA IF NOT EXISTS pasted")
    engine.run(rm.install(["ap", "p@3"], dialect=dialect, schema="pasted"))
    _assert_same(engine.fetch("SELECT * FROM pasted.rankmetrics_ap('runs', 'labels')")[1], expected["ap"])
    _assert_same(engine.fetch("SELECT * FROM pasted.rankmetrics_p_at_3('runs', 'labels')")[1], expected["p@3"])


@pytest.mark.parametrize("name", EXECUTED)
def test_functions_are_replaced_where_their_columns_change(installed, name):
    """In a schema that is not there yet; PostgreSQL replaces no function by one of other columns or arguments."""
    engine = installed(name)
    given = {"connection": engine.connection, "schema": "fresh"}
    engine.run("CREATE OR REPLACE VIEW armed AS SELECT *, 'a' AS arm, query_id AS asked FROM runs")
    engine.run("CREATE OR REPLACE VIEW judged AS SELECT *, query_id AS asked FROM labels")
    rm.install("rr", **given)
    plain = engine.fetch("SELECT query_id, value FROM fresh.rankmetrics_rr('runs', 'labels', 2) ORDER BY 1")[1]
    rm.install(["rr"], **given, columns={"run_id": "arm", "query_id": "asked"})
    found = engine.fetch("SELECT run_id, asked, value FROM fresh.rankmetrics_rr('armed', 'judged', 2) ORDER BY 2")[1]
    assert [(query, value) for _, query, value in found] == plain
    rm.install(["rr"], **given)
    assert engine.fetch("SELECT query_id, value FROM fresh.rankmetrics_rr('runs', 'labels', 2) ORDER BY 1")[1] == plain


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_the_script_is_one_transaction(dialect):
    """It begins before the schema and ends behind the last function; what a reader needs is a comment."""
    lines = rm.install(["rr", "p@3"], dialect=dialect, schema="metrics").splitlines()
    statements = [line for line in lines if line and not line.startswith("--")]
    assert statements[0].startswith("BEGIN")
    assert statements[-1] == "COMMIT;"
    granted = [line for line in lines if "GRANT" in line]
    assert all(line.startswith("--") for line in granted)
    assert ("--     GRANT USAGE ON SCHEMA metrics TO reader;" in granted) == (dialect == "postgres")
    assert ("--     GRANT USAGE ON SCHEMA my_schema TO reader;" in granted) == (dialect == "postgres")


def test_the_header_says_what_null_and_nan_do():
    """As the functions of DuckDB do it; those of PostgreSQL have the NULLIF that the header says."""
    grades = {"'nan'::DOUBLE": 1.0, "NULL": 0.0, "1": 1.0}
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE runs AS SELECT 'q' AS query_id, 'a' AS item_id, 1.0 AS score")
        connection.execute(rm.install("rr", dialect="duckdb"))
        for grade, value in grades.items():
            connection.execute(
                f"CREATE OR REPLACE TABLE labels AS SELECT 'q' AS query_id, 'a' AS item_id, {grade} AS relevance"
                " UNION ALL SELECT 'q', 'b', 1"
            )
            assert connection.execute("SELECT value FROM rankmetrics_rr('runs', 'labels')").fetchall() == [(value,)]
        for score in ("'nan'::DOUBLE", "NULL"):
            connection.execute(
                f"CREATE OR REPLACE TABLE runs AS SELECT 'q' AS query_id, 'b' AS item_id, {score} AS score"
                " UNION ALL SELECT 'q', 'c', -5.0"
            )
            connection.execute(
                "CREATE OR REPLACE TABLE labels AS SELECT 'q' AS query_id, 'b' AS item_id, 1 AS relevance"
            )
            assert connection.execute("SELECT value FROM rankmetrics_rr('runs', 'labels')").fetchall() == [(0.5,)]
    said = " ".join(rm.install("rr", dialect="duckdb").replace("\n--    ", "").split())
    assert (
        "A NULL score ranks last, and a NULL grade is no judgment. A NaN score ranks last, too. A NaN grade is" in said
    )
    said = " ".join(rm.install("rr", dialect="postgres").replace("\n--    ", "").split())
    assert "A NaN score ranks last, too. A NaN grade is relevant. Make it NULL: NULLIF(relevance, 'NaN')." in said


@pytest.mark.parametrize("name", EXECUTED)
def test_choices_and_columns_are_fixed_in_the_function(installed, name):
    engine = installed(name)
    engine.run("DROP VIEW IF EXISTS clicks")
    engine.run("CREATE VIEW clicks AS SELECT query_id AS \"User\", '7' AS session, item_id AS doc, score FROM runs")
    engine.run("DROP VIEW IF EXISTS grades")
    engine.run(
        "CREATE VIEW grades AS SELECT query_id AS \"User\", '7' AS session, item_id AS doc, relevance FROM labels"
    )
    columns = {"query_id": ['"User"', "session"], "item_id": "doc"}
    rm.install("ndcg(gain=exp2)", ties="item_asc", columns=columns, connection=engine.connection)
    names, rows = engine.fetch("SELECT * FROM rankmetrics_ndcg_gain_exp2('clicks', 'grades', 4)")
    assert names == ["User", "session", "value"]
    con = duckdb.connect()
    con.execute("CREATE TABLE runs (query_id TEXT, item_id TEXT, score DOUBLE, k INT, qrels TEXT)")
    fill(con, "runs", _run())
    con.execute(f"CREATE TABLE labels ({', '.join(map(' '.join, QRELS_COLUMNS.items()))})")
    fill(con, "labels", _qrels())
    result = quietly(rm.evaluate, "runs", "labels", "ndcg(gain=exp2)@4", ties="item_asc", connection=con)
    assert {row[1] for row in rows} == {"7"}
    _assert_same([(row[0], row[2]) for row in rows], dict(result.per_query.fetchall()))


@pytest.mark.parametrize("name", EXECUTED)
def test_systems_of_one_table_are_told_apart(installed, expected, name):
    engine = installed(name)
    engine.run("DROP VIEW IF EXISTS systems")
    both = "SELECT 'a' AS system, r.* FROM runs r UNION ALL SELECT 'b', r.* FROM runs r WHERE r.score > 1"
    engine.run(f"CREATE VIEW systems AS {both}")
    engine.run("CREATE SCHEMA IF NOT EXISTS by_system")
    rm.install("ap", columns={"run_id": "system"}, schema="by_system", connection=engine.connection)
    names, rows = engine.fetch("SELECT * FROM by_system.rankmetrics_ap('systems', 'labels', 3)")
    assert names == ["run_id", "query_id", "value"]
    _assert_same([row[1:] for row in rows if row[0] == "a"], expected["ap@3"])
    assert {row[0] for row in rows} == {"a", "b"}


@pytest.mark.parametrize("name", EXECUTED)
def test_nothing_is_left_where_one_function_is_refused(installed, name):
    engine = installed(name)
    good = rm.install("rr", dialect="duckdb" if name == "duckdb" else "postgres", rel=3, schema="half")
    engine.run("DROP SCHEMA IF EXISTS half CASCADE")
    engine.run("CREATE SCHEMA half")
    made = re.sub(
        r"^(BEGIN( TRANSACTION)?|COMMIT);\n?", "", good, flags=re.MULTILINE
    )  # the transaction is the caller's
    bad = [re.sub(r"\A(--.*\n)+", "", made).rstrip(";\n"), "SELECT no_such_column"]
    from rankmetrics_sql.engines import connect

    with pytest.raises(rm.DatabaseError), connect(engine.connection) as opened:
        opened.change(bad)
    with pytest.raises(Exception, match="does not exist"):
        engine.fetch("SELECT * FROM half.rankmetrics_rr('runs', 'labels', 1)")


def test_functions_of_duckdb_are_part_of_the_users_transaction():
    con = duckdb.connect()
    con.execute("CREATE TABLE runs AS SELECT 'q' AS query_id, 'd' AS item_id, 1 AS score")
    con.execute("CREATE TABLE qrels AS SELECT 'q' AS query_id, 'd' AS item_id, 1 AS relevance")
    con.begin()
    rm.install("rr", connection=con)
    assert con.execute("SELECT * FROM rankmetrics_rr('runs', 'qrels')").fetchall() == [("q", 1.0)]
    con.rollback()
    with pytest.raises(duckdb.CatalogException):
        con.execute("SELECT * FROM rankmetrics_rr('runs', 'qrels')")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("metric", ["ap@7", "bpref"])
def test_the_statement_inside_is_the_one_that_is_printed(dialect, metric):
    tables = {
        "duckdb": ("query_table(runs)", "query_table(qrels)"),
        "postgres": ("%1$s", "%2$s"),
        "bigquery": ("runs", "qrels"),
    }[dialect]
    text = rm.sql(metric, "runs_here", "qrels_here", dialect=dialect, level="per_query", header=False)
    inside = text.rstrip(";\n").replace("runs_here", tables[0]).replace("qrels_here", tables[1])
    assert f"\n{inside}\n" in rm.install(metric, dialect=dialect)


@pytest.mark.parametrize("dialect", mostly_long(DIALECTS, "duckdb"))
def test_every_metric_is_a_function_or_the_header_says_why_not(dialect):
    script = rm.install(dialect=dialect)
    assert script == rm.install(dialect=dialect)
    made = set(re.findall(r"^CREATE OR REPLACE [A-Z ]+ rankmetrics_(\w+)", script, re.MULTILINE))
    reasons = " ".join(line.strip("- ") for line in script.partition("\n\n")[0].splitlines()).partition("Not there")[2]
    assert made | {name for name in metrics() if re.search(rf"\b{name}\b", reasons)} == set(metrics())
    assert set(METRICS) - made == (set() if dialect in ("duckdb", "postgres") else {"alpha_ndcg", "nerr_ia", "nnrbp"})


def test_the_header_says_what_wrote_it_and_how_it_is_called():
    header = rm.install(["p", "rr@5"], dialect="bigquery", profile="trec_eval", rel=2).partition("\n\n")[0]
    assert f"rankmetrics_sql {rm.__version__}" in header
    assert all(part in header for part in ("bigquery", "metrics p, rr@5", "profile trec_eval", "options rel=2"))
    assert "SELECT * FROM rankmetrics_p(TABLE my_dataset.runs, TABLE my_dataset.qrels, 10)" in header
    assert all(line.startswith("-- ") for line in header.splitlines())


def test_a_line_break_in_a_column_ends_no_comment():
    header = rm.install("p", dialect="duckdb", columns={"item_id": "a\nDROP TABLE runs"}).partition("\n\n")[0]
    assert all(line.startswith("-- ") for line in header.splitlines())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metrics": "pr_curve", "dialect": "duckdb"}, "it has points"),
        ({"metrics": "nndcg", "dialect": "duckdb"}, "Did you mean 'ndcg'"),
        ({"dialect": "trino"}, "no functions for 'trino'. Valid: duckdb, postgres"),
        ({"dialect": "postgrs"}, "Did you mean 'postgres'"),
        ({}, "install needs a dialect"),
        ({"dialect": "duckdb", "unjudged": "bounds"}, "three values"),
        ({"dialect": "duckdb", "metrics": "p", "columns": {"query_id": ["K", "b"]}}, "has the name of a column"),
        ({"dialect": "bigquery", "metrics": "nnrbp"}, "needs a recursion"),
        ({"dialect": "duckdb", "metrics": ["p", "precision"]}, "need the same function rankmetrics_p"),
        ({"dialect": "duckdb", "ties": "input"}, "ties=input"),
        ({"dialect": "duckdb", "schema": ""}, "cannot be empty"),
    ],
)
def test_a_bad_request_is_refused(given, message):
    with pytest.raises(rm.UsageError, match=re.escape(message)):
        rm.install(**given)


def test_a_cutoff_that_must_be_given_has_no_function_without_it():
    script = rm.install("ap", dialect="duckdb", ap_denominator="k")
    assert "(runs, qrels, k) AS TABLE" in script
    assert "(runs, qrels) AS TABLE" not in script


BIGQUERY_METRICS = ("ap", "ndcg", "bpref", "st_recall")


def _statement(dialect, metric):
    return rm.install(metric, dialect=dialect).partition("\n\n")[2]


def _body(statement):
    """What stands inside the function."""
    return re.fullmatch(r".*?\nAS (.*);", statement, re.DOTALL)[1]


@pytest.fixture(scope="module", params=["googlesql"])
def googlesql(request, start_engine):
    engine = start_engine(request.param)
    engine.load("runs", RUN_COLUMNS, _run())
    engine.load("labels", QRELS_COLUMNS, _qrels())
    return engine


@pytest.mark.parametrize("metric", BIGQUERY_METRICS)
def test_bigquery_takes_the_function_and_what_is_inside_gives_what_evaluate_gives(googlesql, expected, metric):
    """The evaluator keeps no functions: it checks the whole statement, and runs the inside with k in its place."""
    from zetasql import types
    from zetasql.api import Analyzer, CatalogBuilder

    statement = _statement("bigquery", metric)
    functions = types.ZetaSQLBuiltinFunctionOptions(language_options=googlesql._language)
    catalog = CatalogBuilder("functions").with_builtin_functions(functions).build()
    options = types.AnalyzerOptions(language_options=googlesql._language)
    Analyzer(options, catalog, googlesql.connection).analyze_statement(statement)
    table, columns, rows = (
        ("topics", TOPICS_COLUMNS, _topics()) if _judgments(metric) == "topics" else ("labels", QRELS_COLUMNS, _qrels())
    )
    googlesql.load("qrels", columns, rows)
    for k in (3, None) if METRICS[metric].takes_k else (None,):
        text = re.sub(r"\bk\b", f"CAST({'NULL' if k is None else k} AS INT64)", _body(statement))
        _assert_same(googlesql.fetch(text.strip().removeprefix("(").removesuffix(")"))[1], expected[_text(metric, k)])
    assert table == _judgments(metric)


def test_bigquery_refuses_a_wrong_cutoff(googlesql):
    googlesql.load("qrels", QRELS_COLUMNS, _qrels())
    text = re.sub(r"\bk\b", "CAST(0 AS INT64)", _body(_statement("bigquery", "p")))
    with pytest.raises(Exception, match="must be a whole number of at least 1"):
        googlesql.fetch(text.strip().removeprefix("(").removesuffix(")"))


def test_the_command_prints_the_script(cli):
    printed = cli("install", "--dialect", "postgres", "-m", "ndcg(gain=exp2)", "--set", "rel=2", "--schema", "metrics")
    assert printed.exit_code == 0
    assert printed.stdout == rm.install("ndcg(gain=exp2)", dialect="postgres", rel="2", schema="metrics") + "\n"


def test_the_command_creates_and_removes_functions(cli, tmp_path):
    file = tmp_path / "my.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute("CREATE TABLE runs AS SELECT 'q' AS query_id, 'd' AS item_id, 1 AS score")
        con.execute("CREATE TABLE qrels AS SELECT 'q' AS query_id, 'd' AS item_id, 1 AS relevance")
    created = cli("install", "--database", file, "-m", "p")
    assert created.exit_code == 0, created.stderr
    assert "SELECT * FROM rankmetrics_p('runs', 'qrels', 10)" in created.stdout
    assert "CREATE" not in created.stdout
    with duckdb.connect(str(file)) as con:
        assert con.execute("SELECT * FROM rankmetrics_p('runs', 'qrels', 2)").fetchall() == [("q", 1 / 2)]
    assert cli("install", "--database", file, "-m", "p", "--remove").exit_code == 0
    with duckdb.connect(str(file)) as con, pytest.raises(duckdb.CatalogException):
        con.execute("SELECT * FROM rankmetrics_p('runs', 'qrels', 2)")


@pytest.mark.long
@pytest.mark.parametrize("asked", ["--remove", "--columns"])
def test_views_in_the_way_are_named_with_what_to_type(cli, installed, asked):
    """Whether functions are removed, or have other columns than those that the views read."""
    engine = installed("postgres-15")
    given = ["install", "--database", engine.url, "--schema", "watched", "-m", "rr"]
    assert cli(*given).exit_code == 0
    engine.run("CREATE OR REPLACE VIEW quality AS SELECT * FROM watched.rankmetrics_rr('runs', 'labels', 2)")
    engine.run("CREATE OR REPLACE VIEW means AS SELECT AVG(value) AS mean FROM quality")
    given += [asked] if asked == "--remove" else [asked, "query_id=topic"]
    refused = cli(*given)
    assert refused.exit_code != 0
    drop = re.search(r"Drop what depends on it first, and make it again afterwards: (DROP .*;)", refused.stderr)[1]
    assert "view quality, view means" in refused.stderr
    engine.run(drop)
    assert cli(*given).exit_code == 0
    engine.run("DROP SCHEMA watched CASCADE")


@pytest.mark.long
def test_who_installs_may_create_in_the_database_or_the_schema(installed):
    import psycopg

    engine = installed("postgres-15")
    engine.run("DROP ROLE IF EXISTS installer")
    engine.run("CREATE ROLE installer LOGIN")
    script = rm.install("rr", dialect="postgres", schema="of_installer")

    def install():
        address = re.sub(r"^.*//[^@/]*@", "postgresql://installer@", engine.url)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(script)

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        install()
    engine.run("CREATE SCHEMA of_installer")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        install()
    engine.run("GRANT CREATE, USAGE ON SCHEMA of_installer TO installer")
    install()
    assert engine.fetch("SELECT * FROM of_installer.rankmetrics_rr('runs', 'labels', 2)")
    engine.run("DROP SCHEMA of_installer CASCADE")
    engine.run("DROP ROLE installer")


@pytest.mark.long
def test_the_command_creates_functions_at_a_url(cli, installed):
    engine = installed("postgres-15")
    engine.run("CREATE SCHEMA IF NOT EXISTS by_url")
    created = cli("install", "--database", engine.url, "--schema", "by_url", "-m", "rr")
    assert created.exit_code == 0, created.stderr
    direct = engine.fetch("SELECT * FROM rankmetrics_rr('runs', 'labels', 2)")
    assert engine.fetch("SELECT * FROM by_url.rankmetrics_rr('runs', 'labels', 2)") == direct
