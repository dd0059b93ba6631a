"""ClickHouse: clickhouse_connect's client (a server, or chdb in this process), and chdb's own sessions."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar
from uuid import uuid4

from ..dialects.names import literal, looks_like_query, unquoted
from ..errors import DatabaseError
from ..rows import Answer
from . import cancel
from .addresses import Address
from .base import Driver, Family, is_a, modules_of
from .values import arrow_type, duckdb_type, empty_batch, plain_rows, slices

T = TypeVar("T")

_ROWS = 50_000  # in an insert


class ClickHouse(Driver):
    """clickhouse_connect's client. Statements carry a comment in their settings, by which KILL QUERY finds them."""

    _comment = ""

    @classmethod
    def open(cls, family: Family, address: Address, *, writable: bool) -> Any | None:
        """Open for reading only, which SQLAlchemy cannot; ``clickhouses://`` or ``secure=true`` for TLS."""
        if address.package not in ("", "connect", "http", "https"):
            return None
        package = family.packages[0].load(address.scheme)
        secure = address.package == "https" or address.url.startswith("clickhouses://")
        arguments = {"host": address.host, "port": address.port, "username": address.user, "password": address.password}
        arguments |= {"database": address.path, "secure": secure}
        arguments |= {**family.packages[0].introduction(address), **address.options}
        settings = {} if writable else {"readonly": 2}  # 2: settings may be set, all but this one
        return package.get_client(**{name: value for name, value in arguments.items() if value}, settings=settings)

    @classmethod
    def within(cls, connection: Any) -> Any:
        return connection if is_a(connection, "clickhouse_connect.driver", "Client") else connection.client

    def fetch(self, sql: str) -> Answer:
        def call() -> Answer:
            result = self.connection.query(sql, settings=self._settings())
            names = list(result.column_names) or list(self._columns(sql))  # lost where there are no rows
            return names, plain_rows(result.result_rows)

        return self._translate_errors(call, sql)

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        with contextlib.ExitStack() as stack:

            def start() -> Iterator[Any]:
                settings = {**self._settings(), "max_block_size": size}
                stream = self.connection.query_arrow_stream(sql, settings=settings, use_strings=True)
                return iter(stack.enter_context(stream))

            batches = self._translate_errors(start, sql)
            batch = self._translate_errors(lambda: next(batches, None), sql)
            if batch is None:  # the client yields nothing for no rows
                yield empty_batch(self.connection.query_arrow(sql, use_strings=True).schema)
            while batch is not None:
                yield batch
                batch = self._translate_errors(lambda: next(batches, None), sql)

    def execute(self, sql: str) -> None:
        self._translate_errors(lambda: self.connection.command(sql, settings=self._settings()), sql)

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        names, remaining = [unquoted(name, self.dialect) for name in columns], iter(rows)

        def call() -> None:
            while chunk := list(zip(*islice(remaining, _ROWS), strict=True)):
                self.connection.insert(table, chunk, column_names=names, column_oriented=True)

        self._translate_errors(call, f"INSERT INTO {table}")

    def describe(self, relation: str) -> dict[str, str]:
        sql = f"SELECT * FROM {relation} WHERE 1 = 0"
        return self._translate_errors(lambda: self._columns(sql), sql)

    def check_exists(self, relation: str) -> None:
        self.fetch(f"SELECT 1 FROM {relation} WHERE 1 = 0")

    def cancel(self) -> None:
        """Kill the query in a second session, because a session runs one statement at a time."""
        sql = f"KILL QUERY WHERE Settings['log_comment'] = '{self._comment}' ASYNC"
        if type(self.connection).__name__ == "ChdbClient":
            with contextlib.closing(type(self.connection)(path=self.connection.path)) as second:
                second.command(sql)
        else:
            self.connection.command(sql, settings={"session_id": str(uuid4())})

    def _columns(self, sql: str) -> dict[str, str]:
        if not looks_like_query(sql):
            return {}
        rows = self.connection.query(f"DESCRIBE TABLE (\n{sql}\n)", settings=self._settings()).result_rows
        return {row[0]: duckdb_type(row[1]) for row in rows}

    def _translate_errors(self, call: Callable[[], T], sql: str) -> T:
        """Make a call, and leave our comment out of its error, in which the server repeats the statement."""
        try:
            return super()._translate_errors(call, sql)
        except DatabaseError as error:
            error.args = (str(error).replace(f" SETTINGS log_comment = '{self._comment}'", ""),)
            raise

    def _settings(self) -> dict[str, Any]:
        self._comment = f"rankmetrics {uuid4()}"
        return {"log_comment": self._comment}


class Chdb(Driver):
    """chdb's Session or Connection, which have ``query(sql, format)``; only a Session's statements can be cancelled."""

    _sql = ""
    patience = cancel.LOCAL_PATIENCE

    @classmethod
    def within(cls, connection: Any) -> Any:
        return connection._conn if "chdb.dbapi" in modules_of(connection) else connection

    def fetch(self, sql: str) -> Answer:
        table = self._table(sql)
        return list(table.column_names), plain_rows(zip(*(column.to_pylist() for column in table.columns), strict=True))

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """Yield slices of the whole result, which is in this process anyway."""
        yield from slices(self._table(sql), size)

    def execute(self, sql: str) -> None:
        self._translate_errors(lambda: self.connection.query(sql), sql)

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """Write the values as SQL: there are no parameters."""
        remaining = iter(rows)
        into = f"INSERT INTO {table} ({', '.join(columns)}) VALUES "
        while chunk := list(islice(remaining, _ROWS)):
            self.execute(into + ", ".join(f"({', '.join(map(self._value, row))})" for row in chunk))

    def describe(self, relation: str) -> dict[str, str]:
        schema = self._table(f"SELECT * FROM {relation} WHERE 1 = 0").schema
        return {field.name: arrow_type(field.type) for field in schema}

    def check_exists(self, relation: str) -> None:
        self.fetch(f"SELECT 1 FROM {relation} WHERE 1 = 0")

    def cancel(self) -> None:
        """Kill the query over a second connection to the same data, whose path only a Session has."""
        path = getattr(self.connection, "_conn_str", None)
        if path is None:
            return
        with contextlib.closing(sys.modules["chdb"].connect(path)) as second:
            second.query(f"KILL QUERY WHERE startsWith(query, {literal(self._sql, self.dialect)}) ASYNC")

    def _table(self, sql: str) -> Any:
        self._sql = sql

        def call() -> Any:
            try:
                return self.connection.query(sql, "ArrowTable")
            except Exception:
                with contextlib.suppress(Exception):  # the next answer begins with what is left of a cancelled one
                    self.connection.query("SELECT 1", "ArrowTable")
                raise

        return self._translate_errors(call, sql)

    def _value(self, value: Any) -> str:
        if value is None:
            return "NULL"
        return literal(value, self.dialect) if isinstance(value, str) else repr(value)
