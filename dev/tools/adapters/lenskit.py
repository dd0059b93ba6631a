"""LensKit: ``Hit@5``, ``Precision@5``, ``Recall@5``, ``RecipRank@5``, ``NDCG@5``, ``DCG@5``, ``NDCG(offset=1)@5``,
``NDCG(gain="grade")@5``, ``RBP(patience=0.5)@5``; @k is n. The offset is that of LogRankWeight.

A user's test items are those of grade 1 or more, with the grade as a field; where a metric reads it, those above 0. The
lists are ordered, by score, of equal ones the higher id first. A user with a list and without test items counts; one
without a list does not.
"""

import ast
import json
import re
import sys
import warnings
from pathlib import Path

from lenskit import metrics as tools
from lenskit.data import ItemList, ItemListCollection


def parse(metric):
    """``Name(a=1)@k`` as the tool's metric."""
    name, inner, k = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@(\d+))?", metric).groups()
    arguments = {key.arg: ast.literal_eval(key.value) for key in ast.parse(f"f({inner or ''})").body[0].value.keywords}
    if "offset" in arguments:
        arguments["weight"] = tools.LogRankWeight(offset=arguments.pop("offset"))
    return getattr(tools, name)(int(k) if k else None, **arguments)


def ranked(items):
    """The ids in order."""
    return sorted(items, key=lambda item: (items[item], item), reverse=True)


def measured(run, qrels, metric):
    """A metric by itself."""
    reads_grades = getattr(metric, "gain", None) is not None
    outputs, test = ItemListCollection(["user_id"]), ItemListCollection(["user_id"])
    for query, items in run.items():
        outputs.add(ItemList(item_ids=ranked(items), ordered=True), user_id=query)
    for query, items in qrels.items():
        kept = {item: float(grade) for item, grade in items.items() if grade >= 1 or (reads_grades and grade > 0)}
        test.add(ItemList(item_ids=list(kept), grade=list(kept.values())), user_id=query)
    analysis = tools.RunAnalysis()
    analysis.add_metric(metric, "value")
    result = analysis.measure(outputs, test)
    values = result.list_metrics()["value"]
    mean = float(result.list_summary().loc["value", "mean"])
    return {"per_query": {str(query): float(value) for query, value in values.items()}, "mean": mean}


def answer(run, qrels, metrics):
    """One metric after another."""
    warnings.simplefilter("ignore")  # of users without test items
    return {text: measured(run, qrels, parse(text)) for text in metrics}


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
