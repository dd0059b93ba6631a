"""Reads run, qrels and table files: TREC text, CSV, Parquet and JSON, plain or compressed; most of it with DuckDB."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..databases.duckdb import DuckDB, file_literal
from ..dialects.names import in_quotes, literal
from ..errors import DatabaseError, DataError, UsageError, nearest, shortened
from . import trec

# What could be guessed is said: DuckDB's guess at quotes and comments rests on the first rows of a file.
_CSV = """header = true, all_varchar = true, quote = '"', escape = '"', comment = '', hive_partitioning = false"""
FORMATS = ("trec", "csv", "tsv", "parquet", "jsonl", "json", "lines")
_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
}
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
# What of it is no text. A moment is text of ISO 8601, UTC's where it names no zone, or milliseconds since 1970: here it
# is UTC's, whatever the zone of the session.
_TYPED = {
    "timestamp": "MAKE_TIMESTAMP(COALESCE("
    "EPOCH_US(COALESCE(TRY_CAST({0} || 'Z' AS TIMESTAMPTZ), TRY_CAST({0} AS TIMESTAMPTZ))),"
    " TRY_CAST({0} AS BIGINT) * 1000))",
    "event_attributes.position.ordinal": "CAST({0} AS INTEGER)",
}
_COMPRESSIONS = (".gz", ".zst")
_MAGIC = {b"\x1f\x8b": ".gz", b"\x28\xb5": ".zst"}


def stem(path: str) -> str:
    """A file's name without folders and extensions: ``runs/covidex.t5.run.gz`` is ``covidex.t5``."""
    name = Path(path).name
    known = {*_SUFFIXES, *_COMPRESSIONS, ".run", ".txt", ".trec", ".res", ".qrels"}
    while Path(name).suffix.lower() in known and Path(name).stem:
        name = Path(name).stem
    return name


def check_format(name: str | None) -> str | None:
    """The name of a format, or None where none is given.

    Raises:
        UsageError: there is no such format.
    """
    if name is not None and name not in FORMATS:
        raise UsageError(f"Unknown input format {name!r}. {nearest(name, FORMATS)}")
    return name


def file_format(path: Path, given: str | None) -> str:
    """The format that is given, else the one that the file's ending names, else TREC text."""
    if given is not None:
        return given
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        suffixes.pop()
    return _SUFFIXES.get(suffixes[-1], "trec") if suffixes else "trec"


class ReadFile(NamedTuple):
    """What was read, and what was found out about it on the way.

    Attributes:
        sql: what can stand behind FROM: a loaded table in our own session, else a query over the file.
        n_ordered: of how many queries of a TREC run ranks and scores both tell items apart.
        n_against: of how many of these the first item by rank is the last by score, and the last is the first.
    """

    sql: str
    n_ordered: int = 0
    n_against: int = 0


def read_file(engine: DuckDB, path: Path, role: str, given: str | None = None) -> ReadFile:
    """Makes a file readable in SQL.

    Args:
        engine: where it is to be read.
        path: the file.
        role: what a TREC file holds: ``run``, ``tagged`` (a run with its tags), ``qrels``, ``subtopics`` (qrels with
            them) or ``lines`` (queries); what is wanted of a JSON file of User Behavior Insights: ``ubi_queries``,
            ``ubi_events`` or all ``documents``.
        given: the format, or None to go by the file's name.

    Raises:
        DataError: the file is missing, empty, damaged or not in its format.
    """
    form = file_format(path, given)
    _check_file(path, form)
    try:
        found = _READERS[form](engine, path, role)
    except DatabaseError as error:
        raise DataError(f"{path}: cannot be read as {form}: {error}") from None
    return found if isinstance(found, ReadFile) else ReadFile(found)


def read_mapping(path: Path, given: str | None = None) -> Mapping[str, Any] | None:
    """What a JSON file holds that is one object, ``{query: {item: score}}``; None of every other file.

    Args:
        path: the file.
        given: the format, or None to go by its name.

    Raises:
        DataError: the file is missing, empty, damaged or no JSON, or one of its objects has a key twice.
    """
    if file_format(path, given) != "json":
        return None
    _check_file(path, "json")
    with open_text(path) as text:
        first = next((line.lstrip() for line in text if not line.isspace()), "")
        if not first.startswith("{"):
            return None
        text.seek(0)
        try:
            found: Mapping[str, Any] = json.load(text, object_pairs_hook=_with_keys_once)
        except json.JSONDecodeError as error:
            raise DataError(f"{path}, line {error.lineno}: cannot be read as json: {error.msg}.") from None
        except (UsageError, RecursionError) as error:
            raise DataError(f"{path}: {error}") from None
    return found


