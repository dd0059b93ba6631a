"""What is said of requests that cannot be meant: the argument that is wrong, by the name that its user knows."""

from __future__ import annotations

import io
import re
import warnings

import duckdb
import pandas
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import quietly

RUN = {"q": {"a": 1.0, "b": 2.0}, "p": {"a": 2.0, "c": 1.0}}
QRELS = {"q": {"a": 1}, "p": {"c": 1}}
DEMO = "rankmetrics_sql/demo/covidex.t5.run.gz"
JUDGED = "rankmetrics_sql/demo/qrels.txt"


@pytest.fixture
def log():
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE shown (request_id TEXT, arm TEXT, item_id TEXT, position INTEGER, market TEXT, user_id TEXT);"
        "INSERT INTO shown VALUES ('s1', 'a', 'l', 1, 'x', 'u1'), ('s2', 'b', 'l', 1, 'x', 'u1'),"
        " ('s3', 'b', 'l', 1, 'x', 'u2');"
        "CREATE TABLE clicked AS SELECT 's1' AS request_id, 'l' AS item_id, 'click' AS event_type"
    )
    return connection


def events():
    return rm.events("shown", "clicked", arm="arm")


def test_an_arm_that_is_missing(log):
    log.execute("UPDATE shown SET arm = NULL WHERE request_id = 's3'")
    advice = "To leave them out, pass where='arm IS NOT NULL'."
    with pytest.raises(rm.DataError, match=rf"events: 1 request without an arm \(arm\): s3\. {advice}"):
        quietly(rm.compare, events(), "ctr", baseline="a", connection=log)
    followed = rm.events("shown", "clicked", arm="arm", where="arm IS NOT NULL")
    [row] = quietly(rm.compare, followed, "ctr", baseline="a", connection=log).summary.dicts()
    assert (row["baseline"], row["candidate"], row["n_queries"]) == (1, 0, 2)  # s1 is clicked, s2 is not


def test_a_meaning_in_place_of_its_column_is_told_the_column(log):
    """Clusters by 'user', where the log's user has another name."""
    source = rm.events("shown", "clicked", arm="arm", user="user_id")
    advice = r"The user of this log is the column 'user_id'\. Pass cluster='user_id'\."
    with pytest.raises(rm.DataError, match=rf"shown: no column 'user' for cluster\..* {advice}$"):
        quietly(rm.compare, source, "ctr", baseline="a", cluster="user", connection=log)
    [row] = quietly(rm.compare, source, "ctr", baseline="a", cluster="user_id", connection=log).summary.dicts()
    assert row["n_clusters"] == 2
    with pytest.raises(rm.DataError, match=r"no column 'user' for cluster\.(?!.*of this log)"):
        quietly(rm.compare, events(), "ctr", baseline="a", cluster="user", connection=log)


@pytest.mark.parametrize("argument", ["time", "user"])
def test_a_missing_column_of_a_list_of_searches_is_named_by_its_argument(log, argument):
    with pytest.raises(rm.DataError, match=rf"shown: no column 'ts' for {argument}\."):
        rm.worst(rm.events("shown", "clicked"), "market", connection=log, **{argument: "ts"})


def test_a_cluster_is_no_group_as_well(log):
    with pytest.raises(rm.UsageError, match="by and cluster both name 'user_id'"):
        quietly(rm.compare, events(), "ctr", baseline="a", by=["market", "user_id"], cluster="user_id", connection=log)


