"""Evaluate runs: a value for each metric, over all queries and for each query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Unpack, overload

from ..definitions.resolution import resolve_metrics
from ..errors import UsageError
from ..inputs.objects import arrays_to_lists, check_lengths, labelled_qrels
from ..pipeline.scores import score
from ..results.evaluation import Result
from ..sources import Labelled, Source
from .agreement import between_judges
from .keywords import (
    GROUPS,
    INPUTS,
    OF_SUMMARIES,
    Common,
    choices_of,
    column_map,
    column_spec,
    make_request,
    prepared,
    public,
)
from .runs import choices_of_scores, metrics_of, metrics_second, reporting
from .worst import losing_searches


@public("connection", "columns", *GROUPS, *OF_SUMMARIES, "weight", "cluster", "predicted_qrels", *INPUTS)
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
        run: retrieved items: a table name, a file (TREC, CSV, Parquet, JSON lines, or JSON of the mappings below), SQL
            text, a pandas, Polars or Arrow table, ``{query: {item: score}}``, ``{query: [item, ...]}`` or
            ``[[item, ...], ...]`` in the order of their ranks; or several: a list of files or tables, or
            ``{name: run}``. Or a source such as ``events()`` or ``labelled()``; the metrics are then second.
        qrels: judgments in the same forms, with grades in place of scores; a list means grade 1. Metrics without
            judgments need none: then every query of the run is scored, as with ``queries="retrieved"``.
        metrics: metric strings such as ``"ndcg@10"``, ``"ap(rel=2)"``; see ``metrics()``.
        recommendation_lists: another name for ``run``.
        relevance_lists: another name for ``qrels``.
        partitions: scores the queries in so many parts, one after the other, if one statement needs too much memory and
            disk. It works in DuckDB, and each part reads the whole run. The values are the same.
        options: options by name, such as ``ties="item_asc"``; see ``options()``. With ``interval="t"`` the summary has
            ``standard_error``, ``ci_lower`` and ``ci_upper``: Student's t interval of the mean over the queries, at
            ``confidence_level``. A geometric mean uses logarithms; of a weighted mean each query is a cluster, as in
            ``compare``. They are NULL for a median, for a value that is no mean over queries, and for a single query.
            ``interval="bootstrap"`` resamples the queries ``resamples`` times from ``seed``. Its interval consists of
            percentiles; ``bootstrap_interval="bca"`` corrects them for bias and skewness.

    Returns:
        The result; its summary has been computed.

    Raises:
        UsageError: an unknown metric, option or value.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> run = {"q1": ["a", "b"], "q2": ["c", "d"]}
        >>> qrels = {"q1": ["a"], "q2": ["d"]}
        >>> result = rm.evaluate(run, qrels, ["rr", "p@1"])
        >>> result["rr"], result["p@1"]
        (0.75, 0.5)
        >>> [row["rr"] for row in result.per_query.dicts()]
        [1.0, 0.5]
    """
    run = _either("run", run, "recommendation_lists", recommendation_lists)
    qrels = _either("qrels", qrels, "relevance_lists", relevance_lists)
    qrels, metrics = metrics_second(run, qrels, metrics)
    if not isinstance(run, Source):
        run, qrels = arrays_to_lists(run, "run"), arrays_to_lists(qrels, "qrels")
        check_lengths(run, qrels)
    choices = choices_of_scores(common, run, qrels)
    request = make_request(common, metrics_of(run, metrics, choices), choices)
    prepare = partial(prepared, request, run, qrels, common.get("connection"))
    with prepare() as evaluation:
        result = score(evaluation, partitions)
    of_page = {"agreement": between_judges(qrels, None, common), "losing": losing_searches(run, common)}
    return reporting(result, evaluation, prepare, common, run, partitions=partitions, **of_page)


def _either(name: str, value: Any, other_name: str, other: Any) -> Any:
    """Return an argument that was passed under one of two names."""
    if value is not None and other is not None:
        raise UsageError(f"{name} and {other_name} mean the same. Pass one of them.")
    return other if value is None else value


@overload
def labelled(
    data: Any,
    metrics: None = None,
    *,
    qrels: Any = None,
    empty_lists: bool = False,
    columns: Mapping[str, Any] | None = None,
) -> Labelled: ...


@overload
def labelled(
    data: Any,
    metrics: str | Iterable[str],
    *,
    qrels: Any = None,
    empty_lists: bool = False,
    partitions: int = 1,
    **common: Unpack[Common],
) -> Result: ...


@public("connection", "columns", *GROUPS, *OF_SUMMARIES, "weight", "cluster", *INPUTS)
def labelled(
    data: Any,
    metrics: str | Iterable[str] | None = None,
    *,
    qrels: Any = None,
    empty_lists: bool = False,
    partitions: int = 1,
    **common: Unpack[Common],
) -> Result | Labelled:
    """Scores a labelled table: one row for each item, with query, score or position, and relevance.

    Without metrics it returns a source, which ``evaluate``, ``curve``, ``explain`` and ``sql`` take instead of a run
    and judgments: ``evaluate(labelled(data), metrics)`` is ``labelled(data, metrics)``.

    The ideal ranking and the number of relevant items come from the rows of the table, or from ``qrels`` if you pass
    them. Or name a column ``n_relevant`` with the number of relevant items of the query. Those that are not in the
    table then count with the lowest relevant grade. A NULL relevance marks an unjudged item. A table with a score
    and a position is ordered by its score, unless ``columns`` names the position only.

    Args:
        data: a table in any form that ``evaluate`` takes, or lists of grades in rank order, ``[[2, 3, 0], [1]]``.
        metrics: metric strings; without them, pass only ``qrels``, ``empty_lists`` and ``columns``.
        qrels: judgments for the ideal ranking.
        empty_lists: whether a row without an item stands for a query whose list is empty, as in the tables that dbt's
            ``from_events`` and ``from_lists`` write. ``zero_results`` needs it.
        partitions: as in ``evaluate``.
        columns: as in ``evaluate``; ``n_relevant`` and ``run_id`` may be named too.

    Returns:
        The result, whose summary has been computed; without metrics a source.

    Raises:
        UsageError: an unknown metric, option or value; or no metric, but something that is none of a description.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> result = rm.labelled([[0, 1, 1], [1]], ["rr", "p@1"])
        >>> result["rr"], result["p@1"]
        (0.75, 0.5)
    """
    if metrics is None:
        _refuse_all_but_description(common, partitions)
    data = arrays_to_lists(data, "labelled")
    if isinstance(data, list | tuple | Mapping) and qrels is None:
        qrels = labelled_qrels(data)
    source = Labelled(data, qrels, column_map(common), empty_lists)
    if metrics is None:
        return source
    choices = choices_of(common)
    spec = column_spec(common, columns={})
    request = make_request(common, resolve_metrics(metrics, choices), choices, spec=spec)
    prepare = partial(prepared, request, source, None, common.get("connection"))
    with prepare() as evaluation:
        result = score(evaluation, partitions)
    return reporting(result, evaluation, prepare, common, source, partitions=partitions)


def _refuse_all_but_description(keywords: Mapping[str, Any], partitions: int) -> None:
    """Raise for arguments that only an evaluation of the table uses."""
    refused = sorted({*(keywords.keys() - {"columns"}), *(["partitions"] if partitions != 1 else [])})
    if refused:
        raise UsageError(
            "labelled: no metric given. Name at least one, such as 'ndcg@10'. Without metrics, pass"
            f" {', '.join(refused)} to what scores the table: evaluate(labelled(TABLE), METRICS, ...)."
        )
