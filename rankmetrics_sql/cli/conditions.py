"""The conditions that fail a command, and what becomes of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..results.files import write
from .terminal import echo
from .texts import settings_of

if TYPE_CHECKING:
    from ..definitions.choices import Choices
    from ..definitions.resolution import ResolvedMetric
    from ..results.gates import Gate

junit_option = click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write what became of the conditions as JUnit's XML, which CI servers read.",
)


def asked_of(arguments: Mapping[str, Any]) -> tuple[Choices, list[ResolvedMetric]]:
    """The choices and the metrics that the command line names."""
    from ..definitions.choices import resolve_options
    from ..definitions.resolution import resolve_metrics

    choices = resolve_options(settings_of(arguments["settings"]), arguments["profile"])
    return choices, resolve_metrics(arguments["metrics"], choices)


def gates_of(
    conditions: Sequence[str], requirements: Sequence[str], arguments: Mapping[str, Any], compares: bool = True
) -> list[Gate]:
    """The conditions that fail a command, before anything is read.

    Raises:
        UsageError: one of them is none.
    """
    named = [("--fail-if", text) for text in conditions] + [("--fail-unless", text) for text in requirements]
    if not named:
        return []
    from ..results.gates import read_gates

    return read_gates(named, asked_of(arguments)[1], compares)


def judge(command: str, outcomes: Sequence[tuple[Gate, Sequence[str]]], file: Path | None) -> None:
    """Says which conditions failed, in a file too where one is named, and ends the command if there are any."""
    if file is not None:
        from ..results.gates import junit

        write(junit(f"rankmetrics {command}", outcomes), file)
    failures = [line for _, lines in outcomes for line in lines]
    for line in failures:
        echo(f"rankmetrics: fails: {line}", err=True)
    if failures:
        sys.exit(3)
