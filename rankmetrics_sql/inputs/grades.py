"""Judgments that have no column of grades: a list of what is relevant, each row with grade 1."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from ..dialects import expression_of
from ..errors import nearest
from ..statements.relation import Relation

_GRADE = ("1",)
_OF_GRADES = r"rel|.*relevan.*|.*grade.*|.*label.*|.*rating.*|.*judge?ment.*|stars|gain|score|value"


def assume_grades(
    relation: Relation, wanted: Mapping[str, tuple[str, ...]]
) -> tuple[Relation, Mapping[str, tuple[str, ...]]]:
    """The columns that are wanted, with the grade 1 of judgments whose table has nothing that may be a grade.

    Args:
        relation: an input whose columns are known.
        wanted: the columns that the user names, by meaning.
    """
    lacks_grades = relation.role == "qrels" and relation.is_known and "relevance" not in wanted
    if not lacks_grades or any(map(_may_be_grades, relation.there)):
        return relation, wanted
    return replace(relation, assumes_grades=True), {**wanted, "relevance": _GRADE}


def _may_be_grades(name: str) -> bool:
    return re.fullmatch(_OF_GRADES, name.lower()) is not None or nearest(name, ["relevance"]).startswith("Did you mean")


def unread_columns(relation: Relation, groups: Collection[str] = ()) -> list[str]:
    """The columns of judgments with assumed grades that nothing reads, one of which may be the grade after all.

    Args:
        relation: judgments whose columns have meanings.
        groups: the columns that the result is broken down by.
    """
    if not relation.assumes_grades:
        return []
    used = {name for text in relation.columns.values() for name in ([text] if isinstance(text, str) else text or ())}
    computed = (expression_of(text, relation.dialect) for text in relation.expressions.values())
    read = {name.lower() for found in computed if found for name in found.reads} | {name.lower() for name in groups}
    return [name for name in relation.there if relation.column(name) not in used and name.lower() not in read]
