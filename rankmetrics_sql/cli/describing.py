"""The commands that describe what there is to choose: metrics, options, profiles."""

from __future__ import annotations

import click

from ..errors import UsageError, nearest
from ..results.screens import paragraph
from .output import print_records
from .terminal import echo, screen


@click.command()
@click.argument("name", required=False)
def metrics(name: str | None) -> None:
    """List the metrics, or describe one: any metric string is understood."""
    from ..definitions import catalogue
    from ..definitions import descriptions as reference
    from ..definitions.choices import resolve_options
    from ..definitions.metric_strings import parse_metric
    from ..definitions.resolution import resolve

    if name is None:
        records = [
            {"metric": metric.name, "title": metric.title, "parameters": ", ".join(metric.params)}
            for metric in catalogue.metrics().values()
        ]
        print_records(records, {}, None)
        return
    resolved = resolve(parse_metric(name), resolve_options({}))
    for line in reference.metric_lines(resolved.metric, resolved.params):
        _say(line)
    if parse_metric(name).name.lower() != name.lower() or resolved.params.get("k"):
        echo(f"{name} is column {resolved.column}")


@click.command()
@click.argument("name", required=False)
def profiles(name: str | None) -> None:
    """List the profiles, or show every choice of one beside the default."""
    from ..definitions import catalogue
    from ..definitions import descriptions as reference

    if name is None:
        records = [
            {"profile": key, "title": profile.title, "proof": profile.package or "by reading"}
            for key, profile in catalogue.profiles().items()
        ]
        print_records(records, {}, None)
        return
    profile = catalogue.find_profile(name)
    for line in reference.profile_lines(profile):
        _say(line)
    echo()
    print_records(reference.profile_rows(profile), {}, None)


@click.command()
@click.argument("name", required=False)
def options(name: str | None) -> None:
    """List the choices behind the numbers, or describe one with the systems that choose each value."""
    from ..definitions import catalogue
    from ..definitions import descriptions as reference

    known = catalogue.options()
    if name is None:
        rows = [
            {
                "option": key,
                "default": reference.plain(option.default),
                "values": reference.values(option) or option.type,
            }
            for key, option in known.items()
        ]
        print_records(rows, {}, None)
        return
    if name not in known:
        raise UsageError(f"Unknown option {name!r}. {nearest(name, known)}")
    option = known[name]
    _say(f"{name}: {option.help}\nDefault: {reference.plain(option.default)}")
    if option.values:
        _say(f"Values: {reference.values(option)}")
    for value, systems in catalogue.systems(name).items():
        _say(f"  {value}: {', '.join(systems)}")


def _say(text: str) -> None:
    """Prints lines; on a terminal they are folded at words."""
    echo(paragraph(text, screen(), "  "))
