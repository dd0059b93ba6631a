"""The columns of a log with one value in each request, from the log or from a table of all requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...databases import Engine
from ...dialects.names import unquoted
from ...statements.relation import Relation
from ...templates import macros
from .base import Rows

_SHOWN = 3  # requests that a message names


def check_requests(source: Rows, rows: Relation, context: Mapping[str, Sequence[str]], place: Engine) -> None:
    """Refuses requests without an arm, and those of which nobody, or two tables differently, say what is asked for.

    Args:
        source: a log.
        rows: what is handed on of it.
        context: the columns to hand on, as ``Rows.context`` has them.
        place: the database.

    Raises:
        DataError: there is such a request.
    """
    keys = source.meanings(place.dialect)["query_id"]
    _check_conflicts(source, rows, context, place, len(keys))
    listed = ", ".join(keys)

    def refuse(condition: str, problem: str) -> None:
        _, found = place.run(f"SELECT {listed} FROM {rows.sql} u {condition}")
        if found:
            raise rows.refuse(f"{_counted(found)} {problem}: {_named(found)}.")

    named = macros()["rm_last_part"]
    arms = [name for columns in source.context([source.arm or ""], place.dialect).values() for name in columns]
    for arm in arms[:1]:  # none where the arm is a part of what names a request
        refuse(f"GROUP BY {listed} HAVING COUNT({named(arm)}) = 0", f"without an arm ({source.arm})")
    for name in context["context"] if source.knows_requests else ():
        if name not in context["queries_context"]:
            refuse(
                f"WHERE item_id IS NULL AND position IS NULL AND {named(name)} IS NULL",
                f"without an impression, of which queries= does not say {unquoted(name, place.dialect)}",
            )


def _check_conflicts(
    source: Rows, rows: Relation, context: Mapping[str, Sequence[str]], place: Engine, n_keys: int
) -> None:
    """Refuses a request of which the two tables say different things; its time is that of the table of requests."""
    of_queries = [name for name in context.get("queries_context", []) if not _is_time(source, name, place)]
    both = [name for name in of_queries if name in context["context"]]
    if source.conflicts is None or not both:
        return
    asked = {**context, "queries_context": of_queries}
    _, found = place.run(source.text(source.conflicts, place.dialect, asked))
    if not found:
        return
    names = [unquoted(name, place.dialect) for name in both]
    told: list[str] = []
    differing: dict[str, None] = {}
    for row in found:
        values = row[n_keys:]
        pairs = zip(names, values[::2], values[1::2], strict=True)
        own = {name: f"{_shown(one)} and {_shown(other)}" for name, one, other in pairs if one is not None}
        differing |= dict.fromkeys(own)
        told.append(
            f"{' '.join(map(str, row[:n_keys]))} ({', '.join(f'{name}: {pair}' for name, pair in own.items())})"
        )
    raise rows.refuse(
        f"{_counted(found)} of which queries= says something else than the impressions do ({', '.join(differing)}),"
        f" the request and both: {'; '.join(told[:_SHOWN])}."
    )


def _is_time(source: Rows, name: str, place: Engine) -> bool:
    """Whether a column is the time of the log."""
    return source.time is not None and unquoted(name, place.dialect).lower() == source.time.lower()


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) else str(value)


def _counted(found: Sequence[Any]) -> str:
    return f"{len(found):,} {'request' if len(found) == 1 else 'requests'}"


def _named(found: Sequence[Sequence[Any]]) -> str:
    return "; ".join(" ".join(map(str, row)) for row in found[:_SHOWN])
