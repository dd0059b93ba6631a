"""SparkSession, classic and Connect, of Spark and of Databricks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
from uuid import uuid4

from ...dialects import Dialect
from .base import Answer
from .connected import Connected
from .values import Batches, duckdb_type, empty_batch, plain_rows

T = TypeVar("T")


class Spark(Connected):
    """A SparkSession; there are no transactions. Statements carry a tag, by which they are interrupted."""

    def __init__(self, session: Any, dialect: Dialect, label: str) -> None:
        """Wraps a session.

        Args:
            session: the user's.
            dialect: Spark's or Databricks's.
            label: what to call it.
        """
        super().__init__(label)
        self.session = session
        self.dialect = dialect
        self._tag = ""

    def fetch(self, sql: str) -> Answer:
        """See ``Driver.fetch``."""

        def call() -> Answer:
            frame = self.session.sql(sql)
            return list(frame.columns), plain_rows(frame.collect())

        return self._translated(call, sql)

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """See ``Driver.batches``; Spark sends the whole result, as Arrow since version 4."""

        def call() -> list[Any]:
            frame = self.session.sql(sql)
            if hasattr(frame, "toArrow"):
                table = frame.toArrow()
                return table.to_batches(size) or [empty_batch(table.schema)]
            types = [duckdb_type(field.dataType.simpleString()) for field in frame.schema.fields]
            return [Batches(frame.columns, types).batch(plain_rows(frame.collect()))]

        yield from self._translated(call, sql)

    def execute(self, sql: str) -> None:
        """See ``Driver.execute``; Spark runs commands at once."""
        self._translated(lambda: self.session.sql(sql), sql)

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """See ``Driver.insert``."""
        schema = ", ".join(f"{name} {type_}" for name, type_ in columns.items())

        def call() -> None:
            values = [tuple(row) for row in rows]
            if values:
                self.session.createDataFrame(values, schema).write.insertInto(table)

        self._translated(call, f"INSERT INTO {table}")

    def describe(self, relation: str) -> dict[str, str]:
        """See ``Driver.describe``."""
        sql = f"SELECT * FROM {relation} WHERE 1 = 0"
        schema = self._translated(lambda: self.session.sql(sql).schema, sql)
        return {field.name: duckdb_type(field.dataType.simpleString()) for field in schema.fields}

    def cancel(self) -> None:
        """See ``Driver.cancel``."""
        if self._is_remote:
            self.session.interruptTag(self._tag)
        else:
            self.session.sparkContext.cancelJobsWithTag(self._tag)

    def watched(self, call: Callable[[], T], sql: str) -> T:
        """Under a tag of its own."""
        self._tag = f"rankmetrics-{uuid4()}"
        return super().watched(lambda: self._tagged(call, self._tag), sql)

    def _tagged(self, call: Callable[[], T], tag: str) -> T:
        """The tag belongs to the thread, so it is set in the one that runs the statement."""
        if self._is_remote:
            add, remove = self.session.addTag, self.session.removeTag
        else:  # the classic session's own tags can be interrupted by the same thread only
            add, remove = self.session.sparkContext.addJobTag, self.session.sparkContext.removeJobTag
        add(tag)
        try:
            return call()
        finally:
            remove(tag)

    @property
    def _is_remote(self) -> bool:
        """Whether it is Spark Connect's."""
        return type(self.session).__module__.startswith("pyspark.sql.connect")
