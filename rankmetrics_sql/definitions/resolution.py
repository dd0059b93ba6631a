"""Resolve metric strings, options and a profile by asking the templates, which refuse what does not go together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ..errors import UsageError, nearest, shortened
from ..templates import macros
from .known import Value, known_metrics, known_options


def refuse(of: str, facts: Mapping[str, Any]) -> None:
    """Raise the message of the first rule of ``sql/refusals.toml`` for this stage (``of``) that these facts meet."""
    raise_refusal(macros()["rm_refusal"](of, facts))


def ask(macro: str, *arguments: Any) -> Any:
    """Call a template; its refusal is a UsageError without the package's name, which only dbt's messages need."""
    try:
        return macros()[macro](*arguments)
    except UsageError as error:
        raise UsageError(str(error).removeprefix("rankmetrics_sql: ")) from None


def raise_refusal(message: str | None) -> None:
    """Raise the message of a refusal that a template returned, if there is one."""
    if message is not None:
        raise UsageError(message)


@dataclass(frozen=True)
class Choices:
    """A value for every option, and where each comes from.

    Attributes:
        options: the given value, else the profile's, else the default.
        given: the options that the user set, which win over a profile's choice for one metric.
        as_template: the mapping that the templates resolve metrics with.
        profile: the name of the tool whose choices are taken, or None.
        written: the given options as text; with the profile they decide the rest, so that choices can be a cache key.
    """

    options: Mapping[str, Value | None] = field(compare=False)
    given: Mapping[str, Value | None] = field(compare=False)
    as_template: Mapping[str, Any] = field(compare=False, repr=False)
    profile: str | None
    written: str

    def __getitem__(self, option: str) -> Value | None:
        return self.options[option]

    @property
    def of_profile(self) -> Mapping[str, Value | None]:
        """Return the options that the profile sets for all metrics."""
        preset: Mapping[str, Value | None] = self.as_template["preset"]["options"]
        return preset


def resolve_options(options: Mapping[str, Any], profile: str | None = None) -> Choices:
    """Return a value for every option: the given one, else the profile's, else the default."""
    values = {name: _plain(name, value, "Options") for name, value in options.items()}
    record = ask("rm_choices", values, profile)
    return Choices(record["options"], record["given"], record, profile, repr(record["given"]))


def check_option(name: str, value: Any, where: str) -> Any:
    """Validate a value of an option and return it in plain form; a message begins with ``where``."""
    return ask("rm_checked", known_options()[name], name, _plain(name, value, where), where)


def parse_number(text: str) -> float | None:
    """Parse a number as in metric strings; return None for any other text."""
    number = ask("rm_as_number_if_any", text)
    return None if isinstance(number, str) else number


def is_number(value: Any) -> bool:
    """Return whether the value is a number that SQL can hold; True and False are not numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e301


def _plain(name: str, value: Any, where: str) -> Any:
    """Convert a value to a type that templates know, or raise an error that says what the option expects."""
    if hasattr(value, "item") and getattr(value, "shape", None) == ():  # NumPy's numbers, but not its arrays
        value = value.item()
    if value is None or isinstance(value, str | bool | Mapping) or is_number(value) or name not in known_options():
        return value
    expected = ask("rm_expected", known_options()[name])
    raise UsageError(f"{where}: {name} cannot be {shortened(value)}. {expected}")


_CACHED = 256  # requests whose resolved metrics are kept


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
        says_nonrelevant: whether the caller wrote ``unjudged=nonrelevant``, which is the default, too.
        x: the value of the parameter along which a curve is drawn.
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
        """Return the metric's entry in the catalogue."""
        return known_metrics()[self.name]

    @property
    def facts(self) -> dict[str, Any]:
        """Return the facts that refusals test; ``sql/refusals.toml`` explains each."""
        facts: dict[str, Any] = ask("rm_metric_facts", self.as_template())
        return facts

    def as_template(self) -> dict[str, Any]:
        """Return the mapping that the templates expect."""
        return {**vars(self), "params": dict(self.params), "ranking": dict(self.ranking)}

    def choosing(
        self, params: Mapping[str, Any], ranking: Mapping[str, Any], aggregate: str | None = None
    ) -> ResolvedMetric:
        """Return the metric with other choices; ``aggregate="declared"`` is what follows from its parameters."""
        record = {**self.params, **params}, {**self.ranking, **ranking}, aggregate or self.aggregate
        return ResolvedMetric(**ask("rm_metric_with", self.as_template(), *record))


