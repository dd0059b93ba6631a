"""Turns what the user calls a run, judgments or a labelled table into relations with known columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..databases import Engine
from ..databases.duckdb import unnest
from ..dialects import relation
from ..dialects.lists import is_list, unnesting
from ..dialects.names import identifier, in_canonical_text, looks_like_query, quoted, split_name, unquoted
from ..errors import DatabaseError, DataError, UsageError, nearest, shortened
from ..statements.query import COLUMNS, Group, Input
from .columns import frame_columns, own_names
from .files import check_format, file_columns, file_format, is_utf8, read_file
from .objects import columns_of, maps_names, without_arrays
from .strings import is_folder, kind_of, run_name

# The columns that each kind of relation must have, and those that it may have, under their default names.
ROLES = {
    "run": (("query_id", "item_id"), ("run_id",)),
    "labelled": (("query_id", "item_id", "relevance"), ("run_id", "n_relevant")),
    "qrels": (("query_id", "item_id", "relevance"), ("subtopic",)),
    "queries": (("query_id",), ()),
}
# How a column to group by says which input it is of, and what statements call that.
SIDES = {"run": "run", "qrels": "qrels", "queries": "selected"}

_POSITION_NAMES = ("position", "rank")
_PLACE = "rankmetrics_place"  # of a row in the input, for ties=input
_ONLY_WHEN_NAMED = ("run_id", "subtopic")


@dataclass(frozen=True)
class Source:
    """A relation of the user's before its columns have meanings.

    Attributes:
        label: what to call it in messages: the file, the table, or what it is.
        relation: SQL that can stand behind FROM.
        types: its columns and their types, or None where there is no connection to ask.
        called: what columns are called where they come from, of those that DuckDB had to rename.
        name: the run's name, where it has one.
        text_ids: whether its ids are text whatever their type, as in files.
        is_query: whether the relation is a query of the user's.
        optional_ids: whether rows without an item are ours and mean nothing.
        subtopic: the column with the subtopic that each judgment is about, where that needs no telling.
        engine: where the relation is, or None where there is no connection.
        stays: whether the relation is the user's table or query, which is there when the evaluation is over.
        collated: the columns in which texts of different bytes can be equal.
    """

    label: str
    relation: str
    types: Mapping[str, str] | None = None
    called: Mapping[str, str] = field(default_factory=dict)
    name: str | None = None
    text_ids: bool = False
    is_query: bool = False
    optional_ids: bool = False
    subtopic: str | None = None
    engine: Engine | None = None
    stays: bool = False
    collated: Sequence[str] = ()

    @property
    def dialect(self) -> str:
        """Whose quotes stand around the names of its columns."""
        return "duckdb" if self.engine is None else self.engine.dialect

    def bare(self, column: str) -> str:
        """The name that the user means, without its quotes."""
        return unquoted(column, self.dialect)

    @property
    def columns(self) -> list[str]:
        """What its columns are called where they come from; two may be called the same."""
        return [self.called.get(name, name) for name in self.types or ()]

    def has(self, column: str) -> bool:
        """Whether the relation has columns of that name in any case."""
        return self.types is None or column.lower() in map(str.lower, self.columns)

    def find(self, column: str, *, named: bool = True) -> str | None:
        """The column as statements call it, or None where there is none of that name.

        Args:
            column: what it is called, in any case.
            named: whether the user said so, rather than that it is the default: then its case counts.

        Raises:
            DataError: two columns have that name.
        """
        if self.types is None:
            return column
        places = [place for place, name in enumerate(self.columns) if name.lower() == column.lower()]
        exactly = [place for place in places if self.columns[place] == column]
        if named and len(exactly) == 1:
            places = exactly
        if len(places) > 1:
            raise self._ambiguous(column, [self.columns[place] for place in places])
        return list(self.types)[places[0]] if places else None

    def _ambiguous(self, column: str, there: Sequence[str]) -> DataError:
        """Says which columns could be meant."""
        different = list(dict.fromkeys(there))
        names = " and ".join(map(repr, different))
        if len(different) < len(there):
            return DataError(f"{self.label}: {len(there)} columns are called {names}; rename all but one.")
        meaning, last = column.lower(), different[-1]
        return DataError(
            f"{self.label}: columns {names} differ in case only; say which is meant:"
            f" columns={{{meaning!r}: {last!r}}} (--columns {meaning}={last})."
        )


class Reader:
    """Reads inputs into one engine."""

    def __init__(
        self,
        engine: Engine,
        input_format: str | None = None,
        *,
        keep_order: bool = False,
        subtopics: bool = False,
    ) -> None:
        """Prepares to read.

        Args:
            engine: where to.
            input_format: of all files, or None to go by their names.
            keep_order: whether the place of each row matters.
            subtopics: whether the second field of TREC judgments matters.
        """
        self.engine = engine
        self._format = check_format(input_format)
        self._keep_order = keep_order
        self._subtopics = subtopics

    def runs(self, value: Any, kind: str = "run") -> list[Source]:
        """One source per run: of a mapping of names to runs, of a list of files or tables, or of a single run."""
        value = without_arrays(value, kind)
        if isinstance(value, Mapping) and maps_names(value):
            named = [replace(self.one(run, kind, f"run {name!r}"), name=str(name)) for name, run in value.items()]
            return _distinct_names(named)
        if isinstance(value, list | tuple) and value and all(isinstance(run, str | Path) for run in value):
            named = [replace(self.one(run, kind), name=run_name(run)) for run in value]
            return _distinct_names(named) if len(named) > 1 else [replace(named[0], name=None)]
        return [self.one(value, kind)]

    def one(self, value: Any, kind: str, label: str | None = None) -> Source:
        """The source that a value stands for.

        Args:
            value: a file, table name, SQL text, data frame, mapping or lists.
            kind: ``run``, ``labelled``, ``qrels`` or ``queries``.
            label: what to call it in messages, where its own name does not say it.
        """
        source = self._one(value, kind, label)
        if source.engine is not None:
            source = replace(source, collated=source.engine.collated(source.relation, source.types or {}))
        return self._in_order(source, value) if self._keep_order and kind in ("run", "labelled") else source

    def _in_order(self, source: Source, value: Any) -> Source:
        """The source with the place of each row, which files, data frames and Python objects have."""
        if isinstance(value, str) and not source.text_ids:
            raise UsageError(
                f"ties=input: {source.label} has no order. Take ties=rank and name the column that has it:"
                " columns={'position': ...}."
            )
        numbered = f"(SELECT *, ROW_NUMBER() OVER () AS {_PLACE} FROM {source.relation})"
        return replace(source, relation=numbered, types={**(source.types or {}), _PLACE: "BIGINT"})

    def _one(self, value: Any, kind: str, label: str | None) -> Source:
        if isinstance(value, str | Path):
            return self._named(value, kind, label)
        value = without_arrays(value, kind)
        if isinstance(value, Mapping | list | tuple):
            return self._python(value, kind, label or _what(kind))
        if value is None:
            raise UsageError(f"No {_what(kind)} given.")
        if not any(hasattr(type(value), name) for name in ("columns", "__arrow_c_stream__")):
            raise UsageError(f"{_what(kind)}: cannot read a {type(value).__name__}.")
        engine = self.engine.local(label or _what(kind))
        value = value.read_all() if hasattr(value, "read_all") else value  # a reader of Arrow's gives its rows once
        name = engine.register(_what(kind), value)
        types = engine.describe(name)
        return Source(label or _what(kind), name, types, own_names(types, lambda: frame_columns(value)), engine=engine)

    def _named(self, value: str | Path, kind: str, label: str | None) -> Source:
        is_there = isinstance(value, Path) or kind_of(value) == "file"
        if isinstance(value, Path) or (is_there and self.engine.takes_files) or not is_utf8(value):
            return self._file(Path(value), kind)
        if looks_like_query(value):
            return self._query(value, f"{label or _what(kind)} query")
        name = None if self.engine.own else self.engine.table(value)  # what ours holds, we have loaded
        if name is not None:
            return Source(value, name, self.engine.describe(name), engine=self.engine, stays=True)
        if is_there or (self.engine.own and is_folder(value)):
            return self._file(Path(value), kind)
        where = "no such file" if self.engine.own else "no such file, and no such table in the database"
        raise DataError(f"{value}: {where}.")

    def _query(self, text: str, label: str) -> Source:
        name = self.engine.query(text)
        stored = self.engine.stores_queries
        types = self.engine.describe(name)
        called = own_names(types, lambda: self.engine.query_columns(text, list(types)))
        return Source(label, name, types, called, is_query=not stored, engine=self.engine, stays=not stored)

    def _file(self, path: Path, kind: str) -> Source:
        by_subtopic = kind == "qrels" and self._subtopics
        holds = {"queries": "lines", "labelled": "run"}.get(kind, "subtopics" if by_subtopic else kind)
        engine = self.engine.local(str(path))
        text = read_file(engine, path, holds, self._format)
        try:
            types = engine.describe(text)
        except DatabaseError as error:
            raise DataError(f"{path}: {error}") from None
        known = "iteration" if by_subtopic and file_format(path, self._format) == "trec" else None
        called = own_names(types, lambda: file_columns(engine, path, self._format))
        return Source(str(path), text, types, called, text_ids=True, subtopic=known, engine=engine)

    def _python(self, value: Any, kind: str, label: str) -> Source:
        columns, placeholders = columns_of(value, kind)
        select, parameters = unnest(columns)
        engine = self.engine.local(label)
        name = engine.load(_what(kind), select, parameters)
        known = "subtopic" if "subtopic" in columns else None
        types = engine.describe(name)
        return Source(label, name, types, optional_ids=placeholders, subtopic=known, engine=engine)


def text_source(value: Any, kind: str, dialect: str, name: str | None = None, engine: Engine | None = None) -> Source:
    """The source of a statement that is only written: a table name or a query, in the dialect.

    Args:
        value: the name or query.
        kind: as for ``Reader.one``.
        dialect: whose SQL it is.
        name: the run's name, where it has one.
        engine: where to look its columns up, or None where there is no connection.

    Raises:
        UsageError: it is no text.
        DataError: there is no such table.
    """
    if not isinstance(value, str):
        raise UsageError(f"In a statement {_what(kind)} must be a table name or SQL text, not {type(value).__name__}.")
    is_query, text = looks_like_query(value), relation(value, dialect)
    if engine is None:
        return Source(value, text, name=name, is_query=is_query)
    there = engine.query(value) if is_query else engine.table(value)
    if there is None:
        raise DataError(f"{value}: no such table in the database.")
    types = engine.describe(there)
    called = own_names(types, lambda: engine.query_columns(value, list(types))) if is_query else {}
    collated = engine.collated(there, types)
    return Source(value, text, types, called, name, is_query=is_query, engine=engine, stays=True, collated=collated)


def assumed(mapped: Input, role: str, columns: Mapping[str, Any]) -> list[str]:
    """The columns that nobody named, with the input they are of, as a column map says it."""
    wanted = _wanted(role, columns)
    side = "run" if role == "labelled" else role
    found = {meaning: names for meaning, names in mapped.columns.items() if meaning not in wanted and names}
    return [
        f"{side}.{unquoted(name)}"
        for names in found.values()
        for name in ([names] if isinstance(names, str) else names)
    ]


def map_columns(
    source: Source,
    role: str,
    columns: Mapping[str, Any],
    dialect: str = "duckdb",
    *,
    position: bool = False,
    subtopics: bool = False,
) -> Input:
    """Gives the columns of a source their meanings.

    Args:
        source: the relation.
        role: a key of ROLES.
        columns: the user's names; a key may begin with the relation it is for, such as ``qrels.item_id``.
        dialect: the dialect of the identifiers.
        position: whether a position is wanted beside the score (ties=rank).
        subtopics: whether a metric reads the subtopics of judgments.

    Raises:
        DataError: a column is missing; the message lists those there are.
    """
    required, optional = ROLES[role]
    wanted = _wanted(role, columns)
    found: dict[str, Any] = {}
    for meaning in required:
        found[meaning] = _find(source, meaning, wanted, dialect)
    for meaning in optional:
        if meaning in wanted or (meaning not in _ONLY_WHEN_NAMED and source.types is not None and source.has(meaning)):
            found[meaning] = _find(source, meaning, wanted, dialect)
    if role in ("run", "labelled"):
        found |= _order_columns(source, wanted, dialect, position)
    elif role == "qrels" and "subtopic" not in found and (source.subtopic or (subtopics and source.has("subtopic"))):
        found["subtopic"] = _find(source, "subtopic", {}, dialect, source.subtopic)
    return Input(
        source.relation,
        _by_meaning(found),
        source.name,
        source.text_ids and not _ids_are_text(source, found),
        source.is_query,
        [name if source.engine is None else source.engine.column(name) for name in source.collated],
    )


def split_side(column: str, dialect: str) -> tuple[str, str]:
    """What stands before the name of a column, one of ``SIDES`` if anything, and the name."""
    *sides, name = split_name(column, dialect) if column.strip() else [column]
    return ".".join(sides), name


def group_of(column: str, sources: Mapping[str, Sequence[Source]], dialect: str, write: Callable[[str], str]) -> Group:
    """The column to group by: the query list's, else the judgments', else all runs', or that of the one it names.

    Where there is no connection to ask, it is taken to be in the first of those that there are.

    Args:
        column: as the user writes it.
        sources: by ``selected``, ``qrels`` and ``run``.
        dialect: whose quotes stand around its parts.
        write: how statements write a name.

    Raises:
        DataError: there is no such column.
        UsageError: something else than the name of an input stands before it.
    """
    side, last = split_side(column, dialect)
    order = [place for place in ("selected", "qrels", "run") if sources[place]]
    asked = all(source.types is not None for place in order for source in sources[place])
    if not asked and side not in ("", *SIDES):
        raise UsageError(f"by: {column!r}: only {', '.join(f'{known}.' for known in SIDES)} may stand before a column.")
    whole = [(place, column) for place in order] if asked or not side else []
    for place, name in [*whole, *([(SIDES[side], last)] if side in SIDES else [])]:
        bare = unquoted(name, dialect)
        found = [source.find(bare) for source in sources[place]]
        if not found or None in found:
            continue
        if len({str(one).lower() for one in found}) > 1:
            raise DataError(f"by: column {bare!r} is not called the same in all runs; rename it.")
        return Group(*(write(name), write(name)) if not asked else (write(bare), write(str(found[0]))), place)
    there = [known for place in order for source in sources[place] for known in source.columns]
    raise DataError(f"by: no column {column!r} in the query list, the judgments or all runs. {nearest(column, there)}")


def _ids_are_text(source: Source, found: Mapping[str, list[str]]) -> bool:
    """Whether a cast to text would do nothing but slow the join down."""
    ids = [name for meaning in ("run_id", "query_id", "item_id") for name in found.get(meaning, [])]
    return source.types is not None and all(source.types[unquoted(name)] == "VARCHAR" for name in ids)


def _by_meaning(found: Mapping[str, Any]) -> dict[str, Any]:
    """``query_id`` stays a list, every other meaning has one column."""
    for meaning, names in found.items():
        if meaning != "query_id" and len(names) > 1:
            raise UsageError(f"{meaning} is one column, not {len(names)}: {', '.join(map(unquoted, names))}.")
    return {meaning: names if meaning == "query_id" else names[0] for meaning, names in found.items()}


def _order_columns(
    source: Source, wanted: Mapping[str, tuple[str, ...]], dialect: str, position: bool
) -> dict[str, list[str]]:
    """The score, unless there is none or the user names a position only; the position too where ties ask for it."""
    by_score = "score" in wanted or ("position" not in wanted and source.has("score"))
    default = next((name for name in _POSITION_NAMES if source.types is not None and source.has(name)), None)
    has_places = "position" in wanted or default is not None
    found: dict[str, list[str]] = {}
    if by_score or not has_places:
        found["score"] = _find(source, "score", wanted, dialect)
    if by_score and position and source.types is not None and _PLACE in source.types:
        found["position"] = [_PLACE]
    elif not by_score or position:
        found["position"] = _find(source, "position", wanted, dialect, default)
    return found


def _find(
    source: Source, meaning: str, wanted: Mapping[str, tuple[str, ...]], dialect: str, default: str | None = None
) -> list[str]:
    """The columns that the user names, else that of the default name, as statements write them."""
    names = wanted.get(meaning, (default or meaning,))
    if source.types is None:  # the statement is DuckDB's until it is translated
        return [in_canonical_text(name, dialect) for name in names]
    write = quoted if source.engine is None else source.engine.column
    return [write(_existing(source, meaning, name, named=meaning in wanted)) for name in names]


def _existing(source: Source, meaning: str, name: str, *, named: bool) -> str:
    """The column; a name that only the other relation has leaves this one its default (see check_columns)."""
    column = source.find(source.bare(name), named=named) or source.find(meaning, named=False)
    if column is None:
        raise _no_column(name, meaning, [source])
    _check_no_list(source, meaning, column)
    return column


def _check_no_list(source: Source, meaning: str, column: str) -> None:
    """A column of lists is one of several rows.

    Raises:
        DataError: it is one; the message says how to make rows of it.
    """
    type_ = (source.types or {})[column]
    if not is_list(type_):
        return
    own = source.called.get(column, column)
    if source.stays or source.text_ids:
        table = repr(source.label) if source.text_ids else "..." if source.is_query else source.label
        query = unnesting(table, identifier(own, source.dialect), source.dialect)
        how = f"Unnest it in a query{f', as in {query}' if query else '.'}"
    else:
        how = f"Take frame.explode({own!r})."
    raise DataError(
        f"{source.label}: {meaning} (column {own!r}) is {type_}, a list; an item has a row of its own. {how}"
    )


def _wanted(role: str, columns: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The names given for one relation; those that name it win over those that do not."""
    plain: dict[str, tuple[str, ...]] = {}
    own: dict[str, tuple[str, ...]] = {}
    prefix = "run" if role == "labelled" else role
    for key, value in columns.items():
        names = (value,) if isinstance(value, str) else tuple(value)
        if "." not in key:
            plain[key] = names
        elif key.split(".", 1)[0] == prefix:
            own[key.split(".", 1)[1]] = names
    return plain | own


