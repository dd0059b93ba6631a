"""DuckDB as an engine: runs statements, and holds loaded query results and Python objects for an evaluation."""

from __future__ import annotations

import contextlib
import json
import os
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...dialects import CANONICAL, relation, subquery
from ...dialects.names import quote_name, quoted, split_name, unquoted
from ...errors import DatabaseError, DatabaseTimeoutError, RankmetricsWarning, UsageError
from ...rows import Estimate, Replace, Row
from ..creation import RECREATE, check_not_read, check_target, creation, name_taken, replacing
from ..refill import Access, refill
from .sessions import Connection, File, Memory, Place, Session
from .text import IS_COLLATED, collations, first_line, in_catalogue, rows_read

_STREAMED_ROWS = 10_000  # that are fetched at a time


class Loading:
    """The tables that were loaded at a place. Ours end with the session; from a user's connection they are removed."""

    def __init__(self, place: Place, timeout: float | None) -> None:
        """Take the place of the tables, and the seconds that each statement may take."""
        self._place = place
        self._timeout = timeout
        self._tables: list[_Table] = []
        self.objects: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._tables)

    def holds(self, name: str) -> bool:
        """Whether a table has a quoted name, in any case."""
        return any(table.name.lower() == name.lower() for table in self._tables)

    def table(self, name: str, select: str, parameters: Sequence[Any] | None) -> None:
        """Store the result of a query under a quoted name; a query with parameters holds a Python object."""
        self.objects += [name] if parameters else []
        self._add(_Table("TABLE", name, f"CREATE TEMP TABLE {name} AS {select}", parameters))

    def frame(self, name: str, frame: Any) -> None:
        """Make a pandas, Polars or Arrow table, or a DuckDB relation, readable by a quoted name.

        Raise UsageError if DuckDB cannot read such an object.
        """
        self.objects.append(name)
        is_relation = type(frame).__name__ == "DuckDBPyRelation"
        try:
            if is_relation:  # it belongs to one connection, whose cursors cannot read it
                self._move()
            self._add(_Table("VIEW", name, frame))
        except DatabaseTimeoutError:
            raise
        except (DatabaseError, ImportError) as error:
            hint = " Give its connection with connection=." if is_relation else ""
            raise UsageError(f"Cannot read {type(frame).__name__} as a table: {first_line(error)}{hint}") from None

    def _add(self, table: _Table) -> None:
        """Remember a table before it is created, so that it is removed whatever happens."""
        self._tables.append(table)
        with self._place.session() as session:
            self._put(table, session)

    def _put(self, table: _Table, session: Session) -> None:
        session.ask(partial(table.put, session), self._timeout, str(table.content))

    def _move(self) -> None:
        """Move the tables from a cursor of the user's connection to the connection itself."""
        session = self._place.move()
        if session is not None:
            for table in self._tables:
                self._put(table, session)

    def forget(self) -> None:
        """Remove the tables from the user's connection; ours keeps them until it ends."""
        if self._place.is_ours:
            return
        tables, self._tables = self._tables, []
        session = self._place.held_session
        if session is None or not session.shared or session.is_aborted():  # ROLLBACK takes what is in a transaction
            return
        for table in tables:
            try:
                session.ask(partial(table.drop, session), self._timeout, "")
            except DatabaseError as error:
                message = (
                    f"{table.name} could not be dropped from the connection: {first_line(error)} Drop it yourself."
                )
                warnings.warn(message, RankmetricsWarning, stacklevel=2)


class _Table(NamedTuple):
    """A table, or a view of a frame, that is loaded into a session.

    Attributes:
        kind: ``TABLE`` or ``VIEW``.
        name: its quoted name.
        content: the statement that makes the table, or the frame that the view shows.
        parameters: of the statement.
    """

    kind: str
    name: str
    content: Any
    parameters: Sequence[Any] | None = None

    def put(self, session: Session) -> None:
        if self.kind == "TABLE":
            session.execute(self.content, self.parameters)
        else:
            session.register(self.name.strip('"'), self.content)

    def drop(self, session: Session) -> None:
        if self.kind == "TABLE":
            session.execute(f"DROP TABLE IF EXISTS {self.name}")
        else:
            session.connection.unregister(self.name.strip('"'))


