"""Bind columns to their meanings: the columns that the caller names, or else the ones with a default name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..definitions.catalogue import CARRIED
from ..dialects import Dialect, expression_of
from ..dialects.names import identifier, unquoted
from ..errors import UsageError, nearest, shortened
from ..relation import EXPRESSION, MEANINGS, OF_ITEMS, OF_QUERIES, PLACE, ROLES, TIME, Relation, is_of_actions
from ..templates import macros
from .columns import SHORT, SIDES, ColumnSpec, Group, MetricRequirements
from .expressions import add_period, computing, expression, lacking_columns, no_column
from .groups import Sides, group_of, groups_of, split_side
from .types import is_list, read_booleans, typed_sql

_GRADE = ("1",)
_OF_GRADES = r"rel|.*relevan.*|.*grade.*|.*label.*|.*rating.*|.*judge?ment.*|stars|gain|score|value"


def assume_grades(
    relation: Relation, names_by_meaning: Mapping[str, tuple[str, ...]], *, history: bool = False
) -> tuple[Relation, Mapping[str, tuple[str, ...]]]:
    """Return the wanted columns, with grade 1 for judgments whose table has no column that may be the grade.

    Args:
        relation: what was read.
        names_by_meaning: the columns that the user names.
        history: whether all rows of judgments count, so that they need no grade.
    """
    lacks_grades = relation.role == "qrels" and "relevance" not in names_by_meaning
    if lacks_grades and history:
        return relation, {**names_by_meaning, "relevance": _GRADE}
    if not lacks_grades or not relation.is_known or any(map(_may_be_grades, relation.source_columns)):
        return relation, names_by_meaning
    return replace(relation, assumes_grades=True), {**names_by_meaning, "relevance": _GRADE}


def _may_be_grades(name: str) -> bool:
    return re.fullmatch(_OF_GRADES, name.lower()) is not None or nearest(name, ["relevance"]).startswith("Did you mean")


def unread_columns(relation: Relation, groups: Collection[str] = ()) -> list[str]:
    """Return the unused columns of judgments with assumed grades, one of which may be the grade after all."""
    if not relation.assumes_grades:
        return []
    used = {name for text in relation.columns.values() for name in ([text] if isinstance(text, str) else text or ())}
    computed = (expression_of(text, relation.dialect) for text in relation.expressions.values())
    read = {name.lower() for one in computed if one for name in one.reads} | {name.lower() for name in groups}
    return [name for name in relation.source_columns if relation.column(name) not in used and name.lower() not in read]


_MAPPED = (*SIDES, "items")
_JUDGED = ("labelled", "qrels")  # the roles of relations that have grades, and numbers of actions
_POSITION_NAMES = ("position", "rank")
_ONLY_WHEN_NAMED = ("run_id", "subtopic", *OF_QUERIES)


def bind_columns(
    spec: ColumnSpec, by_side: Sides, items: Relation | None, dialect: Dialect, queries: str
) -> tuple[Mapping[str, Any], list[Group], Group | None]:
    """Return the column map with the columns of weights and covariates, the groups, and the column with the time.

    Args:
        spec: the columns and groups that the caller names.
        by_side: runs, judgments and queries, by their names in column maps.
        items: the catalogue.
        dialect: whose quotes stand around parts of names.
        queries: which queries are scored, as the option has it; their groups come from a relation that has them all.
    """
    one_of_each = [relations[0] for relations in by_side.values() if relations]
    check_columns(spec.columns, [*one_of_each, *([items] if items else [])])
    sides = {side: by_side[side] for side in macros()["rm_sides_in_order"](queries)}
    groups, time = groups_of(spec, sides, dialect)
    columns = dict(spec.columns)
    for meaning, column in spec.numbers.items():
        relation = group_of(column, sides, dialect, meaning).relation
        side, name = split_side(column, dialect)
        columns[f"{relation}.{meaning}"] = name if side == relation else column
    return columns, groups, time


def bind_relation(
    relation: Relation,
    columns: Mapping[str, Any],
    groups: Sequence[Group],
    time: Group | None,
    spec: ColumnSpec,
    requirements: MetricRequirements,
) -> Relation:
    """Return a relation with the meanings of its columns, the fields that are groups, and the periods of its time."""
    bound = name_meanings(relation, columns, requirements)
    fields = {
        unquoted(group.column): group.field for group in groups if group.relation == relation.side and group.field
    }
    bound = computing(bound, {**bound.expressions, **fields}) if fields else bound
    if time is None or time.relation != relation.side:
        return bound
    return add_period(bound, time.column, str(spec.period), spec.timezone or "UTC")


def columns_of_groups(groups: Sequence[Group], relation: Relation) -> list[str]:
    """Return the columns of a relation that groups are made of."""
    return [unquoted(group.column) for group in groups if group.relation == relation.side]


def name_meanings(relation: Relation, columns: Mapping[str, Any], requirements: MetricRequirements) -> Relation:
    """The relation with the meanings of its columns.

    Args:
        relation: what was read.
        columns: the user's names, or SQL over the row; a key may begin with the relation it is for, such as
            ``qrels.item_id``.
        requirements: the columns that metrics need beside the ones that every input has.
    """
    required, optional = ROLES[relation.role]
    relation, names_by_meaning = _with_expressions(
        *assume_grades(relation, _wanted(relation, columns), history=requirements.history)
    )
    columns_by_meaning: dict[str, Any] = {}
    carried = requirements.carried if relation.role in _JUDGED else ()
    for meaning in (*required, *carried, *(name for name in optional if name not in CARRIED)):
        if meaning in required or _is_meant(relation, meaning, names_by_meaning, requirements):
            columns_by_meaning[meaning] = _find(relation, meaning, names_by_meaning)
    if relation.side == "run":
        columns_by_meaning |= _order_columns(relation, names_by_meaning, requirements)
    has_subtopics = relation.subtopic or ("subtopics" in requirements.columns and relation.has("subtopic"))
    if relation.role == "qrels" and "subtopic" not in columns_by_meaning and has_subtopics:
        columns_by_meaning["subtopic"] = _find(relation, "subtopic", {}, relation.subtopic)
    relation, columns_by_meaning = read_booleans(relation, columns_by_meaning)
    text_ids = relation.text_ids and not _ids_are_text(relation, columns_by_meaning)
    used = {unquoted(name).lower() for names in columns_by_meaning.values() for name in names}
    expressions = {name: text for name, text in relation.expressions.items() if name.lower() in used}
    return replace(relation, columns=_by_meaning(columns_by_meaning), expressions=expressions, text_ids=text_ids)


def _is_meant(relation: Relation, meaning: str, names: Mapping[str, Any], requirements: MetricRequirements) -> bool:
    """Check whether an optional column of a relation is read: named, required, or there by its default name."""
    if meaning in requirements.carried:
        return True
    is_there = relation.has(meaning) if relation.is_known else meaning in requirements.of_items
    return meaning in names or (is_there and meaning not in _ONLY_WHEN_NAMED)


def _with_expressions(
    relation: Relation, spelt: Mapping[str, tuple[str, ...]]
) -> tuple[Relation, dict[str, tuple[str, ...]]]:
    """Return the relation with a column for each expression, and the names of all wanted columns."""
    names: dict[str, tuple[str, ...]] = {}
    expressions: dict[str, str] = {}
    texts_by_name: dict[str, str] = {}
    for meaning, texts in spelt.items():
        if meaning not in _meanings_of(relation) and not (is_of_actions(meaning) and relation.role in _JUDGED):
            continue
        computed = [expression(relation, text) for text in texts]
        missing = next((column for parsed in computed if parsed for column in lacking_columns(relation, parsed)), None)
        if missing is not None:
            if not relation.has(meaning):
                raise no_column(missing, meaning, [relation], shortened(texts[0]))
            continue  # only the other relation has it, see check_columns
        several = len(texts) > 1
        found_names = []
        for number, (text, parsed) in enumerate(zip(texts, computed, strict=True), start=1):
            name = EXPRESSION.format(f"{meaning}_{number}" if several else meaning)
            found_names.append(text if parsed is None else name)
            if parsed is not None:
                expressions[name] = parsed.sql
                texts_by_name[name] = typed_sql(relation, meaning, parsed)
        names[meaning] = tuple(found_names)
    return (
        computing(replace(relation, typed_expressions=texts_by_name), expressions) if expressions else relation
    ), names


def _meanings_of(relation: Relation) -> set[str]:
    """Return the meanings that its columns can have in an evaluation."""
    required, optional = ROLES[relation.role]
    return {*required, *optional, *(("score", "position") if relation.side == "run" else ())}


def _ids_are_text(relation: Relation, columns: Mapping[str, list[str]]) -> bool:
    """Check whether ids are text already, so that a cast would only slow the join down."""
    ids = [name for meaning in ("run_id", "query_id", "item_id") for name in columns.get(meaning, [])]
    return relation.is_known and all((relation.types or {})[unquoted(name)] == "VARCHAR" for name in ids)


def _by_meaning(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return one column for each meaning, but a list for ``query_id``."""
    for meaning, names in columns.items():
        if meaning != "query_id" and len(names) > 1:
            raise UsageError(f"{meaning} is one column, not {len(names)}: {', '.join(map(unquoted, names))}.")
    one = {meaning: names if meaning == "query_id" else names[0] for meaning, names in columns.items()}
    return {"query_id": [], **one}


