"""where= of a log, on every road, beside a twin that filters the impressions in a query of its own."""

from __future__ import annotations

import json
import random

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import fill, quietly
from ..everything import mostly_long

NAMES = {"request": "search", "item": "sku", "position": "slot", "time": "moment", "user": "visitor"}
CONDITION = "agent NOT IN ('bot', 'crawler') AND slot < 4"


@pytest.fixture
def log():
    """Impressions of people and bots; some agents are unknown, which no condition is true of."""
    draw = random.Random(7)
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE shown (search TEXT, sku TEXT, slot INT, arm TEXT, visitor TEXT, agent TEXT, moment TIMESTAMP)"
    )
    connection.execute("CREATE TABLE done (search TEXT, sku TEXT, event_type TEXT, visitor TEXT, moment TIMESTAMP)")
    shown, done = [], []
    for number in range(90):
        agent, visitor = draw.choice(["person", "person", "bot", "crawler", None]), f"v{draw.randrange(20)}"
        for slot in range(1, draw.randrange(3, 7)):
            at = f"2026-05-0{1 + number % 9} 10:00:00"
            shown.append((f"s{number}", f"i{slot}", slot, "AB"[number % 2], visitor, agent, at))
            if draw.random() < 0.35:
                done.append((f"s{number}", f"i{slot}", "click", visitor, at))
    fill(connection, "shown", shown)
    fill(connection, "done", done)
    return connection


RULES = {
    "plain": ({}, {}),
    "by user": ({"attribution": "user", "within": 60}, {}),
    "clicked": ({"requests": "clicked", "half_life": 3600}, {"by": "agent"}),
    "periods": ({"position_base": 1}, {"period": "week", "min_queries": 2}),
}
METRICS = ["mrr@3", "ctr@2", "ndcg(gain=exp2)@5"]


@pytest.mark.parametrize("rules", RULES)
def test_a_condition_is_a_filter_of_the_impressions(log, rules):
    given, asked = RULES[rules]
    filtered = rm.events(f"SELECT * FROM shown WHERE {CONDITION}", "done", **NAMES, **given)
    source = rm.events("shown", "done", **NAMES, **given, where=CONDITION)
    found, wanted = (quietly(rm.evaluate, one, METRICS, connection=log, **asked) for one in (source, filtered))
    assert found.summary.fetchall() == wanted.summary.fetchall() != []
    assert found.data_quality.fetchall() == wanted.data_quality.fetchall()
    everyone = quietly(rm.evaluate, rm.events("shown", "done", **NAMES, **given), METRICS, connection=log, **asked)
    assert found.summary.fetchall() != everyone.summary.fetchall()
    printed = [log.execute(rm.sql(METRICS, one, connection=log, **asked)).fetchall() for one in (source, filtered)]
    assert printed[0] == printed[1] != []


def test_arms_without_bots(log):
    """The sample ratio counts the users whose impressions are kept."""
    given = {**NAMES, "arm": "arm"}
    filtered = "SELECT * FROM shown WHERE agent = 'person'"
    sources = rm.events("shown", "done", **given, where="agent = 'person'"), rm.events(filtered, "done", **given)
    compared = [quietly(rm.compare, one, METRICS[:2], baseline="A", connection=log) for one in sources]
    assert compared[0].summary.fetchall() == compared[1].summary.fetchall()
    assert compared[0].notes == compared[1].notes != []


def test_dbt_and_the_command_line(log, tmp_path, cli):
    columns = {name: column for name, column in NAMES.items() if name not in ("time", "user")}
    kept = rm.events(f"SELECT * FROM shown WHERE {CONDITION}", "done", **columns)
    wanted = quietly(rm.evaluate, kept, METRICS, connection=log)
    rows = macros()["from_events"]("shown", "done", columns=columns, where=CONDITION)
    named = {"columns": {"query": "search", "position": "position"}, "options": {"position": "given"}}
    text = macros()["summary"](f"({rows})", METRICS, **named)
    assert sorted(log.execute(text).fetchall()) == sorted(log.execute(wanted.sql).fetchall())
    quality = macros()["quality_of_events"]("shown", "done", columns=columns, where=CONDITION)
    assert sorted(log.execute(quality).fetchall()) == sorted(wanted.data_quality.fetchall())
    for name in ("shown", "done"):
        log.execute(f"COPY {name} TO '{tmp_path / name}.csv'")
    files = ["--events", tmp_path / "shown.csv", tmp_path / "done.csv"]
    rules = ["--rule", "request=search,item=sku,position=slot"]
    rules += ["--rule", "where=agent NOT IN ('bot', 'crawler') AND CAST(slot AS INT) < 4"]
    metrics = [part for name in METRICS for part in ("-m", name)]
    done = cli("evaluate", *files, *rules, *metrics, "--format", "json")
    assert done.exit_code == 0, done.stderr
    assert [row["value"] for row in json.loads(done.stdout)] == [row[1] for row in wanted.summary.fetchall()]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("agnt = 'bot'", "no column 'agnt'"),
        ("", "where takes SQL over a row of the impressions"),
        (3, "where takes SQL over a row of the impressions"),
        ("slot < 4)", "closes nothing"),
        ("slot < (SELECT 3)", "select reads more than the row"),
    ],
)
def test_conditions_that_are_none(log, where, message):
    with pytest.raises(rm.RankmetricsError, match=message):
        quietly(rm.evaluate, rm.events("shown", "done", **NAMES, where=where), "rr", connection=log)


