"""Two retrievers in one table: what is said where nobody named the column that tells them apart, typed as it says."""

from __future__ import annotations

import ast
import re
import shlex

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import quietly


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE same AS SELECT 'q' || q AS query_id, 'i' || i AS item_id,"
            " IF(s = 'dense', 10 - i, i) AS score, s AS ranker"
            " FROM range(12) a(q), range(1, 4) b(i), (VALUES ('bm25'), ('dense')) v(s);"
            "CREATE TABLE other AS SELECT query_id, IF(ranker = 'dense', 'x', '') || item_id AS item_id, score,"
            " ranker AS retriever FROM same;"
            "CREATE TABLE one AS SELECT * REPLACE ('bm25' AS retriever) FROM other;"
            "CREATE TABLE labels AS SELECT 'q' || q AS query_id, 'i2' AS item_id, 1 AS relevance FROM range(12) a(q);"
            "CREATE TABLE lists AS SELECT 'u' || u AS user_id, ['a', 'b'] AS items, 'm' || m AS model"
            " FROM range(3) a(u), range(2) b(m)"
        )
        for table in ("same", "other", "labels"):
            connection.execute(f"COPY {table} TO '{folder / table}.csv'")
        yield connection, folder


def test_items_twice_in_a_list_name_the_column_and_its_values(shop):
    connection, _ = shop
    with pytest.raises(rm.DataError) as problem:
        rm.evaluate("same", "labels", "rr", connection=connection)
    said = str(problem.value)
    asked = "Do the rows belong to several runs? Name the column of the run:"
    assert f"Column ranker has the values 'bm25' and 'dense'. {asked}" in said
    columns = re.search(r"columns=(\{'run_id': 'ranker'\})", said)
    found = quietly(rm.evaluate, "same", "labels", "rr", connection=connection, columns=eval(columns[1]))
    assert {row["run_id"] for row in found.summary.dicts()} == {"bm25", "dense"}
    with pytest.raises(rm.DataError) as problem:
        rm.compare("one", {"new": "same"}, "labels", "rr", connection=connection)
    [how] = re.findall(r"Select those of one: (SELECT .*?')\. ", str(problem.value))
    asked = how.replace("...", "same")
    assert asked == "SELECT * FROM same WHERE ranker = 'bm25'"
    quietly(rm.compare, "one", {"new": asked}, "labels", "rr", connection=connection)


def test_lists_without_common_items_are_warned_of(shop):
    connection, _ = shop
    warning = r"retriever has the values 'bm25' and 'dense', but all rows count as one run"
    with pytest.warns(rm.RankmetricsWarning, match=warning):
        alone = rm.evaluate("other", "labels", "rr", connection=connection)
    found = quietly(rm.evaluate, "other", "labels", "rr", connection=connection, columns={"run_id": "retriever"})
    assert alone["rr"] < max(row["value"] for row in found.summary.dicts())
    compared = quietly(rm.compare, "one", {"new": "other"}, "labels", "rr", connection=connection)
    how = "SELECT * FROM ... WHERE retriever = 'bm25' selects those of one run."
    assert any(warning.endswith(how) for warning in compared.warnings)
    for table, given in (("one", {}), ("other", {"columns": {"run_id": "retriever"}})):  # nothing to say
        result = quietly(rm.evaluate, table, "labels", "rr", connection=connection, **given)
        assert not [warning for warning in result.warnings if "count as one run" in warning]


def test_lists_of_several_models_name_their_column(shop):
    connection, _ = shop
    likes = {"u0": {"a": 1}}
    with pytest.raises(rm.DataError, match=r"lists of several models, name the column: run='model'\.$"):
        rm.evaluate(rm.lists("lists", "user_id", "items"), likes, "rr", connection=connection)
    lists = rm.lists("lists", "user_id", "items", run="model")
    assert len(quietly(rm.evaluate, lists, likes, "rr", connection=connection).summary) == 2


