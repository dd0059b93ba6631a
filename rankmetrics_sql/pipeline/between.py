"""Whether the effects of a comparison differ between its groups."""

from __future__ import annotations

from collections.abc import Sequence

from ..checks.shared import clusters_in_groups
from ..databases.answers import Row
from ..dialects.names import unquoted
from ..results.heterogeneity import COLUMNS, rows_between, said
from ..results.tables import Table
from .prepare import Evaluation
from .running import ready


def between_groups(
    evaluation: Evaluation, text: str, columns: Sequence[str], rows: Sequence[Row]
) -> tuple[Table | None, list[str]]:
    """Return the tests by metric and run, and sentences about them; None without groups.

    Args:
        evaluation: the comparison.
        text: the statement that its rows are from.
        columns: the names of its columns.
        rows: one for each candidate, metric and group.
    """
    query = evaluation.query
    if len(query.groups) <= query.has_cluster or not rows:
        return None, []
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    options = query.options_of("comparison")
    if query.has_cluster:
        options["cluster"] = unquoted(query.groups[-1].label)
    sums = [metric.label for metric in evaluation.request.metrics if metric.aggregate == "sum"]
    n_shared = clusters_in_groups(evaluation.asker) if query.has_cluster else 0
    found = rows_between(records, options, sums, n_shared)
    table = ready(text, [*COLUMNS], [tuple(row[name] for name in COLUMNS) for row in found])
    return table, said(found, records, options)
