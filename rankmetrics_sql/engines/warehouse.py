"""A database that a driver reaches, as an engine: runs translated statements, and stores tables for an evaluation."""

from __future__ import annotations

import contextlib
import itertools
import re
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from .. import dialects
from ..dialects import Dialect
from ..dialects.names import is_reserved, quote_name, quoted, table_name
from ..drivers import Driver
from ..errors import DatabaseError, DatabaseTimeoutError, RankmetricsError, RankmetricsWarning, UsageError
from ..rows import Estimate, Replace
from .creation import (
    RECREATE,
    Creation,
    about,
    check_not_read,
    check_target,
    create_empty_table,
    create_table,
    creation,
    drop_table,
    name_taken,
    other_kind,
    replacing,
)
from .duckdb import Row, collations
from .duckdb.engine import DuckDB
from .refill import Access, can_refill, refill
from .stored_names import stored_name

# Types that a stored column keeps; every other becomes text, a decimal too: as doubles, two ids could become one.
_STORED_TYPES = ("BIGINT", "BOOLEAN", "DATE", "DOUBLE", "TIMESTAMP", "VARCHAR")
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")


class Storage:
    """The tables that are stored, for as long as an evaluation lasts.

    Attributes:
        is_allowed: whether something may be stored at all.
    """

    def __init__(
        self, schema: str | None, dialect: Dialect, open_driver: Callable[[], AbstractContextManager[Driver]]
    ) -> None:
        """Take the schema of the tables: ``temp`` for temporary ones, None if nothing may be stored.

        Raise UsageError if the dialect has no temporary tables.
        """
        self.is_allowed = schema is not None
        self._temporary = schema is not None and schema.lower() in ("", "temp")
        if self._temporary and not dialect.temporary_tables:
            raise UsageError(
                f"materialize: {dialect} has no temporary tables that a statement can read twice. Name a schema."
            )
        self._dialect, self._open_driver = dialect, open_driver
        self._schema = "" if schema is None or self._temporary else f"{table_name(schema, dialect)}."
        self._numbers = itertools.count(1)
        self._tables: list[str] = []

    def __bool__(self) -> bool:
        """Whether something is stored."""
        return bool(self._tables)

    def store_query(self, source: str, role: str = "query") -> str:
        """Store the result of a query; return the name of the new table."""
        name = self._new_table(role)
        self._create(name, create_table(name, source, self._dialect, temporary=self._temporary))
        return name

    def store_rows(self, role: str, columns: Mapping[str, str], rows: Iterable[Row]) -> str:
        """Store rows, the columns' types being as the dialect writes them; return the name of the new table."""
        name = self._new_table(role)
        self._create(name, create_empty_table(name, columns, self._dialect, temporary=self._temporary))
        with self._open_driver() as driver:
            driver.insert(name, columns, rows)
        return name

    def _new_table(self, role: str) -> str:
        return f"{self._schema}{stored_name()}_{role}_{next(self._numbers)}"

    def _create(self, name: str, statement: str) -> None:
        """Remember the table before it is created, so that it is dropped whatever happens."""
        self._tables.append(name)
        with self._open_driver() as driver:
            driver.execute(statement)

    def drop(self, label: str, *, ended: bool = False) -> None:
        """Drop all tables; warn of those that may be left in the database.

        Args:
            label: the name of the database.
            ended: whether the session that stored them has ended.
        """
        left, self._tables = self._tables, []
        if not left or (ended and self._temporary):
            return
        reason = "the command was interrupted"
        try:
            with self._open_driver() as driver:
                for name in [*left]:
                    try:
                        driver.execute(drop_table(name))
                        left.remove(name)
                    except DatabaseError as error:  # of one table; the next may go
                        reason = str(error)
        except DatabaseError as error:
            reason = str(error)
        finally:  # also after another Ctrl-C
            if left:
                warnings.warn(_may_be_left(left, label, reason), RankmetricsWarning, stacklevel=3)


def _may_be_left(tables: Sequence[str], label: str, reason: str) -> str:
    """Return the message that tables of ours may be left in a database."""
    reason = reason.removeprefix(f"{label}: ").removesuffix(".")
    return f"{', '.join(tables)} may be left in {label}: {reason}. List what is left: rankmetrics clean --database URL"


