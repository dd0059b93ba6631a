"""Searches that are typed letter by letter in the named schemas: beside a twin in plain Python, on every road."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.dialects import check_dialect
from rankmetrics_sql.engines import Unconnected
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import mostly_long, seeds
from .test_sources import ITEM, as_json, listed
from .test_typing import typed

START = datetime(2026, 5, 29, 22)
ARMS = {"u": "A", "v": "B", None: "B"}  # of users
WITHIN = 1800  # seconds from view to action, the default of the schemas whose actions name no request


class Search(NamedTuple):
    """A search with its list; each of its facts but the request may be unknown."""

    request: str
    user: str | None
    moment: datetime | None
    text: str | None
    list: str
    items: list[str]


class Click(NamedTuple):
    """A click, of the request and its list, and of the user."""

    request: str
    user: str | None
    moment: datetime | None
    item: str
    list: str


def random_log(seed):
    """Searches that are often typed further, at one moment too, with unknown facts, other cases and empty lists."""
    draw, searches, clicks = random.Random(seed), [], []
    taken = set()
    for user in ["u", "v", None]:
        moment, text = START, ""
        for number in range(40):
            moment += timedelta(seconds=draw.choice([0, 1, 9, 10, 11, 60]))
            text = draw.choice([text + draw.choice("abA"), text + draw.choice("ab"), text, text[:-1], "b", "%", "7"])
            at = draw.choice([moment] * 19 + [None])
            name = next(name for name in ("search", "again", *map(str, range(40))) if (user, at, name) not in taken)
            taken.add((user, at, name))
            said = draw.choice([text] * 9 + [None])
            search = Search(f"{user}{number:02}", user, at, said, name, draw.sample("xyz", draw.randrange(4)))
            searches.append(search)
            for item in search.items:
                if draw.random() < 0.4:
                    later = draw.choice([moment + timedelta(seconds=draw.choice([0, 5, 1801]))] * 19 + [None])
                    clicks.append(Click(search.request, user, later, item, name))
    return searches, clicks


def fill(connection, table, columns, rows):
    """Make a table of rows, by the types of its columns."""
    types = ", ".join(f'"{name}" {type_}' for name, type_ in columns.items())
    connection.execute(f"CREATE OR REPLACE TABLE {table} ({types})")
    connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)


def as_ubi(connection, searches, clicks):
    """Queries with their lists of hits, and events, impressions among them."""
    asked = {"query_id": "TEXT", "client_id": "TEXT", "timestamp": "TIMESTAMP", "user_query": "TEXT", "arm": "TEXT"}
    hits = asked | {"query_response_hit_ids": "TEXT[]"}
    fill(connection, "ubi_queries", hits, [(*s[:4], ARMS[s.user], s.items) for s in searches])
    about = "STRUCT(object STRUCT(object_id TEXT), position STRUCT(ordinal INTEGER))"
    events = {"query_id": "TEXT", "client_id": "TEXT", "timestamp": "TIMESTAMP", "user_query": "TEXT", "arm": "TEXT"}
    events |= {"action_name": "TEXT", "event_attributes": about}

    def of(item, place=None):
        return {"object": {"object_id": item}, "position": {"ordinal": place}}

    rows: list[tuple[Any, ...]] = [
        (*s[:4], ARMS[s.user], "impression", of(item, place)) for s in searches for place, item in enumerate(s.items, 1)
    ]
    done = [(*c[:3], None, None, "click", of(c.item)) for c in clicks]
    fill(connection, "ubi_events", events, rows + done)


def as_snowplow(connection, searches, clicks):
    """Interactions, to which the search text was added."""
    columns = {"event_id": "TEXT", "ecommerce_action_type": "TEXT", "product_id": "TEXT"}
    columns |= {"product_list_position": "INTEGER", "domain_userid": "TEXT", "derived_tstamp": "TIMESTAMP"}
    columns |= {"app_id": "TEXT", "terms": "TEXT", "arm": "TEXT"}
    rows: list[tuple[Any, ...]] = [
        (s.request, "list_view", item, place, s.user, s.moment, "web", s.text, ARMS[s.user])
        for s in searches
        for place, item in enumerate(s.items, 1)
    ]
    rows += [("c", "list_click", c.item, None, c.user, c.moment, "web", None, None) for c in clicks]
    fill(connection, "interactions", columns, rows)


def as_segment(connection, searches, clicks):
    """Views, to which the search text was added, and clicks."""
    of_all = {"id": "TEXT", "anonymous_id": "TEXT", "timestamp": "TIMESTAMP"}
    viewed = of_all | {"products": "STRUCT(product_id TEXT, position INTEGER)[]", "terms": "TEXT", "arm": "TEXT"}

    def products(items):
        return [{"product_id": item, "position": place} for place, item in enumerate(items, 1)]

    rows = [(s.request, s.user, s.moment, products(s.items), s.text, ARMS[s.user]) for s in searches]
    fill(connection, "viewed", viewed, rows)
    clicked = [("c", c.user, c.moment, c.item) for c in clicks]
    fill(connection, "clicked", of_all | {"product_id": "TEXT"}, clicked)


def microseconds(moment):
    """A moment as the export has it."""
    return None if moment is None else int((moment - datetime(1970, 1, 1)).total_seconds() * 1_000_000)


def as_ga4(connection, searches, clicks):
    """The export: a text of digits is a number, and a view has other parameters, too. A click names its list."""
    columns = {"event_name": "TEXT", "event_timestamp": "BIGINT", "user_pseudo_id": "TEXT"}
    columns |= {"items": "STRUCT(item_id TEXT, item_list_id TEXT, item_list_name TEXT, item_list_index TEXT)[]"}
    columns |= {"event_params": "STRUCT(key TEXT, value STRUCT(string_value TEXT, int_value BIGINT))[]", "arm": "TEXT"}

    def item(name, of_list, place=None):
        index = None if place is None else str(place)
        return {"item_id": name, "item_list_id": of_list, "item_list_name": "List", "item_list_index": index}

    def parameters(text):
        is_number = text is not None and text.isdigit()
        value = {"string_value": None if is_number else text, "int_value": int(text) if is_number else None}
        other = {"key": "page_title", "value": {"string_value": "A", "int_value": None}}
        return [other] if text is None else [other, {"key": "search_term", "value": value}]

    rows: list[tuple[Any, ...]] = [
        (
            *("view_item_list", microseconds(s.moment), s.user),
            *([item(x, s.list, n) for n, x in enumerate(s.items, 1)], parameters(s.text), ARMS[s.user]),
        )
        for s in searches
    ]
    rows += [
        ("select_item", microseconds(c.moment), c.user, [item(c.item, c.list)], parameters("zz"), None) for c in clicks
    ]
    fill(connection, "export", columns, rows)


# Of each schema how its tables are made, its tables, the rules of both roads, and those of Python and of dbt alone.
SCHEMAS: dict[str, tuple[Any, list[str], dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "ubi": (as_ubi, ["ubi_queries", "ubi_events"], {}, {}, {"has_application": False}),
    "ubi logged": (
        *(as_ubi, ["ubi_queries", "ubi_events"], {"requests": "logged"}),
        *({}, {"has_application": False}),
    ),
    "ubi of hits": (as_ubi, ["ubi_queries", "ubi_events"], {"impressions": "hits"}, {}, {}),
    "snowplow": (as_snowplow, ["interactions"], {}, {"text": "terms"}, {"columns": {"text": "terms"}}),
    "segment": (as_segment, ["viewed", "clicked"], {}, {"text": "terms"}, {"columns": {"text": "terms"}}),
    "ga4": (as_ga4, ["export"], {}, {}, {}),
}


def as_schema_has_it(schema, searches, clicks):
    """The searches and clicks by what names them in the schema: of GA4, user and request by list as well."""
    if schema != "ga4":
        return searches, clicks
    texts = defaultdict(list)
    for search in searches:
        if search.text is not None:
            texts[search.user, search.moment].append(search.text)

    def named(search):
        is_known = None not in (search.user, search.moment)
        user = None if search.user is None else f"{search.user}:{search.list}"
        text = min(texts[search.user, search.moment], default=None) if is_known else None
        return search._replace(
            request=f"{search.user} {search.moment} {search.list}" if is_known else None, user=user, text=text
        )

    clicks = [c._replace(user=None if c.user is None else f"{c.user}:{c.list}") for c in clicks]
    return [named(search) for search in searches], clicks


def expected(schema, searches, clicks, within):
    """The reciprocal rank of each request, and what became of the rows of both inputs; within is None for all."""
    of_ubi = schema.startswith("ubi")
    searches, clicks = as_schema_has_it(schema, searches, clicks)
    shown = [search for search in searches if search.items]
    facts = [search for search in (searches if of_ubi else shown) if search.request is not None]
    gone = set() if within is None else typed([search[:4] for search in facts], within)
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for search in shown:
        reason = "no request" if search.request is None else "typed further" if search.request in gone else "used"
        counts["impressions", reason] += len(search.items)
    usable = [search for search in shown if search.request is not None and search.request not in gone]
    first: dict[str, float] = defaultdict(float)
    seen = set()
    for click in clicks:
        request, reason = credited(click, usable, of_ubi)
        if reason == "used" and (request, click.item) in seen:
            reason = "repeated action"
        counts["events", reason] += 1
        if request is not None:
            seen.add((request, click.item))
            [search] = [search for search in usable if search.request == request]
            first[request] = max(first[request], 1 / (search.items.index(click.item) + 1))
    asked = {search.request for search in (facts if schema == "ubi logged" else usable)} - gone
    return {request: first[request] for request in asked}, dict(counts)


def credited(click, usable, of_ubi):
    """The request that a click is credited to, or none, and what became of it."""
    if of_ubi:
        own = [s.request for s in usable if s.request == click.request and click.item in s.items]
        return (own[0], "used") if own else (None, "not shown")
    if click.user is None:
        return None, "no user"
    if click.moment is None:
        return None, "no time"
    before = [
        (search.moment, search.request)
        for search in usable
        if search.user == click.user
        and click.item in search.items
        and search.moment is not None
        and search.moment <= click.moment
    ]
    if not before:
        return None, "not shown"
    last = max(moment for moment, _ in before)
    if (click.moment - last).total_seconds() > WITHIN:
        return None, "too late"
    return min(request for moment, request in before if moment == last), "used"


def names_of(rows):
    """The values by request, whose columns are one name."""
    return {" ".join(map(str, row[:-1])): row[-1] for row in rows}


RULES = [
    (None, {}),
    (10, {"collapse": "typing"}),
    (9, {"collapse": "typing", "collapse_within": 9}),
]


@pytest.mark.parametrize("schema", mostly_long(SCHEMAS, "ubi", "ga4"))
@pytest.mark.parametrize("seed", seeds(6, 1))
def test_named_schemas_collapse_as_their_twin_does(schema, seed):
    make, tables, both, of_python, of_dbt = SCHEMAS[schema]
    name = schema.partition(" ")[0]
    log = random_log(seed)
    with duckdb.connect() as connection:
        make(connection, *log)
        for within, rules in RULES:
            values, counts = expected(schema, *log, within)
            assert (within is None) == (("impressions", "typed further") not in counts)
            source = getattr(rm, name)(*tables, **both, **rules, **(of_python if rules else {}))
            for options in ({}, {"position": "dense"}) if rules else ({},):  # the road of few rows, and that of all
                result = quietly(rm.evaluate, source, "rr", connection=connection, **options)
                assert names_of(result.per_query) == pytest.approx(values)
                assert {(side, reason): n for side, reason, n in result.data_quality} == counts
            printed = connection.execute(rm.sql("rr", source, connection=connection, level="per_query")).fetchall()
            assert names_of(printed) == pytest.approx(values)
            rows = macros()[f"from_{name}"](*tables, **both, **rules, **of_dbt)
            keys = "visitor, moment, list_id" if name == "ga4" else "view_id" if name == "segment" else None
            keys = keys or ("event_id" if name == "snowplow" else "query_id")
            of_rows = f"SELECT {keys}, MAX(CASE WHEN relevance > 0 THEN 1.0 / position ELSE 0 END) FROM ({rows}) r"
            assert names_of(connection.execute(f"{of_rows} GROUP BY ALL").fetchall()) == pytest.approx(values)
            counted = connection.execute(macros()[f"quality_of_{name}"](*tables, **both, **rules, **of_dbt)).fetchall()
            assert {(side, reason): n for side, reason, n in counted} == counts


def rows_of(function, given, source, connection):
    """The rows of an answer as text, in which sums in another order are equal."""
    rows = function(source, **given, connection=connection).fetchall()
    return sorted(str([round(value, 9) if isinstance(value, float) else value for value in row]) for row in rows)


def values_of_arms(schema, log, within):
    """The reciprocal ranks of the requests of each arm."""
    found = defaultdict(list)
    users = {search.request: search.user for search in as_schema_has_it(schema, *log)[0]}
    for request, value in expected(schema, *log, within)[0].items():
        found[ARMS[users[request] and users[request].partition(":")[0]]].append(value)
    return found


@pytest.mark.parametrize("schema", mostly_long(SCHEMAS, "segment"))
def test_what_crosses_it_reads_the_searches_that_are_left(schema):
    """Comparisons, judgments, lost clicks and rates by position are those of a log without the others."""
    make, tables, both, of_python, _ = SCHEMAS[schema]
    name = schema.partition(" ")[0]
    log = random_log(3)
    texts = {"ga4": "arm", "ubi": "user_query"}.get(name, "terms")
    of_arms = values_of_arms(schema, log, 10)
    means = {arm: sum(values) / len(values) for arm, values in of_arms.items()}
    found = []
    for collapses in (True, False):
        with duckdb.connect() as connection:
            searches, clicks = log
            rules = {"collapse": "typing", **of_python} if collapses else {}
            if not collapses:
                named, _ = as_schema_has_it(schema, *log)
                facts = [search for search in named if search.request and (search.items or name == "ubi")]
                gone = typed([search[:4] for search in facts], 10)
                searches = [one for one, by_name in zip(searches, named, strict=True) if by_name.request not in gone]
                assert len(searches) < len(log[0])
            make(connection, searches, clicks)
            source = getattr(rm, name)(*tables, **both, **rules)
            of_arm = getattr(rm, name)(*tables, **both, **rules, arm="arm")
            compared = quietly(rm.compare, of_arm, "rr", baseline="A", connection=connection)
            [row] = compared.summary.dicts()
            assert row["baseline"] == pytest.approx(means["A"])
            assert row["candidate"] == pytest.approx(means["B"])
            asked: list[tuple[Any, dict[str, Any]]] = [
                (rm.judgments, {"by": texts}),
                (rm.worst, {"by": texts, "min_requests": 1, "n": 1000}),
                (rm.ctr_by_position, {}),
            ]
            found.append([quietly(rows_of, *one, source, connection) for one in asked])
    assert min(map(len, found[0])) > 1
    assert found[0] == found[1]


@pytest.mark.parametrize("schema", mostly_long(SCHEMAS, "ubi"))
def test_by_hand(tmp_path, cli, schema):
    """l, la and lamp are one search with the list of lamp; 11 seconds later or in capitals it is another."""
    make, tables, both, of_python, _ = SCHEMAS[schema]
    searches = [("r1", "l", 0), ("r2", "la", 10), ("r3", "lamp", 20), ("r4", "lamps", 31), ("r5", "lAmps", 32)]
    log = [Search(r, "u", START + timedelta(seconds=at), text, "search", [r]) for r, text, at in searches]
    log += [Search(r, None, START, text, "search", ["i"]) for r, text in (("n1", "a"), ("n2", "ab"))]
    clicks = [Click("r1", "u", START, "r1", "search"), Click("r3", "u", START + timedelta(seconds=21), "r3", "search")]
    with duckdb.connect() as connection:
        make(connection, log, clicks)
        for table in tables:
            connection.execute(f"COPY {table} TO '{tmp_path / table}.parquet'")
    files = [tmp_path / f"{table}.parquet" for table in tables]
    rules = [f"--rule={rule}={value}" for rule, value in (both | of_python | {"collapse": "typing"}).items()]
    n = 3 if schema == "ga4" else 5  # where a view without a visitor is no request
    for more, values in (([], [str(1 / n), str(n)]), (["--rule=collapse_within=11 seconds"], ["0.0", str(n - 1)])):
        printed = cli("evaluate", f"--{schema.partition(' ')[0]}", *files, *rules, *more, "-m", "rr", "--format", "csv")
        assert printed.stdout.splitlines()[1].split(",")[1:] == ["rr", *values], printed.stderr


TWO_LISTS = [("a", 0, "search"), ("ab", 5, "again"), ("abc", 9, "search")]


def test_searches_in_another_list_of_ga4_are_others():
    """The views of one list collapse, whatever the visitor saw in another in between."""
    log = [
        Search(str(n), "u", START + timedelta(seconds=at), text, name, ["x"])
        for n, (text, at, name) in enumerate(TWO_LISTS)
    ]
    with duckdb.connect() as connection:
        as_ga4(connection, log, [Click("0", "u", START, "x", "search")])
        rows = quietly(rm.evaluate, rm.ga4("export", collapse="typing"), "rr", connection=connection).per_query
        assert [row[2] for row in rows] == ["again", "search"]
        # Of a column: in the list search, abc does not begin with a text that is longer.
        texts = "CASE event_timestamp % 60000000 WHEN 0 THEN 'abcd' ELSE 'abc' END"
        connection.execute(f"CREATE TABLE named AS SELECT *, {texts} AS term FROM export")
        for text in ("term", "LOWER(term)"):
            named = rm.ga4("named", collapse="typing", text=text)
            assert len(quietly(rm.evaluate, named, "rr", connection=connection).per_query) == 3
        rows = macros()["from_ga4"]("named", collapse="typing", columns={"text": "LEFT(term, 3)"})
        assert len(connection.execute(f"SELECT DISTINCT moment FROM ({rows}) r").fetchall()) == 2


@pytest.mark.parametrize(
    ("schema", "given", "message", "remedy"),
    [
        ("ubi", {"collapse": "typed"}, "collapse is typing, not 'typed'", {"collapse": "typing"}),
        ("segment", {"collapse_within": 5}, "collapse_within has no effect without collapse='typing'", None),
        ("ubi", {"collapse": "typing", "collapse_within": "soon"}, "collapse_within takes a number of seconds", None),
        (
            *("segment", {"collapse": "typing"}),
            "product_list_viewed lacks: products_searched has it and names no view. Add it.*pass text=NAME",
            {"text": "terms"},
        ),
        ("snowplow", {"collapse": "typing"}, "the table of interactions lacks. Add it.*text=NAME", {"text": "terms"}),
        ("segment", {"collapse": "typing", "text": "asked"}, "no column 'asked' for text", {"text": "terms"}),
        ("ga4", {"collapse": "typing", "text": "asked"}, "no column 'asked' for text", {"text": "arm"}),
    ],
)
def test_what_cannot_collapse(schema, given, message, remedy):
    make, tables, *_ = SCHEMAS[schema]
    with duckdb.connect() as connection:
        make(connection, *random_log(1))
        with pytest.raises((rm.UsageError, rm.DataError), match=message):
            quietly(rm.evaluate, getattr(rm, schema)(*tables, **given), "rr", connection=connection)
        if remedy is not None:
            log = getattr(rm, schema)(*tables, **given | remedy)
            assert quietly(rm.evaluate, log, "rr", connection=connection)["rr"] > 0


@pytest.mark.parametrize(("schema", "within_kept"), [("ubi", False), ("ubi of hits", True), ("snowplow", True)])
def test_a_condition_leaves_out_what_it_is_over(schema, within_kept):
    """Searches collapse among the rows that are read: of hits the queries, while events leave all queries there."""
    make, tables, both, of_python, of_dbt = SCHEMAS[schema]
    searches, clicks = random_log(2)
    time = "derived_tstamp" if schema == "snowplow" else "timestamp"
    where = f"{time} IS NULL OR EXTRACT(second FROM {time}) % 3 > 0"
    kept = [search for search in searches if search.moment is None or search.moment.second % 3]
    of_kept = expected(schema, kept, clicks, 10)[0]
    if not within_kept:
        shown = {search.request for search in kept}
        of_kept, of_both = {r: v for r, v in expected(schema, searches, clicks, 10)[0].items() if r in shown}, of_kept
        assert of_kept != of_both
    name = schema.partition(" ")[0]
    with duckdb.connect() as connection:
        make(connection, searches, clicks)
        source = getattr(rm, name)(*tables, **both, **of_python, collapse="typing", where=where)
        result = quietly(rm.evaluate, source, "rr", connection=connection)
        assert names_of(result.per_query) == pytest.approx(of_kept)
        rows = macros()[f"from_{name}"](*tables, **both, **of_dbt, collapse="typing", where=where)
        key = "event_id" if name == "snowplow" else "query_id"
        found = connection.execute(f"SELECT DISTINCT {key} FROM ({rows}) r").fetchall()
        assert {request for (request,) in found} == of_kept.keys()


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("ubi", "user_query is unknown in all 79 searches. Compute it in a SELECT in place of ubi_queries."),
        ("ubi logged", "user_query is unknown in all 79 searches. Compute it in a SELECT"),
        ("ga4", "the parameter search_term is unknown in all {} searches. Pass another column: text=NAME."),
        ("snowplow", "terms is unknown in all {} searches. Pass another column: text=NAME."),
    ],
)
def test_a_log_without_a_text_is_refused(schema, said):
    """Where no search has a text, none could collapse, and nobody would notice."""
    make, tables, both, of_python, _ = SCHEMAS[schema]
    searches, clicks = random_log(1)
    n = sum(bool(search.items) and None not in (search.user, search.moment) for search in searches)
    function = getattr(rm, schema.partition(" ")[0])
    with duckdb.connect() as connection:
        make(connection, [search._replace(text=None) for search in searches], clicks)
        with pytest.raises(rm.DataError, match=re.escape(said.format(n))):
            rm.evaluate(function(*tables, **both, **of_python, collapse="typing"), "rr", connection=connection)
        if schema.startswith("ubi"):
            queries = "SELECT * REPLACE (arm AS user_query) FROM ubi_queries"
            other = rm.ubi(queries, "ubi_events", **both, collapse="typing")
        else:
            other = function(*tables, **both, text="arm", collapse="typing")
        assert quietly(rm.evaluate, other, "rr", connection=connection)["rr"] > 0
        for table in tables:  # an empty log has no text, either, which is nothing to be told of
            connection.execute(f"DELETE FROM {table}")
        with pytest.raises(rm.DataError, match="there are no rows"):
            quietly(rm.evaluate, other, "rr", connection=connection)


def test_queries_of_ubi_that_lack_a_column():
    """The user and the time of a search have one name in UBI; a query in place of the table gives it to others."""
    with duckdb.connect() as connection:
        as_ubi(connection, *random_log(1))
        source = rm.ubi("ubi_queries", "ubi_events", collapse="typing")
        wanted = [row[0] for row in quietly(rm.evaluate, source, "rr", connection=connection).per_query]
        connection.execute("ALTER TABLE ubi_queries RENAME client_id TO visitor")
        advised = "Pass queries='SELECT NAME AS client_id, * FROM ubi_queries'."
        with pytest.raises(rm.DataError, match=f"no column 'client_id'.*{re.escape(advised)}"):
            rm.evaluate(source, "rr", connection=connection)
        renamed = rm.ubi("SELECT visitor AS client_id, * FROM ubi_queries", "ubi_events", collapse="typing")
        assert [row[0] for row in quietly(rm.evaluate, renamed, "rr", connection=connection).per_query] == wanted
        given = {"columns": {"queries.user": "visitor"}, "has_application": False, "collapse": "typing"}
        in_dbt = macros()["from_ubi"]("ubi_queries", "ubi_events", **given)
        rows = connection.execute(f"SELECT DISTINCT query_id FROM ({in_dbt}) r ORDER BY query_id").fetchall()
        assert [request for (request,) in rows] == wanted


@pytest.mark.parametrize("macro", ["from_segment", "from_snowplow"])
def test_macros_of_dbt_name_the_missing_text(macro):
    told = "collapse=typing needs the column of the text. Name it: columns={'text': ...}."
    tables = SCHEMAS[macro.removeprefix("from_")][1]
    with pytest.raises(rm.UsageError, match=re.escape(told)):
        macros()[macro](*tables, collapse="typing")
    assert "rankmetrics_typed" in macros()[macro](*tables, columns={"text": "terms"}, collapse="typing")


def parameters_in(dialect, text):
    """The parameters of an event in SQL, where there are lists of structures."""
    given = "NULL" if text is None else f"'{text}'"
    if dialect == "clickhouse":
        value = "Tuple(string_value Nullable(String), int_value Nullable(Int64))"
        return f"CAST([('search_term', ({given}, NULL))] AS Array(Tuple(key String, value {value})))"
    if dialect == "spark":
        value = f"NAMED_STRUCT('string_value', CAST({given} AS STRING), 'int_value', CAST(NULL AS BIGINT))"
        return f"ARRAY(NAMED_STRUCT('key', 'search_term', 'value', {value}))"
    value = f"STRUCT(CAST({given} AS STRING) AS string_value, CAST(NULL AS INT64) AS int_value)"
    return f"[STRUCT('search_term' AS key, {value} AS value)]"


def export_in(engine, searches, mapping):
    """Google's export as SQL text over what an engine can be given, and its views alone."""
    dialect = engine.dialects[0]
    shown = [
        (s.user, microseconds(s.moment), [(x, s.list, "List", n, None) for n, x in enumerate(s.items, 1)], s.text)
        for s in searches
        if None not in (s.user, s.moment)
    ]
    if mapping == "struct":
        return " UNION ALL ".join(
            f"SELECT 'view_item_list' AS event_name, '{user}' AS user_pseudo_id, {moment} AS event_timestamp,"
            f" {listed(dialect, ITEM, items)} AS items, {parameters_in(dialect, text)} AS event_params"
            for user, moment, items, text in shown
        )
    rows = [
        ("view_item_list", user, as_json(ITEM, items), json.dumps(parameters_of(text)), moment)
        for user, moment, items, text in shown
    ]
    names = ("event_name", "user_pseudo_id", "items", "event_params")
    engine.load("export", {**dict.fromkeys(names, "text"), "event_timestamp": "bigint"}, rows)
    return "export"


