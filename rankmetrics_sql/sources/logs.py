"""Event logs: the function ``events()``, and the rules that all logs share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..definitions.resolution import ask
from ..dialects import CANONICAL
from ..errors import UsageError, advise, shortened
from ..inputs.groups import split_side
from ..inputs.strings import kind_of
from ..templates import macros
from .base import COUNTED, Rows
from .passthrough import Statement


def table_names(tables: Mapping[str, Any]) -> dict[str, str]:
    """Return the argument of each table by its name in the database; either may stand before a column."""
    return {table: place for place, table in tables.items() if isinstance(table, str) and kind_of(table) == "table"}


def of_table(tables: Mapping[str, Any], place: str, column: Any, *, also_of_queries: bool = False) -> tuple[str, Any]:
    """Return the table that a column, or each of a list, is of, and its name there.

    Args:
        tables: the tables of a log, by what they are for.
        place: what the argument is of.
        column: the column or columns, or SQL over the row, which stays as it is.
        also_of_queries: whether it may be of the table of all requests instead.
    """
    if isinstance(column, list | tuple):
        return place, [of_table(tables, place, one)[1] for one in column]
    if not isinstance(column, str):
        return place, column
    places = [place, *(["queries"] if also_of_queries and "queries" in tables else [])]
    names_of_tables = table_names({name: tables[name] for name in places}) | {name: name for name in places}
    side, rest = split_side(column, CANONICAL, names_of_tables)
    return (names_of_tables[side], rest) if side else (place, column)


_OF_IMPRESSIONS = ("request", "item", "position", "time", "user", "application")
_RULES = ("grades", "grade", "attribution", "within", "position_base", "requests", "half_life", "min_dwell")
_TYPED_WITHIN = 10  # seconds, collapse_within
_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


def events(
    impressions: Any,
    events: Any,
    *,
    request: str | Sequence[str] = "request_id",
    item: str = "item_id",
    position: str = "position",
    type: str = "event_type",  # noqa: A002 - what logs call it
    time: str | None = None,
    user: str | None = None,
    application: str | None = None,
    arm: str | None = None,
    event_columns: Mapping[str, Any] | None = None,
    grades: Mapping[str, float] | None = None,
    grade: str = "highest",
    attribution: str = "request",
    within: float | str | None = None,
    position_base: int | str = "auto",
    requests: str = "all",
    queries: Any = None,
    half_life: float | str | None = None,
    dwell: str | None = None,
    min_dwell: float | str | None = None,
    value: str | None = None,
    currency: str | None = None,
    propensity: str | Mapping[int, float] | None = None,
    where: str | None = None,
    text: str | None = None,
    collapse: str | None = None,
    collapse_within: float | str = 10,
) -> Rows:
    """Describes a log: the items that were shown, and what users did with them.

    Each shown item gets the grade of the actions credited to it, or 0. If a request shows an item twice, the lowest
    position counts, and a repeated action counts once. ``result.data_quality`` counts the rows that were left out, with
    the reason. A column may be a field, as ``source.item_id``, and have its table before it: ``queries.searched_at``.

    Args:
        impressions: one row per item shown: a table, file, SQL text or data frame.
        events: one row per action.
        request: the column with the id of the request, which is the query of the metrics: a column, SQL over the row,
            or a list of columns.
        item: the column with the id of the item.
        position: the position of the item, kept with its gaps (a log has ``position="given"`` by default). Pass
            ``position="dense"`` to number the items; a profile does so, too.
        type: the column with the type of an action.
        time: the timestamp of impressions and actions; ``within`` and ``attribution="user"`` need it.
        user: the column with the user; ``attribution="user"`` needs it. With it, a comparison of arms without
            ``cluster=`` warns of users with several requests, and its sample ratio counts users. Without
            ``attribution="user"`` the table ``queries=`` alone may have it.
        application: the column with the application. Each application may count positions from 0 or from 1.
        arm: the column of the impressions with the arm of the experiment.
        event_columns: columns with another name in the events: ``{"item": "product", "time": "clicked_at"}``.
        grades: grades by type of action; actions of other types do not count. By default a click is 1.
        grade: ``highest`` of an item's actions, or their ``sum``.
        attribution: ``request`` credits an action to the impression of its own request, ``user`` to the last impression
            of that item to the same user before it.
        within: the longest time from impression to action: seconds, or text such as ``"30 minutes"``.
        position_base: 0 or 1, or ``auto``: 0 if the application has a position 0. Negative positions are left out.
        requests: ``all`` requests with an impression, only those with a credited action (``clicked``), or ``logged``:
            all, and those of ``queries`` without an impression, which score 0.
        queries: the table of all requests.
        half_life: the time after which an action counts half: after t its grade is multiplied by 2^(-t / half_life).
            Written like ``within``. Both leave out actions before the impression.
        dwell: the column of the events with the seconds that the visitor stayed, NULL if unknown.
        min_dwell: the least dwell time for an action to count. Actions with an unknown dwell time count.
        value: the column of the events with a number such as revenue, or SQL over the row, for ``amount`` and
            ``amount_per_click``. NULL is 0; a refund is below 0.
        currency: the column of the events with the currency of the values. Two currencies cannot be added.
        propensity: the probability that the user examined the item, for inverse propensity weighting: a column of the
            impressions, SQL over the row, or a value for each position, as ``propensities()`` estimates.
        where: a condition over a row of the impressions, such as ``"NOT is_bot"``. Other impressions are not read, so
            that actions on them are without an impression.
        text: the column with the search text: of ``queries`` if there is such a table, else of the impressions. With
            it a report lists the searches that lose clicks. ``collapse`` needs it, and ``user`` and ``time`` of the
            same table.
        collapse: ``typing`` makes searches that were typed letter by letter one request, which has the last one's list:
            searches of one user of which each text begins with the one before.
        collapse_within: how soon the next of such searches follows, written like ``within``; 10 seconds by default.

    Raises:
        UsageError: an argument is unknown, or needs a column that is missing.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> shown = "SELECT 'r1' AS request_id, * FROM (VALUES ('a', 1), ('b', 2)) t (item_id, position)"
        >>> clicks = "SELECT 'r1' AS request_id, 'b' AS item_id, 'click' AS event_type"
        >>> rm.evaluate(rm.events(shown, clicks), "rr")["rr"]
        0.5
    """
    tables = {"impressions": impressions, "events": events} | ({} if queries is None else {"queries": queries})
    shown = dict(zip(_OF_IMPRESSIONS, (request, item, position, time, user, application), strict=True))
    columns_by_name = {
        name: of_table(tables, "impressions", column, also_of_queries=name in ("time", "user"))
        for name, column in shown.items()
    }
    columns = {name: column for name, (_, column) in columns_by_name.items()}
    event_texts = {
        name: of_table(tables, "events", column)[1] for name, column in _event_columns(event_columns).items()
    }
    chosen = dict(columns_by_name)
    by_user = attribution == "user"
    required = {
        "request": not by_user,
        "item": True,
        "time": by_user or (within, half_life) != (None, None),
        "user": by_user,
    }
    chosen |= {
        f"events.{name}": ("events", event_texts.get(name, columns[name]) if required[name] else None)
        for name in required
    }
    for name in ("time", "user"):
        if columns_by_name[name][0] == "queries" and required[name]:
            rule = "attribution=user" if by_user else "within" if within is not None else "half_life"
            raise UsageError(
                f"{rule} matches actions with impressions, so {name} is a column of both, and {shown[name]!r} is of"
                f" queries=. Pass {advise('rule', name, 'NAME')}, a column of the impressions."
            )
    typing = rules_of_typing(collapse, collapse_within)
    chosen |= _columns_of_typing(tables, collapse, {"user": user, "time": time, "text": text})
    chosen["type"] = of_table(tables, "events", event_texts.get("type", type))
    chosen |= {name: of_table(tables, "events", text) for name, text in {"dwell": dwell, "value": value}.items()}
    check_currency(value, currency)
    rules = (grades_of(grades, "click"), grade, attribution, seconds("within", within), position_base, requests)
    later = (seconds("half_life", half_life), seconds("min_dwell", min_dwell))
    settings = dict(zip(_RULES, (*rules, *later), strict=True))
    settings |= typing
    arguments = ("impressions", "events", *chosen, *settings)
    check_rules({name: value for name, (_, value) in chosen.items()} | settings)
    if (requests == "logged") != (queries is not None):
        raise UsageError(
            "requests=logged needs queries=, the table of all requests. Pass both,"
            f" {advise('rule', 'requests', 'logged')} and {advise('rule', 'queries', 'TABLE')}, or neither."
        )
    check_logged(requests, propensity)
    check_where(requests, where)
    if isinstance(propensity, Mapping):
        settings["propensity"] = propensities_by_position(propensity)
    else:
        chosen["propensity"] = of_table(tables, "impressions", propensity)
    if queries is not None:
        chosen["queries.request"] = ("queries", columns["request"])
    chosen["currency"] = of_table(tables, "events", currency)
    of_queries = ["queries", "queries.request"] if queries is not None else []
    of_rows = (*arguments, *COUNTED, "propensity", *of_queries)
    of_queries = of_queries if collapse is not None else []
    return Rows(
        "events",
        {"labelled": Statement("from_events", of_rows)},
        Statement("quality_of_events", (*arguments, "types", *of_queries)),
        tables,
        chosen,
        settings,
        query="request",
        log=Statement("rm_log", arguments),
        sides=("impressions", "events"),
        facts=Statement("rm_log", arguments, "rm_select_facts"),
        conflicts=Statement("rm_log", of_rows, "rm_select_conflicts") if queries is not None else None,
        values_by="value",
        currencies=Statement("rm_log", (*arguments, *COUNTED, "currency"), "rm_select_currencies"),
        time=columns["time"],
        time_of_events=event_texts.get("time", columns["time"]),
        arm=arm,
        where=where,
        text_column=of_table(tables, "impressions" if queries is None else "queries", text)[1],
    )


def _columns_of_typing(
    tables: Mapping[str, Any], collapse: str | None, columns: Mapping[str, str | None]
) -> dict[str, tuple[str, Any]]:
    """Return the columns by which searches collapse: of the table of all requests, if there is one."""
    if collapse is None:
        return {}
    for name, column in columns.items():
        if column is None:
            raise UsageError(f"collapse=typing needs the column of the {name}. Pass {advise('rule', name, 'NAME')}.")
    if "queries" in tables:
        return {f"queries.{name}": of_table(tables, "queries", column) for name, column in columns.items()}
    return {name: of_table(tables, "impressions", column) for name, column in columns.items()}


def rules_of_typing(collapse: str | None, collapse_within: float | str) -> dict[str, Any]:
    """Return the rules by which searches collapse; none without ``collapse``, where the other has no effect."""
    if collapse is None:
        if collapse_within != _TYPED_WITHIN:
            raise UsageError(
                f"collapse_within has no effect without {advise('rule', 'collapse', 'typing')}. Pass it, too."
            )
        return {}
    if collapse != "typing":
        raise UsageError(f"collapse is typing, not {shortened(collapse)}.")
    return {"collapse": collapse, "collapse_within": seconds("collapse_within", collapse_within)}


def check_currency(value: str | None, currency: str | None) -> None:
    """Refuse a currency of no values."""
    if currency is not None and value is None:
        raise UsageError(
            f"currency= is the currency of the values. Name these, too: {advise('rule', 'value', 'NAME')}."
        )


def rules_of_schemas(within: Any, position_base: Any, requests: Any, half_life: Any) -> dict[str, Any]:
    """Return the rules that all named schemas have."""
    times = {"within": seconds("within", within), "half_life": seconds("half_life", half_life)}
    return {**times, "position_base": position_base, "requests": requests}


def check_logged(requests: str, propensity: Any) -> None:
    """Refuse propensities of requests that were logged without impressions."""
    if requests == "logged" and propensity is not None:
        raise UsageError("requests=logged: a request without an impression has no propensity. Omit one of the two.")


def check_where(requests: str, where: str | None) -> None:
    """Refuse a condition that leaves out impressions of requests that another table has."""
    if where is None:
        return
    if not isinstance(where, str) or not where.strip():
        raise UsageError(
            f"where takes SQL over a row of the impressions, such as 'NOT is_bot', not {shortened(where)}."
        )
    ask("rm_checked_where", where, requests)


def propensities_by_position(propensity: Mapping[int, float] | None) -> Any:
    """Propensities by position, looked at before anything is read."""
    if propensity is None:
        return None
    return macros()["rm_checked_propensities"](propensity)


def check_rules(rules: Mapping[str, Any]) -> None:
    """Refuse rules that the templates refuse, before anything is read."""
    columns = {name: rules.get(name) for name in ("time", "user", "dwell")}
    by_user = rules.get("attribution") == "user"
    timed = [name for name in ("within", "half_life") if rules.get(name) is not None]
    timed += ["attribution=user"] if by_user else []
    if timed and columns["time"] is None:
        raise UsageError(f"{timed[0]} needs the column of the time. Name it: {advise('rule', 'time', 'NAME')}.")
    if by_user and columns["user"] is None:
        raise UsageError(f"attribution=user needs the column of the user. Name it: {advise('rule', 'user', 'NAME')}.")
    if (rules.get("min_dwell") is None) != (columns["dwell"] is None):
        how = f"{advise('rule', 'min_dwell', 'SECONDS')}, {advise('rule', 'dwell', 'NAME')}"
        raise UsageError(f"min_dwell and the column of the dwell time go together. Pass both: {how}.")
    macros()["rm_checked_log"]({"min_dwell": None, "queries": None, **rules, **columns})


def grades_of(grades: Any, usual: str) -> Any:
    """Return the grades by type of action, which the templates look at; by default 1 for the usual one."""
    return {usual: 1} if grades is None else dict(grades) if isinstance(grades, Mapping) else grades


def _event_columns(columns: Mapping[str, Any] | None) -> Mapping[str, Any]:
    meanings = ("request", "item", "time", "user", "type")
    for name in columns or {}:
        if name not in meanings:
            raise UsageError(f"event_columns: unknown key {shortened(name)}. Expected one of {', '.join(meanings)}.")
    return columns or {}


def seconds(name: str, within: Any) -> float | None:
    """Return a time in seconds: a number, or a number and a unit."""
    if within is None or (isinstance(within, int | float) and not isinstance(within, bool)):
        return within
    if isinstance(within, str):
        number, _, unit = within.strip().partition(" ")
        unit = unit.strip().lower().removesuffix("s")
        if unit in _UNITS:
            try:
                return float(number) * _UNITS[unit]
            except ValueError:
                pass
    raise UsageError(
        f"{name} takes a number of seconds, or text such as '30 minutes' ({', '.join(_UNITS)}), not"
        f" {shortened(within)}."
    )
