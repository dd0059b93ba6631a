"""What every engine of the tests can do: say what it lacks, start, take a table, answer, stop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from decimal import Decimal
from importlib.util import find_spec
from itertools import islice
from types import TracebackType
from typing import Any, ClassVar, Literal, Self

Type = Literal["text", "double", "bigint"]
Columns = Mapping[str, Type]
Row = Sequence[Any]
Answer = tuple[list[str], list[tuple[Any, ...]]]  # names of columns, rows

BATCH = 1000  # rows of one INSERT


class EngineError(RuntimeError):
    """An engine that is not there, does not start or does not answer."""


class Engine:
    """One engine: a context manager that runs it, empty at the start and gone at the end.

    Attributes:
        name: What the tests call it.
        dialects: The dialects whose text it runs, the first is its own.
        proxies: The dialects whose text it runs in place of an engine that nobody can install.
        packages: What it needs of the extra ``engines``.
        modules: What those packages are called in an import.
        version: As the engine says itself, once it runs.
        url: For SQLAlchemy, if that can reach it.
        connection: Its driver's own connection or client.
    """

    name: ClassVar[str]
    dialects: ClassVar[tuple[str, ...]]
    proxies: ClassVar[tuple[str, ...]] = ()
    packages: ClassVar[tuple[str, ...]] = ()
    modules: ClassVar[tuple[str, ...]] = ()
    types: ClassVar[Mapping[Type, str]] = {}

    version: str = ""
    url: str | None = None
    connection: Any = None

    @classmethod
    def missing(cls) -> str | None:
        """What it takes to run it and is not installed; None if nothing is."""
        lacking = [name for name in cls.modules if find_spec(name) is None]
        return f"no Python package {' and '.join(lacking)}" if lacking else None

    @classmethod
    def install(cls) -> None:
        """Install what it needs beyond Python packages of the running environment."""

    def start(self, stack: ExitStack) -> None:
        """Start it, connect to it, and leave in the stack what stops it."""
        raise NotImplementedError

    def load(self, table: str, columns: Columns, rows: Sequence[Row]) -> None:
        """Make a table anew, with the types and the collation that a user gets who thinks of neither."""
        raise NotImplementedError

    def fetch(self, sql: str) -> Answer:
        """The answer to a statement, in plain values of Python."""
        raise NotImplementedError

    def hurry(self) -> None:
        """Leave out what only pays over many rows, such as machine code for a statement that runs once."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.start(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


class Server(Engine):
    """An engine with a connection as PEP 249 describes it."""

    placeholder: ClassVar[str] = "%s"

    def create(self, table: str, columns: Columns) -> None:
        """An empty table."""
        self.run(f"DROP TABLE IF EXISTS {table}")
        described = ", ".join(f"{name} {self.types[kind]}" for name, kind in columns.items())
        self.run(f"CREATE TABLE {table} ({described})")

    def run(self, sql: str) -> None:
        """A statement without an answer."""
        with closing(self.connection.cursor()) as cursor:
            cursor.execute(sql)

    def load(self, table: str, columns: Columns, rows: Sequence[Row]) -> None:
        """A table, filled by the driver's ``executemany``."""
        self.create(table, columns)
        places = ", ".join([self.placeholder] * len(columns))
        with closing(self.connection.cursor()) as cursor:
            cursor.executemany(f"INSERT INTO {table} VALUES ({places})", [tuple(row) for row in rows])

    def fetch(self, sql: str) -> Answer:
        """The answer to a statement; without parameters, so that drivers leave its % and : alone."""
        with closing(self.connection.cursor()) as cursor:
            cursor.execute(sql)
            names = [column[0] for column in cursor.description]
            return names, plain_rows(cursor.fetchall())


def plain(value: Any) -> Any:
    """A value as Python's own type: what drivers give as decimals or as numpy's numbers are numbers."""
    if isinstance(value, Decimal):
        return float(value)
    return value.item() if hasattr(value, "item") else value


def plain_rows(rows: Iterable[Iterable[Any]]) -> list[tuple[Any, ...]]:
    """Rows of plain values."""
    return [tuple(map(plain, row)) for row in rows]


def batches(rows: Sequence[Row], size: int = BATCH) -> Iterator[list[Row]]:
    """Rows in lists of that many."""
    left = iter(rows)
    while batch := list(islice(left, size)):
        yield batch


def arrow_table(columns: Columns, rows: Sequence[Row]) -> Any:
    """Return rows as an Arrow table."""
    import pyarrow as pa

    types = {"text": pa.string(), "double": pa.float64(), "bigint": pa.int64()}
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    values = [[row[place] for row in rows] for place in range(len(columns))]
    arrays = [pa.array(column, field.type) for column, field in zip(values, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
