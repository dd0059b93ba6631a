"""Estimates of what a statement would read, asked in the way of each database."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...dialects import Dialect, subquery
from ...dialects.plans import join_plan
from ..answers import Answer, Estimate


def estimate(dialect: Dialect, sql: str, fetch: Callable[[str], Answer]) -> Estimate | None:
    """Return what the database expects to read for a statement; None if it does not say.

    Args:
        dialect: whose way of asking to take.
        sql: the statement, which is not run.
        fetch: runs the question.

    Raises:
        UsageError: it is not one query.
    """
    if dialect.explain is None:
        return None
    subquery(sql, dialect)  # refuses all but one query: what follows a semicolon would run
    answer = fetch(f"{dialect.explain} {sql}")
    rows, size = (None, None) if dialect.read_plan is None else dialect.read_plan(answer)
    return Estimate(_whole(rows), _whole(size), join_plan(answer))


def _whole(number: float | None) -> int | None:
    return round(number) if number is not None and math.isfinite(number) else None
