"""The question how often items are clicked at each position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..definitions.choices import check_option
from ..results.positions import Positions
from .question import question
from .shown import table_of


@question()
def ctr_by_position(
    rows: Any,
    by: str | Sequence[str] | None = None,
    *,
    request: str | Sequence[str] | None = None,
    position: str = "position",
    relevance: str = "relevance",
    rel: float = 1,
    confidence_level: float = 0.95,
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
        rel: the lowest grade that is a click.
        confidence_level: how often the interval contains the true rate.
        connection: as in ``evaluate``.

    Returns:
        A row for each group and position: ``position``, ``impressions``, ``clicks``, ``ctr``, ``ci_lower`` and
        ``ci_upper``; ``plot()`` draws them.

    Raises:
        UsageError: there is no such confidence level, or the rows are those of no log.
        DataError: a column is missing.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rows = "SELECT * FROM (VALUES (1, 1), (1, 0), (2, 0)) t (position, relevance)"
        >>> [(row["position"], row["ctr"]) for row in rm.ctr_by_position(rows).dicts()]
        [(1, 0.5), (2, 0.0)]
    """
    columns = {"by": by or None, "query": request, "position": position, "relevance": relevance}
    level = check_option("confidence_level", confidence_level, "ctr_by_position")
    settings = {"rel": rel, "confidence_level": level}
    found = table_of(connection, rows, "ctr_by_position", columns, settings, request="query")
    return Positions(lambda: found.sql, lambda _: (found.columns, found.fetchall()))