def resolve_metrics(texts: str | Iterable[str], choices: Choices, *, compared: bool = False) -> list[ResolvedMetric]:
    """Resolve metric strings in their order; the same string twice is one metric, two of one SQL column are an error.

    If runs are compared, bounds are a range of the effect; else they are two more metrics.
    """
    if not isinstance(texts, Iterable):
        raise UsageError(f"metrics takes a metric string or a list of them, not {shortened(texts)}.")
    metric_texts = [texts] if isinstance(texts, str) else list(texts)
    for text in metric_texts:
        _check_text(text)
    return list(resolved(tuple(metric_texts), choices, compared))


@lru_cache(_CACHED)
def resolved(texts: Sequence[str], choices: Choices, compared: bool) -> Sequence[ResolvedMetric]:
    """Resolve metric strings that have been checked, and cache the result."""
    return _records(ask("rm_resolved_metrics", list(texts), choices.as_template, compared))


def resolve(text: str, choices: Choices, more: Mapping[str, Value] = MappingProxyType({})) -> ResolvedMetric:
    """Resolve one metric string; ``more`` are parameters beside the ones in the string."""
    _check_text(text)
    return ResolvedMetric(**ask("rm_resolve", text.strip(), choices.as_template, dict(more)))


def find_metric(text: str, choices: Choices) -> tuple[str, Mapping[str, Value | None]]:
    """Return the metric's name and the parameters that the string gives it."""
    _check_text(text)
    metric = ask("rm_named_metric", text, ask("rm_parsed_metric", text), choices.as_template)
    return metric["name"], metric["given"]


def is_metric(text: str, choices: Choices) -> bool:
    """Return whether a text is a metric string with a known name."""
    return bool(ask("rm_is_metric", text, choices.as_template))


def _check_text(text: Any) -> None:
    if not isinstance(text, str):
        raise UsageError(f"A metric must be a string such as 'ndcg@10', not {shortened(text)}.")


def distinct(resolved: list[ResolvedMetric]) -> list[ResolvedMetric]:
    """Return the metrics, or raise an error if two would have the same column in the result."""
    ask("rm_refuse_same_columns", [metric.as_template() for metric in resolved])
    return resolved


def asked_as(text: Any, metrics: Sequence[ResolvedMetric], choices: Choices) -> str | None:
    """Return the label of the metric that a text spells in another way, or None; bounds end in ``low`` or ``high``."""
    if not isinstance(text, str):
        return None
    if any(metric.label == text for metric in metrics):
        return text
    name, _, bound = text.strip().rpartition(" ")
    try:
        metric = resolve(name if bound in ("low", "high") else text, choices)
        matching = [one for one in _records(ask("rm_with_bounds", metric.as_template())) if one.label == text.strip()]
    except UsageError:
        return None
    return next((metric.label for metric in metrics for other in matching if _same(metric, other)), None)


def _records(records: Iterable[Mapping[str, Any]]) -> list[ResolvedMetric]:
    return [ResolvedMetric(**record) for record in records]


def _same(one: ResolvedMetric, other: ResolvedMetric) -> bool:
    return replace(one, label="", column="") == replace(other, label="", column="")


def trec_eval_name(resolved: ResolvedMetric) -> str:
    """Return the name that trec_eval prints; the label if a parameter is set that trec_eval's names do not show."""
    params, at, oracle = resolved.params, resolved.known["at"], resolved.known["oracle"]
    names = ("pytrec_eval",) if params.get("k") is not None else ("pytrec_eval_without_k", "trec_eval")
    name = next((oracle[key] for key in names if key in oracle), "")
    plain = ask("rm_column_name", resolved.name, at, {at: params.get(at)})
    return name.format(**params) if name and resolved.column == plain else resolved.label


def resolve_curve(text: str, along: str, at: Sequence[float], choices: Choices) -> list[ResolvedMetric]:
    """Resolve a metric at several values of one parameter; a metric that is a curve has points of its own."""
    first = resolve(text, choices)
    refuse("curve", first.facts)
    if first.shape == "curve":
        return [first]
    entries = {**known_options(), **first.known["params"]}
    numbers = [name for name in first.params if entries[name]["type"] in ("int", "integer", "number")]
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
