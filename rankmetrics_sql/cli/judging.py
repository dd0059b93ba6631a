"""The command that lists what to judge next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

import rankmetrics_sql as rm

from ..errors import UsageError
from ..results.files import FOR_PEOPLE
from .help import Command
from .inputs import session
from .options import POSITIVE, RUNNING, WRITING, metrics_option, options_of, repeated_option
from .sources import read_runs, source_tables
from .terminal import choose_form, create_table, echo, print_records, screen, show_sql


@click.command("judge-next", cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN...")
@source_tables
@options_of(
    "judge_next",
    *WRITING,
    *RUNNING,
    metric=metrics_option("Metric, such as nDCG@10.", required=True),
    n=click.option("-n", type=POSITIVE, default=100, show_default=True, help="How many items to list at most."),
    texts=repeated_option("texts", "FILE", "Texts by query_id or item_id. Repeatable."),
)
def judge_next(runs: tuple[str, ...], qrels: str | None, texts: tuple[str, ...], **arguments: Any) -> None:
    """List the unjudged items that can move a comparison most.

    The influence of an item is how far its grade, 0 or the highest, moves the mean difference from the first run. The
    range of that difference stands above the list. --set max_grade=3 names the highest grade. CSV contains only the
    list.
    """
    choose_form(arguments, "a list of items to judge")
    [metric, *other_metrics] = arguments.pop("metrics")
    if other_metrics:
        raise UsageError("judge-next takes one metric, such as -m ndcg@10.")
    with session("judge_next", arguments, *runs, qrels, *texts) as (inputs, keywords):
        runs_read, judgments = read_runs(inputs, arguments, runs), inputs.one(qrels)
        runs_read.require("Try: rankmetrics judge-next OLD NEW --qrels QRELS -m nDCG@10", judgments)
        keywords |= {"texts": [inputs.one(text) for text in texts] or None}
        found = rm.judge_next(runs_read.value, judgments, metric, **keywords)
        show_sql(arguments, found.sql)
        create_table(arguments, found)
        records = found.summary.dicts()
    above = _ranges(found.ranges, arguments) if arguments["form"] in FOR_PEOPLE else ""
    if records or arguments["form"] not in FOR_PEOPLE:
        print_records(records, arguments, None, above=above)
    else:
        echo(above, nl=False)
    for note in found.notes:
        echo(note, err=True)


def _ranges(ranges: Sequence[dict[str, Any]], arguments: dict[str, Any]) -> str:
    """Return the range of each difference now, for people."""
    from ..results import formats

    return formats.render(ranges, arguments["form"], None, screen=screen(arguments["output"])) + "\n"
