"""Fields of objects in files of text: JSON in a column, of which a text such as ``source.seg`` names a field."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ..databases import Engine
from ..dialects.names import literal, quote_name, split_name
from ..statements.relation import Relation
from .expressions import expression

_Path = tuple[str, ...]


def with_fields(relation: Relation, texts: Iterable[Any]) -> Relation:
    """The relation of a file with structures of the fields that are named, in place of columns with JSON as text.

    Args:
        relation: a file, or anything else, whose columns have types of their own.
        texts: what names columns: names, fields and SQL over the row.

    """
    database = relation.database
    if not relation.is_text or database is None:
        return relation
    named: dict[str, list[_Path]] = {}
    for text in texts:
        path = expression(relation, text) if isinstance(text, str) and "." in text else None
        column = relation.find(path.reads[0]) if path is not None and path.is_path else None
        if column is not None and (relation.types or {})[column] in ("VARCHAR", "JSON"):
            _, *fields = (relation.bare(part) for part in split_name(text.strip(), relation.dialect))
            named.setdefault(column, []).append(tuple(fields))
    there = {column: _there(relation, database, column, paths) for column, paths in named.items()}
    structures = [f"{_structure(column, paths)} AS {quote_name(column)}" for column, paths in there.items() if paths]
    if not structures:
        return relation
    sql = f"(SELECT * REPLACE ({', '.join(structures)}) FROM {relation.sql})"
    return replace(relation, sql=sql, types=database.describe(sql))


def _structure(column: str, paths: Sequence[_Path], before: _Path = ()) -> str:
    """The SQL of a structure with the texts of some fields; those of a field of structures are one, too."""
    values = []
    for name in dict.fromkeys(path[0] for path in paths):
        deeper = [path[1:] for path in paths if path[0] == name and path[1:]]
        here = (*before, name)
        value = _structure(column, deeper, here) if deeper else f"{quote_name(column)}->>{_path(here)}"
        values.append(f"{literal(name)}: {value}")
    return f"{{{', '.join(values)}}}"


def _path(fields: _Path) -> str:
    """The path of a field as a text in SQL."""
    escaped = (field.replace("\\", "\\\\").replace('"', '\\"') for field in fields)
    return literal("$" + "".join(f'."{field}"' for field in escaped))


def _there(relation: Relation, database: Engine, column: str, paths: Sequence[_Path]) -> list[_Path]:
    """The fields that a column has somewhere; none where it is no JSON."""
    own = quote_name(column)
    has = f"CASE WHEN JSON_VALID({own}) THEN JSON_EXISTS({own}, {{}}) END"
    asked = ", ".join(f"COUNT(CASE WHEN {has.format(_path(fields))} THEN 1 END)" for fields in paths)
    _, [counts] = database.run(f"SELECT {asked} FROM {relation.sql} AS s")
    return [fields for fields, n_there in zip(paths, counts, strict=True) if n_there]
