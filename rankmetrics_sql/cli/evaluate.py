"""The command that scores runs: evaluate."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rankmetrics_sql as rm

from ..errors import UsageError
from ..results.files import FOR_PEOPLE, format_of
from .conditions import judge, junit_option, need_judgments, parse_gates, resolve_request
from .help import Command
from .inputs import InputReader
from .options import breakdown_options, cluster_option, items_option, qrels_option, scoring_options
from .output import create_table, name_runs, per_query_records, print_records
from .session import session
from .sources import Named, read_runs, source_options
from .terminal import show_sql
from .texts import parse_rollup

if TYPE_CHECKING:
    from ..results.values import Result


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  rankmetrics evaluate old.run new.run --qrels qrels.txt -m nDCG@10,AP\n"
    "  rankmetrics evaluate --events shown.csv clicks.csv -m RR --rule within=1800",
)
@click.argument("runs", nargs=-1, metavar="RUN...")
@qrels_option
@click.option("--reference", metavar="RUN", help="A run to compare with, for jaccard@10 or rbo.")
@click.option("--labelled", multiple=True, metavar="TABLE", help="A table with items and labels, not a RUN.")
@items_option
@click.option("-q", "--per-query", is_flag=True, help="Print a value for each query, not their mean.")
@source_options
@scoring_options
@breakdown_options
@cluster_option
@click.option(
    "--partitions",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Score in N parts, to save memory.",
)
@click.option(
    "--fail-if",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Exit with 3 if this holds: 'rr < 0.8'.",
)
@junit_option
def evaluate(
    runs: tuple[str, ...],
    qrels: str | None,
    reference: str | None,
    labelled: tuple[str, ...],
    items: str | None,
    per_query: bool,
    partitions: int,
    rollup: tuple[str, ...],
    min_queries: int | None,
    weight: str | None,
    cluster: str | None,
    conditions: tuple[str, ...],
    junit: Path | None,
    **arguments: Any,
) -> None:
    """Score runs, a log or a labelled table.

    RUN and QRELS are files (TREC text, CSV, Parquet or JSON; .gz or .zst) or tables of --database. Write - for standard
    input, and NAME=FILE to name a run. A log such as --events, or --labelled, takes the place of RUN.
    """
    from ..results.records import best_records, keys_of

    arguments["form"] = arguments["form"] or format_of(arguments["output"])
    if arguments["form"] == "trec" and arguments["by"]:
        raise UsageError("--format trec cannot hold the groups of --by. Pass another format, such as --format csv.")
    if partitions > 1 and arguments["into"] is not None:
        raise UsageError("--into writes the result of one statement, and --partitions runs several. Omit --partitions.")
    gates = parse_gates(conditions, (), arguments, compares=False)
    with session(arguments, *runs, *labelled, qrels, reference, items) as (inputs, keywords):
        keywords |= {
            "partitions": partitions,
            "rollup": parse_rollup(rollup),
            "min_queries": min_queries,
            "weight": weight,
        }
        keywords |= {"items": inputs.one(items), "cluster": cluster}
        asked = read_runs(inputs, arguments, runs)
        judgments = _judgments(inputs, qrels, reference)
        if labelled:
            result, name = _evaluate_labelled(inputs, labelled, asked, judgments, keywords)
        else:
            is_judged = judgments is not None or (bool(asked.runs) and not need_judgments(arguments))
            asked.require("Try: rankmetrics evaluate RUN --qrels QRELS -m nDCG@10", is_judged or None)
            name, result = asked.kind or asked.name, rm.evaluate(asked.value, judgments, **keywords)
        show_sql(arguments, result.per_query.sql if per_query else result.sql)
        if arguments["quality"] and result.data_quality is not None:
            print_records(result.data_quality.dicts(), arguments, None)
            return
        if create_table(arguments, result, per_query):
            per_query = False
        summary = name_runs(result.summary, name)
        records = list(per_query_records(result, name)) if per_query else summary
        if per_query and arguments["form"] == "trec" and len(keys_of(records[0])) > 1:
            raise UsageError(
                "--format trec has one column for the query, and yours have several. Pass another format,"
                " such as --format csv."
            )
    best = set() if per_query else best_records(records, result.better, result.counts)
    _print_values(records, result, arguments, best)
    judge("evaluate", [(gate, gate.failures(summary, result.unjudged)) for gate in gates], junit)


def _print_values(
    records: Sequence[dict[str, Any]], result: Result, arguments: Mapping[str, Any], best: Collection[int]
) -> None:
    """Print a column for each metric; for people, a row for each value with an interval."""
    pivot: str | None = "metric"
    if records and "ci_lower" in records[0] and arguments["form"] in FOR_PEOPLE:
        from ..results.records import bounded

        level = resolve_request(arguments)[0].options["confidence_level"]
        records, pivot = bounded(records, float(str(level))), None
    print_records(records, arguments, pivot, result.counts, result.trec_eval, best)


def _judgments(inputs: InputReader, qrels: str | None, reference: str | None) -> Any:
    """Return the judgments: those of --qrels, or the ranks of --reference."""
    if reference is None:
        return inputs.one(qrels)
    if qrels is not None:
        raise UsageError(
            "--qrels and --reference exclude each other, because a reference replaces the judgments. Omit --qrels."
        )
    from ..inputs.references import ranks

    return ranks(inputs.one(reference))


def _evaluate_labelled(
    inputs: InputReader, labelled: Sequence[str], asked: Named, qrels: Any, keywords: Mapping[str, Any]
) -> tuple[Any, str]:
    if asked.runs:
        other = f"--{asked.kind}" if asked.kind else "RUN"
        raise UsageError(
            f"{other} and --labelled exclude each other, because the labelled table contains the run. Omit {other}."
        )
    if len(labelled) > 1:
        raise UsageError("--labelled takes one table. If it contains several runs, pass --columns run_id=COLUMN.")
    name, value = inputs.named(labelled[0])
    return rm.labelled(inputs.one(value), qrels=qrels, **keywords), name
