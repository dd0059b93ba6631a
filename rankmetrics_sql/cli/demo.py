"""The command that scores the runs of the package: demo."""

from __future__ import annotations

from pathlib import Path

import click

import rankmetrics_sql as rm

from ..results.records import best_records
from .output import print_records
from .terminal import echo, warnings_as_lines

_DEMO_METRICS = ("nDCG@10", "P@5", "AP", "RR", "Bpref", "R@1000")


@click.command()
def demo() -> None:
    """Score two TREC-COVID runs that come with the package."""
    folder = Path(__file__).parents[1] / "demo"
    echo("TREC-COVID round 2, two runs of team covidex against NIST's judgments:\n")
    with warnings_as_lines():
        result = rm.evaluate(
            [folder / "covidex.t5.run.gz", folder / "covidex.sim.run.gz"], folder / "qrels.txt", _DEMO_METRICS
        )
    records = result.summary.dicts()
    print_records(records, {}, "metric", best=best_records(records, result.better))
