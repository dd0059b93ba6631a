"""A request has one arm and one group, also where its log has each of its items twice, once under either."""

from __future__ import annotations

import re

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import each_once

# Requests 0, 2, 4 ... are of arm a, the others of b; 1, 3 and 5 have copies of all their impressions under a.
COPIED = [1, 3, 5]
ROADS = {"short": ["mrr", "ndcg@3"], "long": ["mrr", "ndcg@3", "ctr@3", "clicks"]}
RULES = {
    "plain": {},
    "clicked": {"requests": "clicked"},
    "logged": {"requests": "logged", "queries": "asked"},
    "sum": {"grade": "sum"},
    "within": {"time": "moment", "within": 5},
    "user": {"time": "moment", "attribution": "user", "user": "visitor"},
    "propensity": {"propensity": {1: 1.0, 2: 0.5, 3: 0.4}},
}
ASKED = {"given": {}, "dense": {"position": "dense"}, "segment": {"by": ["device"]}, "weight": {"weight": "worth"}}


@pytest.fixture(scope="module")
def shop():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE clean AS SELECT r AS request_id, 'i' || p AS item_id, p AS position,"
            " CASE WHEN r % 2 = 0 THEN 'a' ELSE 'b' END AS arm, 'd' || r % 3 AS device, r % 4 + 1.0 AS worth,"
            " 'v' || r AS visitor, TIMESTAMP '2026-01-01' + INTERVAL (r) MINUTE AS moment"
            " FROM range(12) t(r), range(1, 4) u(p);"
            "CREATE TABLE shown AS FROM clean UNION ALL"
            " SELECT * REPLACE ('a' AS arm) FROM clean WHERE request_id IN (1, 3, 5);"
            "CREATE TABLE done AS SELECT request_id, item_id, 'click' AS event_type, visitor, moment FROM clean"
            " WHERE position = request_id % 4;"
            "CREATE TABLE asked AS SELECT DISTINCT request_id, device, worth FROM clean"
            " UNION ALL VALUES (90, 'd1', 1.0)"
        )
        yield connection


def written(connection, table, metrics, rules, level="values", **given):
    text = rm.sql(metrics, rm.events(table, "done", **rules), connection=connection, level=level, **given)
    cursor = connection.execute(text)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def ordered(rows):
    return sorted(rows, key=lambda row: (row["query_id"], row["metric"]))


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize(("rule", "asked"), each_once([rule for rule in RULES if rule != "logged"], ASKED))
def test_a_request_of_two_arms_is_in_none(shop, road, rule, asked):
    """All others have the values that they have where it was never logged; where all are logged, see below."""
    metrics, rules = ROADS[road], RULES[rule] | {"arm": "arm"}
    found = written(shop, "shown", metrics, rules, **ASKED[asked])
    expected = written(shop, "clean", metrics, rules, **ASKED[asked])
    expected = [row for row in expected if row["query_id"] not in COPIED]
    assert expected
    assert ordered(found) == ordered(expected)


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize(("rule", "asked"), each_once(RULES, ASKED))
def test_a_request_of_two_groups_has_no_value(shop, road, rule, asked):
    metrics, rules, given = ROADS[road], RULES[rule], dict(ASKED[asked])
    given["by"] = [*given.get("by", []), "arm"]
    found = ordered(written(shop, "shown", metrics, rules, **given))
    expected = ordered(written(shop, "clean", metrics, rules, **given))
    assert len(found) == len(expected)
    of_two = {f"group_{len(given['by'])}": "a", "value": None}
    assert found == [row | (of_two if row["query_id"] in COPIED else {}) for row in expected]
    assert any(row["query_id"] in COPIED for row in found)


@pytest.mark.parametrize("road", ROADS)
def test_a_request_of_two_arms_did_not_show_nothing(shop, road):
    """It is in the table of all requests, which says its arm."""
    shop.execute(
        "CREATE OR REPLACE TEMP TABLE searched AS SELECT DISTINCT request_id, arm FROM clean UNION ALL VALUES (90, 'b')"
    )
    rules = {"arm": "arm", "requests": "logged", "queries": "searched"}
    metrics = [*ROADS[road], *(["zero_results"] if road == "long" else [])]
    text = rm.sql(metrics, rm.events("shown", "done", **rules), level="values")
    found = shop.execute(text).fetchall()
    assert {row[1] for row in found} == {0, 2, 4, 6, 7, 8, 9, 10, 11, 90}
    if road == "long":
        assert {row[1] for row in found if "zero_results" in row and row[-1] == 1} == {90}


