"""The inputs that a command line names: sources such as --events with their --rule, and judgments if they are read."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError, nearest
from .help import ListedOption
from .inputs import InputReader, require
from .options import combined
from .texts import parse_settings, split_rules

if TYPE_CHECKING:
    from ..definitions.resolution import Choices, ResolvedMetric

Command = Callable[..., Any]

KINDS: Mapping[str, tuple[str, str]] = {
    "events": ("IMPRESSIONS EVENTS", "A log: impressions, and clicks or purchases"),
    "ubi": ("QUERIES EVENTS", "User Behavior Insights: two tables or files"),
    "ga4": ("TABLE", "The export of Google Analytics 4"),
    "snowplow": ("TABLE", "Product interactions of Snowplow"),
    "segment": ("VIEWED CLICKED", "Segment: Product List Viewed, Product Clicked"),
    "lists": ("TABLE", "A table with an array of items in each row"),
    "spans": ("TABLE", "Spans of traces with retrieved documents"),
    "ratings": ("TABLE", "A table of ratings and predictions"),
}


def source_options(command: Command) -> Command:
    """Add the options of sources: their tables, --rule and --quality."""
    quality = click.option("--quality", is_flag=True, help="Print only how many rows are used or left out.")
    return combined(source_tables, quality)(command)


def source_tables(command: Command) -> Command:
    """Add the options of sources: their tables and --rule."""
    rule = click.option(
        "--rule",
        "rules",
        cls=ListedOption,
        describe=describe_rules,
        multiple=True,
        metavar="NAME=VALUE,...",
        help="Such as arm=variant; --help rule lists them.",
    )
    tables = [
        click.option(f"--{name}", nargs=len(metavar.split()), multiple=True, type=str, metavar=metavar, help=f"{text}.")
        for name, (metavar, text) in KINDS.items()
    ]
    return combined(*tables, rule)(command)


@dataclass(frozen=True)
class Named:
    """The runs that a command line names.

    Attributes:
        runs: the runs, or the sources that stand for them, by name.
        kind: the kind of the sources, such as lists; None of runs.
    """

    runs: dict[str, Any]
    kind: str | None = None

    @property
    def value(self) -> Any:
        """Return what public functions take: one run or source, or several by name."""
        return next(iter(self.runs.values())) if len(self.runs) == 1 else self.runs

    @property
    def name(self) -> str:
        """The name of the first run."""
        return next(iter(self.runs))

    def refuse_baseline(self, baseline: str | None) -> None:
        """Refuse to choose a baseline among runs that stand in an order."""
        if baseline is not None and (self.kind is None or len(self.runs) > 1):
            raise UsageError(
                "--baseline names an arm of a log, or a run of one file, and you passed several runs. Put the baseline"
                " first, and omit --baseline."
            )

    def require(self, example: str, qrels: Any, **roles: int) -> None:
        """Check that runs and judgments are given. A source says itself what it lacks.

        Args:
            example: a complete command line to suggest.
            qrels: the judgments.
            roles: the number of runs that each argument needs, by its name; ``RUN=1`` by default.
        """
        if self.kind is None:
            enough = {name: len(self.runs) >= count for name, count in (roles or {"RUN": 1}).items()}
            require(example, **enough, qrels=qrels is not None)


def read_runs(inputs: InputReader, arguments: dict[str, Any], texts: Sequence[str]) -> Named:
    """Read the runs that the command line names, or the sources in their place, and remove the options of sources.

    Arguments behind a source are more tables of its kind: ``--lists a.parquet b.parquet`` are two runs.

    Args:
        inputs: the inputs of the command line.
        arguments: the options of the command.
        texts: the other arguments.
    """
    rules, quality = arguments.pop("rules", ()), arguments.get("quality")
    tables_by_kind = {name: tables for name in KINDS if (tables := arguments.pop(name, ()))}
    if len(tables_by_kind) > 1:
        raise UsageError(
            f"{' and '.join(f'--{name}' for name in tables_by_kind)} exclude each other. Pass one of them."
        )
    if not tables_by_kind:
        if rules or quality:
            raise UsageError(
                f"--rule and --quality need a log. Pass one, too: {', '.join(f'--{name}' for name in KINDS)}."
            )
        return Named(inputs.runs(texts))
    [(kind, tables)] = tables_by_kind.items()
    metavar = KINDS[kind][0]
    n_tables = len(metavar.split())
    if len(texts) % n_tables:
        raise UsageError(f"--{kind} takes {metavar} for each run, not {' '.join(texts)} besides. Omit the rest.")
    more = [tuple(texts[place : place + n_tables]) for place in range(0, len(texts), n_tables)]
    runs: dict[str, Any] = {}
    for of_run in [*((one,) if isinstance(one, str) else one for one in tables), *more]:
        name, first = inputs.named(of_run[0])
        if name in runs:
            raise UsageError(f"Two runs are called {name!r}. Write NAME=TABLE to tell them apart.")
        runs[name] = _source(kind, [inputs.one(table) for table in (first, *of_run[1:])], rules)
    return Named(runs, kind)


def _source(kind: str, tables: Sequence[Any], rules: Sequence[str]) -> Any:
    """Describe one source."""
    from .. import sources

    function = getattr(sources, kind)
    return function(*tables, **_rules(kind, function, len(tables), rules))


def _rules(kind: str, function: Callable[..., Any], n_tables: int, texts: Sequence[str]) -> dict[str, Any]:
    """Read --rule into keyword arguments of the source's function."""
    parameters = list(inspect.signature(function).parameters)[n_tables:]
    values: dict[str, Any] = {}
    for text in (rule for rules_text in texts for rule in split_rules(rules_text)):
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not value.strip():
            raise UsageError(f"--rule takes NAME=VALUE, such as arm=variant, not {text!r}.")
        if name not in parameters:
            hint = _option(name, value.strip()) or nearest(name, parameters)
            raise UsageError(f"--rule: --{kind} has no rule {name!r}. {hint}")
        if name in values:
            raise UsageError(f"--rule gives {name} two values. Pass one.")
        values[name] = _value(name, value.strip())
    return values