def test_a_table_of_all_requests_has_them_too(log):
    given = {"requests": "logged", "request": "search", "item": "sku", "position": "slot"}
    message = (
        r"requests=logged would count their requests as empty\. Pass queries .*: SELECT \* FROM \.\.\. WHERE agent"
    )
    with pytest.raises(rm.UsageError, match=message):
        rm.events("shown", "done", queries="asked", where="agent = 'person'", **given)
    with pytest.raises(rm.UsageError, match=message):
        macros()["from_events"]("shown", "done", requests="logged", queries="asked", where="agent = 'person'")
    log.execute("CREATE TABLE asked AS SELECT DISTINCT search, agent FROM shown")
    log.execute("INSERT INTO asked VALUES ('t1', 'person'), ('t2', 'bot')")
    shown, asked = (f"SELECT * FROM {table} WHERE agent = 'person'" for table in ("shown", "asked"))
    found = quietly(rm.evaluate, rm.events(shown, "done", queries=asked, **given), "zero_results", connection=log)
    [(people,)] = log.execute("SELECT COUNT(DISTINCT search) FROM shown WHERE agent = 'person'").fetchall()
    assert found["zero_results"] == pytest.approx(1 / (people + 1))


SCHEMAS = """
    CREATE TABLE interactions AS
    SELECT search AS event_id, 'list_view' AS ecommerce_action_type, sku AS product_id, slot AS product_list_position,
        visitor AS domain_userid, moment AS derived_tstamp, 'shop' AS app_id, agent FROM shown
    UNION ALL
    SELECT 'c' || ROW_NUMBER() OVER (), 'list_click', sku, NULL, visitor, moment + INTERVAL 1 MINUTE, 'shop', NULL
    FROM done;
    CREATE TABLE viewed AS
    SELECT search AS id, visitor AS anonymous_id, moment AS "timestamp", agent,
        LIST({'product_id': sku, 'position': slot} ORDER BY slot) AS products
    FROM shown GROUP BY search, visitor, moment, agent;
    CREATE TABLE clicked AS
    SELECT search AS id, visitor AS anonymous_id, moment + INTERVAL 1 MINUTE AS "timestamp", sku AS product_id
    FROM done;
    CREATE TABLE export AS
    SELECT 'view_item_list' AS event_name, EPOCH_US(moment) AS event_timestamp, visitor AS user_pseudo_id, agent,
        LIST({'item_id': sku, 'item_list_id': search, 'item_list_name': search, 'item_list_index': slot::TEXT}
            ORDER BY slot) AS items
    FROM shown GROUP BY search, visitor, moment, agent
    UNION ALL
    SELECT 'select_item', EPOCH_US(moment) + 1, visitor, NULL,
        [{'item_id': sku, 'item_list_id': search, 'item_list_name': search, 'item_list_index': NULL}] FROM done;
    CREATE TABLE ubi_queries AS
    SELECT search AS query_id, moment AS "timestamp", agent, LIST(sku ORDER BY slot) AS query_response_hit_ids
    FROM shown GROUP BY search, moment, agent;
    CREATE TABLE ubi_events AS
    SELECT 'impression' AS action_name, search AS query_id, moment AS "timestamp", agent,
        {'object': {'object_id': sku}, 'position': {'ordinal': slot}} AS event_attributes FROM shown
    UNION ALL
    SELECT 'click', search, moment, NULL, {'object': {'object_id': sku}, 'position': {'ordinal': NULL}} FROM done;
"""
NO_BOT = "agent = 'person' OR agent = 'crawler'"  # of two parts, so that brackets matter
# Of each schema its tables, the column and value that mark what was shown, and its own rules.
OF_SCHEMAS = {
    "snowplow": (["interactions"], "ecommerce_action_type", "list_view", {}),
    "segment": (["viewed", "clicked"], None, None, {}),
    "ga4": (["export"], "event_name", "view_item_list", {}),
    "ubi": (["ubi_queries", "ubi_events"], "action_name", "impression", {}),
    "ubi of hits": (["ubi_queries", "ubi_events"], None, None, {"impressions": "hits"}),
}


