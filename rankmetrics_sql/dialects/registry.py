"""Find a dialect: by its name, by what people or drivers call it."""

from __future__ import annotations

from typing import Any

from ..errors import UsageError, nearest, shortened
from .dialect import Dialect
from .known import DUCKDB, KNOWN

CANONICAL = DUCKDB  # in which all text is written first


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
    found = KNOWN.get(name) or next((one for one in all_dialects() if name in one.also_called), None)
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
    parent = KNOWN[adapter].parent if adapter in KNOWN else None
    return () if parent is None else (parent,)


def all_dialects() -> tuple[Dialect, ...]:
    """Return every dialect, the executed ones first."""
    return tuple(sorted(KNOWN.values(), key=lambda dialect: (not dialect.executed, dialect.name)))


def _names() -> list[str]:
    return [dialect.name for dialect in all_dialects()]
