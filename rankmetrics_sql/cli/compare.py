"""Conditions that make a command fail, and their outcomes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rankmetrics_sql as rm

from ..errors import RankmetricsWarning, UsageError
from ..results.files import FOR_PEOPLE, write
from .help import Command
from .inputs import InputReader, session
from .options import (
    all_pairs_option,
    baseline_option,
    cap_option,
    cluster_option,
    covariate_option,
    items_option,
    limits_option,
    profile_option,
    qrels_option,
    reading_options,
    scoring_options,
    set_option,
    weight_option,
)
from .sources import read_runs, source_options, source_tables
from .terminal import choose_form, create_table, echo, print_records, print_text, screen, show_sql
from .texts import parse_caps, parse_limits, parse_settings, parse_shares

if TYPE_CHECKING:
    from ..definitions.resolution import Choices, ResolvedMetric
    from ..results.comparison import Comparison
    from ..results.gates import Gate
    from ..rows import Record


junit_option = click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the conditions' outcomes as JUnit XML.",
)


def resolve_request(arguments: Mapping[str, Any], *, compares: bool = False) -> tuple[Choices, list[ResolvedMetric]]:
    """Resolve the options and metrics that the command line names, of a comparison or an evaluation."""
    from ..definitions.resolution import resolve_metrics, resolve_options

    choices = resolve_options(parse_settings(arguments["settings"]), arguments["profile"])
    return choices, resolve_metrics(arguments["metrics"], choices, compared=compares)


def need_judgments(arguments: Mapping[str, Any]) -> bool:
    """Return whether a metric that the command line names reads judgments."""
    return any(found.reads_judgments for found in resolve_request(arguments)[1])


def parse_gates(
    conditions: Sequence[str], requirements: Sequence[str], arguments: Mapping[str, Any], compares: bool = True
) -> list[Gate]:
    """Parse --fail-if and --fail-unless before any data is read.

    Raises:
        UsageError: a condition cannot be parsed.
    """
    named = [("--fail-if", text) for text in conditions] + [("--fail-unless", text) for text in requirements]
    if not named:
        return []
    from ..results.gates import read_gates

    return read_gates(named, resolve_request(arguments, compares=compares)[1], compares)


def judge(command: str, outcomes: Sequence[tuple[Gate, Sequence[str]]], file: Path | None) -> None:
    """Print the conditions that failed, write --junit, and exit with 3 if any failed."""
    if file is not None:
        from ..results.gates import junit

        write(junit(f"rankmetrics {command}", outcomes), file)
    failures = [line for _, lines in outcomes for line in lines]
    for line in failures:
        echo(f"rankmetrics: fails: {line}", err=True)
    if failures:
        sys.exit(3)


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  rankmetrics compare a.run b.run --qrels qrels.txt -m AP --fail-if 'AP worse'\n"
    "  rankmetrics compare --events shown.csv clicks.csv -m RR \\\n"
    "  --rule arm=variant --baseline A",
)
@click.argument("runs", nargs=-1, metavar="BASELINE CANDIDATE...")
@qrels_option
@baseline_option
@click.option(
    "--shares",
    metavar="ARM=SHARE,...",
    help="Planned traffic, such as a=0.9,b=0.1.",
)
@click.option(
    "--fail-if",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Exit with 3 if this holds, such as 'ap worse'.",
)
@click.option(
    "--fail-unless",
    "requirements",
    multiple=True,
    metavar="CONDITION",
    help="Exit with 3 unless this holds: 'ap >= 0'.",
)
@junit_option
@click.option("-q", "--per-query", is_flag=True, help="Print each query, largest difference first.")
@click.option("--heterogeneity", is_flag=True, help="Print whether the effect differs between groups.")
@weight_option
@cluster_option
@covariate_option
@limits_option
@cap_option
@all_pairs_option
@items_option
@click.option(
    "--intervals/--no-intervals",
    default=True,
    help="Print intervals in LaTeX (default).",
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
    heterogeneity: bool,
    weight: str | None,
    cluster: str | None,
    covariate: str | None,
    limits: tuple[str, ...],
    cap: tuple[str, ...],
    all_pairs: bool,
    items: str | None,
    **arguments: Any,
) -> None:
    """Test whether runs, or the arms of a log, differ.

    The first run is the baseline, and runs are compared query by query. A condition is about the effect, 'ap < -0.01',
    or it is tested: 'ap worse', 'ap worse by 0.01', 'ap not worse by 0.01', 'ap better by 5%'. The p-values of all
    tested conditions are corrected together. --limits ap=0.01 calls each metric worse, not worse or inconclusive.
    Tables of lists are runs, too: --lists a.parquet b.parquet.
    """
    choose_form(arguments, "a comparison")
    gates = parse_gates(conditions, requirements, arguments)
    testing = [gate for gate in gates if gate.limit is not None]
    if heterogeneity:
        _refuse_heterogeneity(arguments, per_query)
    shared = None if shares is None else parse_shares(shares)
    of_baseline: dict[str, Any] = {"covariate": covariate, "shares": shared, "limits": parse_limits(limits)}
    of_baseline["cap"] = parse_caps(cap)
    if all_pairs and (gates or any(value is not None for value in of_baseline.values())):
        raise UsageError(
            "--all-pairs has no baseline, so it excludes --fail-if, --fail-unless, --limits, --cap, --shares"
            " and --covariate. Omit --all-pairs."
        )
    with session(arguments, *runs, qrels, items) as (inputs, keywords):
        given, first = _read_sides("compare", inputs, runs, qrels, baseline, arguments)
        keywords |= {"weight": weight, "cluster": cluster, "items": inputs.one(items)}
        if all_pairs:
            runs_of_all = given[0] if given[1] is None else {first: given[0], **given[1]}
            result = rm.compare_all(runs_of_all, given[2], **keywords)
        else:
            result = rm.compare(*given, baseline=first, **(keywords | of_baseline))
        values = result.per_query if per_query else None
        if per_query and values is None:
            raise UsageError("--per-query needs pairs of values, and each arm has its own queries. Omit --per-query.")
        show_sql(arguments, result.sql if values is None else values.sql)
        create_table(arguments, result, per_query)
        records = result.summary.dicts()
        shown = None if values is None else values.dicts()
        if heterogeneity and result.heterogeneity is not None:
            shown = result.heterogeneity.dicts()
        of_tests = {name: of_baseline[name] for name in ("covariate", "cap")}
        tested = _run_tests(given, testing, {**keywords, **of_tests, "baseline": first})
    if shown is not None:
        print_records(shown, arguments, None)
    else:
        _print_comparison(records, result, arguments)
    outcomes = [(gate, gate.failures(records if gate.limit is None else tested, result.unjudged)) for gate in gates]
    judge("compare", outcomes, junit)


@click.command(cls=Command)
@click.argument("runs", nargs=-1, metavar="BASELINE CANDIDATE...")
@qrels_option
@baseline_option
@items_option
@source_options
@scoring_options
def decompose(
    runs: tuple[str, ...], qrels: str | None, baseline: str | None, items: str | None, **arguments: Any
) -> None:
    """Show which segments a difference comes from.

    Each segment of --by or --period contributes by better or worse ranking, and by a changed share of the queries. To
    compare two periods, pass them as two runs and add --set queries=judged_retrieved. Each is then scored on its own
    queries.
    """
    choose_form(arguments, "a decomposition")
    with session(arguments, *runs, qrels, items) as (inputs, keywords):
        given, first = _read_sides("decompose", inputs, runs, qrels, baseline, arguments)
        result = rm.decompose(*given, baseline=first, items=inputs.one(items), **keywords)
        show_sql(arguments, result.sql)
        create_table(arguments, result)
        records = result.summary.dicts()
    print_records(records, arguments, None)


def _read_sides(
    command: str,
    inputs: InputReader,
    runs: Sequence[str],
    qrels: str | None,
    baseline: str | None,
    arguments: dict[str, Any],
) -> tuple[tuple[Any, Any, Any], str | None]:
    """Read the baseline (or a log with arms), the candidates and the judgments, and the name of the baseline.

    Raises:
        UsageError: an argument is missing, or two contradict each other.
    """
    asked, judgments = read_runs(inputs, arguments, runs), inputs.one(qrels)
    if arguments["quality"]:
        raise UsageError("--quality counts the rows of one source. Pass it to rankmetrics evaluate.")
    if asked.kind is not None and len(asked.runs) == 1:
        return (asked.value, None, judgments), baseline
    if asked.kind is None and len(asked.runs) == 1 and _names_runs(arguments):
        return (asked.value, None, judgments), baseline
    by = " --by COLUMN" if command == "decompose" else ""
    example = f"Try: rankmetrics {command} OLD NEW --qrels QRELS -m nDCG@10{by}"
    is_judged = judgments is not None or (len(asked.runs) > 1 and not need_judgments(arguments))
    asked.require(example, is_judged or None, BASELINE=1, CANDIDATE=2)
    asked.refuse_baseline(baseline)
    named = dict(asked.runs)
    return (named.pop(asked.name), named, judgments), asked.name


def _refuse_heterogeneity(arguments: Mapping[str, Any], per_query: bool) -> None:
    """Refuse to print how groups differ without groups, or beside what is printed instead of the comparison.

    Raises:
        UsageError: there are none, or queries are to be printed.
    """
    if per_query:
        raise UsageError("--per-query and --heterogeneity print tables of their own. Pass one of them.")
    if not (arguments["by"] or arguments["period"]):
        raise UsageError("--heterogeneity compares groups of queries. Add --by COLUMN.")


def _names_runs(arguments: Mapping[str, Any]) -> bool:
    """Whether --columns names the column that tells the runs of a file apart."""
    return any(
        part.strip().startswith(("run=", "run_id=")) for text in arguments["columns"] for part in text.split(",")
    )


def _run_tests(given: tuple[Any, Any, Any], gates: Sequence[Gate], keywords: Mapping[str, Any]) -> list[Record]:
    """Run the tests of the conditions, apart from the comparison that is shown, which has already warned."""
    if not gates:
        return []
    from ..api.compare import compare_by_gates

    others = ("alternative", "margin", "metrics")
    asked = {name: value for name, value in keywords.items() if name not in others}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankmetricsWarning)
        return compare_by_gates(*given, gates, **asked)


def _print_comparison(records: Sequence[dict[str, Any]], result: Comparison, arguments: Mapping[str, Any]) -> None:
    """Print a comparison: for people the verdicts and the test, for programs every column."""
    if arguments["form"] in FOR_PEOPLE:
        from ..results import all_pairs, comparison_tables

        shown = records, result.options, arguments["form"], result.better, result.counts
        if result.options.get("all_pairs"):
            text = all_pairs.draw_tests(*shown, screen=screen(arguments["output"]))
        else:
            more = {"notes": result.notes, "intervals": arguments["intervals"]}
            text = comparison_tables.comparison(*shown, screen=screen(arguments["output"]), **more)
        print_text(text, arguments)
    else:
        print_records(records, arguments, None)


@click.command(cls=Command)
@click.argument("runs", nargs=-1, metavar="BASELINE CANDIDATE...")
@click.option("--qrels", metavar="QRELS", help="Judgments, for the column relevance.")
@click.option("-k", default=10, show_default=True, type=click.IntRange(min=1), help="Cutoff.")
@click.option("--query", "queries", multiple=True, metavar="ID", help="Show only this query. Repeatable.")
@click.option("--baseline", metavar="RUN", help="Baseline, of one source with several runs.")
@source_tables
@profile_option
@set_option
@reading_options
def movements(
    runs: tuple[str, ...], qrels: str | None, k: int, queries: tuple[str, ...], baseline: str | None, **arguments: Any
) -> None:
    """List the items that entered, left or moved in the top k."""
    choose_form(arguments, "movements")
    with session(arguments, *runs, qrels) as (inputs, keywords):
        asked = read_runs(inputs, arguments, runs)
        asked.require("Try: rankmetrics movements OLD NEW -k 10", "", BASELINE=1, CANDIDATE=2)
        named = dict(asked.runs)
        first = named.pop(asked.name)
        if named and baseline is not None:
            raise UsageError("--baseline names a run of one source. Put the baseline first, and omit --baseline.")
        keywords |= {"k": k, "query": list(queries) or None, "baseline": asked.name if named else baseline}
        result = rm.movements(first, named or None, inputs.one(qrels), **keywords)
        show_sql(arguments, result.sql)
        create_table(arguments, result)
        records = result.summary.dicts()
    print_records(records, arguments, None)
