"""Ids of two types inside a log are refused as those of a run and judgments are, and what the message says works."""

from __future__ import annotations

import re
import shlex
from itertools import product
from typing import Any

import duckdb
import pytest

import rankmetrics_sql as rm

from ..conftest import quietly

# Two requests of two users show 10, 11 and 12, in that order; the one is about 11, the other about 12.
SHOWN = [(query, item, place, user) for query, user in [(1, 5), (2, 6)] for place, item in enumerate([10, 11, 12], 1)]
DONE = [("1", "11", "5"), ("2", "12", "6")]
FIRST, LATER = "2026-01-01 00:00:00", "2026-01-01 00:00:30"
ALIKE = {"request": ("01", "10", "5"), "item": ("1", "0010", "5"), "user": ("1", "10", "05")}  # to a number only


def about(item: str, place: int) -> str:
    return f"{{'object': {{'object_id': {item}}}, 'position': {{'ordinal': {place}}}}}"


def relations(source: str, which: str, types: tuple[str, ...]) -> dict[str, str]:
    """The SQL of each relation of a source, in their order; one sort of ids is of a type that each relation has."""

    def cell(side: int, meaning: str, value: Any) -> str:
        type_ = types[side] if meaning == which else "VARCHAR"
        return f"{int(value)}" if type_ == "INTEGER" else f"'{value}'"

    def rows(side: int, found: list[tuple[Any, ...]], *places: int) -> list[tuple[Any, ...]]:
        meanings = {0: "request", 1: "item", 3: "user"}
        return [
            tuple(cell(side, meanings[place], row[place]) if place in meanings else row[place] for place in range(4))
            for row in found
        ]

    done = [*DONE, *([ALIKE[which]] if types[1] == "VARCHAR" else [])]
    shown = rows(0, SHOWN)
    acted = rows(1, [(request, item, 1, user) for request, item, user in done])
    asked = [cell(2, "request", number) for number in (1, 2, 3)] if len(types) > 2 else []

    def select(names: str, values: list[str]) -> str:
        return f"SELECT * FROM (VALUES {', '.join(f'({value})' for value in values)}) AS v({names})"

    log = {
        "impressions": select(
            "request_id, item_id, position, who, moment",
            [f"{q}, {i}, {p}, {u}, TIMESTAMP '{FIRST}'" for q, i, p, u in shown],
        ),
        "events": select(
            "request_id, item_id, event_type, who, moment",
            [f"{q}, {i}, 'click', {u}, TIMESTAMP '{LATER}'" for q, i, _, u in acted],
        ),
    }
    by_request: dict[str, list[Any]] = {}
    for row in shown:
        by_request.setdefault(row[0], []).append(row)
    lists = {q: f"[{', '.join(i for _, i, *_ in found)}]" for q, found in by_request.items()}
    products = {
        q: ", ".join(f"{{'product_id': {i}, 'position': {p}}}" for _, i, p, _ in found)
        for q, found in by_request.items()
    }
    clicks = [f"{q}, 'click', {about(i, 1)}" for q, i, *_ in acted]
    views = [f"{q}, 'impression', {about(i, p)}" for q, i, p, _ in shown]
    actions = "query_id, action_name, event_attributes"
    return {
        "events": log,
        "users": log,
        "logged": log | {"queries": select("request_id", asked)},
        "hits": {
            "queries": select("query_id, query_response_hit_ids", [f"{q}, {items}" for q, items in lists.items()]),
            "events": select(actions, clicks),
        },
        "ubi": {"queries": select("query_id", asked), "events": select(actions, views + clicks)},
        "segment": {
            "viewed": select(
                "id, anonymous_id, timestamp, products",
                [f"{q}, {found[0][3]}, TIMESTAMP '{FIRST}', [{products[q]}]" for q, found in by_request.items()],
            ),
            "clicked": select(
                "product_id, anonymous_id, timestamp", [f"{i}, {u}, TIMESTAMP '{LATER}'" for _, i, _, u in acted]
            ),
        },
    }[source]


