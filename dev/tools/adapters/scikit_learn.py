"""scikit-learn: ``ndcg_score@10``, ``dcg_score(log_base=2.718281828459045)``, ``ndcg_score(ignore_ties=True)@5``,
``label_ranking_average_precision_score``, ``label_ranking_loss``, ``coverage_error``, ``roc_auc_score(max_fpr=0.2)``,
``average_precision_score``, ``mean_absolute_error``, ``root_mean_squared_error``, and of the scores as other grades of
the same items ``cohen_kappa_score(weights='quadratic')``.

It knows one table: a row for each retrieved item with its grade, 0 if unjudged. So a relevant item that was not
retrieved does not exist: it is missing from the ideal ranking and from every denominator. Binary scores take a grade
of 1 or more as relevant. A query that a function refuses (one item, one class) has no value; the mean is over the rest.
Errors are those of the items that are judged, and their mean that of all queries together.
"""

import ast
import json
import re
import sys
from pathlib import Path

import numpy as np
from sklearn import metrics as sk

BINARY = {
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "coverage_error",
    "roc_auc_score",
    "average_precision_score",
}
ERRORS = {"mean_absolute_error", "root_mean_squared_error"}
FLAT = {"roc_auc_score", "average_precision_score"}  # take a list, not a table of one row


def parse(metric):
    """``name(a=1)@k`` as name and keyword arguments."""
    name, inner, k = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@(\d+))?", metric).groups()
    arguments = {key.arg: ast.literal_eval(key.value) for key in ast.parse(f"f({inner or ''})").body[0].value.keywords}
    return name, arguments | ({"k": int(k)} if k else {})


def one(name, arguments, grades, scores):
    """The value of one query; None if the function refuses it."""
    truth = (grades >= 1).astype(int) if name in BINARY else np.maximum(grades, 0)
    if name not in FLAT:
        truth, scores = truth.reshape(1, -1), scores.reshape(1, -1)
    try:
        value = float(getattr(sk, name)(truth, scores, **arguments))
    except ValueError:
        return None
    return None if np.isnan(value) else value


def errors(name, run, qrels):
    """Of each query with a judged item, and of all of them."""
    pairs = {
        query: [(qrels[query][item], score) for item, score in items.items() if item in qrels[query]]
        for query, items in run.items()
        if query in qrels
    }
    every = [pair for found in pairs.values() for pair in found]
    values = {query: error(name, found) for query, found in pairs.items() if found}
    return {"per_query": values, "mean": error(name, every)}


def error(name, pairs):
    """Of grades and scores."""
    grades, scores = zip(*pairs, strict=True)
    return float(getattr(sk, name)(grades, scores))


def kappa(arguments, run, qrels):
    """Of the grades that both give an item; grades between the least and the greatest that nobody gives count too."""
    pairs = [
        (qrels[query][item], int(score))
        for query, items in run.items()
        for item, score in items.items()
        if item in qrels.get(query, {})
    ]
    grades = range(min(map(min, pairs)), max(map(max, pairs)) + 1)
    value = float(sk.cohen_kappa_score(*zip(*pairs, strict=True), labels=[*grades], **arguments))
    return {"mean": None if np.isnan(value) else value}


def answer(run, qrels, metrics):
    """Queries that are judged and have results."""
    values = {}
    for metric in metrics:
        name, arguments = parse(metric)
        if name == "cohen_kappa_score":
            values[metric] = kappa(arguments, run, qrels)
            continue
        if name in ERRORS:
            values[metric] = errors(name, run, qrels)
            continue
        per_query = {
            query: one(
                name,
                arguments,
                np.array([qrels[query].get(item, 0) for item in items]),
                np.array(list(items.values())),
            )
            for query, items in run.items()
            if query in qrels
        }
        there = [value for value in per_query.values() if value is not None]
        values[metric] = {"per_query": per_query, "mean": float(np.mean(there)) if there else None}
    return values


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
