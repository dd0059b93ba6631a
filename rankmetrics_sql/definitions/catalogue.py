"""Read the headers of metrics and the TOML files of ``sql/``: for lists, the reference and tests, not to resolve."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

from ..errors import DataError, nearest
from ..root import sql_root
from .known import Parameter, parameter

# The groups of metrics in lists, with their headings.
OF_METRICS: Mapping[str, str] = {
    "binary": "Binary relevance",
    "graded": "Graded relevance",
    "whole": "The whole ranking",
    "diversity": "Diversity",
    "overlap": "Agreement of rankings",
    "click": "Clicks",
    "propensity": "Propensities",
    "ratings": "Ratings",
    "beyond": "Beyond accuracy",
    "counts": "Counts and judgments",
}

# The groups of options.
OF_OPTIONS: Mapping[str, str] = {
    "relevance": "Worth of an item",
    "metrics": "Depth and denominator",
    "ranking": "Ranking",
    "judgments": "Judgments",
    "queries": "Queries",
    "running": "Running",
    "intervals": "Intervals",
    "comparisons": "Comparisons",
}

# The groups of profiles.
OF_PROFILES: Mapping[str, str] = {"run": "Run against the tool", "read": "By reading"}


class _Grouped(Protocol):
    @property
    def group(self) -> str: ...


Entry = TypeVar("Entry", bound=_Grouped)


def grouped(entries: Mapping[str, Entry], groups: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Entry]]]:
    """Yield the heading of each group that has entries, with these entries, in the order of the groups."""
    for group, heading in groups.items():
        members = {name: entry for name, entry in entries.items() if entry.group == group}
        if members:
            yield heading, members


_OPENING, _ENDING = "{#-\n", "\n-#}"

# Every key that a header may have, and what it holds; CONTRIBUTING.md says what it means.
KEYS: Mapping[str, type] = {
    **dict.fromkeys(("title", "group", "summary", "formula", "source"), str),
    **dict.fromkeys(("aliases", "options", "parameters", "needs", "range", "example"), list),
    **dict.fromkeys(("params", "spellings", "ambiguous", "needs_when", "aggregate_when", "differs", "oracle"), dict),
    **dict.fromkeys(("aggregate", "better", "at", "shape", "reads_order"), str),
    **dict.fromkeys(("reads_ranks", "reads_grades", "reads_judgments", "reads_history"), bool),
    **dict.fromkeys(("about_judgments", "divides_by_judgments", "counts_empty_lists", "takes_estimates"), bool),
}
REQUIRED = ("title", "group", "summary", "formula", "source")

# Every key of a parameter.
PARAMETER_KEYS = ("type", "help", "default", "required", "min", "max", "above", "below", "values")
TYPES = ("int", "number", "choice", "text")

# The shared columns that come from the catalogue of items.
OF_ITEMS = ("in_catalogue", "popularity", "popularity_place", "n_items", "n_categories", "categories")

# The shared columns that a metric may read.
NEEDS = (
    *("n_relevant", "n_nonrelevant", "n_judged", "n_retrieved", "n_shown", "highest_grade", "facts_on_rows"),
    *("relevant_so_far", "nonrelevant_so_far", "nonrelevant", "score", "gain", "ideal_dcg", "greedy_ideal"),
    *("weight_discount", "weight_zipf", "weight_power", "tied_relevant"),
    *("all_rows", "subtopics", "n_subtopics", "propensity", "target"),
    *("action_counts", "action_values", "action_seconds", "click_counts"),
    *("item_id", *OF_ITEMS, "popularity_share", "place", "reference_ranks", "shared_places"),
)
_WORDS: Mapping[str, Collection[str]] = {
    "group": OF_METRICS,
    "aggregate": ("mean", "sum", "median", "geometric", "parts", "lists"),
    "better": ("higher", "lower"),
    "shape": ("value", "curve"),
    "reads_order": ("cutoff", "first", "any"),
}
# What a judgment says beside its grade; in an example, of the items of the ranking and then of those missed.
CARRIED = ("propensity", "target")
# Numbers of the actions of a type, a parameter of the metric, and the columns that they are; in an example, likewise.
ACTIONS = {
    "action_counts": "actions_{type}",
    "action_values": "amount_{type}",
    "action_seconds": "seconds_{type}",
    "click_counts": "actions_{click}",
}
EXAMPLE = ("ranking", "scores", "missed", "items", *CARRIED, *ACTIONS, "value")


def read_header(
    file: Path, text: str, options: Collection[str], shared: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Parse and validate a metric's header; its ``params`` include the shared parameters that it takes."""
    toml, ending, _ = text.removeprefix(_OPENING).partition(_ENDING)
    if not (text.startswith(_OPENING) and ending):
        raise DataError(f"{file}: no header: the file begins with {{#-, lines of TOML and -#}}, each on its own line.")
    try:
        header = tomllib.loads(toml)
    except ValueError as error:
        raise DataError(f"{file}: the header is no TOML: {error} of the header.") from None
    for problem in _problems(header, options, shared):
        raise DataError(f"{file}: {problem}")
    header["params"] = _params(header, shared)
    header.pop("parameters", None)
    return header


