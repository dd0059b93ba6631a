"""Sentence Transformers' InformationRetrievalEvaluator: ``accuracy@5``, ``precision@5``, ``recall@5``, ``mrr@5``,
``ndcg@5``, ``map@5``, each also with the similarity before it, ``cosine_map@5``.

It is given the results that it would have ranked itself, with scores as torch has them, in single precision: what
embeds texts is left out. A relevant document is an item of grade 1 or more. A query without one does not exist.
"""

import json
import sys
from pathlib import Path

import torch
from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator


def hits(items):
    """A query's results."""
    scores = torch.tensor(list(items.values()), dtype=torch.float32).tolist()
    return [{"corpus_id": item, "score": score} for item, score in zip(items, scores, strict=True)]


def values_of(run, relevant, cutoffs):
    """The values of some queries together, by the metric's name and the cutoff."""
    evaluator = InformationRetrievalEvaluator(
        queries={query: query for query in relevant},
        corpus={},
        relevant_docs={query: set(items) for query, items in relevant.items()},
        **{f"{name}_at_k": cutoffs for name in ("mrr", "ndcg", "accuracy", "precision_recall", "map")},
    )
    if not evaluator.queries_ids:
        return None
    return evaluator.compute_metrics([hits(run.get(query, {})) for query in evaluator.queries_ids])


def answer(run, qrels, metrics):
    """All queries together, and each by itself."""
    relevant = {query: [item for item, grade in items.items() if grade >= 1] for query, items in qrels.items()}
    asked = {text: text.rpartition("_")[2].split("@") for text in metrics}
    cutoffs = sorted({int(k) for _, k in asked.values()})
    together = values_of(run, relevant, cutoffs)
    single = {query: values_of(run, {query: items}, cutoffs) for query, items in relevant.items()}
    return {
        text: {
            "per_query": {query: float(found[f"{name}@k"][int(k)]) for query, found in single.items() if found},
            "mean": float(together[f"{name}@k"][int(k)]),
        }
        for text, (name, k) in asked.items()
    }


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