def of_schema(schema):
    """The function, its tables, the same without bots, made by hand, and its rules."""
    tables, column, shown, rules = OF_SCHEMAS[schema]
    kept = f"({NO_BOT})" if column is None else f"{column} <> '{shown}' OR ({NO_BOT})"
    filtered = "ubi_events" if schema == "ubi" else tables[0]
    by_hand = [f"SELECT * FROM {table} WHERE {kept}" if table == filtered else table for table in tables]
    return schema.partition(" ")[0], tables, by_hand, rules


@pytest.mark.parametrize("schema", mostly_long(OF_SCHEMAS, "ga4", "ubi"))
def test_named_schemas_leave_out_impressions_alone(log, schema):
    """In Python, in printed SQL and in dbt: what the filtered table gives, and not what all give."""
    log.execute(SCHEMAS)
    name, tables, by_hand, rules = of_schema(schema)
    source = getattr(rm, name)(*tables, **rules, where=NO_BOT)
    wanted = quietly(rm.evaluate, getattr(rm, name)(*by_hand, **rules), METRICS, connection=log)
    found = quietly(rm.evaluate, source, METRICS, connection=log)
    assert found.summary.fetchall() == wanted.summary.fetchall() != []
    assert found.data_quality.fetchall() == wanted.data_quality.fetchall()
    everyone = quietly(rm.evaluate, getattr(rm, name)(*tables, **rules), METRICS, connection=log)
    assert found.summary.fetchall() != everyone.summary.fetchall()
    assert log.execute(rm.sql(METRICS, source, connection=log)).fetchall() == wanted.summary.fetchall()
    has_no_application = {"has_application": False} if name == "ubi" else {}
    for macro in (f"from_{name}", f"quality_of_{name}"):
        in_dbt = macros()[macro](*tables, **rules, **has_no_application, where=NO_BOT)
        queries = [f"({one}) u" if one.startswith("SELECT") else one for one in by_hand]
        filtered = macros()[macro](*queries, **rules, **has_no_application)
        assert sorted(map(repr, log.execute(in_dbt).fetchall())) == sorted(map(repr, log.execute(filtered).fetchall()))


@pytest.mark.long
@pytest.mark.parametrize("schema", OF_SCHEMAS)
def test_named_schemas_on_the_command_line(log, tmp_path, cli, schema):
    log.execute(SCHEMAS)
    name, tables, by_hand, rules = of_schema(schema)
    for table in tables:
        log.execute(f"COPY {table} TO '{tmp_path / table}.parquet'")
    wanted = quietly(rm.evaluate, getattr(rm, name)(*by_hand, **rules), METRICS, connection=log)
    typed = [part for rule, value in rules.items() for part in ("--rule", f"{rule}={value}")]
    files = [tmp_path / f"{table}.parquet" for table in tables]
    metrics = ["-m", ",".join(METRICS)]
    done = cli("evaluate", f"--{name}", *files, *typed, "--rule", f"where={NO_BOT}", *metrics, "--format", "json")
    assert done.exit_code == 0, done.stderr
    assert [row["value"] for row in json.loads(done.stdout)] == [row[1] for row in wanted.summary.fetchall()]


@pytest.mark.parametrize("schema", mostly_long(OF_SCHEMAS, "ubi"))
def test_named_schemas_refuse_what_is_no_condition(log, schema):
    log.execute(SCHEMAS)
    name, tables, _, rules = of_schema(schema)
    with pytest.raises(rm.UsageError, match="where takes SQL over a row of the impressions"):
        getattr(rm, name)(*tables, **rules, where=" ")
    with pytest.raises(rm.DataError, match="no column 'agnt'"):
        quietly(rm.evaluate, getattr(rm, name)(*tables, **rules, where="agnt = 'bot'"), "rr", connection=log)
    if name == "ubi":
        with pytest.raises(rm.UsageError, match="requests=logged would count their requests as empty"):
            rm.ubi(*tables, **rules, requests="logged", where=NO_BOT)
