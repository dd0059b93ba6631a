"""Charts of results: functions from rows to charts of Altair, which is imported when one is drawn.

Rows are dictionaries with the columns of a result's table, such as ``result.summary.dicts()``; the functions know
nothing else of results. What they draw holds what it needs within itself, at most a few hundred values of each kind: a
chart of more takes the largest, or counts them in bins, and its title says so.
"""

from __future__ import annotations

from .curves import curve as curve
from .curves import judged_share as judged_share
from .curves import over_time as over_time
from .curves import positions as positions
from .curves import precision_recall as precision_recall
from .differences import contributions as contributions
from .differences import differences as differences
from .differences import histogram as histogram
from .distributions import distribution as distribution
from .drawing import svg as svg
from .lost import lost as lost
from .rankings import against as against
from .rankings import beads as beads
from .rankings import ranking as ranking
from .segments import effects as effects
from .segments import segments as segments
from .systems import confusion as confusion
from .systems import orders as orders
from .systems import ranges as ranges

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
    "lost",
    "orders",
    "over_time",
    "positions",
    "precision_recall",
    "ranges",
    "ranking",
    "segments",
    "svg",
]
