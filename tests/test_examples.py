"""The worked examples in the metric headers, which are also what the reference shows."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from rankmetrics_sql.definitions.catalogue import metrics, options
from rankmetrics_sql.definitions.descriptions import derive
from rankmetrics_sql.definitions.header import CARRIED

from .conftest import per_query
from .everything import mostly_long


def as_text(value: Any) -> str:
    return (
        "{" + ",".join(f"{key}:{item}" for key, item in value.items()) + "}" if isinstance(value, dict) else str(value)
    )


EXAMPLES = [
    pytest.param(metric, example, id=f"{metric.name}-{number}", marks=[pytest.mark.long] * (number > 2))
    for metric in metrics().values()
    for number, example in enumerate(metric.examples)
]


def judgment(grade: Any) -> Any:
    """A grade; where a metric needs subtopics, a list has the item's grade for each."""
    return {f"s{number}": item for number, item in enumerate(grade)} if isinstance(grade, list) else grade


def carrying(example, qrels):
    """Judgments as a table, with what else they say of the items: of those of the ranking, and then of those missed."""
    items = [*(f"item{rank}" for rank in range(len(example["ranking"])))]
    items += [f"missed{number}" for number in range(len(example.get("missed", [])))]
    said = {name: dict(zip(items, example[name], strict=True)) for name in CARRIED if name in example}
    return pd.DataFrame(
        {"query_id": query, "item_id": item, "relevance": grade, **{name: said[name].get(item, 1) for name in said}}
        for query, judged in qrels.items()
        for item, grade in judged.items()
    )


@pytest.mark.parametrize(("metric", "example"), EXAMPLES)
@pytest.mark.parametrize("strategy", mostly_long(["window", "count"], "window"))
def test_worked_example(metric, example, strategy):
    grades = example["ranking"]
    run = {"q": {f"item{rank}": -rank for rank in range(len(grades))}, "other": {"x": 1}}
    judged = {f"item{rank}": judgment(grade) for rank, grade in enumerate(grades) if grade != "?"}
    missed = {f"missed{number}": judgment(grade) for number, grade in enumerate(example.get("missed", []))}
    other = judgment([0] if "subtopics" in metric.needs else 0)
    known = ("ranking", "missed", "value", *CARRIED)
    params = {name: given for name, given in example.items() if name not in known}
    text = f"{metric.name}({','.join(f'{name}={as_text(given)}' for name, given in params.items())})"
    qrels = {"q": judged | missed, "other": {"x": other}}
    if set(CARRIED) & set(metric.reads_beside):
        qrels = carrying(example, qrels)
    found = per_query(run, qrels, [text], strategy=strategy)
    assert found["q"][text] == pytest.approx(derive(example["value"]), abs=1e-12)


# options of many metrics at once, which test_options and test_oracles are about
GENERAL = {"no_relevant", "ties", "discount", "ideal_depth", "precision_denominator"}


@pytest.mark.parametrize(
    "metric", [metric for metric in metrics().values() if metric.shape == "value"], ids=lambda metric: metric.name
)
def test_examples_cover_the_edges(metric):
    assert any(example["ranking"] == [] for example in metric.examples), "an empty ranking"
    assert len(metric.examples) >= 2
    for name, param in metric.params.items():
        assert name in GENERAL or any(
            example.get(name, param.default) != param.default for example in metric.examples
        ), f"{name} away from its default"
    if metric.takes_k:
        assert any(len(example["ranking"]) > example.get("k", math.inf) for example in metric.examples), (
            "something beyond the cutoff"
        )
    if metric.range == (0, 1) and metric.better == "higher" and metric.name != "err":
        assert any(derive(example["value"]) in (1, pytest.approx(1 - 0.8**3)) for example in metric.examples), (
            "a perfect ranking"
        )


def test_every_metric_option_exists():
    assert all(name in options() for metric in metrics().values() for name in metric.options)
