"""What many tests need: quiet warnings of our own, scoring in one call, and random data that hurts."""

from __future__ import annotations

import gc
import random
import signal
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result

import rankmetrics_sql as rm
from dev.engines.plugin import engine, need_engine, start_engine
from rankmetrics_sql.cli import main
from rankmetrics_sql.report import contents
from rankmetrics_sql.report.contents import Figure

from .everything import (
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_sessionfinish,
    pytest_terminal_summary,
    pytest_testnodedown,
)
from .parts import pytest_runtest_logreport, pytest_runtest_protocol

__all__ = [  # pytest's, by being here
    "engine",
    "need_engine",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_runtest_logreport",
    "pytest_runtest_protocol",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
    "pytest_testnodedown",
    "start_engine",
]


def pytest_collection_finish() -> None:
    """What was collected stays until the end: Python need not look through it again and again for what is left over.

    Statements are trees of thousands of nodes, of which little is left over: to look each time that there are 700 new
    ones takes a tenth of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


DEMO = Path(rm.__file__).parent / "demo"
RUN, QRELS = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 1, "c": 2, "d": 1}}


def quietly(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a function without our own warnings, which other tests are about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmetricsWarning)
        return function(*args, **kwargs)


def per_query(run: Any, qrels: Any, metrics: list[str], **options: Any) -> dict[Any, dict[str, float]]:
    """Query to metric to value."""
    result = quietly(rm.evaluate, run, qrels, metrics, **{"check": "none", **options})
    return {row["query_id"]: {metric: row[metric] for metric in result.metrics} for row in result.per_query.dicts()}


def value(run: Any, qrels: Any, metric: str, **options: Any) -> float | None:
    """The summary's value of one metric."""
    [row] = quietly(rm.evaluate, run, qrels, [metric], **{"check": "none", **options}).summary.dicts()
    return row["value"]


def fill(connection: Any, table: str, rows: Iterable[Sequence[Any]]) -> None:
    """Inserts rows; into DuckDB's tables all at once, because its ``executemany`` takes half a millisecond for each."""
    rows = list(rows)
    if isinstance(connection, duckdb.DuckDBPyConnection):
        columns = [list(column) for column in zip(*rows, strict=True)]
        places = ", ".join(f"unnest(${number})" for number in range(1, len(columns) + 1))
        connection.execute(f"INSERT INTO {table} SELECT {places}", columns)
    else:
        connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def alike(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows whose numbers may differ in what the order of a sum leaves: which rows were there decides that order."""
    return [
        tuple(pytest.approx(value, rel=1e-12, abs=1e-12) if isinstance(value, float) else value for value in row)
        for row in rows
    ]


@pytest.fixture
def cli():
    """Runs the command line: ``cli("evaluate", "x.run", ...)``."""

    def run(*arguments: Any, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)

    return run


@pytest.fixture
def undrawn(monkeypatch):
    """Reports have no pictures, which take longer than all else: for what stands in tables and in words.

    Each kind of chart is drawn in test_charts.py; those of a comparison, of one run and of segments in test_report.py.
    """

    def figure(title, chart, _number):
        chart.to_json()  # what it is made of is checked
        return Figure(title, "<svg></svg>", str(chart.description or title))

    monkeypatch.setattr(contents, "render_figure", figure)


@pytest.fixture
def hears_ctrl_c():
    """A job in the background begins deaf to it, and would wait for ever."""
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, heard)


ITEMS = [
    "d1",
    "d10",
    "d2",
    "D1",
    "é",
    "e\u0301",
    "Ａ",
    "😀",
    "it em",
    "x;y",
    "d'9",
    "ß",
    *(f"n{number}" for number in range(40)),
]


def random_data(
    seed: int, *, n_queries: int = 30, negative: bool = False
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Graded, tied, incomplete, unicode: few distinct scores, queries that one side lacks, nothing relevant."""
    rng = random.Random(seed)
    run, qrels = {}, {}
    grades = [-1, 0, 0, 0, 1, 2, 3] if negative else [0, 0, 0, 1, 2, 3]
    for number in range(n_queries):
        query = f"{'q' if number % 2 else 'Q'}{number // 2}"
        if rng.random() < 0.9:
            items = rng.sample(ITEMS, rng.randint(1, len(ITEMS)))
            run[query] = {item: rng.choice([0.125, 0.25, 0.5, 1.0, -3.0, rng.randrange(1000) / 8]) for item in items}
        if rng.random() < 0.9:
            items = rng.sample(ITEMS, rng.randint(1, 25))
            qrels[query] = {item: 0 if number % 7 == 0 else rng.choice(grades) for item in items}
    return run, qrels
