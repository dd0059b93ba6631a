"""The worked examples in the metric headers, which are also what the reference shows."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import rankmetrics_sql as rm
from dev.check.headers import rankings
from rankmetrics_sql.definitions.catalogue import ACTIONS, CARRIED, EXAMPLE, metrics
from rankmetrics_sql.definitions.descriptions import derive

from ..conftest import per_query, quietly
from ..everything import mostly_long


def as_text(value: Any) -> str:
    return (
        "{" + ",".join(f"{key}:{item}" for key, item in value.items()) + "}" if isinstance(value, dict) else str(value)
    )


WITH_EXAMPLES = [
    metric for metric in metrics().values() if metric.examples and metric.reads_judgments and not metric.reads_items
]
OF_ITEMS = [
    pytest.param(metric, example, id=f"{metric.name}-{number}")
    for metric in metrics().values()
    for number, example in enumerate(metric.examples)
    if not metric.reads_judgments or metric.reads_items
]


def judgment(grade: Any) -> Any:
    """A grade; where a metric needs subtopics, a list has the item's grade for each."""
    return {f"s{number}": item for number, item in enumerate(grade)} if isinstance(grade, list) else grade


def asked(metric: Any, example: dict[str, Any]) -> str:
    """An example's metric with its parameters."""
    given = {name: value for name, value in example.items() if name not in EXAMPLE}
    return f"{metric.name}({','.join(f'{name}={as_text(value)}' for name, value in given.items())})"


def carrying(metric: Any, qrels: dict[str, dict[str, Any]]) -> Any:
    """Judgments as a table, with what else they say of the items: of those of the ranking, and then of those missed."""
    rows = []
    for query, judged in qrels.items():
        example = metric.examples[int(query)] if query != "other" else {"ranking": []}
        items = [f"item{rank}" for rank in range(len(example["ranking"]))]
        items += [f"missed{number}" for number in range(len(example.get("missed", [])))]
        none = [1] * len(items)
        said = {name: dict(zip(items, example.get(name, none), strict=True)) for name in CARRIED}
        said |= {
            name: dict(zip(items, [*example[need], *none][: len(items)], strict=True))
            for need, column in ACTIONS.items()
            if need in example
            for name in [column.format(**{name: each.default for name, each in metric.params.items()} | example)]
        }
        for item, grade in judged.items():
            beside = {name: values.get(item, 1) for name, values in said.items()}
            rows.append({"query_id": query, "item_id": item, "relevance": grade, **beside})
    return pd.DataFrame(rows)


@pytest.mark.of_metrics
@pytest.mark.parametrize("metric", WITH_EXAMPLES, ids=lambda metric: metric.name)
@pytest.mark.parametrize("strategy", mostly_long(["window", "count"], "window"))
def test_worked_examples(metric, strategy):
    """Each is a query of one evaluation, which has another query where nothing is relevant."""
    nothing = 1 if metric.reads_reference else [0] if "subtopics" in metric.needs else 0
    run, qrels = {"other": {"x": 1}}, {"other": {"x": judgment(nothing)}}
    for query, example in enumerate(metric.examples):
        grades = example["ranking"]
        scores = example.get("scores", [-rank for rank in range(len(grades))])
        run[str(query)] = {f"item{rank}": score for rank, score in enumerate(scores)}
        judged = {f"item{rank}": judgment(grade) for rank, grade in enumerate(grades) if grade != "?"}
        missed = {f"missed{number}": judgment(grade) for number, grade in enumerate(example.get("missed", []))}
        qrels[str(query)] = judged | missed
    if {*CARRIED, *ACTIONS} & {*metric.needs, *(key for example in metric.examples for key in example)}:
        qrels = carrying(metric, qrels)
    texts = [asked(metric, example) for example in metric.examples]
    found = per_query(run, qrels, list(dict.fromkeys(texts)), strategy=strategy)
    expected = [derive(example["value"]) for example in metric.examples]
    assert [found[str(query)][text] for query, text in enumerate(texts)] == pytest.approx(expected, abs=1e-12)


def catalogue(items: dict[str, dict[str, Any]]) -> pd.DataFrame:
    """The items of an example: a row for each, or for each of its categories."""
    rows = [
        (item, known.get("popularity"), category)
        for item, known in items.items()
        for category in known.get("categories") or [None]
    ]
    return pd.DataFrame(rows, columns=["item_id", "popularity", "category"])


@pytest.mark.of_metrics
@pytest.mark.parametrize(("metric", "example"), OF_ITEMS)
def test_worked_example_of_items(metric, example):
    """Of one list, or of several; there is another, which does not count. Of grades where a metric reads them."""
    lists = rankings(metric, example)
    qrels = {query: {"judged": 1} for query in [*(f"q{number}" for number in range(len(lists))), "other"]}
    if metric.reads_judgments:
        [grades] = lists
        lists = [[f"item{rank}" for rank in range(len(grades))]]
        qrels["q0"] |= dict(zip(lists[0], grades, strict=True))
    run = {f"q{number}": shown for number, shown in enumerate(lists)}
    text = asked(metric, example)
    items = catalogue(example.get("items", {"a": {}}))
    result = quietly(rm.evaluate, {**run, "other": ["a"]}, qrels, [text], items=items, query_list=list(run))
    found = result.summary.fetchall()[0][1] if metric.of_lists else dict(result.per_query.fetchall())["q0"]
    assert found == pytest.approx(derive(example["value"]), abs=1e-12)
