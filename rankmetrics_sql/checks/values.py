"""Values that no metric could work with; they are refused under every value of the option ``check``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..dialects.names import unquoted
from ..errors import advise
from ..inputs.ids import is_number
from ..relation import Relation
from ..rows import Row
from .ids import check_id_types
from .inspector import InputInspector, count_of, double, is_nan, is_unusable, row_text, row_texts

# With an effective sample size below this there is a warning.
FEW_EFFECTIVE = 100

# Names of columns that order lists without a score, and how many rows show whether one contradicts the score.
_PLACES = ("rank", "position")
_FIRST_ROWS = 20_000


def check_run(inspector: InputInspector, run: Relation) -> None:
    """Refuse ids, positions, numbers of relevant items, labels and predictions of a run that cannot be meant."""
    plan = inspector.plan
    if plan.qrels:
        check_id_types(inspector, run, plan.qrels)
    if plan.options["position"] == "given":
        _check_positions(inspector, run)
    if plan.options["ties"] == "rank" or (run.value == "position" and plan.check != "none"):
        _check_ranks(inspector, run)
    if run.columns.get("n_relevant"):
        _check_n_relevant(inspector, run)
    if run.role == "labelled" and plan.qrels:
        _check_labels(inspector, run, plan.qrels)
    _check_predictions(inspector, run)


def _check_positions(inspector: InputInspector, run: Relation) -> None:
    column = run.columns["position"]
    number = double(column)
    rows = inspector.rows_where(run, column, f"{number} IS NULL OR {number} < 1 OR {number} <> FLOOR({number})")
    _refuse_empty_lists(run, rows)
    if rows:
        raise run.error(f"a position must be a whole number of at least 1: {row_texts(rows)}.")
    if run.facts.clean:
        return  # a log, in which two items may have stood at one place: rows.warn_of_gaps counts such requests
    if shared := inspector.some("positions", run):
        several = [(*query, int(position), count) for *query, position, count in shared]
        raise run.error(
            f"position=given needs each position once in a query, but some repeat: {row_texts(several)}. Pass"
            " position=dense."
        )


def _check_ranks(inspector: InputInspector, run: Relation) -> None:
    """Without a rank a row stands nowhere, and where it stands moves all others."""
    column = run.columns["position"]
    rows = inspector.rows_where(run, column, is_unusable(double(column)))
    _refuse_empty_lists(run, rows)
    if rows:
        raise run.error(f"every row needs a position: {row_texts(rows)}.")


def _refuse_empty_lists(run: Relation, rows: Sequence[Row]) -> None:
    """Raise if a row has neither an item nor a position, as dbt's tables of logs have of requests without items."""
    empty = [row for row in rows if row[-2] is None and row[-1] is None]
    if empty:
        raise run.error(
            f"a row without an item and a position is a request that showed nothing: {row_texts(empty)}. If it is to"
            f" score 0, pass {advise('argument', 'empty_lists', True)} with the table. Else leave such rows out:"
            f" SELECT * FROM ... WHERE {run.columns['item_id']} IS NOT NULL"
        )


def _check_n_relevant(inspector: InputInspector, run: Relation) -> None:
    if rows := inspector.some("n_relevant", run, inspector.plan.options["rel"]):
        *query, lowest, highest, present = rows[0]
        raise run.error(
            f"n_relevant of query {row_text(query)} is {lowest} to {highest}, with {present} relevant rows present;"
            " it must be one number for a query, at least its relevant rows and at most 100,000 beyond them."
        )


def _check_labels(inspector: InputInspector, run: Relation, qrels: Relation) -> None:
    if rows := inspector.some("labels", run, qrels):
        raise run.error(f"labels differ from {qrels.label} (query, item, label, grade): {row_texts(rows)}.")


def _check_predictions(inspector: InputInspector, run: Relation) -> None:
    """A score that a metric reads as a prediction has errors whose squares are numbers too."""
    metric = next((metric for metric in inspector.plan.metrics if "score" in metric.needs), None)
    if metric is None or run.value != "score":
        return
    column = run.columns["score"]
    number = double(column)
    if rows := inspector.rows_where(run, column, f"NOT {is_nan(number)} AND ABS({number}) > 1e100"):
        expected = "reads the score, so scores must be between -1e100 and 1e100"
        raise run.error(f"{metric.label} {expected}: {row_texts(rows)}.")


def check_grades(inspector: InputInspector) -> None:
    """Refuse grades beyond the scale of a metric, and grades that are not ranks where a metric reads ranks."""
    _check_highest_grade(inspector)
    _check_reference_ranks(inspector)


def _check_highest_grade(inspector: InputInspector) -> None:
    limits = [metric.params["err_max"] for metric in inspector.plan.metrics if "err_max" in metric.params]
    if not limits:
        return
    lowest = min(float(str(limit)) for limit in limits)
    for checked in inspector.judged_inputs:
        if checked.columns.get("relevance") is None:
            continue
        highest = inspector.row("totals", checked, ["MAX(r.relevance)"])[0]
        if highest is not None and highest > lowest:
            advice = f"set err_max={highest:g} or higher"
            raise checked.error(f"the highest grade is {highest:g}, beyond err_max = {lowest:g}; {advice}.")


