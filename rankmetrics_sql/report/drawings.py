"""Charts as SVG, which every browser shows and prints, with descriptions for screen readers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..optional import of_plots

_IDS = re.compile(r'(\bid="|url\(#|href="#)')
# What Vega says of each mark: the chart as a whole is one picture, and its text alternative stands on it.
_OF_MARKS = re.compile(r' (?:role="graphics-[a-z]+"|aria-[a-z]+="[^"]*")')


@dataclass(frozen=True)
class Figure:
    """A chart on the page.

    Attributes:
        title: of the figure.
        svg: the picture, which is markup.
        text: what it shows, in words.
    """

    title: str
    svg: str
    text: str


def need_drawing() -> None:
    """Looks for what draws, before anything is computed.

    Raises:
        UsageError: it is not installed.
    """
    of_plots("altair", "Altair")
    of_plots("vl_convert", "vl-convert-python")


def drawn(title: str, chart: Any, number: int) -> Figure:
    """A chart as a figure.

    Args:
        title: of the figure.
        chart: one of Altair's, with a description.
        number: of the figure in the page, where two must not use one id.
    """
    text = vl_convert().vegalite_to_svg(chart.to_json())
    text = _OF_MARKS.sub("", text[text.index("<svg") :])
    return Figure(title, _IDS.sub(rf"\g<1>figure{number}-", text), str(chart.description or title))


def vl_convert() -> Any:
    """Return the package that makes SVG of charts.

    Raises:
        UsageError: it is not installed.
    """
    return of_plots("vl_convert", "vl-convert-python")
