"""Other tools' parameters, read as ours: ``judged_only=True`` is ``unjudged=drop``. The profiles say what is what.

A profile's ``[parameters]`` and ``[refused]`` have keys such as ``cutoff``, ``judged_only=true``, ``ndcg(dcg=log2)`` or
``ndcg(-l)``: a parameter, perhaps with one value, perhaps of one metric, in lower case. The most particular key speaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..errors import UsageError, shortened
from .catalogue import Metric, options
from .metric_strings import LEVEL, MetricSpec, Value, parse_params
from .profiles import Profile, refused_parameters, translations


def translated(spec: MetricSpec, spelt: str, metric: Metric, profile: Profile | None) -> dict[str, Value]:
    """Return the parameters of a spec by our names; an unknown name stays.

    Args:
        spec: the metric as it was asked for.
        spelt: its name there, in lower case and without a level.
        metric: the metric that it names.
        profile: the tool whose words go before those of the others.

    Raises:
        UsageError: a parameter has no counterpart, or not with this value, or two of them mean the same.
    """
    known = {**translations(), **(profile.parameters if profile else {})}
    refused = {**refused_parameters(), **(profile.refused if profile else {})}
    found: dict[str, Value] = {}
    for name, value in spec.params.items():
        key = next((key for key in _keys((spelt, metric.name), name, value) if key in refused or key in known), None)
        if key in refused:
            written = f"{LEVEL}{value}" if name == LEVEL else f"{name}={value}"
            raise UsageError(f"Metric {spec.text!r}: {written} has no counterpart here; {refused[key]}.")
        meant = known[key] if key is not None else name
        if key is None and name not in _taken_by(metric):
            _refuse_value(spec, name, value, known)
        for ours, own in _values(spec, metric, meant, name, value).items():
            if ours in found:
                raise UsageError(f"Metric {spec.text!r}: {ours} is given twice.")
            found[ours] = own
    return found


def _keys(metrics: Iterable[str], name: str, value: Value) -> Iterator[str]:
    chosen = f"{name}={str(value).lower()}"
    for metric in metrics:
        yield from (f"{metric}({chosen})", f"{metric}({name})")
    yield from (chosen, name)


def _values(spec: MetricSpec, metric: Metric, meant: str, name: str, value: Value) -> Mapping[str, Value]:
    """``meant`` is a parameter of ours, several with their values, or nothing."""
    if "=" in meant or not meant:
        return parse_params(spec.text, meant)
    return {meant if meant in _taken_by(metric) else name: value}


def _refuse_value(spec: MetricSpec, name: str, value: Value, known: Iterable[str]) -> None:
    values = [key.removeprefix(f"{name}=") for key in known if key.startswith(f"{name}=")]
    if values:
        raise UsageError(f"Metric {spec.text!r}: {name} cannot be {shortened(value)}. Valid: {', '.join(values)}.")


def _taken_by(metric: Metric) -> set[str]:
    return {*metric.params, *(name for name, option in options().items() if option.scope in ("ranking", "summary"))}
