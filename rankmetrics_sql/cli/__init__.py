"""The command line. Reads arguments, calls the public functions, prints; knows nothing else."""

from __future__ import annotations

import click

from . import describing, impressions, reporting, systems, writing
from .compare import compare, decompose
from .curve import curve
from .demo import demo
from .evaluate import evaluate
from .explain import explain
from .movements import movements
from .terminal import Group, echo


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from ..version import __version__

        echo(f"rankmetrics {__version__}")
        ctx.exit()


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Print the version."
)
def main() -> None:
    """Ranking metrics as SQL that runs where the data lives."""


for _command in (
    *(evaluate, compare, decompose, movements, curve, explain, demo),
    reporting.report,
    *(systems.tukey, systems.sensitivity, systems.agreement),
    *(impressions.propensities, impressions.coec, impressions.team_draft),
    *(writing.sql, writing.install, writing.semantic_model),
    *(describing.metrics, describing.options, describing.profiles),
):
    main.add_command(_command)
