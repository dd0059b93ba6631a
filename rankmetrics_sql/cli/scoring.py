"""The commands that score: evaluate, compare, decompose, movements, curve, explain, demo."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rankmetrics_sql as rm

from ..errors import RankmetricsWarning, UsageError
from ..results import comparison_tables, layouts, pairs
from ..results.explanation import explanation, explanation_json
from ..results.files import format_of, write
from ..results.records import best_records, bounded, keys_of
from .inputs import Inputs
from .options import (
    all_pairs_option,
    breakdown_options,
    cluster_option,
    columns_options,
    covariate_option,
    database_options,
    input_format_option,
    limits_of,
    limits_option,
    memory_limit_option,
    metric_option,
    numbers_of,
    profile_option,
    reading_options,
    scoring_options,
    set_option,
    sets_of,
    settings_of,
    threads_option,
    verbose_option,
    weight_option,
)
from .output import choose_form, left_there, per_query_records, print_records, print_text, records_of
from .session import session
from .sources import source_of, source_options
from .terminal import echo, screen, show_sql, warnings_as_lines

if TYPE_CHECKING:
    from ..definitions.choices import Choices
    from ..definitions.resolution import ResolvedMetric
    from ..results.comparison import Comparison
    from ..results.gates import Gate
    from ..results.values import Result

junit_option = click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write what became of the conditions as JUnit's XML, which CI servers read.",
)

_DEMO_METRICS = ("nDCG@10", "P@5", "AP", "RR", "Bpref", "R@1000")


@click.command()
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option("--qrels", metavar="QRELS", help="The judgments: a file, or a table of the database.")
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
    arguments["form"] = arguments["form"] or format_of(arguments["output"])
    if arguments["form"] == "trec" and arguments["by"]:
        raise UsageError("--format trec has no place for the groups of --by; take another format.")
    if partitions > 1 and arguments["into"] is not None:
        raise UsageError("--into leaves what one statement gives; --partitions is for where that does not fit.")
    gates = _gates(conditions, (), arguments, compares=False)
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
        elif not named or (judgments is None and _need_judgments(arguments)):
            missing = "--qrels" if named else "RUN"
            raise UsageError(f"{missing} is missing. Try: rankmetrics evaluate RUN --qrels QRELS -m nDCG@10")
        else:
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
    _judge("evaluate", [(gate, gate.failures(summary)) for gate in gates], junit)


def _print_values(
    records: Sequence[dict[str, Any]], result: Result, arguments: Mapping[str, Any], best: Collection[int]
) -> None:
    """A column per metric for people; a row where its value has an interval."""
    pivot: str | None = "metric"
    if records and "ci_lower" in records[0] and arguments["form"] in layouts.FOR_PEOPLE:
        level = _asked(arguments)[0].options["confidence_level"]
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
    return any(found.metric.reads_judgments for found in _asked(arguments)[1])


def _asked(arguments: Mapping[str, Any]) -> tuple[Choices, list[ResolvedMetric]]:
    """The choices and the metrics that the command line names."""
    from ..definitions.choices import resolve_options
    from ..definitions.resolution import resolve_metrics

    choices = resolve_options(settings_of(arguments["settings"]), arguments["profile"])
    return choices, resolve_metrics(arguments["metrics"], choices)


def _evaluate_labelled(
    inputs: Inputs, labelled: Sequence[str], runs: Mapping[str, Any], qrels: Any, keywords: Mapping[str, Any]
) -> tuple[Any, str]:

    if runs:
        raise UsageError("RUN and --labelled exclude each other: the table carries the run.")
    if len(labelled) > 1:
        raise UsageError("--labelled takes one table; several systems in it are told apart by --columns run_id=COLUMN.")
    name, value = inputs.named(labelled[0])
    return rm.labelled(inputs.one(value), qrels=qrels, **keywords), name


@click.command()
@click.argument("runs", nargs=-1, metavar="BASELINE CANDIDATE...")
@click.option("--qrels", metavar="QRELS", help="The judgments: a file, or a table of the database.")
@click.option(
    "--baseline", metavar="ARM", help="Of --events with --rule arm=..., the arm that others are compared with."
)
@click.option(
    "--shares",
    metavar="ARM=SHARE,...",
    help="Of arms, how the units were to be shared out, control=0.9,new=0.1; equally unless said.",
)
@click.option(
    "--fail-if",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Exit with 3 if this holds for a candidate: 'ndcg@10 < -0.01' (the effect), 'ap worse', 'ap worse by 0.01'"
    " (tested, corrected over all conditions). May be repeated.",
)
@click.option(
    "--fail-unless",
    "requirements",
    multiple=True,
    metavar="CONDITION",
    help="Exit with 3 unless this holds for every candidate: 'ap not worse by 0.01' (tested), 'ndcg@10 >= 0'.",
)
@junit_option
@click.option("-q", "--per-query", is_flag=True, help="Both values of every query, those that differ most first.")
@weight_option
@cluster_option
@covariate_option
@limits_option
@all_pairs_option
@click.option(
    "--intervals/--no-intervals",
    default=True,
    show_default=True,
    help="In LaTeX, the interval of each difference below the value.",
)
@source_options
@scoring_options
def compare(
    runs: tuple[str, ...],
    qrels: str | None,
    baseline: str | None,
    shares: str | None,
    conditions: tuple[str, ...],
    requirements: tuple[str, ...],
    junit: Path | None,
    per_query: bool,
    weight: str | None,
    cluster: str | None,
    covariate: str | None,
    limits: tuple[str, ...],
    all_pairs: bool,
    **arguments: Any,
) -> None:
    """Compare runs with a baseline, paired by query, or the arms of a log."""
    choose_form(arguments, "a comparison")
    gates = _gates(conditions, requirements, arguments)
    losses = {gate.metric: gate.limit for gate in gates if gate.limit is not None}
    shared = None if shares is None else _shares(shares)
    of_baseline: dict[str, Any] = {"covariate": covariate, "shares": shared, "limits": limits_of(limits)}
    if all_pairs and (gates or any(value is not None for value in of_baseline.values())):
        raise UsageError(
            "--all-pairs has no baseline, which --fail-if, --fail-unless, --limits, --shares and --covariate are about."
        )
    with session(arguments, *runs, qrels) as (inputs, keywords):
        given, first = _compared("compare", inputs, runs, qrels, baseline, arguments)
        keywords |= {"weight": weight, "cluster": cluster}
        if all_pairs:
            result = rm.compare_all(_named_runs(given, first), given[2], **keywords)
        else:
            result = rm.compare(*given, baseline=first, **(keywords | of_baseline))
        values = result.per_query if per_query else None
        if per_query and values is None:
            raise UsageError("--per-query: arms have queries of their own, so there are no pairs of values.")
        show_sql(arguments, result.sql if values is None else values.sql)
        left_there(arguments, result, per_query)
        records = result.summary.dicts()
        shown = None if values is None else values.dicts()
        asked = {**keywords, **of_baseline, "baseline": first, "metrics": [*losses], "limits": losses}
        tested = _tested(given, asked)
    if shown is not None:
        print_records(shown, arguments, None)
    else:
        _print_comparison(records, result, arguments)
    outcomes = [(gate, gate.failures(records if gate.limit is None else tested)) for gate in gates]
    _judge("compare", outcomes, junit)


def _named_runs(given: tuple[Any, Any, Any], first: str | None) -> dict[str, Any]:
    """The runs of which all pairs are compared.

    Raises:
        UsageError: they are the arms of a source.
    """
    if first is None or given[1] is None:
        raise UsageError("--all-pairs is of runs, each with results for the same queries. Name them as RUN.")
    return {first: given[0], **given[1]}


def _tested(given: tuple[Any, Any, Any], keywords: dict[str, Any]) -> list[dict[str, Any]]:
    """The comparison that conditions ask, whatever else is asked of the one that is shown; that one has warned."""
    if not keywords["limits"]:
        return []
    asked = {name: value for name, value in keywords.items() if name not in ("alternative", "margin", "shares")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankmetricsWarning)
        return rm.compare(*given, **asked).summary.dicts()


def _judge(command: str, outcomes: Sequence[tuple[Gate, Sequence[str]]], file: Path | None) -> None:
    """Says which conditions failed, in a file too where one is named, and ends the command if there are any."""
    from ..results.gates import junit

    if file is not None:
        write(junit(f"rankmetrics {command}", outcomes), file)
    failures = [line for _, lines in outcomes for line in lines]
    for line in failures:
        echo(f"rankmetrics: fails: {line}", err=True)
    if failures:
        sys.exit(3)


def _shares(text: str) -> dict[str, float]:
    """The share of each arm.

    Raises:
        UsageError: the text is no list of arms with their shares, numbers above 0.
    """
    found: dict[str, float] = {}
    for pair in text.split(","):
        arm, _, number = (part.strip() for part in pair.rpartition("="))
        try:
            share = float(number)
        except ValueError:
            share = math.nan
        if not arm or not 0 < share < math.inf:
            raise UsageError(f"--shares: {pair.strip()!r} is no ARM=SHARE, with a share above 0: control=0.9,new=0.1.")
        if arm in found:
            raise UsageError(f"--shares: {arm} has two shares.")
        found[arm] = share
    return found


def _compared(
    command: str,
    inputs: Inputs,
    runs: Sequence[str],
    qrels: str | None,
    baseline: str | None,
    arguments: dict[str, Any],
) -> tuple[tuple[Any, Any, Any], str | None]:
    """The baseline or a source with arms, the candidates and the judgments; and what the baseline is called.

    Raises:
        UsageError: one of them is missing, or they contradict each other.
    """
    named, judgments = inputs.runs(runs), inputs.one(qrels)
    source = source_of(inputs, arguments)
    if source is not None:
        if named or arguments["quality"]:
            raise UsageError(f"{'CANDIDATE' if named else '--quality'} and --{source[0]} exclude each other here.")
        return (source[1], None, judgments), baseline
    if len(named) < 2 or judgments is None:
        missing = "BASELINE" if not named else "CANDIDATE" if len(named) < 2 else "--qrels"
        by = " --by COLUMN" if command == "decompose" else ""
        raise UsageError(f"{missing} is missing. Try: rankmetrics {command} OLD NEW --qrels QRELS -m nDCG@10{by}")
    if baseline is not None:
        raise UsageError("--baseline names an arm of --events; of several runs the first is the baseline.")
    first = next(iter(named))
    return (named.pop(first), named, judgments), first


def _print_comparison(records: Sequence[dict[str, Any]], result: Comparison, arguments: Mapping[str, Any]) -> None:
    """What people read of a comparison, and how it was tested; or all of it, for programs."""
    if arguments["form"] in layouts.FOR_PEOPLE:
        shown = records, result.options, arguments["form"], result.better, result.counts
        if result.options.get("all_pairs"):
            text = pairs.compared(*shown, screen=screen(arguments["output"]))
        else:
            more = {"notes": result.notes, "intervals": arguments["intervals"]}
            text = comparison_tables.comparison(*shown, screen=screen(arguments["output"]), **more)
        print_text(text, arguments)
    else:
        print_records(records, arguments, None)


def _gates(
    conditions: Sequence[str], requirements: Sequence[str], arguments: Mapping[str, Any], compares: bool = True
) -> list[Gate]:
    """The conditions that fail a command, before anything is read.

    Raises:
        UsageError: one of them is none.
    """
    named = [("--fail-if", text) for text in conditions] + [("--fail-unless", text) for text in requirements]
    if not named:
        return []
    from ..results.gates import read_gates

    return read_gates(named, _asked(arguments)[1], compares)


@click.command()
@click.argument("runs", nargs=-1, metavar="BASELINE CANDIDATE...")
@click.option("--qrels", metavar="QRELS", help="The judgments: a file, or a table of the database.")
@click.option("--baseline", metavar="ARM", help="As in compare.")
@source_options
@scoring_options
def decompose(runs: tuple[str, ...], qrels: str | None, baseline: str | None, **arguments: Any) -> None:
    """Show which groups of queries a difference comes from: by their ranking, or by the mix of queries.

    The groups are those of --by or --period. Two periods are two runs, each scored on its own queries with --set
    queries=judged_retrieved.
    """
    choose_form(arguments, "a decomposition")
    with session(arguments, *runs, qrels) as (inputs, keywords):
        given, first = _compared("decompose", inputs, runs, qrels, baseline, arguments)
        result = rm.decompose(*given, baseline=first, **keywords)
        show_sql(arguments, result.sql)
        left_there(arguments, result)
        records = result.summary.dicts()
    print_records(records, arguments, None)


@click.command()
@click.argument("runs", nargs=-1, metavar="BASELINE CANDIDATE...")
@click.option("--qrels", metavar="QRELS", help="The judgments, for the column relevance: a file, or a table.")
@click.option("-k", default=10, show_default=True, type=click.IntRange(min=1), help="How many items of a list.")
@click.option("--query", "queries", multiple=True, metavar="ID", help="Show this query only; may be repeated.")
@profile_option
@set_option
@reading_options
def movements(runs: tuple[str, ...], qrels: str | None, k: int, queries: tuple[str, ...], **arguments: Any) -> None:
    """List the items that entered, left or moved within the first k of each query."""
    choose_form(arguments, "movements")
    with session(arguments, *runs, qrels) as (inputs, keywords):
        named = inputs.runs(runs)
        if len(named) < 2:
            missing = "CANDIDATE" if named else "BASELINE"
            raise UsageError(f"{missing} is missing. Try: rankmetrics movements OLD NEW -k 10")
        first = next(iter(named))
        keywords |= {"k": k, "query": list(queries) or None, "baseline": first}
        result = rm.movements(named.pop(first), named, inputs.one(qrels), **keywords)
        show_sql(arguments, result.sql)
        left_there(arguments, result)
        records = result.summary.dicts()
    print_records(records, arguments, None)


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--qrels", required=True, metavar="QRELS", help="The judgments: a file, or a table of the database.")
@click.option("--along", default="k", show_default=True, metavar="NAME", help="The parameter that x is.")
@click.option("--at", metavar="X,...", help="Its values; by default some cutoffs, or the eleven recall levels.")
@click.option("-q", "--per-query", is_flag=True, help="The points of every query instead of their average.")
@weight_option
@scoring_options
def curve(
    runs: tuple[str, ...],
    qrels: str,
    per_query: bool,
    along: str,
    at: str | None,
    weight: str | None,
    **arguments: Any,
) -> None:
    """Print a metric along one of its parameters, or a curve such as pr_curve, one row per point."""
    choose_form(arguments, "a curve")
    [metric, *others] = arguments.pop("metrics")
    if others:
        raise UsageError("A curve is of one metric; give -m once.")
    with session(arguments, *runs, qrels) as (inputs, keywords):
        named, judgments = inputs.runs(runs), inputs.one(qrels)
        name, run = next(iter(named.items()))
        several = named if len(named) > 1 else run
        found = rm.curve(several, judgments, metric, along=along, at=numbers_of(at), weight=weight, **keywords)
        show_sql(arguments, found.sql)
        if found.summary is None and not per_query:
            raise UsageError(f"{metric} has points of its own for every query: ask for them with --per-query.")
        if left_there(arguments, found, per_query or found.summary is None):
            per_query = False
        table = found.per_query if per_query or found.summary is None else found.summary
        records = records_of(table, name)
    print_records(records, arguments, None)


@click.command()
@click.argument("run", metavar="RUN")
@click.option("--qrels", required=True, metavar="QRELS", help="The judgments: a file, or a table of the database.")
@metric_option
@click.option("--profile", required=True, metavar="NAME", help="The profile to explain.")
@click.option(
    "--against", default="trec_eval", show_default=True, metavar="NAME", help="The profile that it is compared with."
)
@set_option
@click.option("--query-list", metavar="FILE", help="Score only the queries that this file lists.")
@database_options
@columns_options
@click.option("--top", default=10, show_default=True, type=click.IntRange(min=0), help="How many queries to show.")
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", help="How to print the result."
)
@input_format_option
@threads_option
@memory_limit_option
@verbose_option
def explain(
    run: str, qrels: str, metrics: Sequence[str], profile: str, against: str, top: int, **arguments: Any
) -> None:
    """Show why two profiles give a metric two values."""
    is_table = arguments["form"] == "table"
    if len(metrics) > 1 and not is_table:
        raise UsageError("JSON is of one explanation; give -m one metric.")
    with session({**arguments, "profile": profile}, run, qrels) as (inputs, keywords):
        name, value = inputs.named(run)
        for number, metric in enumerate(metrics):
            found = rm.explain(inputs.one(value), inputs.one(qrels), metric, against=against, **keywords)
            show_sql(arguments, found.sql)
            text = explanation(found, name, top, screen()) if is_table else explanation_json(found, top)
            echo(f"\n{text}" if number else text)


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
