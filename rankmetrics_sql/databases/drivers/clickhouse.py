"""ClickHouse: clickhouse_connect's client (a server, or chdb in this process), and chdb's own sessions."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar
from uuid import uuid4

from ...dialects import check_dialect
from ...dialects.names import literal, looks_like_query, unquoted
from ...errors import DatabaseError
from .base import Answer
from .connected import Connected
from .values import arrow_type, duckdb_type, empty_batch, plain_rows

T = TypeVar("T")

_ROWS = 50_000  # of one insert


class _ClickHouse(Connected):
    """What is common: KILL QUERY cancels."""

    dialect = check_dialect("clickhouse")

    def __init__(self, client: Any, label: str, **common: Any) -> None:
        super().__init__(label, **common)
        self.client = client

    def look(self, relation: str) -> None:
        """Fails if the relation is not there."""
        self.fetch(f"SELECT 1 FROM {relation} WHERE 1 = 0")


class ClickHouse(_ClickHouse):
    """clickhouse_connect's client. Statements carry a comment in their settings, by which KILL QUERY finds them."""

    _comment = ""

    def fetch(self, sql: str) -> Answer:
        """See ``Driver.fetch``."""

        def call() -> Answer:
            result = self.client.query(sql, settings=self._settings())
            names = list(result.column_names) or list(self._columns(sql))  # the client forgets them where no row is
            return names, plain_rows(result.result_rows)

        return self._translated(call, sql)

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """See ``Driver.batches``."""
        with contextlib.ExitStack() as stack:

            def start() -> Iterator[Any]:
                settings = {**self._settings(), "max_block_size": size}
                stream = self.client.query_arrow_stream(sql, settings=settings, use_strings=True)
                return iter(stack.enter_context(stream))

            batches = self._translated(start, sql)
            batch = self._translated(lambda: next(batches, None), sql)
            if batch is None:  # the client gives nothing at all then
                yield empty_batch(self.client.query_arrow(sql, use_strings=True).schema)
            while batch is not None:
                yield batch
                batch = self._translated(lambda: next(batches, None), sql)

    def execute(self, sql: str) -> None:
        """See ``Driver.execute``."""
        self._translated(lambda: self.client.command(sql, settings=self._settings()), sql)

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """See ``Driver.insert``."""
        names, remaining = [unquoted(name, self.dialect) for name in columns], iter(rows)

        def call() -> None:
            while chunk := [list(row) for row in islice(remaining, _ROWS)]:
                self.client.insert(table, chunk, column_names=names)

        self._translated(call, f"INSERT INTO {table}")

    def describe(self, relation: str) -> dict[str, str]:
        """See ``Driver.describe``."""
        sql = f"SELECT * FROM {relation} WHERE 1 = 0"
        return self._translated(lambda: self._columns(sql), sql)

    def cancel(self) -> None:
        """See ``Driver.cancel``; in a session of its own, because one session runs one statement at a time."""
        sql = f"KILL QUERY WHERE Settings['log_comment'] = '{self._comment}' ASYNC"
        if type(self.client).__name__ == "ChdbClient":
            with contextlib.closing(type(self.client)(path=self.client.path)) as second:
                second.command(sql)
        else:
            self.client.command(sql, settings={"session_id": str(uuid4())})

    def _columns(self, sql: str) -> dict[str, str]:
        if not looks_like_query(sql):
            return {}
        rows = self.client.query(f"DESCRIBE TABLE (\n{sql}\n)", settings=self._settings()).result_rows
        return {row[0]: duckdb_type(row[1]) for row in rows}

    def _translated(self, call: Callable[[], T], sql: str) -> T:
        """The server repeats the statement with the comment, which is none of the user's."""
        try:
            return super()._translated(call, sql)
        except DatabaseError as error:
            raise DatabaseError(
                str(error).replace(f" SETTINGS log_comment = '{self._comment}'", ""), error.sql
            ) from None

    def _settings(self) -> dict[str, Any]:
        self._comment = f"rankmetrics {uuid4()}"
        return {"log_comment": self._comment}


class Chdb(_ClickHouse):
    """chdb's Session or Connection, which have ``query(sql, format)``; only a Session's statements can be cancelled."""

    _sql = ""

    def fetch(self, sql: str) -> Answer:
        """See ``Driver.fetch``."""
        table = self._table(sql)
        return list(table.column_names), plain_rows(zip(*(column.to_pylist() for column in table.columns), strict=True))

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """See ``Driver.batches``; the whole result is in this process anyway."""
        table = self._table(sql)
        yield from table.to_batches(size) or [empty_batch(table.schema)]

    def execute(self, sql: str) -> None:
        """See ``Driver.execute``."""
        self._translated(lambda: self.client.query(sql), sql)

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """See ``Driver.insert``; there are no parameters, so values become text."""
        remaining = iter(rows)
        into = f"INSERT INTO {table} ({', '.join(columns)}) VALUES "
        while chunk := list(islice(remaining, _ROWS)):
            self.execute(into + ", ".join(f"({', '.join(map(self._value, row))})" for row in chunk))

    def describe(self, relation: str) -> dict[str, str]:
        """See ``Driver.describe``."""
        schema = self._table(f"SELECT * FROM {relation} WHERE 1 = 0").schema
        return {field.name: arrow_type(field.type) for field in schema}

    def cancel(self) -> None:
        """See ``Driver.cancel``; over a second connection to the same data, which only a Session tells how to open."""
        place = getattr(self.client, "_conn_str", None)
        if place is None:
            return
        with contextlib.closing(sys.modules["chdb"].connect(place)) as second:
            second.query(f"KILL QUERY WHERE startsWith(query, {literal(self._sql, self.dialect)}) ASYNC")

    def _table(self, sql: str) -> Any:
        self._sql = sql

        def call() -> Any:
            try:
                return self.client.query(sql, "ArrowTable")
            except Exception:
                with contextlib.suppress(Exception):  # the next answer begins with what is left of a cancelled one
                    self.client.query("SELECT 1", "ArrowTable")
                raise

        return self._translated(call, sql)

    def _value(self, value: Any) -> str:
        if value is None:
            return "NULL"
        return literal(value, self.dialect) if isinstance(value, str) else repr(value)
