"""Where the definitions are: the folder of templates, options, profiles and refusals."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from .errors import DataError


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
    raise DataError(f"{package}: the templates are not there as files; the package cannot be used{where}.")
