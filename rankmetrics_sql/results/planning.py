"""How many units a test needs, and what effect so many find: by the noncentral t of SciPy, else by points of t."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .distributions import point_of_t

_MOST_UNITS = 10**12
_STEPS = 200  # of a bisection


@dataclass(frozen=True)
class Plan:
    """What is planned.

    Attributes:
        deviation: the standard deviation of one unit: of a difference of pairs, or of a value in an arm.
        power: the probability of finding the effect.
        alpha: the level of the test, after the correction.
        sides: in how many directions an effect counts.
        ratio: of arms the size of the larger one over that of the smaller; None of pairs.
        noncentral: SciPy's ``nct`` and ``t``, where it is installed.
    """

    deviation: float
    power: float
    alpha: float
    sides: int
    ratio: float | None = None
    noncentral: tuple[Any, Any] | None = None

    def units_for(self, effect: float) -> int | None:
        """The smallest number of units, of arms in the smaller one, that finds an effect; None beyond all numbers."""
        low, high = 1, 2
        while self.finds(high, effect) < self.power:
            low, high = high, 2 * high
            if high > _MOST_UNITS:
                return None
        return _smallest(lambda n: self.finds(n, effect) >= self.power, low, high)

    def effect_of(self, n: int) -> float | None:
        """The least effect that so many units find; None of too few for a spread."""
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
        """The probability that so many units find an effect."""
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
        found = float(nct.sf(reach, degrees, distance))
        return 1.0 if math.isnan(found) else found + (0.0 if math.isnan(other) else other)

    def _degrees(self, n: int) -> float:
        return float(n - 1) if self.ratio is None else n + self.ratio * n - 2


def _smallest(is_enough: Callable[[int], bool], low: int, high: int) -> int:
    """The smallest number above low, up to high, that is enough."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
