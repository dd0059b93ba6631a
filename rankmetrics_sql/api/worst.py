"""The searches of a log that lose the most clicks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..definitions.resolution import check_option, raise_refusal
from ..dialects.names import unquoted
from ..engines import Engine, is_engine
from ..errors import DataError, UsageError, advise
from ..inputs.ids import family
from ..pipeline.findings import warn
from ..pipeline.load import with_time
from ..relation import Relation
from ..results.worst import MIN_REQUESTS, Part, Worst
from ..sources import Rows, seconds, typed
from ..templates import macros
from .arguments import check_zone
from .keywords import choices_of, public
from .logs import aliased, read_rows, saver, write_columns
from .place import opened

_SPELLING = "lower, trim"


@public()
def worst(
    rows: Any,
    by: str | Sequence[str],
    *,
    order: str = "lost_clicks",
    n: int = 50,
    min_requests: int = MIN_REQUESTS,
    request: str | Sequence[str] | None = None,
    user: str | None = None,
    time: str | None = None,
    item: str = "item_id",
    position: str = "position",
    relevance: str = "relevance",
    rel: float = 1,
    within: float | str = "5 minutes",
    confidence_level: float = 0.95,
    period: str | None = None,
    timezone: str | None = None,
    normalise: str | Sequence[str] | None = None,
    empty_lists: bool = False,
    connection: Any = None,
) -> Worst:
    """Lists the searches that lose the most clicks, or other groups of requests.

    Lost clicks are the clicks that the positions let expect, less the clicks that there are. An impression is expected
    to be clicked as often as all impressions at its position. Rows are ordered by the lower bound of what is lost, so
    rare searches do not lead. Lost clicks of all groups add up to 0.

    Args:
        rows: a log, such as ``events()`` returns, or a table with a row for each item that a request showed.
        by: the column with the search text, or a list of columns. NULL is a group. A request with two values is left
            out and counted.
        order: ``lost_clicks``, or a metric such as ``mrr``. A metric loses the number of requests times how much worse
            their mean is than the mean of the log.
        n: how many rows to list at most.
        min_requests: groups with fewer requests are not listed.
        request: the column that names the request in a table, or a list of columns; ``request_id`` by default. A log
            names its own.
        user: the column with the user, for ``users`` and ``n_reformulated``. A log names its own if it has one.
        time: the column with the time of the request, for ``n_reformulated`` and ``period``. As ``user``.
        item: the column with the item of a table.
        position: the column with the position.
        relevance: the column with the grade.
        rel: the lowest grade that is a click.
        within: how soon the user's next search makes a request without a click a reformulated one: seconds, or text
            such as ``"5 minutes"``.
        confidence_level: how often the intervals contain the true value.
        period: ``day``, ``week`` or ``month``: adds the trend from the period before the last one.
        timezone: the time zone of the periods; UTC by default.
        normalise: ``"lower"``, ``"trim"`` or ``"lower, trim"`` compares texts in lower case or without outer spaces.
        empty_lists: whether a row of a table without an item is a request that showed nothing. A log knows this.
        connection: as in ``evaluate``.

    Returns:
        A row for each group: the columns of ``by``, ``requests``, ``users``, ``share_without_results``,
        ``impressions``, ``clicks``, ``expected_clicks``, ``lost_clicks`` with ``lost_lower`` and ``lost_upper``,
        ``ctr`` (clicks per impression) with ``ci_lower`` and ``ci_upper``, ``mrr`` and ``n_reformulated``. With
        ``period=`` also ``period``, ``period_before``, ``lost_in_period``, ``lost_before`` and ``trend``, the change
        of lost clicks per impression. With a metric also ``metric_value``, ``metric_lost`` and the ends of its
        interval. ``totals`` counts what is not listed. ``plot()`` draws the rows, ``create_table()`` stores them.

    Raises:
        UsageError: an argument is unknown.
        DataError: a column is missing, or no impression has a position.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rows = [("r1", "lamp", 1, 1), ("r2", "lamp", 1, 1), ("r3", "sofa", 1, 0), ("r4", "sofa", 1, 0)]
        >>> values = ", ".join(map(str, rows))
        >>> shown = f"(VALUES {values}) t (request_id, query_text, position, relevance)"
        >>> log = f"SELECT *, 'i' AS item_id, 'u' AS user_id, TIMESTAMP '2026-01-01' AS shown_at FROM {shown}"
        >>> found = rm.worst(log, "query_text", user="user_id", time="shown_at", min_requests=2)
        >>> [(row["query_text"], row["lost_clicks"]) for row in found.dicts()]
        [('sofa', 1.0), ('lamp', -1.0)]
    """
    check_zone(timezone)
    names = {"query": request, "user": user, "time": time}
    names |= {"item": item, "position": position, "relevance": relevance}
    columns = {meaning: name for meaning, name in names.items() if name is not None}
    if isinstance(rows, Rows):
        rows, columns = _with_columns_of_log(rows, columns)
        empty_lists = rows.knows_requests
    else:
        columns.setdefault("query", "request_id")
    settings: dict[str, Any] = {
        "order": order,
        "n": n,
        "min_requests": min_requests,
        "rel": rel,
        "within": seconds("within", within),
        "confidence_level": check_option("confidence_level", confidence_level, "worst"),
        "period": period,
        "timezone": timezone,
        "normalise": normalise,
        "empty_lists": empty_lists,
    }
    with opened(connection) as engine:
        return _answer(engine, rows, by, columns, settings)


def _with_columns_of_log(rows: Rows, columns: Mapping[str, Any]) -> tuple[Rows, dict[str, Any]]:
    """Return a log and the columns by meaning, with the user and the time that the log knows."""
    if rows.time is not None and "time" not in columns:
        rows = with_time(rows)
    _, user = rows.columns.get("user", ("", None))
    known = {meaning: name for meaning, name in rows.known.items() if meaning != "text"}
    named = {"user": user, "time": rows.time}
    return rows, {**known, **{meaning: name for meaning, name in named.items() if name}, **columns}


def losing_searches(run: Any, keywords: Mapping[str, Any]) -> Callable[[Engine, str, int], Worst] | None:
    """Return the function that lists the searches of a report that lose clicks; None if the run is no log.

    Args:
        run: the run or runs, or a source.
        keywords: those of the evaluation or comparison.
    """
    if not isinstance(run, Rows) or run.log is None:
        return None
    return partial(_losing, run, keywords)


def _losing(rows: Rows, keywords: Mapping[str, Any], engine: Engine, text: str, n: int) -> Worst:
    """List the searches that lose the most clicks, as ``worst`` does, without the columns that need the time."""
    rows, columns = _with_columns_of_log(rows, {"item": "item_id", "position": "position", "relevance": "relevance"})
    settings = {
        "order": "lost_clicks",
        "n": n,
        "min_requests": MIN_REQUESTS,
        "rel": 1,
        "within": 0,
        "confidence_level": choices_of(keywords).options["confidence_level"],
        "period": None,
        "timezone": None,
        "normalise": None,
        "empty_lists": rows.knows_requests,
    }
    columns = {meaning: name for meaning, name in columns.items() if meaning != "time"}
    return _answer(engine, rows, text, columns, settings, keywords.get("input_format"))


def _answer(
    engine: Engine,
    rows: Any,
    by: str | Sequence[str],
    columns: Mapping[str, Any],
    settings: Mapping[str, Any],
    input_format: str | None = None,
) -> Worst:
    """Run the statement where the rows are."""
    groups = [by] if isinstance(by, str) else [*by]
    names = {**columns, "by": groups}
    has_periods = settings["period"] is not None
    relation = read_rows(engine, rows, names, "query", period=has_periods, values=groups, input_format=input_format)
    place = relation.database if is_engine(relation.database) else engine
    period, zone = settings["period"], settings["timezone"]
    if period is not None and "time" not in names:
        raise UsageError(f"period needs a column with the time. Pass {advise('argument', 'time', 'NAME')}.")
    raise_refusal(macros(place.dialect.name)["rm_period_refusal"](period, zone, int(period is not None)))
    written = {argument: write_columns(relation, argument, name) for argument, name in names.items()}
    if "time" in written:
        written["time"] = typed(relation, "time", written["time"], "TIMESTAMP")
    asked = {"by": written.pop("by"), "columns": written, **settings}
    if settings["normalise"] is not None:
        _check_texts(relation, asked["by"])

    def text_over(sql: str, *, totals: bool) -> str:
        return str(macros(place.dialect.name)["worst_queries"](aliased(sql), **asked, totals=totals))

    fetched_columns, fetched = place.run(text_over(relation.sql, totals=True))
    parts = [Part(row[0], row[1], row[2 : 2 + len(groups)], row[2 + len(groups) :]) for row in fetched]
    notes = _notes(place, relation, groups, asked)
    text = text_over(relation.permanent_sql or relation.sql, totals=False)
    found = Worst(text, fetched_columns[2:], parts, len(groups), saver(place, relation, text))
    if not found.total("impressions"):
        label = rows.label if isinstance(rows, Rows) else relation.label
        raise DataError(
            f"{label}: no row has an item and a position, and the clicks that are expected of an item depend on its"
            f" position. Name the column: {advise('argument', 'position', 'NAME')}."
        )
    found.warnings = warn([*found.notes(groups, settings["min_requests"]), *found.notes_on_columns(), *notes])
    return found


def _check_texts(relation: Relation, by: Sequence[str]) -> None:
    """Refuse to normalise columns that are no texts."""
    for column in by:
        type_ = _type_of(relation, column)
        if type_ is not None and family(type_) != "text":
            raise UsageError(
                f"normalise takes texts, and by= names {unquoted(column, relation.dialect)!r}, which is {type_}. Omit"
                " normalise=."
            )


def _type_of(relation: Relation, column: str) -> str | None:
    """Return the type of a column, in upper case, where it is known."""
    types = {name.lower(): type_.upper() for name, type_ in (relation.types or {}).items()}
    return types.get(unquoted(column, relation.dialect).lower())


def _notes(place: Engine, relation: Relation, groups: Sequence[str], asked: Mapping[str, Any]) -> list[str]:
    """Return how many texts differ in case or spaces alone, and how many impressions have no position."""
    columns, notes = asked["columns"], []
    texts = [column for column in asked["by"] if family(_type_of(relation, column) or "") == "text"]
    dialect_macros = macros(place.dialect.name)
    if texts and asked["normalise"] is None:
        _, [(n_alike,)] = place.run(dialect_macros["rm_select_alike_values"](aliased(relation.sql), asked["by"], texts))
        if n_alike:
            notes.append(
                f"{n_alike:,} {'value' if n_alike == 1 else 'values'} of {' and '.join(groups)} would fall together"
                f" with others, which differ in case or outer spaces alone. To count them as one, pass"
                f" {advise('argument', 'normalise', _SPELLING)}."
            )
    if not relation.is_ours:
        without = f"{columns['item']} IS NOT NULL AND {columns['position']} IS NULL"
        _, [(n_rows,)] = place.run(f"SELECT COUNT(*) FROM {aliased(relation.sql)} WHERE {without}")
        if n_rows:
            notes.append(f"{n_rows:,} impressions without a position are left out.")
    return notes
