"""MLflow: ``precision_at_k@5``, ``recall_at_k@5``, ``ndcg_at_k@5``.

A row of its table is a judged query, with the items of grade 1 or more as targets and the list as predictions, which
may be empty. A run may be a list of ids, which may repeat; of scores the highest comes first, of equal ones that of
the higher id.
"""

import json
import sys
from pathlib import Path

import pandas as pd
from mlflow import metrics as tools


def ranked(items):
    """The ids in order."""
    return items if isinstance(items, list) else sorted(items, key=lambda item: (items[item], item), reverse=True)


def answer(run, qrels, metrics):
    """One table for all metrics."""
    targets = pd.Series([[item for item, grade in items.items() if grade >= 1] for items in qrels.values()])
    predictions = pd.Series([ranked(run.get(query, [])) for query in qrels])
    values = {}
    for metric in metrics:
        name, k = metric.split("@")
        found = getattr(tools, name)(int(k)).eval_fn(predictions, targets)
        per_query = dict(zip(qrels, map(float, found.scores), strict=True))
        values[metric] = {"per_query": per_query, "mean": float(found.aggregate_results["mean"])}
    return values


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
