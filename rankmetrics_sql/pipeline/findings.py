"""Warnings and errors after a statement ran: missing values, ids that do not match, few judgments, heavy tails."""

from __future__ import annotations

import math
import sys
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..checks import sizes
from ..checks.inspector import counting
from ..checks.overlap import find_runs_without_overlap, warn_of_alike, warn_of_overlaps
from ..checks.ratios import group_name
from ..checks.rows import judges_irrelevant
from ..definitions.known import known_metrics
from ..definitions.resolution import ResolvedMetric, resolve
from ..dialects.names import unquoted
from ..errors import DataError, RankmetricsWarning, advise
from ..plan import Plan
from ..rows import Row
from .execute import Evaluation, refuse_empty

# Options that may leave a query without a value, and what they take it to lack.
_OF_QUERIES = {"no_relevant": "item with a grade of at least {rel}", "zero_ideal": "item with a gain"}

# What else may leave queries of a log without a value.
SHARED_POSITIONS = " Rankings with two items at one position have no value. position=dense numbers the items."

_SHOWN = 3  # metrics that a message names


class Summed(NamedTuple):
    """The value of a metric for a run, and its number of queries."""

    value: float | None
    n_queries: int


Summary = Mapping[tuple[str | None, str], Summed]


def without_values(
    evaluation: Evaluation, labels: Collection[str] | None = None, names: Collection[str | None] = ()
) -> dict[str, list[str]]:
    """Return the metrics without a value by a sentence that says why, of the given labels and runs or of all."""
    asked_metrics = [metric for metric in evaluation.plan.metrics if labels is None or metric.label in labels]
    facts = [_fact(evaluation, _counting("n_retrieved"))]
    if any(metric.reads_judgments for metric in asked_metrics):
        facts += [_fact(evaluation, _relevant(rel)) for rel in dict.fromkeys(map(_rel_of, asked_metrics))]
    summaries, counts = (_summary(evaluation, metrics) for metrics in (asked_metrics, facts))
    runs = [run for run, label in counts if label == facts[0].label and counts[run, label].n_queries]
    runs = [run for run in runs if run in names] if names else runs
    alike: dict[tuple[str, tuple[str | None, ...]], list[str]] = {}
    for metric in asked_metrics:
        reasons: dict[str, list[str | None]] = {}
        for run in runs:
            summed = summaries.get((run, metric.label))
            if summed is None or summed.value is None:
                reasons.setdefault(_reason(evaluation, metric, run, counts), []).append(run)
        for reason, lacking in reasons.items():
            alike.setdefault((reason, tuple(lacking)), []).append(metric.label)
    return {_said(names, lacking, reason): names for (reason, lacking), names in alike.items()}


def _said(names: Sequence[str], runs: Sequence[str | None], reason: str) -> str:
    """Return the sentence about metrics without a value in some runs."""
    more = f" and {len(names) - _SHOWN:,} more metrics" if len(names) > _SHOWN else ""
    where = "" if None in runs else f" in {' and '.join(map(str, runs))}"
    return f"{', '.join(names[:_SHOWN])}{more} {'have' if names[1:] else 'has'} no value{where}: {reason}"


def _reason(evaluation: Evaluation, metric: ResolvedMetric, run: str | None, counts: Summary) -> str:
    n_queries, rel = counts[run, _counting("n_retrieved")].n_queries, _rel_of(metric)
    none_has = "its only query has no" if n_queries == 1 else f"none of {n_queries:,} queries has an"
    relevant = counts.get((run, _relevant(rel)))
    option = next((name for name in _OF_QUERIES if metric.params.get(name) in ("null", "skip")), None)
    if option is not None and relevant is not None and not relevant.value:
        is_its_own = metric.params[option] != evaluation.request.choices.options.get(option)
        how = f"Write {option}=0 in the metric" if is_its_own else f"Pass {advise('option', option, 0)}"
        does = "leaves such queries out" if metric.params[option] == "skip" else "gives such queries no value"
        what = _OF_QUERIES[option].format(rel=rel)
        return f"{none_has} {what}, and {option}={metric.params[option]} {does}. {how} to count each as 0."
    shared = SHARED_POSITIONS if evaluation.plan.options["position"] == "given" else ""
    return f"it is NULL for {'its only query' if n_queries == 1 else f'each of {n_queries:,} queries'}.{shared}"


def _rel_of(metric: ResolvedMetric) -> object:
    return metric.params.get("rel", 1)