def parameters_of(text):
    """The parameters of an event as they are in JSON, where a text of digits is a number."""
    is_number = text is not None and text.isdigit()
    value = {"int_value": text} if is_number else {"string_value": text}
    return [{"key": "page_title", "value": {"string_value": "A"}}, {"key": "search_term", "value": value}]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "mapping"),
    [
        *((name, "json") for name in ("clickhouse", "googlesql", "mariadb", "postgres-15", "sqlite", "trino")),
        *((name, "struct") for name in ("clickhouse", "googlesql", "spark")),
    ],
)
def test_search_terms_of_ga4_in_every_engine(start_engine, name, mapping):
    engine = start_engine(name)
    dialect = check_dialect(engine.dialects[0])
    searches = [search._replace(items=search.items[:2]) for search in random_log(4)[0] if search.items][:25]
    if mapping == "struct":
        searches = [search for search in searches if not (search.text or "").isdigit()]
    counts = expected("ga4", [s for s in searches if None not in (s.user, s.moment)], [], 10)[1]
    assert counts["impressions", "typed further"] > 1
    source = rm.ga4(export_in(engine, searches, mapping), mapping=mapping, collapse="typing")
    if name == "trino":  # to which other statements have too many stages
        n_requests = sum(search.request is not None for search in as_schema_has_it("ga4", searches, [])[0])
        rows = macros("trino")["from_ga4"]("export", mapping=mapping, collapse="typing")
        _, [(n_left,)] = engine.fetch(
            f"SELECT COUNT(*) FROM (SELECT DISTINCT visitor, moment, list_id FROM ({rows}) r) d"
        )
        assert 0 < n_left == len(expected("ga4", searches, [], 10)[0]) < n_requests
        return
    text = source.looked_up(Unconnected(dialect)).text(source.quality, dialect)
    assert {(side, reason): n for side, reason, n in engine.fetch(text)[1]} == counts
