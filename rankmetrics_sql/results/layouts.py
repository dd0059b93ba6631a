"""Lays rows out for people and programs: terminal tables, CSV, JSON, Markdown, LaTeX and trec_eval's lines."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rich.text import Text

Record = dict[str, Any]
FORMATS = ("table", "csv", "json", "jsonl", "markdown", "latex", "trec")
FOR_PEOPLE = ("table", "markdown", "latex")


class Cell(NamedTuple):
    """What people read in one place of a table.

    Attributes:
        text: before it is escaped.
        is_number: whether its column is aligned to the right.
        is_best: whether it is bold, where that can be.
        is_marked: whether it has the mark of what is significant.
    """

    text: str
    is_number: bool = False
    is_best: bool = False
    is_marked: bool = False


class Block(NamedTuple):
    """Rows that belong together, under a title unless that is empty."""

    title: str
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Grid:
    """A table for people, before it is laid out.

    Attributes:
        header: the names of the columns.
        blocks: its rows.
        caption: a sentence about it, or nothing.
    """

    header: Sequence[str]
    blocks: Sequence[Block]
    caption: str = ""

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers."""
        rows = [row for block in self.blocks for row in block.rows]
        return [any(row[place].is_number for row in rows) for place in range(len(self.header))]


def render(
    records: Sequence[Record],
    form: str,
    pivot: str | None = "metric",
    counts: Collection[str] = (),
    names: Mapping[str, str] | None = None,
    best: Collection[int] = (),
) -> str:
    """The records in a format.

    Args:
        records: rows with the same keys in the same order.
        form: one of FORMATS.
        pivot: for tables that people read, the key whose values become columns of ``value``; None keeps the rows.
        counts: metrics whose values are counts, which people read without decimals.
        names: what trec_eval calls the metrics, for its format.
        best: the places of the records whose values are bold, where that can be.
    """
    if form in FOR_PEOPLE:
        return lay_out(_shaped(records, pivot, counts, best), form)
    return _trec(records, counts, names or {}) if form == "trec" else _WRITERS[form](records)


def tables(found: Mapping[str, Sequence[Record]], form: str) -> str:
    """Several tables in a format.

    Args:
        found: the rows of each by its name; tables without rows are left out where people read them.
        form: ``table``, ``markdown`` or ``latex``, one below the other; ``json``, one object; ``jsonl``, the name of
            the table in each row; ``csv``, the first table.
    """
    if form in FOR_PEOPLE:
        return "\n".join(render(records, form, None) for records in found.values() if records)
    if form == "json":
        shown = {name: [_finite(record) for record in records] for name, records in found.items()}
        return json.dumps(shown, ensure_ascii=False, indent=1, default=str) + "\n"
    if form == "jsonl":
        return _jsonl([{"table": name, **record} for name, records in found.items() for record in records])
    return render(next(iter(found.values())), form, None)


def lay_out(grid: Grid, form: str) -> str:
    """A table in one of the formats that people read."""
    return _LAYOUTS[form](grid)


def cell_of(value: Any, is_count: bool = False, *, is_best: bool = False, is_marked: bool = False) -> Cell:
    """A value as people read it."""
    return Cell(as_text(value, is_count), isinstance(value, int | float), is_best, is_marked)


def as_text(value: Any, is_count: bool = False) -> str:
    """A value as people read it, a number with four decimals unless it is a count."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.0f}" if is_count else f"{value:.4f}"
    return str(value)


def beside(texts: Sequence[str], numbers: Sequence[str]) -> list[str]:
    """Texts and a number behind each, both below each other."""
    from rich.cells import cell_len

    names = list(map(on_one_line, texts))
    left, right = max(map(cell_len, names), default=0), max(map(len, numbers), default=0)
    return [
        name + " " * (left - cell_len(name)) + " " + number.rjust(right)
        for name, number in zip(names, numbers, strict=True)
    ]


def best_of(values: Sequence[float | None], better: str, is_count: bool = False) -> set[int]:
    """The places of the best values, which are all that read like it; none where there is nothing to choose from.

    Args:
        values: of one metric, a run each.
        better: ``higher`` or ``lower``.
        is_count: whether they are counts.
    """
    known = {place: value for place, value in enumerate(values) if value is not None and not math.isnan(value)}
    if len(known) < 2:
        return set()
    best = as_text((min if better == "lower" else max)(known.values()), is_count)
    return {place for place, value in known.items() if as_text(value, is_count) == best}


def best_records(records: Sequence[Record], better: Mapping[str, str], counts: Collection[str] = ()) -> set[int]:
    """The places of the best values of each metric among the runs, within each group.

    Args:
        records: the rows of ``Result.summary``.
        better: for each metric, ``higher`` or ``lower``.
        counts: metrics whose values are counts.
    """
    rivals: dict[tuple[Any, ...], list[int]] = {}
    for place, record in enumerate(records):
        rivals.setdefault((record["metric"], *map(record.get, keys_of(record))), []).append(place)
    found: set[int] = set()
    for (metric, *_), places in rivals.items():
        best = best_of([records[place]["value"] for place in places], better.get(metric, "higher"), metric in counts)
        found |= {places[number] for number in best}
    return found


def _json(records: Sequence[Record]) -> str:
    return json.dumps([_finite(record) for record in records], ensure_ascii=False, indent=1, default=str) + "\n"


def _jsonl(records: Sequence[Record]) -> str:
    return "".join(json.dumps(_finite(record), ensure_ascii=False, default=str) + "\n" for record in records)


def _finite(record: Record) -> Record:
    """JSON has no NaN and no infinity."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in record.items()
    }


