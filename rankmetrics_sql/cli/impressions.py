"""The commands that look at impressions rather than at metrics of requests: propensities, coec, team-draft."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import click

import rankmetrics_sql as rm

from ..errors import UsageError, nearest
from .inputs import check_database, opened
from .options import (
    columns_option,
    combined,
    database_options,
    output_options,
    verbose_option,
)
from .output import choose_form, print_records
from .sources import source_of, source_tables
from .terminal import show_sql
from .texts import column_map

_rel = click.option("--rel", type=float, default=1, show_default=True, help="The lowest grade that is a click.")
_OF_ROWS = {"item_id": "item", "position": "position", "relevance": "relevance"}
_OF_DRAFTS = {"request_id": "request", "team": "team", "clicked": "clicked"}


# The options of a command that reads a source, or a table with a row for each item that was shown.
_of_impressions = combined(database_options, columns_option, verbose_option, output_options)


@click.command()
@click.argument("table", required=False)
@click.option(
    "--query",
    multiple=True,
    required=True,
    metavar="COLUMN",
    help="What was asked for: no request, which shows an item once; may be repeated.",
)
@click.option(
    "--method",
    default="adjacent_chain",
    show_default=True,
    type=click.Choice(["adjacent_chain", "pivot_one", "all_pairs"]),
    help="Each position against the one above, or the first, or all pairs by their likelihood (needs SciPy).",
)
@_rel
@source_tables("TABLE")
@_of_impressions
def propensities(table: str | None, query: tuple[str, ...], method: str, rel: float, **arguments: Any) -> None:
    """Estimate how likely people look at each position, that of the first being 1.

    TABLE has a row for each item that a request was shown; --events or another log stands in its place.
    """
    with _rows(arguments, table, _OF_ROWS) as (rows, keywords):
        found = rm.propensities(rows, list(query), method=method, rel=rel, **keywords)
    records = [{"position": position, "propensity": value} for position, value in found.items()]
    print_records(records, arguments, None)


@click.command()
@click.argument("table", required=False)
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="The item (by default), the query, or others; may be repeated."
)
@_rel
@source_tables("TABLE")
@_of_impressions
def coec(table: str | None, by: tuple[str, ...], rel: float, **arguments: Any) -> None:
    """Print clicks over expected clicks: 1 is as often clicked as others at the same positions.

    TABLE has a row for each item that a request was shown; --events or another log stands in its place.
    """
    with _rows(arguments, table, _OF_ROWS) as (rows, keywords):
        found = rm.coec(rows, list(by) or "item_id", rel=rel, **keywords)
        show_sql(arguments, found.sql)
        records = found.dicts()
    print_records(records, arguments, None)


@click.command("team-draft")
@click.argument("table")
@click.option("--teams", required=True, metavar="NAME,NAME", help="The two teams.")
@click.option("--user", metavar="COLUMN", help="The user, for a row per user: who won more of the user's requests.")
@click.option(
    "--preference", is_flag=True, help="One row: which team is preferred, by users' means, with its interval."
)
@click.option(
    "--confidence-level", type=float, metavar="SHARE", help="How often that holds the true preference; 0.95 by default."
)
@_of_impressions
def team_draft(
    table: str, teams: str, user: str | None, preference: bool, confidence_level: float | None, **arguments: Any
) -> None:
    """Print who won each request of an interleaving by team draft.

    TABLE has a row for each item of a request: request_id, the team that it came from, and whether it was clicked;
    --columns names others.
    """
    names = [name.strip() for name in teams.split(",")]
    level = {} if confidence_level is None else {"confidence_level": confidence_level}
    if level and not preference:
        raise UsageError("--confidence-level goes with --preference.")
    won = rm.team_draft_preference if preference else rm.team_draft
    with _rows(arguments, table, _OF_DRAFTS) as (rows, keywords):
        found = won(rows, names, user=user, **keywords | level)
        show_sql(arguments, found.sql)
        records = found.dicts()
    print_records(records, arguments, None)


@contextlib.contextmanager
def _rows(
    arguments: dict[str, Any], table: str | None, meanings: Mapping[str, str]
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The rows that the command line names, and the arguments that all these functions have."""
    check_database(arguments)
    choose_form(arguments, "this table")
    with opened(arguments, table) as (inputs, database):
        source = source_of(inputs, arguments) if "rules" in arguments else None
        if (source is None) == (table is None):
            raise UsageError("One of TABLE and a log, such as --events IMPRESSIONS EVENTS, is wanted.")
        rows = inputs.one(table) if source is None else source[1]
        yield rows, _columns(arguments, meanings) | {"connection": database}


def _columns(arguments: Mapping[str, Any], meanings: Mapping[str, str]) -> dict[str, Any]:
    """The columns of a table, by the arguments of the functions."""
    found = {}
    for meaning, columns in column_map(arguments["columns"], None).items():
        if meaning not in meanings:
            raise UsageError(f"--columns: unknown {meaning!r}. {nearest(meaning, meanings)}")
        if len(columns) > 1 and meaning != "request_id":
            raise UsageError(f"--columns gives {meaning} twice.")
        found[meanings[meaning]] = columns if len(columns) > 1 else columns[0]
    return found
