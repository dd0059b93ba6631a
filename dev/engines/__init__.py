"""Every engine that the tests run text in: what installs it, starts it and speaks to it."""

from __future__ import annotations

from .base import Columns, Engine, EngineError
from .clickhouse import ClickHouse
from .datafusion import DataFusion
from .duckdb import DuckDb, OldDuckDb
from .googlesql import GoogleSql
from .mariadb import MariaDb
from .postgres import NewPostgres, Postgres
from .spark import Sail, Spark, SparkCluster
from .sqlite import Sqlite
from .trino import Trino

__all__ = ["ENGINES", "Columns", "Engine", "EngineError", "available", "missing", "start"]

ENGINES: dict[str, type[Engine]] = {
    engine.name: engine
    for engine in (
        DuckDb,
        OldDuckDb,
        Sqlite,
        Postgres,
        NewPostgres,
        MariaDb,
        ClickHouse,
        DataFusion,
        GoogleSql,
        Spark,
        SparkCluster,
        Sail,
        Trino,
    )
}


def missing(name: str) -> str | None:
    """What an engine needs and is not installed; None if nothing is."""
    return ENGINES[name].missing()


def available(name: str) -> bool:
    """Whether an engine is installed."""
    return missing(name) is None


def start(name: str) -> Engine:
    """An engine, to be used as a context manager."""
    if name not in ENGINES:
        raise EngineError(f"no engine is called {name!r}; there are {', '.join(ENGINES)}")
    if lack := missing(name):
        raise EngineError(f"{name} is not installed ({lack}): python -m dev.engines install {name}")
    return ENGINES[name]()
