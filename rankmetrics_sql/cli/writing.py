"""The commands that write SQL and YAML: sql, install, semantic-model."""

from __future__ import annotations

import contextlib
from typing import Any

import click

import rankmetrics_sql as rm

from ..errors import UsageError
from .help import Command
from .inputs import InputReader
from .options import (
    all_pairs_option,
    breakdown_options,
    by_option,
    cap_option,
    cluster_option,
    columns_options,
    comments_option,
    covariate_option,
    limits_option,
    metric_option,
    metrics_if_any_option,
    metrics_option,
    period_options,
    profile_option,
    set_option,
    url_option,
    verbose_option,
)
from .sources import read_runs, source_tables
from .terminal import echo, print_records, show_sql
from .texts import parse_caps, parse_columns, parse_limits, parse_numbers, parse_rollup, parse_settings


@click.command(cls=Command)
@metrics_if_any_option
@profile_option
@set_option
@by_option
@period_options
@breakdown_options
@columns_options
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="TABLE",
    help="Table of a run, or NAME=TABLE. Repeatable.",
)
@source_tables
@click.option("--qrels", metavar="TABLE", help="Table of judgments.")
@click.option("--baseline", metavar="RUN", help="Baseline of --level compare, decompose.")
@click.option("--labelled", metavar="TABLE", help="A table with items and labels, not --run.")
@click.option("--query-list", metavar="TABLE", help="Table of the queries to score.")
@click.option("--dialect", metavar="NAME", help="Such as snowflake, bigquery (default duckdb).")
@click.option(
    "--level",
    default="summary",
    metavar="LEVEL",
    help="summary, sums, compare, data_quality ...",
)
@click.option("--values", metavar="TABLE", help="Table that --level values wrote, to read.")
@click.option("--along", default="k", show_default=True, metavar="NAME", help="Parameter of --level curve.")
@click.option("--at", metavar="X,...", help="Its values.")
@click.option("-k", type=click.IntRange(min=1), help="Cutoff of --level movements.")
@cluster_option
@covariate_option
@limits_option
@cap_option
@all_pairs_option
@url_option
@click.option(
    "--for",
    "shape",
    type=click.Choice(["statement", "view"]),
    default="statement",
    help="view omits the order and quotes.",
)
@comments_option
@click.option("--estimate", is_flag=True, help="Print what --database estimates; run nothing.")
def sql(
    metrics: tuple[str, ...],
    runs: tuple[str, ...],
    settings: tuple[str, ...],
    columns: tuple[str, ...],
    position: str | None,
    by: tuple[str, ...],
    limits: tuple[str, ...],
    cap: tuple[str, ...],
    estimate: bool,
    **arguments: Any,
) -> None:
    """Print the SQL of an evaluation, to run it elsewhere.

    With --database the command looks up the columns. Without it, pass --columns for names other than the defaults; a
    comment at the top of the statement lists the names that it assumes.
    """
    from ..dialects import check_dialect

    if not metrics and arguments["level"] not in ("movements", "data_quality"):
        raise click.UsageError("Missing option '-m' / '--metric'.")
    if estimate and arguments["shape"] == "view":
        raise UsageError("--estimate cannot estimate a view, which reads nothing until it is queried. Omit --for view.")
    if estimate and arguments["database"] is None:
        raise UsageError("--estimate asks the database. Pass --database URL.")
    run = _read_run(runs, arguments)
    for name in _OF_TABLES:
        arguments[name] = InputReader({}).one(arguments.get(name))
    arguments["at"] = parse_numbers(arguments["at"])
    arguments["rollup"] = parse_rollup(arguments["rollup"])
    arguments["limits"] = parse_limits(limits)
    arguments["cap"] = parse_caps(cap)
    choices: dict[str, Any] = parse_settings(settings)
    database = arguments.pop("database")
    with contextlib.ExitStack() as opened:
        place = None
        if database is not None:
            place = opened.enter_context(rm.connect(database, dialect=arguments["dialect"]))
            arguments["dialect"] = place.dialect
        columns_by_meaning = parse_columns(columns, position)
        text = rm.sql(metrics, run, connection=place, columns=columns_by_meaning, by=by, **arguments, **choices)
        found = rm.estimate(text, connection=place) if estimate else None
    if not estimate:
        ends = "" if arguments["shape"] == "view" else check_dialect(arguments["dialect"] or "duckdb").end
        echo(text.removesuffix(";") + ends)
        return
    if found is None:
        raise UsageError("This database gives no estimates. Omit --estimate.")
    if found.rows is None and found.bytes is None:
        echo(found.text)
        return
    print_records([{"rows": found.rows, "bytes": found.bytes}], {}, None)


