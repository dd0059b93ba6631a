"""The interface of drivers, the record of each kind of database, and how objects are recognised.

Objects are recognised by the names of their classes and modules, without importing any package.
"""

from __future__ import annotations

import contextlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from ..dialects import Dialect, subquery
from ..dialects.plans import join_plan
from ..errors import DatabaseError, RankmetricsError
from ..optional import optional
from ..rows import Answer, Estimate
from . import cancel, sockets
from .addresses import Address
from .problems import is_lost, is_missing, refusal


def is_a(thing: Any, module: str, name: str) -> bool:
    """Whether an object is of a class of that name, in the module or below it."""
    return f"{module}:{name}" in names_of(thing)


def names_of(thing: Any) -> Iterator[str]:
    """Yield ``module:Class`` and ``module`` for each class of an object, and for the packages above the module."""
    for type_ in type(thing).__mro__:
        parts = type_.__module__.split(".")
        for module in (".".join(parts[:length]) for length in range(len(parts), 0, -1)):
            yield f"{module}:{type_.__name__}"
            yield module


def modules_of(thing: Any) -> Iterator[str]:
    """Return the modules of an object's classes, each with the packages that it is in."""
    return (name for name in names_of(thing) if ":" not in name)


def is_dbapi(thing: Any) -> bool:
    """Whether an object has the methods of a DB-API connection (PEP 249)."""
    return not isinstance(thing, type) and all(callable(getattr(thing, name, None)) for name in ("cursor", "close"))


def type_name(thing: Any) -> str:
    """Return the name of an object's kind for messages."""
    type_ = type(thing)
    return type_.__name__ if type_.__module__ == "builtins" else f"{type_.__module__.split('.')[0]}'s {type_.__name__}"


def estimate(dialect: Dialect, sql: str, fetch: Callable[[str], Answer]) -> Estimate | None:
    """Return what the database expects to read for a statement, which does not run; None if it does not say."""
    if dialect.explain is None:
        return None
    subquery(sql, dialect)  # refuses all but one query: what follows a semicolon would run
    answer = fetch(f"{dialect.explain} {sql}")
    rows, size = (None, None) if dialect.read_plan is None else dialect.read_plan(answer)
    return Estimate(_whole(rows), _whole(size), join_plan(answer))


def _whole(number: float | None) -> int | None:
    return round(number) if number is not None and math.isfinite(number) else None


T = TypeVar("T")


class Package(NamedTuple):
    """A package by which SQLAlchemy reaches a database.

    Attributes:
        name: SQLAlchemy's name for it, which follows the ``+`` in a URL; empty for the dialect's default.
        module: the module to import.
        install: the arguments of ``pip install``.
        connect_timeout: its argument for the seconds that connecting may take, where its own default is no limit.
        application: its argument for the name of the application; a dot leads to a name in a mapping.
    """

    name: str
    module: str
    install: str
    connect_timeout: str = ""
    application: str = ""

    def introduction(self, address: Address) -> dict[str, Any]:
        """Return the argument that tells a database who we are, unless the URL names another application."""
        argument, _, key = self.application.partition(".")
        if not argument or argument.lower() in map(str.lower, address.options):
            return {}
        return {argument: {key: address.application} if key else address.application}

    def load(self, scheme: str) -> Any:
        """Import the module, or raise UsageError."""
        return optional(self.module, self.missing(scheme))

    def missing(self, scheme: str) -> str:
        """Return the message that the package is not installed."""
        return f"{scheme}:// needs a package that is not installed: pip install {self.install}"


@dataclass(frozen=True)
class Family:
    """A kind of database or client: a row of the table in ``families``.

    The functions at the end are what differs between DB-API clients; None stands for what most of them do.

    Attributes:
        driver: the class that sends statements to it.
        modules: the modules of its DB-API connections, ``module:Class`` of other connections and clients.
        vendor: what SQLAlchemy, ibis or ADBC call the database.
        schemes: the schemes of its URLs.
        packages: the packages that may open its URLs, the preferred one first.
        in_transaction: returns whether the connection has a transaction open. Where none is, none is ended either.
        type_word: returns a column's type in DuckDB's words, from the cursor's description of it.
        fetch_arrow: returns the next rows of a cursor as an Arrow table.
        cancel: cancels the running statement, given the connection and the cursor.
        executemany: whether ``executemany`` of a cursor sends many rows of an INSERT at once.
    """

    driver: type[Driver]
    modules: tuple[str, ...] = ()
    vendor: str = ""
    schemes: tuple[str, ...] = ()
    packages: tuple[Package, ...] = ()
    in_transaction: Callable[[Any], bool] | None = None
    type_word: Callable[[Sequence[Any]], str] | None = None
    fetch_arrow: Callable[[Any, int], Any] | None = None
    cancel: Callable[[Any, Any], None] | None = None
    executemany: bool = False


