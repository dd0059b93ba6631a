"""What means what: which column of a relation, or SQL over its row, is the query, the item, the score ..."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..definitions.header import CARRIED
from ..dialects import Dialect, Expression, expression_of
from ..dialects.lists import is_list, unnesting
from ..dialects.names import (
    identifier,
    in_canonical_text,
    in_quotes,
    is_quoted,
    split_name,
    unquoted,
)
from ..errors import DatabaseError, DataError, UsageError, nearest, shortened
from ..statements.query import Group
from ..statements.relation import EXPRESSION, MEANINGS, OF_ITEMS, OF_QUERIES, PLACE, ROLES, TIME, Relation
from ..templates import macros

# Which of the user's relations a column to group by, and any other column, can be said to be of.
SIDES = ("run", "qrels", "query_list")
_MAPPED = (*SIDES, "items")

# What else the meaning of a column may be called in a column map.
_SHORT = {"query": "query_id", "item": "item_id", "run": "run_id"}
_WHAT_SIDE = {"qrels": "table of judgments", "query_list": "query list"}

# The column of periods.
PERIOD = EXPRESSION.format("period")

# The moment that a text says, such as the one of a file; a cast to TIMESTAMP would not look at an offset.
_OF_TEXT = (
    r"CASE WHEN REGEXP_MATCHES({0}, ':\d\d.*[+-]\d\d') THEN CAST({0} AS TIMESTAMPTZ)"
    " ELSE CAST({0} AS TIMESTAMP) AT TIME ZONE 'UTC' END"
)

_POSITION_NAMES = ("position", "rank")
_ONLY_WHEN_NAMED = ("run_id", "subtopic", *OF_QUERIES)


def with_meanings(
    relation: Relation,
    columns: Mapping[str, Any],
    *,
    position: bool = False,
    needs: Collection[str] = (),
    assumed: Collection[str] = (),
) -> Relation:
    """The relation with the meanings of its columns.

    Args:
        relation: what was read.
        columns: the user's names, or SQL over the row; a key may begin with the relation it is for, such as
            ``qrels.item_id``.
        position: whether a position is wanted beside the score (ties=rank).
        needs: what the metrics read of judgments beside the grade: ``subtopics``, ``propensity``, ``target``.
        assumed: what it may have and is taken to have, where nobody can look.

    Raises:
        DataError: a column is missing; the message lists those there are.
    """
    required, optional = ROLES[relation.role]
    relation, wanted = _with_expressions(relation, _wanted(relation, columns))
    found: dict[str, Any] = {}
    for meaning in (*required, *(name for name in CARRIED if name in optional and name in needs)):
        found[meaning] = _find(relation, meaning, wanted)
    for meaning in (name for name in optional if name not in CARRIED):
        is_there = relation.has(meaning) if relation.is_known else meaning in assumed
        if meaning in wanted or (is_there and meaning not in _ONLY_WHEN_NAMED):
            found[meaning] = _find(relation, meaning, wanted)
    if relation.side == "run":
        found |= _order_columns(relation, wanted, position)
    has_subtopics = relation.subtopic or ("subtopics" in needs and relation.has("subtopic"))
    if relation.role == "qrels" and "subtopic" not in found and has_subtopics:
        found["subtopic"] = _find(relation, "subtopic", {}, relation.subtopic)
    text_ids = relation.text_ids and not _ids_are_text(relation, found)
    used = {unquoted(name).lower() for names in found.values() for name in names}
    expressions = {name: text for name, text in relation.expressions.items() if name.lower() in used}
    return replace(relation, columns=_by_meaning(found), expressions=expressions, text_ids=text_ids)


def _with_expressions(
    relation: Relation, wanted: Mapping[str, tuple[str, ...]]
) -> tuple[Relation, dict[str, tuple[str, ...]]]:
    """The relation with a column for each expression, and the names of columns for all that is wanted."""
    names: dict[str, tuple[str, ...]] = {}
    expressions: dict[str, str] = {}
    for meaning, given in wanted.items():
        if meaning not in _meanings_of(relation):
            continue
        computed = [_expression(relation, text) for text in given]
        lacking = next((column for found in computed if found for column in _lacking(relation, found)), None)
        if lacking is not None:
            if not relation.has(meaning):
                raise _no_column(lacking, meaning, [relation], shortened(given[0]))
            continue  # only the other relation has it, see check_columns
        several = len(given) > 1
        found_names = []
        for number, (text, found) in enumerate(zip(given, computed, strict=True), start=1):
            name = EXPRESSION.format(f"{meaning}_{number}" if several else meaning)
            found_names.append(text if found is None else name)
            if found is not None:
                expressions[name] = found.sql
        names[meaning] = tuple(found_names)
    return (_computing(relation, expressions) if expressions else relation), names


def with_period(relation: Relation, time: str, period: str, zone: str) -> Relation:
    """The relation with a column ``PERIOD``: the first day of the period that a time is in.

    Args:
        relation: what has its meanings.
        time: the column with the time, as statements write it.
        period: ``day``, ``week`` or ``month``.
        zone: the name of a time zone.
    """
    column = in_quotes(unquoted(time), relation.dialect) if is_quoted(time) else time
    if relation.dialect.canonical and (relation.types or {}).get(unquoted(time)) == "VARCHAR":
        column = _OF_TEXT.format(column)
    text = macros(relation.dialect.name)["rm_period"](column, period, zone)
    return _computing(relation, {**relation.expressions, PERIOD: str(text)})


def _meanings_of(relation: Relation) -> set[str]:
    """What its columns can mean to an evaluation."""
    required, optional = ROLES[relation.role]
    return {*required, *optional, *(("score", "position") if relation.side == "run" else ())}


def _computing(relation: Relation, expressions: Mapping[str, str]) -> Relation:
    """The relation with expressions, whose types its database says.

    Raises:
        DataError: a column is in the way, or the database refuses an expression.
    """
    new = [name for name in expressions if name not in relation.expressions]
    taken = [name for name in new if relation.is_known and relation.has(name)]
    if taken:
        raise relation.refuse(f"there is a column {taken[0]!r}, which stands for an expression; rename it.")
    found = replace(relation, expressions=expressions)
    if relation.types is None or relation.database is None:
        return found
    try:
        types = relation.database.describe(found.with_expressions)
    except DatabaseError as error:
        texts = "; ".join(map(shortened, expressions.values()))
        raise relation.refuse(f"cannot compute {texts}: {error}") from None
    spelt = {name.lower(): name for name in types}
    computed = {spelt[name]: types[spelt[name]] for name in expressions}
    collated = relation.database.collated(found.with_expressions, computed)
    return replace(
        found,
        types={**relation.types, **computed},
        expressions={spelt[name]: text for name, text in expressions.items()},
        collated=[*relation.collated, *collated],
    )


def _expression(relation: Relation, text: str) -> Expression | None:
    """What a text computes from a row of the relation; None where it is, or can only be, the name of a column."""
    if relation.is_known and relation.has(relation.bare(text)):
        return None
    found = expression_of(text, relation.dialect)
    if found is not None and found.is_path and not (relation.is_known and relation.has(found.reads[0])):
        return None
    return found


def _lacking(relation: Relation, expression: Expression) -> list[str]:
    """The columns that an expression reads and the relation has not."""
    return [name for name in expression.reads if not relation.has(name)]


def column_or_expression(relation: Relation, meaning: str, text: str, dialect: Dialect) -> str:
    """What a text stands for in a row of a relation, as statements of its dialect write it.

    Raises:
        DataError: there is no such column.
        UsageError: it is no SQL over the row.
    """
    if not relation.is_known:
        computed = expression_of(text, dialect)
        if computed is None and not dialect.canonical:
            return identifier(text, dialect)
        is_name = computed is None or computed.is_path
        return in_canonical_text(text, dialect) if is_name and dialect.canonical else text
    name = relation.find(relation.bare(text))
    if name is not None:
        return identifier(relation.column(name), dialect)
    computed = _expression(relation, text)
    lacking = [text] if computed is None else _lacking(relation, computed)
    if computed is None or lacking:
        raise _no_column(lacking[0], meaning, [relation], shortened(text) if computed else "")
    return computed.sql


def assumed(relation: Relation, columns: Mapping[str, Any]) -> list[str]:
    """The columns that nobody named, with the input they are of, as a column map says it."""
    wanted = _wanted(relation, columns)
    found = {meaning: names for meaning, names in relation.columns.items() if meaning not in wanted and names}
    return [
        f"{relation.side}.{unquoted(name)}"
        for names in found.values()
        for name in ([names] if isinstance(names, str) else names)
    ]


def split_side(column: str, dialect: Dialect) -> tuple[str, str]:
    """What stands before the name of a column, one of ``SIDES`` if anything, and the name."""
    *sides, name = split_name(column, dialect) if column.strip() else [column]
    return ".".join(sides), name


def group_of(
    column: str,
    relations: Mapping[str, Sequence[Relation]],
    dialect: Dialect,
    argument: str = "by",
) -> Group:
    """The column to group by: the query list's, else the judgments', else all runs', or that of the one it names.

    Where there is no connection to ask, it is taken to be in the first of those that there are.

    Args:
        column: as the user writes it.
        relations: by side.
        dialect: whose quotes stand around its parts.
        argument: what named it.

    Raises:
        DataError: there is no such column.
        UsageError: something else than the name of an input stands before it.
    """
    side, last = split_side(column, dialect)
    order = [place for place in reversed(SIDES) if relations[place]]
    write = relations["run"][0].column
    asked = all(relation.is_known for place in order for relation in relations[place])
    if not asked and side not in ("", *SIDES):
        sides = ", ".join(f"{known}." for known in SIDES)
        raise UsageError(f"{argument}: {column!r}: only {sides} may stand before a column.")
    whole = [(place, column) for place in order] if asked or not side else []
    for place, name in [*whole, *([(side, last)] if side in SIDES else [])]:
        bare = unquoted(name, dialect)
        found = [relation.find(bare) for relation in relations[place]]
        if not found or None in found:
            continue
        if len({str(one).lower() for one in found}) > 1:
            raise DataError(f"{argument}: column {bare!r} is not called the same in all runs; rename it.")
        return Group(*(write(name), write(name)) if not asked else (write(bare), write(str(found[0]))), place)
    if side in SIDES and side not in order:
        how = "Pass query_list= (--query-list)." if side == "query_list" else f"Name the run's: 'run.{last}'."
        raise UsageError(f"{argument}: there is no {_WHAT_SIDE[side]} for {column!r}. {how}")
    there = [known for place in order for relation in relations[place] for known in relation.there]
    raise DataError(
        f"{argument}: no column {column!r} in the query list, the judgments or all runs. {nearest(column, there)}"
    )


def _ids_are_text(relation: Relation, found: Mapping[str, list[str]]) -> bool:
    """Whether a cast to text would do nothing but slow the join down."""
    ids = [name for meaning in ("run_id", "query_id", "item_id") for name in found.get(meaning, [])]
    return relation.is_known and all((relation.types or {})[unquoted(name)] == "VARCHAR" for name in ids)


def _by_meaning(found: Mapping[str, Any]) -> dict[str, Any]:
    """``query_id`` stays a list, every other meaning has one column."""
    for meaning, names in found.items():
        if meaning != "query_id" and len(names) > 1:
            raise UsageError(f"{meaning} is one column, not {len(names)}: {', '.join(map(unquoted, names))}.")
    one = {meaning: names if meaning == "query_id" else names[0] for meaning, names in found.items()}
    return {"query_id": [], **one}


def _order_columns(relation: Relation, wanted: Mapping[str, tuple[str, ...]], position: bool) -> dict[str, list[str]]:
    """The score, unless there is none or the user names a position only; the position too where ties ask for it."""
    by_score = "score" in wanted or ("position" not in wanted and relation.has("score"))
    default = next((name for name in _POSITION_NAMES if relation.is_known and relation.has(name)), None)
    has_places = "position" in wanted or default is not None
    found: dict[str, list[str]] = {}
    if by_score or not has_places:
        found["score"] = _find(relation, "score", wanted)
    if by_score and position and PLACE in (relation.types or {}):
        found["position"] = [PLACE]
    elif not by_score or position:
        found["position"] = _find(relation, "position", wanted, default)
    return found


def _find(
    relation: Relation, meaning: str, wanted: Mapping[str, tuple[str, ...]], default: str | None = None
) -> list[str]:
    """The columns that the user names, else that of the default name, as statements write them."""
    names = wanted.get(meaning, (default or meaning,))
    if not relation.is_known:
        return [relation.column(name) for name in names]
    return [relation.column(_existing(relation, meaning, name, named=meaning in wanted)) for name in names]


def _existing(relation: Relation, meaning: str, name: str, *, named: bool) -> str:
    """The column; a name that only the other relation has leaves this one its default (see check_columns)."""
    column = relation.find(relation.bare(name), named=named) or relation.find(meaning, named=False)
    if column is None:
        raise _no_column(name, meaning, [relation])
    _check_no_list(relation, meaning, column)
    return column


def _check_no_list(relation: Relation, meaning: str, column: str) -> None:
    """A column of lists is one of several rows.

    Raises:
        DataError: it is one; the message says how to make rows of it.
    """
    type_ = (relation.types or {})[column]
    if not is_list(type_):
        return
    own = relation.shown(column)
    if column in relation.expressions:
        raise relation.refuse(f"{meaning} ({own}) is {type_}, a list; an item has a row of its own.")
    if relation.stays or relation.text_ids:
        table = repr(relation.label) if relation.text_ids else "..." if relation.is_query else relation.label
        query = unnesting(table, identifier(own, relation.dialect), relation.dialect)
        how = f"Unnest it in a query{f', as in {query}' if query else '.'}"
    else:
        how = f"Take frame.explode({own!r})."
    raise relation.refuse(f"{meaning} (column {own!r}) is {type_}, a list; an item has a row of its own. {how}")


def _wanted(relation: Relation, columns: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The names given for one relation; those that name it win over those that do not."""
    plain: dict[str, tuple[str, ...]] = {}
    own: dict[str, tuple[str, ...]] = {}
    for key, value in columns.items():
        names = (value,) if isinstance(value, str) else tuple(value)
        side, _, meaning = key.rpartition(".")
        if not side:
            plain[meaning] = names
        elif side == relation.side:
            own[meaning] = names
    return plain | own


