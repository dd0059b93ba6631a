"""Turns what the user calls a run, judgments or a labelled table into relations with known columns."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .dialects import relation
from .engines import Engine
from .engines.duckdb import unnest
from .engines.files import check_format, file_format, read_file, stem
from .errors import DatabaseError, DataError, UsageError, nearest
from .names import in_canonical_text, looks_like_query, quoted, split_name, unquoted
from .query import COLUMNS, Input
from .spec import shortened

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
        name: the run's name, where it has one.
        text_ids: whether its ids are text whatever their type, as in files.
        is_query: whether the relation is a query of the user's.
        optional_ids: whether rows without an item are ours and mean nothing.
        subtopic: the column with the subtopic that each judgment is about, where that needs no telling.
        engine: where the relation is, or None where there is no connection.
        stays: whether the relation is the user's table or query, which is there when the evaluation is over.
    """

    label: str
    relation: str
    types: Mapping[str, str] | None = None
    name: str | None = None
    text_ids: bool = False
    is_query: bool = False
    optional_ids: bool = False
    subtopic: str | None = None
    engine: Engine | None = None
    stays: bool = False

    @property
    def dialect(self) -> str:
        """Whose quotes stand around the names of its columns."""
        return "duckdb" if self.engine is None else self.engine.dialect

    def bare(self, column: str) -> str:
        """The name that the user means, without its quotes."""
        return unquoted(column, self.dialect)

    def grouped(self, by: Sequence[str]) -> list[str]:
        """Those of its columns that a summary may be broken down by, as they are spelt in the relation."""
        names = (name for column in by for name in (column, split_side(column, self.dialect)[1]))
        return list(dict.fromkeys(found for name in names if (found := self.find(self.bare(name)))))

    def has(self, column: str) -> bool:
        """Whether the relation has columns of that name in any case."""
        return self.types is None or column.lower() in map(str.lower, self.types)

    def find(self, column: str) -> str | None:
        """The column as it is spelt in the relation, or None where there is none of that name.

        Raises:
            DataError: two columns have that name but for their case.
        """
        if self.types is None or column in self.types:
            return column
        alike = [name for name in self.types if name.lower() == column.lower()]
        if len(alike) > 1:
            names = " and ".join(map(repr, alike))
            raise DataError(
                f"{self.label}: columns {names} differ in case only; say which is meant:"
                f" columns={{{column.lower()!r}: {alike[0]!r}}}."
            )
        return alike[0] if alike else None


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
        return self._in_order(source, value) if self._keep_order and kind in ("run", "labelled") else source

    def _in_order(self, source: Source, value: Any) -> Source:
        """The source with the place of each row, which files, data frames and Python objects have."""
        if source.is_query or (isinstance(value, str) and not _is_file(Path(value))):
            raise UsageError(
                f"ties=input: {source.label} has no order. Take ties=rank and name the column that has it:"
                " columns={'position': ...}."
            )
        numbered = f"(SELECT *, ROW_NUMBER() OVER () AS {_PLACE} FROM {source.relation})"
        return replace(source, relation=numbered, types={**(source.types or {}), _PLACE: "BIGINT"})

    def _one(self, value: Any, kind: str, label: str | None) -> Source:
        if isinstance(value, str | Path):
            return self._named(value, kind, label)
        if isinstance(value, Mapping | list | tuple):
            return self._python(value, kind, label or _what(kind))
        if value is None:
            raise UsageError(f"No {_what(kind)} given.")
        if not hasattr(value, "columns") and not hasattr(value, "__arrow_c_stream__"):
            raise UsageError(f"{_what(kind)}: cannot read a {type(value).__name__}.")
        engine = self.engine.local(label or _what(kind))
        name = engine.register(_what(kind), value)
        return Source(label or _what(kind), name, engine.describe(name), engine=engine)

    def _named(self, value: str | Path, kind: str, label: str | None) -> Source:
        path = Path(value)
        if isinstance(value, Path) or (_is_file(path) and self.engine.takes_files):
            return self._file(path, kind)
        if looks_like_query(value):
            return self._query(value, f"{label or _what(kind)} query")
        name = self.engine.table(value)
        if name is not None:
            return Source(value, name, self.engine.describe(name), engine=self.engine, stays=True)
        if _is_file(path):
            return self._file(path, kind)
        where = "no such file" if self.engine.own else "no such file, and no such table in the database"
        raise DataError(f"{value}: {where}.")

    def _query(self, text: str, label: str) -> Source:
        name = self.engine.query(text)
        stored = self.engine.stores_queries
        types = self.engine.describe(name)
        return Source(label, name, types, is_query=not stored, engine=self.engine, stays=not stored)

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
        return Source(str(path), text, types, text_ids=True, subtopic=known, engine=engine)

    def _python(self, value: Any, kind: str, label: str) -> Source:
        columns, placeholders = _PYTHON[kind](value)
        select, parameters = unnest(columns)
        engine = self.engine.local(label)
        name = engine.load(_what(kind), select, parameters)
        known = "subtopic" if "subtopic" in columns else None
        types = engine.describe(name)
        return Source(label, name, types, optional_ids=placeholders, subtopic=known, engine=engine)


