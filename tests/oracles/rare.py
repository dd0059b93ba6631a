"""The twin of what queries that did not change say of a loss, written from the formula, with scipy's distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scipy import stats

ENOUGH = 50


def one_tail(differences: Sequence[float], away: float) -> float:
    """The p-value of a mean above -away."""
    if max(differences) - min(differences) < 1e-12:
        return 0.0 if differences[0] + away > 0 else 1.0
    return float(stats.ttest_1samp(differences, -away, alternative="greater").pvalue)


def unbounded(differences: Sequence[float], margin: float, side: str, width: float | None = 1.0) -> float:
    """How probable so few changes are at the margin; less where the test itself shows more than no difference.

    Args:
        differences: of each query.
        margin: the loss that a claim allows.
        side: ``greater``, ``less`` or ``equivalence``.
        width: the largest change that the metric allows; None where it has no range.
    """
    n_changed = sum(abs(difference) > 1e-9 for difference in differences)
    if n_changed >= ENOUGH:
        return 0.0
    share = None if width is None else margin / width
    bound = 1.0 if share is None else 0.0 if share >= 1 else stats.binom.cdf(n_changed, len(differences), share)
    if side == "equivalence":
        return float(bound)
    gains = [difference if side == "greater" else -difference for difference in differences]
    is_gain = sum(gains) > 1e-9 and max(gains) - min(gains) > 1e-12
    return min(float(bound), one_tail(gains, 0.0) if is_gain else 1.0)


def shares_of_level(records: Sequence[Mapping[str, Any]], correction: str) -> list[float]:
    """What of the level the test of each row has, by the place of its p-value; rows without one are none."""
    known = [index for index, record in enumerate(records) if record["pvalue"] is not None]
    m = len(known)
    places = {index: n for n, index in enumerate(sorted(known, key=lambda index: (records[index]["pvalue"], index)), 1)}
    harmonic = sum(1 / n for n in range(1, m + 1))
    of_place = {
        "none": lambda place: 1.0,
        "bonferroni": lambda place: 1 / m,
        "holm": lambda place: 1 / (m - place + 1),
        "bh": lambda place: place / m,
        "by": lambda place: place / m / harmonic,
    }[correction]
    return [of_place(places[index]) if index in places else 0.0 for index in range(len(records))]