def with_whole_names(columns: Mapping[str, Any]) -> dict[str, Any]:
    """A column map whose meanings are written out: ``query`` is short for ``query_id``, and so are item and run.

    Raises:
        UsageError: both names of a meaning are given.
    """
    found: dict[str, Any] = {}
    for key, value in columns.items():
        side, dot, meaning = str(key).rpartition(".")
        whole = f"{side}{dot}{_SHORT.get(meaning, meaning)}"
        if whole in found:
            raise UsageError(f"columns names {whole} twice.")
        found[whole] = value
    return found


def names_meaning(columns: Any, meaning: str) -> bool:
    """Whether a column map, which may be none, names a column of a meaning."""
    return isinstance(columns, Mapping) and any(str(key).rpartition(".")[2] == meaning for key in columns)


def check_columns(columns: Mapping[str, Any], relations: Sequence[Relation]) -> None:
    """Refuses a column map that cannot be meant.

    Args:
        columns: meaning to name or names, or SQL over the row.
        relations: one of each role.

    Raises:
        UsageError: an unknown meaning, or SQL that is more than a value of one row.
        DataError: a column that no relation has.
    """
    for key, value in columns.items():
        side, _, meaning = str(key).rpartition(".")
        known = (*MEANINGS, *OF_ITEMS, TIME)
        if meaning not in known or side not in ("", *_MAPPED):
            raise UsageError(f"columns: unknown column {key!r}. {nearest(meaning, [*known, *_SHORT], known)}")
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list | tuple) or not names:
            raise UsageError(f"columns: {key} must be a column name, not {shortened(value)}.")
        for name in names:
            _check_column(key, name, [relation for relation in relations if _can_have(relation, side, meaning)])


