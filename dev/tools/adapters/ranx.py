"""ranx: ``ndcg_burges@10``, ``precision@5-l2``, ``rbp.95``.

The run is made comparable with the judgments, so that the queries are the judged ones and those without results get
0. Grades are whole numbers in ranx. Of the values of two runs it has the p-values of its two paired tests, and of
several runs its report of all pairs.
"""

import json
import sys
from pathlib import Path

import numpy as np
from ranx import Qrels, Run, compare, evaluate
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


def reported(runs, qrels, metrics, level):
    """Of each metric and pair of runs, one above the other, whether ranx's table has a letter for that."""
    truth = Qrels({query: {item: int(grade) for item, grade in items.items()} for query, items in qrels.items()})
    found = compare(truth, [Run(run, name=name) for name, run in runs.items()], metrics, "student", max_p=1 - level)
    return {
        metric: {
            name: [
                other
                for other in runs
                if other != name
                and found.comparisons[name, other][metric]["significant"]
                and found.results[name][metric] > found.results[other][metric]
            ]
            for name in runs
        }
        for metric in metrics
    }


def _answered(question):
    """What a question is about decides who answers it."""
    asked = tested if "control" in question else reported if "runs" in question else answer
    return asked(**question)


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    answers = [_answered(question) for question in questions]
    Path(sys.argv[2]).write_text(json.dumps(answers))