@pytest.mark.parametrize("shares", [{"a": 1}, {}])
def test_shares_are_of_two_arms(log, shares):
    with pytest.raises(rm.UsageError, match="shares is the share of each of two arms or more"):
        quietly(rm.compare, events(), "ctr", baseline="a", shares=shares, connection=log)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k": 10**30}, "movements: k=1000000000000000000000000000000 is too large"),
        ({"query": []}, "query is an empty list"),
        ({"weight": "w"}, "weight= works only with a summary"),
        ({"rollup": True}, "rollup works only with a summary"),
        ({"min_queries": 2}, "min_queries works only with a summary or a comparison"),
    ],
)
def test_movements_name_their_own_arguments(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.movements(RUN, {"new": RUN}, QRELS, **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rollup": True}, "rollup works only with a summary"),
        ({"queries": [["q"]]}, r"queries takes one of judged, .*, not a list\. A table of queries goes to query_list="),
    ],
)
def test_what_is_of_a_summary_is_no_unknown_option(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.compare(RUN, {"new": RUN}, QRELS, "ndcg", **given)


@pytest.mark.parametrize("teams", [["a"], ["a", "a"], "ab", ["a", None], ["a", float("nan")], 5, {"a": 1, "b": 2}])
@pytest.mark.parametrize("ask", [rm.team_draft, rm.team_draft_preference])
def test_teams_are_two_names(ask, teams):
    with pytest.raises(rm.UsageError, match=r"^teams takes the names of two teams, such as \['a', 'b'\], not "):
        ask("SELECT 'r' AS request_id, 'a' AS team, 1 AS clicked", teams)


@pytest.mark.parametrize("ask", [rm.team_draft, rm.team_draft_preference])
def test_a_click_is_a_number(ask):
    rows = "SELECT 'r' AS request_id, team, 'NaN'::DOUBLE AS clicked FROM (VALUES ('a'), ('b')) AS t(team)"
    with pytest.raises(rm.DataError, match="clicked is NaN in 2 rows"):
        ask(rows, ["a", "b"])
    ask(rows.replace("'NaN'::DOUBLE", "TRUE"), ["a", "b"])


def test_of_two_equal_runs_none_is_above_the_other():
    assert rm.sensitivity({"a": RUN, "b": RUN}, QRELS, "ndcg").certain == []


def test_a_page_has_a_name():
    with pytest.raises(rm.UsageError, match="path is empty"):
        quietly(rm.evaluate, RUN, QRELS, "ndcg").report("")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", DEMO, "--qrels", JUDGED, "-m", "ndcg"], "Missing option '-o' / '--output'. Try: "),
        (["semantic-model"], "Missing argument 'MODEL'. Try: "),
        (["report", DEMO, "--qrels", JUDGED, "-m", "ndcg", "-o", "-"], "-o - would print the page"),
        (["evaluate", DEMO, "--qrels", JUDGED, "-m", "ndcg", "--by", "is_malformed"], "no column 'is_malformed'"),
        (["evaluate", DEMO, "--qrels", JUDGED, "-m", "ndcg", "--by", "nope"], "relevance, rank, score."),
    ],
)
def test_the_command_says_it_in_a_line(cli, arguments, said):
    done = cli(*arguments)
    assert done.exit_code in (1, 2)
    assert said in done.output
    assert len(done.output.splitlines()) == 1