def _is_there_now(target: str, driver: Driver) -> bool:
    """Whether a table that was not there is there after an error."""
    with contextlib.suppress(RankmetricsError):
        return not driver.is_lost and driver.has_table(target)
    return False


def stored_type(type_: str) -> str:
    """Return the type, in DuckDB's words, that a column of one of DuckDB's types has where it is stored."""
    if type_ in _INTEGERS:
        return "BIGINT"
    if type_ == "FLOAT":
        return "DOUBLE"
    return type_ if type_ in _STORED_TYPES else "VARCHAR"


_TEXT_TYPES = ("VARCHAR", "TEXT", "CHAR", "BPCHAR", "CITEXT")

Connect = Callable[[bool, float | None], Driver]
_CLEANING = 5.0  # seconds to connect once more, and to drop a table then


class Warehouse:
    """A database that a driver reaches.

    Statements come in DuckDB's dialect, with a plain name in place of each relation of the user's. The connection is
    held in a ``with`` block; a result that needs more afterwards connects once more for that.

    Attributes:
        dialect: the dialect of its statements.
        is_ours: False: the tables are the user's.
        counts_judgments: False: strategy=auto sorts, as in a statement that is only written.
        tries_casts: False: a column of text is not read as numbers.
    """

    is_ours = False
    counts_judgments = False
    tries_casts = False
    is_connected = True
    knows_columns = True

    def __init__(
        self,
        connect: Connect,
        *,
        materialize: str | None = None,
        timeout: float | None = None,
        progress: bool = False,
    ) -> None:
        """Connect.

        Args:
            connect: returns a driver, for writing or for reading only, which connects within some seconds; closing it
                never closes the user's connection.
            materialize: the schema of stored tables, ``temp`` for temporary ones, or None: nothing is stored.
            timeout: the seconds that a statement may take.
            progress: whether a slow statement may show how far it is.
        """
        self.progress = progress
        self._connector = connect
        self._timeout = timeout
        self._held_driver: Driver | None = self._connect(materialize is not None)
        self.dialect = self._held_driver.dialect
        self._label = self._held_driver.label
        self.name = self._held_driver.name
        self._local: DuckDB | None = None
        self._objects: list[str] = []
        try:
            self._storage = Storage(materialize, self.dialect, self._storing_driver)
        except UsageError:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"<{self._label}>"

    def __enter__(self) -> Warehouse:
        """Connect once more if the last evaluation has lost the connection."""
        if self._is_cut_off:
            self.close()
            self._held_driver = self._connect(self._storage.is_allowed)
        return self

    def __exit__(self, *_error: object) -> None:
        """Drop the tables that were stored."""
        self.forget()

    def close(self) -> None:
        """Close the connection if it is ours, or give it back to its pool."""
        driver, self._held_driver = self._held_driver, None
        if driver is not None:
            driver.close()

    def _connect(self, writable: bool, timeout: float | None = None) -> Driver:
        timeout = timeout or self._timeout
        driver = self._connector(writable, timeout)
        driver.timeout = timeout
        return driver

    def _driver(self) -> AbstractContextManager[Driver]:
        """Return the driver that is held, or one for the moment."""
        return self._usable_driver or contextlib.closing(self._connect(False))

    def _storing_driver(self) -> AbstractContextManager[Driver]:
        """Return the driver that stores tables, or one that has little time to drop them where that one is lost."""
        return self._usable_driver or self._second_driver()

    @property
    def _usable_driver(self) -> AbstractContextManager[Driver] | None:
        """The driver that is held, if there is one and it is not lost."""
        driver = None if self._is_cut_off else self._held_driver
        return None if driver is None else contextlib.nullcontext(driver)

    def _second_driver(self) -> AbstractContextManager[Driver]:
        """Return a driver that has little time, in place of one that is lost; it is closed afterwards."""
        return contextlib.closing(self._connect(True, _CLEANING))

    @property
    def _is_cut_off(self) -> bool:
        """Whether the connection that is held is lost, and another one can be opened."""
        return self._held_driver is not None and self._held_driver.is_lost and self._held_driver.is_ours

    # Relations of the user's

    def table(self, text: str) -> str | None:
        """Return a table of the user's as SQL, or None where there is no such table."""
        name = dialects.relation(text, self.dialect)
        with self._driver() as driver:
            return name if driver.has_table(name) else None

    def query(self, text: str) -> str:
        """Return a query of the user's as SQL; stored once, where something may be stored."""
        relation = dialects.relation(text, self.dialect)
        if not self.stores_queries:
            return relation
        return self._storage.store_query(f"SELECT * FROM {relation} s")

    def query_columns(self, _text: str, described: Sequence[str]) -> list[str]:
        """Return the column names of a query; the second of two equal names gets a suffix."""
        suffix = self.dialect.repeated
        return list(described) if suffix is None else [re.sub(suffix, "", name) for name in described]

    @property
    def stores_queries(self) -> bool:
        """Whether a query of the user's runs once and is stored, rather than being read several times."""
        return self._storage.is_allowed

    @property
    def takes_files(self) -> bool:
        """Whether files and Python objects can be loaded."""
        return self._storage.is_allowed

    def local(self, label: str) -> DuckDB:
        """Return the DuckDB that reads files and Python objects; raise UsageError if nothing may be stored."""
        if not self.takes_files:
            raise UsageError(
                f"{label}: the query runs in {self._label}, which has no such table. To store your data there,"
                " pass materialize= with a schema, or temp."
            )
        self._local = self._local or DuckDB()
        return self._local

    def upload(self, role: str, local: DuckDB, select: str) -> str:
        """Load the rows of a query in the local DuckDB; the table is dropped when the evaluation ends."""
        types = {name: stored_type(type_) for name, type_ in local.describe(f"({select}) AS s").items()}
        casts = ", ".join(f"CAST({quoted(name)} AS {type_}) AS {quoted(name)}" for name, type_ in types.items())
        rows = local.stream(f"SELECT {casts} FROM ({select}) AS s")
        columns = {self._write_name(name): dialects.data_type(type_, self.dialect) for name, type_ in types.items()}
        name = self._storage.store_rows(role, columns, rows)
        self._objects.append(name)
        return name

    @property
    def loaded_objects(self) -> Sequence[str]:
        """The names of tables that hold the rows of files and Python objects."""
        return self._objects

    def store(self, role: str, text: str) -> str | None:
        """Store the rows of a statement until the evaluation ends; return None where nothing may be stored."""
        if not self.stores_queries or not self.dialect.create_table_as:
            return None
        return self._storage.store_query(text, role)

    def column(self, name: str) -> str:
        """Return the column of exactly that name in statements: quoted where the dialect would change its case."""
        is_plain = self._is_plain(name) and not is_reserved(name, self.dialect)
        return quoted(name) if is_plain else quote_name(name)

    def _write_name(self, name: str) -> str:
        """Return a column's name in the dialect itself."""
        return name if self._is_plain(name) and quoted(name, self.dialect) == name else quote_name(name, self.dialect)

    def _is_plain(self, name: str) -> bool:
        fold = self.dialect.folds
        return fold is None or (name.lower() if fold == "lower" else name.upper()) == name

    def describe(self, relation: str) -> dict[str, str]:
        """Return the columns of a relation and their types, in DuckDB's words."""
        with self._driver() as driver:
            return driver.describe(f"{relation} s")

    def collated(self, relation: str, types: Mapping[str, str]) -> list[str]:
        """Return the columns in which texts of different bytes can be equal, if the dialect has a rule for that.

        Elsewhere texts are compared by their bytes anyhow, or always made to be.
        """
        texts = [name for name, type_ in types.items() if type_.startswith(_TEXT_TYPES)]
        condition = self.dialect.column_collation
        if condition is None or not texts:
            return []
        sql = collations(relation, map(self._write_name, texts), condition)
        row = self.run(sql)[1][0]
        return [name for name, has_collation in zip(texts, row, strict=True) if has_collation]

    def is_number(self, type_: str) -> bool:
        """Whether the type of a column can be cast to a number without looking at its values."""
        return not (type_ == "BOOLEAN" and self.dialect.strict_booleans)

    # Statements

    def run(self, text: str) -> tuple[list[str], list[Row]]:
        """Run a statement; return the names of its columns, and its rows."""
        with self._driver() as driver:
            return driver.fetch(text)

    def batches(self, text: str, size: int) -> Generator[Any, None, None]:
        """Yield the result of a statement as Arrow record batches."""
        with self._driver() as driver:
            yield from driver.batches(text, size)

    def as_numbers(self, rows: Sequence[Row], types: Mapping[int, type]) -> list[Row]:
        """Return rows with floats or integers in some places: engines sum integers to decimals, and write 0 for 0.0."""
        return [
            tuple(
                types[place](value) if place in types and value is not None else value
                for place, value in enumerate(row)
            )
            for row in rows
        ]

    def estimate(self, text: str) -> Estimate | None:
        """Return what the database expects a statement to read."""
        with self._driver() as driver:
            return driver.estimate(text)

    # Tables and views in the database

    def create(self, kind: str, name: str, text: str, *, replace: Replace) -> None:
        target = check_target(name, self.dialect)
        query = dialects.unordered(text, self.dialect)
        with contextlib.closing(self._connect(True)) as driver:
            if not driver.has_table(target):
                try:
                    self._carry_out(creation(kind, target, query, self.dialect, replace=False), driver)
                    return
                except DatabaseTimeoutError:
                    raise
                except DatabaseError:
                    if not _is_there_now(target, driver):  # another process may have been faster
                        raise
            if not replace:
                raise name_taken(name)
            plan = self._replacement(kind, name, target, query, driver, recreate=replace == RECREATE)
            with replacing(name, kind):
                self._carry_out(plan, driver)

    def _replacement(
        self, kind: str, name: str, target: str, query: str, driver: Driver, *, recreate: bool
    ) -> Creation:
        """Return the statements that replace a table or view; raise UsageError where it is not to be replaced."""
        database = self._access(driver)
        is_view = about(self.dialect.is_view, target, self.dialect)
        if is_view is not None and bool(database.fetch(is_view)[0][0]) != (kind == "view"):
            raise other_kind(name, kind)
        check_not_read(name, query, self.dialect, database.fetch)
        keeps = kind == "table" and not recreate
        if keeps and can_refill(target, database, transactions=driver.has_transactions):
            return refill(name, target, query, database)
        return creation(kind, target, query, self.dialect, replace=True)

    def _access(self, driver: Driver) -> Access:
        def describe(relation: str) -> Mapping[str, str]:
            if not self.dialect.dynamic_types:
                return driver.describe(f"{relation} s")
            return dict.fromkeys(driver.fetch(f"SELECT * FROM {relation} s WHERE 1 = 0")[0], "")

        return Access(self.dialect, describe, lambda sql: driver.fetch(sql)[1], driver.execute)

    def _carry_out(self, plan: Creation, driver: Driver) -> None:
        try:
            driver.atomically(plan.statements, only_rows=plan.only_rows)
        except BaseException:
            self._undo(plan, driver)
            raise

    def _undo(self, plan: Creation, failed: Driver) -> None:
        """Clean up after a creation that failed, over another connection if that one is lost; warn if that fails."""
        is_done, reason = not plan.tables, "the connection is lost"
        try:
            with self._second_driver() if failed.is_lost else contextlib.nullcontext(failed) as driver:
                for statement in plan.undo:
                    with contextlib.suppress(RankmetricsError):  # one of a step that was not reached
                        driver.execute(statement)
                is_done = is_done or not driver.is_lost
        except DatabaseError as error:
            reason = str(error)
        finally:  # also after another Ctrl-C
            if not is_done:
                warnings.warn(_may_be_left(plan.tables, self._label, reason), RankmetricsWarning, stacklevel=4)

    def change(self, statements: Sequence[str]) -> None:
        """Run statements that change the database: all or none, where the database has such transactions."""
        with contextlib.closing(self._connect(True)) as driver:
            driver.atomically(statements)

    @property
    def visiting(self) -> bool:
        """Whether something is stored that ``forget`` is to remove."""
        return bool(self._storage)

    def forget(self) -> None:
        """Drop the tables that were stored. Temporary ones end with a connection of ours that is lost."""
        self._storage.drop(self._label, ended=self._is_cut_off)
