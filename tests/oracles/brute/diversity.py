"""The metrics of diversity once more: a ranking of ids, and for each item its grade by subtopic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count, islice
from math import log2
from typing import Any

Subtopics = Mapping[str, Mapping[Any, float]]


def served(item: str, subtopics: Subtopics, rel: float) -> set[Any]:
    """The subtopics that an item is relevant to."""
    return {subtopic for subtopic, grade in subtopics.get(item, {}).items() if grade >= rel}


def wanted(subtopics: Subtopics, rel: float) -> set[Any]:
    """The subtopics that there is something to find for."""
    return set().union(*(served(item, subtopics, rel) for item in subtopics))


def ndeval_order(items: Iterable[str]) -> list[str]:
    return sorted(items, key=str.encode, reverse=True)


class Reader:
    """Somebody who finds less in an item the more of the same has been read."""

    def __init__(self, subtopics: Subtopics, rel: float, alpha: float) -> None:
        self._subtopics, self._rel, self._alpha = subtopics, rel, alpha
        self._interest = dict.fromkeys(wanted(subtopics, rel), 1.0)

    def gain(self, item: str) -> float:
        return sum(sorted(self._interest[subtopic] for subtopic in served(item, self._subtopics, self._rel)))

    def read(self, item: str) -> float:
        gain = self.gain(item)
        for subtopic in served(item, self._subtopics, self._rel):
            self._interest[subtopic] *= 1 - self._alpha
        return gain


def gains(ranking: Iterable[str], subtopics: Subtopics, rel: float, alpha: float) -> list[float]:
    reader = Reader(subtopics, rel, alpha)
    return [reader.read(item) for item in ranking]


def greedy(subtopics: Subtopics, rel: float, alpha: float) -> list[str]:
    """Always the item that gains most now; of several the last by the bytes of its id."""
    reader, left, found = Reader(subtopics, rel, alpha), ndeval_order(subtopics), []
    while left:
        best = max(left, key=lambda item: round(reader.gain(item), 12))  # the first of them
        reader.read(best)
        left.remove(best)
        found.append(best)
    return found


def logarithmic() -> Iterator[float]:
    return (1 / log2(rank + 1) for rank in count(1))


def reciprocal() -> Iterator[float]:
    return (1 / rank for rank in count(1))


def patient(beta: float) -> Iterator[float]:
    return (beta**rank for rank in count())


def weighted(found: list[float], weights: Iterator[float], k: int | None) -> float:
    return sum(gain * weight for gain, weight in zip(found[:k], weights, strict=False))


def over_full(ranking, subtopics, k, rel, alpha, weights) -> float:
    """Over what a list of k items that serve everything would have; without k, of as many as the list has."""
    places = len(ranking) if k is None else k
    full = [len(wanted(subtopics, rel)) * (1 - alpha) ** place for place in range(places)]
    highest = weighted(full, weights(), places)
    return weighted(gains(ranking, subtopics, rel, alpha), weights(), k) / highest if highest else 0.0


def over_ideal(ranking, subtopics, k, rel, alpha, weights) -> float:
    highest = weighted(gains(greedy(subtopics, rel, alpha), subtopics, rel, alpha), weights(), k)
    return weighted(gains(ranking, subtopics, rel, alpha), weights(), k) / highest if highest else 0.0


def alpha_dcg(ranking, subtopics, k=None, alpha=0.5, rel=1):
    return over_full(ranking, subtopics, k, rel, alpha, logarithmic)


def alpha_ndcg(ranking, subtopics, k=None, alpha=0.5, rel=1):
    return over_ideal(ranking, subtopics, k, rel, alpha, logarithmic)


def err_ia(ranking, subtopics, k=None, alpha=0.5, rel=1):
    return over_full(ranking, subtopics, k, rel, alpha, reciprocal)


def nerr_ia(ranking, subtopics, k=None, alpha=0.5, rel=1):
    return over_ideal(ranking, subtopics, k, rel, alpha, reciprocal)


def nrbp(ranking, subtopics, alpha=0.5, beta=0.5, rel=1):
    """An endless list that serves everything gains a geometric series."""
    highest = len(wanted(subtopics, rel)) / (1 - (1 - alpha) * beta)
    return weighted(gains(ranking, subtopics, rel, alpha), patient(beta), None) / highest if highest else 0.0


def nnrbp(ranking, subtopics, alpha=0.5, beta=0.5, rel=1):
    return over_ideal(ranking, subtopics, None, rel, alpha, lambda: patient(beta))


def by_intent(ranking, subtopics, rel, metric) -> float:
    """The mean over the subtopics of a metric that takes hits in rank order and the number of relevant items."""
    intents = wanted(subtopics, rel)
    values = []
    for intent in intents:
        hits = [intent in served(item, subtopics, rel) for item in ranking]
        values.append(metric(hits, sum(intent in served(item, subtopics, rel) for item in subtopics)))
    return sum(values) / len(values) if values else 0.0


def ap_ia(ranking, subtopics, rel=1):
    def average_precision(hits, n_relevant):
        return sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, start=1) if hit) / n_relevant

    return by_intent(ranking, subtopics, rel, average_precision)


def p_ia(ranking, subtopics, k=None, rel=1):
    places = len(ranking) if k is None else k
    return by_intent(ranking, subtopics, rel, lambda hits, _: sum(hits[:k]) / places if places else 0.0)


def st_recall(ranking, subtopics, k=None, rel=1):
    return by_intent(ranking, subtopics, rel, lambda hits, _: float(any(islice(hits, k))))


METRICS = {
    metric.__name__: metric
    for metric in (alpha_dcg, alpha_ndcg, err_ia, nerr_ia, nrbp, nnrbp, ap_ia, p_ia, st_recall)
}  # fmt: skip