def _params(header: Mapping[str, Any], shared: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the parameters of the macro: the shared ones, as the header changes them, then its own."""
    of_metric = header.get("params", {})
    shared_params = {name: {**shared[name], **of_metric.get(name, {})} for name in header.get("parameters", ())}
    return {**shared_params, **{name: entry for name, entry in of_metric.items() if name not in shared_params}}


def _problems(
    header: Mapping[str, Any], options: Collection[str], shared: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    """Yield the problems of a header, in its order."""
    yield from unknown("key", header, KEYS)
    for key, value in header.items():
        if not isinstance(value, KEYS[key]):
            yield f"{key} is {_KINDS[KEYS[key]]}, not {value!r}."
    yield from (f"{key} is missing or empty." for key in REQUIRED if not header.get(key, "").strip())
    yield from unknown("option in options", header.get("options", ()), options)
    yield from unknown("parameter in parameters", header.get("parameters", ()), shared)
    of_metric = _params(header, shared)
    for name, param in of_metric.items():
        yield from _parameter_problems(f"params.{name}", param)
    params = [*of_metric, *header.get("options", ())]
    for key, valid in _WORDS.items():
        words = [header[key]] if key in header else []
        yield from unknown(key, [*words, *header.get(f"{key}_when", {}).values()], valid)
    needs = [header.get("needs", ()), *header.get("needs_when", {}).values()]
    yield from unknown("shared column in needs", [need for some in needs for need in some], NEEDS)
    for key in ("needs_when", "aggregate_when"):
        conditions = header.get(key, {})
        yield from (f"{key}: {text!r} is no NAME=VALUE or NAME!=VALUE." for text in conditions if "=" not in text)
        yield from unknown(f"parameter in {key}", [text.partition("=")[0].rstrip("!") for text in conditions], params)
    yield from unknown("parameter in at", [header["at"]] if "at" in header else [], params)
    for example in header.get("example", ()):
        yield from unknown("key in example", example, [*EXAMPLE, *params])
        yield from (f"example: {key} is missing." for key in ("ranking", "value") if key not in example)


_KINDS = {str: "text", list: "a list", dict: "a table", bool: "true or false"}


def _parameter_problems(where: str, parameter: Mapping[str, Any]) -> Iterator[str]:
    yield from unknown(f"key in {where}", parameter, PARAMETER_KEYS)
    yield from (f"{where}.{key} is missing or empty." for key in ("type", "help") if not parameter.get(key))
    yield from unknown(f"{where}.type", [parameter["type"]], TYPES)
    if parameter["type"] == "choice" and not parameter.get("values"):
        yield f"{where}.values is missing: a choice lists its values."
    if parameter.get("required") and "default" in parameter:
        yield f"{where} has a default, so it is not required."


def unknown(what: str, names: Collection[str], valid: Collection[str]) -> Iterator[str]:
    """Yield a message for each unknown name."""
    yield from (f"unknown {what}: {name!r}. {nearest(str(name), valid)}" for name in names if name not in valid)


class Metric(NamedTuple):
    """One metric file's header; the file's stem is the metric's name.

    Attributes:
        group: where lists have it, a key of ``OF_METRICS``.
        aliases: other names, in lower case; ``spellings`` stand for parameters too.
        ambiguous: names, in lower case, that mean this metric to some and another to others, and both meanings.
        needs: shared columns that the macro reads; CONTRIBUTING.md lists them.
        needs_when: more of them where a parameter has a value, ``"k=none"``.
        aggregate: how its values become one number; ``aggregate_when`` as for the needs.
        at: the parameter that ``@`` gives.
        shape: ``value``, or ``curve`` where every list has points of its own.
        reads_ranks: whether the order of the list matters at all.
        reads_order: what of the order decides, where not all of it does: ``cutoff``, ``first`` or ``any``.
        reads_grades: whether grades matter, and not only which items are judged.
        reads_history: whether each row of the judgments counts, with or without a grade.
        divides_by_judgments: whether it is a share of what the judgments hold, which no other grade may be part of.
        about_judgments: whether an assumed grade of an unjudged item would miss the point.
        counts_empty_lists: whether it counts lists that are empty, so that its inputs have to know of these.
        takes_estimates: whether it means something of grades that are rates, with ``gain="linear"``.
    """

    name: str
    title: str
    group: str
    summary: str
    source: str
    path: Path
    params: Mapping[str, Parameter]
    aliases: tuple[str, ...] = ()
    spellings: Mapping[str, str] = MappingProxyType({})
    ambiguous: Mapping[str, str] = MappingProxyType({})
    options: tuple[str, ...] = ()
    range: tuple[float, float] | None = None
    needs: tuple[str, ...] = ()
    needs_when: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    aggregate: str = "mean"
    aggregate_when: Mapping[str, str] = MappingProxyType({})
    better: str = "higher"
    at: str = "k"
    shape: str = "value"
    formula: str = ""
    differs: Mapping[str, str] = MappingProxyType({})
    reads_ranks: bool = True
    reads_order: str = "all"
    reads_grades: bool = True
    reads_judgments: bool = True
    reads_history: bool = False
    divides_by_judgments: bool = False
    about_judgments: bool = False
    counts_empty_lists: bool = False
    takes_estimates: bool = False
    has_columns: bool = False
    has_relation: bool = False
    has_parts: bool = False
    oracle: Mapping[str, str] = MappingProxyType({})
    examples: tuple[Mapping[str, Any], ...] = ()

    @property
    def of_grades(self) -> bool:
        """Whether it is a number that follows from the grades of a list's items, with no input beside judgments."""
        reads_more = self.reads_beside or self.reads_items or self.reads_reference
        return self.shape == "value" and self.reads_judgments and not reads_more

    @property
    def reads_items(self) -> bool:
        """Whether it reads a catalogue of items."""
        return any(need in OF_ITEMS for need in self.needs)

    @property
    def reads_reference(self) -> bool:
        """Whether the judgments are another ranking, with grades that are 1 over a rank."""
        return "reference_ranks" in self.needs

    @property
    def of_lists(self) -> bool:
        """Whether it is one value of all lists together, and no list has one of its own."""
        return self.aggregate == "lists"

    @property
    def lacks_values(self) -> bool:
        """Whether a list may have no value under every option, which an example shows by ``null``."""
        return any(one["value"] == "null" and "null" not in {**one, "value": ""}.values() for one in self.examples)

    @property
    def takes_k(self) -> bool:
        """Whether the metric has a cutoff."""
        return "k" in self.params

    @property
    def reads_beside(self) -> list[str]:
        """The columns of judgments that it reads beside the grade."""
        columns = {"subtopics": "subtopic"} | {name: name for name in CARRIED}
        defaults = {name: parameter.default or "click" for name, parameter in self.params.items()}
        columns |= {need: column.format(**defaults) for need, column in ACTIONS.items() if need in self.needs}
        return [column for need, column in columns.items() if need in self.needs]


@cache
def metrics() -> Mapping[str, Metric]:
    """Return every metric by name, in alphabetical order."""
    files = sorted((sql_root() / "macros" / "metrics").glob("*.sql"))
    return {file.stem: metric_of(file, file.read_text(encoding="utf-8")) for file in files}


def metric_of(file: Path, text: str) -> Metric:
    """Return a metric from the text of its file."""
    header = read_header(file, text, options(), shared_parameters())
    params = {name: parameter(name, entry) for name, entry in header.pop("params").items()}
    shared = {name: options()[name] for name in header.get("options", [])}
    entries: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in header.items()}
    examples = entries.pop("example", ())
    for what in ("columns", "relation", "parts"):
        entries[f"has_{what}"] = f"macro metric_{file.stem}_{what}(" in text
    return Metric(name=file.stem, path=file, params=params | shared, examples=examples, **entries)


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((sql_root() / name).read_text(encoding="utf-8"))


@cache
def shared_parameters() -> Mapping[str, Mapping[str, Any]]:
    """Return the parameters that several metrics take, by name, with the keys that headers need not repeat."""
    return _toml("parameters.toml")


@cache
def options() -> Mapping[str, Parameter]:
    """Return every option by name."""
    entries = _toml("options.toml")
    for name, entry in entries.items():
        for problem in unknown(f"group of {name}", [entry.get("group", "")], OF_OPTIONS):
            raise DataError(f"options.toml: {problem}")
    return {name: parameter(name, entry) for name, entry in entries.items()}


@cache
def ambiguous() -> Mapping[str, str]:
    """Return the names that are refused because they have several meanings, with these meanings."""
    return {name: meanings for metric in metrics().values() for name, meanings in metric.ambiguous.items()}


@cache
def spellings() -> Mapping[str, str]:
    """Return the metric string that each accepted spelling, in lower case, stands for."""
    strings: dict[str, str] = {}
    for metric in metrics().values():
        strings |= dict.fromkeys((metric.name.lower(), *metric.aliases), metric.name)
        strings |= {spelling: f"{metric.name}({params})" for spelling, params in metric.spellings.items()}
    return strings
