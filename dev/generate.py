"""Writes what follows from the metric headers: the templates' dispatcher and the reference in ``sql/README.md``.

``python -m dev.generate`` after adding or changing a metric.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import rankmetrics_sql
from rankmetrics_sql import api as questions
from rankmetrics_sql import cli
from rankmetrics_sql.definitions.catalogue import OF_METRICS, Metric, ambiguous, grouped, metrics, options, spellings
from rankmetrics_sql.definitions.descriptions import (
    accepted,
    choosers,
    derive,
    differing,
    reads,
    values,
    worked_example,
)
from rankmetrics_sql.definitions.known import Parameter
from rankmetrics_sql.definitions.profiles import Profile, of_all, profiles
from rankmetrics_sql.errors import DataError, RankmetricsError
from rankmetrics_sql.root import sql_root
from rankmetrics_sql.templates import macros

from .compile_templates import compile_templates
from .refusals import check_refusals, refusal_records

_DBT_TYPES = {"int": "integer", "integer": "integer", "number": "float"}
_PYTHON_TYPES = {
    "int": "int | str | None",
    "integer": "int | str | None",
    "number": "float | str | None",
    "choice": "float | str | None",
    "gain": "Mapping[Any, float] | str | None",
}
_NOTICE = "{#- Generated from the metric headers by `python -m dev.generate`. -#}"


def registry() -> str:
    """The macros that call a metric's by name, for engines of templates that cannot look one up."""
    with_values = [metric for metric in metrics().values() if metric.shape == "value"]
    columns, relations, parts = (
        [metric for metric in with_values if metric.has_columns],
        [metric for metric in with_values if metric.has_relation],
        [metric for metric in with_values if metric.has_parts],
    )
    curves = [metric for metric in metrics().values() if metric.shape == "curve"]
    return "\n".join(
        [
            _NOTICE,
            *_dispatcher("rm_metric_expression(metric)", "", "", with_values),
            *_dispatcher("rm_metric_columns(metric, window)", "_columns", "window", columns),
            *_dispatcher("rm_metric_relation(metric, pass)", "_relation", "pass", relations),
            *_dispatcher("rm_metric_parts(metric)", "_parts", "", parts),
            *_dispatcher(
                "rm_metric_total(metric, sums, n)",
                "_total",
                "sums, n",
                [metric for metric in parts if f"macro metric_{metric.name}_total(" in metric.path.read_text("utf-8")],
                otherwise="rankmetrics_sql.rm_ratio_total(sums)",
            ),
            *_dispatcher("rm_metric_points(metric, keys)", "_points", "keys", curves),
            "",
        ]
    )


def _dispatcher(
    signature: str, suffix: str, first: str, chosen: Iterable[Metric], otherwise: str = ""
) -> Iterator[str]:
    arguments = ", ".join([*([first] if first else []), "**metric.params"])
    yield f"\n{{% macro {signature} %}}"
    for number, metric in enumerate(chosen):
        yield f"{{%- {'el' if number else ''}if metric.name == '{metric.name}' -%}}"
        yield f"    {{{{ return(rankmetrics_sql.metric_{metric.name}{suffix}({arguments})) }}}}"
    yield "{%- endif -%}"
    if otherwise:
        yield f"{{{{ return({otherwise}) }}}}"
    yield "{% endmacro %}"


def catalogue_macros() -> str:
    """What the headers, options and profiles say, as data for templates without Python."""
    return "\n".join(
        [
            _NOTICE,
            *_metrics_data(),
            *_data("rm_known_options", {name: _parameter_data(option) for name, option in options().items()}),
            *_data("rm_known_spellings", spellings()),
            *_data("rm_known_ambiguous", ambiguous()),
            *_data("rm_known_families", of_all("families")),
            *_data("rm_known_nicknames", of_all("nicknames")),
            *_data("rm_known_translations", {"parameters": of_all("parameters"), "refused": of_all("refused")}),
            *_data("rm_known_profiles", {name: _profile_data(profile) for name, profile in profiles().items()}),
            "",
        ]
    )


