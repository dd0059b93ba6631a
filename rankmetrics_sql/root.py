"""Finds the definitions: the folder of templates, options, profiles and refusals."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .errors import DataError
from .kept import kept
from .version import __version__

_MACRO = rb"{%-?\s*(macro|test)\s+(\w+)\s*\("


@cache
def sql_root() -> Path:
    """The folder ``sql``: inside an installed package, beside the package in a checkout.

    Raises:
        DataError: there is none.
    """
    package = Path(__file__).parent
    for folder in (package / "_sql", package.parent / "sql"):
        if folder.is_dir():
            return folder
    where = next((f" inside a zip file: unpack {path}" for path in package.parents if path.is_file()), "")
    raise DataError(f"{package}: the templates are not files, so the package cannot run{where}.")


class TemplateFile(NamedTuple):
    """A file of templates.

    Attributes:
        root: the folder that all of them are below.
        name: its place there, with slashes.
        macros: the names of its macros.
    """

    root: Path
    name: str
    macros: list[str]

    @property
    def file(self) -> Path:
        """Where it is."""
        return self.root / self.name


def template_files(root: Path) -> Iterator[TemplateFile]:
    """The files of templates below a folder, read only if one of them is not as it was when they last were."""
    stamps = sorted(_stamps(str(root), ""))

    def macros_by_file() -> dict[str, list[str]]:
        return {name: _macros_in((root / name).read_bytes()) for name, *_ in stamps}

    macros: dict[str, list[str]] = kept(root, repr(stamps).encode(), f"macros {__version__} {_MACRO!r}", macros_by_file)
    for name, *_ in stamps:
        yield TemplateFile(root, name, macros[name])


def _stamps(folder: str, below: str) -> Iterator[tuple[str, int, int]]:
    """Of each file its name below the root, when it was changed, and its size."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _stamps(entry.path, f"{below}{entry.name}/")
            elif entry.name.endswith(".sql"):
                found = entry.stat()
                yield below + entry.name, found.st_mtime_ns, found.st_size


def _macros_in(text: bytes) -> list[str]:
    return [("test_" if kind == b"test" else "") + macro.decode() for kind, macro in re.findall(_MACRO, text)]
