"""The metrics, options and profiles, as they stand in the headers and TOML files of ``sql/``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import DataError, UsageError, nearest, shortened
from ..root import sql_root
from .groups import OF_OPTIONS
from .header import CARRIED, OF_ITEMS, read_header, unknown
from .parameters import Parameter, parameter


@dataclass(frozen=True)
class Metric:
    """One metric file's header; the file's stem is the metric's name.

    Attributes:
        group: where lists have it, a key of ``groups.OF_METRICS``.
        aliases: other names, in lower case; ``spellings`` are those that stand for parameters too.
        ambiguous: names, in lower case, that mean this metric to some and another to others, and both meanings.
        needs: shared columns that the macro reads; CONTRIBUTING.md lists them.
        needs_when: more of them where a parameter has a value, ``"k=none"``.
        aggregate: how its values become one number; ``aggregate_when`` as for the needs.
        at: the parameter that ``@`` gives.
        shape: ``value``, or ``curve`` where every list has points of its own.
        reads_ranks: whether the order of the list matters at all.
        reads_grades: whether grades matter, and not only which items are judged.
        divides_by_judgments: whether it is a share of what the judgments hold, which no other grade may be part of.
        about_judgments: whether an assumed grade of an unjudged item would miss the point.
    """

    name: str
    title: str
    group: str
    summary: str
    source: str
    path: Path
    params: Mapping[str, Parameter]
    aliases: tuple[str, ...] = ()
    spellings: Mapping[str, str] = field(default_factory=dict)
    ambiguous: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    range: tuple[float, float] | None = None
    needs: tuple[str, ...] = ()
    needs_when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aggregate: str = "mean"
    aggregate_when: Mapping[str, str] = field(default_factory=dict)
    better: str = "higher"
    at: str = "k"
    shape: str = "value"
    formula: str = ""
    differs: Mapping[str, str] = field(default_factory=dict)
    reads_ranks: bool = True
    reads_grades: bool = True
    reads_judgments: bool = True
    divides_by_judgments: bool = False
    about_judgments: bool = False
    has_columns: bool = False
    has_relation: bool = False
    has_parts: bool = False
    oracle: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[Mapping[str, Any], ...] = ()

    @property
    def of_grades(self) -> bool:
        """Whether it is a number that follows from the grades of a list's items, with no input beside judgments."""
        others = self.reads_beside or self.reads_items or self.reads_reference
        return self.shape == "value" and self.reads_judgments and not others

    @property
    def reads_items(self) -> bool:
        """Whether it reads a catalogue of items."""
        return any(need in OF_ITEMS for need in self.needs)

    @property
    def reads_reference(self) -> bool:
        """Whether the judgments are another ranking, with grades that are 1 over a rank."""
        return "reference_ranks" in self.needs

    @property
    def of_lists(self) -> bool:
        """Whether it is one value of all lists together, and no list has one of its own."""
        return self.aggregate == "lists"

    @property
    def takes_k(self) -> bool:
        """Whether the metric has a cutoff."""
        return "k" in self.params

    @property
    def reads_beside(self) -> list[str]:
        """The columns of judgments that it reads beside the grade."""
        known = {"subtopics": "subtopic"} | {name: name for name in CARRIED}
        return [column for need, column in known.items() if need in self.needs]


class _Metrics(Mapping[str, Metric]):
    """The metrics by name; a header is read when its metric is first asked for, because most calls want a few."""

    def __init__(self, folder: Path) -> None:
        self._files = {file.stem: file for file in sorted(folder.glob("*.sql"))}
        self._read: dict[str, Metric] = {}

    def __getitem__(self, name: str) -> Metric:
        if name not in self._read:
            self._read[name] = metric_of(self._files[name], self._files[name].read_text(encoding="utf-8"))
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


@cache
def metrics() -> Mapping[str, Metric]:
    """Every metric by name, in alphabetical order."""
    return _Metrics(sql_root() / "macros" / "metrics")


def metric_of(file: Path, text: str) -> Metric:
    """What a metric's file says in its header.

    Args:
        file: the file.
        text: what it holds.

    Raises:
        DataError: there is no header, or something in it cannot be meant.
    """
    header = read_header(file, text, options(), shared_parameters())
    own = {name: parameter(name, entry) for name, entry in header.pop("params").items()}
    shared = {name: options()[name] for name in header.get("options", [])}
    entries: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in header.items()}
    examples = entries.pop("example", ())
    for what in ("columns", "relation", "parts"):
        entries[f"has_{what}"] = f"macro metric_{file.stem}_{what}(" in text
    return Metric(name=file.stem, path=file, params=own | shared, examples=examples, **entries)


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((sql_root() / name).read_text(encoding="utf-8"))


