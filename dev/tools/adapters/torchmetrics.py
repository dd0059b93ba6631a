"""torchmetrics.retrieval: ``RetrievalNormalizedDCG@10``, ``RetrievalPrecision(adaptive_k=True)@5``,
``RetrievalMAP(empty_target_action="skip")``, ``RetrievalAUROC(max_fpr=0.2)``; @k is top_k.

It knows one table: a row for each retrieved item with its grade, 0 if unjudged; all but nDCG take a grade of 1 or more
as relevant. So a relevant item that was not retrieved does not exist: recall is 1 when all rows are looked at. Queries
without results do not exist either, and those that are not judged are left out here. Scores and values are float32.
"""

import ast
import json
import re
import sys
from pathlib import Path

import torch
from torchmetrics import retrieval


def parse(metric):
    """``Name(a=1)@k`` as name and keyword arguments."""
    name, inner, k = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@(\d+))?", metric).groups()
    arguments = {key.arg: ast.literal_eval(key.value) for key in ast.parse(f"f({inner or ''})").body[0].value.keywords}
    return name, arguments | ({"top_k": int(k)} if k else {})


def compute(name, arguments, rows):
    """A metric over rows of query number, score and grade."""
    metric = getattr(retrieval, name)(**arguments)
    numbers, scores, grades = zip(*rows, strict=True)
    if name != "RetrievalNormalizedDCG":
        grades = [int(grade >= 1) for grade in grades]
    return float(metric(torch.tensor(scores), torch.tensor(grades), indexes=torch.tensor(numbers)))


def single(name, arguments, rows):
    """The value of one query; None if the metric skips it."""
    seen = []

    def aggregation(values, **_):
        seen.append(values)
        return values[0]

    value = compute(name, arguments | {"aggregation": aggregation}, rows)
    return value if seen else None


def answer(run, qrels, metrics):
    """Queries that are judged and have results."""
    rows = {
        query: [(number, float(score), max(qrels[query].get(item, 0), 0)) for item, score in items.items()]
        for number, (query, items) in enumerate(run.items())
        if query in qrels and items
    }
    values = {}
    for metric in metrics:
        name, arguments = parse(metric)
        per_query = {query: single(name, arguments, part) for query, part in rows.items()}
        mean = compute(name, arguments, [row for part in rows.values() for row in part])
        values[metric] = {"per_query": per_query, "mean": mean}
    return values


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