def _with_keys_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise UsageError(f"an object has the key {shortened(twice)} twice.")
    return found


def _check_file(path: Path, form: str) -> None:
    if not is_utf8(str(path)):
        raise DataError(f"{str(path)!r}: the file's name is not UTF-8, which DuckDB needs.")
    if not path.is_file():
        raise DataError(f"{path}: {'is a folder, not a file' if path.is_dir() else 'no such file'}.")
    if path.stat().st_size == 0:
        raise DataError(f"{path}: the file is empty.")
    if form != "parquet":
        check_compression(path)
        _check_not_compressed(path)


def _read_parquet(_engine: DuckDB, path: Path, _role: str) -> str:
    return f"read_parquet({file_literal(path)}, hive_partitioning = false)"


def _read_csv(engine: DuckDB, path: Path, _role: str) -> str:
    return _loaded(engine, path, f"SELECT * FROM read_csv({file_literal(path)}, {_CSV})")


def _read_tsv(engine: DuckDB, path: Path, _role: str) -> str:
    return _loaded(engine, path, f"SELECT * FROM read_csv({file_literal(path)}, {_CSV}, delim = '\t')")


def _read_json(engine: DuckDB, path: Path, role: str) -> str:
    return _read_objects(engine, path, _objects(path, "array", role), _TYPED if role in _DOCUMENTS else {})


def _read_jsonl(engine: DuckDB, path: Path, role: str) -> str:
    objects = _objects(path, "newline_delimited", role)
    return _read_objects(engine, path, objects, _TYPED if role in _DOCUMENTS else {})


def _read_objects(engine: DuckDB, path: Path, objects: str, typed: Mapping[str, str]) -> str:
    """Every key as a column of text: DuckDB's guess at types would rewrite ids that look like dates or numbers."""
    keys = _keys(engine, objects)
    if not keys:
        raise DataError(f"{path}: the file holds no rows.")
    values = [(typed.get(key, "{0}").format(_json_value(key, is_list)), key) for key, is_list in keys]
    columns = ", ".join(f"{value} AS {in_quotes(key)}" for value, key in values)
    return _loaded(engine, path, f"SELECT {columns} FROM {objects}")


def _objects(path: Path, layout: str, role: str = "") -> str:
    """Where the objects of a file stand behind FROM, in a column ``json``; those that the role is about."""
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
        found = engine.fetch(f"SELECT key FROM ({numbered}) GROUP BY key, place HAVING COUNT(*) > 1")[1]
        repeated = {key for (key,) in found}
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


def _read_lines(engine: DuckDB, path: Path, _role: str) -> ReadFile:
    return _read_trec(engine, path, "lines")


def run_tags(engine: DuckDB, path: Path) -> list[str]:
    """The tags in a run file of TREC text."""
    return [str(tag) for (tag,) in engine.fetch(trec.tags(path))[1]]


def _read_trec(engine: DuckDB, path: Path, role: str) -> ReadFile:
    relation = _loaded(engine, path, trec.select(path, role))
    counts = "COUNT(*) AS n_rows, COUNT(CASE WHEN is_malformed THEN 1 END) AS n_malformed"
    if role == "run":
        of_each = (
            f"SELECT {counts}, {_IS_ORDERED} AS ordered, {_IS_AGAINST} AS against FROM {relation} GROUP BY query_id"
        )
        totals = "SUM(n_rows), SUM(n_malformed), COUNT_IF(ordered), COUNT_IF(ordered AND against)"
        n_rows, n_malformed, *orders = engine.single(f"SELECT {totals} FROM ({of_each})")
    else:
        n_rows, n_malformed, *orders = engine.single(f"SELECT {counts} FROM {relation}")
    if n_malformed:
        with open_text(path) as lines:
            raise DataError(f"{path}{trec.first_malformed_line(lines, role)}")
    if not n_rows:
        raise DataError(f"{path}: the file holds no rows.")
    if not engine.own:
        return ReadFile(f"(SELECT * EXCLUDE (is_malformed) FROM {relation})", *orders)
    engine.run(f"ALTER TABLE {relation} DROP COLUMN is_malformed")
    return ReadFile(relation, *orders)


_IS_ORDERED = "MIN(rank) < MAX(rank) AND MIN(score) < MAX(score)"
_IS_AGAINST = "ARG_MIN(score, rank) = MIN(score) AND ARG_MAX(score, rank) = MAX(score)"

