"""What a driver does, what is known of each kind of database, and how objects are recognised.

Objects are recognised by the names of their classes and modules, without importing any package.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from ..dialects import Dialect, subquery
from ..dialects.plans import join_plan
from ..optional import optional
from ..rows import Answer, Estimate
from . import cancel
from .addresses import Address
from .problems import is_missing, refusal


def is_a(thing: Any, module: str, name: str) -> bool:
    """Whether a class of that name, in the module or below it, is among the classes of the object."""
    return f"{module}:{name}" in names_of(thing)


def names_of(thing: Any) -> Iterator[str]:
    """``module:Class`` and ``module`` of each of an object's classes, and so of each package that they are in."""
    for type_ in type(thing).__mro__:
        parts = type_.__module__.split(".")
        for module in (".".join(parts[:length]) for length in range(len(parts), 0, -1)):
            yield f"{module}:{type_.__name__}"
            yield module


def modules_of(thing: Any) -> Iterator[str]:
    """The modules of an object's classes, each with the packages that it is in."""
    return (name for name in names_of(thing) if ":" not in name)


def is_dbapi(thing: Any) -> bool:
    """Whether it has what PEP 249 asks of a connection."""
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
    """

    name: str
    module: str
    install: str

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
        cancel: cancels what a connection runs, given the connection and the cursor that is running.
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


class Driver(ABC):
    """A way to reach a database.

    A driver neither commits nor rolls back a transaction that the user has open. Where the database has savepoints, an
    error in a statement of ours does not break that transaction.

    Attributes:
        family: its row of the table in ``families``.
        connection: the user's or ours.
        dialect: what to write statements in.
        label: what to call it in messages: without passwords and the like.
        timeout: the seconds that a statement may take, and then each batch of its rows; None for any time.
    """

    timeout: float | None = None

    def __init__(
        self,
        family: Family,
        connection: Any,
        dialect: Dialect,
        label: str,
        *,
        close: Callable[[], None] | None = None,
        another: Callable[[], Any] | None = None,
        in_transaction: Callable[[], bool] | None = None,
        secrets: Sequence[str] = (),
    ) -> None:
        """Wrap a connection.

        Args:
            family: its row of the table.
            connection: the user's or ours.
            dialect: what to write statements in.
            label: what to call it.
            close: gives it up, if it is ours.
            another: opens a second connection to the same server.
            in_transaction: whether the user has a transaction open which the connection does not know of yet.
            secrets: what to keep out of messages.
        """
        self.family = family
        self.connection = connection
        self.dialect = dialect
        self.label = label
        self._close = close
        self._another = another
        self._in_transaction = in_transaction or (lambda: False)
        self._secrets = tuple(secrets)

    def __repr__(self) -> str:
        return f"<{self.label}>"

    # Which connections are its own.

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

    # What it does.

    @abstractmethod
    def fetch(self, sql: str) -> Answer:
        """Runs a query.

        Args:
            sql: the statement.

        Returns:
            The names of its columns, and its rows as plain values of Python.

        Raises:
            DatabaseError: the database refused it, or the time is over.
        """

    @abstractmethod
    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """Runs a query whose rows come as Arrow record batches, as they arrive where the driver can do that.

        Until the last one is taken or the iterator is closed, the connection may be of no other use.

        Args:
            sql: the statement.
            size: about how many rows a batch has.

        Raises:
            DatabaseError: the database refused it, or the time is over.
            UsageError: pyarrow is not installed.
        """

    @abstractmethod
    def execute(self, sql: str) -> None:
        """Runs a statement that has no rows, such as CREATE or INSERT.

        It is committed, unless it belongs to a transaction that the user has open.
        """

    def atomically(self, statements: Sequence[str]) -> None:
        """Runs all of the statements or none, where CREATE and DROP are transactional; else one after the other."""
        for sql in statements:
            self.execute(sql)

    @abstractmethod
    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """Adds rows to a table.

        Args:
            table: its name as SQL.
            columns: the names of its columns as SQL, and their types in the database's words.
            rows: the values, of Python, in the columns' order.
        """

    @abstractmethod
    def describe(self, relation: str) -> dict[str, str]:
        """The columns of a relation and their types, in DuckDB's words where it has one, else in the database's.

        Args:
            relation: what can stand behind FROM.
        """

    def has_table(self, relation: str) -> bool:
        """Whether there is a table or view of that name.

        Args:
            relation: its name as SQL.

        Raises:
            DatabaseError: the database refuses to say, or anything else is the matter.
        """
        try:
            self.look(relation)
        except Exception as error:
            if is_missing(error):
                return False
            raise
        return True

    def look(self, relation: str) -> None:
        """Fails if the relation is not there."""
        self.describe(relation)

    def estimate(self, sql: str) -> Estimate | None:
        """Return what the database expects to read for a query, without running it; None if it does not say."""
        return estimate(self.dialect, sql, self.fetch)

    @abstractmethod
    def cancel(self) -> None:
        """Stops the statement that is running, from another thread, on the server too."""

    def close(self) -> None:
        """Closes what we opened ourselves, never the user's connection."""
        close, self._close = self._close, None
        if close:
            close()

    # How it is done.

    def watched(self, call: Callable[[], T], sql: str) -> T:
        """The result of a call that Ctrl-C and the timeout stop."""
        return cancel.run(call, self.cancel, self.timeout, sql)

    def _translated(self, call: Callable[[], T], sql: str) -> T:
        try:
            return self.watched(call, sql)
        except Exception as error:  # noqa: BLE001 - drivers raise whatever they like
            raise refusal(error, sql, self._secrets) from None
