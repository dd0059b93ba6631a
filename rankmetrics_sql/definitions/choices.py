"""What is to be computed: options, profile and metric strings made into metrics with a value for every choice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ..errors import UsageError, nearest, shortened
from .catalogue import Metric, Profile, ambiguous, families, find_profile, metrics, options, spellings
from .metric_strings import MetricSpec, Value, parse_cutoff, parse_metric

# ndcg_cut_10 and P.5 are trec_eval's, ndcg_at_10 is our own column
_SUFFIXED = re.compile(r"(?P<name>.+?)(?:_at_|_|\.)(?P<at>[0-9]+(?:\.[0-9]+)?)")

_BOUNDS = {"low": "nonrelevant", "high": "relevant"}


@dataclass(frozen=True)
class ResolvedMetric:
    """A metric with a value for each of its choices, ready to be rendered.

    Attributes:
        metric: its catalogue entry.
        label: the string as the user typed it.
        column: its name as a SQL column.
        params: every parameter and option that the metric takes.
        ranking: every ranking option.
        aggregate: how its values over queries become one.
        x: its place on a curve.
    """

    metric: Metric
    label: str
    column: str
    params: Mapping[str, Value | None]
    ranking: Mapping[str, Value | None]
    aggregate: str
    x: float | None = None

    @property
    def needs(self) -> list[str]:
        """The shared columns that it reads with these parameters."""
        more = [need for condition, needs in self.metric.needs_when.items() if self.holds(condition) for need in needs]
        missing = ["n_relevant"] if self.params.get("no_relevant", 0) != 0 or self.is_guarded else []
        return [*self.metric.needs, *more, *missing]

    @property
    def skips(self) -> bool:
        """Whether a query may not count."""
        return "skip" in (self.params.get("zero_ideal"), self.params.get("no_relevant"))

    @property
    def is_beyond(self) -> bool:
        """Whether items count by assumed grades that the judgments it is measured by do not hold."""
        assumed = self.ranking["unjudged"] not in ("nonrelevant", "drop")
        return assumed and self.ranking["judgments"] == "given"

    @property
    def is_guarded(self) -> bool:
        """Whether a query without relevant items could have another value than no_relevant=0 says."""
        counts_hits = "rel" in self.params and "gain" not in self.params
        return self.is_beyond and counts_hits and self.params.get("no_relevant") == 0

    def holds(self, condition: str) -> bool:
        """Whether a condition of the header, such as ``k=none`` or ``k!=none``, is true of the parameters."""
        name, _, wanted = condition.partition("=")
        value = self.params.get(name.removesuffix("!"))
        return (("none" if value is None else str(value)) == wanted) != name.endswith("!")


@dataclass(frozen=True)
class Choices:
    """A value for every option, and where each comes from.

    Attributes:
        options: the given value, else the profile's, else the default.
        given: the options that the user set, which win over a profile's choice for one metric.
        profile: the tool whose choices are taken, or None.
    """

    options: Mapping[str, Value | None]
    given: Mapping[str, Value | None]
    profile: Profile | None

    def __getitem__(self, option: str) -> Value | None:
        return self.options[option]

    def of(self, metric: Metric, has_cutoff: bool) -> dict[str, Value | None]:
        """The value of every option, and what the profile gives a metric's own parameters."""
        preset = self.profile.chosen(metric.name, has_cutoff) if self.profile else {}
        where = f"Profile {self.profile.name}" if self.profile else ""
        known = {**options(), **metric.params}
        checked = {name: known[name].check(value, where) for name, value in preset.items() if name in known}
        return {**self.options, **checked, **self.given}


def resolve_options(given: Mapping[str, Any], profile: str | None = None) -> Choices:
    """A value for every option: the default, else the profile's, else the given one.

    Raises:
        UsageError: an unknown profile, option or value.
    """
    found = find_profile(profile) if profile is not None else None
    defaults = {name: option.default for name, option in options().items()}
    preset = _checked(found.options, f"Profile {profile}") if found else {}
    chosen = _checked(given, "Options")
    return Choices({**defaults, **preset, **chosen}, chosen, found)


def _checked(values: Mapping[str, Any], where: str) -> dict[str, Value | None]:
    for name in values:
        if name not in options():
            raise UsageError(f"Unknown option {name!r}. {nearest(name, options())}")
    return {name: options()[name].check(value, where) for name, value in values.items()}