# What is wrong, what the message ends with, and the same call as it advises.
REMEDIES = {
    "a source's column": (
        lambda con: rm.evaluate(rm.events("placed", "clicked"), "rr", connection=con),
        r"no column 'position' for position\. .* Pass position=NAME\.",
        lambda con: rm.evaluate(rm.events("placed", "clicked", position="slot"), "rr", connection=con),
    ),
    "a column of the events": (
        lambda con: rm.evaluate(rm.events("shown", "named"), "rr", connection=con),
        r"no column 'item_id' for item\. .*, or for the events event_columns=\{'item': NAME\}\.$",
        lambda con: rm.evaluate(rm.events("shown", "named", event_columns={"item": "what"}), "rr", connection=con),
    ),
    "the time of a log": (
        lambda con: rm.evaluate(rm.events("shown", "clicked"), "rr", period="day", connection=con),
        "events: period needs a column with the time: pass time=NAME",
        lambda con: rm.evaluate(rm.events("shown", "clicked", time="moment"), "rr", period="day", connection=con),
    ),
    "grades below rel": (
        lambda con: rm.evaluate("runs", "labels", "rr", connection=con).warnings[0],
        "labels: no item is relevant, because the highest grade is 0.9 and relevant grades begin at 1. rel=0.9 counts",
        lambda con: rm.evaluate("runs", "labels", "rr", rel=0.9, connection=con),
    ),
    "a baseline of no comparison": (
        lambda con: rm.sql("rr", "runs", "labels", baseline="runs"),
        r"baseline= works only with compare, .*, not with level=summary\. Pass level='compare'\.",
        lambda con: rm.sql("rr", {"a": "runs", "b": "runs"}, "labels", baseline="b", level="compare"),
    ),
    "quality of no log": (
        lambda con: rm.sql((), "runs", "labels", level="data_quality"),
        r"Pass a log: run=rm\.events\(\.\.\.\)",
        lambda con: rm.sql((), run=rm.events("shown", "clicked"), level="data_quality"),
    ),
    "quality of metrics": (
        lambda con: rm.sql("rr", rm.events("shown", "clicked"), level="data_quality"),
        r"rm\.sql\(\(\), log, level='data_quality'\)",
        lambda con: rm.sql((), rm.events("shown", "clicked"), level="data_quality"),
    ),
    "zero results of a log": (
        lambda con: rm.evaluate(rm.events("shown", "clicked"), "zero_results", connection=con),
        r"only requests that showed something\. .* requests='logged' and queries=TABLE",
        lambda con: rm.evaluate(
            rm.events("shown", "clicked", requests="logged", queries="SELECT DISTINCT request_id FROM shown"),
            "zero_results",
            connection=con,
        ),
    ),
    "lists that are left out": (
        lambda con: rm.evaluate("runs", "labels", "zero_results", queries="retrieved", connection=con),
        "leaves out every query without a result. Pass queries=judged.",
        lambda con: rm.evaluate("runs", "labels", "zero_results", queries="judged", connection=con),
    ),
    "arms of lists": (
        lambda con: rm.compare(rm.lists("recs", relevant="liked"), "rr", connection=con),
        r"compare needs two runs\. .* by its name: compare\(run, \{name: other\}, metrics\)",
        lambda con: rm.compare(
            rm.lists("recs", relevant="liked"), {"other": rm.lists("recs", relevant="liked")}, "rr", connection=con
        ),
    ),
}


@pytest.fixture
def shop(log):
    log.execute(
        "ALTER TABLE shown ADD COLUMN moment TIMESTAMP DEFAULT TIMESTAMP '2026-03-01';"
        "CREATE TABLE placed AS SELECT request_id, item_id, position AS slot FROM shown;"
        "CREATE TABLE named AS SELECT request_id, item_id AS what, event_type FROM clicked;"
        "CREATE TABLE runs AS SELECT 'q' AS query_id, 'a' AS item_id, 1.0 AS score;"
        "CREATE TABLE labels AS SELECT 'q' AS query_id, 'a' AS item_id, 0.9 AS relevance;"
        "CREATE TABLE recs AS SELECT 'q' AS query_id, ['a'] AS items, ['a'] AS liked"
    )
    return log


@pytest.mark.parametrize("case", REMEDIES)
def test_what_a_message_advises_works_when_typed(shop, case):
    wrong, message, right = REMEDIES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)
        try:
            said = str(wrong(shop))
        except rm.RankmetricsError as error:
            said = str(error)
        assert re.search(message, said)
        found = right(shop)
    assert not [one for one in getattr(found, "warnings", []) if re.search(message, one)]


def test_a_log_without_clicks_is_told_nothing_of_thresholds(shop):
    shop.execute("DELETE FROM clicked")
    found = quietly(rm.evaluate, rm.events("shown", "clicked"), "rr", connection=shop)
    assert not [warning for warning in found.warnings if "no item is relevant" in warning]


@pytest.mark.parametrize("url", ["md:shop", "ducklake:shop.ducklake"])
def test_what_duckdb_attaches_is_no_file(url):
    with pytest.raises(
        rm.DataError, match=rf"{url}: no such database file\. .* connection=duckdb\.connect\('{url.partition(':')[0]}:"
    ):
        rm.evaluate("runs", "labels", "rr", connection=url)


@pytest.mark.parametrize("literal", ["#1", "a;b", "a--b", "/* a */"])
def test_marks_of_comments_may_stand_in_a_literal(shop, literal):
    columns = {"item_id": f"item_id || '{literal}'"}
    found = quietly(rm.evaluate, "runs", "labels", "rr", rel=0.5, columns=columns, connection=shop)
    assert found["rr"] == 1
    log = rm.events("shown", "clicked", item=f"item_id || '{literal}'")
    assert quietly(rm.evaluate, log, "rr", connection=shop)["rr"] == 1 / 3
    with pytest.raises(rm.UsageError, match="may not stand in it"):
        macros()["rm_refuse_expression"](f"item_id || {literal}", "a column")


