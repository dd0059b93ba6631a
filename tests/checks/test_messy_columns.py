"""Columns of another type than is needed: the message says what they look like, and its advice works when typed."""

from __future__ import annotations

import ast
import random
import re

import duckdb
import pytest

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import seeds

UNITS = {"seconds": 1, "milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}


@pytest.fixture
def log():
    """Six requests on days of their own, whose times are kept as moments and in every unit."""
    with duckdb.connect() as connection:
        units = ", ".join(f"(moment * {per})::BIGINT AS {unit}" for unit, per in UNITS.items())
        moments = f"SELECT *, TO_TIMESTAMP(moment) AT TIME ZONE 'UTC' AS at_time, {units}"
        own = "'r' || i AS request_id, x.*, 1700000000 + 86400 * i AS moment"
        rows = f"SELECT {own} FROM range(6) t(i), {{}} x(item_id, position)"
        items = "(VALUES ('a', 1), ('b', 2))"
        connection.execute(f"CREATE TABLE shown AS {moments} FROM ({rows.format(items)})")
        connection.execute(
            f"CREATE TABLE done AS {moments} FROM (SELECT request_id, 'b' AS item_id, 'click' AS event_type,"
            " moment + CASE WHEN request_id < 'r3' THEN 60 ELSE 7200 END AS moment FROM shown WHERE position = 1)"
        )
        labels = "SELECT *, request_id AS query_id, position - 1 AS relevance FROM shown"
        connection.execute(f"CREATE TABLE labelled AS {labels}")
        yield connection


def rows(found):
    return [[str(value) for value in row.values()] for row in found.summary.dicts()]


def typed(call, unit):
    """What the call gives after its advice was typed, whose unit has to be the right one."""
    with pytest.raises(rm.DataError, match=f"looks like {unit} since 1970") as refused:
        quietly(call, unit)
    [advice] = re.findall(r"time(?:=|': )('[^']+'|\"[^\"]+\")", str(refused.value))
    return rows(quietly(call, ast.literal_eval(advice)))


@pytest.mark.parametrize("unit", UNITS)
def test_whole_numbers_as_times_are_told_by_their_unit(log, unit):
    def of_period(time):
        return rm.evaluate(rm.events("shown", "done", time=time), "rr", period="day", connection=log)

    def of_window(time):
        return rm.evaluate(rm.events("shown", "done", time=time, within="30 minutes"), "rr", connection=log)

    def of_run(time):
        given = {"columns": {"time": time, "query": "query_id"}, "period": "day"}
        return rm.evaluate("labelled", "labelled", "rr", connection=log, **given)

    def of_labels(time):
        source = rm.labelled("labelled", columns={"time": time})
        return rm.evaluate(source, "rr", period="day", connection=log)

    for call in (of_period, of_window, of_run, of_labels):
        assert typed(call, unit) == rows(quietly(call, "at_time")), call.__name__
    assert rows(quietly(of_window, "at_time")) == [["rr", "0.25", "6"]]


def test_times_of_sql_are_written_for_other_warehouses(log):
    for run in (rm.events("shown", "done", time="TO_TIMESTAMP(ts)"), "shown"):
        given = {} if isinstance(run, rm.Source) else {"qrels": "judged", "columns": {"time": "TO_TIMESTAMP(ts)"}}
        text = rm.sql("rr", run, period="day", dialect="postgres", **given)
        assert "TO_TIMESTAMP(ts)" in text


def test_small_numbers_look_like_no_time(log):
    with pytest.raises(rm.DataError, match=r"is BIGINT, not a time\. Pass a column of timestamps"):
        quietly(rm.evaluate, rm.events("shown", "done", time="moment % 7"), "rr", period="day", connection=log)


def test_numbers_as_times_are_refused_where_a_statement_is_only_written(log):
    with pytest.raises(rm.DataError, match=r"is BIGINT, not a time\. Pass a column of timestamps"):
        rm.sql("rr", "labelled", "labelled", period="day", columns={"time": "seconds"}, connection=log)


LISTS = {
    "text": "TO_JSON(ids)::VARCHAR",
    "json": "TO_JSON(ids)",
    "literal": "ids::VARCHAR",
    "parts": "ARRAY_TO_STRING(ids, '{mark}')",
    "structures": "[{{'score': 0.5, 'doc_id': x}} for x in ids]",
    "json of structures": "TO_JSON([{{'doc_id': x, 'score': 0.5}} for x in ids])::VARCHAR",
}


@pytest.mark.parametrize("seed", seeds(24, 4))
@pytest.mark.parametrize("kind", LISTS)
def test_lists_in_other_types_are_cast_as_the_message_says(kind, seed):
    rng = random.Random(seed)
    queries = [(f"q{n}", rng.sample("abcdef", 4), rng.sample("abcdef", 2)) for n in range(rng.choice([1, 4]))]
    values = ", ".join(map(str, queries))
    form = LISTS[kind].format(mark=rng.choice("|;,"))
    plain = f"SELECT * FROM (VALUES {values}) t (query_id, items, relevant)"
    both = rng.random() < 0.5
    column = {name: form.replace("ids", name) for name in (["items", "relevant"] if both else ["items"])}
    messy = f"SELECT * REPLACE ({', '.join(f'{sql} AS {name}' for name, sql in column.items())}) FROM ({plain})"
    wanted = rows(quietly(rm.evaluate, rm.lists(plain, relevant="relevant"), "rr"))
    given = {"items": "items", "relevant": "relevant"}
    for name in column:
        with pytest.raises(rm.DataError, match=f"{name} \\(column '{name}'\\) is ") as refused:
            quietly(rm.evaluate, rm.lists(messy, **given), "rr")
        given[name] = ast.literal_eval(re.findall(rf"{name}=(.*)\.$", str(refused.value))[0])
    assert rows(quietly(rm.evaluate, rm.lists(messy, **given), "rr")) == wanted


EVENT = "{{{{'object': {{{{'object_id': 'b'}}}}, 'position': {{{{'ordinal': {}}}}}}}}}"


@pytest.mark.parametrize(
    ("attributes", "shown", "why"),
    [
        (EVENT.format("NULL::INT"), False, "there are no impressions"),
        (EVENT.format("NULL::INT"), True, "no impression can be used .6 have no position"),
        ("{{'object': {{'object_id': 'b'}}}}", False, "event_attributes has no position.ordinal"),
        ('\'{{"object": {{"object_id": "b"}}}}\'', True, "no impression can be used"),
    ],
)
def test_ubi_without_positions_has_lists_of_hits(attributes, shown, why):
    attributes = attributes.replace("{{", "{").replace("}}", "}")
    actions = ["click", *(["impression"] if shown else [])]
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE ubi_queries AS SELECT 'q' || i AS query_id, ['a', 'b'] AS query_response_hit_ids,"
            " TIMESTAMP '2024-01-01' AS timestamp FROM range(6) t(i)"
        )
        connection.execute(
            f"CREATE TABLE ubi_events AS SELECT 'q' || i AS query_id, UNNEST({actions}) AS action_name,"
            f" {attributes} AS event_attributes, TIMESTAMP '2024-01-01' AS timestamp FROM range(6) t(i)"
        )
        with pytest.raises(rm.DataError, match=why) as refused:
            quietly(rm.evaluate, rm.ubi("ubi_queries", "ubi_events"), "rr", connection=connection)
        assert "impressions='hits' takes the lists of hits of the queries" in str(refused.value)
        found = rm.ubi("ubi_queries", "ubi_events", impressions="hits")
        assert quietly(rm.evaluate, found, "rr", connection=connection)["rr"] == 0.5
        connection.execute("ALTER TABLE ubi_queries DROP query_response_hit_ids")
        if "position" not in why or shown:
            with pytest.raises(rm.DataError, match="The queries have no lists of hits either"):
                quietly(rm.evaluate, rm.ubi("ubi_queries", "ubi_events"), "rr", connection=connection)
