"""Scores and positions that doubles would make equal: items are in the order of the numbers as they are."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from decimal import Decimal
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import each_once, mostly_long

START = 1790000000000000000
# Each type with numbers of which many share a double.
TYPES: dict[str, list[Any]] = {
    "BIGINT": [START + number for number in range(6)] + [-START - 1, -START, 0],
    "UBIGINT": [2**64 - 1 - number for number in range(6)],
    "HUGEINT": [2**80 + number for number in range(6)] + [-(2**80)],
    "DECIMAL(38, 20)": [Decimal(f"0.1234567890123456789{number}") for number in range(6)] + [Decimal(-1)],
    "DECIMAL(16, 0)": [2**53 + number for number in range(4)],
    "DOUBLE": [0.5, 0.25, -1.0, 0.1],
}
CHOICES: list[dict[str, Any]] = [
    {},
    {"strategy": "count"},
    {"strategy": "window"},
    {"duplicates": "first"},
    {"ties": "item_asc"},
    {"ties": "expected"},
    {"ties": "worst"},
    {"check": "none"},
]
METRICS = ["rr", "p@1", "p@3", "dcg(discount=zipf)@2"]


def random_lists(chance: random.Random, values: list[Any]) -> list[tuple[str, str, Any]]:
    """Lists of items with scores, of which some are equal."""
    return [(f"q{query}", item, chance.choice(values)) for query in range(8) for item in chance.sample("abcdefgh", 6)]


def ranked(rows: list[tuple[str, str, Any]], query: str, ties: str, good: set[str], *, by_rank: bool) -> list[Any]:
    """The items of a query, sorted by Python's exact numbers: groups of equal ones, each in its order."""
    found = [(value, item) for name, item, value in rows if name == query]
    groups = [[item for value, item in found if value == one] for one in sorted({value for value, _ in found})]
    if not by_rank:
        groups = groups[::-1]
    if ties == "worst":
        return [sorted(group, key=lambda item: (item in good, item)) for group in groups]
    return [sorted(group, reverse=ties != "item_asc") for group in groups]


def twin(groups: list[list[str]], good: set[str], *, is_expected: bool) -> list[float]:
    """The metrics by their formulas; expected values over all orders of equal items."""
    chances: list[float] = []
    for group in groups:
        n_good = sum(item in good for item in group)
        share = n_good / len(group)
        chances += [share] * len(group) if is_expected else [float(item in good) for item in group]
    rr = 0.0
    if not is_expected:
        rr = next((1 / place for place, hit in enumerate(chances, start=1) if hit), 0.0)
    return [rr, chances[0], sum(chances[:3]) / 3, chances[0] + chances[1] / 2]


def check(
    rows: Any, qrels: dict[str, dict[str, int]], run: Any, place: Any, given: Any, by_rank: bool, judged: Any = None
) -> None:
    """Holds an evaluation against the twin."""
    judged = qrels if judged is None else judged
    result = quietly(rm.evaluate, run, judged, METRICS, connection=place, **given)
    hold(list(result.per_query), rows, qrels, given, by_rank=by_rank)


def hold(
    found: list[Any], rows: Any, qrels: dict[str, dict[str, int]], given: dict[str, Any], *, by_rank: bool = False
) -> None:
    """Holds the values of queries against the twin."""
    assert len(found) == len(qrels)
    for query, *values in found:
        good = set(qrels[query])
        groups = ranked(rows, query, given.get("ties", ""), good, by_rank=by_rank)
        expected = twin(groups, good, is_expected=given.get("ties") == "expected")
        skipped = 1 if given.get("ties") == "expected" else 0
        assert values[skipped:] == pytest.approx(expected[skipped:], abs=1e-12), (query, groups, good)


def made(type_: str, seed: str) -> tuple[list[tuple[str, str, Any]], dict[str, dict[str, int]]]:
    """Random rows of a type, and judgments."""
    chance = random.Random(seed)
    rows = random_lists(chance, TYPES[type_])
    return rows, {f"q{query}": dict.fromkeys(chance.sample("abcdefgh", 3), 1) for query in range(8)}


@pytest.mark.parametrize(("type_", "given"), each_once(TYPES, CHOICES), ids=str)
def test_items_are_in_the_order_of_exact_scores(type_, given):
    rows, qrels = made(type_, f"{type_}{given}")
    with duckdb.connect() as place:
        place.execute(f"CREATE TABLE run (query_id TEXT, item_id TEXT, score {type_})")
        place.executemany("INSERT INTO run VALUES (?, ?, ?)", rows)
        check(rows, qrels, "run", place, given, False)
        if given == {}:
            place.execute("CREATE TABLE judged (query_id TEXT, item_id TEXT, relevance INTEGER)")
            pairs = [(query, item, 1) for query, items in qrels.items() for item in items]
            place.executemany("INSERT INTO judged VALUES (?, ?, ?)", pairs)
            text = rm.sql("p@3", "run", "judged", connection=place)
            expected = quietly(rm.evaluate, "run", "judged", "p@3", connection=place)
            assert place.execute(text).fetchone()[1] == expected["p@3"]


