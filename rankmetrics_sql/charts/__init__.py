"""Charts of results: functions from rows to charts of Altair, which is imported when one is drawn.

Rows are dictionaries with the columns of a result's table, such as ``result.summary.dicts()``; the functions know
nothing else of results. What they draw holds what it needs within itself, at most a few hundred values of each kind: a
chart of more takes the largest, or counts them in bins, and its title says so.
"""

from __future__ import annotations

from .against import against as against
from .beads import beads as beads
from .beads import ranking as ranking
from .contributions import contributions as contributions
from .curves import curve as curve
from .curves import judged_share as judged_share
from .differences import differences as differences
from .distributions import distribution as distribution
from .histograms import histogram as histogram
from .judgments import confusion as confusion
from .pictures import svg as svg
from .positions import positions as positions
from .precision_recall import precision_recall as precision_recall
from .segments import effects as effects
from .segments import segments as segments
from .systems import orders as orders
from .systems import ranges as ranges
from .time import over_time as over_time

__all__ = [
    "against",
    "beads",
    "confusion",
    "contributions",
    "curve",
    "differences",
    "distribution",
    "effects",
    "histogram",
    "judged_share",
    "orders",
    "over_time",
    "positions",
    "precision_recall",
    "ranges",
    "ranking",
    "segments",
    "svg",
]