def _order_columns(
    relation: Relation, names: Mapping[str, tuple[str, ...]], requirements: MetricRequirements
) -> dict[str, list[str]]:
    """Return the score, or the position if there is no score or only it is named; both if ties need it.

    Positions are an order of rows, so that ``ties=input`` needs no other where they stand alone.
    """
    by_score = "score" in names or ("position" not in names and relation.has("score"))
    default = next((name for name in _POSITION_NAMES if relation.is_known and relation.has(name)), None)
    has_places = "position" in names or default is not None
    columns: dict[str, list[str]] = {}
    if by_score or not has_places:
        columns["score"] = _find(relation, "score", names)
    has_order = PLACE in (relation.types or {})
    if by_score and "input" in requirements.ties and not has_order:
        raise _lacking_order(relation)
    if by_score and requirements.has_positions and has_order:
        columns["position"] = [PLACE]
    elif not by_score or requirements.has_positions:
        columns["position"] = _find(relation, "position", names, default)
    return columns


def _lacking_order(relation: Relation) -> UsageError:
    if relation.is_ours:  # a source such as ratings(), of which columns= names nothing
        return UsageError(
            f"ties=input: {relation.label} has no order of rows. Take another order of ties, such as ties=item_asc."
        )
    return UsageError(
        f"ties=input: {relation.label} has scores, but no order of rows to break their ties. Take ties=rank and name"
        " the column with the order: columns={'position': ...}."
    )


