"""The metric that a name stands for in any of its spellings, and the column that a metric becomes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import UsageError, nearest, shortened
from .catalogue import Metric, ambiguous, metrics, spellings
from .metric_strings import MetricSpec, Value, parse_cutoff, parse_metric
from .profiles import Profile, families, nicknames
from .translation import translated

# ndcg_cut_10 and P.5 are trec_eval's, ndcg_at_10 is our own column
_SUFFIXED = r"(?P<name>.+?)(?:_at_|_|\.)(?P<at>[0-9]+(?:\.[0-9]+)?)"


def find_metric(spec: MetricSpec, profile: Profile | None = None) -> tuple[Metric, dict[str, Value]]:
    """The metric that a spec names, and the parameters that the spec gives it.

    What stands behind ``@`` or at the end of a trec_eval name is a parameter too, mostly the cutoff.

    Raises:
        UsageError: there is no such metric, or the cutoff is given twice or to a metric that has none.
    """
    name, at = spec.name.lower(), spec.at
    own = profile.spellings if profile else {}
    known = {name: name} if name in metrics() and name not in own else {**spellings(), **own}
    if name not in known and (match := re.fullmatch(_SUFFIXED, name)) and match["name"] in known:
        if at is not None:
            raise UsageError(f"Metric {spec.text!r} gives its cutoff twice.")
        if f"{match['name']}." in name and any(other.startswith(f"{match['name']}.") for other in known):
            raise _unknown(spec, known, known)
        name, at = match["name"], match["at"]
    if name not in known:
        _refuse_ambiguous(spec, name)
        raise _unknown(spec, known, metrics())
    metric, params = _spelt(known[name])
    given = translated(spec, name, metric, profile)
    params = {**params, **given}
    return metric, params if at is None else params | {metric.at: _behind_at(spec, metric, at, given)}


def _unknown(spec: MetricSpec, known: Mapping[str, str], listed: Iterable[str]) -> UsageError:
    """Says which known name is nearest, with the parameters and the cutoff that were asked for."""
    suffixed = re.fullmatch(_SUFFIXED, spec.name) if spec.at is None else None
    name, at = (suffixed["name"], suffixed["at"]) if suffixed else (spec.name, spec.at)
    hint = nearest(name, [*known, *ambiguous()], listed)
    if hint.startswith("Did you mean"):
        near = hint.partition("'")[2].rpartition("'")[0]
        if near not in known:
            meanings = ambiguous()[near].replace("@10", f"@{at or 10}")
            return UsageError(f"Unknown metric {shortened(spec.name)}. Did you mean {near!r}? That is {meanings}.")
        metric, params = _spelt(known[near])
        family = next((levels for other, levels in families().items() if other.lower() == near), None)
        if near not in metrics() and family is not None and not params:
            at = at or _level_of(family)
        behind = f"@{at}" if at and metric.at in metric.params and metric.at not in params else ""
        _, bracket, rest = spec.text.partition("(")
        hint = f"Did you mean '{near}{bracket}{rest.partition(')')[0]}{bracket and ')'}{behind}'?"
    return UsageError(f"Unknown metric {shortened(spec.name)}. {hint}")


def _refuse_ambiguous(spec: MetricSpec, name: str) -> None:
    """Says what the name may mean, at the cutoff that was asked for."""
    suffixed = re.fullmatch(_SUFFIXED, name)
    for other, at in ((name, spec.at), (suffixed["name"], suffixed["at"]) if suffixed else (name, None)):
        if other in ambiguous():
            meanings = ambiguous()[other].replace("@10", f"@{at or 10}")
            raise UsageError(f"Metric {spec.text!r}: {other} is {meanings}; say which.")


def expand_family(spec: MetricSpec, profile: Profile | None = None) -> list[MetricSpec]:
    """The metric, or those that a family of trec_eval's stands for: ``P`` is ``P_5``, ``P_10`` ... under its profiles.

    Raises:
        UsageError: the name is a family elsewhere, and no level is given.
    """
    own = profile.families if profile else {}
    if spec.at is not None or spec.name not in families():
        return [spec]
    metric, params = find_metric(spec, profile)
    if metric.at in params:
        return [spec]
    if spec.name in own:
        names = [f"{spec.name}_{level}" for level in own[spec.name]]
        return [spec._replace(text=name + spec.text[len(spec.name) :], name=name) for name in names]
    if spec.name in metrics() or (profile and spec.name.lower() in profile.spellings):
        return [spec]
    level = "cutoff" if metric.at == "k" else "level"
    needed = f"{spec.name} needs a {level}: {spec.name}@{_level_of(families()[spec.name])}."
    without = "" if metric.params[metric.at].required else f" Without one write {metric.name}."
    raise UsageError(f"Metric {spec.text!r}: {needed}{without}")


def _level_of(levels: Sequence[str]) -> str:
    """A level of a family of trec_eval's, for a message."""
    return "10" if "10" in levels else levels[1]


def expand_nicknames(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """The metrics with those that a nickname of trec_eval's stands for, and what of these is not here.

    A metric that is named beside a nickname is there once, as it is named.

    Args:
        texts: metric strings, or ``official``, ``set`` or ``all_trec``.
    """
    named = [_meant(text) for text in texts if text not in nicknames()]
    found: dict[str, None] = {}
    lacking: dict[str, None] = {}
    for text in texts:
        if text not in nicknames():
            found[text] = None
            continue
        for name in nicknames()[text]:
            levels = [f"{name}_{level}" for level in families().get(name, ())]
            if name.lower() not in spellings():
                lacking.update(dict.fromkeys(levels or [name]))
                continue
            found.update(dict.fromkeys(text for text in levels or [name] if _meant(text) not in named))
    return list(found), list(lacking)


def _meant(text: str) -> tuple[str, Any]:
    """The metric and its parameters; the text itself where no name is known that only a profile may know."""
    try:
        metric, params = find_metric(parse_metric(text))
    except UsageError:
        return text, None
    return metric.name, params


def _spelt(text: str) -> tuple[Metric, dict[str, Value]]:
    """The metric and parameters of a spelling, which may be spelt with another one."""
    own = parse_metric(text)
    if own.name in metrics():
        return metrics()[own.name], dict(own.params)
    metric, params = _spelt(spellings()[own.name.lower()])
    return metric, {**params, **own.params}


def _behind_at(spec: MetricSpec, metric: Metric, at: str, given: Mapping[str, Value]) -> Value:
    if metric.at not in metric.params:
        raise UsageError(f"Metric {spec.text!r}: {metric.name} has no cutoff.")
    if metric.at in given:
        raise UsageError(f"Metric {spec.text!r} gives its cutoff twice.")
    return parse_cutoff(spec.text, at) if metric.at == "k" else at


def column_name(metric: Metric, given: Mapping[str, Value | None]) -> str:
    """The metric as a SQL column: ``ap(rel=2)@100`` is ``ap_rel_2_at_100``."""
    parts = [metric.name]
    for name, value in given.items():
        if name != metric.at:
            pairs = value.items() if isinstance(value, dict) else [(value,)]
            parts.append(f"{name.lower()}_{'_and_'.join('_to_'.join(map(_slug, pair)) for pair in pairs)}")
    if given.get(metric.at) is not None:
        parts.append(f"at_{_slug(given[metric.at])}")
    return "_".join(parts)


def _slug(value: Any) -> str:
    return re.sub(r"[^a-z0-9]+", "_", str(value).lower().replace("-", "minus_")).strip("_")
