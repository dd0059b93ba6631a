"""Whether the inputs are about the same queries and items."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ..dialects.names import unquoted
from ..errors import DataError, UsageError
from ..plan import Plan
from ..relation import Relation
from .ids import check_id_types, explain_mismatch, name_alike, suggest_normal_form
from .inspector import InputInspector, Row, count_of, counting, query_keys
from .sizes import sample, share_of_few

_SHOWN_RUNS = 3


def warn_of_overlaps(inspector: InputInspector) -> Iterator[str]:
    """Yield a warning for queries that only a run has, or only the judgments."""
    plan = inspector.plan
    if plan.qrels is None:
        for run in plan.runs:
            yield from _unlabelled(inspector, run)
        return
    by_run = bool(plan.runs[0].columns.get("run_id")) and plan.options["design"] == "paired"
    rows = inspector.rows("overlap", plan.runs, plan.qrels, plan.options["impute"] is None, plan.query_list, by_run)
    for place, run in enumerate(plan.runs, start=1):
        yield from _overlap(inspector, run, plan.qrels, [row for row in rows if row[3] == place])


def _overlap(inspector: InputInspector, run: Relation, qrels: Relation, rows: Sequence[Row]) -> Iterator[str]:
    """What counts say of the queries of a run, or of each of the runs that a column names."""
    plan, universe = inspector.plan, inspector.plan.options["queries"]
    if not any(row[0] for row in rows):
        raise run.error(
            f"none of its queries has a judgment in {qrels.label}. Queries here: {inspector.ids(run)}; judged:"
            f" {inspector.ids(qrels)}. {explain_mismatch(inspector, 'query_id', run, qrels)} A NULL grade does not"
            " count as a judgment."
        )
    if any(row[0] < min(row[1:3]) for row in rows) and (how := suggest_normal_form(inspector, "query_id", run, qrels)):
        yield f"{run.label} and {qrels.label} have few queries in common. {how}"
    suffix = " of the query list" if plan.query_list else ""
    for who, count in _counts_of_runs(run, rows, 2):
        yield f"{who}: {count_of(count, 'judged query')}{suffix} without results; each {_fate(plan)}."
    if universe != "retrieved" and plan.query_list is None:
        for who, count in _counts_of_runs(run, rows, 1):
            yield f"{who}: results for {count_of(count, 'query')} without judgments are ignored."


def _fate(plan: Plan) -> str:
    """What becomes of a judged query without results."""
    universe = plan.options["queries"]
    if universe not in ("judged", "judged_relevant"):
        return f"is left out (queries={universe})"
    without = [metric.label for metric in plan.metrics if metric.lacks_values]
    if not without:
        return "scores 0"
    return f"{'scores 0, but ' if len(without) < len(plan.metrics) else ''}has no value of {', '.join(without)}"


def _counts_of_runs(run: Relation, rows: Sequence[Row], place: int) -> Iterator[tuple[str, int]]:
    """Return each number above 0 with the relation that has it, or the runs in it that share the number."""
    by_count: dict[int, list[str]] = {}
    for row in rows:
        by_count.setdefault(int(row[place]), []).extend(map(repr, row[4:]))
    for count, names in by_count.items():
        if count:
            more = f" and {len(names) - _SHOWN_RUNS:,} more" if len(names) > _SHOWN_RUNS else ""
            runs_text = f"run{'s' if len(names) > 1 else ''} {', '.join(names[:_SHOWN_RUNS])}{more}"
            yield runs_text if names else run.label, count


def _unlabelled(inspector: InputInspector, run: Relation) -> Iterator[str]:
    if inspector.plan.options["queries"] == "retrieved":
        return
    if not run.columns.get("relevance"):
        raise UsageError(
            f"queries={inspector.plan.options['queries']} chooses queries by their judgments, and none are given. Pass"
            " qrels, or queries=retrieved."
        )
    n_unlabelled = inspector.row("totals", run, ["COUNT(*) - COUNT(r.relevance)"])[0]
    if n_unlabelled and (count := inspector.count_lists(run, "COUNT(r.relevance) = 0", query_keys(run))):
        yield (f"{run.label}: {count_of(count, 'query')} without a label ignored. queries=retrieved scores each as 0.")


def warn_of_missing_selected(inspector: InputInspector) -> Iterator[str]:
    """Yield warnings for queries of the query list that are not judged, and for judged ones that it leaves out.

    Of the latter only where the list has a column of the groups: it is then a table about queries, and need not be
    meant to choose some of them.
    """
    query_list, qrels = inspector.plan.query_list, inspector.plan.qrels
    if query_list is None:
        return
    other = inspector.plan.runs[0] if inspector.plan.options["queries"] == "retrieved" or qrels is None else qrels
    check_id_types(inspector, query_list, other, ["query_id"])
    both, missing, left_out, *_ = inspector.row("overlap", [query_list], other)
    if both == 0:
        raise query_list.error(
            f"none of its queries is in {other.label}. Queries here: {inspector.ids(query_list)};"
            f" there: {inspector.ids(other)}. {explain_mismatch(inspector, 'query_id', query_list, other)}"
        )
    if missing:
        yield f"{query_list.label}: {count_of(missing, 'query')} not in {other.label}."
    if left_out and any(group.relation == "query_list" for group in inspector.plan.groups):
        count = count_of(left_out, "query")
        yield f"{query_list.label}: {count} of {other.label} left out, because the list lacks them."


def warn_of_few_pairs(inspector: InputInspector, baseline: str) -> Iterator[str]:
    """Yield a warning for a run that shares few queries with the one that it is compared with.

    Few are fewer than half of the counted queries that either run has results for.

    Args:
        inspector: runs the checks.
        baseline: the name of that run.
    """
    counts_others = inspector.plan.options["queries"] != "judged_retrieved"
    yield from _shared(
        inspector,
        baseline,
        "no pair of values can be compared",
        "If the runs answered different queries, as arms of an experiment do, pass design=unpaired.",
        "queries=judged_retrieved compares only those." if counts_others else "only those are compared.",
    )


def warn_of_few_scored_alike(inspector: InputInspector, baseline: str) -> Iterator[str]:
    """Return the same where each run counts as 0 on the queries that the other alone has results for.

    Args:
        inspector: runs the checks.
        baseline: the name of the run that the others are compared with.
    """
    yield from _shared(
        inspector,
        baseline,
        "each would score 0 where the other has results",
        "If the runs answered different queries, as two periods do, pass queries=judged_retrieved.",
        "each scores 0 on the others. queries=judged_retrieved scores each on its own queries.",
    )


def _shared(inspector: InputInspector, baseline: str, so: str, advice: str, hint: str) -> Iterator[str]:
    by_name = {str(run.name): run for run in inspector.plan.runs}
    first = by_name.pop(baseline)
    for name, run in by_name.items():
        both, ours, theirs = inspector.row_once("shared", first, run, counting(inspector))
        if both == 0:
            raise DataError(
                f"{baseline} and {name} have results for no common query that counts ({ours:,} and"
                f" {theirs:,}), so {so}. Queries of {baseline}: {inspector.ids(first)}; of {name}:"
                f" {inspector.ids(run)}. {explain_mismatch(inspector, 'query_id', first, run)} {advice}"
            )
        if 2 * both < max(ours, theirs):
            yield (
                f"{baseline} and {name} have results for only {count_of(both, 'common query')}, of {ours:,} and"
                f" {theirs:,} that count; {hint}"
            )


class RunWithoutOverlap(NamedTuple):
    """A run that retrieved no judged item, though its queries are judged, or no item of the catalogue.

    Attributes:
        run: its name, or None for a single run.
        is_judged: whether the catalogue is meant, or the judgments.
        warning: what people read.
    """

    run: str | None
    is_judged: bool
    warning: str


def warn_of_alike(inspector: InputInspector, suspects: Collection[str | None]) -> Iterator[str]:
    """Yield a warning where item ids of a run and of the judgments differ only in leading zeros or case.

    Args:
        inspector: runs the checks.
        suspects: the names of the runs with a metric that is nearly 0, which others need not be looked at for.
    """
    qrels = inspector.plan.qrels
    if qrels is None:
        return
    for run in inspector.plan.runs:
        if (run.name in suspects or (suspects and run.columns.get("run_id"))) and not _finds_most(inspector, run):
            alike = name_alike(inspector, "item_id", run, qrels, share_of_few(inspector, run))
            yield from [alike] if alike else []


def _finds_most(inspector: InputInspector, run: Relation) -> bool:
    """Return whether a sample of a large run retrieves most of the judged items of its queries."""
    if inspector.plan.check not in ("auto", "full") or (share := share_of_few(inspector, run)) == 1:
        return False
    n_matches = sample(inspector, run, share)
    return 2 * n_matches.n_judged > n_matches.n_judgments


def find_runs_without_overlap(inspector: InputInspector, suspects: Collection[str | None]) -> list[RunWithoutOverlap]:
    """Find the runs without a single judged item, or one of the catalogue.

    Args:
        inspector: runs the checks.
        suspects: the names of the runs with a metric that is 0, which others need not be looked at for.
    """
    without = []
    for run in inspector.plan.runs if suspects else ():
        if _is_unlabelled(inspector, run):
            without.append(RunWithoutOverlap(run.name, True, f"{run.label}: no retrieved item has a label."))
        for relation, is_judged in ((inspector.plan.qrels, True), (inspector.plan.items, False)):
            if relation is not None:
                names = _without_common(inspector, run, relation, suspects)
                without += [
                    RunWithoutOverlap(name, is_judged, _stranger(inspector, run, name, relation)) for name in names
                ]
    return without


def _is_unlabelled(inspector: InputInspector, run: Relation) -> bool:
    """Return whether a labelled table has no labels; sources of logs report that themselves."""
    has_labels = inspector.plan.qrels is None and run.columns.get("relevance") and not inspector.sources
    return bool(has_labels) and inspector.row("totals", run, ["COUNT(r.relevance)"])[0] == 0


def _without_common(
    inspector: InputInspector, run: Relation, relation: Relation, suspects: Collection[str | None]
) -> list[str | None]:
    """Return the suspects among the runs of a relation that have no item of the other one."""
    if not run.columns.get("run_id"):
        return [run.name] if run.name in suspects and inspector.row("common", run, relation)[0] == 0 else []
    with_common = {str(name) for name, n_common in inspector.rows("common_of_runs", run, relation) if n_common}
    return [name for name in suspects if name not in with_common]


def _stranger(inspector: InputInspector, run: Relation, name: str | None, relation: Relation) -> str:
    what = "judged" if relation.role == "qrels" else "in the catalogue"
    whose = f" of run {name!r}" if run.columns.get("run_id") else ""
    sides = "; of ".join(f"{side.label}: {inspector.ids(side, 'item_id')}" for side in (run, relation))
    return (
        f"No retrieved item{whose} is {what}. Items of {sides}. {explain_mismatch(inspector, 'item_id', run, relation)}"
    )


def warn_of_lone_subtopics(inspector: InputInspector) -> Iterator[str]:
    """Yield a warning where no query has two subtopics: the column probably does not hold subtopics."""
    qrels = inspector.plan.qrels
    if qrels is None or not qrels.columns.get("subtopic"):
        return
    if not inspector.count_lists(qrels, "COUNT(DISTINCT r.subtopic) > 1"):
        column = qrels.shown(unquoted(qrels.columns["subtopic"]))
        yield f"{qrels.label}: no query has more than one subtopic (column {column!r})."
