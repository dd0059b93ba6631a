"""The command that lists and drops what evaluations left in a database."""

from __future__ import annotations

from typing import Any

import click

import rankmetrics_sql as rm

from .help import Command
from .options import combined, flag_option, options_of, value_option
from .terminal import choose_form, echo, print_records, print_warnings


@click.command(cls=Command)
@options_of(
    "clean",
    "format",
    "output",
    connection=combined(
        value_option("database", "URL", "postgresql://..., or a DuckDB file.", required=True),
        value_option("dialect", "NAME", "SQL dialect, if the URL does not name it."),
        value_option("timeout", "SECONDS", "How long a statement may take.", type=float),
    ),
    schema=value_option("schema", "NAME", "Look only in this schema."),
    drop=flag_option("drop", "Drop the tables, but no old ones of a replacement."),
    older_than=click.option(
        "--older-than",
        metavar="DAYS",
        type=click.FloatRange(min=0),
        default=1,
        show_default=True,
        help="Age in days from which --drop drops.",
    ),
)
def clean(database: str, dialect: str | None, timeout: float | None, **arguments: Any) -> None:
    """List tables that a killed evaluation left in a database.

    Only names of the form rankmetrics_TIME_TOKEN are listed. A table that was being replaced when the command was
    killed is listed with the statement that gives it its name back.
    """
    choose_form(arguments, "tables of a database")
    settings = {name: arguments.pop(name) for name in ("schema", "drop", "older_than")}
    with print_warnings(), rm.connect(database, dialect=dialect, timeout=timeout) as place:
        table = place.clean(**settings)
    if not len(table) and arguments["form"] in (None, "table") and arguments["output"] is None:
        echo("No table is left.", err=True)
        return
    print_records(table.dicts(), arguments, None)
