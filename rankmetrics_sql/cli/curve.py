"""The command that prints a metric along one of its parameters: curve."""

from __future__ import annotations

from typing import Any

import click

import rankmetrics_sql as rm

from ..errors import UsageError
from .options import needed_qrels_option, scoring_options, weight_option
from .output import choose_form, left_there, print_records, records_of
from .session import session
from .terminal import show_sql
from .texts import numbers_of


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@needed_qrels_option
@click.option("--along", default="k", show_default=True, metavar="NAME", help="The parameter that x is.")
@click.option("--at", metavar="X,...", help="Its values; by default some cutoffs, or the eleven recall levels.")
@click.option("-q", "--per-query", is_flag=True, help="The points of every query instead of their average.")
@weight_option
@scoring_options
def curve(
    runs: tuple[str, ...],
    qrels: str,
    per_query: bool,
    along: str,
    at: str | None,
    weight: str | None,
    **arguments: Any,
) -> None:
    """Print a metric along one of its parameters, or a curve such as pr_curve, one row per point."""
    choose_form(arguments, "a curve")
    [metric, *others] = arguments.pop("metrics")
    if others:
        raise UsageError("A curve is of one metric; give -m once.")
    with session(arguments, *runs, qrels) as (inputs, keywords):
        named, judgments = inputs.runs(runs), inputs.one(qrels)
        name, run = next(iter(named.items()))
        several = named if len(named) > 1 else run
        found = rm.curve(several, judgments, metric, along=along, at=numbers_of(at), weight=weight, **keywords)
        show_sql(arguments, found.sql)
        if found.summary is None and not per_query:
            raise UsageError(f"{metric} has points of its own for every query: ask for them with --per-query.")
        if left_there(arguments, found, per_query or found.summary is None):
            per_query = False
        table = found.per_query if per_query or found.summary is None else found.summary
        records = records_of(table, name)
    print_records(records, arguments, None)
