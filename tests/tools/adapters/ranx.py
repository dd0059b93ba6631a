"""ranx: ``ndcg_burges@10``, ``precision@5-l2``, ``rbp.95``.

The run is made comparable with the judgments, so that the queries are the judged ones and those without results get
0. Grades are whole numbers in ranx.
"""

import json
import sys
from pathlib import Path

from ranx import Qrels, Run, evaluate


def answer(run, qrels, metrics):
    """One Run object: it keeps the values of the queries."""
    ours = Run(run)
    truth = Qrels({query: {item: int(grade) for item, grade in items.items()} for query, items in qrels.items()})
    evaluate(truth, ours, metrics, make_comparable=True)
    return {
        metric: {
            "per_query": {query: float(value) for query, value in ours.scores[metric].items()},
            "mean": float(ours.mean_scores[metric]),
        }
        for metric in metrics
    }


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
