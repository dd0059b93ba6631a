"""Statistics of logs: click-through by position, propensities, clicks over expected clicks, interleaving."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, cast

from ..definitions.resolution import check_option, raise_refusal
from ..engines import Engine, is_engine
from ..errors import DataError, UsageError, nearest, shortened
from ..inputs.expressions import column_or_expression, time_of_period
from ..inputs.reader import Reader
from ..optional import of_stats
from ..pipeline.execute import refuse_temporary
from ..pipeline.findings import warn
from ..pipeline.load import with_time
from ..relation import Relation
from ..results.base import SaveResult
from ..results.evaluation import Positions, StorableTable
from ..rows import Replace
from ..sources import Rows, rows_of, typed
from ..templates import macros
from .arguments import check_zone
from .keywords import public
from .place import opened

_NUMBERS = ("position", "relevance", "clicked")

# What the rows of a source are called.
_OF_ROWS = {"item": "item_id", "position": "position", "relevance": "relevance"}

Check = Callable[[Engine, str, Mapping[str, Any]], None]


def table_of(
    connection: Any,
    rows: Any,
    macro: str,
    columns: Mapping[str, Any],
    settings: Mapping[str, Any],
    check: Check | None = None,
    request: str | None = None,
    kind: type[StorableTable] = StorableTable,
) -> StorableTable:
    """The answer of a statement over rows, fetched while they are there.

    Args:
        connection: as in ``evaluate``.
        rows: a log, or a table.
        macro: the name of the statement's macro.
        columns: columns of the table by their meanings, and those to group by, without None; a log says its own.
        settings: the other arguments.
        check: looks at the rows afterwards: where they are, what stands behind FROM, and the columns as written.
        request: the argument that names the request, where the macro has one: a log knows its own.
        kind: the class of the answer.
    """
    with opened(connection) as engine:
        names = {argument: column for argument, column in columns.items() if column is not None}
        relation = read_rows(engine, rows, names, request, period=bool(settings.get("period")))
        place = relation.database if is_engine(relation.database) else engine
        if "period" in settings:
            period, zone = settings["period"], settings["timezone"]
            raise_refusal(macros(place.dialect.name)["rm_period_refusal"](period, zone, int("time" in names)))
        elif "time" in names:
            raise UsageError("time= has no effect without a period. Pass period=, too: day, week or month.")
        written = {argument: write_columns(relation, argument, column) for argument, column in names.items()}
        by = {"by": written.pop("by")} if "by" in written else {}

        def text_over(sql: str) -> str:
            return str(macros(place.dialect.name)[macro](aliased(sql), columns=written, **by, **settings))

        fetched = place.run(text_over(relation.sql))
        if check is not None:
            check(place, aliased(relation.sql), written)
        text = text_over(relation.permanent_sql or relation.sql)
        lost = [name for name in place.loaded_objects if name in text]
        shown = "".join(f"-- {name} is a Python object that was loaded for this call only\n" for name in lost) + text
        return kind(shown, *fetched, saver(place, relation, text))


def aliased(sql: str) -> str:
    """Return what stands behind FROM, with the alias that a query needs."""
    return f"{sql} u" if sql.startswith("(") else sql


def saver(place: Engine, relation: Relation, text: str) -> SaveResult:
    """Return the function that stores the rows of a statement in the database."""

    def save(kind: str, name: str, level: str, replacing: Replace) -> None:
        if level != "summary":
            raise UsageError(f"Unknown level {level!r} of this result. {nearest(str(level), ['summary'])}")
        refuse_temporary(kind, place, [relation])
        place.create(kind, name, text, replace=replacing)

    return save


def read_rows(
    engine: Engine,
    rows: Any,
    names: dict[str, Any],
    request: str | None,
    *,
    period: bool,
    values: Sequence[str] | None = None,
    input_format: str | None = None,
) -> Relation:
    """Return the rows where a statement can read them, and the columns of a log.

    Args:
        engine: where the statement runs.
        rows: a log, or a table.
        names: the columns by their meanings; a log adds its own.
        request: the meaning that the request of a log has.
        period: whether the time of a log is needed.
        values: as in ``rows_of``.
        input_format: as in ``rows_of``.
    """
    if not isinstance(rows, Rows):
        return Reader(engine).one(rows, "source")
    for argument in names.keys() & _OF_ROWS.keys():
        names[argument] = _OF_ROWS[argument]
    if period and "time" not in names:
        rows = with_time(rows)
        names["time"] = rows.time
    names_of_columns = [
        name for argument, column in names.items() if argument not in _OF_ROWS for name in _listed(column)
    ]
    in_rows = {*_OF_ROWS.values(), *([] if isinstance(rows.query, str) else rows.query)}
    context = [name for name in names_of_columns if name not in in_rows]
    asking = {name: (argument, "") for argument, column in names.items() for name in _listed(column) if name in context}
    rows = replace(rows, wanted={**asking, **rows.wanted})
    source, types = rows_of(rows, engine, context, input_format, values=values)
    if "labelled" not in types:
        raise UsageError(
            f"{rows.label} is no log of impressions and clicks. Pass events(...) or another log with requests."
        )
    if request is not None:
        names.setdefault(request, source.meanings((source.place or engine).dialect)["query_id"])
    return types["labelled"]


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else [*names]


def write_columns(relation: Relation, argument: str, names: str | Sequence[str]) -> Any:
    """Return columns as statements write them."""
    texts = [column_or_expression(relation, argument, name, relation.dialect) for name in _listed(names)]
    if argument == "time":
        texts = [time_of_period(relation, text) for text in texts]
    if argument in _NUMBERS:
        texts = [typed(relation, argument, text, "DOUBLE") for text in texts]
    return texts[0] if isinstance(names, str) else texts


@public()
def ctr_by_position(
    rows: Any,
    by: str | Sequence[str] | None = None,
    *,
    request: str | Sequence[str] | None = None,
    position: str = "position",
    relevance: str = "relevance",
    time: str | None = None,
    rel: float = 1,
    confidence_level: float = 0.95,
    period: str | None = None,
    timezone: str | None = None,
    connection: Any = None,
) -> Positions:
    """Returns the click-through rate at each position, with its interval.

    Positions are those that people saw, as the log has them. The interval is Wilson's with the effective number of
    impressions (Korn & Graubard 1998), because items that a request shows at one position may be alike.

    Args:
        rows: a log, such as ``events()`` returns, or a table with a row for each item that a request showed.
        by: columns of the impressions to group by too, such as the arm.
        request: the column that names the request in a table, or a list of columns. Without it each impression counts
            by itself. A log names its own, like the next two.
        position: the column with the position.
        relevance: the column with the grade.
        time: with ``period``, the column with the time.
        rel: the lowest grade that is a click.
        confidence_level: how often the interval contains the true rate.
        period: ``day``, ``week`` or ``month``: groups by the first day of each, as in ``evaluate``.
        timezone: the time zone of the periods; UTC by default.
        connection: as in ``evaluate``.

    Returns:
        A row for each group and position: ``position``, ``impressions``, ``clicks``, ``ctr``, ``ci_lower`` and
        ``ci_upper``; ``plot()`` draws them, ``create_table()`` stores them. With a period a column ``period``.

    Raises:
        UsageError: there is no such confidence level, or the rows are those of no log.
        DataError: a column is missing.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rows = "SELECT * FROM (VALUES (1, 1), (1, 0), (2, 0)) t (position, relevance)"
        >>> [(row["position"], row["ctr"]) for row in rm.ctr_by_position(rows).dicts()]
        [(1, 0.5), (2, 0.0)]
    """
    check_zone(timezone)
    columns = {"by": by or None, "query": request, "position": position, "relevance": relevance, "time": time}
    level = check_option("confidence_level", confidence_level, "ctr_by_position")
    settings = {"rel": rel, "confidence_level": level}
    if (period, timezone) != (None, None):
        settings |= {"period": period, "timezone": timezone}
    rates = table_of(connection, rows, "ctr_by_position", columns, settings, request="query", kind=Positions)
    return cast("Positions", rates)


_METHODS = ("adjacent_chain", "pivot_one", "all_pairs")

_COUNTS = ("n_users", "n_requests", "wins", "ties", "losses")


@public()
def propensities(
    rows: Any,
    query: str | Sequence[str],
    *,
    method: str = "adjacent_chain",
    item: str = "item_id",
    position: str = "position",
    relevance: str = "relevance",
    rel: float = 1,
    connection: Any = None,
) -> dict[int, float]:
    """Estimates how likely users examine each position, for ``events(propensity=...)``. The first position has 1.

    If a query showed the same item at several positions, only the position explains the difference in clicks.

    Args:
        rows: a log, such as ``events()`` gives, or a labelled table: a row for each item that a request showed.
        query: the column with the search query, or a list of columns. Do not pass the request, which shows an item only
            once.
        method: ``adjacent_chain`` compares each position with the one above, ``pivot_one`` with the first.
            ``all_pairs`` fits all pairs by maximum likelihood, which needs SciPy.
        item: the column with the item of a labelled table. A log brings its own, also for the next two.
        position: the column with the position.
        relevance: the column with the grade.
        rel: the lowest grade that counts as a click.
        connection: as in ``evaluate``.

    Returns:
        The propensity of each position that the data allow to estimate. Few clicks can give a value above 1, which no
        metric accepts.

    Raises:
        UsageError: the method is unknown, or needs a package that is not installed.
        DataError: a column is missing.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rows = [("q", "a", 1, 1), ("q", "a", 1, 1), ("q", "a", 2, 1), ("q", "a", 2, 0)]
        >>> values = ", ".join(map(str, rows))
        >>> log = f"SELECT * FROM (VALUES {values}) t (query_id, item_id, position, relevance)"
        >>> rm.propensities(log, "query_id")
        {1: 1.0, 2: 0.5}
    """
    if method not in _METHODS:
        raise UsageError(f"method must be one of {', '.join(_METHODS)}, not {shortened(method)}.")
    columns = {"query": query, "item": item, "position": position, "relevance": relevance}
    if method == "all_pairs":
        return _most_likely(table_of(connection, rows, "rm_pairs_of_positions", columns, {"rel": rel}).fetchall())
    fetched = table_of(connection, rows, "propensities", columns, {"method": method, "rel": rel}).fetchall()
    return {int(place): float(value) for place, value, _ in fetched if value is not None}


@public()
def coec(
    rows: Any,
    by: str | Sequence[str] = "item_id",
    *,
    position: str = "position",
    relevance: str = "relevance",
    rel: float = 1,
    connection: Any = None,
) -> StorableTable:
    """Computes clicks over expected clicks (COEC) of each item, or of other groups.

    A COEC of 1 means as many clicks as other items get at the same positions.

    Args:
        rows: as in ``propensities``.
        by: the item, the query, or other columns of the impressions.
        position: the column with the position.
        relevance: the column with the grade.
        rel: the lowest grade that counts as a click.
        connection: as in ``evaluate``.

    Returns:
        A row for each item or group: ``impressions``, ``clicks``, ``expected_clicks`` and ``coec``; ``create_table()``
        stores them.

    Raises:
        DataError: a column is missing.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rows = [("a", 1, 1), ("a", 1, 1), ("b", 1, 0), ("b", 1, 0)]
        >>> values = ", ".join(map(str, rows))
        >>> log = f"SELECT 'q' AS query_id, * FROM (VALUES {values}) t (item_id, position, relevance)"
        >>> [(row["item_id"], row["coec"]) for row in rm.coec(log).dicts()]
        [('a', 2.0), ('b', 0.0)]
    """
    columns = {"by": by, "position": position, "relevance": relevance}
    return table_of(connection, rows, "coec", columns, {"rel": rel})


@public()
def team_draft(
    rows: Any,
    teams: Sequence[str],
    *,
    request: str | Sequence[str] = "request_id",
    user: str | None = None,
    team: str = "team",
    clicked: str = "clicked",
    connection: Any = None,
) -> StorableTable:
    """Counts which team won each request of an interleaving by team draft, or the requests of each user.

    Args:
        rows: a table, file, SQL text or data frame with a row for each item of a request.
        teams: the names of the two teams.
        request: the column of the request, or a list of columns.
        user: the column with the user, for a row for each user: the requests that each team won, and which won more.
        team: the column with the team that the item came from.
        clicked: the column that is 1 or more where the item was clicked.
        connection: as in ``evaluate``.

    Returns:
        ``credit_1``, ``credit_2``, clicked items, or requests won, and ``preference``: 1 for the first team, -1 for the
        second, 0 for neither. ``create_table()`` stores the rows.

    Raises:
        UsageError: there are not two teams.
        DataError: a column is missing, or no item came from a team and some came from others than the two.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rows = "SELECT * FROM (VALUES ('r1', 'a', 1), ('r1', 'b', 0)) t (request_id, team, clicked)"
        >>> [row["preference"] for row in rm.team_draft(rows, ["a", "b"]).dicts()]
        [1]
    """
    columns = {"request": request, "user": user, "team": team, "clicked": clicked}
    return _table_of_teams(connection, rows, "team_draft_credit", columns, {"teams": _two_teams(teams)})


@public()
def team_draft_preference(
    rows: Any,
    teams: Sequence[str],
    *,
    request: str | Sequence[str] = "request_id",
    user: str | None = None,
    team: str = "team",
    clicked: str = "clicked",
    confidence_level: float = 0.95,
    connection: Any = None,
) -> StorableTable:
    """Tests which team of an interleaving by team draft users prefer.

    A request counts 1 if the first team won it, -1 if the second did, and else 0. A user has the mean of the user's
    requests. The preference is the mean over users, because requests of one user are alike
    (Chapelle, Joachims, Radlinski & Yue 2012, TOIS).

    Args:
        rows: as in ``team_draft``.
        teams: the names of the two teams.
        request: what names a request: a column, or a list of columns.
        user: the column with the user; without it each request is one.
        team: the column with the team that the item came from.
        clicked: the column that is 1 or more where the item was clicked.
        confidence_level: the level of the interval.
        connection: as in ``evaluate``.

    Returns:
        One row, which ``create_table()`` stores: ``preference``, from -1 to 1, above 0 for the first team;
        ``standard_error``, ``ci_lower`` and ``ci_upper`` by Student's t; ``statistic`` and ``pvalue`` of the test that
        it is 0; ``n_users``, ``n_requests``; ``wins``, ``ties`` and ``losses``, the users whose mean is above, at and
        below 0. A single user leaves interval and test undefined (None). So does the same preference of all users,
        unless it is 0; you get a warning.

    Raises:
        UsageError: there are not two teams, or no such confidence level.
        DataError: a column is missing, no row has a request and a user, or no item came from a team and some came from
            others than the two.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rows = [("r1", "u1", "a", 1), ("r2", "u2", "a", 1), ("r3", "u3", "b", 1), ("r4", "u4", "a", 1)]
        >>> values = ", ".join(map(str, rows))
        >>> drafts = f"SELECT * FROM (VALUES {values}) t (request_id, user_id, team, clicked)"
        >>> row = rm.team_draft_preference(drafts, ["a", "b"], user="user_id").dicts()[0]
        >>> row["preference"], row["wins"], row["losses"]
        (0.5, 3, 1)
    """
    columns = {"request": request, "user": user, "team": team, "clicked": clicked}
    level = check_option("confidence_level", confidence_level, "team_draft_preference")
    settings = {"teams": _two_teams(teams), "confidence_level": level}
    table = _table_of_teams(connection, rows, "team_draft_preference", columns, settings)
    [row] = table.dicts()
    if not row["n_users"]:
        raise DataError("No row has a request and a user, so there are no preferences to test.")
    numbers = {name: int if name in _COUNTS else float for name in row}
    values = tuple(None if value is None else numbers[name](value) for name, value in row.items())
    if row["standard_error"] is not None and row["pvalue"] is None:
        what = f"All {int(row['n_users']):,} users have the same preference, so there is no variance"
        warn([f"{what}: no interval and no p-value. wins and losses give the counts for a sign test."])
    return table.with_rows([values])


def _table_of_teams(
    connection: Any, rows: Any, macro: str, columns: Mapping[str, Any], settings: Mapping[str, Any]
) -> StorableTable:
    """Read an interleaving, and refuse teams that it does not have and undefined clicks."""

    def check(place: Engine, source: str, written: Mapping[str, Any]) -> None:
        dialect_macros = macros(place.dialect.name)
        is_nan = dialect_macros["rm_is_nan"](dialect_macros["rm_as_double"](written["clicked"]))
        [(n_undefined,)] = place.run(f"SELECT COUNT(*) FROM {source} WHERE {is_nan}")[1]
        if n_undefined:
            rows_of = "row" if n_undefined == 1 else "rows"
            raise DataError(f"clicked is NaN in {n_undefined:,} {rows_of}. Write 1 or 0, true or false.")
        n_clicks = f"SUM({dialect_macros['rm_was_clicked'](written['clicked'], 1)})"
        team = dialect_macros["rm_over_row"](written["team"])
        _, found_teams = place.run(f"SELECT {team}, {n_clicks} FROM (SELECT * FROM {source}) s GROUP BY {team}")
        _check_teams(settings["teams"], {str(team): clicks or 0 for team, clicks in found_teams if team is not None})

    return table_of(connection, rows, macro, columns, settings, check)


def _two_teams(teams: Any) -> list[Any]:
    """Check the names of two teams."""
    names = [*teams] if isinstance(teams, Iterable) and not isinstance(teams, str | bytes | Mapping) else []
    are_names = all(isinstance(team, str | int) and not isinstance(team, bool) for team in names)
    if len(names) != 2 or not are_names or str(names[0]) == str(names[1]):
        raise UsageError(f"teams takes the names of two teams, such as ['a', 'b'], not {shortened(teams)}.")
    return names


def _check_teams(teams: Sequence[str], clicks: Mapping[str, float]) -> None:
    """Raise for a team without items if other teams have some; warn of clicks of other teams."""
    unknown = sorted(clicks.keys() - {str(team) for team in teams})
    for team in teams:
        if str(team) not in clicks and unknown:
            raise DataError(f"No item came from a team called {shortened(team)}. {nearest(str(team), unknown)}")
    lost = {name: int(clicks[name]) for name in unknown if clicks[name]}
    if lost:
        names = ", ".join(f"{shortened(name)} ({count:,})" for name, count in lost.items())
        warn(
            [
                f"Clicks on items of other teams than {' and '.join(map(repr, teams))} count for neither: {names}. If a"
                " name is spelt in two ways, write it in one."
            ]
        )


def _most_likely(pairs: Sequence[tuple[Any, ...]]) -> dict[int, float]:
    """Return the propensities that make the clicks of all pairs of positions most likely, relative to the first one.

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
        """Return the negative log-likelihood and its gradient, by the logarithms of propensities and relevances."""
        chance = numpy.exp(logs[p] + logs[r])
        slope = missed * chance / (1 - chance) - clicked
        gradient = numpy.bincount(p, slope, len(logs)) + numpy.bincount(r, slope, len(logs))
        return -float((clicked * (logs[p] + logs[r]) + missed * numpy.log1p(-chance)).sum()), gradient

    start = numpy.full(len(places) + len(shared), -1.0)
    solution = optimize.minimize(unlikely, start, jac=True, method="L-BFGS-B", bounds=[(-20, -1e-6)] * len(start)).x
    first = solution[places.index(1)] if 1 in places else max(solution[: len(places)])
    return {place: float(numpy.exp(solution[number] - first)) for number, place in enumerate(places)}
