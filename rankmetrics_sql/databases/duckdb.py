"""DuckDB: runs statements, describes relations, reads files and Python objects. Knows nothing of metrics.

DuckDB itself is imported with the first connection, so that help and version come at once.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..dialects import CANONICAL, relation, subquery
from ..dialects.names import in_quotes, literal, quoted, split_name, unquoted
from ..errors import DatabaseError, DataError, RankmetricsWarning, UsageError
from .creation import check_not_read, check_target, name_taken, replacing
from .sessions import Session, aftermath, of_user, ours

if TYPE_CHECKING:
    from .drivers.base import Estimate

Row = tuple[Any, ...]
T = TypeVar("T")


class DuckDB:
    """DuckDB: our own in memory, a file, or a connection of the user's.

    A session is held in a ``with`` block; a result that is asked for more afterwards opens one for that, in a file for
    reading only. Our own in memory stays, for what is loaded into it.

    Attributes:
        own: whether the connection is ours, to load files into.
        dialect: whose SQL it runs.
        counts_judgments: whether strategy=auto looks at the judgments.
        tries_casts: whether text that is no number can be told from text that is one.
        takes_files: whether files and Python objects can be read.
        stores_queries: whether a query of the user's runs once and is stored, rather than being read several times.
    """

    dialect = CANONICAL
    counts_judgments = True
    tries_casts = True
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
        self._users = connection
        self._file: tuple[Path, dict[str, Any]] | None = None
        config = _config(threads=threads, memory_limit=memory_limit)
        self._left: list[_Loaded] = []
        with self._refusing():
            self._held: Session | None = ours(duckdb.connect(config=config)) if self.own else None

    @contextlib.contextmanager
    def _refusing(self) -> Iterator[None]:
        """A connection that is closed, or settings that are none."""
        try:
            yield
        except self._error as error:
            raise (UsageError if self.own else DatabaseError)(_first_line(error)) from None

    def __enter__(self) -> DuckDB:
        self._held = self._held or self._open()
        return self

    def __exit__(self, *_error: object) -> None:
        """What was loaded goes, and so does the session: a file can then be opened by others."""
        try:
            self.forget()
        finally:
            if not self.own:
                self._release()

    def close(self) -> None:
        """Nothing of the user's is held now, and our own DuckDB in memory goes with what asks it."""

    def _release(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            held.close()

    @contextlib.contextmanager
    def _session(self) -> Iterator[Session]:
        """The session that is held, or one for the moment."""
        if self._held is not None:
            yield self._held
            return
        with contextlib.closing(self._open()) as session:
            yield session

    def _open(self) -> Session:
        if self._file is not None:
            return ours(_connected(*self._file, read_only=True))
        return self._of_user()

    def _of_user(self, *, itself: bool = False) -> Session:
        with self._refusing():
            return of_user(self._users, itself=itself)

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
        engine = cls(path, timeout=timeout, stores_queries=stores_queries)
        engine._file = path, config
        return engine

    def run(self, text: str) -> tuple[list[str], list[Row]]:
        """Runs a statement.

        Returns:
            The names of its columns, and its rows.

        Raises:
            DatabaseError: DuckDB refused it, or it took too long.
        """
        with self._session() as session:
            return self._ask(session, lambda: session.rows(text), text)

    def fetch(self, sql: str, _keys: Collection[str] | None = None) -> tuple[list[str], list[Row]]:
        """Runs a statement in DuckDB's dialect, which is this engine's."""
        return self.run(sql)

    def batches(self, text: str, size: int) -> Generator[Any, None, None]:
        """The result of a statement as Arrow record batches; nothing else runs on the connection meanwhile."""
        with self._session() as session:
            reader = self._ask(session, lambda: session.connection.sql(text).to_arrow_reader(size), text)
            while (batch := self._ask(session, lambda: next(reader, None), text)) is not None:
                yield batch

    def _ask(self, session: Session, call: Callable[[], T], text: str) -> T:
        """Runs a statement that Ctrl-C and the timeout can stop; DuckDB's errors become ours.

        DuckDB looks for Ctrl-C by itself only between tasks, and not at all while the thread that waits works on one.
        """
        with aftermath(session, text):
            try:
                return session.run(call, self._timeout, text)
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
        if replace:
            check_not_read(name, text, self.dialect, lambda sql: self.run(sql)[1])
        statement = f"CREATE {'OR REPLACE ' if replace else ''}{kind.upper()} {target} AS\n{text}"
        with replacing(name, kind), self._writing() as session:
            self._ask(session, lambda: session.execute(statement), statement)

    def change(self, statements: Sequence[str]) -> None:
        """Runs statements that change the database, all or none of them; in the user's transaction, if there is one."""
        with self._writing() as session, _transaction(session):
            for statement in statements:
                self._ask(session, partial(session.execute, statement), statement)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Session]:
        """A session that may write; a file can have no other meanwhile."""
        if self._file is not None:
            was_held = self._held is not None
            self._release()
            with contextlib.closing(ours(_connected(*self._file, read_only=False))) as session:
                yield session
            if was_held:
                self._held = self._open()
        else:
            with self._session() as session:
                yield session

    def describe(self, relation: str) -> dict[str, str]:
        """The columns of a relation and their types."""
        return {row[0]: row[1] for row in self.fetch(f"DESCRIBE SELECT * FROM {relation}")[1]}

    def collated(self, relation: str, types: Mapping[str, str]) -> list[str]:
        """Those of the columns of a relation in which texts of different bytes can be equal: NOCASE, NOACCENT, ..."""
        texts = [name for name, type_ in types.items() if type_ == "VARCHAR"]
        if self.own or not texts:
            return []
        row = self.single(collations(relation, map(quoted, texts), _IS_COLLATED))
        return [name for name, is_collated in zip(texts, row, strict=True) if is_collated]

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
        self._keep(_Loaded("TABLE", name, f"CREATE TEMP TABLE {name} AS {select}", parameters))
        return name

    def register(self, label: str, frame: Any) -> str:
        """Makes a pandas, Polars or Arrow table, or a DuckDB relation, readable by name.

        Raises:
            UsageError: DuckDB cannot read such an object.
        """
        name = self._free_name(label)
        is_relation = type(frame).__name__ == "DuckDBPyRelation"
        try:
            if is_relation and self._users is not None:
                self._move()  # a relation is of one connection, which has no cursor that could read it
            self._keep(_Loaded("VIEW", name, frame))
        except (DatabaseError, ImportError) as error:
            hint = " Give its connection with connection=." if is_relation else ""
            raise UsageError(f"Cannot read {type(frame).__name__} as a table: {_first_line(error)}{hint}") from None
        return name

    def _keep(self, loaded: _Loaded) -> None:
        """Remembers it before it is there, so that it goes whatever happens."""
        self._left.append(loaded)
        with self._session() as session:
            self._ask(session, lambda: loaded.put(session), str(loaded.content))

    def _move(self) -> None:
        """From a cursor of the user's connection to the connection itself, with what has been loaded."""
        if self._held is None or self._held.shared or self._file is not None:
            return
        self._release()
        self._held = session = self._of_user(itself=True)
        for loaded in self._left:
            self._ask(session, partial(loaded.put, session), str(loaded.content))

    @property
    def visiting(self) -> bool:
        """Whether ``load`` or ``register`` left something in the user's session, which ``forget`` is to remove."""
        return bool(self._left) and not self.own

    def forget(self) -> None:
        """Removes what ``load`` and ``register`` left in the user's connection; a session of ours ends by itself."""
        if self.own:
            return
        left, self._left = self._left, []
        session = self._held
        if session is None or not session.shared or session.is_aborted():  # ROLLBACK takes what is in a transaction
            return
        for loaded in left:
            try:
                session.run(partial(loaded.drop, session), self._timeout, "")
            except (self._error, DatabaseError) as error:
                message = f"{loaded.name} is left in the connection: {_first_line(error)} Drop it yourself."
                warnings.warn(message, RankmetricsWarning, stacklevel=2)

    def _free_name(self, label: str) -> str:
        plain = label.replace('"', "")
        if self.own and not self.has_table([plain]):
            return in_quotes(plain)
        return f'"rankmetrics_{os.urandom(8).hex()}"'


