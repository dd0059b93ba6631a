"""The tables that an evaluation stores in a database that a driver reaches, until it ends."""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from ..dialects import Dialect
from ..dialects.names import table_name
from ..errors import DatabaseError, RankmetricsWarning, UsageError
from .creation import create_empty_table, create_table, drop_table
from .drivers import Driver

# Types that a loaded column keeps; every other becomes text, a decimal too: as doubles, two ids could become one.
_LOADED = ("BIGINT", "BOOLEAN", "DATE", "DOUBLE", "TIMESTAMP", "VARCHAR")
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")


class Storage:
    """The tables that are stored, for as long as an evaluation lasts.

    Attributes:
        is_allowed: whether something may be stored at all.
    """

    def __init__(
        self, schema: str | None, dialect: Dialect, connected: Callable[[], AbstractContextManager[Driver]]
    ) -> None:
        """Stores nothing yet.

        Args:
            schema: where tables are to be, ``temp`` for temporary ones, or None: nothing is stored.
            dialect: what the database speaks.
            connected: gives a driver to use.

        Raises:
            UsageError: the dialect has no temporary tables.
        """
        self.is_allowed = schema is not None
        self._temporary = schema is not None and schema.lower() in ("", "temp")
        if self._temporary and not dialect.temporary_tables:
            raise UsageError(
                f"materialize: {dialect} has no temporary tables that a statement can read twice. Name a schema."
            )
        self._dialect, self._connected = dialect, connected
        self._place = "" if schema is None or self._temporary else f"{table_name(schema, dialect)}."
        self._numbers = itertools.count(1)
        self._token = os.urandom(4).hex()
        self._left: list[str] = []

    def __bool__(self) -> bool:
        """Whether something is stored."""
        return bool(self._left)

    def store_query(self, source: str, role: str = "query") -> str:
        """The name of a new table with the result of a query."""
        name = self._new_table(role)
        self._create(name, create_table(name, source, self._dialect, temporary=self._temporary))
        return name

    def store_rows(self, role: str, columns: Mapping[str, str], rows: Sequence[Any]) -> str:
        """The name of a new table with rows, whose columns have types as the dialect writes them."""
        name = self._new_table(role)
        self._create(name, create_empty_table(name, columns, self._dialect, temporary=self._temporary))
        with self._connected() as driver:
            driver.insert(name, columns, rows)
        return name

    def _new_table(self, role: str) -> str:
        return f"{self._place}rankmetrics_{self._token}_{role}_{next(self._numbers)}"

    def _create(self, name: str, statement: str) -> None:
        """Remembers the table before it is there, so that it goes whatever happens."""
        self._left.append(name)
        with self._connected() as driver:
            driver.execute(statement)

    def drop(self, label: str) -> None:
        """Removes what was stored; warns, by the label of the database, of what stays."""
        left, self._left = self._left, []
        for name in left:
            try:
                with self._connected() as driver:
                    driver.execute(drop_table(name))
            except DatabaseError as error:
                message = f"{name} could not be dropped from {label}: {error}. Drop it yourself."
                warnings.warn(message, RankmetricsWarning, stacklevel=3)


def stored_type(type_: str) -> str:
    """The type, in DuckDB's words, that a column of one of DuckDB's types has where it is stored."""
    if type_ in _INTEGERS:
        return "BIGINT"
    if type_ == "FLOAT":
        return "DOUBLE"
    return type_ if type_ in _LOADED else "VARCHAR"
