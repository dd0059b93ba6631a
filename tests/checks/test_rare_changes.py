"""What queries that did not change say of a loss: claims within a margin against a twin (``rare.py``).

Only the p-value of the test itself, which other tests look at, is read from the result.
"""

from __future__ import annotations

import random

import pytest

import rankmetrics_sql as rm

from ..everything import seeds
from ..oracles.rare import shares_of_level, unbounded

RANGES = {"p@10": 1.0, "success@10": 1.0, "dcg@10": None, "p(aggregate=sum)@10": None, "abandonment@10": 1.0}
LOWER = {"abandonment@10"}
MARGINS = (0.02, 0.05, 0.1, 0.3, 1.5)


def runs_of(chance, n, n_changed):
    """Lists with relevant items at the top: ten at most, another number of them in the queries that change."""
    qrels, old, new = {}, {}, {}
    lean = chance.random()
    for number in range(n):
        query = f"q{number:03}"
        qrels[query] = {f"r{i}": 1 for i in range(10)}
        before = chance.choice([0, 1, 5, 9, 10])
        after = before
        while number < n_changed and after == before:
            after = chance.randint(min(before + 1, 10), 10) if chance.random() < lean else chance.randint(0, before)
        for run, found in ((old, before), (new, after)):
            run[query] = [f"r{i}" for i in range(found)] + [f"n{i}" for i in range(10 - found)]
    return qrels, old, new


@pytest.mark.filterwarnings("ignore::rankmetrics_sql.RankmetricsWarning")
@pytest.mark.parametrize("seed", seeds(12, few=3))
def test_margins_and_limits(seed):
    """Also with 49, 50 and 51 changes, and with none, of metrics with and without a range, and to both sides."""
    chance = random.Random(seed)
    words = set()
    for _ in range(4):
        n = chance.choice([6, 20, 60, 100, 300])
        n_changed = min(n, chance.choice([0, 0, 1, 3, 10, 49, 50, 51]))
        qrels, old, new = runs_of(chance, n, n_changed)
        metrics = chance.sample([*RANGES], chance.choice([1, 2, 3]))
        correction = chance.choice(["none", "bonferroni", "holm", "bh", "by"])
        level = chance.choice([0.8, 0.95])
        margin = chance.choice(MARGINS)
        side = chance.choice(["greater", "less", "equivalence", "limits"])
        of_intervals = chance.choice(["nominal", "corrected"]) if correction != "none" else "nominal"
        options = {"correction": correction, "confidence_level": level, "interval_level": of_intervals}
        if side == "limits":
            asked = {metric: chance.choice([margin, margin / 2]) for metric in metrics}
            options["limits"] = asked
        else:
            asked = dict.fromkeys(metrics, margin)
            options |= {"margin": margin, "alternative": side}
        found = rm.compare(old, new, qrels, metrics, **options)
        records = found.summary.dicts()
        values = {}
        for row in found.per_query.dicts():
            values.setdefault(row["metric"], []).append(row["difference"])
        for row, share in zip(records, shares_of_level(records, correction), strict=True):
            metric = row["metric"]
            towards = side if side != "limits" else "less" if metric in LOWER else "greater"
            chance_of = unbounded(values[metric], asked[metric], towards, RANGES[metric])
            claim = (1 - level) * share / (2 if side == "limits" else 1)
            is_significant = row["pvalue_adj"] is not None and row["pvalue_adj"] <= 1 - level + 1e-12
            is_claim = is_significant and row["verdict"] not in ("worse", "no test")
            if abs(chance_of - claim) < 1e-9 * claim or not is_claim:
                continue
            word = row["verdict"]
            words.add((side, word.split(" by")[0].split(" within")[0]))
            assert (word in ("not shown", "inconclusive")) == (chance_of > claim), (metric, options, n, n_changed, row)
            n_moved = sum(abs(difference) > 1e-9 for difference in values[metric])
            if chance_of > claim and n_moved == 0:
                percent = int(100 * (1 - claim ** (1 / n)) + 1e-9)
                assert row["reason"] == f"of {n} unchanged queries up to {percent} % may change"
            elif chance_of > claim:
                why = "changed, fewer than 50, so rare changes may be missed"
                assert row["reason"] == f"{n_moved} of {n} queries {why}"
            else:
                assert row["reason"] is None
    assert words
