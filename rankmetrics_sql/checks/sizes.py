"""Rough sizes of the inputs, which decide how they are checked and ranked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from ..relation import Relation
from .inspector import Counts, InputInspector
from .orders import queries_of_ties, ties_of

# With more rows than these, duplicates are looked for in one of so many lists, or of fewer where that would leave
# hardly any. A duplicate in one list is then missed in 63 of 64 cases, duplicates in ten lists in 85 %, in a hundred in
# 21 %, in a thousand in one case of seven million.
EXACT_ROWS = 1_000_000
SHARE = 64
_SOME_LISTS = 20
_FEW_ROWS = 1_000
CHEAP_ROWS = 100_000


class Sample(NamedTuple):
    """Counts over a share of the lists of a relation.

    Attributes:
        n_lists: lists.
        n_rows: rows.
        n_distinct: different ids of rows.
        n_judged: rows with a judgment.
        n_judgments: judgments of their queries.
        n_tied: lists in which the order of equal scores decides a value, where that was asked.
    """

    n_lists: int
    n_rows: int
    n_distinct: int
    n_judged: int
    n_judgments: int
    n_tied: int


def count_rows(
    inspector: InputInspector, relations: Sequence[Relation], distinct: Sequence[bool], *, together: bool
) -> list[Counts]:
    """Return the counts of relations.

    Args:
        inspector: asks, and remembers them.
        relations: whose rows.
        distinct: of each whether different ids are counted.
        together: whether one statement counts all of them, rather than one after the other.
    """
    columns = [
        {"input": relation, "value": relation.value, "distinct": is_distinct}
        for relation, is_distinct in zip(relations, distinct, strict=True)
    ]
    parts = [columns] if together else [[one] for one in columns]
    rows = [row for part in parts for row in sorted(inspector.rows("counts", part), key=itemgetter(0))]
    counts = [Counts(*row[1:]) for row in rows]
    for relation, count in zip(relations, counts, strict=True):
        inspector.counts[relation] = count
    return counts


def lowest_grade(inspector: InputInspector, judged: Relation) -> float | None:
    """Return the lowest grade of judgments."""
    counts = inspector.counts.get(judged)
    if counts is not None:
        return counts.lowest
    lowest: float | None = inspector.row_once("totals", judged, ["MIN(r.relevance)"])[0]
    return lowest


def most_rows(inspector: InputInspector, relation: Relation) -> float:
    """Return the number of rows of a relation, if that is known; infinite if it is not."""
    counts = inspector.counts.get(relation)
    return math.inf if counts is None else counts.n_rows


def rows_and_lists(inspector: InputInspector, relation: Relation) -> tuple[int, int]:
    """Return the number of rows, and roughly the number of lists."""
    [size] = sizes_of(inspector, [relation])
    return size


def sizes_of(inspector: InputInspector, relations: Sequence[Relation]) -> list[tuple[int, int]]:
    """Return the number of rows, and roughly of lists, of each relation; one statement counts all unknown ones."""
    for one in relations:
        if one.facts.size and one.columns["query_id"] == ["query_id"]:
            inspector.sizes[one] = one.facts.size
    unknown = [one for one in relations if inspector.sizes.get(one) is None]
    for place, n_rows, n_lists in inspector.rows("sizes", unknown) if unknown else ():
        inspector.sizes[unknown[place - 1]] = n_rows, n_lists
    return [size for one in relations if (size := inspector.sizes.get(one))]


def rows_per_list(inspector: InputInspector, relation: Relation) -> float:
    """Return the mean number of rows of a list, roughly."""
    n_rows, n_lists = rows_and_lists(inspector, relation)
    return n_rows / max(n_lists, 1)


def judgments_per_query(inspector: InputInspector) -> float:
    """Return the mean number of judgments of a query, roughly; infinite where there are none."""
    return math.inf if inspector.plan.qrels is None else rows_per_list(inspector, inspector.plan.qrels)


def items_per_list(inspector: InputInspector) -> float:
    """Return the mean number of items in a list of the first run, roughly."""
    return rows_per_list(inspector, inspector.plan.runs[0])


def has_few_rows(inspector: InputInspector) -> bool:
    """Return whether the first run is so small that every statement over it is fast."""
    return rows_and_lists(inspector, inspector.plan.runs[0])[0] <= _FEW_ROWS


def has_many_rows(inspector: InputInspector) -> bool:
    """Return whether the first run is so large that only a share of it is looked at."""
    return rows_and_lists(inspector, inspector.plan.runs[0])[0] > EXACT_ROWS


def shares_of_lists(inspector: InputInspector, relations: Sequence[Relation], whole: Sequence[bool]) -> list[int]:
    """Of how many lists of each relation one is looked at: all where rows are few, or where no hash can choose.

    Args:
        inspector: asks how large they are.
        relations: whose lists.
        whole: of each whether all are looked at anyway.
    """
    is_partly = [not is_whole and inspector.is_canonical for is_whole in whole]
    sizes_of(inspector, [one for one, partly in zip(relations, is_partly, strict=True) if partly])
    return [
        _share(inspector, one) if partly and rows_and_lists(inspector, one)[0] > EXACT_ROWS else 1
        for one, partly in zip(relations, is_partly, strict=True)
    ]


def share_of_few(inspector: InputInspector, relation: Relation) -> int:
    """Of how many lists one is looked at, where that is not worth a second look at many rows."""
    are_all = not inspector.is_canonical or rows_and_lists(inspector, relation)[0] <= CHEAP_ROWS
    return 1 if are_all else _share(inspector, relation)


def _share(inspector: InputInspector, relation: Relation) -> int:
    return max(1, min(SHARE, rows_and_lists(inspector, relation)[1] // _SOME_LISTS))


def sample(inspector: InputInspector, relation: Relation, share: int) -> Sample:
    """Counts over one of so many lists: all that is asked of a large relation, in one look at its items."""
    plan = inspector.plan
    is_run = all(relation is not judged for judged in plan.judgments)
    ties = ties_of(plan) if is_run and relation.value == "score" and plan.check in ("auto", "full") else None
    among = queries_of_ties(inspector) if ties else []
    return Sample(*inspector.row_once("share", relation, plan.qrels if is_run else None, share, ties, among))


def judged_per_list(inspector: InputInspector) -> float:
    """Return the mean number of judged items in a list of the first run, by a sample."""
    run = inspector.plan.runs[0]
    sampled = sample(inspector, run, _share(inspector, run))
    return sampled.n_judged / max(sampled.n_lists, 1)


def most_judgments(inspector: InputInspector) -> int:
    """Return the number of judgments of the query with the most."""
    return int(inspector.row("most_rows", inspector.plan.qrels)[0]) if inspector.plan.qrels else 0


def skew(inspector: InputInspector) -> float:
    """How often an item of the first run meets a judgment of its query, in units of what equal queries would give.

    One long list with many judgments has more such pairs than all others together, though no mean shows it.
    """
    plan = inspector.plan
    if plan.qrels is None:
        return 1
    n_pairs, n_items, n_judgments = inspector.row("pairs", plan.runs[0], plan.qrels)
    n_queries = rows_and_lists(inspector, plan.qrels)[1]
    return float(n_pairs) * n_queries / max(float(n_items) * float(n_judgments), 1)


def filled_places(
    inspector: InputInspector, run: Relation, among: Sequence[Mapping[str, Any]], k: int
) -> list[tuple[str, int]]:
    """Return how many of the first k places have an item, of each run in a relation: its name, empty for the only one.

    Args:
        inspector: runs the checks.
        run: whose lists.
        among: what says which queries count, as ``counting`` gives it.
        k: how many places.
    """
    is_repeated = inspector.plan.options["duplicates"] != "error"
    return [(str(name), int(n_places)) for name, n_places in inspector.rows("filled", run, among, k, is_repeated)]
