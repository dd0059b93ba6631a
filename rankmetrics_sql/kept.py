"""Keeps what is made of the definitions' files for the next process: compiled templates, and what TOML says.

Nothing kept can be out of date. An entry is read only where what it was made of (a text, or the names, times and sizes
of files) and the versions of what made it are the same. Entries are files in a folder of the user's temporary folder
that nobody else may write. Where there can be no such folder, everything is made anew in each process.
"""

from __future__ import annotations

import marshal
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any


def kept(source: Path, text: bytes, maker: str, make: Callable[[], Any]) -> Any:
    """Return what is made of a text, from an earlier process if that kept it.

    Args:
        source: the file that holds the text; it has one entry for each maker.
        text: what the result depends on, or what tells that it has changed.
        maker: what makes it, with its version.
        make: makes it, of values that ``marshal`` knows, code among them.
    """
    folder = _folder()
    if folder is None:
        return make()
    entry = folder / sha256(f"{maker.partition(' ')[0]} {source}".encode()).hexdigest()[:32]
    key = sha256(f"{sys.implementation.cache_tag} {sys.hexversion} {maker}\n".encode() + text).digest()
    try:
        data = entry.read_bytes()
        if data.startswith(key):
            return marshal.loads(data[len(key) :])  # noqa: S302 - nobody else may write there
    except (OSError, EOFError, ValueError, TypeError):  # there is none, or it is damaged
        pass
    made = make()
    _keep(entry, key + marshal.dumps(made))
    return made


def toml(source: Path, text: str) -> dict[str, Any]:
    """Parse a text in TOML.

    Args:
        source: the file that holds it.
        text: the text.

    Raises:
        ValueError: it is no TOML.
    """

    def loaded() -> dict[str, Any]:
        import tomllib

        return tomllib.loads(text)

    said: dict[str, Any] = kept(source, text.encode(), "toml", loaded)
    return said


def digest(source: str) -> str:
    """Return what identifies a module that makes something, by its text."""
    return sha256(Path(source).read_bytes()).hexdigest()


def _keep(entry: Path, data: bytes) -> None:
    """Writes an entry whole or not at all: other processes may read and write it meanwhile."""
    name = entry.with_name(f"{entry.name}.{os.getpid()}")
    try:
        name.write_bytes(data)
        name.replace(entry)
    except OSError:  # the disk is full, or the folder is gone
        name.unlink(missing_ok=True)


@cache
def _folder() -> Path | None:
    """The folder of the entries; None where there can be none that belongs to the user alone."""
    user = os.getuid() if hasattr(os, "getuid") else None
    try:
        folder = Path(tempfile.gettempdir()) / ("rankmetrics" if user is None else f"rankmetrics-{user}")
        folder.mkdir(mode=stat.S_IRWXU, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    is_own = user is None or (found.st_uid == user and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    return folder if stat.S_ISDIR(found.st_mode) and is_own else None
