"""ir_measures: ``nDCG@10``, ``RBP(rel=1,p=0.95)``, ``INST(max_rel=3)``, ``gdeval:ERR@20`` for one of its providers.

A name is ir_measures' own; it picks the first of its providers that knows the measure unless one stands before a
colon. Measures of diversity need subtopics: a judgment is then {subtopic: grade} instead of a grade.
Queries are the judged ones, 0 where a provider gives none; "provider" in the answer says who answered.
"""

import json
import sys
from pathlib import Path

import ir_measures
import pandas as pd


def judgments(qrels):
    """What ir_measures takes: dictionaries, or a table with subtopics in the column iteration."""
    if not any(isinstance(grade, dict) for items in qrels.values() for grade in items.values()):
        return qrels
    rows = [
        (query, item, grade, subtopic)
        for query, items in qrels.items()
        for item, grades in items.items()
        for subtopic, grade in grades.items()
    ]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])


def choose(metric):
    """The provider, by name or by ir_measures' order, and the measure."""
    name, _, text = metric.rpartition(":")
    measure = ir_measures.parse_measure(text)
    for provider in ir_measures.DefaultPipeline.providers:
        if name == provider.NAME or (not name and provider.is_available() and provider.supports(measure)):
            return provider, measure
    raise ValueError(f"no provider for {metric}")


def answer(run, qrels, metrics):
    """Each metric by itself."""
    values, table = {}, judgments(qrels)
    for metric in metrics:
        provider, measure = choose(metric)
        result = provider.evaluator([measure], table).calc(run)
        per_query = {row.query_id: row.value for row in result.per_query}
        values[metric] = {"per_query": per_query, "mean": result.aggregated[measure], "provider": provider.NAME}
    return values


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
