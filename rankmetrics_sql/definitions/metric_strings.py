"""Metric strings: ``name(param=value, ...)@k`` read into a MetricSpec. Knows the syntax, not the metrics."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import UsageError, shortened

Number = int | float
Value = Number | str | dict[Number, Number]

_METRIC = r"\s*(?P<name>[A-Za-z0-9_.\-α]+)\s*(?:\((?P<params>[^()]*)\))?\s*(?:@\s*(?P<at>[^\s@()]+))?\s*"
_PARAM = r"\s*(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?P<value>\{[^{}]*\}|'[^']*'|\"[^\"]*\"|[^,{}]+?)\s*(?:,|$)"

# What separates metrics stands outside brackets; the spaces before them and around @ belong to one metric.
_OUTSIDE = r"(?![^()]*\))(?![^{}]*\})"
_BETWEEN = f",{_OUTSIDE}"
_SPACES = rf"\s+{_OUTSIDE}"
_LOOSE = r"\s*([@(])\s*"
# precision@5-l2 is ranx's for the grade from which on items count; no parameter in parentheses can have this name.
LEVEL = "-l"
_LEVELLED = r"(.*[A-Za-z)][.@])[0-9.]+"


class MetricSpec(NamedTuple):
    """A metric as the user asked for it.

    Attributes:
        text: the string as typed, which labels the result.
        name: the metric's name in any accepted spelling.
        params: the parameters in parentheses, and ranx's level as ``-l``.
        at: what stands behind ``@``, mostly a cutoff, or None.
    """

    text: str
    name: str
    params: Mapping[str, Value]
    at: str | None = None


def parse_metric(text: str) -> MetricSpec:
    """Reads one metric string.

    Raises:
        UsageError: the string is not of the form ``name(param=value, ...)@k``.
    """
    if not isinstance(text, str):
        raise UsageError(f"A metric must be a string such as 'ndcg@10', not {shortened(text)}.")
    match = re.fullmatch(_METRIC, text)
    if match is None:
        raise UsageError(
            f"Metric {shortened(text)} is not of the form name(param=value, ...)@k, such as 'ndcg(gain=exp2)@10'."
            f"{_as_a_list(text)}"
        )
    name, at, params = match["name"], match["at"], parse_params(text, match["params"] or "")
    last, _, level = (at or name).partition(LEVEL)
    if last and re.fullmatch("[0-9]+", level):
        params[LEVEL] = parse_value(level)
        name, at = (last, None) if at is None else (name, last)
    return MetricSpec(text.strip(), name, params, at)


def _as_a_list(text: str) -> str:
    """A hint where the text is that of several metrics."""
    parts = [part for part in re.split(rf"[\s,]+{_OUTSIDE}", text.strip()) if part]
    if len(parts) < 2 or not all(re.fullmatch(_METRIC, part) and parse_number(part) is None for part in parts):
        return ""
    return f" Several metrics are a list: {parts}."


def split_metrics(text: str) -> list[str]:
    """The metrics of a text, with white space or commas between them; those in brackets separate nothing.

    A number behind a comma is another level of the metric before it, as trec_eval writes it: ``ndcg_cut.5,10``.

    Raises:
        UsageError: there is none, or nothing on one side of a comma.
    """
    bare = re.sub(_LOOSE, r"\1", text.strip())
    parts = [part.split() for part in re.split(_BETWEEN, bare)]
    if not all(parts):
        where = " on one side of a comma" if len(parts) > 1 else ""
        raise UsageError(f"-m {shortened(text)} names no metric{where}; write such as 'ap P_5'.")
    found: list[str] = []
    for first, *others in (re.split(_SPACES, part.strip()) for part in re.split(_BETWEEN, bare)):
        levelled = re.fullmatch(_LEVELLED, found[-1]) if found and parse_number(first) is not None else None
        found += [f"{levelled[1]}{first}" if levelled else first, *others]
    return found


def parse_cutoff(text: str, k: str) -> int:
    """The whole number behind ``@``."""
    if not re.fullmatch(r"[0-9]{1,18}", k) or int(k) < 1:
        raise UsageError(
            f"Metric {shortened(text)}: the cutoff must be a whole number of at least 1, not {shortened(k)}."
            + (" Each metric is a string of its own (-m once for each)." if "," in k else "")
        )
    return int(k)


def parse_params(text: str, params: str) -> dict[str, Value]:
    """Parse the text between the parentheses of a metric string into values by parameter."""
    found: dict[str, Value] = {}
    position = 0
    while position < len(params.rstrip()):
        match = re.compile(_PARAM).match(params, position)
        if match is None:
            raise UsageError(
                f"Metric {text!r}: cannot read the parameters at {params[position:].strip()!r}; expected name=value."
            )
        if match["name"] in found:
            raise UsageError(f"Metric {text!r}: {match['name']} is given twice.")
        found[match["name"]] = parse_value(match["value"])
        position = match.end()
    return found


def parse_value(text: str) -> Value:
    """A number, a word or a map ``{1:3,2:9}`` from text, which may stand in quotes."""
    text = text.strip().strip("'\"").strip()
    if text.startswith("{") and text.endswith("}"):
        return _parse_map(text)
    number = parse_number(text)
    return text if number is None else number


def parse_number(text: str) -> Number | None:
    """The number that the text spells, as an int where it is whole; None where it spells none."""
    if "_" in text or not text.isascii():
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return plain_number(number) if math.isfinite(number) else None


def is_number(value: Any) -> bool:
    """Whether the value is a number that a statement can hold; True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e301


def plain_number(number: Number) -> Number:
    """1.0 as 1, so that equal thresholds have equal names."""
    return int(number) if number == int(number) else float(number)


def _parse_map(text: str) -> dict[Number, Number]:
    pairs: dict[Number, Number] = {}
    for pair in text[1:-1].split(","):
        grade, colon, gain = pair.partition(":")
        key, value = parse_number(grade), parse_number(gain)
        if not colon or key is None or value is None:
            raise UsageError(f"{text!r} is not a map of grades to gains such as {{1:3,2:9}}.")
        if key in pairs:
            raise UsageError(f"{text!r} names grade {key} twice.")
        pairs[key] = value
    return pairs