def test_a_user_has_one_row_of_lists(shop):
    shop.execute("INSERT INTO recs VALUES ('q', ['b'], NULL), ('r', [], NULL), ('r', NULL, NULL), (NULL, [], NULL)")
    with pytest.raises(rm.DataError, match=r"2 queries have several rows, each with a list: q; r\."):
        rm.evaluate(rm.lists("recs", relevant="liked"), "rr", connection=shop)


def test_events_of_ubi_without_an_application(shop):
    """The schema leaves it open."""
    shop.execute(
        "CREATE TABLE ubi_queries AS SELECT 'q' AS query_id, TIMESTAMP '2026-03-01' AS timestamp;"
        "CREATE TABLE ubi_events AS SELECT 'q' AS query_id, action AS action_name, TIMESTAMP '2026-03-01' AS timestamp,"
        " {object: {object_id: item}, position: {ordinal: place}} AS event_attributes"
        " FROM (VALUES ('impression', 'a', 1), ('impression', 'b', 2), ('click', 'b', 2)) AS e(action, item, place)"
    )
    assert quietly(rm.evaluate, rm.ubi("ubi_queries", "ubi_events"), "rr", connection=shop)["rr"] == 0.5


def test_an_unknown_metric_is_not_answered_with_all_there_are():
    with pytest.raises(rm.UsageError) as error:
        rm.evaluate("runs", "labels", "qqqqqqqq")
    assert len(str(error.value)) < 120


# The group of request s1, and of the other two, in each input that may have the column: all differ.
GROUPED = {
    "events": lambda **given: rm.events("shown", "clicked", **given),
    "labelled": lambda **_: rm.labelled(
        "SELECT *, IF(request_id = 's1', 1, 0) AS relevance FROM grouped", columns={"query_id": "request_id"}
    ),
    "lists": lambda **_: rm.lists("listed", relevant="liked"),
}


@pytest.fixture
def grouped(log):
    log.execute(
        "ALTER TABLE shown ADD COLUMN m TEXT; UPDATE shown SET m = IF(request_id = 's1', 'run 1', 'run 2');"
        "CREATE TABLE grouped AS FROM shown;"
        "CREATE TABLE listed AS SELECT request_id AS query_id, [item_id] AS items, m,"
        " IF(request_id = 's1', ['l'], []) AS liked FROM shown;"
        "CREATE TABLE asked AS SELECT request_id AS query_id, replace(m, 'run', 'list') AS m, 1.0 AS w,"
        " user_id AS u FROM shown;"
    )
    return log


@pytest.mark.parametrize("source", GROUPED)
@pytest.mark.parametrize(
    ("by", "with_list", "groups"),
    [
        ("m", True, "list"),
        ("query_list.m", True, "list"),
        ("run.m", True, "run"),
        ("m", False, "run"),
        ("run.m", False, "run"),
    ],
)
def test_a_column_to_group_by_is_that_of_the_input_it_names(grouped, source, by, with_list, groups):
    """The query list's, else the run's; Python's statement is the one that is printed."""
    given = {"query_list": "asked"} if with_list else {}
    if source == "labelled" and with_list:
        given["query_list"] = "SELECT *, query_id AS request_id FROM asked"
    found = quietly(rm.evaluate, GROUPED[source](), "rr", by=by, connection=grouped, **given).summary.dicts()
    assert {row["m"]: (row["value"], row["n_queries"]) for row in found} == {
        f"{groups} 1": (1, 1),
        f"{groups} 2": (0, 2),
    }
    text = rm.sql("rr", GROUPED[source](), by=by, connection=grouped, **given)
    rows = grouped.execute(text).fetchall()
    assert {row[0] for row in rows} == {f"{groups} 1", f"{groups} 2"}


