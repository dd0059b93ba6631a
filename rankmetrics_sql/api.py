"""The public functions, and the database that has them as methods. They put the others together and compute nothing."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

from . import databases
from .databases import Engine
from .definitions import catalogue
from .definitions.arguments import as_list, as_sets, check_arguments, check_zone
from .definitions.choices import Choices, resolve_options
from .definitions.refusals import refuse
from .definitions.resolution import ResolvedMetric, resolve_curve, resolve_metrics
from .dialects import CANONICAL, Dialect, check_dialect
from .errors import UsageError, nearest, shortened
from .evaluation import agreement as agreements
from .evaluation import evaluation, impressions
from .evaluation.composer import Request
from .evaluation.explanation import Question
from .evaluation.orders import need_scipy
from .evaluation.sensitivity import sensitivity as in_scenarios
from .evaluation.sensitivity import without_bounds
from .evaluation.statement import header as statement_header
from .evaluation.statement import unchecked, write
from .evaluation.tukey import draws_of
from .evaluation.tukey import tukey as of_all_pairs
from .functions.installation import Installation
from .inputs.objects import check_lengths, labelled_qrels, without_arrays
from .inputs.sources import Labelled, Rows, Source, are_judged
from .inputs.strings import named_candidates, run_name
from .results.agreement import Agreement
from .results.all_pairs import AllPairs
from .results.comparison import Comparison
from .results.curve import Curve
from .results.decomposition import Decomposition
from .results.explanation import Explanation
from .results.html import Catalogue
from .results.movements import Movements
from .results.sensitivity import Sensitivity
from .results.tables import Table
from .results.values import Result
from .statements.query import COMPARISONS, CURVES, MOVEMENTS
from .statements.templates import commented

if TYPE_CHECKING:
    from .databases.answers import Estimate

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R", Result, Comparison)

_LEVELS = ("summary", "sums", "per_query", "values", *COMPARISONS, *CURVES)

# The recall levels of trec_eval's iprec_at_recall; cutoffs that people ask for.
_ALONG: Mapping[str, Sequence[float]] = {
    "recall": [level / 10 for level in range(11)],
    "k": [1, 2, 3, 5, 10, 20, 50, 100],
}


def evaluate(
    run: Any = None,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] = (),
    rollup: bool | Sequence[str | Sequence[str]] = False,
    min_queries: int | None = None,
    period: str | None = None,
    timezone: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    query_list: Any = None,
    items: Any = None,
    profile: str | None = None,
    input_format: str | None = None,
    partitions: int = 1,
    **options: Any,
) -> Result:
    """Scores one or more runs against judgments.

    Args:
        run: retrieved items: a table name, a file (TREC, CSV, Parquet, JSON lines, or JSON of what follows), SQL text,
            a pandas, Polars or Arrow table, ``{query: {item: score}}``, ``{query: [item, ...]}`` or
            ``[[item, ...], ...]`` in the order of their ranks (``recommendation_lists`` is another name for it); or
            several: a list of files or tables, or ``{name: run}``. Or a source such as ``events()`` or ``labelled()``;
            the metrics are then second.
        qrels: judgments in the same forms, with grades in place of scores; a list means grade 1
            (``relevance_lists`` is another name for it). Metrics that read none need none: then every list is scored,
            as by ``queries="retrieved"``.
        metrics: metric strings such as ``"ndcg@10"``, ``"ap(rel=2)"``; see ``metrics()``.
        connection: where the tables are and the statements run: whatever ``connect`` takes, or what it gave.
        columns: names of columns, or SQL over the row in the dialect of its database: ``{"item_id": "doc_id",
            "qrels.item_id": "document", "relevance": "CASE WHEN stars >= 4 THEN 1 ELSE 0 END"}``; a list for a query
            that several name together, where the second is called ``query_id_2`` if it is SQL. ``{"run_id": "tag"}``
            tells the runs of a TREC file with several tags apart.
        by: columns to break the summary down by: the query list's, else the judgments', else the run's; ``run.``,
            ``qrels.`` or ``query_list.`` before the name of one says which.
        rollup: whether the summary has rows of every set of those columns too, down to none; or a list of the sets that
            it has rows of: ``[["market"], []]``. Its column ``breakdown`` says which columns a row is of, ``total`` for
            none, because NULL is a group of its own.
        min_queries: leaves out of the summary the rows of groups with fewer queries; a warning says how many.
        period: ``day``, ``week`` or ``month`` to break down by the time too, a column that ``columns={"time": ...}``
            names as ``by`` does: a group ``period``, its first day; weeks begin on Monday. A time without a zone is
            UTC's.
        timezone: whose days they are, such as ``Europe/Berlin``; by default UTC's.
        weight: a column with a number for each query, such as its traffic or revenue, found as ``by`` finds columns:
            the summary's means, the geometric one too, are then Σ weight · value / Σ weight over the queries with a
            value; sums stay counts. The summary has a column ``sum_of_weights``. A query whose weight is NULL weighs
            nothing, which is warned of; a negative weight is refused.
        cluster: with ``interval="t"`` a column such as the user, found as ``by`` finds columns, whose queries may be
            alike: errors are then those of its values (CR2, with the degrees of freedom of uneven clusters), and the
            summary has the columns ``n_clusters`` and ``largest_cluster_share``, of the queries. A query whose column
            is NULL is a cluster by itself.
        query_list: the queries to score: a file, table or list; others are left out.
        items: the catalogue, for metrics beyond accuracy: a file, table or frame with a row per item, or per item and
            category: ``item_id`` and, as metrics need them, ``popularity`` and ``category``; or ``[item, ...]``,
            ``{item: popularity}``, ``{item: [category, ...]}``.
        profile: a named set of options; see ``profiles()``.
        input_format: ``trec``, ``csv``, ``tsv``, ``parquet``, ``jsonl`` or ``json`` for all files, not by their names.
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
    run, qrels = (
        _either("run", run, "recommendation_lists", options),
        _either("qrels", qrels, "relevance_lists", options),
    )
    if isinstance(run, Source):
        qrels, metrics = _metrics_second(run, qrels, metrics)
    check_arguments(locals())
    if not isinstance(run, Source):
        run, qrels = without_arrays(run, "run"), without_arrays(qrels, "qrels")
        check_lengths(run, qrels)
    with _engine(connection) as engine:
        breakdown = _breakdown(by, rollup, min_queries, period, timezone, weight, cluster)
        asked = _of_lists(_of_source(run, options, profile), are_judged(run, qrels))
        request = _request(metrics, asked, profile, columns, **breakdown)
        prepare = _preparation(request, run, qrels, query_list, items, input_format)
        prepared = prepare(engine)
        result = evaluation.result(prepared, partitions)
    return _reporting(result, prepared, prepare, connection, options, profile, run, partitions=partitions)


def _metrics_second(source: Source, second: Any, third: Any) -> tuple[Any, Any]:
    """The judgments and the metrics: behind a source that has judgments come the metrics."""
    if source.has_judgments and not third:
        return None, second if second is not None else ()
    if not third:
        raise UsageError(f"No qrels given: {source.label}() says nothing of what is relevant here.")
    return second, third


@overload
def labelled(
    data: Any, metrics: None = None, *, qrels: Any = None, columns: Mapping[str, Any] | None = None
) -> Labelled: ...


@overload
def labelled(data: Any, metrics: str | Iterable[str], **arguments: Any) -> Result: ...