_READERS: dict[str, Callable[[DuckDB, Path, str], str | ReadFile]] = {
    "trec": _read_trec,
    "csv": _read_csv,
    "tsv": _read_tsv,
    "parquet": _read_parquet,
    "jsonl": _read_jsonl,
    "json": _read_json,
    "lines": _read_lines,
}


def file_columns(engine: DuckDB, path: Path, given: str | None = None) -> list[str] | None:
    """What the columns of a file are called in it; two may be called the same.

    Args:
        engine: where it has been read.
        path: the file.
        given: its format, or None to go by its name.
    """
    reader = _COLUMNS.get(file_format(path, given))
    return None if reader is None else reader(engine, path)


def _csv_columns(engine: DuckDB, path: Path) -> list[str]:
    return _header(engine, path, _CSV)


def _tsv_columns(engine: DuckDB, path: Path) -> list[str]:
    return _header(engine, path, f"{_CSV}, delim = '\t'")


def _header(engine: DuckDB, path: Path, options: str) -> list[str]:
    """The header where DuckDB finds it, with white space around names cut off as DuckDB does."""
    found = engine.single(f"SELECT Delimiter, SkipRows FROM sniff_csv({file_literal(path)}, {options})")
    delimiter, skipped = found
    with open_text(path) as lines:
        for _ in range(skipped):
            next(lines)
        return [name.strip() for name in next(csv.reader(lines, delimiter=delimiter))]


def _parquet_columns(engine: DuckDB, path: Path) -> list[str]:
    """The columns at the top of the schema, which has the fields of each behind it."""
    rows = engine.fetch(f"SELECT name, COALESCE(num_children, 0) FROM parquet_schema({file_literal(path)})")[1]
    names, inside = [], 0
    for name, children in rows[1:]:
        if not inside:
            names.append(name)
        inside += children - (1 if inside else 0)
    return names


def _json_columns(layout: str) -> Callable[[DuckDB, Path], list[str]]:
    return lambda engine, path: [key for key, _ in _keys(engine, _objects(path, layout))]


_COLUMNS: dict[str, Callable[[DuckDB, Path], list[str]]] = {
    "csv": _csv_columns,
    "tsv": _tsv_columns,
    "parquet": _parquet_columns,
    "jsonl": _json_columns("newline_delimited"),
    "json": _json_columns("array"),
}


def _loaded(engine: DuckDB, path: Path, select: str) -> str:
    """A table in our own session, so that the file is parsed once; in the user's, which is only read, the query."""
    return engine.load(path.name, select) if engine.own else f"(\n{select}\n)"


def is_utf8(text: str) -> bool:
    """Whether DuckDB can read the text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_not_compressed(path: Path) -> None:
    """A compressed file is known by its name only, so one without the name would read as garbage."""
    if path.suffix.lower() in _COMPRESSIONS:
        return
    with path.open("rb") as stream:
        ending = _MAGIC.get(stream.read(2))
    if ending:
        raise DataError(f"{path}: the file is compressed; its name must end in {ending}.")


def check_compression(path: Path) -> None:
    """Reads a compressed file to its end, because DuckDB does not verify checksums.

    Raises:
        DataError: it is truncated or corrupt.
    """
    if path.suffix.lower() not in _COMPRESSIONS:
        return
    try:
        with _open_bytes(path) as stream:
            while stream.read(1 << 20):
                pass
    except Exception as error:  # noqa: BLE001 - the decompressors have no error class in common
        raise DataError(f"{path}: the compressed file is truncated or corrupt ({error}).") from None


def _open_bytes(path: Path) -> IO[bytes]:
    suffix = path.suffix.lower()
    opened: Any
    if suffix == ".gz":
        opened = gzip.open(path, "rb")  # noqa: SIM115 - the caller closes it
    elif suffix == ".zst":
        opened = _zstd().open(path, "rb")
    else:
        opened = path.open("rb")
    return opened  # type: ignore[no-any-return]


def open_text(path: Path) -> IO[str]:
    """A file, decompressed, as lines of text."""
    return io.TextIOWrapper(_open_bytes(path), encoding="utf-8-sig", errors="replace")


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def spool(stream: IO[bytes], folder: Path) -> Path:
    """Copies a stream that can be read only once, such as standard input, to a file named by its compression.

    Raises:
        DataError: nothing came.
    """
    path = folder / "stream"
    with path.open("wb") as file:
        shutil.copyfileobj(stream, file)
    with path.open("rb") as file:
        start = file.read(2)
    if not start:
        raise DataError(f"{path}: is empty.")
    suffix = _MAGIC.get(start)
    return path.rename(path.with_suffix(suffix)) if suffix else path