@pytest.mark.parametrize("source", ["events", "lists"])
def test_other_columns_of_queries_are_found_likewise(grouped, source):
    given = {"query_list": "asked", "connection": grouped}
    found = quietly(
        rm.evaluate, GROUPED[source](), "rr", weight="query_list.w", interval="t", cluster="query_list.u", **given
    )
    assert [(row["sum_of_weights"], row["n_clusters"]) for row in found.summary.dicts()] == [(3, 2)]
    same = quietly(rm.evaluate, GROUPED[source](), "rr", weight="w", interval="t", cluster="u", **given)
    assert same.summary.dicts() == found.summary.dicts()


@pytest.mark.parametrize("source", ["events", "labelled"])
def test_an_input_that_is_not_there_has_no_column(grouped, source):
    with pytest.raises(rm.UsageError, match=r"no query list for 'query_list\.m'\. Pass query_list=TABLE\."):
        rm.evaluate(GROUPED[source](), "rr", by="query_list.m", connection=grouped)
    with pytest.raises(
        rm.UsageError, match=r"no table of judgments for 'qrels\.m'\. Pass the column of the run: 'run\.m'\."
    ):
        rm.evaluate(GROUPED[source](), "rr", by="qrels.m", connection=grouped)


def test_judgments_of_lists_have_the_columns_of_lists(grouped):
    for by in ("qrels.m", "run.m", "m"):
        found = quietly(rm.evaluate, GROUPED["lists"](), "rr", by=by, connection=grouped).summary.dicts()
        assert [row["m"] for row in found] == ["run 1", "run 2"]


TAGGED = "q Q0 a 1 2 one\nq Q0 b 2 1 one\nq\tQ0\tb\t1\t2\ttwo\np Q0 c 1 1 two\n"


@pytest.fixture
def tagged(tmp_path):
    path = tmp_path / "x.run"
    path.write_text(TAGGED, encoding="utf-8")
    return path


def test_runs_of_one_file_are_told_apart_by_their_tags(tagged):
    with pytest.raises(
        rm.DataError, match=r"duplicate item .*\('q', 'b', 2\)\. The file has 2 tags \('one', 'two'\)\."
    ):
        rm.evaluate(tagged, QRELS, "rr")
    for columns in ({"run_id": "tag"}, {"run.run_id": "tag"}):
        found = quietly(rm.evaluate, tagged, QRELS, "rr", columns=columns)
        assert {row["run_id"]: row["value"] for row in found.summary.dicts()} == {"one": 0.5, "two": 0.5}
    upper = quietly(rm.evaluate, tagged, QRELS, "rr", columns={"run_id": "UPPER(tag)"}, ties="rank")
    assert sorted(row["run_id"] for row in upper.summary.dicts()) == ["ONE", "TWO"]


def test_a_file_of_one_run_with_duplicates_has_no_word_of_tags(tagged):
    tagged.write_text(TAGGED.replace("two", "one"), encoding="utf-8")
    with pytest.raises(rm.DataError, match=r"\('q', 'b', 2\)\. To keep the best row of each, pass duplicates=first\.$"):
        rm.evaluate(tagged, QRELS, "rr")


def test_numbers_beside_ids_with_leading_zeros_are_to_be_read_as_text():
    """A cast of the numbers would find the 12 alone, and say nothing of the 007."""
    run = {"query_id": ["q", "q"], "item_id": ["007", "12"], "score": [2.0, 1.0]}
    file = "query_id,item_id,relevance\nq,007,1\n"
    numbers = pandas.read_csv(io.StringIO(file))
    with pytest.raises(
        rm.DataError, match=r"item_id '007' of run .* such as 7 of qrels .* \(pandas: dtype=\{'item_id': str\}\)\."
    ):
        rm.evaluate(pandas.DataFrame(run), numbers, "rr")
    qrels = pandas.read_csv(io.StringIO(file), dtype={"item_id": str})
    assert quietly(rm.evaluate, pandas.DataFrame(run), qrels, "rr")["rr"] == 1
    with pytest.raises(rm.DataError, match="compares them as text"):
        rm.evaluate(pandas.DataFrame(run | {"item_id": ["0", "0a"]}), numbers, "rr")