SOURCES = {
    "events": lambda tables, **given: rm.events(*tables.values(), **given),
    "users": lambda tables, **given: rm.events(
        *tables.values(), attribution="user", time="moment", **{"user": "who"} | given
    ),
    "logged": lambda tables, **given: rm.events(
        tables["impressions"], tables["events"], queries=tables["queries"], requests="logged", **given
    ),
    "hits": lambda tables, **given: rm.ubi(*tables.values(), impressions="hits", **given),
    "ubi": lambda tables, **given: rm.ubi(*tables.values(), requests="logged", **given),
    "segment": lambda tables, **given: rm.segment(*tables.values(), **given),
}
# The ids that two relations of a source are joined by, and how many of these there are.
JOINED = [
    *(("events", "request", 2), ("events", "item", 2), ("users", "item", 2), ("users", "user", 2)),
    *(("logged", "request", 3), ("hits", "request", 2), ("hits", "item", 2)),
    *(("ubi", "request", 3), ("segment", "item", 2), ("segment", "user", 2)),
]
# What a person types who casts the ids of a relation in a query, as the message says.
STRUCTURE = (
    "{'object': {'object_id': CAST(event_attributes.object.object_id AS VARCHAR)},"
    " 'position': event_attributes.position} AS event_attributes"
)
CAST = {
    ("hits", "item", "queries"): "CAST(query_response_hit_ids AS VARCHAR[]) AS query_response_hit_ids",
    ("hits", "item", "events"): STRUCTURE,
    ("segment", "item", "viewed"): 'CAST(products AS STRUCT(product_id VARCHAR, "position" INTEGER)[]) AS products',
    ("segment", "item", "clicked"): "CAST(product_id AS VARCHAR) AS product_id",
}
FILES = ("parquet", "csv")
FLAT = ("events", "users", "logged")  # sources whose ids are columns, and no fields of structures or lists


def stored(connection: duckdb.DuckDBPyConnection, kind: str, name: str, sql: str, folder: Any) -> Any:
    """A relation as a table, a file or a frame."""
    if kind == "table":
        connection.execute(f"CREATE TABLE {name} AS {sql}")
        return name
    if kind == "frame":
        return connection.sql(sql).to_arrow_table()
    path = folder / f"{name}.{kind}"
    connection.execute(f"COPY ({sql}) TO '{path}' (FORMAT {kind})")
    return str(path)


def cases() -> list[Any]:
    """Which ids are integers where, in which kinds of input: nested columns stand in no CSV file.

    Short are tables of texts beside integers, files of integers beside texts, and for one join every kind beside every
    other.
    """
    found = []
    for source, which, n_sides in JOINED:
        for types in product(("INTEGER", "VARCHAR"), repeat=n_sides):
            if source == "ubi" and types[0] != types[1]:
                continue  # both are in one table
            kinds = ("table", "frame", "parquet", *(["csv"] if source in FLAT else []))
            for pair in product(kinds, repeat=2):
                by_itself = pair == ("table", "table") and types[0] == "VARCHAR" != types[-1]
                beside = pair == ("parquet", "parquet") or (source, which) == ("events", "item")
                short = by_itself or (beside and types[0] == "INTEGER" != types[-1])
                found.append(pytest.param(source, which, types, pair, marks=[] if short else pytest.mark.long))
    return found