def _csv(records: Sequence[Record]) -> str:
    rows = (
        ["" if value is None else repr(value) if isinstance(value, float) else value for value in record.values()]
        for record in records
    )
    return "".join(map(_csv_line, [_header(records), *rows]))


def _csv_line(values: Sequence[Any]) -> str:
    """One row; the writer quotes those characters only that end its own lines, so a carriage return has to be one."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(values)
    return text.getvalue().removesuffix("\r\n") + "\n"


def keys_of(record: Record) -> list[str]:
    """What says which query of a run, or which group of queries, a value is of."""
    return [name for name in record if name not in _NO_KEYS]


_NO_KEYS = ("run_id", "metric", "value", "n_queries", "sum_of_weights", "standard_error", "ci_lower", "ci_upper")


def _trec(records: Sequence[Record], counts: Collection[str], names: Mapping[str, str]) -> str:
    """trec_eval's three columns and its names; a line runid opens each run."""
    lines: list[str] = []
    run: Any = object()
    for record in records:
        if record.get("run_id", run) != run:
            run = record["run_id"]
            lines.append(f"{'runid':<22}\tall\t{on_one_line(str(run))}")
        value = as_text(record["value"], record["metric"] in counts)
        name = names.get(record["metric"], record["metric"])
        query = next((str(record[key]) for key in keys_of(record)), "all")
        lines.append(f"{on_one_line(name):<22}\t{on_one_line(query)}\t{value}")
    return "\n".join([*lines, ""])


_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")


def on_one_line(text: str) -> str:
    """The text with line breaks, tabs and the like written as Python does, where a line must stay one."""
    return _BREAKS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


# What would be markup; an underscore within a word is none.
_MARKDOWN = re.compile(r"[\\`*\[\]<>&~|]|(?<![^\W_])_|_(?![^\W_])")


def _in_markdown(text: str) -> str:
    """The text in a cell; what no cell can hold, such as a line break, by its number, if that may have one."""
    numbered = "\t\n\r\u2028\u2029"
    shown = _BREAKS.sub(lambda found: found[0] if found[0] in numbered else on_one_line(found[0]), text)
    escaped = _MARKDOWN.sub(r"\\\g<0>", shown)
    return re.sub(rf"[{numbered}]|^ | $", lambda found: f"&#{ord(found[0])};", escaped)


def _markdown(grid: Grid) -> str:
    lines = [list(map(_in_markdown, grid.header)), ["---:" if right else "---" for right in grid.numeric]]
    for block in grid.blocks:
        if block.title:
            lines.append([f"*{_in_markdown(block.title)}*", *[""] * (len(grid.header) - 1)])
        lines += [list(map(_markdown_cell, row)) for row in block.rows]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return table + (f"\n{_in_markdown(grid.caption)}\n" if grid.caption else "")


def _markdown_cell(cell: Cell) -> str:
    text = _in_markdown(cell.text)
    return (f"**{text}**" if cell.is_best else text) + (r"\*" if cell.is_marked else "")


