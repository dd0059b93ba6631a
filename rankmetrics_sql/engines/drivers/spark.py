"""SparkSession, classic and Connect, of Spark and of Databricks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
from uuid import uuid4

from .. import cancel
from . import estimates
from .base import Answer, Estimate
from .problems import is_missing, refusal
from .values import Batches, duckdb_type, empty_batch, plain_rows

T = TypeVar("T")


class Spark:
    """A SparkSession; there are no transactions. Statements carry a tag, by which they are interrupted."""

    timeout: float | None = None

    def __init__(self, session: Any, dialect: str, label: str) -> None:
        """Wraps a session.

        Args:
            session: the user's.
            dialect: spark or databricks.
            label: what to call it.
        """
        self.session = session
        self.dialect = dialect
        self.label = label
        self._tag = ""

    def __repr__(self) -> str:
        return f"<{self.label}>"

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

    def atomically(self, statements: Sequence[str]) -> None:
        """See ``Driver.atomically``."""
        for sql in statements:
            self.execute(sql)

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

    def has_table(self, relation: str) -> bool:
        """See ``Driver.has_table``."""
        try:
            self.describe(relation)
        except Exception as error:
            if is_missing(error):
                return False
            raise
        return True

    def estimate(self, sql: str) -> Estimate | None:
        """See ``Driver.estimate``."""
        return estimates.estimate(self.dialect, sql, self.fetch)

    def cancel(self) -> None:
        """See ``Driver.cancel``."""
        if self._is_remote:
            self.session.interruptTag(self._tag)
        else:
            self.session.sparkContext.cancelJobsWithTag(self._tag)

    def close(self) -> None:
        """See ``Driver.close``; the session is the user's."""

    def _translated(self, call: Callable[[], T], sql: str) -> T:
        self._tag = f"rankmetrics-{uuid4()}"
        try:
            return cancel.run(lambda: self._tagged(call, self._tag), self.cancel, self.timeout, sql)
        except Exception as error:  # noqa: BLE001 - the session raises whatever it likes
            raise refusal(error, sql) from None

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
