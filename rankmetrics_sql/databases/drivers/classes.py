"""Recognises objects by the names of their classes and modules, without importing any package."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def is_a(thing: Any, module: str, name: str) -> bool:
    """Whether a class of that name, in the module or below it, is among the classes of the object."""
    return f"{module}:{name}" in names_of(thing)


def names_of(thing: Any) -> Iterator[str]:
    """``module:Class`` and ``module`` of each of an object's classes, and so of each package that they are in."""
    for type_ in type(thing).__mro__:
        parts = type_.__module__.split(".")
        for module in (".".join(parts[:length]) for length in range(len(parts), 0, -1)):
            yield f"{module}:{type_.__name__}"
            yield module


def modules_of(thing: Any) -> Iterator[str]:
    """The modules of an object's classes, each with the packages that it is in."""
    return (name for name in names_of(thing) if ":" not in name)


def is_dbapi(thing: Any) -> bool:
    """Whether it has what PEP 249 asks of a connection."""
    return not isinstance(thing, type) and all(callable(getattr(thing, name, None)) for name in ("cursor", "close"))


def type_name(thing: Any) -> str:
    """Return the name of an object's kind for messages."""
    type_ = type(thing)
    return type_.__name__ if type_.__module__ == "builtins" else f"{type_.__module__.split('.')[0]}'s {type_.__name__}"