class DuckDB:
    """DuckDB: our own in memory, a file, or a connection of the user's. See ``Engine`` for what the methods are for.

    A session is held in a ``with`` block; a result that needs more afterwards opens one for that, in a file for reading
    only. Our own in memory stays, for what is loaded into it.

    Attributes:
        is_ours: whether the connection is ours, to load files into.
        stores_queries: whether a query of the user's runs once and is stored, rather than being read several times.
    """

    dialect = CANONICAL
    counts_judgments = True
    tries_casts = True
    takes_files = True
    is_connected = True
    knows_columns = True

    def __init__(
        self,
        connection: Any = None,
        *,
        file: str | None = None,
        threads: int | None = None,
        memory_limit: str | None = None,
        timeout: float | None = None,
        stores_queries: bool = False,
        progress: bool = False,
    ) -> None:
        """Use a connection, a file, or a database in memory.

        Args:
            connection: a DuckDB connection.
            file: a path, or ``duckdb:///path``; opened for reading only, unless a statement writes.
            threads: how many threads DuckDB may use.
            memory_limit: such as ``"4GB"``; beyond it DuckDB writes to disk.
            timeout: the seconds that a statement may take.
            stores_queries: whether a query of the user's is stored in a temporary table.
            progress: whether a slow statement may show how far it is.
        """
        settings = {"threads": threads, "memory_limit": memory_limit}
        config = {name: str(value) for name, value in settings.items() if value is not None}
        if connection is not None and config:
            raise UsageError(
                "threads and memory_limit have no effect on a connection of yours. Set them there:"
                ' connection.execute("SET threads = 4").'
            )
        self._place: Place
        if file is not None:
            self._place = File(file, config)
        else:
            self._place = Memory(config) if connection is None else Connection(connection)
        self.is_ours = self._place.is_ours
        self.stores_queries = stores_queries
        self.progress = progress
        self._timeout = timeout
        self._loading = Loading(self._place, timeout)

    def __repr__(self) -> str:
        return f"<{self._place.label}>"

    @property
    def name(self) -> str | None:
        """The name of the file, if the database is one that we opened."""
        return self._place.name

    def __enter__(self) -> DuckDB:
        self._place.hold()
        return self

    def __exit__(self, *_error: object) -> None:
        """Remove what was loaded, and close the session: a file can then be opened by others."""
        try:
            self.forget()
        finally:
            self._place.release()

    def close(self) -> None:
        """Do nothing: no session is held outside of a ``with`` block but our own in memory."""

    # Statements

    def run(self, text: str) -> tuple[list[str], list[Row]]:
        with self._place.session() as session:
            return session.ask(lambda: session.rows(text), self._timeout, text)

    fetch = run  # where it is the DuckDB that reads files

    def single(self, sql: str) -> Row:
        """Return the single row of a statement."""
        return self.run(sql)[1][0]

    def batches(self, text: str, size: int) -> Generator[Any, None, None]:
        """Yield record batches; nothing else runs on the connection meanwhile."""
        with self._place.session() as session:

            def ask(call: Any) -> Any:
                return session.ask(call, self._timeout, text)

            reader = ask(lambda: session.connection.sql(text).to_arrow_reader(size))
            while (batch := ask(lambda: next(reader, None))) is not None:
                yield batch

    def stream(self, text: str) -> Iterator[Row]:
        """Yield the rows of a statement, of which few are in Python at a time; nothing else runs meanwhile."""
        with self._place.session() as session:
            connection = session.connection
            session.ask(lambda: session.execute(text), self._timeout, text)
            try:
                while rows := session.ask(lambda: connection.fetchmany(_STREAMED_ROWS), self._timeout, text):
                    yield from rows
            finally:
                if hasattr(connection, "abort"):  # DuckDB 2, which runs nothing else before the result is read
                    connection.abort()

    def as_numbers(self, rows: Sequence[Row], _types: Mapping[int, type]) -> Sequence[Row]:
        return rows

    def estimate(self, text: str) -> Estimate:
        """Return the rows that a statement reads from tables and files, by DuckDB's plan."""
        subquery(text, self.dialect)  # refuses all but one query: what follows a semicolon would run
        plan = self.run(f"EXPLAIN (FORMAT json) {text}")[1][0][1]
        return Estimate(rows=rows_read(json.loads(plan)), bytes=None, text=plan)

    # Relations

    def table(self, text: str) -> str | None:
        name = relation(text)
        return name if self._has_table([unquoted(part) for part in split_name(text)]) else None

    def query(self, text: str) -> str:
        source = relation(text)
        return self.load("query", f"SELECT * FROM {source} AS s") if self.stores_queries else source

    def query_columns(self, text: str, _described: Sequence[str]) -> list[str]:
        """Return the column names, of which two may be equal."""
        return [row[0] for row in self.run(f"DESCRIBE {subquery(text, self.dialect)}")[1]]

    def local(self, _label: str) -> DuckDB:
        return self

    def upload(self, _role: str, _local: DuckDB, select: str) -> str:
        return f"({select})"

    def store(self, role: str, text: str) -> str:
        return self.load(role, text)

    def column(self, name: str) -> str:
        return quoted(name)

    def is_number(self, _type: str) -> bool:
        return True

    def describe(self, relation: str) -> dict[str, str]:
        text = f"SELECT * FROM {relation}"
        with self._place.session() as session:
            return session.ask(lambda: session.types(text), self._timeout, text)

    def collated(self, relation: str, types: Mapping[str, str]) -> list[str]:
        """Return the columns with a collation: NOCASE, NOACCENT, ..."""
        texts = [name for name, type_ in types.items() if type_ == "VARCHAR"]
        if self.is_ours or not texts:
            return []
        row = self.single(collations(relation, map(quoted, texts), IS_COLLATED))
        return [name for name, is_collated in zip(texts, row, strict=True) if is_collated]

    def _has_table(self, parts: Sequence[str]) -> bool:
        return bool(self.run(in_catalogue(parts))[1])

    # What is loaded

    def load(self, label: str, select: str, parameters: Sequence[Any] | None = None) -> str:
        """Store the result of a query for this session; return the quoted name of the table.

        The name is the label, if that is free. Parameters are values for ``$1``, ``$2`` ... of the query.
        """
        name = self._free_name(label)
        self._loading.table(name, select, parameters)
        return name

    def register(self, label: str, frame: Any) -> str:
        """Make a pandas, Polars or Arrow table, or a DuckDB relation, readable; return its quoted name.

        Raise UsageError if DuckDB cannot read such an object.
        """
        name = self._free_name(label)
        self._loading.frame(name, frame)
        return name

    @property
    def visiting(self) -> bool:
        return bool(self._loading) and not self.is_ours

    @property
    def loaded_objects(self) -> Sequence[str]:
        """The names of tables that hold a Python object."""
        return self._loading.objects

    def forget(self) -> None:
        """Remove what ``load`` and ``register`` left in the user's connection; a session of ours ends by itself."""
        self._loading.forget()

    def _free_name(self, label: str) -> str:
        name = quote_name(label.replace('"', ""))
        if self.is_ours and not self._loading.holds(name):  # our own in memory has no other tables
            return name
        return f'"rankmetrics_{os.urandom(8).hex()}"'

    # Tables and views in the database

    def create(self, kind: str, name: str, text: str, *, replace: Replace) -> None:
        target = check_target(name, self.dialect)
        exists = self.table(name) is not None
        if exists and not replace:
            raise name_taken(name)
        database = Access(self.dialect, self.describe, lambda sql: self.run(sql)[1], lambda sql: self.change([sql]))
        if replace:
            check_not_read(name, text, self.dialect, database.fetch)
        if exists and kind == "table" and replace != RECREATE:
            plan = refill(name, target, text, database)
        else:
            plan = creation(kind, target, text, self.dialect, replace=bool(replace))
        with replacing(name, kind):
            self.change(plan.statements)

    def change(self, statements: Sequence[str]) -> None:
        """Run statements, in the user's transaction if there is one."""
        with self._place.writing() as session, _transaction(session):
            for statement in statements:
                session.ask(partial(session.execute, statement), self._timeout, statement)


@contextlib.contextmanager
def _transaction(session: Session) -> Iterator[None]:
    """Begin and end a transaction, unless the user has one open."""
    if session.in_transaction:
        yield
        return
    session.connection.begin()
    try:
        yield
    except BaseException:
        session.connection.rollback()
        raise
    session.connection.commit()
