"""Metrics of recommenders and of learning to rank, from their definitions: pairs are looked at one by one."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from statistics import fmean

from .classic import places
from .shared import hit_ranks, hits, is_relevant, relevant, top


def mar(grades, judged, k=None, rel=1):
    total = relevant(judged, rel)
    recalls = [hits(grades, rel, rank) / total for rank in hit_ranks(grades, rel, k)] if total else []
    return sum(recalls) / total if total else 0


def r_cap(grades, judged, k=None, rel=1):
    possible = len(top([1] * relevant(judged, rel), k))
    return hits(grades, rel, k) / possible if possible else 0


def nonrelevant_items(grades, judged, rel, collection_size):
    """Those without a judgment; those with one, in the list or not; at least what the size of the collection leaves."""
    graded = sum(1 for grade in grades if grade is not None and grade < rel)
    known = grades.count(None) + max(graded, len(judged) - relevant(judged, rel))
    return max(known, (collection_size or 0) - relevant(judged, rel))


def fallout(grades, judged, k=None, no_nonrelevant=0, rel=1, collection_size=None):
    every = nonrelevant_items(grades, judged, rel, collection_size)
    if not every:
        return None if no_nonrelevant == "null" else no_nonrelevant
    return sum(1 for grade in top(grades, k) if not is_relevant(grade, rel)) / every


def mcc(grades, judged, k=None, rel=1, precision_denominator="k", collection_size=None):
    tp = hits(grades, rel, k)
    fp = places(grades, judged, k, precision_denominator, rel) - tp
    fn = relevant(judged, rel) - tp
    tn = max(nonrelevant_items(grades, judged, rel, collection_size) - fp, 0)  # a place without an item is a miss too
    sums = [tp + fp, tp + fn, tn + fp, tn + fn]
    return (tp * tn - fp * fn) / sqrt(sums[0] * sums[1] * sums[2] * sums[3]) if min(sums) > 0 else 0


def split(grades, rel):
    """The ranks of the relevant and of the other items."""
    found = hit_ranks(grades, rel)
    return found, [rank for rank in range(1, len(grades) + 1) if rank not in found]


def auc(grades, judged, max_fpr=None, tied_curve="stairs", no_pair=0, rel=1):
    good, bad = split(grades, rel)
    if not good or not bad:
        return None if no_pair == "null" else no_pair
    limit = max_fpr or 1
    area = 0.0
    for number, rank in enumerate(bad):
        height = sum(1 for other in good if other < rank) / len(good)
        area += height * max(0, min(limit, (number + 1) / len(bad)) - number / len(bad))
    return 0.5 * (1 + (area - limit**2 / 2) / (limit - limit**2 / 2))


def label_ranking_loss(grades, judged, rel=1):
    good, bad = split(grades, rel)
    return fmean(one > other for one in good for other in bad) if good and bad else 0


def coverage_error(grades, judged, rel=1):
    return max(hit_ranks(grades, rel), default=0)


def arp(grades, judged):
    weights = [max(grade or 0, 0) for grade in grades]
    return fmean(range(1, len(grades) + 1), weights=weights) if any(weights) else 0


def amr(grades, judged, rel=1):
    ranks = hit_ranks(grades, rel)
    return fmean(ranks) / fmean(range(1, len(grades) + 1)) if ranks else 0


def opa(grades, judged):
    worth = [max(grade or 0, 0) for grade in grades]
    unequal = [(first, second) for first, second in combinations(worth, 2) if first != second]
    return fmean(first > second for first, second in unequal) if unequal else 0


def unseen_share(grades, judged, k=None):
    shown = top(grades, k)
    return shown.count(None) / len(shown) if shown else None


METRICS = {
    function.__name__: function
    for function in (unseen_share, mar, r_cap, fallout, mcc, auc, label_ranking_loss, coverage_error, arp, amr, opa)
}
