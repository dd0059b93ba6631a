"""From a source to relations: its tables are read and checked, then a statement makes its rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

from ..dialects import Dialect
from ..dialects.names import unquoted
from ..engines import Catalog, Engine, is_engine
from ..errors import DataError, advise
from ..inputs.expressions import column_or_expression, has_column
from ..inputs.ids import cast_in_query, comparable, different, family
from ..inputs.reader import Reader
from ..relation import KnownFacts, Relation
from ..templates import macros
from .base import Rows
from .checks import (
    check_beginnings,
    check_currencies,
    check_lists,
    check_one_value,
    check_requests,
    check_texts,
    roles_of,
    with_roles,
)
from .columns import TIMES
from .passthrough import check_column
from .unmatched import has_argument, spelled

_SHOWN = 10  # types of events that a message names


def rows_of(
    source: Rows,
    engine: Catalog,
    by: Sequence[str],
    input_format: str | None = None,
    *,
    groups: Collection[str] = (),
    relevant_alone: bool = False,
    values: Collection[str] | None = None,
) -> tuple[Rows, dict[str, Relation]]:
    """Return the rows of a source by their role, where an evaluation can read them.

    Args:
        source: the description.
        engine: where the evaluation runs.
        by: the columns to break the result down by.
        input_format: of all files, or None to go by their names.
        groups: the columns of which a request has one value.
        relevant_alone: whether a log need not hand on items that nothing was done with.
        values: columns of which a request may have two values or none. Rows without an item then show a second value,
            and what tables of a log say of a request is not checked.
    """
    described = _with_comparable_ids(source.looked_up(engine, input_format))
    _check_times(described)
    _check_text(described)
    place = described.place or engine
    check_beginnings(described, place)
    check_texts(described, place)
    dialect = place.dialect
    context = described.context([described.arm or "", *by], dialect)
    shared = described.context(by, dialect)  # all runs have the same judgments
    enough = relevant_alone and described.has_relevant_rows and not _splits_places(described, place)
    roles = roles_of(described, groups, dialect)
    context_of_text = _with_values(described, values or (), context, dialect)
    # on the short road requests of two arms stay, as requests of two groups do: they are looked for in the few rows
    roles_by_name = dict.fromkeys(roles, "group") if enough and is_engine(place) else roles
    data_quality = {}
    for role, statement in (described.relevant_parts if enough else source.parts).items():
        text = described.text(
            statement, dialect, shared if role == "qrels" else with_roles(context_of_text, roles_by_name)
        )
        label = source.label if len(source.parts) == 1 else f"{source.label} ({role})"
        facts = KnownFacts(source.clean, positions_are_ranks=source.has_lists, only_grade=_only_grade(described))
        optional_ids = enough or values is not None or described.leaves_rows_without_items(role, context)
        optional_ids = optional_ids or "group" in roles_by_name.values()
        rows = Reader(place).derived(
            text, role, label, facts, is_permanent=described.is_permanent, optional_ids=optional_ids
        )
        data_quality[role] = replace(rows, text_ids=described.keeps_types, own_types=described.keeps_types)
    if is_engine(place) and described.of_lists:
        check_lists(described, data_quality["run"], place)
    elif is_engine(place):
        side = "labelled" if "labelled" in data_quality else "run"
        rows = data_quality[side]
        is_sure = enough and _has_no_doubtful(described, rows, place)
        same = []
        for column, role in roles.items():
            of_impressions = role == "arm" or column not in context.get("queries_context", [])
            is_doubtful = of_impressions and not is_sure
            if is_doubtful and (roles_by_name[column] == "arm" or _has_two_values(described, rows, column, place)):
                check_one_value(described, column, role, place)
            same += [macros()["rm_last_part"](column)] if of_impressions else []
        check_requests(described, rows, context if values is None else dict.fromkeys(context, ()), place)
        check_currencies(described, place)
        facts = replace(rows.facts, constant_columns=same, distinct_positions=is_sure)
        data_quality[side] = replace(rows, facts=facts)
    return described, data_quality


def _with_values(
    source: Rows, values: Collection[str], context: Mapping[str, Sequence[str]], dialect: Dialect
) -> Mapping[str, Sequence[Any]]:
    """Return the columns to hand on, with those of which a request may have two values as groups."""
    names = {name for columns in source.context([*values], dialect).values() for name in columns} if values else set()
    return {
        argument: [{"group": name} if name in names else name for name in columns]
        for argument, columns in context.items()
    }


def _splits_places(source: Rows, place: Catalog) -> bool:
    """Return whether a log has positions that are not whole numbers, which the full check refuses."""
    if not is_engine(place) or source.log is None:
        return False
    where, position = source.columns.get("position", ("", None))
    column = unquoted(position, place.dialect) if isinstance(position, str) else ""
    if "INT" in ((source.read[where].types or {}).get(column, "").upper() if where else ""):
        return False
    _, [(n_rows,)] = place.run(source.text(replace(source.log, select="rm_count_split_places"), place.dialect))
    return bool(n_rows)


def _with_comparable_ids(source: Rows) -> Rows:
    """Return the source with the types of ids in Parquet files, or with text where two files differ."""
    try:
        check_ids(source)
    except DataError:
        if not source.keeps_types:
            raise
        source = source.ids_to_text()
        check_ids(source)
    lists = [_family_of(source, argument) for argument in source.of_lists if source.column(argument)]
    return source.ids_to_text() if source.keeps_types and len(set(lists)) > 1 else source


def _family_of(source: Rows, argument: str) -> str:
    """Return the family of types that the items of a list are compared in."""
    relation = source.read[source.columns[argument][0]]
    return family((relation.types or {}).get(unquoted(str(source.column(argument))), "").removesuffix("[]"))


def _only_grade(source: Rows) -> float | None:
    """Return the grade of every item that something was done with, where there is no other."""
    grades = source.settings.get("grades") or {}
    adds_up = source.settings.get("grade") == "sum" and len(grades) > 1
    varies = len(set(grades.values())) != 1 or adds_up or source.settings.get("half_life") is not None
    return None if varies else next(iter(grades.values()))


def _has_no_doubtful(source: Rows, rows: Relation, place: Engine) -> bool:
    """Return whether no request of a log has two impressions that share a position or disagree."""
    if source.settings.get("requests") == "clicked":
        return False  # requests have no rows
    marked = f"SELECT COUNT(*) FROM {rows.sql} u WHERE item_id IS NULL AND position < 0"
    _, [(n_requests,)] = place.run(marked)
    return not n_requests


def _has_two_values(source: Rows, rows: Relation, column: str, place: Engine) -> bool:
    """Return whether a request has two values of a column in the rows, of which each request of two has both."""
    keys = ", ".join(source.meanings(place.dialect)["query_id"])
    last_part = macros()["rm_last_part"](column)
    two = f"SELECT {keys} FROM {rows.sql} u GROUP BY {keys} HAVING MIN({last_part}) <> MAX({last_part})"
    _, [(n_requests,)] = place.run(f"SELECT COUNT(*) FROM ({two}) r")
    return bool(n_requests)


def _check_text(source: Rows) -> None:
    """Refuse a column of search texts that no table of the log has."""
    sides = [*source.sides_of_requests.values()]
    text = source.text_column
    if text is not None and not any(not side.is_known or has_column(side, text) for side in sides):
        check_column(text, "text", sides)


def _check_times(source: Rows) -> None:
    """Refuse to compare times with and without a time zone, which depends on the session's zone."""
    time_columns = [source.columns[key] for key in TIMES if key in source.columns]
    if len(time_columns) < len(TIMES) or not all(isinstance(name, str) for _, name in time_columns):
        return  # no rule compares them
    zoned = []
    for place, name in time_columns:
        relation = source.read[place]
        column = unquoted(column_or_expression(relation, "time", name, relation.dialect), relation.dialect)
        type_ = (relation.types or {}).get(column, "").upper()
        is_zoned = "WITH TIME ZONE" in type_ or type_.startswith(("TIMESTAMPTZ", "TIMESTAMP_TZ", "TIMESTAMP_LTZ"))
        zoned.append(is_zoned if type_.startswith("TIMESTAMP") else None)
    if set(zoned) == {True, False}:
        with_zone, without = [relation for _, relation in sorted(zip(zoned, time_columns, strict=True), reverse=True)]
        raise source.read[without[0]].error(
            f"time (column {without[1]!r}) has no time zone, but column {with_zone[1]!r} of"
            f" {source.read[with_zone[0]].label} has one. Say whose time it is, as in timezone('UTC', {without[1]})."
        )


