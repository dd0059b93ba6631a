"""The command explain: why two profiles give a metric different values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

import rankmetrics_sql as rm

from ..errors import UsageError
from .help import Command
from .options import (
    columns_options,
    database_options,
    metric_option,
    qrels_option,
    query_list_option,
    running_options,
    set_option,
)
from .session import session
from .sources import read_runs, source_tables
from .terminal import echo, screen, show_sql


@click.command(cls=Command)
@click.argument("run", required=False, metavar="RUN")
@qrels_option
@metric_option
@click.option("--profile", required=True, metavar="NAME", help="Profile to explain, such as ranx.")
@click.option("--against", default="trec_eval", show_default=True, metavar="NAME", help="Profile to compare with.")
@set_option
@source_tables
@query_list_option
@database_options
@columns_options
@click.option("--top", default=10, show_default=True, type=click.IntRange(min=0), help="Number of queries.")
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", help="How to print the result."
)
@running_options
def explain(
    run: str | None, qrels: str | None, metrics: Sequence[str], profile: str, against: str, top: int, **arguments: Any
) -> None:
    """Show why two profiles give a metric different values."""
    from ..results.explanation import explanation, explanation_json

    is_table = arguments["form"] == "table"
    if len(metrics) > 1 and not is_table:
        raise UsageError("--format json prints one explanation. Pass -m one metric.")
    with session({**arguments, "profile": profile}, run, qrels) as (inputs, keywords):
        asked, judgments = read_runs(inputs, arguments, () if run is None else (run,)), inputs.one(qrels)
        asked.require("Try: rankmetrics explain RUN --qrels QRELS -m nDCG@10 --profile ir_measures", judgments)
        for number, metric in enumerate(metrics):
            found = rm.explain(asked.value, judgments, metric, against=against, **keywords)
            show_sql(arguments, found.sql)
            text = explanation(found, asked.name, top, screen()) if is_table else explanation_json(found, top)
            echo(f"\n{text}" if number else text)