def refusal_macros() -> str:
    """The rules of ``refusals.toml`` as data."""
    return "\n".join(
        [
            "{#- Generated from refusals.toml by `python -m dev.generate`. -#}",
            *_data("rm_known_refusals", refusal_records()),
            "",
        ]
    )


# Beyond the ends of intervals, on both sides or one, at the levels that people ask for.
_USUAL_TAILS = (0.1, 0.05, 0.025, 0.01, 0.005, 0.001, 0.0005)


def guess_macro() -> str:
    """The coefficients by which the points of Student's t are guessed, which take hundreds of steps to compute."""
    coefficients = {
        str(tail): [round(number, 9) for number in macros()["rm_guess_coefficients"](tail)] for tail in _USUAL_TAILS
    }
    return "\n".join(
        [
            "{#- Generated from statistics/06_quantiles.sql by `python -m dev.generate`. -#}",
            *_data("rm_known_guesses", coefficients),
            "",
        ]
    )


def _data(name: str, entries: Mapping[str, Any]) -> Iterator[str]:
    """A macro that returns them."""
    yield f"\n{{% macro {name}() %}}"
    yield f"{{{{ return({_json(entries)}) }}}}"
    yield "{% endmacro %}"


def _metrics_data() -> Iterator[str]:
    """The macro that returns the metrics: what is usual is written once, and of each metric what is otherwise."""
    usual = _metric_data(Metric("", "", "", "", "", Path(), params={}))
    written = {name: _metric_data(metric) for name, metric in metrics().items()}
    own = {name: {key: value for key, value in keys.items() if value != usual[key]} for name, keys in written.items()}
    yield "\n{% macro rm_known_metrics() %}"
    yield f"{{%- set usual = {_json(usual)} -%}}"
    yield "{%- set metrics = {} -%}"
    yield f"{{%- for name, own in {_json(own)}.items() -%}}"
    yield "    {%- set metric = {} -%}"
    yield "    {%- do metric.update(usual) -%}"
    yield "    {%- do metric.update(own) -%}"
    yield "    {%- do metrics.update({name: metric}) -%}"
    yield "{%- endfor -%}"
    yield "{{ return(metrics) }}"
    yield "{% endmacro %}"


def _json(entries: Mapping[str, Any]) -> str:
    """An expression of data, an entry a line: as JSON, a single word to dbt, which parses macros at each start."""
    lines = (f"    {_in_string(key)}: {_in_string(value)}" for key, value in entries.items())
    return "\n".join(["fromjson('{", ",\n".join(lines), "}')"])


def _in_string(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=dict)
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _metric_data(metric: Metric) -> dict[str, Any]:
    params = {
        name: _parameter_data(parameter) for name, parameter in metric.params.items() if name not in metric.options
    }
    names = (
        *("needs", "needs_when", "aggregate", "aggregate_when", "at", "shape", "better", "range", "oracle"),
        *("reads_ranks", "reads_order", "reads_grades", "reads_judgments", "reads_history"),
        *("about_judgments", "divides_by_judgments", "counts_empty_lists", "takes_estimates", "lacks_values"),
    )
    macros = ("has_columns", "has_relation", "has_parts")
    return {
        "params": params,
        "param_names": list(metric.params),
        **{name: getattr(metric, name) for name in (*names, *macros)},
    }


def _parameter_data(parameter: Parameter) -> dict[str, Any]:
    scope = {"scope": parameter.scope} if parameter.scope else {}
    limits = dict(parameter.limits)
    return {
        "type": parameter.type,
        "default": parameter.default,
        "choices": parameter.values,
        "limits": limits,
        **({"required": parameter.help} if parameter.required else {}),
        **scope,
    }


