"""What of a single query's difference is left, when chance is taken off."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Shrinkage:
    """How differences of single queries are drawn towards their mean.

    Attributes:
        mean: of the differences.
        share: what is kept of a difference from the mean, from 0 to 1.
    """

    mean: float
    share: float

    def __call__(self, difference: float) -> float:
        """The estimate of a query's own difference."""
        return self.mean + self.share * (difference - self.mean)


def shrinkage(differences: Sequence[float]) -> Shrinkage:
    """How much of the differences of queries is theirs, by empirical Bayes.

    A query's difference d is its own one, normal around the mean m of all queries with the variance T, and noise with
    the variance S: its estimate is ``m + T / (T + S) * (d - m)`` (Efron & Morris 1975, JASA 70, Data Analysis Using
    Stein's Estimator). T + S is the variance of the differences. One measurement of each query does not tell T from S,
    so that an assumption must: noise is normal, and what the differences spread beyond the normal distribution that
    fits their mean deviation is the queries' own: ``S = pi / 2 * mean(|d - m|)^2``, at most the variance. The ratio of
    both deviations is Geary's (1935, Biometrika 27), which is sqrt(2 / pi) of normal values. Where differences
    look like noise alone, all of them are estimated by the mean.

    Args:
        differences: one of each query, at least one.
    """
    number = len(differences)
    mean = math.fsum(differences) / number
    variance = math.fsum((value - mean) ** 2 for value in differences) / number
    deviation = math.fsum(abs(value - mean) for value in differences) / number
    noise = math.pi / 2 * deviation**2
    return Shrinkage(mean, max(0.0, 1 - noise / variance) if variance > 0 else 0.0)
