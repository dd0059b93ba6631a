"""The commands about logs: propensities, coec, ctr-by-position, worst, judgments, team-draft, demo."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

import rankmetrics_sql as rm

from ..errors import UsageError, nearest
from ..results.files import FOR_PEOPLE
from .help import Command
from .inputs import check_database, open_inputs
from .options import OPTIONS, POSITIVE, columns_option, combined, options, parsed, repeated_option, value_option
from .sources import read_runs, source_tables
from .terminal import choose_form, create_table, echo, print_records, print_warnings, screen, show_sql
from .texts import parse_columns, parse_grades

_ROW_COLUMNS = {"item_id": "item", "position": "position", "relevance": "relevance"}
_POSITION_COLUMNS = {"request_id": "request", "position": "position", "relevance": "relevance", "time": "time"}
_WORST_COLUMNS = _POSITION_COLUMNS | _ROW_COLUMNS | {"user": "user"}
_WORST_SETTINGS = (
    *("order", "n", "min_requests", "normalise", "empty_lists", "rel", "confidence_level", "period", "timezone"),
)
_SEARCH_COLUMNS = _ROW_COLUMNS | {"request_id": "request"}
_RULES_OF_JUDGMENTS = ("model", "group", "prior", "no_click", "min_impressions", "grades", "normalise", "rel")
_DRAFT_COLUMNS = {"request_id": "request", "team": "team", "clicked": "clicked"}


# The options of a command that reads a log, or a table with a row for each item that a request showed.
_table_options = options("connection", "columns", "verbose", "format", "output", columns=columns_option)
_storing_options = options("into", "replace", "recreate")
# Of rows with click rates and their intervals.
_rated_options = combined(
    OPTIONS["rel"],
    click.option(
        "--confidence-level", type=float, default=0.95, show_default=True, metavar="SHARE", help="Of intervals."
    ),
    OPTIONS["period"],
    OPTIONS["timezone"],
    _storing_options,
    source_tables,
    _table_options,
)


@click.command(cls=Command)
@click.argument("table", required=False)
@click.option(
    "--query",
    multiple=True,
    required=True,
    metavar="COLUMN",
    help="Column with the search query.",
)
@click.option(
    "--method",
    default="adjacent_chain",
    type=click.Choice(["adjacent_chain", "pivot_one", "all_pairs"]),
    metavar="METHOD",
    help="adjacent_chain, pivot_one or all_pairs (SciPy).",
)
@OPTIONS["rel"]
@source_tables
@_table_options
def propensities(table: str | None, query: tuple[str, ...], method: str, rel: float, **arguments: Any) -> None:
    """Estimate how likely users examine each position.

    The first position has propensity 1. TABLE has a row for each item that a request showed. Pass --events or another
    log instead of TABLE.

    --method adjacent_chain compares each position with the one above, pivot_one with the first. all_pairs fits all
    pairs by maximum likelihood.
    """
    with _rows(arguments, table, _ROW_COLUMNS) as (rows, keywords):
        fitted = rm.propensities(rows, list(query), method=method, rel=rel, **keywords)
    records = [{"position": position, "propensity": value} for position, value in fitted.items()]
    print_records(records, arguments, None)


@click.command(cls=Command)
@click.argument("table", required=False)
@click.option("--by", multiple=True, metavar="COLUMN", help="Group by this column. Repeatable.")
@OPTIONS["rel"]
@_storing_options
@source_tables
@_table_options
def coec(table: str | None, by: tuple[str, ...], rel: float, **arguments: Any) -> None:
    """Compute clicks over expected clicks (COEC).

    A COEC of 1 means as many clicks as other items get at the same positions. TABLE has a row for each item that a
    request showed. Pass --events or another log instead of TABLE. Without --by there is a row for each item.
    """
    with _rows(arguments, table, _ROW_COLUMNS) as (rows, keywords):
        scores = rm.coec(rows, list(by) or "item_id", rel=rel, **keywords)
        show_sql(arguments, scores.sql)
        create_table(arguments, scores)
        records = scores.dicts()
    print_records(records, arguments, None)


@click.command("ctr-by-position", cls=Command)
@click.argument("table", required=False)
@click.option("--by", multiple=True, metavar="COLUMN", help="Group by this column, too. Repeatable.")
@_rated_options
def ctr_by_position(
    table: str | None,
    by: tuple[str, ...],
    rel: float,
    confidence_level: float,
    period: str | None,
    timezone: str | None,
    **arguments: Any,
) -> None:
    """Compute the click-through rate at each position.

    TABLE has a row for each item that a request showed; --columns request_id=COLUMN names the request. Pass --events or
    another log instead of TABLE. Positions are those that people saw.
    """
    with _rows(arguments, table, _POSITION_COLUMNS) as (rows, keywords):
        keywords |= {"period": period, "timezone": timezone}
        rates = rm.ctr_by_position(rows, list(by), rel=rel, confidence_level=confidence_level, **keywords)
        show_sql(arguments, rates.sql)
        create_table(arguments, rates)
        records = rates.dicts()
    print_records(records, arguments, None)


@click.command(cls=Command)
@click.argument("table", required=False)
@repeated_option("by", "COLUMN", "Column of search texts. Repeatable.", required=True)
@value_option("order", "ORDER", "A metric to order by (default lost_clicks).", default="lost_clicks")
@value_option("min-requests", "N", "List no rarer groups (default 20).", type=POSITIVE, default=20)
@click.option("-n", type=POSITIVE, default=50, metavar="N", help="How many rows to list at most (default 50).")
@value_option("user", "COLUMN", "Column with the user.")
@value_option("time", "COLUMN", "Column with the time of the request.")
@value_option("within", "TIME", "Until the next search (default 5 minutes).", default="5 minutes")
@value_option("normalise", "HOW", "Compare texts as 'lower, trim'.")
@click.option("--empty-lists", is_flag=True, help="Rows without an item are empty lists.")
@_rated_options
def worst(
    table: str | None,
    by: tuple[str, ...],
    user: str | None,
    time: str | None,
    within: str,
    **arguments: Any,
) -> None:
    """List the searches that lose the most clicks.

    An impression is expected to be clicked as often as all impressions at its position. Lost clicks are the expected
    clicks less the clicks. Searches are ordered by the lower bound of what they lose, so rare ones do not lead.

    TABLE has a row for each item that a request showed; --columns request_id=COLUMN names the request. Pass --events or
    another log instead of TABLE.
    """
    settings = {name: arguments.pop(name) for name in _WORST_SETTINGS}
    with _rows(arguments, table, _WORST_COLUMNS) as (rows, keywords):
        given = {"user": user, "time": time} | keywords
        seconds = float(within) if within.replace(".", "", 1).isdigit() else within
        found = rm.worst(rows, list(by), within=seconds, **settings, **given)
        show_sql(arguments, found.sql)
        create_table(arguments, found)
        records = found.dicts()
    if records or arguments["form"] not in FOR_PEOPLE:
        print_records(records, arguments, None)
    echo(found.summary_line, err=True)


@click.command(cls=Command)
@click.argument("table", required=False)
@click.option("--by", multiple=True, required=True, metavar="COLUMN", help="Column with the search text. Repeatable.")
@click.option(
    "--model",
    default="sdbn",
    type=click.Choice(["ctr", "coec", "cascade", "sdbn"]),
    metavar="MODEL",
    help="ctr, coec, cascade or sdbn (default).",
)
@click.option("--action", multiple=True, metavar="TYPE", help="Count only this action of the log. Repeatable.")
@click.option("--group", metavar="COLUMN", help="Compare positions within this type of page.")
@click.option("--prior", type=float, default=1, show_default=True, metavar="N", help="Impressions of the log's mean.")
@click.option(
    "--no-click",
    default="all",
    type=click.Choice(["all", "none"]),
    metavar="PART",
    help="Part that was looked at: all (default) or none.",
)
@click.option("--min-impressions", type=POSITIVE, default=1, metavar="N", help="Leave out pairs with fewer.")
@click.option("--grades", metavar="N|X,...", help="Number of grades, or thresholds.", callback=parsed(parse_grades))
@click.option("--normalise", metavar="FORM,...", help="Make texts alike: lower, trim or both.")
@OPTIONS["rel"]
@_storing_options
@source_tables
@_table_options
def judgments(table: str | None, by: tuple[str, ...], action: tuple[str, ...], **arguments: Any) -> None:
    """Make judgments out of the clicks of a log.

    Prints or stores a row for each search text and item. TABLE has a row for each item that a request showed;
    --columns request_id=COLUMN names the request. Pass --events or another log instead of TABLE.
    """
    rules = {name: arguments.pop(name) for name in _RULES_OF_JUDGMENTS}
    with _rows(arguments, table, _SEARCH_COLUMNS) as (rows, keywords):
        judged = rm.judgments(rows, list(by), action=list(action) or None, **rules, **keywords)
        show_sql(arguments, judged.sql)
        create_table(arguments, judged)
        records = judged.dicts()
    print_records(records, arguments, None)


@click.command("team-draft", cls=Command)
@click.argument("table")
@click.option("--teams", required=True, metavar="NAME,NAME", help="The two teams.")
@click.option("--user", metavar="COLUMN", help="Count the winner of each user (column).")
@click.option("--preference", is_flag=True, help="Test which team users prefer.")
@click.option("--confidence-level", type=float, metavar="SHARE", help="Level of its interval (default 0.95).")
@_storing_options
@_table_options
def team_draft(
    table: str, teams: str, user: str | None, preference: bool, confidence_level: float | None, **arguments: Any
) -> None:
    """Count the wins of an interleaving by team draft.

    TABLE has a row for each item that a request showed, with the columns request_id, team and clicked. Pass --columns
    if yours have other names.
    """
    names = [name.strip() for name in teams.split(",")]
    level = {} if confidence_level is None else {"confidence_level": confidence_level}
    if level and not preference:
        raise UsageError("--confidence-level has no effect without an interval. Pass --preference, too.")
    won = rm.team_draft_preference if preference else rm.team_draft
    with _rows(arguments, table, _DRAFT_COLUMNS) as (rows, keywords):
        preferences = won(rows, names, user=user, **keywords | level)
        show_sql(arguments, preferences.sql)
        create_table(arguments, preferences)
        records = preferences.dicts()
    print_records(records, arguments, None)


@contextlib.contextmanager
def _rows(
    arguments: dict[str, Any], table: str | None, meanings: Mapping[str, str]
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield the rows that the command line names, and the arguments that all these functions take."""
    check_database(arguments)
    choose_form(arguments, "this table")
    with open_inputs(arguments, table) as (inputs, database):
        log = read_runs(inputs, arguments, ())
        if len(log.runs) + (table is not None) != 1:
            raise UsageError("Pass either TABLE or a log, such as --events IMPRESSIONS EVENTS.")
        rows = log.value if log.runs else inputs.one(table)
        yield rows, _columns(arguments, meanings) | {"connection": database}


