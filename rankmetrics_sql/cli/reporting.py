"""The command report: a page about runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import rankmetrics_sql as rm

from ..errors import DataError, UsageError
from .help import Command
from .inputs import check_folder
from .options import (
    baseline_option,
    by_option,
    cluster_option,
    columns_options,
    combined,
    database_options,
    metric_option,
    period_options,
    profile_option,
    qrels_option,
    query_list_option,
    running_options,
    set_option,
)
from .session import session
from .sources import read_runs, source_tables
from .terminal import echo, show_sql

_asking_options = combined(
    *(metric_option, profile_option, set_option, by_option, period_options, cluster_option),
    *(query_list_option, database_options, columns_options, running_options),
)


@click.command(cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN...")
@qrels_option
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The page to write, such as report.html.",
)
@baseline_option
@source_tables
@_asking_options
def report(
    runs: tuple[str, ...],
    qrels: str | None,
    output: Path,
    baseline: str | None,
    cluster: str | None,
    **arguments: Any,
) -> None:
    """Write an HTML page with verdicts, charts and queries.

    The page is one file that needs no network. The first RUN or arm is the baseline, and --baseline names another arm.
    A single RUN has values only.
    """
    from ..report.drawings import need_drawing

    need_drawing()
    if str(output) == "-":
        raise UsageError("-o - would print the page. Write it to a file: -o report.html.")
    if output.is_dir():
        raise DataError(f"{output} is a folder. Pass a file: -o {output / 'report.html'}.")
    check_folder(output)
    arguments["output"] = output
    with session(arguments, *runs, qrels) as (inputs, keywords):
        asked, judgments = read_runs(inputs, arguments, runs), inputs.one(qrels)
        asked.require("Try: rankmetrics report OLD NEW --qrels QRELS -m nDCG@10 -o report.html", judgments)
        asked.refuse_baseline(baseline)
        keywords["cluster"] = cluster
        result: rm.Result | rm.Comparison
        if baseline is not None:
            result = rm.compare(asked.value, None, judgments, baseline=baseline, **keywords)
        else:
            if keywords.get("interval", "none") == "none":
                keywords["interval"] = "t"
            result = rm.evaluate(asked.value, judgments, **keywords)
        show_sql(arguments, result.sql)
        result.report(output)
    echo(f"{output}: {output.stat().st_size / 1000:,.0f} kB")
