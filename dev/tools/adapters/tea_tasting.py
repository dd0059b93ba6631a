"""tea-tasting: of two arms what it says of their means, or of ratios of these, by Welch's t.

A question is a list of ``{"control": values, "treatment": values, "alternative": ..., "confidence_level": ...}``, where
a value may be a pair, of what is divided and by what, with the values (or pairs) of both before where they are to be
adjusted by them; an answer has its columns for each.
"""

import json
import sys
from pathlib import Path

import pyarrow as pa
import tea_tasting as tt


def answer(control, treatment, alternative, confidence_level, before=None):
    """One experiment."""
    values = [*control, *treatment]
    variant = [0] * len(control) + [1] * len(treatment)
    asked = {"alternative": alternative.replace("_", "-"), "confidence_level": confidence_level}
    table = {"variant": variant, "value": values}
    if before is not None:
        table["before"] = [*before[0], *before[1]]
        asked["covariate"] = "before"
    if not isinstance(values[0], list):
        metric = tt.Mean("value", **asked)
    else:
        table |= columns_of(("value", "by"), values)
        if asked.pop("covariate", None):
            table |= columns_of(("before", "before_by"), table["before"])
            asked |= {"numer_covariate": "before", "denom_covariate": "before_by"}
        metric = tt.RatioOfMeans("value", "by", **asked)
    return tt.Experiment(mean=metric).analyze(pa.table(table))["mean"]._asdict()


def columns_of(names, pairs):
    """Two columns out of pairs."""
    return dict(zip(names, map(list, zip(*pairs, strict=True)), strict=True))


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
