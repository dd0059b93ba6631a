"""Parameters of metrics and evaluations: their valid values, and messages about others."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ..errors import UsageError, nearest, shortened
from .metric_strings import Value, is_number, parse_value, plain_number

LIMITS: Mapping[str, Callable[[float, float], bool]] = {
    "min": operator.ge,
    "max": operator.le,
    "above": operator.gt,
    "below": operator.lt,
}


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
        group: where lists have an option, a key of ``groups.OF_OPTIONS``; empty for a metric's own parameter.
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

    def check(self, value: Any, where: str) -> Value | None:
        """The value in its plain form.

        Raises:
            UsageError: it is not one of the values that the parameter takes.
        """
        if value is None:
            return self.default
        if isinstance(value, str):
            value = parse_value(value)
        elif hasattr(value, "item") and getattr(value, "shape", None) == ():  # NumPy's numbers, but not its arrays
            value = value.item()
        if isinstance(value, dict) and self.type == "gain":
            return self._check_map(value, where)
        if isinstance(value, str) and value == "none":
            return self._check_none(where)
        if self.type in ("choice", "gain") and not (self.limits and is_number(value) and value not in self.values):
            return self._check_choice(value, where)
        return self._check_number(value, where)

    def _check_none(self, where: str) -> Value | None:
        if "none" in self.values and self.default is not None:
            return "none"
        if self.default is None:
            return None
        raise UsageError(f"{where}: {self.name} needs a value. {self._expected()}")

    def _check_map(self, value: dict[Any, Any], where: str) -> Value:
        numbers = [*value, *value.values()]
        if not value or not all(is_number(number) for number in numbers):
            raise UsageError(
                f"{where}: {self.name} maps grades to gains, such as {{1: 3, 2: 9}}, not {shortened(value)}."
            )
        return {plain_number(grade): plain_number(gain) for grade, gain in sorted(value.items())}

    def _check_choice(self, value: Any, where: str) -> Value:
        known = {str(choice): choice for choice in self.values}
        if is_number(value):
            value = plain_number(value)
        if not isinstance(value, str | int | float) or (not isinstance(value, str) and not is_number(value)):
            raise UsageError(f"{where}: {self.name} cannot be {shortened(value)}. {self._expected()}")
        if str(value).lower() in known:
            return known[str(value).lower()]
        hint = nearest(str(value), known)
        expected = self._expected() if self.limits and not hint.startswith("Did you mean") else hint
        raise UsageError(f"{where}: {self.name} cannot be {shortened(value)}. {expected}")

    def _check_number(self, value: Any, where: str) -> Value:
        if not is_number(value):
            raise UsageError(f"{where}: {self.name} cannot be {shortened(value)}. {self._expected()}")
        number = plain_number(value)
        whole = self.type not in ("int", "integer") or isinstance(number, int)
        if not (whole and all(LIMITS[name](number, limit) for name, limit in self.limits.items())):
            raise UsageError(f"{where}: {self.name} cannot be {shortened(value)}. {self._expected()}")
        return number

    def _expected(self) -> str:
        words = {"min": "of at least", "max": "at most", "above": "above", "below": "below"}
        number = "a whole number" if self.type in ("int", "integer") else "a number"
        limits = " and ".join(f"{words[name]} {limit:g}" for name, limit in self.limits.items() if abs(limit) < 1e300)
        number = f"{number} {limits}".rstrip()
        if self.values:
            return f"Valid: {', '.join(map(str, self.values))}{f' or {number}' if self.limits else ''}."
        return f"Expected {number}."


def parameter(name: str, entry: Mapping[str, Any]) -> Parameter:
    """A parameter as TOML says it."""
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
