"""Metrics of clicks, from their definitions: a grade of rel and above is a click, every item of the list was shown."""

from __future__ import annotations

from statistics import fmean

from .shared import hit_ranks, is_relevant, top


def ctr(grades, judged, k=None, rel=1):
    shown = top(grades, k)
    return fmean(is_relevant(grade, rel) for grade in shown) if shown else 0


def clicks(grades, judged, k=None, rel=1):
    return len(hit_ranks(grades, rel, k))


def abandonment(grades, judged, k=None, rel=1):
    return 0 if any(is_relevant(grade, rel) for grade in top(grades, k)) else 1


def zero_results(grades, judged):
    return 0 if grades else 1


def mean_click_position(grades, judged, k=None, no_click="null", rel=1):
    ranks = hit_ranks(grades, rel, k)
    return fmean(ranks) if ranks else None


def first_click_position(grades, judged, k=None, no_click="null", rel=1):
    return min(hit_ranks(grades, rel, k), default=None)


def last_click_position(grades, judged, k=None, no_click="null", rel=1):
    return max(hit_ranks(grades, rel, k), default=None)


def mrr_clicks(grades, judged, k=None, no_click="null", rel=1):
    ranks = hit_ranks(grades, rel, k)
    return fmean(1 / rank for rank in ranks) if ranks else 0 if no_click == 0 else None


METRICS = {
    function.__name__: function
    for function in (
        ctr, clicks, abandonment, zero_results, mean_click_position, first_click_position, last_click_position,
        mrr_clicks,
    )
} | {"ctr_pooled": ctr}  # of one request they are the same  # fmt: skip
