"""Warnings about the rows of a result, and refusals of results without any."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence

from ..checks.overlap import find_strangers, warn_of_alike, warn_of_overlaps
from ..checks.ratios import group_name
from ..databases.answers import Row
from ..definitions.resolution import ResolvedMetric
from ..dialects.names import unquoted
from ..errors import DataError, RankmetricsWarning
from ..statements.query import Query
from .lacking import SHARED_POSITIONS, without_values
from .prepare import Evaluation
from .running import refuse_empty

# Under so many clusters errors are rough, and above such a share of queries, or of weights, one of them makes them so.
_FEW_CLUSTERS, _LARGE_CLUSTER = 20, 0.2

_SHOWN_GROUPS = 3  # in a message

# A mean up to this is looked at: perhaps most ids do not match.
_HARDLY_ANY = 0.005

_PACKAGE = __name__.partition(".")[0]


def warn(messages: list[str]) -> list[str]:
    """Warns where the user called us, however many functions of ours are between."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and (frame.f_globals.get("__package__") or "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    for message in messages:
        warnings.warn(message, RankmetricsWarning, stacklevel=level)
    return messages


def better_of(metrics: Sequence[ResolvedMetric]) -> dict[str, str]:
    """Which values of each metric are better, by its label: ``higher`` or ``lower``."""
    return {metric.label: metric.better for metric in metrics}


def counts_of(metrics: Sequence[ResolvedMetric]) -> frozenset[str]:
    """The labels of those whose values are counts: their headers say that they are added up."""
    return frozenset(metric.label for metric in metrics if metric.aggregate == metric.known["aggregate"] == "sum")


def units_of(evaluation: Evaluation) -> str:
    """Return the noun of what is counted."""
    return "queries" if evaluation.reads.cluster is None else f"values of {evaluation.reads.cluster}"


