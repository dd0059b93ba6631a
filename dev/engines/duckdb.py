"""DuckDB: what everything else is compared with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from typing import ClassVar

from .base import Columns, Row, Server, Type
from .piped import Apart
from .servers import workplace


class DuckDb(Server):
    """The DuckDB of this process, in a file, so that a URL reaches the same tables."""

    name = "duckdb"
    dialects = ("duckdb",)
    types: ClassVar[Mapping[Type, str]] = {"text": "VARCHAR", "double": "DOUBLE", "bigint": "BIGINT"}

    def start(self, stack: ExitStack) -> None:
        """Open it."""
        import duckdb

        file = stack.enter_context(workplace("duckdb")) / "tests.duckdb"
        self.connection = stack.enter_context(closing(duckdb.connect(str(file))))
        self.version = duckdb.__version__
        self.url = f"duckdb:///{file}"

    def load(self, table: str, columns: Columns, rows: Sequence[Row]) -> None:
        """A table; its rows are one parameter of JSON, because DuckDB 1 takes a millisecond for each of many."""
        self.create(table, columns)
        named = json.dumps([dict(zip(columns, row, strict=True)) for row in rows])
        structure = json.dumps([{name: self.types[kind] for name, kind in columns.items()}])
        with closing(self.connection.cursor()) as cursor:
            cursor.execute(f"INSERT INTO {table} SELECT unnest(from_json(?, ?), recursive := true)", [named, structure])


class OldDuckDb(Apart):
    """The newest 1.x."""

    name = "duckdb-1"
    dialects = ("duckdb",)
    inner = "duckdb"

    def start(self, stack: ExitStack) -> None:
        """Start its process."""
        self.begin(stack)
