"""What the command line calls a source: its tables, and the arguments of the function of that name as rules."""

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
    "events": ("IMPRESSIONS EVENTS", "A log of what was shown and of what was done with it"),
    "ubi": ("QUERIES EVENTS", "The two tables of User Behavior Insights, or its file twice"),
    "ga4": ("TABLE", "Google Analytics 4's export"),
    "snowplow": ("TABLE", "Snowplow's table of product interactions"),
    "segment": ("VIEWED CLICKED", "Segment's tables of lists viewed and products clicked"),
    "lists": ("TABLE", "A table with lists of items"),
    "ratings": ("TABLE", "A table of ratings and predictions"),
}


def source_options(command: Command) -> Command:
    """The options that name a source, its rules, and ask how its rows were used."""
    quality = click.option("--quality", is_flag=True, help="Print how many rows were used, or set aside and why.")
    return combined(source_tables("RUN"), quality)(command)


def source_tables(instead_of: str) -> Callable[[Command], Command]:
    """The options that name a source, and its rules."""
    rule = click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="NAME=VALUE",
        help="How --events or another source is read, such as request=search_id, grades=click:1,purchase:3,"
        " 'within=30 minutes'; may be repeated.",
    )
    tables = [
        click.option(
            f"--{name}", nargs=len(metavar.split()), type=str, metavar=metavar, help=f"{text}, instead of {instead_of}."
        )
        for name, (metavar, text) in KINDS.items()
    ]
    return combined(rule, *tables)


def source_of(inputs: Inputs, arguments: dict[str, Any]) -> tuple[str, Any] | None:
    """The kind of the source that the command line names, and the source; takes its arguments out.

    Raises:
        UsageError: several are named, or a rule is none of the source's.
    """
    rules, quality = arguments.pop("rules"), arguments.get("quality")
    found = {name: given for name in KINDS if (given := arguments.pop(name)) is not None}
    if len(found) > 1:
        raise UsageError(f"{' and '.join(f'--{name}' for name in found)} exclude each other.")
    if not found:
        if rules or quality:
            raise UsageError(f"--rule and --quality go with {', '.join(f'--{name}' for name in KINDS)}.")
        return None
    from ..inputs import sources

    [(name, given)] = found.items()
    tables = [given] if isinstance(given, str) else given
    function = getattr(sources, name)
    return name, function(*(inputs.one(table) for table in tables), **_rules(name, function, len(tables), rules))


def _rules(kind: str, function: Callable[..., Any], n_tables: int, texts: Sequence[str]) -> dict[str, Any]:
    """The keywords of a source's function."""
    known = list(inspect.signature(function).parameters)[n_tables:]
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not value.strip():
            raise UsageError(f"--rule takes NAME=VALUE, not {text!r}.")
        if name not in known:
            raise UsageError(f"--rule: --{kind} has no rule {name!r}. {nearest(name, known)}")
        if name in found:
            raise UsageError(f"--rule gives {name} twice.")
        found[name] = _value(name, value.strip())
    return found


_NUMBERS = ("within", "half_life", "min_dwell", "position_base", "threshold")


def _value(name: str, text: str) -> Any:
    """A rule as its function takes it."""
    if name in ("grades", "event_columns"):
        pairs = [part.partition(":") for part in text.split(",")]
        if not all(colon and value.strip() for _, colon, value in pairs):
            raise UsageError(f"--rule {name} takes NAME:VALUE,..., not {text!r}.")
        return {key.strip(): _number(value.strip()) if name == "grades" else value.strip() for key, _, value in pairs}
    if name == "propensity":
        pairs = [part.partition(":") for part in text.split(",")]
        if all(colon and position.strip().isdigit() for position, colon, _ in pairs):
            return {int(position): _number(value.strip()) for position, _, value in pairs}
    return _number(text) if name in _NUMBERS else text


def _number(text: str) -> Any:
    """A number, or the text where it is none, which the function refuses or understands."""
    from ..definitions.metric_strings import parse_number

    number = parse_number(text)
    return text if number is None else number