def labelled(
    data: Any,
    metrics: str | Iterable[str] | None = None,
    *,
    qrels: Any = None,
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] = (),
    rollup: bool | Sequence[str | Sequence[str]] = False,
    min_queries: int | None = None,
    period: str | None = None,
    timezone: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    query_list: Any = None,
    items: Any = None,
    profile: str | None = None,
    input_format: str | None = None,
    partitions: int = 1,
    **options: Any,
) -> Result | Labelled:
    """Scores one table that carries its labels: query, item, score or position, relevance.

    Without metrics the table is only described, and ``evaluate``, ``curve``, ``explain`` and ``sql`` take it in place
    of a run and judgments: ``evaluate(labelled(data), metrics)`` is ``labelled(data, metrics)``.

    The ideal ranking and the number of relevant items come from the rows present; from ``qrels`` where those are
    given; or from a column ``n_relevant`` with the number of relevant items of the query, where those not in the list
    count as having the lowest relevant grade. A NULL relevance means that the item is not judged. A table with a score
    and a position is ordered by its score, unless ``columns`` names the position only.

    Args:
        data: a table in any form that ``evaluate`` takes, or lists of grades in rank order, ``[[2, 3, 0], [1]]``.
        metrics: metric strings; without them, ``qrels`` and ``columns`` are all that can be said.
        qrels: judgments for the ideal ranking.
        columns: as in ``evaluate``, like the arguments that are not named here; ``n_relevant`` and ``run_id`` may be
            named too.

    Returns:
        The result, whose summary has been computed; or the description.

    Raises:
        UsageError: an unknown metric, option or value; or no metric, but something that is none of a description.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    if metrics is None:
        _check_description(locals())
    else:
        check_arguments(locals())
    data = without_arrays(data, "labelled")
    if isinstance(data, list | tuple | Mapping) and qrels is None:
        qrels = labelled_qrels(data)
    source = Labelled(data, qrels, _map(columns))
    if metrics is None:
        return source
    with _engine(connection) as engine:
        breakdown = _breakdown(by, rollup, min_queries, period, timezone, weight, cluster)
        request = _request(metrics, options, profile, None, **breakdown)
        prepare = _preparation(request, source, None, query_list, items, input_format)
        prepared = prepare(engine)
        result = evaluation.result(prepared, partitions)
    return _reporting(result, prepared, prepare, connection, options, profile, source, partitions=partitions)


def _check_description(given: Mapping[str, Any]) -> None:
    """Refuses what is said to whatever scores the table.

    Raises:
        UsageError: there is such an argument.
    """
    known = inspect.signature(labelled).parameters
    others = [name for name in given.keys() - {"options"} if given[name] is not known[name].default]
    others = sorted({*others, *given["options"]} - {"data", "qrels", "columns"})
    if others:
        raise UsageError(
            f"labelled: no metric is asked for. Name at least one, such as 'ndcg@10'; or say {', '.join(others)} to"
            " what scores the table: evaluate(labelled(TABLE), METRICS, ...)."
        )


def compare(
    run: Any,
    candidates: Any = None,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    baseline: str | None = None,
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] = (),
    period: str | None = None,
    timezone: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    covariate: str | None = None,
    shares: Mapping[str, float] | None = None,
    limits: Mapping[str, float] | None = None,
    query_list: Any = None,
    items: Any = None,
    profile: str | None = None,
    input_format: str | None = None,
    **options: Any,
) -> Comparison:
    """Compares runs with a baseline: by how much, with its interval, and whether it is more than chance.

    Runs are paired by query (Student's t test). The arms of an experiment were asked queries of their own
    (``design="unpaired"``, Welch's t test); those of a source that has them are compared with
    ``compare(source, metrics, baseline="control")``.

    Args:
        run: the baseline, as in ``evaluate``, like the arguments that are not named here; or a source with arms.
        candidates: ``{name: run}``, a list of files or tables, or one run; behind a source come the metrics.
        qrels: judgments.
        metrics: metric strings.
        baseline: what to call the baseline, by default the name of its file or table, or ``baseline``; of a source, the
            arm that the others are compared with.
        weight: a column with a number for each query, as in ``evaluate``: with ``test="t"`` the means are weighted ones
            over the queries with a value, and the effect is Σ weight · difference / Σ weight, of arms the difference of
            both means; errors are by the delta method. A query whose weight is NULL weighs nothing, which is warned of;
            a negative weight is refused. Counts of queries, ``prob_superiority`` and sums stay what they are, and sums
            have no error. ``std_effect_size`` is in weighted standard deviations.
        cluster: a column such as the user, found as ``by`` finds columns, whose queries may be alike: errors are then
            those of its values (CR2, with the degrees of freedom of uneven clusters; of arms as Welch's), and there
            are the columns ``n_clusters`` and ``largest_cluster_share``, of the queries or of those of an arm. A value
            in both arms is one cluster. A query whose column is NULL is a cluster by itself.
        covariate: of arms (``design="unpaired"``, ``test="t"``), a column with a number for each query that was known
            before they differed, such as its value in an earlier period, found as ``by`` finds columns (CUPED; Deng et
            al. 2013). Of means, the effect, its error and all that follows are those of y - theta (x - mean of x), with
            theta = cov(y, x) / var(x) over the queries of both arms, as tea-tasting has it; ``baseline`` and
            ``candidate`` stay what was measured, ``std_effect_size`` is in their standard deviations. There is a column
            ``variance_reduction``. A query whose covariate is NULL, such as a new one, has 0 (GrowthBook).
        shares: of arms, how the units were to be shared out, as ``{"control": 0.9, "new": 0.1}``; by default equally.
            ``notes`` state how many queries, or clusters, each arm has, and how probable that is by chance
            (chi-squared). Below .001, in total or corrected in a group, is a warning: then the arms differ in more than
            what they were given. What is in several arms is left out of the counts; an arm without a query counts 0.
        limits: by how much metrics may be worse, ``{"ndcg@10": 0.01}``, at least 0: then each of these metrics, and no
            other, is tested against a loss of so much in place of no difference, on both sides, and ``verdict`` is
            ``worse``, ``not worse`` or ``not clear``. The p-values are corrected over these tests. A rank test says
            nothing about that.
        options: as in ``evaluate``, and those of comparisons: ``design``, ``test``, ``confidence_level``,
            ``alternative``, ``margin``, ``power``, ``sequential``, ``correction``, ``family``,
            ``interval_level``.

    Returns:
        A row per candidate and metric.

    Raises:
        UsageError: an unknown metric, option or value.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    _refuse_of_summaries(options)
    if isinstance(run, Source):
        qrels, metrics = _metrics_second(run, qrels if qrels is not None else candidates, metrics)
        candidates = None
    check_arguments(locals())
    given, options = options, _of_source(run, _designed(run, options, baseline), profile)
    runs, first = _baseline_first(run, candidates, baseline)
    with _engine(connection) as engine:
        breakdown = _breakdown(
            by, period=period, timezone=timezone, weight=weight, cluster=cluster, covariate=covariate
        )
        request = _request(metrics, options, profile, columns, **breakdown, level="compare", baseline=first)
        request = replace(request, limits=_limits(limits, request.metrics))
        prepare = _preparation(request, runs, qrels, query_list, items, input_format)
        prepared = prepare(engine)
        result = evaluation.comparison(prepared, shares)
    return _reporting(result, prepared, prepare, connection, given, profile, runs, baseline=first, shares=shares)


def compare_all(
    runs: Any,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] = (),
    period: str | None = None,
    timezone: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    query_list: Any = None,
    items: Any = None,
    profile: str | None = None,
    input_format: str | None = None,
    **options: Any,
) -> Comparison:
    """Compares every pair of runs by the tests of ``compare``, with p-values corrected over all pairs.

    One statement tests each pair by itself. ``tukey`` tests all pairs of a metric together instead. The table is that
    of a paper: a row for each run, with the letters of the runs that a value is significantly better than.

    Args:
        runs: two or more runs, as in ``evaluate``, like the arguments that are not named here.
        qrels: judgments.
        metrics: metric strings.
        weight: as in ``compare``, like ``cluster``.
        options: as in ``compare``; tests have two sides, and runs are paired by query.

    Returns:
        A row per pair and metric, whose ``baseline_run`` is the run that comes first in ``runs``.

    Raises:
        UsageError: an unknown metric, option or value, or fewer than two runs.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    _refuse_of_summaries(options)
    check_arguments(locals())
    named = named_candidates(without_arrays(runs, "run"))
    breakdown = _breakdown(by, period=period, timezone=timezone, weight=weight, cluster=cluster)
    request = _request(metrics, options, profile, columns, **breakdown, level="compare", baseline=next(iter(named)))
    _refuse_sides(request.choices, named)
    with _engine(connection) as engine:
        request = replace(request, all_pairs=True)
        return evaluation.comparison(
            evaluation.prepare(engine, request, named, qrels, query_list, items, input_format=input_format)
        )


def _refuse_of_comparisons(level: str, limits: Any, baseline: str | None, *, all_pairs: bool) -> None:
    """Refuses what a kind of statement has no use for.

    Raises:
        UsageError: there is such an argument.
    """
    if limits is not None and level != "compare":
        raise UsageError("limits= is for level=compare, which has verdicts.")
    if all_pairs and (level not in ("compare", "compare_per_query") or limits is not None or baseline is not None):
        raise UsageError("all_pairs= is for level=compare without limits= and baseline=, which are of one baseline.")


def _refuse_sides(choices: Choices, runs: Any, *, all_pairs: bool = True) -> None:
    """Refuses what needs to know which of two runs is the baseline.

    Raises:
        UsageError: there are not several runs with names, arms are asked for, or tests of one side.
    """
    if not all_pairs:
        return
    if not isinstance(runs, Mapping) or len(runs) < 2:
        raise UsageError("All pairs are those of two or more runs. Pass them as {name: run}.")
    if choices.options["design"] != "paired":
        raise UsageError("All pairs of runs are paired by query. Take design=paired, or compare() for arms.")
    if choices.options["alternative"] != "two_sided":
        side = choices.options["alternative"]
        raise UsageError(f"alternative={side} needs one baseline. Take alternative=two_sided, or compare().")


def _limits(limits: Mapping[str, float] | None, metrics: Sequence[ResolvedMetric]) -> dict[str, float] | None:
    """The limits by the labels of their metrics.

    Raises:
        UsageError: one is of no metric that is asked for, or is no number at least 0.
    """
    if limits is None:
        return None
    if not isinstance(limits, Mapping) or not limits:
        raise UsageError(f"limits: {shortened(limits)} names no metric. Pass {{'ndcg@10': 0.01}}, for example.")
    labels = {metric.label.lower(): metric.label for metric in metrics}
    found = {}
    for name, limit in limits.items():
        if str(name).lower() not in labels:
            raise UsageError(f"limits: {name!r} is none of the metrics. {nearest(str(name), labels.values())}")
        is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
        if not is_number or not 0 <= limit < math.inf:
            raise UsageError(f"limits: {shortened(limit)} of {name} is no number at least 0.")
        found[labels[str(name).lower()]] = float(limit)
    return found


def decompose(
    run: Any,
    candidates: Any = None,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    by: str | Sequence[str] = (),
    baseline: str | None = None,
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    period: str | None = None,
    timezone: str | None = None,
    query_list: Any = None,
    items: Any = None,
    profile: str | None = None,
    input_format: str | None = None,
    **options: Any,
) -> Decomposition:
    """Says where a difference between two means comes from: which groups of queries, by their ranking or by the mix.

    A mean over all queries is that of the groups, each by its share of the queries with a value; so the difference of
    two means is the sum over the groups of the mean of both shares by the change of the mean (the ranking), and of the
    mean of both means by the change of the share (the mix). Where the runs answer the same queries there is no change
    of the mix, and what a group contributes is its share of the effect that ``compare`` finds. A group that one run
    alone has no change of the mean: its share by its mean is a term of its own, with the sign of what it does to the
    difference. Source: E. M. Kitagawa, Components of a Difference Between Two Rates, 1955.

    Two periods are two runs, each scored on its own queries: ``decompose("SELECT * FROM shown WHERE month = '2026-09'",
    {"october": "SELECT * FROM shown WHERE month = '2026-10'"}, qrels, "ndcg@10", by="market",
    queries="judged_retrieved")``. Or a column of one labelled table tells them apart: ``decompose(labelled("shown",
    columns={"run_id": "month"}), "ndcg@10", by="market", baseline="2026-09")``.

    Args:
        run: the baseline, as in ``compare``, like the arguments that are not named here; or a source with arms.
        candidates: ``{name: run}``, a list of files or tables, or one run; behind a source come the metrics.
        qrels: judgments.
        metrics: metric strings, of metrics that are means over queries.
        by: the columns whose groups are told apart, as in ``evaluate``; these or ``period`` are required.
        baseline: what to call the baseline, as in ``compare``; of a source, the run that the others are compared with.
        options: as in ``evaluate``. By default each run is scored on every judged query, and has 0 where it retrieved
            nothing; with ``queries="judged_retrieved"`` on those that it has results for.

    Returns:
        A row per candidate, metric and group, the greatest contributions first; a group in which neither run has a
        value has none.

    Raises:
        UsageError: an unknown metric, option or value, no groups, or a metric that is no mean.
        DataError: an input is missing, malformed or contradicts itself; or the runs share no query that both are scored
            on.
        DatabaseError: the database refused a statement.
    """
    if isinstance(run, Source):
        qrels, metrics = _metrics_second(run, qrels if qrels is not None else candidates, metrics)
        candidates = None
    _refuse_of_summaries(options)
    check_arguments(locals())
    options = _of_source(run, _designed(run, options, baseline, "decompose"), profile)
    runs, first = _baseline_first(run, candidates, baseline)
    with _engine(connection) as engine:
        breakdown = _breakdown(by, period=period, timezone=timezone)
        request = _request(metrics, options, profile, columns, **breakdown, level="decompose", baseline=first)
        return evaluation.decomposition(
            evaluation.prepare(engine, request, runs, qrels, query_list, items, input_format=input_format)
        )


def movements(
    run: Any,
    candidates: Any = None,
    qrels: Any = None,
    *,
    k: int = 10,
    query: Any = None,
    baseline: str | None = None,
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    query_list: Any = None,
    profile: str | None = None,
    input_format: str | None = None,
    **options: Any,
) -> Movements:
    """Lists the items that entered, left or moved within the first k of each query.

    Args:
        run: the baseline, as in ``compare``, like the arguments that are not named here; or ``labelled(table,
            columns={"run_id": ...})``, whose runs answered the same queries.
        candidates: ``{name: run}``, a list of files or tables, or one run.
        qrels: judgments, for the column ``relevance``; they leave out no query and no item.
        k: how many items of a list are looked at, at least 1.
        query: a query, or a list of them, to show; by default all that one of the runs has results for.
        baseline: what to call the baseline, as in ``compare``; of one table, the run that others are compared with.
        query_list: the queries to show as a table, file or SELECT, in place of ``query``.
        options: as in ``evaluate``; those of the order of a list, such as ``ties``, say what has which rank.

    Returns:
        A row per candidate, query and item that is within the first k of either list: the candidate's list in its
        order, then what left it.

    Raises:
        UsageError: an unknown option or value, or an order that gives no item one rank (``ties="expected"``).
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    _refuse_of_summaries(options)
    check_arguments(locals())
    if query is not None and query_list is not None:
        raise UsageError("query and query_list exclude each other: both say which queries are shown.")
    if isinstance(query, list | tuple) and not query:
        raise UsageError("query is an empty list: name a query, or leave it out for all.")
    options = _of_source(run, _designed(run, options, baseline, "movements"), profile)
    runs, first = _baseline_first(run, candidates, baseline)
    listed = query_list if query is None else query if isinstance(query, list | tuple) else [query]
    with _engine(connection) as engine:
        choices = resolve_options(_of_lists(options, judged=False), profile)
        metrics = resolve_metrics(evaluation.items_shown(k, choices), choices)
        request = Request(metrics, choices, MOVEMENTS, _map(columns), baseline=first)
        prepared = evaluation.prepare(engine, request, runs, qrels, listed, input_format=input_format)
        return evaluation.movements(prepared)


def _baseline_first(run: Any, candidates: Any, baseline: str | None) -> tuple[Any, str | None]:
    """The runs of a comparison, or the source that has them, and the name of the baseline."""
    if isinstance(run, Source):
        return run, baseline
    runs = _named_runs(run, candidates, baseline)
    return runs, next(iter(runs))


def _named_runs(baseline: Any, candidates: Any, name: str | None) -> dict[str, Any]:
    """The runs of a comparison by name, the baseline first.

    Raises:
        UsageError: there is no candidate, or two have one name.
    """
    named = named_candidates(without_arrays(candidates, "run")) if candidates is not None else {}
    if not named:
        raise UsageError("There is no candidate to compare with the baseline.")
    first = name or (run_name(baseline) if isinstance(baseline, str | Path) else "baseline")
    if first in named:
        raise UsageError(
            f"The baseline and a candidate are both called {first!r}; name the candidates with {{name: run}}."
        )
    return {first: baseline} | named


def _preparation(
    request: Request, run: Any, qrels: Any, query_list: Any, items: Any, input_format: str | None
) -> Callable[[Engine], evaluation.Evaluation]:
    """What reads and checks the inputs of a request, as ``evaluation.prepare`` has them."""

    def prepare(engine: Engine) -> evaluation.Evaluation:
        return evaluation.prepare(engine, request, run, qrels, query_list, items, input_format=input_format)

    return prepare


def _reporting(
    result: R,
    prepared: evaluation.Evaluation,
    prepare: Callable[[Engine], evaluation.Evaluation],
    connection: Any,
    options: Mapping[str, Any],
    profile: str | None,
    run: Any,
    **others: Any,
) -> R:
    """The result with what writes a report about its inputs: as our own DuckDB holds them, or read once more.

    Args:
        result: of the evaluation or comparison.
        prepared: its inputs, read and checked.
        prepare: reads and checks them in a database of the user's, which keeps nothing.
        connection: that database.
        options: those that the user gave.
        profile: a named set of options.
        run: the run or runs, or a source.
        others: what else the report is to know, as ``Asked`` has it.
    """

    def write(path: Path) -> None:
        from .report.asking import Asked
        from .report.page import check_page, write_page

        check_page(path)
        source = run if isinstance(run, Source) else None
        choices = resolve_options(options, profile)
        if prepared.asker.database.own:
            write_page(path, Asked(prepared, choices, source, **others))
            return
        with _engine(connection) as engine:
            write_page(path, Asked(prepare(engine), choices, source, **others))

    return replace(result, _report=write)


def _refuse_of_summaries(options: Mapping[str, Any]) -> None:
    """Refuses what is said to a summary, and is no option of a comparison.

    Raises:
        UsageError: there is such an argument.
    """
    if options.get("weight") is not None:
        refuse("breakdown", {"has_weight": True, "is_weighed": False})
    if options.get("rollup", False) is not False:
        refuse("breakdown", {"has_rollup": True, "has_groups": True, "is_summary": False})
    if options.get("min_queries") is not None:
        refuse(
            "breakdown",
            {"min_queries": options["min_queries"], "is_count": True, "has_groups": True, "is_summary": False},
        )


def _designed(run: Any, options: Mapping[str, Any], baseline: str | None, what: str = "compare") -> dict[str, Any]:
    """The options of a comparison: the arms of a source have requests of their own.

    Raises:
        UsageError: a source has no arms, or none of them is said to be the baseline.
    """
    if not isinstance(run, Source):
        return dict(options)
    if run.runs is None and isinstance(run, Rows) and run.label != "events":
        raise UsageError(
            f"{run.label}: {what} needs arms, which events(arm=NAME) has. Two systems are two runs, each of its own"
            f" rows: {what}(run, {{name: other}}, qrels, metrics)."
        )
    said = "arm=" if isinstance(run, Rows) else "columns={'run_id': ...}"
    if run.runs is None:
        raise UsageError(f"{run.label}: {what} needs arms; name the column that tells them apart with {said}.")
    if baseline is None:
        raise UsageError(f"{run.label}: name the arm that the others are compared with by baseline=.")
    return ({"design": "unpaired"} if isinstance(run, Rows) else {}) | dict(options)


def curve(
    run: Any,
    qrels: Any = None,
    metric: str = "",
    *,
    along: str = "k",
    at: Sequence[float] | None = None,
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] = (),
    period: str | None = None,
    timezone: str | None = None,
    weight: str | None = None,
    query_list: Any = None,
    profile: str | None = None,
    input_format: str | None = None,
    **options: Any,
) -> Curve:
    """A metric along one of its parameters, or a curve with points of its own such as ``pr_curve``.

    Args:
        run: one or more runs, as in ``evaluate``, like the arguments that are not named here.
        qrels: judgments.
        metric: a metric string: ``ap`` along ``k``, ``iprec`` along ``recall``, or ``pr_curve``.
        along: the parameter that x is.
        at: its values; by default some cutoffs, or the eleven recall levels.
        weight: a column with a number for each query, as in ``evaluate``: y is then a weighted mean.

    Raises:
        UsageError: an unknown metric, parameter, option or value.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    if isinstance(run, Source):
        qrels, metric = _metrics_second(run, qrels, metric)
    check_arguments(locals())
    choices = resolve_options(_of_source(run, options, profile), profile)
    resolved = _resolve_curve(metric, along, at, choices)
    with _engine(connection) as engine:
        breakdown = _breakdown(by, period=period, timezone=timezone, weight=weight)
        request = Request(resolved, choices, "curve", _map(columns), **breakdown)
        prepared = evaluation.prepare(engine, request, run, qrels, query_list, input_format=input_format)
        typed = resolved[0].label.removesuffix(f" {along}={resolved[0].x}")
        return replace(evaluation.curve(prepared), metric=typed, along=along)


def explain(
    run: Any,
    qrels: Any = None,
    metric: str = "",
    *,
    profile: str,
    against: str = "trec_eval",
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    query_list: Any = None,
    input_format: str | None = None,
    **options: Any,
) -> Explanation:
    """Explains why two profiles give a metric two values: the choices that differ, and what each does alone.

    Args:
        run: one run, as in ``evaluate``, like the arguments that are not named here.
        qrels: judgments.
        metric: one metric string, which both profiles must understand alike.
        profile: the profile to explain.
        against: the profile that it is compared with.
        options: choices that both sides share.

    Raises:
        UsageError: an unknown metric, option, profile or value, or two different metrics.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    if isinstance(run, Source):
        qrels, metric = _metrics_second(run, qrels, metric)
    check_arguments(locals())
    question = Question(metric, profile, against, options)
    with _engine(connection) as engine:
        request = Request(question.metrics, question.choices, columns=_map(columns))
        prepared = evaluation.prepare(engine, request, run, qrels, query_list, input_format=input_format)
        if len(prepared.query.runs) > 1:
            raise UsageError("explain takes one run.")
        return question.answer(evaluation.result(prepared))


def tukey(
    runs: Any,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    query_list: Any = None,
    items: Any = None,
    profile: str | None = None,
    input_format: str | None = None,
    **options: Any,
) -> AllPairs:
    """Compares every pair of systems, all pairs of a metric at once: Tukey's honestly significant difference.

    Systems are paired by query (Tukey 1953; Carterette 2012, TOIS): what a query and a system do not explain of the
    values is the same spread for all pairs, and the greatest of all differences is what chance is asked about, by the
    studentised range. It needs SciPy, and a statement for each system but one. With ``test="randomisation"`` chance is
    what permuting the values of each query over the systems gives (Carterette 2012): no distribution is assumed, and
    p-values are at least 1 / (``resamples`` + 1).

    Args:
        runs: two or more runs, as in ``evaluate``, like the arguments that are not named here.
        qrels: judgments.
        metrics: metric strings.
        options: as in ``evaluate``, and ``confidence_level``; ``test="randomisation"``, whose draws ``resamples`` and
            ``seed`` say: the same seed draws the same.

    Returns:
        A row per metric and pair.

    Raises:
        UsageError: an unknown metric, option or value, fewer than two runs, or SciPy is not installed.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    check_arguments(locals())
    options, draws = draws_of(options)
    named = named_candidates(without_arrays(runs, "run"))
    if len(named) < 2:
        raise UsageError("tukey() compares all pairs of two or more runs; give them as {name: run}.")
    need_scipy("tukey")
    request = _request(metrics, options, profile, columns, level="compare", baseline=next(iter(named)))
    for metric in request.metrics if draws is not None else ():
        refuse("comparison", metric.facts | {"test": "randomisation"})
    with _engine(connection) as engine:
        return of_all_pairs(
            evaluation.prepare(engine, request, named, qrels, query_list, items, input_format=input_format), draws
        )


def sensitivity(
    runs: Any,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    query_list: Any = None,
    items: Any = None,
    profile: str | None = None,
    input_format: str | None = None,
    **options: Any,
) -> Sensitivity:
    """Says how the order of systems moves under what is not known: unjudged items, and the order of equal scores.

    Each metric is computed as asked; as if no, and as if every unjudged item were relevant; and in the worst, the
    expected and the best order of items with equal scores. Orders of systems are compared by Kendall's tau-b (Kendall
    1945, Biometrika), which needs SciPy. Equal values, within rounding, have the same rank.

    Args:
        runs: the runs, as in ``evaluate``, like the arguments that are not named here.
        qrels: judgments.
        metrics: metric strings.
        options: the choices as asked; each scenario takes all but its own from them. ``unjudged=bounds`` says no more
            than nothing.

    Returns:
        The values and ranks of the systems in each scenario, how alike the orders are, and which systems stay above
        which.

    Raises:
        UsageError: an unknown metric, option or value, or SciPy is not installed.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    if isinstance(runs, Source):
        qrels, metrics = _metrics_second(runs, qrels, metrics)
    check_arguments(locals())
    need_scipy("sensitivity")
    asked = _of_lists(_of_source(runs, without_bounds(options), profile), are_judged(runs, qrels))
    request = _request(metrics, asked, profile, columns)
    with _engine(connection) as engine:
        prepared = evaluation.prepare(engine, request, runs, qrels, query_list, items, input_format=input_format)
        return in_scenarios(prepared)


