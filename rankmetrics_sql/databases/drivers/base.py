"""What every driver can do, whatever the database: the interface, and what an engine says it would read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ...dialects import Dialect

Row = tuple[Any, ...]
Answer = tuple[list[str], list[Row]]  # names of columns, rows


@dataclass(frozen=True)
class Estimate:
    """What an engine expects of a statement that it has not run.

    Attributes:
        rows: how many rows it would read, if it says so.
        bytes: how many bytes it would read, if it says so.
        text: what it said.
    """

    rows: int | None
    bytes: int | None
    text: str


class Driver(Protocol):
    """A way to reach a database.

    A transaction that the user has open on the connection is neither committed nor rolled back, and an error in a
    statement of ours does not break it, where the database has savepoints.

    Attributes:
        dialect: what to write statements in.
        label: what to call it in messages: without passwords and the like.
        timeout: the seconds that a statement may take, and then each batch of its rows; None for any time.
    """

    dialect: Dialect
    label: str
    timeout: float | None

    def fetch(self, sql: str) -> Answer:
        """Runs a query.

        Args:
            sql: the statement.

        Returns:
            The names of its columns, and its rows as plain values of Python.

        Raises:
            DatabaseError: the database refused it, or the time is over.
        """

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """Runs a query whose rows come as Arrow record batches, as they arrive where the driver can do that.

        Until the last one is taken or the iterator is closed, the connection may be of no other use.

        Args:
            sql: the statement.
            size: about how many rows a batch has.

        Raises:
            DatabaseError: the database refused it, or the time is over.
            UsageError: pyarrow is not installed.
        """

    def execute(self, sql: str) -> None:
        """Runs a statement that has no rows, such as CREATE or INSERT.

        It is committed, unless it belongs to a transaction that the user has open.
        """

    def atomically(self, statements: Sequence[str]) -> None:
        """Runs all of the statements or none, where CREATE and DROP are transactional; else one after the other."""

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """Adds rows to a table.

        Args:
            table: its name as SQL.
            columns: the names of its columns as SQL, and their types in the database's words.
            rows: the values, of Python, in the columns' order.
        """

    def describe(self, relation: str) -> dict[str, str]:
        """The columns of a relation and their types, in DuckDB's words where it has one, else in the database's.

        Args:
            relation: what can stand behind FROM.
        """

    def has_table(self, relation: str) -> bool:
        """Whether there is a table or view of that name.

        Args:
            relation: its name as SQL.

        Raises:
            DatabaseError: the database refuses to say, or anything else is the matter.
        """

    def estimate(self, sql: str) -> Estimate | None:
        """What the database expects of a query, which is not run; None where it says nothing."""

    def cancel(self) -> None:
        """Stops the statement that is running, from another thread, on the server too."""

    def close(self) -> None:
        """Closes what we opened ourselves, never the user's connection."""
