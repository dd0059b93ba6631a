"""The catalog of a dialect without a connection, for statements that are written here and run elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..dialects import Dialect, relation, reread
from ..dialects.names import literal, quote_canonically, strip_semicolon
from ..errors import DatabaseError, UsageError, shortened

if TYPE_CHECKING:
    from .duckdb.engine import DuckDB
    from .engine import Engine


def _no_columns(relation: str, dialect: Dialect) -> str:
    return f"The columns of {shortened(' '.join(relation.split()))} cannot be looked up in {dialect}"


# What DuckDB reads by its name.
_FILE = r"(?i)\.(csv|tsv|parquet|jsonl?|ndjson)(\.(gz|zst))?$"


class Unconnected:
    """A dialect, without columns unless there is a database in which to look them up. See ``Catalog``.

    That database may speak another dialect, such as DuckDB with a prototype of tables in a warehouse. What is looked up
    is then translated for it; what is written is not.
    """

    is_ours = False
    takes_files = False
    stores_queries = False
    tries_casts = False
    is_connected = False

    def __init__(self, dialect: Dialect, lookup: Engine | None = None) -> None:
        """Take the dialect, and the engine in which tables and their columns are looked up, if any."""
        self.dialect = dialect
        self._lookup = lookup

    @property
    def knows_columns(self) -> bool:
        """Whether there is an engine in which columns are looked up."""
        return self._lookup is not None

    @property
    def lookup(self) -> Engine | None:
        """The engine in which tables are looked up, if it has the dialect that is written."""
        return self._lookup if self._lookup is not None and self._lookup.dialect is self.dialect else None

    @property
    def _database(self) -> Engine:
        if self._lookup is None:
            raise AssertionError("knows_columns is asked before")
        return self._lookup

    def _there(self, relation: str) -> str:
        """Return a relation as the database in which columns are looked up writes it."""
        return relation if self.lookup is not None else reread(relation, self.dialect, self._database.dialect)

    def table(self, text: str) -> str | None:
        if self._lookup is not None:
            name = relation(text, self.dialect)
            return name if self._lookup.table(text if self.lookup else self._there(name)) is not None else None
        if self.dialect.canonical and re.search(_FILE, text):
            return literal(text)  # without quotes, DuckDB in Python would read a variable called csv
        return relation(text, self.dialect) if strip_semicolon(text) == text else None

    def query(self, text: str) -> str:
        return relation(text, self.dialect)

    def query_columns(self, text: str, described: Sequence[str]) -> list[str]:
        query = text if self.lookup else self._there(relation(text, self.dialect)).strip()[1:-1]
        return self._database.query_columns(query, described)

    def local(self, label: str) -> DuckDB:
        raise UsageError(f"{label}: a statement reads only tables and queries. Pass the name of a table, or SQL text.")

    def column(self, name: str) -> str:
        return self.lookup.column(name) if self.lookup is not None else quote_canonically(name, self.dialect)

    def describe(self, relation: str) -> dict[str, str]:
        if self.lookup is not None:
            return self.lookup.describe(relation)
        there = self._there(relation)
        try:
            return self._database.describe(there)
        except DatabaseError as error:
            raise DatabaseError(f"{_no_columns(relation, self._database.dialect)}: {error}", there) from None

    def collated(self, relation: str, types: Mapping[str, str]) -> list[str]:
        return self.lookup.collated(relation, types) if self.lookup is not None else []

    def is_number(self, _type: str) -> bool:
        return True
