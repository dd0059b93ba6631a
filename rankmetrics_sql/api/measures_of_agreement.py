"""Measures of how far judges agree beyond chance, from counts of grades, with their slopes by each count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

# How often grades x and y stand side by side.
Cells = Mapping[tuple[float, float], float]
Distance = Callable[[float, float], float]


class Measure(NamedTuple):
    """A measure of agreement.

    Attributes:
        value: 1 for perfect agreement, 0 for what chance gives; None where chance alone would always agree.
        slopes: its derivative by each count, of the parts that it is made of.
    """

    value: float | None
    slopes: Mapping[str, Cells] = {}


NOTHING = Measure(None)


def nominal(x: float, y: float) -> float:
    """Return 0 for equal grades and 1 for others."""
    return float(x != y)


def linear(x: float, y: float) -> float:
    """Return how far grades are apart."""
    return abs(x - y)


def quadratic(x: float, y: float) -> float:
    """Return the square of how far grades are apart."""
    return (x - y) ** 2


def observed(cells: Cells) -> float:
    """Return the share of items with the same grade in both."""
    return sum(n for (x, y), n in cells.items() if x == y) / sum(cells.values())


def kappa(cells: Cells, distance: Distance = nominal) -> Measure:
    """Return Cohen's kappa (Cohen 1960), with disagreement weighted by a distance (Cohen 1968)."""
    total = sum(cells.values())
    firsts, seconds = _margins(cells)
    by_first = {x: sum(n * distance(x, y) for y, n in seconds.items()) / total for x in firsts}
    by_second = {y: sum(n * distance(x, y) for x, n in firsts.items()) / total for y in seconds}
    by_chance = sum(n * by_first[x] for x, n in firsts.items()) / total
    if by_chance == 0:
        return NOTHING
    there = sum(n * distance(x, y) for (x, y), n in cells.items()) / total
    value = 1 - there / by_chance
    slopes = {
        (x, y): (there - distance(x, y) + (1 - value) * (by_first[x] + by_second[y] - 2 * by_chance))
        / (total * by_chance)
        for x, y in cells
    }
    return Measure(value, {"pair": slopes})


def alpha(both: Cells, level: str) -> Measure:
    """Return Krippendorff's alpha (Krippendorff 2019, Content Analysis, chapter 12) from his coincidences.

    Args:
        both: the coincidences of grades.
        level: ``nominal``, ``ordinal`` or ``interval``: how far grades are apart. For ``ordinal`` a grade is the middle
            of the places that its values have among all.
    """
    margin, _ = _margins(both)
    grades, total = sorted(margin), sum(margin.values())
    places = _middle_places(margin) if level == "ordinal" else {grade: grade for grade in grades}
    distance = nominal if level == "nominal" else quadratic
    there = sum(n * distance(places[x], places[y]) for (x, y), n in both.items())
    by_grade = {x: sum(n * distance(places[x], places[y]) for y, n in margin.items()) for x in grades}
    by_chance = sum(n * by_grade[x] for x, n in margin.items())
    if by_chance == 0:
        return NOTHING
    value = 1 - (total - 1) * there / by_chance
    by_place = dict.fromkeys(grades, 0.0)  # how the value changes as a place moves
    if level == "ordinal":
        for x in grades:
            moved = sum(2 * (places[x] - places[y]) * (both.get((x, y), 0) + both.get((y, x), 0)) for y in grades)
            chance_moved = sum(4 * (places[x] - places[y]) * margin[x] * margin[y] for y in grades)
            by_place[x] = (total - 1) * (there * chance_moved / by_chance - moved) / by_chance
    above = {x: by_place[x] / 2 + sum(by_place[y] for y in grades if y > x) for x in grades}
    slopes = {
        (x, y): (-there - (total - 1) * (distance(places[x], places[y]) - 2 * there * by_grade[x] / by_chance))
        / by_chance
        + above[x]
        for x, y in both
    }
    return Measure(value, {"both": slopes})


def gwet(two: Cells, shares: Mapping[float, float], scale: Sequence[float], distance: Distance = nominal) -> Measure:
    """Return Gwet's AC1, or with a distance AC2 (Gwet 2014, Handbook of Inter-Rater Reliability, chapters 4 and 5).

    Args:
        two: the pairs of grades of each item, as shares of all its pairs.
        shares: the grades of each item, as shares of its judges.
        scale: all grades that there are.
        distance: how far grades are apart; the greatest distance counts as no agreement.
    """
    longest = max((distance(x, y) for x in scale for y in scale), default=0.0)
    n_items, n_paired = sum(shares.values()), sum(two.values())
    if longest == 0 or n_paired == 0:
        return NOTHING
    weights = sum(1 - distance(x, y) / longest for x in scale for y in scale)
    factor = weights / (len(scale) * (len(scale) - 1))
    prevalence = {x: n / n_items for x, n in shares.items()}
    by_chance = factor * sum(share * (1 - share) for share in prevalence.values())
    there = 1 - sum(n * distance(x, y) for (x, y), n in two.items()) / longest / n_paired
    value = (there - by_chance) / (1 - by_chance)
    squares = sum(share * share for share in prevalence.values())
    of_two = {(x, y): (1 - distance(x, y) / longest - there) / n_paired / (1 - by_chance) for x, y in two}
    by_chance_slope = -(1 - there) / (1 - by_chance) ** 2
    # p_e = factor (1 - Σ p²), of which the slope by a share is -2 factor (p - Σ p²) / n.
    of_shares = {(x, 0.0): by_chance_slope * -2 * factor * (prevalence[x] - squares) / n_items for x in shares}
    return Measure(value, {"two": of_two, "share": of_shares})


def fleiss(two: Cells, shares: Mapping[float, float]) -> Measure:
    """Return Fleiss' kappa (Fleiss 1971, Psychological Bulletin), of items with as many judges each."""
    n_items, n_paired = sum(shares.values()), sum(two.values())
    prevalence = {x: n / n_items for x, n in shares.items()}
    by_chance = sum(share * share for share in prevalence.values())
    if n_paired == 0 or len(prevalence) == 1:
        return NOTHING
    there = sum(n for (x, y), n in two.items() if x == y) / n_paired
    value = (there - by_chance) / (1 - by_chance)
    of_two = {(x, y): (float(x == y) - there) / n_paired / (1 - by_chance) for x, y in two}
    of_shares = {
        (x, 0.0): -(1 - there) / (1 - by_chance) ** 2 * 2 * (prevalence[x] - by_chance) / n_items for x in shares
    }
    return Measure(value, {"two": of_two, "share": of_shares})


def _margins(cells: Cells) -> tuple[Counter[float], Counter[float]]:
    """Count the items of each grade on the one side and on the other."""
    firsts: Counter[float] = Counter()
    seconds: Counter[float] = Counter()
    for (x, y), n in cells.items():
        firsts[x] += n  # type: ignore[assignment]  # shares are no whole numbers
        seconds[y] += n  # type: ignore[assignment]
    return firsts, seconds


def _middle_places(margin: Mapping[float, float]) -> dict[float, float]:
    """Return the middle of the places of each grade, where all values stand in order."""
    grades = sorted(margin)
    places = {grades[0]: margin[grades[0]] / 2} if grades else {}
    for before, grade in pairwise(grades):
        places[grade] = places[before] + (margin[before] + margin[grade]) / 2
    return places
