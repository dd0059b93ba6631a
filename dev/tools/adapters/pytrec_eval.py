"""pytrec_eval (trec_eval 9): ``map``, ``ndcg_cut_10``, ``P_5(rel=2)``, ``map(judged_only=1)``.

A name is what pytrec_eval answers with; in brackets what its evaluator is told: rel is relevance_level, judged_only
is judged_docs_only_flag. Only queries of the run that are judged get values. A mean is pytrec_eval's own aggregate:
a sum for num_*, geometric for gm_*.
"""

import json
import re
import sys
from pathlib import Path

import pytrec_eval


def split(metric):
    """``P_5(rel=2,judged_only=1)`` as name, relevance level and flag."""
    name, inner = re.fullmatch(r"([^(]+)(?:\((.*)\))?", metric).groups()
    options = dict(part.split("=") for part in inner.split(",")) if inner else {}
    return name, int(options.get("rel", 1)), bool(int(options.get("judged_only", 0)))


def family(name):
    """The name that pytrec_eval is asked for: ``ndcg_cut.10`` gives ``ndcg_cut_10``."""
    base = max((m for m in pytrec_eval.supported_measures if name == m or name.startswith(f"{m}_")), key=len)
    inner = name[len(base) + 1 :]
    return f"{base}.{inner.replace('_', ',')}" if inner else base


def value(result, name):
    """The one value of a measure asked for alone, whatever name its parameters got."""
    return result[name] if name in result else next(iter(result.values()))


def answer(run, qrels, metrics):
    """Each metric with an evaluator of its own: the relevance level belongs to the evaluator."""
    run = {query: items for query, items in run.items() if query in qrels}
    values = {}
    for metric in metrics:
        name, level, judged_only = split(metric)
        evaluator = pytrec_eval.RelevanceEvaluator(
            qrels, {family(name)}, relevance_level=level, judged_docs_only_flag=judged_only
        )
        per_query = {query: value(result, name) for query, result in evaluator.evaluate(run).items()}
        mean = pytrec_eval.compute_aggregated_measure(name, list(per_query.values())) if per_query else None
        values[metric] = {"per_query": per_query, "mean": mean}
    return values


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