def _relevant(rel: object) -> str:
    return f"{_counting('n_relevant')}(rel={rel})"


def _counting(need: str) -> str:
    """Return the name of the metric that adds a shared column up over the queries."""
    return next(
        name for name, metric in known_metrics().items() if metric["aggregate"] == "sum" and metric["needs"] == [need]
    )


def _fact(evaluation: Evaluation, text: str) -> ResolvedMetric:
    return resolve(text, evaluation.request.choices)


def _summary(evaluation: Evaluation, metrics: Sequence[ResolvedMetric]) -> Summary:
    """Return the values of metrics by run, over all queries, without groups and limits."""
    plain = replace(
        evaluation.plan,
        metrics=metrics,
        groups=(),
        rollup=False,
        min_queries=None,
        group_order=None,
        has_cluster=False,
        has_strata=False,
        all_pairs=False,
        limits=None,
        stored_values=None,
        check="none",
    )
    columns, rows = replace(evaluation, plan=plain).run_raw(plain.text("summary"))
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    return {(row.get("run_id"), row["metric"]): Summed(row["value"], row["n_queries"]) for row in records}


# Under so many clusters errors are rough, and above such a share of queries, or of weights, one of them makes them so.
_FEW_CLUSTERS, _LARGE_CLUSTER = 20, 0.2

_SHOWN_GROUPS = 3  # in a message

# A mean up to this is looked at: perhaps most ids do not match.
_HARDLY_ANY = 0.005

_PACKAGE = __name__.partition(".")[0]


def warn(messages: list[str]) -> list[str]:
    """Warn at the line of the user's code that called the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and (frame.f_globals.get("__package__") or "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    for message in messages:
        warnings.warn(message, RankmetricsWarning, stacklevel=level)
    return messages


def better_of(metrics: Sequence[ResolvedMetric]) -> dict[str, str]:
    """Return whether ``higher`` or ``lower`` values are better, by the label of the metric."""
    return {metric.label: metric.better for metric in metrics}


def counts_of(metrics: Sequence[ResolvedMetric]) -> frozenset[str]:
    """Return the labels of the metrics whose values are counts, which are added up."""
    return frozenset(metric.label for metric in metrics if metric.aggregate == metric.known["aggregate"] == "sum")


def units_of(evaluation: Evaluation) -> str:
    """Return the noun of what is counted."""
    return "queries" if evaluation.plan.spec.cluster is None else f"values of {evaluation.plan.spec.cluster}"


def unweighted(columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Warn of queries without a weight."""
    counts = counts_by_run("n_unweighted", columns, rows)
    some = {label: "1 query has" if count == 1 else f"{count:,} queries have" for label, count in counts.items()}
    return [f"{label}{who} no weight, so the means leave them out." for label, who in some.items()]


def counts_by_run(name: str, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, int]:
    """Return the number of faults of each run that has some."""
    return {label: count for label, count in of_runs(name, columns, rows).items() if count}


def of_runs(name: str, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, int]:
    """From the summary, whose rows count the queries of their run, group and metric, how many there are of each run.

    Some rankings may see more, and each set of groups sees all of them.
    """
    if name not in columns:
        return {}
    by_run: dict[str, Counter[str]] = {}
    for row in rows:
        record = dict(zip(columns, row, strict=True))
        run = next((f"{record[key]}: " for key in ("run_id", "run") if key in record), "")
        metric = record["metric"] if "metric" in record else record["x"]
        by_run.setdefault(run, Counter())[f"{metric} {record.get('breakdown')}"] += record[name] or 0
    return {label: max(by_metric.values()) for label, by_metric in by_run.items()}


def check_scored(
    evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row], names: Sequence[str | None]
) -> list[str]:
    """Raise if a result, or one of its runs, has no number; return warnings about why."""
    is_given = evaluation.plan.options["position"] == "given"  # two items at one position are to be refused
    counts = ("n_queries",) if is_given else ("n_queries", "n_left_out")
    places = [columns.index(name) for name in counts if name in columns]
    scored = [row for row in rows if any(row[place] for place in places)]
    return refuse_unscored(evaluation, scored, _expected(evaluation, scored, names))


def _expected(evaluation: Evaluation, scored: Sequence[Row], names: Sequence[str | None]) -> Sequence[str | None]:
    """Return the runs that must have a value among the rows: those with queries in other groups alone need none."""
    if evaluation.plan.group_order is None or all(
        name is None or any(row[0] == name for row in scored) for name in names
    ):
        return names
    summary = _summary(evaluation, evaluation.request.metrics)
    elsewhere = {run for (run, _), summed in summary.items() if summed.n_queries}
    return [name for name in names if name not in elsewhere]


