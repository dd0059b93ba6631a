"""The options that name a source, such as --events, and those that pass its arguments, --rule."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from ..errors import UsageError, nearest
from .inputs import Inputs
from .options import combined

Command = Callable[..., Any]

KINDS: Mapping[str, tuple[str, str]] = {
    "events": ("IMPRESSIONS EVENTS", "A log: impressions, and clicks or purchases"),
    "ubi": ("QUERIES EVENTS", "User Behavior Insights: two tables or files"),
    "ga4": ("TABLE", "The export of Google Analytics 4"),
    "snowplow": ("TABLE", "Product interactions of Snowplow"),
    "segment": ("VIEWED CLICKED", "Segment: Product List Viewed, Product Clicked"),
    "lists": ("TABLE", "A table with an array of items in each row"),
    "ratings": ("TABLE", "A table of ratings and predictions"),
}


def source_options(command: Command) -> Command:
    """Add the options of sources: their tables, --rule and --quality."""
    quality = click.option("--quality", is_flag=True, help="Count the rows used, and those left out.")
    return combined(source_tables, quality)(command)


def source_tables(command: Command) -> Command:
    """Add the options of sources: their tables and --rule."""
    rule = click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="NAME=VALUE",
        help="An argument of the log, such as arm=variant.",
    )
    tables = [
        click.option(f"--{name}", nargs=len(metavar.split()), type=str, metavar=metavar, help=f"{text}.")
        for name, (metavar, text) in KINDS.items()
    ]
    return combined(*tables, rule)(command)


def read_source(inputs: Inputs, arguments: dict[str, Any]) -> tuple[str, Any] | None:
    """Read the source that the command line names, and remove its options from the arguments.

    Returns:
        its kind, such as events, and the source; None if the command line names none.

    Raises:
        UsageError: it names several, or a rule that the source does not have.
    """
    rules, quality = arguments.pop("rules"), arguments.get("quality")
    found = {name: given for name in KINDS if (given := arguments.pop(name)) is not None}
    if len(found) > 1:
        raise UsageError(f"{' and '.join(f'--{name}' for name in found)} exclude each other. Pass one of them.")
    if not found:
        if rules or quality:
            raise UsageError(
                f"--rule and --quality need a log. Pass one, too: {', '.join(f'--{name}' for name in KINDS)}."
            )
        return None
    from ..inputs import sources

    [(name, given)] = found.items()
    tables = [given] if isinstance(given, str) else given
    function = getattr(sources, name)
    return name, function(*(inputs.one(table) for table in tables), **_rules(name, function, len(tables), rules))


def _rules(kind: str, function: Callable[..., Any], n_tables: int, texts: Sequence[str]) -> dict[str, Any]:
    """Read --rule into keyword arguments of the source's function."""
    known = list(inspect.signature(function).parameters)[n_tables:]
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not value.strip():
            raise UsageError(f"--rule takes NAME=VALUE, such as arm=variant, not {text!r}.")
        if name not in known:
            raise UsageError(f"--rule: --{kind} has no rule {name!r}. {nearest(name, known)}")
        if name in found:
            raise UsageError(f"--rule gives {name} two values. Pass one.")
        found[name] = _value(name, value.strip())
    return found


_NUMBERS = ("within", "half_life", "min_dwell", "position_base", "threshold")


def _value(name: str, text: str) -> Any:
    """Convert the value of a rule to what the function takes."""
    if name in ("grades", "event_columns"):
        pairs = [part.partition(":") for part in text.split(",")]
        if not all(colon and value.strip() for _, colon, value in pairs):
            raise UsageError(f"--rule {name} takes NAME:VALUE,..., such as click:1, not {text!r}.")
        return {key.strip(): _number(value.strip()) if name == "grades" else value.strip() for key, _, value in pairs}
    if name == "propensity":
        pairs = [part.partition(":") for part in text.split(",")]
        if all(colon and position.strip().isdigit() for position, colon, _ in pairs):
            return {int(position): _number(value.strip()) for position, _, value in pairs}
    return _number(text) if name in _NUMBERS else text


def _number(text: str) -> Any:
    """Convert a text to a number, if it is one. Else the function decides what to do with it."""
    from ..definitions.metric_strings import parse_number

    number = parse_number(text)
    return text if number is None else number
