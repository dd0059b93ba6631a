"""Charts as pictures, drawn in this process: no browser, no network."""

from __future__ import annotations

from html import escape
from typing import Any

from ..optional import optional


def svg(chart: Any) -> str:
    """A chart as SVG, with its alternative text, which a picture has not by itself.

    Args:
        chart: one of this package's, or another of Altair's.

    Raises:
        UsageError: vl-convert is not installed.
    """
    problem = "vl-convert is not installed: pip install 'rankmetrics_sql[plot]'."
    picture: str = optional("vl_convert", problem).vegalite_to_svg(chart.to_json())
    said = escape(str(chart.to_dict().get("description", "")))
    return picture.replace("<svg ", f'<svg role="img" aria-label="{said}" ', 1)