_OF_TABLES = ("qrels", "labelled", "query_list", "values")  # that may be written NAME=TABLE, as runs are


def _read_run(runs: tuple[str, ...], arguments: dict[str, Any]) -> Any:
    """Read what a statement reads: a table, several by name, or a source; None of a labelled table.

    Raises:
        UsageError: two options exclude each other.
    """
    source = read_runs(InputReader({}), arguments, ())
    others = ["--run"] * bool(runs) + [f"--{source.kind}"] * bool(source.kind)
    if others and arguments["labelled"]:
        raise UsageError(
            f"{others[0]} and --labelled exclude each other: the labelled table contains the run. Omit {others[0]}."
        )
    if len(others) > 1:
        raise UsageError(f"{' and '.join(others)} exclude each other. Pass one of them.")
    if source.kind is not None:
        return source.value
    named = dict(InputReader({}).named(run) for run in runs)
    if len(named) < len(runs):
        raise UsageError("Two runs have the same name. Write --run NAME=TABLE.")
    return (named if len(named) > 1 else next(iter(named.values()))) if named else None


@click.command(cls=Command)
@metrics_option("Metrics (default: all possible). Repeatable.")
@profile_option
@set_option
@columns_options
@click.option("--dialect", metavar="NAME", help="duckdb, postgres or bigquery.")
@click.option("--database", metavar="URL", help="Create the functions in this database.")
@click.option("--schema", metavar="NAME", help="Schema of the functions.")
@comments_option
@click.option("--remove", is_flag=True, help="Remove the functions.")
@verbose_option
def install(
    metrics: tuple[str, ...],
    settings: tuple[str, ...],
    columns: tuple[str, ...],
    position: str | None,
    verbose: bool,
    **arguments: Any,
) -> None:
    """Print or create SQL functions such as rankmetrics_ndcg.

    The functions take tables: SELECT * FROM rankmetrics_ndcg('runs', 'qrels', 10). Without --database the command
    prints them.
    """
    choices: dict[str, Any] = parse_settings(settings)
    database = arguments.pop("database")
    text = rm.install(metrics, connection=database, columns=parse_columns(columns, position), **arguments, **choices)
    if database is None:
        echo(text)
        return
    echo(text.partition("\n\n")[0])
    show_sql({"verbose": verbose}, text)


@click.command(name="semantic-model", cls=Command)
@click.argument("model", metavar="MODEL")
@metric_option
@profile_option
@set_option
@click.option("--by", multiple=True, metavar="COLUMN", help="Group column of the model. Repeatable.")
@click.option("--time", required=True, metavar="COLUMN", help="Time column of the model.")
@click.option(
    "--period", type=click.Choice(["day", "week", "month"]), default="day", show_default=True, help="Grain of --time."
)
@click.option("--weighted", is_flag=True, help="Read the weights from denominator_sum.")
@click.option("--name", metavar="NAME", help="Name of the semantic model (default: MODEL).")
@click.option("--prefix", default="", metavar="TEXT", help="Prefix of each metric's name.")
@click.option(
    "--spec",
    type=click.Choice(["new", "old"]),
    default="new",
    show_default=True,
    help="old for dbt before 1.12.",
)
def semantic_model(
    model: str,
    metrics: tuple[str, ...],
    profile: str | None,
    settings: tuple[str, ...],
    by: tuple[str, ...],
    spec: str,
    name: str | None,
    **arguments: Any,
) -> None:
    """Print dbt YAML: a semantic model and its metrics.

    MODEL is a dbt model that the macro sums wrote. dbt 2 reads both --spec.
    """
    from ..api.install import SumsModel, semantic_yaml
    from ..definitions.resolution import resolve_metrics, resolve_options

    resolved = resolve_metrics(metrics, resolve_options(parse_settings(settings), profile))
    sums = SumsModel(model, name or model, by, **arguments)
    echo(semantic_yaml(sums, resolved, spec))