def agreement(
    qrels_a: Any,
    qrels_b: Any,
    runs: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    connection: Any = None,
    columns: Mapping[str, Any] | None = None,
    profile: str | None = None,
    input_format: str | None = None,
    **options: Any,
) -> Agreement:
    """Says how two sets of judgments agree, and whether they put systems in the same order.

    Of the items that both judge it counts, where they are, how many have which grade in the one and in the other; from
    the counts come the observed agreement, Cohen's kappa (Cohen 1960, Educational and Psychological Measurement) and
    the quadratically weighted one (Cohen 1968, Psychological Bulletin). With runs, each is scored by both, and
    Kendall's tau-b compares the orders, which needs SciPy.

    Args:
        qrels_a: judgments, as in ``evaluate``, like the arguments that are not named here.
        qrels_b: others.
        runs: runs to be put in order by both.
        metrics: the metrics of that order.
        columns: names of columns; of both judgments alike.
        options: choices by name; ``rel`` is the lowest grade that counts as relevant.

    Raises:
        UsageError: an unknown metric, option or value, runs without metrics, metrics without runs, or SciPy is not
            installed.
        DataError: an input is missing, malformed or contradicts itself, or no item is judged in both.
        DatabaseError: the database refused a statement.
    """
    check_arguments(locals())
    choices, requests = resolve_options(options, profile), []
    wanted = metrics if isinstance(metrics, str) else list(metrics)
    if runs is not None:
        need_scipy("the order of runs")
        requests.append(_request(wanted, options, profile, columns))
    elif wanted:
        raise UsageError("Metrics are for runs: give those whose order is to be compared.")
    both = [_reread(qrels_a), _reread(qrels_b)]
    with _engine(connection) as engine:
        counts = agreements.counted(engine, both, _map(columns), choices, input_format, alone=runs is None)
    results = []
    for request, qrels in product(requests, both):
        with _engine(connection) as engine:
            prepared = evaluation.prepare(engine, request, _reread(runs), qrels, input_format=input_format)
            results.append(evaluation.result(prepared))
    return agreements.agreement(counts, choices, [metric for one in requests for metric in one.metrics], results)


