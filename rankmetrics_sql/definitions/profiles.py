"""The profiles of ``sql/profiles``: the options, names and limits of other tools."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ..root import sql_root
from .catalogue import options


@dataclass(frozen=True)
class Profile:
    """One tool's choices.

    Attributes:
        computes: our names of the metrics that it has.
        options: what it chooses for all of its metrics.
        metrics: what it chooses otherwise for one of ours, by name; ``rr@k`` is ``rr`` with a cutoff.
        spellings: its names, in lower case, and our metric strings.
        parameters: its parameters and what they are here, as ``rm_translated`` reads them.
        refused: names without a counterpart, and what is nearest.
        families: its names that stand for a metric at several levels, and the levels as it writes them.
        nicknames: its names for many metrics, and those metrics by its names, missing ones included.
        note: what makes its numbers its own.
        not_copied: what the profile leaves out on purpose.
        package: the tool on PyPI that the tests run; empty where the profile was written by reading.
    """

    name: str
    title: str
    source: str
    note: str
    computes: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    nicknames: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    not_copied: tuple[str, ...] = ()
    package: str = ""

    @property
    def group(self) -> str:
        """Return its group in lists, a key of ``catalogue.OF_PROFILES``."""
        return "run" if self.package else "read"

    def chosen(self, metric: str, has_cutoff: bool) -> dict[str, Any]:
        """Return what the tool chooses for one of our metrics, including its parameters."""
        with_cutoff = self.metrics.get(f"{metric}@k", {}) if has_cutoff else {}
        return {**self.options, **self.metrics.get(metric, {}), **with_cutoff}


@cache
def profiles() -> Mapping[str, Profile]:
    """Return every profile by name."""
    files = sorted((sql_root() / "profiles").glob("*.toml"))
    return {file.stem: _read_profile(file) for file in files}


def _read_profile(file: Path) -> Profile:
    entries = tomllib.loads(file.read_text(encoding="utf-8"))
    entries |= {key: tuple(entries.get(key, ())) for key in ("computes", "not_copied")}
    for key in ("families", "nicknames"):
        entries[key] = {name: tuple(names) for name, names in entries.get(key, {}).items()}
    return Profile(name=file.stem, **entries)


def of_all(what: str) -> Mapping[str, Any]:
    """Return the entries of all profiles for a field, such as ``families``."""
    return {key: value for profile in profiles().values() for key, value in getattr(profile, what).items()}


@cache
def systems(option: str) -> Mapping[str, tuple[str, ...]]:
    """Return the systems that choose each value of an option, from profiles and from the option's ``also``."""
    choosers: dict[str, dict[str, list[str]]] = {}
    for profile in profiles().values():
        for where, choices in (("", profile.options), *profile.metrics.items()):
            if option in choices:
                places = choosers.setdefault(str(choices[option]), {}).setdefault(profile.name, [])
                places += [where] if where else []
    for value, names in options()[option].also.items():
        choosers.setdefault(value, {}).update({name: [] for name in names})
    return {
        value: tuple(name + (f" ({', '.join(places)})" if places else "") for name, places in by_name.items())
        for value, by_name in choosers.items()
    }