def check_ids(source: Rows) -> None:
    """Refuse a log whose parts name requests, items or users by ids that could not be equal."""
    if source.log is None or source.place is None or len(source.sides) + source.knows_requests < 2:
        return
    if not source.place.knows_columns:
        return
    place, dialect_macros = source.place, macros(source.place.dialect.name)
    log = dialect_macros[source.log.macro](**source.arguments(source.log), context=[])
    sides = {
        relation: place.describe(place.query(dialect_macros["rm_select_ids"](log, side)))
        for relation, side in zip(source.sides, ("shown", "done"), strict=False)
    }
    if source.knows_requests:
        query = source.column("queries.request" if "queries.request" in source.columns else "query")
        keys = [query] if isinstance(query, str) else query
        columns = ", ".join(f"{key} AS {name}" for key, name in zip(keys, log["names"], strict=True))
        sides["queries"] = place.describe(place.query(f"SELECT {columns} FROM {source.read['queries'].sql} u"))
    names = [*log["names"], "user_id", "item_id"]
    for name, (one, other) in product(names, combinations(sides, 2)):
        ours, theirs = (_in_any_case(sides[side]).get(unquoted(name).lower()) for side in (one, other))
        if ours is not None and theirs is not None and not comparable(ours, theirs):
            labels = (source.read[one].label, source.read[other].label)
            texts = [side for side, type_ in ((one, ours), (other, theirs)) if family(type_) == "text"]
            form = f"CAST({{}} AS {dialect_macros['rm_text_type']()})"
            how = cast_in_query(place.dialect, (ours, theirs))
            if has_argument(source, name):
                how = f"one of them, as in {spelled(source, {one, other} - set(texts), name, names.index(name), form)}"
            raise different(unquoted(name), ([ours], [theirs]), labels, f"cast {how}")