class Driver(ABC):
    """A way to reach a database.

    A driver neither commits nor rolls back a transaction that the user has open. Where the database has savepoints, an
    error in a statement of ours does not break that transaction.

    Attributes:
        family: its row of the table in ``families``.
        connection: the user's or ours.
        dialect: the dialect of its statements.
        label: its name in messages, without passwords.
        name: the name of its database for readers, without host and user; None if no URL has it.
        timeout: the seconds that a statement may take, and then each batch of its rows; None for any time.
        is_lost: whether the connection is of no more use: the server is gone, or did not answer in time.
        patience: the seconds that the database has to give up a cancelled statement.
    """

    timeout: float | None = None
    is_lost = False
    patience = cancel.PATIENCE

    def __init__(
        self,
        family: Family,
        connection: Any,
        dialect: Dialect,
        label: str,
        *,
        name: str | None = None,
        close: Callable[[], None] | None = None,
        discard: Callable[[], None] | None = None,
        open_second: Callable[[], Any] | None = None,
        in_transaction: Callable[[], bool] | None = None,
        secrets: Sequence[str] = (),
    ) -> None:
        """Wrap a connection.

        Args:
            family: its row of the table.
            connection: the user's or ours.
            dialect: the dialect of its statements.
            label: its name in messages.
            name: the name of its database, if a URL has it.
            close: closes it, if it is ours.
            discard: closes it in place of ``close`` where it is lost.
            open_second: opens a second connection to the same server.
            in_transaction: whether the user has a transaction open which the connection does not know of yet.
            secrets: what messages must not show.
        """
        self.family = family
        self.connection = connection
        self.dialect = dialect
        self.label = label
        self.name = name
        self._close = close
        self._discard = discard or close
        self._left: Future[Any] | None = None  # the call that may still use a connection which was given up
        self._open_second = open_second
        self._in_transaction = in_transaction or (lambda: False)
        self._secrets = tuple(secrets)

    def __repr__(self) -> str:
        return f"<{self.label}>"

    # Its connections.

    @classmethod
    def open(cls, family: Family, address: Address, *, writable: bool) -> Any | None:  # noqa: ARG003
        """Open a connection that refuses to write unless it is writable; return None where SQLAlchemy opens it."""
        return None

    @classmethod
    def within(cls, connection: Any) -> Any:
        """Return the object that statements are sent to: the connection, or the one that it wraps."""
        return connection

    @classmethod
    def database(cls, connection: Any) -> str | None:  # noqa: ARG003
        """Return what SQLAlchemy, ibis or ADBC call the connection's database; None for the family's vendor."""
        return None

    @classmethod
    def label_of(cls, connection: Any) -> str:
        """Return the name of a user's connection in messages."""
        return f"the {type_name(connection)}"

    @classmethod
    def name_of(cls, path: str) -> str:
        """Return the name of a database for readers, by what a URL says behind the host."""
        return path

    # Statements.

    @abstractmethod
    def fetch(self, sql: str) -> Answer:
        """Run a query; return the names of its columns, and its rows as plain values of Python.

        Raise DatabaseError if the database refuses it, or the time is over.
        """

    @abstractmethod
    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """Run a query; yield Arrow record batches of about ``size`` rows, as they arrive where the driver can do that.

        Until the last batch is taken or the iterator is closed, the connection may be of no other use.
        """

    @abstractmethod
    def execute(self, sql: str) -> None:
        """Run a statement that has no rows, such as CREATE or INSERT.

        It is committed, unless it belongs to a transaction that the user has open.
        """

    @property
    def has_transactions(self) -> bool:
        """Whether several statements that change rows can be one transaction, which is left to nobody else to end."""
        return False

    def atomically(self, statements: Sequence[str], *, only_rows: bool = False) -> None:  # noqa: ARG002
        """Run all of the statements or none, where CREATE and DROP are transactional; else one after the other.

        Those that change ``only_rows`` need ``has_transactions``.
        """
        for sql in statements:
            self.execute(sql)

    @abstractmethod
    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """Add rows to a table. Names are SQL, types the database's, values Python's in the order of the columns."""

    @abstractmethod
    def describe(self, relation: str) -> dict[str, str]:
        """Return the columns of a relation, which is SQL, and their types in DuckDB's words, else in the database's."""

    def has_table(self, relation: str) -> bool:
        """Whether there is a table or view of a name, which is SQL."""
        try:
            self.check_exists(relation)
        except Exception as error:
            if is_missing(error):
                return False
            raise
        return True

    def check_exists(self, relation: str) -> None:
        """Raise if there is no such relation."""
        self.describe(relation)

    def estimate(self, sql: str) -> Estimate | None:
        """Return what the database expects to read for a query, without running it; None if it does not say."""
        return estimate(self.dialect, sql, self.fetch)

    @abstractmethod
    def cancel(self) -> None:
        """Stop the running statement, from another thread, on the server too."""

    @property
    def is_ours(self) -> bool:
        """Whether we opened the connection, or took it out of a pool."""
        return self._close is not None

    @property
    def _is_in_use(self) -> bool:
        """Whether a thread that was left behind still uses the connection."""
        return self._left is not None and not self._left.done()

    def cut(self, call: Future[Any]) -> None:
        """Give the connection up. If it is ours, close its socket, so that the call which waits for it ends."""
        self.is_lost, self._left = True, call
        if self.is_ours:
            sockets.shut(self.connection)

    def close(self) -> None:
        """Close what we opened ourselves, never the user's connection."""
        close, self._close = self._close, None
        if close is None:
            return
        if not self.is_lost:
            close()
        elif self._discard and not self._is_in_use:  # else closing would wait, too
            with contextlib.suppress(Exception):
                self._discard()

    # How statements run.

    def watched(self, call: Callable[[], T], sql: str) -> T:
        """Return the result of a call that Ctrl-C and the timeout can stop."""
        if self._is_in_use:
            raise DatabaseError(f"{self.label} still waits for a statement that was given up. Connect again.", sql)
        return cancel.run(call, self.cancel, self.timeout, sql, cut=self.cut, patience=self.patience)

    def _translate_errors(self, call: Callable[[], T], sql: str) -> T:
        """Return the result of a call; raise its errors as ours, in one line and without secrets."""
        try:
            return self.watched(call, sql)
        except Exception as error:  # noqa: BLE001 - drivers raise whatever they like
            raise self._refusal(error, sql) from None

    def _refusal(self, error: Exception, sql: str) -> RankmetricsError:
        """Return the error that the user sees; remember that the connection is lost, if that is what it says."""
        self.is_lost = self.is_lost or is_lost(error)
        return refusal(error, sql, self._secrets)
