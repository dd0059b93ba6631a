"""DuckDB: runs statements, describes relations, reads files and Python objects. Knows nothing of metrics.

DuckDB itself is imported with the first connection, so that help and version come at once.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..dialects import relation, subquery
from ..errors import DatabaseError, DataError, UsageError
from ..names import in_quotes, quoted, split_name, unquoted
from . import cancel
from .creation import check_target, name_taken, replacing

if TYPE_CHECKING:
    from .drivers.base import Estimate

Row = tuple[Any, ...]
T = TypeVar("T")


class DuckDB:
    """A connection to DuckDB, the user's or our own in memory.

    Attributes:
        connection: the DuckDB connection.
        own: whether the connection is ours, to load files into.
        dialect: whose SQL it runs.
        recurses: whether recursion may have window functions.
        counts_judgments: whether strategy=auto looks at the judgments.
        tries_casts: whether text that is no number can be told from text that is one.
        has_nan: whether a double can be NaN.
        takes_files: whether files and Python objects can be read.
        stores_queries: whether a query of the user's runs once and is stored, rather than being read several times.
    """

    dialect = "duckdb"
    recurses = True
    counts_judgments = True
    tries_casts = True
    has_nan = True
    takes_files = True

    def __init__(
        self,
        connection: Any = None,
        *,
        threads: int | None = None,
        memory_limit: str | None = None,
        timeout: float | None = None,
        stores_queries: bool = False,
    ) -> None:
        """Wraps a connection.

        Args:
            connection: a DuckDB connection, or None for a new one in memory.
            threads: how many threads DuckDB may use.
            memory_limit: such as ``"4GB"``; beyond it DuckDB writes to disk.
            timeout: the seconds that a statement may take.
            stores_queries: whether a query of the user's is stored in a temporary table.

        Raises:
            UsageError: a setting is refused.
        """
        import duckdb

        if connection is not None and (threads is not None or memory_limit is not None):
            raise UsageError("threads and memory_limit are for our own DuckDB; set them on your connection yourself.")
        self.own = connection is None
        self.stores_queries = stores_queries
        self._error = duckdb.Error
        self._timeout = timeout
        self._file: tuple[Path, dict[str, Any]] | None = None
        config = _config(threads=threads, memory_limit=memory_limit)
        try:
            self.connection = duckdb.connect(config=config) if connection is None else connection
        except duckdb.Error as error:
            raise UsageError(_first_line(error)) from None
        self._numbers = itertools.count(1)
        self._left: list[tuple[str, str]] = []

    def __enter__(self) -> DuckDB:
        return self

    def __exit__(self, *_error: object) -> None:
        self.forget()

    @classmethod
    def open(
        cls,
        url: str,
        *,
        threads: int | None = None,
        memory_limit: str | None = None,
        timeout: float | None = None,
        stores_queries: bool = False,
    ) -> DuckDB:
        """Opens a database file, for reading only until something is to be left in it.

        Args:
            url: a path, or ``duckdb:///path``.
            threads: as for a connection, and so are the others.
            memory_limit: as for a connection.
            timeout: as for a connection.
            stores_queries: as for a connection.
        """
        path = Path(url.partition("://")[2].removeprefix("/") if "://" in url else url)
        try:
            is_file = path.is_file()
        except (OSError, ValueError):  # too long, or with a character that no name has
            is_file = False
        if not is_file:
            from .drivers.problems import without_credentials

            shown = without_credentials(url)
            raise DataError(f"{path if shown == url else shown}: no such database file.")
        config = _config(threads=threads, memory_limit=memory_limit)
        engine = cls(_connected(path, config, read_only=True), timeout=timeout, stores_queries=stores_queries)
        engine._file = path, config
        return engine

    def text(self, sql: str) -> str:
        """A statement as it runs."""
        return sql

    def run(self, text: str) -> tuple[list[str], list[Row]]:
        """Runs a statement.

        Returns:
            The names of its columns, and its rows.

        Raises:
            DatabaseError: DuckDB refused it, or it took too long.
        """

        def rows() -> tuple[list[str], list[Row]]:
            cursor = self.connection.execute(text)
            return [column[0] for column in cursor.description or []], cursor.fetchall()

        return self._ask(rows, text)

    def fetch(self, sql: str, _keys: Collection[str] | None = None) -> tuple[list[str], list[Row]]:
        """Runs a statement in DuckDB's dialect, which is this engine's."""
        return self.run(sql)

    def batches(self, text: str, size: int) -> Generator[Any, None, None]:
        """The result of a statement as Arrow record batches; nothing else runs on the connection meanwhile."""
        reader = self._ask(lambda: self.connection.sql(text).to_arrow_reader(size), text)
        while (batch := self._ask(lambda: next(reader, None), text)) is not None:
            yield batch

    def _ask(self, call: Callable[[], T], text: str) -> T:
        """Runs a statement that Ctrl-C and the timeout can stop; DuckDB's errors become ours.

        DuckDB looks for Ctrl-C by itself only between tasks, and not at all while the thread that waits works on one.
        """
        try:
            return cancel.run(call, self.connection.interrupt, self._timeout, text)
        except (self._error, RuntimeError, OSError) as error:
            raise DatabaseError(_first_line(error), text) from None

    def table(self, text: str) -> str | None:
        """A table of the user's as it stands in statements, or None where there is no such table."""
        name = relation(text)
        return name if self.has_table([unquoted(part) for part in split_name(text)]) else None

    def query(self, text: str) -> str:
        """A query of the user's as it stands in statements."""
        source = relation(text)
        return self.load("query", f"SELECT * FROM {source} AS s") if self.stores_queries else source

    def query_columns(self, text: str, _described: Sequence[str]) -> list[str]:
        """What the columns of a query of the user's are called; two may be called the same."""
        return [row[0] for row in self.fetch(f"DESCRIBE {subquery(text, self.dialect)}")[1]]

    def local(self, _label: str) -> DuckDB:
        """The DuckDB that reads files and Python objects: this one."""
        return self

    def take(self, _kind: str, _local: DuckDB, select: str) -> str:
        """What a query in the DuckDB that reads files gives, which is this one."""
        return f"({select})"

    def column(self, name: str) -> str:
        """A column of that very name in statements."""
        return quoted(name)

    def is_number(self, _type: str) -> bool:
        """Whether the type of a column can be cast to a number without looking at its values."""
        return True

    def as_numbers(self, rows: Sequence[Row], _types: Mapping[int, type]) -> Sequence[Row]:
        """The rows; DuckDB's types are those."""
        return rows

    def estimate(self, text: str) -> Estimate:
        """The rows that DuckDB's plan says the statement reads from tables and files."""
        import json

        from .drivers.base import Estimate

        subquery(text, self.dialect)  # refuses all but one query: what follows a semicolon would run
        plan = self.run(f"EXPLAIN (FORMAT json) {text}")[1][0][1]
        return Estimate(rows=_rows_read(json.loads(plan)), bytes=None, text=plan)

    def create(self, kind: str, name: str, text: str, *, replace: bool) -> None:
        """Leaves the result of a statement in the database, whole or not at all.

        Args:
            kind: ``table`` or ``view``.
            name: its name there.
            text: the statement.
            replace: whether a table or view of that name may be replaced.

        Raises:
            UsageError: the name is taken, or is none.
            DatabaseError: DuckDB refused; what was there is as it was.
        """
        target = check_target(name, self.dialect)
        if self.table(name) is not None and not replace:
            raise name_taken(name)
        statement = f"CREATE {'OR REPLACE ' if replace else ''}{kind.upper()} {target} AS\n{text}"
        with replacing(name, kind), self._writing():
            self._ask(lambda: self.connection.execute(statement), statement)

    def change(self, statements: Sequence[str]) -> None:
        """Runs statements that change the database, all or none of them; in the user's transaction, if there is one."""
        with self._writing(), self._transaction():
            for statement in statements:
                self.run(statement)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Begins and ends a transaction, unless there is one; to try would abort it."""
        first, second = (self.single("SELECT TXID_CURRENT()") for _ in range(2))
        if first == second:
            yield
            return
        self.connection.begin()
        try:
            yield
        except BaseException:
            self.connection.rollback()
            raise
        self.connection.commit()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Opens the file for writing, where we opened it for reading, and for reading again."""
        if self._file is None:
            yield
            return
        path, config = self._file
        self.connection.close()
        try:
            self.connection = _connected(path, config, read_only=False)
            yield
        finally:
            self.connection.close()
            self.connection = _connected(path, config, read_only=True)

    def describe(self, relation: str) -> dict[str, str]:
        """The columns of a relation and their types."""
        return {row[0]: row[1] for row in self.fetch(f"DESCRIBE SELECT * FROM {relation}")[1]}

    def has_table(self, parts: Sequence[str]) -> bool:
        """Whether there is a table, view or registered frame of that name; asking fails no transaction.

        Args:
            parts: the name, or schema and name, or catalog, schema and name.
        """
        columns = ("table_catalog", "table_schema", "table_name")[-len(parts) :]
        pairs = zip(columns, parts, strict=False)
        conditions = " AND ".join(f"LOWER({column}) = {literal(part.lower())}" for column, part in pairs)
        if len(parts) == 2:  # DuckDB reads a.b as catalog and table too
            catalog, table = (literal(part.lower()) for part in parts)
            conditions += f" OR (LOWER(table_catalog) = {catalog} AND LOWER(table_name) = {table})"
        if len(parts) == 1:  # attached databases are not searched
            conditions += " AND table_catalog IN (CURRENT_DATABASE(), 'temp', 'system')"
            conditions += " AND table_schema IN (SELECT UNNEST(CURRENT_SCHEMAS(true)))"
        return bool(self.fetch(f"SELECT 1 FROM information_schema.tables WHERE {conditions} LIMIT 1")[1])

    def single(self, sql: str, _keys: Collection[str] | None = None) -> Row:
        """The one row of a statement."""
        return self.fetch(sql)[1][0]

    def load(self, label: str, select: str, parameters: Sequence[Any] | None = None) -> str:
        """Stores the result of a query for this session.

        Args:
            label: what to call the table, where that is free.
            select: the query.
            parameters: values for its ``$1``, ``$2`` ...

        Returns:
            The table's quoted name.
        """
        name = self._free_name(label)
        self._ask(lambda: self.connection.execute(f"CREATE TEMP TABLE {name} AS {select}", parameters), select)
        self._left.append(("TABLE", name))
        return name

    def register(self, label: str, frame: Any) -> str:
        """Makes a pandas, Polars or Arrow table, or a DuckDB relation, readable by name.

        Raises:
            UsageError: DuckDB cannot read such an object.
        """
        name = self._free_name(label)
        try:
            self.connection.register(name.strip('"'), frame)
        except (self._error, ImportError, RuntimeError) as error:
            hint = " Give its connection with connection=." if type(frame).__name__ == "DuckDBPyRelation" else ""
            raise UsageError(f"Cannot read {type(frame).__name__} as a table: {_first_line(error)}{hint}") from None
        self._left.append(("VIEW", name))
        return name

    @property
    def visiting(self) -> bool:
        """Whether ``load`` or ``register`` left something in the user's session, which ``forget`` is to remove."""
        return bool(self._left) and not self.own

    def forget(self) -> None:
        """Removes what ``load`` and ``register`` left in the user's session; our own ends by itself."""
        left, self._left = self._left, []
        for kind, name in () if self.own else left:
            with contextlib.suppress(self._error):
                self.connection.execute(f"DROP {kind} IF EXISTS {name}")

    def _free_name(self, label: str) -> str:
        plain = label.replace('"', "")
        if self.own and not self.has_table([plain]):
            return in_quotes(plain)
        return f'"rankmetrics_{next(self._numbers)}_{id(self)}"'