def _in_any_case(types: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): type_ for name, type_ in types.items()}


def notes(source: Rows) -> list[str]:
    """Return notes about a log: its first position if it is not 1, and grades for actions that never occur."""
    if source.facts is None or not is_engine(source.place):
        return []
    _, rows = source.place.run(source.text(source.facts, source.place.dialect))
    zero = [str(name) for fact, name, number in rows if (fact, number) == ("base", 0)]
    types = [str(name) for fact, name, _ in rows if fact == "type" and name is not None]
    where = "" if zero in ([], [""]) else f" in {', '.join(name or 'rows without an application' for name in zero)}"
    messages = (
        [f"{source.label}: positions begin at 0{where} (position_base=auto), so rank 1 is position 0."] if zero else []
    )
    absent = [repr(name) for name in source.settings.get("grades", ()) if name not in types]
    if absent:
        types_text = _types_text(types)
        if types and len(absent) == len(source.settings["grades"]):
            types_text += f" Say which count, as in {advise('rule', 'grades', {types[0]: 1})}."
        messages.append(f"{source.label}: no event has the type {' or '.join(absent)}, which has a grade. {types_text}")
    aliases = source.aliases
    counted = [repr(name) for name in source.settings.get("types", ()) if aliases.get(name, name) not in types]
    if counted:
        how = f" Name one in the metric: 'amount(type={types[0]})'." if types else ""
        messages.append(
            f"{source.label}: no event has the type {' or '.join(counted)}, so metrics of this type are 0 and their"
            f" verdicts rest on nothing. {_types_text(types)}{how}"
        )
    return messages


def _types_text(types: Sequence[str]) -> str:
    """Return which types the events have."""
    if not types:
        return "No event has a type."
    first_types = f"{', '.join(types[:_SHOWN])}{' ...' if len(types) > _SHOWN else ''}"
    return f"There {'are' if types[1:] else 'is'} {first_types}."
