"""Finds the definitions: the folder of templates, options, profiles and refusals."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .errors import DataError

_MACRO = re.compile(rb"{%-?\s*(macro|test)\s+(\w+)\s*\(")


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
        file: where it is.
        name: the same below its root, with slashes.
        text: what it holds.
        macros: the names of its macros.
    """

    file: Path
    name: str
    text: bytes
    macros: list[str]


def template_files(root: Path) -> Iterator[TemplateFile]:
    """The files of templates below a folder."""
    for path, _, names in sorted(os.walk(root)):
        folder = Path(path)
        below = folder.relative_to(root)
        for name in sorted(name for name in names if name.endswith(".sql")):
            file = folder / name
            text = file.read_bytes()
            macros = [("test_" if kind == b"test" else "") + macro.decode() for kind, macro in _MACRO.findall(text)]
            yield TemplateFile(file, f"{below.as_posix()}/{name}".removeprefix("./"), text, macros)
