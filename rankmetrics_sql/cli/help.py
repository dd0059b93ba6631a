"""How --help looks: commands grouped by job, options by what they are about, each in one line of 80 columns."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click

from ..errors import Kind

# The commands by job, with the first line of their help, which needs no import of the command.
JOBS: Mapping[str, Mapping[str, str]] = {
    "Score": {
        "evaluate": "Score runs, a log or a labelled table.",
        "curve": "Score runs at several cutoffs or recall levels.",
        "report": "Write an HTML page with verdicts, charts and queries.",
        "coec": "Compute clicks over expected clicks (COEC).",
        "ctr-by-position": "Compute the click-through rate at each position.",
        "worst": "List the searches that lose the most clicks.",
        "judgments": "Make judgments out of the clicks of a log.",
        "propensities": "Estimate how likely users examine each position.",
        "demo": "Compare the arms of a click log, and score two runs.",
    },
    "Compare": {
        "compare": "Test whether runs, or the arms of a log, differ.",
        "sample-size": "Plan how many queries or users a test needs.",
        "tukey": "Compare every pair of runs with Tukey's test.",
        "team-draft": "Count the wins of an interleaving by team draft.",
    },
    "Explain": {
        "explain": "Show why two profiles give a metric different values.",
        "decompose": "Show which segments a difference comes from.",
        "movements": "List the items that entered, left or moved in the top k.",
        "sensitivity": "Show how unjudged items and ties change the ranking.",
        "agreement": "Show how far judges agree.",
        "judge-next": "List the unjudged items that can move a comparison most.",
    },
    "Write SQL": {
        "sql": "Print the SQL of an evaluation, to run it elsewhere.",
        "install": "Print or create SQL functions such as rankmetrics_ndcg.",
        "semantic-model": "Print dbt YAML: a semantic model and its metrics.",
    },
    "Clean up": {
        "clean": "List tables that a killed evaluation left in a database.",
    },
    "Look up": {
        "metrics": "List the metrics, or describe one in any spelling.",
        "options": "List the options, or the tools that use each value.",
        "profiles": "List the profiles, or show the options of one.",
    },
}

# The options by subject, in the order of the list. All others are inputs: most are tables of a log, as --events is.
_GROUPS: Mapping[str, Sequence[str]] = {
    "Inputs": (
        *("query", "teams", "time", "runs", "qrels", "predicted_qrels", "labelled", "empty_lists", "events", "rules"),
        *("values", "query_list", "texts", "database", "columns", "position"),
    ),
    "Metrics": (
        *("metrics", "profile", "against", "settings", "along", "at", "k", "method", "model", "action", "group"),
        *("prior", "no_click", "min_impressions", "grades", "rel", "items", "reference"),
    ),
    "Comparison": (
        *("baseline", "limits", "cap", "all_pairs", "covariate", "strata", "cluster", "shares", "fail_if"),
        *("fail_unless", "junit", "gates_file", "preference", "confidence_level", "effect", "n", "n_tests"),
    ),
    "Breakdown": (
        *("by", "order", "limit", "period", "timezone", "rollup", "min_queries", "min_requests", "weight", "queries"),
        *("user", "weighted", "within", "normalise"),
    ),
    "Output": (
        *("per_query", "heterogeneity", "quality", "intervals", "top", "level", "shape", "comments", "estimate", "sql"),
        *("name", "prefix", "spec", "schema", "remove", "drop", "older_than", "into", "replace", "recreate", "form"),
        *("output", "title", "word"),
    ),
    "Running": (
        *("dialect", "materialize", "timeout", "threads", "memory_limit", "input_format", "partitions", "verbose"),
    ),
}
_WIDTH = 28  # the widest option whose description stands beside it


class ListedOption(click.Option):
    """An option whose values have names, which ``--help`` and its name list: ``rankmetrics compare --help rule``."""

    def __init__(self, *names: Any, describe: Callable[[], Iterator[str]], **settings: Any) -> None:
        """Take the arguments of an option, and what yields a line for each name."""
        super().__init__(*names, **settings)
        self.describe = describe


class Command(click.Command):
    """A command whose help lists its options in groups."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Print what an option takes if it is named behind --help."""
        place = next((place for place, arg in enumerate(args) if arg in ctx.help_option_names), len(args))
        for option in self.params:
            if isinstance(option, ListedOption) and f"--{''.join(args[place + 1 : place + 2])}" in option.opts:
                click.echo("\n".join(option.describe()))
                ctx.exit()
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        help_option = self.get_help_option(ctx)
        for heading, names in {**_GROUPS, "Help": ()}.items():
            members = [option for option in options if _heading(option, help_option) == heading]
            members.sort(key=lambda option: _place(option, names))
            if members:
                with formatter.section(heading):
                    rows = [option.get_help_record(ctx) for option in members]
                    formatter.write_dl([row for row in rows if row is not None], col_max=_WIDTH)


def _heading(option: click.Option, help_option: click.Option | None) -> str:
    if help_option is not None and option.opts == help_option.opts:
        return "Help"
    return next((heading for heading, names in _GROUPS.items() if option.name in names), "Inputs")


def _place(option: click.Option, names: Sequence[str]) -> int:
    """Return the place of an option among the names of its group."""
    return names.index(option.name if option.name in names else "events") if names else 0


def write_commands(formatter: click.HelpFormatter) -> None:
    """Write the commands, job by job."""
    width = max(len(name) for commands in JOBS.values() for name in commands)
    for heading, commands in JOBS.items():
        with formatter.section(heading):
            formatter.write_dl([(name.ljust(width), line) for name, line in commands.items()])


_OPTIONS = {"columns": "--columns", "option": "--set", "rule": "--rule"}


def to_options(kind: Kind, values: Mapping[str, Any]) -> str:
    """Return the options that do what arguments do in Python."""
    return " ".join(_to_option(kind, name, value) for name, value in values.items())


def _to_option(kind: Kind, name: str, value: Any) -> str:
    if (name, value) == ("replace", "recreate"):  # a flag of its own
        return "--recreate"
    if kind == "argument" or (kind, name) == ("columns", "position"):
        option = f"--{name.replace('_', '-')}"
        return option if value is True else f"{option} {_quoted(str(value))}"
    if isinstance(value, Mapping):
        text = f"{name}={','.join(f'{key}:{one}' for key, one in value.items())}"
    else:
        text = ",".join(f"{name}={one}" for one in (value if isinstance(value, list) else [value]))
    return f"{_OPTIONS[kind]} {_quoted(text)}"


def _quoted(text: str) -> str:
    """Quote a text for the shell, in double quotes if nothing in it has a meaning there."""
    plain = shlex.quote(text)
    return plain if plain == text or set(text) & set('"$`\\!') else f'"{text}"'