def _find(
    relation: Relation, meaning: str, candidates: Mapping[str, tuple[str, ...]], default: str | None = None
) -> list[str]:
    """Return the columns that the user names, or the one of the default name, as statements write them."""
    names = candidates.get(meaning, (default or meaning,))
    if not relation.is_known:
        return [relation.column(name) for name in names]
    return [relation.column(_existing(relation, meaning, name, named=meaning in candidates)) for name in names]


def _existing(relation: Relation, meaning: str, name: str, *, named: bool) -> str:
    """Return the column; if only the other relation has the name, the default one (see check_columns)."""
    column = relation.find(relation.bare(name), named=named) or relation.find(meaning, named=False)
    if column is None:
        raise no_column(name, meaning, [relation])
    _check_no_list(relation, meaning, column)
    return column


def _check_no_list(relation: Relation, meaning: str, column: str) -> None:
    """Raise if a column holds lists; the message says how to make rows of them."""
    type_ = (relation.types or {})[column]
    if not is_list(type_):
        return
    column_name = relation.shown(column)
    if column in relation.expressions:
        raise relation.error(f"{meaning} ({column_name}) is {type_}, a list; an item has a row of its own.")
    if relation.is_permanent or relation.text_ids:
        table = repr(relation.label) if relation.text_ids else "..." if relation.is_query else relation.label
        query = relation.dialect.unnested(table, identifier(column_name, relation.dialect))
        how = f"Unnest it in a query{f', as in {query}' if query else '.'}"
    else:
        how = f"Take frame.explode({column_name!r})."
    raise relation.error(f"{meaning} (column {column_name!r}) is {type_}, a list; an item has a row of its own. {how}")


