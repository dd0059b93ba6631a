"""What ir_measures has besides: the C/W/L metrics, place after place; a count of pairs; an overlap with the ideal."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

from .shared import Grades, divisor, is_relevant, top


def gains(grades: Grades, min_rel: float, max_rel: float, places: int) -> list[float]:
    """The gain at each of so many places."""
    padded = top([*grades, *[None] * places], places)
    return [0 if grade is None else min(max((grade - min_rel) / (max_rel - min_rel), 0), 1) for grade in padded]


def per_viewed_item(found: list[float], goes_on: Callable[[int, float, float], float]) -> float:
    """Gain per viewed item; ``goes_on(rank, gain, gain so far)`` is the chance to look at the next."""
    chances = [goes_on(rank, gain, sum(found[:rank])) for rank, gain in enumerate(found, start=1)]
    viewed = [1.0, *accumulate(chances[:-1], lambda above, chance: above * chance)]
    return sum(view * gain for view, gain in zip(viewed, found, strict=True)) / sum(viewed)


def nerr8(grades, judged, k=None, min_rel=0, max_rel=1):
    return per_viewed_item(gains(grades, min_rel, max_rel, k or 1000), lambda rank, gain, total: 1 - gain)


def nerr9(grades, judged, k=None, min_rel=0, max_rel=1):
    found = gains(grades, min_rel, max_rel, k or 1000)
    return per_viewed_item(found, lambda rank, gain, total: rank / (rank + 1) * (1 - gain))


def nerr10(grades, judged, p=0.9, min_rel=0, max_rel=1, places=1000):
    return per_viewed_item(gains(grades, min_rel, max_rel, places), lambda rank, gain, total: p * (1 - gain))


def persists(rank: int, sought: float) -> float:
    return ((rank + sought - 1) / (rank + sought)) ** 2


def nerr11(grades, judged, T=1, min_rel=0, max_rel=1, places=1000):
    found = gains(grades, min_rel, max_rel, places)
    return per_viewed_item(found, lambda rank, gain, total: persists(rank, 2 * T) * (1 - gain))


def insq(grades, judged, T=1, min_rel=0, max_rel=1, places=1000):
    return per_viewed_item(gains(grades, min_rel, max_rel, places), lambda rank, gain, total: persists(rank, 2 * T))


def inst(grades, judged, T=1, min_rel=0, max_rel=1, places=1000):
    found = gains(grades, min_rel, max_rel, places)
    return per_viewed_item(found, lambda rank, gain, total: persists(rank, 2 * T - total))


def sdcg(grades, judged, k=None, min_rel=0, max_rel=1, discount="log2"):
    found = gains(grades, min_rel, max_rel, k or 1000)
    return per_viewed_item(found, lambda rank, gain, total: divisor(rank, discount) / divisor(rank + 1, discount))


def bpm(grades, judged, k=None, T=1, min_rel=0, max_rel=1):
    found = gains(grades, min_rel, max_rel, k or 1000)
    so_far = list(accumulate(found))
    stop = next((rank for rank, total in enumerate(so_far, start=1) if total > T - 1e-9), len(found))
    return so_far[stop - 1] / stop


def pair_accuracy(grades, judged, k=None, rel=1, zero_ideal=0):
    hits = [is_relevant(grade, rel) for grade in top(grades, k)]
    if not any(hits):
        return None if zero_ideal in ("null", "skip") else zero_ideal
    pairs = [i < j for i, hit in enumerate(hits) for j, other in enumerate(hits) if hit and not other]
    return sum(pairs) / len(pairs) if pairs else 1


def compat(grades, judged, p=0.95, normalize="true"):
    """The overlap at each depth, counted."""
    best = [grade for grade in judged if grade > 0]
    both = []
    for rank, grade in enumerate(grades, start=1):
        if grade is not None and grade > 0:
            higher = sum(1 for other in best if other > grade)
            both.append(max(rank, higher + grades[:rank].count(grade)))
    depths = range(1, max(len(grades), len(best)) + 1)
    overlap = sum(p ** (depth - 1) * sum(1 for later in both if later <= depth) / depth for depth in depths)
    whole = sum(p ** (depth - 1) * (min(depth, len(best)) / depth if normalize == "true" else 1) for depth in depths)
    return overlap / whole if best else 0


METRICS = {
    function.__name__: function
    for function in (nerr8, nerr9, nerr10, nerr11, insq, inst, sdcg, bpm, pair_accuracy, compat)
}
