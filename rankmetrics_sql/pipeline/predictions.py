"""Findings about judgments of a model that predict those of people: too few, too many, or of no random draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..dialects.names import unquoted
from ..errors import DataError
from ..rows import Record, Row
from .execute import Evaluation

_FEWEST = 10  # as rm_fewest_human has it
_TOO_FEW = f"fewer than {_FEWEST} queries have human judgments"
_UNLIKELY = 0.01  # a probability below which a draw was hardly random
_MANY = 1e9  # degrees of freedom with which F is chi-squared


def check_predictions(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Return warnings about predicted judgments; raise where they cannot say a value.

    Args:
        evaluation: what ran.
        columns: of its rows.
        rows: as they come, with the columns for warnings.

    Raises:
        DataError: a query that people judged lacks judgments of the model, or people judged too few queries.
    """
    plan = evaluation.plan
    if plan.human_qrels is None or not rows:
        return []
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    if any(row["n_unpredicted"] for row in records):
        _refuse_unpredicted(evaluation)
    is_grouped = bool(plan.shown_groups)
    few = [row for row in records if row["reason"] is not None and _TOO_FEW in row["reason"]]
    if few and not is_grouped:
        n_human = min(row["n_human"] for row in few)
        where = " in one arm or both" if plan.options["design"] == "unpaired" and plan.baseline is not None else ""
        raise DataError(
            f"{plan.human_qrels.label}: {n_human:,} {'query has' if n_human == 1 else 'queries have'} human judgments,"
            f" and predicted_qrels= needs at least {_FEWEST}{where}. Judge more, or omit predicted_qrels=."
        )
    warnings = [*_without_predictions(records), *_unlike(evaluation, records), *_uneven(evaluation, records)]
    return [*_partly_judged(evaluation), *warnings]


def _partly_judged(evaluation: Evaluation) -> Iterator[str]:
    """Warn of people who graded a part of the items: the correction is that of whole queries."""
    plan = evaluation.plan
    if plan.options["check"] == "none" or not plan.judgments[0].columns.get("item_id"):
        return
    n_people, n_model = evaluation.inspector.row("grades_of_both", plan.judgments[1], plan.judgments[0])
    if 2 * n_people < n_model:
        yield (
            f"{plan.judgments[1].label}: people graded {n_people:,} items, and predicted_qrels= {n_model:,} of the same"
            " queries. An item without a human grade counts as not relevant, so the model is corrected downwards and"
            " values are too low. Have people grade every item of fewer queries."
        )


def _refuse_unpredicted(evaluation: Evaluation) -> None:
    """Raise for queries with judgments of people alone."""
    plan = evaluation.plan
    people, model = plan.judgments[1], plan.judgments[0]
    n_missing = max(1, int(evaluation.inspector.row("overlap", [people], model)[1]))
    what = f"{n_missing:,} {'query' if n_missing == 1 else 'queries'} with human judgments"
    raise DataError(
        f"{model.label}: {what} {'has' if n_missing == 1 else 'have'} no predicted ones, so nobody knows how wrong"
        " these are. Have the model judge every query that people judged."
    )


def _without_predictions(records: Sequence[Record]) -> Iterator[str]:
    """Yield why the predictions have no effect."""
    for reason, so in (
        ("no other queries", "predicted_qrels= has no judgments of other queries"),
        ("predictions do not differ", "all queries have the same value by predicted_qrels="),
    ):
        metrics = dict.fromkeys(row["metric"] for row in records if reason in (row["reason"] or ""))
        if metrics:
            yield f"{', '.join(metrics)}: {so}, so the value is that of the human judgments alone."


def _unlike(evaluation: Evaluation, records: Sequence[Record]) -> Iterator[str]:
    """Warn of labelled queries whose predicted values differ from those of the others by more than chance."""
    from ..results.power import f_tail

    if evaluation.plan.has_cluster:  # whose values chance shares out together
        return
    unlike: dict[str, float] = {}
    for row in records:
        degrees = min(row["n_human"], row["n_predicted"]) - 1
        if row["apart"] is not None and degrees > 0:
            pvalue = f_tail(row["apart"] ** 2, 1.0, float(degrees))
            if pvalue < _UNLIKELY:
                unlike[row["metric"]] = min(pvalue, unlike.get(row["metric"], 1.0))
    if unlike:
        what = "differences" if "baseline_run" in records[0] else "values"
        least = min(unlike.values())
        yield (
            f"{', '.join(unlike)}: the predicted {what} of the queries with human judgments differ from those of the"
            f" others (p {_probability(least)}), so people did not judge a random draw. The interval may miss the"
            " truth."
        )


def _uneven(evaluation: Evaluation, records: Sequence[Record]) -> Iterator[str]:
    """Warn of groups in which people judged another share of the queries than in the others, by more than chance."""
    from ..results.power import f_tail

    groups = [unquoted(group.label) for group in evaluation.plan.shown_groups]
    of_one = [name for name in ("metric", "run", "run_id", "baseline_run", "breakdown") if name in records[0]]
    first = [row for row in records if all(row[name] == records[0][name] for name in of_one)]
    if not groups or len(first) < 2 or evaluation.plan.has_cluster or evaluation.plan.rollup:
        return
    n_human, n_others = (sum(row[name] for row in first) for name in ("n_human", "n_predicted"))
    if not n_human or not n_others:
        return
    statistic = 0.0
    for row in first:
        size = row["n_human"] + row["n_predicted"]
        for name, total in (("n_human", n_human), ("n_predicted", n_others)):
            expected = size * total / (n_human + n_others)
            statistic += (row[name] - expected) ** 2 / expected if expected else 0.0
    degrees = float(len(first) - 1)
    pvalue = f_tail(statistic / degrees, degrees, _MANY)
    if pvalue < _UNLIKELY:
        yield (
            f"by {', '.join(groups)}: people judged different shares of the queries (p {_probability(pvalue)}), so"
            " they did not judge a random draw of all. Values of groups hold if the draw within each was random."
        )


def _probability(pvalue: float) -> str:
    return "< .001" if pvalue < 0.001 else "= " + f"{pvalue:.3f}".lstrip("0")