@pytest.mark.parametrize("type_", TYPES)
def test_objects_keep_their_numbers(type_):
    """Dictionaries, pandas and Polars; and positions, the lowest first."""
    rows, qrels = made(type_, type_)
    names = ["query_id", "item_id", "score"]
    run: dict[str, dict[str, Any]] = {}
    for query, item, value in rows:
        run.setdefault(query, {})[item] = value
    for one in (run, pd.DataFrame(rows, columns=names)):
        check(rows, qrels, one, None, {}, False)
    with duckdb.connect() as place:
        place.execute(f"CREATE TABLE run (query_id TEXT, item_id TEXT, score {type_})")
        place.executemany("INSERT INTO run VALUES (?, ?, ?)", rows)
        if type_ != "HUGEINT":  # which Arrow lacks
            frame = place.sql("FROM run").pl()
            assert isinstance(frame, pl.DataFrame)
            check(rows, qrels, frame, None, {}, False)
        given = {"columns": {"position": "score"}, "check": "none"}
        check(rows, qrels, "run", place, given, True)


def test_sqlite_compares_whole_numbers_as_they_are():
    rows, qrels = made("BIGINT", "sqlite")
    with closing(sqlite3.connect(":memory:")) as place:
        place.execute("CREATE TABLE run (query_id TEXT, item_id TEXT, score INTEGER)")
        place.executemany("INSERT INTO run VALUES (?, ?, ?)", rows)
        place.execute("CREATE TABLE judged (query_id TEXT, item_id TEXT, relevance INTEGER)")
        pairs = [(query, item, 1) for query, items in qrels.items() for item in items]
        place.executemany("INSERT INTO judged VALUES (?, ?, ?)", pairs)
        for given in ({}, {"ties": "expected"}, {"strategy": "count"}):
            check(rows, qrels, "run", place, given, False, "judged")


WITHOUT_TYPES: list[dict[str, Any]] = [
    {},
    {"strategy": "count"},
    {"duplicates": "first"},
    {"ties": "item_asc"},
    {"ties": "expected"},
    {"ties": "worst"},
    {"ties": "worst", "strategy": "count"},
]


ENGINES = [
    *("sqlite", "duckdb-1", "postgres-15", "postgres-18", "mariadb", "clickhouse", "datafusion", "googlesql", "trino"),
    *("spark", "sail"),
]


def texts(given: dict[str, Any], dialect: str = "duckdb") -> list[str]:
    """Statements by an engine's dialect and by dbt, which see no types; dbt has no adapter for some engines."""
    columns = {"columns": given["columns"]} if "columns" in given else {}
    options = {name: value for name, value in given.items() if name != "columns"}
    found = [rm.sql(METRICS, "run", "judged", level="per_query", dialect=dialect, **given)]
    if dialect not in ("datafusion", "mysql", "sqlite"):
        found.append(macros(dialect)["per_query"]("run", METRICS, qrels="judged", options=options, **columns))
    return found


def pairs_of(qrels: dict[str, dict[str, int]]) -> list[tuple[str, str, int]]:
    """The judgments as rows."""
    return [(query, item, 1) for query, items in qrels.items() for item in items]


@pytest.mark.parametrize("given", WITHOUT_TYPES, ids=str)
@pytest.mark.parametrize("type_", mostly_long(TYPES, "BIGINT", "DECIMAL(38, 20)"))
def test_text_that_knows_no_types_sorts_by_the_double_and_by_the_column(type_, given):
    rows, qrels = made(type_, f"text{type_}{given}")
    with duckdb.connect() as place:
        place.execute(f"CREATE TABLE run (query_id TEXT, item_id TEXT, score {type_})")
        place.executemany("INSERT INTO run VALUES (?, ?, ?)", rows)
        place.execute("CREATE TABLE judged (query_id TEXT, item_id TEXT, relevance INTEGER)")
        place.executemany("INSERT INTO judged VALUES (?, ?, ?)", pairs_of(qrels))
        for text in texts(given):
            hold(place.sql(text).fetchall(), rows, qrels, given)


@pytest.mark.parametrize("engine", mostly_long(ENGINES, "sqlite"), indirect=True)
def test_every_engine_sorts_so(engine):
    """By scores and, the lowest first, by positions."""
    ids = {"query_id": "text", "item_id": "text"}
    rows, qrels = made("BIGINT", engine.name)
    engine.load("run", {**ids, "score": "bigint"}, rows)
    engine.load("judged", {**ids, "relevance": "bigint"}, pairs_of(qrels))
    for given in (*WITHOUT_TYPES, {"columns": {"position": "score"}}):
        for text in texts(given, engine.dialects[0]):
            found = [(str(query), *map(float, values)) for query, *values in engine.fetch(text)[1]]
            hold(found, rows, qrels, given, by_rank="columns" in given)