def test_one_table_with_all_runs_is_compared(shop, cli):
    connection, folder = shop
    given = {"columns": {"run_id": "retriever"}, "connection": connection}
    [row] = quietly(rm.compare, "other", None, "labels", "rr", baseline="bm25", **given).summary.dicts()
    both = {name: f"SELECT * FROM other WHERE retriever = '{name}'" for name in ("bm25", "dense")}
    [expected] = quietly(rm.compare, both, "labels", "rr", connection=connection).summary.dicts()
    assert row == expected
    with pytest.raises(
        rm.UsageError, match=r"Name the run to compare with: baseline=NAME\. The runs: 'bm25', 'dense'\."
    ):
        rm.compare("other", None, "labels", "rr", **given)
    with pytest.raises(rm.DataError, match=r"there is no run called 'bm52' to compare with\. Did you mean 'bm25'"):
        quietly(rm.compare, "other", None, "labels", "rr", baseline="bm52", **given)
    with pytest.raises(
        rm.UsageError, match=r"If one table has both, name its column of the runs, columns=\{'run_id': NAME\}"
    ):
        rm.compare("other", None, "labels", "rr", connection=connection)
    line = ["compare", folder / "other.csv", "--qrels", folder / "labels.csv", "-m", "rr", "--format", "json"]
    said = cli(*line, "--columns", "run=retriever").stderr
    [advised] = re.findall(r"Name the run to compare with: (--baseline NAME)\.", said)
    found = cli(*line, "--columns", "run=retriever", *shlex.split(advised.replace("NAME", "bm25")))
    assert found.exit_code == 0, found.stderr
    assert '"candidate":0.0' in found.stdout.replace(" ", "")
    both = [folder / "other.csv", folder / "same.csv"]
    said = cli("compare", *both, "--baseline", "bm25", "--qrels", folder / "labels.csv", "-m", "rr").stderr
    assert "--baseline names an arm of a log, or a run of one file, and you passed several runs" in " ".join(
        said.split()
    )


def test_a_run_that_scores_zero_is_named_though_another_does_not(shop):
    connection, _ = shop
    far = "SELECT query_id, 'z' || item_id AS item_id, score FROM one"
    found = quietly(rm.evaluate, {"near": "one", "far": far}, "labels", "rr", connection=connection)
    [said] = [warning for warning in found.warnings if warning.startswith("No retrieved item is judged")]
    assert "far" in said
    assert "near" not in said


def test_arms_that_share_no_group_are_not_told_to_number_positions(shop):
    connection, _ = shop
    connection.execute(
        "CREATE OR REPLACE TABLE shown AS SELECT r AS request_id, 'i' || p AS item_id, p AS position,"
        " IF(r % 2 = 0, 'a', 'b') AS arm, IF(r % 2 = 0, 'de', 'fr') AS market FROM range(20) t(r), range(1, 4) u(p);"
        "CREATE OR REPLACE TABLE done AS SELECT request_id, 'i2' AS item_id, 'click' AS event_type FROM shown"
    )
    log = rm.events("shown", "done", arm="arm")
    with pytest.raises(
        rm.DataError, match=r"No group of market has queries of 'a' and of another arm.*Omit this break"
    ):
        quietly(rm.compare, log, "mrr", baseline="a", by="market", connection=connection)
    assert len(quietly(rm.compare, log, "mrr", baseline="a", connection=connection).summary) == 1


def test_a_time_may_be_sql_over_the_row(shop):
    connection, _ = shop
    connection.execute("CREATE OR REPLACE TABLE dated AS SELECT *, TIMESTAMP '2026-01-02 03:04:05' AS t FROM one")
    for key, time in (("time", "t"), ("time", "CAST(t AS DATE)"), ("run.time", "t"), ("run.time", "CAST(t AS DATE)")):
        given = {"period": "day", "columns": {key: time}}
        found = quietly(rm.evaluate, "dated", "labels", "rr", connection=connection, **given)
        assert [str(row["period"]) for row in found.summary.dicts()] == ["2026-01-02"]
        text = rm.sql("rr", "dated", "labels", dialect="duckdb", **given | {"columns": {"run.time": time}})
        assert [str(row[0]) for row in connection.execute(text).fetchall()] == ["2026-01-02"]


