"""The metrics of two rankings once more, as their papers have them."""

from __future__ import annotations

from collections.abc import Sequence


def overlap(one: Sequence[str], other: Sequence[str], depth: int | None) -> int:
    return len(set(one[:depth]) & set(other[:depth]))


def jaccard(one: Sequence[str], other: Sequence[str], k: int | None = None) -> float:
    either = set(one[:k]) | set(other[:k])
    return overlap(one, other, k) / len(either) if either else 0


def rbo(one: Sequence[str], other: Sequence[str], p: float = 0.9) -> float:
    """Equation 32 of the paper, depth after depth."""
    short, long = sorted((len(one), len(other)))
    if not short:
        return 0
    at_short, at_long = overlap(one, other, short), overlap(one, other, long)
    seen = sum(overlap(one, other, d) / d * p**d for d in range(1, long + 1))
    beyond = sum(at_short * (d - short) / (short * d) * p**d for d in range(short + 1, long + 1))
    return (1 - p) / p * (seen + beyond) + ((at_long - at_short) / long + at_short / short) * p**long
