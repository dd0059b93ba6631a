"""The files that results are written to: formats by ending, and writing whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from ..errors import DataError, UsageError, nearest

FORMATS = ("table", "csv", "json", "jsonl", "markdown", "latex", "trec")

FOR_PEOPLE = ("table", "markdown", "latex")

_SUFFIXES = {".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".md": "markdown", ".tex": "latex"}


def format_of(path: Path | None) -> str:
    """Return the format of a file by its ending; a table without a file or an ending."""
    suffix = "" if path is None else path.suffix.lower()
    if suffix in ("", ".txt", ".out", ".log"):
        return "table"
    if path is not None and suffix in (".svg", ".png", ".pdf"):
        raise UsageError(
            f"--output {path}: this command draws no charts. Draw one in Python: result.plot().save({path.name!r})."
        )
    if suffix not in _SUFFIXES:
        raise UsageError(
            f"--output {path}: {suffix!r} is not the ending of a format. Pass --format. {nearest(suffix, _SUFFIXES)}"
        )
    return _SUFFIXES[suffix]


def write(text: str, path: Path) -> None:
    """Write a file whole or not at all, with the mode of the file that it replaces."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        _write_through(text, path)
        return
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        Path(name).chmod(stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask())
        Path(name).replace(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from None
    finally:
        Path(name).unlink(missing_ok=True)


def _write_through(text: str, path: Path) -> None:
    """Write to a device or pipe, which cannot be replaced."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from None


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
