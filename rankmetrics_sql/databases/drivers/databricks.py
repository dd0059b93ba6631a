"""Databricks by databricks.sql."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from .base import Through
from .dbapi import DbApi
from .values import empty_batch


class Databricks(DbApi):
    """There are no transactions."""

    connections: ClassVar[Mapping[str, str]] = {"databricks.sql": "databricks"}
    names: ClassVar[Mapping[str, str]] = {"databricks": "databricks"}
    schemes: ClassVar[Mapping[str, Sequence[Through]]] = {
        "databricks": [Through("", "databricks", "databricks-sqlalchemy")]
    }

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
            yield from table.to_batches() or [empty_batch(table.schema)]
            while table.num_rows:
                table = self._translated(lambda: cursor.fetchmany_arrow(size), sql)
                yield from table.to_batches()