def find_metric(spec: MetricSpec, profile: Profile | None = None) -> tuple[Metric, dict[str, Value]]:
    """The metric that a spec names, and the parameters that the spec gives it.

    What stands behind ``@`` or at the end of a trec_eval name is a parameter too, mostly the cutoff.

    Raises:
        UsageError: there is no such metric, or the cutoff is given twice or to a metric that has none.
    """
    name, at = spec.name.lower(), spec.at
    own = profile.spellings if profile else {}
    known = {name: name} if name in metrics() and name not in own else {**spellings(), **own}
    if name not in known and (match := _SUFFIXED.fullmatch(name)) and match["name"] in known:
        if at is not None:
            raise UsageError(f"Metric {spec.text!r} gives its cutoff twice.")
        if f"{match['name']}." in name and any(other.startswith(f"{match['name']}.") for other in known):
            raise UsageError(f"Unknown metric {shortened(spec.name)}. {nearest(spec.name, known)}")
        name, at = match["name"], match["at"]
    if name not in known:
        _refuse_ambiguous(spec, name)
        raise UsageError(f"Unknown metric {shortened(spec.name)}. {nearest(spec.name, known, metrics())}")
    metric, params = _spelt(known[name])
    params = {**params, **spec.params}
    return metric, params if at is None else params | {metric.at: _behind_at(spec, metric, at)}


def _refuse_ambiguous(spec: MetricSpec, name: str) -> None:
    suffixed = _SUFFIXED.fullmatch(name)
    for other in (name, suffixed["name"] if suffixed else name):
        if other in ambiguous():
            raise UsageError(f"Metric {spec.text!r}: {other} is {ambiguous()[other]}; say which.")


def with_levels(spec: MetricSpec, profile: Profile | None = None) -> list[MetricSpec]:
    """The metric, or those that a family of trec_eval's stands for: ``P`` is ``P_5``, ``P_10`` ... under its profiles.

    Raises:
        UsageError: the name is a family elsewhere, and no level is given.
    """
    own = profile.families if profile else {}
    if spec.name not in families() or spec.at is not None or find_metric(spec, profile)[0].at in spec.params:
        return [spec]
    if spec.name in own:
        names = [f"{spec.name}_{level}" for level in own[spec.name]]
        return [replace(spec, text=name + spec.text[len(spec.name) :], name=name) for name in names]
    if spec.name in metrics() or (profile and spec.name.lower() in profile.spellings):
        return [spec]
    levels = [f"{spec.name}_{level}" for level in families()[spec.name]]
    raise UsageError(
        f"Metric {spec.text!r}: {spec.name} alone is {levels[0]}, {levels[1]} ... {levels[-1]} in trec_eval: write the"
        f" one that is meant, {find_metric(spec, profile)[0].name} for the metric without a level, or take"
        " profile=trec_eval for all of them."
    )


def _spelt(text: str) -> tuple[Metric, dict[str, Value]]:
    """The metric and parameters of a spelling, which may be spelt with another one."""
    own = parse_metric(text)
    if own.name in metrics():
        return metrics()[own.name], dict(own.params)
    metric, params = _spelt(spellings()[own.name.lower()])
    return metric, {**params, **own.params}


def _behind_at(spec: MetricSpec, metric: Metric, at: str) -> Value:
    if metric.at not in metric.params:
        raise UsageError(f"Metric {spec.text!r}: {metric.name} has no cutoff.")
    if metric.at in spec.params:
        raise UsageError(f"Metric {spec.text!r} gives its cutoff twice.")
    return parse_cutoff(spec.text, at) if metric.at == "k" else at


def resolve_metrics(texts: str | Iterable[str], choices: Choices) -> list[ResolvedMetric]:
    """Every metric with all its choices, in the order asked for; the same words twice are one metric.

    Args:
        texts: metric strings.
        choices: a value for every option, which a metric's own parameters override.

    Raises:
        UsageError: no metrics, an unknown one, a bad parameter, or two whose SQL columns would have the same name.
    """
    if not isinstance(texts, Iterable):
        raise UsageError(f"metrics is a metric string or a list of them, not {shortened(texts)}.")
    wanted = [texts] if isinstance(texts, str) else list(texts)
    if not wanted:
        raise UsageError("No metric is asked for. Name at least one, such as 'ndcg@10'.")
    specs = {spec.text: spec for text in wanted for spec in with_levels(parse_metric(text), choices.profile)}.values()
    resolved = [resolve(spec, choices) for spec in specs]
    for metric in resolved:
        if metric.metric.shape == "curve":
            raise UsageError(f"Metric {metric.label!r} is a curve, not a number: see rankmetrics curve.")
    return distinct([bound for metric in resolved for bound in with_bounds(metric)])


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
    if first.ranking["unjudged"] == "bounds":
        raise UsageError(f"Metric {text!r}: unjudged=bounds gives two curves; take nonrelevant, then relevant.")
    if first.metric.shape == "curve":
        return [first]
    numbers = [name for name, param in first.metric.params.items() if param.type in ("int", "integer", "number")]
    if along not in numbers:
        raise UsageError(f"Metric {text!r}: {first.metric.name} has no numbers {along!r}. {nearest(along, numbers)}")
    if along in spec.params or (spec.at is not None and first.metric.at == along):
        raise UsageError(f"Metric {text!r} fixes {along}, which the curve runs along.")
    if not at or not all(isinstance(x, int | float) and not isinstance(x, bool) for x in at):
        raise UsageError(f"A curve along {along} needs numbers to run along, such as 1, 5 and 10.")
    if first.params.get("no_relevant") == "error":
        raise UsageError("no_relevant=error is for single numbers; a curve takes null or skip.")
    places = dict.fromkeys(at)
    points = [replace(spec, text=f"{spec.text} {along}={x}", params={**spec.params, along: x}) for x in places]
    return distinct([replace(resolve(point, choices), x=x) for point, x in zip(points, places, strict=True)])


