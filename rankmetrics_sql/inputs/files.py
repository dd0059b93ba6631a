"""Files of every format, read by DuckDB; errors name the line that is wrong."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..engines.duckdb import file_literal
from ..errors import DatabaseError, DatabaseTimeoutError, DataError, UsageError, nearest, shortened
from ..relation import KnownFacts
from . import trec
from .compression import COMPRESSIONS, check_compression, open_text
from .json_files import object_keys, read_object, select_objects

if TYPE_CHECKING:
    from ..engines.duckdb.engine import DuckDB


DELIMITERS = ",;\t|"


def lacks_header(path: Path, columns: Sequence[str]) -> bool:
    """Return whether the columns that DuckDB found differ from the first line, or are one column with the whole line.

    Args:
        path: a file that was read.
        columns: the columns that DuckDB found.
    """
    if len(columns) == 1:
        return True
    with open_text(path) as lines:
        first = next(lines, "")
    delimiter = max(DELIMITERS, key=first.count)
    name = next(iter(next(csv.reader([first], delimiter=delimiter), [])), "").strip()
    return name not in ("", columns[0]) and not first.startswith("#")


def odd_line(path: Path, delimiters: str) -> str:
    """Return the first line with more or fewer fields than the header, as the end of a message; empty if there is none.

    Args:
        path: a file that could not be read, or has one column.
        delimiters: what may separate fields: the one that is most frequent in the header counts.
    """
    try:
        with open_text(path) as lines:
            header = next(lines, "")
            delimiter = max(delimiters, key=header.count)
            names = next(csv.reader([header], delimiter=delimiter), [])
            rows = csv.reader(lines, delimiter=delimiter)
            for row in rows if len(names) > 1 else ():
                if row and len(row) != len(names):
                    expected = f"{len(names)} are expected ({delimiter.join(names)})"
                    line = shortened(delimiter.join(row))
                    return f", line {rows.line_num + 1}: {len(row)} fields where {expected}: {line}."
    except (UnicodeDecodeError, csv.Error, EOFError):
        pass  # what DuckDB says of it is better
    return ""


# Nothing is left to be guessed: DuckDB guesses quotes and comments from the first rows of a file.
_CSV = """header = true, all_varchar = true, quote = '"', escape = '"', comment = '', hive_partitioning = false"""
_TSV = f"{_CSV}, delim = '\t'"
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


def stem(path: str) -> str:
    """A file's name without folders and extensions: ``runs/covidex.t5.run.gz`` is ``covidex.t5``."""
    name = Path(path).name
    suffixes = {*_SUFFIXES, *COMPRESSIONS, ".run", ".txt", ".trec", ".res", ".qrels"}
    while Path(name).suffix.lower() in suffixes and Path(name).stem:
        name = Path(name).stem
    return name


def check_format(name: str | None) -> str | None:
    """Return the name of a format, or None where none is given."""
    if name is not None and name not in FORMATS:
        raise UsageError(f"Unknown input format {name!r}. {nearest(name, FORMATS)}")
    return name


def file_format(path: Path, given: str | None) -> str:
    """Return the format that is given, else the one that the file's ending names, else TREC text."""
    if given is not None:
        return given
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    return _SUFFIXES.get(suffixes[-1], "trec") if suffixes else "trec"


class ReadFile(NamedTuple):
    """A file that was read, with what reading it revealed.

    Attributes:
        sql: what can stand behind FROM: a loaded table in our own session, else a query over the file.
        types: its columns and their types, if the format fixes them.
        facts: what reading it revealed: sizes, and ranks against scores.
    """

    sql: str
    types: Mapping[str, str] | None = None
    facts: KnownFacts = KnownFacts()


def read_file(engine: DuckDB, path: Path, role: str, given: str | None = None) -> ReadFile:
    """Make a file readable in SQL.

    Args:
        engine: where it is to be read.
        path: the file.
        role: what a TREC file holds: ``run``, ``tagged`` (a run with its tags), ``qrels``, ``subtopics`` (qrels with
            them) or ``lines`` (queries); what is wanted of a JSON file of User Behavior Insights: ``ubi_queries``,
            ``ubi_events`` or all ``documents``.
        given: the format, or None to go by the file's name.
    """
    form = file_format(path, given)
    _check_file(path, form)
    try:
        file = _READERS[form](engine, path, role)
    except DatabaseTimeoutError as error:
        raise DatabaseTimeoutError(f"{path}: {error}", error.sql) from None
    except DatabaseError as error:
        raise DataError(f"{path}: cannot be read as {form}: {error}") from None
    return file if isinstance(file, ReadFile) else ReadFile(file)


def read_mapping(path: Path, given: str | None = None) -> Mapping[str, Any] | None:
    """Return the content of a JSON file that is one object, ``{query: {item: score}}``; None for any other file.

    Args:
        path: the file.
        given: the format, or None to go by its name.
    """
    if file_format(path, given) != "json":
        return None
    _check_file(path, "json")
    return read_object(path)


def _check_file(path: Path, form: str) -> None:
    if not is_utf8(str(path)):
        raise DataError(f"{str(path)!r}: the file's name is not UTF-8, which DuckDB needs. Rename the file.")
    if not path.is_file():
        raise DataError(f"{path}: {'is a folder, not a file' if path.is_dir() else 'no such file'}.")
    if path.stat().st_size == 0:
        raise DataError(f"{path}: the file is empty.")
    if form != "parquet":
        check_compression(path)


def _read_parquet(_engine: DuckDB, path: Path, _role: str) -> str:
    return f"read_parquet({file_literal(path)}, hive_partitioning = false)"


