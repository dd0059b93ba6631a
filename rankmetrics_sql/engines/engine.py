"""The engine of an evaluation: everything that it knows about the database that runs it."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

from ..dialects import Dialect
from ..rows import Estimate, Row

if TYPE_CHECKING:
    from .duckdb.engine import DuckDB


class Engine(Protocol):
    """The database that runs an evaluation. A ``with`` block holds it, and removes what was loaded at its end.

    Attributes:
        own: whether it is our own DuckDB, which holds nothing of the user's.
        dialect: whose SQL it runs.
        counts_judgments: whether strategy=auto looks at the judgments.
        tries_casts: whether text that is no number can be told from text that is one.
        is_connected: whether statements run, rather than being only written.
    """

    own: bool
    dialect: Dialect
    counts_judgments: bool
    tries_casts: bool
    is_connected: bool

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...

    def close(self) -> None:
        """Gives back what we opened; asked once more, we open it for that."""

    @property
    def knows_columns(self) -> bool:
        """Whether ``describe`` can say what columns a relation has."""

    @property
    def takes_files(self) -> bool:
        """Whether files and Python objects can be read."""

    @property
    def stores_queries(self) -> bool:
        """Whether a query of the user's runs once and is stored, rather than being read several times."""

    @property
    def visiting(self) -> bool:
        """Whether something is in the user's session that ``forget`` is to remove."""

    @property
    def loaded_objects(self) -> Sequence[str]:
        """The names, as statements have them, of tables that hold a Python object for as long as a call takes."""

    def table(self, text: str) -> str | None:
        """A table of the user's as SQL, or None where there is no such table."""

    def query(self, text: str) -> str:
        """A query of the user's as SQL."""

    def query_columns(self, text: str, described: Sequence[str]) -> list[str]:
        """Return the column names of a user's query, some of which may be renamed."""

    def local(self, label: str) -> DuckDB:
        """The DuckDB that reads files and Python objects."""

    def take(self, role: str, local: DuckDB, select: str) -> str:
        """Return the rows of a query in that DuckDB as a relation that statements can read."""

    def store(self, role: str, text: str) -> str | None:
        """Stores the rows of a statement for as long as the evaluation takes; None where nothing may be stored."""

    def column(self, name: str) -> str:
        """A column of that very name in statements."""

    def describe(self, relation: str) -> dict[str, str]:
        """The columns of a relation as it stands in statements, and their types."""

    def collated(self, relation: str, types: Mapping[str, str]) -> list[str]:
        """Return the columns of a relation in which texts of different bytes can be equal."""

    def is_number(self, type_: str) -> bool:
        """Whether a column of the type, which is one of DuckDB's for numbers, can be cast to a double."""

    def run(self, text: str) -> tuple[list[str], list[Row]]:
        """Runs a statement of its own dialect: the names of its columns, and its rows."""

    def batches(self, text: str, size: int) -> Generator[Any, None, None]:
        """Runs a statement; its rows come as Arrow record batches."""

    def as_numbers(self, rows: Sequence[Row], types: Mapping[int, type]) -> Sequence[Row]:
        """The rows with floats or integers in some places."""

    def estimate(self, text: str) -> Estimate | None:
        """Return what the engine expects a statement to read."""

    def create(self, kind: str, name: str, text: str, *, replace: bool) -> None:
        """Leaves the result of a statement in the database, whole or not at all."""

    def change(self, statements: Sequence[str]) -> None:
        """Run statements that change the database: all or none, where the database has such transactions."""
