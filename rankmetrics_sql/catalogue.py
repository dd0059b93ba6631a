"""The metrics, options and profiles, as they stand in the headers and TOML files of ``sql/``."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from .errors import UsageError, nearest
from .spec import MetricSpec, Value, parse_cutoff, parse_metric, parse_value, plain_number, shortened

_HEADER = re.compile(r"\A\{#-\n(.*?)\n-#\}", re.DOTALL)
# ndcg_cut_10 and P.5 are trec_eval's, ndcg_at_10 is our own column
_SUFFIXED = re.compile(r"(?P<name>.+?)(?:_at_|_|\.)(?P<k>[0-9]+)")


@cache
def sql_root() -> Path:
    """The folder of templates: inside an installed package, beside the package in a checkout."""
    package = Path(__file__).parent
    installed = package / "_sql"
    return installed if installed.is_dir() else package.parent / "sql"


@dataclass(frozen=True)
class Parameter:
    """A value that a metric or the evaluation takes.

    Attributes:
        name: its name.
        type: ``int``, ``integer``, ``number``, ``choice`` or ``gain``.
        help: one line for people.
        default: the value where none is given.
        values: the choices, for ``choice`` and ``gain``.
        scope: ``metric`` or ``ranking`` for an option; empty for a metric's own parameter.
        limits: ``min``, ``above`` and ``below``, where there are any.
    """

    name: str
    type: str
    help: str
    default: Value | None = None
    values: tuple[Value, ...] = ()
    scope: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)

    def check(self, value: Any, where: str) -> Value | None:
        """The value in its plain form.

        Raises:
            UsageError: it is not one of the values that the parameter takes.
        """
        if isinstance(value, str):
            value = parse_value(value)
        if isinstance(value, dict) and self.type == "gain":
            return self._check_map(value, where)
        if value is None or value == "none":
            return self._check_none(where)
        if self.type in ("choice", "gain"):
            return self._check_choice(value, where)
        return self._check_number(value, where)

    def _check_none(self, where: str) -> Value | None:
        if self.default is None:
            return None
        if "none" in self.values:
            return "none"
        raise UsageError(f"{where}: {self.name} needs a value. {self._expected()}")

    def _check_map(self, value: dict[Any, Any], where: str) -> Value:
        numbers = [*value, *value.values()]
        if not value or not all(_is_number(number) for number in numbers):
            raise UsageError(f"{where}: {self.name} maps grades to gains, such as {{1: 3, 2: 9}}, not {value!r}.")
        return {plain_number(grade): plain_number(gain) for grade, gain in sorted(value.items())}

    def _check_choice(self, value: Any, where: str) -> Value:
        known = {str(choice): choice for choice in self.values}
        if _is_number(value):
            value = plain_number(value)
        if str(value).lower() in known:
            return known[str(value).lower()]
        raise UsageError(f"{where}: {self.name} cannot be {value!r}. {nearest(str(value), known)}")

    def _check_number(self, value: Any, where: str) -> Value:
        if not _is_number(value):
            raise UsageError(f"{where}: {self.name} cannot be {value!r}. {self._expected()}")
        number = plain_number(value)
        whole = self.type not in ("int", "integer") or isinstance(number, int)
        low, above, below = (self.limits.get(limit) for limit in ("min", "above", "below"))
        inside = (
            (low is None or number >= low) and (above is None or number > above) and (below is None or number < below)
        )
        if not (whole and inside):
            raise UsageError(f"{where}: {self.name} cannot be {value!r}. {self._expected()}")
        return number

    def _expected(self) -> str:
        if self.values:
            return f"Valid: {', '.join(map(str, self.values))}."
        words = {"min": "of at least", "above": "above", "below": "below"}
        kind = "a whole number" if self.type in ("int", "integer") else "a number"
        return " ".join(["Expected", kind, *(f"{words[name]} {limit:g}" for name, limit in self.limits.items())]) + "."


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True)
class Metric:
    """One metric file's header; the file's stem is the metric's name."""

    name: str
    title: str
    summary: str
    source: str
    path: Path
    params: Mapping[str, Parameter]
    aliases: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    range: tuple[float, float] | None = None
    needs: tuple[str, ...] = ()
    needs_without_k: tuple[str, ...] = ()
    aggregate: str = "mean"
    better: str = "higher"
    has_columns: bool = False
    oracle: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[Mapping[str, Any], ...] = ()

    @property
    def takes_k(self) -> bool:
        """Whether the metric has a cutoff."""
        return "k" in self.params


