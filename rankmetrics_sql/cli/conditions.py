"""Conditions that make a command fail, and their outcomes."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..results.files import write
from .terminal import echo
from .texts import parse_settings

if TYPE_CHECKING:
    from ..definitions.choices import Choices
    from ..definitions.resolution import ResolvedMetric
    from ..results.gates import Gate

junit_option = click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the conditions' outcomes as JUnit XML.",
)


def resolve_request(arguments: Mapping[str, Any], *, compares: bool = False) -> tuple[Choices, list[ResolvedMetric]]:
    """Resolve the options and metrics that the command line names, of a comparison or an evaluation."""
    from ..definitions.choices import resolve_options
    from ..definitions.resolution import resolve_metrics

    choices = resolve_options(parse_settings(arguments["settings"]), arguments["profile"])
    return choices, resolve_metrics(arguments["metrics"], choices, compared=compares)


def need_judgments(arguments: Mapping[str, Any]) -> bool:
    """Return whether a metric that the command line names reads judgments."""
    return any(found.reads_judgments for found in resolve_request(arguments)[1])


def parse_gates(
    conditions: Sequence[str], requirements: Sequence[str], arguments: Mapping[str, Any], compares: bool = True
) -> list[Gate]:
    """Parse --fail-if and --fail-unless before any data is read.

    Raises:
        UsageError: a condition cannot be parsed.
    """
    named = [("--fail-if", text) for text in conditions] + [("--fail-unless", text) for text in requirements]
    if not named:
        return []
    from ..results.gates import read_gates

    return read_gates(named, resolve_request(arguments, compares=compares)[1], compares)


def judge(command: str, outcomes: Sequence[tuple[Gate, Sequence[str]]], file: Path | None) -> None:
    """Print the conditions that failed, write --junit, and exit with 3 if any failed."""
    if file is not None:
        from ..results.gates import junit

        write(junit(f"rankmetrics {command}", outcomes), file)
    failures = [line for _, lines in outcomes for line in lines]
    for line in failures:
        echo(f"rankmetrics: fails: {line}", err=True)
    if failures:
        sys.exit(3)
