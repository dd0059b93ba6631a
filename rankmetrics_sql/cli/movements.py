"""The command that lists the items of two lists: movements."""

from __future__ import annotations

from typing import Any

import click

import rankmetrics_sql as rm

from .inputs import need
from .options import profile_option, reading_options, set_option
from .output import choose_form, left_there, print_records
from .session import session
from .terminal import show_sql


@click.command()
@click.argument("runs", nargs=-1, metavar="BASELINE CANDIDATE...")
@click.option("--qrels", metavar="QRELS", help="The judgments, for the column relevance: a file, or a table.")
@click.option("-k", default=10, show_default=True, type=click.IntRange(min=1), help="How many items of a list.")
@click.option("--query", "queries", multiple=True, metavar="ID", help="Show this query only; may be repeated.")
@profile_option
@set_option
@reading_options
def movements(runs: tuple[str, ...], qrels: str | None, k: int, queries: tuple[str, ...], **arguments: Any) -> None:
    """List the items that entered, left or moved within the first k of each query."""
    choose_form(arguments, "movements")
    with session(arguments, *runs, qrels) as (inputs, keywords):
        named = inputs.runs(runs)
        need("Try: rankmetrics movements OLD NEW -k 10", BASELINE=bool(named), CANDIDATE=len(named) > 1)
        first = next(iter(named))
        keywords |= {"k": k, "query": list(queries) or None, "baseline": first}
        result = rm.movements(named.pop(first), named, inputs.one(qrels), **keywords)
        show_sql(arguments, result.sql)
        left_there(arguments, result)
        records = result.summary.dicts()
    print_records(records, arguments, None)