@dataclass(frozen=True)
class ResolvedMetric:
    """A metric with a value for each of its parameters, ready to be rendered.

    Attributes:
        metric: its catalogue entry.
        label: the string as the user typed it.
        column: its name as a SQL column.
        params: every parameter and option that the metric takes.
    """

    metric: Metric
    label: str
    column: str
    params: Mapping[str, Value | None]


@cache
def metrics() -> Mapping[str, Metric]:
    """Every metric by name, in alphabetical order."""
    files = sorted((sql_root() / "macros" / "metrics").glob("*.sql"))
    return {file.stem: _read_metric(file) for file in files}


def _read_metric(file: Path) -> Metric:
    text = file.read_text(encoding="utf-8")
    header = tomllib.loads(_HEADER.match(text)[1])  # type: ignore[index]
    own = {name: _parameter(name, entry) for name, entry in header.get("params", {}).items()}
    shared = {name: options()[name] for name in header.get("options", [])}
    plain: dict[str, Any] = {
        key: header[key] for key in ("title", "summary", "source", "aggregate", "better", "oracle") if key in header
    }
    lists: dict[str, Any] = {
        key: tuple(header[key]) for key in ("aliases", "options", "needs", "needs_without_k", "range") if key in header
    }
    has_columns = f"macro metric_{file.stem}_columns(" in text
    return Metric(
        name=file.stem,
        path=file,
        params=own | shared,
        has_columns=has_columns,
        examples=tuple(header.get("example", [])),
        **plain,
        **lists,
    )


def _parameter(name: str, entry: Mapping[str, Any]) -> Parameter:
    default = entry.get("default")
    return Parameter(
        name=name,
        type=entry["type"],
        help=entry["help"],
        default=None if default == "none" else default,
        values=tuple(entry.get("values", ())),
        scope=entry.get("scope", ""),
        limits={limit: entry[limit] for limit in ("min", "above", "below") if limit in entry},
    )


@cache
def options() -> Mapping[str, Parameter]:
    """Every option by name."""
    entries = tomllib.loads((sql_root() / "options.toml").read_text(encoding="utf-8"))
    return {name: _parameter(name, entry) for name, entry in entries.items()}


@cache
def profiles() -> Mapping[str, Mapping[str, Any]]:
    """Every profile by name: its title, source, note and options."""
    files = sorted((sql_root() / "profiles").glob("*.toml"))
    return {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in files}


@cache
def spellings() -> Mapping[str, str]:
    """The metric that each accepted spelling names, in lower case."""
    found: dict[str, str] = {}
    for metric in metrics().values():
        for spelling in (metric.name, *metric.aliases):
            found[spelling.lower()] = metric.name
    return found


def find_metric(spec: MetricSpec) -> tuple[Metric, int | None]:
    """The metric that a spec names, and its cutoff: behind ``@``, ``k=`` or at the end of a trec_eval name.

    Raises:
        UsageError: there is no such metric, or the cutoff is given twice or to a metric that has none.
    """
    known = spellings()
    name, k = spec.name.lower(), spec.k
    if name not in known and (match := _SUFFIXED.fullmatch(name)) and match["name"] in known:
        name, suffix = match["name"], parse_cutoff(spec.text, match["k"])
        if k is not None or "k" in spec.params:
            raise UsageError(f"Metric {spec.text!r} gives its cutoff twice.")
        k = suffix
    if name not in known:
        raise UsageError(f"Unknown metric {shortened(spec.name)}. {nearest(spec.name, known, metrics())}")
    metric = metrics()[known[name]]
    if k is not None and not metric.takes_k:
        raise UsageError(f"Metric {spec.text!r}: {metric.name} has no cutoff.")
    if k is not None and "k" in spec.params:
        raise UsageError(f"Metric {spec.text!r} gives its cutoff twice.")
    return metric, k


