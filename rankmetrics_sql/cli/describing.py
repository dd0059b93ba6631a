"""The commands that describe what there is to choose: metrics, options, profiles."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ..definitions.groups import OF_METRICS, OF_OPTIONS, OF_PROFILES, grouped
from ..errors import UsageError, nearest
from .output import print_records
from .terminal import echo, screen

_find_option = click.option("--find", "word", metavar="WORD", help="List only those that this word is said of.")


@click.command()
@click.argument("name", required=False)
@_find_option
def metrics(name: str | None, word: str | None) -> None:
    """List the metrics, or describe one: any metric string is understood."""
    from ..definitions import catalogue
    from ..definitions import descriptions as reference
    from ..definitions.choices import resolve_options
    from ..definitions.metric_strings import parse_metric
    from ..definitions.resolution import resolve

    _refuse_both(name, word)
    if name is None:
        found = _found(catalogue.metrics(), word)
        rows = {key: (metric.title, ", ".join(metric.params)) for key, metric in found.items()}
        _list(("metric", "title", "parameters"), rows, found, OF_METRICS)
        return
    resolved = resolve(parse_metric(name), resolve_options({}))
    for line in reference.metric_lines(resolved.metric, resolved.params):
        _say(line)
    if parse_metric(name).name.lower() != name.lower() or resolved.params.get("k"):
        echo(f"{name} is column {resolved.column}")


@click.command()
@click.argument("name", required=False)
@_find_option
def profiles(name: str | None, word: str | None) -> None:
    """List the profiles, or show every choice of one beside the default."""
    from ..definitions import descriptions as reference
    from ..definitions import profiles as known

    _refuse_both(name, word)
    if name is None:
        found = _found(known.profiles(), word)
        rows = {key: (profile.title, profile.package or "by reading") for key, profile in found.items()}
        _list(("profile", "title", "proof"), rows, found, OF_PROFILES)
        return
    profile = known.find_profile(name)
    for line in reference.profile_lines(profile):
        _say(line)
    echo()
    print_records(reference.profile_rows(profile), {}, None)


@click.command()
@click.argument("name", required=False)
@_find_option
def options(name: str | None, word: str | None) -> None:
    """List the choices behind the numbers, or describe one with the systems that choose each value."""
    from ..definitions import catalogue
    from ..definitions import descriptions as reference
    from ..definitions.profiles import systems

    known = catalogue.options()
    _refuse_both(name, word)
    if name is None:
        found = _found(known, word)
        rows = {
            key: (reference.plain(option.default), reference.values(option) or option.type)
            for key, option in found.items()
        }
        _list(("option", "default", "values"), rows, found, OF_OPTIONS)
        return
    if name not in known:
        raise UsageError(f"Unknown option {name!r}. {nearest(name, known)}")
    option = known[name]
    _say(f"{name}: {option.help}\nDefault: {reference.plain(option.default)}")
    if option.values:
        _say(f"Values: {reference.values(option)}")
    for value, choosers in systems(name).items():
        _say(f"  {value}: {', '.join(choosers)}")


def _list(
    header: Sequence[str], rows: Mapping[str, Sequence[str]], entries: Mapping[str, Any], groups: Mapping[str, str]
) -> None:
    """Prints a row for each name, below the heading of its group."""
    from ..results.grids import Block, Cell, Grid
    from ..results.screens import table

    blocks = [
        Block(heading, [[Cell(f"  {name}"), *map(Cell, rows[name])] for name in found])
        for heading, found in grouped(entries, groups)
    ]
    echo(table(Grid(header, blocks), screen()), nl=False)


def _say(text: str) -> None:
    """Prints lines; on a terminal they are folded at words."""
    from ..results.screens import paragraph

    echo(paragraph(text, screen(), "  "))


def _refuse_both(name: str | None, word: str | None) -> None:
    if name is not None and word is not None:
        raise UsageError("A name is described and --find lists: one of them.")


# What is said of a metric, an option or a profile in words.
_SAID = ("title", "group", "summary", "help", "note", "aliases", "spellings", "values")


def _found(entries: Mapping[str, Any], word: str | None) -> dict[str, Any]:
    """Those whose name or description has the word, in any case.

    Raises:
        UsageError: there is none.
    """
    if word is None:
        return dict(entries)
    texts = {
        name: " ".join([name, *(_text(getattr(entry, key, "")) for key in _SAID)]) for name, entry in entries.items()
    }
    found = {name: entries[name] for name, text in texts.items() if word.lower() in text.lower()}
    if not found or not word.strip():
        words = {part for text in texts.values() for part in re.findall(r"[A-Za-z][\w@-]+", text)}
        raise UsageError(f"Nothing is found for {word!r}. {nearest(word, sorted(words), entries)}")
    return found


def _text(said: Any) -> str:
    return said if isinstance(said, str) else " ".join(map(str, said))
