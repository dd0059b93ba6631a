"""Checks of all rows: missing ids and values, duplicates, several runs in one table, and gaps in positions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..dialects.names import unquoted
from ..errors import advise, advise_columns
from ..inputs.binding import unread_columns
from ..plan import Plan
from ..relation import EXPRESSION, Relation
from ..sources import explain_no_rows, explain_unmatched_actions, warn_of_missing_requests, warn_of_similar_ids
from .inspector import InputInspector, count_of, leave_out, row_texts
from .numbers import refuse_grades, refuse_values
from .sizes import CHEAP_ROWS, count_rows, lowest_grade, rows_per_list, sample, shares_of_lists

_SHOWN_TAGS = 3
_NAMES = ("run_id", "run", "model", "retriever", "system")
# Where items stand twice, columns of these names may say why, too.
_MORE_NAMES = (*_NAMES, "arm", "variant", "ranker", "engine", "strategy", "method", "algorithm", "experiment", "config")


def hint_of_runs(inspector: InputInspector, run: Relation) -> str:
    """Return what to do about rows of several runs, where a column without a meaning may say which."""
    tags = run.read_tags() if run.read_tags is not None else []
    if len(tags) > 1:
        tags_text = f"{', '.join(map(repr, tags[:_SHOWN_TAGS]))}{' ...' if len(tags) > _SHOWN_TAGS else ''}"
        return (
            f" The file has {len(tags):,} tags ({tags_text}). To score each tag as a run, pass"
            f" {advise('columns', 'run_id', 'tag')}."
        )
    for name, one, other in _columns_of_runs(inspector, run, _MORE_NAMES):
        hint = f" Column {name} has the values {one!r} and {other!r}. Do the rows belong to several runs?"
        if run.name is not None:  # so a column cannot name it
            return f"{hint} Select those of one: SELECT * FROM ... WHERE {name} = {_literal(one)}."
        return f"{hint} Name the column of the run: {advise('columns', 'run_id', name)}."
    return ""


def may_be_several(inspector: InputInspector, run: Relation) -> bool:
    """Return whether a column without a meaning may say which run a row is of: it is called so, and has two values."""
    return any(True for _ in _columns_of_runs(inspector, run, _MORE_NAMES))


def warn_of_several_runs(inspector: InputInspector, run: Relation) -> Iterator[str]:
    """Lists of several runs that have no item in common are scored as one list."""
    for name, one, other in _columns_of_runs(inspector, run, _NAMES):
        how = f"SELECT * FROM ... WHERE {name} = {_literal(one)} selects those of one run."
        if run.name is None:
            how = f"{advise('columns', 'run_id', name)} scores each as a run."
        yield f"{run.label}: column {name} has the values {one!r} and {other!r}, but all rows count as one run. {how}"
        return


def _columns_of_runs(
    inspector: InputInspector, run: Relation, names: Sequence[str]
) -> Iterator[tuple[str, object, object]]:
    """Return the columns without a meaning that may name runs, with two of their values."""
    if run.columns.get("run_id") or run.is_ours or not run.is_known:
        return
    used = {name.lower() for name in run.keys} | {unquoted(group.column).lower() for group in inspector.plan.groups}
    for name in run.source_columns:
        if name.lower() in names and name.lower() not in used:
            column = run.column(name)
            values = inspector.two_values(run, column)
            if values is not None:
                yield name, *values


def _literal(value: object) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


_SHORT = 25  # items per list, on average: those whose positions are looked at together


class CheckedRows(NamedTuple):
    """The results of checking rows.

    Attributes:
        warnings: judgments of which none is relevant, and actions that do not count.
        is_share: whether duplicates were looked for in a share of the lists only.
    """

    warnings: list[str]
    is_share: bool


def check_rows(inspector: InputInspector, *, exact: bool) -> CheckedRows:
    """Check the rows of every input.

    Args:
        inspector: runs the checks.
        exact: whether duplicates are looked for in every row of a large table too.
    """
    plan = inspector.plan
    ours = [is_ours(plan, checked) for checked in inspector.judged_inputs]
    shares = shares_of_lists(inspector, inspector.judged_inputs, [exact or is_known for is_known in ours])
    is_share = max(shares) > 1
    distinct = [not (is_share or is_known) for is_known in ours]
    counts = count_rows(inspector, inspector.judged_inputs, distinct, together=not exact)
    warnings: list[str] = []
    for checked, share, is_known, count in zip(inspector.judged_inputs, shares, ours, counts, strict=True):
        if count.n_rows == 0 and not (checked.optional_ids and inspector.row("all_rows", checked)[0]):
            reason = next(explain_no_rows(inspector.sources.get(checked.name)), "")
            raise checked.error(f"there are no rows: {reason}" if reason else "there are no rows.")
        if count.n_unusable:
            refuse_values(inspector, checked, count.n_unusable)
        if count.highest is not None and math.isnan(count.highest):
            refuse_grades(inspector, checked)
        if count.n_lacking_ids and not checked.optional_ids:
            _refuse_missing_ids(inspector, checked, count.n_lacking_ids)
        if is_share and not is_known:
            _look_at_share(inspector, checked, share)
        elif count.n_distinct < count.n_rows and not _takes_one(inspector, checked):
            _refuse_duplicates(inspector, checked)
        if checked is plan.qrels or plan.qrels is None:
            warnings += _none_relevant(inspector, checked, count.highest)
            unmatched = _unmatched(inspector, checked, count.n_rows, count.highest, exact=exact)
            warnings += [f"{checked.label}: {why}" for why in unmatched]
            warnings += _assumed_grades(plan, checked)
    return CheckedRows(warnings, is_share)


def _unmatched(
    inspector: InputInspector, checked: Relation, n_rows: int, highest: float | None, *, exact: bool
) -> Iterator[str]:
    """Yield warnings about actions of a log whose ids match nothing, if it is fast to look."""
    source = inspector.sources.get(checked.name)
    again = exact or n_rows <= CHEAP_ROWS
    if not highest:
        yield from explain_unmatched_actions(source)
    elif again:
        yield from warn_of_similar_ids(source)
    if again:
        yield from warn_of_missing_requests(source)


def is_ours(plan: Plan, checked: Relation) -> bool:
    """Return whether a statement of ours has left each item once in a list, at a place that no other one contests."""
    return checked.facts.clean and (plan.options["position"] == "given" or checked.facts.positions_are_ranks)


def _look_at_share(inspector: InputInspector, checked: Relation, share: int) -> None:
    """Refuse duplicates in a share of the lists."""
    sampled = sample(inspector, checked, share)
    if sampled.n_distinct < sampled.n_rows and not _takes_one(inspector, checked):
        _refuse_duplicates(inspector, checked, share)


def _none_relevant(inspector: InputInspector, judged: Relation, highest: float | None) -> Iterator[str]:
    """Yield a warning where grades are above 0, and none reaches what metrics take for relevant."""
    rels = _thresholds(inspector.plan)
    if judged.facts.are_estimates:
        return
    if highest is not None and rels and 0 < highest < min(rels):
        yield (
            f"{judged.label}: no item is relevant, because the highest grade is {highest:g} and relevant"
            f" grades begin at {min(rels):g}. rel={highest:g} counts the highest grade as relevant."
        )


def _assumed_grades(plan: Plan, judged: Relation) -> Iterator[str]:
    """Yield a warning where a table without grades has columns that may be the grade."""
    if unread := unread_columns(judged, [unquoted(group.column) for group in plan.groups]):
        yield (
            f"{judged.label}: no column is called relevance, so each row counts as a relevant item. Other"
            f" columns: {', '.join(unread)}. If one is the grade: {advise_columns({'qrels.relevance': unread[0]})}."
        )


def _thresholds(plan: Plan) -> list[float]:
    """Return the lowest relevant grade of each metric that counts relevant items."""
    by_threshold = (metric.params for metric in plan.metrics if metric.params.get("gain", "binary") == "binary")
    return [float(str(params["rel"])) for params in by_threshold if "rel" in params]


def judges_irrelevant(inspector: InputInspector) -> bool:
    """Return whether some judgment says that an item is not relevant; other judgments are lists of what is."""
    if inspector.plan.qrels is None:
        return False
    if inspector.plan.qrels.facts.are_estimates:
        return True
    lowest = lowest_grade(inspector, inspector.plan.qrels)
    return lowest is not None and (lowest <= 0 or lowest < min(_thresholds(inspector.plan), default=0))


def _refuse_missing_ids(inspector: InputInspector, checked: Relation, count: int) -> None:
    columns = checked.columns
    more = filter(None, [columns.get("run_id"), columns.get("subtopic")])
    ids = [*columns["query_id"], columns["item_id"], *more]
    condition = " OR ".join(f"s.{column} IS NULL" for column in ids)
    rows = inspector.rows_where(checked, checked.columns[checked.value], condition)
    what = ["queries", "items", *(["runs or arms"] if columns.get("run_id") else [])]
    what += ["subtopics"] if columns.get("subtopic") else []
    of_what = f"{', '.join(what[:-1])} or {what[-1]}"
    meanings = [meaning for meaning in ("run_id", "query_id", "item_id", "subtopic") if columns.get(meaning)]
    names = [name for meaning in meanings for name in checked.texts_of(meaning)]
    missing = [name for place, name in enumerate(names) if any(row[place] is None for row in rows)]
    raise checked.error(
        f"{count_of(count, 'missing id')} of {of_what} ({', '.join([*names, checked.value])}): {row_texts(rows)}."
        f"{leave_out(checked, missing) if missing else ''}"
    )


def _takes_one(inspector: InputInspector, checked: Relation) -> bool:
    """Return whether of rows that stand several times one is taken, because that was asked for."""
    is_judged = any(checked is judged for judged in inspector.plan.judgments)
    option = "duplicate_judgments" if is_judged else "duplicates"
    return inspector.plan.options[option] != "error"


def _refuse_duplicates(inspector: InputInspector, checked: Relation, share: int = 1) -> None:
    """Equal fingerprints of different ids are not duplicates, nor are the package's own rows without an item."""
    rows = inspector.some("duplicates", checked, share)
    if rows:
        has_subtopics = bool(checked.columns.get("subtopic"))
        of_judges = inspector.plan.judge is not None
        ids = ("query, judge, item" if of_judges else "query, item") + (", subtopic" if has_subtopics else "")
        once = _one_grade() if of_judges else "" if has_subtopics else _once_each(checked)
        hint = once if checked.role == "qrels" else hint_of_runs(inspector, checked) + _best_of_each()
        raise checked.error(f"duplicate item in a query ({ids}, rows): {row_texts(rows)}.{hint}")


