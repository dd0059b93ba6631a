"""Haystack: ``DocumentMAPEvaluator``, ``DocumentMRREvaluator@5``, ``DocumentRecallEvaluator(mode="multi_hit")@5``,
``DocumentNDCGEvaluator@5``, ``DocumentNDCGEvaluator(scores=False)``; @k is the length at which each list ends.

The truth of a judged query are its items of grade 1 or more, for nDCG those above 0 with the grade as the score, which
``scores=False`` leaves out. A query may have no truth and no results. A run may be a list of ids, which may repeat; of
scores the highest comes first, of equal ones that of the higher id.
"""

import ast
import json
import re
import sys
from pathlib import Path

from haystack import Document
from haystack.components import evaluators


def parse(metric):
    """``Name(a=1)@k`` as name, keyword arguments and length of the lists."""
    name, inner, k = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@(\d+))?", metric).groups()
    arguments = {key.arg: ast.literal_eval(key.value) for key in ast.parse(f"f({inner or ''})").body[0].value.keywords}
    return name, arguments, int(k) if k else None


def ranked(items):
    """The ids in order."""
    return items if isinstance(items, list) else sorted(items, key=lambda item: (items[item], item), reverse=True)


def truth(items, lowest, with_scores):
    """The documents of the truth."""
    return [
        Document(id=item, score=float(grade) if with_scores else None)
        for item, grade in items.items()
        if grade >= 1 or grade > lowest
    ]


def answer(run, qrels, metrics):
    """All judged queries at once."""
    values = {}
    for metric in metrics:
        name, arguments, k = parse(metric)
        with_scores = arguments.pop("scores", name == "DocumentNDCGEvaluator")
        documents = [truth(items, 0 if with_scores else 1, with_scores) for items in qrels.values()]
        retrieved = [[Document(id=item) for item in ranked(run.get(query, []))[:k]] for query in qrels]
        tool = getattr(evaluators, name)(document_comparison_field="id", **arguments)
        found = tool.run(ground_truth_documents=documents, retrieved_documents=retrieved)
        per_query = dict(zip(qrels, found["individual_scores"], strict=True))
        values[metric] = {"per_query": per_query, "mean": found["score"]}
    return values


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
