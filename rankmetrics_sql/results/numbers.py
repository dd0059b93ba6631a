"""Formatting of values, counts, differences, shares, p-values and intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..rows import Record


def format_value(value: Any, is_count: bool = False) -> str:
    """Return a value as text, a number with four decimals unless it is a count."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return drop_sign_of_zero(f"{value:.0f}" if is_count else f"{value:.4f}")
    return str(value)


def drop_sign_of_zero(number: str) -> str:
    """Return the number without its sign if all its digits are 0."""
    return number if number.strip("+-0.") else number.lstrip("+-")


def number_of_queries(records: Sequence[Record]) -> str:
    """Return how many queries the rows of a comparison cover."""
    numbers = sorted({record["n_queries"] for record in records})
    if len(numbers) > 1:
        return f"{numbers[0]:,} to {numbers[-1]:,} queries"
    return "1 query" if numbers == [1] else f"{numbers[0]:,} queries"


def best_of(values: Sequence[float | None], better: str, is_count: bool = False) -> set[int]:
    """Return the places of the values that are formatted like the best; none if there are fewer than two values."""
    numbers = {place: value for place, value in enumerate(values) if value is not None and not math.isnan(value)}
    if len(numbers) < 2:
        return set()
    best = format_value((min if better == "lower" else max)(numbers.values()), is_count)
    return {place for place, value in numbers.items() if format_value(value, is_count) == best}


UNKNOWN = format_value(None)


def format_interval(
    lower: float | None,
    upper: float | None,
    write: Callable[[float | None], str] = format_value,
    least: str = "-inf",
    alternative: str = "two_sided",
) -> str:
    """Format an interval; ``alternative`` says which end may be open, otherwise a missing end is unknown."""
    if lower is None and upper is None:
        return UNKNOWN
    missing = {"less": f"({least}", "greater": "inf)"}.get(alternative)
    begin = f"[{write(lower)}" if lower is not None else missing if alternative == "less" else f"[{UNKNOWN}"
    end = f"{write(upper)}]" if upper is not None else missing if alternative == "greater" else f"{UNKNOWN}]"
    return f"{begin}, {end}"


def format_share(value: float | None) -> str:
    """Return a relative change as a percentage."""
    return UNKNOWN if value is None else f"{drop_sign_of_zero(f'{100 * value:+.1f}')}%"


def format_pvalue(value: float | None) -> str:
    """Return a p-value as text."""
    return "<0.0001" if value is not None and value < 0.0001 else format_value(value)


def format_difference(value: float | None, is_count: bool = False) -> str:
    """Return a difference as text, with its sign."""
    return UNKNOWN if value is None else drop_sign_of_zero(f"{value:+.0f}" if is_count else f"{value:+.4f}")
