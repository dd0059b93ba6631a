"""Every engine of the tests starts, gives hurtful values back unchanged, and leaves no process behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dev import engines
from dev.engines.piped import ROOT

COLUMNS = {"query_id": "text", "item_id": "text", "score": "double", "grade": "bigint"}
HURTFUL = [
    ("q001", "😀", 0.1, 1),
    ("Q001", "é", 0.1 + 1e-9, None),  # no tie, but in float32
    ("q001 ", "e\u0301", 1e308, 2**62),
    ("", "Ａ", 5e-324, -1),
    ("NULL", "\\N", -1e308, 0),
    ("%s :x ?", 'it\'s "x" \\ `y`', 0.1 + 0.2, 3),
    ("007", "a\tb\nc", -2.5, None),
]
WINDOW = """
SELECT query_id, COUNT(*) AS n, COUNT(grade) AS judged, SUM(rnk * score) AS total, MIN(grade) AS least
FROM (
    SELECT query_id, grade, score, ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY score DESC) AS rnk FROM hurtful
) ranked
WHERE rnk <= 2
GROUP BY query_id
"""
# Runs an engine in a process of its own, which fails while it uses it.
FAILING = """
import sys
from dev import engines
from tests.engines import test_engines_start
with engines.start(sys.argv[1]) as engine:
    assert engine.fetch("SELECT 1 AS one") == (["one"], [(1,)])
    print(*test_engines_start.marked(sys.argv[2]))
    raise RuntimeError("something else went wrong")
"""


@pytest.mark.parametrize("engine", engines.ENGINES, indirect=True)
def test_values_come_back_unchanged(engine):
    engine.load("hurtful", COLUMNS, HURTFUL)
    names, rows = engine.fetch("SELECT query_id, item_id, score, grade FROM hurtful")
    assert names == list(COLUMNS)
    assert sorted(rows, key=repr) == sorted(HURTFUL, key=repr)


@pytest.mark.parametrize("engine", engines.ENGINES, indirect=True)
def test_a_table_is_replaced_and_ranked(engine):
    engine.load("hurtful", COLUMNS, HURTFUL)
    engine.load("hurtful", COLUMNS, [("q", f"d{n}", n / 2, n if n % 2 else None) for n in range(3000)])
    names, rows = engine.fetch(WINDOW)
    assert names == ["query_id", "n", "judged", "total", "least"]
    assert rows == [("q", 2, 1, 1 * 2999 / 2 + 2 * 2998 / 2, 2999)]
    assert [type(value) for value in rows[0]] == [str, int, int, float, int]
    assert engine.version


def marked(mark: str) -> list[int]:
    """The processes whose environment has that text, which children inherit."""
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in environment.read_bytes():
                found.append(int(environment.parent.name))
        except (PermissionError, FileNotFoundError, ProcessLookupError):
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in Linux's /proc")
@pytest.mark.parametrize("name", engines.ENGINES)
def test_no_process_is_left_when_a_test_fails(name, need_engine, tmp_path):
    need_engine(name)
    mark = str(tmp_path)
    command = [sys.executable, "-c", FAILING, name, mark]
    environment = os.environ | {"RANKMETRICS_MARK": mark}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.stderr.rstrip().endswith("RuntimeError: something else went wrong"), done.stderr
    assert done.stdout.split()  # it saw itself at least
    assert marked(mark) == []


def test_an_unknown_engine_is_named():
    with pytest.raises(engines.EngineError, match="no engine is called 'oracle'; there are duckdb, duckdb-1, sqlite"):
        engines.start("oracle")
