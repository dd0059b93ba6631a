"""The catalog of a dialect without a connection, for statements that are written here and run elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..dialects import Dialect, relation
from ..dialects.names import literal, quote_canonically, strip_semicolon
from ..errors import UsageError

if TYPE_CHECKING:
    from .duckdb.engine import DuckDB
    from .engine import Engine


# What DuckDB reads by its name.
_FILE = r"(?i)\.(csv|tsv|parquet|jsonl?|ndjson)(\.(gz|zst))?$"


class Unconnected:
    """A dialect, without columns unless there is a database in which to look them up. See ``Catalog``."""

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

    def table(self, text: str) -> str | None:
        if self._lookup is not None:
            return relation(text, self.dialect) if self._lookup.table(text) is not None else None
        if self.dialect.canonical and re.search(_FILE, text):
            return literal(text)  # without quotes, DuckDB in Python would read a variable called csv
        return relation(text, self.dialect) if strip_semicolon(text) == text else None

    def query(self, text: str) -> str:
        return relation(text, self.dialect)

    def query_columns(self, text: str, described: Sequence[str]) -> list[str]:
        return self._database.query_columns(text, described)

    def local(self, label: str) -> DuckDB:
        raise UsageError(f"{label}: a statement reads only tables and queries. Pass the name of a table, or SQL text.")

    def column(self, name: str) -> str:
        return self._lookup.column(name) if self._lookup is not None else quote_canonically(name, self.dialect)

    def describe(self, relation: str) -> dict[str, str]:
        return self._database.describe(relation)

    def collated(self, relation: str, types: Mapping[str, str]) -> list[str]:
        return self._lookup.collated(relation, types) if self._lookup is not None else []

    def is_number(self, _type: str) -> bool:
        return True