def _columns(arguments: Mapping[str, Any], meanings: Mapping[str, str]) -> dict[str, Any]:
    """Map the arguments of the functions to the columns of a table."""
    named_columns = {}
    for meaning, columns in parse_columns(arguments["columns"], None).items():
        if meaning not in meanings:
            raise UsageError(f"--columns: unknown {meaning!r}. {nearest(meaning, meanings)}")
        if len(columns) > 1 and meaning != "request_id":
            raise UsageError(f"--columns gives {meaning} two columns. Pass one.")
        named_columns[meanings[meaning]] = columns if len(columns) > 1 else columns[0]
    return named_columns


_FOLDER = Path(__file__).parents[1] / "demo"
_ARM_METRICS = ("ctr@5", "mrr", "amount")
_RUN_METRICS = ("nDCG@10", "P@5", "AP", "RR", "Bpref", "R@1000")
_PAGE_WIDTH = 104  # columns, if there is no terminal
_ARMS_TITLE = """\
20,000 searches of a click log (made up). To compare the arms of your own log:
rankmetrics compare --events impressions events --rule arm=arm,value=price --baseline old -m ctr@5,mrr,amount \
--database URL
"""
_RUNS_TITLE = "TREC-COVID round 2, two runs of team covidex against NIST's judgments:\n"


