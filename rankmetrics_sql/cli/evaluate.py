"""The command that scores runs: evaluate."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rankmetrics_sql as rm

from ..errors import UsageError
from ..results.files import FOR_PEOPLE, format_of
from .conditions import asked_of, gates_of, judge, junit_option
from .inputs import Inputs, need
from .options import breakdown_options, cluster_option, qrels_option, scoring_options
from .output import left_there, per_query_records, print_records, records_of
from .session import session
from .sources import source_of, source_options
from .terminal import show_sql
from .texts import sets_of

if TYPE_CHECKING:
    from ..results.values import Result


@click.command()
@click.argument("runs", nargs=-1, metavar="RUN...")
@qrels_option
@click.option("--reference", metavar="RUN", help="A run in place of the judgments, to compare with: jaccard@10, rbo.")
@click.option("--labelled", multiple=True, metavar="TABLE", help="A table that carries its labels, instead of RUN.")
@click.option("--items", metavar="ITEMS", help="The catalogue, for metrics beyond accuracy: a file, or a table.")
@click.option("-q", "--per-query", is_flag=True, help="A value for every query instead of their mean.")
@source_options
@scoring_options
@breakdown_options
@cluster_option
@click.option(
    "--partitions",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Score the queries in N parts, one after the other, where all at once do not fit in memory and on disk.",
)
@click.option(
    "--fail-if",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Exit with 3 if this holds for a run or a group: 'recall@5 < 0.8'. May be repeated.",
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
    """Score runs against judgments.

    RUN and QRELS are files (TREC text, CSV, Parquet, JSON, .gz and .zst too; - is standard input) or tables
    of --database. NAME=FILE gives a run another name than its file's.
    """
    from ..results.records import best_records, keys_of

    arguments["form"] = arguments["form"] or format_of(arguments["output"])
    if arguments["form"] == "trec" and arguments["by"]:
        raise UsageError("--format trec has no place for the groups of --by; take another format.")
    if partitions > 1 and arguments["into"] is not None:
        raise UsageError("--into leaves what one statement gives; --partitions is for where that does not fit.")
    gates = gates_of(conditions, (), arguments, compares=False)
    with session(arguments, *runs, *labelled, qrels, reference, items) as (inputs, keywords):
        keywords |= {"partitions": partitions, "rollup": sets_of(rollup), "min_queries": min_queries, "weight": weight}
        keywords |= {"items": inputs.one(items), "cluster": cluster}
        named = inputs.runs(runs)
        judgments = _judgments(inputs, qrels, reference)
        source = source_of(inputs, arguments)
        if source is not None:
            if named or labelled:
                raise UsageError(f"{'RUN' if named else '--labelled'} and --{source[0]} exclude each other.")
            name, result = source[0], rm.evaluate(source[1], judgments, **keywords)
        elif labelled:
            result, name = _evaluate_labelled(inputs, labelled, named, judgments, keywords)
        else:
            is_judged = judgments is not None or (bool(named) and not _need_judgments(arguments))
            need("Try: rankmetrics evaluate RUN --qrels QRELS -m nDCG@10", RUN=bool(named), qrels=is_judged)
            name, run = next(iter(named.items()))
            result = rm.evaluate(named if len(named) > 1 else run, judgments, **keywords)
        show_sql(arguments, result.per_query.sql if per_query else result.sql)
        if arguments["quality"] and result.data_quality is not None:
            print_records(result.data_quality.dicts(), arguments, None)
            return
        if left_there(arguments, result, per_query):
            per_query = False
        summary = records_of(result.summary, name)
        records = list(per_query_records(result, name)) if per_query else summary
        if per_query and arguments["form"] == "trec" and len(keys_of(records[0])) > 1:
            raise UsageError("--format trec has one column for the query; take another format.")
    best = set() if per_query else best_records(records, result.better, result.counts)
    _print_values(records, result, arguments, best)
    judge("evaluate", [(gate, gate.failures(summary)) for gate in gates], junit)


def _print_values(
    records: Sequence[dict[str, Any]], result: Result, arguments: Mapping[str, Any], best: Collection[int]
) -> None:
    """A column per metric for people; a row where its value has an interval."""
    pivot: str | None = "metric"
    if records and "ci_lower" in records[0] and arguments["form"] in FOR_PEOPLE:
        from ..results.records import bounded

        level = asked_of(arguments)[0].options["confidence_level"]
        records, pivot = bounded(records, float(str(level))), None
    print_records(records, arguments, pivot, result.counts, result.trec_eval, best)


def _judgments(inputs: Inputs, qrels: str | None, reference: str | None) -> Any:
    """What says what is relevant: judgments, or the ranks of another run."""
    if reference is None:
        return inputs.one(qrels)
    if qrels is not None:
        raise UsageError("--qrels and --reference exclude each other: a reference stands in place of judgments.")
    from ..inputs.references import ranks

    return ranks(inputs.one(reference))


def _need_judgments(arguments: Mapping[str, Any]) -> bool:
    return any(found.metric.reads_judgments for found in asked_of(arguments)[1])


def _evaluate_labelled(
    inputs: Inputs, labelled: Sequence[str], runs: Mapping[str, Any], qrels: Any, keywords: Mapping[str, Any]
) -> tuple[Any, str]:
    if runs:
        raise UsageError("RUN and --labelled exclude each other: the table carries the run.")
    if len(labelled) > 1:
        raise UsageError("--labelled takes one table; several systems in it are told apart by --columns run_id=COLUMN.")
    name, value = inputs.named(labelled[0])
    return rm.labelled(inputs.one(value), qrels=qrels, **keywords), name