@pytest.mark.parametrize("table", ["runs;", " runs ; ", "main.runs;"])
def test_a_semicolon_ends_a_name_as_it_ends_a_query(shop, table):
    assert quietly(rm.evaluate, table, "labels;", "rr", rel=0.5, connection=shop)["rr"] == 1
    assert rm.sql("rr", table, "labels;") == rm.sql("rr", table.strip(" ;"), "labels")
    shop.execute('CREATE TABLE "odd;" AS FROM runs')
    for name in ('"odd;"', "odd;"):
        assert quietly(rm.evaluate, name, "labels", "rr", rel=0.5, connection=shop)["rr"] == 1
    with pytest.raises(rm.DataError, match=r"^odd: no such file, and no such table"):
        rm.evaluate("odd", "labels", "rr", connection=shop)


@pytest.mark.parametrize(
    ("run", "qrels", "message"),
    [
        ({1: {"a": 1}, "1": {"b": 2}}, {"1": {"a": 1}}, "run: query 1 and query '1' differ"),
        ({"1": {5: 1, "5": 2}}, {"1": {"5": 1}}, "run: item 5 and item '5' differ"),
        ({"1": ["5", 5]}, {"1": {"5": 1}}, "run: item '5' and item 5 differ"),
        ({"1": ["5"]}, {"1": ["5"], 1: ["6"]}, "qrels: query '1' and query 1 differ"),
    ],
)
def test_ids_of_two_types_are_no_two_ids(run, qrels, message):
    with pytest.raises(rm.UsageError, match=f"^{re.escape(message)} in Python but are equal as text"):
        rm.evaluate(run, qrels, "rr")


def test_ids_of_two_types_that_do_not_meet_are_text():
    found = quietly(rm.evaluate, {"1": {5: 1.0}, "2": {"5": 1.0, "a": 2.0}}, {"1": ["5"], "2": ["5"]}, "rr")
    assert found["rr"] == 0.75


def test_few_queries_in_common_are_told_why():
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    run = {"a": ["x"], composed: ["x"], composed + "2": ["x"]}
    qrels = {"a": ["x"], decomposed: ["x"], decomposed + "2": ["x"]}
    columns = {"query_id": "NFC_NORMALIZE(query_id)"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)
        found = rm.evaluate(run, qrels, "rr")
        assert found["rr"] == 1 / 3
        assert re.search(
            r"few queries in common\. .* columns=\{'query_id': 'NFC_NORMALIZE\(query_id\)'\}", found.warnings[0]
        )
        assert rm.evaluate(run, qrels, "rr", columns=columns)["rr"] == 1
        unlike = rm.evaluate({"a": ["x"], "b": ["x"], "c": ["x"]}, {"a": ["x"], "d": ["x"], "e": ["x"]}, "rr")
        half = rm.evaluate({"a": ["x"], composed: ["x"]}, {"a": ["x"], decomposed: ["x"]}, "rr")
    assert not [warning for warning in (*unlike.warnings, *half.warnings) if "NFC" in warning]


@pytest.mark.parametrize(("n", "is_few"), [(9, True), (10, False)])
def test_fewer_than_ten_queries_with_a_difference_are_rough(n, is_few):
    qrels = {f"q{number}": ["x"] for number in range(n + 3)}
    old = {query: ["a", "b", "x"][place % 2 :] for place, query in enumerate(qrels)}
    new = {query: ["x"] if place < n else old[query] for place, query in enumerate(qrels)}
    found = quietly(rm.compare, old, {"new": new}, qrels, "rr")
    said = "rr: fewer than 10 queries with a difference, so p-values and intervals are rough."
    assert (said in found.warnings) == is_few


COMPOSED, DECOMPOSED = {"caf\u00e9": {"a": 1}}, {"cafe\u0301": {"a": 1}}
NORMAL = r"columns=\{'query_id': 'NFC_NORMALIZE\(query_id\)'\}"


def test_a_list_of_queries_is_told_why():
    with pytest.raises(rm.DataError, match=NORMAL):
        rm.evaluate(COMPOSED, COMPOSED, "rr", query_list=list(DECOMPOSED))


def test_runs_of_no_common_query_are_told_why():
    with pytest.raises(rm.DataError, match=NORMAL):
        quietly(rm.compare, COMPOSED, {"new": DECOMPOSED}, {**COMPOSED, **DECOMPOSED}, "rr")