def _config(**settings: Any) -> dict[str, Any]:
    return {name: str(value) for name, value in settings.items() if value is not None}


def _connected(path: Path, config: dict[str, Any], *, read_only: bool) -> Any:
    """A connection to a database file."""
    import duckdb

    try:
        return duckdb.connect(str(path), read_only=read_only, config=config)
    except duckdb.Error as error:
        how = "as a DuckDB database" if read_only else "for writing"
        raise DataError(f"{path}: cannot be opened {how}: {_first_line(error)}") from None


def literal(text: str) -> str:
    """A string as SQL."""
    return "'" + text.replace("'", "''") + "'"


def file_literal(path: Path) -> str:
    """A file's name as SQL, where DuckDB would take some characters for a pattern of names."""
    return literal("".join(f"[{mark}]" if mark in "*?[" else mark for mark in str(path)))


def unnest(columns: Mapping[str, Sequence[Any]]) -> tuple[str, list[Any]]:
    """A query over Python lists of one length, and its parameters."""
    names = ", ".join(f"unnest(${number}) AS {name}" for number, name in enumerate(columns, start=1))
    return f"SELECT {names}", list(columns.values())


def _rows_read(plan: Sequence[Mapping[str, Any]]) -> int:
    """The estimates of the leaves of a plan."""
    return sum(
        _rows_read(node["children"])
        if node.get("children")
        else int(node["extra_info"].get("Estimated Cardinality", 0))
        for node in plan
    )


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    if "CSV Error on Line" in lines[0] and len(lines) > 2:
        return f"{lines[0]}: {lines[2]}"
    return " ".join(lines[:2]) if len(lines) > 1 and lines[1].startswith("Did you mean") else lines[0]