@pytest.mark.parametrize(
    "rules", [{"within": 60}, {"half_life": 60}, {"attribution": "user"}, {"min_dwell": 5}], ids=str
)
def test_rules_of_logs_say_which_column_to_name(rules, cli):
    """As often as there is something to say: attribution=user needs two columns."""
    given = dict(rules)
    for _ in range(1 + (rules == {"attribution": "user"})):
        with pytest.raises(rm.UsageError) as problem:
            rm.events("shown", "done", **given)
        [name] = re.findall(r"(\w+)=NAME\.", str(problem.value))
        given[name] = "my_column"
    rm.events("shown", "done", **given)
    [(name, value)] = rules.items()
    said = cli("evaluate", "--events", "shown", "done", "--rule", f"{name}={value}", "-m", "rr").stderr
    assert re.search(r"--rule \w+=NAME\.", " ".join(said.split()))
    with pytest.raises(rm.UsageError, match=r"columns={'(time|dwell)': \.\.\.}"):
        macros()["from_events"]("shown", "done", **rules)


@pytest.mark.parametrize("word", ["N/A", "don't know"])
def test_a_grade_that_is_a_word_is_read_as_unjudged(shop, word):
    connection, _ = shop
    connection.execute("CREATE OR REPLACE TABLE words AS SELECT query_id, item_id, CAST(relevance AS TEXT) AS relevance"
                       " FROM labels")  # fmt: skip
    connection.execute("UPDATE words SET relevance = ? WHERE query_id = 'q3'", [word])
    with pytest.raises(rm.DataError, match="relevance is not a number") as problem:
        rm.evaluate("one", "words", "rr", connection=connection)
    [advised] = re.findall(r"unjudged, pass columns=(\{.*\})\.$", str(problem.value))
    found = quietly(rm.evaluate, "one", "words", "rr", connection=connection, columns=ast.literal_eval(advised))
    assert found.summary.dicts()[0]["n_queries"] == 11


@pytest.mark.parametrize("level", ["summary", "per_query", "values", "compare"])
def test_lists_are_sorted_by_query_first(level):
    """As the judgments are joined, so that PostgreSQL sorts again only within a query."""
    text = rm.sql(["ndcg@10", "ap"], {"a": "run_a", "b": "run_b"}, "labels", dialect="postgres", level=level)
    runs = re.findall(r"(?:PARTITION|GROUP) BY ((?:\w\.)?run_id, )?(?:\w\.)?query_id", text)
    assert runs
    assert not any(runs)


MIXED = "SELECT s AS {}, 'q' || q AS query_id, 'd' || i AS item_id, 9 - i * (s = 'old')::INT AS score"
MIXED += " FROM (VALUES ('new'), ('old')) t(s), range(3) u(q), range(4) v(i)"


@pytest.mark.parametrize("column", ["system", "Retriever", "variant"])
@pytest.mark.parametrize("road", ["sql", "evaluate", "labelled"])
def test_a_text_is_refused_where_its_columns_can_be_seen(column, road):
    """As an evaluation is, with the same words; a name for the column is the way out."""
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE runs AS {MIXED.format(column)}")
        connection.execute("CREATE TABLE qrels AS SELECT DISTINCT query_id, item_id, 1 AS relevance FROM runs")
        ask = rm.evaluate if road == "evaluate" else rm.sql
        given = {"connection": connection} | ({"columns": {"relevance": "score"}} if road == "labelled" else {})
        inputs = {"labelled": "runs"} if road == "labelled" else {"run": "runs", "qrels": "qrels"}
        with pytest.raises(rm.DataError) as refused:
            ask(metrics=["rr"], **inputs, **given)
        assert "duplicate item in a query" in str(refused.value)
        if road != "labelled":
            assert f"Name the column of the run: columns={{'run_id': '{column}'}}" in str(refused.value)
            ask(metrics=["rr"], **inputs, connection=connection, columns={"run_id": column})
        assert rm.sql(["rr"], "(SELECT query_id, item_id, score FROM runs)", "qrels", connection=connection)


