"""Databricks by databricks.sql."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .base import Through
from .dbapi import DbApi
from .values import slices


class Databricks(DbApi):
    """There are no transactions."""

    modules = ("databricks.sql",)
    vendor = "databricks"
    schemes = ("databricks",)
    through = (Through("", "databricks", "databricks-sqlalchemy"),)

    def in_transaction(self) -> bool | None:
        """Never."""
        return False

    def end(self, word: str) -> None:
        """Every statement commits itself."""

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """The warehouse sends Arrow."""
        with contextlib.ExitStack() as stack:
            cursor = self._translated(lambda: stack.enter_context(self._ran(self.cursor, sql)), sql)
            table = self._translated(lambda: cursor.fetchmany_arrow(size), sql)
            yield from slices(table, size)
            while (table := self._translated(lambda: cursor.fetchmany_arrow(size), sql)).num_rows:
                yield from slices(table, size)
