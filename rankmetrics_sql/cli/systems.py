"""The commands about systems, judgments and sample sizes: tukey, sensitivity, agreement, sample-size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

import rankmetrics_sql as rm

from ..results.files import FOR_PEOPLE, write
from .help import Command
from .inputs import InputReader, require, session
from .options import RUNNING, metrics_option, options_of, value_option
from .sources import given_or_unneeded, read_runs, source_tables
from .terminal import choose_form, echo, print_records, print_text, screen, show_sql


@click.command(cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN...")
@source_tables
@options_of("tukey", "format", "output", *RUNNING)
def tukey(runs: tuple[str, ...], qrels: str | None, **arguments: Any) -> None:
    """Compare every pair of runs with Tukey's test.

    The test corrects for all pairs of a metric at once. --set test=randomisation permutes the values of each query over
    the runs instead, --set resamples=N times from --set seed=N. --set confidence_level=P sets the level of intervals.
    """
    choose_form(arguments, "pairs of runs")
    with session("tukey", arguments, *runs, qrels) as (inputs, keywords):
        runs_read, judgments = read_runs(inputs, arguments, runs), inputs.one(qrels)
        judged = given_or_unneeded(judgments, arguments)
        runs_read.require("Try: rankmetrics tukey OLD NEW OTHER --qrels QRELS -m nDCG@10", judged, RUN=2)
        pairs = rm.tukey(runs_read.runs, judgments, **keywords)
        for text in pairs.sql:
            show_sql(arguments, text)
    form = arguments["form"]
    if form in FOR_PEOPLE:
        from ..results import all_pairs

        facts = pairs.options, form, pairs.better, pairs.counts
        print_text(all_pairs.text(pairs.summary.dicts(), *facts, screen=screen(arguments["output"])), arguments)
    else:
        print_records(pairs.summary.dicts(), arguments, None)


@click.command(cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN...")
@source_tables
@options_of("sensitivity", "format", "output", *RUNNING, without=["items"])
def sensitivity(runs: tuple[str, ...], qrels: str | None, **arguments: Any) -> None:
    """Show how unjudged items and ties change the ranking.

    The command computes each metric several times: as requested, with no or every unjudged item relevant, and with ties
    in the worst, expected and best order. Kendall's tau compares each ranking of the runs with the requested one. The
    last table shows which runs stay ahead in every case. CSV contains only the values.
    """
    choose_form(arguments, "several tables")
    with session("sensitivity", arguments, *runs, qrels) as (inputs, keywords):
        runs_read, judgments = read_runs(inputs, arguments, runs), inputs.one(qrels)
        runs_read.require("Try: rankmetrics sensitivity OLD NEW --qrels QRELS -m nDCG@10", judgments)
        result = rm.sensitivity(runs_read.value if runs_read.kind else runs_read.runs, judgments, **keywords)
        show_sql(arguments, result.sql)
    _print_tables({"values": result.values, "agreement": result.agreement, "certain": result.certain}, arguments)


@click.command(cls=Command)
@click.argument("judgments", nargs=-1, metavar="QRELS...")
@options_of(
    "agreement",
    "format",
    "output",
    *RUNNING,
    metrics=metrics_option("Metrics that rank the runs. Repeatable."),
    runs=click.option("--run", "runs", multiple=True, metavar="RUN", help="A run to rank by each judge. Repeatable."),
    judge=value_option("judge", "COLUMN", "The column of one table with the judge of each row."),
    grades=value_option("grades", "GRADES", "All grades of the scale, such as 0,1,2,3."),
)
def agreement(judgments: tuple[str, ...], runs: tuple[str, ...], **arguments: Any) -> None:
    """Show how far judges agree.

    Pass two sets of judgments, several as NAME=QRELS, or one table with --judge. The command prints Cohen's kappa of
    each two judges, and Krippendorff's alpha, Gwet's AC1 and AC2 and Fleiss' kappa of all. --set rel=2 sets the lowest
    relevant grade. With --run it also prints values and ranks of runs by each judge, and Kendall's tau. CSV contains
    only the first table.
    """
    choose_form(arguments, "several tables")
    with session("agreement", arguments, *judgments, *runs) as (inputs, keywords):
        keywords |= {"grades": _numbers(arguments["grades"]), "runs": inputs.runs(runs) or None}
        result = rm.agreement(*_sets(inputs, judgments, arguments["judge"]), **keywords)
        for text in result.sql:
            show_sql(arguments, text)
    tables = {"pairs": result.pairs, "overall": result.overall, "judges": result.judges, "grades": result.grades}
    if arguments["form"] in FOR_PEOPLE:
        from ..results.summary_rows import with_ends

        tables = {name: with_ends(rows) for name, rows in tables.items()}
    _print_tables(tables | {"values": result.values, "agreement": result.agreement}, arguments)


def _sets(inputs: InputReader, judgments: Sequence[str], judge: str | None) -> Sequence[Any]:
    """Return the sets of judgments as ``rm.agreement`` takes them."""
    require("Try: rankmetrics agreement a=QRELS b=QRELS", QRELS=len(judgments) >= (1 if judge else 2))
    from ..inputs.strings import split_named

    names = [split_named(text)[0] for text in judgments]
    if judge is not None or (len(judgments) == 2 and (None in names or names[0] == names[1])):
        return [inputs.one(text) for text in judgments]
    return [inputs.runs(judgments)]


def _numbers(text: str | None) -> list[float] | None:
    """Return numbers between commas."""
    if text is None:
        return None
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise click.UsageError(f"--grades takes numbers between commas, such as 0,1,2,3, not {text}.") from None


def _print_tables(tables: Mapping[str, Sequence[dict[str, Any]]], arguments: Mapping[str, Any]) -> None:
    """Print or write tables. For people, a rank stands beside its value."""
    from ..results import formats
    from ..results.summary_rows import with_ranks

    form, output = arguments["form"], arguments["output"]
    printed = {name: with_ranks(rows) for name, rows in tables.items()} if form in FOR_PEOPLE else tables
    text = formats.tables(printed, form, screen(output))
    if output is None:
        echo(text, nl=False)
    else:
        write(text, output)


@click.command("sample-size", cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN [OTHER]")
@source_tables
@options_of(
    "sample_size",
    "format",
    "output",
    *RUNNING,
    effect=value_option("effect", "EFFECT", "Least difference that matters, such as 0.01.", type=float),
    n=value_option("n", "N", "Instead, the queries or users of the smallest arm.", type=int),
    n_tests=click.option(
        "--n-tests", type=int, default=1, show_default=True, help="Tests that p will be corrected for."
    ),
)
def sample_size(runs: tuple[str, ...], qrels: str | None, **arguments: Any) -> None:
    """Plan how many queries or users a test needs.

    One run or log plans an experiment with arms, from the spread of its values. Two runs plan a comparison of pairs,
    from the spread of their differences. --set power=0.9 asks for more than 0.8.
    """
    choose_form(arguments, "a plan")
    with session("sample_size", arguments, *runs, qrels) as (inputs, keywords):
        runs_read, judgments = read_runs(inputs, arguments, runs), inputs.one(qrels)
        judged = given_or_unneeded(judgments, arguments)
        runs_read.require("Try: rankmetrics sample-size RUN --qrels QRELS -m nDCG@10 --effect 0.01", judged)
        table = rm.sample_size(runs_read.value, judgments, **keywords)
        show_sql(arguments, table.sql)
        records = table.dicts()
    print_records(records, arguments, None)