def _can_have(relation: Relation, side: str, meaning: str) -> bool:
    """Whether a key of the map is about a relation: it names it, or names none and the relation can have the column."""
    if side:
        return relation.side == side
    required, optional = ROLES["labelled" if relation.role == "run" else relation.role]
    return meaning in (*required, *optional, *(("score", "position") if relation.side == "run" else ()))


def _check_column(key: str, name: Any, relations: Sequence[Relation]) -> None:
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"columns: {key} must be a column name, not {shortened(name)}.")
    known = [relation for relation in relations if relation.is_known]
    if any(relation.has(relation.bare(name)) for relation in known):
        return
    try:
        computed = [_expression(relation, name) for relation in relations]
    except UsageError as error:
        raise UsageError(f"columns: {key} must be a column name or SQL over one row: {error}") from None
    if not known:
        return
    if not any(computed):
        raise _no_column(name, key, known)
    lacking = [_lacking(relation, found) for relation, found in zip(relations, computed, strict=True) if found]
    if all(lacking):
        raise _no_column(lacking[0][0], key, known, shortened(name))


def _no_column(name: str, meaning: str, relations: Sequence[Relation], expression: str = "") -> DataError:
    """Says which columns there are, and the nearest.

    Args:
        name: the column that is not there.
        meaning: what it is for.
        relations: where it was looked for.
        expression: the SQL that reads it.
    """
    there = list(dict.fromkeys(column for relation in relations for column in relation.there))
    bare = relations[0].bare(name)
    hint = nearest(bare, there)
    suggestion = f" {hint}" if hint.startswith("Did you mean") else ""
    labels = ", ".join(relation.label for relation in relations)
    remedy = ""
    if relations[0].role == "source" and not expression:
        of_both = meaning in ("request", "item", "time", "user")
        of_events = f"; of the events, event_columns={{'{meaning}': NAME}}" if of_both else ""
        remedy = f" {meaning}=NAME says which it is{of_events}." if meaning != "by" else ""
    elif bare == meaning and not expression:
        remedy = f" columns={{'{meaning}': NAME}} (--columns {meaning}=NAME) says which it is."
    if bare == meaning == "relevance" and relations[0].role == "qrels" and not expression:
        remedy += " If every row is a relevant item: columns={'relevance': '1'} (--columns relevance=1)."
    if bare == meaning == "score" and not expression:
        remedy += " A run in the order of its places has columns={'position': NAME} (--position NAME)."
    wanted = f"{meaning} ({expression})" if expression else meaning
    return DataError(f"{labels}: no column {bare!r} for {wanted}. Columns: {', '.join(there)}.{suggestion}{remedy}")
