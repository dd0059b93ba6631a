"""The metrics and options, as they stand in the headers and TOML files of ``sql/``: for lists and descriptions.

Resolution reads what is generated of them, ``known.py``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ..errors import DataError
from ..root import sql_root
from .groups import OF_OPTIONS
from .header import CARRIED, OF_ITEMS, read_header, unknown
from .parameters import Parameter, parameter


class Metric(NamedTuple):
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
        reads_order: what of the order decides, where not all of it does: ``cutoff``, ``first`` or ``any``.
        reads_grades: whether grades matter, and not only which items are judged.
        divides_by_judgments: whether it is a share of what the judgments hold, which no other grade may be part of.
        about_judgments: whether an assumed grade of an unjudged item would miss the point.
        counts_empty_lists: whether it counts lists that are empty, so that its inputs have to know of these.
    """

    name: str
    title: str
    group: str
    summary: str
    source: str
    path: Path
    params: Mapping[str, Parameter]
    aliases: tuple[str, ...] = ()
    spellings: Mapping[str, str] = MappingProxyType({})
    ambiguous: Mapping[str, str] = MappingProxyType({})
    options: tuple[str, ...] = ()
    range: tuple[float, float] | None = None
    needs: tuple[str, ...] = ()
    needs_when: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    aggregate: str = "mean"
    aggregate_when: Mapping[str, str] = MappingProxyType({})
    better: str = "higher"
    at: str = "k"
    shape: str = "value"
    formula: str = ""
    differs: Mapping[str, str] = MappingProxyType({})
    reads_ranks: bool = True
    reads_order: str = "all"
    reads_grades: bool = True
    reads_judgments: bool = True
    divides_by_judgments: bool = False
    about_judgments: bool = False
    counts_empty_lists: bool = False
    has_columns: bool = False
    has_relation: bool = False
    has_parts: bool = False
    oracle: Mapping[str, str] = MappingProxyType({})
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
    def lacks_values(self) -> bool:
        """Whether a list may have no value whatever the options, which an example shows by ``null``."""
        return any(one["value"] == "null" and "null" not in {**one, "value": ""}.values() for one in self.examples)

    @property
    def takes_k(self) -> bool:
        """Whether the metric has a cutoff."""
        return "k" in self.params

    @property
    def reads_beside(self) -> list[str]:
        """The columns of judgments that it reads beside the grade."""
        known = {"subtopics": "subtopic"} | {name: name for name in CARRIED}
        return [column for need, column in known.items() if need in self.needs]


@cache
def metrics() -> Mapping[str, Metric]:
    """Every metric by name, in alphabetical order."""
    files = sorted((sql_root() / "macros" / "metrics").glob("*.sql"))
    return {file.stem: metric_of(file, file.read_text(encoding="utf-8")) for file in files}


def metric_of(file: Path, text: str) -> Metric:
    """Return a metric from the header of its file.

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
    """Return the parameters that several metrics take, by name, with the keys that headers need not repeat."""
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


@cache
def ambiguous() -> Mapping[str, str]:
    """The names that are refused, because they mean different things to different people, and what they mean."""
    return {name: meanings for metric in metrics().values() for name, meanings in metric.ambiguous.items()}


@cache
def spellings() -> Mapping[str, str]:
    """The metric string that each accepted spelling, in lower case, stands for."""
    spelt: dict[str, str] = {}
    for metric in metrics().values():
        spelt |= dict.fromkeys((metric.name.lower(), *metric.aliases), metric.name)
        spelt |= {spelling: f"{metric.name}({params})" for spelling, params in metric.spellings.items()}
    return spelt
