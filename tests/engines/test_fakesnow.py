"""Snowflake's text in fakesnow, which is no Snowflake but sqlglot and DuckDB behind Snowflake's connector.

A smoke test, not a proof: it shows that sqlglot reads the text as Snowflake's, that the numbers are DuckDB's then, and
what the columns are called. Snowflake's own decimals and capital letters it cannot show.
"""

from __future__ import annotations

import duckdb
import pytest

from dev.tools import answer

from ..statements import cases
from .hurtful import tables

pytestmark = pytest.mark.long

TYPES = {"text": "VARCHAR", "double": "DOUBLE", "bigint": "BIGINT"}
NAMES = (
    "gain",
    "groups",
    "ties_expected",
    "positions",
    "compare",
    "systems",
    "subtopics_summary",
    "curve_of_recall",
)


@pytest.fixture(scope="module")
def fakesnow():
    """The answers to all statements, given in one session."""
    data = {name: table for name, table in tables().items() if not name.startswith("long_")}
    described = {name: {column: TYPES[kind] for column, kind in table.columns.items()} for name, table in data.items()}
    return answer(
        "fakesnow",
        {
            "tables": {name: (described[name], table.rows) for name, table in data.items()},
            "statements": {name: cases()[name].by_sqlglot("snowflake") for name in NAMES},
        },
    )


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as connection:
        for name, table in tables().items():
            columns = ", ".join(f"{column} {TYPES[kind]}" for column, kind in table.columns.items())
            connection.execute(f"CREATE TABLE {name} ({columns})")
            if not name.startswith("long_"):
                places = ", ".join("?" * len(table.columns))
                connection.executemany(f"INSERT INTO {name} VALUES ({places})", table.rows)
        yield connection


@pytest.mark.parametrize("name", NAMES)
def test_numbers_and_names_are_those_of_duckdb(fakesnow, connection, name):
    columns, rows = fakesnow[name]
    found = connection.execute(cases()[name].by_sqlglot("duckdb"))
    assert columns == [column[0] for column in found.description]
    wanted = [
        [value if value is None or isinstance(value, str) else float(value) for value in row]
        for row in found.fetchall()
    ]
    assert len(rows) == len(wanted) > 0
    for one, other in zip(sorted(rows, key=repr_of_keys), sorted(wanted, key=repr_of_keys), strict=True):
        assert one == [
            pytest.approx(value, rel=1e-12, abs=1e-12) if isinstance(value, float) else value for value in other
        ]


def repr_of_keys(row):
    """Rows by their texts, which tell them apart."""
    return [repr(value) for value in row if isinstance(value, str)]
