"""ClickHouse inside this process (chdb), with the settings that a user finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from typing import ClassVar

from .base import Answer, Columns, Engine, Row, Type, plain_rows


class ClickHouse(Engine):
    """One engine in memory; a process can have no second one with another path."""

    name = "clickhouse"
    dialects = ("clickhouse",)
    packages = ("chdb", "clickhouse-connect")
    modules = ("chdb", "clickhouse_connect")
    types: ClassVar[Mapping[Type, str]] = {"text": "String", "double": "Float64", "bigint": "Int64"}

    def start(self, stack: ExitStack) -> None:
        """Connect, which starts it."""
        import clickhouse_connect

        self.connection = stack.enter_context(closing(clickhouse_connect.get_client(interface="chdb")))
        self.version = self.fetch("SELECT version()")[1][0][0]

    def hurry(self) -> None:
        """Compile nothing."""
        for what in ("expressions", "aggregate_expressions", "sort_description"):
            self.connection.set_client_setting(f"compile_{what}", 0)

    def load(self, table: str, columns: Columns, rows: Sequence[Row]) -> None:
        """A table; only the columns with NULLs are nullable, as ClickHouse advises."""
        kinds = [self.types[kind] for kind in columns.values()]
        holes = [any(row[place] is None for row in rows) for place in range(len(kinds))]
        kinds = [f"Nullable({kind})" if hole else kind for kind, hole in zip(kinds, holes, strict=True)]
        described = ", ".join(f"{name} {kind}" for name, kind in zip(columns, kinds, strict=True))
        self.connection.command(f"DROP TABLE IF EXISTS {table}")
        self.connection.command(f"CREATE TABLE {table} ({described}) ENGINE = MergeTree ORDER BY tuple()")
        if rows:
            self.connection.insert(table, [list(row) for row in rows], column_names=list(columns))

    def fetch(self, sql: str) -> Answer:
        """The answer to a statement."""
        result = self.connection.query(sql)
        return list(result.column_names), plain_rows(result.result_rows)
