"""Spark mllib's RankingMetrics: ``precisionAt@5``, ``recallAt@5``, ``meanAveragePrecision``,
``meanAveragePrecisionAt@5``, ``ndcgAt@5``, ``ndcgAt(graded=True)@5``.

A label is an item of grade 1 or more. Spark takes lists: the ranking is by score, items of equal score in the order of
the input, and there is one pair of lists for each judged query, an empty ranking for one without results. The graded
nDCG gets the labels by falling grade, because its ideal ranking is their order. Spark only gives means; the values of
single queries are those of one pair alone, asked for if there are no more than 50 queries. The Java class is called:
the Python one drops the grades, and cannot tell the types of empty lists.
"""

import json
import re
import sys
from pathlib import Path

from pyspark.sql import SparkSession

FEW = 50


def pair(jvm, items, grades, graded):
    """What Spark takes for a query: the ranking, the labels and their grades."""
    ranking = sorted(items, key=items.get, reverse=True)
    labels = sorted((item for item, grade in grades.items() if grade >= 1), key=grades.get, reverse=True)
    lists = [ranking, labels, *([[float(grades[item]) for item in labels]] if graded else [])]
    return getattr(jvm.scala, f"Tuple{len(lists)}")(*(jvm.java.util.ArrayList(part) for part in lists))


def mean(context, pairs, metric):
    """One metric over pairs of lists."""
    name, k = re.fullmatch(r"(\w+)(?:\(graded=True\))?(?:@(\d+))?", metric).groups()
    table = context._jsc.parallelize(pairs, 1)
    found = getattr(context._jvm.org.apache.spark.mllib.evaluation.RankingMetrics.of(table), name)
    return float(found(int(k)) if k else found())


def answer(run, qrels, metrics):
    """A mean over all judged queries, and each query by itself if they are few."""
    context = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate().sparkContext
    context.setLogLevel("ERROR")
    values = {}
    for metric in metrics:
        graded = "graded" in metric
        pairs = {q: pair(context._jvm, run.get(q, {}), grades, graded) for q, grades in qrels.items()}
        values[metric] = {"mean": mean(context, list(pairs.values()), metric)}
        if len(pairs) <= FEW:
            values[metric]["per_query"] = {q: mean(context, [one], metric) for q, one in pairs.items()}
    context.stop()
    return values


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
