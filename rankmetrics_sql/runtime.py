"""What compiled templates call: as much of Jinja as they use, so that nobody waits for Jinja's import.

Filters and tests are Jinja's, for text that needs no escaping: ``tests/test_runtime.py`` holds each to Jinja's own.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from itertools import filterfalse, islice
from math import isfinite
from numbers import Number
from types import SimpleNamespace
from typing import Any, Never

missing = object()  # what a macro has of a parameter that it is not given


class UndefinedError(Exception):
    """A template reads what nobody gave."""


class Undefined:
    """What nobody gave: whatever is done with it fails, but to ask whether it is there."""

    def __init__(self, hint: str | None = None, name: Any = None) -> None:
        self._why = hint or f"{name!r} is undefined"

    def _fail(self, *_arguments: Any) -> Never:
        raise UndefinedError(self._why)

    __str__ = __iter__ = __len__ = __bool__ = __hash__ = __contains__ = __getitem__ = __call__ = __getattr__ = _fail
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _fail
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = __int__ = (
        _fail
    )


class _Loop:
    """A loop that knows where it is: gives each item beside itself."""

    def __init__(self, items: Iterable[Any], _undefined: Any) -> None:
        self._items = list(items)
        self.index0 = -1

    def __iter__(self) -> Iterator[tuple[Any, _Loop]]:
        for item in self._items:
            self.index0 += 1
            yield item, self

    @property
    def index(self) -> int:
        """The number of this turn, from 1."""
        return self.index0 + 1

    @property
    def first(self) -> bool:
        """Whether this is the first turn."""
        return not self.index0

    @property
    def last(self) -> bool:
        """Whether this is the last turn."""
        return self.index == len(self._items)


def _getitem(value: Any, key: Any) -> Any:
    """What a value has under a key or at a place, or as an attribute; if nothing, what fails when it is used."""
    try:
        return value[key]
    except (LookupError, TypeError):
        absent = Undefined(f"{type(value).__name__!r} has no {key!r}")
        return getattr(value, key, absent) if isinstance(key, str) else absent


def _getattr(value: Any, attribute: str) -> Any:
    """The value of a key; an attribute of anything else."""
    return value[attribute] if isinstance(value, dict) else getattr(value, attribute)


def _path(attribute: str) -> Callable[[Any], Any]:
    """What finds ``a.b`` in a value."""
    parts = attribute.split(".")
    return lambda value: reduce(_getitem, parts, value)


def _ignoring_case(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _int(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        number = _float(value)
        return int(number) if isfinite(number) else 0


def _float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


def _default(value: Any, default: Any) -> Any:
    return default if isinstance(value, Undefined) else value


def _indent(text: str, width: int = 4, first: bool = False) -> str:
    """All lines but the first, and empty ones, stand further to the right; ``first``: the first does too."""
    space = " " * width
    head, *lines = (text + "\n").splitlines()
    return "\n".join([space + head if first else head, *(line and space + line for line in lines)])


def _batch(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    rest = iter(items)
    while taken := list(islice(rest, size)):
        yield taken


def _unique(items: Iterable[Any]) -> Iterator[Any]:
    """Of each value the first, where capitals are no difference."""
    seen: dict[Any, Any] = {}
    for item in items:
        seen.setdefault(_ignoring_case(item), item)
    return iter(seen.values())


def _map(items: Iterable[Any], name: str = "", *arguments: Any, attribute: str = "") -> Iterator[Any]:
    """An attribute of each item, or what a filter makes of each."""
    if attribute:
        return map(_path(attribute), items or ())
    return (FILTERS[name](item, *arguments) for item in items or ())


def _passes(name: str = "", *arguments: Any) -> Callable[[Any], bool]:
    """A test as a function of what is tested; without a name, whether there is anything."""
    return (lambda value: TESTS[name](value, *arguments)) if name else bool


def _passes_in(attribute: str, *test: Any) -> Callable[[Any], bool]:
    """The same of an attribute."""
    find, passes = _path(attribute), _passes(*test)
    return lambda item: passes(find(item))


_NONE = Undefined("there is no item")
FILTERS: Mapping[str, Callable[..., Any]] = {
    "abs": abs,
    "batch": _batch,
    "default": _default,
    "first": lambda items: next(iter(items), _NONE),
    "float": _float,
    "indent": _indent,
    "int": _int,
    "join": lambda items, between="": between.join(map(str, items)),
    "last": lambda items: next(reversed(items), _NONE),
    "length": len,
    "list": list,
    "lower": lambda value: str(value).lower(),
    "map": _map,
    "max": lambda items: max(items, key=_ignoring_case, default=_NONE),
    "min": lambda items: min(items, key=_ignoring_case, default=_NONE),
    "reject": lambda items, *test: filterfalse(_passes(*test), items or ()),
    "rejectattr": lambda items, *test: filterfalse(_passes_in(*test), items or ()),
    "replace": lambda value, old, new: str(value).replace(old, new),
    "reverse": lambda value: value[::-1] if isinstance(value, str) else reversed(value),
    "round": round,
    "select": lambda items, *test: filter(_passes(*test), items or ()),
    "selectattr": lambda items, *test: filter(_passes_in(*test), items or ()),
    "sort": lambda items: sorted(items, key=_ignoring_case),
    "string": str,
    "trim": lambda value, characters=None: str(value).strip(characters),
    "unique": _unique,
    "upper": lambda value: str(value).upper(),
}
TESTS: Mapping[str, Callable[..., bool]] = {
    "boolean": lambda value: isinstance(value, bool),
    "defined": lambda value: not isinstance(value, Undefined),
    "eq": operator.eq,
    "equalto": operator.eq,
    "false": lambda value: value is False,
    "in": lambda value, items: value in items,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "mapping": lambda value: isinstance(value, Mapping),
    "none": lambda value: value is None,
    "number": lambda value: isinstance(value, Number),
    "sequence": lambda value: hasattr(value, "__len__") and hasattr(value, "__getitem__"),
    "string": lambda value: isinstance(value, str),
    "true": lambda value: value is True,
}
# What all templates know, as dbt gives it to them.
GLOBALS = ("adapter", "config", "exceptions", "flags", "fromjson", "range", "var")
# How names begin in compiled templates: those of macros and their parameters, of filters and tests.
MACRO, PARAMETER, FILTER, TEST = "macro_", "l_1_", "filter_", "test_"
NAMES: Mapping[str, Any] = {
    "missing": missing,
    "undefined": Undefined,
    "cond_expr_undefined": lambda _why: "",
    "LoopContext": _Loop,
    "concat": "".join,
    "str_join": lambda parts: "".join(map(str, parts)),
    "environment": SimpleNamespace(getitem=_getitem, getattr=_getattr),
    **{FILTER + name: call for name, call in FILTERS.items()},
    **{TEST + name: call for name, call in TESTS.items()},
}