@pytest.mark.parametrize(("source", "which", "types", "kinds"), cases())
def test_ids_of_two_types_are_never_joined(tmp_path, source, which, types, kinds):
    with duckdb.connect() as connection:
        texts = relations(source, which, types)
        of_side = dict(zip(texts, (kinds[0], kinds[1], kinds[0]), strict=False))
        tables = {name: stored(connection, of_side[name], name, sql, tmp_path) for name, sql in texts.items()}
        of_type = dict(zip(texts, (types[2], types[0]) if source == "ubi" else types, strict=True))
        met = {"VARCHAR" if of_side[name] in FILES else type_ for name, type_ in of_type.items()}
        keep_types = source in FLAT and "csv" not in kinds  # columns of Parquet files, where all ids are of one type
        n_requests = 3 if source in ("logged", "ubi") else 2

        def scored(tables, **given):
            return quietly(rm.evaluate, SOURCES[source](tables, **given), "rr", connection=connection)["rr"]

        if len(met) == 1 or (keep_types and len(set(of_type.values())) == 1):
            assert scored(tables) == pytest.approx((1 / 2 + 1 / 3) / n_requests)
            return
        with pytest.raises(rm.DataError, match=r"_id is (INTEGER|VARCHAR) in .* and (INTEGER|VARCHAR) in ") as refused:
            scored(tables)
        message = str(refused.value)
        assert message.endswith("Ids in files are text.")
        how = re.search(r"cast one of them, as in (.*?)\. Ids", message)[1]
        if not how.startswith("SELECT * REPLACE"):
            assert scored(tables, **eval(f"dict({how.replace(' and ', ', ')})")) == pytest.approx(5 / 6 / n_requests)
        elif "frame" not in kinds:
            named = "CAST(query_id AS VARCHAR) AS query_id"
            queries = {
                name: f"SELECT * REPLACE ({CAST.get((source, which, name), named)}) FROM {table}"
                for name, table in tables.items()
                if of_side[name] == "table" and of_type[name] == "INTEGER"
            }
            assert scored(tables | queries) == pytest.approx(5 / 6 / n_requests)


@pytest.mark.parametrize("cast", ["events", "impressions"])
@pytest.mark.parametrize("engine", ["sqlite", "postgres-15", "mariadb", "clickhouse"], indirect=True)
def test_a_log_in_other_databases(engine, cast):
    """Where the database itself would join 0010 with 10, or refuse in its own words, and what works there."""
    types = {"impressions": ("bigint", "text"), "events": ("text", "bigint")}[cast]
    ids = [(int if type_ == "bigint" else str) for type_ in types]
    columns = {"request_id": "text", "item_id": types[0], "position": "bigint"}
    engine.load("impressions", columns, [(str(q), ids[0](item), place) for q, item, place, _ in SHOWN])
    done = [(request, ids[1](item), "click") for request, item, _ in DONE]
    done += [("1", "0010", "click")] if types[1] == "text" else []
    engine.load("events", {"request_id": "text", "product": types[1], "event_type": "text"}, done)
    own = {"item": "product"}

    def scored(**given):
        log = rm.events("impressions", "events", **{"event_columns": own} | given)
        return quietly(rm.evaluate, log, "rr", connection=engine.connection)["rr"]

    with pytest.raises(rm.DataError, match=r"item_id is .* in impressions and .* in events; cast one") as refused:
        scored()
    how = re.search(r"cast one of them, as in (.*?)\. Ids", str(refused.value))[1]
    column = {"events": "event_columns={'item': 'CAST(product AS ", "impressions": "item='CAST(item_id AS "}[cast]
    assert how.startswith(column)
    assert scored(**eval(f"dict({how})")) == pytest.approx(5 / 12)


@pytest.mark.parametrize("engine", ["sqlite", "postgres-15", "clickhouse"], indirect=True)
def test_ids_that_differ_in_case_in_other_databases(engine):
    """MariaDB compares them without regard to case."""
    columns = {"request_id": "text", "item_id": "text", "position": "bigint"}
    engine.load("impressions", columns, [(str(q), f"i{item}", place) for q, item, place, _ in SHOWN])
    done = [(request, f"I{item}", "click") for request, item, _ in DONE]
    engine.load("events", {"request_id": "text", "item_id": "text", "event_type": "text"}, done)
    found = quietly(rm.evaluate, rm.events("impressions", "events"), "rr", connection=engine.connection)
    [said] = [text for text in found.warnings if "no graded action" in text]
    assert "No item is in both tables: 'i10' is in the impressions, 'I11' in the events." in said
    how = re.search(r"Some are equal with (.*)\.$", said)[1]
    alike = rm.events("impressions", "events", **eval(f"dict({how})"))
    assert quietly(rm.evaluate, alike, "rr", connection=engine.connection)["rr"] == pytest.approx(5 / 12)


