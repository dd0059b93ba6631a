"""Where the definitions are: the folder of templates, options, profiles and refusals."""

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
    for folder, _, names in sorted(os.walk(root)):
        for file in (Path(folder, name) for name in sorted(names) if name.endswith(".sql")):
            text = file.read_bytes()
            macros = [("test_" if kind == b"test" else "") + name.decode() for kind, name in _MACRO.findall(text)]
            yield TemplateFile(file, file.relative_to(root).as_posix(), text, macros)
