"""Metric strings, options and a profile made into metrics with a value for every choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import UsageError, nearest, shortened
from ..templates import macros
from .catalogue import Metric, options
from .choices import Choices
from .metric_strings import MetricSpec, Value, parse_metric
from .names import column_name, expand_family, find_metric
from .profiles import nicknames
from .refusals import refuse

# What the templates want to know of a metric's file.
_OF_HEADER = (
    *("name", "shape", "better", "of_lists", "has_columns", "has_relation", "has_parts"),
    *("reads_ranks", "about_judgments", "reads_judgments", "divides_by_judgments", "lacks_values"),
)

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
        says_nonrelevant: whether the caller wrote that unjudged items are not relevant, which is the default, too.
    """

    metric: Metric
    label: str
    column: str
    params: Mapping[str, Value | None]
    ranking: Mapping[str, Value | None]
    aggregate: str
    x: float | None = None
    says_nonrelevant: bool = field(default=False, compare=False)

    @property
    def needs(self) -> list[str]:
        """The shared columns that it reads with these parameters."""
        more = [need for condition, needs in self.metric.needs_when.items() if self.holds(condition) for need in needs]
        missing = ["n_relevant"] if self.params.get("no_relevant", 0) != 0 or self.is_guarded else []
        return [*self.metric.needs, *more, *missing]

    @property
    def skips(self) -> bool:
        """Whether a query may not count."""
        return "skip" in self.params.values()

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

    @property
    def facts(self) -> dict[str, Any]:
        """Return the facts that refusals test; ``sql/refusals.toml`` explains each."""
        facts: dict[str, Any] = macros()["rm_metric_facts"](self.as_template())
        return facts

    def as_template(self) -> dict[str, Any]:
        """The mapping that the templates expect."""
        return {
            **{name: getattr(self.metric, name) for name in _OF_HEADER},
            **{name: getattr(self, name) for name in ("label", "column", "x", "needs", "aggregate", "skips")},
            "range": None if self.metric.range is None else list(self.metric.range),
            "params": dict(self.params),
            "ranking": dict(self.ranking),
            "says_nonrelevant": self.says_nonrelevant,
        }

    def holds(self, condition: str) -> bool:
        """Whether a condition of the header, such as ``k=none`` or ``k!=none``, is true of the parameters."""
        name, _, wanted = condition.partition("=")
        value = self.params.get(name.removesuffix("!"))
        return (("none" if value is None else str(value)) == wanted) != name.endswith("!")


def resolve_metrics(texts: str | Iterable[str], choices: Choices, *, compared: bool = False) -> list[ResolvedMetric]:
    """Every metric with all its choices, in the order asked for; the same words twice are one metric.

    Args:
        texts: metric strings.
        choices: a value for every option, which a metric's own parameters override.
        compared: whether runs are compared, where bounds are a range of the effect and no further metrics.

    Raises:
        UsageError: no metrics, an unknown one, a bad parameter, or two whose SQL columns would have the same name.
    """
    if not isinstance(texts, Iterable):
        raise UsageError(f"metrics takes a metric string or a list of them, not {shortened(texts)}.")
    wanted = [texts] if isinstance(texts, str) else list(texts)
    if not wanted:
        raise UsageError("No metric given. Name at least one, such as 'ndcg@10'.")
    for text in wanted:
        _refuse_nickname(text)
    resolved = [resolve(spec, choices) for spec in _named(wanted, choices)]
    for metric in resolved:
        refuse("value", metric.facts)
    return distinct(resolved if compared else [bound for metric in resolved for bound in add_bounds(metric)])


def _named(texts: Sequence[str], choices: Choices) -> list[MetricSpec]:
    """Return the metric specifications of the texts, each once.

    Raises:
        UsageError: names that are unknown or ambiguous, all of them in one message.
    """
    specs: dict[str, MetricSpec] = {}
    problems: dict[str, None] = {}
    for text in texts:
        try:
            found = expand_family(parse_metric(text), choices.profile)
            for spec in found:
                find_metric(spec, choices.profile)
        except UsageError as error:
            problems[str(error)] = None
        else:
            specs.update({spec.text: spec for spec in found})
    if problems:
        raise UsageError("\n".join(problems))
    return list(specs.values())


def _refuse_nickname(text: Any) -> None:
    """Refuse a trec_eval name for several metrics: only the command line accepts it, as it can list the missing ones.

    Raises:
        UsageError: the text is such a name.
    """
    words = text.replace(",", " ").split() if isinstance(text, str) else []
    if word := next((word for word in words if word in nicknames()), None):
        raise UsageError(
            f"{word} stands for many metrics on the command line (-m {word}). In Python pass a list, such as"
            " ['ndcg@10', 'p@5']."
        )


