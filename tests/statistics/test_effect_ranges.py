"""The range of an effect that unjudged items leave, held against every assignment of grades to them."""

from __future__ import annotations

import itertools
import math
import random

import pytest

import rankmetrics_sql as rm

from ..conftest import quietly
from ..everything import seeds

NAMES = ("p", "r", "cg", "dcg", "ndcg", "rbp", "rr", "success")
GAINS = {
    "linear": lambda g, rel: max(g, 0),
    "exp2": lambda g, rel: 2 ** max(g, 0) - 1,
    "binary": lambda g, rel: g >= rel,
}
DISCOUNTS = {
    "log2": lambda r: math.log2(r + 1),
    "zipf": lambda r: r,
    "none": lambda r: 1,
    "log2_rank": lambda r: max(math.log2(r), 1),
}


def value(name, ranking, grades, k, options):
    """A metric by its formula; grades are those of all items that have one."""
    rel, p = options.get("rel", 1), 0.8
    k = k or max(len(ranking), 1)
    shown = [grades.get(item, 0) for item in ranking[:k]]
    hits = [grade >= rel for grade in shown]
    if name == "p":
        return sum(hits) / k
    if name == "r":
        n_relevant = sum(grade >= rel for grade in grades.values())
        return sum(hits) / n_relevant if n_relevant else 0
    if name == "rbp":
        return (1 - p) * sum(hit * p**place for place, hit in enumerate(hits))
    if name == "rr":
        return next((1 / (place + 1) for place, hit in enumerate(hits) if hit), 0)
    if name == "success":
        return float(any(hits))
    gain = GAINS[options.get("gain", "linear")]
    discount = DISCOUNTS["none" if name == "cg" else options.get("discount", "log2")]
    dcg = sum(gain(grade, rel) / discount(rank) for rank, grade in enumerate(shown, 1))
    if name != "ndcg":
        return dcg
    best = sorted((gain(grade, rel) for grade in grades.values()), reverse=True)
    if options.get("ideal_depth") == "all_relevant":
        full = sum(1 / discount(rank) for rank in range(1, k + 1))
        return dcg / full
    best = best if options.get("ideal_depth") == "uncut" or options["k"] is None else best[:k]
    ideal = sum(worth / discount(rank) for rank, worth in enumerate(best, 1))
    return dcg / ideal if ideal else 0


def every_difference(name, lists, judged, highest, options):
    """The difference of a query for each assignment of 0 or the highest grade to its unjudged items."""
    k = options["k"]
    unjudged = sorted({item for ranking in lists for item in ranking[:k] if item not in judged})
    for grades in itertools.product((0, highest), repeat=len(unjudged)):
        known = {**judged, **dict(zip(unjudged, grades, strict=True))}
        old, new = (value(name, ranking, known, k, options) for ranking in lists)
        yield new - old


def made(seed):
    """Small random lists, of which some lack queries, and judgments."""
    rng = random.Random(seed)
    items = "abcdefghij"
    queries = [f"q{n}" for n in range(rng.randint(2, 9))]
    scale = rng.choice([(0, 1), (-1, 0, 1, 2, 3), (0, 2)])
    qrels = {q: {i: rng.choice(scale) for i in rng.sample(items, rng.randint(1, 5))} for q in queries}
    runs = {}
    for name in ("old", "new"):
        kept = [q for q in queries if rng.random() < 0.9] or queries
        runs[name] = {
            q: {i: rng.choice((1.0, 2.0, 3.0, 4.0)) for i in rng.sample(items, rng.randint(1, 5))} for q in kept
        }
    options = {
        "k": rng.choice([None, 1, 2, 3, 10]),
        "gain": rng.choice([*GAINS]),
        "rel": rng.choice([1, 2]),
        "discount": rng.choice([*DISCOUNTS]),
        "ideal_depth": rng.choice(["min_k", "uncut", "all_relevant"]),
        "max_grade": rng.choice([None, 1, 2, 4]),
    }
    if options["k"] is None and options["ideal_depth"] == "all_relevant":
        options["ideal_depth"] = "min_k"
    return runs, qrels, options


def ranked(scores):
    return sorted(scores, key=lambda item: (scores[item], item), reverse=True)


@pytest.mark.parametrize("seed", seeds(14, 7))
def test_ends_are_those_of_every_assignment(seed):
    runs, qrels, options = made(seed)
    k = options["k"]
    names = [name for name in NAMES if k is not None or name != "p"]
    metrics = [name if k is None else f"{name}@{k}" for name in names]
    metrics += ["ndcg@4", "r@5"] if k in (1, 3) else []  # items beyond one cutoff stand within the other
    given = {name: options[name] for name in ("gain", "rel", "discount", "ideal_depth", "max_grade")}
    rows = quietly(rm.compare, runs, qrels, metrics, unjudged="bounds", **given).summary.dicts()
    found = {row["metric"]: row for row in rows}
    highest = options["max_grade"]
    if highest is None:
        highest = max(options["rel"], *(grade for grades in qrels.values() for grade in grades.values()))
    for metric in metrics:
        name, _, cutoff = metric.partition("@")
        options = {**options, "k": int(cutoff) if cutoff else None}
        ends = []
        for query, judged in qrels.items():
            lists = [ranked(runs[run].get(query, {})) for run in ("old", "new")]
            differences = [*every_difference(name, lists, judged, highest, options)]
            ends.append((min(differences), max(differences)))
        low, high = (sum(end) / len(qrels) for end in zip(*ends, strict=True))
        row = found[metric]
        assert row["effect_low"] == pytest.approx(low, rel=1e-11, abs=1e-12), metric
        assert row["effect_high"] == pytest.approx(high, rel=1e-11, abs=1e-12), metric
        assert row["effect_low"] - 1e-12 <= row["effect_size"] <= row["effect_high"] + 1e-12
