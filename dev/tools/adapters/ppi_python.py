"""ppi-python: prediction-powered means (PPI++) of its authors.

A question is a list of ``{"y": human values, "f": predictions of these, "others": further predictions, "weight": lambda
or null}``; an answer has for each the estimate and the ends of the interval of 95 % by the normal distribution.
"""

import json
import sys
from pathlib import Path

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate


def answer(y, f, others, weight):
    """One mean."""
    values = [np.array(one) for one in (y, f, others)]
    ends = ppi_mean_ci(*values, alpha=0.05, lam=weight)
    return [float(np.ravel(one)[0]) for one in (ppi_mean_pointestimate(*values, lam=weight), *ends)]


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