@click.command(cls=Command)
@click.argument("part", type=click.Choice(["arms", "scores"]), required=False)
@click.option("--sql", is_flag=True, help="Print the SQL that compares the arms.")
def demo(part: str | None, sql: bool) -> None:
    """Compare the arms of a click log, and score two runs.

    Both come with the package. Pass arms or scores to see only one of them.
    """
    if sql:
        echo(
            rm.sql(
                _ARM_METRICS,
                rm.events("impressions", "events", arm="arm", value="price"),
                baseline="old",
                level="compare",
                design="unpaired",
            ),
            nl=False,
        )
        return
    with print_warnings():
        if part != "scores":
            _compare()
        if part is None:
            echo("")
        if part != "arms":
            _score()


def _compare() -> None:
    from ..results import comparison_tables
    from ..results.text_tables import Screen

    impressions = (_FOLDER / "impressions.sql").read_text(encoding="utf-8")
    types = "CASE WHEN bought THEN ['click', 'purchase'] ELSE ['click'] END"
    events = f"SELECT request_id, item_id, price, UNNEST({types}) AS event_type FROM ({impressions}) WHERE clicked"
    comparison = rm.compare(rm.events(impressions, events, arm="arm", value="price"), _ARM_METRICS, baseline="old")
    text = comparison_tables.comparison(
        comparison.summary.dicts(),
        comparison.options,
        better=comparison.better,
        counts=comparison.counts,
        notes=comparison.notes,
        screen=screen() or Screen(_PAGE_WIDTH),
    )
    echo(f"{_ARMS_TITLE}\n{text}", nl=False)


def _score() -> None:
    from ..results.summary_rows import best_records

    echo(_RUNS_TITLE)
    result = rm.evaluate(
        [_FOLDER / "covidex.sim.run.gz", _FOLDER / "covidex.t5.run.gz"], _FOLDER / "qrels.txt", _RUN_METRICS
    )
    records = result.summary.dicts()
    print_records(records, {}, "metric", best=best_records(records, result.better))