def _one_grade() -> str:
    """Return advice about a judge who grades an item several times."""
    return f" A judge gives an item one grade. {advise('option', 'duplicate_judgments', 'highest')} takes the highest."


def refuse_mixed_runs(inspector: InputInspector) -> Iterator[str]:
    """Look for duplicates alone, in runs with a column that may name several runs; warn of such a column otherwise."""
    for run in inspector.plan.runs:
        if inspector.plan.options["duplicates"] == "error" and may_be_several(inspector, run):
            _refuse_duplicates(inspector, run)
        yield from warn_of_several_runs(inspector, run)


def _best_of_each() -> str:
    """Return advice about a run that has an item several times."""
    return f" To keep the best row of each, pass {advise('option', 'duplicates', 'first')}."


def _once_each(qrels: Relation) -> str:
    """Return advice about judgments that have an item several times, with the names of their columns."""
    keys = ", ".join([*qrels.columns["query_id"], qrels.columns["item_id"]])
    grade = qrels.columns[qrels.value]
    columns = [*qrels.columns["query_id"], qrels.columns["item_id"], grade]
    hint = f" To take it yourself: SELECT {keys}, MAX({grade}) AS {grade} FROM ... GROUP BY {keys}."
    return (
        f" If items are judged by subtopic, name the column: {advise('columns', 'qrels.subtopic', 'NAME')}."
        f" If several people judged, {advise('option', 'duplicate_judgments', 'highest')} takes the highest grade."
    ) + ("" if any(EXPRESSION.format("") in name for name in columns) else hint)


