"""The groups in which metrics, options and profiles are listed, by what they are for, each with its heading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol, TypeVar

# What a metric's header may name as its group.
OF_METRICS: Mapping[str, str] = {
    "binary": "Binary relevance",
    "graded": "Graded relevance",
    "whole": "The whole ranking",
    "diversity": "Diversity",
    "overlap": "Agreement of rankings",
    "click": "Clicks",
    "propensity": "Propensities",
    "ratings": "Ratings",
    "beyond": "Beyond accuracy",
    "counts": "Counts and judgments",
}

# What an entry of options.toml may name.
OF_OPTIONS: Mapping[str, str] = {
    "relevance": "Worth of an item",
    "metrics": "Depth and denominator",
    "ranking": "Ranking",
    "judgments": "Judgments",
    "queries": "Queries",
    "running": "Running",
    "intervals": "Intervals",
    "comparisons": "Comparisons",
}

# How a profile was written.
OF_PROFILES: Mapping[str, str] = {"run": "Run against the tool", "read": "By reading"}


class _Grouped(Protocol):
    @property
    def group(self) -> str: ...


Entry = TypeVar("Entry", bound=_Grouped)


def grouped(entries: Mapping[str, Entry], groups: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Entry]]]:
    """Yield the heading of each group that has entries, with these entries, in the order of the groups."""
    for group, heading in groups.items():
        found = {name: entry for name, entry in entries.items() if entry.group == group}
        if found:
            yield heading, found
