"""Tables of lists and of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import UsageError, shortened
from .base import Rows, Statement


def lists(
    data: Any,
    query: str | Sequence[str] = "query_id",
    items: str = "items",
    relevant: str | None = None,
    run: str | None = None,
) -> Rows:
    """Lists of items in a column of arrays, with the relevant items in another.

    Of an item that a list names twice the first place counts; what is NULL is no item. An empty list of relevant items
    is that of a judged query, a list that is NULL says nothing of its query.

    Args:
        data: one row per query, or per run and query: a table, file, SQL text or data frame.
        query: what names a query: a column, SQL over the row, or a list of columns.
        items: the column with the list of what was recommended or retrieved, best first.
        relevant: the column with the list of relevant items; without one, give judgments as ``qrels``.
        run: the column with the name of the run, such as a model, where the table has lists of several. They answer the
            same queries, so a comparison pairs them; the relevant items of a query are the same in all of them.
    """
    columns = {"items_column": items, "query_column": query, "relevant_column": relevant}
    parts = {"run": Statement("from_lists", ("relation", "items_column", "query_column", "empty_lists"))}
    if relevant is not None:
        parts["qrels"] = Statement("judgments_from_lists", ("relation", "relevant_column", "query_column"))
    return Rows(
        "lists",
        parts,
        Statement("quality_of_lists", ("relation", *columns)),
        {"relation": data},
        {name: ("relation", column) for name, column in columns.items()},
        {"empty_lists": True},
        of_lists=("items_column", "relevant_column"),
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
    """Ratings, and what a model predicted for them, which orders the items of a user.

    A rated item without a prediction is one that the model did not find. Errors (``mae``, ``rmse``, ``rating_bias``)
    are of the ratings themselves, so not with a threshold.

    Args:
        data: one row per user and item: a table, file, SQL text or data frame.
        user: what names a user, the query of the metrics.
        item: what names an item.
        rating: the rating, which is the grade; NULL where there is none, so that the item is not judged.
        predicted: the model's score; an item without one is not ranked. ``COALESCE(predicted, 0)`` gives it one.
        threshold: the least rating that is relevant, with grade 1; others then have grade 0.

    Raises:
        UsageError: the threshold is no number.
    """
    if threshold is not None and (isinstance(threshold, bool) or not isinstance(threshold, int | float)):
        raise UsageError(f"threshold is a number, not {shortened(threshold)}.")
    columns = {"user_column": user, "item_column": item, "rating_column": rating, "predicted_column": predicted}
    arguments = ("relation", *columns, "threshold")
    of_judgments = tuple(name for name in arguments if name != "predicted_column")
    return Rows(
        "ratings",
        {"run": Statement("from_ratings", arguments), "qrels": Statement("judgments_from_ratings", of_judgments)},
        Statement("quality_of_ratings", arguments),
        {"relation": data},
        {name: ("relation", column) for name, column in columns.items()},
        {"threshold": threshold},
        query="user_column",
        order="score",
        clean=False,
    )
