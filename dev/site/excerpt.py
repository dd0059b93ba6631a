"""The parts of the README that a command prints: the demo's table, and a whole statement."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rankmetrics_sql.errors import DataError

from .markup import table

README = Path(__file__).parents[2] / "README.md"
STATEMENT = "sql -m rr@10 --level per_query --run search.results --qrels search.labels --dialect postgres --no-comments"
DEMO = "demo arms"
MOST_LINES = 45  # of a statement that people read on a first screen
_ROW = re.compile(r"^(\S+) +old (\S+) +new (\S+) +(\S+) +(\[.*?\]) +(\S+)", re.MULTILINE)


def readme() -> str:
    """Return the README with what the commands print now."""
    text = README.read_text(encoding="utf-8")
    for name, part in (("demo", demo()), ("statement", statement())):
        place = re.compile(rf"(<!-- {name}: [^\n]* -->\n).*?(<!-- end of the {name} -->)", re.DOTALL)
        if not place.search(text):
            raise DataError(f"README.md: there is no place of the {name}.")
        text = place.sub(lambda match, part=part: f"{match[1]}{part}{match[2]}", text)  # type: ignore[misc]
    return text


def demo() -> str:
    """Return the rows of the demo's comparison as a table of six columns."""
    rows = [(*row[:-1], f"**{row[-1]}**") for row in _ROW.findall(printed(DEMO.split()))]
    if not rows:
        raise DataError("README.md: the demo prints no row of a comparison.")
    return "\n".join([*table(("metric", "old", "new", "difference", "95 % interval", "verdict"), rows), ""])


def statement() -> str:
    """Return the statement, whole."""
    text = printed(STATEMENT.split())
    if len(text.splitlines()) > MOST_LINES:
        raise DataError(f"README.md: the statement has over {MOST_LINES} lines.")
    return f"```sql\n{text.rstrip()}\n```\n"


def printed(arguments: Sequence[str]) -> str:
    """Return what a command prints."""
    command = [sys.executable, "-m", "rankmetrics_sql", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