def distinct(resolved: list[ResolvedMetric]) -> list[ResolvedMetric]:
    """The same metrics.

    Raises:
        UsageError: two would be one column of the result.
    """
    by_column: dict[str, str] = {}
    for metric in resolved:
        other = by_column.setdefault(metric.column, metric.label)
        if other != metric.label:
            raise UsageError(
                f"Metrics {other!r} and {metric.label!r} are the same column {metric.column}; ask for one of them."
            )
    return resolved


def with_bounds(resolved: ResolvedMetric) -> Iterator[ResolvedMetric]:
    """The metric; with unjudged=bounds also as it would be if no, or every, unjudged item were relevant."""
    if resolved.ranking["unjudged"] != "bounds":
        yield resolved
        return
    yield _with_unjudged(resolved, "nonrelevant")
    for bound, unjudged in _BOUNDS.items():
        metric = _with_unjudged(resolved, unjudged)
        yield replace(metric, label=f"{metric.label} {bound}", column=f"{metric.column}_{bound}")


def _with_unjudged(resolved: ResolvedMetric, unjudged: str) -> ResolvedMetric:
    return replace(resolved, ranking={**resolved.ranking, "unjudged": unjudged})


def resolve(spec: MetricSpec, choices: Choices) -> ResolvedMetric:
    """One metric with all its choices.

    Raises:
        UsageError: as for ``resolve_metrics``.
    """
    metric, params = find_metric(spec, choices.profile)
    where = f"Metric {spec.text!r}"
    known = {**_everywhere(), **metric.params}
    other_names = {alias: name for name, parameter in known.items() for alias in parameter.aliases}
    params = {other_names.get(name, name): value for name, value in params.items()}
    for name in params:
        if name not in known:
            raise UsageError(_no_such_parameter(spec, metric, name))
    given = {name: known[name].check(value, where) for name, value in params.items()}
    chosen = {**choices.of(metric, given.get("k") is not None), **given}
    resolved = ResolvedMetric(
        metric,
        spec.text,
        column_name(metric, given),
        {name: chosen.get(name, parameter.default) for name, parameter in metric.params.items()},
        {name: chosen[name] for name, option in options().items() if option.scope == "ranking"},
        "",
    )
    return check(
        replace(resolved, ranking=_ranking(resolved), aggregate=declared_aggregate(resolved, chosen["aggregate"]))
    )


def asked_as(text: Any, asked: Sequence[ResolvedMetric], choices: Choices) -> str | None:
    """The label of the metric that a text is another spelling of: with the same value for every choice.

    Args:
        text: a metric string; with bounds ``low`` or ``high`` may stand behind it.
        asked: the metrics that there are.
        choices: as they were resolved with.

    Returns:
        The label, or None where there is no such metric, or the text is no metric string.
    """
    if not isinstance(text, str):
        return None
    if any(metric.label == text for metric in asked):
        return text
    name, _, bound = text.strip().rpartition(" ")
    try:
        wanted = list(with_bounds(resolve(parse_metric(name if bound in _BOUNDS else text), choices)))
    except UsageError:
        return None
    wanted = [metric for metric in wanted if metric.label == text.strip()]
    return next((metric.label for metric in asked for other in wanted if _same(metric, other)), None)


def _same(one: ResolvedMetric, other: ResolvedMetric) -> bool:
    return replace(one, label="", column="") == replace(other, label="", column="")


def _everywhere() -> dict[str, Any]:
    """The options that every metric has."""
    return {name: option for name, option in options().items() if option.scope in ("ranking", "summary")}


def _ranking(resolved: ResolvedMetric) -> Mapping[str, Value | None]:
    """What has a meaning here: no assumed grade for metrics that count judgments, nothing to drop where nothing is."""
    ranking = dict(resolved.ranking)
    if resolved.metric.about_judgments and ranking["unjudged"] not in ("nonrelevant", "drop"):
        ranking["unjudged"] = "nonrelevant"
    if ranking["unjudged"] != "drop":
        ranking["negative_grades"] = options()["negative_grades"].default
    return ranking


