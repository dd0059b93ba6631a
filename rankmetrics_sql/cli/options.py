"""The options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from ..results.files import FORMATS
from .terminal import echo

Command = Callable[..., Any]


def combined(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """One decorator out of several; help lists them in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_FORMATS = click.Choice(FORMATS)


def _metrics_of(_ctx: click.Context, _param: click.Parameter, texts: Sequence[str]) -> tuple[str, ...]:
    """The metrics that the texts name; a line on standard error says what of trec_eval's is not here."""
    from ..definitions.metric_strings import split_metrics
    from ..definitions.names import with_nicknames

    metrics, lacking = with_nicknames([metric for text in texts for metric in split_metrics(text)])
    if lacking:
        echo(f"rankmetrics: not here, though in trec_eval: {', '.join(lacking)}.", err=True)
    return tuple(metrics)


def _of_metrics(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    from ..definitions.catalogue import metrics

    return [name for name in metrics() if name.startswith(begun.lower())]


def _of_options(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    """Names with their sign, then values."""
    from ..definitions.catalogue import options

    texts = [f"{name}=" for name in options()]
    texts += [f"{name}={value}" for name, option in options().items() for value in option.values if f"{name}=" in begun]
    return [text for text in texts if text.startswith(begun) and text != begun]


def _of_profiles(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    from ..definitions.profiles import profiles

    return [name for name in profiles() if name.startswith(begun)]


def _judgments_option(**others: Any) -> Callable[[Command], Command]:
    return click.option("--qrels", metavar="QRELS", help="The judgments: a file, or a table of the database.", **others)


qrels_option = _judgments_option()
needed_qrels_option = _judgments_option(required=True)
query_list_option = click.option("--query-list", metavar="FILE", help="Score only the queries that this file lists.")


def metrics_option(help_text: str = "Such as nDCG@10, ap, 'rbp(p=0.8)'", **others: Any) -> Callable[[Command], Command]:
    """``-m``, which may be repeated and may name several metrics."""
    text = f"{help_text}; several with spaces or commas between them, or repeated."
    names = ("-m", "--metric", "metrics")
    return click.option(
        *names, multiple=True, metavar="METRIC", help=text, callback=_metrics_of, shell_complete=_of_metrics, **others
    )


metric_option = metrics_option(required=True)
metrics_if_any_option = metrics_option()
profile_option = click.option("--profile", metavar="NAME", help="A named set of options.", shell_complete=_of_profiles)
set_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="OPTION=VALUE",
    shell_complete=_of_options,
    help="A choice by name, such as ties=item_asc; may be repeated.",
)
by_option = click.option(
    "--by",
    multiple=True,
    metavar="COLUMN",
    help="Break the summary down by a column, or run.COLUMN for one of the run; may be repeated.",
)
period_options = combined(
    click.option(
        "--period",
        type=click.Choice(["day", "week", "month"]),
        help="Break down by the day, the week or the month of --columns time=COLUMN, or time=run.COLUMN.",
    ),
    click.option("--timezone", metavar="NAME", help="Whose days they are, such as Europe/Berlin; by default UTC's."),
)
weight_option = click.option(
    "--weight", metavar="COLUMN", help="The column with the weight of each query, such as its traffic, in the means."
)
breakdown_options = combined(
    click.option(
        "--rollup",
        multiple=True,
        metavar="all|total|COLUMN,...",
        help="Rows of fewer columns of --by too: of all sets of them, or of these; may be repeated.",
    ),
    click.option(
        "--min-queries",
        type=click.IntRange(min=1),
        metavar="N",
        help="Leave groups with fewer queries out of the summary.",
    ),
    weight_option,
)
cluster_option = click.option(
    "--cluster",
    metavar="COLUMN",
    help="The column, such as the user, whose queries may be alike: errors are those of its values, and sums have rows"
    " for them.",
)
covariate_option = click.option(
    "--covariate",
    metavar="COLUMN",
    help="The column with a number of each query known before, such as its value in an earlier period: effects of arms"
    " are adjusted by it (CUPED).",
)
limits_option = click.option(
    "--limits",
    multiple=True,
    metavar="METRIC=LOSS,...",
    help="How much metrics may lose: ap=0.01,fallout@10=0. A comparison tests these against that loss, and no others,"
    " and calls them worse, not worse or not clear. May be repeated.",
)
all_pairs_option = click.option(
    "--all-pairs", is_flag=True, help="Compare every run with every other one, instead of all with the first."
)
columns_option = click.option(
    "--columns",
    multiple=True,
    metavar="NAME=COLUMN,...",
    help="Your column names, or SQL over the row: item_id=doc_id,qrels.relevance=stars-1; query_id= again for"
    " several columns together.",
)
columns_options = combined(
    columns_option,
    click.option(
        "--position",
        metavar="COLUMN",
        help="The column that orders a run, 1 for the first item, where there is no score: --columns position=COLUMN.",
    ),
)
url_option = click.option(
    "--database",
    metavar="URL",
    help="Where the tables are: postgresql://..., snowflake://..., a DuckDB file; only read unless told otherwise.",
)
database_options = combined(
    url_option,
    click.option("--dialect", metavar="NAME", help="Whose SQL the database speaks, where the URL cannot say it."),
    click.option(
        "--materialize",
        metavar="SCHEMA",
        help="Store files there for the evaluation, and run SQL text once; temp for temporary tables.",
    ),
    click.option("--timeout", type=float, metavar="SECONDS", help="How long a statement may take."),
)
_into = combined(
    click.option("--into", metavar="NAME", help="Leave the result in this table of --database, whole or not at all."),
    click.option("--replace", is_flag=True, help="Let --into replace a table of that name."),
)
input_format_option = click.option(
    "--input-format",
    metavar="NAME",
    help="trec, csv, tsv, parquet, jsonl or json for all files, instead of going by their names.",
)
threads_option = click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Threads that DuckDB may use.")
memory_limit_option = click.option("--memory-limit", metavar="SIZE", help="Memory that DuckDB may use, such as 4GB.")
output_options = combined(
    click.option(
        "--format", "form", type=_FORMATS, help="How to print the result; by default as --output ends, else a table."
    ),
    click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the result to a file, whole or not at all.",
    ),
)
comments_option = click.option(
    "--comments/--no-comments", default=True, show_default=True, help="Say in comments what the SQL is made of."
)
verbose_option = click.option(
    "--verbose",
    is_flag=True,
    help="Print the plan, the SQL that runs and the time of each statement, on standard error.",
)
running_options = combined(input_format_option, threads_option, memory_limit_option, verbose_option)
reading_options = combined(
    query_list_option,
    database_options,
    _into,
    columns_options,
    output_options,
    running_options,
)
scoring_options = combined(metric_option, profile_option, set_option, by_option, period_options, reading_options)
