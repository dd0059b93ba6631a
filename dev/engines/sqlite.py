"""SQLite, as Python brings it."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any, ClassVar

from .base import Columns, Row, Server, Type
from .servers import workplace

# Mathematics that SQLite has only if it was built so (SQLITE_ENABLE_MATH_FUNCTIONS).
FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "ln": (1, math.log),
    "exp": (1, math.exp),
    "sqrt": (1, math.sqrt),
    "power": (2, math.pow),
    "pow": (2, math.pow),
    "floor": (1, math.floor),
    "ceil": (1, math.ceil),
    "mod": (2, math.fmod),
}


class Sqlite(Server):
    """A file, so that a URL reaches the same tables."""

    name = "sqlite"
    dialects = ("sqlite",)
    types: ClassVar[Mapping[Type, str]] = {"text": "TEXT", "double": "REAL", "bigint": "INTEGER"}
    placeholder = "?"

    def start(self, stack: ExitStack) -> None:
        """Open it."""
        file = stack.enter_context(workplace("sqlite")) / "tests.db"
        self.connection = stack.enter_context(closing(sqlite3.connect(file, isolation_level=None)))
        self.version = sqlite3.sqlite_version
        self.url = f"sqlite:///{file}"
        add_mathematics(self.connection)

    def load(self, table: str, columns: Columns, rows: Sequence[Row]) -> None:
        """A table, in one transaction: each costs a write to the disk."""
        self.run("BEGIN")
        super().load(table, columns, rows)
        self.run("COMMIT")


def add_mathematics(connection: sqlite3.Connection) -> None:
    """Python's functions in place of those that this SQLite lacks; NULL stays NULL."""
    present = {row[0] for row in connection.execute("SELECT name FROM pragma_function_list")}
    for name in FUNCTIONS.keys() - present:
        arguments, function = FUNCTIONS[name]
        connection.create_function(name, arguments, nullable(function), deterministic=True)


def nullable(function: Callable[..., float]) -> Callable[..., float | None]:
    """As SQLite's own: NULL for NULL, and where the function is not defined."""

    def call(*values: Any) -> float | None:
        try:
            return None if None in values else function(*values)
        except (ValueError, ZeroDivisionError, OverflowError):
            return None

    return call
