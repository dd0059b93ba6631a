"""List the unjudged items whose grades move a comparison most, with the texts of queries and items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..checks.overlap import warn_of_few_pairs
from ..definitions.resolution import ResolvedMetric
from ..errors import DataError, UsageError
from ..inputs.binding import name_meanings
from ..inputs.columns import MetricRequirements
from ..inputs.ids import comparable, unify_ids
from ..inputs.reader import Reader
from ..plan import JUDGE_NEXT
from ..relation import OF_TEXTS, Relation
from ..results.judging import NextJudgments
from .execute import Evaluation, computed_table
from .findings import check_scored, warn
from .planning import place

_IDS = {"query_text": "query_id", "item_text": "item_id"}
_OF_RANGES = ("run", "baseline_run", "metric", "effect_size", "effect_low", "effect_high", "n_queries")


def next_judgments(evaluation: Evaluation, n: int, texts: Any) -> NextJudgments:
    """Run the comparison, for the range of its effect, and the statement that lists what to judge."""
    plan, checked = evaluation.plan, evaluation.with_checked_rows()
    relations = _read_texts(evaluation, texts)
    notes = [*evaluation.warnings]
    if plan.runs[0].name is not None:
        notes += warn_of_few_pairs(evaluation.inspector, str(plan.baseline))
    columns, rows = checked.run(plan.text("compare"))
    candidates = [name for name in evaluation.run_names if name != plan.baseline]
    notes += check_scored(evaluation, columns, rows, candidates)
    ranges = [dict(zip(columns, row, strict=True)) for row in rows]
    listing = replace(checked, plan=replace(checked.plan, texts=relations, n_items=n))
    names, found = _rows(listing)
    text = listing.plan.text(JUDGE_NEXT)
    return NextJudgments(
        computed_table(text, names, found),
        [{name: row[name] for name in _OF_RANGES} for row in ranges],
        listing.text_to_show(JUDGE_NEXT),
        [] if found else [_nothing(plan.metrics[0])],
        warn(notes),
        listing.saver({"summary": JUDGE_NEXT}),
    )


def _rows(listing: Evaluation) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Run the statement; ranks are called after their runs."""
    columns, rows = listing.run_raw(listing.plan.text(JUDGE_NEXT))
    ranks = {f"rank_{number}": f"{name}_rank" for number, name in enumerate(listing.run_names, start=1)}
    types = {place: int for place, name in enumerate(columns) if name in ranks}
    names = [ranks.get(name, name) for name in columns]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"Two columns of the list are called {name!r}. Rename the run or the query's column.")
    return names, [tuple(row) for row in listing.database.as_numbers(rows, types)]


def _nothing(metric: ResolvedMetric) -> str:
    """Return why the list is empty."""
    k = metric.params.get("k")
    where = "" if k is None else f" in the top {k}"
    return f"Every item{where} of the compared queries is judged, so nothing is left to judge for {metric.label}."


def _read_texts(evaluation: Evaluation, texts: Any) -> list[Relation]:
    """Return the relations with texts, where the statement can read them."""
    if texts is None:
        return []
    values = [*texts] if isinstance(texts, list | tuple) else [texts]
    reader = Reader(evaluation.database, evaluation.request.input_format)
    read = [replace(reader.one(value, "source", "texts"), role="texts") for value in values]
    bound = [_bound(evaluation, relation) for relation in read]
    for meaning in OF_TEXTS:
        having = [relation.label for relation in bound if relation.columns.get(meaning)]
        if len(having) > 1:
            raise UsageError(f"texts: both {' and '.join(having)} have {meaning}. Pass one of them.")
    return [place(evaluation.database, relation, number) for number, relation in enumerate(bound, start=1)]


def _bound(evaluation: Evaluation, relation: Relation) -> Relation:
    """Return the texts with the meanings of their columns, and ids that can equal those of the runs."""
    run = evaluation.plan.runs[0]
    named = {meaning: names for meaning, names in evaluation.plan.spec.columns.items() if meaning in _IDS.values()}
    there = {meaning: names for meaning, names in named.items() if all(map(relation.has, _names(names)))}
    bound = name_meanings(relation, there, MetricRequirements())
    pairs = {text: ids for text, ids in _IDS.items() if bound.columns.get(text) and bound.columns.get(ids)}
    if not pairs:
        columns = ", ".join(relation.source_columns)
        raise relation.error(
            f"texts needs the columns query_id and query_text, or item_id and item_text, not {columns}. Rename them in"
            " a query: SELECT id AS item_id, title AS item_text FROM ..."
        )
    kept = {meaning: names for meaning, names in bound.columns.items() if meaning in {*pairs, *pairs.values()}}
    bound = replace(bound, columns={"query_id": [], **kept})
    typed = bound if run.text_ids else unify_ids([run, bound] if set(pairs) == set(_IDS) else [bound])[-1]
    for error in _different_ids(run, typed, pairs.values()):
        raise error
    return typed


def _names(names: Any) -> Sequence[str]:
    return [names] if isinstance(names, str) else names


def _different_ids(run: Relation, texts: Relation, meanings: Any) -> Iterator[DataError]:
    """Yield errors about ids that could never be equal to those of the runs."""
    for meaning in meanings:
        here, there = texts.types_of(meaning), run.types_of(meaning)
        if len(here) != len(there):
            yield texts.error(f"a query has {len(there)} columns in {run.label}, and {len(here)} here. Name as many.")
        elif not all(map(comparable, here, there)):
            yield texts.error(
                f"{meaning} is {', '.join(here)}, and {', '.join(there)} in {run.label}. Cast it in a query: SELECT"
                f" CAST({meaning} AS ...) AS {meaning}, ... FROM ..."
            )
