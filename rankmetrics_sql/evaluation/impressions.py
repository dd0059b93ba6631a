"""What a log says beside metrics of its requests: how likely positions are looked at, clicks over expected clicks."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from ..databases import Engine
from ..definitions.catalogue import options
from ..errors import DataError, RankmetricsWarning, UsageError, nearest, shortened
from ..inputs.meanings import column_or_expression
from ..inputs.reader import Reader
from ..inputs.sources import Rows, rows_of, typed
from ..optional import of_stats
from ..results.tables import Table
from ..statements.relation import Relation
from ..statements.templates import macros

_METHODS = ("adjacent_chain", "pivot_one", "all_pairs")

_COUNTS = ("n_users", "n_requests", "wins", "ties", "losses")
_NUMBERS = ("position", "relevance", "clicked")

# What the rows of a source are called.
_OF_ROWS = {"item": "item_id", "position": "position", "relevance": "relevance"}


def propensities(engine: Engine, rows: Any, method: str, columns: Mapping[str, Any], rel: float) -> dict[int, float]:
    """The propensity of each position of which something can be said.

    Args:
        engine: where to look.
        rows: a source, or what an evaluation takes for a labelled table.
        method: how they are estimated.
        columns: the user's, by the argument that they are.
        rel: the lowest grade that is a click.

    Raises:
        UsageError: the method is unknown, or SciPy is not there for it.
    """
    if method not in _METHODS:
        raise UsageError(f"method is one of {', '.join(_METHODS)}, not {shortened(method)}.")
    if method == "all_pairs":
        pairs = _table(engine, rows, "rm_pairs_of_positions", columns, {"rel": rel}).fetchall()
        return _most_likely(pairs)
    found = _table(engine, rows, "propensities", columns, {"method": method, "rel": rel}).fetchall()
    return {int(position): float(value) for position, value, _ in found if value is not None}


def coec(engine: Engine, rows: Any, columns: Mapping[str, Any], rel: float) -> Table:
    """Clicks over expected clicks."""
    return _table(engine, rows, "coec", columns, {"rel": rel})


def team_draft(engine: Engine, rows: Any, teams: Sequence[str], columns: Mapping[str, Any]) -> Table:
    """Who won the requests of an interleaving."""
    return _table(engine, rows, "team_draft_credit", columns, {"teams": _two_teams(teams)})


def team_draft_preference(
    engine: Engine, rows: Any, teams: Sequence[str], columns: Mapping[str, Any], confidence_level: float
) -> Table:
    """Which team of an interleaving is preferred, and whether that is more than chance.

    Raises:
        UsageError: the confidence level is none.
        DataError: no request has a name and a user.
    """
    level = options()["confidence_level"].check(confidence_level, "team_draft_preference")
    settings = {"teams": _two_teams(teams), "confidence_level": level}
    found = _table(engine, rows, "team_draft_preference", columns, settings)
    [row] = found.dicts()
    if not row["n_users"]:
        raise DataError("No row has a request and a user, so nobody prefers anything.")
    numbers = {name: int if name in _COUNTS else float for name in row}
    values = tuple(None if value is None else numbers[name](value) for name, value in row.items())
    if row["standard_error"] is not None and row["pvalue"] is None:
        warnings.warn(
            f"All {int(row['n_users']):,} users have the same preference, which does not say how far they spread: no"
            " interval and no p-value. wins and losses count the users for a sign test.",
            RankmetricsWarning,
            stacklevel=3,
        )
    return Table(lambda: found.sql, lambda _: ([*row], [values]))


def _table(engine: Engine, rows: Any, macro: str, columns: Mapping[str, Any], settings: Mapping[str, Any]) -> Table:
    """The answer of a statement over rows, fetched while they are there."""
    names = {argument: given for argument, given in columns.items() if given is not None}
    if isinstance(rows, Rows):
        names = {argument: _OF_ROWS.get(argument, given) for argument, given in names.items()}
        others = [name for argument, given in names.items() if argument not in _OF_ROWS for name in _listed(given)]
        _, found = rows_of(rows, engine, [name for name in others if name not in _OF_ROWS.values()])
        if "labelled" not in found:
            raise UsageError(f"{rows.label}: a log of impressions and clicks is wanted, with requests of its own.")
        relation = found["labelled"]
    else:
        relation = Reader(engine).one(rows, "source")
    place = relation.database or engine
    written = {f"{argument}_column": _written(relation, argument, given) for argument, given in names.items()}
    source = f"{relation.sql} u" if relation.sql.startswith("(") else relation.sql
    text = str(macros(place.dialect.name)[macro](source, **written, **settings))
    table = Table(lambda: text, place.run)
    table.fetchall()
    if "clicked_column" in written:
        known = macros(place.dialect.name)
        is_nan = known["rm_is_nan"](known["rm_as_double"](written["clicked_column"]))
        [(n_undefined,)] = place.run(f"SELECT COUNT(*) FROM {source} WHERE {is_nan}")[1]
        if n_undefined:
            raise DataError(
                f"clicked is NaN in {n_undefined:,} row{'' if n_undefined == 1 else 's'}, which says nothing."
            )
    if "teams" in settings:
        _, found_teams = place.run(f"SELECT DISTINCT {written['team_column']} FROM {source}")
        _check_teams(settings["teams"], {str(team) for (team,) in found_teams if team is not None})
    return table


def _two_teams(teams: Any) -> list[Any]:
    """The names of two teams.

    Raises:
        UsageError: they are none.
    """
    named = [*teams] if isinstance(teams, Iterable) and not isinstance(teams, str | bytes | Mapping) else []
    are_names = all(isinstance(team, str | int) and not isinstance(team, bool) for team in named)
    if len(named) != 2 or not are_names or str(named[0]) == str(named[1]):
        raise UsageError(f"teams are the names of two teams, as ['a', 'b']; not {shortened(teams)}.")
    return named


def _check_teams(teams: Sequence[str], known: set[str]) -> None:
    """Refuses a team that no item came from, where items came from teams that nobody asked about: it is misspelt.

    Raises:
        DataError: there is one.
    """
    others = sorted(known - {str(team) for team in teams})
    for team in teams:
        if str(team) not in known and others:
            raise DataError(f"No item came from a team called {shortened(team)}. {nearest(str(team), others)}")


def _listed(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else [*given]


def _written(relation: Relation, argument: str, given: str | Sequence[str]) -> Any:
    """Columns as statements write them."""
    found = [column_or_expression(relation, argument, name, relation.dialect) for name in _listed(given)]
    if argument in _NUMBERS:
        found = [typed(relation, argument, text, "DOUBLE") for text in found]
    return found[0] if isinstance(given, str) else found


def _most_likely(pairs: Sequence[tuple[Any, ...]]) -> dict[int, float]:
    """The propensities under which the clicks of all pairs of positions are most likely, over that of the first.

    A click at one of a pair has the chance of its propensity times how relevant the items are that the two share.

    Args:
        pairs: two positions, and what was clicked and not clicked at the first of the items that were shown at both.
    """
    optimize, numpy = (of_stats(name, "method=all_pairs") for name in ("scipy.optimize", "numpy"))
    places = sorted({int(pair[0]) for pair in pairs})
    shared = [*combinations(places, 2)]
    p = numpy.array([places.index(int(one)) for one, *_ in pairs])
    r = numpy.array([shared.index((min(one, other), max(one, other))) for one, other, *_ in pairs]) + len(places)
    clicked = numpy.array([float(pair[2]) for pair in pairs])
    missed = numpy.array([float(pair[3]) for pair in pairs])

    def unlikely(logs: Any) -> tuple[float, Any]:
        """What is to be least, and its slope; by the logarithms of all propensities and relevances."""
        chance = numpy.exp(logs[p] + logs[r])
        slope = missed * chance / (1 - chance) - clicked
        gradient = numpy.bincount(p, slope, len(logs)) + numpy.bincount(r, slope, len(logs))
        return -float((clicked * (logs[p] + logs[r]) + missed * numpy.log1p(-chance)).sum()), gradient

    start = numpy.full(len(places) + len(shared), -1.0)
    found = optimize.minimize(unlikely, start, jac=True, method="L-BFGS-B", bounds=[(-20, -1e-6)] * len(start)).x
    first = found[places.index(1)] if 1 in places else max(found[: len(places)])
    return {place: float(numpy.exp(found[number] - first)) for number, place in enumerate(places)}
