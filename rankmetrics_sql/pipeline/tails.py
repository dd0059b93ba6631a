"""Warnings about heavy tails: a few large values decide a mean, and its interval does not know how many there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..databases.answers import Row
from ..statements.query import Query
from .prepare import Evaluation

# Above such a share of the variance one query, or cluster, makes intervals too short, relative ones of comparisons or
# those of a mean; of fewer than so many queries one has much of it whatever the values are.
_OF_RATIOS, _OF_MEANS, _ENOUGH = 1 / 3, 1 / 4, 20

_ADVICE = " With cap=, larger values count as an amount that you choose."


def telling_of_tails(query: Query) -> Query:
    """The query with the column that tells of tails, unless nothing is checked, or it has no interval."""
    has_interval = query.baseline is not None or query.all_pairs or query.options["interval"] not in (None, "none")
    return replace(query, tells_of_tails=True) if has_interval and query.options["check"] != "none" else query


def heavy_tails(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Yield a warning of the metrics of which one query, or cluster, makes much of the variance.

    Args:
        evaluation: a summary with intervals, or a comparison.
        columns: the names of its columns, with the one that is not shown.
        rows: its rows.
    """
    if "largest_spread" not in columns:
        return
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    compares, cluster = "baseline_run" in columns, evaluation.reads.cluster
    is_paired = compares and evaluation.query.options["design"] == "paired"
    least = 2 * _ENOUGH if compares and not is_paired else _ENOUGH
    large = [row for row in named if _is_large(row, compares, least)]
    if large:
        metrics = ", ".join(dict.fromkeys(row["metric"] for row in large))
        where = "" if len(rows) == 1 else f" in {len(large):,} of {len(rows):,} rows"
        unit = "query" if cluster is None or is_paired else f"value of {cluster}"
        most = max(row["largest_spread"] for row in large)
        whose = (" of a run" if is_paired else " of an arm") if compares else ""
        what = "the ratio, and relative intervals" if compares else "the mean, and intervals"
        share = f"one {unit} has {most:.0%} of the variance{whose}{where}"
        advice = "" if not compares or evaluation.query.caps or not _can_be_capped(evaluation, large) else _ADVICE
        yield f"{metrics}: {share}, so it dominates {what} are too short.{advice}"


def _can_be_capped(evaluation: Evaluation, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether one of the metrics has no upper bound."""
    named = {row["metric"] for row in rows}
    return any(one.label in named and one.range is None for one in evaluation.request.metrics)


def _is_large(row: Mapping[str, Any], compares: bool, least: int) -> bool:
    """Whether the row has an interval that is too short then."""
    ends = ("rel_effect_size_ci_lower", "rel_effect_size_ci_upper") if compares else ("ci_lower", "ci_upper")
    is_known = row["largest_spread"] is not None and any(row[end] is not None for end in ends)
    units = row.get("n_clusters") or row["n_queries"]
    return is_known and units >= least and row["largest_spread"] > (_OF_RATIOS if compares else _OF_MEANS)
