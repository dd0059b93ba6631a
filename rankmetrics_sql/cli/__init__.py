"""The command line: reads arguments, calls the public functions and prints their results."""

from __future__ import annotations

import click

from .terminal import CommandGroup, echo

# The module of each command, imported when somebody uses the command.
_PLACES = {
    "agreement": "systems",
    "clean": "clean",
    "coec": "logs",
    "compare": "compare",
    "ctr-by-position": "logs",
    "curve": "evaluate",
    "decompose": "compare",
    "demo": "logs",
    "evaluate": "evaluate",
    "explain": "evaluate",
    "install": "writing",
    "judgments": "logs",
    "judge-next": "judging",
    "metrics": "describing",
    "movements": "compare",
    "options": "describing",
    "profiles": "describing",
    "propensities": "logs",
    "report": "evaluate",
    "sample-size": "systems",
    "semantic-model": "writing",
    "sensitivity": "systems",
    "sql": "writing",
    "team-draft": "logs",
    "tukey": "systems",
    "worst": "logs",
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
