"""The header of a metric's file: read, and refused with the file and the key where something in it cannot be meant."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import DataError, nearest
from .groups import OF_METRICS

_OPENING, _ENDING = "{#-\n", "\n-#}"

# Every key that a header may have, and what it holds; CONTRIBUTING.md says what it means.
KEYS: Mapping[str, type] = {
    **dict.fromkeys(("title", "group", "summary", "formula", "source"), str),
    **dict.fromkeys(("aliases", "options", "parameters", "needs", "range", "example"), list),
    **dict.fromkeys(("params", "spellings", "ambiguous", "needs_when", "aggregate_when", "differs", "oracle"), dict),
    **dict.fromkeys(("aggregate", "better", "at", "shape", "reads_order"), str),
    **dict.fromkeys(("reads_ranks", "reads_grades", "reads_judgments"), bool),
    **dict.fromkeys(("about_judgments", "divides_by_judgments", "counts_empty_lists"), bool),
}
REQUIRED = ("title", "group", "summary", "formula", "source")

# Every key of a parameter.
PARAMETER_KEYS = ("type", "help", "default", "required", "min", "max", "above", "below", "values")
TYPES = ("int", "number", "choice")

# Those of the shared columns that come out of the catalogue.
OF_ITEMS = ("in_catalogue", "popularity", "popularity_place", "n_items", "n_categories", "categories")

# The shared columns that a metric may read.
NEEDS = (
    *("n_relevant", "n_nonrelevant", "n_judged", "n_retrieved", "n_shown", "highest_grade", "facts_on_rows"),
    *("relevant_so_far", "nonrelevant_so_far", "nonrelevant", "score", "gain", "ideal_dcg", "greedy_ideal"),
    *("weight_discount", "weight_zipf", "weight_power", "tied_relevant"),
    *("all_rows", "subtopics", "n_subtopics", "propensity", "target"),
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
EXAMPLE = ("ranking", "scores", "missed", "items", *CARRIED, "value")


def read_header(
    file: Path, text: str, options: Collection[str], shared: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """A metric's header, in which ``params`` holds the shared parameters too.

    Args:
        file: the metric's.
        text: what it holds.
        options: the names of the options that there are.
        shared: the parameters that several metrics take.

    Raises:
        DataError: there is no header, or something in it cannot be meant.
    """
    said, ending, _ = text.removeprefix(_OPENING).partition(_ENDING)
    if not (text.startswith(_OPENING) and ending):
        raise DataError(f"{file}: no header: the file begins with {{#-, lines of TOML and -#}}, each on its own line.")
    try:
        header = tomllib.loads(said)
    except ValueError as error:
        raise DataError(f"{file}: the header is no TOML: {error} of the header.") from None
    for problem in _problems(header, options, shared):
        raise DataError(f"{file}: {problem}")
    header["params"] = _params(header, shared)
    header.pop("parameters", None)
    return header


def _params(header: Mapping[str, Any], shared: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the parameters of the macro: the shared ones, as the header changes them, then its own."""
    own = header.get("params", {})
    listed = {name: {**shared[name], **own.get(name, {})} for name in header.get("parameters", ())}
    return {**listed, **{name: entry for name, entry in own.items() if name not in listed}}


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
    own = _params(header, shared)
    for name, parameter in own.items():
        yield from _parameter_problems(f"params.{name}", parameter)
    params = [*own, *header.get("options", ())]
    for key, known in _WORDS.items():
        words = [header[key]] if key in header else []
        yield from unknown(key, [*words, *header.get(f"{key}_when", {}).values()], known)
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


def unknown(what: str, names: Collection[str], known: Collection[str]) -> Iterator[str]:
    """Yield a message for each unknown name."""
    yield from (f"unknown {what}: {name!r}. {nearest(str(name), known)}" for name in names if name not in known)
