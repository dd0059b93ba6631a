"""The command that plans a test: sample-size."""

from __future__ import annotations

from typing import Any

import click

import rankmetrics_sql as rm

from .help import Command
from .inputs import InputReader
from .options import (
    cluster_option,
    columns_options,
    combined,
    database_options,
    items_option,
    metric_option,
    output_options,
    profile_option,
    qrels_option,
    query_list_option,
    running_options,
    set_option,
)
from .output import choose_form, print_records
from .session import session
from .sources import read_runs, source_tables
from .terminal import show_sql
from .texts import parse_shares

_where = combined(database_options, columns_options, output_options, running_options)


@click.command("sample-size", cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN [OTHER]")
@qrels_option
@click.option("--effect", type=float, metavar="EFFECT", help="Least difference that matters, such as 0.01.")
@click.option("--n", type=int, metavar="N", help="Instead, the queries or users of the smallest arm.")
@click.option("--n-tests", type=int, default=1, show_default=True, help="Tests that p will be corrected for.")
@click.option("--shares", metavar="ARM=SHARE,...", help="Planned traffic, such as a=0.9,b=0.1.")
@cluster_option
@items_option
@metric_option
@profile_option
@set_option
@query_list_option
@source_tables
@_where
def sample_size(
    runs: tuple[str, ...],
    qrels: str | None,
    effect: float | None,
    n: int | None,
    n_tests: int,
    shares: str | None,
    cluster: str | None,
    items: str | None,
    **arguments: Any,
) -> None:
    """Plan how many queries or users a test needs.

    One run or log plans an experiment with arms, from the spread of its values. Two runs plan a comparison of pairs,
    from the spread of their differences. --set power=0.9 asks for more than 0.8.
    """
    choose_form(arguments, "a plan")
    planned: dict[str, Any] = {"effect": effect, "n": n, "n_tests": n_tests, "cluster": cluster}
    planned["shares"] = None if shares is None else parse_shares(shares)
    with session(arguments, *runs, qrels, items) as (inputs, keywords):
        found = _planned(inputs, arguments, runs, qrels, keywords | planned | {"items": inputs.one(items)})
        show_sql(arguments, found.sql)
        records = found.dicts()
    print_records(records, arguments, None)


def _planned(
    inputs: InputReader, arguments: dict[str, Any], runs: tuple[str, ...], qrels: str | None, keywords: dict[str, Any]
) -> rm.Table:
    asked, judgments = read_runs(inputs, arguments, runs), inputs.one(qrels)
    asked.require("Try: rankmetrics sample-size RUN --qrels QRELS -m nDCG@10 --effect 0.01", judgments)
    if asked.kind is None and len(asked.runs) > 1:
        return rm.sample_size(dict(asked.runs), judgments, **keywords)
    return rm.sample_size(asked.value, judgments, **keywords)
