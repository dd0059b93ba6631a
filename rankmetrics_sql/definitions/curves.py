"""Metrics along one of their parameters, which are the points of a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import UsageError, nearest
from .choices import Choices, is_number
from .known import known_options
from .refusals import refuse
from .resolution import ResolvedMetric, distinct, find_metric, resolve


def resolve_curve(text: str, along: str, at: Sequence[float], choices: Choices) -> list[ResolvedMetric]:
    """A metric with one of its parameters at several values; a curve with points of its own as it is.

    Args:
        text: a metric string.
        along: the parameter.
        at: its values.
        choices: a value for every option.

    Raises:
        UsageError: as for ``resolve_metrics``, or the parameter is not the metric's or no number.
    """
    first = resolve(text, choices)
    refuse("curve", first.facts)
    if first.shape == "curve":
        return [first]
    known = {**known_options(), **first.known["params"]}
    numbers = [name for name in first.params if known[name]["type"] in ("int", "integer", "number")]
    if along not in numbers:
        raise UsageError(f"Metric {text!r}: {first.name} has no numeric parameter {along!r}. {nearest(along, numbers)}")
    if along in find_metric(text, choices)[1]:
        raise UsageError(f"Metric {text!r} fixes {along}, which the curve varies. Omit {along} from the metric.")
    if not at or not all(is_number(x) for x in at):
        raise UsageError(f"A curve along {along} needs numbers, such as 1, 5 and 10. Pass them as at=.")
    return distinct(
        [
            replace(resolve(text, choices, {along: x}), label=f"{first.label} {along}={x}", x=x)
            for x in dict.fromkeys(at)
        ]
    )
