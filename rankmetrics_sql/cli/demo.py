"""The command demo: compares the arms of a click log and scores two runs."""

from __future__ import annotations

from pathlib import Path

import click

import rankmetrics_sql as rm

from .help import Command
from .output import print_records
from .terminal import echo, print_warnings, screen

_FOLDER = Path(__file__).parents[1] / "demo"
_ARM_METRICS = ("ctr@5", "mrr")
_RUN_METRICS = ("nDCG@10", "P@5", "AP", "RR", "Bpref", "R@1000")
_PAGE_WIDTH = 104  # columns, if there is no terminal
_ARMS_TITLE = """\
20,000 searches of a click log (made up). To compare the arms of your own log:
rankmetrics compare --events impressions events --rule arm=arm --baseline old -m ctr@5,mrr --database URL
"""
_RUNS_TITLE = "TREC-COVID round 2, two runs of team covidex against NIST's judgments:\n"


@click.command(cls=Command)
@click.argument("part", type=click.Choice(["arms", "scores"]), required=False)
@click.option("--sql", is_flag=True, help="Print the SQL that compares the arms.")
def demo(part: str | None, sql: bool) -> None:
    """Compare the arms of a click log, and score two runs.

    Both come with the package. Pass arms or scores to see only one of them.
    """
    if sql:
        echo(
            rm.sql(
                _ARM_METRICS,
                rm.events("impressions", "events", arm="arm"),
                baseline="old",
                level="compare",
                design="unpaired",
            ),
            nl=False,
        )
        return
    with print_warnings():
        if part != "scores":
            _compare()
        if part is None:
            echo("")
        if part != "arms":
            _score()


def _compare() -> None:
    from ..results import comparison_tables
    from ..results.screens import Screen

    impressions = (_FOLDER / "impressions.sql").read_text(encoding="utf-8")
    clicks = f"SELECT request_id, item_id, 'click' AS event_type FROM ({impressions}) WHERE clicked"
    found = rm.compare(rm.events(impressions, clicks, arm="arm"), _ARM_METRICS, baseline="old")
    shown = comparison_tables.comparison(
        found.summary.dicts(),
        found.options,
        better=found.better,
        counts=found.counts,
        notes=found.notes,
        screen=screen() or Screen(_PAGE_WIDTH),
    )
    echo(f"{_ARMS_TITLE}\n{shown}", nl=False)


def _score() -> None:
    from ..results.records import best_records

    echo(_RUNS_TITLE)
    result = rm.evaluate(
        [_FOLDER / "covidex.t5.run.gz", _FOLDER / "covidex.sim.run.gz"], _FOLDER / "qrels.txt", _RUN_METRICS
    )
    records = result.summary.dicts()
    print_records(records, {}, "metric", best=best_records(records, result.better))
