"""Power: which effects a test can detect, how many units it needs, and the distributions of t and F without SciPy."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..definitions.verdicts import FEWEST_UNITS
from ..rows import Record
from .numbers import number_of_queries
from .summary_rows import groups_of

_MOST_STEPS = 100_000
_EXACT = 1e-15
_LEAST = 1e-300  # in place of a denominator of 0


@lru_cache(maxsize=4096)
def point_of_t(degrees: float, share: float) -> float:
    """Return a quantile of Student's t, for a share from 0.5, by bisecting the angle whose tangent it is."""
    height = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    low, high = 0.0, math.pi / 2
    for _ in range(45):
        angle = (low + high) / 2
        if height * _integral(angle, degrees - 1) < share - 0.5:
            low = angle
        else:
            high = angle
    return math.sqrt(degrees) * math.tan(low)


def _integral(angle: float, power: float, places: int = 64) -> float:
    """Integrate a power of the cosine from 0 to an angle by Simpson's rule."""
    end = min(angle, 9 / math.sqrt(power + 1))
    step = end / places
    values: list[float] = [math.cos(place * step) ** power for place in range(places + 1)]
    return step / 3 * (values[0] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]) + values[-1])


def f_tail(statistic: float, df1: float, df2: float) -> float:
    """Return the probability that an F statistic is at least as large."""
    if statistic <= 0:
        return 1.0
    share = df2 / (df2 + df1 * statistic)
    return min(_incomplete_beta(share, 1 - share, df2 / 2, df1 / 2), 1.0)


