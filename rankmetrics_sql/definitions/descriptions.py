"""Descriptions of metrics, options and profiles, for the command line and the generated reference."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .catalogue import EXAMPLE, Metric, options
from .known import Parameter
from .profiles import Profile, profiles, systems
from .resolution import resolve_options

_OPERATORS: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "log2": math.log2,
    "sqrt": math.sqrt,
    "log": math.log,
    "exp": math.exp,
}


def derive(expression: str) -> float | None:
    """Compute a derivation of a header's example, such as ``(1 + 2/3) / 2``; null is None."""
    return None if expression == "null" else _value(ast.parse(expression, mode="eval").body)


def _value(node: Any) -> float:
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp):
        return -_value(node.operand)
    if isinstance(node, ast.Call):
        return _FUNCTIONS[node.func.id](*map(_value, node.args))  # type: ignore[attr-defined]
    return float(node.value)


def reads(metric: Metric) -> str:
    """Return the columns that the metric reads."""
    ordered = ["score or position"] if metric.reads_ranks else []
    run = ["query_id", "item_id", *(["score"] if "score" in metric.needs else ordered)]
    qrels = ["query_id", "item_id", *(["relevance"] if metric.reads_grades else []), *metric.reads_beside]
    return f"run ({', '.join(run)}); qrels ({', '.join(qrels)})"


def accepted(metric: Metric) -> list[str]:
    """Return the other names of a metric, with the parameters that a name implies."""
    return [*metric.aliases, *(f"{name} = {metric.name}({params})" for name, params in metric.spellings.items())]


def worked_example(metric: Metric) -> str:
    """Return the longest of the header's examples in one line, with its derivation and value."""
    if not metric.examples:
        return ""
    example = max(metric.examples, key=lambda example: (len(example["value"]), len(example["ranking"])))
    parts = [f"grades in rank order {_shown(example['ranking'])}"]
    parts += [f"scores {_shown(example['scores'])}"] if "scores" in example else []
    parts += [f"not retrieved {_shown(example['missed'])}"] if example.get("missed") else []
    parts += [f"{name} = {plain(value)}" for name, value in example.items() if name not in EXAMPLE]
    value = derive(example["value"])
    return f"{'; '.join(parts)}: {example['value']}{'' if value is None else f' = {value:.4f}'}"


def _shown(grades: Sequence[Any]) -> str:
    return f"[{', '.join(str(grade) for grade in grades)}]"


def plain(value: Any) -> str:
    """Write a value as in a metric string."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{item}" for key, item in value.items()) + "}"
    return "none" if value is None else str(value)


def differing(metric: Metric) -> Mapping[str, str]:
    """Return the systems that define the metric differently, and how, from profiles and the header."""
    differences: dict[str, list[str]] = {}
    for profile in profiles().values():
        choices = _other_choices(metric, profile)
        if choices and metric.name in profile.computes:
            differences[profile.name] = [", ".join(f"{name}={plain(value)}" for name, value in choices.items())]
    for system, how in metric.differs.items():
        differences.setdefault(system, []).append(how)
    return {system: "; ".join(how) for system, how in differences.items()}


def _other_choices(metric: Metric, profile: Profile) -> dict[str, Any]:
    """Return the options that a profile changes for a metric."""
    defaults = {**options(), **metric.params}
    concerned = {name for name in metric.params if name != "ties"}
    concerned |= {"ties", "score_type"} if metric.reads_ranks else set()
    concerned |= {"queries", "unjudged", "depth", "judgments", "aggregate"}
    return {
        name: value
        for name, value in profile.chosen(metric.name, has_cutoff=True).items()
        if name in concerned and value != defaults[name].default
    }


def values(parameter: Parameter) -> str:
    """List the values that an option or parameter takes."""
    listed_values = ", ".join(map(str, parameter.values))
    number = " or a number" if parameter.limits and parameter.values else ""
    return listed_values + number


def choosers(option: str) -> str:
    """List each value of an option with the systems that choose it."""
    return "; ".join(f"{value}: {', '.join(names)}" for value, names in systems(option).items())


def metric_lines(metric: Metric, params: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that describe a metric in a terminal."""
    yield f"{metric.name}: {metric.title}"
    yield metric.summary
    if metric.formula:
        yield f"Formula: {metric.formula}"
    yield f"Reads: {reads(metric)}"
    yield f"Better: {metric.better} values"
    yield f"Over queries: {metric.aggregate}"
    yield f"Source: {metric.source}"
    if accepted(metric):
        yield f"Also accepted: {', '.join(accepted(metric))}"
    if metric.params:
        yield "Parameters:"
    for parameter in metric.params.values():
        values_text = f" ({values(parameter)})" if parameter.values else ""
        yield f"  {parameter.name} = {plain(params[parameter.name])}: {parameter.help}{values_text}"
    if differing(metric):
        yield "Defined differently by:"
    for system, how in differing(metric).items():
        yield f"  {system}: {how}"
    if worked_example(metric):
        yield f"Example: {worked_example(metric)}"


def profile_lines(profile: Profile) -> Iterator[str]:
    """Yield the lines that describe a profile in a terminal; the table of its options follows them."""
    proof = f"compared with {profile.package} in the tests" if profile.package else "by reading its source"
    yield f"{profile.name}: {profile.title} ({proof})"
    yield profile.note
    yield f"Computes: {', '.join(profile.computes)}"
    yield f"Source: {profile.source}"
    for name, choices in profile.metrics.items():
        yield f"  {name}: {', '.join(f'{option}={plain(value)}' for option, value in choices.items())}"
    if profile.spellings:
        pairs = (f"{theirs} is {ours}" for theirs, ours in profile.spellings.items())
        yield f"Its names: {', '.join(pairs)}"
    if profile.parameters:
        pairs = (f"{theirs} is {ours or 'the default'}" for theirs, ours in profile.parameters.items())
        yield f"Its parameters: {', '.join(pairs)}"
    for theirs, nearest in profile.refused.items():
        yield f"No counterpart: {theirs}: {nearest}"
    for sentence in profile.not_copied:
        yield f"Not copied: {sentence}"


def profile_rows(profile: Profile) -> list[dict[str, str]]:
    """Return a row for each option: the profile's value, what it chooses for single metrics, and the default."""
    resolved = resolve_options({}, profile.name)
    return [
        {
            "option": name,
            profile.name: "; ".join([plain(resolved[name]), *_of_single_metrics(profile, name)]),
            "default": plain(option.default),
            "differs": "" if resolved[name] == option.default and not _of_single_metrics(profile, name) else "*",
        }
        for name, option in options().items()
        if option.scope not in ("evaluation", "comparison")
    ]


def _of_single_metrics(profile: Profile, option: str) -> list[str]:
    """Return each value of an option that a profile chooses for single metrics, with their names if they are few."""
    metrics_by_value: dict[str, list[str]] = {}
    for metric, choices in profile.metrics.items():
        if option in choices:
            metrics_by_value.setdefault(plain(choices[option]), []).append(metric)
    return [
        f"{value} ({', '.join(metrics) if len(metrics) <= 3 else f'{len(metrics)} metrics'})"
        for value, metrics in metrics_by_value.items()
    ]