def test_a_comparison_is_of_the_others(shop):
    for metrics in ROADS.values():
        given = {"baseline": "a", "level": "compare"}
        found = written(shop, "shown", metrics, {"arm": "arm"}, **given)
        rest = "SELECT * FROM clean WHERE request_id NOT IN (1, 3, 5)"
        assert found == written(shop, rest, metrics, {"arm": "arm"}, **given)
        assert found[0]["n_queries"] == 9


@pytest.mark.parametrize("given", [{"rules": {"arm": "arm"}}, {"by": "arm"}])
def test_python_says_which_and_what_to_type(shop, given, cli, tmp_path):
    rules = given.get("rules", {})
    by = {"by": given["by"]} if "by" in given else {}
    with pytest.raises(rm.DataError) as problem:
        rm.evaluate(rm.events("shown", "done", **rules), "mrr", connection=shop, **by)
    said = str(problem.value)
    kind = "arm" if rules else "group"
    assert f"events: 3 requests have impressions of two {kind}s (arm), such as request 1 of 'a' and 'b'." in said
    advised = re.search(r"in place of shown: (SELECT .*)\.$", said)
    found = quietly(rm.evaluate, rm.events(advised[1], "done", **rules), "mrr", connection=shop, **by).summary
    assert sum(row["n_queries"] for row in found.dicts()) == 9
    file = tmp_path / "shown.csv"
    shop.execute(f"COPY shown TO '{file}'; COPY done TO '{tmp_path / 'done.csv'}'")
    said = cli("evaluate", "--events", file, tmp_path / "done.csv", "--rule=arm=arm", "-m", "mrr")
    assert said.exit_code == 1
    [advised] = re.findall(r"in place of \S+: (SELECT .*)\.$", " ".join(said.stderr.split()))
    found = cli("evaluate", "--events", advised, tmp_path / "done.csv", "--rule=arm=arm", "-m", "mrr")
    assert found.exit_code == 0, found.stderr


def test_dbt_says_what_a_column_is(shop):
    """A request of two arms is in no run; of two groups, it has no value; of other columns the lowest is taken."""

    def scored(table, context, **given):
        text = macros("duckdb")["from_events"](table, "done", context=context)
        shop.execute(f"CREATE OR REPLACE TEMP TABLE model AS {text}")
        options = {"options": {"position": "given"}, "columns": {"position": "position", "query": "request_id"}}
        options["columns"] |= given.pop("columns", {})
        return shop.execute(str(macros("duckdb")["summary"]("model", ["mrr"], **options, **given))).fetchall()

    arm = {"columns": {"run": "arm"}}
    rest = "(SELECT * FROM clean WHERE request_id NOT IN (1, 3, 5)) AS x"
    assert scored("shown", [{"arm": "arm"}, "moment"], **arm) == scored(rest, ["arm", "moment"], **arm)
    assert scored("shown", {"arm": "arm"}, **arm) == scored(rest, "arm", **arm)
    groups = scored("shown", [{"group": "arm"}], by="arm", empty_lists=True)
    assert [row[:-1] for row in groups] == [row[:-1] for row in scored(rest, ["arm"], by="arm")]
    with pytest.raises(rm.UsageError, match=r"context: a column is a name, \{'arm': name\} or"):
        scored("shown", [{"run": "arm"}])


def test_what_to_type_does_not_make_them_requests_that_showed_nothing(shop):
    shop.execute("CREATE OR REPLACE TEMP TABLE searched AS SELECT DISTINCT request_id, arm FROM clean")
    rules = {"arm": "arm", "requests": "logged", "queries": "searched"}
    with pytest.raises(rm.DataError, match=r"Leave them out of queries=, too") as problem:
        rm.evaluate(rm.events("shown", "done", **rules), "zero_results", connection=shop)
    advised, two = re.search(r"in place of shown: (SELECT .* NOT IN (\(.*\)))\. Leave", str(problem.value)).groups()
    searched = f"SELECT * FROM searched WHERE request_id NOT IN {two}"
    log = rm.events(advised, "done", **rules | {"queries": searched})
    shares = [row["value"] for row in quietly(rm.evaluate, log, "zero_results", connection=shop).summary.dicts()]
    assert shares == [0, 0]
