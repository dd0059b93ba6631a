"""The SQL that the README shows: lines cut out of the statement that ``rankmetrics demo --sql`` prints."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

from rankmetrics_sql.errors import DataError

README = Path(__file__).parents[2] / "README.md"
COMMAND = ("demo", "--sql")
PLACE = re.compile(r"(<!-- excerpt: [^\n]* -->\n```sql\n).*?(```\n<!-- end of the excerpt -->)", re.DOTALL)
# The first line of each piece, and how many lines it has.
PIECES = (
    ("-- the items of each request, each once, at its highest position\n", 7),
    (" AS rr,\n", 1),
)


def readme() -> str:
    """Return the README, with the excerpt of the current statement."""
    text = README.read_text(encoding="utf-8")
    return PLACE.sub(lambda match: f"{match[1]}{excerpt(statement())}{match[2]}", text)


def statement() -> str:
    """Return what the command prints."""
    command = [sys.executable, "-m", "rankmetrics_sql", *COMMAND]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def excerpt(text: str) -> str:
    """Return the pieces of a statement, with a comment for lines that are left out."""
    head = f"-- an excerpt of what this prints: rankmetrics {' '.join(COMMAND)}\n"
    return head + "-- ...\n".join(dedent(piece) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    lines = text.splitlines(keepends=True)
    for end, count in PIECES:
        place = next((number for number, line in enumerate(lines) if line.endswith(end)), None)
        if place is None:
            raise DataError(f"README.md: no line of the statement ends with {end.strip()}.")
        yield "".join(lines[place : place + count])
