"""tea-tasting: of two arms what it says of their means, by Welch's t, and of how many units they have.

A question is a list of ``{"control": values, "treatment": values, "alternative": ..., "confidence_level": ...}``; an
answer has its columns for each, and ``sample_ratio``, a p-value, which it computes from the counts alone.
"""

import json
import sys
from pathlib import Path

import pyarrow as pa
import tea_tasting as tt


def answer(control, treatment, alternative, confidence_level):
    """One experiment."""
    values = [*control, *treatment]
    table = pa.table({"variant": [0] * len(control) + [1] * len(treatment), "value": values})
    asked = {"alternative": alternative.replace("_", "-"), "confidence_level": confidence_level}
    experiment = tt.Experiment(mean=tt.Mean("value", **asked), ratio=tt.SampleRatio(method="norm", correction=False))
    found = experiment.analyze(table)
    return {**found["mean"]._asdict(), "sample_ratio": found["ratio"].pvalue}


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
