"""Colours that those who see some colours alike can tell apart: Okabe & Ito's of systems, viridis of grades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .drawing import alt

# Okabe & Ito 2008, Color Universal Design; without the yellow, which is hard to see on white.
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BETTER, WORSE, SAME = "#0072B2", "#D55E00", "#999999"
OTHER = "#009E73"  # what is shown, and neither of the first two
GREY = "#777777"
_DASHES: Sequence[Sequence[int]] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")

MOST_SERIES = len(SERIES) * len(_DASHES)

# viridis from its light end to its dark one, so that what is more relevant is darker; at equal distances.
_VIRIDIS = ("#fde725", "#a0da39", "#4ac16d", "#1fa187", "#277f8e", "#365c8d", "#46327e", "#440154")
NOT_RELEVANT = "#dddddd"


def by_series(names: Sequence[str], field: str = "series") -> Any:
    """The colour of each series, with a legend where there is more than one."""
    given = [SERIES[place % len(SERIES)] for place in range(len(names))]
    return alt().Color(f"{field}:N", title=None, scale=_scale(names, given), legend=_legend(names))


def dashed(names: Sequence[str], field: str = "series") -> Any:
    """Return the dash pattern of each series, because colours repeat if there are many."""
    given = [_DASHES[place // len(SERIES) % len(_DASHES)] for place in range(len(names))]
    return alt().StrokeDash(f"{field}:N", title=None, scale=_scale(names, given), legend=_legend(names))


def shaped(names: Sequence[str], field: str = "series") -> Any:
    """The shape of the points of each series, for those who see no colours."""
    given = [_SHAPES[place % len(_SHAPES)] for place in range(len(names))]
    return alt().Shape(f"{field}:N", title=None, scale=_scale(names, given), legend=_legend(names))


def _scale(names: Sequence[str], given: Sequence[Any]) -> Any:
    return alt().Scale(domain=list(names), range=list(given))


def _legend(names: Sequence[str]) -> Any:
    return alt().Legend(symbolOpacity=1, labelLimit=200) if len(names) > 1 else None


def of_grades(grades: Sequence[float]) -> list[str]:
    """A colour for each grade, given from the lowest to the highest; those up to 0 are grey."""
    positive = sum(grade > 0 for grade in grades)
    last = len(_VIRIDIS) - 1
    # a single grade stands in the middle; the palest of several is not the first, which is hard to see on white
    places = [round(1 + (last - 1) * place / (positive - 1)) for place in range(positive)] if positive > 1 else [4]
    return [NOT_RELEVANT] * (len(grades) - positive) + [_VIRIDIS[place] for place in places[:positive]]
