"""Rank systems by their values, and compare two rankings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..optional import of_stats

Values = Sequence[float | None]

# Sums of the same numbers in another order may differ beyond that.
_DIGITS = 12


def ranks(values: Values, better: str) -> list[int | None]:
    """Return the rank of each value: 1 for the best; equal values share the best of their ranks, and None has none.

    Args:
        values: of systems; those that differ by rounding only are equal.
        better: ``higher`` or ``lower``.
    """
    signed_values = [None if value is None else signed(value, better) for value in values]
    return [
        None if one is None else 1 + sum(other is not None and other > one for other in signed_values)
        for one in signed_values
    ]


def signed(value: float, better: str) -> float:
    """Round a value, and negate it if lower is better, so that a higher one is better."""
    return round(value if better == "higher" else -value, _DIGITS)


def ranked(label: str, better: str, columns: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each system, with its value and rank in each column of values by system."""
    runs = list(dict.fromkeys(run for values in columns.values() for run in values))
    rows: list[dict[str, Any]] = [{"metric": label, "run_id": run} for run in runs]
    for name, values in columns.items():
        values_of_runs = [values.get(run) for run in runs]
        for row, value, rank in zip(rows, values_of_runs, ranks(values_of_runs, better), strict=True):
            row |= {name: value, f"{name}_rank": rank}
    return rows


def tau(one: Sequence[int | None], other: Sequence[int | None]) -> float | None:
    """Return Kendall's tau-b of two lists of ranks of the same systems (Kendall 1945); None if either has only ties."""
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    if any(len({pair[side] for pair in pairs}) < 2 for side in (0, 1)):
        return None
    statistic = float(scipy_stats("Kendall's tau").kendalltau(*zip(*pairs, strict=True)).statistic)
    return None if math.isnan(statistic) else statistic


def scipy_stats(what: str) -> Any:
    """Import the statistics of SciPy; the message says what they are needed for."""
    return of_stats("scipy.stats", what)
