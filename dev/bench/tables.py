"""The same figures on the screen and on a page: tables whose first columns are words, and the others numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.table import Table

MARKER = "<!-- {}{} -->"  # around the tables of a section


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


def rewritten(page: str, name: str, text: str) -> str:
    """Return the page with other tables of a section."""
    begin, end = MARKER.format("", name), MARKER.format("/", name)
    head, _, rest = page.partition(begin)
    _, marker, tail = rest.partition(end)
    if not marker:
        raise SystemExit(f"The page has no {begin} and {end}.")
    return f"{head}{begin}\n{text}\n{end}{tail}"


def write_section(page: Path | None, name: str, text: str) -> None:
    """Write a section on the page, if there is one."""
    if page is not None:
        page.write_text(rewritten(page.read_text(encoding="utf-8"), name, text), encoding="utf-8")
