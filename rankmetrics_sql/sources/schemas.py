"""Named schemas of event logs: User Behavior Insights, Snowplow, Segment and Google Analytics 4."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import UsageError, advise, shortened
from ..relation import Relation
from ..templates import macros
from .base import COUNTED, Rows
from .logs import (
    check_currency,
    check_logged,
    check_rules,
    check_where,
    grades_of,
    propensities_by_position,
    rules_of_schemas,
    rules_of_typing,
)
from .passthrough import Statement

_STRUCTURES = ("STRUCT", "ROW", "TUPLE")
_LISTS = (*_STRUCTURES, "ARRAY", "VARIANT", "SUPER")  # in the names of types; other types are JSON


def mapping_of_list(name: str, column: str, field: str | None, read: Mapping[str, Relation]) -> Mapping[str, str]:
    """Return how a table keeps a list of structures.

    Args:
        name: the relation with the column.
        column: the one of lists.
        field: what the user says.
        read: the relations.
    """
    if field not in (None, "struct", "json"):
        raise UsageError(f"mapping is struct or json, not {shortened(field)}.")
    types = {name_of_type.lower(): type_.upper() for name_of_type, type_ in (read[name].types or {}).items()}
    type_ = types.get(column, "STRUCT")
    return {"mapping": field or ("struct" if any(name in type_ for name in _LISTS) else "json")}


def mapping_of_ubi(events: Relation, is_one: bool, impressions: str = "events") -> str:
    """Return how a table stores the attributes of events; a structure with unknown fields is read as JSON."""
    if is_one and not events.text_ids:
        raise UsageError(
            f"ubi: {events.label} is one table, and UBI has two. Pass a table of queries and one of events, or"
            " a file that contains both."
        )
    types = {name.lower(): type_ for name, type_ in (events.types or {}).items()}
    if "event_attributes" not in types:
        return "flat" if any(name.startswith("event_attributes.") for name in types) else "struct"
    type_ = types["event_attributes"].upper()
    if type_.startswith(_STRUCTURES) and impressions == "events" and not ("POSITION" in type_ and "ORDINAL" in type_):
        raise events.error(
            "event_attributes has no position.ordinal, so the position of an item is unknown."
            f" {advise('rule', 'impressions', 'hits')} takes the lists of hits of the queries."
        )
    is_plain = type_.startswith(_STRUCTURES) and "MAP(" not in type_ and "JSON" not in type_
    return "struct" if is_plain else "json"


# What schemas call the ids of requests and items.
_IDS_OF = {
    "snowplow": ("event_id", "product_id"),
    "segment": ("id", "product_id"),
    "ga4": ("user_pseudo_id", "item_id", "item_list_id"),
}
# What they call the user and the time in the rows of the log, and the search text, where no argument says it.
_KNOWN_OF = {
    "ubi": {"user": "client_id", "time": "timestamp", "text": "user_query"},
    "ga4": {"user": "visitor", "time": "moment"},
    "snowplow": {"time": "derived_tstamp"},
    "segment": {"time": "timestamp"},
}


def ubi(
    queries: Any,
    events: Any = None,
    *,
    grades: Mapping[str, float] | None = None,
    grade: str = "highest",
    within: float | str | None = None,
    position_base: int | str = "auto",
    requests: str = "all",
    impressions: str = "events",
    mapping: str | None = None,
    half_life: float | str | None = None,
    value: str | None = None,
    currency: str | None = None,
    propensity: Mapping[int, float] | None = None,
    where: str | None = None,
    arm: str | None = None,
    collapse: str | None = None,
    collapse_within: float | str = 10,
) -> Rows:
    """Describes a log of User Behavior Insights: ``ubi_queries`` and ``ubi_events``.

    OpenSearch, Solr and Elasticsearch write them.

    Args:
        queries: the table of queries, or a file of documents, one JSON object a line, as OpenSearch exports them; lines
            that say what its bulk interface is to do are left out.
        events: the table of events; those called ``impression`` say what was shown. May be the same file, or left out,
            where one file holds both kinds of documents.
        grades: grades by name of action; 1 for a click by default.
        grade: as in ``events()``, like the three that follow.
        within: the longest time from impression to action.
        position_base: the lowest position; ``auto`` by application.
        requests: ``all``, ``clicked`` or ``logged``, all that ``queries`` has.
        impressions: ``hits`` takes the queries' lists of hits for what was shown, where nothing records impressions.
        mapping: how ``event_attributes`` is kept: ``struct``, ``json``, or ``flat`` for columns whose names have dots;
            by default as the table has it, and ``struct`` where no connection says so.
        half_life: as in ``events()``.
        value: what an event is worth, such as the revenue of a purchase: a column of the events, or SQL over the row.
        currency: the column of the events with the currency of the values, as in ``events()``.
        propensity: the probability that users examine each position, as ``propensities()`` estimates.
        where: as in ``events()``, over a row of the events; with ``impressions="hits"`` over a row of the queries.
        arm: the column with the arm that answered, to compare arms: of the impressions, or with
            ``impressions="hits"`` of the queries.
        collapse: as in ``events()``, by ``client_id``, ``timestamp`` and ``user_query`` of the queries.
        collapse_within: as in ``events()``.

    Raises:
        UsageError: an argument is unknown.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> text = rm.sql("rr", rm.ubi("ubi_queries", "ubi_events"), dialect="bigquery")
        >>> "ubi_events" in text
        True
    """
    settings: dict[str, Any] = {"grades": grades_of(grades, "click"), "grade": grade}
    settings |= rules_of_schemas(within, position_base, requests, half_life)
    check_rules({"attribution": "request", "time": "timestamp", "user": None} | settings)
    check_logged(requests, propensity)
    check_where(requests, where)
    check_currency(value, currency)
    typing = rules_of_typing(collapse, collapse_within)
    settings |= typing
    typed = {f"queries.{name}": ("queries", column) for name, column in _KNOWN_OF["ubi"].items() if typing}
    arguments = ("queries", "events", *settings, *typed, "impressions", "mapping", "has_application")
    settings |= {"impressions": impressions, "propensity": propensities_by_position(propensity)}
    is_one = events is None or (isinstance(events, str | Path) and str(events) == str(queries))
    of_rows = (*arguments, *COUNTED, "value", "propensity")
    relations = {"events": queries if is_one else events, "queries": queries}
    return Rows(
        "ubi",
        {"labelled": Statement("from_ubi", of_rows)},
        Statement("quality_of_ubi", (*arguments, "types")),
        dict(reversed(relations.items())) if impressions == "hits" else relations,
        {"query": ("events", "query_id"), "value": ("events", value), "currency": ("events", currency), **typed},
        settings,
        time="timestamp",
        arm=arm,
        where=where,
        of_actions=None if impressions == "hits" else _of_actions("ubi", where),
        known=_KNOWN_OF["ubi"],
        log=Statement("rm_ubi_log", of_rows),
        sides=("queries", "events") if impressions == "hits" else ("events",),
        ids={
            "queries": ("query_id", "query_response_hit_ids"),
            "events": ("query_id", "object_id", "event_attributes.object.object_id"),
        },
        facts=Statement("rm_ubi_log", arguments, "rm_select_facts"),
        conflicts=Statement("rm_ubi_log", of_rows, "rm_select_conflicts") if requests == "logged" else None,
        values_by="value",
        currencies=Statement("rm_ubi_log", (*of_rows, "currency"), "rm_select_currencies"),
        given=lambda read: {
            "mapping": mapping or mapping_of_ubi(read["events"], is_one, impressions),
            "has_application": None if read["events"].has("application") else False,
        },
        holds={"events": "ubi_events" if is_one else "documents", "queries": "ubi_queries" if is_one else "documents"},
    )


def snowplow(
    interactions: Any,
    *,
    user: str = "domain_userid",
    grades: Mapping[str, float] | None = None,
    grade: str = "highest",
    within: float | str | None = "30 minutes",
    position_base: int | str = "auto",
    requests: str = "all",
    half_life: float | str | None = None,
    value: str | None = None,
    currency: str | None = None,
    propensity: Mapping[int, float] | None = None,
    where: str | None = None,
    arm: str | None = None,
    text: str | None = None,
    collapse: str | None = None,
    collapse_within: float | str = 10,
) -> Rows:
    """Describes Snowplow's ``snowplow_ecommerce_product_interactions``: lists, and the actions that followed.

    A view of a list is a request, and an action is about the last view of its product by that visitor before it. In
    metrics ``type=click`` and ``type=purchase`` are also ``list_click`` and ``transaction``.

    Args:
        interactions: the table, one row per product of an event.
        user: the column with the user.
        grades: grades by ``ecommerce_action_type``; by default a ``list_click`` is 1.
        grade: as in ``events()``, like the three that follow.
        within: the longest time from view to action.
        position_base: the lowest position; ``auto`` by application.
        requests: ``all`` or ``clicked``.
        half_life: as in ``events()``.
        value: what an interaction is worth: a column, or SQL over the row; by default its price times its quantity.
        currency: the column with the currency, such as ``product_currency``, as in ``events()``.
        propensity: the probability that users examine each position, as ``propensities()`` estimates.
        where: as in ``events()``, over a row of the views. All actions are read.
        arm: the column of the interactions with the arm that answered, to compare arms.
        text: the column of the interactions with the search text, as in ``events()``. Snowplow's own table has none.
        collapse: as in ``events()``.
        collapse_within: as in ``events()``.

    Raises:
        UsageError: an argument is unknown.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> text = rm.sql("rr", rm.snowplow("interactions"), dialect="bigquery")
        >>> "interactions" in text
        True
    """
    settings: dict[str, Any] = {"grades": grades_of(grades, "list_click"), "grade": grade}
    settings |= rules_of_schemas(within, position_base, requests, half_life)
    typing = rules_of_typing(collapse, collapse_within)
    _check_text(typing, text, "the table of interactions lacks")
    texts = {"user": user, "value": value, "currency": currency} | ({"text": text} if typing else {})
    columns = {name: ("interactions", column) for name, column in texts.items()}
    relations = {"interactions": interactions}
    source = _of_users("snowplow", relations, "event_id", columns, settings | typing, arm, propensity, where)
    return replace(source, text_column=text)


def segment(
    viewed: Any,
    clicked: Any,
    *,
    user: str = "anonymous_id",
    within: float | str | None = "30 minutes",
    position_base: int | str = "auto",
    requests: str = "all",
    mapping: str | None = None,
    half_life: float | str | None = None,
    ordered: Any = None,
    currency: str | None = None,
    propensity: Mapping[int, float] | None = None,
    where: str | None = None,
    arm: str | None = None,
    text: str | None = None,
    collapse: str | None = None,
    collapse_within: float | str = 10,
) -> Rows:
    """Describes Segment's ``product_list_viewed`` and ``product_clicked``, which RudderStack and PostHog use, too.

    A view is a request; a click, which names no list, is about the last view of its product by that visitor before it.

    Args:
        viewed: the table of views, with the list ``products``.
        clicked: the table of clicks.
        user: the column with the user.
        within: the longest time from view to click.
        position_base: the lowest position.
        requests: ``all`` or ``clicked``.
        mapping: how ``products`` is kept: ``struct``, or ``json`` for a type or text; by default as the table has it,
            and ``struct`` where no connection says so.
        half_life: as in ``events()``.
        ordered: the table ``order_completed``. Each of its products is a purchase, worth its price times its quantity,
            for metrics with ``type=purchase``; grades do not count it.
        currency: the column of the orders with the currency, as in ``events()``.
        propensity: the probability that users examine each position, as ``propensities()`` estimates.
        where: as in ``events()``, over a row of the views. All actions are read.
        arm: the column of the views with the arm that answered, to compare arms.
        text: the column of the views with the search text, as in ``events()``. Segment writes it to
            ``products_searched``, which names no view, so you add it to the views.
        collapse: as in ``events()``.
        collapse_within: as in ``events()``.

    Raises:
        UsageError: an argument is unknown.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> text = rm.sql("rr", rm.segment("viewed", "clicked"), dialect="bigquery")
        >>> "clicked" in text
        True
    """
    settings = rules_of_schemas(within, position_base, requests, half_life)
    relations = {"viewed": viewed, "clicked": clicked} | ({} if ordered is None else {"ordered": ordered})
    if currency is not None and ordered is None:
        raise UsageError(f"currency= is a column of the orders. Pass these, too: {advise('rule', 'ordered', 'TABLE')}.")
    typing = rules_of_typing(collapse, collapse_within)
    _check_text(typing, text, "product_list_viewed lacks: products_searched has it and names no view")
    columns = {"user": ("viewed", user), "currency": ("ordered", currency)}
    columns |= {"text": ("viewed", text)} if typing else {}
    products = partial(mapping_of_list, "viewed", "products", mapping)
    source = _of_users("segment", relations, "view_id", columns, settings | typing, arm, propensity, where, products)
    return replace(source, values_by="ordered", text_column=text)


def ga4(
    events: Any,
    *,
    grades: Mapping[str, float] | None = None,
    grade: str = "highest",
    within: float | str | None = "30 minutes",
    position_base: int | str = "auto",
    requests: str = "all",
    mapping: str | None = None,
    half_life: float | str | None = None,
    value: str = "item_revenue",
    propensity: Mapping[int, float] | None = None,
    where: str | None = None,
    arm: str | None = None,
    text: str | None = None,
    collapse: str | None = None,
    collapse_within: float | str = 10,
) -> Rows:
    """Describes the export of Google Analytics 4: lists that were viewed, and the actions that followed.

    A ``view_item_list`` event is a request, named by visitor, moment and list; an action is about the last view of its
    item in that list by that visitor before it. In metrics ``type=click`` is also ``select_item``.

    Args:
        events: the export, one row per event with the list ``items``.
        grades: grades by name of event; by default a ``select_item`` is 1.
        grade: as in ``events()``, like the three that follow.
        within: the longest time from view to action.
        position_base: the lowest position.
        requests: ``all`` or ``clicked``.
        mapping: how ``items`` is kept, as in ``segment()``.
        half_life: as in ``events()``.
        value: the field of an item that has what an action is worth. ``item_revenue`` is in the currency of the event,
            ``item_revenue_in_usd`` is converted.
        propensity: the probability that users examine each position, as ``propensities()`` estimates.
        where: as in ``events()``, over a row of the views. All actions are read.
        arm: the column of the export with the arm that answered, to compare arms.
        text: the column of the export with the search text, as in ``events()``.
        collapse: as in ``events()``, among the views of one list. Without ``text`` it reads the parameter
            ``search_term`` of a view.
        collapse_within: as in ``events()``.

    Raises:
        UsageError: an argument is unknown.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> text = rm.sql("rr", rm.ga4("my_events"), dialect="bigquery")
        >>> "my_events" in text
        True
    """
    settings: dict[str, Any] = {"grades": grades_of(grades, "select_item"), "grade": grade}
    settings |= rules_of_schemas(within, position_base, requests, half_life)
    if not isinstance(value, str) or not macros()["rm_is_name"](value):
        raise UsageError(f"value is a field of an item, such as item_revenue_in_usd, not {shortened(value)}.")
    typing = rules_of_typing(collapse, collapse_within)
    columns = {"text": ("events", text)} if typing and text is not None else {}
    keys = ["visitor", "moment", "list_id"]
    items = partial(mapping_of_list, "events", "items", mapping)
    source = _of_users("ga4", {"events": events}, keys, columns, settings | typing, arm, propensity, where, items)
    return replace(source, settings={**source.settings, "value": value}, text_column=text)


def _check_text(typing: Mapping[str, Any], text: str | None, why: str) -> None:
    """Refuse to collapse searches of a format whose views have no search text, unless the user adds it."""
    if typing and text is None:
        raise UsageError(
            f"collapse=typing needs the search text of a view, which {why}. Add it to the views in a SELECT, and pass"
            f" {advise('rule', 'text', 'NAME')}."
        )


def _of_users(
    label: str,
    relations: Mapping[str, Any],
    keys: str | Sequence[str],
    columns: Mapping[str, tuple[str, str | None]],
    settings: Mapping[str, Any],
    arm: str | None,
    propensity: Mapping[int, float] | None,
    where: str | None,
    given: Callable[[Mapping[str, Relation]], Mapping[str, Any]] | None = None,
) -> Rows:
    """A log whose actions name no request: its statements find the last view of the item by the same user."""
    rules: dict[str, Any] = {
        "grades": {"click": 1},
        "grade": "highest",
        "attribution": "user",
        "time": "",
        "user": "",
    }
    check_rules(rules | dict(settings))
    check_where(str(settings["requests"]), where)
    named = [name for name in ("user", "text") if name in columns]
    arguments = (*relations, *settings, *named, *(["mapping"] if given else []))
    of_rows = (*arguments, *COUNTED, "value", "propensity")
    ids = (*_IDS_OF[label], *(str(user).lower() for name, (_, user) in columns.items() if name == "user"))
    return Rows(
        label,
        {"labelled": Statement(f"from_{label}", of_rows)},
        Statement(f"quality_of_{label}", (*arguments, "types")),
        relations,
        columns,
        {**settings, "propensity": propensities_by_position(propensity)},
        query=[keys] if isinstance(keys, str) else keys,
        arm=arm,
        where=where,
        of_actions=_of_actions(label, where) if len(relations) == 1 else None,
        known=_KNOWN_OF[label],
        log=Statement(f"rm_{label}_log", arguments),
        sides=list(relations),
        ids=dict.fromkeys(relations, ids),
        facts=Statement(f"rm_{label}_log", arguments, "rm_select_facts"),
        currencies=Statement(f"rm_{label}_log", (*of_rows, "currency"), "rm_select_currencies"),
        given=given,
    )


def _of_actions(schema: str, where: str | None) -> str | None:
    """Return SQL that is true of the actions in a table that has impressions, too, if a condition spares them."""
    return None if where is None else str(macros()["rm_of_actions"](schema))