def names_subtopics(columns: Any) -> bool:
    """Whether a column map, which may be none, names a column of subtopics."""
    return isinstance(columns, Mapping) and any(str(key).rpartition(".")[2] == "subtopic" for key in columns)


def check_columns(columns: Mapping[str, Any], sources: Mapping[str, Source]) -> None:
    """Refuses a column map that cannot be meant.

    Args:
        columns: meaning to name or names.
        sources: the relations by role.

    Raises:
        UsageError: an unknown meaning, a name that is no column of any relation, or one with SQL in it.
    """
    if not isinstance(columns, Mapping):
        raise UsageError(
            f"columns maps meanings to column names, as {{'item_id': 'doc_id'}}; not {shortened(columns)}."
        )
    for key, value in columns.items():
        relation_name, _, meaning = str(key).rpartition(".")
        if meaning not in COLUMNS or relation_name not in ("", "run", "qrels", "queries"):
            raise UsageError(f"columns: unknown column {key!r}. {nearest(meaning, COLUMNS)}")
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list | tuple) or not names:
            raise UsageError(f"columns: {key} must be a column name, not {shortened(value)}.")
        for name in names:
            _check_column(key, name, [source for role, source in sources.items() if _has(role, relation_name, meaning)])


def _has(role: str, relation_name: str, meaning: str) -> bool:
    """Whether a key of the map is about a relation: it names it, or names none and the relation can have the column."""
    if relation_name:
        return role == relation_name
    required, optional = ROLES["labelled" if role == "run" else role]
    return meaning in (*required, *optional, *(("score", "position") if role == "run" else ()))


