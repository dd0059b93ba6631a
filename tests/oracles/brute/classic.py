"""The metrics that everybody knows, from their formulas."""

from __future__ import annotations

from .shared import discounted, hit_ranks, hits, is_relevant, relevant, top, worth


def places(grades, judged, k, precision_denominator, rel):
    if k is None:
        return len(grades)
    return {"k": k, "min_k_retrieved": min(k, len(grades)), "min_k_relevant": min(k, relevant(judged, rel))}[
        precision_denominator
    ]


def p(grades, judged, k=None, rel=1, precision_denominator="k"):
    length = places(grades, judged, k, precision_denominator, rel)
    return hits(grades, rel, k) / length if length else 0


def r(grades, judged, k=None, rel=1):
    total = relevant(judged, rel)
    return hits(grades, rel, k) / total if total else 0


def f(grades, judged, k=None, beta=1, rel=1, f_beta="squared", precision_denominator="k"):
    """Written with counts: P = h / n and R = h / total make (1 + w) P R / (w P + R) = (1 + w) h / (w total + n)."""
    weight = beta if f_beta == "plain" else beta**2
    bottom = weight * relevant(judged, rel) + places(grades, judged, k, precision_denominator, rel)
    return (1 + weight) * hits(grades, rel, k) / bottom if bottom else 0


def success(grades, judged, k=None, rel=1):
    return 1 if hits(grades, rel, k) else 0


def rr(grades, judged, k=None, rel=1):
    return next((1 / rank for rank in hit_ranks(grades, rel, k)), 0)


def ap(grades, judged, k=None, rel=1, ap_denominator="relevant"):
    ranks = hit_ranks(grades, rel, k)
    total = relevant(judged, rel)
    bottom = {"relevant": total, "min_relevant_k": min(total, k or total), "retrieved_relevant": len(ranks), "k": k}[
        ap_denominator
    ]
    return sum(number / rank for number, rank in enumerate(ranks, start=1)) / bottom if bottom else 0


def cg(grades, judged, k=None, gain="linear", rel=1):
    return sum(worth(grade, gain, rel) for grade in top(grades, k))


def dcg(grades, judged, k=None, gain="linear", rel=1, discount="log2"):
    return discounted([worth(grade, gain, rel) for grade in top(grades, k)], discount)


def grade_at(grades, judged, rank=1):
    return grades[rank - 1] if rank <= len(grades) else None


def idcg(grades, judged, k=None, gain="linear", rel=1, discount="log2", ideal_depth="min_k"):
    if ideal_depth == "all_relevant":
        return discounted([1.0] * k, discount)
    pool = [grade for grade in grades if grade is not None] if ideal_depth == "present" else judged
    gains = sorted((worth(grade, gain, rel) for grade in pool), reverse=True)
    depth = {"uncut": None, "min_k_retrieved": min(k or len(grades), len(grades))}.get(ideal_depth, k)
    return discounted(top([gain for gain in gains if gain > 0], depth), discount)


def ndcg(grades, judged, k=None, gain="linear", rel=1, discount="log2", ideal_depth="min_k", zero_ideal=0):
    ideal = idcg(grades, judged, k, gain, rel, discount, ideal_depth)
    empty = None if zero_ideal in ("null", "skip") else zero_ideal
    return dcg(grades, judged, k, gain, rel, discount) / ideal if ideal > 0 else empty


def rprec(grades, judged, rel=1):
    total = relevant(judged, rel)
    return hits(grades, rel, total) / total if total else 0


def rbp(grades, judged, k=None, p=0.8, rel=1, rbp_gain="binary"):
    highest = max(1, *judged, 1) if judged else 1

    def gain(grade):
        if rbp_gain == "binary":
            return 1 if is_relevant(grade, rel) else 0
        return max(grade or 0, 0) / (highest if rbp_gain == "scaled" else 1)

    return sum((1 - p) * p ** (rank - 1) * gain(grade) for rank, grade in enumerate(top(grades, k), start=1))


def rbp_residual(grades, judged, k=None, p=0.8):
    return 1 - sum((1 - p) * p ** (rank - 1) for rank, grade in enumerate(top(grades, k), start=1) if grade is not None)


def err(grades, judged, k=None, err_max=4):
    value, reached = 0.0, 1.0
    for rank, grade in enumerate(top(grades, k), start=1):
        stops = (2.0 ** min(grade, err_max) - 1) / 2**err_max if grade is not None and grade > 0 else 0.0
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


def judged(grades, judged, k=None, rel=1, precision_denominator="k"):
    length = places(grades, judged, k, precision_denominator, rel)
    return sum(1 for grade in top(grades, k) if grade is not None) / length if length else 0


def num_q(grades, judged):
    return 1


def num_ret(grades, judged):
    return len(grades)


def num_rel(grades, judged, rel=1):
    return relevant(judged, rel)


def num_rel_ret(grades, judged, k=None, rel=1):
    return hits(grades, rel, k)


METRICS = {
    function.__name__: function
    for function in (
        p, r, f, success, rr, ap, cg, grade_at, dcg, idcg, ndcg, rprec, rbp, rbp_residual, err, bpref, judged,
        num_q, num_ret, num_rel, num_rel_ret,
    )
}  # fmt: skip
