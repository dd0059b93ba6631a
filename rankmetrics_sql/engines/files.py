"""Reads run, qrels and table files with DuckDB: TREC text, CSV, Parquet and JSON lines, plain or compressed."""

from __future__ import annotations

import gzip
import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from ..errors import DatabaseError, DataError, UsageError, nearest
from .duckdb import DuckDB, literal

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
_COMPRESSIONS = (".gz", ".zst")

# The fields of a line of TREC text, in their order, and what each must be.
TREC_FIELDS = {
    "run": {
        "query_id": "VARCHAR",
        "iteration": "VARCHAR",
        "item_id": "VARCHAR",
        "rank": "BIGINT",
        "score": "DOUBLE",
        "tag": "VARCHAR",
    },
    "qrels": {"query_id": "VARCHAR", "iteration": "VARCHAR", "item_id": "VARCHAR", "relevance": "DOUBLE"},
    "lines": {"query_id": "VARCHAR"},
}


def stem(path: str) -> str:
    """A file's name without folders and extensions: ``runs/covidex.t5.run.gz`` is ``covidex.t5``."""
    name = Path(path).name
    known = {*_SUFFIXES, *_COMPRESSIONS, ".run", ".txt", ".trec", ".res", ".qrels"}
    while Path(name).suffix.lower() in known and Path(name).stem:
        name = Path(name).stem
    return name


def file_format(path: Path, given: str | None) -> str:
    """The format that is given, else the one that the file's ending names, else TREC text."""
    if given is not None:
        if given not in FORMATS:
            raise UsageError(f"Unknown input format {given!r}. {nearest(given, FORMATS)}")
        return given
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        suffixes.pop()
    return _SUFFIXES.get(suffixes[-1], "trec") if suffixes else "trec"


def read_file(engine: DuckDB, path: Path, kind: str, given: str | None = None) -> str:
    """Makes a file readable in SQL.

    Args:
        engine: where it is to be read.
        path: the file.
        kind: what a TREC file holds: ``run``, ``qrels`` or ``lines`` (queries, one a line).
        given: the format, or None to go by the file's name.

    Returns:
        SQL that can stand behind FROM: a loaded table in our own session, else a query over the file.

    Raises:
        DataError: the file is missing, empty, damaged or not in its format.
    """
    if not path.is_file():
        raise DataError(f"{path}: {'is a folder, not a file' if path.is_dir() else 'no such file'}.")
    if path.stat().st_size == 0:
        raise DataError(f"{path}: the file is empty.")
    kind_of_file = file_format(path, given)
    if kind_of_file != "parquet":
        check_compression(path)
    try:
        return _READERS[kind_of_file](engine, path, kind)
    except DatabaseError as error:
        raise DataError(f"{path}: cannot be read as {kind_of_file}: {error}") from None


def _read_parquet(_engine: DuckDB, path: Path, _kind: str) -> str:
    return f"read_parquet({literal(str(path))})"


def _read_csv(engine: DuckDB, path: Path, _kind: str) -> str:
    return _loaded(engine, path, f"SELECT * FROM read_csv({literal(str(path))}, header = true, all_varchar = true)")


def _read_tsv(engine: DuckDB, path: Path, _kind: str) -> str:
    return _loaded(
        engine, path, f"SELECT * FROM read_csv({literal(str(path))}, header = true, all_varchar = true, delim = '\t')"
    )


def _read_json(engine: DuckDB, path: Path, _kind: str) -> str:
    return _loaded(engine, path, f"SELECT * FROM read_json({literal(str(path))})")


def _read_jsonl(engine: DuckDB, path: Path, _kind: str) -> str:
    return _loaded(engine, path, f"SELECT * FROM read_json({literal(str(path))}, format = 'newline_delimited')")


def _read_lines(engine: DuckDB, path: Path, _kind: str) -> str:
    return _read_trec(engine, path, "lines")


