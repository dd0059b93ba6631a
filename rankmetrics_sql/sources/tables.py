"""Tables of lists and of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import UsageError, shortened
from .base import Rows
from .passthrough import Statement


def lists(
    data: Any,
    query: str | Sequence[str] = "query_id",
    items: str = "items",
    relevant: str | None = None,
    run: str | None = None,
) -> Rows:
    """Describes a table with an array of items in each row, and an array of relevant items.

    If a list contains an item twice, the first position counts; NULL items are skipped. An empty list of relevant items
    is a judged query without relevant items. A NULL list is an unjudged query.

    Args:
        data: one row per query, or per run and query: a table, file, SQL text or data frame.
        query: the column with the id of the query, SQL over the row, or a list of columns.
        items: the column with the array of retrieved or recommended items, best first.
        relevant: the column with the array of relevant items. Without it, pass judgments as ``qrels``.
        run: the column with the name of the run, such as a model, if the table contains several. They answer the
            same queries, so a comparison pairs them, and a query has the same relevant items in all of them.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> table = "SELECT 'q1' AS query_id, ['a', 'b'] AS items, ['b'] AS relevant"
        >>> rm.evaluate(rm.lists(table, "query_id", "items", "relevant"), "rr")["rr"]
        0.5
    """
    columns = {"items": items, "query": query, "relevant": relevant}
    parts = {"run": Statement("from_lists", ("relation", "items", "query", "empty_lists"))}
    if relevant is not None:
        parts["qrels"] = Statement("judgments_from_lists", ("relation", "relevant", "query"))
    return Rows(
        "lists",
        parts,
        Statement("quality_of_lists", ("relation", *columns)),
        {"relation": data},
        {name: ("relation", column) for name, column in columns.items()},
        {"empty_lists": relevant is None},
        of_lists=("items", "relevant"),
        arm=run,
    )


def ratings(
    data: Any,
    user: str | Sequence[str] = "user_id",
    item: str = "item_id",
    rating: str = "rating",
    predicted: str = "predicted",
    threshold: float | None = None,
) -> Rows:
    """Describes a table of ratings and predictions. Predictions rank the items of a user.

    A rated item without a prediction counts as not retrieved. Errors (``mae``, ``rmse``, ``rating_bias``) compare with
    the ratings themselves, so they exclude a threshold.

    Args:
        data: one row per user and item: a table, file, SQL text or data frame.
        user: the column with the user, which is the query of the metrics.
        item: the column with the id of the item.
        rating: the column with the rating, which is the grade. NULL marks an unjudged item.
        predicted: the column with the model's score. An item without one is not ranked; ``COALESCE(predicted, 0)``
            ranks it.
        threshold: the lowest rating that is relevant: grades become 1 from there and 0 below.

    Raises:
        UsageError: the threshold is not a number.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rows = [("u1", "a", 4, 3.5), ("u1", "b", 2, 2.5)]
        >>> values = ", ".join(map(str, rows))
        >>> table = f"SELECT * FROM (VALUES {values}) t (user_id, item_id, rating, predicted)"
        >>> source = rm.ratings(table, "user_id", "item_id", "rating", "predicted")
        >>> rm.evaluate(source, "mae")["mae"]
        0.5
    """
    if threshold is not None and (isinstance(threshold, bool) or not isinstance(threshold, int | float)):
        raise UsageError(f"threshold is a number, not {shortened(threshold)}.")
    columns = {"user": user, "item": item, "rating": rating, "predicted": predicted}
    arguments = ("relation", *columns, "threshold")
    of_judgments = tuple(name for name in arguments if name != "predicted")
    return Rows(
        "ratings",
        {"run": Statement("from_ratings", arguments), "qrels": Statement("judgments_from_ratings", of_judgments)},
        Statement("quality_of_ratings", arguments),
        {"relation": data},
        {name: ("relation", column) for name, column in columns.items()},
        {"threshold": threshold},
        query="user",
        order="score",
        clean=False,
    )
