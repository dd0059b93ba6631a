"""Experiments in which nothing is to be found: what ``dev.bench.claims`` counts false claims of.

A situation draws the values of two runs, query by query, such that what a verdict would claim is false: the means are
equal, or the loss is the margin. A value is the grade of the only item of a list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[Any]]
Random = np.random.Generator


@dataclass(frozen=True)
class Values:
    """Values of replicates and queries; of arms each has queries of its own, maybe another number of them.

    Attributes:
        baseline, candidate: ``[replicate, query]``.
        weights, clusters: of each query, if it has some.
    """

    baseline: Numbers
    candidate: Numbers
    weights: Numbers | None = None
    clusters: Numbers | None = None


@dataclass(frozen=True)
class Situation:
    """What is drawn, and how it is tested.

    Attributes:
        name: as the page says it.
        draw: so many replicates.
        tests: the options of each test by its name on the page.
        metric: whose value the grade of the item is: ``cg@1`` any number, ``p@1`` 0 or 1.
        arms: whether each run has queries of its own.
        true: a verdict that is true here, and no false claim.
        thinned: one replicate of how many is drawn, where each has many queries.
    """

    name: str
    draw: Callable[[Random, int], Values]
    tests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    metric: str = "cg@1"
    arms: bool = False
    true: str | None = None
    thinned: int = 1


RESAMPLES = 200
MANY, THINNED = 1000, 4  # so many queries have a quarter of the replicates
OF_MEANS: Mapping[str, Mapping[str, Any]] = {
    "t": {},
    "bootstrap": {"test": "bootstrap", "resamples": RESAMPLES},
    "randomisation": {"test": "randomisation", "resamples": RESAMPLES},
}
T = {"t": OF_MEANS["t"]}


def unlike_arms(random: Random, n: int) -> Values:
    """Equal means and medians; 20 queries that spread three times as much as 80."""
    return Values(random.normal(20, 1, (n, 80)), random.normal(20, 3, (n, 20)))


def revenue(random: Random, n: int) -> Values:
    """Heavy tails, alike in both arms."""
    return Values(random.lognormal(0, 2, (n, 100)), random.lognormal(0, 2, (n, 100)))


def larger_rises(random: Random, n: int) -> Values:
    """A query rises as often as it falls, by twice as much."""
    change = np.where(random.random((n, 50)) < 0.5, 2.0, -1.0) * random.random((n, 50))
    return Values(np.full((n, 50), 5.0), 5 + change)


def sparse(random: Random, n: int, size: int) -> Values:
    """A twentieth of the queries change, and one change in ten gains what nine lose."""
    changed = random.random((n, size)) < 0.05
    change = np.where(random.random((n, size)) < 0.1, 0.9, -0.1)
    return Values(np.full((n, size), 0.5), 0.5 + changed * change)


def losing(random: Random, n: int, size: int, share: float) -> Values:
    """A share of the queries loses everything; all others stay as they are."""
    return Values(np.ones((n, size)), np.where(random.random((n, size)) < share, 0.0, 1.0))


def weighted(random: Random, n: int, kind: str) -> Values:
    """Pairs alike, with weights of which few are large."""
    size = 50
    ranks = np.broadcast_to(1 / np.arange(1, size + 1), (n, size))
    one = np.where(np.arange(size) == 0, 1e6, 1.0)
    weights = {"zipf": ranks, "lognormal": random.lognormal(0, 2, (n, size)), "one": np.broadcast_to(one, (n, size))}
    return Values(random.normal(5, 1, (n, size)), random.normal(5, 1, (n, size)), weights[kind])


def uneven_clusters(random: Random, n: int) -> Values:
    """Eight users, one of whom has half of the queries; those of a user are alike."""
    sizes = [30, 6, 5, 5, 4, 4, 3, 3]
    clusters = np.repeat(np.arange(8), sizes)
    own = random.normal(0, 1, (n, 8))[:, clusters]
    return Values(np.full((n, 60), 9.0), 9 + own + random.normal(0, 1, (n, 60)), clusters=np.tile(clusters, (n, 1)))


def rounded(random: Random, n: int) -> Values:
    """Differences of tenths, whose sums are equal but for rounding."""
    before = random.integers(0, 10, (n, 9)) / 10
    return Values(1 + before, 1 + before + random.choice([-0.3, -0.2, -0.1, 0.1, 0.2, 0.3], (n, 9)))


def nearly_equal(random: Random, n: int) -> Numbers:
    """Values ``[replicate, run, query]`` of four runs that hardly differ, and of a fifth; all means are equal."""
    spread = np.array([0.05, 0.05, 0.05, 0.05, 1])[:, None]
    return np.asarray(5 + random.normal(0, 1, (n, 1, 50)) + spread * random.normal(0, 1, (n, 5, 50)))


def margins(margin: float) -> Mapping[str, Mapping[str, Any]]:
    """What claims that a loss is below a margin."""
    return {
        f"t, margin {margin:g}": {"margin": margin, "alternative": "greater"},
        f"t, equivalence within {margin:g}": {"margin": margin, "alternative": "equivalence"},
        f"t, limit {margin:g}": {"limits": {"p@1": margin}},
    }


def thinned_of(size: int) -> int:
    """One replicate of how many there is with so many queries."""
    return THINNED if size == MANY else 1


def situations() -> list[Situation]:
    """All of them."""
    munzel = {"brunner_munzel": {"test": "brunner_munzel"}}
    ranks: Mapping[str, Mapping[str, Any]] = {"mann_whitney": {"test": "mann_whitney"}, **munzel}
    pairs: Mapping[str, Mapping[str, Any]] = {"wilcoxon": {"test": "wilcoxon"}, "sign": {"test": "sign"}}
    found = [
        Situation("arms of 80 and 20 with spreads of 1 and 3", unlike_arms, {**OF_MEANS, **munzel}, arms=True),
        Situation("revenue of 100 users in each arm", revenue, {**OF_MEANS, **ranks}, arms=True),
        Situation("50 queries rise as often as they fall, by more", larger_rises, {"sign": pairs["sign"]}),
        Situation("nine queries, differences of tenths", rounded, {**OF_MEANS, **pairs}),
        Situation("60 queries of eight users, one with half", uneven_clusters, OF_MEANS),
    ]
    for size in (50, 200, MANY):
        name = f"{size:,} queries, 5 % change, few gain much"
        found.append(Situation(name, partial(sparse, size=size), OF_MEANS, thinned=thinned_of(size)))
    for kind, name in (("zipf", "Zipf's weights"), ("lognormal", "lognormal weights"), ("one", "one weight of 1e6")):
        found.append(Situation(f"50 queries, {name}", partial(weighted, kind=kind), T))
    for size, share, margin in ((6, 0.05, 0.001), *((size, 0.01, 0.01) for size in (50, 100, 200, MANY))):
        name, draw = f"{size:,} queries, {100 * share:g} % lose everything", partial(losing, size=size, share=share)
        tests, thinned = margins(margin), thinned_of(size)
        found.append(Situation(name, draw, tests, metric="p@1", true="worse", thinned=thinned))
    return found
