"""The same figures on the screen and on a page: tables whose first columns are words, and the others numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.table import Table


def on_screen(title: str, head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int = 1) -> Table:
    """Return a table for the terminal, whose first columns are words."""
    table = Table(title=title)
    for number, name in enumerate(head):
        table.add_column(name, justify="left" if number < n_words else "right")
    for row in rows:
        table.add_row(*row)
    return table


def on_page(head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int = 1) -> list[str]:
    """Return the lines of the same table in Markdown."""
    rule = "|" + "---|" * n_words + "---:|" * (len(head) - n_words)
    return [f"| {' | '.join(head)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)]