def _profile_data(profile: Profile) -> dict[str, Any]:
    return {
        name: getattr(profile, name)
        for name in ("options", "metrics", "spellings", "families", "parameters", "refused")
    }


def reference() -> str:
    """The metric reference as Markdown."""
    return "\n".join(
        [
            *_reference_head(),
            *_metric_pages(),
            *_option_table(),
            *_profile_table(),
        ]
    )


def _reference_head() -> Iterator[str]:
    yield "<!-- Generated from package.md, _macros.yml and the headers by `python -m dev.generate`. -->"
    yield ""
    yield (sql_root() / "package.md").read_text(encoding="utf-8").rstrip()
    yield ""
    yield "## Macros and tests"
    yield ""
    yield from _macro_tables()
    yield "dbt is a trademark of dbt Labs, with which this project is not affiliated."
    yield ""
    yield "# Metric reference"
    yield ""
    yield "The definitions are one file per metric under `macros/metrics`, the stages they share under `macros/inputs`,"
    yield "`macros/core` and `macros/statistics`, in the order of the data, what differs between engines under"
    yield "`macros/compat`, other tools' choices under `profiles`."
    yield ""
    yield "r is a rank, g_r the grade at it (0 where unjudged), R the number of relevant items, n the number retrieved,"
    yield "h_k the relevant items within the first k."
    yield ""


def _macro_tables() -> Iterator[str]:
    """The public macros and tests with their arguments, each argument explained where it first stands."""
    import yaml

    explained: set[str] = set()
    for macro in yaml.safe_load((sql_root() / "macros" / "_macros.yml").read_text(encoding="utf-8"))["macros"]:
        name = macro["name"].removeprefix("test_")
        arguments = macro.get("arguments", [])
        yield f"### {name}"
        yield ""
        yield macro["description"].strip()
        yield ""
        new = [argument for argument in arguments if argument["description"] not in explained]
        old = [f"`{argument['name']}`" for argument in arguments if argument not in new]
        if new:
            yield "| argument | type | meaning |"
            yield "|---|---|---|"
            yield from (f"| `{each['name']}` | {each['type']} | {each['description'].strip()} |" for each in new)
            yield ""
        if old:
            yield f"{'And' if new else 'Arguments'}, as above: {', '.join(old)}."
            yield ""
        explained |= {argument["description"] for argument in new}


def _metric_pages() -> Iterator[str]:
    """The metrics in their groups, each with its heading."""
    for heading, metrics_of_group in grouped(metrics(), OF_METRICS):
        yield f"## {heading}"
        yield ""
        for metric in metrics_of_group.values():
            yield from _metric_page(metric)


def _metric_page(metric: Metric) -> Iterator[str]:
    yield f"### {metric.name}"
    yield ""
    yield f"**{metric.title}.** {metric.summary}"
    yield ""
    if metric.formula:
        yield f"> {metric.formula}"
        yield ""
    yield f"Source: {metric.source}."
    if accepted(metric):
        yield f"Also accepted: {', '.join(f'`{name}`' for name in accepted(metric))}."
    yield f"Reads: {reads(metric)}."
    yield f"Better: {metric.better} values."
    yield f"Over queries: {metric.aggregate}."
    if worked_example(metric):
        yield f"Example: {worked_example(metric)}."
    yield ""
    if metric.params:
        yield "| parameter | default | meaning |"
        yield "|---|---|---|"
        yield from (_parameter_row(parameter) for parameter in metric.params.values())
        yield ""
    if differing(metric):
        yield "| defined differently by | how |"
        yield "|---|---|"
        yield from (f"| {system} | {how} |" for system, how in differing(metric).items())
        yield ""


def _parameter_row(parameter: Parameter) -> str:
    shown = f" ({values(parameter)})" if parameter.values else ""
    return f"| `{parameter.name}` | {_default(parameter)} | {parameter.help}{shown} |"


