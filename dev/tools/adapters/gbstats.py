"""GrowthBook's gbstats: of two arms its two-sided test of the difference, as t or as a sequence that always holds.

A question is a list of ``{"control": values, "treatment": values, "confidence_level": ..., "sequential": N or null}``,
with the values of both before where they are adjusted by them; a value may be a pair, for a ratio of
sums. An answer has the effect, the ends of its interval and
the p-value of each, and the same of the relative effect, whose error is of the ratio itself and not of its logarithm.
"""

import json
import sys
from pathlib import Path

from gbstats.frequentist.tests import FrequentistConfig, SequentialConfig, SequentialTwoSidedTTest, TwoSidedTTest
from gbstats.models.statistics import RatioStatistic, RegressionAdjustedStatistic, SampleMeanStatistic


def statistic(values):
    """What it knows of an arm: numbers, or pairs of numerator and denominator, each of a user."""
    if isinstance(values[0], list):
        above, below = zip(*values, strict=True)
        product = sum(numerator * denominator for numerator, denominator in values)
        return RatioStatistic(len(values), statistic(above), statistic(below), product)
    return SampleMeanStatistic(n=len(values), sum=sum(values), sum_squares=sum(value * value for value in values))


def adjusted(values, before):
    """The same with the values before; theta follows when both arms are known."""
    product = sum(value * earlier for value, earlier in zip(values, before, strict=True))
    return RegressionAdjustedStatistic(
        n=len(values),
        post_statistic=statistic(values),
        pre_statistic=statistic(before),
        post_pre_sum_of_products=product,
        theta=0,
    )


def answer(control, treatment, confidence_level, sequential, before=None):
    """One experiment, twice: the effect and the relative one."""
    found = {}
    for kind in ("absolute", "relative"):
        config = {"alpha": 1 - confidence_level, "difference_type": kind}
        arms = statistic(control), statistic(treatment)
        if before is not None:
            arms = adjusted(control, before[0]), adjusted(treatment, before[1])
        test = (
            TwoSidedTTest(*arms, FrequentistConfig(**config))
            if sequential is None
            else SequentialTwoSidedTTest(*arms, SequentialConfig(**config, sequential_tuning_parameter=sequential))
        )
        result = test.compute_result()
        found[kind] = {"effect": result.expected, "ends": [float(end) for end in result.ci], "pvalue": result.p_value}
    return found


if __name__ == "__main__":
    questions = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([answer(**question) for question in questions]))
