"""Whether ids of two relations can be equal, and why none of them are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..dialects import Dialect, data_type
from ..errors import advise_columns
from ..inputs.ids import cast_in_query, common_type, comparable, different, family
from ..relation import Relation
from ..templates import macros
from .inspector import InputInspector, query_keys

# Types of floating-point numbers, and the whole number beyond which two may be one.
_EXACT = {"DOUBLE": 2**53, "FLOAT": 2**24}


def check_id_types(
    inspector: InputInspector, one: Relation, other: Relation, meanings: Sequence[str] = ("query_id", "item_id")
) -> None:
    """Refuse relations whose ids could never be equal."""
    for meaning in meanings:
        types = one.types_of(meaning), other.types_of(meaning)
        if not all(map(comparable, *types)):
            raise different(meaning, types, (one.label, other.label), _cast_to_text(inspector, meaning, one, other))


def _cast_to_text(inspector: InputInspector, meaning: str, *relations: Relation) -> str:
    """Return what to type to compare ids of different types; a source names its own columns."""
    dialect = inspector.database.dialect
    types = [relation.types_of(meaning) for relation in relations]
    all_types = [type_ for types_of_side in types for type_ in types_of_side]
    if any(relation.facts.clean for relation in relations):
        return f"cast {cast_in_query(dialect, all_types)}"
    texts = [relation.texts_of(meaning) for relation in relations]
    families = {family(type_) for type_ in all_types}
    if inspector.is_canonical and all(relation.database is inspector.database for relation in relations):
        for text, number in (relations, relations[::-1]):
            if padded := _padded(inspector, meaning, text, number):
                return padded
        whole = [_whole_numbers(inspector, relation, meaning) for relation in relations]
        families = {family(type_) for pair in zip(whole, types, strict=True) for type_ in map(_type_of, *pair)}
        texts = texts if families != {"integer"} and common_type(all_types) == "DOUBLE" else whole
    common = common_type(all_types)
    how = "as whole numbers" if families == {"integer"} else "as numbers" if common == "DOUBLE" else "as text"
    casts = {}
    for relation, types_of_side, names in zip(relations, types, texts, strict=True):
        is_common = all(type_ == common or family(type_) == "text" for type_ in types_of_side)
        common_name = _name_of_type(common, relation.dialect)
        as_common = (
            names if families == {"integer"} or is_common else [f"CAST({text} AS {common_name})" for text in names]
        )
        if as_common != relation.texts_of(meaning):
            casts[f"{relation.side}.{meaning}"] = as_common[0] if len(as_common) == 1 else as_common
    return f"{advise_columns(casts)} compares them {how}"


def _name_of_type(type_: str, dialect: Dialect) -> str:
    """Return the name that a type of DuckDB has in a cast."""
    if type_ == "VARCHAR":
        return str(macros(dialect.name)["rm_text_type"]())
    return type_ if dialect.canonical else data_type(type_, dialect)


def _padded(inspector: InputInspector, meaning: str, text: Relation, number: Relation) -> str:
    """Return advice about text with leading zeros beside numbers, which no cast restores; empty if there is none."""
    [column, *rest], [theirs, *_] = text.texts_of(meaning), number.texts_of(meaning)
    families = [family(type_) for type_ in (*text.types_of(meaning), *number.types_of(meaning))]
    if rest or families[0] != "text" or families[1] not in ("integer", *_EXACT):
        return ""
    columns = text.columns[meaning]
    name = columns if isinstance(columns, str) else columns[0]
    rows = inspector.rows_where(text, name, f"regexp_full_match(CAST(s.{name} AS VARCHAR), '0[0-9]+')")
    if not rows:
        return ""
    return (
        f"{column} {rows[0][-1]!r} of {text.label} has leading zeros, and numbers such as"
        f" {inspector.ids(number, meaning)} of {number.label} have lost theirs."
        f" Read the ids of {number.label} as text (pandas: dtype={{{theirs!r}: str}})"
    )


def _whole_numbers(inspector: InputInspector, relation: Relation, meaning: str) -> list[str]:
    """Return SQL for the ids of a meaning; floating-point numbers that are all whole, and exact, as whole numbers."""
    columns = relation.columns[meaning]
    columns = [columns] if isinstance(columns, str) else columns
    matching = []
    for column, text, type_ in zip(columns, relation.texts_of(meaning), relation.types_of(meaning), strict=True):
        inexact = f"s.{column} <> FLOOR(s.{column}) OR ABS(s.{column}) >= {_EXACT.get(type_)}"
        beyond = f"NOT isnan(s.{column}) AND ({inexact})"
        is_whole = type_ in _EXACT and not inspector.rows_where(relation, column, beyond)
        cast = "TRY_CAST" if is_whole and inspector.rows_where(relation, column, f"isnan(s.{column})") else "CAST"
        matching.append(f"{cast}({text} AS BIGINT)" if is_whole else text)
    return matching


def _type_of(text: str, type_: str) -> str:
    """Return the type of an id as ``_whole_numbers`` writes it."""
    return "BIGINT" if type_ in _EXACT and text.endswith("AS BIGINT)") else type_


def explain_mismatch(inspector: InputInspector, meaning: str, one: Relation, other: Relation) -> str:
    """Explain why no id of one relation may be in the other."""
    suggestion = suggest_normal_form(inspector, meaning, one, other) or _suggest_whole_numbers(
        inspector, meaning, one, other
    )
    return suggestion or name_alike(inspector, meaning, one, other) or "Do the ids differ in type or spelling?"


def name_alike(inspector: InputInspector, meaning: str, one: Relation, other: Relation, share: int = 1) -> str:
    """Name two ids of two relations that differ only in leading zeros or case; empty if there are none.

    Args:
        inspector: runs the checks.
        meaning: ``query_id`` or ``item_id``.
        one: a relation.
        other: the one that may lack its ids.
        share: of how many lists one is looked at.
    """
    types = [type_ for relation in (one, other) for type_ in relation.types_of(meaning)]
    if not inspector.is_canonical or len(types) > 2 or any(family(type_) != "text" for type_ in types):
        return ""
    column = query_keys(one)[0] if meaning == "query_id" else meaning
    pairs = inspector.some("alike", one, other, column, share)
    if not pairs:
        return ""
    ours, theirs = pairs[0]
    what = "leading zeros" if ours.lstrip("0") == theirs.lstrip("0") else "case"
    what = what if what != "case" or ours.lower() == theirs.lower() else "leading zeros and case"
    whose = "queries" if meaning == "query_id" else "items"
    return (
        f"Ids of {whose} differ only in {what}, such as {ours!r} in {one.label} and {theirs!r} in {other.label}."
        " Write them alike."
    )


def _suggest_whole_numbers(inspector: InputInspector, meaning: str, one: Relation, other: Relation) -> str:
    """Return advice for a Parquet file whose ids are whole floating-point numbers, which are 1.0 as text."""
    sides = [one, other]
    for place, side in enumerate(sides):
        if not inspector.is_canonical or side.facts.clean or not side.own_types:
            continue
        texts = _whole_numbers(inspector, replace(side, text_ids=False), meaning)
        changed = [*sides[:place], _with_ids(side, meaning, texts), *sides[place + 1 :]]
        if texts != side.texts_of(meaning) and _n_common(inspector, meaning, *changed):
            columns = {f"{side.side}.{meaning}": texts[0] if len(texts) == 1 else texts}
            return f"Those of {side.label} are floating-point numbers; {advise_columns(columns)} reads 1.0 as 1."
    return ""


def suggest_normal_form(inspector: InputInspector, meaning: str, one: Relation, other: Relation) -> str:
    """Return what to type if ids look alike and differ in bytes: é is one character, or an e and an accent."""
    sides = [one, other]
    if not inspector.is_canonical or any(relation.facts.clean for relation in sides):
        return ""
    texts = [_normalized(side, meaning) for side in sides]
    alike = [_with_ids(side, meaning, text) for side, text in zip(sides, texts, strict=True)]
    before, after = (_n_common(inspector, meaning, *pair) for pair in (sides, alike))
    if after <= before:
        return ""
    spelt = [text[0] if len(text) == 1 else text for text in texts]
    columns = {meaning: spelt[0]}
    if spelt[0] != spelt[1]:
        columns = {f"{side.side}.{meaning}": text for side, text in zip(sides, spelt, strict=True)}
    return (
        "Some ids look alike and differ in their characters (é is one, or an e and an accent);"
        f" {advise_columns(columns)} compares them in Unicode's form NFC."
    )


def _n_common(inspector: InputInspector, meaning: str, one: Relation, other: Relation) -> int:
    """Return how many queries, or rows of judged items, two relations have in common."""
    if meaning == "query_id":
        return int(inspector.row("overlap", [one], other)[0])
    return int(inspector.row("common", one, other)[0])


def _normalized(relation: Relation, meaning: str) -> list[str]:
    """Return SQL for the ids of a meaning, with text in one of Unicode's normal forms."""
    types = replace(relation, text_ids=False).types_of(meaning)  # numbers of a Parquet file are not text yet
    return [
        f"NFC_NORMALIZE({text})" if type_ == "VARCHAR" else text
        for text, type_ in zip(relation.texts_of(meaning), types, strict=True)
    ]


def _with_ids(relation: Relation, meaning: str, texts: Sequence[str]) -> Relation:
    """Return the relation with SQL for the ids of a meaning."""
    computed = {f"rankmetrics_normal_{number}": text for number, text in enumerate(texts, start=1)}
    ids = list(computed) if meaning == "query_id" else next(iter(computed))
    return replace(
        relation,
        columns={**relation.columns, meaning: ids},
        expressions={**relation.expressions, **computed},
    )
