"""Verdicts: their words, which ``sql/macros/statistics/09_verdicts.sql`` writes, and what follows from them.

Tables, charts, reports and conditions read the column ``verdict``; none of them decides from p-values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BETTER, WORSE = "better", "worse"
NOT_WORSE, NOT_BETTER, NOT_SHOWN = "not worse", "not better", "not shown"  # "not worse by 0.01"; of a condition without
BETTER_BY = "better by"  # "better by 0.01", of a condition
EQUIVALENT = "equivalent"  # "equivalent within 0.01"
ROSE, FELL = "more queries rose", "more queries fell"
UPWARD, DOWNWARD = "signed ranks lean upward", "signed ranks lean downward"
DIFFERENT = "distributions differ"
ABOVE, BELOW = "likelier above", "likelier below"
INCONCLUSIVE, NO_DIFFERENCE, TOO_FEW, NO_TEST = "inconclusive", "no difference", "too few queries", "no test"

FEWEST_UNITS = 6  # that differ, or are in the smaller arm: of fewer no verdict is given

_NOTHING_SHOWN = (INCONCLUSIVE, NOT_SHOWN, NO_DIFFERENCE, TOO_FEW, NO_TEST)


def is_shown(verdict: str | None) -> bool:
    """Whether a verdict is one that the test has shown, which has the mark of what is significant."""
    return verdict is not None and verdict not in _NOTHING_SHOWN


def interval_level(options: Mapping[str, Any]) -> float:
    """The confidence level of the intervals of a comparison.

    Each end of an interval of equivalence is that of a one-sided test, so that both leave out as much as one does
    elsewhere: 0.9 where ``confidence_level`` is 0.95.

    Args:
        options: the options of the comparison, or a row of its summary.
    """
    level = float(options["confidence_level"])
    return round(2 * level - 1, 12) if options.get("alternative") == "equivalence" else level


def direction(record: Mapping[str, Any], better: Mapping[str, str]) -> str | None:
    """Return whether a difference of this sign is better or worse for the metric, by chance or not.

    Args:
        record: a row of ``Comparison.summary``.
        better: for each metric ``higher``, which is assumed, or ``lower``.

    Returns:
        ``better`` or ``worse``; None where there is no difference, or none is known.
    """
    effect = record.get("effect_size")
    if not effect:
        return None
    return BETTER if (effect > 0) == (better.get(record["metric"]) != "lower") else WORSE


def format_verdict(record: Mapping[str, Any], better: Mapping[str, str]) -> str:
    """The verdict as people read it: what signs and placements say has its numbers, for it is not about the mean."""
    verdict = record["verdict"]
    if verdict in (ROSE, FELL):
        number = record["n_higher" if verdict == ROSE else "n_lower"]
        return f"{number:,} of {record['n_queries']:,} {verdict.rpartition(' ')[2]}"
    return f"{verdict} ({likelier_above(record, better):.2f})" if verdict in (ABOVE, BELOW) else str(verdict)


def likelier_above(record: Mapping[str, Any], better: Mapping[str, str]) -> float:
    """Return the probability that a candidate's value is above the baseline's, plus half the probability of a tie."""
    probability = float(record["prob_superiority"])
    return 1 - probability if better.get(record["metric"]) == "lower" else probability


def judge_pair(record: Mapping[str, Any], better: Mapping[str, str], verdict: str) -> str:
    """The verdict on two runs that were tested together with all others, which Python does (Tukey's test).

    Args:
        record: a row of ``AllPairs.summary``, with ``significant``.
        better: for each metric ``higher`` or ``lower``.
        verdict: the verdict on these two by themselves.
    """
    if verdict in (TOO_FEW, NO_DIFFERENCE):
        return verdict
    if record["significant"] is None:
        return NO_TEST
    return (direction(record, better) if record["significant"] else None) or INCONCLUSIVE
