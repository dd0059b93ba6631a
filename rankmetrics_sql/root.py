"""Finds the definitions: the folder of templates, options, profiles and refusals, and the one of compiled templates."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from .errors import DataError

_PACKAGE = Path(__file__).parent


@cache
def sql_root() -> Path:
    """The folder ``sql``: inside an installed package, beside the package in a checkout."""
    for folder in (_PACKAGE / "_sql", _PACKAGE.parent / "sql"):
        if folder.is_dir():
            return folder
    where = next((f" inside a zip file: unpack {path}" for path in _PACKAGE.parents if path.is_file()), "")
    raise DataError(f"{_PACKAGE}: the templates are not files, so the package cannot run{where}.")


@cache
def compiled_root() -> Path:
    """The folder of compiled templates: inside an installed package, ``build/templates`` in a checkout."""
    installed = _PACKAGE / "_templates"
    return installed if installed.is_dir() else _PACKAGE.parent / "build" / "templates"