def declared_aggregate(resolved: ResolvedMetric, asked: Any) -> str:
    """How the metric's values become one: as asked, or as its header declares for its parameters."""
    if asked != "declared":
        return str(asked)
    for condition, aggregate in resolved.metric.aggregate_when.items():
        if resolved.holds(condition):
            return aggregate
    return resolved.metric.aggregate


def check(resolved: ResolvedMetric) -> ResolvedMetric:
    """The same metric.

    Raises:
        UsageError: its choices contradict each other, or the metric has no formula for them.
    """
    metric, params, ranking = resolved.metric, resolved.params, resolved.ranking
    for parameter in metric.params.values():
        if parameter.required and params[parameter.name] is None:
            how = f"{parameter.help}. Write {metric.name}({parameter.name}=...)."
            raise UsageError(f"Metric {resolved.label!r}: {metric.name} needs {parameter.name}: {how}")
    k = params.get("k")
    expected = ranking["ties"] == "expected" and metric.reads_ranks
    contradictions = {
        f"ap_denominator=k needs a cutoff, such as {metric.name}@10.": (
            params.get("ap_denominator") == "k" and k is None
        ),
        f"ideal_depth=all_relevant needs a cutoff, such as {metric.name}@10.": (
            params.get("ideal_depth") == "all_relevant" and k is None
        ),
        "ideal_depth=all_relevant needs a cutoff of at most 100000.": (
            params.get("ideal_depth") == "all_relevant" and isinstance(k, int) and k > 100_000
        ),
        f"{metric.name} has no expected value over ties here; choose an order of equal scores.": (
            expected and "ties" not in metric.params
        ),
        "ties=best and ties=worst order by grade, and the gains do not rise with it.": (
            ranking["ties"] in ("best", "worst") and metric.reads_ranks and _falls(params.get("gain"))
        ),
        "ties=best and ties=worst need another ap_denominator than retrieved_relevant where there is a cutoff.": (
            ranking["ties"] in ("best", "worst")
            and params.get("ap_denominator") == "retrieved_relevant"
            and k is not None
        ),
        "ties=expected has no closed form for ap_denominator=retrieved_relevant.": (
            expected and params.get("ap_denominator") == "retrieved_relevant"
        ),
        "ties=expected and depth exclude each other: a group of equal scores would be cut. Give the metric a cutoff.": (
            expected and ranking["depth"] is not None
        ),
    }
    contradictions |= {
        f"judgments=given leaves out what unjudged={ranking['unjudged']} assumes, and {metric.name} would be a share of"
        " less than it counts; take judgments=all or unjudged=nonrelevant.": (
            resolved.is_beyond
            and (
                metric.divides_by_judgments
                or params.get("precision_denominator") == "min_k_relevant"
                or params.get("rbp_gain") == "scaled"
            )
        ),
    }
    for message, holds in contradictions.items():
        if holds:
            raise UsageError(f"Metric {resolved.label!r}: {message}")
    return resolved


def _falls(gain: Any) -> bool:
    """Whether a map of gains gives a higher grade less; a grade that it leaves out keeps its own value."""
    if not isinstance(gain, dict):
        return False
    grades = sorted({0, *gain, *(grade + 1 for grade in gain if grade + 1 < max(gain))})
    worth = [gain.get(grade, max(grade, 0)) for grade in grades]
    return any(later < earlier for earlier, later in pairwise(worth))


def _no_such_parameter(spec: MetricSpec, metric: Metric, name: str) -> str:
    option = options().get(name)
    if option is not None and option.scope == "evaluation":
        return f"Metric {spec.text!r}: {name} is one choice for the whole evaluation; set it as an option."
    if not metric.params:
        return f"Metric {spec.text!r}: {metric.name} takes no parameters."
    return f"Metric {spec.text!r}: {metric.name} has no parameter {name!r}. {nearest(name, metric.params)}"


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


def trec_eval_name(resolved: ResolvedMetric) -> str:
    """What trec_eval prints for the metric; the label where a parameter is set that its names do not tell."""
    metric, params = resolved.metric, resolved.params
    names = ("pytrec_eval",) if params.get("k") is not None else ("pytrec_eval_without_k", "trec_eval")
    name = next((metric.oracle[key] for key in names if key in metric.oracle), "")
    plain = column_name(metric, {metric.at: params.get(metric.at)})
    return name.format(**params) if name and resolved.column == plain else resolved.label


def _slug(value: Any) -> str:
    return re.sub(r"[^a-z0-9]+", "_", str(value).lower().replace("-", "minus_")).strip("_")