def _reread(value: Any) -> Any:
    """What can be read more than once: a reader of Arrow's gives its rows once."""
    return value.read_all() if hasattr(value, "read_all") else value


def sql(
    metrics: str | Iterable[str],
    run: str | Mapping[str, str] | Source | None = None,
    qrels: str | None = None,
    *,
    labelled: str | None = None,
    connection: Any = None,
    dialect: str | None = None,
    level: str = "summary",
    baseline: str | None = None,
    columns: Mapping[str, Any] | None = None,
    by: str | Sequence[str] = (),
    rollup: bool | Sequence[str | Sequence[str]] = False,
    min_queries: int | None = None,
    period: str | None = None,
    timezone: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    covariate: str | None = None,
    limits: Mapping[str, float] | None = None,
    all_pairs: bool = False,
    query_list: str | None = None,
    items: str | None = None,
    values: str | None = None,
    k: int | None = None,
    profile: str | None = None,
    along: str = "k",
    at: Sequence[float] | None = None,
    header: bool = True,
    comments: bool = True,
    **options: Any,
) -> str:
    """The text of a statement, which is not run.

    With a connection the columns are looked up. Without one, those that nobody names are assumed: ``query_id``,
    ``item_id``, ``score``, ``relevance``; the statement's header says which.

    Args:
        metrics: metric strings; none for ``movements``.
        run: a table name or query, or several by name; or a source such as ``events()`` or ``labelled()``.
        qrels: a table name or query with the judgments.
        labelled: a table that carries its labels, instead of ``run``; short for that source.
        connection: where the columns are looked up, as in ``evaluate``, like the arguments that are not named here.
        dialect: whose SQL to write; that of the connection where there is one, else by default duckdb's.
        level: ``summary``, ``per_query``, ``compare``, ``compare_per_query`` for both values of each query,
            ``decompose`` for what each group adds to a difference, ``movements`` for items that entered, left or moved
            within the first ``k``, or ``values`` for a row per query and metric, of
            which the others are made; ``sums`` for what adds up over groups, days and queries, as GrowthBook calls it:
            ``users``, the queries with a value, ``main_sum`` and ``main_sum_squares``; ``curve`` or ``curve_per_query``
            for one metric along a parameter, ``points`` for a curve that has points of its own. A statement cannot
            refuse, as ``compare()`` and ``decompose()`` do, where runs have results for no common query: it then
            compares means over queries that one of them did not answer, or has no row with
            ``queries="judged_retrieved"``, which pairs common ones only.
        baseline: for ``compare`` and ``decompose``, the name of the run that the others are compared with; by default
            the first.
        columns: names of columns, as in ``evaluate``; without a connection, name all that are not the default.
        by: columns to break the summary down by, as in ``evaluate``; without a connection, one is taken to be in the
            query list, else in the judgments, unless written ``run.market``.
        rollup: totals in the summary, as in ``evaluate``.
        min_queries: as in ``evaluate``, like ``period`` and ``timezone``.
        weight: as in ``evaluate``; a statement cannot refuse, so there is no mean where a weight is negative. Values
            have a column ``weight``; the sums of a weighted mean, a ratio, are those of values by weights, ``main_sum``
            and ``main_sum_squares``, of weights, ``denominator_sum`` and ``denominator_sum_squares``, and
            ``main_denominator_sum_product``.
        cluster: a column such as the user, found as ``by`` finds columns, for ``sums``: they have a row for each of its
            values in each group and period, of which follow intervals that know that its queries are alike.
        covariate: as in ``compare``, for ``compare``, ``values`` and ``sums``, which have ``covariate_sum``,
            ``covariate_sum_squares`` and ``main_covariate_sum_product``; what is no number in a statement counts as 0.
        limits: for ``compare``, as there.
        all_pairs: for ``compare`` and ``compare_per_query``, whether all pairs of runs are compared, as in
            ``compare_all``, and not all with the baseline.
        query_list: a table name or query with the queries to score.
        items: a table name or query with the catalogue, as in ``evaluate``.
        values: a table, or query, of what statements of level ``values`` gave for the same arguments, to be read
            instead of the run and the judgments. So a table of values can be filled with some queries after the
            others, by a ``run`` and ``qrels`` that are queries with one condition.
        k: for ``movements``, as in ``movements()``: how many items of a list, by default 10; there are no metrics then.
        along: for ``curve``, as in ``curve()``.
        at: for ``curve``, as in ``curve()``.
        header: whether to begin with a comment that names the version, metrics, profile, options, tables and columns,
            and says that the rows are not checked.
        comments: whether there are comments at all: the header, and a line above each stage that says what it is.

    Raises:
        UsageError: something asked for is unknown, or the dialect cannot express it.
        DataError: a table or column is not there.
    """
    check_arguments(locals())
    if labelled is not None and run is not None:
        raise UsageError("run and labelled exclude each other: the table carries the run.")
    if level not in _LEVELS:
        raise UsageError(f"Unknown level {level!r}. {nearest(level, _LEVELS)}")
    if level == MOVEMENTS:
        if metrics:
            raise UsageError(
                "movements are of items, and no metric's; leave the metrics out (in Python: rm.sql((), ...))."
            )
        k = 10 if k is None else k
    elif k is not None:
        raise UsageError("k is for level=movements; the cutoff of a metric is a part of it, as in 'ndcg@10'.")
    _refuse_of_comparisons(level, limits, baseline if all_pairs else None, all_pairs=all_pairs)
    judged = level != MOVEMENTS and (labelled is not None or are_judged(run, qrels))
    designed = _designed(run, options, baseline, level.partition("_")[0]) if level in COMPARISONS else options
    choices = resolve_options(_of_lists(_of_source(run, designed, profile), judged), profile)
    asked = metrics if k is None else evaluation.items_shown(k, choices)
    resolved = _resolve_curve(asked, along, at, choices) if level in CURVES else resolve_metrics(asked, choices)
    if level in CURVES and (level == "points") != (resolved[0].metric.shape == "curve"):
        own = "points" if level != "points" else "curve or curve_per_query"
        raise UsageError(f"Metric {resolved[0].label!r} has no level {level}; take level={own}.")
    breakdown = _breakdown(by, rollup, min_queries, period, timezone, weight, cluster, covariate)
    allowed = _limits(limits, resolved)
    _refuse_sides(choices, run, all_pairs=all_pairs)
    request = Request(
        resolved,
        choices,
        level,
        _map(columns),
        **breakdown,
        baseline=baseline,
        limits=allowed,
        all_pairs=all_pairs,
    )
    if labelled is not None:
        request, run, qrels = replace(request, columns={}), Labelled(labelled, qrels, request.columns), None
    with _engine(connection) if connection is not None else contextlib.nullcontext() as engine:
        written = _dialect(dialect, engine) or CANONICAL
        tables = {"qrels": qrels, "query_list": query_list, "items": items, "values": values}
        with commented(comments):
            text, facts, checks = write(request, run, **tables, dialect=written, database=engine)
    if not (header and comments):
        return text
    kind = f"{level} of all pairs" if all_pairs else level if k is None else f"{level} within {k}"
    what = f"{kind} for {written}, written by rankmetrics sql or rm.sql"
    about = statement_header(resolved if k is None else (), choices, what, facts)
    return about + unchecked(run, tables["qrels"], checks) + text


