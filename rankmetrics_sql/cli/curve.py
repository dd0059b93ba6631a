"""The command curve: a metric at several values of one parameter."""

from __future__ import annotations

from typing import Any

import click

import rankmetrics_sql as rm

from ..errors import UsageError
from .help import Command
from .options import qrels_option, scoring_options, weight_option
from .output import choose_form, create_table, name_runs, print_records
from .session import session
from .sources import read_runs, source_tables
from .terminal import show_sql
from .texts import parse_numbers


@click.command(cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN...")
@qrels_option
@click.option("--along", default="k", show_default=True, metavar="NAME", help="Parameter on the x axis.")
@click.option("--at", metavar="X,...", help="Values of x (default: common cutoffs).")
@click.option("-q", "--per-query", is_flag=True, help="Print the points of each query.")
@weight_option
@source_tables
@scoring_options
def curve(
    runs: tuple[str, ...],
    qrels: str | None,
    per_query: bool,
    along: str,
    at: str | None,
    weight: str | None,
    **arguments: Any,
) -> None:
    """Score runs at several cutoffs or recall levels.

    The result has a row for each point: of a metric at the values of --along, or of a curve such as pr_curve.
    """
    choose_form(arguments, "a curve")
    [metric, *others] = arguments.pop("metrics")
    if others:
        raise UsageError("A curve shows one metric. Pass -m once.")
    with session(arguments, *runs, qrels) as (inputs, keywords):
        asked, judgments = read_runs(inputs, arguments, runs), inputs.one(qrels)
        asked.require("Try: rankmetrics curve RUN --qrels QRELS -m recall", judgments)
        found = rm.curve(asked.value, judgments, metric, along=along, at=parse_numbers(at), weight=weight, **keywords)
        show_sql(arguments, found.sql)
        if found.summary is None and not per_query:
            raise UsageError(f"{metric} has no mean, because each query has its own points. Add --per-query.")
        if create_table(arguments, found, per_query or found.summary is None):
            per_query = False
        table = found.per_query if per_query or found.summary is None else found.summary
        records = name_runs(table, asked.kind or asked.name)
    print_records(records, arguments, None)
