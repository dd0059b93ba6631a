"""Apache DataFusion inside this process; its text is PostgreSQL's with a few words less."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from .base import Answer, Columns, Engine, Row, arrow_table, plain_rows


class DataFusion(Engine):
    """One session."""

    name = "datafusion"
    dialects = ("datafusion",)
    packages = ("datafusion", "pyarrow")
    modules = ("datafusion", "pyarrow")

    def start(self, stack: ExitStack) -> None:
        """Open a session."""
        import datafusion

        self.connection = datafusion.SessionContext()
        self.version = datafusion.__version__

    def load(self, table: str, columns: Columns, rows: Sequence[Row]) -> None:
        """A table in memory."""

        if self.connection.table_exist(table):
            self.connection.deregister_table(table)
        self.connection.register_record_batches(table, [arrow_table(columns, rows).to_batches()])

    def fetch(self, sql: str) -> Answer:
        """The answer to a statement."""
        result = self.connection.sql(sql).to_arrow_table()
        return result.column_names, plain_rows(zip(*(column.to_pylist() for column in result.columns), strict=True))