def _default(parameter: Parameter) -> str:
    return "required" if parameter.required else "none" if parameter.default is None else str(parameter.default)


def _option_table() -> Iterator[str]:
    yield "## Options"
    yield ""
    yield "For one metric, `ap(rel=2)@10`, or for all of them; those of the evaluation for all only."
    yield ""
    yield "| option | default | meaning | chosen by |"
    yield "|---|---|---|---|"
    yield from (f"{_parameter_row(option)} {choosers(option.name)} |" for option in options().values())
    yield ""


def _profile_table() -> Iterator[str]:
    yield "## Profiles"
    yield ""
    yield "| profile | tool | proof | its numbers |"
    yield "|---|---|---|---|"
    for profile in profiles().values():
        proof = f"run against {profile.package}" if profile.package else "by reading"
        yield f"| `{profile.name}` | {profile.title} | {proof} | {profile.note} |"
    yield ""
    yield "What a profile does not copy:"
    yield ""
    for profile in profiles().values():
        yield from (f"- `{profile.name}`: {sentence}" for sentence in profile.not_copied)
    yield ""


def macro_docs() -> str:
    """What dbt's documentation says of the metrics' macros; those that nobody calls are kept out of it."""
    written = (sql_root() / "macros" / "_macros.yml").read_text(encoding="utf-8")
    documented = set(re.findall(r"^  - name: (\w+)$", written, re.MULTILINE))
    public = {f"metric_{metric.name}": metric for metric in metrics().values() if metric.shape == "value"}
    of_package = {name for name, source in macros().files.items() if source.file.is_relative_to(sql_root())}
    hidden = sorted(of_package - public.keys() - documented)
    return "\n".join(
        [
            "# Generated from the metric headers by `python -m dev.generate`.",
            "version: 2",
            "",
            "macros:",
            *(line for name, metric in public.items() for line in _metric_docs(name, metric)),
            *(f"  - {{name: {name}, docs: {{show: false}}}}" for name in hidden),
            "",
        ]
    )


def _metric_docs(name: str, metric: Metric) -> Iterator[str]:
    yield f"  - name: {name}"
    text = f"{metric.summary} An expression over the rows of judged, to be grouped by the query."
    yield f"    description: {json.dumps(text, ensure_ascii=False)}"
    if metric.params:
        yield "    arguments:"
    for parameter in metric.params.values():
        yield f"      - name: {parameter.name}"
        yield f"        type: {_DBT_TYPES.get(parameter.type, 'any')}"
        yield f"        description: {json.dumps(_parameter_text(parameter), ensure_ascii=False)}"


def _parameter_text(parameter: Parameter) -> str:
    default = "required" if parameter.required else f"default {_default(parameter)}"
    return f"{parameter.help} ({f'{values(parameter)}; {default}' if parameter.values else default})"


def check(metric: Metric) -> None:
    """Looks at a metric's macro, before anything is generated from its header.

    Raises:
        DataError: the file has no such macro, or it does not take the header's parameters, or gives no expression, or
            the same one for ``ties=expected`` though the header offers that.
    """
    name = f"metric_{metric.name}{'' if metric.shape == 'value' else '_points'}"
    signature = re.search(rf"{{%-? *macro {name}\(([^)]*)\)", metric.path.read_text(encoding="utf-8"))
    if signature is None:
        raise DataError(f"{metric.path}: no macro {name}.")
    taken = [part.partition("=")[0].strip() for part in signature[1].split(",") if part.strip()]
    if metric.shape == "curve":
        return
    if set(taken) != set(metric.params):
        raise DataError(f"{metric.path}: {name} takes {', '.join(taken)}; the header has {', '.join(metric.params)}.")
    params = _values_to_try(metric)
    plain = str(macros()[name](**params)).strip()
    if not plain:
        raise DataError(f"{metric.path}: {name} gives no expression.")
    if "ties" in params and plain == str(macros()[name](**{**params, "ties": "expected"})).strip():
        raise DataError(
            f"{metric.path}: options has ties, and {name} gives the same expression for ties=expected; write that"
            " form, or leave ties out."
        )


