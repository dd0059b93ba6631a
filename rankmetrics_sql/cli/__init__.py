"""The command line: reads arguments, calls the public functions and prints their results."""

from __future__ import annotations

import click

from .terminal import CommandGroup, echo

# The module of each command, imported when somebody uses the command.
_PLACES = {
    "agreement": "systems",
    "coec": "impressions",
    "compare": "compare",
    "ctr-by-position": "impressions",
    "curve": "curve",
    "decompose": "compare",
    "demo": "demo",
    "evaluate": "evaluate",
    "explain": "explain",
    "install": "writing",
    "metrics": "describing",
    "movements": "movements",
    "options": "describing",
    "profiles": "describing",
    "propensities": "impressions",
    "report": "reporting",
    "sample-size": "planning",
    "semantic-model": "writing",
    "sensitivity": "systems",
    "sql": "writing",
    "team-draft": "impressions",
    "tukey": "systems",
}


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from ..version import __version__

        echo(f"rankmetrics {__version__}")
        ctx.exit()


@click.group(
    cls=CommandGroup, places=_PLACES, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Print the version."
)
def main() -> None:
    """Ranking metrics as SQL that runs where the data lives."""