def resolve_options(given: Mapping[str, Any], profile: str | None = None) -> dict[str, Value | None]:
    """A value for every option: the default, else the profile's, else the given one.

    Raises:
        UsageError: an unknown profile, option or value.
    """
    known = options()
    chosen: dict[str, Value | None] = {name: option.default for name, option in known.items()}
    preset = find_profile(profile).get("options", {}) if profile is not None else {}
    for name, value in [*preset.items(), *given.items()]:
        if name not in known:
            raise UsageError(f"Unknown option {name!r}. {nearest(name, known)}")
        chosen[name] = known[name].check(value, "Options")
    return chosen


def find_profile(name: str) -> Mapping[str, Any]:
    """The profile of that name.

    Raises:
        UsageError: there is none.
    """
    if not isinstance(name, str) or name not in profiles():
        raise UsageError(f"Unknown profile {name!r}. {nearest(str(name), profiles())}")
    return profiles()[name]


def resolve_metrics(texts: str | Iterable[str], chosen: Mapping[str, Value | None]) -> list[ResolvedMetric]:
    """Every metric with all its parameters, in the order asked for; the same words twice are one metric.

    Args:
        texts: metric strings.
        chosen: a value for every option, which a metric's own parameters override.

    Raises:
        UsageError: no metrics, an unknown one, a bad parameter, or two whose SQL columns would have the same name.
    """
    if not isinstance(texts, Iterable):
        raise UsageError(f"metrics is a metric string or a list of them, not {shortened(texts)}.")
    wanted = [texts] if isinstance(texts, str) else list(texts)
    if not wanted:
        raise UsageError("No metric is asked for. Name at least one, such as 'ndcg@10'.")
    resolved = [
        _resolve(spec, chosen) for spec in {parsed.text: parsed for parsed in map(parse_metric, wanted)}.values()
    ]
    by_column: dict[str, str] = {}
    for metric in resolved:
        other = by_column.setdefault(metric.column, metric.label)
        if other != metric.label:
            raise UsageError(
                f"Metrics {other!r} and {metric.label!r} are the same column {metric.column}; ask for one of them."
            )
    return resolved


def _resolve(spec: MetricSpec, chosen: Mapping[str, Value | None]) -> ResolvedMetric:
    metric, k = find_metric(spec)
    given = dict(spec.params) | ({} if k is None else {"k": k})
    params: dict[str, Value | None] = {}
    for name in given:
        if name not in metric.params:
            raise UsageError(_no_such_parameter(spec, metric, name))
    for name, parameter in metric.params.items():
        params[name] = chosen.get(name, parameter.default)
        if name in given:
            params[name] = parameter.check(given[name], f"Metric {spec.text!r}")
    if params.get("ap_denominator") == "k" and params.get("k") is None:
        raise UsageError(f"Metric {spec.text!r}: ap_denominator=k needs a cutoff, such as {metric.name}@10.")
    return ResolvedMetric(metric, spec.text, column_name(metric, {name: params[name] for name in given}), params)


def _no_such_parameter(spec: MetricSpec, metric: Metric, name: str) -> str:
    option = options().get(name)
    if option is not None and option.scope == "ranking":
        return f"Metric {spec.text!r}: {name} is one choice for the whole evaluation; set it as an option."
    if not metric.params:
        return f"Metric {spec.text!r}: {metric.name} takes no parameters."
    return f"Metric {spec.text!r}: {metric.name} has no parameter {name!r}. {nearest(name, metric.params)}"


def column_name(metric: Metric, given: Mapping[str, Value | None]) -> str:
    """The metric as a SQL column: ``ap(rel=2)@100`` is ``ap_rel_2_at_100``."""
    parts = [metric.name]
    for name, value in given.items():
        if name != "k":
            pairs = value.items() if isinstance(value, dict) else [(value,)]
            parts.append("_".join([name, *(_slug(item) for pair in pairs for item in pair)]))
    if given.get("k") is not None:
        parts.append(f"at_{given['k']}")
    return "_".join(parts)


def _slug(value: Any) -> str:
    return re.sub(r"[^a-z0-9]+", "_", str(value).lower().replace("-", "minus_")).strip("_")
