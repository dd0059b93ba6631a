"""A value for every option: the given one, else that of the profile, else the default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import UsageError, shortened
from .known import known_options
from .parameters import Value
from .refusals import ask


@dataclass(frozen=True)
class Choices:
    """A value for every option, and where each comes from.

    Attributes:
        options: the given value, else the profile's, else the default.
        given: the options that the user set, which win over a profile's choice for one metric.
        as_template: the mapping that the templates resolve metrics with.
        profile: the name of the tool whose choices are taken, or None.
        written: what was given, as text: with the profile it decides the rest, so that choices can be a key.
    """

    options: Mapping[str, Value | None] = field(compare=False)
    given: Mapping[str, Value | None] = field(compare=False)
    as_template: Mapping[str, Any] = field(compare=False, repr=False)
    profile: str | None
    written: str

    def __getitem__(self, option: str) -> Value | None:
        return self.options[option]

    @property
    def of_profile(self) -> Mapping[str, Value | None]:
        """The options that the profile chooses for all metrics."""
        chosen: Mapping[str, Value | None] = self.as_template["preset"]["options"]
        return chosen


def resolve_options(given: Mapping[str, Any], profile: str | None = None) -> Choices:
    """A value for every option: the default, else the profile's, else the given one.

    Raises:
        UsageError: an unknown profile, option or value.
    """
    values = {name: _plain(name, value, "Options") for name, value in given.items()}
    record = ask("rm_choices", values, profile)
    return Choices(record["options"], record["given"], record, profile, repr(record["given"]))


def check_option(name: str, value: Any, where: str) -> Any:
    """A value of an option in its plain form.

    Args:
        name: the option.
        value: what was given for it.
        where: what a message begins with.

    Raises:
        UsageError: it is not one of the values that the option takes.
    """
    return ask("rm_checked", known_options()[name], name, _plain(name, value, where), where)


def parse_number(text: str) -> float | None:
    """A number as metric strings have it; None for any other text."""
    number = ask("rm_as_number_if_any", text)
    return None if isinstance(number, str) else number


def is_number(value: Any) -> bool:
    """Whether the value is a number that a statement can hold; True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e301


def _plain(name: str, value: Any, where: str) -> Any:
    """A value of one of the kinds that templates know.

    Raises:
        UsageError: it is of another kind, or a number that no statement can hold.
    """
    if hasattr(value, "item") and getattr(value, "shape", None) == ():  # NumPy's numbers, but not its arrays
        value = value.item()
    if value is None or isinstance(value, str | bool | Mapping) or is_number(value) or name not in known_options():
        return value
    expected = ask("rm_expected", known_options()[name])
    raise UsageError(f"{where}: {name} cannot be {shortened(value)}. {expected}")
