"""The commands that write SQL and YAML: sql, install, semantic-model."""

from __future__ import annotations

import contextlib
from typing import Any

import click

import rankmetrics_sql as rm

from ..errors import UsageError
from .help import Command
from .inputs import InputReader
from .options import POSITIVE, database_option, flag_option, metrics_option, options, options_of, parsed, value_option
from .sources import read_runs, source_tables
from .terminal import echo, print_records, show_sql
from .texts import parse_columns, parse_numbers, parse_settings


@click.command(cls=Command)
@click.option("--run", "runs", multiple=True, metavar="TABLE", help="Table of a run, or NAME=TABLE. Repeatable.")
@source_tables
@options_of(
    "sql",
    without=["items"],
    metrics=metrics_option(),
    qrels=value_option("qrels", "TABLE", "Table of judgments."),
    baseline=value_option("baseline", "RUN", "Baseline of --level compare, decompose."),
    labelled=value_option("labelled", "TABLE", "A table with items and labels, not --run."),
    predicted_qrels=value_option("predicted-qrels", "TABLE", "Judgments of a model that predict --qrels."),
    query_list=value_option("query-list", "TABLE", "Table of the queries to score."),
    dialect=value_option("dialect", "NAME", "Such as snowflake, bigquery (default duckdb)."),
    level=value_option("level", "LEVEL", "summary, sums, compare, data_quality ...", default="summary"),
    values=value_option("values", "TABLE", "Table that --level values wrote, to read."),
    along=value_option("along", "NAME", "Parameter of --level curve.", default="k", show_default=True),
    at=value_option("at", "X,...", "Its values.", callback=parsed(parse_numbers)),
    k=click.option("-k", type=POSITIVE, help="Cutoff of --level movements."),
    n=click.option("-n", type=POSITIVE, help="Items of --level judge_next."),
    connection=database_option,
    shape=click.option(
        "--for",
        "shape",
        type=click.Choice(["statement", "view"]),
        default="statement",
        help="view omits the order and quotes.",
    ),
)
@flag_option("estimate", "Print what --database estimates; run nothing.")
def sql(
    metrics: tuple[str, ...],
    runs: tuple[str, ...],
    settings: tuple[str, ...],
    columns: tuple[str, ...],
    position: str | None,
    by: tuple[str, ...],
    estimate: bool,
    **arguments: Any,
) -> None:
    """Print the SQL of an evaluation, to run it elsewhere.

    With --database the command looks up the columns. --dialect may be another one than that of the database, such as a
    DuckDB file with tables of the same names. Without it, pass --columns for names other than the defaults; a
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
    choices: dict[str, Any] = parse_settings(settings)
    database = arguments.pop("database")
    with contextlib.ExitStack() as opened:
        place = None
        if database is not None:
            place = opened.enter_context(_place_of_columns(database, arguments["dialect"]))
            arguments["dialect"] = arguments["dialect"] or place.dialect
            if estimate and arguments["dialect"] != place.dialect:
                raise UsageError(f"--estimate asks the database, which speaks {place.dialect}. Omit --dialect.")
        columns_by_meaning = parse_columns(columns, position)
        text = rm.sql(metrics, run, connection=place, columns=columns_by_meaning, by=by, **arguments, **choices)
        sizes = rm.estimate(text, connection=place) if estimate else None
    if not estimate:
        ends = "" if arguments["shape"] == "view" else check_dialect(arguments["dialect"] or "duckdb").end
        echo(text.removesuffix(";") + ends)
        return
    if sizes is None:
        raise UsageError("This database gives no estimates. Omit --estimate.")
    if sizes.rows is None and sizes.bytes is None:
        echo(sizes.text)
        return
    print_records([{"rows": sizes.rows, "bytes": sizes.bytes}], {}, None)


def _place_of_columns(database: str, dialect: str | None) -> rm.Database:
    """Return the database in which columns are looked up. A dialect that its URL leaves open names it, too."""
    try:
        return rm.connect(database, dialect=dialect)
    except UsageError:
        return rm.connect(database)


# Tables that may be written NAME=TABLE, as runs are.
_OF_TABLES = ("qrels", "predicted_qrels", "labelled", "query_list", "values")


def _read_run(runs: tuple[str, ...], arguments: dict[str, Any]) -> Any:
    """Read what a statement reads: a table, several by name, or a source; None of a labelled table."""
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
    runs_by_name = dict(InputReader({}).named(run) for run in runs)
    if len(runs_by_name) < len(runs):
        raise UsageError("Two runs have the same name. Write --run NAME=TABLE.")
    return (runs_by_name if len(runs_by_name) > 1 else next(iter(runs_by_name.values()))) if runs_by_name else None


@click.command(cls=Command)
@options_of(
    "install",
    "verbose",
    metrics=metrics_option("Metrics (default: all possible). Repeatable."),
    dialect=value_option("dialect", "NAME", "duckdb, postgres or bigquery."),
    connection=value_option("database", "URL", "Create the functions in this database."),
    schema=value_option("schema", "NAME", "Schema of the functions."),
    remove=flag_option("remove", "Remove the functions."),
)
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
@options("metrics", "profile", "options")
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
    default="old",
    show_default=True,
    help="new for dbt 1.12 and 2.",
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

    MODEL is a dbt model that the macro sums wrote. dbt before 1.12 finds no metric in --spec new.
    """
    from ..api.install import SumsModel, semantic_yaml
    from ..definitions.resolution import resolve_metrics, resolve_options

    resolved = resolve_metrics(metrics, resolve_options(parse_settings(settings), profile))
    sums = SumsModel(model, name or model, by, **arguments)
    echo(semantic_yaml(sums, resolved, spec))
