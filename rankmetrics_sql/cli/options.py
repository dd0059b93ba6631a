"""The options of commands: one table by the keyword that they pass to the public functions, or by their own name.

A command has an option for each keyword of its public function. ``keywords.py`` lists these: reading the signatures
would import most of the package before ``--help`` is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..results.files import FORMATS
from .keywords import KEYWORDS
from .terminal import echo
from .texts import parse_caps, parse_limits, parse_numbers, parse_rollup, parse_shares

Option = Callable[[Callable[..., Any]], Callable[..., Any]]

# Keywords without an option: the arguments of commands, and what only Python can pass.
_ARGUMENTS = frozenset({"run", "runs", "candidates", "qrels_a", "qrels_b"})
_IN_PYTHON = frozenset({"recommendation_lists", "relevance_lists", "header"})


def combined(*options: Option) -> Option:
    """Return one decorator that adds several options, in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def options(*names: str, **replaced: Option) -> Option:
    """Add options of the table, some of them replaced by the command's own."""
    return combined(*(replaced.get(name) or OPTIONS[name] for name in dict.fromkeys((*names, *replaced))))


def options_of(function: str, *more: str, without: Sequence[str] = (), **replaced: Option) -> Option:
    """Add an option for each keyword of a public function, and more options of the table."""
    omitted = {*_ARGUMENTS, *_IN_PYTHON, *without}
    return options(*(name for name in KEYWORDS[function].split() if name not in omitted), *more, **replaced)


