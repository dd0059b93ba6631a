"""arch: the bootstrap's interval and error of a mean of differences, and of the ratio of two means less one.

A question is a list of ``{"control": values, "treatment": values, "confidence_level": ..., "resamples": ..., "seed":
..., "method": ...}``, pairs in the same order; an answer has of ``effect`` and ``relative`` the ends of the interval by
percentiles or BCa, and of the effect its error.
"""

import json
import sys
from pathlib import Path

import numpy as np
from arch.bootstrap import IIDBootstrap


def answer(control, treatment, confidence_level, resamples, seed, method):
    """One experiment."""
    pairs = np.array([control, treatment]).T

    def both(drawn):
        before, after = drawn.mean(axis=0)
        return np.array([after - before, after / before - 1])

    asked = {"reps": resamples, "method": method, "size": confidence_level}
    ends = IIDBootstrap(pairs, seed=seed).conf_int(both, **asked)
    error = np.sqrt(IIDBootstrap(pairs, seed=seed).cov(both, reps=resamples)[0, 0])
    return {"effect": ends[:, 0].tolist(), "relative": ends[:, 1].tolist(), "error": float(error)}


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