def _incomplete_beta(x: float, rest: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function of x = 1 - rest, by its continued fraction (Lentz)."""
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(rest, x, b, a)
    height = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(height) / a / _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    value, above, below = 1.0, 1.0, 0.0
    for step in range(1, _MOST_STEPS):
        half = step // 2
        if step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + step - 1) * (a + step))
        else:
            term = half * (b - half) * x / ((a + step - 1) * (a + step))
        below = 1 / ((1 + term * below) or _LEAST)
        above = (1 + term / above) or _LEAST
        change = above * below
        value *= change
        if abs(change - 1) < _EXACT:
            break
    return value


_USUAL = 0.8  # the power that is spoken of where none is asked for

# Fewer units that differ, or degrees of freedom, say too little of how far differences spread.
_FEWEST_DEGREES = 5

_MOST_METRICS = 4  # that are named one by one

# Tests of means; what tests of ranks find has no size.
_OF_MEANS = ("t", "randomisation", "bootstrap", "sequential")
_FOUND = {"two_sided": "a difference", "greater": "a rise", "less": "a fall"}


def describe_power(records: Sequence[Record], options: Mapping[str, Any], counts: Collection[str] = ()) -> str:
    """Return one sentence: ``With 150 queries, a difference of 0.081 or more is found 80 % of the time``.

    The size is ``min_detectable_effect`` if power= is given. Otherwise it is the standard error times the sum of the
    quantiles of Student's t for the confidence level and the power, at the level of the first step of the correction.
    Metrics and groups for which that would promise too much are left out; the sentence is empty if all are.
    """
    power = options.get("power") or _USUAL
    # Without a difference both one-sided tests of equivalence err alike, so that each has half of what is left.
    share = (1 + power) / 2 if options["alternative"] == "equivalence" else float(power)
    sizes: dict[str, list[float]] = {}
    powers = []
    families = Counter(_family(record, options) for record in records if record.get("pvalue") is not None)
    for record in records:
        size = _size(record, options, share, families[_family(record, options)])
        if size is not None:
            sizes.setdefault(record["metric"], []).append(size)
            powers.append(record)
    if not powers:
        return ""
    given, often = f"With {number_of_queries(powers)},", f"{100 * power:g} % of the time"
    if options["alternative"] == "equivalence":
        within = f"equivalence within {_listed(sizes, counts, _short)} or more"
        return f"{given} {within} is shown {often}, if there is no difference."
    margin = options.get("margin")
    if margin:
        sign = -1 if options["alternative"] == "less" else 1
        sizes_text = _listed(sizes, counts, lambda size: _short(size - margin, sign))
        side = "higher" if options["alternative"] == "less" else "lower"
        shown = f"is shown to be not {side} by more than {margin:g} {often}"
        return f"{given} a candidate that differs by {sizes_text} {shown}."
    found = f"{_FOUND[str(options['alternative'])]} of {_listed(sizes, counts, _short)} or more"
    return f"{given} {found} is found {often}."


def _family(record: Record, options: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key of the family of tests that are corrected together."""
    family = options.get("family", "all")
    names = ["metric"] if family == "metric" else groups_of([dict(record)]) if family == "group" else []
    return tuple(record[name] for name in names)


def _size(record: Record, options: Mapping[str, Any], power: float, n_tests: int) -> float | None:
    """Return the effect that the test finds with this power, or None if it is unknown."""
    error, pvalue = record.get("standard_error"), record.get("pvalue")
    if not error or pvalue is None or record.get("test") not in _OF_MEANS or _differ(record) < FEWEST_UNITS:
        return None
    reach = _reach(record)
    if reach is None:
        return None
    degrees = _degrees(record, options, reach / error)
    if degrees < _FEWEST_DEGREES:
        return None
    detectable = record.get("min_detectable_effect")
    if detectable is not None:
        return float(detectable)
    size: float = reach * _of_family(degrees, options, n_tests) + point_of_t(degrees, power) * error
    return size


def _of_family(degrees: float, options: Mapping[str, Any], n_tests: int) -> float:
    """Return the share that the first step of the correction leaves of the level."""
    correction = options.get("correction", "none")
    if correction == "none" or n_tests < 2 or options.get("interval_level") == "corrected":
        return 1.0
    divisor = n_tests * (sum(1 / n for n in range(1, n_tests + 1)) if correction == "by" else 1)
    beyond = _beyond(options)
    return point_of_t(degrees, 1 - beyond / divisor) / point_of_t(degrees, 1 - beyond)


def _beyond(options: Mapping[str, Any]) -> float:
    """Return the probability beyond an end of an interval."""
    return round((1 - float(options["confidence_level"])) / (2 if options["alternative"] == "two_sided" else 1), 12)


def _differ(record: Record) -> float:
    """Return how many queries differ; all may in unpaired arms."""
    rose, fell = record.get("n_higher"), record.get("n_lower")
    return math.inf if rose is None or fell is None else rose + fell


def _reach(record: Record) -> float | None:
    """Return how far the interval of the effect reaches to one side, or to both."""
    lower, upper, effect = (record.get(f"effect_size{end}") for end in ("_ci_lower", "_ci_upper", ""))
    if effect is None or lower is None is upper:
        return None
    if lower is not None and upper is not None:
        return float(upper - lower) / 2
    return float(upper - effect if lower is None else effect - lower)


def _degrees(record: Record, options: Mapping[str, Any], point: float) -> float:
    """Return the degrees of freedom, which for arms, clusters and weights follow from the interval."""
    units = record.get("n_clusters") or record["n_queries"]
    if options["design"] == "paired" and not record.get("n_clusters") and not options.get("weight"):
        return float(units) - 1
    is_student = record["test"] in ("t", "randomisation") and options.get("interval_level") != "corrected"
    if not is_student:
        return float(units) - 2
    points = _points(round(1 - _beyond(options), 12))
    place = min(max(bisect_left(points, -point, key=lambda one: -one), 1), len(points) - 1)
    above, below = points[place - 1], points[place]
    step = 0.0 if above == below else min(max((above - point) / (above - below), 0.0), 1.0)
    inverse = (1 - step) / _DEGREES[place - 1] + step / _DEGREES[place]
    return 1 / inverse


# What points are looked up by: they are nearly straight lines of 1 / degrees.
_DEGREES = [3 * 1.15**step for step in range(75)]


@lru_cache(maxsize=32)
def _points(share: float) -> list[float]:
    """Return the quantiles of a share for those degrees of freedom, in falling order."""
    return [point_of_t(degrees, share) for degrees in _DEGREES]


def _listed(sizes: Mapping[str, Sequence[float]], counts: Collection[str], write: Callable[[float], str]) -> str:
    """Return the sizes by metric, or only the least and the greatest of many metrics."""
    if len(sizes) <= _MOST_METRICS:
        names_metrics = len(sizes) > 1
        return ", ".join(
            _between([min(of_metric), max(of_metric)], write) + (f" ({metric})" if names_metrics else "")
            for metric, of_metric in sizes.items()
        )
    listed_sizes = {metric: of_metric for metric, of_metric in sizes.items() if metric not in counts} or sizes
    least, greatest = (
        min(listed_sizes, key=lambda metric: min(listed_sizes[metric])),
        max(listed_sizes, key=lambda metric: max(listed_sizes[metric])),
    )
    return f"{write(min(listed_sizes[least]))} ({least}) to {write(max(listed_sizes[greatest]))} ({greatest})"


def _between(ends: Sequence[float], write: Callable[[float], str]) -> str:
    return " to ".join(dict.fromkeys(map(write, ends)))


def _short(size: float, sign: int = 0) -> str:
    """Return a size with two digits, rounded up so that it is found at least as often; ``sign`` adds + or -."""
    digits = 1 - math.floor(math.log10(abs(size) or 1))
    rounded = math.ceil(size * 10.0**digits * (1 - 1e-7)) / 10.0**digits
    digits = 1 - math.floor(math.log10(abs(rounded) or 1))  # one less where 0.0996 is 0.10
    number_text = f"{rounded * (sign or 1):{'+' if sign else ''},.{max(digits, 0)}f}"
    return number_text if rounded else "0"


_MOST_UNITS = 10**12
_STEPS = 200  # of a bisection


@dataclass(frozen=True)
class PowerAnalysis:
    """The test whose number of units, or detectable effect, is computed.

    Attributes:
        deviation: the standard deviation of one unit: of a difference of pairs, or of a value in an arm.
        power: the probability of finding the effect.
        alpha: the level of the test, after the correction.
        sides: in how many directions an effect counts.
        ratio: of arms the size of the larger over the size of the smaller; None of pairs.
        noncentral: SciPy's ``nct`` and ``t``, where it is installed.
    """

    deviation: float
    power: float
    alpha: float
    sides: int
    ratio: float | None = None
    noncentral: tuple[Any, Any] | None = None

    def units_for(self, effect: float) -> int | None:
        """Return the least number of units (per smaller arm) that finds an effect, or None if there is none."""
        low, high = 1, 2
        while self.finds(high, effect) < self.power:
            low, high = high, 2 * high
            if high > _MOST_UNITS:
                return None
        return _smallest(lambda n: self.finds(n, effect) >= self.power, low, high)

    def effect_of(self, n: int) -> float | None:
        """Return the least effect that n units find, or None if n is too small."""
        if self._degrees(n) < 1:
            return None
        low, high = 0.0, self.deviation
        while self.finds(n, high) < self.power:
            low, high = high, 2 * high
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.finds(n, middle) >= self.power else (middle, high)
        return high

    def finds(self, n: int, effect: float) -> float:
        """Return the probability that n units find an effect."""
        degrees = self._degrees(n)
        if degrees < 1:
            return 0.0
        spread = self.deviation * math.sqrt(1 / n if self.ratio is None else 1 / n + 1 / (self.ratio * n))
        distance, beyond = effect / spread, self.alpha / self.sides
        if self.noncentral is None:
            reach = point_of_t(degrees, 1 - beyond)
            # The points of t added up: above the power that is asked for, or below it.
            return self.power if distance >= reach + point_of_t(degrees, self.power) else 0.0
        nct, t = self.noncentral
        reach = float(t.isf(beyond, degrees))
        other = float(nct.cdf(-reach, degrees, distance)) if self.sides == 2 else 0.0
        # Far out nct is not a number, where everything is found.
        power = float(nct.sf(reach, degrees, distance))
        return 1.0 if math.isnan(power) else power + (0.0 if math.isnan(other) else other)

    def _degrees(self, n: int) -> float:
        return float(n - 1) if self.ratio is None else n + self.ratio * n - 2


def _smallest(is_enough: Callable[[int], bool], low: int, high: int) -> int:
    """Return the smallest number above low, up to high, that is enough."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