def _check_reference_ranks(inspector: InputInspector) -> None:
    """Where the judgments are another ranking, grades are 1 over ranks: no two items of a query have the same."""
    metric = next((metric for metric in inspector.plan.metrics if "reference_ranks" in metric.needs), None)
    if metric is None:
        return
    judged = inspector.plan.qrels or inspector.plan.runs[0]
    column = judged.columns["relevance"]
    rank = f"1 / {double(column)}"
    wrong = f"{double(column)} <= 0 OR ABS({rank} - ROUND({rank}, 0)) > 1e-6"
    if rows := inspector.rows_where(judged, column, wrong):
        raise judged.error(
            f"{metric.label} compares with another run, so each grade must be 1 divided by a rank. ranks(run)"
            f" makes such judgments: {row_texts(rows)}."
        )
    if rows := inspector.some("equal_grades", judged):
        raise judged.error(
            f"{metric.label} compares with another run, whose items have different ranks: {row_texts(rows)}."
        )


def check_items(inspector: InputInspector, items: Relation) -> None:
    """Refuse a catalogue whose items lack a name, or have no one popularity, a share where a metric needs one."""
    for run in inspector.plan.runs:
        check_id_types(inspector, run, items, ["item_id"])
    n_rows, n_named = inspector.row("totals", items, ["COUNT(*)", "COUNT(r.item_id)"])
    if n_rows == 0:
        raise items.error("there are no rows.")
    if n_named < n_rows:
        raise items.error(f"{count_of(n_rows - n_named, 'row')} without an item.")
    column = items.columns.get("popularity")
    if column is None:
        return
    number = double(column)
    if rows := inspector.rows_where(items, column, f"{number} < 0 OR {is_nan(number)}"):
        raise items.error(f"a popularity must be a number of at least 0: {row_texts(rows)}.")
    metric = next((metric for metric in inspector.plan.metrics if "popularity_share" in metric.needs), None)
    if metric is not None and (rows := inspector.rows_where(items, column, f"{number} > 1")):
        share = "a popularity must be a share of the users, 0 to 1"
        raise items.error(f"{metric.label}: {share}: {row_texts(rows)}.")
    if rows := inspector.some("popularity", items):
        raise items.error(f"an item has two popularities (item, lowest, highest): {row_texts(rows)}.")


def check_chances(inspector: InputInspector, checked: Relation) -> None:
    """Refuse chances outside (0, 1] of what was logged; under another policy an item may have the chance 0."""
    for meaning, least in (("propensity", "above 0"), ("target", "at least 0")):
        column = checked.columns.get(meaning)
        if column is None:
            continue
        number = double(column)
        below = f"{number} {'<=' if least == 'above 0' else '<'} 0"
        wrong = f"{is_unusable(number)} OR {below} OR {number} > 1"
        rows = inspector.rows_where(checked, column, f"s.{checked.columns['relevance']} IS NOT NULL AND ({wrong})")
        if rows:
            raise checked.error(f"a {meaning} is a number {least} and at most 1: {row_texts(rows)}.")


def warn_of_few_effective(inspector: InputInspector) -> Iterator[str]:
    """Yield a warning where few of the logged rows decide the value of another policy."""
    weight = "CASE WHEN r.relevance IS NOT NULL THEN r.target / r.propensity END"
    totals = [f"SUM({weight})", f"SUM(({weight}) * ({weight}))", "COUNT(r.relevance)"]
    for checked in (relation for relation in inspector.judged_inputs if relation.columns.get("target")):
        weights, squares, n_rows = inspector.row("totals", checked, totals)
        effective = weights * weights / squares if squares else 0.0
        if effective < FEW_EFFECTIVE:
            yield (
                f"{checked.label}: the effective sample size is {effective:,.3g}, of {count_of(n_rows, 'row')}."
                f" Below {FEW_EFFECTIVE}, the estimate for another policy is very uncertain."
            )


def warn_of_ranks_against_scores(run: Relation) -> Iterator[str]:
    """Yield a warning where the ranks of a TREC file say the opposite of its scores, by which items are ordered."""
    if unquoted(run.columns.get("score") or "") == "score":
        yield from _against(run, "rank", run.facts.n_ordered, run.facts.n_reversed)


def warn_of_places_against_scores(inspector: InputInspector, run: Relation) -> Iterator[str]:
    """Yield a warning where an unused column called rank or position contradicts the scores, by the first rows."""
    score = run.columns.get("score")
    if score is None or run.facts.n_ordered or run.is_ours or not run.is_known or unquoted(score) in run.expressions:
        return
    names_of_columns = [
        name for names in run.columns.values() for name in ([names] if isinstance(names, str) else names or ())
    ]
    used = {unquoted(name).lower() for name in (*names_of_columns, *(group.column for group in inspector.plan.groups))}
    for name, type_ in (run.types or {}).items():
        is_text = inspector.is_canonical and type_ == "VARCHAR"  # as all columns of text files
        if name.lower() in _PLACES and name.lower() not in used and (is_text or is_number(type_)):
            place = f"TRY_CAST(s.{run.column(name)} AS DOUBLE)" if is_text else double(run.column(name))
            n_rows, n_ordered, n_reversed = inspector.row("turned", run, place, _FIRST_ROWS)
            yield from _against(run, name, n_ordered, n_reversed, is_beginning=n_rows == _FIRST_ROWS)
            return


def _against(run: Relation, rank: str, n_ordered: int, n_reversed: int, *, is_beginning: bool = False) -> Iterator[str]:
    """Return the warning, where more than half of the queries in which both tell items apart are turned round."""
    if n_reversed * 2 > n_ordered:
        of = "of the first " if is_beginning else "of "
        score = run.shown(unquoted(run.columns["score"]))
        what = "1 query" if n_ordered == 1 else f"{n_reversed:,} {of}{n_ordered:,} queries"
        yield (
            f"{run.label}: in {what} the item at the first {rank} has the lowest score and the item at the last {rank}"
            " the highest, but the highest score ranks first here. If scores are distances, pass"
            f" {advise('columns', 'score', f'-{score}')}. To rank by the {rank}s, pass"
            f" {advise('columns', 'position', rank)}."
        )
