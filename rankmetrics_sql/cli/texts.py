"""What the texts of options mean: sets of columns, choices, limits, shares, numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..errors import UsageError, nearest


def sets_of(texts: Sequence[str]) -> bool | list[list[str]]:
    """The sets of ``--rollup all``, or ``--rollup total --rollup market,device``."""
    if not texts or "all" in texts:
        return bool(texts)
    return [[] if text == "total" else [column.strip() for column in _split(text)] for text in texts]


def settings_of(pairs: Sequence[str]) -> dict[str, str]:
    """The choices of ``--set OPTION=VALUE``."""
    from ..definitions.catalogue import options as known

    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip()
        if not equals:
            raise UsageError(f"--set takes OPTION=VALUE, not {pair!r}.")
        if name not in known():
            raise UsageError(f"Unknown option {name!r}. {nearest(name, known())}")
        if name in found:
            raise UsageError(f"--set gives {name} twice.")
        found[name] = value.strip()
    return found


def limits_of(texts: Sequence[str]) -> dict[str, float] | None:
    """The losses of ``--limits METRIC=LOSS,...``.

    Raises:
        UsageError: one of them is no metric with a number, or a metric has two.
    """
    from ..definitions.metric_strings import parse_number

    found: dict[str, float] = {}
    for pair in (pair for text in texts for pair in _split(text)):
        metric, _, loss = (part.strip() for part in pair.rpartition("="))
        number = parse_number(loss)
        if not metric or number is None:
            raise UsageError(f"--limits takes METRIC=LOSS,..., such as ap=0.01; not {pair.strip()!r}.")
        if metric in found:
            raise UsageError(f"--limits names {metric} twice.")
        found[metric] = number
    return found or None


def column_map(texts: Sequence[str], position: str | None) -> dict[str, list[str]]:
    """``query_id=user,query_id=session`` names a query by two columns; a position may have an option of its own."""
    found: dict[str, list[str]] = {}
    for pair in (pair for text in texts for pair in _split(text)):
        meaning, equals, column = pair.partition("=")
        if not equals or not column.strip():
            raise UsageError(f"--columns takes NAME=COLUMN,..., not {pair!r}.")
        found.setdefault(meaning.strip(), []).append(column.strip())
    if position is not None:
        if {"position", "score"} & {meaning.rpartition(".")[2] for meaning in found}:
            raise UsageError("--position says what orders the run; --columns names a score or position too.")
        found["position"] = [position]
    return found


def _split(text: str) -> list[str]:
    """The parts between commas; those inside brackets or quotes separate nothing."""
    parts, quote, depth = [""], "", 0
    for mark in text:
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "'\"`":
            quote = mark
        else:
            depth += (mark in "([{") - (mark in ")]}")
        if mark == "," and not quote and depth <= 0:
            parts.append("")
        else:
            parts[-1] += mark
    return parts


def numbers_of(text: str | None) -> list[float] | None:
    """The numbers of ``--at 1,5,10``."""
    from ..definitions.metric_strings import parse_number

    if text is None:
        return None
    numbers = {part: parse_number(part.strip()) for part in text.split(",")}
    if None in numbers.values():
        raise UsageError(f"--at takes numbers with commas between them, such as 1,5,10; not {text!r}.")
    return [number for number in numbers.values() if number is not None]


def shares_of(text: str) -> dict[str, float]:
    """The share of each arm.

    Raises:
        UsageError: the text is no list of arms with their shares, numbers above 0.
    """
    found: dict[str, float] = {}
    for pair in text.split(","):
        arm, _, number = (part.strip() for part in pair.rpartition("="))
        try:
            share = float(number)
        except ValueError:
            share = math.nan
        if not arm or not 0 < share < math.inf:
            raise UsageError(f"--shares: {pair.strip()!r} is no ARM=SHARE, with a share above 0: control=0.9,new=0.1.")
        if arm in found:
            raise UsageError(f"--shares: {arm} has two shares.")
        found[arm] = share
    return found