def estimate(statement: str, *, connection: Any = None) -> Estimate | None:
    """What a database says that a statement would read. The statement is planned there, and not run.

    Args:
        statement: its text, such as ``sql`` gives it in the database's dialect.
        connection: as in ``evaluate``.

    Returns:
        The rows and bytes to be read, None where the database does not say, and its own words; None where it says
        nothing at all.

    Raises:
        UsageError: there is no connection, or nothing is known of it, or the statement is not one query.
        DatabaseError: the database refused the statement.
    """
    check_arguments(locals())
    if connection is None:
        raise UsageError("An estimate is the database's; give it with connection=.")
    with _engine(connection) as engine:
        return engine.estimate(statement)


def install(
    metrics: str | Iterable[str] = (),
    *,
    dialect: str | None = None,
    connection: Any = None,
    schema: str | None = None,
    remove: bool = False,
    columns: Mapping[str, Any] | None = None,
    profile: str | None = None,
    comments: bool = True,
    **options: Any,
) -> str:
    """Functions such as ``rankmetrics_ndcg('runs', 'qrels', 10)`` inside a database, for those who have SQL only.

    A function gives a row per query; its cutoff is a parameter unless the metric string fixes it. All other choices are
    fixed here. The script's header says how the functions are called.

    Args:
        metrics: metric strings; by default every metric that can be a function there.
        dialect: whose SQL to write; not needed with a connection.
        connection: where to create them, as in ``evaluate``, a URL then being opened for writing; by default nothing is
            created.
        schema: where in the database they are to be.
        remove: whether to remove them instead.
        columns: names of columns, as in ``evaluate``; nothing is looked up, so name all that are not the default.
        profile: a named set of options.
        comments: whether a line above each stage says what it is; the header stands whatever is said.
        options: choices by name.

    Returns:
        The script, which has run if there is a connection, and all of it where CREATE is transactional.

    Raises:
        UsageError: something asked for is unknown, or cannot be a function.
        DatabaseError: the database refused a statement.
    """
    check_arguments(locals())
    wanted = [metrics] if isinstance(metrics, str) else list(metrics)
    choices = resolve_options(options, profile)
    with _engine(connection) if connection is not None else contextlib.nullcontext() as engine:
        written = _dialect(dialect, engine)
        if written is None:
            raise UsageError("Whose functions? Name a dialect, such as postgres, or give a database.")
        with commented(comments):
            script = Installation(written, choices, _map(columns), schema).script(wanted, remove=remove)
        if engine is not None:
            engine.change(script.statements)
    return script.text


