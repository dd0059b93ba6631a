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


def _read_metrics(_ctx: click.Context, _param: click.Parameter, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the metrics that the texts name. Print the trec_eval metrics that the package lacks."""
    from .texts import expand_nicknames, split_metrics

    metrics, lacking = expand_nicknames([metric for text in texts for metric in split_metrics(text)])
    if lacking:
        echo(f"rankmetrics: skipped, because only trec_eval has them: {', '.join(lacking)}.", err=True)
    return tuple(metrics)


def _complete_metric(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    from ..definitions.known import known_metrics

    return [name for name in known_metrics() if name.startswith(begun.lower())]


def _complete_option(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    """Complete the name with its equals sign, then the values."""
    from ..definitions.known import known_options

    known = known_options()
    texts = [f"{name}=" for name in known]
    texts += [f"{name}={value}" for name in known for value in known[name]["choices"] if f"{name}=" in begun]
    return [text for text in texts if text.startswith(begun) and text != begun]


def _complete_profile(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    from ..definitions.profiles import profiles

    return [name for name in profiles() if name.startswith(begun)]


def _judgments_option(**others: Any) -> Callable[[Command], Command]:
    return click.option("--qrels", metavar="QRELS", help="Judgments (file or table).", **others)


qrels_option = _judgments_option()
needed_qrels_option = _judgments_option(required=True)
query_list_option = click.option("--query-list", metavar="FILE", help="Score only the queries in this file or table.")


def metrics_option(
    help_text: str = "Metrics, such as nDCG@10,ap. Repeatable.", **others: Any
) -> Callable[[Command], Command]:
    """``-m``, which may be repeated and may name several metrics."""
    names = ("-m", "--metric", "metrics")
    return click.option(
        *names,
        multiple=True,
        metavar="METRIC",
        help=help_text,
        callback=_read_metrics,
        shell_complete=_complete_metric,
        **others,
    )


metric_option = metrics_option(required=True)
metrics_if_any_option = metrics_option()
profile_option = click.option(
    "--profile", metavar="NAME", help="A named set of options.", shell_complete=_complete_profile
)
set_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="OPTION=VALUE",
    shell_complete=_complete_option,
    help="An option, such as ties=item_asc. Repeatable.",
)
by_option = click.option(
    "--by",
    multiple=True,
    metavar="COLUMN",
    help="Score each value of this column. Repeatable.",
)
period_options = combined(
    click.option(
        "--period",
        type=click.Choice(["day", "week", "month"]),
        help="Score each period of time= (--columns or --rule).",
    ),
    click.option("--timezone", metavar="NAME", help="Time zone of --period (default UTC)."),
)
weight_option = click.option("--weight", metavar="COLUMN", help="Column that weights the queries in means.")
breakdown_options = combined(
    click.option(
        "--rollup",
        multiple=True,
        metavar="COLUMN,...",
        help="Add subtotals of --by; all or total, too.",
    ),
    click.option(
        "--min-queries",
        type=click.IntRange(min=1),
        metavar="N",
        help="Leave out groups with fewer queries.",
    ),
    weight_option,
)
items_option = click.option("--items", metavar="ITEMS", help="Catalogue of the items, for coverage and such.")
baseline_option = click.option("--baseline", metavar="ARM", help="Baseline among the arms of a log.")
cluster_option = click.option(
    "--cluster",
    metavar="COLUMN",
    help="Column, such as the user, to cluster errors by.",
)
covariate_option = click.option(
    "--covariate",
    metavar="COLUMN",
    help="Column to adjust the effects by (CUPED).",
)
limits_option = click.option(
    "--limits",
    multiple=True,
    metavar="METRIC=LOSS,...",
    help="Test for a loss of more than this. Repeatable.",
)
cap_option = click.option(
    "--cap",
    multiple=True,
    metavar="METRIC=AMOUNT,...",
    help="Count more than this, or 99%, as this. Repeatable.",
)
all_pairs_option = click.option("--all-pairs", is_flag=True, help="Compare every pair of runs.")
columns_option = click.option(
    "--columns",
    multiple=True,
    metavar="NAME=COLUMN,...",
    help="Your columns, such as item_id=doc. Repeatable.",
)
columns_options = combined(
    columns_option,
    click.option(
        "--position",
        metavar="COLUMN",
        help="Column with the rank, in place of a score.",
    ),
)
url_option = click.option(
    "--database",
    metavar="URL",
    help="postgresql://..., or a DuckDB file. Only read.",
)
database_options = combined(
    url_option,
    click.option("--dialect", metavar="NAME", help="SQL dialect, if the URL does not name it."),
    click.option(
        "--materialize",
        metavar="SCHEMA",
        help="Where to store files (temp: temporary tables).",
    ),
    click.option("--timeout", type=float, metavar="SECONDS", help="How long a statement may take."),
)
_into = combined(
    click.option("--into", metavar="NAME", help="Write the result to this table of --database."),
    click.option("--replace", is_flag=True, help="Let --into replace an existing table."),
)
input_format_option = click.option(
    "--input-format",
    metavar="NAME",
    help="trec, csv, tsv, parquet, jsonl or json.",
)
threads_option = click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Threads for DuckDB.")
memory_limit_option = click.option("--memory-limit", metavar="SIZE", help="Memory for DuckDB, such as 4GB.")
output_options = combined(
    click.option(
        "--format",
        "form",
        type=_FORMATS,
        metavar="FORM",
        help=f"{'|'.join(FORMATS)}.",
    ),
    click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the result to this file.",
    ),
)
comments_option = click.option("--comments/--no-comments", default=True, help="Explain the SQL in comments (default).")
verbose_option = click.option(
    "--verbose",
    is_flag=True,
    help="Print the SQL, its times and every warning.",
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
