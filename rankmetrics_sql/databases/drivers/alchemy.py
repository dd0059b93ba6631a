"""SQLAlchemy's engines and connections, of which only the DB-API connection below is used."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from ...dialects import Dialect
from ...errors import DatabaseError, UsageError, nearest
from ...optional import optional
from ..problems import message
from .addresses import Address
from .base import Driver, Through
from .classes import is_a
from .families import wrap


def is_engine(thing: Any) -> bool:
    """Whether it is SQLAlchemy's Engine."""
    return is_a(thing, "sqlalchemy.engine", "Engine")


def is_connection(thing: Any) -> bool:
    """Whether it is SQLAlchemy's Connection."""
    return is_a(thing, "sqlalchemy.engine", "Connection")


def out_of_session(thing: Any) -> Any:
    """The connection of SQLAlchemy's session, in whose transaction it is; anything else as it is."""
    is_session = is_a(thing, "sqlalchemy.orm", "Session") or is_a(thing, "sqlalchemy.orm", "scoped_session")
    return thing.connection() if is_session else thing


def from_engine(
    engine: Any, dialect: Dialect | None, *, label: str | None = None, secrets: Sequence[str] = ()
) -> Driver:
    """A driver for SQLAlchemy's Engine: on one connection of its pool, which ``close`` gives back.

    Args:
        engine: the user's or ours.
        dialect: the user's choice.
        label: what to call it.
        secrets: what to keep out of messages.

    Raises:
        DatabaseError: it cannot connect.
        UsageError: the dialect contradicts it.
    """
    label = label or f"SQLAlchemy engine ({engine.dialect.name})"
    secrets = [*secrets, str(engine.url.password or "")]
    try:
        pooled = engine.raw_connection()
    except Exception as error:  # noqa: BLE001 - drivers raise whatever they like
        raise DatabaseError(f"{label}: cannot connect: {message(error, secrets)}") from None
    return wrap(
        pooled.dbapi_connection,
        dialect,
        engine.dialect.name,
        label=label,
        secrets=secrets,
        close=pooled.close,
        another=engine.raw_connection,
    )


def from_connection(connection: Any, dialect: Dialect | None) -> Driver:
    """A driver for SQLAlchemy's Connection, which has a transaction open from the first statement on, or before."""
    return wrap(
        connection.connection.dbapi_connection,
        dialect,
        connection.dialect.name,
        label=f"SQLAlchemy connection ({connection.dialect.name})",
        another=connection.engine.raw_connection,
        in_transaction=connection.in_transaction,
    )


def open_address(address: Address, choices: Sequence[Through], dialect: Dialect | None) -> Driver:
    """A driver on an engine of our own.

    Args:
        address: of the database.
        choices: what SQLAlchemy may take, by preference.
        dialect: the user's choice.

    Raises:
        UsageError: a package is missing.
        DatabaseError: it cannot connect.
    """
    through = _through(address, choices)
    name = f"{address.scheme}+{through.name}" if through.name else address.scheme
    missing = through.missing(name)
    known = [choice.name for choice in choices if choice.name]
    if known and through not in choices:
        missing += f". {nearest(through.name, known)}"
    alchemy = optional("sqlalchemy", missing)
    url = f"{name}://{address.url.partition('://')[2]}"
    try:
        engine = alchemy.create_engine(url, poolclass=alchemy.pool.NullPool)
    except (ImportError, alchemy.exc.NoSuchModuleError):
        raise UsageError(missing) from None
    return from_engine(engine, dialect, label=address.label, secrets=address.secrets)


def _through(address: Address, choices: Sequence[Through]) -> Through:
    """The package that the URL names, else the first that is installed."""
    if address.through:
        named = (choice for choice in choices if choice.name == address.through)
        return next(named, Through(address.through, "", f"sqlalchemy {address.through}"))
    installed = (choice for choice in choices if find_spec(choice.module.partition(".")[0]))
    return next(installed, choices[0])
