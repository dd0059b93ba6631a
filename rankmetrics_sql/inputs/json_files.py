"""JSON files: rows of objects, or one object that holds a whole run. DuckDB reads most of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..dialects.names import literal, quote_name
from ..engines.duckdb import file_literal
from ..errors import DataError, UsageError, shortened
from .compression import open_text

if TYPE_CHECKING:
    from ..engines.duckdb.engine import DuckDB

_SAMPLE = 1000  # objects that tell which keys hold lists

# User Behavior Insights as OpenSearch's bulk interface takes it: before each document a line that says what to do with
# it. Which document is which, if both kinds stand in one file, their keys say.
_IS_ACTION = "json_keys(json)[1] IN ('index', 'create', 'update', 'delete') AND LEN(json_keys(json)) = 1"
_IS_EVENT = "json_exists(json, '$.action_name') OR json_exists(json, '$.event_attributes')"
_DOCUMENTS = {
    "documents": f"NOT ({_IS_ACTION})",
    "ubi_events": _IS_EVENT,
    "ubi_queries": f"NOT ({_IS_ACTION}) AND NOT ({_IS_EVENT})",
}
# Values that are not text. A moment is text of ISO 8601, UTC's where it names no zone, or milliseconds since 1970: it
# is UTC's, whatever the zone of the session.
_TYPED = {
    "timestamp": "MAKE_TIMESTAMP(COALESCE("
    "EPOCH_US(COALESCE(TRY_CAST({0} || 'Z' AS TIMESTAMPTZ), TRY_CAST({0} AS TIMESTAMPTZ))),"
    " TRY_CAST({0} AS BIGINT) * 1000))",
    "event_attributes.position.ordinal": "CAST({0} AS INTEGER)",
}


def select_objects(engine: DuckDB, path: Path, layout: str, role: str) -> str:
    """Every key as a column of text: DuckDB's guess at types would rewrite ids that look like dates or numbers.

    Args:
        engine: where it is to be read.
        path: the file.
        layout: ``array`` or ``newline_delimited``.
        role: what is wanted of a file of User Behavior Insights.
    """
    objects, typed = _objects(path, layout, role), _TYPED if role in _DOCUMENTS else {}
    keys = _keys(engine, objects)
    if not keys:
        raise DataError(f"{path}: the file holds no rows.")
    values = [(typed.get(key, "{0}").format(_json_value(key, is_list)), key) for key, is_list in keys]
    columns = ", ".join(f"{value} AS {quote_name(key)}" for value, key in values)
    return f"SELECT {columns} FROM {objects}"


def object_keys(engine: DuckDB, path: Path, layout: str) -> list[str]:
    """Every key of the objects of a file; one that an object repeats comes twice."""
    return [key for key, _ in _keys(engine, _objects(path, layout))]


def _objects(path: Path, layout: str, role: str = "") -> str:
    """Return the relation with the objects of a file, in a column ``json``, for one role."""
    read = f"read_json_objects({file_literal(path)}, format = {literal(layout)}, hive_partitioning = false)"
    return f"(SELECT json FROM {read} WHERE {_DOCUMENTS[role]})" if role in _DOCUMENTS else read


def _keys(engine: DuckDB, objects: str) -> list[tuple[str, bool]]:
    """Every key, and whether it holds lists, by the first objects; a key that an object repeats comes twice."""
    keys = f"SELECT json_keys(json) AS keys FROM {objects}"
    unnested = f"SELECT UNNEST(keys) AS key, LEN(keys) > LEN(LIST_DISTINCT(keys)) AS is_odd FROM ({keys})"
    rows = engine.fetch(f"SELECT key, BOOL_OR(is_odd) FROM ({unnested}) GROUP BY key ORDER BY key")[1]
    repeated, lists = set(), set()
    if any(is_odd for _, is_odd in rows):
        numbered = f"SELECT UNNEST(keys) AS key, ROW_NUMBER() OVER () AS place FROM ({keys})"
        twice = engine.fetch(f"SELECT key FROM ({numbered}) GROUP BY key, place HAVING COUNT(*) > 1")[1]
        repeated = {key for (key,) in twice}
    if rows:
        first = f"SELECT json FROM {objects} LIMIT {_SAMPLE}"
        nested = ", ".join(f"BOOL_AND(json_type(json, {literal(_json_path(key))}) = 'ARRAY')" for key, _ in rows)
        answer = engine.single(f"SELECT {nested} FROM ({first})")
        lists = {key for (key, _), is_list in zip(rows, answer, strict=True) if is_list}
    return [(key, key in lists) for key, _ in rows for _ in range(2 if key in repeated else 1)]


def _json_value(key: str, is_list: bool) -> str:
    path = literal(_json_path(key))
    return f"CAST(json->{path} AS VARCHAR[])" if is_list else f"json->>{path}"


def _json_path(key: str) -> str:
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'$."{escaped}"'


def read_object(path: Path) -> Mapping[str, Any] | None:
    """Return the content of a file that is one object; None for any other file."""
    with open_text(path) as text:
        first = next((line.lstrip() for line in text if not line.isspace()), "")
        if not first.startswith("{"):
            return None
        text.seek(0)
        try:
            content: Mapping[str, Any] = json.load(text, object_pairs_hook=_with_keys_once)
        except json.JSONDecodeError as error:
            raise DataError(f"{path}, line {error.lineno}: cannot be read as json: {error.msg}.") from None
        except (UsageError, RecursionError) as error:
            raise DataError(f"{path}: {error}") from None
    return content


def _with_keys_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise UsageError(f"an object has the key {shortened(twice)} twice.")
    return content
