"""RecTools: ``Precision(r_precision=True)@10``, ``F1Beta(beta=2)@5``, ``MAP(divide_by_k=True)@10``,
``NDCG(log_base=3,divide_by_achievable=True)@10``, ``MRR@10``, ``HitRate``, ``Recall``, ``PartialAUC``, ``PAP``,
``Accuracy(catalog=100)@10``, ``MCC(catalog=100)@10``.

Everything is binary: an interaction is an item of grade 1 or more. A user without one does not exist, a user without
recommendations gets 0. The ranks are ours to give: by score, items of equal score in the order of the input. The
catalogue has as many items as run and judgments name together, unless "catalog" says otherwise.

``AvgRecPopularity@10``, ``MeanInvUserFreq@10``, ``CatalogCoverage(normalize=True)@10``, ``IntraListDiversity@10``,
``Serendipity@10``: the judgments are then what users had before, and what is relevant, the catalogue has the items
themselves, and the features of an item are the users who had it.
"""

import ast
import json
import re
import sys
from pathlib import Path

import pandas as pd
from rectools import metrics as tools
from rectools.metrics.distances import PairwiseHammingDistanceCalculator

BEYOND = ("AvgRecPopularity", "MeanInvUserFreq", "CatalogCoverage", "IntraListDiversity", "Serendipity")


def parse(metric):
    """``Name(a=1)@k`` as name and keyword arguments."""
    name, inner, k = re.fullmatch(r"(\w+)(?:\((.*)\))?@(\d+)", metric).groups()
    arguments = {key.arg: ast.literal_eval(key.value) for key in ast.parse(f"f({inner or ''})").body[0].value.keywords}
    return name, arguments | {"k": int(k)}


def beyond(name, arguments, reco, history, known):
    """The values of lists, by user, and of all together, where a metric is about what users had."""
    if name == "CatalogCoverage":
        return {}, tools.CatalogCoverage(**arguments).calc(reco, known)
    if name == "IntraListDiversity":
        features = pd.crosstab(history["item_id"], history["user_id"]).reindex(known, fill_value=0)
        tool = tools.IntraListDiversity(distance_calculator=PairwiseHammingDistanceCalculator(features), **arguments)
        return tool.calc_per_user(reco), tool.calc(reco)
    given = (history, history, known) if name == "Serendipity" else (history,)
    tool = getattr(tools, name)(**arguments)
    return tool.calc_per_user(reco, *given), tool.calc(reco, *given)


def answer(run, qrels, metrics):
    """The two tables of RecTools, and each metric by itself."""
    reco = pd.DataFrame(
        [
            (query, item, rank)
            for query, items in run.items()
            for rank, item in enumerate(sorted(items, key=items.get, reverse=True), 1)
        ],
        columns=["user_id", "item_id", "rank"],
    )
    liked = [(query, item) for query, items in qrels.items() for item, grade in items.items() if grade >= 1]
    interactions = pd.DataFrame(liked, columns=["user_id", "item_id"])
    known = sorted({item for data in (run, qrels) for items in data.values() for item in items})
    values = {}
    for metric in metrics:
        name, arguments = parse(metric)
        if name in BEYOND:
            per_query, mean = beyond(name, arguments, reco, interactions, known)
            values[metric] = {"per_query": {query: float(value) for query, value in per_query.items()}, "mean": mean}
            continue
        catalog = range(arguments.pop("catalog", len(known)))
        tool = getattr(tools, name)(**arguments)
        extra = {"catalog": catalog} if name in ("Accuracy", "MCC") else {}
        per_query = tool.calc_per_user(reco, interactions, **extra)
        mean = float(tool.calc(reco, interactions, **extra))
        values[metric] = {"per_query": {query: float(value) for query, value in per_query.items()}, "mean": mean}
    return values


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