def _wanted(relation: Relation, columns: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the column names for one relation: its own first, then the ones that name its side."""
    plain: dict[str, tuple[str, ...]] = {}
    of_relation: dict[str, tuple[str, ...]] = {}
    for key, value in columns.items():
        names = (value,) if isinstance(value, str) else tuple(value)
        side, _, meaning = key.rpartition(".")
        if not side:
            plain[meaning] = names
        elif side == relation.side:
            of_relation[meaning] = names
    declared = relation.declared_columns.items()
    return (
        plain | of_relation | {meaning: (name,) if isinstance(name, str) else tuple(name) for meaning, name in declared}
    )


def assumed(relation: Relation, columns: Mapping[str, Any]) -> list[str]:
    """Return the columns that have their default name, each with its input, as keys of a column map."""
    chosen_names = _wanted(relation, columns)
    defaults = {meaning: names for meaning, names in relation.columns.items() if meaning not in chosen_names and names}
    return [
        f"{relation.side}.{unquoted(name)}"
        for names in defaults.values()
        for name in ([names] if isinstance(names, str) else names)
    ]


def check_columns(columns: Mapping[str, Any], relations: Sequence[Relation]) -> None:
    """Refuses a column map that cannot be meant.

    Args:
        columns: meaning to name or names, or SQL over the row.
        relations: one of each role.
    """
    for key, value in columns.items():
        side, _, meaning = str(key).rpartition(".")
        meanings = (*MEANINGS, *OF_ITEMS, TIME)
        if not (meaning in meanings or is_of_actions(meaning)) or side not in ("", *_MAPPED):
            raise UsageError(f"columns: unknown column {key!r}. {nearest(meaning, [*meanings, *SHORT], meanings)}")
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list | tuple) or not names:
            raise UsageError(f"columns: {key} must be a column name, not {shortened(value)}.")
        for name in names:
            _check_column(key, name, [relation for relation in relations if _can_have(relation, side, meaning)])


def _can_have(relation: Relation, side: str, meaning: str) -> bool:
    """Check whether a key of the column map is about a relation."""
    if side:
        return relation.side == side
    role = "labelled" if relation.role == "run" else relation.role
    required, optional = ROLES[role]
    if is_of_actions(meaning):
        return role in _JUDGED
    return meaning in (*required, *optional, *(("score", "position") if relation.side == "run" else ()))


def _check_column(key: str, name: Any, relations: Sequence[Relation]) -> None:
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"columns: {key} must be a column name, not {shortened(name)}.")
    known_relations = [relation for relation in relations if relation.is_known]
    if any(relation.has(relation.bare(name)) for relation in known_relations):
        return
    try:
        computed = [expression(relation, name) for relation in relations]
    except UsageError as error:
        raise UsageError(f"columns: {key} must be a column name or SQL over one row: {error}") from None
    if not known_relations:
        return
    if not any(computed):
        raise no_column(name, key, known_relations)
    missing = [
        lacking_columns(relation, parsed) for relation, parsed in zip(relations, computed, strict=True) if parsed
    ]
    if all(missing):
        raise no_column(missing[0][0], key, known_relations, shortened(name))
