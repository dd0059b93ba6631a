"""What writes a report about the inputs of a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from ..results.result import Comparison, Result
from .common import GROUPS

R = TypeVar("R", Result, Comparison)

_OF_SUMMARY = ("rollup", "min_queries")  # which a report is not made with


def reporting(result: R, run: Any, qrels: Any, metrics: Any, said: Mapping[str, Any]) -> R:
    """The result with what writes a report about its inputs.

    Args:
        result: of the evaluation or comparison.
        run: the run or runs, or a source.
        qrels: the judgments.
        metrics: metric strings.
        said: the other arguments by name, with the options.
    """
    left_out = ("baseline", *GROUPS, *_OF_SUMMARY)
    groups = {name: said[name] for name in GROUPS if said.get(name)}
    asked = {name: value for name, value in said.items() if name not in left_out and value is not None}

    def write(path: Path, found: Result | Comparison) -> None:
        from .. import compare, evaluate, movements
        from ..report.asking import Asked
        from ..report.page import write_report

        question = Asked(run, qrels, metrics, asked, groups, evaluate, compare, movements, said.get("baseline"))
        is_whole = isinstance(found, Result) and not groups and "ci_lower" in found.summary.columns
        write_report(path, question, found if is_whole and not said.get("rollup") else None)

    return replace(result, _report=write)