def test_of_lists_without_a_common_item_the_header_says_it():
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE runs AS SELECT * REPLACE (item_id || system AS item_id) FROM ({MIXED.format('system')})"
        )
        connection.execute("CREATE TABLE qrels AS SELECT query_id, item_id, 1 AS relevance FROM runs")
        text = rm.sql(["rr"], "runs", "qrels", connection=connection)
        assert "-- Note that column system has the values 'new' and 'old', but all rows count as one run." in text
        one = "SELECT * FROM runs WHERE system = 'new'"
        assert "all rows count as one run" not in rm.sql(["rr"], one, "qrels", connection=connection)
        assert connection.sql(text).fetchall()


@pytest.mark.parametrize("run", ["runs", "SELECT query_id, item_id, score FROM runs"])
@pytest.mark.parametrize("is_labelled", [False, True])
def test_the_check_in_the_header_finds_mixed_runs_and_doubled_rows(run, is_labelled):
    with duckdb.connect() as connection:
        for made in (MIXED.format("system"), "FROM (SELECT 'q' AS query_id, 'd' AS item_id, 1 AS score), range(2)"):
            connection.execute(f"CREATE OR REPLACE TABLE runs AS {made}")
            columns = {"relevance": "score"}
            text = rm.sql(["rr"], labelled=run, columns=columns) if is_labelled else rm.sql(["rr"], run, "qrels")
            lines = text.split("WITH")[0].replace("\n--     ", " ").splitlines()
            [check, *_] = [line[3:] for line in lines if line.startswith("-- SELECT")]
            wanted = connection.sql("SELECT query_id, item_id, COUNT(*) FROM runs GROUP BY ALL HAVING COUNT(*) > 1")
            assert sorted(connection.sql(check).fetchall()) == sorted(wanted.fetchall())


ITEMS = {"a": ["x"], "b": ["y"], "c": ["x"]}
LISTS = "SELECT * FROM (VALUES ('A', 'q1', ['a', 'b']), ('B', 'q1', ['a', 'c'])) t (model, query_id, items)"
TABLE = f"SELECT model, query_id, UNNEST(items) AS item_id, UNNEST([1, 2]) AS position FROM (FROM ({LISTS})) t"


@pytest.mark.parametrize(
    ("run", "more"),
    [
        ({"A": {"q1": ["a", "b"]}, "B": {"q1": ["a", "c"]}}, {}),
        (TABLE, {"columns": {"run": "model"}, "baseline": "A"}),
        (rm.lists(LISTS, run="model"), {"baseline": "A"}),
    ],
    ids=["mapping", "table", "lists"],
)
@pytest.mark.parametrize(
    "given", [("ild@20",), (None, "ild@20"), (None, ["ild@20"]), (None, None, "ild@20"), "keyword"]
)
def test_several_runs_without_judgments_need_none(run, more, given):
    more = {**more, "metrics": ["ild@20"]} if given == "keyword" else more
    found = quietly(rm.compare, run, *(() if given == "keyword" else given), items=ITEMS, **more)
    assert [(row["metric"], row["baseline"], row["candidate"]) for row in found.summary.dicts()] == [("ild@20", 1, 0)]
    with pytest.raises(rm.UsageError, match="No qrels given"):
        quietly(rm.compare, run, "rr", **{name: value for name, value in more.items() if name != "metrics"})
