"""The command movements: items that entered, left or moved."""

from __future__ import annotations

from typing import Any

import click

import rankmetrics_sql as rm

from ..errors import UsageError
from .help import Command
from .options import profile_option, reading_options, set_option
from .output import choose_form, create_table, print_records
from .session import session
from .sources import read_runs, source_tables
from .terminal import show_sql


@click.command(cls=Command)
@click.argument("runs", nargs=-1, metavar="BASELINE CANDIDATE...")
@click.option("--qrels", metavar="QRELS", help="Judgments, for the column relevance.")
@click.option("-k", default=10, show_default=True, type=click.IntRange(min=1), help="Cutoff.")
@click.option("--query", "queries", multiple=True, metavar="ID", help="Show only this query. Repeatable.")
@click.option("--baseline", metavar="RUN", help="Baseline, of one source with several runs.")
@source_tables
@profile_option
@set_option
@reading_options
def movements(
    runs: tuple[str, ...], qrels: str | None, k: int, queries: tuple[str, ...], baseline: str | None, **arguments: Any
) -> None:
    """List the items that entered, left or moved in the top k."""
    choose_form(arguments, "movements")
    with session(arguments, *runs, qrels) as (inputs, keywords):
        asked = read_runs(inputs, arguments, runs)
        asked.require("Try: rankmetrics movements OLD NEW -k 10", "", BASELINE=1, CANDIDATE=2)
        named = dict(asked.runs)
        first = named.pop(asked.name)
        if named and baseline is not None:
            raise UsageError("--baseline names a run of one source. Put the baseline first, and omit --baseline.")
        keywords |= {"k": k, "query": list(queries) or None, "baseline": asked.name if named else baseline}
        result = rm.movements(first, named or None, inputs.one(qrels), **keywords)
        show_sql(arguments, result.sql)
        create_table(arguments, result)
        records = result.summary.dicts()
    print_records(records, arguments, None)
