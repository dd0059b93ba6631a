"""The command that shows what the package does with data that come with it: demo."""

from __future__ import annotations

from pathlib import Path

import click

import rankmetrics_sql as rm

from .output import print_records
from .terminal import echo, screen, warnings_as_lines

_FOLDER = Path(__file__).parents[1] / "demo"
_METRICS_OF_ARMS = ("ctr@5", "mrr")
_METRICS_OF_RUNS = ("nDCG@10", "P@5", "AP", "RR", "Bpref", "R@1000")
_PAPER = 104  # columns of a page, where there is no terminal
_OF_ARMS = """\
20,000 searches of a click log (made up). To compare the arms of your own log:
rankmetrics compare --events impressions events --rule arm=arm --baseline old -m ctr@5,mrr --database URL
"""
_OF_RUNS = "TREC-COVID round 2, two runs of team covidex against NIST's judgments:\n"


@click.command()
@click.argument("part", type=click.Choice(["arms", "scores"]), required=False)
@click.option("--sql", is_flag=True, help="Print the SQL that compares the arms.")
def demo(part: str | None, sql: bool) -> None:
    """Compare the arms of a click log, and score two TREC-COVID runs.

    Both come with the package. Name one of them, arms or scores, to see it alone.
    """
    if sql:
        echo(
            rm.sql(
                _METRICS_OF_ARMS,
                rm.events("impressions", "events", arm="arm"),
                baseline="old",
                level="compare",
                design="unpaired",
            ),
            nl=False,
        )
        return
    with warnings_as_lines():
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
    found = rm.compare(rm.events(impressions, clicks, arm="arm"), _METRICS_OF_ARMS, baseline="old")
    shown = comparison_tables.comparison(
        found.summary.dicts(),
        found.options,
        better=found.better,
        counts=found.counts,
        notes=found.notes,
        screen=screen() or Screen(_PAPER),
    )
    echo(f"{_OF_ARMS}\n{shown}", nl=False)


def _score() -> None:
    from ..results.records import best_records

    echo(_OF_RUNS)
    result = rm.evaluate(
        [_FOLDER / "covidex.t5.run.gz", _FOLDER / "covidex.sim.run.gz"], _FOLDER / "qrels.txt", _METRICS_OF_RUNS
    )
    records = result.summary.dicts()
    print_records(records, {}, "metric", best=best_records(records, result.better))
