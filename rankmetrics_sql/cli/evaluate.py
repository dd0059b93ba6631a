"""The commands that score runs: evaluate, curve, explain, report."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rankmetrics_sql as rm

from ..errors import DataError, UsageError
from ..results.files import FOR_PEOPLE, format_of
from .compare import NEED_BASELINE, conditions_above, judge, need_baseline, parse_gates, read_sides
from .help import Command
from .inputs import InputReader, check_folder, session
from .options import RUNNING, WRITING, flag_option, options_of, repeated_option, value_option
from .sources import (
    Named,
    given_or_unneeded,
    read_runs,
    resolve_choices,
    resolve_request,
    source_options,
    source_tables,
)
from .terminal import choose_form, create_table, echo, name_runs, per_query_records, print_records, screen, show_sql

if TYPE_CHECKING:
    from ..definitions.resolution import ResolvedMetric
    from ..results.evaluation import Result


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  rankmetrics evaluate old.run new.run --qrels qrels.txt -m nDCG@10,AP\n"
    "  rankmetrics evaluate --events shown.csv clicks.csv -m RR --rule within=1800",
)
@click.argument("runs", nargs=-1, metavar="RUN...")
@value_option("reference", "RUN", "A run to compare with, for jaccard@10 or rbo.")
@repeated_option("labelled", "TABLE", "A table with items and labels, not a RUN.")
@flag_option("empty-lists", "Its rows without an item are empty lists.")
@click.option("-q", "--per-query", is_flag=True, help="Print a value for each query, not their mean.")
@source_options
@options_of("evaluate", "judge", "consensus", "junit", "gates", *WRITING, *RUNNING)
@repeated_option("fail-if", "CONDITION", "Exit with 3 if this holds: 'rr < 0.8'.")
@repeated_option("fail-unless", "CONDITION", "Exit with 3 unless this holds.")
def evaluate(
    runs: tuple[str, ...],
    qrels: str | None,
    reference: str | None,
    labelled: tuple[str, ...],
    empty_lists: bool,
    per_query: bool,
    fail_if: tuple[str, ...],
    fail_unless: tuple[str, ...],
    **arguments: Any,
) -> None:
    """Score runs, a log or a labelled table.

    RUN and QRELS are files (TREC text, CSV, Parquet or JSON; .gz or .zst) or tables of --database. Write - for standard
    input, and NAME=FILE to name a run. A log such as --events, or --labelled, takes the place of RUN.
    """
    from ..results.summary_rows import best_records, keys_of

    arguments["form"] = arguments["form"] or format_of(arguments["output"])
    if arguments["form"] == "trec" and arguments["by"]:
        raise UsageError("--format trec cannot hold the groups of --by. Pass another format, such as --format csv.")
    if arguments["partitions"] > 1 and arguments["into"] is not None:
        raise UsageError("--into writes the result of one statement, and --partitions runs several. Omit --partitions.")
    if empty_lists and not labelled:
        raise UsageError("--empty-lists has no effect without a labelled table. Pass --labelled TABLE, too.")
    gates = parse_gates(fail_if, fail_unless, arguments, compares=False)
    with session("evaluate", arguments, *runs, *labelled, qrels, reference) as (inputs, keywords):
        runs_read = read_runs(inputs, arguments, runs)
        judgments = _judgments(inputs, qrels, reference, arguments, keywords)
        if labelled:
            result, name = _evaluate_labelled(
                inputs, labelled, runs_read, judgments, keywords | {"empty_lists": empty_lists}
            )
        else:
            judged = given_or_unneeded(judgments, arguments)
            runs_read.require("Try: rankmetrics evaluate RUN --qrels QRELS -m nDCG@10", judged)
            name, result = runs_read.kind or runs_read.name, rm.evaluate(runs_read.value, judgments, **keywords)
        show_sql(arguments, result.per_query.sql if per_query else result.sql)
        summary = name_runs(result.summary, name)
        outcomes = [gate.outcome(summary, result.unjudged) for gate in gates]
        if arguments["quality"] and result.data_quality is not None:
            print_records(result.data_quality.dicts(), arguments, None, above=conditions_above(outcomes, arguments))
            judge("evaluate", outcomes, arguments)
            return
        if create_table(arguments, result, per_query):
            per_query = False
        records = list(per_query_records(result, name)) if per_query else summary
        if per_query and arguments["form"] == "trec" and len(keys_of(records[0])) > 1:
            raise UsageError(
                "--format trec has one column for the query, and yours have several. Pass another format,"
                " such as --format csv."
            )
    best = set() if per_query else best_records(records, result.better, result.counts)
    _print_values(records, result, arguments, best, conditions_above(outcomes, arguments))
    judge("evaluate", outcomes, arguments)


def _print_values(
    records: Sequence[dict[str, Any]],
    result: Result,
    arguments: Mapping[str, Any],
    best: Collection[int],
    above: str,
) -> None:
    """Print a column for each metric; for people, a row for each value with an interval."""
    pivot: str | None = "metric"
    if records and "ci_lower" in records[0] and arguments["form"] in FOR_PEOPLE:
        from ..results.summary_rows import with_intervals

        level = resolve_request(arguments)[0].options["confidence_level"]
        records, pivot = with_intervals(records, float(str(level))), None
    print_records(records, arguments, pivot, result.counts, result.trec_eval, best, above)


def _judgments(
    inputs: InputReader,
    qrels: str | None,
    reference: str | None,
    arguments: Mapping[str, Any],
    keywords: dict[str, Any],
) -> Any:
    """Return the judgments: those of --qrels, or the ranks of --reference."""
    if reference is None:
        return inputs.judgments(qrels, arguments, keywords)
    if qrels is not None:
        raise UsageError(
            "--qrels and --reference exclude each other, because a reference replaces the judgments. Omit --qrels."
        )
    from ..inputs.references import ranks

    return ranks(inputs.one(reference))


def _evaluate_labelled(
    inputs: InputReader, labelled: Sequence[str], runs_read: Named, qrels: Any, keywords: Mapping[str, Any]
) -> tuple[Any, str]:
    if runs_read.runs:
        other = f"--{runs_read.kind}" if runs_read.kind else "RUN"
        raise UsageError(
            f"{other} and --labelled exclude each other, because the labelled table contains the run. Omit {other}."
        )
    if keywords["predicted_qrels"] is not None:
        raise UsageError(
            "--predicted-qrels predicts judgments of people, and a labelled table carries grades for all of its"
            " queries. Pass RUN and --qrels, or omit --predicted-qrels."
        )
    keywords = {name: value for name, value in keywords.items() if name != "predicted_qrels"}
    if len(labelled) > 1:
        raise UsageError("--labelled takes one table. If it contains several runs, pass --columns run_id=COLUMN.")
    name, value = inputs.named(labelled[0])
    return rm.labelled(inputs.one(value), qrels=qrels, **keywords), name


@click.command(cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option("-q", "--per-query", is_flag=True, help="Print the points of each query.")
@source_tables
@options_of("curve", *WRITING, *RUNNING)
def curve(runs: tuple[str, ...], qrels: str | None, per_query: bool, **arguments: Any) -> None:
    """Score runs at several cutoffs or recall levels.

    The result has a row for each point: of a metric at the values of --along, or of a curve such as pr_curve.
    """
    choose_form(arguments, "a curve")
    [metric, *other_metrics] = arguments.pop("metrics")
    if other_metrics:
        raise UsageError("A curve shows one metric, such as -m ndcg.")
    with session("curve", arguments, *runs, qrels) as (inputs, keywords):
        runs_read, judgments = read_runs(inputs, arguments, runs), inputs.one(qrels)
        judged = given_or_unneeded(judgments, arguments, partial(_points, metric, arguments))
        runs_read.require("Try: rankmetrics curve RUN --qrels QRELS -m recall", judged)
        points = rm.curve(runs_read.value, judgments, metric, **keywords)
        show_sql(arguments, points.sql)
        if points.summary is None and not per_query:
            raise UsageError(f"{metric} has no mean, because each query has its own points. Add --per-query.")
        if create_table(arguments, points, per_query or points.summary is None):
            per_query = False
        table = points.per_query if per_query or points.summary is None else points.summary
        shown = points.for_people(table) if arguments["form"] in FOR_PEOPLE else table
        has_runs, name = "run_id" in table.columns, runs_read.kind or runs_read.name
        records = shown.dicts() if has_runs else name_runs(shown, name)
    print_records(records, arguments, None)


def _points(metric: str, arguments: Mapping[str, Any]) -> list[ResolvedMetric]:
    """Resolve the metric at each point of a curve, where it has the parameter that may be required."""
    from ..api.curve import metrics_along

    return metrics_along(metric, arguments["along"], arguments["at"], resolve_choices(arguments))


@click.command(cls=Command)
@click.argument("run", required=False, metavar="RUN")
@source_tables
@options_of(
    "explain",
    *RUNNING,
    profile=value_option("profile", "NAME", "Profile to explain, such as ranx.", required=True),
    against=value_option("against", "NAME", "Profile to compare with.", default="trec_eval", show_default=True),
)
@click.option("--top", default=10, show_default=True, type=click.IntRange(min=0), help="Number of queries.")
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", help="How to print the result."
)
def explain(run: str | None, qrels: str | None, metrics: Sequence[str], top: int, **arguments: Any) -> None:
    """Show why two profiles give a metric different values."""
    from ..results.explanation import explanation, explanation_json

    is_table = arguments["form"] == "table"
    if len(metrics) > 1 and not is_table:
        raise UsageError("--format json prints one explanation. Pass -m one metric.")
    with session("explain", arguments, run, qrels) as (inputs, keywords):
        runs_read, judgments = read_runs(inputs, arguments, () if run is None else (run,)), inputs.one(qrels)
        runs_read.require("Try: rankmetrics explain RUN --qrels QRELS -m nDCG@10 --profile ir_measures", judgments)
        for number, metric in enumerate(metrics):
            explained = rm.explain(runs_read.value, judgments, metric, **keywords)
            show_sql(arguments, explained.sql)
            text = (
                explanation(explained, runs_read.name, top, screen()) if is_table else explanation_json(explained, top)
            )
            echo(f"\n{text}" if number else text)


@click.command(cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN...")
@source_tables
@options_of(
    "compare",
    "consensus",
    *RUNNING,
    title=value_option("title", "TEXT", "Title of the page."),
    output=click.option(
        "-o",
        "--output",
        required=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The page to write, such as report.html.",
    ),
)
def report(
    runs: tuple[str, ...],
    qrels: str | None,
    output: Path,
    title: str | None,
    baseline: str | None,
    **arguments: Any,
) -> None:
    """Write an HTML page with verdicts, charts and queries.

    The page is one file that needs no network. The first RUN or arm is the baseline, and --baseline names another arm.
    A single RUN has values only. Options of comparisons, such as --limits, mean what they mean in compare.
    """
    from ..report.contents import need_drawing

    need_drawing()
    if str(output) == "-":
        raise UsageError("-o - would print the page. Write it to a file: -o report.html.")
    if output.is_dir():
        raise DataError(f"{output} is a folder. Pass a file: -o {output / 'report.html'}.")
    check_folder(output)
    arguments["output"] = output
    with session("compare", arguments, *runs, qrels) as (inputs, keywords):
        result: rm.Result | rm.Comparison
        if baseline is not None or need_baseline(arguments):
            sides, first = read_sides("report", inputs, runs, qrels, baseline, arguments, keywords)
            result = rm.compare(*sides, baseline=first, **keywords)
        else:
            result = _evaluate_to_report(inputs, runs, qrels, arguments, keywords)
        show_sql(arguments, result.sql)
        result.report(output, title=title)
    echo(f"{output}: {output.stat().st_size / 1000:,.0f} kB")


def _evaluate_to_report(
    inputs: InputReader,
    runs: Sequence[str],
    qrels: str | None,
    arguments: dict[str, Any],
    keywords: dict[str, Any],
) -> Result:
    """Score the runs, of which the report compares several."""
    runs_read, judgments = read_runs(inputs, arguments, runs), inputs.judgments(qrels, arguments, keywords)
    judged = given_or_unneeded(judgments, arguments)
    runs_read.require("Try: rankmetrics report OLD NEW --qrels QRELS -m nDCG@10 -o report.html", judged)
    of_values = {name: value for name, value in keywords.items() if name not in NEED_BASELINE}
    if of_values.get("interval", "none") == "none":
        of_values["interval"] = "t"
    return rm.evaluate(runs_read.value, judgments, **of_values)
