"""What is said of requests that cannot be meant: the argument that is wrong, by the name that its user knows."""

from __future__ import annotations

import duckdb
import pytest

import rankmetrics_sql as rm

from .conftest import quietly

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
    with pytest.raises(rm.DataError, match=r"events: 1 request without an arm \(arm\): s3\."):
        quietly(rm.compare, events(), "ctr", baseline="a", connection=log)


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
        ({"k": 10**30}, "movements: k=1000000000000000000000000000000 is more than a list can have"),
        ({"query": []}, "query is an empty list"),
        ({"weight": "w"}, "weight= is for a summary"),
        ({"rollup": True}, "rollup is for a summary"),
    ],
)
def test_movements_name_their_own_arguments(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.movements(RUN, {"new": RUN}, QRELS, **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"weight": "w"}, "weight= is for a summary, sums or values"),
        ({"rollup": True}, "rollup is for a summary"),
        ({"min_queries": 2}, "min_queries is for a summary"),
    ],
)
def test_what_is_of_a_summary_is_no_unknown_option(given, message):
    with pytest.raises(rm.UsageError, match=message):
        rm.compare(RUN, {"new": RUN}, QRELS, "ndcg", **given)


@pytest.mark.parametrize("teams", [["a"], ["a", "a"], "ab", ["a", None], ["a", float("nan")], 5, {"a": 1, "b": 2}])
@pytest.mark.parametrize("ask", [rm.team_draft, rm.team_draft_preference])
def test_teams_are_two_names(ask, teams):
    with pytest.raises(rm.UsageError, match=r"^teams are the names of two teams, as \['a', 'b'\]; not "):
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
    with pytest.raises(rm.UsageError, match="it is empty"):
        quietly(rm.evaluate, RUN, QRELS, "ndcg").report("")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", DEMO, "--qrels", JUDGED], "Missing option '-o' / '--output'. Try: "),
        (["semantic-model"], "Missing argument 'MODEL'. Try: "),
        (["report", DEMO, "--qrels", JUDGED, "-m", "ndcg", "-o", "-"], "-o: a page is a file of its own"),
        (["evaluate", DEMO, "--qrels", JUDGED, "-m", "ndcg", "--by", "is_malformed"], "no column 'is_malformed'"),
        (["evaluate", DEMO, "--qrels", JUDGED, "-m", "ndcg", "--by", "nope"], "relevance, rank, score."),
    ],
)
def test_the_command_says_it_in_a_line(cli, arguments, said):
    done = cli(*arguments)
    assert done.exit_code in (1, 2)
    assert said in done.output
    assert len(done.output.splitlines()) == 1