@dataclass(frozen=True)
class _Loaded:
    """Something that is in a session for as long as the evaluation takes.

    Attributes:
        kind: ``TABLE`` or ``VIEW``.
        name: its name, quoted.
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
            session.connection.register(self.name.strip('"'), self.content)

    def drop(self, session: Session) -> None:
        if self.kind == "TABLE":
            session.execute(f"DROP TABLE IF EXISTS {self.name}")
        else:
            session.connection.unregister(self.name.strip('"'))


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


# Texts that some collation holds equal: in spite of case, of an accent, of how an accent is written.
_IS_COLLATED = (
    "COALESCE({0}, 'a') = 'A' OR COALESCE({0}, 'a') = 'á'"
    " OR COALESCE({0}, '\N{LATIN SMALL LETTER E WITH ACUTE}') = 'e\N{COMBINING ACUTE ACCENT}'"
)


def collations(relation: str, columns: Iterable[str], condition: str) -> str:
    """A query of one row that says of columns whether a condition holds for them; it reads no row of theirs."""
    conditions = ", ".join(f"({condition.format(f's.{column}')})" for column in columns)
    nothing = f"(SELECT * FROM {relation} AS t WHERE 1 = 0)"
    return f"SELECT {conditions} FROM (SELECT 1 AS one) AS d LEFT JOIN {nothing} AS s ON 1 = 1"


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