def _read_delimited(options: str, delimiters: str) -> Callable[[DuckDB, Path, str], str]:
    def read(engine: DuckDB, path: Path, _role: str) -> str:
        try:
            relation = _loaded(engine, path, f"SELECT * FROM read_csv({file_literal(path)}, {options})")
            columns = list(engine.describe(relation))
        except DatabaseTimeoutError:
            raise
        except DatabaseError:
            if odd := odd_line(path, delimiters):
                raise DataError(f"{path}{odd}") from None
            raise
        if lacks_header(path, columns) and (odd := odd_line(path, delimiters)):
            raise DataError(f"{path}{odd}")
        return relation

    return read


def run_tags(engine: DuckDB, path: Path) -> list[str]:
    """Return the tags in a run file of TREC text."""
    return [str(tag) for (tag,) in engine.fetch(trec.tags(path))[1]]


def _read_trec(engine: DuckDB, path: Path, role: str) -> ReadFile:
    relation = _loaded(engine, path, trec.select(path, role))
    counts = "COUNT(*) AS n_rows, COUNT(CASE WHEN is_malformed THEN 1 END) AS n_malformed"
    if role == "run":
        of_each = (
            f"SELECT {counts}, {_IS_ORDERED} AS ordered, {_IS_AGAINST} AS against FROM {relation} GROUP BY query_id"
        )
        totals = (
            "SUM(n_rows), COUNT(*), SUM(n_malformed), COUNT(CASE WHEN ordered THEN 1 END),"
            " COUNT(CASE WHEN ordered AND against THEN 1 END)"
        )
        n_rows, n_queries, n_malformed, n_ordered, n_reversed = engine.single(f"SELECT {totals} FROM ({of_each})")
    else:
        totals = "COUNT(*), APPROX_COUNT_DISTINCT(query_id), COUNT(CASE WHEN is_malformed THEN 1 END)"
        n_rows, n_queries, n_malformed = engine.single(f"SELECT {totals} FROM {relation}")
        n_ordered = n_reversed = 0
    if n_malformed:
        with open_text(path) as lines:
            raise DataError(f"{path}{trec.first_malformed_line(lines, role)}")
    if not n_rows:
        raise DataError(f"{path}: the file holds no rows.")
    if engine.is_ours:
        engine.run(f"ALTER TABLE {relation} DROP COLUMN is_malformed")
    else:
        relation = f"(SELECT * EXCLUDE (is_malformed) FROM {relation})"
    size = None if role == "tagged" else (int(n_rows), int(n_queries))
    return ReadFile(relation, trec.types(role), KnownFacts(size=size, n_ordered=n_ordered, n_reversed=n_reversed))


def _read_objects(layout: str) -> Callable[[DuckDB, Path, str], str]:
    return lambda engine, path, role: _loaded(engine, path, select_objects(engine, path, layout, role))


_IS_ORDERED = "MIN(rank) < MAX(rank) AND MIN(score) < MAX(score)"
_IS_AGAINST = "ARG_MIN(score, rank) = MIN(score) AND ARG_MAX(score, rank) = MAX(score)"

_READERS: dict[str, Callable[[DuckDB, Path, str], str | ReadFile]] = {
    "trec": _read_trec,
    "csv": _read_delimited(_CSV, DELIMITERS),
    "tsv": _read_delimited(_TSV, "\t"),
    "parquet": _read_parquet,
    "jsonl": _read_objects("newline_delimited"),
    "json": _read_objects("array"),
    "lines": lambda engine, path, _role: _read_trec(engine, path, "lines"),
}


def file_columns(engine: DuckDB, path: Path, given: str | None = None) -> list[str] | None:
    """Return the names of the columns in a file; two may be equal.

    Args:
        engine: where it has been read.
        path: the file.
        given: its format, or None to go by its name.
    """
    reader = _COLUMNS.get(file_format(path, given))
    return None if reader is None else reader(engine, path)


def _header(options: str) -> Callable[[DuckDB, Path], list[str]]:
    """Return the header where DuckDB finds it, with white space around names cut off as DuckDB does."""

    def read(engine: DuckDB, path: Path) -> list[str]:
        delimiter, skipped = engine.single(
            f"SELECT Delimiter, SkipRows FROM sniff_csv({file_literal(path)}, {options})"
        )
        with open_text(path) as lines:
            for _ in range(skipped):
                next(lines)
            return [name.strip() for name in next(csv.reader(lines, delimiter=delimiter))]

    return read


def _parquet_columns(engine: DuckDB, path: Path) -> list[str]:
    """Return the columns at the top of the schema, which has the fields of each behind it."""
    rows = engine.fetch(f"SELECT name, COALESCE(num_children, 0) FROM parquet_schema({file_literal(path)})")[1]
    names, inside = [], 0
    for name, children in rows[1:]:
        if not inside:
            names.append(name)
        inside += children - (1 if inside else 0)
    return names


def _json_columns(layout: str) -> Callable[[DuckDB, Path], list[str]]:
    return lambda engine, path: object_keys(engine, path, layout)


_COLUMNS: dict[str, Callable[[DuckDB, Path], list[str]]] = {
    "csv": _header(_CSV),
    "tsv": _header(_TSV),
    "parquet": _parquet_columns,
    "jsonl": _json_columns("newline_delimited"),
    "json": _json_columns("array"),
}


def _loaded(engine: DuckDB, path: Path, select: str) -> str:
    """Load a query into a table of the package's session; in the user's, return the query itself."""
    return engine.load(path.name, select) if engine.is_ours else f"(\n{select}\n)"


def is_utf8(text: str) -> bool:
    """Return whether DuckDB can read the text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
