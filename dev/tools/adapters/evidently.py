"""Evidently: ``NDCG@5``, ``MRR@5``, ``HitRate@5``, ``MAP@5``, ``RecallTopK@5``, ``PrecisionTopK@5``,
``FBetaTopK(beta=2.0)@5``, ``MARKMetric@5`` (only in evidently.legacy), all with min_rel_score and no_feedback_users;
``PersonalizationMetric@5`` (there, too).

It knows one table: a row for each retrieved item with its grade, 0 if unjudged, here by falling score (equal scores in
the order of the input), because its AP looks at the order of the rows. So a relevant item that was not retrieved does
not exist, and neither does a user without one, unless no_feedback_users is set. It gives means only. A cutoff beyond
the longest list has no value. The k-th row of an answer is taken, whatever its label says.
"""

import ast
import json
import os
import re
import sys
from pathlib import Path

os.environ["DO_NOT_TRACK"] = "1"

import pandas as pd
from evidently import DataDefinition, Dataset, Recsys, Report
from evidently import metrics as tools
from evidently.legacy import metrics as old_tools
from evidently.legacy.pipeline.column_mapping import ColumnMapping
from evidently.legacy.report import Report as OldReport

NAMES = ["user", "item", "target", "prediction"]
RANKING = Recsys(user_id="user", item_id="item", target="target", prediction="prediction", recommendations_type="score")


def parse(metric):
    """``Name(a=1)@k`` as name and keyword arguments."""
    name, inner, k = re.fullmatch(r"(\w+)(?:\((.*)\))?@(\d+)", metric).groups()
    arguments = {key.arg: ast.literal_eval(key.value) for key in ast.parse(f"f({inner or ''})").body[0].value.keywords}
    return name, arguments | {"k": int(k)}


def old_value(table, name, arguments):
    """The mean at k of a metric that the new reports lack."""
    mapping = ColumnMapping(user_id="user", item_id="item", target="target", prediction="prediction")
    mapping.recommendations_type = "score"
    metric = getattr(old_tools, name)(**arguments)
    OldReport([metric]).run(current_data=table, reference_data=None, column_mapping=mapping)
    if name == "PersonalizationMetric":
        return float(metric.get_result().current_value)
    found = metric.get_result().current
    return float(found.iloc[arguments["k"] - 1]) if len(found) >= arguments["k"] else None


def value(dataset, name, arguments):
    """The mean at k; None where Evidently has none."""
    try:
        if not hasattr(tools, name):
            return old_value(dataset.as_dataframe(), name, arguments)
        report = Report([getattr(tools, name)(**arguments)]).run(dataset, None)
        found = next(iter(report.metric_results.values())).value["value"]
    except (KeyError, IndexError):
        return None
    return float(found.iloc[arguments["k"] - 1]) if len(found) >= arguments["k"] else None


def answer(run, qrels, metrics):
    """One table for all metrics; users are the judged queries with results."""
    rows = [
        (query, item, max(qrels[query].get(item, 0), 0), float(items[item]))
        for query, items in run.items()
        if query in qrels
        for item in sorted(items, key=items.get, reverse=True)
    ]
    definition = DataDefinition(numerical_columns=NAMES[2:], categorical_columns=NAMES[:2], ranking=[RANKING])
    dataset = Dataset.from_pandas(pd.DataFrame(rows, columns=NAMES), data_definition=definition)
    return {metric: {"mean": value(dataset, *parse(metric))} for metric in metrics}


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
