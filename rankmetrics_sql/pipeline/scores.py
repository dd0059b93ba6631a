"""The values of runs: the summary of an evaluation, with what is warned of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ..databases.answers import Row
from ..definitions.resolution import asked_as, trec_eval_name
from ..results.values import Result
from .findings import (
    better_of,
    check_scored,
    counts_of,
    look_for_strangers,
    overlaps,
    rough_clusters,
    unweighted,
    warn,
)
from .judged import few_judged, judged_first
from .partitions import split_into_parts
from .prepare import Evaluation
from .running import ready
from .tails import heavy_tails, telling_of_tails


def score(evaluation: Evaluation, partitions: int = 1) -> Result:
    """Runs the summary; the values per query run when they are asked for.

    Args:
        evaluation: what is asked for.
        partitions: in how many parts the values are computed.
    """
    if partitions > 1:
        evaluation = replace(evaluation, statements=split_into_parts(evaluation.statements, partitions))
    statements, metrics, query = evaluation.statements, evaluation.request.metrics, evaluation.query
    telling = telling_of_tails(query)
    text = telling.text("summary")
    columns, rows = statements.ran(text)
    found = [*evaluation.warnings, *unweighted(columns, rows)]
    found += few_judged(evaluation, columns, rows)
    judged = partial(judged_first, evaluation, columns, rows)
    found += _left_out(evaluation, columns, rows)
    tails = [*heavy_tails(evaluation, columns, rows)]
    columns, rows = statements.accepted(columns, rows)
    found += check_scored(evaluation, columns, rows, statements.runs)
    found += [] if any(row[columns.index("value")] for row in rows) else overlaps(evaluation)
    mismatches, unjudged = look_for_strangers(evaluation, _values(columns, rows))
    found += mismatches
    found += [*rough_clusters(evaluation, columns, rows), *tails]
    return Result(
        ready(text, columns, rows),
        statements.table("per_query"),
        statements.shown("summary", telling),
        warn(found),
        {metric.label: metric.column for metric in metrics},
        counts_of(metrics),
        {metric.label: trec_eval_name(metric) for metric in metrics},
        statements.leaver({"summary": "summary", "per_query": "per_query"}),
        partial(asked_as, asked=metrics, choices=evaluation.request.choices),
        evaluation.check,
        evaluation.quality,
        better_of(metrics),
        judged,
        unjudged,
    )


def _left_out(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """From the summary, each of whose rows says how many there are not."""
    if "n_groups_left_out" not in columns or not rows:
        return []
    n_rows, wanted = rows[0][columns.index("n_groups_left_out")], evaluation.query.min_queries
    some = "1 row of a group" if n_rows == 1 else f"{n_rows} rows of groups"
    return [f"min_queries={wanted} left out {some} with fewer queries."] if n_rows else []


def _values(columns: Sequence[str], rows: Sequence[Row]) -> list[tuple[str | None, str, float | None]]:
    """The values, each with the name of its run and its metric."""
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    return [(str(row["run_id"]) if "run_id" in row else None, row["metric"], row["value"]) for row in named]