def distinct(resolved: list[ResolvedMetric]) -> list[ResolvedMetric]:
    """Return the metrics, unless two have the same column.

    Raises:
        UsageError: two would be one column of the result.
    """
    by_column: dict[str, str] = {}
    for metric in resolved:
        other = by_column.setdefault(metric.column, metric.label)
        if other != metric.label:
            raise UsageError(
                f"Metrics {other!r} and {metric.label!r} have the same column {metric.column}. Omit one of them."
            )
    return resolved


def add_bounds(resolved: ResolvedMetric) -> Iterator[ResolvedMetric]:
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
    for name in params:
        if name not in known:
            raise UsageError(_no_such_parameter(spec, metric, name))
    given = {name: known[name].check(value, where) for name, value in params.items()}
    chosen = {**choices.of(metric, given.get("k") is not None), **given}
    values = {name: chosen.get(name, parameter.default) for name, parameter in metric.params.items()}
    _check_required(metric, values, where)
    resolved = ResolvedMetric(metric, spec.text, column_name(metric, given), values, _ranking(metric, chosen), "")
    resolved = replace(
        resolved,
        aggregate=declared_aggregate(resolved, chosen["aggregate"]),
        says_nonrelevant=given.get("unjudged", choices.given.get("unjudged")) == "nonrelevant",
    )
    refuse("metric", resolved.facts)
    return resolved


def _check_required(metric: Metric, values: Mapping[str, Value | None], where: str) -> None:
    for parameter in metric.params.values():
        if parameter.required and values[parameter.name] is None:
            how = f"{parameter.help}. Write {metric.name}({parameter.name}=...)."
            raise UsageError(f"{where}: {metric.name} needs {parameter.name}: {how}")


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
        wanted = list(add_bounds(resolve(parse_metric(name if bound in _BOUNDS else text), choices)))
    except UsageError:
        return None
    wanted = [metric for metric in wanted if metric.label == text.strip()]
    return next((metric.label for metric in asked for other in wanted if _same(metric, other)), None)


def _same(one: ResolvedMetric, other: ResolvedMetric) -> bool:
    return replace(one, label="", column="") == replace(other, label="", column="")


def _everywhere() -> dict[str, Any]:
    """The options that every metric has."""
    return {name: option for name, option in options().items() if option.scope in ("ranking", "summary")}


def _ranking(metric: Metric, chosen: Mapping[str, Value | None]) -> Mapping[str, Value | None]:
    """Return the ranking options of a metric, with the ones that have no effect on it at their defaults."""
    ranking = {name: chosen[name] for name, option in options().items() if option.scope == "ranking"}
    if metric.about_judgments and ranking["unjudged"] not in ("nonrelevant", "drop"):
        ranking["unjudged"] = "nonrelevant"
    if ranking["unjudged"] != "drop":
        ranking["negative_grades"] = options()["negative_grades"].default
    return ranking


def declared_aggregate(resolved: ResolvedMetric, asked: Any) -> str:
    """Return how the metric's values become one: as asked, or as its header declares for its parameters."""
    if asked != "declared":
        return str(asked)
    for condition, aggregate in resolved.metric.aggregate_when.items():
        if resolved.holds(condition):
            return aggregate
    return resolved.metric.aggregate


def _no_such_parameter(spec: MetricSpec, metric: Metric, name: str) -> str:
    option = options().get(name)
    if option is not None and option.scope in ("evaluation", "comparison"):
        return f"Metric {spec.text!r}: {name} applies to the whole evaluation. Pass it as an option."
    if not metric.params:
        return f"Metric {spec.text!r}: {metric.name} takes no parameters."
    return f"Metric {spec.text!r}: {metric.name} has no parameter {name!r}. {nearest(name, metric.params)}"


def trec_eval_name(resolved: ResolvedMetric) -> str:
    """Return the name that trec_eval prints; the label if a parameter is set that trec_eval's names do not show."""
    metric, params = resolved.metric, resolved.params
    names = ("pytrec_eval",) if params.get("k") is not None else ("pytrec_eval_without_k", "trec_eval")
    name = next((metric.oracle[key] for key in names if key in metric.oracle), "")
    plain = column_name(metric, {metric.at: params.get(metric.at)})
    return name.format(**params) if name and resolved.column == plain else resolved.label