def warn_of_gaps(inspector: InputInspector, run: Relation) -> Iterator[str]:
    """Positions that do not count 1, 2, 3 ... are numbered anew, which a log of impressions may not mean."""
    is_given = inspector.plan.options["position"] == "given"
    facts = run.facts
    if run.value != "position" or facts.positions_are_ranks:
        return
    if is_given and (facts.distinct_positions or not facts.clean):
        return
    if is_given and inspector.is_canonical:
        n_equal, n_gaps = inspector.row("shared_places", run)[0], 0
    else:
        are_short = inspector.is_canonical and rows_per_list(inspector, run) <= _SHORT
        n_equal, n_gaps = inspector.row("places", run, are_short)
    if is_given:
        if n_equal:
            yield (
                f"{run.label}: {count_of(n_equal, 'query')} with two items at one position, where metrics with"
                " a cutoff have no value. position=dense numbers the items 1, 2, 3 ..., ties by id."
            )
        return
    if n_equal:
        yield f"{run.label}: {count_of(n_equal, 'query')} with equal positions, which item ids order."
    if n_gaps:
        of_repeats = (
            " Some gaps may come from repeated impressions that were removed (data_quality)." if run.facts.clean else ""
        )
        yield (
            f"{run.label}: {count_of(n_gaps, 'query')} with gaps in the positions, which are renumbered 1, 2, 3"
            f" .... position=given keeps them.{of_repeats}"
        )
