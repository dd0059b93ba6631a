"""How many of so many replicates keep their word, as a cell of a table that marks what chance does not explain."""

from __future__ import annotations

import math
from collections.abc import Iterable

CHANCE = 0.05  # of a test, where runs are alike; of an interval, to miss the truth


class Cell:
    """How many of so many replicates are a hit; some may have no answer.

    Attributes:
        hits: how many are one, of those with an answer.
        n_known: how many have an answer.
        n: how many there are.
    """

    hits: int
    n_known: int
    n: int

    @property
    def nominal(self) -> float:
        """What it should be: here that of intervals which hold the truth."""
        return 1 - CHANCE

    @property
    def value(self) -> float:
        """Of those with an answer."""
        return self.hits / self.n_known if self.n_known else math.nan

    @property
    def error(self) -> float:
        """Twice the error of Monte Carlo, were the share what it should be."""
        return error_of(self.n_known) if self.n_known else math.nan

    @property
    def off(self) -> int:
        """1 where it claims more than it holds, -1 where it is more careful than it has to be, 0 where neither."""
        distance = self.value - self.nominal
        if not abs(distance) > self.error:
            return 0
        return 1 if (distance > 0) == (self.nominal == CHANCE) else -1

    def __str__(self) -> str:
        """As a cell: in percent, with how many have an answer where not all of them do."""
        text = f"{100 * self.value:.1f}" if self.n_known else "-"
        text = {1: f"**{text}**", -1: f"*{text}*", 0: text}[self.off]
        return text if self.n_known > 0.995 * self.n else f"{text} of {math.floor(100 * self.n_known / self.n)}"


def error_of(n: int) -> float:
    """Twice the error of Monte Carlo of so many replicates."""
    return 2 * math.sqrt(CHANCE * (1 - CHANCE) / n)


def marks(cells: Iterable[Cell]) -> dict[str, int]:
    """How many cells are bold, and italic, as the head of a page says it."""
    off = [cell.off for cell in cells]
    return {"n_bold": off.count(1), "n_italic": off.count(-1)}
