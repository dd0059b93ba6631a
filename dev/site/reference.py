"""The reference: a page for each metric and one of options, out of the headers and ``options.toml``."""

from __future__ import annotations

from collections.abc import Iterator

from rankmetrics_sql.definitions.catalogue import EXAMPLE, Metric, metrics, options
from rankmetrics_sql.definitions.descriptions import accepted, derive, differing, plain, reads
from rankmetrics_sql.definitions.known import Parameter
from rankmetrics_sql.definitions.profiles import systems

from .markup import beads, code, formula, prose, table

# The kinds of the index, in order, with their conditions: a metric is of the first kind whose condition holds.
KINDS = {
    "Points of a curve": lambda metric: metric.shape == "curve",
    "One value of all lists together": lambda metric: metric.of_lists,
    "What the items of a list are": lambda metric: metric.reads_items or not metric.reads_judgments,
    "Two rankings": lambda metric: metric.reads_reference,
    "Subtopics": lambda metric: "subtopic" in metric.reads_beside,
    "Logs with propensities, and other policies": lambda metric: bool(metric.reads_beside),
    "Counts": lambda metric: metric.aggregate == "sum",
    "Over all queries at once": lambda metric: metric.aggregate == "parts",
    "A value for each query": lambda _metric: True,
}
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
    return "\n".join([*_head(metric), *_example(metric), *_parameters(metric), *_differences(metric), ""])


def _head(metric: Metric) -> Iterator[str]:
    yield f"# {metric.name}"
    yield f"\n**{prose(metric.title)}.** {prose(metric.summary)}"
    yield f'\n<p class="formula">{formula(metric.formula)}</p>\n'
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
    if not metric.examples:
        return
    example = max(metric.examples, key=lambda each: (len(each["value"]), len(each["ranking"])))
    value = derive(example["value"])
    settings = {name: plain(each) for name, each in example.items() if name not in EXAMPLE}
    settings |= {
        name: ", ".join(map(str, example[name])) for name in ("scores", "propensity", "target") if name in example
    }
    yield "\n## Example\n"
    kind = "items" if any(isinstance(each, str) and each != "?" for each in example["ranking"]) else "grades"
    unjudged = "; ? is not judged" if "?" in example["ranking"] else ""
    yield f"The {kind} in the order of the list, from the left{unjudged}:"
    yield f"\n{beads(example)}\n"
    if settings:
        yield f"With {', '.join(code(f'{name} = {each}') for name, each in settings.items())}.\n"
    for name, facts in example.get("items", {}).items():
        yield f"- {code(name)}: {prose(', '.join(f'{fact} {plain(each)}' for fact, each in facts.items()))}"
    yield f"\n{code(example['value'])}{'' if value is None else f' = {value:.4f}'}"


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
    kinds: dict[str, list[Metric]] = {kind: [] for kind in KINDS}
    for metric in metrics().values():
        kinds[next(kind for kind, holds in KINDS.items() if holds(metric))].append(metric)
    lines = [
        "# Metrics",
        "",
        "Written from the headers of `sql/macros/metrics`. In formulas r is a rank, g<sub>r</sub> the grade at it (0"
        " where unjudged), R the number of relevant items, n the number retrieved, h<sub>k</sub> the relevant items"
        " within the first k. `rankmetrics metrics NAME` prints the same on the command line, in any spelling of"
        " the name.",
    ]
    for kind in ("A value for each query", *(name for name in KINDS if name != "A value for each query")):
        rows = (
            (f"[{code(metric.name)}]({metric.name}.md)", prose(metric.title), prose(metric.summary))
            for metric in kinds[kind]
        )
        lines += ["", f"## {kind}", "", *table(("name", "title", "what it says"), rows)]
    return "\n".join([*lines, ""])


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