def _read_trec(engine: DuckDB, path: Path, kind: str) -> str:
    fields = TREC_FIELDS[kind]
    columns = ", ".join(_typed(name, type_) for name, type_ in fields.items())
    relation = _loaded(engine, path, f"SELECT {columns} FROM ({_split_lines(path, fields)})")
    required = [name for name in fields if name not in ("rank", "iteration", "tag")]
    bad = " OR ".join(f"{name} IS NULL" for name in required)
    rows, malformed = engine.single(f"SELECT COUNT(*), COUNT(CASE WHEN {bad} THEN 1 END) FROM {relation}")
    if malformed:
        raise DataError(_first_bad_line(path, kind))
    if rows == 0:
        raise DataError(f"{path}: the file holds no rows.")
    return relation


def _typed(name: str, type_: str) -> str:
    return f"NULLIF(f.{name}, '') AS {name}" if type_ == "VARCHAR" else f"TRY_CAST(f.{name} AS {type_}) AS {name}"


def _lines(path: Path) -> str:
    options = (
        "columns = {'line': 'VARCHAR'}, header = false, auto_detect = false, delim = '\x1f', quote = '', escape = '',"
        " null_padding = true, strict_mode = false, max_line_size = 16000000"
    )
    return f"read_csv({literal(str(path))}, {options})"


def _split_lines(path: Path, fields: dict[str, str]) -> str:
    """Any white space separates, fields beyond the last are ignored, and so are blank lines and comments."""
    pattern = r"^\s*" + r"\s+".join([r"(\S+)"] * len(fields)) + r"(?:\s|$)"
    names = ", ".join(literal(name) for name in fields)
    line = f"LTRIM(line, '{chr(0xFEFF)}')"
    select = f"SELECT regexp_extract({line}, {literal(pattern)}, [{names}]) AS f FROM {_lines(path)}"
    return f"{select} WHERE TRIM(line, ' \t\r\n') <> '' AND NOT starts_with(line, '#')"


def _first_bad_line(path: Path, kind: str) -> str:
    """Says where and what is wrong, reading the file once more, line by line."""
    fields = list(TREC_FIELDS[kind])
    with _open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            found = line.lstrip("\ufeff").split()
            if not found or line.startswith("#"):
                continue
            shown = repr(line.strip() if len(line) <= 80 else line[:77].strip() + "...")
            if len(found) < len(fields):
                expected = f"{len(fields)} are expected ({' '.join(fields)})"
                return f"{path}, line {number}: {len(found)} fields where {expected}: {shown}."
            values = dict(zip(fields, found, strict=False))
            for name in ("score", "relevance"):
                if name in values and not _is_number(values[name]):
                    return f"{path}, line {number}: {name} is {values[name]!r}, not a number: {shown}."
    return f"{path}: some lines cannot be read."


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


_READERS: dict[str, Callable[[DuckDB, Path, str], str]] = {
    "trec": _read_trec,
    "csv": _read_csv,
    "tsv": _read_tsv,
    "parquet": _read_parquet,
    "jsonl": _read_jsonl,
    "json": _read_json,
    "lines": _read_lines,
}


def _loaded(engine: DuckDB, path: Path, select: str) -> str:
    """A table in our own session, so that the file is parsed once; in the user's, which is only read, the query."""
    return engine.load(path.name, select) if engine.own else f"(\n{select}\n)"


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


def _open_text(path: Path) -> IO[str]:
    return io.TextIOWrapper(_open_bytes(path), encoding="utf-8", errors="replace")


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def spool_standard_input() -> Path:
    """Standard input as a file, named by its compression.

    Raises:
        DataError: nothing came.
    """
    with tempfile.NamedTemporaryFile(delete=False, prefix="rankmetrics-") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    path = Path(file.name)
    if path.stat().st_size == 0:
        path.unlink()
        raise DataError("-: standard input is empty.")
    with path.open("rb") as stream:
        start = stream.read(4)
    suffix = {b"\x1f\x8b": ".gz", b"\x28\xb5": ".zst"}.get(start[:2], "")
    return path.rename(path.with_suffix(suffix)) if suffix else path
