"""Parsers for the values of options: -m, --rollup, --set, --limits, --cap, --columns, --rule, --at, --shares."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from ..errors import UsageError, nearest, shortened

T = TypeVar("T")


def parse_rollup(texts: Sequence[str]) -> bool | list[list[str]]:
    """Parse ``--rollup all``, or ``--rollup total --rollup market,device``."""
    if not texts or "all" in texts:
        return bool(texts)
    return [[] if text == "total" else [column.strip() for column in _split(text)] for text in texts]


def parse_settings(pairs: Sequence[str]) -> dict[str, str]:
    """Parse ``--set OPTION=VALUE``."""
    from ..definitions.known import known_options as known

    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip()
        if not equals:
            raise UsageError(f"--set takes OPTION=VALUE, such as ties=item_asc, not {pair!r}.")
        if name not in known():
            raise UsageError(f"Unknown option {name!r}. {nearest(name, known())}")
        if name in values:
            raise UsageError(f"--set gives {name} two values. Pass it once.")
        values[name] = value.strip()
    return values


def parse_limits(texts: Sequence[str]) -> dict[str, float] | None:
    """Parse ``--limits METRIC=LOSS,...``."""
    from ..definitions.resolution import parse_number

    form, twice = "--limits takes METRIC=LOSS,..., such as ap=0.01, not {}.", "--limits gives {} two losses. Pass one."
    return _by_name((pair for text in texts for pair in _split(text)), parse_number, form, twice) or None


def parse_caps(texts: Sequence[str]) -> dict[str, str] | None:
    """Parse ``--cap METRIC=AMOUNT,...``."""
    form = "--cap takes METRIC=AMOUNT,..., such as cg@1=40 or cg@1=99%, not {}."
    twice = "--cap gives {} two amounts. Pass one."
    return _by_name((pair for text in texts for pair in _split(text)), lambda text: text or None, form, twice) or None


def _by_name(pairs: Iterable[str], read: Callable[[str], T | None], form: str, twice: str) -> dict[str, T]:
    """Parse NAME=VALUE pairs.

    Args:
        pairs: their texts.
        read: returns a value, or None if a text is not valid.
        form: the message about an invalid pair, with ``{}`` for it.
        twice: the message about a name that has two values, with ``{}`` for it.
    """
    values: dict[str, T] = {}
    for pair in pairs:
        name, _, text = (part.strip() for part in pair.rpartition("="))
        value = read(text)
        if not name or value is None:
            raise UsageError(form.format(repr(pair.strip())))
        if name in values:
            raise UsageError(twice.format(name))
        values[name] = value
    return values


def parse_columns(texts: Sequence[str], position: str | None) -> dict[str, list[str]]:
    """Parse ``--columns`` and ``--position``. ``query_id=user,query_id=session`` identifies a query by two columns."""
    columns: dict[str, list[str]] = {}
    for pair in (pair for text in texts for pair in _split(text)):
        meaning, equals, column = pair.partition("=")
        if not equals or not column.strip():
            raise UsageError(f"--columns takes NAME=COLUMN,..., such as item_id=doc, not {pair!r}.")
        columns.setdefault(meaning.strip(), []).append(column.strip())
    if position is not None:
        if {"position", "score"} & {meaning.rpartition(".")[2] for meaning in columns}:
            raise UsageError("--position and --columns both name the column that orders the run. Omit --position.")
        columns["position"] = [position]
    return columns


def split_rules(text: str) -> list[str]:
    """Split ``NAME=VALUE,NAME=VALUE`` where a name follows: ``grades=click:1,cart:2,arm=variant`` are two rules."""
    rules: list[str] = []
    for part in _split(text):
        if rules and not re.match(r"\s*\w+\s*=", part):
            rules[-1] += f",{part}"
        else:
            rules.append(part)
    return rules


def _split(text: str) -> list[str]:
    """Split a text at commas, except those inside brackets or quotes."""
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


def parse_numbers(text: str | None) -> list[float] | None:
    """Parse ``--at 1,5,10``."""
    from ..definitions.resolution import parse_number

    if text is None:
        return None
    numbers = {part: parse_number(part.strip()) for part in text.split(",")}
    if None in numbers.values():
        raise UsageError(f"--at takes numbers separated by commas, such as 1,5,10, not {text!r}.")
    return [number for number in numbers.values() if number is not None]


def parse_grades(text: str) -> int | list[float]:
    """Parse ``--grades 4`` or ``--grades 0.02,0.1``; one number with a point or a comma is a threshold."""
    from ..definitions.resolution import parse_number

    parts = [part.strip() for part in text.split(",") if part.strip()]
    if text.strip().isdigit():
        return int(text)
    numbers = [parse_number(part) for part in parts]
    if not parts or None in numbers:
        raise UsageError(
            f"--grades takes a number of grades, such as 4, or thresholds, such as 0.02,0.1, not {text!r}."
        )
    return [number for number in numbers if number is not None]


def parse_shares(text: str) -> dict[str, float]:
    """Parse ``--shares ARM=SHARE,...``."""
    form = "--shares takes ARM=SHARE,... with shares above 0, such as control=0.9,new=0.1, not {}."
    return _by_name(text.split(","), _share, form, "--shares gives {} two shares. Pass one.")


def _share(text: str) -> float | None:
    """Return a number above 0; None for any other text."""
    try:
        share = float(text)
    except ValueError:
        return None
    return share if 0 < share < math.inf else None


# What separates metrics stands outside brackets; the spaces before them and around @ belong to one metric.
_OUTSIDE = r"(?![^()]*\))(?![^{}]*\})"
_LEVELLED = r"(.*[A-Za-z)][.@])[0-9.]+"


def split_metrics(text: str) -> list[str]:
    """The metrics of a text, with white space or commas between them; those in brackets separate nothing.

    A number behind a comma is another level of the metric before it, as trec_eval writes it: ``ndcg_cut.5,10``.
    """
    from ..definitions.resolution import parse_number

    bare = re.sub(r"\s*([@(])\s*", r"\1", text.strip())
    parts = [part.strip() for part in re.split(f",{_OUTSIDE}", bare)]
    if not all(parts):
        where = " on one side of a comma" if len(parts) > 1 else ""
        raise UsageError(f"-m {shortened(text)} names no metric{where}; write such as 'ap P_5'.")
    metrics: list[str] = []
    for first, *options in (re.split(rf"\s+{_OUTSIDE}", part) for part in parts):
        levelled = re.fullmatch(_LEVELLED, metrics[-1]) if metrics and parse_number(first) is not None else None
        metrics += [f"{levelled[1]}{first}" if levelled else first, *options]
    return metrics


def expand_nicknames(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the metrics, with trec_eval's nicknames expanded, and the measures of a nickname that are missing here.

    A metric that is named beside a nickname is there once, as it is named.

    Args:
        texts: metric strings, or ``official``, ``set`` or ``all_trec``.
    """
    from ..definitions.known import known_families, known_nicknames, known_spellings

    nicknames = known_nicknames()
    if nicknames.keys().isdisjoint(texts):
        return list(texts), []
    plain = [_meant(text) for text in texts if text not in nicknames]
    expanded: dict[str, None] = {}
    missing: dict[str, None] = {}
    for text in texts:
        for name in nicknames.get(text, ()):
            levels = [f"{name}_{level}" for level in known_families().get(name, ())] or [name]
            if name.lower() not in known_spellings():
                missing.update(dict.fromkeys(levels))
            else:
                expanded.update(dict.fromkeys(one for one in levels if _meant(one) not in plain))
        if text not in nicknames:
            expanded[text] = None
    return list(expanded), list(missing)


def _meant(text: str) -> tuple[str, Any]:
    """The metric and its parameters; the text itself where no name is known that only a profile may know."""
    from ..definitions.resolution import find_metric, resolve_options

    try:
        return find_metric(text, resolve_options({}))
    except UsageError:
        return text, None
