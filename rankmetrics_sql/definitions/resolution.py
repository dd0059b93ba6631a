"""Metric strings, options and a profile made into metrics with a value for every choice, by the templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ..errors import UsageError, shortened
from .choices import Choices
from .known import known_metrics
from .parameters import Value
from .refusals import ask

_REMEMBERED = 256  # requests whose metrics stay in the process


@dataclass(frozen=True)
class ResolvedMetric:
    """A metric with a value for each of its choices, ready to be rendered; the fields are those of ``rm_resolve``.

    Attributes:
        name: our name of it.
        label: the string as the user typed it.
        column: its name as a SQL column.
        params: every parameter and option that the metric takes.
        ranking: every ranking option.
        needs: the shared columns that it reads with these parameters.
        aggregate: how its values over queries become one.
        of_lists: whether it is one value of all lists together.
        skips: whether a query may not count.
        lacks_values, has_columns, has_relation, has_parts, shape, better, range, reads_ranks, reads_judgments,
            about_judgments, divides_by_judgments: as its header says; see ``Metric``.
        says_nonrelevant: whether the caller wrote that unjudged items are not relevant, which is the default, too.
        x: its place on a curve.
    """

    name: str
    label: str
    column: str
    params: Mapping[str, Value | None]
    ranking: Mapping[str, Value | None]
    needs: Sequence[str]
    aggregate: str
    of_lists: bool
    skips: bool
    lacks_values: bool
    has_columns: bool
    has_relation: bool
    has_parts: bool
    shape: str
    better: str
    range: Sequence[float] | None
    reads_ranks: bool
    reads_judgments: bool
    about_judgments: bool
    divides_by_judgments: bool
    says_nonrelevant: bool = field(default=False, compare=False)
    x: float | None = None

    @property
    def known(self) -> Mapping[str, Any]:
        """What the catalogue says of the metric."""
        return known_metrics()[self.name]

    @property
    def facts(self) -> dict[str, Any]:
        """The facts that refusals test; ``sql/refusals.toml`` explains each."""
        facts: dict[str, Any] = ask("rm_metric_facts", self.as_template())
        return facts

    def as_template(self) -> dict[str, Any]:
        """The mapping that the templates expect."""
        return {**vars(self), "params": dict(self.params), "ranking": dict(self.ranking)}

    def choosing(
        self, params: Mapping[str, Any], ranking: Mapping[str, Any], aggregate: str | None = None
    ) -> ResolvedMetric:
        """The metric with other choices.

        Args:
            params: values of some of its parameters.
            ranking: values of some ranking options.
            aggregate: how its values become one; ``declared`` for what follows from its parameters, None for as it is.

        Raises:
            UsageError: it has no form for these.
        """
        chosen = {**self.params, **params}, {**self.ranking, **ranking}, aggregate or self.aggregate
        return ResolvedMetric(**ask("rm_metric_with", self.as_template(), *chosen))


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
    for text in wanted:
        _check_text(text)
    return list(resolved(tuple(wanted), choices, compared))


@lru_cache(_REMEMBERED)
def resolved(texts: Sequence[str], choices: Choices, compared: bool) -> Sequence[ResolvedMetric]:
    """Return the metrics of ``resolve_metrics``, and remember them."""
    return _records(ask("rm_resolved_metrics", list(texts), choices.as_template, compared))


def resolve(text: str, choices: Choices, more: Mapping[str, Value] = MappingProxyType({})) -> ResolvedMetric:
    """One metric with all its choices.

    Args:
        text: a metric string.
        choices: a value for every option.
        more: parameters beside those of the string.

    Raises:
        UsageError: as for ``resolve_metrics``.
    """
    _check_text(text)
    return ResolvedMetric(**ask("rm_resolve", text.strip(), choices.as_template, dict(more)))


def find_metric(text: str, choices: Choices) -> tuple[str, Mapping[str, Value | None]]:
    """The name of the metric that a string names, and the parameters that the string gives it.

    Raises:
        UsageError: as for ``resolve_metrics``.
    """
    _check_text(text)
    found = ask("rm_named_metric", text, ask("rm_parsed_metric", text), choices.as_template)
    return found["name"], found["given"]


def is_metric(text: str, choices: Choices) -> bool:
    """Whether a text is a metric string with a name that is known."""
    return bool(ask("rm_is_metric", text, choices.as_template))


def _check_text(text: Any) -> None:
    if not isinstance(text, str):
        raise UsageError(f"A metric must be a string such as 'ndcg@10', not {shortened(text)}.")


def distinct(resolved: list[ResolvedMetric]) -> list[ResolvedMetric]:
    """Return the metrics, unless two have the same column.

    Raises:
        UsageError: two would be one column of the result.
    """
    ask("rm_refuse_same_columns", [metric.as_template() for metric in resolved])
    return resolved


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
        found = resolve(name if bound in ("low", "high") else text, choices)
        wanted = [one for one in _records(ask("rm_with_bounds", found.as_template())) if one.label == text.strip()]
    except UsageError:
        return None
    return next((metric.label for metric in asked for other in wanted if _same(metric, other)), None)


def _records(found: Iterable[Mapping[str, Any]]) -> list[ResolvedMetric]:
    return [ResolvedMetric(**record) for record in found]


def _same(one: ResolvedMetric, other: ResolvedMetric) -> bool:
    return replace(one, label="", column="") == replace(other, label="", column="")


def trec_eval_name(resolved: ResolvedMetric) -> str:
    """Return the name that trec_eval prints; the label if a parameter is set that trec_eval's names do not show."""
    params, at, oracle = resolved.params, resolved.known["at"], resolved.known["oracle"]
    names = ("pytrec_eval",) if params.get("k") is not None else ("pytrec_eval_without_k", "trec_eval")
    name = next((oracle[key] for key in names if key in oracle), "")
    plain = ask("rm_column_name", resolved.name, at, {at: params.get(at)})
    return name.format(**params) if name and resolved.column == plain else resolved.label
