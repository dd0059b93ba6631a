"""Packages that only some users need, imported when they are first used."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import UsageError


def optional(name: str, problem: str) -> Any:
    """A module.

    Args:
        name: the module's.
        problem: what to say where it is not installed, and how to install it.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(problem) from None


def extra(name: str) -> str:
    """Return how to install the packages of an extra, from a clone and from an index.

    Args:
        name: the extra's.
    """
    return f"pip install '.[{name}]' in a clone, else 'rankmetrics-sql[{name}]'"


def of_stats(name: str, what: str) -> Any:
    """A module of SciPy, or NumPy, which comes with it.

    Args:
        name: the module's.
        what: what it is for.
    """
    return optional(name, f"{what} needs SciPy: {extra('stats')}.")


def of_plots(name: str, what: str) -> Any:
    """A module of what draws.

    Args:
        name: the module's.
        what: what people call it.
    """
    return optional(name, f"{what} is not installed: {extra('plot')}.")


def pyarrow() -> Any:
    """PyArrow."""
    return optional("pyarrow", "PyArrow is not installed: pip install pyarrow.")