def unweighted(columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Queries that have no weight."""
    found = counted("n_unweighted", columns, rows)
    some = {label: "1 query has" if count == 1 else f"{count:,} queries have" for label, count in found.items()}
    return [f"{label}{who} no weight, so the means leave them out." for label, who in some.items()]


def counted(name: str, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, int]:
    """From the summary, how many faults there are of each run that has some."""
    return {label: count for label, count in of_runs(name, columns, rows).items() if count}


def of_runs(name: str, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, int]:
    """From the summary, whose rows count the queries of their run, group and metric, how many there are of each run.

    Some rankings may see more, and each set of groups sees all of them.
    """
    if name not in columns:
        return {}
    by_run: dict[str, Counter[str]] = {}
    for row in rows:
        named = dict(zip(columns, row, strict=True))
        run = next((f"{named[key]}: " for key in ("run_id", "run") if key in named), "")
        metric = named["metric"] if "metric" in named else named["x"]
        by_run.setdefault(run, Counter())[f"{metric} {named.get('breakdown')}"] += named[name] or 0
    return {label: max(by_metric.values()) for label, by_metric in by_run.items()}


def check_scored(
    evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row], names: Sequence[str | None]
) -> list[str]:
    """Refuses a result without a number, or without one for one of the runs; warns of what may be why."""
    is_given = evaluation.query.options["position"] == "given"  # two items at one position are to be refused
    counts = ("n_queries",) if is_given else ("n_queries", "n_left_out")
    places = [columns.index(name) for name in counts if name in columns]
    return refuse_unscored(evaluation, [row for row in rows if any(row[place] for place in places)], names)


def refuse_unscored(evaluation: Evaluation, scored: Sequence[Row], names: Sequence[str | None]) -> list[str]:
    """The same of rows that all have a query with a value."""
    query = evaluation.query
    found = [] if scored else overlaps(evaluation)
    lacking = [name for name in names if name is not None and all(row[0] != name for row in scored)]
    if (not scored or lacking) and (said := without_values(evaluation, names=lacking if scored else ())):
        raise DataError("\n".join(said))
    skipping = " Some metrics skip queries." if any(metric.skips for metric in query.metrics) else ""
    listed = " and the query list" if query.query_list else ""
    few = f" Or every group has fewer than min_queries={query.min_queries} queries." if query.min_queries else ""
    if query.options["position"] == "given":
        skipping += SHARED_POSITIONS
    reason = f"no query is left to score with queries={query.options['queries']}{listed}.{skipping}{few}"
    refuse_empty(scored, names, reason)
    return found


def overlaps(evaluation: Evaluation) -> list[str]:
    """What the checks before the evaluation have said already, unless they were declined."""
    looked_at = evaluation.query.options["check"] in ("auto", "full")
    return [] if looked_at else list(warn_of_overlaps(evaluation.asker))


def look_for_strangers(
    evaluation: Evaluation, values: Sequence[tuple[str | None, str, float | None]]
) -> tuple[list[str], list[str]]:
    """Warnings where item ids do not match, or hardly, and the runs that retrieved no judged item.

    Args:
        evaluation: what was asked for.
        values: each with the name of its run and its metric.
    """
    suspects = [*_runs_below(evaluation, values, 0), *_runs_that_show_nothing(evaluation, values)]
    strangers = find_strangers(evaluation.asker, list(dict.fromkeys(suspects)))
    found = [stranger.warning for stranger in strangers]
    hardly = set(_runs_below(evaluation, values, _HARDLY_ANY)) - {stranger.run for stranger in strangers}
    if evaluation.query.options["check"] in ("auto", "full"):
        found += warn_of_alike(evaluation.asker, hardly)
    return found, [stranger.run or "run" for stranger in strangers if stranger.is_judged]


def _runs_below(
    evaluation: Evaluation, values: Sequence[tuple[str | None, str, float | None]], limit: float
) -> list[str | None]:
    """The runs of which a metric, where more is better, is at most a limit in all groups: perhaps no id matches."""
    telling = {label for label, better in better_of(evaluation.request.metrics).items() if better == "higher"}
    has_more: dict[tuple[str | None, str], bool] = {}
    for run, metric, value in values:
        has_more[run, metric] = has_more.get((run, metric), False) or (value or 0) > limit
    return [*dict.fromkeys(run for (run, metric), more in has_more.items() if metric in telling and not more)]


def _runs_that_show_nothing(
    evaluation: Evaluation, values: Sequence[tuple[str | None, str, float | None]]
) -> list[str | None]:
    """The runs without a value that only a judged item can give: more is worse, or unjudged items have a grade, too."""
    reading = [one for one in evaluation.request.metrics if one.reads_judgments]
    telling = {
        one.label
        for one in reading
        if one.ranking["unjudged"] in ("nonrelevant", "drop") and (one.better == "higher" or "score" in one.needs)
    }
    shown: dict[str | None, bool] = {}
    for run, metric, value in values:
        shown[run] = shown.get(run, False) or (metric in telling and bool(value))
    return [run for run, shows in shown.items() if not shows] if reading else []


def metrics_without_rows(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """A warning for each metric that a comparison has no row for, with the reason."""
    found = {row[columns.index("metric")] for row in rows}
    lacking = [metric.label for metric in evaluation.request.metrics if metric.label not in found]
    said = without_values(evaluation, lacking) if lacking else {}
    yield from said
    explained = {label for labels in said.values() for label in labels}
    yield from (f"{label}: no query has a value in both runs." for label in lacking if label not in explained)


def groups_without_rows(
    query: Query, groups: Sequence[str], columns: Sequence[str], rows: Sequence[Row]
) -> Iterator[str]:
    """The groups in which an arm has nothing to compare, so that no row is about them.

    Args:
        query: of the comparison.
        groups: all of them, as ``group_name`` has them.
        columns: of the comparison.
        rows: of the comparison.
    """
    if not groups:
        return
    labels = [group.label for group in query.groups][: len(query.groups) - query.has_cluster]
    there: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        named = dict(zip(columns, row, strict=True))
        name = group_name(labels, [named[unquoted(label)] for label in labels])
        there.setdefault((named["run"], named["baseline_run"]), set()).add(name)
    for (candidate, baseline), found in there.items():
        if lacking := [name for name in groups if name not in found]:
            n_others = len(lacking) - _SHOWN_GROUPS
            shown = "; ".join(lacking[:_SHOWN_GROUPS]) + (f" and {n_others:,} more" if n_others > 0 else "")
            yield (
                f"{len(lacking):,} of {len(groups):,} groups {'has' if len(lacking) == 1 else 'have'} no row, because"
                f" {candidate} or {baseline} has no query with a value there: {shown}."
            )


def rough_clusters(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Errors of few clusters, or of clusters, or weighted queries, of which one has much of the whole."""
    column, options = evaluation.reads.cluster, evaluation.query.options
    if "largest_weight_share" in columns:
        yield from _rough_weights([row[columns.index("largest_weight_share")] for row in rows])
    if column is None or not rows:
        return
    numbers, shares = (
        [row[columns.index(name)] for row in rows if row[columns.index(name)] is not None]
        for name in ("n_clusters", "largest_cluster_share")
    )
    drawn = next((name for name in ("test", "interval") if options[name] == "bootstrap"), None)
    if few := [number for number in numbers if 1 < number < _FEW_CLUSTERS]:
        where = "" if len(rows) == 1 else f" in {len(few):,} of {len(rows):,} rows"
        advice = (
            f"{drawn}=t corrects for the small number"
            if drawn is not None
            else f"More values of {column} help, but more queries of the same values do not"
        )
        yield (
            f"Only {min(few):,} values of {column}{where}, so standard error, intervals and p-values are"
            f" rough. {advice}."
        )
    if large := [share for share in shares if _LARGE_CLUSTER < share < 1]:
        where = "" if len(rows) == 1 else f" in {len(large):,} of {len(rows):,} rows"
        yield (
            f"One value of {column} has {max(large):.0%} of the queries{where}, so it dominates the result,"
            f" and the standard error is rough. by={column} without cluster= shows which value it is."
        )


def _rough_weights(shares: Sequence[float | None]) -> Iterator[str]:
    """Errors of weights of which one query has much."""
    large = [share for share in shares if share is not None and share > _LARGE_CLUSTER]
    if large:
        where = "" if len(shares) == 1 else f" in {len(large):,} of {len(shares):,} rows"
        yield (
            f"One query has {max(large):.0%} of the weights{where}, so it dominates the result, and the standard error"
            " is rough. Look at the result without weight=, too."
        )
