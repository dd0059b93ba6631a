"""Writes results for people and programs: terminal tables, CSV, JSON, Markdown, LaTeX and trec_eval's lines."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import DataError

Record = dict[str, Any]
FORMATS = ("table", "csv", "json", "jsonl", "markdown", "latex", "trec")


def render(records: Sequence[Record], form: str, pivot: str | None = "metric") -> str:
    """The records in a format.

    Args:
        records: rows with the same keys in the same order.
        form: one of FORMATS.
        pivot: for tables that people read, the key whose values become columns of ``value``; None keeps the rows.
    """
    return _WRITERS[form](records, pivot)


def write(text: str, path: Path) -> None:
    """Writes a file whole or not at all.

    Raises:
        DataError: the folder cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from None
    finally:
        Path(name).unlink(missing_ok=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _json(records: Sequence[Record], _pivot: str | None) -> str:
    return json.dumps([_finite(record) for record in records], ensure_ascii=False, indent=1, default=str) + "\n"


def _jsonl(records: Sequence[Record], _pivot: str | None) -> str:
    return "".join(json.dumps(_finite(record), ensure_ascii=False, default=str) + "\n" for record in records)


def _finite(record: Record) -> Record:
    """JSON has no NaN and no infinity."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in record.items()
    }


def _csv(records: Sequence[Record], _pivot: str | None) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_header(records))
    writer.writerows(
        ["" if value is None else repr(value) if isinstance(value, float) else value for value in record.values()]
        for record in records
    )
    return text.getvalue()


def _trec(records: Sequence[Record], _pivot: str | None) -> str:
    """trec_eval's three columns; a line runid opens each run."""
    lines: list[str] = []
    run: Any = object()
    for record in records:
        if record.get("run", run) != run:
            run = record["run"]
            lines.append(f"{'runid':<22}\tall\t{run}")
        value = record["value"]
        lines.append(
            f"{record['metric']:<22}\t{record.get('query_id', 'all')}\t{'null' if value is None else _cell(value)}"
        )
    return "\n".join([*lines, ""])


def _markdown(records: Sequence[Record], pivot: str | None) -> str:
    header, rows = _shaped(records, pivot)
    numeric = _numeric(header, rows)
    lines = [
        header,
        ["---:" if right else "---" for right in numeric],
        *([_cell(value).replace("|", "\\|") for value in row] for row in rows),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


_LATEX = str.maketrans(
    {mark: "\\" + mark for mark in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def _latex(records: Sequence[Record], pivot: str | None) -> str:
    header, rows = _shaped(records, pivot)
    alignment = "".join("r" if right else "l" for right in _numeric(header, rows))
    lines = [" & ".join(_cell(value).translate(_LATEX) for value in row) + r" \\" for row in [header, *rows]]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\hline",
            lines[0],
            r"\hline",
            *lines[1:],
            r"\hline",
            r"\end{tabular}",
            "",
        ]
    )


def _table(records: Sequence[Record], pivot: str | None) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    header, rows = _shaped(records, pivot)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, right in zip(header, _numeric(header, rows), strict=True):
        table.add_column(Text(name), justify="right" if right else "left", no_wrap=True, overflow="ignore")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    console = Console(file=io.StringIO(), width=max(80, sum(_width(header, rows)) + 3 * len(header)))
    console.print(table)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip()) + "\n"


def _width(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    return [max(len(str(name)), *(len(_cell(row[place])) for row in rows), 0) for place, name in enumerate(header)]


def _shaped(records: Sequence[Record], pivot: str | None) -> tuple[list[str], list[list[Any]]]:
    """Header and rows, with a column per metric where records hold one value each."""
    if pivot is None or not records:
        return _header(records), [list(record.values()) for record in records]
    metrics = list(dict.fromkeys(record[pivot] for record in records))
    keys = [key for key in records[0] if key not in (pivot, "value", "n_queries")]
    by_key: dict[tuple[Any, ...], dict[str, Any]] = {}
    for record in records:
        line = by_key.setdefault(tuple(record[key] for key in keys), {})
        line[record[pivot]] = record["value"]
        line["\0queries"] = max(line.get("\0queries", 0), record.get("n_queries", 0))
    counted = ["queries"] if "n_queries" in records[0] else []
    rows = [
        [*key, *(line.get(metric) for metric in metrics), *([line["\0queries"]] if counted else [])]
        for key, line in by_key.items()
    ]
    return [*keys, *metrics, *counted], rows


def _header(records: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(records[0]) if records else []


def _numeric(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[bool]:
    rows = list(rows)
    return [any(isinstance(row[place], int | float) for row in rows) for place in range(len(header))]


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) >= 2 else f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


_WRITERS: Mapping[str, Callable[[Sequence[Record], str | None], str]] = {
    "table": _table,
    "csv": _csv,
    "json": _json,
    "jsonl": _jsonl,
    "markdown": _markdown,
    "latex": _latex,
    "trec": _trec,
}
