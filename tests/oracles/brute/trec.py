"""The rest of trec_eval's measures, from their formulas."""

from __future__ import annotations

from itertools import groupby
from math import floor, log, log2

from .classic import ap, bpref, ndcg, p, r
from .shared import discounted, hit_ranks, hits, is_relevant, relevant, top, worth


def gm_map(grades, judged, k=None, rel=1, ap_denominator="relevant"):
    return ap(grades, judged, k, rel, ap_denominator)


def gm_bpref(grades, judged, rel=1):
    return bpref(grades, judged, rel)


def infap(grades, judged, rel=1, epsilon=1e-5):
    """The precision expected at each relevant item: 1 for it, what is known for the pooled above, 0 for others."""
    total, value = relevant(judged, rel), 0.0
    for rank in hit_ranks(grades, rel):
        above = [grade for grade in grades[: rank - 1] if grade is not None]
        known = [grade for grade in above if grade >= 0 or grade >= rel]
        estimate = (hits(known, rel) + epsilon) / (len(known) + 2 * epsilon)
        value += (1 + len(above) * estimate) / rank
    return value / total if total else 0


def precisions(grades, rel):
    return [number / rank for number, rank in enumerate(hit_ranks(grades, rel), start=1)]


def iprec(grades, judged, recall=0.5, rel=1, iprec_rounding="nearest"):
    level = floor(recall * relevant(judged, rel) + (0.9 if iprec_rounding == "up" else 0.5))
    return max(precisions(grades, rel)[max(level, 1) - 1 :], default=0)


def iprec_avg(grades, judged, rel=1, iprec_rounding="nearest"):
    return sum(iprec(grades, judged, tenth / 10, rel, iprec_rounding) for tenth in range(11)) / 11


def rprec_mult(grades, judged, factor=1, rel=1):
    cutoff = floor(factor * relevant(judged, rel) + 0.9)
    return p(grades, judged, cutoff, rel) if cutoff else 0


def ideal_gains(judged, gain, rel):
    gains = sorted((worth(grade, gain, rel) for grade in judged), reverse=True)
    return [value for value in gains if value > 0]


def rndcg(grades, judged, gain="linear", rel=1):
    ideal = ideal_gains(judged, gain, rel)
    if not ideal or not relevant(judged, rel):
        return 0
    cutoffs, last = [], 0
    for _, places in groupby(ideal):
        last += len(list(places))
        cutoffs.append(last)
    if len(grades) > len(ideal) + 1:
        cutoffs.append(len(grades))
    return sum(ndcg(grades, judged, cutoff, gain, rel) for cutoff in cutoffs) / len(cutoffs)


def ndcg_rel(grades, judged, gain="linear", rel=1):
    """Every item with a gain has a cutoff: its own rank, or the end of all things where it is not retrieved."""
    ideal = ideal_gains(judged, gain, rel)
    if not ideal:
        return 0
    ranks = [rank for rank, grade in enumerate(grades, start=1) if worth(grade, gain, rel) > 0]
    value = sum(ndcg(grades, judged, rank, gain, rel) for rank in ranks)
    whole = discounted([worth(grade, gain, rel) for grade in grades]) / discounted(ideal)
    return max(0, value + (len(ideal) - len(ranks)) * whole) / len(ideal)


def g(grades, judged, gain="linear", rel=1):
    ideal = ideal_gains(judged, gain, rel)
    value, behind = 0.0, 0.0
    for place, grade in enumerate(grades):
        found = worth(grade, gain, rel)
        behind += max(ideal[place] if place < len(ideal) else 0, 1) - found
        value += found / log2(2 + max(behind, 0))
    return value / sum(ideal) if ideal else 0


def bin_g(grades, judged, rel=1):
    value, others = 0.0, 0
    for grade in grades:
        if is_relevant(grade, rel):
            value += 1 / log2(2 + others)
        else:
            others += 1
    total = relevant(judged, rel)
    return value / total if total else 0


def relative_p(grades, judged, k=None, rel=1):
    places = len(grades) if k is None else k
    best = min(places, relevant(judged, rel))
    return hits(grades, rel, k) / best if best else 0


def set_ap(grades, judged, rel=1):
    return p(grades, judged, None, rel) * r(grades, judged, None, rel)


def utility(grades, judged, a=1, b=-1, c=0, d=0, rel=1, collection_size=None):
    found, total = hits(grades, rel), relevant(judged, rel)
    other = len(grades) - found
    missed = total - found
    known = len(grades) + len(judged) - sum(1 for grade in grades if grade is not None)
    size = known if collection_size in (None, "none") else collection_size
    return a * found + b * other + c * missed + d * (size - found - other - missed)


def num_nonrel_judged_ret(grades, judged, rel=1):
    return sum(1 for grade in grades if grade is not None and 0 <= grade < rel)


def unjudged(grade):
    return grade is None or grade < 0


def unj(grades, judged, k=None):
    length = len(grades) if k is None else k
    return sum(map(unjudged, top(grades, k))) / length if length else 0


def rbp_resid(grades, judged, p=0.9):
    """The weight of the unjudged places and of all that may follow the list."""
    places = [rank for rank, grade in enumerate(grades) if unjudged(grade)]
    return sum((1 - p) * p**rank for rank in places) + p ** len(grades) if places else 0


def yaap(grades, judged, rel=1):
    total, value = relevant(judged, rel), sum(precisions(grades, rel))
    return log((1 + value) / (1 + max(total - value, 0)))


METRICS = {
    function.__name__: function
    for function in (
        gm_map, gm_bpref, infap, iprec, iprec_avg, rprec_mult, rndcg, ndcg_rel, g, bin_g, relative_p, set_ap, utility,
        num_nonrel_judged_ret, unj, rbp_resid, yaap,
    )
}  # fmt: skip
