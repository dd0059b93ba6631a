"""Metrics along one of their parameters, which are the points of a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import UsageError, nearest
from .choices import Choices
from .metric_strings import is_number, parse_metric
from .refusals import refuse
from .resolution import ResolvedMetric, distinct, resolve


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
    spec = parse_metric(text)
    first = resolve(spec, choices)
    refuse("curve", first.facts)
    if first.metric.shape == "curve":
        return [first]
    numbers = [name for name, param in first.metric.params.items() if param.type in ("int", "integer", "number")]
    if along not in numbers:
        raise UsageError(
            f"Metric {text!r}: {first.metric.name} has no numeric parameter {along!r}. {nearest(along, numbers)}"
        )
    if along in spec.params or (spec.at is not None and first.metric.at == along):
        raise UsageError(f"Metric {text!r} fixes {along}, which the curve varies. Omit {along} from the metric.")
    if not at or not all(is_number(x) for x in at):
        raise UsageError(f"A curve along {along} needs numbers, such as 1, 5 and 10. Pass them as at=.")
    places = dict.fromkeys(at)
    points = [spec._replace(text=f"{spec.text} {along}={x}", params={**spec.params, along: x}) for x in places]
    return distinct([replace(resolve(point, choices), x=x) for point, x in zip(points, places, strict=True)])
