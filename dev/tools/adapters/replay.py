"""RePlay: ``NDCG@10``, ``MAP@10``, ``MRR@10``, ``HitRate@10``, ``Precision@10``, ``Recall@10``, ``RocAuc@10``;
``NDCG(as="dict")@10`` gives it dictionaries instead of pandas tables.

Everything is binary: an item of grade 1 or more is in the ground truth, a user without one does not exist, and a user
without recommendations gets 0. ``Novelty@10`` and ``Coverage@10`` take the judgments for what users had before; the one
value of ``Coverage`` is that of all users.
"""

import json
import re
import sys
from pathlib import Path

import pandas as pd
from replay import metrics as tools


def parse(metric):
    """``Name(as="dict")@k`` as name, whether dictionaries are wanted, and k."""
    name, inner, k = re.fullmatch(r"(\w+)(?:\((.*)\))?@(\d+)", metric).groups()
    return name, bool(inner), int(k)


def answer(run, qrels, metrics):
    """Values of users and RePlay's own mean."""
    truth = {query: [item for item, grade in items.items() if grade >= 1] for query, items in qrels.items()}
    truth = {query: items for query, items in truth.items() if items}
    ranked = {query: list(items.items()) for query, items in run.items()}
    rows = [(query, item, score) for query, items in run.items() for item, score in items.items()]
    table = pd.DataFrame(rows, columns=["query_id", "item_id", "rating"])
    pairs = [(query, item) for query, items in truth.items() for item in items]
    truth_table = pd.DataFrame(pairs, columns=["query_id", "item_id"])
    values = {}
    for metric in metrics:
        name, as_dict, k = parse(metric)
        data = (ranked, truth) if as_dict else (table, truth_table)
        mean = next(iter(getattr(tools, name)(k)(*data).values()))
        of_users = {} if name == "Coverage" else getattr(tools, name)(k, mode=tools.PerUser())(*data)
        per_query = next(iter(of_users.values()), {})
        values[metric] = {"per_query": {query: float(value) for query, value in per_query.items()}, "mean": float(mean)}
    return values


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
