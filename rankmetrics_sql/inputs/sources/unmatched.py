"""The case that no action matches a shown item, because ids are spelled in two ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...dialects.names import unquoted
from ...remedies import advise
from ...templates import macros
from .base import Rows
from .spelling import has_argument, meaning_of, spelled

_FORMS = ("LOWER({})", "TRIM({})", "LOWER(TRIM({}))")


def never_shown(source: Rows | None) -> Iterator[str]:
    """Return the message for a log whose actions match no shown item, so that every value is 0.

    Args:
        source: a log of which no item counts, and whose tables are read again; of what is no log nothing is said.
    """
    place = None if source is None else source.place
    if source is None or source.log is None or place is None or not place.is_connected:
        return
    log = macros(place.dialect.name)[source.log.macro](**source.arguments(source.log))
    who = ["user_id"] if log["attribution"] == "user" else list(log["names"])
    together = _common(source, log, [*who, "item_id"])
    if not together["done"][0] or together["both"][0]:
        return
    shown = "its user was shown" if who == ["user_id"] else "its request showed"
    begin = f"no graded action matches an item that {shown}, so no item is relevant."
    for number, name in enumerate([*who, "item_id"]):
        alone = _common(source, log, [name])
        if not alone["both"][0]:
            yield f"{begin} {_apart(name, alone)} {_advice(source, log, name, number)}"
            return
    yield f"{begin} Each id alone is in both tables. Do all ids come from the same columns?"


def _apart(name: str, found: dict[str, tuple[int, Any]]) -> str:
    """An example of the ids of either side."""
    shown, done = found["shown"][1], found["done"][1]
    ids = unquoted(name) if meaning_of(name) == "request" and name != "query_id" else meaning_of(name)
    return f"No {ids} is in both tables: {shown!r} is in the impressions, {done!r} in the events."


def _advice(source: Rows, log: Any, name: str, number: int) -> str:
    """Return the advice that makes ids match: a form in which some do, or the column that holds them."""
    meaning = meaning_of(name)
    if not has_argument(source, name):
        return "Spell them alike in a SELECT in place of one of the tables."
    for form in _FORMS:
        if _common(source, log, [name], form)["both"][0]:
            return f"Some are equal with {spelled(source, source.sides, name, number, form)}."
    how = advise("rule", "event_columns", {meaning: "COLUMN"})
    return f"If another column of the events has the {meaning}, pass {how}."


def _common(source: Rows, log: Any, names: list[str], form: str | None = None) -> dict[str, tuple[int, Any]]:
    """How many ids either side and both sides have, each with the first one."""
    place: Any = source.place
    _, rows = place.run(macros(place.dialect.name)["rm_select_common_ids"](log, names, form))
    return {side: (int(number), first) for side, number, first in rows}
