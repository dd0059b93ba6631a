"""The reader, which makes a relation of a table, SQL text, a file, a data frame or a Python object."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..dialects import relation
from ..dialects.names import literal, looks_like_query, quote_name, split_name, strip_semicolon
from ..engines import Catalog, Engine, is_engine
from ..engines.duckdb import unnest
from ..errors import DatabaseError, DataError, UsageError, shortened
from ..relation import PLACE, KnownFacts, Relation
from .columns import ColumnSpec, MetricRequirements
from .expressions import column_or_expression, expression
from .files import check_format, file_columns, file_format, is_utf8, read_file, read_mapping, run_tags
from .objects import arrays_to_lists, columns_of, maps_names, restore_whole_numbers, size_of, text_arrays_to_lists
from .references import Consensus, OfJudge, Ranks, Reference
from .strings import is_folder, kind_of, run_name

# DuckDB and SQLite call the second of two columns that are alike, case aside, name_1 or name:1.
_RENAMED = r"(?s)(.*)[_:]\d+"


def original_names(described: Collection[str], read: Callable[[], Sequence[str] | None]) -> Mapping[str, str]:
    """Return the original names of columns that have other names in statements.

    Args:
        described: their names in statements, in order.
        read: gives their own names in the same order, or None where they cannot be known; it is only called if some
            column may have been renamed.
    """
    if not any(_base(name, described) for name in described):
        return {}
    names = read()
    if names is None or len(names) != len(described):
        names = [_base(name, described) or name for name in described]
    return {name: original for name, original in zip(described, names, strict=True) if original and original != name}


def _base(name: str, other_names: Collection[str]) -> str | None:
    """Return the name that it had, if it looks as if it had been renamed."""
    match = re.fullmatch(_RENAMED, name)
    return match[1] if match and match[1].lower() in map(str.lower, other_names) else None


def frame_columns(frame: Any) -> list[str] | None:
    """Return the column names of a pandas, Polars or Arrow table, or a DuckDB relation; None of anything else."""
    if hasattr(type(frame), "collect_schema"):  # of Polars, where .schema and .columns of a LazyFrame warn
        return list(frame.collect_schema().names())
    names = getattr(getattr(frame, "schema", None), "names", None)
    if names is not None:
        return list(names)
    columns = getattr(frame, "columns", None)
    return None if columns is None else [str(name) for name in columns]


_Path = tuple[str, ...]


def extract_json_fields(relation: Relation, texts: Iterable[Any]) -> Relation:
    """Return the relation of a file, with its JSON columns as structures of the fields that texts name."""
    database = relation.database
    if not relation.is_text or not is_engine(database):
        return relation
    paths_by_column: dict[str, list[_Path]] = {}
    for text in texts:
        path = expression(relation, text) if isinstance(text, str) and "." in text else None
        column = relation.find(path.reads[0]) if path is not None and path.is_path else None
        if column is not None and (relation.types or {})[column] in ("VARCHAR", "JSON"):
            _, *fields = (relation.bare(part) for part in split_name(text.strip(), relation.dialect))
            paths_by_column.setdefault(column, []).append(tuple(fields))
    present = {column: _there(relation, database, column, paths) for column, paths in paths_by_column.items()}
    structures = [f"{_structure(column, paths)} AS {quote_name(column)}" for column, paths in present.items() if paths]
    if not structures:
        return relation
    sql = f"(SELECT * REPLACE ({', '.join(structures)}) FROM {relation.sql})"
    return replace(relation, sql=sql, types=database.describe(sql))


def _structure(column: str, paths: Sequence[_Path], before: _Path = ()) -> str:
    """Return the SQL of a structure with the texts of some fields; a field that holds structures becomes one, too."""
    values = []
    for name in dict.fromkeys(path[0] for path in paths):
        deeper = [path[1:] for path in paths if path[0] == name and path[1:]]
        here = (*before, name)
        value = _structure(column, deeper, here) if deeper else f"{quote_name(column)}->>{_path(here)}"
        values.append(f"{literal(name)}: {value}")
    return f"{{{', '.join(values)}}}"


def _path(fields: _Path) -> str:
    """Return the path of a field as a text in SQL."""
    escaped = (field.replace("\\", "\\\\").replace('"', '\\"') for field in fields)
    return literal("$" + "".join(f'."{field}"' for field in escaped))


def _there(relation: Relation, database: Engine, column: str, paths: Sequence[_Path]) -> list[_Path]:
    """Return the fields that a column has in some row; none if it is not JSON."""
    column_sql = quote_name(column)
    has = f"CASE WHEN JSON_VALID({column_sql}) THEN JSON_EXISTS({column_sql}, {{}}) END"
    checks = ", ".join(f"COUNT(CASE WHEN {has.format(_path(fields))} THEN 1 END)" for fields in paths)
    _, [counts] = database.run(f"SELECT {checks} FROM {relation.sql} AS s")
    return [fields for fields, n_there in zip(paths, counts, strict=True) if n_there]


_WHAT = {
    "run": "run",
    "labelled": "labelled table",
    "qrels": "qrels",
    "query_list": "list of queries",
    "items": "catalogue of items",
    "values": "table of values",
    "source": "table",
}

# What the object of a JSON file may be.
_MAPPINGS = ("run", "qrels", "items")


_NOTHING, _NO_NEEDS = ColumnSpec(), MetricRequirements()


class Reader:
    """Reads inputs into one database."""

    def __init__(
        self,
        engine: Catalog,
        input_format: str | None = None,
        spec: ColumnSpec = _NOTHING,
        requirements: MetricRequirements = _NO_NEEDS,
        *,
        keeps_empty: bool = False,
    ) -> None:
        """Prepare to read.

        Args:
            engine: where to.
            input_format: of all files, or None to go by their names.
            spec: the columns that are named, of which the tag of each line of a TREC run is one, and the second field
                of TREC judgments.
            requirements: what metrics need, such as that field, or the place of each row.
            keeps_empty: whether empty lists in Python objects have a row, because there are no judgments.
        """
        self.engine = engine
        self.input_format = check_format(input_format)
        self._keep_order = "input" in requirements.ties
        self._subtopics = "subtopics" in requirements.columns or spec.names("subtopic")
        self._tags = spec.names("run_id")
        self._texts = spec.texts
        self._keeps_empty = keeps_empty

    def runs(self, value: Any, role: str = "run") -> list[Relation]:
        """One relation per run: of a mapping of names to runs, of a list of files or tables, or of a single run."""
        value = arrays_to_lists(value, role)
        if isinstance(value, Mapping) and maps_names(value):
            relations = [replace(self.one(run, role, f"run {name!r}"), name=str(name)) for name, run in value.items()]
            return _distinct_names(relations)
        if isinstance(value, list | tuple) and value and all(isinstance(run, str | Path) for run in value):
            relations = [replace(self.one(run, role), name=run_name(run)) for run in value]
            return _distinct_names(relations) if len(relations) > 1 else [replace(relations[0], name=None)]
        return [self.one(value, role)]

    def one(self, value: Any, role: str, label: str | None = None, holds: str | None = None) -> Relation:
        """Return the relation that a value stands for.

        Args:
            value: a file, table name, SQL text, data frame, mapping or lists.
            role: ``run``, ``labelled``, ``qrels``, ``query_list``, ``items`` or ``source``.
            label: what to call it in messages, where its own name does not say it.
            holds: as ``read_file`` has it, of a file that holds something else than its role says.
        """
        if isinstance(value, Reference):
            return value.load(self, role)
        if isinstance(value, Ranks | Consensus):
            return self._derived_judgments(value, role)
        if isinstance(value, OfJudge):
            return self._of_judge(value, role, label)
        if not is_engine(self.engine) and not isinstance(value, str):
            type_name = type(value).__name__
            raise UsageError(f"In a statement {_WHAT[role]} must be a table name or SQL text, not {type_name}.")
        if isinstance(value, str | Path) and self._is_file(value):
            loaded = extract_json_fields(self._file(Path(value), role, holds), self._texts)
        else:
            loaded = self._one(value, role, label)
        if loaded.database is not None:
            collated = loaded.database.collated(loaded.sql, loaded.types or {})
            loaded = replace(loaded, collated=collated)
        return self._in_order(loaded, value) if self._keep_order and loaded.side == "run" else loaded

    def optional(self, value: Any, role: str) -> Relation | None:
        """Read an input that may be absent."""
        return None if value is None else self.one(value, role)

    def derived(
        self,
        text: str,
        role: str,
        label: str,
        facts: KnownFacts,
        *,
        is_permanent: bool,
        optional_ids: bool,
        permanent_text: str | None = None,
    ) -> Relation:
        """Return the relation of a query of the package, which DuckDB runs once; permanent if all that it reads is.

        ``permanent_text`` is the same query where it reads no table that was loaded for this call.
        """
        from ..engines.duckdb.engine import DuckDB

        engine = self.engine
        is_table = isinstance(engine, DuckDB)
        query = engine.query(text)
        sql = engine.load("query", text, []) if isinstance(engine, DuckDB) else query
        types = self._described(sql)
        lasting = permanent_text or text
        return Relation(
            label,
            sql,
            role,
            types,
            is_query=not is_table and not engine.stores_queries,
            optional_ids=optional_ids,
            database=engine,
            is_permanent=is_permanent and (is_table or not engine.stores_queries),
            collated=engine.collated(sql, types or {}),
            permanent_sql=engine.query(lasting)
            if is_table
            else relation(lasting, engine.dialect)
            if engine.stores_queries
            else None,
            facts=facts,
            is_ours=True,
        )

    def _derived_judgments(self, value: Ranks | Consensus, role: str) -> Relation:
        """Return judgments that are made of something else, in the database of that."""
        given = self.one(value.given, value.given_as, "reference" if isinstance(value, Ranks) else None)
        place = given.database or self.engine
        if is_engine(place):
            value.check(given, place.dialect, lambda text: place.run(text)[1])
        text, label = value.text(given, place.dialect), f"{value.label} of {given.label}"
        facts = KnownFacts(clean=True)
        return Reader(place).derived(text, role, label, facts, is_permanent=given.is_permanent, optional_ids=True)

    def judges(self, value: Any, column: str) -> list[Any]:
        """Return the judges that a column of judgments names, in order."""
        table = self.one(value, "qrels")
        place = table.database or self.engine
        if not is_engine(place):
            raise UsageError("agreement: judges are looked up in the table, which needs a connection.")
        name = column_or_expression(table, "judge", column, place.dialect)
        rows = place.run(f"SELECT DISTINCT {name} AS judge FROM {table.sql} u WHERE {name} IS NOT NULL")[1]
        return sorted((judge for (judge,) in rows), key=lambda judge: (isinstance(judge, str), judge))

    def _of_judge(self, value: OfJudge, role: str, label: str | None) -> Relation:
        """Return the rows of one judge."""
        table = self.one(value.qrels, role)
        text = value.text(table, (table.database or self.engine).dialect)
        return replace(table, sql=f"({text})", label=label or f"{table.label}, judge {value.judge!r}")

    def _in_order(self, loaded: Relation, value: Any) -> Relation:
        """Return the relation with the place of each row, which files, data frames and Python objects have."""
        if isinstance(value, str) and not loaded.text_ids:
            return loaded  # a table has no order; ``name_meanings`` asks for one where scores may tie
        numbered = f"(SELECT *, ROW_NUMBER() OVER () AS {PLACE} FROM {loaded.sql})"
        return replace(loaded, sql=numbered, types={**(loaded.types or {}), PLACE: "BIGINT"})

    def _one(self, value: Any, role: str, label: str | None) -> Relation:
        if isinstance(value, str):
            return self._named(value, role, label)
        value = arrays_to_lists(value, role)
        if role == "source" and isinstance(value, Mapping | list | tuple):
            raise UsageError(f"{label} takes a table, a file, SQL text or a data frame, not {shortened(value)}.")
        if isinstance(value, Mapping | list | tuple):
            return self._python(value, role, label or _WHAT[role])
        if value is None:
            raise UsageError(f"No {_WHAT[role]} given.")
        if not any(hasattr(type(value), name) for name in ("columns", "__arrow_c_stream__")):
            raise UsageError(f"{_WHAT[role]}: cannot read a {type(value).__name__}.")
        engine = self.engine.local(label or _WHAT[role])
        value = value.read_all() if hasattr(value, "read_all") else value  # a reader of Arrow's gives its rows once
        frame = restore_whole_numbers(value)
        name = engine.register(_WHAT[role], text_arrays_to_lists(frame) if role == "source" else frame)
        types = engine.describe(name)
        called = original_names(types, lambda: frame_columns(value))
        return Relation(label or _WHAT[role], name, role, types, called, database=engine)

    def _is_file(self, value: str | Path) -> bool:
        """Return whether a name is the file of that name, even if the database has such a table."""
        return isinstance(value, Path) or (kind_of(value) == "file" and self.engine.takes_files) or not is_utf8(value)

    def _named(self, value: str, role: str, label: str | None) -> Relation:
        if looks_like_query(value):
            return self._query(value, role, f"{label or _WHAT[role]} query")
        is_file = kind_of(value) == "file"
        value = value if is_file else _table_called(value, None if self.engine.is_ours else self.engine)
        name = None if self.engine.is_ours else self.engine.table(value)  # what ours holds, we have loaded
        if name is not None:
            return Relation(value, name, role, self._described(name), database=self.engine, is_permanent=True)
        if is_file or (self.engine.is_ours and is_folder(value)):
            return self._file(Path(value), role)
        looked = ["file"] if is_engine(self.engine) else []
        looked += [] if self.engine.is_ours else ["table in the database"]
        where = ", and ".join(f"no such {what}" for what in looked)
        raise DataError(f"{value}: {where}.")

    def _query(self, text: str, role: str, label: str) -> Relation:
        sql = self.engine.query(text)
        is_table = self.engine.stores_queries
        types = self._described(sql)
        called = {} if types is None else original_names(types, lambda: self.engine.query_columns(text, list(types)))
        return Relation(
            label, sql, role, types, called, is_query=not is_table, database=self.engine, is_permanent=not is_table
        )

    def _described(self, sql: str) -> dict[str, str] | None:
        """Return the columns of a relation and their types; None if they cannot be looked up."""
        return self.engine.describe(sql) if self.engine.knows_columns else None

    def _file(self, path: Path, role: str, holds: str | None = None) -> Relation:
        by_subtopic = role == "qrels" and self._subtopics
        if role == "run" and self._tags:
            holds = "tagged"
        holds = holds or {"query_list": "lines", "labelled": "run"}.get(role, "subtopics" if by_subtopic else role)
        mapping = read_mapping(path, self.input_format) if role in _MAPPINGS else None
        if mapping is not None:
            return self._mapping(path, mapping, role)
        engine = self.engine.local(str(path))
        read = read_file(engine, path, holds, self.input_format)
        try:
            types = dict(read.types) if read.types else engine.describe(read.sql)
        except DatabaseError as error:
            raise DataError(f"{path}: {error}") from None
        form = file_format(path, self.input_format)
        called = original_names(types, lambda: file_columns(engine, path, self.input_format))
        return Relation(
            str(path),
            read.sql,
            role,
            types,
            called,
            text_ids=True,
            own_types=form == "parquet",
            subtopic="iteration" if by_subtopic and form == "trec" else None,
            read_tags=partial(run_tags, engine, path) if form == "trec" and holds == "run" else None,
            database=engine,
            facts=read.facts,
        )

    def _mapping(self, path: Path, value: Mapping[str, Any], role: str) -> Relation:
        """Return the object of a JSON file, which is what Python takes; its ids are text, as in every file."""
        if role == "run" and maps_names(value) and all(isinstance(run, Mapping) for run in value.values()):
            names = ", ".join(map(shortened, list(value)[:3]))
            raise DataError(
                f"{path}: a file holds one run, {{query: {{item: score}}}}, but this one holds runs by name"
                f" ({names}). Pass a file for each run."
            )
        try:
            return replace(self._python(value, role, str(path)), text_ids=True)
        except UsageError as error:
            raise DataError(f"{path}: {str(error).removeprefix(f'{role}: ')}") from None

    def _python(self, value: Any, role: str, label: str) -> Relation:
        columns, placeholders = columns_of(value, role, keeps_empty=self._keeps_empty)
        select, parameters = unnest(columns)
        engine = self.engine.local(label)
        name = engine.load(_WHAT[role], select, parameters)
        subtopic = "subtopic" if "subtopic" in columns else None
        types = engine.describe(name)
        facts = KnownFacts(size=size_of(columns))
        return Relation(
            label, name, role, types, database=engine, optional_ids=placeholders, subtopic=subtopic, facts=facts
        )


def _table_called(text: str, engine: Catalog | None) -> str:
    """Return the name of a table without a final semicolon, unless a table has that very name."""
    bare = strip_semicolon(text)
    return text if bare != text and engine is not None and engine.table(text) is not None else bare


def _distinct_names(relations: Sequence[Relation]) -> list[Relation]:
    names = [one.name for one in relations]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"Two runs are called {name!r}; name them, as in NAME=FILE or {{name: run}}.")
    return list(relations)
