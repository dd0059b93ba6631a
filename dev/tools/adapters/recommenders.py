"""recommenders: ``precision_at_k@5``, ``recall_at_k@5``, ``r_precision_at_k@5``, ``map@5``, ``map_at_k@5``,
``ndcg_at_k@5``, ``ndcg_at_k(score_type="exp",discfun_type="log2")@5``, ``mae``, ``rmse``; @k is k, or all of a list.

An item of grade 1 or more is a row of the true ratings, for errors one of any grade; a user without one does not exist.
It gives means only, and which users they are over depends on the function, so that there are no values of single
queries: ask for one query alone to see them, but a user without a hit then gets 0 from all of them.
"""

import ast
import json
import re
import sys
from pathlib import Path

import pandas as pd
from recommenders.evaluation import python_evaluation as tools

COLUMNS = ["userID", "itemID"]
ERRORS = ("mae", "rmse")  # over all pairs


def parse(metric):
    """``name(a=1)@k`` as name and keyword arguments."""
    name, inner, k = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@(\d+))?", metric).groups()
    arguments = {key.arg: ast.literal_eval(key.value) for key in ast.parse(f"f({inner or ''})").body[0].value.keywords}
    return name, arguments | {"k": int(k) if k else 10**6}


def answer(run, qrels, metrics):
    """The two tables of recommenders, and each metric by itself."""
    rated = [(q, item, float(grade)) for q, items in qrels.items() for item, grade in items.items()]
    predicted = [(q, item, float(score)) for q, items in run.items() for item, score in items.items()]
    every = pd.DataFrame(rated, columns=[*COLUMNS, "rating"])
    tables = every[every.rating >= 1], pd.DataFrame(predicted, columns=[*COLUMNS, "prediction"])
    values = {}
    for metric in metrics:
        name, arguments = parse(metric)
        if name in ERRORS:
            values[metric] = {"mean": float(getattr(tools, name)(every, tables[1]))}
        elif name == "distributional_coverage":  # it knows no cutoff, and wants a history without these pairs
            others = tables[0].assign(userID="nobody")
            first = tables[1].sort_values("prediction").groupby("userID").tail(arguments["k"])
            values[metric] = {"mean": float(tools.distributional_coverage(others, first))}
        else:
            values[metric] = {"mean": float(getattr(tools, name)(*tables, **arguments))}
    return values


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
