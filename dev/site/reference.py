"""The reference: a page for each metric and one of options, out of the headers and ``options.toml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankmetrics_sql.definitions.catalogue import EXAMPLE, OF_METRICS, Metric, grouped, metrics, options
from rankmetrics_sql.definitions.descriptions import accepted, derive, differing, plain, reads
from rankmetrics_sql.definitions.known import Parameter
from rankmetrics_sql.definitions.profiles import systems

from .markup import beads, code, formula, prose, table

# The metrics that most people come for.
COMMON = ("ndcg", "rr", "ap", "p", "r", "success", "ctr", "zero_results")
# Metrics that are in the programs of TREC and of user models, and that few people choose today.
HISTORICAL = {
    *("amr", "arp", "bin_g", "bpm", "bpref", "fallout", "g", "gm_bpref", "gm_map", "infap", "insq", "inst", "iprec"),
    *(
        "iprec_avg",
        "ndcg_rel",
        "nerr10",
        "nerr11",
        "nerr8",
        "nerr9",
        "num_nonrel_judged_ret",
        "rbp_resid",
        "rbp_residual",
    ),
    *("relative_p", "rndcg", "rprec_mult", "set_ap", "utility", "yaap"),
}
SHORT = 5  # letters of an alias that stands in a title
BESIDE_GRADES = ("scores", "propensity", "target")  # what an example of a header may give beside the grades
# The scopes of options, as titles.
SCOPES = {
    "metric": "What a metric computes",
    "ranking": "How the run is read and ranked",
    "summary": "How queries become one number",
    "evaluation": "What holds for the whole evaluation",
    "comparison": "What is asked of a comparison",
}


def pages() -> dict[str, str]:
    """Return the text of every page, by its path below docs."""
    metric_pages = {f"metrics/{metric.name}.md": _page(metric) for metric in metrics().values()}
    return {"metrics/index.md": _index(), **metric_pages, "options.md": _options()}


def _page(metric: Metric) -> str:
    return "\n".join([*_head(metric), *_parameters(metric), *_differences(metric), ""])


def _title(metric: Metric) -> str:
    """Return the title with the names that people search for: ``Reciprocal rank (rr, mrr)``."""
    names = [metric.name, *(alias for alias in metric.aliases if len(alias) <= SHORT)]
    return f"{metric.title} ({', '.join(names[:3])})"


def _head(metric: Metric) -> Iterator[str]:
    yield f"# {_title(metric)}"
    yield f"\n{prose(metric.summary)}"
    yield f'\n<p class="formula">{formula(metric.formula)}</p>'
    yield from _example(metric)
    yield from _use(metric)
    yield "\n## Facts\n"
    yield from table(
        ("", ""),
        [
            ("Better", metric.better),
            ("Range", " to ".join(f"{end:g}" for end in metric.range or ())),
            ("Over queries", metric.aggregate),
            ("Reads", prose(reads(metric))),
            ("Also called", ", ".join(map(code, accepted(metric)))),
            ("Source", prose(metric.source)),
        ],
    )


def _example(metric: Metric) -> Iterator[str]:
    """Yield a worked example: one of five ranks, else the longest without settings of its own, if there is one."""
    if not metric.examples:
        return
    usual = [one for one in metric.examples if _settings(one).keys() <= {"k"}]
    telling = [one for one in usual if one["value"] not in ("0", "1")] or [one for one in usual if one["value"] == "1"]
    example = max(telling or metric.examples, key=_how_telling)
    value, settings = derive(example["value"]), _settings(example)
    kind = "items" if any(isinstance(each, str) and each != "?" for each in example["ranking"]) else "grades"
    unjudged = "; ? is not judged" if "?" in example["ranking"] else ""
    yield f"\nThe {kind} of a list from rank 1 down{unjudged}:"
    yield f"\n{beads(example)}\n"
    if settings:
        yield f"With {', '.join(code(f'{name} = {each}') for name, each in settings.items())}.\n"
    for name, facts in example.get("items", {}).items():
        yield f"- {code(name)}: {prose(', '.join(f'{fact} {plain(each)}' for fact, each in facts.items()))}"
    yield f"\n{code(example['value'])}{'' if value is None else f' = {value:.4f}'}"


def _how_telling(example: Mapping[str, Any]) -> tuple[bool, int, int]:
    return len(example["ranking"]) == 5, len(example["value"]), len(example["ranking"])


def _settings(example: Mapping[str, Any]) -> dict[str, str]:
    """Return the parameters of an example, and what it gives beside the grades."""
    settings = {name: plain(each) for name, each in example.items() if name not in EXAMPLE}
    beside = {name: ", ".join(map(str, example[name])) for name in BESIDE_GRADES if name in example}
    return settings | beside


def spelled(metric: Metric) -> str:
    """Return the metric as people type it, with a cutoff, and with the parameters that it needs from its examples."""
    required = [name for name, parameter in metric.params.items() if parameter.required]
    values = next((example for example in metric.examples if all(name in example for name in required)), {})
    settings = ", ".join(f"{name}={plain(values[name])}" for name in required)
    at = "@10" if metric.at == "k" and "k" in metric.params else ""
    return f"{metric.name}{f'({settings})' if settings else ''}{at}"


def _use(metric: Metric) -> Iterator[str]:
    """Yield how the metric is asked for on each road, where its inputs are the usual ones."""
    text = spelled(metric)
    if metric.group in ("propensity", "ratings") or metric.shape == "curve":
        return
    given, typed, named = "run, qrels", "run.csv --qrels qrels.csv", "--run run --qrels qrels"
    if metric.group == "click":
        given, typed, named = "rm.events(shown, clicks)", "--events shown.csv clicks.csv", "--events shown clicks"
    elif metric.group == "overlap":
        given, typed, named = "run, rm.ranks(other)", "", ""
    elif metric.reads_items or not metric.reads_judgments:
        return
    yield "\n## Use it\n"
    yield f'```python\nrm.evaluate({given}, "{text}")\n```\n'
    if typed:
        quoted = f"'{text}'" if "(" in text else text
        yield f"```bash\nrankmetrics evaluate {typed} -m {quoted}\n```\n"
        yield f"The SQL for your warehouse:\n\n```bash\nrankmetrics sql {named} -m {quoted} --dialect snowflake\n```\n"


def _parameters(metric: Metric) -> Iterator[str]:
    if metric.params:
        yield "\n## Parameters and options\n"
        yield from table(
            ("name", "default", "meaning"), (_row(parameter, metric) for parameter in metric.params.values())
        )


def _row(parameter: Parameter, metric: Metric) -> tuple[str, str, str]:
    values = f" ({', '.join(code(str(value)) for value in parameter.values)})" if parameter.values else ""
    name = (
        f"[{code(parameter.name)}](../options.md#{parameter.name})"
        if parameter.name in metric.options
        else code(parameter.name)
    )
    return name, _default(parameter), prose(parameter.help) + values


def _default(parameter: Parameter) -> str:
    return "required" if parameter.required else code(plain(parameter.default))


def _differences(metric: Metric) -> Iterator[str]:
    differences = differing(metric)
    if differences:
        yield "\n## Defined differently by\n"
        yield from table(("tool", "how"), ((prose(tool), prose(how)) for tool, how in differences.items()))


def _index() -> str:
    lines = [
        "# Metrics",
        "",
        "In formulas r is a rank, g<sub>r</sub> the grade at it (0 where unjudged), R the number of relevant items, n"
        " the number retrieved, h<sub>k</sub> the relevant items within the first k. `rankmetrics metrics NAME` prints"
        " the same on the command line, in any spelling. [Choose a metric](../which.md) shows what each rewards.",
    ]
    common = {name: metrics()[name] for name in COMMON}
    for heading, members in (("The common ones", common), *grouped(metrics(), OF_METRICS)):
        folded = {name: metric for name, metric in members.items() if name in HISTORICAL}
        shown = {name: metric for name, metric in members.items() if name not in folded}
        lines += ["", f"## {heading}", "", *_listed(shown)]
        if folded:
            names = ", ".join(map(code, folded))
            lines += [
                "",
                f'<details markdown="1"><summary>Historical: {names}</summary>',
                "",
                *_listed(folded),
                "",
                "</details>",
            ]
    return "\n".join([*lines, ""])


def _listed(members: Mapping[str, Metric]) -> Iterator[str]:
    rows = (
        (f"[{code(name)}]({name}.md)", prose(metric.title), prose(metric.summary)) for name, metric in members.items()
    )
    return table(("name", "title", "meaning"), rows)


def _options() -> str:
    lines = [
        "# Options",
        "",
        "The choices behind a number. An option is set for everything, `--set ties=expected` or"
        ' `rm.evaluate(..., ties="expected")`, or, where it belongs to a metric or to the ranking, for one metric:'
        " `ap(rel=2)@10`. `rankmetrics options NAME` prints what stands here.",
    ]
    for scope, title in SCOPES.items():
        lines += ["", f"## {title}"]
        for option in options().values():
            if option.scope == scope:
                lines += _option(option)
    return "\n".join([*lines, ""])


def _option(option: Parameter) -> Iterator[str]:
    yield f"\n### {option.name} {{ #{option.name} }}"
    yield f"\n{prose(option.help[0].upper() + option.help[1:])}. Default: {_default(option)}.\n"
    tools = systems(option.name)
    names = list(dict.fromkeys([*map(str, option.values), *map(str, tools)]))
    if names:
        yield from table(
            ("value", "chosen by"), ((code(name), prose(", ".join(tools.get(name, ())))) for name in names)
        )
    metric_names = [metric.name for metric in metrics().values() if option.name in metric.options]
    if option.scope == "metric" and metric_names:
        yield f"\nObeyed by {', '.join(f'[{code(name)}](metrics/{name}.md)' for name in metric_names)}."