@cache
def shared_parameters() -> Mapping[str, Mapping[str, Any]]:
    """What several metrics take, by name: the keys that their headers need not repeat."""
    return _toml("parameters.toml")


@cache
def options() -> Mapping[str, Parameter]:
    """Every option by name.

    Raises:
        DataError: one is in no group that there is.
    """
    entries = _toml("options.toml")
    for name, entry in entries.items():
        for problem in unknown(f"group of {name}", [entry.get("group", "")], OF_OPTIONS):
            raise DataError(f"options.toml: {problem}")
    return {name: parameter(name, entry) for name, entry in entries.items()}


@dataclass(frozen=True)
class Profile:
    """One tool's choices.

    Attributes:
        computes: our names of the metrics that it has.
        options: what it chooses for all of its metrics.
        metrics: what it chooses otherwise for one of ours, by name; ``rr@k`` is ``rr`` with a cutoff.
        spellings: its names, in lower case, and our metric strings.
        parameters: its parameters and what they are here, as ``translation.py`` reads them.
        refused: those that have no counterpart, and what is nearest.
        families: its names that stand for a metric at several levels, and the levels as it writes them.
        nicknames: its names for many metrics, and these as it calls them, those that we have not too.
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
        """Where lists have it, a key of ``groups.OF_PROFILES``: by what it was written."""
        return "run" if self.package else "read"

    def chosen(self, metric: str, has_cutoff: bool) -> dict[str, Any]:
        """What the tool chooses for a metric of ours, its parameters included."""
        with_cutoff = self.metrics.get(f"{metric}@k", {}) if has_cutoff else {}
        return {**self.options, **self.metrics.get(metric, {}), **with_cutoff}


@cache
def profiles() -> Mapping[str, Profile]:
    """Every profile by name."""
    files = sorted((sql_root() / "profiles").glob("*.toml"))
    return {file.stem: _read_profile(file) for file in files}


def _read_profile(file: Path) -> Profile:
    entries = tomllib.loads(file.read_text(encoding="utf-8"))
    entries |= {key: tuple(entries.get(key, ())) for key in ("computes", "not_copied")}
    for key in ("families", "nicknames"):
        entries[key] = {name: tuple(listed) for name, listed in entries.get(key, {}).items()}
    return Profile(name=file.stem, **entries)


@cache
def families() -> Mapping[str, tuple[str, ...]]:
    """The names that stand for a metric at several levels in one of the profiles, and the levels."""
    return {name: levels for profile in profiles().values() for name, levels in profile.families.items()}


@cache
def translations() -> Mapping[str, str]:
    """The parameters of all tools, and what they are here."""
    return {theirs: ours for profile in profiles().values() for theirs, ours in profile.parameters.items()}


@cache
def refused_parameters() -> Mapping[str, str]:
    """The parameters of all tools that have no counterpart, and what is nearest."""
    return {theirs: nearest for profile in profiles().values() for theirs, nearest in profile.refused.items()}


@cache
def nicknames() -> Mapping[str, tuple[str, ...]]:
    """The names that stand for many metrics in one of the profiles, and these as it calls them."""
    return {name: listed for profile in profiles().values() for name, listed in profile.nicknames.items()}


@cache
def ambiguous() -> Mapping[str, str]:
    """The names that are refused, because they mean different things to different people, and what they mean."""
    return {name: meanings for metric in metrics().values() for name, meanings in metric.ambiguous.items()}


def find_profile(name: str) -> Profile:
    """The profile of that name.

    Raises:
        UsageError: there is none.
    """
    if not isinstance(name, str) or name not in profiles():
        raise UsageError(
            f"Unknown profile {shortened(name)}. {nearest(name if isinstance(name, str) else '', profiles())}"
        )
    return profiles()[name]


@cache
def systems(option: str) -> Mapping[str, tuple[str, ...]]:
    """The systems that choose each value of an option: those whose profile names it, and those of the option itself."""
    found: dict[str, dict[str, list[str]]] = {}
    for profile in profiles().values():
        for where, choices in (("", profile.options), *profile.metrics.items()):
            if option in choices:
                places = found.setdefault(str(choices[option]), {}).setdefault(profile.name, [])
                places += [where] if where else []
    for value, names in options()[option].also.items():
        found.setdefault(value, {}).update({name: [] for name in names})
    return {
        value: tuple(name + (f" ({', '.join(places)})" if places else "") for name, places in by_name.items())
        for value, by_name in found.items()
    }


@cache
def spellings() -> Mapping[str, str]:
    """The metric string that each accepted spelling, in lower case, stands for."""
    found: dict[str, str] = {}
    for metric in metrics().values():
        found |= dict.fromkeys((metric.name.lower(), *metric.aliases), metric.name)
        found |= {spelling: f"{metric.name}({params})" for spelling, params in metric.spellings.items()}
    return found
