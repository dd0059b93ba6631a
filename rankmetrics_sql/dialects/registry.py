"""The dialects that are known: the files of a folder, each of which is imported when it is asked for."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from ..errors import UsageError, nearest, shortened
from . import known
from .dialect import Dialect
from .known import duckdb

CANONICAL = duckdb.DIALECT  # in which all text is written first


def check_dialect(dialect: Any) -> Dialect:
    """A dialect by its name, or by what people call it too, in any case.

    Raises:
        UsageError: it is none of those that are executed or rendered.
    """
    if isinstance(dialect, Dialect):
        return dialect
    if not isinstance(dialect, str):
        raise UsageError(f"dialect takes the name of a dialect, not {shortened(dialect)}. {nearest('', _names())}")
    name = dialect.lower()
    if name in _files():
        return _load(name)
    found = next((one for one in all_dialects() if name in one.also_called), None)
    if found is None:
        raise UsageError(f"Unknown dialect {shortened(dialect)}. {nearest(dialect, _names())}")
    return found


def find_by_vendor(name: str) -> Dialect | None:
    """Return the dialect of a database by the name that SQLAlchemy, ibis or ADBC give it."""
    return next((one for one in all_dialects() if name.lower() in one.vendors), None)


def reached_as(dialect: Dialect) -> tuple[Dialect, ...]:
    """The dialects whose connections may introduce themselves as this one's."""
    return tuple(one for one in all_dialects() if one.reached_as == dialect.name)


def parents(adapter: str) -> tuple[str, ...]:
    """The adapter of dbt whose macros an adapter takes where it has none, if there is one."""
    parent = _load(adapter).parent if adapter in _files() else None
    return () if parent is None else (parent,)


@cache
def all_dialects() -> tuple[Dialect, ...]:
    """Return every dialect, the executed ones first."""
    return tuple(sorted(map(_load, _files()), key=lambda dialect: (not dialect.executed, dialect.name)))


def _names() -> list[str]:
    return [dialect.name for dialect in all_dialects()]


@cache
def _files() -> frozenset[str]:
    from pkgutil import iter_modules

    return frozenset(module.name for module in iter_modules(known.__path__))


def _load(name: str) -> Dialect:
    record: Dialect = importlib.import_module(f"{known.__name__}.{name}").DIALECT
    return record