def text_source(value: Any, kind: str, dialect: str, name: str | None = None) -> Source:
    """The source of a statement that is only written: a table name or a query, in the dialect."""
    if not isinstance(value, str):
        raise UsageError(
            f"Without a connection {_what(kind)} must be a table name or SQL text, not {type(value).__name__}."
        )
    return Source(value, relation(value, dialect), name=name, is_query=looks_like_query(value))


def run_name(value: str | Path) -> str:
    """A file's stem, or the last part of a table name."""
    text = str(value)
    if isinstance(value, Path) or _is_file(Path(text)):
        return stem(text)
    # Backticks and double quotes are quotes here, whatever the dialect.
    return "query" if looks_like_query(text) else unquoted(split_name(text, "mysql")[-1], "mysql")


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
        found[meaning] = _find(source, meaning, wanted.get(meaning, (meaning,)), dialect)
    for meaning in optional:
        if meaning in wanted or (meaning not in _ONLY_WHEN_NAMED and source.types is not None and source.has(meaning)):
            found[meaning] = _find(source, meaning, wanted.get(meaning, (meaning,)), dialect)
    if role in ("run", "labelled"):
        found |= _order_columns(source, wanted, dialect, position)
    elif role == "qrels" and "subtopic" not in found and (source.subtopic or (subtopics and source.has("subtopic"))):
        found["subtopic"] = _find(source, "subtopic", (source.subtopic or "subtopic",), dialect)
    return Input(
        source.relation,
        _by_meaning(found),
        source.name,
        source.text_ids and not _ids_are_text(source, found),
        source.is_query,
    )


def split_side(column: str, dialect: str) -> tuple[str, str]:
    """What stands before the name of a column, one of ``SIDES`` if anything, and the name."""
    *sides, name = split_name(column, dialect) if column.strip() else [column]
    return ".".join(sides), name


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
    places = (
        wanted.get("position")
        or tuple(name for name in _POSITION_NAMES if source.types is not None and source.has(name))[:1]
    )
    found: dict[str, list[str]] = {}
    if by_score or not places:
        found["score"] = _find(source, "score", wanted.get("score", ("score",)), dialect)
    if by_score and position and source.types is not None and _PLACE in source.types:
        found["position"] = [_PLACE]
    elif not by_score or position:
        found["position"] = _find(source, "position", places or ("position",), dialect)
    return found


def _find(source: Source, meaning: str, names: Iterable[str], dialect: str) -> list[str]:
    if source.types is None:  # the statement is DuckDB's until it is translated
        return [in_canonical_text(name, dialect) for name in names]
    write = quoted if source.engine is None else source.engine.column
    return [write(_existing(source, meaning, name)) for name in names]


def _existing(source: Source, meaning: str, name: str) -> str:
    """The column; a name that only the other relation has leaves this one its default (see check_columns)."""
    column = source.find(source.bare(name)) or source.find(meaning)
    if column is None:
        raise _no_column(name, meaning, [source])
    return column


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
    there = list(dict.fromkeys(column for source in sources for column in source.types or ()))
    bare = sources[0].bare(name)
    hint = nearest(bare, there)
    suggestion = f" {hint}" if hint.startswith("Did you mean") else ""
    labels = ", ".join(source.label for source in sources)
    remedy = f" columns={{'{meaning}': NAME}} (--columns {meaning}=NAME) says which it is." if bare == meaning else ""
    return DataError(f"{labels}: no column {bare!r} for {meaning}. Columns: {', '.join(there)}.{suggestion}{remedy}")


def _what(kind: str) -> str:
    return {"run": "run", "labelled": "labelled table", "qrels": "qrels", "queries": "list of queries"}[kind]


def _is_file(path: Path) -> bool:
    try:
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):
        return False


def _distinct_names(sources: list[Source]) -> list[Source]:
    names = [source.name for source in sources]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"Two runs are called {name!r}; name them, as in NAME=FILE or {{name: run}}.")
    return sources


