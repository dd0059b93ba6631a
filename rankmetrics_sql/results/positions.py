"""Click-through by position."""

from __future__ import annotations

from typing import Any

from . import plots
from .tables import Table


class Positions(Table):
    """A row for each group and position, with the share of its impressions that were clicked."""

    @plots.choosing
    def plot(self) -> Any:
        """Draws the click-through rate by position, with its intervals.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: Altair is not installed.
        """
        from .. import charts

        return charts.positions(self.dicts())
