"""Advice on how to make a log read its ids in another form."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...remedies import advise
from .base import Rows


def meaning_of(name: str) -> str:
    """Return the meaning of an id column of a log."""
    return {"user_id": "user", "item_id": "item"}.get(name, "request")


def has_argument(source: Rows, name: str) -> bool:
    """Whether an argument of the source names the column of these ids, as those of schemas do not."""
    return f"{meaning_of(name)}_column" in source.columns


def spelled(source: Rows, sides: Collection[str], name: str, place: int, form: str) -> str:
    """How a source reads the ids of some relations in another form, in the words of a message.

    Args:
        source: the log.
        sides: the relations whose ids are to change.
        name: our name for the ids.
        place: which of the columns of a request it is, where that has several.
        form: SQL with ``{}`` for the column, as ``LOWER({})``.
    """
    meaning = meaning_of(name)

    def text(argument: str) -> Any:
        given = source.columns[argument][1]
        if isinstance(given, str):
            return form.format(given)
        return [form.format(key) if number == place else key for number, key in enumerate(given)]

    own, usual = f"event_{meaning}_column", f"{meaning}_column"
    both = own not in source.columns or source.columns[own][1] == source.columns[usual][1]
    hows = [advise("rule", meaning, text(usual))] if both or set(sides) - {"events"} else []
    if not both and "events" in sides:
        hows.append(advise("rule", "event_columns", {meaning: text(own)}))
    return " and ".join(hows)
