"""Packages that only some users need, imported when they are first used."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import UsageError


def optional(name: str, title: str) -> Any:
    """A module.

    Args:
        name: the module, and the package that ``pip install`` knows.
        title: how the package writes its own name.

    Raises:
        UsageError: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(f"{title} is not installed: pip install {name}.") from None


def pyarrow() -> Any:
    """PyArrow.

    Raises:
        UsageError: it is not installed.
    """
    return optional("pyarrow", "PyArrow")
