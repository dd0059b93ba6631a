"""ranx: ``ndcg_burges@10``, ``precision@5-l2``, ``rbp.95``.

The run is made comparable with the judgments, so that the queries are the judged ones and those without results get
0. Grades are whole numbers in ranx. Of the values of two runs it has the p-values of its two paired tests.
"""

import json
import sys
from pathlib import Path

import numpy as np
from ranx import Qrels, Run, evaluate
from ranx.statistical_tests.fisher_randomization_test import fisher_randomization_test
from ranx.statistical_tests.paired_student_t_test import paired_student_t_test


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


def tested(control, treatment, resamples):
    """Student's t and Fisher's randomisation."""
    pair = np.array(control), np.array(treatment)
    return {
        "t": float(paired_student_t_test(*pair)[0]),
        "randomisation": float(fisher_randomization_test(*pair, n_permutations=resamples)[0]),
    }


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    answers = [(tested if "control" in question else answer)(**question) for question in questions]
    Path(sys.argv[2]).write_text(json.dumps(answers))
