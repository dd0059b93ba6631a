"""Points of Student's t, and the tail of the F distribution, without SciPy."""

from __future__ import annotations

import math
from functools import lru_cache

_MOST_STEPS = 100_000
_EXACT = 1e-15
_LEAST = 1e-300  # in place of a denominator of 0


@lru_cache(maxsize=4096)
def point_of_t(degrees: float, share: float) -> float:
    """The point of Student's t that a share from a half on lies below: by halving the angle whose tangent it is."""
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
    """Of a power of the cosine from 0 to an angle, by Simpson's rule, as far as it is more than nothing."""
    end = min(angle, 9 / math.sqrt(power + 1))
    step = end / places
    values: list[float] = [math.cos(place * step) ** power for place in range(places + 1)]
    return step / 3 * (values[0] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]) + values[-1])


def f_tail(statistic: float, df1: float, df2: float) -> float:
    """The probability that an F statistic of these degrees of freedom is at least as large.

    Args:
        statistic: at least 0.
        df1: degrees of freedom of the numerator.
        df2: those of the denominator.
    """
    if statistic <= 0:
        return 1.0
    share = df2 / (df2 + df1 * statistic)
    return min(_incomplete_beta(share, 1 - share, df2 / 2, df1 / 2), 1.0)


def _incomplete_beta(x: float, rest: float, a: float, b: float) -> float:
    """The regularised incomplete beta function of x = 1 - rest, by its continued fraction (Lentz)."""
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(rest, x, b, a)
    height = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(height) / a / _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    found, above, below = 1.0, 1.0, 0.0
    for step in range(1, _MOST_STEPS):
        half = step // 2
        if step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + step - 1) * (a + step))
        else:
            term = half * (b - half) * x / ((a + step - 1) * (a + step))
        below = 1 / ((1 + term * below) or _LEAST)
        above = (1 + term / above) or _LEAST
        change = above * below
        found *= change
        if abs(change - 1) < _EXACT:
            break
    return found
