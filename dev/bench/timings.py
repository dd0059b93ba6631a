"""What is measured, and what a table says about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

METRICS = ("nDCG@10", "AP", "RR", "P@10", "R@100")
CUTOFFS = ("nDCG@10", "RR@10", "P@10", "R@10")
OURS = (
    "rankmetrics",
    "rankmetrics check=judged",
    "rankmetrics check=full",
    "rankmetrics cutoffs",
    "rankmetrics text",
    "rankmetrics_tables",
    "rankmetrics_parquet",
)
ALWAYS = ("floor", "group_by", *OURS)
OTHERS = ("by_hand", "pytrec_eval", "ir_measures", "ranx", "trec_eval", "spark")
OF_TEXT = ("rankmetrics text", "trec_eval")  # read the files as TREC has them
# What a tool is held against: what starts from the same files, or in its second evaluation from what is loaded.
AGAINST = {"trec_eval": "rankmetrics text"}
AGAIN = {"by_hand": "rankmetrics_parquet"}
# The digits that a tool prints, and what the others may differ by.
TOLERANCE = {"trec_eval": 5.1e-5}
EXACT = 1e-6


@dataclass(frozen=True)
class Timing:
    """Wall time in seconds, peak memory in bytes, and what came out.

    Attributes:
        seconds: of the whole process, without the second evaluation.
        peak: of the process.
        values: by metric; of a tool that lacks some, the others.
        second: the seconds of one evaluation more in the same process, where there was one.
    """

    seconds: float
    peak: int
    values: Mapping[str, float]
    second: float | None = None


Timings = Mapping[str, Timing]


def rows(timings: Timings) -> list[tuple[str, ...]]:
    """Return the table rows of a shape: tool, seconds, peak MB, times the floor, times ours."""
    floor, ours = timings["floor"].seconds, timings["rankmetrics"].seconds

    def row(tool: str, seconds: float, peak: str) -> tuple[str, ...]:
        return tool, f"{seconds:.2f}", peak, f"{seconds / floor:.2f}", f"{seconds / ours:.2f}"

    return [
        *(row(tool, timing.seconds, f"{timing.peak / 1e6:.0f}") for tool, timing in timings.items()),
        *(row(name, seconds, "") for name, seconds in second_evaluations(timings).items()),
    ]


def second_evaluations(timings: Timings) -> dict[str, float]:
    """Return the seconds of the second evaluations, from data that the process has loaded."""
    return {second_of(tool): timing.second for tool, timing in timings.items() if timing.second is not None}


def second_of(tool: str) -> str:
    """Return the name of a tool's second evaluation in the table."""
    return f"{tool}, second evaluation"


def losses(timings: Timings) -> list[str]:
    """Return a line for each tool that is faster than we are from the same files, or in the second evaluation."""
    everything = {tool: timing.seconds for tool, timing in timings.items()} | second_evaluations(timings)
    against = {tool: AGAINST.get(tool, "rankmetrics") for tool in OTHERS}
    against |= {second_of(tool): second_of(AGAIN.get(tool, "rankmetrics_tables")) for tool in OTHERS}
    return [
        f"{tool} takes {everything[tool]:.2f} s, {ours} {everything[ours]:.2f} s."
        for tool, ours in against.items()
        if tool in everything and everything[tool] < everything[ours]
    ]


def disagreements(timings: Timings) -> list[str]:
    """Return a line for each value that differs from ours."""
    ours = timings["rankmetrics"].values
    return [
        f"{tool} gets {metric} = {value}, we get {ours[metric]}"
        for tool, timing in timings.items()
        if tool != "rankmetrics cutoffs"
        for metric, value in timing.values.items()
        if abs(value - ours[metric]) > TOLERANCE.get(tool, EXACT)
    ]