def connect(
    place: Any = None,
    *,
    dialect: str | None = None,
    materialize: str | None = None,
    timeout: float | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> Database:
    """Where evaluations run, with all that is said of the place once.

    Args:
        place: a DuckDB, SQLAlchemy, DB-API or ADBC connection, a Spark session, a ClickHouse client, an ibis backend; a
            URL such as ``"postgresql://host/db"`` or a DuckDB file, opened for reading unless ``materialize`` is given;
            by default a new DuckDB in memory. Of a DuckDB connection a cursor is used, unless it has something that a
            cursor does not see: something temporary, settings, or an open transaction, which a statement that fails
            while it runs then aborts.
        dialect: whose SQL it speaks, where that cannot be recognised, such as ``"redshift"``.
        materialize: a schema of the warehouse in which files and Python objects are stored for an evaluation, and SQL
            text is run once; ``"temp"`` for temporary tables. Without it nothing is written there.
        timeout: the seconds that a statement may take.
        threads: how many threads our own DuckDB may use.
        memory_limit: how much memory our own DuckDB may use, such as ``"4GB"``.

    Raises:
        UsageError: the arguments contradict each other, or nothing is known of such a connection.
        DataError: there is no such file.
        DatabaseError: the database cannot be reached.
    """
    check_arguments(locals())
    settings = {"dialect": dialect, "materialize": materialize, "timeout": timeout}
    return Database(place, **settings, threads=threads, memory_limit=memory_limit)


def propensities(
    rows: Any,
    query: str | Sequence[str],
    *,
    method: str = "adjacent_chain",
    item: str = "item_id",
    position: str = "position",
    relevance: str = "relevance",
    rel: float = 1,
    connection: Any = None,
) -> dict[int, float]:
    """How likely people look at each position, that of the first being 1, as ``events(propensity=...)`` takes it.

    Where the same item was shown for the same query at several positions, what differs is the position.

    Args:
        rows: a log, such as ``events()`` gives, or a labelled table: a row for each item that a request was shown.
        query: what was asked for: a column of the impressions, or a list of columns; no request, which shows an item
            once.
        method: ``adjacent_chain``: each position against the one above; ``pivot_one``: each against the first;
            ``all_pairs``: all pairs of positions by their likelihood, which needs SciPy.
        item: the column with the item, of a labelled table; a log says its own, like the next two.
        position: the column with the position.
        relevance: the column with the grade.
        rel: the lowest grade that is a click.
        connection: as in ``evaluate``.

    Returns:
        The positions of which something can be said. Few clicks can give one above 1, which nothing takes.

    Raises:
        UsageError: the method is unknown, or needs what is not installed.
        DataError: a column is missing.
    """
    columns = {"query": query, "item": item, "position": position, "relevance": relevance}
    with _engine(connection) as engine:
        return impressions.propensities(engine, rows, method, columns, rel)


def coec(
    rows: Any,
    by: str | Sequence[str] = "item_id",
    *,
    position: str = "position",
    relevance: str = "relevance",
    rel: float = 1,
    connection: Any = None,
) -> Table:
    """Clicks over expected clicks of each item, or of what else: 1 is as often clicked as others at its positions.

    Args:
        rows: as in ``propensities``.
        by: the item, the query, or other columns of the impressions.
        position: as in ``propensities``, like the other arguments.
        relevance: the column with the grade.
        rel: the lowest grade that is a click.
        connection: as in ``evaluate``.

    Raises:
        DataError: a column is missing.
    """
    columns = {"by": by, "position": position, "relevance": relevance}
    with _engine(connection) as engine:
        return impressions.coec(engine, rows, columns, rel)


def team_draft(
    rows: Any,
    teams: Sequence[str],
    *,
    request: str | Sequence[str] = "request_id",
    user: str | None = None,
    team: str = "team",
    clicked: str = "clicked",
    connection: Any = None,
) -> Table:
    """Who won each request of an interleaving by team draft, or the requests of each user.

    Args:
        rows: a table, file, SQL text or data frame with a row for each item of a request.
        teams: the names of the two teams.
        request: what names a request: a column, or a list of columns.
        user: the column with the user, for a row per user: the requests that each team won, and who won more.
        team: the column with the team that the item came from.
        clicked: the column that is 1 or more where the item was clicked.
        connection: as in ``evaluate``.

    Returns:
        ``credit_1``, ``credit_2``, clicked items or requests won, and ``preference``: 1 for the first team, -1 for the
        second, 0 for neither.

    Raises:
        UsageError: there are not two teams.
        DataError: a column is missing, or no item came from a team and some came from others than the two.
    """
    columns = {"request": request, "user": user, "team": team, "clicked": clicked}
    with _engine(connection) as engine:
        return impressions.team_draft(engine, rows, teams, columns)


def team_draft_preference(
    rows: Any,
    teams: Sequence[str],
    *,
    request: str | Sequence[str] = "request_id",
    user: str | None = None,
    team: str = "team",
    clicked: str = "clicked",
    confidence_level: float = 0.95,
    connection: Any = None,
) -> Table:
    """Which team of an interleaving by team draft is preferred, and whether that is more than chance.

    A request counts 1 where the first team won it, -1 where the second did, 0 where neither; a user has the mean of the
    user's requests. The preference is the mean over users, who are what was drawn: requests of one user are alike
    (Chapelle, Joachims, Radlinski & Yue 2012, TOIS).

    Args:
        rows: as in ``team_draft``, like the arguments that are not named here.
        teams: the names of the two teams.
        user: the column with the user; without it each request is one.
        confidence_level: how often the interval holds the true preference.

    Returns:
        One row: ``preference``, from -1 to 1, above 0 for the first team; ``standard_error``, ``ci_lower`` and
        ``ci_upper`` by Student's t; ``statistic`` and ``pvalue`` of the test that it is 0; ``n_users``, ``n_requests``;
        ``wins``, ``ties`` and ``losses``, the users whose mean is above, at and below 0. What a single user leaves
        undefined is None; so are interval and test where all users have the same preference and it is not 0, which a
        warning says.

    Raises:
        UsageError: there are not two teams, or no such confidence level.
        DataError: a column is missing, no row has a request and a user, or no item came from a team and some came from
            others than the two.
    """
    check_arguments(locals())
    columns = {"request": request, "user": user, "team": team, "clicked": clicked}
    with _engine(connection) as engine:
        return impressions.team_draft_preference(engine, rows, teams, columns, confidence_level)


def _method(function: Callable[P, T]) -> Callable[Concatenate[Any, P], T]:
    """The function as a method of a database, which is its connection."""

    def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if "connection" in kwargs:
            raise UsageError(f"{function.__name__}: the database is the connection; there can be no other.")
        return function(*args, **kwargs, connection=self)

    functools.update_wrapper(method, function)
    signature = inspect.signature(function)
    own = [parameter for name, parameter in signature.parameters.items() if name != "connection"]
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    method.__signature__ = signature.replace(parameters=[first, *own])  # type: ignore[attr-defined]
    return method


class Database:
    """A place where evaluations run: see ``connect``. Its methods are the functions of that name, without a connection.

    It can be used again and again, and stands in a ``with`` block where what was opened is to be given back.
    """

    evaluate = _method(evaluate)
    labelled = _method(labelled)
    compare = _method(compare)
    compare_all = _method(compare_all)
    decompose = _method(decompose)
    movements = _method(movements)
    curve = _method(curve)
    explain = _method(explain)
    tukey = _method(tukey)
    sensitivity = _method(sensitivity)
    agreement = _method(agreement)
    sql = _method(sql)
    estimate = _method(estimate)
    install = _method(install)
    propensities = _method(propensities)
    coec = _method(coec)
    team_draft = _method(team_draft)
    team_draft_preference = _method(team_draft_preference)

    def __init__(self, place: Any = None, **settings: Any) -> None:
        """See ``connect``."""
        self._settings = settings
        self._held: Engine | None = databases.connect(place, **settings)
        self._is_ours = place is None

    @property
    def _engine(self) -> Engine:
        """The place; another DuckDB of our own where an evaluation took the last one along."""
        self._held = self._held or databases.connect(**self._settings)
        return self._held

    @property
    def dialect(self) -> str:
        """Whose SQL it speaks."""
        return self._engine.dialect.name

    def close(self) -> None:
        """Gives back what was opened, never a connection of yours."""
        if self._held is not None:
            self._held.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Database({str(self._engine)[1:-1]})"

    def _visited(self) -> Engine:
        """What runs the next evaluation: our own DuckDB holds what that loads, so each has one of its own."""
        engine = self._engine
        if self._is_ours:
            self._held = None
        return engine


@contextlib.contextmanager
def _engine(connection: Any) -> Iterator[Engine]:
    """What runs an evaluation; what is no database yet is one for this time."""
    if isinstance(connection, Database):
        with connection._visited() as engine:
            yield engine
        return
    with contextlib.closing(databases.connect(connection)) as opened, opened as engine:
        yield engine


def metrics() -> dict[str, dict[str, Any]]:
    """Every metric by name: title, group (what it is for), summary, aliases, parameters, source, range and examples."""
    found = {}
    for name, metric in catalogue.metrics().items():
        params = {
            param.name: {
                "type": param.type,
                "default": param.default,
                "required": param.required,
                "values": list(param.values),
                "help": param.help,
            }
            for param in metric.params.values()
        }
        found[name] = {
            "title": metric.title,
            "group": metric.group,
            "summary": metric.summary,
            "aliases": [*metric.aliases, *metric.spellings],
            "params": params,
            "source": metric.source,
            "range": None if metric.range is None else list(metric.range),
            "better": metric.better,
            "aggregate": metric.aggregate,
            "examples": [dict(example) for example in metric.examples],
        }
    return Catalogue(found)


def options() -> dict[str, dict[str, Any]]:
    """Every option by name: group (what it is for), default, values and help."""
    found = {
        name: {
            "group": option.group,
            "default": option.default,
            "values": list(option.values),
            "help": option.help,
        }
        for name, option in catalogue.options().items()
    }
    return Catalogue(found)


def profiles() -> dict[str, dict[str, Any]]:
    """Every profile by name: title, source, note and options."""
    return Catalogue({name: asdict(profile) for name, profile in catalogue.profiles().items()})


def _request(
    metrics: str | Iterable[str],
    options: Mapping[str, Any],
    profile: str | None,
    columns: Mapping[str, Any] | None,
    **others: Any,
) -> Request:
    choices = resolve_options(options, profile)
    return Request(resolve_metrics(metrics, choices), choices, columns=_map(columns), **others)


def _of_source(run: Any, options: Mapping[str, Any], profile: str | None) -> dict[str, Any]:
    """The options, with what a source has for defaults; the tool of a profile knows lists only, and numbers them."""
    return {**(run.options if isinstance(run, Rows) and profile is None else {}), **options}


def _of_lists(options: Mapping[str, Any], judged: bool) -> Mapping[str, Any]:
    """The options, where without judgments every list is one that counts."""
    return options if judged else {"queries": "retrieved", **options}


def _breakdown(
    by: str | Sequence[str],
    rollup: bool | Sequence[str | Sequence[str]] = False,
    min_queries: int | None = None,
    period: str | None = None,
    timezone: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    covariate: str | None = None,
) -> dict[str, Any]:
    """What a request says of groups."""
    check_zone(timezone)
    groups = {"by": as_list("by", by), "rollup": as_sets("rollup", rollup), "min_queries": min_queries}
    of_queries = {"weight": weight, "cluster": cluster, "covariate": covariate}
    return groups | {"period": period, "timezone": timezone, **of_queries}


def _map(columns: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if columns is not None and not isinstance(columns, Mapping):
        raise UsageError(
            "columns maps meanings to column names or SQL over the row, as {'item_id': 'doc_id'}; not"
            f" {shortened(columns)}."
        )
    return columns or {}


def _resolve_curve(
    metrics: str | Iterable[str], along: str, at: Sequence[float] | None, choices: Choices
) -> list[ResolvedMetric]:
    texts = [metrics] if isinstance(metrics, str) else list(metrics)
    if len(texts) != 1:
        raise UsageError("A curve is of one metric.")
    if (at is not None and not isinstance(at, Iterable)) or isinstance(at, str) or getattr(at, "shape", None) == ():
        raise UsageError(f"at is a list of numbers, not {shortened(at)}.")
    return resolve_curve(texts[0], along, _ALONG.get(along, ()) if at is None else list(at), choices)


def _dialect(named: str | None, engine: Engine | None) -> Dialect | None:
    """The dialect to write: the database's, where there is one, else the one that is named."""
    found = check_dialect(named) if named is not None else None
    if engine is None:
        return found
    if found not in (None, engine.dialect):
        raise UsageError(f"dialect={found}: columns are looked up in a database that speaks {engine.dialect}.")
    return engine.dialect


def _either(name: str, value: Any, other_name: str, options: dict[str, Any]) -> Any:
    """An argument under either of its names."""
    other = options.pop(other_name, None)
    if value is not None and other is not None:
        raise UsageError(f"{name} and {other_name} are two names of one thing; give one of them.")
    return other if value is None else value
