"""Orders of systems by their values, and how alike two of them are."""

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
    known = [None if value is None else signed(value, better) for value in values]
    return [None if own is None else 1 + sum(other is not None and other > own for other in known) for own in known]


def signed(value: float, better: str) -> float:
    """The value without what may be rounding, so that a higher one is better."""
    return round(value if better == "higher" else -value, _DIGITS)


def ranked(label: str, better: str, columns: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row for each system: under the name of each column its value there, and its rank.

    Args:
        label: the metric's.
        better: ``higher`` or ``lower``.
        columns: of each column the values by system.
    """
    runs = list(dict.fromkeys(run for values in columns.values() for run in values))
    rows: list[dict[str, Any]] = [{"metric": label, "run_id": run} for run in runs]
    for name, values in columns.items():
        own = [values.get(run) for run in runs]
        for row, value, rank in zip(rows, own, ranks(own, better), strict=True):
            row |= {name: value, f"{name}_rank": rank}
    return rows


def tau(one: Sequence[int | None], other: Sequence[int | None]) -> float | None:
    """Kendall's tau-b of two orders of the same systems (Kendall 1945): 1 for the same order, -1 for the reverse.

    Args:
        one: the ranks of the systems.
        other: their ranks by something else.

    Returns:
        None where fewer than two systems have both, or one of the orders has them all at one place.
    """
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    if any(len({pair[side] for pair in pairs}) < 2 for side in (0, 1)):
        return None
    found = float(scipy_stats("Kendall's tau").kendalltau(*zip(*pairs, strict=True)).statistic)
    return None if math.isnan(found) else found


def scipy_stats(what: str) -> Any:
    """SciPy's statistics.

    Args:
        what: for what.

    Raises:
        UsageError: it is not installed.
    """
    return of_stats("scipy.stats", what)
