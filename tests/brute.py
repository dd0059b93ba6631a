"""Every metric once more, in plain Python from its formula: slow, obvious, and sharing nothing with the package.

A ranking is the list of grades in rank order, None where an item is not judged; ``judged`` are the grades of all
judgments of the query, retrieved or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log2
from statistics import fmean
from typing import Any

Grades = list[float | None]
Run = Mapping[Any, Mapping[Any, float]]


def ranked(items: Mapping[Any, float], ties: str = "item_desc") -> list[Any]:
    by_item = sorted(items, key=lambda item: str(item).encode(), reverse=ties == "item_desc")
    return sorted(by_item, key=lambda item: -items[item])


def worth(grade: float | None, gain: Any, rel: float) -> float:
    if grade is None:
        return 0.0
    if isinstance(gain, dict) and grade in gain:
        return gain[grade]
    if gain == "binary":
        return 1.0 if grade >= rel else 0.0
    if grade <= 0:
        return 0.0
    return 2.0**grade - 1 if gain == "exp2" else float(grade)


def top(grades: list[Any], k: int | None) -> list[Any]:
    return grades if k is None else grades[:k]


def hits(grades: Grades, rel: float, k: int | None) -> int:
    return sum(1 for grade in top(grades, k) if grade is not None and grade >= rel)


def relevant(judged: list[float], rel: float) -> int:
    return sum(1 for grade in judged if grade >= rel)


def discounted(gains: list[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def p(grades, judged, k=None, rel=1):
    length = k or len(grades)
    return hits(grades, rel, k) / length if length else 0


def r(grades, judged, k=None, rel=1):
    total = relevant(judged, rel)
    return hits(grades, rel, k) / total if total else 0


def f(grades, judged, k=None, beta=1, rel=1):
    precision, recall = p(grades, judged, k, rel), r(grades, judged, k, rel)
    bottom = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / bottom if bottom else 0


def success(grades, judged, k=None, rel=1):
    return 1 if hits(grades, rel, k) else 0


def rr(grades, judged, k=None, rel=1):
    return next(
        (1 / rank for rank, grade in enumerate(top(grades, k), start=1) if grade is not None and grade >= rel), 0
    )


def ap(grades, judged, k=None, rel=1, ap_denominator="relevant"):
    ranks = [rank for rank, grade in enumerate(top(grades, k), start=1) if grade is not None and grade >= rel]
    total = relevant(judged, rel)
    bottom = {"relevant": total, "min_relevant_k": min(total, k or total), "retrieved_relevant": len(ranks), "k": k}[
        ap_denominator
    ]
    return sum(number / rank for number, rank in enumerate(ranks, start=1)) / bottom if bottom else 0


def cg(grades, judged, k=None, gain="linear", rel=1):
    return sum(worth(grade, gain, rel) for grade in top(grades, k))


def dcg(grades, judged, k=None, gain="linear", rel=1):
    return discounted([worth(grade, gain, rel) for grade in top(grades, k)])


def idcg(grades, judged, k=None, gain="linear", rel=1):
    gains = sorted((worth(grade, gain, rel) for grade in judged), reverse=True)
    return discounted(top([gain for gain in gains if gain > 0], k))


def ndcg(grades, judged, k=None, gain="linear", rel=1, zero_ideal=0):
    ideal = idcg(grades, judged, k, gain, rel)
    empty = None if zero_ideal in ("null", "skip") else zero_ideal
    return dcg(grades, judged, k, gain, rel) / ideal if ideal > 0 else empty


def rprec(grades, judged, rel=1):
    total = relevant(judged, rel)
    return hits(grades, rel, total) / total if total else 0


def rbp(grades, judged, k=None, p=0.8, rel=1):
    return sum(
        (1 - p) * p ** (rank - 1)
        for rank, grade in enumerate(top(grades, k), start=1)
        if grade is not None and grade >= rel
    )


def rbp_residual(grades, judged, k=None, p=0.8):
    return 1 - sum((1 - p) * p ** (rank - 1) for rank, grade in enumerate(top(grades, k), start=1) if grade is not None)


def err(grades, judged, k=None, err_max=4):
    value, reached = 0.0, 1.0
    for rank, grade in enumerate(top(grades, k), start=1):
        stops = (2.0**grade - 1) / 2**err_max if grade is not None and grade > 0 else 0.0
        value += reached * stops / rank
        reached *= 1 - stops
    return value


def bpref(grades, judged, rel=1):
    total, nonrelevant = relevant(judged, rel), sum(1 for grade in judged if 0 <= grade < rel)
    value, above = 0.0, 0
    for grade in grades:
        if grade is not None and grade >= rel:
            value += 1 - min(above, total) / min(nonrelevant, total) if above else 1
        elif grade is not None and grade >= 0:
            above += 1
    return value / total if total else 0


def judged(grades, judged, k=None):
    length = k or len(grades)
    return sum(1 for grade in top(grades, k) if grade is not None) / length if length else 0


def num_q(grades, judged):
    return 1


def num_ret(grades, judged):
    return len(grades)


def num_rel(grades, judged, rel=1):
    return relevant(judged, rel)


def num_rel_ret(grades, judged, k=None, rel=1):
    return hits(grades, rel, k)


METRICS: Mapping[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        p, r, f, success, rr, ap, cg, dcg, idcg, ndcg, rprec, rbp, rbp_residual, err, bpref, judged,
        num_q, num_ret, num_rel, num_rel_ret,
    )
}  # fmt: skip


def universe(run: Run, qrels: Run, queries: str, rel: float = 1) -> list[Any]:
    answered = [query for query in run if run[query]]
    return {
        "judged": list(qrels),
        "judged_retrieved": [query for query in qrels if query in answered],
        "retrieved": answered,
        "judged_relevant": [query for query in qrels if relevant(list(qrels[query].values()), rel)],
    }[queries]


def per_query(
    run: Run,
    qrels: Run,
    name: str,
    params: Mapping[str, Any],
    *,
    ties="item_desc",
    queries="judged",
    unjudged="nonrelevant",
    depth=None,
    rel=1,
):
    """The metric's value for every query of the universe."""
    values = {}
    for query in universe(run, qrels, queries, rel):
        grades = qrels.get(query, {})
        found: Grades = [grades.get(item) for item in top(ranked(run.get(query, {}), ties), depth)]
        if unjudged == "drop":
            found = [grade for grade in found if grade is not None]
        values[query] = METRICS[name](found, list(grades.values()), **params)
    return values


def mean(values: Mapping[Any, float | None]) -> float:
    return fmean(value for value in values.values() if value is not None)
