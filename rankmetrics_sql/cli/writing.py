"""The commands that write what runs elsewhere: sql, install, semantic-model."""

from __future__ import annotations

import contextlib
from typing import Any

import click

import rankmetrics_sql as rm

from ..errors import UsageError
from .inputs import Inputs
from .options import (
    all_pairs_option,
    breakdown_options,
    by_option,
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
from .output import print_records
from .terminal import echo, show_sql
from .texts import column_map, limits_of, numbers_of, sets_of, settings_of


@click.command()
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
    help="The table of retrieved items; NAME=TABLE, repeated, for several.",
)
@click.option("--qrels", metavar="TABLE", help="The table of judgments.")
@click.option("--labelled", metavar="TABLE", help="A table that carries its labels, instead of --run.")
@click.option("--query-list", metavar="TABLE", help="The table of queries to score.")
@click.option("--dialect", metavar="NAME", help="Whose SQL: snowflake, bigquery, postgres ...; by default duckdb.")
@click.option(
    "--level",
    default="summary",
    show_default=True,
    metavar="LEVEL",
    help="per_query, summary, sums, compare, decompose, movements, values, curve ...",
)
@click.option(
    "--values", metavar="TABLE", help="What statements of --level values gave, to read instead of the other tables."
)
@click.option("--along", default="k", show_default=True, metavar="NAME", help="For --level curve: what x is.")
@click.option("--at", metavar="X,...", help="For --level curve: the values of x.")
@click.option("-k", type=click.IntRange(min=1), help="For --level movements: how many items of a list, else 10.")
@cluster_option
@covariate_option
@limits_option
@all_pairs_option
@url_option
@click.option(
    "--for",
    "shape",
    type=click.Choice(["statement", "view"]),
    default="statement",
    show_default=True,
    help="What it is for: a view has no order, and names without quotes.",
)
@comments_option
@click.option("--estimate", is_flag=True, help="Print what --database says the statement would read; nothing is run.")
def sql(
    metrics: tuple[str, ...],
    runs: tuple[str, ...],
    settings: tuple[str, ...],
    columns: tuple[str, ...],
    position: str | None,
    by: tuple[str, ...],
    limits: tuple[str, ...],
    estimate: bool,
    **arguments: Any,
) -> None:
    """Print the SQL of an evaluation, to be run elsewhere.

    Columns are looked up in --database. Without it, those not named are assumed to have their default names, and the
    statement's header says which.
    """
    from ..dialects import check_dialect

    if not metrics and arguments["level"] != "movements":
        raise click.UsageError("Missing option '-m' / '--metric'.")
    if estimate and arguments["shape"] == "view":
        raise UsageError("--estimate is for statements: a view reads nothing before somebody asks it. Omit --for view.")
    if estimate and arguments["database"] is None:
        raise UsageError("--estimate needs --database: the estimate is the database's.")
    if runs and arguments["labelled"]:
        raise UsageError("--run and --labelled exclude each other: the table carries the run.")
    named = dict(Inputs({}).named(run) for run in runs) if len(runs) > 1 else None
    if named is not None and len(named) < len(runs):
        raise UsageError("Two runs have the same name; write NAME=TABLE.")
    run = named or (Inputs({}).named(runs[0])[1] if runs else None)
    arguments["at"] = numbers_of(arguments["at"])
    arguments["rollup"] = sets_of(arguments["rollup"])
    arguments["limits"] = limits_of(limits)
    choices: dict[str, Any] = settings_of(settings)
    database = arguments.pop("database")
    with contextlib.ExitStack() as opened:
        place = None
        if database is not None:
            place = opened.enter_context(rm.connect(database, dialect=arguments["dialect"]))
            arguments["dialect"] = place.dialect
        columns_by_meaning = column_map(columns, position)
        text = rm.sql(metrics, run, connection=place, columns=columns_by_meaning, by=by, **arguments, **choices)
        found = rm.estimate(text, connection=place) if estimate else None
    if not estimate:
        ends = "" if arguments["shape"] == "view" else check_dialect(arguments["dialect"] or "duckdb").end
        echo(text.removesuffix(";") + ends)
        return
    if found is None:
        raise UsageError("The database gives no estimates.")
    if found.rows is None and found.bytes is None:
        echo(found.text)
        return
    print_records([{"rows": found.rows, "bytes": found.bytes}], {}, None)


@click.command()
@metrics_option("Such as ap, ndcg@10, 'ndcg(gain=exp2)', by default all that can be a function")
@profile_option
@set_option
@columns_options
@click.option("--dialect", metavar="NAME", help="Whose SQL: duckdb, postgres or bigquery.")
@click.option("--database", metavar="URL", help="Create them in a database or a DuckDB file, instead of printing.")
@click.option("--schema", metavar="NAME", help="Where in the database they are to be.")
@comments_option
@click.option("--remove", is_flag=True, help="Remove them instead.")
@verbose_option
def install(
    metrics: tuple[str, ...],
    settings: tuple[str, ...],
    columns: tuple[str, ...],
    position: str | None,
    verbose: bool,
    **arguments: Any,
) -> None:
    """Print, or create in a database, functions such as rankmetrics_ndcg('runs', 'qrels', 10)."""
    choices: dict[str, Any] = settings_of(settings)
    database = arguments.pop("database")
    text = rm.install(metrics, connection=database, columns=column_map(columns, position), **arguments, **choices)
    if database is None:
        echo(text)
        return
    echo(text.partition("\n\n")[0])
    show_sql({"verbose": verbose}, text)


@click.command(name="semantic-model")
@click.argument("model", metavar="MODEL")
@metric_option
@profile_option
@set_option
@click.option("--by", multiple=True, metavar="COLUMN", help="A column of groups in the model; may be repeated.")
@click.option("--time", required=True, metavar="COLUMN", help="The column of the model with its periods.")
@click.option(
    "--period", type=click.Choice(["day", "week", "month"]), default="day", show_default=True, help="How long."
)
@click.option("--weighted", is_flag=True, help="Queries have weights: the model has denominator_sum.")
@click.option("--name", metavar="NAME", help="The name of the semantic model, by default that of the model.")
@click.option("--prefix", default="", metavar="TEXT", help="Before the name of each metric, which dbt wants but once.")
@click.option(
    "--spec",
    type=click.Choice(["new", "old"]),
    default="new",
    show_default=True,
    help="The form that dbt 1.12 began, or the one before it; dbt 2 reads both.",
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
    """Print YAML for dbt: the semantic model and metrics of MODEL, which the macro sums wrote."""
    from ..definitions.choices import resolve_options
    from ..definitions.resolution import resolve_metrics
    from ..statements.semantic import SumsModel, semantic_yaml

    resolved = resolve_metrics(metrics, resolve_options(settings_of(settings), profile))
    sums = SumsModel(model, name or model, by, **arguments)
    echo(semantic_yaml(sums, resolved, spec))
