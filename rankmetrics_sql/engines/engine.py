"""What an evaluation knows of its database: the relations that statements can read, and what runs them."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeGuard

from ..dialects import Dialect
from ..rows import Estimate, Replace, Row

if TYPE_CHECKING:
    from .duckdb.engine import DuckDB


class Catalog(Protocol):
    """The tables, queries and columns that statements can read; all that is needed to write statements.

    Attributes:
        is_ours: whether it is our own DuckDB, which holds nothing of the user's.
        dialect: the dialect of statements.
        tries_casts: whether the dialect can tell text that is a number from other text.
        is_connected: whether statements run, rather than being only written. See ``is_engine``.
    """

    is_ours: bool
    dialect: Dialect
    tries_casts: bool
    is_connected: bool

    @property
    def knows_columns(self) -> bool:
        """Whether ``describe`` can return the columns of a relation."""

    @property
    def takes_files(self) -> bool:
        """Whether files and Python objects can be read."""

    @property
    def stores_queries(self) -> bool:
        """Whether a query of the user's runs once and is stored, rather than being read several times."""

    def table(self, text: str) -> str | None:
        """Return a table of the user's as SQL; None if there is no such table."""

    def query(self, text: str) -> str:
        """Return a query of the user's as SQL."""

    def query_columns(self, text: str, described: Sequence[str]) -> list[str]:
        """Return the column names of a user's query, some of which may be renamed."""

    def local(self, label: str) -> DuckDB:
        """Return the DuckDB that reads files and Python objects."""

    def column(self, name: str) -> str:
        """Return the SQL of a column of exactly that name."""

    def describe(self, relation: str) -> dict[str, str]:
        """Return the columns of a relation, as statements name it, and their types."""

    def collated(self, relation: str, types: Mapping[str, str]) -> list[str]:
        """Return the columns of a relation in which texts of different bytes can be equal."""

    def is_number(self, type_: str) -> bool:
        """Whether a column of the type, which is one of DuckDB's for numbers, can be cast to a double."""


class Engine(Catalog, Protocol):
    """A database that runs statements. A ``with`` block holds it, and removes what was loaded at its end.

    Attributes:
        counts_judgments: whether strategy=auto looks at the judgments.
        progress: whether a slow statement may show how far it is.
    """

    counts_judgments: bool
    progress: bool

    @property
    def name(self) -> str | None:
        """The name of the database for readers, without host, user or password; None if no URL or file names it."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...

    def close(self) -> None:
        """Give back what we opened; a later statement opens it again."""

    @property
    def visiting(self) -> bool:
        """Whether something is in the user's session that ``forget`` is to remove."""

    @property
    def loaded_objects(self) -> Sequence[str]:
        """The names, as statements have them, of tables that hold a Python object for as long as a call takes."""

    def upload(self, role: str, local: DuckDB, select: str) -> str:
        """Return the rows of a query in that DuckDB as a relation that statements can read."""

    def store(self, role: str, text: str) -> str | None:
        """Store the rows of a statement for as long as the evaluation takes; None where nothing may be stored."""

    def run(self, text: str) -> tuple[list[str], list[Row]]:
        """Run a statement of the dialect; return the names of its columns, and its rows."""

    def batches(self, text: str, size: int) -> Generator[Any, None, None]:
        """Run a statement; its rows come as Arrow record batches."""

    def as_numbers(self, rows: Sequence[Row], types: Mapping[int, type]) -> Sequence[Row]:
        """Return the rows with floats or integers in some places."""

    def estimate(self, text: str) -> Estimate | None:
        """Return what the engine expects a statement to read."""

    def create(self, kind: str, name: str, text: str, *, replace: Replace) -> None:
        """Leave the result of a statement in the database, as a ``table`` or ``view``, whole or not at all.

        A table that is there keeps its grants, indexes and comment where the engine can, unless it is recreated.

        Raises:
            UsageError: the name is taken and ``replace`` is False, or the table that would keep what it has has other
                columns, or it is not a name.
            DatabaseError: the database refused; the old table or view is unchanged.
        """

    def change(self, statements: Sequence[str]) -> None:
        """Run statements that change the database: all or none, where the database has such transactions."""


def is_engine(catalog: Catalog | None) -> TypeGuard[Engine]:
    """Whether statements run there, rather than being only written."""
    return catalog is not None and catalog.is_connected
