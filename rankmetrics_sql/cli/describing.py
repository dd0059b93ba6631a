"""The commands that look things up: metrics, options, profiles."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ..definitions.catalogue import OF_METRICS, OF_OPTIONS, OF_PROFILES, grouped
from ..errors import UsageError, nearest
from .help import Command
from .terminal import echo, print_records, screen

_find_option = click.option("--find", "word", metavar="WORD", help="Show only entries that mention WORD.")


@click.command(cls=Command)
@click.argument("name", required=False)
@_find_option
def metrics(name: str | None, word: str | None) -> None:
    """List the metrics, or describe one in any spelling."""
    from ..definitions import catalogue, descriptions
    from ..definitions.resolution import resolve, resolve_options

    _refuse_both(name, word)
    if name is not None and " " in name.strip():  # words such as "hit rate", which no spelling has
        name, word = None, name
    if name is None:
        entries = _find(catalogue.metrics(), word)
        rows = {key: (metric.title, ", ".join(metric.params)) for key, metric in entries.items()}
        _list(("metric", "title", "parameters"), rows, entries, OF_METRICS)
        return
    resolved = resolve(name, resolve_options({}))
    for line in descriptions.metric_lines(catalogue.metrics()[resolved.name], resolved.params):
        _say(line)
    if re.search("[(@]", name) or resolved.params.get("k"):
        echo(f"{name} is column {resolved.column}")


@click.command(cls=Command)
@click.argument("name", required=False)
@_find_option
def profiles(name: str | None, word: str | None) -> None:
    """List the profiles, or show the options of one."""
    from ..definitions import descriptions
    from ..definitions import profiles as known
    from ..definitions.resolution import resolve_options

    _refuse_both(name, word)
    if name is None:
        entries = _find(known.profiles(), word)
        rows = {key: (profile.title, profile.package or "by reading") for key, profile in entries.items()}
        _list(("profile", "title", "proof"), rows, entries, OF_PROFILES)
        return
    resolve_options({}, name)
    profile = known.profiles()[name]
    for line in descriptions.profile_lines(profile):
        _say(line)
    echo()
    print_records(descriptions.profile_rows(profile), {}, None)


@click.command(cls=Command)
@click.argument("name", required=False)
@_find_option
def options(name: str | None, word: str | None) -> None:
    """List the options, or the tools that use each value."""
    from ..definitions import catalogue, descriptions
    from ..definitions.profiles import systems

    all_options = catalogue.options()
    _refuse_both(name, word)
    if name is None:
        entries = _find(all_options, word)
        rows = {
            key: (descriptions.plain(option.default), descriptions.values(option) or option.type)
            for key, option in entries.items()
        }
        _list(("option", "default", "values"), rows, entries, OF_OPTIONS)
        return
    if name not in all_options:
        raise UsageError(f"Unknown option {name!r}. {nearest(name, all_options)}")
    option = all_options[name]
    _say(f"{name}: {option.help}\nDefault: {descriptions.plain(option.default)}")
    if option.values:
        _say(f"Values: {descriptions.values(option)}")
    for value, choosers in systems(name).items():
        _say(f"  {value}: {', '.join(choosers)}")


def _list(
    header: Sequence[str], rows: Mapping[str, Sequence[str]], entries: Mapping[str, Any], groups: Mapping[str, str]
) -> None:
    """Print a row for each name below the heading of its group."""
    from ..results.text_tables import Block, Cell, Grid, draw_table

    blocks = [
        Block(heading, [[Cell(f"  {name}"), *map(Cell, rows[name])] for name in entries_of_group])
        for heading, entries_of_group in grouped(entries, groups)
    ]
    echo(draw_table(Grid(header, blocks), screen()), nl=False)


def _say(text: str) -> None:
    """Print lines, wrapped at words on a terminal."""
    from ..results.text_tables import paragraph

    echo(paragraph(text, screen(), "  "))


def _refuse_both(name: str | None, word: str | None) -> None:
    if name is not None and word is not None:
        raise UsageError("Pass either a name, to describe it, or --find WORD, to search. Omit --find.")


# The fields of a metric, an option or a profile that --find searches.
_SEARCHED = ("title", "group", "summary", "help", "note", "aliases", "spellings", "values")


def _find(entries: Mapping[str, Any], word: str | None) -> dict[str, Any]:
    """Find the entries whose name or description contains the word, in upper or lower case."""
    if word is None:
        return dict(entries)
    texts = {
        name: " ".join([name, *(_text(getattr(entry, key, "")) for key in _SEARCHED)])
        for name, entry in entries.items()
    }
    spellings = {word.strip().lower(), word.strip().lower().replace(" ", "_")}
    matching = {name: entries[name] for name, text in texts.items() if any(one in text.lower() for one in spellings)}
    if not matching or not word.strip():
        words = {part for text in texts.values() for part in re.findall(r"[A-Za-z][\w@-]+", text)}
        raise UsageError(f"No entry mentions {word!r}. {nearest(word, sorted(words), entries)}")
    return matching


def _text(value: Any) -> str:
    return value if isinstance(value, str) else " ".join(map(str, value))
