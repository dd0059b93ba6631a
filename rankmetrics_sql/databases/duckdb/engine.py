"""DuckDB as the engine of an evaluation: what stands in statements, how they run, what they leave."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...dialects import CANONICAL, relation, subquery
from ...dialects.names import quote_name, quoted, split_name, unquoted
from ...errors import UsageError
from ..answers import Estimate, Row
from ..creation import check_not_read, check_target, name_taken, replacing
from .loading import Loading
from .places import Connection, File, Memory, Place
from .sessions import Session
from .text import IS_COLLATED, collations, in_catalogue, rows_read


class DuckDB:
    """DuckDB: our own in memory, a file, or a connection of the user's. See ``Engine`` for what the methods are for.

    A session is held in a ``with`` block; a result that is asked for more afterwards opens one for that, in a file for
    reading only. Our own in memory stays, for what is loaded into it.

    Attributes:
        own: whether the connection is ours, to load files into.
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
    ) -> None:
        """Where statements run: in memory, unless a connection or a file is given.

        Args:
            connection: a DuckDB connection.
            file: a path, or ``duckdb:///path``; for reading only until something is to be left in it.
            threads: how many threads DuckDB may use.
            memory_limit: such as ``"4GB"``; beyond it DuckDB writes to disk.
            timeout: the seconds that a statement may take.
            stores_queries: whether a query of the user's is stored in a temporary table.

        Raises:
            UsageError: a setting is refused.
            DataError: there is no such file.
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
        self.own = self._place.own
        self.stores_queries = stores_queries
        self._timeout = timeout
        self._loaded = Loading(self._place, timeout)

    def __repr__(self) -> str:
        return f"<{self._place.label}>"

    def __enter__(self) -> DuckDB:
        self._place.hold()
        return self

    def __exit__(self, *_error: object) -> None:
        """What was loaded goes, and so does the session: a file can then be opened by others."""
        try:
            self.forget()
        finally:
            self._place.release()

    def close(self) -> None:
        """Nothing of the user's is held now, and our own DuckDB in memory goes with what asks it."""

    # Statements

    def run(self, text: str) -> tuple[list[str], list[Row]]:
        with self._place.session() as session:
            return session.ask(lambda: session.rows(text), self._timeout, text)

    fetch = run  # where it is the DuckDB that reads files

    def single(self, sql: str) -> Row:
        """The one row of a statement."""
        return self.run(sql)[1][0]

    def batches(self, text: str, size: int) -> Generator[Any, None, None]:
        """Nothing else runs on the connection meanwhile."""
        with self._place.session() as session:

            def ask(call: Any) -> Any:
                return session.ask(call, self._timeout, text)

            reader = ask(lambda: session.connection.sql(text).to_arrow_reader(size))
            while (batch := ask(lambda: next(reader, None))) is not None:
                yield batch

    def as_numbers(self, rows: Sequence[Row], _types: Mapping[int, type]) -> Sequence[Row]:
        return rows

    def estimate(self, text: str) -> Estimate:
        """The rows that DuckDB's plan says the statement reads from tables and files."""
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
        """Two may be called the same."""
        return [row[0] for row in self.run(f"DESCRIBE {subquery(text, self.dialect)}")[1]]

    def local(self, _label: str) -> DuckDB:
        return self

    def take(self, _role: str, _local: DuckDB, select: str) -> str:
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
        """Those with a collation: NOCASE, NOACCENT, ..."""
        texts = [name for name, type_ in types.items() if type_ == "VARCHAR"]
        if self.own or not texts:
            return []
        row = self.single(collations(relation, map(quoted, texts), IS_COLLATED))
        return [name for name, is_collated in zip(texts, row, strict=True) if is_collated]

    def _has_table(self, parts: Sequence[str]) -> bool:
        return bool(self.run(in_catalogue(parts))[1])

    # What is loaded

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
        self._loaded.table(name, select, parameters)
        return name

    def register(self, label: str, frame: Any) -> str:
        """Makes a pandas, Polars or Arrow table, or a DuckDB relation, readable by the name that it returns.

        Raises:
            UsageError: DuckDB cannot read such an object.
        """
        name = self._free_name(label)
        self._loaded.frame(name, frame)
        return name

    @property
    def visiting(self) -> bool:
        return bool(self._loaded) and not self.own

    @property
    def loaded_objects(self) -> Sequence[str]:
        """The names of tables that hold a Python object."""
        return self._loaded.objects

    def forget(self) -> None:
        """Removes what ``load`` and ``register`` left in the user's connection; a session of ours ends by itself."""
        self._loaded.forget()

    def _free_name(self, label: str) -> str:
        name = quote_name(label.replace('"', ""))
        if self.own and not self._loaded.holds(name):  # our own in memory has nothing else
            return name
        return f'"rankmetrics_{os.urandom(8).hex()}"'

    # What is left in the database

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
        if replace:
            check_not_read(name, text, self.dialect, lambda sql: self.run(sql)[1])
        statement = f"CREATE {'OR REPLACE ' if replace else ''}{kind.upper()} {target} AS\n{text}"
        with replacing(name, kind), self._place.writing() as session:
            session.ask(lambda: session.execute(statement), self._timeout, statement)

    def change(self, statements: Sequence[str]) -> None:
        """In the user's transaction, if there is one."""
        with self._place.writing() as session, _transaction(session):
            for statement in statements:
                session.ask(partial(session.execute, statement), self._timeout, statement)


@contextlib.contextmanager
def _transaction(session: Session) -> Iterator[None]:
    """Begins and ends a transaction, unless there is one of the user's."""
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
