"""The question what runs are worth: a value for each metric, over queries and for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

from ..checks import sizes
from ..checks.overlap import warn_of_strangers
from ..checks.rows import judges_irrelevant, tied_at_cutoff
from ..definitions.resolution import asked_as, resolve_metrics, trec_eval_name
from ..errors import UsageError
from ..inputs.objects import check_lengths, without_arrays
from ..inputs.sources import Source
from ..pipeline.findings import (
    better_of,
    check_scored,
    counted,
    counts_of,
    of_runs,
    overlaps,
    rough_clusters,
    unweighted,
    warn,
)
from ..pipeline.partitions import in_parts
from ..pipeline.prepare import Evaluation
from ..pipeline.request import Request
from ..pipeline.running import ready
from ..results.result import Result, Row
from .common import GROUPS, INPUTS, Common, Keywords
from .question import question
from .reporting import reporting
from .runs import defaults_of_scores, metrics_second


@question("connection", "columns", *GROUPS, "rollup", "min_queries", "weight", "cluster", *INPUTS)
def evaluate(
    run: Any = None,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    recommendation_lists: Any = None,
    relevance_lists: Any = None,
    partitions: int = 1,
    **common: Unpack[Common],
) -> Result:
    """Scores one or more runs against judgments.

    Args:
        run: retrieved items: a table name, a file (TREC, CSV, Parquet, JSON lines, or JSON of what follows), SQL text,
            a pandas, Polars or Arrow table, ``{query: {item: score}}``, ``{query: [item, ...]}`` or
            ``[[item, ...], ...]`` in the order of their ranks; or several: a list of files or tables, or
            ``{name: run}``. Or a source such as ``events()`` or ``labelled()``; the metrics are then second.
        qrels: judgments in the same forms, with grades in place of scores; a list means grade 1. Metrics that read none
            need none: then every list is scored, as by ``queries="retrieved"``.
        metrics: metric strings such as ``"ndcg@10"``, ``"ap(rel=2)"``; see ``metrics()``.
        recommendation_lists: another name for ``run``.
        relevance_lists: another name for ``qrels``.
        partitions: in how many parts the queries are scored, one after the other, where one statement does not fit in
            memory and on disk: in DuckDB, where each part reads all of the run. The numbers are the same.
        options: choices by name, such as ``ties="item_asc"``; see ``options()``. With ``interval="t"`` the summary has
            ``standard_error``, ``ci_lower`` and ``ci_upper``: Student's t of the mean over the queries, at
            ``confidence_level``; of a geometric mean in logarithms, of a weighted mean by the delta method. NULL of a
            median, of what is no mean of queries' values, and of a single query. ``interval="bootstrap"`` draws the
            queries again, ``resamples`` times from ``seed``; its ends are percentiles, or by
            ``bootstrap_interval="bca"`` corrected for bias and skewness.

    Returns:
        The result; its summary has been computed.

    Raises:
        UsageError: an unknown metric, option or value.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    asked = Keywords(common)
    run = _either("run", run, "recommendation_lists", recommendation_lists)
    qrels = _either("qrels", qrels, "relevance_lists", relevance_lists)
    qrels, metrics = metrics_second(run, qrels, metrics)
    if not isinstance(run, Source):
        run, qrels = without_arrays(run, "run"), without_arrays(qrels, "qrels")
        check_lengths(run, qrels)
    choices = asked.choices(defaults_of_scores(run, qrels, asked.profile))
    request = Request(resolve_metrics(metrics, choices), choices)
    with asked.prepared(request, run, qrels) as prepared:
        result = score(prepared, partitions)
    return reporting(result, run, qrels, metrics, asked.given)


def _either(name: str, value: Any, other_name: str, other: Any) -> Any:
    """An argument under either of its names."""
    if value is not None and other is not None:
        raise UsageError(f"{name} and {other_name} are two names of one thing; give one of them.")
    return other if value is None else value


def score(evaluation: Evaluation, partitions: int = 1) -> Result:
    """Runs the summary; the values per query run when they are asked for.

    Args:
        evaluation: what is asked for.
        partitions: in how many parts the values are computed.
    """
    if partitions > 1:
        evaluation = replace(evaluation, statements=in_parts(evaluation.statements, partitions))
    statements, metrics, query = evaluation.statements, evaluation.request.metrics, evaluation.query
    text = query.text("summary")
    columns, rows = statements.ran(text)
    found = [*evaluation.warnings, *_cut_ties(evaluation, columns, rows), *unweighted(columns, rows)]
    found += _few_judged(evaluation, columns, rows)
    found += _left_out(evaluation, columns, rows)
    columns, rows = statements.accepted(columns, rows)
    found += check_scored(evaluation, columns, rows, statements.runs)
    found += _zeros(evaluation, columns, rows)
    found += rough_clusters(evaluation, columns, rows)
    return Result(
        ready(text, columns, rows),
        statements.table("per_query"),
        text if query.lasting is query else query.lasting.text("summary"),
        warn(found),
        {metric.label: metric.column for metric in metrics},
        counts_of(metrics),
        {metric.label: trec_eval_name(metric) for metric in metrics},
        statements.leaver({"summary": "summary", "per_query": "per_query"}),
        partial(asked_as, asked=metrics, choices=evaluation.request.choices),
        evaluation.check,
        evaluation.quality,
        better_of(metrics),
    )


def _cut_ties(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Queries with equal scores on both sides of a cutoff."""
    found = counted("n_ties_cut", columns, rows)
    return [f"{label}{tied_at_cutoff(evaluation.query, count)}" for label, count in found.items()]


def _few_judged(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Where fewer than half of the items that come first have a judgment, so that the others count as not relevant."""
    query, asker = evaluation.query, evaluation.asker
    if any(metric.ranking["unjudged"] != "nonrelevant" for metric in query.metrics):
        return
    judged, scored = (of_runs(name, columns, rows) for name in ("n_judged_first", "n_queries"))
    if len(query.runs) == 1:  # several in one table are looked at together
        judged, scored = ({"": sum(found.values())} if found else {} for found in (judged, scored))
    of_run = {f"{run.name}: " if len(query.runs) > 1 else "": run for run in query.runs}
    k = min([*query.cutoffs, *([int(str(query.options["depth"]))] if query.options["depth"] else [])], default=0)
    for label, n_judged in judged.items():
        if 2 * n_judged >= k * scored[label]:
            continue  # of all places, which are not fewer than those with an item
        n_places = sizes.filled_places(asker, of_run[label], k, scored[label])
        if 2 * n_judged < n_places and judges_irrelevant(asker):
            items = f"{k} items" if k > 1 else "item of each list"
            yield (
                f"{label}{int(100 * n_judged / n_places)} % of the top {items} are judged, and the others count as"
                " not relevant, so values may be too low. unjudged=bounds shows by how much."
            )


def _left_out(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """From the summary, each of whose rows says how many there are not."""
    if "n_groups_left_out" not in columns or not rows:
        return []
    n_rows, wanted = rows[0][columns.index("n_groups_left_out")], evaluation.query.min_queries
    some = "1 row of a group" if n_rows == 1 else f"{n_rows} rows of groups"
    return [f"min_queries={wanted}: {some} with fewer queries left out of the summary."] if n_rows else []


def _zeros(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Where all values are 0, perhaps no id matches."""
    place = columns.index("value")
    if any(row[place] for row in rows):
        return []
    return [*overlaps(evaluation), *warn_of_strangers(evaluation.asker)]
