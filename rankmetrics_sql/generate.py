"""Writes what follows from the metric headers: the templates' dispatcher and the reference in ``sql/README.md``.

``python -m rankmetrics_sql.generate`` after adding or changing a metric.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .catalogue import Metric, Parameter, metrics, options, sql_root

_NOTICE = "{#- Generated from the metric headers by `python -m rankmetrics_sql.generate`. -#}"


def registry() -> str:
    """The macros that call a metric's by name, for engines of templates that cannot look one up."""
    every = metrics().values()
    return "\n".join(
        [
            _NOTICE,
            *_dispatcher("rm_metric_expression(metric)", "", "", every),
            *_dispatcher("rm_metric_columns(metric, window)", "_columns", "window", [m for m in every if m.has_columns]),
            *_dispatcher("rm_metric_relation(metric, plan)", "_relation", "plan", [m for m in every if m.has_relation]),
            *_dispatcher("rm_metric_parts(metric)", "_parts", "", [m for m in every if m.has_parts]),
            *_dispatcher("rm_metric_total(metric)", "_total", "metric.column", [m for m in every if m.has_parts]),
            "",
        ]
    )


def _dispatcher(signature: str, suffix: str, first: str, chosen: Iterable[Metric]) -> Iterator[str]:
    yield f"\n{{% macro {signature} %}}"
    yield "{%- set p = metric.params -%}"
    for number, metric in enumerate(chosen):
        given = ", ".join([*([first] if first else []), *(f"{name}=p.{name}" for name in metric.params)])
        yield f"{{%- {'el' if number else ''}if metric.name == '{metric.name}' -%}}"
        yield f"    {{{{ return(rankmetrics_sql.metric_{metric.name}{suffix}({given})) }}}}"
    yield "{%- endif -%}"
    yield "{% endmacro %}"


def reference() -> str:
    """The metric reference as Markdown."""
    return "\n".join(
        [
            *_reference_head(),
            *(line for metric in metrics().values() for line in _metric_page(metric)),
            *_option_table(),
        ]
    )


def _reference_head() -> Iterator[str]:
    yield "# rankmetrics_sql: metric reference"
    yield ""
    yield "<!-- Generated from the metric headers by `python -m rankmetrics_sql.generate`. -->"
    yield ""
    yield "This folder holds the definitions: one file per metric under `macros/metrics`, the stages they share under"
    yield "`macros/core`, what differs between engines under `macros/compat`."
    yield ""


def _metric_page(metric: Metric) -> Iterator[str]:
    yield f"## {metric.name}"
    yield ""
    yield f"**{metric.title}.** {metric.summary}"
    yield ""
    yield f"Source: {metric.source}."
    if metric.aliases:
        yield f"Also accepted: {', '.join(f'`{alias}`' for alias in metric.aliases)}."
    yield f"Over queries: {metric.aggregate}."
    yield ""
    if metric.params:
        yield "| parameter | default | meaning |"
        yield "|---|---|---|"
        yield from (_parameter_row(parameter) for parameter in metric.params.values())
        yield ""


def _parameter_row(parameter: Parameter) -> str:
    values = f" ({', '.join(map(str, parameter.values))})" if parameter.values else ""
    default = "none" if parameter.default is None else parameter.default
    return f"| `{parameter.name}` | {default} | {parameter.help}{values} |"


def _option_table() -> Iterator[str]:
    yield "## Options"
    yield ""
    yield "| option | default | meaning |"
    yield "|---|---|---|"
    yield from (_parameter_row(option) for option in options().values())
    yield ""


def generated() -> Mapping[Path, str]:
    """The text of every generated file, by path."""
    root = sql_root()
    return {root / "macros" / "generated" / "rm_registry.sql": registry(), root / "README.md": reference()}


if __name__ == "__main__":
    for path, text in generated().items():
        path.write_text(text, encoding="utf-8")
        print(path)
