"""Makes a function a public question, with its whole signature and docstring, and checks its arguments."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

from ..definitions.arguments import check_arguments
from ..inputs.sources import Source
from .common import Common

P = ParamSpec("P")
T = TypeVar("T")

_ENTRY = r"(?m)^    (\w+): "
_OPTIONS = "    options: choices by name, such as ``ties``; see ``options()``."
_DEFAULTS: Mapping[str, Any] = {"by": (), "rollup": False}  # None of all others


def question(
    *keys: str, refuse: Callable[[Mapping[str, Any]], None] | None = None
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Makes a public question of a function that takes ``**common``.

    Args:
        keys: those of ``Common`` that it has a use for; all others are refused, like options that there are not.
        refuse: refuses keys that it has no use for with a message of its own.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = _signature(inspect.signature(function), keys)

        @functools.wraps(function)
        def asked(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                given = signature.bind(*args, **kwargs)
            except TypeError:
                return function(*args, **kwargs)  # Python says what is missing
            given.apply_defaults()
            if refuse is not None:
                refuse(given.arguments["options"])
            check_arguments(_looked_at(given.arguments, signature))
            return function(*args, **kwargs)

        asked.__signature__ = signature  # type: ignore[attr-defined]
        asked.__doc__ = _document(
            inspect.cleandoc(function.__doc__ or ""), keys, has_options="options" in signature.parameters
        )
        return asked

    return decorate


def _looked_at(given: Mapping[str, Any], signature: inspect.Signature) -> dict[str, Any]:
    """The arguments without metrics that may be absent: by the signature, or second, behind a source."""
    is_behind_source = isinstance(next(iter(given.values())), Source)
    found = dict(given)
    for name in ("metric", "metrics"):
        if found.get(name, ()) is None and (is_behind_source or signature.parameters[name].default is None):
            del found[name]
    return found


def _signature(own: inspect.Signature, keys: Iterable[str]) -> inspect.Signature:
    """The signature with a parameter for each key, and ``**options`` for the rest."""
    kinds = inspect.Parameter
    parameters = [one for one in own.parameters.values() if one.kind is not kinds.VAR_KEYWORD]
    for key in keys:
        type_ = Common.__annotations__[key].__forward_arg__
        parameters.append(kinds(key, kinds.KEYWORD_ONLY, default=_DEFAULTS.get(key), annotation=type_))
    if any(one.kind is kinds.VAR_KEYWORD for one in own.parameters.values()):
        parameters.append(kinds("options", kinds.VAR_KEYWORD, annotation="Any"))
    return own.replace(parameters=parameters)


def _document(text: str, keys: Iterable[str], *, has_options: bool) -> str:
    """Return the docstring, completed by the entries of ``Common`` that it does not have itself."""
    head, mark, rest = text.partition("Args:\n")
    section, end, tail = rest.partition("\n\n")
    own, common = _entries(section), _entries(inspect.cleandoc(Common.__doc__ or "").partition("Attributes:\n")[2])
    options = own.pop("options", _OPTIONS if has_options else "")
    entries = own | {key: common[key] for key in keys if key not in own}
    return head + mark + "\n".join(filter(None, [*entries.values(), options])) + end + tail


def _entries(section: str) -> dict[str, str]:
    """The entries of a section of a docstring, by what they are about."""
    starts = [*re.finditer(_ENTRY, section)]
    ends = [*(match.start() for match in starts[1:]), len(section)]
    return {match[1]: section[match.start() : end].rstrip() for match, end in zip(starts, ends, strict=True)}
