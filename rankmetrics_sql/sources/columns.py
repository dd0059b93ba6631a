"""The values that columns of a source must hold: ids, numbers, times, lists."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from typing import Any

from ..dialects.names import unquoted
from ..engines import is_engine
from ..errors import advise
from ..inputs.types import booleans_as_numbers, is_list, refuse_numbers
from ..relation import Relation
from ..templates import macros

IDS = ("request", "query", "item", "user", "items", "relevant")
TIMES = ("time", "events.time")
# Types of the columns that are not ids: text would be compared as text.
TYPED = {
    **dict.fromkeys(("position", "rating", "predicted", "dwell", "propensity", "value"), "DOUBLE"),
    "time": "TIMESTAMP",
}
_KINDS = {"DOUBLE": "a number", "TIMESTAMP": "a time"}


def bare(key: str) -> str:
    """Return the meaning of a key of ``columns``: ``events.item`` is an item."""
    return key.rpartition(".")[2]


def column_texts(columns: Mapping[str, tuple[str, Any]]) -> list[str]:
    """Return all column names and SQL texts of a source."""
    texts = [text for _, text in columns.values() if text is not None]
    return [text for one in texts for text in ([one] if isinstance(one, str) else one)]


def check_list(relation: Relation, meaning: str, column: str) -> None:
    """Check that a column holds lists of ids; the database judges JSON and expressions."""
    name = unquoted(column, relation.dialect)
    type_ = (relation.types or {}).get(name)
    if type_ is None or not relation.dialect.canonical:
        return
    begin = f"{meaning} (column {relation.shown(name)!r}) is {type_}"
    if re.fullmatch(r"STRUCT\(.*\)\[\]", type_):
        fields = re.findall(r'(?:STRUCT\(|, )("[^"]+"|\w+) ', type_)
        field = next((name for name in fields if "id" in name.lower()), fields[0])
        ids = f"JSON_EXTRACT_STRING(TO_JSON({column}), '$[*].{field}')"
        raise relation.error(f"{begin}, a list of structures. Name the id: {advise('rule', meaning, ids)}.")
    if is_list(type_):
        return
    how = _list_of_text(relation, column) if type_ in ("VARCHAR", "JSON") else None
    advice = f" Pass {advise('rule', meaning, how)}." if how else ""
    raise relation.error(f"{begin}, no list.{advice}")


def _list_of_text(relation: Relation, column: str) -> str | None:
    """Return SQL that makes a list of a column of texts, by the first text; None if it looks like no list."""
    if not is_engine(relation.database):
        return None
    text_of = f"SELECT CAST({column} AS VARCHAR) FROM {relation.sql} u WHERE {column} IS NOT NULL LIMIT 1"
    _, rows = relation.database.run(text_of)
    text = str(rows[0][0]).strip() if rows else ""
    with contextlib.suppress(ValueError):
        parsed = json.loads(text) if text[:1] == "[" else None
        if isinstance(parsed, list) and parsed and isinstance(parsed[0], dict):
            return f"JSON_EXTRACT_STRING({column}, '$[*].{next(iter(parsed[0]))}')"
        if isinstance(parsed, list):
            return f"CAST(CAST({column} AS JSON) AS VARCHAR[])"
    if text[:1] == "[":
        return f"CAST({column} AS VARCHAR[])"
    mark = next((mark for mark in "|;, " if mark in text), None)
    return None if mark is None else f"STRING_SPLIT({column}, '{mark}')"


def typed(relation: Relation, meaning: str, column: str, type_: str, *, timed: bool = False) -> str:
    """Return a column as a number or a time: files are text, and so are the times of SQLite.

    Args:
        relation: whose column.
        meaning: what it is for.
        column: as statements write it.
        type_: the type.
        timed: whether times are subtracted, which numbers of an unknown unit cannot be.
    """
    if type_ == "TIMESTAMP" and timed:
        refuse_numbers(relation, column, named="rule")
    name = unquoted(column, relation.dialect)
    is_field = relation.is_text and macros()["rm_last_part"](column) != column  # of JSON: it is text
    if not is_field and not (relation.types or {}).get(name, "").startswith("VARCHAR"):
        return column
    if relation.text_ids:
        return f"CAST({booleans_as_numbers(relation, column) if type_ == 'DOUBLE' else column} AS {type_})"
    if type_ == "TIMESTAMP" and not relation.dialect.canonical:
        return column
    shown = relation.shown(name)
    raise relation.error(
        f"{meaning} (column {shown!r}) is VARCHAR, not {_KINDS[type_]}; CAST({shown} AS {type_}) is one."
    )