def parsed(parse: Callable[[Any], Any]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return a callback that parses the value of an option, if there is one."""
    return lambda _ctx, _param, value: None if value is None else parse(value)


def _read_metrics(_ctx: click.Context, _param: click.Parameter, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the metrics that the texts name. Print the trec_eval metrics that the package lacks."""
    from .texts import expand_nicknames, split_metrics

    metrics, unknown = expand_nicknames([metric for text in texts for metric in split_metrics(text)])
    if unknown:
        echo(f"rankmetrics: skipped, because only trec_eval has them: {', '.join(unknown)}.", err=True)
    return tuple(metrics)


def _complete_metric(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    from ..definitions.known import known_metrics

    return [name for name in known_metrics() if name.startswith(begun.lower())]


def _complete_option(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    """Complete the name with its equals sign, then the values."""
    from ..definitions.known import known_options

    all_options = known_options()
    texts = [f"{name}=" for name in all_options]
    texts += [
        f"{name}={value}" for name in all_options for value in all_options[name]["choices"] if f"{name}=" in begun
    ]
    return [text for text in texts if text.startswith(begun) and text != begun]


def _complete_profile(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    from ..definitions.profiles import profiles

    return [name for name in profiles() if name.startswith(begun)]


def value_option(name: str, metavar: str, help_text: str, **facts: Any) -> Option:
    """Return an option with a value."""
    return click.option(f"--{name}", metavar=metavar, help=help_text, **facts)


def repeated_option(name: str, metavar: str, help_text: str, **facts: Any) -> Option:
    """Return an option that may be repeated."""
    return value_option(name, metavar, help_text, multiple=True, **facts)


def flag_option(name: str, help_text: str) -> Option:
    """Return an option without a value."""
    return click.option(f"--{name}", is_flag=True, help=help_text)


def metrics_option(help_text: str = "Metrics, such as nDCG@10,ap. Repeatable.", **facts: Any) -> Option:
    """Return ``-m``, which may be repeated and may name several metrics."""
    names = ("-m", "--metric", "metrics")
    facts |= {"callback": _read_metrics, "shell_complete": _complete_metric}
    return click.option(*names, multiple=True, metavar="METRIC", help=help_text, **facts)


POSITIVE = click.IntRange(min=1)

_RULES = ("majority", "median", "mean", "lowest", "highest")  # inputs.references has them, and much to import
columns_option = repeated_option("columns", "NAME=COLUMN,...", "Your columns, such as item_id=doc. Repeatable.")
database_option = value_option("database", "URL", "postgresql://..., or a DuckDB file. Only read.")

OPTIONS: Mapping[str, Option] = {
    # inputs
    "qrels": value_option("qrels", "QRELS", "Judgments (file or table)."),
    "predicted_qrels": value_option("predicted-qrels", "QRELS", "Judgments of a model that predict --qrels."),
    "judge": value_option("judge", "COLUMN", "The judge of each row of judgments."),
    "consensus": value_option(
        "consensus", "RULE", "One grade of the judges, such as median.", type=click.Choice(_RULES)
    ),
    "query_list": value_option("query-list", "FILE", "Score only the queries in this file or table."),
    "items": value_option("items", "ITEMS", "Catalogue of the items, for coverage and such."),
    "columns": combined(
        columns_option, value_option("position", "COLUMN", "Column with the rank, in place of a score.")
    ),
    "connection": combined(
        database_option,
        value_option("dialect", "NAME", "SQL dialect, if the URL does not name it."),
        value_option("materialize", "SCHEMA", "Where to store files (temp: temporary tables)."),
        value_option("timeout", "SECONDS", "How long a statement may take.", type=float),
    ),
    # metrics
    "metrics": metrics_option(required=True),
    "metric": metrics_option(required=True),
    "profile": value_option("profile", "NAME", "A named set of options.", shell_complete=_complete_profile),
    "options": click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="OPTION=VALUE",
        shell_complete=_complete_option,
        help="An option, such as ties=item_asc. Repeatable.",
    ),
    "rel": click.option("--rel", type=float, default=1, show_default=True, help="Lowest grade that counts as a click."),
    "along": value_option("along", "NAME", "Parameter on the x axis.", default="k", show_default=True),
    "at": value_option("at", "X,...", "Values of x (default: common cutoffs).", callback=parsed(parse_numbers)),
    # comparison
    "baseline": value_option("baseline", "ARM", "Baseline among the arms of a log."),
    "cluster": value_option("cluster", "COLUMN", "Column, such as the user, to cluster errors by."),
    "strata": value_option("strata", "COLUMN", "Column, such as the market, to compare within."),
    "covariate": value_option("covariate", "COLUMN", "Column to adjust the effects by (CUPED)."),
    "limits": repeated_option(
        "limits",
        "METRIC=LOSS,...",
        "Test for a loss of more than this. Repeatable.",
        callback=parsed(parse_limits),
    ),
    "cap": repeated_option(
        "cap", "METRIC=AMOUNT,...", "Count more than this, or 99%, as this. Repeatable.", callback=parsed(parse_caps)
    ),
    "shares": value_option(
        "shares", "ARM=SHARE,...", "Planned traffic, such as a=0.9,b=0.1.", callback=parsed(parse_shares)
    ),
    "all_pairs": flag_option("all-pairs", "Compare every pair of runs."),
    "junit": value_option(
        "junit",
        "FILE",
        "Write the conditions' outcomes as JUnit XML.",
        type=click.Path(dir_okay=False, path_type=Path),
    ),
    "gates": click.option(
        "--gates",
        "gates_file",
        metavar="FILE",
        help="Write the conditions' outcomes as JSON.",
        type=click.Path(dir_okay=False, path_type=Path),
    ),
    # breakdown
    "by": repeated_option("by", "COLUMN", "Score each value of this column. Repeatable."),
    "period": click.option(
        "--period",
        type=click.Choice(["day", "week", "month"]),
        help="Score each period of time= (--columns or --rule).",
    ),
    "timezone": value_option("timezone", "NAME", "Time zone of --period (default UTC)."),
    "rollup": repeated_option(
        "rollup", "COLUMN,...", "Add subtotals of --by; all or total, too.", callback=parsed(parse_rollup)
    ),
    "min_queries": value_option("min-queries", "N", "Leave out groups with fewer queries.", type=POSITIVE),
    "order": value_option("order", "METRIC", "Order the groups: worst first, or as 'mrr desc'."),
    "limit": value_option("limit", "N", "Keep the first N groups of --order.", type=POSITIVE),
    "weight": value_option("weight", "COLUMN", "Column that weights the queries in means."),
    # output
    "into": value_option("into", "NAME", "Write the result to this table of --database."),
    "replace": flag_option("replace", "Let --into replace the rows of a table."),
    "recreate": flag_option("recreate", "Let --into drop a table and create it anew."),
    "format": click.option(
        "--format", "form", type=click.Choice(FORMATS), metavar="FORM", help=f"{'|'.join(FORMATS)}."
    ),
    "output": click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the result to this file.",
    ),
    "comments": click.option("--comments/--no-comments", default=True, help="Explain the SQL in comments (default)."),
    # running
    "input_format": value_option("input-format", "NAME", "trec, csv, tsv, parquet, jsonl or json."),
    "threads": value_option("threads", "N", "Threads for DuckDB.", type=POSITIVE),
    "memory_limit": value_option("memory-limit", "SIZE", "Memory for DuckDB, such as 4GB."),
    "partitions": value_option("partitions", "N", "Score in N parts, to save memory.", type=POSITIVE, default=1),
    "verbose": flag_option("verbose", "Print the SQL, its times and every warning."),
}

WRITING = ("into", "replace", "recreate", "format", "output")
RUNNING = ("threads", "memory_limit", "verbose")
