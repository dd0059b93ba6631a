"""The table of docs/sources.md: which question takes which source, tried cell by cell, and its commands and macros."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.cli import main
from rankmetrics_sql.cli.sources import KINDS
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import one_in

LINES = (Path(__file__).parents[2] / "docs" / "sources.md").read_text(encoding="utf-8").splitlines()
ROWS = {
    cells[0].strip("`").removeprefix("rm."): cells[1:]
    for cells in ([cell.strip() for cell in line.strip("|").split("|")] for line in LINES if line.startswith("| `rm."))
}
TABLES = """
CREATE TABLE a AS SELECT 'u' || u AS who, ['x' || (u % 3), 'y', 'z'] AS items, ['x' || (u % 3), 'y'] AS liked,
    'm' || (u % 2) AS market, 'a' AS model FROM range(20) t(u);
CREATE TABLE b AS SELECT who, ['y', 'x' || (range % 3)] AS items, liked, market, 'b' AS model
    FROM (SELECT *, ROW_NUMBER() OVER () AS range FROM a);
CREATE TABLE merged AS FROM a UNION ALL FROM b;
CREATE TABLE shown AS SELECT 's' || s AS request_id, 'i' || i AS item_id, i AS position, 'm' || (s % 2) AS market,
    CASE WHEN s < 20 THEN 'a' ELSE 'b' END AS arm FROM range(40) t(s), range(1, 4) v(i);
CREATE TABLE done AS SELECT request_id, item_id, 'click' AS event_type FROM shown
    WHERE position = 1 + hash(request_id) % 3;
"""
LISTS = {"query": "who", "relevant": "liked"}
SOURCES = [
    lambda: (rm.lists("a", **LISTS),),
    lambda: (rm.lists("a", **LISTS), {"b": rm.lists("b", **LISTS)}),
    lambda: (rm.lists("merged", **LISTS, run="model"),),
    lambda: (rm.events("shown", "done"),),
    lambda: (rm.events("shown", "done", arm="arm"),),
]
COMPARE = {"compare", "decompose", "movements"}
OF_SHOWN = {"ctr_by_position": (), "coec": (), "propensities": ("market",), "worst": ("market",)}


def ask(name, given, connection):
    """Asks a question of a source, or of two."""
    if name in OF_SHOWN:
        return getattr(rm, name)(given[0] if len(given) == 1 else given, *OF_SHOWN[name], connection=connection)
    runs = given if name in COMPARE or len(given) == 1 else ({"a": given[0], **given[1]},)
    more = {"baseline": "a"} if name in COMPARE else {}
    more |= {"by": "market"} if name == "decompose" else {"profile": "ranx"} if name == "explain" else {}
    more |= {"effect": 0.1} if name == "sample_size" else {}
    metrics = {} if name == "movements" else {"metric" if name in ("curve", "explain") else "metrics": "rr"}
    return getattr(rm, name)(*runs, **metrics, **more, connection=connection)


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as opened:
        opened.execute(TABLES)
        yield opened


@pytest.mark.parametrize("name", one_in(3, ROWS))
def test_each_cell_is_as_the_table_says(connection, name):
    *cells, command, macro = ROWS[name]
    for source, cell in zip(SOURCES, cells, strict=True):
        assert cell in ("yes", "no")
        if cell == "yes":
            quietly(ask, name, source(), connection)
            continue
        with pytest.raises(rm.UsageError):
            quietly(ask, name, source(), connection)
    options = {param.name for param in main.get_command(None, command.strip("`")).params}
    assert options >= KINDS.keys() | {"rules"}
    assert not macro or callable(macros()[macro.strip("`")])


@pytest.mark.parametrize("command", ["report", "sql"])
def test_the_other_commands_take_sources_too(command):
    assert {param.name for param in main.get_command(None, command).params} >= KINDS.keys() | {"rules"}
