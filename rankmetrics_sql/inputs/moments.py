"""Times that are kept as whole numbers since 1970: what unit they look like, and the SQL that makes moments of them."""

from __future__ import annotations

from ..dialects.names import unquoted
from ..errors import DatabaseError
from ..remedies import advise
from ..statements.relation import Relation
from ..templates import macros
from .ids import is_number

# Units since 1970 by the lowest number that looks like one, with how many microseconds each has, and DuckDB's function.
_UNITS = (
    (1e17, "nanoseconds", " / 1000", "MAKE_TIMESTAMP_NS({})"),
    (1e14, "microseconds", "", "MAKE_TIMESTAMP({})"),
    (1e11, "milliseconds", " * 1000", "EPOCH_MS({})"),
    (1e8, "seconds", " * 1000000", "TO_TIMESTAMP({})"),
)


def refuse_numbers(relation: Relation, column: str, *, named: str = "columns") -> None:
    """Refuses a column of numbers where a time is needed.

    Args:
        relation: whose column.
        column: as statements write it.
        named: how the user names it: in ``columns=``, or by the ``rule`` of a source.

    Raises:
        DataError: it is one; the message says what its numbers look like.
    """
    name = unquoted(column, relation.dialect)
    type_ = (relation.types or {}).get(name, "")
    if not is_number(type_) or relation.database is None:
        return
    own = relation.shown(name)
    begin = f"time (column {own!r}) is {type_}, not a time."
    largest = _largest(relation, column)
    unit = next((found for found in _UNITS if largest is not None and largest >= found[0]), None)
    if unit is None:
        raise relation.refuse(f"{begin} Pass a column of timestamps, or SQL that makes one of it.")
    _, unit_name, scale, function = unit
    known = macros(relation.dialect.name)
    moment = function.format(own) if relation.dialect.canonical else known["rm_moment_of_microseconds"](f"{own}{scale}")
    how = advise("columns", "time", moment) if named == "columns" else advise("rule", "time", moment)
    raise relation.refuse(f"{begin} {largest:.0f} looks like {unit_name} since 1970. Pass {how}.")


def _largest(relation: Relation, column: str) -> float | None:
    try:
        _, [(largest,)] = relation.database.run(f"SELECT MAX({column}) FROM {relation.sql} u")  # type: ignore[union-attr]
    except DatabaseError:
        return None
    return None if largest is None else float(largest)
