"""The generated catalogue of metrics and options, which resolution reads in place of headers, and their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ..templates import macros

Value = float | str | Mapping[float, float]  # a number, a word, or the gains of grades

LIMITS = ("min", "max", "above", "below")


class Parameter(NamedTuple):
    """A value that a metric or the evaluation takes.

    Attributes:
        name: its name.
        type: ``int``, ``integer``, ``number``, ``choice`` or ``gain``.
        help: one line for people.
        default: the value where none is given.
        required: whether one must be given, because there is no default.
        values: the choices, for ``choice`` and ``gain``.
        scope: ``metric``, ``ranking``, ``summary``, ``evaluation`` or ``comparison`` for an option; empty for a
            metric's own parameter.
        limits: ``min``, ``max``, ``above`` and ``below``, if any; a choice with limits takes numbers too.
        also: systems without a profile that choose a value, by that value.
        group: where lists have an option, a key of ``catalogue.OF_OPTIONS``; empty for a metric's own parameter.
    """

    name: str
    type: str
    help: str
    default: Value | None = None
    required: bool = False
    values: tuple[Value, ...] = ()
    scope: str = ""
    limits: Mapping[str, float] = MappingProxyType({})
    also: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    group: str = ""


def parameter(name: str, entry: Mapping[str, Any]) -> Parameter:
    """Return a parameter from its entry in TOML."""
    default = entry.get("default")
    return Parameter(
        name=name,
        type=entry["type"],
        help=entry["help"],
        default=None if default == "none" else default,
        required=entry.get("required", False),
        values=tuple(entry.get("values", ())),
        scope=entry.get("scope", ""),
        group=entry.get("group", ""),
        limits={limit: entry[limit] for limit in LIMITS if limit in entry},
        also={value: tuple(systems) for value, systems in entry.get("also", {}).items()},
    )


def known_metrics() -> Mapping[str, Mapping[str, Any]]:
    """Return every metric by name, with its header's parameters, needs and values."""
    return _known("metrics")


def known_options() -> Mapping[str, Mapping[str, Any]]:
    """Return every option by name, with its type, default, choices, limits and scope."""
    return _known("options")


def known_spellings() -> Mapping[str, str]:
    """Return the metric string that each accepted spelling, in lower case, stands for."""
    return _known("spellings")


def known_families() -> Mapping[str, list[str]]:
    """Return trec_eval's names for a metric at several levels, and the levels."""
    return _known("families")


def known_nicknames() -> Mapping[str, list[str]]:
    """Return trec_eval's names for groups of metrics, and their members as it calls them."""
    return _known("nicknames")


def _known(what: str) -> Mapping[str, Any]:
    entries: Mapping[str, Any] = macros()[f"rm_known_{what}"]()
    return entries
