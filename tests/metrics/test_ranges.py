"""Random data under random options: a value is within the range that its metric's header promises, or refused."""

from __future__ import annotations

import random

import pytest

import rankmetrics_sql as rm
from rankmetrics_sql.definitions.catalogue import metrics
from rankmetrics_sql.definitions.resolution import resolve_metrics, resolve_options
from rankmetrics_sql.templates import macros

from ..conftest import quietly
from ..everything import seeds
from .test_oracles import as_text

ITEMS = "abcdefgh"
# Values that a range is about; ideal_depth=all_relevant is not: its ideal is that of gains of 1, whatever the grades.
PARAMS = {
    "k": (1, 3, 9),
    "rel": (1, 2, 0.5),
    "beta": (0, 0.5, 3),
    "p": (0.5, 0.8),
    "gain": ("exp2", "binary", {1: 5, 2: 7}),
    "discount": ("ln", "none", "zipf", "log2_rank", 3),
    "ideal_depth": ("min_k_retrieved", "present", "uncut"),
    "zero_ideal": (1, "null"),
    "no_relevant": (0, 1, "null"),
    "precision_denominator": ("min_k_retrieved", "min_k_relevant"),
    "ap_denominator": ("min_relevant_k", "retrieved_relevant", "k"),
    "rbp_gain": ("scaled",),
    "f_beta": ("plain",),
    "recall": (0, 0.35, 1),
    "factor": (0.35, 3.3),
    "collection_size": (20, 100),
    "tied_curve": ("stairs",),
    "err_max": (3, 5),
}
OPTIONS = {
    "unjudged": ("nonrelevant", "drop", "relevant", "mean", "median", 2, 1, 0, 6),
    "judgments": ("all", "given", "given", "retrieved"),
    "queries": ("judged", "judged_retrieved", "judged_relevant"),
    "negative_grades": ("judged", "unjudged"),
    "depth": (None, 2),
    "ties": ("item_desc", "best", "worst", "expected"),
}


def data(rng):
    queries = [str(number) for number in range(8)]
    run = {query: {item: rng.choice([1, 2, 3]) for item in rng.sample(ITEMS, rng.randint(1, 6))} for query in queries}
    grades = [[0, 0, 0, 1], [-1, 0, 1, 2, 3]]
    qrels = {
        query: {item: rng.choice(grades[int(query) % 2]) for item in rng.sample(ITEMS, rng.randint(1, 6))}
        for query in queries
    }
    return run, qrels


def drawn(rng, metric):
    names = [name for name in metric.params if name in PARAMS and rng.random() < 0.5]
    if metric.name == "judged":  # a share of the relevant items is no share of places
        names = [name for name in names if name != "precision_denominator"]
    return {name: rng.choice(PARAMS[name]) for name in names}


def accepted(rng, given):
    """A metric string of every metric that these options are for, with what it resolves to."""
    for metric in metrics().values():
        if metric.name == "zero_results" and given["queries"] == "judged_retrieved":
            continue  # such a request is refused, whatever else it asks for
        if metric.of_grades:
            text = as_text(metric.name, drawn(rng, metric))
            try:
                yield text, resolve_metrics([text], resolve_options(given))[0]
            except rm.UsageError:
                continue


def may_be_null(metric):
    """Whether a choice asks for no value where there is nothing to say, or its threshold for queries of its own."""
    if metric.name == "unseen_share":
        return True  # of a list that shows nothing
    asked = {str(value) for value in metric.params.values()}
    return bool({"null", "skip"} & asked) or metric.ranking["queries"] == "judged_relevant"


def is_in_range(metric, value):
    """Elasticsearch's nDCG counts assumed grades that its ideal leaves out."""
    if value is None:
        return may_be_null(metric)
    if metric.range is None or (metric.name == "ndcg" and metric.facts["is_beyond"]):
        return True
    low, high = metric.range
    return low - 1e-9 <= value <= high + 1e-9


@pytest.mark.parametrize("seed", seeds(25))
def test_values_are_in_range_and_no_relevant_is_obeyed(seed):
    rng = random.Random(seed)
    run, qrels = data(rng)
    given = {name: rng.choice(values) for name, values in OPTIONS.items()}
    asked = dict(accepted(rng, given))
    for row in quietly(rm.evaluate, run, qrels, list(asked), check="none", **given).per_query.dicts():
        for text, metric in asked.items():
            value = row[text]
            assert is_in_range(metric, value), (text, given, value)
            if (
                macros()["rm_is_guarded"](metric.as_template())
                and max(qrels[row["query_id"]].values()) < metric.params["rel"]
            ):
                assert value == 0, (text, given, value)
