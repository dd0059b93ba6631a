"""Ragas: ``context_precision@5``, ``non_llm_context_precision_with_reference``, ``id_based_context_precision@5``,
``id_based_context_recall``; @k is the length at which each list ends.

A sample is a judged query. Its reference ids are the items of grade 1 or more, and of context_precision the verdict of
a context is whether it has such a grade, which no language model is asked for. Strings are alike where they are equal.
A run may be a list of ids, which may repeat; of scores the highest comes first, of equal ones that of the higher id.
"""

import asyncio
import json
import math
import sys
from pathlib import Path

from ragas.dataset_schema import SingleTurnSample
from ragas.metrics._context_precision import (
    ContextPrecision,
    IDBasedContextPrecision,
    NonLLMContextPrecisionWithReference,
    Verification,
)
from ragas.metrics._context_recall import IDBasedContextRecall
from ragas.metrics._string import ExactMatch
from ragas.utils import safe_nanmean


def of_verdicts(retrieved, reference):
    """What ContextPrecision makes of the verdicts."""
    verdicts = [Verification(reason="", verdict=int(item in reference)) for item in retrieved]
    return ContextPrecision()._calculate_average_precision(verdicts)


def of_strings(retrieved, reference):
    """The same by itself; None where it has no reference to look at, and raises an error."""
    if not reference:
        return None
    sample = SingleTurnSample(retrieved_contexts=retrieved, reference_contexts=reference)
    metric = NonLLMContextPrecisionWithReference(distance_measure=ExactMatch())
    return asyncio.run(metric._single_turn_ascore(sample, None))


def of_ids(metric):
    """A metric of ids."""

    def value(retrieved, reference):
        sample = SingleTurnSample(retrieved_context_ids=retrieved, reference_context_ids=reference)
        return asyncio.run(metric._single_turn_ascore(sample, None))

    return value


METRICS = {
    "context_precision": of_verdicts,
    "non_llm_context_precision_with_reference": of_strings,
    "id_based_context_precision": of_ids(IDBasedContextPrecision()),
    "id_based_context_recall": of_ids(IDBasedContextRecall()),
}


def ranked(items):
    """The ids in order."""
    return items if isinstance(items, list) else sorted(items, key=lambda item: (items[item], item), reverse=True)


def answer(run, qrels, metrics):
    """One sample after another; the mean leaves out values that are not numbers."""
    reference = {query: [item for item, grade in items.items() if grade >= 1] for query, items in qrels.items()}
    values = {}
    for text in metrics:
        name, _, k = text.partition("@")
        found = {
            query: METRICS[name](ranked(run.get(query, []))[: int(k) if k else None], ids)
            for query, ids in reference.items()
        }
        per_query = {query: None if value is None or math.isnan(value) else value for query, value in found.items()}
        values[text] = {"per_query": per_query}
        if None not in found.values():
            values[text]["mean"] = safe_nanmean(list(found.values()))
    return values


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
