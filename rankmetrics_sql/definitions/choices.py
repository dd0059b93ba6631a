"""A value for every option: the given one, else that of the profile, else the default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError, nearest
from .catalogue import Metric, options
from .metric_strings import Value
from .profiles import Profile, find_profile


@dataclass(frozen=True)
class Choices:
    """A value for every option, and where each comes from.

    Attributes:
        options: the given value, else the profile's, else the default.
        given: the options that the user set, which win over a profile's choice for one metric.
        profile: the tool whose choices are taken, or None.
    """

    options: Mapping[str, Value | None]
    given: Mapping[str, Value | None]
    profile: Profile | None

    def __getitem__(self, option: str) -> Value | None:
        return self.options[option]

    def of(self, metric: Metric, has_cutoff: bool) -> dict[str, Value | None]:
        """The value of every option, and what the profile gives a metric's own parameters."""
        preset = self.profile.chosen(metric.name, has_cutoff) if self.profile else {}
        where = f"Profile {self.profile.name}" if self.profile else ""
        known = {**options(), **metric.params}
        checked = {name: known[name].check(value, where) for name, value in preset.items() if name in known}
        return {**self.options, **checked, **self.given}


def resolve_options(given: Mapping[str, Any], profile: str | None = None) -> Choices:
    """A value for every option: the default, else the profile's, else the given one.

    Raises:
        UsageError: an unknown profile, option or value.
    """
    found = find_profile(profile) if profile is not None else None
    defaults = {name: option.default for name, option in options().items()}
    preset = _checked(found.options, f"Profile {profile}") if found else {}
    chosen = _checked(given, "Options")
    return Choices({**defaults, **preset, **chosen}, chosen, found)


def _checked(values: Mapping[str, Any], where: str) -> dict[str, Value | None]:
    for name in values:
        if name not in options():
            raise UsageError(f"Unknown option {name!r}. {nearest(name, options())}")
    return {name: options()[name].check(value, where) for name, value in values.items()}
