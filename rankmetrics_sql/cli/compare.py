"""The commands that compare runs: compare, decompose, movements; and conditions that make a command fail."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

import rankmetrics_sql as rm

from ..errors import RankmetricsWarning, UsageError
from ..results.files import FOR_PEOPLE
from .conditions import write_outcomes
from .help import Command
from .inputs import InputReader, session
from .options import (
    POSITIVE,
    RUNNING,
    WRITING,
    flag_option,
    options_of,
    repeated_option,
    value_option,
)
from .sources import given_or_unneeded, read_runs, resolve_request, source_tables
from .terminal import choose_form, create_table, echo, print_error, print_records, print_text, screen, show_sql

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.gates import Gate, Outcome
    from ..rows import Record


def parse_gates(
    conditions: Sequence[str], requirements: Sequence[str], arguments: Mapping[str, Any], compares: bool = True
) -> list[Gate]:
    """Parse --fail-if and --fail-unless before any data is read."""
    options_and_texts = [("--fail-if", text) for text in conditions] + [
        ("--fail-unless", text) for text in requirements
    ]
    if not options_and_texts:
        return []
    from ..results.gates import read_gates

    return read_gates(options_and_texts, resolve_request(arguments, compares=compares)[1], compares)


def conditions_above(outcomes: Sequence[Outcome], arguments: Mapping[str, Any]) -> str:
    """Return what Markdown begins with: the conditions and their outcomes."""
    if arguments["form"] != "markdown" or not outcomes:
        return ""
    from ..results.outcomes import markdown

    return f"{markdown(outcomes)}\n"


def judge(command: str, outcomes: Sequence[Outcome], arguments: Mapping[str, Any]) -> None:
    """Write --junit and --gates, print what failed, and exit with 3 if a condition failed, or as an error does."""
    write_outcomes(command, outcomes, arguments)
    failures = [line for outcome in outcomes for line in outcome.failures]
    for line in failures:
        echo(f"rankmetrics: fails: {line}", err=True)
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    for error in errors:
        print_error(error)
    if failures or errors:
        sys.exit(errors[0].exit_code if errors else 3)


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  rankmetrics compare a.run b.run --qrels qrels.txt -m AP --fail-if 'AP worse'\n"
    "  rankmetrics compare --events shown.csv clicks.csv -m RR \\\n"
    "  --rule arm=variant --baseline A",
)
@click.argument("runs", nargs=-1, metavar="BASELINE CANDIDATE...")
@source_tables
@options_of("compare", "consensus", "all_pairs", "junit", "gates", *WRITING, *RUNNING)
@repeated_option("fail-if", "CONDITION", "Exit with 3 if this holds, such as 'ap worse'.")
@repeated_option("fail-unless", "CONDITION", "Exit with 3 unless this holds: 'ap >= 0'.")
@click.option("-q", "--per-query", is_flag=True, help="Print each query, largest difference first.")
@flag_option("heterogeneity", "Print whether the effect differs between groups.")
@click.option("--intervals/--no-intervals", default=True, help="Print intervals in LaTeX (default).")
def compare(
    runs: tuple[str, ...],
    qrels: str | None,
    baseline: str | None,
    fail_if: tuple[str, ...],
    fail_unless: tuple[str, ...],
    per_query: bool,
    heterogeneity: bool,
    all_pairs: bool,
    **arguments: Any,
) -> None:
    """Test whether runs, or the arms of a log, differ.

    The first run is the baseline, and runs are compared query by query. A condition is about the effect, 'ap < -0.01',
    or it is tested: 'ap worse', 'ap worse by 0.01', 'ap not worse by 0.01', 'ap better by 5%'. The p-values of all
    tested conditions are corrected together. 'top: ap worse' is called top. --limits ap=0.01 calls each metric worse,
    not worse or inconclusive. Tables of lists are runs, too: --lists a.parquet b.parquet.
    """
    choose_form(arguments, "a comparison")
    gates = parse_gates(fail_if, fail_unless, arguments)
    testing = [gate for gate in gates if gate.limit is not None]
    if heterogeneity:
        _refuse_heterogeneity(arguments, per_query)
    if all_pairs and (gates or need_baseline(arguments)):
        raise UsageError(
            "--all-pairs has no baseline, so it excludes --fail-if, --fail-unless, --limits, --cap, --shares,"
            " --covariate, --strata and --judge without --consensus. Omit --all-pairs."
        )
    with session("compare", arguments, *runs, qrels) as (inputs, keywords):
        sides, first = read_sides("compare", inputs, runs, qrels, baseline, arguments, keywords)
        if all_pairs:
            all_runs = sides[0] if sides[1] is None else {first: sides[0], **sides[1]}
            result = rm.compare_all(
                all_runs, sides[2], **{name: value for name, value in keywords.items() if name not in NEED_BASELINE}
            )
        else:
            result = rm.compare(*sides, baseline=first, **keywords)
        values = result.per_query if per_query else None
        if per_query and values is None:
            raise UsageError("--per-query needs pairs of values, and each arm has its own queries. Omit --per-query.")
        show_sql(arguments, result.sql if values is None else values.sql)
        create_table(arguments, result, per_query)
        records = result.summary.dicts()
        value_records = None if values is None else values.dicts()
        if heterogeneity and result.heterogeneity is not None:
            value_records = result.heterogeneity.dicts()
        tested = _run_tests(sides, testing, {**keywords, "baseline": first})
    outcomes = [gate.outcome(records if gate.limit is None else tested, result.unjudged) for gate in gates]
    above = conditions_above(outcomes, arguments)
    if value_records is not None:
        print_records(value_records, arguments, None, above=above)
    else:
        _print_comparison(records, result, arguments, above)
    judge("compare", outcomes, arguments)


@click.command(cls=Command)
@click.argument("runs", nargs=-1, metavar="BASELINE CANDIDATE...")
@source_tables
@options_of("decompose", *WRITING, *RUNNING)
def decompose(runs: tuple[str, ...], qrels: str | None, baseline: str | None, **arguments: Any) -> None:
    """Show which segments a difference comes from.

    Each segment of --by or --period contributes by better or worse ranking, and by a changed share of the queries. To
    compare two periods, pass them as two runs and add --set queries=judged_retrieved. Each is then scored on its own
    queries.
    """
    choose_form(arguments, "a decomposition")
    with session("decompose", arguments, *runs, qrels) as (inputs, keywords):
        sides, first = read_sides("decompose", inputs, runs, qrels, baseline, arguments)
        result = rm.decompose(*sides, baseline=first, **keywords)
        show_sql(arguments, result.sql)
        create_table(arguments, result)
        records = result.summary.dicts()
    print_records(records, arguments, None)


# Keywords of the effect, or of the arms, that a value alone has no use for.
NEED_BASELINE = ("covariate", "strata", "shares", "limits", "cap", "judge")


def need_baseline(arguments: Mapping[str, Any]) -> bool:
    """Check whether an option is only for comparisons with a baseline; a consensus takes the judge for itself."""
    names = [name for name in NEED_BASELINE if name != "judge" or arguments["consensus"] is None]
    return any(arguments[name] is not None for name in names)


def read_sides(
    command: str,
    inputs: InputReader,
    runs: Sequence[str],
    qrels: str | None,
    baseline: str | None,
    arguments: dict[str, Any],
    keywords: dict[str, Any] | None = None,
) -> tuple[tuple[Any, Any, Any], str | None]:
    """Read the baseline (or a log with arms), the candidates and the judgments, and the name of the baseline.

    With ``keywords``, the judgments may be the consensus of several judges.
    """
    sides = read_runs(inputs, arguments, runs)
    judgments = inputs.one(qrels) if keywords is None else inputs.judgments(qrels, arguments, keywords)
    if sides.kind is not None and len(sides.runs) == 1:
        return (sides.value, None, judgments), baseline
    if sides.kind is None and len(sides.runs) == 1 and _names_runs(arguments):
        return (sides.value, None, judgments), baseline
    rest = {"decompose": " --by COLUMN", "report": " -o report.html"}.get(command, "")
    example = f"Try: rankmetrics {command} OLD NEW --qrels QRELS -m nDCG@10{rest}"
    sides.require(example, given_or_unneeded(judgments, arguments), BASELINE=1, CANDIDATE=2)
    sides.refuse_baseline(baseline)
    runs_by_name = dict(sides.runs)
    return (runs_by_name.pop(sides.name), runs_by_name, judgments), sides.name


def _refuse_heterogeneity(arguments: Mapping[str, Any], per_query: bool) -> None:
    """Refuse to print how groups differ without groups, or beside what is printed instead of the comparison."""
    if per_query:
        raise UsageError("--per-query and --heterogeneity print tables of their own. Pass one of them.")
    if arguments["judge"] is not None and arguments["consensus"] is None:
        raise UsageError("--heterogeneity compares groups with queries of their own, and judges share them. Omit it.")
    if not (arguments["by"] or arguments["period"]):
        raise UsageError("--heterogeneity compares groups of queries. Add --by COLUMN.")


def _names_runs(arguments: Mapping[str, Any]) -> bool:
    """Whether --columns names the column that tells the runs of a file apart."""
    return any(
        part.strip().startswith(("run=", "run_id=")) for text in arguments["columns"] for part in text.split(",")
    )


def _run_tests(sides: tuple[Any, Any, Any], gates: Sequence[Gate], keywords: Mapping[str, Any]) -> list[Record]:
    """Run the tests of the conditions, apart from the comparison that is shown, which has already warned."""
    if not gates:
        return []
    from ..api.compare import compare_by_gates

    by_gate = ("alternative", "margin", "metrics", "limits", "shares")
    common = {name: value for name, value in keywords.items() if name not in by_gate}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankmetricsWarning)
        return compare_by_gates(*sides, gates, **common)


def _print_comparison(
    records: Sequence[dict[str, Any]], result: Comparison, arguments: Mapping[str, Any], above: str
) -> None:
    """Print a comparison: for people the verdicts and the test, for programs every column."""
    if arguments["form"] in FOR_PEOPLE:
        from ..results import all_pairs, comparison_tables

        printed = records, result.options, arguments["form"], result.better, result.counts
        if result.options.get("all_pairs"):
            text = all_pairs.draw_tests(*printed, screen=screen(arguments["output"]))
        else:
            more = {"notes": result.notes, "intervals": arguments["intervals"]}
            text = comparison_tables.comparison(*printed, screen=screen(arguments["output"]), **more)
        print_text(above + text, arguments)
    else:
        print_records(records, arguments, None)


@click.command(cls=Command)
@click.argument("runs", nargs=-1, metavar="BASELINE CANDIDATE...")
@source_tables
@options_of(
    "movements",
    *WRITING,
    *RUNNING,
    qrels=value_option("qrels", "QRELS", "Judgments, for the column relevance."),
    k=click.option("-k", default=10, show_default=True, type=POSITIVE, help="Cutoff."),
    query=click.option("--query", "queries", multiple=True, metavar="ID", help="Show only this query. Repeatable."),
    baseline=value_option("baseline", "RUN", "Baseline, of one source with several runs."),
)
def movements(
    runs: tuple[str, ...], qrels: str | None, queries: tuple[str, ...], baseline: str | None, **arguments: Any
) -> None:
    """List the items that entered, left or moved in the top k."""
    choose_form(arguments, "movements")
    with session("movements", arguments, *runs, qrels) as (inputs, keywords):
        sides = read_runs(inputs, arguments, runs)
        sides.require("Try: rankmetrics movements OLD NEW -k 10", "", BASELINE=1, CANDIDATE=2)
        runs_by_name = dict(sides.runs)
        first = runs_by_name.pop(sides.name)
        if runs_by_name and baseline is not None:
            raise UsageError("--baseline names a run of one source. Put the baseline first, and omit --baseline.")
        keywords |= {"query": list(queries) or None, "baseline": sides.name if runs_by_name else baseline}
        result = rm.movements(first, runs_by_name or None, inputs.one(qrels), **keywords)
        show_sql(arguments, result.sql)
        create_table(arguments, result)
        records = result.summary.dicts()
    print_records(records, arguments, None)
