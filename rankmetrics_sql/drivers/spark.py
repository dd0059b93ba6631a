"""SparkSession, classic and Connect, of Spark and of Databricks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
from uuid import uuid4

from ..rows import Answer
from . import cancel
from .base import Driver
from .values import Batches, duckdb_type, plain_rows, slices

T = TypeVar("T")

_DATABRICKS = "databricks"
_VERSION_SETTING = "spark.databricks.clusterUsageTags.sparkVersion"


class Spark(Driver):
    """A SparkSession; there are no transactions. Statements carry a tag, by which they are interrupted."""

    _tag = ""
    patience = cancel.LOCAL_PATIENCE

    @classmethod
    def database(cls, connection: Any) -> str:
        """Return Databricks where the session has its version in a setting, else Spark."""
        if _DATABRICKS in str(connection.version).lower() or connection.conf.get(_VERSION_SETTING, None) is not None:
            return _DATABRICKS
        return "pyspark"

    @classmethod
    def label_of(cls, connection: Any) -> str:  # noqa: ARG003 - there is one kind
        return "the SparkSession"

    def fetch(self, sql: str) -> Answer:
        def call() -> Answer:
            frame = self.connection.sql(sql)
            return list(frame.columns), plain_rows(frame.collect())

        return self._translate_errors(call, sql)

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """Yield slices of the whole result, which Spark sends at once, as Arrow since version 4."""

        def call() -> list[Any]:
            frame = self.connection.sql(sql)
            if hasattr(frame, "toArrow"):
                return slices(frame.toArrow(), size)
            types = [duckdb_type(field.dataType.simpleString()) for field in frame.schema.fields]
            return [Batches(frame.columns, types).batch(plain_rows(frame.collect()))]

        yield from self._translate_errors(call, sql)

    def execute(self, sql: str) -> None:
        """Run a command, which Spark does at once."""
        self._translate_errors(lambda: self.connection.sql(sql), sql)

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        schema = ", ".join(f"{name} {type_}" for name, type_ in columns.items())

        def call() -> None:
            values = [tuple(row) for row in rows]
            if values:
                self.connection.createDataFrame(values, schema).write.insertInto(table)

        self._translate_errors(call, f"INSERT INTO {table}")

    def describe(self, relation: str) -> dict[str, str]:
        sql = f"SELECT * FROM {relation} WHERE 1 = 0"
        schema = self._translate_errors(lambda: self.connection.sql(sql).schema, sql)
        return {field.name: duckdb_type(field.dataType.simpleString()) for field in schema.fields}

    def cancel(self) -> None:
        if self._is_remote:
            self.connection.interruptTag(self._tag)
        else:
            self.connection.sparkContext.cancelJobsWithTag(self._tag)

    def watched(self, call: Callable[[], T], sql: str) -> T:
        """Run a statement under a tag of its own."""
        self._tag = f"rankmetrics-{uuid4()}"
        return super().watched(lambda: self._call_with_tag(call, self._tag), sql)

    def _call_with_tag(self, call: Callable[[], T], tag: str) -> T:
        """Make a call under a tag, which belongs to the thread that runs the statement."""
        if self._is_remote:
            add, remove = self.connection.addTag, self.connection.removeTag
        else:  # the classic session's own tags can be interrupted by the same thread only
            add, remove = self.connection.sparkContext.addJobTag, self.connection.sparkContext.removeJobTag
        add(tag)
        try:
            return call()
        finally:
            remove(tag)

    @property
    def _is_remote(self) -> bool:
        """Whether the session is of Spark Connect."""
        return type(self.connection).__module__.startswith("pyspark.sql.connect")
