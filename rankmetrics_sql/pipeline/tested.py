"""Warnings about comparisons: p-values and intervals that are missing or rest on few queries."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..checks.arms import sample_ratios
from ..databases.answers import Row
from ..definitions.verdicts import BETTER, NO_DIFFERENCE, WORSE
from ..errors import DataError
from .findings import rough_clusters, units_of
from .prepare import Evaluation

# Under so many queries that changed p-values are rough; under so many of many, where changes are rare and large, too.
_HARDLY_TESTED, _SPARSE = 10, 50
_OF_MEANS = (BETTER, WORSE)  # claims within a margin have a rule of their own for that

# Beyond this many queries a test of ranks is warned of.
_MANY_RANKS = 1_000


def warnings_of_tests(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Yield the warnings about a comparison that has run.

    Args:
        evaluation: the comparison.
        columns: the names of its columns.
        rows: one for each candidate, metric and group.
    """
    yield from _too_few(evaluation, columns, rows)
    yield from _few_units(evaluation, columns, rows)
    yield from rough_clusters(evaluation, columns, rows)
    yield from _unadjusted(evaluation)
    yield from _apart(evaluation, columns, rows)
    yield from _sharp_ranks(evaluation, columns, rows)


def refuse_exchange(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Refuses to exchange clusters between arms that have some in common, which have no p-value because of that.

    Raises:
        DataError: they have.
    """
    options, cluster = evaluation.query.options, evaluation.reads.cluster
    if cluster is None or (options["design"], options["test"]) != ("unpaired", "randomisation"):
        return
    if all(row[columns.index("pvalue")] is not None for row in rows):
        return
    n_shared = next((ratio.n_shared for ratio in sample_ratios(evaluation.asker, None)), 0)
    if n_shared:
        raise DataError(
            f"test=randomisation exchanges whole values of {cluster} between the arms, but {n_shared:,} of"
            f" them {'is' if n_shared == 1 else 'are'} in both. Take test=t or test=bootstrap, which count"
            " each of them once."
        )


def _too_few(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """The metrics whose effects have no error: of too few queries, or because there is none of such an aggregate."""
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    is_paired = evaluation.query.options["design"] == "paired"
    known = {
        "mean": True,
        "sum": is_paired and not evaluation.query.has_weight,
        "geometric": evaluation.query.options["test"] == "t",  # which compares logarithms
    }
    unit = units_of(evaluation)
    whose = "in both runs" if is_paired else "in each arm"
    found = []
    for metric in evaluation.request.metrics:
        of_metric = [row for row in named if row["metric"] == metric.label]
        own = [row["standard_error"] for row in of_metric]
        few = own.count(None)
        n_equal = sum(row["standard_error"] == 0 and row["pvalue"] is None for row in of_metric)
        if n_equal:
            where = "" if len(own) == 1 else f" in {n_equal:,} of {len(own):,} rows"
            what = "all differences are equal" if is_paired else "all values of each arm are equal"
            other = "sign" if is_paired else "mann_whitney"
            found.append(
                f"{metric.label}: {what}{where}, so there is no variance: no interval and no p-value."
                f" test={other} has a p-value."
            )
        if few and known.get(metric.aggregate, False):
            where = "" if len(own) == 1 else f" in {few:,} of {len(own):,} rows"
            found.append(f"{metric.label}: no interval and no p-value{where}, because both need two {unit} {whose}.")
        elif few and few == len(own) and metric.aggregate != "parts":
            what = "differences" if is_paired else "arms"
            found.append(
                f"{metric.label}: no interval and no p-value, because no test compares {what} with"
                f" aggregate={metric.aggregate}."
            )
    return found


def _few_units(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """The metrics whose p-values rest on few queries, or on few that changed among many that did not."""
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    is_paired = evaluation.query.options["design"] == "paired"
    unit = units_of(evaluation)
    what = f"{unit} with a difference" if is_paired else f"{unit} in the smaller arm"
    what += ", counted by their weights" if evaluation.query.has_weight else ""
    for metric in evaluation.request.metrics:
        own = [row for row in named if row["metric"] == metric.label and row["pvalue"] is not None]
        few = [row for row in own if row["n_units"] < _HARDLY_TESTED and row["verdict"] != NO_DIFFERENCE]
        if few:
            where = "" if len(own) == 1 else f" in {len(few):,} of {len(own):,} rows"
            yield f"{metric.label}: fewer than {_HARDLY_TESTED} {what}{where}, so p-values and intervals are rough."
        drawn = [row for row in own if row["verdict"] in _OF_MEANS and _HARDLY_TESTED <= row["n_units"] < _SPARSE]
        if drawn and evaluation.query.options["test"] == "bootstrap":
            where = "" if len(own) == 1 else f" in {len(drawn):,} of {len(own):,} rows"
            yield (
                f"{metric.label}: fewer than {_SPARSE} {what}{where}, where test=bootstrap rejects too often"
                " (7.5 % of 30 queries that are alike). test=t keeps its level."
            )
        sparse = [row for row in own if row["verdict"].startswith(_OF_MEANS) and _is_sparse(row, is_paired)]
        if sparse:
            first = sparse[0]
            where = "" if len(own) == 1 else f" in {len(sparse):,} of {len(own):,} rows, such as {first['run']}"
            changed, total = int(first["n_higher"] + first["n_lower"]), int(first["n_queries"])
            yield (
                f"{metric.label}: only {changed:,} of {total:,} queries changed{where}. If changes in one"
                f" direction are rare and large, {evaluation.query.options['test']} rejects too often until"
                f" about {_SPARSE} queries have changed."
            )


def _is_sparse(row: Mapping[str, Any], is_paired: bool) -> bool:
    """Whether few queries changed, and most did not."""
    if not is_paired or row["n_higher"] is None or row["n_units"] < _HARDLY_TESTED:
        return False
    changed = row["n_higher"] + row["n_lower"]
    return bool(changed < _SPARSE and 2 * changed < row["n_queries"])


def _unadjusted(evaluation: Evaluation) -> Iterator[str]:
    """The metrics whose effects a covariate does not adjust, which are no means of the values of queries."""
    if evaluation.reads.covariate is not None:
        for metric in evaluation.request.metrics:
            if metric.aggregate != "mean":
                what = "a covariate adjusts only means of queries, so this effect is not adjusted"
                yield f"{metric.label}: {what}."


def _apart(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Of all pairs those that share no query, which have no row."""
    places = [columns.index(name) for name in ("baseline_run", "run")]
    there = {tuple(row[place] for place in places) for row in rows}
    runs = evaluation.statements.runs if evaluation.request.all_pairs else []
    for first, second in itertools.combinations(runs, 2):
        if (first, second) not in there:
            yield f"{first} and {second} have no query in common, so they are not compared."


def _sharp_ranks(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Tests of ranks find any difference, where there are many queries (Ihemelandu & Ekstrand 2023)."""
    test = evaluation.query.options["test"]
    n_queries = max((row[columns.index("n_queries")] for row in rows), default=0)
    if test not in ("wilcoxon", "sign") or n_queries <= _MANY_RANKS:
        return []
    what = "finds differences too small to matter. Look at the effect and its interval"
    return [f"test={test} over {n_queries:,} queries {what}."]
