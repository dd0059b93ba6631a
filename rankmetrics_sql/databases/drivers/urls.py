"""Opens the database that a URL names, for reading only where the database can be told so. Nothing is created."""

from __future__ import annotations

import contextlib

from ...dialects import CANONICAL, Dialect, check_dialect
from ...dialects.registry import find_by_vendor
from ...errors import DatabaseError, RankmetricsError, UsageError
from ..problems import message
from .addresses import Address, read
from .alchemy import open_address
from .base import Driver
from .families import SCHEMES, wrap


def open_url(url: str, dialect: Dialect | str | None = None, *, writable: bool = False) -> Driver:
    """A driver on a connection of our own.

    Args:
        url: as SQLAlchemy writes them: ``postgresql://user:password@host/database``.
        dialect: what to write statements in, where the database is not what the URL says.
        writable: whether something is to be left in the database; else it is told to refuse that, if it can be.

    Raises:
        UsageError: the URL is not one, its database is unknown, or a package is missing.
        DatabaseError: the database cannot be reached, or lets nobody in.
        DataError: there is no such file.
    """
    address = read(url, [*SCHEMES, CANONICAL.name])
    spoken = None if dialect is None else check_dialect(dialect)
    if address.scheme not in SCHEMES:
        raise UsageError(f"{address.scheme}:// needs no driver.")
    try:
        return _opened(address, spoken, writable)
    except RankmetricsError:
        raise
    except Exception as error:  # noqa: BLE001 - packages raise whatever they like
        raise DatabaseError(f"{address.label}: cannot connect: {message(error, address.secrets)}") from None


def _opened(address: Address, dialect: Dialect | None, writable: bool) -> Driver:
    family = SCHEMES[address.scheme]
    connection = family.open(address, writable=writable)
    if connection is not None:
        known = {"label": address.label, "close": connection.close, "secrets": address.secrets}
        return wrap(connection, dialect, address.scheme, **known)
    driver = open_address(address, family.through, dialect)
    _prepare(driver, find_by_vendor(address.scheme), writable)
    return driver


def _prepare(driver: Driver, found: Dialect | None, writable: bool) -> None:
    """Set up the session that was opened, by the words of its database."""
    if found is None:
        return
    if found.session_setting is not None:
        with contextlib.suppress(DatabaseError):  # a version without the setting does without it
            driver.execute(found.session_setting)
    if found.read_only is not None and not writable:
        driver.execute(found.read_only)
