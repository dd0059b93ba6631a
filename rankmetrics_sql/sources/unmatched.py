"""Messages about actions of a log that match no shown item, with advice on ids that are spelled in two ways."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

from ..dialects.names import unquoted
from ..engines import is_engine
from ..errors import advise
from ..inputs.ids import family
from ..templates import macros
from .base import Rows
from .traces import explain_no_documents


def meaning_of(name: str) -> str:
    """Return the meaning of an id column of a log."""
    return {"user_id": "user", "item_id": "item"}.get(name, "request")


def has_argument(source: Rows, name: str) -> bool:
    """Return whether an argument of the source names the column of these ids; arguments of schemas do not."""
    return meaning_of(name) in source.columns


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

    def text(key: str) -> Any:
        column = source.columns[key][1]
        if isinstance(column, str):
            return form.format(column)
        return [form.format(name) if number == place else name for number, name in enumerate(column)]

    of_event = f"events.{meaning}"
    both = of_event not in source.columns or source.columns[of_event][1] == source.columns[meaning][1]
    hows = [advise("rule", meaning, text(meaning))] if both or set(sides) - {"events"} else []
    if not both and "events" in sides:
        hows.append(advise("rule", "event_columns", {meaning: text(of_event)}))
    return " and ".join(hows)


_HITS = "query_response_hit_ids"

_FORMS = ("LOWER({})", "TRIM({})", "LOWER(TRIM({}))")

# The forms in which two ids may be equal that differ in case or zeros in front, and what they then differ in.
_ALIKE: dict[str, tuple[str, Callable[[str], str]]] = {
    "case": ("LOWER({})", str.lower),
    "leading zeros": ("LTRIM({}, '0')", lambda text: text.lstrip("0")),
    "case and leading zeros": ("LOWER(LTRIM({}, '0'))", lambda text: text.lstrip("0").lower()),
}


def explain_unmatched_actions(source: Rows | None) -> Iterator[str]:
    """Yield a message if no action of a log matches a shown item, so that every value is 0."""
    place = None if source is None else source.place
    if source is None or source.log is None or not is_engine(place):
        return
    log, who = _log_of(source)
    together = _common(source, log, [*who, "item_id"])
    if not together["done"][0] or together["both"][0]:
        return
    subject = "its user was shown" if who == ["user_id"] else "its request showed"
    begin = f"no graded action matches an item that {subject}, so no item is relevant."
    for number, name in enumerate([*who, "item_id"]):
        alone = _common(source, log, [name])
        if not alone["both"][0]:
            yield f"{begin} {_apart(name, alone)} {_advice(source, log, name, number)}"
            return
    yield f"{begin} Each id alone is in both tables. Do all ids come from the same columns?"


def explain_no_rows(source: Rows | None) -> Iterator[str]:
    """Yield why a log has no row: no usable impression, or no action that matches one; or why spans have none."""
    place = None if source is None else source.place
    if source is None or not is_engine(place):
        return
    if source.label == "spans":
        yield from explain_no_documents(source, place)
    if source.log is None:
        return
    _, rows = place.run(source.text(source.quality, place.dialect))
    reasons = {reason: int(n_rows) for side, reason, n_rows in rows if side == "impressions"}
    if "used" in reasons:
        yield from explain_unmatched_actions(source)
        return
    by_hits = source.settings.get("impressions")
    if reasons:
        reason_list = ", ".join(f"{number:,} have {reason}" for reason, number in reasons.items())
        begin = f"no impression can be used ({reason_list})."
    else:
        special_reasons = {
            "events": " (no event has the action_name impression)",
            "hits": " (no list of hits has an item)",
        }
        begin = f"there are no impressions{special_reasons.get(str(by_hits), '')}."
    yield f"{begin}{_of_hits(source) if by_hits == 'events' else ''}"


def _of_hits(source: Rows) -> str:
    """Return how to take the lists of hits of UBI for what was shown, where there are some."""
    place, queries = source.place, source.read["queries"]
    if not is_engine(place) or not queries.has(_HITS):
        return " The queries have no lists of hits either (query_response_hit_ids)."
    _, [(n_lists,)] = place.run(f"SELECT COUNT({_HITS}) FROM {queries.sql} u")
    how = f"{advise('rule', 'impressions', 'hits')} takes the lists of hits of the queries for what was shown."
    return f" {how}" if n_lists else " The lists of hits of the queries are NULL, too."


def warn_of_similar_ids(source: Rows | None) -> Iterator[str]:
    """Yield a warning if actions do not count because their ids are spelled in another way than those shown."""
    place = None if source is None else source.place
    if source is None or source.log is None or not is_engine(place) or not place.dialect.canonical:
        return
    log, who = _log_of(source)
    dialect_macros = macros(place.dialect.name)
    types = [place.describe(place.query(dialect_macros["rm_select_ids"](log, side))) for side in ("shown", "done")]
    ids = [*who, "item_id"]
    texts = [
        name for name in ids if all(family(types_by_name.get(unquoted(name), "")) == "text" for types_by_name in types)
    ]
    _, rows = place.run(dialect_macros["rm_select_alike_ids"](log, texts)) if texts else ([], [])
    for name, number, done, shown_id in rows:
        differing = (
            (what, form) for what, (form, converted) in _ALIKE.items() if converted(done) == converted(shown_id)
        )
        what, form = next(differing, ("case and leading zeros", ""))
        whose = f"{meaning_of(name)}s" if number > 1 else f"{meaning_of(name)}"
        how = "Spell them alike in a SELECT in place of one of the tables."
        if form and has_argument(source, name):
            how = f"{spelled(source, source.sides, name, ids.index(name), form)} makes them equal."
        yield (
            f"graded actions of {number:,} {whose} do not count, so values may be too low: the ids differ in {what}"
            f" only from those shown, such as {done!r} from {shown_id!r}. {how}"
        )


def warn_of_missing_requests(source: Rows | None) -> Iterator[str]:
    """Yield a warning if the table of all requests lacks requests with impressions."""
    place = None if source is None else source.place
    if source is None or source.conflicts is None or not is_engine(place):
        return
    unlisted = replace(source.conflicts, select="rm_select_unlisted")
    _, [(number, first)] = place.run(source.text(unlisted, place.dialect))
    if number:
        requests = "1 request with impressions is" if number == 1 else f"{number:,} requests with impressions are"
        omitted = " without queries=" if has_argument(source, "request_id") else ""  # schemas need the table
        yield (
            f"{requests} missing from queries=, such as {first!r}, but scored. If queries= spells such an id in another"
            " way, the request counts twice, once as one that showed nothing. Add the requests to that table, or pass"
            f" {advise('rule', 'requests', 'all')}{omitted} to score only requests with an impression."
        )


def _log_of(source: Rows) -> tuple[Any, list[str]]:
    """Return the log for statements, and the package's names of the ids, beside the item's, that match actions."""
    place: Any = source.place
    statement: Any = source.log
    log = macros(place.dialect.name)[statement.macro](**source.arguments(statement))
    return log, ["user_id"] if log["attribution"] == "user" else list(log["names"])


def _apart(name: str, sides: dict[str, tuple[int, Any]]) -> str:
    """Return an example of the ids of either side."""
    shown_ids, done = sides["shown"][1], sides["done"][1]
    ids = unquoted(name) if meaning_of(name) == "request" and name != "query_id" else meaning_of(name)
    return f"No {ids} is in both tables: {shown_ids!r} is in the impressions, {done!r} in the events."


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
    """Return how many ids either side and both sides have, each with the first one."""
    place: Any = source.place
    _, rows = place.run(macros(place.dialect.name)["rm_select_common_ids"](log, names, form))
    return {side: (int(number), first) for side, number, first in rows}
