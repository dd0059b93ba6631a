"""The line of a CSV file that has other fields than its header: DuckDB, which guesses, then finds no separator."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from ..errors import shortened
from .compression import open_text

DELIMITERS = ",;\t|"


def lacks_header(path: Path, columns: Sequence[str]) -> bool:
    """Whether the columns that DuckDB found are not those of the first line, or one, which has them all.

    Args:
        path: a file that was read.
        columns: what it is said to have.
    """
    if len(columns) == 1:
        return True
    with open_text(path) as lines:
        first = next(lines, "")
    delimiter = max(DELIMITERS, key=first.count)
    name = next(iter(next(csv.reader([first], delimiter=delimiter), [])), "").strip()
    return name not in ("", columns[0]) and not first.startswith("#")


def odd_line(path: Path, delimiters: str) -> str:
    """Return the first line with more or fewer fields than the header, as the end of a message; empty if there is none.

    Args:
        path: a file that could not be read, or has one column.
        delimiters: what may separate fields: that which the header has most of.
    """
    try:
        with open_text(path) as lines:
            header = next(lines, "")
            delimiter = max(delimiters, key=header.count)
            names = next(csv.reader([header], delimiter=delimiter), [])
            rows = csv.reader(lines, delimiter=delimiter)
            for row in rows if len(names) > 1 else ():
                if row and len(row) != len(names):
                    expected = f"{len(names)} are expected ({delimiter.join(names)})"
                    shown = shortened(delimiter.join(row))
                    return f", line {rows.line_num + 1}: {len(row)} fields where {expected}: {shown}."
    except (UnicodeDecodeError, csv.Error, EOFError):
        pass  # what DuckDB says of it is better
    return ""
