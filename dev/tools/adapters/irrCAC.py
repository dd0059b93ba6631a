"""Agreement of several judges: Gwet's irrCAC, and Krippendorff's alpha by the package of that name.

A question is ``{"items": rows of a grade per judge, null where there is none, "scale": all grades}``; an answer has the
values by our names. Of Gwet's coefficients, AC2 is that with quadratic weights.
"""

import json
import sys
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC


def coefficient(table, scale, method, weights="identity"):
    """One of irrCAC's, with the digits that it has before it rounds."""
    cac = CAC(table, weights=weights, categories=scale, digits=12)
    return getattr(cac, method)()["est"]["coefficient_value"]


def answer(items, scale):
    """All measures of one table.

    Fleiss' kappa is his where every item has as many judges.
    """
    table = pd.DataFrame(items, dtype=float)
    grades = np.array(table).T
    found = {
        f"alpha_{level}": krippendorff.alpha(reliability_data=grades, level_of_measurement=level)
        for level in ("nominal", "ordinal", "interval")
    }
    found["ac1"] = coefficient(table, scale, "gwet")
    found["ac2"] = coefficient(table, scale, "gwet", "quadratic")
    found["fleiss_kappa"] = coefficient(table, scale, "fleiss")
    return {name: float(value) for name, value in found.items()}


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