def _check_column(key: str, name: Any, sources: Sequence[Source]) -> None:
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"columns: {key} must be a column name, not {shortened(name)}.")
    known = [source for source in sources if source.types is not None]
    if any(source.has(source.bare(name)) for source in known):
        return
    if any(mark in name for mark in (";", "--", "/*")):
        raise UsageError(f"columns: {key} must be a column name, not {name!r}.")
    if known:
        raise _no_column(name, key, known)


def _no_column(name: str, meaning: str, sources: Sequence[Source]) -> DataError:
    """Says which columns there are, and the nearest."""
    there = list(dict.fromkeys(column for source in sources for column in source.columns))
    bare = sources[0].bare(name)
    hint = nearest(bare, there)
    suggestion = f" {hint}" if hint.startswith("Did you mean") else ""
    labels = ", ".join(source.label for source in sources)
    remedy = f" columns={{'{meaning}': NAME}} (--columns {meaning}=NAME) says which it is." if bare == meaning else ""
    if bare == meaning == "score":
        remedy += " A run in the order of its places has columns={'position': NAME} (--position NAME)."
    return DataError(f"{labels}: no column {bare!r} for {meaning}. Columns: {', '.join(there)}.{suggestion}{remedy}")


def _what(kind: str) -> str:
    return {"run": "run", "labelled": "labelled table", "qrels": "qrels", "queries": "list of queries"}[kind]


def _distinct_names(sources: list[Source]) -> list[Source]:
    names = [source.name for source in sources]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"Two runs are called {name!r}; name them, as in NAME=FILE or {{name: run}}.")
    return sources