def test_a_log_on_the_command_line(cli, tmp_path):
    database = tmp_path / "shop.duckdb"
    with duckdb.connect(str(database)) as connection:
        for name, sql in relations("events", "item", ("INTEGER", "VARCHAR")).items():
            connection.execute(f"CREATE TABLE {name} AS {sql}")
    asked = [
        "evaluate",
        "--database",
        str(database),
        "--events",
        "impressions",
        "events",
        "-m",
        "rr",
        "--format",
        "csv",
    ]
    refused = cli(*asked)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "item_id is INTEGER in impressions and VARCHAR in events; cast one of them, as in --rule" in refused.stderr
    [advised] = re.findall(r"--rule \"[^\"]*\"", refused.stderr)
    value = float(cli(*asked, *shlex.split(advised)).stdout.splitlines()[1].split(",")[2])
    assert value == pytest.approx(5 / 12)


SPELLED = {"request": "'R' || request_id", "item": "'I' || item_id", "user": "'U' || who"}


@pytest.mark.parametrize(("source", "which"), [("events", "request"), ("events", "item"), ("users", "user")])
def test_ids_that_differ_in_case_are_named_and_what_is_advised_joins_them(source, which):
    """The impressions have lower-case ids and the events upper-case ones, so nothing counts: in values, and in arms."""
    name = {"request": "request_id", "item": "item_id", "user": "who"}[which]
    texts = relations(source, which, ("VARCHAR", "VARCHAR"))
    spelled = {
        side: f"SELECT * REPLACE ({'LOWER' if side == 'impressions' else ''}({SPELLED[which]}) AS {name}),"
        f" CASE WHEN request_id IN ('1', 'r1') THEN 'x' ELSE 'y' END AS arm FROM ({sql})"
        for side, sql in texts.items()
    }
    described = SOURCES[source]
    with duckdb.connect() as connection:
        asked = {"connection": connection}
        said = quietly(rm.evaluate, described(spelled), "rr", **asked).warnings[0]
        assert re.match(f"events: no graded action .* No (request_id|{which}) is in both tables: ", said)
        assert said in quietly(rm.compare, described(spelled, arm="arm"), "rr", baseline="x", **asked).warnings
        with pytest.raises(rm.DataError, match="there are no rows: no graded action matches an item"):
            rm.evaluate(described(spelled, requests="clicked"), "rr", **asked)
        how = re.search(r"Some are equal with (.*)\.$", said)[1]
        assert how == f"{which}='LOWER({name})'"
        alike = rm.evaluate(described(spelled, **eval(f"dict({how})")), "rr", **asked)
    assert (alike["rr"], alike.warnings) == (pytest.approx(5 / 12), [])


@pytest.mark.parametrize(
    ("source", "which", "spelling", "how"),
    [
        ("events", "request", "UPPER('r' || {})", "request='LOWER(request_id)'"),
        ("events", "item", "'00r' || {}", "item=\"LTRIM(item_id, '0')\""),
        ("users", "user", "'0R' || {}", "user=\"LOWER(LTRIM(who, '0'))\""),
    ],
)
def test_some_ids_that_are_spelled_in_another_way(source, which, spelling, how):
    """The second of two actions does not count, until what the warning says is typed; then nothing is said."""
    name = {"request": "request_id", "item": "item_id", "user": "who"}[which]
    shown, done = relations(source, which, ("VARCHAR", "VARCHAR")).values()
    other = f"IF(request_id = '2', {spelling.format(name)}, 'r' || {name})"
    texts = {
        "impressions": f"SELECT * REPLACE ('r' || {name} AS {name}) FROM ({shown})",
        "events": f"SELECT * REPLACE ({other} AS {name}) FROM ({done}) LIMIT 2",
    }
    with duckdb.connect() as connection:
        found = quietly(rm.evaluate, SOURCES[source](texts), "rr", connection=connection)
        assert found["rr"] == pytest.approx(1 / 4)
        assert [re.search(r"actions of 1 (\w+) do not count", text)[1] for text in found.warnings] == [which]
        assert re.search(r"such as \S+ from \S+\. (.*) makes them equal\.$", found.warnings[0])[1] == how
        alike = quietly(rm.evaluate, SOURCES[source](texts, **eval(f"dict({how})")), "rr", connection=connection)
        assert (alike["rr"], alike.warnings) == (pytest.approx(5 / 12), [])


