"""What a comparison says of one metric, in a word: tables, charts, reports and conditions read it here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BETTER, WORSE, SAME, UNCERTAIN, NOT_WORSE, UNKNOWN = "better", "worse", "same", "uncertain", "not worse", "-"


def direction(record: Mapping[str, Any], better: Mapping[str, str]) -> str:
    """What the sign of a difference means for the metric: better, worse or the same, whether that is chance or not.

    Args:
        record: a row of ``Comparison.summary``.
        better: for each metric ``higher``, which is assumed, or ``lower``.
    """
    effect = record.get("effect_size")
    if not effect:
        return UNKNOWN if effect is None else SAME
    return BETTER if (effect > 0) == (better.get(record["metric"]) != "lower") else WORSE


def verdict(record: Mapping[str, Any], options: Mapping[str, Any], better: Mapping[str, str]) -> str:
    """Better or worse where that is significant, by the side of the effect.

    With a margin what is significant is that it is not worse, unless the interval says more. A test of one side finds
    nothing on the other: where ranks rise and the mean falls, neither is certain.

    Args:
        record: a row of ``Comparison.summary``.
        options: those of the comparison.
        better: for each metric ``higher``, which is assumed, or ``lower``.
    """
    found = direction(record, better)
    if found in (SAME, UNKNOWN):
        return found
    if not record.get("significant"):
        return UNCERTAIN
    if options.get("margin"):
        lower, upper = record.get("effect_size_ci_lower"), record.get("effect_size_ci_upper")
        is_beside_0 = (lower is not None and lower > 0) or (upper is not None and upper < 0)
        return BETTER if found == BETTER and is_beside_0 else NOT_WORSE
    side = {"greater": 1, "less": -1}.get(str(options.get("alternative")), 0)
    return UNCERTAIN if side * record["effect_size"] < 0 else found
