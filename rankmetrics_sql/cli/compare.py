"""The commands that compare runs with a baseline: compare, decompose."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rankmetrics_sql as rm

from ..errors import RankmetricsWarning, UsageError
from ..results.files import FOR_PEOPLE
from .conditions import gates_of, judge, junit_option
from .inputs import Inputs, need
from .options import (
    all_pairs_option,
    cluster_option,
    covariate_option,
    limits_option,
    qrels_option,
    scoring_options,
    weight_option,
)
from .output import choose_form, left_there, print_records, print_text
from .session import session
from .sources import source_of, source_options
from .terminal import screen, show_sql
from .texts import limits_of, shares_of

if TYPE_CHECKING:
    from ..results.comparison import Comparison


@click.command()
@click.argument("runs", nargs=-1, metavar="BASELINE CANDIDATE...")
@qrels_option
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
    gates = gates_of(conditions, requirements, arguments)
    losses = {gate.metric: gate.limit for gate in gates if gate.limit is not None}
    shared = None if shares is None else shares_of(shares)
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
    judge("compare", outcomes, junit)


@click.command()
@click.argument("runs", nargs=-1, metavar="BASELINE CANDIDATE...")
@qrels_option
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
    given = {"BASELINE": bool(named), "CANDIDATE": len(named) > 1, "qrels": judgments is not None}
    by = " --by COLUMN" if command == "decompose" else ""
    need(f"Try: rankmetrics {command} OLD NEW --qrels QRELS -m nDCG@10{by}", **given)
    if baseline is not None:
        raise UsageError("--baseline names an arm of --events; of several runs the first is the baseline.")
    first = next(iter(named))
    return (named.pop(first), named, judgments), first


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


def _print_comparison(records: Sequence[dict[str, Any]], result: Comparison, arguments: Mapping[str, Any]) -> None:
    """What people read of a comparison, and how it was tested; or all of it, for programs."""
    if arguments["form"] in FOR_PEOPLE:
        from ..results import comparison_tables, pairs

        shown = records, result.options, arguments["form"], result.better, result.counts
        if result.options.get("all_pairs"):
            text = pairs.compared(*shown, screen=screen(arguments["output"]))
        else:
            more = {"notes": result.notes, "intervals": arguments["intervals"]}
            text = comparison_tables.comparison(*shown, screen=screen(arguments["output"]), **more)
        print_text(text, arguments)
    else:
        print_records(records, arguments, None)
