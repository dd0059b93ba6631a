"""What the brute-force metrics share: gains, discounts, counting."""

from __future__ import annotations

from math import log, log2
from typing import Any

Grades = list[float | None]
Judged = list[float]


def worth(grade: float | None, gain: Any, rel: float) -> float:
    if grade is None:
        return 0.0
    if isinstance(gain, dict) and grade in gain:
        return gain[grade]
    if gain == "binary":
        return 1.0 if grade >= rel else 0.0
    if grade <= 0:
        return 0.0
    return 2.0**grade - 1 if gain == "exp2" else float(grade)


def top(grades: list[Any], k: int | None) -> list[Any]:
    return grades if k is None else grades[:k]


def is_relevant(grade: float | None, rel: float) -> bool:
    return grade is not None and grade >= rel


def hits(grades: Grades, rel: float, k: int | None = None) -> int:
    return sum(1 for grade in top(grades, k) if is_relevant(grade, rel))


def relevant(judged: Judged, rel: float) -> int:
    return sum(1 for grade in judged if grade >= rel)


def hit_ranks(grades: Grades, rel: float, k: int | None = None) -> list[int]:
    return [rank for rank, grade in enumerate(top(grades, k), start=1) if is_relevant(grade, rel)]


def discounted(gains: list[float], discount: Any = "log2") -> float:
    return sum(gain / divisor(rank, discount) for rank, gain in enumerate(gains, start=1))


def divisor(rank: int, discount: Any) -> float:
    if discount == "none":
        return 1.0
    if discount == "zipf":
        return float(rank)
    if discount == "ln":
        return log(rank + 1)
    if discount == "log2_rank":
        return max(log2(rank), 1)
    return log(rank + 1) / log(2 if discount == "log2" else discount)