def _values_to_try(metric: Metric) -> dict[str, Any]:
    """Return the parameters' defaults; of a required parameter, the value of an example."""
    values: dict[str, Any] = {name: parameter.default for name, parameter in metric.params.items()}
    if metric.takes_k:
        values["k"] = 3
    for name in (name for name, parameter in metric.params.items() if parameter.required):
        examples = [example[name] for example in metric.examples if name in example]
        if not examples:
            raise DataError(f"{metric.path}: params.{name} is required; give it in every example.")
        values[name] = examples[0]
    return values


def generated() -> Mapping[Path, str]:
    """The text of every generated file, by path."""
    root = sql_root()
    folder = root / "macros" / "generated"
    return {
        folder / "rm_registry.sql": registry(),
        folder / "rm_catalogue.sql": catalogue_macros(),
        folder / "rm_refusals.sql": refusal_macros(),
        folder / "rm_guesses.sql": guess_macro(),
        folder / "metrics.yml": macro_docs(),
        root / "README.md": reference(),
        Path(questions.__path__[0]) / "options.py": option_record(),
        Path(cli.__path__[0]) / "keywords.py": command_keywords(),
    }


def option_record() -> str:
    """The options as a typed record of Python, so that editors complete their names and type checkers know them."""
    return "\n".join(
        [
            '"""Generated from options.toml by `python -m dev.generate`: the options as keywords."""',
            "",
            "from __future__ import annotations",
            "",
            "from collections.abc import Mapping",
            "from typing import Any, TypedDict",
            "",
            "",
            "class Options(TypedDict, total=False):",
            '    """The options, each a choice behind a number; see ``options()``. All may be text."""',
            "",
            *(f"    {option.name}: {_PYTHON_TYPES[option.type]}" for option in options().values()),
            "",
        ]
    )


# Functions of commands whose options follow from their keywords; those of logs name columns of their own.
_FUNCTIONS = (
    *("agreement", "clean", "compare", "curve", "decompose", "evaluate", "explain", "install", "judge_next"),
    *("movements", "sample_size", "sensitivity", "sql", "tukey"),
)


def command_keywords() -> str:
    """Return the keywords of public functions as a module, because reading their signatures imports too much."""
    lines = [
        '"""Generated from the public functions by `python -m dev.generate`: the keywords of each."""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping",
        "",
        "KEYWORDS: Mapping[str, str] = {",
    ]
    for name in _FUNCTIONS:
        names = " ".join(inspect.signature(getattr(rankmetrics_sql, name)).parameters)
        short = f'    "{name}": "{names}",'
        first, *rest = textwrap.wrap(names, 105 if len(names) > 110 else 110)  # as ruff lays out a long text
        wrapped = [f'    "{name}": (', f'        "{first}"', *(f'        " {line}"' for line in rest), "    ),"]
        lines += [short] if len(short) <= 120 else wrapped
    return "\n".join([*lines, "}", ""])


def main() -> None:
    """Write the files, all or none of them, and compile the templates."""
    try:
        check_refusals(sql_root() / "refusals.toml")
        for metric in metrics().values():
            check(metric)
            for example in metric.examples:
                _check_derivation(metric, example["value"])
        texts = generated()
    except RankmetricsError as error:
        sys.exit(f"generate: {error}")
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
        print(path)
    compile_templates()


def _check_derivation(metric: Metric, value: Any) -> None:
    try:
        derive(value)
    except (ArithmeticError, AttributeError, KeyError, SyntaxError, TypeError, ValueError):
        raise DataError(
            f"{metric.path}: example: value is a derivation such as '(1 + 2/3) / 2', not {value!r}."
        ) from None


if __name__ == "__main__":
    main()
