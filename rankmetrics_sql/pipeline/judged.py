"""How much of what stands first is judged: judged items over the items that come first, of scored queries."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ..checks import sizes
from ..checks.rows import judges_irrelevant
from ..checks.scored import counting
from ..databases.answers import Row
from .findings import of_runs
from .prepare import Evaluation


def few_judged(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Warns where fewer than half of the items that come first have a judgment, and the others may be relevant."""
    if not _may_mislead(evaluation):
        return
    query, asker, k = evaluation.query, evaluation.asker, evaluation.query.first_items
    judged, scored = of_runs("n_judged_first", columns, rows), _scored(evaluation, columns, rows)
    if len(query.runs) == 1:  # several in one table are looked at together
        judged, scored = ({"": sum(found.values())} if found else {} for found in (judged, scored))
    of_run = {f"{run.name}: " if len(query.runs) > 1 else "": run for run in query.runs}
    for label, n_judged in judged.items():
        if 2 * n_judged >= min(k * scored.get(label, math.inf), sizes.most_rows(asker, of_run[label])):
            continue  # of all places, or rows, which are not fewer than places with an item
        if not judges_irrelevant(asker):
            return
        n_places = sum(count for _, count in sizes.filled_places(asker, of_run[label], counting(asker), k))
        if 2 * n_judged < n_places:
            items = f"{k} items" if k > 1 else "item of each list"
            yield (
                f"{label}only {int(100 * n_judged / n_places)} % of the top {items} are judged. The others"
                " count as not relevant, so values may be too low. unjudged=bounds shows by how much."
            )


def _scored(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, int]:
    """The scored queries of each run, with a value or without; not known where metrics skip some."""
    if any(metric.skips for metric in evaluation.query.metrics):
        return {}
    counts = [name for name in ("n_queries", "n_left_out") if name in columns]
    found = [of_runs(name, columns, rows) for name in counts]
    return {label: sum(one[label] for one in found) for label in found[0]}


def judged_first(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> tuple[dict[str, float], int]:
    """The share of each run, and the cutoff; nothing where judged items were not counted.

    Args:
        evaluation: whose summary was computed.
        columns: of the summary as it came.
        rows: of the same.
    """
    query, k = evaluation.query, evaluation.query.first_items
    judged = of_runs("n_judged_first", columns, rows)
    if not judged or query.min_queries:
        return {}, k
    places: dict[str, int] = {}
    for run in query.runs:
        for name, count in sizes.filled_places(evaluation.asker, run, counting(evaluation.asker), k):
            places[run.name or name] = count
    named = {label.removesuffix(": "): count for label, count in judged.items()}
    return {name: count / places[name] for name, count in named.items() if places.get(name)}, k


def _may_mislead(evaluation: Evaluation) -> bool:
    """Whether items without a judgment may be relevant, of all scored queries, and nobody said that they are not.

    Where a source holds the judgments, such as clicks or ratings, an item without one is the rule. So it is where
    ``unjudged=nonrelevant`` is written out.
    """
    query = evaluation.query
    is_assumed = any(metric.ranking["unjudged"] != "nonrelevant" for metric in query.metrics)
    is_said = all(metric.says_nonrelevant for metric in query.metrics)
    return not (is_assumed or is_said or query.min_queries or query.qrels is None or query.qrels.is_ours)
