"""LlamaIndex: ``hit_rate@5``, ``mrr``, ``precision``, ``recall``, ``ap``, ``ndcg(mode="exponential")@5``,
``hit_rate(use_granular_hit_rate=True)``; @k is the retriever's top_k, so that each list ends there.

An item of grade 1 or more is expected. It has no mean, and no value where nothing is expected or nothing retrieved. A
run may be a list of ids, which may repeat; of scores the highest comes first, of equal ones that of the higher id.
"""

import ast
import json
import re
import sys
from pathlib import Path

from llama_index.core.evaluation.retrieval.metrics import METRIC_REGISTRY


def parse(metric):
    """``name(a=1)@k`` as the tool's metric and the length of the lists."""
    name, inner, k = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:@(\d+))?", metric).groups()
    arguments = {key.arg: ast.literal_eval(key.value) for key in ast.parse(f"f({inner or ''})").body[0].value.keywords}
    return METRIC_REGISTRY[name](**arguments), int(k) if k else None


def ranked(items):
    """The ids in order."""
    return items if isinstance(items, list) else sorted(items, key=lambda item: (items[item], item), reverse=True)


def value(metric, expected, retrieved):
    """A question's value; None where the metric raises an error."""
    try:
        return metric.compute(expected_ids=expected, retrieved_ids=retrieved).score
    except ValueError:
        return None


def answer(run, qrels, metrics):
    """One question after another."""
    expected = {query: [item for item, grade in items.items() if grade >= 1] for query, items in qrels.items()}
    values = {}
    for text in metrics:
        metric, k = parse(text)
        per_query = {query: value(metric, ids, ranked(run.get(query, []))[:k]) for query, ids in expected.items()}
        values[text] = {"per_query": per_query}
    return values


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