def describe_rules() -> Iterator[str]:
    """Yield a line for each argument that --rule takes: its name, what it is, and for which sources."""
    from .. import sources
    from ..api.keywords import arguments_of

    meanings: dict[str, str] = {}
    takers: dict[str, list[str]] = {}
    for kind, (tables, _) in KINDS.items():
        function = getattr(sources, kind, None)
        if function is not None:
            entries = arguments_of(function)
            for name in list(inspect.signature(function).parameters)[len(tables.split()) :]:
                meanings.setdefault(name, entries.get(name, "").partition(": ")[2])
                takers.setdefault(name, []).append(f"--{kind}")
    for name, meaning in meanings.items():
        first = re.split(r"(?<=[.;:])\s", " ".join(meaning.split()).replace("``", ""))[0].rstrip(".;:")
        yield f"{name}: {first} ({', '.join(takers[name])})"


def _option(name: str, value: str) -> str:
    """Say how to pass an option of the command that somebody wrote as a rule; "" if it has no such option."""
    params = click.get_current_context().command.params
    option = f"--{name.replace('_', '-')}"
    takes_value = any(option in param.opts and not getattr(param, "is_flag", False) for param in params)
    return f"Pass {option} {shlex.quote(value)}." if takes_value else ""


_NUMBERS = ("within", "half_life", "min_dwell", "position_base", "threshold", "collapse_within")


def _value(name: str, text: str) -> Any:
    """Convert the value of a rule to what the function takes."""
    if name in ("grades", "event_columns", "fields"):
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
    from ..definitions.resolution import parse_number

    number = parse_number(text)
    return text if number is None else number


def resolve_choices(arguments: Mapping[str, Any]) -> Choices:
    """Resolve the options that the command line names."""
    from ..definitions.resolution import resolve_options

    return resolve_options(parse_settings(arguments["settings"]), arguments["profile"])


def resolve_request(arguments: Mapping[str, Any], *, compares: bool = False) -> tuple[Choices, list[ResolvedMetric]]:
    """Resolve the options and metrics that the command line names, of a comparison or an evaluation."""
    from ..definitions.resolution import resolve_metrics

    choices = resolve_choices(arguments)
    return choices, resolve_metrics(arguments["metrics"], choices, compared=compares)


def given_or_unneeded(
    judgments: Any, arguments: Mapping[str, Any], resolve: Callable[[], Iterable[ResolvedMetric]] | None = None
) -> Any:
    """Return the judgments, True if no metric reads any, or None if they are missing.

    Args:
        judgments: those that the command line names.
        arguments: the options of the command, among them its metrics.
        resolve: returns its metrics, if they are resolved otherwise.
    """
    if judgments is not None:
        return judgments
    metrics = resolve_request(arguments)[1] if resolve is None else resolve()
    return None if any(metric.reads_judgments for metric in metrics) else True