@pytest.mark.parametrize("source", ["logged", "ubi"])
def test_requests_that_the_table_of_requests_lacks(source):
    """Request 2 stands there as x2, so it counts twice, once without anything shown; the remedy leaves that out."""
    types = ("VARCHAR",) * 3
    texts = relations(source, "request", types)
    name = "query_id" if source == "ubi" else "request_id"
    texts["queries"] = f"SELECT IF({name} = '2', 'x2', {name}) AS {name} FROM ({texts['queries']})"
    with duckdb.connect() as connection:
        found = quietly(rm.evaluate, SOURCES[source](texts), "rr", connection=connection)
        assert found["rr"] == pytest.approx((1 / 2 + 1 / 3) / 4)
        [said] = [text for text in found.warnings if "missing from queries=" in text]
        assert "1 request with impressions is missing from queries=, such as '2', but scored." in said
        how = re.search(r"or pass (\S+)( without queries=)? to score", said)
        assert (how[1], how[2] is None) == ("requests='all'", source == "ubi")
        log = [text for side, text in texts.items() if side != "queries"]
        only = rm.ubi(*texts.values(), requests="all") if source == "ubi" else rm.events(*log)
        assert quietly(rm.evaluate, only, "rr", connection=connection)["rr"] == pytest.approx(5 / 12)


def test_ids_of_other_columns_are_named_on_the_command_line(cli, tmp_path):
    """Where no form makes ids equal another column may have them; only some matches are no reason to warn."""
    (tmp_path / "shown.csv").write_text("request_id,item_id,position\n1,a,1\n2,b,1\n")
    (tmp_path / "done.csv").write_text("request_id,item_id,sku,event_type\n1,x,a,click\n2,y,z,click\n")
    asked = ["evaluate", "--events", tmp_path / "shown.csv", tmp_path / "done.csv", "-m", "rr", "--format", "csv"]
    warned = cli(*asked)
    told = "No item is in both tables: 'a' is in the impressions, 'x' in the events."
    assert told in " ".join(warned.stderr.split())
    [advised] = re.findall(r"pass (--rule [^ ]*)\.", " ".join(warned.stderr.split()))
    scored = cli(*asked, *advised.replace("COLUMN", "sku").split())
    assert (scored.stdout.splitlines()[1].split(",")[2], "no graded action" in scored.stderr) == ("0.5", False)


@pytest.mark.parametrize("beside", ["judgments", "queries", "items"])
@pytest.mark.parametrize("kind", ["table", "parquet"])
def test_rows_of_a_source_beside_files(tmp_path, kind, beside):
    """Lists whose ids are numbers, beside files whose ids are text: those of a file are text too."""
    (tmp_path / "judgments.txt").write_text("1 0 11 1\n2 0 12 1\n")
    (tmp_path / "queries.txt").write_text("1\n")
    (tmp_path / "items.csv").write_text("item_id\n10\n11\n12\n13\n")
    with duckdb.connect() as connection:
        own = ", [[11], [12]][q] AS relevant" if beside != "judgments" else ""
        sql = f"SELECT q AS query_id, [10, 11, 12] AS items{own} FROM range(1, 3) AS r(q)"
        lists = rm.lists(
            stored(connection, kind, "lists", sql, tmp_path), relevant="relevant" if beside != "judgments" else None
        )

        def scored():
            if beside == "judgments":
                return quietly(rm.evaluate, lists, tmp_path / "judgments.txt", "rr", connection=connection)["rr"]
            if beside == "queries":
                listed = {"query_list": tmp_path / "queries.txt"}
                return quietly(rm.evaluate, lists, "rr", connection=connection, **listed)["rr"]
            of_items = {"items": tmp_path / "items.csv"}
            return quietly(rm.evaluate, lists, "catalogue_coverage", connection=connection, **of_items)[
                "catalogue_coverage"
            ]

        if kind == "parquet":
            assert scored() == pytest.approx({"judgments": 5 / 12, "queries": 1 / 2, "items": 3 / 4}[beside])
        else:
            with pytest.raises(rm.DataError, match=r"_id is .* in .*; cast one of them, as in SELECT \* REPLACE"):
                scored()