# A bracket or star at the beginning of a row would belong to the line break before.
_LATEX = str.maketrans(
    {mark: "\\" + mark for mark in "&%$#_{}"}
    | {mark: f"{{{mark}}}" for mark in "[*"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
)


def _in_latex(text: str) -> str:
    return on_one_line(text).translate(_LATEX)


def _latex(grid: Grid) -> str:
    """A tabular; with a caption in a float, as a paper has it."""
    lines = [rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in grid.numeric)}}}", r"\toprule"]
    lines += [_latex_row(map(_in_latex, grid.header)), r"\midrule"]
    for number, block in enumerate(grid.blocks):
        lines += [r"\midrule"] if number else []
        if block.title:
            lines.append(_latex_row([rf"\multicolumn{{{len(grid.header)}}}{{l}}{{{_in_latex(block.title)}}}"]))
        lines += [_latex_row(map(_latex_cell, row)) for row in block.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    if grid.caption:
        caption = rf"\caption{{{_in_latex(grid.caption)}}}"
        lines = [r"\begin{table}", r"\centering", caption, *lines, r"\end{table}"]
    return "\n".join([r"% \usepackage{booktabs}", *lines, ""])


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(cell: Cell) -> str:
    """The mark takes no room, so that digits stay below each other."""
    text = _in_latex(cell.text)
    return (rf"\textbf{{{text}}}" if cell.is_best else text) + (r"\rlap{$^{*}$}" if cell.is_marked else "")


def _table(grid: Grid) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    columns = [_table_column(grid, place) for place in range(len(grid.header))]
    for name, *_ in columns:
        table.add_column(name, no_wrap=True, overflow="ignore")
    for row in zip(*(rest for _, *rest in columns), strict=True):
        table.add_row(*row)
    text = io.StringIO()
    width = sum(max(cell.cell_len for cell in column) + 3 for column in columns)
    Console(file=text, width=max(80, width), force_jupyter=False, color_system=None).print(table)
    lines = [line.rstrip() for line in text.getvalue().splitlines() if line.strip()]
    return "\n".join([*lines, *([on_one_line(grid.caption)] if grid.caption else []), ""])


def _table_column(grid: Grid, place: int) -> list[Text]:
    """Header and cells of a column. Numbers are aligned here: rich aligns nothing that it must not cut off."""
    from rich.text import Text

    name, is_marked = grid.header[place], any(row[place].is_marked for block in grid.blocks for row in block.rows)
    texts = [name]
    for block in grid.blocks:
        texts += [block.title * (place == 0)] if block.title else []
        texts += [row[place].text + ("*" if row[place].is_marked else " " * is_marked) for row in block.rows]
    column = [Text(on_one_line(text)) for text in texts]
    if grid.numeric[place]:
        width = max(cell.cell_len for cell in column)
        for cell in column:
            cell.pad_left(width - cell.cell_len)
    return column


def _shaped(records: Sequence[Record], pivot: str | None, counts: Collection[str], best: Collection[int]) -> Grid:
    """A row for each record, or a column per metric where records hold one value each."""
    if pivot is not None and records:
        return _pivoted(records, pivot, counts, best)
    rows = [
        [cell_of(value, name in counts, is_best=name == "value" and place in best) for name, value in record.items()]
        for place, record in enumerate(records)
    ]
    return Grid(_header(records), [Block("", rows)])


def _pivoted(records: Sequence[Record], pivot: str, counts: Collection[str], best: Collection[int]) -> Grid:
    metrics = list(dict.fromkeys(record[pivot] for record in records))
    keys = [key for key in records[0] if key not in (pivot, "value", "n_queries")]
    by_key: dict[tuple[Any, ...], dict[str, Cell]] = {}
    queries: dict[tuple[Any, ...], int] = {}
    for place, record in enumerate(records):
        key, metric = tuple(record[name] for name in keys), record[pivot]
        by_key.setdefault(key, {})[metric] = cell_of(record["value"], metric in counts, is_best=place in best)
        queries[key] = max(queries.get(key, 0), record.get("n_queries", 0))
    counted = "n_queries" in records[0]
    rows = [
        [
            *map(cell_of, key),
            *(line.get(metric, cell_of(None)) for metric in metrics),
            *([cell_of(queries[key])] if counted else []),
        ]
        for key, line in by_key.items()
    ]
    return Grid([*keys, *metrics, *(["n_queries"] if counted else [])], [Block("", rows)])


def _header(records: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(records[0]) if records else []


_LAYOUTS: Mapping[str, Callable[[Grid], str]] = {"table": _table, "markdown": _markdown, "latex": _latex}
_WRITERS: Mapping[str, Callable[[Sequence[Record]], str]] = {"csv": _csv, "json": _json, "jsonl": _jsonl}
