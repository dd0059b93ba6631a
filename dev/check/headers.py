"""Rules about the headers of metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from rankmetrics_sql.definitions.catalogue import Metric, metric_of
from rankmetrics_sql.definitions.descriptions import derive

from .repository import Finding, Repository, folder_of

# Options of many metrics at once, which test_options and test_oracles are about.
GENERAL = {"no_relevant", "ties", "discount", "ideal_depth", "precision_denominator"}
PERFECT_OF_THREE = 1 - 0.8**3  # of three relevant items where each has another chance to be the last, as in rbp
NOWHERE_PERFECT = {"err"}  # even the highest grade does not satisfy with certainty


def of_repository(repository: Repository) -> Iterator[Metric]:
    """Yield every metric of this repository by its header."""
    for path in repository.files("sql/macros/metrics", ".sql"):
        if folder_of(path) == "metrics":
            yield metric_of(repository.root / path, repository.text(path))


def examples_cover_the_edges(repository: Repository) -> Iterator[Finding]:
    """The examples of a metric, which are its first test, show what is at each of its edges."""
    for metric in of_repository(repository):
        for missing in _missing_edges(metric) if metric.shape == "value" else ():
            path = metric.path.relative_to(repository.root).as_posix()
            yield Finding(path, 1, f"no example has {missing}; expected one")


def rankings(metric: Metric, example: Mapping[str, Any]) -> list[Any]:
    """Return the lists of an example: one, unless the metric is of several together."""
    return list(example["ranking"]) if metric.of_lists else [example["ranking"]]


def _missing_edges(metric: Metric) -> Iterator[str]:
    examples = [(rankings(metric, example), example) for example in metric.examples]
    if not any([] in lists for lists, _ in examples):
        yield "an empty ranking"
    if len(metric.examples) < 2:
        yield "anything beside that"
    for name, parameter in metric.params.items():
        is_varied = any(example.get(name, parameter.default) != parameter.default for example in metric.examples)
        if name not in GENERAL and not is_varied:
            yield f"{name} away from its default"
    if metric.takes_k and not any(max(map(len, lists)) > example.get("k", math.inf) for lists, example in examples):
        yield "something beyond the cutoff"
    is_bounded = metric.range == (0, 1) and metric.better == "higher" and metric.name not in NOWHERE_PERFECT
    if is_bounded and not any(_is_perfect(derive(example["value"])) for example in metric.examples):
        yield "a perfect ranking"


def _is_perfect(value: float | None) -> bool:
    return value is not None and (value == 1 or math.isclose(value, PERFECT_OF_THREE))


RULES = (examples_cover_the_edges,)