def maps_names(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds runs by name, rather than one run by query."""
    if not value:
        return False
    first = next(
        (
            inner
            for inner in value.values()
            if not isinstance(inner, Mapping | list | tuple | AbstractSet) or len(inner)
        ),
        None,
    )
    if isinstance(first, Mapping):
        return any(isinstance(inner, Mapping | list | tuple) for inner in first.values())
    if isinstance(first, list | tuple):
        return any(isinstance(inner, list | Mapping) for inner in first)
    return first is not None and not isinstance(first, AbstractSet)


Columns = dict[str, Sequence[Any]]

# A judgment of no item with a grade below any threshold: it keeps a query without relevant items among the judged.
_NOTHING = (None, -sys.float_info.max)


_MIXED_JUDGMENTS = "qrels: some items have a grade by subtopic and some do not; give all of them one or the other."


def _run_columns(value: Any) -> tuple[Columns, bool]:
    """{query: {item: score}}, {query: [item, ...]} or [[item, ...], ...]: a list is in the order of its ranks."""
    rows: list[tuple[Any, Any, Any]] = []
    kinds = {isinstance(items, Mapping) for _, items in _queries(value, "run", (Mapping, list, tuple)) if len(items)}
    if len(kinds) > 1:
        raise UsageError(
            "run: some queries have scores and some have lists of items; give all of them one or the other."
        )
    for query, items in _queries(value, "run", (Mapping, list, tuple)):
        pairs = items.items() if isinstance(items, Mapping) else ((item, rank) for rank, item in enumerate(items, 1))
        rows.extend((query, _id(item, "run", query), number) for item, number in pairs)
    return _as_columns(rows, ("query_id", "item_id", "score" if kinds == {True} else "position")), False


def _qrels_columns(value: Any) -> tuple[Columns, bool]:
    """As a run, with grades for scores; a set of items will do. Or {query: {item: {subtopic: grade}}}."""
    rows: list[tuple[Any, Any, Any]] = []
    placeholders = False
    judged = [items for _, items in _queries(value, "qrels", (Mapping, list, tuple, AbstractSet)) if len(items)]
    by_subtopic = [isinstance(items, Mapping) and _hold_mappings(items) for items in judged]
    if any(by_subtopic):
        if not all(by_subtopic):
            raise UsageError(_MIXED_JUDGMENTS)
        return _subtopic_columns(value)
    for query, items in _queries(value, "qrels", (Mapping, list, tuple, AbstractSet)):
        pairs = list(items.items()) if isinstance(items, Mapping) else [(item, 1) for item in items]
        rows.extend((query, _id(item, "qrels", query), grade) for item, grade in pairs)
        if not pairs:
            placeholders = True
            rows.append((query, *_NOTHING))
    return _as_columns(rows, ("query_id", "item_id", "relevance")), placeholders


def _hold_mappings(items: Mapping[Any, Any]) -> bool:
    """Whether the items have mappings of subtopics to grades.

    Raises:
        UsageError: some of them have.
    """
    kinds = {issubclass(kind, Mapping) for kind in set(map(type, items.values()))}
    if len(kinds) > 1:
        raise UsageError(_MIXED_JUDGMENTS)
    return kinds == {True}


def _subtopic_columns(value: Any) -> tuple[Columns, bool]:
    rows: list[tuple[Any, Any, Any, Any]] = []
    placeholders = False
    for query, items in _queries(value, "qrels", (Mapping, list, tuple, AbstractSet)):
        triples = [
            (_id(item, "qrels", query), _id(subtopic, "qrels", query), grade)
            for item, grades in (items.items() if isinstance(items, Mapping) else ())
            for subtopic, grade in grades.items()
        ]
        placeholders = placeholders or not triples
        item, grade = _NOTHING
        rows.extend((query, *triple) for triple in triples or [(item, None, grade)])
    return _as_columns(rows, ("query_id", "item_id", "subtopic", "relevance")), placeholders


def _labelled_columns(value: Any) -> tuple[Columns, bool]:
    """[[grade, ...], ...] or {query: [grade, ...]}: the grades of each list from rank 1 on."""
    rows: list[tuple[Any, Any, Any, Any]] = []
    for query, grades in _queries(value, "labelled table", (list, tuple)):
        rows.extend((query, rank, rank, grade) for rank, grade in enumerate(grades, start=1))
    return _as_columns(rows, ("query_id", "item_id", "position", "relevance")), False


def labelled_qrels(value: Any) -> dict[Any, dict[int, Any]]:
    """The judgments that lists of grades imply, with the empty lists."""
    return {
        query: {rank: grade for rank, grade in enumerate(grades, start=1) if grade is not None}
        for query, grades in _queries(value, "labelled table", (list, tuple))
    }


def _query_list_columns(value: Any) -> tuple[Columns, bool]:
    return {"query_id": [_id(query, "list of queries") for query in value]}, False


_PYTHON: Mapping[str, Callable[[Any], tuple[Columns, bool]]] = {
    "run": _run_columns,
    "qrels": _qrels_columns,
    "labelled": _labelled_columns,
    "queries": _query_list_columns,
}


def _queries(value: Any, what: str, kinds: tuple[type, ...]) -> Iterable[tuple[Any, Any]]:
    """Query and items of a mapping, or of a list of lists, whose queries are numbered from 0."""
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    for query, items in pairs:
        if not isinstance(items, kinds):
            wanted = "a list" if Mapping not in kinds else "a list or a mapping"
            raise UsageError(
                f"{what}: query {query!r} must have {wanted}, not {type(items).__name__}: {shortened(items)}."
            )
        yield _id(query, what), items


def _id(value: Any, what: str, query: Any = None) -> Any:
    """An id as a plain value; NumPy's numbers know theirs."""
    value = value.item() if hasattr(value, "item") else value
    if value is None or isinstance(value, list | tuple | Mapping | AbstractSet | bytes):
        where = "" if query is None else f" of query {query!r}"
        raise UsageError(f"{what}: an id{where} must be text or a number, not {shortened(value)}.")
    return value


def _as_columns(rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> Columns:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return {name: list(column) for name, column in zip(names, columns, strict=True)}
