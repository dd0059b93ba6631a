"""An engine that runs nothing: where statements are only written, for a warehouse that somebody else will ask."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self

from ..dialects import Dialect, relation
from ..dialects.names import literal, quote_canonically, strip_semicolon
from ..errors import UsageError

if TYPE_CHECKING:
    from ..rows import Row
    from .duckdb.engine import DuckDB
    from .engine import Engine


# What DuckDB reads by its name.
_FILE = r"(?i)\.(csv|tsv|parquet|jsonl?|ndjson)(\.(gz|zst))?$"


class Unconnected:
    """A dialect, and no columns, unless there is a database in which to look them up. See ``Engine``."""

    own = False
    takes_files = False
    stores_queries = False
    visiting = False
    loaded_objects: Sequence[str] = ()
    counts_judgments = False
    tries_casts = False
    is_connected = False

    def __init__(self, dialect: Dialect, lookup: Engine | None = None) -> None:
        """Writes for a dialect.

        Args:
            dialect: whose SQL.
            lookup: where tables and their columns are looked up, if anywhere.
        """
        self.dialect = dialect
        self._lookup = lookup

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def close(self) -> None:
        """There is nothing to close."""

    @property
    def knows_columns(self) -> bool:
        """Whether there is a database in which to look."""
        return self._lookup is not None

    @property
    def lookup(self) -> Engine | None:
        """Where tables are looked up, if it speaks the dialect that is written."""
        return self._lookup if self._lookup is not None and self._lookup.dialect is self.dialect else None

    @property
    def _known(self) -> Engine:
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
        return self._known.query_columns(text, described)

    def local(self, label: str) -> DuckDB:
        raise UsageError(f"{label}: a statement reads only tables and queries. Pass the name of a table, or SQL text.")

    def take(self, _role: str, _local: DuckDB, _select: str) -> str:
        return self._runs_nothing()

    def store(self, _role: str, _text: str) -> None:
        self._runs_nothing()

    def column(self, name: str) -> str:
        return self._lookup.column(name) if self._lookup is not None else quote_canonically(name, self.dialect)

    def describe(self, relation: str) -> dict[str, str]:
        return self._known.describe(relation)

    def collated(self, relation: str, types: Mapping[str, str]) -> list[str]:
        return self._lookup.collated(relation, types) if self._lookup is not None else []

    def is_number(self, _type: str) -> bool:
        return True

    def run(self, _text: str) -> tuple[list[str], list[Row]]:
        return self._runs_nothing()

    def batches(self, _text: str, _size: int) -> Generator[Any, None, None]:
        return self._runs_nothing()

    def as_numbers(self, rows: Sequence[Row], _types: Mapping[int, type]) -> Sequence[Row]:
        return rows

    def estimate(self, _text: str) -> None:
        return None

    def create(self, _kind: str, _name: str, _text: str, *, replace: bool) -> None:  # noqa: ARG002 - as the engines have it
        self._runs_nothing()

    def change(self, _statements: Sequence[str]) -> None:
        self._runs_nothing()

    def _runs_nothing(self) -> NoReturn:
        raise AssertionError(f"a statement for {self.dialect} is written here, and none is run")