def refuse_unscored(evaluation: Evaluation, scored: Sequence[Row], names: Sequence[str | None]) -> list[str]:
    """Raise if there is no row, or none of a named run, among the rows that have a query with a value."""
    plan = evaluation.plan
    unmatched = [] if scored else overlaps(evaluation)
    unscored = [name for name in names if name is not None and all(row[0] != name for row in scored)]
    if (not scored or unscored) and (reasons := without_values(evaluation, names=unscored if scored else ())):
        raise DataError("\n".join(reasons))
    skipping = " Some metrics skip queries." if any(metric.skips for metric in plan.metrics) else ""
    query_list_text = " and the query list" if plan.query_list else ""
    few = f" Or every group has fewer than min_queries={plan.min_queries} queries." if plan.min_queries else ""
    if plan.options["position"] == "given":
        skipping += SHARED_POSITIONS
    reason = f"no query is left to score with queries={plan.options['queries']}{query_list_text}.{skipping}{few}"
    refuse_empty(scored, names, reason)
    return unmatched


def overlaps(evaluation: Evaluation) -> list[str]:
    """Warn of queries that only one side has, unless the checks before the evaluation did."""
    looked_at = evaluation.plan.options["check"] in ("auto", "full")
    return [] if looked_at else list(warn_of_overlaps(evaluation.inspector))


def warn_of_runs_without_overlap(
    evaluation: Evaluation, values: Sequence[tuple[str | None, str, float | None]]
) -> tuple[list[str], list[str]]:
    """Return warnings if few or no item ids match, and the runs that retrieved no judged item."""
    suspects = [*_runs_below(evaluation, values, 0), *_runs_that_show_nothing(evaluation, values)]
    without_overlap = find_runs_without_overlap(evaluation.inspector, list(dict.fromkeys(suspects)))
    notes = [one.warning for one in without_overlap]
    hardly = set(_runs_below(evaluation, values, _HARDLY_ANY)) - {one.run for one in without_overlap}
    if evaluation.plan.options["check"] in ("auto", "full"):
        notes += warn_of_alike(evaluation.inspector, hardly)
    return notes, [one.run or "run" for one in without_overlap if one.is_judged]


def _runs_below(
    evaluation: Evaluation, values: Sequence[tuple[str | None, str, float | None]], limit: float
) -> list[str | None]:
    """Return the runs whose values of a metric, where more is better, are at most a limit in all groups."""
    telling = {label for label, better in better_of(evaluation.request.metrics).items() if better == "higher"}
    has_more: dict[tuple[str | None, str], bool] = {}
    for run, metric, value in values:
        has_more[run, metric] = has_more.get((run, metric), False) or (value or 0) > limit
    return [*dict.fromkeys(run for (run, metric), more in has_more.items() if metric in telling and not more)]


def _runs_that_show_nothing(
    evaluation: Evaluation, values: Sequence[tuple[str | None, str, float | None]]
) -> list[str | None]:
    """Return the runs without a value that only a judged item can give."""
    reading = [one for one in evaluation.request.metrics if one.reads_judgments]
    telling = {
        one.label
        for one in reading
        if one.ranking["unjudged"] in ("nonrelevant", "drop") and (one.better == "higher" or "score" in one.needs)
    }
    shows_anything: dict[str | None, bool] = {}
    for run, metric, value in values:
        shows_anything[run] = shows_anything.get(run, False) or (metric in telling and bool(value))
    return [run for run, shows in shows_anything.items() if not shows] if reading else []


