"""Whether ids of two relations can be equal, and why none of them are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..inputs.ids import cast_in_query, comparable, different, family
from ..statements.relation import Relation
from .ask import Asker
from .words import columns_argument


def check_id_types(
    asker: Asker, one: Relation, other: Relation, meanings: Sequence[str] = ("query_id", "item_id")
) -> None:
    """Refuses relations whose ids could never be equal.

    Raises:
        DataError: they have different types.
    """
    for meaning in meanings:
        types = one.types_of(meaning), other.types_of(meaning)
        if not all(map(comparable, *types)):
            raise different(meaning, types, (one.label, other.label), _cast_to_text(asker, meaning, one, other))


def _cast_to_text(asker: Asker, meaning: str, *relations: Relation) -> str:
    """What to type to compare ids of different types as text; rows of a source have columns of its own."""
    if not asker.is_canonical or any(relation.clean for relation in relations):
        return f"cast one of them, {cast_in_query(asker.database.dialect)}"
    casts = {}
    for relation in relations:
        if any(family(type_) != "text" for type_ in relation.types_of(meaning)):
            texts = [f"CAST({text} AS VARCHAR)" for text in relation.texts_of(meaning)]
            casts[f"{relation.side}.{meaning}"] = texts[0] if len(texts) == 1 else texts
    return f"{columns_argument(casts)} compares them as text"


def explain_mismatch(asker: Asker, meaning: str, one: Relation, other: Relation) -> str:
    """What may be the reason that no id of one relation is in the other."""
    return suggest_normal_form(asker, meaning, one, other) or "Do the ids differ in type or spelling?"


def suggest_normal_form(asker: Asker, meaning: str, one: Relation, other: Relation) -> str:
    """What to type where ids look alike and differ in bytes: é is one character, or an e and an accent."""
    sides = [one, other]
    if not asker.is_canonical or any(relation.clean for relation in sides):
        return ""
    texts = [_normalized(side, meaning) for side in sides]
    alike = [_with_ids(side, meaning, text) for side, text in zip(sides, texts, strict=True)]
    check = "overlap" if meaning == "query_id" else "common"
    before, after = (asker.row(check, *pair)[0] for pair in (sides, alike))
    if after <= before:
        return ""
    shown = [text[0] if len(text) == 1 else text for text in texts]
    named = {meaning: shown[0]}
    if shown[0] != shown[1]:
        named = {f"{side.side}.{meaning}": text for side, text in zip(sides, shown, strict=True)}
    return (
        "Some ids look alike and differ in their characters (é is one, or an e and an accent);"
        f" {columns_argument(named)} compares them in Unicode's form NFC."
    )


def _normalized(relation: Relation, meaning: str) -> list[str]:
    """SQL for the ids of a meaning, those of text in one of Unicode's normal forms."""
    return [
        f"NFC_NORMALIZE({text})" if type_ == "VARCHAR" else text
        for text, type_ in zip(relation.texts_of(meaning), relation.types_of(meaning), strict=True)
    ]


def _with_ids(relation: Relation, meaning: str, texts: Sequence[str]) -> Relation:
    """The relation with SQL for the ids of a meaning."""
    computed = {f"rankmetrics_normal_{number}": text for number, text in enumerate(texts, start=1)}
    ids = list(computed) if meaning == "query_id" else next(iter(computed))
    return replace(
        relation,
        columns={**relation.columns, meaning: ids},
        expressions={**relation.expressions, **computed},
    )
