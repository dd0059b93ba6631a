"""Writes a report about the inputs of a question."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..inputs.sources import Source
from ..pipeline.prepare import Evaluation
from .common import Keywords

if TYPE_CHECKING:
    from ..results.comparison import Comparison
    from ..results.values import Result

R = TypeVar("R", "Result", "Comparison")


def reporting(
    result: R,
    prepared: Evaluation,
    prepare: Callable[[], AbstractContextManager[Evaluation]],
    asked: Keywords,
    run: Any,
    **others: Any,
) -> R:
    """The result with what writes a report about its inputs: as our own DuckDB holds them, or read once more.

    Args:
        result: of the evaluation or comparison.
        prepared: its inputs, read and checked.
        prepare: reads and checks them again, in a database of the user's, which keeps nothing.
        asked: the keywords of the question.
        run: the run or runs, or a source.
        others: what else the report is to know, as ``Asked`` has it.
    """

    def write(path: Path) -> None:
        from ..report.asking import Asked
        from ..report.page import check_page, write_page

        check_page(path)
        source, choices = run if isinstance(run, Source) else None, asked.choices()
        with nullcontext(prepared) if prepared.asker.database.own else prepare() as evaluation:
            write_page(path, Asked(evaluation, choices, source, **others))

    return replace(result, _report=write)