def metrics_without_rows(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Warn of each metric that a comparison has no row for, with the reason."""
    present = {row[columns.index("metric")] for row in rows}
    missing = [metric.label for metric in evaluation.request.metrics if metric.label not in present]
    reasons = without_values(evaluation, missing) if missing else {}
    yield from reasons
    explained = {label for labels in reasons.values() for label in labels}
    yield from (f"{label}: no query has a value in both runs." for label in missing if label not in explained)


def groups_left_out(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Return a sentence on rows of groups with too few queries; each row of the result has their number."""
    if "n_groups_left_out" not in columns or not rows:
        return []
    n_rows, min_queries = rows[0][columns.index("n_groups_left_out")], evaluation.plan.min_queries
    some = "1 row of a group" if n_rows == 1 else f"{n_rows:,} rows of groups"
    return [f"min_queries={min_queries} left out {some} with fewer queries."] if n_rows else []


def groups_beyond_limit(plan: Plan, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Return a sentence on the groups that a limit leaves out; the rows have the number of groups of their level."""
    if plan.group_order is None or "n_groups_in_order" not in columns:
        return []
    limit, counts = plan.group_order.limit or 0, {}
    for row in rows:
        record = dict(zip(columns, row, strict=True))
        if record.get("breakdown") != "total":  # the row of all queries is no group
            counts[record.get("breakdown")] = record["n_groups_in_order"]
    n_left_out = sum(max(0, count - limit) for count in counts.values())
    return [f"limit={limit} left out {n_left_out:,} of {sum(counts.values()):,} groups."] if n_left_out else []


def groups_without_rows(
    plan: Plan, groups: Sequence[str], columns: Sequence[str], rows: Sequence[Row]
) -> Iterator[str]:
    """Warn of the groups that have no row, because a run or arm has no value there."""
    if not groups:
        return
    labels = [group.label for group in plan.shown_groups]
    groups_of_pair: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        record = dict(zip(columns, row, strict=True))
        name = group_name(labels, [record[unquoted(label)] for label in labels])
        groups_of_pair.setdefault((record["run"], record["baseline_run"]), set()).add(name)
    for (candidate, baseline), present in groups_of_pair.items():
        if missing := [name for name in groups if name not in present]:
            n_others = len(missing) - _SHOWN_GROUPS
            names = "; ".join(missing[:_SHOWN_GROUPS]) + (f" and {n_others:,} more" if n_others > 0 else "")
            yield (
                f"{len(missing):,} of {len(groups):,} groups {'has' if len(missing) == 1 else 'have'} no row, because"
                f" {candidate} or {baseline} has no query with a value there: {names}."
            )


def rough_clusters(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Warn of standard errors with few clusters, or with one cluster or weighted query that dominates."""
    column, options = evaluation.plan.spec.cluster, evaluation.plan.options
    if "largest_weight_share" in columns:
        yield from _rough_weights([row[columns.index("largest_weight_share")] for row in rows])
    if column is None or not rows:
        return
    numbers, shares = (
        [row[columns.index(name)] for row in rows if row[columns.index(name)] is not None]
        for name in ("n_clusters", "largest_cluster_share")
    )
    resampled = next((name for name in ("test", "interval") if options[name] == "bootstrap"), None)
    if few := [number for number in numbers if 1 < number < _FEW_CLUSTERS]:
        where = "" if len(rows) == 1 else f" in {len(few):,} of {len(rows):,} rows"
        advice = (
            f"{resampled}=t corrects for the small number"
            if resampled is not None
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
    """Warn of weights of which one query has a large share."""
    large = [share for share in shares if share is not None and share > _LARGE_CLUSTER]
    if large:
        where = "" if len(shares) == 1 else f" in {len(large):,} of {len(shares):,} rows"
        yield (
            f"One query has {max(large):.0%} of the weights{where}, so it dominates the result, and the standard error"
            " is rough. Look at the result without weight=, too."
        )


def few_judged(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Warn if fewer than half of the first items have a judgment, because the others may be relevant."""
    if not _may_mislead(evaluation):
        return
    plan, inspector, k = evaluation.plan, evaluation.inspector, evaluation.plan.first_items
    judged, scored = of_runs("n_judged_first", columns, rows), _scored(evaluation, columns, rows)
    if len(plan.runs) == 1:  # several in one table are looked at together
        judged, scored = ({"": sum(counts.values())} if counts else {} for counts in (judged, scored))
    of_run = {f"{run.name}: " if len(plan.runs) > 1 else "": run for run in plan.runs}
    for label, n_judged in judged.items():
        if 2 * n_judged >= min(k * scored.get(label, math.inf), sizes.most_rows(inspector, of_run[label])):
            continue  # of all places, or rows, which are not fewer than places with an item
        if not judges_irrelevant(inspector):
            return
        n_places = sum(count for _, count in sizes.filled_places(inspector, of_run[label], counting(inspector), k))
        if 2 * n_judged < n_places:
            items = f"{k} items" if k > 1 else "item of each list"
            yield (
                f"{label}only {int(100 * n_judged / n_places)} % of the top {items} are judged. The others"
                " count as not relevant, so values may be too low. unjudged=bounds shows by how much."
            )


def _scored(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, int]:
    """Return the number of scored queries of each run; nothing if metrics skip some, or groups are left out."""
    if any(metric.skips for metric in evaluation.plan.metrics) or evaluation.plan.group_order is not None:
        return {}
    counts = [name for name in ("n_queries", "n_left_out") if name in columns]
    counts_of_runs = [of_runs(name, columns, rows) for name in counts]
    return {label: sum(one[label] for one in counts_of_runs) for label in counts_of_runs[0]}


def judged_first(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> tuple[dict[str, float], int]:
    """Return the share of judged items among the first of each run, and the cutoff."""
    plan, k = evaluation.plan, evaluation.plan.first_items
    judged = of_runs("n_judged_first", columns, rows)
    if not judged or plan.min_queries:
        return {}, k
    places: dict[str, int] = {}
    for run in plan.runs:
        for name, count in sizes.filled_places(evaluation.inspector, run, counting(evaluation.inspector), k):
            places[run.name or name] = count
    by_run = {label.removesuffix(": "): count for label, count in judged.items()}
    return {name: count / places[name] for name, count in by_run.items() if places.get(name)}, k


def _may_mislead(evaluation: Evaluation) -> bool:
    """Whether items without a judgment may be relevant, of all scored queries, and nobody said that they are not.

    Where a source holds the judgments, such as clicks or ratings, an item without one is the rule. So it is where
    ``unjudged=nonrelevant`` is written out.
    """
    plan = evaluation.plan
    is_assumed = any(metric.ranking["unjudged"] != "nonrelevant" for metric in plan.metrics)
    is_said = all(metric.says_nonrelevant for metric in plan.metrics)
    return not (
        is_assumed or is_said or plan.min_queries or plan.qrels is None or (plan.qrels.is_ours and plan.sources)
    )


# Above such a share of the variance one query, or cluster, makes intervals too short, relative ones of comparisons or
# the variance of a mean; of fewer queries than that, one always has much of it.
_OF_RATIOS, _OF_MEANS, _ENOUGH = 1 / 3, 1 / 4, 20

_ADVICE = " With cap=, larger values count as an amount that you choose."


def telling_of_tails(plan: Plan) -> Plan:
    """Return the plan with the column for warnings of heavy tails, if it has intervals and is checked."""
    if plan.human_qrels is not None:  # whose warnings need columns, too
        return replace(plan, tells_of_tails=True)
    has_interval = plan.baseline is not None or plan.all_pairs or plan.options["interval"] not in (None, "none")
    return replace(plan, tells_of_tails=True) if has_interval and plan.options["check"] != "none" else plan


def heavy_tails(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Warn of the metrics of which one query, or cluster, makes much of the variance."""
    if "largest_spread" not in columns or evaluation.plan.options["check"] == "none":
        return
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    compares, cluster = "baseline_run" in columns, evaluation.plan.spec.cluster
    is_paired = compares and evaluation.plan.options["design"] == "paired"
    least = 2 * _ENOUGH if compares and not is_paired else _ENOUGH
    large = [row for row in records if _is_large(row, compares, least)]
    if large:
        metrics = ", ".join(dict.fromkeys(row["metric"] for row in large))
        where = "" if len(rows) == 1 else f" in {len(large):,} of {len(rows):,} rows"
        unit = "query" if cluster is None or is_paired else f"value of {cluster}"
        most = max(row["largest_spread"] for row in large)
        whose = (" of a run" if is_paired else " of an arm") if compares else ""
        what = "the ratio, and relative intervals" if compares else "the mean, and intervals"
        share = f"one {unit} has {most:.0%} of the variance{whose}{where}"
        advice = "" if not compares or evaluation.plan.caps or not _can_be_capped(evaluation, large) else _ADVICE
        yield f"{metrics}: {share}, so it dominates {what} are too short.{advice}"


def _can_be_capped(evaluation: Evaluation, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Check whether one of the metrics has no upper bound."""
    labels = {row["metric"] for row in rows}
    return any(one.label in labels and one.range is None for one in evaluation.request.metrics)


def _is_large(row: Mapping[str, Any], compares: bool, least: int) -> bool:
    """Check whether a row has an interval that is too short because one unit has much of the variance."""
    ends = ("rel_effect_size_ci_lower", "rel_effect_size_ci_upper") if compares else ("ci_lower", "ci_upper")
    is_known = row["largest_spread"] is not None and any(row[end] is not None for end in ends)
    units = row.get("n_clusters") or row["n_queries"]
    return is_known and units >= least and row["largest_spread"] > (_OF_RATIOS if compares else _OF_MEANS)
