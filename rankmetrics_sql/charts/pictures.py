"""Charts as pictures, drawn in this process: no browser, no network."""

from __future__ import annotations

from html import escape
from typing import Any

from ..optional import of_plots


def svg(chart: Any) -> str:
    """A chart as SVG, with its alternative text, which a picture has not by itself.

    Args:
        chart: one of this package's, or another of Altair's.

    Raises:
        UsageError: vl-convert is not installed.
    """
    picture: str = of_plots("vl_convert", "vl-convert-python").vegalite_to_svg(chart.to_json())
    said = escape(str(chart.to_dict().get("description", "")))
    return picture.replace("<svg ", f'<svg role="img" aria-label="{said}" ', 1)
